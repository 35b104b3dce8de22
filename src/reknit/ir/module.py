"""A module: everything between two SPIR-V headers, section by section.

    capabilities, extensions, imports, memory model, entry points, execution modes     preamble: a list each, in order
    strings, sources, names, module-processed, decorations                             annotations about the rest
    types, constants, global variables                                                 globals, in order of definition
    functions

Source: SPIR-V 1.6, 2.4 "Logical Layout of a Module". Instructions of the preamble and the annotations are not users
of what they name: an annotation never keeps a value alive, and is dropped on writing when its target is gone.
"""

from typing import final

from reknit.ir.function import Function
from reknit.ir.instr import Instr, Operand
from reknit.ir.source_places import Places
from reknit.source.diagnostic import Diagnostic

TypeKey = tuple[object, ...]


@final
class Module:
    """`version` is the SPIR-V version word (0x00010600), `generator` the header's generator word.

    `interned` finds the type or constant with a given opcode, type and operands; see `ir.types` and `ir.constants`.
    """

    __slots__ = (
        "version",
        "generator",
        "schema",
        "bound",
        "capabilities",
        "extensions",
        "imports",
        "memory_model",
        "entry_points",
        "execution_modes",
        "sources",
        "names",
        "processed",
        "decorations",
        "globals",
        "functions",
        "closing",
        "interned",
        "path",
        "notes",
        "places",
        "language",
    )

    def __init__(self, version: int = 0x00010600) -> None:
        self.version = version
        self.generator = 0
        self.schema = 0
        self.bound = 1
        self.capabilities: list[Instr] = []
        self.extensions: list[Instr] = []
        self.imports: list[Instr] = []
        self.memory_model: list[Instr] = []
        self.entry_points: list[Instr] = []
        self.execution_modes: list[Instr] = []
        self.sources: list[Instr] = []
        self.names: list[Instr] = []
        self.processed: list[Instr] = []
        self.decorations: list[Instr] = []
        self.globals: list[Instr] = []
        self.functions: list[Function] = []
        self.closing: list[Instr] = []  # debug information after the last function
        self.interned: dict[TypeKey, Instr] = {}
        self.path = "<module>"  # where it came from, for diagnostics
        self.notes: list[Diagnostic] = []  # what reading it had to say: functions that are no tree, and why
        self.places: Places | None = None  # of its parts in the text it was read from
        self.language = ""  # "Slang" or "HLSL" if made of such a text, which says more of a switch than SPIR-V

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        from reknit.source.shown import shown

        return shown(self)

    def __reduce__(self) -> tuple[object, ...]:
        """How `copy` and `pickle` make a second module: by its text. It has no places in the file that was read."""
        from reknit.ir.copy import check_whole
        from reknit.ir.text.printer import print_module

        check_whole(self)
        return _again, (print_module(self), self.path, list(self.notes), self.language)

    def __repr__(self) -> str:
        """`<examples/a.spvasm: SPIR-V 1.5, entry points @main, 3 functions>`; `str` is the whole .rk text."""
        from reknit.ir.text.names import Names

        names = Names()
        entries = [instr.value(1) for instr in self.entry_points]
        parts = [f"SPIR-V {self.version >> 16 & 0xFF}.{self.version >> 8 & 0xFF}"]
        if entries:
            parts.append(f"entry point{'s' * (len(entries) > 1)} {', '.join([names.of(entry) for entry in entries])}")
        parts.append(f"{len(self.functions)} function{'s' * (len(self.functions) != 1)}")
        return f"<{self.path.strip('<>')}: {', '.join(parts)}>"

    def __str__(self) -> str:
        from reknit.ir.text.printer import print_module

        return print_module(self)

    def copy(self) -> "Module":
        """A second module with the same contents: edits of either leave the other as it is. Its parts name the places
        of this one's in messages. Refused (RK0486) while code that was taken out floats."""
        from reknit.ir.copy import copy_module

        return copy_module(self)

    def __copy__(self) -> "Module":
        return self.copy()

    def __deepcopy__(self, memo: object) -> "Module":
        return self.copy()

    def function(self, name: str) -> Function:
        """The function of that name: "main", "@main", its id as "%12", or the name of the entry point that it is.

        Raises InputError (RK0012) where there is none, or several.
        """
        from reknit.ir.find import function_named

        return function_named(self, name)

    def modes_of(self, function: object) -> list[Instr]:
        """The execution modes of an entry point, by its function."""
        return [mode for mode in self.execution_modes if mode.operands[0] is function]

    def sections(self) -> list[list[Instr]]:
        """The module-level sections before the functions, in the order of the logical layout."""
        return [
            self.capabilities,
            self.extensions,
            self.imports,
            self.memory_model,
            self.entry_points,
            self.execution_modes,
            self.sources,
            self.names,
            self.processed,
            self.decorations,
            self.globals,
        ]

    def intern(self, op: int, type: Instr | None, operands: list[Operand], name: str = "") -> Instr:
        """The one global with this opcode, type and operands, added at the end of `globals` if there is none."""
        key = intern_key(op, type, operands)
        interned = self.interned.get(key)
        if interned is None:
            interned = Instr(op, type, operands, name)
            self.globals.append(interned)
            self.interned[key] = interned
        return interned


def _again(text: str, path: str, notes: list[Diagnostic], language: str) -> Module:
    from reknit.ir.text.parser import parse

    module = parse(text, path)
    module.path = path
    module.notes = notes
    module.language = language
    module.places = None
    return module


def intern_key(op: int, type: Instr | None, operands: list[Operand]) -> TypeKey:
    key: list[object] = [op, type]
    key.extend(operands)
    return tuple(key)


def annotation(op: int, operands: list[Operand]) -> Instr:
    """An instruction of the preamble or the annotations: it names values without using them."""
    instr = Instr(op, None, [], "", False)
    instr.operands = operands
    return instr
