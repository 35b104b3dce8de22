"""What an LLVM value becomes: a value of ours, or something that only exists while reading.

    i32 %x           Value              { i32, i1 } %pair      Pieces [Value, Value]
    ptr %p           Pointer: a root object, and how many bytes into it       %dx.types.Handle   Handle: a resource
"""

from typing import final

from reknit.front.llvm.memory import Root
from reknit.front.llvm.resources import Resource
from reknit.ir.value import Value


@final
class Pieces:
    """The parts of an aggregate; None is undefined."""

    __slots__ = ("items",)

    def __init__(self, items: "list[Result]") -> None:
        self.items = items


@final
class Pointer:
    """`constant` bytes into `root`, and each value of `terms` times its factor in bytes."""

    __slots__ = ("root", "terms", "constant")

    def __init__(self, root: Root, terms: list[tuple[Value, int]], constant: int) -> None:
        self.root = root
        self.terms = terms
        self.constant = constant


@final
class Handle:
    """A register of a resource."""

    __slots__ = ("resource", "register")

    def __init__(self, resource: Resource, register: int) -> None:
        self.resource = resource
        self.register = register


Result = Value | Pieces | Pointer | Handle | None
