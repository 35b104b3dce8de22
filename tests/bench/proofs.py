"""python tests/bench/proofs.py [SHAPE ...] [SIZE ...]          python tests/bench/proofs.py shaders

    programs of growing size ──▶ reconverge ──▶ before and after compared by normal form ──▶ seconds of both,
                                                                                             ratio, growth exponent
    the shaders of the repository ──▶ compile ──▶ the same of each, and their sum

Seconds are of processor time in this process, the best of three runs; reading is not in them, nor, of shapes, writing.

    ifs            if c { x += 1 } if c { x += 1 } ...            if_nest, loop_nest      a ballot at each depth
    stores         out[1] = x; out[2] = x + 1; ...                cases, fallthrough      one switch, a ballot a case
    calls          functions with ifs, called in a row            doubling                each calls the next one twice
"""

import gc
import sys
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))
if not any(Path(place, "reknit").is_dir() for place in sys.path if place):
    sys.path.insert(0, str(ROOT / "src"))

from bench.codec import exponent, timed  # noqa: E402
from kit.pipelines import REWRITING  # noqa: E402
from kit.text.preludes import compute  # noqa: E402

import reknit  # noqa: E402
from reknit.analysis.tangles.rules import MAXIMAL  # noqa: E402
from reknit.ir.module import Module  # noqa: E402
from reknit.ir.text.parser import parse  # noqa: E402
from reknit.ir.text.printer import print_module  # noqa: E402
from reknit.passes.manager import run_passes  # noqa: E402
from reknit.proof.by_terms import by_terms  # noqa: E402
from reknit.proof.normal_form import table  # noqa: E402
from reknit.proof.normal_form.judge import Finding  # noqa: E402
from reknit.source.diagnostic import InputError  # noqa: E402

LONG = 1.0  # seconds: what takes so long is run once
HEAD = compute(32, ["out", "given"], maximal=True)
WORD = "ptr<StorageBuffer, u32>"
BEGIN = """
  %x = Variable Function : ptr<Function, u32>
  Store %x, 0u
  %lane = Load %lane_id : u32
"""
ENDING = f"""
  %result = Load %x : u32
  %slot = AccessChain %out, 0u, %lane : {WORD}
  Store %slot, %result
  return
}}
"""


def main_of(inside: str) -> str:
    return f"func @main() -> void {{ {BEGIN} {inside} {ENDING}"


def function(name: str, inside: str) -> str:
    """A function that takes x and returns it."""
    variable = "%x = Variable Function : ptr<Function, u32>\n Store %x, %a\n"
    return f"func @{name}(%a: u32) -> u32 {{\n {variable} {inside}\n %r = Load %x : u32\n return %r\n}}\n"


def condition(number: int) -> str:
    """`%c` of a number: whether a word of the input is 0."""
    return f"""
  %p{number} = AccessChain %given, 0u, {number}u : {WORD}
  %w{number} = Load %p{number} : u32
  %c{number} = IEqual %w{number}, 0u : bool
"""


def step(number: int, by: str = "1u") -> str:
    """x += by"""
    return f"""
  %l{number} = Load %x : u32
  %s{number} = IAdd %l{number}, {by} : u32
  Store %x, %s{number}
"""


def ballot(number: int) -> str:
    """x += low word of a ballot"""
    return f"""
  %b{number} = GroupNonUniformBallot Subgroup true : vec4<u32>
  %y{number} = CompositeExtract %b{number} 0 : u32
  {step(number, f"%y{number}")}"""


def call(number: int, name: str) -> str:
    """x = name(x)"""
    return f"""
  %v{number} = Load %x : u32
  %r{number} = FunctionCall @{name} %v{number} : u32
  Store %x, %r{number}
"""


def ifs(size: int) -> str:
    return main_of("".join([f"{condition(n)} if %c{n} {{ {step(n)} }}\n" for n in range(size)]))


def if_nest(size: int) -> str:
    opening = "".join([f"{condition(n)} if %c{n} {{ {ballot(n)}" for n in range(size)])
    return main_of(opening + "}\n" * size)


def loop_nest(size: int) -> str:
    opening = "".join([f"loop @a{n} {{ {condition(n)} if %c{n} {{ break @a{n} }}\n{ballot(n)}" for n in range(size)])
    return main_of(opening + "}\n" * size)


def stores(size: int) -> str:
    return main_of("".join([f"{step(n)} %q{n} = AccessChain %out, 0u, {n + 32}u : {WORD}\n Store %q{n}, %s{n}\n"
                            for n in range(size)]))  # fmt: skip


def switch(size: int, ending: str) -> str:
    inside = "".join([f"case {n}: {{ {ballot(n)} {ending} }}\n" for n in range(size)])
    return main_of(f"{condition(size)} switch %w{size} as @s {{ {inside} default: {{ }}\n }}\n")


