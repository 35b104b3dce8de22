"""Values that LLVM's rule of dominance would forbid to read: they go through slots, which it makes phis of again.

    phi                           a slot that the ends of the blocks it comes from write
    read outside its region       a slot that is written where it is computed; where all lanes have the same in a loop's
                                  trip, and leave it at different times, one for all in the loop and one a lane
"""

from typing import Any

from reknit.ir import op
from reknit.ir.block import Block
from reknit.ir.instr import Instr
from reknit.ir.tree import Loop
from reknit.ir.value import Value
from reknit.sim.jit.pointers import Pointers
from reknit.sim.jit.text import Mask, Refused, Shaped, Val, constant, leaves, rebuilt
from reknit.sim.pointers import is_pointer
from reknit.sim.values import U32, null_value


class Slots(Pointers):
    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self.phi_slots: dict[Instr, tuple[list[str], list[Val], Shaped]] = {}
        self.outward: dict[Instr, tuple[list[str], list[Val], Shaped]] = {}
        self.of_all: dict[Instr, tuple[list[str], list[Val], Shaped]] = {}
        self.leaving: dict[Instr, bool] = {}

    def feed(self, block: Block, mask: Mask) -> None:
        """What phis take from this block: all are read before any is written. A loop's header needs no mask, since
        lanes that have left read what `keep` kept for them."""
        phis = [user for user in block.users if isinstance(user, Instr) and user.op == op.Phi]
        writes = [(phi, self.read(self.facts.by_source(phi)[block], block)) for phi in phis]
        for phi, value in writes:
            assert phi.block is not None
            region = phi.block.region
            assert region is not None
            owner = region.construct()
            header = isinstance(owner, Loop) and region is owner.body and phi.block.prev is None
            self.write_slots(self.phi_slot(phi), value, None if header else mask)

    def new_slots(self, instr: Instr, uniform: bool) -> tuple[list[str], list[Val], Shaped]:
        if is_pointer(instr):
            self.object_of(instr)
        shape = U32 if is_pointer(instr) else self.globals.shape(instr.type)
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
        if instr not in self.values:
            return
        if not self.leaves_region(instr, block):
            self.outward.pop(instr, None)
            return
        slots = self.outward.get(instr)
        if slots is None:
            uniform = instr not in self.facts.varying
            differs = uniform and self.differs_behind(instr, block)
            slots = self.outward[instr] = self.new_slots(instr, uniform and not differs)
            if differs:
                self.of_all[instr] = self.new_slots(instr, True)
        self.write_slots(slots, self.values[instr], mask)
        if instr in self.of_all:
            self.write_slots(self.of_all[instr], self.values[instr], mask)

    def differs_behind(self, instr: Instr, block: Block) -> bool:
        """Whether what all lanes have in common differs where it is read: behind a loop that they leave at different
        times."""
        users = [use for use in self.facts.use_blocks(instr) if use is not block]
        return any(self.facts.reads_varying(instr, use) for use in users)

    def leaves_region(self, instr: Instr, block: Block) -> bool:
        known = self.leaving.get(instr)
        if known is None:
            region = block.region
            assert region is not None
            if self.facts.is_split(block):
                known = any(use is not block for use in self.facts.use_blocks(instr))
            else:
                known = any(not self.facts.is_inside(use, region) for use in self.facts.use_blocks(instr))
            self.leaving[instr] = known
        return known

    def read(self, value: Value, at: Block | None) -> Shaped:
        if isinstance(value, Instr) and is_pointer(value):
            known = self.pointer_value(value, at)
            if known is not None:
                return known
            if value not in self.values:
                raise Refused("goes through a pointer that native code is not made for")
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
            if value in self.of_all and at is not None and not self.facts.reads_varying(value, at):
                return self.read_slots(self.of_all[value])
            return self.read_slots(slots)
        if value not in self.values:
            raise Refused("uses a value that native code has not")
        return self.values[value]
