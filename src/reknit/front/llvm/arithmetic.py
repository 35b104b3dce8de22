"""Arithmetic, comparisons and conversions: one instruction of ours each, but for i1, which is a bool here.

    add, fmul, icmp ult, sitofp ...     IAdd, FMul, ULessThan, ConvertSToF
    xor i1, icmp ne i1, zext i1         LogicalNotEqual, LogicalNotEqual, Select 1 0
    add i33, zext i32 to i33            in 64 bits, of which those above stay 0
"""

from typing import Final

from reknit.front.llvm import syntax
from reknit.front.llvm.bits import cut_off, is_odd, scalar, with_sign
from reknit.front.llvm.places import as_number, compared, of_number
from reknit.front.llvm.results import Result
from reknit.front.llvm.state import Lowering
from reknit.front.llvm.syntax import Statement, Type
from reknit.front.llvm.unsupported import Refusal
from reknit.ir import enums, op
from reknit.ir.floats import rounded_bits
from reknit.ir.instr import Instr
from reknit.ir.types import bool_type, vector_type
from reknit.ir.value import Value

BINARY: Final = {
    "add": op.IAdd, "sub": op.ISub, "mul": op.IMul, "udiv": op.UDiv, "sdiv": op.SDiv, "urem": op.UMod, "srem": op.SRem,
    "shl": op.ShiftLeftLogical, "lshr": op.ShiftRightLogical, "ashr": op.ShiftRightArithmetic,
    "and": op.BitwiseAnd, "or": op.BitwiseOr, "xor": op.BitwiseXor,
    "fadd": op.FAdd, "fsub": op.FSub, "fmul": op.FMul, "fdiv": op.FDiv, "frem": op.FRem,
}  # fmt: skip
_ON_BOOLS: Final = {
    "and": op.LogicalAnd, "or": op.LogicalOr, "xor": op.LogicalNotEqual, "add": op.LogicalNotEqual,
    "sub": op.LogicalNotEqual, "mul": op.LogicalAnd,
}  # fmt: skip
_INTEGER_COMPARISONS: Final = {
    "eq": op.IEqual, "ne": op.INotEqual, "ugt": op.UGreaterThan, "uge": op.UGreaterThanEqual, "ult": op.ULessThan,
    "ule": op.ULessThanEqual, "sgt": op.SGreaterThan, "sge": op.SGreaterThanEqual, "slt": op.SLessThan,
    "sle": op.SLessThanEqual,
}  # fmt: skip
_FLOAT_COMPARISONS: Final = {
    "oeq": op.FOrdEqual, "ogt": op.FOrdGreaterThan, "oge": op.FOrdGreaterThanEqual, "olt": op.FOrdLessThan,
    "ole": op.FOrdLessThanEqual, "one": op.FOrdNotEqual, "ueq": op.FUnordEqual, "ugt": op.FUnordGreaterThan,
    "uge": op.FUnordGreaterThanEqual, "ult": op.FUnordLessThan, "ule": op.FUnordLessThanEqual,
    "une": op.FUnordNotEqual,
}  # fmt: skip
_OF_SIGNED: Final = ("sdiv", "srem", "ashr")
_CONVERSIONS: Final = {
    "fptoui": op.ConvertFToU, "fptosi": op.ConvertFToS, "uitofp": op.ConvertUToF, "sitofp": op.ConvertSToF,
    "fpext": op.FConvert, "fptrunc": op.FConvert, "zext": op.UConvert, "sext": op.SConvert, "trunc": op.UConvert,
}  # fmt: skip


def binary(lowering: Lowering, statement: Statement) -> Result:
    target = lowering.target
    type = statement.type
    a, b = [lowering.value(operand) for operand in statement.operands]
    if scalar(type).is_bool():
        code = _ON_BOOLS.get(statement.op)
        if code is None:
            raise Refusal(f"is {statement.op} of i1")
        return target.emit(code, target.type(type), [a, b])
    if is_odd(type) and statement.op in _OF_SIGNED:
        a = with_sign(target, type, a)
        b = with_sign(target, type, b) if statement.op != "ashr" else b
    result = target.emit(BINARY[statement.op], target.type(type), [a, b])
    if is_odd(type):
        return cut_off(target, type, result) if statement.op in (*_OF_SIGNED, "add", "sub", "mul", "shl") else result
    if lowering.scene.stage and scalar(type).kind == syntax.FLOAT and "fast" not in statement.words:
        target.decorate(result, enums.DecorationNoContraction)  # DXC leaves out `fast` where HLSL says `precise`
    return result


