"""What stands outside of the bodies of functions: a difference there is never "proved", whatever the bodies say.

Each row is one shader and a word of it that is changed, with the sentence that tells the two apart; the other way round
where a promise more is no difference. `CONSUMED` are changes of which a sentence says that they can't matter.
"""

import pytest

import reknit
from reknit.ir.module import Module
from reknit.proof.frame.compare import Frame
from reknit.proof.prove import prove
from reknit.proof.question import Question
from reknit.source.diagnostic import InputError

FEW = Question(subgroup_sizes=[4], sample=2)

COMPUTE = """
OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main" %id
OpExecutionMode %main LocalSize 4 1 1
OpName %kept "kept"
OpDecorate %id BuiltIn LocalInvocationIndex
OpDecorate %kept DescriptorSet 0
OpDecorate %kept Binding 2
OpDecorate %words ArrayStride 4
OpDecorate %Kept Block
OpMemberDecorate %Kept 0 Offset 0
OpDecorate %Push Block
OpMemberDecorate %Push 0 Offset 0
%void = OpTypeVoid
%proc = OpTypeFunction %void
%u = OpTypeInt 32 0
%f = OpTypeFloat 32
%ff = OpTypeFunction %f %f
%words = OpTypeRuntimeArray %f
%Kept = OpTypeStruct %words
%pKept = OpTypePointer StorageBuffer %Kept
%pf = OpTypePointer StorageBuffer %f
%pin = OpTypePointer Input %u
%pown = OpTypePointer Private %f
%plocal = OpTypePointer Function %f
%Push = OpTypeStruct %f
%pPush = OpTypePointer PushConstant %Push
%zero = OpConstant %u 0
%third = OpConstant %f 0.333333
%size = OpConstant %u 3
%kept = OpVariable %pKept StorageBuffer
%id = OpVariable %pin Input
%own = OpVariable %pown Private
%push = OpVariable %pPush PushConstant
%main = OpFunction %void None %proc
%begin = OpLabel
%local = OpVariable %plocal Function
%at = OpLoad %u %id
%to = OpAccessChain %pf %kept %zero %at
%x = OpLoad %f %to
OpStore %own %x
%y = OpLoad %f %own
%z = OpFunctionCall %f %scale %y
OpStore %local %z
%w = OpLoad %f %local
OpStore %to %w
OpReturn
OpFunctionEnd
%scale = OpFunction %f None %ff
%given = OpFunctionParameter %f
%start = OpLabel
%times = OpFMul %f %given %third
OpReturnValue %times
OpFunctionEnd
"""


def module(text: str) -> Module:
    return reknit.load(text.encode(), format="spvasm")


def changed(*edits: tuple[str, str]) -> Module:
    text = COMPUTE
    for old, new in edits:
        assert old in text, old
        text = text.replace(old, new)
    return module(text)


def said(line: str) -> tuple[str, str]:
    """One annotation more."""
    return "OpDecorate %id BuiltIn", f"{line}\nOpDecorate %id BuiltIn"


def linked(text: str) -> tuple[str, str]:
    return "OpCapability Shader\n", f"OpCapability Shader\nOpCapability Linkage\n{text}"


EXPORT = said('OpDecorate %scale LinkageAttributes "scale" Export')
LOAD_PUSH = "%at = OpLoad %u %id", "%unread = OpLoad %Push %push\n%at = OpLoad %u %id"

APART = {
    # SPIR-V 1.6, OpEntryPoint: "Execution Model is the execution model for the entry point and its static call tree"
    "execution model": [
        ("GLCompute %main", "TaskEXT %main"),
        ("OpCapability Shader", "OpCapability MeshShadingEXT\nOpCapability Shader"),
    ],
    # OpMemoryModel: "Set addressing model and memory model for the entire module"
    "memory model": [("Logical GLSL450", "Logical Simple")],
}  # fmt: skip

