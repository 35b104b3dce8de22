"""Evidence that a type conforms to an interface.

    A : IFoo, declared               ConformanceWitness(conformance, arguments)
    T : IFoo, a generic's bound      ParamWitness(constraint)
    IDerived's base                  BaseWitness(witness of IDerived, IBase)
    T.D : IBar, an associated type   AssocWitness(witness of T : IFoo, D, IBar)
    inside an opened existential     OpenedWitness(opening)
    This : IFoo, in IFoo itself      ThisWitness(interface)
    int : IInteger                   BuiltinWitness(type, interface): the language's own, has no table

`subject` is the type that conforms and `interface` what it conforms to. Substituting arguments for parameters turns the
later kinds into the first (`substitute.py`).
"""

from typing import TYPE_CHECKING, final

from reknit.front.slang.types import InterfaceType, Type

if TYPE_CHECKING:
    from reknit.front.slang.hir import Opening
    from reknit.front.slang.substitute import Substitution
    from reknit.front.slang.symbols import Conformance, Constraint, Requirement


class Witness:
    __slots__ = ("key", "subject", "interface")

    def __init__(self, key: str, subject: Type, interface: InterfaceType) -> None:
        self.key = key
        self.subject = subject
        self.interface = interface


@final
class ConformanceWitness(Witness):
    """`arguments` are those of the conformance's generic parameters and constraints."""

    __slots__ = ("conformance", "arguments")

    def __init__(
        self, conformance: "Conformance", arguments: "Substitution", subject: Type, interface: InterfaceType
    ) -> None:
        super().__init__(f"({subject.key}:{interface.key})", subject, interface)
        self.conformance = conformance
        self.arguments = arguments


@final
class ParamWitness(Witness):
    __slots__ = ("constraint",)

    def __init__(self, constraint: "Constraint") -> None:
        super().__init__(f"where#{constraint.number}", constraint.subject, constraint.bound)
        self.constraint = constraint


@final
class BaseWitness(Witness):
    __slots__ = ("derived",)

    def __init__(self, derived: Witness, base: InterfaceType) -> None:
        super().__init__(f"{derived.key}:{base.key}", derived.subject, base)
        self.derived = derived


@final
class AssocWitness(Witness):
    __slots__ = ("base", "requirement")

    def __init__(self, base: Witness, requirement: "Requirement", subject: Type, interface: InterfaceType) -> None:
        super().__init__(f"{base.key}.{requirement.name}:{interface.key}", subject, interface)
        self.base = base
        self.requirement = requirement


@final
class OpenedWitness(Witness):
    __slots__ = ("opening",)

    def __init__(self, opening: "Opening", subject: Type, interface: InterfaceType) -> None:
        super().__init__(f"opened#{opening.number}", subject, interface)
        self.opening = opening


@final
class ThisWitness(Witness):
    __slots__ = ()

    def __init__(self, subject: Type, interface: InterfaceType) -> None:
        super().__init__(f"This:{interface.key}", subject, interface)


@final
class BuiltinWitness(Witness):
    __slots__ = ()

    def __init__(self, subject: Type, interface: InterfaceType) -> None:
        super().__init__(f"builtin({subject.key}:{interface.key})", subject, interface)
