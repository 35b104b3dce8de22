"""One input at one subgroup size: is all that after may do something that before may do?

    before ──outcomes──▶ {A, B, C}          after ──outcomes──▶ {B}          B is one of them: kept
                                                                {B, D}       D is none: refuted
                                                                deadlock     before has none: refuted
    before: undefined behaviour for this input     ──▶ nothing is promised

    before: no end within so many steps            ──▶  the input is set aside; prove comes back to it with more steps

Before's outcomes are gone through a few at a time, more of them while one of after's is missing.
"""

import re
from collections.abc import Callable
from typing import Final, final

from reknit.analysis.freedoms import float_widths
from reknit.analysis.tangles.rules import DECLARED
from reknit.ir import enums
from reknit.ir.freedoms import BY_OPCODES
from reknit.ir.module import Module
from reknit.ir.walk import instructions
from reknit.proof.divergence_point import first_divergence, log_of
from reknit.proof.first_value import MAX_INSTRUCTIONS, FirstValue, Watched, first_value
from reknit.proof.going_on import going_on
from reknit.proof.held import Held, Words
from reknit.proof.inputs import Given, leaves
from reknit.proof.interface import Port, dropped, ports
from reknit.proof.precision import Precision
from reknit.proof.readings import NAMES
from reknit.proof.scenes import SCENE, Scene, fitting
from reknit.proof.verdict import ENDLESS, Counterexample, Coverage, Difference, Unlike
from reknit.proof.verdict import UNDEFINED as BEFORE
from reknit.sim.buffers import position
from reknit.sim.builtins import Origin, Triple
from reknit.sim.entry import find_entry, function_of_entry, reached_functions
from reknit.sim.faults import OUT_OF_BOUNDS, UNDEFINED_RESULT
from reknit.sim.fill import FILLS, MIXED, ONES, RANDOM, ZEROS
from reknit.sim.float_bounds import float_bounds, output_sets
from reknit.sim.left import label, numbers_of, open_numbers
from reknit.sim.outcomes import ORDERS, Outcome, Search, has_kill
from reknit.sim.packing_shown import space_of
from reknit.sim.policy import OUTSIDE, Policy
from reknit.sim.resources import Descriptor
from reknit.sim.run import Program, prepare
from reknit.sim.shadow.bounds import REMAINDERS, rows_of
from reknit.sim.shadow.sources import Source
from reknit.sim.values import FLOAT_KIND

UNDEFINED: Final = ("RK1010", "RK1011", "RK1012", "RK1014", "RK1016")
UNDEFINED_BEHAVIOR: Final = "undefined-behavior"
NO_END: Final = "RK1013"
FLOATS: Final = "floats differ by"
OPEN: Final = (
    "results differ by infinities, NaNs, denormals, rounding or remainders of negative integers, which the first "
    "version leaves open"
)
GOES_ON: Final = "results differ by whether an invocation that executes OpKill goes on as a helper, as after a demote"
KEEPS_SPECIAL: Final = (enums.ExecutionModeSignedZeroInfNanPreserve, enums.ExecutionModeFPFastMathDefault)
POISON: Final = ("RK1015", "RK1018", "RK1022")  # undefined results, reads of nothing written, where they arrive
TAKEN: Final = {ONES: "all bits set", RANDOM: "random bits"}
RACE: Final = "RK1017"
INDEX: Final = re.compile(r"index (\d+) of \d+ in buffer (.+?)(?= \(lane|: |$)")
FIRST_LIMIT: Final = 8
LAST_LIMIT: Final = 16  # times the limit
ELEMENTS: Final = 4  # of an array of resources without a length
LONGER: Final = 50  # a run that takes this many times the steps it took before does not end


