"""What a module declares, and which functions its entry points reach: the rules that depend on nothing else.

    capabilities, extensions ; entry points with their modes ; bodies of functions  ->  what is broken, and where

Sources: SPV_KHR_maximal_reconvergence 3.6; SPV_KHR_subgroup_uniform_control_flow; SPV_KHR_quad_control; SPIR-V 1.6,
2.16.1 and OpKill, OpTerminateInvocation, OpIgnoreIntersectionKHR; VUID-StandaloneSpirv-MaximallyReconvergesKHR-09565.
"""

import pytest

from reknit.spirv.asm import assemble
from reknit.spirv.rules.judge import examine
from reknit.spirv.rules.subject import Options
from reknit.spirv.words import parse

TYPES = """\
%void = OpTypeVoid
%bool = OpTypeBool
%u32 = OpTypeInt 32 0
%yes = OpConstantTrue %bool
%three = OpConstant %u32 3
%fn = OpTypeFunction %void
%cell = OpTypePointer Private %u32
%data = OpVariable %cell Private
"""
MAXIMAL = "MaximallyReconvergesKHR"
MAXIMAL_EXTENSION = "SPV_KHR_maximal_reconvergence"
UNIFORM = "SubgroupUniformControlFlowKHR"
UNIFORM_EXTENSION = "SPV_KHR_subgroup_uniform_control_flow"
QUAD_EXTENSION = "SPV_KHR_quad_control"
SAME = "OpSelectionMerge %m{f} None\nOpBranchConditional %yes %m{f} %m{f}\n%m{f} = OpLabel\nOpReturn\n"
RETURN = "OpReturn\n"


def module(
    declared: str, entries: list[str], functions: dict[str, str], version: tuple[int, int] = (1, 5)
) -> list[tuple[str, str]]:
    """The findings of a module, each with the line that it is at. `declared` are capabilities and extensions, `entries`
    "Model function mode ...", `functions` the bodies: `call g` stands for a call."""
    lines = [
        f'OpExtension "{word}"' if word.startswith("SPV_") else f"OpCapability {word}" for word in declared.split()
    ]
    lines = [line for line in lines if "Capab" in line] + [line for line in lines if "Exten" in line]
    lines.append("OpMemoryModel Logical GLSL450")
    modes: list[str] = []
    for entry in entries:
        model, function, *rest = entry.split()
        lines.append(f'OpEntryPoint {model} %{function} "{function}"')
        modes += [f"OpExecutionMode %{function} {mode}" for mode in rest]
    lines += [*modes, *TYPES.splitlines()]
    for name, body in functions.items():
        lines += [f"%{name} = OpFunction %void None %fn", f"%{name}_0 = OpLabel"]
        for number, line in enumerate(body.replace("{f}", name).splitlines()):
            callee = line.removeprefix("call ")
            lines.append(line if callee == line else f"%{name}_r{number} = OpFunctionCall %void %{callee}")
        lines.append("OpFunctionEnd")
    columns = parse(assemble("\n".join(lines) + "\n", version=version))
    return [(one.rule, lines[one.row]) for one in examine(columns).out.findings]


@pytest.mark.parametrize("mode, rule, extension", [
    (MAXIMAL, "M01", MAXIMAL_EXTENSION),
    (UNIFORM, "S01", UNIFORM_EXTENSION),
])  # fmt: skip
def test_a_mode_needs_its_extension_and_shader(mode: str, rule: str, extension: str) -> None:
    at = [(rule, f"OpExecutionMode %f {mode}")]
    body = {"f": RETURN}
    assert module(f"Shader {extension}", [f"GLCompute f {mode}"], body) == []
    assert module(f"Geometry {extension}", [f"GLCompute f {mode}"], body) == []  # Geometry implies Shader
    assert module(f"GeometryStreams {extension}", [f"GLCompute f {mode}"], body) == []  # which implies Geometry
    assert module("Shader", [f"GLCompute f {mode}"], body) == at
    assert module(f"Shader {QUAD_EXTENSION}", [f"GLCompute f {mode}"], body) == at
    assert module(f"Kernel {extension}", [f"Kernel f {mode}"], body) == at
    assert module(f"Kernel Int64 {extension}", [f"Kernel f {mode}"], body) == at
    assert module("Shader", ["GLCompute f EarlyFragmentTests"], body) == []


