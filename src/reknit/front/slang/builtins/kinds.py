"""The names of builtin types that aren't numbers: resources and their like, what they take and what `[]` gives.

    RWStructuredBuffer<T>     Texture2D<T = float4>     ByteAddressBuffer     Atomic<T>     SamplerState
    RWTexture2D<float>[uint2] -> float, writable        StructuredBuffer<T>[uint] -> T, not writable

Source: Slang's core module; Microsoft's HLSL reference, "Shader Model 5 Objects".
"""

from typing import Final, final

from reknit.front.slang.builtins.names import numeric
from reknit.front.slang.types import (
    BLOCK,
    FLOAT,
    READ_BLOCK,
    UINT,
    ConstType,
    ResourceType,
    ScalarType,
    Type,
    VectorType,
)

STRUCTURED: Final = (
    "StructuredBuffer", "RWStructuredBuffer", "RasterizerOrderedStructuredBuffer", "AppendStructuredBuffer",
    "ConsumeStructuredBuffer",
)  # fmt: skip
BYTE_ADDRESS: Final = ("ByteAddressBuffer", "RWByteAddressBuffer", "RasterizerOrderedByteAddressBuffer")
TYPED: Final = ("Buffer", "RWBuffer", "RasterizerOrderedBuffer")
UNIFORM: Final = ("ConstantBuffer", "ParameterBlock", "TextureBuffer")
BLOCKS: Final = (BLOCK, READ_BLOCK)
LAID_OUT: Final = (*STRUCTURED, *UNIFORM, *BLOCKS)
"""Whose second argument says how their contents lie in memory."""
ACCELERATION: Final = "RaytracingAccelerationStructure"
SAMPLERS: Final = ("SamplerState", "SamplerComparisonState")
TEXTURES: Final = {
    "1D": 1, "2D": 2, "3D": 3, "Cube": 3, "1DArray": 2, "2DArray": 3, "CubeArray": 4, "2DMS": 2, "2DMSArray": 3,
}  # fmt: skip
"""By what follows Texture, RWTexture or RasterizerOrderedTexture: how many coordinates `Load` and `[]` take."""


_PREFIXES: Final = (
    "Texture", "RWTexture", "WTexture", "RasterizerOrderedTexture", "DepthTexture", "Sampler", "__RWTexture",
)  # fmt: skip
"""The last one is of GLSL's images of cubes, which have no name in Slang."""
SUBPASS: Final = ("SubpassInput", "SubpassInputMS")
"""What a fragment shader reads at its own place."""


@final
class TypeName:
    """Takes `least` to `most` generic arguments; without one, elements are of type `default`."""

    __slots__ = ("name", "least", "most", "default")

    def __init__(self, name: str, least: int, most: int, default: Type | None = None) -> None:
        self.name = name
        self.least = least
        self.most = most
        self.default = default

    def make(self, arguments: list[Type]) -> Type | None:
        """None: not of these arguments."""
        if not self.least <= len(arguments) <= self.most:
            return None
        if self.default is not None:
            return ResourceType(self.name, arguments[0] if arguments else self.default)
        if self.most == 0:
            return numeric(self.name) or ResourceType(self.name, None)
        return ResourceType(self.name, arguments[0], arguments[1] if len(arguments) > 1 else None)


def texture_shape(kind: str) -> str | None:
    """ "2DArray" of RWTexture2DArray and of Sampler2DArrayShadow; None for what is no texture."""
    for prefix in _PREFIXES:
        if kind.startswith(prefix):
            shape = kind[len(prefix) :]
            if prefix == "Sampler":
                shape = shape.removesuffix("Shadow")
            if shape in TEXTURES:
                return shape
    return None


def is_shadow(kind: str) -> bool:
    """Whether it is a texture for comparisons."""
    return kind.startswith("DepthTexture") or kind.endswith("Shadow")


def is_combined(kind: str) -> bool:
    """Whether it is a texture with its sampler."""
    return kind.startswith("Sampler") and texture_shape(kind) is not None


def find_type(name: str) -> TypeName | None:
    """None: no builtin type has this name."""
    if name in LAID_OUT:  # that of blocks which are only read has no name a source can have
        return TypeName(name, 1, 2)
    if name == "Atomic":
        return TypeName(name, 1, 1)
    if name == "RayQuery":
        return TypeName(name, 0, 1, ConstType(0))
    shape = texture_shape(name)
    if shape is not None and is_shadow(name):
        return TypeName(name, 0, 0, FLOAT)
    if shape is not None or name in TYPED or name in SUBPASS:
        if shape is not None and writable(name) and shape.startswith("Cube") != name.startswith("__"):
            return None
        return TypeName(name, 0, 2 if "MS" in name else 1, VectorType(FLOAT, ConstType(4)))
    if name in BYTE_ADDRESS or name in SAMPLERS or name == ACCELERATION or numeric(name) is not None:
        return TypeName(name, 0, 0)
    return None


def writable(kind: str) -> bool:
    return kind.startswith(("RW", "RasterizerOrdered", "WTexture", "__RW"))


def coordinates(kind: str) -> int:
    """How many numbers say where a texel is. What is stored to a cube goes by its faces: x, y and the layer's."""
    shape = texture_shape(kind)
    if shape is None:
        return 1
    return 3 if shape == "CubeArray" and writable(kind) else TEXTURES[shape]


