"""Random HLSL programs as DXIL: made by DXC, or kept from there.

    seed ──▶ program ──▶ HLSL ──DXC, in a process of its own──▶ DXIL
                    └──▶ what it means, by `fuzzing.meaning` ──▶ the words of `seen`

    PYTHONPATH=src:tests python3 -m kit.random.dxil       writes tests/data/dxil/random.jsonl.gz anew, a line a program
"""

import base64
import gzip
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Final

from kit import ROOT, TESTS

from reknit.fuzzing.export.formats import exportable
from reknit.fuzzing.export.hlsl import hlsl
from reknit.fuzzing.features import VOTES
from reknit.fuzzing.generate import generate
from reknit.fuzzing.meaning import meaning_of

STORED: Final = TESTS / "data" / "dxil" / "random.jsonl.gz"
COUNT: Final = 60
STATEMENTS: Final = 40
MIN_BLOCKS: Final = 4  # of those that are kept: DXC turns many a program into straight code
SECONDS: Final = 60
FEATURES: Final = [name for name in exportable("hlsl") if name != VOTES]  # DXC 1.6 knows no QuadAny

LOST: Final = {
    55: "v0_2 of the default's lanes at %98", 203: "v0_0 at %258", 222: "v0_0 at %124",
    361: "v0_0 of the default's lanes at %389", 487: "v0_3 at %148",
}  # fmt: skip
"""Seeds where DXC itself loses a value, which its own disassembly shows: where a switch's edge and a case meet, the
case's value is taken for all. tests/data/dxil/kinds/switch_lost.hlsl is a small one."""


class Refused(Exception):
    """What DXC said, or how it died."""


class Random:
    """A program: its DXIL, and what `seen` holds in the end. DXIL is without names, so `seen` is u0."""

    def __init__(self, seed: int, lanes: int, subgroup_size: int, source: str, dxil: bytes, out: list[int]) -> None:
        self.seed = seed
        self.lanes = lanes
        self.subgroup_size = subgroup_size
        self.source = source
        self.dxil = dxil
        self.out = out


def made(library: str, seed: int) -> Random:
    """Raises Refused where DXC gives nothing."""
    program = generate(seed, STATEMENTS, FEATURES)
    source = hlsl(program)
    arguments = ["-T", "cs_6_6", "-E", "main", "-Qstrip_reflect", "-Qstrip_debug"]
    with tempfile.TemporaryDirectory() as folder:
        given, found = Path(folder, "a.hlsl"), Path(folder, "a.dxil")
        given.write_text(source)
        command = [sys.executable, str(ROOT / "tools" / "dxc.py"), library, str(given), str(found), *arguments]
        done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS)
        if done.returncode != 0:
            raise Refused(done.stderr.strip() or f"died with {done.returncode}")
        dxil = found.read_bytes()
    return Random(seed, program.lanes, program.subgroup_size, source, dxil, meaning_of(program))


def stored() -> list[Random]:
    found: list[Random] = []
    for line in gzip.decompress(STORED.read_bytes()).decode().splitlines():
        row = json.loads(line)
        dxil = base64.b64decode(row["dxil"])
        found.append(Random(row["seed"], row["lanes"], row["subgroup_size"], row["hlsl"], dxil, row["out"]))
    return found


def main() -> int:
    import reknit

    library = str(ROOT / ".oracles" / "dxc" / "libdxcompiler.so")
    lines: list[str] = []
    seed = 0
    while len(lines) < COUNT:
        try:
            one = made(library, seed)
        except Refused:
            seed += 1
            continue
        if seed not in LOST and len(reknit.load(one.dxil).functions[0].blocks) >= MIN_BLOCKS:
            row = {
                "seed": seed, "lanes": one.lanes, "subgroup_size": one.subgroup_size, "hlsl": one.source,
                "dxil": base64.b64encode(one.dxil).decode(), "out": one.out,
            }  # fmt: skip
            lines.append(json.dumps(row) + "\n")
        seed += 1
    STORED.write_bytes(gzip.compress("".join(lines).encode(), 9, mtime=0))
    return 0


if __name__ == "__main__":
    sys.exit(main())
