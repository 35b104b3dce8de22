"""Branches on constants, swept: which way simplify-cfg takes is the way that the simulator takes.

    switch -1i8 { case -1: A  case 127: B  default: C }     =>   A
    if true { A } else { B }                                =>   A

A literal of OpSwitch is the selector's bits (SPIR-V 1.6, OpSwitch: "Each literal is interpreted with the type of
Selector"), whatever its width, its signedness and the order of the cases.
"""

import random

import pytest
from kit.oracles.folded_values import corners
from kit.text.pass_texts import body

from reknit.ir.module import Module
from reknit.ir.text.parser import parse
from reknit.ir.text.printer import print_module
from reknit.ir.tree import If, Switch
from reknit.ir.walk import constructs
from reknit.passes.manager import Hooks, run_passes
from reknit.sim.run import run


def number(bits: int, width: int, signed: bool) -> str:
    return str(bits - (1 << width) if signed and bits >> (width - 1) else bits)


def suffix(width: int, signed: bool) -> str:
    return {(32, False): "u", (32, True): ""}.get((width, signed), f"{'i' if signed else 'u'}{width}")


def switches(width: int, signed: bool) -> str:
    """One switch for each selector, the labels in an order of its own; one label in three has no case."""
    draw = random.Random(2 * width + signed)
    lines: list[str] = []
    for place, selector in enumerate(corners(width)):
        labels = draw.sample(corners(width), len(corners(width)))
        cases = [labels[at : at + 2] for at in range(0, 2 * len(labels) // 3, 2)]
        lines.append(f"switch {number(selector, width, signed)}{suffix(width, signed)} {{")
        for at, pair in enumerate(cases):
            texts = ", ".join(number(label, width, signed) for label in pair)
            fall = "fallthrough" if at % 3 == 2 and at + 1 < len(cases) else ""
            lines.append(f"case {texts}: {{\nSEE {100 * place + at}\n{fall} }}")
        lines.append(f"default: {{\nSEE {100 * place + 99}\n}}\n}}")
    return "\n".join([*lines, "return"])


def left(module: Module) -> int:
    """How many branches main has."""
    return sum(isinstance(each, (If, Switch)) for each in constructs(module.functions[0]))


def stored(module: Module) -> list[int]:
    """What each lane did; all of them do the same."""
    result = run(module, subgroup_size=32)
    assert not result.failed(), [str(fault) for fault in result.diagnostics]
    return result.buffers["out"].words


@pytest.mark.parametrize("width", [8, 16, 32, 64])
@pytest.mark.parametrize("signed", [False, True])
def test_switches_on_constants(width: int, signed: bool) -> None:
    module = body(switches(width, signed))
    before = stored(module)
    assert left(module) == len(corners(width))
    run_passes(module, "simplify-cfg", Hooks(verify_each=True))
    assert left(module) == 0
    assert stored(parse(print_module(module))) == before


@pytest.mark.parametrize("condition", ["true", "false", "null<bool>"])
def test_ifs_on_constants(condition: str) -> None:
    module = body(f"if {condition} {{\nSEE 1\n}} else {{\nSEE 2\n}}\nSEE 3\nreturn")
    before = stored(module)
    run_passes(module, "simplify-cfg", Hooks(verify_each=True))
    assert left(module) == 0
    assert stored(parse(print_module(module))) == before
