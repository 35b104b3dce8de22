"""Which existentials a call needs open.

    e.foo(1)                 Opened(opening of e, WitnessCall(...))            the payload is the receiver
    obj.D d; d.make()        Opened(opening of obj, ...)                       the evidence is from what obj holds
"""

from reknit.front.slang import hir
from reknit.front.slang.check.expressions.assignable import root
from reknit.front.slang.witnesses import AssocWitness, BaseWitness, ConformanceWitness, OpenedWitness, Witness
from reknit.source.meter import spend


def mentioned(witnesses: list[Witness], opened: dict[int, hir.Opening], base: hir.Expr | None) -> list[hir.Opening]:
    """Openings of variables that the call's evidence is from: `obj.D::make()`."""
    openings: dict[int, hir.Opening] = {}
    for witness in witnesses:
        openings_of_witness(witness, openings)
    known = [opening.number for opening in opened.values()]
    inner = root(base) if base is not None else None
    if isinstance(inner, hir.OpenedValue):
        known.append(inner.opening.number)
    return [
        opening
        for number, opening in sorted(openings.items())
        if number not in known and isinstance(opening.value, hir.Place)
    ]


def openings_of_witness(witness: Witness, into: dict[int, hir.Opening]) -> None:
    """The openings that a witness is made from."""
    while True:
        spend(1)
        if isinstance(witness, OpenedWitness):
            into[witness.opening.number] = witness.opening
            return
        if isinstance(witness, BaseWitness):
            witness = witness.derived
        elif isinstance(witness, AssocWitness):
            witness = witness.base
        elif isinstance(witness, ConformanceWitness):
            for inner in witness.arguments.witnesses.values():
                openings_of_witness(inner, into)
            return
        else:
            return


def wrap_opened(base: hir.Expr | None, call: hir.Expr) -> hir.Expr:
    """What is done with an opened existential stands inside its Opened."""
    inner = root(base) if base is not None else None
    if isinstance(inner, hir.OpenedValue):
        return hir.Opened(call.at, inner.opening, call)
    return call
