"""Which operations may be computed by lanes that would not have come to them, or sooner than they stand.

    IAdd, FMul, Select, ULessThan, UConvert, Bitcast, CompositeExtract      yes: defined for all operands
    UDiv %a, 4u     ShiftLeftLogical %a, 3u     FDiv %a, 2.0                yes: the operand says so
    ShiftLeftLogical %a, %n  with  %n = BitwiseAnd %m, 31u                  yes: it can't be too large
    BitFieldUExtract %a, 4u, 8u                                             yes: within the width
    UDiv %a, %b     ShiftLeftLogical %a, %n     SDiv %a, -1                 no: undefined for some
    IAdd decorated NoSignedWrap, FAdd decorated FPFastMathMode              no: undefined for some
    access chains, extracts at a place only known later, GLSL.std.450       no
    a pointer or handle that is copied or cast                              no: not everywhere may it be

The one answer for every pass that moves operations to where others run them. Source: SPIR-V 1.6, 3.52, where it says
"undefined" of the result or of the behavior, and 3.20, "Decoration".
"""

from typing import Final

from reknit.analysis.decorations import Decorations
from reknit.ir import enums, op, traits
from reknit.ir.constant_bits import bits_of
from reknit.ir.instr import Instr
from reknit.ir.types import width_of
from reknit.ir.value import Value

_PROMISES: Final = (
    enums.DecorationNoSignedWrap,
    enums.DecorationNoUnsignedWrap,
    enums.DecorationFPFastMathMode,
)


def is_speculatable(instr: Instr, decorations: Decorations) -> bool:
    """True if computing `instr` is defined whatever its operands are. One that promises not to wrap isn't."""
    if any(decoration in _PROMISES for decoration in decorations.of(instr)):
        return False
    if instr.op in traits.SPECULATABLE:
        return True
    rule = traits.SPECULATABLE_IF.get(instr.op)
    if rule is None or instr.type is None:
        return False
    if rule == "number":
        copied = instr.operands[0]
        source = copied.type if isinstance(copied, Instr) else None
        return _is_number(instr.type) and source is not None and _is_number(source)
    if rule == "shift":
        return _is_below(instr.value(1), width_of(instr.type))
    if rule.startswith("field-"):
        return _is_within(instr, int(rule.removeprefix("field-")), width_of(instr.type))
    return _divides(rule, instr.value(1), width_of(instr.type))


def _is_number(type: Instr) -> bool:
    return type.op in traits.SCALAR_TYPE or type.op == op.TypeVector


def _is_below(amount: Value, width: int) -> bool:
    """Whether each component of `amount` is known to be less than `width`: a constant, or masked by one."""
    bits = bits_of(amount)
    if bits is not None:
        return all(each < width for each in bits)
    if not isinstance(amount, Instr) or amount.op != op.BitwiseAnd:
        return False
    for operand in (amount.value(0), amount.value(1)):
        bits = bits_of(operand)
        if bits is not None and all(each < width for each in bits):
            return True
    return False


def _is_within(instr: Instr, place: int, width: int) -> bool:
    """Whether the bits of a field, from the offset at operand `place` on, are bits of the base."""
    offset = bits_of(instr.value(place))
    count = bits_of(instr.value(place + 1))
    return offset is not None and count is not None and offset[0] + count[0] <= width


def _divides(rule: str, divisor: Value, width: int) -> bool:
    bits = bits_of(divisor)
    if bits is None:
        return False
    ones = (1 << width) - 1
    if rule == "float-divisor":
        return all(each & (ones >> 1) != 0 for each in bits)  # neither 0 nor -0
    return 0 not in bits and (rule == "unsigned-divisor" or ones not in bits)
