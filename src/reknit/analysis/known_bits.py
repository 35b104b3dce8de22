"""What is known of the bits of an integer or a bool: which may be set, and which are.

    %a = BitwiseAnd %lane 6     may 0b110, must 0b000
    %b = BitwiseOr %a 1         may 0b111, must 0b001
    %c = IEqual %b 2            may 0, must 0: false, since bit 0 of %b is set

Whatever a device computes lies between the two: `must` is a part of it, and it is a part of `may`; so they bound the
unsigned number too. Where nothing is known, `may` has all bits. Source: H. Warren, Hacker's Delight, chapter 4.
"""

from typing import final

from reknit.ir import integers, op, traits
from reknit.ir.folding import folded


@final
class Bits:
    __slots__ = ("width", "may", "must")

    def __init__(self, width: int, may: int, must: int) -> None:
        self.width = width
        self.may = may
        self.must = must

    def is_exact(self) -> bool:
        return self.may == self.must

    def same_as(self, other: "Bits") -> bool:
        return self.may == other.may and self.must == other.must

    def either(self, other: "Bits") -> "Bits":
        return Bits(self.width, self.may | other.may, self.must & other.must)

    def can_be(self, number: int) -> bool:
        return number & ~self.may == 0 and self.must & ~number == 0


def exact(width: int, number: int) -> Bits:
    return Bits(width, number, number)


def unknown(width: int) -> Bits:
    return Bits(width, (1 << width) - 1, 0)


def computed(code: int, width: int, parts: list[Bits]) -> Bits:
    """What an operation with a result of `width` bits gives; constants are what `ir.folding` makes of them."""
    if code == op.Select:
        return parts[1 if parts[0].must else 2] if parts[0].is_exact() else parts[1].either(parts[2])
    if not parts:  # IsHelperInvocationEXT and its like
        return unknown(width)
    if all(part.is_exact() for part in parts):
        value = folded(code, width, [part.width for part in parts], [part.must for part in parts])
        if value is not None:
            return exact(width, value)
    if len(parts) == 1:
        return _unary(code, width, parts[0])
    if len(parts) != 2:
        return unknown(width)
    a, b = parts
    known = _logic(code, width, a, b) or _comparison(code, a, b) or _arithmetic(code, width, a, b)
    return unknown(width) if known is None else known


def _unary(code: int, width: int, a: Bits) -> Bits:
    mask = (1 << width) - 1
    if code == op.Not or code == op.LogicalNot:
        return Bits(width, a.must ^ mask, a.may ^ mask)
    if code == op.CopyObject or code == op.UConvert or code == op.Bitcast and a.width == width:
        return Bits(width, a.may & mask, a.must & mask)
    return unknown(width)


def _logic(code: int, width: int, a: Bits, b: Bits) -> Bits | None:
    if code == op.BitwiseAnd or code == op.LogicalAnd:
        return Bits(width, a.may & b.may, a.must & b.must)
    if code == op.BitwiseOr or code == op.LogicalOr:
        return Bits(width, a.may | b.may, a.must | b.must)
    if code == op.BitwiseXor or code == op.LogicalNotEqual:
        open_bits = (a.may ^ a.must) | (b.may ^ b.must)
        value = (a.must ^ b.must) & ~open_bits
        return Bits(width, value | open_bits, value)
    return None


def _comparison(code: int, a: Bits, b: Bits) -> Bits | None:
    relation = traits.RELATION.get(code)
    if relation in ("=", "!"):
        differ = a.must & ~b.may or b.must & ~a.may
        return exact(1, 1 if relation == "!" else 0) if differ else None
    if code in traits.SIGNED_COMPARE and (a.may | b.may) >> (a.width - 1):
        return None  # one may be negative
    if relation in (">", ">="):
        a, b = b, a
    if relation in ("<", ">"):
        return exact(1, 1) if a.may < b.must else exact(1, 0) if a.must >= b.may else None
    if relation in ("<=", ">="):
        return exact(1, 1) if a.may <= b.must else exact(1, 0) if a.must > b.may else None
    return None


def _arithmetic(code: int, width: int, a: Bits, b: Bits) -> Bits | None:
    mask = (1 << width) - 1
    if code in (op.IAdd, op.ISub, op.IMul):
        opened = (a.may ^ a.must) | (b.may ^ b.must)
        low = (opened & -opened) - 1  # below the lowest open bit all are known, and no bit depends on a higher one
        value = integers.binary(code, width, a.must, b.must)
        assert value is not None
        most = mask
        if code == op.IAdd:
            most = a.may + b.may
        elif code == op.IMul:
            most = a.may * b.may
        may = mask if most > mask else (1 << most.bit_length()) - 1
        return Bits(width, may & ~low | value & low, value & low)
    if b.is_exact() and b.must < width:
        if code == op.ShiftLeftLogical:
            return Bits(width, (a.may << b.must) & mask, (a.must << b.must) & mask)
        if code == op.ShiftRightLogical:
            return Bits(width, a.may >> b.must, a.must >> b.must)
    if code == op.UMod and b.must > 0:
        return Bits(width, (1 << min(a.may, b.may - 1).bit_length()) - 1, 0)
    if code == op.UDiv and b.must > 0:
        return Bits(width, (1 << (a.may // b.must).bit_length()) - 1, 0)
    return None