@final
class Side:
    """A module and an entry point, run at any subgroup size. `runs` counts. `lacks` are the places of resources that
    the other side alone has, `alone` of those that this one alone has."""

    __slots__ = (
        "module", "entry", "groups", "origin", "spec", "programs", "max_steps", "runs", "kills", "rules", "scene",
        "lacks", "alone", "shared", "gave_up", "packed",
    )  # fmt: skip

    def __init__(
        self,
        module: Module,
        entry: str,
        groups: Triple,
        spec: dict[int | str, float],
        max_steps: int,
        rules: str = DECLARED,
        origin: Origin | None = None,
        scene: Scene | None = None,
        shared: dict[Descriptor, Descriptor] | None = None,
    ) -> None:
        self.module = module
        self.entry = entry
        self.scene = scene
        self.shared = shared
        self.groups = groups
        self.origin = origin
        self.spec = spec
        self.programs: dict[tuple[int, str, str, int], Program] = {}  # for the scene
        self.max_steps = max_steps
        self.rules = rules
        self.runs = 0
        self.gave_up = False  # a run came to the most steps
        self.packed: dict[int, bool] = {}  # by subgroup size
        self.lacks: dict[str, None] = {}
        self.alone: dict[str, None] = {}
        self.kills = ["terminate", "demote"] if has_kill(module, entry) else ["terminate"]

    def draw(self, inputs: Given) -> None:
        """Go on with what is drawn in these inputs."""
        scene = inputs.get(SCENE)
        if scene is not None and scene is not self.scene:
            self.scene = scene
            self.programs.clear()

    def program(self, size: int, kill: str = "terminate", assume: str = OUTSIDE, fill: int = ZEROS) -> Program:
        program = self.programs.get((size, kill, assume, fill))
        if program is None:
            program = self.fresh(size, kill, assume, fill, True)
            self.programs[size, kill, assume, fill] = program
        return program

    def fresh(self, size: int, kill: str, assume: str, fill: int, races: bool) -> Program:
        return prepare(
            self.module,
            self.entry,
            subgroup_size=size,
            spec=self.spec,
            kill=kill,
            races=races,
            unwritten=races,
            rules=self.rules,
            assume=assume,
            fill=fill,
            drawing=fitting(self.scene, self.module, self.entry),
            unbound=ELEMENTS,
            shared=self.shared,
        )

    def model(self) -> int:
        return find_entry(self.module, self.entry).word(0)

    def may_be_packed(self, size: int) -> bool:
        """Whether other invocations might share a subgroup than in runs, and that could show."""
        if size not in self.packed:
            self.packed[size] = not space_of(self.program(size), False).is_single()
        return self.packed[size]

    def may(self, size: int, inputs: Given, limit: int, fill: int = ZEROS) -> "May":
        """What it may do, trying at most `limit` combinations of choices, with undefined values that are `fill`."""
        self.draw(inputs)
        search = Search(self.groups, self.given(inputs), None, self.max_steps, limit, self.origin)
        search.stops = True
        search.all_of(lambda kill, assume: self.program(size, kill, assume, fill), self.kills)
        self.runs += search.budget.runs
        self.gave_up = self.gave_up or search.gave_up()
        return May(search, self.program(size), limit, fill, self.alone)

    def outside(self, size: int, inputs: Given, steps: int) -> list[tuple[str, int]]:
        """The buffers that a run leaves, by their labels, each with the index that is too large."""
        self.draw(inputs)
        result = self.program(size).run(Policy(), self.groups, self.given(inputs), None, steps, origin=self.origin)
        texts: list[str] = []
        for diagnostic in result.diagnostics:
            if diagnostic.code == OUT_OF_BOUNDS:
                texts.extend((diagnostic.message, *[note.message for note in diagnostic.notes]))
        return [(each.group(2), int(each.group(1))) for text in texts for each in INDEX.finditer(text)]

    def given(self, inputs: Given) -> Given:
        """An input without what is drawn, and without what the module doesn't have."""
        return {place: given for place, given in inputs.items() if place != SCENE and place not in self.lacks}


