"""GLSL.std.450: as the interpreter computes it, whose functions say what each step rounds.

    FClamp      NMin(NMax(x, low), high), with a fault where the bounds are in the wrong order
    Sin         the C library's function in doubles, the one that the interpreter calls, lane by lane
    Normalize   a dot product, its root, quotients
"""

import math
from typing import Final

from reknit.ir import glsl
from reknit.sim.jit.floats import Floats, literal
from reknit.sim.jit.text import Mask, Refused, Shaped, Val, number, scalar_type
from reknit.sim.values import FLOAT_KIND, INT_KIND, Shape

ROUNDED: Final = {
    glsl.Round: "roundeven", glsl.RoundEven: "roundeven", glsl.Trunc: "trunc", glsl.Floor: "floor", glsl.Ceil: "ceil",
}  # fmt: skip
INT_EXTREMES: Final = {glsl.UMin: "umin", glsl.UMax: "umax", glsl.SMin: "smin", glsl.SMax: "smax"}
WHOLE: Final = frozenset((
    glsl.Length, glsl.Distance, glsl.Cross, glsl.Normalize, glsl.Reflect, glsl.Refract, glsl.FaceForward,
))  # fmt: skip
"""Those that look at more than one component."""
CURVES: Final = {
    glsl.Sin: "sin", glsl.Cos: "cos", glsl.Tan: "tan", glsl.Atan: "atan", glsl.Sinh: "sinh", glsl.Cosh: "cosh",
    glsl.Tanh: "tanh", glsl.Exp: "exp", glsl.Exp2: "exp2", glsl.Asin: "asin", glsl.Acos: "acos", glsl.Log: "log",
    glsl.Log2: "log2", glsl.Atan2: "atan2", glsl.Pow: "pow",
}  # fmt: skip
"""By the C library's name."""


