"""Loops: the body once, with heads for what it carries.

    entering ──▶ head(L, i) ── body ── continuing ──▶ back: which take the back edge, with which values
                                  └── exits: which leave, with what was when they left: last(L, .)

What is assumed of a loop is in `assumptions`; here is what shows that it doesn't hold, and the signature by which loops
of both programs are distinguished.
"""

from typing import Final, final

from reknit.ir.tree import Loop
from reknit.proof.normal_form.assumptions import LoopKey, Slot
from reknit.proof.normal_form.carried import Carried
from reknit.proof.normal_form.diagrams import Terms
from reknit.proof.normal_form.events import Event, Footprint, Run
from reknit.proof.normal_form.program import Program
from reknit.proof.normal_form.states import NONE, Changes, Exit, Join, State, deliver, take
from reknit.proof.normal_form.table import Key

_EVERYTHING: Final = Footprint(None, (), True)


@final
class Signature:
    """What distinguishes a loop from others, as terms; `carried` has (before the loop, next time) of each carried
    value. `back` and `leaves`: whether an invocation takes the back edge, or leaves."""

    __slots__ = ("key", "outer", "carried", "node", "parent", "back", "leaves", "loop", "depth")

    def __init__(self, node: Loop, loop: int, key: Key, parent: LoopKey | None, depth: int) -> None:
        self.node = node
        self.loop = loop
        self.key = key
        self.parent = parent
        self.depth = depth
        self.back = True
        self.leaves = True
        self.carried: dict[Slot, tuple[int, int]] = {}


class Loops(Carried):
    def __init__(self, program: Program) -> None:
        super().__init__(program)
        self.signatures: dict[LoopKey, Signature] = {}
        self.open_loops: list[tuple[State, Changes]] = []

    def enter_loop(self, node: Loop) -> None:
        terms = self.terms
        key: LoopKey = (self.frame.number, node)
        outer = self.state
        entering = self.phi_values(node.before(), node.body.entry())
        if key not in self.assumptions.returning:
            iteration = State(outer, terms.true, terms.true, outer.run)
            iteration.changes = entering
            self.open_loops.append((iteration, entering))
            self.state = iteration
            return
        loop = self.assumptions.loops.setdefault(key, outer.run.depth + 1)
        run = Run(loop, outer.run)
        run.key = key
        terms.chains[loop] = terms.around(outer.run.loop) | {loop}
        iteration = State(outer, terms.true, terms.true, run)
        iteration.opens = run
        iteration.changes = dict(entering)
        iteration.changes.update(self.heads(key, loop, entering))
        reach = self.here()
        if key in self.assumptions.effectful:
            before = terms.make(("mem", loop), terms.chains[loop])
            run.latest = [Event(before, terms.true, _EVERYTHING, None)]
        else:
            run.latest = [each for each in outer.run.latest if terms.both(reach, each.reach) != terms.false]
        self.open_loops.append((iteration, entering))
        self.state = iteration

    def close_loop(self, node: Loop) -> None:
        """At the back edge."""
        terms = self.terms
        key: LoopKey = (self.frame.number, node)
        iteration, entering = self.open_loops.pop()
        assert self.state is iteration and iteration.parent is not None
        back = iteration.reach
        following = self.phi_values(node.continuing.end(), node.body.entry()) if back != terms.false else {}
        self.state = outer = iteration.parent
        run = iteration.opens
        if run is None:
            if back != terms.false:
                self.assumptions.returning[key] = None
            return
        reach = self.here()
        effectful = key in self.assumptions.effectful
        body = tuple(sorted([event.term for event in run.events]))
        if body and not effectful:
            self.assumptions.effectful[key] = None
        memory = outer.run.before(reach, _EVERYTHING, terms) if effectful else ()
        parent = outer.run.key
        leave = terms.negate(back)
        signed: Key = (run.loop, outer.run.loop, outer.tokens, reach, back, memory, body)
        signature = Signature(node, run.loop, signed, parent, run.depth)
        signature.back = back != terms.false
        signature.leaves = leave != terms.false
        self.signatures[key] = signature
        self._note_carried(key, signature, iteration, entering, following, reach)
        run.leave = leave
        if effectful and body:
            self._add_loop(run, outer, reach, memory, body)
        self._leave(iteration, entering, outer, run)

    def _note_carried(
        self, key: LoopKey, signature: Signature, iteration: State, entering: Changes, following: Changes, reach: int
    ) -> None:
        """Note what changes from iteration to iteration."""
        terms = self.terms
        back = iteration.reach
        outer = iteration.parent
        assert outer is not None
        for name in dict.fromkeys([*entering, *iteration.changes]):
            first = entering.get(name, NONE)
            after = following.get(name, NONE) if first != NONE else iteration.changes.get(name, NONE)
            if first == NONE:
                first = outer.value(name)
            if first == NONE or (after == NONE and back != terms.false):
                continue
            if after == NONE:
                after = terms.bottom
            signature.carried.update(self.note(key, name, (first, after), back, reach))

    def _add_loop(self, run: Run, outer: State, reach: int, memory: Terms, body: Terms) -> None:
        """All of its effects, as one event."""
        terms = self.terms
        loops = terms.union((reach, *memory, *body, *outer.tokens)) - {run.loop} | terms.around(outer.run.loop)
        term = terms.make(("loop", run.loop, outer.tokens, reach, memory, body), loops)
        outer.run.add(Event(term, reach, _EVERYTHING, run.events[0].instr), terms)

    def _leave(self, iteration: State, entering: Changes, outer: State, run: Run) -> None:
        """Send the invocations that left to the joins that they left for."""
        terms = self.terms
        joins: dict[Join, list[Exit]] = {}
        for each in iteration.exits:
            joins.setdefault(each.join, []).append(each)
        for join, exits in joins.items():
            total_join = Join(outer)
            total_join.arrivals = [(each.reach, each.changes, None) for each in exits]
            total, changes = take(total_join, terms)
            leaving = terms.last(run.loop, terms.constrain(total, run.leave))
            values: Changes = {}
            for name, value in changes.items():
                if name not in entering:  # phis of the loop are no longer read
                    values[name] = terms.last(run.loop, terms.constrain(value, total))
            if join.state is outer:
                join.arrivals.append((leaving, values, None))
            else:
                deliver(join, outer, terms.both(outer.reach, leaving), {**outer.changes, **values}, terms, True)
