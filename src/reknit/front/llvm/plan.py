"""Before lowering: every object in memory, and how wide the accesses to it are.

    alloca, @shared, buffers ──▶ Root        load i64, rawBufferStore.f16 ──▶ Root.accessed
    annotateHandle, loads and stores of RWBuffer<T> ──▶ how many components T has
"""

from math import gcd
from typing import Final

from reknit.front.llvm import syntax
from reknit.front.llvm.convergence import BREAK
from reknit.front.llvm.copies import is_copy, plan_copy
from reknit.front.llvm.descriptors import of_push_constants, root_of
from reknit.front.llvm.dxil_buffers import component_width
from reknit.front.llvm.dxil_handles import ANNOTATE, HANDLES, handle, planned
from reknit.front.llvm.exported import SHARED_SPACE, plan_pointers
from reknit.front.llvm.memory import Root, initial_bytes
from reknit.front.llvm.opencl import is_kernel, pointers_of
from reknit.front.llvm.parts import is_wide
from reknit.front.llvm.resources import CBV, SAMPLER, TYPED, Resource
from reknit.front.llvm.results import Handle
from reknit.front.llvm.spirv_inputs import PREFIX, is_input
from reknit.front.llvm.state import Lowering, Scene
from reknit.front.llvm.syntax import Operand, Routine, Statement, Type
from reknit.front.llvm.unsupported import Refusal
from reknit.front.llvm.wide import scalars_of
from reknit.ir import enums

_WORD: Final = Type(syntax.INT, "i32", 32)
_LOCAL_SHARE: Final = 16  # bytes an invocation, where only the caller knows
_MAX_VARIABLE_BYTES: Final = 1 << 28  # bytes of a variable of the module: far more than a shader may have


def plan_globals(scene: Scene) -> None:
    for name, given in scene.program.globals.items():
        if name.startswith("llvm.") or name == BREAK:
            continue
        constants = of_push_constants(scene, name)
        if constants is not None:
            scene.globals[name] = constants
            continue
        if name.startswith(PREFIX) and not is_input(given):
            continue  # reported where it is used
        if given.external and not scene.stage and not name.startswith(PREFIX) and given.space != SHARED_SPACE:
            continue  # likewise
        try:
            size = scene.layout.stored(given.type)
        except Refusal:
            continue  # reported where it is used
        if size > _MAX_VARIABLE_BYTES:
            continue
        shared = given.space == SHARED_SPACE
        if given.external and shared and size == 0:
            size = share(scene)
            scene.assumed.append(f"'{plain_name(name)}' is in shared memory of no size: taken to have {size} bytes")
        storage = enums.StorageClassWorkgroup if shared else enums.StorageClassPrivate
        scene.globals[name] = Root(plain_name(name), storage, size)
    for name, root in list(scene.globals.items()):
        initial = scene.program.globals[name].initial
        if root.storage == enums.StorageClassPrivate and initial is not None and initial.kind != syntax.UNDEF:
            try:
                root.initial = initial_bytes(initial, root.size, scene.layout, lambda value: _bits(scene, value))
            except Refusal:
                del scene.globals[name]  # reported where it is used


def _bits(scene: Scene, value: Operand) -> int:
    """A constant address as the 64 bits that memory has of it (`places`). Raises Refusal."""
    offset = 0
    while value.kind == syntax.EXPRESSION and value.parts:
        if value.text == "getelementptr" and value.source is not None:
            offset += _constant_step(scene, value.source, value.parts[1:])
        elif value.text not in ("addrspacecast", "bitcast"):
            break
        value = value.parts[0]
    root = scene.globals.get(value.text) if value.kind == syntax.GLOBAL else None
    if root is None:
        raise Refusal("has an initial value that is no constant number or address of a variable")
    return scene.points.number(root) << 32 | offset & 0xFFFFFFFF


