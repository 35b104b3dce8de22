"""Pairs that differ only through memory that several names have, or for operands that leave something undefined.

What each rests on is in the SPIR-V specification, version 1.6, at the section named with its pair.
"""

import pytest
from kit.proving import proved_by_terms

from reknit.ir.text.parser import parse

HEAD = """Capability Shader
Capability VulkanMemoryModel
Capability GroupNonUniformClustered
Extension "SPV_KHR_maximal_reconvergence"
MemoryModel Logical MODEL
EntryPoint GLCompute @main "main" %lane_id, %a, %b, %o
ExecutionMode @main LocalSize 8 1 1
ExecutionMode @main MaximallyReconvergesKHR
Decorate %lane_id BuiltIn LocalInvocationIndex
Decorate %words ArrayStride 4
MemberDecorate %A 0 Offset 0
MemberDecorate %B 0 Offset 0
Decorate %A Block
Decorate %B Block
Decorate %a DescriptorSet 0
Decorate %a Binding 0
Decorate %b DescriptorSet 0
Decorate %b Binding 1
Decorate %o DescriptorSet 0
Decorate %o Binding 2
DECORATIONS
%words = TypeRuntimeArray u32
%A = TypeStruct %words
%B = TypeStruct %words
%lane_id = Variable Input : ptr<Input, u32>
%a = Variable StorageBuffer : ptr<StorageBuffer, %A>
%b = Variable StorageBuffer : ptr<StorageBuffer, %B>
%o = Variable StorageBuffer : ptr<StorageBuffer, %B>
func @main() -> void {
%lane = Load %lane_id : u32
%pa = AccessChain %a, 0u, %lane : ptr<StorageBuffer, u32>
%pb = AccessChain %b, 0u, %lane : ptr<StorageBuffer, u32>
%po = AccessChain %o, 0u, %lane : ptr<StorageBuffer, u32>
BODY
return
}
"""
WRITTEN_BETWEEN = "%x = Load %pa : u32\n%y = IAdd %x, 1u : u32\nStore %pb, %y\n%z = Load %pa : u32\nStore %po, %z"
READ_ONCE = "%x = Load %pa : u32\n%y = IAdd %x, 1u : u32\nStore %pb, %y\nStore %po, %x"
READ_TWICE = "%x = Load %pa : u32\n%z = Load %pa : u32\n%s = IAdd %x, %z : u32\nStore %po, %s"
READ_AND_DOUBLED = "%x = Load %pa : u32\n%s = IAdd %x, %x : u32\nStore %po, %s"
FAR = "%far = AccessChain %a, 0u, 100u : ptr<StorageBuffer, u32>\n%c = ULessThan %lane, 3u : bool\n"
GUARDED = FAR + "if %c {\n%x = Load %far : u32\nStore %po, %x\n}"
AHEAD = FAR + "%x = Load %far : u32\nif %c {\nStore %po, %x\n}"
ONE = "Store %po, 1u"
OWN = """%short = Variable Function : ptr<Function, array<u32, 4>>
%long = Variable Function : ptr<Function, array<u32, 16>>
%p = AccessChain {} : ptr<Function, u32>
%x = Load %p : u32
Store %po, 1u"""
ASKED_TWICE = """%v = Variable Function : ptr<Function, u32>
Store %v, 1u
%u = Undef : u32
switch %u as @s {
case 7: {
%again = IEqual %u, 7u : bool
%y = Select %again, 1u, 0u : u32
Store %v, %y
}
default: {
}
}
%x = Load %v : u32
Store %po, %x"""

ALIASED = "Decorate %a Aliased\nDecorate %b Aliased\n"
READ_ONLY = "Decorate %a NonWritable\n"

