"""What is done with a shape: the words of the command line, in which IN is its file, OUT a place for what is written.

COMMANDS["show, HTML"]  ->  ("show", "IN", "-o", "OUT.html")
"""

from typing import Final

# ruff: noqa: E501 - a command is a line

RUN: Final = ("--set", "0.0=zeros:8192", "--entry", "main")
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
    "outcomes": ("outcomes", "IN", *RUN, "--limit", "8"),
    "outcomes, maximal": ("outcomes", "IN", *RUN, "--limit", "8", "--rules", "maximal"),
    "trace": ("trace", "IN", *RUN),
    "trace, HTML": ("trace", "IN", *RUN, "-o", "OUT.html"),
    "trace, JSON": ("trace", "IN", *RUN, "-o", "OUT.json"),
    "prove": ("prove", "IN", "IN", "--entry", "main"),
    "prove, another": ("prove", "IN", "IN2", "--entry", "main"),
    "reduce": ("reduce", "IN", "--if", "true {}", "-o", "OUT.spvasm", "--quiet"),
}
COMMANDS: Final[dict[str, Words]] = {**READING, **WRITING, **RUNNING}
FORMS: Final = ("spvasm", "spv", "rk", "slang", "ll", "cfg")


def fits(command: str, form: str, shape: str) -> bool:
    """A graph can't be run, and a module of functions without structure breaks rules of `check`."""
    if form == "cfg" or shape == "a graph without structure":
        return command in WRITING or command in ("show", "show --cfg", "show, SVG", "show, DOT", "show, HTML", "opt")
    return True
