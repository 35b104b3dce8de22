"""What buffers start with in a proof: everything that may be, where that is little, else a fixed sample.

    --set kind=0,0,1,2         kind is that
    --domain kind=0..2         every element of kind is 0, 1 or 2: all 3^n, or a sample where that is too many
    neither, but kind is read  a sample: zeros, the element's number, ones, -1, powers of two, labels and constants of
                               the program, random words
    out is only written        zeros, all bits set, and random words: a word that is not written shows as different

The sample is the same in every run.
"""

import random
import struct
from collections.abc import Iterator, Mapping
from typing import Final, final

from reknit.ir import op
from reknit.ir.constants import as_int
from reknit.ir.module import Module
from reknit.ir.tree import Switch
from reknit.ir.walk import constructs
from reknit.prove.interface import Port
from reknit.sim.buffers import words_needed
from reknit.sim.layout import Layout, writer
from reknit.sim.values import FLOAT_KIND, Shape

PATTERNS: Final = 13
FILLS: Final = 3
MOST_CONSTANTS: Final = 24


@final
class Plan:
    """The inputs of a proof: `inputs` by buffer place, one after another.

    `whole`: they are all that there are. `claim` says what was taken as given, `how` how the inputs were chosen.
    """

    __slots__ = ("inputs", "whole", "claim", "how")

    def __init__(self, inputs: list[dict[str, list[int]]], whole: bool, claim: list[str], how: str) -> None:
        self.inputs = inputs
        self.whole = whole
        self.claim = claim
        self.how = how


def plan(
    ports: list[Port],
    given: Mapping[str, list[int]],
    domains: Mapping[str, list[int]],
    constants: list[int],
    invocations: int,
    sample: int,
    most: int,
) -> Plan:
    """The inputs for these buffers. `given` and `domains` are by place; `sample` inputs are drawn where not all can be
    gone through, which takes at most `most`."""
    claim = [f"{port.name} = {_short(given[port.place])}" for port in ports if port.place in given]
    for port in ports:
        if port.place in domains:
            claim.append(f"each element of {port.name} one of {_short(domains[port.place])}")
    filled = [port for port in ports if port.writable and not port.read and port.place not in given]
    free = [port for port in ports if port.read and port.place not in given]
    combinations = 1
    for port in free:
        values = domains.get(port.place)
        slots = len(leaves(port.layout, invocations))
        combinations *= 0 if values is None else len(values) ** slots if slots < 64 else most + 1
        combinations = min(combinations, most + 1)
    fills = FILLS if filled else 1
    maker = _Maker(ports, given, domains, constants, invocations)
    if not free:
        return Plan(list(maker.every([], fills)), True, claim, "the program reads no other input")
    if 0 < combinations * fills <= most and all(port.place in domains for port in free):
        return Plan(list(maker.every(free, fills)), True, claim, "every input in the domain")
    unread = [f"{port.name}" for port in free if port.place not in domains]
    how = f"a fixed sample of {', '.join(unread)}" if unread else "a fixed sample of the domain, which is too large"
    return Plan([maker.sampled(number) for number in range(sample)], False, claim, how)


