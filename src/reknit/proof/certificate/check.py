"""Whether a certificate holds: its lines one after the other, then what all of them say together.

    each pair of steps      from what its lines say, every path of both programs leads to the end or to the next pairs,
                            and there their lines hold; while the first program stands still, to lines further down
    all                     an iteration of a loop in which the second program does something together with others is
                            one iteration of the first one, in which the same invocations do it

Nothing is searched for. Where the certificate comes from doesn't matter.
"""

from math import gcd
from typing import Final, final

from reknit.ir import op
from reknit.ir.function import Function
from reknit.ir.instr import Instr
from reknit.ir.module import Module
from reknit.proof.certificate.follow import Count, Follower, State, Visit
from reknit.proof.certificate.steps import NONE, Rejected, Steps, name_of, whole
from reknit.proof.certificate.terms import Terms
from reknit.source.meter import spend

MAX_STEPS: Final = 100
"""How often, on average, a step of the programs or a word of the certificate may be gone through."""
Pair = tuple[int, int]


class Broken(Exception):
    """The certificate doesn't hold: at which line, and why."""

    def __init__(self, line: int, reason: str) -> None:
        super().__init__(f"line {line}: {reason}")
        self.line = line
        self.reason = reason


@final
class Node:
    """What the lines of a pair of steps say: values that are equal (to a number, if not None), values that are to be
    computed again, and how often loops of the first program went round."""

    def __init__(self, pair: Pair, line: int) -> None:
        self.pair = pair
        self.line = line
        self.classes: list[tuple[int, int | None, list[int]]] = []
        self.again: list[int] = []
        self.rounds: dict[int, Count] = {}


def check(modules: list[Module], entries: list[Function], lines: list[str], first: int) -> str:
    """What corresponds, in words; the first line has the number `first`. Raises Broken."""
    checker = Checker(first)
    try:
        checker.run(modules, entries, lines)
    except Rejected as reason:
        raise Broken(checker.line, str(reason)) from None
    return f"by {len(checker.nodes)} x 'at', {len(checker.same)} x 'same' of a certificate"


