"""An operation on constants, component by component.

    IAdd (1, 2) (10, 20)            (11, 22)
    Select (true, false) a b        (a.0, b.1)
    UDiv (4, 4) (2, 0)              None: one component is undefined

`ir.integers` and `ir.floats` know the operations; here is which of them a pair of types asks for.
"""

from reknit.ir import floats, integers, op
from reknit.ir.constant_bits import count_of, scalar_of
from reknit.ir.instr import Instr
from reknit.ir.types import is_bool, is_float, is_int, width_of


def fold_components(code: int, type: Instr, types: list[Instr], columns: list[list[int]]) -> list[int] | None:
    """The components of the result, of type `type`; `columns` are those of the operands, of `types`."""
    if code == op.Bitcast:
        return _bitcast(type, types[0], columns[0])
    if code == op.Any or code == op.All:
        return [max(columns[0]) if code == op.Any else min(columns[0])]
    target = scalar_of(type)
    sources: list[Instr] = []
    for each in types:
        source = scalar_of(each)
        if source is None:
            return None
        sources.append(source)
    if target is None or not sources:
        return None
    count = count_of(type)
    result: list[int] = []
    for index in range(count):
        parts = [column[index] if len(column) == count else column[0] for column in columns]
        found = _scalar(code, target, sources, parts)
        if found is None:
            return None
        result.append(found)
    return result


def _scalar(code: int, target: Instr, sources: list[Instr], parts: list[int]) -> int | None:
    first = sources[0]
    width = width_of(first)
    if code == op.Select and len(parts) == 3:
        return parts[1] if parts[0] else parts[2]
    if is_float(first):
        if len(parts) == 2:
            return floats.compare(code, width, parts[0], parts[1])
        if len(parts) != 1:
            return None
        if is_int(target):
            return floats.to_int(code, width, width_of(target), parts[0])
        return floats.resize(code, width, width_of(target), parts[0]) if is_float(target) else None
    if len(parts) == 1:
        if is_float(target):
            return floats.from_int(code, width, width_of(target), parts[0])
        return integers.unary(code, width, width_of(target), parts[0])
    if len(parts) == 2:
        return integers.binary(code, width, parts[0], parts[1])
    if len(parts) == 3:
        return integers.field(code, width, parts[0], parts[1], parts[2])
    if len(parts) == 4 and code == op.BitFieldInsert:
        return integers.insert_field(width, parts[0], parts[1], parts[2], parts[3])
    return None


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
