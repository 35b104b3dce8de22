"""Conformances of types to interfaces: witnesses are found here, by the checker and, for types without parameters, by
the lowering.

    find(Box<A>, IFoo)     struct Box<T : IBar> : IFoo    ->  ConformanceWitness(Box : IFoo, [T := A, T : IBar := A's])
    find(T, IBase)         T : IDerived, IDerived : IBase ->  BaseWitness(ParamWitness(T : IDerived), IBase)

`match` is one-sided: parameters of the pattern stand for what is there.
"""

from reknit.front.slang.builtins import interfaces as builtin_interfaces
from reknit.front.slang.builtins.kinds import LAID_OUT
from reknit.front.slang.substitute import (
    Substitution,
    assoc_witness,
    base_witness,
    substitute,
    substitute_interface,
)
from reknit.front.slang.symbols import Conformance, Constraint, Environment, GenericParam, Interface
from reknit.front.slang.types import (
    DEFAULT_LAYOUT,
    ArrayType,
    AssocType,
    EnumType,
    InterfaceType,
    MatrixType,
    OpenedType,
    OptionalType,
    ParamType,
    PointerType,
    ResourceType,
    StructType,
    ThisType,
    TupleType,
    Type,
    VectorType,
    same,
)
from reknit.front.slang.witnesses import (
    BuiltinWitness,
    ConformanceWitness,
    OpenedWitness,
    ParamWitness,
    ThisWitness,
    Witness,
)


