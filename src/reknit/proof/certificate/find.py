"""A certificate for two programs: both side by side, with what is equal where paths meet again.

Optimistic: what comes to a pair of steps first says what holds there; what comes later splits what is not equal for it,
and the paths from there are followed again, until nothing is split. The result is checked like any other.
"""

from typing import Final, final

from reknit.ir.function import Function
from reknit.ir.instr import Instr
from reknit.ir.module import Module
from reknit.proof.certificate.check import Broken, Checker, Pair, check
from reknit.proof.certificate.follow import Count, State, shape
from reknit.proof.certificate.live import Live
from reknit.proof.certificate.steps import NONE, Rejected, name_of
from reknit.source.meter import spend

MAX_PAIRS: Final = 20_000
MAX_STEPS: Final = 10_000_000
MAX_TRIES: Final = 30

Arrival = tuple[Pair | None, int]


@final
class Meeting:
    """A pair of steps: what comes there, from which pair, on which path. Where paths have `met`: what holds."""

    def __init__(self, pair: Pair) -> None:
        self.pair = pair
        self.arrivals: dict[Arrival, State] = {}
        self.met = False
        self.classes: dict[int, int] = {}
        self.constants: dict[int, int] = {}
        self.again: list[int] = []
        self.rounds: dict[int, Count | None] = {}
        self.rounds_lost = 0

    def said(self) -> tuple[object, ...]:
        return dict(self.classes), dict(self.constants), list(self.again), dict(self.rounds)


def find(modules: list[Module], entries: list[Function]) -> tuple[list[str], str]:
    """The lines of a certificate that holds, or why there is none."""
    reason = ""
    for waits in (True, False):
        try:
            lines = Finder(modules, entries, waits).run()
            check(modules, entries, lines, 1)
            return lines, ""
        except Rejected as rejected:
            reason = reason or str(rejected)
        except Broken as broken:
            reason = reason or broken.reason
    return [], reason


