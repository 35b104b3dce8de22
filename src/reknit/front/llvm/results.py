"""What an LLVM value becomes: a value of ours, or something that only exists while reading.

    i32 %x           Value              { i32, i1 } %pair      Pieces [Value, Value]
    ptr %p           Pointer: a root object, and how many bytes into it       %dx.types.Handle   Handle: a resource
    ptr %q           Anywhere: one of several objects; which, and how many bytes into it, are values
    target("spirv.Image", ...) %im      Opaque: a descriptor, which functions read and write
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
    """`constant` bytes into `root`, and each value of `terms` times its factor in bytes. `place` is which descriptor of
    an array of buffers, `uneven` if invocations have different ones."""

    __slots__ = ("root", "terms", "constant", "place", "uneven")

    def __init__(
        self,
        root: Root,
        terms: list[tuple[Value, int]],
        constant: int,
        place: Value | None = None,
        uneven: bool = False,
    ) -> None:
        self.root = root
        self.terms = terms
        self.constant = constant
        self.place = place
        self.uneven = uneven


@final
class Anywhere:
    """`offset` bytes into that one of `roots` whose number (`Points.number`) is `which`; 0 is that of no object."""

    __slots__ = ("roots", "which", "offset")

    def __init__(self, roots: list[Root], which: Value, offset: Value) -> None:
        self.roots = roots
        self.which = which
        self.offset = offset


Address = Pointer | Anywhere


@final
class Handle:
    """A register of a resource; or, of one that is an array of descriptors, the one at `place`, where `uneven` says
    that invocations may have different ones."""

    __slots__ = ("resource", "register", "place", "uneven")

    def __init__(self, resource: Resource, register: int, place: Value | None = None, uneven: bool = False) -> None:
        self.resource = resource
        self.register = register
        self.place = place
        self.uneven = uneven


@final
class Opaque:
    """An image or sampler that a kernel is given, in a set and binding. Of a sampler that the kernel's text describes
    it is known whether it is `linear`, and whether its coordinates count `texels`. An image has a resource for each
    way it is asked in: OpenCL's have no component type. `format` is where the words of its channels lie."""

    __slots__ = ("name", "set", "binding", "linear", "texels", "resources", "format")

    def __init__(self, name: str, set: int, binding: int) -> None:
        self.name = name
        self.set = set
        self.binding = binding
        self.linear = False
        self.texels = False
        self.resources: dict[tuple[int, int, int], Resource] = {}  # by class, shape and component
        self.format: tuple[int, int] | None = None


Result = Value | Pieces | Pointer | Anywhere | Handle | Opaque | None
