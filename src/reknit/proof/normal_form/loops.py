"""Loops: the body once, with heads for what it carries.

    entering ──▶ head(L, i) ── body ── continuing ──▶ back: which take the back edge, with which values
                                  └── exits: which leave, with what was when they left: last(L, .)

What is assumed of a loop is in `assumptions`; here is what shows that it doesn't hold, and the signature by which loops
of both programs are distinguished.
"""

from typing import final

from reknit.ir.tree import Loop
from reknit.proof.normal_form.assumptions import LoopKey, Slot
from reknit.proof.normal_form.carried import Carried
from reknit.proof.normal_form.diagrams import Terms
from reknit.proof.normal_form.events import EVERYTHING, Event, Run
from reknit.proof.normal_form.peeling import MAX_ITERATIONS, MAX_WALKED
from reknit.proof.normal_form.program import Program
from reknit.proof.normal_form.states import NONE, Changes, Exit, Join, State, Tokens, deliver, take
from reknit.proof.normal_form.table import Key


@final
class Signature:
    """What distinguishes a loop from others, as terms; `carried` has (before the loop, next time) of each carried
    value. `back` and `leaves`: whether an invocation takes the back edge, or leaves. `reach`: which come to it, in an
    iteration of the loop `outer`, -1 of none."""

    __slots__ = ("key", "outer", "reach", "carried", "node", "parent", "back", "leaves", "loop", "depth")

    def __init__(self, node: Loop, loop: int, key: Key, parent: LoopKey | None, depth: int) -> None:
        self.node = node
        self.loop = loop
        self.key = key
        self.parent = parent
        self.depth = depth
        self.back = True
        self.leaves = True
        self.outer = -1
        self.reach = -1
        self.carried: dict[Slot, tuple[int, int]] = {}


@final
class OpenLoop:
    """A loop that is being walked, from the state `outer`. `number` iterations have been walked by themselves, and
    `iteration` is the one that is being walked, or all that are left. `start` is the step behind the opening one."""

    __slots__ = ("key", "outer", "start", "number", "iteration", "entering", "tested")

    def __init__(self, key: LoopKey, outer: State, start: int) -> None:
        self.key = key
        self.outer = outer
        self.start = start
        self.number = 0
        self.iteration = outer
        self.entering: Changes = {}
        self.tested = False  # whether a condition in it was known


