"""One level at a time: a jump over several constructs sets where it wants to go and leaves the innermost one.

    scope @o {                              scope @o {
      loop @l {                               level = 0
        if c { break @o }                     loop @l {
      }                              =>         if c { level = 1; break @l }
      rest                                    }
    }                                         if level == 1 { break @o }
                                              rest
                                            }

SPIR-V can leave the innermost loop (or end its iteration) from any depth of selections and switches, the innermost
switch from any depth of selections, and a selection only from right inside it (SPIR-V 1.6, 2.11.1). A jump that is none
of these becomes one that is, plus a jump after the construct it leaves, which is looked at in turn. One variable serves
a function; it is reset before each construct so left: what a test after it finds was set inside.
Invocations that leave the same construct next do so by one test, whatever they go to: levels further out have higher
numbers, so that this is `level >= 2` as a rule.

No tangle changes (SPV_KHR_maximal_reconvergence rev 2; a join waits for all that have not escaped it):
  - a lane that jumps escapes every frame up to that of the target; now it arrives at the frame of the construct it
    leaves, and escapes or arrives at those further out from there. Frames complete with the same arrivals, only later.
  - lanes that leave the construct otherwise meet the jumpers after it. The test that follows is a branch without a
    merge: the jumpers leave by one side; the others go on by the other as the tangle that they were, having executed
    nothing.
"""

from typing import Final, final

from reknit.ir import op
from reknit.ir.back_edge import leaves_by_back_edge
from reknit.ir.block import Block
from reknit.ir.build import new_block
from reknit.ir.cfg import predecessors
from reknit.ir.constants import int_constant
from reknit.ir.crossing import sources
from reknit.ir.edit import append, clear_jump, erase, insert_node_after, insert_node_before, set_condition, set_jump
from reknit.ir.function import Function
from reknit.ir.instr import Instr
from reknit.ir.jump import Break, Continue, Exit, Fallthrough
from reknit.ir.tree import Construct, If, Loop
from reknit.ir.types import bool_type, selector_type
from reknit.ir.value import Node, Value
from reknit.ir.walk import blocks, constructs, nodes_in
from reknit.passes.contract import NO_PHIS, SINGLE_LEVEL, STRUCTURED, Context, Pass
from reknit.passes.crossed import around, crossed_construct
from reknit.passes.demote import repair_dominance, undemotable
from reknit.passes.groupings import groupings_left, merge_groupings
from reknit.passes.one_trip import absorb_continuing
from reknit.passes.tidy.dead import erase_dead
from reknit.passes.tidy.redundant_jumps import is_needless
from reknit.passes.tidy.region_convergence import comes_out_whole
from reknit.passes.variables import local_variable
from reknit.source.meter import spend

KEEPS: Final = ("call-graph", "tangled")


def eliminate_multi_level_breaks(function: Function, context: Context) -> bool:
    """Make every jump one that SPIR-V can write. Costs the depth of each jump, and a test per construct and target."""
    changed = merge_groupings(function, context)
    left = _far(function)
    if context.declined or _is_stuck(function, context, left):
        return changed
    while _lower(function, context, left):
        changed = True
        merged = merge_groupings(function, context)  # the tests behind constructs jump to the ends of groupings, too
        before, left = left, _far(function)
        if context.declined or not left or not merged and len(left) >= len(before):
            break
    if changed:
        context.analyses.changed(function, KEEPS)
        repair_dominance(function, context)
    return changed


def has_far_jumps(function: Function) -> bool:
    """Whether the pass has anything to do."""
    if _far(function) or groupings_left(function):
        return True
    return any(isinstance(loop, Loop) and _leaves_early(loop) for loop in constructs(function))


def _far(function: Function) -> list[Block]:
    """The blocks whose jumps leave several constructs."""
    return [block for block in blocks(function) if crossed_construct(block) is not None]


def _lower(function: Function, context: Context, far: list[Block]) -> bool:
    """Make the jumps of `far` single ones; says whether anything changed."""
    changed = False
    for loop in constructs(function):
        if isinstance(loop, Loop) and _leaves_early(loop):
            absorb_continuing(loop)
            changed = True
    lowering = _Lowering(function, context)
    lowering.number_all(far)
    for block in far:
        lowering.lower(block)
        changed = True
    lowering.join_tests()
    lowering.end_where_all_leave()
    lowering.drop_needless()
    return changed


def _is_stuck(function: Function, context: Context, far: list[Block]) -> bool:
    """Whether a value can't follow where the jumps of `far` will go; says which."""
    left: dict[Construct, None] = {}
    for block in far:
        jump = block.jump
        assert isinstance(jump, (Break, Continue, Fallthrough))
        target: Value = jump.target.switch if isinstance(jump, Fallthrough) else jump.target
        construct = around(block.region)
        while construct is not None and construct is not target:
            left[construct] = None
            construct = around(construct.region)
    if not left:
        return False
    spans = Spans(function, left)
    for block, holder in spans.holders.items():
        for instr in block:
            if spans.is_used_outside(instr, holder) and undemotable(instr, context):
                name = f"%{instr.name}" if instr.name else "a value"
                reason = f"{name} is used after a construct that is left by a jump over several levels, and "
                context.decline("RK2201", reason + "fits in no variable", at=instr)
                return True
    return False


