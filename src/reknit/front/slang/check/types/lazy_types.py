"""Types, finished when they are first asked for: parameters, bases, fields, aliases, associated types.

    Container:  environment, self_type  ->  bases, conformances        (stage 2, stage 4)

Each is marked while it is in work, so that what refers to itself ends in a message.
"""

from typing import final

from reknit.front.slang import hir, syntax
from reknit.front.slang.check.calls.lengths import is_variadic_type
from reknit.front.slang.check.context import Context
from reknit.front.slang.check.declare.declarations import (
    AliasEntry,
    AssocEntry,
    Container,
    Entry,
    FieldEntry,
    FunctionEntry,
    Scope,
)
from reknit.front.slang.check.declare.defaults import default_value
from reknit.front.slang.check.declare.instances import extend
from reknit.front.slang.check.expressions.constants import integer
from reknit.front.slang.check.expressions.convert import convert
from reknit.front.slang.check.generics import generics
from reknit.front.slang.check.templates.bind import depth_of
from reknit.front.slang.check.types.bases import add_base, add_conformance, declares
from reknit.front.slang.check.types.bit_fields import pack_bit_fields, read_width
from reknit.front.slang.check.types.field_offsets import explicit_offset
from reknit.front.slang.conformances import parts
from reknit.front.slang.substitute import substitute_interface
from reknit.front.slang.symbols import Environment, Field, Function, Requirement
from reknit.front.slang.types import (
    ERROR,
    VOID,
    AssocType,
    ErrorType,
    InterfaceType,
    ParamType,
    PointerType,
    ResourceType,
    StructType,
    Type,
    same,
)
from reknit.front.slang.witnesses import AssocWitness
from reknit.source.meter import spend


