"""Clocks that jump: a state is never wrong for it, at most forgotten, which takes time."""

from pathlib import Path

import pytest

import reknit

MODULE = """Capability Shader
MemoryModel Logical GLSL450
EntryPoint GLCompute @main "main"
ExecutionMode @main LocalSize {size} 1 1
func @main() -> void {{
  return
}}
"""
NOW = 1_800_000_000.0


@pytest.mark.parametrize("later", [0.0, 1.0, -1.0, NOW / 2, NOW + 400 * 86_400, NOW * 10, -NOW])
def test_a_clock_that_jumps_between_runs(later: float, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    for number in range(3):
        (folder / f"{number}.rk").write_text(MODULE.format(size=number + 1))
    state = str(tmp_path / "state.sqlite")
    for clock in (NOW, later, NOW):
        monkeypatch.setattr("reknit.batching.state.time.time", lambda clock=clock: clock)
        done = reknit.batch("compile", folder, out=tmp_path / "out", state=state, jobs=1)
        assert done.counts == {"changed": 3}
        assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["0.rk.spv", "1.rk.spv", "2.rk.spv"]


def test_a_clock_that_jumps_within_a_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Limits of time are kept by a clock that nobody sets."""
    ticks = iter([NOW, NOW + 1e6, 0.0, -NOW] * 1000)
    monkeypatch.setattr("time.time", lambda: next(ticks))
    path = tmp_path / "a.rk"
    path.write_text(MODULE.format(size=1))
    with reknit.Limits(seconds=60):
        assert reknit.run(reknit.load(str(path))).finished
