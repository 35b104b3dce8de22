"""Random pipelines over random programs: what no pass may do, whatever ran before it.

    draw a program ─▶ draw 1 to 8 passes with options ─▶ verified after each ─▶ written ─▶ judged ─▶ no new outcome
          │                        └ refused by the order check: drawn again, and counted
          └ generated, tree, odd, graph, flat, dispatch, callables; with and without tangled operations, and modes

Each pass is verified where it changed something, with the analyses and the facts that its contract speaks of. What is
written is judged by spirv-val and by our own rules. A module that can't be written since jumps over several constructs
or interfaces are left is lowered first.
"""

import random
import sys
import traceback
from collections.abc import Callable
from typing import Final

from kit.oracles import validate
from kit.oracles.graph_runs import always_ends, module_for, random_graph
from kit.random.callables import random_callables
from kit.random.dispatch import random_program
from kit.random.flat import program as flat_program
from kit.random.odd_shapes import program as odd_program
from kit.random.trees import program as tree_program

from reknit.analysis.tangles.rules import DECLARED, MAXIMAL
from reknit.fuzzing.features import FEATURES, PLAIN
from reknit.fuzzing.generate import generate
from reknit.fuzzing.random_pipelines import draw_options, draw_pipeline
from reknit.fuzzing.to_module import module_of
from reknit.fuzzing.unstructured import flatten
from reknit.ir import enums, op, traits
from reknit.ir.edit import erase, replace_uses
from reknit.ir.module import Module, annotation
from reknit.ir.text.parser import parse
from reknit.ir.text.printer import print_module
from reknit.ir.verify import verify
from reknit.ir.walk import instructions
from reknit.passes.catalog import catalog
from reknit.passes.manager import Hooks, run_passes
from reknit.passes.pipeline_text import PassSpec, pipeline_text
from reknit.sim.outcomes import outcomes
from reknit.sim.policy import Policy
from reknit.sim.result import Result
from reknit.sim.run import run
from reknit.source.diagnostic import ERROR, InputError
from reknit.spirv.read import read_module
from reknit.spirv.rules.judge import diagnostics, examine
from reknit.spirv.words import parse as parse_words
from reknit.spirv.write import write_module

SIZES: Final = (4, 8, 32, 64)
POLICIES: Final = (
    Policy("label", "never", "fifo"),
    Policy("value", "never", "random:7"),
    Policy("label", "always", "lifo"),
    Policy("value", "always", "fifo"),
)
"""The corners of what is free at a switch, each the same for all switches: passes copy switches and merge copies."""
MERGES_ARE_GIVEN: Final = ("RK2106", "RK2203")
"""Notes on a module that had no mode and whose constructs may have got merges. It is judged as declared then."""
LIMIT: Final = 2048
STEPS: Final = 400_000


LOWERINGS: Final = (
    "",
    "eliminate-phis, eliminate-multi-level-breaks",
    "structurize, specialize-dispatch, lower-dispatch, eliminate-phis, eliminate-multi-level-breaks",
)


class Fault(Exception):
    """What a pipeline must not do: at `stage`, `what`."""

    def __init__(self, stage: str, what: str) -> None:
        super().__init__(f"{stage}: {what}")
        self.stage = stage
        self.what = what


class Sample:
    """A random program: `text` is its .rk form, `meaning` that of the program whose outcomes it has. `runs`: what it
    stores can be compared before and after."""

    def __init__(self, name: str, module: Module, size: int, runs: bool = True, meaning: Module | None = None) -> None:
        self.name = name
        self.family = name.split("-")[0]
        self.text = print_module(module)
        self.meaning = self.text if meaning is None else print_module(meaning)
        self.size = size
        self.runs = runs
        self.entries = [entry.text(2) for entry in module.entry_points]

    def module(self) -> Module:
        return parse(self.text, f"{self.name}.rk")


# --- programs ---------------------------------------------------------------------------------------------------------


def generated(seed: int, rng: random.Random) -> Sample:
    features = [name for name in FEATURES if name != PLAIN and rng.random() < 0.35]
    program = generate(seed, rng.choice((0, 0, 4, 8)), features)
    return Sample(f"generated-{seed}", module_of(program), program.subgroup_size)


def tree(seed: int, rng: random.Random) -> Sample:
    return Sample(f"tree-{seed}", tree_program(seed, rng.choice((8, 16, 32, 48))), rng.choice(SIZES))


def graph(seed: int, rng: random.Random) -> Sample:
    """Without tangled operations: there, a graph has one meaning."""
    targets = random_graph(seed, rng.choice((6, 12, 20, 40)))
    ends = always_ends(targets)
    module = module_for(targets, 4 if ends else 1)
    untangle(module)
    return Sample(f"graph-{seed}", module, 4, ends)


