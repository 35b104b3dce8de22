"""DXIL's textures as far as compute shaders read and write single texels of them.

    textureLoad(srv, mip, x, y, z, offsets)     OpImageFetch, Lod mip       textureLoad(uav, _, x, y, z)   OpImageRead
    textureStore(uav, x, y, z, r, g, b, a)      OpImageWrite

1D, 2D and 3D textures and arrays of the first two; formats are unknown, as DXIL doesn't say them.
"""

from typing import Final

from reknit.front.llvm import syntax
from reknit.front.llvm.dxil_buffers import SIGNED, UNSIGNED, used_parts, widened
from reknit.front.llvm.resources import SRV, UAV, Resource
from reknit.front.llvm.results import Pieces, Result
from reknit.front.llvm.state import Lowering
from reknit.front.llvm.syntax import Operand, Statement, Type
from reknit.front.llvm.target import Target
from reknit.front.llvm.unsupported import Refusal
from reknit.ir import enums, op
from reknit.ir.instr import Instr
from reknit.ir.types import int_type, vector_type
from reknit.ir.value import Value

TEXELS: Final = (66, 67)

_SHAPES: Final = {
    1: (enums.Dim1D, 0, 1), 2: (enums.Dim2D, 0, 2), 4: (enums.Dim3D, 0, 3), 6: (enums.Dim1D, 1, 2),
    7: (enums.Dim2D, 1, 3),
}  # fmt: skip
"""By ResourceKind: dimension, whether an array, coordinates."""
_UNKNOWN_FORMAT: Final = 0
_WIDE: Final = (6, 7, 10)  # ComponentType I64, U64, F64


def texel(lowering: Lowering, statement: Statement, code: int) -> Result:
    """Raises Refusal for other shapes and other component types."""
    target = lowering.target
    handle = lowering.handle(statement.operands[1])
    resource = handle.resource
    if resource.kind not in (SRV, UAV) or resource.shape not in _SHAPES:
        raise Refusal("is an access to a texture of a shape that is not read here")
    count = _SHAPES[resource.shape][2]
    image_type, component = _image(target, resource)
    variable = _variable(target, resource, handle.register, image_type)
    image = target.emit(op.Load, image_type, [variable])
    texels = vector_type(target.module, component, 4)
    if code == 67:
        given = statement.operands[5:9]
        values = [_as(target, lowering.value(operand), operand.type, component, resource) for operand in given]
        whole = target.emit(op.CompositeConstruct, texels, [*values])
        at = _coordinates(lowering, statement.operands[2 : 2 + count], [])
        target.capability(enums.CapabilityStorageImageWriteWithoutFormat)
        target.effect(op.ImageWrite, [image, at, whole])
        return None
    at = _coordinates(lowering, statement.operands[3 : 3 + count], statement.operands[6:9])
    if resource.kind == SRV:
        level = target.word(0) if statement.operands[2].kind == syntax.UNDEF else lowering.value(statement.operands[2])
        whole = target.emit(op.ImageFetch, texels, [image, at, enums.ImageOperandsLod, level])
    else:
        target.capability(enums.CapabilityStorageImageReadWithoutFormat)
        whole = target.emit(op.ImageRead, texels, [image, at])
    part = statement.type.parts[0]
    items: list[Result] = [None] * 5
    for index in sorted(used_parts(lowering, statement)):
        if index == 4:
            items[4] = target.word(1)
        else:
            items[index] = _of(target, target.emit(op.CompositeExtract, component, [whole, index]), part)
    return Pieces(items)


def _as(target: Target, value: Value, type: Type, component: Instr, resource: Resource) -> Value:
    """A value as a component of an image: of 32 bits, and perhaps with a sign, which integers here don't have."""
    if type.width != 32:
        if type.kind == syntax.FLOAT:
            return target.emit(op.FConvert, component, [value])
        value = widened(target, value, resource)
    assert isinstance(value, Instr)
    return value if value.type is component else target.emit(op.Bitcast, component, [value])


def _of(target: Target, value: Instr, type: Type) -> Value:
    """A component of an image as a value of `type`."""
    ir_type = target.type(type)
    if type.width != 32:
        return target.emit(op.FConvert if type.kind == syntax.FLOAT else op.UConvert, ir_type, [value])
    return value if value.type is ir_type else target.emit(op.Bitcast, ir_type, [value])


def _coordinates(lowering: Lowering, operands: list[Operand], offsets: list[Operand]) -> Value:
    target = lowering.target
    values: list[Value] = []
    for place, operand in enumerate(operands):
        value = lowering.value(operand)
        if place < len(offsets) and offsets[place].kind != syntax.UNDEF:
            value = target.emit(op.IAdd, target.u32, [value, lowering.value(offsets[place])])
        values.append(value)
    if len(values) == 1:
        return values[0]
    return target.emit(op.CompositeConstruct, vector_type(target.module, target.u32, len(values)), [*values])


def _image(target: Target, resource: Resource) -> tuple[Instr, Instr]:
    """(type of the image, type of a component)"""
    if resource.element in SIGNED:
        component = int_type(target.module, 32, True)
    elif resource.element in UNSIGNED:
        component = target.u32
    elif resource.element in _WIDE:
        raise Refusal("is an access to a texture of 64-bit components, which is not read here")
    else:
        component = target.float(32)
    dimension, arrayed, _ = _SHAPES[resource.shape]
    if dimension == enums.Dim1D:
        target.capability(enums.CapabilitySampled1D if resource.kind == SRV else enums.CapabilityImage1D)
    sampled = 1 if resource.kind == SRV else 2
    operands: list[Value | int | str] = [component, dimension, 0, arrayed, 0, sampled, _UNKNOWN_FORMAT]
    return target.module.intern(op.TypeImage, None, operands), component


def _variable(target: Target, resource: Resource, register: int, type: Instr) -> Instr:
    known = resource.constants.get(register)
    if known is not None:
        return known
    storage = enums.StorageClassUniformConstant
    variable = target.variable(storage, type, resource.label(register))
    target.decorate(variable, enums.DecorationDescriptorSet, resource.space)
    target.decorate(variable, enums.DecorationBinding, resource.binding(register))
    resource.constants[register] = variable
    return variable
