"""HLSL and Slang: a compute shader with wave intrinsics.

    dxc -T cs_6_6 -E main seed-7.hlsl        slangc seed-7.slang -target spirv -entry main -stage compute

`[WaveSize]` asks for the subgroup size that the expected words are for (shader model 6.6); Slang reads no such
attribute. HLSL has no barrier of a wave and needs none: wave intrinsics synchronize.
"""

from typing import Final

from reknit.fuzzing.export.c_like import Dialect, Writer, refuse
from reknit.fuzzing.program import Program, all_statements
from reknit.fuzzing.statements import Assign, Observe, Pick
from reknit.fuzzing.words import QUAD_VOTES

CALLS: Final = {
    "sum": "WaveActiveSum({})",
    "scan": "(WavePrefixSum({0}) + {0})",
    "exclusive": "WavePrefixSum({})",
    "different": "WaveActiveBitXor({})",
    "union": "WaveActiveBitOr({})",
    "least": "WaveActiveMin({})",
    "greatest": "WaveActiveMax({})",
    "count": "WaveActiveCountBits({} != 0u)",
    "before": "WavePrefixCountBits({} != 0u)",
    "first": "WaveReadLaneFirst({})",
    "last": "WaveReadLaneAt({}, last())",
    "partner": "WaveReadLaneAt({}, partner())",
    "any": "uint(WaveActiveAnyTrue({} != 0u))",
    "all": "uint(WaveActiveAllTrue({} != 0u))",
    "same": "uint(WaveActiveAllEqual({}))",
    "quad-swap": "QuadReadAcrossY({})",
    "quad-first": "QuadReadLaneAt({}, 0u)",
    "quad-any": "uint(QuadAny({} != 0u))",
    "quad-all": "uint(QuadAll({} != 0u))",
    "elect": "uint(WaveIsFirstLane())",
    "ballot": "who()",
}
HELPERS: Final = [
    "uint who()",
    "{",
    "    uint4 here = WaveActiveBallot(true);",
    "    return here.x + here.y * 31u + here.z * 32u + here.w * 33u;",
    "}",
    "",
    "uint last()",
    "{",
    "    return WaveActiveMax(WaveGetLaneIndex());",
    "}",
    "",
    "uint partner()",
    "{",
    "    uint4 here = WaveActiveBallot(true);",
    "    uint other = WaveGetLaneIndex() ^ 1u;",
    "    uint word = other < 64u ? (other < 32u ? here.x : here.y) : (other < 96u ? here.z : here.w);",
    "    return (word >> (other & 31u) & 1u) != 0u ? other : WaveGetLaneIndex();",
    "}",
    "",
]


def hlsl(program: Program) -> str:
    """Raises InputError (RK0013) for what HLSL has no words for."""
    return Writer(program, Hlsl(True)).text()


def slang(program: Program) -> str:
    """Raises InputError (RK0013) for what Slang has no words for."""
    return Writer(program, Hlsl(False)).text()


def shader_model(program: Program) -> str:
    """The least that has what `program` uses: quad votes came with 6.7."""
    for statement in all_statements(program):
        if isinstance(statement, (Assign, Observe, Pick)) and statement.tangled in QUAD_VOTES:
            return "cs_6_7"
    return "cs_6_6"


class Hlsl(Dialect):
    """`sized`: the entry point asks for its wave size."""

    private = "static "
    meet = "// a barrier of the wave"
    synchronize = "GroupMemoryBarrierWithGroupSync();"

    def __init__(self, sized: bool) -> None:
        self.sized = sized

    def head(self, program: Program, shared: bool) -> list[str]:
        return [
            "RWStructuredBuffer<uint> seen : register(u0);",
            *([f"groupshared uint pool[{program.lanes}];"] if shared else []),
            "static uint lane;",
            "",
            *HELPERS,
        ]

    def main(self, program: Program) -> list[str]:
        return [
            *([f"[WaveSize({program.subgroup_size})]"] if self.sized else ['[shader("compute")]']),
            f"[numthreads({program.lanes}, 1, 1)]",
            "void main(uint index : SV_GroupIndex)",
            "{",
            "    lane = index;",
        ]

    def tangled(self, kind: str, value: str) -> str:
        if kind not in CALLS:
            raise refuse(f"HLSL has no {kind}")
        return CALLS[kind].format(value)
