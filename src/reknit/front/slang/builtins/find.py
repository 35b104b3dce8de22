"""Names to builtins, over all families; and an Intrinsic to the instructions for it.

    "WaveActiveSum" -> a family's row -> Builtin, kept          "RWByteAddressBuffer.Store2" -> methods of the kind

The families are asked in order; no name is in two of them.
"""

from typing import Final

from reknit.front.slang.builtins import barriers, compound, geometry, logic, math, matrices
from reknit.front.slang.builtins.builtin import Builtin
from reknit.front.slang.builtins.emitter import Emitter, Unsupported
from reknit.front.slang.builtins.rows import Rows, builtin
from reknit.front.slang.hir import Intrinsic
from reknit.front.slang.types import Type
from reknit.ir.value import Value
from reknit.source.diagnostic import InternalError

_FAMILIES: Final[list[Rows]] = [
    math.FUNCTIONS,
    compound.FUNCTIONS,
    geometry.FUNCTIONS,
    logic.FUNCTIONS,
    barriers.FUNCTIONS,
]
_MADE: Final[list[dict[str, Builtin]]] = [matrices.BUILTINS, logic.BUILTINS]
_FOUND: Final[dict[str, Builtin]] = {}


def find(name: str) -> Builtin | None:
    """A free function."""
    known = _FOUND.get(name)
    if known is not None:
        return known
    for family in _FAMILIES:
        row = family.get(name)
        if row is not None:
            made = builtin(name, row)
            _FOUND[name] = made
            return made
    for ready in _MADE:
        own = ready.get(name)
        if own is not None:
            return own
    return None


def find_method(receiver: Type, name: str) -> Builtin | None:
    """A method of a builtin type, an opaque one with builtin bounds among them."""
    return None


def emit(emitter: Emitter, call: Intrinsic, types: list[Type], operands: list[Value]) -> Value | None:
    """The value of `call`, None for void or after a refusal. `types` are those of the operands, without generic
    parameters; `call.type` and `call.type_arguments` neither have any."""
    made = find(call.name)
    if made is None:
        raise InternalError(f"no builtin {call.name}")
    try:
        return made.emit(emitter, call, types, operands)
    except Unsupported as refusal:
        emitter.refuse(call.at, refusal.message)
        return None
