"""Random faults in random programs: none that a run tells apart may be called proved.

    draw a program ─▶ one or two edits, perhaps passes behind them ─▶ well formed? ─▶ a few runs: told apart?
        ─▶ the normal form      not proved    counted
                                proved        many runs: inputs, subgroup sizes, policies; where one differs,
                                              `prove` by runs, which knows all that is allowed: refuted?     FALSE

`python -m kit.random.faults FROM TO [FAMILY]` goes through seeds, says how many there were of what, and writes the two
programs of each false proof into the current folder.
"""

import random
import sys
from collections import Counter
from collections.abc import Callable
from typing import Final

from kit.pipelines import REWRITING
from kit.proving import finding, promises_keep
from kit.random.callables import random_callables
from kit.random.dispatch import random_program
from kit.random.edits import EDITS
from kit.random.edits_around import EDITS_AROUND
from kit.random.effects import random_effects
from kit.random.odd_shapes import program as odd_program
from kit.random.trees import program as tree_program

from reknit.fuzzing.features import FEATURES, PLAIN
from reknit.fuzzing.generate import generate
from reknit.fuzzing.to_module import module_of
from reknit.ir import enums, op
from reknit.ir.instr import Instr
from reknit.ir.module import Module, annotation
from reknit.ir.text.parser import parse
from reknit.ir.text.printer import print_module
from reknit.ir.verify import verify
from reknit.passes.manager import run_passes
from reknit.proof.normal_form.judge import Finding
from reknit.proof.prove import prove
from reknit.proof.question import Question
from reknit.sim.policy import Policy
from reknit.sim.run import Program, prepare
from reknit.source.diagnostic import ERROR, InputError

ENDS_IN: Final = (InputError, AssertionError, KeyError, ValueError, IndexError, AttributeError)
"""What an edit that fits nowhere ends in. What judges its result, and the passes behind it, may only refuse."""
MEANING: Final = Policy("label", "always", "lifo")
POLICIES: Final = (
    MEANING,
    Policy("value", "never", "fifo"),
    Policy("value", "random:3", "random:5", kill="demote", quads="end"),
)
BEFORE: Final = ("", "", "promote-variables", REWRITING, "promote-variables,simplify-cfg", "eliminate-phis")
BEHIND: Final = (
    "simplify-cfg", "fold,dce", "cse,licm", "promote-variables", "lower-switches", REWRITING, "peel-loops",
    "unroll-loops", "specialize-dispatch,lower-dispatch",
)  # fmt: skip
"""Passes that turn a fault into something less easily seen."""
ASKED: Final = 0.4
"""The share of edits that a few runs don't tell apart of which the normal form is asked all the same."""
STEPS: Final = 60_000
Inputs = dict[str, list[int]]


class Sample:
    """A program as text, with what to run it on."""

    def __init__(self, text: str, sizes: list[int], inputs: list[Inputs]) -> None:
        self.text = text
        self.sizes = list(dict.fromkeys(sizes))
        self.inputs = inputs


def generated(seed: int, rng: random.Random) -> Sample:
    features = [name for name in FEATURES if name != PLAIN and rng.random() < 0.3]
    program = generate(seed, rng.choice((0, 5, 8)), features)
    inputs: list[Inputs] = [{"out": [fill] * program.lanes} for fill in (0, 0x5A5A)]
    sizes = [program.subgroup_size] if program.fragment else [4, program.subgroup_size, 8]
    return Sample(print_module(module_of(program)), sizes, inputs if not program.fragment else [{}])