@final
class Checker:
    """`line`: the one that is followed."""

    def __init__(self, first: int) -> None:
        self.line = first
        self.nodes: dict[Pair, Node] = {}
        self.same: dict[Pair, int] = {}

    def read_programs(self, modules: list[Module], entries: list[Function]) -> None:
        self.steps = Steps(modules, entries)
        self.terms = Terms(self.steps.marks, modules)
        self.follower = Follower(self.steps, self.terms)

    def run(self, modules: list[Module], entries: list[Function], lines: list[str]) -> None:
        self.read_programs(modules, entries)
        first = self.line
        self.follower.budget = MAX_STEPS * (len(self.steps.nodes) + sum([len(line.split()) for line in lines]))
        for self.line, line in enumerate(lines, first):
            self.read(line.split())
        self.line = first
        self.follower.waits = {after: None for _, after in self.same if after in self.steps.open_forks}
        self.follow(None)
        for node in self.nodes.values():
            self.line = node.line
            self.follow(node)
        self.line = first + len(lines)
        self.judge()

    def read(self, words: list[str]) -> None:
        node = next(reversed(self.nodes.values())) if self.nodes else None
        kind, *rest = words or [""]
        if kind in ("at", "same") and len(rest) >= 2:
            pair = (self.steps.named(rest[0], "b"), self.steps.named(rest[1], "a"))
            if pair in (self.nodes if kind == "at" else self.same):
                raise Rejected("this pair of steps was named before")
            if kind == "same":
                self.same[pair] = self.line
            else:
                self.nodes[pair] = Node(pair, self.line)
        elif kind == "equal" and node is not None and rest:
            bits = whole(rest[0][1:]) if rest[0].startswith("=") else None
            places = [self.value(word) for word in rest[0 if bits is None else 1 :]]
            node.classes.append((self.line, bits, places))
        elif kind == "again" and node is not None:
            node.again.extend([self.steps.named(word) for word in rest])
        elif kind == "loop" and node is not None and (len(rest) == 2 or (len(rest) == 4 and whole(rest[2]) > 0)):
            loop, times = (self.steps.named(rest[3], "a"), whole(rest[2])) if rest[2:] else (NONE, 0)
            node.rounds[self.steps.named(rest[0], "b")] = (loop, times, whole(rest[1]))
        else:
            raise Rejected(f"'{' '.join(words)[:40]}' says nothing that is known")

    def value(self, word: str) -> int:
        at = self.steps.named(word)
        self.type_of(at)
        return at

    def type_of(self, at: int) -> Instr:
        """The type of a value, or of what a variable holds."""
        node = self.steps.nodes[at]
        type = node.type if isinstance(node, Instr) else None
        if isinstance(node, Instr) and node.op == op.Variable and type is not None:
            type = type.instr(1)
        if type is None or type not in self.terms.given or type.op == op.TypePointer:
            raise Rejected(f"{self.steps.name(at)} has no value that the checker knows")
        return type

    # --- paths --------------------------------------------------------------------------------------------------------

    def begun(self, node: Node) -> State:
        """What is so at a pair of steps, by its lines alone."""
        state = State()
        state.at = list(node.pair)
        for _, bits, places in node.classes:
            symbol = self.terms.symbol()
            for at in places:
                state.values[at] = symbol if bits is None else self.terms.number(self.type_of(at), bits)
        for at in node.again:
            instr = self.steps.nodes[at]
            if not isinstance(instr, Instr) or not self.follower.computes(instr):
                raise Rejected(f"{self.steps.name(at)} can't be computed again")
            state.values[at] = self.follower.evaluate(state, at, instr)
        state.rounds = {**node.rounds, **{head: (head, 1, 0) for head in self.steps.around[node.pair[1]][0]}}
        return state

    def follow(self, node: Node | None) -> None:
        """Every path from a pair of steps, or from the start, to the next pairs."""
        follower = self.follower
        work = [follower.start()]
        if node is not None:
            state = self.begun(node)
            work = follower.next(state, [follower.run(state, side) for side in (0, 1)])
        while work:
            spend(1)
            state = work.pop()
            stops = [follower.run(state, side) for side in (0, 1)]
            target = self.nodes.get((state.at[0], state.at[1]))
            if target is None:
                work.extend(reversed(follower.next(state, stops)))
                continue
            self.arrive(state, target)
            if node is not None and not state.moved and target.line <= node.line:
                raise Rejected("after goes on while before stands still, to lines that are not below: it may never end")

    def arrive(self, state: State, node: Node) -> None:
        """What the lines of a pair of steps say must hold of the invocations that come there."""
        for number, bits, places in node.classes:
            values = [state.values.get(at, NONE) for at in places]
            wanted = [values[0] if bits is None else self.terms.number(self.type_of(at), bits) for at in places]
            if values != wanted or NONE in values:
                raise Broken(number, f"does not hold of the invocations that come from line {self.line}")
        for head, (loop, times, number) in node.rounds.items():
            count = (NONE, 0, 0) if loop == NONE else state.rounds.get(loop)
            if count is None or state.rounds.get(head) != (count[0], times * count[1], times * count[2] + number):
                raise Broken(node.line, f"loops went round another number of times, for those from line {self.line}")

    # --- all together -------------------------------------------------------------------------------------------------

    def judge(self) -> None:
        matched: dict[int, Visit] = {}
        alike: dict[int, list[Visit]] = {}
        for visit in self.follower.visits:
            before, after, counts = visit
            alike.setdefault(before, []).append(visit)
            if after == NONE:
                continue
            if (before, after) not in self.same:
                raise Rejected(f"{self.shown(visit)} is not said to be done together")
            if matched.setdefault(after, visit) != visit:
                raise Rejected(f"{self.shown(visit)} stands for several, or several iterations")
            depth = len(self.steps.around[before][0])
            said = {count[0] for count in counts[:depth] if count is not None}
            if None in counts or any(each is not None and each[0] not in (NONE, *said) for each in counts[depth:]):
                raise Rejected(f"{self.shown(visit)}: in which iteration of a loop of before is not said")
        paired = {visit[0] for visit in matched.values()}
        for after, visit in matched.items():
            opens: list[tuple[int, int]] = []
            for fork, at in self.steps.around[after][1]:
                switch, _, counts = matched.get(fork, (NONE, NONE, ()))
                depth = len(self.steps.around[switch][0])
                opens.append((switch if switch != NONE and counts[:depth] == visit[2][:depth] else NONE, at))
            if opens != [each for each in self.steps.around[visit[0]][1] if each[0] in paired]:
                raise Rejected(f"{self.shown(visit)}: who meets in a case of after is open, otherwise than before")
        for visits in alike.values():
            for at, visit in enumerate(visits):
                for other in visits[:at]:
                    if (visit[1], other[1]) != (NONE, NONE) and not self.apart(visit, other):
                        raise Rejected(f"{self.shown(visit)} may be done by fewer invocations than before")
        for pair, number in self.same.items():
            if pair[1] not in matched or matched[pair[1]][0] != pair[0]:
                raise Broken(number, "these are not done together")

    def apart(self, one: Visit, other: Visit) -> bool:
        """Whether two are never in the same iterations of the first program's loops."""
        for first, second, _ in zip(one[2], other[2], self.steps.around[one[0]][0], strict=False):
            if first is not None and second is not None:
                (_, s, m), (_, t, n) = first, second
                step = gcd(s, t)
                if (m - n) % step if step else m != n:
                    return True
                if (not s and t and m < n) or (not t and s and n < m):
                    return True
        return False

    def shown(self, visit: Visit) -> str:
        return f"{name_of(self.steps.nodes[visit[0]])} at {self.steps.name(visit[0])}"
