"""Types, extensions and aliases with parameter packs: each is another one for each length of its packs.

    struct S<each T> { Tuple<T> t; }        S<int, float>   the instance of two:   struct S<T0, T1> { Tuple<T0, T1> t; }
    extension<each T> S<T> { int n(); }                     is made for two as soon as S<int, float> is looked into

An instance is declared from the same syntax when it is first asked for, and finished with the others that are new.
"""

from reknit.front.slang import syntax
from reknit.front.slang.check.calls.lengths import MAX_PACK_LENGTH, is_pack, length_in, length_of_type
from reknit.front.slang.check.context import Context
from reknit.front.slang.check.declare.declarations import AliasEntry, Container, FunctionEntry
from reknit.front.slang.check.declare.declare import aggregate, declare_all
from reknit.front.slang.check.types.enum_cases import enum_cases
from reknit.front.slang.types import StructType, TupleType, Type


def container_instance(ctx: Context, template: Container, length: int) -> Container:
    """A struct, interface or extension with packs of this length."""
    instance = template.instances.get(length)
    decl = template.decl
    if instance is None and isinstance(decl, syntax.AggregateDecl):
        instance = aggregate(ctx, template.scope, decl, template.path)
        instance.length = length
        template.instances[length] = instance
        ctx.variadic += filled(ctx, instance, decl.members or [])
    return template if instance is None else instance


def filled(ctx: Context, instance: Container, members: list[syntax.Decl]) -> list[FunctionEntry]:
    """Declare the members of what `aggregate` made just now, to be finished with the others that are new; the functions
    among them."""
    counts = len(ctx.all) - 1, len(ctx.functions), len(ctx.enums)
    declare_all(ctx, instance.inner, members, instance, instance.path)
    for container, at, owner in ctx.enums[counts[2] :]:
        enum_cases(ctx, container, at, owner)
    ctx.instances += ctx.all[counts[0] :]
    functions = ctx.functions[counts[1] :]
    del ctx.functions[counts[1] :]
    return functions


def alias_instance(template: AliasEntry, length: int) -> AliasEntry:
    instance = template.instances.get(length)
    if instance is None:
        instance = AliasEntry(template.decl, template.scope)
        instance.length = length
        template.instances[length] = instance
    return instance


def length_applied(ctx: Context, generics: syntax.Generics | None, count: int, name: str, at: int) -> int:
    """How long the packs of a type are with so many arguments; -1 if they can't be, which is reported."""
    length = -1 if generics is None else length_of_type(generics, count)
    if length > MAX_PACK_LENGTH:
        ctx.unsupported(at, f"a parameter pack of more than {MAX_PACK_LENGTH} elements")
        return -1
    if length < 0:
        ctx.error("E39999", at, f"no length of the parameter packs of '{name}' fits {count} arguments", len(name))
    return length


def extend(ctx: Context, type: Type) -> None:
    """Make the extensions with packs that may extend `type`, and know what they conform to."""
    if not isinstance(type, (StructType, TupleType)):
        return
    for template in ctx.variadic_extensions:
        decl = template.decl
        if not isinstance(decl, syntax.AggregateDecl) or decl.target is None or decl.generics is None:
            continue
        length = length_in(decl.target, [param.name for param in decl.generics.params if is_pack(param)], type)
        if 0 <= length <= MAX_PACK_LENGTH and length not in template.instances and _may_extend(ctx, template, type):
            ctx.lazy.bases(container_instance(ctx, template, length))


def _may_extend(ctx: Context, template: Container, type: Type) -> bool:
    """Whether the name that is extended is that of the type."""
    decl = template.decl
    target = decl.target if isinstance(decl, syntax.AggregateDecl) else None
    while isinstance(target, (syntax.Apply, syntax.Member)):
        if isinstance(target, syntax.Member):
            return isinstance(type, StructType) and type.struct.name == target.name
        target = target.base
    named = target.text if isinstance(target, syntax.Name) else ""
    return named == (type.struct.name if isinstance(type, StructType) else "Tuple")
