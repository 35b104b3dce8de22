"""The first value that differs in two runs, and how it came into the word that shows it.

    out[1]: 15 before, 10 after
        before: OpGroupNonUniformIAdd %p = 12           after: OpGroupNonUniformIAdd %p = 7      the first that differs
          then OpIAdd %r = 15, from %p = 12, %q = 3       then OpIAdd %r = 10, from %p = 7, %q = 3
          then OpStore, from %r = 15                      then OpStore, from %r = 10

Both chains of definitions are followed from the store, side by side, as long as the operations are the same ones: into
the first operand that differs. Where they are others, or their operands do not differ, that is where the runs part.
"""

from typing import Any, Final, final

from reknit.ir import op, opcodes
from reknit.ir.instr import Instr
from reknit.ir.locate import place_of
from reknit.ir.operands import SCOPES
from reknit.sim.buffers import position
from reknit.sim.builtins import Origin, Triple
from reknit.sim.faults import describe
from reknit.sim.memory import Buffer
from reknit.sim.policy import Policy
from reknit.sim.recorded import Recording
from reknit.sim.recording import ALL
from reknit.sim.run import Program
from reknit.sim.trace import Trace
from reknit.sim.value_text import value_text

MAX_STEPS: Final = 12  # of a chain
MAX_INSTRUCTIONS: Final = 100_000  # of a run whose values are kept


@final
class Definition:
    """An instruction, its value and those of its operands, as text; and where it is."""

    __slots__ = ("what", "value", "operands", "place")

    def __init__(self, what: str, value: str, operands: list[tuple[str, str]], place: str) -> None:
        self.what = what
        self.value = value
        self.operands = operands
        self.place = place

    def __str__(self) -> str:
        operands = ", ".join([f"{name} = {value}" if name else value for name, value in self.operands])
        value = f" = {self.value}" if self.value else ""
        return f"{self.what}{value}{f', from {operands}' if operands else ''} ({self.place})"


@final
class FirstValue:
    """`lane` stores to `word` of `buffer`; `before` and `after` lead from there to the first value that differs."""

    __slots__ = ("buffer", "word", "lane", "before", "after")

    def __init__(self, buffer: str, word: int, lane: int, before: list[Definition], after: list[Definition]) -> None:
        self.buffer = buffer
        self.word = word
        self.lane = lane
        self.before = before
        self.after = after

    def lines(self) -> list[str]:
        """The first value that differs, then what was made of it."""
        said = [f"the first value that differs on the path to {self.buffer}[{self.word}], in lane {self.lane}:"]
        for name, chain in (("before", self.before), ("after", self.after)):
            if not chain:
                said.append(f"  {name}: nothing stores there")
                continue
            said.append(f"  {name}: {chain[-1]}")
            said.extend([f"    then {each}" for each in reversed(chain[:-1])])
        return said

    def to_json(self) -> dict[str, object]:
        sides = {"before": self.before, "after": self.after}
        chains = {name: [str(each) for each in reversed(chain)] for name, chain in sides.items()}
        return {"buffer": self.buffer, "word": self.word, "lane": self.lane, **chains}


