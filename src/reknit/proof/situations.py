"""What a run depends on besides its inputs, and how else a proof sets it.

    reads NumWorkgroups, WorkgroupId ..      ->  workgroups 2x1x1, 3x2x1, 1x2x3, and numbers that the programs name
    reads WorkgroupId                        ->  a dispatch whose first workgroup is not 0
    reads DeviceIndex                        ->  device 1
    specialization constants that are used   ->  0, 1, -1, numbers that the programs name and their neighbours
    asks for a length or an image's size     ->  the same for those
    buffers that may be the same memory      ->  two descriptors with one buffer
    any                                      ->  subgroup sizes 1, 2, 16 and 128

Each is run for a few inputs at one subgroup size, so that it may refute, and proves nothing. What the caller has set is
left as it is.
"""

from typing import Any, Final, final

from reknit.analysis.aliasing import Aliasing
from reknit.ir import enums, op
from reknit.ir.module import Module
from reknit.ir.types import width_of
from reknit.ir.value import Value
from reknit.proof.interface import asks_for_lengths, asks_for_sizes, layout_text
from reknit.proof.pool import Pool
from reknit.proof.question import OTHER_SIZES, Question
from reknit.sim.buffers import position
from reknit.sim.builtins import Origin, Triple
from reknit.sim.decorations import Decorations
from reknit.sim.memory import Buffer
from reknit.sim.ops.ieee import format_of
from reknit.sim.resources import Descriptor
from reknit.sim.run import Program
from reknit.sim.values import BOOL_KIND, FLOAT_KIND, INT_KIND, Shape

MAX_LANES: Final = 1536  # of all workgroups together
MAX_ELEMENTS: Final = 1 << 13  # of a run-time array, where the first workgroup is not 0
MAX_NUMBERS: Final = 4  # that the programs name, of one kind
MAX_SPECIALIZATIONS: Final = 24
MAX_SHARED: Final = 6  # pairs of buffers that are bound as one
MANY: Final = (1, 4, 12, 17)
FEW: Final = (4, 1, 17)  # inputs of the sample: numbers of the pool, the element's number, the pool again
OF_GROUPS: Final = (enums.BuiltInNumWorkgroups, enums.BuiltInWorkgroupId, enums.BuiltInGlobalInvocationId)

Spec = dict[int | str, float]


@final
class Situation:
    """`elements` is how many a run-time array has, `extent` how large images are, each 0 where the dispatch says.
    `matters`: a reader learns where before is undefined so. `shared` are descriptors that have another one's buffer."""

    __slots__ = ("what", "size", "groups", "origin", "spec", "elements", "extent", "inputs", "matters", "shared")

    def __init__(self, what: str, size: int, groups: Triple) -> None:
        self.what = what
        self.size = size
        self.groups = groups
        self.origin = Origin()
        self.spec: Spec = {}
        self.elements = 0
        self.extent = 0
        self.inputs: tuple[int, ...] = FEW
        self.matters = True
        self.shared: dict[Descriptor, Descriptor] = {}


