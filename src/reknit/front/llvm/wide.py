"""Aggregates, and vectors that SPIR-V's shaders don't have, part by part.

    add <8 x i32> %a, %b        eight IAdds; %a is Pieces, its fifth part is named %a\\0 4
    load %struct.S, ptr %p      a load of each scalar, at its place
    bitcast <8 x i16> to <4 x i32>      pairs of parts put together
"""

from collections.abc import Callable
from typing import Final

from reknit.front.llvm import syntax
from reknit.front.llvm.access import advanced, apart, load, store, together
from reknit.front.llvm.bits import scalar
from reknit.front.llvm.layout import Layout
from reknit.front.llvm.parts import MAX_PARTS, count_of, is_wide, part_of, part_type
from reknit.front.llvm.places import load_pointer, of_words, store_words, words_of
from reknit.front.llvm.results import Anywhere, Pieces, Pointer, Result
from reknit.front.llvm.state import Lowering
from reknit.front.llvm.syntax import Operand, Statement, Type
from reknit.front.llvm.unsupported import Refusal
from reknit.ir import op
from reknit.ir.value import Value

PARTWISE: Final = (
    "select", "freeze", "fneg", "phi", "icmp", "fcmp", "add", "sub", "mul", "udiv", "sdiv", "urem", "srem", "shl",
    "lshr", "ashr", "and", "or", "xor", "fadd", "fsub", "fmul", "fdiv", "frem", "zext", "sext", "trunc", "fptoui",
    "fptosi", "uitofp", "sitofp", "fpext", "fptrunc", "bitcast", "addrspacecast", "ptrtoint", "inttoptr", "call",
    "getelementptr",
)  # fmt: skip


def by_parts(lowering: Lowering, statement: Statement, lower: Callable[[Lowering, Statement], Result]) -> Result:
    """What a statement gives that works on each part alone."""
    type = statement.type
    if statement.op == "bitcast" and (not is_wide(type) or count_of(type) != count_of(statement.operands[0].type)):
        return _recast(lowering, statement)
    if count_of(type) > MAX_PARTS:
        raise Refusal(f"works on all of a {type.name}")
    items: list[Result] = []
    for index in range(count_of(type)):
        part = Statement(statement.op, "", statement.line, part_type(type, index))
        part.operands = [part_of(operand, index) for operand in statement.operands]
        part.words = statement.words
        part.blocks = statement.blocks
        part.callee = statement.callee
        part.source = statement.source
        part.origin = statement
        if statement.name:
            part.name = f"{statement.name}\0{index}"
        items.append(lower(lowering, part))
    return Pieces(items)


def parts_of(lowering: Lowering, operand: Operand) -> list[Value]:
    """The components of a vector of any length, or the one scalar."""
    if operand.type.kind != syntax.VECTOR:
        return [lowering.value(operand)]
    if is_wide(operand.type):
        return [lowering.value(part_of(operand, index)) for index in range(operand.type.count)]
    target = lowering.target
    whole = lowering.value(operand)
    element = target.type(operand.type.parts[0])
    return [target.emit(op.CompositeExtract, element, [whole, index]) for index in range(operand.type.count)]


def whole_of(lowering: Lowering, type: Type, parts: list[Value]) -> Result:
    if type.kind != syntax.VECTOR:
        return parts[0]
    if is_wide(type):
        return Pieces([*parts])
    return lowering.target.emit(op.CompositeConstruct, lowering.target.type(type), [*parts])


def _recast(lowering: Lowering, statement: Statement) -> Result:
    """bitcast between vectors of other lengths."""
    target = lowering.target
    source, wanted = scalar(statement.operands[0].type), scalar(statement.type)
    parts = parts_of(lowering, statement.operands[0])
    if source.is_bool() or wanted.is_bool():
        parts = _of_truths(lowering, parts, source, wanted)
    else:
        if source.kind == syntax.FLOAT:
            parts = [target.emit(op.Bitcast, target.uint(source.width), [part]) for part in parts]
        if source.width > wanted.width:
            parts = [small for part in parts for small in apart(target, part, wanted.width, source.width)]
        elif source.width < wanted.width:
            group = wanted.width // source.width
            rows = [parts[at : at + group] for at in range(0, len(parts), group)]
            parts = [together(target, row, source.width, wanted.width) for row in rows]
        if wanted.kind == syntax.FLOAT:
            parts = [target.emit(op.Bitcast, target.float(wanted.width), [part]) for part in parts]
    return whole_of(lowering, statement.type, parts)