@final
class Spans:
    """Where nodes stand in source order, and by block the innermost of some constructs around it: a value that is used
    outside of any of them is used outside of that one. Costs the nodes once."""

    __slots__ = ("place", "end", "holders")

    def __init__(self, function: Function, chosen: dict[Construct, None]) -> None:
        self.place: dict[Node, int] = {}
        self.end: dict[Construct, int] = {}
        self.holders: dict[Block, Construct] = {}
        work: list[tuple[Node, Construct | None, bool]] = []
        if function.body.first is not None:
            work.append((function.body.first, None, False))
        while work:
            spend(1)
            node, holder, is_end = work.pop()
            if isinstance(node, Construct) and is_end:
                self.end[node] = len(self.place)
                continue
            self.place[node] = len(self.place)
            if node.next is not None:
                work.append((node.next, holder, False))
            if isinstance(node, Construct):
                work.append((node, None, True))
                inner = node if node in chosen else holder
                for region in reversed(node.regions()):
                    if region.first is not None:
                        work.append((region.first, inner, False))
            elif isinstance(node, Block) and holder is not None:
                self.holders[node] = holder

    def is_used_outside(self, value: Instr, construct: Construct) -> bool:
        for user in value.users:
            node: Node | None = None
            if isinstance(user, Construct):
                node = user
            elif isinstance(user, Instr):
                node = user.block
            place = self.place.get(node, -1) if node is not None else -1
            if place >= 0 and not self.place[construct] < place < self.end[construct]:
                return True
        return False


def _leaves_early(loop: Loop) -> bool:
    """Whether `continuing` is left as a continue construct can't be: only its end may leave the loop."""
    if loop.body.end().jump is not None and not loop.continues:
        return False
    inside: dict[Value, None] = {}
    for node in nodes_in(loop.continuing):
        if isinstance(node, Construct):
            inside[node] = None
        elif isinstance(node, Block):
            jump = node.jump
            if isinstance(jump, Exit):
                if jump.instr.op != op.Unreachable or _is_needed(node):
                    return True
            elif isinstance(jump, (Break, Continue)):
                leaves = jump.target not in inside
                if leaves and not leaves_by_back_edge(node, loop):
                    return True
    return False


def _is_needed(block: Block) -> bool:
    """Whether a block without successors is reached, or is the merge block of what stands before it."""
    construct = block.prev
    if block.first is not None or not block.padding or predecessors(block):
        return True
    if not isinstance(construct, If) or construct.merged:
        return construct is not None
    return not any(arm.entry().next is None and arm.entry().is_empty() for arm in construct.regions())


def _destination(jump: Break | Continue | Fallthrough) -> tuple[str, Value]:
    kind = "break" if isinstance(jump, Break) else "continue" if isinstance(jump, Continue) else "fallthrough"
    return kind, jump.target


def _depth(jump: Break | Continue | Fallthrough) -> int:
    """How many constructs are around what is left."""
    construct: Construct | None = jump.target.switch if isinstance(jump, Fallthrough) else jump.target
    depth = 0
    while construct is not None:
        depth += 1
        construct = around(construct.region)
    return depth


