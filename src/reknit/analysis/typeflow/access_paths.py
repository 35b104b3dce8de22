"""Pointers as a root and a path of indices.

%p = AccessChain %v, 1, %i        root %v, path [1, -1]         -1: the index isn't known

LOCAL     a variable of the function, or a pointer it was given: followed place by place
CELL      a variable of the module that is the program's own: one set for the whole program
PUBLIC    storage that others can reach: anything may be there
"""

from typing import Final, final

from reknit.ir import enums, op, traits
from reknit.ir.constants import as_int
from reknit.ir.instr import Instr
from reknit.ir.types import storage_of
from reknit.ir.value import Value

LOCAL: Final = 0
CELL: Final = 1
PUBLIC: Final = 2

OWN_STORAGE: Final = (enums.StorageClassPrivate, enums.StorageClassWorkgroup)


@final
class Spot:
    __slots__ = ("kind", "root", "path")

    def __init__(self, kind: int, root: Instr, path: list[int]) -> None:
        self.kind = kind
        self.root = root
        self.path = path


def spot_of(pointer: Value) -> Spot:
    """Where a pointer points to."""
    path: list[int] = []
    while isinstance(pointer, Instr):
        if pointer.op in traits.OBJECT_CHAIN:
            indices = [as_int(pointer.value(index)) for index in range(1, len(pointer.operands))]
            path = [index if index is not None else -1 for index in indices] + path
            pointer = pointer.value(0)
        elif pointer.op == op.CopyObject:
            pointer = pointer.value(0)
        else:
            break
    assert isinstance(pointer, Instr)
    storage = storage_of(pointer.type) if pointer.type is not None and pointer.type.op == op.TypePointer else -1
    if pointer.op == op.Variable and storage in OWN_STORAGE:
        return Spot(CELL, pointer, path)
    if pointer.op in (op.Variable, op.FunctionParameter) and storage == enums.StorageClassFunction:
        return Spot(LOCAL, pointer, path)
    return Spot(PUBLIC, pointer, path)


def is_own(type: Instr) -> bool:
    """Whether pointers of a type are into the program's own places, which nothing else has a word in the layout of."""
    return storage_of(type) == enums.StorageClassFunction or storage_of(type) in OWN_STORAGE


def is_public(pointer: Value) -> bool:
    return spot_of(pointer).kind == PUBLIC