def flat(seed: int, rng: random.Random) -> Sample:
    """Without its structure. Hints say what a graph does not, so that it means what the structured program means;
    without hints it has one meaning if nothing in it is tangled."""
    module = flat_program(seed)
    hints = rng.random() < 0.5
    if not hints:
        untangle(module)
    structured = parse(print_module(module))
    flatten(module.functions[0], hints)
    return Sample(f"flat-{seed}", module, rng.choice((4, 16)), True, structured)


def odd(seed: int, rng: random.Random) -> Sample:
    module = odd_program(seed, rng.random() < 0.3, rng.choice((10, 20, 30, 45)))
    if rng.random() < 0.5:
        module.extensions.append(annotation(op.Extension, ["SPV_KHR_maximal_reconvergence"]))
        mode = enums.ExecutionModeMaximallyReconvergesKHR
        module.execution_modes += [annotation(op.ExecutionMode, [e.operands[1], mode]) for e in module.entry_points]
    return Sample(f"odd-{seed}", module, rng.choice(SIZES))


def dispatch(seed: int, rng: random.Random) -> Sample:
    return Sample(f"dispatch-{seed}", parse(random_program(seed, rng.choice((0.0, 0.5, 1.0)))), rng.choice((4, 8, 16)))


def callables(seed: int, rng: random.Random) -> Sample:
    return Sample(f"callables-{seed}", parse(random_callables(seed)), rng.choice((4, 8, 16)))


FAMILIES: Final[list[Callable[[int, random.Random], Sample]]] = [
    generated, generated, generated, tree, tree, odd, odd, odd, graph, flat, dispatch, callables,
]  # fmt: skip


def untangle(module: Module) -> None:
    """Take the tangled operations out: each gives a constant instead."""
    codes = traits.TANGLED.keys() - {op.CallDynamic}
    tangled = [instr for function in module.functions for instr in instructions(function) if instr.op in codes]
    if any(instr.op == op.ControlBarrier for instr in tangled):
        return  # shared memory is exchanged between barriers
    for instr in tangled:
        if instr.type is not None:
            replace_uses(instr, module.intern(op.ConstantNull, instr.type, []))
        erase(instr)


def undeclare(module: Module, rng: random.Random) -> None:
    """Leave out what says that tangles reconverge maximally, or declare uniform control flow instead."""
    if rng.random() < 0.5:
        return
    modes = module.execution_modes
    kept = [mode for mode in modes if enums.ExecutionModeMaximallyReconvergesKHR not in mode.operands[1:2]]
    module.execution_modes[:] = kept
    if rng.random() < 0.5:
        return
    for entry in module.entry_points:
        module.execution_modes.append(
            annotation(op.ExecutionMode, [entry.operands[1], enums.ExecutionModeSubgroupUniformControlFlowKHR])
        )
    module.extensions.append(annotation(op.Extension, ["SPV_KHR_subgroup_uniform_control_flow"]))


def sample(seed: int) -> Sample:
    """The program of a seed."""
    rng = random.Random(seed * 2 + 1)
    found = rng.choice(FAMILIES)(seed, rng)
    module = found.module()
    if rng.random() < 0.2 and found.meaning == found.text:
        untangle(module)
        found.meaning = print_module(module)
    undeclare(module, rng)
    found.text = print_module(module)
    return found


# --- judging ----------------------------------------------------------------------------------------------------------


def check(found: Sample, specs: list[PassSpec], counts: dict[str, int]) -> None:
    """Raises Fault."""
    module = found.module()
    faults = [fault for fault in verify(module) if fault.severity == ERROR]
    if faults:
        raise Fault("the program itself", "; ".join(map(str, faults[:3])))
    text = pipeline_text(specs)
    try:
        report = run_passes(module, specs, Hooks(verify_each=True))
    except Exception as error:
        raise Fault("in a pass", trace_of(error)) from error
    rules = DECLARED if any(note.code in MERGES_ARE_GIVEN for note in report.notes()) else MAXIMAL
    if found.runs:
        compare(found, module, rules, f"after {text}")
    again = written(module, counts)
    if found.runs and found.family != "tree":  # SPIR-V has merge instructions for its ifs, which are not merged
        compare(found, again, rules, f"read back after {text}")


