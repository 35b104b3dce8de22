"""The software Vulkan drivers that tests run shaders on, as targets of the product's own runner.

    target("lavapipe", lanes=8)   Mesa's driver, with subgroups as wide as asked: 4, 8 or 16
    target("swiftshader")         always 4
    settings("lavapipe")          what the loader is told: its path, and environment variables

`tools/get_oracles.py` installs them; a test that asks for one that is not there is skipped.
"""

from pathlib import Path

import pytest

from kit.oracles import need
from reknit.vulkan.target import Target

LAVAPIPE_LANES = (4, 8, 16)
DRIVERS = [("lavapipe", 4), ("lavapipe", 8), ("lavapipe", 16), ("swiftshader", 4)]
on_every_driver = pytest.mark.parametrize("driver, lanes", DRIVERS, ids=[f"{name}-{lanes}" for name, lanes in DRIVERS])

DRAWING = [("lavapipe", 4), ("lavapipe", 8), ("swiftshader", 4)]
"""Those that draw: a fragment shader of lavapipe with vectors of 512 bits crashes in its own code (Mesa 25.0.7)."""

on_every_drawing_driver = pytest.mark.parametrize(
    "driver, lanes", DRAWING, ids=[f"{name}-{lanes}" for name, lanes in DRAWING]
)


def target(driver: str = "lavapipe", lanes: int = 8, seconds: float = 60.0) -> Target:
    """The driver, with lavapipe's own subgroup size set to `lanes`."""
    library, environment = settings(driver)
    if driver == "lavapipe":
        assert lanes in LAVAPIPE_LANES
        environment["LP_NATIVE_VECTOR_WIDTH"] = str(32 * lanes)
    return Target("", library, seconds, environment)


def settings(driver: str) -> tuple[str, dict[str, str]]:
    """(libvulkan's path, environment) that make the loader find this driver and no other."""
    manifest = Path(need(driver)[0])
    environment = {"VK_DRIVER_FILES": str(manifest), "VK_ICD_FILENAMES": str(manifest), "VK_INSTANCE_LAYERS": ""}
    environment["VK_LOADER_LAYERS_DISABLE"] = "~implicit~"
    if driver == "swiftshader":
        return str(manifest.parent / "libvulkan.so.1"), environment
    libraries = next(manifest.parents[3].glob("lib/*-linux-gnu*"))
    environment["LD_LIBRARY_PATH"] = str(libraries)
    return str(libraries / "libvulkan.so.1"), environment
