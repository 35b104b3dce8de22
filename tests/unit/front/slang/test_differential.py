"""The shaders of tests/slang, compiled by slangc: the same buffers in the simulator.

    x.slang ── slangc, matrices by rows ──▶ SPIR-V ── simulator ──▶ what the shader's head expects

    // slangc: -conformance A:IFoo=0     arguments that it is given
    // no slangc: why                    it can't be asked, or leaves open what the subset promises

All with --full, one in ten without.
"""

import subprocess
from pathlib import Path

import pytest
from kit import oracles
from kit.programs.expected_shaders import ExpectedShader

import reknit

FOLDER = Path(__file__).resolve().parents[3] / "slang"
ARGUMENTS = ["-target", "spirv", "-profile", "spirv_1_6", "-matrix-layout-row-major"]
SECONDS = 60
SHADERS = [ExpectedShader(path) for path in sorted(FOLDER.glob("*.slang"))]
ASKED = [one for one in SHADERS if "\n// no slangc: " not in one.source]


def extra_arguments(source: str) -> list[str]:
    return [word for line in source.split("\n") if line.startswith("// slangc: ") for word in line[11:].split()]


def slangc(path: Path, arguments: list[str], folder: Path) -> bytes:
    product = folder / "a.spv"
    command = [*oracles.need("slangc"), str(path), *ARGUMENTS, *arguments, "-o", str(product)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS)
    assert done.returncode == 0, done.stderr + done.stdout
    return product.read_bytes()


@pytest.mark.full(when=lambda shader: ASKED.index(shader) % 10)
@pytest.mark.parametrize("shader", ASKED, ids=lambda shader: shader.name)
def test_slangc_makes_the_same_of_it(shader: ExpectedShader, tmp_path: Path) -> None:
    binary = slangc(FOLDER / f"{shader.name}.slang", extra_arguments(shader.source), tmp_path)
    module = reknit.load(binary)
    for size in (4, 8, 32):
        result = reknit.run(module, subgroup_size=size, groups=(shader.groups, 1, 1), buffers={**shader.buffers})
        assert not result.failed(), [str(one) for one in result.diagnostics]
        for name, words in shader.expectation(size).items():
            assert result.buffers[name].words == words, name


def test_few_are_not_asked() -> None:
    assert len(ASKED) >= 120
    assert len(SHADERS) - len(ASKED) <= len(SHADERS) // 11
