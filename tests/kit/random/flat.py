"""Random structured programs in which loops are often left by way of some work, to be flattened.

    loop { if c { see; break } if d { see; continue } ... }     each lane records the ballot of every place it comes by

`reknit.fuzzing.unstructured.flatten` makes the second of the first.
"""

import random
from typing import Final

from kit.random.trees import shell

from reknit.ir import enums, op
from reknit.ir.constants import bool_constant, int_constant
from reknit.ir.instr import Instr
from reknit.ir.module import Module
from reknit.ir.tree import Construct, Loop
from reknit.ir.types import bool_type, int_type, vector_type
from reknit.ir.value import Value
from reknit.passes.variables import local_variable

LANES: Final = 16
DEPTH: Final = 4
SAME: Final = 0.4  # how many values and trip counts begin as the same for all lanes


def program(seed: int) -> Module:
    """The structured program of a seed. All its ifs are merged, and its switches don't fall through."""
    return _Writer(seed).module


class _Writer:
    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.module, self.main, self.b, self.lane, self.slot = shell(LANES)
        self.u32 = int_type(self.module, 32, False)
        self.bool = bool_type(self.module)
        self.left = self.random.choice((8, 14, 24))
        self.sites = 0
        self.variables = [local_variable(self.main, self.module, self.u32, f"v{index}") for index in range(5)]
        self.same = self.variables[3:]  # these begin as the same for all lanes
        for index, variable in enumerate(self.variables):
            odd = self.number(2 * index + 1)
            begin = odd if variable in self.same else self.b.emit(op.IMul, self.u32, [self.lane, odd])
            self.b.store(variable, begin)
        while self.left > 0:
            self.region([], 0)
        self.see()
        if self.b.block.jump is None:
            self.b.return_()

    def number(self, value: int) -> Instr:
        return int_constant(self.module, self.u32, value)

    def value(self) -> Value:
        if self.random.random() < SAME:
            return self.b.load(self.u32, self.random.choice(self.same))
        return self.lane if self.random.random() < 0.4 else self.b.load(self.u32, self.random.choice(self.variables))

    def condition(self) -> Value:
        mask = self.number(self.random.choice((1, 2, 3, 4, 6)))
        bits = self.b.emit(op.BitwiseAnd, self.u32, [self.value(), mask])
        return self.b.emit(op.IEqual, self.bool, [bits, self.number(self.random.randrange(3))])

    def see(self) -> None:
        """Fold the ballot of this place into the lane's word, and change what the next conditions see."""
        vector = vector_type(self.module, self.u32, 4)
        every = bool_constant(self.module, True)
        ballot = self.b.emit(op.GroupNonUniformBallot, vector, [self.number(enums.ScopeSubgroup), every])
        low = self.b.emit(op.CompositeExtract, self.u32, [ballot, 0])
        self.sites += 1
        old = self.b.load(self.u32, self.slot)
        scaled = self.b.emit(op.IMul, self.u32, [old, self.number(2654435761)])
        mixed = self.b.emit(op.IAdd, self.u32, [scaled, low])
        self.b.store(self.slot, self.b.emit(op.IAdd, self.u32, [mixed, self.number(self.sites)]))
        variable = self.random.choice(self.variables)
        more = self.number(self.random.randrange(1, 4))
        step = self.b.emit(op.IAdd, self.u32, [self.b.load(self.u32, variable), more])
        self.b.store(variable, step)

    def region(self, around: list[Construct], depth: int) -> None:
        for _ in range(self.random.randrange(1, 4)):
            if self.left <= 0:
                return
            self.left -= 1
            kind = self.random.randrange(10 if depth < DEPTH else 2)
            if kind < 2:
                self.see()
            elif kind < 4 and around:
                self.leave(around)
            elif kind < 6:
                self.choice(around, depth)
            elif kind < 9:
                self.loop(around, depth)
            else:
                self.switch(around, depth)

    def leave(self, around: list[Construct]) -> None:
        """`if c { work; jump }`, half of them with the work."""
        test = self.b.open_if(self.condition())
        self.b.at(test.then.entry())
        if self.random.random() < 0.5:
            self.see()
        loops = [construct for construct in around if isinstance(construct, Loop)]
        way = self.random.random()
        if way < 0.06:
            self.b.return_()
        elif loops and way < 0.3:
            self.b.continue_(self.random.choice(loops))
        elif loops and way < 0.9:
            self.b.break_(self.random.choice(loops))
        else:
            self.b.break_(self.random.choice(around))
        self.b.at(test.after())

    def choice(self, around: list[Construct], depth: int) -> None:
        test = self.b.open_if(self.condition())
        self.b.at(test.then.entry())
        self.region([*around, test], depth + 1)
        if self.random.random() < 0.5:
            self.b.at(test.orelse.entry())
            self.region([*around, test], depth + 1)
        self.b.at(test.after())

    def loop(self, around: list[Construct], depth: int) -> None:
        counter = local_variable(self.main, self.module, self.u32, "i")
        self.b.store(counter, self.number(0))
        loop = self.b.open_loop()
        self.b.at(loop.body.entry())
        count = self.b.load(self.u32, counter)
        trips: Value = self.number(self.random.randrange(1, 4))
        if self.random.random() > SAME:
            bits = self.b.emit(op.BitwiseAnd, self.u32, [self.lane, self.number(self.random.choice((1, 3)))])
            trips = self.b.emit(op.IAdd, self.u32, [bits, trips])
        end = self.b.open_if(self.b.emit(op.UGreaterThanEqual, self.bool, [count, trips]), merged=False)
        self.b.at(end.then.entry())
        if self.random.random() < 0.25:
            self.see()
        self.b.break_(loop)
        self.b.at(end.after())
        self.b.store(counter, self.b.emit(op.IAdd, self.u32, [count, self.number(1)]))
        self.region([*around, loop], depth + 1)
        self.b.at(loop.after())

    def switch(self, around: list[Construct], depth: int) -> None:
        switch = self.b.open_switch(self.b.emit(op.BitwiseAnd, self.u32, [self.value(), self.number(3)]))
        labels = [0, 1, 2, 3][: self.random.randrange(1, 5)]
        for index, label in enumerate(labels):
            self.b.add_case(switch, [label], index == len(labels) - 1)
        for case in switch.cases:
            self.b.at(case.region.entry())
            self.region([*around, switch], depth + 1)
        self.b.at(switch.after())
