"""OpenCL's copies between global and shared memory that a whole workgroup makes.

    e = async_work_group_copy(dst, src, n, e0)      for (i = LocalInvocationIndex; i < n; i += size of the workgroup)
                                                        dst[i] = src[i]
    wait_group_events(1, &e)                        OpControlBarrier

All invocations reach both (OpenCL C 3.0, 6.15.11), and what is copied is defined after the wait: an event is a
null pointer here. With a stride, what lies in global memory is that far apart.
"""

import re
from typing import Final

from reknit.front.llvm import subgroups, syntax
from reknit.front.llvm.access import moved
from reknit.front.llvm.places import at_each
from reknit.front.llvm.results import Anywhere, Pointer, Result
from reknit.front.llvm.state import Lowering
from reknit.front.llvm.syntax import Operand, Statement, Type
from reknit.front.llvm.unsupported import Refusal
from reknit.front.llvm.wide import load_flat, store_flat
from reknit.ir import enums, op
from reknit.ir.block import Block
from reknit.ir.edit import append, set_jump
from reknit.ir.instr import Instr
from reknit.ir.instr import Operand as Word
from reknit.ir.jump import Branch
from reknit.ir.value import Value
from reknit.source.digits import saturated

_COPIES: Final = {"async_work_group_copy": 4, "async_work_group_strided_copy": 5}
_WAIT: Final = "wait_group_events"
_PREFETCH: Final = "prefetch"
_ELEMENT: Final = re.compile(r"P(?:U3AS\d)?V?K?(?:Dv(\d+)_)?(Dh|[a-z])")
_WIDTHS: Final = {"a": 8, "c": 8, "h": 8, "s": 16, "t": 16, "i": 32, "j": 32, "l": 64, "m": 64, "x": 64, "y": 64}
_FLOATS: Final = {"Dh": ("half", 16), "f": ("float", 32), "d": ("double", 64)}
_GLOBAL_SPACE: Final = 1


def is_known(name: str) -> bool:
    return name in _COPIES or name in (_WAIT, _PREFETCH)


def copied_type(name: str, signature: str) -> Type | None:
    """An element of what is copied, by the mangled type of the first pointer."""
    match = _ELEMENT.match(signature) if name in _COPIES else None
    if match is None or match[2] not in (*_WIDTHS, *_FLOATS):
        return None
    if match[2] in _FLOATS:
        kind, width = _FLOATS[match[2]]
        element = Type(syntax.FLOAT, kind, width)
    else:
        element = Type(syntax.INT, f"i{_WIDTHS[match[2]]}", _WIDTHS[match[2]])
    if not match[1]:
        return element
    return Type(syntax.VECTOR, f"<{match[1]} x {element.name}>", 0, saturated(match[1]), [element])


def accesses(name: str, signature: str, statement: Statement) -> list[tuple[Operand, Type]]:
    type = copied_type(name, signature)
    return [] if type is None else [(operand, type) for operand in statement.operands[:2]]


def group_call(lowering: Lowering, statement: Statement, name: str, signature: str) -> Result:
    """What a function gives that `is_known`. Raises Refusal."""
    target = lowering.target
    if name == _PREFETCH:
        return None
    if name == _WAIT:
        subgroups.barrier(target)
        return None
    type = copied_type(name, signature)
    if type is None or len(statement.operands) != _COPIES[name]:
        raise Refusal(f"calls @{statement.callee}, which is not read here")
    to, of = [lowering.place(operand) for operand in statement.operands[:2]]
    count = lowering.distance(statement.operands[2])
    strides: list[Value | None] = [None, None]
    if name == "async_work_group_strided_copy":
        in_global = [operand.type.count == _GLOBAL_SPACE for operand in statement.operands[:2]]
        if in_global[0] == in_global[1]:
            raise Refusal("copies with a stride between what are not global and shared memory")
        strides[0 if in_global[0] else 1] = lowering.distance(statement.operands[3])
    size = lowering.scene.layout.size(type)
    sizes = lowering.scene.size
    before = target.block
    first = target.input(enums.BuiltInLocalInvocationIndex, 1, "gl_LocalInvocationIndex")
    header, body, after = [lowering.new_block(f"copy.{part}") for part in ("test", "body", "end")]
    _go(before, header)
    index = append(header, Instr(op.Phi, target.u32, []))
    target.block = header
    more = target.emit(op.ULessThan, target.boolean, [index, count])
    words: list[Word] = [more, body, after]
    set_jump(header, Branch(Instr(op.BranchConditional, None, words, "", False)))
    target.block = body
    steps = [index if stride is None else target.emit(op.IMul, target.u32, [index, stride]) for stride in strides]

    def take(pointer: Pointer) -> list[Value]:
        return load_flat(lowering, pointer, type)

    values = at_each(lowering, moved(target, of, steps[1], size), take)

    def put(pointer: Pointer) -> list[Value]:
        store_flat(lowering, pointer, type, values)
        return []

    at_each(lowering, moved(target, to, steps[0], size), put)
    following = target.emit(op.IAdd, target.u32, [index, target.word(sizes[0] * sizes[1] * sizes[2])])
    _go(target.block, header)
    index.set_operands([first, before, following, target.block])
    target.block = after
    return Anywhere([], target.word(0), target.word(0))


def _go(block: Block, header: Block) -> None:
    set_jump(block, Branch(Instr(op.Branch, None, [header], "", False)))
