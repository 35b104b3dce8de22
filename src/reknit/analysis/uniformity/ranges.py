"""Between which two numbers an integer lies: by its form, and by the branches that lead to where it is used.

    %i = Phi %index, %next          index 0 .. 63, while it is below 512 it goes on: 0 .. 575
    if %i < 512                     in here 0 .. 511
      %j = IAdd %i, 64u             64 .. 575
      if %j == 100u                 in here 100 .. 100

Numbers are unsigned, of the type's width. A sum, difference or product that may wrap around can be anything; so can
what is not known, and OpUndef, of which each use may see another number, whatever a branch has seen. The number that a
branch has compared is the one that is used behind it: the branch dominates the use, and the definition the branch.

    i = phi(start, i + step)    where i + step is computed, i is below some bound: then no sum wraps around, and i is
                                from the least start on up to the bound and a step (induction over the iterations)

A signed comparison says the same as an unsigned one of two numbers that aren't negative.
Source: W. Harrison, Compiler Analysis of the Value Ranges for Variables, 1977; SPIR-V 1.6, OpUndef.
"""

from typing import ClassVar, Final, final

from reknit.analysis.decorations import Decorations
from reknit.analysis.dominance import Dominance
from reknit.analysis.manager import Analyses, ModuleAnalysis
from reknit.analysis.order import Order
from reknit.analysis.uniformity.memory import Memory
from reknit.analysis.uniformity.scope import WORKGROUP, Scope
from reknit.ir import op, traits
from reknit.ir.block import Block
from reknit.ir.constants import literal_bits
from reknit.ir.function import Function
from reknit.ir.instr import Instr
from reknit.ir.module import Module
from reknit.ir.tree import If
from reknit.ir.value import Value
from reknit.source.meter import spend

Range = tuple[int, int]
"""The least and the greatest number."""

_DEPTH: Final = 8  # instructions that are looked through
_ABOVE: Final = 48  # dominators whose branches are looked at
_NOT: Final = {"=": "!", "!": "=", "<": ">=", ">": "<=", "<=": ">", ">=": "<"}
_TURNED: Final = {"<": ">", ">": "<", "<=": ">=", ">=": "<="}
_UNDEFINED: Final = (op.Undef, op.PoisonKHR)
_SAME_BITS: Final = (op.CopyObject, op.Bitcast, op.UConvert)
_OF_POSITIVE: Final[dict[int, int]] = {op.SDiv: op.UDiv, op.SRem: op.UMod, op.SMod: op.UMod}
"""What is the same of numbers that aren't negative."""
_EXTENDED_MIN: Final = 38  # GLSL.std.450 UMin and UMax
_EXTENDED_MAX: Final = 41


def integer_width(value: Value) -> int:
    """Of an integer; 0 for anything else."""
    if not isinstance(value, Instr) or value.type is None or value.type.op != op.TypeInt:
        return 0
    return value.type.word(0)


@final
class AllRanges(ModuleAnalysis):
    """Of all functions of a module, each when it is asked for."""

    name: ClassVar[str] = "ranges"

    def __init__(self, module: Module, analyses: Analyses) -> None:
        self.analyses = analyses
        self.memory = Memory(module, analyses.of_module(Decorations), Scope(WORKGROUP))
        self._of: dict[Function, Ranges] = {}

    @staticmethod
    def compute(module: Module, analyses: Analyses) -> "AllRanges":
        return AllRanges(module, analyses)

    def of(self, function: Function) -> "Ranges":
        ranges = self._of.get(function)
        if ranges is None:
            order = self.analyses.ask(Order, function)
            ranges = Ranges(order, self.analyses.ask(Dominance, function), self.memory)
            self._of[function] = ranges
        return ranges

    def same_as(self, other: ModuleAnalysis) -> bool:
        return isinstance(other, AllRanges) and self.memory.sizes == other.memory.sizes


