"""How long Slang sources take, and how the time grows: python tests/bench/slang.py [LINES ...]

    lines    parse    check    lower    whole   slangc
   10,013   0.13 s   0.17 s   0.17 s   0.47 s   1.36 s
    trivial shader, whole process     reknit 0.40 s 32 MiB     slangc 0.25 s 199 MiB

A source is functions, methods and generics in turn, all called from the entry point. Seconds are of processor time in
this process, without starting; slangc's are of its whole process, less what it takes for a trivial shader. "exponent"
is that of the line through the logarithms.
"""

import gc
import os
import sys
import tempfile
from pathlib import Path
from time import process_time

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "tests"))

from bench.codec import exponent  # noqa: E402
from kit import oracles  # noqa: E402

from reknit.front.slang import check  # noqa: E402
from reknit.front.slang.compile import NESTS, compile_slang  # noqa: E402
from reknit.front.slang.options import Options  # noqa: E402
from reknit.front.slang.parse.file import parse_file  # noqa: E402

TRIVIAL = """RWStructuredBuffer<int> out;
[shader("compute")]
[numthreads(4, 1, 1)]
void main(uint t : SV_GroupIndex) { out[t] = int(t); }
"""

PIECE = """int work{n}(int x, int count)
{{
    int total = x;
    for (int i = 0; i < count; i++)
    {{
        if (i % 3 == 0)
            continue;
        switch (total % 4)
        {{
        case 0:
            total += i;
            break;
        case 1:
        case 2:
            total -= x;
        default:
            total = total * 2 + 1;
        }}
    }}
    return total;
}}

struct Item{n} : IItem
{{
    int value;
    float2 place;
    [mutating] void step(int by)
    {{
        value += by;
        place = place.yx * 2 + float2(by, 1);
    }}
    int get() {{ return value + int(place.x); }}
}}

int use{n}(int x)
{{
    Item{n} item = {{ x, float2(1, 2) }};
    item.step(work{n}(x, 5));
    return twice(item) + largest(x, {n});
}}

"""

HEAD = """RWStructuredBuffer<int> out;
interface IItem { int get(); }
int twice<T : IItem>(T item) { return 2 * item.get(); }
T largest<T : IComparable>(T a, T b)
{
    if (a < b)
        return b;
    return a;
}

"""


MAIN = """[shader("compute")]
[numthreads(4, 1, 1)]
void main(uint t : SV_GroupIndex)
{
    int total = int(t);
"""


def source(lines: int) -> str:
    """About so many lines."""
    count = max(1, lines // (PIECE.count("\n") + 1))
    calls = "".join(f"    total += use{n}(total);\n" for n in range(count))
    pieces = "".join(PIECE.format(n=n) for n in range(count))
    return HEAD + pieces + MAIN + calls + "    out[t] = total;\n}\n"


def steps(text: str) -> list[float]:
    """Seconds to parse, to check, to lower (what the whole takes beyond the others), of the whole."""
    gc.collect()
    start = process_time()
    unit, reports = parse_file("bench.slang", text, Options())
    parsed = process_time()
    check.check(unit, reports.sources, reports, check.Options())
    checked = process_time()
    del unit, reports
    gc.collect()
    again = process_time()
    compile_slang(text, "bench.slang")
    whole = process_time() - again
    return [parsed - start, checked - parsed, max(0.0, whole - (checked - start)), whole]


def process(command: list[str]) -> tuple[float, float]:
    """Processor seconds and MiB of a command's own process."""
    pid = os.fork()
    if pid == 0:
        quiet = os.open(os.devnull, os.O_WRONLY)
        os.dup2(quiet, 1)
        os.dup2(quiet, 2)
        os.execvp(command[0], command)
    _, status, usage = os.wait4(pid, 0)
    if status:
        return float("nan"), float("nan")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def slangc(path: Path) -> list[str] | None:
    command = oracles.find("slangc")
    return None if command is None else [*command, str(path), "-target", "spirv", "-o", str(path.with_suffix(".spv"))]


def main(words: list[str]) -> int:
    sizes = [int(word) for word in words] or [1_000, 2_000, 5_000, 10_000]
    sys.setrecursionlimit(NESTS)
    gc.set_threshold(200_000, 30, 30)  # as `reknit.cli.main` does
    steps(source(100))  # what is made once: tables, builtins
    with tempfile.TemporaryDirectory() as folder:
        trivial = Path(folder, "trivial.slang")
        trivial.write_text(TRIVIAL)
        ours = min(process([sys.executable, "-m", "reknit", "compile", str(trivial), "-o", str(trivial) + ".spv"])
                   for _ in range(3))  # fmt: skip
        peer = slangc(trivial)
        theirs = min(process(peer) for _ in range(3)) if peer is not None else None
        print(f"{'lines':>8}" + "".join(f"{name:>9}" for name in ("parse", "check", "lower", "whole", "slangc")))
        taken: list[list[float]] = []
        lengths: list[int] = []
        for size in sizes:
            text = source(size)
            lengths.append(text.count("\n"))
            row = steps(text)
            path = Path(folder, f"bench{size}.slang")
            path.write_text(text)
            command = slangc(path)
            if command is not None and theirs is not None:
                row.append(process(command)[0] - theirs[0])
            taken.append(row)
            print(f"{lengths[-1]:>8,}" + "".join(f"{seconds:>7.2f} s" for seconds in row), flush=True)
        slopes = [exponent(lengths, [row[place] for row in taken]) for place in range(len(taken[0]))]
        print("exponent" + "".join(f"{'':>9}" if slope is None else f"{slope:>9.2f}" for slope in slopes))
        told = f"trivial shader, whole process     reknit {ours[0]:.2f} s {ours[1]:.0f} MiB"
        if theirs is not None:
            told += f"     slangc {theirs[0]:.2f} s {theirs[1]:.0f} MiB"
        print(told)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
