"""Quads: four consecutive invocations of a subgroup.

    0 1      QuadSwap 0: along the row, 1: along the column, 2: across
    2 3

Source: SPIR-V 1.6, 3.42.24 Non-Uniform Instructions; SPV_KHR_quad_control.
"""

from typing import Any

from reknit.ir import op
from reknit.sim.ops.group_exchange import read_lanes, report_differing
from reknit.sim.ops.group_vote import GroupFunction
from reknit.sim.ops.undefined import Undefined
from reknit.sim.values import Shape, null_value


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


def function(opcode: int, result: Shape, undefined: Undefined) -> GroupFunction | None:
    if opcode == op.GroupNonUniformQuadBroadcast:
        return broadcast(null_value(result), undefined)
    if opcode == op.GroupNonUniformQuadSwap:
        return swap(null_value(result), undefined)
    if opcode == op.GroupNonUniformQuadAllKHR:
        return vote(True)
    if opcode == op.GroupNonUniformQuadAnyKHR:
        return vote(False)
    return None