def test_modes_are_those_of_their_entry_point() -> None:
    """The mode of g; both functions have a condition with one label twice."""
    entries = ["GLCompute f", f"GLCompute g {MAXIMAL}"]
    both = {"f": SAME, "g": SAME}
    end = "OpBranchConditional %yes %m{} %m{}"
    assert module(f"Shader {MAXIMAL_EXTENSION}", entries, both) == [("M03", end.replace("{}", "g"))]
    assert module(f"Shader {MAXIMAL_EXTENSION}", ["GLCompute f", "GLCompute g"], both) == []
    under = [f"GLCompute f {MAXIMAL}", f"GLCompute g {MAXIMAL}"]
    assert module(f"Shader {MAXIMAL_EXTENSION}", under, both) == [("M03", end.replace("{}", one)) for one in "fg"]
    # Two entry points of one function have its modes both.
    named_twice = ["GLCompute f", f"GLCompute f {MAXIMAL}"]
    assert module(f"Shader {MAXIMAL_EXTENSION}", named_twice, both) == [("M03", end.replace("{}", "f"))]


def test_the_mode_is_that_of_all_that_is_called() -> None:
    end = "OpBranchConditional %yes %mh %mh"
    functions = {"f": "call g\nOpReturn\n", "g": "call h\ncall h\nOpReturn\n", "h": SAME, "other": SAME}
    assert module(f"Shader {MAXIMAL_EXTENSION}", [f"GLCompute f {MAXIMAL}"], functions) == [("M03", end)]
    functions["g"] = RETURN
    assert module(f"Shader {MAXIMAL_EXTENSION}", [f"GLCompute f {MAXIMAL}"], functions) == []


def test_from_1_6_on_labels_differ_without_the_mode() -> None:
    found = [("B29", "OpBranchConditional %yes %mf %mf")]
    assert module(f"Shader {MAXIMAL_EXTENSION}", [f"GLCompute f {MAXIMAL}"], {"f": SAME}, (1, 6)) == found
    assert module("Shader", [], {"f": SAME}, (1, 6)) == found
    assert module("Shader", [], {"f": SAME}, (1, 5)) == []


MEETING = {"f": "OpBranch %join\n%dead = OpLabel\nOpBranch %join\n%join = OpLabel\nOpReturn\n"}


def test_branches_that_meet_under_the_mode() -> None:
    """M04 where only one of the predecessors is reached."""
    assert module(f"Shader {MAXIMAL_EXTENSION}", [f"GLCompute f {MAXIMAL}"], MEETING) == [("M04", "%join = OpLabel")]
    assert module("Shader", ["GLCompute f"], MEETING) == []


REPACKING = "OpExecuteCallableKHR %three %data\nOpReturn\n"


def test_repacking_under_the_mode() -> None:
    """Reported once, at the first; only for Vulkan."""
    declared = f"RayTracingKHR SPV_KHR_ray_tracing {MAXIMAL_EXTENSION}"
    functions = {"f": f"call g\n{REPACKING}", "g": REPACKING, "other": REPACKING}
    late = {"f": f"OpNop\n{REPACKING}"}
    at = [("M05", "OpExecuteCallableKHR %three %data")]
    assert module(declared, [f"RayGenerationKHR f {MAXIMAL}"], functions) == at
    assert module(declared, [f"RayGenerationKHR f {MAXIMAL}"], late) == at
    assert module(declared, [f"RayGenerationKHR f {MAXIMAL}"], {"f": RETURN, "other": REPACKING}) == []
    assert module(declared, ["RayGenerationKHR f"], functions) == []
    text = f"""OpCapability RayTracingKHR
OpExtension "{MAXIMAL_EXTENSION}"
OpMemoryModel Logical GLSL450
OpEntryPoint RayGenerationKHR %f "f"
OpExecutionMode %f {MAXIMAL}
{TYPES}%f = OpFunction %void None %fn
%a = OpLabel
{REPACKING}OpFunctionEnd
"""
    columns = parse(assemble(text, version=(1, 5)))
    assert [one.rule for one in examine(columns, Options(vulkan=True)).out.findings] == ["M05"]
    assert examine(columns, Options(vulkan=False)).out.findings == []


def test_quad_control() -> None:
    body = {"f": RETURN}
    vote = {"f": "%v = OpGroupNonUniformQuadAnyKHR %bool %yes\n%w = OpGroupNonUniformQuadAllKHR %bool %yes\nOpReturn\n"}
    full, derivatives = "RequireFullQuadsKHR", "QuadDerivativesKHR"
    has = f"Shader QuadControlKHR {QUAD_EXTENSION}"
    assert module(has, [f"Fragment f {full} {derivatives}"], body) == []
    assert module(has, [f"GLCompute f {derivatives}"], body) == []
    assert module(has, [f"GLCompute f {derivatives} {full}"], body) == [("Q01", f"OpExecutionMode %f {full}")]
    assert module(has, ["Fragment f"], vote) == []
    assert module("Shader QuadControlKHR", [], body) == [("Q01", "OpCapability QuadControlKHR")]
    assert module(f"Shader {QUAD_EXTENSION}", [f"Fragment f {full} {derivatives} OriginUpperLeft"], body) == [
        ("Q01", f"OpExecutionMode %f {mode}") for mode in (full, derivatives)
    ]
    first = [("Q01", "%v = OpGroupNonUniformQuadAnyKHR %bool %yes")]
    assert module(f"Shader {QUAD_EXTENSION}", ["Fragment f"], vote) == first
    assert module(f"Shader {QUAD_EXTENSION}", ["Fragment f"], {"f": "OpNop\n" + vote["f"]}) == first


