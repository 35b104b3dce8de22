"""A control-flow tree as LLVM text: one native function in which a vector's lanes are invocations.

    If         a varying condition: mask & c, mask & ~c, a branch around an arm that no lane enters; uniform: a branch
    Loop       `at` (lanes of this trip), `more` (those that go on); leaves when none goes on; uniform: a branch
    Break ...  the lanes move into their target's mask: what the machine calls arriving at a frame
    call       the function's body, with a frame that its returns arrive at
    phi        a slot (alloca) that the ends of the blocks it comes from write; LLVM makes it a phi again
    barrier    nothing: a vector is the whole workgroup; a fault where not all are there

Where lanes part without a merge instruction they go on one tangle after the other, as the machine has them: those that
wait are in a slot, and at the end of the region where all meet again the last of them is taken up (`apart`). What
writes a construct writes those in it, so that they share this file.
"""

from dataclasses import dataclass, field
from typing import Any, Final

from reknit.ir import enums, op, traits
from reknit.ir.block import Block
from reknit.ir.function import Function
from reknit.ir.instr import Instr
from reknit.ir.jump import Exit
from reknit.ir.tree import Case, Construct, If, Loop, Region, Scope, Switch
from reknit.ir.walk import nodes_in
from reknit.sim.jit.arithmetic import MAY_FAULT, SHIFTED
from reknit.sim.jit.facts import enclosing
from reknit.sim.jit.images import is_image
from reknit.sim.jit.instructions import FREE
from reknit.sim.jit.jumps import Frame, Jumps, Waiting
from reknit.sim.jit.text import GONE, NONE_HERE, Mask, Refused, Val, number
from reknit.sim.pointers import is_pointer, needs_address

CHEAP: Final = 12
"""Instructions of an arm that is not worth a branch around it."""
MAX_DEPTH: Final = 100
"""Constructs in each other; Python's stack bounds them."""


@dataclass
class Tail:
    """The end of the region that is being written: where control goes from a place that no lane gets past."""

    label: str = ""
    sources: list[str] = field(default_factory=list)


@dataclass
class Meeting:
    """The region that is being written, at whose end lanes meet: the tangles that wait for their turn."""

    waiting: list[Waiting] = field(default_factory=list)


