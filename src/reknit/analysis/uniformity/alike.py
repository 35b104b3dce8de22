"""Values that are one value wherever they are computed.

    if c { x = load %n } else { y = load %n }; phi x, y        %n is a uniform block: whichever arm, the same number

Constants and loads of what nothing writes, and what is computed of them alike. Source: SPIR-V 1.6, "Storage Class".
"""

from typing import Final

from reknit.analysis.decorations import Decorations
from reknit.ir import enums, op, traits
from reknit.ir.instr import Instr
from reknit.ir.types import storage_of
from reknit.ir.value import Value

MAX_DEPTH: Final = 6
_CONSTANT: Final = (enums.StorageClassPushConstant, enums.StorageClassUniformConstant)


def are_alike(first: Value, other: Value, decorations: Decorations, depth: int = 0) -> bool:
    """Whether two values are the same in every invocation."""
    if first is other:
        return True
    if not isinstance(first, Instr) or not isinstance(other, Instr) or depth > MAX_DEPTH:
        return False
    if first.op != other.op or first.type is not other.type or len(first.operands) != len(other.operands):
        return False
    if first.op == op.Load:
        if len(first.operands) > 1 or not _never_changes(first.value(0), decorations):
            return False
    elif first.op not in traits.COMPUTES and first.op not in traits.OBJECT_CHAIN:
        return False
    for mine, theirs in zip(first.operands, other.operands, strict=True):
        if isinstance(mine, Value) and isinstance(theirs, Value):
            if not are_alike(mine, theirs, decorations, depth + 1):
                return False
        elif mine != theirs:
            return False
    return True


def _never_changes(pointer: Value, decorations: Decorations) -> bool:
    """Whether nothing writes what a pointer leads to."""
    root = pointer
    while isinstance(root, Instr) and root.op in traits.OBJECT_CHAIN:
        root = root.value(0)
    if not isinstance(root, Instr) or root.op != op.Variable or root.type is None:
        return False
    storage = storage_of(root.type)
    if storage in _CONSTANT:
        return True
    block = root.type.instr(1)
    while block.op == op.TypeArray or block.op == op.TypeRuntimeArray:
        block = block.instr(0)
    return storage == enums.StorageClassUniform and enums.DecorationBufferBlock not in decorations.of(block)
