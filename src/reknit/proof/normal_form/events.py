"""Effects in the order that each invocation keeps them in.

An event is a term with the events that it must follow: those before it that one invocation may execute as well, and
that may touch the same memory. A loop is one event with the set of its own. So equal sets of events are equal programs,
up to the order of what is independent.

Only the latest events are kept, by the variable that they touch. One goes where a later one represents it: every
invocation that executes it executes the later one, and what may touch its memory may touch the later one's. What would
follow very many follows one event that waits for them, and so does all that comes then.
"""

from typing import Final, final

from reknit.analysis.aliasing import Place
from reknit.ir.instr import Instr
from reknit.ir.tree import Loop
from reknit.proof.normal_form.diagrams import Diagrams

MAX_WAITING: Final = 64


@final
class Footprint:
    """What an event may touch: a part of what `root` names (steps that are -1 are known when the program runs), or all
    memory where `root` is None. `aliased`: other variables may be the same memory; `place` says which."""

    __slots__ = ("root", "steps", "aliased", "place")

    def __init__(self, root: object, steps: tuple[int, ...], aliased: bool, place: Place | None = None) -> None:
        self.root = root
        self.steps = steps
        self.aliased = aliased
        self.place = place

    def may_touch(self, other: "Footprint") -> bool:
        if self.root is None or other.root is None:
            return True
        if self.root != other.root:
            if not (self.aliased and other.aliased):
                return False
            return self.place is None or other.place is None or self.place.may_be(other.place)
        for mine, theirs in zip(self.steps, other.steps, strict=False):
            if mine >= 0 and theirs >= 0 and mine != theirs:
                return False
        return True

    def covers(self, other: "Footprint") -> bool:
        """Whether all that may touch `other` may touch this."""
        if self.root is None:
            return True
        if self.root != other.root or (other.aliased and not self.aliased):
            return False
        return all(mine < 0 for mine in self.steps) or self.steps == other.steps


EVERYTHING: Final = Footprint(None, (), True)


@final
class Event:
    __slots__ = ("term", "reach", "footprint", "instr")

    def __init__(self, term: int, reach: int, footprint: Footprint, instr: Instr | None) -> None:
        self.term = term
        self.reach = reach
        self.footprint = footprint
        self.instr = instr


@final
class Variable:
    """The latest events of one variable: those whose address is known by it, all with as many steps, and the others."""

    __slots__ = ("known", "others", "count")

    def __init__(self, count: int) -> None:
        self.known: dict[tuple[int, ...], list[Event]] = {}
        self.others: list[Event] = []
        self.count = count

    def all(self) -> list[Event]:
        return [*self.others, *[event for events in self.known.values() for event in events]]

    def is_known(self, steps: tuple[int, ...]) -> bool:
        return len(steps) == self.count and -1 not in steps


@final
class Latest:
    """The latest events: of each variable, and `anywhere` those that may touch others."""

    __slots__ = ("variables", "anywhere")

    def __init__(self) -> None:
        self.variables: dict[object, Variable] = {}
        self.anywhere: list[Event] = []

    def all(self) -> list[Event]:
        return [*self.anywhere, *[event for each in self.variables.values() for event in each.all()]]

    def touching(self, footprint: Footprint) -> list[Event]:
        """Those that may touch what a footprint does."""
        if footprint.root is None:
            return self.all()
        touching = [event for event in self.anywhere if event.footprint.may_touch(footprint)]
        variable = self.variables.get(footprint.root)
        if variable is None:
            return touching
        if variable.is_known(footprint.steps):
            touching.extend([event for event in variable.others if event.footprint.may_touch(footprint)])
            touching.extend(variable.known.get(footprint.steps, []))
        else:
            touching.extend([event for event in variable.all() if event.footprint.may_touch(footprint)])
        return touching

    def add(self, event: Event, everyone: int) -> None:
        """What comes later follows this one, and no longer those before that it represents."""
        footprint = event.footprint
        if footprint.root is None:
            for root, each in list(self.variables.items()):
                self._keep(root, each, event, everyone)
        if footprint.root is None or footprint.aliased:
            self.anywhere = [*_kept(self.anywhere, event, everyone), event]
            return
        variable = self.variables.setdefault(footprint.root, Variable(len(footprint.steps)))
        if variable.is_known(footprint.steps):
            known = variable.known.get(footprint.steps, [])
            variable.known[footprint.steps] = [*_kept(known, event, everyone), event]
            return
        self._keep(footprint.root, variable, event, everyone)
        self.variables[footprint.root] = variable
        variable.others.append(event)

    def _keep(self, root: object, variable: Variable, event: Event, everyone: int) -> None:
        variable.others = _kept(variable.others, event, everyone)
        for steps, events in list(variable.known.items()):
            kept = _kept(events, event, everyone)
            if kept:
                variable.known[steps] = kept
            else:
                del variable.known[steps]
        if not variable.known and not variable.others:
            del self.variables[root]


def _kept(events: list[Event], later: Event, everyone: int) -> list[Event]:
    """Those that a later one doesn't represent."""
    kept: list[Event] = []
    for event in events:
        wider = later.reach == everyone or later.reach == event.reach
        if not (wider and later.footprint.covers(event.footprint)):
            kept.append(event)
    return kept


@final
class Run:
    """An iteration of a loop, or the program: the events in it. `loop` is the loop's class, -1 of the program."""

    __slots__ = ("loop", "parent", "events", "latest", "leave", "key", "depth")

    def __init__(self, loop: int, parent: "Run | None") -> None:
        self.loop = loop
        self.parent = parent
        self.events: list[Event] = []
        self.latest = Latest()
        self.leave = -1  # which do not come back, once that is known
        self.key: tuple[int, Loop] | None = None
        self.depth: int = parent.depth + 1 if parent is not None else 0

    def before(self, reach: int, footprint: Footprint, terms: Diagrams) -> tuple[int, ...]:
        """The latest events that something must follow."""
        following: dict[int, None] = {}
        for event in self.latest.touching(footprint):
            if terms.both(reach, event.reach) != terms.false:
                following[event.term] = None
        if len(following) <= MAX_WAITING:
            return tuple(sorted(following))
        waited = tuple(sorted(following))
        term = terms.make(("waits", *waited), terms.union(waited))
        whole = Footprint(footprint.root, (), footprint.aliased, footprint.place)
        self.latest.add(Event(term, terms.true, whole, None), terms.true)
        return (term,)

    def add(self, event: Event, terms: Diagrams) -> None:
        self.events.append(event)
        self.latest.add(event, terms.true)
