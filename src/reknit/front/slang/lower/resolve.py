"""Arguments of one instance: its types, what distinguishes it from others, and the existentials that it knows of.

    key_of([T := int, N := 4])                     "3=int,4=4"
    openings_of([T := opened#7])                   [opening 7]: its table is a parameter of the instance
    renamed([T := opened#7], {7: opening -1})      [T := opened#-1]: the name by which the instance knows it
"""

from typing import Final, final

from reknit.front.slang.hir import Opening
from reknit.front.slang.substitute import (
    Substitution,
    assoc_witness,
    associated,
    base_witness,
    composed,
    substitute,
    substitute_witness,
)
from reknit.front.slang.symbols import Constraint, GenericParam
from reknit.front.slang.types import (
    ArrayType,
    AssocType,
    InterfaceType,
    OpenedType,
    OptionalType,
    PointerType,
    ResourceType,
    StructType,
    TupleType,
    Type,
)
from reknit.front.slang.witnesses import (
    AssocWitness,
    BaseWitness,
    ConformanceWitness,
    OpenedWitness,
    Witness,
)


@final
class Resolver:
    """What `substitution` makes of types; each is asked for often. An existential of a generic interface that is opened
    is `opened` with the interface as it is here: an opening of its own."""

    __slots__ = ("substitution", "openings", "_types")

    def __init__(self, substitution: Substitution) -> None:
        self.substitution = substitution
        self.openings: dict[int, Opening] = {}
        self._types: dict[str, Type] = {}

    def type(self, type: Type) -> Type:
        substituted = self._types.get(type.key)
        if substituted is None:
            substituted = substitute(type, self.substitution)
            if self.openings:
                substituted = Renaming(self.openings).type(substituted)
            self._types[type.key] = substituted
        return substituted

    def witness(self, witness: Witness) -> Witness:
        substituted = substitute_witness(witness, self.substitution)
        return Renaming(self.openings).witness(substituted) if self.openings else substituted

    def arguments(self, given: Substitution) -> Substitution:
        """`given` is in terms of what is substituted here."""
        composition = composed(given, self.substitution)
        return Renaming(self.openings).arguments(composition) if self.openings else composition

    def opening(self, opening: Opening) -> Opening:
        return self.openings.get(opening.number, opening)

    def opened(self, opening: Opening, own: Opening) -> None:
        self.openings[opening.number] = own
        self._types = {}


def joined(first: Substitution, second: Substitution) -> Substitution:
    """Both; they have no parameter in common, or `second` says what it is."""
    substitution = Substitution()
    substitution.types = {**first.types, **second.types}
    substitution.witnesses = {**first.witnesses, **second.witnesses}
    substitution.this_type = second.this_type or first.this_type
    substitution.this_witness = second.this_witness or first.this_witness
    return substitution


def key_of(substitution: Substitution) -> str:
    """Canonical text: the same for the same arguments."""
    params: list[GenericParam] = sorted(substitution.types, key=lambda param: param.number)
    constraints: list[Constraint] = sorted(substitution.witnesses, key=lambda constraint: constraint.number)
    parts = [f"{param.number}={substitution.types[param].key}" for param in params]
    parts.extend([f"{constraint.number}:{substitution.witnesses[constraint].key}" for constraint in constraints])
    if substitution.this_type is not None:
        parts.append(f"This={substitution.this_type.key}")
    if substitution.this_witness is not None:
        parts.append(f"This:{substitution.this_witness.key}")
    return ",".join(parts)


# ---- openings

OPENED: Final = "opened#"
"""What the key of each type and witness has in it that an existential was opened for."""


def openings_of(substitution: Substitution) -> list[Opening]:
    """The existentials that a substitution's parts were opened from, in order of first mention."""
    openings: dict[int, Opening] = {}
    for param in sorted(substitution.types, key=lambda key: key.number):
        _in_type(substitution.types[param], openings)
    for constraint in sorted(substitution.witnesses, key=lambda key: key.number):
        _in_witness(substitution.witnesses[constraint], openings)
    if substitution.this_type is not None:
        _in_type(substitution.this_type, openings)
    if substitution.this_witness is not None:
        _in_witness(substitution.this_witness, openings)
    return list(openings.values())


