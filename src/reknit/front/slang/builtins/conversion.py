"""Conversions between numbers of one shape, component by component.

    int(float)  ConvertFToS     float(bool)  Select 1 0     bool(int)  != 0     int64_t(uint)  UConvert, Bitcast

Constants of integers and bools stay constants. Source: SPIR-V 1.6, 3.52.11 Conversion Instructions.
"""

from typing import Final

from reknit.front.slang.builtins.components import emit_op
from reknit.front.slang.builtins.constants import number, scalar_constant
from reknit.front.slang.builtins.emitter import Emitter
from reknit.front.slang.builtins.shapes import count_of, scalar_of, shape
from reknit.front.slang.types import UINT, UINT8, UINT16, UINT64, ScalarType, Type
from reknit.ir import op
from reknit.ir.constants import as_int
from reknit.ir.instr import Instr
from reknit.ir.value import Value

_UNSIGNED: Final = {8: UINT8, 16: UINT16, 32: UINT, 64: UINT64}


def converted(emitter: Emitter, source: Type, target: Type, value: Value) -> Value:
    """Of scalars or vectors of one length."""
    old = scalar_of(source)
    new = scalar_of(target)
    if old.key == new.key:
        return value
    folded = _folded(emitter, new, value)
    if folded is not None and count_of(target) == 1:
        return folded
    if new.kind == "bool":
        zero = number(emitter, source, 0)
        return emit_op(emitter, op.FUnordNotEqual if old.kind == "float" else op.INotEqual, target, [value, zero])
    if old.kind == "bool":
        return emit_op(emitter, op.Select, target, [value, number(emitter, target, 1), number(emitter, target, 0)])
    if old.kind == "float":
        code = op.FConvert if new.kind == "float" else op.ConvertFToS if new.kind == "int" else op.ConvertFToU
        return emit_op(emitter, code, target, [value])
    if new.kind == "float":
        return emit_op(emitter, op.ConvertSToF if old.kind == "int" else op.ConvertUToF, target, [value])
    return _integers(emitter, source, target, value)


def _integers(emitter: Emitter, source: Type, target: Type, value: Value) -> Value:
    """The source's sign decides how bits are filled up. UConvert gives unsigned integers only (SPIR-V 1.6, 3.52.11)."""
    old = scalar_of(source)
    new = scalar_of(target)
    if old.width == new.width:
        return emit_op(emitter, op.Bitcast, target, [value])
    if old.kind == "int":
        return emit_op(emitter, op.SConvert, target, [value])
    if new.kind == "uint":
        return emit_op(emitter, op.UConvert, target, [value])
    unsigned = shape(target).of(_UNSIGNED[new.width])
    return emit_op(emitter, op.Bitcast, target, [emit_op(emitter, op.UConvert, unsigned, [value])])


def _folded(emitter: Emitter, target: ScalarType, value: Value) -> Value | None:
    """A constant integer or bool as another type's constant."""
    known = as_int(value)
    if known is None or not isinstance(value, Instr) or value.block is not None:
        return None
    return scalar_constant(emitter, target, known)
