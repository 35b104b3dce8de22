"""Arguments for generic parameters, in types and witnesses.

    List<T>[T := int]  ->  List<int>              T.D[T := A, (T : IFoo) := (A : IFoo)]  ->  A's D

A witness that becomes concrete is resolved at once: its associated types and bases are looked up in the conformance.
"""

from typing import final

from reknit.front.slang.integers import compute
from reknit.front.slang.symbols import Conformance, Constraint, GenericParam, Requirement
from reknit.front.slang.types import (
    ArrayType,
    AssocType,
    ConstType,
    FunctionType,
    InterfaceType,
    MatrixType,
    OperationType,
    OptionalType,
    ParamType,
    PointerType,
    ResourceType,
    ScalarType,
    StructType,
    ThisType,
    TupleType,
    Type,
    VectorType,
    matrix,
)
from reknit.front.slang.witnesses import (
    AssocWitness,
    BaseWitness,
    BuiltinWitness,
    ConformanceWitness,
    OpenedWitness,
    ParamWitness,
    ThisWitness,
    Witness,
)
from reknit.source.meter import spend


@final
class Substitution:
    """`types` by parameter, `witnesses` by constraint; `this_type` and `this_witness` are for the bodies of
    interfaces."""

    __slots__ = ("types", "witnesses", "this_type", "this_witness")

    def __init__(self) -> None:
        self.types: dict[GenericParam, Type] = {}
        self.witnesses: dict[Constraint, Witness] = {}
        self.this_type: Type | None = None
        self.this_witness: Witness | None = None

    def is_empty(self) -> bool:
        return not self.types and not self.witnesses and self.this_type is None

    def copy(self) -> "Substitution":
        copy = Substitution()
        copy.types = dict(self.types)
        copy.witnesses = dict(self.witnesses)
        copy.this_type = self.this_type
        copy.this_witness = self.this_witness
        return copy


def composed(first: Substitution, then: Substitution) -> Substitution:
    """What does `first` and `then` in one."""
    if then.is_empty():
        return first
    composition = Substitution()
    composition.types = {param: substitute(type, then) for param, type in first.types.items()}
    composition.witnesses = {constraint: substitute_witness(old, then) for constraint, old in first.witnesses.items()}
    if first.this_type is not None:
        composition.this_type = substitute(first.this_type, then)
    if first.this_witness is not None:
        composition.this_witness = substitute_witness(first.this_witness, then)
    return composition


def substitute(type: Type, by: Substitution) -> Type:
    """`type` with arguments for parameters."""
    spend(1)
    if isinstance(type, ParamType):
        return by.types.get(type.param, type)
    if isinstance(type, ThisType):
        return type if by.this_type is None else by.this_type
    if isinstance(type, StructType):
        return StructType(type.struct, substitute_all(type.arguments, by)) if type.arguments else type
    if isinstance(type, InterfaceType):
        return substitute_interface(type, by)
    if isinstance(type, AssocType):
        return associated(substitute_witness(type.witness, by), type.requirement)
    if isinstance(type, VectorType):
        return VectorType(substitute(type.element, by), substitute(type.count, by))
    if isinstance(type, MatrixType):
        rows, columns = substitute(type.rows, by), substitute(type.columns, by)
        element = substitute(type.element, by)
        return matrix(element, rows, columns, type.row_major, type.layout and substitute(type.layout, by))
    if isinstance(type, ArrayType):
        return ArrayType(substitute(type.element, by), None if type.count is None else substitute(type.count, by))
    if isinstance(type, TupleType):
        return TupleType(substitute_all(type.elements, by))
    if isinstance(type, OptionalType):
        return OptionalType(substitute(type.element, by))
    if isinstance(type, PointerType):
        return PointerType(substitute(type.element, by))
    if isinstance(type, ResourceType):
        if type.element is None:
            return type
        layout = None if type.layout is None else substitute(type.layout, by)
        return ResourceType(type.kind, substitute(type.element, by), layout)
    if isinstance(type, FunctionType):
        return FunctionType(substitute_all(type.params, by), substitute(type.result, by))
    if isinstance(type, OperationType):
        return operation(type.op, substitute_all(type.operands, by), type.of)
    return type


