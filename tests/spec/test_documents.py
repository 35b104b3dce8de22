"""The Markdown documents in this folder, run as they stand.

    ```rk prelude            declarations and functions that every shader of the document has
    ```rk before             the shader of a section
    ```rk after PASSES       what it becomes, word for word: the function that `before` has
    | columns | 0 | 1 | ...  the pattern that repeats over the invocations
    | NAME    | ...          what a buffer holds; the row `out` is what must be stored in its buffer, in hexadecimal
    outcomes before: N, after: 1.     how many results OpSwitch allows for the first table at subgroup size 4

A section's values must be among the outcomes before, and the only ones after its own `after` passes and after those of
PASSES below, at every subgroup size and under every freedom. What comes out of the last pass is also written as SPIR-V,
shown to spirv-val and run again, unless the section says `no validator is asked`.
"""

import re
from pathlib import Path
from typing import final

import pytest
from kit import oracles
from kit.oracles import drivers

from reknit.ir.function import Function
from reknit.ir.module import Module
from reknit.ir.text.parser import parse
from reknit.ir.text.printer import print_function, print_module
from reknit.passes.manager import run_passes
from reknit.sim.outcomes import outcomes
from reknit.sim.policy import Policy
from reknit.sim.run import prepare
from reknit.spirv.read import read_module
from reknit.spirv.write import write_module
from reknit.vulkan.run import run_on

LANES = 64
SIZES = (4, 8, 32, 64)
FREEDOMS = [(partition, join) for partition in ("label", "value") for join in ("never", "always")]
SCHEDULES = ("lifo", "fifo", "random:7")

# What every section with an outcome line must survive.
PASSES = [
    "eliminate-phis, eliminate-continues, lower-switches, eliminate-multi-level-breaks",
    "eliminate-phis, eliminate-continues{all}, lower-switches{policy=always}, eliminate-multi-level-breaks",
    "eliminate-phis, eliminate-continues, lower-switches{exit=sentinel}, eliminate-multi-level-breaks",
    "reconverge",
]


@final
class Section:
    """One `##` section: its shader, what it becomes, its tables (row name -> pattern) and its outcomes."""

    def __init__(self, path: Path, prelude: str, title: str, text: str) -> None:
        self.path = path
        self.prelude = prelude
        self.title = title
        self.before = ""
        self.after: list[tuple[str, str]] = []
        for kind, body in blocks(text):
            if kind == "before":
                self.before = body
            elif kind.startswith("after "):
                self.after.append((kind.removeprefix("after "), body))
        self.tables = tables(text)
        found = re.search(r"^outcomes before: (\d+), after: 1\.", text, re.MULTILINE)
        self.outcomes = int(found[1]) if found is not None else 0
        self.is_shader = "no validator is asked" not in text

    def module(self) -> Module:
        return parse(self.prelude + self.before, f"{self.path.name}: {self.title}")

    def main(self, module: Module) -> Function:
        """The function that `before` defines: the last one."""
        return module.functions[-1]


