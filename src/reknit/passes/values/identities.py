"""Operations whose result is one of their operands, or a constant whatever the others are.

    IAdd %x, 0    ISub %x, 0    IMul %x, 1    BitwiseAnd %x, %x    ShiftLeftLogical %x, 0        =>  %x
    ISub %x, %x   IMul %x, 0    BitwiseAnd %x, 0    UMod %x, 1                                   =>  0
    IEqual %x, %x   ULessThanEqual %x, %x   ULessThan %x, 0                                      =>  true, true, false
    LogicalAnd %c, true    Select %c, true, false    LogicalNot (LogicalNot %c)                  =>  %c
    Select %c, %x, %x      Select true, %x, %y       CopyObject %x      Bitcast %x, to its type   =>  %x

    FSub %x, 0.0    FMul %x, 1.0    VectorTimesScalar %x, 1.0    FNegate (FNegate %x)            =>  %x

Of floats x + 0.0 isn't x when x is -0.0, and x * 0.0 isn't 0.0 when x is -1.0, infinite or NaN. That x * 1.0 may flush
a denormal or quiet a NaN is a permission, unless DenormFlushToZero is declared. An operand takes the place of the
result only if it has its type, signedness included.
"""

from reknit.ir import enums, op, traits
from reknit.ir.constant_bits import all_ones, one_of, scalar_of, splat, splat_of
from reknit.ir.instr import Instr
from reknit.ir.module import Module
from reknit.ir.value import Value


def identity(code: int, type: Instr, operands: list[Value], module: Module) -> Value | None:
    """What an operation on `operands` is without computing anything, of type `type`; None if that isn't known."""
    if code == op.CopyObject:
        return _if_typed(operands[0], type)
    if code == op.Select:
        return _select(type, operands)
    if scalar_of(type) is None:
        return None
    if len(operands) == 1:
        inner = operands[0]
        if code == op.Bitcast:
            return _if_typed(inner, type)
        if code in traits.UNDOES_ITSELF and isinstance(inner, Instr) and inner.op == code:
            return None if _is_float(type) and flushes_denormals(module) else _if_typed(inner.value(0), type)
        return None
    if len(operands) != 2:
        return None
    left = operands[0]
    right = operands[1]
    if left is right:
        meant = _meant(traits.SELF.get(code, ""), type, left, module)
        if meant is not None:
            return meant
    known = splat_of(right)
    if known is None and (code in traits.COMMUTES or code == op.FMul):
        known = splat_of(left)
        left = right
    if known is None:
        return None
    return _constant_right(code, type, left, known, module)


def flushes_denormals(module: Module) -> bool:
    """Whether computing makes zeros of denormal floats, so that it is not enough to name them."""
    return any(mode.word(1) == enums.ExecutionModeDenormFlushToZero for mode in module.execution_modes)


def _is_float(type: Instr) -> bool:
    scalar = scalar_of(type)
    return scalar is not None and scalar.op == op.TypeFloat


def _meant(word: str, type: Instr, value: Value, module: Module) -> Value | None:
    """What an identity of the table says: the other operand, or a constant in each component."""
    if word == "x":
        return _if_typed(value, type)
    if word == "ones":
        return splat(module, type, all_ones(type))
    return splat(module, type, int(word)) if word else None


def _constant_right(code: int, type: Instr, left: Value, known: int, module: Module) -> Value | None:
    """`left` with a constant all of whose components are `known`."""
    if _is_float(type) and flushes_denormals(module):
        return None
    word = ""
    if known == 0:
        word = traits.ZERO.get(code, "")
    elif known == one_of(type):
        word = traits.ONE.get(code, "")
    elif code in traits.ONES and isinstance(left, Instr) and left.type is not None and known == all_ones(left.type):
        word = traits.ONES.get(code, "")
    return _meant(word, type, left, module)


def _select(type: Instr, operands: list[Value]) -> Value | None:
    condition = operands[0]
    if operands[1] is operands[2]:
        return operands[1]
    known = splat_of(condition)
    if known is not None:
        return operands[1] if known else operands[2]
    if splat_of(operands[1]) == 1 and splat_of(operands[2]) == 0:
        return _if_typed(condition, type)  # of a bool
    return None


def _if_typed(value: Value, type: Instr) -> Value | None:
    return value if isinstance(value, Instr) and value.type is type else None
