"""LLVM's own functions: llvm.ctpop.i32, llvm.umin.i32, llvm.fabs.f32 ...

    llvm.uadd.sat.v4i32      the base is "uadd.sat": what follows names types
    those that mean nothing here (lifetimes, debug information, assumptions, convergence tokens) vanish
"""

import re
from typing import Final

from reknit.front.llvm import bits, floats, odd, syntax
from reknit.front.llvm.bits import integer, is_odd, like, scalar
from reknit.front.llvm.library.expand import expanded, of_floats, of_integers
from reknit.front.llvm.results import Pieces, Result
from reknit.front.llvm.state import Lowering
from reknit.front.llvm.syntax import Statement
from reknit.front.llvm.target import Target
from reknit.front.llvm.unsupported import Refusal
from reknit.front.llvm.wide import parts_of
from reknit.ir import op
from reknit.ir.floats import rounded_bits
from reknit.ir.value import Value

PREFIX: Final = "llvm."

_NOTHING: Final = (
    "dbg", "lifetime", "assume", "experimental.convergence", "experimental.noalias", "donothing", "invariant",
    "sideeffect", "pseudoprobe", "fake.use", "trap", "debugtrap", "ubsantrap", "prefetch", "stackrestore",
    "var.annotation",
)  # fmt: skip
"""A trap is where an invocation ends; Clang writes `unreachable` behind it, which says so."""
_TYPES: Final = re.compile(r"(\.(nx)?(v\d+)?([if]\d+|bf16|p\d+))+$")
_EXTENDED: Final = {
    "fabs": 4, "sqrt": 31, "floor": 8, "ceil": 9, "trunc": 3, "rint": 2, "nearbyint": 2, "roundeven": 2,
    "minnum": 79, "maxnum": 80, "fma": 50,
}  # fmt: skip
_UP_TO_32: Final = {
    "sin": 13, "cos": 14, "tan": 15, "asin": 16, "acos": 17, "atan": 18, "sinh": 19, "cosh": 20, "tanh": 21,
    "atan2": 25, "pow": 26, "exp": 27, "log": 28, "exp2": 29, "log2": 30,
}  # fmt: skip
"""GLSL.std.450 has these for 16 and 32 bits alone."""
_BY_SIZE: Final = {"umin": 38, "smin": 39, "umax": 41, "smax": 42}
_ABSOLUTE: Final = 5
_FREXP: Final = 52
_LDEXP: Final = 53
_FIRST: Final = (
    "expect", "expect.with.probability", "ssa.copy", "annotation", "arithmetic.fence", "launder.invariant.group",
    "strip.invariant.group", "ptr.annotation", "threadlocal.address",
)  # fmt: skip
_BITS: Final = ("ctpop", "bitreverse", "bswap", "ctlz", "cttz", "fshl", "fshr")
_OVERFLOWING: Final = ("uadd", "usub", "umul", "sadd", "ssub", "smul")
_SATURATING: Final = ("uadd", "usub", "ushl", "sadd", "ssub", "sshl")
_EXTREMES: Final = ("minimum", "maximum", "minimumnum", "maximumnum")
_REDUCED: Final = {
    "add": op.IAdd, "mul": op.IMul, "and": op.BitwiseAnd, "or": op.BitwiseOr, "xor": op.BitwiseXor,
}  # fmt: skip
_REDUCED_TRUTHS: Final = {
    "and": op.LogicalAnd, "or": op.LogicalOr, "xor": op.LogicalNotEqual, "add": op.LogicalNotEqual,
    "mul": op.LogicalAnd, "umax": op.LogicalOr, "umin": op.LogicalAnd, "smax": op.LogicalAnd, "smin": op.LogicalOr,
}  # fmt: skip
_REDUCED_FLOATS: Final = {"fadd": op.FAdd, "fmul": op.FMul}
_REDUCED_EXTREMES: Final = {"fmin": "minnum", "fmax": "maxnum", "fminimum": "minimum", "fmaximum": "maximum"}


