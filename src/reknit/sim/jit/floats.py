"""Arithmetic on floats, whose values are their bits: as the interpreter rounds, each operation once, to nearest.

    FAdd      bitcast, fadd, bitcast; a NaN becomes the canonical one
    Dot       products and sums rounded one by one, from the first component to the last

LLVM contracts and reorders nothing unless it is allowed to, and denormals are kept.
"""

import struct
from typing import Final

from reknit.ir import op
from reknit.sim.jit.text import Mask, Refused, Shaped, Text, Val, number
from reknit.sim.ops.ieee import format_of
from reknit.sim.values import FLOAT_KIND, Shape

NAMES: Final = {16: "float", 32: "float", 64: "double"}
"""What a float is computed in: 24 bits hold sums, products, quotients and roots of 16-bit floats so that rounding twice
is the same as rounding once."""
MANGLED: Final = {16: "f32", 32: "f32", 64: "f64"}
COMPUTED: Final = {op.FAdd: "fadd", op.FSub: "fsub", op.FMul: "fmul", op.FDiv: "fdiv"}
COMPARED: Final = {
    op.FOrdEqual: "oeq", op.FUnordEqual: "ueq", op.FOrdNotEqual: "one", op.FUnordNotEqual: "une",
    op.FOrdLessThan: "olt", op.FUnordLessThan: "ult", op.FOrdGreaterThan: "ogt", op.FUnordGreaterThan: "ugt",
    op.FOrdLessThanEqual: "ole", op.FUnordLessThanEqual: "ule", op.FOrdGreaterThanEqual: "oge",
    op.FUnordGreaterThanEqual: "uge", op.Ordered: "ord", op.Unordered: "uno", op.LessOrGreater: "one",
}  # fmt: skip


def literal(width: int, value: float) -> Val:
    """A float constant as its bits."""
    form = format_of(width)
    assert form is not None
    return number(f"i{width}", form.encode(value))


def double_text(value: float) -> str:
    return f"0x{struct.unpack('<Q', struct.pack('<d', value))[0]:016X}"


class Floats(Text):
    """An LLVM float is the text of a value in one, where it is a vector; `uniform` says which."""

    def full(self, name: str, uniform: bool) -> str:
        return name if uniform else self.vec(name)

    def opened(self, value: Val) -> str:
        """The float that bits mean."""
        if value.width() == 16 and not self.half:
            raise Refused("has 16-bit floats, which this processor does not convert")
        name = "half" if value.width() == 16 else NAMES[value.width()]
        text = self.let(f"bitcast {self.typed(value)} {value.text} to {self.full(name, value.uniform)}")
        if value.width() > 16:
            return text
        return self.let(f"fpext {self.full('half', value.uniform)} {text} to {self.full('float', value.uniform)}")

    def closed(self, text: str, width: int, uniform: bool) -> Val:
        """The bits of a float that was computed."""
        full = self.full(NAMES[width], uniform)
        nan = Val("i1", self.let(f"fcmp uno {full} {text}, {text}"), uniform)
        if width == 16:
            text = self.let(f"fptrunc {full} {text} to {self.full('half', uniform)}")
            full = self.full("half", uniform)
        to = self.full(f"i{width}", uniform)
        bits = Val(f"i{width}", self.let(f"bitcast {full} {text} to {to}"), uniform)
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
            return self.fused(operands)
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
        if code == op.IsNormal:
            shifted = self.apply("sub", [self.magnitude(value), number(value.type, 1 << form.fraction)])
            return self.compare("ult", shifted, number(value.type, form.inf - (1 << form.fraction)))
        if code == op.QuantizeToF16 and width == 32:
            return self.quantized(value)
        raise Refused("computes something with floats that native code is not made for")

    def fused(self, operands: list[Val]) -> Val:
        if operands[0].width() == 16:
            raise Refused("has a fused product of 16-bit floats")
        return self.float_call("fma", operands)

    def remainder(self, code: int, operands: list[Val], mask: Mask) -> Val:
        value, by = operands
        self.fault_if(self.compare("eq", self.magnitude(by), number(by.type, 0)), mask)
        self.need("fmod" if value.width() == 64 else "fmodf")
        rest = self.float_op("frem", operands)
        if code == op.FRem:
            return rest
        nothing = self.compare("eq", self.magnitude(rest), number(rest.type, 0))
        apart = self.compare("slt", self.apply("xor", [rest, by]), number(rest.type, 0))
        nan = self.float_compare("uno", rest, rest)
        moved = self.select(apart, self.float_op("fadd", [rest, by]), rest)
        return self.select(nan, rest, self.select(nothing, self.sign_of(by), moved))

    def quantized(self, value: Val) -> Val:
        """Through 16 bits; what isn't a normal number there becomes a zero of its sign."""
        small = self.compare("ult", self.magnitude(value), number("i32", 0x38800000))
        return self.select(small, self.sign_of(value), self.to_float(self.to_float(value, 16), 32))

    # --- conversions --------------------------------------------------------------------------------------------------

    def to_float(self, value: Val, width: int) -> Val:
        own = value.width()
        if width == 16 and own == 64:
            raise Refused("rounds 64-bit floats to 16 bits")
        text = self.opened(value)
        source, target = NAMES[own], NAMES[width]
        if source != target:
            name = "fpext" if width > own else "fptrunc"
            full = self.full(source, value.uniform), self.full(target, value.uniform)
            text = self.let(f"{name} {full[0]} {text} to {full[1]}")
        return self.closed(text, width, value.uniform)

    def from_int(self, value: Val, width: int, signed: bool) -> Val:
        """To 16 bits by way of 32: whole numbers that 24 bits do not hold are infinite in 16."""
        name = "sitofp" if signed else "uitofp"
        full = self.full(NAMES[width], value.uniform)
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
