"""python -m tests.bench.optimized FILE.spv ...

    each FILE  ──▶  reknit compile -O, and spirv-opt -O  ──▶  instructions in bodies, bytes, and what differs most

What spirv-opt refuses or fails on, and what breaks rules of SPIR-V, is left out and counted. Names, lines and debug
information are no instructions here, and are taken out of FILE before (`spirv-opt --strip-debug`) where bytes are
compared.
"""

import argparse
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))
if not any(Path(place, "reknit").is_dir() for place in sys.path if place):
    sys.path.insert(0, str(ROOT / "src"))

from kit import oracles  # noqa: E402

import reknit  # noqa: E402
from reknit.ir.debug import floats  # noqa: E402
from reknit.ir.opcodes import info  # noqa: E402
from reknit.ir.walk import instructions  # noqa: E402
from reknit.source.diagnostic import InputError  # noqa: E402


def counted(data: bytes) -> Counter[int]:
    """How many instructions of each kind there are in the bodies of a module."""
    module = reknit.load(data)
    return Counter(instr.op for function in module.functions for instr in instructions(function) if not floats(instr))


def bytes_of(path: Path, theirs: list[str], folder: Path) -> tuple[int, int]:
    """How large the file is that -O of each makes of a file without debug information."""
    stripped, out = folder / "stripped.spv", folder / "small.spv"
    subprocess.run([*theirs, "--strip-debug", str(path), "-o", str(stripped)], check=True, capture_output=True)
    subprocess.run([*theirs, "-O", str(stripped), "-o", str(out)], check=True, capture_output=True)
    module = reknit.load(stripped)
    reknit.compile(module, "optimize")
    return len(reknit.to_bytes(module)), out.stat().st_size


def name_of(code: int) -> str:
    known = info(code)
    return known.name if known is not None else str(code)


def main() -> None:
    parser = argparse.ArgumentParser(description="What -O leaves beside spirv-opt -O.")
    parser.add_argument("files", nargs="+", type=Path)
    options = parser.parse_args()
    theirs = oracles.find("spirv-opt")
    if theirs is None:
        sys.exit("spirv-opt is not installed")
    rows: list[tuple[float, int, int, Path]] = []
    ours_all: Counter[int] = Counter()
    theirs_all: Counter[int] = Counter()
    sizes: list[tuple[int, int]] = []
    before_all = left_out = 0
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder, "out.spv")
        for path in options.files:
            try:
                module = reknit.load(path)
                before = counted(path.read_bytes()).total()
                reknit.compile(module, "optimize")
                ours = counted(reknit.to_bytes(module))
            except InputError:
                left_out += 1
                continue
            if subprocess.run([*theirs, "-O", str(path), "-o", str(out)], capture_output=True).returncode:
                left_out += 1
                continue
            peer = counted(out.read_bytes())
            sizes.append(bytes_of(path, theirs, Path(folder)))
            before_all += before
            ours_all += ours
            theirs_all += peer
            rows.append((ours.total() / max(peer.total(), 1), ours.total(), peer.total(), path))
    if not rows:
        sys.exit("no file is left")
    rows.sort(key=lambda row: -row[0])
    total = ours_all.total() / theirs_all.total()
    print(f"{len(rows)} files, {left_out} left out: {before_all} instructions before,")
    print(f"{theirs_all.total()} by spirv-opt -O,")
    print(f"{ours_all.total()} by reknit -O: {total:.3f} times; {rows[len(rows) // 2][0]:.3f} in the middle")
    shares = sorted([mine / peer_size for mine, peer_size in sizes])
    share = sum(mine for mine, _ in sizes) / sum(peer_size for _, peer_size in sizes)
    print(f"bytes: {share:.3f} times; {shares[len(shares) // 2]:.3f} in the middle, {shares[-1]:.3f} at most")
    print("largest:", *[f"{ratio:.2f} ({path.name})" for ratio, _, _, path in rows[:5]])
    differ = Counter({op: ours_all[op] - theirs_all[op] for op in ours_all | theirs_all})
    print("more here:", *[f"{name_of(op)} +{count}" for op, count in differ.most_common(5)])
    print("more there:", *[f"{name_of(op)} {count}" for op, count in differ.most_common()[-5:]])


if __name__ == "__main__":
    main()
