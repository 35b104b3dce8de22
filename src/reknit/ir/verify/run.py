"""All checks of a module in order: the module level, then each function from its links outwards."""

from typing import Final

from reknit.ir import traits
from reknit.ir.block import Block
from reknit.ir.function import Function
from reknit.ir.instr import Instr
from reknit.ir.jump import Branch, Exit
from reknit.ir.module import Module
from reknit.ir.opcodes import info
from reknit.ir.types import is_type
from reknit.ir.value import Value
from reknit.ir.verify.constructs import check_constructs, check_signature
from reknit.ir.verify.definitions import Values
from reknit.ir.verify.dispatch_types import check_dispatch
from reknit.ir.verify.grammar import check_instruction
from reknit.ir.verify.jumps import check_jumps
from reknit.ir.verify.links import Links, Tree
from reknit.ir.verify.report import Report
from reknit.ir.verify.tables import check_tables
from reknit.ir.verify.typing import check_return, check_types
from reknit.ir.verify.uses import Uses, collect
from reknit.source.diagnostic import Diagnostic

# What a jump carries, what makes a function, and what the module level defines; so does all that has a result without
# a type.
NOT_IN_BLOCKS: Final = (
    traits.EXITS | traits.BRANCHES | traits.MERGES | traits.FRAME | traits.CONSTANT | traits.IN_GLOBALS
)


def verify(module: Module) -> list[Diagnostic]:
    """Every fault of `module` (codes RK04xx), none if it is well formed. Never raises, whatever the links look like."""
    return examine(module).faults


def examine(module: Module) -> Report:
    """The same, with where each fault shows: what `dump` prints."""
    report = Report(module)
    uses = Uses(report)
    known = _check_globals(report, module, uses)
    check_tables(report, module)
    links = Links(report)
    trees: list[Tree] = []
    home: dict[Value, Function] = {}
    for function in module.functions:
        report.enter(function)
        tree = links.check(function)
        if function.floating:
            number = len(function.floating)
            what = "a stretch of code was" if number == 1 else f"{number} stretches of code were"
            report.fault("RK0486", f"{what} taken out and neither put back nor deleted")
        trees.append(tree)
        for param in function.params:
            home[param] = function
        for block in tree.blocks:
            home[block] = function
            if tree.is_sound:
                for instr in block:
                    home[instr] = function
    for function, tree in zip(module.functions, trees, strict=True):
        report.enter(function)
        check_signature(report, function)
        _types_are_known(report, function, known)
        if tree.is_sound:
            _check_function(report, function, tree, uses, known, home)
    if all(tree.is_sound for tree in trees):
        _check_users(report, module, trees, uses)
    return report


def _check_globals(report: Report, module: Module, uses: Uses) -> dict[Value, None]:
    """The module level; gives what it defines."""
    known: dict[Value, None] = {}
    sections = module.sections()
    for section in sections[:-1]:
        for instr in section:
            check_instruction(report, instr, None)
            if instr.has_result:
                known[instr] = None
                uses.instruction(instr, None)
    pending: dict[Value, Instr] = {}
    for instr in module.globals:
        if check_instruction(report, instr, None):
            check_types(report, instr, None)
            check_dispatch(report, instr, None)
        uses.instruction(instr, None)
        if instr in known:
            report.fault("RK0401", "a global is in its section twice", None, instr)
        if instr.block is not None:
            report.fault("RK0401", "a global claims to be in a block", None, instr)
        for operand in [instr.type, *instr.operands]:
            if isinstance(operand, Value) and operand not in known:
                pending.setdefault(operand, instr)
        known[instr] = None
    for function in module.functions:
        known[function] = None
    for value, instr in pending.items():
        if value not in known:
            report.fault("RK0409", f"{report.name(value)} is not defined in this module", None, instr)
    return known


def _types_are_known(report: Report, function: Function, known: dict[Value, None]) -> None:
    for type in (function.type, function.result):
        if type not in known:
            report.fault("RK0409", f"the type {report.name(type)} is not defined in this module")


def _check_function(
    report: Report,
    function: Function,
    tree: Tree,
    uses: Uses,
    known: dict[Value, None],
    home: dict[Value, Function],
) -> None:
    check_jumps(report, function, tree)
    check_constructs(report, tree)
    heading = [line for lines in function.heading.values() for line in lines]
    for instr in [*function.leading, *function.params, *heading, *function.closing]:
        _check_instruction(report, instr, None, uses, known)
    for block in tree.blocks:
        for instr in block.leading:
            _check_instruction(report, instr, block, uses, known)
        for instr in block:
            if instr.op in NOT_IN_BLOCKS or (instr.has_result and instr.type is None and _is_declared(instr)):
                report.fault("RK0420", "an instruction that does not stand among those of a block", block, instr)
            _check_instruction(report, instr, block, uses, known)
        jump = block.jump
        if isinstance(jump, (Exit, Branch)):
            _check_instruction(report, jump.instr, block, uses, known)
            if isinstance(jump, Exit):
                check_return(report, function, block, jump.instr)
            elif jump.merge is not None:
                _check_instruction(report, jump.merge, block, uses, known)
    collect(uses, tree)
    if tree.blocks and not function.is_declaration():
        Values(report, function, tree, known, home).check()


def _is_declared(instr: Instr) -> bool:
    """Whether the opcode is that of a type, label or the like, by the opcode table."""
    about = info(instr.op)
    return about is not None and about.has_result and not about.has_type


def _check_instruction(report: Report, instr: Instr, block: Block | None, uses: Uses, known: dict[Value, None]) -> None:
    if check_instruction(report, instr, block):
        check_types(report, instr, block)
        check_dispatch(report, instr, block)
    uses.instruction(instr, block)
    type = instr.type
    if type is not None and (type not in known or not is_type(type)):
        report.fault("RK0409", "its result type is no type of this module", block, instr)


def _check_users(report: Report, module: Module, trees: list[Tree], uses: Uses) -> None:
    """The books of every value, now that all users have been met."""
    report.enter(None)
    for instr in module.closing:
        uses.instruction(instr, None)
    for section in module.sections():
        for instr in section:
            uses.finish(instr, None)
    for function, tree in zip(module.functions, trees, strict=True):
        report.enter(None)
        uses.finish(function, None)
        report.enter(function)
        for param in function.params:
            uses.finish(param, None)
        for block in tree.blocks:
            uses.finish(block, block)
            for instr in block:
                uses.finish(instr, block)
