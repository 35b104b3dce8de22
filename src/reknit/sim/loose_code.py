"""What the loose machine knows of a program before it runs: its positions, its merge blocks, its tangled instructions.

code block 9     merge block of constructs 4 and ~2 (a loop's)     steps  a b | ballot | c
"""

from typing import final

from reknit.ir import traits
from reknit.ir.instr import Instr
from reknit.ir.module import Module
from reknit.sim.code import CodeBlock, DynamicCall
from reknit.sim.faults import bits_of, describe, lane_list
from reknit.sim.kernel import Step
from reknit.sim.positions import Positions


@final
class Grouped:
    """A choice that was made: the classes that executed an operation together."""

    __slots__ = ("instr", "classes")

    def __init__(self, instr: Instr, classes: list[int]) -> None:
        self.instr = instr
        self.classes = classes

    def __str__(self) -> str:
        parts = [lane_list(bits_of(part)).removeprefix("lanes ").removeprefix("lane ") for part in self.classes]
        return f"{describe(self.instr)} by {' '.join(['{' + part + '}' for part in parts])}"

    def to_json(self) -> dict[str, object]:
        return {"operation": describe(self.instr), "lanes": [bits_of(part) for part in self.classes]}


@final
class LooseCode:
    """`merges` has, by code block, the constructs whose merge block it is: the code block that ends with the merge
    instruction, inverted (~) for OpLoopMerge. Those of `unstructured` functions don't count: their merge instructions
    are `structurize`'s, and the module promises nothing there. `is_tangled`: some instruction depends on which lanes
    execute it."""

    __slots__ = ("positions", "merges", "is_tangled", "_stretches")

    def __init__(self, module: Module, code: list[CodeBlock], unstructured: list[str]) -> None:
        self.positions = Positions(module, code)
        self.merges: dict[int, list[int]] = {}
        self.is_tangled = any(instr.op in traits.JUDGED for here in code for instr in here.instrs)
        self._stretches: dict[int, list[tuple[Instr | None, list[Step]]]] = {}
        for here in code:
            if (here.function.name or str(here.function.id)) in unstructured:
                continue
            if here.merge >= 0:
                self.merges.setdefault(here.merge, []).append(here.number)
            if here.loop_merge >= 0:
                self.merges.setdefault(here.loop_merge, []).append(~here.number)
            end = here.end
            if isinstance(end, DynamicCall):
                self.merges.setdefault(end.back, []).append(here.number)

    def cut(self, here: CodeBlock) -> list[tuple[Instr | None, list[Step]]]:
        """The steps of a block, cut at its tangled instructions, each of which is alone and named."""
        stretches = self._stretches.get(here.number)
        if stretches is None:
            stretches = []
            for step, instr in zip(here.steps, here.instrs, strict=True):
                if instr.op in traits.TANGLED:
                    stretches.append((instr, [step]))
                elif stretches and stretches[-1][0] is None:
                    stretches[-1][1].append(step)
                else:
                    stretches.append((None, [step]))
            self._stretches[here.number] = stretches
        return stretches
