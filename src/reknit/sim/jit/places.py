"""Where pointers lead: a place in memory, one a lane, as the sum of scaled indices.

    buffers             bytes at an address that the run gives; a fault where an index is out of bounds
    Workgroup           the same, in memory of the workgroup's
    Function, Private   a lane's own: leaf k of all lanes lies together, lane after lane; where all lanes hold the
                        same, it is there once
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from typing import Any, Final

from reknit.ir import enums, op
from reknit.ir.block import Block
from reknit.ir.instr import Instr
from reknit.ir.types import pointee
from reknit.ir.value import Value
from reknit.sim.jit.facts import Facts
from reknit.sim.jit.groups import Groups
from reknit.sim.jit.text import Mask, Refused, Shaped, Val, number, parts_of, scalar_type
from reknit.sim.layout import Layout
from reknit.sim.memory import Buffer
from reknit.sim.pointers import IN_BUFFERS, Chain, pointee_is_array, resolve
from reknit.sim.run import Program
from reknit.sim.values import INT_KIND, POINTER_KIND, STRUCT_KIND, Shape

MAX_LEAVES: Final = 1024
"""Of a value that is loaded or stored at once."""
MAX_BYTES: Final = 1 << 18
"""Of the variables of a vector's lanes, which are on the stack."""

@dataclass(frozen=True, slots=True)
class Spot:
    """A place in memory, one a lane: `layout` is what lies there, `at` bytes after `base`. `size` is how many bytes
    there are. `scale`: how far bytes of one lane are apart (a lane's own variables: a leaf's bytes times the lanes)."""

    layout: Layout
    base: str
    size: Val
    constant: int
    terms: tuple[tuple[Val, int], ...]  # index, bytes from one to the next
    own: bool = False
    single: bool = False
    writable: bool = True


