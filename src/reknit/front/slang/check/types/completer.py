"""What a type has for an interface's associated types and constants: found when a witness is first looked into.

    struct A : IFoo { typealias D = int; static const int N = 3; }      types[IFoo.D] = int     constants[IFoo.N] = 3
"""

from typing import final

from reknit.front.slang.check.context import Context
from reknit.front.slang.check.declare.declarations import AssocEntry, Container, LookupItem, VariableEntry
from reknit.front.slang.check.expressions.constants import generic_value
from reknit.front.slang.check.expressions.pseudo_expressions import GenericExpr, TypeExpr
from reknit.front.slang.check.types.members import lookup
from reknit.front.slang.check.types.type_names import named
from reknit.front.slang.substitute import Substitution, associated, substitute, substitute_interface
from reknit.front.slang.symbols import Completer, Conformance, Requirement
from reknit.front.slang.types import Type, same
from reknit.front.slang.witnesses import ConformanceWitness, Witness


def self_witness(conformance: Conformance) -> ConformanceWitness:
    """A conformance in terms of its own parameters."""
    return ConformanceWitness(conformance, Substitution(), conformance.subject, conformance.interface)


@final
class TypeCompleter(Completer):
    """Finds associated types and constants on demand."""

    def __init__(self, ctx: Context) -> None:
        self.ctx = ctx

    def complete(self, conformance: Conformance) -> None:
        ctx = self.ctx
        conformance.completer = None
        interface = conformance.interface.interface
        owner = ctx.containers.get(interface.number)
        if owner is not None:
            ctx.lazy.bases(owner)
        inside = ctx.evidence.inside(self_witness(conformance))
        for base in interface.bases:
            witness = ctx.evidence.find(conformance.subject, substitute_interface(base, inside))
            if witness is not None:
                conformance.bases.append(witness)
        for requirement in interface.requirements:
            if requirement.kind == "associated":
                inferred = find_type(ctx, conformance, requirement)
                if inferred is not None:
                    conformance.types[requirement] = inferred
            elif requirement.kind == "constant":
                self._constant(conformance, requirement)
        for requirement in interface.requirements:
            if requirement.kind == "associated" and requirement in conformance.types and owner is not None:
                self._bounds(conformance, requirement, owner)

    def _bounds(self, conformance: Conformance, requirement: Requirement, owner: Container) -> None:
        ctx = self.ctx
        for entry in owner.members.get(requirement.name, []):
            if isinstance(entry, AssocEntry):
                ctx.lazy.associated(entry)
        inside = ctx.evidence.inside(self_witness(conformance))
        witnesses = conformance.type_witnesses.setdefault(requirement, [])
        for bound in requirement.bounds:
            wanted = substitute_interface(bound, inside)
            witness = ctx.evidence.find(conformance.types[requirement], wanted)
            if witness is not None:
                witnesses.append(witness)
                self._wheres(conformance, requirement, witness)

    def _wheres(self, conformance: Conformance, requirement: Requirement, witness: Witness) -> None:
        """What a `where` says an associated type's own associated types are."""
        inside = self.ctx.evidence.inside(self_witness(conformance))
        for inner, type in requirement.wheres.items():
            wanted = substitute(type, inside)
            have = associated(witness, inner)
            if inner.interface is witness.interface.interface and not same(have, wanted):
                what = f"'{requirement.name}.{inner.name}' is '{have}'"
                message = f"{what}, and '{conformance.interface}' asks for '{wanted}'"
                self.ctx.error("E38029", conformance.at, message)

    def _constant(self, conformance: Conformance, requirement: Requirement) -> None:
        ctx = self.ctx
        for candidate in lookup(ctx, conformance.subject, requirement.name):
            entry = candidate.entry
            if isinstance(entry, VariableEntry) and entry.requirement is None:
                variable = ctx.signatures.variable(entry)
                if variable.init is not None:
                    conformance.constants[requirement] = variable.init
                    value = generic_value(variable.init)
                    if value is not None:
                        conformance.types[requirement] = substitute(value, candidate.substitution)
                return


def find_type(ctx: Context, conformance: Conformance, requirement: Requirement) -> Type | None:
    near = ctx.declared_in.get(conformance.number)
    if near is not None:
        for entry in near.members.get(requirement.name, []):
            expr = named(ctx, LookupItem(entry, Substitution()), conformance.at)
            if isinstance(expr, TypeExpr):
                return expr.type
    for candidate in lookup(ctx, conformance.subject, requirement.name):
        if isinstance(candidate.entry, AssocEntry) and (
            candidate.witness is None or isinstance(candidate.witness, ConformanceWitness)
        ):
            continue
        expr = named(ctx, candidate, conformance.at)
        if isinstance(expr, TypeExpr) and not isinstance(expr, GenericExpr):
            return expr.type
    return None
