"""OpenCL's functions of images, by their mangled names.

    _Z11read_imagef14ocl_image2d_roDv2_i(%im, <2 x i32>)               OpImageFetch, level 0
    _Z11read_imagei14ocl_image2d_rwDv2_i(%im, <2 x i32>)               OpImageRead
    _Z11read_imagef14ocl_image2d_ro11ocl_samplerDv2_f(%im, %s, ...)    OpImageSampleExplicitLod, level 0
    _Z12write_imagef14ocl_image2d_woDv2_iDv4_f(%im, ...)               OpImageWrite
    _Z15get_image_width14ocl_image2d_ro(%im)                           OpImageQuerySizeLod, or OpImageQuerySize

An image that is only read is a sampled one, any other a storage image without a format. Shaders sample at floats, and
a shader's samplers of arrays and of three dimensions are normalized ones, so that coordinates which count texels are
divided by the image's size: integers, and those of a sampler that the kernel says has such coordinates. For the nearest
texel they are moved to its middle before.
Source: OpenCL C 3.0, 6.15.15; Vulkan 1.4, "Unnormalized Texel Coordinate Operations".
"""

import re
from typing import Final

from reknit.front.llvm import syntax
from reknit.front.llvm.access import advanced, load
from reknit.front.llvm.bits import scalar
from reknit.front.llvm.images import TEXEL_BUFFER, Shape, component_of, image, sampled_image, shape_of
from reknit.front.llvm.memory import Root
from reknit.front.llvm.opaque import NAMED_SAMPLER, format_of, is_opaque, numbers_of
from reknit.front.llvm.opaque import SAMPLER as SAMPLER_TYPE
from reknit.front.llvm.resources import SAMPLER, SAMPLER_SHAPE, SRV, UAV, Resource
from reknit.front.llvm.results import Handle, Opaque, Pointer, Result
from reknit.front.llvm.state import Lowering
from reknit.front.llvm.syntax import Operand, Statement, Type
from reknit.front.llvm.target import Target
from reknit.front.llvm.unsupported import Refusal
from reknit.front.llvm.wide import parts_of
from reknit.ir import enums, op
from reknit.ir.floats import rounded_bits
from reknit.ir.instr import Instr
from reknit.ir.instr import Operand as Word
from reknit.ir.types import is_float, vector_type
from reknit.ir.value import Value

_ACCESS: Final = re.compile(r"(read|write)_image(f|i|ui|h)")
_QUERY: Final = re.compile(
    r"get_image_(width|height|depth|dim|array_size|channel_order|channel_data_type|num_samples|num_mip_levels)"
)
_NAMED: Final = re.compile(r"\d+(?:ocl_|opencl\.)image([123]d)(_array|_buffer)?(_msaa)?(_depth)?(?:_([rw][ow]))?")
_SIGNED, _UNSIGNED, _FLOAT = 4, 5, 9
"""ComponentType of DXC: I32, U32, F32."""
_ELEMENTS: Final = {"f": _FLOAT, "h": _FLOAT, "i": _SIGNED, "ui": _UNSIGNED}
_KINDS: Final = {
    ("1d", ""): 1, ("2d", ""): 2, ("3d", ""): 4, ("1d", "_array"): 6, ("2d", "_array"): 7,
    ("1d", "_buffer"): TEXEL_BUFFER,
}  # fmt: skip
_OF_SAMPLES: Final = {2: 3, 7: 8}
_DIMENSIONS: Final = {0: "1d", 1: "2d", 2: "3d", 5: "1d"}
_ACCESSES: Final = ("ro", "wo", "rw")
_FLOOR: Final = 8
_SINGLE: Final = Type(syntax.FLOAT, "float", 32)
_WORD: Final = Type(syntax.INT, "i32", 32)


def is_known(name: str) -> bool:
    return _ACCESS.fullmatch(name) is not None or _QUERY.fullmatch(name) is not None


def image_call(lowering: Lowering, statement: Statement, name: str, signature: str) -> Result:
    """What a function gives that `is_known`. Raises Refusal."""
    opaque = lowering.opaque(statement.operands[0])
    kind, access, depth = _form(statement.operands[0].type, signature)
    match = _ACCESS.fullmatch(name)
    if match is None:
        picture = _handle(lowering, opaque, kind, access, _known_element(opaque))
        return _asked(lowering, statement, name.removeprefix("get_image_"), opaque, picture)
    picture = _handle(lowering, opaque, kind, access, _ELEMENTS[match[2]])
    if match[1] == "write":
        return _written(lowering, statement, picture, access)
    operands = statement.operands[1:]
    if operands and (operands[0].type.name == SAMPLER_TYPE or NAMED_SAMPLER in signature):
        return _shown(lowering, statement, _sampled(lowering, statement, picture), depth)
    return _shown(lowering, statement, _fetched(lowering, picture, operands), depth)


