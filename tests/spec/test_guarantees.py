"""`guarantees.md`, line by line: what lint finds there, and what the simulator's checker sees in runs."""

import re
from pathlib import Path
from typing import final

import pytest
from kit.oracles.guarantees import Guarantees

from reknit.analysis.manager import Analyses
from reknit.analysis.tangles.judge import judge
from reknit.analysis.tangles.rules import BASE, MAXIMAL, SUBGROUP_UNIFORM
from reknit.ir import op
from reknit.ir.edit import insert_after
from reknit.ir.instr import Instr
from reknit.ir.module import Module
from reknit.ir.opcodes import info
from reknit.ir.text.parser import parse
from reknit.ir.walk import instructions
from reknit.sim.policy import Policy
from reknit.sim.run import prepare

DOCUMENT = Path(__file__).parent / "guarantees.md"
POLICIES = [Policy("label", "always"), Policy("value", "never", "fifo"), Policy("label", "never", "random:1")]
SIZES = (4, 8)

# What the checker sees for each answer: the rules whose promise is broken, and whether other tangles may join.
SEEN: dict[str, tuple[set[str], bool]] = {
    "fine": (set(), False),
    "needs-subgroup-uniform": ({BASE}, False),
    "needs-maximal": ({BASE, SUBGROUP_UNIFORM}, False),
    "united": (set(), True),
    "values": ({BASE, SUBGROUP_UNIFORM, MAXIMAL}, True),
    "falls-in": ({BASE, SUBGROUP_UNIFORM, MAXIMAL}, True),
}

# What is left of an answer when more is asked to promise.
LEFT = {
    SUBGROUP_UNIFORM: {"needs-subgroup-uniform": "fine"},
    MAXIMAL: {"needs-subgroup-uniform": "fine", "needs-maximal": "fine", "united": "fine"},
}


@final
class Section:
    """One `##` section: its shader after the prelude, and what its comments say, in the order of the operations."""

    def __init__(self, prelude: str, title: str, text: str) -> None:
        self.title = title
        self.text = prelude + "".join(re.findall(r"^```rk before\n(.*?)^```$", text, re.MULTILINE | re.DOTALL))
        self.answers: list[str] = re.findall(r"; (\S+)$", self.text, re.MULTILINE)

    def module(self) -> Module:
        return parse(self.text, f"{DOCUMENT.name}: {self.title}")


def sections() -> list[Section]:
    head, *parts = re.split(r"^## ", DOCUMENT.read_text(encoding="utf-8"), flags=re.MULTILINE)
    prelude = re.findall(r"^```rk prelude\n(.*?)^```$", head, re.MULTILINE | re.DOTALL)[0]
    return [Section(prelude, part.partition("\n")[0], part) for part in parts]


SECTIONS = sections()


def asked(section: Section, module: Module) -> list[tuple[Instr, str]]:
    """The operations that have a comment, with its answer."""
    found: list[Instr] = []
    for function in module.functions:
        for instr in instructions(function):
            about = info(instr.op)
            if about is not None and about.name.startswith(("GroupNonUniform", "ControlBarrier")):
                found.append(instr)
    return list(zip(found, section.answers, strict=True))


def answers(module: Module, target: str) -> dict[Instr, str]:
    return {finding.instr: finding.kind for finding in judge(module, Analyses(module), target)}


@pytest.mark.parametrize("section", SECTIONS, ids=lambda section: section.title)
def test_lint_answers(section: Section) -> None:
    module = section.module()
    for target in (BASE, SUBGROUP_UNIFORM, MAXIMAL):
        found = answers(module, target)
        for instr, answer in asked(section, module):
            left = LEFT.get(target, {}).get(answer, answer)
            assert found.get(instr, "fine") == left, f"%{instr.name} at {target}"


@pytest.mark.parametrize("section", SECTIONS, ids=lambda section: section.title)
def test_runs_show_the_same(section: Section) -> None:
    module = section.module()
    broken: dict[str, dict[Instr, None]] = {BASE: {}, SUBGROUP_UNIFORM: {}, MAXIMAL: {}}
    united: dict[Instr, None] = {}
    seen: dict[Instr, None] = {}
    for size in SIZES:
        program = prepare(module, subgroup_size=size)
        guarantees = Guarantees(program)
        for policy in POLICIES:
            guarantees.run(policy)
        for rule in broken:
            broken[rule].update(guarantees.broken[rule])
        united.update(guarantees.united)
        seen.update(guarantees.seen)
    for instr, answer in asked(section, module):
        if answer == "part-of-workgroup":
            continue
        rules, joined = SEEN[answer]
        assert instr in seen, f"%{instr.name} is not run"
        assert {rule for rule in broken if instr in broken[rule]} == rules, f"%{instr.name}"
        # Tangles that a switch leaves apart may also be seen side by side.
        assert (instr in united) == joined, f"%{instr.name}"


@pytest.mark.parametrize("section", SECTIONS, ids=lambda section: section.title)
@pytest.mark.parametrize("rules", [BASE, SUBGROUP_UNIFORM])
def test_runs_by_these_rules_choose_there_and_nowhere_else(section: Section, rules: str) -> None:
    """Where lint says that nothing promises who runs an operation, a run by these rules has a choice; where all is fine
    it has none."""
    module = section.module()
    operations = asked(section, module)
    for instr, _ in operations:
        if instr.has_result and instr.type is not None:  # who runs what nobody uses is not asked
            insert_after(instr, Instr(op.CopyObject, instr.type, [instr]))
    chosen: dict[Instr, None] = {}
    for size in SIZES:
        program = prepare(module, subgroup_size=size, rules=rules)
        for grouping in ("never", "always", "random:1", "random:2"):
            result = program.run(Policy(grouping=grouping))
            chosen.update(dict.fromkeys(grouped.instr for grouped in result.grouped))
    for instr, answer in operations:
        if answer != "part-of-workgroup":
            left = LEFT.get(rules, {}).get(answer, answer)
            assert (instr in chosen) == (left != "fine"), f"%{instr.name}"


def test_every_answer_is_shown() -> None:
    shown = {answer for section in SECTIONS for answer in section.answers}
    assert shown == {*SEEN, "part-of-workgroup"}
