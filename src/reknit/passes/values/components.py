"""An operation on constants, component by component.

    IAdd (1, 2) (10, 20)            (11, 22)
    Select (true, false) a b        (a.0, b.1)
    UDiv (4, 4) (2, 0)              None: one component is undefined

Of numbers `ir.folding` knows the operations; here are those of whole vectors.
"""

from reknit.ir import op
from reknit.ir.constant_bits import count_of, scalar_of
from reknit.ir.folding import folded
from reknit.ir.instr import Instr
from reknit.ir.types import is_bool, width_of


def fold_components(code: int, type: Instr, types: list[Instr], columns: list[list[int]]) -> list[int] | None:
    """The components of the result, of type `type`; `columns` are those of the operands, of `types`."""
    if code == op.Bitcast:
        return _bitcast(type, types[0], columns[0])
    if code == op.Any or code == op.All:
        return [max(columns[0]) if code == op.Any else min(columns[0])]
    target = scalar_of(type)
    widths: list[int] = []
    for each in types:
        source = scalar_of(each)
        if source is None:
            return None
        widths.append(width_of(source))
    if target is None or not widths:
        return None
    count = count_of(type)
    result: list[int] = []
    for index in range(count):
        parts = [column[index] if len(column) == count else column[0] for column in columns]
        pattern = folded(code, width_of(target), widths, parts)
        if pattern is None:
            return None
        result.append(pattern)
    return result


def _bitcast(type: Instr, source: Instr, column: list[int]) -> list[int] | None:
    """Components laid end to end, the first one lowest, and cut again (SPIR-V 1.6, OpBitcast)."""
    target = scalar_of(type)
    element = scalar_of(source)
    if target is None or element is None or is_bool(target) or is_bool(element):
        return None
    from_width = width_of(element)
    to_width = width_of(target)
    if from_width * len(column) != to_width * count_of(type):
        return None
    bits = 0
    for index, part in enumerate(column):
        bits |= part << (index * from_width)
    mask = (1 << to_width) - 1
    return [(bits >> (index * to_width)) & mask for index in range(count_of(type))]
