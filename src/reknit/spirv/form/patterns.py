"""What the grammar says of an opcode's words, in columns that are filled when an opcode is first met.

    IAdd            id id                         CompositeConstruct  id, again and again
    Load            id, perhaps MemoryAccess      ExecutionMode       id ExecutionMode
    Name            id string                     EntryPoint          word id string, ids

What follows an enumerant is looked up once for each of its values. Opcodes whose operands depend on each other
otherwise (`BY_GRAMMAR`) are walked by `ir.operands.decode`.
"""

from typing import Final, final

from reknit.ir import op, opcodes, traits
from reknit.ir.opcodes import NAMES_NO_TYPE
from reknit.ir.operands import SCOPES
from reknit.ir.text.sections import home_of, only_in_functions
from reknit.source.columns import i32, i64, vec
from reknit.spirv.form.kinds import kind_of
from reknit.spirv.words import filled

NOT_ASKED: Final = -1
BY_GRAMMAR: Final = -2
UNKNOWN: Final = -3  # the grammar has no such opcode

NO_TAIL: Final = 0
STRING: Final = 1
STRING_AND_IDS: Final = 2
FIRST_ENUM: Final = 3  # from here on: an enumerant of `Patterns.enums[tail - FIRST_ENUM]` with its parameters

TYPE: Final = 1  # declares a type
NOT_GLOBAL: Final = 2  # stands in functions only
NOT_IN_BLOCK: Final = 4  # has no place among a block's instructions
IN_GLOBALS: Final = 8  # before the functions it is one of the types, constants and variables

MAX_WORDS: Final = 60
ODD_PARAMETERS: Final = -1  # not just words and ids



@final
class Patterns:
    """By opcode: `least` to `count` words after the result, the last of them again and again if `repeats`; bit i of
    `ids` says that word i is an id, of `scopes` that it is a scope or memory semantics; `tail` what follows; `kind` how
    the types go together (`kinds`), `flags` where it may stand. `count` is NOT_ASKED, BY_GRAMMAR or UNKNOWN where there
    is no pattern."""

    __slots__ = (
        "codes", "ids", "count", "least", "repeats", "tail", "needed", "kind", "flags", "scopes", "enums", "known",
    )  # fmt: skip

    def __init__(self) -> None:
        self.codes: i64 = 1 + max([code for code in opcodes.all_codes() if code < opcodes.FIRST_OWN])
        count: i64 = self.codes
        self.ids: vec[i64] = vec[i64]([0] * count)
        self.count: vec[i32] = filled(count, NOT_ASKED)
        self.least: vec[i32] = filled(count, 0)
        self.repeats: vec[i32] = filled(count, 0)
        self.tail: vec[i32] = filled(count, NO_TAIL)
        self.needed: vec[i32] = filled(count, 0)  # whether the tail must be there
        self.kind: vec[i32] = filled(count, 0)
        self.flags: vec[i32] = filled(count, 0)
        self.scopes: vec[i64] = vec[i64]([0] * count)
        self.enums: list[str] = []
        self.known: list[dict[int, int]] = []

    def learn(self, code: i64) -> None:
        """Ask the grammar about an opcode below `codes`."""
        about = opcodes.info(int(code))
        if about is None:
            self.count[code] = UNKNOWN
            return
        self.kind[code] = kind_of(int(code))
        self.flags[code] = _flags(about)
        self.scopes[code] = _scopes(about)
        self.count[code] = BY_GRAMMAR
        if code == op.ExtInst:  # a set, the number, and ids; `extended` knows which sets have others
            self.ids[code] = 0b101
            self.least[code] = 2
            self.repeats[code] = 1
            self.count[code] = 3
            return
        ids = 0
        count = 0
        least = 0
        repeats = False
        tail = NO_TAIL
        needed = False
        for spec in about.operands:
            if tail == STRING and spec.form == opcodes.ID and spec.quantifier == "*":
                tail = STRING_AND_IDS
            elif tail != NO_TAIL or repeats or count == MAX_WORDS:
                return
            elif spec.form == opcodes.ID or spec.form == opcodes.WORD:
                if least < count and spec.quantifier == "":
                    return
                ids |= (1 if spec.form == opcodes.ID else 0) << count
                count += 1
                least += 1 if spec.quantifier == "" else 0
                repeats = spec.quantifier == "*"
            elif spec.quantifier == "*" or least < count:
                return
            elif spec.form == opcodes.STRING and spec.quantifier == "":
                tail = STRING
            elif spec.form == opcodes.VALUE or spec.form == opcodes.MASK:
                tail = FIRST_ENUM + self._enum(spec.kind)
                needed = spec.quantifier == ""
            else:
                return
        self.ids[code] = ids
        self.least[code] = least
        self.repeats[code] = 1 if repeats else 0
        self.tail[code] = tail
        self.needed[code] = 1 if needed else 0
        self.count[code] = count

    def _enum(self, kind: str) -> int:
        if kind not in self.enums:
            self.enums.append(kind)
            self.known.append({})
        return self.enums.index(kind)

    def parameters(self, tail: i64, value: int) -> int:
        """What an enumerant brings: how many words, and in the bits from 8 on which of them are ids; ODD_PARAMETERS
        for strings and what the grammar does not know."""
        place = int(tail) - FIRST_ENUM
        known = self.known[place].get(value)
        if known is None:
            known = _parameters(self.enums[place], value)
            if len(self.known[place]) < 10_000:
                self.known[place][value] = known
        return known


def _parameters(kind: str, value: int) -> int:
    table = opcodes.kind(kind)
    parts = [value]
    if table.category == "BitEnum":
        parts = [1 << place for place in range(32) if value >> place & 1]
    if any(table.of_value(part) is None for part in parts):
        return ODD_PARAMETERS
    count = 0
    ids = 0
    for spec in opcodes.enum_parameters(kind, value):
        if spec.quantifier or (spec.form != opcodes.ID and spec.form != opcodes.WORD) or count == MAX_WORDS - 10:
            return ODD_PARAMETERS
        ids |= (1 if spec.form == opcodes.ID else 0) << count
        count += 1
    return count | ids << 8


def _flags(about: opcodes.OpInfo) -> int:
    code = about.code
    declares = about.has_result and not about.has_type
    flags = TYPE if declares and code not in NAMES_NO_TYPE and code != op.Label else 0
    if only_in_functions(code):
        flags |= NOT_GLOBAL
    if declares or code in traits.FRAME or code in traits.CONSTANT:
        flags |= NOT_IN_BLOCK
    if home_of(code) == "globals":
        flags |= IN_GLOBALS
    return flags


def _scopes(about: opcodes.OpInfo) -> int:
    if about.code not in traits.TANGLED and about.code not in traits.BARRIER and about.code not in traits.ATOMIC:
        return 0
    return sum([1 << place for place, spec in enumerate(about.operands) if spec.kind in SCOPES])


@final
class _Known:
    """The one table of a process."""

    __slots__ = ("patterns",)

    def __init__(self) -> None:
        self.patterns: Patterns | None = None


_KNOWN: Final = _Known()


def patterns() -> Patterns:
    known = _KNOWN.patterns
    if known is None:
        known = Patterns()
        _KNOWN.patterns = known
    return known
