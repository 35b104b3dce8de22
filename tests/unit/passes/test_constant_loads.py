"""Which loads give a lane the same again: a row for each sentence of `values.constant_loads`.

Sources: SPIR-V 1.6, 3.7 "Storage Class", 3.26 "Memory Operands", 2.18.2 "Aliasing"; Vulkan, "Memory Model", "Ray
Tracing Repack Instruction"; SPV_EXT_demote_to_helper_invocation.
"""

import pytest

from reknit.analysis.manager import Analyses
from reknit.ir import op
from reknit.ir.module import Module
from reknit.ir.text.parser import parse
from reknit.ir.walk import instructions
from reknit.passes.contract import Context
from reknit.passes.values.constant_loads import Unwritten

SHADER = """Capability Shader
MemoryModel Logical GLSL450
EntryPoint {stage} @main "main" %in
Decorate %Block Block
Decorate %Old BufferBlock
{decorations}
%words = TypeRuntimeArray u32
%Block = TypeStruct %words
%Old = TypeStruct %words
%four = TypeArray %Block, 4u
%fourOld = TypeArray %Old, 4u
%in = Variable Input : ptr<Input, u32>
%buffer = Variable StorageBuffer : ptr<StorageBuffer, %Block>
%block = Variable Uniform : ptr<Uniform, %Block>
%blocks = Variable Uniform : ptr<Uniform, %four>
%old = Variable Uniform : ptr<Uniform, %Old>
%olds = Variable Uniform : ptr<Uniform, %fourOld>
%pushed = Variable PushConstant : ptr<PushConstant, %Block>
%fixed = Variable UniformConstant : ptr<UniformConstant, u32>
%own = Variable Private : ptr<Private, u32>
%shared = Variable Workgroup : ptr<Workgroup, u32>
func @main() -> void {{
  %local = Variable Function : ptr<Function, u32>
{body}
  return
}}
"""


def shader(body: str, decorations: str = "", stage: str = "GLCompute") -> Module:
    return parse(SHADER.format(body=body, decorations=decorations, stage=stage))


def inside(variable: str, storage: str, index: str = "0u, 0u", operands: str = "") -> str:
    return f"  %p = AccessChain %{variable}, {index} : ptr<{storage}, u32>\n  %v = Load %p{operands} : u32"


def barrier(scope: int) -> str:
    """One that orders accesses to buffers (AcquireRelease, UniformMemory) for a scope: 1 is Device, 2 Workgroup."""
    return f"\n  ControlBarrier 2u, {scope}u, 72u"


IN = "  %v = Load %in : u32"
STORED = "\n  %o = AccessChain %old, 0u, 0u : ptr<Uniform, u32>\n  Store %o, 1u"
ADDED = "\n  %k = AtomicIAdd %p, 1u, 0u, 1u : u32"
HELPER = "Decorate %in BuiltIn HelperInvocation"
ROWS: dict[str, tuple[Module, bool]] = {
    "push constants": (shader(inside("pushed", "PushConstant")), True),
    "push constants that are Aliased": (shader(inside("pushed", "PushConstant"), "Decorate %pushed Aliased"), False),
    "a uniform block": (shader(inside("block", "Uniform")), True),
    "one of several": (shader(inside("blocks", "Uniform", "0u, 0u, 0u")), True),
    "a block that is written": (shader(inside("old", "Uniform") + "\n  Store %p, 1u"), False),
    "one of several of those": (shader(inside("olds", "Uniform", "0u, 0u, 0u") + "\n  Store %p, 1u"), False),
    "a uniform constant": (shader("  %v = Load %fixed : u32"), True),
    "a buffer that nothing writes": (shader(inside("buffer", "StorageBuffer")), True),
    "one that is Coherent": (shader(inside("buffer", "StorageBuffer"), "Decorate %buffer Coherent"), False),
    "one that is Aliased": (shader(inside("buffer", "StorageBuffer"), "Decorate %buffer Aliased"), False),
    "a buffer that is stored to": (shader(inside("buffer", "StorageBuffer") + "\n  Store %p, 1u"), False),
    "one beside a buffer that is stored to": (shader(inside("buffer", "StorageBuffer") + STORED), True),
    "one that an atomic adds to": (shader(inside("buffer", "StorageBuffer") + ADDED), False),
    "a buffer, and a barrier of the workgroup": (shader(inside("buffer", "StorageBuffer") + barrier(2)), True),
    "a buffer, and a barrier of the device": (shader(inside("buffer", "StorageBuffer") + barrier(1)), False),
    "a buffer of a stage that calls others": (
        shader(inside("buffer", "StorageBuffer"), stage="RayGenerationKHR"),
        False,
    ),
    "the workgroup's memory": (shader("  %v = Load %shared : u32"), False),
    "a variable of the module": (shader("  %v = Load %own : u32"), False),
    "a variable of the function": (shader("  %v = Load %local : u32"), False),
    "an input": (shader(IN), True),
    "an input of a fragment": (shader(IN, stage="Fragment"), True),
    "an input of a stage that is gone on with": (shader(IN, stage="RayGenerationKHR"), False),
    "the place in the launch": (shader(IN, "Decorate %in BuiltIn LaunchIdKHR", "RayGenerationKHR"), True),
    "the size of the launch": (shader(IN, "Decorate %in BuiltIn LaunchSizeKHR", "MissKHR"), True),
    "the longest distance": (shader(IN, "Decorate %in BuiltIn RayTmaxKHR", "IntersectionKHR"), False),
    "whether this is a helper": (shader(IN, HELPER, "Fragment"), False),
    "an aligned load": (shader(inside("block", "Uniform", operands=" Aligned 4")), True),
    "a volatile one": (shader(inside("block", "Uniform", operands=" Volatile")), False),
    "one that others may see": (shader(inside("block", "Uniform", operands=" Nontemporal")), False),
    "of a Volatile variable": (shader(inside("block", "Uniform"), "Decorate %block Volatile"), False),
    "through a pointer that was chosen": (
        shader(
            "  %q = AccessChain %block, 0u, 0u : ptr<Uniform, u32>\n  %p = Select true, %q, %q : ptr<Uniform, u32>\n"
            "  %v = Load %p : u32"
        ),
        False,
    ),
    "what is no load": (shader("  %v = IAdd 1u, 2u : u32"), False),
}  # fmt: skip


@pytest.mark.parametrize("row", ROWS)
def test_loads(row: str) -> None:
    module, expected = ROWS[row]
    known = Unwritten(Context(module, Analyses(module), {}))
    (value,) = [instr for instr in instructions(module.functions[0]) if instr.name == "v"]
    assert value.op in (op.Load, op.IAdd)
    assert known.stays_same(value) is expected
