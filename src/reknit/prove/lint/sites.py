"""Where each instruction, block, construct, case and function is, for a message: in the shading language's file if its
compiler noted that, else in the text or binary that was read.

    OpLine, DebugLine          blur.comp:41:20
    assembly, .rk              blur.spvasm:120:5
    binary                     blur.spv:word 311
    none of these              blur.spv
"""

from typing import final

from reknit.front.formats import ASSEMBLY, BINARY, TEXT
from reknit.ir import op, opcodes
from reknit.ir.block import Block
from reknit.ir.function import Function
from reknit.ir.instr import Instr
from reknit.ir.jump import Branch, Break, Continue, Exit, Fallthrough
from reknit.ir.module import Module
from reknit.ir.tree import Case, Construct, If, Loop, Scope, Switch
from reknit.ir.value import Value
from reknit.ir.walk import blocks, constructs
from reknit.prove.lint.debug_lines import lines_in
from reknit.prove.lint.rows import Part, rows_of_assembly, rows_of_binary
from reknit.prove.lint.words_in_text import words_by_function
from reknit.source.place import Place


@final
class Sites:
    """`of` gives the place of a value of the module."""

    __slots__ = ("module", "places")

    def __init__(self, module: Module, data: bytes | None = None, format: str | None = None) -> None:
        """`data` is what the module was read from, in `format`; without it only debug lines tell."""
        self.module = module
        self.places: dict[Value, Place] = {}
        if data is not None and format == ASSEMBLY:
            self._match_rows(rows_of_assembly(data.decode("utf-8", "replace"), module.path))
        elif data is not None and format == BINARY:
            self._match_rows(rows_of_binary(data, module.path))
        elif data is not None and format == TEXT:
            self._match_words(words_by_function(data.decode("utf-8-sig", "replace"), module.path))
        for function in module.functions:
            self._debug(function)

    def of(self, value: Value | None) -> Place:
        """The place of a value, or of what it is in; the module's name where nothing is known."""
        current = value
        while current is not None:
            found = self.places.get(current)
            if found is not None:
                return found
            current = _around(current)
        return Place(self.module.path)

    # --- debug lines --------------------------------------------------------------------------------------------------

    def _debug(self, function: Function) -> None:
        for block in blocks(function):
            found, end = lines_in(block)
            self.places.update(found)
            if end is not None:
                self.places[block] = end
        for construct in constructs(function):
            first = construct.body.entry() if isinstance(construct, Loop) else construct.before()
            _, end = lines_in(first)
            if end is not None:
                self.places[construct] = end

    # --- assembly and binaries ----------------------------------------------------------------------------------------

    def _match_rows(self, parts: list[Part]) -> None:
        if len(parts) != len(self.module.functions):
            return
        for function, part in zip(self.module.functions, parts, strict=True):
            self.places[function] = part.place
            for block in blocks(function):
                if 0 <= block.order < len(part.labels):
                    label = part.labels[block.order]
                    self.places[block] = label.ending()
                    self._match_block(block, {code: label.of(code) for code, _ in label.rows})
            for construct in constructs(function):
                before = construct.before()
                if isinstance(construct, Loop):
                    before = construct.body.entry()
                if before in self.places:
                    self.places[construct] = self._merge_of(before, part) or self.places[before]
                if isinstance(construct, Switch):
                    for case in construct.cases:
                        entry = case.region.entry()
                        if 0 <= entry.order < len(part.labels):
                            self.places[case] = part.labels[entry.order].place

    def _merge_of(self, block: Block, part: Part) -> Place | None:
        """The OpLoopMerge of a header."""
        if not 0 <= block.order < len(part.labels):
            return None
        merges = part.labels[block.order].of(op.LoopMerge)
        return merges[0] if merges else None

    def _match_block(self, block: Block, places: dict[int, list[Place]]) -> None:
        here: dict[int, list[Instr]] = {}
        for instr in block:
            here.setdefault(instr.op, []).append(instr)
        for code, instrs in here.items():
            if len(places.get(code, [])) == len(instrs):
                self.places.update(zip(instrs, places[code], strict=True))
        jump = block.jump
        if isinstance(jump, (Exit, Branch)):
            self.places[jump.instr] = self.places[block]

    # --- .rk ----------------------------------------------------------------------------------------------------------

    def _match_words(self, found: list[dict[str, list[Place]]]) -> None:
        if len(found) != len(self.module.functions):
            return
        for function, words in zip(self.module.functions, found, strict=True):
            self.places[function] = words["func"][0]
            wanted: dict[str, list[Value]] = {}
            for block in blocks(function):
                for instr in block:
                    info = opcodes.info(instr.op)
                    if info is not None:
                        wanted.setdefault(info.name, []).append(instr)
                word = _word_of_jump(block)
                if word:
                    wanted.setdefault(word, []).append(block)
            for construct in constructs(function):
                wanted.setdefault(_word_of(construct), []).append(construct)
            for word, values in wanted.items():
                if len(words.get(word, [])) == len(values):
                    self.places.update(zip(values, words[word], strict=True))


def _word_of(construct: Construct) -> str:
    if isinstance(construct, If):
        return "if"
    if isinstance(construct, Loop):
        return "loop"
    return "switch" if isinstance(construct, Switch) else "scope"


def _word_of_jump(block: Block) -> str:
    jump = block.jump
    if isinstance(jump, Break):
        return "break"
    if isinstance(jump, Continue):
        return "continue"
    if isinstance(jump, Fallthrough):
        return "fallthrough"
    if isinstance(jump, Exit) and jump.instr.op in (op.Return, op.ReturnValue):
        return "return"
    return ""


def _around(value: Value) -> Value | None:
    """What a value is in: its block, its construct, its function."""
    if isinstance(value, Instr):
        return value.block
    if isinstance(value, Case):
        return value.switch
    if isinstance(value, (Block, If, Loop, Switch, Scope)):
        return value.region.owner if value.region is not None else None
    return None
