"""python -m tests.bench.on_lavapipe FILE.spv ...

    each FILE, a compute shader  ──▶  as it is, spirv-opt -O's, reknit -O's  ──▶  lavapipe, in turns  ──▶  ratios

A pipeline is made once for each of the three, and the same dispatch is submitted many times; what counts is the
driver's processor time on one thread, the least of several rounds. All are given the same numbers from 0 to 31 in each
word. What lavapipe doesn't run is left out and counted.
"""

import argparse
import json
import os
import random
import resource
import subprocess
import sys
import tempfile
from ctypes import byref, c_uint32
from pathlib import Path
from typing import Any, Final
from unittest.mock import patch

ROOT: Final = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))
if not any(Path(place, "reknit").is_dir() for place in sys.path if place):
    sys.path.insert(0, str(ROOT / "src"))

from kit import oracles  # noqa: E402
from kit.oracles.drivers import settings  # noqa: E402

import reknit  # noqa: E402
from reknit.ir import enums  # noqa: E402
from reknit.ir.module import Module  # noqa: E402
from reknit.sim import buffers  # noqa: E402
from reknit.sim.buffers import position  # noqa: E402
from reknit.sim.builtins import extent_of  # noqa: E402
from reknit.source.diagnostic import InputError  # noqa: E402
from reknit.vulkan import child, images, submit  # noqa: E402
from reknit.vulkan.bindings import Bound, make_resource  # noqa: E402
from reknit.vulkan.interface import interface_of  # noqa: E402
from reknit.vulkan.library import Vulkan, VulkanError  # noqa: E402
from reknit.vulkan.logical import Logical  # noqa: E402
from reknit.vulkan.negotiate import Lacking  # noqa: E402
from reknit.vulkan.physical import COMPUTE, devices_of, instance_of  # noqa: E402
from reknit.vulkan.run import request_of  # noqa: E402
from reknit.vulkan.structs import CommandBufferBeginInfo, make  # noqa: E402
from reknit.vulkan.taken import taken  # noqa: E402

GROUPS: Final = (16, 16, 1)
ROUNDS: Final = 7
MIN_SECONDS: Final = 0.1  # seconds of a round: a dispatch is recorded as often as that takes
MAX_TIMES: Final = 5_000
SECONDS: Final = 120.0  # a file


class Timed:
    """A dispatch that is recorded so many times and can be submitted again; `seconds` is the least that it took."""

    def __init__(self, device: Logical, job: submit.Job) -> None:
        self.device = device
        self.job = job
        resources = [make_resource(device, each) for each in job.bindings]
        self.bound = Bound(device, job.bindings, resources, job.push, COMPUTE)
        self.seconds = float("inf")
        self.record(1)
        first = self.submit()
        self.times = min(max(int(MIN_SECONDS / max(min(first, self.submit()), 1e-6)), 1), MAX_TIMES)
        self.record(self.times)
        self.submit()

    def record(self, times: int) -> None:
        vulkan = self.device.vulkan
        self.commands = submit.begin_commands(self.device)
        vulkan.call("vkEndCommandBuffer", self.commands)
        vulkan.call("vkBeginCommandBuffer", self.commands, byref(make(CommandBufferBeginInfo)))
        if self.bound.images:
            images.fill(self.device, self.commands, self.bound.images)
        submit.record_dispatch(self.commands, self.bound, self.job.shader, self.job.groups)
        for _ in range(times - 1):
            vulkan.tell("vkCmdDispatch", self.commands, *[c_uint32(number) for number in self.job.groups])
        vulkan.call("vkEndCommandBuffer", self.commands)

    def submit(self) -> float:
        before = spent()
        submit.submit_and_wait(self.device, self.commands, self.job.nanoseconds)
        return spent() - before

    def round(self) -> None:
        self.seconds = min(self.seconds, self.submit() / self.times)


