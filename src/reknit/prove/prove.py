"""Whether one module may stand for another: all that it may do is something the other may do.

    before, after ──interfaces equal?──▶ all that before promises kept? ──▶ for each entry point, subgroup size, input:
                                             outcomes of after ⊆ outcomes of before?
                                         ──▶ proved for the domain | sampled | refuted, with what was gone through

Refinement, not equality: `lower-switches` leaves one of several allowed results, and that is the point of it. What an
outcome is says `sim.outcomes`: every word of the buffers that can be written, under one way to use the freedoms of
maximal reconvergence. OpUndef and memory that nobody has written are zeros on both sides.
"""

from collections.abc import Mapping
from typing import Any, Final, final

from reknit.ir.module import Module
from reknit.prove.inputs import constants_of, plan
from reknit.prove.interface import Port, asks_for_lengths, differences, ports
from reknit.prove.promises import Promises
from reknit.prove.question import Question
from reknit.prove.refine import Refinement, Side
from reknit.prove.same import are_same
from reknit.prove.verdict import Counterexample, Coverage, Verdict
from reknit.sim.buffers import check_width, find_buffer, position, to_words, wrong
from reknit.sim.images import Image, Sampler
from reknit.sim.run import Program
from reknit.source.diagnostic import Diagnostic, InputError, Note
from reknit.source.place import Place

MOST_INPUTS: Final = 4096


def prove(before: Module, after: Module, question: Question | None = None) -> Verdict:
    """Whether `after` may stand for `before`.

    Raises InputError: RK1301 (the two can't be compared), RK1302 (a run does not end), RK1303 (nothing to compare), and
    what running raises (RK1001 to RK1006).
    """
    return _Proof(before, after, question if question is not None else Question()).run()


@final
class _Proof:
    def __init__(self, before: Module, after: Module, question: Question) -> None:
        self.before = before
        self.after = after
        self.question = question
        self.coverage = Coverage(question.groups, question.subgroup_sizes)
        self.coverage.trivial = are_same(before, after)

    def run(self) -> Verdict:
        if not self.question.subgroup_sizes:
            raise nothing(self.before, "no subgroup size was given")
        for name, values in self.question.domains.items():
            if not values:
                raise nothing(self.before, f"the domain of '{name}' is empty")
        for entry in self.entries():
            self.coverage.entries.append(entry)
            promises = Promises(self.before, self.after, entry)
            if promises.apart:
                raise unlike(self.after, promises.apart)
            self.coverage.weaker.update(dict.fromkeys(promises.weaker))
            self.coverage.unsure.update(dict.fromkeys(promises.unsure))
            found = self.entry(entry)
            if found is not None:
                return Verdict(self.coverage, found)
        if self.coverage.trivial or self.coverage.weaker:
            return Verdict(self.coverage, None)
        if self.coverage.undefined == self.coverage.inputs * len(self.question.subgroup_sizes):
            raise nothing(self.before, "every input that was tried is undefined behaviour before")
        return Verdict(self.coverage, None)

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
            found = [f"entry point '{name}' is not in both" for name in lacking]
            raise unlike(self.after, found + [f"entry point '{name}' is only after" for name in more])
        return wanted

    def entry(self, entry: str) -> Counterexample | None:
        asked = self.question
        sides = [
            Side(module, entry, asked.groups, asked.spec, asked.max_steps, asked.rules)
            for module in (self.before, self.after)
        ]
        self.coverage.rules[0][sides[0].program(asked.subgroup_sizes[0]).rules] = None
        self.coverage.rules[1][sides[1].program(asked.subgroup_sizes[0]).rules] = None
        refinement = Refinement(sides[0], sides[1], asked.limit, self.coverage)
        for size in asked.subgroup_sizes:
            program = sides[0].program(size)
            apart = differences(program, sides[1].program(size))
            if apart:
                raise unlike(self.after, apart)
            shown = ports(program)
            if not any(port.writable for port in shown):
                raise nothing(self.before, f"entry point '{entry}' can write to no buffer")
            inputs = self.inputs(program, shown)
            if self.coverage.trivial or self.coverage.weaker:
                return None
            for number, given in enumerate(inputs, 1):
                found = refinement.judge(size, given)
                if found is not None:
                    plain = refinement.judge(size, without_fill(given, shown, asked.buffers))
                    self.coverage.runs += sides[0].runs + sides[1].runs
                    self.coverage.stopped(number if size == asked.subgroup_sizes[0] else 0)
                    return plain if plain is not None else found
            if size == asked.subgroup_sizes[0]:
                self.coverage.inputs += len(inputs)
        self.coverage.runs += sides[0].runs + sides[1].runs
        return None

    def inputs(self, program: Program, shown: list[Port]) -> list[dict[str, list[int]]]:
        asked = self.question
        groups = asked.groups
        size = program.size
        lanes = size[0] * size[1] * size[2] * groups[0] * groups[1] * groups[2]
        given = {}
        for name, words in asked.buffers.items():
            if isinstance(words, (Image, Sampler)):
                what = "a proof takes the words of buffers, no images and no samplers"
                raise wrong(f"{name!r}: {what}", self.before.path)
            check_width(name, words, find_buffer(name, program.buffers(), self.before.path).layout, self.before.path)
            given[self.place(name, program)] = to_words(name, words, self.before.path)
        domains = {self.place(name, program): values for name, values in asked.domains.items()}
        constants = constants_of(self.before)
        made = plan(shown, given, domains, constants, lanes, asked.sample, MOST_INPUTS)
        self.coverage.claim.update(dict.fromkeys(made.claim))
        self.coverage.how[made.how] = None
        self.coverage.whole = self.coverage.whole and made.whole
        if asks_for_lengths(self.before) or asks_for_lengths(self.after):
            self.coverage.whole = False
            self.coverage.how["run-time arrays of one length"] = None
        return made.inputs

    def place(self, name: str, program: Program) -> str:
        buffer = find_buffer(name, program.buffers(), self.before.path)
        return position(buffer.alias if buffer.alias is not None else buffer)


def without_fill(given: dict[str, list[int]], shown: list[Port], asked: Mapping[str, Any]) -> dict[str, list[int]]:
    """The same input with zeros in buffers that are only written: easier to read, where it is refuted too."""
    plain = dict(given)
    for port in shown:
        if not port.read and not asked:
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
