"""A module whose OpKill makes a helper invocation that goes on after the innermost construct, as a demote does.

    if c { kill }                         if c { DemoteToHelperInvocation }
    %s = GroupNonUniformIAdd ...          %s = GroupNonUniformIAdd ...

SPIR-V has OpKill cease "all further processing in any invocation that executes it". Vulkan has "Implementations may:
also terminate a shader invocation when code:OpKill is executed in any function; otherwise it becomes a helper
invocation", and a note, "Depending on the implementation, code:OpKill will be functionally equivalent to either
code:OpTerminateInvocation or code:OpDemoteToHelperInvocation" (Shader Termination). The runs take the first sentence at
its word: no invocation meets one that executed OpKill. Drivers take the note at its own, so that nothing is refuted
by such invocations going on.
"""

from reknit.ir import op
from reknit.ir.edit import append, clear_jump, function_of, region_of, set_jump
from reknit.ir.instr import Instr
from reknit.ir.jump import Exit
from reknit.ir.module import Module
from reknit.ir.walk import blocks
from reknit.passes.manager import run_passes


def going_on(module: Module) -> Module | None:
    """None for what has no OpKill where one could go on: in functions without structure, or that return a value."""
    copy = module.copy()
    functions = [each for each in copy.functions if each.structured and each.result.op == op.TypeVoid]
    kills = [
        block for function in functions for block in blocks(function)
        if isinstance(block.jump, Exit) and block.jump.instr.op == op.Kill
    ]  # fmt: skip
    if not kills:
        return None
    run_passes(copy, "eliminate-phis")
    for block in kills:
        if isinstance(block.jump, Exit) and block.jump.instr.op == op.Kill:
            is_last = block.next is None and region_of(block) is function_of(block).body
            clear_jump(block)
            append(block, Instr(op.DemoteToHelperInvocation, None, [], has_result=False))
            if is_last:
                set_jump(block, Exit(Instr(op.Return, None, [], has_result=False)))
    return copy
