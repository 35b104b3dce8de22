"""The one opcode table: what the Khronos grammar, or our own, says of every instruction and enumerant.

    opcodes.txt (rows of text)  --first question--> dictionaries of rows --a row asked for--> OpInfo, Enumerant, ExtInst

Printer, parser, verifier, reader, writer and simulator ask here; code names opcodes by `op`, enumerants by `enums`.
What the grammar does not know gets `None` or its number as text, never an error: newer modules are carried as they are.
"""

import os
from typing import Final, final

from reknit.ir import op

# How an operand is laid out in words; `OperandSpec.form` is one of these.
ID: Final = 0  # one word, an id
WORD: Final = 1  # one word, a number or an enumerant that takes no operands of its own
STRING: Final = 2  # UTF-8, ended by a zero byte, padded to whole words
VALUE: Final = 3  # one word, an enumerant whose own operands follow
MASK: Final = 4  # one word of bits; the operands of each set bit follow, lowest bit first
PAIR: Final = 5  # two operands that come and go together
TYPED: Final = 6  # a number as wide as a type says
EXTENDED: Final = 7  # an instruction number of an extended set, whose operands follow
OPCODE: Final = 8  # an opcode whose operands follow (OpSpecConstantOp)

FIRST_VALUE: Final = 77  # OpVectorExtractDynamic
LAST_VALUE: Final = 215  # OpFwidthCoarse
"""Between these two the specification lists what computes: composites, conversions, arithmetic, bits, relations,
derivatives; image instructions in the middle take images as values too."""

NAMES_NO_TYPE: Final = (op.String, op.ExtInstImport, op.DecorationGroup)
"""These have a result without a type, which is no type either."""

OF_OPENCL: Final = ("OpenCL.DebugInfo.100", "DebugInfo")
"""Extended sets of debug information whose instructions may stand before phis."""

FIRST_OWN: Final = 0x10000  # from here on the instructions are our own, which no SPIR-V word holds

_LITERAL_FORMS: Final = {
    "LiteralInteger": WORD,
    "LiteralFloat": WORD,
    "LiteralString": STRING,
    "LiteralContextDependentNumber": TYPED,
    "LiteralExtInstInteger": EXTENDED,
    "LiteralSpecConstantOpInteger": OPCODE,
}


@final
class OperandSpec:
    """One operand as the grammar lists it. `quantifier` is "" (once), "?" (at most once) or "*" (any number)."""

    __slots__ = ("kind", "quantifier", "name", "form")

    def __init__(self, kind: str, quantifier: str, name: str, form: int) -> None:
        self.kind = kind
        self.quantifier = quantifier
        self.name = name
        self.form = form


@final
class OpInfo:
    """One instruction. `name` has no "Op"; `operands` leaves out result type and result, which are the two flags.

    `version` is the first SPIR-V version that has it ("1.3"; "None" for what only extensions give).
    """

    __slots__ = (
        "code", "name", "group", "has_type", "has_result", "operands", "capabilities", "extensions", "version",
        "aliases",
    )  # fmt: skip

    def __init__(self, code: int, row: str) -> None:
        fields = row.split("|")
        specs = _specs(fields[2])
        self.code = code
        self.name = fields[0]
        self.group = fields[1]
        self.has_type = bool(specs) and specs[0].kind == "IdResultType"
        first = 1 if self.has_type else 0
        self.has_result = len(specs) > first and specs[first].kind == "IdResult"
        self.operands: tuple[OperandSpec, ...] = specs[first + 1 if self.has_result else first :]
        self.capabilities: tuple[str, ...] = tuple(fields[3].split())
        self.extensions: tuple[str, ...] = tuple(fields[4].split())
        self.version = fields[5]
        self.aliases: tuple[str, ...] = tuple(fields[7].split())


@final
class Enumerant:
    """One value of an enumeration, or one bit of a mask, with the operands that it brings."""

    __slots__ = ("value", "name", "aliases", "_fields")

    def __init__(self, row: str) -> None:
        fields = row.split("|")
        self.value = int(fields[0])
        self.name = fields[1]
        self.aliases: list[str] = fields[7].split()
        self._fields = fields  # a kind has hundreds, of which a module uses five

    @property
    def parameters(self) -> tuple[OperandSpec, ...]:
        return _specs(self._fields[2])

    @property
    def capabilities(self) -> tuple[str, ...]:
        return tuple(self._fields[3].split())

    @property
    def extensions(self) -> tuple[str, ...]:
        return tuple(self._fields[4].split())

    @property
    def version(self) -> str:
        return self._fields[5]