# --- which image ------------------------------------------------------------------------------------------------------


def _form(type: Type, signature: str) -> tuple[int, str, bool]:
    """(ResourceKind, "ro", "wo" or "rw", whether it has depths) of an image, by the function's name, else by its type.
    Raises Refusal."""
    match = _NAMED.match(signature)
    numbers = [*(numbers_of(type) if is_opaque(type) else []), 0, 0, 0, 0, 0, 0, 0][:7]
    dimension, depth, arrayed, samples, sampled, _, access = numbers
    word = _ACCESSES[access] if access < len(_ACCESSES) else "rw"
    if sampled == 2 and word == "ro":
        word = "rw"
    if match is not None:
        size, more = match[1], match[2] or ""
        samples, depth = int(match[3] is not None), int(match[4] is not None)
        word = match[5] or word
    elif is_opaque(type) and dimension in _DIMENSIONS:
        size, more = _DIMENSIONS[dimension], "_buffer" if dimension == 5 else "_array" if arrayed else ""
    else:
        raise Refusal("asks something of an image whose type is not known")
    kind = _KINDS.get((size, more))
    if kind is not None and samples:
        kind = _OF_SAMPLES.get(kind)
    if kind is None:
        raise Refusal(f"asks something of an image of the type {type.name}")
    return kind, word, depth == 1


def _known_element(opaque: Opaque) -> int:
    """The component type that an image is asked in elsewhere, for what it doesn't matter to."""
    return next((key[2] for key in opaque.resources), _FLOAT)


def _handle(lowering: Lowering, opaque: Opaque, kind: int, access: str, element: int) -> Handle:
    """The variable of an image, as components of this type."""
    place = SRV if access == "ro" else UAV
    known = opaque.resources.get((place, kind, element))
    if known is None:
        others = len(opaque.resources)
        known = Resource(place, 0, opaque.name if not others else f"{opaque.name}.{others}")
        known.space, known.lower, known.shape, known.element = opaque.set, opaque.binding, kind, element
        if others and place == UAV:
            for resource in (*opaque.resources.values(), known):
                _share(lowering.target, resource)
        opaque.resources[(place, kind, element)] = known
    return Handle(known, known.lower)


def _share(target: Target, resource: Resource) -> None:
    """Another variable is of the same texels."""
    if not resource.aliased:
        resource.aliased = True
        for variable in resource.constants.values():
            target.decorate(variable, enums.DecorationAliased)


def _sampler(lowering: Lowering, operand: Operand) -> tuple[Opaque, Handle]:
    opaque = lowering.opaque(operand)
    key = (SAMPLER, SAMPLER_SHAPE, 0)
    if key not in opaque.resources:
        resource = Resource(SAMPLER, 0, opaque.name)
        resource.space, resource.lower, resource.shape = opaque.set, opaque.binding, SAMPLER_SHAPE
        opaque.resources[key] = resource
    return opaque, Handle(opaque.resources[key], opaque.binding)


# --- reads and writes -------------------------------------------------------------------------------------------------


def _fetched(lowering: Lowering, picture: Handle, operands: list[Operand]) -> Instr:
    """A texel at integers; of a multisampled image its number of a sample."""
    target = lowering.target
    shape = shape_of(picture.resource)
    _check_count(operands, 2 if shape.samples else 1)
    whole = vector_type(target.module, component_of(target, picture.resource), 4)
    at = _place(target, [_whole_number(part) for part in _coordinates(lowering, operands[0], shape)])
    loaded: list[Word] = [image(target, picture), at]
    if picture.resource.kind == UAV:
        target.capability(enums.CapabilityStorageImageReadWithoutFormat)
    if shape.samples:
        loaded += [enums.ImageOperandsSample, lowering.value(operands[1])]
    elif picture.resource.kind == SRV and shape.dimension != enums.DimBuffer:
        loaded += [enums.ImageOperandsLod, target.word(0)]
    return target.emit(op.ImageRead if picture.resource.kind == UAV else op.ImageFetch, whole, loaded)


