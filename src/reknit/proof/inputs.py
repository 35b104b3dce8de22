"""What buffers, images and samplers start with in a proof: everything that may be, where that is little, else a sample.

    --set kind=0,0,1,2         kind is that
    --domain kind=0..2         every element of kind is 0, 1 or 2: all 3^n, or a sample where that is too many
    neither, but kind is read  a sample: zeros, the element's number, ones, -1, powers of two, and then numbers of the
                               pool (`pool`), each element by itself; random bits
    out is only written        zeros, all bits set, and random words: a word that is not written shows as different
    tex                        the same as texels, in several sizes; a sampler goes through its filters and addresses

The sample is the same in every run. Sweeps put every number of the pool into every buffer.
"""

import random
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from numbers import Integral
from typing import Any, Final, final

from reknit.ir import enums
from reknit.proof.interface import Port
from reknit.proof.normal_form.table import Key
from reknit.proof.pool import Pool
from reknit.sim.arrays import wrong
from reknit.sim.buffers import words_needed
from reknit.sim.images import ADDRESSES, FILTERS, Image, Sampler, default_size
from reknit.sim.layout import Layout, writer
from reknit.sim.ops.ieee import format_of
from reknit.sim.texture import Texture
from reknit.sim.values import FLOAT_KIND, INT_KIND, Shape
from reknit.source.meter import spend

PATTERNS: Final = 13
FILLS: Final = 3
MAX_SWEEPS: Final = 64
MAX_WORDS: Final = 1 << 20
"""Of the buffers of one input that are drawn: each word is a number of its own."""
MAX_LEAVES: Final = 4 * MAX_WORDS
"""Of a buffer: a word has four of 8 bits."""
MAX_SAMPLED: Final = 1 << 22
"""Of all inputs of a sample, which are held at once."""
WEIGHT: Final = 4
"""Units of work to draw a number."""

_SET_AND_BINDING: Final = (enums.DecorationDescriptorSet, enums.DecorationBinding)
LONGER: Final = (0, 0, 0, 1, 0, 0, 5)  # elements more than invocations, in one input after another

Triple = tuple[int, int, int]
Given = dict[str, Any]
"""By place: words, an Image or a Sampler; what is drawn besides (`proof.scenes`)."""


@final
class Plan:
    """The inputs of a proof: `inputs`, one after another, and `sweeps`, which need not be gone through at every
    subgroup size.

    `whole`: the inputs are all that there are. `claim` says what was taken as given, `how` how they were chosen.
    """

    __slots__ = ("inputs", "sweeps", "whole", "claim", "how")

    def __init__(self, inputs: list[Given], sweeps: list[Given], whole: bool, claim: list[str], how: str) -> None:
        self.inputs = inputs
        self.sweeps = sweeps
        self.whole = whole
        self.claim = claim
        self.how = how


