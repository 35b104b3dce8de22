"""A shorter way to the same value: an operation takes the operands of what it takes apart, or goes on from.

    CompositeExtract (CopyLogical %v), 1 0                   =>  CompositeExtract %v, 1 0      where it has that type
    CompositeExtract (CompositeConstruct %a, %w), 2          =>  CompositeExtract %w, 1
    CompositeExtract (VectorShuffle %v, %w of 0 5), 1        =>  CompositeExtract %w, 1
    VectorShuffle (VectorShuffle %v, %v of 2 1), _ of 0 0    =>  VectorShuffle %v, %v of 2 2
    CompositeInsert %b into (%a into %v at 0) at 1           =>  CompositeConstruct %a, %b     where these are all parts
    Bitcast (Bitcast %x)                                     =>  Bitcast %x
    ISub (IAdd %x, 7), 3                                     =>  IAdd %x, 4

What stood between may then be dead. The operation stays where it is, and what it takes was there for what it took.
Integers wrap, so that their sums can be regrouped; where the operation says NoSignedWrap or NoUnsignedWrap it stays.
Source: SPIR-V 1.6, 3.52.12 "Composite Instructions", OpBitcast, OpIAdd; SPIRV-Tools' folding rules.
"""

from collections.abc import Callable
from typing import Final

from reknit.ir import op
from reknit.ir.constant_bits import bits_of, constant, count_of, scalar_of
from reknit.ir.instr import Instr, Operand
from reknit.ir.module import Module
from reknit.ir.types import width_of
from reknit.ir.value import Value
from reknit.passes.values.composites import STEPS, UNDEFINED, reach

_PARTS: Final = (op.TypeVector, op.TypeMatrix, op.TypeStruct)


def shorten(instr: Instr, now: Callable[[Value], Value], module: Module) -> bool:
    """Whether `instr` was given other operands; `now` says what is known to stand for a value. Costs a few steps."""
    code = instr.op
    if code == op.CompositeExtract:
        return _extract(instr, now, module)
    if code == op.CompositeInsert:
        return _insert(instr, now)
    if code == op.VectorShuffle:
        return _shuffle(instr, now)
    if code == op.Bitcast:
        return _bitcast(instr, now)
    if code == op.IAdd or code == op.ISub:
        return _sum(instr, now, module)
    return False


def _extract(instr: Instr, now: Callable[[Value], Value], module: Module) -> bool:
    path = [instr.word(index) for index in range(1, len(instr.operands))]
    whole, rest = reach(now(instr.value(0)), path, module)
    if whole is instr.operands[0] or not rest:
        return False
    operands: list[Operand] = [whole, *rest]
    instr.set_operands(operands)
    return True


def _insert(instr: Instr, now: Callable[[Value], Value]) -> bool:
    """All parts of a vector, matrix or struct that are put in one by one: it is made of them."""
    type = instr.type
    assert type is not None
    if type.op not in _PARTS:
        return False
    count = len(type.operands) if type.op == op.TypeStruct else type.word(1)
    parts: dict[int, Value] = {}
    whole: Value = instr
    for _ in range(STEPS):
        if not isinstance(whole, Instr) or whole.op != op.CompositeInsert or len(whole.operands) != 3:
            break
        parts.setdefault(whole.word(2), now(whole.value(0)))
        whole = now(whole.value(1))
    if len(parts) < count and isinstance(whole, Instr) and whole.op == op.CompositeConstruct:
        if len(whole.operands) != count:
            return False  # a part of it is a vector
        for index in range(count):
            parts.setdefault(index, now(whole.value(index)))
    if len(parts) < count:
        return False
    instr.op = op.CompositeConstruct
    instr.set_operands([parts[index] for index in range(count)])
    return True


def _shuffle(instr: Instr, now: Callable[[Value], Value]) -> bool:
    """Each component from where the operands have it from, if that are two vectors or one."""
    sources: dict[Value, None] = {}
    picked: list[tuple[Value, int]] = []
    sizes = [_size(instr.value(0)), _size(instr.value(1))]
    for place in range(2, len(instr.operands)):
        pick = instr.word(place)
        if pick == UNDEFINED:
            picked.append((instr, pick))
            continue
        vector, index = now(instr.value(0)), pick
        if pick >= sizes[0]:
            vector, index = now(instr.value(1)), pick - sizes[0]
        vector, index = _component(vector, index, now)
        sources[vector] = None
        picked.append((vector, index))
    if len(sources) > 2 or all(source is instr.operands[0] or source is instr.operands[1] for source in sources):
        return False
    vectors = list(sources)
    first = vectors[0]
    operands: list[Operand] = [first, vectors[-1]]
    for vector, index in picked:
        operands.append(index if vector is first or vector is instr else index + _size(first))
    instr.set_operands(operands)
    return True


def _component(vector: Value, index: int, now: Callable[[Value], Value]) -> tuple[Value, int]:
    """The vector that component `index` of `vector` comes from, and its place there."""
    for _ in range(STEPS):
        if not isinstance(vector, Instr):
            break
        if vector.op == op.VectorShuffle:
            pick = vector.word(index + 2)
            if pick == UNDEFINED:
                break
            left = _size(vector.value(0))
            index = pick if pick < left else pick - left
            vector = now(vector.value(0 if pick < left else 1))
        elif vector.op == op.CompositeInsert and vector.word(2) != index:
            vector = now(vector.value(1))
        else:
            break
    return vector, index


def _bitcast(instr: Instr, now: Callable[[Value], Value]) -> bool:
    inner = now(instr.value(0))
    if not isinstance(inner, Instr) or inner.op != op.Bitcast:
        return False
    for each in (instr, inner, inner.value(0)):
        if not isinstance(each, Instr) or each.type is None or scalar_of(each.type) is None:
            return False  # a pointer
    instr.set_operands([now(inner.value(0))])
    return True


def _sum(instr: Instr, now: Callable[[Value], Value], module: Module) -> bool:
    """A value and two constants."""
    type = instr.type
    assert type is not None
    scalar = scalar_of(type)
    value, added = _with_constant(instr, now)
    if value is None or added is None or scalar is None or not isinstance(value, Instr):
        return False
    if value.op != op.IAdd and value.op != op.ISub:
        return False
    inner, more = _with_constant(value, now)
    if inner is None or more is None:
        return False
    mask = (1 << width_of(scalar)) - 1
    total = [(left + right) & mask for left, right in zip(added, more, strict=True)]
    instr.op = op.IAdd
    instr.set_operands([inner, constant(module, type, total)])
    return True


def _with_constant(instr: Instr, now: Callable[[Value], Value]) -> tuple[Value | None, list[int] | None]:
    """What a sum adds to what: `%x - 3` adds -3 to `%x`."""
    left, right = now(instr.value(0)), now(instr.value(1))
    added = bits_of(right)
    if added is not None:
        return left, [-each for each in added] if instr.op == op.ISub else added
    return (right, bits_of(left)) if instr.op == op.IAdd else (None, None)


def _size(vector: Value) -> int:
    assert isinstance(vector, Instr) and vector.type is not None
    return count_of(vector.type)
