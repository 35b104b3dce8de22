"""Run a compute shader on a Vulkan driver: the second opinion on what a shader's invocations compute.

    run(module, groups, buffers, driver="lavapipe", lanes=8)
        |  a process of its own (a driver that crashes or hangs takes only that down), with a time limit
        v
    {"spirv": path, "entry", "groups", "buffers", ...}  on standard input
    {"ok": true, "device", "subgroup_size", "maximal_reconvergence", "buffers": [[word, ...], ...]}  on standard output

Needs nothing but ctypes and a libvulkan. `lanes` chooses lavapipe's vector width (4, 8 or 16 lanes of 32 bits);
SwiftShader always has 4. All features that the device offers are on, VK_KHR_shader_maximal_reconvergence among them.
"""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

SECONDS = 120
LAVAPIPE_LANES = (4, 8, 16)


class Result:
    """What came back: one list of 32-bit words for each buffer, and what ran it."""

    def __init__(self, device: str, subgroup_size: int, maximal_reconvergence: bool, buffers: list[list[int]]) -> None:
        self.device = device
        self.subgroup_size = subgroup_size
        self.maximal_reconvergence = maximal_reconvergence
        self.buffers = buffers


class RunFailed(Exception):
    """The driver refused the module, crashed or ran past the limit; the message says which."""


def run(
    module: bytes,
    groups: tuple[int, int, int],
    buffers: list[dict[str, object]],
    driver: str = "lavapipe",
    lanes: int = 8,
    entry: str = "main",
    seconds: int = SECONDS,
) -> Result:
    """Dispatch `groups` workgroups with `buffers` ({"set", "binding", "words", optional "kind": "uniform"}).

    `driver` is "lavapipe" or "swiftshader" (the test is skipped where it is not installed), or "system" for what the
    machine has. Raises RunFailed.
    """
    environment, library = _surroundings(driver, lanes)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "a.spv")
        path.write_bytes(module)
        request = {"spirv": str(path), "entry": entry, "groups": groups, "buffers": buffers, "library": library}
        command = [sys.executable, __file__]
        try:
            done = subprocess.run(
                command, input=json.dumps(request), capture_output=True, text=True, timeout=seconds, env=environment
            )
        except subprocess.TimeoutExpired as fault:
            raise RunFailed(f"{driver} ran past {seconds} s") from fault
    if done.returncode != 0:
        raise RunFailed(f"{driver} ended with {done.returncode}: {done.stderr.strip()[-2000:]}")
    answer = json.loads(done.stdout)
    if not answer["ok"]:
        raise RunFailed(f"{driver}: {answer['error']}")
    return Result(answer["device"], answer["subgroup_size"], answer["maximal_reconvergence"], answer["buffers"])


def _surroundings(driver: str, lanes: int) -> tuple[dict[str, str], str]:
    """(the environment, the Vulkan loader's path) that select the driver."""
    from oracles import need

    environment = {**os.environ, "PYTHONPATH": ""}
    if driver == "system":
        return environment, "libvulkan.so.1"
    manifest = Path(need(driver)[0])
    environment["VK_DRIVER_FILES"] = environment["VK_ICD_FILENAMES"] = str(manifest)
    environment.pop("VK_INSTANCE_LAYERS", None)
    environment["VK_LOADER_LAYERS_DISABLE"] = "~implicit~"
    if driver == "swiftshader":
        return environment, str(manifest.parent / "libvulkan.so.1")
    if lanes not in LAVAPIPE_LANES:
        raise ValueError(f"lavapipe runs 4, 8 or 16 lanes, not {lanes}")
    libraries = next(manifest.parents[3].glob("lib/*-linux-gnu*"))
    environment["LD_LIBRARY_PATH"] = str(libraries)
    environment["LP_NATIVE_VECTOR_WIDTH"] = str(lanes * 32)
    environment["MESA_SHADER_CACHE_DISABLE"] = "true"  # the cache ignores the width: it would give back another's code
    return environment, str(libraries / "libvulkan.so.1")


if __name__ == "__main__":
    import vulkan_compute

    sys.exit(vulkan_compute.main())
