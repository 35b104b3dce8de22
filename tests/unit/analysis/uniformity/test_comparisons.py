"""Comparisons of numbers that differ: by hand which come out the same for all, and what the machine says of each claim.

Two workgroups of 64; claims are looked at in subgroups of 4, 8, 32 and 64 invocations, under three policies.
"""

import pytest
from kit.oracles.uniform_values import watched

import reknit
from reknit.analysis.manager import Analyses
from reknit.analysis.uniformity.uniformity import Uniformity
from reknit.ir.module import Module
from reknit.ir.walk import instructions
from reknit.sim.policy import Policy

POLICIES = [Policy("label", "never"), Policy("value", "never", "fifo"), Policy("label", "always", "random:3")]
WATCHED = [(4, "subgroup"), (8, "quad"), (32, "workgroup"), (64, "subgroup")]
HEAD = """OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main" %index %id %group_id
{size}OpDecorate %index BuiltIn LocalInvocationIndex
OpDecorate %id BuiltIn LocalInvocationId
OpDecorate %group_id BuiltIn WorkgroupId
%void = OpTypeVoid
%fn = OpTypeFunction %void
%bool = OpTypeBool
%u32 = OpTypeInt 32 0
%i32 = OpTypeInt 32 1
%v3u = OpTypeVector %u32 3
%u32_in = OpTypePointer Input %u32
%v3u_in = OpTypePointer Input %v3u
%index = OpVariable %u32_in Input
%id = OpVariable %v3u_in Input
%group_id = OpVariable %v3u_in Input
{constants}%main = OpFunction %void None %fn
%entry = OpLabel
%lane = OpLoad %u32 %index
%place = OpLoad %v3u %id
%across = OpCompositeExtract %u32 %place 0
%down = OpCompositeExtract %u32 %place 1
%groups = OpLoad %v3u %group_id
%group = OpCompositeExtract %u32 %groups 0
%low = OpBitwiseAnd %u32 %lane %c15
"""
NAMED = 'OpName %test "test"\n'
FIXED = f"OpExecutionMode %main LocalSize 64 1 1\n{NAMED}"
TALL = f"OpExecutionMode %main LocalSize 32 2 1\n{NAMED}"
CONSTANTS = [0, 1, 2, 3, 4, 6, 7, 8, 9, 15, 16, 17, 31, 32, 62, 63, 64, 0x7FFFFFF0, 0x7FFFFFF8, 0x7FFFFFFF]
CONSTANTS += [0x80000000, 0xFFFFFFF0, 0xFFFFFFF8, 0xFFFFFFFF]


def module(body: str, size: str) -> Module:
    constants = "".join([f"%c{value} = OpConstant %u32 {value}\n" for value in CONSTANTS])
    if "SpecId" in size:
        constants += "%wide = OpSpecConstant %u32 64\n%size = OpSpecConstantComposite %v3u %wide %c1 %c1\n"
    text = HEAD.format(size=size, constants=constants) + body + "OpReturn\nOpFunctionEnd\n"
    return reknit.load(text.encode(), format="spvasm")


def is_claimed(made: Module, scope: str) -> bool:
    of_main = Analyses(made).of_module_with(Uniformity, scope).of(made.functions[0])
    (test,) = [instr for instr in instructions(made.functions[0]) if instr.name == "test"]
    return of_main.is_uniform(test)


def held_to_the_machine(made: Module) -> bool:
    """Whether `test` differs in a run. No claim may be refuted."""
    differs = False
    for size, scope in WATCHED:
        found = watched(made, scope, size, POLICIES)
        assert not found.false, (size, scope, list(found.false))
        for key, differed in found.compared.items():
            differs = differs or (differed and getattr(key, "name", "") == "test")
    return differs


