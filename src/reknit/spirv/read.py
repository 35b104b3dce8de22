"""A SPIR-V binary as a module of the IR.

    columns -> objects for result ids -> operands, types, sections -> flat functions -> control-flow trees

`objects` turns ids and operands into values; here is what an instruction is in the module. Instructions the grammar
does not know are carried as words. Operands are checked against the grammar here; what they mean is checked by
`ir.verify` and spirv-val.
"""

import gc
from typing import Final, final

from reknit.ir import op, traits
from reknit.ir.block import Block
from reknit.ir.debug import EXT_INSTS, floats
from reknit.ir.edit import add_block, append, set_jump
from reknit.ir.function import Function
from reknit.ir.instr import Instr
from reknit.ir.jump import Branch, Exit
from reknit.ir.module import Module, intern_key
from reknit.ir.source_places import Places
from reknit.ir.value import Value
from reknit.source.diagnostic import InputError, Note
from reknit.spirv.objects import Objects
from reknit.spirv.sections import GLOBALS, IN_FUNCTIONS, section_of
from reknit.spirv.to_tree import fold_function
from reknit.spirv.words import Columns, is_terminator, parse, words_of

CONDITIONAL: Final = (
    op.ConditionalCapabilityINTEL,
    op.ConditionalExtensionINTEL,
    op.ConditionalEntryPointINTEL,
)
FLOATING: Final = (op.Line, op.NoLine, *EXT_INSTS)


def read_module(data: bytes, path: str = "<module>", places: Places | None = None) -> Module:
    """Load a binary of either endianness. Raises InputError (RK01xx) with the word offset of each fault.

    A function whose control flow is no tree stays flat, and `module.notes` says why (RK05xx). `places`, if given, is
    filled with the word offsets of functions, blocks and instructions, and becomes the module's.
    """
    return read_columns(parse(data, path), path, places)


def read_columns(columns: Columns, path: str, places: Places | None) -> Module:
    """The same of a binary whose words have been parsed."""
    collecting = gc.isenabled()
    gc.disable()  # nothing built here is garbage; looking for it costs more than the building
    try:
        module = _Reader(columns, path, places).read()
        for function in module.functions:
            if function.blocks:
                module.notes.extend(fold_function(function, path))
        return module
    finally:
        if collecting:
            gc.enable()


def read_flat(data: bytes, path: str = "<module>") -> Module:
    """Load a binary, and leave every function as the flat list of blocks that it is there."""
    return _Reader(parse(data, path), path, None).read()