def element_of(type: Type) -> tuple[Type, Type, bool] | None:
    """(index, element, whether it may be written) of `type[index]`; None where that isn't allowed. Of a multisampled
    texture the last component is the sample."""
    if not isinstance(type, ResourceType) or type.element is None:
        return None
    if type.kind in STRUCTURED[:3] or type.kind in TYPED:
        return UINT, type.element, writable(type.kind)
    shape = texture_shape(type.kind)
    if shape is None or type.kind.startswith("WTexture"):
        return None
    count = coordinates(type.kind) + (1 if "MS" in shape else 0)
    return UINT if count == 1 else VectorType(UINT, ConstType(count)), type.element, writable(type.kind)


def scalar_element(type: ResourceType) -> ScalarType | None:
    """What a texture's or typed buffer's texels are made of."""
    element = type.element.element if isinstance(type.element, VectorType) else type.element
    return element if isinstance(element, ScalarType) else None


_RAYS: Final = "ray tracing"
_NARROW: Final = "floats of fewer bits than a half"
_COOPERATIVE: Final = "cooperative matrices and vectors"
_AUTODIFF: Final = "automatic differentiation"
_TENSORS: Final = "tensors of PyTorch"
_MESHES: Final = "mesh shaders"
_POINTERS: Final = "pointers of this kind"
_TESSELLATION: Final = "tessellation and geometry shaders"
NOT_READ: Final = {
    "TraceRay": _RAYS, "DispatchRaysDimensions": _RAYS, "RayTCurrent": _RAYS,
    "BuiltInTriangleIntersectionAttributes": _RAYS, "HitObject": _RAYS, "DispatchRaysIndex": _RAYS,
    "WorldRayOrigin": _RAYS, "WorldRayDirection": _RAYS, "ObjectRayOrigin": _RAYS, "ObjectRayDirection": _RAYS,
    "RayTMin": _RAYS, "RayFlags": _RAYS, "InstanceIndex": _RAYS, "InstanceID": _RAYS, "GeometryIndex": _RAYS,
    "PrimitiveIndex": _RAYS, "HitKind": _RAYS, "ReportHit": _RAYS, "IgnoreHit": _RAYS, "CallShader": _RAYS,
    "AcceptHitAndEndSearch": _RAYS, "ObjectToWorld3x4": _RAYS, "ObjectToWorld4x3": _RAYS, "ObjectToWorld": _RAYS,
    "WorldToObject3x4": _RAYS, "WorldToObject4x3": _RAYS, "WorldToObject": _RAYS,
    "FloatE4M3": _NARROW, "FloatE5M2": _NARROW, "BFloat16": _NARROW,
    "CoopMat": _COOPERATIVE, "CoopVec": _COOPERATIVE, "linalg": _COOPERATIVE, "ICoopElement": _COOPERATIVE,
    "coopVecLoad": _COOPERATIVE, "coopVecLoadCoherent": _COOPERATIVE, "coopVecLoadGroupshared": _COOPERATIVE,
    "coopVecOuterProductAccumulate": _COOPERATIVE, "coopVecReduceSumAccumulate": _COOPERATIVE,
    "CoopVecComponentType": _COOPERATIVE, "CoopVecMatrixLayout": _COOPERATIVE,
    "CoopMatMatrixUse": _COOPERATIVE, "CoopMatMatrixLayout": _COOPERATIVE,
    "OutputVertices": _MESHES, "OutputIndices": _MESHES, "OutputPrimitives": _MESHES,
    "LayoutPtr": _POINTERS, "ImmutablePtr": _POINTERS, "ConstBufferPointer": _POINTERS,
    "InputPatch": _TESSELLATION, "OutputPatch": _TESSELLATION,
    "TriangleStream": _TESSELLATION, "LineStream": _TESSELLATION, "PointStream": _TESSELLATION,
    "Differential": _AUTODIFF, "dzero": _AUTODIFF, "dadd": _AUTODIFF, "dmul": _AUTODIFF,
    "DifferentialPair": _AUTODIFF, "DifferentialPtrPair": _AUTODIFF, "diffPair": _AUTODIFF, "updateDiff": _AUTODIFF,
    "IDifferentiablePtrType": _AUTODIFF, "IDifferentiableFunc": _AUTODIFF, "detach": _AUTODIFF,
    "TensorView": _TENSORS, "TorchTensor": _TENSORS,
    "FeedbackTexture2D": "sampler feedback", "FeedbackTexture2DArray": "sampler feedback",
    "GetAttributeAtVertex": "inputs of all three vertices",
    "beginInvocationInterlock": "ordered sections of fragment shaders",
    "endInvocationInterlock": "ordered sections of fragment shaders",
    "saturated_cooperation": "saturated cooperation",
}  # fmt: skip
"""Names of the language's own, members among them, that are refused, and what they belong to."""

ENUMS: Final[dict[str, dict[str, int]]] = {
    "Access": {"ReadWrite": 0, "Read": 1, "Immutable": 2},
    "AddressSpace": {"Generic": 0x7FFFFFFF, "GroupShared": 4, "Device": 5},
    "MemoryScope": {
        "CrossDevice": 0, "Device": 1, "Workgroup": 2, "Subgroup": 3, "Invocation": 4, "QueueFamily": 5,
    },
    "MemoryOrder": {"Relaxed": 0, "Acquire": 2, "Release": 4, "AcquireRelease": 8, "SeqCst": 0x10},
}
"""Builtin enums, whose cases are `int`s here: what a pointer may be used for, where it leads (both say nothing here),
SPIR-V's scopes and memory semantics."""
