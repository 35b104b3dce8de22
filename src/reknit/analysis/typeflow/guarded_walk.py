"""The paths through one function, distinguished by what is known of numbers, and by which existentials are set.

    f unset; have = 0           { have 0 }
    if c                        { c 1, have 0 }                   { c 0, have 0 }
        store f; have = 1       { c 1, have 1, f set }
    if have                     { have 1, f set } goes in         { have 0 } goes past

Where too many come to a block, those in which the same is set are joined. What comes from a caller, is left by a callee
or is in a struct is set where the sets of the analysis say so.
"""

from typing import Final, final

from reknit.analysis.typeflow.access_paths import LOCAL, Spot, spot_of
from reknit.analysis.typeflow.constants import is_number
from reknit.analysis.typeflow.context import Context, Env, info_at, overlap
from reknit.analysis.typeflow.function_facts import Queue
from reknit.analysis.typeflow.guarded_live import Steps, find_live, incoming, is_struct, pruned, ways_of
from reknit.analysis.typeflow.lattice import Info, read
from reknit.analysis.typeflow.numbers import Numbers, State, atoms, is_expression, renew
from reknit.analysis.typeflow.solve import TypeFlow
from reknit.ir import op, traits
from reknit.ir.block import Block
from reknit.ir.function import Function
from reknit.ir.instr import Instr
from reknit.ir.value import Value
from reknit.source.meter import spend

MAX_STATES: Final = 64
"""How many states of one block are kept."""

MAX_VISITS: Final = 8_000
"""How many times states are taken through blocks before the question is given up."""


def is_exact(spot: Spot) -> bool:
    return min(spot.path, default=0) >= 0


