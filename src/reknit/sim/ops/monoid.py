"""The operations that fold many values into one, each with what it starts from.

    GroupNonUniformFMin : f32   ->   (a, b) -> the smaller, +infinity
    AtomicIAdd : u64            ->   (a, b) -> a + b, 0

Source: SPIR-V 1.6, 3.42.21 Group and Subgroup, 3.42.24 Non-Uniform ("The identity I for Operation is ...") and
3.42.18 Atomic Instructions. The least and greatest of a number and a NaN is the number.
"""

from collections.abc import Callable
from typing import Any, final

from reknit.ir import traits
from reknit.sim.ops.columns import over_components
from reknit.sim.ops.ieee import Format, format_of
from reknit.sim.values import FLOAT_KIND, VECTOR_KIND, Shape


@final
class Monoid:
    """`identity` is the value of an exclusive scan's first lane."""

    __slots__ = ("combine", "identity")

    def __init__(self, combine: Callable[[Any, Any], Any], identity: Any) -> None:
        self.combine = combine
        self.identity = identity


def of_ints(kind: str, width: int) -> Monoid | None:
    """Booleans are integers of one bit."""
    mask = (1 << width) - 1
    sign = 1 << (width - 1)
    if kind == "i-add":
        return Monoid(lambda a, b: (a + b) & mask, 0)
    if kind == "i-sub":
        return Monoid(lambda a, b: (a - b) & mask, 0)
    if kind == "i-mul":
        return Monoid(lambda a, b: (a * b) & mask, 1)
    if kind == "s-min":
        return Monoid(lambda a, b: b if b ^ sign < a ^ sign else a, sign - 1)
    if kind == "s-max":
        return Monoid(lambda a, b: b if b ^ sign > a ^ sign else a, sign)
    if kind == "u-min":
        return Monoid(lambda a, b: b if b < a else a, mask)
    if kind == "u-max":
        return Monoid(lambda a, b: b if b > a else a, 0)
    if kind == "and":
        return Monoid(lambda a, b: a & b, mask)
    if kind == "or":
        return Monoid(lambda a, b: a | b, 0)
    if kind == "xor":
        return Monoid(lambda a, b: a ^ b, 0)
    return None


def of_floats(kind: str, form: Format) -> Monoid | None:

    def least(a: int, b: int) -> int:
        x = form.decode(a)
        y = form.decode(b)
        return b if y < x or x != x else a

    def greatest(a: int, b: int) -> int:
        x = form.decode(a)
        y = form.decode(b)
        return b if y > x or x != x else a

    if kind == "f-add":
        return Monoid(lambda a, b: form.encode(form.decode(a) + form.decode(b)), 0)
    if kind == "f-mul":
        return Monoid(lambda a, b: form.encode(form.decode(a) * form.decode(b)), form.one)
    if kind == "f-min":
        return Monoid(least, form.inf)
    if kind == "f-max":
        return Monoid(greatest, form.inf | form.sign)
    return None


def monoid(opcode: int, shape: Shape) -> Monoid | None:
    """Of a group or atomic instruction on values of this shape, component by component; None for other instructions."""
    kind = traits.COMBINES.get(opcode, "")
    scalar = shape.component()
    scalar_monoid: Monoid | None = None
    if scalar.kind == FLOAT_KIND:
        form = format_of(scalar.width)
        if form is not None:
            scalar_monoid = of_floats(kind, form)
    elif scalar.is_scalar():
        scalar_monoid = of_ints(kind, scalar.width)
    if scalar_monoid is None or shape.kind != VECTOR_KIND:
        return scalar_monoid
    return Monoid(
        over_components(scalar_monoid.combine, shape, [shape, shape]), (scalar_monoid.identity,) * shape.count
    )
