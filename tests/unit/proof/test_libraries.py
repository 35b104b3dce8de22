"""Modules without an entry point: what they export is compared. SPIR-V 1.6, 2.13 Linkage: "The ability to have
partially linked modules and libraries is provided as part of the Linkage capability"."""

import pytest

import reknit
from reknit.ir.module import Module
from reknit.proof.verdict import PROVED, SAMPLED
from reknit.source.diagnostic import InputError
from reknit.spirv.asm import assemble
from reknit.spirv.read import read_module

LIBRARY = """
OpCapability Linkage
CAPABILITY
MEMORY
OpDecorate %f LinkageAttributes "f" Export
DECORATIONS
%u32 = OpTypeInt 32 0
%u3 = OpConstant %u32 3
%u8 = OpConstant %u32 8
%type = OpTypeFunction %u32 %u32
DECLARED
%f = OpFunction %u32 None %type
%x = OpFunctionParameter %u32
%begin = OpLabel
BODY
OpReturnValue %y
OpFunctionEnd
"""
KERNEL = "OpCapability Kernel\nOpCapability Addresses", "OpMemoryModel Physical32 OpenCL"
SHADER = "OpCapability Shader", "OpMemoryModel Logical GLSL450"
GET = """%g = OpFunction %u32 None %type
%of = OpFunctionParameter %u32
OpFunctionEnd"""


def library(kind: tuple[str, str], body: str, decorations: str = "", declared: str = "", name: str = "f") -> Module:
    text = LIBRARY.replace('"f"', f'"{name}"').replace("CAPABILITY", kind[0]).replace("MEMORY", kind[1])
    text = text.replace("DECORATIONS", decorations).replace("DECLARED", declared).replace("BODY", body)
    return read_module(assemble(text))


@pytest.mark.parametrize("kind", [KERNEL, SHADER], ids=["kernel", "shader"])
def test_exported_functions_are_compared(kind: tuple[str, str]) -> None:
    """x * 8 is x << 3, modulo 2^32."""
    before = library(kind, "%y = OpIMul %u32 %x %u8")
    verdict = reknit.prove(before, library(kind, "%y = OpShiftLeftLogical %u32 %x %u3"))
    assert verdict.verdict == PROVED
    assert verdict.coverage.entries == ["f"]
    assert not before.entry_points
    other = reknit.prove(before, library(kind, "%y = OpIMul %u32 %x %u3"))
    assert other.verdict == SAMPLED
    assert any("'f'" in reason for reason in other.coverage.unsure)


def test_an_export_that_is_gone_can_not_be_compared() -> None:
    before = library(SHADER, "%y = OpIMul %u32 %x %u8")
    after = library(SHADER, "%y = OpIMul %u32 %x %u8", name="other")
    with pytest.raises(InputError) as caught:
        reknit.prove(before, after)
    assert caught.value.diagnostics[0].code == "RK1301"


def test_a_call_of_an_import_leaves_it_open() -> None:
    imported = 'OpDecorate %g LinkageAttributes "g" Import'
    before, after = (
        library(KERNEL, f"%z = OpFunctionCall %u32 %g %x\n{code}", imported, GET)
        for code in ("%y = OpIMul %u32 %z %u8", "%y = OpShiftLeftLogical %u32 %z %u3")
    )
    verdict = reknit.prove(before, after)
    assert verdict.verdict == SAMPLED
    assert "has no body" in verdict.coverage.not_run["f"]


def test_nothing_that_could_be_run() -> None:
    bodies = ("%y = OpIMul %u32 %x %u8", "%y = OpIMul %u32 %x %u3")
    pair = [library(SHADER, body) for body in bodies]
    for module in pair:
        module.decorations.clear()
    verdict = reknit.prove(*pair)
    assert verdict.verdict == SAMPLED
    assert "exports no function" in verdict.coverage.not_run["the first version"]
