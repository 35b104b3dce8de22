"""`reknit trace FILE`: run a shader and show which lanes run each block together.

    FILE -> text: a line each time a tangle runs a block | -o x.html the viewer, one file | -o x.json its document
    --outcomes: a run for each result that the rules allow, in the viewer a tab each
    --step: on the terminal, step by step, forwards and back
"""

import sys
from argparse import Namespace
from typing import TYPE_CHECKING, Final

from reknit.cli.drawing import add_drawing
from reknit.cli.input import add_input, load_to_run
from reknit.cli.misuse import misuse
from reknit.cli.parser import Parser
from reknit.cli.running import Setting, add_policy, add_setting
from reknit.cli.shared_options import OUTPUT, add
from reknit.cli.terminal import complain, tell, wants_colour
from reknit.files.formats import STANDARD, ending
from reknit.files.streams import lines_of
from reknit.sim.policy import Policy

if TYPE_CHECKING:
    from reknit.ir.module import Module
    from reknit.sim.recorded import Recording
    from reknit.sim.result import Result
    from reknit.sim.run import Program

TRACED_STEPS: Final = 1_000_000
"""Events are kept until the run ends: a program without an end must not fill the memory."""

MAX_TABS: Final = 16
KINDS: Final = ("txt", "json", "html")


def parser() -> Parser:
    command = Parser(
        "trace",
        "Run a shader and show, event by event, which lanes run each block together: as text, or as a page to step "
        "through.",
        "FILE",
        ("--set", "--entry", "--groups", "--subgroup-size", "--rules", "--watch", "--step", "--outcomes", "--all",
         "-o", "--values"),
        (
            "reknit trace blur.spv --set kind=0,0,1,2 --subgroup-size 4",
            "reknit trace blur.spv --set kind=0,0,1,2 -o blur.html --outcomes",
        ),
    )  # fmt: skip
    add_input(command)
    add_setting(command, TRACED_STEPS)
    add_drawing(command)
    add_policy(command)
    shown = command.group("what is shown")
    add(shown, "--watch")
    shown.add_argument("--step", action="store_true", help="step through the run on the terminal; ? lists the commands")
    shown.add_argument(
        "--outcomes",
        action="store_true",
        help=f"in .html and .json: a run for each result that the rules allow, at most {MAX_TABS}",
    )
    shown.add_argument("--all", action="store_true", help="in text: also where tangles split, wait and join")
    shown.add_argument(
        "--values",
        choices=("named", "all", "none"),
        default="named",
        help="in .html and .json: values of variables, tangled operations and named results (named, default), of all "
        "results (all), or none",
    )
    output = command.group(OUTPUT)
    output.add_argument(
        "-o",
        dest="out",
        metavar="OUT",
        default=STANDARD,
        help="file to write: .html (a page to step through), .json or .txt; - is standard output",
    )
    add(output, "--to", choices=KINDS)
    add(output, "--json")
    return command


def main(options: Namespace) -> int:
    from reknit.files.streams import write_text

    setting = Setting(options)
    kind = _kind(options, setting)
    module = load_to_run(options, setting.drawing)
    if options.step:
        return _step(module, options, setting)
    values = "" if kind == "txt" or options.values == "none" else options.values
    if options.outcomes:
        shown = _outcomes(module, options, setting)
    else:
        shown = [("run", setting.run(module, trace=True, values=values, watch=options.watch))]
    if kind == "txt":
        from reknit.view.rules import rules_of_run
        from reknit.view.trace import trace_text

        result = shown[0][1]
        assert result.trace is not None
        colour = options.out == STANDARD and wants_colour(sys.stdout)
        text = rules_of_run(result, setting.policy) + "\n" + trace_text(result.trace, options.all, colour)
    else:
        from reknit.view.trace_document import trace_document
        from reknit.view.viewer_page import document_text, page

        document = trace_document(module.path or options.file, shown, lines_of)
        text = page(document) if kind == "html" else document_text(document) + "\n"
    if options.out == STANDARD and kind == "txt" and wants_colour(sys.stdout):
        sys.stdout.write(text)
    elif options.out == STANDARD:
        tell(text)
    else:
        write_text(options.out, text)
    complain(list({str(diagnostic): diagnostic for _, result in shown for diagnostic in result.diagnostics}.values()))
    return 1 if any(result.failed() for _, result in shown) else 0


