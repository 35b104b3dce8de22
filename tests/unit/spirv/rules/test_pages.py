"""Every rule has a page whose failing example breaks that rule and no other, and whose passing example breaks none."""

import re
from pathlib import Path

import pytest
from kit.text.explain_pages import examples
from kit.text.rule_pages import whole

from reknit.source import explain
from reknit.spirv.rules.catalog import STAGES, by_id
from reknit.spirv.rules.judge import diagnostics, examine
from reknit.spirv.words import parse

ROOT = Path(__file__).resolve().parents[4]
BY_SIZE = ("RK0635",)
CODES = [rule.code for rule in by_id().values()]


def codes_of(binary: bytes) -> set[str]:
    return {one.code for one in diagnostics(examine(parse(binary)), "example.spvasm")}


@pytest.mark.parametrize("code", [code for code in CODES if code not in BY_SIZE])
def test_examples_fail_and_pass(code: str) -> None:
    fails, passes = examples(code, "spvasm")
    assert codes_of(whole(code, fails)) == {code}
    assert codes_of(whole(code, passes)) == set()


@pytest.mark.parametrize("pairs, wanted", [(16383, set()), (16384, {"RK0635"})])
def test_a_switch_has_16383_pairs_at_most(pairs: int, wanted: set[str]) -> None:
    listed = " ".join([f"{literal} %b" for literal in range(pairs)])
    body = f"%a = OpLabel\nOpSelectionMerge %m None\nOpSwitch %value %m {listed}\n"
    assert codes_of(whole("", f"{body}%b = OpLabel\nOpBranch %m\n%m = OpLabel\nOpReturn\n")) == wanted


@pytest.mark.parametrize("depth, wanted", [(1023, set()), (1024, {"RK0635"})])
def test_control_flow_nests_1023_deep_at_most(depth: int, wanted: set[str]) -> None:
    lines = ["%b0 = OpLabel"]
    for level in range(depth):
        lines += [f"OpSelectionMerge %m{level} None", f"OpBranchConditional %cond %b{level + 1} %m{level}"]
        lines += [f"%b{level + 1} = OpLabel"]
    for level in reversed(range(depth)):
        lines += [f"OpBranch %m{level}", f"%m{level} = OpLabel"]
    assert codes_of(whole("", "\n".join([*lines, "OpReturn", ""]))) == wanted


def test_there_are_44_rules_and_what_reading_blocks_needs_besides() -> None:
    ids = [rule.id for stage in STAGES for rule in stage]
    wanted = [f"B{number:02}" for number in range(1, 38)] + [f"M{number:02}" for number in range(1, 6)] + ["S01", "Q01"]
    assert sorted(id for id in ids if id[0] not in "XD") == sorted(wanted)
    assert len(set(ids)) == len(ids)
    assert len({rule.code for rule in by_id().values()}) == len(ids)


def test_pages_name_their_rules() -> None:
    for rule in by_id().values():
        assert f"({rule.id})" in str(explain.page(rule.code))


def test_the_document_lists_the_rules() -> None:
    listed: dict[str, list[str]] = {}
    for line in (ROOT / "docs" / "validator.md").read_text().splitlines():
        cells = [cell.strip() for cell in line.split("|")]
        if len(cells) > 4 and re.fullmatch(r"RK06\d\d", cells[2]):
            listed[cells[1]] = cells[2:5]
    assert listed == {rule.id: [rule.code, rule.says, rule.source] for rule in by_id().values()}
