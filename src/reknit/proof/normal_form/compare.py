"""Two programs: walked under common assumptions until these hold, then compared.

    walk both ──▶ did an assumption fall?  ──yes──▶ begin the partition anew
                  are there more classes?  ──yes──▶ walk again, with the finer ones
                  no ──▶ judge: are the effects the same set?

The first program may choose what it leaves open. First nothing is chosen; then, that invocations meet at the labels of
those switches whose choice the second program doesn't have; then, that results which may differ from copy to copy are
one. Where a loop of one program has no partner in the other, iterations are walked by themselves (`peeling`).
"""

from collections.abc import Callable
from typing import final

from reknit.analysis.aliasing import Aliasing
from reknit.ir.dispatch import has_dispatch
from reknit.ir.function import Function
from reknit.ir.module import Module
from reknit.ir.tree import Loop
from reknit.ir.value import Value
from reknit.proof.normal_form.assumptions import Assumptions, LoopKey, Slot, SplitKey, SwitchKey
from reknit.proof.normal_form.decorations import Decorations
from reknit.proof.normal_form.frames import traversals_of
from reknit.proof.normal_form.gaps import gaps
from reknit.proof.normal_form.iterations import Iterations
from reknit.proof.normal_form.judge import Finding, judge
from reknit.proof.normal_form.kinds import Kinds
from reknit.proof.normal_form.not_decided import NotDecided
from reknit.proof.normal_form.peeling import Nest, Plan, plans
from reknit.proof.normal_form.program import Program
from reknit.proof.normal_form.rearranged import Rearranged, may_rearrange
from reknit.proof.normal_form.summaries import MAX_FOLLOWED, can_stand_alone, pairs, tied
from reknit.proof.normal_form.table import MAX_RANKS, Key, TooLarge, Unsplit
from reknit.proof.normal_form.traversal import MAX_STEPS, Traversal
from reknit.proof.normal_form.unwritten import Unwritten
from reknit.proof.normal_form.walk import Walk
from reknit.proof.normal_form.workgroups import size_of_workgroup

Ask = Callable[[Iterations, int, int, int], bool]
"""Whether two terms are equal wherever a reach holds."""

MAX_ASKED = 200
MAX_ROUNDS = 60
MAX_ATTEMPTS = 6
MAX_REJOINED = 24
_FIRST_CLASS = 1_000_000


def compare(
    before: Module, first: Function, after: Module, other: Function, is_weak: bool = False, ask: Ask | None = None
) -> Finding:
    """Whether `other`, an entry point of `after`, refines `first` for every input; where not, the first place at which
    they differ. Both are judged by the rules of maximal reconvergence, or with `is_weak` by ones that promise less.
    `ask` is asked about terms that differ."""
    return _decided(lambda: _Comparison(before, first, after, other, is_weak, ask).run())


def _decided(work: Callable[[], Finding]) -> Finding:
    try:
        return work()
    except NotDecided as reason:
        return Finding(reason.reason, reason.place, None)
    except TooLarge as cap:
        return Finding(str(cap), None, None)
    except Unsplit:
        return Finding("a value is not followed part by part, as its type is", None, None)


