"""`reknit prove BEFORE AFTER`: whether AFTER may stand for BEFORE; exit code 1 with a counterexample if not.

    every result of AFTER, for all inputs, subgroup sizes and policies, is one that BEFORE allows
        ->  proved for the domain (all were gone through) | sampled (it says which) | refuted (by which run)
"""

from argparse import Namespace

from reknit.cli.drawing import add_drawing, add_vertices, drawing_of_options, vertices_of_options
from reknit.cli.input import add_reading, load
from reknit.cli.misuse import misuse
from reknit.cli.parser import Parser
from reknit.cli.proving import add_question, question_of
from reknit.cli.running import add_base
from reknit.cli.shared_options import INPUT, OUTPUT, PROOF, add
from reknit.cli.terminal import as_objects, print_json, remark, tell
from reknit.files.formats import STANDARD
from reknit.files.streams import as_text, read_bytes, write_bytes
from reknit.proof.question import SECONDS
from reknit.source.diagnostic import InputError

INTERRUPTED = 130
LEEWAY = 4
"""--max-seconds is of processor time, after which there is a verdict; by the clock a command may take so many times
that."""


def parser() -> Parser:
    command = Parser(
        "prove",
        "Check that AFTER is a correct replacement for BEFORE: every result of AFTER is one that BEFORE allows, for "
        "the same inputs, subgroup sizes and choices of the implementation. Prints a counterexample and exits with 1 "
        "if not. Stops after 10 s of processor time, or --max-seconds, and says what was compared by then.",
        "BEFORE AFTER",
        ("--set", "--domain", "--spec", "--entry", "--groups", "--subgroup-sizes", "--rules", "--inputs", "--runs",
         "--max-seconds", "--certificate", "--with", "--json"),
        (
            "reknit prove blur.spv blur.opt.spv",
            "reknit prove before.spv after.spv --domain kind=0..3 --subgroup-sizes 8,32",
        ),
    )  # fmt: skip
    operands = command.group(INPUT)
    operands.add_argument("before", metavar="BEFORE", help="shader that says what is allowed; - is standard input")
    operands.add_argument("after", metavar="AFTER", help="shader that must keep to it")
    add_reading(command)
    add_question(command)
    proof = command.group(PROOF)
    proof.add_argument(
        "--certificate", metavar="FILE", help="write the steps of the proof to FILE, for --with to check"
    )
    proof.add_argument("--with", dest="given", metavar="FILE", help="only check the proof that FILE holds")
    add_drawing(command)
    add_vertices(command)
    add_base(command)
    add(command.group(OUTPUT), "--json")
    return command


def main(options: Namespace) -> int:
    if options.before == STANDARD and options.after == STANDARD:
        raise misuse("RK0010", "standard input can't be both BEFORE and AFTER")
    if options.certificate is not None and options.given is not None:
        raise misuse("RK0010", "--certificate writes a certificate and --with checks one: give one of them")
    if options.certificate is not None and options.certificate in (options.before, options.after):
        raise misuse("RK0010", "--certificate would write over one of the two versions")
    if options.runs and (options.certificate is not None or options.given is not None):
        raise misuse("RK0010", "a certificate is not about runs: --runs doesn't go with --certificate and --with")
    question = question_of(options)
    question.seconds = options.max_seconds if options.max_seconds is not None else SECONDS
    vertices = vertices_of_options(options)
    question.scene = drawing_of_options(options) if vertices is None else vertices
    try:
        from time import thread_time

        from reknit.cli.progress import ProofSteps
        from reknit.ir.verify.trusting import require_sound
        from reknit.proof.prove import prove

        if options.given is not None:
            question.certificate = as_text(read_bytes(options.given), options.given)
        elif options.certificate is not None:
            question.certificate = True
        began = thread_time()
        before = load(options, options.before)
        after = load(options, options.after)
        require_sound(before, after)
        question.used = thread_time() - began
        with ProofSteps(options.json) as steps:
            try:
                verdict = prove(before, after, question)
            except KeyboardInterrupt:
                steps.line.clear()
                remark(f"interrupted at {steps.last}; nothing was refuted before\n")
                return INTERRUPTED
    except InputError as error:
        if not options.json:
            raise
        diagnostics = as_objects(error.diagnostics)
        none = {"verdict": None, "domain": "", "reason": "", "coverage": None, "counterexample": None}
        print_json({**none, "diagnostics": diagnostics})
        return 1
    if options.certificate is not None:
        write_bytes(options.certificate, verdict.certificate.encode())
    if options.json:
        print_json(verdict.to_json())
    else:
        from reknit.view.proof import show_verdict

        tell(show_verdict(before, verdict, options.base))
    return 1 if not verdict or verdict.coverage.failing else 0
