"""The one opcode table: what the Khronos grammar, or our own, says of every instruction and enumerant.

    opcodes.txt (rows of text)  --first question--> dictionaries of rows --a row asked for--> OpInfo, Enumerant, ExtInst

Printer, parser, verifier, reader, writer and simulator ask here; code names opcodes by `op`, enumerants by `enums`.
What the grammar does not know gets `None` or its number as text, never an error: newer modules are carried as they are.
"""

import os
from typing import Final, final

from reknit.ir import op
from reknit.source.digits import integer

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
        self.name = fields[0].partition(" ")[2]
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
        self._fields = fields

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
    """One operand kind: `category` is BitEnum, ValueEnum, Id, Literal or Composite; `bases` are a composite's parts.

    A kind has hundreds of enumerants, of which a module uses five: each is made of its row when it is asked for.
    """

    __slots__ = ("name", "category", "bases", "_rows", "_enumerants", "_names")

    def __init__(self, name: str, rows: list[str]) -> None:
        self.name = name
        self.category = rows[0]
        self.bases: tuple[str, ...] = tuple(rows[1:]) if rows[0] == "Composite" else ()
        self._rows: dict[str, str] = {} if self.bases else {row[: row.index("|")]: row for row in rows[1:]}
        self._enumerants: dict[int, Enumerant | None] = {}
        self._names: dict[str, int] = {}

    def of_value(self, value: int) -> Enumerant | None:
        """The enumerant of this value or bit."""
        if value in self._enumerants:
            return self._enumerants[value]
        row = self._rows.get(str(value))
        enumerant = Enumerant(row) if row is not None else None
        self._enumerants[value] = enumerant
        return enumerant

    def of_name(self, name: str) -> Enumerant | None:
        """The enumerant of this name, its own or an alias."""
        value = self.names().get(name)
        return self.of_value(value) if value is not None else None

    def names(self) -> dict[str, int]:
        """The value of each name; an alias is one too, where no enumerant has it for its own."""
        if not self._names:
            for number, row in self._rows.items():
                self._names[row.split("|", 2)[1]] = int(number)
            for number, row in self._rows.items():
                for alias in row[row.rindex("|") + 1 :].split():
                    self._names.setdefault(alias, int(number))
        return self._names

    def values(self) -> dict[int, str]:
        """The name of each value, ascending."""
        return {int(number): row.split("|", 2)[1] for number, row in self._rows.items()}


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
    """The file's sections, and what has been made of them so far."""

    def __init__(self) -> None:
        self.version = ""
        self.sections: dict[str, str] = {}
        self.rows: dict[str, str] = {}
        self.codes: dict[str, int] = {}
        self.infos: dict[int, OpInfo | None] = {}
        self.kinds: dict[str, Kind] = {}
        self.forms: dict[str, int] = {}
        self.sets: dict[str, ExtSet | None] = {}
        self.specs: dict[str, tuple[OperandSpec, ...]] = {}

    def load(self) -> None:
        with open(os.path.join(os.path.dirname(__file__), "opcodes.txt"), encoding="utf-8") as file:
            head, *sections = file.read().removesuffix("\n").split("\n[")
        self.version = head.split("\n")[1]
        for section in sections:
            title, _, rows = section.partition("]\n")
            self.sections[title] = rows

    def numbered(self, title: str) -> dict[str, str]:
        """The rows of a section whose rows begin with a number, by that."""
        return dict([row.split(" ", 1) for row in self.sections[title].split("\n")])


_TABLE: Final = _Table()


def _table() -> _Table:
    if not _TABLE.sections:
        _TABLE.load()
    return _TABLE


def _rows() -> dict[str, str]:
    """Opcode, as text -> the row of the instruction, which begins with it."""
    table = _table()
    if not table.rows:
        table.rows = dict(zip(table.sections["codes"].split(), table.sections["instructions"].split("\n"), strict=True))
    return table.rows


def _form(kind: str) -> int:
    if kind.startswith("Id"):
        return ID
    form = _LITERAL_FORMS.get(kind)
    if form is None:
        form = _TABLE.forms.get(kind)
    if form is None:
        form = _form_of_enum(_table().sections[f"kind {kind}"].split("\n"))
        _TABLE.forms[kind] = form
    return form


