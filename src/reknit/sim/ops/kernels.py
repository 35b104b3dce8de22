"""The hottest operations as loops over lanes with nothing called inside.

    IAdd : u32      for lane in lanes: out[lane] = (a[lane] + b[lane]) & 0xffffffff

They take integers of at most 32 bits and booleans; `columns` has those that take any values, in lists. Each computes
what the function of one lane computes (the tests compare them).
"""

from typing import Any, Final, final

from reknit.ir import op
from reknit.sim.kernel import Kernel, copy
from reknit.sim.ops import float_kernels
from reknit.sim.ops.undefined import Undefined
from reknit.sim.registers import Register
from reknit.sim.values import BOOL_KIND, INT_KIND, Shape
from reknit.source.columns import i64, vec

ADD: Final = 0
SUBTRACT: Final = 1
MULTIPLY: Final = 2
AND: Final = 3
OR: Final = 4
XOR: Final = 5

ARITHMETIC: Final = {
    op.IAdd: ADD,
    op.ISub: SUBTRACT,
    op.IMul: MULTIPLY,
    op.BitwiseAnd: AND,
    op.BitwiseOr: OR,
    op.BitwiseXor: XOR,
    op.LogicalAnd: AND,
    op.LogicalOr: OR,
    op.LogicalNotEqual: XOR,
}

EQUAL: Final = 0
NOT_EQUAL: Final = 1
LESS: Final = 2
LESS_OR_EQUAL: Final = 3

COMPARISONS: Final = {
    op.IEqual: (EQUAL, False, False),
    op.LogicalEqual: (EQUAL, False, False),
    op.INotEqual: (NOT_EQUAL, False, False),
    op.ULessThan: (LESS, False, False),
    op.UGreaterThan: (LESS, True, False),
    op.ULessThanEqual: (LESS_OR_EQUAL, False, False),
    op.UGreaterThanEqual: (LESS_OR_EQUAL, True, False),
    op.SLessThan: (LESS, False, True),
    op.SGreaterThan: (LESS, True, True),
    op.SLessThanEqual: (LESS_OR_EQUAL, False, True),
    op.SGreaterThanEqual: (LESS_OR_EQUAL, True, True),
}
"""How they compare; whether the second with the first; whether signed."""

DIVISIONS: Final = (op.UDiv, op.UMod)
SHIFTS: Final = (op.ShiftLeftLogical, op.ShiftRightLogical, op.ShiftRightArithmetic)


@final
class Arithmetic(Kernel):
    """Of two operands, modulo 2^width."""

    __slots__ = ("kind", "a", "b", "mask")

    def __init__(self, kind: int, out: Register, a: Register, b: Register, mask: int) -> None:
        super().__init__(out)
        self.kind = kind
        self.a = a
        self.b = b
        self.mask: i64 = i64(mask)

    def run(self, lanes: vec[i64]) -> None:
        assert self.out is not None
        out = self.out.flat
        a = self.a.flat
        b = self.b.flat
        mask = self.mask
        kind = self.kind
        if len(lanes) == len(out):
            self.run_whole(out, a, b)
        elif kind == ADD:
            for lane in lanes:
                out[lane] = (a[lane] + b[lane]) & mask
        elif kind == SUBTRACT:
            for lane in lanes:
                out[lane] = (a[lane] - b[lane]) & mask
        elif kind == MULTIPLY:
            for lane in lanes:
                out[lane] = (a[lane] * b[lane]) & mask
        elif kind == AND:
            for lane in lanes:
                out[lane] = a[lane] & b[lane]
        elif kind == OR:
            for lane in lanes:
                out[lane] = a[lane] | b[lane]
        else:
            for lane in lanes:
                out[lane] = a[lane] ^ b[lane]

    def run_whole(self, out: vec[i64], a: vec[i64], b: vec[i64]) -> None:
        """For all lanes, whose numbers are not looked up."""
        mask = self.mask
        kind = self.kind
        lane: i64 = 0
        if kind == ADD:
            for one, other in zip(a, b):
                out[lane] = (one + other) & mask
                lane += 1
        elif kind == SUBTRACT:
            for one, other in zip(a, b):
                out[lane] = (one - other) & mask
                lane += 1
        elif kind == MULTIPLY:
            for one, other in zip(a, b):
                out[lane] = (one * other) & mask
                lane += 1
        elif kind == AND:
            for one, other in zip(a, b):
                out[lane] = one & other
                lane += 1
        elif kind == OR:
            for one, other in zip(a, b):
                out[lane] = one | other
                lane += 1
        else:
            for one, other in zip(a, b):
                out[lane] = one ^ other
                lane += 1