@final
class May:
    """The outcomes that were found, by the words they leave; `whole`: there are no others. `undetermined`: the input
    doesn't say which invocations run an operation together. `decided`: a branch or an address goes by an undefined
    value. `undefined`: with one of its choices its behavior is undefined."""

    __slots__ = (
        "outcomes", "whole", "closed", "why", "codes", "steps", "undetermined", "unstructured", "limit", "fill",
        "undefs", "conflict", "decided", "undefined",
    )  # fmt: skip

    def __init__(self, search: Search, program: Program, limit: int, fill: int, alone: dict[str, None]) -> None:
        self.limit = limit
        self.fill = fill
        self.undefs = program.preparation.undefs > 0
        buffers = program.preparation.order
        order = [position(buffer) for buffer in buffers if buffer.writable and buffer.alias is None]
        self.outcomes: list[tuple[Held, Outcome]] = []
        self.whole = not search.cut and not search.conflict and not search.undetermined
        self.closed = not search.cut and not search.conflict and search.undetermined < 2
        self.conflict = bool(search.conflict)
        self.decided = bool(search.undefined_reached)
        self.undetermined = search.undetermined > 0
        self.unstructured = list(search.unstructured)
        self.why = ""
        if search.conflict:
            self.why = f"the order of tangles can show, {search.conflict}: {len(ORDERS)} orders and some of blocks"
        elif search.cut:
            self.why = f"{search.budget.limit} combinations of choices an input"
        elif search.undetermined:
            self.why = "loops of which the input doesn't say what belongs to them, assumed outside and inside"
        self.codes = search.codes
        met = search.seen.get(UNDEFINED_BEHAVIOR, ())
        behaves = any(UNDEFINED_BEHAVIOR in BY_OPCODES.get(instr.op, ()) for instr in met)
        self.undefined: bool = behaves or any(code in self.codes for code in UNDEFINED)
        self.steps = 0
        for outcome in search.outcomes.values():
            words = words_of(outcome, order, alone)
            open = open_words(outcome, order, alone)
            held = Held(words, numbers_of(outcome.result), open, open_numbers(outcome.result))
            self.outcomes.append((held, outcome))
            self.steps = max(self.steps, outcome.result.steps)

    def allows(self, held: Held, reading: str = "") -> bool:
        """Whether this is one of the outcomes; of those in a reading of what the input leaves open."""
        return any(mine.allows(held) and reading in ("", outcome.policy.assume) for mine, outcome in self.outcomes)

    def is_poisoned(self) -> bool:
        """Whether undefined values were met: what they are taken to be is one of many results."""
        return self.undefs or any(code in self.codes for code in POISON)


def words_of(outcome: Outcome, order: list[str], alone: dict[str, None]) -> Words:
    """What the written buffers hold, sorted by place, without those that are not compared; `order` are the places in
    the order that a result has them."""
    held = dict(zip(order, outcome.result.buffers.values(), strict=True))
    return tuple([tuple(held[place].words) for place in sorted(held) if place not in alone])


def open_words(outcome: Outcome, order: list[str], alone: dict[str, None]) -> tuple[frozenset[int], ...]:
    """Which of those may be anything."""
    held = dict(zip(order, outcome.result.buffers.values(), strict=True))
    return tuple([frozenset(held[place].undefined) for place in sorted(held) if place not in alone])


