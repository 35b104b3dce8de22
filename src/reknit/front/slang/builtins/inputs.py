"""GLSL's names for what an invocation is given.

    gl_GlobalInvocationID.x     Load of the built-in GlobalInvocationId, component 0

Source: GLSL 4.60, 7.1; GL_KHR_shader_subgroup.
"""

from typing import Final

from reknit.front.slang.builtins.emitter import Emitter
from reknit.front.slang.builtins.rows import Row, Rows
from reknit.front.slang.hir import Intrinsic
from reknit.front.slang.types import Type
from reknit.ir import enums
from reknit.ir.value import Value


def _plain(builtin: int, count: int, name: str) -> Row:
    def make(emitter: Emitter, call: Intrinsic, types: list[Type], operands: list[Value]) -> Value | None:
        return emitter.input(builtin, count, name)

    return ("n uint()" if count == 1 else f"n uint{count}()"), make


def _of_wave(builtin: int, count: int, name: str) -> Row:
    def make(emitter: Emitter, call: Intrinsic, types: list[Type], operands: list[Value]) -> Value | None:
        emitter.capability(enums.CapabilityGroupNonUniform if count == 1 else enums.CapabilityGroupNonUniformBallot)
        return emitter.input(builtin, count, name)

    return ("n uint()" if count == 1 else f"n uint{count}()"), make


INPUTS: Final[Rows] = {
    "gl_GlobalInvocationID": _plain(enums.BuiltInGlobalInvocationId, 3, "GlobalInvocationId"),
    "gl_LocalInvocationID": _plain(enums.BuiltInLocalInvocationId, 3, "LocalInvocationId"),
    "gl_LocalInvocationIndex": _plain(enums.BuiltInLocalInvocationIndex, 1, "LocalInvocationIndex"),
    "gl_NumSubgroups": _of_wave(enums.BuiltInNumSubgroups, 1, "NumSubgroups"),
    "gl_NumWorkGroups": _plain(enums.BuiltInNumWorkgroups, 3, "NumWorkgroups"),
    "gl_SubgroupEqMask": _of_wave(enums.BuiltInSubgroupEqMask, 4, "SubgroupEqMask"),
    "gl_SubgroupGeMask": _of_wave(enums.BuiltInSubgroupGeMask, 4, "SubgroupGeMask"),
    "gl_SubgroupGtMask": _of_wave(enums.BuiltInSubgroupGtMask, 4, "SubgroupGtMask"),
    "gl_SubgroupID": _of_wave(enums.BuiltInSubgroupId, 1, "SubgroupId"),
    "gl_SubgroupInvocationID": _of_wave(
        enums.BuiltInSubgroupLocalInvocationId, 1, "SubgroupLocalInvocationId"
    ),
    "gl_SubgroupLeMask": _of_wave(enums.BuiltInSubgroupLeMask, 4, "SubgroupLeMask"),
    "gl_SubgroupLtMask": _of_wave(enums.BuiltInSubgroupLtMask, 4, "SubgroupLtMask"),
    "gl_SubgroupSize": _of_wave(enums.BuiltInSubgroupSize, 1, "SubgroupSize"),
    "gl_WorkGroupID": _plain(enums.BuiltInWorkgroupId, 3, "WorkgroupId"),
}
