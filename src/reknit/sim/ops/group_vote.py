"""Votes and ballots of a tangle within one subgroup.

    predicate per lane  1 0 - 1   (- is not in the tangle)
    Any 1   All 0   Ballot (0b1001, 0, 0, 0)   Elect 1 0 - 0   BallotBitCount inclusive of that ballot 1 1 - 2

A ballot is four words, the subgroup's first invocation the lowest bit. Source: SPIR-V 1.6, 3.42.24 Non-Uniform
Instructions; SPV_KHR_shader_ballot, SPV_KHR_subgroup_vote.
"""

from collections.abc import Callable
from typing import Any

from reknit.ir import enums, op
from reknit.sim.ops.ieee import Format, format_of
from reknit.sim.ops.undefined import Undefined
from reknit.sim.values import FLOAT_KIND, Shape

# (out, lanes, columns, base, size): see `group`.
GroupFunction = Callable[[list[Any], list[int], list[list[Any]], int, int], None]

Words = tuple[int, int, int, int]


def words_of(bits: int) -> Words:
    return bits & 0xFFFFFFFF, (bits >> 32) & 0xFFFFFFFF, (bits >> 64) & 0xFFFFFFFF, (bits >> 96) & 0xFFFFFFFF


def bits_of(ballot: Words) -> int:
    return ballot[0] | (ballot[1] << 32) | (ballot[2] << 64) | (ballot[3] << 96)


def fill(out: list[Any], lanes: list[int], value: Any) -> None:
    for lane in lanes:
        out[lane] = value


def elect(out: list[Any], lanes: list[int], columns: list[list[Any]], base: int, size: int) -> None:
    fill(out, lanes, 0)
    out[lanes[0]] = 1


def all_of(out: list[Any], lanes: list[int], columns: list[list[Any]], base: int, size: int) -> None:
    predicate: list[int] = columns[0]
    verdict = 1
    for lane in lanes:
        if not predicate[lane]:
            verdict = 0
    fill(out, lanes, verdict)


def any_of(out: list[Any], lanes: list[int], columns: list[list[Any]], base: int, size: int) -> None:
    predicate: list[int] = columns[0]
    verdict = 0
    for lane in lanes:
        if predicate[lane]:
            verdict = 1
    fill(out, lanes, verdict)


def ballot(out: list[Any], lanes: list[int], columns: list[list[Any]], base: int, size: int) -> None:
    predicate: list[int] = columns[0]
    bits = 0
    for lane in lanes:
        if predicate[lane]:
            bits |= 1 << (lane - base)
    fill(out, lanes, words_of(bits))


def equal_floats(a: Any, b: Any, form: Format) -> bool:
    """Ordered and equal, in every component."""
    if not isinstance(a, tuple):
        return form.decode(a) == form.decode(b)
    return all(form.decode(a[index]) == form.decode(b[index]) for index in range(len(a)))


def all_equal(shape: Shape) -> GroupFunction:
    scalar = shape.component()
    form = format_of(scalar.width) if scalar.kind == FLOAT_KIND else None

    def run(out: list[Any], lanes: list[int], columns: list[list[Any]], base: int, size: int) -> None:
        value = columns[0]
        first = value[lanes[0]]
        verdict = 1
        for lane in lanes:
            # The first lane is compared with itself as well: a NaN is not ordered and equal even to itself.
            if form is None:
                if value[lane] != first:
                    verdict = 0
            elif not equal_floats(first, value[lane], form):
                verdict = 0
        fill(out, lanes, verdict)

    return run


def inverse_ballot(undefined: Undefined) -> GroupFunction:
    def run(out: list[Any], lanes: list[int], columns: list[list[Any]], base: int, size: int) -> None:
        value: list[Words] = columns[0]
        first = value[lanes[0]]
        for lane in lanes:
            if value[lane] != first:
                undefined.lane = lane
                undefined.differ(f"the ballots of OpGroupNonUniformInverseBallot differ: lanes {lanes[0]} and {lane}")
            out[lane] = (bits_of(value[lane]) >> (lane - base)) & 1

    return run