def _constant_step(scene: Scene, type: Type, indices: list[Operand]) -> int:
    total = 0
    for place, index in enumerate(indices):
        if index.kind not in (syntax.NUMBER, syntax.ZERO):
            raise Refusal("steps by what is no constant")
        if place == 0:
            total += index.number * scene.layout.size(type)
        elif type.kind == syntax.STRUCT:
            total += scene.layout.offset(type, index.number)
            type = type.parts[index.number]
        elif type.kind == syntax.ARRAY:
            type = type.parts[0]
            total += index.number * scene.layout.size(type)
        else:
            raise Refusal(f"steps into the type {type.name}")
    return total


def plain_name(name: str) -> str:
    """`\\x01?shared@@3PAIA` -> `shared`: Microsoft's mangling of a variable of namespace scope."""
    if name.startswith("\x01?"):
        return name[2:].partition("@")[0]
    return name


def share(scene: Scene) -> int:
    """Bytes of shared memory where only the caller knows."""
    return _LOCAL_SHARE * max(1, scene.size[0] * scene.size[1] * scene.size[2])


def plan_arguments(scene: Scene, routine: Routine) -> None:
    """A kernel's arguments are buffers. Raises Refusal."""
    if routine.name in scene.exported:
        plan_pointers(scene, routine)
    if not is_kernel(routine):
        return
    for number, (name, type) in enumerate(routine.parameters):
        if (routine.name, name) in scene.opaque:
            continue
        if type.kind == syntax.PTR and type.count == SHARED_SPACE:
            label = name if not name.isdigit() else f"argument{name}"
            size = share(scene)
            scene.arguments[(routine.name, name)] = Root(label, enums.StorageClassWorkgroup, size)
            scene.assumed.append(f"'{label}' of kernel '{routine.name}' is in local memory: taken to have {size} bytes")
            continue
        root = Root(name if not name.isdigit() else f"argument{name}", enums.StorageClassStorageBuffer, 0)
        root.binding = number
        if type.kind != syntax.PTR:
            for _, part in scalars_of(scene.layout, type):
                try:
                    scene.target.type(part)
                except Refusal:
                    what = f"takes the argument %{name} of type {type.name}, which is not read here"
                    raise Refusal(what) from None
                root.accessed(part)
        scene.arguments[(routine.name, name)] = root


def plan_inputs(scene: Scene) -> None:
    """Find the inputs of which the vertices' values are read one by one."""
    for routine in scene.program.routines.values():
        for chunk in routine.chunks:
            for statement in chunk.statements:
                if statement.callee.startswith("dx.op.attributeAtVertex") and len(statement.operands) > 1:
                    scene.by_vertex[statement.operands[1].number] = None


def plan_variables(lowering: Lowering) -> None:
    scene = lowering.scene
    for chunk in lowering.routine.chunks:
        for statement in chunk.statements:
            given = root_of(scene, statement) if statement.op == "call" else None
            if given is not None:
                scene.allocas[statement] = given
            if statement.op == "alloca" and statement.source is not None:
                if statement.operands and statement.operands[0].kind != syntax.NUMBER:
                    continue  # reported where it is lowered
                count = statement.operands[0].number if statement.operands else 1
                try:
                    size = scene.layout.size(statement.source) * count
                except Refusal:
                    continue
                if size > _MAX_VARIABLE_BYTES:
                    continue  # reported where it is lowered
                name = statement.name if not statement.name.isdigit() else ""
                scene.allocas[statement] = Root(name, enums.StorageClassFunction, size)


