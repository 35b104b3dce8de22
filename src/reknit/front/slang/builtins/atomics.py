"""Atomic operations: InterlockedAdd and its like on places, the methods of Atomic<T>.

    InterlockedAdd(p, v, old)      %o = AtomicIAdd %p Device None %v; Store %old %o
    a.add(v), a.increment()        AtomicIAdd, AtomicIIncrement; the value is the old one
    InterlockedMax(p, v)           AtomicSMax or AtomicUMax by the place's type; floats through extensions

Scope: the workgroup for groupshared places, the device for others. Source: Microsoft's HLSL reference, "Interlocked
functions"; Slang's core module, "Atomic".
"""

from typing import Final

from reknit.front.slang.builtins.arithmetic import negate
from reknit.front.slang.builtins.builtin import Maker, Signature
from reknit.front.slang.builtins.components import Codes, emit_op, kind_index
from reknit.front.slang.builtins.emitter import Emitter, Unsupported
from reknit.front.slang.builtins.matching import held
from reknit.front.slang.builtins.memory import ORDERS, atomic_scope, order_semantics
from reknit.front.slang.builtins.rows import Row, Rows
from reknit.front.slang.builtins.shapes import count_of, element, ir_numeric, scalar_of
from reknit.front.slang.hir import Const, Intrinsic
from reknit.front.slang.types import (
    HALF,
    INT,
    UINT,
    VOID,
    ConstType,
    MatrixType,
    ResourceType,
    Type,
    VectorType,
)
from reknit.ir import enums, op
from reknit.ir.instr import Instr
from reknit.ir.types import storage_of
from reknit.ir.value import Value

CODES: Final[dict[str, Codes]] = {
    "Add": (op.AtomicFAddEXT, op.AtomicIAdd, op.AtomicIAdd, 0),
    "Sub": (op.AtomicFAddEXT, op.AtomicISub, op.AtomicISub, 0),
    "Min": (op.AtomicFMinEXT, op.AtomicSMin, op.AtomicUMin, 0),
    "Max": (op.AtomicFMaxEXT, op.AtomicSMax, op.AtomicUMax, 0),
    "And": (0, op.AtomicAnd, op.AtomicAnd, 0),
    "Or": (0, op.AtomicOr, op.AtomicOr, 0),
    "Xor": (0, op.AtomicXor, op.AtomicXor, 0),
    "Exchange": (op.AtomicExchange, op.AtomicExchange, op.AtomicExchange, 0),
}
_EXTENSIONS: Final = {
    op.AtomicFAddEXT: ("SPV_EXT_shader_atomic_float_add", {
        32: enums.CapabilityAtomicFloat32AddEXT, 64: enums.CapabilityAtomicFloat64AddEXT,
        16: enums.CapabilityAtomicFloat16AddEXT,
    }),
    op.AtomicFMinEXT: ("SPV_EXT_shader_atomic_float_min_max", {
        32: enums.CapabilityAtomicFloat32MinMaxEXT, 64: enums.CapabilityAtomicFloat64MinMaxEXT,
        16: enums.CapabilityAtomicFloat16MinMaxEXT,
    }),
}  # fmt: skip
_SHARED: Final = (
    enums.StorageClassUniform, enums.StorageClassWorkgroup, enums.StorageClassImage, enums.StorageClassStorageBuffer,
    enums.StorageClassPhysicalStorageBuffer,
)  # fmt: skip
"""Where Vulkan has atomic operations (VUID-StandaloneSpirv-None-04686)."""
_OF_VECTORS: Final = (op.AtomicFAddEXT, op.AtomicFMinEXT, op.AtomicFMaxEXT)
_PAIRS: Final = (VectorType(HALF, ConstType(2)).key, VectorType(HALF, ConstType(4)).key)
"""What SPV_NV_shader_atomic_fp16_vector has them of."""


def change(emitter: Emitter, name: str, type: Type, pointer: Value, value: Value, order: int = 0) -> Value:
    """`name` is one of CODES. The value is what was there before."""
    code = CODES[name][kind_index(type)]
    if code == 0:
        raise Unsupported(f"there is no atomic {name.lower()} of '{type}'")
    if name == "Sub" and scalar_of(type).kind == "float":
        value = negate(emitter, type, value)
    _allow(emitter, code, type, pointer)
    where = [emitter.word(atomic_scope(pointer)), emitter.word(order_semantics(pointer, order))]
    return emitter.emit(code, ir_numeric(emitter, type), [pointer, *where, value])


