"""The ways in which a program may take its derivatives, each as a program that leaves no choice.

    DPdx, DPdy, Fwidth     ─▶  DPdxFine, DPdyFine, FwidthFine            all of them
                           ─▶  DPdxCoarse, DPdyCoarse, FwidthCoarse      all of them
    DPdxCoarse, ...        ─▶  DPdxFine, ...                             with the first

What such a program does, the one it is made of may do: after refines that one where it refines the other. Sources:
SPIR-V 1.6, OpDPdx: "Same result as either OpDPdxFine or OpDPdxCoarse on P. Selection of which one is based on external
factors." Vulkan, "Derivative Operations": "Implementations must: choose coarse or fine consistently between the two";
coarse ones "may: only calculate two values instead of four".
"""

from collections.abc import Iterator
from typing import Final

from reknit.ir import op, traits
from reknit.ir.copy import copy_module
from reknit.ir.function import Function
from reknit.ir.module import Module
from reknit.ir.walk import instructions
from reknit.sim.entry import find_entry, function_of_entry, reached_functions

_EITHER: Final = (op.DPdx, op.DPdy, op.Fwidth)
_FINE: Final = dict(zip(_EITHER, (op.DPdxFine, op.DPdyFine, op.FwidthFine), strict=True))
_COARSE: Final = dict(zip(_EITHER, (op.DPdxCoarse, op.DPdyCoarse, op.FwidthCoarse), strict=True))
_COARSE_IS_FINE: Final = {_COARSE[plain]: fine for plain, fine in _FINE.items()}


def choices_of_derivatives(before: Module, after: Module, entry: str) -> Iterator[Module]:
    """Copies of `before` with its derivatives taken in one way, of those ways that `after` may have chosen."""
    mine = kinds_in(before, entry)
    others = kinds_in(after, entry)
    if mine == others or any(traits.DERIVATIVE[code] == "either" for code in others):
        return
    for ways in (_FINE, _COARSE, _FINE | _COARSE_IS_FINE):
        if {ways.get(code, code) for code in mine} == set(others):
            yield with_kinds(before, entry, ways)


def kinds_in(module: Module, entry: str) -> dict[int, None]:
    """The opcodes of derivatives that an entry point reaches."""
    kinds: dict[int, None] = {}
    for function in functions_of(module, entry):
        for instr in instructions(function):
            if instr.op in traits.DERIVATIVE:
                kinds[instr.op] = None
    return kinds


def functions_of(module: Module, entry: str) -> list[Function]:
    return reached_functions(module, function_of_entry(find_entry(module, entry), True))


def with_kinds(module: Module, entry: str, ways: dict[int, int]) -> Module:
    copy = copy_module(module)
    for function in functions_of(copy, entry):
        for instr in instructions(function):
            instr.op = ways.get(instr.op, instr.op)
    return copy
