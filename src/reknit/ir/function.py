"""A function: its parameters and its body, as a control-flow tree or, before `structurize`, as a flat list of blocks.

    structured      body: Region                 islands: blocks nothing reaches, kept as they came
    flat            blocks: list of Block, each ending in a Branch or Exit
"""

from collections.abc import Iterator
from typing import final

from reknit.ir.block import Block
from reknit.ir.hint import Asked, Hint
from reknit.ir.instr import Instr
from reknit.ir.tree import Construct, Region
from reknit.ir.value import Value


@final
class Function(Value):
    """`type` is the OpTypeFunction, `result` its return type, `control` the function control mask.

    A declaration (an import) has neither body nor blocks. `blocks` holds all blocks of a flat function, or the
    islands of a structured one: blocks that no path, merge or continue edge reaches, which end in plain branches.
    `end` is where returns go: a block that is in no region and holds nothing, so that one can name the end;
    `ir.cfg.predecessors` of it are the blocks that return.
    `control_edits` counts edits of blocks, constructs and jumps, `code_edits` those of instructions and of what
    constructs branch on: analyses are cached under the ones they depend on. The verbs of `ir.edit` count; an edit by
    other means calls `touch`.
    """

    __slots__ = (
        "type", "result", "control", "params", "body", "structured", "blocks", "floating", "control_edits",
        "code_edits", "leading", "heading", "closing", "hints", "asked", "end",
    )  # fmt: skip

    def __init__(self, type: Instr, result: Instr, name: str = "") -> None:
        super().__init__(name)
        self.type = type
        self.result = result
        self.control = 0
        self.params: list[Instr] = []
        self.body = self.new_body()
        self.end = Block("end")
        self.end.function = self
        self.structured = True
        self.blocks: list[Block] = []
        self.floating: dict[Value, None] = {}  # code that was taken out and not yet put back or deleted: `ir.extract`
        self.control_edits = 0
        self.code_edits = 0
        self.leading: list[Instr] = []  # debug lines before OpFunction
        self.heading: dict[Instr, list[Instr]] = {}  # and before a parameter
        self.closing: list[Instr] = []  # debug lines before OpFunctionEnd
        self.hints: list[Hint] = []  # what the input says of a flat function's loops beyond its edges
        self.asked: dict[Block, Asked] = {}  # and of how its branches and loops are to be made

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        from reknit.source.shown import shown

        return shown(self)

    def __iter__(self) -> Iterator[Block]:
        """All blocks: the tree's in source order, then a flat function's or the islands."""
        from reknit.ir.walk import blocks

        return iter(blocks(self))

    def walk(self) -> Iterator[Value]:
        """Every construct, block and instruction, in source order: a construct or block before what is in it, the
        instruction of a return, kill or plain branch as the last of its block. What was just yielded may be edited."""
        from reknit.ir.walk import parts

        return iter(parts(self))

    def instructions(self) -> Iterator[Instr]:
        """The instructions of all blocks, as `walk` gives them."""
        from reknit.ir.walk import instructions

        return iter(list(instructions(self)))

    def constructs(self) -> Iterator[Construct]:
        """All constructs, outer before inner."""
        from reknit.ir.walk import constructs

        return iter(constructs(self))

    def new_body(self) -> Region:
        """A region for the body, with nothing in it."""
        body = Region(self)
        body.function = self
        return body

    def touch(self) -> None:
        """Count an edit that no verb of `ir.edit` makes: nothing that was found out about the function holds then."""
        self.control_edits += 1

    def edits(self) -> int:
        """A number that grows with every edit."""
        return self.control_edits + self.code_edits

    def is_declaration(self) -> bool:
        return self.body.first is None and not self.blocks

    def entry(self) -> Block:
        """The first block."""
        if self.structured:
            return self.body.entry()
        return self.blocks[0]

