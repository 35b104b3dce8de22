"""The macros that a project's own build compiles its shaders with, as its generator calls the compiler.

calls(root, "shaders/gen.cpp", root / "shaders/add.comp")
  ->  [("add_f32", "-DA_TYPE=float -DB_TYPE=float"), ("add_f16", "-DA_TYPE=float16_t -DB_TYPE=float")]

The generator is compiled by c++ and run with a recorder in place of glslc: `--glslc RECORDER --source FILE`.
"""

import os
import shutil
import subprocess
import tempfile
from functools import cache
from pathlib import Path

MAX_COMMANDS = 4
"""Of a file: the first, the last and those between them at equal distances."""
RECORDER = """#!/bin/sh
printf '%s\\n' "$@" > "$(mktemp "$0.XXXXXXXX")"
"""


def calls(root: Path, generator: str, source: Path) -> list[tuple[str, str]]:
    """(what is made, its macros); [] where there is no compiler for C++, or the build makes nothing of the file."""
    program = _compiled(root, generator)
    if program is None:
        return []
    with tempfile.TemporaryDirectory() as folder:
        recorder = Path(folder, "call")
        recorder.write_text(RECORDER)
        recorder.chmod(0o755)
        words = [str(program), "--glslc", str(recorder), "--source", str(source), "--output-dir", folder]
        subprocess.run(words, capture_output=True, check=False)  # it may miss what the recorder doesn't write
        found = dict(_call(path.read_text().splitlines()) for path in Path(folder).glob("call.*"))
    rows = sorted(found.items())
    step = max(1, (len(rows) - 1) / (MAX_COMMANDS - 1))
    return [rows[round(number * step)] for number in range(min(MAX_COMMANDS, len(rows)))]


def _call(words: list[str]) -> tuple[str, str]:
    made = words[words.index("-o") + 1]
    return Path(made).stem, " ".join(word for word in words if word.startswith("-D"))


@cache
def _compiled(root: Path, generator: str) -> Path | None:
    """Beside the project's files, to be found there again."""
    program = root.with_name(f"{root.name}.{Path(generator).stem}")
    compiler = shutil.which("c++")
    if not program.exists() and compiler is not None:
        part = program.with_name(f"{program.name}.{os.getpid()}")
        subprocess.run([compiler, "-std=c++17", "-pthread", str(root / generator), "-o", str(part)], check=True)
        part.rename(program)
    return program if program.exists() else None
