"""Operands that keep a signature, chosen one place after the other."""

import functools
from typing import TYPE_CHECKING

from reknit.ir import op
from reknit.ir.extended import Given, fault
from reknit.spirv.form.extended_sets import Signatures, surroundings
from reknit.spirv.form.types import Types
from reknit.spirv.words import parse

if TYPE_CHECKING:
    from kit.callees.spirv import Bed

LITERALS = (0, 2, 3, 4, 8, 16)


def choose(bed: "Bed", set_name: str, number: int, result: int, literal: list[bool]) -> list[int] | None:
    """None where no values of the bed do. A value is kept where no fault names its place or one before it."""
    known = _signatures(bed)
    around = surroundings(known.types.columns)
    chosen: list[int] = []
    for place in range(len(literal)):
        for value in LITERALS if literal[place] else bed.values:
            tried = [*chosen, value]
            filled = tried + [0 if each else bed.values[0] for each in literal[len(tried) :]]
            given: list[Given] = [
                each if literal[at] else known.shape(bed.type_of.get(each, 0)) for at, each in enumerate(filled)
            ]
            why = fault(set_name, number, known.shape(result), given, around)
            named = why.partition(": operand ")[2].partition(" ")[0]
            if why and not named:
                return None  # the result, or no such instruction
            if not named or int(named) > len(tried):
                chosen = tried
                break
        else:
            return None
    if not literal and fault(set_name, number, known.shape(result), [], around):
        return None
    return chosen


@functools.cache
def _signatures(bed: "Bed") -> Signatures:
    columns = parse(bed.data, "<bed>")
    first = next(row for row, code in enumerate(columns.op) if code == op.Function)
    types = Types(columns, first)
    for row in range(first):
        if op.TypeVoid <= columns.op[row] <= op.TypeForwardPointer:
            types.declare(row, int(columns.op[row]))
    return Signatures(types)
