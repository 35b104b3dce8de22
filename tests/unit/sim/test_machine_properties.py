"""What must hold for every program: checked on random ones after every step of the machine.

masks      the tangles that are ready and the lanes that have arrived somewhere are disjoint and are all live lanes
order      no order of tangles changes any ballot
subgroups  a subgroup gets the same ballots whatever the others do
"""

import random

import pytest
from kit.programs.compute import Compute

from reknit.ir import op
from reknit.ir.block import Block
from reknit.ir.instr import Instr
from reknit.ir.tree import Construct, Loop, Switch
from reknit.sim.frames import Frame
from reknit.sim.lanes import mask_of
from reknit.sim.machine import Machine
from reknit.sim.policy import Policy
from reknit.sim.run import Program, prepare

LANES = 8
SLOTS = 40
SEEDS = list(range(25))


class RandomProgram(Compute):
    """Nested ifs, switches with fallthrough, loops, scopes, and breaks and continues of any of them. Each lane writes
    its ballots one after another: out[lane * SLOTS + k]. Conditions are bits of `key[lane]` and of loop counters, so
    that the buffer decides what happens and lanes may be shifted between subgroups."""

    def __init__(self, seed: int, lanes: int = LANES) -> None:
        super().__init__(lanes)
        self.random = random.Random(seed)
        self.cursor = self.local(name="cursor")
        self.counters = [self.local(name=f"i{depth}") for depth in range(3)]
        self.key = self.b.load(self.u32, self.place(self.index, self.array_buffer("key", 1)), "key")
        self.open: list[Construct] = []
        self.loops = 0
        self.budget = 22
        self.statements(0)
        self.b.return_()

    def write(self) -> None:
        at = self.b.load(self.u32, self.cursor)
        slot = self.op2(op.IAdd, self.op2(op.IMul, self.index, self.const(SLOTS)), self.b_min(at))
        self.out(self.ballot(), slot)
        self.add_to(self.cursor, self.const(1))

    def b_min(self, value: Instr) -> Instr:
        small = self.test(op.ULessThan, value, self.const(SLOTS - 1))
        return self.b.emit(op.Select, self.u32, [small, value, self.const(SLOTS - 1)])

    def bits(self, count: int) -> Instr:
        """`count` bits of the lane's key, mixed with the innermost loop counter."""
        value: Instr = self.key
        if self.loops:
            value = self.op2(op.IAdd, value, self.b.load(self.u32, self.counters[self.loops - 1]))
        moved = self.op2(op.ShiftRightLogical, value, self.const(self.random.randrange(6)))
        return self.op2(op.BitwiseAnd, moved, self.const((1 << count) - 1))

    def statements(self, depth: int) -> None:
        for _ in range(4 if depth == 0 else self.random.randrange(1, 4)):
            if self.budget <= 0 or self.b.block.jump is not None:
                break
            self.budget -= 1
            kind = self.random.choice(["write", "write", "if", "switch", "loop", "scope", "leave"])
            if depth == 0:
                kind = self.random.choice(["if", "switch", "loop"])
            if kind == "write" or depth > 3:
                self.write()
            elif kind == "if":
                self.choice(depth)
            elif kind == "switch":
                self.cases(depth)
            elif kind == "loop" and self.loops < 3:
                self.loop(depth)
            elif kind == "scope":
                scope = self.b.open_scope()
                self.inside(scope, [scope.body.entry()], depth)
            elif kind == "leave" and self.open:
                self.leave()
        if self.b.block.jump is None:
            self.write()

    def leave(self) -> None:
        """if (bit) break or continue of any construct around, any number of levels up."""
        target = self.random.choice(self.open)
        test = self.b.open_if(self.test(op.IEqual, self.bits(1), self.const(1)))
        self.b.at(test.then.entry())
        if isinstance(target, Loop) and self.random.random() < 0.5:
            self.b.continue_(target)
        else:
            self.b.break_(target)
        self.b.at(test.after())

    def inside(self, construct: Construct, starts: list[Block], depth: int) -> None:
        self.open.append(construct)
        for start in starts:
            self.b.at(start)
            self.statements(depth + 1)
        self.open.pop()
        self.b.at(construct.after())

    def choice(self, depth: int) -> None:
        test = self.b.open_if(self.test(op.IEqual, self.bits(1), self.const(1)))
        self.inside(test, [test.then.entry(), test.orelse.entry()], depth)

    def cases(self, depth: int) -> None:
        switch: Switch = self.b.open_switch(self.bits(2))
        made = [self.b.add_case(switch, [value]) for value in range(2)]
        made.append(self.b.add_case(switch, [2], True))
        self.open.append(switch)
        for place, case in enumerate(made):
            self.b.at(case.region.entry())
            self.statements(depth + 1)
            if place + 1 < len(made) and self.b.block.jump is None and self.random.random() < 0.5:
                self.b.fallthrough(made[place + 1])
        self.open.pop()
        self.b.at(switch.after())

    def loop(self, depth: int) -> None:
        counter = self.counters[self.loops]
        self.b.store(counter, self.const(0))
        loop = self.b.open_loop()
        self.b.at(loop.body.entry())
        more = self.test(op.ULessThan, self.b.load(self.u32, counter), self.const(self.random.randrange(1, 4)))
        test = self.b.open_if(more, merged=False)
        self.b.at(test.orelse.entry())
        self.b.break_(loop)
        self.b.at(test.after())
        self.loops += 1
        self.open.append(loop)
        self.statements(depth + 1)
        self.open.pop()
        self.loops -= 1
        self.b.at(loop.continuing.entry())
        if self.random.random() < 0.5:
            self.write()
        self.add_to(counter, self.const(1))
        self.b.at(loop.after())


