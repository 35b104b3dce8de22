"""What `judge` makes of modules as a whole: several entry points, code from elsewhere, recursion, scopes, helpers."""

import re
from pathlib import Path

import pytest

from reknit.analysis.manager import Analyses
from reknit.analysis.tangles.judge import judge
from reknit.analysis.tangles.operations import QUAD, SUBGROUP, WORKGROUP, group_of
from reknit.ir import op, traits
from reknit.ir.module import Module
from reknit.ir.text.parser import parse
from reknit.ir.walk import instructions

DOCUMENT = Path(__file__).resolve().parents[2] / "spec" / "guarantees.md"
PRELUDE = re.findall(r"^```rk prelude\n(.*?)^```$", DOCUMENT.read_text(), re.MULTILINE | re.DOTALL)[0]
NO_ENTRY = re.sub(r"(EntryPoint|ExecutionMode).*\n", "", PRELUDE)

# A function in which %met needs the whole group to have come in.
MEET = """
func @meet(%x: u32) -> void {
  %odd = BitwiseAnd %x, 1u : u32
  %mine = INotEqual %odd, 0u : bool
  if %mine {
  }
  %met = GroupNonUniformElect Subgroup : bool
  return
}
"""
BRANCH = """
func @NAME() -> void {
  %lane = Load %lane_id : u32
  %two = BitwiseAnd %lane, 2u : u32
  %some = INotEqual %two, 0u : bool
  if %some {
    %a = FunctionCall @meet, %lane : void
  }
  return
}
"""


def found(text: str, target: str | None = None) -> list[tuple[str, str]]:
    module = parse(text)
    return [(one.instr.name, one.kind) for one in judge(module, Analyses(module), target)]


def of(module: Module, name: str) -> str:
    return next(group_of(each) for each in instructions(module.functions[0]) if each.name == name)


def test_each_entry_point_has_the_rule_that_it_declares() -> None:
    both = PRELUDE.replace(
        "ExecutionMode @main LocalSize",
        'EntryPoint GLCompute @other "other" %lane_id\nExecutionMode @other LocalSize 32 1 1\n'
        "ExecutionMode @main MaximallyReconvergesKHR\nExecutionMode @main LocalSize",
    )
    text = both + MEET + BRANCH.replace("NAME", "main")
    other = "func @other() -> void {\n  CALL  return\n}\n"
    assert found(text + other.replace("CALL", "")) == []
    harmless = "%z = FunctionCall @meet, 0u : void\n"
    assert found(text + other.replace("CALL", harmless)) == []  # entered whole from the one that declares nothing
    assert found(text + BRANCH.replace("NAME", "other")) == [("met", "needs-maximal")]
    assert found(text + BRANCH.replace("NAME", "other"), "maximal") == []


def test_subgroup_uniform_control_flow_is_declared_too() -> None:
    section = """
func @main() -> void {
  %lane = Load %lane_id : u32
  %number = Load %subgroup_id : u32
  %mine = IEqual %lane, 3u : bool
  %first = IEqual %number, 0u : bool
  if %first {
    if %mine {
    }
    %late = GroupNonUniformElect Subgroup : bool
  }
  return
}
"""
    mode = "ExecutionMode @main SubgroupUniformControlFlowKHR\n"
    declared = PRELUDE.replace("ExecutionMode @main LocalSize", f"{mode}ExecutionMode @main LocalSize")
    assert found(PRELUDE + section) == [("late", "needs-subgroup-uniform")]
    assert found(declared + section) == []


def test_a_module_without_entry_points_may_be_called_by_a_part() -> None:
    assert found(NO_ENTRY + MEET) == [("met", "needs-maximal")]
    assert found(NO_ENTRY + MEET, "maximal") == []


def test_an_exported_function_may_be_called_by_a_part() -> None:
    main = "func @main() -> void {\n  %a = FunctionCall @meet, 0u : void\n  return\n}\n"
    assert found(PRELUDE + MEET + main) == []
    exported = PRELUDE.replace("Decorate %words", 'Decorate @meet LinkageAttributes "meet" Export\nDecorate %words', 1)
    assert found(exported + MEET + main) == [("met", "needs-maximal")]


def test_a_function_that_calls_itself_promises_nothing() -> None:
    text = """
func @down(%x: u32) -> void {
  %a = FunctionCall @down, %x : void
  %after = GroupNonUniformElect Subgroup : bool
  return
}
func @main() -> void {
  %before = GroupNonUniformElect Subgroup : bool
  %a = FunctionCall @down, 0u : void
  %last = GroupNonUniformElect Subgroup : bool
  return
}
"""
    assert [name for name, _ in found(PRELUDE + text)] == ["after", "last"]


