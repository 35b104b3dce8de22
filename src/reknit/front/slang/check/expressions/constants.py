"""Values that are known while checking: array sizes, case labels, generic arguments.

4 * N + 1    Binary(+, Binary(*, 4, N), 1)  ->  OperationType, or ConstType once N is known
int8_t(300)  Convert(Const(300))            ->  ConstType(44)
"""

from reknit.front.slang import hir
from reknit.front.slang.substitute import associated, operation
from reknit.front.slang.types import ConstType, EnumType, OperationType, ScalarType, Type


def integer(expr: hir.Expr) -> int | None:
    """The value of a constant integer, bool or enum expression."""
    found = generic_value(expr)
    return found.value if isinstance(found, ConstType) else None


def generic_value(expr: hir.Expr) -> Type | None:
    """What an expression is as a generic argument: a ConstType, or made of generic parameters; None: not constant."""
    if isinstance(expr, hir.Const):
        return ConstType(int(expr.value)) if is_integral(expr.type) else None
    if isinstance(expr, hir.GenericValue):
        return expr.value
    if isinstance(expr, hir.Zero):
        return ConstType(0) if is_integral(expr.type) else None
    if isinstance(expr, hir.Place):
        variable = expr.variable
        if variable.init is not None and (
            variable.kind == "constant" or (variable.kind == "local" and not variable.mutable)
        ):
            return generic_value(variable.init)
        return None
    if isinstance(expr, hir.WitnessConstant):
        return associated(expr.witness, expr.requirement)
    if isinstance(expr, hir.Convert):
        return _converted(expr)
    if isinstance(expr, hir.Unary):
        operand = generic_value(expr.operand)
        return None if operand is None else wrapped(operation(expr.op, [operand]), expr.type)
    if isinstance(expr, hir.Binary):
        return _binary(expr)
    if isinstance(expr, hir.ShortCircuit):
        return _operation(expr.op, [expr.left, expr.right], expr.type)
    if isinstance(expr, hir.Conditional):
        return _operation("?:", [expr.condition, expr.then, expr.otherwise], expr.type)
    return None


def _binary(expr: hir.Binary) -> Type | None:
    """A left spine may be long."""
    spine = [expr]
    while isinstance(spine[-1].left, hir.Binary):
        spine.append(spine[-1].left)
    value = generic_value(spine[-1].left)
    for node in reversed(spine):
        right = generic_value(node.right)
        if value is None or right is None:
            return None
        value = wrapped(operation(node.op, [value, right]), node.type)
        if isinstance(value, OperationType) and all(isinstance(one, ConstType) for one in value.operands):
            return None
    return value


def _operation(op: str, operands: list[hir.Expr], type: Type) -> Type | None:
    values: list[Type] = []
    for operand in operands:
        value = generic_value(operand)
        if value is None:
            return None
        values.append(value)
    return wrapped(operation(op, values), type)


def _converted(expr: hir.Convert) -> Type | None:
    if not is_integral(expr.type):
        return None
    if isinstance(expr.value, hir.Const) and isinstance(expr.value.value, float):
        number = expr.value.value
        return None if number != number or abs(number) > 2**64 else wrapped(ConstType(int(number)), expr.type)
    inner = generic_value(expr.value)
    return None if inner is None else wrapped(inner, expr.type)


def is_integral(type: Type) -> bool:
    return isinstance(type, EnumType) or (isinstance(type, ScalarType) and type.kind in ("int", "uint", "bool"))


def wrapped(value: Type, type: Type) -> Type:
    """A known value in the range of its type."""
    scalar = type.enum.underlying if isinstance(type, EnumType) else type
    if isinstance(value, ConstType) and isinstance(scalar, ScalarType):
        return ConstType(wrap(value.value, scalar))
    return value


def wrap(value: int, type: ScalarType) -> int:
    """`value` as `type` holds it: modulo 2 to its width."""
    if type.kind == "bool":
        return int(value != 0)
    if type.kind == "int":
        half = 1 << (type.width - 1)
        return ((value + half) & ((1 << type.width) - 1)) - half
    if type.kind == "uint":
        return value & ((1 << type.width) - 1)
    return value


def bits(value: int, type: Type) -> int:
    """The same as an unsigned number of the type's width."""
    scalar = type.enum.underlying if isinstance(type, EnumType) else type
    width = scalar.width if isinstance(scalar, ScalarType) else 32
    return value & ((1 << width) - 1)
