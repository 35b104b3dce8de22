"""One of the two modules whose values are compared: its inputs, and what it stores in the simulator and on lavapipe.

side = Side("dxc", module, "main", buffers, scene)
side.numbers[0], side.numbers[1]        what is stored, by name: simulated, and on the driver where it can run it
side.undefined()                        why it may store anything on these inputs
"""

from typing import Any

from kit.oracles import drivers

import reknit
from corpus_runs.given import LANES, STEPS, fitting
from reknit.ir import enums
from reknit.ir.module import Module
from reknit.proof.devices import Comparer, Comparison, attached, promises_nothing
from reknit.proof.precision import Precision
from reknit.sim.buffers import position
from reknit.sim.decorations import Decorations
from reknit.sim.elements import elements
from reknit.sim.entry import find_entry, models_of
from reknit.sim.fill import FILLS
from reknit.sim.left import DEPTH, Number, label, numbers_of
from reknit.sim.policy import Policy
from reknit.sim.result import Result
from reknit.sim.run import prepare
from reknit.source.diagnostic import InputError
from reknit.vulkan.interface import used_variables

Numbers = dict[str, Number]
"""What is stored, by a name for messages."""

MAX_OUTCOMES = 8
"""Outcomes that are gone through."""


class Side:
    """`drawn` is what lavapipe has stored, None where it can't run the module, for `reason`."""

    def __init__(self, name: str, module: Module, entry: str, buffers: dict[str, Any], scene: Any) -> None:
        self.name = name
        self.module = module
        self.entry = entry
        self.buffers = buffers
        self.scene = fitting(scene, module, entry)
        self.precision = Precision(module, entry, models_of(self.scene))
        self.names = Decorations(module)
        self.places = _places(module, entry, self.names)
        self.numbers: list[Numbers] = []
        self.drawn: Result | None = None
        self.reason = ""
        self.simulated = reknit.run(
            module, entry, subgroup_size=LANES, buffers=buffers, drawing=self.scene, max_steps=STEPS
        )

    def draw(self) -> None:
        if find_entry(self.module, self.entry).word(0) == enums.ExecutionModelVertex:
            self.reason = "a vertex shader alone"
        elif "Dref" in reknit.text(self.module):  # taken by a driver for images with a depth format alone
            self.reason = "a sampler that compares"
        else:
            try:
                self.drawn = self.comparer(0).on(drivers.target("lavapipe", LANES), 0)
            except InputError as refusal:
                self.reason = f"{refusal.diagnostics[0].code} {refusal.diagnostics[0].message}"

    def comparer(self, ulp: int) -> Comparer:
        return Comparer(
            self.module, self.entry, (1, 1, 1), self.buffers, None, None, STEPS, MAX_OUTCOMES, ulp, drawing=self.scene
        )

    def judged(self, ulp: int) -> Comparison:
        """What the driver stored, among the results that the rules allow."""
        assert self.drawn is not None
        return self.comparer(ulp).judge(self.drawn)

    def store(self, theirs: "Side") -> None:
        """Fill `numbers`: those of buffers by the types that `theirs` has for them, since bytes may be words of other
        types here."""
        results = [self.simulated, *([self.drawn] if self.drawn is not None else [])]
        self.numbers = [self._stored(result, theirs) for result in results]

    def undefined(self) -> list[str]:
        said = [each.message for each in self.simulated.diagnostics] if promises_nothing(self.simulated) else []
        stored: list[dict[str, int]] = []
        for fill in FILLS:
            program = prepare(
                self.module,
                self.entry,
                subgroup_size=LANES,
                races=True,
                unwritten=True,
                fill=fill,
                drawing=self.scene,
                bound=self.buffers,
            )
            result = program.run(Policy(), (1, 1, 1), self.buffers, None, STEPS)
            if promises_nothing(result):
                said += [each.message for each in result.diagnostics]
            stored.append({name: number.bits for name, number in self._stored(result, self).items()})
        if not said and any(each != stored[0] for each in stored):
            said.append("values differ with what is undefined")
        return [f"{self.name}: {each}" for each in said]

    def _stored(self, result: Result, theirs: "Side") -> Numbers:
        """A buffer that is not written on one side has what it was given there."""
        numbers: Numbers = {}
        buffers = {position(buffer): buffer for buffer in result.buffers.values()}
        known = {position(buffer): buffer for buffer in theirs.simulated.buffers.values()}
        for place, buffer in {**known, **buffers}.items():
            if place.split("[")[0] not in self.places | theirs.places:
                continue
            given = self.buffers.get(place, theirs.buffers.get(place))
            words = buffers[place].words if place in buffers else given
            if not isinstance(words, list) or (place not in known and words == given):
                continue
            side, shape = (theirs, known[place]) if place in known else (self, buffer)
            data = b"".join([word.to_bytes(4, "little") for word in words])
            type = None if shape.texture is not None else shape.type
            for element in elements(shape.layout, len(data), type, side.names):
                numbers[f"{place} {shape.name} {element.name}"] = Number(element.shape, element.bits(data))
        pixels = attached(result.framebuffer) if result.framebuffer is not None else set()
        for key, number in numbers_of(result).items():
            if result.framebuffer is None or key[0] in pixels or key[0] == DEPTH:
                numbers[label(key)] = number
        return numbers


def _places(module: Module, entry: str, numbers: Decorations) -> set[str]:
    """Set and binding of what the entry point uses."""
    kinds = (enums.DecorationDescriptorSet, enums.DecorationBinding)
    used = used_variables(module, find_entry(module, entry))
    return {".".join(str(numbers.number(each, kind)) for kind in kinds) for each in used}
