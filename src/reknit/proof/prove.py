"""Whether one module may stand for another: all that it may do is something the other may do.

    before, after ──interfaces equal?──▶ all that before promises kept? ──▶ for each entry point, subgroup size, input:
                                             outcomes of after ⊆ outcomes of before?
                                         ──▶ proved for the domain | sampled | refuted, with what was gone through

Refinement, not equality: `lower-switches` leaves one of several allowed results, and that is the point of it. What an
outcome is says `sim.outcomes`: every word of the buffers that can be written, under one way to use the freedoms of
maximal reconvergence. Undefined values that after has are of three kinds, one after another (`sim.fill`).
"""

from collections.abc import Mapping
from typing import Any, Final, final

from reknit.analysis.freedoms import ledger
from reknit.analysis.tangles.declared import rules_for
from reknit.analysis.tangles.rules import SUBGROUP_UNIFORM
from reknit.ir.module import Module
from reknit.proof.by_terms import by_terms
from reknit.proof.certified import broken, checked, lacking, written
from reknit.proof.frame.compare import Frame
from reknit.proof.inputs import Given, Maker, Plan, misfit, plan
from reknit.proof.interface import Port, differences, ports
from reknit.proof.own_choices import packed, shares
from reknit.proof.pool import Pool
from reknit.proof.progress import step
from reknit.proof.promises import Promises
from reknit.proof.question import Question
from reknit.proof.refine import Refinement, Side
from reknit.proof.same import are_same
from reknit.proof.scenes import SCENE, Scene, scenes_for
from reknit.proof.situations import Situation, Situations, known_to
from reknit.proof.verdict import Counterexample, Coverage, Verdict
from reknit.sim.arrays import wrong
from reknit.sim.buffers import find_buffer, position, to_words
from reknit.sim.builtins import Triple
from reknit.sim.entry import find_entry, function_of_entry, reached_functions
from reknit.sim.images import Image, Sampler
from reknit.sim.run import Program
from reknit.sim.stages.fragment import FragmentStage
from reknit.source.diagnostic import Diagnostic, InputError, Note
from reknit.source.place import Place

MOST_INPUTS: Final = 4096