@pytest.mark.parametrize("instruction, declared, fits, other", [
    ("OpKill", "Shader", "Fragment", "GLCompute"),
    ("OpTerminateInvocation", "Shader SPV_KHR_terminate_invocation", "Fragment", "GLCompute"),
    ("OpIgnoreIntersectionKHR", "RayTracingKHR", "AnyHitKHR", "ClosestHitKHR"),
    ("OpTerminateRayKHR", "RayTracingKHR", "AnyHitKHR", "RayGenerationKHR"),
])  # fmt: skip
def test_terminators_of_one_stage(instruction: str, declared: str, fits: str, other: str) -> None:
    ends = f"{instruction}\n"
    at = [("B36", instruction)]
    assert module(declared, [f"{fits} f"], {"f": ends}) == []
    assert module(declared, [f"{other} f"], {"f": ends}) == at
    assert module(declared, [f"{fits} f", f"{other} g"], {"f": ends, "g": RETURN}) == []
    assert module(declared, [f"{fits} f", f"{other} g"], {"f": ends, "g": "call f\nOpReturn\n"}) == at
    assert module(declared, [], {"f": ends}) == []
    # Once a function.
    twice = "OpSelectionMerge %m None\nOpBranchConditional %yes %a %m\n%a = OpLabel\n{}%m = OpLabel\n{}"
    calls = "call f\ncall g\nOpReturn\n"
    functions = {"f": twice.replace("{}", ends), "g": ends, "h": calls, "unused": ends}
    assert module(declared, [f"{other} h"], functions) == [*at, *at]


def test_the_note_names_an_entry_point_that_reaches_it() -> None:
    lines = """OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint Fragment %f "f"
OpEntryPoint GLCompute %g "g"
OpEntryPoint GLCompute %h "h"
%void = OpTypeVoid
%fn = OpTypeFunction %void
%f = OpFunction %void None %fn
%a = OpLabel
OpKill
OpFunctionEnd
%g = OpFunction %void None %fn
%b = OpLabel
OpReturn
OpFunctionEnd
%h = OpFunction %void None %fn
%c = OpLabel
%r = OpFunctionCall %void %f
OpReturn
OpFunctionEnd
"""
    (found,) = examine(parse(assemble(lines, version=(1, 3)))).out.findings
    row = lines.splitlines().index('OpEntryPoint GLCompute %h "h"')
    assert found.notes == [("that entry point is declared here", row)]


@pytest.mark.parametrize("declared, version, count", [
    ("Shader", (1, 6), 0),
    ("Shader", (1, 5), 1),
    ("Shader SPV_KHR_terminate_invocation", (1, 5), 0),
    ("Kernel SPV_KHR_terminate_invocation", (1, 5), 1),
    ("Kernel", (1, 6), 1),
    ("Kernel", (1, 5), 2),
])  # fmt: skip
def test_terminate_invocation_is_declared(declared: str, version: tuple[int, int], count: int) -> None:
    found = module(declared, [], {"f": "OpTerminateInvocation\n", "g": "OpTerminateInvocation\n"}, version)
    assert found == [("B36", "OpTerminateInvocation")] * count


@pytest.mark.parametrize("entry, calls, wanted", [
    ("f", {"f": "f"}, "f"),
    ("f", {"f": "g", "g": "h", "h": "g"}, "f"),  # "or what does": f calls what calls itself
    ("h", {"f": "g", "g": "h", "h": "g"}, "g"),
    ("f", {"f": "gg", "g": "h", "h": ""}, ""),  # twice is not a cycle
    ("f", {"f": "gh", "g": "h", "h": ""}, ""),
    ("f", {"f": "", "g": "g"}, ""),  # that is not reached
])  # fmt: skip
def test_recursion(entry: str, calls: dict[str, str], wanted: str) -> None:
    functions = {name: "".join(f"call {callee}\n" for callee in called) + RETURN for name, called in calls.items()}
    at = [("X04", f"%{wanted} = OpFunction %void None %fn")] if wanted else []
    assert module("Shader", [f"GLCompute {entry}"], functions) == at
    assert module("Linkage Shader", [], functions) == []
