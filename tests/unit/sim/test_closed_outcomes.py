"""When `outcomes` says that no other result is allowed, and up to what otherwise.

Expected values are exact sums, and sentences of Vulkan's "Precision and Operation of SPIR-V Instructions".
"""

from typing import Any

import pytest
from kit.programs.floats import float_shader, word

from reknit.sim.outcomes import Outcomes, outcomes
from reknit.view.outcomes import show_outcomes


def found(body: str, values: list[float], size: int = 4, **parts: Any) -> Outcomes:
    return outcomes(float_shader(body, **parts), subgroup_size=size, buffers={"in": [word(value) for value in values]})


def names(every: Outcomes) -> list[str]:
    """Rows that are left open, and those whose floats have bounds."""
    return [each.freedom for each in [*every.open, *every.bounded]]


@pytest.mark.parametrize("size", [4, 8, 32, 64])
def test_exact_sums_have_one_result(size: int) -> None:
    """1.5 + 2 is 3.5, which a float holds: "If x is exactly representable then x will be returned"."""
    every = found("  %y = FAdd %x, 2.0f : f32", [1.5, 2.5, -1.0, 4.0], size)
    assert every.exhaustive and every.open == []
    assert every.outcomes[0].words("out") == [word(3.5), word(4.5), word(1.0), word(6.0)]


def test_a_rounded_sum_may_be_either_neighbour() -> None:
    """0.1f is no power of two: 2^24 + 0.1f lies between two floats. Few such are gone through, of many the bounds are
    told."""
    body = "  %y = FAdd %x, f32(0x3dcccccd) : f32"
    few = found(body, [0.0, 0.0, 16777216.0, 0.0])
    assert few.exhaustive and {each.words("out")[2] for each in few.outcomes} == {word(16777216.0), word(16777218.0)}
    every = found(body, [16777216.0, 33554432.0, 16777216.0, 16777216.0])
    assert not every.exhaustive and every.whole
    assert "rounding" in names(every)
    headline = show_outcomes(every.ledgers[0].module, every, 4).split("\n")[0]
    assert headline == "1 outcome, within bounds of: the rounding of floats (%y, line 28) (rules: base)"


def test_a_rounding_mode_leaves_one() -> None:
    every = found(
        "  %y = FAdd %x, 0.5f : f32",
        [16777216.0, 1.0, 1.0, 1.0],
        capabilities="Capability RoundingModeRTE",
        modes="ExecutionMode @main RoundingModeRTE 32",
    )
    assert every.exhaustive


def test_a_denormal_may_be_flushed() -> None:
    """2^-127 is a denormal, and half of 2^-126: "may be flushed to zero"."""
    every = found("  %y = FMul %x, 0.5f : f32", [2.0**-126, 1.0, 1.0, 1.0])
    assert every.whole and {each.words("out")[0] for each in every.outcomes} == {0x00400000, 0, 0x80000000}
    assert names(every) == ["special-copies"]  # the store of -0, where that is the outcome
    assert names(found("  %y = FMul %x, 0.5f : f32", [2.0**-126] * 4)) == ["denormals"]


def test_a_copy_may_ignore_what_no_mode_keeps() -> None:
    """Vulkan, of bit-preserving operations, too: "the flags NSZ, NotInf, and NotNaN are assumed" without
    SignedZeroInfNanPreserve. 1 and 0 are copied as they are."""
    body = "  %y = CopyObject %x : f32"
    for value in (float("inf"), float("nan"), -0.0):
        assert names(found(body, [value, 1.0, 0.0, 2.0]))[0] == "special-copies"
        kept: dict[str, Any] = {
            "capabilities": "Capability SignedZeroInfNanPreserve",
            "modes": "ExecutionMode @main SignedZeroInfNanPreserve 32",
        }
        assert found(body, [value, 1.0, 0.0, 2.0], **kept).exhaustive
    assert found(body, [1.0, 0.0, 2.0, 2.0**-130]).exhaustive


