"""Which driver to run on, and how long it may take.

    --on vulkan         the first device of the loader that the system has
    --on vulkan:llvm    the first whose name has "llvm" in it, in any case
    --on vulkan:1       the second

The loader itself decides which drivers there are (VK_DRIVER_FILES, a list of manifests, tells it others).
"""

from collections.abc import Mapping
from typing import Final, final

from reknit.source.diagnostic import Diagnostic, InputError

SIMULATOR: Final = "sim"
VULKAN: Final = "vulkan"
SECONDS: Final = 60.0
GRACE: Final = 10.0
_HELP: Final = "vulkan, or vulkan:NAME with part of a device's name or its number"


@final
class Target:
    """A device: `name` is part of its name or its number, "" the first; `library` the path of libvulkan, "" the
    system's; `seconds` the most that a run may take, `grace` what starting and compiling may take besides;
    `environment` is set for the driver's process besides what this one has."""

    __slots__ = ("name", "library", "seconds", "environment", "grace")

    def __init__(
        self,
        name: str = "",
        library: str = "",
        seconds: float = SECONDS,
        environment: Mapping[str, str] | None = None,
        grace: float = GRACE,
    ) -> None:
        self.name = name
        self.library = library
        self.seconds = seconds
        self.grace = grace
        self.environment: dict[str, str] = dict(environment) if environment is not None else {}


def target_of(on: str, library: str = "", seconds: float = SECONDS) -> Target | None:
    """The device that "vulkan" or "vulkan:NAME" means, None for "sim". Raises InputError (RK1102)."""
    if on == SIMULATOR:
        return None
    kind, colon, name = on.partition(":")
    if kind != VULKAN or (colon and not name):
        raise InputError([Diagnostic("RK1102", f"nothing to run on is called {on!r}", help=f"sim, {_HELP}")])
    return Target(name, library, seconds)


def device_named(on: str, library: str = "", seconds: float = SECONDS) -> Target:
    """As `target_of`, for what compares the simulator with a device: "sim" is none. Raises InputError (RK1102)."""
    target = target_of(on, library, seconds)
    if target is None:
        raise InputError([Diagnostic("RK1102", "a device is compared with the simulator: sim is none", help=_HELP)])
    return target
