"""DXIL's buffers: loads, stores, atomics and counters.

    rawBufferLoad(h, index, offset, mask)       one load a component that is used, at stride * index + offset
    cbufferLoadLegacy(h, row)                   components of a uvec4 array
    atomicBinOp(h, op, index, offset, _, x)     OpAtomicIAdd ... at device scope

A typed buffer (Buffer<T>, RWBuffer<T>) becomes an array of words as well, as many a element as it has components.
"""

from typing import Final

from reknit.front.llvm import syntax
from reknit.front.llvm.access import advanced, atomic_cell, load, store, summed, together
from reknit.front.llvm.dxil_handles import variable_of
from reknit.front.llvm.dxil_texels import STATUS, is_mapped, used_parts
from reknit.front.llvm.images import SIGNED, UNSIGNED
from reknit.front.llvm.resources import CBV, SAMPLER, STRUCTURED, TBUFFER, TYPED, Resource
from reknit.front.llvm.results import Handle, Pieces, Pointer, Result
from reknit.front.llvm.state import Lowering
from reknit.front.llvm.syntax import Operand, Statement, Type
from reknit.front.llvm.target import Target
from reknit.front.llvm.unsupported import Refusal
from reknit.ir import enums, op
from reknit.ir.constants import as_int
from reknit.ir.instr import Instr
from reknit.ir.types import pointer_type, vector_type
from reknit.ir.value import Value

BUFFERS: Final = (58, 59, 68, 69, 70, 71, 72, 78, 79, 139, 140)

ATOMICS: Final = (
    op.AtomicIAdd, op.AtomicAnd, op.AtomicOr, op.AtomicXor, op.AtomicSMin, op.AtomicSMax, op.AtomicUMin,
    op.AtomicUMax, op.AtomicExchange,
)  # fmt: skip
_IS_MAPPED: Final = 71
_WORD: Final = Type(syntax.INT, "i32", 32)
_ROW: Final = 16  # bytes of a constant buffer's row


def buffer(lowering: Lowering, statement: Statement, code: int) -> Result:
    if code == _IS_MAPPED:
        return is_mapped(lowering, statement)
    handle = lowering.handle(statement.operands[1])
    if code in (58, 59):
        return _constants(lowering, statement, handle, code)
    if code == 70:
        return _count(lowering, statement, handle)
    if code == 72:
        return _dimensions(lowering, handle)
    if code in (78, 79):
        return _atomic(lowering, statement, handle, code)
    place = _place(lowering, handle, statement.operands[2], statement.operands[3])
    step = component_width(statement, code) // 8
    if code in (69, 140):
        mask = lowering.number(statement.operands[8])
        for index, operand in enumerate(statement.operands[4:8]):
            if mask >> index & 1 and (handle.resource.shape != TYPED or index < handle.resource.components):
                at = advanced(place, None, 0, index * step)
                if operand.type.width < 8 * step:
                    wide = widened(lowering.target, lowering.value(operand), operand.type, handle.resource)
                    store(lowering.target, at, _WORD, wide)
                else:
                    store(lowering.target, at, operand.type, lowering.value(operand))
        return None
    items: list[Result] = [None] * 5
    type = statement.type.parts[0]
    for index in sorted(used_parts(lowering, statement)):
        if index == STATUS:
            raise Refusal("asks whether what it loads from a buffer is mapped", "SPIR-V tells that of images alone")
        if handle.resource.shape != TYPED or index < handle.resource.components:
            at = advanced(place, None, 0, index * step)
            if type.width < 8 * step:
                items[index] = _narrowed(lowering.target, load(lowering.target, at, _WORD), type)
            else:
                items[index] = load(lowering.target, at, type)
        else:
            items[index] = lowering.target.constant(type, 0)
    return Pieces(items)


def _narrowed(target: Target, word: Value, type: Type) -> Value:
    """A number of 16 bits of the 32 that memory has of it."""
    if type.kind == syntax.FLOAT:
        return target.emit(op.FConvert, target.type(type), [target.emit(op.Bitcast, target.float(32), [word])])
    return target.emit(op.UConvert, target.type(type), [word])


