"""Byte-address buffers: words, and values of any type, at a byte offset.

    b.Load(o)            word o / 4                 b.Store3(o, v)        three words from there on
    b.Load<S>(o)         each number of S at its offset by the scalar rule (`layout`); 64 bits are two words
    b.InterlockedAddF32(o, f)   AtomicFAddEXT in a variable of floats for the same memory
    b.Store<half>(o, h)  the half is cleared and set in its word, each step atomic: others may write beside it

Offsets of numbers of 32 bits and more are multiples of 4, as HLSL says. Source: Microsoft's HLSL reference,
"ByteAddressBuffer", "RWByteAddressBuffer"; Slang's core module.
"""

from typing import Final

from reknit.front.slang.builtins import atomics
from reknit.front.slang.builtins.arithmetic import binary, shift_right
from reknit.front.slang.builtins.builtin import Signature
from reknit.front.slang.builtins.components import emit_op
from reknit.front.slang.builtins.emitter import Emitter, Unsupported
from reknit.front.slang.builtins.images import number_type, store_number
from reknit.front.slang.builtins.kinds import writable
from reknit.front.slang.builtins.leaves import Leaf, assembled, from_words, leaves, take_apart, to_words
from reknit.front.slang.builtins.shapes import element, ir_numeric, scalar_of
from reknit.front.slang.builtins.stored import block, runtime_array, stored_type
from reknit.front.slang.builtins.structured import length
from reknit.front.slang.hir import Intrinsic
from reknit.front.slang.layout import SCALAR
from reknit.front.slang.types import (
    DOUBLE,
    FLOAT,
    HALF,
    INT,
    INT64,
    UINT,
    UINT64,
    VOID,
    ConstType,
    ResourceType,
    ScalarType,
    Type,
    VectorType,
)
from reknit.ir import enums, op
from reknit.ir.constants import as_int
from reknit.ir.instr import Instr, Operand
from reknit.ir.types import storage_of
from reknit.ir.value import Value

PAIRS: Final = "_NvInterlockedAddFp16x2"
"""Adds two halves in one word."""
_COUNTS: Final = {"": 1, "2": 2, "3": 3, "4": 4}


def _at(emitter: Emitter, offset: Value, more: int) -> Value:
    """offset + more, in bytes."""
    if more == 0:
        return offset
    known = as_int(offset)
    if known is not None:
        return emitter.word(known + more)
    return binary(emitter, "+", UINT, offset, emitter.word(more))


def word_pointer(emitter: Emitter, buffer: Value, offset: Value) -> Instr:
    """To the word that byte `offset` is in."""
    assert isinstance(buffer, Instr) and buffer.type is not None
    known = as_int(offset)
    index = emitter.word(known >> 2) if known is not None else shift_right(emitter, UINT, offset, 2)
    pointer = emitter.pointer(storage_of(buffer.type), emitter.u32)
    return emitter.emit(op.AccessChain, pointer, [buffer, emitter.word(0), index])


def _word(emitter: Emitter, buffer: Value, offset: Value) -> Value:
    return emitter.emit(op.Load, emitter.u32, [word_pointer(emitter, buffer, offset)])


def _bit_offset(emitter: Emitter, offset: Value) -> Value:
    """Of a byte in its word."""
    byte = binary(emitter, "&", UINT, offset, emitter.word(3))
    return emit_op(emitter, op.ShiftLeftLogical, UINT, [byte, emitter.word(3)])


def _load_leaf(emitter: Emitter, buffer: Value, offset: Value, leaf: Leaf) -> Value:
    at = _at(emitter, offset, leaf.offset)
    words = [_word(emitter, buffer, at)]
    if leaf.scalar.width == 64:
        words.append(_word(emitter, buffer, _at(emitter, at, 4)))
    elif _is_narrow(leaf.scalar):
        words[0] = emit_op(emitter, op.ShiftRightLogical, UINT, [words[0], _bit_offset(emitter, at)])
    return from_words(emitter, leaf.scalar, words)


def _is_narrow(scalar: ScalarType) -> bool:
    return scalar.kind != "bool" and scalar.width < 32


def load(emitter: Emitter, type: Type, buffer: Value, offset: Value) -> Value:
    parts = [_load_leaf(emitter, buffer, offset, leaf) for leaf in leaves(emitter, type)]
    return assembled(emitter, type, parts)


def store(emitter: Emitter, type: Type, buffer: Value, offset: Value, value: Value) -> None:
    for leaf, part in zip(leaves(emitter, type), take_apart(emitter, type, value), strict=True):
        at = _at(emitter, offset, leaf.offset)
        words = to_words(emitter, leaf.scalar, part)
        if _is_narrow(leaf.scalar):
            _store_narrow(emitter, leaf.scalar, buffer, at, words[0])
            continue
        for index, word in enumerate(words):
            emitter.effect(op.Store, [word_pointer(emitter, buffer, _at(emitter, at, 4 * index)), word])


