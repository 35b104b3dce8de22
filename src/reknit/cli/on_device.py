"""The options that say where a shader runs.

    --on sim                          the simulator
    --on vulkan:llvm --seconds 10     a Vulkan device   ->   Target

Which drivers there are is the loader's business.
"""

from argparse import Namespace
from typing import TYPE_CHECKING

from reknit.cli.limiting import check_seconds
from reknit.cli.misuse import misuse
from reknit.cli.parser import Parser, number
from reknit.cli.shared_options import add
from reknit.source.diagnostic import InputError

if TYPE_CHECKING:
    from reknit.vulkan.target import Target

SECONDS = 60.0
WHERE = "where to run"


def add_on(parser: Parser) -> None:
    """--on, --seconds, --libvulkan."""
    add(parser.group(WHERE), "--on")
    add_device(parser)


def add_device(parser: Parser) -> None:
    """What is said about devices besides which."""
    parser.group(WHERE).add_argument(
        "--seconds", type=number, default=SECONDS, metavar="N", help="how long a device may take (default 60)"
    )
    add_library(parser)


def add_library(parser: Parser) -> None:
    add(parser.group(WHERE), "--libvulkan")


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
