"""Parts of vectors and aggregates: extractvalue, insertvalue, extractelement, insertelement, shufflevector.

    extractelement <4 x i32> %v, i32 %i        VectorExtractDynamic
    extractelement <8 x i32> %v, i32 %i        a Select for each part: the vector is Pieces
"""

from reknit.front.llvm import syntax
from reknit.front.llvm.memory import Root
from reknit.front.llvm.parts import is_wide
from reknit.front.llvm.places import address, offset_of, which_of
from reknit.front.llvm.results import Address, Anywhere, Pieces, Pointer, Result
from reknit.front.llvm.state import Lowering
from reknit.front.llvm.syntax import Statement
from reknit.front.llvm.unsupported import Refusal
from reknit.front.llvm.wide import parts_of, whole_of
from reknit.ir import op
from reknit.ir.instr import Instr
from reknit.ir.types import vector_type
from reknit.ir.value import Value


def composite(lowering: Lowering, statement: Statement) -> Result:
    """Raises Refusal, too for what is no instruction known here."""
    target = lowering.target
    if statement.op in ("extractvalue", "insertvalue"):
        whole = lowering.result(statement.operands[0])
        if statement.op == "extractvalue":
            return _extracted(lowering, statement, whole)
        return _inserted(whole, statement.literals, lowering.result(statement.operands[1]))
    if statement.op == "shufflevector" and any(is_wide(type) for type in (statement.type, statement.operands[0].type)):
        return _shuffled(lowering, statement)
    if is_wide(statement.operands[0].type):
        return _element(lowering, statement)
    ir_type = lowering.type(statement)
    vector = lowering.value(statement.operands[0])
    if statement.op == "extractelement":
        if statement.operands[1].kind == syntax.NUMBER:
            return target.emit(op.CompositeExtract, ir_type, [vector, statement.operands[1].number])
        return target.emit(op.VectorExtractDynamic, ir_type, [vector, lowering.value(statement.operands[1])])
    if statement.op == "insertelement":
        part = lowering.value(statement.operands[1])
        if statement.operands[2].kind == syntax.NUMBER:
            return target.emit(op.CompositeInsert, ir_type, [part, vector, statement.operands[2].number])
        return target.emit(op.VectorInsertDynamic, ir_type, [vector, part, lowering.value(statement.operands[2])])
    if statement.op == "shufflevector":
        other = lowering.value(statement.operands[1])
        picks = _picks(statement)
        return target.emit(op.VectorShuffle, vector_type(target.module, ir_type.instr(0), len(picks)),
                           [vector, other, *picks])  # fmt: skip
    raise Refusal(f"is {statement.op!r}, which is not read here")


def _picks(statement: Statement) -> list[int]:
    mask = statement.operands[2]
    picks = [part.number if part.kind == syntax.NUMBER else 0xFFFFFFFF for part in mask.parts]
    return picks or [0 if mask.kind == syntax.ZERO else 0xFFFFFFFF] * statement.type.count


def _extracted(lowering: Lowering, statement: Statement, whole: Result) -> Result:
    for index in statement.literals:
        if not isinstance(whole, Pieces):
            raise Refusal("takes a part of what is no aggregate here")
        whole = whole.items[index]
    return lowering.target.undefined(statement.type) if whole is None else whole


def _inserted(whole: Result, indices: list[int], part: Result) -> Pieces:
    if not isinstance(whole, Pieces):
        raise Refusal("inserts into what is no aggregate here")
    items = list(whole.items)
    first = indices[0]
    items[first] = part if len(indices) == 1 else _inserted(items[first], indices[1:], part)
    return Pieces(items)


def _shuffled(lowering: Lowering, statement: Statement) -> Result:
    parts = [part for operand in statement.operands[:2] for part in parts_of(lowering, operand)]
    element = statement.operands[0].type.parts[0]
    picked = [
        parts[pick] if pick < len(parts) else lowering.target.undefined(element) for pick in _picks(statement)
    ]
    return whole_of(lowering, statement.type, picked)


def _element(lowering: Lowering, statement: Statement) -> Result:
    """extractelement and insertelement, where the index may be a value."""
    target = lowering.target
    whole = lowering.result(statement.operands[0])
    if not isinstance(whole, Pieces):
        raise Refusal("takes a part of what is no aggregate here")
    index = statement.operands[-1]
    part = lowering.result(statement.operands[1]) if statement.op == "insertelement" else None
    if index.kind in (syntax.NUMBER, syntax.ZERO):
        if index.number >= len(whole.items):
            raise Refusal("takes an element beyond the end of its vector")
        if statement.op == "extractelement":
            return whole.items[index.number]
        return Pieces([part if at == index.number else item for at, item in enumerate(whole.items)])
    place = lowering.value(index)
    assert isinstance(place, Instr) and place.type is not None
    items: list[Result] = []
    picked: Value | None = None
    if statement.operands[0].type.parts[0].kind == syntax.PTR:
        return _pointer_element(lowering, statement, whole, place, part)
    for at, item in enumerate(whole.items):
        if not isinstance(item, Value):
            raise Refusal("takes a part of what is no number here")
        here = target.emit(op.IEqual, target.boolean, [place, target.constant(index.type, at)])
        if isinstance(part, Value):
            items.append(target.emit(op.Select, target.type(statement.operands[1].type), [here, part, item]))
        elif picked is None:
            picked = item
        else:
            picked = target.emit(op.Select, lowering.type(statement), [here, item, picked])
    return Pieces(items) if part is not None else picked


def _pointer_element(
    lowering: Lowering, statement: Statement, whole: Pieces, place: Value, part: Result
) -> Result:
    """Of a vector of pointers: which object and how far are chosen like numbers."""
    target = lowering.target
    index = statement.operands[-1]
    roots = lowering.scene.points.of_local(lowering.routine.name, statement.name)
    items: list[Result] = []
    which: Value = target.word(0)
    offset: Value = target.word(0)
    for at, item in enumerate(whole.items):
        if not isinstance(item, Pointer | Anywhere):
            raise Refusal("takes an element of a vector of what are no pointers known here")
        here = target.emit(op.IEqual, target.boolean, [place, target.constant(index.type, at)])
        if isinstance(part, Pointer | Anywhere):
            items.append(_either(lowering, here, part, item, roots))
        else:
            which = target.emit(op.Select, target.u32, [here, which_of(lowering, item), which])
            offset = target.emit(op.Select, target.u32, [here, offset_of(target, item), offset])
    return Pieces(items) if part is not None else address(roots, which, offset)


def _either(lowering: Lowering, condition: Value, yes: Address, no: Address, roots: list[Root]) -> Address:
    target = lowering.target
    which = target.emit(op.Select, target.u32, [condition, which_of(lowering, yes), which_of(lowering, no)])
    offsets = [offset_of(target, place) for place in (yes, no)]
    return address(roots, which, target.emit(op.Select, target.u32, [condition, *offsets]))
