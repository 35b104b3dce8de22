"""Operands of what computes: values, whose kind and size go with the result's.

    ConvertSToF      "f:i"         a float of as many components as the integer
    ShiftLeftLogical "i=:i=,i"     operand 1 has the result's width and size, operand 2 its size
    GroupNonUniformAllEqual "b.:i.,x*"      one bool; a scope and anything

tools/ops.toml has the pattern of an opcode, or the function of this file that judges it. A letter is a kind: i integer,
f float, b bool, x any of them; of operands, what follows says what else must hold: nothing the result's component
count, `=` width and count of the result, `~` those of the operand before, `.` a scalar, `*` any count, `^` a vector; a
trailing `?` may be missing. Literals don't count as operands. Values that are neither scalars nor vectors of these are
left to spirv-val, but where a composite is made of its parts.

Source: SPIR-V 1.6, 3.52.
"""

from collections.abc import Callable
from typing import Final

from reknit.ir import op, traits
from reknit.ir.function import Function
from reknit.ir.instr import Instr
from reknit.ir.opcodes import FIRST_OWN, FIRST_VALUE, LAST_VALUE
from reknit.ir.value import Value

KINDS: Final = {"i": (op.TypeInt,), "f": (op.TypeFloat,), "b": (op.TypeBool,), "x": tuple(traits.SCALAR_TYPE)}

PASSES_ON: Final = (op.Select, op.CopyObject, op.CompositeConstruct, op.CompositeInsert)
"""Functions and types too, where there is dynamic dispatch: each operand is compared with a type of the result's."""


def shape_fault(instr: Instr) -> str:
    """What is wrong with the operands of one instruction; "" if nothing is."""
    code = instr.op
    shape = traits.SHAPE.get(code, "")
    if code not in PASSES_ON and (FIRST_VALUE <= code <= LAST_VALUE or ":" in shape):
        fault = _values(instr, 0)
        if fault:
            return fault
    if instr.type is None:
        return ""
    if ":" in shape:
        return _pattern(instr, instr.type, shape)
    judge = _JUDGES.get(shape)
    return judge(instr, instr.type) if judge is not None else ""


def _type(value: object) -> Instr | None:
    return value.type if isinstance(value, (Instr, Function)) else None


def _values(instr: Instr, first: int) -> str:
    """Whether the ids from operand `first` on are of values."""
    for index in range(first, len(instr.operands)):
        operand = instr.operands[index]
        type = _type(operand)
        none = type is None or type.op == op.TypeVoid or isinstance(operand, Function)
        if isinstance(operand, Value) and none:
            return f"operand {index + 1} is not a value"
    return ""


# Scalars and vectors as (kind, width, count).

_Numeric = tuple[int, int, int]


def _numeric(type: Instr | None) -> _Numeric | None:
    """None for what is neither a scalar nor a vector of numbers or bools, of plain encoding."""
    count = 1
    if type is not None and type.op == op.TypeVector and len(type.operands) == 2:
        size = type.operands[1]
        element = type.operands[0]
        if not isinstance(size, int) or not isinstance(element, Instr):
            return None
        count = size
        type = element
    if type is None or type.op not in traits.SCALAR_TYPE:
        return None
    width = type.operands[0] if type.operands else 1
    plain = type.op == op.TypeInt or len(type.operands) <= 1  # a float of another encoding has a second operand
    return (type.op, width, count) if isinstance(width, int) and plain else None


def _pattern(instr: Instr, type: Instr, pattern: str) -> str:
    result, _, rest = pattern.partition(":")
    shape = _numeric(type)
    if shape is None:
        return ""
    if shape[0] not in KINDS[result[0]]:
        return f"the result is not {_WORDS[result[0]]}"
    if result.endswith(".") and shape[2] != 1:
        return "the result is not a scalar"
    given = [operand for operand in instr.operands if isinstance(operand, Value)]
    before = shape
    for index, wanted in enumerate(rest.split(",")):
        if index >= len(given):
            return "" if wanted.endswith("?") else f"operand {index + 1} is missing"
        numeric = _numeric(_type(given[index]))
        if numeric is None:
            return f"operand {index + 1} is neither a scalar nor a vector" if _is_composite(_type(given[index])) else ""
        fault = _unlike(numeric, wanted, shape, before)
        if fault:
            return f"operand {index + 1} {fault}"
        before = numeric
    return ""


_WORDS: Final = {"i": "an integer", "f": "a float", "b": "a bool", "x": "a number or a bool"}


def _unlike(numeric: _Numeric, wanted: str, result: _Numeric, before: _Numeric) -> str:
    """Why an operand is not what a pattern has at its place."""
    kind = wanted[0]
    if numeric[0] not in KINDS[kind] or (kind == "x" and wanted.endswith("=") and numeric[0] != result[0]):
        return f"is not {_WORDS[kind]}" if kind != "x" else "is not of the result's kind"
    if wanted.endswith(".") and numeric[2] != 1:
        return "is not a scalar"
    if wanted.endswith("^") and numeric[2] == 1:
        return "is not a vector"
    if wanted.endswith("=") and numeric[1:] != result[1:]:
        return "differs in width or size from the result"
    if wanted.endswith("~") and numeric[1:] != before[1:]:
        return "differs in width or size from the operand before it"
    if len(wanted) == 1 and numeric[2] != result[2]:
        return "differs in size from the result"
    return ""


def _is_composite(type: Instr | None) -> bool:
    return type is not None and type.op in (op.TypeStruct, op.TypeArray, op.TypeMatrix)


# What is made of parts.


