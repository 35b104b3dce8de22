"""A shader for each kind of thing that compute shaders do, from HLSL through DXC to what it stores.

    kinds/x.hlsl ──DXC──▶ x.dxil ──▶ flat ──structurize──▶ SPIR-V, valid with maximal reconvergence
                                                              └──▶ simulator at 4, 8, 32, 64; lavapipe at 4, 8, 16
    what is expected stands at the head of x.hlsl, with how it follows from the source

Source of the list of features: counted over 54 compute shaders (control flow, wave and quad operations) from DXC.
"""

import re
from pathlib import Path

import dxc
import pytest
from kit import oracles
from kit.oracles import drivers
from kit.programs.expected_shaders import KINDS, ExpectedShader, expected_shaders

import reknit
from reknit.ir import enums
from reknit.ir.module import Module
from reknit.spirv.write import write_module
from reknit.vulkan.run import run_on

pytestmark = pytest.mark.once

SHADERS = expected_shaders()
FOR_LAVAPIPE = [one for one in SHADERS if not (one.not_run or one.not_on_lavapipe)]
SIZES = (4, 8, 32, 64)
INSIDE = "structurize{assume=inside}, eliminate-phis, eliminate-multi-level-breaks, promote-variables"
NAMES = [shader.name for shader in SHADERS]


def structured(shader: ExpectedShader) -> Module:
    module = reknit.load(shader.compiled)
    reknit.compile(module, INSIDE if shader.open else "restructure", verify_each=True)
    return module


def test_what_is_open_is_reported() -> None:
    shaders = [shader for shader in SHADERS if shader.open]
    assert shaders
    for shader in shaders:
        notes = reknit.compile(reknit.load(shader.compiled), "restructure").notes()
        assert [note.code for note in notes] == [shader.open], shader.name


@pytest.mark.parametrize("shader", SHADERS, ids=NAMES)
def test_valid_spirv(shader: ExpectedShader) -> None:
    module = structured(shader)
    modes = [line.operands[1] for line in module.execution_modes]
    assert enums.ExecutionModeMaximallyReconvergesKHR in modes
    assert all(function.structured for function in module.functions)
    accepted, message = oracles.spirv_val(write_module(module), "vulkan1.3")
    assert accepted, message


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("shader", [one for one in SHADERS if not one.not_run], ids=lambda shader: shader.name)
def test_stores_what_the_source_means(shader: ExpectedShader, size: int) -> None:
    module = structured(shader)
    ran = reknit.run(module, subgroup_size=size, groups=(shader.groups, 1, 1), buffers=shader.buffers)
    assert [str(fault) for fault in ran.diagnostics] == []
    for name, words in shader.expectation(size).items():
        assert ran.buffers[name].words == words, name


@pytest.mark.full(when=lambda lanes: lanes == 16)
@pytest.mark.parametrize("lanes", drivers.LAVAPIPE_LANES)
@pytest.mark.parametrize("shader", FOR_LAVAPIPE, ids=lambda shader: shader.name)
def test_on_lavapipe(shader: ExpectedShader, lanes: int) -> None:
    target = drivers.target("lavapipe", lanes)
    ran = run_on(target, structured(shader), groups=(shader.groups, 1, 1), buffers=shader.buffers)
    assert ran.subgroup_size == lanes
    for name, words in shader.expectation(lanes).items():
        assert ran.buffers[name].words == words, name


def test_every_shader_says_what_it_stores() -> None:
    assert len(SHADERS) >= 54
    for shader in SHADERS:
        assert shader.expected or shader.not_run, shader.name
        for size in SIZES if shader.expected else ():
            assert shader.expectation(size), shader.name


OPERATIONS = {
    57: "createHandle", 59: "cbufferLoadLegacy", 66: "textureLoad", 67: "textureStore", 68: "bufferLoad",
    69: "bufferStore", 70: "bufferUpdateCounter", 72: "getDimensions", 78: "atomicBinOp", 79: "atomicCompareExchange",
    80: "barrier", 93: "threadId", 94: "groupId", 95: "threadIdInGroup", 96: "flattenedThreadIdInGroup",
    110: "waveIsFirstLane", 111: "waveGetLaneIndex", 112: "waveGetLaneCount", 113: "waveAnyTrue", 114: "waveAllTrue",
    115: "waveActiveAllEqual", 116: "waveActiveBallot", 117: "waveReadLaneAt", 118: "waveReadLaneFirst",
    119: "waveActiveOp", 120: "waveActiveBit", 121: "wavePrefixOp", 122: "quadReadLaneAt", 123: "quadOp",
    135: "waveAllOp", 136: "wavePrefixOp", 139: "rawBufferLoad", 140: "rawBufferStore", 165: "waveMatch",
    166: "waveMultiPrefixOp", 167: "waveMultiPrefixBitCount", 216: "annotateHandle", 217: "createHandleFromBinding",
    218: "createHandleFromHeap",
}  # fmt: skip
WORDS = (
    "ret", "br i1", "br label", "switch", "phi", "call", "extractvalue", "add", "mul", "udiv", "urem", "shl", "lshr",
    "ashr", "and", "or", "xor", "icmp eq", "icmp ne", "icmp ult", "icmp ugt", "icmp slt", "zext", "sext", "trunc",
    "bitcast", "fptoui", "fptosi", "uitofp", "sitofp", "fadd", "fmul", "fdiv", "fcmp", "select", "alloca", "load",
    "store", "getelementptr", "atomicrmw", "cmpxchg", "half", "double", "i16", "i64", "i8", "@dx.break.cond",
)  # fmt: skip


def test_every_feature_is_in_some_shader() -> None:
    """By the text that LLVM prints of what DXC made."""
    from reknit.front.llvm.bitcode import printed
    from reknit.front.llvm.container import program_of

    bodies = ""
    for shader in SHADERS:
        text = printed(program_of(shader.compiled.read_bytes(), shader.name), shader.name)
        bodies += "".join(re.findall(r"^define .*?^}", text, re.MULTILINE | re.DOTALL))
    for number, name in OPERATIONS.items():
        assert re.search(rf"@dx\.op\.{name}\b[^(]*\(i32 {number}\b", bodies), name
    lacking = [word for word in WORDS if not re.search(rf"(?<![\w.]){re.escape(word)}\b", bodies)]
    assert lacking == []


def test_the_stored_files_are_what_the_compiler_makes() -> None:
    """Compiled again, each shader reads as the same module."""
    library = Path(oracles.need("dxc")[0])
    for shader in SHADERS:
        made = dxc.compile_hlsl(library, shader.source, [*shader.arguments, "-E", "main"])
        assert reknit.text(reknit.load(made)) == reknit.text(reknit.load(KINDS / f"{shader.name}.dxil")), shader.name
