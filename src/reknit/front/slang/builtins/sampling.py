"""What samples textures: filtered texels, comparisons, gathers, levels of detail.

    t.Sample(s, uv)                      SampledImage, ImageSampleImplicitLod        by the derivatives of uv
    t.SampleLevel(s, uv, 2, int2(1, 0))  ImageSampleExplicitLod Lod|ConstOffset
    t.SampleCmp(c, uv, z)                ImageSampleDrefImplicitLod
    t.GatherGreen(s, uv)                 ImageGather of component 1

A Sampler2D has its sampler in it, and its methods take none. Source: Slang's core module, `_Texture`; Microsoft's HLSL
reference, "Texture Object".
"""

from typing import Final

from reknit.front.slang.builtins.builtin import Signature
from reknit.front.slang.builtins.emitter import Emitter, Unsupported
from reknit.front.slang.builtins.images import cut_to, image_type, joined, plane, texels_of
from reknit.front.slang.builtins.kinds import TEXTURES, is_combined, scalar_element, texture_shape, writable
from reknit.front.slang.builtins.offsets import constant_offset
from reknit.front.slang.builtins.shapes import ir_numeric
from reknit.front.slang.builtins.sparse import accessed, status_type
from reknit.front.slang.hir import Intrinsic
from reknit.front.slang.types import FLOAT, INT, ConstType, ResourceType, Type, VectorType
from reknit.ir import enums, op
from reknit.ir.instr import Instr, Operand
from reknit.ir.value import Value

_COMPONENTS: Final = {"Gather": 0, "GatherRed": 0, "GatherGreen": 1, "GatherBlue": 2, "GatherAlpha": 3}
_METHODS: Final = {
    "Sample": "S place offset? clamp? status?",
    "SampleBias": "S place bias offset? clamp? status?",
    "SampleLevel": "S place level offset? status?",
    "SampleLevelZero": "S place offset?",
    "SampleGrad": "S place dx dy offset? clamp? status?",
    "SampleCmp": "C place reference offset? clamp? status?",
    "SampleCmpBias": "C place reference bias offset?",
    "SampleCmpLevel": "C place reference level offset?",
    "SampleCmpLevelZero": "C place reference offset? status?",
    "SampleCmpGrad": "C place reference dx dy offset?",
    "GatherCmp": "C place reference moved? status?",
    "GatherCmpRed": "C place reference moved? status?",
    "CalculateLevelOfDetail": "A direction",
    "CalculateLevelOfDetailUnclamped": "A direction",
    **dict.fromkeys(_COMPONENTS, "S place moved? moved2? moved3? moved4?"),
}  # fmt: skip
"""S is a sampler, C one for comparisons, A either; with ? may be absent, from the last on."""
NAMES: Final[tuple[str, ...]] = ("Sample", "Gather", "CalculateLevelOfDetail")
_SAMPLERS: Final = {
    "S": ("SamplerState",), "C": ("SamplerComparisonState",), "A": ("SamplerState", "SamplerComparisonState"),
}  # fmt: skip


def resolve(name: str, receiver: Type, arguments: list[Type]) -> Signature | None:
    row = _METHODS.get(name)
    if row is None or not isinstance(receiver, ResourceType) or receiver.element is None:
        return None
    shape = texture_shape(receiver.kind)
    if shape is None or writable(receiver.kind) or "MS" in shape:
        return None
    sampler, *words = row.split()
    given = list(arguments)
    params: list[Type] = []
    if not is_combined(receiver.kind):
        own = given[0] if given else None
        if not isinstance(own, ResourceType) or own.kind not in _SAMPLERS[sampler]:
            return None
        params.append(own)
        del given[0]
    least = len([word for word in words if not word.endswith("?")])
    if not least <= len(given) <= len(words) or ("moved4?" in words and len(given) - least in (2, 3)):
        return None
    if any(_is_opaque(argument) for argument in given):
        return None
    directions = ["in"] * len(params)
    for word, argument in zip(words, given, strict=False):
        if word == "status?":
            params.append(status_type(argument))
            directions.append("out")
        else:
            params.append(_param(word.rstrip("?"), shape))
            directions.append("in")
    return Signature(params, directions, _result(name, receiver), f"{receiver.kind}.{name}", [], "in")