@final
class Flip(Kernel):
    """The bits of a mask turned over, as Not does."""

    __slots__ = ("a", "mask")

    def __init__(self, out: Register, a: Register, mask: int) -> None:
        super().__init__(out)
        self.a = a
        self.mask: i64 = i64(mask)

    def run(self, lanes: vec[i64]) -> None:
        assert self.out is not None
        out = self.out.flat
        a = self.a.flat
        mask = self.mask
        for lane in lanes:
            out[lane] = a[lane] ^ mask


@final
class Extend(Kernel):
    """OpUConvert and OpSConvert: `sign` is the sign bit that is spread, 0 for none."""

    __slots__ = ("a", "sign", "mask")

    def __init__(self, out: Register, a: Register, sign: int, mask: int) -> None:
        super().__init__(out)
        self.a = a
        self.sign: i64 = i64(sign)
        self.mask: i64 = i64(mask)

    def run(self, lanes: vec[i64]) -> None:
        assert self.out is not None
        out = self.out.flat
        a = self.a.flat
        sign = self.sign
        mask = self.mask
        for lane in lanes:
            out[lane] = ((a[lane] ^ sign) - sign) & mask


@final
class Compare(Kernel):
    """The bits `turn` are turned over first: the sign bit for signed operands."""

    __slots__ = ("kind", "a", "b", "turn")

    def __init__(self, kind: int, out: Register, a: Register, b: Register, turn: int) -> None:
        super().__init__(out)
        self.kind = kind
        self.a = a
        self.b = b
        self.turn: i64 = i64(turn)

    def run(self, lanes: vec[i64]) -> None:
        assert self.out is not None
        out = self.out.flat
        a = self.a.flat
        b = self.b.flat
        turn = self.turn
        kind = self.kind
        if len(lanes) == len(out):
            self.run_whole(out, a, b)
        elif kind == EQUAL:
            for lane in lanes:
                out[lane] = 1 if a[lane] == b[lane] else 0
        elif kind == NOT_EQUAL:
            for lane in lanes:
                out[lane] = 1 if a[lane] != b[lane] else 0
        elif kind == LESS:
            for lane in lanes:
                out[lane] = 1 if a[lane] ^ turn < b[lane] ^ turn else 0
        else:
            for lane in lanes:
                out[lane] = 1 if a[lane] ^ turn <= b[lane] ^ turn else 0

    def run_whole(self, out: vec[i64], a: vec[i64], b: vec[i64]) -> None:
        turn = self.turn
        kind = self.kind
        lane: i64 = 0
        if kind == EQUAL:
            for one, other in zip(a, b):
                out[lane] = 1 if one == other else 0
                lane += 1
        elif kind == NOT_EQUAL:
            for one, other in zip(a, b):
                out[lane] = 1 if one != other else 0
                lane += 1
        elif kind == LESS:
            for one, other in zip(a, b):
                out[lane] = 1 if one ^ turn < other ^ turn else 0
                lane += 1
        else:
            for one, other in zip(a, b):
                out[lane] = 1 if one ^ turn <= other ^ turn else 0
                lane += 1


