"""Whether an installed reknit does its main job: python tools/smoke.py compiled|plain

    reknit --version    the build that is expected
    reknit.load, outcomes, compile, run, check, lint, text, to_bytes of examples/    what the README says of them

Runs in any environment that has reknit installed, outside of the sources; every wheel is tried so.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BUILDS = {"compiled": "(compiled)", "plain": "(plain Python)"}
KINDS = {"kinds": [0, 0, 1, 2]}


def main(arguments: list[str]) -> int:
    if len(arguments) != 1 or arguments[0] not in BUILDS:
        print(f"usage: smoke.py {'|'.join(BUILDS)}", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory() as folder:
        version = command(["--version"], folder)
        assert version.endswith(BUILDS[arguments[0]]), version
        api(folder)
        shown = command(["show", str(ROOT / "examples" / "fallthrough.spvasm")], folder)
        assert "fallthrough to default" in shown, shown
    print(f"{version}, Python {sys.version.split()[0]}, {sys.platform}: its main job is done")
    return 0


def command(arguments: list[str], folder: str) -> str:
    """What the command prints, run away from the sources."""
    done = subprocess.run([sys.executable, "-m", "reknit", *arguments], cwd=folder, capture_output=True)
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout.decode().strip()


def api(folder: str) -> None:
    import reknit

    assert ROOT not in Path(reknit.__file__).resolve().parents or ".venv" in reknit.__file__, reknit.__file__
    module = reknit.load(ROOT / "examples" / "fallthrough.spvasm")
    before = reknit.outcomes(module, subgroup_size=4, buffers=KINDS)
    assert len(before.outcomes) == 5 and before.exhaustive, before
    fixed = module.copy()
    reknit.compile(fixed)
    assert list(reknit.run(fixed, subgroup_size=4, buffers=KINDS).buffers["result"].words) == [42, 42, 40, 40]
    reknit.save(fixed, Path(folder, "fixed.spv"))
    assert [fault for fault in reknit.check(Path(folder, "fixed.spv")) if fault.severity == "error"] == []
    assert [fault.code for fault in reknit.lint(module)] == ["RK3004"]
    assert reknit.prove(module, fixed)
    shapes = reknit.load(ROOT / "examples" / "shapes.slang")
    assert list(reknit.run(shapes).buffers["result"].words) == [413, 434, 434, 434]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
