"""A module of the IR as a SPIR-V binary.

    trees -> laid-out blocks -> an id for everything that has none -> words, section by section

Values keep the id they were read with. Names, decorations and interface entries of values that are gone are left out.
"""

import gc
from array import array
from collections.abc import Iterable
from typing import Final, final

from reknit.analysis.callgraph import CallGraph
from reknit.analysis.manager import Analyses
from reknit.analysis.tangles.declared import declares_maximal, maximally_reconverging
from reknit.ir import enums, op, opcodes
from reknit.ir.block import Block
from reknit.ir.capabilities import declares
from reknit.ir.function import Function
from reknit.ir.instr import Instr, Operand
from reknit.ir.jump import Exit
from reknit.ir.locate import place_of
from reknit.ir.module import Module, intern_key
from reknit.ir.operands import string_to_words
from reknit.ir.value import Value
from reknit.ir.walk import blocks
from reknit.source.diagnostic import Diagnostic, InputError
from reknit.source.place import Place
from reknit.spirv.apart import refuse_meetings
from reknit.spirv.from_tree import Layout, lay_out
from reknit.spirv.labels import Rules
from reknit.spirv.words import header, swapped

DISTINCT_LABELS_SINCE: Final = 0x00010600  # OpBranchConditional: "Starting with version 1.6, ... must not be the same"
MAX_LENGTH: Final = 0xFFFF  # words an instruction can have


def write_module(module: Module, big_endian: bool = False) -> bytes:
    """The binary of `module`. Raises InputError (RK05xx) where the tree holds what SPIR-V can't say.

    Gives new values an id for good, and adds the constant that one-trip regions switch on; nothing else is changed.
    """
    collecting = gc.isenabled()
    gc.disable()
    try:
        return _Writer(module).write(big_endian)
    finally:
        if collecting:
            gc.enable()


def words_of(module: Module) -> bytes:
    """The binary that `write_module` would write; `module` stays as it is: what gets an id for it loses it again."""
    bound = module.bound
    count = len(module.globals)
    collecting = gc.isenabled()
    gc.disable()
    writer = _Writer(module)
    try:
        return writer.write(False)
    finally:
        for value in writer.numbered:
            value.id = 0
        module.bound = bound
        for added in module.globals[count:]:
            del module.interned[intern_key(added.op, added.type, added.operands)]
        del module.globals[count:]
        if collecting:
            gc.enable()


