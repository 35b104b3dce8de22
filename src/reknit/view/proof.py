"""A verdict for people: what was gone through, and of a refutation the run that shows it.

refuted: the second version has a result that the first does not allow
  entry point main, subgroup size 4, workgroups 1x1x1
  --set kinds=0,1,2,3

result.sum: u32[4]  (set 0, binding 1)  words 0-3 differ
  before | 41 40 40 40
  after  | 11 10 10 10
lane 1 is the first to differ, at its tangled operation 1
  before: OpGroupNonUniformIAdd %tens in %others with lanes 0-3 of its subgroup, which gives it 40
"""

import json
from typing import Final

from reknit.ir.module import Module
from reknit.proof.readings import OPEN
from reknit.proof.scenes import scene_document, text_of
from reknit.proof.verdict import PROVED, PROVED_FOR_DOMAIN, REFUTED, Counterexample, Verdict
from reknit.sim.arrays import elements_of
from reknit.sim.buffers import BufferResult
from reknit.sim.decorations import Decorations
from reknit.sim.drawing import Drawing
from reknit.sim.faults import lane_list
from reknit.sim.value_text import scalar_text
from reknit.view.buffers import UNDEFINED, BufferBlocks, show_buffer
from reknit.view.outcomes import witness

MAX_SHOWN: Final = 64


def show_verdict(module: Module, verdict: Verdict, base: int = 10) -> str:
    """`module` is the one before, for the names of its buffers; integers to base 10 or 16."""
    counterexample = verdict.counterexample
    coverage = verdict.coverage
    allowed = "the first version allows every result of the second"
    reading = coverage.reading()
    if counterexample is not None:
        rules = f"(rules: {coverage.by()})"
        lines = [
            f"refuted: {counterexample.reason} {rules}",
            *show_counterexample(module, counterexample, base),
            "",
            "tried so far",
        ]
    elif verdict.verdict == REFUTED:
        lines = [f"refuted: the second version promises less than the first (rules: {coverage.by()})"]
    elif verdict.verdict == PROVED and coverage.trivial:
        return f"proved: the two are one module, apart from names and ids ({coverage.domain()})\n"
    elif verdict.verdict == PROVED:
        entries = [f"  {entry}: {term.text()}\n" for entry, term in coverage.terms.items()]
        alike = ", ".join(coverage.only_alike())
        alike = f"  assumed to be decided alike in both versions: {alike}\n" if alike else ""
        taken = ", ".join(coverage.taken)
        taken = f"  the second version uses what the first leaves open: {taken}\n" if taken else ""
        return f"proved: for {coverage.domain()}\n{''.join(entries)}{taken}{alike}"
    elif verdict.verdict == PROVED_FOR_DOMAIN:
        lines = [f"proved for the domain: {allowed} ({coverage.domain()})"]
    elif coverage.failing:
        lines = [f"sampled: {reading}, and the input says nothing of which is meant ({coverage.domain()})"]
    elif coverage.undecided:
        lines = [
            "sampled: the second version has results that were not found for the first, which may have them too "
            f"({coverage.domain()})"
        ]
    elif not coverage.has_judged():
        lines = [f"sampled: no input could be judged ({coverage.domain()})"]
    else:
        lines = [f"sampled: the first version allows every result that was found for the second ({coverage.domain()})"]
    if reading and not coverage.failing and counterexample is None:
        lines.append(f"  {reading} of the loops that the input leaves open ({OPEN})")
    return "\n".join([*lines, *[f"  {line}" for line in verdict.coverage.lines()]]) + "\n"


