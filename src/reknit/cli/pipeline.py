"""The options of the commands that run passes, and running them.

    -p "eliminate-phis,lower-switches{exit=sentinel}"  --print-after [PASS]  --print-changed  --dump-dot DIR
    --time-passes  --verify-each  --dispatch MODE  --report-dispatch [json]  --prove

What the options show goes to standard error, so that the result can go to standard output.
"""

import os
import sys
from argparse import SUPPRESS, Action, ArgumentParser, Namespace
from typing import TYPE_CHECKING, final

from reknit.cli.dispatch_mode import add_dispatch, with_mode
from reknit.cli.dispatching import add_report_dispatch, report_dispatch
from reknit.cli.misuse import misuse
from reknit.cli.parser import Parser
from reknit.cli.proving import add_question
from reknit.cli.shared_options import PASSES, add
from reknit.cli.terminal import remark
from reknit.ir.module import Module
from reknit.source.diagnostic import InputError

if TYPE_CHECKING:
    from reknit.passes.manager import PassReport, Report, Watcher
    from reknit.proof.stepwise import Stepwise
    from reknit.proof.verdict import Verdict

ALL_PASSES = ""


def add_pipeline(parser: Parser, default: str) -> None:
    passes = parser.group(PASSES)
    add(passes, "--passes", default=default, note=f" (default {default or 'none'})")
    passes.add_argument(
        "-O",
        dest="passes",
        action="store_const",
        const="optimize",
        help="run the passes of `optimize`: smaller and faster code; which invocations run together stays",
    )
    passes.add_argument("--list-passes", action=_ListPasses, help="list all passes, their options, and the pipelines")
    passes.add_argument(
        "--verify-each", action="store_true", help="check, after each pass, the module and what the pass promises"
    )
    watch = parser.group("watching the passes")
    watch.add_argument(
        "--explore", metavar="OUT.html", help="write a page that shows what each pass changed, as text and as graphs"
    )
    watch.add_argument("--print-changed", action="store_true", help="print what each pass changed, as a diff")
    watch.add_argument(
        "--print-after",
        action="append",
        nargs="?",
        const=ALL_PASSES,
        metavar="PASS",
        help="print the module after PASS, or after every pass",
    )
    watch.add_argument("--time-passes", action="store_true", help="print how long each pass took")
    add(watch, "--dump-dot")
    add_dispatch(parser)
    add_report_dispatch(parser)
    proof = parser.group("proving the passes")
    proof.add_argument("--prove", action="store_true", help="prove each pass that changed something, as `prove` does")
    proof.add_argument(
        "--prove=require",
        dest="prove_all",
        action="store_true",
        help="the same, and fail if a pass is not proved for every input",
    )
    add_question(parser, "with --prove")


class _ListPasses(Action):
    """Prints the list and ends, as --help does."""

    def __init__(self, option_strings: list[str], dest: str, help: str) -> None:
        super().__init__(option_strings, SUPPRESS, nargs=0, default=SUPPRESS, help=help)

    def __call__(self, parser: ArgumentParser, *_: object) -> None:
        print(list_passes(), end="")
        parser.exit()


def check_passes(options: Namespace) -> None:
    """Raises Misuse for passes that there are not, or not in that order (RK2001 to RK2005). `options.passes` gets what
    `--dispatch` says."""
    from reknit.passes.catalog import catalog
    from reknit.passes.order_check import order_faults
    from reknit.passes.pipeline_text import parse_pipeline

    known = catalog()
    try:
        specs = parse_pipeline(options.passes, known)
        faults = order_faults(specs, known)
        for name in options.print_after or []:
            if name != ALL_PASSES:
                parse_pipeline(name, known)
    except InputError as error:
        raise misuse(error) from None
    if faults:
        raise misuse(InputError(faults))
    if options.dispatch is not None:
        options.passes = with_mode(specs, options.dispatch)


def run_pipeline(module: Module, options: Namespace, also: "Watcher | None" = None) -> "Report":
    """Run the passes, showing on standard error what was asked for, and telling `also` of the input and of each pass.
    With --prove `options.proofs` gets the verdicts; raises Refuted at the first pass that is refuted."""
    from reknit.passes.manager import Hooks, run_passes

    if options.report_dispatch is not None:
        report_dispatch(module, options.report_dispatch, options.passes)
    if options.dump_dot is not None:
        make_folder(options.dump_dot)
    judge: Watcher | None = None
    if options.verify_each or (options.prove and not options.no_check):
        from reknit.files.judging import EachPass

        judge = EachPass()
    watch = _Watch(module, options)
    options.proofs = watch.proofs()
    names = tuple(name for name in options.print_after or [] if name != ALL_PASSES)
    hooks = Hooks(
        verify_each=options.verify_each,
        print_after=None if options.print_after is None else watch.print_after,
        print_names=() if ALL_PASSES in (options.print_after or []) else names,
        print_changed=watch.changed if options.print_changed or options.prove else None,
        dump=_both(_both(watch.dump if options.dump_dot is not None else None, also), judge),
    )
    report = run_passes(module, options.passes, hooks)
    if options.time_passes:
        sys.stderr.write(times(report))
    return report


