"""What the source has of a template for some arguments, in place of what would be made of it.

    template<typename T> int size(T a) { return 1; }
    template<> int size<float3>(float3 a) { return 3; }       size(float3(0, 0, 0)) is 3
    template<> int size(double a) { return 2; }               the same for double, by its parameter

Source: ISO C++ [temp.expl.spec]: a specialization is a function or a struct of its own, whose signature is that of the
template with the arguments.
"""

from reknit.front.slang import hir, syntax
from reknit.front.slang.check.context import Context
from reknit.front.slang.check.declare.declarations import Container, Explicit, FunctionEntry, Scope, Template
from reknit.front.slang.check.templates.bind import bound, key_of
from reknit.front.slang.check.templates.deduce import deduced
from reknit.front.slang.types import ErrorType, Type, same


def attach(ctx: Context) -> None:
    """Give each to the templates of its name, before anything is made of them."""
    for decl, scope, owner in ctx.explicit:
        for _, template in _named(decl, scope, owner):
            template.explicit.append(Explicit(decl, scope))


def _named(
    decl: syntax.SpecializationDecl, scope: Scope, owner: Container | None
) -> list[tuple[Container | FunctionEntry, Template]]:
    """The templates that it may be meant by."""
    is_function = isinstance(decl.inner, syntax.FuncDecl)
    return [
        (entry, entry.template)
        for entry in (scope.names if owner is None else owner.members).get(decl.name, [])
        if isinstance(entry, (Container, FunctionEntry))
        and entry.template is not None
        and isinstance(entry, FunctionEntry) == is_function
    ]


def make(ctx: Context) -> None:
    """All of them, called or not; one that specializes no template is an error."""
    from reknit.front.slang.check.templates.functions import instance_of
    from reknit.front.slang.check.templates.structs import struct_instance

    taken: dict[tuple[int, str], int] = {}
    for decl, scope, owner in ctx.explicit:
        for entry, template in _named(decl, scope, owner):
            own = next(each for each in template.explicit if each.decl is decl)
            key = key_for(ctx, entry, template, own)
            if not own.arguments:
                continue
            first = taken.setdefault((entry.at, key), decl.at) if _is_defined(own) else decl.at
            if first != decl.at:
                notes = [ctx.reports.note(first, "it is here", len(decl.name))]
                message = f"there is another specialization of '{decl.name}' for the same arguments"
                ctx.reports.error("E30200", decl.at, message, notes, len(decl.name))
            elif _is_defined(own) and isinstance(entry, Container):
                struct_instance(ctx, entry, own.arguments, decl.at)
            elif _is_defined(own) and isinstance(entry, FunctionEntry):
                binding = bound(ctx, template.params, entry.scope, own.arguments, {})
                instance = binding if isinstance(binding, str) else instance_of(ctx, entry, template, *binding)
                if isinstance(instance, FunctionEntry) and not instance.busy:
                    instance.busy = True
                    ctx.variadic.append(instance)
            break
        else:
            message = f"'{decl.name}' with these arguments is no specialization of a template that is declared here"
            ctx.error("E39999", decl.at, message, len(decl.name))


def _is_defined(explicit: Explicit) -> bool:
    """Whether it has a body, and is no declaration of one that does."""
    inner = explicit.decl.inner
    if isinstance(inner, syntax.FuncDecl):
        return inner.body is not None
    return isinstance(inner, syntax.AggregateDecl) and inner.members is not None


def find(ctx: Context, entry: Container | FunctionEntry, template: Template, key: str) -> Explicit | None:
    """The one for the arguments with this key, which may only be declared."""
    fitting = [explicit for explicit in template.explicit if key_for(ctx, entry, template, explicit) == key]
    return next((explicit for explicit in fitting if _is_defined(explicit)), fitting[0] if fitting else None)


def key_for(ctx: Context, entry: Container | FunctionEntry, template: Template, explicit: Explicit) -> str:
    """"" where the template can't be what is specialized."""
    if not explicit.known:
        explicit.known = True  # what its arguments ask for doesn't ask for it again
        explicit.arguments = _arguments(ctx, entry, template, explicit) or []
        explicit.key = key_of(explicit.arguments)
    return explicit.key


def _arguments(
    ctx: Context, entry: Container | FunctionEntry, template: Template, explicit: Explicit
) -> list[Type] | None:
    written = [ctx.types.argument_of(explicit.scope, argument) for argument in explicit.decl.arguments]
    inner = explicit.decl.inner
    if not isinstance(entry, FunctionEntry) or not isinstance(inner, syntax.FuncDecl):
        binding = bound(ctx, template.params, entry.scope, written, {})
        return None if isinstance(binding, str) else binding[1]
    types = [_type(ctx, explicit.scope, param.type) for param in inner.params]
    if len(types) != len(entry.decl.params) or any(isinstance(type, ErrorType) for type in types):
        return None
    given: list[hir.Expr] = [hir.Undefined(inner.at, type) for type in types]
    known = deduced(ctx, entry, given, len(written))
    if isinstance(known, str):
        return None
    binding = bound(ctx, template.params, entry.scope, written, known)
    if isinstance(binding, str):
        return None
    scope, arguments = binding
    wanted = [_type(ctx, scope, param.type) for param in entry.decl.params]
    wanted.append(_type(ctx, scope, entry.decl.result))
    types.append(_type(ctx, explicit.scope, inner.result))
    return arguments if all(same(one, other) for one, other in zip(wanted, types, strict=True)) else None


def _type(ctx: Context, scope: Scope, written: syntax.Expr | None) -> Type:
    return ctx.types.type_of(scope, written if written is not None else syntax.Name(0, "void"))


def scope_of(explicit: Explicit, entry: FunctionEntry, inside: Scope) -> Scope:
    """What a function specialization is checked in: `inside`, which has the template's parameters, where it takes over
    default arguments, for it may have none of its own."""
    own = explicit.decl.inner
    taken = False
    if isinstance(own, syntax.FuncDecl):
        for param, other in zip(own.params, entry.decl.params, strict=True):
            if param.init is None and other.init is not None:
                param.init = other.init
                taken = True
    return inside if taken else explicit.scope
