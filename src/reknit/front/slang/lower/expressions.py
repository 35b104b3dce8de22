"""Expressions without calls: constants, operators, choices, assignments.

    a[i].x = b ? c : d      %k = Load %i    %c = phi(...)    %p = AccessChain %a %k 0    Store %p %c

Left to right. A choice is an If whose value is a phi after it.
"""

from reknit.front.slang import hir
from reknit.front.slang.builtins.constants import scalar_constant
from reknit.front.slang.builtins.shapes import constant, count_of, row_type
from reknit.front.slang.core import is_empty
from reknit.front.slang.hir import Expr
from reknit.front.slang.lower.body import Body, Frame, Handlers
from reknit.front.slang.lower.copies import copy, fresh
from reknit.front.slang.lower.lvalues import Computed, Place, truth
from reknit.front.slang.lower.operators import as_number, convert, is_number, operate, unary
from reknit.front.slang.lower.pointers import advanced
from reknit.front.slang.lower.resolve import Resolver
from reknit.front.slang.lower.resource_places import Slot, Tree
from reknit.front.slang.lower.specialized import scalar_of_value
from reknit.front.slang.lower.state import is_constant
from reknit.front.slang.lower.static_truth import static_truth
from reknit.front.slang.lower.zeros import zero_of
from reknit.front.slang.types import (
    ArrayType,
    ConstType,
    MatrixType,
    PointerType,
    StructType,
    VectorType,
    is_specialized,
)
from reknit.ir import op
from reknit.ir.block import Block
from reknit.ir.instr import Operand
from reknit.ir.value import Value

# ---- constants


def const(body: Body, expr: Expr) -> Value:
    assert isinstance(expr, hir.Const)
    return scalar_constant(body.low, body.type_of(expr), expr.value)


def generic_value(body: Body, expr: Expr) -> Value:
    assert isinstance(expr, hir.GenericValue)
    substituted = body.type(expr.value)
    if is_specialized(substituted) and body.low.specialized is not None:
        return convert(body.low, scalar_of_value(substituted), body.type_of(expr), body.low.specialized(substituted))
    if not isinstance(substituted, ConstType):
        body.low.refuse(expr.at, f"the value of '{substituted}' isn't known when the shader is compiled")
        return body.low.undefined(body.type_of(expr))
    return scalar_constant(body.low, body.type_of(expr), substituted.value)


def zero(body: Body, expr: Expr) -> Value:
    return zero_of(body, body.type_of(expr))


def undefined(body: Body, expr: Expr) -> Value:
    return body.low.undefined(body.type_of(expr))


def text(body: Body, expr: Expr) -> Value:
    body.low.refuse(expr.at, "a string can only be given to printf and the like")
    return body.low.zero(body.low.u32)


# ---- putting together


def construct(body: Body, expr: Expr) -> Value:
    assert isinstance(expr, hir.Construct)
    low = body.low
    type = body.type_of(expr)
    parts = [body.value(part) for part in expr.parts]
    if isinstance(type, StructType) and is_empty(type):
        return low.zero(low.ir_type(type))
    if isinstance(type, VectorType) and len(parts) == 1:
        return parts[0]
    if isinstance(type, VectorType) and all(is_constant(part) for part in parts):
        parts = components(body, expr.parts, parts)  # a constant vector has none of vectors (SPIR-V 1.6, 3.52.7)
    if isinstance(type, MatrixType):
        row = low.ir_type(row_type(type))
        lengths = [count_of(body.type_of(part)) for part in expr.parts]
        if len(parts) != constant(type.rows) or any(length != constant(type.columns) for length in lengths):
            per_row = constant(type.columns)
            singles = components(body, expr.parts, parts)
            parts = [
                low.composite(row, singles[at : at + per_row]) if per_row > 1 else singles[at]
                for at in range(0, len(singles), per_row)
            ]
    return low.composite(low.ir_type(type), parts)


def components(body: Body, exprs: list[Expr], values: list[Value]) -> list[Value]:
    """Scalars and vectors laid end to end."""
    parts: list[Value] = []
    for expr, value in zip(exprs, values, strict=True):
        type = body.type_of(expr)
        if isinstance(type, VectorType) and constant(type.count) > 1:
            single = body.low.ir_type(type.element)
            parts.extend([body.low.extract(single, value, index) for index in range(constant(type.count))])
        else:
            parts.append(value)
    return parts


