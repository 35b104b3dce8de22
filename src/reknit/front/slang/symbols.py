"""What declarations declare, once they are checked: the things that names lead to.

    struct A : IFoo { int a; int foo(int x) { ... } }

    Struct(A, fields=[a])     Function(A.foo, this=..., params=[x], body=hir)     Conformance(A : IFoo, {IFoo.foo:
    A.foo})

The lowering reads these and `hir`; it never looks at syntax. `number` is unique in a compilation and orders things.
"""

from typing import TYPE_CHECKING, Final, final

from reknit.front.slang.types import ERROR, VOID, InterfaceType, Type

if TYPE_CHECKING:
    from reknit.front.slang.conformances import Evidence
    from reknit.front.slang.hir import Block, Expr
    from reknit.front.slang.substitute import Substitution
    from reknit.front.slang.witnesses import Witness


class Symbol:
    """`at` is the position of the declaration's name, `path` the qualified name ("ns::A::foo")."""

    __slots__ = ("name", "number", "at", "path")

    def __init__(self, name: str, number: int, at: int, path: str = "") -> None:
        self.name = name
        self.number = number
        self.at = at
        self.path = path if path else name


@final
class GenericParam(Symbol):
    """A type or value parameter of a generic declaration."""

    __slots__ = ()


@final
class Constraint:
    """`subject : bound`, from a parameter's bound or a `where`. A caller gives a witness for it, if it is `optional`
    where there is one."""

    __slots__ = ("number", "subject", "bound", "optional")

    def __init__(self, number: int, subject: Type, bound: InterfaceType, optional: bool = False) -> None:
        self.number = number
        self.subject = subject
        self.bound = bound
        self.optional = optional


@final
class Environment:
    """The generic parameters and constraints that a declaration is under, those of what it stands in first.

    `equalities` are pairs of types that are the same: inside, the first is the second. `conversions` are (to, from).
    `counts` are the length of a pack and what it is to be, None: not 0.
    """

    __slots__ = ("params", "constraints", "equalities", "conversions", "counts")

    def __init__(self, params: list[GenericParam], constraints: list[Constraint]) -> None:
        self.params = params
        self.constraints = constraints
        self.equalities: list[tuple[Type, Type]] = []
        self.conversions: list[tuple[Type, Type]] = []
        self.counts: list[tuple[str, int, Type | None]] = []

    def inner(self) -> "Environment":
        """What starts as the same."""
        environment = Environment(list(self.params), list(self.constraints))
        environment.equalities = list(self.equalities)
        environment.conversions = list(self.conversions)
        environment.counts = list(self.counts)
        return environment


SPECIALIZED: Final = ("vk::constant_id", "vk_constant_id", "specializationconstant")
"""Attributes of specialization constants."""


@final
class Varying:
    """What a field or parameter says of how values pass between stages: `interpolation` are its words (nointerpolation,
    centroid, ...), `location` and `index` what attributes ask for (-1: nothing), `builtin` a built-in by its name."""

    __slots__ = ("interpolation", "location", "index", "builtin")

    def __init__(self) -> None:
        self.interpolation: list[str] = []
        self.location = -1
        self.index = -1
        self.builtin = ""


