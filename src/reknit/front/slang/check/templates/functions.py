"""Functions that are made of templates.

    template<typename T> T twice(T a) { return a + a; }       twice(2), twice<float>(2)     two functions

An instance's signature is checked when a call is tried with it, its body once it is called.
"""

from reknit.front.slang import hir
from reknit.front.slang.check.context import Context
from reknit.front.slang.check.declare.declarations import FunctionEntry, MadeOf
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
    scope, all_arguments = binding
    key = key_of(all_arguments)
    have = template.instances.get(key)
    if isinstance(have, FunctionEntry):
        return have
    if not has_room(ctx, entry.name, entry.at):
        return f"'{entry.name}' can't be instantiated once more"
    instance = FunctionEntry(entry.name, entry.decl, scope, entry.container)
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
