"""Structured buffers: elements and dimensions.

buffer[i]                 AccessChain %buffer 0 %i          pointer to the stored element
buffer.Load(i)            that, loaded                      GetDimensions(out count, out stride)   ArrayLength
buffer.Append(v)          AtomicIIncrement of its counter: the element to store
buffer.Consume()          AtomicIDecrement of it: the element before; of an empty buffer zero, as slangc has it
"""

from reknit.front.slang.builtins import stored
from reknit.front.slang.builtins.arithmetic import binary
from reknit.front.slang.builtins.builtin import Signature
from reknit.front.slang.builtins.components import splat
from reknit.front.slang.builtins.emitter import Emitter, Unsupported
from reknit.front.slang.builtins.images import number_type, store_number
from reknit.front.slang.builtins.kinds import STRUCTURED
from reknit.front.slang.builtins.shapes import count_of
from reknit.front.slang.hir import Intrinsic
from reknit.front.slang.types import BOOL, INT, UINT, VOID, ResourceType, Type, VectorType
from reknit.ir import enums, op
from reknit.ir.instr import Instr
from reknit.ir.types import storage_of
from reknit.ir.value import Value


def element_pointer(emitter: Emitter, type: Type, buffer: Value, index: Value) -> Instr:
    """To the stored element `buffer[index]`; `type` is the buffer's."""
    assert isinstance(type, ResourceType) and type.element is not None
    element = stored.stored_type(emitter, type.element, emitter.rule_of(type))
    return emitter.emit(op.AccessChain, _pointer(emitter, buffer, element), [buffer, emitter.word(0), index])


def _pointer(emitter: Emitter, buffer: Value, pointee: Instr) -> Instr:
    assert isinstance(buffer, Instr) and buffer.type is not None
    return emitter.pointer(storage_of(buffer.type), pointee)


def resolve(name: str, receiver: Type, arguments: list[Type]) -> Signature | None:
    if not isinstance(receiver, ResourceType) or receiver.element is None:
        return None
    full = f"{receiver.kind}.{name}"
    if name == "Load" and len(arguments) == 1 and receiver.kind in STRUCTURED[:3]:
        return Signature([UINT], ["in"], receiver.element, full, [], "in")
    if name == "GetDimensions" and len(arguments) == 2:
        return Signature([number_type(each) for each in arguments], ["out", "out"], VOID, full, [], "in")
    if name == "Append" and len(arguments) == 1 and receiver.kind == "AppendStructuredBuffer":
        return Signature([receiver.element], ["in"], VOID, full, [], "in")
    if name == "Consume" and not arguments and receiver.kind == "ConsumeStructuredBuffer":
        return Signature([], [], receiver.element, full, [], "in")
    if name in ("IncrementCounter", "DecrementCounter") and not arguments and receiver.kind == STRUCTURED[1]:
        return Signature([], [], UINT, full, [], "in")
    if name == "getCount" and not arguments:
        return Signature([], [], INT, full, [], "in")
    return None


def emit(emitter: Emitter, call: Intrinsic, types: list[Type], operands: list[Value]) -> Value | None:
    type = types[0]
    assert isinstance(type, ResourceType) and type.element is not None
    name = call.name.partition(".")[2]
    if name == "Load":
        pointer = element_pointer(emitter, type, operands[0], operands[1])
        return stored.load(emitter, type.element, pointer, emitter.rule_of(type))
    if name == "Append":
        index = _count(emitter, operands[0], op.AtomicIIncrement)
        pointer = element_pointer(emitter, type, operands[0], index)
        stored.store(emitter, type.element, pointer, operands[1], emitter.rule_of(type))
        return None
    if name == "Consume":
        return _consume(emitter, type, operands[0])
    if name == "IncrementCounter":
        return _count(emitter, operands[0], op.AtomicIIncrement)
    if name == "DecrementCounter":
        return binary(emitter, "-", UINT, _count(emitter, operands[0], op.AtomicIDecrement), emitter.word(1))
    count = length(emitter, operands[0])
    if name == "getCount":
        return emitter.emit(op.Bitcast, emitter.ir_type(INT), [count])
    store_number(emitter, types[1], operands[1], count)
    stride = stored.layouts(emitter, emitter.rule_of(type)).of(type.element).stride
    store_number(emitter, types[2], operands[2], emitter.word(stride))
    return None


def length(emitter: Emitter, buffer: Value) -> Instr:
    """How many elements a buffer's runtime array has."""
    return emitter.emit(op.ArrayLength, emitter.u32, [buffer, 0])


def _count(emitter: Emitter, buffer: Value, code: int) -> Instr:
    """The counter before it is moved by one."""
    if not isinstance(buffer, Instr) or buffer.op != op.Variable:
        raise Unsupported("counters of buffers in arrays are not supported")
    counter = emitter.counter(buffer)
    pointer = emitter.pointer(counter.word(0), emitter.u32)
    place = emitter.emit(op.AccessChain, pointer, [counter, emitter.word(0), emitter.word(0)])
    where = [emitter.word(enums.ScopeDevice), emitter.word(enums.MemorySemanticsNone)]
    return emitter.emit(code, emitter.u32, [place, *where])


def _consume(emitter: Emitter, type: ResourceType, buffer: Value) -> Value:
    """Element 0 is read, and not used, where there is none."""
    assert type.element is not None
    before = _count(emitter, buffer, op.AtomicIDecrement)
    some = emitter.emit(op.SGreaterThan, emitter.boolean, [before, emitter.word(0)])
    last = binary(emitter, "-", UINT, before, emitter.word(1))
    index = emitter.emit(op.Select, emitter.u32, [some, last, emitter.word(0)])
    value = stored.load(emitter, type.element, element_pointer(emitter, type, buffer, index), emitter.rule_of(type))
    whole = emitter.ir_type(type.element)
    chosen: Value = some
    if isinstance(type.element, VectorType) and count_of(type.element) > 1:
        chosen = splat(emitter, VectorType(BOOL, type.element.count), some)
    return emitter.emit(op.Select, whole, [chosen, value, emitter.module.intern(op.ConstantNull, whole, [])])