@final
class _Maker:
    def __init__(
        self,
        ports: list[Port],
        given: Mapping[str, list[int]],
        domains: Mapping[str, list[int]],
        constants: list[int],
        invocations: int,
    ) -> None:
        self.ports = ports
        self.given = given
        self.domains = domains
        self.constants = constants if constants else [0, 1]
        self.invocations = invocations

    def base(self, fill: int) -> dict[str, list[int]]:
        """All that is no free input: what was given, and what only written buffers start with."""
        made: dict[str, list[int]] = {}
        for port in self.ports:
            if port.place in self.given:
                made[port.place] = list(self.given[port.place])
            elif not port.read:
                made[port.place] = fill_words(words_needed(port.layout, self.invocations), fill)
        return made

    def every(self, free: list[Port], fills: int) -> Iterator[dict[str, list[int]]]:
        """All combinations of the domains, each element counting on its own."""
        slots = [(port, slot) for port in free for slot in leaves(port.layout, self.invocations)]
        digits = [0] * len(slots)
        while True:
            for fill in range(fills):
                made = self.base(fill)
                for port in free:
                    made[port.place] = [0] * words_needed(port.layout, self.invocations)
                for (port, (at, shape)), digit in zip(slots, digits, strict=True):
                    put(made[port.place], at, shape, self.domains[port.place][digit])
                yield made
            place = len(digits) - 1
            while place >= 0 and digits[place] + 1 == len(self.domains[slots[place][0].place]):
                digits[place] = 0
                place -= 1
            if place < 0:
                return
            digits[place] += 1

    def sampled(self, number: int) -> dict[str, list[int]]:
        """Input `number` of the sample. The first is all zeros; buffers go through the patterns at different paces."""
        made = self.base(number % FILLS)
        for index, port in enumerate(self.ports):
            if port.place in made:
                continue
            source = random.Random(f"{number}/{index}")
            words = [0] * words_needed(port.layout, self.invocations)
            values = self.domains.get(port.place)
            for place, (at, shape) in enumerate(leaves(port.layout, self.invocations)):
                if values is not None:
                    put(words, at, shape, source.choice(values) if number else values[0])
                else:
                    put(words, at, shape, self.pattern(number * (index + 1), place, source))
            made[port.place] = words
        return made

    def pattern(self, number: int, place: int, source: random.Random) -> int:
        """What element `place` of a buffer is in pattern `number`."""
        kind = number if number < PATTERNS else (4, 5, 6, 12)[number % 4]
        if kind == 0:
            return 0
        simple = (0, place, 1, place & 1)
        if kind < 4:
            return simple[kind]
        if kind == 4:
            return source.choice(self.constants)
        if kind == 5:
            return source.randrange(4)
        if kind == 6:
            return source.randrange(9)
        if kind == 7:
            return place & 3
        if kind == 8:
            return place >> 1
        if kind == 9:
            return -1
        if kind == 10:
            return 1 << (place & 31)
        if kind == 11:
            return -place
        return source.getrandbits(32)


def fill_words(count: int, fill: int) -> list[int]:
    """What a buffer that is only written starts with: zeros, all bits set, random words."""
    if fill < 2:
        return [0xFFFFFFFF * fill] * count
    source = random.Random(count)
    return [source.getrandbits(32) for _ in range(count)]


def leaves(layout: Layout, invocations: int) -> list[tuple[int, Shape]]:
    """The scalars of a buffer as (byte offset, type), in order; a run-time array has one element an invocation."""
    found: list[tuple[int, Shape]] = []
    work: list[tuple[int, Layout]] = [(0, layout)]
    while work:
        at, part = work.pop()
        if part.offsets:
            inner = [(at + offset, member) for offset, member in zip(part.offsets, part.parts, strict=True)]
            work.extend(reversed(inner))
        elif part.parts:
            count = invocations if part.is_runtime_array() else part.shape.count
            work.extend([(at + index * part.stride, part.parts[0]) for index in range(count - 1, -1, -1)])
        elif part.size:
            found.append((at, part.shape))
    return found


def put(words: list[int], at: int, shape: Shape, value: int) -> None:
    """Write a number as a scalar at a byte offset; a float is the float of that value, 0 where it has none."""
    width = shape.width
    if shape.kind == FLOAT_KIND:
        letter = {16: "e", 32: "f", 64: "d"}[width]
        try:
            bits = int.from_bytes(struct.pack(f"<{letter}", float(value)), "little")
        except OverflowError:
            bits = 0
    else:
        bits = value & ((1 << width) - 1)
    writer(Layout(shape, width // 8, 0, [], []))(words, at, bits)


def constants_of(module: Module) -> list[int]:
    """Numbers that a program may compare its inputs with: labels of switches first, then integer constants, and their
    neighbours."""
    found: dict[int, None] = {}
    for function in module.functions:
        for construct in constructs(function):
            if isinstance(construct, Switch):
                found.update(dict.fromkeys(literal for literal, _ in construct.targets))
    for instr in module.globals:
        if instr.op == op.Constant and instr.users:
            value = as_int(instr)
            if value is not None:
                found[value] = None
                found[value + 1] = None
    return list(found)[:MOST_CONSTANTS]


def _short(words: list[int]) -> str:
    shown = ", ".join(map(str, words[:16]))
    return f"{shown}, ... ({len(words)} in all)" if len(words) > 16 else shown
