"""The simulator's two engines on the same programs: every word of every buffer, or why native code did not run.

    corpus ──▶ programs ──▶ each subgroup size ──▶ interpreter, native code ──▶ equal | fallback | DIFFERENT

    PYTHONPATH=tests python -m kit.engines                     the sample that the tests take
    PYTHONPATH=tests python -m kit.engines generated:0:5000    random programs by seed, at every subgroup size
    PYTHONPATH=tests python -m kit.engines cts shaders odd:0:300 graphs:0:300 lavapipe:0:40
    PYTHONPATH=tests python -m kit.engines images:0:2000 pointers:0:2000
    ... --sizes 8,32     --each 2     of the sizes these, or so many of them in turn

shaders are the examples, tests/slang, tests/dispatch and the shaders beside DXIL, as they are and after the whole
pipeline; graphs are random graphs, structurized; lavapipe runs random programs, after the pipeline, on Mesa's driver.
Where the interpreter finds a fault that native code did not stop at, that is a difference, too.
"""

import argparse
import gzip
import json
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, Final
from unittest.mock import patch

import reknit
from kit import ROOT, TESTS
from kit.oracles import drivers, find
from kit.oracles.graph_runs import always_ends, module_for, random_graph, structured
from kit.pipelines import REWRITING
from kit.programs.expected_shaders import KINDS, ExpectedShader
from kit.random import image_programs, odd_shapes, pointer_programs
from reknit.fuzzing.features import ALL, BARRIERS, FEATURES, KILLS, PLAIN, VOTES
from reknit.fuzzing.generate import generate
from reknit.fuzzing.to_module import module_of
from reknit.ir import enums
from reknit.ir.module import Module
from reknit.sim.engine import OWN_FAULT, native_run
from reknit.sim.jit import run as native_code
from reknit.sim.jit.outside import host
from reknit.sim.jit.run import FAULTED
from reknit.sim.result import Result
from reknit.sim.run import run
from reknit.source.diagnostic import InputError
from reknit.vulkan.run import run_on

SIZES: Final = (1, 2, 4, 8, 16, 32, 64, 128)
SAMPLE: Final = ("cts:60", "shaders:12", "generated:0:12", "odd:0:8", "graphs:0:8", "images:0:24", "pointers:0:24")
CONFORMANCE: Final = ROOT.parent / "shared" / "conformance"
PIPELINE: Final = f"specialize-dispatch,lower-dispatch,{REWRITING}"
STEPS: Final = 20_000_000
EQUAL: Final = "equal"
NOT_LAVAPIPE: Final = (BARRIERS, KILLS, VOTES)
"""It loses lanes at barriers of the subgroup in divergent control flow (docs/devices.md), and lacks quad votes."""


@dataclass
class Case:
    """A program with what it is given. `own` is the subgroup size that it is made for, 0 for any."""

    label: str
    module: Module
    groups: int = 1
    buffers: dict[str, Any] = field(default_factory=dict)
    entry: str | None = None
    own: int = 0
    device: bool = False


def kernels(module: Module) -> list[str]:
    """The entry points that the simulator runs."""
    models = (enums.ExecutionModelGLCompute, enums.ExecutionModelKernel)
    return [point.text(2) for point in module.entry_points if point.word(0) in models]


