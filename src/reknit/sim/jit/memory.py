"""Loads, stores and atomics.

    buffers             bytes at an address that the run gives; a fault where an index is out of bounds
    Workgroup           the same, in memory of the workgroup's
    Function, Private   a lane's own: leaf k of all lanes lies together, lane after lane; where all lanes hold the
                        same, it is there once
    Input               built-in variables are computed

An address is the sum of scaled indices. Where they go up by one from lane to lane, memory is read in one piece.
"""

from dataclasses import dataclass, replace
from typing import Any, Final

from reknit.ir import enums, op, traits
from reknit.ir.block import Block
from reknit.ir.instr import Instr
from reknit.ir.types import pointee
from reknit.ir.value import Value
from reknit.sim.builtins import Dispatch, value_of
from reknit.sim.jit.facts import Facts
from reknit.sim.jit.groups import FOLDED, Groups
from reknit.sim.jit.text import Mask, Refused, Shaped, Val, constant, leaves, number, parts_of, rebuilt, scalar_type
from reknit.sim.layout import Layout
from reknit.sim.memory import Buffer
from reknit.sim.pointers import IN_BUFFERS, Chain, pointee_is_array, resolve
from reknit.sim.run import Program
from reknit.sim.values import FLOAT_KIND, INT_KIND, STRUCT_KIND, Shape, null_value

MOST_LEAVES: Final = 1024
"""Of a value that is loaded or stored at once."""
MOST_BYTES: Final = 1 << 18
"""Of the variables of a vector's lanes, which are on the stack."""
PER_LANE: Final = (
    enums.BuiltInLocalInvocationIndex, enums.BuiltInSubgroupLocalInvocationId, enums.BuiltInSubgroupId,
    enums.BuiltInLocalInvocationId, enums.BuiltInSubgroupEqMask, enums.BuiltInSubgroupGeMask,
    enums.BuiltInSubgroupGtMask, enums.BuiltInSubgroupLeMask, enums.BuiltInSubgroupLtMask,
)  # fmt: skip


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


