"""The examples of the list of validation rules: each is refused, by the rule that it is an example of.

A: br B; B: loop M C brc C M; ...        blocks with merge instruction and terminator; the first is the entry
"""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from reknit.spirv.asm import assemble
from reknit.spirv.rules.judge import judge
from reknit.spirv.words import parse

BEFORE = """\
OpCapability Shader
{extension}OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main"
OpExecutionMode %main LocalSize 1 1 1
{mode}%void = OpTypeVoid
%bool = OpTypeBool
%int = OpTypeInt 32 0
%cond = OpUndef %bool
%value = OpUndef %int
%fn = OpTypeFunction %void
%main = OpFunction %void None %fn
"""


def blocks(text: str, order: list[str] | None) -> str:
    """The assembly of a function's body."""
    bodies: dict[str, list[str]] = {}
    for part in text.split(";"):
        name, words = part.split(":")
        body = words.split()
        lines = [f"%{name.strip()} = OpLabel"]
        if body[0] == "sel":
            lines.append(f"OpSelectionMerge %{body[1]} None")
            body = body[2:]
        elif body[0] == "loop":
            lines.append(f"OpLoopMerge %{body[1]} %{body[2]} None")
            body = body[3:]
        targets = " ".join([word if word.isdigit() else f"%{word}" for word in body[1:]])
        lines.append({
            "br": f"OpBranch {targets}",
            "brc": f"OpBranchConditional %cond {targets}",
            "switch": f"OpSwitch %value {targets}",
            "ret": "OpReturn",
            "unreachable": "OpUnreachable",
        }[body[0]])  # fmt: skip
        bodies[name.strip()] = lines
    return "\n".join([line for name in order or list(bodies) for line in bodies[name]]) + "\nOpFunctionEnd\n"


def broken(rule: dict[str, Any], text: str, order: list[str] | None) -> set[str]:
    """The rules that an example breaks, also those that a finding names besides its own."""
    extension = 'OpExtension "SPV_KHR_maximal_reconvergence"\n' if rule["maximal"] else ""
    mode = "OpExecutionMode %main MaximallyReconvergesKHR\n" if rule["maximal"] else ""
    source = BEFORE.format(extension=extension, mode=mode) + blocks(text, order)
    version = (1, int(rule["env"].removeprefix("spv1.")))
    found = judge(parse(assemble(source, version=version)))
    return {finding.rule for finding in found} | {other for finding in found for other in finding.also}


def test_examples_break_their_rules(conformance: Callable[[str], Path]) -> None:
    path = conformance("README.md").parent.parent / "specs" / "validation_rules.json"
    rules = json.loads(path.read_text())["rules"]
    told = 0
    for rule in rules:
        if rule["example"]:
            assert rule["id"][:3] in broken(rule, rule["example"], rule.get("order")), rule["id"]
            told += 1
        if "valid_counterexample" in rule:
            assert broken(rule, rule["valid_counterexample"], None) == set(), rule["id"]
    assert told == 33
