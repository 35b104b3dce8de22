"""Textures and typed buffers: their types, texels by coordinates, sizes. What samples them is in `sampling`.

    texture[uint2(x, y)]         ImageFetch, level 0          rw[uint2(x, y)] = v      ImageWrite of four components
    texture.Load(int3(x, y, l))  ImageFetch, level l          buffer[i]                ImageFetch of a Buffer image

The format is what the parameter's [format] says, else that of the element, as slangc has it: integers and halves know
theirs, floats don't. Atomics need one of 32 or 64 bits (SPIR-V 1.6, OpImageTexelPointer). A texel has four components;
the element takes the first of them.
"""

from typing import Final

from reknit.front.slang.builtins.builtin import Signature
from reknit.front.slang.builtins.components import emit_op, kind_index, parts_of
from reknit.front.slang.builtins.constants import scalar_constant
from reknit.front.slang.builtins.conversion import converted
from reknit.front.slang.builtins.emitter import Emitter, Unsupported
from reknit.front.slang.builtins.kinds import (
    SUBPASS,
    TEXTURES,
    TYPED,
    coordinates,
    is_combined,
    is_shadow,
    scalar_element,
    texture_shape,
    writable,
)
from reknit.front.slang.builtins.offsets import known_offset
from reknit.front.slang.builtins.shapes import count_of, ir_numeric, scalar_of
from reknit.front.slang.builtins.sparse import accessed, status_type
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
    rgba32ui rgba16ui rgba8ui r32ui rgb10_a2ui rg32ui rg16ui rg8ui r16ui r8ui r64ui r64i
"""
FORMATS: Final = {name: number for number, name in enumerate(_ALL.split())}
"""SPIR-V's Image Format by the names of GLSL's layout qualifiers."""


_OF_ELEMENTS: Final = {
    "half": "r16f rg16f rgba16f", "int": "r32i rg32i rgba32i", "uint": "r32ui rg32ui rgba32ui",
    "int16_t": "r16i rg16i rgba16i", "uint16_t": "r16ui rg16ui rgba16ui", "int8_t": "r8i rg8i rgba8i",
    "uint8_t": "r8ui rg8ui rgba8ui", "int64_t": "r64i", "uint64_t": "r64ui",
}  # fmt: skip
"""The formats of one, two and four of them: what slangc infers. Three have none."""
_ATOMIC: Final = tuple(FORMATS[name] for name in ("r32f", "r32i", "r32ui", "r64i", "r64ui"))
UNKNOWN_DEPTH: Final = 2
"""An OpTypeImage that doesn't say whether it holds depths."""


def need_atomic_format(image: Instr) -> None:
    if image.word(6) not in _ATOMIC:
        raise Unsupported(
            'atomics need texels of the format r32i, r32ui or r32f; name it before the parameter: [format("r32ui")]'
        )


def _inferred_format(type: ResourceType) -> str:
    scalar = scalar_element(type)
    assert scalar is not None and type.element is not None
    formats = _OF_ELEMENTS.get(scalar.name, "").split()
    place = {1: 0, 2: 1, 4: 2}.get(count_of(type.element), 3)
    return formats[place] if place < len(formats) else ""


def image_type(emitter: Emitter, type: ResourceType, format: str = "") -> Instr:
    """Of a combined texture that of its image."""
    scalar = scalar_element(type)
    shape = texture_shape(type.kind)
    if scalar is None or scalar.kind == "bool" or (scalar.kind == "float" and scalar.width == 64):
        raise Unsupported(f"texels of '{type.element}' are not supported")
    if type.kind in SUBPASS:
        dimension = enums.DimSubpassData
        emitter.capability(enums.CapabilityInputAttachment)
    else:
        dimension = enums.DimBuffer if shape is None else _DIMENSIONS[shape]
    stored = writable(type.kind)
    arrayed = 1 if shape is not None and shape.endswith("Array") else 0
    multisampled = 1 if "MS" in type.kind else 0
    if dimension == enums.DimBuffer:
        emitter.capability(enums.CapabilityImageBuffer if stored else enums.CapabilitySampledBuffer)
    elif dimension == enums.Dim1D:
        emitter.capability(enums.CapabilityImage1D if stored else enums.CapabilitySampled1D)
    elif dimension == enums.DimCube and arrayed:
        emitter.capability(enums.CapabilityImageCubeArray if stored else enums.CapabilitySampledCubeArray)
    elif multisampled and stored:
        emitter.capability(enums.CapabilityStorageImageMultisample)
        if arrayed:
            emitter.capability(enums.CapabilityImageMSArray)
    format = format or _inferred_format(type)
    number = FORMATS.get(format, 0) if stored else 0
    if stored and not number:
        emitter.capability(enums.CapabilityStorageImageReadWithoutFormat)
        emitter.capability(enums.CapabilityStorageImageWriteWithoutFormat)
    elif stored and format not in _PLAIN.split():
        emitter.capability(enums.CapabilityStorageImageExtendedFormats)
    texel = _texel(scalar)
    if texel.width == 64:
        emitter.capability(enums.CapabilityInt64ImageEXT)
        emitter.extension("SPV_EXT_shader_image_int64")
    depth = 1 if is_shadow(type.kind) else UNKNOWN_DEPTH
    operands: list[Operand] = [ir_numeric(emitter, texel), dimension, depth, arrayed, multisampled]
    access = 2 if stored or type.kind in SUBPASS else 1
    return emitter.module.intern(op.TypeImage, None, [*operands, access, number])


