"""The state of a walk: the regions around it, what each has changed, and the joins that jumps lead to.

    State(parent, condition)    a region that is being walked: `reach` and `changes`, since it began
    Join(state)                 the end of a construct, a label, a return: reach and values of each path that arrives,
                                both relative to the region around it

Reach is kept relative to the region, so that a nest of depth n costs n, not n squared; values that a region doesn't
change are those of the regions around it. A term is narrowed by one region after the other: `constrain` by all
conditions on the path here gives terms that are equal wherever this is reached one number, whatever regions the two
programs have. So what is compared is a reach, and operands narrowed to it.
"""

from typing import Final, final

from reknit.proof.normal_form.events import Run
from reknit.proof.normal_form.reaches import Reaches
from reknit.proof.normal_form.table import Span, overlap

Name = tuple[object, ...]
"""A variable, phi or result of one call: (call, value)."""
Changes = dict[Name, int]
Tokens = tuple[int, ...] | None
"""What splits invocations of equal reach: free choices of switches, ends of constructs without a merge. None: it has no
term outside of the loop that was left."""
Arrival = tuple[int, Changes, Tokens]

NONE: Final = -1


@final
class Exit:
    """What leaves a loop for a join out there, as of the iteration."""

    __slots__ = ("join", "reach", "changes", "tokens")

    def __init__(self, join: "Join", reach: int, changes: Changes, tokens: Tokens) -> None:
        self.join = join
        self.reach = reach
        self.changes = changes
        self.tokens = tokens


@final
class State:
    """`condition`: which invocations enter, of those that reach the construct. `opens`: the loop that this is an
    iteration of."""

    __slots__ = (
        "parent", "condition", "reach", "changes", "read", "narrowed", "opens", "run",
        "entered", "tokens", "seen", "whole", "exits", "span",
    )  # fmt: skip

    def __init__(self, parent: "State | None", condition: int, true: int, run: Run) -> None:
        self.parent = parent
        self.condition = condition
        self.reach = true
        self.changes: Changes = {}
        self.read: Changes = {}  # of variables around it, what they hold where it is entered
        self.narrowed: dict[int, int] = {}  # of terms, what they are where it is entered
        self.opens: Run | None = None
        self.run = run
        self.entered = NONE  # the condition of entering, relative to the iteration, once it is needed
        self.tokens: tuple[int, ...] = parent.tokens if parent is not None else ()
        self.seen = NONE  # `reach` when `reached` was last computed, and its result
        self.whole = NONE
        self.span: Span | None = None  # of all conditions of entering it, once it is needed
        self.exits: list[Exit] = []  # of an iteration, what leaves the loop

    def value(self, name: Name, terms: Reaches) -> int:
        """What a variable holds now; NONE if nothing is known of it."""
        term = self.changes.get(name, NONE)
        if term != NONE:
            return terms.constrain(term, self.reach)
        entered: list[State] = []
        state: State | None = self
        while state is not None:
            term = state.changes.get(name, NONE)
            if term != NONE:
                break
            term = state.read.get(name, NONE)
            if term != NONE:
                break
            entered.append(state)
            state = state.parent
        if state is None:
            return NONE
        term = terms.constrain(term, state.reach)
        for inner in reversed(entered):
            inner.read[name] = term = terms.constrain(term, inner.condition)
            term = terms.constrain(term, inner.reach)
        return term


@final
class Held:
    """A value, and where it was computed."""

    __slots__ = ("term", "state", "run", "reach")

    def __init__(self, term: int, state: State) -> None:
        self.term = term
        self.state = state
        self.run = state.run
        self.reach = state.reach


@final
class Join:
    __slots__ = ("state", "arrivals")

    def __init__(self, state: State) -> None:
        self.state = state
        self.arrivals: list[Arrival] = []