def intrinsic(lowering: Lowering, statement: Statement) -> Result:
    """What the call gives. Raises Refusal."""
    name = statement.callee.removeprefix(PREFIX)
    if name.startswith(_NOTHING):
        return None
    base = _TYPES.sub("", name)
    target = lowering.target
    type = statement.type
    if base in _FIRST:
        return lowering.result(statement.operands[0])
    if base == "is.constant":
        return target.constant(type, 0)  # nothing is known to be one here
    if base == "objectsize":  # unknown (LLVM Language Reference, "llvm.objectsize")
        return target.constant(type, 0 if lowering.number(statement.operands[1]) else -1)
    if base == "frexp" and type.kind == syntax.STRUCT:
        return _split(lowering, statement)
    if not _is_read(base) or not _is_number(type):
        raise Refusal(f"calls @{statement.callee}, which is not read here")
    if base.startswith("vector.reduce."):
        return _reduced(lowering, statement, base.removeprefix("vector.reduce."))
    count = {"abs": 1, "ctlz": 1, "cttz": 1, "is.fpclass": 1}.get(base, len(statement.operands))
    values = [lowering.value(operand) for operand in statement.operands[:count]]
    if base.endswith(".with.overflow"):
        return _with_overflow(target, statement.operands[0].type, base, values)
    given = statement.operands[0].type
    if base == "is.fpclass":
        return floats.classified(target, given, values[0], lowering.number(statement.operands[1]))
    if base in ("fptosi.sat", "fptoui.sat"):
        return floats.to_integer(target, type, given, values[0], base == "fptosi.sat")
    if base in ("scmp", "ucmp"):
        return _three_ways(target, type, given, values, base)
    if base in ("lrint", "llrint", "lround", "llround"):
        if "round" in base:
            whole = of_floats(target, "round", [given], values)
        else:
            whole = target.extended(_EXTENDED["rint"], target.type(given), values)
        return target.emit(op.ConvertFToS, target.type(type), [whole])
    if base == "ldexp":
        exponents = like(type, integer(32))
        if scalar(statement.operands[1].type).width != 32:
            raise Refusal("is ldexp with an exponent of other than 32 bits")
        signed = target.emit(op.Bitcast, target.signed(exponents), [values[1]])
        return target.extended(_LDEXP, target.type(type), [values[0], signed])
    if is_odd(type):
        return odd.computed(target, type, base, values)
    return computed(target, type, base, values)


def is_partwise(statement: Statement) -> bool:
    """Whether each part of the result comes from the same part of each operand."""
    base = _TYPES.sub("", statement.callee.removeprefix(PREFIX))
    return statement.callee.startswith(PREFIX) and (base in _FIRST or base == "is.constant" or _is_read(base)) and not (
        base.startswith("vector.reduce.") or base.endswith(".with.overflow")
    )


def _split(lowering: Lowering, statement: Statement) -> Result:
    """frexp: the fraction, and the exponent."""
    target = lowering.target
    type, exponents = statement.type.parts
    if scalar(exponents).width != 32:
        raise Refusal("is frexp with an exponent of other than 32 bits")
    value = lowering.value(statement.operands[0])
    signed = target.signed(like(type, integer(32)))
    struct = target.module.intern(op.TypeStruct, None, [target.type(type), signed])
    both = target.extended(_FREXP, struct, [value])
    exponent = target.emit(op.CompositeExtract, signed, [both, 1])
    return Pieces([
        target.emit(op.CompositeExtract, target.type(type), [both, 0]),
        target.emit(op.Bitcast, target.type(like(type, integer(32))), [exponent]),
    ])


def _is_number(type: syntax.Type) -> bool:
    if type.kind == syntax.STRUCT:
        return bool(type.parts) and _is_number(type.parts[0])
    return scalar(type).kind in (syntax.INT, syntax.FLOAT)