def blocks(text: str) -> list[tuple[str, str]]:
    return re.findall(r"^```rk ([^\n]+)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def tables(text: str) -> list[dict[str, list[int]]]:
    found: list[dict[str, list[int]]] = []
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")] if line.startswith("|") else []
        if not cells or cells[0].startswith("---"):
            continue
        if cells[0] == "columns":
            found.append({})
        else:
            base = 16 if cells[0] == "out" else 0
            found[-1][cells[0]] = [int(cell, base) for cell in cells[1:]]
    return found


def sections() -> list[Section]:
    found: list[Section] = []
    for path in [Path(__file__).parent / "switch.md"]:
        head, *parts = re.split(r"^## ", path.read_text(encoding="utf-8"), flags=re.MULTILINE)
        prelude = "".join(body for kind, body in blocks(head) if kind == "prelude")
        for part in parts:
            title, _, text = part.partition("\n")
            found.append(Section(path, prelude, title, text))
    return found


# Documents of other kinds stand here too: each has a test file of its own.
SECTIONS = [section for section in sections() if section.after or section.tables]
WITH_VALUES = [section for section in SECTIONS if section.tables]


def named(section: Section) -> str:
    return f"{section.path.stem}: {section.title}"


def transformed(section: Section, passes: str) -> Module:
    module = section.module()
    run_passes(module, passes)
    return module


def results(module: Module, table: dict[str, list[int]], size: int, schedules: tuple[str, ...]) -> list[list[int]]:
    """The different contents of `out` over the freedoms, in the order of FREEDOMS."""
    program = prepare(module, subgroup_size=size)
    buffers = inputs(table)
    found: list[list[int]] = []
    for partition, join in FREEDOMS:
        for schedule in schedules:
            result = program.run(Policy(partition, join, schedule), (1, 1, 1), buffers)
            assert [str(diagnostic) for diagnostic in result.diagnostics] == []
            words = list(result.buffers["out"].words)
            if words not in found:
                found.append(words)
    return found


def inputs(table: dict[str, list[int]]) -> dict[str, list[int]]:
    return {name: [0] * LANES if name == "out" else tiled(row) for name, row in table.items()}


def tiled(row: list[int]) -> list[int]:
    return [row[lane % len(row)] & 0xFFFFFFFF for lane in range(LANES)]


@pytest.mark.parametrize("section", SECTIONS, ids=named)
def test_text_after_the_passes(section: Section) -> None:
    for passes, expected in section.after:
        module = transformed(section, passes)
        assert print_function(section.main(module)) == expected, passes


def allowed(module: Module, table: dict[str, list[int]]) -> list[list[int]]:
    """Every content of `out` that the freedoms of OpSwitch allow at the smallest subgroup size, each once: by the rules
    of maximal reconvergence, whether or not the module has been given the mode by now."""
    found = outcomes(module, subgroup_size=SIZES[0], buffers=inputs(table), rules="maximal")
    assert found.exhaustive, found.coverage
    words: list[list[int]] = []
    for outcome in found.outcomes:
        result = outcome.words("out")
        if outcome.policy.kill == "terminate" and result not in words:  # what OpKill may do is another freedom
            words.append(result)
    return words


@pytest.mark.parametrize("section", WITH_VALUES, ids=named)
def test_outcomes(section: Section) -> None:
    table = section.tables[0]
    before = allowed(section.module(), table)
    assert len(before) == section.outcomes
    assert tiled(table["out"]) in before, "the source's meaning is one that OpSwitch allows"
    for passes in PASSES:
        assert allowed(transformed(section, passes), table) == [tiled(table["out"])], passes


@pytest.mark.parametrize("passes", PASSES)
@pytest.mark.parametrize("section", WITH_VALUES, ids=named)
def test_values_after(section: Section, passes: str) -> None:
    module = transformed(section, passes)
    for table in section.tables:
        for size in SIZES:
            assert results(module, table, size, SCHEDULES) == [tiled(table["out"])], f"subgroup size {size}"


@pytest.mark.parametrize("section", WITH_VALUES, ids=named)
def test_values_after_the_passes_of_the_section(section: Section) -> None:
    for passes, _ in section.after:
        module = transformed(section, passes)
        for table in section.tables:
            assert results(module, table, SIZES[0], ("lifo",)) == [tiled(table["out"])], passes


@pytest.mark.parametrize("section", WITH_VALUES, ids=named)
def test_lowering_twice_is_lowering_once(section: Section) -> None:
    for passes in PASSES[:3]:
        once = parse(print_module(transformed(section, passes)))
        text = print_module(once)
        run_passes(once, passes)
        assert print_module(once) == text, passes


@pytest.mark.parametrize("passes", PASSES)
@pytest.mark.parametrize("section", [section for section in WITH_VALUES if section.is_shader], ids=named)
def test_written_module_is_valid_and_means_the_same(section: Section, passes: str) -> None:
    words = write_module(transformed(section, passes))
    accepted, message = oracles.validate(words)
    assert accepted, message
    again = read_module(words)
    for table in section.tables:
        assert results(again, table, SIZES[0], ("lifo",)) == [tiled(table["out"])]


def on_lavapipe(module: Module, table: dict[str, list[int]], lanes: int) -> list[int]:
    """What the driver stores in `out`."""
    found = run_on(drivers.target("lavapipe", lanes), module, buffers=inputs(table))
    assert found.subgroup_size == lanes
    return found.buffers["out"].words


@pytest.mark.parametrize("lanes", [4, 8, 16])
@pytest.mark.parametrize("section", [section for section in WITH_VALUES if section.is_shader][::4], ids=named)
def test_a_driver_stores_the_same(section: Section, lanes: int) -> None:
    """Every fourth section. A software driver meets at fallthrough more than it must, so it confirms the values that
    lowering leaves; that others were allowed before is for `test_outcomes` to show."""
    table = section.tables[0]
    assert on_lavapipe(transformed(section, "reconverge"), table, lanes) == tiled(table["out"])
