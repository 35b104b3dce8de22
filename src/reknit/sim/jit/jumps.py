"""How lanes leave a block: into the mask of what they jump to, which is what the machine calls arriving at a frame."""

from dataclasses import dataclass
from typing import Any

from reknit.ir import op
from reknit.ir.block import Block
from reknit.ir.function import Function
from reknit.ir.jump import Break, Continue, Exit, Fallthrough, Jump
from reknit.ir.value import Value
from reknit.sim.jit.instructions import Instructions
from reknit.sim.jit.text import GONE, NONE_HERE, Mask, Refused, Shaped, Val, leaves


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


class Jumps(Instructions):
    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self.frames: dict[Value, Frame] = {}
        self.returned: dict[Function, tuple[list[str], list[Val], Shaped]] = {}
        self.breaking: dict[Block, Waiting] = {}  # breaks of constructs where none waits
        self.falling: dict[Block, Waiting] = {}

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
