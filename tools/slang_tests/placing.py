"""A test's values put into the buffers of a program.

    set g = { 3, ubuffer(data=[1 2], stride=4) }   ->   g: 3 at the first member's offset     g.rest: 1 2
    set p = ubuffer(data=[1 2])                    ->   0x100000000: 1 2     p, a pointer: 0x100000000

A value behind an interface is what the device's runtime would write: 8 bytes of run-time type information (1: there
is a value), 4 of the number of the conformance, 4 unused, the value's fields.
"""

from typing import Any, final

from reknit.sim.addresses import address_of
from reknit.sim.buffers import words_needed
from reknit.sim.memory import Buffer
from slang_tests.arguments import Malformed
from slang_tests.declared import declared_type, fields_of
from slang_tests.places import Places, Spot, joined, key, steps_of
from slang_tests.textures import image_of, sampler_of, texels_of
from slang_tests.values import Data, Group, Made, Memory, Node, Opaque, Row

HEADER = 4  # words before a value behind an interface
POINTER = 8  # bytes
FIRST, STEP = 1 << 32, 1 << 24  # where memory is that pointers lead to
STRUCTURED = ("StructuredBuffer<", "RWStructuredBuffer<")


@final
class Output:
    """A buffer that is looked at, or memory at an `address`. Both are missing where the program has none such: then it
    stays as it was."""

    __slots__ = ("path", "buffer", "words", "address")

    def __init__(self, path: str, buffer: Buffer | None, words: list[int], address: str = "") -> None:
        self.path = path
        self.buffer = buffer
        self.words = words
        self.address = address


