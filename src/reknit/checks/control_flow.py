"""The rules of control flow on a binary, put together with what others say of it.

    binary ──▶ rules: RK06xx ──┐
               reading: RK01xx ┼──▶ each fault once        spirv-val's words on the same fault become a note
               spirv-val ──────┘

Ours come first: they name all faults, with blocks and places, where spirv-val stops at the first.
"""

import re
from typing import Final, final

from reknit.source.diagnostic import Diagnostic, Note
from reknit.spirv.environment import VULKAN, environment_of
from reknit.spirv.form.sound import doubtful_row
from reknit.spirv.rules.finding import Findings, TextNames
from reknit.spirv.rules.judge import diagnostics, examine
from reknit.spirv.rules.subject import Options, Subject
from reknit.spirv.words import Columns, parse

SAME_FAULT: Final = (
    ("First block", ("B01",)),
    ("Back-edges", ("B07",)),
    ("is targeted by", ("B08", "B37")),
    ("already a merge block", ("B05",)),
    ("appears in the binary before", ("B03",)),
    ("must immediately precede", ("B04",)),
    ("Merge Block and Continue Target", ("B09",)),
    ("may not be the block containing", ("B10",)),
    ("post dominated by the back-edge", ("B13",)),
    ("structurally dominate the back-edge", ("B12",)),
    ("structurally dominate the merge", ("B06", "B18")),
    ("but its merge block", ("B18",)),
    ("loop continue target", ("B17", "B11")),
    ("not via a structured exit", ("B14", "B15", "B16", "B21")),
    ("has invalid branch to block", ("B21", "B20")),
    (", but not to the", ("B19", "B11", "B06")),
    ("structurally dominate its case", ("B20",)),
    ("multiple other case", ("B22",)),
    ("Multiple case constructs", ("B23",)),
    ("does not immediately precede it", ("B24", "B25")),
    ("OpSwitch must be preceded", ("B27",)),
    ("Selection must be structured", ("B28",)),
    ("must be different labels", ("B29", "M03")),
    ("multiple unique predecessors", ("M02", "M04")),
    ("MaximallyReconvergesKHR", ("M01",)),
    ("SubgroupUniformControlFlowKHR", ("S01",)),
    ("Quad", ("Q01",)),
    ("OpPhi", ("B32", "B33")),
    ("does not dominate its use", ("B33",)),
    ("has not been defined", ("B33", "B02")),
    ("have not been defined", ("B33", "B02")),
    ("referenced but not defined in function", ("B02",)),
    ("must be the ID of an OpLabel", ("B02",)),
    ("must be IDs of an OpLabel", ("B02",)),
    ("must be an OpLabel", ("B02",)),
    ("nesting depth exceeded", ("B35",)),
    ("pairs in OpSwitch", ("B35",)),
    ("boolean type", ("B31",)),
    ("Selector type", ("B31",)),
    ("OpReturn", ("B34",)),
    ("cannot be used with the current execution", ("B36",)),
    ("TerminateInvocation", ("B36",)),
    ("call graph with cycles", ("X04",)),
    ("must appear in a block", ("X01",)),
    ("must be the first instructions in the first block", ("X02",)),
    ("loop control", ("X03",)),
    ("default value must be at least 1", ("D01",)),
    ("contains duplicate", ("D02",)),
    ("location assignment", ("D02",)),
    ("storage class forbidden", ("D03",)),
    ("storage classes for atomic", ("D03",)),
    ("Cannot store to OpTypeImage", ("D04",)),
)
"""Words of spirv-val's messages, and the rules that are about the same."""

OF_STRUCTURE_ALONE: Final = frozenset(
    (
        "B06", "B07", "B11", "B14", "B15", "B17", "B18", "B19", "B20", "B21", "B22", "B23", "B24", "B25", "B27", "B28",
        "M01", "M02", "M04", "M05", "S01", "Q01",
    )
)  # fmt: skip
"""Rules of whose faults only reading to a tree has more to say, which is that it can't be done: left out beside theirs.
Not among them: what reading refuses, and what its verifier says in words of its own (RK0406 of continuing parts)."""

READ_TOO: Final = re.compile(r"RK05\d\d|RK011[0-3]")  # what reading says of control flow that the rules are about
LITERAL_TWICE: Final = "RK0630"
CASES_OF_TREE: Final = "RK0413"  # what the tree's rules say of the same
THEIR_ID: Final = re.compile(r"'(\d+)\[%[^\]']*\]'")


@final
class Judged:
    """What the rules say of a binary: `diagnostics`, and `case` to draw it from (None: it is no module)."""

    __slots__ = ("diagnostics", "case")

    def __init__(self, diagnostics: list[Diagnostic], case: Subject | None) -> None:
        self.diagnostics = diagnostics
        self.case = case


def judge_words(
    binary: bytes, path: str, environment: str | None, with_words: bool, in_text: TextNames | None = None
) -> Judged:
    """Our rules on a binary. `with_words`: it is the file itself, so that its word offsets are places. `in_text` tells
    what ids are called in the text that it was assembled from."""
    target = environment if environment is not None else environment_of(binary)
    return judge_columns(parse(binary, path), path, target, with_words, in_text)


def judge_columns(
    columns: Columns, path: str, environment: str, with_words: bool, in_text: TextNames | None = None
) -> Judged:
    """The same of a binary whose words have been parsed."""
    case = examine(columns, Options(vulkan=environment.startswith(VULKAN)), in_text)
    return Judged(diagnostics(case, path, with_words), case)


def needs_no_tree(judged: Judged) -> bool:
    """Whether reading and the tree's verifier have nothing to say but what the rules have found."""
    case = judged.case
    if case is None or case.out.full() or any(finding.rule not in OF_STRUCTURE_ALONE for finding in case.out.findings):
        return False
    return doubtful_row(case) < 0


def join(judged: Judged, others: list[Diagnostic], validator: list[Diagnostic]) -> list[Diagnostic]:
    """Our findings, what else there is to say, spirv-val's verdict: each fault once.

    Where our rules found something, what reading says about the same is left out.
    """
    ours = judged.diagnostics
    rest = [fault for fault in others if not ours or READ_TOO.fullmatch(fault.code) is None]
    if any(fault.code == LITERAL_TWICE for fault in ours):
        rest = [fault for fault in rest if fault.code != CASES_OF_TREE]
    for verdict in validator:
        if judged.case is not None and judged.case.out.in_text is not None:
            verdict.message = _as_in_text(verdict.message, judged.case.out)
        same = _same(judged, verdict)
        if same is None:
            rest.append(verdict)
        else:
            same.notes.append(Note(verdict.message))
    return [*ours, *rest]


def _as_in_text(message: str, names: Findings) -> str:
    """spirv-val's words with the names of the text: '8[%8]' is what %body became."""
    return THEIR_ID.sub(lambda match: f"'{names.id(int(match[1]))}'", message)


def _same(judged: Judged, verdict: Diagnostic) -> Diagnostic | None:
    """Which of ours is about the fault that spirv-val met."""
    if judged.case is None or verdict.code != "RK0005":
        return None
    for words, rules in SAME_FAULT:
        if words in verdict.message:
            for finding, diagnostic in zip(judged.case.out.findings, judged.diagnostics, strict=True):
                if finding.rule in rules:
                    return diagnostic
            return judged.diagnostics[0] if judged.diagnostics else None
    return None
