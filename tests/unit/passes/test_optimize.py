"""The pipeline `optimize`, `-O`: it may follow any input, what it leaves can be written, and debug information changes
nothing that runs."""

import subprocess
from pathlib import Path

from kit import oracles

import reknit
from reknit.ir import enums, op
from reknit.ir.debug import DEBUG_DECLARE, DEBUG_VALUE, is_debug
from reknit.ir.walk import instructions
from reknit.passes.catalog import catalog
from reknit.passes.contract import NO_CONTINUES, SINGLE_LEVEL, STRUCTURED, SWITCHES_DEFINED
from reknit.passes.order_check import order_faults
from reknit.passes.pipeline_text import parse_pipeline


def test_it_may_follow_what_has_no_tree() -> None:
    assert order_faults(parse_pipeline("optimize", catalog()), catalog(), holds=()) == []


def test_what_it_leaves_can_be_written() -> None:
    """Each fact that the writer and the rules of tangles need is given after the last pass that may undo it."""
    holds: dict[str, None] = {}
    for spec in parse_pipeline("optimize", catalog()):
        for fact in spec.transform.loses:
            holds.pop(fact, None)
        holds.update(dict.fromkeys(spec.transform.gives))
    assert {STRUCTURED, NO_CONTINUES, SWITCHES_DEFINED, SINGLE_LEVEL} <= set(holds)


GLSL = """#version 450
layout(local_size_x = 32) in;
layout(set = 0, binding = 0) buffer B { uint o[]; };
layout(set = 0, binding = 2) uniform Vain { uint vain; };
struct Pair { uint first; vec2 rest; };
layout(set = 0, binding = 1) uniform T { uint table[8]; Pair pairs[4]; };
uint total;
void add(uint n) { total += n; }
uint twice(uint n) { uint m = n; if (n > 3) m += 1; return m * 2; }
void main()
{
    uint at = gl_GlobalInvocationID.x;
    uint unused = vain;
    Pair pair;
    pair.first = twice(at);
    pair.rest = vec2(at, 1);
    for (uint i = 0; i < 4; i++)
        add(uint(pair.rest.y) + i);
    uint copied[8] = table;
    Pair one = pairs[at & 3];
    o[at] = pair.first + total + copied[at & 7] + one.first;
}
"""


BUFFERS = (enums.StorageClassUniform, enums.StorageClassStorageBuffer)


def test_a_vector_of_three_thousand_million_components() -> None:
    """`check` says what is wrong with it; a list of its components would take all memory."""
    text = """OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main"
OpExecutionMode %main LocalSize 1 1 1
%void = OpTypeVoid
%f32 = OpTypeFloat 32
%vector = OpTypeVector %f32 3000000000
%pointer = OpTypePointer Function %vector
%null = OpConstantNull %vector
%type = OpTypeFunction %void
%main = OpFunction %void None %type
%entry = OpLabel
%variable = OpVariable %pointer Function
%sum = OpFAdd %vector %null %null
%mixed = OpVectorShuffle %vector %sum %null 0 1 2
OpStore %variable %mixed
OpReturn
OpFunctionEnd
"""
    with reknit.Limits(memory=256 << 20):
        reknit.compile(reknit.load(text.encode(), format="spvasm"), passes="optimize")


def test_debug_information_changes_nothing_that_runs(tmp_path: Path) -> None:
    """With -gVS each variable of the source is declared; it keeps no variable, and its value is said instead: also
    of the global one, which is local then. A copied array is read where it came from; a block
    that is read in vain goes."""
    source = tmp_path / "a.comp"
    source.write_text(GLSL)
    texts, kept = [], []
    for number, options in enumerate(([], ["-gVS"])):
        out = tmp_path / f"{number}.spv"
        command = [*oracles.need("glslangValidator"), "-V", "--target-env", "vulkan1.3", *options, str(source)]
        subprocess.run([*command, "-o", str(out)], check=True, capture_output=True)
        module = reknit.load(out)
        reknit.compile(module, "optimize")
        assert oracles.accepts(reknit.to_bytes(module))
        (main,) = module.functions
        texts.append([instr.op for instr in instructions(main) if not is_debug(instr)])
        values = [instr.operands[1] for instr in instructions(main) if is_debug(instr)]
        assert (DEBUG_VALUE in values) == bool(options)
        assert DEBUG_DECLARE not in values
        assert not any(instr.op == op.Variable for instr in instructions(main))
        said = [instr for instr in instructions(main) if is_debug(instr) and instr.operands[1] == DEBUG_VALUE]
        names = {instr.instr(2).instr(2).operands[0] for instr in said}
        assert not options or {"total", "pair", "i"} <= names
        kept.append([instr.word(0) for instr in module.globals if instr.op == op.Variable])
    assert texts[0] == texts[1]
    assert sorted(kept[0]) == sorted(kept[1]) == sorted([enums.StorageClassInput, *BUFFERS])
