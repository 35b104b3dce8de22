"""Effects in the order that each invocation keeps them in.

An event is a term with the events that it must follow: those before it that one invocation may execute as well, and
that may touch the same memory. A loop is one event with the set of its own. So equal sets of events are equal programs,
up to the order of what is independent.

Only the latest events are kept. One goes where a later one represents it: every invocation that executes it executes
the later one, and what may touch its memory may touch the later one's.
"""

from typing import Final, final

from reknit.ir.instr import Instr
from reknit.ir.tree import Loop
from reknit.proof.normal_form.diagrams import Diagrams

MOST_WAITING: Final = 64


@final
class Footprint:
    """What an event may touch: a part of what `root` names (steps that are -1 are known when the program runs), or all
    memory where `root` is None. `aliased`: other variables may be the same memory."""

    __slots__ = ("root", "steps", "aliased")

    def __init__(self, root: object, steps: tuple[int, ...], aliased: bool) -> None:
        self.root = root
        self.steps = steps
        self.aliased = aliased

    def may_touch(self, other: "Footprint") -> bool:
        if self.root is None or other.root is None:
            return True
        if self.root != other.root:
            return self.aliased and other.aliased
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


@final
class Event:
    __slots__ = ("term", "reach", "footprint", "instr")

    def __init__(self, term: int, reach: int, footprint: Footprint, instr: Instr | None) -> None:
        self.term = term
        self.reach = reach
        self.footprint = footprint
        self.instr = instr


@final
class Run:
    """An iteration of a loop, or the program: the events in it. `loop` is the loop's class, -1 of the program."""

    __slots__ = ("loop", "parent", "events", "latest", "leave", "key", "depth")

    def __init__(self, loop: int, parent: "Run | None") -> None:
        self.loop = loop
        self.parent = parent
        self.events: list[Event] = []
        self.latest: list[Event] = []
        self.leave = -1  # which do not come back, once that is known
        self.key: tuple[int, Loop] | None = None
        self.depth: int = parent.depth + 1 if parent is not None else 0

    def before(self, reach: int, footprint: Footprint, terms: Diagrams) -> tuple[int, ...]:
        """The latest events that something must follow."""
        latest: dict[int, None] = {}
        for event in self.latest:
            if event.footprint.may_touch(footprint) and terms.both(reach, event.reach) != terms.false:
                latest[event.term] = None
        return tuple(sorted(latest))

    def add(self, event: Event, terms: Diagrams) -> None:
        self.events.append(event)
        self.note(event, terms)

    def note(self, event: Event, terms: Diagrams) -> None:
        """What comes later follows this one."""
        kept: list[Event] = []
        for other in self.latest:
            wider = event.reach == terms.true or event.reach == other.reach
            if not (wider and event.footprint.covers(other.footprint)):
                kept.append(other)
        kept.append(event)
        if len(kept) > MOST_WAITING:
            everything = Footprint(None, (), True)
            waited = tuple(sorted([each.term for each in kept]))
            term = terms.make(("waits", *waited), terms.union(waited))
            kept = [Event(term, terms.true, everything, None)]
        self.latest = kept
