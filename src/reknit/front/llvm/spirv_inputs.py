"""Variables of LLVM IR that stand for SPIR-V's built-in inputs: they are filled where a kernel starts.

    @__spirv_BuiltInGlobalInvocationId = external addrspace(1) constant <3 x i64>     as LLVM's SPIR-V translator has it
    @__spirv_LocalInvocationId = addrspace(5) global <3 x i32> zeroinitializer        as clspv has it
"""

from typing import Final

from reknit.front.llvm import syntax
from reknit.front.llvm.access import advanced, store
from reknit.front.llvm.results import Pointer
from reknit.front.llvm.state import Lowering
from reknit.front.llvm.syntax import Global, Type
from reknit.ir import enums, op
from reknit.ir.value import Value

PREFIX: Final = "__spirv_"
_TRIPLES: Final = {
    "GlobalInvocationId": enums.BuiltInGlobalInvocationId, "LocalInvocationId": enums.BuiltInLocalInvocationId,
    "WorkgroupId": enums.BuiltInWorkgroupId, "NumWorkgroups": enums.BuiltInNumWorkgroups,
}  # fmt: skip
_SCALARS: Final = {
    "LocalInvocationIndex": enums.BuiltInLocalInvocationIndex, "SubgroupSize": enums.BuiltInSubgroupSize,
    "SubgroupMaxSize": enums.BuiltInSubgroupSize, "NumSubgroups": enums.BuiltInNumSubgroups,
    "NumEnqueuedSubgroups": enums.BuiltInNumSubgroups, "SubgroupId": enums.BuiltInSubgroupId,
    "SubgroupLocalInvocationId": enums.BuiltInSubgroupLocalInvocationId,
}  # fmt: skip
_SIZES: Final = ("WorkgroupSize", "EnqueuedWorkgroupSize")
_OTHERS: Final = ("GlobalSize", "GlobalOffset")
_WORK_DIM: Final = "WorkDim"


def plain(name: str) -> str:
    return name.removeprefix(PREFIX).removeprefix("BuiltIn")


def is_input(variable: Global) -> bool:
    """Whether it is one of these; others that are called so are not read."""
    base = plain(variable.name)
    count, element = _shape(variable.type)
    if not variable.name.startswith(PREFIX) or element.kind != syntax.INT or element.width not in (32, 64):
        return False
    if base in _SCALARS or base == _WORK_DIM:
        return count == 1
    return count <= 3 and (base in _TRIPLES or base in _SIZES or base in _OTHERS)


def _shape(type: Type) -> tuple[int, Type]:
    return (type.count, type.parts[0]) if type.kind == syntax.VECTOR else (1, type)


def fill(lowering: Lowering) -> None:
    """Store the inputs into those of the variables that are accessed."""
    scene = lowering.scene
    for name, root in scene.globals.items():
        if root.unit and name.startswith(PREFIX):
            count, element = _shape(scene.program.globals[name].type)
            for axis in range(count):
                place = advanced(Pointer(root, [], 0), None, 0, axis * element.width // 8)
                store(lowering.target, place, element, _value(lowering, plain(name), axis, element))


def work_dim(lowering: Lowering, type: Type) -> Value:
    """How many dimensions a range has, which is not known in a shader."""
    note = "how many dimensions a range is given with (get_work_dim) is not known in a shader: taken to be 3"
    if note not in lowering.scene.assumed:
        lowering.scene.assumed.append(note)
    return lowering.target.constant(type, 3)


def _value(lowering: Lowering, base: str, axis: int, element: Type) -> Value:
    target = lowering.target
    size = lowering.scene.size[axis]
    value: Value
    if base == _WORK_DIM:
        return work_dim(lowering, element)
    if base in _TRIPLES:
        value = target.component(_TRIPLES[base], axis, "")
    elif base in _SCALARS:
        if base != "LocalInvocationIndex":
            target.capability(enums.CapabilityGroupNonUniform)
        value = target.input(_SCALARS[base], 1, "")
    elif base == "GlobalSize":
        groups = target.component(enums.BuiltInNumWorkgroups, axis, "")
        value = target.emit(op.IMul, target.u32, [groups, target.word(size)])
    else:
        return target.constant(element, size if base in _SIZES else 0)
    return value if element.width == 32 else target.emit(op.UConvert, target.type(element), [value])
