"""Constants of a Slang type: `number(emitter, float3, 0.5)` is %vec3 with 0.5 everywhere.

Numbers are rounded to the type once, to the nearest float, of two the even one (`ir.floats`).
"""

from reknit.front.slang.builtins.components import splat
from reknit.front.slang.builtins.emitter import Emitter
from reknit.front.slang.builtins.shapes import ir_numeric, scalar_of
from reknit.front.slang.types import Type
from reknit.ir import op
from reknit.ir.constants import bool_constant, int_constant
from reknit.ir.floats import integer_bits, rounded_bits
from reknit.ir.instr import Instr
from reknit.ir.value import Value


def scalar_constant(emitter: Emitter, type: Type, value: int | float) -> Instr:
    """Of a bool, an integer (modulo its width), a float or an enum."""
    scalar = scalar_of(type)
    if scalar.kind == "bool":
        return bool_constant(emitter.module, bool(value))
    scalar_type = ir_numeric(emitter, scalar)
    if scalar.kind != "float":
        return int_constant(emitter.module, scalar_type, int(value))
    bits = integer_bits(value, scalar.width) if isinstance(value, int) else rounded_bits(value, scalar.width)
    if scalar.width < 64:
        return emitter.module.intern(op.Constant, scalar_type, [bits])
    return emitter.module.intern(op.Constant, scalar_type, [bits & 0xFFFFFFFF, bits >> 32])


def number(emitter: Emitter, type: Type, value: int | float) -> Value:
    """In every component of a scalar or vector."""
    return splat(emitter, type, scalar_constant(emitter, scalar_of(type), value))