@final
class _Comparison:
    __slots__ = (
        "before", "after", "first", "other", "decorations", "kinds", "traversals", "summaries", "apart", "fresh",
        "is_weak", "is_free", "ask", "asked", "unwritten", "relaxes", "aliasing", "rearranges", "may_rearrange",
        "rejoined",
    )  # fmt: skip

    def __init__(
        self, before: Module, first: Function, after: Module, other: Function, is_weak: bool, ask: Ask | None,
        whole: "_Comparison | None" = None,
    ) -> None:  # fmt: skip
        """`whole`: the comparison that two functions are a part of."""
        self.is_weak = is_weak
        self.is_free = False
        self.rearranges = False
        self.rejoined: dict[SplitKey, None] = {}
        self.may_rearrange: bool = (
            may_rearrange(before) and may_rearrange(after) if whole is None else whole.may_rearrange
        )
        self.ask = ask
        self.asked = 0
        self.relaxes = False
        self.before = before
        self.after = after
        self.first = first
        self.other = other
        self.summaries: tuple[dict[Function, int], dict[Function, int]] = ({}, {})
        if whole is None:
            self.decorations = (Decorations(before), Decorations(after))
            self.kinds = Kinds()
            self.kinds.read(before, self.decorations[0])
            self.kinds.read(after, self.decorations[1])
            self.unwritten = Unwritten((before, after), self.decorations)
            self.aliasing = (Aliasing(before), Aliasing(after))
        else:
            self.decorations = whole.decorations
            self.unwritten = whole.unwritten
            self.aliasing = whole.aliasing
            self.kinds = whole.kinds
            self.summaries = whole.summaries
        self.traversals = self._traversals()
        self.apart: list[Finding] = []  # of functions that were proved by themselves
        self.fresh = _FIRST_CLASS

    def _traversals(self) -> tuple[dict[Function, Traversal], dict[Function, Traversal]]:
        mine, theirs = self.summaries
        return traversals_of(self.first, self.before, mine), traversals_of(self.other, self.after, theirs)

    def summarize(self) -> None:
        """Prove large functions by themselves, so that calls of them need not be followed; what is not proved of one
        is the last of `apart`."""
        mine, theirs = self.traversals
        depending = {**tied(mine, self.before), **tied(theirs, self.after)}
        for first, other in pairs(mine, theirs):
            if first is self.first or first in depending or other in depending:
                continue
            if not can_stand_alone(first, other, self.kinds):
                continue
            self.apart.append(self._alone(first, other))
            if not self.apart[-1].proved:
                return
            self.summaries[0][first] = self.summaries[1][other] = len(self.apart)
        self.traversals = self._traversals()

    def _alone(self, first: Function, other: Function) -> Finding:
        """What is found of two functions, for all arguments."""
        before, after = self.before, self.after
        return _decided(lambda: _Comparison(before, first, after, other, self.is_weak, self.ask, self).planned())

    def run(self) -> Finding:
        sizes = [
            size_of_workgroup(self.before, self.first, self.decorations[0]),
            size_of_workgroup(self.after, self.other, self.decorations[1]),
        ]
        if sizes[0] != sizes[1]:
            return Finding("the size of a workgroup is declared otherwise", None, None)
        if max(self.traversals[0][self.first].size, self.traversals[1][self.other].size) > MAX_FOLLOWED:
            self.summarize()
            if self.apart and not self.apart[-1].proved:
                return self.apart[-1]
        finding = self.planned()
        for each in self.apart:
            finding.add(each)
        return finding

    def planned(self) -> Finding:
        """Compare the two as they are, then with iterations of loops that don't correspond walked by themselves."""
        if max(self.traversals[0][self.first].size, self.traversals[1][self.other].size) > MAX_RANKS:
            raise NotDecided(f"more than {MAX_STEPS} blocks and constructs, calls followed", self.first)
        none: dict[Loop, int] = {}
        plan = Plan(none, False, {})
        plain = self.attempt((plan, plan))
        if plain.proved:
            return plain
        is_undefined = plain.undefined
        tries: list[tuple[tuple[Plan, Plan], Ask | None, bool, bool]] = []
        if is_undefined:
            tries.append(((plan, plan), None, True, False))
        if self.may_rearrange:
            tries.append(((plan, plan), None, False, True))
        if not plain.loops_correspond:
            tries.extend([(pair, None, False, False) for pair in self.plans()])
        if self.ask is not None:
            tries.append(((plan, plan), self.ask, False, False))
        if self.may_rearrange:
            tries.extend([(pair, None, is_free, True) for pair, ask, is_free, _ in tries if ask is None])
        has_floats = True
        for number, (pair, ask, self.is_free, self.rearranges) in enumerate(tries):
            is_known = (pair, ask, self.is_free, self.rearranges) in tries[:number]
            if is_known or (self.rearranges and not has_floats):
                continue
            try:
                finding = self.attempt(pair, ask)
            except (NotDecided, TooLarge):
                continue
            if finding.proved:
                return finding
            if self.rearranges:
                has_floats = finding.rearranged
        return plain

    def plans(self) -> list[tuple[Plan, Plan]]:
        """How to walk loops that don't correspond as they are."""
        return plans(Nest(self.traversals[0]), Nest(self.traversals[1]))

    def attempt(self, plans: tuple[Plan, Plan], ask: Ask | None = None) -> Finding:
        """With iterations walked as planned. `ask` is asked about what differs."""
        meeting: dict[SwitchKey, None] = {}
        united = False
        self.rejoined = {}
        assumptions = Assumptions()
        assumptions.has_tags = has_dispatch(self.before) or has_dispatch(self.after)
        first: Finding | None = None
        for _ in range(MAX_REJOINED if self.is_weak else MAX_ATTEMPTS):
            mine, theirs, rounds = self.fixed_point(plans, assumptions, meeting, united, ask)
            finding = judge(mine, theirs)
            finding.rounds = rounds
            finding.shown = sum([len(known) for known in theirs.terms.same.values()])
            finding.walked = mine.walked + theirs.walked
            finding.undefined = mine.met_undefined or theirs.met_undefined
            rearranged = theirs.terms.rearranged
            finding.rearranged = rearranged is not None and any(rearranged.ways)
            if finding.proved and rearranged is not None and rearranged.apart():
                finding.reason = "after evaluates a float expression in more ways than before, which may differ"
            finding.loops_correspond = _loops(mine) == _loops(theirs)
            open = [] if self.relaxes or not finding.proved else _truncated(mine, theirs)
            if open:
                return self.relaxed(plans, ask, open[0])
            if finding.proved:
                finding.met = len(meeting)
                finding.rejoined = len(self.rejoined)
                return finding
            first = first if first is not None else finding
            if self.is_weak:
                # Else what is chosen for the first program is what the second one has, operation by operation.
                joining = self.joining(mine, theirs)
                if not joining:
                    break
                self.rejoined.update(joining)
                assumptions = Assumptions(assumptions)
                continue
            lost = self.lost(mine, theirs)
            if lost:
                meeting = {**meeting, **lost}
            elif not united and mine.copied:
                united = True
            else:
                break
            assumptions = Assumptions(assumptions)
        assert first is not None
        return finding if meeting else first

    def relaxed(self, plans: tuple[Plan, Plan], ask: Ask | None, source: Value) -> Finding:
        """Once more, where all but RelaxedPrecision is the same: what it truncates is another term in both."""
        self.relaxes = True
        finding = self.attempt(plans, ask)
        self.relaxes = False
        return finding if finding.proved else Finding("RelaxedPrecision may truncate more values after", None, source)

    def lost(self, mine: Walk, theirs: Walk) -> dict[SwitchKey, None]:
        """The switches of the first program that have a choice which the second one hasn't."""
        kept = set(theirs.chosen().values())
        return {switch: None for switch, choice in mine.chosen().items() if choice not in kept}

    def joining(self, mine: Walk, theirs: Walk) -> dict[SplitKey, None]:
        """The outermost constructs of the first program that split invocations where the second one has no construct
        that does: "may be united" is one of the first one's choices, wherever invocations come to one instruction."""
        lost = [
            key
            for token, (key, around) in mine.splits.items()
            if token not in theirs.splits and all(each not in mine.splits or each in theirs.splits for each in around)
        ]
        return {key: None for key in lost if key not in self.rejoined}

    def fixed_point(
        self,
        plans: tuple[Plan, Plan],
        assumptions: Assumptions,
        meeting: dict[SwitchKey, None],
        united: bool,
        ask: Ask | None,
    ) -> tuple[Walk, Walk, int]:
        """Walk both until nothing falls and nothing splits."""
        terms = Iterations(self.kinds)
        terms.rearranged = Rearranged(terms) if self.rearranges else None
        traversals, decorations = self.traversals, self.decorations
        mine = Program(terms, self.before, decorations[0], traversals[0], self.first, False, plans[0], assumptions)
        theirs = Program(terms, self.after, decorations[1], traversals[1], self.other, True, plans[1], assumptions)
        mine.unwritten = theirs.unwritten = self.unwritten
        mine.aliasing, theirs.aliasing = self.aliasing
        mine.meeting = meeting
        mine.united = united
        mine.is_weak = theirs.is_weak = self.is_weak
        mine.rejoined = self.rejoined
        mine.relaxes = theirs.relaxes = self.relaxes
        mine.is_free = theirs.is_free = self.is_free
        mine.summaries, theirs.summaries = self.summaries
        for number in range(1, MAX_ROUNDS + 1):
            refuted = assumptions.refuted()
            kept = len(terms.rearranged.kept) if terms.rearranged is not None else 0
            walks = (Walk(mine), Walk(theirs))
            if terms.rearranged is not None and len(terms.rearranged.kept) > kept:
                continue
            if assumptions.refuted() != refuted:
                assumptions.loops = {}
                assumptions.values = {}
                continue
            if ask is not None and self.learn(walks, ask):
                continue
            classes = assumptions.classes()
            self.split(assumptions, walks)
            if assumptions.classes() == classes:
                return walks[0], walks[1], number
        raise NotDecided("loops whose classes reach no fixed point")

    def learn(self, walks: tuple[Walk, Walk], ask: Ask) -> bool:
        """Ask whether terms in which the two differ are equal, and note those that are."""
        terms = walks[1].terms
        learned = False
        for reach, first, other in gaps(walks[0], walks[1]):
            for where in dict.fromkeys((terms.true, reach)):
                if (where, first, other) in terms.asked or self.asked == MAX_ASKED:
                    continue
                terms.asked[where, first, other] = None
                self.asked += 1
                if ask(terms, where, first, other):
                    terms.note_same(where, first, other)
                    learned = True
                    break
        return learned

    def split(self, assumptions: Assumptions, walks: tuple[Walk, Walk]) -> None:
        """Split the classes of what turned out to differ."""
        loops: dict[tuple[Key, int], int] = {}
        values: dict[tuple[int, int, int, int], int] = {}
        numbers: dict[LoopKey, int] = {}
        finer: dict[tuple[LoopKey, Slot], int] = {}
        for walk in walks:
            for key, signature in sorted(walk.signatures.items(), key=lambda item: item[1].depth):
                outer = numbers[signature.parent] if signature.parent is not None else -1
                self.fresh += 1
                numbers[key] = loops.setdefault((signature.key, outer), self.fresh)
                for slot, (first, following) in signature.carried.items():
                    self.fresh += 1
                    old = assumptions.values.get((key, slot), -1)
                    finer[key, slot] = values.setdefault((numbers[key], old, first, following), self.fresh)
        assumptions.loops = numbers
        assumptions.values = finer


def _truncated(before: Walk, after: Walk) -> list[Value]:
    """Where RelaxedPrecision may truncate a value after that no instruction before truncates, or that comes from some
    place before where nothing is said of it."""
    open: list[Value] = []
    for term, source in after.loosened.items():
        wholes = after.terms.wholes(term)
        covered = any(each in before.loosened for each in wholes) and not after.terms.is_constant(term)
        if not covered or any(each in before.precise for each in wholes):
            open.append(source)
    return open


def _loops(walk: Walk) -> set[int]:
    """The classes of its loops."""
    return {signature.loop for signature in walk.signatures.values()}