class Places(Groups, ABC):
    def __init__(self, program: Program, facts: Facts, lanes: int, vectors: int) -> None:
        super().__init__(lanes, program.preparation.subgroup_size)
        self.program = program
        self.facts = facts
        self.globals = program.preparation.globals
        self.vectors = vectors
        self.values: dict[Value, Any] = {}
        self.arguments: dict[Value, Instr] = {}  # pointers that parameters stand for
        self.own: dict[Instr, tuple[str, Layout]] = {}
        self.own_bytes = 0
        self.shared: dict[Instr, tuple[int, Layout]] = {}
        self.shared_bytes = 0
        self.watched = program.preparation.watched  # what may be read before it is written has marks of the same size
        self.unset = ""  # the lanes that have read what was not written
        self.settled: tuple[Block | None, dict[Value, Mask]] = (None, {})  # pointers of the block: written, or judged
        self.own_marks: dict[Instr, str] = {}
        self.shared_marks: dict[Instr, int] = {}  # how far from the variable
        self.helpers = ""

    # --- places -------------------------------------------------------------------------------------------------------

    @abstractmethod
    def read(self, value: Value, at: Block | None) -> Shaped:
        """A value, as it is in a block."""

    @abstractmethod
    def texel_spot(self, pointer: Instr, mask: Mask) -> Spot:
        """Where an OpImageTexelPointer leads."""

    @abstractmethod
    def object_of(self, pointer: Instr) -> Instr:
        """The variable that a pointer leads into, which is a value."""

    @abstractmethod
    def computed_spot(self, chain: Chain, at: Block | None) -> Spot:
        """Where a pointer leads that is a value."""

    def chain(self, pointer: Instr) -> Chain:
        """With parameters replaced by what they were called with."""
        chain = resolve(pointer)
        indices = chain.indices
        while chain.base.op == op.FunctionParameter and chain.base in self.arguments:
            chain = resolve(self.arguments[chain.base])
            indices = [*chain.indices, *indices]
        return Chain(chain.base, indices, None)

    def spot(self, pointer: Instr, at: Block | None, mask: Mask) -> Spot:
        chain = self.chain(pointer)
        base = chain.base
        if base.op == op.ImageTexelPointer:
            return self.texel_spot(base, mask)
        storage = chain.storage()
        indices = chain.indices
        if base.op != op.Variable:
            spot = self.computed_spot(chain, at)
        elif storage in IN_BUFFERS:
            if pointee_is_array(chain):
                spot = self.chosen_spot(base, indices[0], at, mask)
                indices = indices[1:]
            else:
                spot = self.buffer_spot(base)
        elif storage == enums.StorageClassWorkgroup:
            offset, layout = self.shared[base]
            spot = Spot(layout, "%shared", number("i32", offset + layout.size), offset, ())
        elif storage in (enums.StorageClassFunction, enums.StorageClassPrivate, enums.StorageClassOutput):
            place, layout = self.variable(base)
            single = base not in self.facts.varying
            spot = Spot(layout, place, number("i32", layout.size), 0, (), True, single)
        else:
            raise Refused(f"points into a storage class ({storage}) that native code has not")
        for index in indices:
            spot = self.stepped(spot, index, at, mask)
        return spot

    def stepped(self, spot: Spot, index: Value, at: Block | None, mask: Mask) -> Spot:
        """One index further: the member of a struct, or an element, whose bounds are checked."""
        layout = spot.layout
        if layout.shape.kind == STRUCT_KIND:
            member = self.globals.values.get(index)
            assert isinstance(member, int)
            offset = spot.constant + layout.offsets[member]
            return replace(spot, layout=layout.parts[member], constant=offset)
        if not layout.parts:
            raise Refused("has more indices than its type has levels")
        part, stride = layout.parts[0], layout.stride
        which = self.as_index(self.read(index, at), mask)
        count = layout.shape.count
        if which.uniform and not which.text.startswith("%"):
            known = int(which.text) & 0xFFFFFFFF
            if count and known < count:
                return replace(spot, layout=part, constant=spot.constant + known * stride)
            if not count and known < 1 << 30 and (known + 1) * stride < 1 << 30 and not spot.terms:
                end = number("i32", spot.constant + (known + 1) * stride)
                self.fault_if(self.compare("ult", spot.size, end), mask)
                return replace(spot, layout=part, constant=spot.constant + known * stride)
        if count:
            self.check(which, number("i32", count), mask)
        elif spot.terms or part.size > stride:
            raise Refused("has a run-time array behind another index")
        else:
            left = self.let(f"call i32 @llvm.usub.sat.i32(i32 {spot.size.text}, i32 {spot.constant})")
            self.declare("i32 @llvm.usub.sat.i32(i32, i32)")
            self.check(which, Val("i32", self.let(f"udiv i32 {left}, {stride}"), True), mask)
        return replace(spot, layout=part, terms=(*spot.terms, (which, stride)))

    def as_index(self, value: Val, mask: Mask) -> Val:
        """An integer of 32 bits; a fault where a wider one is no index of anything."""
        if value.width() == 32:
            return value
        if value.width() > 32:
            self.fault_if(self.compare("ugt", value, number(value.type, 0x7FFFFFFF)), mask)
        return self.resized(value, "i32")

    def check(self, index: Val, count: Val, mask: Mask) -> None:
        if index.first and mask is None:
            first = self.let(f"zext i32 {index.first} to i64")
            past = self.let(f"add i64 {first}, {self.lanes}")
            most = self.resized(count, "i64")
            self.fault_if(Val("i1", self.let(f"icmp ugt i64 {past}, {most.text}"), True), mask)
            return
        self.fault_if(self.compare("uge", index, count), mask)
        if index.first:  # of empty lanes the index may have wrapped around
            limit = number("i32", -self.lanes)
            self.fault_if(Val("i1", self.let(f"icmp ugt i32 {index.first}, {limit.text}"), True), mask)

    def buffer_spot(self, variable: Instr) -> Spot:
        buffer = self.program.preparation.buffers_of(variable)[0]
        place = self.place_of(buffer)
        return Spot(buffer.layout, f"%buffer{place}", Val("i32", f"%size{place}", True), 0, ())

    def place_of(self, buffer: Buffer) -> int:
        """Its number among those that the kernel is given; two variables of one binding are the same memory."""
        return self.program.preparation.order.index(buffer.alias if buffer.alias is not None else buffer)

    def chosen_spot(self, variable: Instr, index: Value, at: Block | None, mask: Mask) -> Spot:
        """One of an array of buffers; which one all lanes must agree on."""
        buffers = self.program.preparation.buffers_of(variable)
        which = self.resized(self.read(index, at), "i32")
        if not which.uniform:
            raise Refused("takes different buffers of an array from lane to lane")
        self.fault_if(self.compare("uge", which, number("i32", len(buffers))), mask)
        place = self.place_of(buffers[0])
        base, size = f"%buffer{place}", f"%size{place}"
        for other, buffer in enumerate(buffers[1:], 1):
            here = self.compare("eq", which, number("i32", other)).text
            place = self.place_of(buffer)
            base = self.let(f"select i1 {here}, ptr %buffer{place}, ptr {base}")
            size = self.let(f"select i1 {here}, i32 %size{place}, i32 {size}")
        return Spot(buffers[0].layout, base, Val("i32", size, True), 0, ())

    def variable(self, variable: Instr) -> tuple[str, Layout]:
        known = self.own.get(variable)
        if known is None:
            shape = self.globals.shape(pointee(variable.type)) if variable.type is not None else None
            if shape is None:
                raise Refused("has a type that native code has no values of")
            layout = packed(shape)
            lanes = 1 if variable not in self.facts.varying else self.lanes
            self.own_bytes += layout.size * lanes
            if self.own_bytes > MAX_BYTES:
                raise Refused("has more variables than fit on the stack")
            known = self.slot("i8", max(layout.size * lanes, 1)), layout
            self.own[variable] = known
            if variable in self.watched:
                self.own_bytes += layout.size * lanes
                self.own_marks[variable] = self.slot("i8", max(layout.size * lanes, 1))
        return known

    def place_shared(self, variable: Instr) -> None:
        shape = self.globals.shape(pointee(variable.type)) if variable.type is not None else None
        if shape is None:
            raise Refused("has a type that native code has no values of")
        layout = packed(shape)
        start = -(-self.shared_bytes // 64) * 64
        self.shared[variable] = start, layout
        self.shared_bytes = start + layout.size
        if variable in self.watched:
            marks = -(-self.shared_bytes // 64) * 64
            self.shared_marks[variable] = marks - start
            self.shared_bytes = marks + layout.size

    def marks(self, spot: Spot, pointer: Instr, at: Block | None, mask: Mask) -> list[Spot]:
        """Of each scalar in a place the word that is not 0 once it was written; [] of what is not watched, or was
        judged or written in the same block already."""
        base = self.chain(pointer).base
        if base.op == op.ImageTexelPointer or not self.watched:
            return []
        if self.settled[0] is not at:
            self.settled = (at, {})
        if pointer in self.settled[1] and self.settled[1][pointer] == mask:
            return []
        self.settled[1][pointer] = mask
        variable = base if base.op == op.Variable else self.object_of(base)
        if variable in self.own_marks:
            spot = replace(spot, base=self.own_marks[variable])
        elif variable in self.shared_marks:
            spot = replace(spot, constant=spot.constant + self.shared_marks[variable])
        else:
            return []
        marks: list[Spot] = []
        for part in self.leaf_spots(spot):
            size = part.layout.size
            marks.append(replace(part, layout=Layout(Shape(INT_KIND, 8 * size), size, 0, [], [])))
        return marks

    # --- leaves -------------------------------------------------------------------------------------------------------

    def leaf_spots(self, spot: Spot) -> list[Spot]:
        """Those of the scalars in a place, in order."""
        work = [spot]
        spots: list[Spot] = []
        while work:
            here = work.pop()
            layout = here.layout
            if layout.interfaces is not None:
                raise Refused("has an existential in memory")
            if layout.shape.is_scalar():
                spots.append(here)
                if len(spots) > MAX_LEAVES:
                    raise Refused("moves a value that is too large")
                continue
            if layout.shape.kind == STRUCT_KIND:
                inner = [
                    replace(here, layout=part, constant=here.constant + offset)
                    for part, offset in zip(layout.parts, layout.offsets, strict=True)
                ]
            else:
                if layout.shape.count > MAX_LEAVES:
                    raise Refused("moves a value that is too large")
                inner = [
                    replace(here, layout=layout.parts[0], constant=here.constant + at * layout.stride)
                    for at in range(layout.shape.count)
                ]
            work.extend(reversed(inner))
        return spots

    def kept_type(self, shape: Shape) -> str:
        """What a scalar is in memory."""
        return "i8" if shape.width == 1 else scalar_type(shape)

    def offset(self, spot: Spot, unit: int) -> Val:
        """The sum of constant and terms, in units of so many bytes."""
        total = number("i32", spot.constant // unit)
        started = spot.constant != 0
        for index, stride in spot.terms:
            step = stride // unit
            part = index if step == 1 else replace(self.apply("mul", [index, number("i32", step)]), first="")
            if not started:
                total, started = part, True
                continue
            total = self.sum(total, part)
        return total

    def sum(self, a: Val, b: Val) -> Val:
        total = self.apply("add", [a, b])
        for moving, still in ((a, b), (b, a)):
            if moving.first and still.uniform:
                return replace(total, first=self.let(f"add i32 {moving.first}, {still.text}"))
        return total

    def unit_of(self, spot: Spot, size: int) -> int:
        steps = [spot.constant, *[stride for _, stride in spot.terms]]
        if all(step % size == 0 for step in steps):
            return size
        raise Refused("has a place that is not aligned")


def packed(shape: Shape) -> Layout:
    """A layout without gaps but for alignment, of a variable that has none of its own."""
    if shape.kind == POINTER_KIND:
        raise Refused("has pointers in variables")
    if shape.is_scalar():
        return Layout(shape, max(shape.width // 8, 1), 0, [], [])
    if shape.kind == STRUCT_KIND:
        parts = [packed(member) for member in shape.members]
        offsets: list[int] = []
        at = 0
        for part in parts:
            offsets.append(at)
            at = -(-(at + part.size) // 8) * 8
        return Layout(shape, at, 0, offsets, parts)
    parts_of(shape)
    assert shape.element is not None
    part = packed(shape.element)
    return Layout(shape, part.size * shape.count, part.size, [], [part])