def cases(size: int) -> str:
    return switch(size, "")


def fallthrough(size: int) -> str:
    return switch(size, "fallthrough")


def calls(size: int) -> str:
    inside = "".join([f"{condition(k)} if %c{k} {{ {ballot(k)} }}\n" for k in range(8)])
    functions = "".join([function(f"f{n}", inside) for n in range(size)])
    return functions + main_of("".join([call(n, f"f{n}") for n in range(size)]))


def doubling(size: int) -> str:
    functions = [function("f0", ballot(0))]
    functions += [function(f"f{n}", call(1, f"f{n - 1}") + call(2, f"f{n - 1}")) for n in range(1, size)]
    return "".join(functions) + main_of(call(0, f"f{size - 1}"))


SHAPES: dict[str, tuple[Callable[[int], str], list[int]]] = {
    "ifs": (ifs, [100, 400, 1600]),
    "if_nest": (if_nest, [50, 200, 800]),
    "loop_nest": (loop_nest, [16, 64, 256]),
    "stores": (stores, [100, 400, 1600]),
    "cases": (cases, [100, 400, 1600]),
    "fallthrough": (fallthrough, [10, 40, 160]),
    "calls": (calls, [10, 40, 160]),
    "doubling": (doubling, [8, 16, 32]),
}


def least(work: Callable[[], object]) -> float:
    seconds = timed(work)
    for _ in range(2):
        if seconds < LONG:
            seconds = min(seconds, timed(work))
    return seconds


def compared(before: Module, after: Module) -> tuple[float, Finding]:
    """Seconds, and what was found."""
    entry = before.entry_points[0].text(2)
    findings: list[Finding] = []
    seconds = least(lambda: findings.append(by_terms(before, after, entry, MAXIMAL)))
    return seconds, findings[-1]


def measure(shape: str, sizes: list[int]) -> None:
    make, usual = SHAPES[shape]
    taken: list[float] = []
    for size in sizes or usual:
        text = HEAD + make(size)
        modules = iter([parse(text) for _ in range(4)])
        after = next(modules)
        run_passes(after, REWRITING)
        compiled = least(lambda modules=modules: run_passes(next(modules), REWRITING))  # type: ignore[misc]
        seconds, finding = compared(parse(text), after)
        taken.append(seconds)
        slope = exponent((sizes or usual)[: len(taken)], taken)
        growth = "" if slope is None or len(taken) < len(sizes or usual) else f"{slope:.2f}"
        word = "proved" if finding.proved else finding.reason
        print(f"| {shape} | {size:,} | {compiled:.4f} | {seconds:.4f} | {seconds / compiled:.1f} | {growth} | {word} |",
              flush=True)  # fmt: skip


def shaders() -> None:
    """Each shader as it is read, against what `compile` makes of it."""
    paths = [path for folder in ("examples", "tests/slang") for path in sorted((ROOT / folder).glob("*"))]
    total = [0.0, 0.0]
    ratios: list[float] = []
    proved = 0
    for path in paths:
        if path.suffix not in (".slang", ".spvasm", ".rk"):
            continue
        try:
            text = print_module(reknit.load(path))
            modules = iter([parse(text) for _ in range(4)])
            after = next(modules)
            reknit.compile(after)
            if not after.entry_points:
                continue
            compiled = least(lambda modules=modules: reknit.compile(next(modules)))  # type: ignore[misc]
            seconds, finding = compared(parse(text), after)
        except InputError:
            continue
        proved += finding.proved
        total = [total[0] + compiled, total[1] + seconds]
        ratios.append(seconds / compiled)
    ratios.sort()
    print(f"{len(ratios)} shaders, {proved} proved: compile {total[0]:.3f} s, proof {total[1]:.3f} s, "
          f"{total[1] / total[0]:.1f} times; each by itself {ratios[len(ratios) // 2]:.1f} times in the middle, "
          f"{ratios[len(ratios) * 9 // 10]:.1f} for nine in ten, at most {ratios[-1]:.1f}")  # fmt: skip


def main(words: list[str]) -> int:
    gc.set_threshold(200_000, 30, 30)  # as the command line does
    build = "plain Python" if str(table.__file__).endswith(".py") else "the compiled core"
    print(f"reknit: {build}, Python {sys.version.split()[0]}\n")
    if "shaders" in words:
        shaders()
        return 0
    print("| shape | size | reconverge, s | proof, s | times | exponent | |\n|---|---|---|---|---|---|---|")
    for shape in [word for word in words if word in SHAPES] or SHAPES:
        measure(shape, [int(word) for word in words if word.isdigit()])
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
