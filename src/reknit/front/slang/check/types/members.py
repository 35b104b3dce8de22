"""What a name leads to: in a type (with its extensions, bases and interfaces) and in a scope.

a.foo   A's own foo  >  base structs', nearest first  >  extensions of A and of these  >  an interface's that A conforms
        to (default methods); functions of all the first three are overloads of one another
t.foo   T : IFoo: the requirements of IFoo and its bases, through the witness; extensions of T
foo     the scopes outward; inside a type its members; functions of outer scopes join those of inner ones
"""

from typing import Final

from reknit.front.slang.check.context import Context
from reknit.front.slang.check.declare.declarations import (
    AliasEntry,
    AssocEntry,
    Container,
    Entry,
    FunctionEntry,
    LookupItem,
    Overloads,
    PropertyEntry,
    Scope,
)
from reknit.front.slang.check.generics.infer import from_constraints
from reknit.front.slang.conformances import by_equalities, match, unequal
from reknit.front.slang.substitute import Substitution, substitute
from reknit.front.slang.symbols import GenericParam
from reknit.front.slang.types import EnumType, InterfaceType, StructType, ThisType, Type
from reknit.front.slang.witnesses import Witness
from reknit.source.meter import spend

MANY: Final = 16
"""Overloads."""
EXTENSION: Final = 1 << 10
"""The depth of what an extension declares: farther than all base structs."""
SCOPE: Final = 1 << 12
"""And what a scope is farther than those inside it."""
INITIALIZER: Final = "__init"
"""That of a base struct constructs the base: it is taken only where there is no other."""


def lookup(ctx: Context, type: Type, name: str) -> list[LookupItem]:
    """All that `name` is in `type`; the nearest only, where one hides another."""
    own = _own(ctx, type, name)
    extending = _in_extensions(ctx, type, name)
    inherited: list[LookupItem] = []
    if isinstance(type, StructType) and not (name == INITIALIZER and own + extending):
        inherited = _in_base(ctx, type, name)
    items = own + inherited + extending
    if items:
        return items if _overload(items) else own or inherited or extending
    if not isinstance(type, StructType):
        for witness in ctx.evidence.direct(type):
            items += _through(ctx, witness, name)
    return items if items else _in_conformances(ctx, type, name)


def _overload(items: list[LookupItem]) -> bool:
    return all(isinstance(item.entry, FunctionEntry) for item in items)


def _own(ctx: Context, type: Type, name: str) -> list[LookupItem]:
    if isinstance(type, StructType):
        container = ctx.containers.get(type.struct.number)
        if container is not None and name in container.members:
            inside = ctx.evidence.struct_arguments(type)
            return [LookupItem(entry, inside) for entry in container.members[name]]
    elif isinstance(type, EnumType):
        container = ctx.containers.get(type.enum.number)
        if container is not None:
            return [LookupItem(entry, Substitution()) for entry in container.members.get(name, [])]
    return []


def _in_extensions(ctx: Context, type: Type, name: str) -> list[LookupItem]:
    items: list[LookupItem] = []
    ctx.lazy.extensions(type)
    for extension in ctx.extensions:
        if name not in extension.members or extension.stage == 1:
            continue
        environment = ctx.lazy.environment(extension)
        target = extension.self_type
        if isinstance(target, InterfaceType):
            if isinstance(type, InterfaceType):
                continue
            witness = ctx.evidence.find(type, target)
            if witness is not None:
                inside = ctx.evidence.inside(witness)
                items += [LookupItem(entry, inside, depth=EXTENSION) for entry in extension.members[name]]
            continue
        into: dict[GenericParam, Type] = {}
        if match(target, type, into, environment.params) and not _required(ctx, type, extension, name):
            substitution = Substitution()
            substitution.types = into
            by_equalities(environment, substitution)
            left = [param for param in environment.params if param not in into]
            if left:
                from_constraints(ctx, environment, substitution, left)
            if any(param not in into for param in left):
                continue
            if unequal(environment, substitution) is not None:
                continue
            if ctx.evidence.witness_all(environment, substitution) is None:
                items += [LookupItem(entry, substitution, depth=EXTENSION) for entry in extension.members[name]]
    return items


def _required(ctx: Context, type: Type, extension: Container, name: str) -> bool:
    """Whether a type that isn't known yet has a bound that asks for what the extension's `name` implements: the bound's
    requirement is meant then, for what the type will be may have its own."""
    if not extension.conformances or isinstance(type, (StructType, EnumType)):
        return False
    implemented = [conformance.interface.interface for conformance in extension.conformances]
    return any(
        up.interface.interface in implemented and name in ctx.containers[up.interface.interface.number].members
        for witness in ctx.evidence.direct(type)
        for up in ctx.evidence.upward(witness)
        if up.interface.interface.number in ctx.containers
    )


