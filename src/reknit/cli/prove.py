"""`reknit prove BEFORE AFTER`: whether AFTER may stand for BEFORE; exit code 1 with a counterexample if not.

    every result of AFTER, for all inputs, subgroup sizes and policies, is one that BEFORE allows
        ->  proved for the domain (all were gone through) | sampled (it says which) | refuted (by which run)
"""

from reknit.cli.drawing import add_drawing, add_vertices, drawing_of_options, vertices_of_options
from reknit.cli.input import add_reading, load
from reknit.cli.misuse import misuse
from reknit.cli.options import Namespace, Options
from reknit.cli.parser import new_parser
from reknit.cli.proving import add_question, question_of
from reknit.cli.running import add_base
from reknit.cli.terminal import as_objects, print_json, remark, tell
from reknit.files.formats import STANDARD
from reknit.files.streams import as_text, read_bytes, write_bytes
from reknit.proof.question import SECONDS
from reknit.source.diagnostic import InputError

INTERRUPTED = 130
LEEWAY = 4
"""--max-seconds is of processor time, after which there is a verdict; by the clock a command may take so many times
that."""


def parser() -> Options:
    command = new_parser(
        "prove",
        "Compare two versions of a compute, fragment or vertex shader: every result of AFTER must be one that BEFORE "
        "allows, for the same inputs, at every subgroup size, for every choice that the rules (--rules) leave to the "
        "implementation. After 10 s of processor time, or --max-seconds, the verdict is about what was compared by "
        "then.",
    )
    command.add_argument("before", metavar="BEFORE", help="the version that says what is allowed; - is standard input")
    command.add_argument("after", metavar="AFTER", help="the version that must keep to it")
    add_reading(command)
    add_question(command)
    add_drawing(command)
    add_vertices(command)
    add_base(command)
    command.add_argument("--certificate", metavar="FILE", help="write what corresponds, so that --with can check it")
    command.add_argument("--with", dest="given", metavar="FILE", help="check this certificate, and nothing else")
    command.add_argument("--json", action="store_true", help="print JSON")
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