def test_the_sign_of_a_zero_is_open() -> None:
    """-1 x 0 is -0, which without SignedZeroInfNanPreserve an implementation need not keep."""
    every = found("  %y = FMul %x, 0.0f : f32", [-1.0, 1.0, 1.0, 1.0])
    assert names(every) == ["special-floats", "special-copies"]


def test_no_mode_gives_a_nan_one_bit_pattern() -> None:
    """Infinity less infinity is a NaN. SignedZeroInfNanPreserve keeps it a NaN; its bits are in no sentence but
    "Signaling NaN may be converted to quiet NaNs values"."""
    every = found(
        "  %y = FSub %x, %x : f32",
        [float("inf"), 2.0, 3.0, 4.0],
        capabilities="Capability SignedZeroInfNanPreserve",
        modes="ExecutionMode @main SignedZeroInfNanPreserve 32",
    )
    assert names(every) == ["nan-bits"]


def test_a_quotient_need_not_be_correctly_rounded() -> None:
    """OpFDiv: "2.5 ULP"; 1 / 2 is no exception."""
    assert names(found("  %y = FDiv %x, 2.0f : f32", [1.0, 1.0, 1.0, 1.0])) == ["precision"]


def test_a_sum_over_the_subgroup_may_be_in_any_order() -> None:
    """Vulkan: "The order in which these operators are applied is implementation-dependent." 2^24, 1, 1 and -2^24 give
    0, 1 or 2 by order, all of which are gone through; 1, 2, 3 and 4 give 10 in each. Which invocations share a subgroup
    is given by nobody: in SPIR-V 1.6 one subgroup of 4 has all four ("full subgroups are required when the X dimension
    of the workgroup size is a multiple of the reported value of the SubgroupSize built-in")."""
    body = "  %y = GroupNonUniformFAdd 3u, Reduce, %x : f32"
    every = found(body, [16777216.0, 1.0, 1.0, -16777216.0])
    assert "reduction-order" not in names(every)
    assert {outcome.words("out")[0] for outcome in every.outcomes} == {word(0.0), word(1.0), word(2.0)}
    every = found(body, [1.0, 2.0, 3.0, 4.0])
    assert every.exhaustive and every.outcomes[0].words("out") == [word(10.0)] * 4
    assert every.given == ["subgroup size 4"]


def test_integers_leave_nothing_open() -> None:
    """No row of the ledger speaks of integers whose operations are defined."""
    every = found("  %n = Bitcast %x : u32\n  %m = IMul %n, 3u : u32\n  %y = Bitcast %m : f32", [1.0, 2.0, 3.0, 4.0])
    assert every.exhaustive and every.given == []


@pytest.mark.parametrize(
    "body",
    [
        "%y = GroupNonUniformBroadcast Subgroup %x, %lane : f32",
        "%b = CompositeConstruct %lane, 0u, 0u, 0u : vec4<u32>\n"
        "%i = GroupNonUniformInverseBallot Subgroup %b : bool\n"
        "%y = Select %i, 1.0f, 2.0f : f32",
    ],
)
def test_an_operand_that_has_to_be_the_same_and_is_not_leaves_everything_open(body: str) -> None:
    """SPIR-V, OpGroupNonUniformBroadcast: "behavior is undefined when Id is not dynamically uniform", and likewise for
    the ballot of OpGroupNonUniformInverseBallot. Nothing of the result is promised, not only that operation's own."""
    every = found(body, [1.0, 2.0, 3.0, 4.0], capabilities="Capability GroupNonUniformBallot")
    assert names(every) == ["not-uniform"] and not every.exhaustive
    assert [diagnostic.code for diagnostic in every.outcomes[0].result.diagnostics] == ["RK1015"]
    same = found(body.replace("%lane", "2u"), [1.0, 2.0, 3.0, 4.0], capabilities="Capability GroupNonUniformBallot")
    assert same.exhaustive