def _form_of_enum(rows: list[str]) -> int:
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
    return _table().numbered("generators").get(str(tool), "")


def info(code: int) -> OpInfo | None:
    """What the grammar says of the instruction with this opcode, or None."""
    infos = _TABLE.infos
    if code in infos:
        return infos[code]
    row = _rows().get(str(code))
    about = OpInfo(code, row) if row is not None else None
    infos[code] = about
    return about


def by_name(name: str) -> OpInfo | None:
    """The instruction of this name, without "Op", by its own name or an alias ("IAdd")."""
    table = _table()
    if not table.codes:
        for number, row in _rows().items():
            table.codes[row[row.index(" ") + 1 : row.index("|")]] = int(number)
        for number, row in _rows().items():
            for alias in row[row.rindex("|") + 1 :].split():
                table.codes.setdefault(alias, int(number))
    code = table.codes.get(name)
    return info(code) if code is not None else None


def all_codes() -> list[int]:
    """Every opcode of the table, ascending: SPIR-V's, then our own."""
    return [int(number) for number in _rows()]


def result_flags() -> dict[int, int]:
    """Opcode -> its words of result: 1 (result id) or 2 (result type, result id), where it has any. Cheaper than `info`
    on each."""
    flags: dict[int, int] = {}
    for words, codes in _table().numbered("results").items():
        for code in codes.split():
            flags[int(code)] = int(words)
    return flags


def kind(name: str) -> Kind:
    """An operand kind by its grammar name. The kinds of an extended set carry its name: "DebugInfo:DebugOperation"."""
    known = _TABLE.kinds.get(name)
    if known is None:
        known = Kind(name, _table().sections[f"kind {name}"].split("\n"))
        _TABLE.kinds[name] = known
    return known


def with_implied(capabilities: list[int]) -> set[int]:
    """The capabilities with those that they imply (SPIR-V 1.6, 3.2.30 "Capability")."""
    table = kind("Capability")
    implied = set(capabilities)
    work = list(capabilities)
    while work:
        known = table.of_value(work.pop())
        for name in known.capabilities if known is not None else ():
            value = table.names()[name]
            if value not in implied:
                implied.add(value)
                work.append(value)
    return implied


def is_enum(kind_name: str) -> bool:
    """Whether operands of this kind are words with names (a value or a mask)."""
    rows = _table().sections.get(f"kind {kind_name}", "")
    return rows.startswith(("ValueEnum", "BitEnum"))


def opcode_name(code: int) -> str:
    """`OpLoad`; "opcode 12345" of one that the grammar does not know."""
    known = info(code)
    return f"Op{known.name}" if known is not None else f"opcode {code}"


def enum_name(kind_name: str, value: int) -> str:
    """The enumerant's name; for masks "A|B", lowest bit first, "None" where none is set. Unknown parts are numbers."""
    table = kind(kind_name)
    enumerant = table.of_value(value)
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
            enumerant = table.of_value(bit)
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
        enumerant = table.of_name(part)
        if enumerant is not None:
            value |= enumerant.value
        elif part == "None" and table.category == "BitEnum":
            value |= 0
        elif part.isascii() and part[:1].isdigit():
            try:
                value |= integer(part, 0)
            except ValueError:
                return None
        else:
            return None
    return value if value <= 0xFFFFFFFF else None


def enum_parameters(kind_name: str, value: int) -> tuple[OperandSpec, ...]:
    """The operands that follow this enumerant; for a mask those of each set bit, lowest bit first."""
    table = kind(kind_name)
    if table.category != "BitEnum" or value == 0:
        enumerant = table.of_value(value)
        return enumerant.parameters if enumerant is not None else ()
    specs: tuple[OperandSpec, ...] = ()
    for place in range(32):
        if value >> place & 1:
            enumerant = table.of_value(1 << place)
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
    imported: ExtSet | None = None
    for title, rows in _table().sections.items():
        what, _, name = title.partition(" ")
        if what == "set" and (name == set_name or (name.endswith("*") and set_name.startswith(name[:-1]))):
            imported = ExtSet(set_name, rows.split("\n"))
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
