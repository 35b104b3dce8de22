"""What a shader's descriptors are on a device: buffers, images and samplers by set and binding, made and bound.

    Binding (set, binding, element, bytes) ...   ->   Bound: a pipeline layout, descriptor sets, memory behind each

An array of resources is several elements of one binding. Push constants are part of the layout.
"""

from ctypes import byref, c_uint8, c_uint32, c_uint64, c_void_p
from typing import Any, Final, final

from reknit.vulkan import images
from reknit.vulkan.images import DeviceImage
from reknit.vulkan.logical import WHOLE_SIZE, Logical, Memory
from reknit.vulkan.structs import (
    DescriptorBufferInfo,
    DescriptorPoolCreateInfo,
    DescriptorPoolSize,
    DescriptorSetAllocateInfo,
    PipelineLayoutCreateInfo,
    PushConstantRange,
    SetLayoutBinding,
    SetLayoutCreateInfo,
    WriteDescriptorSet,
    handles,
    make,
)

STORAGE: Final = 7  # VkDescriptorType
UNIFORM: Final = 6
USAGE: Final = {STORAGE: 0x20, UNIFORM: 0x10}  # VkBufferUsageFlagBits


@final
class Binding:
    """A buffer, image or sampler at (set, binding, element); `kind` is its VkDescriptorType, `image` what
    `images.to_json` says of an image, `sampler` the arguments of a Sampler."""

    __slots__ = ("set", "binding", "element", "kind", "image", "sampler", "data")

    def __init__(self, place: list[Any], data: bytes) -> None:
        set, binding, element, kind, image, sampler = place
        self.set: int = set
        self.binding: int = binding
        self.element: int = element
        self.kind: int = kind
        self.image: dict[str, Any] | None = image
        self.sampler: list[Any] = sampler
        self.data = data

    def is_buffer(self) -> bool:
        return self.kind == STORAGE or self.kind == UNIFORM


@final
class Bound:
    """`resources` are those of the bindings, in their order; `stages` are the shaders that see them all."""

    __slots__ = ("device", "resources", "images", "layout", "sets", "push", "stages")

    def __init__(
        self,
        device: Logical,
        bindings: list[Binding],
        resources: list[Memory | DeviceImage],
        push: bytes,
        stages: int,
    ) -> None:
        """Raises VulkanError."""
        self.device = device
        self.push = push
        self.stages = stages
        self.resources = resources
        self.images = [resource for resource in resources if isinstance(resource, DeviceImage)]
        count = 1 + max([binding.set for binding in bindings], default=-1)
        layouts: list[int] = []
        for number in range(count):
            layouts.append(set_layout(device, [bound for bound in bindings if bound.set == number], stages))
        self.layout = pipeline_layout(device, layouts, len(push), stages)
        self.sets = descriptor_sets(device, layouts, bindings, resources)

    def bind(self, commands: c_void_p, point: int) -> None:
        """What a pipeline of the bind point `point` sees from here on."""
        vulkan = self.device.vulkan
        if self.sets:
            count = c_uint32(len(self.sets))
            where = [c_uint32(point), self.layout, c_uint32(0), count, handles(self.sets), c_uint32(0), None]
            vulkan.tell("vkCmdBindDescriptorSets", commands, *where)
        if self.push:
            push = (c_uint8 * len(self.push)).from_buffer_copy(self.push)
            where = [c_uint32(self.stages), c_uint32(0), c_uint32(len(self.push))]
            vulkan.tell("vkCmdPushConstants", commands, self.layout, *where, push)

    def stored(self) -> list[bytes]:
        """What each holds afterwards; nothing of a sampler."""
        return [stored(resource) for resource in self.resources]


def make_resource(device: Logical, binding: Binding) -> Memory | DeviceImage:
    """Raises VulkanError, Lacking."""
    if binding.is_buffer():
        return device.buffer(binding.data, USAGE[binding.kind])
    return images.make_image(device, binding.kind, binding.image, binding.sampler, binding.data)


def stored(resource: Memory | DeviceImage) -> bytes:
    """What is there afterwards; nothing of a sampler."""
    memory = resource.memory if isinstance(resource, DeviceImage) else resource
    return memory.bytes() if memory is not None else b""


def set_layout(device: Logical, bindings: list[Binding], stages: int) -> int:
    """One set's layout; a set without bindings has an empty one."""
    counts: dict[int, tuple[int, int]] = {}
    for binding in bindings:
        _, elements = counts.get(binding.binding, (0, 0))
        counts[binding.binding] = (binding.kind, max(elements, binding.element + 1))
    array = (SetLayoutBinding * max(1, len(counts)))()
    for at, (number, (kind, elements)) in enumerate(counts.items()):
        array[at] = SetLayoutBinding(number, kind, elements, stages, None)
    created = device.create(
        "vkCreateDescriptorSetLayout", make(SetLayoutCreateInfo, bindingCount=len(counts), pBindings=array)
    )
    return int(created.value)


def pipeline_layout(device: Logical, layouts: list[int], push_size: int, stages: int) -> c_uint64:
    request = make(
        PipelineLayoutCreateInfo,
        setLayoutCount=len(layouts),
        pSetLayouts=handles(layouts),
        pushConstantRangeCount=1 if push_size else 0,
        pPushConstantRanges=PushConstantRange(stages, 0, push_size),
    )
    return device.create("vkCreatePipelineLayout", request)


def descriptor_sets(
    device: Logical, layouts: list[int], bindings: list[Binding], resources: list[Memory | DeviceImage]
) -> list[int]:
    """A descriptor set for each layout, with what is bound in it."""
    if not layouts:
        return []
    room = 1 + len(bindings)
    kinds = list(dict.fromkeys([STORAGE, *[binding.kind for binding in bindings]]))
    sizes = (DescriptorPoolSize * len(kinds))(*[DescriptorPoolSize(kind, room) for kind in kinds])
    pool = device.create(
        "vkCreateDescriptorPool",
        make(DescriptorPoolCreateInfo, maxSets=len(layouts), poolSizeCount=len(kinds), pPoolSizes=sizes),
    )
    sets = handles([0] * len(layouts))
    request = make(
        DescriptorSetAllocateInfo,
        descriptorPool=pool.value,
        descriptorSetCount=len(layouts),
        pSetLayouts=handles(layouts),
    )
    device.vulkan.call("vkAllocateDescriptorSets", device.device, byref(request), sets)
    for binding, resource in zip(bindings, resources, strict=True):
        named = descriptor(resource)
        write: Any = make(
            WriteDescriptorSet,
            dstSet=sets[binding.set],
            dstBinding=binding.binding,
            dstArrayElement=binding.element,
            descriptorCount=1,
            descriptorType=binding.kind,
            **named,
        )
        device.vulkan.tell("vkUpdateDescriptorSets", device.device, c_uint32(1), byref(write), c_uint32(0), None)
    return list(sets)


def descriptor(resource: Memory | DeviceImage) -> dict[str, Any]:
    """The members of VkWriteDescriptorSet that name it."""
    if isinstance(resource, DeviceImage):
        return resource.descriptor()
    return {"pBufferInfo": DescriptorBufferInfo(resource.buffer, 0, WHOLE_SIZE)}
