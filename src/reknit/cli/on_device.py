"""The options that say where a shader runs.

    --on sim                          the simulator
    --on vulkan:llvm --seconds 10     a Vulkan device   ->   Target

Which drivers there are is the loader's business.
"""

from typing import TYPE_CHECKING

from reknit.cli.misuse import misuse
from reknit.cli.options import Namespace, Options
from reknit.cli.parser import check_seconds
from reknit.source.diagnostic import InputError

if TYPE_CHECKING:
    from reknit.vulkan.target import Target

SECONDS = 60.0
HELP = "sim (default), vulkan, or vulkan:NAME with part of a device's name or its number"


def add_on(parser: Options) -> None:
    """--on, --seconds, --libvulkan."""
    parser.add_argument("--on", default="sim", metavar="WHERE", help=HELP)
    add_device(parser)


def add_device(parser: Options) -> None:
    """What is said about devices besides which."""
    parser.add_argument(
        "--seconds", type=float, default=SECONDS, metavar="N", help="how long a device may take (default 60)"
    )
    add_library(parser)


def add_library(parser: Options) -> None:
    parser.add_argument(
        "--libvulkan", default="", metavar="PATH", help="the Vulkan loader, where it is not the system's"
    )


def target_of_options(options: Namespace) -> "Target | None":
    """The device to run on, None for the simulator. Raises Misuse."""
    return target_named(options, options.on)


def target_named(options: Namespace, on: str) -> "Target | None":
    """The same for one of several values of --on."""
    from reknit.vulkan.target import target_of

    check_seconds("--seconds", options.seconds)
    try:
        return target_of(on, options.libvulkan, options.seconds)
    except InputError as error:
        raise misuse(error) from None
