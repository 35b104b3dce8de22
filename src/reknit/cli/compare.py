"""`reknit compare FILE`: a shader on the simulator and on Vulkan devices, with the same inputs.

FILE, inputs   ->   per device: the same, one of the allowed outcomes, or the elements that no outcome explains
"""

import sys
from typing import TYPE_CHECKING, Any

from reknit.cli.drawing import add_drawing, add_vertices, frame_of
from reknit.cli.input import add_input, load_to_run
from reknit.cli.misuse import misuse
from reknit.cli.on_device import add_device, target_named
from reknit.cli.options import Namespace, Options
from reknit.cli.parser import new_parser
from reknit.cli.running import Setting, add_base, add_setting
from reknit.cli.terminal import as_objects, complain, print_json, tell
from reknit.source.diagnostic import InputError

if TYPE_CHECKING:
    from reknit.proof.devices import Comparison
    from reknit.vulkan.target import Target


def parser() -> Options:
    command = new_parser(
        "compare",
        "Run a compute or fragment shader, or a vertex and a fragment shader, on Vulkan devices and tell whether what "
        "they store, or draw, is among the results that the rules allow, at each device's subgroup size.",
    )
    add_input(command)
    add_setting(command)
    add_drawing(command)
    add_vertices(command)
    command.add_argument(
        "--on",
        action="append",
        metavar="WHERE",
        help="vulkan, or vulkan:NAME with part of a device's name or its number; may be given several times "
        "(default: every device)",
    )
    add_device(command)
    command.add_argument("--random", type=int, metavar="SEED", help="buffers that are not set start with random words")
    command.add_argument(
        "--ulp", type=int, default=0, metavar="N", help="how far floats may differ (default 0: not at all)"
    )
    command.add_argument("--limit", type=int, default=512, metavar="N", help="most combinations to try (default 512)")
    add_base(command)
    command.add_argument("--json", action="store_true", help="print JSON")
    return command


def main(options: Namespace) -> int:
    setting = Setting(options)
    try:
        return _compare(options, setting)
    except InputError as error:
        if not options.json:
            raise
        print_json({"devices": [], "diagnostics": as_objects(error.diagnostics)})
        return 1


def _compare(options: Namespace, setting: Setting) -> int:
    if options.ulp < 0:
        raise misuse("RK0010", f"--ulp {options.ulp}: it is a number of units from 0 on")
    from reknit.proof.devices import NOT_RUN, Comparer

    if setting.vertices is not None:
        setting.drawing = frame_of(options, "compare: what a device draws is compared")
    module = load_to_run(options, setting.drawing if setting.vertices is None else setting.vertices)
    targets = _targets(options)
    comparer = Comparer(
        module,
        setting.entry,
        setting.groups,
        setting.buffers,
        None,
        setting.spec,
        setting.max_steps,
        max(1, options.limit),
        options.ulp,
        setting.rules,
        setting.drawing,
        setting.vertices,
    )
    if options.random is not None:
        comparer.randomize(options.random)
    comparisons = [comparer.compare(target, setting.asked_size, name) for target, name in targets]
    if options.json:
        print_json({"devices": [_facts(comparison) for comparison in comparisons], "diagnostics": []})
    else:
        from reknit.view.devices import show_comparison

        for comparison in comparisons:
            tell(show_comparison(comparison, options.base))
            sys.stdout.flush()
            complain(comparison.diagnostics)
    ran = [comparison for comparison in comparisons if comparison.verdict != NOT_RUN]
    if options.on is None:
        # a device that lacks something is no finding
        return 0 if ran and all(comparison.is_fine() for comparison in ran) else 1
    return 0 if all(comparison.is_fine() for comparison in comparisons) else 1


def _targets(options: Namespace) -> "list[tuple[Target, str]]":
    """The devices that were named, or all that can be used, each with its name. Raises Misuse, InputError."""
    from reknit.vulkan.run import devices
    from reknit.vulkan.target import Target

    if options.on is None:
        listing = target_named(options, "vulkan")
        assert listing is not None
        return [
            (Target(str(device["index"]), options.libvulkan, options.seconds), device["name"])
            for device in devices(listing)
            if device["usable"]
        ]
    targets: list[tuple[Target, str]] = []
    for on in options.on:
        target = target_named(options, on)
        if target is None:
            raise misuse("RK0010", "--on sim: every device is compared with the simulator")
        targets.append((target, on))
    return targets


def _facts(comparison: "Comparison") -> dict[str, Any]:
    result = comparison.result
    return {
        "device": comparison.device,
        "rules": comparison.rules,
        "verdict": comparison.verdict,
        "subgroup_size": comparison.subgroup_size,
        "outcome": comparison.outcome,
        "outcomes": comparison.count,
        "coverage": comparison.coverage,
        "differences": [difference.to_json() for difference in comparison.differences],
        **({"outputs": [unlike.to_json() for unlike in comparison.outputs]} if comparison.outputs else {}),
        "buffers": {name: buffer.to_json() for name, buffer in result.buffers.items()} if result is not None else {},
        "diagnostics": as_objects(comparison.diagnostics),
    }
