"""SPIR-V's built-ins for HLSL's system values, by stage and direction.

    SV_VertexID in a vertex shader       VertexIndex; in Slang minus BaseVertex, as slangc has it, in HLSL whole, as DXC
    SV_Position out of one               Position          into a fragment shader      FragCoord
    SV_Target2 out of a fragment shader  location 2: no system value here
    SV_InstanceID out of a vertex shader a location as any other, and into a fragment shader

Source: Microsoft's HLSL reference, "Semantics"; Slang's core module; DXC's docs/SPIR-V.rst.
"""

from typing import Final, final

from reknit.front.slang.types import BOOL, FLOAT, UINT, ConstType, Type, VectorType
from reknit.ir import enums

CLIPPING: Final = {"SV_CLIPDISTANCE": "ClipDistance", "SV_CULLDISTANCE": "CullDistance"}
"""All of one semantic are one array of floats."""
COVERAGE: Final = "SV_COVERAGE"
"""An array of one word in SPIR-V."""
TARGET: Final = "SV_TARGET"
_FLOAT3: Final = VectorType(FLOAT, ConstType(3))
_FLOAT4: Final = VectorType(FLOAT, ConstType(4))


@final
class SystemValue:
    """`relative` is a built-in that is subtracted in Slang, -1 for none; `modes` are execution modes that it needs."""

    __slots__ = ("builtin", "type", "capability", "extension", "relative", "modes")

    def __init__(
        self,
        builtin: int,
        type: Type,
        capability: int = enums.CapabilityShader,
        extension: str = "",
        relative: int = -1,
        modes: tuple[int, ...] = (),
    ) -> None:
        self.builtin = builtin
        self.type = type
        self.capability = capability
        self.extension = extension
        self.relative = relative
        self.modes = modes


