"""Random chains over an 8 or 16 bit number: the values that are named are those that come out of all inputs."""

import random

from reknit.analysis.uniformity.value_ranges import MAX_VALUES, possible_values
from reknit.ir import op
from reknit.ir.constants import int_constant
from reknit.ir.instr import Instr, Operand
from reknit.ir.module import Module
from reknit.ir.types import bool_type, int_type

DEPTH = 8  # instructions that are looked through


class Chain:
    """An expression over one unknown number, with every value that it can have."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)
        self.module = Module()
        self.width = self.chance.choice((8, 16))
        self.value = self.fresh(op.Undef, [])
        self.values = set(range(1 << self.width))
        self.known = False
        for _ in range(self.chance.choice((0, 1, 1, 1))):
            self.start()
        self.steps = self.chance.randrange(DEPTH + 3)
        for _ in range(self.steps):
            self.step()

    def type(self) -> Instr:
        return int_type(self.module, self.width, self.chance.random() < 0.5)

    def fresh(self, code: int, operands: list[Operand]) -> Instr:
        return Instr(code, self.type(), operands)

    def constant(self, value: int) -> Instr:
        return int_constant(self.module, self.type(), value)

    def start(self) -> None:
        """What says by itself how many values there are."""
        kind = self.chance.choice(("and", "and", "mod", "select", "constant"))
        amount = self.chance.randrange(1 << self.width)
        few = sum(1 << bit for bit in self.chance.sample(range(self.width), self.chance.choice((1, 3, 4, 5))))
        if kind == "and":
            pair: list[Operand] = [self.value, self.constant(few)]
            self.chance.shuffle(pair)
            self.value = self.fresh(op.BitwiseAnd, pair)
            self.values = {each & few for each in self.values}
        elif kind == "mod":
            count = self.chance.choice((1, 2, 7, MAX_VALUES, MAX_VALUES + 1))
            self.value = self.fresh(op.UMod, [self.value, self.constant(count)])
            self.values = {each % count for each in self.values}
        elif kind == "select":
            other = self.chance.randrange(1 << self.width)
            condition = Instr(op.Undef, bool_type(self.module), [])
            self.value = self.fresh(op.Select, [condition, self.constant(amount), self.constant(other)])
            self.values = {amount, other}
        else:
            self.value = self.constant(amount)
            self.values = {amount}
        self.known = len(self.values) <= MAX_VALUES

    def step(self) -> None:
        kind = self.chance.choice(("add", "added", "sub", "wider", "signed", "narrower", "bitcast", "copy"))
        amount = self.chance.randrange(1 << self.width)
        mask = (1 << self.width) - 1
        if kind == "add":
            self.value = self.fresh(op.IAdd, [self.value, self.constant(amount)])
            self.values = {each + amount & mask for each in self.values}
        elif kind == "added":
            self.value = self.fresh(op.IAdd, [self.constant(amount), self.value])
            self.values = {each + amount & mask for each in self.values}
        elif kind == "sub":
            self.value = self.fresh(op.ISub, [self.value, self.constant(amount)])
            self.values = {each - amount & mask for each in self.values}
        elif kind in ("bitcast", "copy"):
            self.value = self.fresh(op.Bitcast if kind == "bitcast" else op.CopyObject, [self.value])
        else:
            before = self.width
            self.width = 8 if kind == "narrower" else self.chance.choice((16, 32))
            signed = kind == "signed"
            self.value = self.fresh(op.SConvert if signed else op.UConvert, [self.value])
            if signed:
                self.values = {each - (1 << before) if each >> (before - 1) else each for each in self.values}
            self.values = {each & ((1 << self.width) - 1) for each in self.values}


def test_chains() -> None:
    known = 0
    for seed in range(1500):
        chain = Chain(seed)
        found = possible_values(chain.value)
        if not chain.known or chain.steps > DEPTH:
            assert found is None, seed
        else:
            assert found == frozenset(chain.values), seed
            known += 1
    assert known > 300


def test_what_is_not_known() -> None:
    module = Module()
    u32 = int_type(module, 32, False)
    unknown, few = Instr(op.Undef, u32, []), int_constant(module, u32, 3)
    condition = Instr(op.Undef, bool_type(module), [])
    cases: list[tuple[int, list[Operand]]] = [
        (op.BitwiseAnd, [unknown, unknown]),
        (op.UMod, [few, unknown]),
        (op.UMod, [unknown, int_constant(module, u32, 0)]),
        (op.Select, [condition, few, unknown]),
        (op.Select, [condition, unknown, few]),
        (op.ISub, [few, Instr(op.BitwiseAnd, u32, [unknown, few])]),
        (op.IMul, [Instr(op.BitwiseAnd, u32, [unknown, few]), few]),
    ]
    for code, operands in cases:
        assert possible_values(Instr(code, u32, operands)) is None
    assert possible_values(condition) is None
