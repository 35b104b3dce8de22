"""A DXIL resource: registers of a class, each of which becomes a variable of ours.

    RWStructuredBuffer<uint> out : register(u3, space1)    StorageBuffer "out", set 1, binding 3
    cbuffer Limits : register(b0)                          Uniform "Limits", set 0, binding 0

set = space, binding = register. u3 and t3 of one space can't both have binding 3: then UAVs keep theirs, and SRVs, CBVs
and samplers move up by 1000, 2000 and 3000, the numbers that -fvk-t-shift and its like would give. The counter of a
buffer is a buffer of one word, `NAME.counter`, 4000 above.
"""

from typing import Final, final

from reknit.front.llvm.memory import Root
from reknit.front.llvm.syntax import Type
from reknit.front.llvm.unsupported import Refusal
from reknit.ir import enums
from reknit.ir.instr import Instr

SRV: Final = 0
UAV: Final = 1
CBV: Final = 2
SAMPLER: Final = 3

TYPED: Final = 10
RAW: Final = 11
STRUCTURED: Final = 12
CBUFFER: Final = 13
SAMPLER_SHAPE: Final = 14
TBUFFER: Final = 15
"""DXC, DxilConstants.h, ResourceKind: what is below TYPED are textures."""

_LETTERS: Final = "tubs"
_SHIFTS: Final = (1000, 0, 2000, 3000)
COUNTER_SHIFT: Final = 4000
UNBOUNDED: Final = 0xFFFFFFFF


@final
class Resource:
    """`kind` is the class, `shape` the ResourceKind; `number` identifies it in its class. `stride` is that of a
    structured buffer in bytes, `size` that of a constant buffer. `components` are those of a typed buffer's elements, 0
    while that isn't known. `array`: registers are chosen at run time, and are one array of descriptors. `atomic` is how
    wide atomics on its texels are, 0 if there are none."""

    __slots__ = (
        "kind", "number", "name", "space", "lower", "count", "shape", "stride", "size", "element", "counted",
        "components", "certain", "shift", "roots", "counters", "constants", "array", "atomic", "coherent", "ordered",
        "aliased", "struct", "atomics", "apart", "variable",
    )  # fmt: skip

    def __init__(self, kind: int, number: int, name: str) -> None:
        self.kind = kind
        self.number = number
        self.name = name
        self.space = 0
        self.lower = 0
        self.count = 1
        self.shape = CBUFFER if kind == CBV else RAW
        self.stride = 0
        self.size = 0
        self.element = 0
        self.counted = False
        self.components = 0
        self.certain = False  # whether `components` is what the input says
        self.shift = 0
        self.roots: dict[int, Root] = {}
        self.counters: dict[int, Root] = {}
        self.constants: dict[int, Instr] = {}
        self.array = False
        self.atomic = 0
        self.coherent = False
        self.ordered = False
        self.aliased = False
        self.struct: Instr | None = None  # of a constant buffer
        self.variable = ""  # of a library: the one that stands for it
        self.atomics: dict[tuple[int, int], Type] = {}  # that buffers have, by register and width
        self.apart: dict[tuple[int, int], Root] = {}  # variables of their own for some of these

    def label(self, register: int) -> str:
        """What its variable is called."""
        if not self.name:
            place = f"{_LETTERS[self.kind]}{register}"
            return place if self.space == 0 else f"{place}_space{self.space}"
        return self.name if self.count == 1 or self.array else f"{self.name}[{register - self.lower}]"

    def binding(self, register: int) -> int:
        """Raises Refusal where there is none."""
        return in_a_word(register + self.shift, "binding")

    def root(self, register: int) -> Root:
        """The memory of a buffer's register."""
        root = self.roots.get(register)
        if root is None:
            root = self._root(self.label(register), self.binding(register))
            root.readonly = self.kind == SRV
            self.roots[register] = root
        return root

    def atomic_root(self, register: int, width: int) -> Root:
        """The memory as atomics of a width have it."""
        root = self.apart.get((register, width))
        return self.root(register) if root is None else root

    def plan_atomics(self) -> None:
        """What others access more narrowly than an atomic does gets a second variable for it, in the same binding."""
        for (register, width), type in self.atomics.items():
            root = self.root(register)
            if root.unit == 0 or root.unit >= width:
                root.accessed(type)
        for (register, width), type in self.atomics.items():
            root = self.root(register)
            if root.unit < width:
                root.aliased = True
                wide = self._root(f"{root.name}.u{width}", root.binding)
                wide.aliased = True
                wide.accessed(type)
                self.apart[(register, width)] = wide

    def counter(self, register: int) -> Root:
        root = self.counters.get(register)
        if root is None:
            root = self._root(f"{self.label(register)}.counter", in_a_word(register + COUNTER_SHIFT, "binding"))
            self.counters[register] = root
        return root

    def _root(self, name: str, binding: int) -> Root:
        root = Root(name, enums.StorageClassStorageBuffer, 0)
        root.set = self.space
        root.binding = binding
        root.coherent = self.coherent
        root.aliased = self.aliased
        root.descriptors = self.descriptors()
        return root

    def descriptors(self) -> int:
        """How many its array has: 0 without one, -1 without a bound."""
        if not self.array:
            return 0
        return -1 if self.count >= UNBOUNDED else self.count


def in_a_word(number: int, what: str) -> int:
    """`number`, or a Refusal where it is too large."""
    if number > 0xFFFFFFFF:
        help = "use smaller register numbers, or a space for each class"
        raise Refusal(f"uses a register that would get the {what} {number}, which no word holds", help)
    return number


def share_bindings(resources: list[Resource]) -> None:
    """Move up the classes whose registers another class has in the same space."""
    taken: dict[int, list[tuple[int, int, int]]] = {}
    for kind in (UAV, SRV, CBV, SAMPLER):
        for space in dict.fromkeys([resource.space for resource in resources if resource.kind == kind]):
            mine = [resource for resource in resources if resource.kind == kind and resource.space == space]
            others = taken.setdefault(space, [])
            meets = any(
                low < resource.lower + resource.count and resource.lower < high
                for resource in mine
                for _, low, high in others
            )
            for resource in mine:
                resource.shift = _SHIFTS[kind] if meets else 0
            others.extend([(kind, resource.lower, resource.lower + resource.count) for resource in mine if not meets])
