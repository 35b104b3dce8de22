"""OpenCL kernels with parameters, by terms and by runs: a pointer is a buffer, anything else a value.

Source: SPIR-V 1.6, 2.18.2: "The OpenCL memory model assumes that memory object declarations might alias each other."
"""

import pytest

import reknit
from reknit.ir.module import Module
from reknit.proof.prove import prove
from reknit.proof.question import Question
from reknit.source.diagnostic import InputError

KERNEL = """
OpCapability Addresses
OpCapability Kernel
OpCapability Int64
OpMemoryModel Physical64 OpenCL
OpEntryPoint Kernel %main "halve" %id
OpDecorate %id BuiltIn GlobalInvocationId
OpDecorate %id Constant
%void = OpTypeVoid
%u = OpTypeInt 32 0
%long = OpTypeInt 64 0
%v3 = OpTypeVector %long 3
%pin = OpTypePointer Input %v3
%pointer = OpTypePointer CrossWorkgroup %u
%kind = OpTypeFunction %void %pointer %pointer %u
%one = OpConstant %u 1
%two = OpConstant %u 2
%id = OpVariable %pin Input
%main = OpFunction %void None %kind
%to = OpFunctionParameter %pointer
%from = OpFunctionParameter %pointer
%add = OpFunctionParameter %u
%begin = OpLabel
%ids = OpLoad %v3 %id
%i = OpCompositeExtract %long %ids 0
%source = OpInBoundsPtrAccessChain %pointer %from %i
%target = OpInBoundsPtrAccessChain %pointer %to %i
BODY
OpReturn
OpFunctionEnd
"""

HALVE = "%x = OpLoad %u %source Aligned 4\n%y = OpUDiv %u %x %two\n%z = OpIAdd %u %y %add\nOpStore %target %z Aligned 4"


def kernel(body: str = HALVE, *edits: tuple[str, str]) -> Module:
    text = KERNEL.replace("BODY", body)
    for old, new in edits:
        assert old in text
        text = text.replace(old, new)
    return reknit.load(text.encode(), format="spvasm")


BY_TERMS = Question(subgroup_sizes=[4], sample=4)
BY_RUNS = Question(subgroup_sizes=[4], sample=4, by_terms=False)


def test_the_same_is_proved() -> None:
    after = kernel(HALVE.replace("OpUDiv %u %x %two", "OpShiftRightLogical %u %x %one"))
    assert prove(kernel(), after, BY_TERMS).verdict == "proved"
    assert prove(kernel(), after, BY_RUNS).verdict == "sampled"


@pytest.mark.parametrize("asked", [BY_TERMS, BY_RUNS])
def test_another_value_is_refuted(asked: Question) -> None:
    verdict = prove(kernel(), kernel(HALVE.replace("%y %add", "%y %one")), asked)
    assert verdict.verdict == "refuted" and verdict.counterexample is not None
    assert verdict.counterexample.differences[0].buffer == "argument 0"


def test_two_arguments_may_be_one_buffer() -> None:
    """A load by one pointer after a store by the other may see it."""
    first, store = "%x = OpLoad %u %source Aligned 4", "OpStore %target %one Aligned 4"
    last = "OpStore %target %x Aligned 4"
    assert (
        prove(kernel(f"{first}\n{store}\n{last}"), kernel(f"{store}\n{first}\n{last}"), BY_TERMS).verdict == "sampled"
    )


def test_other_parameters_are_not_compared() -> None:
    edits = [
        ("%pointer %pointer %u\n", "%pointer %pointer %long\n"),
        ("%add = OpFunctionParameter %u", "%add = OpFunctionParameter %long"),
    ]
    with pytest.raises(InputError) as caught:
        prove(kernel(), kernel(HALVE.replace("%y %add", "%y %one"), *edits), BY_TERMS)
    assert caught.value.diagnostics[0].code == "RK1301"


def test_decorations_of_parameters_are_a_part_of_it() -> None:
    """2.18.2: "An implementation may assume that memory object declarations decorated with Restrict will not alias any
    other memory object declaration"."""
    restrict = ("OpDecorate %id Constant", "OpDecorate %id Constant\nOpDecorate %to Restrict")
    assert prove(kernel(), kernel(HALVE, restrict), BY_TERMS).verdict == "sampled"
