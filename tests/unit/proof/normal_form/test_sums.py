"""Sums of integers as terms: one term for what is equal by arithmetic modulo the width, never one for what differs.

The judge is arithmetic on Python's integers: expressions with one term have one value for all operands tried, and
linear expressions with the same coefficients have one term.
"""

import random

import pytest

from reknit.ir import op
from reknit.ir.text.parser import parse
from reknit.proof.normal_form.decorations import Decorations
from reknit.proof.normal_form.iterations import Iterations
from reknit.proof.normal_form.kinds import Kind, Kinds
from reknit.proof.normal_form.sums import MAX_TERMS

LEAVES = 3


class Expression:
    """A term, with its value for each of the operands tried, and its coefficients while it is linear."""

    def __init__(self, term: int, values: list[int], linear: tuple[int, ...] | None) -> None:
        self.term = term
        self.values = values
        self.linear = linear


class Author:
    def __init__(self, width: int, seed: int) -> None:
        module = parse(f"%t = TypeInt {width} 0\n")
        kinds = Kinds()
        kinds.read(module, Decorations(module))
        self.kind: Kind = kinds.of(module.globals[0])
        self.terms = Iterations(kinds)
        self.mask = (1 << width) - 1
        self.width = width
        self.random = random.Random(seed)
        self.rows = [[self.random.randrange(1 << width) for _ in range(LEAVES)] for _ in range(12)]

    def leaf(self, index: int) -> Expression:
        term = self.terms.make(("leaf", index))
        linear = tuple([int(at == index) for at in range(LEAVES)] + [0])
        return Expression(term, [row[index] for row in self.rows], linear)

    def constant(self, value: int) -> Expression:
        value &= self.mask
        return Expression(self.terms.constant(self.kind, value), [value] * len(self.rows), (0,) * LEAVES + (value,))

    def apply(self, code: int, operands: list[Expression]) -> Expression:
        terms = tuple([each.term for each in operands])
        term = self.terms.op(code, self.kind, "", terms, [self.kind] * len(terms))
        rows = list(zip(*[each.values for each in operands], strict=True))
        values = [self.computed(code, row) & self.mask for row in rows]
        return Expression(term, values, self.combined(code, operands))

    def computed(self, code: int, row: tuple[int, ...]) -> int:
        if code == op.SNegate:
            return -row[0]
        if code == op.IAdd:
            return row[0] + row[1]
        if code == op.ISub:
            return row[0] - row[1]
        return row[0] * row[1] if code == op.IMul else row[0] << row[1]

    def combined(self, code: int, operands: list[Expression]) -> tuple[int, ...] | None:
        columns = [each.linear for each in operands]
        if any(column is None for column in columns):
            return None
        known = [column for column in columns if column is not None]
        if code == op.IMul and all(any(column[:-1]) for column in known):
            return None
        if code == op.IMul:
            factor = next(column[-1] for column in known if not any(column[:-1]))
            other = known[1] if not any(known[0][:-1]) else known[0]
            return tuple([factor * each & self.mask for each in other])
        return tuple([self.computed(code, each) & self.mask for each in zip(*known, strict=True)])

    def drawn(self, depth: int) -> Expression:
        if depth == 0 or self.random.random() < 0.2:
            if self.random.random() < 0.4:
                return self.constant(self.random.choice((0, 1, 2, 3, 5, -1, -2, 1 << (self.width - 1))))
            return self.leaf(self.random.randrange(LEAVES))
        code = self.random.choice((op.IAdd, op.IAdd, op.ISub, op.SNegate, op.IMul, op.ShiftLeftLogical))
        operands = [self.drawn(depth - 1)]
        if code == op.ShiftLeftLogical:
            amount = self.random.randrange(self.width)
            shifted = self.apply(code, [*operands, self.constant(amount)])
            scale = self.combined(op.IMul, [*operands, self.constant(1 << amount)])
            return Expression(shifted.term, shifted.values, scale)
        if code != op.SNegate:
            operands.append(self.drawn(depth - 1))
        return self.apply(code, operands)


@pytest.mark.parametrize("width", [8, 16, 32, 64])
def test_one_term_is_one_value_and_one_linear_form_is_one_term(width: int) -> None:
    author = Author(width, width)
    values: dict[int, list[int]] = {}
    terms: dict[tuple[int, ...], int] = {}
    shared = 0
    for _ in range(400):
        expression = author.drawn(3)
        assert values.setdefault(expression.term, expression.values) == expression.values
        if expression.linear is not None:
            shared += expression.linear in terms
            assert terms.setdefault(expression.linear, expression.term) == expression.term, expression.linear
    assert shared > 50


def test_a_long_sum_stays_as_it_is_written() -> None:
    author = Author(32, 0)
    leaves = [author.terms.make(("leaf", "long", index)) for index in range(MAX_TERMS + 3)]
    kinds = [author.kind] * 2

    def added(order: list[int]) -> int:
        total = order[0]
        for each in order[1:]:
            total = author.terms.op(op.IAdd, author.kind, "", (total, each), kinds)
        return total

    assert added(leaves[:MAX_TERMS]) == added(leaves[:MAX_TERMS][::-1])
    assert added(leaves) == added(leaves)
    assert added(leaves) != added(leaves[::-1])
