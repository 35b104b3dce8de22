"""What maximal reconvergence demands of every function that an entry point with the mode reaches.

    where branches meet   a loop header, a merge block, a continue target or a label of an OpSwitch; nowhere else
    a condition           leads to two different blocks

Source: SPV_KHR_maximal_reconvergence, revision 2.
"""

from reknit.ir import enums, op, traits
from reknit.ir.flat_graph import filled
from reknit.source.columns import i32, i64
from reknit.spirv.rules.declarations import EntryPoint
from reknit.spirv.rules.selections import same_labels
from reknit.spirv.rules.subject import Subject

MODE = enums.ExecutionModeMaximallyReconvergesKHR
EXTENSION = "SPV_KHR_maximal_reconvergence"


def maximal(case: Subject) -> list[EntryPoint]:
    """The entry points with the mode."""
    return [entry for entry in case.facts.entry_points if entry.has(MODE)]


def mode_is_declared(case: Subject) -> None:
    """M01: the mode needs its extension and the capability Shader (SPV_KHR_maximal_reconvergence, 3.6)."""
    for entry in maximal(case):
        row = [row for mode, row in entry.modes if mode == MODE][0]
        if EXTENSION not in case.facts.extensions:
            case.out.add("M01", f"MaximallyReconvergesKHR needs the extension {EXTENSION}", row)
            return
        if not case.facts.shader:
            case.out.add("M01", "MaximallyReconvergesKHR needs the capability Shader", row)
            return


def branches_meet_where_declared(case: Subject) -> None:
    """M02: only loop headers, merge blocks, continue targets and labels of an OpSwitch have several predecessors."""
    _meetings(case, "M02")


def unreached_predecessors_count(case: Subject) -> None:
    """M04: that includes predecessors that are not reached themselves."""
    _meetings(case, "M04")


def _meetings(case: Subject, rule: str) -> None:
    """What breaks the rule only by predecessors that are not reached is M04, everything else M02."""
    entries = maximal(case)
    if not entries:
        return
    flow = case.flow
    into = case.graph().real_into
    plain = case.graph().plain
    reached = case.facts.reached(entries)
    declared = filled(flow.count, 0)
    block: i64 = 0
    while block < flow.count:
        if flow.continues[block] >= 0:
            declared[block] = 1
            declared[flow.continues[block]] = 1
        if flow.merge[block] >= 0:
            declared[flow.merge[block]] = 1
        if case.is_switch(block):
            edge: i64 = flow.starts[block]
            while edge < flow.starts[block + 1]:
                declared[flow.targets[edge]] = 1
                edge += 1
        block += 1
    block = 0
    while block < flow.count:
        several = into.starts[block + 1] - into.starts[block] > 1
        if several and declared[block] == 0 and reached[flow.function[block]] and case.sound(block):
            sources: list[int] = []
            live = 0
            at: i64 = into.starts[block]
            while at < into.starts[block + 1]:
                source = int(into.targets[at])
                at += 1
                if not sources or sources[-1] != source:
                    sources.append(source)
                    live += 1 if plain.has(source) else 0
            if len(sources) > 1 and rule == ("M02" if live != 1 else "M04"):
                _report(case, rule, block, sources)
        block += 1


def _report(case: Subject, rule: str, block: i64, sources: list[int]) -> None:
    out = case.out
    named = " and ".join([out.at(source) for source in sources[:4]]) + (" and more" if len(sources) > 4 else "")
    why = "which is no loop header, merge block, continue target or label of an OpSwitch"
    dead = "" if rule == "M02" else "; that one of them is not reached makes no difference"
    message = f"{named} meet at {out.at(block)}, {why}{dead}"
    finding = out.add(rule, message, case.flow.label_row(block), block, breaks=False)
    finding.edges.extend([(source, int(block)) for source in sources])
    finding.notes.extend([(f"{out.at(source)} branches there", int(case.flow.last[source])) for source in sources[:4]])


def labels_differ_under_the_mode(case: Subject) -> None:
    """M03: an OpBranchConditional names two different labels, in every SPIR-V version."""
    if case.facts.version >= 0x00010600:
        return  # B29
    entries = maximal(case)
    if not entries:
        return
    reached = case.facts.reached(entries)
    flow = case.flow
    block: i64 = 0
    while block < flow.count:
        if reached[flow.function[block]] and same_labels(case, block):
            goal = flow.targets[flow.starts[block]]
            message = f"both targets of {case.out.at(block)} are {case.out.at(goal)}"
            finding = case.out.add("M03", message, flow.last[block], block, breaks=False)
            finding.edges.append((int(block), int(goal)))
        block += 1


def invocations_are_not_repacked(case: Subject) -> None:
    """M05: an entry point with the mode uses no instruction that repacks invocations
    (VUID-StandaloneSpirv-MaximallyReconvergesKHR-09565)."""
    if not case.options.vulkan:
        return
    entries = maximal(case)
    if not entries:
        return
    reached = case.facts.reached(entries)
    columns = case.columns
    row_at: i64 = case.facts.first_function
    rows: i64 = len(columns.op)
    while row_at < rows:
        row = int(row_at)
        code: i32 = columns.op[row_at]
        row_at += 1
        if code >= op.TraceRayKHR and int(code) in traits.REPACKS:
            function = int(columns.function[row])
            if function >= 0 and reached[function]:
                message = f"in {case.out.function_name(function)}, which an entry point with MaximallyReconvergesKHR"
                finding = case.out.add(
                    "M05", f"{message} reaches, an instruction repacks invocations", row, int(columns.block[row]), False
                )
                finding.notes.append(("an entry point with the mode is declared here", entries[0].row))
                return
