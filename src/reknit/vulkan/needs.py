"""What a module needs of a device, by its capabilities and execution modes.

    OpCapability Int64                             one of the features shaderInt64
    OpCapability GroupNonUniformBallot             the subgroup operation "ballot"
    OpExecutionMode %main MaximallyReconvergesKHR  the feature shaderMaximalReconvergence
    OpExecutionMode %main DenormPreserve 32        the property shaderDenormPreserveFloat32

A need is met by any one of its features; all of them that the device has are turned on. Source: the Vulkan registry,
vk.xml, `spirvcapabilities` and `spirvextensions`; Vulkan 1.4, "SPIR-V Capabilities".
"""

from typing import Final, final

from reknit.ir import enums, op
from reknit.ir.instr import Instr
from reknit.ir.module import Module
from reknit.ir.opcodes import enum_name

FEATURES: Final = """
    Geometry: geometryShader
    Tessellation: tessellationShader
    Float64: shaderFloat64
    Int64: shaderInt64
    Int64Atomics: shaderBufferInt64Atomics shaderSharedInt64Atomics
    AtomicFloat16AddEXT: shaderBufferFloat16AtomicAdd shaderSharedFloat16AtomicAdd
    AtomicFloat32AddEXT: shaderBufferFloat32AtomicAdd shaderSharedFloat32AtomicAdd shaderImageFloat32AtomicAdd
    AtomicFloat64AddEXT: shaderBufferFloat64AtomicAdd shaderSharedFloat64AtomicAdd
    AtomicFloat16MinMaxEXT: shaderBufferFloat16AtomicMinMax shaderSharedFloat16AtomicMinMax
    AtomicFloat32MinMaxEXT: shaderBufferFloat32AtomicMinMax shaderSharedFloat32AtomicMinMax
    AtomicFloat64MinMaxEXT: shaderBufferFloat64AtomicMinMax shaderSharedFloat64AtomicMinMax
    Int16: shaderInt16
    ImageGatherExtended: shaderImageGatherExtended
    StorageImageMultisample: shaderStorageImageMultisample
    UniformBufferArrayDynamicIndexing: shaderUniformBufferArrayDynamicIndexing
    SampledImageArrayDynamicIndexing: shaderSampledImageArrayDynamicIndexing
    StorageBufferArrayDynamicIndexing: shaderStorageBufferArrayDynamicIndexing
    StorageImageArrayDynamicIndexing: shaderStorageImageArrayDynamicIndexing
    ClipDistance: shaderClipDistance
    CullDistance: shaderCullDistance
    ImageCubeArray: imageCubeArray
    SampleRateShading: sampleRateShading
    SparseResidency: shaderResourceResidency
    MinLod: shaderResourceMinLod
    SampledCubeArray: imageCubeArray
    ImageMSArray: shaderStorageImageMultisample
    InterpolationFunction: sampleRateShading
    StorageImageReadWithoutFormat: shaderStorageImageReadWithoutFormat
    StorageImageWriteWithoutFormat: shaderStorageImageWriteWithoutFormat
    MultiViewport: multiViewport
    DrawParameters: shaderDrawParameters
    MultiView: multiview
    VariablePointersStorageBuffer: variablePointersStorageBuffer
    VariablePointers: variablePointers
    ShaderViewportIndex: shaderOutputViewportIndex
    ShaderLayer: shaderOutputLayer
    StorageBuffer16BitAccess: storageBuffer16BitAccess
    UniformAndStorageBuffer16BitAccess: uniformAndStorageBuffer16BitAccess
    StoragePushConstant16: storagePushConstant16
    StorageInputOutput16: storageInputOutput16
    RuntimeDescriptorArray: runtimeDescriptorArray
    UniformBufferArrayNonUniformIndexing: shaderUniformBufferArrayNonUniformIndexing
    StorageBufferArrayNonUniformIndexing: shaderStorageBufferArrayNonUniformIndexing
    Float16: shaderFloat16
    Int8: shaderInt8
    StorageBuffer8BitAccess: storageBuffer8BitAccess
    UniformAndStorageBuffer8BitAccess: uniformAndStorageBuffer8BitAccess
    StoragePushConstant8: storagePushConstant8
    VulkanMemoryModel: vulkanMemoryModel
    VulkanMemoryModelDeviceScope: vulkanMemoryModelDeviceScope
    ComputeDerivativeGroupQuadsKHR: computeDerivativeGroupQuads
    ComputeDerivativeGroupLinearKHR: computeDerivativeGroupLinear
    DemoteToHelperInvocation: shaderDemoteToHelperInvocation
    WorkgroupMemoryExplicitLayoutKHR: workgroupMemoryExplicitLayout
    WorkgroupMemoryExplicitLayout8BitAccessKHR: workgroupMemoryExplicitLayout8BitAccess
    WorkgroupMemoryExplicitLayout16BitAccessKHR: workgroupMemoryExplicitLayout16BitAccess
    DotProductInputAll: shaderIntegerDotProduct
    DotProductInput4x8Bit: shaderIntegerDotProduct
    DotProductInput4x8BitPacked: shaderIntegerDotProduct
    DotProduct: shaderIntegerDotProduct
    GroupNonUniformRotateKHR: shaderSubgroupRotate
    ExpectAssumeKHR: shaderExpectAssume
    FloatControls2: shaderFloatControls2
    QuadControlKHR: shaderQuadControl
    BFloat16TypeKHR: shaderBFloat16Type
    BFloat16DotProductKHR: shaderBFloat16DotProduct
    ReplicatedCompositesEXT: shaderReplicatedComposites
    UntypedPointersKHR: shaderUntypedPointers
    FMAKHR: shaderFmaFloat16 shaderFmaFloat32 shaderFmaFloat64
    ShaderClockKHR: shaderSubgroupClock shaderDeviceClock
"""