def _is_read(base: str) -> bool:
    if base.startswith("vector.reduce."):
        kind = base.removeprefix("vector.reduce.")
        return kind in _REDUCED or kind in _REDUCED_FLOATS or kind in _REDUCED_EXTREMES or kind in _BY_SIZE
    first, _, rest = base.partition(".")
    if rest:
        known = {"with.overflow": _OVERFLOWING, "sat": (*_SATURATING, "fptosi", "fptoui")}
        return base == "is.fpclass" or first in known.get(rest, ())
    named = (
        "abs", "fmuladd", "scmp", "ucmp", "copysign", "round", "canonicalize", "lrint", "llrint",
        "lround", "llround", "ldexp",
    )  # fmt: skip
    tables = (_EXTENDED, _UP_TO_32, _BY_SIZE, _BITS, _EXTREMES, named)
    return any(base in table for table in tables)


def computed(target: Target, type: syntax.Type, base: str, values: list[Value]) -> Value:
    """A function whose result and operands are all of `type`."""
    ir_type = target.type(type)
    if base in _UP_TO_32 and scalar(type).width > 32:
        raise Refusal(f"is {base} of a double, which GLSL.std.450 does not have")
    if base in _EXTENDED or base in _UP_TO_32:
        return target.extended(_EXTENDED.get(base, 0) or _UP_TO_32[base], ir_type, values)
    if base == "bswap" and scalar(type).width == 8:
        return values[0]
    if base in _BITS:
        return of_integers(target, base, type, values)
    if base == "fmuladd":
        return target.emit(op.FAdd, ir_type, [target.emit(op.FMul, ir_type, [*values[:2]]), values[2]])
    if base in _EXTREMES or base in ("copysign", "round"):
        return of_floats(target, base, [type], values)
    if base == "canonicalize":
        unit = target.constant(type, rounded_bits(1.0, scalar(type).width))
        return target.emit(op.FMul, ir_type, [values[0], unit])
    if scalar(type).is_bool():
        raise Refusal("compares i1 by size" if base in _BY_SIZE else f"is {base} of i1")
    if base in _BY_SIZE:
        return target.extended(_BY_SIZE[base], ir_type, values)
    if base == "abs":
        return target.extended(_ABSOLUTE, ir_type, values)
    return of_integers(target, base.replace(".", "_"), type, values, base[0])


def _with_overflow(target: Target, type: syntax.Type, base: str, values: list[Value]) -> Result:
    """The result as it wraps, and whether it did."""
    if scalar(type).is_bool() or is_odd(type):
        raise Refusal(f"is {base} of {scalar(type).name}")
    return expanded(target, "integers", base.replace(".", "_"), [type], values, base[0])


def _three_ways(target: Target, type: syntax.Type, given: syntax.Type, values: list[Value], base: str) -> Value:
    """-1, 0 or 1."""
    if scalar(given).is_bool() or scalar(type).is_bool():
        raise Refusal("compares i1 by size")
    less = bits.truth(target, given, op.SLessThan if base == "scmp" else op.ULessThan, *values)
    more = bits.truth(target, given, op.SGreaterThan if base == "scmp" else op.UGreaterThan, *values)
    up = bits.chosen(target, type, more, target.constant(type, 1), target.constant(type, 0))
    return bits.chosen(target, type, less, target.constant(type, -1), up)


def _reduced(lowering: Lowering, statement: Statement, kind: str) -> Value:
    """The components of a vector taken together, from the first on; a float sum or product begins with a value."""
    vector = statement.operands[-1].type
    type = vector.parts[0]
    target = lowering.target
    ir_type = target.type(type)
    parts = parts_of(lowering, statement.operands[-1])
    total: Value = lowering.value(statement.operands[0]) if kind in _REDUCED_FLOATS else parts.pop(0)
    codes = _REDUCED_TRUTHS if type.is_bool() else {**_REDUCED, **_REDUCED_FLOATS}
    if is_odd(type):
        raise Refusal(f"takes the components of {vector.name} together")
    for part in parts:
        code = codes.get(kind)
        if code is not None:
            total = target.emit(code, ir_type, [total, part])
        else:
            total = computed(target, type, _REDUCED_EXTREMES.get(kind, kind), [total, part])
    return total
