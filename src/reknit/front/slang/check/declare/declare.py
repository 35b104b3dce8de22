"""Entries for all declarations, before anything is looked into.

struct A { int x; int f() {...} }  ->  scope: A -> Container; its members: x -> FieldEntry, f -> FunctionEntry
interface I { int g(); }           ->  Container, Interface with the Requirement g
cbuffer C { float4 color; }        ->  a struct C, a ConstantBuffer<C>, and the name `color` outside
"""

from typing import Final

from reknit.front.slang import syntax
from reknit.front.slang.builtins.kinds import NOT_READ
from reknit.front.slang.check.calls.lengths import is_variadic, is_variadic_type
from reknit.front.slang.check.context import Context
from reknit.front.slang.check.declare.declarations import (
    AliasEntry,
    AssocEntry,
    CbufferEntry,
    Container,
    Entry,
    FieldEntry,
    FunctionEntry,
    PropertyEntry,
    Scope,
    Template,
    VariableEntry,
)
from reknit.front.slang.check.declare.varyings import varying_of
from reknit.front.slang.check.types.visibility import check_declared
from reknit.front.slang.parse.glsl import data_layout
from reknit.front.slang.symbols import Enum, Environment, Field, Interface, Requirement, Struct, Variable
from reknit.front.slang.types import (
    BLOCK,
    DATA_LAYOUTS,
    ERROR,
    INT,
    READ_BLOCK,
    EnumType,
    ResourceType,
    StructType,
    ThisType,
)
from reknit.source.meter import spend

_KINDS: Final = {"class": "struct", "tbuffer": "cbuffer", "buffer": "cbuffer"}
"""What is declared as another kind of thing is."""


def declare_all(ctx: Context, scope: Scope, decls: list[syntax.Decl], owner: Container | None, path: str) -> None:
    """Everything in a file, a namespace or a type."""
    work: list[tuple[Scope, syntax.Decl, Container | None, str]] = [
        (scope, decl, owner, path) for decl in reversed(decls)
    ]
    while work:
        spend(1)
        at_scope, decl, inside, prefix = work.pop()
        for container, members in declare(ctx, at_scope, decl, inside, prefix):
            work += [(container.inner, member, container, container.path) for member in reversed(members)]


def declare(
    ctx: Context, scope: Scope, decl: syntax.Decl, owner: Container | None, path: str
) -> list[tuple[Container, list[syntax.Decl]]]:
    """One declaration; what it is a container of is left to do."""
    check_declared(ctx, decl, owner)
    if isinstance(decl, syntax.AggregateDecl):
        return _aggregate(ctx, scope, decl, owner, path)
    if isinstance(decl, syntax.EnumDecl):
        _enum(ctx, scope, decl, owner, path)
    elif isinstance(decl, syntax.FuncDecl):
        _function(ctx, scope, decl, owner)
    elif isinstance(decl, syntax.VarDecl):
        _variable(ctx, scope, decl, owner)
    elif isinstance(decl, syntax.PropertyDecl):
        _property(ctx, scope, decl, owner)
    elif isinstance(decl, syntax.AliasDecl):
        _add(ctx, scope, AliasEntry(decl, scope), owner)
    elif isinstance(decl, syntax.AssocDecl):
        _associated(ctx, decl, owner)
    elif isinstance(decl, syntax.ImportDecl):
        _import(ctx, scope, decl)
    elif isinstance(decl, syntax.GroupSizeDecl):
        ctx.group_size = decl.attribute
    elif isinstance(decl, syntax.StaticAssert):
        ctx.asserts.append((scope, decl))
    elif isinstance(decl, syntax.TemplateDecl):
        _template(ctx, scope, decl, owner, path)
    elif isinstance(decl, syntax.SpecializationDecl):
        _specialization(ctx, scope, decl, owner)
    elif isinstance(decl, syntax.UnsupportedDecl):
        ctx.unsupported(decl.at, decl.what)
    return []