@final
class LazyTypes:
    __slots__ = ("ctx",)

    def __init__(self, ctx: Context) -> None:
        self.ctx = ctx

    def environment(self, container: Container) -> Environment:
        ctx = self.ctx
        if container.environment is not None:
            return container.environment
        outer_ready(ctx, container.scope)
        inner = container.inner
        inner.environment = container.scope.environment
        container.outer = len(inner.environment.params)
        container.stage = 1
        decl = container.decl
        container.environment = inner.environment
        if isinstance(decl, syntax.AggregateDecl):
            container.environment = generics.declare(ctx, decl.generics, inner, container.length)
        environment = container.environment
        if container.struct is not None:
            container.struct.environment = environment
            container.self_type = StructType(container.struct, [ParamType(param) for param in environment.params])
        elif container.interface is not None:
            container.interface.environment = environment
            if isinstance(decl, syntax.AggregateDecl):
                _interface_attributes(ctx, container, decl)
        elif container.kind == "extension" and isinstance(decl, syntax.AggregateDecl) and decl.target is not None:
            container.self_type = ctx.types.type_of(inner, decl.target)
        container.stage = 2
        return environment

    def bases(self, container: Container) -> None:
        ctx = self.ctx
        if container.stage >= 3:
            return
        self.environment(container)
        if container.stage < 2:
            return
        container.stage = 3
        depth, ctx.template_depth = ctx.template_depth, depth_of(container)
        decl = container.decl
        written: list[syntax.Expr] = []
        if isinstance(decl, (syntax.AggregateDecl, syntax.EnumDecl)):
            written = decl.bases
        if isinstance(decl, syntax.EnumDecl) and decl.underlying is not None:
            written = [base for base in written if base is not decl.underlying]
        for index, base in enumerate(written):
            for conjunct in generics.conjuncts(base):
                add_base(ctx, container, conjunct, index)
        container.stage = 4
        ctx.template_depth = depth

    def extensions(self, type: Type) -> None:
        """Those with packs that may extend the type."""
        if self.ctx.variadic_extensions:
            extend(self.ctx, type)

    def conform(self, container: Container, type: InterfaceType, at: int) -> None:
        """`container` conforms to an interface, and so to what that inherits."""
        ctx = self.ctx
        work = [type]
        while work:
            spend(1)
            interface = work.pop(0)
            owner = ctx.containers.get(interface.interface.number)
            if owner is not None:
                self.bases(owner)
            if not declares(ctx, container.self_type, interface):
                add_conformance(ctx, container, interface, at)
            inside = ctx.evidence.arguments(interface.interface.environment, interface.arguments)
            inside.this_type = container.self_type
            work += [substitute_interface(base, inside) for base in interface.interface.bases]

    def fields(self, container: Container) -> list[FieldEntry]:
        self.bases(container)
        if not container.fields_done:
            container.fields_done = True
            for entry in container.fields:
                self.field(entry)
            pack_bit_fields(self.ctx, container)
        return container.fields

    def field(self, entry: FieldEntry) -> Field:
        ctx = self.ctx
        if not entry.done:
            entry.done = True
            self.environment(entry.container)
            depth, ctx.template_depth = ctx.template_depth, depth_of(entry.container)
            decl = entry.decl
            if decl.type is not None:
                entry.field.type = ctx.types.type_of(entry.container.inner, decl.type)
            elif decl.init is not None:
                entry.field.type = ctx.expressions.value(entry.container.inner, decl.init).type
            entry.field.offset = explicit_offset(ctx, entry.container.inner, decl)
            read_width(ctx, entry)
            if same(entry.field.type, VOID):
                ctx.error("E30009", decl.at, "invalid type 'void'.")
                entry.field.type = ERROR
            if _holds(entry.field.type, entry.container):
                name = entry.container.name
                ctx.error("E41001", entry.container.at, f"type '{name}' contains cyclic reference to itself.")
                entry.field.type = ERROR
            ctx.template_depth = depth
        return entry.field

    def alias(self, entry: AliasEntry) -> Type:
        ctx = self.ctx
        if is_variadic_type(entry):
            return ERROR  # it has a type for each length
        if entry.type is not None:
            return entry.type
        if entry.busy:
            ctx.error("E39999", entry.at, f"cyclic reference in the definition of '{entry.name}'")
            return ERROR
        entry.busy = True
        outer_ready(ctx, entry.scope)
        own = isinstance(entry.decl.type, syntax.Name) and entry.decl.type.text == entry.name
        inner = Scope(entry.scope.parent if own and entry.scope.parent is not None else entry.scope)
        entry.outer = len(inner.environment.params)
        entry.environment = generics.declare(ctx, entry.decl.generics, inner, entry.length)
        entry.type = ctx.types.type_of(inner, entry.decl.type)
        return entry.type

    def associated(self, entry: AssocEntry) -> Requirement:
        """With its bounds."""
        ctx = self.ctx
        if not entry.bounded:
            entry.bounded = True
            self.environment(entry.container)
            for written in entry.decl.bounds:
                for conjunct in generics.conjuncts(written):
                    type = ctx.types.type_of(entry.container.inner, conjunct)
                    if isinstance(type, InterfaceType):
                        entry.requirement.bounds.append(type)
                    elif not isinstance(type, ErrorType):
                        ctx.error("E30401", conjunct.at, f"type '{type}' cannot be used as a constraint")
            for where in entry.decl.wheres:
                self._where(entry, where)
        return entry.requirement

    def _where(self, entry: AssocEntry, where: syntax.Where) -> None:
        """`associatedtype TA : IBar where TA.TB == int;`, or `where TA : IBar`."""
        ctx = self.ctx
        scope = entry.container.inner
        subject = ctx.types.type_of(scope, where.subject)
        if not isinstance(subject, AssocType):
            ctx.unsupported(where.at, "a `where` that isn't on the associated type")
        elif where.equal is not None and isinstance(subject.witness, AssocWitness):
            entry.requirement.wheres[subject.requirement] = ctx.types.type_of(scope, where.equal)
        elif where.equal is None and subject.requirement is entry.requirement and not where.optional:
            for written in where.bounds:
                bound = ctx.types.type_of(scope, written)
                if isinstance(bound, InterfaceType):
                    entry.requirement.bounds.append(bound)
        else:
            ctx.unsupported(where.at, "a `where` that isn't on the associated type")

    def default(self, container: Container) -> Function | None:
        """A function that makes a struct of its fields' defaults; None if all are plain."""
        ctx = self.ctx
        if container.default is not None or container.struct is None or not needs_default(ctx, container):
            return container.default
        struct = container.struct
        environment = self.environment(container)
        function = Function("$default", ctx.number(), container.at, f"{container.path}.$default", environment)
        function.result = container.self_type
        function.owner = container.self_type
        container.default = function
        parts: list[hir.Expr] = []
        if container.base is not None:
            parts.append(default_value(ctx, container.base, container.at))
        for entry in self.fields(container):
            if entry.decl.init is None:
                parts.append(_plain(ctx, entry))
            else:
                written = ctx.expressions.value_or_list(container.inner, entry.decl.init)
                parts.append(convert(ctx, written, entry.field.type))
        result = hir.Construct(container.at, container.self_type, parts)
        function.body = hir.Block(container.at, [hir.Return(container.at, result)])
        struct.functions.append(function)
        ctx.synthesized.append(function)
        return function


