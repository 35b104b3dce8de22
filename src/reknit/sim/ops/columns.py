"""A function of one lane's values made into one of columns: a value per lane, computed for the lanes given.

    column(out, lanes, [a, b])      for lane in lanes: out[lane] = function(a[lane], b[lane])

    vector function                 (f(x0, y0), f(x1, y1), ...), an operand that isn't a vector goes to each component

The loop is inside, so that a lane costs a call at most; what only moves values costs none, and `kernels` has words.
"""

from collections.abc import Callable
from typing import Any

from reknit.sim.ops.undefined import Undefined
from reknit.sim.values import VECTOR_KIND, Shape

Function = Callable[..., Any]
Column = Callable[[list[Any], list[int], list[list[Any]]], None]


def over_lanes(function: Function, count: int, undefined: Undefined) -> Column:
    """The column form of a function of `count` operands; `undefined` learns which lane is being computed."""
    if count == 1:

        def run(out: list[Any], lanes: list[int], columns: list[list[Any]]) -> None:
            call = function
            reporter = undefined
            a = columns[0]
            for lane in lanes:
                reporter.lane = lane
                out[lane] = call(a[lane])

        return run
    if count == 2:

        def two(out: list[Any], lanes: list[int], columns: list[list[Any]]) -> None:
            call = function
            reporter = undefined
            a = columns[0]
            b = columns[1]
            for lane in lanes:
                reporter.lane = lane
                out[lane] = call(a[lane], b[lane])

        return two
    if count == 3:

        def three(out: list[Any], lanes: list[int], columns: list[list[Any]]) -> None:
            call = function
            reporter = undefined
            a = columns[0]
            b = columns[1]
            c = columns[2]
            for lane in lanes:
                reporter.lane = lane
                out[lane] = call(a[lane], b[lane], c[lane])

        return three

    def several(out: list[Any], lanes: list[int], columns: list[list[Any]]) -> None:
        call = function
        reporter = undefined
        for lane in lanes:
            reporter.lane = lane
            out[lane] = call(*[column[lane] for column in columns])

    return several


def over_components(function: Function, result: Shape, operands: list[Shape]) -> Function:
    """The function of vectors that works component by component; for results that are pairs, see `over_pairs`."""
    count = result.count
    vectors = [operand.kind == VECTOR_KIND for operand in operands]
    if vectors == [True]:
        if count == 2:
            return lambda a: (function(a[0]), function(a[1]))
        if count == 3:
            return lambda a: (function(a[0]), function(a[1]), function(a[2]))
        if count == 4:
            return lambda a: (function(a[0]), function(a[1]), function(a[2]), function(a[3]))
    if vectors == [True, True]:
        if count == 2:
            return lambda a, b: (function(a[0], b[0]), function(a[1], b[1]))
        if count == 3:
            return lambda a, b: (function(a[0], b[0]), function(a[1], b[1]), function(a[2], b[2]))
        if count == 4:
            return lambda a, b: (
                function(a[0], b[0]),
                function(a[1], b[1]),
                function(a[2], b[2]),
                function(a[3], b[3]),
            )

    def each(*values: Any) -> Any:
        components: list[Any] = []
        for at in range(count):
            parts: list[Any] = []
            for index in range(len(vectors)):
                parts.append(values[index][at] if vectors[index] else values[index])
            components.append(function(*parts))
        return tuple(components)

    return each


def over_pairs(function: Function, member: Shape, operands: list[Shape]) -> Function:
    """A function whose result is a pair, over vectors: the pair of the vector of firsts and that of seconds."""
    each = over_components(function, member, operands)

    def split(*values: Any) -> Any:
        pairs = each(*values)
        return tuple([pair[0] for pair in pairs]), tuple([pair[1] for pair in pairs])

    return split


# --- what only moves values -------------------------------------------------------------------------------------------


def copied(out: list[Any], lanes: list[int], columns: list[list[Any]]) -> None:
    a = columns[0]
    for lane in lanes:
        out[lane] = a[lane]


def select(out: list[Any], lanes: list[int], columns: list[list[Any]]) -> None:
    condition: list[int] = columns[0]
    a = columns[1]
    b = columns[2]
    for lane in lanes:
        out[lane] = a[lane] if condition[lane] else b[lane]


def extract(index: int) -> Column:
    def run(out: list[Any], lanes: list[int], columns: list[list[Any]]) -> None:
        a: list[tuple[Any, ...]] = columns[0]
        at = index
        for lane in lanes:
            out[lane] = a[lane][at]

    return run
