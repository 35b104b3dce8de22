"""After an edit that left things out: phis and definitions made right, and how large what is left is."""

from reknit.analysis.manager import Analyses
from reknit.ir.cfg import predecessors
from reknit.ir.constants import as_int
from reknit.ir.instr import Instr, Operand
from reknit.ir.module import Module
from reknit.ir.phis import complete_phis
from reknit.ir.tree import If, Switch
from reknit.ir.walk import blocks, constructs, instructions
from reknit.passes.contract import Context
from reknit.passes.repair import repair


def settle(module: Module) -> None:
    """Give every phi one value for each edge into its block, and every use a definition that dominates it."""
    for function in module.functions:
        if not function.structured or function.is_declaration():
            continue
        for block in blocks(function):
            phis = list(block.phis())
            if not phis:
                continue
            sources = predecessors(block)
            for phi in phis:
                kept: list[Operand] = []
                for index in range(0, len(phi.operands), 2):
                    if phi.operands[index + 1] in sources:
                        kept.extend(phi.operands[index : index + 2])
                phi.set_operands(kept)
            for source in sources:
                complete_phis(module, block, source)
        repair(function, Context(module, Analyses(module), {}))


def size_of(module: Module) -> tuple[int, int, int, int]:
    """What a reduction must make smaller: code, edges, what is computed or declared, numbers. Each counts before the
    next."""
    code = 0
    branches = 0
    used = 0
    numbers = 0
    for function in module.functions:
        code += 1
        for construct in constructs(function):
            code += 2
            branches += len(construct.regions())
            if isinstance(construct, Switch):
                branches += len(construct.targets)
            if isinstance(construct, (If, Switch)):
                branched = construct.condition if isinstance(construct, If) else construct.selector
                used += 1 if as_int(branched) is None else 0
        for block in blocks(function):
            branches += 1 if block.jump is not None else 0
            branches += 1
        for instr in instructions(function):
            code += 1
            for operand in instr.operands:
                if isinstance(operand, Instr):
                    value = as_int(operand)
                    used += 1 if value is None else 0
                    numbers += min(abs(value), 1 << 64).bit_length() if value is not None else 0
    declared = len(module.globals) + len(module.decorations) + len(module.names) + len(module.sources)
    declared += len(module.entry_points) + len(module.execution_modes)
    return code, branches, used + declared, numbers
