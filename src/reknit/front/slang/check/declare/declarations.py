"""What names lead to before everything about them is known, and the scopes they stand in.

    struct A<T> { T x; int f() }      scope (file): A -> Container(A), members: x -> FieldEntry, f -> FunctionEntry
                                      scope (inside A): T -> TypeEntry; members of A by looking them up in A's type

Entries are made from syntax at once and finished when they are first asked for, so declarations may stand in any order.
"""

from typing import TYPE_CHECKING, final

from reknit.front.slang import syntax
from reknit.front.slang.substitute import Substitution
from reknit.front.slang.symbols import (
    Conformance,
    Enum,
    Environment,
    Field,
    Function,
    Interface,
    Requirement,
    Struct,
    Variable,
)
from reknit.front.slang.types import ERROR, InterfaceType, StructType, Type

if TYPE_CHECKING:
    from reknit.front.slang.check.expressions.captures import Captures
    from reknit.front.slang.hir import Expr, Opening, Target
    from reknit.front.slang.witnesses import Witness


class Entry:
    """`at` is where it is declared."""

    __slots__ = ("name", "at")

    def __init__(self, name: str, at: int) -> None:
        self.name = name
        self.at = at


@final
class TypeEntry(Entry):
    """A generic parameter that is a type."""

    __slots__ = ("type",)

    def __init__(self, name: str, at: int, type: Type) -> None:
        super().__init__(name, at)
        self.type = type


@final
class ValueEntry(Entry):
    """An enum's case or a generic value parameter: a name for a value that is no place."""

    __slots__ = ("value",)

    def __init__(self, name: str, at: int, value: "Expr") -> None:
        super().__init__(name, at)
        self.value = value


@final
class PackEntry(Entry):
    """A parameter pack, or a parameter with one value for each of its elements: an entry for each."""

    __slots__ = ("elements",)

    def __init__(self, name: str, at: int, elements: list[Entry]) -> None:
        super().__init__(name, at)
        self.elements = elements


@final
class VariableEntry(Entry):
    """A local, a global or a static member. `variable` None: not finished; `container` is what it is a member of,
    `requirement` what it asks for in an interface. `holder` is the field of a `cbuffer` and its variable."""

    __slots__ = ("decl", "scope", "container", "variable", "busy", "requirement", "done")

    def __init__(self, name: str, at: int, decl: syntax.VarDecl | None, scope: "Scope | None") -> None:
        super().__init__(name, at)
        self.decl = decl
        self.scope = scope
        self.container: Container | None = None
        self.variable: Variable | None = None
        self.requirement: Requirement | None = None
        self.busy = False
        self.done = False


@final
class CbufferEntry(Entry):
    """A field of a `cbuffer`, visible as if it were global."""

    __slots__ = ("container", "field")

    def __init__(self, name: str, at: int, container: "Container", field: "FieldEntry") -> None:
        super().__init__(name, at)
        self.container = container
        self.field = field


@final
class FieldEntry(Entry):
    __slots__ = ("decl", "container", "field", "done")

    def __init__(self, decl: syntax.VarDecl, container: "Container", field: Field) -> None:
        super().__init__(decl.name, decl.at)
        self.decl = decl
        self.container = container
        self.field = field
        self.done = False


@final
class Template:
    """What makes a declaration of HLSL another one for each set of arguments: its parameters as written, and the
    declarations that there are, by the arguments' keys. `explicit` are those that the source has for some arguments."""

    __slots__ = ("params", "instances", "explicit")

    def __init__(self, params: list[syntax.Decl]) -> None:
        self.params = params
        self.instances: dict[str, Entry] = {}
        self.explicit: list[Explicit] = []


@final
class Explicit:
    """`template<> struct S<int> {...}`, declared in `scope`. `key` is that of its `arguments` once `known`, "" and none
    where they are not the template's."""

    __slots__ = ("decl", "scope", "key", "known", "arguments")

    def __init__(self, decl: syntax.SpecializationDecl, scope: "Scope") -> None:
        self.decl = decl
        self.scope = scope
        self.key = ""
        self.known = False
        self.arguments: list[Type] = []


@final
class MadeOf:
    """Which template a declaration is an instance of, with which arguments; `depth` counts the instances that had to be
    looked into until this one was asked for."""

    __slots__ = ("entry", "arguments", "depth")

    def __init__(self, entry: Entry, arguments: list[Type], depth: int) -> None:
        self.entry = entry
        self.arguments = arguments
        self.depth = depth


