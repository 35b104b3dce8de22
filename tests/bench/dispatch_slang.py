"""Dynamic dispatch from Slang source to SPIR-V, beside slangc: python tests/bench/dispatch_slang.py [FAMILY ...]

    family    size     read   dispatch    whole   slangc   ratio     words   slangc
    phi        400   0.20 s     0.18 s   0.53 s   2.18 s     4.1    73,330   29,897

    phi        so many types into one object, one call          chain      so many helpers in each other, over 64 types
    sites      so many calls of one method over 8 types

Seconds are of processor time: "read" the source to the module, "dispatch" `specialize-dispatch` and `lower-dispatch`,
"whole" with the rest of `reconverge` and writing, in this process; slangc's whole process, less what it takes for a
trivial shader. "ratio" is slangc's to ours. Exponents are of the lines through the logarithms.
"""

import gc
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from time import process_time

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "tests"))

from bench.codec import exponent  # noqa: E402
from bench.slang import TRIVIAL, process, slangc  # noqa: E402

from reknit.front.slang.compile import NESTS, compile_slang  # noqa: E402
from reknit.passes.manager import run_passes  # noqa: E402
from reknit.spirv.write import write_module  # noqa: E402

MAIN = """[shader("compute")]
[numthreads(64, 1, 1)]
void main(uint3 tid : SV_DispatchThreadID)
{
    int t = int(tid.x);
"""


def types(count: int) -> str:
    """Types with a method each."""
    text = "RWStructuredBuffer<int> out;\ninterface IFoo { int foo(int v); }\n"
    for n in range(count):
        text += f"struct T{n} : IFoo {{ int a; int b; int foo(int v) {{ return v * {n + 2} + a - b; }} }}\n"
    return text


def choose(count: int) -> str:
    """f is one of so many types."""
    cases = "".join([f"    case {n}: f = T{n}(t, {n}); break;\n" for n in range(count - 1)])
    return f"    IFoo f;\n    switch (t)\n    {{\n{cases}    default: f = T{count - 1}(t, 1); break;\n    }}\n"


def phi(size: int) -> str:
    return types(size) + MAIN + choose(size) + "    out[t] = f.foo(t);\n}\n"


def sites(size: int) -> str:
    calls = "".join([f"    v = f.foo(v + {n});\n" for n in range(size)])
    return types(8) + MAIN + choose(8) + f"    int v = t;\n{calls}    out[t] = v;\n}}\n"


def chain(size: int) -> str:
    helpers = f"int h{size}(IFoo f, int v) {{ return f.foo(v); }}\n"
    for n in reversed(range(size)):
        helpers += f"int h{n}(IFoo f, int v) {{ return h{n + 1}(f, v + {n}); }}\n"
    return types(64) + helpers + MAIN + choose(64) + "    out[t] = h0(f, t);\n}\n"


FAMILIES: dict[str, tuple[Callable[[int], str], list[int]]] = {
    "phi": (phi, [25, 50, 100, 200, 400, 800]),
    "sites": (sites, [1, 8, 32, 128]),
    "chain": (chain, [1, 4, 16, 64]),
}


def steps(text: str) -> tuple[list[float], int]:
    """Seconds to read, to specialize and lower, of all; and the words of SPIR-V."""
    gc.collect()
    start = process_time()
    module = compile_slang(text, "bench.slang")
    read = process_time()
    run_passes(module, "specialize-dispatch, lower-dispatch")
    lowered = process_time()
    run_passes(module, "reconverge")
    words = len(write_module(module)) // 4
    return [read - start, lowered - read, process_time() - start], words


def main(names: list[str]) -> int:
    sys.setrecursionlimit(NESTS)
    gc.set_threshold(200_000, 30, 30)  # as `reknit.cli.main` does
    steps(phi(8))  # what is made once: tables, builtins
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        trivial = folder / "trivial.slang"
        trivial.write_text(TRIVIAL)
        peer = slangc(trivial)
        start = min([process(peer)[0] for _ in range(3)]) if peer is not None else 0.0
        columns = ("read", "dispatch", "whole", "slangc")
        print(
            f"{'family':7}{'size':>6}"
            + "".join([f"{one:>11}" for one in columns])
            + f"{'ratio':>8}{'words':>9}{'slangc':>9}"
        )
        for family in names or list(FAMILIES):
            measure(family, folder, start)
    return 0


def measure(family: str, folder: Path, start: float) -> None:
    """The rows of one family."""
    make, sizes = FAMILIES[family]
    taken: list[list[float]] = []
    for size in sizes:
        text = make(size)
        path = folder / f"{family}{size}.slang"
        path.write_text(text)
        row, words = steps(text)
        row = [min(one) for one in zip(row, steps(text)[0], strict=True)]
        told = f"{'':8}{words:>9,}"
        command = slangc(path)
        if command is not None:
            row.append(min(process(command)[0], process(command)[0]) - start)
            product = path.with_suffix(".spv")
            size_there = product.stat().st_size // 4 if product.exists() else 0
            told = f"{row[3] / row[2]:>8.1f}{words:>9,}{size_there:>9,}"
        taken.append(row)
        print(f"{family:7}{size:>6}" + "".join([f"{one:>9.3f} s" for one in row]) + told, flush=True)
    slopes = [exponent(sizes, [row[place] for row in taken]) for place in range(len(taken[0]))]
    print("exponent     " + "".join([f"{'':>11}" if one is None else f"{one:>11.2f}" for one in slopes]))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
