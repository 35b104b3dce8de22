"""Which instructions end a block.

    leave the function    OpReturn, OpKill ...       what a `jump.Exit` carries
    go to other blocks    OpBranch, OpSwitch ...     what a `jump.Branch` carries

Source: SPIR-V 1.6, 2.2.4 "Control Flow", "Termination Instruction".
"""

from typing import Final

from reknit.ir import op

EXITS: Final = (
    op.Return,
    op.ReturnValue,
    op.Kill,
    op.Unreachable,
    op.TerminateInvocation,
    op.IgnoreIntersectionKHR,
    op.TerminateRayKHR,
    op.EmitMeshTasksEXT,
    op.AbortKHR,
)

BRANCHES: Final = (op.Branch, op.BranchConditional, op.Switch)

MERGES: Final = (op.SelectionMerge, op.LoopMerge)