OPEN = {
    # 2.14: "When applied to a variable, function parameter, or structure member, all loads and stores from the
    # decorated object may be treated as though they were decorated with RelaxedPrecision"
    "relaxed Private variable": [said("OpDecorate %own RelaxedPrecision")],
    "relaxed Function variable": [said("OpDecorate %local RelaxedPrecision")],
    "relaxed parameter": [said("OpDecorate %given RelaxedPrecision")],
    # "The <id> of an OpFunction, where it refers to the value returned by the function"
    "relaxed function": [said("OpDecorate %scale RelaxedPrecision")],
    "relaxed call": [said("OpDecorate %z RelaxedPrecision")],
    "relaxed load": [said("OpDecorate %x RelaxedPrecision")],
    "relaxed load of an own variable": [said("OpDecorate %w RelaxedPrecision")],
    # "The Result <id> of other instructions that operate on numerical types"
    "relaxed operation": [said("OpDecorate %times RelaxedPrecision")],
    # Vulkan, Static Use: "A specific entry point ... is said to statically use that object if that entry point's call
    # tree contains a function containing a instruction with x as an id operand"
    "push constants": [LOAD_PUSH],
    # Vulkan, Descriptor Set Interface: the descriptor "must support the declared type in the shader"
    "another buffer": [
        said("OpDecorate %more DescriptorSet 1\nOpDecorate %more Binding 0"),
        ("%id = OpVariable", "%more = OpVariable %pKept StorageBuffer\n%id = OpVariable"),
        ("%at = OpLoad %u %id", "%length = OpArrayLength %u %more 0\n%at = OpLoad %u %id"),
    ],
    # VkSpecializationMapEntry: "size ... must match the byte size of the constantID"
    "specialization constant": [
        said("OpDecorate %chosen SpecId 4"), ("%zero =", "%chosen = OpSpecConstant %u 1\n%zero ="),
    ],
    # 3.2.24: "Compiler can assume this function has no side effect"
    "Pure": [("OpFunction %f None %ff", "OpFunction %f Pure %ff")],
    # 3.2.31 Memory Operands, Aligned: "This access has a known alignment"
    "alignment of a local variable": [("OpLoad %f %local", "OpLoad %f %local Aligned 64")],
    "alignment of a buffer": [("OpLoad %f %to", "OpLoad %f %to Aligned 64")],
    # Aligned is a claim of loads that nothing orders, too
    "alignment of an input": [("OpLoad %u %id", "OpLoad %u %id Aligned 64")],
    # OpEntryPoint: "must be equal to or a superset of the global OpVariable Result <id> referenced by the entry point's
    # static call tree"
    "an input that the interface doesn't list": [('"main" %id', '"main"')],
    # 3.2.20, NonWritable: it is not written
    "NonWritable variable": [said("OpDecorate %local NonWritable")],
}  # fmt: skip

CONSUMED = {
    # OpName: "This has no semantic impact and can safely be removed from a module"
    "name": [('OpName %kept "kept"', 'OpName %kept "other"')],
    # OpCapability: "Declare a capability used by this module"
    "capability": [("OpCapability Shader", "OpCapability Shader\nOpCapability Matrix")],
    # 2.2.1: "Hint: ... They do not affect the semantics of the program"
    "DontInline": [("OpFunction %f None %ff", "OpFunction %f DontInline %ff")],
    # unused: no instruction has it as an operand
    "constant": [("OpConstant %u 3", "OpConstant %u 5")],
    "variable that nothing uses": [("%own = OpVariable", "%unused = OpVariable %pown Private\n%own = OpVariable")],
}  # fmt: skip


@pytest.mark.parametrize("edits", APART.values(), ids=list(APART))
def test_what_makes_it_another_program_is_not_compared(edits: list[tuple[str, str]]) -> None:
    for pair in ((changed(), changed(*edits)), (changed(*edits), changed())):
        with pytest.raises(InputError) as caught:
            prove(*pair, FEW)
        assert caught.value.diagnostics[0].code == "RK1301"


@pytest.mark.parametrize("edits", OPEN.values(), ids=list(OPEN))
def test_what_no_rule_consumes_is_not_proved(edits: list[tuple[str, str]]) -> None:
    verdict = verdict_of(changed(), changed(*edits))
    assert not verdict.startswith("proved")
    with pytest.raises(InputError):
        prove(changed(), changed(*edits), Question(certificate=True))


def test_a_scope_is_compared_as_what_it_is() -> None:
    """Memory Operands, MakePointerVisible: "A following operand is the memory scope": Device is no Workgroup, whatever
    the constant is called."""
    model = [
        ("OpCapability Shader", "OpCapability Shader\nOpCapability VulkanMemoryModel\nOpName %scope \"scope\""),
        ("Logical GLSL450", "Logical Vulkan"), ("%zero =", "%scope = OpConstant %u 2\n%zero ="),
        ("OpLoad %f %to", "OpLoad %f %to MakePointerVisible|NonPrivatePointer %scope"),
    ]  # fmt: skip
    before, same = changed(*model), changed(*model, ("%scope", "%reach"))
    after = changed(*model, ("%scope = OpConstant %u 2", "%scope = OpConstant %u 5"))
    assert not prove(before, after, FEW).verdict.startswith("proved")
    assert prove(before, same, FEW).verdict == "proved"


