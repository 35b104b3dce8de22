"""A control-flow tree as LLVM text: one native function in which a vector's lanes are invocations.

    If         a varying condition: mask & c, mask & ~c, a branch around an arm that no lane enters; uniform: a branch
    Loop       `at` (lanes of this trip), `more` (those that go on); leaves when none goes on; uniform: a branch
    Break ...  the lanes move into their target's mask: what the machine calls arriving at a frame
    call       the function's body, with a frame that its returns arrive at
    phi        a slot (alloca) that the ends of the blocks it comes from write; LLVM makes it a phi again
    barrier    nothing: a vector is the whole workgroup; a fault where not all are there

Where lanes part without a merge instruction they go on one tangle after the other, as the machine has them: those that
wait are in a slot, and at the end of the region where all meet again the last of them is taken up (`apart`).
"""

from dataclasses import dataclass, field
from typing import Any, Final

from reknit.ir import enums, op, traits
from reknit.ir.block import Block
from reknit.ir.function import Function
from reknit.ir.instr import Instr
from reknit.ir.jump import Break, Continue, Exit, Fallthrough, Jump
from reknit.ir.opcodes import ext_set
from reknit.ir.tree import Case, Construct, If, Loop, Region, Scope, Switch
from reknit.ir.value import Value
from reknit.ir.walk import nodes_in
from reknit.sim.faults import describe
from reknit.sim.jit.arithmetic import MAY_FAULT, SHIFTED
from reknit.sim.jit.facts import enclosing, is_inside, use_blocks, ways_on
from reknit.sim.jit.memory import Memory
from reknit.sim.jit.text import GONE, NONE_HERE, Mask, Refused, Shaped, Val, constant, leaves, number, rebuilt
from reknit.sim.pointers import is_pointer
from reknit.sim.values import null_value

CHEAP: Final = 12
"""Instructions of an arm that is not worth a branch around it."""
DEEPEST: Final = 100
"""Constructs in each other; Python's stack bounds them."""


@dataclass
class Frame:
    """What a construct or function needs while it is written. `end`: where lanes go that leave it all together;
    `arrived`: the slot of lanes that have jumped to its end, `more` of those that go on to a loop's next part."""

    end: str
    arrived: str = ""
    more: str = ""
    more_label: str = ""
    used: bool = False


@dataclass
class Waiting:
    """Lanes that parted from others: they are in `slot` until they go on at `label`."""

    slot: str
    label: str


@dataclass
class Meeting:
    """The region that is being written, at whose end lanes meet: the tangles that wait for their turn."""

    waiting: list[Waiting] = field(default_factory=list)