@pytest.mark.parametrize("operation", ["SRem", "SMod"])
def test_the_remainder_of_a_negative_number_is_open(operation: str) -> None:
    """Vulkan: "if either operand to OpSRem and OpSMod instructions is negative the result is poison"; 7 by 3
    leaves 1."""
    body = f"""%a = ConvertFToS %x : i32
  %r = {operation} %a, 3i : i32
  %y = ConvertSToF %r : f32"""
    assert names(found(body, [-7.0, 1.0, 2.0, 4.0])) == ["negative-remainder"]
    assert found(body, [7.0, 1.0, 2.0, 4.0]).exhaustive


RTE: dict[str, Any] = {"capabilities": "Capability RoundingModeRTE", "modes": "ExecutionMode @main RoundingModeRTE 32"}


def test_what_rounds_to_the_least_normal_float_may_be_flushed() -> None:
    """Vulkan: "the result of an operation may be considered denormal whenever the infinitely precise result is non-zero
    and of smaller magnitude than the smallest normal value, even if rounding would otherwise give a normal result":
    (1 - 2^-24) x 2^-126 rounds to 2^-126. 2^-126 x 1 is exact."""
    least = 2.0**-126
    assert names(found("  %y = FMul %x, f32(0x3f7fffff) : f32", [least] * 4, **RTE)) == ["denormals"]
    assert found("  %y = FMul %x, 1.0f : f32", [least] * 4, **RTE).exhaustive


def test_a_denormal_half_that_is_unpacked_may_be_flushed() -> None:
    """Vulkan, of DenormFlushToZero: "Denormalized values obtained via unpacking an integer into a vector of values with
    smaller bit width and interpreting those values as floating-point numbers must be flushed to zero"; by default they
    may be. 0x0001 is the least half, 2^-24, 0x3c00 is 1."""
    body = """  %u = Bitcast %x : u32
  %n = BitwiseOr %u, {} : u32
  %v = ExtInst %glsl UnpackHalf2x16 %n : vec2<f32>
  %y = CompositeExtract %v, 0u : f32"""
    assert names(found(body.format("0x3c000001u"), [0.0] * 4)) == ["denormals"]
    assert found(body.format("0x3c003c00u"), [0.0] * 4).exhaustive


def test_no_mode_says_how_to_round_to_half() -> None:
    """Vulkan, OpQuantizeToF16: "Correctly rounded with implementation defined rounding mode." 1 + 2^-20 is no half."""
    assert names(found("  %y = QuantizeToF16 %x : f32", [1.0 + 2.0**-20] * 4, **RTE)) == ["rounding-to-half"]
    assert found("  %y = QuantizeToF16 %x : f32", [1.5] * 4, **RTE).exhaustive


def test_the_sum_of_a_width_may_be_rounded() -> None:
    """OpFwidthFine is "computing the sum of the absolute values of OpDPdxFine and OpDPdyFine on P", which may be
    rounded: 2^24 and 1 are differences that a float holds, 2^24 + 1 is no float; 4 + 1 is."""
    linear: dict[str, Any] = {
        "capabilities": "Capability ComputeDerivativeGroupLinearKHR",
        "modes": "ExecutionMode @main DerivativeGroupLinearKHR",
    }
    body = "  %y = FwidthFine %x : f32"
    assert names(found(body, [0.0, 16777216.0, 1.0, 16777216.0], **linear)) == ["rounding"]
    assert found(body, [0.0, 4.0, 1.0, 3.0], **linear).exhaustive


def test_an_index_that_is_undefined_leads_anywhere() -> None:
    """SPIR-V, OpUndef: "Each consumption of Result <id> yields an arbitrary ... bit pattern", also as an index."""
    body = """  %m = Undef : u32
  %c = AccessChain %in, 0u, %m : ptr<StorageBuffer, f32>
  %y = Load %c : f32"""
    every = found(body, [1.0, 2.0, 3.0, 4.0])
    assert names(every) == ["undefined-way"] and not every.exhaustive
    assert sorted(every.outcomes[0].result.buffers["out"].undefined) == [0, 1, 2, 3]


