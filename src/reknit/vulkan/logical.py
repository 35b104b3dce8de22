"""An opened device: the features that were agreed on, one queue that computes, and memory that the host sees.

    Physical, Agreed ── vkCreateDevice ──▶ Logical: queue, buffer(bytes) -> handle and mapped memory

Nothing is given back: a process opens one device, for one dispatch.
"""

import ctypes
from ctypes import byref, c_float, c_uint32, c_uint64, c_void_p
from typing import Any, Final, final

from reknit.vulkan.features import BASE
from reknit.vulkan.library import Vulkan, VulkanError
from reknit.vulkan.negotiate import Agreed
from reknit.vulkan.physical import Physical, chain
from reknit.vulkan.structs import (
    BufferCreateInfo,
    DeviceCreateInfo,
    MemoryAllocateInfo,
    MemoryRequirements,
    QueueCreateInfo,
    make,
    names,
)

HOST_VISIBLE_COHERENT: Final = 2 | 4
WHOLE_SIZE: Final = (1 << 64) - 1
OUT_OF_DEVICE_MEMORY: Final = -2


@final
class Logical:
    """A device with its queue. What is made on it goes with the process."""

    __slots__ = ("vulkan", "physical", "device", "queue")

    def __init__(self, vulkan: Vulkan, physical: Physical, agreed: Agreed) -> None:
        self.vulkan = vulkan
        self.physical = physical
        self.device = c_void_p()
        structs = [
            struct for struct in physical.structs() if not struct.extension or struct.extension in agreed.extensions
        ]
        head, parts = chain(structs)
        turn_on(head, BASE, agreed.features)
        for struct, part in parts:
            turn_on(part, struct.members, agreed.features)
        queue = make(
            QueueCreateInfo,
            queueFamilyIndex=physical.family,
            queueCount=1,
            pQueuePriorities=(c_float * 1)(1.0),
        )
        request = make(
            DeviceCreateInfo,
            pNext=head,
            queueCreateInfoCount=1,
            pQueueCreateInfos=queue,
            enabledExtensionCount=len(agreed.extensions),
            ppEnabledExtensionNames=names(agreed.extensions),
        )
        vulkan.call("vkCreateDevice", physical.handle, byref(request), None, byref(self.device))
        self.queue = c_void_p()
        vulkan.tell("vkGetDeviceQueue", self.device, c_uint32(physical.family), c_uint32(0), byref(self.queue))

    def create(self, command: str, request: Any) -> c_uint64:
        """vkCreate... or vkAllocateMemory on the device. Raises VulkanError."""
        handle = c_uint64()
        self.vulkan.call(command, self.device, byref(request), None, byref(handle))
        return handle

    def buffer(self, data: bytes, usage: int) -> "Memory":
        """A buffer that starts with these bytes, at least one word. Raises VulkanError."""
        size = max(4, len(data))
        buffer = self.create("vkCreateBuffer", make(BufferCreateInfo, size=size, usage=usage))
        needs = MemoryRequirements()
        self.vulkan.tell("vkGetBufferMemoryRequirements", self.device, buffer, byref(needs))
        kind = self.memory_type(needs.memoryTypeBits)
        request = make(MemoryAllocateInfo, allocationSize=needs.size, memoryTypeIndex=kind)
        memory = self.create("vkAllocateMemory", request)
        self.vulkan.call("vkBindBufferMemory", self.device, buffer, memory, c_uint64(0))
        place = c_void_p()
        self.vulkan.call(
            "vkMapMemory", self.device, memory, c_uint64(0), c_uint64(WHOLE_SIZE), c_uint32(0), byref(place)
        )
        ctypes.memmove(place, data, len(data))
        return Memory(buffer.value, place, len(data))

    def image(self, request: Any) -> int:
        """An image with memory of its own. Raises VulkanError."""
        image = self.create("vkCreateImage", request)
        needs = MemoryRequirements()
        self.vulkan.tell("vkGetImageMemoryRequirements", self.device, image, byref(needs))
        kind = (needs.memoryTypeBits & -needs.memoryTypeBits).bit_length() - 1
        memory = self.create(
            "vkAllocateMemory", make(MemoryAllocateInfo, allocationSize=needs.size, memoryTypeIndex=kind)
        )
        self.vulkan.call("vkBindImageMemory", self.device, image, memory, c_uint64(0))
        return int(image.value)

    def memory_type(self, allowed: int) -> int:
        """The first type of memory among the allowed that the host sees without flushing."""
        for number, flags in enumerate(self.physical.memory_types):
            if allowed >> number & 1 and flags & HOST_VISIBLE_COHERENT == HOST_VISIBLE_COHERENT:
                return number
        raise VulkanError("vkGetPhysicalDeviceMemoryProperties", OUT_OF_DEVICE_MEMORY)


@final
class Memory:
    """A buffer and where its memory lies in this process; `size` is in bytes."""

    __slots__ = ("buffer", "place", "size")

    def __init__(self, buffer: int, place: c_void_p, size: int) -> None:
        self.buffer = buffer
        self.place = place
        self.size = size

    def bytes(self) -> bytes:
        return ctypes.string_at(self.place, self.size)


def turn_on(struct: Any, members: list[str], wanted: list[str]) -> None:
    """Set the members of a feature structure that are wanted."""
    for at, name in enumerate(members):
        if name in wanted:
            struct.values[at] = 1
