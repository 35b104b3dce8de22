"""Loads, stores and atomics. Where addresses go up by one from lane to lane, memory is read in one piece."""

from dataclasses import replace
from typing import Final

from reknit.ir import enums, op, traits
from reknit.ir.instr import Instr
from reknit.sim.jit.groups import FOLDED
from reknit.sim.jit.inputs import Inputs
from reknit.sim.jit.places import Spot
from reknit.sim.jit.text import Mask, Refused, Shaped, Val, constant, leaves, number, parts_of, rebuilt, scalar_type
from reknit.sim.values import FLOAT_KIND, INT_KIND, Shape

OWN_STORAGE: Final = (enums.StorageClassFunction, enums.StorageClassPrivate, enums.StorageClassOutput)


class Memory(Inputs):
    def load_leaf(self, spot: Spot, mask: Mask) -> Val:
        shape = spot.layout.shape
        type = self.kept_type(shape)
        size = int(type[1:]) // 8
        unit = min(size, 4)
        offset = self.offset(spot, self.unit_of(spot, unit))
        if spot.own:
            loaded = self.load_own(spot, type, size, offset, unit)
        elif offset.uniform:
            address = self.address(spot.base, unit, offset)
            loaded = Val(type, self.let(f"load {type}, ptr {address}, align {unit}"), True)
        elif offset.first and size == unit:
            start = self.let(f"zext i32 {offset.first} to i64")
            address = self.let(f"getelementptr i{unit * 8}, ptr {spot.base}, i64 {start}")
            loaded = self.load_run(type, address, unit, mask)
        else:
            loaded = self.gathered(type, self.addresses(spot.base, unit, offset), mask)
        return self.compare("ne", loaded, number("i8", 0)) if shape.width == 1 else loaded

    def load_run(self, type: str, address: str, align: int, mask: Mask) -> Val:
        vector = self.vec(type)
        if mask is None:
            return Val(type, self.let(f"load {vector}, ptr {address}, align {align}"))
        name = f"@llvm.masked.load.v{self.lanes}{type}.p0"
        self.declare(f"{vector} {name}(ptr, i32, {self.vec('i1')}, {vector})")
        text = f"call {vector} {name}(ptr {address}, i32 {align}, {self.vec('i1')} {mask}, {vector} zeroinitializer)"
        return Val(type, self.let(text))

    def store_leaf(self, spot: Spot, value: Val, mask: Mask) -> None:
        shape = spot.layout.shape
        type = self.kept_type(shape)
        if shape.width == 1:
            value = self.cast("zext", value, "i8")
        size = int(type[1:]) // 8
        unit = min(size, 4)
        offset = self.offset(spot, self.unit_of(spot, unit))
        if spot.own:
            self.store_own(spot, value, type, size, offset, unit, mask)
            return
        vector = self.vec(type)
        if offset.uniform and value.uniform:
            address = self.address(spot.base, unit, offset)
            if mask is None or not self.helpers:
                self.line(f"store {type} {value.text}, ptr {address}, align {unit}")
                return
        if offset.first and size == unit:
            start = self.let(f"zext i32 {offset.first} to i64")
            address = self.let(f"getelementptr i{unit * 8}, ptr {spot.base}, i64 {start}")
            text = self.spread(value)
            if mask is None:
                self.line(f"store {vector} {text}, ptr {address}, align {unit}")
                return
            name = f"@llvm.masked.store.v{self.lanes}{type}.p0"
            self.declare(f"void {name}({vector}, ptr, i32, {self.vec('i1')})")
            self.line(f"call void {name}({vector} {text}, ptr {address}, i32 {unit}, {self.vec('i1')} {mask})")
            return
        self.scatter(type, self.spread(value), self.addresses(spot.base, unit, self.varying(offset)), unit, mask)

    def scatter(self, type: str, text: str, addresses: str, align: int, mask: Mask) -> None:
        """Lanes that write to one place do so in their order."""
        vector, lanes = self.vec(type), self.lanes
        name = f"@llvm.masked.scatter.v{lanes}{type}.v{lanes}p0"
        self.declare(f"void {name}({vector}, {self.vec('ptr')}, i32, {self.vec('i1')})")
        here = f"{self.vec('i1')} {self.mask_text(mask)}"
        self.line(f"call void {name}({vector} {text}, {self.vec('ptr')} {addresses}, i32 {align}, {here})")

    def address(self, base: str, unit: int, offset: Val) -> str:
        return self.let(f"getelementptr i{unit * 8}, ptr {base}, i32 {offset.text}")

    def addresses(self, base: str, unit: int, offset: Val) -> str:
        return self.let(f"getelementptr i{unit * 8}, ptr {base}, {self.vec('i32')} {offset.text}")

    # --- a lane's own variables ---------------------------------------------------------------------------------------

    def load_own(self, spot: Spot, type: str, size: int, offset: Val, unit: int) -> Val:
        if spot.single and not offset.uniform:
            return self.gathered(type, self.addresses(spot.base, unit, offset), None)
        if spot.single:
            address = self.address(spot.base, unit, offset)
            return Val(type, self.let(f"load {type}, ptr {address}, align {unit}"), True)
        if offset.uniform:
            address = self.address(spot.base, unit, self.apply("mul", [offset, number("i32", self.lanes)]))
            return Val(type, self.let(f"load {self.vec(type)}, ptr {address}, align {unit}"))
        return self.gathered(type, self.own_addresses(spot.base, size, offset, unit), None)

    def own_addresses(self, base: str, size: int, offset: Val, unit: int) -> str:
        """An index that is out of bounds in a lane without an invocation must not be followed."""
        scaled = self.apply("mul", [offset, number("i32", self.lanes)])
        step = size // unit
        places = self.numbers("i32", [lane * step for lane in range(self.lanes)])
        return self.addresses(base, unit, self.apply("add", [scaled, places]))

    def store_own(self, spot: Spot, value: Val, type: str, size: int, offset: Val, unit: int, mask: Mask) -> None:
        if spot.single:
            address = self.address(spot.base, unit, offset)
            self.line(f"store {type} {value.text}, ptr {address}, align {unit}")
            return
        if offset.uniform:
            address = self.address(spot.base, unit, self.apply("mul", [offset, number("i32", self.lanes)]))
            self.write_at(address, type, unit, value, mask)
            return
        self.scatter(type, self.spread(value), self.own_addresses(spot.base, size, offset, unit), unit, mask)

    def write_at(self, address: str, type: str, align: int, value: Val, mask: Mask) -> None:
        text, vector = self.spread(value), self.vec(type)
        if mask is not None:
            old = self.let(f"load {vector}, ptr {address}, align {align}")
            text = self.let(f"select {self.vec('i1')} {mask}, {vector} {text}, {vector} {old}")
        self.line(f"store {vector} {text}, ptr {address}, align {align}")

    # --- instructions -------------------------------------------------------------------------------------------------

    def live(self, pointer: Instr, mask: Mask) -> Mask:
        """Helper invocations store nothing that others could see."""
        if not self.helpers or self.chain(pointer).storage() in OWN_STORAGE:
            return mask
        return self.without(mask, self.load_mask(self.helpers))

    def load(self, instr: Instr, mask: Mask) -> Shaped:
        chain = self.chain(instr.instr(0))
        if chain.storage() == enums.StorageClassInput:
            return self.input(chain, instr.block, mask)
        spot = self.spot(instr.instr(0), instr.block, mask)
        if spot.own and any(not index.uniform for index, _ in spot.terms):
            spot = self.tamed(spot, mask)
        shape = self.globals.shape(instr.type)
        assert shape is not None
        self.judge(self.marks(spot, instr.instr(0), instr.block, mask), mask)
        return rebuilt(skeleton(shape), [self.load_leaf(part, mask) for part in self.leaf_spots(spot)])

    def judge(self, marks: list[Spot], mask: Mask) -> None:
        """A fault, at the end, where something was not written before it is read: what it is, is undefined."""
        for mark in marks:
            word = self.load_leaf(mark, mask)
            missing = self.spread(self.compare("eq", word, number(word.type, 0)))
            self.add_to(self.unset, self.both(mask, missing))

    def mark(self, marks: list[Spot], mask: Mask) -> None:
        """It is written."""
        for mark in marks:
            self.store_leaf(mark, number(self.kept_type(mark.layout.shape), -1), mask)

    def tamed(self, spot: Spot, mask: Mask) -> Spot:
        """Indices are 0 in lanes without an invocation."""
        if mask is None:
            return spot
        zero = number("i32", 0)
        terms = [
            (index if index.uniform else self.select(Val("i1", mask), index, zero), stride)
            for index, stride in spot.terms
        ]
        return replace(spot, terms=tuple(terms))

    def store(self, instr: Instr, mask: Mask) -> None:
        mask = self.live(instr.instr(0), mask)
        spot = self.spot(instr.instr(0), instr.block, mask)
        value = leaves(self.read(instr.value(1), instr.block))
        for part, leaf in zip(self.leaf_spots(spot), value, strict=True):
            self.store_leaf(part, leaf, mask)
        self.mark(self.marks(spot, instr.instr(0), instr.block, mask), mask)

    def enter_variable(self, variable: Instr) -> None:
        """A new variable each time the function is entered: zeros, or what it is initialized with."""
        place, layout = self.variable(variable)
        lanes = 1 if variable not in self.facts.varying else self.lanes
        self.line(f"call void @llvm.memset.p0.i64(ptr align 64 {place}, i8 0, i64 {layout.size * lanes}, i1 false)")
        self.declare("void @llvm.memset.p0.i64(ptr, i8, i64, i1)")
        if variable in self.own_marks:
            self.settled = (None, {})
            size = layout.size * lanes
            place = self.own_marks[variable]
            self.line(f"call void @llvm.memset.p0.i64(ptr align 64 {place}, i8 0, i64 {size}, i1 false)")
        if len(variable.operands) > 1:
            given = self.globals.values[variable.value(1)]
            spot = Spot(layout, place, number("i32", layout.size), 0, (), True, lanes == 1)
            for part, leaf in zip(self.leaf_spots(spot), leaves(constant(layout.shape, given)), strict=True):
                self.store_leaf(part, leaf, None)

    def start_shared(self, variable: Instr) -> None:
        """The initial value of a variable of the workgroup, beyond its zeros."""
        if len(variable.operands) > 1 and variable.instr(1).op != op.ConstantNull:
            raise Refused("has a Workgroup variable with an initializer")

    def array_length(self, instr: Instr, mask: Mask) -> Val:
        spot = self.spot(instr.instr(0), instr.block, mask)
        array = spot.layout.runtime_array()
        if array is None or spot.terms:
            raise Refused("asks for the length of what is no run-time array in a buffer")
        start = spot.constant + array[0]
        left = self.let(f"sub i32 {spot.size.text}, {start}")
        none = self.let(f"icmp slt i32 {left}, 0")
        held = self.let(f"udiv i32 {left}, {array[1].stride}")
        return Val("i32", self.let(f"select i1 {none}, i32 0, i32 {held}"), True)

    def atomic(self, instr: Instr, mask: Mask) -> Shaped | None:
        """One lane after another: load, compute, store."""
        if self.helpers and instr.has_result:
            self.fault_if(Val("i1", self.load_mask(self.helpers)), mask)  # what a helper invocation gets is undefined
        mask = self.live(instr.instr(0), mask)
        spot = self.spot(instr.instr(0), instr.block, mask)
        shape = spot.layout.shape
        if not shape.is_scalar() or shape.width < 8 or spot.own:
            raise Refused("is an atomic that native code is not made for")
        type = scalar_type(shape)
        unit = min(int(type[1:]) // 8, 4)
        offset = self.offset(spot, self.unit_of(spot, unit))
        marks = self.marks(spot, instr.instr(0), instr.block, mask)
        if instr.op not in (op.AtomicStore, op.AtomicFlagClear):
            self.judge(marks, mask)
        self.mark(marks, mask)
        exchange = instr.op in (op.AtomicCompareExchange, op.AtomicCompareExchangeWeak)
        sources = [instr.value(4), instr.value(5)] if exchange else [instr.value(3)] if len(instr.operands) > 3 else []
        given = [self.varying(self.read(source, instr.block)) for source in sources]
        places = Val("ptr", self.addresses(spot.base, unit, self.varying(offset)))

        def one(parts: list[Val]) -> Val:
            address = parts[0].text
            old = Val(type, self.let(f"load {type}, ptr {address}, align {unit}"), True)
            new = self.updated(instr.op, shape, old, parts[1:])
            if new is not old:
                self.line(f"store {type} {new.text}, ptr {address}, align {unit}")
            return old

        results = self.by_lane(type, [places, *given], mask, one)
        return results if instr.has_result else None

    def updated(self, code: int, shape: Shape, old: Val, given: list[Val]) -> Val:
        if code == op.AtomicLoad:
            return old
        if code in (op.AtomicStore, op.AtomicExchange):
            return given[0]
        if code in (op.AtomicCompareExchange, op.AtomicCompareExchangeWeak):
            return self.select(self.compare("eq", old, given[1]), given[0], old)
        if code in (op.AtomicIIncrement, op.AtomicIDecrement):
            return self.apply("add", [old, number(old.type, 1 if code == op.AtomicIIncrement else -1)])
        combines = traits.COMBINES.get(code, "")
        if combines == "i-sub":
            return self.apply("sub", [old, given[0]])
        if shape.kind == FLOAT_KIND:
            return self.join_floats(combines, old, given[0])
        if combines not in FOLDED or shape.kind != INT_KIND:
            raise Refused("is an atomic that native code is not made for")
        return self.combine(FOLDED[combines][0], old, given[0])


def skeleton(shape: Shape) -> Shaped:
    if shape.is_scalar():
        return number("i1", 0)
    return tuple([skeleton(part) for part in parts_of(shape)])
