"""Inputs of several kinds, and passes that do to a worker what an input may."""

from pathlib import Path

import pytest

SHADER = """Capability Shader
MemoryModel Logical GLSL450
EntryPoint GLCompute @main "main"
ExecutionMode @main LocalSize {size} 1 1
func @main() -> void {{
  return
}}
"""

PASSES = """\
import os, signal
import reknit

def act(function, context):
    size = [instr for instr in context.module.execution_modes][0].word(2)
    if size == 101:
        os.kill(os.getpid(), signal.SIGSEGV)
    if size == 102:
        held = [bytes(1 << 20) for _ in range(1 << 20)]
    if size == 103:
        while True:
            pass
    if size == 104 and not os.path.exists({marker!r}):
        open({marker!r}, "w").close()
        os._exit(9)
    if size == 105:
        raise ZeroDivisionError
    return False

ACT = reknit.Pass("act-{place}", "do what the size of the workgroup says", act)
"""


@pytest.fixture
def shaders(tmp_path: Path) -> Path:
    """A folder of twelve sound modules, one that is none, one that breaks a rule, and two with the same words."""
    folder = tmp_path / "shaders"
    (folder / "sub").mkdir(parents=True)
    for size in range(1, 13):
        (folder / f"{size:02}.rk").write_text(SHADER.format(size=size))
    (folder / "sub" / "again.rk").write_text(SHADER.format(size=1))
    (folder / "sub" / "broken.rk").write_text("nothing of this\n")
    (folder / "sub" / "unknown.rk").write_text(SHADER.format(size=1).replace("return", "return %nowhere"))
    (folder / "notes.txt").write_text("no shader")
    return folder