def handle_type(emitter: Emitter, type: ResourceType, format: str = "") -> Instr:
    """Of the variable: a combined texture's image is sampled already."""
    image = image_type(emitter, type, format)
    return emitter.module.intern(op.TypeSampledImage, None, [image]) if is_combined(type.kind) else image


def image_of(emitter: Emitter, type: Type, handle: Value) -> Value:
    """The image alone, of a combined texture too."""
    assert isinstance(type, ResourceType)
    return emitter.emit(op.Image, image_type(emitter, type), [handle]) if is_combined(type.kind) else handle


_CONVERTED: Final = (op.FConvert, op.SConvert, op.UConvert)


def _texel(scalar: ScalarType) -> ScalarType:
    """What images hold: halves are floats there, and small integers of 32 bits."""
    if scalar.kind == "float":
        return FLOAT
    if scalar.width < 32:
        return INT if scalar.kind == "int" else UINT
    return scalar


def _element(type: Type) -> Type:
    assert isinstance(type, ResourceType) and type.element is not None
    return type.element


def texels_of(type: Type) -> VectorType:
    assert isinstance(type, ResourceType)
    scalar = scalar_element(type)
    assert scalar is not None
    return VectorType(_texel(scalar), ConstType(4))


def _cut(emitter: Emitter, type: Type, texel: Value) -> Value:
    """A texel's first components as the resource's element."""
    return cut_to(emitter, _element(type), type, texel)


def cut_to(emitter: Emitter, element: Type, type: Type, texel: Value) -> Value:
    """A texel of the resource's, or what is made of four, as `element`."""
    whole = texels_of(type)
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
    return value if value.type is element_type else emitter.emit(_CONVERTED[kind_index(element)], element_type, [value])


def read_element(emitter: Emitter, type: Type, handle: Value, index: Value) -> Value:
    """`handle[index]`."""
    assert isinstance(type, ResourceType)
    if "MS" in type.kind:
        place, sample = split_last(emitter, VectorType(UINT, ConstType(coordinates(type.kind) + 1)), index)
        return fetch(emitter, type, handle, place, [enums.ImageOperandsSample, sample])
    if writable(type.kind) or type.kind in TYPED:
        return fetch(emitter, type, handle, index, [])
    return fetch(emitter, type, handle, index, [enums.ImageOperandsLod, emitter.word(0)])


def fetch(
    emitter: Emitter, type: Type, handle: Value, place: Value, more: list[Operand], status: Value | None = None,
    status_kind: Type = UINT
) -> Value:
    """The texel there; `more` are image operands, `status` a pointer for whether it is mapped."""
    assert isinstance(type, ResourceType)
    code = op.ImageRead if writable(type.kind) else op.ImageFetch
    if code == op.ImageFetch and (texture_shape(type.kind) or "").startswith("Cube"):
        raise Unsupported(f"a texel of '{type}' by its place: SPIR-V fetches none from cubes")
    operands: list[Operand] = [image_of(emitter, type, handle), place, *more]
    texel = accessed(emitter, code, ir_numeric(emitter, texels_of(type)), operands, status, status_kind)
    return _cut(emitter, type, texel)


def split_last(emitter: Emitter, type: Type, at: Value) -> tuple[Value, Value]:
    """(all components but the last, the last): a place and its level or sample."""
    parts = parts_of(emitter, type, at)
    count = len(parts) - 1
    if count == 1:
        return parts[0], parts[1]
    place_type = ir_numeric(emitter, VectorType(scalar_of(type), ConstType(count)))
    return emitter.emit(op.VectorShuffle, place_type, [at, at, *range(count)]), parts[-1]