def _parts(instr: Instr, type: Instr) -> str:
    """Whether the constituents are the parts of a composite."""
    given = [_type(operand) for operand in instr.operands]
    if type.op == op.TypeStruct:
        wanted: list[object] = list(type.operands)
    elif type.op == op.TypeMatrix and len(type.operands) == 2 and isinstance(type.operands[1], int):
        wanted = [type.operands[0]] * min(type.operands[1], len(given) + 1)
    elif type.op == op.TypeArray and len(type.operands) == 2:
        return _elements(given, type.operands[0])
    elif type.op == op.TypeVector:
        return _components(type, given)
    else:
        return ""
    if len(given) != len(wanted):
        return f"it has {len(given)} constituents, which are not the parts of its type"
    for index, part in enumerate(wanted):
        own = isinstance(part, Instr) and part.op >= FIRST_OWN
        if given[index] is not part and not own:
            return f"constituent {index + 1} is not of its part's type"
    return ""


def _elements(given: list[Instr | None], element: object) -> str:
    """Of an array, whose length a specialization constant may tell."""
    for index, type in enumerate(given):
        if type is not element and not (isinstance(element, Instr) and element.op >= FIRST_OWN):
            return f"constituent {index + 1} is not of the element's type"
    return ""


def _components(type: Instr, given: list[Instr | None]) -> str:
    """Of a vector: scalars and, but for constants, vectors of its component type."""
    shape = _numeric(type)
    if shape is None:
        return ""
    count = 0
    for index, part in enumerate(given):
        numeric = _numeric(part)
        if numeric is None or numeric[:2] != shape[:2]:
            return f"constituent {index + 1} is not of the component's type"
        count += numeric[2]
    return "" if count == shape[2] else f"its constituents have {count} components, and its type {shape[2]}"


def _shuffle(instr: Instr, type: Instr) -> str:
    vectors = [type, *[_type(operand) for operand in instr.operands[:2]]]
    components: list[object] = []
    counts: list[int] = []
    for vector in vectors:
        if vector is not None and vector.op == op.TypeVectorIdEXT:
            return ""  # how many there are may be a specialization constant
        count = vector.operands[1] if vector is not None and vector.op == op.TypeVector else None
        if vector is None or not isinstance(count, int):
            return "its operands are not vectors"
        components.append(vector.operands[0])
        counts.append(count)
    if components[1] is not components[0] or components[2] is not components[0]:
        return "its operands and the result differ in the component's type"
    picks = instr.operands[2:]
    if len(picks) != counts[0]:
        return f"it picks {len(picks)} components, and the result has {counts[0]}"
    for pick in picks:
        if not isinstance(pick, int) or (pick >= counts[1] + counts[2] and pick != 0xFFFFFFFF):
            return f"its operands have no component {pick}"
    return ""


def _choice(instr: Instr, type: Instr) -> str:
    """One condition for the whole, or of a vector one a component."""
    condition = _numeric(_type(instr.operands[0])) if instr.operands else None
    if condition is None or condition[2] == 1:
        return ""
    result = _numeric(type)
    return "" if result is not None and result[2] == condition[2] else "the condition differs in size from the result"


def _bits(instr: Instr, type: Instr) -> str:
    result = _numeric(type)
    numeric = _numeric(_type(instr.operands[0])) if instr.operands else None
    if result is None or numeric is None:
        return ""
    return "" if result[1] * result[2] == numeric[1] * numeric[2] else "the operand has another number of bits"


def _carry(instr: Instr, type: Instr) -> str:
    """A struct of two that are like the operands."""
    if type.op != op.TypeStruct or len(type.operands) != 2 or type.operands[0] is not type.operands[1]:
        return "the result is not a struct of two members of one type"
    for index, operand in enumerate(instr.operands):
        if _type(operand) is not type.operands[0]:
            return f"operand {index + 1} is not of the members' type"
    return ""


# Matrices as (rows, columns, width); a vector of n numbers is (n, 1), a scalar (1, 1).


def _size(type: Instr | None) -> tuple[int, int, int] | None:
    columns = 1
    if type is not None and type.op == op.TypeMatrix and len(type.operands) == 2:
        count = type.operands[1]
        column = type.operands[0]
        if not isinstance(count, int) or not isinstance(column, Instr):
            return None
        columns = count
        type = column
    shape = _numeric(type)
    return (shape[2], columns, shape[1]) if shape is not None and shape[0] == op.TypeFloat else None


def _matrices(instr: Instr, type: Instr) -> str:
    sizes = [_size(type), *[_size(_type(operand)) for operand in instr.operands]]
    whole = [size for size in sizes if size is not None]
    if type.op not in (op.TypeMatrix, op.TypeVector):
        return ""  # a cooperative matrix
    if len(whole) != len(sizes) or len({size[2] for size in whole}) > 1:
        return "its operands are not matrices, vectors and scalars of one float type"
    shapes = [(size[0], size[1]) for size in whole]
    return "" if _multiplies(instr.op, shapes) else "the sizes of its operands and the result don't go together"


def _multiplies(code: int, shapes: list[tuple[int, int]]) -> bool:
    """By (rows, columns) of the result and of the operands."""
    result, a = shapes[0], shapes[1]
    if code == op.Transpose:
        return result == (a[1], a[0])
    if len(shapes) != 3:
        return False
    b = shapes[2]
    if code == op.MatrixTimesScalar:
        return result == a and b == (1, 1)
    if code == op.OuterProduct:
        return result == (a[0], b[0]) and a[1] == b[1] == 1
    if code == op.VectorTimesMatrix:
        return a[1] == 1 and a[0] == b[0] and result == (b[1], 1)
    return a[1] == b[0] and result == (a[0], b[1])


_JUDGES: Final[dict[str, Callable[[Instr, Instr], str]]] = {
    "parts": _parts, "shuffle": _shuffle, "matrices": _matrices, "carry": _carry, "bits": _bits, "choice": _choice,
}  # fmt: skip
