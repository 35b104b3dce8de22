"""Small inputs that ask for much, each in a process of its own: within 10 seconds of processor time and 1 GiB it is
done, or a diagnostic says what it is too large for."""

import resource
import subprocess
import sys
from pathlib import Path

import pytest
from kit.bombs import BOMBS, Bomb

import reknit

CPU = 10
MEMORY = 1 << 30
SCRIPT = """
import sys
from reknit.cli.main import main
code = main(sys.argv[1:])
from resource import RUSAGE_SELF, getrusage
usage = getrusage(RUSAGE_SELF)
print("\\nused", usage.ru_utime + usage.ru_stime, usage.ru_maxrss << 10, file=sys.stderr)
sys.exit(code)
"""
WITHIN = ("--max-seconds", "6", "--max-memory", "700M")

SAMPLE = (
    "nested ##", "a chain of includes that doubles", "a device", "aliases that double",
    "structs that double, in a buffer", "a number of a million digits in assembly",
    "an id bound of 2^32 - 1, rewritten", "a number in TOML", "a member at 64 MiB, proved",
    "twenty members at 128 MiB", "a private array of a million in each of 1024", "workgroups in Amber",
    "a thousand overloads", "digits of a struct in Amber",
)  # fmt: skip
"""What CI's tests run; the others take as long again, and have the marker `full`."""


def parameters() -> list[object]:
    assert set(SAMPLE) <= set(BOMBS)
    return [pytest.param(BOMBS[name], id=name, marks=() if name in SAMPLE else pytest.mark.full) for name in BOMBS]


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="limits of memory are Linux's")
@pytest.mark.parametrize("bomb", parameters())
def test_a_bomb(bomb: Bomb, tmp_path: Path) -> None:
    for name, data in {bomb.name: bomb.data, **bomb.files}.items():
        (tmp_path / name).write_bytes(data)
    words = [*bomb.command, *WITHIN]
    if bomb.at <= len(words):
        words.insert(bomb.at, bomb.name)

    def limited() -> None:
        resource.setrlimit(resource.RLIMIT_CPU, (CPU, CPU + 1))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, *words], cwd=tmp_path, capture_output=True, preexec_fn=limited,
        env={"PYTHONPATH": str(Path(reknit.__file__).parent.parent), "PATH": ""},
    )  # fmt: skip
    said = done.stderr.decode()
    assert done.returncode in bomb.codes, said[-2000:]
    assert "Traceback" not in said and "RK0009" not in said
    _, seconds, memory = said.splitlines()[-1].split()
    assert float(seconds) < CPU and int(memory) < MEMORY
