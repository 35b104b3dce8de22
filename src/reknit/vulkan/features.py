"""The features that a device offers and is asked for, as Vulkan keeps them: structures of VkBool32, chained.

    VkPhysicalDeviceFeatures2 -> VkPhysicalDeviceVulkan12Features -> ...MaximalReconvergenceFeaturesKHR -> null

The same chain is filled in by vkGetPhysicalDeviceFeatures2 and, with only what is needed left on, given to
vkCreateDevice. A structure is there from a version of Vulkan on, or where an extension is; one whose members became
part of a version must not stand in a chain beside that version's own.

Source: the Vulkan registry, vk.xml.
"""

from typing import Final, final


@final
class FeatureStruct:
    """`extension` brings it, "" for one that version `since` (10 * major + minor) has; from version `until` on its
    members are in that version's own structure (0: never)."""

    __slots__ = ("type", "members", "extension", "since", "until")

    def __init__(self, type: int, members: str, extension: str = "", since: int = 0, until: int = 0) -> None:
        self.type = type
        self.members = members.split()
        self.extension = extension
        self.since = since
        self.until = until

    def is_offered(self, version: int, extensions: list[str]) -> bool:
        """Whether a device of this version and with these extensions has the structure."""
        if not self.extension:
            return version >= self.since
        return self.extension in extensions and not (self.until and version >= self.until)


_BASE: Final = """
    robustBufferAccess fullDrawIndexUint32 imageCubeArray independentBlend geometryShader tessellationShader
    sampleRateShading dualSrcBlend logicOp multiDrawIndirect drawIndirectFirstInstance depthClamp depthBiasClamp
    fillModeNonSolid depthBounds wideLines largePoints alphaToOne multiViewport samplerAnisotropy
    textureCompressionETC2 textureCompressionASTC_LDR textureCompressionBC occlusionQueryPrecise
    pipelineStatisticsQuery vertexPipelineStoresAndAtomics fragmentStoresAndAtomics
    shaderTessellationAndGeometryPointSize shaderImageGatherExtended shaderStorageImageExtendedFormats
    shaderStorageImageMultisample shaderStorageImageReadWithoutFormat shaderStorageImageWriteWithoutFormat
    shaderUniformBufferArrayDynamicIndexing shaderSampledImageArrayDynamicIndexing
    shaderStorageBufferArrayDynamicIndexing shaderStorageImageArrayDynamicIndexing shaderClipDistance
    shaderCullDistance shaderFloat64 shaderInt64 shaderInt16 shaderResourceResidency shaderResourceMinLod
    sparseBinding sparseResidencyBuffer sparseResidencyImage2D sparseResidencyImage3D sparseResidency2Samples
    sparseResidency4Samples sparseResidency8Samples sparseResidency16Samples sparseResidencyAliased
    variableMultisampleRate inheritedQueries
"""

BASE: Final = _BASE.split()
"""VkPhysicalDeviceFeatures, which is not chained but the head's own."""

