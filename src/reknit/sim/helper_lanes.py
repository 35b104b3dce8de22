"""Group operations in which helper invocations may be considered inactive.

    lanes    0 1 2 3      h: a helper invocation     IAdd of 1     all active 4, none of them 2, one of them 3
               h   h

The results are computed for each set of helper invocations that may be inactive, and a run chooses among those that
differ. An invocation that is considered inactive has no result of its own: it gets that of the first active one.
Source: `step_choices`.
"""

from typing import Any

from reknit.ir.instr import Instr
from reknit.sim.faults import describe, lane_list
from reknit.sim.ops.group_vote import GroupFunction
from reknit.sim.prepare import Preparation
from reknit.sim.step_choices import EACH, HELPER, LAUNCHED, MAX_APART, StepChoices


def with_helpers(
    preparation: Preparation, instr: Instr, function: GroupFunction, trial: GroupFunction, heard: list[str]
) -> GroupFunction:
    """`function`, for a choice of active lanes. `trial` computes the same, and says what is undefined to `heard`."""
    helpers = preparation.helpers
    choices = preparation.step_choices
    tried: list[Any] = [0] * preparation.lanes

    def run(out: list[Any], lanes: list[int], columns: list[list[Any]], base: int, size: int) -> None:
        those = [lane for lane in lanes if helpers[lane]]
        if choices.freedom == LAUNCHED:
            those = [lane for lane in those if choices.natural[lane]]
        elif choices.freedom != EACH:
            those = []
        if not those or len(those) == len(lanes) or all(helpers[lane] for lane in lanes):
            function(out, lanes, columns, base, size)
            return
        sets: dict[Any, list[int]] = {}
        for absent in may_be_absent(choices, those):
            heard.clear()
            tried_by(trial, tried, lanes, absent, columns, base, size)
            key = (tuple([tried[lane] for lane in lanes]), tuple(heard))
            sets.setdefault(key, absent)
        ways = list(sets.values())
        if choices.freedom == LAUNCHED:
            absent = launched(choices, ways)
        else:
            absent = ways[choices.pick(len(ways))]
        if len(ways) > 1:
            which = f"helper invocations inactive: {lane_list(absent)}" if absent else "helper invocations active"
            choices.tell(HELPER, f"{describe(instr)}, {which}")
        tried_by(function, out, lanes, absent, columns, base, size)

    return run


def may_be_absent(choices: StepChoices, those: list[int]) -> list[list[int]]:
    """The sets of helper invocations that may be inactive: none first, then all."""
    if choices.freedom == LAUNCHED:
        return [those if absent else [] for absent in choices.absent]
    sets: list[list[int]] = [[], those]
    if len(those) <= MAX_APART:
        for bits in range(1, (1 << len(those)) - 1):
            sets.append([lane for at, lane in enumerate(those) if bits >> at & 1])
    else:
        natural = [lane for lane in those if choices.natural[lane]]
        demoted = [lane for lane in those if not choices.natural[lane]]
        sets.extend([part for part in (natural, demoted) if part and len(part) < len(those)])
        choices.partial = "which of many helper invocations are inactive is chosen for all, the natural or the demoted"
    return sets


def launched(choices: StepChoices, ways: list[list[int]]) -> list[int]:
    """Whether the helper invocations are there: chosen where it shows first, and kept."""
    if len(ways) > 1:
        choices.absent = [choices.pick(2)]
        return ways[choices.absent[0]]
    return ways[0]


def tried_by(
    function: GroupFunction,
    out: list[Any],
    lanes: list[int],
    absent: list[int],
    columns: list[list[Any]],
    base: int,
    size: int,
) -> None:
    """The operation by the lanes that are not absent."""
    if not absent:
        function(out, lanes, columns, base, size)
        return
    active = [lane for lane in lanes if lane not in absent]
    function(out, active, columns, base, size)
    for lane in absent:
        out[lane] = out[active[0]]
