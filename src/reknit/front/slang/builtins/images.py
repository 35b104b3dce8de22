"""Textures and typed buffers: their types, texels by coordinates, levels.

    texture[uint2(x, y)]         ImageFetch, level 0          rw[uint2(x, y)] = v      ImageWrite of four components
    texture.Load(int3(x, y, l))  ImageFetch, level l          buffer[i]                ImageFetch of a Buffer image
    SampleLevel(s, uv, l)        SampledImage, ImageSampleExplicitLod

The format is what the parameter's [format] says, else r32i or r32ui for single integers, as slangc has it, and unknown
for what else can be written. Atomics need one of 32 bits (SPIR-V 1.6, OpImageTexelPointer). A texel has four
components; the element takes the first of them.
"""

from typing import Final

from reknit.front.slang.builtins.builtin import Signature
from reknit.front.slang.builtins.components import emit_op, parts_of
from reknit.front.slang.builtins.emitter import Emitter, Unsupported
from reknit.front.slang.builtins.kinds import TEXTURES, TYPED, scalar_element, texture_shape, writable
from reknit.front.slang.builtins.shapes import count_of, ir_numeric
from reknit.front.slang.hir import Intrinsic
from reknit.front.slang.types import (
    FLOAT,
    INT,
    UINT,
    VOID,
    ConstType,
    ResourceType,
    ScalarType,
    Type,
    VectorType,
)
from reknit.ir import enums, op
from reknit.ir.instr import Instr, Operand
from reknit.ir.value import Value

_DIMENSIONS: Final = {
    "1D": enums.Dim1D, "2D": enums.Dim2D, "3D": enums.Dim3D, "Cube": enums.DimCube, "1DArray": enums.Dim1D,
    "2DArray": enums.Dim2D, "CubeArray": enums.DimCube, "2DMS": enums.Dim2D, "2DMSArray": enums.Dim2D,
}  # fmt: skip


_PLAIN: Final = "rgba32f rgba16f r32f rgba8 rgba8_snorm rgba32i rgba16i rgba8i r32i rgba32ui rgba16ui rgba8ui r32ui"
_ALL: Final = """
    unknown rgba32f rgba16f r32f rgba8 rgba8_snorm rg32f rg16f r11f_g11f_b10f r16f rgba16 rgb10_a2 rg16 rg8 r16 r8
    rgba16_snorm rg16_snorm rg8_snorm r16_snorm r8_snorm rgba32i rgba16i rgba8i r32i rg32i rg16i rg8i r16i r8i
    rgba32ui rgba16ui rgba8ui r32ui rgb10_a2ui rg32ui rg16ui rg8ui r16ui r8ui
"""
FORMATS: Final = {name: number for number, name in enumerate(_ALL.split())}
"""SPIR-V's Image Format by the names of GLSL's layout qualifiers."""


_OF_SINGLE: Final = {"int": "r32i", "uint": "r32ui"}
_ATOMIC: Final = tuple(FORMATS[name] for name in ("r32f", "r32i", "r32ui"))


def need_atomic_format(image: Instr) -> None:
    if image.word(6) not in _ATOMIC:
        raise Unsupported(
            'atomics need texels of the format r32i, r32ui or r32f; name it before the parameter: [format("r32ui")]'
        )


def image_type(emitter: Emitter, type: ResourceType, format: str = "") -> Instr:
    scalar = scalar_element(type)
    shape = texture_shape(type.kind)
    if scalar is None or scalar.kind == "bool" or scalar.width == 64 or (scalar.kind != "float" and scalar.width != 32):
        raise Unsupported(f"texels of '{type.element}' are not supported")
    dimension = enums.DimBuffer if shape is None else _DIMENSIONS[shape]
    stored = writable(type.kind)
    if shape is None:
        emitter.capability(enums.CapabilityImageBuffer if stored else enums.CapabilitySampledBuffer)
    elif dimension == enums.Dim1D:
        emitter.capability(enums.CapabilityImage1D if stored else enums.CapabilitySampled1D)
    if not format and isinstance(type.element, ScalarType):
        format = _OF_SINGLE.get(type.element.kind, "")
    number = FORMATS.get(format, 0) if stored else 0
    if stored and not number:
        emitter.capability(enums.CapabilityStorageImageReadWithoutFormat)
        emitter.capability(enums.CapabilityStorageImageWriteWithoutFormat)
    elif stored and format not in _PLAIN.split():
        emitter.capability(enums.CapabilityStorageImageExtendedFormats)
    arrayed = 1 if shape is not None and shape.endswith("Array") else 0
    multisampled = 1 if shape is not None and "MS" in shape else 0
    operands: list[Operand] = [ir_numeric(emitter, _texel(scalar)), dimension, 0, arrayed, multisampled]
    return emitter.module.intern(op.TypeImage, None, [*operands, 2 if stored else 1, number])


