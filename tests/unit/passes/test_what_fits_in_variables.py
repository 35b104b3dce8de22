"""What a variable of a function can hold, part by part: SPIR-V 1.6, 2.16.1 and 2.18.2, and the capabilities' texts."""

import pytest

from reknit.analysis.manager import Analyses
from reknit.ir.instr import Instr
from reknit.ir.text.parser import parse
from reknit.passes.contract import Context
from reknit.passes.storable import needs_aliasing, unstorable_part

TYPES = """%image = TypeImage f32 2D 0 0 0 1 Unknown
%handles = TypeStruct u32, %image
%deep = TypeStruct vec2<f32>, array<%handles, 2>
%plain = TypeStruct u32, array<f32, 3>, mat2x2<f32>, bool
%small = TypeStruct u32, vec2<f16>
%laid = TypeStruct u32, u32
%holds = TypeStruct %laid
%local = TypePointer Function u32
%stored = TypePointer StorageBuffer u32
%physical = TypePointer PhysicalStorageBuffer u32
%point = TypeStruct u32, %stored
%run = TypeArray %physical, 2u
%twice = TypeArray %run, 2u
%stored_run = TypeArray %stored, 2u
declare sampler, array<u32>, u32
"""
HEAD = "Capability Shader\nDecorate %laid Block\nMemberDecorate %laid 0 Offset 0\nMemberDecorate %laid 1 Offset 4\n"

# by hand: which part of each keeps it out; "" where it fits
PARTS = {
    "image": "image",
    "handles": "image",
    "deep": "image",
    "plain": "",
    "small": "vec2",  # 16-bit floats without Float16
    "laid": "laid",
    "holds": "holds",  # what is laid out is inside
    "local": "local",
    "stored": "stored",
    "physical": "",
    "point": "stored",
    "run": "",
}


def found(capabilities: str) -> dict[str, str]:
    module = parse(capabilities + HEAD + TYPES)
    named: dict[str, Instr] = {instr.name: instr for instr in module.globals if instr.name}
    context = Context(module, Analyses(module), {})
    parts = {name: unstorable_part(named[name], context) for name in PARTS}
    return {name: "" if part is None else part.name or "vec2" for name, part in parts.items()}


def test_parts() -> None:
    assert found("") == PARTS


@pytest.mark.parametrize("capability", ["VariablePointers", "VariablePointersStorageBuffer", "Addresses"])
def test_pointers_are_values_with_their_capabilities(capability: str) -> None:
    assert found(f"Capability {capability}\n") == PARTS | {"local": "", "stored": "", "point": ""}


def test_small_numbers_with_theirs() -> None:
    assert found("Capability Float16\n") == PARTS | {"small": ""}


def test_which_pointers_say_whether_they_are_aliased() -> None:
    module = parse(HEAD + TYPES)
    named = {instr.name: instr for instr in module.globals if instr.name}
    asked = ("physical", "run", "twice", "stored", "stored_run", "plain", "local")
    assert [name for name in asked if needs_aliasing(named[name])] == ["physical", "run", "twice"]
