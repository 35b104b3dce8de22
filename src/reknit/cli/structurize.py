"""`reknit structurize FILE -o OUT`: a control-flow tree for functions that have none, written as SPIR-V can.

    a.cfg, a.spv, ... ──read──▶ flat functions ──structurize, flags for jumps over several levels, values──▶ OUT

--report tells what that took, on standard output. --dump-dot draws every pass, and the steps of the first:

    00-input.main.graph.dot  01-structurize-1-plain.main.graph.dot  ...-4-tree.main.tree.dot  02-eliminate-phis...
"""

import os
import sys
from argparse import Namespace
from typing import TYPE_CHECKING, final

from reknit.cli.input import add_input, load_input
from reknit.cli.misuse import misuse
from reknit.cli.parser import Parser
from reknit.cli.pipeline import file_name, run_pipeline
from reknit.cli.shared_options import OUTPUT, add, add_out
from reknit.cli.terminal import complain, tell
from reknit.cli.writing import add_check, write_output
from reknit.files.formats import STANDARD, write_format
from reknit.ir.function import Function
from reknit.ir.module import Module
from reknit.passes.pipelines import ASSUME, NESTING, structurizing
from reknit.source.diagnostic import InputError

if TYPE_CHECKING:
    from reknit.passes.manager import Report
    from reknit.passes.structurize.summary import Summary


def parser() -> Parser:
    command = Parser(
        "structurize",
        "Give structured control flow to every function that has none, and write the result.",
        "FILE -o OUT",
        ("-o", "--to", "--from", "--assume", "--nesting", "--report", "--dump-dot", "--quiet"),
        ("reknit structurize kernel.ll -o kernel.spv", "reknit structurize graph.cfg -o graph.rk --report"),
    )
    add_input(command)
    how = command.group("how")
    add(how, "--assume", choices=ASSUME, default=ASSUME[0])
    add(how, "--nesting", default=NESTING, note=" (default %(default)s)")
    output = command.group(OUTPUT)
    add_out(output, required=True)
    output.add_argument("--report", action="store_true", help="print what was added: blocks, constructs, flags")
    add(output, "--dump-dot")
    add_check(command)
    add(output, "--quiet")
    command.set_defaults(print_after=None, print_changed=False, time_passes=False, verify_each=False)
    command.set_defaults(prove=False, prove_all=False, report_dispatch=None)
    return command


def main(options: Namespace) -> int:
    try:
        format = write_format(options.out, options.to_format)
    except InputError as error:
        raise misuse(error) from None
    if options.nesting < 1:
        raise misuse("RK0010", f"--nesting {options.nesting}: at least one construct must be allowed", "leave it out")
    if options.report and options.out == STANDARD:
        raise misuse("RK0010", "--report and the module can't both go to standard output", "name a file with -o")
    module = load_input(options, quiet=True)
    options.passes = structurizing(options.assume, options.nesting)
    if options.dump_dot is not None:
        draw_steps(module, options)
    costs = _Costs(module)
    report = run_pipeline(module, options, costs.after if options.report else None)
    write_output(module, options, format)
    if not options.quiet:
        complain(report.notes(), "concise")
    if options.report:
        tell(costs.text(report))
    sys.stdout.flush()
    return 0


def draw_steps(module: Module, options: Namespace) -> None:
    """Structurize a copy of the flat functions, and draw each step into the folder of --dump-dot."""
    from reknit.analysis.manager import Analyses
    from reknit.cli.pipeline import make_folder
    from reknit.files.streams import write_text
    from reknit.ir.text.parser import parse
    from reknit.ir.text.printer import print_module
    from reknit.passes.contract import Context
    from reknit.passes.structurize.structurize import structurize_in_steps
    from reknit.view.dot import graph_dot, tree_dot

    make_folder(options.dump_dot)
    copy = parse(print_module(module))
    context = Context(copy, Analyses(copy), {"assume": options.assume, "nesting": options.nesting})
    for number, function in enumerate(copy.functions):
        if function.structured or function.is_declaration():
            continue
        file = file_name(function.name) or f"function-{number}"
        steps: list[str] = []

        def draw(step: str, function: Function = function, file: str = file, steps: list[str] = steps) -> None:
            steps.append(step)
            start = os.path.join(options.dump_dot, f"01-structurize-{len(steps)}-{step}.{file}")
            write_text(f"{start}.graph.dot", graph_dot(function, True))
            if function.structured:
                write_text(f"{start}.tree.dot", tree_dot(function))

        structurize_in_steps(function, context, draw)


@final
class _Costs:
    """What each flat function was, is after `structurize`, and is in the end."""

    def __init__(self, module: Module) -> None:
        self.flat = [function for function in module.functions if not function.structured and function.blocks]
        self.steps: dict[Function, dict[str, Summary]] = {function: {} for function in self.flat}

    def after(self, number: int, name: str, module: Module) -> None:
        from reknit.passes.structurize.summary import Summary

        for function in self.flat:
            self.steps[function][name] = Summary(function)

    def text(self, report: "Report") -> str:
        """Two lines for each function."""
        from reknit.passes.structurize.structurize import SELECTORS

        lines: list[str] = []
        counts = report.passes[0].counts
        for function in self.flat:
            steps = self.steps[function]
            first, tree, last = steps["input"], steps["structurize"], steps["promote-variables"]
            name = function.name or f"%{function.id}"
            growth = last.blocks / max(first.blocks, 1)
            lines.append(
                f"@{name}: {_number(first.blocks, 'block')} in, {last.blocks} out ({growth:.2f} each); "
                f"{_number(tree.ifs, 'if')}, {_number(tree.loops, 'loop')}, {_number(tree.switches, 'switch')}, "
                f"{_number(tree.jumps, 'jump')}"
            )
            selectors = counts.get(function, {}).get(SELECTORS, 0)
            lines.append(
                f"  added: {_number(tree.scopes, 'scope')}, {_number(selectors, 'selector')} of entrances and levels, "
                f"{_number(tree.flags, 'flag')} for jumps over several levels"
            )
        if not lines:
            lines.append("every function has structure already")
        return "\n".join(lines) + "\n"


def _number(count: int, noun: str) -> str:
    """`1 switch`, `2 switches`."""
    return f"{count} {noun}{'' if count == 1 else 'es' if noun.endswith('ch') else 's'}"
