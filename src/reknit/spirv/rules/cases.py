"""The cases of a switch: which falls through to which, and in which order they are listed.

OpSwitch %v %default  0 %a  1 %b  1 %c        a case construct: what one of these labels dominates

a ──▶ b      "a falls through to b": b must follow a in the list; each falls through to one other at most, and is
             reached so from one at most; what leaves a case for no other case leaves the switch   (SPIR-V 1.6, 2.11)
"""

from typing import Final

from reknit.ir.flat_graph import filled
from reknit.source.columns import i64, read_i32_le
from reknit.spirv.rules.fallthrough import Falls
from reknit.spirv.rules.subject import Subject

NONE: Final = -1


def cases_are_dominated(case: Subject) -> None:
    """B20: the header of a switch structurally dominates its cases (SPIR-V 1.6, 2.11)."""
    if not case.facts.shader:
        return
    flow = case.flow
    tree = case.graph().structural
    constructs = case.constructs()
    header: i64 = 0
    while header < flow.count:
        if tree.has(header) and constructs.is_switch(header) and case.sound(header):
            edge: i64 = flow.starts[header]
            while edge < flow.starts[header + 1]:
                target: i64 = flow.targets[edge]
                if target != flow.merge[header] and not tree.over(header, target):
                    out = case.out
                    message = f"switch {out.at(header)} does not dominate its case {out.at(target)}"
                    finding = out.add("B20", message, flow.last[header], header)
                    finding.header = int(header)
                    finding.edges.append((int(header), int(target)))
                    break
                edge += 1
        header += 1


def cases_go_to_cases(case: Subject) -> None:
    """B21, second part: what leaves a case within the switch goes to another case."""
    if not case.facts.shader:
        return
    out = case.out
    for source, goal, start in case.falls().odd:
        switch = int(case.graph().structural.above[start])
        message = f"{out.at(source)}, in case {out.at(start)}, branches to {out.at(goal)}, which is no case of"
        finding = out.add("B21", f"{message} switch {out.at(switch)}", int(case.flow.last[source]), source)
        finding.header = switch
        finding.edges.append((source, goal))


def cases_fall_into_one(case: Subject) -> None:
    """B22: a case falls through to one other at most (SPIR-V 1.6, 2.11)."""
    if not case.facts.shader:
        return
    out = case.out
    fallen = case.falls()
    for source, goal, start in fallen.second:
        first = int(fallen.into[start])
        message = f"case {out.at(start)} falls through to {out.at(first)} and to {out.at(goal)}"
        finding = out.add("B22", message, int(case.flow.last[source]), source)
        finding.header = int(case.graph().structural.above[start])
        finding.edges.extend([(int(fallen.by[start]), first), (source, goal)])


def cases_are_fallen_into_by_one(case: Subject) -> None:
    """B23: a case is reached by fallthrough from one other at most (SPIR-V 1.6, 2.11)."""
    if not case.facts.shader:
        return
    flow = case.flow
    fallen = case.falls()
    first = filled(flow.count, NONE)
    start: i64 = 0
    while start < flow.count:
        goal: i64 = fallen.into[start]
        if goal >= 0 and case.sound(start):
            if first[goal] < 0:
                first[goal] = start
            else:
                out = case.out
                message = f"cases {out.at(first[goal])} and {out.at(start)} both fall through to {out.at(goal)}"
                finding = out.add("B23", message, flow.label_row(goal), goal)
                finding.header = int(fallen.case_of[goal])
                finding.edges.extend([(int(fallen.by[first[goal]]), int(goal)), (int(fallen.by[start]), int(goal))])
        start += 1


def falling_cases_are_listed_in_order(case: Subject) -> None:
    """B24: a case that falls through to another is listed right before it (SPIR-V 1.6, 2.11)."""
    _order(case, "B24")


def falling_through_default_keeps_order(case: Subject) -> None:
    """B25: of cases that fall through to each other through the default, the one is listed right before the other."""
    _order(case, "B25")


