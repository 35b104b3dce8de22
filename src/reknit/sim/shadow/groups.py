"""What group operations make of operands that may be anything: a tangle's lanes in one subgroup at a time.

    broadcasts, shuffles, swaps    the result is undefined where what is read is, or which lane is read
    votes, ballots                 a lane that is known may decide; of a ballot, the words of lanes that are not
    reductions, scans              undefined from the first undefined value on, unless another fixes the result
    derivatives                    undefined in a quad one of whose values is

An operand that says which lanes take part, or which is read, is reported where it may be anything.
"""

from typing import Any, Final

from reknit.ir import enums, op, traits
from reknit.ir.instr import Instr
from reknit.ir.value import Value
from reknit.sim.ops.group import group_function
from reknit.sim.ops.group_fold import clusters, fold
from reknit.sim.ops.group_vote import GroupFunction, bits_of
from reknit.sim.ops.monoid import Monoid, monoid
from reknit.sim.ops.undefined import Undefined
from reknit.sim.shadow.fixed import Fixed, fixed_of_fold
from reknit.sim.shadow.shapes import joined, part_of, source_in
from reknit.sim.shadow.sources import OPERAND
from reknit.sim.shadow.state import Tracker
from reknit.sim.shadow.values import Rule, Said, by_lane, either
from reknit.sim.step_choices import SETTLED
from reknit.sim.values import FLOAT_KIND, VECTOR_KIND, Shape

ALL: Final = (op.GroupNonUniformAll, op.GroupAll, op.SubgroupAllKHR)
ANY: Final = (op.GroupNonUniformAny, op.GroupAny, op.SubgroupAnyKHR)
EQUAL: Final = (op.GroupNonUniformAllEqual, op.SubgroupAllEqualKHR)
BALLOT: Final = (op.GroupNonUniformBallot, op.SubgroupBallotKHR)
QUAD_VOTES: Final = (op.GroupNonUniformQuadAllKHR, op.GroupNonUniformQuadAnyKHR)

Shadows = list[list[Any]]


class Group:
    """A group operation: the values of its operands without the scope, and its literals."""

    __slots__ = ("tracker", "instr", "values", "shapes", "result", "literals", "columns")

    def __init__(self, tracker: Tracker, instr: Instr, values: list[Value], literals: list[int]) -> None:
        preparation = tracker.preparation
        self.tracker = tracker
        self.instr = instr
        self.values = values
        self.literals = literals
        self.shapes = [preparation.shape(value) for value in values]
        self.result = preparation.shape(instr)
        self.columns = [preparation.column(value) for value in values]


def group_rule(tracker: Tracker, instr: Instr, values: list[Value], literals: list[int], size: int) -> Rule:
    group = Group(tracker, instr, values, literals)
    known = traits.SIM.get(instr.op)
    silent = Undefined(_silent)
    function = group_function(instr.op, group.result, group.shapes, literals, silent)
    folded = monoid(instr.op, group.result) if known == "group_fold" else None

    def part(lanes: list[int], base: int, out: list[Any]) -> None:
        shadows = [shadow if shadow is not None else zeros for shadow in map(tracker.column, values)]
        if instr.op in QUAD_VOTES:
            quad_vote(group, lanes, shadows, out)
        elif known == "group_exchange" or known == "group_quad":
            exchanged(group, function, lanes, base, size, shadows, out)
        elif known == "group_fold":
            reduced(group, folded, lanes, base, size, shadows, out)
        elif known == "group_derivative":
            over_quads(lanes, shadows, out)
        else:
            voted(group, lanes, base, shadows, out)

    zeros: list[Any] = [0] * tracker.preparation.lanes
    held: list[Any] = [0] * tracker.preparation.lanes

    def run(lanes: list[int], said: Said) -> None:
        if not said and not tracker.concerns(values):
            tracker.clear(instr, lanes)
            return
        for lane in lanes:
            held[lane] = 0
        at = 0 if tracker.concerns(values) else len(lanes)
        while at < len(lanes):
            base = lanes[at] - lanes[at] % size
            end = at
            while end < len(lanes) and lanes[end] < base + size:
                end += 1
            subgroup = lanes[at:end]
            if is_open(tracker, subgroup):
                number = next((each for lane in subgroup if (each := tracker.source_of(values, lane))), 0)
                for lane in subgroup:
                    held[lane] = number
            else:
                part(subgroup, base, held)
            at = end
        messages = by_lane(said, lanes)
        for lane, message in messages.items():
            number = tracker.source(instr, message)
            if held[lane] == 0:
                tracker.report(instr, lane, message)
            held[lane] = either(held[lane], number)
        for lane in lanes:
            tracker.set(instr, lane, held[lane])

    return run


