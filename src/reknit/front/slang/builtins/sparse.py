"""Accesses to textures that say whether all they read is mapped: those with a status.

    t.Sample(s, uv, int2(0), 0, status)     %both = ImageSparseSampleImplicitLod : { status, texel }
    CheckAccessFullyMapped(status)          ImageSparseTexelsResident %status

Source: Microsoft's HLSL reference, "CheckAccessFullyMapped"; SPIR-V 1.6, 3.52.10 (sparse image instructions).
"""

from typing import Final

from reknit.front.slang.builtins.components import emit_op
from reknit.front.slang.builtins.emitter import Emitter
from reknit.front.slang.builtins.rows import Row, Rows
from reknit.front.slang.hir import Intrinsic
from reknit.front.slang.types import BOOL, UINT, ScalarType, Type
from reknit.ir import enums, op
from reknit.ir.instr import Instr, Operand
from reknit.ir.sparse import SPARSE
from reknit.ir.value import Value


def status_type(argument: Type) -> Type:
    """What an `out` argument is taken as: itself if it is an int, else a uint."""
    return argument if isinstance(argument, ScalarType) and argument.name == "int" else UINT


def accessed(
    emitter: Emitter, code: int, texels: Instr, operands: list[Operand], status: Value | None, type: Type = UINT
) -> Value:
    """The texel that an image instruction gives; where there is a pointer for it, the status is stored there."""
    if status is None:
        return emitter.emit(code, texels, operands)
    emitter.capability(enums.CapabilitySparseResidency)
    both = emitter.module.intern(op.TypeStruct, None, [emitter.u32, texels])
    pair = emitter.emit(SPARSE[code], both, operands)
    residency = emitter.emit(op.CompositeExtract, emitter.u32, [pair, 0])
    emitter.effect(op.Store, [status, residency if type is UINT else emit_op(emitter, op.Bitcast, type, [residency])])
    return emitter.emit(op.CompositeExtract, texels, [pair, 1])


def _check(emitter: Emitter, call: Intrinsic, types: list[Type], operands: list[Value]) -> Value | None:
    emitter.capability(enums.CapabilitySparseResidency)
    return emit_op(emitter, op.ImageSparseTexelsResident, BOOL, operands)


_CHECK: Final[Row] = ("u bool(uint)", _check)
FUNCTIONS: Final[Rows] = {"CheckAccessFullyMapped": _CHECK}