def _order(case: Subject, rule: str) -> None:
    """The list of each switch. Falling into a default that no pair names counts as falling where the default does."""
    if not case.facts.shader:
        return
    flow = case.flow
    tree = case.graph().structural
    constructs = case.constructs()
    fallen = case.falls()
    header: i64 = 0
    while header < flow.count:
        if tree.has(header) and constructs.is_switch(header) and case.sound(header):
            first: i64 = flow.starts[header]
            end: i64 = flow.starts[header + 1]
            default: i64 = flow.targets[first]
            listed = False
            edge: i64 = first + 1
            while edge < end and not listed:
                listed = flow.targets[edge] == default
                edge += 1
            beyond: i64 = NONE if default == flow.merge[header] else fallen.into[default]
            edge = first + 1
            while edge < end:
                start: i64 = flow.targets[edge]
                if start == flow.merge[header] or (edge + 1 < end and flow.targets[edge + 1] == start):
                    edge += 1
                    continue
                goal: i64 = fallen.into[start]
                through = goal == default and not listed
                if through:
                    goal = beyond
                wrong = goal >= 0 and (edge + 1 >= end or flow.targets[edge + 1] != goal)
                if wrong and rule == ("B25" if through else "B24"):
                    _out_of_order(case, rule, header, start, goal, fallen)
                edge += 1
        header += 1


def _out_of_order(case: Subject, rule: str, header: i64, start: i64, goal: i64, fallen: Falls) -> None:
    out = case.out
    by = " through the default" if rule == "B25" else ""
    message = f"case {out.at(start)} falls through to {out.at(goal)}{by}, but is not listed right before it"
    finding = out.add(rule, message, case.flow.last[header], header)
    finding.header = int(header)
    finding.edges.append((int(fallen.by[start]), int(fallen.into[start])))
    finding.notes.append((f"{out.at(fallen.by[start])} falls through here", int(case.flow.last[fallen.by[start]])))


def same_labels_are_consecutive(case: Subject) -> None:
    """B26: the pairs of an OpSwitch that name one label stand together (SPIR-V 1.6, 2.11)."""
    flow = case.flow
    last_place = filled(flow.count, NONE)
    header: i64 = -1
    while header + 1 < flow.count:
        header += 1
        if not case.is_switch(header):
            continue
        first: i64 = flow.starts[header] + 1
        end: i64 = flow.starts[header + 1]
        edge: i64 = first
        while edge < end:
            target: i64 = flow.targets[edge]
            if last_place[target] >= first and last_place[target] < edge - 1:
                out = case.out
                message = f"the pairs that lead to {out.at(target)} are not next to each other"
                finding = out.add("B26", message, flow.last[header], header, breaks=False)
                finding.header = int(header)
                finding.edges.append((int(header), int(target)))
                break
            last_place[target] = edge
            edge += 1


def literals_are_unique(case: Subject) -> None:
    """B30: no two pairs of an OpSwitch have the same literal (OpSwitch)."""
    flow = case.flow
    columns = case.columns
    header: i64 = 0
    while header < flow.count:
        if case.is_switch(header):
            row: i64 = flow.last[header]
            words: i64 = flow.literal_words(row)
            at: i64 = i64(columns.at[row]) + 3
            end: i64 = i64(columns.at[row]) + i64(columns.size[row])
            seen: set[int] = set()
            while at + words < end:
                literal: int = read_i32_le(columns.data, 4 * at)
                if words == 2:
                    literal = (int(read_i32_le(columns.data, 4 * at + 4)) << 32) | (literal & 0xFFFFFFFF)
                if literal in seen:
                    message = f"two pairs of switch {case.out.at(header)} have the literal {literal}"
                    finding = case.out.add("B30", message, row, header, breaks=False)
                    finding.header = int(header)
                    break
                seen.add(literal)
                at += words + 1
        header += 1
