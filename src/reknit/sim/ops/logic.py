"""Booleans, and choosing between values of any type.

    Select(c, a, b)   one condition: the whole of a or b       a vector of conditions: component by component

Source: SPIR-V 1.6, 3.42.15 Relational and Logical Instructions.
"""

from collections.abc import Callable
from typing import Any

from reknit.ir import op


def negation(a: int) -> int:
    return a ^ 1


def component(opcode: int) -> Callable[..., Any] | None:
    if opcode == op.Select:
        return select
    if opcode == op.LogicalNot:
        return negation
    if opcode == op.LogicalAnd:
        return lambda a, b: a & b
    if opcode == op.LogicalOr:
        return lambda a, b: a | b
    if opcode == op.LogicalEqual:
        return lambda a, b: 1 if a == b else 0
    if opcode == op.LogicalNotEqual:
        return lambda a, b: a ^ b
    return None


def select(condition: int, yes: Any, no: Any) -> Any:
    return yes if condition else no


def any_of(vector: tuple[int, ...]) -> int:
    for component in vector:
        if component:
            return 1
    return 0


def all_of(vector: tuple[int, ...]) -> int:
    for component in vector:
        if not component:
            return 0
    return 1
