"""`uniformity.md`, claim by claim: comments say what `Uniformity` finds, and the simulator refutes nothing of it."""

import re
from pathlib import Path
from typing import final

import pytest
from kit.oracles.uniform_values import watched

from reknit.analysis.manager import Analyses
from reknit.analysis.uniformity.uniformity import FunctionUniformity, Uniformity
from reknit.ir.module import Module
from reknit.ir.text.parser import parse
from reknit.ir.tree import Loop
from reknit.ir.walk import blocks, constructs, instructions
from reknit.sim.policy import Policy

DOCUMENT = Path(__file__).parent / "uniformity.md"
POLICIES = [Policy("label", "never"), Policy("value", "never", "fifo"), Policy("label", "always", "random:1")]


@final
class Section:
    """One `##` section: its shader, after the document's prelude, and the scope it is about."""

    def __init__(self, prelude: str, title: str, text: str) -> None:
        self.title = title
        self.prelude = prelude
        self.before = "".join(re.findall(r"^```rk before\n(.*?)^```$", text, re.MULTILINE | re.DOTALL))
        found = re.search(r"^scope: (\S+)$", text, re.MULTILINE)
        self.scope = found[1] if found is not None else "subgroup"

    def module(self) -> Module:
        return parse(self.prelude + self.before, f"{DOCUMENT.name}: {self.title}")


def sections() -> list[Section]:
    head, *parts = re.split(r"^## ", DOCUMENT.read_text(encoding="utf-8"), flags=re.MULTILINE)
    prelude = re.findall(r"^```rk prelude\n(.*?)^```$", head, re.MULTILINE | re.DOTALL)[0]
    return [Section(prelude, part.partition("\n")[0], part) for part in parts]


SECTIONS = sections()


def claims(section: Section) -> list[tuple[str, str, list[str]]]:
    """(function, what the line is about, its claims) for each line with a comment."""
    found: list[tuple[str, str, list[str]]] = []
    function = ""
    for line in section.before.splitlines():
        code, _, comment = line.partition(";")
        function = code.split("@")[1].split("(")[0] if code.startswith("func ") else function
        if comment:
            about = code.removeprefix("pad ").strip().removeprefix("pad ")
            found.append((function, about, [claim.strip() for claim in comment.split(",")]))
    return found


def found_for(of: FunctionUniformity, about: str) -> dict[str, bool]:
    """What the analysis says about a line, by the words of the document."""
    if about.startswith("loop @"):
        loop = next(each for each in constructs(of.function) if each.name == about.split("@")[1].split()[0])
        assert isinstance(loop, Loop)
        apart = of.leaves_apart(loop)
        return {"apart": apart, "together": not apart, "continues divergent": of.continues_apart(loop)}
    name = re.match(r"%(\w+)", about)
    assert name is not None, about
    if about.endswith(":"):
        block = next(each for each in blocks(of.function) if each.name == name[1])
        tangle, lanes = of.keeps_tangle(block), of.keeps_lanes(block)
        return {"tangle": tangle, "no tangle": not tangle, "lanes": lanes, "no lanes": not lanes}
    value = next(each for each in instructions(of.function) if each.name == name[1])
    return {"uniform": of.is_uniform(value), "differs": not of.is_uniform(value)}


@pytest.mark.parametrize("section", SECTIONS, ids=lambda section: section.title)
def test_claims(section: Section) -> None:
    module = section.module()
    uniformity = Analyses(module).of_module_with(Uniformity, section.scope)
    functions = {function.name: function for function in module.functions}
    assert claims(section)
    for function, about, expected in claims(section):
        found = found_for(uniformity.of(functions[function]), about)
        for claim in expected:
            assert found[claim], f"@{function}: {about} is not '{claim}'"
        if "apart" in found and "continues divergent" not in expected:
            assert not found["continues divergent"], about


@pytest.mark.parametrize("size", [4, 32])
@pytest.mark.parametrize("section", SECTIONS, ids=lambda section: section.title)
def test_no_claim_is_refuted(section: Section, size: int) -> None:
    found = watched(section.module(), section.scope, size, POLICIES, {"given": list(range(7, 39))})
    assert list(found.false) == []
    assert any(not differed for differed in found.compared.values())


def test_there_are_the_sections() -> None:
    assert [section.title[:3] for section in SECTIONS if section.title.startswith("D0")] == [
        "D01", "D02", "D03", "D04", "D05", "D06", "D07",
    ]  # fmt: skip