@final
class Watched:
    """A run whose values were kept, as one lane saw it up to its store."""

    __slots__ = ("program", "trace", "recording", "lane", "group", "values", "store")

    def __init__(
        self, program: Program, policy: Policy, groups: Triple, given: dict[str, Any], origin: Origin | None
    ) -> None:
        program.record(ALL)
        result = program.run(policy, groups, given, None, MAX_INSTRUCTIONS, True, origin)
        assert result.trace is not None
        self.program = program
        self.trace: Trace = result.trace
        self.recording: Recording | None = result.trace.recording
        self.lane = -1
        self.group = 0
        self.store: Instr | None = None
        self.values: dict[Instr, list[tuple[int, Any]]] = {}  # of each instruction, by event

    def find(self, place: str, word: int) -> None:
        """The last store to a word of a buffer."""
        recording = self.recording
        for written in reversed(recording.stores if recording is not None else []):
            assert recording is not None
            memory = recording.memories[written.memory]
            if not isinstance(memory, Buffer) or position(memory) != place or word not in written.places:
                continue
            at = written.places.index(word)
            lanes = [lane for lane in range(written.mask.bit_length()) if written.mask >> lane & 1]
            if at < len(lanes):
                self.follow(written.event, lanes[at], written.instr)
                return

    def follow(self, event: int, lane: int, store: Instr) -> None:
        """Keep what a lane computed up to a store."""
        recording = self.recording
        assert recording is not None
        self.lane, self.store = lane, store
        self.group = self.trace.events[event].group
        rows = list(recording.table)
        for number in recording.within(0, event + 1):
            mask = recording.masks[number]
            at = recording.events[number]
            if not mask >> lane & 1 or self.trace.events[at].group != self.group or recording.rows[number] < 0:
                continue
            row = rows[recording.rows[number]]
            value = row[(mask & ((1 << lane) - 1)).bit_count() if len(row) > 1 else 0]
            self.values.setdefault(recording.items[recording.which[number]].value, []).append((at, value))

    def value(self, instr: Instr) -> Any:
        """What it was last; None where that isn't known."""
        known = self.values.get(instr)
        if known is not None:
            return known[-1][1]
        return instr.operands[0] if instr.op == op.Constant else None

    def definition(self, instr: Instr) -> Definition:
        info = opcodes.info(instr.op)
        scopes = [spec.kind in SCOPES for spec in info.operands] if info is not None else []
        operands = [
            each
            for at, each in enumerate(instr.operands)
            if isinstance(each, Instr) and each.type is not None and not (at < len(scopes) and scopes[at])
        ]
        shown = [(name_of(each), self.text_of(each)) for each in operands if self.value(each) is not None]
        value = "" if instr.type is None else self.text_of(instr)
        return Definition(describe(instr), value, shown, str(place_of(instr, self.program.module)))

    def text_of(self, instr: Instr) -> str:
        return value_text(self.value(instr), self.program.preparation.globals.shape(instr.type))

    def origin_of(self, instr: Instr) -> Instr | None:
        """What a load of an own variable, or a phi, took its value from: the operand that was computed last and is
        that value."""
        sources: list[Instr] = []
        if instr.op == op.Phi:
            sources = [each for each in instr.operands if isinstance(each, Instr)]
        elif instr.op == op.Load and isinstance(instr.operands[0], Instr) and instr.operands[0].op == op.Variable:
            variable = instr.operands[0]
            stores = [user for user in variable.users if isinstance(user, Instr) and user.op == op.Store]
            sources = [each.operands[1] for each in stores if isinstance(each.operands[1], Instr)]
        known = [each for each in sources if each in self.values and self.value(each) == self.value(instr)]
        return max(known, key=lambda each: self.values[each][-1][0]) if known else None


def first_value(before: Watched, after: Watched, buffer: str, place: str, word: int) -> FirstValue | None:
    """Where the values of a word come apart; None where no run tells."""
    before.find(place, word)
    after.find(place, word)
    if before.store is None and after.store is None:
        return None
    chains: tuple[list[Definition], list[Definition]] = ([], [])
    for side, chain in zip((before, after), chains, strict=True):
        if side.store is not None:
            chain.append(side.definition(side.store))
    lane = after.lane if after.store is not None else before.lane
    if before.store is not None and after.store is not None:
        _descend(before, after, before.store, after.store, chains)
    return FirstValue(buffer, word, lane, *chains)


def _descend(
    before: Watched, after: Watched, mine: Instr, theirs: Instr, chains: tuple[list[Definition], list[Definition]]
) -> None:
    """Follow both chains into the first operand that differs."""
    for _ in range(MAX_STEPS):
        pair = _differing(before, after, mine, theirs)
        if pair is None:
            return
        if pair[0] is not mine:
            chains[0].append(before.definition(pair[0]))
        if pair[1] is not theirs:
            chains[1].append(after.definition(pair[1]))
        mine, theirs = pair


def _differing(before: Watched, after: Watched, mine: Instr, theirs: Instr) -> tuple[Instr, Instr] | None:
    sources = (before.origin_of(mine), after.origin_of(theirs))
    if sources[0] is not None or sources[1] is not None:
        first, other = sources[0] or mine, sources[1] or theirs
        return (first, other) if (first, other) != (mine, theirs) else None
    if mine.op != theirs.op or len(mine.operands) != len(theirs.operands):
        return None
    for left, right in zip(mine.operands, theirs.operands, strict=True):
        if not isinstance(left, Instr) or not isinstance(right, Instr):
            continue
        known = left in before.values and right in after.values
        if known and before.value(left) != after.value(right):
            return left, right
    return None


def name_of(value: Instr) -> str:
    """As its definition calls it; "" of a constant."""
    if value.op == op.Constant:
        return ""
    return f"%{value.name}" if value.name else f"%{value.id}" if value.id else describe(value)