PAIRS = {
    # 2.18.2, Aliasing: variables decorated Aliased may be one memory; NonWritable speaks of accesses by its variable
    "NonWritable and Aliased": (WRITTEN_BETWEEN, READ_ONCE, READ_ONLY + ALIASED, "GLSL450"),
    # 2.18.2, Aliasing: under the Vulkan memory model variables may alias unless they are decorated Restrict
    "NonWritable under the Vulkan model": (WRITTEN_BETWEEN, READ_ONCE, READ_ONLY, "Vulkan"),
    # 3.26, Memory Operands, Volatile: "This access cannot be eliminated, duplicated, or combined with other accesses."
    "a volatile member read twice": (READ_TWICE, READ_AND_DOUBLED, "MemberDecorate %A 0 Volatile", "GLSL450"),
    "a volatile variable read twice": (READ_TWICE, READ_AND_DOUBLED, "Decorate %a Volatile", "GLSL450"),
    # 2.16.1: a constant index may be past the end of a run-time array, too
    "a load past a length that nobody knows": (GUARDED, AHEAD, READ_ONLY, "GLSL450"),
    # 3.52.24: behavior is undefined where ClusterSize is greater than the size of the subgroup, and where the Id of a
    # broadcast is not dynamically uniform
    "a cluster more": (ONE, f"%k = GroupNonUniformIAdd Subgroup ClusteredReduce %lane 64u : u32\n{ONE}", "", "GLSL450"),
    "a broadcast more": (ONE, f"%k = GroupNonUniformBroadcast Subgroup %lane %lane : u32\n{ONE}", "", "GLSL450"),
    # an access past the end is undefined (`reknit explain RK1014`), and the end is where the array's own type says
    "past the end of an own array": (OWN.format("%short, 3u"), OWN.format("%short, 4u"), "", "GLSL450"),
    "an index of a shorter array": (OWN.format("%long, %lane"), OWN.format("%short, %lane"), "", "GLSL450"),
    # OpUndef: "Each consumption of Result <id> yields an arbitrary, possibly different bit pattern"
    "an undefined value that is asked twice": (ONE, ASKED_TWICE, "", "GLSL450"),
}
FINE = {
    "at the end of an own array": (OWN.format("%short, 1u"), OWN.format("%short, 3u"), "", "GLSL450"),
    "not aliased": (WRITTEN_BETWEEN, READ_ONCE, "", "GLSL450"),
    "not aliased, by Restrict": (WRITTEN_BETWEEN, READ_ONCE, "Decorate %a Restrict\nDecorate %b Restrict", "Vulkan"),
    "read once": (READ_TWICE, READ_AND_DOUBLED, READ_ONLY, "GLSL450"),
}

LOOP = """%s:
{}loop @l {{
%h:
%i = Phi 0u %s, %n %k : u32
{}%c = UGreaterThan %i, 4u : bool
if %c nojoin {{
break @l
}}
{}%n = IAdd %i, 1u : u32
}} continuing {{
%k:
}}
}}
Store %po, 1u"""
FEW = "%f = ULessThan %lane, 3u : bool\nif %f {\n"
DIVISION = "%d = UDiv 7u, %lane : u32\n"
GUARDED_DIVISION = f"%g = IEqual %i, 2u : bool\nif %g {{\n{DIVISION}}}\n"
AHEAD_OF_ALL = DIVISION + FEW + LOOP.format("", "", "")
OF_THE_HEAD = "%d = UDiv 7u, %i : u32\n"
BY_LOOP = {
    "at the start of each iteration": (FEW + LOOP.format("", DIVISION, ""), True),
    "behind the exit, which the first iteration does not take": (FEW + LOOP.format("", "", DIVISION), False),
    "in an iteration that need not be": (FEW + LOOP.format("", GUARDED_DIVISION, ""), False),
    "of what the loop carries": (FEW + LOOP.format("", OF_THE_HEAD, ""), False),
    "not at all": (FEW + LOOP.format("", "", ""), False),
}


@pytest.mark.parametrize("where", BY_LOOP)
def test_a_division_that_each_iteration_has_may_stand_in_front_of_its_loop(where: str) -> None:
    """3.52.13: dividing by 0 is undefined behaviour, so no invocation may divide that did not; which the loop's first
    iteration decides, as every invocation that comes to a loop executes that."""
    before, is_proved = BY_LOOP[where]
    ahead = FEW + LOOP.format(DIVISION, "", "")
    assert proved(before, ahead, "", "GLSL450") == is_proved
    assert not proved(before, AHEAD_OF_ALL, "", "GLSL450")  # that fewer come to


def proved(before: str, after: str, decorations: str, model: str) -> bool:
    head = HEAD.replace("DECORATIONS", decorations).replace("MODEL", model)
    return proved_by_terms(*[parse(head.replace("BODY", body)) for body in (before, after)])


