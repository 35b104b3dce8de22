"""Descriptors chosen by an index that may differ in a subgroup, without NonUniform.

    buffers[i].x        RK3014, unless nonuniformEXT(i)

Source: `analysis.descriptors`.
"""

from typing import Final, final

from reknit.analysis.decorations import Decorations
from reknit.analysis.descriptors import indices_of
from reknit.analysis.manager import Analyses
from reknit.analysis.order import Order
from reknit.analysis.uniformity.uniformity import Uniformity
from reknit.ir import enums
from reknit.ir.function import Function
from reknit.ir.instr import Instr
from reknit.ir.module import Module
from reknit.ir.value import Value

DESCRIPTORS: Final = "RK3014"
MESSAGE: Final = "{what} uses a descriptor whose index may differ within the subgroup, without NonUniform"
HELP: Final = (
    "decorate the index, and the pointers or images made from it, with NonUniform (GLSL: nonuniformEXT(i) of "
    "GL_EXT_nonuniform_qualifier, HLSL: NonUniformResourceIndex(i)), or make it uniform"
)


@final
class Chosen:
    """An access, and the index that it is by."""

    __slots__ = ("instr", "function", "index")

    def __init__(self, instr: Instr, function: Function, index: Value) -> None:
        self.instr = instr
        self.function = function
        self.index = index


def descriptors(module: Module) -> list[Chosen]:
    """In the order of the functions and their blocks."""
    analyses = Analyses(module)
    decorations = analyses.of_module(Decorations)

    def is_non_uniform(value: Value) -> bool:
        return enums.DecorationNonUniform in decorations.of(value)

    chosen: list[Chosen] = []
    for function in module.functions:
        if function.is_declaration():
            continue
        order = analyses.ask(Order, function)
        for number, block in enumerate(order.blocks):
            if not order.reached[number]:
                continue
            for instr in block:
                for index in indices_of(instr, is_non_uniform):
                    uniformity = analyses.of_module_with(Uniformity, "subgroup").of(function)
                    if not uniformity.is_uniform_in(index, block):
                        chosen.append(Chosen(instr, function, index))
                        break
    return chosen