@final
class Situations:
    """`chosen` are those to run; `open` names what a verdict for the domain can't have gone through."""

    __slots__ = ("asked", "pool", "before", "after", "size", "groups", "small", "reads", "chosen", "open", "fixed")

    def __init__(self, before: Program, after: Program, asked: Question, pool: Pool) -> None:
        self.asked = asked
        self.pool = pool
        self.before = before
        self.after = after
        self.size = before.preparation.subgroup_size
        self.groups = asked.groups if asked.groups is not None else (1, 1, 1)
        small = [near for number in pool.ints for near in (number, number + 1, number - 1)]
        self.small = [number for number in dict.fromkeys(small) if 1 < number <= 64]
        self.reads = {builtin for program in (before, after) for builtin in program.stage.reads()}
        self.chosen: list[Situation] = []
        self.open: list[str] = []
        self.fixed: list[str] = []
        self.of_sizes()
        if asked.groups is None and before.stage.has_groups:
            self.of_groups()
        self.of_origins()
        self.of_lengths()
        self.of_shared()
        self.of_constants()
        if enums.BuiltInViewIndex in self.reads:
            self.fixed.append("ViewIndex")

    def add(self, what: str, groups: Triple | None = None) -> Situation:
        situation = Situation(what, self.size, groups if groups is not None else self.groups)
        self.chosen.append(situation)
        return situation

    def of_sizes(self) -> None:
        if self.asked.all_sizes:
            for size in [size for size in OTHER_SIZES if size >= 4 or not self.before.stage.quads]:
                self.add(f"subgroup size {size}").size = size

    def of_groups(self) -> None:
        lanes = self.before.preparation.lanes
        wanted: list[Triple] = [(2, 1, 1)]
        asks = any(builtin in self.reads for builtin in OF_GROUPS)
        if asks:
            wanted.extend([(3, 2, 1), (1, 2, 3)] if lanes * 6 <= MAX_LANES else [(1, 2, 1), (1, 1, 2)])
        if enums.BuiltInNumWorkgroups in self.reads:
            self.open.append("NumWorkgroups")
            for number in [count for count in self.small if count * lanes <= MAX_LANES][: 2 * MAX_NUMBERS]:
                wanted.extend([(number, 1, 1), (1, number, 1), (1, 1, number)])
        for groups in wanted:
            self.add(f"workgroups {'x'.join(map(str, groups))}", groups).matters = asks and groups == (2, 1, 1)

    def of_origins(self) -> None:
        if any(builtin in self.reads for builtin in OF_GROUPS[1:]):
            lanes = self.before.preparation.lanes
            bases: list[Triple] = [(1, 2, 1) if lanes * 12 <= MAX_LANES else (1, 0, 0)]
            for number in self.first_groups():
                bases.extend([(number, 0, 0), (0, number, 0), (0, 0, number)])
            for base in bases:
                self.add(f"first workgroup ({', '.join(map(str, base))})").origin = Origin(base)
        if enums.BuiltInDeviceIndex in self.reads:
            self.open.append("DeviceIndex")
            for device in [1, *[number for number in self.small if 1 < number < 32]][:MAX_NUMBERS]:
                self.add(f"device {device}").origin = Origin((0, 0, 0), device)

    def first_groups(self) -> list[int]:
        """Numbers that the programs name as ids of workgroups, or that are ids of invocations there."""
        size = self.before.size[0]
        wanted = [near for number in self.pool.ints if number > 1 for near in (number, number // size)]
        most = MAX_ELEMENTS // self.before.preparation.lanes
        return [number for number in dict.fromkeys(wanted) if 1 < number < most][: 2 * MAX_NUMBERS]

    def of_lengths(self) -> None:
        modules = (self.before.module, self.after.module)
        lanes = self.before.preparation.lanes * self.groups[0] * self.groups[1] * self.groups[2]
        if any(asks_for_lengths(module) for module in modules):
            self.open.append("lengths of run-time arrays")
            for more in [lanes + 1, 2 * lanes + 3, *[count for count in self.small if count > lanes][:MAX_NUMBERS]]:
                self.add(f"run-time arrays of {more}").elements = more
        if any(asks_for_sizes(module) for module in modules):
            self.open.append("sizes of images")
            for extent in [1, 3, *self.small[: 2 * MAX_NUMBERS]]:
                self.add(f"images of {extent}").extent = extent

    def of_shared(self) -> None:
        """Two buffers alike, one of which is written, if before allows that they are one (`analysis.aliasing`)."""
        aliasing = Aliasing(self.before.module)
        buffers = self.before.preparation.buffers
        each: list[tuple[Value, Buffer]] = []
        for variable in buffers:
            each.extend([(variable, buffer) for buffer in buffers[variable] if buffer.alias is None])
        room = MAX_SHARED
        for at, (variable, buffer) in enumerate(each):
            for other, its in each[:at]:
                may_be = aliasing.places[variable].may_be(aliasing.places[other]) or variable is other
                written = buffer.writable or its.writable
                if not room or not may_be or not written or min(buffer.binding, its.binding) < 0:
                    continue
                if layout_text(buffer.layout) != layout_text(its.layout):
                    continue
                room -= 1
                situation = self.add(f"one buffer for {position(its)} and {position(buffer)}")
                situation.shared = {descriptor_of(buffer): descriptor_of(its)}
                situation.matters = False
                situation.inputs = MANY

    def of_constants(self) -> None:
        """One after another is set, then all together."""
        constants = free_constants([self.before.module, self.after.module], self.asked.spec)
        numbers = {key: self.numbers(shape) for key, shape in constants.items()}
        if constants:
            names = ", ".join(map(str, constants))
            self.open.append(f"specialization constants {names}" if len(constants) > 1 else f"constant {names}")
        room = MAX_SPECIALIZATIONS
        for at in range(max([len(some) for some in numbers.values()], default=0)):
            for key, some in numbers.items():
                if at < len(some) and room:
                    room -= 1
                    self.specialized({key: some[at]})
        for at in range(3 if len(constants) > 1 else 0):
            chosen = enumerate(numbers.items())
            self.specialized({key: some[(at * 5 + place) % len(some)] for place, (key, some) in chosen})

    def specialized(self, spec: Spec) -> None:
        situation = self.add("specialization " + ", ".join([f"{key} = {value}" for key, value in spec.items()]))
        situation.spec = spec
        situation.inputs = FEW[:2]

    def numbers(self, shape: Shape) -> list[float]:
        """What a constant may be set to: small numbers first, since it may be a length."""
        if shape.kind == BOOL_KIND:
            return [0, 1]
        bits = self.pool.of(shape)
        form = format_of(shape.width) if shape.kind == FLOAT_KIND else None
        if form is not None:
            return [form.decode(pattern) for pattern in bits]
        low = 1 << (shape.width - 1)
        given = [pattern - 2 * low if shape.signed and pattern >= low else pattern for pattern in bits]
        return [2, 1, 3, *[pattern for pattern in given if pattern not in (1, 2, 3)]]


def descriptor_of(buffer: Buffer) -> Descriptor:
    return buffer.set, buffer.binding, buffer.index


def free_constants(modules: list[Module], asked: Spec) -> dict[int | str, Shape]:
    """SpecId -> type, of the specialization constants that something uses and the caller has not set."""
    constants: dict[int | str, Shape] = {}
    for module in modules:
        decorations = Decorations(module)
        for instr in module.globals:
            number = decorations.number(instr, enums.DecorationSpecId)
            names: list[Any] = [number, str(number), instr.name]
            if number < 0 or instr.type is None or any(name in asked for name in names):
                continue
            if any(getattr(user, "op", op.Nop) not in (op.Decorate, op.Name) for user in instr.users):
                kind = {op.TypeBool: BOOL_KIND, op.TypeFloat: FLOAT_KIND}.get(instr.type.op, INT_KIND)
                width = 1 if kind == BOOL_KIND else width_of(instr.type)
                constants[number] = Shape(kind, width, kind == INT_KIND and instr.type.word(1) == 1)
    return constants


def known_to(module: Module, spec: Spec) -> Spec:
    """Of drawn constants those that a module has: one that after no longer has is a constant there."""
    decorations = Decorations(module)
    has = {decorations.number(instr, enums.DecorationSpecId) for instr in module.globals}
    return {key: value for key, value in spec.items() if key in has}
