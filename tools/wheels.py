"""Build what PyPI gets, and try each of it in an environment of its own.

    python tools/wheels.py here [OUT]     the wheel of this Python, with a compiled core
    python tools/wheels.py plain [OUT]    the wheel of plain Python, for all that have none of their own; the sources
    python tools/wheels.py all [OUT]      the wheels of this system for CPython 3.11 to 3.14, by cibuildwheel (on Linux
                                          in containers, which takes Docker); pyproject.toml has its settings
    python tools/wheels.py tag v0.1.0     only whether a tag names the version

OUT is dist/. A package index prefers a wheel for the system at hand to the plain one, and that one to the sources.
"""

import os
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

import environment
from environment import ROOT, say

CIBUILDWHEEL = "cibuildwheel>=3.2,<4"


def main(arguments: list[str]) -> int:
    if not arguments or arguments[0] not in ("here", "plain", "all", "tag") or len(arguments) > 2:
        print(__doc__, file=sys.stderr)
        return 2
    if arguments[0] == "tag":
        return check_tag(arguments[1] if len(arguments) == 2 else "")
    out = Path(arguments[1] if len(arguments) == 2 else ROOT / "dist").resolve()
    if arguments[0] == "all":
        with tempfile.TemporaryDirectory() as folder:
            python = new_environment(Path(folder), CIBUILDWHEEL)
            run([str(python), "-m", "cibuildwheel", "--output-dir", str(out)])
        return 0
    with tempfile.TemporaryDirectory() as folder:
        python = new_environment(Path(folder, "build"), "build")
        if arguments[0] == "here":
            built = build(python, out, "--wheel", plain=False)
            try_in_new_environment(built, "compiled")
        else:
            built = build(python, out, "--wheel", plain=True)
            try_in_new_environment(built, "plain")
            sources = build(python, out, "--sdist", plain=True)
            try_in_new_environment(sources, "plain", plain=True)
    return 0


def check_tag(tag: str) -> int:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    if tag == f"v{project['version']}":
        return 0
    print(f"tag {tag} does not name this version, which is v{project['version']}", file=sys.stderr)
    return 1


def build(python: Path, out: Path, kind: str, plain: bool) -> Path:
    """The file that `python -m build` adds to `out`, or writes again."""
    with tempfile.TemporaryDirectory() as folder:
        variables = {**environment.clean(), **({"REKNIT_PURE": "1"} if plain else {})}
        run([str(python), "-m", "build", kind, "--outdir", folder, str(ROOT)], variables)
        (built,) = Path(folder).iterdir()
        out.mkdir(parents=True, exist_ok=True)
        target = out / built.name
        target.write_bytes(built.read_bytes())
    say(f"built {target.name}, {target.stat().st_size / 1e6:.1f} MB")
    return target


def try_in_new_environment(package: Path, kind: str, plain: bool = False) -> None:
    with tempfile.TemporaryDirectory() as folder:
        python = new_environment(Path(folder, "try"), str(package), plain=plain)
        run([str(python), str(ROOT / "tools" / "smoke.py"), kind], cwd=folder)


def new_environment(folder: Path, *packages: str, plain: bool = False) -> Path:
    """The interpreter of a new virtual environment with packages in it."""
    run([sys.executable, "-m", "venv", str(folder)])
    python = interpreter(folder)
    variables = {**environment.clean(), **({"REKNIT_PURE": "1"} if plain else {})}
    run([str(python), "-m", "pip", "--disable-pip-version-check", "install", "--quiet", *packages], variables)
    return python


def interpreter(folder: Path) -> Path:
    return folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def run(command: list[str], variables: dict[str, str] | None = None, cwd: str | Path = ROOT) -> None:
    code = subprocess.run(command, cwd=cwd, env=variables or environment.clean()).returncode
    if code != 0:
        raise SystemExit(code)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
