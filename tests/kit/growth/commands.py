"""What is done with a shape: the words of the command line, in which IN is its file, OUT a place for what is written.

COMMANDS["show, HTML"]  ->  ("show", "IN", "-o", "OUT.html")

COUNT is the shape's size, and <IN what an editor says that has the file open. Left out is `compare`, which is `run`, the
same on a device, and a comparison of what both have stored.
"""

from importlib.util import find_spec
from typing import Final

# ruff: noqa: E501 - a command is a line

RUN: Final = ("--set", "0.0=zeros:8192", "--entry", "main")
FEW_WORDS: Final = ("--set", "0.0=zeros:1024", "--entry", "main")  # each outcome is shown with all of them
PASSES: Final = (
    "structurize", "specialize-dispatch", "thread-dispatch", "lower-dispatch", "if-needed", "inline", "drop-functions",
    "drop-declarations", "eliminate-phis", "simplify-cfg", "eliminate-phis,eliminate-continues{all=true}", "eliminate-phis,eliminate-continues,lower-switches{policy=always}",
    "declare-reconvergence", "eliminate-phis,eliminate-multi-level-breaks", "unify-returns", "lower-continuing", "private-to-local",
    "scalar-replacement", "promote-variables", "merge-ifs", "simplify-ifs", "split-critical-edges", "lcssa", "peel-loops",
    "unroll-loops", "fold", "forward-copies", "narrow-loads", "cse", "licm", "sink", "dce",
)  # fmt: skip
Words = tuple[str, ...]

READING: Final[dict[str, Words]] = {
    "check": ("check", "IN"),
    "check, JSON": ("check", "IN", "--format", "json"),
    "lint": ("lint", "IN"),
    "lint, what maximal promises": ("lint", "IN", "--target", "base"),
    "lint, SARIF": ("lint", "IN", "--format", "sarif"),
    "lint --diff": ("lint", "IN", "--diff"),
    "show": ("show", "IN"),
    "show --cfg": ("show", "IN", "--cfg"),
    "show, text": ("show", "IN", "-o", "OUT.rk"),
    "show, SVG": ("show", "IN", "-o", "OUT.svg"),
    "show --cfg, SVG": ("show", "IN", "--cfg", "-o", "OUT.svg"),
    "show, DOT": ("show", "IN", "-o", "OUT.dot"),
    "show, HTML": ("show", "IN", "-o", "OUT.html"),
    "show --fake": ("show", "IN", "--cfg", "--fake", "-o", "OUT.svg"),
    "show --uniformity": ("show", "IN", "--uniformity"),
    "show --diff": ("show", "IN", "--diff", "IN2"),
    "show --diff, HTML": ("show", "IN", "--diff", "IN2", "-o", "OUT.html"),
    "show --diff, SVG": ("show", "IN", "--diff", "IN2", "-o", "OUT.svg"),
}
WRITING: Final[dict[str, Words]] = {
    "opt": ("opt", "IN"),
    "compile": ("compile", "IN", "-o", "OUT.spv"),
    "compile, assembly": ("compile", "IN", "-o", "OUT.spvasm"),
    "compile -O": ("compile", "IN", "-O", "-o", "OUT.spv"),
    "compile --explore": ("compile", "IN", "-O", "-o", "OUT.spv", "--explore", "OUT.html"),
    "compile --print-changed": ("compile", "IN", "-O", "-o", "OUT.spv", "--print-changed"),
    "compile --verify-each": ("compile", "IN", "-O", "-o", "OUT.spv", "--verify-each"),
    "compile --dump-dot": ("compile", "IN", "-o", "OUT.spv", "--dump-dot", "OUT"),
    "structurize": ("structurize", "IN", "-o", "OUT.rk"),
    "opt -p restructure": ("opt", "IN", "-p", "restructure"),
} | {f"opt -p {name}": ("opt", "IN", "-p", name, "-o", "OUT.rk") for name in PASSES}
RUNNING: Final[dict[str, Words]] = {
    "run": ("run", "IN", *RUN, "--engine", "interpreter"),
    "run, native": ("run", "IN", *RUN, "--engine", "jit"),
    "run, maximal": ("run", "IN", *RUN, "--engine", "interpreter", "--rules", "maximal"),
    "run --trace": ("run", "IN", *RUN, "--engine", "interpreter", "--trace"),
    "run --json": ("run", "IN", *RUN, "--engine", "interpreter", "--json"),
    "outcomes": ("outcomes", "IN", *FEW_WORDS, "--limit", "8"),
    "outcomes, maximal": ("outcomes", "IN", *FEW_WORDS, "--limit", "8", "--rules", "maximal"),
    "trace": ("trace", "IN", *RUN),
    "trace, HTML": ("trace", "IN", *RUN, "-o", "OUT.html"),
    "trace, JSON": ("trace", "IN", *RUN, "-o", "OUT.json"),
    "prove": ("prove", "IN", "IN", "--entry", "main"),
    "prove, another": ("prove", "IN", "IN2", "--entry", "main"),
    "reduce": ("reduce", "IN", "--if", "true {}", "-o", "OUT.spvasm", "--quiet"),
}
EDITING: Final[dict[str, Words]] = {"lsp": ("lsp", "--stdio", "<IN")}
OF_MANY: Final[dict[str, Words]] = {
    "batch check": ("batch", "check", "IN", "--state", "OUT.sqlite", "-j", "1"),
    "batch lint, reports": ("batch", "lint", "IN", "--state", "OUT.sqlite", "-j", "1", "--report", "OUT.html", "--report", "OUT.sarif", "--report", "OUT.jsonl"),
    "batch compile": ("batch", "compile", "IN", "-o", "OUT", "--state", "OUT.sqlite", "-j", "1"),
}
"""A folder of files. What is counted is the parent's work; the workers do that of the other commands, file by file."""
OF_A_NUMBER: Final[dict[str, Words]] = {
    "generate, statements": ("generate", "OUT", "--seed", "1", "--count", "1", "--statements", "COUNT"),
    "generate, programs": ("generate", "OUT", "--count", "COUNT", "--statements", "4"),
    "fuzz": ("fuzz", "--count", "COUNT", "-p", "reconverge", "-o", "OUT", "--quiet"),
}
COMMANDS: Final[dict[str, Words]] = {**READING, **WRITING, **RUNNING, **EDITING, **OF_MANY, **OF_A_NUMBER}
FORMS: Final = ("spvasm", "spv", "rk", "slang", "ll", "cfg", "folder", "count")
EDITED: Final = ("spvasm", "rk", "slang") if find_spec("pygls") is not None else ()


def fits(command: str, form: str, shape: str) -> bool:
    """A graph can't be run, and a module of functions without structure breaks rules of `check`."""
    if form == "folder" or form == "count":
        return command in (OF_MANY if form == "folder" else OF_A_NUMBER)
    if command in OF_MANY or command in OF_A_NUMBER:
        return False
    if command in EDITING:
        return form in EDITED and shape != "a graph without structure"
    if form == "cfg" or shape == "a graph without structure":
        return command in WRITING or command in ("show", "show --cfg", "show, SVG", "show, DOT", "show, HTML", "opt")
    return True
