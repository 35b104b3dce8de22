"""The page of each finding of lint: its first example has the finding, its second one has none."""

import re
from pathlib import Path

import pytest
from kit.text.explain_pages import examples

from reknit.checks.lint.codes import CODES
from reknit.checks.lint.lint import lint_module
from reknit.ir.text.parser import parse
from reknit.source.explain import page

DOCUMENT = Path(__file__).resolve().parents[2] / "spec" / "guarantees.md"
PRELUDE = re.findall(r"^```rk prelude\n(.*?)^```$", DOCUMENT.read_text(), re.MULTILINE | re.DOTALL)[0]


def as_fragment_shader(prelude: str) -> str:
    return (
        prelude.replace("EntryPoint GLCompute", "EntryPoint Fragment")
        .replace("LocalSize 32 1 1", "OriginUpperLeft")
        .replace("MemoryModel", "Capability DemoteToHelperInvocation\nMemoryModel")
    )


@pytest.mark.parametrize("code", [each.code for each in CODES.values()])
def test_the_examples_of_a_page(code: str) -> None:
    fails, passes = examples(code, "rk")
    text = str(page(code))
    prelude = as_fragment_shader(PRELUDE) if "fragment shader:" in text else PRELUDE
    prelude += "%f32 = TypeFloat 32\n" if "f32" in text else ""
    found = lint_module(parse(prelude + fails), "base")
    assert [one.code for one in found] == [code]
    assert found[0].notes and found[0].help
    assert lint_module(parse(prelude + passes), "base") == []


@pytest.mark.parametrize("code", ["RK3004", "RK3005", "RK3006", "RK3007", "RK3008", "RK3009"])
def test_no_mode_changes_it(code: str) -> None:
    """What the pages of these say: not even maximal reconvergence promises it."""
    fails, _ = examples(code, "rk")
    prelude = as_fragment_shader(PRELUDE) if "fragment shader:" in str(page(code)) else PRELUDE
    for target in ("sucf", "maximal"):
        assert [one.code for one in lint_module(parse(prelude + fails), target)] == [code]


@pytest.mark.parametrize("code", ["RK3001", "RK3002", "RK3003"])
def test_the_mode_changes_it(code: str) -> None:
    fails, _ = examples(code, "rk")
    declared = PRELUDE.replace(
        "ExecutionMode @main LocalSize", "ExecutionMode @main MaximallyReconvergesKHR\nExecutionMode @main LocalSize"
    )
    assert lint_module(parse(declared + fails)) == []
    assert [one.code for one in lint_module(parse(declared + fails), "base")] == [code]