def outer_ready(ctx: Context, scope: Scope) -> None:
    """What a declaration stands in has its parameters first."""
    at: Scope | None = scope
    while at is not None:
        if at.container is not None:
            if at.container.kind != "namespace":
                ctx.lazy.environment(at.container)
            return
        at = at.parent


def _interface_attributes(ctx: Context, container: Container, decl: syntax.AggregateDecl) -> None:
    if container.interface is None:
        return
    attribute = decl.modifiers.attribute("anyValueSize")
    if attribute is not None and attribute.arguments:
        container.interface.any_value_size = _size(ctx, container, attribute)
    container.interface.specialize = decl.modifiers.attribute("Specialize") is not None


def _size(ctx: Context, container: Container, attribute: syntax.Attribute) -> int:
    value = integer(ctx.expressions.expression(container.scope, attribute.arguments[0]))
    if value is None:
        message = "expression does not evaluate to a compile-time constant"
        ctx.error("E39999", attribute.arguments[0].at, message)
        return 0
    if value > 32767:
        ctx.error("E31121", attribute.at, "'anyValueSize' cannot exceed 32767")
    return value


def _holds(type: Type, container: Container) -> bool:
    """Whether a value of `type` has the struct inside itself."""
    work = [type]
    seen: set[str] = set()
    while work:
        spend(1)
        now = work.pop()
        if now.key in seen or isinstance(now, (PointerType, ResourceType)):
            continue
        seen.add(now.key)
        if isinstance(now, StructType):
            if now.struct is container.struct:
                return True
            work += [field.type for field in now.struct.fields]
        else:
            work += parts(now)
    return False


# ---- defaults


def _plain(ctx: Context, entry: FieldEntry) -> hir.Expr:
    if isinstance(entry.field.type, InterfaceType):
        return hir.Undefined(entry.at, entry.field.type)
    return default_value(ctx, entry.field.type, entry.at)


def needs_default(ctx: Context, container: Container) -> bool:
    """Whether a field, its own or one further in, has a default or an initializer that makes one."""
    work = [container]
    seen: set[int] = set()
    while work:
        spend(1)
        now = work.pop()
        if id(now) in seen:
            continue
        seen.add(id(now))
        ctx.lazy.bases(now)
        if now is not container and any(True for entry in now.members.get("__init", []) if _without_parameters(entry)):
            return True
        inside = [now.base] if now.base is not None else []
        for entry in ctx.lazy.fields(now):
            if entry.decl.init is not None:
                return True
            if isinstance(entry.field.type, StructType):
                inside.append(entry.field.type)
        work += [ctx.containers[type.struct.number] for type in inside if type.struct.number in ctx.containers]
    return False


def _without_parameters(entry: Entry) -> bool:
    return isinstance(entry, FunctionEntry) and not entry.decl.params