@final
class Checked(Kernel):
    """A shift or an unsigned division; where it is undefined, the function of one lane says so and gives the value."""

    __slots__ = ("code", "a", "b", "width", "mask", "function", "undefined")

    def __init__(
        self, code: int, out: Register, a: Register, b: Register, width: int, function: Any, undefined: Undefined
    ) -> None:
        super().__init__(out)
        self.code = code
        self.a = a
        self.b = b
        self.width: i64 = i64(width)
        self.mask: i64 = i64((1 << width) - 1)
        self.function = function
        self.undefined = undefined

    def run(self, lanes: vec[i64]) -> None:
        assert self.out is not None
        out = self.out.flat
        a = self.a.flat
        b = self.b.flat
        width = self.width
        mask = self.mask
        code = self.code
        if code == op.ShiftLeftLogical:
            for lane in lanes:
                by = b[lane]
                out[lane] = (a[lane] << by) & mask if by < width else self.say(lane)
        elif code == op.ShiftRightLogical:
            for lane in lanes:
                by = b[lane]
                out[lane] = a[lane] >> by if by < width else self.say(lane)
        elif code == op.ShiftRightArithmetic:
            sign = (mask >> 1) + 1
            for lane in lanes:
                by = b[lane]
                out[lane] = (((a[lane] ^ sign) - sign) >> by) & mask if by < width else self.say(lane)
        elif code == op.UDiv:
            for lane in lanes:
                by = b[lane]
                out[lane] = a[lane] // by if by else self.say(lane)
        else:
            for lane in lanes:
                by = b[lane]
                out[lane] = a[lane] % by if by else self.say(lane)

    def say(self, lane: i64) -> i64:
        self.undefined.lane = int(lane)
        value: int = self.function(int(self.a.flat[lane]), int(self.b.flat[lane]))
        return i64(value)


@final
class Choose(Kernel):
    """OpSelect between words."""

    __slots__ = ("condition", "a", "b")

    def __init__(self, out: Register, condition: Register, a: Register, b: Register) -> None:
        super().__init__(out)
        self.condition = condition
        self.a = a
        self.b = b

    def run(self, lanes: vec[i64]) -> None:
        assert self.out is not None
        out = self.out.flat
        condition = self.condition.flat
        a = self.a.flat
        b = self.b.flat
        for lane in lanes:
            out[lane] = a[lane] if condition[lane] else b[lane]


@final
class Copy(Kernel):
    __slots__ = ("a",)

    def __init__(self, out: Register, a: Register) -> None:
        super().__init__(out)
        self.a = a

    def run(self, lanes: vec[i64]) -> None:
        assert self.out is not None
        copy(self.out, self.a, lanes)


@final
class Component(Kernel):
    """One component of composites in a list, or what is in the list itself (-1)."""

    __slots__ = ("source", "index")

    def __init__(self, out: Register, source: list[Any], index: int) -> None:
        super().__init__(out)
        self.source = source
        self.index = index

    def run(self, lanes: vec[i64]) -> None:
        assert self.out is not None
        out = self.out.flat
        source = self.source
        index = self.index
        if index < 0:
            for lane in lanes:
                value: int = source[lane]
                out[lane] = value
            return
        for lane in lanes:
            parts: tuple[Any, ...] = source[lane]
            word: int = parts[index]
            out[lane] = word


def kernel(
    opcode: int,
    result: Shape,
    operands: list[Shape],
    out: Register,
    given: list[Register],
    checked: Any,
    undefined: Undefined,
) -> Kernel | None:
    """The kernel of an instruction on words; `checked` is the function of one lane."""
    first = operands[0]
    if opcode == op.CopyObject or opcode == op.CopyLogical or (opcode == op.Bitcast and result.width == first.width):
        return Copy(out, given[0])
    if opcode == op.Select:
        return Choose(out, given[0], given[1], given[2])
    if opcode == op.ConvertSToF or opcode == op.ConvertUToF or (first.kind != INT_KIND and first.kind != BOOL_KIND):
        return float_kernels.kernel(opcode, result, operands, out, given)
    mask = (1 << first.width) - 1
    sign = 1 << (first.width - 1)
    if opcode in ARITHMETIC:
        return Arithmetic(ARITHMETIC[opcode], out, given[0], given[1], mask)
    if opcode in COMPARISONS:
        kind, swapped, signed = COMPARISONS[opcode]
        at = 1 if swapped else 0
        return Compare(kind, out, given[at], given[1 - at], sign if signed else 0)
    if opcode == op.Not or opcode == op.LogicalNot:
        return Flip(out, given[0], mask)
    if opcode == op.SNegate:
        return Arithmetic(SUBTRACT, out, Register([0] * len(given[0].flat)), given[0], mask)
    if opcode == op.UConvert or opcode == op.SConvert:
        return Extend(out, given[0], sign if opcode == op.SConvert else 0, (1 << result.width) - 1)
    if (opcode in SHIFTS and operands[1].width <= 32) or opcode in DIVISIONS:
        return Checked(opcode, out, given[0], given[1], first.width, checked, undefined)
    return None
