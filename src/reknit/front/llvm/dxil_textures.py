"""Single texels of DXIL's textures, and how large textures are.

    textureLoad(66, srv, mip, x, y, z, offsets)     OpImageFetch, Lod mip       textureLoad(66, uav, ...)   OpImageRead
    textureStore(67, uav, x, y, z, r, g, b, a)      OpImageWrite                atomicBinOp(78, uav, ...)   OpAtomic...
    getDimensions(72, texture, mip)                 OpImageQuerySizeLod, OpImageQueryLevels
"""

from typing import Final

from reknit.front.llvm import syntax
from reknit.front.llvm.dxil_buffers import ATOMICS, widened
from reknit.front.llvm.dxil_texels import Texel, accessed, of_component, parts_of, used_parts
from reknit.front.llvm.images import component_of, image, image_pointer, shape_of
from reknit.front.llvm.resources import CBV, SAMPLER, SRV, TYPED, UAV, Resource
from reknit.front.llvm.results import Handle, Pieces, Result
from reknit.front.llvm.state import Lowering
from reknit.front.llvm.syntax import Operand, Statement, Type
from reknit.front.llvm.target import Target
from reknit.front.llvm.unsupported import Refusal
from reknit.ir import enums, op
from reknit.ir.constants import as_int
from reknit.ir.instr import Instr
from reknit.ir.instr import Operand as Word
from reknit.ir.types import is_float, pointer_type, vector_type
from reknit.ir.value import Value

TEXELS: Final = (66, 67, 225)
ON_EITHER: Final = (72, 78, 79)
"""Operations on buffers as well as on textures."""


def is_texture(resource: Resource) -> bool:
    return resource.kind not in (CBV, SAMPLER) and resource.shape < TYPED


def texture(lowering: Lowering, statement: Statement, code: int) -> Result:
    """Raises Refusal for other shapes and other component types."""
    handle = lowering.handle(statement.operands[1])
    if code in (67, 225):
        _store(lowering, statement, handle, code)
        return None
    if code == 72:
        return _dimensions(lowering, statement, handle)
    if code in (78, 79):
        return _atomic(lowering, statement, handle, code)
    return _load(lowering, statement, handle)


def _load(lowering: Lowering, statement: Statement, handle: Handle) -> Result:
    target = lowering.target
    resource = handle.resource
    shape = shape_of(resource)
    component = component_of(target, resource)
    texels = vector_type(target.module, component, 4)
    picture = image(target, handle)
    at = _coordinates(lowering, statement.operands[3 : 3 + shape.coordinates], statement.operands[6:9])
    given = statement.operands[2]
    level: Value = target.word(0) if given.kind == syntax.UNDEF else lowering.value(given)
    extra: list[Word] = []
    if shape.samples:
        extra = [enums.ImageOperandsSample, level]
    elif resource.kind == SRV:
        extra = [enums.ImageOperandsLod, level]
    if resource.kind == UAV and not resource.atomic:
        target.capability(enums.CapabilityStorageImageReadWithoutFormat)
    code = op.ImageFetch if resource.kind == SRV else op.ImageRead
    texel = accessed(lowering, statement, code, texels, [picture, at, *extra])
    if resource.atomic == 64:
        return _halves(lowering, texel, component)
    return parts_of(lowering, statement, texel, component)


def _halves(lowering: Lowering, texel: Texel, component: Instr) -> Result:
    """A number of 64 bits as DXIL has it: two words, the lower first."""
    target = lowering.target
    number = target.emit(op.CompositeExtract, component, [texel.whole, 0])
    pair = target.emit(op.Bitcast, vector_type(target.module, target.u32, 2), [number])
    words = [target.emit(op.CompositeExtract, target.u32, [pair, index]) for index in range(2)]
    return Pieces([*words, target.word(0), target.word(0), texel.status])


def _store(lowering: Lowering, statement: Statement, handle: Handle, code: int) -> None:
    target = lowering.target
    resource = handle.resource
    shape = shape_of(resource)
    if resource.kind != UAV:
        raise Refusal("stores to a texture that is only read")
    component = component_of(target, resource)
    operands = statement.operands[5:9]
    if resource.atomic == 64:
        words = vector_type(target.module, target.u32, 2)
        pair = target.emit(op.CompositeConstruct, words, [lowering.value(operand) for operand in operands[:2]])
        given: list[Value] = [target.emit(op.Bitcast, component, [pair])] * 4
    else:
        given = [_as(target, lowering.value(operand), operand.type, component, resource) for operand in operands]
    whole = target.emit(op.CompositeConstruct, vector_type(target.module, component, 4), [*given])
    at = _coordinates(lowering, statement.operands[2 : 2 + shape.coordinates], [])
    picture = image(target, handle)
    if not resource.atomic:
        target.capability(enums.CapabilityStorageImageWriteWithoutFormat)
    extra: list[Word] = []
    if code == 225:
        extra = [enums.ImageOperandsSample, lowering.value(statement.operands[10])]
    target.effect(op.ImageWrite, [picture, at, whole, *extra])


