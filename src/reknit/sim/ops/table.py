"""Opcode and shapes in, function out: the one place that the machine asks.

    (IAdd, u32, [u32, u32])   scalar_function -> (a, b) -> a + b mod 2^32        of one lane's values
                              column_function -> (out, lanes, [a, b]) -> None    of all lanes given

`traits.SIM` says which file of this folder knows an opcode. `operands` are the shapes of the operands that are ids, in
order; `literals` are the literal operands after them (the indices of an extract, insert or shuffle, the packed format
of a dot product). None: this opcode is not for values, or not known. Group operations are in `group`, GLSL.std.450 in
`glsl`, atomics in `atomic`.
"""

from reknit.ir import op, traits
from reknit.sim.ops import bits, composite, convert, dot, float_, integer, linear, logic
from reknit.sim.ops.columns import Column, Function, copied, extract, over_components, over_lanes, over_pairs, select
from reknit.sim.ops.ieee import format_of
from reknit.sim.ops.undefined import Undefined
from reknit.sim.values import BOOL_KIND, FLOAT_KIND, INT_KIND, STRUCT_KIND, VECTOR_KIND, Shape


def int_component(opcode: int, known: str, width: int, count: int, undefined: Undefined) -> Function | None:
    """On integers of `width` bits, `count` operands."""
    if known == "bits":
        if count == 1:
            return bits.unary(opcode, width)
        if count == 2:
            return bits.shift(opcode, width, undefined)
        return bits.extract(opcode, width, undefined) if count == 3 else bits.insert(opcode, width, undefined)
    if known != "integer":
        return None
    if count == 1:
        return integer.unary(opcode, width)
    return (
        integer.arithmetic(opcode, width)
        or integer.comparison(opcode, width)
        or integer.division(opcode, width, undefined)
    )


def float_component(opcode: int, width: int, count: int, undefined: Undefined) -> Function | None:
    form = format_of(width)
    if form is None:
        return None
    if count == 1:
        return float_.unary(opcode, form)
    if count == 2:
        return float_.arithmetic(opcode, form, undefined) or float_.comparison(opcode, form)
    if opcode == op.FmaKHR:
        exact = form
        return lambda a, b, c: float_.fused(a, b, c, exact)
    return None


def component_function(opcode: int, result: Shape, operands: list[Shape], undefined: Undefined) -> Function | None:
    """On scalars; `result` and `operands` are scalars too."""
    known = traits.SIM.get(opcode, "")
    first = operands[0]
    if known == "logic" and first.kind == BOOL_KIND:
        return logic.component(opcode)
    if known == "convert":
        return convert.component(opcode, result, first, undefined)
    if first.kind == INT_KIND:
        return int_component(opcode, known, first.width, len(operands), undefined)
    if first.kind == FLOAT_KIND and known == "float":
        return float_component(opcode, first.width, len(operands), undefined)
    return None


def whole_function(
    opcode: int, result: Shape, operands: list[Shape], literals: list[int], undefined: Undefined
) -> Function | None:
    """What looks at more than one component, or doesn't look at all."""
    known = traits.SIM.get(opcode, "")
    if known == "composite":
        return composite.function(opcode, result, operands, literals, undefined)
    if not operands:
        return None
    if opcode == op.Bitcast:
        return convert.bitcast(result, operands[0])
    if opcode == op.Any:
        return logic.any_of
    if opcode == op.All:
        return logic.all_of
    if opcode == op.Select and operands[0].kind != VECTOR_KIND:
        return logic.select
    if known == "linear":
        component = operands[0].component()
        form = format_of(component.width) if component.kind == FLOAT_KIND else None
        return linear.function(opcode, form) if form is not None else None
    return dot.function(opcode, result, operands, undefined) if known == "dot" else None


def scalar_function(
    opcode: int, result: Shape, operands: list[Shape], literals: list[int], undefined: Undefined
) -> Function | None:
    """The function on one lane's operand values."""
    whole = whole_function(opcode, result, operands, literals, undefined)
    if whole is not None or not operands:
        return whole
    if result.kind == STRUCT_KIND:
        if operands[0].component().kind != INT_KIND:
            return None
        pairs = integer.extended(opcode, operands[0].component().width)
        if pairs is None or operands[0].kind != VECTOR_KIND:
            return pairs
        return over_pairs(pairs, operands[0], operands)
    scalars = [operand.component() for operand in operands]
    function = component_function(opcode, result.component(), scalars, undefined)
    if function is None or result.kind != VECTOR_KIND:
        return function
    return over_components(function, result, operands)


def kernel(opcode: int, result: Shape, operands: list[Shape], literals: list[int]) -> Column | None:
    """The loop with nothing called inside, for the opcodes that have one."""
    if opcode == op.CopyObject or opcode == op.CopyLogical:
        return copied
    if opcode == op.CompositeExtract and len(literals) == 1:
        return extract(literals[0])
    if not operands:
        return None
    first = operands[0]
    if opcode == op.Select and first.kind == BOOL_KIND:
        return select
    if opcode == op.Bitcast and result.is_scalar() and first.is_scalar() and result.width == first.width:
        return copied
    return None


def column_function(
    opcode: int, result: Shape, operands: list[Shape], literals: list[int], undefined: Undefined
) -> Column | None:
    """The function `(out, lanes, columns) -> None`: one column an operand, `out[lane]` set for each lane of `lanes`."""
    quick = kernel(opcode, result, operands, literals)
    if quick is not None:
        return quick
    function = scalar_function(opcode, result, operands, literals, undefined)
    return None if function is None else over_lanes(function, len(operands), undefined)
