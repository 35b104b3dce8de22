"""A device against the simulator: is what it stored among the results that the rules allow?

    device's buffers ── equal to the simulator's? ── yes ──▶ same
                              │ no
                              ├─ equal to another outcome, with invocations in index order, or in subgroups in
                              │  another way that Vulkan allows (all ways, or a sample) ──▶ allowed
                              ├─ the simulator says that the program is wrong, that it reads what nothing has
                              │  written, has a data race, or depends on an undefined value ──▶ undefined
                              ├─ the bounds of its floats are known (`sim.float_bounds`), and nothing else is open
                              │    inside those of a run ──▶ within bounds      outside of all ──▶ refuted
                              ├─ it computes what has no one result (`precision`), and no --ulp is given ──▶ imprecise
                              ├─ all outcomes are known, and no row of the ledger of freedoms is left open ──▶ refuted
                              └─ there may be more outcomes ──▶ unknown

A fragment shader is drawn by both. Where helper invocations are is the device's own, and which quads share a subgroup,
where not all ways were gone through.
With `vertices` the vertex shader of the module makes what is drawn (`vertex_stage`).

Both run on the same inputs, at the device's subgroup size. Floats may be allowed to differ by some units in the last
place (ulp): SPIR-V leaves the precision of many operations to the device, and the bits of a NaN.
"""

import random
import struct
from collections.abc import Iterator, Mapping
from typing import Any, Final, TypedDict, final

from reknit.analysis.freedoms import Open
from reknit.analysis.tangles.rules import DECLARED
from reknit.ir.module import Module
from reknit.proof.nearness import close
from reknit.proof.own_choices import interpolated, packed
from reknit.proof.precision import Precision
from reknit.proof.refine import RACE
from reknit.proof.unlike import Difference, Unlike
from reknit.proof.vertex_stage import Staged, staged
from reknit.sim.buffers import BufferResult, fill, find_buffer, position
from reknit.sim.builtins import Triple, extent_of
from reknit.sim.decorations import Decorations
from reknit.sim.drawing import Drawing
from reknit.sim.elements import Element, elements
from reknit.sim.entry import models_of
from reknit.sim.fill import FILLS
from reknit.sim.float_bounds import output_sets
from reknit.sim.framebuffer import Framebuffer
from reknit.sim.left import DEPTH, Number, numbers_of, open_numbers, output_name
from reknit.sim.outcomes import ANY, INDEX, MAPPING, Outcome, Outcomes, outcomes
from reknit.sim.policy import Policy
from reknit.sim.result import Result
from reknit.sim.run import MAX_STEPS, prepare, run
from reknit.sim.shadow.sources import Source
from reknit.sim.values import FLOAT_KIND
from reknit.sim.vertices import Vertices
from reknit.source.diagnostic import Diagnostic, InputError
from reknit.vulkan.draw import draw_on, draw_vertices_on
from reknit.vulkan.interface import interface_of
from reknit.vulkan.run import run_on
from reknit.vulkan.target import Target

SAME: Final = "same"
ALLOWED: Final = "allowed"
UNDEFINED: Final = "undefined"
IMPRECISE: Final = "imprecise"
BOUNDED: Final = "within bounds"
REFUTED: Final = "not allowed"
UNKNOWN: Final = "unknown"
NOT_RUN: Final = "not run"


@final
class Comparison:
    """What became of one device. `outcome` is the number of the outcome it gave (from 1), 0 where it gave none of
    `count`; `differences` are those to the outcome that is closest; `result` is None where it could not be run."""

    __slots__ = (
        "device", "verdict", "subgroup_size", "result", "closest", "outcome", "count", "coverage", "differences",
        "diagnostics", "rules", "outputs",
    )  # fmt: skip

    def __init__(self, device: str, verdict: str, subgroup_size: int = 0) -> None:
        self.device = device
        self.verdict = verdict
        self.subgroup_size = subgroup_size
        self.result: Result | None = None
        self.closest: Outcome | None = None
        self.outcome = 0
        self.count = 1
        self.coverage = ""
        self.rules = ""  # those that the allowed results are by
        self.differences: list[Difference] = []
        self.outputs: list[Unlike] = []  # of a fragment shader
        self.diagnostics: list[Diagnostic] = []

    def __repr__(self) -> str:
        size = f", subgroups of {self.subgroup_size}" if self.subgroup_size else ""
        return f"<{self.device}{size}: {self.verdict}>"

    def count_of(self) -> int:
        """How many numbers differ."""
        return len(self.differences) + len(self.outputs)

    def is_fine(self) -> bool:
        return self.verdict in (SAME, ALLOWED, BOUNDED)


