"""Of a vector that differs, the components that don't: each is a value of its own, where it is asked for.

    %v = CompositeInsert 0, undef 1       part 1 is 0, part 0 undefined
    %w = Phi %v %start, %x %next          part 1 is a phi of those of %v and %x
    %y = CompositeExtract %w 1            what part 1 of %w is

Front-ends that compute in vectors make such of one that is written component by component. A part is the same until
something shows that it isn't, as all values are. A vector that is inserted into or shuffled until nothing undefined is
left is the same as a whole if all its parts are.
"""

from collections.abc import Callable
from typing import Final, final

from reknit.analysis.order import Order
from reknit.ir import op, traits
from reknit.ir.block import Block
from reknit.ir.instr import Instr
from reknit.ir.value import Value

UNDEFINED: Final = 0xFFFFFFFF  # a component of an OpVectorShuffle
_BY_COMPONENT: Final = ("integers", "floats")  # of `traits.TYPED`: each component of that of the operands


def has_undefined(shuffle: Instr) -> bool:
    """Whether a component of an OpVectorShuffle is of neither vector."""
    return any(operand == UNDEFINED for operand in shuffle.operands[2:])


@final
class Part(Value):
    """Component number `at` of a vector, defined in block number `home`."""

    __slots__ = ("whole", "at", "home")

    def __init__(self, whole: Instr, at: int, home: int) -> None:
        super().__init__()
        self.whole = whole
        self.at = at
        self.home = home


@final
class Parts:
    """Of one function, those that were asked for. `same` is whether a value is the same at a block, `joined` whether
    values from so many blocks are where lanes come together."""

    __slots__ = ("order", "same", "joined", "asked", "open")

    def __init__(
        self,
        order: Order,
        same: Callable[[Value, int], bool],
        joined: Callable[[list[Value], list[int], int], bool],
    ) -> None:
        self.order = order
        self.same = same
        self.joined = joined
        self.asked: dict[Instr, dict[int, Part]] = {}
        self.open: list[Part] = []

    def of(self, whole: Value, at: int) -> Value:
        """A component, as a value: of what is no instruction of a block, all of it or what is seen of it."""
        if not isinstance(whole, Instr) or whole.block is None:
            if isinstance(whole, Instr) and whole.op == op.ConstantComposite:
                return whole.value(at)
            return whole
        parts = self.asked.setdefault(whole, {})
        part = parts.get(at)
        if part is None:
            part = Part(whole, at, self.order.number[whole.block])
            parts[at] = part
            self.open.append(part)
        return part

    def are_all_same(self, whole: Instr) -> bool:
        """Whether a vector made in parts differs in none, by what each part is made of."""
        if whole.block is None or whole.type is None or whole.type.op != op.TypeVector:
            return False
        home = self.order.number[whole.block]
        return all(self._is_same(Part(whole, at, home)) for at in range(whole.type.word(1)))

    def go_over(self, differing: dict[Value, None]) -> bool:
        """Once over the parts that are the same so far, those that this asks for included. True if one isn't."""
        kept: list[Part] = []
        grown = False
        place = 0
        while place < len(self.open):
            part = self.open[place]
            place += 1
            if part.whole not in differing or self._is_same(part):
                kept.append(part)
            else:
                differing[part] = None
                grown = True
        self.open = kept
        return grown

    def _is_same(self, part: Part) -> bool:
        whole = part.whole
        code = whole.op
        if code == op.Phi:
            return self._is_same_phi(part)
        if code == op.CompositeInsert:
            if len(whole.operands) == 3 and whole.word(2) == part.at:
                return self.same(whole.value(0), part.home)
            return self._has_same(whole.value(1), part.at, part.home)
        if code == op.CompositeConstruct:
            of_scalars = whole.type is not None and len(whole.operands) == whole.type.word(1)
            return of_scalars and self.same(whole.value(part.at), part.home)
        if code == op.VectorShuffle:
            return self._is_same_shuffle(part)
        if code == op.CopyObject:
            return self._has_same(whole.value(0), part.at, part.home)
        if traits.TYPED.get(code) in _BY_COMPONENT:
            return all(self._has_same(whole.value(index), part.at, part.home) for index in range(len(whole.operands)))
        return False

    def _has_same(self, whole: Value, at: int, number: int) -> bool:
        if self.same(whole, number):
            return True
        part = self.of(whole, at)
        return part is not whole and self.same(part, number)

    def _is_same_shuffle(self, part: Part) -> bool:
        whole = part.whole
        first = whole.value(0)
        at = whole.word(2 + part.at)
        if at == UNDEFINED or not isinstance(first, Instr) or first.type is None:
            return False
        width = first.type.word(1)
        return self._has_same(first if at < width else whole.value(1), at if at < width else at - width, part.home)

    def _is_same_phi(self, part: Part) -> bool:
        values: list[Value] = []
        sources: list[int] = []
        phi = part.whole
        for index in range(0, len(phi.operands) - 1, 2):
            label = phi.operands[index + 1]
            source = self.order.number[label] if isinstance(label, Block) else -1
            if source < 0 or not self.order.reached[source]:
                continue
            values.append(self.of(phi.value(index), part.at))
            sources.append(source)
        return self.joined(values, sources, part.home)