def bit_extract(undefined: Undefined) -> GroupFunction:
    def run(out: list[Any], lanes: list[int], columns: list[list[Any]], base: int, size: int) -> None:
        value: list[Words] = columns[0]
        index: list[int] = columns[1]
        for lane in lanes:
            at = index[lane]
            if at >= size:
                undefined.lane = lane
                undefined.say(f"OpGroupNonUniformBallotBitExtract of bit {at} in a group of {size}, by lane {lane}")
                out[lane] = 0
            else:
                out[lane] = (bits_of(value[lane]) >> at) & 1

    return run


def bit_count(operation: int) -> GroupFunction | None:
    if (
        operation != enums.GroupOperationReduce
        and operation != enums.GroupOperationInclusiveScan
        and operation != enums.GroupOperationExclusiveScan
    ):
        return None

    def run(out: list[Any], lanes: list[int], columns: list[list[Any]], base: int, size: int) -> None:
        value: list[Words] = columns[0]
        for lane in lanes:
            # How many of the ballot's low bits count.
            width = size
            if operation == enums.GroupOperationInclusiveScan:
                width = lane - base + 1
            elif operation == enums.GroupOperationExclusiveScan:
                width = lane - base
            out[lane] = (bits_of(value[lane]) & ((1 << width) - 1)).bit_count()

    return run


def find_bit(lowest: bool, undefined: Undefined) -> GroupFunction:
    def run(out: list[Any], lanes: list[int], columns: list[list[Any]], base: int, size: int) -> None:
        value: list[Words] = columns[0]
        for lane in lanes:
            bits = bits_of(value[lane]) & ((1 << size) - 1)
            if bits == 0:
                undefined.lane = lane
                undefined.say(f"OpGroupNonUniformBallotFind{'LSB' if lowest else 'MSB'} of an empty ballot")
                out[lane] = 0
            else:
                out[lane] = (bits & -bits if lowest else bits).bit_length() - 1

    return run


def partition(out: list[Any], lanes: list[int], columns: list[list[Any]], base: int, size: int) -> None:
    """For each lane the ballot of the lanes with its value (SPV_EXT_shader_subgroup_partitioned)."""
    value = columns[0]
    ballots: dict[Any, int] = {}
    for lane in lanes:
        ballots[value[lane]] = ballots.get(value[lane], 0) | (1 << (lane - base))
    for lane in lanes:
        out[lane] = words_of(ballots[value[lane]])


def function(opcode: int, operands: list[Shape], literals: list[int], undefined: Undefined) -> GroupFunction | None:
    if opcode == op.GroupNonUniformElect:
        return elect
    if opcode == op.GroupNonUniformAll or opcode == op.GroupAll or opcode == op.SubgroupAllKHR:
        return all_of
    if opcode == op.GroupNonUniformAny or opcode == op.GroupAny or opcode == op.SubgroupAnyKHR:
        return any_of
    if opcode == op.GroupNonUniformAllEqual or opcode == op.SubgroupAllEqualKHR:
        return all_equal(operands[0])
    if opcode == op.GroupNonUniformBallot or opcode == op.SubgroupBallotKHR:
        return ballot
    if opcode == op.GroupNonUniformInverseBallot:
        return inverse_ballot(undefined)
    if opcode == op.GroupNonUniformBallotBitExtract:
        return bit_extract(undefined)
    if opcode == op.GroupNonUniformBallotBitCount:
        return bit_count(literals[0])
    if opcode == op.GroupNonUniformBallotFindLSB:
        return find_bit(True, undefined)
    if opcode == op.GroupNonUniformBallotFindMSB:
        return find_bit(False, undefined)
    if opcode == op.GroupNonUniformPartitionEXT and operands[0].component().kind != FLOAT_KIND:
        return partition
    return None