def test_what_nothing_reaches_is_not_judged() -> None:
    assert found(PRELUDE + MEET + "func @main() -> void {\n  return\n}\n") == []


def test_the_group_of_an_operation() -> None:
    text = """
func @main() -> void {
  %lane = Load %lane_id : u32
  %a = GroupNonUniformElect Subgroup : bool
  %b = GroupNonUniformElect Workgroup : bool
  %c = GroupNonUniformQuadSwap Subgroup %lane, 0u : u32
  return
}
"""
    module = parse(PRELUDE + text)
    assert [of(module, name) for name in "abc"] == [SUBGROUP, WORKGROUP, QUAD]


def test_what_is_computed_from_a_ballot_asks_nobody() -> None:
    judged = traits.JUDGED
    assert op.GroupNonUniformBallot in judged and op.DPdx in judged and op.ControlBarrier in judged
    assert op.ImageSampleImplicitLod in judged and op.SubgroupBallotKHR in judged
    assert op.GroupNonUniformBallotBitCount not in judged and op.TraceRayKHR not in judged


FRAGMENT = (
    PRELUDE.replace("EntryPoint GLCompute", "EntryPoint Fragment")
    .replace("LocalSize 32 1 1", "OriginUpperLeft")
    .replace("MemoryModel", "Capability DemoteToHelperInvocation\nMemoryModel")
)


@pytest.mark.parametrize("ending", ["DemoteToHelperInvocation", "kill", "terminate"])
def test_helpers_may_be_gone_after_what_ends_invocations(ending: str) -> None:
    text = f"""
func @main() -> void {{
  %lane = Load %lane_id : u32
  %mine = IEqual %lane, 3u : bool
  %before = GroupNonUniformElect Subgroup : bool
  if %mine {{
    {ending}
  }}
  %quad = GroupNonUniformQuadSwap Subgroup %lane, 0u : u32
  %after = GroupNonUniformElect Subgroup : bool
  return
}}
"""
    assert ("after", "helpers") in found(FRAGMENT + text, "maximal")
    assert [name for name, kind in found(FRAGMENT + text, "maximal") if kind == "helpers"] == ["after"]


def helpers_in(text: str) -> list[str]:
    """The operations at which helper invocations may be gone, under maximal reconvergence."""
    head = "%lane = Load %lane_id : u32\n%mine = IEqual %lane, 3u : bool\n%some = ULessThan %lane, 2u : bool\n"
    functions, _, body = text.rpartition("MAIN")
    module = f"{functions}func @main() -> void {{\n{head}{body}return\n}}\n"
    return [name for name, kind in found(FRAGMENT + module, "maximal") if kind == "helpers"]


BALLOT = " = GroupNonUniformElect Subgroup : bool\n"


def test_helpers_elsewhere_may_go_wherever_the_quad_has_parted() -> None:
    """Lanes 0 and 1 of a quad are in the first arm, of which one discards; 2 and 3 help and are in the other."""
    kill = "if %mine {\nkill\n}\n"
    assert helpers_in(f"%a{BALLOT}if %some {{\n{kill}}} else {{\n%b{BALLOT}}}\n%c{BALLOT}") == ["b", "c"]
    inner = f"if %mine {{\nloop @l {{\nif %mine nojoin {{\nbreak @l\n}}\nkill\n}}\n}} else {{\n%b{BALLOT}}}\n"
    assert helpers_in(f"%a{BALLOT}{inner}%c{BALLOT}") == ["b", "c"]


def test_a_quad_that_is_together_has_no_helpers_elsewhere() -> None:
    """A flat input has one value in a quad, which is of one primitive: none of the quad is in the other arm."""
    flat = FRAGMENT.replace("Decorate %lane_id BuiltIn LocalInvocationIndex", "Decorate %lane_id Flat")
    body = f"if %some {{\n%p = FunctionCall @end, %lane : void\n}} else {{\n%b{BALLOT}}}\n%c{BALLOT}"
    text = (
        "func @end(%x: u32) -> void {\nDemoteToHelperInvocation\nreturn\n}\nfunc @main() -> void {\n"
        "%lane = Load %lane_id : u32\n%some = ULessThan %lane, 2u : bool\n" + body + "return\n}\n"
    )
    for rule in ("base", "sucf", "maximal"):
        assert [name for name, kind in found(flat + text, rule) if kind == "helpers"] == ["c"]