def _is_opaque(type: Type) -> bool:
    return isinstance(type, ResourceType) and type.kind != "Atomic"


def _param(word: str, shape: str) -> Type:
    place = TEXTURES[shape]
    if word == "place":
        return _vector(FLOAT, place)
    if word in ("dx", "dy", "direction"):
        return _vector(FLOAT, place - (1 if shape.endswith("Array") else 0))
    if word == "offset" or word.startswith("moved"):
        return _vector(INT, plane(shape))
    return FLOAT


def _vector(element: Type, count: int) -> Type:
    return element if count == 1 else VectorType(element, ConstType(count))


def _result(name: str, receiver: ResourceType) -> Type:
    assert receiver.element is not None
    if name.startswith("Gather"):
        scalar = scalar_element(receiver)
        return VectorType(FLOAT if scalar is None or "Cmp" in name else scalar, ConstType(4))
    return FLOAT if "Cmp" in name or name.startswith("Calculate") else receiver.element


def emit(emitter: Emitter, call: Intrinsic, types: list[Type], operands: list[Value]) -> Value | None:
    type = types[0]
    assert isinstance(type, ResourceType)
    name = call.name.partition(".")[2]
    _check_dimensions(type, name)
    if is_combined(type.kind):
        sampled = operands[0]
        rest = operands[1:]
    else:
        both = emitter.module.intern(op.TypeSampledImage, None, [image_type(emitter, type)])
        sampled = emitter.emit(op.SampledImage, both, [operands[0], operands[1]])
        rest = operands[2:]
    words = [word.rstrip("?") for word in _METHODS[name].split()[1:]]
    given = dict(zip(words, rest, strict=False))
    if name.startswith("Calculate"):
        return _level(emitter, name, sampled, rest[0])
    if "offset" in given or "moved" in given:
        _check_moved(type)
    if name.startswith("Gather"):
        return _gather(emitter, call, type, name, sampled, given, types[-1])
    return _sample(emitter, type, name, sampled, given, types[-1])


def _check_dimensions(type: ResourceType, name: str) -> None:
    """Four texels are gathered of what has two dimensions (SPIR-V 1.6, OpImageGather), and no comparison is of three
    (Vulkan, VUID-StandaloneSpirv-OpImage-04777) or of integers (SPIR-V 1.6, OpImageSampleDrefImplicitLod: the result is
    a float and of the image's Sampled Type)."""
    shape = texture_shape(type.kind) or ""
    if name.startswith("Gather") and shape.startswith(("1D", "3D")):
        raise Unsupported(f"'{name}' of '{type}': SPIR-V gathers from textures of two dimensions and cubes")
    if "Cmp" in name and shape.startswith("3D"):
        raise Unsupported(f"'{name}' of '{type}': Vulkan has no comparisons with textures of three dimensions")
    scalar = scalar_element(type)
    if "Cmp" in name and scalar is not None and scalar.kind != "float":
        raise Unsupported(f"'{name}' of '{type}': SPIR-V compares depths, which are floats")


def _check_moved(type: ResourceType) -> None:
    """SPIR-V 1.6, 3.14, "ConstOffset", "Offset"."""
    if (texture_shape(type.kind) or "").startswith("Cube"):
        raise Unsupported(f"an offset with '{type}': SPIR-V has none for cubes")


