"""What a structurized function is made of, in numbers: what it cost to give it a tree.

    blocks 12   ifs 3, loops 1, scopes 2, switches 0   jumps 5, of which 1 over several levels   selectors 0

A jump over several levels needs a flag in SPIR-V. Selectors are variables that say where to go on: at the entrance of a
loop that had several, or to which of the blocks that became levels.
"""

from typing import final

from reknit.ir import op
from reknit.ir.block import Block
from reknit.ir.function import Function
from reknit.ir.jump import Break, Continue, Fallthrough
from reknit.ir.tree import If, Loop, Scope, Switch
from reknit.ir.walk import nodes
from reknit.passes.eliminate_multi_level_breaks import crossed_construct
from reknit.passes.structurize.dispatch import WAY
from reknit.passes.structurize.levels import LEVEL


@final
class Summary:
    """Counts of one function. `blocks` are those of a flat function, or those of a tree that hold something."""

    __slots__ = ("blocks", "ifs", "loops", "scopes", "switches", "jumps", "flags", "selectors")

    def __init__(self, function: Function) -> None:
        self.blocks = len(function.blocks)
        self.ifs = 0
        self.loops = 0
        self.scopes = 0
        self.switches = 0
        self.jumps = 0
        self.flags = 0
        self.selectors = 0
        for node in nodes(function):
            if isinstance(node, Block):
                self._block(node)
            elif isinstance(node, If):
                self.ifs += 1
            elif isinstance(node, Loop):
                self.loops += 1
            elif isinstance(node, Scope):
                self.scopes += 1
            elif isinstance(node, Switch):
                self.switches += 1
        for instr in function.entry():
            if instr.op == op.Variable and instr.name in (WAY, LEVEL):
                self.selectors += 1

    def _block(self, block: Block) -> None:
        if not block.padding or block.first is not None:
            self.blocks += 1
        if isinstance(block.jump, (Break, Continue, Fallthrough)):
            self.jumps += 1
            if crossed_construct(block) is not None:
                self.flags += 1
