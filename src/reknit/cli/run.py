"""`reknit run FILE`: run a compute shader and show its buffers, on the simulator or a Vulkan device; or run a script.

    FILE, what buffers start with, policies   ->   buffers lane by lane, or JSON; what went wrong on standard error
    FILE, --primitive or --scene              ->   a fragment shader: what it leaves in the framebuffer, too
"""

from argparse import Namespace
from typing import TYPE_CHECKING

from reknit.analysis.tangles.rules import DECLARED
from reknit.cli.drawing import add_drawing, add_vertices, frame_of, size_of
from reknit.cli.input import add_input, load_to_run
from reknit.cli.misuse import misuse
from reknit.cli.on_device import WHERE, add_on, target_of_options
from reknit.cli.parser import Parser
from reknit.cli.running import Setting, add_base, add_policy, add_setting
from reknit.cli.shared_options import OUTPUT, add
from reknit.cli.terminal import as_objects, complain, print_json, tell
from reknit.files.formats import is_script
from reknit.files.streams import lines_of
from reknit.sim.engine import AUTO, ENGINES, expect
from reknit.source.diagnostic import InputError

if TYPE_CHECKING:
    from reknit.analysis.freedoms import Open
    from reknit.ir.module import Module
    from reknit.sim.result import Result
    from reknit.vulkan.target import Target

SIMULATED = (
    "partition", "fallthrough", "schedule", "kill", "lanes", "quads", "helpers", "derivatives", "grouping", "assume",
    "subgroups", "rules", "watch", "trace", "engine",
)  # fmt: skip
"""Options that mean nothing to a device."""


def parser() -> Parser:
    command = Parser(
        "run",
        "Run a compute, fragment or vertex shader, in the simulator or on a Vulkan device, and print what it writes to "
        "its buffers. `reknit run x.amber` runs an Amber script and checks its expectations.",
        "FILE",
        (
            "--set", "--spec", "--entry", "--groups", "--subgroup-size", "--primitive", "--vertices", "--on", "--rules",
            "--watch", "--trace", "--hex", "--json",
        ),
        (
            "reknit run blur.spv --set kind=0,0,1,2 --subgroup-size 4",
            "reknit run blur.slang --set pixels=@pixels.bin --groups 8,8 --on vulkan",
        ),
    )  # fmt: skip
    add_input(command)
    add_setting(command)
    add_drawing(command)
    add_vertices(command)
    add_policy(command)
    add_on(command)
    add(command.group(WHERE), "--engine", choices=ENGINES, default=AUTO)
    output = command.group(OUTPUT)
    add(output, "--watch")
    output.add_argument("--trace", action="store_true", help="also print which lanes run each block together")
    add_base(command)
    add(output, "--json")
    return command


def main(options: Namespace) -> int:
    if is_script(options.file):
        from reknit.cli.script import run_script

        return run_script(options, parser())
    setting = Setting(options)
    try:
        return _run(options, setting)
    except InputError as error:
        if not options.json:
            raise
        print_json(failed(setting, error, options.on))
        return 1


