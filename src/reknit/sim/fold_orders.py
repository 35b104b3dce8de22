"""Sums and products of floats over a group, in every order.

    1.0  2^24  1.0      (1 + 2^24) + 1 = 2^24      1 + 1 + 2^24 = 2^24 + 2       two results

    few invocations     every tree over them, by sets of invocations: what {a b c} may give is what {a} and {b c} may
                        give, or {b} and {a c}, or {c} and {a b}. A run chooses among the results that differ
    more                in the order of the invocations; the outcome names the bounds of what other orders may give

A reduction has one result for all: "For reductions, every invocation in a group will obtain the cumulative result of
these operators applied to all values in the group." Of a scan each invocation has a tree of its own over those before
it. Source: Vulkan, "Arithmetic Group Operations": "The order in which these operators are applied is
implementation-dependent."
"""

from fractions import Fraction
from itertools import product
from math import prod
from typing import Any, Final, final

from reknit.ir import enums, traits
from reknit.ir.instr import Instr
from reknit.sim.choices import SHARED
from reknit.sim.faults import describe
from reknit.sim.ops.group_fold import clusters
from reknit.sim.ops.group_vote import GroupFunction
from reknit.sim.ops.ieee import Format, format_of
from reknit.sim.ops.monoid import Monoid, monoid
from reknit.sim.prepare import Preparation
from reknit.sim.step_choices import FLOAT
from reknit.sim.values import FLOAT_KIND

MAX_LANES: Final = 8  # of which every tree is gone through
MAX_STEPS: Final = 50_000  # sums that are made for it
MAX_RESULTS: Final = 64  # of one execution, of all of its invocations together

_WHOLE: Final = (
    enums.GroupOperationReduce, enums.GroupOperationInclusiveScan, enums.GroupOperationExclusiveScan,
    enums.GroupOperationClusteredReduce,
)  # fmt: skip


def has_orders(instr: Instr) -> bool:
    return traits.GROUP.get(instr.op) == "fold" and traits.COMBINES.get(instr.op) in ("f-add", "f-mul")


def with_orders(
    preparation: Preparation, instr: Instr, function: GroupFunction, literals: list[int]
) -> GroupFunction:
    """`function`, which folds in the order of the invocations, or a choice among all orders where a run asks for it."""
    result = preparation.shape(instr)
    scalar = result.component()
    form = format_of(scalar.width) if scalar.kind == FLOAT_KIND else None
    folded = monoid(instr.op, scalar)
    if form is None or folded is None or not literals:
        return function
    choices = preparation.step_choices
    orders = Orders(folded, traits.COMBINES[instr.op] == "f-mul", form, literals[0])
    exact = literals[0] in _WHOLE and not preparation.floats.concern_group(instr.op)

    def run(out: list[Any], lanes: list[int], columns: list[list[Any]], base: int, size: int) -> None:
        function(out, lanes, columns, base, size)
        if choices.choices is None or choices.choices.script is None or choices.follows_sets:
            return
        parts = orders.parts_of(lanes, columns, base) if exact else []
        ways = orders.ways(parts, columns[0], out)
        if ways is None or not exact:
            choices.open_orders[instr] = None
            more = bounds(lanes, columns[0], form, instr)
            choices.tell(FLOAT, f"{describe(instr)} in the order of the invocations{more}")
            return
        widths = [len(way) for way in ways.values()]
        subgroup = base // size if size == preparation.subgroup_size else SHARED
        if prod(widths) == 1:
            return
        picked = at = choices.settle(prod(widths), subgroup)
        for lane_part, way in ways.items():
            value = way[at % len(way)]
            at //= len(way)
            for lane in lane_part:
                out[lane] = value
        which = "in the order of the invocations" if picked == 0 else f"in another order ({picked})"
        choices.tell(FLOAT, f"{describe(instr)} {which}")

    return run


