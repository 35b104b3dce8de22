"""What preparing a program for the machine knows: columns for values, variables, and what faults are reported to.

    column(%x)      the list with %x's value for each lane, made on first demand; constants are filled in
    register(%x)    the column of machine words of a number of at most 32 bits or a boolean, which the list then follows
    variable(%v)    its Cells or Buffers
    place(%p)       the place in memory that a pointer means

Everything is made once for a module, entry point and size of workgroup, and used by every run.
"""

from collections.abc import Callable
from typing import Any, Final, final

from reknit.ir import enums, op
from reknit.ir.function import Function
from reknit.ir.instr import Instr
from reknit.ir.opcodes import info, kind
from reknit.ir.types import is_type, pointee, storage_of
from reknit.ir.value import Value
from reknit.sim.faults import OUT_OF_BOUNDS, Faults
from reknit.sim.fill import ZEROS, Fill
from reknit.sim.float_modes import FloatModes
from reknit.sim.globals import MAX_DESCRIPTORS, Globals
from reknit.sim.images import TexelPlace
from reknit.sim.lane_places import NO_BUFFER, BufferPlace, CellPlace, Place, Tell, Term
from reknit.sim.layout import Layout, alignment_of, layout_of
from reknit.sim.lengths import is_unsized
from reknit.sim.memory import AddressSpace, Buffer, BufferAddress, Cells
from reknit.sim.natural import natural_layout
from reknit.sim.ops.undefined import Undefined
from reknit.sim.pointers import (
    BY_ADDRESS,
    IN_BUFFERS,
    IN_CELLS,
    Chain,
    aligned_by,
    only_accessed,
    pointee_is_array,
    resolve,
)
from reknit.sim.race_detector import Watch
from reknit.sim.registers import Index, Register
from reknit.sim.resources import Resources
from reknit.sim.shadow.assigned import UNDEFINED_AT_FIRST
from reknit.sim.step_choices import StepChoices
from reknit.sim.unsupported import Unsupported
from reknit.sim.unwritten import Unwritten
from reknit.sim.values import STRUCT_KIND, VECTOR_KIND, Shape, null_value

READING: Final = (op.Load, op.ArrayLength)
"""What goes to a buffer and leaves it as it is."""

NAMING: Final = (op.EntryPoint, op.Decorate, op.Name)
"""Users of a variable that don't access it."""

SHARED: Final = (enums.StorageClassWorkgroup, enums.StorageClassUniformConstant)
"""Variables of these all invocations see."""


Interpolate = Callable[[list[Any], tuple[int, ...], int, Any], Any]
"""The part of an input, by what its cells hold and the indices, of an invocation, at a place: a sample, (x, y) in the
pixel, or None for a centroid. None where there is no such sample."""


def class_name(storage: int) -> str:
    known = kind("StorageClass").of_value(storage)
    return known.name if known is not None else str(storage)


MAX_HELD: Final = 1 << 25
"""Values of all lanes in the variables of a run that are in no buffer: 256 MiB."""