def test_a_cluster_that_is_too_large_leaves_all_lanes_undefined() -> None:
    """SPIR-V: "If ClusterSize is greater than the size of the scope, executing this instruction results in undefined
    behavior", for each invocation that executes it."""
    body = """  %u = Bitcast %x : u32
  %n = GroupNonUniformIAdd Subgroup ClusteredReduce %u, 8u : u32
  %y = Bitcast %n : f32"""
    every = found(body, [1.0, 2.0, 3.0, 4.0], capabilities="Capability GroupNonUniformClustered")
    assert sorted(every.outcomes[0].result.buffers["out"].undefined) == [0, 1, 2, 3]


@pytest.mark.parametrize("execution, given", [("Subgroup", True), ("Workgroup", False)])
def test_a_barrier_of_the_subgroup_holds_for_a_grouping(execution: str, given: bool) -> None:
    """Vulkan: "There is no direct relationship between SubgroupLocalInvocationId and LocalInvocationId": who waits at a
    barrier of the subgroup follows from who shares one."""
    body = f"  ControlBarrier {execution} Workgroup AcquireRelease|UniformMemory\n  %y = CopyObject %x : f32"
    every = found(body, [1.0, 2.0, 3.0, 4.0], 2)
    assert every.given == (["subgroup size 2", "invocations in index order"] if given else [])


SIZE, MAPPING = "subgroup size 4", "invocations in index order"


@pytest.mark.parametrize(
    "operation, given",
    [
        ("GroupNonUniformInverseBallot Subgroup %bits : bool", [SIZE, MAPPING]),
        ("GroupNonUniformBallotBitExtract Subgroup %bits, 1u : bool", [SIZE]),
        ("GroupNonUniformBallotBitCount Subgroup Reduce %bits : u32", [SIZE]),
        ("GroupNonUniformBallotBitCount Subgroup ExclusiveScan %bits : u32", [SIZE, MAPPING]),
        ("GroupNonUniformBallotFindMSB Subgroup %bits : u32", [SIZE]),
        ("GroupNonUniformQuadSwap Subgroup %lane, 1u : u32", [MAPPING]),
    ],
)
def test_bits_that_are_no_ballot_are_set_against_ids(operation: str, given: list[str]) -> None:
    """An inverse ballot takes the bit of the invocation. SPIR-V, OpGroupNonUniformBallotBitCount: "considering only the
    bits in Value required to represent all bits of the scope restricted tangle". Vulkan, Quad: "each invocation in a
    quad scope instance is formed of invocations in adjacent subgroup invocation indices"."""
    kind = operation.rpartition(" ")[2]
    result = "  %n = CopyObject %r : u32" if kind == "u32" else "  %n = Select %r, 1u, 0u : u32"
    bits = "  %bits = CompositeConstruct 15u, 0u, 0u, 0u : vec4<u32>\n"
    body = f"{bits}  %r = {operation}\n{result}\n  %y = Bitcast %n : f32"
    capabilities = "Capability GroupNonUniformBallot\nCapability GroupNonUniformQuad"
    every = found(body, [1.0, 2.0, 3.0, 4.0], capabilities=capabilities)
    assert every.exhaustive and every.given == given


@pytest.mark.parametrize("form, exact", [("Rgba8", False), ("Rgba16f", True)])
def test_a_normalized_texel_is_read_about_as_precisely_as_that(form: str, exact: bool) -> None:
    """Vulkan, Floating-Point Computation, of what is computed outside of shaders: "individual results of floating-point
    operations are accurate to about 1 part in 10^5". 85 / 255 is 1 / 3, which is no float; 255 / 255 is 1. Every half
    is a float."""
    body = """  %h = Load %image : %Image
  %c = CompositeConstruct 0u, 0u : vec2<u32>
  %v = ImageRead %h, %c : vec4<f32>
  %y = CompositeExtract %v, 0u : f32"""
    types = f"%Image = TypeImage f32 2D 0 0 0 2 {form}\n{IMAGE}\n"
    module = float_shader(body, decorations=DECORATED, types=types)
    whole = [0x3C003C00] * 8 if exact else [0xFFFFFFFF] * 4
    for texels, closed in (([0x55555555] * len(whole), exact), (whole, True)):
        every = outcomes(module, subgroup_size=4, buffers={"in": [0] * 4, "image": texels})
        assert names(every) == ([] if closed else ["texel-reading"])


