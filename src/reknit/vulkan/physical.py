"""The devices there are, and what each of them offers.

    instance ── vkEnumeratePhysicalDevices ──▶ Physical: name, driver, version, extensions, features, subgroup sizes

A device older than Vulkan 1.2 is listed, not run on.
"""

from ctypes import byref, c_uint32, c_void_p
from typing import Any, Final, final

from reknit.vulkan.features import BASE, STRUCTS, FeatureStruct
from reknit.vulkan.library import Vulkan
from reknit.vulkan.structs import (
    ApplicationInfo,
    DriverProperties,
    ExtensionProperties,
    FloatControlsProperties,
    InstanceCreateInfo,
    MemoryProperties,
    Properties2,
    QueueFamilyProperties,
    SubgroupProperties,
    SubgroupSizeControlProperties,
    address,
    feature_struct,
    make,
    names,
)

OLDEST: Final = 12
ASKED: Final = 1 << 22 | 3 << 12  # Vulkan 1.3, as an application that knows it; devices may offer more or less
PORTABILITY: Final = "VK_KHR_portability_enumeration"
ENUMERATE_PORTABILITY: Final = 1
HEAD: Final = 1000059000  # VkPhysicalDeviceFeatures2
GRAPHICS_QUEUE: Final = 1
COMPUTE_QUEUE: Final = 2
VERTEX: Final = 0x1  # VkShaderStageFlagBits
FRAGMENT: Final = 0x10
COMPUTE: Final = 0x20
STAGES: Final = {COMPUTE: "compute", FRAGMENT: "fragment"}
KINDS: Final = ("other", "integrated GPU", "discrete GPU", "virtual GPU", "CPU")
OPERATIONS: Final = (
    "basic", "vote", "arithmetic", "ballot", "shuffle", "shuffle relative", "clustered", "quad", "partitioned",
)  # fmt: skip


@final
class Physical:
    """A device that can be opened. `version` is 10 * major + minor; `features` are all that it offers, float control
    properties among them; `sizes` the subgroup sizes (default, least, most), the last two 0 where they can't be
    chosen, and `operations` what subgroups can do, both in shaders of `stage`; `draws` is whether its queue does."""

    __slots__ = (
        "handle", "index", "name", "kind", "driver", "version", "api", "extensions", "features", "sizes",
        "most_subgroups", "operations", "limits", "memory_types", "family", "draws", "subgroups", "control", "stage",
    )  # fmt: skip

    def __init__(self, vulkan: Vulkan, handle: c_void_p, index: int) -> None:
        self.handle = handle
        self.index = index
        self.extensions = extensions_of(vulkan, handle)
        self.describe(vulkan)
        self.features = offered(vulkan, self)
        self.features.extend(float_controls(vulkan, self))
        memory = MemoryProperties()
        vulkan.tell("vkGetPhysicalDeviceMemoryProperties", handle, byref(memory))
        self.memory_types: list[int] = [memory.memoryTypes[at].propertyFlags for at in range(memory.memoryTypeCount)]
        self.family, self.draws = family_of(vulkan, handle)

    def describe(self, vulkan: Vulkan) -> None:
        driver = make(DriverProperties)
        control = make(SubgroupSizeControlProperties)
        subgroup = make(SubgroupProperties)
        properties = make(Properties2, pNext=subgroup)
        vulkan.tell("vkGetPhysicalDeviceProperties2", self.handle, byref(properties))
        said = properties.properties
        self.version = 10 * (said.apiVersion >> 22 & 0x7F) + (said.apiVersion >> 12 & 0x3FF)
        self.api = f"{said.apiVersion >> 22 & 0x7F}.{said.apiVersion >> 12 & 0x3FF}.{said.apiVersion & 0xFFF}"
        self.name: str = said.deviceName.decode(errors="replace")
        self.kind = KINDS[said.deviceType] if said.deviceType < len(KINDS) else KINDS[0]
        self.limits = said.limits
        subgroup.pNext = address(driver) if self.version >= OLDEST else None
        if self.version >= 13 or "VK_EXT_subgroup_size_control" in self.extensions:
            control.pNext = subgroup.pNext
            subgroup.pNext = address(control)
        vulkan.tell("vkGetPhysicalDeviceProperties2", self.handle, byref(properties))
        words = [driver.driverName.decode(errors="replace"), driver.driverInfo.decode(errors="replace")]
        self.driver = " ".join(words).strip()
        self.most_subgroups: int = control.maxComputeWorkgroupSubgroups
        self.subgroups = subgroup
        self.control = control
        self.look_at(COMPUTE)

    def look_at(self, stage: int) -> None:
        """From here on `sizes` and `operations` are those of this stage's subgroups."""
        self.stage = stage
        chosen = self.control.requiredSubgroupSizeStages & stage != 0
        self.sizes: list[int] = [
            self.subgroups.subgroupSize,
            self.control.minSubgroupSize if chosen else 0,
            self.control.maxSubgroupSize if chosen else 0,
        ]
        bits = self.subgroups.supportedOperations if self.subgroups.supportedStages & stage else 0
        self.operations = [name for at, name in enumerate(OPERATIONS) if bits >> at & 1]

    def structs(self) -> list[FeatureStruct]:
        """The feature structures that it knows."""
        return [struct for struct in STRUCTS if struct.is_offered(self.version, self.extensions)]

    def to_json(self) -> dict[str, object]:
        return {
            "index": self.index,
            "name": self.name,
            "kind": self.kind,
            "driver": self.driver,
            "api": self.api,
            "subgroup_size": self.sizes[0],
            "least_subgroup_size": self.sizes[1] or self.sizes[0],
            "most_subgroup_size": self.sizes[2] or self.sizes[0],
            "subgroup_operations": self.operations,
            "features": self.features,
            "usable": self.version >= OLDEST and self.family >= 0,
        }


