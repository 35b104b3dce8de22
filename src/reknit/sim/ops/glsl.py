"""GLSL.std.450: instruction number and shapes in, function out.

    glsl_function(FMix, vec3<f32>, [vec3<f32>] * 3, undefined)   ->   (x, y, a) -> three components

Modf and Frexp write through a pointer: their function takes the float alone (`operands` still has the pointer's
shape, with the pointee), and gives the pair (result, what to store). The structs of ModfStruct and FrexpStruct are
such pairs as they are. The interpolations at a place go by
`interpolate`, and IMix was withdrawn: None.
"""

from reknit.ir import glsl
from reknit.sim.ops import glsl_common, glsl_curves, glsl_geometry, glsl_pack
from reknit.sim.ops.columns import Column, Function, over_components, over_lanes, over_pairs
from reknit.sim.ops.ieee import Format, format_of
from reknit.sim.ops.undefined import Undefined
from reknit.sim.values import FLOAT_KIND, INT_KIND, POINTER_KIND, VECTOR_KIND, Shape


def pair_function(number: int, form: Format, out: Shape, undefined: Undefined) -> Function | None:
    """`out` is the shape of the second half."""
    if number == glsl.Modf or number == glsl.ModfStruct:
        return glsl_common.modf(form)
    if number == glsl.Frexp or number == glsl.FrexpStruct:
        return glsl_common.frexp(form, out.component().width, undefined)
    return None


def second_half(result: Shape, operands: list[Shape]) -> Shape | None:
    """The shape of what goes to the pointer or the second member; None for instructions with neither."""
    if len(result.members) == 2:
        return result.members[1]
    if len(operands) == 2 and operands[1].kind == POINTER_KIND:
        return operands[1].element
    return None


def float_component(number: int, form: Format, operands: list[Shape], undefined: Undefined) -> Function | None:
    count = len(operands)
    if count == 1:
        return glsl_common.float_unary(number, form) or glsl_curves.unary(number, form, undefined)
    if count == 2:
        if number == glsl.Ldexp:
            return glsl_common.ldexp(form, operands[1].component().width, undefined)
        return (
            glsl_common.extreme(number, form, undefined)
            or glsl_common.interpolation(number, form, undefined)
            or glsl_curves.binary(number, form, undefined)
        )
    return glsl_common.clamp(number, form, undefined) or glsl_common.interpolation(number, form, undefined)


def matrix_function(number: int, form: Format, undefined: Undefined) -> Function | None:
    if number == glsl.Determinant:
        return lambda a: glsl_geometry.determinant_of(a, form)
    if number == glsl.MatrixInverse:
        return lambda a: glsl_geometry.inverse_of(a, form, undefined)
    return None


def glsl_function(number: int, result: Shape, operands: list[Shape], undefined: Undefined) -> Function | None:
    """The function on one lane's operand values."""
    if not operands:
        return None
    packed = glsl_pack.function(number, undefined)
    if packed is not None:
        return packed
    first = operands[0].component()
    function: Function | None = None
    if first.kind == INT_KIND:
        if len(operands) == 1:
            function = glsl_common.int_unary(number, first.width, result.component().width)
        else:
            function = glsl_common.int_extreme(number, first.width, undefined)
    form = format_of(first.width) if first.kind == FLOAT_KIND else None
    if form is not None:
        out = second_half(result, operands)
        if out is not None:
            pair = pair_function(number, form, out, undefined)
            if pair is None or operands[0].kind != VECTOR_KIND:
                return pair
            return over_pairs(pair, operands[0], [operands[0]])
        whole = glsl_geometry.function(number, form) or matrix_function(number, form, undefined)
        if whole is not None:
            return whole
        function = float_component(number, form, operands, undefined)
    if function is None or result.kind != VECTOR_KIND:
        return function
    return over_components(function, result, operands)


def glsl_column(number: int, result: Shape, operands: list[Shape], undefined: Undefined) -> Column | None:
    """The function `(out, lanes, columns) -> None`; Modf and Frexp: one column in, pairs out."""
    function = glsl_function(number, result, operands, undefined)
    if function is None:
        return None
    pointer = len(operands) == 2 and operands[1].kind == POINTER_KIND
    return over_lanes(function, 1 if pointer else len(operands), undefined)
