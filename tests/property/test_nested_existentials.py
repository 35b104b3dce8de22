"""Interface values in interface values: as lowered from Slang, and as the SPIR-V that comes out of dispatch.

No other compiler can be asked: slangc needs the sizes of all payloads in advance. The expected results are those of an
interpreter that knows objects and nothing of how they are stored (`nested_existentials`).
"""

from pathlib import Path

import pytest
from kit import oracles
from kit.random.nested_existentials import Program

import reknit
from reknit.spirv.write import write_module

PROGRAMS = 300
SAMPLE = 12


@pytest.mark.full(when=lambda seed: seed >= SAMPLE)
@pytest.mark.parametrize("seed", range(PROGRAMS))
def test_nested_objects_keep_their_values(seed: int, tmp_path: Path) -> None:
    program = Program(seed)
    path = tmp_path / "nested.slang"
    path.write_text(program.text())
    expected = [result & 0xFFFFFFFF for result in program.results]
    module = reknit.load(path)
    assert list(reknit.run(module, subgroup_size=4).buffers["o"].words) == expected
    reknit.compile(module, "specialize-dispatch,lower-dispatch,reconverge", verify_each=True)
    binary = write_module(module)
    for size in (4, 8, 32, 64):
        assert list(reknit.run(reknit.load(binary), subgroup_size=size).buffers["o"].words) == expected
    if oracles.find("slang-glslang") is not None:
        assert oracles.validate(binary) == (True, "")