def verdict_of(before: Module, after: Module) -> str:
    try:
        return prove(before, after, FEW).verdict
    except InputError as error:
        assert error.diagnostics[0].code == "RK1301"
        return "apart"


@pytest.mark.parametrize("name", [name for name in OPEN if "relaxed" in name and name != "relaxed operation"])
def test_less_relaxed_is_proved(name: str) -> None:
    """Full precision is one of the results that relaxed precision allows."""
    assert prove(changed(*OPEN[name]), changed(), FEW).verdict == "proved"


@pytest.mark.parametrize("edits", CONSUMED.values(), ids=list(CONSUMED))
def test_what_a_rule_consumes_is_proved(edits: list[tuple[str, str]]) -> None:
    for pair in ((changed(), changed(*edits)), (changed(*edits), changed())):
        verdict = prove(*pair, FEW)
        assert verdict.verdict == "proved", verdict


def test_nonwritable_of_a_variable_that_nothing_writes() -> None:
    """NonWritable promises that no access through the variable writes: where none does, it says nothing more."""
    local = "%local = OpVariable %plocal Function"
    read = [
        (local, f"{local}\n%c = OpVariable %plocal Function %third"),
        ("OpStore %local %z", "%k = OpLoad %f %c\n%s = OpFAdd %f %z %k\nOpStore %local %s"),
    ]  # fmt: skip
    marked = changed(*read, said("OpDecorate %c NonWritable"))
    assert prove(changed(*read), marked, FEW).verdict == "proved"
    assert prove(marked, changed(*read), FEW).verdict == "proved"


TWO_LOADS = [
    ("%x = OpLoad %f %to\n", "%x = OpLoad %f %to\n%to2 = OpAccessChain %pf %kept %zero %{}\n%x2 = OpLoad %f %to2\n"),
    ("OpStore %to %w", "OpStore %to %w\nOpStore %to2 %x2"),
]


@pytest.mark.parametrize("at", ["zero", "at"])
def test_relaxed_precision_moves_to_another_load(at: str) -> None:
    """Of another place, or of the same: full precision was promised of one of two values, and now of the other."""
    loads = [(old, new.replace("{}", at)) for old, new in TWO_LOADS]
    first, second = said("OpDecorate %x RelaxedPrecision"), said("OpDecorate %x2 RelaxedPrecision")
    assert prove(changed(*loads, first), changed(*loads, second), FEW).verdict == "sampled"
    renamed = changed(*loads, first, ("OpName %kept", "OpName %zero"))
    assert prove(changed(*loads, first), renamed, FEW).verdict == "proved"


MEMBER = [
    ("%pown =", "%Pair = OpTypeStruct %f %f\n%pPair = OpTypePointer Private %Pair\n%pown ="),
    ("%own = OpVariable %pown Private", "%pair = OpVariable %pPair Private"),
    ("OpStore %own %x", "%own = OpAccessChain %pown %pair %zero\nOpStore %own %x"),
]  # fmt: skip


@pytest.mark.parametrize("member, verdict", [(0, "sampled"), (1, "proved")])
def test_relaxed_members(member: int, verdict: str) -> None:
    """2.14: "A structure-type member": only what is stored to and loaded from that member may be truncated."""
    relaxed = said(f"OpMemberDecorate %Pair {member} RelaxedPrecision")
    assert prove(changed(*MEMBER), changed(*MEMBER, relaxed), FEW).verdict == verdict
    assert prove(changed(*MEMBER, relaxed), changed(*MEMBER), FEW).verdict == "proved"


LOOP = """%begin = OpLabel
OpBranch %head
%head = OpLabel
%k = OpPhi %u %zero %begin %next %again
OpLoopMerge %after %again CONTROL
OpBranch %test
%test = OpLabel
%more = OpULessThan %bool %k %size
OpBranchConditional %more %again %after
%again = OpLabel
%next = OpIAdd %u %k %size
OpBranch %head
%after = OpLabel"""


@pytest.mark.parametrize(
    "control, verdict", [("MinIterations 9", "sampled"), ("DependencyInfinite", "sampled"), ("Unroll", "proved")]
)
def test_controls_of_loops(control: str, verdict: str) -> None:
    """MinIterations: "Unchecked assertion that the loop executes at least a given number of iterations";
    DependencyInfinite: "Guarantees that there are no dependencies"; Unroll: "Performance hint"."""
    loop = [("%begin = OpLabel", LOOP), ("%zero =", "%bool = OpTypeBool\n%zero =")]
    before, after = changed(*loop, ("CONTROL", "None")), changed(*loop, ("CONTROL", control))
    assert prove(before, after, FEW).verdict == verdict
    assert prove(after, before, FEW).verdict == "proved"


