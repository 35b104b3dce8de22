"""Calls of dx.op functions: the first operand is the operation's number.

    dx.op.threadId.i32(i32 93, i32 0)     GlobalInvocationId.x        dx.op.barrier(i32 80, i32 9)   OpControlBarrier
    the rest by families: dxil_math, dxil_waves, dxil_handles, dxil_buffers, dxil_textures, dxil_samples,
    dxil_signatures, dxil_pixel, dxil_rays
"""

from typing import Final

from reknit.front.llvm.dxil_buffers import BUFFERS, buffer
from reknit.front.llvm.dxil_handles import HANDLES, handle
from reknit.front.llvm.dxil_math import math
from reknit.front.llvm.dxil_operations import has_name, title
from reknit.front.llvm.dxil_pixel import PIXELS, pixel
from reknit.front.llvm.dxil_rays import QUERIES, RAYS, ray
from reknit.front.llvm.dxil_samples import SAMPLES, sample
from reknit.front.llvm.dxil_signatures import SIGNATURES, signature
from reknit.front.llvm.dxil_textures import ON_EITHER, TEXELS, is_texture, texture
from reknit.front.llvm.dxil_waves import WAVES, wave
from reknit.front.llvm.results import Result
from reknit.front.llvm.state import Lowering
from reknit.front.llvm.syntax import Statement
from reknit.front.llvm.unsupported import Refusal
from reknit.ir import enums, op

PREFIX: Final = "dx.op."

_TRIPLES: Final = {
    93: (enums.BuiltInGlobalInvocationId, "gl_GlobalInvocationID"),
    94: (enums.BuiltInWorkgroupId, "gl_WorkGroupID"),
    95: (enums.BuiltInLocalInvocationId, "gl_LocalInvocationID"),
}
_OF_THEIR_NAME: Final = (*HANDLES, *BUFFERS, *TEXELS, *SAMPLES, *SIGNATURES, *QUERIES)
"""Operations whose function has their name: others share one by what they take (unary, binary)."""
_BARRIER: Final = 80
_FLAT: Final = 96
_SYNC: Final = 1
_FENCE_GLOBAL: Final = 2
_FENCE_GROUP_UAV: Final = 4
_FENCE_SHARED: Final = 8


def dxil_call(lowering: Lowering, statement: Statement) -> Result:
    """What the call gives. Raises Refusal."""
    code = lowering.number(statement.operands[0])
    target = lowering.target
    if code in _OF_THEIR_NAME and not has_name(code, statement.callee.removeprefix(PREFIX).partition(".")[0]):
        raise Refusal(f"calls @{statement.callee} for operation {title(code)}")
    if code in HANDLES:
        return handle(lowering, statement, code)
    if code in SIGNATURES:
        return signature(lowering, statement, code)
    if code in TEXELS or code in ON_EITHER and is_texture(lowering.handle(statement.operands[1]).resource):
        return texture(lowering, statement, code)
    if code in SAMPLES:
        return sample(lowering, statement, code)
    if code in PIXELS:
        return pixel(lowering, statement, code)
    if code in RAYS:
        return ray(lowering, statement, code)
    if code in BUFFERS:
        return buffer(lowering, statement, code)
    if code in WAVES:
        return wave(lowering, statement, code)
    if code in _TRIPLES:
        builtin, name = _TRIPLES[code]
        return target.component(builtin, lowering.number(statement.operands[1]), name)
    if code == _FLAT:
        return target.input(enums.BuiltInLocalInvocationIndex, 1, "gl_LocalInvocationIndex")
    if code == _BARRIER:
        _barrier(lowering, lowering.number(statement.operands[1]))
        return None
    return math(lowering, statement, code)


def _barrier(lowering: Lowering, mode: int) -> None:
    """Source: DXC, DxilConstants.h, BarrierMode."""
    target = lowering.target
    semantics = 0
    if mode & (_FENCE_GLOBAL | _FENCE_GROUP_UAV):
        semantics |= enums.MemorySemanticsUniformMemory
    if mode & _FENCE_SHARED:
        semantics |= enums.MemorySemanticsWorkgroupMemory
    if semantics:
        semantics |= enums.MemorySemanticsAcquireRelease
    memory = target.word(enums.ScopeDevice if mode & _FENCE_GLOBAL else enums.ScopeWorkgroup)
    if mode & _SYNC:
        target.effect(op.ControlBarrier, [target.word(enums.ScopeWorkgroup), memory, target.word(semantics)])
    elif semantics:
        target.effect(op.MemoryBarrier, [memory, target.word(semantics)])