@final
class Ranges:
    """Of one function. A range is looked for in a limited number of steps, all together near the function's size."""

    __slots__ = ("order", "dominance", "memory", "_known", "_forms", "_open", "_left")

    def __init__(self, order: Order, dominance: Dominance, memory: Memory) -> None:
        self.order = order
        self.dominance = dominance
        self.memory = memory
        self._known: dict[tuple[Value, int], Range] = {}
        self._forms: dict[Instr, tuple[int, Range]] = {}  # with the depth to which it was looked at
        self._open: dict[Instr, None] = {}  # phis that are looked at right now
        self._left = 1000 + 64 * len(order.blocks)

    def at(self, value: Value, number: int) -> Range | None:
        """The range of an integer where block `number` uses it; None for what is no integer."""
        if integer_width(value) == 0:
            return None
        key = (value, number)
        if key not in self._known:
            self._known[key] = self._at(value, number, _DEPTH)
        return self._known[key]

    def _at(self, value: Value, number: int, depth: int) -> Range:
        width = integer_width(value)
        whole = (0, (1 << width) - 1)
        if not isinstance(value, Instr) or width == 0:
            return whole
        if value.op == op.Constant:
            bits = literal_bits(value)
            return (bits, bits)
        if value.op == op.ConstantNull:
            return (0, 0)
        if value.op in _UNDEFINED or depth == 0 or self._left < 0:
            return whole
        self._left -= 1
        spend(1)
        low, high = self._form(value, depth)
        return self._narrowed(value, number, low, high, depth, False)

    # --- by the branches above --------------------------------------------------------------------------------------

    def _narrowed(self, value: Instr, number: int, low: int, high: int, depth: int, positive: bool) -> Range:
        """What the branches that lead to a block leave of a range. `positive`: the value isn't negative."""
        home = self.order.number[value.block] if value.block is not None else 0
        parents = self.dominance.parent
        here = number
        for _ in range(_ABOVE):
            above = parents[here]
            if here == home or above < 0 or above == here:
                break
            construct = self.order.blocks[above].next
            if isinstance(construct, If) and len(self.order.predecessors[here]) == 1:
                then = self.order.number[construct.then.entry()]
                other = [target for target in self.order.successors[above] if target != then]
                if len(other) == 1 and (here == then or here == other[0]):
                    self._left -= 1
                    low, high = self._by(construct.condition, here == then, value, above, (low, high), depth, positive)
            here = above
        return (low, high)

    def _by(
        self, condition: Value, holds: bool, value: Instr, number: int, known: Range, depth: int, positive: bool
    ) -> Range:
        """What a condition that holds, or doesn't, leaves of the range of a value that it compares."""
        if not isinstance(condition, Instr) or depth == 0:
            return known
        if condition.op == op.LogicalNot:
            return self._by(condition.value(0), not holds, value, number, known, depth - 1, positive)
        if condition.op == (op.LogicalAnd if holds else op.LogicalOr):
            known = self._by(condition.value(0), holds, value, number, known, depth - 1, positive)
            return self._by(condition.value(1), holds, value, number, known, depth - 1, positive)
        relation = traits.RELATION.get(condition.op, "")
        if not relation or (condition.operands[0] is value) == (condition.operands[1] is value):
            return known
        other = condition.value(1)
        if condition.operands[1] is value:
            other = condition.value(0)
            relation = _TURNED.get(relation, relation)
        if integer_width(other) != integer_width(value):
            return known
        home = self.order.number[condition.block] if condition.block is not None else number
        least, most = self._at(other, home, depth - 1)
        if not holds:
            relation = _NOT[relation]
        if condition.op in traits.SIGNED_COMPARE:
            half = 1 << (integer_width(value) - 1)
            negative = known[1] >= half and not positive
            if most >= half or (negative and relation in ("<", "<=")):
                return known
            if negative:
                known = (known[0], half - 1)  # greater than what isn't negative
        return _related(relation, known, least, most)

    # --- by the form ------------------------------------------------------------------------------------------------

    def _form(self, instr: Instr, depth: int) -> Range:
        seen = self._forms.get(instr)
        if seen is not None and seen[0] >= depth:
            return seen[1]
        whole = (1 << integer_width(instr)) - 1
        home = self.order.number[instr.block] if instr.block is not None else 0
        below = self.memory.below(instr)
        if below > 0:
            form: Range = (0, min(below - 1, whole))
        elif instr.op != op.Phi:
            form = self._computed(instr, home, whole, depth - 1)
        elif instr in self._open:
            return (0, whole)
        else:
            self._open[instr] = None
            form = self._phi(instr, home, whole, depth - 1)
            del self._open[instr]
        if not self._open:  # else of a phi in it nothing was known yet
            self._forms[instr] = (depth, form)
        return form

    def _computed(self, instr: Instr, home: int, whole: int, depth: int) -> Range:
        code = instr.op
        if code in _SAME_BITS:
            operand = instr.value(0)
            if integer_width(operand) == 0:
                return (0, whole)
            low, high = self._at(operand, home, depth)
            return (low, high) if high <= whole else (0, whole)
        if code == op.Select:
            if isinstance(instr.operands[0], Instr) and integer_width(instr.value(1)) > 0:
                return _either(self._at(instr.value(1), home, depth), self._at(instr.value(2), home, depth))
            return (0, whole)
        if code == op.ExtInst:
            return self._extended(instr, home, whole, depth)
        if len(instr.operands) != 2 or not all(isinstance(part, Instr) for part in instr.operands):
            return (0, whole)
        if integer_width(instr.value(0)) == 0 or integer_width(instr.value(1)) == 0:
            return (0, whole)
        left = self._at(instr.value(0), home, depth)
        right = self._at(instr.value(1), home, depth)
        return _arithmetic(code, left, right, whole)

    def _extended(self, instr: Instr, home: int, whole: int, depth: int) -> Range:
        if instr.instr(0).text(0) != "GLSL.std.450" or instr.word(1) not in (_EXTENDED_MIN, _EXTENDED_MAX):
            return (0, whole)
        left = self._at(instr.value(2), home, depth)
        right = self._at(instr.value(3), home, depth)
        if instr.word(1) == _EXTENDED_MIN:
            return (min(left[0], right[0]), min(left[1], right[1]))
        return (max(left[0], right[0]), max(left[1], right[1]))

    def _phi(self, phi: Instr, home: int, whole: int, depth: int) -> Range:
        brought: Range | None = None
        sums: list[Instr] = []
        for index in range(0, len(phi.operands) - 1, 2):
            label = phi.operands[index + 1]
            source = self.order.number[label] if isinstance(label, Block) else -1
            value = phi.value(index)
            if source < 0 or not self.order.reached[source] or value is phi:
                continue
            if isinstance(value, Instr) and value.op == op.IAdd and phi in value.operands:
                sums.append(value)
                continue
            each = self._at(value, source, depth)
            brought = each if brought is None else _either(brought, each)
        if brought is None:
            return (0, whole)
        low, high = brought
        for sum in sums:
            if sum.block is None:
                return (0, whole)
            place = self.order.number[sum.block]
            step = sum.value(1) if sum.operands[0] is phi else sum.value(0)
            _, most = self._narrowed(phi, place, 0, whole, depth, True)
            high = max(high, most + self._at(step, place, depth)[1])
        return (low, high) if not sums or high <= whole >> 1 else (0, whole)


