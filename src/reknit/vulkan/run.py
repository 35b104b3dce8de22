"""Run a module on a Vulkan driver, as `sim.run.run` runs it on the simulator; list the devices there are.

    run_on(target, module, buffers={"kind": [0, 0, 1]})   ->   Result, with what the driver stored
    devices(target)                                       ->   [{"name": ..., "subgroup_size": 8, ...}, ...]

What is bound is in the module; names, lengths and results of buffers are those of the simulator.
"""

import sys
from array import array
from collections.abc import Mapping
from typing import Any, Final

from reknit.ir.module import Module
from reknit.sim import buffers as buffer_data
from reknit.sim.buffers import BufferResult
from reknit.sim.builtins import Triple, extent_of
from reknit.sim.images import take_samplers
from reknit.sim.memory import Buffer
from reknit.sim.result import Result
from reknit.source.diagnostic import Diagnostic, InputError
from reknit.spirv.write import write_module
from reknit.vulkan.interface import Interface, Slot, interface_of
from reknit.vulkan.needs import Need, needs_of
from reknit.vulkan.process import ask
from reknit.vulkan.taken import taken
from reknit.vulkan.target import Target

LISTING: Final = 30.0  # seconds that drivers have to answer what they are


def run_on(
    target: Target,
    module: Module,
    entry: str | None = None,
    *,
    groups: Triple = (1, 1, 1),
    subgroup_size: int = 0,
    buffers: Mapping[str, Any] | None = None,
    push_constants: Any = None,
    spec: Mapping[Any, float] | None = None,
    needs: list[Need] | None = None,
) -> Result:
    """Dispatch `groups` workgroups on the device. `subgroup_size` 0 is the device's own; buffers are given and named
    as to the simulator, and one that is not set is as long, and zeros. `needs` is asked of the device besides what
    the module needs.

    Raises InputError: RK1101 (no Vulkan or no device), RK1102 (not that device), RK1103 (a capability or another
    thing that it lacks), RK1104 (a call that it refused), RK1105 (it crashed), RK1106 (past the time limit), RK1107
    (not that subgroup size), RK1108 (the module takes something else than buffers), and what the simulator raises for
    wrong entry points, buffers and constants.
    """
    if min(groups) < 1:
        raise InputError([Diagnostic("RK1006", f"a dispatch of {groups[0]}x{groups[1]}x{groups[2]} workgroups")])
    module = taken(module)
    interface = interface_of(module, entry, spec)
    given = given_buffers(buffers, push_constants)
    request, blobs = request_of(module, interface, given, extent_of(interface.size, groups), needs or [])
    request.update(device=target.name, groups=list(groups), subgroup_size=subgroup_size)
    answer, results = ask(target, request, blobs, subgroup_size)
    return result_of(module, interface, answer, results)


def given_buffers(buffers: Mapping[str, Any] | None, push_constants: Any) -> dict[str, Any]:
    given: dict[str, Any] = dict(buffers) if buffers is not None else {}
    if push_constants is not None:
        given["push constants"] = push_constants
    return given


def request_of(
    module: Module, interface: Interface, given: dict[str, Any], extent: Triple, needs: list[Need]
) -> tuple[dict[str, Any], list[bytes]]:
    """What the driver's process is asked of any stage, and the bytes that go with it. `extent` is that of images that
    are not given. Raises InputError for wrong buffers."""
    given = take_samplers(interface.samplers, given, module.path)
    buffer_data.fill(interface.order, given, extent, module.path)
    request: dict[str, Any] = {
        "entry": interface.entry.text(2),
        "local_size": list(interface.size),
        "needs": [need.to_json() for need in [*needs_of(module, interface.entry), *needs]],
        "bindings": [slot.to_json() for slot in interface.slots],
        "spec": [[number, len(value)] for number, value in interface.spec],
    }
    push = bytes_of(interface.push) if interface.push is not None else b""
    data = b"".join([value for _, value in interface.spec])
    return request, [write_module(module), push, data, *[held(slot) for slot in interface.slots]]


def result_of(module: Module, interface: Interface, answer: dict[str, Any], results: list[bytes]) -> Result:
    """What the buffers hold afterwards; `results` begins with theirs."""
    for slot, stored in zip(interface.slots, results, strict=False):
        if slot.buffer is not None:
            slot.buffer.words[:] = buffer_data.to_words(slot.buffer.label(), stored, module.path)
    result = Result(interface.entry.text(2), int(answer["subgroup_size"]))
    result.on = str(answer["device"])
    for buffer in interface.order:
        if buffer.writable and buffer.alias is None:
            label = buffer.label()
            result.buffers[buffer_data.position(buffer) if label in result.buffers else label] = BufferResult(buffer)
    return result


def devices(target: Target) -> list[dict[str, Any]]:
    """What libvulkan offers, in its order. Raises InputError: RK1101 (nothing), RK1104, RK1105, RK1106."""
    listing = Target("", target.library, LISTING, target.environment, target.grace)
    answer, _ = ask(listing, {"list": True}, [])
    listed: list[dict[str, Any]] = answer["devices"]
    return listed


def held(slot: Slot) -> bytes:
    """What is bound starts with; nothing of a sampler."""
    if slot.buffer is None:
        return b""
    texture = slot.buffer.texture
    data = bytes_of(slot.buffer)
    return data if texture is None else data[: texture.texels() * texture.format.size()]


def bytes_of(buffer: Buffer) -> bytes:
    """The words as they lie in memory, little-endian."""
    packed = array("I", buffer.words)
    if sys.byteorder == "big":
        packed.byteswap()
    return packed.tobytes()
