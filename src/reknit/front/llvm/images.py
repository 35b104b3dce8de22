"""Images and samplers: what DXIL's textures are in SPIR-V, before any operation on them.

    Texture2DArray<float4>     image<f32 2D arrayed sampled>        RWTexture2D<uint>     image<u32 2D storage>
    SamplerState               sampler                              t.Sample(s, ...)      OpSampledImage of both

Formats are unknown, since DXIL doesn't have them, but for texels that atomics are done on: these have R32ui or R32i.
"""

from typing import Final, final

from reknit.front.llvm.dxil_handles import variable_of
from reknit.front.llvm.resources import SAMPLER, SRV, Resource
from reknit.front.llvm.results import Handle
from reknit.front.llvm.target import Target
from reknit.front.llvm.unsupported import Refusal
from reknit.ir import enums, op
from reknit.ir.instr import Instr
from reknit.ir.types import int_type
from reknit.ir.value import Value

SIGNED: Final = (2, 4)  # I16, I32
UNSIGNED: Final = (3, 5)  # U16, U32
WIDE: Final = (6, 7, 10)  # I64, U64, F64
"""DXC, DxilConstants.h, ComponentType."""


@final
class Shape:
    """`coordinates` are those of a texel, the layer included; `offsets` those without it, 0 where none are taken."""

    __slots__ = ("dimension", "arrayed", "samples", "coordinates", "offsets")

    def __init__(self, dimension: int, arrayed: int, samples: int, coordinates: int, offsets: int) -> None:
        self.dimension = dimension
        self.arrayed = arrayed
        self.samples = samples
        self.coordinates = coordinates
        self.offsets = offsets


_SHAPES: Final = {
    1: Shape(enums.Dim1D, 0, 0, 1, 1), 2: Shape(enums.Dim2D, 0, 0, 2, 2), 3: Shape(enums.Dim2D, 0, 1, 2, 2),
    4: Shape(enums.Dim3D, 0, 0, 3, 3), 5: Shape(enums.DimCube, 0, 0, 3, 0), 6: Shape(enums.Dim1D, 1, 0, 2, 1),
    7: Shape(enums.Dim2D, 1, 0, 3, 2), 8: Shape(enums.Dim2D, 1, 1, 3, 2), 9: Shape(enums.DimCube, 1, 0, 4, 0),
    100: Shape(enums.DimBuffer, 0, 0, 1, 0),
}  # fmt: skip
"""By ResourceKind."""
TEXEL_BUFFER: Final = 100
"""An image1d_buffer_t: no ResourceKind of DXIL, whose typed buffers are storage buffers here."""
_UNKNOWN_FORMAT: Final = 0
_MAYBE_DEPTH: Final = 2
_R32_FLOAT: Final = 3
_R32_SIGNED: Final = 24
_R32_UNSIGNED: Final = 33
_R64_UNSIGNED: Final = 40
_R64_SIGNED: Final = 41


def shape_of(resource: Resource) -> Shape:
    """Raises Refusal."""
    shape = _SHAPES.get(resource.shape)
    if resource.kind == SAMPLER or shape is None:
        what = {16: "an acceleration structure", 17: "a feedback texture", 18: "a feedback texture"}.get(resource.shape)
        raise Refusal(f"is an access to {what or 'a buffer or sampler'} as to a texture")
    return shape


def component_of(target: Target, resource: Resource) -> Instr:
    """The type of a texel's component. Numbers of 64 bits are pairs of words, as DXIL loads and stores them, but where
    atomics need them whole."""
    if resource.atomic == 64:
        target.uint(64)
        return int_type(target.module, 64, resource.element in WIDE[:1])
    if resource.element in SIGNED:
        return int_type(target.module, 32, True)
    if resource.element in UNSIGNED or resource.element in WIDE:
        return target.u32
    return target.float(32)


def image_type(target: Target, resource: Resource) -> Instr:
    """Raises Refusal."""
    shape = shape_of(resource)
    component = component_of(target, resource)
    sampled = resource.kind == SRV
    if shape.dimension == enums.Dim1D:
        target.capability(enums.CapabilitySampled1D if sampled else enums.CapabilityImage1D)
    elif shape.dimension == enums.DimBuffer:
        target.capability(enums.CapabilitySampledBuffer if sampled else enums.CapabilityImageBuffer)
    elif shape.dimension == enums.DimCube and shape.arrayed:
        target.capability(enums.CapabilitySampledCubeArray if sampled else enums.CapabilityImageCubeArray)
    elif shape.samples and not sampled:
        target.capability(enums.CapabilityStorageImageMultisample)
        if shape.arrayed:
            target.capability(enums.CapabilityImageMSArray)
    form = _UNKNOWN_FORMAT
    if resource.atomic == 64:
        form = _R64_SIGNED if resource.element in WIDE[:1] else _R64_UNSIGNED
        target.capability(enums.CapabilityInt64ImageEXT)
        target.extension("SPV_EXT_shader_image_int64")
    elif resource.atomic:
        form = _R32_SIGNED if resource.element in SIGNED else _R32_UNSIGNED
        if resource.element not in (*SIGNED, *UNSIGNED):
            form = _R32_FLOAT
    depth = _MAYBE_DEPTH if sampled else 0
    operands: list[Value | int | str] = [
        component, shape.dimension, depth, shape.arrayed, shape.samples, 1 if sampled else 2, form,
    ]  # fmt: skip
    return target.module.intern(op.TypeImage, None, operands)


def image(target: Target, handle: Handle) -> Instr:
    """The image, loaded."""
    type = image_type(target, handle.resource)
    return loaded(target, handle, type)


def image_pointer(target: Target, handle: Handle) -> Instr:
    return variable_of(target, handle, enums.StorageClassUniformConstant, image_type(target, handle.resource))


def sampled_image(target: Target, texture: Handle, sampler: Handle) -> Instr:
    """Both together. Raises Refusal."""
    if sampler.resource.kind != SAMPLER:
        raise Refusal("samples with what is no sampler")
    if texture.resource.kind != SRV:
        raise Refusal("samples a texture that is written to")
    picture = image(target, texture)
    state = loaded(target, sampler, target.module.intern(op.TypeSampler, None, []))
    assert picture.type is not None
    type = target.module.intern(op.TypeSampledImage, None, [picture.type])
    both = target.emit(op.SampledImage, type, [picture, state])
    if texture.uneven or sampler.uneven:
        target.decorate(both, enums.DecorationNonUniform)
    return both


def loaded(target: Target, handle: Handle, type: Instr) -> Instr:
    """What the handle's descriptor holds, of this type."""
    at = variable_of(target, handle, enums.StorageClassUniformConstant, type)
    value = target.emit(op.Load, type, [at])
    if handle.uneven:
        target.decorate(value, enums.DecorationNonUniform)
    return value
