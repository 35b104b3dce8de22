"""Advice of lint is applied: for each code a program that has it, and the program that its help makes of it, which has
none and may do no more than the first."""

import pytest
from kit import oracles

import reknit
from reknit.checks.lint.codes import CODES
from reknit.front.shaders import ENVIRONMENT
from reknit.ir.module import Module
from reknit.spirv.read import read_module

COMPUTE = """#version 450
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_vote : require
#extension GL_KHR_shader_subgroup_shuffle : require
#extension GL_EXT_maximal_reconvergence : require
#extension GL_EXT_subgroup_uniform_control_flow : require
layout(local_size_x = 8) in;
layout(binding = 0) buffer B { uint o[]; };
layout(binding = 1) readonly buffer C { uint c[]; };
MODEvoid main() {
    uint i = gl_LocalInvocationIndex, n = 0u;
    BODY
    o[i] = n;
}
"""
FRAGMENT = """#version 450
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_EXT_demote_to_helper_invocation : require
layout(binding = 0) uniform sampler2D s;
layout(location = 0) in vec2 uv;
layout(location = 0) out vec4 color;
void main() {
    uint n = 0u; vec4 t = vec4(0);
    BODY
    color = t + vec4(n);
}
"""
VOTE = "n = subgroupBallotBitCount(subgroupBallot(true));"
MAXIMAL = "[[maximally_reconverges]] "
UNIFORM = "[[subgroup_uniform_control_flow]] "
SWITCH = f"switch (c[i]) {{ case 0: case 1: {VOTE} break; default: n = 7u; }}"
FALLS = f"switch (c[i]) {{ case 0: n = 1u; case 1: {VOTE} break; default: n = 7u; }}"

# by code: the mode and body that have it, and those that its help makes of them
ADVICE = {
    "RK3001": [
        (("", f"if (c[i] > 2u) {{ n = 1u; if (c[i] > 5u) n = 2u; {VOTE} }}"),
         (MAXIMAL, f"if (c[i] > 2u) {{ n = 1u; if (c[i] > 5u) n = 2u; {VOTE} }}")),
    ],
    "RK3002": [
        (("", f"if (c[gl_SubgroupID] > 2u) {{ if (c[i] > 5u) n = 2u; {VOTE} }}"),
         (UNIFORM, f"if (c[gl_SubgroupID] > 2u) {{ if (c[i] > 5u) n = 2u; {VOTE} }}")),
        (("", f"if (c[gl_SubgroupID] > 2u) {{ if (c[i] > 5u) n = 2u; {VOTE} }}"),
         (MAXIMAL, f"if (c[gl_SubgroupID] > 2u) {{ if (c[i] > 5u) n = 2u; {VOTE} }}")),
    ],
    "RK3003": [
        (("", f"for (uint k = 0u; k < 4u; k++) if (k == c[i]) {{ {VOTE} break; }}"),
         (MAXIMAL, f"for (uint k = 0u; k < 4u; k++) if (k == c[i]) {{ {VOTE} break; }}")),
    ],
    "RK3004": [((MAXIMAL, SWITCH), (MAXIMAL, SWITCH.replace("case 0: case 1:", f"case 0: {VOTE} break; case 1:")))],
    "RK3005": [((MAXIMAL, FALLS), (MAXIMAL, FALLS.replace("n = 1u;", "n = 1u; break;")))],
    "RK3007": [((MAXIMAL, "if (c[i] > 2u) barrier();"), (MAXIMAL, "barrier(); if (c[i] > 2u) n = 1u;"))],
}  # fmt: skip
IN_FRAGMENTS = {
    "RK3006": [
        (f"if (uv.x > 0.5) demote; {VOTE}", f"{VOTE} if (uv.x > 0.5) demote;"),
        (f"if (uv.x > 0.5) demote; {VOTE}",
         "if (uv.x > 0.5) demote; n = subgroupBallotBitCount(subgroupBallot(!helperInvocationEXT()));"),
        (f"if (uv.x > 0.5) demote; {VOTE}", f"if (uv.x > 0.5) demote; if (!helperInvocationEXT()) {{ {VOTE} }}"),
    ],
    "RK3008": [
        ("if (uv.x > 0.5) t = texture(s, uv);", "vec4 all = texture(s, uv); if (uv.x > 0.5) t = all;"),
        ("if (uv.x > 0.5) t = texture(s, uv);", "if (uv.x > 0.5) t = textureLod(s, uv, 0.0);"),
        ("if (uv.x > 0.5) t = texture(s, uv);",
         "vec2 a = dFdx(uv), b = dFdy(uv); if (uv.x > 0.5) t = textureGrad(s, uv, a, b);"),
    ],
    "RK3011": [(VOTE, "n = subgroupBallotBitCount(subgroupBallot(!gl_HelperInvocation));")],
}  # fmt: skip


