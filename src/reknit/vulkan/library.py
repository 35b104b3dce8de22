"""libvulkan through ctypes: loading it, and calling it so that no VkResult is overlooked.

    Vulkan("libvulkan.so.1").call("vkCreateInstance", ...)   ->   None, or VulkanError("vkCreateInstance", -9)

The loader exports the commands of Vulkan 1.1, which are all that a dispatch takes.
"""

import ctypes
import sys
from typing import Any, Final, final

NAMES: Final = {
    "linux": ("libvulkan.so.1", "libvulkan.so"),
    "darwin": ("libvulkan.1.dylib", "libvulkan.dylib", "libMoltenVK.dylib"),
    "win32": ("vulkan-1.dll",),
}

RESULTS: Final = {
    1: "VK_NOT_READY",
    2: "VK_TIMEOUT",
    5: "VK_INCOMPLETE",
    -1: "VK_ERROR_OUT_OF_HOST_MEMORY",
    -2: "VK_ERROR_OUT_OF_DEVICE_MEMORY",
    -3: "VK_ERROR_INITIALIZATION_FAILED",
    -4: "VK_ERROR_DEVICE_LOST",
    -5: "VK_ERROR_MEMORY_MAP_FAILED",
    -6: "VK_ERROR_LAYER_NOT_PRESENT",
    -7: "VK_ERROR_EXTENSION_NOT_PRESENT",
    -8: "VK_ERROR_FEATURE_NOT_PRESENT",
    -9: "VK_ERROR_INCOMPATIBLE_DRIVER",
    -10: "VK_ERROR_TOO_MANY_OBJECTS",
    -12: "VK_ERROR_FRAGMENTED_POOL",
    -13: "VK_ERROR_UNKNOWN",
    -1000012000: "VK_ERROR_INVALID_SHADER_NV",
    -1000069000: "VK_ERROR_OUT_OF_POOL_MEMORY",
    1000297000: "VK_PIPELINE_COMPILE_REQUIRED",
}
"""Source: Vulkan 1.4, VkResult."""

TIMEOUT: Final = 2
DEVICE_LOST: Final = -4
INCOMPATIBLE_DRIVER: Final = -9


class VulkanError(Exception):
    """A Vulkan command that did not return VK_SUCCESS."""

    def __init__(self, command: str, result: int) -> None:
        super().__init__(f"{command} returned {RESULTS.get(result, result)}")
        self.command = command
        self.result = result


class NoLibrary(Exception):
    """There is no libvulkan to load, or it can't be."""


@final
class Vulkan:
    """The loaded library; `reached` gets the name of each command before it is called."""

    __slots__ = ("library", "reached")

    def __init__(self, path: str, reached: Any) -> None:
        self.library = load(path)
        self.reached = reached

    def call(self, command: str, *arguments: Any) -> None:
        """A command that returns a VkResult. Raises VulkanError."""
        self.reached(command)
        result = int(self.function(command)(*arguments))
        if result != 0:
            raise VulkanError(command, result)

    def tell(self, command: str, *arguments: Any) -> None:
        """A command that returns nothing."""
        self.reached(command)
        function = self.function(command)
        function.restype = None
        function(*arguments)

    def function(self, command: str) -> Any:
        try:
            return getattr(self.library, command)
        except AttributeError:
            raise NoLibrary(f"{self.library._name} has no {command}") from None


def load(path: str) -> ctypes.CDLL:
    """The library at `path`, or the system's. Raises NoLibrary."""
    names = (path,) if path else NAMES.get(sys.platform, NAMES["linux"])
    faults: list[str] = []
    for name in names:
        try:
            return ctypes.CDLL(name)
        except OSError as fault:
            faults.append(str(fault) or name)
    raise NoLibrary("; ".join(faults))
