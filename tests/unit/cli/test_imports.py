"""What each command imports: its own module and what its input needs, since importing is most of a short run."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from reknit.cli.commands import COMMANDS
from reknit.spirv.asm import assemble

ROOT = Path(__file__).resolve().parents[3]
SCRIPT = """
import sys
from reknit.cli.main import main
main(sys.argv[1:])
print(*sorted(sys.modules), file=sys.stderr)
"""
SHADER = """RWStructuredBuffer<int> result;
[shader("compute")] [numthreads(4, 1, 1)] void main(uint t : SV_GroupIndex) { result[t] = int(t); }
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

HEAVY = {"numpy", "llvmlite", "z3", "pygls", "distributed", "asyncio", "sqlite3", "multiprocessing", "shtab"}
"""Takes longer to import than these commands take."""

# By line: the folders of which modules are imported, and what of reknit is not imported.
LINES: dict[str, tuple[set[str], set[str]]] = {
    "--version": ({"cli", "source"}, set()),
    "-h": ({"cli", "source"}, set()),
    "run -h": ({"cli", "source", "files", "front", "sim", "analysis"}, {"reknit.sim.machine", "reknit.ir.module"}),
    "check a.spv": (
        {"cli", "source", "files", "front", "checks", "spirv", "ir"},
        {"reknit.ir.instr", "reknit.spirv.read"},
    ),
    "lint quiet.spv": (
        {"cli", "source", "files", "front", "checks", "spirv", "ir", "analysis"},
        {"reknit.ir.module", "reknit.spirv.read", "reknit.analysis.manager"},
    ),
    "show a.spv": (
        {"cli", "source", "files", "front", "spirv", "ir", "view", "analysis"},
        {"reknit.passes.manager"},
    ),
    "explain RK0102": ({"cli", "source", "files", "view"}, {"reknit.ir"}),
    "compile a.slang -o b.spv": (
        {"cli", "source", "files", "front", "spirv", "ir", "analysis", "passes", "proof"},
        {"reknit.checks", "reknit.proof.stepwise", "reknit.view", "reknit.sim"},
    ),
}


def imported(arguments: list[str], folder: Path) -> set[str]:
    """The modules that a process has at the end of a command."""
    environment = {**os.environ, "PATH": "/nonexistent"}
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, *arguments], capture_output=True, text=True, cwd=folder, env=environment
    )
    assert done.returncode == 0, done.stderr
    return set(done.stderr.splitlines()[-1].split())


@pytest.mark.parametrize("line", LINES)
def test_a_command_imports_what_it_needs(line: str, tmp_path: Path) -> None:
    (tmp_path / "a.spv").write_bytes(assemble(SOUND))
    (tmp_path / "quiet.spv").write_bytes(assemble(QUIET))
    (tmp_path / "a.slang").write_text(SHADER)
    name, *rest = line.split()
    modules = imported([name, *rest], tmp_path)
    folders, absent = LINES[line]
    assert {module.split(".")[1] for module in modules if module.startswith("reknit.")} <= folders
    assert not modules & {*absent, *HEAVY}
    assert {other for other in COMMANDS if f"reknit.cli.{other}" in modules} == {name} & set(COMMANDS)
    if name.startswith("-"):
        assert "argparse" not in modules  # the help is a table


@pytest.mark.parametrize("start", ["reknit", "reknit.cli.main"])
def test_starting_imports_neither_the_ir_nor_argparse(start: str) -> None:
    script = f"import sys; import {start}; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    modules = set(done.stdout.split())
    assert {module.split(".")[1] for module in modules if module.startswith("reknit.")} <= {"cli", "source"}
    assert not modules & {"argparse", "reknit.cli.parser", *HEAVY}


def test_standard_modules_are_pythons_own() -> None:
    """In the process of a command too: nothing stands in for one."""
    script = "from reknit.cli.main import main; main(['explain', 'RK0010']); import typing, re, argparse, sys\n"
    script += "print([type(each).__name__ for each in (typing, re, argparse)], typing.Protocol, file=sys.stderr)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stderr.strip() == "['module', 'module', 'module'] <class 'typing.Protocol'>"
