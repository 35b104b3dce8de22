"""Derivatives: how a value changes from one invocation of a quad to its neighbour.

    0 1      DPdx in lanes 0 and 1: value[1] - value[0], in 2 and 3: value[3] - value[2]; coarse: the first in all
    2 3      DPdy in lanes 0 and 2: value[2] - value[0], in 1 and 3: value[3] - value[1]

A coarse derivative has the differences of one invocation of the quad, all four for themselves a fine one. Where an
invocation of the quad is not in the tangle, the result of the whole quad is undefined, reported, 0: "dynamic instances
of explicit derivative instructions must be executed in control flow that is uniform within a derivative group". Source:
Vulkan 1.4, "Derivative Operations"; SPIR-V 1.6, 3.42.16 Derivative Instructions.
"""

from typing import Any

from reknit.sim.ops.columns import over_components
from reknit.sim.ops.group_vote import GroupFunction
from reknit.sim.ops.ieee import Format, format_of
from reknit.sim.ops.undefined import Undefined
from reknit.sim.values import FLOAT_KIND, VECTOR_KIND, Shape, null_value


def missing_of_quads(name: str, lanes: list[int], undefined: Undefined) -> dict[int, None]:
    """The lanes whose quad is not in the tangle as a whole, each of which is reported."""
    present = set(lanes)
    missing: dict[int, None] = {}
    for lane in lanes:
        first = lane & ~3
        absent = [other for other in range(first, first + 4) if other not in present]
        if absent:
            missing[lane] = None
            undefined.lane = lane
            undefined.say(f"{name}: lane {lane} needs lane {absent[0]} of its quad, which is not in its tangle")
    return missing


def derivative(shape: Shape, form: Format, name: str, way: int, undefined: Undefined) -> GroupFunction:
    magnitude = form.sign - 1

    def minus(a: int, b: int) -> int:
        return form.encode(form.decode(a) - form.decode(b))

    def width(dx: int, dy: int) -> int:
        return form.encode(form.decode(dx & magnitude) + form.decode(dy & magnitude))

    pair = [shape, shape]
    subtract = over_components(minus, shape, pair) if shape.kind == VECTOR_KIND else minus
    add = over_components(width, shape, pair) if shape.kind == VECTOR_KIND else width
    nothing = null_value(shape)
    across = not name.startswith("OpDPdy")
    down = not name.startswith("OpDPdx")

    def run(out: list[Any], lanes: list[int], columns: list[list[Any]], base: int, size: int) -> None:
        value = columns[0]
        missing = missing_of_quads(name, lanes, undefined)

        def change(lane: int, step: int) -> Any:
            start = lane & ~step if way < 0 else (lane & ~3) + (way & ~step)
            return subtract(value[start + step], value[start])

        for lane in lanes:
            if lane in missing:
                out[lane] = nothing
            elif across and down:
                out[lane] = add(change(lane, 1), change(lane, 2))
            else:
                out[lane] = change(lane, 1 if across else 2)

    return run


def function(name: str, result: Shape, undefined: Undefined, way: int = -1) -> GroupFunction | None:
    """By the name of the instruction; `way` is -1 for fine, else whose differences all of a quad have."""
    scalar = result.component()
    form = format_of(scalar.width) if scalar.kind == FLOAT_KIND else None
    return None if form is None else derivative(result, form, name, way, undefined)
