"""Where SPIR-V makes invocations meet that a tree keeps apart, under the mode that promises it.

    if %c nojoin { A } else { B }            OpSelectionMerge %m    all invocations meet at %m
    %all = GroupNonUniformBallot ...   =>    OpBranchConditional %c %a %b

A branch of which each path goes on to a block of its own has a merge instruction in a shader (SPIR-V 1.6, 2.11), and
with MaximallyReconvergesKHR the invocations that reach its merge block are one tangle. Where a tangled instruction
follows before they would meet anyway, that is another program.
"""

from reknit.analysis.manager import Analyses
from reknit.analysis.meetings import runs_together
from reknit.analysis.tangled import Tangled
from reknit.ir.instr import Instr
from reknit.ir.locate import place_of
from reknit.ir.module import Module
from reknit.ir.opcodes import info
from reknit.ir.tree import If, Switch
from reknit.source.diagnostic import Diagnostic, InputError


def refuse_meetings(branches: list[If | Switch], module: Module) -> None:
    """Raises InputError (RK0517) for those of `branches` that are unmerged, and written with a merge instruction in a
    function with the mode, whose invocations would then run a tangled instruction together."""
    tangled = Analyses(module).of_module(Tangled)
    faults: list[Diagnostic] = []
    for branch in branches:
        together = runs_together(branch, tangled)
        if together is not None:
            faults.append(_refusal(branch, together, module))
    if faults:
        raise InputError(faults)


def _refusal(branch: If | Switch, together: Instr, module: Module) -> Diagnostic:
    kind = "an `if`" if isinstance(branch, If) else "a `switch`"
    about = info(together.op)
    what = f"Op{about.name}" if about is not None else "an operation"
    return Diagnostic(
        "RK0517",
        f"SPIR-V needs a merge instruction for {kind} that is `nojoin`, and under MaximallyReconvergesKHR the "
        f"invocations of its paths would then execute {what} together",
        place_of(branch, module),
        help="leave out `nojoin` if they are to run it together; else put a copy of what follows on each path",
    )
