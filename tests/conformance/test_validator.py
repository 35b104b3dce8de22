"""The rules of control flow against verdicts of SPIRV-Tools: its own test modules, and small random graphs.

`differences` in docs/validator.md names what the rules judge otherwise, and why; none of it occurs in these files.
"""

import gzip
import json
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

from reknit.source.diagnostic import InputError
from reknit.spirv.asm import assemble
from reknit.spirv.read import read_module
from reknit.spirv.rules.catalog import by_id
from reknit.spirv.rules.judge import judge
from reknit.spirv.rules.subject import Options
from reknit.spirv.words import parse

VERSIONS = {"vulkan1.0": (1, 0), "vulkan1.1": (1, 3), "vulkan1.3": (1, 6), "opencl1.2": (1, 0)}
SPEC_ONLY = ("B26", "B30", "M05")  # rules of the specification that spirv-val does not check
OPTIONS = {
    "ValidateLimits.CustomizedControlFlowDepthGood": {"nesting": 10},
    "ValidateLimits.CustomizedControlFlowDepthBad": {"nesting": 10},
    "ValidateLimits.CustomizedSwitchNumBranchesGood": {"pairs": 10},
    "ValidateLimits.CustomizedSwitchNumBranchesBad": {"pairs": 10},
}
"""What spirv-val was told in tests that need an option; the number is part of its message."""

NOT_CONTROL_FLOW = re.compile(
    r"pointer operand|Pointer operand|storage class|OpFunctionCall Argument"  # calls
    r"|In Logical addressing, functions may"
    r"|OpTypeFunction|OpTypeStruct|Structure Nesting|Global Variables|local variables|max id bound"  # other limits
    r"|undefined values|Expected Value to be a vector|[Ss]cope|CooperativeMatrix"  # what single instructions take
    r"|OpGroupDecorate|requires a previous definition|can only be used with the Fragment"  # types, execution modes
)
BY_READING = re.compile(r"forward referenced IDs")  # annotations of what is not there: RK0110


def lines_of(path: Path) -> list[dict[str, Any]]:
    with gzip.open(path, "rt") as file:
        return [json.loads(line) for line in file]


def rules_broken(text: str, version: tuple[int, int], options: Options) -> list[str]:
    """The rules that a module breaks; "unread" where it can't be divided into instructions."""
    try:
        columns = parse(assemble(text, version=version))
    except InputError:
        return ["unread"]
    return [finding.rule for finding in judge(columns, options)]


def test_modules_of_the_validators_own_tests(conformance: Callable[[str], Path]) -> None:
    verdicts: Counter[str] = Counter()
    for one in lines_of(conformance("spirv_val_cases.jsonl.gz")):
        version = VERSIONS.get(one["asm_env"], (1, int(one["asm_env"][-1])))
        options = Options(
            vulkan=one["val_env"].startswith("vulkan"),
            before_legalization=one["needs_option"] == "before-hlsl-legalization",
            **OPTIONS.get(one["name"], {}),
        )
        broken = [rule for rule in rules_broken(one["asm"], version, options) if rule not in SPEC_ONLY]
        if one["expected"] == "valid":
            assert broken == [], one["name"]
            verdicts["valid"] += 1
        elif broken:
            verdicts["invalid"] += 1
        elif BY_READING.search(one["message"]):
            verdicts["read"] += 1
            try:
                read_module(assemble(one["asm"], version=version))
            except InputError as error:
                assert "RK0110" in [diagnostic.code for diagnostic in error.diagnostics], one["name"]
            else:
                raise AssertionError(one["name"])
        else:
            assert NOT_CONTROL_FLOW.search(one["message"]), one["name"]
            verdicts["other"] += 1
    assert sum(verdicts.values()) == 480
    assert verdicts["valid"] == 220
    assert verdicts["other"] <= 100


def test_small_random_graphs(conformance: Callable[[str], Path]) -> None:
    told: dict[str, Counter[str]] = {}
    for one in lines_of(conformance("spirv_val_fuzz.jsonl.gz")):
        broken = [rule for rule in rules_broken(one["asm"], (1, 3), Options()) if rule not in SPEC_ONLY]
        assert ("invalid" if broken else "valid") == one["verdict"], (one["id"], one["error"], broken)
        if broken:
            told.setdefault(one["category"], Counter())[broken[0]] += 1
    assert sum(sum(rules.values()) for rules in told.values()) == 1212
    # The first rule is the one that the validator's message is about, where that message is about one rule.
    for message, rule in MESSAGES.items():
        found = next(rules for category, rules in told.items() if category.startswith(message))
        assert set(found) - {"M03"} == {rule}, (message, found)
    assert {rule for rules in told.values() for rule in rules} <= set(by_id())


MESSAGES = {
    "Back-edges": "B07",
    "First block": "B01",
    "OpSwitch must be preceded": "B27",
    "Selection must be structured": "B28",
    "Block # is already a merge block": "B05",
    "Merge Block may not be": "B10",
    "Merge Block and Continue Target": "B09",
    "Header block # is contained": "B18",
    "Multiple case constructs": "B23",
    "Block # appears in the binary before": "B03",
}