def codes(source: str, stage: str, environment: str = ENVIRONMENT) -> list[str]:
    return [each.code for each in reknit.lint(compiled(source, stage, environment))]


def compiled(source: str, stage: str = "compute", environment: str = ENVIRONMENT) -> Module:
    return read_module(oracles.glslang(source, {"compute": "comp", "fragment": "frag"}[stage], environment))


def compute(given: tuple[str, str]) -> str:
    return COMPUTE.replace("MODE", given[0]).replace("BODY", given[1])


@pytest.mark.parametrize(("code", "at"), [(code, at) for code, pairs in ADVICE.items() for at in range(len(pairs))])
def test_advice_for_compute_shaders(code: str, at: int) -> None:
    before, after = ADVICE[code][at]
    assert code in codes(compute(before), "compute")
    assert codes(compute(after), "compute") == []


@pytest.mark.parametrize(
    ("code", "at"), [(code, at) for code, pairs in IN_FRAGMENTS.items() for at in range(len(pairs))]
)
def test_advice_for_fragment_shaders(code: str, at: int) -> None:
    before, after = IN_FRAGMENTS[code][at]
    assert code in codes(FRAGMENT.replace("BODY", before), "fragment")
    assert code not in codes(FRAGMENT.replace("BODY", after), "fragment")


@pytest.mark.parametrize("code", ["RK3001", "RK3002", "RK3003"])
def test_a_declared_mode_leaves_fewer_outcomes(code: str) -> None:
    """What the mode allows is among what was allowed without it."""
    for before, after in ADVICE[code]:
        modules = [compiled(compute(each)) for each in (before, after)]
        given = {"C": [0, 3, 6, 7, 0, 3, 6, 1]}
        first, other = (reknit.outcomes(each, subgroup_size=4, buffers=given) for each in modules)
        allowed = {tuple(one.result.buffers["B"].words) for one in first.outcomes}
        left = {tuple(one.result.buffers["B"].words) for one in other.outcomes}
        assert left <= allowed and len(left) <= len(allowed)


@pytest.mark.parametrize("code", ["RK3004", "RK3005"])
def test_compile_leaves_one_answer_of_a_switch(code: str) -> None:
    """One of those that the switch had."""
    before, after = (compiled(compute(ADVICE[code][0][0])) for _ in range(2))
    reknit.compile(after)
    assert reknit.lint(after) == []
    assert reknit.prove(before, after).verdict == "proved"


def test_a_declared_mode_is_not_advised() -> None:
    """Asked whether SPIR-V alone would do, what helps is no mode that is declared."""
    (found,) = [
        each
        for each in reknit.lint(compiled(compute(ADVICE["RK3003"][0][1])), target="base")
        if each.code == "RK3003"
    ]
    assert "the entry point declares MaximallyReconvergesKHR" in found.help and "declare Max" not in found.help


def test_discard_ends_invocations_before_vulkan_1_3() -> None:
    """OpKill there: the quad lacks lanes for what follows; from SPIR-V 1.6 on lanes are demoted."""
    body = "if (uv.x > 0.5) discard; t = texture(s, uv);"
    assert "RK3008" in codes(FRAGMENT.replace("BODY", body), "fragment", "vulkan1.0")


def test_the_same_uniform_in_both_arms_is_uniform() -> None:
    """Whichever arm was taken the barrier's condition is one number; of a buffer that is written it need not be."""
    both = compute((MAXIMAL, "uint x; if (i < 4u) { x = N; } else { x = N; } if (x > 2u) barrier();"))
    block = "layout(binding = 2) uniform U { uint n; } u;\nlayout(binding = 0)"
    uniform = both.replace("layout(binding = 0)", block, 1).replace("N;", "u.n;")
    assert "RK3007" not in codes(uniform, "compute")
    assert "RK3007" in codes(both.replace("N;", "o[0];"), "compute")


def test_each_code_has_its_advice_applied() -> None:
    """There, or in test_lint_advice_spirv."""
    elsewhere = {"RK3009", "RK3012", "RK3013", "RK3014"}
    assert {each.code for each in CODES.values()} - elsewhere <= set(ADVICE) | set(IN_FRAGMENTS)