@final
class Variable(Symbol):
    """A local, a parameter, a field-like global: whatever has a place.

    `kind`: "local", "param", "this", "static" (a private global, also a static local or member), "groupshared",
    "constant" (`static const`, with `init`), "specialized" (a specialization constant, with `init`), "uniform" (a
    shader parameter: resource or plain), "entry" (a parameter of an entry point). `direction`: "in", "out", "inout",
    "ref", "constref". `init` is None or the checked initial value. `addressed`: something takes its address.
    `generics` are the parameters that a static, shared or constant one stands under: each set of arguments has its own.
    `assigned`: how many assignments to the whole of it there are. `shared`: atomic operations are done on it; `givers`
    are the parameters that are passed on to this one, which then are shared, too; `referred`: the `this` of a
    [constref] method.
    """

    __slots__ = (
        "kind", "type", "direction", "init", "semantic", "binding", "set", "attributes", "mutable", "precise",
        "addressed", "format", "coherent", "varying", "generics", "assigned", "shared",
        "givers", "referred",
    )  # fmt: skip

    def __init__(self, name: str, number: int, at: int, kind: str, type: Type, direction: str = "in") -> None:
        super().__init__(name, number, at)
        self.kind = kind
        self.type = type
        self.direction = direction
        self.init: Expr | None = None
        self.semantic = ""  # upper case, as "SV_DISPATCHTHREADID"; "" without
        self.binding = -1  # what register or vk::binding asks for; -1: none
        self.set = -1
        self.attributes: dict[str, list[object]] = {}
        self.mutable = True
        self.precise = False
        self.addressed = False
        self.format = ""  # of a texture's texels, as [format] names it
        self.coherent = False  # other workgroups see what is stored there
        self.assigned = 0
        self.varying: Varying | None = None
        self.generics: list[GenericParam] = []
        self.shared = False
        self.givers: list[Variable] = []
        self.referred = False


@final
class Field(Symbol):
    """A struct's field; `init` is its default, `offset` the byte of a buffer that it asks for, -1 for none. Read field
    types through `substitute` where the struct is generic. A bit field has a `width` (-1: it is none) and lies in the
    bits of `backing`, a field of the struct, from `first` on; of width 0 it has none."""

    __slots__ = ("type", "init", "semantic", "offset", "width", "first", "backing", "coherent", "varying")

    def __init__(self, name: str, number: int, at: int, type: Type) -> None:
        super().__init__(name, number, at)
        self.type = type
        self.init: Expr | None = None
        self.semantic = ""
        self.offset = -1
        self.width = -1
        self.first = 0
        self.backing: Field | None = None
        self.coherent = False
        self.varying: Varying | None = None


@final
class Struct(Symbol):
    """`fields` in order, a base struct first (as one field named "$base")."""

    __slots__ = ("environment", "fields", "functions", "conformances")

    def __init__(self, name: str, number: int, at: int, path: str, environment: Environment) -> None:
        super().__init__(name, number, at, path)
        self.environment = environment
        self.fields: list[Field] = []
        self.functions: list[Function] = []
        self.conformances: list[Conformance] = []


@final
class Enum(Symbol):
    """`cases` are (name, value) in order."""

    __slots__ = ("underlying", "cases", "conformances")

    def __init__(self, name: str, number: int, at: int, path: str, underlying: Type) -> None:
        super().__init__(name, number, at, path)
        self.underlying = underlying
        self.cases: list[tuple[str, int]] = []
        self.conformances: list[Conformance] = []


@final
class Requirement(Symbol):
    """What an interface asks for. `kind`: "method", "static" (a method without this), "init", "associated", "constant".

    A method's `function` has the signature, `this` of type This, and the default body if there is one. An accessor is
    a method ("get x", "set x"). An associated type has `bounds`. Generic methods have an environment of their own
    beyond the interface's. `equal` says what an associated type is by the evidence's key, where a `where` does, and
    `wheres` what the associated types of this one are, in terms of This.
    """

    __slots__ = ("kind", "interface", "function", "bounds", "type", "equal", "wheres")

    def __init__(self, name: str, number: int, at: int, kind: str, interface: "Interface") -> None:
        super().__init__(name, number, at, f"{interface.path}.{name}")
        self.kind = kind
        self.interface = interface
        self.function: Function | None = None
        self.bounds: list[InterfaceType] = []
        self.type: Type = ERROR  # of a constant
        self.equal: dict[str, Type] = {}
        self.wheres: dict[Requirement, Type] = {}


@final
class Interface(Symbol):
    """`bases` are those it inherits. `any_value_size` is in bytes, 0 where none is declared. `builtin`: IArithmetic,
    IFloat, ... have no requirements and no tables; operators on what conforms are the type's own."""

    __slots__ = ("environment", "bases", "requirements", "any_value_size", "builtin", "specialize")

    def __init__(self, name: str, number: int, at: int, path: str, environment: Environment) -> None:
        super().__init__(name, number, at, path)
        self.environment = environment
        self.bases: list[InterfaceType] = []
        self.requirements: list[Requirement] = []
        self.any_value_size = 0
        self.builtin = False
        self.specialize = False  # [Specialize]: never dispatched


