"""What each command imports: nothing of what the input at hand doesn't need, since importing is most of a short run.

The folders of `reknit` are counted by their names, so that what a command newly needs is seen here.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from reknit.spirv.asm import assemble

ROOT = Path(__file__).resolve().parents[3]
SCRIPT = """
import sys
from reknit.cli.main import main
main(sys.argv[1:])
print(*sys.modules, file=sys.stderr)
"""
SOUND = (ROOT / "examples" / "fallthrough.spvasm").read_text()
QUIET = """OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main"
OpExecutionMode %main LocalSize 1 1 1
%void = OpTypeVoid
%fn = OpTypeFunction %void
%main = OpFunction %void None %fn
%entry = OpLabel
OpReturn
OpFunctionEnd
"""
HEAVY = {"shutil", "dataclasses", "importlib.util", "inspect", "tempfile", "subprocess", "numpy", "tomllib", "logging"}

# By command: the folders of which modules are imported, and what of them is not.
COMMANDS = {
    "--version": ({"cli", "source", "ir"}, {"reknit.ir.module", "argparse", "json"}),
    "check": ({"cli", "source", "files", "front", "checks", "spirv", "ir"}, {"reknit.ir.module", "reknit.spirv.read"}),
    "lint": (
        {"cli", "source", "files", "front", "checks", "spirv", "ir", "analysis"},
        {"reknit.ir.module", "reknit.spirv.read", "reknit.analysis.manager"},
    ),
    "show": ({"cli", "source", "files", "front", "spirv", "ir", "view", "analysis"}, {"reknit.passes.manager"}),
}


def imported(arguments: list[str], folder: Path) -> set[str]:
    environment = {**os.environ, "PATH": "/nonexistent"}
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, *arguments], capture_output=True, text=True, cwd=folder, env=environment
    )
    assert done.returncode == 0, done.stderr
    return set(done.stderr.split())


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_imports_what_it_needs(command: str, tmp_path: Path) -> None:
    (tmp_path / "a.spv").write_bytes(assemble(QUIET if command == "lint" else SOUND))
    modules = imported([command] if command.startswith("-") else [command, "a.spv"], tmp_path)
    folders, absent = COMMANDS[command]
    names = [name.split(".") for name in modules if name.startswith("reknit.")]
    assert {parts[1] for parts in names} <= folders
    assert not modules & absent
    if command != "show":
        assert not modules & HEAVY