class Emitter(Memory):
    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self.frames: dict[Value, Frame] = {}
        self.phi_slots: dict[Instr, tuple[list[str], list[Val], Shaped]] = {}
        self.outward: dict[Instr, tuple[list[str], list[Val], Shaped]] = {}
        self.leaving: dict[Instr, bool] = {}
        self.returned: dict[Function, tuple[list[str], list[Val], Shaped]] = {}
        self.meetings: list[Meeting] = []
        self.breaking: dict[Block, Waiting] = {}  # breaks of constructs where none waits
        self.falling: dict[Block, Waiting] = {}
        self.depth = 0
        self.function: list[Function] = []

    # --- regions ------------------------------------------------------------------------------------------------------

    def region(self, region: Region, mask: Mask) -> Mask:
        """The lanes that reach its end; GONE where LLVM's control flow doesn't."""
        self.depth += 1
        if self.depth > DEEPEST:
            raise Refused(f"has more than {DEEPEST} constructs in each other")
        tails: list[str] = []
        tail = ""
        for node in region:
            if isinstance(node, Block):
                mask = self.block(node, mask)
                counted = any(instr.op == op.FunctionCall and instr.value(0) in self.facts.ends for instr in node)
            else:
                assert isinstance(node, Construct)
                mask = self.construct(node, mask)
                counted = node in self.facts.masked and (node in self.facts.escaping or not node.merged)
            if counted and mask not in (None, NONE_HERE, GONE):
                tail = tail or self.fresh("tail")
                rest = self.fresh("rest")
                tails.append(self.label)
                self.fork(self.any(mask), rest, tail)
                self.start(rest)
            if mask in (GONE, NONE_HERE):
                break
        self.depth -= 1
        if not tails:
            return mask
        last = self.label
        if mask != GONE:
            self.go(tail)
        self.start(tail)
        here = [f"[ zeroinitializer, {label} ]" for label in tails]
        if mask != GONE:
            here.append(f"[ {self.mask_text(mask)}, {last} ]")
        return self.let(f"phi {self.vec('i1')} {', '.join(here)}")

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
        waiting = Waiting(self.mask_slot(), self.fresh("resume"))
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
            if ways_on(node) > 1:
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
            return self.let(f"phi {self.vec('i1')} [ zeroinitializer, {skipped} ], [ {self.mask_text(done)}, {last} ]")
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
        self.start(after)
        return self.let(
            f"phi {self.vec('i1')} " + ", ".join([f"[ {self.mask_text(done)}, {label} ]" for done, label in here])
        )

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
        return self.let(f"phi {self.vec('i1')} [ zeroinitializer, {skipped} ], [ {self.mask_text(done)}, {last} ]")

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
            heads: list[tuple[str, str]] = []
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
            inside = self.let(f"phi {self.vec('i1')} " + ", ".join([f"[ {lanes}, {label} ]" for lanes, label in heads]))
            done = self.body(case.region, inside)
            if done != GONE:
                self.add_to(frame.arrived, done)
                self.go(turn)
        self.meetings.pop()
        self.start(turn)
        self.apart(meeting)

    # --- loops --------------------------------------------------------------------------------------------------------

    def loop(self, node: Loop, mask: Mask) -> Mask:
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
        lanes = self.vec("i1")
        at, frame.more = self.slot(lanes), self.slot(lanes)
        escapes = node in self.facts.escaping
        frame.arrived = self.mask_slot() if escapes else ""
        self.store_mask(at, mask)
        self.go(head)
        self.start(head)
        self.count_trip()
        here = self.load_mask(at)
        self.store_mask(frame.more, NONE_HERE)
        done = self.body(node.body, here)
        if done != GONE:
            self.add_to(frame.more, done)
            more = self.load_mask(frame.more)
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
            else:
                self.named_instr(instr, mask)
            if instr.has_result:
                self.keep(instr, block, mask)
        self.feed(block, mask)
        return self.jump(block, block.jump, mask)

    def feed(self, block: Block, mask: Mask) -> None:
        """What phis take from this block: all are read before any is written. A loop's header needs no mask, since
        lanes that have left read what `keep` kept for them."""
        phis = [user for user in block.users if isinstance(user, Instr) and user.op == op.Phi]
        writes: list[tuple[Instr, Shaped]] = []
        for phi in phis:
            for value, origin in zip(phi.operands[::2], phi.operands[1::2], strict=True):
                if origin is block:
                    assert isinstance(value, Value)
                    writes.append((phi, self.read(value, block)))
                    break
        for phi, value in writes:
            assert phi.block is not None
            region = phi.block.region
            assert region is not None
            owner = region.construct()
            header = isinstance(owner, Loop) and region is owner.body and phi.block.prev is None
            self.write_slots(self.phi_slot(phi), value, None if header else mask)

    def new_slots(self, instr: Instr, uniform: bool) -> tuple[list[str], list[Val], Shaped]:
        shape = self.globals.shape(instr.type)
        if shape is None:
            raise Refused("has a value of a type that native code has no values of")
        like = constant(shape, null_value(shape))
        kinds = [Val(leaf.type, "", uniform) for leaf in leaves(like)]
        return [self.slot(self.typed(kind)) for kind in kinds], kinds, like

    def write_slots(self, slots: tuple[list[str], list[Val], Shaped], value: Shaped, mask: Mask) -> None:
        for slot, kind, leaf in zip(slots[0], slots[1], leaves(value), strict=True):
            self.write(slot, kind, leaf, mask)

    def read_slots(self, slots: tuple[list[str], list[Val], Shaped]) -> Shaped:
        return rebuilt(slots[2], [self.read_slot(slot, kind) for slot, kind in zip(slots[0], slots[1], strict=True)])

    def phi_slot(self, phi: Instr) -> tuple[list[str], list[Val], Shaped]:
        slots = self.phi_slots.get(phi)
        if slots is None:
            slots = self.phi_slots[phi] = self.new_slots(phi, phi not in self.facts.varying)
        return slots

    def keep(self, instr: Instr, block: Block, mask: Mask) -> None:
        """A value that is read outside its region goes through a slot: LLVM may not come through here on its way
        there. Where lanes leave a loop at different times, each keeps what it had."""
        if instr not in self.values or is_pointer(instr):
            return
        if not self.leaves_region(instr, block):
            self.outward.pop(instr, None)
            return
        slots = self.outward.get(instr)
        if slots is None:
            slots = self.outward[instr] = self.new_slots(instr, not self.stays_apart(instr, block))
        self.write_slots(slots, self.values[instr], mask)

    def stays_apart(self, instr: Instr, block: Block) -> bool:
        """Whether the slot of a value must hold one a lane."""
        if instr in self.facts.varying:
            return True
        users = [use for use in use_blocks(instr, self.facts.forwarded) if use is not block]
        return any(self.facts.reads_varying(instr, use) for use in users)

    def leaves_region(self, instr: Instr, block: Block) -> bool:
        known = self.leaving.get(instr)
        if known is None:
            region = block.region
            assert region is not None
            if self.facts.is_split(block):
                known = any(use is not block for use in use_blocks(instr, self.facts.forwarded))
            else:
                known = any(not is_inside(use, region) for use in use_blocks(instr, self.facts.forwarded))
            self.leaving[instr] = known
        return known

    def read(self, value: Value, at: Block | None) -> Shaped:
        if value in self.globals.values:
            shape = self.globals.shape(value.type) if isinstance(value, Instr) else None
            if shape is None:
                raise Refused("uses a constant of a type that native code has no values of")
            return constant(shape, self.globals.values[value])
        assert isinstance(value, Instr)
        if value.op == op.Undef:
            shape = self.globals.shape(value.type)
            assert shape is not None
            return constant(shape, null_value(shape))
        slots = self.outward.get(value)
        if slots is not None and value.block is not at:
            return self.read_slots(slots)
        if value not in self.values:
            raise Refused("uses a value that native code has not")
        return self.values[value]

    # --- instructions -------------------------------------------------------------------------------------------------

    def named_instr(self, instr: Instr, mask: Mask) -> None:
        try:
            self.instr(instr, mask)
        except Refused as reason:
            text = str(reason)
            if not text.startswith("is "):
                raise
            raise Refused(f"has {describe(instr)}, which {text}") from None

    def instr(self, instr: Instr, mask: Mask) -> None:
        code = instr.op
        if code == op.Phi:
            self.values[instr] = self.read_slots(self.phi_slot(instr))
            return
        known = traits.SIM.get(code, "")
        if known == "nothing" or code in traits.CHAIN or (is_pointer(instr) and code == op.CopyObject):
            if code in (op.PtrAccessChain, op.InBoundsPtrAccessChain):
                raise Refused("steps over elements of a pointer")
            return
        if is_pointer(instr) and code != op.Variable:
            raise Refused("goes through a pointer that is computed")
        if code in (op.Variable, op.Load, op.Store):
            self.access(instr, mask)
        elif code == op.ArrayLength:
            self.values[instr] = self.array_length(instr, mask)
        elif code in traits.ATOMIC:
            self.values[instr] = self.atomic(instr, mask)
        elif code == op.ControlBarrier:
            self.barrier(instr, mask)
        elif code == op.MemoryBarrier:
            return
        elif code == op.DemoteToHelperInvocation:
            self.add_to(self.helpers, mask)
        elif code == op.IsHelperInvocationEXT:
            self.values[instr] = Val("i1", self.load_mask(self.helpers)) if self.helpers else number("i1", 0)
        elif code == op.ExtInst:
            self.extended_instr(instr, mask)
        elif code == op.ExpectKHR:
            self.values[instr] = self.read(instr.value(0), instr.block)
        else:
            self.plain(instr, known, mask)

    def access(self, instr: Instr, mask: Mask) -> None:
        forwarded = self.facts.forwarded
        if instr.op == op.Load:
            known = instr.operands[0] in forwarded
            self.values[instr] = self.read(forwarded[instr.instr(0)], instr.block) if known else self.load(instr, mask)
        elif instr.op == op.Variable:
            if instr not in forwarded:
                self.enter_variable(instr)
        elif instr.operands[0] not in forwarded:
            self.store(instr, mask)

    def plain(self, instr: Instr, known: str, mask: Mask) -> None:
        given = [operand for operand in instr.operands if isinstance(operand, Value)]
        if known.startswith("group"):
            if instr.op in traits.SCOPED:
                scope = self.globals.values.get(given[0])
                given = given[1:]
                if scope != enums.ScopeSubgroup:
                    raise Refused("is a group operation of another scope than the subgroup")
        elif known not in FREE:
            raise Refused("is an instruction that native code is not made for")
        operands = [self.read(value, instr.block) for value in given]
        shapes = [self.program.preparation.shape(value) for value in given]
        shape = self.program.preparation.shape(instr)
        if known.startswith("group"):
            self.values[instr] = self.group(instr, shapes, operands, mask)
        else:
            self.values[instr] = self.compute(instr, shape, shapes, operands, mask)

    def extended_instr(self, instr: Instr, mask: Mask) -> None:
        name = instr.instr(0).text(0)
        known = ext_set(name)
        if name.startswith(("NonSemantic.", "OpenCL.DebugInfo", "DebugInfo")) or (
            known is not None and known.nonsemantic
        ):
            return
        given = [instr.value(at) for at in range(2, len(instr.operands))]
        if name != "GLSL.std.450" or any(is_pointer(value) for value in given):
            raise Refused("is an extended instruction that native code is not made for")
        shapes = [self.program.preparation.shape(value) for value in given]
        operands = [self.read(value, instr.block) for value in given]
        shape = self.program.preparation.shape(instr)
        self.values[instr] = self.glsl(instr.word(1), shape, shapes, operands, mask)

    def barrier(self, instr: Instr, mask: Mask) -> None:
        scope = self.globals.values.get(instr.value(0))
        if scope != enums.ScopeWorkgroup:
            return
        if self.vectors > 1:
            raise Refused("has a barrier of a workgroup that is larger than a vector")
        if mask is None or mask == self.every:
            return
        missing = self.without(self.every, mask)
        self.fault_if(Val("i1", self.any(missing), True), None)

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
            else:
                self.values[parameter] = self.read(argument, instr.block)
        after = self.function_body(callee, mask)
        if instr.type is not None and callee.result.op != op.TypeVoid and callee in self.returned and after != GONE:
            self.values[instr] = self.read_slots(self.returned[callee])
        return after

    def function_body(self, function: Function, mask: Mask) -> Mask:
        if function.blocks or not function.structured:
            raise Refused("is in a function without structure")
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

    # --- jumps --------------------------------------------------------------------------------------------------------

    def jump(self, block: Block, jump: Jump | None, mask: Mask) -> Mask:
        if jump is None:
            return mask
        if isinstance(jump, Exit):
            return self.exit(block, jump, mask)
        if isinstance(jump, Fallthrough):
            self.add_to(self.falling[block].slot, mask)
            return NONE_HERE
        if block in self.breaking:
            self.add_to(self.breaking[block].slot, mask)
            return NONE_HERE
        assert isinstance(jump, (Break, Continue))
        target = jump.target
        frame = self.frames[target]
        frame.used = True
        if target in self.facts.masked:
            slot = frame.more if isinstance(jump, Continue) else frame.arrived
            if slot:
                self.add_to(slot, mask)
            return NONE_HERE
        self.go(frame.more_label if isinstance(jump, Continue) else frame.end)
        return GONE

    def exit(self, block: Block, jump: Exit, mask: Mask) -> Mask:
        instr, function = jump.instr, block.function
        assert function is not None
        frame = self.frames[function]
        masked = function in self.facts.masked
        if instr.op in (op.Return, op.ReturnValue) or (instr.op == op.Kill and self.program.preparation.kill_demotes):
            if instr.op == op.ReturnValue:
                given = self.read(instr.value(0), block)
                slots = self.returned.get(function)
                if slots is None:
                    uniform = not masked and not self.facts.returns_varying(function)
                    kinds = [Val(leaf.type, "", uniform) for leaf in leaves(given)]
                    slots = self.returned[function] = [self.slot(self.typed(kind)) for kind in kinds], kinds, given
                self.write_slots(slots, given, mask)
            elif instr.op == op.Kill:
                self.add_to(self.helpers, mask)
            frame.used = True
            if masked:
                self.add_to(frame.arrived, mask)
                return NONE_HERE
            self.go(frame.end)
            return GONE
        if instr.op == op.Unreachable:
            self.go("%fault")
            return GONE
        if instr.op not in (op.Kill, op.TerminateInvocation):
            raise Refused("ends an invocation in a way that native code is not made for")
        if masked:
            return NONE_HERE
        self.go("%done")
        return GONE


FREE: Final = frozenset(("integer", "bits", "float", "logic", "composite", "convert", "linear", "dot"))
QUIET: Final = (
    enums.StorageClassFunction, enums.StorageClassPrivate, enums.StorageClassOutput, enums.StorageClassInput,
)  # fmt: skip
