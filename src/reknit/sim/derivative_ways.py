"""Derivatives that may be coarse or fine, by the choice of a run.

    0 1    fine     P1 - P0 in 0 and 1, P3 - P2 in 2 and 3
    2 3    coarse   P1 - P0 in all four (of P0 or P1), or P3 - P2 in all four (of P2 or P3)

All derivatives of a run are taken alike, so a choice narrows what is possible for those that follow; it is asked for
where two ways give different results. Source: `step_choices`.
"""

from typing import Any

from reknit.ir import traits
from reknit.ir.instr import Instr
from reknit.sim.faults import describe
from reknit.sim.ops.group import derivative_function
from reknit.sim.ops.group_vote import GroupFunction
from reknit.sim.ops.undefined import Undefined
from reknit.sim.prepare import Preparation
from reknit.sim.step_choices import DERIVATIVE, FINE, StepChoices


def with_ways(preparation: Preparation, instr: Instr) -> GroupFunction | None:
    """None: of no floats, or one that is fine in any case."""
    kind = traits.DERIVATIVE[instr.op]
    if kind == "fine":
        return None
    result = preparation.shape(instr)
    undefined = preparation.undefined(instr)
    unheard = Undefined(lambda lane, message: None)
    functions: dict[int, GroupFunction] = {}
    trials: dict[int, GroupFunction] = {}
    for way in range(FINE, 4):
        function = derivative_function(instr.op, result, undefined, way)
        trial = derivative_function(instr.op, result, unheard, way)
        if function is None or trial is None:
            return None
        functions[way] = function
        trials[way] = trial
    choices = preparation.step_choices
    coarse = kind == "coarse"
    tried: list[Any] = [0] * preparation.lanes

    def run(out: list[Any], lanes: list[int], columns: list[list[Any]], base: int, size: int) -> None:
        if len(choices.derivatives) > 1:
            groups: dict[Any, list[tuple[int, int]]] = {}
            for pair in choices.derivatives:
                trials[way_of(pair, coarse)](tried, lanes, columns, base, size)
                groups.setdefault(tuple([tried[lane] for lane in lanes]), []).append(pair)
            if len(groups) > 1:
                choices.derivatives = list(groups.values())[choices.settle(len(groups))]
                choices.tell(DERIVATIVE, f"{describe(instr)} is {way_text(way_of(choices.derivatives[0], coarse))}")
        functions[way_of(choices.derivatives[0], coarse)](out, lanes, columns, base, size)

    return run


def way_of(pair: tuple[int, int], coarse: bool) -> int:
    return pair[1] if coarse else pair[0]


def way_text(way: int) -> str:
    return "fine" if way == FINE else f"coarse, that of invocation {way} of each quad"


def settle_levels(choices: StepChoices, groups: dict[Any, list[int]], instr: Instr) -> None:
    """Go on with one of the groups of ways to take the level of detail, which differ in what it is."""
    if len(groups) > 1:
        choices.levels = list(groups.values())[choices.settle(len(groups))]
        choices.tell(DERIVATIVE, f"the level of detail of {describe(instr)} is {way_text(choices.levels[0])}")
