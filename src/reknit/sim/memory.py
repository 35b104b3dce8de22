"""Variables and what they hold.

    Function, Private, Input, Output    Cells: a value a lane         arrays, structs, matrices: lists that change, and
    Workgroup                           Cells: one value              columns; vectors and scalars: values, put in whole
    Uniform, StorageBuffer,             Buffer: 32-bit words with an explicit layout
    PushConstant
    UniformConstant                     images: a Buffer that has a Texture, which says how its texels lie

Variables without an initializer start as zeros. A shader may not rely on that: what it reads is undefined.
"""

from bisect import bisect_right
from typing import Any, Final, final

from reknit.ir.instr import Instr
from reknit.sim.layout import Layout
from reknit.sim.registers import COLUMN, Register, as_column, no_lanes
from reknit.sim.texture import Texture
from reknit.sim.values import ARRAY_KIND, MATRIX_KIND, PAYLOAD_KIND, STRUCT_KIND, Shape

LogicalAddress = tuple[list[Any], int, tuple[int, ...]]
"""(values, slot, path): the place values[slot][path[0]][path[1]]..."""


NULL: Final = "the pointer is null"
NOWHERE: Final = "is in no buffer"
"""How messages on addresses end that lead to no memory."""


@final
class Cells:
    """A variable with no layout. `values` has one entry per lane, or a single one if `shared`; of a variable that
    only kernels write they follow its `register`."""

    __slots__ = ("instr", "shape", "shared", "initial", "whole", "register", "_values")

    def __init__(self, instr: Instr, shape: Shape, shared: bool, count: int, initial: Any) -> None:
        self.instr = instr
        self.shape = shape
        self.shared = shared
        self.initial = initial
        self.whole = not is_aggregate(shape)
        self.register: Register | None = None
        self._values: list[Any] = [0] * (1 if shared else count)
        self.reset()

    @property
    def values(self) -> list[Any]:
        return self.register.listed() if self.register is not None else self._values

    def keep_in_register(self) -> None:
        """A word that kernels alone load and store."""
        self.register = Register(self._values)

    def reset(self) -> None:
        register = self.register
        if register is not None:
            word: int = self.initial
            register.fill(word)
            return
        values = self._values
        if self.whole:
            values[:] = [self.initial] * len(values)
            return
        for slot in range(len(values)):
            values[slot] = thaw(self.initial, self.shape)


ARGUMENT: Final = -2


@final
class Buffer:
    """A variable with a layout, or one element of an array of such. `name` is "" if the source gave none, and so is
    `member`, the name of the only member of its block.

    `set` and `binding` are -1 where there are none (push constants; the set of a kernel's argument is ARGUMENT, its
    index the parameter's), `index` is the element of an array of buffers. A
    buffer with an `alias` shares that one's words. `address` is where it begins, 0 where no pointer is an address.
    `kept`: nothing in the program writes it, so that its words are a column, `flat`, once a run has read many.
    """

    __slots__ = (
        "name", "member", "set", "binding", "index", "layout", "words", "type", "writable", "alias", "texture",
        "address", "kept", "flat", "left", "_reads",
    )  # fmt: skip

    def __init__(
        self, name: str, set: int, binding: int, index: int, layout: Layout, type: Instr, writable: bool
    ) -> None:
        self.name = name
        self.member = ""
        self.set = set
        self.binding = binding
        self.index = index
        self.layout = layout
        self.type = type
        self.writable = writable
        self.words: list[int] = []
        self.alias: Buffer | None = None
        self.texture: Texture | None = None
        self.address = 0
        self.kept = False
        self.flat = no_lanes()
        self.left: list[bytes] = []  # pages of what the last run left, of a long one
        self._reads = 0

    def owner(self) -> "Buffer":
        """The buffer whose words it has."""
        return self.alias if self.alias is not None else self

    def begin(self, kept: bool) -> None:
        """A run begins: the words are others than they were."""
        self.kept = kept
        self.flat = no_lanes()
        self._reads = 0

    def has_column(self, lanes: int) -> bool:
        """Whether `flat` is there for `lanes` reads, as it is from where making it costs no more than the reads did."""
        if not self.kept:
            return False
        if len(self.flat) == 0:
            self._reads += lanes
            if self._reads < len(self.words):
                return False
            self.flat = as_column(self.words)
        return True

    def label(self) -> str:
        return self.name or f"{self.set}.{self.binding}"


BufferAddress = tuple[Buffer, int]
"""(buffer, byte offset)"""


@final
class AddressSpace:
    """What is in memory in a run (`sim.addresses`): `starts` are the addresses of `buffers`, ascending, of which
    `given` are those that no variable names. `mask` has the bits that an address may have."""

    __slots__ = ("starts", "buffers", "given", "mask")

    def __init__(self, width: int) -> None:
        self.mask: int = (1 << width) - 1
        self.starts: list[int] = []
        self.buffers: list[Buffer] = []
        self.given: list[Buffer] = []

    def at(self, address: int) -> Buffer | None:
        """The buffer that begins at an address or before it, and is the nearest of those."""
        place = bisect_right(self.starts, address) - 1
        return self.buffers[place] if place >= 0 else None


def is_in_parts(kept: Any) -> bool:
    """Whether what a variable holds is an aggregate or a vector."""
    return isinstance(kept, (list, tuple, COLUMN))


def is_aggregate(shape: Shape) -> bool:
    return shape.kind in (ARRAY_KIND, STRUCT_KIND, MATRIX_KIND, PAYLOAD_KIND)


def thaw(value: Any, shape: Shape) -> Any:
    """A value as it is kept in a variable: aggregates become lists, arrays of words columns. Shapes nest a few
    levels."""
    if shape.kind == STRUCT_KIND:
        return [thaw(value[index], shape.members[index]) for index in range(len(shape.members))]
    if is_aggregate(shape) and shape.element is not None:
        element = shape.element
        if is_aggregate(element):
            return [thaw(part, element) for part in value]
        return as_column(list(value)) if shape.kind == ARRAY_KIND and element.is_word() else list(value)
    return value


def freeze(kept: Any, shape: Shape) -> Any:
    """The value of what is kept in a variable: lists become tuples."""
    if shape.kind == PAYLOAD_KIND:
        return freeze_payload(kept)
    if shape.kind == STRUCT_KIND:
        return tuple([freeze(kept[index], shape.members[index]) for index in range(len(shape.members))])
    if is_aggregate(shape) and shape.element is not None:
        element = shape.element
        if is_aggregate(element):
            return tuple([freeze(part, element) for part in kept])
        return tuple(kept)
    return kept


def freeze_payload(kept: Any) -> Any:
    """What a method may have put in parts into the place of its object. Values nest a few levels."""
    return tuple([freeze_payload(part) for part in kept]) if is_in_parts(kept) else kept
