"""Terms as expressions of z3: bit vectors, and truth values for bools.

    IAdd(x, 4), x < y                     what SPIR-V defines for all operands
    x << y, x / y                         the same where it is defined, else some function of the operands
    FAdd(x, y), sin, what may not wrap    a function of the operands: of equal ones it is equal
    a load, a head of a loop, a ballot    a variable
    what isn't reached                    a variable that nothing else is

So what is equal for all values of the variables and all such functions is equal, whatever an implementation does where
SPIR-V leaves the result open.
"""

from collections.abc import Callable, Sequence
from typing import Any, Final

import z3

from reknit.ir import op
from reknit.proof.normal_form.iterations import Iterations
from reknit.proof.normal_form.kinds import FLOAT, INT, Kind
from reknit.proof.normal_form.table import UNFROZEN

MAX_TERMS: Final = 4_000  # of a question

Expression = Any
"""z3 has no types of its own."""

_KIND_AT: Final = {
    "c": 1, "o": 2, "h": 3, "part": 3, "load": 2, "read": 2, "t": 6, "spec": 2, "undef": 1, "unwritten": 1,
    "parameter": 2, "packed": 1, "image": 2, "beyond": 1, "at": 3, "null": 1, "result": 2,
}  # fmt: skip
"""Where the number of its kind is in the key of a term."""


class Unencoded(Exception):
    """There is no expression for a term."""


Binary = Callable[[Expression, Expression], Expression]
_TOTAL: Final[dict[int, Binary]] = {
    op.IAdd: lambda a, b: a + b,
    op.ISub: lambda a, b: a - b,
    op.IMul: lambda a, b: a * b,
    op.BitwiseAnd: lambda a, b: a & b,
    op.BitwiseOr: lambda a, b: a | b,
    op.BitwiseXor: lambda a, b: a ^ b,
    op.IEqual: lambda a, b: a == b,
    op.INotEqual: lambda a, b: a != b,
    op.ULessThan: z3.ULT,
    op.ULessThanEqual: z3.ULE,
    op.UGreaterThan: z3.UGT,
    op.UGreaterThanEqual: z3.UGE,
    op.SLessThan: lambda a, b: a < b,
    op.SLessThanEqual: lambda a, b: a <= b,
    op.SGreaterThan: lambda a, b: a > b,
    op.SGreaterThanEqual: lambda a, b: a >= b,
}
_SHIFTS: Final[dict[int, Binary]] = {
    op.ShiftLeftLogical: lambda a, b: a << b,
    op.ShiftRightLogical: z3.LShR,
    op.ShiftRightArithmetic: lambda a, b: a >> b,
}
_UNSIGNED_DIVISIONS: Final[dict[int, Binary]] = {op.UDiv: z3.UDiv, op.UMod: z3.URem}
_SIGNED_DIVISIONS: Final[dict[int, Binary]] = {
    op.SDiv: lambda a, b: a / b,
    op.SRem: z3.SRem,
    op.SMod: lambda a, b: a % b,
}
_UNARY: Final[dict[int, Callable[[Expression], Expression]]] = {op.Not: lambda a: ~a, op.SNegate: lambda a: -a}
_EXTENDED: Final[dict[int, Callable[..., Expression]]] = {
    5: lambda a: z3.If(a < 0, -a, a),
    38: lambda a, b: z3.If(z3.ULT(a, b), a, b),
    39: lambda a, b: z3.If(a < b, a, b),
    41: lambda a, b: z3.If(z3.ULT(a, b), b, a),
    42: lambda a, b: z3.If(a < b, b, a),
}
"""Of GLSL.std.450: SAbs, UMin, SMin, UMax, SMax."""
_CLAMPS: Final[dict[int, Binary]] = {44: z3.ULE, 45: lambda a, b: a <= b}


