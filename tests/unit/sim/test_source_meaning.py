"""What a run of Slang and HLSL takes a switch to mean: all lanes that reach a label run it together."""

import pytest

import reknit

BODY = """
    uint total = 0;
    switch (kinds[id.x])
    {
    case 0: total += WaveActiveSum(1u);
    default: total += WaveActiveSum(10u); break;
    }
    result[id.x] = total;
}
"""
SLANG = f"""StructuredBuffer<int> kinds;
RWStructuredBuffer<uint> result;
[shader("compute")] [numthreads(4, 1, 1)]
void main(uint3 id : SV_DispatchThreadID)
{{{BODY}"""
HLSL = f"""StructuredBuffer<int> kinds : register(t0);
RWStructuredBuffer<uint> result : register(u0);
[numthreads(4, 1, 1)]
void main(uint3 id : SV_DispatchThreadID)
{{{BODY}"""
KINDS = {"kinds": [0, 0, 1, 2]}
TOGETHER = [42, 42, 40, 40]  # lanes 0 and 1 add up 2, then all four 40
APART = [22, 22, 20, 20]  # nobody meets at the default: 20 for each pair


def words(module: "reknit.Module", **options: object) -> list[int]:
    return reknit.run(module, subgroup_size=4, buffers=KINDS, **options).buffers["result"].words  # type: ignore[arg-type]


@pytest.mark.parametrize(("format", "text"), [("slang", SLANG), ("hlsl", HLSL)])
def test_a_run_has_lanes_meet_at_labels(format: str, text: str) -> None:
    module = reknit.load(text.encode(), format=format)
    assert words(module) == TOGETHER
    assert words(module, policy=reknit.Policy(fallthrough="never")) == APART
    reknit.compile(module)
    assert words(module) == TOGETHER


def test_a_run_of_what_was_written_has_the_freedoms_of_spirv() -> None:
    module = reknit.load(reknit.text(reknit.load(SLANG.encode(), format="slang")).encode(), format="rk")
    assert words(module) == APART


def test_outcomes_name_what_is_judged() -> None:
    module = reknit.load(SLANG.encode(), format="slang")
    found = reknit.outcomes(module, subgroup_size=4, buffers=KINDS)
    assert len(found.outcomes) == 5  # the divisions of {0, 1}, {2} and {3}
    assert "as SPIR-V has it (in Slang all lanes at a label are together" in found.coverage
