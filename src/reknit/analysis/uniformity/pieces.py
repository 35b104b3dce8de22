"""Pieces of shared memory: the variable, and between which numbers the indices lie that lead into it.

    %s : array of 8            AccessChain %s, 7u          [7]
                               AccessChain %s, %i          [0 .. 6] where %i is below 7; else [0 .. 7]
    %t : struct of arrays      AccessChain %t, 1u, %i      [1] [0 .. 7]

Two pieces have no memory in common where at one level the indices can't be the same. Levels are those of arrays and
structs: a vector or a matrix counts as a whole. An index beyond the end of an array is undefined behavior (SPIR-V 1.6,
OpAccessChain), so that it leads to nothing of another variable, member or element.

What isn't a store or an atomic operation may write beyond what its pointer points to, as a cooperative matrix is: it
writes the variable. So does what writes a block of explicit layout, whose members may be at one offset.
"""

from typing import Final, final

from reknit.analysis.decorations import Decorations
from reknit.analysis.manager import Analyses
from reknit.analysis.uniformity.ranges import AllRanges, Range
from reknit.ir import enums, op, traits
from reknit.ir.constants import as_int
from reknit.ir.instr import Instr
from reknit.ir.types import pointee
from reknit.ir.value import Value

_LEVELS: Final = 4  # that are looked at
_EXACT: Final = traits.ATOMIC | {op.Store}


@final
class Piece:
    """Of a variable, by the range of the index at each level from the outermost; without levels, all of it."""

    __slots__ = ("variable", "levels")

    def __init__(self, variable: Value, levels: list[Range]) -> None:
        self.variable = variable
        self.levels = levels

    def meets(self, other: "Piece") -> bool:
        """Whether the two may have memory in common."""
        if self.variable is not other.variable:
            return False
        for level in range(min(len(self.levels), len(other.levels))):
            low, high = self.levels[level]
            if high < other.levels[level][0] or other.levels[level][1] < low:
                return False
        return True


@final
class Pieces:
    """Of all functions of a module; two pieces that are alike are one object."""

    __slots__ = ("decorations", "ranges", "_same", "_wholes")

    def __init__(self, analyses: Analyses) -> None:
        self.decorations = analyses.of_module(Decorations)
        self.ranges = analyses.of_module(AllRanges)
        self._same: dict[tuple[Value, tuple[Range, ...]], Piece] = {}
        self._wholes: dict[Value, Piece] = {}

    def whole(self, variable: Value) -> Piece:
        piece = self._wholes.get(variable)
        if piece is None:
            piece = Piece(variable, [])
            self._wholes[variable] = piece
        return piece

    def read(self, load: Instr, variable: Value) -> Piece:
        """What a load from a variable reads."""
        return self._led_to(load.value(0), load, variable)

    def written(self, instr: Instr, pointer: Instr, variable: Value) -> Piece:
        """What an instruction may write through a pointer into a variable."""
        return self._led_to(pointer, instr, variable) if instr.op in _EXACT else self.whole(variable)

    def _led_to(self, pointer: Value, user: Instr, variable: Value) -> Piece:
        indices: list[Value] = []  # the innermost first
        current = pointer
        while isinstance(current, Instr) and current is not variable:
            if current.op in traits.OBJECT_CHAIN:
                indices.extend([current.value(at) for at in range(len(current.operands) - 1, 0, -1)])
            current = current.value(0)
        if not indices or current is not variable or not isinstance(variable, Instr) or variable.type is None:
            return self.whole(variable)
        type = pointee(variable.type)
        if enums.DecorationBlock in self.decorations.of(type):
            return self.whole(variable)
        levels: list[Range] = []
        for index in reversed(indices[-_LEVELS:]):
            if type.op == op.TypeStruct:
                member = as_int(index)
                if member is None:
                    break
                levels.append((member, member))
                type = type.instr(member)
            elif type.op == op.TypeArray:
                numbers = self._range(index, user)
                if numbers is None:
                    break
                levels.append(numbers)
                type = type.instr(0)
            else:
                break
        if not levels:
            return self.whole(variable)
        key = (variable, tuple(levels))
        piece = self._same.get(key)
        if piece is None:
            piece = Piece(variable, levels)
            self._same[key] = piece
        return piece

    def _range(self, index: Value, user: Instr) -> Range | None:
        block = user.block
        if block is None or block.function is None:
            return None
        ranges = self.ranges.of(block.function)
        number = ranges.order.number[block]
        return ranges.at(index, number) if ranges.order.reached[number] else None
