"""Valid modules come back: SPIR-V -> tree -> SPIR-V word for word, SPIR-V -> .rk -> SPIR-V alike up to ids.

The modules are the tests of SPIRV-Tools' validator, small random control-flow graphs with spirv-val's verdicts, the
examples, and shaders compiled by glslang. Equal words have equal verdicts; for what goes over .rk spirv-val is asked.
"""

import gzip
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from kit import oracles

from reknit.ir import enums
from reknit.ir.module import Module
from reknit.ir.text.parser import parse
from reknit.ir.text.printer import print_module
from reknit.source.diagnostic import InputError
from reknit.spirv.asm import assemble
from reknit.spirv.read import read_module
from reknit.spirv.write import write_module

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
VERSIONS = {
    "spv1.0": (1, 0),
    "spv1.1": (1, 1),
    "spv1.3": (1, 3),
    "spv1.4": (1, 4),
    "spv1.5": (1, 5),
    "spv1.6": (1, 6),
    "vulkan1.0": (1, 0),
    "vulkan1.1": (1, 3),
    "vulkan1.3": (1, 6),
    "opencl1.2": (1, 0),
}
FILES = ("spirv_val_cases.jsonl.gz", "spirv_val_fuzz.jsonl.gz")
VALID = {"spirv_val_cases.jsonl.gz": 220, "spirv_val_fuzz.jsonl.gz": 502}


def rows_of(path: Path) -> list[dict[str, Any]]:
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def is_valid(row: dict[str, Any]) -> bool:
    return row.get("expected", row.get("verdict")) == "valid"


def binary(row: dict[str, Any]) -> bytes:
    return assemble(row["asm"], version=VERSIONS[row.get("asm_env", "spv1.3")])


def is_shader(module: Module) -> bool:
    return any(instr.operands[0] == enums.CapabilityShader for instr in module.capabilities)


def is_tree(module: Module) -> bool:
    return all(function.structured or function.is_declaration() for function in module.functions)


def alike(data: bytes) -> str:
    """SPIRV-Tools' disassembly without the header, ids numbered in the order they appear."""
    numbers: dict[str, str] = {}
    lines = [line for line in oracles.disassemble(data).splitlines() if not line.startswith(";")]
    text = "\n".join(line.strip() for line in lines)
    return re.sub(r"%\d+", lambda found: numbers.setdefault(found.group(), f"%{len(numbers) + 1}"), text)


def over_text(data: bytes) -> bytes:
    """The module by way of .rk, which prints, parses and prints the same."""
    text = print_module(read_module(data))
    again = parse(text)
    assert print_module(again) == text
    return write_module(again)


@pytest.mark.parametrize("name", FILES)
def test_valid_modules_come_back_word_for_word(name: str, conformance: Callable[[str], Path]) -> None:
    """All of them. Those that read as no tree are kernels, whose loops need no merge instructions."""
    same = 0
    flat: list[str] = []
    for row in rows_of(conformance(name)):
        if not is_valid(row):
            continue
        data = binary(row)
        module = read_module(data)
        if not is_tree(module):
            flat.append(row["name"])
            assert not is_shader(module), f"{row['name']}: {[str(note) for note in module.notes]}"
        assert write_module(module) == data, row.get("name", row.get("id"))
        same += 1
    assert same == VALID[name]
    assert len(flat) == (17 if name == FILES[0] else 0)


@pytest.mark.parametrize("name", FILES)
def test_invalid_modules_are_read_or_refused(name: str, conformance: Callable[[str], Path]) -> None:
    """What spirv-val refuses is a module or an InputError, and so is what it becomes."""
    outcomes = {"written": 0, "refused": 0}
    for row in rows_of(conformance(name)):
        if is_valid(row):
            continue
        try:
            write_module(read_module(binary(row)))
            outcomes["written"] += 1
        except InputError:
            outcomes["refused"] += 1
    assert min(outcomes.values()) > 20


@pytest.mark.parametrize("name", FILES)
def test_valid_modules_come_back_over_text(name: str, conformance: Callable[[str], Path]) -> None:
    """SPIRV-Tools disassembles both to the same text, up to the numbers of ids; a part is shown to spirv-val too."""
    oracles.need("slang-glslang")
    compared = 0
    for number, row in enumerate(rows_of(conformance(name))):
        if not is_valid(row):
            continue
        data = binary(row)
        out = over_text(data)
        assert alike(out) == alike(data), row.get("name", row.get("id"))
        compared += 1
        if number % 12 == 0 and not row.get("needs_option") and oracles.find("spirv-val") is not None:
            accepted, message = oracles.spirv_val(out, row.get("val_env", "spv1.3"))
            assert accepted, f"{row.get('name', row.get('id'))}: {message}"
    assert compared == VALID[name]


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.spvasm")), ids=lambda path: path.stem)
def test_examples_come_back(path: Path) -> None:
    data = assemble(path.read_text(encoding="utf-8"))
    module = read_module(data)
    assert is_tree(module)
    assert write_module(module) == data
    if oracles.find("slang-glslang") is not None:
        assert alike(over_text(data)) == alike(data)


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.comp")), ids=lambda path: path.stem)
def test_shaders_compiled_by_glslang_come_back(path: Path) -> None:
    data = oracles.glslang(path.read_text(encoding="utf-8"))
    module = read_module(data)
    assert is_tree(module)
    assert write_module(module) == data
    oracles.need("slang-glslang")
    assert alike(over_text(data)) == alike(data)
