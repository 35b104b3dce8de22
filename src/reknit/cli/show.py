"""`reknit show FILE`: the control-flow tree, or the graph, on the terminal or as a picture.

FILE -> tree as text | -o x.svg tree as a picture | --cfg -o x.svg graph as a picture | -o x.dot graph for Graphviz
        -o x.rk, x.txt text
        -o x.html graphs and trees of any size as a page to move in, fold, zoom and search
        --uniformity SCOPE: text with what is the same for all lanes of a group that run it together
        --report-dispatch: calls through interfaces are marked, with the types that can come and on which path
        --diff AFTER: both trees (with --cfg, graphs) side by side, as text, page or picture
"""

import sys
from argparse import Namespace
from typing import TYPE_CHECKING

from reknit.cli.input import add_entry, add_input, load, load_input, refuse_entry
from reknit.cli.misuse import misuse
from reknit.cli.parser import Parser
from reknit.cli.shared_options import OUTPUT, add
from reknit.cli.terminal import can_show, complain, wants_colour
from reknit.cli.writing import judge_text
from reknit.files.formats import STANDARD, ending
from reknit.files.streams import lines_of
from reknit.ir.function import Function
from reknit.ir.module import Module
from reknit.source.diagnostic import InputError
from reknit.source.visible import visible

if TYPE_CHECKING:
    from reknit.view.marks import Marks
    from reknit.view.text import Rails

KINDS = ("svg", "html", "dot", "txt", "rk")
DRAWN = ("svg", "html")


def parser() -> Parser:
    command = Parser(
        "show",
        "Show the control flow of each function, as a tree of constructs or as a graph of blocks: on the terminal, or "
        "as a picture or page.",
        "FILE",
        ("--tree", "--cfg", "--uniformity", "--diff", "--report-dispatch", "--function", "-o", "--to", "--from"),
        ("reknit show blur.spv", "reknit show blur.spv --cfg -o blur.svg"),
    )
    add_input(command)
    add_entry(command)
    shown = command.group("what is shown")
    what = shown.add_mutually_exclusive_group()
    what.add_argument("--tree", action="store_true", help="the tree of constructs (default, except for .dot)")
    what.add_argument("--cfg", action="store_true", help="the graph of blocks")
    what.add_argument(
        "--uniformity",
        metavar="SCOPE",
        nargs="?",
        const="subgroup",
        type=_scope,
        help="the text of the module, with the values that are uniform in SCOPE: workgroup, subgroup (default), quad "
        "or cluster(N)",
    )
    shown.add_argument("--fake", action="store_true", help="the graph with the edges that post-dominance adds")
    shown.add_argument("--diff", metavar="AFTER", help="FILE and AFTER side by side, as text, .html or .svg")
    add(shown, "--report-dispatch", action="store_true")
    shown.add_argument("--function", metavar="NAME", help="only this function: its name, or its id, such as %%12")
    output = command.group(OUTPUT)
    output.add_argument(
        "-o",
        dest="out",
        metavar="OUT",
        default=STANDARD,
        help=f"file to write: {', '.join('.' + kind for kind in KINDS)}; - is standard output",
    )
    add(output, "--to", choices=KINDS)
    return command


def main(options: Namespace) -> int:
    from reknit.files.streams import write_bytes
    from reknit.view.picture import chosen

    kind = _kind(options)
    refuse_entry(options, [options.file])
    module = load_input(options)
    if options.diff is not None:
        after = load(options, options.diff)
        complain(after.notes)
        left, right = _both(module, after, options.function)
        shown = _side_by_side(left, right, kind, options)
    else:
        functions = chosen(module, options.function)
        shown = _shown(module, functions, kind, options, _marks(module, functions, options))
    if kind == "txt":
        shown = visible(shown)
        if options.out == STANDARD and wants_colour(sys.stdout):
            from reknit.view.colours import painted_tree

            shown = painted_tree(shown)
    if kind == "rk":
        judge_text(module, options)
    write_bytes(options.out, shown.encode("utf-8", "surrogateescape"))
    return 0


def _kind(options: Namespace) -> str:
    kind: str = options.to_format or ("txt" if options.out == STANDARD else ending(options.out))
    if kind not in KINDS:
        known = ", ".join("." + name for name in KINDS)
        raise misuse("RK0002", f"'{options.out}' has none of the endings {known}", "name the format with --to")
    pictures = (*DRAWN, "dot") if options.report_dispatch else ("svg", "dot")
    if options.fake and (kind not in pictures or options.tree):
        raise misuse("RK0010", "--fake draws edges of the graph", "use it with -o x.svg or -o x.dot")
    if options.fake and kind in DRAWN:
        options.cfg = True
    if options.report_dispatch:
        _check_report(kind, options)
    if options.diff is not None:
        _check_diff(kind, options)
    if options.uniformity is not None:
        _check_uniformity(kind, options.uniformity)
    if kind == "rk" and (options.cfg or options.tree):
        raise misuse("RK0010", ".rk is the whole text, neither tree nor graph", "leave out --tree and --cfg")
    return kind