class Extended(Floats):
    def glsl(self, code: int, shape: Shape, shapes: list[Shape], operands: list[Shaped], mask: Mask) -> Shaped:
        scalar = shapes[0].component()
        if scalar.kind == INT_KIND:
            result = scalar_type(shape.component())
            return self.each(lambda *given: self.glsl_int(code, result, list(given), mask), *operands)
        if scalar.kind != FLOAT_KIND or shape.component().kind != FLOAT_KIND:
            raise Refused("is an extended instruction that native code is not made for")
        if code in WHOLE:
            return self.glsl_whole(code, operands)
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
            bit = self.call("cttz", [value], ", i1 false")
        elif code in (glsl.FindUMsb, glsl.FindSMsb):
            top = number(value.type, value.width() - 1)
            bit = self.apply("sub", [top, self.call("ctlz", [value], ", i1 false")])
        else:
            raise Refused("is an extended instruction that native code is not made for")
        return self.select(none, number(result, -1), self.resized(bit, result))

    def glsl_float(self, code: int, operands: list[Val], mask: Mask) -> Val:
        value = operands[0]
        width = value.width()
        one = literal(width, 1.0)
        if code == glsl.FAbs:
            return self.magnitude(value)
        if code in ROUNDED:
            return self.float_call(ROUNDED[code], [value])
        if code == glsl.Fma:
            return self.fused(operands)
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
        if code == glsl.SmoothStep:
            return self.smooth_step(operands, mask)
        if code == glsl.Fract:
            return self.float_op("fsub", [value, self.float_call("floor", [value])])
        if code == glsl.Sqrt:
            self.fault_if(self.float_compare("olt", value, number(value.type, 0)), mask)
            return self.float_call("sqrt", [value])
        return self.curve(code, operands, mask)

    def extreme(self, code: int, a: Val, b: Val, mask: Mask) -> Val:
        """The lesser or greater; of a number and a NaN the number, for the F forms a fault."""
        least = code in (glsl.FMin, glsl.NMin)
        if code in (glsl.FMin, glsl.FMax):
            self.fault_if(self.float_compare("uno", a, b), mask)
        better = self.float_compare("olt", b, a) if least else self.float_compare("olt", a, b)
        return self.select(self.apply("or", [better, self.float_compare("uno", a, a)]), b, a)

    def smooth_step(self, operands: list[Val], mask: Mask) -> Val:
        low, high, value = operands
        width = value.width()
        self.fault_if(self.float_compare("oge", low, high), mask)
        part = self.float_op("fdiv", [self.float_op("fsub", [value, low]), self.float_op("fsub", [high, low])])
        one, zero = literal(width, 1.0), number(value.type, 0)
        part = self.select(self.float_compare("ogt", part, one), one, part)
        part = self.select(self.float_compare("olt", part, zero), zero, part)
        rest = self.float_op("fsub", [literal(width, 3.0), self.float_op("fmul", [literal(width, 2.0), part])])
        return self.float_op("fmul", [self.float_op("fmul", [part, part]), rest])

    # --- curves -------------------------------------------------------------------------------------------------------

    def curve(self, code: int, operands: list[Val], mask: Mask) -> Val:
        width = operands[0].width()
        if width < 32:
            raise Refused("is an extended instruction that native code is not made for")
        given = [self.to_float(operand, 64) for operand in operands]
        first, zero, one = given[0], number("i64", 0), literal(64, 1.0)
        if code in (glsl.Radians, glsl.Degrees):
            factor = math.pi / 180.0 if code == glsl.Radians else 180.0 / math.pi
            return self.to_float(self.float_op("fmul", [first, literal(64, factor)]), width)
        if code == glsl.InverseSqrt:
            self.fault_if(self.float_compare("ole", first, zero), mask)
            return self.to_float(self.float_op("fdiv", [one, self.float_call("sqrt", [first])]), width)
        if code not in CURVES:
            raise Refused("is an extended instruction that native code is not made for")
        if code in (glsl.Asin, glsl.Acos):
            self.fault_if(self.float_compare("ogt", self.magnitude(first), one), mask)
        elif code in (glsl.Log, glsl.Log2):
            self.fault_if(self.float_compare("ole", first, zero), mask)
        elif code == glsl.Atan2:
            both = self.apply("or", [self.magnitude(first), self.magnitude(given[1])])
            self.fault_if(self.compare("eq", both, zero), mask)
        elif code == glsl.Pow:
            pole = self.apply(
                "and", [self.compare("eq", self.magnitude(first), zero), self.float_compare("ole", given[1], zero)]
            )
            self.fault_if(self.apply("or", [pole, self.float_compare("olt", first, zero)]), mask)
            given[0] = self.magnitude(first)
        return self.to_float(self.library(CURVES[code], given, mask), width)

    def library(self, name: str, operands: list[Val], mask: Mask) -> Val:
        """A function of the C library on doubles, which LLVM must not know better."""
        self.need(name)
        self.declare(f"double @{name}({', '.join(['double'] * len(operands))})")

        def one(given: list[Val]) -> Val:
            texts = ", ".join([f"double {self.opened(value)}" for value in given])
            return self.closed(self.let(f"call double @{name}({texts}) nobuiltin"), 64, True)

        if all(operand.uniform for operand in operands):
            return one(operands)
        return self.by_lane("i64", [self.varying(operand) for operand in operands], mask, one)

    # --- vectors ------------------------------------------------------------------------------------------------------

    def glsl_whole(self, code: int, operands: list[Shaped]) -> Shaped:
        scalar = isinstance(operands[0], Val)
        x, *others = [(operand,) if isinstance(operand, Val) else operand for operand in operands]
        result = self.of_vectors(code, x, others)
        return result[0] if scalar and not isinstance(result, Val) else result

    def of_vectors(self, code: int, x: Shaped, others: list[Shaped]) -> Shaped:
        if code == glsl.Length:
            return self.length(x)
        if code == glsl.Distance:
            return self.length([self.float_op("fsub", [a, b]) for a, b in zip(x, others[0], strict=True)])
        if code == glsl.Normalize:
            size = self.length(x)
            return tuple([self.float_op("fdiv", [part, size]) for part in x])
        if code == glsl.Cross:
            y = others[0]
            return tuple([
                self.float_op("fsub", [self.float_op("fmul", [x[a], y[b]]), self.float_op("fmul", [y[a], x[b]])])
                for a, b in ((1, 2), (2, 0), (0, 1))
            ])  # fmt: skip
        if code == glsl.FaceForward:
            behind = self.float_compare("olt", self.dot(others[1], others[0]), number(x[0].type, 0))
            sign = number(x[0].type, 1 << (x[0].width() - 1))
            return tuple([self.select(behind, part, self.apply("xor", [part, sign])) for part in x])
        normal = others[0]
        along = self.dot(normal, x)
        width = x[0].width()
        if code == glsl.Reflect:
            twice = self.float_op("fmul", [literal(width, 2.0), along])
            return self.less(x, twice, normal)
        eta, one = others[1][0], literal(width, 1.0)
        rest = self.float_op("fsub", [one, self.float_op("fmul", [along, along])])
        k = self.float_op("fsub", [one, self.float_op("fmul", [self.float_op("fmul", [eta, eta]), rest])])
        root = self.float_call("sqrt", [self.magnitude(k)])
        by = self.float_op("fadd", [self.float_op("fmul", [eta, along]), root])
        none = self.float_compare("olt", k, number(k.type, 0))
        bent = self.less(self.scaled(x, eta), by, normal)
        return tuple([self.select(none, number(k.type, 0), part) for part in bent])

    def less(self, x: Shaped, by: Val, normal: Shaped) -> Shaped:
        """x - by * normal."""
        return tuple([
            self.float_op("fsub", [a, self.float_op("fmul", [by, b])]) for a, b in zip(x, normal, strict=True)
        ])  # fmt: skip

    def length(self, x: Shaped) -> Val:
        return self.magnitude(x[0]) if len(x) == 1 else self.float_call("sqrt", [self.dot(x, x)])