def is_open(tracker: Tracker, lanes: list[int]) -> bool:
    """Whether it is left open which of the lanes take part (`sim.helper_lanes`): no lane that is known decides then."""
    if tracker.preparation.step_choices.freedom == SETTLED:
        return False
    return any(tracker.helpers[lane] for lane in lanes)


def report(group: Group, lanes: list[int], shadow: list[Any]) -> dict[int, int]:
    """Lanes whose operand says which take part, or which is read, and may be anything; they are reported."""
    unknown: dict[int, int] = {}
    for lane in lanes:
        number = source_in(shadow[lane])
        if number:
            unknown[lane] = number
            group.tracker.reach_instr(OPERAND, group.instr, number, lane)
    return unknown


def exchanged(
    group: Group,
    function: GroupFunction | None,
    lanes: list[int],
    base: int,
    size: int,
    shadows: Shadows,
    out: list[Any],
) -> None:
    """The operation itself moves the shadows as it moved the values."""
    if function is None:
        return
    moved = 2 if group.instr.op in (op.SubgroupShuffleDownINTEL, op.SubgroupShuffleUpINTEL) else 1
    function(out, lanes, [*shadows[:moved], *group.columns[moved:]], base, size)
    for at in range(moved, len(shadows)):
        for lane, number in report(group, lanes, shadows[at]).items():
            out[lane] = number
    for lane in lanes:
        if isinstance(out[lane], tuple):
            out[lane] = joined(list(out[lane]))


def voted(group: Group, lanes: list[int], base: int, shadows: Shadows, out: list[Any]) -> None:
    code = group.instr.op
    if not shadows:
        return
    first = shadows[0]
    source = 0
    for lane in lanes:
        source = source or source_in(first[lane])
    if code in ALL or code in ANY:
        if source and not decided(group, lanes, first, 1 if code in ANY else 0):
            for lane in lanes:
                out[lane] = source
        return
    if code in EQUAL:
        if source and not differ(group, lanes, first):
            for lane in lanes:
                out[lane] = source
        return
    if code in BALLOT:
        words = [0, 0, 0, 0]
        for lane in lanes:
            number = source_in(first[lane])
            if number:
                words[(lane - base) >> 5] = number
        ballot: Any = joined([*words])
        for lane in lanes:
            out[lane] = ballot
        return
    if code == op.GroupNonUniformPartitionEXT:
        for lane in lanes:
            out[lane] = source
        return
    for lane in lanes:  # questions about a ballot, lane by lane
        out[lane] = source_in(first[lane])
    for other in shadows[1:]:
        for lane, number in report(group, lanes, other).items():
            out[lane] = number


def decided(group: Group, lanes: list[int], shadow: list[Any], decides: int) -> bool:
    """Whether a lane that is known decides a vote."""
    column = group.columns[0]
    return any(shadow[lane] == 0 and (1 if column[lane] else 0) == decides for lane in lanes)


def differ(group: Group, lanes: list[int], shadow: list[Any]) -> bool:
    """Whether two lanes differ in a component that both know."""
    column = group.columns[0]
    count = group.shapes[0].count if group.shapes[0].kind == VECTOR_KIND else 0
    for index in range(max(count, 1)):
        seen: dict[Any, None] = {}
        for lane in lanes:
            if part_of(shadow[lane], index) == 0:
                seen[column[lane][index] if count else column[lane]] = None
        if len(seen) > 1 and group.shapes[0].component().kind != FLOAT_KIND:
            return True  # of floats, 0 and -0 are equal
    return False


