"""What the inputs of a fragment shader may be, where how they are interpolated is the implementation's own.

    corners 0, 1, 3 of a triangle    an invocation inside has a value from 0 to 3, and what rounding adds
    outside of it, by samples        anything
    FragCoord                        x and y are the center's; z and w are interpolated

Sources: Vulkan 1.4, "Basic Polygon Rasterization": barycentric coordinates are "a set of three numbers, a, b, and c,
each in the range [0,1], with a + b + c = 1"; "a convex combination of the values of the datum at the polygon's vertices
must be used to obtain the value assigned to each fragment". "Floating-Point Computation", of what is computed outside
of shaders: "individual results of floating-point operations are accurate to about 1 part in 10^5"; a perspective
interpolation takes about ten. With one sample "the interpolation position must be at the center of the fragment area".
"""

import math
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final

from reknit.ir import enums
from reknit.sim.ops import float_sets
from reknit.sim.ops.float_sets import FloatSet
from reknit.sim.ops.ieee import format_of
from reknit.sim.shadow.shapes import spread
from reknit.sim.stages.interface import FLAT, PER_VERTEX, Slot
from reknit.sim.stages.rasterize import Given, Invocation, Triangle
from reknit.sim.unwritten import within
from reknit.sim.values import FLOAT_KIND, Shape

if TYPE_CHECKING:
    from reknit.sim.shadow.bounds import Bounds
    from reknit.sim.stages.fragment import FragmentStage

MARGIN: Final = Fraction(1, 1 << 10)
"""Of the greatest of the corners' values: about a hundred results that are accurate to 1 part in 10^5."""
INTERPOLATED: Final = (
    enums.BuiltInPointCoord, enums.BuiltInBaryCoordKHR, enums.BuiltInBaryCoordNoPerspKHR, enums.BuiltInClipDistance,
    enums.BuiltInCullDistance,
)  # fmt: skip
SAMPLED: Final = (enums.BuiltInSamplePosition, enums.BuiltInSampleId, enums.BuiltInSampleMask)


def bound_inputs(stage: "FragmentStage", bounds: "Bounds") -> None:
    """Mark them, for each invocation: its own cells are as they begin."""
    for slot, values in stage.inputs:
        if slot.mode in (FLAT, PER_VERTEX) and slot.builtin < 0:
            continue
        for lane, invocation in enumerate(stage.invocations):
            shadow = shadow_of(stage, bounds, slot, invocation, values[lane])
            if shadow == 0:
                continue
            marks = bounds.tracker.unwritten.track(slot.cells, False)
            _, start, count = within(marks, lane, [] if slot.member < 0 else [slot.member])
            flat: list[int] = []
            spread(shadow, slot.shape, flat)
            for at in range(count):
                marks.put(start + at, flat[at])


def shadow_of(stage: "FragmentStage", bounds: "Bounds", slot: Slot, invocation: Invocation, value: Any) -> Any:
    if isinstance(invocation.surface, Given):
        return 0  # each invocation is given its own
    if slot.builtin >= 0:
        if slot.builtin == enums.BuiltInFragCoord:
            open = bounds.anything(slot.variable)
            centered = stage.drawing.samples == 1
            return (0, 0, open, open) if centered else open
        many = slot.builtin in SAMPLED and stage.drawing.samples > 1
        return bounds.anything(slot.variable) if slot.builtin in INTERPOLATED or many else 0
    inside = isinstance(invocation.surface, Triangle) and invocation.mask and stage.drawing.samples == 1
    corners: list[Any] = []
    if inside:
        inputs = invocation.surface.inputs
        given = next((inputs[name] for name in slot.names() if name in inputs), [])
        position = stage.position(slot, invocation)
        corners = [stage.one(slot, slot.shape, [each] * len(given), invocation, position) for each in given]
    return part(bounds, slot, slot.shape, value, corners)


def part(bounds: "Bounds", slot: Slot, shape: Shape, value: Any, corners: list[Any]) -> Any:
    """The shadow of a value, by what it is at the corners; [] where nothing bounds it. Shapes nest a few levels."""
    if isinstance(value, tuple):
        parts = shape.members if shape.members else [shape.element] * len(value)
        shadows: list[Any] = []
        for at, each in enumerate(parts):
            assert each is not None
            shadows.append(part(bounds, slot, each, value[at], [corner[at] for corner in corners]))
        return tuple(shadows)
    form = format_of(shape.width) if shape.kind == FLOAT_KIND else None
    if form is None:
        return 0
    numbers = [form.decode(corner) for corner in corners]
    if not numbers or not all(map(math.isfinite, numbers)):
        return bounds.anything(slot.variable)
    by = MARGIN * max([abs(Fraction(number)) for number in numbers]) + float_sets.least_normal(form)
    low = float_sets.below(Fraction(min(numbers)) - by, form)
    high = float_sets.above(Fraction(max(numbers)) + by, form)
    allowed: FloatSet | None = None
    if not float_sets.is_special(low, form) and not float_sets.is_special(high, form):
        allowed = float_sets.interval(low, high, form)
    return bounds.number(slot.variable, allowed, value)
