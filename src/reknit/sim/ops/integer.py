"""Integer arithmetic and comparison, 8 to 64 bits, modulo 2^width.

    (opcode, width) -> a function on the bits of one component      IAdd, 8:  0xff, 0x02 -> 0x01

Source: SPIR-V 1.6, 3.42.13 Arithmetic and 3.42.15 Relational Instructions. Division by zero and the quotient that
doesn't fit (least / -1) are undefined there: they are reported, and give 0 and the wrapped quotient.
"""

from collections.abc import Callable

from reknit.ir import op
from reknit.sim.ops.undefined import Undefined

Unary = Callable[[int], int]
Binary = Callable[[int, int], int]
Pair = Callable[[int, int], tuple[int, int]]


def unary(opcode: int, width: int) -> Unary | None:
    mask = (1 << width) - 1
    if opcode == op.SNegate:
        return lambda a: -a & mask
    if opcode == op.Not:
        return lambda a: a ^ mask
    if opcode == op.UCountLeadingZerosINTEL:
        return lambda a: width - a.bit_length()
    if opcode == op.UCountTrailingZerosINTEL:
        return lambda a: (a & -a).bit_length() - 1 if a else width
    return None


def arithmetic(opcode: int, width: int) -> Binary | None:
    """What is defined for all operands."""
    mask = (1 << width) - 1
    if opcode == op.IAdd:
        return lambda a, b: (a + b) & mask
    if opcode == op.ISub:
        return lambda a, b: (a - b) & mask
    if opcode == op.IMul:
        return lambda a, b: (a * b) & mask
    if opcode == op.BitwiseAnd:
        return lambda a, b: a & b
    if opcode == op.BitwiseOr:
        return lambda a, b: a | b
    if opcode == op.BitwiseXor:
        return lambda a, b: a ^ b
    return extension(opcode, width)


def extension(opcode: int, width: int) -> Binary | None:
    """Those of SPV_INTEL_shader_integer_functions2: without overflow, or as if there were none in between."""
    mask = (1 << width) - 1
    sign = 1 << (width - 1)

    def signed(a: int) -> int:
        return (a ^ sign) - sign

    def short(b: int) -> int:
        return ((b & 0xFFFF) ^ 0x8000) - 0x8000

    if opcode == op.AbsISubINTEL:
        return lambda a, b: abs(signed(a) - signed(b))
    if opcode == op.AbsUSubINTEL:
        return lambda a, b: abs(a - b)
    if opcode == op.IAddSatINTEL:
        return lambda a, b: min(max(signed(a) + signed(b), -sign), sign - 1) & mask
    if opcode == op.UAddSatINTEL:
        return lambda a, b: min(a + b, mask)
    if opcode == op.ISubSatINTEL:
        return lambda a, b: min(max(signed(a) - signed(b), -sign), sign - 1) & mask
    if opcode == op.USubSatINTEL:
        return lambda a, b: max(a - b, 0)
    if opcode == op.IAverageINTEL:
        return lambda a, b: (signed(a) + signed(b)) >> 1 & mask
    if opcode == op.UAverageINTEL:
        return lambda a, b: (a + b) >> 1
    if opcode == op.IAverageRoundedINTEL:
        return lambda a, b: (signed(a) + signed(b) + 1) >> 1 & mask
    if opcode == op.UAverageRoundedINTEL:
        return lambda a, b: (a + b + 1) >> 1
    if opcode == op.IMul32x16INTEL:
        return lambda a, b: a * short(b) & mask
    if opcode == op.UMul32x16INTEL:
        return lambda a, b: a * (b & 0xFFFF) & mask
    return None


def division(opcode: int, width: int, undefined: Undefined) -> Binary | None:
    mask = (1 << width) - 1
    sign = 1 << (width - 1)

    def udiv(a: int, b: int) -> int:
        if b == 0:
            return undefined.say("OpUDiv by zero")
        return a // b

    def umod(a: int, b: int) -> int:
        if b == 0:
            return undefined.say("OpUMod by zero")
        return a % b

    def sdiv(a: int, b: int) -> int:
        x = (a ^ sign) - sign
        y = (b ^ sign) - sign
        if y == 0:
            return undefined.say("OpSDiv by zero")
        if y == -1:
            if a == sign:
                undefined.say("OpSDiv of the least integer by -1")
            return -x & mask
        # Truncated: towards zero, where // goes down.
        quotient = abs(x) // abs(y)
        return (quotient if (x < 0) == (y < 0) else -quotient) & mask

    def srem(a: int, b: int) -> int:
        x = (a ^ sign) - sign
        y = (b ^ sign) - sign
        if y == 0:
            return undefined.say("OpSRem by zero")
        if y == -1 and a == sign:
            return undefined.say("OpSRem of the least integer by -1")
        rest = abs(x) % abs(y)
        return (rest if x >= 0 else -rest) & mask

    def smod(a: int, b: int) -> int:
        x = (a ^ sign) - sign
        y = (b ^ sign) - sign
        if y == 0:
            return undefined.say("OpSMod by zero")
        if y == -1 and a == sign:
            return undefined.say("OpSMod of the least integer by -1")
        return (x % y) & mask

    if opcode == op.UDiv:
        return udiv
    if opcode == op.UMod:
        return umod
    if opcode == op.SDiv:
        return sdiv
    if opcode == op.SRem:
        return srem
    if opcode == op.SMod:
        return smod
    return None


def comparison(opcode: int, width: int) -> Binary | None:
    """`width` is that of the operands. Flipping the sign bit makes the signed order the unsigned one."""
    sign = 1 << (width - 1)
    if opcode == op.IEqual:
        return lambda a, b: 1 if a == b else 0
    if opcode == op.INotEqual:
        return lambda a, b: 1 if a != b else 0
    if opcode == op.ULessThan:
        return lambda a, b: 1 if a < b else 0
    if opcode == op.ULessThanEqual:
        return lambda a, b: 1 if a <= b else 0
    if opcode == op.UGreaterThan:
        return lambda a, b: 1 if a > b else 0
    if opcode == op.UGreaterThanEqual:
        return lambda a, b: 1 if a >= b else 0
    if opcode == op.SLessThan:
        return lambda a, b: 1 if a ^ sign < b ^ sign else 0
    if opcode == op.SLessThanEqual:
        return lambda a, b: 1 if a ^ sign <= b ^ sign else 0
    if opcode == op.SGreaterThan:
        return lambda a, b: 1 if a ^ sign > b ^ sign else 0
    if opcode == op.SGreaterThanEqual:
        return lambda a, b: 1 if a ^ sign >= b ^ sign else 0
    return None


def extended(opcode: int, width: int) -> Pair | None:
    """(low, carry or high): the two members of the result."""
    mask = (1 << width) - 1
    sign = 1 << (width - 1)
    if opcode == op.IAddCarry:
        return lambda a, b: ((a + b) & mask, (a + b) >> width)
    if opcode == op.ISubBorrow:
        return lambda a, b: ((a - b) & mask, 1 if a < b else 0)
    if opcode == op.UMulExtended:
        return lambda a, b: ((a * b) & mask, (a * b) >> width)
    if opcode == op.SMulExtended:

        def smul(a: int, b: int) -> tuple[int, int]:
            product = ((a ^ sign) - sign) * ((b ^ sign) - sign)
            return product & mask, (product >> width) & mask

        return smul
    return None
