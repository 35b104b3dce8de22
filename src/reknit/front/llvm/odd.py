"""LLVM's functions of integers that only LLVM has, in those that hold them.

    umin i33        umin of 64 bits                bswap i48     of 64 bits, moved down by 16
    smin i33        of both with their signs       cttz i33      of 64 bits with bit 33 set
"""

from typing import Final

from reknit.front.llvm.bits import cut_off, integer, like, scalar, with_sign
from reknit.front.llvm.library.expand import of_integers
from reknit.front.llvm.syntax import Type
from reknit.front.llvm.target import Target
from reknit.front.llvm.unsupported import Refusal
from reknit.ir import op
from reknit.ir.value import Value

_BY_SIZE: Final = {"umin": 38, "smin": 39, "umax": 41, "smax": 42, "abs": 5}


def computed(target: Target, type: Type, base: str, values: list[Value]) -> Value:
    """A function whose result and operands are all of `type`. Raises Refusal."""
    width = scalar(type).width
    spare = target.held(width) - width
    wide = like(type, integer(target.held(width)))
    ir_type = target.type(type)
    if base in _BY_SIZE:
        if base not in ("umin", "umax"):
            values = [with_sign(target, type, value) for value in values]
        return cut_off(target, type, target.extended(_BY_SIZE[base], ir_type, values))
    if base == "ctpop":
        return of_integers(target, base, wide, values)
    if base == "ctlz":
        return target.emit(op.ISub, ir_type, [of_integers(target, base, wide, values), target.constant(wide, spare)])
    if base == "cttz":
        marked = target.emit(op.BitwiseOr, ir_type, [values[0], target.constant(wide, 1 << width)])
        return of_integers(target, base, wide, [marked])
    if base in ("bswap", "bitreverse"):
        turned = of_integers(target, base, wide, values)
        return target.emit(op.ShiftRightLogical, ir_type, [turned, target.constant(wide, spare)])
    if base == "usub.sat":
        least = target.extended(_BY_SIZE["umin"], ir_type, values)
        return target.emit(op.ISub, ir_type, [values[0], least])
    if base == "uadd.sat":
        total = target.emit(op.IAdd, ir_type, [*values])
        return target.extended(_BY_SIZE["umin"], ir_type, [total, target.constant(wide, (1 << width) - 1)])
    raise Refusal(f"is {base} of i{width}")


def within(target: Target, type: Type, value: Value, signed: bool) -> Value:
    """A number of the type that holds `type`, no less and no more than `type` has."""
    width = scalar(type).width
    wide = like(type, integer(target.held(width)))
    ir_type = target.type(wide)
    if not signed:
        return target.extended(_BY_SIZE["umin"], ir_type, [value, target.constant(wide, (1 << width) - 1)])
    most = (1 << width - 1) - 1
    value = target.extended(_BY_SIZE["smax"], ir_type, [value, target.constant(wide, ~most)])
    value = target.extended(_BY_SIZE["smin"], ir_type, [value, target.constant(wide, most)])
    return cut_off(target, type, value)