@final
class Orders:
    """The results of one operation; those of the order of the invocations come first."""

    __slots__ = ("folded", "multiplies", "form", "operation", "steps")

    def __init__(self, folded: Monoid, multiplies: bool, form: Format, operation: int) -> None:
        self.folded = folded
        self.multiplies = multiplies
        self.form = form
        self.operation = operation
        self.steps = 0

    def parts_of(self, lanes: list[int], columns: list[list[Any]], base: int) -> list[list[int]]:
        """The invocations that are folded together."""
        if self.operation != enums.GroupOperationClusteredReduce:
            return [lanes]
        width = columns[1][lanes[0]]
        return clusters(lanes, base, width) if width > 0 else [lanes]

    def ways(
        self, parts: list[list[int]], value: list[Any], first: list[Any]
    ) -> dict[tuple[int, ...], list[Any]] | None:
        """By invocations that have the same: what they may have. None where there is too much to go through."""
        self.steps = 0
        ways: dict[tuple[int, ...], list[Any]] = {}
        for part in parts:
            if self.operation in (enums.GroupOperationReduce, enums.GroupOperationClusteredReduce):
                every = self.results([value[lane] for lane in part], first[part[0]])
                if every is None:
                    return None
                ways[tuple(part)] = every
                continue
            exclusive = self.operation == enums.GroupOperationExclusiveScan
            for at, lane in enumerate(part):
                before = part[: at if exclusive else at + 1]
                every = self.results([value[each] for each in before], first[lane]) if before else [first[lane]]
                if every is None:
                    return None
                ways[(lane,)] = every
        return ways if prod([len(way) for way in ways.values()]) <= MAX_RESULTS else None

    def results(self, values: list[Any], first: Any) -> list[Any] | None:
        """What a list of values may give, `first` first; of vectors, each component for itself."""
        if not isinstance(first, tuple):
            return self.of_scalars(values, first)
        components: list[list[Any]] = []
        for at, own in enumerate(first):
            every = self.of_scalars([value[at] for value in values], own)
            if every is None:
                return None
            components.append(every)
        if prod([len(each) for each in components]) > MAX_RESULTS:
            return None
        return [tuple(each) for each in product(*components)]

    def of_scalars(self, values: list[int], first: int) -> list[int] | None:
        neutral = self.form.one if self.multiplies else 0
        values = [each for each in values if each != neutral]  # what changes no other, whenever it comes
        if len(values) < 3 or always_exact(values, self.form, self.multiplies):
            return [first]
        if len(values) > MAX_LANES:
            return None
        combine = self.folded.combine
        by_set: list[dict[int, None]] = [{} for _ in range(1 << len(values))]
        for at, each in enumerate(values):
            by_set[1 << at][each] = None
        for whole in range(1, len(by_set)):
            part = (whole - 1) & whole
            while part > whole ^ part:  # the part that has the highest
                rest = by_set[whole ^ part]
                self.steps += len(by_set[part]) * len(rest)
                if self.steps > MAX_STEPS:
                    return None
                for one in by_set[part]:
                    for other in rest:
                        by_set[whole][combine(one, other)] = None
                part = (part - 1) & whole
        return list(dict.fromkeys([first, *by_set[-1]]))


def always_exact(values: list[int], form: Format, multiplies: bool) -> bool:
    """Whether no order can show: all are whole numbers, or whole multiples of one fraction, so small that each sum or
    product of some of them is a float."""
    if any(each & (form.sign - 1) >= form.inf for each in values):
        return False
    numbers = [Fraction(form.decode(each)) for each in values]
    unit = max([number.denominator for number in numbers])
    if multiplies:
        return unit == 1 and prod([max(abs(int(number)), 1) for number in numbers]) <= form.hidden
    return sum([abs(number) for number in numbers]) * unit <= form.hidden


def bounds(lanes: list[int], column: list[Any], form: Format, instr: Instr) -> str:
    """What any order of a sum gives, as text: |S - exact| <= (n - 1) u / (1 - (n - 1) u) times the sum of the absolute
    values (Higham, "Accuracy and Stability of Numerical Algorithms", 4.2), where u is how far a rounding in either
    direction is off."""
    if traits.COMBINES[instr.op] != "f-add" or isinstance(column[lanes[0]], tuple):
        return ""
    words: list[int] = [column[lane] for lane in lanes]
    if any(word & (form.sign - 1) >= form.inf for word in words):
        return ""
    numbers = [Fraction(form.decode(word)) for word in words]
    unit = Fraction(1, form.hidden)
    growth = (len(numbers) - 1) * unit
    error = growth / (1 - growth) * sum([abs(number) for number in numbers])
    exact = sum(numbers, Fraction(0))
    return f": any order gives {float(exact - error):.9g} to {float(exact + error):.9g}"
