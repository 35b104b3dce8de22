"""Reductions and scans over the lanes of a tangle within one subgroup.

    value            1  2  -  3     (- is not in the tangle)
    Reduce           6  6  -  6     IAdd
    InclusiveScan    1  3  -  6     in the order of the lanes
    ExclusiveScan    0  1  -  3     the identity first
    Clustered by 2   3  3  -  3     within each 2 consecutive invocations

Floats are folded in the order of the lanes, one rounding a step: the order is the implementation's choice (SPIR-V
1.6, 3.42.24), and this is ours. An exclusive scan is the inclusive one moved by a lane. If all values of a FMin or
FMax are NaNs the result is undefined: reported, and a NaN.
"""

from typing import Any

from reknit.ir import enums, traits
from reknit.sim.ops.group_vote import GroupFunction, bits_of
from reknit.sim.ops.ieee import Format, format_of
from reknit.sim.ops.monoid import Monoid, monoid
from reknit.sim.ops.undefined import Undefined
from reknit.sim.values import FLOAT_KIND, Shape


def has_nan(value: Any, form: Format) -> bool:
    magnitude = form.sign - 1
    if isinstance(value, tuple):
        return any(component & magnitude > form.inf for component in value)
    bits: int = value
    return bits & magnitude > form.inf


def fold(folded: Monoid, operation: int, out: list[Any], lanes: list[int], value: list[Any]) -> None:
    """One partition: `operation` is Reduce, InclusiveScan or ExclusiveScan; `lanes` is not empty."""
    combine = folded.combine
    total = value[lanes[0]]
    if operation == enums.GroupOperationReduce:
        for at in range(1, len(lanes)):
            total = combine(total, value[lanes[at]])
        for lane in lanes:
            out[lane] = total
        return
    exclusive = operation == enums.GroupOperationExclusiveScan
    out[lanes[0]] = folded.identity if exclusive else total
    for at in range(1, len(lanes)):
        lane = lanes[at]
        before = total
        total = combine(total, value[lane])
        out[lane] = before if exclusive else total


def clusters(lanes: list[int], base: int, width: int) -> list[list[int]]:
    """The lanes of each `width` consecutive invocations, in order."""
    groups: list[list[int]] = []
    last = -1
    for lane in lanes:
        number = (lane - base) // width
        if number != last:
            groups.append([])
            last = number
        groups[-1].append(lane)
    return groups


def partitions(lanes: list[int], ballots: list[Any], base: int, undefined: Undefined) -> list[list[int]]:
    """The lanes that hold the same ballot, each naming just its holders (SPV_EXT_shader_subgroup_partitioned)."""
    members_of: dict[int, list[int]] = {}
    tangle = 0
    for lane in lanes:
        tangle |= 1 << (lane - base)
    for lane in lanes:
        members_of.setdefault(bits_of(ballots[lane]) & tangle, []).append(lane)
    for bits, members in members_of.items():
        holders = 0
        for lane in members:
            holders |= 1 << (lane - base)
        if holders != bits:
            undefined.lane = members[0]
            undefined.say(f"the partition of lanes {members} is the ballot {bits:#x} instead of {holders:#x}")
    return list(members_of.values())


def function(
    opcode: int, result: Shape, operands: list[Shape], literals: list[int], undefined: Undefined
) -> GroupFunction | None:
    """Cluster size or partition is the second column."""
    chosen = monoid(opcode, result)
    if chosen is None or not literals:
        return None
    folded = chosen
    scalar = result.component()
    form = format_of(scalar.width) if scalar.kind == FLOAT_KIND else None
    extreme = traits.COMBINES[opcode] in ("f-min", "f-max")
    operation = literals[0]
    if (
        operation == enums.GroupOperationReduce
        or operation == enums.GroupOperationInclusiveScan
        or operation == enums.GroupOperationExclusiveScan
    ):
        within = operation
    elif operation == enums.GroupOperationClusteredReduce or operation == enums.GroupOperationPartitionedReduceEXT:
        within = enums.GroupOperationReduce
    elif operation == enums.GroupOperationPartitionedInclusiveScanEXT:
        within = enums.GroupOperationInclusiveScan
    elif operation == enums.GroupOperationPartitionedExclusiveScanEXT:
        within = enums.GroupOperationExclusiveScan
    else:
        return None
    if operation != within and len(operands) < 2:
        return None

    def run(out: list[Any], lanes: list[int], columns: list[list[Any]], base: int, size: int) -> None:
        if operation == within:
            fold(folded, within, out, lanes, columns[0])
        elif operation == enums.GroupOperationClusteredReduce:
            width = columns[1][lanes[0]]
            if width < 1 or width > size or width & (width - 1):
                for lane in lanes:
                    undefined.lane = lane
                    undefined.say(f"a clustered reduction by {width} in a subgroup of {size}")
                width = size
            for cluster in clusters(lanes, base, width):
                fold(folded, within, out, cluster, columns[0])
        else:
            for part in partitions(lanes, columns[1], base, undefined):
                fold(folded, within, out, part, columns[0])
        if extreme and form is not None:
            for lane in lanes:
                if has_nan(out[lane], form):
                    undefined.lane = lane
                    undefined.say(f"the least or greatest of nothing but NaNs, lane {lane}")

    return run