def narrow(term: int, state: State, source: State | None, reach: int, terms: Reaches) -> int:
    """A term as it is for the invocations at `state`. It was computed at `source` with that reach, None if unknown."""
    low, high = terms.span(term)
    if high < 0:
        return term
    original = term
    entered: list[State] = []
    current: State | None = state
    while current is not None:
        around = surroundings(current, terms)
        if not overlap(low, high, min(around[0], terms.lows[current.reach]), max(around[1], terms.tops[current.reach])):
            break
        if current is source:
            if current.reach != reach:
                term = terms.constrain(term, current.reach)
            break
        known = current.narrowed.get(term, NONE)
        if known != NONE:
            term = terms.constrain(known, current.reach)
            break
        entered.append(current)
        current = current.parent
    for inner in reversed(entered):
        inner.narrowed[original] = term = terms.constrain(term, inner.condition)
        term = terms.constrain(term, inner.reach)
    return term


def surroundings(state: State, terms: Reaches) -> Span:
    """The span of all conditions on the path to where a region is entered."""
    chain: list[State] = []
    current: State | None = state
    while current is not None and current.span is None:
        chain.append(current)
        current = current.parent
    for inner in reversed(chain):
        low, high = terms.lows[inner.condition], terms.tops[inner.condition]
        outer = inner.parent
        if outer is not None:
            assert outer.span is not None
            low = min(low, terms.lows[outer.reach], outer.span[0])
            high = max(high, terms.tops[outer.reach], outer.span[1])
        inner.span = (low, high)
    assert state.span is not None
    return state.span


def reached(state: State, terms: Reaches) -> int:
    """The reach of being here, in the iteration of the innermost loop."""
    if state.seen == state.reach:
        return state.whole
    chain: list[State] = []
    current = state
    while current.entered == NONE and current.opens is None and current.parent is not None:
        chain.append(current)
        current = current.parent
    for inner in reversed(chain):
        outer = inner.parent
        assert outer is not None
        before = terms.true if outer.opens is not None or outer.parent is None else outer.entered
        inner.entered = terms.within(terms.within(before, outer.reach), inner.condition)
    begun = terms.true if state.opens is not None or state.parent is None else state.entered
    state.whole = terms.within(begun, state.reach)
    state.seen = state.reach
    return state.whole


def deliver(join: Join, state: State, reach: int, changes: Changes, tokens: Tokens, terms: Reaches) -> None:
    """Send `reach` and `changes` from `state` to `join`; where that leaves a loop, they are kept until its end."""
    while reach != terms.false:
        if state.opens is not None:
            state.exits.append(Exit(join, reach, changes, tokens))
            return
        parent = state.parent
        assert parent is not None
        reach = terms.both(state.condition, reach)
        if parent is join.state:
            join.arrivals.append((reach, changes, tokens))
            return
        reach = terms.both(parent.reach, reach)
        changes = {**parent.changes, **changes}
        state = parent


def take(join: Join, terms: Reaches) -> tuple[int, Changes]:
    """All that arrived at `join`, merged: reach and changes, relative to the region of the join."""
    arrivals = join.arrivals
    join.arrivals = []
    if not arrivals:
        return terms.false, {}
    if len(arrivals) == 1:
        return arrivals[0][0], arrivals[0][1]
    names: dict[Name, None] = {}
    for _, changes, _ in arrivals:
        names.update(dict.fromkeys(changes))
    total = terms.merge([(reach, terms.true) for reach, _, _ in arrivals])[0]
    merged: Changes = {}
    for name in names:
        base = NONE
        values: list[tuple[int, int]] = []
        for reach, changes, _ in arrivals:
            value = changes.get(name, NONE)
            if value == NONE:
                if base == NONE:
                    base = join.state.value(name, terms)
                    base = base if base != NONE else terms.bottom
                value = base
            values.append((reach, value))
        merged[name] = terms.merge(values)[1] if any(value != values[0][1] for _, value in values) else values[0][1]
    return total, merged
