"""DXIL's buffers: handles, loads, stores, atomics and counters.

    createHandle(class, range, register)        Handle of a resource's register
    rawBufferLoad(h, index, offset, mask)       one load a component that is used, at stride * index + offset
    cbufferLoadLegacy(h, row)                   components of a uvec4 array
    atomicBinOp(h, op, index, offset, _, x)     OpAtomicIAdd ... at device scope

A typed buffer (Buffer<T>, RWBuffer<T>) becomes an array of words as well, as many a element as it has components.
"""

from typing import Final

from reknit.front.llvm import syntax
from reknit.front.llvm.access import advanced, atomic_cell, load, store, summed, together
from reknit.front.llvm.resources import (
    CBV,
    RAW,
    SAMPLER,
    STRUCTURED,
    TBUFFER,
    TYPED,
    UAV,
    Resource,
    in_a_word,
)
from reknit.front.llvm.results import Handle, Pieces, Pointer, Result
from reknit.front.llvm.state import Lowering
from reknit.front.llvm.syntax import Operand, Statement, Type
from reknit.front.llvm.target import Target
from reknit.front.llvm.unsupported import Refusal
from reknit.ir import enums, op
from reknit.ir.instr import Instr
from reknit.ir.types import pointer_type, vector_type
from reknit.ir.value import Value

HANDLES: Final = (57, 216, 217, 218)
BUFFERS: Final = (58, 59, 68, 69, 70, 71, 72, 78, 79, 139, 140)
TEXTURES: Final = (*range(60, 68), 73, 74, 75, 76, 77, 81)

_ATOMICS: Final = (
    op.AtomicIAdd, op.AtomicAnd, op.AtomicOr, op.AtomicXor, op.AtomicSMin, op.AtomicSMax, op.AtomicUMin,
    op.AtomicUMax, op.AtomicExchange,
)  # fmt: skip
_WORD: Final = Type(syntax.INT, "i32", 32)
SIGNED: Final = (2, 4)  # I16, I32
UNSIGNED: Final = (3, 5)  # U16, U32
"""DXC, DxilConstants.h, ComponentType."""
_ROW: Final = 16  # bytes of a constant buffer's row


def buffer(lowering: Lowering, statement: Statement, code: int) -> Result:
    if code == 71:
        return lowering.target.constant(statement.type, 1)  # every access is of mapped memory
    handle = lowering.handle(statement.operands[1])
    if code in (58, 59):
        return _constants(lowering, statement, handle.resource, handle.register, code)
    if code in (70,):
        return _count(lowering, statement, handle.resource, handle.register)
    if code == 72:
        return _dimensions(lowering, handle.resource, handle.register)
    if code in (78, 79):
        return _atomic(lowering, statement, handle.resource, handle.register, code)
    place = _place(lowering, handle.resource, handle.register, statement.operands[2], statement.operands[3])
    step = component_width(statement, code) // 8
    if code in (69, 140):
        mask = lowering.number(statement.operands[8])
        for index, operand in enumerate(statement.operands[4:8]):
            if mask >> index & 1 and (handle.resource.shape != TYPED or index < handle.resource.components):
                at = advanced(place, None, 0, index * step)
                if operand.type.width < 8 * step:
                    wide = widened(lowering.target, lowering.value(operand), handle.resource)
                    store(lowering.target, at, _WORD, wide)
                else:
                    store(lowering.target, at, operand.type, lowering.value(operand))
        return None
    items: list[Result] = [None] * 5
    type = statement.type.parts[0]
    for index in sorted(used_parts(lowering, statement)):
        if index == 4:
            items[4] = lowering.target.word(1)  # the status: mapped
        elif handle.resource.shape != TYPED or index < handle.resource.components:
            at = advanced(place, None, 0, index * step)
            if type.width < 8 * step:
                word = load(lowering.target, at, _WORD)
                items[index] = lowering.target.emit(op.UConvert, lowering.target.type(type), [word])
            else:
                items[index] = load(lowering.target, at, type)
        else:
            items[index] = lowering.target.constant(type, 0)
    return Pieces(items)


def widened(target: Target, value: Value, resource: Resource) -> Value:
    """A 16-bit integer of minimum precision as the 32 bits that memory has of it. Raises Refusal where DXIL does not
    say whether it has a sign."""
    if resource.element not in (*SIGNED, *UNSIGNED):
        help = "declare it as a 32-bit integer, or compile with -enable-16bit-types"
        raise Refusal("stores an integer of minimum precision, of which DXIL does not say whether it has a sign", help)
    return target.emit(op.SConvert if resource.element in SIGNED else op.UConvert, target.u32, [value])