def construct_place(body: Body, expr: Expr) -> Place:
    """With resources in it: a tree of what the parts are."""
    assert isinstance(expr, hir.Construct)
    type = body.type_of(expr)
    if not body.low.has_resources(type):
        return Computed(type, construct(body, expr))
    place = fresh(body.low, type, "")
    assert isinstance(place, Tree)
    for target, part in zip(place.parts, expr.parts, strict=True):
        copy(body.low, target, body.place(part))
    return place


def splat(body: Body, expr: Expr) -> Value:
    assert isinstance(expr, hir.Splat)
    low = body.low
    type = body.type_of(expr)
    value = body.value(expr.value)
    if isinstance(type, ArrayType) and type.count is not None:
        return low.composite(low.ir_type(type), [value] * constant(type.count))
    if isinstance(type, VectorType) and constant(type.count) == 1:
        return value
    if isinstance(type, VectorType):
        return low.composite(low.ir_type(type), [value] * constant(type.count))
    return convert(low, body.type_of(expr.value), type, value)


def conversion(body: Body, expr: Expr) -> Value:
    assert isinstance(expr, hir.Convert)
    source = as_number(body.type_of(expr.value))
    target = body.type_of(expr)
    value = body.value(expr.value)
    if not is_number(source) or not is_number(target):
        if source.key != target.key and body.low.ir_type(source) is not body.low.ir_type(target):
            body.low.refuse(expr.at, f"'{source}' is not converted to '{target}'")
            return body.low.undefined(target)
        return value
    return convert(body.low, source, target, value)


def conversion_place(body: Body, expr: Expr) -> Place:
    assert isinstance(expr, hir.Convert)
    if body.low.has_resources(body.type_of(expr)):
        return body.place(expr.value)
    return Computed(body.type_of(expr), conversion(body, expr))


# ---- operators


def unary_(body: Body, expr: Expr) -> Value:
    assert isinstance(expr, hir.Unary)
    return unary(body.low, expr.op, body.type_of(expr.operand), body.value(expr.operand))


def binary(body: Body, expr: Expr) -> Value:
    """The left spine may be long."""
    spine: list[hir.Binary] = []
    left: Expr = expr
    while isinstance(left, hir.Binary):
        spine.append(left)
        left = left.left
    value = body.value(left)
    while spine:
        operation = spine.pop()
        right = body.value(operation.right)
        body.low.at = operation.at or body.low.at
        value = operate(body.low, operation.op, as_number(body.type_of(operation.left)), value, right)
    return value


def short_circuit(body: Body, expr: Expr) -> Value:
    """The right side is evaluated by invocations for which the left doesn't decide the result."""
    known = static_truth(body, expr)
    if known is not None:
        return truth(body.low, known)
    spine: list[hir.ShortCircuit] = []
    left: Expr = expr
    while isinstance(left, hir.ShortCircuit):
        spine.append(left)
        left = left.left
    value = body.value(left)
    while spine:
        operation = spine.pop()
        value = _guarded(body, operation, value)
    return value


def _guarded(body: Body, expr: hir.ShortCircuit, left: Value) -> Value:
    low = body.low
    builder = low.builder
    opened = dict(body.frame.opened)
    choice = builder.open_if(left)
    low.places.starts[choice] = low.at
    evaluated, other = (choice.then, choice.orelse) if expr.op == "&&" else (choice.orelse, choice.then)
    builder.at(evaluated.entry())
    right = body.value(expr.right)
    ended = builder.block
    body.frame.opened = opened
    builder.at(choice.after())
    known: Value = truth(low, expr.op == "||")
    return low.emit(op.Phi, low.boolean, [right, ended, known, other.entry()])


