"""Decision diagrams against tables: a function of three atoms, as its result for every way to choose their values.

    random diagrams by `ite` and `equals`   ──▶   equal where, and only where, their tables are
    constrain(t, c)                         ──▶   t wherever c holds; one term for all that are equal there
    a comparison of what is in order        ──▶   the same term as leaf by leaf
"""

import itertools
import random
from collections.abc import Callable

import pytest

from reknit.ir import op
from reknit.ir.text.parser import parse
from reknit.proof.normal_form.algebra import Algebra
from reknit.proof.normal_form.decorations import Decorations
from reknit.proof.normal_form.diagrams import Job, Terms
from reknit.proof.normal_form.kinds import Kinds

ATOMS = 3
VALUES = 5  # those that are asked for; one more stands for all others
PLACES = list(itertools.product(range(VALUES + 1), repeat=ATOMS))
Rows = tuple[int, ...]
"""A result for each place."""


class Functions:
    """Random functions, each as a term and as its rows."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        module = parse("%u = TypeInt 32 0\n%b = TypeBool\n")
        kinds = Kinds()
        kinds.read(module, Decorations(module))
        self.algebra = Algebra(kinds)
        self.kind, self.bool = (kinds.of(type) for type in module.globals)
        self.atoms: list[int] = []
        for number in range(ATOMS):
            self.algebra.begin(self.random.randrange(100))
            self.atoms.append(self.algebra.make(("leaf", number)))

    def constant(self) -> tuple[int, Rows]:
        bits = self.random.randrange(3)
        return self.algebra.constant(self.kind, bits), (bits,) * len(PLACES)

    def condition(self) -> tuple[int, Rows]:
        algebra = self.algebra
        term, rows = algebra.false, (0,) * len(PLACES)
        for _ in range(self.random.randrange(1, 6)):
            at, value = self.random.randrange(ATOMS), self.random.randrange(VALUES)
            test = algebra.equals(self.atoms[at], value)
            holds = tuple([int(place[at] == value) for place in PLACES])
            if self.random.random() < 0.6:
                term, rows = algebra.either(term, test), tuple(map(max, rows, holds))
            else:
                term, rows = algebra.ite(test, algebra.negate(term), term), tuple(map(int.__xor__, rows, holds))
        return term, rows

    def value(self) -> tuple[int, Rows]:
        term, rows = self.constant()
        for _ in range(self.random.randrange(1, 6)):
            (test, holds), (other, others) = self.condition(), self.constant()
            term = self.algebra.ite(test, other, term)
            rows = tuple([new if held else old for held, new, old in zip(holds, others, rows, strict=True)])
        return term, rows


@pytest.mark.parametrize("seed", range(6))
def test_equal_functions_are_one_term(seed: int) -> None:
    functions = Functions(seed)
    for make in (functions.condition, functions.value):
        terms: dict[Rows, int] = {}
        for _ in range(60):
            term, rows = make()
            assert terms.setdefault(rows, term) == term
        assert len(set(terms.values())) == len(terms) > 20


@pytest.mark.parametrize("seed", range(6))
def test_constrained_terms(seed: int) -> None:
    functions = Functions(seed)
    algebra = functions.algebra
    for _ in range(10):
        condition, holds = functions.condition()
        if not any(holds):
            continue
        narrowed: dict[Rows, int] = {}
        for _ in range(30):
            term, rows = functions.value()
            result = algebra.constrain(term, condition)
            assert algebra.mask(condition, result) == algebra.mask(condition, term)
            there = tuple([row for row, held in zip(rows, holds, strict=True) if held])
            assert narrowed.setdefault(there, result) == result


COMPARISONS = (
    op.ULessThan, op.ULessThanEqual, op.UGreaterThan, op.UGreaterThanEqual,
    op.SLessThan, op.SLessThanEqual, op.SGreaterThan, op.SGreaterThanEqual,
)  # fmt: skip


@pytest.mark.parametrize("order", [list, reversed], ids=["rising", "falling"])
@pytest.mark.parametrize("first", [0, (1 << 31) - 10, (1 << 32) - 10], ids=["zero", "sign", "wraps"])
def test_comparisons_of_what_is_in_order(order: Callable[[list[int]], list[int]], first: int) -> None:
    functions = Functions(0)
    algebra, kind, atom = functions.algebra, functions.kind, functions.atoms[0]
    numbers = [(first + each // 2 * 3) % (1 << 32) for each in range(40)]  # neighbours have the same
    for default in (algebra.constant(kind, 7), functions.value()[0], algebra.bottom):
        term = default
        for label, number in enumerate(order(numbers)):
            term = algebra.ite(algebra.equals(atom, label), algebra.constant(kind, number), term)
        for code, by in itertools.product(COMPARISONS, (numbers[0], numbers[13] + 1, 5)):
            for terms in ((term, algebra.constant(kind, by)), (algebra.constant(kind, by), term)):
                result = algebra.op(code, functions.bool, "", terms, [kind, kind])
                assert result == algebra.leafwise(one_by_one(algebra, code), terms)


def one_by_one(algebra: Algebra, code: int) -> Job:
    """What the algebra does of fewer leaves."""
    (job,) = [job for name, job in algebra.jobs.items() if name[:2] == ("op", code)]
    return job


def test_neighbours_are_one_node() -> None:
    """`v` is one of a thousand values: one node, as long as they came in order."""
    functions = Functions(0)
    algebra = functions.algebra
    term = algebra.false
    for value in range(1000):
        term = algebra.either(term, algebra.equals(functions.atoms[0], 7 * value))
    assert (algebra.taken(term), algebra.otherwise(term)) == (algebra.true, algebra.false)
    assert algebra.tested_values(term) == [7 * value for value in range(1000)]
    without: Terms = (algebra.both(term, algebra.negate(algebra.equals(functions.atoms[0], 7 * 500))),)
    assert len(algebra.edges(without[0])) == 999