def opened_in(type: Type) -> list[Opening]:
    openings: dict[int, Opening] = {}
    _in_type(type, openings)
    return list(openings.values())


def _in_type(type: Type, openings: dict[int, Opening]) -> None:
    if OPENED not in type.key:
        return
    if isinstance(type, OpenedType):
        openings[type.opening.number] = type.opening
    elif isinstance(type, AssocType):
        _in_witness(type.witness, openings)
    elif isinstance(type, (ArrayType, OptionalType, PointerType)):
        _in_type(type.element, openings)
    elif isinstance(type, ResourceType):
        if type.element is not None:
            _in_type(type.element, openings)
    elif isinstance(type, (StructType, InterfaceType)):
        for argument in type.arguments:
            _in_type(argument, openings)
    elif isinstance(type, TupleType):
        for element in type.elements:
            _in_type(element, openings)


def _in_witness(witness: Witness, openings: dict[int, Opening]) -> None:
    if OPENED not in witness.key:
        return
    if isinstance(witness, OpenedWitness):
        openings[witness.opening.number] = witness.opening
    elif isinstance(witness, BaseWitness):
        _in_witness(witness.derived, openings)
    elif isinstance(witness, AssocWitness):
        _in_witness(witness.base, openings)
    elif isinstance(witness, ConformanceWitness):
        for opening in openings_of(witness.arguments):
            openings[opening.number] = opening


@final
class Renaming:
    """Types, witnesses and arguments with other openings, given by the number of the old ones."""

    __slots__ = ("openings",)

    def __init__(self, openings: dict[int, Opening]) -> None:
        self.openings = openings

    def type(self, type: Type) -> Type:
        if isinstance(type, OpenedType):
            return OpenedType(self.openings.get(type.opening.number, type.opening))
        if isinstance(type, AssocType):
            return associated(self.witness(type.witness), type.requirement)
        if isinstance(type, StructType):
            return StructType(type.struct, self.types(type.arguments)) if type.arguments else type
        if isinstance(type, ArrayType):
            return ArrayType(self.type(type.element), type.count)
        if isinstance(type, OptionalType):
            return OptionalType(self.type(type.element))
        if isinstance(type, PointerType):
            return PointerType(self.type(type.element))
        if isinstance(type, TupleType):
            return TupleType(self.types(type.elements))
        if isinstance(type, ResourceType):
            if type.element is None:
                return type
            layout = None if type.layout is None else self.type(type.layout)
            return ResourceType(type.kind, self.type(type.element), layout)
        return type

    def types(self, types: list[Type]) -> list[Type]:
        return [self.type(type) for type in types]

    def witness(self, witness: Witness) -> Witness:
        if isinstance(witness, OpenedWitness):
            opening = self.openings.get(witness.opening.number, witness.opening)
            return OpenedWitness(opening, OpenedType(opening), witness.interface)
        if isinstance(witness, BaseWitness):
            return base_witness(self.witness(witness.derived), witness.interface)
        if isinstance(witness, AssocWitness):
            return assoc_witness(self.witness(witness.base), witness.requirement, witness.interface)
        if isinstance(witness, ConformanceWitness):
            arguments = self.arguments(witness.arguments)
            return ConformanceWitness(witness.conformance, arguments, self.type(witness.subject), witness.interface)
        return witness

    def arguments(self, given: Substitution) -> Substitution:
        substitution = Substitution()
        substitution.types = {param: self.type(type) for param, type in given.types.items()}
        substitution.witnesses = {constraint: self.witness(witness) for constraint, witness in given.witnesses.items()}
        if given.this_type is not None:
            substitution.this_type = self.type(given.this_type)
        if given.this_witness is not None:
            substitution.this_witness = self.witness(given.this_witness)
        return substitution
