"""The operations that fold many values into one, each with what it starts from.

    GroupNonUniformFMin : f32   ->   (a, b) -> the smaller, +infinity
    AtomicIAdd : u64            ->   (a, b) -> a + b, 0

Source: SPIR-V 1.6, 3.42.21 Group and Subgroup, 3.42.24 Non-Uniform ("The identity I for Operation is ...") and
3.42.18 Atomic Instructions. The least and greatest of a number and a NaN is the number.
"""

from collections.abc import Callable
from typing import Any, Final, final

from reknit.ir import op
from reknit.sim.ops.columns import over_components
from reknit.sim.ops.ieee import Format, format_of
from reknit.sim.values import FLOAT_KIND, VECTOR_KIND, Shape

I_ADD: Final = 1
F_ADD: Final = 2
I_MUL: Final = 3
F_MUL: Final = 4
S_MIN: Final = 5
U_MIN: Final = 6
F_MIN: Final = 7
S_MAX: Final = 8
U_MAX: Final = 9
F_MAX: Final = 10
AND: Final = 11
OR: Final = 12
XOR: Final = 13
I_SUB: Final = 14

KINDS: Final[dict[int, int]] = {
    op.GroupNonUniformIAdd: I_ADD,
    op.GroupNonUniformFAdd: F_ADD,
    op.GroupNonUniformIMul: I_MUL,
    op.GroupNonUniformFMul: F_MUL,
    op.GroupNonUniformSMin: S_MIN,
    op.GroupNonUniformUMin: U_MIN,
    op.GroupNonUniformFMin: F_MIN,
    op.GroupNonUniformSMax: S_MAX,
    op.GroupNonUniformUMax: U_MAX,
    op.GroupNonUniformFMax: F_MAX,
    op.GroupNonUniformBitwiseAnd: AND,
    op.GroupNonUniformBitwiseOr: OR,
    op.GroupNonUniformBitwiseXor: XOR,
    op.GroupNonUniformLogicalAnd: AND,
    op.GroupNonUniformLogicalOr: OR,
    op.GroupNonUniformLogicalXor: XOR,
    op.GroupIAdd: I_ADD,
    op.GroupFAdd: F_ADD,
    op.GroupFMin: F_MIN,
    op.GroupUMin: U_MIN,
    op.GroupSMin: S_MIN,
    op.GroupFMax: F_MAX,
    op.GroupUMax: U_MAX,
    op.GroupSMax: S_MAX,
    op.GroupIMulKHR: I_MUL,
    op.GroupFMulKHR: F_MUL,
    op.GroupBitwiseAndKHR: AND,
    op.GroupBitwiseOrKHR: OR,
    op.GroupBitwiseXorKHR: XOR,
    op.GroupLogicalAndKHR: AND,
    op.GroupLogicalOrKHR: OR,
    op.GroupLogicalXorKHR: XOR,
    op.GroupIAddNonUniformAMD: I_ADD,
    op.GroupFAddNonUniformAMD: F_ADD,
    op.GroupFMinNonUniformAMD: F_MIN,
    op.GroupUMinNonUniformAMD: U_MIN,
    op.GroupSMinNonUniformAMD: S_MIN,
    op.GroupFMaxNonUniformAMD: F_MAX,
    op.GroupUMaxNonUniformAMD: U_MAX,
    op.GroupSMaxNonUniformAMD: S_MAX,
    op.AtomicIAdd: I_ADD,
    op.AtomicISub: I_SUB,
    op.AtomicSMin: S_MIN,
    op.AtomicUMin: U_MIN,
    op.AtomicSMax: S_MAX,
    op.AtomicUMax: U_MAX,
    op.AtomicAnd: AND,
    op.AtomicOr: OR,
    op.AtomicXor: XOR,
    op.AtomicFAddEXT: F_ADD,
    op.AtomicFMinEXT: F_MIN,
    op.AtomicFMaxEXT: F_MAX,
}


@final
class Monoid:
    """`identity` is the value of an exclusive scan's first lane."""

    __slots__ = ("combine", "identity")

    def __init__(self, combine: Callable[[Any, Any], Any], identity: Any) -> None:
        self.combine = combine
        self.identity = identity


def of_ints(kind: int, width: int) -> Monoid | None:
    """Booleans are integers of one bit."""
    mask = (1 << width) - 1
    sign = 1 << (width - 1)
    if kind == I_ADD:
        return Monoid(lambda a, b: (a + b) & mask, 0)
    if kind == I_SUB:
        return Monoid(lambda a, b: (a - b) & mask, 0)
    if kind == I_MUL:
        return Monoid(lambda a, b: (a * b) & mask, 1)
    if kind == S_MIN:
        return Monoid(lambda a, b: b if b ^ sign < a ^ sign else a, sign - 1)
    if kind == S_MAX:
        return Monoid(lambda a, b: b if b ^ sign > a ^ sign else a, sign)
    if kind == U_MIN:
        return Monoid(lambda a, b: b if b < a else a, mask)
    if kind == U_MAX:
        return Monoid(lambda a, b: b if b > a else a, 0)
    if kind == AND:
        return Monoid(lambda a, b: a & b, mask)
    if kind == OR:
        return Monoid(lambda a, b: a | b, 0)
    if kind == XOR:
        return Monoid(lambda a, b: a ^ b, 0)
    return None


def of_floats(kind: int, form: Format) -> Monoid | None:

    def least(a: int, b: int) -> int:
        x = form.decode(a)
        y = form.decode(b)
        return b if y < x or x != x else a

    def greatest(a: int, b: int) -> int:
        x = form.decode(a)
        y = form.decode(b)
        return b if y > x or x != x else a

    if kind == F_ADD:
        return Monoid(lambda a, b: form.encode(form.decode(a) + form.decode(b)), 0)
    if kind == F_MUL:
        return Monoid(lambda a, b: form.encode(form.decode(a) * form.decode(b)), form.one)
    if kind == F_MIN:
        return Monoid(least, form.inf)
    if kind == F_MAX:
        return Monoid(greatest, form.inf | form.sign)
    return None


def monoid(opcode: int, shape: Shape) -> Monoid | None:
    """Of a group or atomic instruction on values of this shape, component by component; None for other instructions."""
    kind = KINDS.get(opcode, 0)
    scalar = shape.component()
    found: Monoid | None = None
    if scalar.kind == FLOAT_KIND:
        form = format_of(scalar.width)
        if form is not None:
            found = of_floats(kind, form)
    elif scalar.is_scalar():
        found = of_ints(kind, scalar.width)
    if found is None or shape.kind != VECTOR_KIND:
        return found
    return Monoid(over_components(found.combine, shape, [shape, shape]), (found.identity,) * shape.count)