def _kind(options: Namespace, setting: Setting) -> str:
    """The form of what is written, by --to or the name of OUT."""
    known = "json" if options.json else ending(options.out) if options.out != STANDARD else "txt"
    kind: str = options.to_format or known
    if kind not in KINDS:
        raise misuse("RK0010", f"'{options.out}' has none of the endings .html, .json, .txt", "name it with --to")
    if options.step and (kind != "txt" or options.out != STANDARD or options.outcomes or options.all):
        help = "leave out -o, --to, --json, --all and --outcomes"
        raise misuse("RK0010", "--step is on the terminal, of one run", help)
    if options.outcomes and kind == "txt":
        raise misuse("RK0010", "--outcomes is for the viewer and JSON", "write it with -o x.html or --to json")
    if options.outcomes and str(setting.policy) != str(Policy()):
        raise misuse("RK0010", "--outcomes goes through all policies", "leave out --outcomes, or the policy's options")
    if options.all and kind != "txt":
        raise misuse("RK0010", f"--all is for text: .{kind} has all events", "leave out --all")
    return kind


def _program(module: "Module", options: Namespace, setting: Setting, policy: Policy, values: str) -> "Program":
    """What a policy runs; `values` is which of them are kept, "" for none."""
    from reknit.sim.run import prepare

    program = prepare(
        module,
        setting.entry,
        subgroup_size=setting.subgroup_size,
        spec=setting.spec,
        kill=policy.kill,
        rules=setting.rules,
        assume=policy.assume,
        races=options.watch,
        drawing=setting.drawing,
        bound=setting.buffers,
    )
    if values:
        program.record(values)
    return program


def _step(module: "Module", options: Namespace, setting: Setting) -> int:
    """What is not recorded is found by running again up to a step: a policy is all that a run may choose by."""
    from reknit.cli.stepping import step_through
    from reknit.view.stepping import Stepper

    def replay(event: int) -> "Recording":
        if not again:
            again.append(_program(module, options, setting, setting.policy, "all"))
        [program] = again
        assert program.recorder is not None
        program.recorder.until = event
        limit = setting.max_steps
        trace = program.run(setting.policy, setting.groups, setting.buffers, max_steps=limit, trace=True).trace
        assert trace is not None and trace.recording is not None
        return trace.recording

    again: list[Program] = []
    result = setting.run(module, trace=True, watch=options.watch, values="named")
    assert result.trace is not None
    step_through(Stepper(result.trace, lines_of, replay))
    complain(result.diagnostics)
    return 1 if result.failed() else 0


def _outcomes(module: "Module", options: Namespace, setting: Setting) -> list[tuple[str, "Result"]]:
    """The run behind each result, once more with a trace. That there are more of them is reported."""
    from reknit.view.outcomes import witness

    every = setting.outcomes(module)
    programs: dict[tuple[str, str], Program] = {}
    shown: list[tuple[str, Result]] = []
    for outcome in every.outcomes[:MAX_TABS]:
        policy = outcome.policy
        program = programs.get((policy.kill, policy.assume))
        if program is None:
            program = _program(module, options, setting, policy, "" if options.values == "none" else options.values)
            programs[policy.kill, policy.assume] = program
        result = program.run(policy, setting.groups, setting.buffers, max_steps=setting.max_steps, trace=True)
        result.diagnostics.extend(program.notes)
        shown.append((witness(outcome), result))
    if len(every.outcomes) > len(shown):
        sys.stderr.write(f"{len(every.outcomes) - len(shown)} more outcomes are not in it; `reknit outcomes` has all\n")
    return shown
