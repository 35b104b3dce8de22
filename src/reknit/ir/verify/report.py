"""Where faults are collected, each with its function, its block and the text of its instruction.

    @main, b3, `%x = IAdd %a, %b : u32`: %b is not defined before it
"""

from typing import Final, final

from reknit.ir.block import Block
from reknit.ir.function import Function
from reknit.ir.instr import Instr
from reknit.ir.module import Module
from reknit.ir.text.line import Writer
from reknit.ir.text.tree import number_blocks
from reknit.ir.value import Value
from reknit.source.diagnostic import Diagnostic
from reknit.source.place import Place

MAX_LENGTH: Final = 160  # characters of an instruction's text


@final
class Mark:
    """A fault where it shows: `at` is the instruction, block, construct or function it is about (None: the module),
    `text` its code and message."""

    __slots__ = ("function", "at", "text")

    def __init__(self, function: Function | None, at: Value | None, text: str) -> None:
        self.function = function
        self.at = at
        self.text = text


@final
class Report:
    """The faults of one module. Names are those that the function would be printed with; `marks` go with `faults`."""

    __slots__ = ("module", "faults", "marks", "writer", "function", "numbered", "unsound")

    def __init__(self, module: Module) -> None:
        self.module = module
        self.faults: list[Diagnostic] = []
        self.marks: list[Mark] = []
        self.writer = Writer(None)
        self.function: Function | None = None
        self.numbered = True
        self.unsound: dict[Function, None] = {}

    def enter(self, function: Function | None) -> None:
        """What follows is about `function`, or about the module if None."""
        self.function = function
        self.numbered = function is None or function in self.unsound

    def name(self, value: Value) -> str:
        self._number()
        return self.writer.value(value)

    def fault(
        self, code: str, message: str, block: Block | None = None, instr: Instr | None = None, at: Value | None = None
    ) -> None:
        """`at` is what the fault is about, if that is neither `instr` nor `block`."""
        self._number()
        self.marks.append(Mark(self.function, at or instr or block or self.function, f"{code}: {message}"))
        where: list[str] = []
        if self.function is not None:
            where.append(self.writer.names.of(self.function))
        if block is not None:
            where.append(self.writer.names.of(block))
        if instr is not None:
            text = self.writer.instruction(instr)
            where.append(f"`{text if len(text) <= MAX_LENGTH else text[:MAX_LENGTH] + '...'}`")
        if where:
            message = f"{', '.join(where)}: {message}"
        self.faults.append(Diagnostic(code, message, self._place(at or instr or block or self.function)))

    def _place(self, value: Value | None) -> Place:
        """Where the text that the module was read from has `value`; links, which may be broken, are not followed."""
        places = self.module.places
        position = places.starts.get(value) if places is not None and value is not None else None
        return places.find(position) if places is not None and position is not None else Place(self.module.path)

    def broken(self) -> None:
        """The function at hand can't be walked: blocks are named as they are mentioned, from here on."""
        self.numbered = True
        if self.function is not None:
            self.unsound[self.function] = None

    def _number(self) -> None:
        if not self.numbered and self.function is not None:
            self.numbered = True
            self.writer.names.start_function()
            number_blocks(self.writer, self.function)
