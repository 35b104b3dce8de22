"""Sampled textures: filtered, compared, gathered, and the level of detail.

    sample(60, t, s, x, y, z, w, offsets, clamp)    OpImageSampleImplicitLod       sampleLevel(62, ...)   ... Lod
    sampleCmp(64, ..., reference, clamp)            OpImageSampleDrefImplicitLod   textureGather(73)      OpImageGather

Source: DXC, docs/DXIL.rst; HLSL Shader Model 6.7 and 6.8 for the operations from 224 on.
"""

from typing import Final, final

from reknit.front.llvm import syntax
from reknit.front.llvm.dxil_texels import accessed, parts_of
from reknit.front.llvm.images import Shape, component_of, sampled_image, shape_of
from reknit.front.llvm.results import Result
from reknit.front.llvm.state import Lowering
from reknit.front.llvm.syntax import Operand, Statement
from reknit.front.llvm.unsupported import Refusal
from reknit.ir import enums, op
from reknit.ir.constants import as_int
from reknit.ir.floats import rounded_bits
from reknit.ir.instr import Instr
from reknit.ir.instr import Operand as Word
from reknit.ir.types import int_type, is_float, vector_type
from reknit.ir.value import Value

_X: Final = 3
_OFFSET: Final = 7
_LOD: Final = 81


@final
class _Form:
    """Where an operation has its operands, 0 for none: bias, level, gradients, reference, clamp, component."""

    __slots__ = ("code", "reference", "bias", "level", "gradients", "clamp", "channel")

    def __init__(
        self,
        code: int,
        reference: int = 0,
        bias: int = 0,
        level: int = 0,
        gradients: int = 0,
        clamp: int = 0,
        channel: int = 0,
    ) -> None:
        self.code = code
        self.reference = reference
        self.bias = bias
        self.level = level
        self.gradients = gradients
        self.clamp = clamp
        self.channel = channel


_ZERO: Final = -1  # the level
_FORMS: Final = {
    60: _Form(op.ImageSampleImplicitLod, clamp=10),
    61: _Form(op.ImageSampleImplicitLod, bias=10, clamp=11),
    62: _Form(op.ImageSampleExplicitLod, level=10),
    63: _Form(op.ImageSampleExplicitLod, gradients=10, clamp=16),
    64: _Form(op.ImageSampleDrefImplicitLod, reference=10, clamp=11),
    65: _Form(op.ImageSampleDrefExplicitLod, reference=10, level=_ZERO),
    73: _Form(op.ImageGather, channel=9),
    74: _Form(op.ImageDrefGather, channel=9, reference=10),
    224: _Form(op.ImageSampleDrefExplicitLod, reference=10, level=11),
    254: _Form(op.ImageSampleDrefExplicitLod, reference=10, gradients=11, clamp=17),
    255: _Form(op.ImageSampleDrefImplicitLod, reference=10, bias=11, clamp=12),
}
SAMPLES: Final = (*_FORMS, _LOD)
_IMPLICIT: Final = (op.ImageSampleImplicitLod, op.ImageSampleDrefImplicitLod)


def sample(lowering: Lowering, statement: Statement, code: int) -> Result:
    """Raises Refusal."""
    target = lowering.target
    texture, sampler = [lowering.handle(operand) for operand in statement.operands[1:3]]
    shape = shape_of(texture.resource)
    if shape.samples:
        raise Refusal("samples a texture of several samples")
    if code == _LOD:
        return _level_of_detail(lowering, statement, shape)
    form = _FORMS[code]
    component = component_of(target, texture.resource)
    if not is_float(component) and form.reference:
        raise Refusal("compares a texture of integers")
    if form.code in _IMPLICIT:
        lowering.scene.derivatives = True
    at = _vector(lowering, statement.operands[_X : _X + shape.coordinates])
    extra = _extra(lowering, statement, form, shape)
    both = sampled_image(target, texture, sampler)
    operands: list[Word] = [both, at]
    if form.code == op.ImageGather:
        operands.append(target.word(lowering.number(statement.operands[form.channel])))
    if form.reference:
        operands.append(_single(lowering, statement.operands[form.reference]))
    single = form.reference and form.code != op.ImageDrefGather
    type = component if single else vector_type(target.module, component, 4)
    texel = accessed(lowering, statement, form.code, type, [*operands, *extra])
    return parts_of(lowering, statement, texel, component)