_ATTRIBUTES: Final = (
    "SV_POSITION", "SV_RENDERTARGETARRAYINDEX", "SV_VIEWPORTARRAYINDEX", "SV_CLIPDISTANCE", "SV_CULLDISTANCE",
)  # fmt: skip
"""Into a vertex shader attributes as any other, but slangc refuses them (E30702)."""
_LOCATED: Final = {("vertex", True): "SV_INSTANCEID", ("fragment", False): "SV_INSTANCEID", ("fragment", True): TARGET}
"""By stage and whether it is an output: what is at a location as any other semantic."""
_SHADING_RATE: Final = "SPV_KHR_fragment_shading_rate"
_BARYCENTRIC: Final = "SPV_KHR_fragment_shader_barycentric"
_REPLACED: Final = enums.ExecutionModeDepthReplacing
_ANY: Final = {
    "SV_VIEWID": SystemValue(enums.BuiltInViewIndex, UINT, enums.CapabilityMultiView),
}
_INTO: Final[dict[str, dict[str, SystemValue]]] = {
    "vertex": {
        **_ANY,
        "SV_VERTEXID": SystemValue(enums.BuiltInVertexIndex, UINT, relative=enums.BuiltInBaseVertex),
        "SV_INSTANCEID": SystemValue(enums.BuiltInInstanceIndex, UINT, relative=enums.BuiltInBaseInstance),
        "SV_VULKANVERTEXID": SystemValue(enums.BuiltInVertexIndex, UINT),
        "SV_VULKANINSTANCEID": SystemValue(enums.BuiltInInstanceIndex, UINT),
        "SV_STARTVERTEXLOCATION": SystemValue(enums.BuiltInBaseVertex, UINT, enums.CapabilityDrawParameters),
        "SV_STARTINSTANCELOCATION": SystemValue(enums.BuiltInBaseInstance, UINT, enums.CapabilityDrawParameters),
        "SV_DRAWINDEX": SystemValue(enums.BuiltInDrawIndex, UINT, enums.CapabilityDrawParameters),
    },
    "fragment": {
        **_ANY,
        "SV_POSITION": SystemValue(enums.BuiltInFragCoord, _FLOAT4),
        "SV_ISFRONTFACE": SystemValue(enums.BuiltInFrontFacing, BOOL),
        "SV_PRIMITIVEID": SystemValue(enums.BuiltInPrimitiveId, UINT, enums.CapabilityGeometry),
        "SV_SAMPLEINDEX": SystemValue(enums.BuiltInSampleId, UINT, enums.CapabilitySampleRateShading),
        "SV_POINTCOORD": SystemValue(enums.BuiltInPointCoord, VectorType(FLOAT, ConstType(2))),
        "SV_RENDERTARGETARRAYINDEX": SystemValue(enums.BuiltInLayer, UINT, enums.CapabilityGeometry),
        "SV_VIEWPORTARRAYINDEX": SystemValue(enums.BuiltInViewportIndex, UINT, enums.CapabilityMultiViewport),
        "SV_BARYCENTRICS": SystemValue(
            enums.BuiltInBaryCoordKHR, _FLOAT3, enums.CapabilityFragmentBarycentricKHR, _BARYCENTRIC
        ),
        "SV_SHADINGRATE": SystemValue(
            enums.BuiltInShadingRateKHR, UINT, enums.CapabilityFragmentShadingRateKHR, _SHADING_RATE
        ),
        COVERAGE: SystemValue(enums.BuiltInSampleMask, UINT),
        "SV_INNERCOVERAGE": SystemValue(
            enums.BuiltInFullyCoveredEXT, BOOL, enums.CapabilityFragmentFullyCoveredEXT,
            "SPV_EXT_fragment_fully_covered",
        ),
    },
}  # fmt: skip
_OUT_OF: Final[dict[str, dict[str, SystemValue]]] = {
    "vertex": {
        "SV_POSITION": SystemValue(enums.BuiltInPosition, _FLOAT4),
        "SV_POINTSIZE": SystemValue(enums.BuiltInPointSize, FLOAT),
        "SV_RENDERTARGETARRAYINDEX": SystemValue(enums.BuiltInLayer, UINT, enums.CapabilityShaderLayer),
        "SV_VIEWPORTARRAYINDEX": SystemValue(enums.BuiltInViewportIndex, UINT, enums.CapabilityShaderViewportIndex),
        "SV_SHADINGRATE": SystemValue(
            enums.BuiltInPrimitiveShadingRateKHR, UINT, enums.CapabilityFragmentShadingRateKHR, _SHADING_RATE
        ),
    },
    "fragment": {
        "SV_DEPTH": SystemValue(enums.BuiltInFragDepth, FLOAT, modes=(_REPLACED,)),
        "SV_DEPTHGREATEREQUAL": SystemValue(
            enums.BuiltInFragDepth, FLOAT, modes=(_REPLACED, enums.ExecutionModeDepthGreater)
        ),
        "SV_DEPTHLESSEQUAL": SystemValue(
            enums.BuiltInFragDepth, FLOAT, modes=(_REPLACED, enums.ExecutionModeDepthLess)
        ),
        "SV_STENCILREF": SystemValue(
            enums.BuiltInFragStencilRefEXT, UINT, enums.CapabilityStencilExportEXT, "SPV_EXT_shader_stencil_export",
            modes=(enums.ExecutionModeStencilRefReplacingEXT,),
        ),
        COVERAGE: SystemValue(enums.BuiltInSampleMask, UINT),
    },
}  # fmt: skip
_NAMED: Final = {
    "PointSize": "SV_POINTSIZE", "BaseVertex": "SV_STARTVERTEXLOCATION", "BaseInstance": "SV_STARTINSTANCELOCATION",
    "DrawIndex": "SV_DRAWINDEX", "Position": "SV_POSITION", "PointCoord": "SV_POINTCOORD",
}  # fmt: skip
"""What [[vk::builtin("...")]] names."""
POINT_SIZE: Final = "SV_POINTSIZE"
"""Vulkan gives it to no fragment shader (VUID-PointSize-PointSize-04314): a field that has it may not be read there."""


def system_value(stage: str, output: bool, semantic: str) -> SystemValue | None:
    """`semantic` is in capitals, without its number."""
    return (_OUT_OF if output else _INTO)[stage].get(semantic)


def is_located(hlsl: bool, stage: str, output: bool, semantic: str) -> bool:
    """Whether `semantic`, in capitals and without its number, is at a location, as no system value of the stage is."""
    if not semantic.startswith("SV_"):
        return True
    if hlsl and stage == "vertex" and not output and semantic in _ATTRIBUTES:
        return True
    return _LOCATED.get((stage, output)) == semantic


def is_clipping(stage: str, output: bool, semantic: str) -> bool:
    """Whether `semantic` is part of the array of clip or cull distances."""
    return semantic in CLIPPING and output == (stage == "vertex")


def semantic_of_builtin(name: str) -> str:
    """"" for a name that is not known here."""
    return _NAMED.get(name, "")