@final
class Walk:
    """The paths of one function. `behind` are the places and phis of existentials that matter; of `states` those that
    come to a block, `wide` the blocks where they are joined."""

    __slots__ = (
        "flow", "context", "facts", "numbers", "behind", "dispatches", "refused", "steps", "live", "states", "wide",
        "waiting", "queue",
    )  # fmt: skip

    def __init__(
        self, flow: TypeFlow, context: Context, behind: dict[object, None], dispatches: dict[Instr, None]
    ) -> None:
        self.flow = flow
        self.context = context
        self.facts = flow.facts.of(context.function)
        self.numbers = Numbers(context, self.facts.controlling)
        self.behind = behind
        self.dispatches = dispatches
        self.refused: dict[Instr, None] = {}
        self.steps: Steps = {block: self._steps(block) for block in context.envs}
        self.live: dict[Block, set[object]] = {}
        self.states: dict[Block, dict[frozenset[tuple[object, object]], State]] = {}
        self.wide: dict[Block, None] = {}
        self.waiting: dict[Block, list[State]] = {}
        self.queue = Queue()

    def run(self) -> dict[Instr, None]:
        """The dispatches that may come to what was never set."""
        self.live = find_live(self.facts, self.context, self.steps, self.dispatches)
        entry = self.context.function.entry()
        self._arrive(entry, self._with_sets({}, self.context.envs[entry]))
        visits = 0
        while self.queue.heap and len(self.refused) < len(self.dispatches):
            block = self.facts.order.blocks[self.queue.take()]
            for state in self.waiting.pop(block, []):
                visits += 1
                if visits > MAX_VISITS:
                    return self.dispatches
                self._through(block, state)
        return self.refused

    # --- one state through one block ----------------------------------------------------------------------------------

    def _steps(self, block: Block) -> list[Instr]:
        """The instructions that something may change by, or that are asked about."""
        steps: list[Instr] = []
        for instr in block:
            asked = instr in self.dispatches
            moves = instr.op in (op.Load, op.Store) or instr.op in traits.CALLS
            gives = instr in self.facts.controlling and is_number(instr.type) and not is_expression(instr)
            if asked or ((moves or gives) and instr.op != op.Phi):
                steps.append(instr)
        return steps

    def _through(self, block: Block, given: State) -> None:
        state = dict(given)
        for instr in self.steps[block]:
            if instr.op == op.Store:
                self._store(block, instr, state)
            elif instr.op == op.Load:
                self._load(instr, state)
            elif instr.op in traits.CALLS:
                self._call(instr, state)
            elif instr not in self.dispatches:
                renew(state, instr)
            elif not self.is_set(instr.value(0), state, self.context.envs[block]):
                self.refused[instr] = None
            if instr.op == op.IsType and instr in self.facts.controlling:
                renew(state, instr)
        selector, edges = ways_of(block)
        for target, labels, others in edges:
            env = self.context.edges.get((block, target))
            if env is None:
                continue
            after = dict(state)
            if selector is None or self._taken(selector, labels, others, after):
                self._enter(block, target, after, env)

    def _taken(self, selector: Value, labels: list[int], others: list[int] | None, state: State) -> bool:
        if isinstance(selector, Instr) and selector.type is not None and selector.type.op == op.TypeBool:
            return self.numbers.narrow(self.numbers.of(selector, state), labels[0], state)
        return self.numbers.choose(selector, labels, others, state)

    def is_set(self, value: Value, state: State, env: Env) -> bool:
        work = [value]
        seen: dict[Value, None] = {}
        while work:
            spend(1)
            at = work.pop()
            if not isinstance(at, Instr):
                return False
            info = info_at(self.context, self.flow.forms, at, env)
            if at in seen or at in state or all_set(self.flow, at.type, info):
                continue
            seen[at] = None
            if at.op == op.CopyObject:
                work.append(at.value(0))
            elif at.op == op.Select:
                chosen = self.numbers.of(at.value(0), state)
                arms = [at.value(1), at.value(2)]
                work.extend([arms[0 if chosen else 1]] if isinstance(chosen, int) else arms)
            else:
                return False
        return True

    def _load(self, load: Instr, state: State) -> None:
        spot = spot_of(load.value(0))
        place = (spot.root, tuple(spot.path))
        if is_existential(load):
            state.pop(load, None)
            if place in state and place in self.behind:
                state[load] = 1
        elif load in self.facts.controlling and is_number(load.type):
            if spot.kind != LOCAL or spot.root not in self.facts.held or not is_exact(spot):
                renew(state, load)
                return
            there = self.numbers.resolve(state[place], state) if place in state else None
            if there is load:
                return
            renew(state, load)
            if there is not None and load not in atoms(there):
                state[load] = there
            else:
                state[place] = load

    def _store(self, block: Block, store: Instr, state: State) -> None:
        spot = spot_of(store.value(0))
        if spot.kind != LOCAL or spot.root not in self.facts.held:
            return
        value = store.value(1)
        is_kept = self.is_set(value, state, self.context.envs[block]) if is_existential(value) else False
        number = self.numbers.of(value, state)
        forget(state, spot)
        if is_exact(spot):
            self._put(block, (spot.root, tuple(spot.path)), value, is_kept, number, state)

    def _put(
        self, block: Block, place: tuple[Instr, tuple[int, ...]], value: Value, is_kept: bool, number: object,
        state: State,
    ) -> None:  # fmt: skip
        """What a place has after a store; of a struct the parts that are put together there, and what sets tell."""
        if is_existential(value):
            if is_kept and place in self.behind:
                state[place] = 1
        elif number is not None:
            state[place] = number
        elif isinstance(value, Instr) and self.flow.forms.of(value.type) is not None:
            info = info_at(self.context, self.flow.forms, value, self.context.envs[block])
            self._tell(place[0], list(place[1]), value.type, info, state)
        if not isinstance(value, Instr) or value.op != op.CompositeConstruct or not is_struct(value.type):
            return
        for index in range(len(value.operands)):
            part = value.value(index)
            inner = (place[0], (*place[1], index))
            number = self.numbers.of(part, state)
            if number is not None:
                state[inner] = number
            elif inner in self.behind and self.is_set(part, state, self.context.envs[block]):
                state[inner] = 1

    def _tell(self, root: Instr, path: list[int], type: Instr | None, info: Info, state: State) -> None:
        """The places at or below a path that are set, as sets tell of what is there now."""
        form = self.flow.forms.of(type)
        for place in self.behind:
            if not isinstance(place, tuple) or place[0] is not root or list(place[1][: len(path)]) != path:
                continue
            if not isinstance(root, Instr) or form is None:
                continue
            inner = read(form, info, list(place[1][len(path) :]))
            if isinstance(inner, int) and inner and not inner & self._unset_at(place):
                state[place] = 1

    def _unset_at(self, place: tuple[Instr, tuple[int, ...]]) -> int:
        """The bit of `never set` of the interface that is at a place."""
        form = self.flow.forms.pointee(place[0].type)
        for index in place[1]:
            form = form.part(index) if form is not None else None
        return self.flow.forms.universe.of(form.type).unset if form is not None else -1

    def _call(self, call: Instr, state: State) -> None:
        """A callee may change what it is given a pointer to; what it leaves there is as sets tell."""
        callee = self.context.calls.get(call, {}).get(None)
        direct = isinstance(call.operands[0], Function) and callee is not None
        for index in range(1, len(call.operands)):
            argument = call.operands[index]
            if not isinstance(argument, Instr) or argument.type is None or argument.type.op != op.TypePointer:
                continue
            spot = spot_of(argument)
            forget(state, spot)
            if direct and callee is not None and is_exact(spot) and callee.outs[index - 1] is not None:
                inner = callee.function.params[index - 1].type
                type = inner.instr(1) if inner is not None else None
                self._tell(spot.root, spot.path, type, callee.outs[index - 1], state)
        if call in self.facts.controlling:
            renew(state, call)

    # --- from block to block ------------------------------------------------------------------------------------------

    def _enter(self, block: Block, target: Block, state: State, env: Env) -> None:
        """Phis take their values all at once; then what matters no longer is left out."""
        numbers: list[tuple[Instr, object]] = []
        objects: list[tuple[Instr, bool]] = []
        for phi in target.phis():
            value = incoming(phi, block)
            if value is None:
                continue
            if phi in self.facts.controlling and is_number(phi.type):
                numbers.append((phi, self.numbers.of(value, state)))
            elif phi in self.behind:
                objects.append((phi, self.is_set(value, state, env)))
        for phi, _ in numbers:
            renew(state, phi)
        changed = [phi for phi, _ in numbers]
        for phi, known in numbers:
            if known is not None and not any(atom in changed for atom in atoms(known)):
                state[phi] = known
        for phi, is_kept in objects:
            state.pop(phi, None)
            if is_kept:
                state[phi] = 1
        self._arrive(target, pruned(self._with_sets(state, env), self.live[target]))

    def _with_sets(self, state: State, env: Env) -> State:
        """With the places of which sets tell that they are set."""
        for place in self.behind:
            if isinstance(place, tuple) and place not in state and place[0] in env.memory:
                root = place[0]
                self._tell(root, [], root.type.instr(1), env.memory[root], state)
        return state

    def _arrive(self, block: Block, state: State) -> None:
        known = self.states.setdefault(block, {})
        items = frozenset(state.items())
        if any(other <= items for other in known):
            return
        if block not in self.wide and len(known) < MAX_STATES:
            known[items] = state
            self._wait(block, state)
            return
        self.wide[block] = None
        joined: dict[frozenset[object], State] = {}
        for other in [*known.values(), state]:
            kept = frozenset([key for key in other if self._is_object(key)])
            before = joined.get(kept)
            if before is not None:
                other = {key: value for key, value in other.items() if before.get(key) == value}
            joined[kept] = other
        self.states[block] = {frozenset(other.items()): other for other in joined.values()}
        for items, other in self.states[block].items():
            if items not in known:
                self._wait(block, other)

    def _is_object(self, key: object) -> bool:
        return key in self.behind or (isinstance(key, Instr) and is_existential(key))

    def _wait(self, block: Block, state: State) -> None:
        self.waiting.setdefault(block, []).append(state)
        self.queue.add(self.facts.order.number[block])


def forget(state: State, spot: Spot) -> None:
    """Something else may be there, above or below."""
    for key in list(state):
        if isinstance(key, tuple) and key[0] is spot.root and overlap(key[1], spot.path):
            del state[key]


def is_existential(value: Value) -> bool:
    return isinstance(value, Instr) and value.type is not None and value.type.op == op.TypeInterface


def all_set(flow: TypeFlow, type: Instr | None, info: Info) -> bool:
    """Whether sets tell that an existential was set."""
    return type is not None and isinstance(info, int) and not info & flow.forms.universe.of(type).unset
