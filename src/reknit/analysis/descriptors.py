"""Which descriptor of an array an instruction accesses memory through, where nothing says that it may differ.

    %p = OpAccessChain %buffers %i %u0        buffers: an array of descriptors
    OpLoad %p                                 by %i, unless %p is decorated NonUniform

Source: Vulkan, VUID-RuntimeSpirv-subgroupSize-10149: "If an instruction accesses memory through any resource, the
effective subgroup size is greater than 1, ... and the resource through which that memory is accessed is not uniform
within the invocation group, and not uniform within the subgroup, then the operand corresponding to that resource (e.g.
the pointer or sampled image operand) must: be decorated with NonUniform".
"""

from collections.abc import Callable
from typing import Final

from reknit.ir import enums, op, traits
from reknit.ir.instr import Instr
from reknit.ir.types import pointee, storage_of
from reknit.ir.value import Value

_BUFFERS: Final = (enums.StorageClassStorageBuffer, enums.StorageClassUniform)
_RESOURCES: Final = (*_BUFFERS, enums.StorageClassUniformConstant)
_ARRAYS: Final = (op.TypeArray, op.TypeRuntimeArray)
_PASSED: Final = (op.Load, op.SampledImage, op.Image, op.CopyObject)
"""What gives a resource that an operand leads to."""


def indices_of(instr: Instr, is_non_uniform: Callable[[Value], bool]) -> list[Value]:
    """The indices into arrays of descriptors by which an instruction accesses memory; constants, and those of what is
    decorated NonUniform, are left out."""
    resource = resource_of(instr)
    if resource is None:
        return []
    indices: list[Value] = []
    work: list[Value] = [resource]
    while work:
        value = work.pop()
        if not isinstance(value, Instr) or is_non_uniform(value):
            continue
        if value.op in traits.CHAIN:
            base = value.operands[0]
            work.append(value.value(0))
            if isinstance(base, Instr) and base.op == op.Variable and is_array_of_descriptors(base):
                index = value.operands[1] if len(value.operands) > 1 else None
                if isinstance(index, Instr) and index.op not in traits.CONSTANT:
                    indices.append(index)
        elif value.op in _PASSED:
            work.extend([operand for operand in value.operands if isinstance(operand, Instr)])
    return indices


def resource_of(instr: Instr) -> Value | None:
    """The operand of an instruction that is the resource through which it accesses memory."""
    at = traits.LOADS.get(instr.op, traits.STORES.get(instr.op, -1))
    if at >= 0:
        pointer = instr.operands[at]
        if not isinstance(pointer, Instr) or pointer.type is None or pointer.type.op != op.TypePointer:
            return None
        if pointer.op == op.ImageTexelPointer:
            return pointer.value(0)
        return pointer if storage_of(pointer.type) in _BUFFERS else None
    return instr.value(0) if instr.op in traits.TEXELS else None


def is_array_of_descriptors(variable: Instr) -> bool:
    """An array of buffers, images or samplers: not one that is in a buffer."""
    if variable.type is None or storage_of(variable.type) not in _RESOURCES:
        return False
    return pointee(variable.type).op in _ARRAYS