def _sample(
    emitter: Emitter, type: ResourceType, name: str, sampled: Value, given: dict[str, Value], last: Type
) -> Value:
    """`last` is the type of the status, where there is one."""
    compares = "Cmp" in name
    groups: list[list[Operand]] = []
    if "bias" in given:
        groups.append([enums.ImageOperandsBias, given["bias"]])
    explicit = "level" in given or "dx" in given or name.endswith("LevelZero")
    if "dx" in given:
        groups.append([enums.ImageOperandsGrad, given["dx"], given["dy"]])
    elif explicit:
        zero = emitter.module.intern(op.ConstantNull, ir_numeric(emitter, FLOAT), [])
        groups.append([enums.ImageOperandsLod, given.get("level", zero)])
    else:
        emitter.uses("derivatives")
    if "offset" in given:
        groups.append(constant_offset(emitter, given["offset"]))
    if "clamp" in given:
        emitter.capability(enums.CapabilityMinLod)
        groups.append([enums.ImageOperandsMinLod, given["clamp"]])
    operands: list[Operand] = [sampled, given["place"]]
    if compares:
        operands.append(given["reference"])
    operands.extend(joined(groups))
    texels = ir_numeric(emitter, FLOAT if compares else texels_of(type))
    texel = accessed(emitter, _CODES[compares, explicit], texels, operands, given.get("status"), last)
    return texel if compares else cut_to(emitter, _element(type), type, texel)


_CODES: Final = {
    (False, False): op.ImageSampleImplicitLod, (False, True): op.ImageSampleExplicitLod,
    (True, False): op.ImageSampleDrefImplicitLod, (True, True): op.ImageSampleDrefExplicitLod,
}  # fmt: skip


def _gather(
    emitter: Emitter,
    call: Intrinsic,
    type: ResourceType,
    name: str,
    sampled: Value,
    given: dict[str, Value],
    last: Type,
) -> Value:
    operands: list[Operand] = [sampled, given["place"]]
    compares = "Cmp" in name
    operands.append(given["reference"] if compares else emitter.word(_COMPONENTS[name]))
    operands.extend(_moved(emitter, given))
    whole = VectorType(FLOAT, ConstType(4)) if compares else texels_of(type)
    code = op.ImageDrefGather if compares else op.ImageGather
    four = accessed(emitter, code, ir_numeric(emitter, whole), operands, given.get("status"), last)
    return four if compares else cut_to(emitter, call.type, type, four)


def _moved(emitter: Emitter, given: dict[str, Value]) -> list[Operand]:
    """Offsets of a gather, which need not be constants where there is one."""
    offsets = [given[word] for word in ("moved", "moved2", "moved3", "moved4") if word in given]
    if not offsets:
        return []
    known = all(isinstance(offset, Instr) and offset.block is None for offset in offsets)
    if len(offsets) == 1:
        if known:
            return constant_offset(emitter, offsets[0])
        emitter.capability(enums.CapabilityImageGatherExtended)
        return [enums.ImageOperandsOffset, offsets[0]]
    if not known:
        raise Unsupported("four offsets of a gather have to be constants")
    emitter.capability(enums.CapabilityImageGatherExtended)
    pair = ir_numeric(emitter, VectorType(INT, ConstType(2)))
    array = emitter.module.intern(op.TypeArray, None, [pair, emitter.word(4)])
    return [enums.ImageOperandsConstOffsets, emitter.module.intern(op.ConstantComposite, array, [*offsets])]


def _level(emitter: Emitter, name: str, sampled: Value, direction: Value) -> Value:
    """ImageQueryLod gives (the level that is accessed, the computed one)."""
    emitter.uses("derivatives")
    emitter.capability(enums.CapabilityImageQuery)
    pair = emitter.emit(op.ImageQueryLod, emitter.vector(ir_numeric(emitter, FLOAT), 2), [sampled, direction])
    return emitter.emit(op.CompositeExtract, ir_numeric(emitter, FLOAT), [pair, 1 if name.endswith("Unclamped") else 0])


def _element(type: ResourceType) -> Type:
    assert type.element is not None
    return type.element