class Emitter(Jumps):
    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self.meetings: list[Meeting] = []
        self.tails: list[Tail] = []
        self.empty: list[str] = []  # slots of lanes that wait: empty when a vector starts
        self.some: Mask = None  # the last mask that is known to have lanes
        self.depth = 0
        self.has_loops = False
        self.function: list[Function] = []

    # --- regions ------------------------------------------------------------------------------------------------------

    def region(self, region: Region, mask: Mask, without_lanes: str = "") -> Mask:
        """The lanes that reach its end; GONE where LLVM's control flow doesn't. Where no lane is left, control goes to
        the end, or to `without_lanes`."""
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise Refused(f"has more than {MAX_DEPTH} constructs in each other")
        tail = Tail(without_lanes)
        self.tails.append(tail)
        for node in region:
            if isinstance(node, Block):
                mask = self.block(node, mask)
            else:
                assert isinstance(node, Construct)
                mask = self.construct(node, mask)
                if node in self.facts.masked and (node in self.facts.escaping or not node.merged):
                    self.go_on_with(mask)
            if mask in (GONE, NONE_HERE):
                break
        self.tails.pop()
        self.depth -= 1
        if not tail.sources or without_lanes:
            return mask
        last = self.label
        if mask != GONE:
            self.go(tail.label)
        self.start(tail.label)
        here: list[tuple[Mask, str]] = [(NONE_HERE, label) for label in tail.sources]
        if mask != GONE:
            here.append((mask, last))
        return self.joined_masks(here)

    def go_on_with(self, mask: Mask) -> None:
        """What comes next in the region is run where there are lanes: what is the same for all is not masked."""
        if mask in (None, NONE_HERE, GONE):
            return
        tail = self.tails[-1]
        tail.label = tail.label or self.fresh("tail")
        rest = self.fresh("rest")
        tail.sources.append(self.label)
        self.fork(self.any(mask), rest, tail.label)
        self.start(rest)
        self.some = mask

    def body(self, region: Region, mask: Mask) -> Mask:
        """A region at whose end lanes meet: of a merged construct, a loop, a function."""
        if region not in self.facts.split:
            return self.region(region, mask)
        done = self.mask_slot()
        meeting = Meeting()
        self.meetings.append(meeting)
        end = self.region(region, mask)
        self.meetings.pop()
        if end == GONE:
            return GONE
        self.add_to(done, end)
        self.apart(meeting)
        return self.load_mask(done)

    def apart(self, meeting: Meeting) -> None:
        """The tangle that was here is done: the one that waits last goes on, until none does."""
        for waiting in reversed(meeting.waiting):
            onward = self.fresh("onward")
            self.fork(self.any(self.load_mask(waiting.slot)), waiting.label, onward)
            self.start(onward)

    def wait(self) -> Waiting:
        waiting = Waiting(self.slot(self.mask_type()), self.fresh("resume"))
        self.empty.append(waiting.slot)
        if not self.meetings:
            raise Refused("splits invocations where native code doesn't expect it")
        self.meetings[-1].waiting.append(waiting)
        return waiting

    def resume(self, waiting: Waiting) -> str:
        """The lanes that waited, at the start of what they go on with."""
        self.start(waiting.label)
        mask = self.load_mask(waiting.slot)
        self.store_mask(waiting.slot, NONE_HERE)
        return mask

    # --- constructs ---------------------------------------------------------------------------------------------------

    def construct(self, node: Construct, mask: Mask) -> Mask:
        if isinstance(node, Loop):
            return self.loop(node, mask)
        if not node.merged and node in self.facts.masked:
            for block in node.breaks:
                self.refuse_again(block, node)
            if node in self.facts.loose:
                return self.unmerged(node, mask)
        if isinstance(node, Scope):
            return self.scope(node, mask)
        if isinstance(node, Switch):
            return self.switch(node, mask)
        assert isinstance(node, If)
        return self.masked_if(node, mask) if node in self.facts.masked else self.uniform_if(node, mask)

    def uniform_if(self, node: If, mask: Mask) -> Mask:
        yes, no, end = self.fresh("then"), self.fresh("else"), self.fresh("end")
        frame = self.frames[node] = Frame(end)
        condition = self.read(node.condition, node.before())
        self.fork(condition.text, yes, no)
        for region, label in ((node.then, yes), (node.orelse, no)):
            self.start(label)
            if self.body(region, mask) != GONE:
                frame.used = True
                self.go(end)
        if not frame.used:
            return GONE
        self.start(end)
        return mask

    def masked_if(self, node: If, mask: Mask) -> Mask:
        frame = self.frames[node] = Frame(self.fresh("end"))
        if node.breaks:
            frame.arrived = self.mask_slot()
        condition = self.read(node.condition, node.before())
        chosen = self.spread(condition)
        after: Mask = NONE_HERE
        arms = ((node.then, self.both(mask, chosen)), (node.orelse, self.without(mask, chosen)))
        for region, inside in arms:
            after = self.either(after, self.arm(region, inside))
        if node.merged and node not in self.facts.escaping:
            return mask
        if frame.arrived:
            after = self.either(after, self.load_mask(frame.arrived))
        return after

    def arm(self, region: Region, inside: Mask) -> Mask:
        """A region for some lanes, with a branch around it where that pays, or where it must not be run for none."""
        if inside == NONE_HERE:
            return NONE_HERE
        if not self.worth_branch(region):
            return self.body(region, inside)
        arm, over = self.fresh("arm"), self.fresh("over")
        skipped = self.label
        self.fork(self.any(inside), arm, over)
        self.start(arm)
        done = self.body(region, inside)
        last = self.label
        if done == GONE:
            done = NONE_HERE
            self.start(over)
            return done
        self.go(over)
        self.start(over)
        if done != NONE_HERE and done != inside:
            return self.joined_masks([(NONE_HERE, skipped), (done, last)])
        return done

    def worth_branch(self, region: Region) -> bool:
        count = 0
        for node in nodes_in(region):
            if not isinstance(node, Block):
                if isinstance(node, (Loop, Switch)) or (isinstance(node, Construct) and node.breaks):
                    return True
                continue
            jump = node.jump
            if isinstance(jump, Exit) and jump.instr.op not in (op.Return, op.ReturnValue):
                return True
            for instr in node:
                known = traits.SIM.get(instr.op, "")
                if known == "nothing":
                    continue
                own = instr.op in (op.Load, op.Store) and self.chain(instr.instr(0)).storage() in QUIET
                if known not in FREE and not own and instr.op not in traits.CHAIN:
                    return True
                if instr.op in traits.CHAIN and needs_address(instr):
                    return True  # it is checked where it stands
                if instr.op in MAY_FAULT and self.may_fault(instr):
                    return True
                count += 1
        return count > CHEAP

    def may_fault(self, instr: Instr) -> bool:
        """Not a shift by a known amount, or a division by a known number."""
        by = self.globals.values.get(instr.value(1)) if len(instr.operands) == 2 else None
        if not isinstance(by, int):
            return True
        width = self.program.preparation.shape(instr).width
        return by >= width if instr.op in SHIFTED else by in (0, (1 << width) - 1)

    def scope(self, node: Scope, mask: Mask) -> Mask:
        frame = self.frames[node] = Frame(self.fresh("end"))
        if node not in self.facts.masked:
            done = self.body(node.body, mask)
            if done != GONE:
                self.go(frame.end)
            if done == GONE and not frame.used:
                return GONE
            self.start(frame.end)
            return mask
        frame.arrived = self.mask_slot()
        done = self.body(node.body, mask)
        if done == GONE:
            return GONE
        if node.merged and node not in self.facts.escaping:
            return mask
        return self.either(done, self.load_mask(frame.arrived))

    def unmerged(self, node: Construct, mask: Mask) -> Mask:
        """Two or more tangles come after it, and none waits for them: each goes on alone to the end of the region
        around, the first one now and the others when it is done."""
        self.frames[node] = Frame(self.fresh("end"))
        after = self.fresh("after")
        here: list[tuple[Mask, str]] = []
        for block in node.breaks:
            self.breaking[block] = self.wait()
        if isinstance(node, If):
            chosen = self.spread(self.read(node.condition, node.before()))
            arms = [(node.then, self.both(mask, chosen)), (node.orelse, self.without(mask, chosen))]
        elif isinstance(node, Switch):
            if any(case.fallthroughs for case in node.cases):
                raise Refused("has a switch without a merge block whose cases fall through")
            masks = self.chosen(node, mask)
            arms = [(case.region, masks[case]) for case in reversed(node.cases)]
        else:
            assert isinstance(node, Scope)
            arms = [(node.body, mask)]
        waiting = [self.wait() for _ in arms[1:]][::-1]  # the first arm's turn comes first
        for (_, inside), slot in zip(arms[1:], waiting, strict=True):
            self.store_mask(slot.slot, inside)
        for number_of, (region, inside) in enumerate(arms):
            if number_of:
                inside = self.resume(waiting[number_of - 1])
            elif len(arms) > 1:
                first = self.fresh("first")
                skip = self.fresh("skip")
                self.fork(self.any(inside), first, skip)
                self.start(skip)
                here.append((NONE_HERE, self.label))
                self.go(after)
                self.start(first)
            done = self.region(region, inside)
            if done != GONE:
                here.append((done, self.label))
                self.go(after)
        for block in node.breaks:
            lanes = self.resume(self.breaking[block])
            here.append((lanes, self.label))
            self.go(after)
        if not here:
            return GONE
        self.start(after)
        return self.joined_masks(here)

    def refuse_again(self, block: Block, until: Construct) -> None:
        """Lanes that come to a place more than once before they go on from it are more than one tangle there."""
        for construct in enclosing(block):
            if construct is until:
                return
            inner = [region for region in construct.regions() if region in self.facts.split]
            if (isinstance(construct, Loop) and construct in self.facts.masked) or inner:
                raise Refused("leaves a construct without a merge block from a loop, or from where invocations part")

    # --- switches -----------------------------------------------------------------------------------------------------

    def chosen(self, node: Switch, mask: Mask) -> dict[Case, Mask]:
        """The lanes that enter each case by their selector."""
        selector = self.read(node.selector, node.before())
        labels = node.labels()
        matching: dict[Case, Mask] = {}
        named: Mask = NONE_HERE
        for case in node.cases:
            here: Mask = NONE_HERE
            for literal in labels[case]:
                equal = self.compare("eq", selector, number(selector.type, literal))
                here = self.either(here, self.spread(equal))
            matching[case] = here
            named = self.either(named, here)
        for case in node.cases:
            if case is node.default:
                matching[case] = self.either(matching[case], self.without(None, named))
        return {case: self.both(mask, here) for case, here in matching.items()}

    def switch(self, node: Switch, mask: Mask) -> Mask:
        """A tangle a case. Where lanes meet at labels that are reached by fallthrough, cases run in their order, and
        take those that fall through along; where they don't, each goes through the rest alone."""
        frame = self.frames[node] = Frame(self.fresh("end"))
        frame.arrived = self.mask_slot()
        masks = self.chosen(node, mask)
        falls = any(case.fallthroughs for case in node.cases)
        if falls and not self.facts.joins:
            if not node.merged:
                raise Refused("has a switch without a merge block whose cases fall through")
            self.falling_apart(node, frame, masks)
        else:
            slots = {case: self.mask_slot() for case in node.cases if case.fallthroughs}
            for case in node.cases:
                for block in case.fallthroughs:
                    self.falling[block] = Waiting(slots[case], "")
            for case in node.cases if falls else reversed(node.cases):
                inside = masks[case]
                if case in slots:
                    inside = self.either(inside, self.load_mask(slots[case]))
                done = self.always_arm(case.region, inside)
                self.add_to(frame.arrived, done)
        if node.merged and node not in self.facts.escaping:
            return mask
        return self.load_mask(frame.arrived)

    def always_arm(self, region: Region, inside: Mask) -> Mask:
        if inside == NONE_HERE:
            return NONE_HERE
        arm, over = self.fresh("case"), self.fresh("over")
        skipped = self.label
        self.fork(self.any(inside), arm, over)
        self.start(arm)
        done = self.body(region, inside)
        last = self.label
        if done == GONE:
            self.start(over)
            return NONE_HERE
        self.go(over)
        self.start(over)
        return self.joined_masks([(NONE_HERE, skipped), (done, last)])

    def falling_apart(self, node: Switch, frame: Frame, masks: dict[Case, Mask]) -> None:
        """Tangles that enter a label and those that fall through to it go on alone."""
        meeting = Meeting()
        self.meetings.append(meeting)
        entering = {case: self.wait() for case in node.cases if masks[case] != NONE_HERE}
        for case in node.cases:
            for block in case.fallthroughs:
                self.refuse_again(block, node)
                self.falling[block] = self.wait()
        for case, waiting in entering.items():
            self.store_mask(waiting.slot, masks[case])
        turn = self.fresh("turn")
        self.go(turn)
        for case in node.cases:
            heads: list[tuple[Mask, str]] = []
            entry = self.fresh("case")
            sources = [self.falling[block] for block in case.fallthroughs]
            if case in entering:
                sources.append(entering[case])
            if not sources:
                continue
            for waiting in sources:
                lanes = self.resume(waiting)
                heads.append((lanes, self.label))
                self.go(entry)
            self.start(entry)
            inside = self.joined_masks(heads)
            done = self.body(case.region, inside)
            if done != GONE:
                self.add_to(frame.arrived, done)
                self.go(turn)
        self.meetings.pop()
        self.start(turn)
        self.apart(meeting)

    # --- loops --------------------------------------------------------------------------------------------------------

    def loop(self, node: Loop, mask: Mask) -> Mask:
        self.has_loops = True
        head, leave = self.fresh("loop"), self.fresh("leave")
        frame = self.frames[node] = Frame(leave)
        if node.continuing in self.facts.split:
            raise Refused("splits invocations in a continuing part, without a merge block")
        if node not in self.facts.masked:
            frame.more_label = self.fresh("more")
            self.go(head)
            self.start(head)
            self.count_trip()
            done = self.body(node.body, mask)
            if done != GONE:
                self.go(frame.more_label)
            if done != GONE or node.continues:
                self.start(frame.more_label)
                if self.body(node.continuing, mask) != GONE:
                    self.go(head)
            if not frame.used:
                return GONE
            self.start(leave)
            return mask
        at, frame.more = self.slot(self.mask_type()), self.slot(self.mask_type())
        escapes = node in self.facts.escaping
        frame.arrived = self.mask_slot() if escapes else ""
        self.store_mask(at, mask)
        self.go(head)
        self.start(head)
        self.count_trip()
        here = self.load_mask(at)
        if node.continues or node.body in self.facts.split:
            self.store_mask(frame.more, NONE_HERE)
            more = self.body(node.body, here)
            if more != GONE:
                self.add_to(frame.more, more)
                more = self.load_mask(frame.more)
        else:
            more = self.region(node.body, here, leave)
        if more == NONE_HERE:
            self.go(leave)
        elif more != GONE:
            if more is None or more != self.some:
                again = self.fresh("again")
                self.fork(self.any(more), again, leave)
                self.start(again)
            onward = self.body(node.continuing, more)
            if onward != GONE:
                self.store_mask(at, onward)
                if onward == more:
                    self.go(head)
                else:
                    self.fork(self.any(onward), head, leave)
        self.start(leave)
        return self.load_mask(frame.arrived) if escapes else mask

    def count_trip(self) -> None:
        """A loop that never ends is a fault: the interpreter says which."""
        left = self.let("load i64, ptr %budget")
        less = self.let(f"sub i64 {left}, 1")
        self.line(f"store i64 {less}, ptr %budget")
        self.fault_if(Val("i1", self.let(f"icmp slt i64 {less}, 0"), True), None)

    # --- blocks -------------------------------------------------------------------------------------------------------

    def block(self, block: Block, mask: Mask) -> Mask:
        for instr in block:
            if instr.op == op.FunctionCall:
                mask = self.call_function(instr, mask)
                if mask in (GONE, NONE_HERE):
                    return mask
                if instr.value(0) in self.facts.ends:
                    self.go_on_with(mask)
            else:
                self.named_instr(instr, mask)
            if instr.has_result:
                self.keep(instr, block, mask)
        self.feed(block, mask)
        return self.jump(block, block.jump, mask)

    # --- calls --------------------------------------------------------------------------------------------------------

    def call_function(self, instr: Instr, mask: Mask) -> Mask:
        """The body of the function, written here."""
        callee = instr.value(0)
        assert isinstance(callee, Function)
        for at, parameter in enumerate(callee.params):
            argument = instr.value(at + 1)
            if is_pointer(argument):
                assert isinstance(argument, Instr)
                self.arguments[parameter] = argument
            elif is_image(argument):
                self.images[parameter] = self.image(argument)
            else:
                self.values[parameter] = self.read(argument, instr.block)
        after = self.function_body(callee, mask)
        if instr.type is not None and callee.result.op != op.TypeVoid and callee in self.returned and after != GONE:
            self.values[instr] = self.read_slots(self.returned[callee])
        return after

    def function_body(self, function: Function, mask: Mask) -> Mask:
        if function.blocks or not function.structured:
            raise Refused("is in a function without structure")
        self.settled = (None, {})
        frame = self.frames[function] = Frame(self.fresh("return"))
        masked = function in self.facts.masked
        if masked:
            frame.arrived = self.mask_slot()
        done = self.body(function.body, mask)
        if masked:
            if done == GONE:
                return GONE
            if function not in self.facts.ends:
                return mask
            return self.either(done, self.load_mask(frame.arrived))
        if done != GONE:
            self.go(frame.end)
        elif not frame.used:
            return GONE
        self.start(frame.end)
        return mask


QUIET: Final = (
    enums.StorageClassFunction, enums.StorageClassPrivate, enums.StorageClassOutput, enums.StorageClassInput,
)  # fmt: skip