# i / 16 is floor(i / 2^4), whatever the sign: x = i + 16 k has that of i, and k more, also where it wraps around.
SAME = {
    "all of the workgroup": "%test = OpULessThan %bool %lane %c64",
    "turned around": "%test = OpUGreaterThan %bool %c64 %lane",
    "up to the last": "%test = OpULessThanEqual %bool %lane %c63",
    "signed": "%test = OpSLessThan %bool %lane %c64",
    "a block of sixteen": "%x = OpIAdd %u32 %low %c32\n%test = OpULessThan %bool %x %c32",
    "a block that ends where numbers do": "%x = OpIAdd %u32 %low %c4294967280\n%test = OpULessThan %bool %x %c16",
    "a negative block": "%x = OpIAdd %u32 %low %c4294967280\n%test = OpSLessThan %bool %x %c4294967280",
    "a block below the sign": "%x = OpIAdd %u32 %low %c2147483632\n%test = OpSLessThan %bool %x %c2147483632",
    "whole workgroups before": "%all = OpIMul %u32 %group %c64\n%test = OpULessThan %bool %lane %all",
    "groups in bits": "%all = OpShiftLeftLogical %u32 %group %c6\n%test = OpSGreaterThanEqual %bool %lane %all",
}
DIFFERS = {
    "one is left out": "%test = OpULessThan %bool %lane %c63",
    "not up to the last": "%test = OpULessThanEqual %bool %lane %c62",
    "the first is left out": "%test = OpULessThanEqual %bool %lane %c0",
    "the last of a block": "%test = OpULessThan %bool %low %c15",
    "a block moved by one": "%x = OpIAdd %u32 %low %c1\n%test = OpULessThan %bool %x %c16",
    "a block that wraps around": "%x = OpIAdd %u32 %low %c4294967288\n%test = OpULessThan %bool %x %c16",
    "a block across the sign": "%x = OpIAdd %u32 %low %c2147483640\n%test = OpSLessThan %bool %x %c0",
    "half of a workgroup before": "%all = OpIMul %u32 %group %c32\n%test = OpULessThan %bool %lane %all",
    "a bound that differs": "%test = OpULessThan %bool %low %lane",
    "seventeen at a time": "%x = OpUMod %u32 %lane %c17\n%test = OpULessThan %bool %x %c16",
    "a product that wraps around": "%x = OpIMul %u32 %lane %c2147483648\n%test = OpSLessThan %bool %x %c0",
}


@pytest.mark.parametrize("body", SAME.values(), ids=SAME)
def test_that_come_out_the_same(body: str) -> None:
    made = module(body + "\n", FIXED)
    assert is_claimed(made, "workgroup") and is_claimed(made, "subgroup")
    assert not held_to_the_machine(made)


@pytest.mark.parametrize("body", DIFFERS.values(), ids=DIFFERS)
def test_that_differ(body: str) -> None:
    made = module(body + "\n", FIXED)
    assert not is_claimed(made, "workgroup")
    assert held_to_the_machine(made)


BOUNDED = """%is = OpULessThan %bool %lane {bound}
OpSelectionMerge %end None
OpBranchConditional %is %then %end
%then = OpLabel
%x = OpIAdd %u32 %lane %c16
%test = OpULessThan %bool %x %c32
OpBranch %end
%end = OpLabel
"""


def test_a_branch_bounds_what_it_leads_to() -> None:
    """Of 0 .. 15 each number and 16 is below 32, of 0 .. 16 not the last; nothing is known after the branch."""
    for bound, claimed in (("%c16", True), ("%c17", False)):
        made = module(BOUNDED.format(bound=bound), FIXED)
        assert is_claimed(made, "workgroup") == claimed
        assert held_to_the_machine(made) is not claimed
    behind = BOUNDED.format(bound="%c16").replace("%test =", "%other =") + "%test = OpULessThan %bool %lane %c16\n"
    assert not is_claimed(module(behind, FIXED), "workgroup")


def test_a_dimension_of_the_workgroup() -> None:
    """32 by 2 invocations: x is below 32, y below 2."""
    for left, bound, claimed in (("across", 32, True), ("across", 31, False), ("down", 2, True), ("down", 1, False)):
        made = module(f"%test = OpULessThan %bool %{left} %c{bound}\n", TALL)
        assert is_claimed(made, "workgroup") == claimed, (left, bound)
        assert held_to_the_machine(made) is not claimed, (left, bound)


def test_a_size_that_is_specialized_is_not_known() -> None:
    """Whatever LocalSize says, which counts for less."""
    size = "OpDecorate %wide SpecId 3\nOpDecorate %size BuiltIn WorkgroupSize\n"
    assert not is_claimed(module("%test = OpULessThan %bool %lane %c64\n", FIXED + size), "workgroup")


