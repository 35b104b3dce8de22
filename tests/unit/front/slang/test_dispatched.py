"""The shaders of tests/dispatch as the front end leaves them: the simulator follows existentials and witness tables
itself, and no pass of dispatch has run. `unit/passes/dispatch/test_shaders.py` has the passes.

Every second one without --full.
"""

from pathlib import Path

import pytest
from kit.programs.expected_shaders import ExpectedShader

import reknit

FOLDER = Path(__file__).resolve().parents[3] / "dispatch"
SHADERS = [ExpectedShader(path) for path in sorted(FOLDER.glob("*.slang"))]


@pytest.mark.full(when=lambda shader: SHADERS.index(shader) % 2)
@pytest.mark.parametrize("shader", SHADERS, ids=lambda shader: shader.name)
def test_what_it_stores(shader: ExpectedShader) -> None:
    module = reknit.load(FOLDER / f"{shader.name}.slang")
    result = reknit.run(module, subgroup_size=8, groups=(shader.groups, 1, 1), buffers={**shader.buffers})
    assert not result.failed(), [str(one) for one in result.diagnostics]
    for name, words in shader.expectation(8).items():
        assert result.buffers[name].words == words, name
