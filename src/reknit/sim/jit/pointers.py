"""Pointers that are values: words from the start of the one object that they lead into.

    %p = OpSelect %c %a %b      %a[i], %b[i] are words of one buffer, or of Workgroup memory; so is what is chosen
    load through %p             a place so many words from that object's start

A chain whose pointer is taken as a value is checked where it stands, as the interpreter does it, and not again.
"""

from typing import Final

from reknit.ir import enums, op
from reknit.ir.block import Block
from reknit.ir.instr import Instr
from reknit.ir.value import Value
from reknit.sim.jit.images import Images
from reknit.sim.jit.places import Spot, packed
from reknit.sim.jit.text import Mask, Refused, Val, number
from reknit.sim.layout import Layout, layout_of
from reknit.sim.pointers import IN_BUFFERS, Chain, pointee_is_array, resolve_element
from reknit.sim.values import STRUCT_KIND

ELEMENTS: Final = (op.PtrAccessChain, op.InBoundsPtrAccessChain)
WORD: Final = 4


class Pointers(Images):
    def object_of(self, pointer: Instr) -> Instr:
        """The one variable that a pointer leads into."""
        work: list[Value] = [pointer]
        seen: set[Value] = set()
        objects: dict[Instr, None] = {}
        while work:
            given = work.pop()
            if given in seen or not isinstance(given, Instr):
                continue
            seen.add(given)
            base = self.chain(given).base
            if base.op == op.Variable:
                objects[base] = None
            elif base.op == op.Select:
                work += [base.value(1), base.value(2)]
            elif base.op == op.Phi:
                work += [value for value in base.operands[::2] if isinstance(value, Value)]
            elif base.op in ELEMENTS:
                work.append(base.value(0))
            else:
                raise Refused("goes through a pointer that native code is not made for")
        if len(objects) != 1:
            raise Refused("goes through a pointer into one of several variables")
        variable = next(iter(objects))
        chain = self.chain(variable)
        if chain.storage() in IN_BUFFERS and not pointee_is_array(chain):
            return variable
        if chain.storage() == enums.StorageClassWorkgroup:
            return variable
        raise Refused("computes a pointer into what is neither one buffer nor Workgroup memory")

    def object_spot(self, variable: Instr) -> Spot:
        """All of it, from where pointers into it count."""
        if self.chain(variable).storage() in IN_BUFFERS:
            return self.buffer_spot(variable)
        offset, layout = self.shared[variable]
        return Spot(layout, "%shared", number("i32", offset + layout.size), 0, ())

    def computed_spot(self, chain: Chain, at: Block | None) -> Spot:
        """What a pointer that was computed leads to."""
        whole = self.object_spot(self.object_of(chain.base))
        layout = self.pointed(chain)
        where: Val = self.read(chain.base, at)
        return Spot(layout, whole.base, whole.size, 0, ((Val("i32", where.text, where.uniform), WORD),))

    def pointed(self, chain: Chain) -> Layout:
        layout: Layout | None
        if chain.storage() in IN_BUFFERS:
            layout = layout_of(self.globals, chain.pointee())
        else:
            shape = self.globals.shape(chain.pointee())
            layout = packed(shape) if shape is not None else None
        if layout is None:
            raise Refused("points into a buffer by a type without an explicit layout")
        return layout

    def pointer_value(self, pointer: Instr, at: Block | None) -> Val | None:
        """Of a variable or a parameter; None of what is computed where it stands."""
        if pointer.op == op.FunctionParameter and pointer in self.arguments:
            given: Val = self.read(self.arguments[pointer], at)
            return given
        if pointer.op != op.Variable:
            return None
        variable = self.object_of(pointer)
        in_buffer = self.chain(variable).storage() in IN_BUFFERS
        return number("i32", 0 if in_buffer else self.shared[variable][0] // WORD)

    def take(self, pointer: Instr, mask: Mask) -> None:
        """A chain whose pointer is a value, checked where it stands. What goes by that value asks for its object first,
        and is refused where there are several."""
        chain = self.chain(pointer)
        storage = chain.storage()
        known = all(index in self.globals.values for index in chain.indices)
        if storage == enums.StorageClassUniformConstant or (known and storage == enums.StorageClassInput):
            return
        spot = self.spot(pointer, pointer.block, mask)
        if spot.own or chain.base.op == op.ImageTexelPointer or any(step % WORD for step in steps(spot)):
            return
        where = self.offset(spot, WORD)
        self.values[pointer] = Val("i32", where.text, where.uniform)

    def step_over(self, pointer: Instr, mask: Mask) -> None:
        """OpPtrAccessChain: only where it ends must be in the buffer."""
        chain = resolve_element(pointer)
        stride = self.program.preparation.stride_of(chain.base)
        assert chain.element is not None
        if chain.storage() not in IN_BUFFERS or stride <= 0:
            raise Refused("steps over elements of a pointer that is not into a buffer")
        variable = self.object_of(pointer)
        base = self.read(chain.base, pointer.block)
        element = self.read(chain.element, pointer.block)
        short = self.resized(element, "i32", True)
        if element.width() > 32:
            self.fault_if(self.compare("ne", self.resized(short, element.type, True), element), mask)
        inner = Spot(self.pointed(chain), "", number("i32", 0), 0, ())
        for index in chain.indices:
            shape = inner.layout.shape
            if shape.kind != STRUCT_KIND and shape.count == 0:
                raise Refused("has a run-time array behind another index")
            inner = self.stepped(inner, index, pointer.block, mask)
        if stride % WORD or any(step % WORD for step in steps(inner)):
            raise Refused("has a place that is not aligned")
        far = self.apply("mul", [self.resized(short, "i64", True), number("i64", stride // WORD)])
        far = self.apply("add", [far, self.resized(base, "i64")])
        far = self.apply("add", [far, self.resized(self.offset(inner, WORD), "i64")])
        size = self.resized(self.object_spot(variable).size, "i64")
        most = self.apply("sub", [size, number("i64", inner.layout.size)])
        end = self.apply("ashr", [most, number("i64", 2)])
        self.fault_if(self.apply("or", [
            self.compare("slt", far, number("i64", 0)), self.compare("sgt", far, end)
        ]), mask)  # fmt: skip
        where = self.resized(far, "i32")
        self.values[pointer] = Val("i32", where.text, where.uniform)

    def choose(self, instr: Instr) -> None:
        """OpSelect."""
        self.object_of(instr)
        condition, yes, no = [self.read(value, instr.block) for value in instr.operands if isinstance(value, Value)]
        self.values[instr] = self.select(condition, yes, no)


def steps(spot: Spot) -> list[int]:
    return [spot.constant, *[stride for _, stride in spot.terms]]
