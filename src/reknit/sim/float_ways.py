"""What a float operation may give, gone through one by one where there are few ways.

    FAdd 2^24, 1        2^24 | 2^24 + 2           either neighbour of the exact sum
    FMul 2^-126, 0.5    2^-127 | 0 | -0           flushed, or not
    FMul -1, 0          -0 | 0                    the sign of a zero, without SignedZeroInfNanPreserve
    FMul, then FAdd     rounded twice | once      fused, without NoContraction

Each component of each invocation has its own: no sentence makes one do as another. A first run counts the ways; where
there are more than MAX_WAYS together, or where an operation has no few words (`ops.float_sets`), none are gone
through, and the bounds say what the results may be (`float_bounds`). What is gone through closes its row of the ledger
of freedoms; contraction alone does not, since operations may be rearranged in other ways, too.
"""

from fractions import Fraction
from itertools import product
from math import prod
from typing import Any, final

from reknit.ir import op
from reknit.ir.instr import Instr
from reknit.sim.budget import MAX_COUNTED, MAX_WAYS
from reknit.sim.faults import describe
from reknit.sim.kernel import Step
from reknit.sim.ops import float_sets
from reknit.sim.registers import as_column
from reknit.sim.run import Program
from reknit.sim.shadow.bounds import REARRANGED, Bounds, Components, FromInts, Own, function_of, rows_of, values_in
from reknit.sim.shadow.shapes import part_of
from reknit.sim.shadow.state import Tracker
from reknit.sim.step_choices import COUNTED, FLOAT, TAKEN
from reknit.sim.unwritten import Unwritten


@final
class FloatWays:
    """Wraps the steps of what may have several results."""

    __slots__ = ("program", "bounds", "wrapped", "work")

    def __init__(self, program: Program) -> None:
        self.program = program
        preparation = program.preparation
        unwritten = Unwritten(preparation.faults, False, False, preparation.lanes)
        tracker = Tracker(preparation, unwritten)  # of words alone: nothing is tracked by it
        self.bounds = Bounds(tracker, function_of(program.point))
        self.wrapped = 0
        self.work = 0
        for block in program.code if not self.bounds.given_up else []:
            for at, instr in enumerate(block.instrs):
                own = self.own_of(instr)
                if own is not None:
                    block.steps[at] = self.with_ways(block.steps[at], instr, own)
                    self.wrapped += 1

    def own_of(self, instr: Instr) -> Own | None:
        """The rule of an operation whose words are few, if the results of one invocation are its own."""
        if not rows_of(instr) or not instr.has_result:
            return None
        own = self.bounds.own_rule(instr, self.program.preparation.subgroup_size)
        if isinstance(own, Components | FromInts):
            return None if isinstance(own, Components) and own.contracted else own
        if instr.op in (op.FAdd, op.FSub) and self.bounds.together(instr) == REARRANGED:
            return Fused.of_sum(self.bounds, instr)
        return None

    def with_ways(self, step: Step, instr: Instr, own: Own) -> Step:
        choices = self.program.preparation.step_choices
        register = self.program.preparation.register(instr)
        column = own.column
        closes = not isinstance(own, Fused)

        def run(lanes: list[int]) -> None:
            step(lanes)
            choices.settled = None
            if not choices.float_ways or not lanes or choices.float_count > MAX_WAYS:
                return
            self.work += len(lanes)
            if choices.float_ways == COUNTED and self.work > MAX_COUNTED:
                choices.float_count = MAX_WAYS + 1
                return
            ways = [self.ways(own.of(lane), column[lane]) for lane in lanes]
            widths = [len(each) for each in ways]
            count = prod(widths)
            if count == 1:
                return
            choices.float_count *= count if all(widths) else MAX_WAYS + 1
            if choices.float_ways != TAKEN or choices.float_count > MAX_WAYS or not count:
                return
            choices.settled = instr if closes else None
            picked = at = choices.settle(count)
            for lane, each in zip(lanes, ways, strict=True):
                column[lane] = each[at % len(each)]
                at //= len(each)
            if register is not None:
                register.take(as_column(lanes))
            if picked:
                choices.tell(FLOAT, f"{describe(instr)} gives another allowed result ({picked} of {count - 1})")

        return run

    def ways(self, shadow: Any, value: Any) -> list[Any]:
        """The values that a shadow of sets stands for, that of the simulator first; [] where they are not few."""
        if shadow == 0:
            return [value]
        if isinstance(value, tuple):
            parts = [self.ways(part_of(shadow, at), value[at]) for at in range(len(value))]
            return [tuple(each) for each in product(*parts)] if prod(map(len, parts)) <= MAX_WAYS else []
        bound = self.bounds.tracker.sources[shadow - 1].bound
        if bound is None or bound.nan or not bound.words:
            return []
        return list(dict.fromkeys([value, *bound.words]))


@final
class Fused(Own):
    """A product that is added: the sum, rounded, of the product that was rounded, or of the exact one."""

    __slots__ = ("rounded", "left", "right", "negates")

    def __init__(self, bounds: Bounds, instr: Instr, rounded: Components) -> None:
        super().__init__(bounds, instr)
        self.rounded = rounded
        self.left = self.exact_of(instr.operands[0])
        self.right = self.exact_of(instr.operands[1])
        self.negates = instr.op == op.FSub

    @staticmethod
    def of_sum(bounds: Bounds, instr: Instr) -> "Fused | None":
        rounded = bounds.components(instr)
        if rounded is None or not any(isinstance(each, Instr) and each.op == op.FMul for each in instr.operands):
            return None
        return Fused(bounds, instr, rounded)

    def exact_of(self, value: object) -> list[Any]:
        """The operands of a product, else nothing."""
        if not isinstance(value, Instr) or value.op != op.FMul or self.bounds.is_kept_apart(value):
            return []
        return [self.operand(each) for each in values_in(value.operands)]

    def of(self, lane: int) -> Any:
        return self.nested(lane, self.column[lane], self.rounded.of(lane), ())

    def nested(self, lane: int, value: Any, shadow: Any, path: tuple[int, ...]) -> Any:
        if isinstance(value, tuple):
            parts = [self.nested(lane, value[at], part_of(shadow, at), (*path, at)) for at in range(len(value))]
            return tuple(parts)
        form = self.env.form
        given = self.bounds.set_of(value, shadow, form)
        sets = [given]
        for products in ([self.left], [self.right]) if self.left or self.right else ():
            terms: list[Fraction] = []
            for at, factors in enumerate((self.left, self.right)):
                words = [self.word(each, lane, path) for each in factors if [factors] == products]
                if not words:
                    words = [self.word(self.rounded.operands[at], lane, path)]
                if any(float_sets.is_special(word, form) for word in words):
                    return shadow
                term = prod(float_sets.numbers_of(words, form), start=Fraction(1))
                terms.append(-term if at and self.negates else term)
            sets.append(float_sets.rounded(terms[0] + terms[1], 0, self.env))
        known = [each for each in sets if each is not None]
        return self.number(float_sets.joined(known) if len(known) == len(sets) else None, value)

    def word(self, operand: Any, lane: int, path: tuple[int, ...]) -> int:
        value = operand.column[lane]
        for index in path:
            value = value[index]
        word: int = value
        return word