@pytest.mark.parametrize("ending", ["kill", "terminate"])
def test_a_block_that_calls_and_ends_its_invocations(ending: str) -> None:
    callee = "func @look() -> void {\nreturn\n}\nMAIN"
    body = f"if %mine {{\n%p = FunctionCall @look : void\n{ending}\n}}\n%b{BALLOT}"
    assert helpers_in(callee + body) == ["b"]


def test_the_reasons_lead_through_calls() -> None:
    module = parse(PRELUDE + MEET + BRANCH.replace("NAME", "main"))
    (one,) = judge(module, Analyses(module))
    texts = [reason.text for reason in one.reasons]
    assert texts[0].startswith("invocations that part at this `if` meet after it")
    assert texts[1] == "the function is called here"
    assert texts[2].startswith("not the whole workgroup takes one branch: the condition of this `if` may differ")
    assert all(reason.about is not None for reason in one.reasons)


def chain(text: str, name: str, target: str | None = None) -> list[str]:
    """Why an operation is found: each reason's sentence, and what it is about by its name or kind."""
    module = parse(text)
    (one,) = [each for each in judge(module, Analyses(module), target) if each.instr.name == name]
    told: list[str] = []
    for reason in one.reasons:
        about = reason.about
        assert about is not None
        named = getattr(about, "name", "") or type(about).__name__
        told.append(f"{reason.text.partition(',')[0]} -> {named}")
    return told