class Words:
    """The expressions of terms, each term once. `variables` has those of opaque terms."""

    def __init__(self, terms: Iterations) -> None:
        self.terms = terms
        self.known: dict[tuple[int, int], Expression] = {}
        self.variables: dict[int, Expression] = {}

    def kind_of(self, term: int) -> int:
        """The number of the kind of a term, -1 of a bool. Raises Unencoded where its key doesn't say it."""
        terms = self.terms
        work = [term]
        while work:
            current = work.pop()
            key = terms.keys[current]
            if terms.tops[current] >= 0:
                work += [terms.otherwise(current), terms.taken(current)]
            elif key[0] == "l":
                inner = key[2]
                assert isinstance(inner, int)
                work.append(inner)
            elif key[0] != "bot":
                at = _KIND_AT.get(str(key[0]), -1)
                number = key[at] if at >= 0 and at < len(key) else None
                if not isinstance(number, int):
                    raise Unencoded
                return number if number < 0 or not terms.kinds.all[number].is_bool() else -1
        raise Unencoded

    def of(self, term: int, kind: int) -> Expression:
        """The expression of a term whose kind has a number, -1 of a bool."""
        known = self.known
        work = [(term, kind)]
        while work:
            current = work[-1]
            if current in known:
                work.pop()
                continue
            needed = self._needed(*current)
            missing = [each for each in needed if each not in known]
            if missing:
                work += missing
                continue
            work.pop()
            if len(known) > MAX_TERMS:
                raise Unencoded
            known[current] = self._made(*current, [known[each] for each in needed])
        return known[term, kind]

    def _needed(self, term: int, kind: int) -> list[tuple[int, int]]:
        """What the expression of a term is made of."""
        terms = self.terms
        if terms.tops[term] >= 0:
            atom = terms.atom(term)
            return [(atom, self.kind_of(atom)), (terms.taken(term), kind), (terms.otherwise(term), kind)]
        if terms.keys[term][0] != "o":
            return []
        needed: list[tuple[int, int]] = []
        for operand, of in zip(terms.operands(term), terms.typed[term], strict=True):
            needed += self._flat(operand, of)
        return needed

    def _flat(self, term: int, kind: Kind) -> list[tuple[int, int]]:
        """The parts of an operand. Types nest a few levels."""
        if self.terms.keys[term][0] != "m":
            return [(term, -1 if kind.is_bool() else kind.number)]
        parts = zip(self.terms.parts(term), kind.parts, strict=True)
        return [each for part, of in parts for each in self._flat(part, of)]

    def _made(self, term: int, kind: int, inside: list[Expression]) -> Expression:
        terms = self.terms
        key = terms.keys[term]
        if UNFROZEN in terms.loops[term]:
            raise Unencoded  # another value at each use
        if terms.tops[term] >= 0:
            atom, taken, otherwise = inside
            asked = z3.Or([self._test(atom, bits) for bits in terms.tested_values(term)])
            return z3.If(asked, taken, otherwise)
        if key[0] == "c":
            return self._constant(terms.bits(term), kind)
        if key[0] == "bot":
            return z3.Const(f"unreached{kind}", self._sort(kind))
        if key[0] == "o":
            return self._operation(term, kind, inside)
        if (key[0] in _KIND_AT or key[0] == "l") and self.kind_of(term) != kind:
            raise Unencoded
        variable = self.variables[term] = z3.Const(f"t{term}", self._sort(kind))
        return variable

    def _test(self, atom: Expression, bits: int) -> Expression:
        if z3.is_bool(atom):
            return atom if bits else z3.Not(atom)
        if not z3.is_bv(atom):
            raise Unencoded  # which element of a set it is
        return atom == bits

    def _constant(self, bits: int, kind: int) -> Expression:
        if kind < 0:
            return z3.BoolVal(bool(bits))
        return z3.BitVecVal(bits, self._width(kind))

    def _width(self, kind: int) -> int:
        shape = self.terms.kinds.all[kind]
        if shape.category not in (INT, FLOAT):
            raise Unencoded
        return shape.width

    def _sort(self, kind: int) -> Expression:
        if kind < 0:
            return z3.BoolSort()
        shape = self.terms.kinds.all[kind]
        return z3.BitVecSort(shape.width) if shape.category in (INT, FLOAT) else z3.DeclareSort(f"kind{kind}")

    def _operation(self, term: int, kind: int, inside: list[Expression]) -> Expression:
        terms = self.terms
        code, extras = terms.keys[term][1], terms.keys[term][3]
        assert isinstance(code, int) and isinstance(extras, str)
        kinds = terms.typed[term]

        def open() -> Expression:
            sorts = [each.sort() for each in inside]
            name = f"f{code} {extras} {kind} {' '.join(map(str, sorts))}"
            return z3.Function(name, *sorts, self._sort(kind))(*inside)

        if any(each.category not in (INT, FLOAT) and not each.is_bool() for each in kinds):
            return open()
        width = 1 if kind < 0 else terms.kinds.all[kind].width
        if code == op.ExtInst:
            words = extras.split()
            if len(words) == 2 and words[0] == "GLSL.std.450" and kind >= 0:
                return extended(int(words[1]), inside, open)
            return open()
        return open() if extras else operation(code, width, inside, open)


