"""What is reported for the failing example of each rule: the message, its place, the edges and header, the notes.

    RK0608  two blocks branch back to loop %h: %c and %d
            at %h = OpLabel; header %h; edges %c -> %h, %d -> %h
            note %c branches back here: OpBranch %h

A note gives the last line that it points to in the example. All was read against the example by hand.
"""

import re
from pathlib import Path

import pytest
from kit.text.explain_pages import examples
from kit.text.rule_pages import whole

from reknit.spirv.rules.finding import Finding
from reknit.spirv.rules.judge import examine
from reknit.spirv.rules.subject import Subject
from reknit.spirv.words import parse

TABLE = (Path(__file__).parent / "findings.txt").read_text()
WANTED = {part[:6]: part[6:].strip() for part in TABLE.split("\n\n") if part.startswith("RK")}
LABEL = re.compile(r"^(%\w+) = OpLabel", re.M)
RESULT = re.compile(r"^\s*(%\w+) = ", re.M)


def shown(code: str, text: str) -> str:
    """The findings of an example, with the names that it uses."""
    case = examine(parse(whole(code, text)))
    lines = [line.strip() for line in text.strip().splitlines()]
    first = int(case.columns.functions[0]) + 1 if "OpCapability" not in text else 0
    labels = LABEL.findall(text)
    names: dict[str, str] = {}
    for row in range(first, len(case.columns.op)):
        found = RESULT.match(lines[row - first]) if row - first < len(lines) else None
        if found is not None:
            names[f"%{case.columns.result[row]}"] = found[1]

    def line(row: int) -> str:
        return lines[row - first] if row >= first else "an earlier line"

    return "\n".join(_one(case, finding, names, labels, line(finding.row), line) for finding in case.out.findings)


def _one(case: Subject, finding: Finding, names: dict[str, str], labels: list[str], at: str, line: object) -> str:
    assert callable(line)

    def named(text: str) -> str:
        return re.sub(r"%\d+", lambda found: names.get(found[0], found[0]), text)

    parts = [f"at {at}"]
    if finding.header >= 0:
        parts.append(f"header {labels[finding.header]}")
    if finding.edges:
        parts.append("edges " + ", ".join(f"{labels[one]} -> {labels[other]}" for one, other in finding.edges))
    if finding.also:
        parts.append(f"also {', '.join(finding.also)}")
    said = [f"{finding.rule}: {named(finding.message)}", "; ".join(parts)]
    said += [f"note {named(text)}: {line(row)}" for text, row in finding.notes]
    return "\n".join(said)


@pytest.mark.parametrize("code", list(WANTED))
def test_findings(code: str) -> None:
    assert shown(code, examples(code, "spvasm")[0]) == WANTED[code]