@final
class Placing:
    """`given` is what the run starts with, by buffers' keys; `outputs` are in the order of the test's lines. `where`
    are the addresses of buffers, by their paths."""

    __slots__ = ("places", "source", "numbers", "given", "outputs", "where")

    def __init__(self, places: Places, source: str, numbers: dict[str, int]) -> None:
        self.places = places
        self.source = source
        self.numbers = numbers
        self.given: dict[str, Any] = {}
        self.outputs: list[Output] = []
        self.where: dict[str, int] = {}

    def place_all(self, root: Group) -> None:
        for index, (name, value) in enumerate(root.fields):
            if name:
                self.place(name, value)
            elif not isinstance(value, Opaque):
                spot = self.places.numbered(index)
                if spot is not None:
                    self.store_or_bind(joined(steps_of(spot.buffer.name)), spot, value)

    def place(self, path: str, value: Node) -> None:
        """Values nest as deep as a test's line says."""
        spot = self.places.find(path)
        if isinstance(value, Opaque):
            if value.output:
                raise Malformed(f"TEST_INPUT output {value.kind}")
            self.bind_opaque(path, spot, value)
        elif isinstance(value, Made) and value.type.startswith(STRUCTURED):
            if spot is not None:
                self.store_elements(spot.buffer, value)
        elif isinstance(value, Memory):
            self.bind(path, spot if spot is not None else self.places.only_inside(path), value)
        elif not has_resources(value):
            self.place_bytes(spot, value)
        elif isinstance(value, Made):
            self.place_parts(path, value.content, value.type)
        else:
            self.place_parts(path, value, "")

    def place_bytes(self, spot: Spot | None, value: Node) -> None:
        """A whole block is made of the type that it holds; a type named inside of one is behind an interface."""
        if spot is not None and isinstance(value, Made) and spot.whole:
            self.store(spot, value.content)
        elif spot is not None:
            self.store(spot, value)

    def place_parts(self, path: str, value: Node, type: str) -> None:
        if isinstance(value, Row):
            for index, element in enumerate(value.elements):
                self.place(f"{path}[{index}]", element)
            return
        if not isinstance(value, Group):
            self.place(path, value)
            return
        names = self.fields(path, type)
        for index, (name, field) in enumerate(value.fields):
            if name:
                self.place(f"{path}.{name}", field)
            elif index < len(names):
                self.place(f"{path}.{names[index]}", field)
            else:
                self.place(f"{path}[{index}]", field)

    def fields(self, path: str, type: str) -> list[str]:
        """The names of a parameter's fields, which tell a resource's place where the compiled block has no member."""
        if not type:
            name = [step for step in steps_of(path) if not step.isdigit()][-1]
            outer, inner = declared_type(self.source, name)
            type = inner if outer in ("ConstantBuffer", "ParameterBlock") else outer or name
        return fields_of(self.source, type)

    # --- buffers ------------------------------------------------------------------------------------------------------

    def bind(self, path: str, spot: Spot | None, memory: Memory) -> None:
        words = memory.packed()
        for at, name in memory.addresses:
            if name not in self.where:
                raise Malformed("TEST_INPUT address of a buffer")
            put(words, 4 * at, halves(self.where[name]), POINTER)
        if spot is not None and not spot.whole:
            self.point(path, spot, words, memory.output)
            return
        if spot is not None and spot.buffer.texture is not None:
            self.given[key(spot.buffer)] = texels_of(memory, spot.buffer.texture)
        elif spot is not None:
            self.given[key(spot.buffer)] = fitting(spot.buffer, words)
            self.where[path] = address_of(spot.buffer)
        if memory.counter >= 0:
            counter = self.places.find(f"{path}.counter")
            if counter is not None:
                self.given[key(counter.buffer)] = [memory.counter]
        if memory.output:
            self.outputs.append(Output(path, spot.buffer if spot is not None else None, words))

    def point(self, path: str, spot: Spot, words: list[int], output: bool) -> None:
        """A pointer, and the memory that it leads to."""
        if spot.layout.size != POINTER:
            raise Malformed("TEST_INPUT buffer in what is no pointer")
        address = FIRST + STEP * sum(name.startswith("0x") for name in self.given)
        self.given[hex(address)] = words
        self.where[path] = address
        put(self.words_of(spot.buffer, spot.offset + POINTER), spot.offset, halves(address), POINTER)
        if output:
            self.outputs.append(Output(path, None, words, hex(address)))

    def store_or_bind(self, path: str, spot: Spot, value: Node) -> None:
        if isinstance(value, Memory):
            self.bind(path, spot, value)
        else:
            self.place(path, value)

    def bind_opaque(self, path: str, spot: Spot | None, value: Opaque) -> None:
        """A texture or sampler, if the program has it."""
        if spot is not None and spot.buffer.texture is not None:
            self.given[key(spot.buffer)] = image_of(value, spot.buffer.texture)
        name = self.places.sampler(path)
        if name and "Sampler" in value.kind and spot is None:
            self.given[name] = sampler_of(value)

    def words_of(self, buffer: Buffer, size: int = 0) -> list[int]:
        """The words that a buffer is given, which may be written to."""
        words: list[int] = self.given.setdefault(key(buffer), [])
        words.extend([0] * (max(words_needed(buffer.layout, 0, buffer.label()), -(-size // 4)) - len(words)))
        return words

    # --- bytes --------------------------------------------------------------------------------------------------------

    def store(self, spot: Spot, value: Node) -> None:
        words = self.words_of(spot.buffer, spot.offset + spot.layout.size)
        if isinstance(value, Data):
            put(words, spot.offset, value.words, spot.layout.size)
        elif isinstance(value, Made) and value.type:
            header = [1, 0, self.numbers.get(value.type, 0), 0]
            put(words, spot.offset, header + plain_words(value.content), spot.layout.size)
        elif isinstance(value, Made):
            self.store(spot, value.content)
        else:
            self.store_parts(spot, value)

    def store_parts(self, spot: Spot, value: Node) -> None:
        fields: list[tuple[str, Node]] = []
        if isinstance(value, Row):
            fields = [("", element) for element in value.elements]
        elif isinstance(value, Group):
            fields = value.fields
        else:
            raise Malformed("TEST_INPUT resource inside of data")
        for index, (name, field) in enumerate(fields):
            at = self.places.member(spot.type, name) if name else index
            part = self.places.part(spot, at) if at is not None else None
            if part is None:
                raise Malformed("TEST_INPUT value that the type has no place for")
            self.store(part, field)

    def store_elements(self, buffer: Buffer, made: Made) -> None:
        """`new StructuredBuffer<T>{a, b}`"""
        array = self.places.elements(buffer)
        if array is None:
            raise Malformed("TEST_INPUT elements of no structured buffer")
        content = made.content
        values = content.elements if isinstance(content, Row) else []
        if isinstance(content, Group):
            values = [field for _, field in content.fields]
        self.words_of(buffer, len(values) * array.layout.stride)
        element = made.type.partition("<")[2].removesuffix(">").strip()
        for index, value in enumerate(values):
            part = self.places.part(array, index)
            assert part is not None
            if isinstance(value, Made) and value.type == element:
                value = value.content
            self.store(part, value)


def fitting(buffer: Buffer, words: list[int]) -> list[int]:
    """As many words as the type has, where it says how many."""
    least = words_needed(buffer.layout, 0, buffer.label())
    if buffer.layout.runtime_array() is None:
        words = words[:least]
    return words + [0] * (least - len(words))


def halves(address: int) -> list[int]:
    return [address & 0xFFFFFFFF, address >> 32]


def has_resources(value: Node) -> bool:
    """Whether a buffer or texture is somewhere inside."""
    if isinstance(value, Made):
        return value.type.startswith(STRUCTURED) or has_resources(value.content)
    if isinstance(value, Row):
        return any(has_resources(element) for element in value.elements)
    if isinstance(value, Group):
        return any(has_resources(field) for _, field in value.fields)
    return not isinstance(value, Data)


def put(words: list[int], offset: int, data: list[int], most: int) -> None:
    """Write words at a byte offset, no more than `most` bytes (0: as many as there are)."""
    size = min(4 * len(data), most) if most else 4 * len(data)
    for at in range(size):
        byte = data[at >> 2] >> 8 * (at & 3) & 0xFF
        place = offset + at
        if place >> 2 < len(words):
            shift = 8 * (place & 3)
            words[place >> 2] = words[place >> 2] & ~(0xFF << shift) | byte << shift


def plain_words(value: Node) -> list[int]:
    """The words of all leaves, one after another: what an impl's fields are packed to."""
    if isinstance(value, Data):
        return list(value.words)
    if isinstance(value, Made):
        return plain_words(value.content)
    if isinstance(value, Row):
        return [word for element in value.elements for word in plain_words(element)]
    if isinstance(value, Group):
        return [word for _, field in value.fields for word in plain_words(field)]
    raise Malformed("TEST_INPUT resource behind an interface")
