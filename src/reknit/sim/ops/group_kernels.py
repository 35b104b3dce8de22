"""Group operations on words as kernels: each instance of the scope, `size` lanes of the workgroup, in a loop.

    GroupNonUniformIAdd Reduce    1  2  -  3   ->   6  6  -  6       (- is not in the tangle)

They compute what `group_fold` and `group_vote` compute; those say where a result is undefined, which it never is here.
"""

from typing import Any, Final, final

from reknit.ir import enums, op, traits
from reknit.sim.kernel import Kernel
from reknit.sim.lanes import shifted
from reknit.sim.ops.monoid import Monoid, monoid
from reknit.sim.registers import Register
from reknit.sim.values import BOOL_KIND, INT_KIND, Shape
from reknit.source.columns import i64, vec

ADD: Final = 0
AND: Final = 1
OR: Final = 2
XOR: Final = 3
LEAST: Final = 4
GREATEST: Final = 5

FOLDS: Final = {"i-add": ADD, "and": AND, "or": OR, "xor": XOR}
FOLDS_BY_ORDER: Final = {"u-min": LEAST, "u-max": GREATEST, "s-min": LEAST, "s-max": GREATEST}
SCANS: Final = (enums.GroupOperationReduce, enums.GroupOperationInclusiveScan, enums.GroupOperationExclusiveScan)

ELECT: Final = 0
ALL: Final = 1
ANY: Final = 2
FIRST: Final = 3

VOTES: Final = {
    op.GroupNonUniformElect: ELECT,
    op.GroupNonUniformAll: ALL,
    op.GroupAll: ALL,
    op.SubgroupAllKHR: ALL,
    op.GroupNonUniformAny: ANY,
    op.GroupAny: ANY,
    op.SubgroupAnyKHR: ANY,
    op.GroupNonUniformBroadcastFirst: FIRST,
    op.SubgroupFirstInvocationKHR: FIRST,
}


def end_of(lanes: vec[i64], start: i64, size: i64) -> i64:
    """Where in `lanes` the instance of the scope ends that the lane at `start` is in."""
    beyond = lanes[start] - lanes[start] % size + size
    count = i64(len(lanes))
    if lanes[count - 1] < beyond:
        return count
    stop = start + 1
    while lanes[stop] < beyond:
        stop += 1
    return stop


@final
class Fold(Kernel):
    """A reduction or scan; `turn` is the sign bit of what is compared as signed."""

    __slots__ = ("kind", "a", "operation", "size", "mask", "turn", "identity")

    def __init__(
        self,
        kind: int,
        out: Register,
        a: Register,
        operation: int,
        size: int,
        shape: Shape,
        signed: bool,
        folded: Monoid,
    ) -> None:
        super().__init__(out)
        self.kind = kind
        self.a = a
        self.operation = operation
        self.size: i64 = i64(size)
        self.mask: i64 = i64((1 << shape.width) - 1)
        self.turn: i64 = i64(1 << (shape.width - 1)) if signed else i64(0)
        identity: int = folded.identity
        self.identity: i64 = i64(identity)

    def run(self, lanes: vec[i64]) -> None:
        assert self.out is not None
        out = self.out.flat
        a = self.a.flat
        reduces = self.operation == enums.GroupOperationReduce
        exclusive = self.operation == enums.GroupOperationExclusiveScan
        count = i64(len(lanes))
        start: i64 = 0
        while start < count:
            stop = end_of(lanes, start, self.size)
            first = lanes[start]
            if reduces and self.kind == ADD:
                self.sum_up(lanes, start, stop)
                start = stop
                continue
            total = a[first]
            if not reduces:
                out[first] = self.identity if exclusive else total
            at = start + 1
            while at < stop:
                lane = lanes[at]
                before = total
                total = self.combine(total, a[lane])
                if not reduces:
                    out[lane] = before if exclusive else total
                at += 1
            if reduces:
                at = start
                while at < stop:
                    out[lanes[at]] = total
                    at += 1
            start = stop

    def sum_up(self, lanes: vec[i64], start: i64, stop: i64) -> None:
        """The reduction that programs have most of."""
        assert self.out is not None
        out = self.out.flat
        a = self.a.flat
        total: i64 = 0
        at = start
        while at < stop:
            total += a[lanes[at]]
            at += 1
        total &= self.mask
        while start < stop:
            out[lanes[start]] = total
            start += 1

    def combine(self, a: i64, b: i64) -> i64:
        kind = self.kind
        if kind == ADD:
            return (a + b) & self.mask
        if kind == AND:
            return a & b
        if kind == OR:
            return a | b
        if kind == XOR:
            return a ^ b
        turn = self.turn
        if kind == LEAST:
            return b if b ^ turn < a ^ turn else a
        return b if b ^ turn > a ^ turn else a


