"""The process that the driver runs in: reads what is asked, does it, answers.

    {"list": true}                          ->  {"devices": [{...}, ...]}
    {"entry": "main", "needs": ..., ...}    ->  {"ok": true, "subgroup_size": 8} and the buffers' bytes
    {..., "draw": {"extent": [8, 8], ...}}  ->  the same, and the pictures' bytes
                                                {"ok": false, "kind": "lacking", "what": [...]}

Drivers print; the answer goes over the standard output that the process started with, and whatever is printed to
standard output joins standard error.
"""

import os
import sys
from typing import Any, BinaryIO

from reknit.vulkan.bindings import Binding
from reknit.vulkan.library import DEVICE_LOST, INCOMPATIBLE_DRIVER, TIMEOUT, NoLibrary, Vulkan, VulkanError
from reknit.vulkan.logical import Logical
from reknit.vulkan.negotiate import Lacking, check_limits, negotiate, subgroup_size
from reknit.vulkan.physical import FRAGMENT, Physical, devices_of, instance_of
from reknit.vulkan.protocol import Message, receive, send
from reknit.vulkan.stages import Constants, Shader
from reknit.vulkan.submit import Job, dispatch


def main() -> int:
    """The exit code: 0 whatever was answered."""
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    message, blobs = receive(sys.stdin.buffer)
    blobs_back: list[bytes] = []
    try:
        answer, blobs_back = do(message, blobs, answers)
    except NoLibrary as fault:
        answer = failure("library", [str(fault)])
    except Lacking as fault:
        answer = failure("size" if fault.sizes else "lacking", fault.what)
    except VulkanError as fault:
        kinds = {TIMEOUT: "timeout", DEVICE_LOST: "lost"}
        kind = "driver" if fault.result == INCOMPATIBLE_DRIVER and fault.command == "vkCreateInstance" else ""
        answer = failure(kind or kinds.get(fault.result, "refused"), [str(fault)])
    send(answers, {"answer": answer}, blobs_back)
    os._exit(0)  # a driver whose threads still run a shader must not be waited for


def failure(kind: str, what: list[str]) -> Message:
    return {"ok": False, "kind": kind, "what": what}


def do(message: Message, blobs: list[bytes], answers: BinaryIO) -> tuple[Message, list[bytes]]:
    """Raises NoLibrary, Lacking, VulkanError."""

    def reached(command: str) -> None:
        send(answers, {"at": command}, [])

    vulkan = Vulkan(message["library"], reached)
    devices = devices_of(vulkan, instance_of(vulkan))
    if message.get("list"):
        return {"ok": True, "devices": [device.to_json() for device in devices]}, []
    device = choose(devices, message["device"])
    if device is None:
        return failure("device", [f"{other.index}: {other.name}" for other in devices]), []
    send(answers, {"device": f"{device.name} [{device.driver}]" if device.driver else device.name}, [])
    return run(vulkan, device, message, blobs)


def choose(devices: list[Physical], name: str) -> Physical | None:
    """The device with that number, or the first whose name has `name` in it."""
    if name.isascii() and name.isdecimal():
        return devices[int(name)] if int(name) < len(devices) else None
    named = [device for device in devices if name.lower() in f"{device.name} {device.driver}".lower()]
    return named[0] if named else None


def run(vulkan: Vulkan, device: Physical, message: Message, blobs: list[bytes]) -> tuple[Message, list[bytes]]:
    """`blobs` are the module, push constants, specialization constants and what is bound; of a draw then the vertex
    shader's module and what `Draw` has."""
    local: list[int] = message["local_size"]
    places: list[list[Any]] = message["bindings"]
    drawn: dict[str, Any] | None = message.get("draw")
    if drawn is not None:
        device.look_at(FRAGMENT)
    agreed = negotiate(device, message["needs"])
    size, required, flags = subgroup_size(device, message["subgroup_size"], local)
    push = blobs[1]
    sets = 1 + max([place[0] for place in places], default=-1)
    check_limits(device, message["groups"], local, len(push), sets)
    bindings = [Binding(place, blobs[3 + at]) for at, place in enumerate(places)]
    shader = Shader(blobs[0], message["entry"], constants(message["spec"], blobs[2]), required, flags)
    nanoseconds = int(message["seconds"] * 1e9)
    logical = Logical(vulkan, device, agreed)
    if drawn is None:
        results = dispatch(logical, Job(shader, message["groups"], bindings, push, nanoseconds))
    else:
        from reknit.vulkan.drawing import Draw, draw

        code, spec, *rest = blobs[3 + len(places) :]
        vertex = Shader(code, drawn["vertex"], constants(drawn["spec"], spec))
        results = draw(logical, Draw(vertex, shader, bindings, push, drawn, rest, nanoseconds))
    answer = {
        "ok": True,
        "device": device.name,
        "driver": device.driver,
        "subgroup_size": size,
        "features": agreed.features,
    }
    return answer, results


def constants(said: list[list[int]], data: bytes) -> Constants:
    """`said` are (SpecId, length) each."""
    spec: Constants = []
    at = 0
    for number, length in said:
        spec.append((number, data[at : at + length]))
        at += length
    return spec