def _extra(lowering: Lowering, statement: Statement, form: _Form, shape: Shape) -> list[Word]:
    """The image operands, in the order of their bits."""
    target = lowering.target
    mask = 0
    values: list[Value] = []
    if form.bias:
        mask |= enums.ImageOperandsBias
        values.append(_single(lowering, statement.operands[form.bias]))
    if form.level:
        mask |= enums.ImageOperandsLod
        zero = form.level == _ZERO
        values.append(target.float_constant(32, 0) if zero else _single(lowering, statement.operands[form.level]))
    if form.gradients:
        mask |= enums.ImageOperandsGrad
        count = shape.coordinates - shape.arrayed
        for start in (form.gradients, form.gradients + 3):
            values.append(_vector(lowering, statement.operands[start : start + count]))
    offsets = _offsets(lowering, statement.operands[_OFFSET : _OFFSET + shape.offsets])
    if offsets is not None:
        constant = all(as_int(value) is not None for value in offsets)
        if not constant and not form.channel:
            raise Refusal("samples at an offset that is not constant", "SPIR-V has constant offsets for sampling")
        if not constant:
            target.capability(enums.CapabilityImageGatherExtended)
        mask |= enums.ImageOperandsConstOffset if constant else enums.ImageOperandsOffset
        values.append(_offset_vector(lowering, offsets, constant))
    if form.clamp:
        clamp = statement.operands[form.clamp]
        if clamp.kind != syntax.UNDEF and not (clamp.kind == syntax.NUMBER and clamp.number == 0):
            target.capability(enums.CapabilityMinLod)
            mask |= enums.ImageOperandsMinLod
            values.append(_single(lowering, clamp))
    return [mask, *values] if mask else []


def _offsets(lowering: Lowering, operands: list[Operand]) -> list[Value] | None:
    """None where all are 0."""
    values = [lowering.target.word(0) if given.kind == syntax.UNDEF else lowering.value(given) for given in operands]
    return None if all(as_int(value) == 0 for value in values) else values


def _offset_vector(lowering: Lowering, offsets: list[Value], constant: bool) -> Value:
    """Signed, as SPIR-V has them."""
    target = lowering.target
    signed = int_type(target.module, 32, True)
    parts: list[Word] = []
    for value in offsets:
        number = as_int(value)
        if number is not None:
            parts.append(target.module.intern(op.Constant, signed, [number & 0xFFFFFFFF]))
        else:
            parts.append(target.emit(op.Bitcast, signed, [value]))
    if len(parts) == 1:
        only = parts[0]
        assert isinstance(only, Value)
        return only
    type = vector_type(target.module, signed, len(parts))
    if constant:
        return target.module.intern(op.ConstantComposite, type, parts)
    return target.emit(op.CompositeConstruct, type, parts)


def _single(lowering: Lowering, operand: Operand) -> Value:
    """A float of 32 bits; 0 where it is undefined."""
    target = lowering.target
    if operand.kind == syntax.UNDEF:
        return target.float_constant(32, rounded_bits(0.0, 32))
    value = lowering.value(operand)
    single = target.float(32)
    assert isinstance(value, Instr)
    return value if value.type is single else target.emit(op.FConvert, single, [value])


def _vector(lowering: Lowering, operands: list[Operand]) -> Value:
    parts = [_single(lowering, operand) for operand in operands]
    if len(parts) == 1:
        return parts[0]
    target = lowering.target
    return target.emit(op.CompositeConstruct, vector_type(target.module, target.float(32), len(parts)), [*parts])


def _level_of_detail(lowering: Lowering, statement: Statement, shape: Shape) -> Result:
    """OpImageQueryLod gives the level that is accessed, then the one computed."""
    target = lowering.target
    lowering.scene.derivatives = True
    target.capability(enums.CapabilityImageQuery)
    texture, sampler = [lowering.handle(operand) for operand in statement.operands[1:3]]
    at = _vector(lowering, statement.operands[_X : _X + shape.coordinates - shape.arrayed])
    both = sampled_image(target, texture, sampler)
    pair = target.emit(op.ImageQueryLod, vector_type(target.module, target.float(32), 2), [both, at])
    clamped = lowering.number(statement.operands[6]) & 1 == 1
    return target.emit(op.CompositeExtract, target.float(32), [pair, 0 if clamped else 1])