def plan(maker: "Maker", sample: int, most: int) -> Plan:
    """The inputs that `maker` gives: all where those are at most `most`, else `sample` of them."""
    ports, given, domains = maker.ports, maker.given, maker.domains
    claim = [f"{port.name} = {_short(given[port.place])}" for port in ports if port.place in given]
    for port in ports:
        if port.place in domains:
            claim.append(f"each element of {port.name} one of {_short(domains[port.place])}")
    filled = [port for port in ports if port.writable and not port.read and port.place not in given]
    free = [port for port in ports if port.read and port.place not in given]
    combinations = 1
    for port in free:
        values = domains.get(port.place)
        slots = maker.slots(port)
        combinations *= 0 if values is None else len(values) ** slots if slots < 64 else most + 1
        combinations = min(combinations, most + 1)
    fills = FILLS if filled else 1
    if not free:
        how = "the program reads no other input" if claim else "none are read; contents of what is only written"
        return Plan(list(maker.every([], fills)), [], True, claim, how)
    if 0 < combinations * fills <= most and all(port.place in domains for port in free):
        return Plan(list(maker.every(free, fills)), [], True, claim, "every input in the domain")
    unread = [f"{port.name}" for port in free if port.place not in domains]
    how = f"a fixed sample of {', '.join(unread)}" if unread else "a fixed sample of the domain, which is too large"
    held = maker.words() + 1
    sample = max(min(sample, MAX_SAMPLED // held), 1)
    sweeps = list(islice(maker.sweeps(free), MAX_SAMPLED // held))
    return Plan([maker.sampled(number) for number in range(sample)], sweeps, False, claim, how)


@final
class Maker:
    """Makes inputs for a dispatch of `extent` invocations along each axis. `lengths`: of run-time arrays that need more
    than one element an invocation, how many, by place."""

    __slots__ = ("ports", "given", "domains", "pool", "extent", "invocations", "lengths")

    def __init__(
        self,
        ports: list[Port],
        given: Given,
        domains: Mapping[str, list[int]],
        pool: Pool,
        extent: Triple,
        lengths: Mapping[str, int],
    ) -> None:
        self.lengths = lengths
        self.ports = ports
        self.given = given
        self.domains = domains
        self.pool = pool
        self.extent = extent
        self.invocations = extent[0] * extent[1] * extent[2]

    def elements(self, port: Port) -> int:
        """How many elements a run-time array has."""
        return self.invocations * self.lengths.get(port.place, 1)

    def words(self) -> int:
        """How many words the buffers have that are drawn. Raises InputError (RK1004) where that is too much."""
        drawn = [port for port in self.ports if port.layout is not None and port.place not in self.given]
        count = 0
        for port in drawn:
            assert port.layout is not None
            count += words_needed(port.layout, self.elements(port) + max(LONGER), port.name)
            if count > MAX_WORDS:
                help = "set them with --set, to what the shader needs"
                message = f"the inputs of a proof have at most {MAX_WORDS} words; with buffer {port.name!r} there are"
                raise wrong(f"{message} {count}", "", help)
        return count

    def slots(self, port: Port) -> int:
        """How many numbers a buffer holds; of an image, its texels'."""
        if port.layout is not None:
            return len(leaves(port.layout, self.elements(port)))
        return self.invocations

    def base(self, fill: int, longer: int = 0) -> Given:
        """All that is no free input: what was given, and what only written buffers start with."""
        inputs: Given = {}
        for port in self.ports:
            if port.place in self.given:
                inputs[port.place] = self.given[port.place]
            elif not port.read and port.layout is not None:
                count = words_needed(port.layout, self.elements(port) + longer, port.name)
                inputs[port.place] = fill_words(count, fill)
            elif not port.read and port.texture is not None:
                size = default_size(port.texture, self.extent)
                texture = port.texture.sized(size, port.texture.format, 1)
                inputs[port.place] = Image(size, texture.format.name, to_bytes(fill_words(texture.words(), fill)))
        return inputs

    def every(self, free: list[Port], fills: int) -> Iterator[Given]:
        """All combinations of the domains, each element counting on its own."""
        places: list[tuple[Port, int, Shape]] = []
        for port in free:
            if port.layout is not None:
                places.extend([(port, at, shape) for at, shape in leaves(port.layout, self.elements(port))])
        digits = [0] * len(places)
        while True:
            for fill in range(fills):
                inputs = self.base(fill)
                for port in free:
                    if port.layout is not None:
                        inputs[port.place] = [0] * words_needed(port.layout, self.elements(port), port.name)
                for (port, at, shape), digit in zip(places, digits, strict=True):
                    put(inputs[port.place], at, shape, number_bits(shape, self.domains[port.place][digit]))
                yield inputs
            place = len(digits) - 1
            while place >= 0 and digits[place] + 1 == len(self.domains[places[place][0].place]):
                digits[place] = 0
                place -= 1
            if place < 0:
                return
            digits[place] += 1

    def sampled(self, number: int) -> Given:
        """Input `number` of the sample. The first is all zeros; buffers go through the patterns at different paces."""
        longer = LONGER[number % len(LONGER)]
        inputs = self.base(number % FILLS, longer)
        for index, port in enumerate(self.ports):
            if port.place not in inputs:
                source = random.Random(f"{number}/{index}")
                inputs[port.place] = self.drawn(port, number * (index + 1), longer, source)
        return inputs

    def hinted(self, hint: list[tuple[Key, tuple[int, ...], int]]) -> Given:
        """The first input of the sample, but for the words of a hint: the variable that holds one, the way there."""
        inputs = self.sampled(0)
        layouts = {port.place: port.layout for port in self.ports if port.place not in self.given}
        for root, steps, bits in hint:
            place = place_of(str(root[3]))
            layout = layouts.get(place)
            if layout is None or place in self.domains:
                continue
            at = 0
            for step in steps:
                if step >= len(layout.parts) if layout.offsets else not layout.parts:
                    break
                at += layout.offsets[step] if layout.offsets else step * layout.stride
                layout = layout.parts[step] if layout.offsets else layout.parts[0]
            else:
                if layout.size and not layout.parts and at + layout.size <= 4 * len(inputs[place]):
                    put(inputs[place], at, layout.shape, bits)
        return inputs

    def drawn(self, port: Port, number: int, longer: int, source: random.Random) -> Any:
        values = self.domains.get(port.place)
        if port.layout is None:
            return self.opaque(port, number, lambda place, shape: self.pattern(number, place, shape, source))
        words = [0] * words_needed(port.layout, self.elements(port) + longer, port.name)
        for place, (at, shape) in enumerate(leaves(port.layout, self.elements(port) + longer)):
            spend(WEIGHT)
            if values is not None:
                put(words, at, shape, number_bits(shape, source.choice(values) if number else values[0]))
            else:
                put(words, at, shape, self.pattern(number, place, shape, source))
        return words

    def sweeps(self, free: list[Port]) -> Iterator[Given]:
        """Every number of the pool in every buffer that has no domain: first the same for all elements, then each
        element another."""
        unbound = [port for port in free if port.place not in self.domains]
        rounds = max([self.rounds(port) for port in unbound], default=0)
        for number in range(-FILLS, min(rounds, MAX_SWEEPS)):
            inputs = self.base(number % FILLS)
            for index, port in enumerate(self.ports):
                if port.place not in inputs:
                    source = random.Random(f"sweep {number}/{index}")
                    inputs[port.place] = self.swept(port, number, 7 * index, source)
            yield inputs

    def rounds(self, port: Port) -> int:
        """How many inputs it takes until every member has had every number of the pool: of a run-time array, one of its
        elements."""
        if port.layout is None:
            return len(SAMPLERS) if port.samples else 8
        widest = max([len(self.pool.of(shape)) for _, shape in leaves(port.layout, 1)], default=0)
        return -(-widest // (self.invocations if port.layout.runtime_array() is not None else 1))

    def swept(self, port: Port, number: int, shift: int, source: random.Random) -> Any:
        if port.layout is None:
            return self.opaque(port, number + shift, lambda place, shape: source.choice(self.pool.of(shape)))
        values = self.domains.get(port.place)
        words = [0] * words_needed(port.layout, self.elements(port), port.name)
        rounds = self.rounds(port)
        for place, (at, shape) in enumerate(leaves(port.layout, self.elements(port))):
            spend(WEIGHT)
            pool = self.pool.of(shape)
            at_pool = number + FILLS if number < 0 else number + place * rounds + shift
            bits = pool[at_pool % len(pool)] if values is None else number_bits(shape, source.choice(values))
            put(words, at, shape, bits)
        return words

    def pattern(self, number: int, place: int, shape: Shape, source: random.Random) -> int:
        """The bits of element `place` of a buffer in pattern `number`."""
        kind = number if number < PATTERNS else (4, 5, 4, 12)[number % 4]
        if kind == 4:
            return source.choice(self.pool.of(shape))
        if kind == 5 and shape.kind == FLOAT_KIND:
            return fraction_bits(shape, source.randrange(-8, 24) / 8)
        if kind == 12:
            return source.getrandbits(shape.width)
        simple = (0, place, 1, place & 1, 0, source.randrange(4), source.randrange(9), place & 3, place >> 1, -1)
        return number_bits(shape, simple[kind] if kind < 10 else 1 << (place & 31) if kind == 10 else -place)

    def opaque(self, port: Port, number: int, draw: Any) -> Any:
        """An image or a sampler. `draw` gives the bits of a component."""
        sampler = SAMPLERS[number % len(SAMPLERS)]
        if port.texture is None:
            return sampler
        texture = sized(port.texture, self.extent, number)
        shape = Shape(texture.component.kind, texture.component.width, texture.component.signed)
        count = texture.texels() * len(texture.format.widths)
        texels: list[int | float] = []
        for place in range(count):
            spend(WEIGHT)
            texels.append(component(texture, draw(place, shape), shape))
        own = sampler if port.samples else None
        return Image(texture.size(), texture.format.name, texels, texture.levels, own, texture.samples)


SAMPLERS: Final = [
    Sampler(filter, address, levels) for address in ADDRESSES for filter in FILTERS for levels in FILTERS
]


def sized(texture: Texture, extent: Triple, number: int) -> Texture:
    """In several sizes: as the dispatch, larger, of several levels. Smaller where it is sampled, since reads of what
    lies outside have a result then."""
    size = default_size(texture, extent)
    if texture.dimension == enums.DimSubpassData:
        return texture.sized(size, texture.format, 1)
    kind = number % 4
    if kind == 1 or (kind == 3 and texture.stored):
        size = [part + 1 + (at if texture.dimension != enums.DimCube else 0) for at, part in enumerate(size)]
    elif kind == 3:
        size = [max(1, part // 2 + 1) for part in size]
    resized = texture.sized(size, texture.format, 1)
    if kind < 2 or texture.stored or texture.samples or texture.dimension in (enums.DimBuffer, enums.DimRect):
        return resized
    return texture.sized(size, texture.format, min(resized.most_levels(), 3))


def component(texture: Texture, bits: int, shape: Shape) -> int | float:
    """A number that a component of the image's format can be given as."""
    if shape.kind == FLOAT_KIND:
        form = format_of(shape.width)
        return form.decode(bits) if form is not None else 0.0
    width = texture.format.widths[0]
    bits &= (1 << width) - 1
    return bits - (1 << width) if texture.format.holds(-1) and bits >> (width - 1) else bits


def fill_words(count: int, fill: int) -> list[int]:
    """What a buffer that is only written starts with: zeros, all bits set, random words."""
    if fill < 2:
        return [0xFFFFFFFF * fill] * count
    source = random.Random(count)
    return [source.getrandbits(32) for _ in range(count)]


def to_bytes(words: list[int]) -> bytes:
    return b"".join([word.to_bytes(4, "little") for word in words])


def place_of(decorations: str) -> str:
    """The place of a buffer with these decorations, as text of `Decorations`."""
    numbers = [re.search(rf"\[{each} (\d+)\]", decorations) for each in _SET_AND_BINDING]
    names = [each.group(1) for each in numbers if each is not None]
    return ".".join(names) if len(names) == 2 else "push constants"


def leaves(layout: Layout, invocations: int) -> list[tuple[int, Shape]]:
    """The scalars of a buffer as (byte offset, type), in order; a run-time array has one element an invocation.
    Raises InputError (RK1004) for too many."""
    scalars: list[tuple[int, Shape]] = []
    work: list[tuple[int, Layout]] = [(0, layout)]
    while work:
        spend(1)
        at, part = work.pop()
        if part.offsets:
            inner = [(at + offset, member) for offset, member in zip(part.offsets, part.parts, strict=True)]
            work.extend(reversed(inner))
        elif part.parts:
            count = invocations if part.is_runtime_array() else part.shape.count
            if count + len(work) + len(scalars) > MAX_LEAVES:
                raise wrong(f"a buffer of a proof has at most {MAX_LEAVES} scalars", "")
            spend(count)
            work.extend([(at + index * part.stride, part.parts[0]) for index in range(count - 1, -1, -1)])
        elif part.size:
            scalars.append((at, part.shape))
    return scalars


def misfit(layout: Layout, values: Sequence[Any]) -> str:
    """Which of `values` some element of a buffer can't be, and why; "" where each can be any of them."""
    for shape in dict.fromkeys(shape for _, shape in leaves(layout, 1)):
        if shape.kind == FLOAT_KIND:
            continue
        for value in values:
            if not isinstance(value, Integral):
                return f"{value} is no whole number, which its elements are"
            if not -(1 << (shape.width - 1)) <= int(value) < 1 << shape.width:
                return f"{value} does not fit into an element of {shape.width} bits"
    return ""


def number_bits(shape: Shape, value: int) -> int:
    """A whole number as a scalar; a float is the float of that value, 0 where it has none."""
    return fraction_bits(shape, float(value)) if shape.kind == FLOAT_KIND else int(value) & ((1 << shape.width) - 1)


def fraction_bits(shape: Shape, value: float) -> int:
    form = format_of(shape.width)
    return form.encode(value) if form is not None else 0


def put(words: list[int], at: int, shape: Shape, bits: int) -> None:
    """Write a scalar's bits at a byte offset."""
    kind = shape.kind if shape.kind == FLOAT_KIND else INT_KIND
    writer(Layout(Shape(kind, shape.width), shape.width // 8, 0, [], []))(words, at, bits)


def _short(given: Any) -> str:
    if not isinstance(given, (list, tuple)):
        return str(given)
    shown = ", ".join(map(str, given[:16]))
    return f"{shown}, ... ({len(given)} in all)" if len(given) > 16 else shown