def _texel(scalar: ScalarType) -> ScalarType:
    """What images hold: halves are floats there."""
    return FLOAT if scalar.kind == "float" else scalar


def _element(type: Type) -> Type:
    assert isinstance(type, ResourceType) and type.element is not None
    return type.element


def _texels(type: Type) -> VectorType:
    assert isinstance(type, ResourceType)
    scalar = scalar_element(type)
    assert scalar is not None
    return VectorType(_texel(scalar), ConstType(4))


def _cut(emitter: Emitter, type: Type, texel: Value) -> Value:
    """A texel's first components as the resource's element."""
    element = _element(type)
    whole = _texels(type)
    count = count_of(element)
    if count == 1:
        value: Value = emitter.emit(op.CompositeExtract, ir_numeric(emitter, whole.element), [texel, 0])
    elif count < 4:
        same_kind = ir_numeric(emitter, VectorType(whole.element, ConstType(count)))
        value = emitter.emit(op.VectorShuffle, same_kind, [texel, texel, *range(count)])
    else:
        value = texel
    element_type = ir_numeric(emitter, element)
    assert isinstance(value, Instr)
    return value if value.type is element_type else emitter.emit(op.FConvert, element_type, [value])


def read_element(emitter: Emitter, type: Type, handle: Value, index: Value) -> Value:
    """`handle[index]`."""
    assert isinstance(type, ResourceType)
    texels = ir_numeric(emitter, _texels(type))
    if writable(type.kind):
        return _cut(emitter, type, emitter.emit(op.ImageRead, texels, [handle, index]))
    operands: list[Operand] = [handle, index]
    if type.kind not in TYPED:
        operands.extend([enums.ImageOperandsLod, emitter.word(0)])
    return _cut(emitter, type, emitter.emit(op.ImageFetch, texels, operands))


def write_element(emitter: Emitter, type: Type, handle: Value, index: Value, value: Value) -> None:
    """`handle[index] = value`. Components that the element doesn't have are its last one again."""
    element = _element(type)
    whole = _texels(type)
    if isinstance(element, VectorType) or element.key != whole.element.key:
        wide = VectorType(whole.element, element.count) if isinstance(element, VectorType) else whole.element
        if ir_numeric(emitter, wide) is not ir_numeric(emitter, element):
            value = emitter.emit(op.FConvert, ir_numeric(emitter, wide), [value])
        element = wide
    parts = parts_of(emitter, element, value)
    parts.extend([parts[-1]] * (4 - len(parts)))
    texel = (
        value if count_of(element) == 4 else emitter.emit(op.CompositeConstruct, ir_numeric(emitter, whole), [*parts])
    )
    emitter.effect(op.ImageWrite, [handle, index, texel])


# ---- methods


def resolve(name: str, receiver: Type, arguments: list[Type]) -> Signature | None:
    """Of a texture or typed buffer."""
    if not isinstance(receiver, ResourceType) or receiver.element is None:
        return None
    full = f"{receiver.kind}.{name}"
    shape = texture_shape(receiver.kind)
    if name == "Load" and len(arguments) == 1:
        count = 1 if shape is None else TEXTURES[shape] + (0 if writable(receiver.kind) else 1)
        at: Type = INT if count == 1 else VectorType(INT, ConstType(count))
        return Signature([at], ["in"], receiver.element, full, [], "in")
    if name == "Store" and writable(receiver.kind) and len(arguments) == 2:
        count = 1 if shape is None else TEXTURES[shape]
        at = UINT if count == 1 else VectorType(UINT, ConstType(count))
        return Signature([at, receiver.element], ["in", "in"], VOID, full, [], "in")
    if name == "SampleLevel" and shape is not None and len(arguments) == 3 and not writable(receiver.kind):
        at = FLOAT if TEXTURES[shape] == 1 else VectorType(FLOAT, ConstType(TEXTURES[shape]))
        return Signature([arguments[0], at, FLOAT], ["in"] * 3, receiver.element, full, [], "in")
    if name == "GetDimensions":
        return _dimensions_signature(full, receiver, shape, arguments)
    return None


