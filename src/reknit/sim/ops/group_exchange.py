"""Reading another lane's value: broadcasts, shuffles, rotations.

    ShuffleUp by 1      out[lane] = value[lane - 1]          Rotate by 1      out[lane] = value[(lane + 1) mod size]

A lane that isn't in the tangle has no value to read: the result is undefined, reported with both lanes, and 0.
Source: SPIR-V 1.6, 3.42.24 Non-Uniform Instructions; SPV_KHR_subgroup_rotate; SPV_KHR_shader_ballot.
"""

from typing import Any

from reknit.ir import op
from reknit.sim.ops.group_vote import GroupFunction
from reknit.sim.ops.undefined import Undefined
from reknit.sim.values import VECTOR_KIND, Shape, null_value


def report_differing(name: str, what: str, lanes: list[int], column: list[int], undefined: Undefined) -> None:
    """Says once when an operand that has to be the same for the whole tangle isn't."""
    first = column[lanes[0]]
    for lane in lanes:
        if column[lane] != first:
            undefined.lane = lane
            undefined.differ(
                f"{name}: {what} is not dynamically uniform: {first} in lane {lanes[0]}, {column[lane]} in lane {lane}"
            )
            return


def read_lanes(
    name: str,
    out: list[Any],
    lanes: list[int],
    value: list[Any],
    sources: list[int],
    base: int,
    size: int,
    nothing: Any,
    undefined: Undefined,
) -> None:
    """out[lanes[k]] = the value of the invocation sources[k] of the subgroup, which may be any integer."""
    read_from(name, out, lanes, lanes, value, sources, base, size, nothing, undefined)


def read_from(
    name: str,
    out: list[Any],
    lanes: list[int],
    tangle: list[int],
    value: list[Any],
    sources: list[int],
    base: int,
    size: int,
    nothing: Any,
    undefined: Undefined,
) -> None:
    """`lanes` are those of the tangle that read."""
    present = set(tangle)
    for at, lane in enumerate(lanes):
        source = sources[at]
        if 0 <= source < size and base + source in present:
            out[lane] = value[base + source]
            continue
        undefined.lane = lane
        if 0 <= source < size:
            undefined.say(f"{name}: lane {lane} reads lane {base + source}, which is not in its tangle")
        else:
            undefined.say(f"{name}: lane {lane} reads invocation {source} of a subgroup of {size}")
        out[lane] = nothing


def broadcast_first(out: list[Any], lanes: list[int], columns: list[list[Any]], base: int, size: int) -> None:
    first = columns[0][lanes[0]]
    for lane in lanes:
        out[lane] = first


def exchange(opcode: int, name: str, uniform: str, nothing: Any, undefined: Undefined) -> GroupFunction:
    """`uniform` names the second operand if it has to be dynamically uniform, else it is empty."""

    def run(out: list[Any], lanes: list[int], columns: list[list[Any]], base: int, size: int) -> None:
        operand: list[int] = columns[1]
        if uniform:
            report_differing(name, uniform, lanes, operand, undefined)
        sources: list[int] = []
        for lane in lanes:
            local = lane - base
            if opcode == op.GroupNonUniformShuffleXor or opcode == op.SubgroupShuffleXorINTEL:
                sources.append(local ^ operand[lane])
            elif opcode == op.GroupNonUniformShuffleUp:
                sources.append(local - operand[lane])
            elif opcode == op.GroupNonUniformShuffleDown:
                sources.append(local + operand[lane])
            else:
                sources.append(operand[lane])
        read_lanes(name, out, lanes, columns[0], sources, base, size, nothing, undefined)

    return run


def shifted(name: str, sign: int, nothing: Any, undefined: Undefined) -> GroupFunction:
    """Two values side by side, twice as many as the subgroup has lanes: the lower and the upper, moved by the third
    operand down (1) or up (-1). Source: SPV_INTEL_subgroups, Current and Next, Previous and Current."""

    def run(out: list[Any], lanes: list[int], columns: list[list[Any]], base: int, size: int) -> None:
        delta: list[int] = columns[2]
        for lower in (True, False):
            taking: list[int] = []
            sources: list[int] = []
            for lane in lanes:
                source = lane - base + sign * delta[lane] + (size if sign < 0 else 0)
                if (source < size) == lower:
                    taking.append(lane)
                    sources.append(source if lower else source - size)
            if taking:
                read_from(name, out, taking, lanes, columns[0 if lower else 1], sources, base, size, nothing, undefined)

    return run


def rotate(nothing: Any, undefined: Undefined) -> GroupFunction:
    """The cluster size, if there is one, is the third column."""
    name = "OpGroupNonUniformRotateKHR"

    def run(out: list[Any], lanes: list[int], columns: list[list[Any]], base: int, size: int) -> None:
        delta: list[int] = columns[1]
        report_differing(name, "Delta", lanes, delta, undefined)
        cluster = columns[2][lanes[0]] if len(columns) > 2 else size
        if cluster < 1 or cluster > size or cluster & (cluster - 1):
            undefined.lane = lanes[0]
            undefined.say(f"{name}: a cluster of {cluster} in a subgroup of {size}")
            cluster = size
        sources: list[int] = []
        for lane in lanes:
            local = lane - base
            sources.append((local & ~(cluster - 1)) + ((local + delta[lane]) & (cluster - 1)))
        read_lanes(name, out, lanes, columns[0], sources, base, size, nothing, undefined)

    return run


def function(opcode: int, result: Shape, operands: list[Shape], undefined: Undefined) -> GroupFunction | None:
    if opcode == op.GroupNonUniformBroadcastFirst or opcode == op.SubgroupFirstInvocationKHR:
        return broadcast_first
    nothing = null_value(result)
    if opcode == op.GroupNonUniformBroadcast:
        return exchange(opcode, "OpGroupNonUniformBroadcast", "Id", nothing, undefined)
    if opcode == op.GroupBroadcast and operands[1].kind != VECTOR_KIND:
        return exchange(opcode, "OpGroupBroadcast", "LocalId", nothing, undefined)
    if opcode == op.SubgroupReadInvocationKHR:
        return exchange(opcode, "OpSubgroupReadInvocationKHR", "Index", nothing, undefined)
    if opcode == op.SubgroupShuffleINTEL:
        return exchange(opcode, "OpSubgroupShuffleINTEL", "", nothing, undefined)
    if opcode == op.SubgroupShuffleXorINTEL:
        return exchange(opcode, "OpSubgroupShuffleXorINTEL", "", nothing, undefined)
    if opcode == op.SubgroupShuffleDownINTEL:
        return shifted("OpSubgroupShuffleDownINTEL", 1, nothing, undefined)
    if opcode == op.SubgroupShuffleUpINTEL:
        return shifted("OpSubgroupShuffleUpINTEL", -1, nothing, undefined)
    if opcode == op.GroupNonUniformShuffle:
        return exchange(opcode, "OpGroupNonUniformShuffle", "", nothing, undefined)
    if opcode == op.GroupNonUniformShuffleXor:
        return exchange(opcode, "OpGroupNonUniformShuffleXor", "", nothing, undefined)
    if opcode == op.GroupNonUniformShuffleUp:
        return exchange(opcode, "OpGroupNonUniformShuffleUp", "", nothing, undefined)
    if opcode == op.GroupNonUniformShuffleDown:
        return exchange(opcode, "OpGroupNonUniformShuffleDown", "", nothing, undefined)
    if opcode == op.GroupNonUniformRotateKHR:
        return rotate(nothing, undefined)
    return None
