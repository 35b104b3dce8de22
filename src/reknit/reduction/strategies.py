"""All strategies that make a module smaller, from what takes most to what takes least.

    entry points, functions, bodies      constructs, arms, cases, regions      instructions      jumps, labels
    values, constants                    blocks                                leftovers: globals, names, decorations
"""

from collections.abc import Sequence
from typing import Final

from reknit.ir import op
from reknit.ir.constants import undef
from reknit.ir.cursor import function_start, region_end
from reknit.ir.edit import set_jump
from reknit.ir.extract import delete, extract
from reknit.ir.function import Function
from reknit.ir.insert import remove_instr
from reknit.ir.instr import Instr, Operand
from reknit.ir.jump import Exit
from reknit.ir.module import Module
from reknit.ir.tree import If, Switch
from reknit.ir.value import Value
from reknit.ir.walk import blocks, constructs, instructions
from reknit.reduction.reduce_tree import JUMPS, TIDY, TREE
from reknit.reduction.reduce_values import INSTRUCTIONS, VALUES
from reknit.reduction.strategy import Reduction, Target, structured


def _functions(module: Module) -> list[Target]:
    entries = [point.operands[1] for point in module.entry_points]
    return [(function,) for function in module.functions if function not in entries]


def _remove_functions(module: Module, targets: Sequence[Target]) -> None:
    gone = dict.fromkeys(target[0] for target in targets)
    for function in module.functions:
        for instr in list(instructions(function)):
            if instr.op == op.FunctionCall and instr.value(0) in gone:
                remove_instr(module, instr)
    for removed in gone:
        assert isinstance(removed, Function)
        for block in blocks(removed):
            for instr in block:
                instr.drop_operands()
        module.functions.remove(removed)


def _entries(module: Module) -> list[Target]:
    return [(index,) for index in range(len(module.entry_points))] if len(module.entry_points) > 1 else []


def _remove_entries(module: Module, targets: Sequence[Target]) -> None:
    gone = [target[0] for target in targets]
    kept = [point for index, point in enumerate(module.entry_points) if index not in gone]
    if not kept:
        raise ValueError("a module keeps an entry point")
    module.entry_points[:] = kept
    functions = [point.operands[1] for point in kept]
    module.execution_modes[:] = [mode for mode in module.execution_modes if mode.operands[0] in functions]


def _bodies(module: Module) -> list[Target]:
    return [(function,) for function in structured(module)]


def _empty_bodies(module: Module, targets: Sequence[Target]) -> None:
    for target in targets:
        function = target[0]
        assert isinstance(function, Function)
        delete(module, extract(module, function_start(function), region_end(function.body)))
        returned: list[Operand] = []
        if function.result.op != op.TypeVoid:
            returned.append(undef(module, function.result))
        code = op.ReturnValue if returned else op.Return
        set_jump(function.body.end(), Exit(Instr(code, None, returned, "", False)))


def _everything(module: Module) -> list[Target]:
    return [(0,)]


def _sweep(module: Module, targets: Sequence[Target]) -> None:
    """Drop globals that no function needs, what is said of things that are gone, and debug text."""
    module.sources.clear()
    module.processed.clear()
    live: dict[Value, None] = {}
    work: list[Value] = [point.value(1) for point in module.entry_points]
    for function in module.functions:
        live[function] = None
        work.extend([function.type, function.result, *function.params])
        for block in blocks(function):
            live[block] = None
            work.extend(block)
            if isinstance(block.jump, Exit):
                work.append(block.jump.instr)
        for construct in constructs(function):
            if isinstance(construct, If):
                work.append(construct.condition)
            elif isinstance(construct, Switch):
                work.append(construct.selector)
    for section in (module.execution_modes, module.imports, module.closing):
        for instr in section:
            work.append(instr)
    while work:
        value = work.pop()
        if value in live and not isinstance(value, Function):
            continue
        live[value] = None
        if isinstance(value, Instr):
            if value.type is not None:
                work.append(value.type)
            work.extend([operand for operand in value.operands if isinstance(operand, Value) and operand not in live])
    for instr in [instr for instr in module.globals if instr not in live]:
        instr.drop_operands()
    module.globals[:] = [instr for instr in module.globals if instr in live]
    for point in module.entry_points:
        point.operands = [operand for operand in point.operands if not isinstance(operand, Value) or operand in live]
    for section in (module.names, module.decorations):
        section[:] = [instr for instr in section if all(not isinstance(o, Value) or o in live for o in instr.operands)]


REDUCTIONS: Final = (
    Reduction("entry points", _entries, _remove_entries),
    Reduction("functions", _functions, _remove_functions),
    Reduction("bodies", _bodies, _empty_bodies),
    *TREE,
    INSTRUCTIONS,
    *JUMPS,
    *VALUES,
    TIDY,
    Reduction("leftovers", _everything, _sweep),
)
"""In the order that they are tried."""
