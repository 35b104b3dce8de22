"""Judge the control flow of a module: every rule, in stages, over its words.

    parse(bytes) ──▶ judge(columns) ──▶ findings ──▶ diagnostics(...)      RK06xx with function, blocks and word offset

No tree is needed, so that a module whose control flow is broken is judged too. Time is near linear in the module.
"""

from reknit.source.diagnostic import ERROR, Diagnostic, Note
from reknit.source.place import Place
from reknit.spirv.rules.catalog import STAGES, by_id
from reknit.spirv.rules.finding import Finding, TextNames
from reknit.spirv.rules.subject import Options, Subject
from reknit.spirv.words import Columns


def judge(columns: Columns, options: Options | None = None) -> list[Finding]:
    """What is wrong with a module's control flow, in the order of the stages; at most MAX_FINDINGS findings."""
    return examine(columns, options).out.findings


def examine(columns: Columns, options: Options | None = None, in_text: TextNames | None = None) -> Subject:
    """The same, with all that was computed for it. `in_text` gives the names of ids in the text that the
    module was assembled from."""
    case = Subject(columns, options if options is not None else Options(), in_text)
    for stage in STAGES:
        for rule in stage:
            for check in rule.checks:
                check(case)
        case.out.close_stage()
        if stage is STAGES[0] and case.out.findings:
            break  # what is not in blocks has no graph
    return case


def diagnostics(case: Subject, path: str, with_words: bool = True) -> list[Diagnostic]:
    """The findings as errors. `with_words`: places are word offsets of the module that was judged."""
    if not case.out.findings:
        return []
    rules = by_id()
    faults: list[Diagnostic] = []
    for finding in case.out.findings:
        rule = rules[finding.rule]
        message = finding.message
        if finding.function >= 0:
            message += f" (function {case.out.function_name(finding.function)})"
        notes = [Note(text, _place(case.columns, path, row, with_words)) for text, row in finding.notes]
        for other in finding.also:
            notes.append(Note(f"{other} is broken with it: {rules[other].says} ({rules[other].code})"))
        notes.append(Note(f"rule {rule.id}: {rule.says} ({rule.source})"))
        place = _place(case.columns, path, finding.row, with_words)
        faults.append(Diagnostic(rule.code, message, place, ERROR, notes))
    return faults


def _place(columns: Columns, path: str, row: int, with_words: bool) -> Place:
    return Place(path, word=int(columns.at[row])) if with_words and row >= 0 else Place(path)
