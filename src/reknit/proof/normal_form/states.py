"""The state of a walk: the regions around it, what each has changed, and the joins that jumps lead to.

    State(parent, condition)    a region that is being walked: `reach` and `changes`, since it began
    Join(state)                 the end of a construct, a label, a return: reach and values of each path that arrives,
                                both relative to the region around it

Reach is kept relative to the region, so that a nest of depth n costs n, not n squared; values that a region doesn't
change are those of the regions around it.
"""

from typing import Final, final

from reknit.proof.normal_form.diagrams import Diagrams
from reknit.proof.normal_form.events import Run

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

    __slots__ = ("join", "reach", "changes")

    def __init__(self, join: "Join", reach: int, changes: Changes) -> None:
        self.join = join
        self.reach = reach
        self.changes = changes


@final
class State:
    """`condition`: which invocations enter, of those that reach the construct. `opens`: the loop that this is an
    iteration of."""

    __slots__ = (
        "parent", "condition", "reach", "changes", "read", "opens", "run",
        "entered", "tokens", "seen", "whole", "exits",
    )  # fmt: skip

    def __init__(self, parent: "State | None", condition: int, true: int, run: Run) -> None:
        self.parent = parent
        self.condition = condition
        self.reach = true
        self.changes: Changes = {}
        self.read: Changes = {}
        self.opens: Run | None = None
        self.run = run
        self.entered = NONE  # the condition of entering, relative to the iteration, once it is needed
        self.tokens: tuple[int, ...] = parent.tokens if parent is not None else ()
        self.seen = NONE  # `reach` when `reached` was last computed, and its result
        self.whole = NONE
        self.exits: list[Exit] = []  # of an iteration, what leaves the loop

    def value(self, name: Name) -> int:
        """What a variable holds now; NONE if nothing is known of it."""
        term = self.changes.get(name, NONE)
        if term != NONE:
            return term
        term = self.read.get(name, NONE)
        state = self.parent
        while term == NONE and state is not None:
            term = state.changes.get(name, NONE)
            if term == NONE:
                term = state.read.get(name, NONE)
            state = state.parent
        if term != NONE:
            self.read[name] = term
        return term


@final
class Join:
    __slots__ = ("state", "arrivals")

    def __init__(self, state: State) -> None:
        self.state = state
        self.arrivals: list[Arrival] = []


def reached(state: State, terms: Diagrams) -> int:
    """The condition of being here, relative to the iteration of the innermost loop."""
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
        inner.entered = terms.both(terms.both(before, outer.reach), inner.condition)
    begun = terms.true if state.opens is not None or state.parent is None else state.entered
    state.whole = terms.both(begun, state.reach)
    state.seen = state.reach
    return state.whole


def deliver(join: Join, state: State, reach: int, changes: Changes, terms: Diagrams, left_loop: bool = False) -> None:
    """Send `reach` and `changes` from `state` to `join`; where that leaves a loop, they are kept until its end."""
    tokens: Tokens = state.tokens if not left_loop else None
    while reach != terms.false:
        if state.opens is not None:
            state.exits.append(Exit(join, reach, changes))
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


def take(join: Join, terms: Diagrams) -> tuple[int, Changes]:
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
                    base = join.state.value(name)
                    base = base if base != NONE else terms.bottom
                value = base
            values.append((reach, value))
        merged[name] = terms.merge(values)[1] if any(value != values[0][1] for _, value in values) else values[0][1]
    return total, merged