@final
class _Writer:
    def __init__(self, module: Module) -> None:
        self.module = module
        self.words: list[int] = []
        self.written: set[Value] = set()  # what gets a definition: asked for membership only
        self.layouts: list[Layout] = []
        self.numbered: list[Value] = []  # what had no id

    def write(self, big_endian: bool) -> bytes:
        module = self.module
        self._refuse_own()
        maximal: dict[Function, None] = {}
        if declares_maximal(module):
            maximal = maximally_reconverging(module, Analyses(module).of_module(CallGraph))
        # Control flow must be structured with the Shader capability (SPIR-V 1.6, 2.16.1).
        structured = declares(module, enums.CapabilityShader)
        for function in module.functions:
            rules = Rules(structured, function in maximal, module.version >= DISTINCT_LABELS_SINCE)
            self.layouts.append(lay_out(module, function, rules))
        merged = [node for layout in self.layouts if layout.function in maximal for node in layout.made_merged]
        if merged:
            refuse_meetings(merged, module)
        self._number()
        if module.bound >= 1 << 32:
            message = f"the module's id bound would be {module.bound}, more than one word holds: give smaller ids"
            raise InputError([Diagnostic("RK0107", message, Place(module.path))])
        self.words.extend(header(module.version, module.generator, module.bound, module.schema))
        self._preamble()
        for layout in self.layouts:
            self._function(layout)
        for instr in module.closing:
            self._instruction(instr)
        data = array("I", self.words).tobytes()
        if array("I", [1]).tobytes()[0] != 1:
            data = swapped(data)
        return swapped(data) if big_endian else data

    def _refuse_own(self) -> None:
        """Instructions of our own have opcodes that no word holds."""
        places = [instr for instr in self.module.globals if instr.op >= opcodes.FIRST_OWN]
        for function in self.module.functions:
            if places:
                break
            for block in blocks(function):
                jump = block.jump
                instr = block.first
                while instr is not None:
                    if instr.op >= opcodes.FIRST_OWN:
                        places.append(instr)
                    instr = instr.next
                if isinstance(jump, Exit) and jump.instr.op >= opcodes.FIRST_OWN:
                    places.append(jump.instr)
        if not places:
            return
        about = opcodes.info(places[0].op)
        what = about.name if about is not None else "it"
        raise InputError(
            [
                Diagnostic(
                    "RK0514",
                    f"the module has dynamic dispatch, which SPIR-V has no instructions for: {what}",
                    place_of(places[0], self.module),
                    help="run the passes `specialize-dispatch, lower-dispatch` first",
                )
            ]
        )

    # --- ids ----------------------------------------------------------------------------------------------------------

    def _number(self) -> None:
        """Find out what is defined, and give ids to what has none, in writing order."""
        module = self.module
        for section in (module.imports, module.sources, module.decorations, module.globals):
            self._define_all(section)
        for layout in self.layouts:
            function = layout.function
            self._define_all(function.leading)
            self._define(function)
            for param in function.params:
                self._define_all(function.heading.get(param, []))
                self._define(param)
            for line in layout.lines:
                if line.body is not None:
                    self._define_all(line.body.leading)
                self._define(line.label)
                if line.body is not None:
                    instr_here = line.body.first
                    while instr_here is not None:
                        self._define_instr(instr_here)
                        instr_here = instr_here.next
            self._define_all(function.closing)
        self._define_all(module.closing)

    def _define_all(self, instrs: Iterable[Instr]) -> None:
        for instr in instrs:
            self._define_instr(instr)

    def _define_instr(self, instr: Instr) -> None:
        if instr.has_result:
            self._define(instr)

    def _define(self, value: Value) -> None:
        self.written.add(value)
        if value.id == 0:
            value.id = self.module.bound
            self.module.bound += 1
            self.numbered.append(value)

    # --- sections -----------------------------------------------------------------------------------------------------

    def _preamble(self) -> None:
        module = self.module
        for section in (module.capabilities, module.extensions, module.imports, module.memory_model):
            for instr in section:
                self._instruction(instr)
        for instr in module.entry_points:
            self._filtered(instr, 3)
        for instr in module.execution_modes:
            self._annotation(instr)
        for instr in module.sources:
            self._instruction(instr)
        self._names()
        for instr in module.processed:
            self._instruction(instr)
        for instr in module.decorations:
            if instr.op == op.GroupDecorate:
                self._filtered(instr, 1)
            else:
                self._annotation(instr)
        for instr in module.globals:
            self._instruction(instr)

    def _names(self) -> None:
        """The names that were read, in their order, then those of new values."""
        named: set[Value] = set()
        for instr in self.module.names:
            self._annotation(instr)
            target = instr.operands[0]
            if instr.op == op.Name and isinstance(target, Value):
                named.add(target)
        for value in self._with_names():
            if value not in named:
                self._emit(op.Name, None, None, [value, value.name])

    def _with_names(self) -> list[Value]:
        """Everything with a definition and a name, in writing order."""
        values: list[Value] = [instr for instr in self.module.globals if instr.has_result and instr.name]
        for layout in self.layouts:
            if layout.function.name:
                values.append(layout.function)
            values.extend([param for param in layout.function.params if param.name])
            for line in layout.lines:
                if line.label.name:
                    values.append(line.label)
                instr = line.body.first if line.body is not None else None
                while instr is not None:
                    if instr.has_result and instr.name:
                        values.append(instr)
                    instr = instr.next
        return values

    def _annotation(self, instr: Instr) -> None:
        """Write it unless something it is about is gone."""
        for operand in instr.operands:
            if isinstance(operand, Value) and operand not in self.written:
                return
        self._instruction(instr)

    def _filtered(self, instr: Instr, first: int) -> None:
        """Write it without those operands from `first` on that are gone."""
        kept: list[Operand] = []
        for place, operand in enumerate(instr.operands):
            if place < first or not isinstance(operand, Value) or operand in self.written:
                kept.append(operand)
        self._emit(instr.op, None, None, kept)

    # --- functions ----------------------------------------------------------------------------------------------------

    def _function(self, layout: Layout) -> None:
        function = layout.function
        for instr in function.leading:
            self._instruction(instr)
        self._emit(op.Function, function.result, function, [function.control, function.type])
        for param in function.params:
            for instr in function.heading.get(param, []):
                self._instruction(instr)
            self._instruction(param)
        for line in layout.lines:
            body = line.body
            if body is not None:
                for instr in body.leading:
                    self._instruction(instr)
            self._emit(op.Label, None, line.label, [])
            if body is not None:
                self._instructions(body, layout)
            if line.merge_op != 0:
                self._emit(line.merge_op, None, None, line.merge)
            self._emit(line.end_op, None, None, line.end)
        for instr in function.closing:
            self._instruction(instr)
        self._emit(op.FunctionEnd, None, None, [])

    def _instructions(self, block: Block, layout: Layout) -> None:
        instr = block.first
        while instr is not None:
            if instr.op == op.Phi:
                self._emit(op.Phi, instr.type, instr, _phi_operands(instr, layout))
            else:
                self._instruction(instr)
            instr = instr.next

    # --- words --------------------------------------------------------------------------------------------------------

    def _instruction(self, instr: Instr) -> None:
        self._emit(instr.op, instr.type, instr if instr.has_result else None, instr.operands)

    def _emit(self, code: int, type: Value | None, result: Value | None, operands: list[Operand]) -> None:
        words = self.words
        start = len(words)
        words.append(code)
        if type is not None:
            words.append(type.id)
        if result is not None:
            words.append(result.id)
        for operand in operands:
            if isinstance(operand, int):
                words.append(operand)
            elif isinstance(operand, Value):
                if operand.id == 0 or operand not in self.written:
                    self._undefined(operand, code)
                words.append(operand.id)
            else:
                words.extend(string_to_words(operand))
        length = len(words) - start
        if length > MAX_LENGTH:
            message = f"an instruction of {length} words; SPIR-V's limit is {MAX_LENGTH}"
            raise InputError([Diagnostic("RK0512", message, Place(self.module.path))])
        words[start] = length << 16 | code

    def _undefined(self, value: Value, code: int) -> None:
        what = f"%{value.name}" if value.name else "a value"
        message = f"{what} is used but stands nowhere in the module"
        raise InputError([Diagnostic("RK0513", message, Place(self.module.path))])


def _phi_operands(phi: Instr, layout: Layout) -> list[Operand]:
    """(value, predecessor) pairs of the blocks that are written, each predecessor once."""
    operands: list[Operand] = []
    seen: set[Block] = set()
    for place in range(0, len(phi.operands), 2):
        source = phi.operands[place + 1]
        assert isinstance(source, Block)
        for value, origin in layout.labels.origins(phi.operands[place], source):
            if origin not in seen:
                seen.add(origin)
                operands.append(value)
                operands.append(origin)
    return operands