@final
class Preparation:
    """`lanes` is how many lanes a workgroup has, of which its invocations are `present`: all, unless a packing leaves
    ids of subgroups without an invocation. `helpers` has 1 for each lane that is a helper invocation,
    or was killed where that is asked.
    `watch`, if there is one, hears of every access to shared memory, and `unwritten` of accesses to variables that
    start undefined."""

    __slots__ = (
        "globals", "faults", "lanes", "subgroup_size", "columns", "registers", "cells", "shared", "past_ends",
        "buffers", "resources", "order", "samplers", "helpers", "may_demote", "discards", "quads", "kill_demotes",
        "watch", "unwritten", "watched", "promises", "fill",
        "undefs", "floats", "undefined_lanes", "space", "interpolate", "pixels",
        "step_choices", "present", "packed", "held",
    )  # fmt: skip

    def __init__(
        self,
        globals: Globals,
        faults: Faults,
        lanes: int,
        subgroup_size: int,
        kill_demotes: bool,
        watch: Watch | None,
        unwritten: Unwritten | None = None,
        fill: int = ZEROS,
    ) -> None:
        self.globals = globals
        self.faults = faults
        self.lanes = lanes
        self.subgroup_size = subgroup_size
        self.columns: dict[Value, list[Any]] = {}
        self.registers: dict[Value, Register] = {}
        self.cells: dict[Value, Cells] = {}
        self.held = 0  # values of all lanes in them
        self.shared: dict[int, Cells] = {}  # Workgroup variables by the identity of their values, as pointers have it
        self.past_ends = False  # a pointer may be to the end of an array, where no element is
        self.buffers: dict[Value, list[Buffer]] = {}
        self.resources = Resources(globals)
        self.order = self.resources.order
        self.space = AddressSpace(globals.address.width)
        self.samplers = self.resources.samplers
        self.helpers: list[int] = [0] * lanes
        self.may_demote = False
        self.discards = False  # a fragment shader's
        self.quads = False  # four neighbouring lanes are a quad, of which derivatives are taken
        self.kill_demotes = kill_demotes
        self.watch = watch
        if watch is not None:
            watch.variables = self.shared
        self.unwritten = unwritten
        self.watched: dict[Instr, None] = {}  # variables that may be read before they are written
        self.promises = 0  # operations that are decorated not to wrap
        self.fill = Fill(fill)
        self.undefs = 0  # uses of OpUndef
        self.floats = FloatModes((), ())
        self.undefined_lanes: dict[Instr, list[int]] = {}  # by instruction, -1 for all lanes
        self.pixels: list[tuple[int, int, int]] = []  # of a drawing: x, y and layer of each lane
        self.interpolate: Interpolate | None = None  # where the inputs are those of a drawing
        self.step_choices = StepChoices(lanes)
        self.packed = False  # lanes are not in the order of invocations
        self.present = list(range(lanes))  # what packings change from workgroup to workgroup, never how many there are

    # --- values -------------------------------------------------------------------------------------------------------

    def shape(self, value: Value) -> Shape:
        """The shape of a value. Raises Unsupported for a type without values here."""
        shape = self.globals.shape(value.type) if isinstance(value, (Instr, Function)) else None
        if shape is None:
            raise Unsupported(without_values(value.type if isinstance(value, Instr) else None))
        return shape

    def column(self, value: Value) -> list[Any]:
        register = self.register(value)
        return register.listed() if register is not None else self.list_of(value)

    def register(self, value: Value) -> Register | None:
        """None for what isn't a number of at most 32 bits or a boolean."""
        known = self.registers.get(value)
        if known is not None:
            return known
        shape = self.globals.shape(value.type) if isinstance(value, Instr) else None
        if shape is None or not shape.is_word():
            return None
        register = Register(self.list_of(value))
        if value in self.columns:
            self.registers[value] = register
        return register

    def list_of(self, value: Value) -> list[Any]:
        known = self.columns.get(value)
        if known is not None:
            return known
        if isinstance(value, Instr) and holds_undef(value):
            self.undefs += 1
            return [self.with_undefs(value) for _ in range(self.lanes)]  # another one at each use
        globals = self.globals
        if value in globals.values:
            column: list[Any] = [globals.values[value]] * self.lanes
        elif value in globals.problems:
            raise Unsupported(f"uses constant {value.name or value.id}: {globals.problems[value]}")
        elif isinstance(value, Function):
            column = [(None, value, ())] * self.lanes  # as a value: a callable
        elif isinstance(value, Instr) and is_type(value):
            column = [value] * self.lanes
        elif isinstance(value, Instr) and value.op == op.Variable:
            column = self.variable_addresses(value)
        else:
            column = [0] * self.lanes
        self.columns[value] = column
        return column

    def index(self, value: Value) -> Index:
        register = self.register(value)
        number = self.globals.values.get(value)
        constant = number if isinstance(number, int) else -1
        return Index(register, [] if register is not None else self.column(value), constant)

    def with_undefs(self, value: Instr) -> Any:
        """A constant of which OpUndef is a part, or all. Constants nest a few levels."""
        if value.op == op.Undef:
            return self.fill.value(self.shape(value))
        if value.op == op.ConstantComposite:
            return tuple([self.with_undefs(value.instr(at)) for at in range(len(value.operands))])
        return self.globals.values[value]

    def undefined(self, instr: Instr) -> Undefined:
        """Where an operation reports that its result is undefined."""
        faults = self.faults
        undefined_lanes = self.undefined_lanes.setdefault(instr, [])
        keeps = self.fill.kind != ZEROS

        def tell(lane: int, message: str) -> None:
            if keeps:
                undefined_lanes.append(lane)
            faults.undefined(instr, lane, message)

        def broken(lane: int, message: str) -> None:
            if keeps:
                undefined_lanes.append(lane)
            faults.differ(instr, lane, message)

        return Undefined(tell, broken)

    def outside(self, instr: Instr, base: Value | None = None) -> Tell:
        """Where an access reports that it is out of bounds; `base` is the variable that it goes to, if there is one."""
        faults = self.faults
        unsized = isinstance(base, Instr) and is_unsized(base)

        def tell(lane: int, message: str) -> None:
            if unsized and (base not in self.buffers or message.startswith(NO_BUFFER)):
                message += ", of an array without a length, which has as many elements as are given"
            faults.add(OUT_OF_BOUNDS, instr, lane, message)

        return tell

    # --- variables ----------------------------------------------------------------------------------------------------

    def _is_block(self, variable: Instr) -> bool:
        """Whether it is a Workgroup variable whose type is decorated Block, and which code uses."""
        if variable.op != op.Variable or variable.type is None:
            return False
        if storage_of(variable.type) != enums.StorageClassWorkgroup or all(
            isinstance(user, Instr) and user.op in NAMING for user in variable.users
        ):
            return False
        return self.globals.decorations.has(pointee(variable.type), enums.DecorationBlock)

    def cells_of(self, variable: Instr) -> Cells:
        """The cells of a variable without a layout."""
        known = self.cells.get(variable)
        if known is not None:
            return known
        assert variable.type is not None
        storage = storage_of(variable.type)
        shape = self.resources.shape(variable, pointee(variable.type))
        if storage not in IN_CELLS:
            raise Unsupported(f"is in the storage class {class_name(storage)}, which the simulator doesn't have")
        if shape is None:
            raise Unsupported(without_values(pointee(variable.type)))
        if storage == enums.StorageClassWorkgroup and self._is_block(variable):
            others = [each for each in self.globals.module.globals if each is not variable and self._is_block(each)]
            if others:
                shared = "accesses one of several Workgroup blocks, which share one memory"
                raise Unsupported(f"{shared} (SPV_KHR_workgroup_memory_explicit_layout)")
        count = 1 if storage in SHARED else self.lanes
        scalars, _ = self.globals.sizes.get(shape, (1, 0))
        self.held += scalars * count
        if self.held > MAX_HELD:
            where = f" in each of {count} invocations" if count > 1 else ""
            most = f"the variables of a run hold at most {MAX_HELD} together"
            raise Unsupported(f"holds {scalars} values{where}; {most}")
        initial: Any = null_value(shape)
        if storage == enums.StorageClassUniformConstant:
            initial = self.resources.bound(variable, shape)
        elif len(variable.operands) > 1:
            given = variable.value(1)
            if given not in self.globals.values:
                raise Unsupported("has an initializer that the simulator can't compute")
            initial = self.globals.values[given]
        undefined = len(variable.operands) == 1 and storage in UNDEFINED_AT_FIRST
        if undefined:
            initial = self.fill.value(shape)
        cells = Cells(variable, shape, storage in SHARED, self.lanes, initial)
        if shape.is_word() and storage == enums.StorageClassFunction and only_accessed(variable):
            cells.keep_in_register()
        self.cells[variable] = cells
        if storage == enums.StorageClassWorkgroup:
            self.shared[id(cells.values)] = cells
        if self.unwritten is not None and undefined and (self.unwritten.reports or variable in self.watched):
            self.unwritten.track(cells, True)
        return cells

    def buffers_of(self, variable: Instr) -> list[Buffer]:
        """The buffer of a variable, or the buffers of an array of such."""
        known = self.buffers.get(variable)
        if known is not None:
            return known
        assert variable.type is not None
        decorations = self.globals.decorations
        type = pointee(variable.type)
        count = 1
        plain = type
        if type.op == op.TypeArray or type.op == op.TypeRuntimeArray:
            plain = type.instr(0)
            shape = self.resources.shape(variable, type)
            count = shape.count if shape is not None else 0
            if count == 0:
                raise Unsupported("is an array of buffers without a known length")
            if count > MAX_DESCRIPTORS:
                raise Unsupported(f"is an array of {count} buffers; the simulator has at most {MAX_DESCRIPTORS}")
        layout = layout_of(self.globals, plain)
        if layout is None:
            raise Unsupported("has no explicit layout, or one with types that the simulator has no values of")
        set = decorations.number(variable, enums.DecorationDescriptorSet)
        binding = decorations.number(variable, enums.DecorationBinding)
        writable = (
            storage_of(variable.type) == enums.StorageClassStorageBuffer
            or decorations.has(plain, enums.DecorationBufferBlock)
        ) and not decorations.has(variable, enums.DecorationNonWritable)
        buffers: list[Buffer] = []
        for index in range(count):
            name = variable.name or plain.name
            name = name if plain is type or type.op == op.TypeArray and count == 1 else f"{name}[{index}]"
            buffer = Buffer(name, set, binding, index, layout, plain, writable)
            if plain.op == op.TypeStruct and len(plain.operands) == 1:
                buffer.member = decorations.names.get((plain, 0), "")
            self.resources.add(buffer)
            buffers.append(buffer)
        self.buffers[variable] = buffers
        return buffers

    def variable_addresses(self, variable: Instr) -> list[Any]:
        """The pointers that a variable is, for the lanes."""
        assert variable.type is not None
        if storage_of(variable.type) in IN_BUFFERS:
            buffers = self.buffers_of(variable)
            if len(buffers) != 1:
                raise Unsupported("uses a pointer to an array of buffers as a value")
            at: BufferAddress = (buffers[0], 0)
            return [at] * self.lanes
        cells = self.cells_of(variable)
        return [(cells.values, 0 if cells.shared else lane, ()) for lane in range(self.lanes)]

    # --- places -------------------------------------------------------------------------------------------------------

    def place(self, pointer: Value, user: Instr) -> Place:
        """The place that `pointer` means to `user`, which is named if it is out of bounds."""
        if not isinstance(pointer, Instr) or pointer.type is None or pointer.type.op != op.TypePointer:
            raise Unsupported("goes through something that is not a pointer to a typed place")
        chain = resolve(pointer)
        place = self.chain_place(chain, self.outside(user, chain.base))
        if isinstance(place, BufferPlace):
            if user.op not in READING:
                self.resources.write(place.buffers)
            if place.space is not None:
                place.alignment = max(alignment_of(place.layout), aligned_by(user))
        return place

    def _shapeless(self, type: Instr) -> Instr:
        """The part of a type of which there are no values. Types nest a few levels."""
        while type.op in (op.TypeStruct, op.TypeArray):
            parts = [type.instr(0)] if type.op == op.TypeArray else [type.instr(at) for at in range(len(type.operands))]
            inner = next((part for part in parts if self.globals.shape(part) is None), None)
            if inner is None:
                return type
            type = inner
        return type

    def chain_place(self, chain: Chain, tell: Tell) -> Place:
        storage = chain.storage()
        if chain.base.op == op.ImageTexelPointer:
            return self.texel_place(chain.base, tell)
        if storage in IN_BUFFERS or storage in BY_ADDRESS:
            return self.buffer_place(chain, tell, [], 0)
        if storage in IN_CELLS:
            return self.cell_place(chain, tell)
        raise Unsupported(f"points into the storage class {class_name(storage)}, which the simulator doesn't have")

    def cell_place(self, chain: Chain, tell: Tell) -> CellPlace:
        columns, counts, shape = self.indices_into(chain)
        if chain.base.op == op.Variable:
            return CellPlace(shape, tell, self.cells_of(chain.base), [], columns, counts)
        place = CellPlace(shape, tell, None, self.column(chain.base), columns, counts)
        place.checked = self.past_ends
        place.shared = chain.storage() == enums.StorageClassWorkgroup
        return place

    def indices_into(self, chain: Chain) -> tuple[list[Index], list[int], Shape]:
        """The indices of a chain, how many there are at each, and the shape that it leads to."""
        shape = self.resources.shape(chain.base, chain.pointee())
        if shape is not None and chain.pointee().op == op.TypeRuntimeArray and shape.count == 0:
            raise Unsupported("goes into an array without a known length")
        columns: list[Index] = []
        counts: list[int] = []
        for index in chain.indices:
            if shape is None:
                break
            columns.append(self.index(index))
            counts.append(shape.count)
            shape = self.step_into(shape, index)
        if shape is None:
            raise Unsupported(without_values(self._shapeless(chain.pointee())).replace("has", "points to", 1))
        return columns, counts, shape

    def step_into(self, shape: Shape, index: Value) -> Shape | None:
        if shape.kind == STRUCT_KIND:
            return shape.members[self.constant(index)]
        return shape.element if shape.kind >= VECTOR_KIND else None

    def constant(self, value: Value) -> int:
        number = self.globals.values.get(value)
        if not isinstance(number, int):
            raise Unsupported("picks a member of a struct by something that is not a constant")
        return number

    def buffer_place(self, chain: Chain, tell: Tell, terms: list[Term], offset: int) -> BufferPlace:
        """`terms` and `offset` come before those of the chain."""
        buffers: list[Buffer] = []
        which: list[int] = []
        column: list[Any] = []
        indices = chain.indices
        if chain.base.op == op.Variable:
            if chain.storage() in BY_ADDRESS:
                raise Unsupported(
                    "goes to a variable of the program in CrossWorkgroup memory, which has no address here"
                )
            buffers = self.buffers_of(chain.base)
            layout: Layout | None = buffers[0].layout
            if pointee_is_array(chain):
                if not indices:
                    raise Unsupported("takes a whole array of buffers")
                which = self.column(indices[0])
                indices = indices[1:]
        else:
            column = self.column(chain.base)
            layout = self.layout_at(chain)
        if layout is None:
            raise Unsupported("points into a buffer by a type without an explicit layout")
        terms = list(terms)
        for index in indices:
            if layout.offsets:
                member = self.constant(index)
                offset += layout.offsets[member]
                layout = layout.parts[member]
                continue
            if not layout.parts:
                raise Unsupported("has more indices than its type has levels")
            width = self.shape(index).width
            terms.append(Term(self.index(index), layout.stride, layout.shape.count or -1, offset, width))
            layout = layout.parts[0]
        space = self.space if chain.storage() in BY_ADDRESS else None
        return BufferPlace(layout, tell, buffers, which, column, offset, terms, space)

    def layout_at(self, chain: Chain) -> Layout | None:
        """That of what the base of a chain points to."""
        if chain.storage() != enums.StorageClassCrossWorkgroup:
            return layout_of(self.globals, chain.pointee())
        natural = natural_layout(self.globals, chain.pointee())
        return None if natural is None else natural[0]

    def texel_place(self, pointer: Instr, tell: Tell) -> TexelPlace:
        """OpImageTexelPointer: its image is a pointer to an image."""
        shape = self.globals.shape(pointee(pointer.type)) if pointer.type is not None else None
        if shape is None:
            raise Unsupported("points to a texel of a type that the simulator has no values of")
        if not shape.is_scalar():
            raise Unsupported(f"points to a texel of type {shape}; SPIR-V has such pointers to scalars only")
        handles = self.place(pointer.value(0), pointer)
        return TexelPlace(shape, tell, handles, self.column(pointer.value(1)), self.column(pointer.value(2)))

    def stride_of(self, pointer: Instr) -> int:
        """The ArrayStride of a pointer's type, in bytes, -1 without one; in memory without such, the size of what it
        points to."""
        if pointer.type is None:
            return -1
        if storage_of(pointer.type) == enums.StorageClassCrossWorkgroup:
            natural = natural_layout(self.globals, pointee(pointer.type))
            return -1 if natural is None else natural[1]
        return self.globals.decorations.number(pointer.type, enums.DecorationArrayStride)

    def element_place(self, chain: Chain, element: Value, stride: int, tell: Tell) -> BufferPlace:
        """OpPtrAccessChain: `element` elements of `stride` bytes on from the pointer, then along the chain."""
        term = Term(self.index(element), stride, -2, 0, self.shape(element).width)
        return self.buffer_place(chain, tell, [term], 0)


def without_values(type: Instr | None) -> str:
    """What is wrong with an instruction whose values the simulator doesn't have: a ray query, a cooperative matrix."""
    row = info(type.op) if type is not None else None
    named = f"Op{row.name}" if row is not None else "a type"
    return f"has {named}, of which the simulator has no values"


def holds_undef(value: Instr) -> bool:
    """Whether a constant is OpUndef, or made of it."""
    work = [value]
    while work:
        part = work.pop()
        if part.op == op.Undef:
            return True
        if part.op == op.ConstantComposite:
            work.extend([operand for operand in part.operands if isinstance(operand, Instr)])
    return False
