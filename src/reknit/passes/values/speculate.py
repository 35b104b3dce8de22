"""Which operations may be computed by lanes that would not have come to them, or sooner than they stand.

    IAdd, FMul, Select, ULessThan, UConvert, Bitcast, CompositeExtract      yes: defined for all operands
    UDiv %a, 4u     ShiftLeftLogical %a, 3u     FDiv %a, 2.0                yes: the operand says so
    ShiftLeftLogical %a, %n  with  %n = BitwiseAnd %m, 31u                  yes: it can't be too large
    BitFieldUExtract %a, 4u, 8u                                             yes: within the width
    UDiv %a, %b     ShiftLeftLogical %a, %n     SDiv %a, -1                 no: undefined for some
    IAdd decorated NoSignedWrap, FAdd decorated FPFastMathMode              no: undefined for some
    access chains, extracts at a place only known later, GLSL.std.450       no
    a pointer or handle that is copied or cast                              no: not everywhere may it be

The one answer for every pass that moves operations to where others run them. Source: SPIR-V 1.6, 3.52, where it says
"undefined" of the result or of the behavior, and 3.20, "Decoration".
"""

from typing import Final

from reknit.analysis.decorations import Decorations
from reknit.ir import enums, op
from reknit.ir.constant_bits import bits_of
from reknit.ir.instr import Instr
from reknit.ir.types import width_of
from reknit.ir.value import Value

_DEFINED: Final = frozenset(
    (
        op.SNegate, op.FNegate, op.IAdd, op.FAdd, op.ISub, op.FSub, op.IMul, op.FMul, op.VectorTimesScalar,
        op.MatrixTimesScalar, op.VectorTimesMatrix, op.MatrixTimesVector, op.MatrixTimesMatrix, op.OuterProduct, op.Dot,
        op.IAddCarry, op.ISubBorrow, op.UMulExtended, op.SMulExtended, op.Any, op.All, op.IsNan, op.IsInf,
        op.LogicalEqual, op.LogicalNotEqual, op.LogicalOr, op.LogicalAnd, op.LogicalNot, op.Select, op.IEqual,
        op.INotEqual, op.UGreaterThan, op.SGreaterThan, op.UGreaterThanEqual, op.SGreaterThanEqual, op.ULessThan,
        op.SLessThan, op.ULessThanEqual, op.SLessThanEqual, op.FOrdEqual, op.FUnordEqual, op.FOrdNotEqual,
        op.FUnordNotEqual, op.FOrdLessThan, op.FUnordLessThan, op.FOrdGreaterThan, op.FUnordGreaterThan,
        op.FOrdLessThanEqual, op.FUnordLessThanEqual, op.FOrdGreaterThanEqual, op.FUnordGreaterThanEqual,
        op.BitwiseOr, op.BitwiseXor, op.BitwiseAnd, op.Not, op.BitReverse, op.BitCount, op.ConvertSToF,
        op.ConvertUToF, op.UConvert, op.SConvert, op.FConvert, op.QuantizeToF16, op.SatConvertSToU, op.SatConvertUToS,
        op.VectorShuffle, op.CompositeConstruct, op.CompositeExtract, op.CompositeInsert, op.Transpose, op.CopyLogical,
    )
)  # fmt: skip
_SHIFTS: Final = (op.ShiftLeftLogical, op.ShiftRightLogical, op.ShiftRightArithmetic)
_PROMISES: Final = (
    enums.DecorationNoSignedWrap,
    enums.DecorationNoUnsignedWrap,
    enums.DecorationFPFastMathMode,
)
_UNSIGNED: Final = (op.UDiv, op.UMod)
_SIGNED: Final = (op.SDiv, op.SRem, op.SMod)
_FLOATING: Final = (op.FDiv, op.FRem, op.FMod)
_FIELDS: Final = {op.BitFieldInsert: 2, op.BitFieldSExtract: 1, op.BitFieldUExtract: 1}  # where the offset stands
_COPIES: Final = (op.Bitcast, op.CopyObject)
_NUMBERS: Final = (op.TypeBool, op.TypeInt, op.TypeFloat, op.TypeVector)


def is_speculatable(instr: Instr, decorations: Decorations) -> bool:
    """True if computing `instr` is defined whatever its operands are. One that promises not to wrap isn't."""
    code = instr.op
    if any(decoration in _PROMISES for decoration in decorations.of(instr)):
        return False
    if code in _DEFINED:
        return True
    if instr.type is None:
        return False
    if code in _COPIES:
        copied = instr.operands[0]
        source = copied.type if isinstance(copied, Instr) else None
        return instr.type.op in _NUMBERS and source is not None and source.op in _NUMBERS
    if code in _SHIFTS:
        return _is_below(instr.value(1), width_of(instr.type))
    if code in _FIELDS:
        return _is_within(instr, _FIELDS[code], width_of(instr.type))
    if code in _UNSIGNED or code in _SIGNED or code in _FLOATING:
        return _divides(code, instr.value(1), width_of(instr.type))
    return False


def _is_below(amount: Value, width: int) -> bool:
    """Whether each component of `amount` is known to be less than `width`: a constant, or masked by one."""
    bits = bits_of(amount)
    if bits is not None:
        return all(each < width for each in bits)
    if not isinstance(amount, Instr) or amount.op != op.BitwiseAnd:
        return False
    for operand in (amount.value(0), amount.value(1)):
        bits = bits_of(operand)
        if bits is not None and all(each < width for each in bits):
            return True
    return False


def _is_within(instr: Instr, place: int, width: int) -> bool:
    """Whether the bits of a field, from the offset at operand `place` on, are bits of the base."""
    offset = bits_of(instr.value(place))
    count = bits_of(instr.value(place + 1))
    return offset is not None and count is not None and offset[0] + count[0] <= width


def _divides(code: int, divisor: Value, width: int) -> bool:
    bits = bits_of(divisor)
    if bits is None:
        return False
    ones = (1 << width) - 1
    if code in _FLOATING:
        return all(each & (ones >> 1) != 0 for each in bits)  # neither 0 nor -0
    return 0 not in bits and (code in _UNSIGNED or ones not in bits)
