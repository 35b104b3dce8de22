"""One instruction: by the kind that the table of opcodes gives it, to what writes it."""

from typing import Final

from reknit.ir import enums, op, traits
from reknit.ir.instr import Instr
from reknit.ir.opcodes import ext_set
from reknit.ir.value import Value
from reknit.sim.faults import describe
from reknit.sim.jit.images import KNOWN, is_image
from reknit.sim.jit.pointers import ELEMENTS
from reknit.sim.jit.slots import Slots
from reknit.sim.jit.text import Mask, Refused, Val, number
from reknit.sim.ops.directed import is_directed
from reknit.sim.pointers import is_pointer, needs_address
from reknit.source.meter import spend

FREE: Final = frozenset(("integer", "bits", "float", "logic", "composite", "convert", "linear", "dot"))


class Instructions(Slots):
    def named_instr(self, instr: Instr, mask: Mask) -> None:
        try:
            self.instr(instr, mask)
        except Refused as reason:
            text = str(reason)
            if not text.startswith("is "):
                raise
            raise Refused(f"has {describe(instr)}, which {text}") from None

    def instr(self, instr: Instr, mask: Mask) -> None:
        spend(1)
        code = instr.op
        if code == op.Phi:
            self.values[instr] = self.read_slots(self.phi_slot(instr))
            return
        known = traits.SIM.get(code, "")
        if known == "nothing" or code in traits.CHAIN or (is_pointer(instr) and code == op.CopyObject):
            if code in ELEMENTS:
                self.step_over(instr, mask)
            elif is_pointer(instr) and needs_address(instr):
                self.take(instr, mask)
            return
        if is_image(instr) and code in KNOWN:
            return  # see `image`
        if is_pointer(instr) and code == op.ImageTexelPointer:
            return
        if is_pointer(instr) and code == op.Select:
            self.choose(instr)
            return
        if is_pointer(instr) and code != op.Variable:
            raise Refused("goes through a pointer that native code is not made for")
        if code in (op.Variable, op.Load, op.Store):
            self.access(instr, mask)
        elif known == "image" and code != op.ImageWrite:
            reads = code in (op.ImageRead, op.ImageFetch)
            self.values[instr] = self.read_texel(instr, mask) if reads else self.query(instr, mask)
        elif known == "image":
            self.write_texel(instr, mask)
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
            if traits.COMES.get(instr.op) == "scope" and mask is not None and mask != self.every:
                raise Refused("must be executed by all of its group, and native code can't tell whether they come")
        elif known not in FREE:
            raise Refused("is an instruction that native code is not made for")
        if is_directed(self.globals.decorations.number(instr, enums.DecorationFPRoundingMode)):
            raise Refused("is rounded as FPRoundingMode says")
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
