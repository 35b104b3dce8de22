"""Integers and booleans, exactly as SPIR-V defines them, and None where it doesn't.

    unary(SNegate, 8, 8, 0x80)          0x80
    binary(IAdd, 8, 0xff, 0x02)         0x01
    binary(SLessThan, 8, 0xff, 0x00)    1
    binary(UDiv, 8, 1, 0)               None: undefined
    binary(ShiftLeftLogical, 8, 1, 8)   None: a shift by the width or more

All numbers are bits, unsigned, and a boolean is 0 or 1; widths are in bits. The one place that passes, analyses and
front-ends compute with; the simulator has its own, which this is compared with. Source: SPIR-V 1.6, 3.52.11
"Conversion", 3.52.13 "Arithmetic", 3.52.14 "Bit", 3.52.15 "Relational and Logical Instructions".
"""


from reknit.ir import op, traits


def unary(code: int, source: int, target: int, a: int) -> int | None:
    """An integer of `source` bits to one of `target` bits."""
    mask = (1 << target) - 1
    if code == op.LogicalNot:
        return a ^ 1
    if code == op.SNegate:
        return -a & mask
    if code == op.Not:
        return a ^ mask
    if code == op.UConvert:
        return a & mask
    if code == op.SConvert:
        return signed(a, source) & mask
    if code == op.SatConvertSToU:
        return min(max(signed(a, source), 0), mask)
    if code == op.SatConvertUToS:
        return min(a, mask >> 1)
    if code == op.BitCount:
        return a.bit_count()
    if code == op.BitReverse:
        turned = 0
        for position in range(source):
            turned |= (a >> position & 1) << (source - 1 - position)
        return turned
    return None


def binary(code: int, width: int, a: int, b: int) -> int | None:
    """Two integers of `width` bits (the shift of a shift may have another width) to one of the same width or to a
    boolean, or two booleans to one."""
    mask = (1 << width) - 1
    if code == op.IAdd:
        return (a + b) & mask
    if code == op.ISub:
        return (a - b) & mask
    if code == op.IMul:
        return (a * b) & mask
    if code == op.BitwiseAnd:
        return a & b
    if code == op.BitwiseOr:
        return a | b
    if code == op.BitwiseXor:
        return a ^ b
    if code == op.ShiftLeftLogical:
        return (a << b) & mask if b < width else None
    if code == op.ShiftRightLogical:
        return a >> b if b < width else None
    if code == op.ShiftRightArithmetic:
        return (signed(a, width) >> b) & mask if b < width else None
    rule = traits.FOLDS.get(code)
    if rule == "division":
        return _division(code, width, a, b)
    return compare(code, width, a, b) if rule == "compare" else _logic(code, a, b)


def _division(code: int, width: int, a: int, b: int) -> int | None:
    mask = (1 << width) - 1
    if b == 0:
        return None
    if code == op.UDiv:
        return a // b
    if code == op.UMod:
        return a % b
    x = signed(a, width)
    y = signed(b, width)
    if y == -1 and a == 1 << (width - 1):
        return None  # the quotient doesn't fit: undefined, as is its rest
    if code == op.SMod:
        return (x % y) & mask  # the sign of the divisor
    quotient = abs(x) // abs(y)
    if (x < 0) != (y < 0):
        quotient = -quotient
    if code == op.SDiv:
        return quotient & mask
    return (x - quotient * y) & mask  # SRem: the sign of the dividend


def compare(code: int, width: int, a: int, b: int) -> int:
    """1 or 0: whether two integers of `width` bits are as a comparison says."""
    if code == op.IEqual:
        return 1 if a == b else 0
    if code == op.INotEqual:
        return 1 if a != b else 0
    if code in traits.SIGNED_COMPARE:
        a = signed(a, width)
        b = signed(b, width)
    if code == op.ULessThan or code == op.SLessThan:
        return 1 if a < b else 0
    if code == op.ULessThanEqual or code == op.SLessThanEqual:
        return 1 if a <= b else 0
    if code == op.UGreaterThan or code == op.SGreaterThan:
        return 1 if a > b else 0
    return 1 if a >= b else 0


def field(code: int, width: int, base: int, offset: int, count: int) -> int | None:
    """OpBitFieldUExtract and OpBitFieldSExtract; a field that leaves the base is undefined."""
    if offset + count > width:
        return None
    part = (base >> offset) & ((1 << count) - 1)
    if code == op.BitFieldUExtract:
        return part
    if code == op.BitFieldSExtract:
        return 0 if count == 0 else signed(part, count) & ((1 << width) - 1)
    return None


def insert_field(width: int, base: int, part: int, offset: int, count: int) -> int | None:
    """OpBitFieldInsert; a field that leaves the base is undefined."""
    if offset + count > width:
        return None
    hole = ((1 << count) - 1) << offset
    return (base & ~hole) | ((part << offset) & hole)


def _logic(code: int, a: int, b: int) -> int | None:
    """Booleans, 0 or 1."""
    if code == op.LogicalAnd:
        return a & b
    if code == op.LogicalOr:
        return a | b
    if code == op.LogicalEqual:
        return a ^ b ^ 1
    if code == op.LogicalNotEqual:
        return a ^ b
    return None


def signed(bits: int, width: int) -> int:
    """The number that `width` bits are in two's complement."""
    sign = 1 << (width - 1)
    return (bits ^ sign) - sign
