"""Shaders with dynamic dispatch: what each stores, at every stage from Slang's existentials to SPIR-V on a driver.

    x.slang -> existentials -> tagged unions -> switch or waterfall -> reconverge, SPIR-V -> lavapipe
                    all in the simulator, at 4, 8, 32 and 64 lanes, with the buffers that its head says

tests/dispatch/*.slang say at their head what comes out, with why by hand (in the form of `expected_shaders`). And

    // slangc: -conformance A:IFoo=0     arguments that slangc is given
    // no slangc: why                    it can't be asked
    // slangc differs: why               what it makes stores something else, for this reason
    // no lavapipe: why                  the driver can't run it

One in six without --full at all stages (the last stage: all), on lavapipe and by slangc.
"""

import subprocess
from pathlib import Path

import pytest
from kit import oracles
from kit.oracles import drivers
from kit.programs.expected_shaders import ExpectedShader

import reknit
from reknit.ir.module import Module
from reknit.ir.verify.run import verify
from reknit.passes.manager import Hooks, run_passes
from reknit.passes.pipelines import RECONVERGE
from reknit.spirv.read import read_module
from reknit.spirv.write import write_module
from reknit.vulkan.run import run_on

FOLDER = Path(__file__).resolve().parents[3] / "dispatch"
SHADERS = [ExpectedShader(path) for path in sorted(FOLDER.glob("*.slang"))]
SIZES = (4, 8, 32, 64)
STAGES = [
    "",
    "specialize-dispatch",
    "specialize-dispatch, lower-dispatch",
    "specialize-dispatch, lower-dispatch{mode=waterfall}",
    "promote-variables, specialize-dispatch, promote-variables, thread-dispatch, lower-dispatch{inline=always}",
]
WATERFALL = ", ".join(RECONVERGE).replace("lower-dispatch", "lower-dispatch{mode=waterfall}")
SLANGC = ["-target", "spirv", "-profile", "spirv_1_6", "-matrix-layout-row-major"]
WAVES = [shader for shader in SHADERS if shader.name.startswith("wave-")]
SECONDS = 60
SAMPLE = 6
sampled = pytest.mark.full(when=lambda shader: SHADERS.index(shader) % SAMPLE)
pytestmark = pytest.mark.once


def told(shader: ExpectedShader, key: str) -> str:
    """What the head says of `key`, or nothing."""
    found = [line for line in shader.source.split("\n") if line.startswith(f"// {key}: ")]
    return found[0].partition(": ")[2] if found else ""


def each(shaders: list[ExpectedShader], unless: str = "") -> pytest.MarkDecorator:
    """A test for each shader whose head doesn't say that it can't be, by the key `unless`."""
    left = [shader for shader in shaders if not (unless and told(shader, unless))]
    return pytest.mark.parametrize("shader", left, ids=lambda shader: shader.name)


def at_stage(shader: ExpectedShader, stage: str) -> Module:
    module = reknit.load(FOLDER / f"{shader.name}.slang")
    if stage:
        run_passes(module, stage, Hooks(verify_each=True))
    assert [str(one) for one in verify(module)] == []
    return module


def check(shader: ExpectedShader, module: Module, size: int) -> None:
    result = reknit.run(module, subgroup_size=size, groups=(shader.groups, 1, 1), buffers={**shader.buffers})
    assert not result.failed(), [str(one) for one in result.diagnostics]
    for name, words in shader.expectation(size).items():
        assert result.buffers[name].words == words, name


@sampled
@pytest.mark.parametrize("stage", STAGES)
@each(SHADERS)
def test_each_stage_stores_the_same(shader: ExpectedShader, stage: str) -> None:
    module = at_stage(shader, stage)
    for size in SIZES:
        check(shader, module, size)


@each(SHADERS)
def test_the_spirv_stores_the_same(shader: ExpectedShader, full: bool) -> None:
    binary = write_module(at_stage(shader, "reconverge"))
    module = read_module(binary)
    for size in SIZES if full else SIZES[1:2]:
        check(shader, module, size)
    if oracles.find("slang-glslang") is not None:
        assert oracles.validate(binary) == (True, "")


@sampled
@pytest.mark.parametrize("lanes", drivers.LAVAPIPE_LANES)
@each(SHADERS, unless="no lavapipe")
def test_lavapipe_stores_the_same(shader: ExpectedShader, lanes: int) -> None:
    check_on_lavapipe(shader, lanes, "reconverge")


@sampled
@pytest.mark.parametrize("lanes", drivers.LAVAPIPE_LANES)
@each(WAVES, unless="no lavapipe")
def test_lavapipe_runs_the_same_lanes_in_a_waterfall(shader: ExpectedShader, lanes: int) -> None:
    """These shaders store what wave operations give in methods, so what they store shows which lanes ran together."""
    check_on_lavapipe(shader, lanes, WATERFALL)


def check_on_lavapipe(shader: ExpectedShader, lanes: int, passes: str) -> None:
    target = drivers.target("lavapipe", lanes)
    ran = run_on(target, at_stage(shader, passes), groups=(shader.groups, 1, 1), buffers={**shader.buffers})
    assert ran.subgroup_size == lanes
    for name, words in shader.expectation(lanes).items():
        assert ran.buffers[name].words == words, name


@sampled
@each(SHADERS, unless="no slangc")
def test_slangc_makes_the_same_of_it(shader: ExpectedShader, tmp_path: Path) -> None:
    module = read_module(slangc(shader, tmp_path / "a.spv"))
    same = True
    for size in SIZES[:3]:
        result = reknit.run(module, subgroup_size=size, groups=(shader.groups, 1, 1), buffers={**shader.buffers})
        assert not result.failed(), [str(one) for one in result.diagnostics]
        same &= all(result.buffers[name].words == words for name, words in shader.expectation(size).items())
    assert same == (not told(shader, "slangc differs"))


def slangc(shader: ExpectedShader, product: Path) -> bytes:
    arguments = [*SLANGC, *told(shader, "slangc").split(), "-o", str(product)]
    command = [*oracles.need("slangc"), str(FOLDER / f"{shader.name}.slang"), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS)
    assert done.returncode == 0, done.stderr + done.stdout
    return product.read_bytes()


def test_there_are_shaders() -> None:
    assert len(SHADERS) >= 180
    assert len([one for one in SHADERS if told(one, "no slangc") or told(one, "slangc differs")]) <= len(SHADERS) // 10
