"""Making, taking apart and copying composites, which are tuples.

    CompositeConstruct vec4   (x, y), z, w   ->   (x, y, z, w)      vectors are joined, all else is a member as it is
    CompositeInsert v at 1 2  ((a, b), (c, d, e))   ->   ((a, b), (c, d, v))

Source: SPIR-V 1.6, 3.42.12 Composite Instructions. An index beyond the vector is undefined: reported, gives 0,
changes nothing. The components that a shuffle leaves undefined (0xFFFFFFFF) are 0 and not reported: they are meant to
stay unused.
"""

from collections.abc import Callable
from typing import Any, Final

from reknit.ir import op
from reknit.sim.ops.undefined import Undefined
from reknit.sim.values import VECTOR_KIND, Shape

NO_COMPONENT: Final = 0xFFFFFFFF

Function = Callable[..., Any]


def copy(a: Any) -> Any:
    return a


def construct(result: Shape, operands: list[Shape]) -> Function:
    if result.kind == VECTOR_KIND and any(operand.kind == VECTOR_KIND for operand in operands):
        joined = [operand.kind == VECTOR_KIND for operand in operands]

        def join(*parts: Any) -> Any:
            components: list[Any] = []
            for index in range(len(joined)):
                if joined[index]:
                    components.extend(parts[index])
                else:
                    components.append(parts[index])
            return tuple(components)

        return join
    count = len(operands)
    if count == 1:
        return lambda a: (a,)
    if count == 2:
        return lambda a, b: (a, b)
    if count == 3:
        return lambda a, b, c: (a, b, c)
    if count == 4:
        return lambda a, b, c, d: (a, b, c, d)
    return gather


def gather(*parts: Any) -> Any:
    return tuple(parts)


def extract(path: list[int]) -> Function:
    if len(path) == 1:
        only = path[0]
        return lambda a: a[only]
    if len(path) == 2:
        first = path[0]
        second = path[1]
        return lambda a: a[first][second]

    def walk(a: Any) -> Any:
        for index in path:
            a = a[index]
        return a

    return walk


def insert(path: list[int]) -> Function:
    def rebuild(part: Any, whole: Any) -> Any:
        outer: list[Any] = []
        for index in path:
            outer.append(whole)
            whole = whole[index]
        for depth in range(len(path) - 1, -1, -1):
            around = outer[depth]
            index = path[depth]
            part = (*around[:index], part, *around[index + 1 :])
        return part

    return rebuild


def shuffle(first: Shape, picks: list[int]) -> Function:
    count = first.count

    def pick(a: Any, b: Any) -> Any:
        components: list[Any] = []
        for index in picks:
            if index < count:
                components.append(a[index])
            elif index == NO_COMPONENT:
                components.append(0)
            else:
                components.append(b[index - count])
        return tuple(components)

    return pick


def extract_dynamic(vector: Shape, undefined: Undefined) -> Function:
    count = vector.count

    def take(a: Any, index: int) -> Any:
        if index >= count:
            return undefined.say(f"OpVectorExtractDynamic of component {index} of {count}")
        return a[index]

    return take


def insert_dynamic(vector: Shape, undefined: Undefined) -> Function:
    count = vector.count

    def put(a: Any, component: Any, index: int) -> Any:
        if index >= count:
            undefined.say(f"OpVectorInsertDynamic of component {index} of {count}")
            return a
        return (*a[:index], component, *a[index + 1 :])

    return put


def replicate(count: int) -> Function:
    return lambda a: (a,) * count


def function(
    opcode: int, result: Shape, operands: list[Shape], literals: list[int], undefined: Undefined
) -> Function | None:
    """`literals` are the indices of an extract, insert or shuffle."""
    if opcode == op.CompositeExtract:
        return extract(literals) if literals else copy
    if opcode == op.CompositeConstruct:
        return construct(result, operands)
    if opcode == op.CompositeInsert:
        return insert(literals)
    if opcode == op.VectorShuffle:
        return shuffle(operands[0], literals)
    if opcode == op.VectorExtractDynamic:
        return extract_dynamic(operands[0], undefined)
    if opcode == op.VectorInsertDynamic:
        return insert_dynamic(operands[0], undefined)
    if opcode == op.CopyObject or opcode == op.CopyLogical:
        return copy
    if opcode == op.CompositeConstructReplicateEXT:
        return replicate(result.count)
    return None
