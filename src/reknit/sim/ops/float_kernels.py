"""The hottest float operations as kernels, of 16 and 32 bits; `kernels` has the integers.

FAdd : f32      for lane in lanes: out[lane] = encode(decode(a[lane]) + decode(b[lane]))
"""

from typing import Final, final

from reknit.ir import op
from reknit.sim.kernel import Kernel
from reknit.sim.ops.float_ import divide
from reknit.sim.ops.ieee import Format, format_of
from reknit.sim.registers import Register
from reknit.sim.values import FLOAT_KIND, INT_KIND, Shape
from reknit.source.columns import i64, vec

ADD: Final = 0
SUBTRACT: Final = 1
MULTIPLY: Final = 2
DIVIDE: Final = 3

ARITHMETIC: Final = {op.FAdd: ADD, op.FSub: SUBTRACT, op.FMul: MULTIPLY, op.FDiv: DIVIDE}

LESS: Final = 0
LESS_OR_EQUAL: Final = 1
EQUAL: Final = 2

COMPARISONS: Final = {
    op.FOrdLessThan: (LESS, False, False),
    op.FOrdGreaterThan: (LESS, True, False),
    op.FUnordGreaterThanEqual: (LESS, False, True),
    op.FUnordLessThanEqual: (LESS, True, True),
    op.FOrdLessThanEqual: (LESS_OR_EQUAL, False, False),
    op.FOrdGreaterThanEqual: (LESS_OR_EQUAL, True, False),
    op.FUnordGreaterThan: (LESS_OR_EQUAL, False, True),
    op.FUnordLessThan: (LESS_OR_EQUAL, True, True),
    op.FOrdEqual: (EQUAL, False, False),
    op.FUnordNotEqual: (EQUAL, False, True),
}
"""How they compare; whether the second with the first; whether the opposite is given, so true with a NaN."""


@final
class Arithmetic(Kernel):
    __slots__ = ("kind", "a", "b", "form")

    def __init__(self, kind: int, out: Register, a: Register, b: Register, form: Format) -> None:
        super().__init__(out)
        self.kind = kind
        self.a = a
        self.b = b
        self.form = form

    def run(self, lanes: vec[i64]) -> None:
        assert self.out is not None
        out = self.out.flat
        a = self.a.flat
        b = self.b.flat
        form = self.form
        kind = self.kind
        if kind == ADD:
            for lane in lanes:
                out[lane] = i64(form.encode(form.decode(int(a[lane])) + form.decode(int(b[lane]))))
        elif kind == SUBTRACT:
            for lane in lanes:
                out[lane] = i64(form.encode(form.decode(int(a[lane])) - form.decode(int(b[lane]))))
        elif kind == MULTIPLY:
            for lane in lanes:
                out[lane] = i64(form.encode(form.decode(int(a[lane])) * form.decode(int(b[lane]))))
        else:
            for lane in lanes:
                out[lane] = i64(form.encode(divide(form.decode(int(a[lane])), form.decode(int(b[lane])))))


@final
class Compare(Kernel):
    __slots__ = ("kind", "a", "b", "otherwise", "form")

    def __init__(self, kind: int, out: Register, a: Register, b: Register, otherwise: bool, form: Format) -> None:
        super().__init__(out)
        self.kind = kind
        self.a = a
        self.b = b
        self.otherwise = otherwise
        self.form = form

    def run(self, lanes: vec[i64]) -> None:
        assert self.out is not None
        out = self.out.flat
        a = self.a.flat
        b = self.b.flat
        form = self.form
        kind = self.kind
        yes: i64 = 0 if self.otherwise else 1
        if kind == LESS:
            for lane in lanes:
                out[lane] = yes if form.decode(int(a[lane])) < form.decode(int(b[lane])) else 1 - yes
        elif kind == LESS_OR_EQUAL:
            for lane in lanes:
                out[lane] = yes if form.decode(int(a[lane])) <= form.decode(int(b[lane])) else 1 - yes
        else:
            for lane in lanes:
                out[lane] = yes if form.decode(int(a[lane])) == form.decode(int(b[lane])) else 1 - yes


@final
class FromInt(Kernel):
    """OpConvertSToF and OpConvertUToF, of what a double holds; `sign` is the sign bit of a signed operand."""

    __slots__ = ("a", "sign", "form")

    def __init__(self, out: Register, a: Register, sign: int, form: Format) -> None:
        super().__init__(out)
        self.a = a
        self.sign: i64 = i64(sign)
        self.form = form

    def run(self, lanes: vec[i64]) -> None:
        assert self.out is not None
        out = self.out.flat
        a = self.a.flat
        sign = self.sign
        form = self.form
        for lane in lanes:
            out[lane] = i64(form.encode(float(int((a[lane] ^ sign) - sign))))


def kernel(opcode: int, result: Shape, operands: list[Shape], out: Register, given: list[Register]) -> Kernel | None:
    """The kernel of an instruction on words of which some are floats; None where there is none."""
    first = operands[0]
    if opcode == op.ConvertSToF or opcode == op.ConvertUToF:
        target = format_of(result.width) if result.kind == FLOAT_KIND and first.kind == INT_KIND else None
        sign = 1 << (first.width - 1) if opcode == op.ConvertSToF else 0
        return FromInt(out, given[0], sign, target) if target is not None else None
    form = format_of(first.width) if first.kind == FLOAT_KIND else None
    if form is None:
        return None
    if opcode in ARITHMETIC:
        return Arithmetic(ARITHMETIC[opcode], out, given[0], given[1], form)
    if opcode in COMPARISONS:
        kind, swapped, otherwise = COMPARISONS[opcode]
        at = 1 if swapped else 0
        return Compare(kind, out, given[at], given[1 - at], otherwise, form)
    return None