@final
class Function(Symbol):
    """`this` None: free or static. `body` None: a requirement or an extern. `mutating` methods take `this` as inout.

    `params` hold their default values as `init`. `entry` is the stage of an entry point ("compute"), "" otherwise;
    `group_size` its numthreads, `attributes` the rest by lower-case name with constant arguments, `semantic` and
    `varying` what an entry point's result is. `thrown` is a last parameter that isn't written: where a function that
    throws leaves its error, an Optional.
    """

    __slots__ = (
        "environment", "this", "params", "result", "body", "mutating", "entry", "group_size", "attributes", "owner",
        "thrown", "reference", "semantic", "varying",
    )  # fmt: skip

    def __init__(self, name: str, number: int, at: int, path: str, environment: Environment) -> None:
        super().__init__(name, number, at, path)
        self.environment = environment
        self.thrown: Variable | None = None
        self.this: Variable | None = None
        self.params: list[Variable] = []
        self.result: Type = VOID
        self.body: Block | None = None
        self.mutating = False
        self.entry = ""
        self.group_size: list[int] = []
        self.attributes: dict[str, list[object]] = {}
        self.owner: Type | None = None  # the type it is a member of, in terms of its own parameters
        self.semantic = ""
        self.varying: Varying | None = None
        self.reference = False  # gives a place, `Ref<T>`: its result is a pointer there


class Completer:
    """Fills conformances when they are looked into: the checker's."""

    def complete(self, conformance: "Conformance") -> None:
        """Fill `types`, `type_witnesses`, `bases` and `constants`."""
        raise NotImplementedError


@final
class Conformance:
    """`subject : interface`, for all arguments of `environment`.

    `methods` has the function of each method, static and init requirement, and what to substitute in it (in terms of
    this conformance's parameters; a default body has This there). `types` are the associated types and
    `type_witnesses` their bounds' evidence, in the order of `requirement.bounds`; `bases` the evidence for each of
    the interface's bases, in order. `constants` are checked values.
    """

    __slots__ = (
        "number", "at", "subject", "interface", "environment", "methods", "types", "type_witnesses", "bases",
        "constants", "sequential_id", "completer",
    )  # fmt: skip

    def __init__(self, number: int, at: int, subject: Type, interface: InterfaceType, environment: Environment) -> None:
        self.number = number
        self.at = at
        self.subject = subject
        self.interface = interface
        self.environment = environment
        self.methods: dict[Requirement, tuple[Function, Substitution]] = {}
        self.types: dict[Requirement, Type] = {}
        self.type_witnesses: dict[Requirement, list[Witness]] = {}
        self.bases: list[Witness] = []
        self.constants: dict[Requirement, Expr] = {}
        self.sequential_id = -1  # `type conformance` options give it
        self.completer: Completer | None = None  # None once it is filled


@final
class Program:
    """All that was checked: what the lowering starts from. `globals` in order of declaration. `evidence` finds
    witnesses for types without parameters: `struct_arguments(type)` is what to substitute in a struct's fields.
    `coherent`: something asks for coherent loads or stores through pointers. `addresses`: a number is cast to a
    pointer. `own_pointers`: the address of a variable of the program is taken."""

    __slots__ = (
        "functions", "entries", "globals", "structs", "interfaces", "conformances", "evidence", "coherent", "addresses",
        "own_pointers",
    )  # fmt: skip

    def __init__(self) -> None:
        self.functions: list[Function] = []
        self.entries: list[Function] = []
        self.globals: list[Variable] = []
        self.structs: list[Struct] = []
        self.interfaces: list[Interface] = []
        self.conformances: list[Conformance] = []
        self.evidence: Evidence | None = None
        self.coherent = False
        self.addresses = False
        self.own_pointers = False
