"""Places of opaque objects, which can't be stored to.

    Texel       an element of a texture or typed buffer
    Resource    a buffer, texture or sampler; Tree: a struct or array with some in it, field by field
    Spread      an array of which each element is such an object; FieldOfAll: what is plain in all of them
    Slot        a variable that stands for whatever resource was put in
    Chosen      elements of one array that are put in a slot at different places, by an index in a variable
"""

from reknit.front.slang.builtins import images
from reknit.front.slang.lower.lvalues import Memory, Place
from reknit.front.slang.lower.state import Lowering
from reknit.front.slang.types import ArrayType, ResourceType, StructType, TupleType, Type, VectorType
from reknit.ir import enums, op
from reknit.ir.constants import as_int
from reknit.ir.instr import Instr
from reknit.ir.tree import Region
from reknit.ir.types import storage_of
from reknit.ir.value import Value


class Texel(Place):
    """`resource[coordinates]` of a texture or typed buffer; `kind` is the resource's type."""

    __slots__ = ("resource", "index", "index_type")

    def __init__(self, type: Type, resource: Place, index: Value, index_type: Type) -> None:
        super().__init__(type)
        self.resource = resource
        self.index = index
        self.index_type = index_type

    def load(self, low: Lowering) -> Value:
        return images.read_element(low, self.resource.type, self.resource.load(low), self.index)

    def first(self) -> "Texel":
        """Its first component, which is what atomics work on."""
        type = self.type.element if isinstance(self.type, VectorType) else self.type
        return Texel(type, self.resource, self.index, self.index_type)

    def pointer(self, low: Lowering) -> Value:
        """For atomics."""
        resource = self.resource
        assert isinstance(resource, Resource)
        pointer = low.pointer(enums.StorageClassImage, low.ir_type(self.type))
        image = resource.place(low)
        assert isinstance(image, Instr) and image.type is not None
        images.need_atomic_format(image.type.instr(1))
        index: Value = self.index
        sample: Value = low.word(0)
        if isinstance(resource.type, ResourceType) and "MS" in resource.type.kind:
            index, sample = images.split_last(low, self.index_type, index)
        return low.emit(op.ImageTexelPointer, pointer, [image, index, sample])

    def store(self, low: Lowering, value: Value) -> None:
        images.write_element(low, self.resource.type, self.resource.load(low), self.index, value)


class Resource(Place):
    """`pointer` and `indices` lead to the resource's variable. `load` gives what builtins take: a texture or sampler
    itself, a pointer to a buffer. `counts` are the lengths of an array of arrays, 0 where it has none: its variable is
    an array of all elements in order, as descriptors have no other (Vulkan, VUID-StandaloneSpirv-Uniform-06807)."""

    __slots__ = ("pointer", "indices", "pointee", "loaded", "counts")

    def __init__(
        self, type: Type, pointer: Instr, indices: list[Value], pointee: Instr, loaded: bool, counts: list[int]
    ) -> None:
        super().__init__(type)
        self.pointer = pointer
        self.indices = indices
        self.pointee = pointee  # a resource, of which the variable may be an array
        self.loaded = loaded
        self.counts = counts

    def element(self, low: Lowering, index: Value, type: Type) -> Place:
        return Resource(type, self.pointer, [*self.indices, index], self.pointee, self.loaded, self.counts)

    def load(self, low: Lowering) -> Value:
        pointer = self.place(low)
        return low.emit(op.Load, self.pointee, [pointer]) if self.loaded else pointer

    def place(self, low: Lowering) -> Value:
        if not self.indices:
            return self.pointer
        assert self.pointer.type is not None
        if len(self.indices) < len(self.counts):
            low.refuse(0, f"'{self.type}' has resources in it and can't be used as a value here")
            return self.pointer
        index = self.indices[0]
        for count, inner in zip(self.counts[1:], self.indices[1:], strict=True):
            row = low.emit(op.IMul, low.u32, [word_of(low, index), low.word(count)])
            index = low.emit(op.IAdd, low.u32, [row, word_of(low, inner)])
        pointer = low.pointer(storage_of(self.pointer.type), self.pointee)
        return low.emit(op.AccessChain, pointer, [self.pointer, index])


def word_of(low: Lowering, index: Value) -> Value:
    """An index as a u32."""
    known = as_int(index)
    if known is not None:
        return low.word(known & 0xFFFFFFFF)
    assert isinstance(index, Instr) and index.type is not None
    if index.type is low.u32:
        return index
    return low.emit(op.Bitcast if index.type.operands[0] == 32 else op.UConvert, low.u32, [index])