def test_an_exported_function_is_judged_too() -> None:
    """2.13: "a name ... is used to uniquely identify exported values": another module may call it."""
    both = [linked(""), EXPORT]
    unused = [("OpFunctionCall %f %scale %y", "OpFMul %f %y %third")]
    body = "%times = OpFMul %f %given %third"
    before, after = changed(*both, *unused), changed(*both, *unused, (body, "%times = OpFAdd %f %given %given"))
    assert any("'scale'" in line for line in Frame(before, after, "main").open)
    assert prove(before, after, FEW).verdict == "sampled"
    copied = changed(*both, *unused, (body, f"%copy = OpCopyObject %f %given\n{body.replace('%given', '%copy')}"))
    assert prove(before, copied, FEW).verdict == "proved"
    gone = Frame(before, changed(linked(""), *unused), "main")
    assert any("only before" in line for line in gone.apart)


FRAGMENT = """
OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint Fragment %main "main" %seen %color
OpExecutionMode %main OriginUpperLeft
OpDecorate %seen Location 0
OpDecorate %color Location 0
%void = OpTypeVoid
%proc = OpTypeFunction %void
%f = OpTypeFloat 32
%i = OpTypeInt 32 1
%pin = OpTypePointer Input %f
%pout = OpTypePointer Output %f
%one = OpConstant %f 1
%seen = OpVariable %pin Input
%color = OpVariable %pout Output
%main = OpFunction %void None %proc
%begin = OpLabel
%x = OpLoad %f %seen
OpStore %color %x
OpReturn
OpFunctionEnd
"""

STAGES = {
    # Vulkan: an output that is initialized and not written has that value
    "initializer of an output": [
        ("%seen %color\n", "%seen %color %more\n"),
        ("OpDecorate %seen", "OpDecorate %more Location 1\nOpDecorate %seen"),
        ("%main = OpFunction", "%more = OpVariable %pout Output %one\n%main = OpFunction"),
    ],
    # 3.2.20, Flat: "Indicates a non-interpolated variable"
    "interpolation": [("OpDecorate %color", "OpDecorate %seen Flat\nOpDecorate %color")],
    "Centroid": [("OpDecorate %color", "OpDecorate %seen Centroid\nOpDecorate %color")],
    # Vulkan, SampleId: "If a fragment shader entry point's interface includes an input variable decorated with
    # SampleId, Sample Shading is considered enabled with a minSampleShading value of 1.0"
    "sample shading": [
        ("OpCapability Shader", "OpCapability Shader\nOpCapability SampleRateShading"),
        ("%seen %color\n", "%seen %color %sample\n"),
        ("OpDecorate %color", "OpDecorate %sample BuiltIn SampleId\nOpDecorate %sample Flat\nOpDecorate %color"),
        ("%main = OpFunction", "%pi = OpTypePointer Input %i\n%sample = OpVariable %pi Input\n%main = OpFunction"),
    ],
    "location": [("OpDecorate %seen Location 0", "OpDecorate %seen Location 3")],
    "component": [("OpDecorate %seen Location 0", "OpDecorate %seen Location 0\nOpDecorate %seen Component 1")],
    # 3.2.20, Invariant: "expressions computing its value be computed invariantly"
    "Invariant": [("OpDecorate %color", "OpDecorate %color Invariant\nOpDecorate %color")],
    "input": [
        ("%seen %color\n", "%seen %color %front\n"),
        ("OpDecorate %color", "OpDecorate %front Location 5\nOpDecorate %color"),
        ("%main = OpFunction", "%front = OpVariable %pin Input\n%main = OpFunction"),
    ],
}  # fmt: skip


@pytest.mark.parametrize("name", STAGES)
def test_the_interface_of_a_stage(name: str) -> None:
    text = FRAGMENT
    for old, new in STAGES[name]:
        assert old in text
        text = text.replace(old, new)
    before, after = module(FRAGMENT), module(text)
    assert Frame(before, after, "main").open
    assert not verdict_of(before, after).startswith("proved")
    both_ways = name not in ("input",)  # an input that before has for nothing may be gone
    assert bool(Frame(after, before, "main").open) == both_ways
