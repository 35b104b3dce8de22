"""Functions of whole vectors: dot, cross, length, reflect and their like.

    dot(float3, float3)   Dot        dot(int2, int2)   x * x' + y * y'         reflect(i, n)   ExtInst Reflect

Float ones of a single component are the scalar's arithmetic.
"""

from typing import Final

from reknit.front.slang.builtins.arithmetic import binary
from reknit.front.slang.builtins.components import Code, emit_op, parts_of
from reknit.front.slang.builtins.constants import number
from reknit.front.slang.builtins.emitter import Emitter, Unsupported
from reknit.front.slang.builtins.rows import Row, Rows
from reknit.front.slang.builtins.shapes import count_of, ir_numeric, scalar_of
from reknit.front.slang.hir import Intrinsic
from reknit.front.slang.types import FLOAT, Type
from reknit.ir import glsl, op
from reknit.ir.value import Value


def dot(emitter: Emitter, type: Type, a: Value, b: Value) -> Value:
    """Of vectors or scalars, integers too."""
    scalar = scalar_of(type)
    if scalar.kind == "float" and count_of(type) > 1:
        return emit_op(emitter, op.Dot, scalar, [a, b])
    total: Value | None = None
    for x, y in zip(parts_of(emitter, type, a), parts_of(emitter, type, b), strict=True):
        product = binary(emitter, "*", scalar, x, y)
        total = product if total is None else binary(emitter, "+", scalar, total, product)
    assert total is not None
    return total


def _dot(emitter: Emitter, call: Intrinsic, types: list[Type], operands: list[Value]) -> Value | None:
    return dot(emitter, types[0], operands[0], operands[1])


def _extended(signature: str, code: Code) -> Row:
    def make(emitter: Emitter, call: Intrinsic, types: list[Type], operands: list[Value]) -> Value | None:
        if -code == glsl.Refract and scalar_of(types[0]).width == 64:
            raise Unsupported("SPIR-V has refract for floats and halves only")
        return emit_op(emitter, code, call.type, operands)

    return signature, make


def _cross(emitter: Emitter, call: Intrinsic, types: list[Type], operands: list[Value]) -> Value | None:
    type = types[0]
    scalar = scalar_of(type)
    if scalar.kind == "float":
        return emit_op(emitter, -glsl.Cross, type, operands)
    a, b = [parts_of(emitter, type, operand) for operand in operands]
    parts: list[Value] = []
    for x, y in ((1, 2), (2, 0), (0, 1)):
        first, second = [binary(emitter, "*", scalar, *pair) for pair in ((a[x], b[y]), (a[y], b[x]))]
        parts.append(binary(emitter, "-", scalar, first, second))
    return emitter.emit(op.CompositeConstruct, ir_numeric(emitter, type), [*parts])


def _lighting(emitter: Emitter, call: Intrinsic, types: list[Type], operands: list[Value]) -> Value | None:
    """lit: (1, max(n.l, 0), n.l < 0 or n.h < 0 ? 0 : n.h ^ m, 1)."""
    n_l, n_h, exponent = operands
    zero = number(emitter, FLOAT, 0)
    one_ = number(emitter, FLOAT, 1)
    diffuse = emit_op(emitter, -glsl.NMax, FLOAT, [n_l, zero])
    power = emit_op(emitter, -glsl.Pow, FLOAT, [emit_op(emitter, -glsl.NMax, FLOAT, [n_h, zero]), exponent])
    lit = emit_op(emitter, -glsl.Step, FLOAT, [zero, n_l])
    specular = binary(emitter, "*", FLOAT, lit, power)
    return emitter.emit(op.CompositeConstruct, ir_numeric(emitter, call.type), [one_, diffuse, specular, one_])


def _distance_vector(emitter: Emitter, call: Intrinsic, types: list[Type], operands: list[Value]) -> Value | None:
    """dst: (1, a.y * b.y, a.z, b.w)."""
    scalar = scalar_of(types[0])
    a, b = [parts_of(emitter, types[0], operand) for operand in operands]
    product = binary(emitter, "*", scalar, a[1], b[1])
    whole = [number(emitter, scalar, 1), product, a[2], b[3]]
    return emitter.emit(op.CompositeConstruct, ir_numeric(emitter, types[0]), [*whole])


FUNCTIONS: Final[Rows] = {
    "cross": ("n T(V3, V3)", _cross),
    "distance": _extended("f E(V, V)", -glsl.Distance),
    "dot": ("n E(V, V)", _dot),
    "dst": ("f T(V4, V4)", _distance_vector),
    "faceforward": _extended("f T(V, V, V)", -glsl.FaceForward),
    "length": _extended("f E(V)", -glsl.Length),
    "lit": ("f float4(float, float, float)", _lighting),
    "normalize": _extended("f T(V)", -glsl.Normalize),
    "reflect": _extended("f T(V, V)", -glsl.Reflect),
    "refract": _extended("f T(V, V, E)", -glsl.Refract),
}
