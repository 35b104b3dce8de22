"""One Vulkan compute dispatch through ctypes: instance, device, buffers, pipeline, submit, read back.

    request (JSON)  ->  Device(library)  ->  dispatch(...)  ->  answer (JSON)

A structure is written as the list of its members; `_struct` gives it C's layout and keeps alive what it points to.
"""

import ctypes
import json
import sys
from ctypes import byref, c_char_p, c_float, c_int32, c_uint32, c_uint64, c_void_p
from pathlib import Path
from typing import Any

STORAGE, UNIFORM = 7, 6  # VkDescriptorType
HOST_VISIBLE_COHERENT = 2 | 4
COMPUTE_QUEUE = 2
COMPUTE_STAGE = 0x20
WHOLE_SIZE = (1 << 64) - 1

# VkStructureType values
APPLICATION_INFO, INSTANCE, QUEUE, DEVICE, SUBMIT = 0, 1, 2, 3, 4
ALLOCATE, BUFFER, SHADER_MODULE, STAGE, COMPUTE_PIPELINE = 5, 12, 16, 18, 29
PIPELINE_LAYOUT, SET_LAYOUT, DESCRIPTOR_POOL, SET_ALLOCATE, WRITE_SET = 30, 32, 33, 34, 35
COMMAND_POOL, COMMAND_ALLOCATE, COMMAND_BEGIN, MEMORY_BARRIER = 39, 40, 42, 46
FEATURES, PROPERTIES, SUBGROUP_PROPERTIES = 1000059000, 1000059001, 1000094000

# (VkStructureType, number of VkBool32 members, extension that brings it or the Vulkan version that holds it)
FEATURE_STRUCTS: list[tuple[int, int, str | int]] = [
    (49, 12, 12),
    (51, 47, 12),
    (53, 15, 13),
    (1000434000, 1, "VK_KHR_shader_maximal_reconvergence"),
    (1000323000, 1, "VK_KHR_shader_subgroup_uniform_control_flow"),
    (1000416000, 2, "VK_KHR_shader_subgroup_rotate"),
    (1000235000, 1, "VK_KHR_shader_quad_control"),
]
MAXIMAL = "VK_KHR_shader_maximal_reconvergence"


class VulkanError(Exception):
    """A Vulkan call that did not return VK_SUCCESS, or a machine without a device to run on."""


def _struct(*members: Any) -> ctypes.Structure:
    """A C structure of these ctypes values in order; a Structure or array among them is pointed to."""
    fields: list[tuple[str, Any]] = []
    values: list[Any] = []
    for number, member in enumerate(members):
        pointed = isinstance(member, (ctypes.Structure, ctypes.Array))
        value = ctypes.cast(ctypes.pointer(member), c_void_p) if pointed else member
        fields.append((f"m{number}", type(value)))
        values.append(value)
    kind = type("Struct", (ctypes.Structure,), {"_fields_": fields})
    made: ctypes.Structure = kind(*values)
    kept: Any = made
    kept.pointed_to = members
    return made


def u32(value: int) -> c_uint32:
    return c_uint32(value)


def u64(value: int) -> c_uint64:
    return c_uint64(value)


NULL = c_void_p(None)


def _words(values: list[int]) -> Any:
    return (c_uint32 * max(1, len(values)))(*values)


def _handles(values: list[int]) -> Any:
    return (c_uint64 * max(1, len(values)))(*values)


def _names(values: list[str]) -> Any:
    return (c_char_p * max(1, len(values)))(*[value.encode() for value in values])