EXTENSIONS: Final = """
    SubgroupBallotKHR: VK_EXT_shader_subgroup_ballot
    SubgroupVoteKHR: VK_EXT_shader_subgroup_vote
"""

OPERATIONS: Final = {
    "GroupNonUniform": "basic",
    "GroupNonUniformVote": "vote",
    "GroupNonUniformArithmetic": "arithmetic",
    "GroupNonUniformBallot": "ballot",
    "GroupNonUniformShuffle": "shuffle",
    "GroupNonUniformShuffleRelative": "shuffle relative",
    "GroupNonUniformClustered": "clustered",
    "GroupNonUniformQuad": "quad",
    "GroupNonUniformPartitionedNV": "partitioned",
    "GroupNonUniformPartitionedEXT": "partitioned",
}
"""VkSubgroupFeatureFlagBits, by the capabilities that ask for them."""

EVERYWHERE: Final = (
    "Matrix", "Shader", "InputAttachment", "Sampled1D", "Image1D", "SampledBuffer", "ImageBuffer", "ImageQuery",
    "DerivativeControl", "StorageImageExtendedFormats", "DeviceGroup", "ShaderNonUniform",
    "DenormPreserve", "DenormFlushToZero", "SignedZeroInfNanPreserve", "RoundingModeRTE", "RoundingModeRTZ",
)  # fmt: skip
"""What every device with Vulkan 1.2 takes. Execution modes ask for the float controls."""

MODES: Final = {
    enums.ExecutionModeMaximallyReconvergesKHR: ("MaximallyReconvergesKHR", "shaderMaximalReconvergence"),
    enums.ExecutionModeSubgroupUniformControlFlowKHR: (
        "SubgroupUniformControlFlowKHR",
        "shaderSubgroupUniformControlFlow",
    ),
    enums.ExecutionModeLocalSizeId: ("LocalSizeId", "maintenance4"),
}

FLOAT_MODES: Final = {
    enums.ExecutionModeDenormPreserve: "DenormPreserve",
    enums.ExecutionModeDenormFlushToZero: "DenormFlushToZero",
    enums.ExecutionModeSignedZeroInfNanPreserve: "SignedZeroInfNanPreserve",
    enums.ExecutionModeRoundingModeRTE: "RoundingModeRTE",
    enums.ExecutionModeRoundingModeRTZ: "RoundingModeRTZ",
}

MODULE_EXTENSIONS: Final = {
    "SPV_KHR_terminate_invocation": "shaderTerminateInvocation",
    "SPV_KHR_relaxed_extended_instruction": "shaderRelaxedExtendedInstruction",
}
"""Extensions of SPIR-V that no capability or execution mode speaks for."""


@final
class Need:
    """`what` is for a message. Met by any of `features` (or properties), by the subgroup operation, by the extension;
    by nothing known where all are empty."""

    __slots__ = ("what", "features", "operation", "extension")

    def __init__(self, what: str, features: list[str], operation: str = "", extension: str = "") -> None:
        self.what = what
        self.features = features
        self.operation = operation
        self.extension = extension

    def to_json(self) -> list[object]:
        return [self.what, self.features, self.operation, self.extension]


def needs_of(module: Module, entry: Instr) -> list[Need]:
    """The needs of a module that is run from the entry point `entry`, each once."""
    needs: dict[str, Need] = {}
    for instr in module.capabilities:
        need = need_of_capability(instr.word(0))
        if need is not None:
            needs[need.what] = need
    for instr in module.extensions:
        name = instr.text(0)
        if name in MODULE_EXTENSIONS:
            needs[name] = Need(f"extension {name}", [MODULE_EXTENSIONS[name]])
    for mode in module.execution_modes:
        if mode.operands[0] is entry.operands[1]:
            need = need_of_mode(mode)
            if need is not None:
                needs[need.what] = need
    return list(needs.values())


def need_of_capability(number: int) -> Need | None:
    """None for what every device has."""
    name = enum_name("Capability", number)
    if name in EVERYWHERE:
        return None
    what = f"capability {name}"
    return Need(what, _row(FEATURES, name), OPERATIONS.get(name, ""), " ".join(_row(EXTENSIONS, name)))


def need_of_mode(mode: Instr) -> Need | None:
    number = mode.word(1)
    if number in MODES:
        name, feature = MODES[number]
        return Need(f"execution mode {name}", [feature])
    if mode.op == op.ExecutionMode and number in FLOAT_MODES:
        name = FLOAT_MODES[number]
        width = mode.word(2)
        return Need(f"execution mode {name} {width}", [f"shader{name}Float{width}"])
    return None


def _row(table: str, name: str) -> list[str]:
    for line in table.splitlines():
        key, _, value = line.strip().partition(": ")
        if key == name:
            return value.split()
    return []