def quad_vote(group: Group, lanes: list[int], shadows: Shadows, out: list[Any]) -> None:
    decides = 1 if group.instr.op == op.GroupNonUniformQuadAnyKHR else 0
    for first in {lane & ~3: None for lane in lanes}:
        quad = [lane for lane in lanes if lane & ~3 == first]
        source = 0
        for lane in quad:
            source = source or source_in(shadows[0][lane])
        known = source and decided(group, quad, shadows[0], decides)
        for lane in quad:
            out[lane] = 0 if known else source


def over_quads(lanes: list[int], shadows: Shadows, out: list[Any]) -> None:
    """Which of the values a derivative is taken from is the implementation's choice."""
    for first in {lane & ~3: None for lane in lanes}:
        quad = [lane for lane in lanes if lane & ~3 == first]
        shadow: Any = 0
        for lane in quad:
            shadow = either(shadow, shadows[0][lane])
        for lane in quad:
            out[lane] = shadow


# --- reductions and scans ---------------------------------------------------------------------------------------------


def reduced(
    group: Group, folded: Monoid | None, lanes: list[int], base: int, size: int, shadows: Shadows, out: list[Any]
) -> None:
    """Folded as the values are, with the shadow of each beside it."""
    if folded is None or not group.literals:
        return
    chosen: Monoid = folded
    shape = group.result
    fixed = fixed_of_fold(traits.COMBINES.get(group.instr.op, ""), shape.component())

    def combine(a: Any, b: Any) -> Any:
        return chosen.combine(a[0], b[0]), mixed(shape, fixed, a, b)

    column = group.columns[0]
    pairs: list[Any] = [0] * len(column)
    for lane in lanes:
        pairs[lane] = (column[lane], shadows[0][lane])
    both = Monoid(combine, (chosen.identity, 0))
    result: list[Any] = [0] * len(column)
    operation = group.literals[0]
    within = enums.GroupOperationReduce
    if operation in (enums.GroupOperationInclusiveScan, enums.GroupOperationPartitionedInclusiveScanEXT):
        within = enums.GroupOperationInclusiveScan
    elif operation in (enums.GroupOperationExclusiveScan, enums.GroupOperationPartitionedExclusiveScanEXT):
        within = enums.GroupOperationExclusiveScan
    parts = [lanes]
    unknown: dict[int, int] = {}
    if len(shadows) > 1:
        unknown = report(group, lanes, shadows[1])
        if operation == enums.GroupOperationClusteredReduce:
            width = group.columns[1][lanes[0]]
            parts = clusters(lanes, base, width) if 0 < width <= size and not width & (width - 1) else [lanes]
        else:
            members: dict[int, list[int]] = {}
            for lane in lanes:
                members.setdefault(bits_of(group.columns[1][lane]), []).append(lane)
            parts = list(members.values())
    for members_of in parts:
        fold(both, within, result, members_of, pairs)
    source = next(iter(unknown.values()), 0)
    for lane in lanes:
        out[lane] = source if source else result[lane][1]


def mixed(shape: Shape, fixed: Fixed, a: Any, b: Any) -> Any:
    """The shadow of two values combined."""
    if a[1] == 0 and b[1] == 0:
        return 0
    if shape.kind != VECTOR_KIND:
        return one(fixed, a[0], b[0], a[1], b[1])
    parts = range(shape.count)
    return joined([one(fixed, a[0][at], b[0][at], part_of(a[1], at), part_of(b[1], at)) for at in parts])


def one(fixed: Fixed, a: int, b: int, left: int, right: int) -> int:
    if not left and not right:
        return 0
    return 0 if fixed([a, b], [1 if left else 0, 1 if right else 0]) else left or right


def _silent(lane: int, message: str) -> None:
    """The step itself has reported it."""