def _store_narrow(emitter: Emitter, scalar: ScalarType, buffer: Value, at: Value, word: Value) -> None:
    pointer = word_pointer(emitter, buffer, at)
    shift = _bit_offset(emitter, at)
    mask = emit_op(emitter, op.ShiftLeftLogical, UINT, [emitter.word((1 << scalar.width) - 1), shift])
    moved = emit_op(emitter, op.ShiftLeftLogical, UINT, [word, shift])
    atomics.change(emitter, "And", UINT, pointer, emit_op(emitter, op.Not, UINT, [mask]))
    atomics.change(emitter, "Or", UINT, pointer, moved)


# ---- methods


def _words(count: int) -> Type:
    return UINT if count == 1 else VectorType(UINT, ConstType(count))


def resolve(name: str, receiver: Type, arguments: list[Type], type_arguments: list[Type]) -> Signature | None:
    if not isinstance(receiver, ResourceType):
        return None
    full = f"{receiver.kind}.{name}"
    if name == "GetDimensions" and len(arguments) == 1:
        return Signature([number_type(arguments[0])], ["out"], VOID, full, [], "in")
    if name == PAIRS and writable(receiver.kind) and len(arguments) == 2:
        return Signature([UINT, UINT], ["in", "in"], UINT, full, [], "in")
    if name.startswith("Interlocked"):
        return _interlocked(name, full, arguments) if writable(receiver.kind) else None
    for verb in ("Load", "Store"):
        rest = name[len(verb) :] if name.startswith(verb) else "-"
        aligned = rest.endswith("Aligned")
        count = _COUNTS.get(rest.removesuffix("Aligned"))
        if count is None or (verb == "Store" and not writable(receiver.kind)):
            continue
        least = 1 if verb == "Load" else 2
        if not least <= len(arguments) <= least + (1 if aligned or type_arguments else 0):
            continue
        return _access(verb, full, count, arguments, type_arguments)
    return None


def _access(verb: str, full: str, count: int, arguments: list[Type], type_arguments: list[Type]) -> Signature:
    """An alignment may be last."""
    type: Type = _words(count)
    if type_arguments:
        type = type_arguments[0]
    elif verb == "Store" and count == 1:
        type = arguments[1]
    params: list[Type] = [UINT] if verb == "Load" else [UINT, type]
    params.extend([UINT] * (len(arguments) - len(params)))
    result = type if verb == "Load" else VOID
    return Signature(params, ["in"] * len(params), result, full, [type], "in")


def _interlocked(name: str, full: str, arguments: list[Type]) -> Signature | None:
    """(offset, value, out old), (offset, expected, value, out old), (offset, expected, value)."""
    operation = _operation(name, arguments)
    if operation is None:
        return None
    verb, value = operation
    if verb in ("CompareExchange", "CompareStore"):
        wanted = 4 if verb == "CompareExchange" else 3
        if len(arguments) != wanted:
            return None
        return Signature([UINT, value, value, value][:wanted], ["in", "in", "in", "out"][:wanted], VOID, full, [], "in")
    if not 2 <= len(arguments) <= 3:
        return None
    result = value if name.endswith("U64") else VOID
    return Signature(
        [UINT, value, value][: len(arguments)], ["in", "in", "out"][: len(arguments)], result, full, [], "in"
    )


_SUFFIXES: Final[dict[str, tuple[Type, tuple[str, ...]]]] = {
    "F16Emulated": (HALF, ("Add",)), "F16": (HALF, ("Add",)), "F32": (FLOAT, ("Add",)), "F64": (DOUBLE, ("Add",)),
    "FloatBitwise": (FLOAT, ("CompareExchange", "CompareStore")), "Float": (FLOAT, ("Exchange",)),
    "I64": (INT64, ("Add",)),
}  # fmt: skip
"""The types that names end with, and the operations there are of them."""


def _operation(name: str, arguments: list[Type]) -> tuple[str, Type] | None:
    """("Add", FLOAT) of InterlockedAddF32; those of 32 and 64 bits are of the last argument's signedness."""
    verb = name.removeprefix("Interlocked")
    for suffix, (type, verbs) in _SUFFIXES.items():
        if verb.endswith(suffix) and verb[: -len(suffix)] in verbs:
            return verb[: -len(suffix)], type
    known = (*[each for each in atomics.CODES if each != "Sub"], "CompareExchange", "CompareStore")
    last = element(arguments[-1]) if len(arguments) > 1 else None
    if verb in known:
        signed = len(arguments) > 1 and element(arguments[1]) is INT and not verb.startswith("Compare")
        return verb, INT if signed else UINT
    if verb.endswith("U64") and verb[:-3] in known:
        return verb[:-3], UINT64
    if verb.endswith("64") and verb[:-2] in known:
        return verb[:-2], UINT64 if isinstance(last, ScalarType) and last.kind == "uint" else INT64
    return None