def _check_diff(kind: str, options: Namespace) -> None:
    if options.uniformity is not None or options.fake:
        raise misuse("RK0010", "--diff shows trees or graphs as they are", "leave out --uniformity and --fake")
    if kind not in ("txt", "html", "svg") or (kind == "svg" and options.cfg):
        help = "write it with -o x.txt or -o x.html, or with -o x.svg and without --cfg"
        raise misuse("RK0010", "--diff shows text, a page, or trees as .svg", help)
    if options.file == STANDARD and options.diff == STANDARD:
        raise misuse("RK0010", "standard input can't be both FILE and AFTER")


def _check_report(kind: str, options: Namespace) -> None:
    if kind == "rk":
        raise misuse("RK0010", "--report-dispatch marks pictures, not .rk", "`reknit opt --report-dispatch` lists them")
    if options.diff is not None or options.uniformity is not None:
        raise misuse("RK0010", "--report-dispatch is of one tree or graph", "leave out --diff and --uniformity")


def _marks(module: Module, functions: list[Function], options: Namespace) -> "Marks":
    """The dispatch sites in these functions, if they are asked for; that there are none is reported."""
    if not options.report_dispatch:
        return {}
    from reknit.analysis.typeflow.notes import NO_SITES
    from reknit.view.dispatch_marks import dispatch_marks
    from reknit.view.marks import marks_of

    marks = marks_of(functions, dispatch_marks(module))
    if not marks:
        sys.stderr.write(NO_SITES)
    return marks


def _both(before: Module, after: Module, name: str | None) -> tuple[list[Function], list[Function]]:
    """The functions of each; the one that is named may be in one of them only. Raises InputError (RK0012)."""
    from reknit.view.picture import chosen

    both: list[list[Function]] = []
    faults: list[InputError] = []
    for module in (before, after):
        try:
            both.append(chosen(module, name))
        except InputError as error:
            both.append([])
            faults.append(error)
    if len(faults) == len(both):
        raise faults[0]
    return both[0], both[1]


def _side_by_side(before: list[Function], after: list[Function], kind: str, options: Namespace) -> str:
    from reknit.view.tree_diff import side_by_side, side_by_side_svg

    if kind == "svg":
        return side_by_side_svg(before, after)
    from reknit.view.text import LINES, graph_text, tree_text

    rails = LINES if kind == "html" else _rails(options)
    shown = graph_text if options.cfg else lambda function: tree_text(function, rails)
    if kind == "html":
        from reknit.view.diff_page import diff_page

        return diff_page((options.file, before), (options.diff, after), shown, pictures=not options.cfg)
    return side_by_side(before, after, shown)


def _rails(options: Namespace) -> "Rails":
    from reknit.view.text import ASCII, LINES

    return LINES if options.out != STANDARD or can_show("├─│└", sys.stdout) else ASCII


def _scope(word: str) -> str:
    """What --uniformity takes, which may be FILE. Raises ArgumentTypeError."""
    if "." in word or "/" in word:
        from argparse import ArgumentTypeError

        raise ArgumentTypeError(f"'{word}' is no scope; put --uniformity behind FILE, or write --uniformity=subgroup")
    return word


def _check_uniformity(kind: str, scope: str) -> None:
    from reknit.analysis.uniformity.scope import is_scope

    if kind not in ("txt", "rk"):
        raise misuse("RK0010", f"uniformity is shown in text, not in .{kind}", "write it with -o x.txt")
    if not is_scope(scope):
        raise misuse("RK2302", f"'{scope}' is no scope", "one of workgroup, subgroup, quad, cluster(2), cluster(8) ...")


def _shown(module: Module, functions: list[Function], kind: str, options: Namespace, marks: "Marks") -> str:
    if options.uniformity is not None:
        from reknit.view.uniformity import uniformity_text

        return uniformity_text(module, functions, options.uniformity)
    if kind == "html" and not options.report_dispatch:
        from reknit.view.graph_document import graphs_document
        from reknit.view.viewer_page import page

        return page(graphs_document(module.path or options.file, module, functions))
    if kind in DRAWN:
        from reknit.view.graph_picture import graphs_svg
        from reknit.view.tree_svg import functions_svg

        beside = kind == "html"
        drawn = (
            graphs_svg(functions, options.fake, marks, beside)
            if options.cfg
            else functions_svg(functions, marks, beside)
        )
        if not beside:
            return drawn
        from reknit.view.page import html_page

        return html_page(options.file, drawn, module, marks, lines_of)
    if kind == "dot":
        from reknit.view.dot import graph_dot, tree_dot

        return "".join(
            [
                tree_dot(function, marks) if options.tree else graph_dot(function, options.fake, marks)
                for function in functions
            ]
        )
    if kind == "rk":
        from reknit.ir.text.printer import print_function, print_module

        if options.function is None:
            return print_module(module)
        return "\n".join([print_function(function) for function in functions])
    from reknit.view.text import graph_text, tree_text

    if options.cfg:
        parts = [graph_text(function, marks) for function in functions]
    else:
        rails = _rails(options)
        parts = [tree_text(function, rails, marks) for function in functions]
    if marks:
        from reknit.view.marks import marks_text

        parts.append(marks_text(marks))
    return "\n".join(parts)