@final
class Kind:
    """One operand kind: `category` is BitEnum, ValueEnum, Id, Literal or Composite; `bases` are a composite's parts."""

    __slots__ = ("name", "category", "by_value", "by_name", "bases")

    def __init__(self, name: str, rows: list[str]) -> None:
        self.name = name
        self.category = rows[0]
        self.by_value: dict[int, Enumerant] = {}
        self.by_name: dict[str, Enumerant] = {}
        self.bases: tuple[str, ...] = tuple(rows[1:]) if rows[0] == "Composite" else ()
        for row in rows[1:] if not self.bases else []:
            enumerant = Enumerant(row)
            self.by_value.setdefault(enumerant.value, enumerant)
            self.by_name[enumerant.name] = enumerant
            for alias in enumerant.aliases:
                self.by_name.setdefault(alias, enumerant)


@final
class ExtInst:
    """One instruction of an extended set."""

    __slots__ = ("number", "name", "operands", "capabilities")

    def __init__(self, row: str) -> None:
        fields = row.split("|")
        self.number = int(fields[0])
        self.name = fields[1]
        self.operands: tuple[OperandSpec, ...] = _specs(fields[2])
        self.capabilities: tuple[str, ...] = tuple(fields[3].split())


@final
class ExtSet:
    """One extended instruction set. The instructions of a non-semantic one take ids only and may all be ignored."""

    __slots__ = ("name", "nonsemantic", "by_number", "by_name")

    def __init__(self, name: str, rows: list[str]) -> None:
        self.name = name
        self.nonsemantic = name.startswith("NonSemantic.")
        self.by_number: dict[int, ExtInst] = {}
        self.by_name: dict[str, ExtInst] = {}
        for row in rows:
            inst = ExtInst(row)
            self.by_number[inst.number] = inst
            self.by_name[inst.name] = inst


@final
class _Table:
    """The file's rows, and what has been made of them so far."""

    def __init__(self) -> None:
        self.loaded = False
        self.version = ""
        self.generators: dict[str, str] = {}
        self.rows: dict[str, str] = {}
        self.kind_rows: dict[str, list[str]] = {}
        self.set_rows: dict[str, list[str]] = {}
        self.codes: dict[str, int] = {}
        self.infos: dict[int, OpInfo | None] = {}
        self.kinds: dict[str, Kind] = {}
        self.sets: dict[str, ExtSet | None] = {}
        self.specs: dict[str, tuple[OperandSpec, ...]] = {}

    def load(self) -> None:
        with open(os.path.join(os.path.dirname(__file__), "opcodes.txt"), encoding="utf-8") as file:
            head, *sections = file.read().removesuffix("\n").split("\n[")
        self.version = head.split("\n")[1]
        for section in sections:
            title, *rows = section.split("\n")
            what, _, name = title.removesuffix("]").partition(" ")
            if what == "kind":
                self.kind_rows[name] = rows
            elif what == "set":
                self.set_rows[name] = rows
            else:
                numbered = self.rows if what == "instructions" else self.generators
                for row in rows:
                    number, _, text = row.partition(" ")
                    numbered[number] = text
        self.loaded = True


_TABLE: Final = _Table()


def _table() -> _Table:
    if not _TABLE.loaded:
        _TABLE.load()
    return _TABLE


def _form(kind: str) -> int:
    if kind.startswith("Id"):
        return ID
    form = _LITERAL_FORMS.get(kind)
    if form is not None:
        return form
    rows = _table().kind_rows[kind]
    if rows[0] == "Composite":
        return PAIR
    if all(row.split("|", 3)[2] == "" for row in rows[1:]):
        return WORD
    return MASK if rows[0] == "BitEnum" else VALUE


def _specs(text: str) -> tuple[OperandSpec, ...]:
    known = _TABLE.specs.get(text)
    if known is not None:
        return known
    specs: list[OperandSpec] = []
    for part in text.split(";") if text else []:
        kind, _, name = part.partition(" ")
        quantifier = kind[-1] if kind[-1] in "?*" else ""
        kind = kind[:-1] if quantifier else kind
        specs.append(OperandSpec(kind, quantifier, name, _form(kind)))
    parsed = tuple(specs)
    _TABLE.specs[text] = parsed
    return parsed


def generator_name(tool: int) -> str:
    """The tool registered under this number (the upper half of a module's generator word), or ""."""
    return _table().generators.get(str(tool), "")


def info(code: int) -> OpInfo | None:
    """What the grammar says of the instruction with this opcode, or None."""
    infos = _TABLE.infos
    if code in infos:
        return infos[code]
    row = _table().rows.get(str(code))
    about = OpInfo(code, row) if row is not None else None
    infos[code] = about
    return about