class Memory(Groups):
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
        self.helpers = ""

    # --- places -------------------------------------------------------------------------------------------------------

    def read(self, value: Value, at: Block | None) -> Shaped:
        raise NotImplementedError

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
        if base.op != op.Variable:
            raise Refused("goes through a pointer that is computed")
        storage = chain.storage()
        indices = chain.indices
        if storage in IN_BUFFERS:
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
        which = self.read(index, at)
        if which.width() != 32:
            high = self.compare("ugt", which, number(which.type, 0x7FFFFFFF)) if which.width() > 32 else None
            if high is not None:
                self.fault_if(high, mask)
            which = self.resized(which, "i32")
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
            if self.own_bytes > MOST_BYTES:
                raise Refused("has more variables than fit on the stack")
            known = self.slot("i8", max(layout.size * lanes, 1)), layout
            self.own[variable] = known
        return known

    def place_shared(self, variable: Instr) -> None:
        shape = self.globals.shape(pointee(variable.type)) if variable.type is not None else None
        if shape is None:
            raise Refused("has a type that native code has no values of")
        layout = packed(shape)
        start = -(-self.shared_bytes // 64) * 64
        self.shared[variable] = start, layout
        self.shared_bytes = start + layout.size

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
                if len(spots) > MOST_LEAVES:
                    raise Refused("moves a value that is too large")
                continue
            if layout.shape.kind == STRUCT_KIND:
                inner = [
                    replace(here, layout=part, constant=here.constant + offset)
                    for part, offset in zip(layout.parts, layout.offsets, strict=True)
                ]
            else:
                if layout.shape.count > MOST_LEAVES:
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
        return rebuilt(skeleton(shape), [self.load_leaf(part, mask) for part in self.leaf_spots(spot)])

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

    def enter_variable(self, variable: Instr) -> None:
        """A new variable each time the function is entered: zeros, or what it is initialized with."""
        place, layout = self.variable(variable)
        lanes = 1 if variable not in self.facts.varying else self.lanes
        self.line(f"call void @llvm.memset.p0.i64(ptr align 64 {place}, i8 0, i64 {layout.size * lanes}, i1 false)")
        self.declare("void @llvm.memset.p0.i64(ptr, i8, i64, i1)")
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
        mask = self.live(instr.instr(0), mask)
        spot = self.spot(instr.instr(0), instr.block, mask)
        shape = spot.layout.shape
        if not shape.is_scalar() or shape.width < 8 or spot.own:
            raise Refused("is an atomic that native code is not made for")
        type = scalar_type(shape)
        unit = min(int(type[1:]) // 8, 4)
        offset = self.offset(spot, self.unit_of(spot, unit))
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

    # --- built-in variables -------------------------------------------------------------------------------------------

    def input(self, chain: Chain, at: Block | None, mask: Mask) -> Shaped:
        builtin = self.globals.decorations.number(chain.base, enums.DecorationBuiltIn)
        shape = self.globals.shape(chain.pointee())
        if shape is None:
            raise Refused("has a type that native code has no values of")
        known = {builtin: values for values, builtin in self.program.inputs}
        if builtin not in known:
            value: Shaped = constant(shape, null_value(shape))
        else:
            value = self.builtin(builtin)
        for index in chain.indices:
            which = self.read(index, at)
            if which.uniform and not which.text.startswith("%"):
                value = value[int(which.text)]
            elif isinstance(value[0], Val):
                value = self.picked(value, which, mask)
            else:
                raise Refused("picks a part of a built-in variable by something that is not a constant")
        return value

    def builtin(self, builtin: int) -> Shaped:
        """Of the vector `%vector` of the workgroup `%group_x`, `_y`, `_z`."""
        size = self.program.size
        total = size[0] * size[1] * size[2]
        dispatch = Dispatch(size, (1, 1, 1), self.width)
        if builtin == enums.BuiltInNumWorkgroups:
            return tuple([Val("i32", f"%groups_{axis}", True) for axis in "xyz"])
        if builtin == enums.BuiltInWorkgroupId:
            return tuple([Val("i32", f"%group_{axis}", True) for axis in "xyz"])
        if builtin == enums.BuiltInDeviceIndex:
            return Val("i32", "%device", True)
        if builtin == enums.BuiltInGlobalInvocationId:
            local = self.builtin(enums.BuiltInLocalInvocationId)
            groups = self.builtin(enums.BuiltInWorkgroupId)
            firsts = [self.apply("mul", [groups[at], number("i32", size[at])]) for at in range(3)]
            return tuple([self.sum(local[at], firsts[at]) for at in range(3)])
        if builtin in PER_LANE and self.vectors > 1:
            return self.far_builtin(builtin, size, total)
        values = [value_of(builtin, dispatch, 0, lane) for lane in range(self.lanes)]
        if isinstance(values[0], tuple):
            return tuple([self.known([each[at] for each in values]) for at in range(len(values[0]))])
        return self.known(values)

    def known(self, values: list[int]) -> Val:
        if all(value == values[0] for value in values):
            return number("i32", values[0])
        run = all(value == values[0] + at for at, value in enumerate(values))
        return replace(self.numbers("i32", values), first=str(values[0]) if run else "")

    def far_builtin(self, builtin: int, size: tuple[int, int, int], total: int) -> Shaped:
        """Where a workgroup is several vectors, each of whole subgroups."""
        index = self.sum(self.known(list(range(self.lanes))), Val("i32", "%first_lane", True))
        if builtin == enums.BuiltInLocalInvocationIndex:
            return index
        if builtin == enums.BuiltInSubgroupId:
            within = self.known([lane // self.width for lane in range(self.lanes)])
            before = self.let(f"udiv i32 %first_lane, {self.width}")
            return self.apply("add", [within, Val("i32", before, True)])
        if builtin == enums.BuiltInLocalInvocationId:
            zero = number("i32", 0)
            if size[1] * size[2] == 1:
                return index, zero, zero
            x = self.unsigned_division(index, number("i32", size[0]), True)
            rest = self.unsigned_division(index, number("i32", size[0]), False)
            y = self.unsigned_division(rest, number("i32", size[1]), True)
            return x, y, self.unsigned_division(rest, number("i32", size[1]), False)
        values = [value_of(builtin, Dispatch(size, (1, 1, 1), self.width), 0, lane) for lane in range(self.lanes)]
        if isinstance(values[0], tuple):
            return tuple([self.known([each[at] for each in values]) for at in range(len(values[0]))])
        return self.known(values)


OWN_STORAGE: Final = (enums.StorageClassFunction, enums.StorageClassPrivate, enums.StorageClassOutput)


def skeleton(shape: Shape) -> Shaped:
    if shape.is_scalar():
        return number("i1", 0)
    return tuple([skeleton(part) for part in parts_of(shape)])


def packed(shape: Shape) -> Layout:
    """A layout without gaps but for alignment, of a variable that has none of its own."""
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
