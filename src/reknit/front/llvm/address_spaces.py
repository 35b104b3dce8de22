"""to_global, to_local, to_private: a generic pointer as one into the memory that the name says, or null.

    __to_local(%p), %p leads into shared memory       %p
    __to_local(%p), %p leads into a buffer            null
    __to_local(%p), open                              %p where it is one of the objects in shared memory, else null

Source: OpenCL C 3.0, 6.15.13 (address space qualifier functions).
"""

from typing import Final

from reknit.front.llvm.places import address
from reknit.front.llvm.points import NULL, TO_SPACE
from reknit.front.llvm.results import Anywhere, Pointer, Result
from reknit.front.llvm.state import Lowering
from reknit.front.llvm.syntax import Statement
from reknit.ir import enums, op
from reknit.ir.value import Value

FUNCTIONS: Final = TO_SPACE
_STORAGE: Final = {
    "__to_global": (enums.StorageClassStorageBuffer,), "__to_local": (enums.StorageClassWorkgroup,),
    "__to_private": (enums.StorageClassFunction, enums.StorageClassPrivate),
}  # fmt: skip


def converted(lowering: Lowering, statement: Statement, name: str) -> Result:
    """Raises Refusal."""
    target = lowering.target
    zero = target.word(0)
    place = lowering.place(statement.operands[0])
    roots = [place.root] if isinstance(place, Pointer) else place.roots
    inside = [root for root in roots if root.storage in _STORAGE[name]]
    if not inside:
        return Anywhere([], zero, zero)
    if isinstance(place, Pointer) or len(inside) == len(roots):
        return place
    truth: Value | None = None
    for root in inside:
        number = target.word(lowering.scene.points.number(root))
        here = target.emit(op.IEqual, target.boolean, [place.which, number])
        truth = here if truth is None else target.emit(op.LogicalOr, target.boolean, [truth, here])
    assert truth is not None
    which, offset = [target.emit(op.Select, target.u32, [truth, part, zero]) for part in (place.which, place.offset)]
    return address([*inside, NULL], which, offset)