def write_element(emitter: Emitter, type: Type, handle: Value, index: Value, value: Value) -> None:
    """`handle[index] = value`. What a vector lacks of four components is zeros, and a scalar is all four, as slangc has
    it: an image of the element's format has none of them."""
    element = _element(type)
    whole = texels_of(type)
    if isinstance(element, VectorType) or element.key != whole.element.key:
        wide = VectorType(whole.element, element.count) if isinstance(element, VectorType) else whole.element
        if ir_numeric(emitter, wide) is not ir_numeric(emitter, element):
            code = _CONVERTED[kind_index(element)]
            value = emitter.emit(code, ir_numeric(emitter, wide), [value])
        element = wide
    parts = parts_of(emitter, element, value)
    rest = scalar_constant(emitter, whole.element, 0) if isinstance(element, VectorType) else parts[-1]
    parts.extend([rest] * (4 - len(parts)))
    texel = (
        value if count_of(element) == 4 else emitter.emit(op.CompositeConstruct, ir_numeric(emitter, whole), [*parts])
    )
    assert isinstance(type, ResourceType)
    if "MS" in type.kind:
        place, sample = split_last(emitter, VectorType(UINT, ConstType(coordinates(type.kind) + 1)), index)
        emitter.effect(op.ImageWrite, [handle, place, texel, enums.ImageOperandsSample, sample])
    else:
        emitter.effect(op.ImageWrite, [handle, index, texel])


# ---- methods


def resolve(name: str, receiver: Type, arguments: list[Type]) -> Signature | None:
    """Of a texture or typed buffer."""
    if not isinstance(receiver, ResourceType) or receiver.element is None:
        return None
    full = f"{receiver.kind}.{name}"
    shape = texture_shape(receiver.kind)
    if name == "SubpassLoad" and receiver.kind in SUBPASS:
        params: list[Type] = [INT] if "MS" in receiver.kind else []
        if len(arguments) != len(params):
            return None
        return Signature(params, ["in"] * len(params), receiver.element, full, [], "in")
    if name == "Load":
        return _load_signature(full, receiver, arguments)
    if name == "Store" and writable(receiver.kind) and len(arguments) == 2:
        count = coordinates(receiver.kind)
        at = UINT if count == 1 else VectorType(UINT, ConstType(count))
        return Signature([at, receiver.element], ["in", "in"], VOID, full, [], "in")
    if name == "GetDimensions":
        return _dimensions_signature(full, receiver, shape, arguments)
    return None


def _load_signature(full: str, receiver: ResourceType, arguments: list[Type]) -> Signature | None:
    """(place and level), (place, sample) of a multisampled one, (place) of what can be written and of a buffer; then
    perhaps an offset of a texture."""
    shape = texture_shape(receiver.kind)
    if receiver.element is None or receiver.kind in SUBPASS or receiver.kind.startswith("WTexture"):
        return None
    count = coordinates(receiver.kind)
    params: list[Type] = []
    if "MS" in receiver.kind:
        params = [_ints(count), INT]
    elif shape is None or writable(receiver.kind):
        params = [_ints(count)]
    else:
        params = [_ints(count + 1)]
    if shape is not None and not writable(receiver.kind) and len(params) < len(arguments):
        params.append(_ints(plane(shape)))
    directions = ["in"] * len(params)
    if len(arguments) == len(params) + 1:
        params.append(status_type(arguments[-1]))
        directions.append("out")
    if len(arguments) != len(params):
        return None
    return Signature(params, directions, receiver.element, full, [], "in")


def _ints(count: int) -> Type:
    return INT if count == 1 else VectorType(INT, ConstType(count))


def plane(shape: str) -> int:
    """How many numbers an offset between texels has."""
    return TEXTURES[shape] - (1 if shape.endswith("Array") else 0) - (1 if shape.startswith("Cube") else 0)


def _sizes(shape: str | None) -> int:
    """How many numbers say how large it is: the faces of a cube are square."""
    if shape is None:
        return 1
    return {"Cube": 2, "CubeArray": 3}.get(shape, TEXTURES[shape])


def _dimensions_signature(
    full: str, receiver: ResourceType, shape: str | None, arguments: list[Type]
) -> Signature | None:
    """(out width, ...), or with levels (mip, out width, ..., out levels)."""
    count = _sizes(shape) + (1 if "MS" in receiver.kind else 0)
    numbers = [number_type(each) for each in arguments]
    if len(arguments) == count:
        return Signature(numbers, ["out"] * count, VOID, full, [], "in")
    if len(arguments) == count + 2 and shape is not None and not writable(receiver.kind) and "MS" not in shape:
        return Signature([UINT, *numbers[1:]], ["in"] + ["out"] * (count + 1), VOID, full, [], "in")
    return None


def emit(emitter: Emitter, call: Intrinsic, types: list[Type], operands: list[Value]) -> Value | None:
    name = call.name.partition(".")[2]
    if name == "SubpassLoad":
        return _read_subpass(emitter, types[0], operands)
    if name == "Load":
        return _load(emitter, types, operands)
    if name == "Store":
        write_element(emitter, types[0], operands[0], operands[1], operands[2])
        return None
    return _dimensions(emitter, types, operands)


