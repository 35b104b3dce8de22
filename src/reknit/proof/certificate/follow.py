"""Both programs side by side, a step at a time.

    what each does by itself      values, jumps, calls, forks on what is known; up to an event, another fork, a loop
    what comes then               heads of loops are passed; both do the same event, or the first one does what the
                                  second one left out; one of them forks, and the path says which value that is

An event is all that depends on others, that others see, or that may be undefined: what the second program does of that,
it does with the first, the same operation of equal operands. The iterations of loops are counted.
"""

from typing import Final, final

from reknit.analysis.effects import is_volatile
from reknit.ir import enums, op, opcodes, traits
from reknit.ir.block import Block
from reknit.ir.choices import choices
from reknit.ir.function import Function
from reknit.ir.instr import Instr
from reknit.ir.tree import If, Switch
from reknit.ir.value import Value
from reknit.proof.certificate.steps import NONE, Rejected, Steps, name_of
from reknit.proof.certificate.terms import Terms
from reknit.source.meter import spend

HEAD, FORK, EVENT, END = "the head of a loop", "a fork", "an event", "the end"
READ_ONLY: Final = (enums.StorageClassInput, enums.StorageClassUniformConstant, enums.StorageClassPushConstant)
_SILENT: Final = (op.Phi, op.Nop, op.Line, op.NoLine)
_SEEN: Final = frozenset((op.Store, op.MemoryBarrier, op.ImageWrite)) | traits.ATOMIC | traits.BARRIER
_EVENTS: Final = _SEEN | traits.COMPUTES | traits.READS | traits.SHARES | {op.ExtInst}

Count = tuple[int, int, int]
"""How often a loop went round: (h, s, n) is s times as often as the loop with head h had at the pair of steps that the
path comes from, and n; (-1, 0, n) is n times."""
Visit = tuple[int, int, tuple[Count | None, ...]]
"""A tangled operation or open switch: the first program's step, the second one's (-1: left out), and how often the
loops around both went round, by how often those around the second one's have."""
Fork = tuple[int, dict[int, Block], Block | None]
"""The value that decides, where its numbers lead, where all others do."""


@final
class State:
    """Where both are, and what is known: of values and variables, of forks, of loops. `moved`: the first one did."""

    __slots__ = ("at", "values", "known", "others", "rounds", "moved")

    def __init__(self, of: "State | None" = None) -> None:
        self.at: list[int] = list(of.at) if of else []
        self.values: dict[int, int] = dict(of.values) if of else {}
        self.known: dict[int, int] = dict(of.known) if of else {}
        self.others: dict[int, frozenset[int]] = dict(of.others) if of else {}
        self.rounds: dict[int, Count] = dict(of.rounds) if of else {}
        self.moved: bool = of.moved if of else False


