"""Helper invocations that the first version has launched, and the second may be without.

Vulkan, "Derivative Operations": "Fragment shaders that statically execute derivative operations must: launch sufficient
invocations to ensure their correct operation"; with MaximallyReconvergesKHR they "must: remain active for all
instructions for the lifetime of the quad scope instance they are a part of".
"""

import pytest
from kit.fragments import shader

from reknit import prove
from reknit.ir.module import Module

SUM = """%found = OpGroupNonUniformIAdd %u32 %u3 Reduce %u1
%f = OpConvertUToF %f32 %found
%all = OpCompositeConstruct %v4f %f %f %f %f
OpStore %color %all"""
SLOPE = "%at = OpLoad %v2f %uv\n%x = OpCompositeExtract %f32 %at 0\n%slope = OpDPdx %f32 %x\n"


def program(body: str, *modes: str) -> Module:
    extensions = ["SPV_KHR_maximal_reconvergence", "SPV_KHR_quad_control"]
    capabilities = ["QuadControlKHR"]
    return shader(body, modes=["MaximallyReconvergesKHR", *modes], extensions=extensions, capabilities=capabilities)


def test_a_derivative_that_nothing_uses_has_them_launched() -> None:
    """Without it a pixel on an edge may count 1, where it counted the helper invocations of its quad."""
    verdict = prove(program(SLOPE + SUM), program(SUM))
    assert verdict.counterexample is not None


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (program(SUM), program(SLOPE + SUM)),
        (program(SUM), program(SUM.replace("%found", "%sum"))),
        (program(SLOPE + SUM, "RequireFullQuadsKHR"), program(SUM, "RequireFullQuadsKHR")),
    ],
)
def test_what_keeps_them_is_not_refuted(before: Module, after: Module) -> None:
    assert prove(before, after).counterexample is None
