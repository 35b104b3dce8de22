"""What ordinary instructions make of operands that may be anything: one lane's values at a time.

    moved        composites, OpSelect, OpBitcast, copies     each part of the result is a part of an operand
    components   arithmetic, comparisons, conversions        a component is undefined where one of an operand's is,
                                                             unless the others fix it (`fixed`)
    whole        dot products, matrices, packing, lengths    all of the result is, where anything of an operand is

An operation that reports its result as undefined (`ops.undefined`) makes the components so that reported it; where an
operand may be anything already, what is reported of the zeros in its place is left out.
"""

from collections.abc import Callable
from typing import Any, Final

from reknit.ir import glsl, op, traits
from reknit.ir.instr import Instr
from reknit.ir.opcodes import ext_set
from reknit.ir.value import Value
from reknit.sim.ops.columns import Column
from reknit.sim.ops.composite import NO_COMPONENT
from reknit.sim.ops.glsl import glsl_column
from reknit.sim.ops.opencl import opencl_column
from reknit.sim.ops.table import column_function, scalar_function
from reknit.sim.ops.undefined import Undefined
from reknit.sim.shadow.fixed import Fixed, fixed_of, fixed_of_glsl, never, pair_fixed
from reknit.sim.shadow.shapes import count_of, first_source, joined, part_of, source_in
from reknit.sim.shadow.state import Tracker, component
from reknit.sim.values import FLOAT_KIND, MATRIX_KIND, STRUCT_KIND, VECTOR_KIND, Shape
from reknit.sim.wraps import promises

Said = list[tuple[int, str]]
"""What a step reported: the lane, -1 for all, and why its result is undefined."""

Rule = Callable[[list[int], Said], None]
"""Run after a step, for its lanes."""

Combine = Callable[[int, list[Any]], Any]
"""The shadow of the result in a lane, by those of the operands, one of which is not 0."""

Which = Callable[[int, list[Any], Any, int], Any]
"""What of a result is undefined that was reported so: lane, shadows of operands, that by `Combine`, the source."""

PAIRS: Final = (op.IAddCarry, op.ISubBorrow, op.UMulExtended, op.SMulExtended)

WHOLE_GLSL: Final = (
    glsl.Determinant, glsl.MatrixInverse, glsl.Length, glsl.Distance, glsl.Cross, glsl.Normalize, glsl.FaceForward,
    glsl.Reflect, glsl.Refract,
)  # fmt: skip


def rule_of(tracker: Tracker, instr: Instr, values: list[Value], combine: Combine, which: Which) -> Rule:
    def run(lanes: list[int], said: Said) -> None:
        shadows = tracker.shadows
        columns = [shadows.get(value) for value in values]
        if not said and all(column is None for column in columns):
            tracker.clear(instr, lanes)
            return
        messages = by_lane(said, lanes)
        for lane in lanes:
            given = [column[lane] if column is not None else 0 for column in columns]
            shadow: Any = combine(lane, given) if any(part != 0 for part in given) else 0
            message = messages.get(lane)
            if message is not None:
                undefined = which(lane, given, shadow, tracker.source(instr, message))
                if undefined != 0:
                    tracker.report(instr, lane, message)
                    shadow = either(shadow, undefined)
            tracker.set(instr, lane, shadow)

    return run


def by_lane(said: Said, lanes: list[int]) -> dict[int, str]:
    """The first message of each lane."""
    messages: dict[int, str] = {}
    for lane, message in said:
        for each in lanes if lane < 0 else [lane]:
            messages.setdefault(each, message)
    return messages


def either(a: Any, b: Any) -> Any:
    """The shadow of what is undefined by either; values nest a few levels."""
    if isinstance(a, tuple) or isinstance(b, tuple):
        count = len(a) if isinstance(a, tuple) else len(b)
        return joined([either(part_of(a, index), part_of(b, index)) for index in range(count)])
    return a if a else b


def unless_known(lane: int, shadows: list[Any], shadow: Any, number: int) -> Any:
    """All of it; but what was reported of zeros in the place of an undefined operand counts for nothing."""
    return number if shadow == 0 else 0


def always(lane: int, shadows: list[Any], shadow: Any, number: int) -> Any:
    return number


def whole(lane: int, shadows: list[Any]) -> Any:
    return first_source(shadows)


