"""`opt --bisect`: which run of which pass makes a module that may do what the input may not.

    --bisect                by `prove`
    --bisect-if "cmd {}"    by a command: its exit code 0 says that the fault is there
"""

from argparse import Namespace
from typing import TYPE_CHECKING

from reknit.cli.misuse import misuse
from reknit.cli.parser import Parser
from reknit.cli.proving import question_of
from reknit.cli.terminal import print_json, tell
from reknit.files.formats import BINARY, WRITTEN
from reknit.ir.module import Module

if TYPE_CHECKING:
    from reknit.reduction.bisect import Bisection, ByProof


def add_bisect(parser: Parser) -> None:
    group = parser.group("finding the pass that breaks a module")
    group.add_argument("--bisect", action="store_true", help="find the pass that breaks the module, by proving each")
    group.add_argument(
        "--bisect-if",
        metavar="CMD",
        help="find the pass after which CMD exits with 0; CMD gets the module's file as {}, or as its last argument",
    )
    group.add_argument(
        "--bisect-format",
        default=BINARY,
        choices=WRITTEN,
        metavar="FORMAT",
        help="format of the file that CMD reads (default %(default)s)",
    )


def run_bisection(module: Module, options: Namespace) -> int:
    """Print what was found; 1 if a run was."""
    from reknit.reduction.bisect import ByProof, bisect
    from reknit.reduction.interestingness import Outside

    if options.bisect and options.bisect_if is not None:
        raise misuse("RK0010", "--bisect judges by proving, --bisect-if by a command", "leave one out")
    proof: ByProof | None = None
    if options.bisect_if is None:
        proof = ByProof(module, question_of(options))
        bisection = bisect(module, options.passes, proof)
    else:
        if not options.bisect_if.strip():
            raise misuse("RK0010", "--bisect-if: the command is empty", "a shell command, as 'my-driver {}'")
        outside = Outside(options.bisect_if, options.bisect_format)
        bisection = bisect(module, options.passes, lambda tried: "the command says so" if outside(tried) else "")
    if options.json:
        print_json(_as_json(bisection, proof))
    else:
        tell(_shown(module, bisection, proof))
    return 1 if bisection is not None else 0


def _as_json(bisection: "Bisection | None", proof: "ByProof | None") -> dict[str, object]:
    if bisection is None:
        return {"run": None}
    verdict = proof.last.to_json() if proof is not None and proof.last is not None and bisection.after else None
    return {
        "run": bisection.run,
        "runs": bisection.runs,
        "pass": bisection.name(),
        "function": bisection.function(),
        "reason": bisection.reason,
        "proof": verdict,
        "difference": _difference(bisection),
    }


def _shown(module: Module, bisection: "Bisection | None", proof: "ByProof | None") -> str:
    if bisection is None:
        return "no run of a pass breaks the module\n"
    text = f"run {bisection.run} of {bisection.runs} breaks the module: {bisection.what}\n{bisection.reason}\n"
    if proof is not None and proof.last is not None and proof.last.counterexample is not None and bisection.after:
        from reknit.view.proof import show_counterexample

        text += "\n".join(show_counterexample(module, proof.last.counterexample)) + "\n"
    changes = _difference(bisection)
    return text + (f"\n{changes}" if changes else "")


def _difference(bisection: "Bisection") -> str:
    from reknit.view.diff import difference

    if not bisection.after:
        return ""
    return difference(bisection.before, bisection.after, f"before {bisection.what}", "after it")
