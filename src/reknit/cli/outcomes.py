"""`reknit outcomes FILE`: every result that the rules allow, with what gives it.

    FILE, what buffers start with   ->   one outcome, or several that differ in some lanes
"""

from reknit.cli.drawing import add_drawing
from reknit.cli.input import add_input, load_to_run
from reknit.cli.misuse import misuse
from reknit.cli.options import Namespace, Options
from reknit.cli.parser import new_parser
from reknit.cli.running import LIMIT, Setting, add_base, add_setting
from reknit.cli.terminal import as_objects, complain, print_json, tell
from reknit.source.diagnostic import InputError


def parser() -> Options:
    command = new_parser(
        "outcomes",
        "Run a compute or fragment shader with every choice that its rules allow, on one set of buffer contents (zeros "
        "where --set gives none). With maximal reconvergence: how a "
        "switch groups lanes, whether lanes meet at a label that is reached by fallthrough, what OpKill does, which "
        "tangle goes first. Without it: whether lanes are together wherever SPIR-V does not promise it. The first line "
        "says whether there may be other results, and why.",
    )
    add_input(command)
    add_setting(command)
    add_drawing(command)
    add_base(command)
    limit_help = f"most combinations to try (default {LIMIT})"
    command.add_argument("--limit", type=int, default=LIMIT, metavar="N", help=limit_help)
    command.add_argument(
        "--packing",
        choices=("index", "any"),
        default="index",
        help="which invocations share a subgroup: in the order of LocalInvocationIndex (index, default), or every "
        "packing that Vulkan allows, including subgroups that are not full (any); `run --subgroups` runs the packing "
        "that an outcome names",
    )
    command.add_argument(
        "--full-subgroups",
        action="store_true",
        help="the pipeline requires full subgroups (VK_PIPELINE_SHADER_STAGE_CREATE_REQUIRE_FULL_SUBGROUPS_BIT); from "
        "SPIR-V 1.6 on they are full in any case where the workgroup's X is a multiple of the subgroup size",
    )
    command.add_argument("--json", action="store_true", help="print JSON")
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
