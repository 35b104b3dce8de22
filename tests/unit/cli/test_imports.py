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
before = set(sys.modules)
from reknit.cli.main import main
if len(sys.argv) > 2:
    sys.modules.pop("typing", None)  # Python's own start may have needed it
    from reknit.cli.late_typing import import_typing_late
    import_typing_late()
main(sys.argv[1:])
print(*sorted(set(sys.modules) - before), file=sys.stderr)
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
START = {
    "reknit", "reknit.cli", "reknit.cli.commands", "reknit.cli.main", "reknit.source", "reknit.source.collecting",
    "reknit.source.interrupt",
}  # fmt: skip
"""What every command imports before it is known."""

COLLECTIONS = {"collections", "itertools", "keyword", "operator", "reprlib"}
"""What `collections.abc` brings."""

READING = COLLECTIONS | {
    "array", "contextlib", "functools", "importlib", "librt", "mypy_extensions", "types", "typing", "warnings",
}  # fmt: skip
"""Of the standard library and others what columns and the table of opcodes need, to which nothing is added without
need: argparse, `re` and `enum` take longer than a shader. `typing` is `cli.late_typing`, which the test sees by what
typing itself imports. What C has (`gc`, `_json`) isn't counted."""

OF_LATER = {
    "annotationlib", "ast", "copy", "dataclasses", "dis", "inspect", "io", "linecache", "opcode", "token", "tokenize",
    "weakref",
}  # fmt: skip
"""What Python 3.14's mypy_extensions and importlib bring besides, for annotations."""

# By command: the folders of which modules are imported, how many modules of reknit at most, which others, and what of
# reknit is not imported. A module costs 0.2 ms.
COMMANDS: dict[str, tuple[set[str], int, set[str], set[str]]] = {
    "--version": ({"cli", "source"}, 8, COLLECTIONS | {"importlib", "warnings"}, set()),
    "check": (
        {"cli", "source", "files", "front", "checks", "spirv", "ir"},
        85,
        READING,
        {"reknit.ir.instr", "reknit.spirv.read"},
    ),
    "lint": (
        {"cli", "source", "files", "front", "checks", "spirv", "ir", "analysis"},
        100,
        READING,
        {"reknit.ir.module", "reknit.spirv.read", "reknit.analysis.manager"},
    ),
    "show": (
        {"cli", "source", "files", "front", "spirv", "ir", "view", "analysis"},
        86,
        READING | {"bisect", "math", "struct"},
        {"reknit.passes.manager"},
    ),
    "explain": (
        {"cli", "source", "view"},
        21,
        READING - {"array", "librt", "mypy_extensions"},
        {"reknit.ir"},
    ),
    "compile": (
        {"cli", "source", "files", "front", "spirv", "ir", "analysis", "passes", "proof"},
        492,
        READING | {"bisect", "copyreg", "encodings", "enum", "heapq", "math", "re", "struct"},
        {"reknit.checks", "reknit.proof.stepwise", "reknit.view", "reknit.sim"},
    ),
}


def imported(arguments: list[str], folder: Path) -> set[str]:
    """The modules that a command imports beside those that Python itself has at its start."""
    environment = {**os.environ, "PATH": "/nonexistent"}
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, *arguments], capture_output=True, text=True, cwd=folder, env=environment
    )
    assert done.returncode == 0, done.stderr
    return set(done.stderr.splitlines()[-1].split())


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_imports_what_it_needs(command: str, tmp_path: Path) -> None:
    (tmp_path / "a.spv").write_bytes(assemble(QUIET if command == "lint" else SOUND))
    (tmp_path / "a.slang").write_text(SHADER)
    special = {"--version": [], "explain": ["RK0102"], "compile": ["a.slang", "-o", "b.spv"]}
    operands = special.get(command, ["a.spv"])
    modules = imported([command, *operands], tmp_path)
    folders, most, others, absent = COMMANDS[command]
    ours = [name.split(".") for name in modules if name.startswith("reknit.")]
    assert {parts[1] for parts in ours} <= folders
    assert modules >= START
    assert len(ours) <= most
    assert not modules & {*absent, "_typing"}
    in_python = {name for name in modules if not is_in_c(name) and not name.startswith("reknit")}
    limiting = {"resource"}  # of the usual limit of memory
    later = OF_LATER if sys.version_info >= (3, 14) else set()
    assert {name.split(".")[0] for name in in_python} <= others | limiting | later


def is_in_c(name: str) -> bool:
    """Whether a module of the standard library comes with the interpreter: builtin, or named as what is behind one."""
    return name in sys.builtin_module_names or name.startswith("_")


def test_the_package_imports_next_to_nothing() -> None:
    script = "import sys; before = set(sys.modules); import reknit; print(*sorted(set(sys.modules) - before))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert {name for name in done.stdout.split() if not is_in_c(name)} <= {
        "reknit", "reknit.source", "reknit.source.collecting", "reknit.source.interrupt", "collections.abc",
        *COLLECTIONS,
    }  # fmt: skip
