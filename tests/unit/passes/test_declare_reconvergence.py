"""declare-reconvergence: who gets the mode, what its call tree gets with it, and who can't have it.

Expected: SPV_KHR_maximal_reconvergence rev 2, 2.11: in every function of the call tree, only loop headers, merge
blocks, continue targets and targets of an OpSwitch may have two or more unique predecessors. spirv-val judges, too.
"""


import pytest
from kit import oracles
from kit.oracles.graph_runs import by_rules
from kit.proving import assert_refines
from kit.text.pass_texts import body, main_text

from reknit.ir import enums
from reknit.ir.module import Module
from reknit.ir.text.parser import parse
from reknit.ir.text.printer import print_module
from reknit.passes.manager import Hooks, Report, run_passes
from reknit.spirv.asm import assemble
from reknit.spirv.read import read_module
from reknit.spirv.write import write_module

ODD = "%bit = BitwiseAnd %lane, 1u : u32\n%odd = INotEqual %bit, 0u : bool\n"
TWICE = "if %odd nojoin {\nbreak @j\n}\nSEE 1\nif %odd nojoin {\nbreak @j\n}\n"
MODE = enums.ExecutionModeMaximallyReconvergesKHR


def declared(module: Module, pipeline: str = "declare-reconvergence") -> Report:
    """Run the pass; what is written is valid wherever the module was."""
    report = run_passes(module, pipeline, Hooks(verify_each=True))
    binary = write_module(parse(print_module(module)))  # what is written gets ids
    assert oracles.validate(binary) == (True, "") and by_rules(binary) == (True, "")
    return report


def having(module: Module) -> list[str]:
    return [mode.operands[0].name for mode in module.execution_modes if mode.word(1) == MODE]  # type: ignore[union-attr]


CALLED = """
               OpCapability Shader
               OpMemoryModel Logical GLSL450
               OpEntryPoint GLCompute %one "one"
               OpEntryPoint GLCompute %two "two"
               OpExecutionMode %one LocalSize 4 1 1
               OpExecutionMode %two LocalSize 4 1 1
       %void = OpTypeVoid
       %bool = OpTypeBool
         %fn = OpTypeFunction %void
          %c = OpUndef %bool
        %one = OpFunction %void None %fn
         %o1 = OpLabel
         %o2 = OpFunctionCall %void %deep
               OpReturn
               OpFunctionEnd
        %two = OpFunction %void None %fn
         %t1 = OpLabel
         %t2 = OpFunctionCall %void %deep
               OpReturn
               OpFunctionEnd
       %deep = OpFunction %void None %fn
         %d1 = OpLabel
               OpSelectionMerge %d5 None
               OpBranchConditional %c %d2 %d3
         %d2 = OpLabel
               OpBranch %d4
         %d3 = OpLabel
               OpBranch %d4
         %d4 = OpLabel
               OpBranch %d5
         %d5 = OpLabel
               OpBranchConditional %c %d6 %d6
         %d6 = OpLabel
               OpReturn
         %d7 = OpLabel
               OpBranch %d6
               OpFunctionEnd
"""


@pytest.mark.parametrize("version", ["1.0", "1.3", "1.5"])
def test_the_whole_call_tree_obeys(version: str) -> None:
    """`deep` is shared by an entry point with the mode and one without: edges meet in a selection (d4), two labels of a
    branch are one (d6), which gives two edges that meet, and an unreachable block (d7) leads to a reached one."""
    oracles.need("slang-glslang")
    module = read_module(assemble(f"; Version: {version}\n{CALLED}"))
    report = declared(module, "declare-reconvergence{entry=one}")
    assert [mode.operands[0] for mode in module.execution_modes if mode.word(1) == MODE] == [module.functions[0]]
    assert [note.message for note in report.notes()] == [
        "entry point 'one' declares maximal reconvergence; 2 constructs in its call tree got a merge"
    ]
    assert len(declared(module).notes()) == 1  # `two` gets it now, and nothing is left to do in `deep`
    assert [extension.text(0) for extension in module.extensions] == ["SPV_KHR_maximal_reconvergence"]


