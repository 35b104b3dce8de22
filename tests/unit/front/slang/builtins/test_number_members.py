"""Methods that numbers have through the language's interfaces: which have them, and what they give.

Expected is what slangc (2026.14.1) takes, and what its HLSL computes: conversions are of the first component.
"""

import pytest

import reknit
from reknit.sim.values import to_signed

RECEIVERS = [
    "float", "int", "uint", "bool", "half", "int16_t", "uint64_t", "float2", "int3", "bool3", "float4x4", "int2x2",
]  # fmt: skip
HAVE = {
    "add(v)": "float int uint half int16_t uint64_t float2 int3 float4x4",
    "neg()": "float int uint half int16_t uint64_t float2 int3 float4x4",
    "lessThan(v)": "float int uint bool half int16_t uint64_t float2 int3 float4x4",
    "equals(v)": "float int uint bool half int16_t uint64_t float2 int3 float4x4",
    "bitNot()": "int uint bool int16_t uint64_t int3",
    "or(v)": "int uint bool int16_t uint64_t int3",
    "shr(2)": "int uint bool int16_t uint64_t int3",
    "toInt()": "int uint int16_t uint64_t int3",
    "toUInt64()": "int uint int16_t uint64_t int3",
    "toFloat()": "float half float2 float4x4",
    "scale(2.0)": "float half float2 float4x4",
    "toUint()": "",
}  # fmt: skip


@pytest.mark.parametrize("call", HAVE)
def test_a_number_has_the_methods_of_its_interfaces(call: str) -> None:
    taken = []
    for receiver in RECEIVERS:
        source = f"""[shader("compute")] [numthreads(4, 1, 1)]
void main() {{ {receiver} v = ({receiver})1; let k = v.{call}; }}"""
        try:
            reknit.to_bytes(reknit.load(source.encode(), format="slang"))
            taken.append(receiver)
        except reknit.InputError as error:
            assert [each.code for each in error.diagnostics] == ["E30027"]
    assert taken == HAVE[call].split()


@pytest.mark.parametrize("bound", ["IFloat", "IArithmetic"])
def test_a_parameter_has_those_of_its_bound(bound: str) -> None:
    source = f"""RWStructuredBuffer<float> o;
T f<T : {bound}>(T x) {{ return x.shl(1); }}
[shader("compute")] [numthreads(1, 1, 1)] void main() {{ o[0] = f<float>(o[1]); }}"""
    with pytest.raises(reknit.InputError, match="'shl' is not a member of 'T'"):
        reknit.load(source.encode(), format="slang")


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("int3(-3, 4, 5).toInt()", -3),
        ("int(float2(2.5, 7.5).toFloat() * 2)", 5),
        ("int(float2x2(9.5, 1, 2, 3).toFloat() * 2)", 19),
        ("int3(-3, 4, 5).toUInt64() > 0x7fffffffffffffffull ? 1 : 2", 1),
        ("float2(2, 9).lessThan(float2(3, 1)) ? 1 : 2", 1),
        ("float2(3, 1).lessThan(float2(3, 9)) ? 1 : 2", 2),
        ("float2(3, 9).lessThanOrEquals(float2(3, 1)) ? 1 : 2", 1),
        ("(o[1] != 0).lessThan(o[1] == 0) ? 1 : 2", 1),
        ("(o[1] == 0).shl(5) ? 1 : 2", 1),
        ("(o[1] == 0).shr(1) ? 1 : 2", 2),
        ("(o[1] != 0).shl(5) ? 1 : 2", 2),
    ],
)
def test_what_they_give(expression: str, value: int) -> None:
    source = f"""RWStructuredBuffer<int> o;
[shader("compute")] [numthreads(1, 1, 1)] void main() {{ o[0] = {expression}; }}"""
    result = reknit.run(reknit.load(source.encode(), format="slang"), subgroup_size=4, buffers={"o": [0, 0]})
    assert to_signed(result.buffers["o"].words[0], 32) == value
