"""The device's clock.

    getRealtimeClock()       ReadClockKHR Device : uvec2        getRealtimeClockLow()    its lower word

Source: SPV_KHR_shader_clock; Slang's core module.
"""

from typing import Final

from reknit.front.slang.builtins.emitter import Emitter
from reknit.front.slang.builtins.rows import Rows
from reknit.front.slang.hir import Intrinsic
from reknit.front.slang.types import Type
from reknit.ir import enums, op
from reknit.ir.value import Value


def _clock(emitter: Emitter, call: Intrinsic, types: list[Type], operands: list[Value]) -> Value | None:
    emitter.capability(enums.CapabilityShaderClockKHR)
    emitter.extension("SPV_KHR_shader_clock")
    return emitter.emit(op.ReadClockKHR, emitter.vector(emitter.u32, 2), [emitter.word(enums.ScopeDevice)])


def _lower(emitter: Emitter, call: Intrinsic, types: list[Type], operands: list[Value]) -> Value | None:
    whole = _clock(emitter, call, types, operands)
    assert whole is not None
    return emitter.emit(op.CompositeExtract, emitter.u32, [whole, 0])


FUNCTIONS: Final[Rows] = {"getRealtimeClock": ("n uint2()", _clock), "getRealtimeClockLow": ("n uint()", _lower)}
