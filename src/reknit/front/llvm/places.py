"""Pointers that are values: which object, and how many bytes into it.

    Anywhere {a, g}, which, offset      load: switch which { a: load a[offset]; g: load g[offset] }, a phi of both
    8 bytes in memory                   the offset, then which          4 bytes: which in the highest byte
    icmp eq %p, %q                      the same object, and the same offset
    ptrtoint                            the bits that memory has of it: a difference within an object is one of offsets
"""

from collections.abc import Callable
from typing import Final

from reknit.front.llvm import syntax
from reknit.front.llvm.access import advanced, bytes_of, load, store
from reknit.front.llvm.memory import Root
from reknit.front.llvm.points import NULL
from reknit.front.llvm.results import Address, Anywhere, Pointer
from reknit.front.llvm.state import Lowering
from reknit.front.llvm.syntax import Type
from reknit.front.llvm.target import Target
from reknit.front.llvm.unsupported import Refusal
from reknit.ir import op
from reknit.ir.edit import append, set_jump
from reknit.ir.instr import Instr, Operand
from reknit.ir.jump import Branch, Exit
from reknit.ir.value import Value

_WORD: Final = Type(syntax.INT, "i32", 32)
_SHORT: Final = 24
_MAX_OBJECTS: Final = 255  # objects that a pointer of four bytes tells apart
NOWHERE: Final = "goes through a pointer that leads to no variable, buffer or shared memory known here"


def which_of(lowering: Lowering, place: Address) -> Value:
    if isinstance(place, Anywhere):
        return place.which
    return lowering.target.word(lowering.scene.points.number(place.root))


def offset_of(target: Target, place: Address) -> Value:
    return place.offset if isinstance(place, Anywhere) else bytes_of(target, place)


def address(roots: list[Root], which: Value, offset: Value) -> Address:
    """A pointer to one of `roots`; where there is one, and it isn't null, that is known."""
    if len(roots) == 1 and roots[0] is not NULL:
        return Pointer(roots[0], [(offset, 1)], 0)
    return Anywhere([root for root in roots if root is not NULL], which, offset)


def at_each(lowering: Lowering, place: Address, make: Callable[[Pointer], list[Value]]) -> list[Value]:
    """What `make` gives for the object that the pointer leads into; the block ends in between if that is open."""
    if isinstance(place, Pointer):
        return make(place)
    roots = place.roots
    if not roots:
        raise Refusal(NOWHERE)
    if len(roots) == 1:
        return make(Pointer(roots[0], [(place.offset, 1)], 0))
    target = lowering.target
    start = target.block
    nowhere = lowering.new_block("nowhere")
    words: list[Operand] = [place.which, nowhere]
    set_jump(nowhere, Exit(Instr(op.Unreachable, None, [], "", False)))
    results: list[list[Value]] = []
    ends = []
    for root in roots:
        block = lowering.new_block("at." + (root.name or "variable"))
        words += [lowering.scene.points.number(root), block]
        target.block = block
        results.append(make(Pointer(root, [(place.offset, 1)], 0)))
        ends.append(target.block)
    after = lowering.new_block("after")
    for end in ends:
        set_jump(end, Branch(Instr(op.Branch, None, [after], "", False)))
    set_jump(start, Branch(Instr(op.Switch, None, words, "", False)))
    target.block = after
    values: list[Value] = []
    for index, first in enumerate(results[0]):
        pairs: list[Operand] = []
        for row, end in zip(results, ends, strict=True):
            pairs += [row[index], end]
        assert isinstance(first, Instr) and first.type is not None
        values.append(append(after, Instr(op.Phi, first.type, pairs)))
    return values


# --- in memory, and as numbers ----------------------------------------------------------------------------------------


def words_of(lowering: Lowering, place: Address, size: int) -> list[Value]:
    """The words that memory has of a pointer of `size` bytes."""
    target = lowering.target
    which, offset = which_of(lowering, place), offset_of(target, place)
    if size == 8:
        return [offset, which]
    if size != 4:
        raise Refusal(f"has a pointer of {size} bytes in memory")
    _check_short(lowering)
    high = target.emit(op.ShiftLeftLogical, target.u32, [which, target.word(_SHORT)])
    low = target.emit(op.BitwiseAnd, target.u32, [offset, target.word((1 << _SHORT) - 1)])
    return [target.emit(op.BitwiseOr, target.u32, [high, low])]