@final
class _Lowering:
    """The level variable of one function, the number of each destination, and the tests after each construct."""

    __slots__ = ("function", "context", "level", "numbers", "tests", "rest", "lowered", "gone")

    def __init__(self, function: Function, context: Context) -> None:
        self.function = function
        self.context = context
        self.level: Instr | None = None
        self.numbers: dict[tuple[str, Value], int] = {}
        self.tests: dict[Construct, dict[int, If]] = {}
        self.rest: dict[Construct, Block] = {}  # what followed a construct before its tests
        self.lowered: list[Block] = []  # what ends in a new break
        self.gone: dict[Block, None] = {}  # of these, what stands nowhere any more

    def number_all(self, far: list[Block]) -> None:
        """Number the destinations of what ends in jumps over several levels, those further in first."""
        depths: dict[tuple[str, Value], int] = {}
        for block in far:
            jump = block.jump
            assert isinstance(jump, (Break, Continue, Fallthrough))
            key = _destination(jump)
            if key not in depths:
                depths[key] = _depth(jump)
        for key in sorted(depths, key=depths.__getitem__, reverse=True):
            self.numbers[key] = len(self.numbers) + 1

    def lower(self, block: Block) -> None:
        """Bring the jump of `block`, which has to cross a construct, to its target a level at a time."""
        jump = block.jump
        assert isinstance(jump, (Break, Continue, Fallthrough))
        number = self.numbers[_destination(jump)]
        self.assign(block, number)
        step = crossed_construct(block)
        while step is not None:
            if not step.merged and comes_out_whole(step):
                step.merged = True  # those that now meet at its end diverge again behind it
            set_jump(block, Break(step))
            self.lowered.append(block)
            following = self.test(step, number)
            if following is None:  # others with the same destination came here
                return
            block = following
            set_jump(block, jump)
            step = crossed_construct(block)
        self.lowered.append(block)

    def join_tests(self) -> None:
        """Behind each construct, one test for all levels that leave the same construct next."""
        for tests in self.tests.values():
            ways: dict[Construct, list[int]] = {}
            for number, choice in tests.items():
                jump = choice.then.entry().jump
                if isinstance(jump, Break):
                    ways.setdefault(jump.target, []).append(number)
            for numbers in ways.values():
                if len(numbers) > 1:
                    self.join(tests, numbers)

    def join(self, tests: dict[int, If], numbers: list[int]) -> None:
        """Let the first of the tests for `numbers` be one for all of them."""
        kept = tests[numbers[0]]
        before = kept.before()
        same = kept.condition
        assert isinstance(same, Instr) and same.type is not None
        now = same.value(0)
        lowest = min(numbers)
        if all(number in numbers or number < lowest for number in tests):
            bound = self.constant(lowest)
            either = append(before, Instr(op.UGreaterThanEqual, same.type, [now, bound]))
            set_condition(kept, either)
            erase(same)
        else:
            either = same
            for number in numbers[1:]:
                other = append(before, Instr(op.IEqual, same.type, [now, self.constant(number)]))
                either = append(before, Instr(op.LogicalOr, same.type, [either, other]))
            set_condition(kept, either)
        for number in numbers[1:]:
            choice = tests.pop(number)
            self.gone[choice.then.entry()] = None
            erase_dead([choice.before(), choice], self.context.module)

    def end_where_all_leave(self) -> None:
        """Where no other lane comes out of a construct, the last test is none: its jump ends the block. An
        OpUnreachable behind the test could not stand in a continue construct (SPIR-V 1.6, 2.11: its back edge
        post-dominates it)."""
        for rest in self.rest.values():
            jump = rest.jump
            choice = rest.prev
            if rest.first is not None or rest.next is not None or not isinstance(choice, If):
                continue
            if not isinstance(jump, Exit) or jump.instr.op != op.Unreachable:
                continue
            before = choice.before()
            arm = choice.then.entry()
            leaving = arm.jump
            assert isinstance(leaving, (Break, Continue, Fallthrough))
            erase_dead([choice, rest], self.context.module)
            self.gone[arm] = None
            while before.last is not None:  # the test; nothing else stands there
                erase(before.last)
            set_jump(before, leaving)
            self.lowered.append(before)

    def drop_needless(self) -> None:
        """Let blocks go on where their new breaks lead anyway. An `if` with two lone paths to one place would have to
        be a selection for SPIR-V, since each path brings another level, and that may only be left by its own end."""
        for block in self.lowered:
            if block not in self.gone and is_needless(block):
                clear_jump(block)
        for tests in self.tests.values():
            for choice in tests.values():
                if choice.region is not None and choice.then.entry().jump is None:  # no lane is tested for
                    erase_dead([choice.before(), choice], self.context.module)

    def constant(self, number: int) -> Instr:
        return int_constant(self.context.module, selector_type(self.context.module), number)

    def assign(self, block: Block, number: int) -> None:
        """`level = number` at the end of `block`."""
        i32 = selector_type(self.context.module)
        if self.level is None:
            self.level = local_variable(self.function, self.context.module, i32, "level")
        for source in sources(block):
            append(source, Instr(op.Store, None, [self.level, self.constant(number)], "", False))

    def test(self, construct: Construct, number: int) -> Block | None:
        """Add `if level == number { ... }` after `construct`; the block in it, or None if it is there already."""
        tests = self.tests.get(construct)
        if tests is None:
            tests = {}
            self.tests[construct] = tests
            self.rest[construct] = construct.after()
            self.assign(construct.before(), 0)
            block = Block("", True)
            insert_node_after(construct, block)
        elif number in tests:
            return None
        else:
            block = Block("", True)
            insert_node_before(self.rest[construct], block)
        module = self.context.module
        i32 = selector_type(module)
        assert self.level is not None
        now = append(block, Instr(op.Load, i32, [self.level]))
        same = append(block, Instr(op.IEqual, bool_type(module), [now, self.constant(number)]))
        choice = If(same)
        choice.merged = False
        tests[number] = choice
        insert_node_after(block, choice)
        new_block(choice.orelse)
        return new_block(choice.then)


ELIMINATE_MULTI_LEVEL_BREAKS: Final = Pass(
    "eliminate-multi-level-breaks",
    "leave loops and switches one at a time, as SPIR-V can",
    eliminate_multi_level_breaks,
    needs=(STRUCTURED, NO_PHIS),
    gives=(SINGLE_LEVEL,),
    keeps=KEEPS,
)
