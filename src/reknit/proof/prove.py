"""Whether one module may stand for another: all that it may do is something the other may do.

    before, after ──interfaces equal?──▶ all that before promises kept? ──▶ for each entry point, subgroup size, input:
                                             outcomes of after ⊆ outcomes of before?
                                         ──▶ proved for the domain | sampled | refuted, with what was gone through

Refinement, not equality: `lower-switches` leaves one of several allowed results, and that is the point of it. What an
outcome is says `sim.outcomes`: every word of the buffers that can be written, under one way to use the freedoms of
maximal reconvergence. Undefined values that after has are of three kinds, one after another (`sim.fill`).

There is always a verdict. Inputs for which before is undefined or does not end are set aside and counted; what can't be
run is named; when the budget of processor time ends, the verdict is of what was gone through. Inputs are run for a few
steps first, and those that take more when all others were judged.
"""

from collections.abc import Mapping
from time import thread_time
from typing import Any, Final, final

from reknit.analysis.freedoms import ledger
from reknit.analysis.tangles.declared import rules_for
from reknit.analysis.tangles.rules import SUBGROUP_UNIFORM
from reknit.ir.freedoms import FREEDOMS
from reknit.ir.module import Module
from reknit.proof.by_terms import by_terms
from reknit.proof.certified import broken, checked, lacking, written
from reknit.proof.frame.compare import Frame
from reknit.proof.inputs import Given, Maker, Plan, misfit, plan
from reknit.proof.interface import Port, differences, ports_of_both
from reknit.proof.libraries import exported, with_entry_points
from reknit.proof.normal_form.judge import Finding
from reknit.proof.own_choices import packed, shares
from reknit.proof.pool import Pool
from reknit.proof.progress import step
from reknit.proof.promises import Promises
from reknit.proof.question import Question
from reknit.proof.refine import Refinement, Side
from reknit.proof.same import are_same
from reknit.proof.scenes import SCENE, Scene, scenes_for
from reknit.proof.situations import MAX_ELEMENTS, Situation, Situations, known_to
from reknit.proof.verdict import ENDLESS, Counterexample, Coverage, Verdict
from reknit.sim.arrays import wrong
from reknit.sim.buffers import find_buffer, position, to_words
from reknit.sim.builtins import Triple
from reknit.sim.entry import find_entry, function_of_entry, reached_functions
from reknit.sim.images import Image, Sampler
from reknit.sim.run import Program
from reknit.sim.stages.fragment import FragmentStage
from reknit.source.diagnostic import Diagnostic, InputError, Note
from reknit.source.limits import LimitExceeded, Limits
from reknit.source.place import Place

MAX_INPUTS: Final = 4096
FEW_STEPS: Final = 16_384
"""Steps that an input is run for at first."""

MAX_LENGTHENED: Final = 10
FOR_TERMS: Final = 0.6
"""The part of the budget that the normal form may use."""

CANNOT: Final = ("RK1001", "RK1003", "RK1004")
"""What is raised for programs that the simulator can't run: operations, recursion, sizes."""


def prove(before: Module, after: Module, question: Question | None = None) -> Verdict:
    """Whether `after` may stand for `before`.

    Raises InputError: RK1301 (the two can't be compared), RK1303 (no entry point, or nothing is asked), RK1305 (no
    certificate can be written), RK1306 (a certificate does not hold), and RK1002, RK1005 and RK1006 for questions that
    don't fit the modules.
    """
    asked = question if question is not None else Question()
    proof = _Proof(before, after, asked)
    if asked.certificate is False:
        return proof.run()
    verdict = proof.by_certificate()
    verdict.certificate = proof.certificate
    return verdict