def compare(lowering: Lowering, statement: Statement) -> Result:
    target = lowering.target
    predicate = statement.words[0] if statement.words else ""
    source = statement.operands[0].type
    if source.kind == syntax.PTR:
        return compared(lowering, predicate, *[lowering.place(operand) for operand in statement.operands])
    result = target.type(statement.type)
    if statement.op == "fcmp" and predicate in ("true", "false"):
        return target.constant(statement.type, 1 if predicate == "true" else 0)
    a, b = [lowering.value(operand) for operand in statement.operands]
    if statement.op == "fcmp":
        if predicate in ("ord", "uno"):
            either = [target.emit(op.IsNan, result, [operand]) for operand in (a, b)]
            unordered = target.emit(op.LogicalOr, result, [*either])
            return unordered if predicate == "uno" else target.emit(op.LogicalNot, result, [unordered])
        return target.emit(_FLOAT_COMPARISONS[predicate], result, [a, b])
    if scalar(source).is_bool():
        if predicate in ("eq", "ne"):
            return target.emit(op.LogicalEqual if predicate == "eq" else op.LogicalNotEqual, result, [a, b])
        a, b = [selected(lowering, operand, source) for operand in (a, b)]
        if predicate.startswith("s"):  # true is -1
            a, b = b, a
    if is_odd(source) and predicate.startswith("s"):
        a, b = with_sign(target, source, a), with_sign(target, source, b)
    return target.emit(_INTEGER_COMPARISONS[predicate], result, [a, b])


def selected(lowering: Lowering, value: Value, source: Type) -> Value:
    """A bool as a u32."""
    if source.kind == syntax.VECTOR:
        raise Refusal("compares vectors of i1 by size")
    target = lowering.target
    return target.emit(op.Select, target.u32, [value, target.word(1), target.word(0)])


def negate(lowering: Lowering, statement: Statement) -> Result:
    return lowering.target.emit(op.FNegate, lowering.type(statement), [lowering.value(statement.operands[0])])


def convert(lowering: Lowering, statement: Statement) -> Result:
    target = lowering.target
    source = scalar(statement.operands[0].type)
    wanted = scalar(statement.type)
    if statement.op in ("bitcast", "addrspacecast") and statement.type.kind == syntax.PTR:
        return lowering.place(statement.operands[0])
    if statement.op == "ptrtoint":
        size = lowering.scene.layout.stored(statement.operands[0].type)
        return as_number(lowering, lowering.place(statement.operands[0]), size, statement.type)
    value = lowering.value(statement.operands[0])
    if statement.op == "inttoptr":
        size = lowering.scene.layout.stored(statement.type)
        roots = lowering.scene.points.of_local(lowering.routine.name, (statement.origin or statement).name)
        return of_number(lowering, value, source.width, size, roots)
    ir_type = target.type(statement.type)
    if statement.op == "bitcast":
        assert isinstance(value, Instr)
        return value if value.type is ir_type else target.emit(op.Bitcast, ir_type, [value])
    if source.is_bool():
        ones = {"zext": 1, "sext": -1}.get(statement.op)
        if ones is None:
            number = 1.0 if statement.op == "uitofp" else -1.0
            yes = target.constant(statement.type, rounded_bits(number, wanted.width))
        else:
            yes = target.constant(statement.type, ones)
        return target.emit(op.Select, ir_type, [value, yes, target.constant(statement.type, 0)])
    if statement.op in ("fpext", "fptrunc") and source.width == wanted.width:
        return value  # a half of minimum precision
    if is_odd(statement.operands[0].type) and statement.op in ("sext", "sitofp"):
        value = with_sign(target, statement.operands[0].type, value)
    if wanted.is_bool():
        if statement.op != "trunc":
            raise Refusal(f"is {statement.op} to i1")
        kind = statement.operands[0].type
        low = target.emit(op.BitwiseAnd, target.type(kind), [value, target.constant(kind, 1)])
        return target.emit(op.INotEqual, ir_type, [low, target.constant(kind, 0)])
    assert isinstance(value, Instr)
    same = statement.op in ("zext", "sext", "trunc") and value.type is ir_type
    converted = value if same else target.emit(_CONVERSIONS[statement.op], ir_type, [value])
    return cut_off(target, statement.type, converted) if is_odd(statement.type) else converted


def select(lowering: Lowering, statement: Statement) -> Result:
    """Of values. Pointers are chosen by their distance, in `lower`."""
    target = lowering.target
    condition, yes, no = [lowering.value(operand) for operand in statement.operands]
    ir_type = lowering.type(statement)
    if ir_type.op == op.TypeVector and statement.operands[0].type.kind != syntax.VECTOR:
        count = ir_type.word(1)
        condition = target.emit(
            op.CompositeConstruct, vector_type(target.module, bool_type(target.module), count), [condition] * count
        )
    return target.emit(op.Select, ir_type, [condition, yes, no])