@final
class Refinement:
    """Compares two sides, input after input, and keeps count in `coverage`."""

    __slots__ = (
        "before", "after", "limit", "coverage", "patience", "careful", "precision", "special", "floats", "helpers",
        "is_begun", "most", "fate",
    )  # fmt: skip

    def __init__(self, before: Side, after: Side, limit: int, coverage: Coverage, careful: bool = False) -> None:
        self.before = before
        self.after = after
        self.limit = limit
        self.coverage = coverage
        self.precision = Precision(before.module, before.entry)
        self.special: bool | None = None  # whether before leaves infinities, NaNs and signs open; None: not asked yet
        self.helpers: Side | None = None  # before, whose OpKill makes helpers that go on
        self.floats: bool | None = None  # whether before has floats
        self.careful = careful  # a data race before is undefined behaviour, as more workgroups than meant may make one
        self.is_begun = False
        self.most = before.max_steps
        self.fate = ""  # why the last input was set aside; "" where it was judged
        self.patience = 2  # how often a search of before's outcomes is taken to its last limit

    def judge(self, size: int, inputs: Given, steps: int = 0) -> Counterexample | None:
        """The counterexample at this input, if it is one; `fate` says why it is set aside. With `steps` a run that
        takes more is one without an end, and what one would refute is judged again with as many as may be."""
        if not steps or steps >= self.most:
            return self.judged(size, inputs)
        self.before.max_steps = self.after.max_steps = steps
        self.before.gave_up = self.after.gave_up = False
        counts = (self.coverage.undefined, self.coverage.undecided, self.coverage.poison)
        try:
            example = self.judged(size, inputs)
        finally:
            self.before.max_steps = self.after.max_steps = self.most
        if example is None or not (self.before.gave_up or self.after.gave_up):
            return example
        self.coverage.undefined, self.coverage.undecided, self.coverage.poison = counts
        return self.judged(size, inputs)

    def judged(self, size: int, inputs: Given) -> Counterexample | None:
        if not self.is_begun:
            self.is_begun = True
            self.before.alone = self.after.lacks = dropped(self.before.program(size), self.after.program(size))
        self.fate = ""
        if not self.coverage.in_order:
            self.coverage.in_order = self.before.may_be_packed(size) or self.after.may_be_packed(size)
        before = self.before.may(size, inputs, FIRST_LIMIT)
        if NO_END in before.codes:
            self.fate = ENDLESS
            return None
        if before.undefined or (self.careful and RACE in before.codes):
            self.set_aside()
            return None
        self.coverage.unstructured.update(dict.fromkeys(before.unstructured))
        held = self.after.max_steps
        self.after.max_steps = max(held, LONGER * before.steps)
        after = self.after.may(size, inputs, self.limit)
        self.after.max_steps = held
        self.coverage.unstructured.update(dict.fromkeys(after.unstructured))
        if not after.whole:
            self.coverage.policies_whole = False
            self.coverage.policies[after.why] = None
        example = self.compared(size, inputs, before, after)
        if example is None and after.is_poisoned():
            self.coverage.poison += 1
            for fill in FILLS[1:]:
                example = example or self.compared(size, inputs, before, self.after.may(size, inputs, self.limit, fill))
        return example

    def set_aside(self) -> None:
        """Before is undefined for this input."""
        self.coverage.undefined += 1
        self.fate = BEFORE

    def compared(self, size: int, inputs: Given, before: May, after: May) -> Counterexample | None:
        """Whether each outcome of after is one of before's."""
        outputs = self.before.program(size).stage.leaves()
        for whole, outcome in after.outcomes:
            held = whole.only(outputs)
            open = before.undetermined
            fault = fault_of(outcome, before)
            if open:
                example = self.read(size, inputs, before, outcome, held, after.fill)
                if example is not None:
                    return example
                continue
            if fault:
                if self.fails(size, inputs, before):
                    self.set_aside()
                    return None
                return self.counterexample(size, inputs, before, outcome, held, fault, after.fill)
            if not before.allows(held):
                before = self.wider(size, inputs, before, held)
                if before.undefined:
                    self.set_aside()
                    return None
                if before.allows(held):
                    continue
                if not before.whole or self.depends(size, inputs, before):
                    self.coverage.undecided += 1
                    continue
                left_open = self.left_open(size, before, held) or self.bounded(size, inputs, before, held)
                left_open = left_open or self.goes_on(size, inputs, held)
                if left_open:
                    self.coverage.undecided += 1
                    self.coverage.explained[left_open] = None
                    continue
                reason = "the second version has a result that the first does not allow"
                if outcome.result.undetermined:
                    reading = NAMES[outcome.policy.assume]
                    reason += f", in the {reading} interpretation of a loop: after lost what before determines"
                if after.fill != ZEROS:
                    reason += f", if its undefined values are taken as {TAKEN[after.fill]}"
                return self.counterexample(size, inputs, before, outcome, held, reason, after.fill)
        return None

    def read(
        self, size: int, inputs: Given, before: May, outcome: Outcome, held: Held, fill: int
    ) -> Counterexample | None:
        """An outcome of after, where before is open: whether each reading of before allows it, or that of after's. A
        counterexample is one that no reading is left for."""
        readings = [outcome.policy.assume] if outcome.result.undetermined else list(NAMES)
        failing = [reading for reading in readings if not before.allows(held, reading)]
        self.coverage.readings = True
        if not failing:
            return None
        if not before.closed or self.depends(size, inputs, before):
            self.coverage.undecided += 1
            return None
        self.coverage.failing.update(dict.fromkeys(failing))
        if len(self.coverage.failing) < len(NAMES):
            return None
        reason = "the second version has results that the first does not allow, one in the outer and one in the inner "
        reason += "interpretation of a loop"
        return self.counterexample(size, inputs, before, outcome, held, reason, fill)

    def written_ports(self, shown: list[Port]) -> list[Port]:
        """What both sides have and may write to."""
        return [port for port in shown if port.writable and port.place not in self.before.alone]

    def left_open(self, size: int, before: May, held: Held) -> str:
        """By what of floats alone an outcome differs from one of before, where before's operations leave that open:
        infinities, NaNs and the sign of a zero, or the precision of some. Else empty."""
        written = self.written_ports(ports(self.before.program(size)))
        floats = [float_words(port, len(words)) for port, words in zip(written, held.words, strict=True)]
        if self.leaves_special() and any(are_near(is_open, floats, mine, held) for mine, _ in before.outcomes):
            return f"{FLOATS} infinities, NaNs and the sign of zero, which the first version leaves open"
        near = self.precision.is_near
        if self.precision.operations and any(are_near(near, floats, mine, held) for mine, _ in before.outcomes):
            return f"{FLOATS} no more than the precision of {self.precision.named()} leaves open"
        return ""

    def bounded(self, size: int, inputs: Given, before: May, held: Held) -> str:
        """The same by sets of what before's floats may be, which find also what comparisons, branches and conversions
        to integers make of them, and by remainders of negative integers. Empty if an outcome is outside of all, or no
        sets are known."""
        side = self.before
        if side.model() == enums.ExecutionModelKernel or not self.may_be_open():
            return ""
        program = side.program(size)
        order = [position(buffer) for buffer in program.preparation.order if buffer.writable and buffer.alias is None]
        search = Search(side.groups, side.given(inputs), None, side.max_steps, before.limit, side.origin)

        def make(kill: str, assume: str) -> Program:
            return side.fresh(size, kill, assume, ZEROS, True)

        bounds = float_bounds(search, make, side.kills, near=True)
        self.before.runs += search.budget.runs
        if bounds is None:
            if any(reached.is_open() for outcome in search.outcomes.values() for reached in outcome.result.reached):
                return "the first version branches by what it may make of infinities, NaNs, denormals or rounding"
            return ""
        for outcome in bounds.outcomes:
            mine = Held(words_of(outcome, order, side.alone), numbers_of(outcome.result))
            if may_be(outcome, mine, held, order, side.alone):
                return OPEN
        return ""

    def goes_on(self, size: int, inputs: Given, held: Held) -> str:
        """Whether an outcome is one of before's where invocations that execute OpKill go on as helpers."""
        side = self.before
        if len(side.kills) == 1:
            return ""
        if self.helpers is None:
            module = going_on(side.module)
            if module is None:
                return ""
            self.helpers = Side(
                module, side.entry, side.groups, side.spec, side.max_steps, side.rules, side.origin, side.scene,
                side.shared,
            )  # fmt: skip
            self.helpers.alone, self.helpers.lacks = side.alone, side.lacks
        self.helpers.max_steps = side.max_steps
        ran = self.helpers.runs
        may = self.helpers.may(size, inputs, self.limit)
        side.runs += self.helpers.runs - ran
        return GOES_ON if may.allows(held) else ""

    def may_be_open(self) -> bool:
        """Whether before computes with floats, copies them, or has remainders of signed integers."""
        if self.floats is None:
            module = self.before.module
            function = function_of_entry(find_entry(module, self.before.entry), True)
            code = [instr for each in reached_functions(module, function) for instr in instructions(each)]
            self.floats = any(bool(float_widths(instr)) or instr.op in REMAINDERS for instr in code)
        return self.floats

    def leaves_special(self) -> bool:
        """Whether before computes with floats and declares nowhere that it preserves infinities, NaNs and the signs of
        zeros. Vulkan: "By default, the implementation may: perform optimizations [...] that ignore sign of a zero, or
        assume that arguments and results are not NaNs or infinities."."""
        if self.special is None:
            module = self.before.module
            function = function_of_entry(find_entry(module, self.before.entry), True)
            code = [instr for each in reached_functions(module, function) for instr in instructions(each)]
            kept = any(mode.word(1) in KEEPS_SPECIAL for mode in module.execution_modes)
            self.special = not kept and any("special-floats" in rows_of(instr) for instr in code)
        return self.special

    def depends(self, size: int, inputs: Given, before: May) -> bool:
        """Whether what before may do depends on undefined values beyond the words that may be anything: by which way it
        goes, where an access leads, or which of two operands FMax of a NaN gives. Any words may be among it then."""
        if before.decided:
            return True  # another value than those tried may lead another way
        if UNDEFINED_RESULT not in before.codes:
            return False
        mine = sorted([held.sorting() for held, _ in before.outcomes])
        return any(
            sorted([held.sorting() for held, _ in self.before.may(size, inputs, before.limit, fill).outcomes]) != mine
            for fill in (*FILLS[1:], *MIXED)
        )

    def fails(self, size: int, inputs: Given, before: May) -> bool:
        """Whether before is undefined, or doesn't end, with other undefined values than those it was run with."""
        if not before.is_poisoned():
            return False
        failures = (*UNDEFINED, RACE, NO_END)
        others = [self.before.may(size, inputs, before.limit, fill) for fill in (*FILLS[1:], *MIXED)]
        return any(code in other.codes for other in others for code in failures)

    def wider(self, size: int, inputs: Given, before: May, held: Held) -> May:
        """More of before's outcomes, until `held` is among them."""
        if before.whole:
            return before
        limits = [max(self.limit, FIRST_LIMIT + 1)]
        if self.patience > 0 and not before.conflict:  # where the order of tangles shows, more is a sample, too
            limits.append(LAST_LIMIT * limits[0])
        for limit in limits:
            if limit <= before.limit:
                continue
            if limit > limits[0]:
                self.patience -= 1
            before = self.before.may(size, inputs, limit)
            if before.whole or before.allows(held):
                break
        return before

    def counterexample(
        self, size: int, inputs: Given, before: May, outcome: Outcome, held: Held, reason: str, fill: int
    ) -> Counterexample:
        mine, nearest = min(before.outcomes, key=lambda pair: pair[0].distance(held))
        shown = ports(self.before.program(size))
        written = self.written_ports(shown)
        logs = []
        for side, chosen, filled in ((self.before, nearest, ZEROS), (self.after, outcome, fill)):
            program = side.fresh(size, chosen.policy.kill, chosen.policy.assume, filled, False)
            logs.append(log_of(program, chosen.policy, side.groups, side.given(inputs), side.max_steps, side.origin))
        divergence_point = first_divergence(logs[0], logs[1]) if logs[0] is not None and logs[1] is not None else None
        differences = differences_of(written, mine, held.words)
        first = self.first_value(size, inputs, nearest, outcome, fill, differences, written)
        return Counterexample(
            self.before.entry,
            size,
            self.before.groups,
            {port.name: inputs[port.place] for port in shown if port.place in inputs and _matters(port, inputs)},
            reason,
            nearest,
            outcome,
            len(before.outcomes),
            differences,
            divergence_point,
            self.before.spec,
            self.before.origin,
            inputs.get(SCENE),
            [Unlike(label(key), mine.text(key), held.text(key)) for key in mine.unlike(held)],
            first,
        )

    def first_value(
        self,
        size: int,
        inputs: Given,
        nearest: Outcome,
        outcome: Outcome,
        fill: int,
        differences: list[Difference],
        written: list[Port],
    ) -> FirstValue | None:
        """Where the first word that differs comes from, in runs that are short."""
        if not differences or max(nearest.result.steps, outcome.result.steps) > MAX_INSTRUCTIONS:
            return None
        first = differences[0]
        place = next(port.place for port in written if port.name == first.buffer)
        runs: list[Watched] = []
        for side, chosen, filled in ((self.before, nearest, ZEROS), (self.after, outcome, fill)):
            program = side.fresh(size, chosen.policy.kill, chosen.policy.assume, filled, False)
            runs.append(Watched(program, chosen.policy, side.groups, side.given(inputs), side.origin))
        return first_value(runs[0], runs[1], first.buffer, place, first.word)