def conditional(body: Body, expr: Expr) -> Value | None:
    assert isinstance(expr, hir.Conditional)
    known = static_truth(body, expr.condition)
    if known is not None:
        return body.effect(expr.then if known else expr.otherwise)
    low = body.low
    builder = low.builder
    opened = dict(body.frame.opened)
    type = body.type_of(expr)
    choice = builder.open_if(body.value(expr.condition))
    low.places.starts[choice] = low.at
    operands: list[Operand] = []
    ends: list[Block] = []
    for region, side in ((choice.then, expr.then), (choice.orelse, expr.otherwise)):
        builder.at(region.entry())
        value = body.effect(side)
        if value is not None:
            operands.append(value)
            operands.append(builder.block)
        ends.append(builder.block)
        body.frame.opened = dict(opened)
    builder.at(choice.after())
    return low.emit(op.Phi, low.ir_type(type), operands) if len(operands) == 4 else None


def conditional_place(body: Body, expr: Expr) -> Place:
    assert isinstance(expr, hir.Conditional)
    type = body.type_of(expr)
    if body.low.has_resources(type):
        body.low.refuse(expr.at, "which resource is meant must be known when the shader is compiled")
        return Slot(type)
    place = conditional(body, expr)
    return Computed(type, place if place is not None else body.low.undefined(type))


# ---- assignments


def assign(body: Body, expr: Expr) -> Value | None:
    assert isinstance(expr, hir.Assign)
    target = _target(body, expr.target)
    if body.low.has_resources(target.type):
        copy(body.low, target, body.place(expr.value))
        return None
    value = body.value(expr.value)
    target.store(body.low, value)
    return value


def _target(body: Body, expr: Expr) -> Place:
    """Of a variable that stands for a resource the variable."""
    own = body.place_of(expr.variable) if isinstance(expr, hir.Place) else None
    return own if isinstance(own, Slot) else body.place(expr)


def assign_place(body: Body, expr: Expr) -> Place:
    assert isinstance(expr, hir.Assign)
    target = _target(body, expr.target)
    if body.low.has_resources(target.type):
        copy(body.low, target, body.place(expr.value))
    else:
        target.store(body.low, body.value(expr.value))
    return target


def update(body: Body, expr: Expr) -> Value:
    """The target's place is found first, then the value; the target is read last."""
    assert isinstance(expr, hir.Update)
    target, old, new = _updated(body, expr)
    return old if expr.old else new


def _updated(body: Body, expr: hir.Update) -> tuple[Place, Value, Value]:
    low = body.low
    target = body.place(expr.target)
    type = target.type
    computed = body.type_of(expr.value)
    value = body.value(expr.value)
    old = target.load(low)
    if isinstance(type, PointerType):
        new = advanced(low, type.element, old, computed, value)
    else:
        updated = operate(low, expr.op, computed, convert(low, type, computed, old), value)
        new = convert(low, computed, type, updated)
    target.store(low, new)
    return target, old, new


def update_place(body: Body, expr: Expr) -> Place:
    assert isinstance(expr, hir.Update)
    target, old, _ = _updated(body, expr)
    return Computed(target.type, old) if expr.old else target


def sequence(body: Body, expr: Expr) -> Value | None:
    assert isinstance(expr, hir.Sequence)
    for part in expr.parts[:-1]:
        body.effect(part)
    return body.effect(expr.parts[-1])


def default(body: Body, expr: Expr) -> Value | None:
    """In a frame with the callee's arguments."""
    assert isinstance(expr, hir.Default)
    caller = body.frame
    substitution = caller.resolver.arguments(expr.substitution)
    body.frame = Frame(None, Resolver(substitution), caller)
    value = body.effect(expr.value)
    body.frame = caller
    return value


def register(handlers: Handlers) -> None:
    handlers.values.update(
        {
            hir.Const: const,
            hir.GenericValue: generic_value,
            hir.Zero: zero,
            hir.Undefined: undefined,
            hir.Text: text,
            hir.Construct: construct,
            hir.Splat: splat,
            hir.Convert: conversion,
            hir.Unary: unary_,
            hir.Binary: binary,
            hir.ShortCircuit: short_circuit,
            hir.Conditional: conditional,
            hir.Assign: assign,
            hir.Update: update,
            hir.Sequence: sequence,
            hir.Default: default,
        }
    )
    handlers.places.update(
        {
            hir.Construct: construct_place,
            hir.Convert: conversion_place,
            hir.Conditional: conditional_place,
            hir.Assign: assign_place,
            hir.Update: update_place,
        }
    )