def _sizes(shape: str | None) -> int:
    """How many numbers say how large it is: the faces of a cube are square."""
    if shape is None:
        return 1
    return {"Cube": 2, "CubeArray": 3}.get(shape, TEXTURES[shape])


def _dimensions_signature(
    full: str, receiver: ResourceType, shape: str | None, arguments: list[Type]
) -> Signature | None:
    """(out width, ...), or with levels (mip, out width, ..., out levels)."""
    count = _sizes(shape)
    numbers = list(arguments)
    if len(arguments) == count:
        return Signature(numbers, ["out"] * count, VOID, full, [], "in")
    if len(arguments) == count + 2 and shape is not None and not writable(receiver.kind):
        return Signature([UINT, *numbers[1:]], ["in"] + ["out"] * (count + 1), VOID, full, [], "in")
    return None


def emit(emitter: Emitter, call: Intrinsic, types: list[Type], operands: list[Value]) -> Value | None:
    name = call.name.partition(".")[2]
    if name == "Load":
        return _load(emitter, types, operands)
    if name == "Store":
        write_element(emitter, types[0], operands[0], operands[1], operands[2])
        return None
    if name == "SampleLevel":
        return _sample(emitter, types, operands)
    return _dimensions(emitter, types, operands)


def _load(emitter: Emitter, types: list[Type], operands: list[Value]) -> Value:
    """The last coordinate of a sampled texture is the level."""
    type = types[0]
    assert isinstance(type, ResourceType)
    if writable(type.kind) or type.kind in TYPED:
        return read_element(emitter, type, operands[0], operands[1])
    at = types[1]
    parts = parts_of(emitter, at, operands[1])
    count = len(parts) - 1
    place = parts[0]
    if count > 1:
        place_type = ir_numeric(emitter, VectorType(INT, ConstType(count)))
        place = emitter.emit(op.VectorShuffle, place_type, [operands[1], operands[1], *range(count)])
    texels = ir_numeric(emitter, _texels(type))
    how = enums.ImageOperandsSample if "MS" in type.kind else enums.ImageOperandsLod
    return _cut(emitter, type, emitter.emit(op.ImageFetch, texels, [operands[0], place, how, parts[-1]]))


def _sample(emitter: Emitter, types: list[Type], operands: list[Value]) -> Value:
    image, sampler, at, level = operands
    type = types[0]
    assert isinstance(type, ResourceType)
    both = emitter.module.intern(op.TypeSampledImage, None, [image_type(emitter, type)])
    sampled = emitter.emit(op.SampledImage, both, [image, sampler])
    texels = ir_numeric(emitter, _texels(type))
    texel = emitter.emit(op.ImageSampleExplicitLod, texels, [sampled, at, enums.ImageOperandsLod, level])
    return _cut(emitter, type, texel)


def _dimensions(emitter: Emitter, types: list[Type], operands: list[Value]) -> Value | None:
    type = types[0]
    assert isinstance(type, ResourceType)
    count = _sizes(texture_shape(type.kind))
    emitter.capability(enums.CapabilityImageQuery)
    vector = emitter.vector(emitter.u32, count)
    outs = operands[1:] if len(operands) == count + 1 else operands[2:]
    out_types = types[1:] if len(operands) == count + 1 else types[2:]
    if writable(type.kind) or type.kind in TYPED or "MS" in type.kind:
        size = emitter.emit(op.ImageQuerySize, vector, [operands[0]])
    else:
        level = operands[1] if len(outs) > count else emitter.word(0)
        size = emitter.emit(op.ImageQuerySizeLod, vector, [operands[0], level])
    whole: Type = UINT if count == 1 else VectorType(UINT, ConstType(count))
    values = parts_of(emitter, whole, size)
    if len(outs) > count:
        values.append(emitter.emit(op.ImageQueryLevels, emitter.u32, [operands[0]]))
    for out, out_type, value in zip(outs, out_types, values, strict=True):
        store_number(emitter, out_type, out, value)
    return None


def store_number(emitter: Emitter, type: Type, pointer: Value, value: Value) -> None:
    """A uint where an `out` argument of type uint, int or float points."""
    if isinstance(type, ScalarType) and type.kind == "float":
        value = emit_op(emitter, op.ConvertUToF, type, [value])
    elif isinstance(type, ScalarType) and type.width != 32:
        value = emit_op(emitter, op.UConvert, type, [value])
    elif isinstance(type, ScalarType) and type.kind == "int":
        value = emit_op(emitter, op.Bitcast, type, [value])
    emitter.effect(op.Store, [pointer, value])
