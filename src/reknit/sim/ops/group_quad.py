"""Quads: four consecutive invocations of a subgroup, and the derivatives that they make possible.

    0 1      QuadSwap 0: along the row, 1: along the column, 2: across        DPdx in lane 0: value[1] - value[0]
    2 3                                                                       DPdy in lane 0: value[2] - value[0]

DPdx, DPdy and Fwidth may be coarse or fine; ours are fine. A lane of the quad that isn't in the tangle has no value:
undefined, reported, 0. Source: SPIR-V 1.6, 3.42.24 Non-Uniform and 3.42.16 Derivative Instructions;
SPV_KHR_quad_control.
"""

from typing import Any

from reknit.ir import op
from reknit.sim.ops.columns import over_components
from reknit.sim.ops.group_exchange import read_lanes, report_differing
from reknit.sim.ops.group_vote import GroupFunction
from reknit.sim.ops.ieee import Format, format_of
from reknit.sim.ops.undefined import Undefined
from reknit.sim.values import FLOAT_KIND, VECTOR_KIND, Shape, null_value


def broadcast(nothing: Any, undefined: Undefined) -> GroupFunction:
    name = "OpGroupNonUniformQuadBroadcast"

    def run(out: list[Any], lanes: list[int], columns: list[list[Any]], base: int, size: int) -> None:
        index: list[int] = columns[1]
        report_differing(name, "Index", lanes, index, undefined)
        # An index past the quad is past the subgroup too, so that it is reported.
        sources = [((lane - base) & ~3) + index[lane] if index[lane] < 4 else size + index[lane] for lane in lanes]
        read_lanes(name, out, lanes, columns[0], sources, base, size, nothing, undefined)

    return run


def swap(nothing: Any, undefined: Undefined) -> GroupFunction:
    name = "OpGroupNonUniformQuadSwap"

    def run(out: list[Any], lanes: list[int], columns: list[list[Any]], base: int, size: int) -> None:
        direction: list[int] = columns[1]
        report_differing(name, "Direction", lanes, direction, undefined)
        sources = [
            (lane - base) ^ (direction[lane] + 1) if direction[lane] < 3 else size + direction[lane] for lane in lanes
        ]
        read_lanes(name, out, lanes, columns[0], sources, base, size, nothing, undefined)

    return run


def vote(every: bool) -> GroupFunction:
    def run(out: list[Any], lanes: list[int], columns: list[list[Any]], base: int, size: int) -> None:
        predicate: list[int] = columns[0]
        # Keyed by quad: whether a lane voted against All, or for Any.
        decided: dict[int, int] = {}
        for lane in lanes:
            if (predicate[lane] == 0) == every:
                decided[(lane - base) >> 2] = 1
        for lane in lanes:
            answer = decided.get((lane - base) >> 2, 0)
            out[lane] = 1 - answer if every else answer

    return run


def derivative(
    shape: Shape, form: Format, name: str, across: bool, down: bool, coarse: bool, undefined: Undefined
) -> GroupFunction:
    """`across`: along x; `down`: along y; both: the sum of their magnitudes."""
    magnitude = form.sign - 1

    def minus(a: int, b: int) -> int:
        return form.encode(form.decode(a) - form.decode(b))

    def width(dx: int, dy: int) -> int:
        return form.encode(form.decode(dx & magnitude) + form.decode(dy & magnitude))

    pair = [shape, shape]
    subtract = over_components(minus, shape, pair) if shape.kind == VECTOR_KIND else minus
    add = over_components(width, shape, pair) if shape.kind == VECTOR_KIND else width
    nothing = null_value(shape)

    def run(out: list[Any], lanes: list[int], columns: list[list[Any]], base: int, size: int) -> None:
        value = columns[0]
        present = set(lanes)

        def change(lane: int, step: int) -> Any:
            local = lane - base
            start = base + (local & ~3 if coarse else local & ~step)
            for end in (start, start + step):
                if end not in present:
                    undefined.lane = lane
                    undefined.say(f"{name}: lane {lane} needs lane {end} of its quad, which is not in its tangle")
                    return nothing
            return subtract(value[start + step], value[start])

        for lane in lanes:
            if across and down:
                out[lane] = add(change(lane, 1), change(lane, 2))
            else:
                out[lane] = change(lane, 1 if across else 2)

    return run


def function(opcode: int, result: Shape, undefined: Undefined) -> GroupFunction | None:
    if opcode == op.GroupNonUniformQuadBroadcast:
        return broadcast(null_value(result), undefined)
    if opcode == op.GroupNonUniformQuadSwap:
        return swap(null_value(result), undefined)
    if opcode == op.GroupNonUniformQuadAllKHR:
        return vote(True)
    if opcode == op.GroupNonUniformQuadAnyKHR:
        return vote(False)
    scalar = result.component()
    form = format_of(scalar.width) if scalar.kind == FLOAT_KIND else None
    if form is None:
        return None
    if opcode == op.DPdx or opcode == op.DPdxFine:
        return derivative(result, form, "OpDPdx", True, False, False, undefined)
    if opcode == op.DPdy or opcode == op.DPdyFine:
        return derivative(result, form, "OpDPdy", False, True, False, undefined)
    if opcode == op.Fwidth or opcode == op.FwidthFine:
        return derivative(result, form, "OpFwidth", True, True, False, undefined)
    if opcode == op.DPdxCoarse:
        return derivative(result, form, "OpDPdxCoarse", True, False, True, undefined)
    if opcode == op.DPdyCoarse:
        return derivative(result, form, "OpDPdyCoarse", False, True, True, undefined)
    if opcode == op.FwidthCoarse:
        return derivative(result, form, "OpFwidthCoarse", True, True, True, undefined)
    return None
