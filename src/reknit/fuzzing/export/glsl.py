"""GLSL: a compute shader with the subgroup operations of GL_KHR_shader_subgroup.

    glslangValidator -V --target-env vulkan1.2 seed-7.comp

The mode MaximallyReconvergesKHR has to be asked for where the compiler knows GL_EXT_maximal_reconvergence, or added to
the SPIR-V; without it no device promises the expected words.
"""

from typing import Final

from reknit.fuzzing.export.c_like import Dialect, Writer, refuse
from reknit.fuzzing.program import Program

KINDS: Final = ("basic", "vote", "arithmetic", "ballot", "shuffle", "clustered", "quad")
CALLS: Final = {
    "sum": "subgroupAdd({})",
    "scan": "subgroupInclusiveAdd({})",
    "exclusive": "subgroupExclusiveAdd({})",
    "different": "subgroupXor({})",
    "union": "subgroupOr({})",
    "least": "subgroupMin({})",
    "greatest": "subgroupMax({})",
    "count": "subgroupBallotBitCount(subgroupBallot({} != 0u))",
    "before": "subgroupBallotExclusiveBitCount(subgroupBallot({} != 0u))",
    "first": "subgroupBroadcastFirst({})",
    "last": "subgroupShuffle({}, subgroupBallotFindMSB(subgroupBallot(true)))",
    "partner": "subgroupShuffle({}, partner())",
    "any": "uint(subgroupAny({} != 0u))",
    "all": "uint(subgroupAll({} != 0u))",
    "same": "uint(subgroupAllEqual({}))",
    "cluster": "subgroupClusteredAdd({}, 4u)",
    "quad-swap": "subgroupQuadSwapVertical({})",
    "quad-first": "subgroupQuadBroadcast({}, 0u)",
    "elect": "uint(subgroupElect())",
    "ballot": "who()",
}
PARTNER: Final = [
    "uint partner()",
    "{",
    "    uint other = gl_SubgroupInvocationID ^ 1u;",
    "    return subgroupBallotBitExtract(subgroupBallot(true), other) ? other : gl_SubgroupInvocationID;",
    "}",
    "",
]


def glsl(program: Program) -> str:
    """Raises InputError (RK0013) for what GLSL, or glslang 12, has no words for."""
    return Writer(program, Glsl()).text()


class Glsl(Dialect):
    meet = "subgroupBarrier();"
    synchronize = "barrier();"

    def head(self, program: Program, shared: bool) -> list[str]:
        return [
            "#version 450",
            *[f"#extension GL_KHR_shader_subgroup_{kind} : require" for kind in KINDS],
            f"layout(local_size_x = {program.lanes}) in;",
            "layout(std430, set = 0, binding = 0) buffer Out { uint seen[]; };",
            *([f"shared uint pool[{program.lanes}];"] if shared else []),
            "uint lane;",
            "",
            "uint who()",
            "{",
            "    uvec4 here = subgroupBallot(true);",
            "    return here.x + here.y * 31u + here.z * 32u + here.w * 33u;",
            "}",
            "",
            *PARTNER,
        ]

    def main(self, program: Program) -> list[str]:
        return ["void main()", "{", "    lane = gl_LocalInvocationIndex;"]

    def tangled(self, kind: str, value: str) -> str:
        if kind not in CALLS:
            raise refuse(f"GLSL without GL_EXT_shader_quad_control has no {kind}")
        return CALLS[kind].format(value)