def _in_base(ctx: Context, type: StructType, name: str) -> list[LookupItem]:
    container = ctx.containers.get(type.struct.number)
    if container is None:
        return []
    ctx.lazy.bases(container)
    if container.base is None:
        return []
    base = substitute(container.base, ctx.evidence.struct_arguments(type))
    items = lookup(ctx, base, name)
    if isinstance(base, StructType):
        for item in items:
            item.path = [base, *item.path]
    for item in items:
        if item.depth < EXTENSION:
            item.depth += 1
    return items


def _through(ctx: Context, witness: Witness, name: str) -> list[LookupItem]:
    """Requirements of the witness's interface and of those it inherits."""
    items: list[LookupItem] = []
    for up in ctx.evidence.upward(witness):
        container = ctx.containers.get(up.interface.interface.number)
        if container is not None and name in container.members:
            inside = ctx.evidence.inside(up)
            for entry in container.members[name]:
                if not any(_hides(have.entry, entry) for have in items):
                    items.append(LookupItem(entry, inside, up))
    return items


def _hides(near: Entry, far: Entry) -> bool:
    """An inherited requirement is found twice through two bases, or is declared again."""
    if near is far:
        return True
    return isinstance(near, (AssocEntry, AliasEntry, PropertyEntry)) and near.__class__ is far.__class__


def _in_conformances(ctx: Context, type: Type, name: str) -> list[LookupItem]:
    items: list[LookupItem] = []
    for container in ctx.interfaces:
        if name in container.members and container.interface is not None:
            for witness in ctx.evidence.find_all(type, container.interface):
                inside = ctx.evidence.inside(witness)
                items += [
                    LookupItem(entry, inside, witness)
                    for entry in container.members[name]
                    if not any(have.entry is entry for have in items)
                ]
    return items


# ---- scopes


def find(ctx: Context, scope: Scope, name: str, from_global: bool = False) -> tuple[list[LookupItem], Container | None]:
    """What a plain name leads to, nearest first, and the type whose members the nearest ones are."""
    at: Scope | None = ctx.root if from_global else scope
    many = _overloads(ctx, at, name)
    if many is not None:
        return many.items, None
    items: list[LookupItem] = []
    inside: Container | None = None
    depth = 0
    while at is not None:
        here, owner = _here(ctx, at, name)
        if here:
            if items and not all(isinstance(item.entry, FunctionEntry) for item in here):
                break
            for item in here:
                item.depth += depth * SCOPE
            if not items:
                inside = owner
            elif owner is not inside:
                here = [item for item in here if owner is None]
            items += here
            if not all(isinstance(item.entry, FunctionEntry) for item in here):
                break
        at = at.parent
        depth += 1
    return items, inside


def _overloads(ctx: Context, scope: Scope | None, name: str) -> Overloads | None:
    """Where the name is that of many functions of one scope, and of nothing else: they are looked up once."""
    at: Scope | None = scope
    while at is not None and len(at.names.get(name, ())) <= MANY:
        at = at.parent
    if at is None:
        return None
    entries = at.names[name]
    many = at.many.get(name)
    if many is None or len(many.items) != len(entries):
        if not all(isinstance(entry, FunctionEntry) for entry in entries):
            return None
        private = any(isinstance(entry, FunctionEntry) and "private" in entry.decl.modifiers.words for entry in entries)
        many = at.many[name] = Overloads([LookupItem(entry, Substitution()) for entry in entries], private)
        ctx.overloads[id(many.items)] = many
    other: Scope | None = scope
    while other is not None:
        if other is not at and _here(ctx, other, name)[0]:
            return None
        other = other.parent
    return many


def _here(ctx: Context, scope: Scope, name: str) -> tuple[list[LookupItem], Container | None]:
    entries = scope.names.get(name)
    if entries:
        return [LookupItem(entry, Substitution()) for entry in entries], None
    container = scope.container
    if container is not None:
        if container.kind in ("namespace", "cbuffer"):
            if name in container.members:
                return [LookupItem(entry, Substitution()) for entry in container.members[name]], None
        elif container.stage >= 2:
            items = lookup(ctx, container_type(container), name)
            if items:
                return items, container
        elif name in container.members:
            return [
                LookupItem(entry, Substitution())
                for entry in container.members[name]
                if isinstance(entry, (Container, AliasEntry))
            ], None
    used = [LookupItem(entry, Substitution()) for space in scope.used for entry in of_namespace(space, name)]
    return used, None


def of_namespace(space: Container, name: str) -> list[Entry]:
    """What a namespace has by the name, else those that it uses."""
    spaces = [space]
    for each in spaces:
        spend(1)
        if name in each.members:
            return each.members[name]
        spaces += [further for further in each.inner.used if further not in spaces]
    return []


def container_type(container: Container) -> Type:
    """The type whose members are visible inside: an extension's target, with `This` for an interface."""
    if container.kind == "extension" and isinstance(container.self_type, InterfaceType):
        return ThisType(container.self_type.interface)
    return container.self_type
