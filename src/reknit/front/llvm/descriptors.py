"""Calls that say where a kernel's resource is, as clspv's passes leave them in LLVM IR.

    call ptr addrspace(1) @_Z14clspv.resource.0(i32 set, i32 binding, i32 kind, ...)     that storage buffer
    @__push_constants                                                                    a storage buffer
    call ptr addrspace(3) @_Z11clspv.local.3(i32 3, [0 x i32] zeroinitializer)           shared memory

Source: clspv, include/clspv/ArgKind.h, docs/OpenCLCOnVulkan.md. Images and samplers: `opaque`.
"""

import re
from typing import Final

from reknit.front.llvm import syntax
from reknit.front.llvm.memory import Root
from reknit.front.llvm.state import Scene
from reknit.front.llvm.syntax import Statement
from reknit.ir import enums
from reknit.source.digits import saturated

_CALLEE: Final = re.compile(r"(?:_Z\d+)?clspv\.(resource|local)\.(\d+)")
IMAGES: Final = (6, 7, 8, 11, 12)
"""Sampled, storage, samplers, and texel buffers of both kinds."""
_PUSH_CONSTANTS: Final = "__push_constants"
_CONSTANTS: Final = (5, 10)
SET_OF_CONSTANTS: Final = 3
_LOCAL_SHARE: Final = 16  # bytes an invocation


def of_push_constants(scene: Scene, name: str) -> Root | None:
    """The buffer that a variable of push constants is, None for any other variable."""
    if name != _PUSH_CONSTANTS:
        return None
    root = Root("push_constants", enums.StorageClassStorageBuffer, 0)
    root.set = SET_OF_CONSTANTS
    scene.assumed.append(f"'{name}' is a block of push constants: read as a buffer of descriptor set {root.set}")
    return root


def root_of(scene: Scene, statement: Statement) -> Root | None:
    """The variable that a call gives a pointer to, None for any other call."""
    match = _CALLEE.fullmatch(statement.callee) if "clspv." in statement.callee else None
    if match is None or statement.type.kind != syntax.PTR:
        return None
    if match[1] == "local":
        size = _LOCAL_SHARE * max(1, scene.size[0] * scene.size[1] * scene.size[2])
        key = ("local", saturated(match[2]), 0)
        if key not in scene.given:
            scene.given[key] = Root(f"local{match[2]}", enums.StorageClassWorkgroup, size)
            scene.assumed.append(f"'local{match[2]}' is in local memory: taken to have {size} bytes")
        return scene.given[key]
    numbers = resource_call(statement)
    if numbers is None or numbers[2] in IMAGES:
        return None
    place = ("resource", numbers[0], numbers[1])
    if place not in scene.given:
        root = Root(f"resource{match[2]}", enums.StorageClassStorageBuffer, 0)
        root.set, root.binding = [max(number, 0) for number in numbers[:2]]
        if numbers[2] in _CONSTANTS:
            root.set = SET_OF_CONSTANTS
            scene.assumed.append(f"'{root.name}' is a push constant: read as a buffer of descriptor set {root.set}")
        scene.given[place] = root
    return scene.given[place]


def resource_call(statement: Statement) -> list[int] | None:
    """[set, binding, kind, number of the argument] of a call that says where a resource is, None for any other."""
    match = _CALLEE.fullmatch(statement.callee) if "clspv." in statement.callee else None
    numbers = [operand.number for operand in statement.operands if operand.kind in (syntax.NUMBER, syntax.ZERO)]
    if match is None or match[1] != "resource" or len(numbers) < 3:
        return None
    return [*numbers[:3], saturated(match[2])]