def _allow(emitter: Emitter, code: int, type: Type, pointer: Value) -> None:
    """Raises Unsupported for places and types that SPIR-V has no such operation of; else declares what it needs."""
    if isinstance(pointer, Instr) and pointer.type is not None and storage_of(pointer.type) not in _SHARED:
        raise Unsupported(
            "an atomic operation needs shared memory, a buffer or a texture: this is a variable of one invocation"
        )
    scalar = scalar_of(type)
    if isinstance(type, MatrixType) or (isinstance(type, VectorType) and count_of(type) > 1):
        if not (type.key in _PAIRS and code in _OF_VECTORS):
            raise Unsupported(f"there is no such atomic operation of '{type}'")
        emitter.extension("SPV_NV_shader_atomic_fp16_vector")
        emitter.capability(enums.CapabilityAtomicFloat16VectorNV)
        return
    if scalar.width < 32 and scalar.kind != "float":
        raise Unsupported(f"atomic operations on '{scalar}' are not supported")
    if scalar.width == 64 and scalar.kind != "float":
        emitter.capability(enums.CapabilityInt64Atomics)
    needed = _EXTENSIONS.get(op.AtomicFMinEXT if code == op.AtomicFMaxEXT else code)
    if needed is not None:
        extension, capabilities = needed
        if scalar.width == 16 and code == op.AtomicFAddEXT:
            extension = "SPV_EXT_shader_atomic_float16_add"
        emitter.extension(extension)
        emitter.capability(capabilities[scalar.width])


def compare_exchange(
    emitter: Emitter, type: Type, pointer: Value, expected: Value, value: Value, order: int = 0, failed: int = 0
) -> Value:
    """Floats are compared bit by bit, through an integer of their width: the place has to be one."""
    if scalar_of(type).kind == "float":
        raise Unsupported(f"atomic comparisons of '{type}' are not supported")
    _allow(emitter, op.AtomicCompareExchange, type, pointer)
    if failed and not order:
        raise Unsupported("a comparison that fails can't be ordered more strongly than one that succeeds")
    where = [
        emitter.word(atomic_scope(pointer)),
        emitter.word(order_semantics(pointer, order)),
        emitter.word(order_semantics(pointer, failed, writes=False)),
    ]
    return emitter.emit(op.AtomicCompareExchange, ir_numeric(emitter, type), [pointer, *where, value, expected])


# ---- InterlockedAdd and its like


def _changes(name: str) -> Maker:
    def make(emitter: Emitter, call: Intrinsic, types: list[Type], operands: list[Value]) -> Value | None:
        old = change(emitter, name, held(types[0]), operands[0], operands[1])
        if len(operands) > 2:
            emitter.effect(op.Store, [operands[2], old])
        return None

    return make


def _compares(emitter: Emitter, call: Intrinsic, types: list[Type], operands: list[Value]) -> Value | None:
    old = compare_exchange(emitter, held(types[0]), operands[0], operands[1], operands[2])
    if len(operands) > 3:
        emitter.effect(op.Store, [operands[3], old])
    return None


# ---- __atomic_add and its like


def _order(call: Intrinsic, at: int) -> int:
    """A MemoryOrder among the arguments; Relaxed where it isn't given."""
    if len(call.arguments) <= at:
        return 0
    argument = call.arguments[at]
    if not isinstance(argument, Const) or not isinstance(argument.value, int):
        raise Unsupported("a memory order has to be constant")
    if argument.value not in ORDERS:
        raise Unsupported(f"{argument.value} is no memory order")
    return argument.value


def _returns(name: str) -> Row:
    def make(emitter: Emitter, call: Intrinsic, types: list[Type], operands: list[Value]) -> Value | None:
        return change(emitter, name, held(types[0]), operands[0], operands[1], _order(call, 2))

    return "n T(ref T, T, int?)", make


def _reduces(name: str) -> Row:
    def make(emitter: Emitter, call: Intrinsic, types: list[Type], operands: list[Value]) -> Value | None:
        change(emitter, name, held(types[0]), operands[0], operands[1], _order(call, 2))
        return None

    return "n void(ref T, T, int?)", make


def _by_one(code: int) -> Maker:
    def make(emitter: Emitter, call: Intrinsic, types: list[Type], operands: list[Value]) -> Value | None:
        type = held(types[0])
        _allow(emitter, code, type, operands[0])
        order = emitter.word(order_semantics(operands[0], _order(call, 1)))
        where = emitter.word(atomic_scope(operands[0]))
        return emitter.emit(code, ir_numeric(emitter, type), [operands[0], where, order])

    return make


def _compares_returning(emitter: Emitter, call: Intrinsic, types: list[Type], operands: list[Value]) -> Value | None:
    order, failed = _order(call, 3), _order(call, 4)
    return compare_exchange(emitter, held(types[0]), operands[0], operands[1], operands[2], order, failed)


