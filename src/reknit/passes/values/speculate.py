"""Which operations may be computed by lanes that would not have come to them.

    IAdd, FMul, Select, ULessThan, UConvert, Bitcast, CompositeExtract      yes: defined for all operands
    UDiv %a, 4u     ShiftLeftLogical %a, 3u                                 yes: the operand says so
    UDiv %a, %b     ShiftLeftLogical %a, %n     SDiv %a, -1                 no: undefined for some
    IAdd decorated NoSignedWrap                                             no
    access chains, extracts at a place only known later, GLSL.std.450       no

Source: SPIR-V 1.6, 3.52, where it says "undefined" of the result or of the behavior.
"""

from typing import Final

from reknit.analysis.decorations import Decorations
from reknit.ir import enums, op
from reknit.ir.instr import Instr
from reknit.ir.types import width_of
from reknit.passes.values.literals import bits_of

_DEFINED: Final = frozenset(
    (
        op.SNegate, op.FNegate, op.IAdd, op.FAdd, op.ISub, op.FSub, op.IMul, op.FMul, op.FDiv, op.VectorTimesScalar,
        op.MatrixTimesScalar, op.VectorTimesMatrix, op.MatrixTimesVector, op.MatrixTimesMatrix, op.OuterProduct, op.Dot,
        op.IAddCarry, op.ISubBorrow, op.UMulExtended, op.SMulExtended, op.Any, op.All, op.IsNan, op.IsInf,
        op.LogicalEqual, op.LogicalNotEqual, op.LogicalOr, op.LogicalAnd, op.LogicalNot, op.Select, op.IEqual,
        op.INotEqual, op.UGreaterThan, op.SGreaterThan, op.UGreaterThanEqual, op.SGreaterThanEqual, op.ULessThan,
        op.SLessThan, op.ULessThanEqual, op.SLessThanEqual, op.FOrdEqual, op.FUnordEqual, op.FOrdNotEqual,
        op.FUnordNotEqual, op.FOrdLessThan, op.FUnordLessThan, op.FOrdGreaterThan, op.FUnordGreaterThan,
        op.FOrdLessThanEqual, op.FUnordLessThanEqual, op.FOrdGreaterThanEqual, op.FUnordGreaterThanEqual,
        op.BitwiseOr, op.BitwiseXor, op.BitwiseAnd, op.Not, op.BitReverse, op.BitCount, op.ConvertSToF,
        op.ConvertUToF, op.UConvert, op.SConvert, op.FConvert, op.QuantizeToF16, op.SatConvertSToU, op.SatConvertUToS,
        op.Bitcast, op.VectorShuffle, op.CompositeConstruct, op.CompositeExtract, op.CompositeInsert, op.CopyObject,
        op.Transpose, op.CopyLogical,
    )
)  # fmt: skip
_SHIFTS: Final = (op.ShiftLeftLogical, op.ShiftRightLogical, op.ShiftRightArithmetic)
_PROMISES: Final = (enums.DecorationNoSignedWrap, enums.DecorationNoUnsignedWrap)
_UNSIGNED: Final = (op.UDiv, op.UMod)
_SIGNED: Final = (op.SDiv, op.SRem, op.SMod)


def is_speculatable(instr: Instr, decorations: Decorations) -> bool:
    """True if computing `instr` is defined whatever its operands are. One that promises not to wrap isn't."""
    code = instr.op
    for decoration in decorations.of(instr):
        if decoration in _PROMISES:
            return False
    if code in _DEFINED:
        return True
    if code not in _SHIFTS and code not in _UNSIGNED and code not in _SIGNED:
        return False
    bits = bits_of(instr.value(1))
    if bits is None or instr.type is None:
        return False
    width = width_of(instr.type)
    if code in _SHIFTS:
        return all(each < width for each in bits)
    if code in _UNSIGNED:
        return 0 not in bits
    return 0 not in bits and (1 << width) - 1 not in bits
