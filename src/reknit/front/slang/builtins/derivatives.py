"""How values change between neighbouring pixels of a quad.

    ddx(v)    DPdx %v        ddy_fine(v)    DPdyFine %v        fwidth(h)    Fwidth of a float, made a half again

Source: Microsoft's HLSL reference, "Intrinsic Functions"; SPIR-V 1.6, 3.52.16 (derivatives are of 32-bit floats).
"""

from typing import Final

from reknit.front.slang.builtins.components import emit_op, row_by_row
from reknit.front.slang.builtins.emitter import Emitter, Unsupported
from reknit.front.slang.builtins.rows import Row, Rows
from reknit.front.slang.builtins.shapes import scalar_of, shape
from reknit.front.slang.hir import Intrinsic
from reknit.front.slang.types import FLOAT, Type
from reknit.ir import enums, op
from reknit.ir.value import Value


def _row(code: int, controlled: bool = True) -> Row:
    """`controlled`: it says how coarse it is, which takes a capability."""

    def piece(emitter: Emitter, result: Type, types: list[Type], operands: list[Value]) -> Value:
        if scalar_of(result).width == 32:
            return emit_op(emitter, code, result, operands)
        whole = shape(result).of(FLOAT)
        if whole is None or scalar_of(result).width == 64:
            raise Unsupported("SPIR-V has derivatives of floats only")
        wide = emit_op(emitter, op.FConvert, whole, operands)
        return emit_op(emitter, op.FConvert, result, [emit_op(emitter, code, whole, [wide])])

    def make(emitter: Emitter, call: Intrinsic, types: list[Type], operands: list[Value]) -> Value | None:
        emitter.uses("derivatives")
        if controlled:
            emitter.capability(enums.CapabilityDerivativeControl)
        return row_by_row(emitter, call.type, types, operands, piece)

    return "f T(T)", make


FUNCTIONS: Final[Rows] = {
    "ddx": _row(op.DPdx, controlled=False),
    "ddx_coarse": _row(op.DPdxCoarse),
    "ddx_fine": _row(op.DPdxFine),
    "ddy": _row(op.DPdy, controlled=False),
    "ddy_coarse": _row(op.DPdyCoarse),
    "ddy_fine": _row(op.DPdyFine),
    "fwidth": _row(op.Fwidth, controlled=False),
    "fwidth_coarse": _row(op.FwidthCoarse),
    "fwidth_fine": _row(op.FwidthFine),
}
