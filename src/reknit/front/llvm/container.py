"""The container of a compiled HLSL shader: parts, one of which holds the program.

    'DXBC' hash version size count  offset ...      part: 'DXIL' size | program header | LLVM bitcode
                                                          'STAT' the same, with the names of resources kept

A container may be signed (a hash that is not zero) or not; that makes no difference to what it says.
Source: DXC, include/dxc/DxilContainer/DxilContainer.h.
"""

from typing import Final

from reknit.source.diagnostic import Diagnostic, InputError
from reknit.source.place import Place

CONTAINER: Final = b"DXBC"
PROGRAM: Final = b"DXIL"
NAMES: Final = b"STAT"
RAW: Final = b"BC\xc0\xde"
WRAPPED: Final = b"\xde\xc0\x17\x0b"

BROKEN: Final = "RK0801"
_HEADER: Final = 32
_MAX_PARTS: Final = 64


def is_container(data: bytes) -> bool:
    return data[:4] == CONTAINER


def program_of(data: bytes, name: str) -> bytes:
    """The bitcode of a container's program. Raises InputError (RK0801)."""
    parts = parts_of(data, name)
    if PROGRAM not in parts:
        if b"SHEX" in parts or b"SHDR" in parts:
            raise broken(name, "the container holds DXBC byte code of shader model 5, no DXIL", "compile it with dxc")
        known = ", ".join([part.decode("latin-1") for part in parts])
        raise broken(name, f"the container has no DXIL part (it has {known or 'none at all'})")
    return _bitcode(parts[PROGRAM], PROGRAM.decode(), name)


def names_of(data: bytes, name: str) -> bytes | None:
    """The bitcode that keeps the names of resources, where the container has it."""
    part = parts_of(data, name).get(NAMES)
    return None if part is None else _bitcode(part, NAMES.decode(), name)


def parts_of(data: bytes, name: str) -> dict[bytes, bytes]:
    """Parts by their four characters. Raises InputError (RK0801)."""
    if len(data) < _HEADER:
        raise broken(name, f"the container ends in its header, after {len(data)} of {_HEADER} bytes")
    size = _word(data, 24)
    count = _word(data, 28)
    if size > len(data):
        raise broken(name, f"the container says it has {size} bytes, and ends after {len(data)}")
    if count > _MAX_PARTS or _HEADER + 4 * count > len(data):
        raise broken(name, f"the container says it has {count} parts, more than can be")
    parts: dict[bytes, bytes] = {}
    for index in range(count):
        at = _word(data, _HEADER + 4 * index)
        if at + 8 > len(data):
            raise broken(name, f"part {index} starts at byte {at}, after the end of the container ({len(data)} bytes)")
        length = _word(data, at + 4)
        if at + 8 + length > len(data):
            kind = data[at : at + 4].decode("latin-1")
            raise broken(name, f"part {kind!r} has {length} bytes, of which {len(data) - at - 8} are there")
        parts.setdefault(data[at : at + 4], data[at + 8 : at + 8 + length])
    return parts


def _bitcode(part: bytes, kind: str, name: str) -> bytes:
    """What follows the program header: version, size in words, 'DXIL', DXIL's version, offset from there, length."""
    if len(part) < 24 or part[8:12] != PROGRAM:
        raise broken(name, f"part {kind!r} does not start in a program header")
    start = 8 + _word(part, 16)
    length = _word(part, 20)
    if start + length > len(part):
        raise broken(name, f"the program in part {kind!r} has {length} bytes, of which {len(part) - start} are there")
    return part[start : start + length]


def broken(name: str, message: str, help: str = "") -> InputError:
    return InputError([Diagnostic(BROKEN, message, Place(name), help=help)])


def _word(data: bytes, at: int) -> int:
    return int.from_bytes(data[at : at + 4], "little")