def _add(ctx: Context, scope: Scope, entry: Entry, owner: Container | None) -> None:
    names = scope.names if owner is None else owner.members
    have = names.get(entry.name, [])
    if ctx.hlsl and owner is None and len(have) == 1 and isinstance(entry, VariableEntry) and _is_struct(have[0]):
        have.insert(0, entry)
        return
    if have and entry.name and not _may_share(have[0], entry):
        ctx.reports.error(
            "E30200", entry.at, f"declaration of '{entry.name}' conflicts with existing declaration",
            [ctx.reports.note(have[0].at, "it is declared here", len(entry.name))], len(entry.name),
        )  # fmt: skip
    if owner is None:
        scope.add(entry)
    else:
        owner.add(entry)


def _is_struct(have: Entry) -> bool:
    """Whether it is a type that a variable of the same name may hide in HLSL, where names of variables are others."""
    return isinstance(have, Container) and have.kind == "struct"


def _may_share(have: Entry, entry: Entry) -> bool:
    if isinstance(have, FunctionEntry) and isinstance(entry, FunctionEntry):
        return True
    if isinstance(have, PropertyEntry) and isinstance(entry, PropertyEntry):
        return have.name == "subscript"
    if isinstance(have, Container) and isinstance(entry, (Container, AliasEntry)):
        return "extern" in _words(have) or _is_forward(have)
    if isinstance(have, AliasEntry) and isinstance(entry, Container):
        return "extern" in _words(entry)
    if isinstance(have, VariableEntry) and have.decl is not None:
        return "extern" in have.decl.modifiers.words
    return False


def _words(container: Container) -> dict[str, int]:
    return container.decl.modifiers.words if container.decl is not None else {}


def _is_forward(container: Container) -> bool:
    """Without a body, or with one that stands for another module's."""
    decl = container.decl
    return isinstance(decl, syntax.AggregateDecl) and (decl.members is None or "extern" in decl.modifiers.words)


def _path(path: str, name: str) -> str:
    return f"{path}::{name}" if path else name


def _template(ctx: Context, scope: Scope, decl: syntax.TemplateDecl, owner: Container | None, path: str) -> None:
    """A name only: what it is for some arguments is declared when it is asked for."""
    inner = decl.inner
    template = Template(decl.params)
    if owner is not None and owner.interface is not None:
        ctx.unsupported(decl.at, "templates in interfaces")
    elif isinstance(inner, syntax.FuncDecl):
        function = FunctionEntry(inner.name, inner, scope, owner)
        function.template = template
        _add(ctx, scope, function, owner)
    elif isinstance(inner, syntax.AggregateDecl):
        container = Container("struct", inner.name, inner.at, scope, _path(path, inner.name))
        container.decl = inner
        container.template = template
        if _is_forward(container) and _known(scope, inner.name, owner):
            return
        if _forward(scope, inner.name, owner):
            _replace(scope, container, owner)
        else:
            _add(ctx, scope, container, owner)


def _specialization(ctx: Context, scope: Scope, decl: syntax.SpecializationDecl, owner: Container | None) -> None:
    """It has no name of its own: its template is looked for when everything is declared."""
    if owner is not None and owner.kind != "namespace":
        ctx.error("E39999", decl.at, f"explicit specialization of '{decl.name}' inside of a struct", len(decl.name))
    else:
        ctx.explicit.append((decl, scope, owner))


# ---- types and namespaces


def _aggregate(
    ctx: Context, scope: Scope, decl: syntax.AggregateDecl, owner: Container | None, path: str
) -> list[tuple[Container, list[syntax.Decl]]]:
    if decl.alias is not None:
        alias = syntax.AliasDecl(decl.at, decl.name, decl.modifiers, decl.generics, decl.alias)
        _replace(scope, AliasEntry(alias, scope), owner)
        return []
    if decl.kind == "namespace":
        return [(_namespace(scope, decl, owner, path), decl.members or [])]
    if decl.kind == "class" and not ctx.hlsl:
        ctx.unsupported(decl.at, "classes")
    full = path if decl.kind == "extension" else _path(path, decl.name)
    template = Container(_KINDS.get(decl.kind, decl.kind), decl.name, decl.at, scope, full)
    template.decl = decl
    if is_variadic_type(template):
        if decl.kind == "extension":
            ctx.variadic_extensions.append(template)
        else:
            _add(ctx, scope, template, owner)
        return []
    container = aggregate(ctx, scope, decl, full)
    if container.kind == "cbuffer":
        _cbuffer(ctx, scope, container, decl)
    elif container.kind != "extension":
        if _is_forward(container) and _known(scope, decl.name, owner):
            return []
        if _forward(scope, decl.name, owner):
            _replace(scope, container, owner)
        else:
            _add(ctx, scope, container, owner)
    return [(container, decl.members or [])]


