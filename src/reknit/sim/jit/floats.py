"""Arithmetic on floats, whose values are their bits: as the interpreter rounds, each operation once, to nearest.

    FAdd      bitcast, fadd, bitcast; a NaN becomes the canonical one
    Dot       products and sums rounded one by one, from the first component to the last

LLVM contracts and reorders nothing unless it is allowed to, and denormals are kept.
"""

import struct
from typing import Final

from reknit.ir import glsl, op
from reknit.sim.jit.text import Mask, Refused, Shaped, Text, Val, number, scalar_type
from reknit.sim.ops.ieee import format_of
from reknit.sim.values import FLOAT_KIND, INT_KIND, Shape

NAMES: Final = {16: "half", 32: "float", 64: "double"}
MANGLED: Final = {16: "f16", 32: "f32", 64: "f64"}
COMPUTED: Final = {op.FAdd: "fadd", op.FSub: "fsub", op.FMul: "fmul", op.FDiv: "fdiv"}
COMPARED: Final = {
    op.FOrdEqual: "oeq", op.FUnordEqual: "ueq", op.FOrdNotEqual: "one", op.FUnordNotEqual: "une",
    op.FOrdLessThan: "olt", op.FUnordLessThan: "ult", op.FOrdGreaterThan: "ogt", op.FUnordGreaterThan: "ugt",
    op.FOrdLessThanEqual: "ole", op.FUnordLessThanEqual: "ule", op.FOrdGreaterThanEqual: "oge",
    op.FUnordGreaterThanEqual: "uge", op.Ordered: "ord", op.Unordered: "uno", op.LessOrGreater: "one",
}  # fmt: skip
ROUNDED: Final = {
    glsl.Round: "roundeven", glsl.RoundEven: "roundeven", glsl.Trunc: "trunc", glsl.Floor: "floor", glsl.Ceil: "ceil",
}  # fmt: skip
INT_EXTREMES: Final = {glsl.UMin: "umin", glsl.UMax: "umax", glsl.SMin: "smin", glsl.SMax: "smax"}


def literal(width: int, value: float) -> Val:
    """A float constant as its bits."""
    form = format_of(width)
    assert form is not None
    return number(f"i{width}", form.encode(value))


def double_text(value: float) -> str:
    return f"0x{struct.unpack('<Q', struct.pack('<d', value))[0]:016X}"


