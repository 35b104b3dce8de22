"""How the time of dispatch grows: python tests/bench/dispatch.py [FAMILY ...]

    family    size    analyze    specialize    lower    exponent
    phi        800     0.02 s        0.1 s    0.1 s       1.02

    phi        so many types into one phi, then one call        chain      so many helpers in each other, over 64 types
    variable   so many types stored to one variable             contexts   so many helpers, each called for two sets
    array      so many types in an array, one is called         sites      so many calls of one method over 8 types

Seconds are of processor time, the best of five runs. "exponent" is that of the growth of all three together, of the
line through the logarithms.
"""

import gc
import math
import sys
from collections.abc import Callable
from pathlib import Path
from time import process_time

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "tests"))

from bench.codec import exponent  # noqa: E402
from kit.programs.dispatch import END, HEAD, MAIN, call, main_with  # noqa: E402

from reknit.analysis.typeflow.solve import type_flow  # noqa: E402
from reknit.ir.module import Module  # noqa: E402
from reknit.ir.text.parser import parse  # noqa: E402
from reknit.passes.dispatch.inlining import AUTO  # noqa: E402
from reknit.passes.dispatch.lower import lower  # noqa: E402
from reknit.passes.dispatch.specialize import specialize  # noqa: E402


def types_text(count: int) -> str:
    tables = "".join(
        [f"%T{n} = TypeStruct u32\n%W{n} = WitnessTable %T{n} {n} %foo, @T{n}_foo : %WT\n" for n in range(count)]
    )
    methods = "".join([f"func @T{n}_foo(%this: %T{n}, %v: u32) -> u32 {{\n  return %v\n}}\n" for n in range(count)])
    return HEAD + tables + methods


def choose(count: int) -> str:
    """%e is one of `count` types."""
    text = "  switch %lane {\n"
    for n in range(count):
        text += f"    {'default' if n == count - 1 else f'case {n}'}: {{\n    %l{n}:\n"
        text += f"      %x{n} = CompositeConstruct %lane : %T{n}\n"
        text += f"      %e{n} = MakeExistential %x{n}, %W{n} : %IFoo\n    }}\n"
    return text + f"  }}\n  %e = Phi {', '.join([f'%e{n} %l{n}' for n in range(count)])} : %IFoo\n"


def phi(size: int) -> str:
    return types_text(size) + MAIN + choose(size) + call("%e", "0u", "r") + END


def variable(size: int) -> str:
    cases = ""
    for n in range(size):
        cases += f"    {'default' if n == size - 1 else f'case {n}'}: {{\n"
        cases += f"      %x{n} = CompositeConstruct %lane : %T{n}\n      %e{n} = MakeExistential %x{n}, %W{n} : %IFoo\n"
        cases += f"      Store %one, %e{n}\n    }}\n"
    place = "  %one = Variable Function : ptr<Function, %IFoo>\n"
    body = f"  switch %lane {{\n{cases}  }}\n  %e = Load %one : %IFoo\n"
    return types_text(size) + main_with(place) + body + call("%e", "0u", "r") + END


def array(size: int) -> str:
    stores = ""
    for n in range(size):
        stores += f"  %x{n} = CompositeConstruct %lane : %T{n}\n  %e{n} = MakeExistential %x{n}, %W{n} : %IFoo\n"
        stores += f"  %p{n} = AccessChain %all, {n}u : ptr<Function, %IFoo>\n  Store %p{n}, %e{n}\n"
    place = "  %all = Variable Function : ptr<Function, %array>\n"
    read = "  %p = AccessChain %all, %lane : ptr<Function, %IFoo>\n  %e = Load %p : %IFoo\n"
    types = types_text(size) + f"%array = TypeArray %IFoo, {size}u\n"
    return types + main_with(place) + stores + read + call("%e", "0u", "r") + END


def sites(size: int) -> str:
    body = ""
    value = "0u"
    for n in range(size):
        body += call("%e", value, f"r{n}")
        value = f"%r{n}"
    return types_text(8) + MAIN + choose(8) + body + END.replace("%r\n", f"{value}\n")


def chain(size: int) -> str:
    helpers = ""
    for n in range(size):
        inner = f"  %r = FunctionCall @h{n + 1} %e, %v : u32\n" if n + 1 < size else call("%e", "%v", "r")
        helpers += f"func @h{n}(%e: %IFoo, %v: u32) -> u32 {{\n{inner}  return %r\n}}\n"
    return types_text(64) + helpers + MAIN + choose(64) + "  %r = FunctionCall @h0 %e, 1u : u32\n" + END


def contexts(size: int) -> str:
    helpers = "".join(
        [f"func @h{n}(%e: %IFoo, %v: u32) -> u32 {{\n{call('%e', '%v', 'r')}  return %r\n}}\n" for n in range(size)]
    )
    body = ""
    for n in range(size):
        body += f"  %a{n} = FunctionCall @h{n} %e, 1u : u32\n  %b{n} = FunctionCall @h{n} %e0, %a{n} : u32\n"
    chosen = FIRST + choose(8).replace("%e0 =", "%e00 =").replace("%x0", "%x00").replace("%e0 %l0", "%e00 %l0")
    return types_text(8) + helpers + MAIN + chosen + body + END.replace(
        "%r\n", f"%b{size - 1}\n"
    )  # fmt: skip


FIRST = "  %x0 = CompositeConstruct %lane : %T0\n  %e0 = MakeExistential %x0, %W0 : %IFoo\n"

FAMILIES: dict[str, tuple[Callable[[int], str], list[int]]] = {
    "phi": (phi, [25, 50, 100, 200, 400, 800]),
    "variable": (variable, [25, 50, 100, 200, 400, 800]),
    "array": (array, [25, 50, 100, 200, 400, 800]),
    "sites": (sites, [1, 16, 32, 64, 128]),
    "chain": (chain, [1, 4, 16, 64]),
    "contexts": (contexts, [16, 64, 256]),
}


def lower_inlining(module: Module) -> None:
    lower(module, inline=AUTO)


def seconds(text: str) -> list[float]:
    """Of each step, the best of RUNS."""
    best = [math.inf] * len(STEPS)
    for _ in range(RUNS):
        module = parse(text, "bench.rk")
        for place, work in enumerate(STEPS):
            gc.collect()
            started = process_time()
            work(module)
            best[place] = min(best[place], process_time() - started)
    return best


RUNS = 5
STEPS: tuple[Callable[[Module], object], ...] = (type_flow, specialize, lower_inlining)


def main(names: list[str]) -> None:
    gc.set_threshold(200_000, 30, 30)  # as `reknit.cli.main` does
    print(f"{'family':10} {'size':>5} {'analyze':>11} {'specialize':>12} {'lower':>11} {'exponent':>9}")
    for name in names or list(FAMILIES):
        make, sizes = FAMILIES[name]
        taken = [seconds(make(size)) for size in sizes]
        slope = exponent(sizes, [sum(row) for row in taken])
        for size, row in zip(sizes, taken, strict=True):
            told = f"{slope:9.2f}" if slope is not None and size == sizes[-1] else ""
            print(f"{name:10} {size:5} {row[0]:9.4f} s {row[1]:10.4f} s {row[2]:9.4f} s {told}")


if __name__ == "__main__":
    main(sys.argv[1:])