def plan_accesses(lowering: Lowering) -> None:
    """Count the accesses to objects. `Scene.points` is solved."""
    for chunk in lowering.routine.chunks:
        for statement in chunk.statements:
            if statement.callee.startswith("dx.op.annotateHandle") and len(statement.operands) > 2:
                given = _handle(lowering, statement.operands[1])
                if given is not None:
                    lowering.values[statement.operands[1].text] = given
                    handle(lowering, statement, ANNOTATE)
    lowering.values.clear()
    for chunk in lowering.routine.chunks:
        for statement in chunk.statements:
            if statement.op in ("load", "store", "atomicrmw", "cmpxchg") and statement.source is not None:
                _plan_access(lowering, statement, statement.source)
            elif is_copy(statement):
                plan_copy(lowering, statement)
            elif statement.callee.startswith("_Z"):
                for operand, type in pointers_of(statement):
                    for root in lowering.roots_of(operand):
                        root.accessed(type)
            elif statement.callee.startswith("dx.op."):
                try:
                    _plan_buffer(lowering, statement)
                except IndexError:
                    continue  # operands that the operation doesn't have: reported where it is lowered


def _plan_access(lowering: Lowering, statement: Statement, type: Type) -> None:
    roots = lowering.roots_of(statement.operands[1 if statement.op == "store" else 0])
    if not roots:
        return
    try:
        parts = scalars_of(lowering.scene.layout, type) if is_wide(type) else [(0, type)]
    except Refusal:
        return  # reported where it is lowered
    for root in roots:
        for at, part in parts:
            root.accessed(_in_memory(part), gcd(statement.align, at) if statement.align else 0)


def _in_memory(type: Type) -> Type:
    return Type(syntax.INT, "i8", 8) if type.is_bool() else type


def _plan_buffer(lowering: Lowering, statement: Statement) -> None:
    code = statement.operands[0].number if statement.operands else 0
    if code not in (68, 69, 70, 78, 79, 139, 140):
        return
    buffer_handle = _handle(lowering, statement.operands[1])
    if buffer_handle is None or buffer_handle.resource.kind in (CBV, SAMPLER):
        return
    resource = buffer_handle.resource
    if resource.shape < TYPED:
        if code in (78, 79):
            resource.atomic = max(resource.atomic, statement.type.width)
        return
    if code == 70:
        resource.counter(buffer_handle.register).accessed(_WORD)
        return
    if code in (78, 79):
        resource.atomics[(buffer_handle.register, statement.type.width)] = statement.type
        if resource.shape == TYPED:
            resource.components = max(resource.components, 1)
        return
    root = resource.root(buffer_handle.register)
    width = component_width(statement, code)
    kind = Type(syntax.INT, f"i{width}", width)
    alignment = statement.operands[-1].number if code in (139, 140) and len(statement.operands) > 5 else 0
    root.accessed(kind, alignment)
    if resource.shape == TYPED:
        root.types["typed"] = kind
        _infer_components(lowering, resource, statement, code)


def _infer_components(lowering: Lowering, resource: Resource, statement: Statement, code: int) -> None:
    """Without an annotation: the last component that a load uses, or that a store has another value in than the first,
    which is what DXC fills up with."""
    if code == 68 and not resource.certain:
        for user in lowering.users.get(statement.name, []):
            if user.op == "extractvalue" and user.literals[0] < 4:
                resource.components = max(resource.components, user.literals[0] + 1)
    if code == 68:
        return
    if resource.certain:
        return
    first = statement.operands[4]
    for index, operand in enumerate(statement.operands[4:8]):
        if index == 0 or not _same(operand, first):
            resource.components = max(resource.components, index + 1)


def _same(operand: Operand, other: Operand) -> bool:
    if operand.kind == syntax.UNDEF:
        return True
    return operand.kind == other.kind and operand.text == other.text and operand.number == other.number


def _handle(lowering: Lowering, operand: Operand) -> Handle | None:
    """The resource of a handle, from the statements that make it."""
    at = operand
    while at.kind == syntax.LOCAL:
        statement = lowering.definitions.get(at.text)
        if statement is None or statement.op != "call" or not statement.operands:
            return None
        code = statement.operands[0].number
        if code == ANNOTATE:
            at = statement.operands[1]
            continue
        if code not in HANDLES:
            return None
        try:
            return planned(lowering, statement, code)
        except Refusal:
            return None  # reported where it is lowered
    return None
