"""`opt --bisect`: which run of which pass makes a module that may do what the input may not.

    --bisect                by `prove`
    --bisect-if "cmd {}"    by a command: its exit code 0 says that the fault is there
"""

import json
from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING

from reknit.cli.misuse import misuse
from reknit.cli.proving import question_of
from reknit.cli.terminal import tell
from reknit.files.formats import BINARY, WRITTEN
from reknit.ir.module import Module

if TYPE_CHECKING:
    from reknit.reduction.bisect import Bisection, ByProof


def add_bisect(parser: ArgumentParser) -> None:
    parser.add_argument("--bisect", action="store_true", help="find the run of a pass that breaks it, by proving")
    parser.add_argument(
        "--bisect-if",
        metavar="CMD",
        help="find the run after which CMD, given the module as a file ({} or the last word), has exit code 0",
    )
    parser.add_argument(
        "--bisect-format", default=BINARY, choices=WRITTEN, help=f"the format that CMD reads (default {BINARY})"
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
        found = bisect(module, options.passes, proof)
    else:
        outside = Outside(options.bisect_if, options.bisect_format)
        found = bisect(module, options.passes, lambda made: "the command says so" if outside(made) else "")
    if options.json:
        print(json.dumps(_as_json(found, proof)))
    else:
        tell(_shown(module, found, proof))
    return 1 if found is not None else 0


def _as_json(found: "Bisection | None", proof: "ByProof | None") -> dict[str, object]:
    if found is None:
        return {"run": None}
    verdict = proof.last.to_json() if proof is not None and proof.last is not None and found.after else None
    return {
        "run": found.run,
        "runs": found.runs,
        "pass": found.name(),
        "function": found.function(),
        "reason": found.reason,
        "proof": verdict,
        "difference": _difference(found),
    }


def _shown(module: Module, found: "Bisection | None", proof: "ByProof | None") -> str:
    if found is None:
        return "no run of a pass breaks the module\n"
    text = f"run {found.run} of {found.runs} breaks the module: {found.what}\n{found.reason}\n"
    if proof is not None and proof.last is not None and proof.last.counterexample is not None and found.after:
        from reknit.view.proof import show_counterexample

        text += "\n".join(show_counterexample(module, proof.last.counterexample)) + "\n"
    changes = _difference(found)
    return text + (f"\n{changes}" if changes else "")


def _difference(found: "Bisection") -> str:
    from reknit.view.diff import difference

    if not found.after:
        return ""
    return difference(found.before, found.after, f"before {found.what}", "after it")
