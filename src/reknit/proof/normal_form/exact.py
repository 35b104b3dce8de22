"""Float operations that nothing is lost of, and so the same on every device.

    FAdd 1.0, 2.0    FMul (1.5, 2.0), (2.0, 2.0)    3.0 and (3.0, 4.0), as `fold` has it
    FAdd 0.1, 0.2                                   itself: the device rounds
    FMul %x, 1.0     FSub %x, 0.0                   %x, unless denormals are flushed

With RelaxedPrecision an operation is itself, as fewer bits of its result are promised.
Source: Vulkan, "Precision and Operation of SPIR-V Instructions".
"""

from typing import TYPE_CHECKING, Final

from reknit.ir import enums, op, traits
from reknit.ir.constant_bits import one_of
from reknit.ir.folding import EXACT
from reknit.passes.values.components import fold_components
from reknit.proof.normal_form.diagrams import Terms
from reknit.proof.normal_form.kinds import Kind

if TYPE_CHECKING:
    from reknit.proof.normal_form.algebra import Algebra

_ON_OPERATIONS: Final = ("", f"[{enums.DecorationNoContraction}]")


def exact(algebra: "Algebra", code: int, kind: Kind, extras: str, terms: Terms, kinds: list[Kind]) -> int:
    """The term that the operation is, else -1."""
    if traits.FOLDS.get(code) != EXACT or extras not in _ON_OPERATIONS:
        return -1
    columns = [_constants(algebra, term) for term in terms]
    if all(columns):
        folded = fold_components(code, kind.type, [each.type for each in kinds], columns)
        if folded is not None:
            if not kind.parts:
                return algebra.constant(kind, folded[0])
            return algebra.composite(tuple([algebra.constant(kind.element(0), bits) for bits in folded]))
    if len(terms) != 2 or algebra.kinds.flushes:
        return -1
    for at in (1, 0) if code == op.FMul else (1,):
        bits = columns[at]
        neutral = 0 if code in traits.ZERO else one_of(kinds[at].type) if code in traits.ONE else -1
        if bits and all(each == neutral for each in bits):
            return terms[1 - at]
    return -1


def _constants(algebra: "Algebra", term: int) -> list[int]:
    """The bits of a constant, or of all parts of one; nothing of what is no constant."""
    parts = algebra.parts(term) if algebra.keys[term][0] == "m" else (term,)
    return [algebra.bits(part) for part in parts] if all(algebra.is_constant(part) for part in parts) else []
