"""Functions that nothing can call go.

    EntryPoint GLCompute @main               EntryPoint GLCompute @main
    func @main() { ... }              =>     func @main() { ... }
    func @helper() { ... }                                               no call leads to it

Kept are entry points, what is exported, what module-level instructions name, and all that these mention. A module with
none of that is left alone: nothing says what it is for (RK2402).

Unlike other passes it edits more than the function it is run on: the first one that is not needed goes together with
all others, since they may call each other, in circles too. The pass manager then passes them by.
Source: SPIR-V 1.6, 2.17 "Universal Limits" (static call trees start at entry points), 3.20 LinkageAttributes.
"""

from typing import ClassVar, Final, final

from reknit.analysis.manager import Analyses, ModuleAnalysis
from reknit.ir import enums, op
from reknit.ir.edit import clear_jump, erase_instructions, erase_node
from reknit.ir.function import Function
from reknit.ir.instr import Instr
from reknit.ir.module import Module
from reknit.ir.value import Value
from reknit.ir.walk import instructions
from reknit.passes.contract import Context, Pass
from reknit.source.meter import spend


@final
class Needed(ModuleAnalysis):
    """`functions` are those that an entry point, an export or a module-level instruction may lead to."""

    name: ClassVar[str] = "needed"

    def __init__(self, functions: dict[Function, None]) -> None:
        self.functions = functions

    @staticmethod
    def compute(module: Module, analyses: Analyses) -> "Needed":
        needed = named_by_module(module)
        work = list(needed)
        while work:
            spend(1)
            for function in named_in(work.pop()):
                if function not in needed:
                    needed[function] = None
                    work.append(function)
        return Needed(needed)

    def same_as(self, other: ModuleAnalysis) -> bool:
        return isinstance(other, Needed) and list(self.functions) == list(other.functions)


def named_by_module(module: Module) -> dict[Function, None]:
    """Entry points, what is exported, and what module-level instructions name."""
    named: dict[Function, None] = {}
    for section in (module.entry_points, module.globals):
        for instr in section:
            _mention(instr, named)
    for decoration in module.decorations:
        if _exports(decoration):
            _mention(decoration, named)
    return named


def named_in(function: Function) -> dict[Function, None]:
    """What it calls, or names otherwise."""
    named: dict[Function, None] = {}
    for instr in instructions(function):
        _mention(instr, named)
    return named


def _exports(decoration: Instr) -> bool:
    return (
        decoration.op == op.Decorate
        and decoration.operands[1] == enums.DecorationLinkageAttributes
        and decoration.operands[-1] == enums.LinkageTypeExport
    )


def _mention(instr: Instr, needed: dict[Function, None]) -> None:
    for operand in instr.operands:
        if isinstance(operand, Function):
            needed[operand] = None


def drop_functions(function: Function, context: Context) -> bool:
    """Remove all functions that are not needed, if `function` is one of them. Costs the module, once or twice."""
    module = context.module
    needed = context.analyses.of_module(Needed).functions
    if function in needed:
        return False
    if not needed:
        if function is next(other for other in module.functions if not other.is_declaration()):
            context.decline("RK2402", "no function was dropped: the module has neither entry points nor exports")
        return False
    drop(module, {other: None for other in module.functions if other not in needed})
    return True


def drop(module: Module, gone: dict[Function, None]) -> None:
    """Remove functions, and take everything out of them, so that nothing has a user there. What is not semantic and
    stands behind the last function goes where it names one of them, or something in one."""
    if module.closing:
        _drop_closing(module, gone)
    module.functions = [function for function in module.functions if function not in gone]
    for function in gone:
        for node in list(function.body):
            erase_node(node)
        for block in function.blocks:
            clear_jump(block)
            erase_instructions(block)
        function.blocks = []


def _drop_closing(module: Module, gone: dict[Function, None]) -> None:
    dropped: dict[Value, None] = dict.fromkeys(gone)
    for function in gone:
        dropped.update(dict.fromkeys(instructions(function)))
    kept: list[Instr] = []
    for instr in module.closing:
        if any(isinstance(operand, Value) and operand in dropped for operand in instr.operands):
            dropped[instr] = None
            instr.drop_operands()
        else:
            kept.append(instr)
    module.closing = kept


DROP_FUNCTIONS: Final = Pass("drop-functions", "remove functions that nothing can call", drop_functions)
