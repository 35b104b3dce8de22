"""The scalars of a buffer one by one: where each lies and what it is called.

    struct { uint n; vec2 p[] }   of 20 bytes   ->   0: u32 at 0    1[0].0: f32 at 4 ... by member numbers
    uint out[4]                                 ->   [0]: u32 at 0    [1]: u32 at 4 ...

A name is made of the members' names where the module has them.
"""

from collections.abc import Iterator
from typing import Final, final

from reknit.ir.instr import Instr
from reknit.sim.decorations import Decorations
from reknit.sim.layout import Layout
from reknit.sim.values import STRUCT_KIND, U32, VECTOR_KIND, Shape

LETTERS: Final = "xyzw"


@final
class Element:
    """A scalar at a byte offset of a buffer."""

    __slots__ = ("name", "offset", "shape")

    def __init__(self, name: str, offset: int, shape: Shape) -> None:
        self.name = name
        self.offset = offset
        self.shape = shape

    def bits(self, data: bytes) -> int:
        return int.from_bytes(data[self.offset : self.offset + self.shape.width // 8], "little")


def elements(layout: Layout, size: int, type: Instr | None, names: Decorations) -> Iterator[Element]:
    """All scalars below byte `size`, in order. `type` is the buffer's type, for the names of members."""
    work: list[tuple[Layout, int, str, Instr | None]] = [(layout, 0, "", type)]
    while work:
        part, offset, name, of = work.pop()
        if offset >= size:
            continue
        if not part.parts:
            if part.interfaces is not None:
                for word in range(part.size // 4 if offset + part.size <= size else 0):
                    yield Element(f"{name}.{existential_word(word)}", offset + word * 4, U32)
            elif part.size and offset + part.size <= size:
                yield Element(name, offset, part.shape)
            continue
        if part.offsets or part.shape.kind == STRUCT_KIND:
            for index in range(len(part.parts) - 1, -1, -1):
                member = names.names.get((of, index), "") if of is not None else ""
                inner = of.instr(index) if of is not None else None
                dot = "." if name else ""
                work.append((part.parts[index], offset + part.offsets[index], f"{name}{dot}{member or index}", inner))
            continue
        count = part.shape.count or max(0, (size - offset) // part.stride)
        inner = of.instr(0) if of is not None and isinstance(of.operands[0], Instr) else None
        for index in range(count - 1, -1, -1):
            label = f".{LETTERS[index]}" if part.shape.kind == VECTOR_KIND and index < 4 else f"[{index}]"
            work.append((part.parts[0], offset + index * part.stride, name + label, inner))


def existential_word(word: int) -> str:
    """What a word of an existential is: its header's two halves, then the payload."""
    if word < 4:
        return f"rtti[{word}]" if word < 2 else f"table[{word - 2}]"
    return f"value[{word - 4}]"
