"""`reknit outcomes FILE`: every result that the rules allow, with what gives it.

    FILE, what buffers start with   ->   one outcome, or several that differ in some lanes
"""

from argparse import Namespace

from reknit.cli.drawing import add_drawing
from reknit.cli.input import add_input, load_to_run
from reknit.cli.misuse import misuse
from reknit.cli.parser import Parser
from reknit.cli.running import LIMIT, Setting, add_base, add_setting
from reknit.cli.shared_options import OUTPUT, RULES, add
from reknit.cli.terminal import as_objects, complain, print_json, tell
from reknit.source.diagnostic import InputError


def parser() -> Parser:
    command = Parser(
        "outcomes",
        "Run a compute or fragment shader once for every choice that the rules leave to an implementation, and print "
        "the different results. The first line says whether there may be more results, and why.",
        "FILE",
        ("--set", "--spec", "--entry", "--groups", "--subgroup-size", "--rules", "--limit", "--packing",
         "--full-subgroups", "--primitive", "--hex", "--json"),
        (
            "reknit outcomes blur.spv --set kind=0,0,1,2 --subgroup-size 4",
            "reknit outcomes blur.spv --rules base --json",
        ),
    )  # fmt: skip
    add_input(command)
    add_setting(command)
    choices = command.group(RULES)
    add(choices, "--limit", default=LIMIT, note=" (default %(default)s)")
    choices.add_argument(
        "--packing",
        choices=("index", "any"),
        default="index",
        help="which invocations share a subgroup: those with consecutive LocalInvocationIndex (index, default), or "
        "every packing that Vulkan allows, also into subgroups that are not full (any)",
    )
    add(choices, "--full-subgroups")
    add_drawing(command)
    add_base(command)
    add(command.group(OUTPUT), "--json")
    return command


def main(options: Namespace) -> int:
    setting = Setting(options)
    if options.limit < 1:
        raise misuse("RK0010", f"--limit {options.limit}: it is at least 1")
    try:
        return _run(options, setting)
    except InputError as error:
        if not options.json:
            raise
        diagnostics = as_objects(error.diagnostics)
        print_json({"exhaustive": False, "outcomes": [], "diagnostics": diagnostics})
        return 1


def _run(options: Namespace, setting: Setting) -> int:
    module = load_to_run(options, setting.drawing)
    every = setting.outcomes(module, options.limit, True, options.packing, options.full_subgroups)
    if options.json:
        print_json(every.to_json())
    else:
        from reknit.view.outcomes import show_outcomes

        tell(show_outcomes(module, every, setting.subgroup_size, options.base))
        if every.spent is not None:
            complain([every.spent])
    if every.stopped is not None:
        raise every.stopped
    return 1 if any(outcome.result.failed() for outcome in every.outcomes) else 0
