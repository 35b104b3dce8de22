"""Integers and vectors of any width that is read: their types, and those that only LLVM has.

    like(<4 x float>, i32)      <4 x i32>           cut_off(i33 %x)     the bits above are 0
    truth, chosen               a comparison, a Select of values that may be vectors
"""

from collections.abc import Callable

from reknit.front.llvm import syntax
from reknit.front.llvm.syntax import Type
from reknit.front.llvm.target import Target
from reknit.ir import op
from reknit.ir.value import Value


def scalar(type: Type) -> Type:
    return type.parts[0] if type.kind == syntax.VECTOR else type


def like(type: Type, element: Type) -> Type:
    """`element`, or as many of it as `type` has components."""
    if type.kind != syntax.VECTOR:
        return element
    return Type(syntax.VECTOR, f"<{type.count} x {element.name}>", 0, type.count, [element])


def integer(width: int) -> Type:
    return Type(syntax.INT, f"i{width}", width)


def is_odd(type: Type) -> bool:
    """Whether it is an integer that only LLVM has: it is held in the next wider one, with zeros above."""
    return scalar(type).kind == syntax.INT and scalar(type).width not in (1, 8, 16, 32, 64)


def cut_off(target: Target, type: Type, value: Value) -> Value:
    """An odd integer, of which the bits above may be anything."""
    mask = target.constant(type, (1 << scalar(type).width) - 1)
    return target.emit(op.BitwiseAnd, target.type(type), [value, mask])


def with_sign(target: Target, type: Type, value: Value) -> Value:
    """An odd integer, with its sign in the bits above."""
    away = target.constant(type, target.held(scalar(type).width) - scalar(type).width)
    ir_type = target.type(type)
    high = target.emit(op.ShiftLeftLogical, ir_type, [value, away])
    return target.emit(op.ShiftRightArithmetic, ir_type, [high, away])


def truth(target: Target, type: Type, code: int, a: Value, b: Value) -> Value:
    """A comparison of two values of `type`."""
    return target.emit(code, target.type(like(type, integer(1))), [a, b])


def chosen(target: Target, type: Type, condition: Value, yes: Value, no: Value) -> Value:
    return target.emit(op.Select, target.type(type), [condition, yes, no])


def by_component(target: Target, type: Type, values: list[Value], make: Callable[[list[Value]], Value]) -> Value:
    """What `make` gives for scalars, or for the components of vectors that stand at the same place."""
    if type.kind != syntax.VECTOR:
        return make(values)
    part = target.type(type.parts[0])
    parts: list[Value] = []
    for index in range(type.count):
        parts.append(make([target.emit(op.CompositeExtract, part, [value, index]) for value in values]))
    return target.emit(op.CompositeConstruct, target.type(type), [*parts])