class Evidence:
    """All conformances and constraints of a compilation. `find` answers for a type and an interface: nothing conforms
    because it does (`extension<T : IBar> T : IFoo`, where IFoo inherits IBar), so what is asked while it is being
    answered has no witness."""

    __slots__ = ("conformances", "constraints", "_known", "_open", "_by_subject", "_after", "_before")

    def __init__(self) -> None:
        self.conformances: dict[int, list[Conformance]] = {}  # by the interface's number
        self._by_subject: dict[tuple[int, str], list[tuple[int, Conformance]]] = {}  # numbered in their order
        self._after = 0
        self._before = 0
        self.constraints: dict[str, list[Constraint]] = {}  # by the subject's key
        self._known: dict[tuple[str, str], Witness] = {}
        self._open: set[tuple[str, str]] = set()

    def ready(self, type: Type) -> None:
        """Called before a type or interface is looked into; the checker finishes its bases then."""

    def add(self, conformance: Conformance) -> None:
        number = conformance.interface.interface.number
        self.conformances.setdefault(number, []).append(conformance)
        self._by_subject.setdefault((number, _head(conformance.subject)), []).append((self._after, conformance))
        self._after += 1

    def put_first(self, conformance: Conformance) -> None:
        """One that is found before those that are there: of an instance of a generic type."""
        number = conformance.interface.interface.number
        self.conformances.setdefault(number, []).insert(0, conformance)
        self._before -= 1
        self._by_subject.setdefault((number, _head(conformance.subject)), []).insert(0, (self._before, conformance))
        self._known = {}

    def of(self, type: Type, interface: Interface) -> list[Conformance]:
        """The conformances to the interface whose subject the type may be, in their order: all but those of other
        structs and enums."""
        others = self._by_subject.get((interface.number, ""), [])
        head = _head(type)
        own = self._by_subject.get((interface.number, head), []) if head else []
        if own and others:
            own = sorted(own + others, key=_place)
        return [conformance for _, conformance in own or others]

    def constrain(self, constraint: Constraint) -> None:
        self.constraints.setdefault(constraint.subject.key, []).append(constraint)

    def find(self, type: Type, interface: InterfaceType) -> Witness | None:
        """That `type` conforms to `interface`."""
        if isinstance(type, OpenedType) and type.opening.number == 0:
            return self._find(type, interface)  # any type that conforms: they all have one key
        asked = (type.key, interface.key)
        witness = self._known.get(asked)
        if witness is None and asked not in self._open:
            self._open.add(asked)
            witness = self._find(type, interface)
            self._open.discard(asked)
            if witness is not None:
                self._known[asked] = witness
        return witness

    def find_all(self, type: Type, interface: Interface) -> list[Witness]:
        """Each conformance of `type` to `interface`, whatever its arguments."""
        witnesses: list[Witness] = []
        for witness in self.direct(type):
            witnesses += [up for up in self.upward(witness) if up.interface.interface is interface]
        for conformance in self.of(type, interface):
            into: dict[GenericParam, Type] = {}
            if match(conformance.subject, type, into, conformance.environment.params):
                instance = self._instance(conformance, into, type)
                if instance is not None:
                    witnesses.append(instance)
        return witnesses

    def direct(self, type: Type) -> list[Witness]:
        """What is known of a type that isn't concrete, from its declaration."""
        self.ready(type)
        witnesses: list[Witness] = [ParamWitness(constraint) for constraint in self.constraints.get(type.key, [])]
        if isinstance(type, AssocType):
            inside = self.inside(type.witness)
            for bound in type.requirement.bounds:
                witnesses.append(assoc_witness(type.witness, type.requirement, substitute_interface(bound, inside)))
        elif isinstance(type, ThisType):
            witnesses.append(ThisWitness(type, self_interface(type.interface)))
        elif isinstance(type, OpenedType):
            witnesses.append(OpenedWitness(type.opening, type, type.opening.interface))
        return witnesses

    def upward(self, witness: Witness) -> list[Witness]:
        """`witness`, and those of the interfaces that its interface inherits."""
        path = [witness]
        seen = {witness.interface.key}
        for have in path:
            self.ready(have.interface)
            inside = self.inside(have)
            for base in have.interface.interface.bases:
                at = substitute_interface(base, inside)
                if at.key not in seen:
                    seen.add(at.key)
                    path.append(base_witness(have, at))
        return path

    def inside(self, witness: Witness) -> Substitution:
        """What to substitute in an interface's requirements as `witness` has them."""
        arguments = self.arguments(witness.interface.interface.environment, witness.interface.arguments)
        arguments.this_type = witness.subject
        arguments.this_witness = witness
        return arguments

    def arguments(self, environment: Environment, types: list[Type]) -> Substitution:
        """`types` for an environment's parameters, with the evidence that its constraints ask for, as far as there
        is."""
        substitution = Substitution()
        substitution.types = dict(zip(environment.params, types, strict=False))
        self.witness_all(environment, substitution)
        return substitution

    def witness_all(self, environment: Environment, substitution: Substitution) -> Constraint | None:
        """Fill `substitution.witnesses` for all constraints; the first one without evidence that needs it, or None."""
        missing: Constraint | None = None
        for constraint in environment.constraints:
            if constraint in substitution.witnesses:
                continue
            subject = substitute(constraint.subject, substitution)
            witness = self.find(subject, substitute_interface(constraint.bound, substitution))
            if witness is not None:
                substitution.witnesses[constraint] = witness
            elif missing is None and not constraint.optional:
                missing = constraint
        return missing

    def struct_arguments(self, type: StructType) -> Substitution:
        """What to substitute in a struct's fields and methods."""
        return self.arguments(type.struct.environment, type.arguments)

    def _find(self, type: Type, interface: InterfaceType) -> Witness | None:
        self.ready(type)
        self.ready(interface)
        name = interface.interface.name
        for witness in self.direct(type):
            for up in self.upward(witness):
                if up.interface.key == interface.key:
                    return up
                if up.interface.interface.builtin and name in builtin_interfaces.implied(up.interface.interface.name):
                    return BuiltinWitness(type, interface)
        if interface.interface.builtin and builtin_interfaces.conforms(type, name):
            return BuiltinWitness(type, interface)
        for conformance in self.of(type, interface.interface):
            into: dict[GenericParam, Type] = {}
            params = conformance.environment.params
            if match(conformance.subject, type, into, params) and match(conformance.interface, interface, into, params):
                instance = self._instance(conformance, into, type)
                if instance is not None:
                    return instance
        return None

    def _instance(
        self, conformance: Conformance, into: dict[GenericParam, Type], type: Type
    ) -> ConformanceWitness | None:
        substitution = Substitution()
        substitution.types = into
        by_equalities(conformance.environment, substitution)
        if len(into) < len(conformance.environment.params):
            self._by_bounds(conformance, into)
        if len(into) < len(conformance.environment.params):
            return None
        if unequal(conformance.environment, substitution) is not None:
            return None
        if self.witness_all(conformance.environment, substitution) is not None:
            return None
        return ConformanceWitness(
            conformance, substitution, type, substitute_interface(conformance.interface, substitution)
        )

    def _by_bounds(self, conformance: Conformance, into: dict[GenericParam, Type]) -> None:
        """Parameters that only bounds mention: S of `extension<S, T : IBox<S>> T`."""
        asked = (str(conformance.number), conformance.subject.key)
        if asked in self._open:
            return
        self._open.add(asked)
        known = Substitution()
        known.types = into
        for constraint in conformance.environment.constraints:
            if constraint.bound.arguments:
                for witness in self.find_all(substitute(constraint.subject, known), constraint.bound.interface)[:1]:
                    match(constraint.bound, witness.interface, into, conformance.environment.params)
        self._open.discard(asked)