@pytest.mark.once
@pytest.mark.parametrize("environment", ["vulkan1.1", "vulkan1.2", "vulkan1.3", "spv1.3", "spv1.6"])
def test_valid_where_it_was_valid(environment: str) -> None:
    binary = oracles.assemble(CALLED.replace("OpBranchConditional %c %d6 %d6", "OpBranch %d6"), environment)
    assert oracles.spirv_val(binary, environment)[0]
    module = read_module(binary)
    run_passes(module, "declare-reconvergence")
    assert oracles.spirv_val(write_module(module), environment) == (True, "")


FLAT = """Capability {capability}
MemoryModel Logical {model}
EntryPoint {kind} @main "main"
declare void, fn() -> void, bool, undef<bool>
func @main() -> void flat {{
a:
  BranchConditional undef<bool> b c
b:
  Branch d
c:
  Branch d
d:
  return
}}
"""


def test_a_kernel_stays() -> None:
    module = parse(FLAT.format(capability="Kernel", model="OpenCL", kind="Kernel"))
    before = print_module(module)
    report = run_passes(module, "declare-reconvergence")
    assert [(note.code, note.message) for note in report.notes()] == [
        ("RK2107", "entry point 'main' can't declare maximal reconvergence: the mode needs the capability Shader")
    ]
    assert print_module(module) == before


def test_an_unstructured_function_stays_until_it_has_a_tree() -> None:
    text = FLAT.format(capability="Shader", model="GLSL450", kind="GLCompute")
    text = text.replace("declare", "ExecutionMode @main LocalSize 4 1 1\ndeclare", 1)
    module = parse(text)
    report = run_passes(module, "declare-reconvergence")
    reason = "@main is unstructured, and edges meet at %d without a merge instruction"
    assert [note.message.partition(": ")[2] for note in report.notes()] == [reason]
    assert having(module) == []
    declared(module, "structurize, declare-reconvergence")
    assert having(module) == ["main"]


def test_what_repacks_invocations_stays() -> None:
    text = """
               OpCapability RayTracingKHR
               OpExtension "SPV_KHR_ray_tracing"
               OpMemoryModel Logical GLSL450
               OpEntryPoint RayGenerationKHR %main "main" %data
       %void = OpTypeVoid
       %uint = OpTypeInt 32 0
       %zero = OpConstant %uint 0
        %ptr = OpTypePointer CallableDataKHR %uint
       %data = OpVariable %ptr CallableDataKHR
         %fn = OpTypeFunction %void
       %main = OpFunction %void None %fn
          %a = OpLabel
               OpExecuteCallableKHR %zero %data
               OpReturn
               OpFunctionEnd
    """
    module = read_module(assemble(f"; Version: 1.4\n{text}"))
    report = run_passes(module, "declare-reconvergence")
    assert [note.code for note in report.notes()] == ["RK2107"] and "repacks invocations" in report.notes()[0].message
    assert having(module) == [] and [line.text(0) for line in module.extensions] == ["SPV_KHR_ray_tracing"]


SWITCH = "switch %lane {\ncase 0: {\nSEE 1\nfallthrough\n}\ncase 1: {\nSEE 2\n}\ndefault: {\n}\n}\nreturn"


@pytest.mark.parametrize(("option", "names"), [("", ["main"]), ("{declare=false}", [])])
def test_lower_switches_declares_unless_it_is_not_to(option: str, names: list[str]) -> None:
    module = body(SWITCH)
    run_passes(module, f"eliminate-phis, eliminate-continues, lower-switches{option}, eliminate-multi-level-breaks")
    assert having(module) == names


def test_a_scope_that_got_a_merge_is_left_by_flags() -> None:
    """A scope is a switch of one case then, out of which an outer switch can't be left."""
    inner = f"scope @j nojoin {{\n{TWICE}if %two nojoin {{\nbreak @s\n}}\nSEE 2\n}}\nb9:\nSEE 3\n"
    switch = f"switch %lane as @s {{\ncase 1: {{\n{inner}}}\ndefault: {{\n}}\n}}\nSEE 5\nreturn"
    module = body(f"{ODD}%two = ULessThan %lane, 2u : bool\n{switch}")
    before = module.copy()
    declared(module, "declare-reconvergence, eliminate-phis, eliminate-multi-level-breaks")
    assert "level" in main_text(module)
    assert_refines(before, module, open="OpStore may be executed by other sets of invocations")
