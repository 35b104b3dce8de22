"""A SPIR-V binary as columns: one row an instruction, nothing decoded that was not asked for.

    bytes -> header | op at size result type function block     (a row each)
                    | definition[id] = row

    OpFAdd %float %sum %a %b   ->   op 129, at 412, size 5, result %sum, type %float, function 0, block 3

Reading checks what every later step relies on, and no more: the header, that instructions tile the file, that result
ids are below the bound and defined once. Memory is a small multiple of the input, whatever the input says.
"""

import sys
from array import array
from typing import Final, final

from reknit.ir import op, traits
from reknit.ir.opcodes import FIRST_OWN, info, result_flags
from reknit.ir.version import version_fault
from reknit.source.columns import append, i32, i64, read_i32_le, vec
from reknit.source.diagnostic import Diagnostic, InputError, Note
from reknit.source.meter import spend
from reknit.source.place import Place

MAGIC: Final = 0x07230203
HEADER_WORDS: Final = 5
MAX_FAULTS: Final = 20
# An id needs two words to be defined. Modules from which much was removed keep their old numbers, so a bound may be a
# good deal larger than the file: as large as every consumer has to take (SPIR-V 1.6, 2.17), and in a module for which
# that is not enough, some ids a word. It may not make us reserve memory out of proportion.
IDS_PER_WORD: Final = 16
IDS_ALWAYS: Final = 4_194_303

_TERMINATORS: Final = traits.EXITS | traits.BRANCHES


@final
class Columns:
    """A module's words and its instructions in order. Row numbers count from 0, word offsets from the file's start.

    `data` is little-endian whatever the file was; `big_endian` says which it was. -1 stands for none: no function, no
    block (outside of one, which ends with its terminator), an id without a definition. Result and type 0 are none too.
    """

    __slots__ = (
        "data", "file", "big_endian", "version", "generator", "bound", "schema", "op", "at", "size", "result", "type",
        "function", "block", "functions", "labels", "definition",
    )  # fmt: skip

    def __init__(self, data: bytes, file: str, big_endian: bool) -> None:
        self.data = data
        self.file = file
        self.big_endian = big_endian
        self.version: i64 = word_at(data, 1)
        self.generator: i64 = word_at(data, 2)
        self.bound: i64 = word_at(data, 3)
        self.schema: i64 = word_at(data, 4)
        self.op: vec[i32] = vec[i32]()
        self.at: vec[i32] = vec[i32]()
        self.size: vec[i32] = vec[i32]()
        self.result: vec[i32] = vec[i32]()
        self.type: vec[i32] = vec[i32]()
        self.function: vec[i32] = vec[i32]()
        self.block: vec[i32] = vec[i32]()
        self.functions: vec[i32] = vec[i32]()  # function -> row of its OpFunction
        self.labels: vec[i32] = vec[i32]()  # block -> row of its OpLabel
        self.definition: vec[i32] = vec[i32]()  # id -> row that defines it


@final
class _Flags:
    """Opcode -> words of result, filled when first used; and which opcodes end a block (the value's fourth bit)."""

    def __init__(self) -> None:
        self.column: vec[i32] = vec[i32]()

    def get(self) -> vec[i32]:
        if len(self.column) == 0:
            known = {**result_flags(), **dict.fromkeys(_TERMINATORS, 4)}  # what ends a block has no result
            column = filled(i64(max([code for code in known if code < FIRST_OWN])) + 1, 0)
            for code, flag in known.items():
                if code < FIRST_OWN:
                    column[code] = i32(flag)
            self.column = column
        return self.column


_FLAGS: Final = _Flags()


def word_at(data: bytes, word: i64) -> i64:
    """The unsigned word at a word offset of little-endian data."""
    value: i64 = i64(read_i32_le(data, word * 4))
    return value & 0xFFFFFFFF


def is_terminator(code: int) -> bool:
    """Whether an instruction of this opcode ends its block."""
    return code in _TERMINATORS


def filled(count: i64, value: i32) -> vec[i32]:
    """A column of `count` equal numbers."""
    return vec[i32]([value] * count)


def words_of(columns: Columns, row: i64) -> list[int]:
    """The unsigned operand words of one instruction, after its result type and result id."""
    first: i64 = i64(columns.at[row]) + 1
    end: i64 = first - 1 + i64(columns.size[row])
    if columns.result[row] != 0:
        first += 2 if columns.type[row] != 0 else 1
    data = columns.data
    out: list[int] = []
    while first < end:
        out.append(word_at(data, first))
        first += 1
    return out


def unknown_row(columns: Columns) -> int:
    """The first instruction whose opcode is not known, so that what it defines isn't either; -1 where all are."""
    seen: dict[int, bool] = {}
    for row in range(len(columns.op)):
        code = int(columns.op[row])
        known = seen.get(code)
        if known is None:
            known = seen[code] = info(code) is not None
        if not known:
            return row
    return -1


def parse(data: bytes, file: str = "<module>") -> Columns:
    """Read a binary of either endianness. Raises InputError with the word offset of each fault (RK0101 to RK0109)."""
    columns = _header(data, file)
    faults: list[Diagnostic] = []
    _instructions(columns, faults)
    if faults:
        raise InputError(faults)
    return columns


def _fault(code: str, message: str, file: str, word: int) -> Diagnostic:
    return Diagnostic(code, message, Place(file, word=word))