def of_words(lowering: Lowering, words: list[Value], roots: list[Root]) -> Address:
    target = lowering.target
    for root in roots:
        lowering.scene.points.number(root)
    if len(words) == 2:
        return address(roots, words[1], words[0])
    _check_short(lowering)
    which = target.emit(op.ShiftRightLogical, target.u32, [words[0], target.word(_SHORT)])
    high = target.emit(op.ShiftLeftLogical, target.u32, [words[0], target.word(32 - _SHORT)])
    return address(roots, which, target.emit(op.ShiftRightArithmetic, target.u32, [high, target.word(32 - _SHORT)]))


def _check_short(lowering: Lowering) -> None:
    if len(lowering.scene.points.numbers) > _MAX_OBJECTS:
        raise Refusal(f"has a pointer of 4 bytes in memory, where more than {_MAX_OBJECTS} objects are pointed to")


def load_pointer(lowering: Lowering, pointer: Pointer, size: int) -> list[Value]:
    target = lowering.target
    return [load(target, advanced(pointer, None, 0, 4 * index), _WORD) for index in range(size // 4)]


def store_words(lowering: Lowering, pointer: Pointer, words: list[Value]) -> None:
    for index, word in enumerate(words):
        store(lowering.target, advanced(pointer, None, 0, 4 * index), _WORD, word)


def as_number(lowering: Lowering, place: Address, size: int, type: Type) -> Value:
    """ptrtoint: the bits that memory has of the pointer, cut off or with zeros above."""
    target = lowering.target
    words = words_of(lowering, place, size)
    wanted = target.type(type)
    if type.width > 32 and len(words) == 2:
        low = target.emit(op.UConvert, target.uint(64), [words[0]])
        high = target.emit(op.UConvert, target.uint(64), [words[1]])
        high = target.emit(op.ShiftLeftLogical, target.uint(64), [high, target.word(32)])
        return target.emit(op.BitwiseOr, target.uint(64), [low, high])
    return words[0] if wanted is target.u32 else target.emit(op.UConvert, wanted, [words[0]])


def of_number(lowering: Lowering, value: Value, width: int, size: int, roots: list[Root]) -> Address:
    """inttoptr."""
    target = lowering.target
    low = value if width == 32 else target.emit(op.UConvert, target.u32, [value])
    if size == 4:
        return of_words(lowering, [low], roots)
    high: Value = target.word(0)
    if width > 32:
        shifted = target.emit(op.ShiftRightLogical, target.uint(64), [value, target.word(32)])
        high = target.emit(op.UConvert, target.u32, [shifted])
    return of_words(lowering, [low, high], roots)


def compared(lowering: Lowering, predicate: str, a: Address, b: Address) -> Value:
    """icmp of pointers: those into different objects are different, and in no order."""
    target = lowering.target
    truths = target.boolean
    known = isinstance(a, Pointer) and isinstance(b, Pointer)
    same_object = known and which_of(lowering, a) is which_of(lowering, b)
    if predicate in ("eq", "ne"):
        if known and not same_object:
            return target.constant(Type(syntax.INT, "i1", 1), int(predicate == "ne"))
        offsets: list[Operand] = [offset_of(target, a), offset_of(target, b)]
        if same_object:
            return target.emit(op.IEqual if predicate == "eq" else op.INotEqual, truths, offsets)
        same = target.emit(op.IEqual, truths, [which_of(lowering, a), which_of(lowering, b)])
        both = target.emit(op.LogicalAnd, truths, [same, target.emit(op.IEqual, truths, offsets)])
        return both if predicate == "eq" else target.emit(op.LogicalNot, truths, [both])
    # signed: a step before the start of an object is below it
    code = {"gt": op.SGreaterThan, "ge": op.SGreaterThanEqual, "lt": op.SLessThan, "le": op.SLessThanEqual}
    return target.emit(code[predicate[1:]], truths, [offset_of(target, a), offset_of(target, b)])
