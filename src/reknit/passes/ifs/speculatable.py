"""What may run for those who didn't ask for it, or sooner than it stands: plain arithmetic on values.

    yes    IAdd, FMul, ULessThan, Select, CompositeExtract, Bitcast ...
    no     what reads or writes memory, what is tangled, calls, and what is undefined for some operands: division by
           zero, a float that fits no int, an index out of a vector (SPIR-V 1.6, 3.42: "Behavior is undefined if ...")
"""

from typing import Final

from reknit.ir import op
from reknit.ir.instr import Instr

SPECULATABLE: Final = frozenset(
    (
        op.SNegate, op.FNegate, op.IAdd, op.FAdd, op.ISub, op.FSub, op.IMul, op.FMul, op.VectorTimesScalar,
        op.MatrixTimesScalar, op.VectorTimesMatrix, op.MatrixTimesVector, op.MatrixTimesMatrix, op.OuterProduct,
        op.Dot, op.IAddCarry, op.ISubBorrow, op.UMulExtended, op.SMulExtended, op.ShiftRightLogical,
        op.ShiftRightArithmetic, op.ShiftLeftLogical, op.BitwiseOr, op.BitwiseXor, op.BitwiseAnd, op.Not,
        op.BitFieldInsert, op.BitFieldSExtract, op.BitFieldUExtract, op.BitReverse, op.BitCount, op.Any, op.All,
        op.IsNan, op.IsInf, op.LogicalEqual, op.LogicalNotEqual, op.LogicalOr, op.LogicalAnd, op.LogicalNot, op.Select,
        op.IEqual, op.INotEqual, op.UGreaterThan, op.SGreaterThan, op.UGreaterThanEqual, op.SGreaterThanEqual,
        op.ULessThan, op.SLessThan, op.ULessThanEqual, op.SLessThanEqual, op.FOrdEqual, op.FUnordEqual,
        op.FOrdNotEqual, op.FUnordNotEqual, op.FOrdLessThan, op.FUnordLessThan, op.FOrdGreaterThan,
        op.FUnordGreaterThan, op.FOrdLessThanEqual, op.FUnordLessThanEqual, op.FOrdGreaterThanEqual,
        op.FUnordGreaterThanEqual, op.VectorShuffle, op.CompositeConstruct, op.CompositeExtract, op.CompositeInsert,
        op.Transpose, op.ConvertSToF, op.ConvertUToF, op.UConvert, op.SConvert, op.FConvert, op.QuantizeToF16,
    )
)  # fmt: skip

_NUMBERS: Final = (op.TypeBool, op.TypeInt, op.TypeFloat, op.TypeVector)


def is_speculatable(instr: Instr) -> bool:
    if instr.op == op.Bitcast or instr.op == op.CopyObject:
        source = instr.instr(0).type
        return instr.type is not None and instr.type.op in _NUMBERS and source is not None and source.op in _NUMBERS
    return instr.op in SPECULATABLE
