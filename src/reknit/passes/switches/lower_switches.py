"""Give every group of cases one road, so that its tangle is defined.

    switch v { case 0: A fallthrough            switch v { case 0: selector = 0; stage = 0
               case 1: B }              =>                 case 1: selector = 0; stage = 1 }
                                                switch selector { case 0: if stage <= 0 { A }
                                                                          if stage <= 1 { B } }

Which switches: see shapes; how they are split: see split; how `break` leaves a road: see leave_by_merge and
leave_by_stage. On its own output the pass changes nothing: the first switch only sets variables where several values
meet, and the second one has one selector value per case. Source: the two-switch design; SPV_KHR_maximal_reconvergence
rev 2, OpSwitch.
"""

from typing import Final

from reknit.analysis.callgraph import CallGraph
from reknit.analysis.tangled import Tangled
from reknit.ir import op
from reknit.ir.block import Block
from reknit.ir.function import Function
from reknit.ir.instr import Instr
from reknit.ir.tree import Switch
from reknit.ir.walk import constructs, nodes_in
from reknit.passes.contract import (
    NO_CONTINUES,
    NO_PHIS,
    SINGLE_LEVEL,
    STRUCTURED,
    SWITCHES_DEFINED,
    Context,
    Option,
    Pass,
)
from reknit.passes.declare_reconvergence import declare
from reknit.passes.demote import repair_dominance, undemotable
from reknit.passes.switches.leave_by_merge import leave_by_merge
from reknit.passes.switches.leave_by_stage import leave_by_stage, separate_ways
from reknit.passes.switches.shapes import AUTO, POLICIES, needs_lowering
from reknit.passes.switches.split import split_switch

KEEPS: Final = ("tangled",)  # the same calls, in another order


def lower_switches(function: Function, context: Context) -> bool:
    """Lower what the policy names, outer before inner: a switch inside a case moves with it and has its turn later."""
    tangled = context.analyses.of_module(Tangled)
    policy = str(context.options["policy"])
    sentinel = context.options["exit"] == "sentinel"
    changed = False
    for switch in constructs(function):
        if not isinstance(switch, Switch):
            continue
        reason = needs_lowering(switch, tangled.is_tangled, policy)
        if not reason or not _can_lower(switch, context, sentinel):
            continue
        context.note("RK2101", f"switch{_called(switch)} was lowered: {reason}", at=switch)
        split = split_switch(function, context.module, switch)
        if sentinel:
            leave_by_stage(split, context.module)
        else:
            leave_by_merge(split)
        changed = True
    if changed:
        if context.options["declare"]:
            graph = context.analyses.of_module(CallGraph)
            reaching = dict.fromkeys(graph.reaching([function]))
            declare([entry for entry in graph.entry_points if entry in reaching], context)
        context.analyses.changed(function, KEEPS)
        repair_dominance(function, context)
    return changed


def switches_to_lower(function: Function, tangled: Tangled, policy: str) -> list[Switch]:
    """The switches that the policy names."""
    return [
        construct
        for construct in constructs(function)
        if isinstance(construct, Switch) and needs_lowering(construct, tangled.is_tangled, policy)
    ]


def _can_lower(switch: Switch, context: Context, sentinel: bool) -> bool:
    """Whether nothing prevents it; reports what does."""
    what = f"switch{_called(switch)} was not lowered: "
    if not switch.merged:
        reason = "it has no merge, so nothing says where its invocations meet again"
        context.decline("RK2102", what + reason, at=switch)
        return False
    if any(True for _ in switch.after().phis()):
        context.decline("RK2103", what + "phis right after it could not be eliminated", at=switch)
        return False
    for region in switch.regions():
        for node in nodes_in(region):
            if not isinstance(node, Block):
                continue
            for instr in node:
                if instr.op == op.Phi:
                    context.decline("RK2103", what + "phis in it could not be eliminated", at=instr)
                    return False
                if _is_used_elsewhere(instr) and undemotable(instr, context):
                    name = f"%{instr.name}" if instr.name else "a value"
                    reason = f"{name}, defined in it, is used in another block and fits in no variable"
                    context.decline("RK2104", what + reason, at=instr)
                    return False
    if sentinel and separate_ways(switch):
        reason = "a selection in it that is left by `break` has no merge and goes on twice"
        context.decline("RK2105", what + reason, at=switch)
        return False
    return True


def _is_used_elsewhere(instr: Instr) -> bool:
    for user in instr.use_list():
        home = user.block if isinstance(user, Instr) else None
        if home is not instr.block:
            return True
    return False


def _called(switch: Switch) -> str:
    return f" @{switch.name}" if switch.name else ""


LOWER_SWITCHES: Final = Pass(
    "lower-switches",
    "give every group of cases that tangled operations see one path",
    lower_switches,
    needs=(STRUCTURED, NO_PHIS, NO_CONTINUES),
    gives=(SWITCHES_DEFINED,),
    loses=(SINGLE_LEVEL,),
    keeps=KEEPS,
    options=(
        Option(
            "policy",
            AUTO,
            "auto: where a tangled operation runs in a construct with an undefined tangle; "
            "fallthrough: where anything falls through; always: wherever several values share a construct",
            POLICIES,
        ),
        Option(
            "exit",
            "merge",
            "how a break leaves: merge: by a jump to the second switch's end; "
            "sentinel: by a stage that nothing matches",
            ("merge", "sentinel"),
        ),
        Option("declare", True, "declare maximal reconvergence, as declare-reconvergence does, where one was lowered"),
    ),
)
