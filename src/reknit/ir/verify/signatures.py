"""Whether all extended instructions of a module keep their signatures: asked before passes and lint work on it.

    require_signatures(module)     ExtInst FMix with a u32 among floats: InputError, RK0417

The whole verifier asks this too, of what is run, proved or checked. Passes and lint take modules that it was not asked
about, and rely on no more than this of their types.
"""

from reknit.ir import op
from reknit.ir.instr import Instr
from reknit.ir.module import Module
from reknit.ir.verify.grammar import check_instruction
from reknit.ir.verify.report import Report
from reknit.ir.verify.typing import check_types
from reknit.ir.walk import blocks
from reknit.source.diagnostic import InputError


def require_signatures(module: Module) -> None:
    """Raises InputError (RK0415 to RK0417) with all faults, where an extended instruction has other operands, or
    operands and a result of other types, than its signature."""
    if not module.imports:
        return
    report = Report(module)
    _check(report, module.globals)
    for function in module.functions:
        report.enter(function)
        for block in blocks(function):
            _check(report, [*block.leading, *block])
    if report.faults:
        raise InputError(report.faults)


def _check(report: Report, instrs: list[Instr]) -> None:
    for instr in instrs:
        if instr.op == op.ExtInst and check_instruction(report, instr, instr.block):
            check_types(report, instr, instr.block)