def emit(emitter: Emitter, call: Intrinsic, types: list[Type], operands: list[Value]) -> Value | None:
    name = call.name.partition(".")[2]
    buffer = operands[0]
    if name == "GetDimensions":
        words = length(emitter, buffer)
        bytes_ = emit_op(emitter, op.ShiftLeftLogical, UINT, [words, emitter.word(2)])
        store_number(emitter, types[1], operands[1], bytes_)
        return None
    if name.startswith("Load"):
        return load(emitter, call.type, buffer, operands[1])
    if name.startswith("Store"):
        store(emitter, types[2], buffer, operands[1], operands[2])
        return None
    if name == PAIRS:
        pair = VectorType(HALF, ConstType(2))
        emitter.extension("SPV_NV_shader_atomic_fp16_vector")
        emitter.capability(enums.CapabilityAtomicFloat16VectorNV)
        pointer = typed_pointer(emitter, operands[0], pair, 4, operands[1])
        where: list[Operand] = [emitter.word(enums.ScopeDevice), emitter.word(enums.MemorySemanticsNone)]
        added = emit_op(emitter, op.Bitcast, pair, [operands[2]])
        before = emitter.emit(op.AtomicFAddEXT, ir_numeric(emitter, pair), [pointer, *where, added])
        return emit_op(emitter, op.Bitcast, UINT, [before])
    old = _exchange(emitter, name, types, operands)
    return old if name.endswith("U64") and len(operands) < 4 else None


def _exchange(emitter: Emitter, name: str, types: list[Type], operands: list[Value]) -> Value:
    operation = _operation(name, types[1:])
    assert operation is not None
    verb, type = operation
    compares = verb.startswith("Compare")
    scalar = scalar_of(type)
    plain = scalar.width == 32 and (compares or verb == "Exchange" or scalar.kind != "float")
    if plain:
        pointer = word_pointer(emitter, operands[0], operands[1])
        given = [as_word(emitter, type, value) for value in operands[2 : 4 if compares else 3]]
    else:
        pointer = typed_pointer(emitter, operands[0], scalar, scalar.width // 8, operands[1])
        given = operands[2 : 4 if compares else 3]
    if compares:
        old: Value = atomics.compare_exchange(emitter, UINT if plain else type, pointer, given[0], given[1])
    elif plain:
        old = atomics.on_words(emitter, verb, UINT if scalar.kind == "float" else type, pointer, given[0])
    else:
        old = atomics.change(emitter, verb, type, pointer, given[0])
    if plain and scalar.kind == "float":
        old = emit_op(emitter, op.Bitcast, type, [old])
    out = operands[4 if compares else 3 :]
    if out:
        emitter.effect(op.Store, [out[0], old])
    return old


def as_word(emitter: Emitter, type: Type, value: Value) -> Value:
    return emit_op(emitter, op.Bitcast, UINT, [value]) if scalar_of(type).kind == "float" else value


def typed_pointer(emitter: Emitter, buffer: Value, type: Type, size: int, offset: Value) -> Instr:
    """To a number of another width or kind than a word: in a variable of its own for the same memory."""
    if not isinstance(buffer, Instr) or buffer.op != op.Variable:
        raise Unsupported(f"atomic operations on '{type}' in an array of buffers are not supported")
    alias = emitter.aliases.get((buffer, type.key))
    if alias is None:
        element_type = stored_type(emitter, type, SCALAR)
        array = block(emitter, runtime_array(emitter, element_type, size), f"{type} words")
        storage = buffer.word(0)
        alias = Instr(op.Variable, emitter.pointer(storage, array), [storage], buffer.name)
        emitter.module.globals.append(alias)
        for mark in list(emitter.module.decorations):
            if mark.operands[0] is buffer and mark.word(1) in (enums.DecorationDescriptorSet, enums.DecorationBinding):
                emitter.decorate(alias, mark.word(1), mark.word(2))
        if not any(same_buffer is buffer for same_buffer, _ in emitter.aliases):
            emitter.decorate(buffer, enums.DecorationAliased)
        emitter.decorate(alias, enums.DecorationAliased)
        emitter.aliases[buffer, type.key] = alias
    known = as_int(offset)
    place: Value = emitter.word(0 if known is None else known // size)
    if known is None:
        place = binary(emitter, "/", UINT, offset, emitter.word(size))
    pointee = alias.type.instr(1).instr(0).instr(0) if alias.type is not None else emitter.u32
    return emitter.emit(op.AccessChain, emitter.pointer(alias.word(0), pointee), [alias, emitter.word(0), place])