def widened(target: Target, value: Value, type: Type, resource: Resource) -> Value:
    """A number of 16 bits as the 32 that memory has of it. Raises Refusal where it is an integer and DXIL does not say
    whether it has a sign."""
    if type.kind == syntax.FLOAT:
        return target.emit(op.Bitcast, target.u32, [target.emit(op.FConvert, target.float(32), [value])])
    if resource.element not in (*SIGNED, *UNSIGNED):
        help = "declare it as a 32-bit integer, or compile with -enable-16bit-types"
        raise Refusal("stores an integer of minimum precision, of which DXIL does not say whether it has a sign", help)
    return target.emit(op.SConvert if resource.element in SIGNED else op.UConvert, target.u32, [value])


def component_width(statement: Statement, code: int) -> int:
    """Bits of a component of a load or store."""
    type = statement.operands[4].type if code in (69, 140) else statement.type.parts[0]
    return 32 if type.width < 32 and code in (68, 69) else type.width


def _place(lowering: Lowering, handle: Handle, index: Operand, offset: Operand, atomic: int = 0) -> Pointer:
    """Where an access starts; `atomic` is how wide one is."""
    resource = handle.resource
    if resource.kind == CBV or resource.kind == SAMPLER or resource.shape < TYPED:
        raise Refusal("is an access to a texture or sampler as to a buffer")
    root = resource.atomic_root(handle.register, atomic) if atomic else resource.root(handle.register)
    pointer = Pointer(root, [], 0, handle.place, handle.uneven)
    factor = {STRUCTURED: resource.stride, TYPED: 4 * resource.components, TBUFFER: _ROW}.get(resource.shape, 1)
    pointer = advanced(pointer, lowering.value(index), factor)
    if resource.shape == STRUCTURED and offset.kind != syntax.UNDEF:
        pointer = advanced(pointer, lowering.value(offset), 1)
    return pointer


# --- constant buffers -------------------------------------------------------------------------------------------------


