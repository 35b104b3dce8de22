"""Small Slang shaders, each with what it stores: as lowered, and as SPIR-V after the whole pipeline.

tests/slang/*.slang say at their head what goes in and comes out (in the form of `expected_shaders`), with why by hand.

    // not in: CallDynamic                the lowered module has no such instruction
    // spirv-val: --option                what it must allow
    // promised after reconverge: why     the lowered module leaves it open
"""

from pathlib import Path

import pytest
from kit import oracles
from kit.programs.expected_shaders import ExpectedShader

import reknit
from reknit.ir.module import Module
from reknit.ir.verify.run import verify
from reknit.passes.manager import run_passes
from reknit.spirv.write import write_module

FOLDER = Path(__file__).resolve().parents[3] / "slang"
SHADERS = [ExpectedShader(path) for path in sorted(FOLDER.glob("*.slang"))]
ASKED = "// spirv-val: "
PIPELINE = "specialize-dispatch,lower-dispatch,reconverge"


def path_of(shader: ExpectedShader) -> Path:
    return FOLDER / f"{shader.name}.slang"


def check(shader: ExpectedShader, module: Module, size: int) -> None:
    result = reknit.run(
        module, subgroup_size=size, groups=(shader.groups, 1, 1), buffers={**shader.buffers}
    )
    assert not result.failed(), [str(one) for one in result.diagnostics]
    for name, words in shader.expectation(size).items():
        assert result.buffers[name].words == words, name


@pytest.mark.parametrize("shader", SHADERS, ids=lambda shader: shader.name)
def test_what_a_shader_stores(shader: ExpectedShader) -> None:
    module = reknit.load(path_of(shader))
    assert [str(one) for one in verify(module)] == []
    if "\n// promised after reconverge: " in shader.source:
        run_passes(module, "reconverge")
    for size in (4, 8, 32):
        check(shader, module, size)


@pytest.mark.parametrize("shader", SHADERS, ids=lambda shader: shader.name)
def test_what_its_spirv_stores(shader: ExpectedShader) -> None:
    module = reknit.load(path_of(shader))
    reknit.compile(module, PIPELINE, verify_each=True)
    binary = write_module(module)
    for size in (4, 32):
        check(shader, reknit.load(binary), size)
    if oracles.find("spirv-val") is not None:
        options = [word for line in shader.source.split("\n") if line.startswith(ASKED) for word in line.split()[2:]]
        assert oracles.spirv_val(binary, "vulkan1.3", *options) == (True, "")


@pytest.mark.parametrize("shader", [one for one in SHADERS if "// not in: " in one.source], ids=lambda one: one.name)
def test_what_is_not_in_a_module(shader: ExpectedShader) -> None:
    _, _, rest = shader.source.partition("// not in: ")
    assert rest.split("\n")[0] not in reknit.text(reknit.load(path_of(shader)))


def test_there_are_shaders() -> None:
    assert len(SHADERS) >= 40
