"""`docs/reconvergence.md`: each program has the results that the page says; where asked, the validator agrees."""

import re
from pathlib import Path
from typing import final

import pytest
from kit import oracles

from reknit.ir.module import Module
from reknit.ir.text.parser import parse
from reknit.sim.outcomes import outcomes
from reknit.spirv.asm import assemble
from reknit.spirv.write import write_module

DOCUMENT = Path(__file__).parents[2] / "docs" / "reconvergence.md"
START = """%lane = Load %lane_id : u32
%slot = AccessChain %out, 0u, %lane : ptr<StorageBuffer, u32>
"""
SEE = """%who{n} = GroupNonUniformBallot 3u, true : vec4<u32>
%low{n} = CompositeExtract %who{n}, 0 : u32
%old{n} = Load %slot : u32
%moved{n} = ShiftLeftLogical %old{n}, {bits}u : u32
%new{n} = BitwiseOr %moved{n}, %low{n} : u32
Store %slot, %new{n}
"""


@final
class Section:
    """One `###` section: the number of lanes, its program, and what it says of that."""

    def __init__(self, prelude: str, text: str) -> None:
        self.title = text.partition("\n")[0]
        found = re.search(r"^lanes (\d+)$", text, re.MULTILINE)
        self.lanes = int(found[1]) if found is not None else 4
        self.prelude = prelude.replace("LANES", str(self.lanes))
        self.program = fenced("rk", text)
        self.rejected = fenced("rejected", text)
        self.accepted = "```accepted" in text
        self.stops = fenced("stops", text).strip()
        self.outcomes = [
            [int(word, 16) for word in line.split()] for line in fenced("outcomes", text).strip().splitlines()
        ]

    def module(self) -> Module:
        """The program, in which each SEE has names of its own; a whole digit for every four lanes."""
        text = self.program.replace("START\n", START)
        parts = text.split("SEE\n")
        for number, part in enumerate(parts[1:], 1):
            parts[number] = SEE.format(n=number, bits=max(self.lanes, 4)) + part
        return parse(self.prelude + "".join(parts), f"{DOCUMENT.name}: {self.title}")


def fenced(kind: str, text: str) -> str:
    return "".join(re.findall(rf"^```{kind}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL))


def sections() -> list[Section]:
    head, *parts = re.split(r"^### ", DOCUMENT.read_text(encoding="utf-8"), flags=re.MULTILINE)
    return [Section(fenced("rk prelude", head), part) for part in parts]


SECTIONS = sections()
RUN = [section for section in SECTIONS if section.program and not section.stops]
STOPPED = [section for section in SECTIONS if section.stops]
JUDGED = [section for section in SECTIONS if section.rejected or section.accepted]
QUADS = ("A12", "Escaping: the last invocation of a quad", "4: helper invocations")


@pytest.mark.parametrize("section", RUN, ids=lambda section: section.title)
def test_the_results_are_those_of_the_page(section: Section) -> None:
    found = outcomes(section.module(), subgroup_size=8 if section.title.startswith(QUADS) else 4)
    assert found.exhaustive
    assert all(outcome.result.finished for outcome in found.outcomes)
    assert sorted(outcome.words("out") for outcome in found.outcomes) == sorted(section.outcomes)


@pytest.mark.parametrize("section", STOPPED, ids=lambda section: section.title)
def test_a_run_stops(section: Section) -> None:
    found = outcomes(section.module(), subgroup_size=4, max_steps=1_000)
    assert not found.exhaustive
    told = [outcome.result.diagnostics for outcome in found.outcomes]
    assert {diagnostic.code for diagnostics in told for diagnostic in diagnostics} == {section.stops}


@pytest.mark.parametrize("section", JUDGED, ids=lambda section: section.title)
def test_the_validator_agrees(section: Section) -> None:
    data = assemble(section.rejected) if section.rejected else write_module(section.module())
    accepted, message = oracles.validate(data)
    assert accepted == section.accepted, message


def test_all_sixteen_are_there_and_each_section_shows_something() -> None:
    numbered = [re.match(r"A(\d+): ", section.title) for section in SECTIONS]
    assert sorted(int(found[1]) for found in numbered if found is not None) == list(range(1, 17))
    followed = {"At a label of a switch", "After a call", "At the continue target"}  # by A5, A10 and A11
    assert {section.title for section in SECTIONS if not (section.program or section.rejected)} == followed
