"""The ```console blocks of a Markdown page: commands, and what each prints.

    $ reknit run a.spv       a command
    0 | 1 2 3                what it prints, up to the next command or the end of the block
    $ reknit lint a; echo $?       the same, and behind it the exit code
    $ python check.py        this Python

A block with a title is a file, which is there for the commands below it.

`python3 tools/bless.py PAGE` shows what they print now, and writes it when told.
"""

import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from kit import ROOT
from kit.text.pages import FENCE, TITLE, fences

VERSIONS = {
    r"SPIRV-Tools v[\w.]+": "SPIRV-Tools v2026.4",
    r"llvmpipe \(LLVM [^)]*\)": "llvmpipe (LLVM 15.0.6, 128 bits)",
}
"""Of programs that have the same to say in each: pages show one."""

OUTSIDE = {"reknit check": "spirv-val", r"\w\.comp\b": "glslangValidator", "reknit compare|--on vulkan": "lavapipe"}
"""What a command needs that is no part of reknit, by a pattern of the command."""

AND_ITS_CODE = "; echo $?"


class Step:
    """A command, what the page says that it prints, and the files that the page shows before it."""

    def __init__(self, command: str, files: dict[str, str]) -> None:
        self.command = command
        self.files = files
        self.output = ""

    def run(self, folder: Path) -> str:
        """What it prints, in `folder`. Skips the test where a program that it needs is not here."""
        for name, contents in self.files.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(contents, encoding="utf-8")
        return run(self.command, folder)


def blocks(text: str) -> list[list[Step]]:
    """The steps of each block, in the page's order."""
    found: list[list[Step]] = []
    shown: dict[str, str] = {}
    for info, code in fences(text):
        if (title := TITLE.search(info)) is not None:
            shown[title[1]] = code
        elif info == "console":
            steps: list[Step] = []
            for line in code.splitlines():
                if line.startswith("$ "):
                    steps.append(Step(line[2:], shown))
                    shown = {}
                else:
                    steps[-1].output += line + "\n"
            found.append(steps)
    return found


def run(command: str, folder: Path) -> str:
    """What a command prints, in `folder`. Skips the test where a program that it needs is not here."""
    asked, wants_code, _ = command.partition(AND_ITS_CODE)
    words = shlex.split(asked)
    program = {"reknit": ["-m", "reknit"], "python": []}[words[0]]
    variables = {**os.environ, "PYTHONIOENCODING": "utf-8"}
    for part, needed in OUTSIDE.items():
        if re.search(part, command):
            variables |= surroundings(needed, folder / ".tools")
    done = subprocess.run(
        [sys.executable, *program, *words[1:]],
        cwd=folder,
        env=variables,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        stdin=subprocess.DEVNULL,
        encoding="utf-8",
    )
    shown = done.stdout + (f"{done.returncode}\n" if wants_code else "")
    for version, on_pages in VERSIONS.items():
        shown = re.sub(version, on_pages, shown)
    return "\n".join(line.rstrip() for line in shown.splitlines()) + "\n" if shown else ""


def surroundings(program: str, folder: Path) -> dict[str, str]:
    """The variables with which a command finds a program, or a driver: a script in `folder` that is on PATH."""
    from kit.oracles import need  # here: the web site is built without pytest, of pages that need no such program
    from kit.oracles.drivers import settings

    if program == "lavapipe":
        return settings(program)[1]
    script = folder / program
    folder.mkdir(exist_ok=True)
    script.write_text("#!/bin/sh\nexec " + shlex.join(need(program)) + ' "$@"\n')
    script.chmod(0o755)
    return {"PATH": f"{folder}:{os.environ.get('PATH', '')}"}


def furnish(folder: Path) -> None:
    """Put into a folder what a page's commands are typed beside."""
    shutil.copytree(ROOT / "examples", folder / "examples")


def refreshed(text: str) -> str:
    """A page whose blocks say what their commands print now."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        furnish(folder)
        rest = iter(blocks(text))

        def block(match: "re.Match[str]") -> str:
            if match["info"] != "console":
                return match[0]
            lines = "".join(f"$ {step.command}\n{step.run(folder)}" for step in next(rest))
            return f"{match['ticks']}console\n{lines}{match['ticks']}\n"

        return FENCE.sub(block, text)
