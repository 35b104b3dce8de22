"""`--prove` of the commands that run passes: each pass is proved, or the run that refutes it is shown.

    run_pipeline ── after each pass: proof ──▶ report, "pass 4, lower-switches: proved for the domain"
                                      └ refuted ──▶ which pass, and the lanes that differ
"""

from argparse import Namespace
from typing import TYPE_CHECKING

from reknit.cli.pipeline import run_pipeline
from reknit.cli.terminal import print_json, remark

if TYPE_CHECKING:
    from reknit.ir.module import Module
    from reknit.passes.manager import Report, Watcher
    from reknit.proof.stepwise import Refuted
    from reknit.proof.verdict import Verdict


def proven(module: "Module", options: Namespace, also: "Watcher | None" = None) -> "Report | None":
    """Run the passes and prove each; None where one is refuted, or not proved with --prove=require: that is reported
    then."""
    from reknit.proof.stepwise import Refuted
    from reknit.proof.verdict import PROVED

    try:
        report = run_pipeline(module, options, also)
    except Refuted as fault:
        tell_refuted(fault, options)
        return None
    if not options.json and not options.quiet:
        for number, name, verdict in options.proofs:
            remark(f"pass {number}, {name}: {verdict.verdict}\n")
    left = [(number, name, verdict) for number, name, verdict in options.proofs if verdict.verdict != PROVED]
    if left and options.prove_all:
        report_open(left, options)
        return None
    return report


def report_open(left: list[tuple[int, str, "Verdict"]], options: Namespace) -> None:
    """Which passes are not proved for every input, and why."""
    if options.json:
        proofs = [{"pass": name, "number": number, **verdict.to_json()} for number, name, verdict in left]
        print_json({"output": None, "passes": [], "proofs": proofs, "diagnostics": []})
        return
    for number, name, verdict in left:
        reasons = "; ".join([term.text() for term in verdict.coverage.open_terms()])
        remark(f"pass {number}, {name} is not proved for every input{': ' if reasons else ''}{reasons}\n")


def tell_refuted(fault: "Refuted", options: Namespace) -> None:
    """Which pass, and the run that shows it."""
    if options.json:
        proof = {"pass": fault.name, "number": fault.number, **fault.verdict.to_json()}
        print_json({"output": None, "passes": [], "proofs": [proof], "diagnostics": []})
        return
    from reknit.view.proof import show_verdict

    remark(f"pass {fault.number}, {fault.name}: {show_verdict(fault.before, fault.verdict)}")