@final
class Vote(Kernel):
    """An election, a vote, or the first lane's word for all."""

    __slots__ = ("kind", "a", "size")

    def __init__(self, kind: int, out: Register, a: Register, size: int) -> None:
        super().__init__(out)
        self.kind = kind
        self.a = a
        self.size: i64 = i64(size)

    def run(self, lanes: vec[i64]) -> None:
        assert self.out is not None
        out = self.out.flat
        a = self.a.flat
        kind = self.kind
        count = i64(len(lanes))
        start: i64 = 0
        while start < count:
            stop = end_of(lanes, start, self.size)
            word: i64 = 0
            if kind == FIRST:
                word = a[lanes[start]]
            elif kind != ELECT:
                word = 1 if kind == ALL else 0
                at = start
                while at < stop:
                    if (a[lanes[at]] != 0) != (kind == ALL):
                        word = 0 if kind == ALL else 1
                    at += 1
            at = start
            while at < stop:
                out[lanes[at]] = word
                at += 1
            if kind == ELECT:
                out[lanes[start]] = 1
            start = stop


@final
class Ballot(Kernel):
    """Four words, in a list."""

    __slots__ = ("listed", "a", "size")

    def __init__(self, listed: list[Any], a: Register, size: int) -> None:
        super().__init__(None)
        self.listed = listed
        self.a = a
        self.size: i64 = i64(size)

    def run(self, lanes: vec[i64]) -> None:
        listed = self.listed
        a = self.a.flat
        size = self.size
        count = i64(len(lanes))
        start: i64 = 0
        while start < count:
            stop = end_of(lanes, start, size)
            base = lanes[start] - lanes[start] % size
            words: list[int] = [0, 0, 0, 0]
            part: i64 = 0
            number: i64 = 0
            at = start
            while at < stop:
                lane = lanes[at] - base
                if lane >> 5 != number:
                    words[number] = int(part)
                    part = 0
                    number = lane >> 5
                if a[base + lane]:
                    part |= shifted(1, lane & 31)
                at += 1
            words[number] = int(part)
            ballot: Any = (words[0], words[1], words[2], words[3])  # one object for all lanes
            at = start
            while at < stop:
                listed[lanes[at]] = ballot
                at += 1
            start = stop


def kernel(
    opcode: int, result: Shape, out: Register, given: list[Register], literals: list[int], size: int
) -> Kernel | None:
    """The kernel of an instruction whose result and operands are words, in groups of `size` lanes; None for others."""
    vote = VOTES.get(opcode)
    if vote is not None:
        return Vote(vote, out, given[0] if given else out, size)
    if len(given) != 1 or len(literals) != 1 or literals[0] not in SCANS or result.kind not in (INT_KIND, BOOL_KIND):
        return None
    name = traits.COMBINES.get(opcode, "")
    folded = monoid(opcode, result)
    kind = FOLDS.get(name, FOLDS_BY_ORDER.get(name))
    if kind is None or folded is None:
        return None
    return Fold(kind, out, given[0], literals[0], size, result, name.startswith("s-"), folded)


def ballot(opcode: int, listed: list[Any], predicate: Register, size: int) -> Kernel | None:
    return Ballot(listed, predicate, size) if opcode in (op.GroupNonUniformBallot, op.SubgroupBallotKHR) else None