def _header(data: bytes, file: str) -> Columns:
    if len(data) < 4 * HEADER_WORDS:
        message = f"a SPIR-V module starts with a header of 20 bytes, this has {len(data)}"
        raise InputError([_fault("RK0101", message, file, 0)])
    magic = word_at(data, 0)
    big_endian = magic == 0x03022307
    if magic != MAGIC and not big_endian:
        message = f"not a SPIR-V module: it starts with 0x{magic:08x}, not with 0x{MAGIC:08x}"
        raise InputError([_fault("RK0101", message, file, 0)])
    if len(data) % 4 != 0:
        message = f"a module is made of words of 4 bytes, but this has {len(data)} bytes"
        raise InputError([_fault("RK0102", message, file, len(data) // 4)])
    if len(data) >= 1 << 31:
        raise InputError([_fault("RK0102", f"a module of {len(data)} bytes; the most is 2 GiB", file, 0)])
    columns = Columns(swapped(data) if big_endian else data, file, big_endian)
    wrong = version_fault(columns.version)
    if wrong:
        raise InputError([_fault("RK0109", wrong, file, 1)])
    most = max(IDS_ALWAYS, IDS_PER_WORD * (len(data) // 4))
    if columns.bound == 0 or columns.bound > most:
        fault = _fault("RK0107", f"an id bound of {columns.bound} in a module of {len(data) // 4} words", file, 3)
        fault.notes.append(Note(f"ids are below the bound; for a module of this size it may be 1 to {most}"))
        raise InputError([fault])
    return columns


def _instructions(columns: Columns, faults: list[Diagnostic]) -> None:
    data = columns.data
    file = columns.file
    flags = _FLAGS.get()
    known: i64 = len(flags)
    end: i64 = len(data) // 4
    bound: i64 = columns.bound
    guess: i64 = end // 4 + 1
    ops = vec[i32](capacity=guess)
    ats = vec[i32](capacity=guess)
    sizes = vec[i32](capacity=guess)
    results = vec[i32](capacity=guess)
    types = vec[i32](capacity=guess)
    in_function = vec[i32](capacity=guess)
    in_block = vec[i32](capacity=guess)
    functions = vec[i32]()
    labels = vec[i32]()
    definition = filled(bound, -1)
    function: i32 = -1
    block: i32 = -1
    row: i32 = 0
    at: i64 = HEADER_WORDS
    while at < end:
        first: i64 = i64(read_i32_le(data, at * 4))
        size: i64 = (first >> 16) & 0xFFFF
        code: i64 = first & 0xFFFF
        if size == 0:
            faults.append(_fault("RK0103", "an instruction that says it has no words", file, at))
            return
        if at + size > end:
            message = f"an instruction of {size} words starts {end - at} words before the end of the module"
            faults.append(_fault("RK0104", message, file, at))
            return
        flag: i32 = flags[code] if code < known else 0
        shape: i32 = flag & 3
        result: i64 = 0
        kind: i64 = 0
        if shape != 0:
            if size <= i64(shape):
                message = f"opcode {code} has a result, but the instruction ends before it"
                faults.append(_fault("RK0108", message, file, at))
                return
            if shape == 2:
                kind = i64(read_i32_le(data, at * 4 + 4))
                result = i64(read_i32_le(data, at * 4 + 8))
                if kind <= 0 or kind >= bound:
                    message = f"type id {kind & 0xFFFFFFFF} is not between 1 and the bound {bound}"
                    faults.append(_fault("RK0105", message, file, at + 1))
                    kind = 0
            else:
                result = i64(read_i32_le(data, at * 4 + 4))
            if result <= 0 or result >= bound:
                message = f"result id {result & 0xFFFFFFFF} is not between 1 and the bound {bound}"
                faults.append(_fault("RK0105", message, file, at + i64(shape)))
                result = 0
            elif definition[result] >= 0:
                fault = _fault("RK0106", f"id %{result} is defined twice", file, at)
                earlier: i64 = i64(ats[i64(definition[result])])
                fault.notes.append(Note("it was defined before here", Place(file, word=earlier)))
                faults.append(fault)
            else:
                definition[result] = row
            if len(faults) >= MAX_FAULTS:
                return
        if code == op.Function:
            function = i32(len(functions))
            functions = append(functions, row)
            block = -1
        elif code == op.Label:
            block = i32(len(labels))
            labels = append(labels, row)
        ops = append(ops, i32(code))
        ats = append(ats, i32(at))
        sizes = append(sizes, i32(size))
        results = append(results, i32(result))
        types = append(types, i32(kind))
        in_function = append(in_function, function)
        in_block = append(in_block, block)
        if flag >= 4:
            block = -1
        elif code == op.FunctionEnd:
            function = -1
            block = -1
        row += 1
        at += size
    spend(i64(row) // 16)
    columns.op = ops
    columns.at = ats
    columns.size = sizes
    columns.result = results
    columns.type = types
    columns.function = in_function
    columns.block = in_block
    columns.functions = functions
    columns.labels = labels
    columns.definition = definition


def swapped(data: bytes) -> bytes:
    """The same words with their bytes in the other order. `data` is a whole number of words."""
    words = array("I", data)
    words.byteswap()
    return words.tobytes()


def to_bytes(words: vec[i32], big_endian: bool = False) -> bytes:
    """A column of words as a file's bytes."""
    data = bytes(memoryview(words))
    return swapped(data) if big_endian != (sys.byteorder == "big") else data


def header(version: int, generator: int, bound: int, schema: int = 0) -> list[int]:
    """The five words that a module starts with. `version` is as it is stored: 0x00010600 is 1.6."""
    return [MAGIC, version, generator, bound, schema]
