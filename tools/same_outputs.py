"""Whether two versions of reknit write the same: python3 tools/same_outputs.py BEFORE [AFTER] [--inputs FOLDER ...]

    each input x each verb  ──▶  exit code, stdout, stderr and files of BEFORE  ==  those of AFTER, but for words

BEFORE and AFTER are commits; without AFTER it is the working tree. Inputs are the shaders of examples/ and tests/, and
of each FOLDER; `--sample N` takes N of them, by `--seed`. Modules (.spv, .spvasm, .rk) and graphs are compared byte
for byte. In what people read, runs of words are masked: numbers, codes, places and drawings are compared, wording is
not. A run ends after `--seconds` of processor time, which its exit code shows. Exit code 1 if anything differs; each
difference is printed with the command that shows it.
"""

import argparse
import hashlib
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parent.parent
ENDINGS: Final = (".rk", ".spvasm", ".spv", ".slang", ".hlsl", ".ll", ".bc", ".dxil", ".cfg", ".amber", ".comp")
VERBS: Final = (
    "check IN", "check IN --format json", "lint IN", "lint IN --target base --format sarif", "lint IN --diff",
    "show IN", "show IN --cfg", "show IN --uniformity", "show IN -o OUT.svg", "show IN -o OUT.dot",
    "show IN -o OUT.html", "opt IN", "opt IN -O", "compile IN -o OUT.spv", "compile IN -o OUT.spvasm",
    "compile IN -O -o OUT.spv", "compile IN -O -o OUT.spv --print-changed", "structurize IN -o OUT.rk",
    "structurize IN -o OUT.spv", "run IN", "run IN --subgroup-size 8 --json", "run IN --trace",
    "outcomes IN --limit 16", "outcomes IN --limit 16 --json", "trace IN -o OUT.json", "trace IN -o OUT.html",
    "prove IN IN", "prove IN IN --runs --json",
)  # fmt: skip
EXACT: Final = (".spv", ".spvasm", ".rk", ".dot")
WORDS: Final = re.compile(r"(?<![\w#%@])[A-Za-z][A-Za-z'’-]*(?![\w])")
"""Of a message; ids, codes and numbers are none."""
RUNS: Final = re.compile(r"w(?:[ .,:;()'’\"`-]*w)+")

WORKER: Final = """
import json, os, resource, sys
sys.dont_write_bytecode = True
from reknit.cli.main import main
for line in sys.stdin:
    words, folder, seconds = json.loads(line)
    os.chdir(folder)
    child = os.fork()
    if child == 0:
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
        for number, name in ((1, "stdout"), (2, "stderr")):
            os.dup2(os.open(name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o666), number)
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        code = 99
        try:
            code = main(words)
        except SystemExit as exit:
            code = exit.code if isinstance(exit.code, int) else 98
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(code or 0)
    print(json.dumps(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])), flush=True)
"""


def main() -> int:
    parser = argparse.ArgumentParser(prog="same_outputs.py")
    parser.add_argument("before")
    parser.add_argument("after", nargs="?")
    parser.add_argument("--inputs", action="append", default=[], metavar="FOLDER")
    parser.add_argument("--verbs", default="", help="those that begin with one of these words, as run,lint")
    parser.add_argument("--sample", type=int)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--seconds", type=int, default=10)
    options = parser.parse_args()
    folders = [ROOT / "examples", ROOT / "tests", *map(Path, options.inputs)]
    inputs = sorted({path for folder in folders for path in folder.rglob("*") if path.suffix in ENDINGS})
    if options.sample is not None:
        inputs = sorted(random.Random(options.seed).sample(inputs, min(options.sample, len(inputs))))
    verbs = [verb for verb in VERBS if verb.startswith(tuple(options.verbs.split(",")))]
    with tempfile.TemporaryDirectory(prefix="same-outputs-") as scratch:
        before = Version(options.before, Path(scratch) / "before")
        after = Version(options.after, Path(scratch) / "after")
        runs = different = 0
        for path in inputs:
            for verb in verbs:
                runs += 1
                one, other = (
                    version.outputs(path, verb, Path(scratch) / "run", options.seconds) for version in (before, after)
                )
                if one != other:
                    different += 1
                    names = sorted(name for name in one.keys() | other.keys() if one.get(name) != other.get(name))
                    print(f"differs: reknit {verb.replace('IN', str(path))}: {', '.join(names)}", flush=True)
    print(f"{runs} runs of {len(inputs)} inputs, {different} differ")
    return 1 if different else 0


class Version:
    """A commit, or the working tree, and a process that runs its commands."""

    def __init__(self, commit: str | None, folder: Path) -> None:
        source = ROOT
        if commit is not None:
            folder.mkdir()
            archive = subprocess.run(["git", "archive", commit, "src"], cwd=ROOT, stdout=subprocess.PIPE, check=True)
            subprocess.run(["tar", "-x"], cwd=folder, input=archive.stdout, check=True)
            source = folder
        environment = {**os.environ, "PYTHONPATH": str(source / "src"), "NO_COLOR": "1", "COLUMNS": "120"}
        self.process = subprocess.Popen(
            [sys.executable, "-c", WORKER], env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def outputs(self, path: Path, verb: str, folder: Path, seconds: int) -> dict[str, str]:
        """Digests of what one run writes in `folder`, by file, and its exit code."""
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        given = "given" + path.suffix
        shutil.copy(path, folder / given)
        words = [word.replace("IN", given).replace("OUT", "out") for word in verb.split()]
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        print(json.dumps([words, str(folder), seconds]), file=self.process.stdin, flush=True)
        code = json.loads(self.process.stdout.readline())
        exact = (*EXACT, "stdout") if words[0] == "opt" else EXACT
        written = {file.name: file.read_bytes() for file in folder.iterdir() if file.name != given}
        return {"exit code": str(code)} | {name: digest(data, name.endswith(exact)) for name, data in written.items()}


def digest(data: bytes, exact: bool) -> str:
    text = data if exact else masked(data.decode("utf-8", "surrogateescape")).encode("utf-8", "surrogateescape")
    return hashlib.sha256(text).hexdigest()


def masked(text: str) -> str:
    """A text with each run of words as one `w`: `w 3 w %merge` of `lane 3 waits at %merge`."""
    return RUNS.sub("w", WORDS.sub("w", text))


if __name__ == "__main__":
    sys.exit(main())
