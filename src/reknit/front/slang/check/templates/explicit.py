"""What the source has of a template for some arguments, in place of what would be made of it.

    template<typename T> int size(T a) { return 1; }
    template<> int size<float3>(float3 a) { return 3; }       size(float3(0, 0, 0)) is 3
    template<> int size(double a) { return 2; }               the same for double, by its parameter
    template<typename T> struct Ring<T, 0> { };               Ring<float, 0>, with T: float

Source: ISO C++ [temp.expl.spec]: a specialization is a function or a struct of its own, whose signature is that of the
template with the arguments.
"""

from reknit.front.slang import hir, syntax
from reknit.front.slang.check.context import Context
from reknit.front.slang.check.declare.declarations import Container, Explicit, FunctionEntry, Scope, Template
from reknit.front.slang.check.templates.bind import bound, key_of
from reknit.front.slang.check.templates.deduce import deduced, is_about, is_bare, learn
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
            if decl.params:
                _judge(ctx, decl, len(template.params))
                break
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


def _judge(ctx: Context, decl: syntax.SpecializationDecl, count: int) -> None:
    """A partial specialization's parameters are known by what it is for, and that isn't all of `count` parameters."""
    names = [param.name for param in decl.params]
    for param in decl.params:
        if not any(is_about(written, [param.name]) for written in decl.arguments):
            message = f"template parameter '{param.name}' can't be inferred from what '{decl.name}' is specialized for"
            ctx.error("E39999", param.at, message, max(len(param.name), 1))
    bare = [written.text for written in decl.arguments if isinstance(written, syntax.Name) and written.text in names]
    if len(set(bare)) == count:
        ctx.error("E39999", decl.at, f"this specialization of '{decl.name}' is for all arguments", len(decl.name))


def _is_defined(explicit: Explicit) -> bool:
    """Whether it has a body, and is no declaration of one that does."""
    inner = explicit.decl.inner
    if isinstance(inner, syntax.FuncDecl):
        return inner.body is not None
    return isinstance(inner, syntax.AggregateDecl) and inner.members is not None


def find(ctx: Context, entry: Container | FunctionEntry, template: Template, key: str) -> Explicit | None:
    """The one for the arguments with this key, which may only be declared."""
    fitting = [
        explicit
        for explicit in template.explicit
        if not explicit.decl.params and key_for(ctx, entry, template, explicit) == key
    ]
    return next((explicit for explicit in fitting if _is_defined(explicit)), fitting[0] if fitting else None)


def partial(ctx: Context, entry: Container, arguments: list[Type], at: int) -> tuple[Explicit, Scope] | None:
    """The partial specialization that the arguments are like, with its parameters as names: of several the one with the
    fewest arguments that may be anything."""
    fitting: list[tuple[int, Explicit, Scope]] = []
    for explicit in entry.template.explicit if entry.template is not None else []:
        if explicit.decl.params:
            scope = _like(ctx, entry, explicit, arguments)
            if scope is not None:
                names = [param.name for param in explicit.decl.params]
                free = len([written for written in explicit.decl.arguments if is_bare(written, names)])
                fitting.append((free, explicit, scope))
    if not fitting:
        return None
    least = min([free for free, _, _ in fitting])
    best = [each for each in fitting if each[0] == least]
    best = [each for each in best if _is_defined(each[1])] or best
    if len(best) > 1:
        name = best[0][1].decl.name
        notes = [ctx.reports.note(each.decl.at, "it may be this one", len(name)) for _, each, _ in best]
        ctx.reports.error("E39999", at, f"several partial specializations of '{name}' fit", notes, len(name))
    return best[0][1], best[0][2]


def _like(ctx: Context, entry: Container, explicit: Explicit, arguments: list[Type]) -> Scope | None:
    """The parameters of a partial specialization for these arguments, None where it isn't for them."""
    decl = explicit.decl
    names = [param.name for param in decl.params]
    if len(decl.arguments) > len(arguments) or entry.template is None:
        return None
    known: dict[str, Type] = {}
    for written, argument in zip(decl.arguments, arguments, strict=False):  # defaults may be left out
        if not learn(ctx, explicit.scope, written, argument, names, known):
            return None
    binding = bound(ctx, decl.params, explicit.scope, [], known)
    if isinstance(binding, str):
        return None
    scope = binding[0]
    meant = [ctx.types.argument_of(scope, written) for written in decl.arguments]
    whole = bound(ctx, entry.template.params, entry.scope, meant, {})
    if isinstance(whole, str):
        return None
    return scope if all(same(one, other) for one, other in zip(whole[1], arguments, strict=True)) else None


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