def _run(options: Namespace, setting: Setting) -> int:
    target = target_of_options(options)
    if target is None and not (options.trace or options.watch):
        expect(options.engine, setting.groups)
    module = load_to_run(options, setting.drawing if setting.vertices is None else setting.vertices)
    if target is None:
        result = setting.run(module, trace=options.trace, watch=options.watch, engine=options.engine)
        if result.vertices is not None and options.size is not None and not result.failed():
            result = _with_fragments(options, setting, module, result)
    else:
        result = _on_device(options, setting, module, target)
    code = 1 if result.failed() else 0
    if options.json:
        out = result.to_json()
        if target is None:
            out["left_open"] = [each.to_json() for each in left_open(module, result, setting)]
        if result.trace is not None:
            from reknit.view.trace_document import trace_document

            out["trace"] = trace_document(options.file, [("run", result)], lines_of)
        print_json(out)
        return code
    from reknit.view.buffers import show_buffers

    if target is None:
        from reknit.view.rules import rules_decide, rules_of_run

        if options.rules != DECLARED or rules_decide(module):
            print(rules_of_run(result, setting.policy))
    if result.trace is not None:
        from reknit.view.trace import trace_text

        tell(trace_text(result.trace, False) + "\n")
    if target is not None:
        tell(f"on {result.on}, subgroups of {result.subgroup_size}\n\n")
    if result.framebuffer is not None:
        from reknit.view.framebuffer import show_framebuffer

        tell(show_framebuffer(result.framebuffer))
    if result.vertices is not None:
        from reknit.view.vertices import show_vertices

        tell(show_vertices(result.vertices))
    tell(show_buffers(module, result.buffers, result.subgroup_size, options.base))
    if not result.buffers and result.framebuffer is None and result.vertices is None:
        print("the program has no buffer to write to")
    complain(result.diagnostics)
    return code


def left_open(module: "Module", result: "Result", setting: Setting) -> "list[Open]":
    """What the rules leave open, by the ledger of freedoms: the run took one choice of each. What the run reports where
    it happens is left to its diagnostics."""
    from reknit.analysis.freedoms import EVENTS, ledger
    from reknit.sim.entry import find_entry, function_of_entry, models_of, reached_functions

    drawing = setting.drawing if setting.vertices is None else setting.vertices
    point = find_entry(module, setting.entry, models_of(drawing))
    book = ledger(module, point, reached_functions(module, function_of_entry(point)), result.rules)
    book.applied = {name: row for name, row in book.applied.items() if row.freedom.seen not in EVENTS}
    return book.open("run")


def _with_fragments(options: Namespace, setting: Setting, module: "Module", left: "Result") -> "Result":
    """What the fragment shader of the module makes of what its vertex shader left, in memory too."""
    from reknit.sim.buffers import carried
    from reknit.sim.vertices import drawn

    assert left.vertices is not None
    setting.vertices = None
    setting.drawing = drawn(left.vertices, size_of(options.size), samples=options.samples or 1)
    setting.buffers.update(carried(left.buffers))
    result = setting.run(module, trace=options.trace, watch=options.watch, engine=options.engine)
    result.diagnostics[:0] = left.diagnostics
    return result


def _on_device(options: Namespace, setting: Setting, module: "Module", target: "Target") -> "Result":
    from reknit.vulkan.draw import draw_on
    from reknit.vulkan.run import run_on

    command = parser()
    for name in SIMULATED:
        if hasattr(options, name) and getattr(options, name) != command.get_default(name):
            raise misuse("RK0010", f"--{name} is for the simulator, not for --on {options.on}")
    if setting.vertices is not None:
        from reknit.vulkan.draw import draw_vertices_on

        return draw_vertices_on(
            target,
            module,
            setting.vertices,
            frame_of(options, f"--on {options.on}: a driver shows what is drawn"),
            setting.entry,
            subgroup_size=setting.asked_size,
            buffers=setting.buffers,
            spec=setting.spec,
        )
    if setting.drawing is not None:
        return draw_on(
            target,
            module,
            setting.drawing,
            setting.entry,
            subgroup_size=setting.asked_size,
            buffers=setting.buffers,
            spec=setting.spec,
        )
    return run_on(
        target,
        module,
        setting.entry,
        groups=setting.groups,
        subgroup_size=setting.asked_size,
        buffers=setting.buffers,
        spec=setting.spec,
    )


def failed(setting: Setting, error: InputError, on: str = "sim") -> dict[str, object]:
    """The JSON of a run that could not be started."""
    return {
        "entry": setting.entry,
        "subgroup_size": setting.subgroup_size,
        "on": on,
        "buffers": {},
        "diagnostics": as_objects(error.diagnostics),
    }
