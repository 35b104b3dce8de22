"""What a shader stores before and after, on the same inputs: on lavapipe, and in the simulator, which is the judge.

    compare(glslang's binary, ours)  ->  (SAME, "")

    lavapipe, before ─┬─ equal ─┬─ to what the simulator has of the shader before ──▶ same
    lavapipe, after  ─┘         ├─ within ULP units in the last place of it ──▶ near
                                └─ or not, if it reads what nothing has written, races ... ──▶ undefined
    after: one of the results that the rules allow the shader before ──▶ allowed
    the same before and after, but the rules allow more results than are gone through ──▶ open
    else ──▶ differs
    a vertex shader: the simulator before and after, no driver ──▶ simulated

Numbers of buffers and texels are small: whole ones below 4, floats in eighths from -1 to 3. One workgroup, or one
triangle.
"""

import random
import signal
from types import FrameType
from typing import Any

from kit.oracles import drivers

import reknit
from corpus_runs.one import ALLOWED, DIFFERS, NEAR, NOT_RUN, OPEN, SAME, SIMULATED, UNDEFINED
from reknit.ir import enums
from reknit.ir.module import Module
from reknit.proof import devices
from reknit.proof.devices import Comparer, Comparison
from reknit.proof.inputs import Maker
from reknit.proof.interface import ports
from reknit.proof.pool import Pool
from reknit.proof.scenes import scenes_for
from reknit.sim.drawing import Drawing
from reknit.sim.entry import find_entry
from reknit.sim.result import Result
from reknit.sim.run import prepare
from reknit.source.diagnostic import InputError

LANES = 8
ULP = 4096
"""For chains of divisions, powers and sines: of a float's 23 bits, 11 agree."""
STEPS = 400_000
SECONDS = 25
MOST = 8
STAGES = (enums.ExecutionModelGLCompute, enums.ExecutionModelFragment, enums.ExecutionModelVertex)
SMALL = 5
"""The pattern of `Maker` that has small numbers."""


FINE = (devices.SAME, devices.ALLOWED)


class _Late(Exception):
    """Running it takes too long."""


def compare(before: bytes, after: bytes) -> tuple[str, str]:
    """(one of VERDICTS, what differs or why nothing was run)."""
    modules = [reknit.load(before), reknit.load(after)]
    signal.signal(signal.SIGALRM, _late)
    signal.alarm(SECONDS)
    try:
        entry = find_entry(modules[1], None)
        if entry.word(0) not in STAGES:
            return NOT_RUN, "a stage that is not run"
        if "Dref" in reknit.text(modules[0]):  # undefined without a sampler that compares and a depth format
            return NOT_RUN, "it compares depths, and the images and samplers given have none"
        return _compared(modules, entry.text(2), entry.word(0))
    except InputError as refusal:
        return NOT_RUN, f"{refusal.diagnostics[0].code} {refusal.diagnostics[0].message}"
    except _Late:
        return NOT_RUN, f"more than {SECONDS} s"
    finally:
        signal.alarm(0)


def _late(number: int, frame: FrameType | None) -> None:
    raise _Late


def _compared(modules: list[Module], entry: str, model: int) -> tuple[str, str]:
    pool = Pool(modules)
    scene: Any = next(iter(scenes_for(modules[0], modules[1], entry, None, pool).values()), None)
    given = _inputs(modules, entry, pool, scene)
    if model == enums.ExecutionModelVertex:
        runs = [
            reknit.run(module, entry, subgroup_size=LANES, buffers=given, drawing=scene, max_steps=STEPS)
            for module in modules
        ]
        same = [run.to_json() for run in runs]
        return (SIMULATED, "") if same[0] == same[1] else (DIFFERS, "the simulator's results before and after")
    exact, near = (_comparer(modules[0], entry, given, scene, ulp) for ulp in (0, ULP))
    after = _comparer(modules[1], entry, given, scene, 0)
    target = drivers.target("lavapipe", LANES)
    drawn = [exact.on(target, 0), after.on(target, 0)]
    changed = _unlike(exact, drawn[0], drawn[1])
    judged = exact.judge(drawn[1])
    if judged.verdict in FINE:
        return (ALLOWED if changed or judged.verdict == devices.ALLOWED else SAME), ""
    closer = near.judge(drawn[1])
    if closer.verdict in FINE and not changed:
        return NEAR, ""
    if devices.UNDEFINED in (judged.verdict, closer.verdict):
        return UNDEFINED, "; ".join(each.message for each in judged.diagnostics[:2])
    if judged.verdict == devices.UNKNOWN and not changed:
        return OPEN, judged.coverage
    return DIFFERS, f"before and after: {changed}" if changed else f"{closer.verdict}: {_first(closer)}"


def _comparer(module: Module, entry: str, given: dict[str, Any], scene: Drawing | None, ulp: int) -> Comparer:
    return Comparer(module, entry, (1, 1, 1), given, None, None, STEPS, MOST, ulp, drawing=scene)


def _inputs(modules: list[Module], entry: str, pool: Pool, scene: Any) -> dict[str, Any]:
    program = prepare(modules[1], entry, subgroup_size=LANES, drawing=scene)
    maker = Maker(ports(program), {}, {}, pool, program.stage.extent((1, 1, 1)))
    return {
        port.place: maker.drawn(port, SMALL, 0, random.Random(f"values {number}"))
        for number, port in enumerate(maker.ports)
    }


def _unlike(comparer: Comparer, before: Result, after: Result) -> str:
    """The first number in which two results of the driver differ."""
    found = [f"{each.buffer} {each.element.name}" for each in comparer.differences(before, after)]
    found += [str(each.key) for each in comparer.outputs(before, after)]
    return f"{found[0]} of {len(found)}" if found else ""


def _first(comparison: Comparison) -> str:
    for each in comparison.differences:
        return f"{each.buffer} {each.element.name}: {each.expected:#x} simulated, {each.actual:#x} on the driver"
    for unlike in comparison.outputs:
        return str(unlike.to_json())
    return comparison.coverage