class Device:
    """The first Vulkan device that the loader offers, with every feature on, and one compute queue."""

    def __init__(self, library: str) -> None:
        self.vulkan = ctypes.CDLL(library)
        application = _struct(u32(APPLICATION_INFO), NULL, NULL, u32(0), NULL, u32(0), u32(1 << 22 | 3 << 12))
        instance = _struct(u32(INSTANCE), NULL, u32(0), application, u32(0), NULL, u32(0), NULL)
        self.instance = c_void_p()
        self.call("vkCreateInstance", byref(instance), None, byref(self.instance))
        self.physical = self._first_device()
        self.extensions = self._extensions()
        self._describe()
        self.memory_types = self._memory_types()
        self.family = self._compute_family()
        self.device = self._open()
        self.queue = c_void_p()
        self.vulkan.vkGetDeviceQueue(self.device, u32(self.family), u32(0), byref(self.queue))

    def call(self, name: str, *arguments: Any) -> None:
        result = getattr(self.vulkan, name)(*arguments)
        if result != 0:
            raise VulkanError(f"{name} returned {result}")

    def create(self, name: str, *members: Any) -> c_uint64:
        """vkCreate…/vkAllocateMemory on the device with a structure of these members."""
        handle = c_uint64()
        self.call(name, self.device, byref(_struct(*members)), None, byref(handle))
        return handle

    def _first_device(self) -> c_void_p:
        count = c_uint32()
        self.call("vkEnumeratePhysicalDevices", self.instance, byref(count), None)
        if count.value == 0:
            raise VulkanError("no Vulkan device")
        found = (c_void_p * count.value)()
        self.call("vkEnumeratePhysicalDevices", self.instance, byref(count), found)
        return c_void_p(found[0])

    def _extensions(self) -> set[str]:
        count = c_uint32()
        self.call("vkEnumerateDeviceExtensionProperties", self.physical, None, byref(count), None)
        found = (ctypes.c_char * (260 * count.value))()  # VkExtensionProperties: char[256], uint32
        self.call("vkEnumerateDeviceExtensionProperties", self.physical, None, byref(count), found)
        raw = bytes(found)
        return {raw[at : at + 256].split(b"\0")[0].decode() for at in range(0, len(raw), 260)}

    def _describe(self) -> None:
        subgroup = _struct(u32(SUBGROUP_PROPERTIES), NULL, u32(0), u32(0), u32(0), u32(0))

        class Properties(ctypes.Structure):
            # VkPhysicalDeviceProperties: 20 bytes, the name at 20, 824 bytes in all
            _fields_ = [("type", c_uint32), ("next", c_void_p), ("body", ctypes.c_char * 824)]

        properties = Properties(PROPERTIES, ctypes.cast(ctypes.pointer(subgroup), c_void_p))
        self.vulkan.vkGetPhysicalDeviceProperties2(self.physical, byref(properties))
        body = ctypes.string_at(ctypes.addressof(properties) + Properties.body.offset, 824)
        version = int.from_bytes(body[:4], "little")
        self.version = 10 * (version >> 22 & 0x7F) + (version >> 12 & 0x3FF)
        self.name = body[20:276].split(b"\0")[0].decode()
        self.subgroup_size: int = subgroup.m2

    def _memory_types(self) -> list[int]:
        found = (c_uint32 * 256)()  # VkPhysicalDeviceMemoryProperties: count, 32 x (flags, heap), heaps
        self.vulkan.vkGetPhysicalDeviceMemoryProperties(self.physical, found)
        return [found[1 + 2 * number] for number in range(found[0])]

    def _compute_family(self) -> int:
        count = c_uint32()
        self.vulkan.vkGetPhysicalDeviceQueueFamilyProperties(self.physical, byref(count), None)
        found = (c_uint32 * (6 * count.value))()  # VkQueueFamilyProperties: flags first, six words
        self.vulkan.vkGetPhysicalDeviceQueueFamilyProperties(self.physical, byref(count), found)
        for family in range(count.value):
            if found[6 * family] & COMPUTE_QUEUE:
                return family
        raise VulkanError("the device has no compute queue")

    def _open(self) -> c_void_p:
        chain: ctypes.Structure | c_void_p = NULL
        extensions: list[str] = []
        for kind, members, source in FEATURE_STRUCTS:
            if isinstance(source, str) and source in self.extensions:
                extensions.append(source)
            elif not (isinstance(source, int) and self.version >= source):
                continue
            chain = _struct(u32(kind), chain, *[u32(0)] * members)
        features = _struct(u32(FEATURES), chain, *[u32(0)] * 55)
        self.vulkan.vkGetPhysicalDeviceFeatures2(self.physical, byref(features))  # what it offers is what we ask for
        priority = (c_float * 1)(1.0)
        queue = _struct(u32(QUEUE), NULL, u32(0), u32(self.family), u32(1), priority)
        names = _names(extensions)
        request = _struct(
            u32(DEVICE), features, u32(0), u32(1), queue, u32(0), NULL, u32(len(extensions)), names, NULL
        )
        device = c_void_p()
        self.call("vkCreateDevice", self.physical, byref(request), None, byref(device))
        self.maximal_reconvergence = MAXIMAL in extensions
        return device

    def dispatch(self, code: bytes, entry: str, groups: list[int], buffers: list[dict[str, Any]]) -> list[list[int]]:
        """Run the entry point over `groups` workgroups; gives every buffer's words afterwards."""
        memories = [self._buffer(buffer["words"], _kind(buffer)) for buffer in buffers]
        sets = 1 + max((buffer["set"] for buffer in buffers), default=-1)
        layouts = [self._set_layout([buffer for buffer in buffers if buffer["set"] == one]) for one in range(sets)]
        layout = self.create(
            "vkCreatePipelineLayout",
            *[u32(PIPELINE_LAYOUT), NULL, u32(0), u32(sets), _handles(layouts), u32(0), NULL],
        )
        pipeline = self._pipeline(code, entry, layout)
        descriptors = self._descriptors(layouts, buffers, [handle for handle, _ in memories])
        pool = self.create("vkCreateCommandPool", u32(COMMAND_POOL), NULL, u32(0), u32(self.family))
        commands = c_void_p()
        allocate = _struct(u32(COMMAND_ALLOCATE), NULL, pool, u32(0), u32(1))
        self.call("vkAllocateCommandBuffers", self.device, byref(allocate), byref(commands))
        self.call("vkBeginCommandBuffer", commands, byref(_struct(u32(COMMAND_BEGIN), NULL, u32(1), NULL)))
        self.vulkan.vkCmdBindPipeline(commands, u32(1), pipeline)
        if sets:
            self.vulkan.vkCmdBindDescriptorSets(
                commands, u32(1), layout, u32(0), u32(sets), _handles(descriptors), u32(0), None
            )
        self.vulkan.vkCmdDispatch(commands, *[u32(count) for count in groups])
        barrier = _struct(u32(MEMORY_BARRIER), NULL, u32(0x40), u32(0x2000))  # shader writes, then host reads
        self.vulkan.vkCmdPipelineBarrier(
            commands, u32(0x800), u32(0x4000), u32(0), u32(1), byref(barrier), u32(0), None, u32(0), None
        )
        self.call("vkEndCommandBuffer", commands)
        one = (c_void_p * 1)(commands)
        submit = _struct(u32(SUBMIT), NULL, u32(0), NULL, NULL, u32(1), one, u32(0), NULL)
        self.call("vkQueueSubmit", self.queue, u32(1), byref(submit), u64(0))
        self.call("vkQueueWaitIdle", self.queue)
        return [list(mapped[: len(buffer["words"])]) for buffer, (_, mapped) in zip(buffers, memories, strict=True)]

    def _buffer(self, words: list[int], kind: int) -> tuple[int, Any]:
        """(the buffer, its words mapped into this process)."""
        size = max(4, 4 * len(words))
        usage = 0x20 if kind == STORAGE else 0x10
        buffer = self.create("vkCreateBuffer", u32(BUFFER), NULL, u32(0), u64(size), u32(usage), u32(0), u32(0), NULL)
        needs = (c_uint64 * 3)()  # VkMemoryRequirements: size, alignment, memory type bits
        self.vulkan.vkGetBufferMemoryRequirements(self.device, buffer, needs)
        for number, flags in enumerate(self.memory_types):
            if needs[2] >> number & 1 and flags & HOST_VISIBLE_COHERENT == HOST_VISIBLE_COHERENT:
                break
        else:
            raise VulkanError("no memory that the host sees")
        memory = self.create("vkAllocateMemory", u32(ALLOCATE), NULL, u64(needs[0]), u32(number))
        self.call("vkBindBufferMemory", self.device, buffer, memory, u64(0))
        address = c_void_p()
        self.call("vkMapMemory", self.device, memory, u64(0), u64(WHOLE_SIZE), u32(0), byref(address))
        mapped = ctypes.cast(address, ctypes.POINTER(c_uint32))
        ctypes.memmove(address, _words(words), 4 * len(words))
        return buffer.value, mapped

    def _set_layout(self, buffers: list[dict[str, Any]]) -> int:
        class Binding(ctypes.Structure):
            _fields_ = [
                ("binding", c_uint32),
                ("kind", c_uint32),
                ("count", c_uint32),
                ("stages", c_uint32),
                ("samplers", c_void_p),
            ]

        bindings = (Binding * max(1, len(buffers)))(
            *[Binding(buffer["binding"], _kind(buffer), 1, COMPUTE_STAGE) for buffer in buffers]
        )
        made = self.create("vkCreateDescriptorSetLayout", u32(SET_LAYOUT), NULL, u32(0), u32(len(buffers)), bindings)
        return made.value

    def _pipeline(self, code: bytes, entry: str, layout: c_uint64) -> c_uint64:
        words = _words(list(memoryview(code).cast("I")))
        module = self.create("vkCreateShaderModule", u32(SHADER_MODULE), NULL, u32(0), c_void_p(len(code)), words)
        pipeline = c_uint64()

        class Stage(ctypes.Structure):
            _fields_ = [
                ("type", c_uint32),
                ("next", c_void_p),
                ("flags", c_uint32),
                ("stage", c_uint32),
                ("module", c_uint64),
                ("name", c_char_p),
                ("specialization", c_void_p),
            ]

        class Pipeline(ctypes.Structure):
            _fields_ = [
                ("type", c_uint32),
                ("next", c_void_p),
                ("flags", c_uint32),
                ("stage", Stage),
                ("layout", c_uint64),
                ("base", c_uint64),
                ("index", c_int32),
            ]

        stage = Stage(STAGE, None, 0, COMPUTE_STAGE, module, entry.encode(), None)
        request = Pipeline(COMPUTE_PIPELINE, None, 0, stage, layout, 0, -1)
        self.call("vkCreateComputePipelines", self.device, u64(0), u32(1), byref(request), None, byref(pipeline))
        return pipeline

    def _descriptors(self, layouts: list[int], buffers: list[dict[str, Any]], handles: list[int]) -> list[int]:
        if not layouts:
            return []
        sizes = _words([STORAGE, 1 + len(buffers), UNIFORM, 1 + len(buffers)])
        pool = self.create(
            "vkCreateDescriptorPool", u32(DESCRIPTOR_POOL), NULL, u32(0), u32(len(layouts)), u32(2), sizes
        )
        found = _handles([0] * len(layouts))
        allocate = _struct(u32(SET_ALLOCATE), NULL, pool, u32(len(layouts)), _handles(layouts))
        self.call("vkAllocateDescriptorSets", self.device, byref(allocate), found)
        for buffer, handle in zip(buffers, handles, strict=True):
            information = (c_uint64 * 3)(handle, 0, WHOLE_SIZE)
            where = [u64(found[buffer["set"]]), u32(buffer["binding"]), u32(0), u32(1), u32(_kind(buffer))]
            write = _struct(u32(WRITE_SET), NULL, *where, NULL, information, NULL)
            self.vulkan.vkUpdateDescriptorSets(self.device, u32(1), byref(write), u32(0), None)
        return list(found)


def _kind(buffer: dict[str, Any]) -> int:
    return UNIFORM if buffer.get("kind") == "uniform" else STORAGE


def main() -> int:
    """Read a request from standard input, answer on standard output; 0 unless the driver takes the process down."""
    request = json.load(sys.stdin)
    try:
        device = Device(request["library"])
        code = Path(request["spirv"]).read_bytes()
        buffers = device.dispatch(code, request["entry"], request["groups"], request["buffers"])
        answer = {
            "ok": True,
            "device": device.name,
            "subgroup_size": device.subgroup_size,
            "maximal_reconvergence": device.maximal_reconvergence,
            "buffers": buffers,
        }
    except (VulkanError, OSError) as fault:
        answer = {"ok": False, "error": str(fault)}
    print(json.dumps(answer))
    sys.stdout.flush()
    return 0