def operation(code: int, width: int, inside: Sequence[Expression], open: Callable[[], Expression]) -> Expression:
    """An operation on bits whose result has a width; `open` is what it is where SPIR-V doesn't say."""
    if code in _TOTAL:
        return _TOTAL[code](*inside)
    if code in _UNARY:
        return _UNARY[code](*inside)
    first = inside[0]
    if code in _SHIFTS:
        count = inside[1]
        return z3.If(z3.ULT(count, width), _SHIFTS[code](first, _sized(count, width)), open())
    if code in _UNSIGNED_DIVISIONS:
        return z3.If(inside[1] != 0, _UNSIGNED_DIVISIONS[code](*inside), open())
    if code in _SIGNED_DIVISIONS:
        overflows = z3.And(inside[1] == -1, first == 1 << (width - 1))
        return z3.If(z3.And(inside[1] != 0, z3.Not(overflows)), _SIGNED_DIVISIONS[code](*inside), open())
    if code == op.UConvert:
        return _sized(first, width)
    if code == op.SConvert:
        return z3.SignExt(width - first.size(), first) if width > first.size() else _sized(first, width)
    if code == op.Bitcast and len(inside) == 1 and z3.is_bv(first) and first.size() == width:
        return first
    if code == op.BitReverse:
        return z3.Concat(*[z3.Extract(at, at, first) for at in range(width)])
    if code == op.BitCount:
        ones = z3.BitVecVal(0, width)
        for at in range(first.size()):
            ones = ones + _sized(z3.Extract(at, at, first), width)
        return ones
    if code in (op.BitFieldInsert, op.BitFieldUExtract, op.BitFieldSExtract):
        return _field(code, width, inside, open)
    return open()


def extended(number: int, inside: Sequence[Expression], open: Callable[[], Expression]) -> Expression:
    """An instruction of GLSL.std.450."""
    if number in _EXTENDED:
        return _EXTENDED[number](*inside)
    if number in _CLAMPS:  # undefined where the least is more than the most
        value, least, most = inside
        at_most = _CLAMPS[number]
        inner = z3.If(at_most(most, value), most, value)
        return z3.If(at_most(least, most), z3.If(at_most(value, least), least, inner), open())
    return open()


def _field(code: int, width: int, inside: Sequence[Expression], open: Callable[[], Expression]) -> Expression:
    """Bits of a word from an offset on: undefined where they are more than the word has."""
    wide = max(width, *[each.size() for each in inside[-2:]]) + 1
    offset, count = (_sized(each, wide) for each in inside[-2:])
    inner = z3.And(z3.ULE(offset, width), z3.ULE(count, width), z3.ULE(offset + count, width))
    offset, count = _sized(offset, width), _sized(count, width)
    if code == op.BitFieldInsert:
        mask = ((z3.BitVecVal(1, width) << count) - 1) << offset
        result = inside[0] & ~mask | inside[1] << offset & mask
    else:
        top = inside[0] << (width - offset - count)
        moved = z3.LShR(top, width - count) if code == op.BitFieldUExtract else top >> (width - count)
        result = z3.If(count == 0, z3.BitVecVal(0, width), moved)
    return z3.If(inner, result, open())


def _sized(value: Expression, width: int) -> Expression:
    """The low bits of a word, or it with zeros in front."""
    if value.size() == width:
        return value
    return z3.ZeroExt(width - value.size(), value) if value.size() < width else z3.Extract(width - 1, 0, value)
