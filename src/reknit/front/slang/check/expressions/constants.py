"""Values that are known while checking: array sizes, case labels, generic arguments.

4 * N + 1    Binary(+, Binary(*, 4, N), 1)  ->  OperationType, or ConstType once N is known
int8_t(300)  Convert(Const(300))            ->  ConstType(44)
"""

from reknit.front.slang import hir
from reknit.front.slang.integers import CAST, holds_all, integral, wrap
from reknit.front.slang.substitute import associated, operation
from reknit.front.slang.types import ArrayType, ConstType, OperationType, SpecializedType, Type
from reknit.source.meter import spend


def integer(expr: hir.Expr) -> int | None:
    """The value of a constant integer, bool or enum expression."""
    constant = generic_value(expr)
    return constant.value if isinstance(constant, ConstType) else None


def is_specialized(expr: hir.Expr) -> bool:
    """Whether a number depends on a specialization constant, which is only known when a pipeline is made."""
    work = [expr]
    while work:
        spend(1)
        part = work.pop()
        if isinstance(part, hir.Place):
            if part.variable.kind == "specialized":
                return True
            if part.variable.kind == "constant" and part.variable.init is not None:
                work.append(part.variable.init)
        elif isinstance(part, hir.Unary):
            work.append(part.operand)
        elif isinstance(part, (hir.Binary, hir.ShortCircuit)):
            work += [part.left, part.right]
        elif isinstance(part, hir.Convert):
            work.append(part.value)
    return False


def generic_value(expr: hir.Expr, specialized: bool = False) -> Type | None:
    """What an expression is as a generic argument: a ConstType, or made of generic parameters and, with `specialized`,
    of specialization constants; None: not constant."""
    if isinstance(expr, hir.Const):
        return ConstType(int(expr.value)) if integral(expr.type) is not None else None
    if isinstance(expr, hir.GenericValue):
        return expr.value
    if isinstance(expr, hir.Zero):
        return ConstType(0) if integral(expr.type) is not None else None
    if isinstance(expr, hir.Place):
        variable = expr.variable
        if specialized and variable.kind == "specialized" and integral(variable.type) is not None:
            return SpecializedType(variable)
        if variable.init is not None and (
            variable.kind == "constant" or (variable.kind == "local" and not variable.mutable)
        ):
            return generic_value(variable.init, specialized)
        return None
    if isinstance(expr, hir.Element):
        return _element(expr)
    if isinstance(expr, hir.WitnessConstant):
        return associated(expr.witness, expr.requirement)
    if isinstance(expr, hir.Convert):
        return _converted(expr, specialized)
    if isinstance(expr, hir.Unary):
        return _operation(expr.op, [expr.operand], expr.operand.type, specialized)
    if isinstance(expr, hir.Binary):
        return _binary(expr, specialized)
    if isinstance(expr, hir.ShortCircuit):
        return _operation(expr.op, [expr.left, expr.right], expr.type, specialized)
    if isinstance(expr, hir.Conditional):
        return _operation("?:", [expr.condition, expr.then, expr.otherwise], expr.type, specialized)
    return None


def _element(expr: hir.Element) -> Type | None:
    """`a[3]` of a constant array."""
    base, index = expr.base, integer(expr.index)
    if isinstance(base, hir.Place) and not base.variable.mutable and base.variable.init is not None:
        base = base.variable.init
    if isinstance(base, hir.Construct) and isinstance(base.type, ArrayType) and index is not None:
        return generic_value(base.parts[index]) if 0 <= index < len(base.parts) else None
    return None


def _binary(expr: hir.Binary, specialized: bool) -> Type | None:
    """A left spine may be long."""
    spine = [expr]
    while isinstance(spine[-1].left, hir.Binary):
        spine.append(spine[-1].left)
    value = generic_value(spine[-1].left, specialized)
    for node in reversed(spine):
        right = generic_value(node.right, specialized)
        if value is None or right is None:
            return None
        value = _computed(node.op, [value, right], node.left.type)
    return value


def _operation(op: str, operands: list[hir.Expr], of: Type, specialized: bool) -> Type | None:
    values: list[Type] = []
    for operand in operands:
        value = generic_value(operand, specialized)
        if value is None:
            return None
        values.append(value)
    return _computed(op, values, of)


def _computed(op: str, values: list[Type], of: Type) -> Type | None:
    """None where the operation is none on whole numbers, or has no value."""
    scalar = integral(of)
    if scalar is None:
        return None
    computed = operation(op, values, scalar)
    return (
        None
        if isinstance(computed, OperationType) and all(isinstance(value, ConstType) for value in values)
        else computed
    )


def _converted(expr: hir.Convert, specialized: bool) -> Type | None:
    target = integral(expr.type)
    if target is None:
        return None
    if isinstance(expr.value, hir.Const) and isinstance(expr.value.value, float):
        number = expr.value.value
        if target.kind == "bool":
            return ConstType(int(number != 0))
        return None if number != number or abs(number) > 2**64 else ConstType(wrap(int(number), target))
    inner = generic_value(expr.value, specialized)
    source = integral(expr.value.type)
    if inner is None or (source is not None and holds_all(target, source) and not isinstance(inner, ConstType)):
        return inner
    return operation(CAST, [inner], target)
