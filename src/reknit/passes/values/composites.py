"""Taking apart what was put together.

    CompositeExtract (CompositeConstruct %a, %b), 1         =>  %b
    CompositeExtract (CompositeInsert %x into %v at 2), 2   =>  %x       at 0: of %v
    CompositeExtract (ConstantComposite 1u 2u), 0           =>  1u
    CompositeInsert (CompositeExtract %v, 1) into %v at 1   =>  %v
    CompositeInsert 7u into (ConstantComposite 1u 2u) at 0  =>  ConstantComposite 7u 2u, of what is no array
    VectorShuffle %v, %w of 0 1                             =>  %v         of two components
    CompositeConstruct of all the parts of %v, in order     =>  %v
    CompositeConstruct 1u, 2u                               =>  ConstantComposite 1u 2u
    VectorShuffle of constants, VectorExtractDynamic        =>  a constant

Nothing new is made in the function: the result is a value that there is, or a constant.
"""

from typing import Final

from reknit.ir import op, traits
from reknit.ir.constant_bits import bits_of, constant, count_of, scalar_of
from reknit.ir.constants import as_int
from reknit.ir.instr import Instr, Operand
from reknit.ir.module import Module
from reknit.ir.value import Value

_CONSTANTS: Final = traits.LITERAL_CONSTANT | {op.ConstantComposite}
STEPS: Final = 64  # how far to look back through a chain of insertions
UNDEFINED: Final = 0xFFFFFFFF  # a component of a shuffle


def extract(whole: Value, path: list[int], module: Module) -> Value | None:
    """The part of `whole` at `path`, if it is known."""
    part, rest = reach(whole, path, module)
    return None if rest else part


def reach(whole: Value, path: list[int], module: Module) -> tuple[Value, list[int]]:
    """Where the part of `whole` at `path` comes from, as far back as is seen: a value, and the path in that."""
    rest = list(path)
    for _ in range(STEPS):
        if not rest or not isinstance(whole, Instr) or whole.type is None:
            break
        if whole.op == op.CompositeInsert:
            inserted = [whole.word(index) for index in range(2, len(whole.operands))]
            shared = min(len(inserted), len(rest))
            if inserted[:shared] != rest[:shared]:
                whole = whole.value(1)
            elif shared == len(inserted):
                whole = whole.value(0)
                rest = rest[shared:]
            else:
                break  # a part of what is asked for
        elif whole.op == op.CopyLogical:
            copied = whole.instr(0)
            assert whole.type is not None
            here = type_at(whole.type, rest)
            if copied.type is None or here is None or type_at(copied.type, rest) is not here:
                break
            whole = copied
        elif whole.op == op.VectorShuffle:
            pick = whole.word(rest[0] + 2) if rest[0] + 2 < len(whole.operands) else UNDEFINED
            first = whole.instr(0).type
            if pick == UNDEFINED or first is None:
                break
            left = count_of(first)
            whole = whole.value(0 if pick < left else 1)
            rest = [pick if pick < left else pick - left]
        else:
            part, inside = _member(whole, rest[0], module)
            if part is None:
                break
            whole = part
            rest = [*inside, *rest[1:]]
    return whole, rest


def type_at(type: Instr, path: list[Operand] | list[int]) -> Instr | None:
    """The type of the part of `type` that indices lead to; None where they lead to none."""
    for step in path:
        index = as_int(step) if isinstance(step, Value) else step
        if type.op == op.TypeStruct:
            if not isinstance(index, int) or not 0 <= index < len(type.operands):
                return None
            type = type.instr(index)
        elif type.op in traits.OF_ELEMENTS:
            type = type.instr(0)
        else:
            return None
    return type


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


def insert(part: Value, whole: Value, path: list[int], module: Module) -> Value | None:
    """`whole` itself, where what is put into it was there, or a constant with another part. As deep as the path."""
    if not isinstance(part, Instr) or not isinstance(whole, Instr) or whole.type is None or not path:
        return None
    if part.op == op.CompositeExtract and part.operands[0] is whole and part.operands[1:] == path:
        return whole
    count = _count(whole.type)
    if part.op not in _CONSTANTS or whole.op not in _CONSTANTS or path[0] >= count:
        return None
    parts: list[Value] = []
    for index in range(count):
        have = extract(whole, [index], module)
        if index == path[0]:
            have = part if len(path) == 1 else None if have is None else insert(part, have, path[1:], module)
        if have is None:
            return None
        parts.append(have)
    return construct(whole.type, parts, module)


def _count(type: Instr) -> int:
    """How many parts there are; 0 of what is no vector, matrix or struct."""
    if type.op == op.TypeStruct:
        return len(type.operands)
    return type.word(1) if type.op == op.TypeVector or type.op == op.TypeMatrix else 0


def shuffle(type: Instr, left: Value, right: Value, picks: list[int], module: Module) -> Value | None:
    """One of the two, or a shuffle of constants; one with an undefined component is left alone."""
    in_order = len(picks) == count_of(type) and picks == list(range(len(picks)))
    if isinstance(left, Instr) and left.type is type and in_order:
        return left
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


def _member(whole: Instr, index: int, module: Module) -> tuple[Value | None, list[int]]:
    """What member `index` of something made of parts is, or what it is in, and where. None: it is not known."""
    type = whole.type
    assert type is not None
    if whole.op == op.ConstantComposite:
        return whole.value(index) if index < len(whole.operands) else None, []
    if whole.op == op.ConstantNull:
        return _null_member(type, index, module), []
    if whole.op != op.CompositeConstruct:
        return None, []
    if type.op in (op.TypeStruct, op.TypeArray, op.TypeMatrix):
        return whole.value(index) if index < len(whole.operands) else None, []
    if type.op != op.TypeVector:
        return None, []
    for place in range(len(whole.operands)):
        part = whole.instr(place)
        if part.type is None:
            return None, []
        count = count_of(part.type)
        if index < count:
            return part, [index] if part.type.op == op.TypeVector else []
        index -= count
    return None, []


def _null_member(type: Instr, index: int, module: Module) -> Value | None:
    if type.op == op.TypeStruct:
        return module.intern(op.ConstantNull, type.instr(index), [])
    if type.op == op.TypeVector and scalar_of(type) is not None:
        return constant(module, type.instr(0), [0])
    if type.op in (op.TypeVector, op.TypeMatrix, op.TypeArray):
        return module.intern(op.ConstantNull, type.instr(0), [])
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
