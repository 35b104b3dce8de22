"""The chain of causes behind an answer, as sentences: what parts invocations, and where they meet without a promise.

    ballot     <- invocations that part at this `if` meet after it, which SPIR-V promises only if ...   (the join)
                  <- not all of the workgroup come here: the condition of this `if` may differ          (the branch)
"""

from typing import Final, final

from reknit.analysis.callgraph import called
from reknit.analysis.tangles.cause import (
    BRANCH,
    CALL,
    CONTINUE,
    ENTRY,
    ESCAPE,
    FALL,
    FLAT,
    FLOW,
    JOIN,
    LOOP,
    VALUES,
    Cause,
)
from reknit.analysis.tangles.contexts import Entered
from reknit.analysis.tangles.flow import Flow
from reknit.analysis.tangles.rules import BASE, MAXIMAL, SUBGROUP_UNIFORM
from reknit.analysis.uniformity.element_tree import NONE
from reknit.ir.instr import Instr
from reknit.ir.tree import Construct, If, Loop, Scope, Switch
from reknit.ir.value import Value
from reknit.source.meter import spend

RULE_NAMES: Final = {
    BASE: "SPIR-V",
    SUBGROUP_UNIFORM: "SubgroupUniformControlFlowKHR",
    MAXIMAL: "MaximallyReconvergesKHR",
}
WHOLE: Final = {"workgroup": "the whole workgroup", "subgroup": "the whole subgroup", "quad": "the whole quad"}
MAX_SENTENCES: Final = 24  # sentences


@final
class Reason:
    """`about` is what it happens at: an instruction, a block, a construct, a case or a function."""

    __slots__ = ("text", "about")

    def __init__(self, text: str, about: Value | None) -> None:
        self.text = text
        self.about = about


def kind_of(construct: Value | None) -> str:
    if isinstance(construct, If):
        return "if"
    if isinstance(construct, Loop):
        return "loop"
    if isinstance(construct, Switch):
        return "switch"
    return "scope" if isinstance(construct, Scope) else "construct"


def why_several(entered: Entered, instr: Instr, rule: str, group: str) -> tuple[str, list[Reason]]:
    """(the kind of the cause at the end of the chain, the chain) for an operation that may have several classes.
    `group` names what the rule promises to join."""
    reasons: list[Reason] = []
    here: Entered = entered
    cause = _single_before(here.flow, instr)
    while True:
        spend(1)
        cause = _follow(here.flow, cause)
        if cause is None or len(reasons) >= MAX_SENTENCES:
            return FLAT, reasons
        inside = _parted_inside(here, cause)
        if inside is not None:
            reasons.append(Reason("the function that is called here parts them", cause.about))
            cause = inside.flow.cause_of_single(_first_lost(inside.flow, inside.flow.single_out))
            here = inside
            continue
        if cause.kind != ENTRY or here.call is None or here.caller is None:
            break
        reasons.append(Reason("the function is called here", here.call))
        cause = _single_before(here.caller.flow, here.call)
        here = here.caller
    about = cause.about
    only = f"{RULE_NAMES[rule]} promises only where {WHOLE[group]} enters it together and all of it leaves by its end"
    if cause.kind == JOIN:
        reasons.append(Reason(f"invocations that part at this `{kind_of(about)}` meet after it, which {only}", about))
        assert isinstance(about, Construct)
        reasons += _why_not_joined(here, about, group)
    elif cause.kind == LOOP:
        reasons.append(Reason(f"invocations leave this loop one by one and meet after it, which {only}", about))
        assert isinstance(about, Loop)
        reasons += _why_not_joined(here, about, group)
    elif cause.kind == CONTINUE:
        text = "only maximal reconvergence makes the invocations of an iteration meet at the loop's continue target"
        reasons.append(Reason(text, about))
        assert isinstance(about, Loop)
        reasons += _ways_to_continue(here.flow, about)
    elif cause.kind == CALL:
        text = "only maximal reconvergence makes invocations meet after this call that return at different places"
        if _called_flow(here.flow, about, False) is None:
            text = "a function that has no body here, or that calls itself, may part invocations"
        reasons.append(Reason(text, about))
    elif cause.kind == VALUES:
        text = (
            "several values of the selector lead to this case, and they may differ: whether those invocations run "
            "together is left to the implementation"
        )
        reasons.append(Reason(text, about))
    elif cause.kind == FALL:
        text = (
            "some invocations fall through to this case and others are sent to it: whether they meet is left to the "
            "implementation"
        )
        reasons.append(Reason(text, about))
    elif cause.kind == FLAT:
        reasons.append(Reason("the function's control flow is not structured, so no rule speaks of it", about))
    return cause.kind, reasons


