"""`reknit devices`: the Vulkan devices there are, or why there are none."""

from argparse import Namespace

from reknit.cli.on_device import add_library
from reknit.cli.parser import Parser
from reknit.cli.shared_options import OUTPUT, add
from reknit.cli.terminal import as_objects, print_json, tell
from reknit.source.diagnostic import InputError


def parser() -> Parser:
    command = Parser(
        "devices",
        "List the Vulkan devices: driver, version, subgroup sizes and features. The environment variable "
        "VK_DRIVER_FILES makes the Vulkan loader use other drivers than the system's.",
        "",
        ("--libvulkan", "--json"),
        ("reknit devices", "VK_DRIVER_FILES=lvp_icd.json reknit devices"),
    )
    add_library(command)
    add(command.group(OUTPUT), "--json")
    return command


def main(options: Namespace) -> int:
    from reknit.vulkan.run import devices
    from reknit.vulkan.target import Target

    try:
        listed = devices(Target("", options.libvulkan))
    except InputError as error:
        if not options.json:
            raise
        print_json({"devices": [], "diagnostics": as_objects(error.diagnostics)})
        return 1
    if options.json:
        print_json({"devices": listed, "diagnostics": []})
        return 0
    from reknit.view.devices import show_devices

    tell(show_devices(listed))
    return 0