def by_name(name: str) -> OpInfo | None:
    """The instruction of this name, without "Op", by its own name or an alias ("IAdd")."""
    table = _table()
    if not table.codes:
        for number, row in table.rows.items():
            table.codes[row[: row.index("|")]] = int(number)
        for number, row in table.rows.items():
            for alias in row[row.rindex("|") + 1 :].split():
                table.codes.setdefault(alias, int(number))
    code = table.codes.get(name)
    return info(code) if code is not None else None


def all_codes() -> list[int]:
    """Every opcode of the table, ascending: SPIR-V's, then our own."""
    return [int(number) for number in _table().rows]


def result_flags() -> dict[int, int]:
    """Opcode -> its words of result: 0, 1 (result id) or 2 (result type, result id). Cheaper than `info` on each."""
    flags: dict[int, int] = {}
    for number, row in _table().rows.items():
        operands = row.split("|", 3)[2]
        flags[int(number)] = 2 if operands.startswith("IdResultType;") else 1 if operands.startswith("IdResult") else 0
    return flags


def kind(name: str) -> Kind:
    """An operand kind by its grammar name. The kinds of an extended set carry its name: "DebugInfo:DebugOperation"."""
    known = _TABLE.kinds.get(name)
    if known is None:
        known = Kind(name, _table().kind_rows[name])
        _TABLE.kinds[name] = known
    return known


def is_enum(kind_name: str) -> bool:
    """Whether operands of this kind are words with names (a value or a mask)."""
    rows = _table().kind_rows.get(kind_name)
    return rows is not None and rows[0].endswith("Enum")


def enum_name(kind_name: str, value: int) -> str:
    """The enumerant's name; for masks "A|B", lowest bit first, "None" where none is set. Unknown parts are numbers."""
    table = kind(kind_name)
    enumerant = table.by_value.get(value)
    if enumerant is not None:
        return enumerant.name
    if table.category != "BitEnum":
        return str(value)
    if value == 0:
        return "None"
    parts: list[str] = []
    unknown = 0
    for place in range(32):
        bit = value & (1 << place)
        if bit:
            enumerant = table.by_value.get(bit)
            if enumerant is not None:
                parts.append(enumerant.name)
            else:
                unknown |= bit
    if unknown:
        parts.append(hex(unknown))
    return "|".join(parts)


def enum_value(kind_name: str, text: str) -> int | None:
    """The word for an enumerant's name, alias or number, for masks several of these joined by "|"; None if unknown."""
    table = kind(kind_name)
    value = 0
    for part in text.split("|") if table.category == "BitEnum" else [text]:
        enumerant = table.by_name.get(part)
        if enumerant is not None:
            value |= enumerant.value
        elif part == "None" and table.category == "BitEnum":
            value |= 0
        elif part.isascii() and part[:1].isdigit():
            try:
                value |= int(part, 0)
            except ValueError:
                return None
        else:
            return None
    return value if value <= 0xFFFFFFFF else None


def enum_parameters(kind_name: str, value: int) -> tuple[OperandSpec, ...]:
    """The operands that follow this enumerant; for a mask those of each set bit, lowest bit first."""
    table = kind(kind_name)
    if table.category != "BitEnum" or value == 0:
        enumerant = table.by_value.get(value)
        return enumerant.parameters if enumerant is not None else ()
    specs: tuple[OperandSpec, ...] = ()
    for place in range(32):
        if value >> place & 1:
            enumerant = table.by_value.get(1 << place)
            if enumerant is not None and enumerant.parameters:
                specs += enumerant.parameters
    return specs


def ext_set(set_name: str) -> ExtSet | None:
    """The extended set that an OpExtInstImport of this name imports, or None where the grammar has none.

    Versions of NonSemantic.Shader.DebugInfo and its like share one table, since later ones only add instructions.
    """
    sets = _TABLE.sets
    if set_name in sets:
        return sets[set_name]
    rows = _table().set_rows
    imported: ExtSet | None = None
    for name in rows:
        if name == set_name or (name.endswith("*") and set_name.startswith(name[:-1])):
            imported = ExtSet(set_name, rows[name])
            break
    sets[set_name] = imported
    return imported


def floats_by(set_name: str) -> bool:
    """Whether instructions of the extended set of this name may stand outside of blocks."""
    return set_name.startswith("NonSemantic.") or set_name in OF_OPENCL


def ext_inst(set_name: str, number: int) -> ExtInst | None:
    """An instruction of an extended set by its number."""
    imported = ext_set(set_name)
    return imported.by_number.get(number) if imported is not None else None