HEAD = """func @main() -> void {
  %lane = Load %lane_id : u32
  %odd = BitwiseAnd %lane, 1u : u32
  %mine = INotEqual %odd, 0u : bool
  %some = ULessThan %lane, 3u : bool
"""
RETURNS_TWICE = """func @twice(%x: u32) -> u32 {
  %first = IEqual %x, 0u : bool
  if %first {
    return 1u
  }
  return 2u
}
"""
MEETS_AT_IF = "invocations that part at this `if` meet after it -> If"
ONE_BRANCH = "not the whole workgroup takes one branch: the condition of this `if` may differ in it -> If"
CHAINS: dict[str, tuple[str, list[str]]] = {
    "not all come in, since a branch was taken": (
        HEAD + "if %mine {\nif %some {\n}\n%at = GroupNonUniformElect Subgroup : bool\n}\nreturn\n}\n",
        [MEETS_AT_IF, ONE_BRANCH],
    ),
    "some leave it": (
        HEAD + "if %mine {\n%gone:\nreturn\n}\n%at = GroupNonUniformElect Subgroup : bool\nif %some {\n}\n"
        "%late = GroupNonUniformElect Subgroup : bool\nreturn\n}\n",
        [MEETS_AT_IF, "not the whole workgroup comes to the end of the if: some leave it here -> gone"],
    ),
    "all come in, and some don't come to its end": (
        HEAD + "if %mine {\nif %some {\n%gone:\nreturn\n}\n}\n"
        "%late = GroupNonUniformElect Subgroup : bool\nreturn\n}\n",
        [MEETS_AT_IF, "some of them leave it here -> gone"],
    ),
    "a loop that is left one by one, of which some leave the function": (
        HEAD + "loop @turns {\nif %mine {\nbreak @turns\n}\nif %some {\n%gone:\nreturn\n}\n} continuing {\n}\n"
        "%late = GroupNonUniformElect Subgroup : bool\nreturn\n}\n",
        ["invocations leave this loop one by one and meet after it -> turns", "some of them leave it here -> gone"],
    ),
    "an iteration that some end by a continue": (
        HEAD + "loop @turns {\nif %some {\n%on:\ncontinue @turns\n}\nif %mine {\nbreak @turns\n}\n} continuing {\n"
        "%late = GroupNonUniformElect Subgroup : bool\n}\nreturn\n}\n",
        [
            "only maximal reconvergence makes the invocations of an iteration meet at the loop's continue target"
            " -> turns",
            "some come there from here -> on",
        ],
    ),
    "a call that returns from two places": (
        RETURNS_TWICE + HEAD + "%r = FunctionCall @twice, %odd : u32\n"
        "%late = GroupNonUniformElect Subgroup : bool\nreturn\n}\n",
        [
            "only maximal reconvergence makes invocations meet after this call that return at different places -> r",
        ],
    ),
    "a call of a function that calls one": (
        RETURNS_TWICE + "func @around(%y: u32) -> u32 {\n%q = FunctionCall @twice, %y : u32\nreturn %q\n}\n"
        + HEAD + "%r = FunctionCall @around, %odd : u32\n%late = GroupNonUniformElect Subgroup : bool\nreturn\n}\n",
        [
            "the function that is called here parts them -> r",
            "only maximal reconvergence makes invocations meet after this call that return at different places -> q",
        ],
    ),
    "a call, by a part of the workgroup, of a function with an if": (
        "func @meets(%x: u32) -> u32 {\n%first = IEqual %x, 0u : bool\nif %first {\n}\nreturn %x\n}\n"
        + HEAD + "if %some {\n%r = FunctionCall @meets, %odd : u32\n%late = GroupNonUniformElect Subgroup : bool\n}\n"
        "return\n}\n",
        [
            "the function that is called here parts them -> r", MEETS_AT_IF, "the function is called here -> r",
            ONE_BRANCH,
        ],
    ),
    "such a call in a loop that is left one by one, where each turn comes behind it": (
        "func @meets(%x: u32) -> u32 {\n%first = IEqual %x, 0u : bool\nif %first {\n}\nreturn %x\n}\n"
        + HEAD + "loop @turns {\n%r = FunctionCall @meets, %odd : u32\n%late = GroupNonUniformElect Subgroup : bool\n"
        "if %mine {\n%left:\nbreak @turns\n}\n} continuing {\n}\nreturn\n}\n",
        [
            "the function that is called here parts them -> r", MEETS_AT_IF, "the function is called here -> r",
            "not the whole workgroup comes to the end of the if: some leave it here -> left",
        ],
    ),
    "a call of a function that calls itself": (
        "func @again(%x: u32) -> u32 {\n%first = IEqual %x, 0u : bool\nif %first {\nreturn 1u\n}\n"
        "%r = FunctionCall @again, 0u : u32\nreturn %r\n}\n"
        + HEAD + "%s = FunctionCall @again, %odd : u32\n%late = GroupNonUniformElect Subgroup : bool\nreturn\n}\n",
        ["a function that has no body here -> s"],
    ),
    "an if after a call that returns from two places": (
        RETURNS_TWICE + HEAD + "%r = FunctionCall @twice, %odd : u32\nif %mine {\n}\n"
        "%late = GroupNonUniformElect Subgroup : bool\nreturn\n}\n",
        ["only maximal reconvergence makes invocations meet after this call that return at different places -> r"],
    ),
    "a case for two values": (
        HEAD + "switch %lane {\ncase 0, 1: {\n%late = GroupNonUniformElect Subgroup : bool\n}\ndefault: {\n}\n}\n"
        "return\n}\n",
        ["several values of the selector lead to this case -> Case"],
    ),
    "a case that is fallen into": (
        HEAD + "switch %lane {\ncase 0: {\nfallthrough\n}\ncase 1: {\n%late = GroupNonUniformElect Subgroup : bool\n}\n"
        "default: {\n}\n}\nreturn\n}\n",
        ["some invocations fall through to this case and others are sent to it: whether they meet is left to the "
         "implementation -> Case"],
    ),
    "a function without structure": (
        HEAD.replace("void {", "void flat {\n%entry:") + "BranchConditional %mine, %one, %two\n%one:\nBranch %two\n"
        "%two:\n%late = GroupNonUniformElect Subgroup : bool\nreturn\n}\n",
        ["the function's control flow is not structured -> main"],
    ),
}  # fmt: skip


@pytest.mark.parametrize("title", CHAINS)
def test_the_reasons_of(title: str) -> None:
    text, expected = CHAINS[title]
    assert chain(PRELUDE + text, "late" if "%late" in text else "at", "base") == expected


