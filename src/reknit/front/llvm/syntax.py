"""The nouns of an LLVM module's text.

    Program ─ Type (named), Global, Routine (define, declare), Node (metadata)
    Routine ─ Parameter, Chunk (basic block) ─ Statement (instruction) ─ Operand

An Operand has a type and is a local, a global, a constant, or an expression over operands.
"""

from typing import Final, final

from reknit.source.diagnostic import Diagnostic

VOID: Final = "void"
INT: Final = "int"
FLOAT: Final = "float"
PTR: Final = "ptr"
ARRAY: Final = "array"
STRUCT: Final = "struct"
VECTOR: Final = "vector"
OTHER: Final = "other"

LOCAL: Final = "local"
GLOBAL: Final = "global"
NUMBER: Final = "number"
UNDEF: Final = "undef"
ZERO: Final = "zero"
LIST: Final = "list"
EXPRESSION: Final = "expression"
META: Final = "meta"


@final
class Type:
    """`width` is in bits of an int or float; `count` elements of an array or vector, or the address space of a pointer;
    `parts` are those of a struct, or the one element type. `name` is the text, for messages."""

    __slots__ = ("kind", "width", "count", "parts", "name", "packed")

    def __init__(self, kind: str, name: str, width: int = 0, count: int = 0, parts: "list[Type] | None" = None) -> None:
        self.kind = kind
        self.name = name
        self.width = width
        self.count = count
        self.parts: list[Type] = parts if parts is not None else []
        self.packed = False

    def is_bool(self) -> bool:
        return self.kind == INT and self.width == 1


@final
class Operand:
    """`text` names a local, global or block, or is the operation of an expression; `number` is an integer's value or a
    float's bits; `parts` are those of a list or expression; `align` is what a call says of a pointer, 0 if nothing."""

    __slots__ = ("kind", "type", "text", "number", "parts", "source", "align")

    def __init__(self, kind: str, type: Type, text: str = "", number: int = 0) -> None:
        self.kind = kind
        self.type = type
        self.text = text
        self.number = number
        self.parts: list[Operand] = []
        self.source: Type | None = None  # what a getelementptr expression steps over
        self.align = 0


@final
class Statement:
    """An instruction. `name` is that of its result ("" if none), `type` the result's.

    `words` are what stands between: a predicate, an atomic's operation and orderings. `source` is the type that an
    alloca, load, store, getelementptr is about; `literals` the indices of extractvalue and insertvalue; `blocks` the
    targets of a branch or switch, and the sources of a phi. `token` is the convergence token of a call. `origin` is the
    statement that this one was copied from.
    """

    __slots__ = (
        "op", "name", "type", "operands", "words", "source", "literals", "blocks", "callee", "token", "align",
        "metadata", "line", "known", "origin",
    )  # fmt: skip

    def __init__(self, op: str, name: str, line: int, type: Type) -> None:
        self.op = op
        self.name = name
        self.line = line
        self.type = type
        self.operands: list[Operand] = []
        self.words: list[str] = []
        self.source: Type | None = None
        self.literals: list[int] = []
        self.blocks: list[str] = []
        self.callee = ""
        self.token = ""
        self.align = 0
        self.metadata: dict[str, str] = {}
        self.known = True
        self.origin: Statement | None = None


@final
class Chunk:
    """A basic block; the last statement is its terminator."""

    __slots__ = ("name", "statements")

    def __init__(self, name: str) -> None:
        self.name = name
        self.statements: list[Statement] = []

    def targets(self) -> list[str]:
        """Names of the blocks it may go to, each once."""
        return list(dict.fromkeys(self.statements[-1].blocks)) if self.statements else []


@final
class Routine:
    """A function, defined if it has chunks. `convention` is the calling convention's word ("" for the usual). `byval`
    are the parameters that point to a copy of the callee's own, with what they point to. `groups` are the numbers of
    its attributes. `wrong` says why it can't be read, if it can't."""

    __slots__ = (
        "name", "result", "parameters", "chunks", "convention", "metadata", "line", "variadic", "byval", "groups",
        "wrong",
    )  # fmt: skip

    def __init__(self, name: str, result: Type, line: int) -> None:
        self.name = name
        self.result = result
        self.parameters: list[tuple[str, Type]] = []
        self.chunks: list[Chunk] = []
        self.convention = ""
        self.metadata: dict[str, str] = {}
        self.line = line
        self.variadic = False
        self.byval: dict[str, Type] = {}
        self.groups: list[str] = []
        self.wrong: Diagnostic | None = None


@final
class Global:
    """`external`: another module defines it."""

    __slots__ = ("name", "type", "space", "constant", "initial", "line", "external")

    def __init__(self, name: str, type: Type, space: int, constant: bool, initial: Operand | None, line: int) -> None:
        self.name = name
        self.type = type
        self.space = space
        self.constant = constant
        self.initial = initial
        self.line = line
        self.external = False


Node = list["Operand | str | None"]
"""A metadata node: constants, names of other nodes as "!12", strings as "text", None."""


@final
class Program:
    """`minimum`: DXIL of minimum precision, in which types of 16 bits ask for at least that. `attributes` are those
    with values, by the number of their group."""

    __slots__ = ("layout", "minimum", "types", "globals", "routines", "nodes", "named", "lines", "attributes")

    def __init__(self) -> None:
        self.layout = ""
        self.minimum = False
        self.types: dict[str, Type] = {}
        self.globals: dict[str, Global] = {}
        self.routines: dict[str, Routine] = {}
        self.nodes: dict[str, Node] = {}
        self.named: dict[str, list[str]] = {}
        self.lines: list[str] = []
        self.attributes: dict[str, dict[str, str]] = {}
