"""Which expressions are places, and which of those may change.

x  a.f  a[i]  v.xy  p.prop       places          x + 1  f()  v.xx       values
let x   buffer[i] of a StructuredBuffer   this in a plain method        places that don't change
"""

from reknit.front.slang import hir
from reknit.front.slang.builtins.kinds import element_of
from reknit.front.slang.symbols import Variable
from reknit.front.slang.types import BLOCK, PointerType, ResourceType
from reknit.source.meter import spend


def is_place(expr: hir.Expr) -> bool:
    """Whether an expression names where something is."""
    while True:
        spend(1)
        if isinstance(expr, (hir.Place, hir.PropertyPlace, hir.Deref)):
            return True
        if isinstance(expr, hir.Element):
            if isinstance(expr.base.type, (ResourceType, PointerType)):
                return True
            expr = expr.base
        elif isinstance(expr, hir.Swizzle):
            expr = expr.base
        else:
            whole = _whole(expr)
            if whole is None:
                return False
            expr = whole


def _whole(expr: hir.Expr) -> hir.Expr | None:
    """What `expr` is a part of, or the same place as; None where it is neither."""
    if isinstance(expr, hir.Field):
        return expr.base
    if isinstance(expr, hir.Opened):
        return expr.body
    if isinstance(expr, hir.OpenedValue):
        return expr.opening.value
    return expr.value if isinstance(expr, hir.GetValue) else None


def is_mutable(expr: hir.Expr) -> bool:
    """Whether it is a place that may be assigned."""
    while True:
        spend(1)
        if isinstance(expr, hir.Place):
            return expr.variable.mutable
        if isinstance(expr, hir.Deref):
            held_in = expr.base.type
            return isinstance(held_in, PointerType) or (isinstance(held_in, ResourceType) and held_in.kind == BLOCK)
        if isinstance(expr, hir.PropertyPlace):
            return expr.reference is not None or expr.setter is not None
        if isinstance(expr, hir.Element):
            if isinstance(expr.base.type, ResourceType):
                element = element_of(expr.base.type)
                return element is not None and element[2]
            if isinstance(expr.base.type, PointerType):
                return True
            expr = expr.base
        elif isinstance(expr, hir.Swizzle):
            if len(set(expr.indices)) != len(expr.indices):
                return False
            expr = expr.base
        else:
            whole = _whole(expr)
            if whole is None:
                return False
            expr = whole


def root(expr: hir.Expr) -> hir.Expr:
    """What a place is a part of, in the end."""
    while isinstance(expr, (hir.Element, hir.Swizzle, hir.Field)):
        expr = expr.base
    return expr


def share(expr: hir.Expr) -> None:
    """An atomic operation is done on a place: calls give the parameter that it is in as the place itself."""
    owner = _parameter(expr)
    work = [] if owner is None else [owner]
    while work:
        spend(1)
        variable = work.pop()
        if not variable.shared:
            variable.shared = True
            work.extend(variable.givers)


def pass_on(parameter: Variable, argument: hir.Expr) -> None:
    """A call gives `argument` as `parameter`."""
    owner = _parameter(argument)
    if owner is not None and owner is not parameter:
        parameter.givers.append(owner)
        if parameter.shared:
            share(argument)


def _parameter(expr: hir.Expr) -> Variable | None:
    """Which one `expr` is a part of."""
    owner = root(expr.place if isinstance(expr, hir.CopyBack) else expr)
    return owner.variable if isinstance(owner, hir.Place) and owner.variable.kind in ("param", "this") else None