def spent() -> float:
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def timed(vulkan: Vulkan, device: Any, module: Module) -> Timed:
    """A module's dispatch, with what is bound filled with small numbers, for its place the same in all modules."""
    module = taken(module)
    interface = interface_of(module, None, None)
    if interface.entry.word(0) != enums.ExecutionModelGLCompute:
        raise InputError([])
    extent = extent_of(interface.size, GROUPS)
    buffers.fill(interface.order, {}, extent, module.path)
    given: dict[str, Any] = {}
    for buffer in interface.order:
        if buffer.alias is None and buffer.texture is None:
            source = random.Random(position(buffer))
            given[position(buffer)] = [source.randrange(32) for _ in buffer.words]
    request, blobs = request_of(module, interface, given, extent, [])
    request.update(device="0", groups=list(GROUPS), subgroup_size=0, seconds=SECONDS)
    made: list[Timed] = []

    def keep(device: Logical, job: submit.Job) -> list[bytes]:
        made.append(Timed(device, job))
        return []

    with patch("reknit.vulkan.child.dispatch", keep):
        child.run(vulkan, device, request, blobs)
    return made[0]


def worker(paths: list[str]) -> None:
    """Processor seconds of each module's dispatch, as JSON; nothing where one of them can't be run."""
    vulkan = Vulkan(settings("lavapipe")[0], lambda command: None)
    device = devices_of(vulkan, instance_of(vulkan))[0]
    try:
        dispatches = [timed(vulkan, device, reknit.load(path)) for path in paths]
        for _ in range(ROUNDS):
            for each in dispatches:
                each.round()
    except (InputError, VulkanError, Lacking):
        print("[]", flush=True)
        os._exit(0)
    print(json.dumps([each.seconds for each in dispatches]), flush=True)
    os._exit(0)


def main() -> None:
    parser = argparse.ArgumentParser(description="How fast lavapipe runs what -O leaves, beside spirv-opt -O.")
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--worker", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.worker:
        worker([str(path) for path in options.files])
    theirs = oracles.find("spirv-opt")
    if theirs is None:
        sys.exit("spirv-opt is not installed")
    rows: list[tuple[float, float, float, str]] = []
    left_out = 0
    environment = {**os.environ, **settings("lavapipe")[1], "LP_NATIVE_VECTOR_WIDTH": "256", "LP_NUM_THREADS": "1"}
    with tempfile.TemporaryDirectory() as folder:
        ours, peers = Path(folder, "ours.spv"), Path(folder, "peers.spv")
        for path in options.files:
            try:
                module = reknit.load(path)
                reknit.compile(module, "optimize")
                ours.write_bytes(reknit.to_bytes(module))
            except InputError:
                left_out += 1
                continue
            if subprocess.run([*theirs, "-O", str(path), "-o", str(peers)], capture_output=True).returncode:
                left_out += 1
                continue
            command = [sys.executable, __file__, "--worker", str(path), str(peers), str(ours)]
            try:
                found = subprocess.run(command, env=environment, capture_output=True, timeout=SECONDS, text=True)
                before, peer, own = json.loads(found.stdout.splitlines()[-1]) if found.returncode == 0 else []
            except (subprocess.TimeoutExpired, ValueError, IndexError):
                left_out += 1
                continue
            rows.append((own / peer, own / before, own, path.name))
    if not rows:
        sys.exit("no file is left")
    rows.sort()
    slower = sum(1 for row in rows if row[0] > 1.03)
    of_input = sorted(row[1] for row in rows)[len(rows) // 2]
    print(f"{len(rows)} compute shaders, {left_out} left out")
    print(f"reknit -O takes {rows[len(rows) // 2][0]:.3f} times spirv-opt -O's time in the middle; {slower} over 1.03")
    print(f"and {of_input:.3f} times the input's")
    for row in [*rows[:3], *rows[-5:]]:
        print(f"{row[0]:.3f} {row[1]:.3f} {row[2] * 1e6:8.1f} us {row[3]}")


if __name__ == "__main__":
    main()