def component_width(statement: Statement, code: int) -> int:
    """Bits of a component of a load or store."""
    type = statement.operands[4].type if code in (69, 140) else statement.type.parts[0]
    return 32 if type.width < 32 and code in (68, 69) else type.width


def used_parts(lowering: Lowering, statement: Statement) -> list[int]:
    """Which parts of an aggregate anything asks for; all if it is used whole."""
    used: list[int] = []
    for user in lowering.users.get(statement.name, []):
        if user.op != "extractvalue":
            return list(range(len(statement.type.parts)))
        used.append(user.literals[0])
    return list(dict.fromkeys(used))


def _place(lowering: Lowering, resource: Resource, register: int, index: Operand, offset: Operand) -> Pointer:
    """Where an access starts."""
    if resource.kind == CBV or resource.kind == SAMPLER or resource.shape < TYPED:
        raise Refusal("is an access to a texture or sampler as to a buffer")
    pointer = Pointer(resource.root(register), [], 0)
    factor = {STRUCTURED: resource.stride, TYPED: 4 * resource.components, TBUFFER: 1}.get(resource.shape, 1)
    pointer = advanced(pointer, lowering.value(index), factor)
    if resource.shape == STRUCTURED and offset.kind != syntax.UNDEF:
        pointer = advanced(pointer, lowering.value(offset), 1)
    return pointer


# --- handles ----------------------------------------------------------------------------------------------------------


def handle(lowering: Lowering, statement: Statement, code: int) -> Result:
    if code == 216:
        resource_handle = lowering.handle(statement.operands[1])
        _annotate(lowering, resource_handle, statement.operands[2])
        return resource_handle
    resource, register = resource_at(lowering, statement, code)
    return Handle(resource, register)


def resource_at(lowering: Lowering, statement: Statement, code: int) -> tuple[Resource, int]:
    """(resource, register) that a handle is created of. Raises Refusal for a register that varies."""
    operands = statement.operands
    if code == 218:
        index = _register(operands[1], "the descriptor heap")
        return _on_heap(lowering, index, lowering.number(operands[2])), index
    if code == 217:
        parts = [part.number & 0xFFFFFFFF for part in operands[1].parts]
        while len(parts) < 4:
            parts.append(0)
        register = _register(operands[2], "an array of resources")
        for resource in lowering.scene.resources.values():
            inside = resource.lower <= register < resource.lower + resource.count
            if resource.kind == parts[3] and resource.space == parts[2] and inside:
                return resource, register
        raise Refusal(f"creates a handle of register {register}, which no resource of the module has")
    kind = lowering.number(operands[1])
    resource_found = lowering.scene.resources.get((kind, lowering.number(operands[2])))
    if resource_found is None:
        raise Refusal("creates a handle of a resource that the module's metadata doesn't have")
    return resource_found, _register(operands[3], "an array of resources")


def _register(operand: Operand, what: str) -> int:
    if operand.kind not in (syntax.NUMBER, syntax.ZERO):
        raise Refusal(f"chooses from {what} at run time", "each resource becomes a variable here: use constant indices")
    return operand.number & 0xFFFFFFFF


def _on_heap(lowering: Lowering, index: int, sampler: int) -> Resource:
    """A resource of its own for each place of the heap, in a set above all others."""
    known = lowering.scene.heap.get(index)
    if known is None:
        known = Resource(SAMPLER if sampler else UAV, index, f"heap{index}")
        known.lower = index
        above = 1 + max([resource.space for resource in lowering.scene.resources.values()], default=-1)
        known.space = in_a_word(above, "descriptor set")
        lowering.scene.heap[index] = known
    return known


def _annotate(lowering: Lowering, buffer_handle: Handle, properties: Operand) -> None:
    """ResourceProperties: kind in the lowest byte and bit 12 for a UAV; stride, or type and number of components."""
    words = [part.number & 0xFFFFFFFF for part in properties.parts]
    if len(words) < 2:
        return
    resource = buffer_handle.resource
    if lowering.scene.heap.get(buffer_handle.register) is resource:
        resource.shape = words[0] & 0xFF
        if resource.shape == RAW or resource.shape == STRUCTURED or resource.shape == TYPED:
            resource.kind = UAV if words[0] >> 12 & 1 else 0
        elif words[0] & 0xFF == 13:
            resource.kind = CBV
            resource.size = words[1]
    if resource.shape == STRUCTURED:
        resource.stride = words[1]
    elif resource.shape == TYPED and words[1] >> 8 & 0xFF:
        resource.components = words[1] >> 8 & 0xFF
        resource.certain = True