@pytest.mark.parametrize("name", PAIRS)
def test_what_differs_is_not_proved(name: str) -> None:
    assert not proved(*PAIRS[name])


@pytest.mark.parametrize("name", FINE)
def test_what_is_equal_is_proved(name: str) -> None:
    assert proved(*FINE[name])


IMAGES = """%tex_type = TypeImage u32 1D 0 0 0 1 Unknown
%img_type = TypeImage u32 1D 0 0 0 2 R32ui
%tex = Variable UniformConstant : ptr<UniformConstant, %tex_type>
%img = Variable UniformConstant : ptr<UniformConstant, %img_type>
func"""
FETCHED_TWICE = """%t = Load %tex : %tex_type
%i = Load %img : %img_type
%x = ImageFetch %t %lane Lod 0u : vec4<u32>
ImageWrite %i %lane %x
%y = ImageFetch %t %lane Lod 0u : vec4<u32>
%first = CompositeExtract %SHOWN 0 : u32
Store %po, %first"""


@pytest.mark.parametrize(
    ("decorations", "expected"), [("", True), ("Decorate %tex Aliased\nDecorate %img Aliased", False)]
)
def test_what_is_sampled_may_be_what_is_written(decorations: str, expected: bool) -> None:
    """2.18.2: two variables that are Aliased may be the same memory, so a write lies between the two fetches."""
    bound = "".join(
        f"Decorate %{name} DescriptorSet 0\nDecorate %{name} Binding {at}\n" for at, name in ((3, "tex"), (4, "img"))
    )
    head = HEAD.replace("MODEL", "GLSL450").replace("DECORATIONS", bound + decorations).replace("func", IMAGES)
    head = head.replace("Capability VulkanMemoryModel", "Capability Sampled1D\nCapability Image1D")
    text = head.replace("BODY", FETCHED_TWICE).replace("%o\n", "%o, %tex, %img\n")
    read_again, read_once = text.replace("%SHOWN", "%y"), text.replace("%SHOWN", "%x")
    assert proved_by_terms(parse(read_again), parse(read_again))
    assert proved_by_terms(parse(read_again), parse(read_once)) == expected


RESOURCES = """Capability Shader
Capability RuntimeDescriptorArray
Capability StorageBufferArrayNonUniformIndexing
MemoryModel Logical GLSL450
EntryPoint GLCompute @main "main" %lane_id, %many
ExecutionMode @main LocalSize 8 1 1
Decorate %lane_id BuiltIn LocalInvocationIndex
Decorate %A Block
MemberDecorate %A 0 Offset 0
Decorate %many DescriptorSet 0
Decorate %many Binding 0
%A = TypeStruct u32
%all = TypeRuntimeArray %A
%lane_id = Variable Input : ptr<Input, u32>
%many = Variable StorageBuffer : ptr<StorageBuffer, %all>
func @main() -> void {
%lane = Load %lane_id : u32
%from = AccessChain %many, %lane, 0u : ptr<StorageBuffer, u32>
%x = Load %from : u32
%y = IAdd %x, ONE : u32
%to = AccessChain %many, %lane, 0u : ptr<StorageBuffer, u32>
Store %to, %y
%old = AtomicIAdd %to Device Relaxed 1u : u32
return
}
"""


@pytest.mark.parametrize("before", ["", "from", "to", "x", "from to", "from to x"])
@pytest.mark.parametrize("after", ["", "from", "to", "x", "from to", "from to x"])
def test_resources_that_differ_stay_declared_so(before: str, after: str) -> None:
    """Vulkan takes a resource to be dynamically uniform where the operand that accesses it isn't decorated NonUniform
    (Vulkan 1.3, "NonUniform" in Appendix A), so each access keeps what it said."""
    first, other, wrong = (
        parse(RESOURCES.replace("ONE", one).replace("%A = Type", decorated(names) + "%A = Type"))
        for names, one in ((before, "1u"), (after, "1u"), (after, "2u"))
    )
    assert proved_by_terms(first, other) == (before == after)
    assert not proved_by_terms(first, wrong)


def decorated(names: str) -> str:
    return "".join(f"Decorate %{name} NonUniform\n" for name in names.split())
