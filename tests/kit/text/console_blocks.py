"""The ```console blocks of a Markdown page: commands, and what each prints.

    $ reknit run a.spv       a command
    0 | 1 2 3                what it prints, up to the next command or the end of the block
    $ reknit lint a; echo $?       the same, and behind it the exit code
    $ python check.py        a file of the page, run by this Python

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
from kit.text.pages import files

VERSION = re.compile(r"SPIRV-Tools v[\w.]+")  # pages show one; whichever is here has the same to say
AND_ITS_CODE = "; echo $?"
BLOCK = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)


class Step:
    """A command, and what the page says that it prints."""

    def __init__(self, command: str) -> None:
        self.command = command
        self.output = ""


def blocks(text: str) -> list[list[Step]]:
    """The steps of each block, in the page's order."""
    found: list[list[Step]] = []
    for match in BLOCK.finditer(text):
        steps: list[Step] = []
        for line in match[1].splitlines():
            if line.startswith("$ "):
                steps.append(Step(line[2:]))
            else:
                steps[-1].output += line + "\n"
        found.append(steps)
    return found


def run(command: str, folder: Path, path: str = "") -> str:
    """What a command prints, in `folder`. `path` is put before PATH."""
    asked, wants_code, _ = command.partition(AND_ITS_CODE)
    words = shlex.split(asked)
    program = {"reknit": ["-m", "reknit"], "python": []}[words[0]]
    variables = {**os.environ, "PYTHONIOENCODING": "utf-8", "PATH": f"{path}:{os.environ.get('PATH', '')}"}
    done = subprocess.run(
        [sys.executable, *program, *words[1:]],
        cwd=folder,
        env=variables,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        stdin=subprocess.DEVNULL,
        encoding="utf-8",
    )
    shown = VERSION.sub("SPIRV-Tools v2026.4", done.stdout) + (f"{done.returncode}\n" if wants_code else "")
    return "\n".join(line.rstrip() for line in shown.splitlines()) + "\n" if shown else ""


def furnish(folder: Path, text: str) -> None:
    """Put into a folder what a page's commands are typed beside: the examples, and the files that it shows."""
    shutil.copytree(ROOT / "examples", folder / "examples")
    for name, contents in files(text).items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(contents, encoding="utf-8")


def refreshed(text: str) -> str:
    """A page whose blocks say what their commands print now."""
    with tempfile.TemporaryDirectory() as folder:
        furnish(Path(folder), text)

        def block(match: "re.Match[str]") -> str:
            steps = blocks(match[0])[0]
            return "```console\n" + "".join(f"$ {s.command}\n{run(s.command, Path(folder))}" for s in steps) + "```"

        return BLOCK.sub(block, text)
