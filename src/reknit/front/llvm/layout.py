"""Sizes and alignments of types in memory, as the data layout has them.

    "i64:32-f16:16"     what it doesn't mention is aligned as it is wide; structs and arrays as their parts
"""

import re
from typing import final

from reknit.front.llvm import syntax
from reknit.front.llvm.syntax import Type
from reknit.front.llvm.unsupported import Refusal
from reknit.source.digits import saturated


@final
class Layout:
    """Everything in bytes."""

    __slots__ = ("aligned", "pointers", "sizes", "alignments")

    def __init__(self, text: str) -> None:
        self.aligned: dict[tuple[str, int], int] = {}
        self.pointers: dict[int, int] = {0: 8}  # by address space
        self.sizes: dict[Type, int] = {}  # what was found out of aggregates
        self.alignments: dict[Type, int] = {}
        for kind, width, alignment in re.findall(r"(?:^|-)([if])(\d+):(\d+)", text):
            self.aligned[(kind, saturated(width))] = saturated(alignment) // 8
        for space, size in re.findall(r"(?:^|-)p(\d*):(\d+):", text):
            self.pointers[saturated(space or "0")] = saturated(size) // 8

    def size(self, type: Type) -> int:
        """How far apart elements of the type are in an array. Types nest a few levels. Raises Refusal."""
        alignment = self.alignment(type)
        return -(-self.stored(type) // alignment) * alignment

    def stored(self, type: Type) -> int:
        """What a store writes."""
        if type.kind in (syntax.INT, syntax.FLOAT):
            return -(-type.width // 8)
        if type.kind == syntax.PTR:
            return self.pointers.get(type.count, self.pointers[0])
        if type.kind == syntax.ARRAY:
            return type.count * self.size(type.parts[0])
        if type.kind == syntax.VECTOR:
            return -(-type.count * (1 if type.parts[0].is_bool() else 8 * self.stored(type.parts[0])) // 8)
        if type.kind == syntax.STRUCT:
            if type not in self.sizes:
                self.sizes[type] = self.offset(type, len(type.parts))
            return self.sizes[type]
        raise Refusal(f"has the type {type.name}, of which no size is known")

    def alignment(self, type: Type) -> int:
        if type.kind in (syntax.INT, syntax.FLOAT):
            letter = "i" if type.kind == syntax.INT else "f"
            known = self.aligned.get((letter, type.width))
            return known if known else _power(-(-type.width // 8))
        if type.kind == syntax.PTR:
            return self.pointers.get(type.count, self.pointers[0])
        if type.kind == syntax.ARRAY:
            return self.alignment(type.parts[0])
        if type.kind == syntax.VECTOR:
            return _power(self.stored(type))
        if type.kind == syntax.STRUCT:
            if type not in self.alignments:
                alignment = 1 if type.packed else max([self.alignment(part) for part in type.parts], default=1)
                self.alignments[type] = alignment
            return self.alignments[type]
        raise Refusal(f"has the type {type.name}, of which no size is known")

    def offset(self, type: Type, member: int) -> int:
        """Where a member of a struct starts; with their count, where the struct ends."""
        at = 0
        for index, part in enumerate(type.parts):
            if not type.packed:
                alignment = self.alignment(part)
                at = -(-at // alignment) * alignment
            if index == member:
                return at
            at += self.size(part)
        alignment = self.alignment(type)
        return -(-at // alignment) * alignment

    def part(self, type: Type, index: int) -> tuple[int, int]:
        """(offset, length) of an element or member."""
        if type.kind == syntax.STRUCT:
            return self.offset(type, index), self.stored(type.parts[index])
        step = self.stored(type.parts[0]) if type.kind == syntax.VECTOR else self.size(type.parts[0])
        return index * step, self.stored(type.parts[0])


def _power(size: int) -> int:
    power = 1
    while power < size:
        power *= 2
    return power