def effects(seed: int, rng: random.Random) -> Sample:
    inputs: list[Inputs] = []
    for kind in range(4):
        words = [rng.randrange((4, 20, 1 << 32)[(kind + at // 4) % 3]) for at in range(32)]
        inputs.append({"in": words[:16], "more": words[16:], "out": [kind * 77] * 64, "counters": [0, 0, 0]})
    return Sample(random_effects(seed), [8, 4, 32], inputs)


def odd(seed: int, rng: random.Random) -> Sample:
    module = odd_program(seed, False, rng.choice((6, 10, 16)))
    module.extensions.append(annotation(op.Extension, ["SPV_KHR_maximal_reconvergence"]))
    mode = enums.ExecutionModeMaximallyReconvergesKHR
    module.execution_modes += [annotation(op.ExecutionMode, [e.operands[1], mode]) for e in module.entry_points]
    return Sample(print_module(module), [4, 8], [{}])


def tree(seed: int, rng: random.Random) -> Sample:
    return Sample(print_module(tree_program(seed, rng.choice((6, 10, 16)))), [8, 32], [{}])


def dispatch(seed: int, rng: random.Random) -> Sample:
    return Sample(random_program(seed, rng.choice((0.0, 0.5, 1.0))), [4, 16], [{}])


def callables(seed: int, rng: random.Random) -> Sample:
    return Sample(random_callables(seed), [4, 16], [{}])


FAMILIES: Final[dict[str, Callable[[int, random.Random], Sample]]] = {
    "generated": generated,
    "effects": effects,
    "odd": odd,
    "tree": tree,
    "dispatch": dispatch,
    "callables": callables,
}
USUAL: Final = ("generated", "effects", "generated", "effects", "effects", "odd", "tree", "dispatch")


def sample(seed: int, family: str) -> Sample:
    """The program of a seed, as it is or after passes."""
    rng = random.Random(seed)
    found = FAMILIES[family](seed, rng)
    passes = rng.choice(BEFORE)
    if passes and family not in ("dispatch", "callables"):
        module = parse(found.text)
        run_passes(module, passes)
        drop_unused(module)
        found.text = print_module(module)
    return found


def drop_unused(module: Module) -> None:
    """Take out buffers that no instruction uses: runs see them, and nothing depends on them."""
    for variable in [each for each in module.globals if each.op == op.Variable]:
        if not any(isinstance(user, Instr) and user.block is not None for user in variable.users):
            module.decorations[:] = [note for note in module.decorations if note.operands[0] is not variable]
            if all(variable not in point.operands for point in module.entry_points):
                module.globals.remove(variable)


def planted(text: str, rng: random.Random) -> tuple[Module, str] | None:
    """The module of a text with one or two faults, and which they are; None where none fits, or it is not well
    formed."""
    module = parse(text)
    names: list[str] = []
    done = False
    for _ in range(rng.choice((1, 1, 1, 2))):
        edit = rng.choice(EDITS_AROUND if rng.random() < 0.12 else EDITS)
        try:
            done = edit(module, rng.choice(module.functions), rng) or done
        except ENDS_IN:
            return None
        names.append(edit.__name__)
    if not done or is_broken(module):
        return None
    try:
        if rng.random() < 0.15:
            names.append(rng.choice(BEHIND))
            run_passes(module, names[-1])
        new = print_module(module)
        again = parse(new)
    except InputError:
        return None
    return None if new == text or is_broken(again) else (again, "+".join(names))


def is_broken(module: Module) -> bool:
    return any(fault.severity == ERROR for fault in verify(module))


class Run:
    """`fault` says how it failed or what was undefined, `words` has all buffers by name."""

    def __init__(self, fault: str, words: dict[str, list[int]]) -> None:
        self.fault = fault
        self.words = words

    def differs(self, other: "Run") -> bool:
        """In a buffer that both programs have, or in how it ends."""
        both = self.words.keys() & other.words.keys()
        return self.fault != other.fault or any(self.words[name] != other.words[name] for name in both)


class Runs:
    """What one program does, run by run, as far as asked for."""

    def __init__(self, module: Module) -> None:
        self.module = module
        self.entry = module.entry_points[0].text(2)
        self.programs: dict[int, Program] = {}
        self.known: dict[tuple[int, int, int], Run] = {}

    def result(self, size: int, inputs: list[Inputs], number: int, policy: int) -> Run:
        """All buffers after a run, or how it failed."""
        key = (size, number, policy)
        if key not in self.known:
            self.known[key] = self._run(size, inputs[number], POLICIES[policy])
        return self.known[key]

    def _run(self, size: int, given: Inputs, policy: Policy) -> Run:
        try:
            if size not in self.programs:
                self.programs[size] = prepare(self.module, self.entry, subgroup_size=size)
            program = self.programs[size]
            names = [buffer.name for buffer in program.buffers()]
            result = program.run(policy, buffers={n: given[n] for n in given if n in names}, max_steps=STEPS)
        except InputError as error:
            return Run(error.diagnostics[0].code, {})
        codes = sorted({each.code for each in result.diagnostics})
        return Run(" ".join(codes), {name: list(buffer.words) for name, buffer in result.buffers.items()})


def told_apart(before: Runs, after: Runs, found: Sample, policies: int, sizes: int, inputs: int) -> bool:
    """Whether any run differs. Where the first program fails or is undefined, the second one may do anything."""
    for policy in range(policies):
        for size in found.sizes[:sizes]:
            for number in range(len(found.inputs[:inputs])):
                first = before.result(size, found.inputs, number, policy)
                if not first.fault and after.result(size, found.inputs, number, policy).differs(first):
                    return True
    return False


def why_not(found: Finding) -> str:
    """Whether the two differ, or there is no word for something."""
    return "nothing like it is followed" if "follow" in found.reason or "declare" in found.reason else "differ"


def tried(seed: int, count: int, family: str = "") -> Counter[str]:
    """`count` edits of the program of a seed: how many are told apart by a run, and how many of these are proved."""
    family = family or USUAL[seed % len(USUAL)]
    totals: Counter[str] = Counter()
    rng = random.Random(seed)
    found = sample(seed, family)
    before = parse(found.text)
    plain = Runs(before)
    for _ in range(count):
        fault = planted(found.text, rng)
        if fault is None:
            totals["not well formed"] += 1
            continue
        after, name = fault
        runs = Runs(after)
        differs = told_apart(plain, runs, found, 1, 1, 2)
        if not differs and rng.random() > ASKED:
            totals["not told apart, not asked"] += 1
            continue
        judged = finding(before, after)
        if not judged.proved or not promises_keep(before, after):
            why = why_not(judged) if not judged.proved else "promises less"
            totals[f"told apart: {why}" if differs else "not told apart, not proved"] += 1
            continue
        totals["proved"] += 1
        if not told_apart(plain, runs, found, len(POLICIES), 3, 4):
            continue
        try:
            word = by_runs(before, after, found)
        except InputError as error:
            totals[f"proved, and not run: {error.diagnostics[0].code}"] += 1
            continue
        if word in ("sampled", "proved for the domain"):
            totals[f"proved, another run of those allowed: by runs {word}"] += 1
            continue
        totals["FALSE"] += 1
        print(f"seed {seed} {family}: {name} is proved, and by runs {word}", flush=True)
        kept(f"false-{seed}-{totals['FALSE']}", found.text, print_module(after))
    return totals


def by_runs(before: Module, after: Module, found: Sample) -> str:
    """The verdict of `prove` on the entry point that was judged, without the normal form. Raises InputError for what
    can't be run."""
    entry = before.entry_points[0].text(2)
    question = Question(entry=entry, subgroup_sizes=found.sizes, sample=6, buffers={}, by_terms=False)
    return prove(before, after, question).verdict


def kept(name: str, before: str, after: str) -> None:
    """The pair in two files of the current folder."""
    for which, text in (("before", before), ("after", after)):
        with open(f"{name}.{which}.rk", "w") as file:
            file.write(text)


def main(first: int, last: int, family: str) -> None:
    totals: Counter[str] = Counter()
    for seed in range(first, last):
        totals.update(tried(seed, 16, family))
        if (seed + 1 - first) % 20 == 0:
            print(dict(totals), flush=True)
    apart = sum(count for what, count in totals.items() if what.startswith("told apart"))
    print(f"told apart: {apart}, called proved all the same: {totals['FALSE']}")
    print("\n".join(f"  {what}: {count}" for what, count in sorted(totals.items())))


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3] if len(sys.argv) > 3 else "")