@final
class _Proof:
    def __init__(self, before: Module, after: Module, question: Question) -> None:
        began = thread_time()
        self.before = before
        self.after = after
        self.question = question
        groups = question.groups if question.groups is not None else (1, 1, 1)
        self.groups: Triple = groups
        self.pool = Pool([before, after])
        self.coverage = Coverage(groups, question.subgroup_sizes)
        self.coverage.trivial = are_same(before, after)
        self.certificate = ""
        self.exports = False  # what the modules export is compared: they have no entry points
        self.at = ""  # what is being done
        self.ends = None if question.seconds is None else began + question.seconds - question.used
        self.lengths: dict[str, int] = {}  # elements an invocation, of the run-time arrays that need more than one
        self.now: list[Side] = []  # the sides that are being run
        self.coverage.spec = {f"{key} = {value}": None for key, value in question.spec.items()}

    def run(self) -> Verdict:
        if not self.question.subgroup_sizes:
            raise nothing(self.before, "no subgroup size was given")
        for name, values in self.question.domains.items():
            if not values:
                raise nothing(self.before, f"the domain of '{name}' is empty")
        if self.is_library():
            self.take_exports()
        for entry in self.entries():
            self.coverage.entries.append(entry)
            promises = self.promised(entry)
            if promises is None:
                continue
            self.coverage.weaker.update(dict.fromkeys(promises.weaker))
            self.coverage.unsure.update(dict.fromkeys(promises.unsure))
            if self.is_proved_by_terms(entry):
                continue
            self.coverage.unsure.update(dict.fromkeys(promises.counted))
            if self.exports:
                self.coverage.not_run[entry] = "it is no entry point, but a function that the module exports"
                self.coverage.whole = False
                continue
            counterexample = self.bounded(entry)
            if counterexample is not None:
                return Verdict(self.coverage, counterexample)
        return Verdict(self.coverage, None)

    def is_library(self) -> bool:
        """Whether neither has an entry point, and none was asked for."""
        return not self.before.entry_points and not self.after.entry_points and self.question.entry is None

    def take_exports(self) -> None:
        """Go on with what the two export as their entry points."""
        self.exports = True
        if self.coverage.trivial:
            return
        if not exported(self.before):
            why = "it has no entry point and exports no function, so that nothing of it can be run"
            self.coverage.not_run["the first version"] = why
            self.coverage.whole = False
            return
        self.before, self.after = with_entry_points(self.before), with_entry_points(self.after)

    def left(self, part: float = 1.0) -> float | None:
        """A part of the processor time that is left; None without a budget."""
        return None if self.ends is None else max(part * (self.ends - thread_time()), 0.001)

    def bounded(self, entry: str) -> Counterexample | None:
        """What runs find within the budget."""
        try:
            with Limits(processor=self.left()):
                return self.entry(entry)
        except LimitExceeded as error:
            if error.limit != "processor":
                raise
            asked = self.question.seconds
            self.coverage.spent = f"the budget of {asked:g} s of processor time ended at {self.at} (--max-seconds)"
            self.coverage.runs += sum([side.runs for side in self.now])
            self.coverage.whole = False
        return None

    def promised(self, entry: str) -> Promises | None:
        """What both declare; None where that can't be compared, as of calls of functions without a body, or there was
        no time: the entry point is left open."""
        self.step(f"{entry}, what both declare")
        try:
            with Limits(processor=self.left()):
                return self.promises(entry)
        except LimitExceeded as error:
            if error.limit != "processor":
                raise
            asked = self.question.seconds
            self.coverage.spent = f"the budget of {asked:g} s of processor time ended at {self.at} (--max-seconds)"
            self.coverage.unsure[f"what both versions of '{entry}' declare was not compared within the budget"] = None
            self.coverage.not_run[entry] = "there was no time"
            self.coverage.whole = False
        except InputError as error:
            self.cannot(entry, error)
            self.coverage.unsure[f"'{entry}': {error.diagnostics[0].message}"] = None
        return None

    def step(self, text: str) -> None:
        self.at = text
        step(text)

    def by_certificate(self) -> Verdict:
        """Of one entry point: a certificate holds, or one is found."""
        entries = self.entries()
        if len(entries) != 1:
            raise lacking(self.after, "it is of one entry point, which --entry names")
        (entry,) = entries
        try:
            with Limits(processor=self.left()):
                return self.certified(entry)
        except LimitExceeded as error:
            if error.limit != "processor":
                raise
            reason = f"the budget of {self.question.seconds:g} s of processor time ended (--max-seconds)"
            given = isinstance(self.question.certificate, str)
            raise (broken(self.after, reason) if given else lacking(self.after, reason)) from None

    def certified(self, entry: str) -> Verdict:
        given = self.question.certificate
        promises = self.promises(entry)
        reasons = [*promises.weaker, *promises.unsure, *promises.counted, *promises.uncertified]
        if reasons:
            raise broken(self.after, reasons[0]) if isinstance(given, str) else lacking(self.after, reasons[0])
        self.coverage.entries.append(entry)
        self.note_rules(entry)
        if isinstance(given, str):
            finding = checked(self.before, self.after, entry, self.question.rules, given)
        else:
            self.certificate, finding = written(self.before, self.after, entry, self.question.rules)
            if not finding.proved:
                raise lacking(self.after, finding.reason)
        self.coverage.trivial = False
        self.coverage.terms[entry] = finding
        return Verdict(self.coverage, None)

    def promises(self, entry: str) -> Promises:
        """What both declare, with what no rule consumes as `unsure`. Raises InputError (RK1301)."""
        promises = Promises(self.before, self.after, entry, self.question.rules)
        if not self.coverage.trivial:
            frame = Frame(self.before, self.after, entry)
            promises.apart.extend(frame.apart)
            promises.unsure.extend(frame.open)
            promises.uncertified.extend(frame.uncertified)
        if promises.apart:
            raise unlike(self.after, promises.apart)
        self.note_freedoms(entry, promises)
        return promises

    def note_freedoms(self, entry: str, promises: Promises) -> None:
        """What of the ledger of freedoms both versions are taken to decide alike; what it doesn't mention is not
        judged."""
        for module, when in ((self.before, "before"), (self.after, "after")):
            point = find_entry(module, entry)
            function = function_of_entry(point, True)
            rules = rules_for(module, function, self.question.rules)
            book = ledger(module, point, reached_functions(module, function), rules)
            self.coverage.alike.update(dict.fromkeys(book.alike()))
            self.coverage.untried.update(dict.fromkeys(book.untried()))
            for what in book.unknown:
                why = "is unknown: the ledger of freedoms has no row for it"
                promises.unsure.append(f"what {what} may do {when} {why}")

    def is_proved_by_terms(self, entry: str) -> bool:
        """Whether the normal form proves an entry point, so that nothing has to be run."""
        coverage = self.coverage
        if not self.question.by_terms or coverage.trivial or coverage.weaker or coverage.unsure:
            return False
        self.step(f"{entry}, for every input")
        try:
            with Limits(processor=self.left(FOR_TERMS)):
                finding = by_terms(self.before, self.after, entry, self.question.rules)
        except LimitExceeded as error:
            if error.limit != "processor":
                raise
            finding = Finding("the normal forms were not compared within the budget", None, None)
        coverage.terms[entry] = finding
        if finding.proved:
            self.note_rules(entry)
        if finding.proved and finding.rearranged:
            self.coverage.taken[FREEDOMS["rearrangement"].title] = None
        return finding.proved

    def note_rules(self, entry: str) -> None:
        for module, rules in zip((self.before, self.after), self.coverage.rules, strict=True):
            rules[rules_for(module, function_of_entry(find_entry(module, entry), True), self.question.rules)] = None

    def entries(self) -> list[str]:
        """The entry points to compare: the one asked for, or all."""
        mine = [point.text(2) for point in self.before.entry_points]
        other = [point.text(2) for point in self.after.entry_points]
        wanted = [self.question.entry] if self.question.entry is not None else mine
        if not mine and self.exports:
            return []
        if not mine:
            raise nothing(self.before, "it has no entry point")
        lacking = [name for name in wanted if name not in mine or name not in other]
        more = [name for name in other if name not in mine] if self.question.entry is None else []
        if lacking or more:
            faults = [f"entry point '{name}' is not in both" for name in lacking]
            raise unlike(self.after, faults + [f"entry point '{name}' is only after" for name in more])
        return wanted

    def entry(self, entry: str) -> Counterexample | None:
        asked = self.question
        self.note_rules(entry)
        if self.coverage.weaker:
            return None  # AFTER is refuted by what it declares: nothing has to be run
        is_asked = bool(asked.domains or asked.buffers or asked.spec)
        if self.coverage.trivial and not is_asked:
            return None
        try:
            scenes = scenes_for(self.before, self.after, entry, asked.scene, self.pool)
            for side in self.sides(entry, None, list(scenes.values())):
                side.program(asked.subgroup_sizes[0])
        except InputError as error:
            self.cannot(entry, error)
            return None
        drawings = list(scenes.values())
        self.coverage.scenes.update(dict.fromkeys(scenes))
        if drawings and asked.scene is None:
            self.coverage.whole = False
        before, after = self.now = list(self.sides(entry, None, drawings))
        refinement = Refinement(before, after, asked.limit, self.coverage)
        late: list[tuple[int, int, Given]] = []
        first = asked.subgroup_sizes[0]
        alike = self.is_alike(entry, before.program(first), after.program(first))
        drawn: Plan | None = None
        for size in asked.subgroup_sizes:
            program, shown = self.interface(before, after, size)
            if not any(port.writable for port in shown) and not program.stage.leaves():
                self.coverage.not_run[entry] = "it can write to no buffer and has no output"
                self.coverage.whole = False
                return None
            if self.coverage.trivial:
                self.maker(program, shown, self.groups)  # what was asked fits the module
                return None
            if size == first:
                maker = self.maker(program, shown, self.groups)
                try:
                    maker.words()
                    self.lengthen(before, size, maker, drawings)
                except InputError as error:
                    self.cannot(entry, error)
                    return None
            try:
                drawn = over(plan(self.maker(program, shown, self.groups), asked.sample, MAX_INPUTS), drawings)
            except InputError as error:
                self.cannot(entry, error)
                return None
            if size == first:
                self.tell(drawn)
                guided = self.guided(entry, self.maker(program, shown, self.groups), refinement, drawings)
                if guided is not None:
                    self.coverage.stopped(1)
                    return guided
            for number, given in enumerate(drawn.inputs, 1):
                self.step(f"{entry}, subgroup size {size}: input {number} of {len(drawn.inputs)}")
                counterexample = refinement.judge(size, given, FEW_STEPS)
                if size == first:
                    self.coverage.inputs += 1
                if counterexample is not None:
                    return self.found(refinement, size, counterexample, without_fill(given, shown, asked.buffers))
                if refinement.fate:
                    self.coverage.aside[entry, number] = refinement.fate
                    if refinement.fate == ENDLESS:
                        self.coverage.steps = min(FEW_STEPS, asked.max_steps)
                        late.append((size, number, given))
            if size == first and alike:
                break
        counterexample = self.slow(entry, refinement, late)
        if counterexample is not None:
            return counterexample
        self.coverage.runs += before.runs + after.runs
        situations = Situations(before.program(first), after.program(first), asked, self.pool)
        if alike:
            situations.chosen = [chosen for chosen in situations.chosen if chosen.size == first]
        self.coverage.fixed.update(dict.fromkeys(situations.fixed))
        if situations.open:
            self.coverage.whole = False
            self.coverage.how.update({f"a few values of {what}": None for what in situations.open})
        sweeps = drawn.sweeps if drawn is not None else []
        return self.sweep(entry, sweeps, drawings) or self.others(entry, situations, drawings)

    def cannot(self, entry: str, error: InputError) -> None:
        """An entry point is not run."""
        fault = error.diagnostics[0]
        if fault.code not in CANNOT:
            raise error
        self.coverage.not_run[entry] = f"{fault.message} ({fault.code})"
        self.coverage.whole = False

    def found(self, refinement: Refinement, size: int, example: Counterexample, plain: Given) -> Counterexample:
        """A counterexample ends the proof; the same with plain buffers is easier to read."""
        simpler = refinement.judge(size, plain)
        self.coverage.runs += refinement.before.runs + refinement.after.runs
        self.coverage.stopped(0)
        return simpler if simpler is not None else example

    def slow(self, entry: str, refinement: Refinement, late: list[tuple[int, int, Given]]) -> Counterexample | None:
        """Inputs that did not end within a few steps, with as many as may be."""
        if self.question.max_steps <= FEW_STEPS:
            return None
        left = [number for _, number, _ in late]  # those that are judged at no more subgroup size leave it
        for size, number, given in late:
            self.step(f"{entry}, subgroup size {size}: input {number}, which takes long")
            example = refinement.judge(size, given)
            if example is not None:
                return self.found(refinement, size, example, given)
            if refinement.fate:
                self.coverage.aside[entry, number] = refinement.fate
                self.coverage.steps = self.question.max_steps
                continue
            left.remove(number)
            if number not in left:
                self.coverage.aside.pop((entry, number), None)
        return None

    def lengthen(self, before: Side, size: int, maker: Maker, drawings: list[Scene]) -> None:
        """How long run-time arrays are: as long as before's indices ask for, in runs over simple inputs."""
        labels = {buffer.label(): position(buffer) for buffer in before.program(size).buffers()}
        places = {port.place for port in maker.ports if port.layout is not None and port.layout.runtime_array()}
        for _ in range(MAX_LENGTHENED):
            longer = False
            for number in (0, 1):
                given = maker.sampled(number)
                if drawings:
                    given[SCENE] = drawings[0]
                for label, index in before.outside(size, given, FEW_STEPS):
                    place = labels.get(label, "")
                    count = maker.invocations * self.lengths.get(place, 1)
                    if place in places and count <= index < MAX_ELEMENTS:
                        self.lengths[place] = max(2 * self.lengths.get(place, 1), index // maker.invocations + 1)
                        longer = True
            if not longer:
                return

    def is_alike(self, entry: str, before: Program, after: Program) -> bool:
        """Whether nothing of a fragment shader shows how large subgroups are: it stores nothing, and asks no more than
        quads, whose invocations share one. Then one size stands for all."""
        for module, program in ((self.before, before), (self.after, after)):
            if not isinstance(program.stage, FragmentStage) or program.rules == SUBGROUP_UNIFORM:
                return False
            if packed(module, entry) or shares(module, entry):
                return False
        return True

    def guided(self, entry: str, maker: Maker, refinement: Refinement, drawings: list[Scene]) -> Counterexample | None:
        """The inputs that a solver gives for the first places where the normal forms differ, at the first size."""
        finding = self.coverage.terms.get(entry)
        for hint in finding.hints if finding is not None else []:
            given = maker.hinted(hint)
            if drawings:
                given[SCENE] = drawings[0]
            counterexample = refinement.judge(self.question.subgroup_sizes[0], given)
            if counterexample is not None:
                return counterexample
        return None

    def sweep(self, entry: str, inputs: list[Given], drawings: list[Scene]) -> Counterexample | None:
        """The numbers of the pool, each input at one subgroup size."""
        sizes = self.question.subgroup_sizes
        before, after = self.sides(entry, None, drawings)
        refinement = Refinement(before, after, self.question.limit, Coverage(self.groups, sizes))
        for number, given in enumerate(inputs):
            self.step(f"{entry}, numbers that matter: input {number + 1} of {len(inputs)}")
            counterexample = refinement.judge(sizes[number % len(sizes)], given, FEW_STEPS)
            if counterexample is not None:
                self.coverage.stopped(number)
                return counterexample
        self.coverage.take(refinement.coverage)
        self.coverage.runs += before.runs + after.runs
        if inputs:
            self.coverage.more[f"{len(inputs)} inputs of numbers that matter, each at one subgroup size"] = None
        return None

    def others(self, entry: str, situations: Situations, drawings: list[Scene]) -> Counterexample | None:
        """More workgroups, other specializations, sizes of images and so on, for a few inputs each."""
        for situation in situations.chosen:
            before, after = self.sides(entry, situation, drawings)
            coverage = Coverage(situation.groups, [situation.size])
            refinement = Refinement(before, after, self.question.limit, coverage, careful=True)
            try:
                before.program(situation.size)
            except InputError as error:  # a length of 0, say: before can't be run so
                self.coverage.fixed[f"{situation.what} ({error.diagnostics[0].code})"] = None
                continue
            program, shown = self.interface(before, after, situation.size)
            base = situation.origin.base
            groups = situation.groups
            around = (groups[0] + base[0], groups[1] + base[1], groups[2] + base[2])
            maker = self.maker(program, shown, around)
            if situation.elements:
                maker.invocations = situation.elements
            if situation.extent:
                maker.extent = (situation.extent, situation.extent, situation.extent)
            aside = 0
            for number in situation.inputs:
                self.step(f"{entry}, {situation.what}")
                given = maker.sampled(number)
                if drawings:
                    given[SCENE] = drawings[number % len(drawings)]
                counterexample = refinement.judge(situation.size, given, FEW_STEPS)
                if counterexample is not None:
                    if situation.shared:
                        counterexample.reason += f", with {situation.what}"
                    self.coverage.more[situation.what] = None
                    self.coverage.stopped(1)
                    return counterexample
                aside += refinement.fate != ""
            self.coverage.take(coverage)
            self.coverage.runs += before.runs + after.runs
            if aside < len(situation.inputs):
                self.coverage.more[situation.what] = None
            elif situation.matters:
                self.coverage.fixed[f"{situation.what} (undefined before, or without an end)"] = None
        return None

    def sides(self, entry: str, situation: Situation | None, drawings: list[Scene]) -> tuple[Side, Side]:
        asked = self.question
        sides: list[Side] = []
        for module in (self.before, self.after):
            spec = dict(asked.spec)
            groups, origin, shared = self.groups, None, None
            if situation is not None:
                spec.update(known_to(module, situation.spec))
                groups, origin, shared = situation.groups, situation.origin, situation.shared
            scene = drawings[0] if drawings else None
            sides.append(Side(module, entry, groups, spec, asked.max_steps, asked.rules, origin, scene, shared))
        return sides[0], sides[1]

    def interface(self, before: Side, after: Side, size: int) -> tuple[Program, list[Port]]:
        """Before's program, and what can be seen of it. Raises InputError where after's differs."""
        program, other = before.program(size), after.program(size)
        apart = differences(program, other)
        if apart:
            raise unlike(self.after, apart)
        return program, ports_of_both(program, other)

    def maker(self, program: Program, shown: list[Port], groups: Triple) -> Maker:
        """What makes inputs for a dispatch of `groups` workgroups."""
        asked = self.question
        given: Given = {}
        for name, words in asked.buffers.items():
            place = self.place(name, program, shown)
            port = next(port for port in shown if port.place == place)
            if isinstance(words, (Image, Sampler)):
                needs = "image" if isinstance(words, Image) else "sampler"
                if port.noun() != needs:
                    help = "an image's own sampler is set with it: NAME=8x4:rgba8:linear" if port.samples else ""
                    raise wrong(f"{name!r} is no {needs}: {port.kind()}", self.before.path, help)
                given[place] = words
                continue
            layout = find_buffer(name, program.buffers(), self.before.path).layout
            given[place] = to_words(name, words, self.before.path, layout)
        domains: dict[str, list[int]] = {}
        for name, values in asked.domains.items():
            place = self.place(name, program, shown)
            port = next(port for port in shown if port.place == place)
            if port.layout is None:
                raise wrong(f"the domain of {name!r}: it is no buffer of numbers: {port.kind()}", self.before.path)
            reason = misfit(port.layout, values)
            if reason:
                raise wrong(f"the domain of {name!r}: {reason}", self.before.path)
            domains[place] = values
        return Maker(shown, given, domains, self.pool, program.stage.extent(groups), self.lengths)

    def tell(self, drawn: Plan) -> None:
        self.coverage.claim.update(dict.fromkeys(drawn.claim))
        self.coverage.how[drawn.how] = None
        self.coverage.whole = self.coverage.whole and drawn.whole

    def place(self, name: str, program: Program, shown: list[Port]) -> str:
        for port in shown:
            if port.layout is None and port.samples and name in (port.name, port.place):
                return port.place
        buffer = find_buffer(name, program.buffers(), self.before.path)
        return position(buffer.alias if buffer.alias is not None else buffer)


def over(drawn: Plan, drawings: list[Scene]) -> Plan:
    """Inputs with what is drawn: all of both where the inputs are whole, else one after another, by what is drawn."""
    if not drawings:
        return drawn
    inputs: list[Given] = []
    count = len(drawn.inputs)
    if drawn.whole and count * len(drawings) <= MAX_INPUTS:
        inputs = [{**given, SCENE: drawing} for drawing in drawings for given in drawn.inputs]
    else:
        for number, given in enumerate(drawn.inputs):
            inputs.append({**given, SCENE: drawings[number * len(drawings) // count]})
    sweeps = [{**given, SCENE: drawings[number % len(drawings)]} for number, given in enumerate(drawn.sweeps)]
    return Plan(inputs, sweeps, drawn.whole and len(inputs) >= count * len(drawings), drawn.claim, drawn.how)


def without_fill(given: Given, shown: list[Port], asked: Mapping[str, Any]) -> Given:
    """The same input with zeros in buffers that are only written: easier to read, where it is refuted too."""
    plain = dict(given)
    for port in shown:
        if not port.read and not asked and port.layout is not None:
            plain[port.place] = [0] * len(plain.get(port.place, []))
    return plain


def unlike(module: Module, apart: list[str]) -> InputError:
    """RK1301: what the outside sees differs."""
    notes = [Note(text) for text in apart]
    message = "the two modules can't be compared: they have different interfaces"
    return InputError([Diagnostic("RK1301", message, Place(module.path), notes=notes)])


def nothing(module: Module, reason: str) -> InputError:
    """RK1303."""
    return InputError([Diagnostic("RK1303", f"nothing can be compared: {reason}", Place(module.path))])