# --- constant buffers -------------------------------------------------------------------------------------------------


def _constants(lowering: Lowering, statement: Statement, resource: Resource, register: int, code: int) -> Result:
    target = lowering.target
    variable = _uniform(target, resource, register)
    pointer = pointer_type(target.module, enums.StorageClassUniform, target.u32)
    if code == 58:
        raise Refusal("is cbufferLoad, which no compiler emits")
    row = lowering.value(statement.operands[2])
    type = statement.type.parts[0]
    items: list[Result] = [None] * len(statement.type.parts)
    step = 8 * _ROW // len(items)  # bits from one part to the next: more than it has in minimum precision
    for index in sorted(used_parts(lowering, statement)):
        words: list[Value] = []
        first = index * step // 32
        for word in range(max(1, type.width // 32)):
            at = target.emit(op.AccessChain, pointer, [variable, target.word(0), row, target.word(first + word)])
            words.append(target.emit(op.Load, target.u32, [at]))
        items[index] = _from_words(target, words, type, index * step % 32)
    return Pieces(items)


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


def _uniform(target: Target, resource: Resource, register: int) -> Instr:
    """struct { uvec4 rows[] } in uniform memory."""
    known = resource.constants.get(register)
    if known is not None:
        return known
    module = target.module
    rows = max(1, -(-resource.size // _ROW))
    array = Instr(op.TypeArray, None, [vector_type(module, target.u32, 4), target.word(rows)])
    module.globals.append(array)
    target.decorate(array, enums.DecorationArrayStride, _ROW)
    struct = Instr(op.TypeStruct, None, [array])
    module.globals.append(struct)
    target.decorate(struct, enums.DecorationBlock)
    target.decorate_member(struct, 0, enums.DecorationOffset, 0)
    variable = target.variable(enums.StorageClassUniform, struct, resource.label(register))
    target.decorate(variable, enums.DecorationDescriptorSet, resource.space)
    target.decorate(variable, enums.DecorationBinding, resource.binding(register))
    resource.constants[register] = variable
    return variable


# --- atomics and counters ---------------------------------------------------------------------------------------------


def _atomic(lowering: Lowering, statement: Statement, resource: Resource, register: int, code: int) -> Result:
    target = lowering.target
    at = 3 if code == 78 else 2
    place = _place(lowering, resource, register, statement.operands[at], statement.operands[at + 1])
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
    if which >= len(_ATOMICS):
        raise Refusal(f"is atomic operation {which}, which is not read here")
    return target.emit(_ATOMICS[which], ir_type, [cell, scope, relaxed, lowering.value(statement.operands[6])])


def _count(lowering: Lowering, statement: Statement, resource: Resource, register: int) -> Result:
    """IncrementCounter gives what was there before, DecrementCounter what is there now."""
    target = lowering.target
    cell = atomic_cell(target, Pointer(resource.counter(register), [], 0), 32)
    scope = target.word(enums.ScopeDevice)
    up = statement.operands[2].number & 0xFF == 1
    code = op.AtomicIIncrement if up else op.AtomicIDecrement
    before = target.emit(code, target.u32, [cell, scope, target.word(0)])
    return before if up else summed(target, [before], 0xFFFFFFFF)


def _dimensions(lowering: Lowering, resource: Resource, register: int) -> Result:
    """Elements of a typed or structured buffer, bytes of a raw one."""
    target = lowering.target
    if resource.kind in (CBV, SAMPLER) or resource.shape < TYPED:
        raise Refusal("asks for the size of a texture")
    root = resource.root(register)
    cells: Value = target.emit(op.ArrayLength, target.u32, [root.declare(target), 0])
    unit = root.unit // 8
    size = {STRUCTURED: resource.stride, TYPED: 4 * resource.components}.get(resource.shape, 1)
    if size != unit:
        cells = target.emit(op.IMul, target.u32, [cells, target.word(unit)])
        if size != 1:
            cells = target.emit(op.UDiv, target.u32, [cells, target.word(size)])
    items: list[Result] = [cells, None, None, None]
    return Pieces(items)