@final
class Follower:
    """`visits`: the tangled operations so far. `budget`: steps that may be gone through. `waits`: switches of after
    that leave open which invocations meet, which are executed with one of before."""

    def __init__(self, steps: Steps, terms: Terms) -> None:
        self.steps = steps
        self.terms = terms
        self.visits: dict[Visit, None] = {}
        self.budget = 0
        self.waits: dict[int, None] = {}

    def start(self) -> State:
        state = State()
        state.at = list(self.steps.starts)
        for variable, at in self.steps.own.items():
            self.begin(state, at, variable)
        return state

    # --- values -------------------------------------------------------------------------------------------------------

    def get(self, state: State, at: int, value: Value) -> int:
        """An operand of step `at`, as a term."""
        place = self.steps.place(at, value)
        while isinstance(value, Instr) and value.op == op.FunctionParameter and place not in state.values:
            at, value = self.steps.argument(at, value)  # the same as long as the call lasts
            place = self.steps.place(at, value)
        if value in self.terms.given:
            return self.terms.given[value]
        if isinstance(value, Instr) and value.op == op.Undef:
            return self.undefined(at, value.type)
        if isinstance(value, Instr) and value.op == op.Variable and place != NONE:
            return self.terms.make(f"& {place}")
        term = state.values.get(place, NONE)
        if term == NONE or not isinstance(value, Instr):
            raise Rejected(f"what {value!r} is at {self.steps.name(at)} is not said")
        known = state.known.get(term)
        if known is None or value.type is None or value.type not in self.terms.given:
            return term
        return self.terms.number(value.type, known)

    def undefined(self, at: int, type: Instr | None) -> int:
        kind = self.terms.given.get(type, NONE)
        return self.terms.make(f"undefined {kind}") if at < self.steps.split and kind != NONE else self.terms.symbol()

    def operands(self, state: State, at: int, instr: Instr) -> tuple[list[int], str, list[Instr]]:
        """The values among the operands, all else that tells operations apart, and the values' types."""
        terms: list[int] = []
        kinds: list[Instr] = []
        extras = [self.steps.marks.get(instr, "")]
        for operand in instr.operands:
            if isinstance(operand, Instr) and operand.type is not None:
                terms.append(self.get(state, at, operand))
                kinds.append(operand.type)
                extras.append("_")
            elif isinstance(operand, Instr) and operand.op == op.ExtInstImport and operand.text(0) == "GLSL.std.450":
                extras.append("GLSL")
            elif isinstance(operand, Value):
                raise Rejected(f"{name_of(instr)} of what is no value")
            else:
                extras.append(str(operand))
        if instr.op == op.ExtInst and any(each.op == op.TypePointer for each in kinds):
            raise Rejected("an instruction of GLSL.std.450 that writes through a pointer")
        return terms, " ".join(extras), kinds

    def evaluate(self, state: State, at: int, instr: Instr) -> int:
        """The value of a step that computes."""
        values, extras, kinds = self.operands(state, at, instr)
        assert instr.type is not None
        if instr.op in traits.OBJECT_CHAIN and values[0] in self.terms.own:
            self.judge_indices(kinds[0].instr(1), values[1:])
        if instr.op == op.CompositeExtract:
            whole = values[0]
            for place in instr.operands[1:]:
                whole = self.terms.part(whole, place if isinstance(place, int) else NONE)
            return whole
        if instr.op == op.CompositeConstruct and (instr.type.op != op.TypeVector or len(values) == instr.type.word(1)):
            return self.terms.make("m", tuple(values))
        return self.terms.operation(instr.op, instr.type, extras, values, kinds)

    def judge_indices(self, type: Instr, indices: list[int]) -> None:
        """Whether constants that index a variable of an invocation's own stay inside."""
        if not self.are_inside(type, indices):
            raise Rejected("an index into a variable of an invocation's own that is no constant, or past the end")

    def are_inside(self, type: Instr, indices: list[int]) -> bool:
        """Whether indices into a type are constants, none of them past the end."""
        for index in indices:
            place = self.terms.bits.get(index, NONE)
            count = len(type.operands)
            if type.op in (op.TypeVector, op.TypeMatrix):
                count = type.word(1)
            elif type.op == op.TypeArray:
                count = self.terms.bits.get(self.terms.given.get(type.value(1), NONE), 0)
            elif type.op != op.TypeStruct:
                return False  # of a length that is not declared
            if not 0 <= place < count:
                return False
            type = type.instr(place if type.op == op.TypeStruct else 0)
        return True

    def stays_inside(self, state: State, at: int, chain: Instr) -> bool:
        """Whether the indices of an access chain are known to be in bounds: it "causes undefined behavior if not"
        (SPIR-V 1.6, OpAccessChain)."""
        base = chain.instr(0)
        assert base.type is not None
        return self.are_inside(
            base.type.instr(1), [self.get(state, at, chain.value(each)) for each in range(1, len(chain.operands))]
        )

    def computes(self, instr: Instr) -> bool:
        """Whether a value follows from its operands alone, and is defined for all of them."""
        code = instr.op
        if instr.type is None or instr in self.steps.nowrap or code >= opcodes.FIRST_OWN:
            return False
        rule = traits.SPECULATABLE_IF.get(code, "")
        number = self.terms.given.get(instr.value(1), NONE) if rule and len(instr.operands) > 1 else NONE
        bits = self.terms.bits.get(number, NONE)
        width = instr.type.word(0) if instr.type.op == op.TypeInt else 0
        safe = 0 <= bits < width if rule == "shift" else "divisor" in rule and 0 < bits < (1 << width) - 1
        of_bits = traits.TANGLED.get(code) == "bits" and code != op.GroupNonUniformInverseBallot
        chains = code in traits.OBJECT_CHAIN or code in (op.ArrayLength, op.ImageTexelPointer)
        return code in traits.SPECULATABLE or rule == "number" or safe or of_bits or chains

    def begin(self, state: State, at: int, variable: Value) -> None:
        """What a variable holds at first."""
        assert isinstance(variable, Instr) and variable.type is not None
        given = variable.operands[1] if len(variable.operands) > 1 else None
        start = self.get(state, at, given) if isinstance(given, Value) else self.undefined(at, variable.type.instr(1))
        state.values[at] = start

    # --- one program, up to where it stops ----------------------------------------------------------------------------

    def run(self, state: State, side: int) -> str:
        """Up to the next stop; what it is."""
        while True:
            spend(1)
            at = state.at[side]
            node = self.steps.nodes[at]
            self.budget -= 1
            if self.budget < 0:
                raise Rejected("there is more to go through than the lines leave")
            if at in self.steps.heads:
                return HEAD
            if isinstance(node, (If, Switch)):
                target = self.target(state, at)
                if target is None or at in (self.steps.open_forks if side == 0 else self.waits):
                    return FORK
                self.go(state, side, target)
            elif isinstance(node, Block) and node is not self.steps.blocks[at]:
                self.go(state, side, node)
            elif isinstance(node, Instr) and node.op in (op.Return, op.ReturnValue, op.Unreachable):
                block = self.steps.blocks[at]
                call = self.steps.frames[at].get(block.function, NONE) if block and block.function else NONE
                if node.op == op.Unreachable or call == NONE:
                    return END
                if node.op == op.ReturnValue:
                    state.values[call] = self.get(state, at, node.value(0))
                self.move(state, side, call + 1)
            elif isinstance(node, Instr) and at in self.steps.callees:
                callee = node.operands[0]
                assert isinstance(callee, Function)
                frame = self.steps.callees[at]
                for number, param in enumerate(callee.params, 1):
                    state.values[frame[param]] = self.get(state, at, node.value(number))
                self.move(state, side, frame[callee.entry()])
            elif isinstance(node, Instr) and not self.executes(state, at, node):
                return EVENT
            else:
                state.at[side] = at + 1
            state.moved = state.moved or side == 0

    def executes(self, state: State, at: int, instr: Instr) -> bool:
        """Execute an instruction, unless it is an event."""
        code = instr.op
        own, places = self.own(self.get(state, at, instr.value(0))) if code in (op.Load, op.Store) else (NONE, [])
        if own != NONE:
            whole = state.values.get(own, NONE)
            if whole == NONE and (code == op.Load or places):
                raise Rejected(f"what {self.steps.name(own)} holds is not said")
            if code == op.Store:
                new = self.get(state, at, instr.value(1))
                state.values[own] = self.terms.replaced(whole, places, new) if places else new
            else:
                for place in places:
                    whole = self.terms.part(whole, place)
                state.values[at] = whole
        elif code == op.Load and is_constant(instr):
            values, extras, _ = self.operands(state, at, instr)
            state.values[at] = self.terms.make(f"load {extras} {self.terms.given.get(instr.type, NONE)}", tuple(values))
        elif code == op.Variable:
            self.begin(state, at, instr)
        elif self.computes(instr) and (code not in traits.OBJECT_CHAIN or self.stays_inside(state, at, instr)):
            state.values[at] = self.evaluate(state, at, instr)
        else:
            return code in _SILENT or (code == op.ExtInst and instr.instr(0).text(0).startswith("NonSemantic."))
        return True

    def own(self, pointer: int) -> tuple[int, list[int]]:
        """The variable of an invocation's own that a pointer leads into, -1 if it leads elsewhere; to which part."""
        places: list[int] = []
        tag, args = self.terms.keys[pointer]
        while tag.startswith((f"{op.AccessChain} ", f"{op.InBoundsAccessChain} ")):
            places = [*[self.terms.bits.get(arg, NONE) for arg in args[1:]], *places]
            tag, args = self.terms.keys[args[0]]
        if tag.startswith("& ") and NONE not in places:
            return int(tag[2:]), places
        if pointer in self.terms.own:
            raise Rejected("a pointer to a variable of an invocation's own that is no access chain")
        return NONE, []

    def go(self, state: State, side: int, target: Block | None) -> None:
        """To a block: what its phis become."""
        at = state.at[side]
        assert target is not None
        phis: list[tuple[int, int]] = []
        for phi in target.phis():
            for each in range(0, len(phi.operands), 2):
                if phi.operands[each + 1] is self.steps.blocks[at]:
                    phis.append((self.steps.place(at, phi), self.get(state, at, phi.value(each))))
        state.values.update(phis)
        self.move(state, side, self.steps.place(at, target))

    def move(self, state: State, side: int, target: int) -> None:
        """To another place: how often loops went round."""
        around, inside = self.steps.around[state.at[side]][0], self.steps.around[target][0]
        state.at[side] = target
        if target in self.steps.heads and target not in around:
            state.rounds[target] = (NONE, 0, 0)
        elif target in self.steps.heads and target in state.rounds:
            loop, times, number = state.rounds[target]
            state.rounds[target] = (loop, times, number + 1)
        for loop in around:
            if loop not in inside:
                state.rounds.pop(loop, None)

    # --- forks --------------------------------------------------------------------------------------------------------

    def fork(self, state: State, at: int) -> Fork:
        block = self.steps.blocks[at]
        assert block is not None
        value, arms = choices(block)
        assert value is not None
        term = self.get(state, at, value)
        targets = {bits: target for target, numbers, _ in arms for bits in numbers}
        tag, args = self.terms.keys[term]
        if tag == "not":
            term, targets = args[0], {bits ^ 1: target for bits, target in targets.items()}
            tag, args = self.terms.keys[term]
        for number in args if tag.startswith(f"{op.IEqual} ") else ():
            if number in self.terms.bits:
                return sum(args) - number, {self.terms.bits[number]: targets[1]}, targets[0]
        return term, targets, next((target for target, _, is_rest in arms if is_rest), None)

    def target(self, state: State, at: int) -> Block | None:
        """Where a fork leads, if that is known."""
        term, targets, other = self.fork(state, at)
        bits = self.terms.bits.get(term, state.known.get(term))
        if bits is not None:
            return targets.get(bits, other)
        excluded = state.others.get(term, frozenset())
        return other if len(targets) <= len(excluded) and excluded.issuperset(targets) else None

    def branch(self, state: State, side: int) -> list[State]:
        """All paths on from a fork."""
        known = self.target(state, state.at[side])
        if known is not None:
            self.go(state, side, known)
            return [state]
        term, targets, other = self.fork(state, state.at[side])
        excluded = state.others.get(term, frozenset())
        following: list[State] = []
        for bits in targets:
            if bits not in excluded:
                following.append(State(state))
                following[-1].known[term] = bits
                self.go(following[-1], side, targets[bits])
        if other is not None:
            state.others[term] = excluded | frozenset(targets)
            self.go(state, side, other)
            following.append(state)
        return following

    # --- both ---------------------------------------------------------------------------------------------------------

    def visit(self, state: State, after: int) -> None:
        counts: list[Count | None] = []
        for head in (*self.steps.around[state.at[0]][0], *(self.steps.around[after][0] if after != NONE else ())):
            count = state.rounds.get(head)
            if count is not None and count[0] != NONE:
                now = state.rounds.get(count[0], (NONE, 0, 0))
                count = (count[0], count[1], count[2] - count[1] * now[2]) if now[0] == count[0] else None
            counts.append(count)
        self.visits[state.at[0], after, tuple(counts)] = None

    def event(self, state: State, side: int) -> tuple[str, tuple[int, ...]]:
        """What makes an event the same as another one."""
        at = state.at[side]
        instr = self.steps.nodes[at]
        assert isinstance(instr, Instr)
        if instr.op not in _EVENTS or instr.op >= opcodes.FIRST_OWN:
            raise Rejected(f"{name_of(instr)} is no instruction that the checker knows")
        values, extras, _ = self.operands(state, at, instr)
        if any(value in self.terms.own for value in values):
            raise Rejected(f"{name_of(instr)} of a variable of an invocation's own")
        kind = self.terms.given.get(instr.type, NONE)
        return f"{instr.op} {kind} {self.steps.nowrap.get(instr, [])} {extras}", tuple(values)

    def next(self, state: State, stops: list[str]) -> list[State]:
        """What comes after the stops that both are at; the state is used up."""
        nodes = [self.steps.nodes[at] for at in state.at]
        first, second = nodes
        if stops[0] == END and isinstance(first, Instr):
            if first.op == op.Unreachable:
                return []
            if stops[1] == END and isinstance(second, Instr) and second.op == first.op:
                return []
        if HEAD in stops:
            state.at = [at + int(stop == HEAD) for at, stop in zip(state.at, stops, strict=True)]
            state.moved = state.moved or stops[0] == HEAD
            return [state]
        if stops[1] == FORK and state.at[1] not in self.waits:
            return self.branch(state, 1)
        if stops[0] == EVENT and isinstance(first, Instr):
            same = stops[1] == EVENT and self.event(state, 0) == self.event(state, 1)
            if same or not (first.op in _SEEN or is_volatile(first)):
                if first.op in traits.TANGLED:
                    self.visit(state, state.at[1] if same else NONE)
                result = self.terms.symbol()
                if first.op in traits.OBJECT_CHAIN:
                    result = self.evaluate(state, state.at[0], first)
                for side in (0, 1) if same else (0,):
                    state.values[state.at[side]] = result
                    state.at[side] += 1
                state.moved = True
                return [state]
        if stops[0] == FORK:
            same = stops[1] == FORK and state.at[0] in self.steps.open_forks and shape(first) == shape(second)
            same = same and self.fork(state, state.at[0])[0] == self.fork(state, state.at[1])[0]
            if state.at[0] in self.steps.open_forks:
                self.visit(state, state.at[1] if same else NONE)
            state.moved = True
            following = self.branch(state, 0)
            return [each for path in following for each in self.branch(path, 1)] if same else following
        raise Rejected(" meets ".join([f"{name_of(self.steps.nodes[at])} at {self.steps.name(at)}" for at in state.at]))


def shape(node: Value) -> list[tuple[list[int], bool, bool]]:
    """Of a switch: the values of each case, whether it is the default, whether the case before can go on to it."""
    assert isinstance(node, Switch)
    labels = node.labels()
    return [(sorted(labels[case]), case is node.default, bool(case.fallthroughs)) for case in node.cases]


def is_constant(load: Instr) -> bool:
    """Whether a load always gives the same."""
    pointer = load.instr(0)
    return len(load.operands) < 2 and pointer.op == op.Variable and pointer.word(0) in READ_ONLY