def _constants(lowering: Lowering, statement: Statement, handle: Handle, code: int) -> Result:
    target = lowering.target
    variable = _uniform(target, handle)
    if code == 58:
        return _constant_at(lowering, statement, handle, variable)
    row = lowering.value(statement.operands[2])
    type = statement.type.parts[0]
    items: list[Result] = [None] * len(statement.type.parts)
    step = 8 * _ROW // len(items)  # bits from one part to the next: more than it has in minimum precision
    for index in sorted(used_parts(lowering, statement)):
        words: list[Value] = []
        first = index * step // 32
        for word in range(max(1, type.width // 32)):
            words.append(_row_word(target, handle, variable, row, target.word(first + word)))
        items[index] = _from_words(target, words, type, index * step % 32)
    return Pieces(items)


def _row_word(target: Target, handle: Handle, variable: Instr, row: Value, column: Value) -> Value:
    pointer = pointer_type(target.module, enums.StorageClassUniform, target.u32)
    at = target.emit(op.AccessChain, pointer, [variable, target.word(0), row, column])
    if handle.uneven:
        target.decorate(at, enums.DecorationNonUniform)
    return target.emit(op.Load, target.u32, [at])


def _constant_at(lowering: Lowering, statement: Statement, handle: Handle, variable: Instr) -> Result:
    """cbufferLoad: a number at a distance in bytes, of which it fills no two rows."""
    target = lowering.target
    type = statement.type
    distance = lowering.value(statement.operands[2])
    number = as_int(distance)
    words: list[Value] = []
    for word in range(max(1, type.width // 32)):
        if number is not None:
            row: Value = target.word(number // _ROW)
            column: Value = target.word(number % _ROW // 4 + word)
        else:
            row = target.emit(op.ShiftRightLogical, target.u32, [distance, target.word(4)])
            column = target.emit(op.ShiftRightLogical, target.u32, [distance, target.word(2)])
            column = target.emit(op.BitwiseAnd, target.u32, [column, target.word(3)])
            column = summed(target, [column], word)
        words.append(_row_word(target, handle, variable, row, column))
    if type.width == 16 and number is None:
        half = target.emit(op.BitwiseAnd, target.u32, [distance, target.word(2)])
        shift = target.emit(op.ShiftLeftLogical, target.u32, [half, target.word(3)])
        words = [target.emit(op.ShiftRightLogical, target.u32, [words[0], shift])]
    return _from_words(target, words, type, 16 if type.width == 16 and number is not None and number & 2 else 0)


def _from_words(target: Target, words: list[Value], type: Type, shift: int) -> Value:
    ir_type = target.type(type)
    if type.width == 16:
        half: Value = words[0]
        if shift:
            half = target.emit(op.ShiftRightLogical, target.u32, [half, target.word(shift)])
        bits: Value = target.emit(op.UConvert, target.uint(16), [half])
    else:
        bits = together(target, words, 32, type.width)
    return bits if ir_type is target.uint(type.width) else target.emit(op.Bitcast, ir_type, [bits])


def _uniform(target: Target, handle: Handle) -> Instr:
    """struct { uvec4 rows[] } in uniform memory."""
    resource = handle.resource
    struct = resource.struct
    if struct is None:
        module = target.module
        rows = max(1, -(-resource.size // _ROW))
        array = Instr(op.TypeArray, None, [vector_type(module, target.u32, 4), target.word(rows)])
        module.globals.append(array)
        target.decorate(array, enums.DecorationArrayStride, _ROW)
        struct = Instr(op.TypeStruct, None, [array])
        module.globals.append(struct)
        target.decorate(struct, enums.DecorationBlock)
        target.decorate_member(struct, 0, enums.DecorationOffset, 0)
        resource.struct = struct
    return variable_of(target, handle, enums.StorageClassUniform, struct)


# --- atomics and counters ---------------------------------------------------------------------------------------------


def _atomic(lowering: Lowering, statement: Statement, handle: Handle, code: int) -> Result:
    target = lowering.target
    at = 3 if code == 78 else 2
    place = _place(lowering, handle, statement.operands[at], statement.operands[at + 1], statement.type.width)
    ir_type = lowering.type(statement)
    cell = atomic_cell(target, place, statement.type.width)
    scope = target.word(enums.ScopeDevice)
    relaxed = target.word(0)
    if statement.type.width == 64:
        target.capability(enums.CapabilityInt64Atomics)
    if code == 79:
        compare, new = [lowering.value(operand) for operand in statement.operands[5:7]]
        return target.emit(op.AtomicCompareExchange, ir_type, [cell, scope, relaxed, relaxed, new, compare])
    which = lowering.number(statement.operands[2])
    if which >= len(ATOMICS):
        raise Refusal(f"is atomic operation {which}, which is not read here")
    return target.emit(ATOMICS[which], ir_type, [cell, scope, relaxed, lowering.value(statement.operands[6])])


def _count(lowering: Lowering, statement: Statement, handle: Handle) -> Result:
    """IncrementCounter gives what was there before, DecrementCounter what is there now."""
    target = lowering.target
    counter = handle.resource.counter(handle.register)
    cell = atomic_cell(target, Pointer(counter, [], 0, handle.place, handle.uneven), 32)
    scope = target.word(enums.ScopeDevice)
    up = statement.operands[2].number & 0xFF == 1
    code = op.AtomicIIncrement if up else op.AtomicIDecrement
    before = target.emit(code, target.u32, [cell, scope, target.word(0)])
    return before if up else summed(target, [before], 0xFFFFFFFF)


def _dimensions(lowering: Lowering, handle: Handle) -> Result:
    """Elements of a typed or structured buffer, bytes of a raw one."""
    target = lowering.target
    resource = handle.resource
    root = resource.root(handle.register)
    buffer_at = root.declare(target)
    if handle.place is not None:
        assert root.struct is not None
        pointer = pointer_type(target.module, root.storage, root.struct)
        buffer_at = target.emit(op.AccessChain, pointer, [buffer_at, handle.place])
        if handle.uneven:
            target.decorate(buffer_at, enums.DecorationNonUniform)
    cells: Value = target.emit(op.ArrayLength, target.u32, [buffer_at, 0])
    unit = root.unit // 8
    size = {STRUCTURED: resource.stride, TYPED: 4 * resource.components}.get(resource.shape, 1)
    if size != unit:
        cells = target.emit(op.IMul, target.u32, [cells, target.word(unit)])
        if size != 1:
            cells = target.emit(op.UDiv, target.u32, [cells, target.word(size)])
    items: list[Result] = [cells, None, None, None]
    return Pieces(items)