def _of_truths(lowering: Lowering, parts: list[Value], source: Type, wanted: Type) -> list[Value]:
    """<8 x i1> as an i8, and back: the first is the lowest bit."""
    target = lowering.target
    if source.is_bool():
        total: Value = target.constant(wanted, 0)
        for index, part in enumerate(parts):
            bit = target.emit(
                op.Select, target.type(wanted), [part, target.constant(wanted, 1 << index), target.constant(wanted, 0)]
            )
            total = target.emit(op.BitwiseOr, target.type(wanted), [total, bit])
        return [total]
    truths: list[Value] = []
    for index in range(source.width):
        bit = target.emit(op.BitwiseAnd, target.type(source), [parts[0], target.constant(source, 1 << index)])
        truths.append(target.emit(op.INotEqual, target.boolean, [bit, target.constant(source, 0)]))
    return truths


# --- memory -----------------------------------------------------------------------------------------------------------


def scalars_of(layout: Layout, type: Type) -> list[tuple[int, Type]]:
    """(byte, type) of each scalar, vector or pointer that an object of the type has; raises Refusal for too many."""
    flat: list[tuple[int, Type]] = []
    work = [(0, type)]
    while work:
        at, inner = work.pop()
        if not is_wide(inner):
            flat.append((at, inner))
            continue
        if len(flat) + len(work) + count_of(inner) > MAX_PARTS:
            raise Refusal(f"accesses all of a {type.name} at once")
        work.extend(
            [(at + layout.part(inner, index)[0], part_type(inner, index)) for index in range(count_of(inner))][::-1]
        )
    return flat


def load_flat(lowering: Lowering, pointer: Pointer, type: Type) -> list[Value]:
    """The values of all scalars, of a pointer its words."""
    layout = lowering.scene.layout
    values: list[Value] = []
    for at, inner in scalars_of(layout, type):
        place = advanced(pointer, None, 0, at)
        if inner.kind == syntax.PTR:
            values += load_pointer(lowering, place, layout.stored(inner))
        else:
            values.append(load(lowering.target, place, inner))
    return values


def store_flat(lowering: Lowering, pointer: Pointer, type: Type, values: list[Value]) -> None:
    layout = lowering.scene.layout
    following = iter(values)
    for at, inner in scalars_of(layout, type):
        place = advanced(pointer, None, 0, at)
        if inner.kind == syntax.PTR:
            store_words(lowering, place, [next(following) for _ in range(layout.stored(inner) // 4)])
        else:
            store(lowering.target, place, inner, next(following))


def gathered(lowering: Lowering, statement: Statement, type: Type, values: list[Value]) -> Result:
    """The Result that the values of `load_flat` are; what pointers lead to is asked of `statement`."""
    following = iter(values)
    roots = lowering.scene.points.of_local(lowering.routine.name, statement.name)

    def build(inner: Type) -> Result:  # types nest a few levels
        if is_wide(inner):
            return Pieces([build(part_type(inner, index)) for index in range(count_of(inner))])
        if inner.kind == syntax.PTR:
            words = [next(following) for _ in range(lowering.scene.layout.stored(inner) // 4)]
            return of_words(lowering, words, roots)
        return next(following)

    return build(type)


def spread(lowering: Lowering, operand: Operand) -> list[Value]:
    """The values that `store_flat` takes of an operand of any type."""
    work = [operand]
    values: list[Value] = []
    while work:
        at = work.pop()
        if is_wide(at.type):
            if count_of(at.type) > MAX_PARTS:
                raise Refusal(f"accesses all of a {operand.type.name} at once")
            work.extend([part_of(at, index) for index in range(count_of(at.type))][::-1])
        elif at.type.kind == syntax.PTR:
            size = lowering.scene.layout.stored(at.type)
            if at.kind == syntax.UNDEF:
                values += [lowering.target.word(0)] * (size // 4)
            else:
                result = lowering.result(at)
                if not isinstance(result, Pointer | Anywhere):
                    raise Refusal("stores what is no pointer known here")
                values += words_of(lowering, result, size)
        else:
            values.append(lowering.value(at))
    return values