def _either(one: Range, other: Range) -> Range:
    return (min(one[0], other[0]), max(one[1], other[1]))


def _related(relation: str, known: Range, least: int, most: int) -> Range:
    """What is left of the range of a number that is related so to one between `least` and `most`. What can't be, as on
    a path that is never taken, says nothing."""
    low, high = known
    if relation == "<":
        high = min(high, most - 1)
    elif relation == "<=":
        high = min(high, most)
    elif relation == ">":
        low = max(low, least + 1)
    elif relation == ">=":
        low = max(low, least)
    elif relation == "=":
        low, high = max(low, least), min(high, most)
    elif least == most == low:
        low += 1
    elif least == most == high:
        high -= 1
    return (low, high) if low <= high else known


def _arithmetic(code: int, left: Range, right: Range, whole: int) -> Range:
    low, high = 0, whole
    if code in _OF_POSITIVE and left[1] <= whole >> 1 and right[1] <= whole >> 1:
        code = _OF_POSITIVE[code]
    if code == op.IAdd:
        low, high = left[0] + right[0], left[1] + right[1]
    elif code == op.ISub:
        low, high = left[0] - right[1], left[1] - right[0]
    elif code == op.IMul:
        low, high = left[0] * right[0], left[1] * right[1]
    elif code == op.UDiv and right[0] > 0:
        low, high = left[0] // right[1], left[1] // right[0]
    elif code == op.UMod and right[0] > 0:
        high = min(left[1], right[1] - 1)
    elif code == op.BitwiseAnd:
        high = min(left[1], right[1])
    elif code == op.BitwiseOr:
        low, high = max(left[0], right[0]), (1 << max(left[1].bit_length(), right[1].bit_length())) - 1
    elif code == op.BitwiseXor:
        high = (1 << max(left[1].bit_length(), right[1].bit_length())) - 1
    elif code == op.ShiftRightLogical and right[1] < whole.bit_length():
        low, high = left[0] >> right[1], left[1] >> right[0]
    elif code == op.ShiftLeftLogical and right[1] < whole.bit_length():
        low, high = left[0] << right[0], left[1] << right[1]
    return (low, high) if low >= 0 and high <= whole else (0, whole)