class Loops(Carried):
    def __init__(self, program: Program) -> None:
        super().__init__(program)
        self.signatures: dict[LoopKey, Signature] = {}
        self.open_loops: list[OpenLoop] = []
        self.walked = 0  # iterations that were walked by themselves

    def enter_loop(self, node: Loop) -> None:
        opened = OpenLoop((self.frame.context, node), self.state, self.frame.step)
        entering = self.phi_values(node.before(), node.body.entry())
        self._begin_iterations(opened, self.terms.true, entering, {})

    def _begin_iterations(self, opened: OpenLoop, condition: int, entering: Changes, changes: Changes) -> None:
        """The next iteration, or all that are left, of those at `opened.outer` for which `condition` holds."""
        terms = self.terms
        frame = self.frame
        context, node = opened.key
        outer = opened.outer
        tokens = opened.iteration.tokens
        opened.entering = entering
        alone = opened.key not in self.assumptions.returning
        if not alone and opened.number < self._iterations(opened.key):
            frame.context = self.assumptions.frame(context, node, opened.number)
            alone = True
        if alone:
            iteration = State(outer, condition, terms.true, outer.run)
            iteration.changes = {**changes, **entering}
            iteration.tokens = tokens
        else:
            frame.context = context
            if opened.number:
                outer = State(outer, condition, terms.true, outer.run)
                outer.changes = changes
                outer.tokens = tokens
                self.state = outer
            iteration = self._repeated(opened.key, outer, entering)
        opened.iteration = iteration
        opened.tested = False
        self.open_loops.append(opened)
        self.state = iteration
        frame.labels[node] = Join(iteration)

    def _iterations(self, key: LoopKey) -> int:
        """How many iterations of a loop are walked by themselves, at most."""
        return 0 if key in self.assumptions.endless else self.plan.iterations(key[1])

    def _repeated(self, key: LoopKey, outer: State, entering: Changes) -> State:
        """Any iteration of a loop, with heads for what it carries."""
        terms = self.terms
        loop = self.assumptions.loops.setdefault(key, outer.run.depth + 1)
        run = Run(loop, outer.run)
        run.key = key
        terms.enter(loop, outer.run.loop)
        iteration = State(outer, terms.true, terms.true, run)
        iteration.opens = run
        if key in self.assumptions.apart:
            iteration.tokens = (*outer.tokens, terms.make(("apart", loop), terms.chains[loop]))
        iteration.changes = dict(entering)
        iteration.changes.update(self.heads(key, loop, entering))
        reach = self.here()
        if key in self.assumptions.effectful:
            before = terms.make(("mem", loop), terms.chains[loop])
            run.latest.add(Event(before, terms.true, EVERYTHING, None), terms.true)
        else:
            for each in outer.run.latest.all():
                if terms.both(reach, each.reach) != terms.false:
                    run.latest.add(each, terms.true)
        return iteration

    def close_loop(self, node: Loop) -> None:
        """At the back edge."""
        terms = self.terms
        opened = self.open_loops.pop()
        iteration = opened.iteration
        assert self.state is iteration and iteration.parent is not None
        back = iteration.reach
        following = self.phi_values(node.continuing.end(), node.body.entry()) if back != terms.false else {}
        self.state = opened.outer
        if iteration.opens is not None:
            self._close_repeated(opened, iteration.opens, following)
        elif back == terms.false:
            self.frame.context = opened.key[0]
        elif opened.key not in self.assumptions.returning:
            self.assumptions.returning[opened.key] = None
        else:
            self._go_round(opened, following)

    def _go_round(self, opened: OpenLoop, following: Changes) -> None:
        """From an iteration that is walked by itself to the next one."""
        terms = self.terms
        iteration = opened.iteration
        opened.number += 1
        self.walked += 1
        self.frame.context = opened.key[0]
        if opened.key[1] not in self.plan.counts:
            counts = opened.tested and self._counts(opened, following)
            if not counts or opened.number == MAX_ITERATIONS or self.walked > MAX_WALKED:
                self.assumptions.endless[opened.key] = None
        self.frame.step = opened.start
        self._begin_iterations(opened, terms.both(iteration.condition, iteration.reach), following, iteration.changes)

    def _counts(self, opened: OpenLoop, following: Changes) -> bool:
        """Whether a number that is known goes on to the next iteration."""
        terms = self.terms
        carried = [*following.values(), *opened.iteration.changes.values()]
        return any(terms.is_constant(term) and term not in (terms.true, terms.false) for term in carried)

    def _close_repeated(self, opened: OpenLoop, run: Run, following: Changes) -> None:
        """What all iterations make, and which effects they have."""
        terms = self.terms
        key = opened.key
        node = key[1]
        iteration = opened.iteration
        entering = opened.entering
        back = iteration.reach
        outer = iteration.parent
        assert outer is not None
        self.state = outer
        reach = self.here()
        effectful = key in self.assumptions.effectful
        body = tuple(sorted([event.term for event in run.events]))
        if body and not effectful:
            self.assumptions.effectful[key] = None
        memory = outer.run.before(reach, EVERYTHING, terms) if effectful else ()
        parent = outer.run.key
        leave = terms.negate(back)
        apart = iteration.tokens if key in self.assumptions.apart else ()
        if iteration.tokens != outer.tokens and back != terms.false:
            self.assumptions.apart[key] = None
        signed: Key = (run.loop, outer.run.loop, outer.tokens, apart, reach, back, memory, body)
        signature = Signature(node, run.loop, signed, parent, run.depth)
        signature.back = back != terms.false
        signature.leaves = leave != terms.false
        signature.outer = outer.run.loop
        signature.reach = reach
        self.signatures[key] = signature
        self._note_carried(key, signature, iteration, entering, following)
        run.leave = leave
        if effectful and body:
            self._add_loop(run, outer, reach, memory, body)
        self._leave(iteration, entering, outer, run)
        self.state = opened.outer

    def _note_carried(
        self, key: LoopKey, signature: Signature, iteration: State, entering: Changes, following: Changes
    ) -> None:
        """Note what changes from iteration to iteration."""
        terms = self.terms
        back = iteration.reach
        outer = iteration.parent
        assert outer is not None
        for name in dict.fromkeys([*entering, *iteration.changes]):
            if len(name) > 2:  # nothing reads what an earlier iteration gave
                continue
            first = entering.get(name, NONE)
            after = following.get(name, NONE) if first != NONE else iteration.changes.get(name, NONE)
            if first == NONE:
                first = outer.value(name, terms)
            if first == NONE or (after == NONE and back != terms.false):
                continue
            if after == NONE:
                after = terms.bottom
            signature.carried.update(self.note(key, name, (first, after), back))

    def _add_loop(self, run: Run, outer: State, reach: int, memory: Terms, body: Terms) -> None:
        """All of its effects, as one event."""
        terms = self.terms
        loops = terms.outside(run.loop, terms.union((reach, *memory, *body, *outer.tokens)))
        term = terms.make(("loop", run.loop, outer.tokens, reach, memory, body), loops)
        outer.run.add(Event(term, reach, EVERYTHING, run.events[0].instr), terms)

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
            leaving = self.narrowed(terms.last(run.loop, terms.constrain(total, run.leave)))
            values: Changes = {}
            for name, value in changes.items():
                if name not in entering:  # phis of the loop are no longer read
                    values[name] = self.narrowed(terms.last(run.loop, terms.constrain(value, total)))
            if join.state is outer:
                join.arrivals.append((leaving, values, self._tokens_of(exits, outer, run)))
            else:
                tokens = self._tokens_of(exits, outer, run)
                deliver(join, outer, terms.both(outer.reach, leaving), {**outer.changes, **values}, tokens, terms)

    def _tokens_of(self, exits: list[Exit], outer: State, run: Run) -> Tokens:
        """What splits those that leave a loop, where nothing promises that they meet: the iteration, and how they left
        it. Else that isn't said."""
        if not self.is_weak:
            return None
        terms = self.terms
        paths = tuple(sorted([(each.reach, each.tokens or ()) for each in exits]))
        inside = tuple([each for reach, tokens in paths for each in (reach, *tokens)])
        loops = terms.outside(run.loop, terms.union(inside))
        return (*outer.tokens, terms.make(("left", run.loop, outer.tokens, paths), loops))
