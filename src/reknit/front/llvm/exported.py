"""Functions of a module without entry points: they stay functions, whatever they take and give.

    define <8 x float> @f(ptr addrspace(1) %p, <8 x i32> %v)
        %p   a storage buffer, since no caller says where it leads      %v   a parameter that is an array of eight
        the result   an array of eight; a pointer is left out

Which kind of variable a pointer is taken to lead to, a note reports.
"""

from typing import Final

from reknit.front.llvm import syntax
from reknit.front.llvm.memory import Root
from reknit.front.llvm.parts import MAX_PARTS, count_of, is_wide, part_of, part_type
from reknit.front.llvm.results import Pieces, Result
from reknit.front.llvm.state import Lowering, Scene
from reknit.front.llvm.syntax import Operand, Routine, Type
from reknit.front.llvm.target import Target
from reknit.front.llvm.unsupported import Refusal
from reknit.ir import enums, op
from reknit.ir.instr import Instr
from reknit.ir.types import void_type
from reknit.ir.value import Value

SHARED_SPACE: Final = 3
_PRIVATE_SPACE: Final = 5
_BYTES: Final = 512
"""Of shared and private memory that only a caller could know the size of."""


def plan_pointers(scene: Scene, routine: Routine) -> None:
    """What an exported function's pointers lead to."""
    labels: list[str] = []
    for name, type in routine.parameters:
        if type.kind == syntax.PTR:
            label = f"{routine.name}.{name if not name.isdigit() else f'argument{name}'}"
            storage = _storage(scene, type)
            root = Root(label, storage, 0 if storage == enums.StorageClassStorageBuffer else _BYTES)
            root.binding = len(scene.arguments)
            scene.arguments[(routine.name, name)] = root
            labels.append(f"%{name} ({_KINDS[storage]})")
    if labels:
        scene.assumed.append(
            f"nothing calls function '{routine.name}': each of its pointers is taken to lead to a variable of its own: "
            + ", ".join(labels)
        )
    if routine.result.kind == syntax.PTR:
        scene.assumed.append(f"function '{routine.name}' gives a pointer, which is left out")


_KINDS: Final = {
    enums.StorageClassStorageBuffer: "a storage buffer",
    enums.StorageClassWorkgroup: f"shared memory of {_BYTES} bytes",
    enums.StorageClassPrivate: f"an invocation's own {_BYTES} bytes",
}


def _storage(scene: Scene, type: Type) -> int:
    if type.count == SHARED_SPACE:
        return enums.StorageClassWorkgroup
    opencl = any(line.startswith('target triple = "spir') for line in scene.program.lines)
    if type.count == _PRIVATE_SPACE or (opencl and type.count == 0):
        return enums.StorageClassPrivate
    return enums.StorageClassStorageBuffer


def parameter_types(target: Target, routine: Routine) -> list[tuple[str, Instr]]:
    """(name, type) of those that stay parameters. Raises Refusal."""
    return [(name, composite_type(target, type)) for name, type in routine.parameters if type.kind != syntax.PTR]


def result_type(target: Target, routine: Routine) -> Instr:
    """Raises Refusal."""
    kind = routine.result.kind
    return void_type(target.module) if kind == syntax.PTR else composite_type(target, routine.result)


def composite_type(target: Target, type: Type) -> Instr:
    """Of a value that is held part by part: an array or a struct. Types nest a few levels. Raises Refusal."""
    if not is_wide(type):
        return target.type(type)
    if not 0 < count_of(type) <= MAX_PARTS:
        raise Refusal(f"has the type {type.name}, which is not read here")
    if type.kind == syntax.STRUCT:
        return target.module.intern(op.TypeStruct, None, [composite_type(target, part) for part in type.parts])
    element = composite_type(target, type.parts[0])
    return target.module.intern(op.TypeArray, None, [element, target.word(type.count)])


def split(target: Target, type: Type, value: Value) -> Result:
    """A value of `composite_type`, as it is held."""
    if not is_wide(type):
        return value
    items: list[Result] = []
    for index in range(count_of(type)):
        inner = part_type(type, index)
        part = target.emit(op.CompositeExtract, composite_type(target, inner), [value, index])
        items.append(split(target, inner, part))
    return Pieces(items)


def joined(lowering: Lowering, operand: Operand) -> Value:
    """The value of `composite_type` that an operand is. Raises Refusal."""
    if not is_wide(operand.type):
        return lowering.value(operand)
    parts = [joined(lowering, part_of(operand, index)) for index in range(count_of(operand.type))]
    target = lowering.target
    return target.emit(op.CompositeConstruct, composite_type(target, operand.type), [*parts])
