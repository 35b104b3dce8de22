"""LLVM's own functions: llvm.ctpop.i32, llvm.umin.i32, llvm.fabs.f32 ...

    those that mean nothing here (lifetimes, debug information, assumptions, convergence tokens) vanish
"""

from typing import Final

from reknit.front.llvm import syntax
from reknit.front.llvm.arithmetic import scalar
from reknit.front.llvm.refusal import Refusal
from reknit.front.llvm.results import Pieces, Result
from reknit.front.llvm.state import Lowering
from reknit.front.llvm.syntax import Statement
from reknit.front.llvm.target import Target
from reknit.ir import op
from reknit.ir.instr import Instr
from reknit.ir.value import Value

PREFIX: Final = "llvm."

_NOTHING: Final = (
    "dbg", "lifetime", "assume", "experimental.convergence", "experimental.noalias", "donothing", "invariant",
)  # fmt: skip
_EXTENDED: Final = {
    "fabs": 4, "sqrt": 31, "floor": 8, "ceil": 9, "trunc": 3, "rint": 2, "nearbyint": 2, "roundeven": 2, "sin": 13,
    "cos": 14, "tan": 15, "exp2": 29, "exp": 27, "log2": 30, "log": 28, "pow": 26, "minnum": 79, "maxnum": 80,
    "smin": 39, "umin": 38, "smax": 42, "umax": 41, "fma": 50,
}  # fmt: skip
_PLAIN: Final = {"ctpop": op.BitCount, "bitreverse": op.BitReverse}
_OVERFLOW: Final = ("uadd", "usub")


def intrinsic(lowering: Lowering, statement: Statement) -> Result:
    """What the call gives. Raises Refusal."""
    name = statement.callee.removeprefix(PREFIX)
    if name.startswith(_NOTHING):
        return None
    base = name.partition(".")[0]
    target = lowering.target
    if base in _OVERFLOW:
        return _with_overflow(lowering, statement, base)
    if base not in _EXTENDED and base not in _PLAIN and base not in ("abs", "ctlz", "cttz", "fmuladd", "fshl", "fshr"):
        raise Refusal(f"calls @{statement.callee}, which is not read here")
    count = {"abs": 1, "ctlz": 1, "cttz": 1}.get(base, len(statement.operands))
    values = [lowering.value(operand) for operand in statement.operands[:count]]
    made = lowering.type(statement)
    if base in _EXTENDED:
        if base in ("smin", "umin", "smax", "umax") and scalar(statement.type).is_bool():
            raise Refusal("compares i1 by size")
        return target.extended(_EXTENDED[base], made, values)
    if base in _PLAIN:
        return target.emit(_PLAIN[base], made, [*values])
    if base == "abs":
        return target.extended(5, made, values)
    if base == "fmuladd":
        return target.emit(op.FAdd, made, [target.emit(op.FMul, made, [*values[:2]]), values[2]])
    if statement.type.kind == syntax.VECTOR or statement.type.width != 32:
        raise Refusal(f"calls @{statement.callee}, which is read for i32 only")
    if base in ("fshl", "fshr"):
        return _funnel(target, values, base == "fshl")
    return _zeros(target, values[0], base == "ctlz")


def _with_overflow(lowering: Lowering, statement: Statement, base: str) -> Result:
    target = lowering.target
    made = target.type(statement.type.parts[0])
    a, b = [lowering.value(operand) for operand in statement.operands]
    total = target.emit(op.IAdd if base == "uadd" else op.ISub, made, [a, b])
    wrapped = target.emit(op.ULessThan, target.boolean, [total, a] if base == "uadd" else [a, b])
    return Pieces([total, wrapped])


def _zeros(target: Target, value: Value, leading: bool) -> Instr:
    """Zeros before the first one; 32 if there is none."""
    found = target.extended(75 if leading else 73, target.u32, [value])  # -1 for zero
    if leading:
        return target.emit(op.ISub, target.u32, [target.word(31), found])
    return target.extended(38, target.u32, [found, target.word(32)])


def _funnel(target: Target, values: list[Value], left: bool) -> Instr:
    """The upper (or lower) half of two words moved by the third modulo 32."""
    by = target.emit(op.BitwiseAnd, target.u32, [values[2], target.word(31)])
    none = target.emit(op.IEqual, target.boolean, [by, target.word(0)])
    rest = target.emit(op.BitwiseAnd, target.u32, [target.emit(op.ISub, target.u32, [target.word(32), by]),
                                                   target.word(31)])  # fmt: skip
    high = target.emit(op.ShiftLeftLogical, target.u32, [values[0], by if left else rest])
    low = target.emit(op.ShiftRightLogical, target.u32, [values[1], rest if left else by])
    both = target.emit(op.BitwiseOr, target.u32, [high, low])
    return target.emit(op.Select, target.u32, [none, values[0 if left else 1], both])
