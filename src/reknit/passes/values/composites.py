"""Taking apart what was put together.

    CompositeExtract (CompositeConstruct %a, %b), 1         =>  %b
    CompositeExtract (CompositeInsert %x into %v at 2), 2   =>  %x       at 0: of %v
    CompositeExtract (ConstantComposite 1u 2u), 0           =>  1u
    CompositeConstruct of all the parts of %v, in order     =>  %v
    CompositeConstruct 1u, 2u                               =>  ConstantComposite 1u 2u
    VectorShuffle of constants, VectorExtractDynamic        =>  a constant

Nothing new is made in the function: the result is a value that there is, or a constant.
"""

from typing import Final

from reknit.ir import op, traits
from reknit.ir.constant_bits import bits_of, constant, count_of, scalar_of
from reknit.ir.instr import Instr, Operand
from reknit.ir.module import Module
from reknit.ir.value import Value

_CONSTANTS: Final = traits.LITERAL_CONSTANT | {op.ConstantComposite}
_STEPS: Final = 64  # how far to look back through a chain of insertions


def extract(whole: Value, path: list[int], module: Module) -> Value | None:
    """The part of `whole` at `path`, if it is known."""
    at = 0
    for _ in range(_STEPS):
        if at == len(path):
            return whole
        if not isinstance(whole, Instr) or whole.type is None:
            return None
        if whole.op == op.CompositeInsert:
            inserted = [whole.word(index) for index in range(2, len(whole.operands))]
            rest = path[at:]
            shared = min(len(inserted), len(rest))
            if inserted[:shared] != rest[:shared]:
                whole = whole.value(1)
            elif shared == len(inserted):
                whole = whole.value(0)
                at += shared
            else:
                return None  # a part of what is asked for
            continue
        part = _member(whole, path[at], module)
        if part is None:
            return None
        whole = part
        at += 1
    return None


def construct(type: Instr, parts: list[Value], module: Module) -> Value | None:
    """A composite that is there already, or a constant."""
    whole = _taken_apart(type, parts)
    if whole is not None:
        return whole
    if any(not isinstance(part, Instr) or part.op not in _CONSTANTS for part in parts):
        return None
    if type.op == op.TypeVector and scalar_of(type) is not None:
        components: list[int] = []
        for part in parts:
            bits = bits_of(part)
            if bits is None:
                return None
            components.extend(bits)
        return constant(module, type, components)
    if type.op not in (op.TypeMatrix, op.TypeArray, op.TypeStruct):
        return None
    if type.op == op.TypeArray and type.instr(1).op != op.Constant:
        return None  # as long as a specialization says
    operands: list[Operand] = []
    operands.extend(parts)
    return module.intern(op.ConstantComposite, type, operands)


def shuffle(type: Instr, left: Value, right: Value, picks: list[int], module: Module) -> Value | None:
    """A shuffle of constants; one with an undefined component (0xFFFFFFFF) is left alone."""
    first = bits_of(left)
    second = bits_of(right)
    if first is None or second is None:
        return None
    both = first + second
    if any(pick >= len(both) for pick in picks):
        return None
    return constant(module, type, [both[pick] for pick in picks])


def dynamic(type: Instr, vector: Value, index: Value, module: Module) -> Value | None:
    """OpVectorExtractDynamic of a constant; an index beyond the vector is undefined."""
    components = bits_of(vector)
    place = bits_of(index)
    if components is None or place is None or place[0] >= len(components):
        return None
    return constant(module, type, [components[place[0]]])


def _member(whole: Instr, index: int, module: Module) -> Value | None:
    """Member `index` of something made of parts."""
    type = whole.type
    assert type is not None
    if whole.op == op.ConstantComposite:
        return whole.value(index) if index < len(whole.operands) else None
    if whole.op == op.ConstantNull:
        if type.op == op.TypeStruct:
            return module.intern(op.ConstantNull, type.instr(index), [])
        if type.op == op.TypeVector and scalar_of(type) is not None:
            return constant(module, type.instr(0), [0])
        if type.op in (op.TypeVector, op.TypeMatrix, op.TypeArray):
            return module.intern(op.ConstantNull, type.instr(0), [])
        return None
    if whole.op != op.CompositeConstruct:
        return None
    if type.op in (op.TypeStruct, op.TypeArray, op.TypeMatrix):
        return whole.value(index) if index < len(whole.operands) else None
    if type.op != op.TypeVector:
        return None
    start = 0
    for place in range(len(whole.operands)):
        part = whole.instr(place)
        if part.type is None:
            return None
        count = count_of(part.type)
        if start == index and part.type.op != op.TypeVector:
            return part
        if index < start + count:
            return _member(part, index - start, module) if part.op in _CONSTANTS else None
        start += count
    return None


def _taken_apart(type: Instr, parts: list[Value]) -> Value | None:
    """The value of which `parts` are all the parts in order."""
    whole: Value | None = None
    for index, part in enumerate(parts):
        if not isinstance(part, Instr) or part.op != op.CompositeExtract:
            return None
        if len(part.operands) != 2 or part.word(1) != index:
            return None
        if index > 0 and part.operands[0] is not whole:
            return None
        whole = part.value(0)
    if not isinstance(whole, Instr) or whole.type is not type:
        return None
    if type.op == op.TypeVector and len(parts) != count_of(type):
        return None  # a part of it was a vector
    return whole