def _both(first: "Watcher | None", second: "Watcher | None") -> "Watcher | None":
    if first is None or second is None:
        return first if second is None else second

    def tell(number: int, name: str, module: Module) -> None:
        first(number, name, module)
        second(number, name, module)

    return tell


def make_folder(path: str) -> None:
    """Raises Misuse (RK0007) where there can be no folder."""
    try:
        os.makedirs(path, exist_ok=True)
    except OSError as error:
        raise misuse("RK0007", f"the folder {path} can't be made: {error.strerror}") from None


def times(report: "Report") -> str:
    """A line a pass: milliseconds, name, and what it did."""
    lines = [f"{1000 * entry.seconds:>10.2f} ms  {entry.name}{_did(entry)}" for entry in report.passes]
    total = sum(entry.seconds for entry in report.passes)
    return "\n".join([*lines, f"{1000 * total:>10.2f} ms  in all"]) + "\n"


def _did(entry: "PassReport") -> str:
    if entry.skipped:
        return f" (not run on {len(entry.skipped)} functions)"
    return "" if entry.changed else " (changed nothing)"


def list_passes() -> str:
    """Every pass with its options, then the pipelines."""
    from reknit.passes.catalog import PASSES, catalog
    from reknit.passes.outside import registered_passes
    from reknit.passes.pipelines import PIPELINES

    width = max(len(transform.name) for transform in PASSES)
    lines: list[str] = ["passes"]
    for transform in [*PASSES, *registered_passes(catalog())]:
        lines.append(f"  {transform.name:<{width}}  {transform.summary}")
        for option in transform.options:
            choices = f" ({', '.join(option.choices)})" if option.choices else ""
            default = str(option.default).lower() if isinstance(option.default, bool) else option.default
            lines.append(f"  {'':<{width}}    {option.name}={default}: {option.help}{choices}")
    lines.append("pipelines")
    for name, passes in PIPELINES.items():
        lines.append(f"  {name:<{width}}  {', '.join(passes)}")
    return "\n".join(lines) + "\n"


@final
class _Watch:
    """Shows a module while passes change it. `before` is its text before the next change, where that is wanted."""

    __slots__ = ("folder", "before", "drawn", "shows", "stepwise")

    def __init__(self, module: Module, options: Namespace) -> None:
        self.folder: str | None = options.dump_dot
        self.before = _text(module) if options.print_changed else ""
        self.drawn: dict[tuple[str, str], str] = {}  # the last picture of each kind, by the function's file name
        self.shows: bool = options.print_changed
        self.stepwise: Stepwise | None = None
        if options.prove:
            from reknit.cli.proving import question_of
            from reknit.proof.stepwise import Stepwise as Proofs

            self.stepwise = Proofs(module, question_of(options))

    def print_after(self, number: int, name: str, module: Module) -> None:
        remark(f"// after pass {number}, {name}\n{_text(module)}\n")

    def proofs(self) -> "list[tuple[int, str, Verdict]]":
        """The list that verdicts are added to."""
        return self.stepwise.verdicts if self.stepwise is not None else []

    def changed(self, number: int, name: str, module: Module) -> None:
        if self.shows:
            self.print_changed(number, name, module)
        if self.stepwise is not None:
            self.stepwise.after(number, name, module)

    def print_changed(self, number: int, name: str, module: Module) -> None:
        from reknit.view.diff import difference

        after = _text(module)
        remark(difference(self.before, after, f"before pass {number}, {name}", "after it"))
        self.before = after

    def dump(self, number: int, name: str, module: Module) -> None:
        """NN-pass.function.graph.dot and .tree.dot. A picture that is as it was before the pass says so in its first
        line."""
        from reknit.files.streams import write_text
        from reknit.view.dot import graph_dot, tree_dot

        assert self.folder is not None
        used: dict[str, int] = {}
        for function in module.functions:
            if function.is_declaration():
                continue
            shown = file_name(function.name or str(function.id))
            used[shown] = used.get(shown, 0) + 1
            if used[shown] > 1:
                shown += f"-{used[shown]}"  # functions may have the same name
            for kind, text in (("graph", graph_dot(function, True)), ("tree", tree_dot(function))):
                file = f"{number:02}-{name}.{shown}.{kind}.dot"
                as_before = self.drawn.get((shown, kind)) == text
                self.drawn[(shown, kind)] = text
                if as_before:
                    text = f"// unchanged by pass {number}, {name}\n" + text
                write_text(os.path.join(self.folder, file), text)


def _text(module: Module) -> str:
    from reknit.ir.text.printer import print_module

    return print_module(module)


def file_name(name: str) -> str:
    """`name` as part of a file's name."""
    return "".join(sign if sign.isalnum() or sign in "-_" else "_" for sign in name)[:80]