def cts(step: int) -> Iterator[Case]:
    from conformance.cts_program import INPUTS, LANES, CtsProgram

    with gzip.open(CONFORMANCE / "cts_maximal.jsonl.gz", "rt", encoding="utf-8") as file:
        lines = list(file)[::step]
    for line in lines:
        case = json.loads(line)
        most = max(map(len, case["expected_hex_per_invocation"])) + 1
        for size in SIZES:
            trips = most * (1 + max(size, 1) // case["subgroup_size"])  # loops go by the number of a lane
            given = {"a": list(range(INPUTS)), "b": bytes(16 * LANES * trips), "c": bytes(4 * LANES)}
            yield Case(f"cts {case['cts_name']}", CtsProgram(case["ops"]).module, buffers=given, own=size)


def shaders(step: int) -> Iterator[Case]:
    expected = [path for folder in ("slang", "dispatch") for path in sorted((TESTS / folder).glob("*.slang"))]
    expected += sorted(KINDS.glob("*.hlsl"))
    for path in expected[::step]:
        shader = ExpectedShader(path)
        for pipeline in ("", PIPELINE):
            try:
                module = reknit.load(path)
                if pipeline:
                    reknit.compile(module, pipeline)
            except InputError:
                continue
            for entry in kernels(module):
                label = f"{path.parent.name}/{path.name}{' compiled' if pipeline else ''}"
                yield Case(label, module, shader.groups, shader.buffers, entry)
    for path in sorted((ROOT / "examples").iterdir())[::step]:
        if path.suffix in (".slang", ".spvasm", ".rk"):
            yield Case(f"examples/{path.name}", reknit.load(path))


def generated(first: int, count: int) -> Iterator[Case]:
    """Every third program has all that a program may have, every third one thing more than the usual."""
    for seed in range(first, first + count):
        rare = [name for name in FEATURES if name != PLAIN]
        features = ((), ALL, (rare[seed // 3 % len(rare)],))[seed % 3]
        yield Case(f"generated {seed} {','.join(features) if len(features) < 2 else 'all'}".strip(),
            module_of(generate(seed, 0 if seed % 10 == 0 else 8, features)))  # fmt: skip


def odd(first: int, count: int) -> Iterator[Case]:
    for seed in range(first, first + count):
        module = odd_shapes.program(seed)
        for entry in kernels(module):
            yield Case(f"odd {seed}", module, entry=entry)


def graphs(first: int, count: int) -> Iterator[Case]:
    import random

    for seed in range(first, first + count):
        targets = random_graph(seed, 24)
        if not always_ends(targets):
            continue
        module = module_for(targets)
        structured(module, verdict=lambda binary: (True, ""))
        draw = random.Random(seed)
        given = {"decisions": [draw.randrange(12) for _ in range(256)], "trace": [0] * 512, "seen": [0] * 512}
        yield Case(f"graph {seed}", module, buffers=given)


def images(first: int, count: int) -> Iterator[Case]:
    for seed in range(first, first + count):
        module, given = image_programs.program(seed)
        yield Case(f"image program {seed}", module, buffers=given)


def pointers(first: int, count: int) -> Iterator[Case]:
    for seed in range(first, first + count):
        module, given = pointer_programs.program(seed)
        yield Case(f"pointer program {seed}", module, buffers=given)


def lavapipe(first: int, count: int) -> Iterator[Case]:
    """Programs whose result the pipeline has made the only one."""
    if find("lavapipe") is None:
        print("no lavapipe: tools/get_oracles.py brings it", file=sys.stderr)
        return
    features = [name for name in ALL if name not in NOT_LAVAPIPE]
    for seed in range(first, first + count):
        program = generate(seed, 8, features if seed % 2 else ())
        if program.subgroup_size in drivers.LAVAPIPE_LANES:
            module = module_of(program)
            reknit.compile(module, PIPELINE)
            yield Case(f"lavapipe {seed}", module, own=program.subgroup_size, device=True)


def corpus(text: str) -> Iterator[Case]:
    name, *numbers = text.split(":")
    ranges: dict[str, Callable[[int, int], Iterator[Case]]] = {
        "generated": generated, "odd": odd, "graphs": graphs, "images": images, "pointers": pointers,
        "lavapipe": lavapipe,
    }  # fmt: skip
    if name in ranges:
        first, count = [int(number) for number in numbers]
        return ranges[name](first, count)
    return {"cts": cts, "shaders": shaders}[name](int(numbers[0]) if numbers else 1)


def verdict(case: Case, size: int) -> str:
    """EQUAL, why native code did not run it, or "DIFFERENT: ...". What neither can run is "refused"."""
    try:
        many = 0 if size.bit_length() % 2 == 0 else native_code.MANY  # at 2, 8, 32 and 128 as for many invocations
        processor = host().without("avx512") if size in (4, 8, 64) else host()
        with patch.object(native_code, "MANY", many), patch.object(native_code, "host", lambda: processor):
            found = one(case, size, "jit")
    except InputError as error:
        return f"refused: {error.diagnostics[0].message}"
    if found.fallback:
        if found.fallback.startswith(OWN_FAULT):
            return f"DIFFERENT: {found.fallback}"
        unfounded = found.fallback == FAULTED and not found.diagnostics
        return f"fallback: {found.fallback}{' that the interpreter does not find' if unfounded else ''}"
    if case.device:
        try:
            other = run_on(drivers.target("lavapipe", size), case.module, case.entry, subgroup_size=size)
        except InputError as error:
            return f"refused by the driver: {error.diagnostics[0].message.partition('lacks')[2]}"
    else:
        other = one(case, size, "interpreter")
        codes = [diagnostic.code for diagnostic in other.diagnostics]
        if "RK1013" in codes:
            return "too long for the interpreter"
        if other.failed():
            return f"DIFFERENT: the interpreter reports {other.diagnostics[0].message}"
    for name, buffer in other.buffers.items():
        words = found.buffers[name].words
        if words != buffer.words:
            at = next(place for place, word in enumerate(buffer.words) if word != words[place])
            return f"DIFFERENT: {name}[{at}] is {words[at]}, and {buffer.words[at]} by {other.on}"
    return EQUAL


def one(case: Case, size: int, engine: str) -> Result:
    return run(
        case.module, case.entry, groups=(case.groups, 1, 1), subgroup_size=size, buffers=dict(case.buffers),
        max_steps=STEPS, native=native_run(engine),
    )  # fmt: skip


def compared(names: list[str], sizes: list[int], each: int, say: Callable[[str], None]) -> Counter[str]:
    """Verdicts, counted; `each`: of the sizes so many, others for the next program."""
    counts: Counter[str] = Counter()
    turn = 0
    for name in names:
        for case in corpus(name):
            chosen = [case.own] if case.own else [sizes[(turn + at) % len(sizes)] for at in range(each)]
            turn += each
            for size in chosen if case.device or case.own in (0, *sizes) else []:
                try:
                    found = verdict(case, size)
                except Exception as error:  # of reknit's own: the others are compared all the same
                    found = f"DIFFERENT: {error!r}"
                counts[found.partition("DIFFERENT")[1] or found] += 1
                if found.startswith("DIFFERENT"):
                    say(f"{case.label}, subgroups of {size}: {found}")
    return counts


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpora", nargs="*", default=list(SAMPLE))
    parser.add_argument("--sizes", default=",".join(map(str, SIZES)))
    parser.add_argument("--each", type=int, default=0)
    options = parser.parse_args()
    sizes = [int(size) for size in options.sizes.split(",")]
    started = time.process_time()
    counts = compared(options.corpora, sizes, options.each or len(sizes), lambda text: print(text, flush=True))
    ran, different = counts[EQUAL], counts["DIFFERENT"]
    for reason, count in counts.most_common():
        print(f"{count:7} {reason}")
    print(f"{sum(counts.values())} runs: {ran} equal, {different} different; {time.process_time() - started:.0f} s")
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
