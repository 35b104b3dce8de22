"""`reknit devices`: the Vulkan devices there are, or why there are none."""

from reknit.cli.on_device import add_library
from reknit.cli.options import Namespace, Options
from reknit.cli.parser import new_parser
from reknit.cli.terminal import as_objects, print_json, tell
from reknit.source.diagnostic import InputError


def parser() -> Options:
    command = new_parser(
        "devices",
        "The Vulkan devices that the loader finds: driver, version, subgroup sizes and features. VK_DRIVER_FILES tells "
        "the loader other drivers than the system's.",
    )
    add_library(command)
    command.add_argument("--json", action="store_true", help="print JSON, with all features")
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
