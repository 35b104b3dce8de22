"""How constructs are entered and left.

in       at the header only; a continue construct from its loop only
out of   a selection     its merge block, the innermost loop's merge block or continue target, the innermost switch's
                         merge block
         a loop          its merge block, its continue target
         a continue      from the latch, to the loop header or the merge block
                                                                   (SPIR-V 1.6, 2.11 "structured exit")
"""

from reknit.source.columns import i64
from reknit.spirv.rules.finding import Finding
from reknit.spirv.rules.subject import Subject

SELECTION = "B14"
LOOP = "B15"
CONTINUE = "B16"
CASE = "B21"
NAMES = {SELECTION: "selection", LOOP: "loop", CONTINUE: "continue construct", CASE: "switch"}


def selections_are_left_by_exits(case: Subject) -> None:
    """B14: a branch out of a selection is a structured exit."""
    _exits(case, SELECTION)


def loops_are_left_by_exits(case: Subject) -> None:
    """B15: a branch out of a loop goes to its merge block or continue target."""
    _exits(case, LOOP)


def continues_are_left_by_exits(case: Subject) -> None:
    """B16: a continue construct is left from its latch, to the loop's header or merge block."""
    _exits(case, CONTINUE)


def cases_are_left_by_exits(case: Subject) -> None:
    """B21, first part: a branch out of a case that leaves the switch is a structured exit."""
    _exits(case, CASE)


def _exits(case: Subject, rule: str) -> None:
    if not case.facts.shader:
        return
    flow = case.flow
    known = case.wrong_exits()
    at: i64 = 0
    while at < len(known):
        source, goal, construct = known[at]
        at += 1
        if rule_of(case, source, construct) != rule:
            continue
        out = case.out
        constructs = case.constructs()
        header = int(constructs.header(construct))
        name = NAMES[rule]
        message = (
            f"{out.at(source)} branches to {out.at(goal)}, which is not an exit of the {name} of {out.at(header)}"
        )
        finding = out.add(rule, message, flow.last[source], source)
        finding.header = header if construct < flow.count else int(constructs.loop_of[header])
        finding.edges.append((source, goal))
        _say_exits(case, finding, construct)


def rule_of(case: Subject, source: int, construct: int) -> str:
    """Which rule a branch from `source` out of a construct breaks."""
    flow = case.flow
    if construct >= flow.count:
        return CONTINUE
    if flow.continues[construct] >= 0:
        return LOOP
    if source != construct and case.constructs().is_switch(construct):
        return CASE
    return SELECTION


def _say_exits(case: Subject, finding: Finding, construct: int) -> None:
    """Where the branch might have gone."""
    flow = case.flow
    out = case.out
    constructs = case.constructs()
    if construct >= flow.count:
        loop: i64 = constructs.loop_of[construct - flow.count]
        fits = f"{out.at(loop)} or {out.at(flow.merge[loop])}, from {out.at(constructs.latch[construct - flow.count])}"
        finding.notes.append((f"its exits are to {fits}", int(flow.merge_row[loop])))
        return
    exits = [f"to its merge block {out.at(flow.merge[construct])}"]
    if flow.continues[construct] >= 0:
        exits.append(f"to its continue target {out.at(flow.continues[construct])}")
    else:
        loop = constructs.loop[construct]
        switch: i64 = constructs.switch[construct]
        if switch >= 0 and not constructs.is_switch(construct):
            exits.append(f"to {out.at(flow.merge[switch])}, out of the switch of {out.at(switch)}")
        if loop >= 0:
            exits.append(
                f"to {out.at(flow.merge[loop])} or {out.at(flow.continues[loop])}, in the loop of {out.at(loop)}"
            )
    finding.notes.append((f"its exits are {'; '.join(exits)}", int(flow.merge_row[construct])))


def constructs_are_entered_at_headers(case: Subject) -> None:
    """B19: a branch from outside enters a construct at its header."""
    if not case.facts.shader:
        return
    flow = case.flow
    tree = case.graph().structural
    constructs = case.constructs()
    source: i64 = 0
    while source < flow.count:
        if not tree.has(source) or not case.sound(source):
            source += 1
            continue
        edge: i64 = flow.starts[source]
        while edge < flow.starts[source + 1]:
            goal: i64 = flow.targets[edge]
            entered: i64 = constructs.entered_wrongly(source, goal)
            if entered >= 0:
                out = case.out
                header: i64 = constructs.header(entered)
                rule = rule_of(case, int(header), int(entered))
                message = f"{out.at(source)} branches to {out.at(goal)}, into the {NAMES[rule]} of {out.at(header)}"
                finding = out.add("B19", f"{message} past its header", flow.last[source], source)
                finding.header = int(header)
                finding.edges.append((int(source), int(goal)))
            edge += 1
        source += 1


def continues_are_entered_from_loops(case: Subject) -> None:
    """B17: what branches to a continue target is in the loop, or branches back to a loop that starts there."""
    if not case.facts.shader:
        return
    flow = case.flow
    graph = case.graph()
    constructs = case.constructs()
    target: i64 = 0
    while target < flow.count:
        header: i64 = constructs.loop_of[target]
        if header < 0 or header == target or not graph.structural.has(target) or not case.sound(target):
            target += 1
            continue
        at: i64 = graph.real_into.starts[target]
        while at < graph.real_into.starts[target + 1]:
            source: i64 = graph.real_into.targets[at]
            at += 1
            if not graph.structural.has(source) or constructs.holds(header, source):
                continue
            if flow.continues[target] >= 0 and constructs.latch[flow.continues[target]] == source:
                continue  # the back edge of a loop within the continue construct
            out = case.out
            message = f"{out.at(source)} branches to continue target {out.at(target)}, but is not in the loop of"
            finding = out.add("B17", f"{message} {out.at(header)}", flow.last[source], source)
            finding.header = int(header)
            finding.edges.append((int(source), int(target)))
        target += 1