PARTS: dict[str, tuple[str, list[str]]] = {
    "an arm": (HEAD + "if %mine {\nBARRIER\n}\nreturn\n}\n", [ONE_BRANCH]),
    "a case": (
        HEAD + "switch %lane {\ncase 1: {\nBARRIER\n}\ndefault: {\n}\n}\nreturn\n}\n",
        ["not the whole workgroup takes one branch: the selector of this `switch` may differ in it -> Switch"],
    ),
    "behind an early return": (
        HEAD + "if %mine {\n%gone:\nreturn\n}\nBARRIER\nreturn\n}\n",
        ["not the whole workgroup comes to the end of the if: some leave it here -> gone"],
    ),
    "behind two of them, in a loop": (
        HEAD + "loop @turns {\nif %mine {\n%gone:\nreturn\n}\nif %some {\nbreak @turns\n}\n} continuing {\n}\n"
        "BARRIER\nreturn\n}\n",
        ["not the whole workgroup comes to the end of the loop: some leave it here -> gone"],
    ),
    "in a function that an arm calls": (
        "func @wait() -> void {\nBARRIER\nreturn\n}\n" + HEAD + "if %mine {\n%c = FunctionCall @wait : void\n}\n"
        "return\n}\n",
        ["the function is called here -> c", ONE_BRANCH],
    ),
    "in a function that is called behind an early return": (
        "func @wait() -> void {\nBARRIER\nreturn\n}\n" + HEAD + "if %mine {\n%gone:\nreturn\n}\n"
        "%c = FunctionCall @wait : void\nreturn\n}\n",
        [
            "the function is called here -> c",
            "not the whole workgroup comes to the end of the if: some leave it here -> gone",
        ],
    ),
    "behind a call that ends some": (
        "func @end(%x: u32) -> void {\n%first = IEqual %x, 0u : bool\nif %first {\n%gone:\nterminate\n}\nreturn\n}\n"
        + HEAD + "%c = FunctionCall @end, %odd : void\nBARRIER\nreturn\n}\n",
        [
            "not the whole workgroup comes back from this call in one place -> c",
            "not the whole workgroup comes to the end of the if: some leave it here -> gone",
        ],
    ),
}  # fmt: skip


@pytest.mark.parametrize("title", PARTS)
def test_why_a_barrier_may_be_run_by_a_part(title: str) -> None:
    text, expected = PARTS[title]
    module = parse(PRELUDE + text.replace("BARRIER", "ControlBarrier Workgroup, Workgroup, 264u"))
    (one,) = [each for each in judge(module, Analyses(module), "maximal") if each.instr.op == op.ControlBarrier]
    assert one.kind == "part-of-workgroup"
    told = [
        f"{reason.text} -> {getattr(reason.about, 'name', '') or type(reason.about).__name__}" for reason in one.reasons
    ]
    assert told == expected


def test_a_function_from_elsewhere_may_be_called_by_a_part() -> None:
    text = "func @wait() -> void {\n  ControlBarrier Workgroup, Workgroup, 264u\n  return\n}\n"
    module = parse(NO_ENTRY + text)
    (one,) = judge(module, Analyses(module))
    assert [(reason.text, reason.about) for reason in one.reasons] == [
        ("code outside of this module may call the function", module.functions[0])
    ]


def test_helpers_may_be_gone_in_what_is_called_later_and_behind_what_is_called() -> None:
    """`@hide` demotes; `@look` is called after it, `@early` before; all that follows in main comes after it, too."""
    text = """
func @hide(%x: u32) -> void {
  %first = IEqual %x, 0u : bool
  if %first {
    DemoteToHelperInvocation
  }
  return
}
func @look() -> void {
  %inside = GroupNonUniformElect Subgroup : bool
  return
}
func @early() -> void {
  %still = GroupNonUniformElect Subgroup : bool
  return
}
func @main() -> void {
  %a = FunctionCall @early : void
  %before = GroupNonUniformElect Subgroup : bool
  %b = FunctionCall @hide, 0u : void
  %between = GroupNonUniformElect Subgroup : bool
  %c = FunctionCall @look : void
  return
}
"""
    assert [name for name, kind in found(FRAGMENT + text, "maximal") if kind == "helpers"] == ["inside", "between"]
    assert [name for name, kind in found(PRELUDE + text, "maximal") if kind == "helpers"] == []


def test_a_cooperative_matrix_belongs_to_its_scope() -> None:
    """Of what is made, or else of the first operand that is one."""
    module = parse(
        "Capability Shader\nCapability CooperativeMatrixKHR\nMemoryModel Logical GLSL450\n"
        "%wide = TypeCooperativeMatrixKHR f32, 2u, 16u, 16u, 0u\n"
        "%small = TypeCooperativeMatrixKHR f32, 3u, 16u, 16u, 0u\n"
        "func @f(%w: %wide, %s: %small, %p: ptr<StorageBuffer, f32>) -> void {\n"
        "%a = CooperativeMatrixMulAddKHR %w, %w, %w : %wide\n%b = CooperativeMatrixMulAddKHR %s, %s, %s : %small\n"
        "CooperativeMatrixStoreKHR %p, %w, 0u\nCooperativeMatrixStoreKHR %p, %s, 0u\nreturn\n}\n"
    )
    groups = [group_of(each) for each in instructions(module.functions[0]) if each.op in traits.TANGLED]
    assert groups == [WORKGROUP, SUBGROUP, WORKGROUP, SUBGROUP]