def _atomic(lowering: Lowering, statement: Statement, handle: Handle, code: int) -> Result:
    target = lowering.target
    first = 3 if code == 78 else 2
    shape = shape_of(handle.resource)
    component = component_of(target, handle.resource)
    at = _coordinates(lowering, statement.operands[first : first + shape.coordinates], [])
    pointer = pointer_type(target.module, enums.StorageClassImage, component)
    cell = target.emit(op.ImageTexelPointer, pointer, [image_pointer(target, handle), at, target.word(0)])
    if handle.uneven:
        target.decorate(cell, enums.DecorationNonUniform)
    if handle.resource.atomic == 64:
        target.capability(enums.CapabilityInt64Atomics)
    scope, relaxed = target.word(enums.ScopeDevice), target.word(0)
    operands = [
        _as(target, lowering.value(operand), operand.type, component, handle.resource)
        for operand in statement.operands[6 if code == 78 else 5 : 7]
    ]
    if code == 79:
        if is_float(component):
            raise Refusal("compares and exchanges texels that are floats")
        words: list[Word] = [cell, scope, relaxed, relaxed, operands[1], operands[0]]
        return of_component(target, target.emit(op.AtomicCompareExchange, component, words), statement.type)
    which = lowering.number(statement.operands[2])
    if which >= len(ATOMICS) or is_float(component) and ATOMICS[which] != op.AtomicExchange:
        raise Refusal(f"is atomic operation {which}, which is not read here")
    before = target.emit(ATOMICS[which], component, [cell, scope, relaxed, *operands])
    return of_component(target, before, statement.type)


def _dimensions(lowering: Lowering, statement: Statement, handle: Handle) -> Result:
    """Width, height, depth or layers; then levels, or samples."""
    target = lowering.target
    target.capability(enums.CapabilityImageQuery)
    resource = handle.resource
    shape = shape_of(resource)
    count = shape.arrayed + {enums.Dim1D: 1, enums.Dim3D: 3}.get(shape.dimension, 2)
    picture = image(target, handle)
    type = target.u32 if count == 1 else vector_type(target.module, target.u32, count)
    levels = resource.kind == SRV and not shape.samples
    used = used_parts(lowering, statement)
    items: list[Result] = [None] * 4
    if any(index < count for index in used):
        if levels:
            given = statement.operands[2]
            level = target.word(0) if given.kind == syntax.UNDEF else lowering.value(given)
            size = target.emit(op.ImageQuerySizeLod, type, [picture, level])
        else:
            size = target.emit(op.ImageQuerySize, type, [picture])
        for index in range(count):
            items[index] = size if count == 1 else target.emit(op.CompositeExtract, target.u32, [size, index])
    if 3 in used:
        if shape.samples:
            items[3] = target.emit(op.ImageQuerySamples, target.u32, [picture])
        else:
            items[3] = target.emit(op.ImageQueryLevels, target.u32, [picture]) if levels else target.word(1)
    return Pieces(items)


def _as(target: Target, value: Value, type: Type, component: Instr, resource: Resource) -> Value:
    """A value as a component of an image: of 32 bits, and perhaps with a sign, which integers here don't have."""
    if type.width < 32:
        if type.kind == syntax.FLOAT:
            return target.emit(op.FConvert, component, [value])
        value = widened(target, value, type, resource)
    assert isinstance(value, Instr)
    return value if value.type is component else target.emit(op.Bitcast, component, [value])


def _coordinates(lowering: Lowering, operands: list[Operand], offsets: list[Operand]) -> Value:
    target = lowering.target
    values: list[Value] = []
    for place, operand in enumerate(operands):
        value = lowering.value(operand)
        if place < len(offsets) and offsets[place].kind != syntax.UNDEF:
            offset = lowering.value(offsets[place])
            if as_int(offset) != 0:
                value = target.emit(op.IAdd, target.u32, [value, offset])
        values.append(value)
    if len(values) == 1:
        return values[0]
    return target.emit(op.CompositeConstruct, vector_type(target.module, target.u32, len(values)), [*values])