def aggregate(ctx: Context, scope: Scope, decl: syntax.AggregateDecl, path: str) -> Container:
    """A struct, interface or extension without its members; `path` is its own."""
    container = Container(_KINDS.get(decl.kind, decl.kind), decl.name, decl.at, scope, path)
    container.decl = decl
    ctx.all.append(container)
    number = ctx.number()
    if container.kind == "extension":
        ctx.extensions.append(container)
    elif container.kind == "interface":
        ctx.interfaces.append(container)
        container.interface = Interface(decl.name, number, decl.at, path, Environment([], []))
        container.self_type = ThisType(container.interface)
        ctx.containers[number] = container
        ctx.program.interfaces.append(container.interface)
    else:
        container.struct = Struct(decl.name, number, decl.at, path, Environment([], []))
        ctx.containers[number] = container
        ctx.program.structs.append(container.struct)
    return container


def _known(scope: Scope, name: str, owner: Container | None) -> bool:
    return bool((scope.names if owner is None else owner.members).get(name))


def _forward(scope: Scope, name: str, owner: Container | None) -> bool:
    """Whether all that there is of this name are declarations without a body."""
    have = (scope.names if owner is None else owner.members).get(name, [])
    return bool(have) and all(isinstance(entry, Container) and _is_forward(entry) for entry in have)


def _replace(scope: Scope, entry: Entry, owner: Container | None) -> None:
    names = scope.names if owner is None else owner.members
    names[entry.name] = [entry]


def _namespace(scope: Scope, decl: syntax.AggregateDecl, owner: Container | None, path: str) -> Container:
    names = scope.names if owner is None else owner.members
    for entry in names.get(decl.name, []):
        if isinstance(entry, Container) and entry.kind == "namespace":
            return entry
    container = Container("namespace", decl.name, decl.at, scope, _path(path, decl.name))
    container.stage = 4
    container.environment = Environment([], [])
    if owner is None:
        scope.add(container)
    else:
        owner.add(container)
    return container


def _cbuffer(ctx: Context, scope: Scope, container: Container, decl: syntax.AggregateDecl) -> None:
    """The buffer itself; its members are declared as fields, and as names outside, when they come."""
    if container.struct is None:
        return
    kind = "ConstantBuffer"
    if decl.kind == "buffer":
        kind = READ_BLOCK if "readonly" in decl.modifiers.words else BLOCK
    type = ResourceType(kind, StructType(container.struct, []), DATA_LAYOUTS.get(data_layout(decl.modifiers)))
    variable = Variable(container.name, ctx.number(), container.at, "uniform", type)
    variable.mutable = False
    container.variable = variable
    entry = VariableEntry(container.name, container.at, None, scope)
    entry.variable = variable
    entry.done = True
    ctx.globals.append(entry)


def _enum(ctx: Context, scope: Scope, decl: syntax.EnumDecl, owner: Container | None, path: str) -> None:
    container = Container("enum", decl.name, decl.at, scope, _path(path, decl.name))
    container.decl = decl
    number = ctx.number()
    enum = Enum(decl.name, number, decl.at, container.path, INT)
    container.enum = enum
    container.self_type = EnumType(enum)
    ctx.containers[number] = container
    ctx.all.append(container)
    if decl.name:
        _add(ctx, scope, container, owner)
    ctx.enums.append((container, scope, owner))


def _associated(ctx: Context, decl: syntax.AssocDecl, owner: Container | None) -> None:
    if owner is None or owner.interface is None:
        ctx.error("E30102", decl.at, "declaration not allowed here.", len(decl.name))
        return
    requirement = _requirement(ctx, owner.interface, decl.name, decl.at, "associated")
    owner.add(AssocEntry(decl, owner, requirement))


def _requirement(ctx: Context, interface: Interface, name: str, at: int, kind: str) -> Requirement:
    requirement = Requirement(name, ctx.number(), at, kind, interface)
    interface.requirements.append(requirement)
    return requirement


