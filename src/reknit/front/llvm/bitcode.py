"""LLVM's own text for a module that is given as text or bitcode: llvmlite reads, checks and upgrades it.

    .ll, .bc, DXIL  ──▶ mend the data layout ──▶ llvmlite, apart ──▶ text with opaque pointers, one instruction a line

DXIL is bitcode of LLVM 3.7 with a data layout that newer LLVM refuses ("i8 must be 8-bit aligned"). The layout is a
record of 6-bit chunks anywhere in the bit stream; `i8:32` in it becomes `n8:32`, a native integer width, which takes
the same number of bits and changes nothing.
"""

import re
from importlib.util import find_spec
from typing import Final

from reknit.front.llvm.container import RAW, WRAPPED
from reknit.front.llvm.llvm_process import ask
from reknit.front.llvm.parse_types import MAX_DIGITS
from reknit.front.llvm.printer import BITCODE, PRINTED, TEXT
from reknit.source.diagnostic import Diagnostic, InputError, Note
from reknit.source.digits import is_decimal
from reknit.source.place import Place
from reknit.source.resident import Died

ABSENT: Final = "RK0802"
REFUSED: Final = "RK0803"

_REFUSED_LAYOUT: Final = "-i8:32-"
_READ_LAYOUT: Final = "-n8:32-"


def printed(data: bytes, name: str, where: str = "") -> str:
    """The module as LLVM prints it. Raises InputError: RK0802 (no llvmlite), RK0803 (LLVM refuses the input); `where`
    tells what part of the input `data` is."""
    if find_spec("llvmlite") is None or find_spec("llvmlite.binding") is None:
        help = "pip install 'reknit[llvm]', or llvmlite into the same environment"
        message = "LLVM IR and DXIL are read through llvmlite, which is not installed"
        raise InputError([Diagnostic(ABSENT, message, Place(name), help=help)])
    if not data.strip(b" \t\r\n\0"):
        raise InputError([Diagnostic(REFUSED, "there is nothing in it", Place(name))])
    kind = TEXT
    text = ""
    if data[:4] in (RAW, WRAPPED):
        kind = BITCODE
        mended = mend_layout(data)
        if data[:4] == RAW and len(mended) % 4:
            mended += bytes(-len(mended) % 4)
    else:
        try:
            text = data.decode("utf-8-sig")
        except UnicodeDecodeError:
            message = "this is neither bitcode nor a DXIL container, and no text either"
            raise InputError([Diagnostic(REFUSED, message, Place(name))]) from None
        _refuse_long_numbers(text, name)
        mended = text.replace(_REFUSED_LAYOUT, _READ_LAYOUT).encode()
    try:
        status, answer = ask(kind, mended)
    except Died as reason:
        what = "text" if kind == TEXT else "bitcode"
        help = "the input is damaged, or made by an LLVM that this one doesn't know; `llvm-dis` may say more"
        message = f"LLVM gave up reading this {what}: {reason}"
        notes = [Note(where)] if where else []
        raise InputError([Diagnostic(REFUSED, message, Place(name), notes=notes, help=help)]) from None
    if status != PRINTED:
        raise _refused(answer, name, where, text)
    return answer


def _refuse_long_numbers(text: str, name: str) -> None:
    """Raises InputError: LLVM takes the square of a number's length."""
    for number in _DIGITS.finditer(text):
        at = number.start()
        if number.end() - at > MAX_DIGITS:
            message = f"a number of more than {MAX_DIGITS} digits is wider than what is read here"
            place = Place(name, text.count("\n", 0, at) + 1, at - text.rfind("\n", 0, at))
            raise InputError([Diagnostic(REFUSED, message, place)])


def mend_layout(data: bytes) -> bytes:
    """The same bitcode, with a data layout that LLVM accepts. Costs the size of the input."""
    wanted = chunks_of(_REFUSED_LAYOUT)
    bits = stream_bits(data)
    at = bits.find(wanted)
    if at < 0:
        return data
    bits = bits[:at] + chunks_of(_READ_LAYOUT) + bits[at + len(wanted) :]
    first = at // 8
    last = (at + len(wanted) + 7) // 8
    changed = bytes([int(bits[8 * byte : 8 * byte + 8][::-1], 2) for byte in range(first, last)])
    return data[:first] + changed + data[last:]


def stream_bits(data: bytes) -> str:
    """A bit stream as zeros and ones, first bit first."""
    return "".join([_BITS[byte] for byte in data])


def text_at(bits: str, at: int, length: int) -> str:
    """Up to `length` characters that stand there as VBR6 values."""
    letters: list[str] = []
    while len(letters) < length and at + 6 <= len(bits):
        value = shift = 0
        more = True
        while more and at + 6 <= len(bits) and shift < 10:
            chunk = int(bits[at : at + 6][::-1], 2)
            value |= (chunk & 31) << shift
            shift += 5
            at += 6
            more = chunk >= 32
        letters.append(chr(value))
    return "".join(letters)


def chunks_of(text: str) -> str:
    """The bits of characters as VBR6 values, first bit first (LLVM, "Bitcode File Format", variable width integers)."""
    chunks: list[str] = []
    for character in text:
        rest = ord(character)
        while True:
            chunk = rest & 31
            rest >>= 5
            if rest:
                chunk |= 32
            chunks.append(format(chunk, "06b")[::-1])
            if not rest:
                break
    return "".join(chunks)


_DIGITS: Final = re.compile("[0-9]+")
_AT_ITS_START: Final = ("expected instruction opcode", "expected top-level entity")
_CODE: Final = re.compile(r'(?:[^";]|"[^"]*"?)*')


def _missing_at(text: str, row: int, column: int) -> tuple[int, int]:
    """Where something is missing that LLVM noticed at this place: if that begins its line, the line with something in
    it before is not complete."""
    lines = text.split("\n")
    if not 0 < row <= len(lines) or lines[row - 1][: column - 1].strip():
        return row, column
    for before in range(row - 1, 0, -1):
        match = _CODE.match(lines[before - 1])
        code = match.group().rstrip() if match is not None else ""
        if code:
            return before, len(code) + 1
    return row, column


_BITS: Final = [format(byte, "08b")[::-1] for byte in range(256)]


def _refused(said: str, name: str, where: str, text: str) -> InputError:
    """LLVM's message; one about a text has `<string>:LINE:COLUMN: error: ...` in it."""
    place = Place(name)
    notes: list[Note] = []
    message = ""
    for line in said.splitlines():
        stripped = line.strip()
        head, colon, rest = stripped.partition(": error: ")
        numbers = head.rpartition("<string>:")[2].split(":")
        if colon and not message:
            if len(numbers) == 2 and all(is_decimal(number) for number in numbers):
                row, column = int(numbers[0]), int(numbers[1])
                if rest.startswith("expected") and not rest.startswith(_AT_ITS_START):
                    row, column = _missing_at(text, row, column)
                place = Place(name, row, column)
            message = rest
        elif stripped and not stripped.startswith("^"):
            notes.append(Note(stripped))
    if not message:
        message = notes.pop(0).message if notes else "no reason given"
    if place.line:
        notes = []  # the line, which is shown at the place
    notes = notes[:4] + ([Note(where)] if where else [])
    return InputError([Diagnostic(REFUSED, f"LLVM rejects this module: {message}", place, notes=notes)])
