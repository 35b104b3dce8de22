"""Structs that are made of templates.

    template<typename T, int N> struct Ring { T items[N]; T at(int i) { return items[i % N]; } };
    Ring<float, 4>      struct { float items[4]; float at(int i) {...} }

An instance is finished with the others that are new; a method's body is checked once it is called, as C++ has it, for
it may be of no use with some arguments.
"""

from reknit.front.slang import syntax
from reknit.front.slang.check.context import Context
from reknit.front.slang.check.declare.declarations import Container, MadeOf, Scope
from reknit.front.slang.check.declare.declare import aggregate
from reknit.front.slang.check.declare.instances import filled
from reknit.front.slang.check.templates.bind import bound, has_room, key_of, shown
from reknit.front.slang.types import ERROR, ErrorType, StructType, Type


def struct_instance(ctx: Context, entry: Container, written: list[Type], at: int) -> Type:
    """The struct that a template is with these arguments; an error is said."""
    template, decl = entry.template, entry.decl
    assert template is not None and isinstance(decl, syntax.AggregateDecl)
    binding = bound(ctx, template.params, entry.scope, written, {})
    if isinstance(binding, str):
        if not any(isinstance(argument, ErrorType) for argument in written):
            code = "E39999" if written else "E30408"
            ctx.error(code, at, binding if written else f"generic type '{entry.name}' used without argument: {binding}")
        return ERROR
    scope, arguments = binding
    key = key_of(arguments)
    explicit = None
    if template.explicit:
        from reknit.front.slang.check.templates.explicit import find

        explicit = find(ctx, entry, template, key)  # which may ask for this one itself
    have = template.instances.get(key)
    if isinstance(have, Container) and have.struct is not None:
        return StructType(have.struct, [])
    if explicit is not None and isinstance(explicit.decl.inner, syntax.AggregateDecl):
        decl, scope = explicit.decl.inner, Scope(explicit.scope)
    elif template.explicit:
        from reknit.front.slang.check.templates.explicit import partial

        chosen = partial(ctx, entry, arguments, at)
        if chosen is not None and isinstance(chosen[0].decl.inner, syntax.AggregateDecl):
            decl, scope = chosen[0].decl.inner, chosen[1]
    if decl.members is None:
        ctx.error("E39999", at, f"template '{entry.name}' is declared and not defined", len(entry.name))
        return ERROR
    if not has_room(ctx, entry.name, entry.at):
        return ERROR
    instance = aggregate(ctx, scope, decl, entry.path)
    assert instance.struct is not None
    instance.struct.name = shown(entry.name, arguments)
    instance.made_of = MadeOf(entry, arguments, ctx.template_depth + 1)
    template.instances[key] = instance
    scope.add(instance)  # inside, its name without arguments is itself
    depth, ctx.template_depth = ctx.template_depth, instance.made_of.depth
    functions = filled(ctx, instance, decl.members)  # whose enumerations may ask for more instances
    ctx.template_depth = depth
    if decl.bases:
        ctx.variadic += functions  # one may be what an interface asks for
    else:
        for function in functions:
            function.deferred = True
    return StructType(instance.struct, [])
