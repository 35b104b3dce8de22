"""`IFunc<R, A, B>`: what can be called with an A and a B and gives an R. There is one interface for each number of
parameters, declared when it is first named:

    interface IMutatingFunc<TR, T0, T1>                                { [mutating] TR operator()(T0 p0, T1 p1); }
    interface IFunc<TR, T0, T1> : IMutatingFunc<TR, T0, T1>            { TR operator()(T0 p0, T1 p1); }
    interface functype<TR, T0, T1>                                     { TR operator()(T0 p0, T1 p1); }

The last one is `functype(T0, T1) -> TR`, to which functions by their names convert, and all that can be called so.
"""

from typing import Final

from reknit.front.slang.check.context import Context
from reknit.front.slang.check.declare import declare
from reknit.front.slang.check.declare.declarations import Container, FunctionEntry, Scope
from reknit.front.slang.syntax import (
    AggregateDecl,
    Apply,
    Attribute,
    Expr,
    FuncDecl,
    Generics,
    Modifiers,
    Name,
    TypeParam,
    VarDecl,
)
from reknit.front.slang.types import InterfaceType, Type
from reknit.source.diagnostic import InternalError

CALL: Final = "operator()"
IMMUTABLE: Final = "IFunc"
MUTATING: Final = "IMutatingFunc"
FUNCTION: Final = "functype"


def function_interface(ctx: Context, name: str, arguments: list[Type], at: int) -> InterfaceType:
    """`name` is "IFunc", "IMutatingFunc" or "functype"; the result's type comes first."""
    count = len(arguments) - 1
    container = ctx.function_interfaces.get((name, count))
    if container is None:
        container = _declared(ctx, name, count, at)
        ctx.function_interfaces[name, count] = container
        ctx.lazy.bases(container)
        for entry in container.order:
            if isinstance(entry, FunctionEntry):
                ctx.signatures.function(entry)
    if container.interface is None:
        raise InternalError(f"{name} is no interface")
    return InterfaceType(container.interface, arguments)


def called_by(type: Type) -> list[Type] | None:
    """The result and the parameters of a `functype`; None for another type."""
    return type.arguments if isinstance(type, InterfaceType) and type.interface.name == FUNCTION else None


def _declared(ctx: Context, name: str, count: int, at: int) -> Container:
    names = [f"T{index}" for index in range(count)]
    generics = Generics([TypeParam(at, name, [], None) for name in ["TR", *names]], [])
    modifiers = Modifiers()
    if name == MUTATING:
        modifiers.attributes.append(Attribute(at, "mutating", []))
    params = [VarDecl(at, f"p{index}", Modifiers(), Name(at, name), None) for index, name in enumerate(names)]
    call = FuncDecl(at, CALL, modifiers, "operator", None, params, Name(at, "TR"), None)
    bases: list[Expr] = []
    if name == IMMUTABLE:
        bases.append(Apply(at, Name(at, MUTATING), [Name(at, name) for name in ["TR", *names]]))
    decl = AggregateDecl(at, name, Modifiers(), "interface", generics, bases, None, [call])
    scope = Scope(None)
    declare.declare_all(ctx, scope, [decl], None, "")
    entry = scope.names[name][0]
    if not isinstance(entry, Container):
        raise InternalError(f"{name} was declared as something else")
    return entry
