"""The variables that shader parameters of resource types become.

    RWStructuredBuffer<S>    StorageBuffer, block struct { S_std430 runtime array }
    ByteAddressBuffer        StorageBuffer, block struct { u32 runtime array }
    ConstantBuffer<S>        Uniform, block struct { S_std140 }; GLSL's buffer blocks: StorageBuffer, { S_std430 }
    Texture2D<float4>        UniformConstant, the image's type

`declared` gives storage class and type; the lowering makes the variable, with its set and binding.
"""

from reknit.front.slang.builtins import images
from reknit.front.slang.builtins.emitter import Emitter, Unsupported
from reknit.front.slang.builtins.kinds import (
    ACCELERATION,
    BLOCKS,
    BYTE_ADDRESS,
    SAMPLERS,
    STRUCTURED,
    SUBPASS,
    TYPED,
    UNIFORM,
    texture_shape,
)
from reknit.front.slang.builtins.rays import opaque_type
from reknit.front.slang.builtins.stored import block, ends_open, layouts, open_block, runtime_array, stored_type
from reknit.front.slang.types import BLOCK, ResourceType, StructType, Type
from reknit.ir import enums, op
from reknit.ir.instr import Instr


def declared(emitter: Emitter, type: ResourceType, format: str = "") -> tuple[int, Instr]:
    """(storage class, type of the variable); made once. `format` is of a texture's texels. Raises Unsupported."""
    if format and is_loaded(type):
        return enums.StorageClassUniformConstant, images.handle_type(emitter, type, format)
    storage = enums.StorageClassUniformConstant
    if type.kind in STRUCTURED or type.kind in BYTE_ADDRESS or type.kind in BLOCKS:
        storage = enums.StorageClassStorageBuffer
    elif type.kind in UNIFORM:
        storage = enums.StorageClassUniform
    declared_type = emitter.stored_types.get((type.key, "variable"))
    if declared_type is None:
        declared_type = _build_type(emitter, type)
        emitter.stored_types[type.key, "variable"] = declared_type
    return storage, declared_type


def elements(emitter: Emitter, type: Type, rule: str, name: str) -> Instr:
    """A block of any number of them. Raises Unsupported."""
    element = stored_type(emitter, type, rule)
    return block(emitter, runtime_array(emitter, element, layouts(emitter, rule).of(type).stride), name)


def is_loaded(type: ResourceType) -> bool:
    """Whether builtins take the loaded handle, not a pointer."""
    listed = type.kind in SAMPLERS or type.kind in TYPED or type.kind in SUBPASS or type.kind == ACCELERATION
    return listed or texture_shape(type.kind) is not None


def _build_type(emitter: Emitter, type: ResourceType) -> Instr:
    if type.kind in STRUCTURED and type.element is not None:
        return elements(emitter, type.element, emitter.rule_of(type), type.kind)
    if type.kind in BYTE_ADDRESS:
        return block(emitter, runtime_array(emitter, emitter.u32, 4), type.kind)
    if type.kind in UNIFORM + BLOCKS and type.element is not None:
        if type.kind in BLOCKS and isinstance(type.element, StructType) and ends_open(emitter, type.element):
            return open_block(emitter, type.element, emitter.rule_of(type))
        name = BLOCK if type.kind in BLOCKS else type.kind
        return block(emitter, stored_type(emitter, type.element, emitter.rule_of(type)), name)
    if type.kind in SAMPLERS:
        return emitter.module.intern(op.TypeSampler, None, [])
    if type.kind == ACCELERATION:
        return opaque_type(emitter, type.kind)
    if is_loaded(type):
        return images.handle_type(emitter, type)
    raise Unsupported(f"'{type}' can't be a shader parameter here")