@final
class _Reader:
    def __init__(self, columns: Columns, path: str, places: Places | None) -> None:
        self.columns = columns
        self.path = path
        self.places = places
        self.module = Module(columns.version)
        self.module.places = places
        self.objects = Objects(columns, path)
        self.row = 0

    def read(self) -> Module:
        module = self.module
        columns = self.columns
        module.path = self.path
        module.generator = columns.generator
        module.schema = columns.schema
        module.bound = columns.bound
        self._preamble()
        while self.row < len(columns.op) and not self.objects.full():
            self._function()
        if self.objects.faults:
            raise InputError(self.objects.faults)
        return module

    def _instruction(self) -> Instr:
        """The instruction in this row, complete; goes on to the next row."""
        columns = self.columns
        row = self.row
        self.row += 1
        code = int(columns.op[row])
        result = int(columns.result[row])
        operands = self.objects.operands(row, code)
        if result != 0:
            value = self.objects.values[result]
            assert isinstance(value, Instr)
            instr = value
            instr.type = self.objects.type(row)
            instr.set_operands(operands)
        else:
            instr = Instr(code, None, operands, "", False)
        if self.places is not None:
            self.places.starts[instr] = int(columns.at[row])
        return instr

    # --- module level -------------------------------------------------------------------------------------------------

    def _preamble(self) -> None:
        """Everything before the first function, into its section."""
        columns = self.columns
        sections = self.module.sections()
        while self.row < len(columns.op) and int(columns.op[self.row]) != op.Function and not self.objects.full():
            row = self.row
            code = int(columns.op[row])
            home = section_of(code)
            if home == IN_FUNCTIONS:
                self.objects.fault("RK0113", "it stands outside of a function", row)
                self.row += 1
                continue
            if code in CONDITIONAL:
                message = "which declarations the module has depends on a specialization constant"
                self.objects.fault("RK0115", message, row)
                self.row += 1
                continue
            instr = self._instruction()
            if home == GLOBALS:
                self._define_global(instr, row)
                continue
            operands = instr.operands
            if not instr.has_result:
                instr.drop_operands()  # annotations name values without using them
                instr.operands = operands
            sections[home].append(instr)
            if code == op.Name and len(operands) == 2:
                named = operands[0]
                text = operands[1]
                if isinstance(named, Value) and isinstance(text, str):
                    named.name = text

    def _define_global(self, instr: Instr, row: int) -> None:
        module = self.module
        module.globals.append(instr)
        if instr.has_result and instr.op != op.Variable and instr.op not in EXT_INSTS:
            module.interned.setdefault(intern_key(instr.op, instr.type, instr.operands), instr)
            self._check_order(instr, row)

    def _check_order(self, instr: Instr, row: int) -> None:
        """A type or constant is made of earlier ones; only a pointer may point to what comes later (SPIR-V 2.4)."""
        if instr.op == op.TypePointer:
            return
        for operand in instr.operands:
            later = isinstance(operand, Instr) and int(self.columns.definition[operand.id]) >= row
            if later and isinstance(operand, Instr) and operand.op != op.TypePointer:
                self.objects.fault("RK0114", f"it is made of %{operand.id}, which is not defined before it", row)

    # --- functions ----------------------------------------------------------------------------------------------------

    def _function(self) -> None:
        """One OpFunction .. OpFunctionEnd, with the debug lines before it."""
        columns = self.columns
        lines: list[Instr] = []
        while self.row < len(columns.op) and int(columns.op[self.row]) != op.Function:
            if not self._floating(lines):
                self.objects.fault("RK0113", "it stands outside of a function", self.row)
                self.row += 1
                return
        if self.row >= len(columns.op):
            self.module.closing.extend(lines)
            return
        start = self.row
        self.row += 1
        function = self.objects.values[int(columns.result[start])]
        assert isinstance(function, Function)
        if self.places is not None:
            self.places.starts[function] = int(columns.at[start])
        self._head(function, start)
        function.leading = lines
        lines = []
        while self.row < len(columns.op) and not self.objects.full():
            code = int(columns.op[self.row])
            if code == op.FunctionEnd:
                self.row += 1
                function.closing = lines
                self.module.functions.append(function)
                return
            if code == op.FunctionParameter and not function.blocks:
                param = self._instruction()
                function.params.append(param)
                if lines:
                    function.heading[param] = lines
                    lines = []
            elif code == op.Label:
                self._block(function, lines)
                lines = []
            elif not self._floating(lines):
                self.objects.fault("RK0113", "it stands outside of a block", self.row)
                self.row += 1
        if not self.objects.full():
            self.objects.fault("RK0113", "the module ends before its OpFunctionEnd", start)

    def _floating(self, lines: list[Instr]) -> bool:
        """Add the instruction in this row to `lines` if it is one that may stand outside of blocks."""
        code = int(self.columns.op[self.row])
        if code not in FLOATING:
            return False
        row = self.row
        instr = self._instruction()
        if floats(instr):
            lines.append(instr)
            return True
        instr.drop_operands()
        self.row = row
        return False

    def _head(self, function: Function, row: int) -> None:
        words = words_of(self.columns, row)
        function.structured = False
        result = self.objects.type(row)
        if result is not None:
            function.result = result
        if len(words) != 2:
            self.objects.fault("RK0111", "it takes a function control and a function type", row)
            return
        function.control = words[0]
        type = self.objects.value(words[1], row, 4)
        if isinstance(type, Instr) and type.op == op.TypeFunction:
            function.type = type
        elif type is not None:
            self.objects.fault("RK0112", f"%{words[1]} is not a function type", row, 4)

    def _block(self, function: Function, lines: list[Instr]) -> None:
        """One OpLabel .. terminator."""
        columns = self.columns
        start = self.row
        block = self.objects.values[int(columns.result[start])]
        assert isinstance(block, Block)
        if lines:
            block.leading = tuple(lines)
        block.order = len(function.blocks)
        add_block(function, block)
        if self.places is not None:
            self.places.starts[block] = int(columns.at[start])
        self.row += 1
        merge: Instr | None = None
        while self.row < len(columns.op) and not self.objects.full():
            code = int(columns.op[self.row])
            row = self.row
            if code == op.Label or code == op.Function or code == op.FunctionEnd:
                self.objects.fault("RK0113", "the block does not end in a branch, return or the like", start)
                return
            instr = self._instruction()
            if is_terminator(code):
                if self.places is not None:
                    self.places.ends[block] = int(columns.at[row])
                if code == op.Branch or code == op.BranchConditional or code == op.Switch:
                    self._check_branch(instr, row)
                    set_jump(block, Branch(instr, merge))
                elif merge is not None:
                    self.objects.fault("RK0113", "a merge instruction stands before it", row)
                else:
                    set_jump(block, Exit(instr))
                return
            if merge is not None:
                self.objects.fault("RK0113", "it stands between a merge instruction and its branch", row)
                return
            if code == op.SelectionMerge or code == op.LoopMerge:
                self._check_branch(instr, row)
                merge = instr
            else:
                if code == op.Phi:
                    self._check_branch(instr, row)
                append(block, instr)
        if not self.objects.full():
            self.objects.fault("RK0113", "the module ends within this block", start)

    def _check_branch(self, instr: Instr, row: int) -> None:
        """Where the grammar says a label of this function must be, it is one; nothing else is (SPIR-V 2.16.1)."""
        code = instr.op
        known = traits.LABELS.get(code, ())
        step = 2 if code == op.Phi else 0
        if code == op.Switch:
            step = 1 + self.objects.literal_words(row, op.Switch, words_of(self.columns, row))
        here = int(self.columns.function[row])
        for place in range(len(instr.operands)):
            operand = instr.operands[place]
            if not isinstance(operand, Value):
                continue
            is_label = isinstance(operand, Block)
            if place > 0 and (place - 1) % step == 0 if step > 0 else place in known:
                if not is_label:
                    self.objects.fault("RK0112", f"%{operand.id} is not a label", row)
                elif int(self.columns.function[int(self.columns.definition[operand.id])]) != here:
                    fault_notes = [Note("a branch stays within its function")]
                    self.objects.fault("RK0112", f"label %{operand.id} is in another function", row)
                    self.objects.faults[-1].notes.extend(fault_notes)
            elif is_label:
                self.objects.fault("RK0112", f"label %{operand.id} is used as a value", row)
