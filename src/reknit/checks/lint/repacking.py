"""What lint does not judge: after a ray tracing call a subgroup may consist of other invocations.

    OpTraceRayKHR ...            the implementation may change the set of invocations that execute here
    OpGroupNonUniformBallot      judged as if it had not: a note says so, once for a module

Source: Vulkan, "Invocation Repack Instruction": one where the implementation may change which invocations execute.
"""

from typing import Final

from reknit.checks.lint.codes import REPACKING
from reknit.checks.lint.sites import site
from reknit.ir import enums, traits
from reknit.ir.instr import Instr
from reknit.ir.module import Module
from reknit.ir.opcodes import info, kind
from reknit.ir.walk import instruction_list
from reknit.source.diagnostic import NOTE, Diagnostic

_STAGES: Final = range(enums.ExecutionModelRayGenerationKHR, enums.ExecutionModelCallableKHR + 1)
_REPACKS: Final = "packs"
"""What the table of tangled opcodes says of such a call."""


def repacking(module: Module) -> list[Diagnostic]:
    """A note where an entry point of a ray tracing stage is beside a call that repacks and an operation that lint
    judges."""
    entries = [entry for entry in module.entry_points if entry.word(0) in _STAGES]
    if not entries:
        return []
    first: Instr | None = None
    judged = False
    for function in module.functions:
        for instr in instruction_list(function):
            judged = judged or instr.op in traits.JUDGED
            if first is None and traits.TANGLED.get(instr.op) == _REPACKS:
                first = instr
    if first is None or not judged:
        return []
    known, entry = info(first.op), entries[0]
    stage = kind("ExecutionModel").of_value(entry.word(0))
    assert known is not None and stage is not None
    message = (
        f"Op{known.name} may change which invocations are in a subgroup: entry point {entry.text(2)!r} of the stage "
        f"{stage.name} is judged as if the same ones went on together"
    )
    help = "hold no value of a subgroup operation across the call, nor an index or a mask of its invocations"
    return [Diagnostic(REPACKING, message, site(first, module), NOTE, help=help)]
