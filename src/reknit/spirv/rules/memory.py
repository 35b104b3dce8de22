"""Memory that a module declares and changes: arrays have elements, atomics are of what invocations share, and no images
are stored.

OpTypeArray %u32 %zero                                    no length
OpAtomicIAdd %u32 %pointer ...     %pointer to Function   a variable of one invocation
OpStore %variable %image                                  an image, which is no value to keep
"""

from typing import Final

from reknit.ir import enums, op, opcodes, traits
from reknit.source.columns import i64
from reknit.spirv.rules.subject import Subject

OWN: Final = {
    enums.StorageClassUniformConstant: "UniformConstant",
    enums.StorageClassInput: "Input",
    enums.StorageClassOutput: "Output",
    enums.StorageClassPrivate: "Private",
    enums.StorageClassFunction: "Function",
    enums.StorageClassPushConstant: "PushConstant",
}
"""Storage classes in which a shader has no atomics."""

_OPAQUE: Final = (op.TypeImage, op.TypeSampler, op.TypeSampledImage)


def arrays_have_elements(case: Subject) -> None:
    """D01: the length of an array is at least 1 (OpTypeArray); that of a specialized one is known later."""
    columns = case.columns
    flow = case.flow
    row: i64 = 0
    end: i64 = case.facts.first_function
    while row < end:
        if columns.op[row] == op.TypeArray:
            length: i64 = flow.operand(row, 3)
            defined: i64 = i64(columns.definition[length]) if 0 < length < columns.bound else -1
            if defined >= 0 and _is_below_one(case, defined):
                named = case.out.id(int(columns.result[row]))
                message = f"array {named} has no elements: its length {case.out.id(int(length))} is less than 1"
                case.out.add("D01", message, int(row), breaks=False)
        row += 1


def _is_below_one(case: Subject, row: i64) -> bool:
    """Whether an integer constant is zero or negative."""
    columns = case.columns
    if columns.op[row] == op.ConstantNull:
        return True
    if columns.op[row] != op.Constant:
        return False
    flow = case.flow
    last: i64 = i64(columns.size[row]) - 1
    place: i64 = 3
    any_bit = False
    while place <= last:
        any_bit = any_bit or flow.operand(row, place) != 0
        place += 1
    kind: i64 = i64(columns.definition[i64(columns.type[row])])
    signed = kind >= 0 and columns.op[kind] == op.TypeInt and flow.operand(kind, 3) == 1
    return not any_bit or (signed and (flow.operand(row, last) >> 31) & 1 == 1)


def atomics_are_of_shared_memory(case: Subject) -> None:
    """D03: with Shader, the pointer of an atomic is to none of the storage classes OWN (SPIR-V 1.6, 2.16.2 "Atomic
    access rules"; VUID-StandaloneSpirv-None-04686)."""
    if not case.facts.shader:
        return
    columns = case.columns
    flow = case.flow
    row: i64 = case.facts.first_function
    rows: i64 = len(columns.op)
    while row < rows:
        code: i64 = i64(columns.op[row])
        maybe = op.AtomicLoad <= code <= op.AtomicXor or code >= op.AtomicFlagTestAndSet
        if maybe and int(code) in traits.ATOMIC and columns.block[row] >= 0:
            pointer: i64 = flow.operand(row, 3 if columns.result[row] != 0 else 1)
            kind: i64 = flow.type_row(pointer)
            storage = int(flow.operand(kind, 2)) if kind >= 0 else -1
            if storage in OWN:
                about = opcodes.info(int(code))
                assert about is not None
                message = f"Op{about.name} is of {case.out.id(int(pointer))}, whose storage class is {OWN[storage]}"
                case.out.add("D03", message, int(row), int(columns.block[row]), breaks=False)
        row += 1


def opaque_objects_are_not_stored(case: Subject) -> None:
    """D04: with Shader, what OpStore stores has no image, sampler or acceleration structure in it
    (VUID-StandaloneSpirv-OpTypeImage-06924)."""
    if not case.facts.shader or enums.CapabilityBindlessTextureNV in case.facts.capabilities:
        return
    columns = case.columns
    flow = case.flow
    opaque = _opaque_types(case)
    if not opaque:
        return
    row: i64 = case.facts.first_function
    rows: i64 = len(columns.op)
    while row < rows:
        if columns.op[row] == op.Store and columns.block[row] >= 0:
            stored: i64 = flow.operand(row, 2)
            kind: i64 = flow.type_row(stored)
            if kind >= 0 and int(columns.result[kind]) in opaque:
                message = f"OpStore stores {case.out.id(int(stored))}, which is or has an image, a sampler or the like"
                case.out.add("D04", message, int(row), int(columns.block[row]), breaks=False)
        row += 1


def _opaque_types(case: Subject) -> dict[int, None]:
    """The ids of the types of opaque objects, and of arrays and structs with such in them."""
    columns = case.columns
    opaque: dict[int, None] = {}
    row: i64 = 0
    end: i64 = case.facts.first_function
    while row < end:
        code = int(columns.op[row])
        if code in _OPAQUE or code == op.TypeAccelerationStructureKHR:
            opaque[int(columns.result[row])] = None
        elif code == op.TypeArray or code == op.TypeRuntimeArray or code == op.TypeStruct:
            place: i64 = 2
            last: i64 = i64(columns.size[row]) if code == op.TypeStruct else 3
            while place < last:
                if int(case.flow.operand(row, place)) in opaque:
                    opaque[int(columns.result[row])] = None
                place += 1
        row += 1
    return opaque
