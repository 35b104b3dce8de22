"""Names to builtins, over all families; and an Intrinsic to the instructions for it.

    "WaveActiveSum" -> a family's row -> Builtin, kept          "RWByteAddressBuffer.Store2" -> methods of the kind

No name is in two families. The receiver's type says which methods there are.
"""

from collections.abc import Callable
from typing import Final

from reknit.front.slang.builtins import (
    atomics,
    barriers,
    bits,
    bytes,
    casts,
    clocks,
    compound,
    derivatives,
    folds,
    geometry,
    images,
    inputs,
    lanes,
    logic,
    math,
    matrices,
    number_members,
    rays,
    sampling,
    sparse,
    special,
    structured,
)
from reknit.front.slang.builtins.builtin import Builtin, Maker, Signature
from reknit.front.slang.builtins.emitter import Emitter, Unsupported
from reknit.front.slang.builtins.kinds import BYTE_ADDRESS, STRUCTURED, SUBPASS, TYPED, texture_shape
from reknit.front.slang.builtins.rows import Rows, builtin
from reknit.front.slang.hir import Intrinsic
from reknit.front.slang.types import ResourceType, Type
from reknit.ir.value import Value
from reknit.source.diagnostic import InternalError

_FAMILIES: Final[tuple[Rows, ...]] = (
    math.FUNCTIONS, compound.FUNCTIONS, geometry.FUNCTIONS, logic.FUNCTIONS, bits.FUNCTIONS, casts.FUNCTIONS,
    lanes.FUNCTIONS, folds.FUNCTIONS, atomics.FUNCTIONS, barriers.FUNCTIONS, clocks.FUNCTIONS, derivatives.FUNCTIONS,
    inputs.INPUTS, sparse.FUNCTIONS,
)  # fmt: skip
_MADE: Final[tuple[dict[str, Builtin], ...]] = (
    matrices.BUILTINS, logic.BUILTINS, casts.BUILTINS, special.BUILTINS, number_members.STATICS,
)  # fmt: skip
_FOUND: Final[dict[str, Builtin]] = {}

MethodResolver = Callable[[str, Type, list[Type], list[Type]], Signature | None]


def find(name: str) -> Builtin | None:
    """A free function."""
    known = _FOUND.get(name)
    if known is not None:
        return known
    for family in _FAMILIES:
        row = family.get(name)
        if row is not None:
            new = builtin(name, row)
            _FOUND[name] = new
            return new
    for ready in _MADE:
        own = ready.get(name)
        if own is not None:
            return own
    return None


# ---- methods


def _on_bytes(name: str, receiver: Type, arguments: list[Type], type_arguments: list[Type]) -> Signature | None:
    return bytes.resolve(name, receiver, arguments, type_arguments)


def _on_structured(name: str, receiver: Type, arguments: list[Type], type_arguments: list[Type]) -> Signature | None:
    return structured.resolve(name, receiver, arguments)


def _on_images(name: str, receiver: Type, arguments: list[Type], type_arguments: list[Type]) -> Signature | None:
    if name.startswith(sampling.NAMES):
        return sampling.resolve(name, receiver, arguments)
    return images.resolve(name, receiver, arguments)


def _emit_of_image(emitter: Emitter, call: Intrinsic, types: list[Type], operands: list[Value]) -> Value | None:
    sampled = call.name.partition(".")[2].startswith(sampling.NAMES)
    return (sampling.emit if sampled else images.emit)(emitter, call, types, operands)


def _on_atomics(name: str, receiver: Type, arguments: list[Type], type_arguments: list[Type]) -> Signature | None:
    return atomics.resolve(name, receiver, arguments)


def _on_rays(name: str, receiver: Type, arguments: list[Type], type_arguments: list[Type]) -> Signature | None:
    return rays.resolve(name, receiver, arguments)


def _on_values(name: str, receiver: Type, arguments: list[Type], type_arguments: list[Type]) -> Signature | None:
    return number_members.resolve(name, receiver, arguments)


_NAMES: Final[dict[str, tuple[str, ...]]] = {
    "bytes": ("Load", "Store", "GetDimensions", "Interlocked", bytes.PAIRS), "structured": (
        "Load", "GetDimensions", "getCount", "Append", "Consume", "IncrementCounter", "DecrementCounter",
    ),
    "images": ("Load", "Store", "GetDimensions", "SubpassLoad", *sampling.NAMES),
    "atomics": (
        "add", "sub", "min", "max", "and", "or", "xor", "exchange", "compareExchange", "load", "store", "increment",
        "decrement", "reduce",
    ),
    "rays": rays.NAMES, "values": number_members.NAMES,
}  # fmt: skip
"""What the names of a family's methods start with."""


def _methods(receiver: Type) -> tuple[str, MethodResolver, Maker]:
    if not isinstance(receiver, ResourceType):
        return "values", _on_values, number_members.emit
    if receiver.kind in BYTE_ADDRESS:
        return "bytes", _on_bytes, bytes.emit
    if receiver.kind in STRUCTURED:
        return "structured", _on_structured, structured.emit
    if receiver.kind in TYPED or receiver.kind in SUBPASS or texture_shape(receiver.kind) is not None:
        return "images", _on_images, _emit_of_image
    if receiver.kind == rays.QUERY:
        return "rays", _on_rays, rays.emit
    return "atomics", _on_atomics, atomics.emit


def find_method(receiver: Type, name: str) -> Builtin | None:
    """A method of a builtin type, or of an opaque one with builtin bounds."""
    family, on, emit_method = _methods(receiver)
    if not name.startswith(_NAMES[family]):
        return None

    def resolve(arguments: list[Type], type_arguments: list[Type], of: Type | None) -> Signature | None:
        return on(name, of if of is not None else receiver, arguments, type_arguments)

    return Builtin(name, resolve, emit_method)


# ---- emitting


def emit(emitter: Emitter, call: Intrinsic, types: list[Type], operands: list[Value]) -> Value | None:
    """The value of `call`, None for void or after a refusal. `types` are those of the operands, without generic
    parameters; `call.type` and `call.type_arguments` have none either."""
    make = _maker(call.name, types)
    try:
        return make(emitter, call, types, operands)
    except Unsupported as refusal:
        emitter.refuse(call.at, refusal.message)
        return None


def _maker(name: str, types: list[Type]) -> Maker:
    if "." in name:
        return _methods(types[0])[2]
    template = find(name)
    if template is None:
        raise InternalError(f"no builtin {name}")
    return template.emit
