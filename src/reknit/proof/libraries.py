"""Modules without an entry point: what they export is compared, a function at a time, for all arguments.

    OpDecorate %f LinkageAttributes "f" Export     as if it were an entry point named f, in copies of both modules

A module that links to it may call it from any stage; of shaders, it is taken for a fragment shader, which leaves most
open.
"""

from reknit.ir import enums, op, opcodes
from reknit.ir.copy import copy_module
from reknit.ir.function import Function
from reknit.ir.instr import Instr
from reknit.ir.module import Module


def exported(module: Module) -> dict[str, Function]:
    """The functions with a body that a module exports, by the names it exports them under."""
    named: dict[str, Function] = {}
    for instr in module.decorations:
        if instr.op != op.Decorate or instr.word(1) != enums.DecorationLinkageAttributes:
            continue
        target = instr.operands[0]
        is_import = instr.word(3) == enums.LinkageTypeImport
        if isinstance(target, Function) and not is_import and not target.is_declaration():
            named[instr.text(2)] = target
    return named


def with_entry_points(module: Module) -> Module:
    """A copy in which each exported function is an entry point."""
    copy = copy_module(module)
    capabilities = opcodes.with_implied([each.word(0) for each in module.capabilities])
    is_kernel = enums.CapabilityKernel in capabilities
    model = enums.ExecutionModelKernel if is_kernel else enums.ExecutionModelFragment
    for name, function in exported(copy).items():
        copy.entry_points.append(Instr(op.EntryPoint, None, [model, function, name], has_result=False))
    return copy