# --- ordinary instructions --------------------------------------------------------------------------------------------


def columns_rule(tracker: Tracker, instr: Instr, code: int, values: list[Value], literals: list[int]) -> Rule:
    """For what `steps.columns_step` executes as `code`."""
    preparation = tracker.preparation
    shapes = [preparation.shape(value) for value in values]
    result = preparation.shape(instr)
    if code == op.VectorShuffle and NO_COMPONENT in literals:
        return incomplete(tracker, instr, values, shapes[0].count, literals)
    moves = moved(tracker, code, result, shapes, values, literals)
    if moves is not None:
        dynamic = code in (op.VectorExtractDynamic, op.VectorInsertDynamic)
        return rule_of(tracker, instr, values, moves, always if dynamic else unless_known)
    columns = [preparation.column(value) for value in values]
    if code in PAIRS:
        return rule_of(tracker, instr, values, pairs(code, result, shapes, columns), unless_known)
    if code == op.VectorTimesScalar:
        return by_components(tracker, instr, values, result, shapes, never, None)
    if traits.SIM.get(code) in ("linear", "dot"):
        return rule_of(tracker, instr, values, whole, unless_known)
    scalars = [shape.component() for shape in shapes]
    function = scalar_function(code, result.component(), scalars, literals, Undefined(_silent))
    fixed = fixed_of(code, scalars, function)

    def alone(undefined: Undefined) -> Column | None:
        return column_function(code, result.component(), scalars, literals, undefined)

    single = None if any(promises(preparation, instr)) else alone
    return by_components(tracker, instr, values, result, shapes, fixed, single)


def by_components(
    tracker: Tracker,
    instr: Instr,
    values: list[Value],
    result: Shape,
    shapes: list[Shape],
    fixed: Fixed,
    alone: Callable[[Undefined], Column | None] | None,
) -> Rule:
    """`alone` gives the operation on scalars, which says of a component whether it is undefined; without it all
    components are where one is."""
    columns = [tracker.preparation.column(value) for value in values]
    vectors = [shape.kind == VECTOR_KIND for shape in shapes]
    many = range(len(columns))
    heard: list[str] = []

    def tell(lane: int, message: str) -> None:
        heard.append(message)

    single = alone(Undefined(tell)) if alone is not None else None

    def one(words: list[int], shadows: list[Any]) -> int:
        anys = [1 if shadow != 0 else 0 for shadow in shadows]
        if not any(anys) or fixed(words, anys):
            return 0
        return first_source(shadows)

    def parts(lane: int, index: int, shadows: list[Any]) -> tuple[list[int], list[Any]]:
        words = [columns[at][lane][index] if vectors[at] else columns[at][lane] for at in many]
        return words, [component(shadows[at], index, vectors[at]) for at in many]

    if result.kind != VECTOR_KIND:
        return rule_of(
            tracker,
            instr,
            values,
            lambda lane, shadows: one([column[lane] for column in columns], shadows),
            unless_known,
        )

    def combine(lane: int, shadows: list[Any]) -> Any:
        return joined([one(*parts(lane, index, shadows)) for index in range(result.count)])

    def which(lane: int, shadows: list[Any], shadow: Any, number: int) -> Any:
        if single is None:
            return unless_known(lane, shadows, shadow, number)
        run: Column = single
        undefined: list[Any] = []
        for index in range(result.count):
            words, given = parts(lane, index, shadows)
            heard.clear()
            if not any(part != 0 for part in given):
                run([0], [0], [[word] for word in words])
            undefined.append(number if heard else 0)
        return joined(undefined)

    return rule_of(tracker, instr, values, combine, which)


def pairs(code: int, result: Shape, shapes: list[Shape], columns: list[list[Any]]) -> Combine:
    """Sums with a carry, differences with a borrow, products of twice the width: a struct of two."""
    vector = shapes[0].kind == VECTOR_KIND
    width = shapes[0].component().width

    def one(words: list[int], shadows: list[Any]) -> tuple[int, int]:
        number = first_source(shadows)
        fixed = pair_fixed(code, width, words, [1 if shadow != 0 else 0 for shadow in shadows])
        return (0 if fixed[0] else number), (0 if fixed[1] else number)

    def combine(lane: int, shadows: list[Any]) -> Any:
        if not vector:
            return joined(list(one([column[lane] for column in columns], shadows)))
        low: list[Any] = []
        high: list[Any] = []
        for index in range(shapes[0].count):
            first, second = one([column[lane][index] for column in columns], [part_of(each, index) for each in shadows])
            low.append(first)
            high.append(second)
        return joined([joined(low), joined(high)])

    return combine