DECORATED = "Decorate %image DescriptorSet 0\nDecorate %image Binding 2"
IMAGE = "%image = Variable UniformConstant : ptr<UniformConstant, %Image>"


@pytest.mark.parametrize(("divisors", "complete"), [([1, 2, 3, 4], True), ([1, 0, 3, 4], False)])
@pytest.mark.parametrize("operation", ["UDiv", "UMod", "SDiv", "SRem", "SMod"])
def test_undefined_behavior_allows_more_than_its_result(operation: str, divisors: list[int], complete: bool) -> None:
    """OpUDiv and the others: "Behavior is undefined if Operand 2 is 0.", not the result alone."""
    body = f"  %i = Bitcast %x : u32\n  %k = {operation} 12u, %i : u32\n  %y = Bitcast %k : f32"
    every = outcomes(float_shader(body), subgroup_size=4, buffers={"in": divisors})
    assert every.exhaustive == complete
    assert ("undefined-behavior" in names(every)) == (not complete)


def test_a_reached_unreachable_is_undefined_behavior() -> None:
    """OpUnreachable: "Behavior is undefined if this instruction is executed." """
    body = "  %y = FNegate %x : f32\n  %low = FOrdLessThan %x, 2.0f : bool\n  if %low {\n    unreachable\n  }"
    assert "undefined-behavior" in names(found(body, [1.0, 2.0, 3.0, 4.0]))
    assert "undefined-behavior" not in names(found(body, [2.0, 2.0, 3.0, 4.0]))


def test_many_freedoms_have_a_line_each() -> None:
    """1e-39 may be flushed, -0 lose its sign, 0.1f is rounded. The tangent has no bounds in Vulkan's table, so that
    those of what it is computed from bound nothing."""
    body = "  %z = FMul %x, 3.0f : f32\n  %s = FAdd %z, 0.1f : f32\n  %t = ExtInst %glsl Tan %s : f32\n"
    every = found(body + "  %y = FDiv %t, %x : f32", [1e-39, 0.3, -0.0, float("inf")])
    assert {"rounding", "denormals", "special-floats", "precision"} <= {each.freedom for each in every.open}
    assert not every.bounded
    lines = show_outcomes(every.ledgers[0].module, every, 4).split("\n")
    assert lines[0] == "1 outcome, up to these freedoms (rules: base):"
    assert lines[1 : 1 + len(every.open)] == [f"  - {row}" for row in every.open]
    assert lines[1 + len(every.open)].startswith("  (1 combination")


def test_bounds_are_named_apart_from_what_may_move_floats_beyond_them() -> None:
    """A tangent, which has no bounds, and beside it a quotient, which has: "2.5 ULP"."""
    body = """\
  %y = ExtInst %glsl Tan %x : f32
  %r = FDiv %x, 3.0f : f32
  %next = IAdd %lane, 4u : u32
  %place = AccessChain %out, 0u, %next : ptr<StorageBuffer, f32>
  Store %place, %r"""
    module = float_shader(body)
    buffers = {"in": [word(value) for value in (1.0, 2.0, 5.0, 7.0)], "out": [0] * 8}
    every = outcomes(module, subgroup_size=4, buffers=buffers)
    assert [str(row) for row in every.open] != [str(row) for row in every.bounded]
    lines = show_outcomes(module, every, 4).splitlines()
    precision = "the precision of operations that may have an error (division, sin, ...)"
    up_to = f"up to: {precision} (%y, line 28); apart from these, within bounds of: {precision} (%r, line 29)"
    assert lines[0] == f"1 outcome, {up_to} (rules: base)"
    assert "bounds, apart from what the results are up to:" in lines


def test_coverage_names_choices_of_floats_as_such() -> None:
    every = found("  %y = FAdd %x, f32(0x3dcccccd) : f32", [0.0, 0.0, 16777216.0, 0.0])
    assert every.coverage.startswith("2 combinations of grouping and float choices")