def instance_of(vulkan: Vulkan) -> c_void_p:
    """A new instance. Raises VulkanError."""
    offered = instance_extensions(vulkan)
    wanted = [PORTABILITY] if PORTABILITY in offered else []
    application = make(ApplicationInfo, pApplicationName=b"reknit", apiVersion=ASKED)
    request = make(
        InstanceCreateInfo,
        flags=ENUMERATE_PORTABILITY if wanted else 0,
        pApplicationInfo=application,
        enabledExtensionCount=len(wanted),
        ppEnabledExtensionNames=names(wanted),
    )
    instance = c_void_p()
    vulkan.call("vkCreateInstance", byref(request), None, byref(instance))
    return instance


def devices_of(vulkan: Vulkan, instance: c_void_p) -> list[Physical]:
    """All devices, in the loader's order. Raises VulkanError."""
    count = c_uint32()
    vulkan.call("vkEnumeratePhysicalDevices", instance, byref(count), None)
    if count.value == 0:
        return []
    handles = (c_void_p * count.value)()
    vulkan.call("vkEnumeratePhysicalDevices", instance, byref(count), handles)
    return [Physical(vulkan, c_void_p(handles[at]), at) for at in range(count.value)]


def instance_extensions(vulkan: Vulkan) -> list[str]:
    count = c_uint32()
    vulkan.call("vkEnumerateInstanceExtensionProperties", None, byref(count), None)
    extensions = (ExtensionProperties * count.value)()
    vulkan.call("vkEnumerateInstanceExtensionProperties", None, byref(count), extensions)
    return [extension.extensionName.decode(errors="replace") for extension in extensions]


def extensions_of(vulkan: Vulkan, device: c_void_p) -> list[str]:
    count = c_uint32()
    vulkan.call("vkEnumerateDeviceExtensionProperties", device, None, byref(count), None)
    extensions = (ExtensionProperties * count.value)()
    vulkan.call("vkEnumerateDeviceExtensionProperties", device, None, byref(count), extensions)
    return [extension.extensionName.decode(errors="replace") for extension in extensions]


def offered(vulkan: Vulkan, device: Physical) -> list[str]:
    """The features that the device has."""
    head, parts = chain(device.structs())
    vulkan.tell("vkGetPhysicalDeviceFeatures2", device.handle, byref(head))
    features = [name for at, name in enumerate(BASE) if head.values[at]]
    for struct, part in parts:
        features.extend([name for at, name in enumerate(struct.members) if part.values[at]])
    return features


def chain(structs: list[FeatureStruct]) -> tuple[Any, list[tuple[FeatureStruct, Any]]]:
    """(VkPhysicalDeviceFeatures2 with all of them behind it, each with its C structure), everything off."""
    head = feature_struct(HEAD, len(BASE))
    parts: list[tuple[FeatureStruct, Any]] = []
    last = head
    for struct in structs:
        part = feature_struct(struct.type, len(struct.members))
        last.pNext = address(part)
        parts.append((struct, part))
        last = part
    return head, parts


def float_controls(vulkan: Vulkan, device: Physical) -> list[str]:
    """The properties of Vulkan 1.2 that the execution modes for denormals and rounding ask about."""
    if device.version < OLDEST:
        return []
    controls = make(FloatControlsProperties)
    properties = make(Properties2, pNext=controls)
    vulkan.tell("vkGetPhysicalDeviceProperties2", device.handle, byref(properties))
    members = [field[0] for field in FloatControlsProperties._fields_[4:]]
    return [name for name in members if getattr(controls, name)]


def family_of(vulkan: Vulkan, device: c_void_p) -> tuple[int, bool]:
    """The first queue family that computes and draws, else the first that computes, and whether it draws; -1 where
    there is none. A device that draws has one that does both (Vulkan 1.4, VkQueueFlagBits)."""
    count = c_uint32()
    vulkan.tell("vkGetPhysicalDeviceQueueFamilyProperties", device, byref(count), None)
    families = (QueueFamilyProperties * count.value)()
    vulkan.tell("vkGetPhysicalDeviceQueueFamilyProperties", device, byref(count), families)
    for wanted in (GRAPHICS_QUEUE | COMPUTE_QUEUE, COMPUTE_QUEUE):
        for at in range(count.value):
            if families[at].queueFlags & wanted == wanted:
                return at, families[at].queueFlags & GRAPHICS_QUEUE != 0
    return -1, False