def show_counterexample(module: Module, counterexample: Counterexample, base: int = 10) -> list[str]:
    scene = counterexample.scene
    extent = f"workgroups {'x'.join(map(str, counterexample.groups))}" if scene is None else text_of(scene)
    lines = [f"  entry point {counterexample.entry}, subgroup size {counterexample.subgroup_size}, {extent}"]
    if scene is not None:
        kind = "scene" if isinstance(scene, Drawing) else "vertices"
        lines.append(f"  {kind}: {json.dumps(scene_document(scene))}")
    lines.extend([f"  --spec {key}={value}" for key, value in counterexample.spec.items()])
    if counterexample.origin.device or any(counterexample.origin.base):
        first = ", ".join(map(str, counterexample.origin.base))
        lines.append(f"  first workgroup ({first}), device {counterexample.origin.device}")
    for name, given in counterexample.inputs.items():
        lines.append(f"  --set {name}={','.join(map(str, given)) if isinstance(given, list) else given}")
    names = Decorations(module)
    blocks = BufferBlocks(module, names)
    before, after = counterexample.before.result.buffers, counterexample.after.result.buffers
    for name, first_buffer, two in zip(before, before.values(), after.values(), strict=False):
        words = [difference.word for difference in counterexample.differences if difference.buffer == name]
        if any(word not in first_buffer.undefined for word in words):
            text = show_buffer(
                first_buffer, blocks.of(first_buffer), names, counterexample.subgroup_size, base
            )
            lines.extend(["", *_differing(text.split("\n", 1)[0], first_buffer, two, base)])
    several = (
        f"; {counterexample.allowed} results are allowed, this is the closest" if counterexample.allowed > 1 else ""
    )
    lines.extend(_outputs(counterexample))
    lines.append("")
    lines.append(f"before: {witness(counterexample.before)}{several}")
    lines.append(f"after: {witness(counterexample.after)}")
    for diagnostic in counterexample.after.result.diagnostics:
        lines.append(f"after: {diagnostic.severity}[{diagnostic.code}]: {diagnostic.message}")
    if counterexample.first is not None:
        lines.extend(counterexample.first.lines())
    point = counterexample.divergence_point
    if point is not None:
        where = f" of workgroup {point.group}" if counterexample.groups != (1, 1, 1) else ""
        lines.append(f"lane {point.lane}{where} is the first to differ, at its tangled operation {point.number}")
        lines.append(f"  before: {point.before if point.before is not None else 'it has none'}")
        lines.append(f"  after:  {point.after if point.after is not None else 'it has none'}")
    return lines


def _outputs(counterexample: Counterexample) -> list[str]:
    """A row for each number of the stage's outputs that differs."""
    outputs = counterexample.outputs
    if not outputs:
        return []
    rows = [("output", "before", "after")]
    rows += [(unlike.label, unlike.before or "nothing", unlike.after or "nothing") for unlike in outputs[:MAX_SHOWN]]
    widths = [max([len(row[at]) for row in rows]) for at in range(3)]
    lines = ["", *[f"  {row[0]:<{widths[0]}}  {row[1]:>{widths[1]}}  {row[2]:>{widths[2]}}" for row in rows]]
    return lines + ([f"  ... {len(outputs) - MAX_SHOWN} more; --json has all"] if len(outputs) > MAX_SHOWN else [])


def _differing(title: str, before: BufferResult, after: BufferResult, base: int) -> list[str]:
    """A row each, of the elements if the buffer is an array of scalars, else of its words. What is undefined before
    allows anything after, and is shown as `?`."""
    kind, count = elements_of(before.layout)
    size = kind.width // 8 if kind is not None and count == 1 else 4
    rows: list[list[str]] = []
    for buffer in (before, after):
        data = b"".join([word.to_bytes(4, "little") for word in buffer.words])
        cut = [data[at : at + size] for at in range(0, len(data) - size + 1, size)]
        if kind is not None and count == 1:
            rows.append([scalar_text(kind, raw, base) for raw in cut])
        else:
            rows.append([f"{int.from_bytes(raw, 'little'):#x}" for raw in cut])
    for at in range(len(rows[0])):
        if all(word in before.undefined for word in range(at * size >> 2, (at * size + size + 3) >> 2)):
            rows[0][at] = UNDEFINED
    differ = [at for at in range(min(map(len, rows))) if rows[0][at] not in (rows[1][at], UNDEFINED)]
    listed = lane_list(differ).removeprefix("lanes ").removeprefix("lane ")
    columns = differ[:MAX_SHOWN] if len(rows[0]) > MAX_SHOWN else list(range(len(rows[0])))
    unit = "elements" if kind is not None and count == 1 else "words"
    shown = f", {len(columns)} of them shown" if len(columns) < len(differ) else ""
    width = max([len(row[at]) for row in rows for at in columns] + [1])
    lines = [f"{title}  {unit} {listed} differ{shown}"]
    if len(rows[0]) > MAX_SHOWN:
        lines.append("  element| " + " ".join([str(at).rjust(width) for at in columns]))
    for label, row in zip(("before", "after"), rows, strict=True):
        lines.append(f"  {label:<6} | " + " ".join([row[at].rjust(width) for at in columns]))
    return lines