@final
class Finder:
    def __init__(self, modules: list[Module], entries: list[Function], waits: bool = True) -> None:
        self.checker = Checker(1)
        self.checker.read_programs(modules, entries)
        self.steps = self.checker.steps
        self.terms = self.checker.terms
        self.follower = self.checker.follower
        shapes = [shape(self.steps.nodes[fork]) for fork in self.steps.open_forks if fork < self.steps.split]
        for fork in self.steps.open_forks if waits else ():
            if fork >= self.steps.split and shape(self.steps.nodes[fork]) in shapes:
                self.follower.waits[fork] = None
        self.live = Live(self.steps, self.follower)
        self.meetings: dict[Pair, Meeting] = {}
        self.targets: dict[Pair | None, dict[Pair, None]] = {}

    def run(self) -> list[str]:
        self.follower.budget = MAX_STEPS
        work: dict[Pair, None] = {}
        self.arrive(None, [self.follower.start()], work)
        rounds = 0
        while work:
            spend(1)
            rounds += 1
            if rounds > MAX_PAIRS:
                raise Rejected("too many pairs of steps")
            pair = next(iter(work))
            del work[pair]
            if self.meetings[pair].arrivals:
                self.go_on(self.meetings[pair], work)
        return self.written()

    def stops(self, state: State) -> list[str]:
        return [self.follower.run(state, side) for side in (0, 1)]

    def go_on(self, meeting: Meeting, work: dict[Pair, None]) -> None:
        """Follow all paths from a pair to the next one."""
        try:
            state = self.state_at(meeting)
            following = self.follower.next(state, self.stops(state))
        except Rejected:
            following = []  # what is said there may still change; where it doesn't, the last look says why
        self.arrive(meeting.pair, following, work)

    def arrive(self, source: Pair | None, following: list[State], work: dict[Pair, None]) -> None:
        arrivals: dict[Pair, dict[Arrival, State]] = {}
        for number, state in enumerate(following):
            try:
                self.stops(state)
            except Rejected:
                continue
            arrivals.setdefault((state.at[0], state.at[1]), {})[source, number] = state
        for pair in self.targets.get(source, {}):
            meeting = self.meetings[pair]
            for each in [each for each in meeting.arrivals if each[0] == source and each not in arrivals.get(pair, {})]:
                del meeting.arrivals[each]
        self.targets[source] = dict.fromkeys(arrivals)
        for pair, states in arrivals.items():
            if self.meet(self.meetings.setdefault(pair, Meeting(pair)), states):
                work[pair] = None

    def meet(self, meeting: Meeting, states: dict[Arrival, State]) -> bool:
        """Whether what holds there is another now."""
        old = {each: meeting.arrivals.get(each) for each in states}
        meeting.arrivals.update(states)
        if len(meeting.arrivals) == 1 and not meeting.met:
            ((each, now),) = states.items()
            before = old[each]
            return before is None or (before.values, before.rounds, before.known, before.others) != (
                now.values, now.rounds, now.known, now.others,
            )  # fmt: skip
        said = meeting.said() if meeting.met else None
        self.merge(meeting)
        meeting.met = True
        return said != meeting.said()

    def merge(self, meeting: Meeting) -> None:
        """What all invocations that come there have: values that are equal, or are numbers."""
        states = list(meeting.arrivals.values())
        groups: dict[tuple[int, ...], int] = {}
        classes: dict[int, int] = {}
        constants: dict[int, int] = {}
        again: list[int] = []
        for at in [each for step in meeting.pair for each in self.live.at(step)]:
            values = [state.values.get(at, NONE) for state in states]
            if NONE in values:
                continue
            bits = self.terms.bits.get(values[0])
            was_constant = not meeting.met or at in meeting.constants
            if bits is not None and was_constant and all(value == values[0] for value in values):
                constants[at] = bits
                continue
            old = meeting.classes.get(at, NONE) if at not in meeting.constants else -2
            leader = groups.setdefault((old, *values), at)
            classes[at] = self.terms.make(f"met {meeting.pair} {leader}")
        named = {term for at, term in classes.items() if not self.live.follows(at)}
        for at in list(classes):
            if self.live.follows(at) and classes[at] not in named:
                del classes[at]
                again.append(at)
        meeting.classes, meeting.constants, meeting.again = classes, constants, again
        for head in self.steps.around[meeting.pair[0]][0]:
            meeting.rounds[head] = self.counted(meeting, head, states)

    def counted(self, meeting: Meeting, head: int, states: list[State]) -> Count | None:
        """How often a loop of the first program went round, by how often one of the second has."""
        states = [state for state in states if head in state.rounds]  # of others it is known when of these
        now = [state.rounds[head] for state in states]
        kept = meeting.rounds.get(head)
        if not now or meeting.rounds_lost > MAX_TRIES:
            return None
        tries = [kept, now[0]]
        for loop in self.steps.around[meeting.pair[1]][0]:
            for state, count in zip(states, now, strict=True):
                if count[0] == loop and state.rounds[loop][0] == loop:
                    tries.append((loop, count[1], count[2] - count[1] * state.rounds[loop][2]))
            pairs = [
                (state.rounds[loop][2], count[2])
                for state, count in zip(states, now, strict=True)
                if count[0] == NONE and state.rounds[loop][0] == NONE
            ]
            slopes = [(theirs - pairs[0][0], mine - pairs[0][1]) for theirs, mine in pairs[1:]]
            if kept is not None and kept[0] == NONE:
                slopes += [
                    (state.rounds[loop][2], count[2] - kept[2])
                    for state, count in zip(states, now, strict=True)
                    if count[0] == NONE and state.rounds[loop][0] == loop
                ]
            for theirs, mine in slopes:
                if pairs and theirs and mine % theirs == 0 and mine // theirs > 0:
                    times = mine // theirs
                    tries.append((loop, times, pairs[0][1] - times * pairs[0][0]))
        for tried in tries:
            if tried is not None and all(self.agrees(state, head, tried, kept) for state in states):
                return tried
        meeting.rounds_lost += 1
        return None

    def agrees(self, state: State, head: int, count: Count, kept: Count | None) -> bool:
        loop, times, number = count
        if loop == NONE:
            return state.rounds[head] == count
        other = state.rounds.get(loop)
        if other is not None and other[0] == loop and state.rounds[head][0] == NONE and kept is not None:
            return kept[0] == NONE and state.rounds[head][2] - kept[2] == times * other[2]  # from before it was known
        return other is not None and state.rounds[head] == (other[0], times * other[1], times * other[2] + number)

    def state_at(self, meeting: Meeting) -> State:
        if not meeting.met:
            (state,) = meeting.arrivals.values()
            return State(state)
        state = State()
        state.at = list(meeting.pair)
        for at, bits in meeting.constants.items():
            state.values[at] = self.terms.number(self.checker.type_of(at), bits)
        state.values.update(meeting.classes)
        for at in meeting.again:
            instr = self.steps.nodes[at]
            assert isinstance(instr, Instr)
            state.values[at] = self.follower.evaluate(state, at, instr)
        state.rounds = {head: count for head, count in meeting.rounds.items() if count is not None}
        state.rounds.update({head: (head, 1, 0) for head in self.steps.around[meeting.pair[1]][0]})
        return state

    # --- text ---------------------------------------------------------------------------------------------------------

    def written(self) -> list[str]:
        """The lines for pairs where paths meet; and what is done together on a last look at all paths."""
        lines: list[str] = []
        name = self.steps.name
        for pair in self.reached():
            meeting = self.meetings[pair]
            if not meeting.met:
                continue
            lines.append(f"at {name(pair[0])} {name(pair[1])}")
            for loop, count in meeting.rounds.items():
                if count is not None:
                    times = f" {count[1]} {name(count[0])}" if count[1] else ""
                    lines.append(f"loop {name(loop)} {count[2]}{times}")
            classes: dict[tuple[bool, int], list[int]] = {}
            for at, bits in meeting.constants.items():
                classes.setdefault((True, bits), []).append(at)
            for at, term in meeting.classes.items():
                classes.setdefault((False, term), []).append(at)
            for (is_number, bits), places in classes.items():
                names = " ".join([name(at) for at in places])
                lines.append(f"equal {f'={bits} ' if is_number else ''}{names}")
            if meeting.again:
                lines.append(" ".join(["again", *[name(at) for at in meeting.again]]))
        for before, after in dict.fromkeys([visit[:2] for visit in self.follower.visits if visit[1] != NONE]):
            node = self.steps.nodes[before]
            lines.append(f"same {name(before)} {name(after)} {name_of(node)}")
        return lines

    def reached(self) -> list[Pair]:
        """Follow all paths once more, with what holds now; the pairs, those first from which the second program gets to
        others while the first one stands still."""
        self.follower.visits.clear()
        reached: dict[Pair, None] = {}
        leading: dict[Pair, dict[Pair, None]] = {}
        first = [pair for pair, meeting in self.meetings.items() if (None, 0) in meeting.arrivals]
        work = [(pair, pair) for pair in first]
        while work:
            spend(1)
            pair, source = work.pop()
            if pair in reached:
                continue
            reached[pair] = None
            if pair not in self.meetings or not self.meetings[pair].arrivals:
                raise Rejected("what is equal where paths meet changes each time that it is looked at")
            source = pair if self.meetings[pair].met else source
            state = self.state_at(self.meetings[pair])
            for other in self.follower.next(state, self.stops(state)):
                self.stops(other)
                target = (other.at[0], other.at[1])
                work.append((target, source))
                if not other.moved and target in self.meetings and self.meetings[target].met:
                    leading.setdefault(source, {})[target] = None
        ordered: dict[Pair, None] = {}
        for pair in reversed(reached):
            path = [pair]
            while path:
                following = [each for each in leading.pop(path[-1], {}) if each not in ordered]
                path.extend(following)
                if not following:
                    ordered[path.pop()] = None
        return list(reversed(ordered))