_BITS: Final = ("And", "Or", "Xor")
FUNCTIONS: Final[Rows] = {
    **{
        f"Interlocked{name}": (f"{'i' if name in _BITS else 'n'} void(ref T, T, out T?)", _changes(name))
        for name in CODES
        if name != "Sub"
    },
    "InterlockedCompareExchange": ("n void(ref T, T, T, out T)", _compares),
    "InterlockedCompareStore": ("n void(ref T, T, T)", _compares),
    **{f"__atomic_{name.lower()}": _returns(name) for name in CODES},
    "__atomic_compare_exchange": ("n T(ref T, T, T, int?, int?)", _compares_returning),
    "__atomic_increment": ("i T(ref T, int?)", _by_one(op.AtomicIIncrement)),
    "__atomic_decrement": ("i T(ref T, int?)", _by_one(op.AtomicIDecrement)),
    **{
        f"__atomic_reduce_{name.lower()}": _reduces(name)
        for name in CODES
        if name != "Exchange"
    },
    "__atomic_reduce_dec": ("i void(ref T, int?)", _by_one(op.AtomicIDecrement)),
    "__atomic_reduce_inc": ("i void(ref T, int?)", _by_one(op.AtomicIIncrement)),
}


# ---- methods of Atomic<T>

_METHODS: Final = {
    "add": "Add", "sub": "Sub", "min": "Min", "max": "Max", "and": "And", "or": "Or", "xor": "Xor",
    "exchange": "Exchange",
}  # fmt: skip
_REDUCTIONS: Final = {f"reduce{name}": name for name in CODES if name != "Exchange"}


def resolve(name: str, receiver: Type, arguments: list[Type]) -> Signature | None:
    if not isinstance(receiver, ResourceType) or receiver.element is None:
        return None
    inner = element(receiver.element)
    if inner is None:
        return None
    values, result, orders = 0, inner, 1
    if name in _METHODS:
        values = 1
    elif name in _REDUCTIONS or name == "store":
        values, result = 1, VOID
    elif name == "compareExchange":
        values, orders = 2, 2
    elif name in ("reduceInc", "reduceDec"):
        result = VOID
    elif name not in ("load", "increment", "decrement"):
        return None
    if not values <= len(arguments) <= values + orders:
        return None
    params: list[Type] = [inner] * values
    params.extend([INT] * (len(arguments) - values))
    return Signature(params, ["in"] * len(params), result, f"Atomic.{name}", [], "ref")


def emit(emitter: Emitter, call: Intrinsic, types: list[Type], operands: list[Value]) -> Value | None:
    """The receiver is a pointer, the first operand."""
    name = call.name.partition(".")[2]
    type = held(types[0])
    pointer = operands[0]
    if name in _METHODS:
        return change(emitter, _METHODS[name], type, pointer, operands[1], _order(call, 2))
    if name in _REDUCTIONS:
        change(emitter, _REDUCTIONS[name], type, pointer, operands[1], _order(call, 2))
        return None
    if name == "compareExchange":
        order, failed = _order(call, 3), _order(call, 4)
        return compare_exchange(emitter, type, pointer, operands[1], operands[2], order, failed)
    if name == "load" or name == "store":
        return _access(emitter, name, type, operands, _order(call, 2 if name == "store" else 1))
    up = name in ("increment", "reduceInc")
    counted = _by_one(op.AtomicIIncrement if up else op.AtomicIDecrement)(emitter, call, types, operands)
    return None if name.startswith("reduce") else counted


def _access(emitter: Emitter, name: str, type: Type, operands: list[Value], order: int) -> Value | None:
    pointer = operands[0]
    _allow(emitter, op.AtomicLoad, type, pointer)
    semantics = order_semantics(pointer, order, reads=name == "load", writes=name == "store")
    where = [emitter.word(atomic_scope(pointer)), emitter.word(semantics)]
    if name == "load":
        return emitter.emit(op.AtomicLoad, ir_numeric(emitter, type), [pointer, *where])
    emitter.effect(op.AtomicStore, [pointer, *where, operands[1]])
    return None


def on_words(emitter: Emitter, name: str, type: Type, pointer: Value, value: Value) -> Value:
    """`change` of a u32 in memory for an int: the operation alone differs."""
    if scalar_of(type).kind == "uint":
        return change(emitter, name, type, pointer, value)
    code = CODES[name][kind_index(type)]
    where = [emitter.word(atomic_scope(pointer)), emitter.word(enums.MemorySemanticsNone)]
    word = emit_op(emitter, op.Bitcast, UINT, [value])
    return emit_op(emitter, op.Bitcast, type, [emitter.emit(code, emitter.u32, [pointer, *where, word])])