@final
class FunctionEntry(Entry):
    """A function, method, initializer or accessor. `scope` is where it stands; `inner` has its generic parameters.

    One with parameter packs is a function for each `length` of these: `instances`. Its own length is -1, and it has no
    `function`. `packs` are the first and the end of the parameters that a declared one stands for, by its index.
    A `deferred` one has its body checked when it is called.
    """

    __slots__ = (
        "decl", "scope", "inner", "container", "function", "requirement", "property", "busy", "synthesized", "length",
        "instances", "packs", "template", "made_of", "deferred",
    )  # fmt: skip

    def __init__(self, name: str, decl: syntax.FuncDecl, scope: "Scope", container: "Container | None") -> None:
        super().__init__(name, decl.at)
        self.decl = decl
        self.scope = scope
        self.inner: Scope = scope
        self.container = container
        self.function: Function | None = None
        self.requirement: Requirement | None = None
        self.property: PropertyEntry | None = None
        self.busy = False
        self.length = -1
        self.instances: dict[int, FunctionEntry] = {}
        self.packs: dict[int, tuple[int, int]] = {}
        self.template: Template | None = None
        self.made_of: MadeOf | None = None
        self.deferred = False

    def instance(self, length: int) -> "FunctionEntry":
        """It with packs of this length."""
        instance = self.instances.get(length)
        if instance is None:
            instance = FunctionEntry(self.name, self.decl, self.scope, self.container)
            instance.length = length
            instance.deferred = True
            self.instances[length] = instance
        return instance

    def is_static(self) -> bool:
        words = self.decl.modifiers.words if self.property is None else self.property.decl.modifiers.words
        return self.container is None or self.container.kind == "namespace" or "static" in words


@final
class PropertyEntry(Entry):
    """A property, or a `__subscript` (its name is "subscript")."""

    __slots__ = ("decl", "scope", "container", "getter", "setter", "reference")

    def __init__(self, decl: syntax.PropertyDecl, scope: "Scope", container: "Container | None") -> None:
        super().__init__(decl.name, decl.at)
        self.decl = decl
        self.scope = scope
        self.container = container
        self.getter: FunctionEntry | None = None
        self.setter: FunctionEntry | None = None
        self.reference: FunctionEntry | None = None

    def accessors(self) -> list[FunctionEntry]:
        return [entry for entry in (self.getter, self.setter, self.reference) if entry is not None]


@final
class AliasEntry(Entry):
    """`scope` is where it stands, `inner` has its generic parameters. One with parameter packs is an alias for each
    `length` of these: `instances`."""

    __slots__ = ("decl", "scope", "inner", "environment", "type", "busy", "outer", "length", "instances")

    def __init__(self, decl: syntax.AliasDecl, scope: "Scope") -> None:
        super().__init__(decl.name, decl.at)
        self.decl = decl
        self.scope = scope
        self.inner: Scope | None = None
        self.environment: Environment | None = None
        self.outer = 0  # how many parameters of the environment aren't its own
        self.type: Type | None = None
        self.busy = False
        self.length = -1
        self.instances: dict[int, AliasEntry] = {}


@final
class AssocEntry(Entry):
    __slots__ = ("decl", "container", "requirement", "bounded")

    def __init__(self, decl: syntax.AssocDecl, container: "Container", requirement: Requirement) -> None:
        super().__init__(decl.name, decl.at)
        self.decl = decl
        self.container = container
        self.requirement = requirement
        self.bounded = False