# --- what only moves values -------------------------------------------------------------------------------------------


def moved(
    tracker: Tracker, code: int, result: Shape, shapes: list[Shape], values: list[Value], literals: list[int]
) -> Combine | None:
    """None for what is none of these."""
    columns = [tracker.preparation.column(value) for value in values]
    if code == op.CopyObject or code == op.CopyLogical or (code == op.CompositeExtract and not literals):
        return lambda lane, shadows: shadows[0]
    if code == op.CompositeExtract:
        return lambda lane, shadows: along(shadows[0], literals)
    if code == op.CompositeConstruct:
        return constructed(result, shapes)
    if code == op.CompositeConstructReplicateEXT:
        return lambda lane, shadows: joined([shadows[0]] * result.count)
    if code == op.CompositeInsert:
        return lambda lane, shadows: inserted(shadows[0], shadows[1], shapes[1], literals)
    if code == op.VectorShuffle:
        return lambda lane, shadows: shuffled(shadows, shapes[0].count, literals)
    if code == op.VectorExtractDynamic:
        return lambda lane, shadows: taken(shadows, columns[1][lane], shapes[0].count)
    if code == op.VectorInsertDynamic:
        return lambda lane, shadows: put(shadows, columns[2][lane], shapes[0].count)
    if code == op.Transpose:
        return lambda lane, shadows: transposed(shadows[0], shapes[0])
    if code == op.Bitcast:
        return lambda lane, shadows: cast(shadows[0], shapes[0], result)
    if code == op.Select and shapes[0].kind != VECTOR_KIND:
        return lambda lane, shadows: selected(lane, shadows, columns)
    if code == op.Any or code == op.All:
        return lambda lane, shadows: voted(columns[0][lane], shadows[0], 1 if code == op.Any else 0)
    return None


def along(shadow: Any, path: list[int]) -> Any:
    for index in path:
        shadow = part_of(shadow, index)
    return shadow


def constructed(result: Shape, shapes: list[Shape]) -> Combine:
    """Vectors are joined in a vector; all else is a member as it is."""
    flat = result.kind == VECTOR_KIND

    def combine(lane: int, shadows: list[Any]) -> Any:
        parts: list[Any] = []
        for at in range(len(shapes)):
            if flat and shapes[at].kind == VECTOR_KIND:
                parts.extend([part_of(shadows[at], index) for index in range(shapes[at].count)])
            else:
                parts.append(shadows[at])
        return joined(parts)

    return combine


def inserted(part: Any, into: Any, shape: Shape, path: list[int]) -> Any:
    """`into` with another shadow at a path. Values nest a few levels."""
    if not path:
        return part
    parts = [part_of(into, index) for index in range(count_of(shape))]
    inner = shape.members[path[0]] if shape.kind == STRUCT_KIND else shape.element
    assert inner is not None
    parts[path[0]] = inserted(part, parts[path[0]], inner, path[1:])
    return joined(parts)


def incomplete(tracker: Tracker, instr: Instr, values: list[Value], count: int, picks: list[int]) -> Rule:
    """OpVectorShuffle that leaves components open: "0xFFFFFFFF [...] has no source and is undefined"."""

    def run(lanes: list[int], said: Said) -> None:
        number = tracker.source(instr, "a component without a source")
        columns = [tracker.shadows.get(value) for value in values]
        for lane in lanes:
            given = [column[lane] if column is not None else 0 for column in columns]
            tracker.set(instr, lane, shuffled(given, count, picks, number))

    return run


def shuffled(shadows: list[Any], count: int, picks: list[int], nothing: int = 0) -> Any:
    parts: list[Any] = []
    for index in picks:
        if index == NO_COMPONENT:
            parts.append(nothing)
        else:
            parts.append(part_of(shadows[0], index) if index < count else part_of(shadows[1], index - count))
    return joined(parts)


