"""What a structurized function is made of, in numbers: what it cost to give it a tree.

    blocks 12   ifs 3, loops 1, scopes 2, switches 0   jumps 5, of which 1 over several levels

A jump over several levels needs a flag in SPIR-V.
"""

from typing import final

from reknit.ir.block import Block
from reknit.ir.function import Function
from reknit.ir.jump import Break, Continue, Fallthrough
from reknit.ir.tree import If, Loop, Scope, Switch
from reknit.ir.walk import nodes
from reknit.passes.crossed import crossed_construct


@final
class Summary:
    """Counts of one function. `blocks` are those of a flat function, or those of a tree that hold something."""

    __slots__ = ("blocks", "ifs", "loops", "scopes", "switches", "jumps", "flags")

    def __init__(self, function: Function) -> None:
        self.blocks = len(function.blocks)
        self.ifs = 0
        self.loops = 0
        self.scopes = 0
        self.switches = 0
        self.jumps = 0
        self.flags = 0
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

    def _block(self, block: Block) -> None:
        if not block.padding or block.first is not None:
            self.blocks += 1
        if isinstance(block.jump, (Break, Continue, Fallthrough)):
            self.jumps += 1
            if crossed_construct(block) is not None:
                self.flags += 1