@final
class Container(Entry):
    """A struct, interface, enum, extension or namespace: what has members. `kind` is the word ("class" is "struct").

    `environment` is made first, then `self_type` (an extension's target, an interface's This), then bases and
    conformances. A type or extension with parameter packs is one for each `length` of these: `instances`.
    """

    __slots__ = (
        "kind", "decl", "scope", "inner", "members", "order", "struct", "interface", "enum", "environment", "outer",
        "self_type", "base", "bases", "conformances", "stage", "path", "variable", "default", "fields", "fields_done",
        "length", "instances", "template", "made_of",
    )  # fmt: skip

    def __init__(self, kind: str, name: str, at: int, scope: "Scope", path: str) -> None:
        super().__init__(name, at)
        self.kind = kind
        self.scope = scope
        self.inner = Scope(scope)
        self.inner.container = self
        self.path = path
        self.decl: syntax.AggregateDecl | syntax.EnumDecl | None = None
        self.members: dict[str, list[Entry]] = {}
        self.order: list[Entry] = []
        self.struct: Struct | None = None
        self.interface: Interface | None = None
        self.enum: Enum | None = None
        self.environment: Environment | None = None
        self.outer = 0  # how many parameters of the environment aren't its own
        self.self_type: Type = ERROR
        self.base: StructType | None = None
        self.bases: list[InterfaceType] = []
        self.conformances: list[Conformance] = []
        self.stage = 0  # 0 new, 1 environment in work, 2 environment, 3 bases in work, 4 bases
        self.variable: Variable | None = None  # a cbuffer's
        self.default: Function | None = None  # makes a struct with its fields' defaults
        self.fields: list[FieldEntry] = []
        self.fields_done = False
        self.length = -1
        self.instances: dict[int, Container] = {}
        self.template: Template | None = None
        self.made_of: MadeOf | None = None

    def add(self, entry: Entry) -> None:
        self.members.setdefault(entry.name, []).append(entry)
        self.order.append(entry)


@final
class Body:
    """What a function's statements need to know. `this` None: there is none. `initializer`: its result is `this`. A
    lambda has `captures` and no `this`, and `infers` its result from what is `returned`. `differentiable`: so its
    attributes say."""

    __slots__ = (
        "function", "this", "initializer", "targets", "result", "openings", "path", "captures", "infers",
        "returned", "differentiable",
    )  # fmt: skip

    def __init__(self, function: Function, result: Type) -> None:
        self.function = function
        self.result = result
        self.this: Variable | None = None
        self.initializer = False
        self.targets: list[Jumpable] = []
        self.openings: dict[int, Opening] = {}
        self.path = function.path
        self.captures: Captures | None = None
        self.infers = False
        self.returned = False
        self.differentiable = False


@final
class Jumpable:
    """A statement that jumps may leave: `kind` is "loop", "switch", "label", "catch" or "defer" (none may pass that).
    `caught` is the variable of a `catch` that has one."""

    __slots__ = ("target", "kind", "label", "caught")

    def __init__(self, target: "Target", kind: str, label: str = "", caught: Variable | None = None) -> None:
        self.caught = caught
        self.target = target
        self.kind = kind
        self.label = label


@final
class Scope:
    """`names` are its own; `container` is what it is the inside of; `body` the function it is part of."""

    __slots__ = ("parent", "names", "container", "environment", "body", "used", "many")

    def __init__(self, parent: "Scope | None") -> None:
        self.parent = parent
        self.names: dict[str, list[Entry]] = {}
        self.container: Container | None = None
        self.environment: Environment = parent.environment if parent is not None else Environment([], [])
        self.body: Body | None = parent.body if parent is not None else None
        self.used: list[Container] = []  # namespaces
        self.many: dict[str, Overloads] = {}

    def add(self, entry: Entry) -> None:
        self.names.setdefault(entry.name, []).append(entry)

    def enclosing(self) -> Container | None:
        """The innermost type (or extension) that this is inside of."""
        scope: Scope | None = self
        while scope is not None:
            if scope.container is not None and scope.container.kind not in ("namespace", "cbuffer"):
                return scope.container
            scope = scope.parent
        return None


@final
class LookupItem:
    """An entry that a name led to. `substitution` is for the environment of what it stands in. `witness`: it is a
    requirement, reached through that. `path`: the base structs that lead to it."""

    __slots__ = ("entry", "substitution", "witness", "path", "depth")

    def __init__(
        self,
        entry: Entry,
        substitution: Substitution,
        witness: "Witness | None" = None,
        path: list[StructType] | None = None,
        depth: int = 0,
    ) -> None:
        self.entry = entry
        self.substitution = substitution
        self.witness = witness
        self.path: list[StructType] = path if path is not None else []
        self.depth = depth


@final
class Overloads:
    """Many functions of one name, all of one scope: found once, not once a call. `items` are shared by all that look
    the name up, and are not to be changed. `by_types`: those that take arguments of just these types, by the types'
    keys; None until it is asked for."""

    __slots__ = ("items", "private", "by_types")

    def __init__(self, items: list[LookupItem], private: bool) -> None:
        self.items = items
        self.private = private
        self.by_types: dict[tuple[str, ...], list[LookupItem]] | None = None
