"""Functions that are made of templates.

    template<typename T> T twice(T a) { return a + a; }       twice(2), twice<float>(2)     two functions

An instance's signature is checked when a call is tried with it, its body once it is called.
"""

from reknit.front.slang import hir, syntax
from reknit.front.slang.check.context import Context
from reknit.front.slang.check.declare.declarations import FunctionEntry, MadeOf, Scope, Template
from reknit.front.slang.check.templates.bind import bound, has_room, key_of
from reknit.front.slang.check.templates.deduce import deduced, is_bare
from reknit.front.slang.symbols import Environment, Function
from reknit.front.slang.types import Type


def function_instance(
    ctx: Context, entry: FunctionEntry, written: list[Type], arguments: list[hir.Expr]
) -> FunctionEntry | str:
    """The function that a call means; `written` are template arguments. Why there is none where there is none."""
    template = entry.template
    assert template is not None
    params = entry.decl.params
    if len(arguments) > len(params):
        return f"too many arguments to call (got {len(arguments)}, expected {len(params)})"
    known = deduced(ctx, entry, arguments, len(written))
    if isinstance(known, str):
        return known
    binding = bound(ctx, template.params, entry.scope, written, known)
    if isinstance(binding, str):
        return binding
    return instance_of(ctx, entry, template, *binding)


def instance_of(
    ctx: Context, entry: FunctionEntry, template: Template, scope: Scope, all_arguments: list[Type]
) -> FunctionEntry | str:
    """The function for all arguments, whose names are in `scope`; why there is none where there is none."""
    key = key_of(all_arguments)
    explicit = None
    if template.explicit:
        from reknit.front.slang.check.templates.explicit import find, scope_of

        explicit = find(ctx, entry, template, key)  # which may ask for this one itself
    have = template.instances.get(key)
    if isinstance(have, FunctionEntry):
        return have
    if not has_room(ctx, entry.name, entry.at):
        return f"'{entry.name}' can't be instantiated once more"
    decl = entry.decl
    if explicit is not None and isinstance(explicit.decl.inner, syntax.FuncDecl):
        scope, decl = scope_of(explicit, entry, scope), explicit.decl.inner
    instance = FunctionEntry(entry.name, decl, scope, entry.container)
    instance.made_of = MadeOf(entry, all_arguments, ctx.template_depth + 1)
    instance.deferred = True
    template.instances[key] = instance
    return instance


def unmade(ctx: Context, entry: FunctionEntry) -> Function:
    """What stands for the template where no instance of it was tried."""
    return Function(entry.name, ctx.number(), entry.at, entry.name, Environment([], []))


def bare_params(entry: FunctionEntry) -> int:
    """How many parameters of an instance's template take a value of any type."""
    template = entry.template
    names = [param.name for param in template.params] if template is not None else []
    return len([param for param in entry.decl.params if is_bare(param.type, names)])
