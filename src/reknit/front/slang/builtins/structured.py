"""Structured buffers: elements and dimensions.

buffer[i]                 AccessChain %buffer 0 %i          pointer to the stored element
buffer.Load(i)            that, loaded                      GetDimensions(out count, out stride)   ArrayLength
"""

from reknit.front.slang.builtins import stored
from reknit.front.slang.builtins.builtin import Signature
from reknit.front.slang.builtins.emitter import Emitter
from reknit.front.slang.builtins.images import store_number
from reknit.front.slang.builtins.kinds import STRUCTURED
from reknit.front.slang.hir import Intrinsic
from reknit.front.slang.types import INT, UINT, VOID, ResourceType, Type
from reknit.ir import op
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
        return Signature([*arguments], ["out", "out"], VOID, full, [], "in")
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