# ---- functions, variables


def _function(ctx: Context, scope: Scope, decl: syntax.FuncDecl, owner: Container | None) -> None:
    entry = FunctionEntry(decl.name, decl, scope, owner)
    if owner is not None and owner.interface is not None:
        kind = "init" if decl.kind == "init" else "static" if "static" in decl.modifiers.words else "method"
        entry.requirement = _requirement(ctx, owner.interface, decl.name, decl.at, kind)
    (ctx.templates if is_variadic(entry) else ctx.functions).append(entry)
    _add(ctx, scope, entry, owner)


def _variable(ctx: Context, scope: Scope, decl: syntax.VarDecl, owner: Container | None) -> None:
    words = decl.modifiers.words
    if owner is not None and owner.struct is not None and "static" not in words:
        field = Field(decl.name, ctx.number(), decl.at, ERROR)
        field.semantic = decl.modifiers.semantic.upper()
        field.varying = varying_of(decl.modifiers)
        field.coherent = decl.modifiers.is_coherent()
        owner.struct.fields.append(field)
        entry = FieldEntry(decl, owner, field)
        owner.fields.append(entry)
        _add(ctx, scope, entry, owner)
        if owner.kind == "cbuffer":
            outside = CbufferEntry(decl.name, decl.at, owner, entry)
            owner.scope.add(outside)
        return
    variable = VariableEntry(decl.name, decl.at, decl, scope)
    variable.container = owner
    if owner is not None and owner.kind == "extension" and "static" not in words:
        ctx.error("E31400", decl.at, "declaration not allowed in this context", len(decl.name))
        return
    if owner is not None and owner.interface is not None:
        if "static" not in words or not ("const" in words or "constexpr" in words):
            ctx.error("E30303", decl.at, "a value requirement of an interface must be 'static const'")
            return
        variable.requirement = _requirement(ctx, owner.interface, decl.name, decl.at, "constant")
    if owner is None or owner.kind == "namespace":
        ctx.globals.append(variable)
    else:
        ctx.constants.append(variable)
    _add(ctx, scope, variable, owner)


def _property(ctx: Context, scope: Scope, decl: syntax.PropertyDecl, owner: Container | None) -> None:
    entry = PropertyEntry(decl, scope, owner)
    for accessor in decl.accessors:
        accessor_entry = FunctionEntry(f"{accessor.kind} {decl.name}", accessor, scope, owner)
        accessor_entry.property = entry
        if owner is not None and owner.interface is not None:
            kind = "static" if "static" in decl.modifiers.words else "method"
            accessor_entry.requirement = _requirement(ctx, owner.interface, accessor_entry.name, accessor.at, kind)
        if accessor.kind == "get":
            entry.getter = accessor_entry
        elif accessor.kind == "set":
            entry.setter = accessor_entry
        else:
            entry.reference = accessor_entry
        ctx.functions.append(accessor_entry)
    _add(ctx, scope, entry, owner)


def resolve_usings(ctx: Context) -> None:
    """Those of namespaces that come later in the source."""
    ctx.all_declared = True
    for scope, decl in ctx.usings:
        _import(ctx, scope, decl)


def _import(ctx: Context, scope: Scope, decl: syntax.ImportDecl) -> None:
    if decl.kind in ("module", "implementing"):
        return  # the file's own name, or that of the module which includes it
    parts = decl.name.replace("::", ".").split(".")
    entries = ctx.root.names.get(parts[0], [])
    at: Scope | None = scope
    while at is not None and not entries:
        entries = at.names.get(parts[0], [])
        at = at.parent
    for part in parts[1:]:
        entries = [
            member for entry in entries if isinstance(entry, Container) for member in entry.members.get(part, [])
        ]
    spaces = [entry for entry in entries if isinstance(entry, Container) and entry.kind == "namespace"]
    if not spaces and not ctx.all_declared:
        ctx.usings.append((scope, decl))
    elif not spaces and parts[0] in NOT_READ:
        ctx.unsupported(decl.at, f"{NOT_READ[parts[0]]} (`{parts[0]}`)")
    elif not spaces:
        ctx.error("E30061", decl.at, f"expected a namespace, got '{decl.name}'")
    scope.used += [space for space in spaces if space not in scope.used]