def substitute_all(types: list[Type], by: Substitution) -> list[Type]:
    return [substitute(type, by) for type in types]


def substitute_interface(type: InterfaceType, by: Substitution) -> InterfaceType:
    return InterfaceType(type.interface, substitute_all(type.arguments, by)) if type.arguments else type


def substitute_witness(witness: Witness, by: Substitution) -> Witness:
    if isinstance(witness, ParamWitness):
        replacement = by.witnesses.get(witness.constraint)
        return witness if replacement is None else replacement
    if isinstance(witness, ThisWitness):
        return witness if by.this_witness is None else by.this_witness
    if isinstance(witness, BaseWitness):
        return base_witness(substitute_witness(witness.derived, by), substitute_interface(witness.interface, by))
    if isinstance(witness, AssocWitness):
        return assoc_witness(
            substitute_witness(witness.base, by), witness.requirement, substitute_interface(witness.interface, by)
        )
    if isinstance(witness, ConformanceWitness):
        subject = substitute(witness.subject, by)
        interface = substitute_interface(witness.interface, by)
        return ConformanceWitness(witness.conformance, composed(witness.arguments, by), subject, interface)
    if isinstance(witness, OpenedWitness):
        return OpenedWitness(witness.opening, witness.subject, substitute_interface(witness.interface, by))
    if isinstance(witness, BuiltinWitness):
        return BuiltinWitness(substitute(witness.subject, by), witness.interface)
    return witness


def associated(witness: Witness, requirement: Requirement) -> Type:
    """The associated type, or the constant, that `witness` has for `requirement`."""
    if isinstance(witness, ConformanceWitness):
        argument = filled(witness.conformance).types.get(requirement)
        if argument is not None:
            return substitute(argument, witness.arguments)
    if isinstance(witness, AssocWitness) and requirement in witness.requirement.wheres:
        inside = Substitution()
        inside.this_type = witness.base.subject
        inside.this_witness = witness.base
        return substitute(witness.requirement.wheres[requirement], inside)
    equal = requirement.equal.get(witness.key)
    return AssocType(witness, requirement) if equal is None else equal


def base_witness(derived: Witness, base: InterfaceType) -> Witness:
    """That what `derived` says conforms, conforms to `base`, a direct base of that interface, too."""
    if isinstance(derived, ConformanceWitness):
        for witness in filled(derived.conformance).bases:
            base_of_derived = substitute_witness(witness, derived.arguments)
            if base_of_derived.interface.key == base.key:
                return base_of_derived
    return BaseWitness(derived, base)


def assoc_witness(base: Witness, requirement: Requirement, bound: InterfaceType) -> Witness:
    """That the associated type `requirement` conforms to `bound`, one of its bounds."""
    if isinstance(base, ConformanceWitness):
        for witness in filled(base.conformance).type_witnesses.get(requirement, []):
            bound_of_base = substitute_witness(witness, base.arguments)
            if bound_of_base.interface.key == bound.key:
                return bound_of_base
    return AssocWitness(base, requirement, associated(base, requirement), bound)


def filled(conformance: Conformance) -> Conformance:
    if conformance.completer is not None:
        conformance.completer.complete(conformance)
    return conformance


# ---- generic values


def operation(op: str, operands: list[Type], of: ScalarType) -> Type:
    """`op` on generic values of the type `of`, computed if they are known; nothing is computed by 0."""
    values = [operand.value for operand in operands if isinstance(operand, ConstType)]
    if len(values) == len(operands):
        value = compute(op, of, values)
        if value is not None:
            return ConstType(value)
    return OperationType(op, operands, of)