def _written(lowering: Lowering, statement: Statement, picture: Handle, access: str) -> Result:
    target = lowering.target
    operands = statement.operands[1:]
    if access == "ro":
        raise Refusal("writes to an image that is only read")
    _check_count(operands, 2)
    component = component_of(target, picture.resource)
    parts = parts_of(lowering, operands[1])
    given = scalar(operands[1].type)
    kinds = ("float", "half") if is_float(component) else ("i32",)
    if len(parts) not in (1, 4) or given.name not in kinds:
        raise Refusal(f"writes a texel of type {operands[1].type.name}")
    if given.kind == syntax.FLOAT and given.width != 32:
        parts = [target.emit(op.FConvert, component, [part]) for part in parts]
    elif given.kind == syntax.INT and component is not target.u32:
        parts = [target.emit(op.Bitcast, component, [part]) for part in parts]
    parts += [target.module.intern(op.ConstantNull, component, [])] * (4 - len(parts))  # a depth
    texel = target.emit(op.CompositeConstruct, vector_type(target.module, component, 4), [*parts])
    parts = _coordinates(lowering, operands[0], shape_of(picture.resource))
    at = _place(target, [_whole_number(part) for part in parts])
    target.capability(enums.CapabilityStorageImageWriteWithoutFormat)
    target.effect(op.ImageWrite, [image(target, picture), at, texel])
    return None


def _sampled(lowering: Lowering, statement: Statement, picture: Handle) -> Instr:
    """Through a sampler, at a level or by gradients where they are given (cl_khr_mipmap_image)."""
    target = lowering.target
    shape = shape_of(picture.resource)
    operands = statement.operands[1:]
    if picture.resource.kind != SRV or shape.samples or shape.dimension == enums.DimBuffer:
        raise Refusal("samples an image that no sampler is for")
    if not 2 <= len(operands) <= 4:
        raise Refusal("has other operands than the function takes")
    opaque, sampler = _sampler(lowering, operands[0])
    parts = _coordinates(lowering, operands[1], shape)
    counts = scalar(operands[1].type).kind == syntax.INT
    if counts:
        parts = [target.emit(op.ConvertSToF, target.float(32), [part]) for part in parts]
    if counts or opaque.texels:
        axes = len(parts) - shape.arrayed
        sizes = _sizes(target, picture, shape)[:axes]
        nearest = not counts and not opaque.linear
        parts[:axes] = [
            _normalized(target, part, size, counts or nearest, nearest)
            for part, size in zip(parts[:axes], sizes, strict=True)
        ]
    single = target.float(32)
    extra: list[Word] = [enums.ImageOperandsLod, target.constant(_SINGLE, 0)]
    if len(operands) == 3:
        extra = [enums.ImageOperandsLod, *_slopes(lowering, operands[2], 1)]
    elif len(operands) == 4:
        axes = len(parts) - shape.arrayed
        slopes = [_slopes(lowering, operand, axes) for operand in operands[2:]]
        extra = [enums.ImageOperandsGrad, *[_place(target, slope, single) for slope in slopes]]
    both = sampled_image(target, picture, sampler)
    whole = vector_type(target.module, component_of(target, picture.resource), 4)
    return target.emit(op.ImageSampleExplicitLod, whole, [both, _place(target, parts, single), *extra])


def _slopes(lowering: Lowering, operand: Operand, count: int) -> list[Value]:
    """A level of detail, or as many parts of a gradient."""
    parts = parts_of(lowering, operand)
    if len(parts) < count or scalar(operand.type).name != "float":
        raise Refusal(f"has a level or gradient of type {operand.type.name}")
    return parts[:count]


def _normalized(target: Target, part: Value, size: Value, middle: bool, whole: bool) -> Value:
    """A coordinate that counts texels as a share of the image's size. `middle`: that of the texel, `whole`: which the
    coordinate is in."""
    single = target.float(32)
    if whole:
        part = target.extended(_FLOOR, single, [part])
    if middle:
        part = target.emit(op.FAdd, single, [part, target.constant(_SINGLE, rounded_bits(0.5, 32))])
    return target.emit(op.FDiv, single, [part, target.emit(op.ConvertUToF, single, [size])])


def _coordinates(lowering: Lowering, operand: Operand, shape: Shape) -> list[Value]:
    """As many as the image has: a fourth of three means nothing."""
    parts = parts_of(lowering, operand)
    if len(parts) < shape.coordinates or scalar(operand.type).width != 32:
        raise Refusal(f"has coordinates of type {operand.type.name}")
    return parts[: shape.coordinates]


def _whole_number(part: Value) -> Value:
    if isinstance(part, Instr) and part.type is not None and part.type.op == op.TypeFloat:
        raise Refusal("reads or writes a texel at floats without a sampler")
    return part