def prove(before: Module, after: Module, question: Question | None = None) -> Verdict:
    """Whether `after` may stand for `before`.

    Raises InputError: RK1301 (the two can't be compared), RK1302 (a run does not end), RK1303 (nothing to compare),
    RK1305 (no certificate can be written), RK1306 (a certificate does not hold), and what running raises (RK1001 to
    RK1006).
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
        self.before = before
        self.after = after
        self.question = question
        groups = question.groups if question.groups is not None else (1, 1, 1)
        self.groups: Triple = groups
        self.pool = Pool([before, after])
        self.coverage = Coverage(groups, question.subgroup_sizes)
        self.coverage.trivial = are_same(before, after)
        self.certificate = ""
        self.judged = 0  # inputs, each at each subgroup size that it was run at
        self.coverage.spec = {f"{key} = {value}": None for key, value in question.spec.items()}

    def run(self) -> Verdict:
        if not self.question.subgroup_sizes:
            raise nothing(self.before, "no subgroup size was given")
        for name, values in self.question.domains.items():
            if not values:
                raise nothing(self.before, f"the domain of '{name}' is empty")
        for entry in self.entries():
            self.coverage.entries.append(entry)
            promises = self.promises(entry)
            self.coverage.weaker.update(dict.fromkeys(promises.weaker))
            self.coverage.unsure.update(dict.fromkeys(promises.unsure))
            if self.is_proved_by_terms(entry):
                continue
            self.coverage.unsure.update(dict.fromkeys(promises.counted))
            counterexample = self.entry(entry)
            if counterexample is not None:
                return Verdict(self.coverage, counterexample)
        if self.coverage.trivial or self.coverage.weaker or self.coverage.by_terms():
            return Verdict(self.coverage, None)
        if self.coverage.undefined == self.judged:
            raise nothing(self.before, "every input that was tried is undefined behaviour before")
        return Verdict(self.coverage, None)

    def by_certificate(self) -> Verdict:
        """Of one entry point: a certificate holds, or one is found."""
        entries = self.entries()
        if len(entries) != 1:
            raise lacking(self.after, "it is of one entry point, which --entry names")
        (entry,) = entries
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
            for what in book.unknown:
                why = "is unknown: the ledger of freedoms has no row for it"
                promises.unsure.append(f"what {what} may do {when} {why}")

    def is_proved_by_terms(self, entry: str) -> bool:
        """Whether the normal form proves an entry point, so that nothing has to be run."""
        coverage = self.coverage
        if not self.question.by_terms or coverage.trivial or coverage.weaker or coverage.unsure:
            return False
        step(f"{entry}, for every input")
        coverage.terms[entry] = finding = by_terms(self.before, self.after, entry, self.question.rules)
        if finding.proved:
            self.note_rules(entry)
        return finding.proved

    def note_rules(self, entry: str) -> None:
        for module, rules in zip((self.before, self.after), self.coverage.rules, strict=True):
            rules[rules_for(module, function_of_entry(find_entry(module, entry), True), self.question.rules)] = None

    def entries(self) -> list[str]:
        """The entry points to compare: the one asked for, or all."""
        mine = [point.text(2) for point in self.before.entry_points]
        other = [point.text(2) for point in self.after.entry_points]
        wanted = [self.question.entry] if self.question.entry is not None else mine
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
        scenes = scenes_for(self.before, self.after, entry, asked.scene, self.pool)
        drawings = list(scenes.values())
        self.coverage.scenes.update(dict.fromkeys(scenes))
        if drawings and asked.scene is None:
            self.coverage.whole = False
        before, after = self.sides(entry, None, drawings)
        refinement = Refinement(before, after, asked.limit, self.coverage)
        first = asked.subgroup_sizes[0]
        alike = self.is_alike(entry, before.program(first), after.program(first))
        drawn: Plan | None = None
        for size in asked.subgroup_sizes:
            program, shown = self.interface(before, after, size)
            drawn = over(plan(self.maker(program, shown, self.groups), asked.sample, MOST_INPUTS), drawings)
            if self.coverage.trivial:
                return None
            if size == first:
                self.tell(drawn)
                guided = self.guided(entry, self.maker(program, shown, self.groups), refinement, drawings)
                if guided is not None:
                    self.coverage.stopped(1)
                    return guided
            for number, given in enumerate(drawn.inputs, 1):
                step(f"{entry}, subgroup size {size}: input {number} of {len(drawn.inputs)}")
                counterexample = refinement.judge(size, given)
                if counterexample is not None:
                    plain = refinement.judge(size, without_fill(given, shown, asked.buffers))
                    self.coverage.runs += before.runs + after.runs
                    self.coverage.stopped(number if size == first else 0)
                    return plain if plain is not None else counterexample
            self.judged += len(drawn.inputs)
            if size == first:
                self.coverage.inputs += len(drawn.inputs)
                if alike:
                    break
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

    def is_alike(self, entry: str, before: Program, after: Program) -> bool:
        """Whether nothing of a fragment shader shows how large subgroups are: it stores nothing, and asks no more than
        quads, whose invocations share one. Then one size stands for all."""
        for module, program in ((self.before, before), (self.after, after)):
            if not isinstance(program.stage, FragmentStage) or program.rules == SUBGROUP_UNIFORM:
                return False
            if packed(module, entry) or shares(module, entry):
                return False
        return True

    def guided(
        self, entry: str, maker: Maker, refinement: Refinement, drawings: list[Scene]
    ) -> Counterexample | None:
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
            step(f"{entry}, numbers that matter: input {number + 1} of {len(inputs)}")
            counterexample = refinement.judge(sizes[number % len(sizes)], given)
            if counterexample is not None:
                self.coverage.stopped(number)
                return counterexample
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
            for number in situation.inputs:
                step(f"{entry}, {situation.what}")
                given = maker.sampled(number)
                if drawings:
                    given[SCENE] = drawings[number % len(drawings)]
                counterexample = refinement.judge(situation.size, given)
                if counterexample is not None:
                    if situation.shared:
                        counterexample.reason += f", with {situation.what}"
                    self.coverage.stopped(1)
                    return counterexample
            self.coverage.runs += before.runs + after.runs
            if coverage.undefined < len(situation.inputs):
                self.coverage.more[situation.what] = None
            elif situation.matters:
                self.coverage.fixed[f"{situation.what} (undefined before)"] = None
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
        program = before.program(size)
        apart = differences(program, after.program(size))
        if apart:
            raise unlike(self.after, apart)
        shown = ports(program)
        if not any(port.writable for port in shown) and not program.stage.leaves():
            raise nothing(self.before, f"entry point '{before.entry}' can write to no buffer and has no output")
        return program, shown

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
        return Maker(shown, given, domains, self.pool, program.stage.extent(groups))

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
    if drawn.whole and count * len(drawings) <= MOST_INPUTS:
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
    message = "the two modules can't be compared: they look different from outside"
    return InputError([Diagnostic("RK1301", message, Place(module.path), notes=notes)])


def nothing(module: Module, reason: str) -> InputError:
    """RK1303."""
    return InputError([Diagnostic("RK1303", f"nothing can be compared: {reason}", Place(module.path))])