def by_equalities(environment: Environment, substitution: Substitution) -> None:
    """Parameters that another argument says: A, where A == B and B is known."""
    for left, right in environment.equalities:
        if isinstance(left, ParamType) and left.param not in substitution.types:
            substitution.types[left.param] = substitute(right, substitution)


def unequal(environment: Environment, substitution: Substitution) -> tuple[Type, Type] | None:
    """Two types that a `where` says are the same, and the arguments say are not."""
    for left, right in environment.equalities:
        if not same(substitute(left, substitution), substitute(right, substitution)):
            return substitute(left, substitution), substitute(right, substitution)
    return None


def _head(type: Type) -> str:
    """What a pattern and a type that is one have in common: the struct or enum; "" for all others."""
    if isinstance(type, StructType):
        return f"struct {type.struct.number}"
    return f"enum {type.key}" if isinstance(type, EnumType) else ""


def _place(numbered: tuple[int, Conformance]) -> int:
    return numbered[0]


def self_interface(interface: Interface) -> InterfaceType:
    """An interface in terms of its own parameters."""
    return InterfaceType(interface, [ParamType(param) for param in interface.environment.params])


def match(pattern: Type, type: Type, into: dict[GenericParam, Type], params: list[GenericParam]) -> bool:
    """Whether `type` is `pattern` with something for `params`: fills `into`."""
    if isinstance(pattern, ParamType) and pattern.param in params:
        have = into.get(pattern.param)
        if have is None:
            into[pattern.param] = type
            return True
        return same(have, type)
    if isinstance(pattern, StructType):
        return (
            isinstance(type, StructType)
            and pattern.struct is type.struct
            and _match_all(pattern.arguments, type.arguments, into, params)
        )
    if isinstance(pattern, InterfaceType):
        return (
            isinstance(type, InterfaceType)
            and pattern.interface is type.interface
            and _match_all(pattern.arguments, type.arguments, into, params)
        )
    if (
        isinstance(pattern, MatrixType)
        and isinstance(type, MatrixType)
        and pattern.layout is not None
        and not match(pattern.layout, type.order(), into, params)
    ):
        return False
    left, right = parts(pattern), parts(type)
    if left and len(left) == len(right) and pattern.__class__ is type.__class__:
        if isinstance(pattern, ResourceType) and isinstance(type, ResourceType) and pattern.kind != type.kind:
            return False
        return _match_all(left, right, into, params)
    return same(pattern, type)


def _match_all(
    patterns: list[Type], types: list[Type], into: dict[GenericParam, Type], params: list[GenericParam]
) -> bool:
    return len(patterns) == len(types) and all(
        match(pattern, type, into, params) for pattern, type in zip(patterns, types, strict=False)
    )


def parts(type: Type) -> list[Type]:
    """The types that a builtin type is made of, in order."""
    if isinstance(type, VectorType):
        return [type.element, type.count]
    if isinstance(type, MatrixType):
        return [type.element, type.rows, type.columns]
    if isinstance(type, ArrayType):
        return [type.element] if type.count is None else [type.element, type.count]
    if isinstance(type, TupleType):
        return type.elements
    if isinstance(type, (OptionalType, PointerType)):
        return [type.element]
    if isinstance(type, ResourceType):
        if type.element is None:
            return []
        return [type.element, type.layout or DEFAULT_LAYOUT] if type.kind in LAID_OUT else [type.element]
    return []