STRUCTS: Final = [
    FeatureStruct(
        49,
        """
        storageBuffer16BitAccess uniformAndStorageBuffer16BitAccess storagePushConstant16 storageInputOutput16
        multiview multiviewGeometryShader multiviewTessellationShader variablePointersStorageBuffer
        variablePointers protectedMemory samplerYcbcrConversion shaderDrawParameters
        """,
        since=12,
    ),
    FeatureStruct(
        51,
        """
        samplerMirrorClampToEdge drawIndirectCount storageBuffer8BitAccess uniformAndStorageBuffer8BitAccess
        storagePushConstant8 shaderBufferInt64Atomics shaderSharedInt64Atomics shaderFloat16 shaderInt8
        descriptorIndexing shaderInputAttachmentArrayDynamicIndexing
        shaderUniformTexelBufferArrayDynamicIndexing shaderStorageTexelBufferArrayDynamicIndexing
        shaderUniformBufferArrayNonUniformIndexing shaderSampledImageArrayNonUniformIndexing
        shaderStorageBufferArrayNonUniformIndexing shaderStorageImageArrayNonUniformIndexing
        shaderInputAttachmentArrayNonUniformIndexing shaderUniformTexelBufferArrayNonUniformIndexing
        shaderStorageTexelBufferArrayNonUniformIndexing descriptorBindingUniformBufferUpdateAfterBind
        descriptorBindingSampledImageUpdateAfterBind descriptorBindingStorageImageUpdateAfterBind
        descriptorBindingStorageBufferUpdateAfterBind descriptorBindingUniformTexelBufferUpdateAfterBind
        descriptorBindingStorageTexelBufferUpdateAfterBind descriptorBindingUpdateUnusedWhilePending
        descriptorBindingPartiallyBound descriptorBindingVariableDescriptorCount runtimeDescriptorArray
        samplerFilterMinmax scalarBlockLayout imagelessFramebuffer uniformBufferStandardLayout
        shaderSubgroupExtendedTypes separateDepthStencilLayouts hostQueryReset timelineSemaphore
        bufferDeviceAddress bufferDeviceAddressCaptureReplay bufferDeviceAddressMultiDevice vulkanMemoryModel
        vulkanMemoryModelDeviceScope vulkanMemoryModelAvailabilityVisibilityChains shaderOutputViewportIndex
        shaderOutputLayer subgroupBroadcastDynamicId
        """,
        since=12,
    ),
    FeatureStruct(
        53,
        """
        robustImageAccess inlineUniformBlock descriptorBindingInlineUniformBlockUpdateAfterBind
        pipelineCreationCacheControl privateData shaderDemoteToHelperInvocation shaderTerminateInvocation
        subgroupSizeControl computeFullSubgroups synchronization2 textureCompressionASTC_HDR
        shaderZeroInitializeWorkgroupMemory dynamicRendering shaderIntegerDotProduct maintenance4
        """,
        since=13,
    ),
    FeatureStruct(
        55,
        """
        globalPriorityQuery shaderSubgroupRotate shaderSubgroupRotateClustered shaderFloatControls2
        shaderExpectAssume rectangularLines bresenhamLines smoothLines stippledRectangularLines
        stippledBresenhamLines stippledSmoothLines vertexAttributeInstanceRateDivisor
        vertexAttributeInstanceRateZeroDivisor indexTypeUint8 dynamicRenderingLocalRead maintenance5
        maintenance6 pipelineProtectedAccess pipelineRobustness hostImageCopy pushDescriptor
        """,
        since=14,
    ),
    FeatureStruct(1000225002, "subgroupSizeControl computeFullSubgroups", "VK_EXT_subgroup_size_control", until=13),
    FeatureStruct(1000280000, "shaderIntegerDotProduct", "VK_KHR_shader_integer_dot_product", until=13),
    FeatureStruct(1000215000, "shaderTerminateInvocation", "VK_KHR_shader_terminate_invocation", until=13),
    FeatureStruct(1000276000, "shaderDemoteToHelperInvocation", "VK_EXT_shader_demote_to_helper_invocation", until=13),
    FeatureStruct(
        1000325000,
        "shaderZeroInitializeWorkgroupMemory",
        "VK_KHR_zero_initialize_workgroup_memory",
        until=13,
    ),
    FeatureStruct(1000413000, "maintenance4", "VK_KHR_maintenance4", until=13),
    FeatureStruct(
        1000416000,
        "shaderSubgroupRotate shaderSubgroupRotateClustered",
        "VK_KHR_shader_subgroup_rotate",
        until=14,
    ),
    FeatureStruct(1000528000, "shaderFloatControls2", "VK_KHR_shader_float_controls2", until=14),
    FeatureStruct(1000544000, "shaderExpectAssume", "VK_KHR_shader_expect_assume", until=14),
    FeatureStruct(1000434000, "shaderMaximalReconvergence", "VK_KHR_shader_maximal_reconvergence"),
    FeatureStruct(1000323000, "shaderSubgroupUniformControlFlow", "VK_KHR_shader_subgroup_uniform_control_flow"),
    FeatureStruct(1000235000, "shaderQuadControl", "VK_KHR_shader_quad_control"),
    FeatureStruct(
        1000260000,
        """
        shaderBufferFloat32Atomics shaderBufferFloat32AtomicAdd shaderBufferFloat64Atomics
        shaderBufferFloat64AtomicAdd shaderSharedFloat32Atomics shaderSharedFloat32AtomicAdd
        shaderSharedFloat64Atomics shaderSharedFloat64AtomicAdd shaderImageFloat32Atomics
        shaderImageFloat32AtomicAdd sparseImageFloat32Atomics sparseImageFloat32AtomicAdd
        """,
        "VK_EXT_shader_atomic_float",
    ),
    FeatureStruct(
        1000273000,
        """
        shaderBufferFloat16Atomics shaderBufferFloat16AtomicAdd shaderBufferFloat16AtomicMinMax
        shaderBufferFloat32AtomicMinMax shaderBufferFloat64AtomicMinMax shaderSharedFloat16Atomics
        shaderSharedFloat16AtomicAdd shaderSharedFloat16AtomicMinMax shaderSharedFloat32AtomicMinMax
        shaderSharedFloat64AtomicMinMax shaderImageFloat32AtomicMinMax sparseImageFloat32AtomicMinMax
        """,
        "VK_EXT_shader_atomic_float2",
    ),
    FeatureStruct(1000181000, "shaderSubgroupClock shaderDeviceClock", "VK_KHR_shader_clock"),
    FeatureStruct(1000558000, "shaderRelaxedExtendedInstruction", "VK_KHR_shader_relaxed_extended_instruction"),
    FeatureStruct(
        1000201000,
        "computeDerivativeGroupQuads computeDerivativeGroupLinear",
        "VK_KHR_compute_shader_derivatives",
    ),
    FeatureStruct(
        1000336000,
        """
        workgroupMemoryExplicitLayout workgroupMemoryExplicitLayoutScalarBlockLayout
        workgroupMemoryExplicitLayout8BitAccess workgroupMemoryExplicitLayout16BitAccess
        """,
        "VK_KHR_workgroup_memory_explicit_layout",
    ),
    FeatureStruct(1000387000, "shaderUntypedPointers", "VK_KHR_shader_untyped_pointers"),
    FeatureStruct(
        1000141000,
        "shaderBFloat16Type shaderBFloat16DotProduct shaderBFloat16CooperativeMatrix",
        "VK_KHR_shader_bfloat16",
    ),
    FeatureStruct(1000564000, "shaderReplicatedComposites", "VK_EXT_shader_replicated_composites"),
    FeatureStruct(1000579000, "shaderFmaFloat16 shaderFmaFloat32 shaderFmaFloat64", "VK_KHR_shader_fma"),
]
