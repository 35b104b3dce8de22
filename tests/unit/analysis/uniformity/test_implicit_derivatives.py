"""A texture that is sampled at one place by a whole quad: the derivatives are 0, the texel is the same for all.

Vulkan, "Derivative Operations": derivatives are computed from the other invocations of the quad, and undefined where
not all of it comes by. Sources besides: SPIR-V 1.6, OpImageSampleImplicitLod, "an implicit derivative".
"""

import pytest
from kit.fragments import shader, variable

from reknit.analysis.manager import Analyses
from reknit.analysis.uniformity.uniformity import Uniformity
from reknit.ir import op
from reknit.ir.module import Module
from reknit.ir.walk import instructions

TYPES = """%image = OpTypeImage %f32 2D 0 0 0 1 Unknown
%sampled = OpTypeSampledImage %image
%still = OpConstantComposite %v2f %fh %fh
%fetch_fn = OpTypeFunction %v4f %v2f
"""
TEXTURE = variable("texture", "UniformConstant", "%sampled", "DescriptorSet 0", "Binding 1")
SAMPLE = "%t = OpLoad %sampled %texture\n%taken = OpImageSampleImplicitLod %v4f %t {at}\n"
PLACE = "%place = OpLoad %v2f %uv\n%x = OpCompositeExtract %f32 %place 0\n%is = OpFOrdLessThan %bool %x %f1\n"
BRANCH = "OpSelectionMerge %end None\nOpBranchConditional %is %then %end\n%then = OpLabel\n"
END = "OpBranch %end\n%end = OpLabel\n"
CALL = "%taken = OpFunctionCall %v4f %fetch %still\n"
FETCH = """OpReturn
OpFunctionEnd
%fetch = OpFunction %v4f None %fetch_fn
%at = OpFunctionParameter %v2f
%in = OpLabel
%t = OpLoad %sampled %texture
%inside = OpImageSampleImplicitLod %v4f %t %at
OpReturnValue %inside
OpFunctionEnd
%other = OpFunction %void None %fn
%other_start = OpLabel
"""


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (SAMPLE.format(at="%still"), True),
        (PLACE + SAMPLE.format(at="%place"), False),
        (PLACE + BRANCH + SAMPLE.format(at="%still") + END, False),
        (PLACE + BRANCH + "OpKill\n%end = OpLabel\n" + SAMPLE.format(at="%still"), False),
        (PLACE + BRANCH + END + SAMPLE.format(at="%still"), True),
        (CALL + FETCH, True),
        (PLACE + BRANCH + CALL + END + FETCH, False),
    ],
    ids=["one place", "by fragment", "in a branch", "behind a kill", "behind a branch", "called by all", "by some"],
)
def test_sampled_by_the_whole_quad(body: str, expected: bool) -> None:
    assert sampled_alike(shader(body, TEXTURE, types=TYPES)) == [expected] * (2 if "OpFunctionCall" in body else 1)


def sampled_alike(module: Module) -> list[bool]:
    """Of each sample and each call, whether a quad gets the same."""
    uniformity = Analyses(module).of_module_with(Uniformity, "quad")
    found: list[bool] = []
    for function in module.functions:
        for instr in instructions(function):
            if instr.op == op.ImageSampleImplicitLod or instr.op == op.FunctionCall:
                found.append(uniformity.of(function).is_uniform(instr))
    return found