def keys(seed: int) -> list[int]:
    source = random.Random(1000 + seed)
    return [source.randrange(64) for _ in range(LANES)]


def ballots(program: Program, policy: Policy, given: list[int]) -> list[int]:
    result = program.run(policy, buffers={"key": given, "out": [0] * (len(given) * SLOTS)})
    assert [str(diagnostic) for diagnostic in result.diagnostics] == []
    return result.buffers["out"].words


@pytest.mark.parametrize("seed", SEEDS)
def test_no_order_of_tangles_shows(seed: int) -> None:
    program = prepare(RandomProgram(seed).module, subgroup_size=8)
    for partition, fallthrough in (("label", "never"), ("value", "never"), ("label", "always"), ("label", "random:9")):
        expected = ballots(program, Policy(partition, fallthrough), keys(seed))
        assert any(expected)
        for schedule in ("fifo", "random:1", "random:2"):
            assert ballots(program, Policy(partition, fallthrough, schedule), keys(seed)) == expected


@pytest.mark.parametrize("seed", SEEDS)
def test_masks_are_disjoint_and_cover_the_live_lanes(seed: int) -> None:
    program = prepare(RandomProgram(seed).module, subgroup_size=8)
    ballots(program, Policy(), keys(seed))  # gives the buffers their words
    policy = Policy("value", "always", f"random:{seed}")
    machine = Machine(program.code, policy, program.faults, 100_000, None, LANES)
    joins = machine.joins
    joins.start(program.start)
    steps = 0
    while joins.ready:
        machine.execute(machine.schedule.take(joins.ready))
        steps += 1
        seen = 0
        for tangle in joins.ready:
            mask = mask_of(tangle.lanes)
            assert mask and not seen & mask
            seen |= mask
        inside: dict[Frame, int] = {}
        for waiting in joins.frames():
            frame = waiting.frame
            inside[frame] = waiting.mask
            assert waiting.arrived & ~waiting.mask == 0
            assert waiting.arrived != waiting.mask
            assert (waiting.mask.bit_count(), waiting.arrived.bit_count()) == (frame.expected, frame.arrived)
            assert not seen & waiting.arrived
            seen |= waiting.arrived
            if frame.parent is not None:
                assert waiting.mask & ~inside[frame.parent] == 0
        if joins.ready:
            assert seen == (1 << LANES) - 1
    assert joins.frames() == [] and steps > 3


@pytest.mark.parametrize("seed", SEEDS)
def test_subgroups_do_not_see_each_other(seed: int) -> None:
    """Eight lanes in subgroups of four, and each half alone in a workgroup of four."""
    given = keys(seed)
    together = ballots(prepare(RandomProgram(seed).module, subgroup_size=4), Policy(fallthrough="always"), given)
    alone = prepare(RandomProgram(seed, 4).module, subgroup_size=4)
    for half in range(2):
        found = ballots(alone, Policy(fallthrough="always"), given[4 * half : 4 * half + 4])
        assert found == together[4 * half * SLOTS : 4 * (half + 1) * SLOTS]


def test_the_trace_tells_what_happened() -> None:
    """if (lane < 1) A: entry splits {0,1}; both parts arrive; one tangle of both is joined."""
    p = Compute(2)
    test = p.b.open_if(p.test(op.ULessThan, p.index, p.const(1)))
    test.after().name = "after"
    p.b.at(test.after())
    result = p.run(2, trace=True)
    assert result.trace is not None
    events = [(event.kind, event.mask) for event in result.trace.events if event.frame in ("", "sel")]
    assert events == [
        ("run", 0b11), ("push", 0b11), ("split", 0b11), ("run", 0b01), ("arrive", 0b01), ("run", 0b10),
        ("arrive", 0b10), ("join", 0b11), ("run", 0b11),
    ]  # fmt: skip
    text = result.trace.render()
    assert "%after" in text and "01  join sel @1" in text