class _Inputs(TypedDict):
    """What every run of a comparison has in common."""

    entry: str | None
    groups: Triple
    subgroup_size: int
    buffers: dict[str, Any]
    push_constants: Any
    spec: Mapping[Any, float] | None


@final
class Comparer:
    """A module and its inputs, to be held against any number of devices; what the simulator gives is kept by subgroup
    size. `ulp` is how far floats may differ, in units in the last place."""

    __slots__ = (
        "module", "entry", "groups", "buffers", "push_constants", "spec", "max_steps", "limit", "ulp", "names", "runs",
        "sets", "rules", "watches", "precision", "drawing", "packed", "vertices", "frame", "staged",
    )  # fmt: skip

    def __init__(
        self,
        module: Module,
        entry: str | None = None,
        groups: Triple = (1, 1, 1),
        buffers: Mapping[str, Any] | None = None,
        push_constants: Any = None,
        spec: Mapping[Any, float] | None = None,
        max_steps: int = MAX_STEPS,
        limit: int = 512,
        ulp: int = 0,
        rules: str = DECLARED,
        drawing: Drawing | None = None,
        vertices: Vertices | None = None,
    ) -> None:
        """With `vertices`, `drawing` is a drawing of nothing, as large as the picture."""
        self.module = module
        self.drawing = drawing
        self.frame = drawing
        self.vertices = vertices
        self.staged: Staged | None = None  # what the vertices leave, once they have been run
        self.entry = entry
        self.groups = groups
        self.buffers: dict[str, Any] = dict(buffers) if buffers is not None else {}
        self.push_constants = push_constants
        self.spec = spec
        self.max_steps = max_steps
        self.limit = limit
        self.ulp = ulp
        self.rules = rules
        self.names = Decorations(module)
        self.runs: dict[int, Result] = {}
        self.sets: dict[tuple[int, str], Outcomes] = {}
        self.watches: dict[int, list[Result]] = {}
        self.precision = Precision(module, entry, models_of(drawing))
        self.packed = ""
        if drawing is not None:
            self.packed = packed(module, entry)
            if vertices is None:
                self.precision.operations.extend(interpolated(module, entry, drawing))

    def randomize(self, seed: int) -> None:
        """Random words into every buffer that is not set, the same for the same seed."""
        interface = interface_of(self.module, self.entry, self.spec, models_of(self.drawing))
        extent = extent_of(interface.size, self.groups)
        if self.drawing is not None:
            extent = (*self.drawing.size, 1)
        fill(interface.order, self.buffers, extent, self.module.path)
        given = [find_buffer(name, interface.order, self.module.path) for name in self.buffers]
        owners = [buffer.alias if buffer.alias is not None else buffer for buffer in given]
        source = random.Random(seed)
        for buffer in interface.order:
            if buffer.alias is None and buffer not in owners and buffer.set >= 0:
                self.buffers[position(buffer)] = [source.getrandbits(32) for _ in buffer.words]

    def inputs(self, subgroup_size: int) -> _Inputs:
        return {
            "entry": self.entry,
            "groups": self.groups,
            "subgroup_size": subgroup_size,
            "buffers": self.buffers if self.staged is None else self.staged.buffers,
            "push_constants": self.push_constants,
            "spec": self.spec,
        }

    def begin(self) -> None:
        """Run the vertex shader, if there is one: its vertices are what is drawn from now on."""
        if self.vertices is None or self.frame is None or self.staged is not None:
            return
        self.staged = staged(
            self.module, self.entry, self.vertices, self.frame, self.buffers, self.spec, self.max_steps, self.rules
        )
        self.drawing = self.staged.drawing
        self.packed = self.packed or self.staged.packed
        self.precision.operations.extend(self.staged.imprecise)
        self.precision.operations.extend(interpolated(self.module, self.entry, self.drawing))

    def compare(self, target: Target, subgroup_size: int = 0, name: str = "") -> Comparison:
        """One device, called `name` where it could not be run.

        Raises InputError for what is wrong with the module or the inputs, not for what the device lacks."""
        try:
            result = self.on(target, subgroup_size)
        except InputError as error:
            if not all(diagnostic.code.startswith("RK11") for diagnostic in error.diagnostics):
                raise
            comparison = Comparison(name or target.name, NOT_RUN)
            comparison.diagnostics = error.diagnostics
            return comparison
        return self.judge(result)

    def on(self, target: Target, subgroup_size: int) -> Result:
        if self.drawing is None or self.frame is None:
            return run_on(target, self.module, **self.inputs(subgroup_size))
        if self.vertices is not None:
            return draw_vertices_on(
                target,
                self.module,
                self.vertices,
                self.frame,
                self.entry,
                subgroup_size=subgroup_size,
                buffers=self.buffers,
                push_constants=self.push_constants,
                spec=self.spec,
            )
        return draw_on(
            target,
            self.module,
            self.drawing,
            self.entry,
            subgroup_size=subgroup_size,
            buffers=self.buffers,
            push_constants=self.push_constants,
            spec=self.spec,
        )

    def judge(self, result: Result, packings: bool = True) -> Comparison:
        """A device's result against what the simulator allows at that subgroup size. Without `packings`, invocations
        share subgroups in index order: what is refuted then may be what another packing gives, and nothing else may
        be refuted with them."""
        self.begin()
        size = result.subgroup_size
        comparison = Comparison(result.on, SAME, size)
        comparison.result = result
        first = self.simulated(size)
        comparison.rules = first.rules
        comparison.differences = self.differences(first, result)
        comparison.outputs = self.outputs(first, result)
        comparison.diagnostics = first.diagnostics
        if not comparison.differences and not comparison.outputs:
            comparison.outcome = 1
            if takes_undefined(first, result):
                comparison.verdict = UNDEFINED
            return comparison
        search = by_index = self.allowed(size)
        if self.explains(search, result, comparison):
            return comparison
        packed = self.packed
        within = self.is_within(search, result)
        if packings and not within and any(MAPPING in each.applied for each in search.ledgers):
            others = self.allowed(size, ANY)
            if self.explains(others, result, comparison):
                return comparison
            tried, there = others.packings
            if tried == there:
                search = others
                packed = packed if self.vertices is not None else ""
            else:
                comparison.coverage = f"{search.coverage}; nor is it that of {tried} other packings of {there}"
        watched = self.watched(size)
        said = [first, *watched, *[outcome.result for outcome in search.outcomes]]
        faults = [fault for result in said if promises_nothing(result) for fault in result.diagnostics]
        depends = any(self.differences(watched[0], other) or self.outputs(watched[0], other) for other in watched[1:])
        if faults or depends:
            comparison.verdict = UNDEFINED
            comparison.diagnostics = list({str(fault): fault for fault in faults}.values())
        elif within:
            comparison.verdict = BOUNDED
            comparison.coverage = ", ".join(map(str, by_index.bounded))
        elif search is by_index and not packed and self.is_outside(by_index, result, comparison):
            comparison.verdict = REFUTED
        elif self.precision.operations and not self.ulp:
            comparison.verdict = IMPRECISE
            comparison.coverage = self.precision.named()
        elif packed:
            comparison.verdict = UNKNOWN
            why = "which quads share a subgroup is the device's own choice"
            if self.staged is not None and self.packed == self.staged.packed:
                why = "which vertices share a subgroup, and how often one is shaded, is the device's own choice"
            comparison.coverage = f"{why}, and {self.packed} depends on it"
        else:
            open = self.open(search, comparison)
            comparison.verdict = REFUTED if search.whole and not open else UNKNOWN
            if open:
                comparison.coverage += f"; up to: {', '.join(map(str, open))}"
        return comparison

    def explains(self, search: Outcomes, result: Result, comparison: Comparison) -> bool:
        """Whether one of the outcomes is what the device left; else the closest one is kept."""
        comparison.count = len(search.outcomes)
        comparison.coverage = search.coverage
        for number, outcome in enumerate(search.outcomes, 1):
            differ = self.differences(outcome.result, result)
            pixels = self.outputs(outcome.result, result)
            if comparison.closest is None or len(differ) + len(pixels) < comparison.count_of():
                comparison.closest = outcome
                comparison.differences = differ
                comparison.outputs = pixels
            if not differ and not pixels:
                comparison.outcome = number
                comparison.verdict = UNDEFINED if takes_undefined(outcome.result, result) else ALLOWED
                comparison.diagnostics = outcome.result.diagnostics
                return True
        return False

    def is_within(self, search: Outcomes, result: Result) -> bool:
        """Whether all floats of a result are within the bounds of one run, and what else it has is as in that run."""
        if search.bounds is None or self.staged is not None:
            return False
        for each in search.bounds.outcomes:
            differ, undecided = self.in_buffers(each.result, result)
            unlike, unknown = self.in_outputs(each.result, result)
            if not (differ or unlike or undecided or unknown):
                return True
        return False

    def is_outside(self, search: Outcomes, result: Result, comparison: Comparison) -> bool:
        """Whether a result is outside of the bounds of every run, and nothing else is open: then it is not allowed. The
        differences to the closest run are kept."""
        if search.bounds is None or self.staged is not None or not search.whole or search.left_open("compare"):
            return False
        best: tuple[list[Difference], list[Unlike]] | None = None
        for each in search.bounds.outcomes:
            differ, _ = self.in_buffers(each.result, result)
            unlike, _ = self.in_outputs(each.result, result)
            if not differ and not unlike:
                return False
            if best is None or len(differ) + len(unlike) < len(best[0]) + len(best[1]):
                best = differ, unlike
        if best is None:
            return False
        comparison.differences, comparison.outputs = best
        if search.bounded:
            comparison.coverage += f"; outside the bounds of: {', '.join(map(str, search.bounded))}"
        return True

    def in_buffers(self, expected: Result, actual: Result) -> tuple[list[Difference], bool]:
        """The scalars that are outside of what they may be, and whether others that differ may be anything."""
        differ: list[Difference] = []
        open = False
        for name, buffer, element, left, right in self.unlike_scalars(expected, actual):
            width = element.shape.width
            size = max(width // 8, 1)
            judged = may_be([buffer.sets.get(element.offset + at) for at in range(size)], width, right)
            if judged is False:
                differ.append(Difference(name, element, left, right))
            open = open or judged is None
        return differ, open

    def in_outputs(self, expected: Result, actual: Result) -> tuple[list[Unlike], bool]:
        """The same of a picture. Which samples are covered, and their depths, are left open."""
        if expected.framebuffer is None or actual.framebuffer is None:
            return [], False
        ours, theirs = numbers_of(expected), numbers_of(actual)
        sets = output_sets(expected)
        both = attached(expected.framebuffer) & attached(actual.framebuffer)
        unlike: list[Unlike] = []
        open = False
        for key in sorted({**ours, **theirs}):
            one, two = ours.get(key), theirs.get(key)
            if key[0] not in both:
                continue
            if one is None or two is None:
                open = True
            elif one.bits != two.bits and not self.is_near(one, two):
                judged = may_be([sets.get(key)], one.shape.width, two.bits)
                if judged is False:
                    unlike.append(Unlike(key, one, two))
                open = open or judged is None
        return unlike, open

    def open(self, search: Outcomes, comparison: Comparison) -> list[Open]:
        """What the rules leave open for the numbers that differ, where no bounds of floats are known. Rows that let
        floats differ let integers differ by anything, such as the bits of a float or what a comparison decided, and
        floats, where no `ulp` is given."""
        open = search.left_open("compare")
        shapes = [each.element.shape for each in comparison.differences]
        for unlike in comparison.outputs:
            shapes += [number.shape for number in (unlike.expected, unlike.actual) if number is not None]
        if any(shape.kind != FLOAT_KIND for shape in shapes):
            return open + search.tolerated("compare")
        return open if self.ulp else open + search.tolerated("compare")

    def watched(self, size: int) -> list[Result]:
        """Runs that watch accesses, with each kind of undefined values."""
        if size not in self.watches:
            results: list[Result] = []
            given = self.inputs(size)["buffers"]
            for fill in FILLS:
                program = prepare(
                    self.module,
                    self.entry,
                    subgroup_size=size,
                    spec=self.spec,
                    races=True,
                    unwritten=True,
                    rules=self.rules,
                    fill=fill,
                    drawing=self.drawing,
                    bound=given,
                )
                results.append(program.run(Policy(), self.groups, given, self.push_constants, self.max_steps))
            self.watches[size] = results
        return self.watches[size]

    def simulated(self, size: int) -> Result:
        if size not in self.runs:
            self.runs[size] = run(
                self.module, **self.inputs(size), max_steps=self.max_steps, rules=self.rules, drawing=self.drawing
            )
            if self.staged is not None:
                self.runs[size].diagnostics[:0] = self.staged.diagnostics
        return self.runs[size]

    def allowed(self, size: int, packing: str = INDEX) -> Outcomes:
        """With invocations in index order, or in any packing: see `sim.outcomes`."""
        if (size, packing) not in self.sets:
            self.sets[size, packing] = outcomes(
                self.module,
                **self.inputs(size),
                max_steps=self.max_steps,
                limit=self.limit,
                rules=self.rules,
                unwritten=True,
                drawing=self.drawing,
                packing=packing,
            )
        return self.sets[size, packing]

    def outputs(self, expected: Result, actual: Result) -> list[Unlike]:
        """The numbers that differ by more than `ulp`, of outputs that both have: one that the shader never stores to is
        undefined."""
        if expected.framebuffer is None or actual.framebuffer is None:
            return []
        ours, theirs = numbers_of(expected), numbers_of(actual)
        open = open_numbers(expected)
        both = attached(expected.framebuffer) & attached(actual.framebuffer)
        unlike: list[Unlike] = []
        for key in sorted({**ours, **theirs}):
            if key[0] not in both and key[0] != DEPTH:
                continue
            one, two = ours.get(key), theirs.get(key)
            if key in open and two is not None:
                continue  # it may be anything
            if key[0] == DEPTH and one is None:
                continue  # a sample that nothing was drawn to has the depth that it begins with
            if one is None or two is None or not (one.bits == two.bits or self.is_near(one, two)):
                unlike.append(Unlike(key, one, two))
        return unlike

    def differences(self, expected: Result, actual: Result) -> list[Difference]:
        """The scalars that differ by more than `ulp`, but for those that may be anything."""
        differ: list[Difference] = []
        for name, buffer, element, left, right in self.unlike_scalars(expected, actual):
            last = element.offset + element.shape.width // 8 - 1
            if not any(word in buffer.undefined for word in range(element.offset >> 2, (last >> 2) + 1)):
                differ.append(Difference(name, element, left, right))
        return differ

    def unlike_scalars(self, expected: Result, actual: Result) -> Iterator[tuple[str, BufferResult, Element, int, int]]:
        """Those of buffers that differ by more than `ulp`, with the bits of both. What lies between the scalars of a
        buffer does not count."""
        for name, buffer in expected.buffers.items():
            other = actual.buffers[name]
            if buffer.words == other.words:
                continue
            ours = struct.pack(f"<{len(buffer.words)}I", *buffer.words)
            theirs = struct.pack(f"<{len(other.words)}I", *other.words)
            for element in elements(buffer.layout, len(ours), buffer.type, self.names):
                left, right = element.bits(ours), element.bits(theirs)
                shape = element.shape
                if left != right and not self.is_near(Number(shape, left), Number(shape, right)):
                    yield name, buffer, element, left, right

    def is_near(self, expected: Number, actual: Number) -> bool:
        width = expected.shape.width
        if expected.shape.kind != FLOAT_KIND:
            return False
        return close(expected.bits, actual.bits, width, self.ulp) or self.precision.tolerates(
            expected.bits, actual.bits, width
        )


def may_be(sources: list[Source | None], width: int, bits: int) -> bool | None:
    """Whether a scalar, whose bytes may be those of `sources`, may have other bits than the simulator's; None where
    nothing says."""
    first = sources[0]
    if all(source is None for source in sources):
        return False
    if first is None or first.bound is None or any(source is not first for source in sources):
        return None
    return first.bound.holds(bits) if first.bound.form.width == width else None


def takes_undefined(expected: Result, actual: Result) -> bool:
    """Whether a device has another value than the simulator's zeros where anything may be."""
    for name, buffer in expected.buffers.items():
        words = actual.buffers[name].words
        if any(word < len(words) and words[word] != buffer.words[word] for word in buffer.undefined):
            return True
    ours, theirs = numbers_of(expected), numbers_of(actual)
    return any(key in theirs and theirs[key].bits != ours[key].bits for key in open_numbers(expected))


def promises_nothing(result: Result) -> bool:
    """Whether the simulator says of a run that the program is wrong, that a branch or an address in it goes by an
    undefined value, or that it has a data race."""
    if any(reached.is_open() for reached in result.reached):
        return True
    return result.failed() or any(diagnostic.code == RACE for diagnostic in result.diagnostics)


def attached(framebuffer: Framebuffer) -> set[str]:
    return {output_name(each.location, each.index) for each in framebuffer.attachments}
