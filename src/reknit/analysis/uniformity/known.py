"""What is known of a module when the values of one of its functions are looked at, and of the functions that it calls.

    func @read(%value: u32, %lane: u32) -> u32 {       the result needs %lane, or %value:
      %0 = GroupNonUniformShuffle %value, %lane        of one lane all get the same, and of the same from any
"""

from typing import final

from reknit.analysis.uniformity.contents import AllContents
from reknit.analysis.uniformity.memory import Memory
from reknit.analysis.uniformity.objects import Objects
from reknit.analysis.uniformity.ranges import AllRanges
from reknit.analysis.uniformity.shared import SharedLoads
from reknit.ir.function import Function
from reknit.ir.instr import Instr
from reknit.ir.value import Value


@final
class Needs:
    """What has to be the same when a function is called: the arguments with these numbers, with what they point to,
    and, where `private`, what the private variables hold."""

    __slots__ = ("arguments", "private")

    def __init__(self, arguments: tuple[int, ...], private: bool) -> None:
        self.arguments = arguments
        self.private = private


@final
class Summary:
    """What a caller knows of a function: what has to be the same so that its `result` is, any of these (none: it never
    is), and so that the objects in `left` hold the same afterwards. `ends`: lanes may end inside, so that not all come
    back. `gathers`: lanes read what others have. `of_whole`: what is known where whole groups call it, of a function
    that takes implicit derivatives."""

    __slots__ = ("result", "left", "ends", "gathers", "of_whole")

    def __init__(self, ends: bool) -> None:
        self.result: list[Needs] = []
        self.left: dict[Value, Needs] = {}
        self.ends = ends
        self.gathers = False
        self.of_whole: Summary | None = None


class SameInWorkgroup:
    """The loads of shared memory that give the whole workgroup the same; in a part of it, other parts may store."""

    __slots__ = ()

    def holds(self, load: Instr) -> bool:
        raise AssertionError("its subclass has the answer")


@final
class Known:
    """What is the same for all functions of a module: memory, and what is known of callees so far."""

    __slots__ = ("memory", "ranges", "objects", "contents", "shared", "wide", "undefined", "summaries")

    def __init__(
        self,
        memory: Memory,
        ranges: AllRanges,
        objects: Objects,
        contents: AllContents,
        shared: SharedLoads,
        wide: SameInWorkgroup | None,
        undefined: dict[Value, None],
    ) -> None:
        """`wide` is None where the workgroup is asked about."""
        self.memory = memory
        self.ranges = ranges
        self.objects = objects
        self.contents = contents
        self.shared = shared
        self.wide = wide
        self.undefined = undefined
        self.summaries: dict[Function, Summary] = {}