def _read_subpass(emitter: Emitter, type: Type, operands: list[Value]) -> Value:
    texels = ir_numeric(emitter, texels_of(type))
    here = VectorType(INT, ConstType(2))
    place = emitter.module.intern(op.ConstantNull, ir_numeric(emitter, here), [])
    emitter.uses("input attachments")
    more: list[Operand] = [enums.ImageOperandsSample, operands[1]] if len(operands) > 1 else []
    return _cut(emitter, type, emitter.emit(op.ImageRead, texels, [operands[0], place, *more]))


def _load(emitter: Emitter, types: list[Type], operands: list[Value]) -> Value:
    """The last coordinate of a sampled texture is the level."""
    type = types[0]
    assert isinstance(type, ResourceType)
    multisampled = "MS" in type.kind
    plain = writable(type.kind) or type.kind in TYPED
    most = (3 if plain else 4) if multisampled else 2 if plain else 3  # operands without a status
    status = operands[most] if len(operands) > most else None
    kind = types[most] if len(operands) > most else UINT
    if multisampled:
        more: list[Operand] = [enums.ImageOperandsSample, operands[2]]
        place, moved = _moved(emitter, type, operands[1], more, operands[3:most])
        return fetch(emitter, type, operands[0], place, moved, status, kind)
    if plain:
        return fetch(emitter, type, operands[0], operands[1], [], status, kind)
    place, level = split_last(emitter, types[1], operands[1])
    place, moved = _moved(emitter, type, place, [enums.ImageOperandsLod, level], operands[2:most])
    return fetch(emitter, type, operands[0], place, moved, status, kind)


def _moved(
    emitter: Emitter, type: ResourceType, place: Value, operands: list[Operand], offset: list[Value]
) -> tuple[Value, list[Operand]]:
    """The place of a texel, and image operands in order of their bits: an offset that is no constant is added to it."""
    if not offset:
        return place, operands
    known = known_offset(emitter, offset[0])
    if known:
        return place, joined([operands, known])
    shape = texture_shape(type.kind)
    assert shape is not None
    by = parts_of(emitter, _ints(plane(shape)), offset[0])
    parts = parts_of(emitter, _ints(coordinates(type.kind)), place)
    parts[: len(by)] = [emit_op(emitter, op.IAdd, INT, [part, one]) for part, one in zip(parts, by, strict=False)]
    return _vector(emitter, parts), operands


def _vector(emitter: Emitter, parts: list[Value]) -> Value:
    """Of ints; one alone is a scalar."""
    if len(parts) == 1:
        return parts[0]
    return emitter.emit(op.CompositeConstruct, ir_numeric(emitter, _ints(len(parts))), [*parts])


def joined(groups: list[list[Operand]]) -> list[Operand]:
    """Image operands, each with its mask first, as one mask and their values in order of its bits."""
    mask = 0
    values: list[Operand] = []
    for group in sorted([group for group in groups if group], key=_mask):
        mask |= _mask(group)
        values.extend(group[1:])
    return [mask, *values] if mask else []


def _mask(group: list[Operand]) -> int:
    assert isinstance(group[0], int)
    return group[0]


def _dimensions(emitter: Emitter, types: list[Type], operands: list[Value]) -> Value | None:
    type = types[0]
    assert isinstance(type, ResourceType)
    image = image_of(emitter, type, operands[0])
    count = _sizes(texture_shape(type.kind))
    multisampled = "MS" in type.kind
    emitter.capability(enums.CapabilityImageQuery)
    vector = emitter.vector(emitter.u32, count)
    plain = len(operands) == count + 1 + (1 if multisampled else 0)
    outs = operands[1:] if plain else operands[2:]
    out_types = types[1:] if plain else types[2:]
    if writable(type.kind) or type.kind in TYPED or multisampled:
        size = emitter.emit(op.ImageQuerySize, vector, [image])
    else:
        level = emitter.word(0) if plain else operands[1]
        size = emitter.emit(op.ImageQuerySizeLod, vector, [image, level])
    whole: Type = UINT if count == 1 else VectorType(UINT, ConstType(count))
    values = parts_of(emitter, whole, size)
    if multisampled:
        values.append(emitter.emit(op.ImageQuerySamples, emitter.u32, [image]))
    elif not plain:
        values.append(emitter.emit(op.ImageQueryLevels, emitter.u32, [image]))
    for out, out_type, value in zip(outs, out_types, values, strict=True):
        store_number(emitter, out_type, out, value)
    return None


def number_type(type: Type) -> Type:
    """What an `out` argument of the type is taken as: itself where `store_number` stores there, else a uint."""
    return type if isinstance(type, ScalarType) and type.kind in ("uint", "int", "float") else UINT


def store_number(emitter: Emitter, type: Type, pointer: Value, value: Value) -> None:
    """A uint where an `out` argument of a `number_type` points."""
    emitter.effect(op.Store, [pointer, converted(emitter, UINT, type, value)])