def written(module: Module, counts: dict[str, int]) -> Module:
    """What is read back. Raises Fault where the module can't be written or is not valid. What SPIR-V has no words for
    is lowered first: no tree, then jumps over several constructs, then interfaces."""
    lowerings = LOWERINGS if all(function.structured for function in module.functions) else LOWERINGS[-1:]
    text = print_module(module)
    for lowering in lowerings:
        again = parse(text)
        try:
            run_passes(again, lowering, Hooks(verify_each=True))
            binary = write_module(again)
        except InputError as refusal:
            if lowering == lowerings[-1]:
                raise Fault("writing", f"refused: {refusal}") from refusal
            continue
        except Exception as error:
            raise Fault(f"writing after {lowering}", trace_of(error)) from error
        counts[f"written after {lowering}"] = counts.get(f"written after {lowering}", 0) + 1
        judged(binary, f"written after {lowering}" if lowering else "written")
        return read_module(binary)
    raise AssertionError("the last lowering is written or refused")


def judged(binary: bytes, stage: str) -> None:
    found = diagnostics(examine(parse_words(binary)), "<module>")
    if found:
        raise Fault(stage, f"our rules: {found[0]}")
    accepted, message = validate(binary)
    if not accepted:
        raise Fault(stage, f"spirv-val: {message}")


def words_under(module: Module, entry: str, size: int, policy: Policy) -> tuple[tuple[int, ...], ...]:
    result = run(module, entry, subgroup_size=size, policy=policy, max_steps=STEPS)
    if result.diagnostics:
        raise Fault("running", "; ".join(str(one) for one in result.diagnostics[:3]))
    return words_of(result)


def words_of(result: Result) -> tuple[tuple[int, ...], ...]:
    """All that is stored, but for objects that a buffer holds: their bytes are another type's once they are lowered."""
    return tuple(tuple(buffer.words) for name, buffer in result.buffers.items() if name != "objects")


def compare(found: Sample, module: Module, rules: str, stage: str) -> None:
    """Raises Fault where `module` stores what the sample may not by `rules`."""
    before = parse(found.meaning)
    structured = all(function.structured for function in before.functions)
    if not all(function.structured for function in module.functions):
        module = parse(print_module(module))
        run_passes(module, "structurize")
    policies = POLICIES if structured else POLICIES[:2]
    for entry in found.entries:
        compare_entry(found.size, before, module, entry, policies, rules, stage)


def compare_entry(
    size: int, before: Module, module: Module, entry: str, policies: tuple[Policy, ...], rules: str, stage: str
) -> None:
    allowed = {words_under(before, entry, size, policy) for policy in policies}
    whole = None
    for policy in POLICIES:
        words = words_under(module, entry, size, policy)
        if words in allowed:
            continue
        if whole is None:
            whole = outcomes(before, entry, subgroup_size=size, limit=LIMIT, max_steps=STEPS, rules=rules)
            for outcome in whole.outcomes:
                allowed.add(words_of(outcome.result))
        if words not in allowed and whole.exhaustive:
            raise Fault(stage, f"under {policy}, subgroup size {size}: a result that the input does not allow")


def trace_of(error: Exception) -> str:
    lines = traceback.format_exception(error)
    return f"{type(error).__name__}: {str(error)[:1500]}\n{''.join(lines[-3:])[-1500:]}"


def counted(seed: int, counts: dict[str, int]) -> list[PassSpec]:
    """The pipeline of a seed. Half of them begin with structurize, so that what follows has a tree in any case."""
    rng = random.Random(seed)
    specs = draw_pipeline(rng, counts)
    return specs if rng.random() < 0.5 else [draw_options(rng, catalog()["structurize"]), *specs]


def one(seed: int, counts: dict[str, int]) -> tuple[Sample, list[PassSpec], Fault | None]:
    """The program and the pipeline of a seed, and what is wrong. `counts` has how many of what there were."""
    found = sample(seed)
    specs = counted(seed, counts)
    counts[found.family] = counts.get(found.family, 0) + 1
    try:
        check(found, specs, counts)
    except Fault as fault:
        return found, specs, fault
    except Exception as error:
        return found, specs, Fault("a crash", trace_of(error))
    return found, specs, None


if __name__ == "__main__":
    totals: dict[str, int] = {}
    wrong = 0
    first = int(sys.argv[1])
    for number in range(first, int(sys.argv[2])):
        program, passes, found_fault = one(number, totals)
        if found_fault is not None:
            wrong += 1
            told = f"seed {number} {program.name} size {program.size} | {pipeline_text(passes)} | {found_fault}"
            print(told[:3000], flush=True)
        if (number + 1 - first) % 250 == 0:
            print(f"{number + 1 - first} programs, {wrong} faults", flush=True)
    print(totals)
