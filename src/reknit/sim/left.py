"""What invocations leave beside what is in memory, number by number: the outputs of fragment and of vertex shaders.

    fragment    ("location 0", (layer, y, x, sample, component))    color at (1, 0)[2]    0.5
    vertex      ("position", (invocation, component))               position of 2[3]      1

A sample that nothing was drawn to, or that was discarded, has no number.
"""

from collections.abc import Iterator
from typing import Any, Final, final

from reknit.sim.ops.ieee import FORMAT32
from reknit.sim.result import Result
from reknit.sim.values import FLOAT_KIND, Shape

Key = tuple[str, tuple[int, ...]]
"""The output, and where in it."""

DEPTH: Final = "depth"
F32: Final = Shape(FLOAT_KIND, 32)


@final
class Number:
    """The `bits` of a scalar."""

    __slots__ = ("shape", "bits")

    def __init__(self, shape: Shape, bits: int) -> None:
        self.shape = shape
        self.bits = bits

    def text(self) -> str:
        if self.shape.kind == FLOAT_KIND and self.shape.width == 32:
            return f"{FORMAT32.decode(self.bits):.9g}"
        return f"{self.bits:#x}" if self.shape.kind == FLOAT_KIND else str(self.bits)


def numbers_of(result: Result) -> dict[Key, Number]:
    """What a run left, by output and place."""
    numbers: dict[Key, Number] = {}
    framebuffer = result.framebuffer
    if framebuffer is not None:
        for attachment in framebuffer.attachments:
            where = output_name(attachment.location, attachment.index)
            shape = attachment.shape.component()
            for spot, parts in attachment.pixels.items():
                for component, bits in parts.items():
                    numbers[where, (*spot, component)] = Number(shape, bits)
        for spot, bits in framebuffer.depths.items():
            numbers[DEPTH, (*spot, 0)] = Number(F32, bits)
    for invocation, vertex in enumerate(result.vertices or []):
        for where, (shape, value) in vertex.bits.items():
            for component, (scalar, bits) in enumerate(scalars(shape, value)):
                numbers[where, (invocation, component)] = Number(scalar, bits)
    return numbers


def open_numbers(result: Result) -> frozenset[Key]:
    """Which of the numbers may be anything."""
    keys: list[Key] = []
    framebuffer = result.framebuffer
    if framebuffer is not None:
        for attachment in framebuffer.attachments:
            where = output_name(attachment.location, attachment.index)
            keys.extend([(where, (*spot, component)) for spot, component in attachment.undefined])
    for invocation, vertex in enumerate(result.vertices or []):
        for where, parts in vertex.undefined.items():
            keys.extend([(where, (invocation, component)) for component in parts])
    return frozenset(keys)


def output_name(location: int, index: int) -> str:
    """`location 0`, `location 0, index 1`, and of the stencil reference that."""
    if location < 0:
        return "stencil reference"
    return f"location {location}" + (f", index {index}" if index else "")


def scalars(shape: Shape, value: Any) -> Iterator[tuple[Shape, int]]:
    """The numbers of a value in order. Shapes nest a few levels."""
    if not isinstance(value, tuple):
        yield shape, value
        return
    parts = shape.members if shape.members else [shape.element] * len(value)
    for part, each in zip(parts, value, strict=True):
        if part is not None:
            yield from scalars(part, each)


def label(key: Key) -> str:
    """`location 0 at (1, 0), sample 2: component 3`, `position of invocation 2: component 3`."""
    where, place = key
    if len(place) == 2:
        return f"{where} of invocation {place[0]}: component {place[1]}"
    layer, y, x, sample, component = place
    text = f"{where} at ({x}, {y})" + (f", sample {sample}" if sample else "") + (f", layer {layer}" if layer else "")
    return f"{text}: component {component}" if where != DEPTH else text
