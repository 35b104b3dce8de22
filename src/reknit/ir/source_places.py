"""Where the parts of a module stand in the text it was read from.

    %x = OpLoad %u32 %p          starts[%x]       the text's own line
    OpBranchConditional ...      ends[block]      of what ends a block: a branch that has become a construct, a jump

`ir/locate.py` asks it, and line information of the source too.
"""

from collections.abc import Callable
from typing import final

from reknit.ir.block import Block
from reknit.ir.tree import Construct
from reknit.ir.value import Value
from reknit.source.place import Place


@final
class Places:
    """`starts` and `ends` have positions that `find` makes places of: it is asked when a message needs one."""

    __slots__ = ("starts", "ends", "find")

    def __init__(self, find: Callable[[int], Place]) -> None:
        self.starts: dict[Value, int] = {}
        self.ends: dict[Block, int] = {}
        self.find = find

    def of(self, value: Value) -> Place | None:
        """The place of an instruction, block, construct or function; None for what was made since."""
        position = self.starts.get(value)
        if position is None and isinstance(value, Construct):
            before = value.prev
            position = self.ends.get(before) if isinstance(before, Block) else None
        return self.find(position) if position is not None else None
