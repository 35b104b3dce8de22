"""Where a walk is: the regions around it, what each has changed, and the joins that jumps lead to.

    Place(parent, cond)         a region that is being walked; `reach` and `changes` say what happened since it began
    Join(place)                 the end of a construct, a label, a return: which arrive, and with which values, both as
                                seen from the region around it

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
"""What splits those that are here beyond their reach: free choices of switches, ends where none meet. None: it can't
be said outside of the loop that was left."""
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
class Place:
    """`cond`: which came here of those that were where it begins. `turn` is the loop of which this is an iteration."""

    __slots__ = (
        "parent", "cond", "reach", "changes", "read", "turn", "run", "entered", "tokens", "seen", "whole", "exits",
    )  # fmt: skip

    def __init__(self, parent: "Place | None", cond: int, true: int, run: Run) -> None:
        self.parent = parent
        self.cond = cond
        self.reach = true
        self.changes: Changes = {}
        self.read: Changes = {}
        self.turn: Run | None = None
        self.run = run
        self.entered = NONE  # the whole condition of coming here in this iteration, once asked for
        self.tokens: tuple[int, ...] = parent.tokens if parent is not None else ()
        self.seen = NONE  # `reach` when the whole condition of being here was asked for last, and what it was
        self.whole = NONE
        self.exits: list[Exit] = []  # of an iteration, what leaves the loop

    def value(self, name: Name) -> int:
        """What a variable holds now; NONE if nothing is known of it."""
        term = self.changes.get(name, NONE)
        if term != NONE:
            return term
        term = self.read.get(name, NONE)
        place = self.parent
        while term == NONE and place is not None:
            term = place.changes.get(name, NONE)
            if term == NONE:
                term = place.read.get(name, NONE)
            place = place.parent
        if term != NONE:
            self.read[name] = term
        return term


@final
class Join:
    __slots__ = ("place", "arrivals")

    def __init__(self, place: Place) -> None:
        self.place = place
        self.arrivals: list[Arrival] = []


def reached(place: Place, terms: Diagrams) -> int:
    """Who is here, of those that are in the iteration of the innermost loop: the whole condition."""
    if place.seen == place.reach:
        return place.whole
    chain: list[Place] = []
    current = place
    while current.entered == NONE and current.turn is None and current.parent is not None:
        chain.append(current)
        current = current.parent
    for inner in reversed(chain):
        outer = inner.parent
        assert outer is not None
        before = terms.true if outer.turn is not None or outer.parent is None else outer.entered
        inner.entered = terms.both(terms.both(before, outer.reach), inner.cond)
    begun = terms.true if place.turn is not None or place.parent is None else place.entered
    place.whole = terms.both(begun, place.reach)
    place.seen = place.reach
    return place.whole


def deliver(join: Join, place: Place, reach: int, changes: Changes, terms: Diagrams, left_loop: bool = False) -> None:
    """What is at `place` with `reach` and `changes` goes to `join`; where that leaves a loop, it waits for its end."""
    tokens: Tokens = place.tokens if not left_loop else None
    while reach != terms.false:
        if place.turn is not None:
            place.exits.append(Exit(join, reach, changes))
            return
        parent = place.parent
        assert parent is not None
        reach = terms.both(place.cond, reach)
        if parent is join.place:
            join.arrivals.append((reach, changes, tokens))
            return
        reach = terms.both(parent.reach, reach)
        changes = {**parent.changes, **changes}
        place = parent


def take(join: Join, terms: Diagrams) -> tuple[int, Changes]:
    """All who came to `join`: their reach, and what they changed as seen from where the join stands."""
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
                    base = join.place.value(name)
                    base = base if base != NONE else terms.bottom
                value = base
            values.append((reach, value))
        merged[name] = terms.merge(values)[1] if any(value != values[0][1] for _, value in values) else values[0][1]
    return total, merged