def _place(target: Target, parts: list[Value], component: Instr | None = None) -> Value:
    if len(parts) == 1:
        return parts[0]
    return target.emit(
        op.CompositeConstruct, vector_type(target.module, component or target.u32, len(parts)), [*parts]
    )


def _check_count(operands: list[Operand], count: int) -> None:
    if len(operands) != count:
        raise Refusal("accesses another level of an image, or has other operands than the function takes")


def _shown(lowering: Lowering, statement: Statement, texel: Instr, depth: bool) -> Result:
    """A texel as the function gives it: integers without a sign, halves, one number of a depth."""
    target = lowering.target
    wanted = statement.type
    if wanted.kind == syntax.FLOAT and depth:
        return target.emit(op.CompositeExtract, target.float(32), [texel, 0])
    ir_type = lowering.type(statement)
    if wanted.kind != syntax.VECTOR or wanted.count != 4:
        raise Refusal(f"reads a texel as {wanted.name}")
    if texel.type is ir_type:
        return texel
    return target.emit(op.FConvert if scalar(wanted).kind == syntax.FLOAT else op.Bitcast, ir_type, [texel])


# --- what an image is like --------------------------------------------------------------------------------------------


def _sizes(target: Target, picture: Handle, shape: Shape) -> list[Value]:
    """Width, height, depth; then the layers."""
    target.capability(enums.CapabilityImageQuery)
    count = shape.coordinates
    type = target.u32 if count == 1 else vector_type(target.module, target.u32, count)
    words: list[Word] = [image(target, picture)]
    if picture.resource.kind == SRV and not shape.samples and shape.dimension != enums.DimBuffer:
        size = target.emit(op.ImageQuerySizeLod, type, [*words, target.word(0)])
    else:
        size = target.emit(op.ImageQuerySize, type, words)
    return [size] if count == 1 else [target.emit(op.CompositeExtract, target.u32, [size, at]) for at in range(count)]


def _asked(lowering: Lowering, statement: Statement, what: str, opaque: Opaque, picture: Handle) -> Result:
    target = lowering.target
    shape = shape_of(picture.resource)
    if what in ("channel_order", "channel_data_type"):
        place = advanced(Pointer(_format(lowering, opaque), [], 0), None, 0, 0 if what == "channel_order" else 4)
        return _wide(lowering, statement, load(target, place, _WORD))
    if what in ("num_samples", "num_mip_levels"):
        target.capability(enums.CapabilityImageQuery)
        if (what == "num_samples") != (shape.samples == 1) or picture.resource.kind == UAV:
            raise Refusal(f"calls get_image_{what} of an image that has no such number in a shader")
        code = op.ImageQuerySamples if shape.samples else op.ImageQueryLevels
        return _wide(lowering, statement, target.emit(code, target.u32, [image(target, picture)]))
    sizes = _sizes(target, picture, shape)
    axes = len(sizes) - shape.arrayed
    if what == "dim":
        sizes = [*sizes[:axes], target.word(0)][: statement.type.count] if axes == 3 else sizes[:axes]
        if statement.type.count != len(sizes):
            raise Refusal(f"gives the size of an image as {statement.type.name}")
        return target.emit(op.CompositeConstruct, lowering.type(statement), [*sizes])
    index = {"width": 0, "height": 1, "depth": 2, "array_size": axes}[what]
    if index >= (len(sizes) if what == "array_size" else axes):
        raise Refusal(f"asks for the {what.replace('_', ' ')} of an image that has none")
    return _wide(lowering, statement, sizes[index])


def _wide(lowering: Lowering, statement: Statement, size: Value) -> Value:
    """A u32 as the function gives it: the layers are a size_t."""
    ir_type = lowering.type(statement)
    if statement.type.kind != syntax.INT or statement.type.width not in (32, 64):
        raise Refusal(f"asks an image for a {statement.type.name}")
    return size if ir_type is lowering.target.u32 else lowering.target.emit(op.UConvert, ir_type, [size])


def _format(lowering: Lowering, opaque: Opaque) -> Root:
    """The buffer with an image's channel order and data type."""
    scene = lowering.scene
    place = format_of(scene, opaque)
    key = ("format", *place)
    if key not in scene.given:
        root = Root(f"{opaque.name}.format", enums.StorageClassStorageBuffer, 0)
        root.set, root.binding = place
        root.readonly = True
        root.accessed(_WORD)
        scene.given[key] = root
    return scene.given[key]