class Floats(Text):
    """An LLVM float is the text of a value in one, where it is a vector; `uniform` says which."""

    def opened(self, value: Val) -> str:
        """The float that bits mean."""
        name = NAMES[value.width()]
        full = name if value.uniform else self.vec(name)
        return self.let(f"bitcast {self.typed(value)} {value.text} to {full}")

    def closed(self, text: str, width: int, uniform: bool) -> Val:
        """The bits of a float that was computed."""
        name = NAMES[width]
        full = name if uniform else self.vec(name)
        bits = Val(
            f"i{width}", self.let(f"bitcast {full} {text} to {self.typed(Val(f'i{width}', '', uniform))}"), uniform
        )
        nan = Val("i1", self.let(f"fcmp uno {full} {text}, {text}"), uniform)
        form = format_of(width)
        assert form is not None
        return self.select(nan, number(bits.type, form.nan), bits)

    def alike(self, operands: list[Val]) -> list[Val]:
        """All scalars or all vectors."""
        uniform = all(operand.uniform for operand in operands)
        return operands if uniform else [self.varying(operand) for operand in operands]

    def float_op(self, text: str, operands: list[Val]) -> Val:
        """fadd, fsub, fmul, fdiv, frem."""
        given = self.alike(operands)
        width, uniform = given[0].width(), given[0].uniform
        full = NAMES[width] if uniform else self.vec(NAMES[width])
        texts = [self.opened(value) for value in given]
        return self.closed(self.let(f"{text} {full} {', '.join(texts)}"), width, uniform)

    def float_call(self, name: str, operands: list[Val]) -> Val:
        """sqrt, floor, fma ...: LLVM's intrinsic of that name."""
        given = self.alike(operands)
        width, uniform = given[0].width(), given[0].uniform
        full = NAMES[width] if uniform else self.vec(NAMES[width])
        mangled = f"@llvm.{name}.{'' if uniform else f'v{self.lanes}'}{MANGLED[width]}"
        self.declare(f"{full} {mangled}({', '.join([full] * len(given))})")
        texts = ", ".join([f"{full} {self.opened(value)}" for value in given])
        return self.closed(self.let(f"call {full} {mangled}({texts})"), width, uniform)

    def float_compare(self, how: str, a: Val, b: Val) -> Val:
        given = self.alike([a, b])
        full = NAMES[a.width()] if given[0].uniform else self.vec(NAMES[a.width()])
        texts = [self.opened(value) for value in given]
        return Val("i1", self.let(f"fcmp {how} {full} {texts[0]}, {texts[1]}"), given[0].uniform)

    def magnitude(self, value: Val) -> Val:
        return self.apply("and", [value, number(value.type, (1 << (value.width() - 1)) - 1)])

    def sign_of(self, value: Val) -> Val:
        return self.apply("and", [value, number(value.type, 1 << (value.width() - 1))])

    def of_floats(self, code: int, shape: Shape, first: Shape, operands: list[Val], mask: Mask) -> Val:
        """Of scalars, the first operand a float."""
        value = operands[0]
        width = first.width
        form = format_of(width)
        if form is None:
            raise Refused(f"computes with floats of {width} bits")
        if code in COMPUTED:
            return self.float_op(COMPUTED[code], operands)
        if code in COMPARED:
            return self.float_compare(COMPARED[code], operands[0], operands[1])
        if code == op.FNegate:
            return self.apply("xor", [value, number(value.type, form.sign)])
        if code in (op.FRem, op.FMod):
            return self.remainder(code, operands, mask)
        if code == op.FmaKHR:
            return self.float_call("fma", operands)
        if code == op.IsNan:
            return self.compare("ugt", self.magnitude(value), number(value.type, form.inf))
        if code == op.IsInf:
            return self.compare("eq", self.magnitude(value), number(value.type, form.inf))
        if code == op.IsFinite:
            return self.compare("ult", self.magnitude(value), number(value.type, form.inf))
        if code == op.SignBitSet:
            return self.compare("slt", value, number(value.type, 0))
        if code in (op.ConvertFToS, op.ConvertFToU):
            return self.to_int(value, shape.width, code == op.ConvertFToS, mask)
        if code == op.FConvert:
            return self.to_float(value, shape.width)
        raise Refused("computes something with floats that native code is not made for")

    def remainder(self, code: int, operands: list[Val], mask: Mask) -> Val:
        value, by = operands
        self.fault_if(self.compare("eq", self.magnitude(by), number(by.type, 0)), mask)
        rest = self.float_op("frem", operands)
        if code == op.FRem:
            return rest
        nothing = self.compare("eq", self.magnitude(rest), number(rest.type, 0))
        apart = self.compare("slt", self.apply("xor", [rest, by]), number(rest.type, 0))
        nan = self.float_compare("uno", rest, rest)
        moved = self.select(apart, self.float_op("fadd", [rest, by]), rest)
        return self.select(nan, rest, self.select(nothing, self.sign_of(by), moved))

    # --- conversions --------------------------------------------------------------------------------------------------

    def to_float(self, value: Val, width: int) -> Val:
        own = value.width()
        if own == width:
            return self.closed(self.opened(value), width, value.uniform)
        if {own, width} == {16, 64}:
            if width == 16:
                raise Refused("rounds 64-bit floats to 16 bits")
            value = self.to_float(value, 32)
            own = 32
        full = [NAMES[each] if value.uniform else self.vec(NAMES[each]) for each in (own, width)]
        name = "fpext" if width > own else "fptrunc"
        return self.closed(self.let(f"{name} {full[0]} {self.opened(value)} to {full[1]}"), width, value.uniform)

    def from_int(self, value: Val, width: int, signed: bool) -> Val:
        if width == 16 and value.width() > 16:
            raise Refused("rounds integers to 16-bit floats")
        full = NAMES[width] if value.uniform else self.vec(NAMES[width])
        name = "sitofp" if signed else "uitofp"
        return self.closed(self.let(f"{name} {self.typed(value)} {value.text} to {full}"), width, value.uniform)

    def to_int(self, value: Val, width: int, signed: bool, mask: Mask) -> Val:
        """Towards zero; a fault where it doesn't fit, or is a NaN."""
        wide = self.to_float(value, 64)
        low = -(2.0 ** (width - 1)) if signed else 0.0
        high = 2.0 ** (width - 1) if signed else 2.0**width
        above = self.float_compare("oge", wide, literal(64, low)) if width > 32 and signed else self.float_compare(
            "ogt", wide, literal(64, low - 1.0)
        )  # fmt: skip
        fits = self.apply("and", [above, self.float_compare("olt", wide, literal(64, high))])
        self.fault_if(self.apply("xor", [fits, number("i1", 1)]), mask)
        own = NAMES[value.width()]
        prefix = "" if value.uniform else f"v{self.lanes}"
        to = self.typed(Val(f"i{width}", "", value.uniform))
        source = own if value.uniform else self.vec(own)
        name = f"@llvm.fpto{'s' if signed else 'u'}i.sat.{prefix}i{width}.{prefix}{MANGLED[value.width()]}"
        self.declare(f"{to} {name}({source})")
        return Val(f"i{width}", self.let(f"call {to} {name}({source} {self.opened(value)})"), value.uniform)

    # --- vectors and matrices -----------------------------------------------------------------------------------------

    def dot(self, a: Shaped, b: Shaped) -> Val:
        total = self.float_op("fmul", [a[0], b[0]])
        for at in range(1, len(a)):
            total = self.float_op("fadd", [total, self.float_op("fmul", [a[at], b[at]])])
        return total

    def scaled(self, vector: Shaped, by: Val) -> Shaped:
        return tuple([self.float_op("fmul", [part, by]) for part in vector])

    def linear(self, code: int, shapes: list[Shape], operands: list[Shaped]) -> Shaped | None:
        if not shapes or shapes[0].component().kind != FLOAT_KIND:
            return None
        if code == op.Dot:
            return self.dot(operands[0], operands[1])
        if code == op.VectorTimesScalar:
            return self.scaled(operands[0], operands[1])
        if code == op.MatrixTimesScalar:
            return tuple([self.scaled(column, operands[1]) for column in operands[0]])
        if code == op.VectorTimesMatrix:
            return tuple([self.dot(operands[0], column) for column in operands[1]])
        if code == op.OuterProduct:
            return tuple([self.scaled(operands[0], part) for part in operands[1]])
        if code == op.Transpose:
            return tuple(zip(*operands[0], strict=True))
        if code == op.MatrixTimesVector:
            return tuple([self.dot(row, operands[1]) for row in zip(*operands[0], strict=True)])
        if code == op.MatrixTimesMatrix:
            rows = list(zip(*operands[0], strict=True))
            return tuple([tuple([self.dot(row, column) for row in rows]) for column in operands[1]])
        return None

    # --- GLSL.std.450 -------------------------------------------------------------------------------------------------

    def glsl(self, code: int, shape: Shape, shapes: list[Shape], operands: list[Shaped], mask: Mask) -> Shaped:
        scalar = shapes[0].component()
        if scalar.kind == INT_KIND:
            result = scalar_type(shape.component())
            return self.each(lambda *given: self.glsl_int(code, result, list(given), mask), *operands)
        if scalar.kind != FLOAT_KIND or shape.component().kind != FLOAT_KIND:
            raise Refused("is an extended instruction that native code is not made for")
        return self.each(lambda *given: self.glsl_float(code, list(given), mask), *operands)

    def glsl_int(self, code: int, result: str, operands: list[Val], mask: Mask) -> Val:
        value = operands[0]
        zero, ones = number(value.type, 0), number(value.type, -1)
        if code in INT_EXTREMES:
            return self.call(INT_EXTREMES[code], operands)
        if code in (glsl.UClamp, glsl.SClamp):
            kind = "u" if code == glsl.UClamp else "s"
            self.fault_if(self.compare(f"{kind}gt", operands[1], operands[2]), mask)
            return self.call(f"{kind}min", [self.call(f"{kind}max", operands[:2]), operands[2]])
        negative = self.compare("slt", value, zero)
        if code == glsl.SAbs:
            return self.select(negative, self.apply("sub", [zero, value]), value)
        if code == glsl.SSign:
            some = self.cast("zext", self.compare("ne", value, zero), value.type)
            return self.select(negative, ones, some)
        if code == glsl.FindSMsb:
            value = self.select(negative, self.apply("xor", [value, ones]), value)
        none = self.compare("eq", value, zero)
        if code == glsl.FindILsb:
            found = self.call("cttz", [value], ", i1 false")
        elif code in (glsl.FindUMsb, glsl.FindSMsb):
            top = number(value.type, value.width() - 1)
            found = self.apply("sub", [top, self.call("ctlz", [value], ", i1 false")])
        else:
            raise Refused("is an extended instruction that native code is not made for")
        return self.select(none, number(result, -1), self.resized(found, result))

    def glsl_float(self, code: int, operands: list[Val], mask: Mask) -> Val:
        value = operands[0]
        width = value.width()
        one = literal(width, 1.0)
        if code == glsl.FAbs:
            return self.magnitude(value)
        if code in ROUNDED:
            return self.float_call(ROUNDED[code], [value])
        if code == glsl.Fma:
            return self.float_call("fma", operands)
        if code == glsl.FSign:
            nothing = number(value.type, 0)
            signed = self.apply("or", [self.sign_of(value), one])
            return self.select(self.float_compare("one", value, nothing), signed, nothing)
        if code in (glsl.FMin, glsl.FMax, glsl.NMin, glsl.NMax):
            return self.extreme(code, value, operands[1], mask)
        if code in (glsl.FClamp, glsl.NClamp):
            value, low, high = operands
            self.fault_if(self.float_compare("ogt", low, high), mask)
            named = code == glsl.FClamp
            upper = self.extreme(glsl.FMax if named else glsl.NMax, value, low, mask)
            return self.extreme(glsl.FMin if named else glsl.NMin, upper, high, mask)
        if code == glsl.Step:
            return self.select(self.float_compare("olt", operands[1], value), number(value.type, 0), one)
        if code == glsl.FMix:
            left = self.float_op("fmul", [value, self.float_op("fsub", [one, operands[2]])])
            return self.float_op("fadd", [left, self.float_op("fmul", operands[1:])])
        raise Refused("is an extended instruction that native code is not made for")

    def extreme(self, code: int, a: Val, b: Val, mask: Mask) -> Val:
        """The lesser or greater; of a number and a NaN the number, for the F forms a fault."""
        least = code in (glsl.FMin, glsl.NMin)
        if code in (glsl.FMin, glsl.FMax):
            self.fault_if(self.float_compare("uno", a, b), mask)
        better = self.float_compare("olt", b, a) if least else self.float_compare("olt", a, b)
        return self.select(self.apply("or", [better, self.float_compare("uno", a, a)]), b, a)
