"""Memory by address: what pointers that are numbers lead to.

    the buffer of set S and binding B, element I        begins at (S + 1) << 56 | B << 40 | I << 29
    buffers={"0x10000": [1, 2]}                         memory at that address, which no variable names
    a pointer that is 0x10004                           byte 4 of it

Such a pointer is 64 bits, 0 the null pointer, and computing with it is computing with an integer. Only an access asks
what is there. Source: SPIR-V 1.6, "Addressing Model", PhysicalStorageBuffer64.
"""

import re
from collections.abc import Mapping
from typing import Any, Final

from reknit.ir import op
from reknit.ir.instr import Instr
from reknit.sim.arrays import wrong
from reknit.sim.buffers import to_words
from reknit.sim.layout import Layout
from reknit.sim.memory import ARGUMENT, AddressSpace, Buffer
from reknit.sim.values import U32, array

NAMED: Final = re.compile(r"0[xX][0-9a-fA-F]+")
GRAIN: Final = 16  # what the addresses of memory that is given are multiples of
WORDS: Final = Layout(array(U32, 0), 0, 4, [], [Layout(U32, 4, 0, [], [])])
WORDS_TYPE: Final = Instr(op.TypeRuntimeArray, None, [Instr(op.TypeInt, None, [32, 0])])
MAX_ADDRESSED: Final = (255, 1 << 16, 1 << 11)  # sets, bindings and elements that have addresses


def address_of(buffer: Buffer) -> int:
    """Where the buffer of a variable begins; 0 for what has no address: push constants, images, numbers too large."""
    if buffer.set == ARGUMENT:
        return buffer.address
    place = (buffer.set, buffer.binding, buffer.index)
    outside = any(not 0 <= number < most for number, most in zip(place, MAX_ADDRESSED, strict=True))
    if buffer.texture is not None or outside:
        return 0
    return (buffer.set + 1) << 56 | buffer.binding << 40 | buffer.index << 29


def take_memory(given: Mapping[str, Any], path: str) -> tuple[dict[str, Any], list[Buffer]]:
    """What was given by name, and the memory that was given by address. Raises InputError (RK1004)."""
    rest: dict[str, Any] = {}
    memory: list[Buffer] = []
    for name, data in given.items():
        if NAMED.fullmatch(name) is None:
            rest[name] = data
            continue
        address = int(name, 16)
        if address == 0 or address % GRAIN or address >= 1 << 64:
            raise wrong(f"memory can't be at address {name}", path, f"a multiple of {GRAIN} of 64 bits that is not 0")
        buffer = Buffer(name, -1, -1, 0, WORDS, WORDS_TYPE, True)
        buffer.address = address
        buffer.words[:] = to_words(name, data, path, WORDS)
        memory.append(buffer)
    return rest, memory


def lay_out(space: AddressSpace, bound: list[Buffer], given: list[Buffer], path: str) -> None:
    """Everything where it is for a run. Raises InputError (RK1004) where two are at one place."""
    held = list(given)
    for buffer in bound:
        if buffer.alias is None:
            buffer.address = address_of(buffer)
            if buffer.address:
                held.append(buffer)
    held.sort(key=lambda buffer: buffer.address)
    for one, next in zip(held, held[1:], strict=False):
        if one.address + 4 * len(one.words) > next.address:
            raise wrong(f"{one.label()} and {next.label()} overlap", path, "give the second one a higher address")
    space.given = given
    space.buffers = held
    space.starts = [buffer.address for buffer in held]