def taken(shadows: list[Any], index: int, count: int) -> Any:
    """OpVectorExtractDynamic."""
    if shadows[1] != 0:
        return source_in(shadows[1])
    return part_of(shadows[0], index) if index < count else 0


def put(shadows: list[Any], index: int, count: int) -> Any:
    """OpVectorInsertDynamic."""
    if shadows[2] != 0:
        return source_in(shadows[2])
    parts = [part_of(shadows[0], at) for at in range(count)]
    if index < count:
        parts[index] = shadows[1]
    return joined(parts)


def transposed(shadow: Any, matrix: Shape) -> Any:
    if not isinstance(shadow, tuple) or matrix.element is None:
        return shadow
    rows = range(matrix.element.count)
    return joined([joined([part_of(part_of(shadow, at), row) for at in range(matrix.count)]) for row in rows])


def cast(shadow: Any, given: Shape, result: Shape) -> Any:
    """OpBitcast: a component of the result has the bits of some of the operand's."""
    before = max(given.count, 1)
    after = max(result.count, 1) if result.kind == VECTOR_KIND else 1
    before = before if given.kind == VECTOR_KIND else 1
    if not isinstance(shadow, tuple) or before == after:
        return shadow
    parts: list[Any] = []
    for at in range(after):
        low = at * before // after
        high = max((at + 1) * before // after, low + 1)
        parts.append(first_source([part_of(shadow, index) for index in range(low, high)]))
    return joined(parts)


def selected(lane: int, shadows: list[Any], columns: list[list[Any]]) -> Any:
    """OpSelect by one condition."""
    if shadows[0] == 0:
        return shadows[1 if columns[0][lane] else 2]
    return unlike(columns[1][lane], columns[2][lane], either(shadows[1], shadows[2]), source_in(shadows[0]))


def unlike(a: Any, b: Any, shadow: Any, number: int) -> Any:
    """Where two values differ, or one is undefined. Values nest a few levels."""
    if isinstance(a, tuple) and isinstance(b, tuple):
        return joined([unlike(a[at], b[at], part_of(shadow, at), number) for at in range(len(a))])
    return number if shadow != 0 or a != b else 0


def voted(values: Any, shadow: Any, decides: int) -> int:
    """OpAny and OpAll of a vector: one component that is known may decide."""
    for at in range(len(values)):
        if part_of(shadow, at) == 0 and (1 if values[at] else 0) == decides:
            return 0
    return source_in(shadow)


# --- extended instructions --------------------------------------------------------------------------------------------


def extended_rule(tracker: Tracker, instr: Instr, values: list[Value]) -> Rule:
    """OpExtInst that gives a value, of GLSL.std.450 or OpenCL.std. Of a pair, both halves."""
    preparation = tracker.preparation
    set_name = instr.instr(0).text(0)
    number = instr.word(1)
    shapes = [preparation.shape(value) for value in values]
    result = preparation.shape(instr)
    scalars = [shape.component() for shape in shapes]
    aligned = all(shape.kind != VECTOR_KIND or shape.count == result.count for shape in shapes)
    same = result.kind == VECTOR_KIND or all(shape.kind != VECTOR_KIND for shape in shapes)
    plain = result.is_scalar() or any(shape.kind == VECTOR_KIND for shape in shapes)
    if set_name == "GLSL.std.450":
        if not (aligned and same and plain) or number in WHOLE_GLSL or any(each.kind == MATRIX_KIND for each in shapes):
            return rule_of(tracker, instr, values, whole, unless_known)

        def alone(undefined: Undefined) -> Column | None:
            return glsl_column(number, result.component(), scalars, undefined)

        return by_components(tracker, instr, values, result, shapes, fixed_of_glsl(number, scalars), alone)
    known = ext_set(set_name)
    row = known.by_number.get(number) if known is not None else None
    name = row.name if row is not None else ""
    if not (aligned and same and plain) or any(shape.component().kind == FLOAT_KIND for shape in shapes):
        return rule_of(tracker, instr, values, whole, unless_known)

    def opencl(undefined: Undefined) -> Column | None:
        return opencl_column(name, result.component(), scalars, undefined)

    return by_components(tracker, instr, values, result, shapes, fixed_of(0, scalars, None), opencl)


def _silent(lane: int, message: str) -> None:
    """Asked about a component; the step itself has reported it."""
