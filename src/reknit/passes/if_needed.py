"""End the pipeline for functions in which the passes that make control flow sound have nothing to do.

    no switch to lower, no jump over several levels     the function stays as it is, phis, variables and all
    anything else                                       the pipeline goes on

So a module of SPIR-V in which everything is defined and can be written comes back byte for byte. What the passes before
changed, and what was made of Slang or HLSL, goes on in any case: its variables are the compiler's own.
"""

from typing import Final

from reknit.analysis.tangled import Tangled
from reknit.ir.function import Function
from reknit.passes.contract import CONTROL_FLOW, Context, Option, Pass
from reknit.passes.eliminate_multi_level_breaks import has_far_jumps
from reknit.passes.switches.eliminate_continues import loops_to_wrap
from reknit.passes.switches.lower_switches import switches_to_lower
from reknit.passes.switches.shapes import AUTO, POLICIES


def if_needed(function: Function, context: Context) -> bool:
    if function.structured and context.untouched and not context.module.language:
        context.finished = not needs_rewriting(function, context)
    return False


def needs_rewriting(function: Function, context: Context) -> bool:
    """Whether a switch is to be lowered, a loop is left out of one, or a jump goes over several levels."""
    tangled = context.analyses.of_module(Tangled)
    policy = str(context.options["policy"])
    if switches_to_lower(function, tangled, policy) or loops_to_wrap(function, tangled, policy):
        return True
    return has_far_jumps(function)


IF_NEEDED: Final = Pass(
    "if-needed",
    "end the pipeline for functions in which no switch is to be lowered and no jump goes over several levels",
    if_needed,
    keeps=(*CONTROL_FLOW, "call-graph", "tangled"),
    options=(Option("policy", AUTO, "which switches will be lowered: that of lower-switches", POLICIES),),
)