def may_be(outcome: Outcome, mine: Held, held: Held, order: list[str], alone: dict[str, None]) -> bool:
    """Whether all that differs from an outcome with sets of floats is one of a set, or may be anything."""
    if list(map(len, mine.words)) != list(map(len, held.words)):
        return False
    results = dict(zip(order, outcome.result.buffers.values(), strict=True))
    buffers = [results[place] for place in sorted(results) if place not in alone]
    for buffer, ours, other in zip(buffers, mine.words, held.words, strict=True):
        for at, (one, two) in enumerate(zip(ours, other, strict=True)):
            if one != two and not _is_among(buffer.sets, at, other):
                return False
    drawn = output_sets(outcome.result)
    for key in mine.unlike(held):
        if key not in mine.numbers or key not in held.numbers:
            return False
        source = drawn.get(key)
        if source is None or not (source.bound is None or source.bound.holds(held.numbers[key].bits)):
            return False
    return True


def _is_among(sets: dict[int, Source], at: int, words: tuple[int, ...]) -> bool:
    """Whether a word of a buffer is in the sets of its bytes."""
    for byte in range(4 * at, 4 * at + 4):
        source = sets.get(byte)
        if source is None:
            return False
        if source.bound is None:
            continue
        width = source.bound.form.width
        first = byte - byte % (width // 8)
        data = b"".join([word.to_bytes(4, "little") for word in words[first >> 2 : (first >> 2) + 2]])
        if not source.bound.holds(int.from_bytes(data, "little") >> 8 * (first & 3) & ((1 << width) - 1)):
            return False
    return True


EXPONENTS: Final = {16: 0x7C00, 32: 0x7F800000, 64: 0x7FF0 << 48}


def is_open(left: int, right: int, width: int) -> bool:
    """Whether two floats are equal but for the sign of a zero, or the first is an infinity or a NaN."""
    exponent = EXPONENTS[width]
    return left == right or not (left | right) & ((1 << (width - 1)) - 1) or left & exponent == exponent


def are_near(
    near: Callable[[int, int, int], bool], floats: list[dict[int, None]], mine: Held, held: Held
) -> bool:
    """Whether all that differs are floats, each near the other: `near` is asked of their bits and width."""
    for key in mine.unlike(held):
        left, right = mine.numbers.get(key), held.numbers.get(key)
        if left is None or right is None or left.shape.kind != FLOAT_KIND:
            return False
        if not near(left.bits, right.bits, left.shape.width):
            return False
    for places, ours, other in zip(floats, mine.words, held.words, strict=True):
        for at, (one, two) in enumerate(zip(ours, other, strict=True)):
            if one != two and not (at in places and near(one, two, 32)):
                return False
    return True


def float_words(port: Port, count: int) -> dict[int, None]:
    """The words of a buffer of `count` words that are f32."""
    if port.layout is None:
        return {}
    tail = port.layout.runtime_array()
    elements = (4 * count - tail[0]) // tail[1].stride if tail is not None else 0
    scalars = leaves(port.layout, elements)
    return {at >> 2: None for at, shape in scalars if shape.kind == FLOAT_KIND and shape.width == 32}


def _matters(port: Port, inputs: Given) -> bool:
    """Whether a reader of a counterexample must be shown what a buffer starts with."""
    given = inputs[port.place]
    return port.read or not isinstance(given, list) or any(given)


def differences_of(written: list[Port], before: Held, after: Words) -> list[Difference]:
    differences: list[Difference] = []
    for at, (port, mine, other) in enumerate(zip(written, before.words, after, strict=False)):
        for word, (left, right) in enumerate(zip(mine, other, strict=False)):
            if left != right and not before.is_open_at(at, word):
                differences.append(Difference(port.name, word, left, right))
    return differences


def fault_of(outcome: Outcome, before: May) -> str:
    """What is wrong with an outcome of after whatever its words are; "" if nothing is."""
    for diagnostic in outcome.result.diagnostics:
        if diagnostic.code in UNDEFINED:
            return f"undefined behavior that the first version does not have: {diagnostic.message}"
        if diagnostic.code == NO_END:
            return f"it does not end, where before ends after {before.steps} instructions: {diagnostic.message}"
        if diagnostic.code == RACE and RACE not in before.codes:
            return f"a data race that the first version does not have: {diagnostic.message}"
    return ""