class Chosen(Resource):
    """An element of an array of resources by what its indices, which are variables, are at the time."""

    __slots__ = ()

    def now(self, low: Lowering) -> Resource:
        indices: list[Value] = [low.emit(op.Load, low.u32, [index]) for index in self.indices]
        return Resource(self.type, self.pointer, indices, self.pointee, self.loaded, self.counts)

    def element(self, low: Lowering, index: Value, type: Type) -> Place:
        return self.now(low).element(low, index, type)

    def place(self, low: Lowering) -> Value:
        return self.now(low).place(low)


class Tree(Place):
    """A struct, tuple or array with resources in it, part by part. An array that is an array of each part of its
    elements (a shader parameter) is `spread`: its parts are those of one element."""

    __slots__ = ("parts",)

    def __init__(self, type: Type, parts: list[Place]) -> None:
        super().__init__(type)
        self.parts = parts

    def field(self, low: Lowering, index: int, type: Type) -> Place:
        return self.parts[index]

    def element(self, low: Lowering, index: Value, type: Type) -> Place:
        known = as_int(index)
        whole = _array_of_all(self.parts) if known is None else None
        if whole is not None:
            indices = [*whole.indices[:-1], index]
            return Resource(type, whole.pointer, indices, whole.pointee, whole.loaded, whole.counts)
        if known is None or known >= len(self.parts):
            low.refuse(0, "an array of resources that isn't a shader parameter takes constant indices only")
            return self.parts[0]
        return self.parts[known]

    def load(self, low: Lowering) -> Value:
        if low.has_resources(self.type):
            low.refuse(0, f"'{self.type}' has resources in it and can't be used as a value here")
            return low.zero(low.u32)
        return low.composite(low.ir_type(self.type), [part.load(low) for part in self.parts])


def _array_of_all(parts: list[Place]) -> Resource | None:
    """The first of them, where they are the elements of an array of resources from the first on, in order."""
    first = settled(parts[0]) if parts else None
    if not isinstance(first, Resource) or not first.indices:
        return None
    for number, part in enumerate(parts):
        place = settled(part)
        if not isinstance(place, Resource) or place.pointer is not first.pointer:
            return None
        if place.indices[:-1] != first.indices[:-1] or as_int(place.indices[-1]) != number:
            return None
    return first


class Spread(Place):
    """An array of structs as an array of each field: `parts` are those, as the fields of one struct."""

    __slots__ = ("inner",)

    def __init__(self, type: Type, inner: Place) -> None:
        super().__init__(type)
        self.inner = inner

    def element(self, low: Lowering, index: Value, type: Type) -> Place:
        return _elements(low, self.inner, index, type)


class FieldOfAll(Place):
    """A plain field of all structs of an array that have resources as well: where an index of the array goes, `path`
    has None."""

    __slots__ = ("base", "path", "rule")

    def __init__(self, type: Type, base: Value, path: list[Value | None], rule: str) -> None:
        super().__init__(type)
        self.base = base
        self.path = path
        self.rule = rule

    def element(self, low: Lowering, index: Value, type: Type) -> Place:
        path = list(self.path)
        path[path.index(None)] = index
        return field_of_all(type, self.base, path, self.rule)


def field_of_all(type: Type, base: Value, path: list[Value | None], rule: str) -> Place:
    """The place where all indices are known: memory."""
    known = [index for index in path if index is not None]
    return Memory(type, base, known, rule) if len(known) == len(path) else FieldOfAll(type, base, path, rule)


def _elements(low: Lowering, place: Place, index: Value, type: Type) -> Place:
    place = settled(place)  # plain fields are in a block that is put in when all parameters are known
    if isinstance(place, Spread):
        return Spread(type, _elements(low, place.inner, index, type))
    if isinstance(place, Tree):
        pairs = zip(place.parts, _fields_in(low, type), strict=True)
        return Tree(place.type, [_elements(low, part, index, own) for part, own in pairs])
    return place.element(low, index, type)


def _fields_in(low: Lowering, type: Type) -> list[Type]:
    """The types of a struct's fields; of an array of structs arrays of those."""
    if isinstance(type, ArrayType):
        return [ArrayType(field, type.count) for field in _fields_in(low, type.element)]
    return low.field_types(type) if isinstance(type, (StructType, TupleType)) else []


class Slot(Place):
    """A variable of a resource type: the resource itself, put in once, or elements of one array `times` times. In the
    `region` that it is declared in, each use is behind the last one that was put in."""

    __slots__ = ("current", "times", "region")

    def __init__(self, type: Type) -> None:
        super().__init__(type)
        self.current: Place | None = None
        self.times = 0
        self.region: Region | None = None


def settled(place: Place) -> Place:
    """What a chain of slots stands for."""
    while isinstance(place, Slot) and place.current is not None:
        place = place.current
    return place