def _parted_inside(here: Entered, cause: Cause) -> Entered | None:
    """The function of a call that several classes come back from, where they part before one of its returns."""
    call = cause.about
    if cause.kind != CALL or not isinstance(call, Instr):
        return None
    flow = _called_flow(here.flow, call, here.flow.at(call)[0])
    return Entered(flow, call, here) if flow is not None and _first_lost(flow, flow.single_out) >= 0 else None


def _called_flow(flow: Flow, call: Value | None, whole: bool) -> Flow | None:
    """Of a function that one class enters, and parts or leaves in part; None where nothing is known of it."""
    callee = called(call) if isinstance(call, Instr) else None
    return flow.calls(callee, whole, True).flow if callee is not None else None


def _first_lost(flow: Flow, kept: list[bool]) -> int:
    """The first block that returns at whose end something is not kept; NONE where it is at the end of each."""
    for number in flow.returning():
        if not kept[number]:
            return number
    return NONE


def why_part(entered: Entered, instr: Instr, group: str) -> list[Reason]:
    """The chain for an operation to which only part of a group may come."""
    flow = entered.flow
    assert instr.block is not None
    number = flow.number(instr.block)
    if flow.whole[number]:
        return _why_part(entered, Cause(CALL, flow.whole_lost.get(number), number), group)
    return _why_part(entered, flow.why_whole.get(number), group)


def _single_before(flow: Flow, instr: Instr) -> Cause | None:
    assert instr.block is not None
    number = flow.number(instr.block)
    if flow.single[number]:
        return Cause(CALL, flow.single_lost.get(number), number)
    return flow.why_single.get(number)


def _follow(flow: Flow, cause: Cause | None) -> Cause | None:
    if cause is None or cause.kind != FLOW:
        return cause
    return flow.origin_of_single(cause.source)


def _why_not_joined(entered: Entered, construct: Construct, group: str) -> list[Reason]:
    flow = entered.flow
    before = flow.number(construct.before())
    if flow.whole_out[before]:
        escape = flow.leaving.escaped[flow.places.element[construct].number]
        return [Reason("some of them leave it here", flow.block(int(escape)))] if escape >= 0 else []
    return _why_part(entered, flow.cause_of_whole(before), group)


def _why_part(entered: Entered, cause: Cause | None, group: str) -> list[Reason]:
    here = entered
    reasons: list[Reason] = []
    while cause is not None and len(reasons) < MAX_SENTENCES:
        if cause.kind == FLOW:
            cause = here.flow.origin_of_whole(cause.source)
        elif cause.kind == ENTRY:
            if here.call is None or here.caller is None:
                reasons.append(Reason("code outside of this module may call the function", cause.about))
                break
            reasons.append(Reason("the function is called here", here.call))
            block = here.call.block
            here = here.caller
            assert block is not None
            number = here.flow.number(block)
            cause = here.flow.why_whole.get(number) if not here.flow.whole[number] else here.flow.cause_of_whole(number)
        else:
            reasons.append(_parting(here.flow, cause, group))
            flow = _called_flow(here.flow, cause.about, True) if cause.kind == CALL else None
            number = _first_lost(flow, flow.whole_out) if flow is not None else NONE
            if flow is None or number < 0:
                break
            here = Entered(flow, None, here)
            cause = flow.cause_of_whole(number)
    return reasons


def _parting(flow: Flow, cause: Cause, group: str) -> Reason:
    about = cause.about
    whole = WHOLE[group]
    if cause.kind == BRANCH:
        word = "selector" if isinstance(about, Switch) else "condition"
        return Reason(f"not {whole} takes one branch: the {word} of this `{kind_of(about)}` may differ in it", about)
    if cause.kind == ESCAPE:
        text = f"not {whole} comes to the end of the {kind_of(about)}: some leave it here"
        return Reason(text, flow.block(cause.source))
    if cause.kind == CALL:
        return Reason(f"not {whole} comes back from this call in one place", about)
    return Reason("the function's control flow is not structured, so no rule speaks of it", about)


def _ways_to_continue(flow: Flow, loop: Loop) -> list[Reason]:
    reasons: list[Reason] = []
    for source in loop.continues:
        number = flow.number(source)
        if flow.reached[number] and not flow.whole_out[number]:
            reasons.append(Reason("some come there from here", source))
            break
    return reasons
