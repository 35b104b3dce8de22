"""SPIR-V -> tree -> .rk -> tree -> SPIR-V: the same bytes as without the text, ids and all, also for invalid modules.

The modules are the tests of SPIRV-Tools' validator and small random control-flow graphs. Of those that spirv-val calls
valid, the verifier has nothing to say, but for two that repeat a case literal: "It is invalid for any two of the case
literals to be equal" (SPIR-V 1.6, OpSwitch), which spirv-val does not check.
"""

import gzip
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from kit.oracles.module_equality import assert_same

from reknit.ir.module import Module
from reknit.ir.text.parser import parse
from reknit.ir.text.printer import print_module
from reknit.ir.verify import verify
from reknit.source.diagnostic import InputError
from reknit.spirv.asm import assemble
from reknit.spirv.read import read_module
from reknit.spirv.write import write_module

FILES = ("spirv_val_cases.jsonl.gz", "spirv_val_fuzz.jsonl.gz")
REPEATED_LITERALS = {"ValidateLimits.SwitchNumBranchesGood", "ValidateLimits.CustomizedSwitchNumBranchesGood"}


def modules(path: Path) -> Iterator[tuple[dict[str, Any], Module]]:
    """Every module of the file that can be read."""
    with gzip.open(path, "rt", encoding="utf-8") as file:
        for line in file:
            row = json.loads(line)
            try:
                yield row, read_module(assemble(row["asm"]))
            except InputError:
                continue


def written(module: Module) -> bytes:
    """The binary; empty where the writer refuses."""
    try:
        return write_module(module)
    except InputError:
        return b""


@pytest.mark.parametrize("name", FILES)
def test_text_keeps_every_byte(name: str, conformance: Callable[[str], Path]) -> None:
    compared = 0
    for row, module in modules(conformance(name)):
        text = print_module(module)
        again = parse(text)
        assert_same(module, again)
        assert written(again) == written(module), row.get("name", row.get("id"))
        compared += 1
    assert compared > 400


@pytest.mark.parametrize("name", FILES)
def test_valid_modules_verify(name: str, conformance: Callable[[str], Path]) -> None:
    judged = 0
    for row, module in modules(conformance(name)):
        if row.get("expected", row.get("verdict")) == "valid" and row.get("name") not in REPEATED_LITERALS:
            assert [str(fault) for fault in verify(module)] == [], row.get("name", row.get("id"))
            judged += 1
    assert judged > 200
