"""`reknit compare FILE`: a shader on the simulator and on Vulkan devices, with the same inputs.

FILE, inputs   ->   per device: the same, one of the allowed outcomes, or the elements that no outcome explains
"""

import sys
from argparse import Namespace
from typing import TYPE_CHECKING, Any

from reknit.cli.drawing import add_drawing, add_vertices, frame_of
from reknit.cli.input import add_input, load_to_run
from reknit.cli.misuse import misuse
from reknit.cli.on_device import WHERE, add_device, target_named
from reknit.cli.parser import Parser, whole
from reknit.cli.running import Setting, add_base, add_setting
from reknit.cli.shared_options import DATA, OUTPUT, RULES, add
from reknit.cli.terminal import as_objects, complain, print_json, tell
from reknit.source.diagnostic import InputError

if TYPE_CHECKING:
    from reknit.proof.devices import Comparison
    from reknit.vulkan.target import Target


def parser() -> Parser:
    command = Parser(
        "compare",
        "Run a shader on Vulkan devices, and tell for each whether its results are among those that the rules allow.",
        "FILE",
        ("--set", "--spec", "--entry", "--groups", "--subgroup-size", "--primitive", "--vertices", "--rules", "--on",
         "--random", "--ulp", "--hex", "--json"),
        ("reknit compare blur.spv --set kind=0,0,1,2", "reknit compare blur.spv --on vulkan:llvmpipe --random 1"),
    )  # fmt: skip
    add_input(command)
    add_setting(command)
    command.group(DATA).add_argument(
        "--random", type=whole, metavar="SEED", help="fill the buffers that are not set with random words"
    )
    add_drawing(command)
    add_vertices(command)
    choices = command.group(RULES)
    add(choices, "--limit", default=512, note=" (default %(default)s)")
    choices.add_argument(
        "--ulp", type=whole, default=0, metavar="N", help="how far floats may differ, in ULP (default %(default)s)"
    )
    command.group(WHERE).add_argument(
        "--on",
        action="append",
        metavar="WHERE",
        help="device: vulkan, or vulkan:NAME with its number or a part of its name; may be repeated (default: every "
        "device)",
    )
    add_device(command)
    add_base(command)
    add(command.group(OUTPUT), "--json")
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