LOOP = """OpBranch %head
%head = OpLabel
%i = OpPhi %u32 %low %entry {back} %on
%turn = OpPhi %u32 %c0 %entry %turns %on
{test}
OpLoopMerge %done %on None
OpBranch %body
%body = OpLabel
{body}
OpBranch %on
%on = OpLabel
{step}
%turns = OpIAdd %u32 %turn %c1
%more = OpULessThan %bool %turns {turns}
OpBranchConditional %more %head %done
%done = OpLabel
{after}
"""
INNER = """OpBranch %inner
%inner = OpLabel
%j = OpPhi %u32 %c0 %body %js %goes
%by = OpIMul %u32 {counted} %c16
%sum = OpIAdd %u32 %i %by
%stay = OpULessThan %bool %j {until}
OpLoopMerge %left %goes None
OpBranchConditional %stay %goes %left
%goes = OpLabel
%js = OpIAdd %u32 %j %c1
OpBranch %inner
%left = OpLabel"""
SOME = """OpSelectionMerge %end None
OpBranchConditional {condition} %then %end
%then = OpLabel
%sum = OpIAdd %u32 %i %c16
OpBranch %end
%end = OpLabel
%new = OpPhi %u32 %i %body %sum %then"""
TEST = "%test = OpULessThan %bool %i %c64"
LOOPS = {  # the body, the step, whether the comparison at the loop's start comes out the same
    "a step of the block": ("", "%next = OpIAdd %u32 %i %c16", True),
    "a step beside it": ("", "%next = OpIAdd %u32 %i %c17", False),
    "a step that differs": ("%all = OpIMul %u32 %lane %c16", "%next = OpIAdd %u32 %i %all", False),
    "as often as the turn": (INNER.format(counted="%j", until="%turn"), "%sum", True),
    "left at different steps": (INNER.format(counted="%j", until="%low"), "%sum", False),
    "steps of the turn": ("%by = OpIMul %u32 %turn %c16", "%next = OpIAdd %u32 %i %by", True),
    "steps of another loop": (INNER.format(counted="%j", until="%low"), "%next = OpIAdd %u32 %i %by", False),
    "by some alone": (SOME.format(condition="%test"), "%new", False),
}


@pytest.mark.parametrize(("body", "step", "claimed"), LOOPS.values(), ids=LOOPS)
def test_loops(body: str, step: str, claimed: bool) -> None:
    """`%low` is below 16: i / 16 is the same as long as what is added is, and is a multiple of 16."""
    back, _, operation = step.partition(" = ")
    text = LOOP.format(body=body, step=step if operation else "", back=back, test=TEST, after="", turns="%c4")
    made = module(text, FIXED)
    assert is_claimed(made, "workgroup") == claimed
    held_to_the_machine(made)


@pytest.mark.parametrize(("turns", "claimed"), [("%c4", True), ("%low", False)], ids=["together", "one by one"])
def test_after_a_loop(turns: str, claimed: bool) -> None:
    """What all counted is compared where those meet who left in different turns."""
    text = LOOP.format(body="", step="%next = OpIAdd %u32 %i %c16", back="%next", test="", after=TEST, turns=turns)
    made = module(text, FIXED)
    assert is_claimed(made, "workgroup") == claimed
    assert held_to_the_machine(made) is not claimed


def test_where_an_invocation_is_in_its_subgroup() -> None:
    """Of 128 at most, of as many as the execution mode SubgroupSize says; nothing is known of a kernel's."""
    body = "%test = OpULessThan %bool %own %c{bound}\n"
    for size, model, bound, claimed in (
        ("", "GLCompute", 128, True), ("", "GLCompute", 127, False), ("", "Kernel", 128, False),
        ("OpExecutionMode %main SubgroupSize 16\n", "GLCompute", 16, True),
        ("OpExecutionMode %main SubgroupSize 16\n", "GLCompute", 15, False),
    ):  # fmt: skip
        constants = "".join([f"%c{value} = OpConstant %u32 {value}\n" for value in (15, 16, 127, 128)])
        text = HEAD.format(size=size + FIXED, constants=constants).replace("GLCompute", model)
        text = text.replace("BuiltIn LocalInvocationIndex", "BuiltIn SubgroupLocalInvocationId")
        text = text.replace("%lane = OpLoad", "%own = OpLoad").replace("%u32 %lane", "%u32 %own")
        made = reknit.load((text + body.format(bound=bound) + "OpReturn\nOpFunctionEnd\n").encode(), format="spvasm")
        assert is_claimed(made, "workgroup") == claimed, (size, model, bound)
