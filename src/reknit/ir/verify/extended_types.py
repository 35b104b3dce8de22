"""Extended instructions by their signatures (`ir.extended`), on the tree's types.

    ExtInst @glsl FMix %x %y %a : f32      %a is a u32: operand 3, expected f32, the result's type
    ExtInst @debug DebugScope ... : f32    what does nothing gives nothing: the result is void

Pointers, structs and arrays are looked into one level deep, as no signature asks for more.
"""


from reknit.ir import op
from reknit.ir.debug import is_debug, set_of
from reknit.ir.extended import (
    DEPTH,
    FLOAT,
    INT,
    MATRIX,
    NOTHING,
    OPEN,
    OPEN_TYPES,
    OTHER,
    POINTER,
    STRUCT,
    VOID,
    Given,
    Shape,
    Surroundings,
    fault,
    is_judged,
)
from reknit.ir.instr import Instr, Operand
from reknit.ir.module import Module
from reknit.ir.opcodes import FIRST_OWN


def surroundings(module: Module) -> Surroundings:
    """What the module declares that signatures depend on."""
    model = module.memory_model[0].operands if module.memory_model else []
    addressing = model[0] if model and isinstance(model[0], int) else 0
    names = [instr.operands[0] for instr in module.extensions if instr.operands]
    return Surroundings(addressing, [name for name in names if isinstance(name, str)])


def extended_fault(module: Module, instr: Instr) -> str:
    """What is wrong with an extended instruction; "" if nothing is."""
    given = instr.operands[0] if instr.operands else None
    if not isinstance(given, Instr) or given.op != op.ExtInstImport or not given.operands:
        return "operand 1 is not an imported set of instructions"
    name = set_of(instr)
    if is_debug(instr) or name.startswith("NonSemantic."):
        return "" if instr.type is not None and instr.type.op == op.TypeVoid else f"{name}: the result is not void"
    number = instr.operands[1] if len(instr.operands) > 1 else None
    if not is_judged(name) or not isinstance(number, int) or instr.type is None:
        return ""
    operands = [_given(operand) for operand in instr.operands[2:]]
    return fault(name, number, shape_of(instr.type, DEPTH), operands, surroundings(module))


def _given(operand: object) -> Given:
    if isinstance(operand, int):
        return operand
    if isinstance(operand, Instr) and operand.type is not None:
        return shape_of(operand.type, DEPTH)
    return NOTHING


def shape_of(type: Instr, deep: int) -> Shape:
    """A type, with parts to a depth."""
    code = type.op
    parts = type.operands
    if code == op.TypeVoid:
        return Shape(VOID)
    if code == op.TypeInt or code == op.TypeFloat:
        return _scalar(type)
    if code in OPEN_TYPES or code >= FIRST_OWN:
        return Shape(OPEN)
    if code == op.TypeVector and len(parts) == 2:
        return _vector(parts[0], parts[1])
    if code == op.TypeMatrix and len(parts) == 2 and isinstance(parts[0], Instr) and isinstance(parts[1], int):
        inner = parts[0]
        column = _vector(*inner.operands) if inner.op == op.TypeVector and len(inner.operands) == 2 else NOTHING
        shape = Shape(MATRIX, column.width, parts[1])
        shape.parts = [column]
        return shape
    if code == op.TypePointer and len(parts) == 2 and isinstance(parts[0], int):
        return _pointer(parts[0], parts[1:], deep)
    if code == op.TypeUntypedPointerKHR and parts and isinstance(parts[0], int):
        return _pointer(parts[0], [], deep)
    shape = Shape(STRUCT if code == op.TypeStruct else OTHER, 0, len(parts))
    if code == op.TypeStruct or code == op.TypeArray:
        shape.parts = _parts(parts[: 2 if code == op.TypeStruct else 1], deep)
    return shape


def _scalar(type: Instr) -> Shape:
    """A float of another encoding than IEEE 754's, which has one more operand, is no float of a signature's."""
    parts = type.operands
    whole = type.op == op.TypeInt
    if len(parts) != (2 if whole else 1) or not isinstance(parts[0], int):
        return Shape(OTHER)
    shape = Shape(INT if whole else FLOAT, parts[0], 1)
    shape.signed = whole and parts[1] == 1
    return shape


def _vector(element: object, count: object) -> Shape:
    if not isinstance(element, Instr) or element.op not in (op.TypeInt, op.TypeFloat) or not isinstance(count, int):
        return Shape(OTHER)
    shape = _scalar(element)
    if shape.is_numeric():
        shape.count = count
    return shape


def _pointer(storage: int, to: list[Operand], deep: int) -> Shape:
    shape = Shape(POINTER)
    shape.storage = storage
    shape.parts = _parts(to, deep)
    return shape


def _parts(parts: list[Operand], deep: int) -> list[Shape]:
    if deep == 0:
        return []
    return [shape_of(part, deep - 1) if isinstance(part, Instr) else NOTHING for part in parts]
