"""What the fixed functions around a shader do for it: how many invocations there are, what they start with, what
becomes of their outputs.

    prepare   size           invocations of a group, which the machine runs together
              bind           the variables that the program uses
    run       begin          inputs, and which lanes are helper invocations, right before a group runs
              collect        outputs, after all groups have run
"""

from math import prod
from typing import TYPE_CHECKING

from reknit.sim.builtins import Dispatch, Triple, extent_of
from reknit.sim.packing import Packing
from reknit.sim.prepare import Preparation
from reknit.sim.result import Result
from reknit.sim.values import Shape

if TYPE_CHECKING:
    from reknit.sim.shadow.bounds import Bounds


class Stage:
    """`size` is that of a group of invocations. `interpreted` says why native code can't run it, "" where it may;
    `quads` whether four neighbouring lanes are a quad; `helps` whether invocations may be helpers from the start;
    `empty` whether there is nothing to run; `has_groups` whether there may be several groups. `packing` is which
    invocations share a subgroup, None for those that follow each other."""

    __slots__ = ("size", "interpreted", "quads", "helps", "empty", "has_groups", "packing")

    def __init__(self, size: Triple, interpreted: str = "", quads: bool = False, helps: bool = False) -> None:
        self.size = size
        self.interpreted = interpreted
        self.quads = quads
        self.helps = helps
        self.empty = False
        self.has_groups = not helps
        self.packing: Packing | None = None

    def in_order(self) -> list[int]:
        """The invocations of a group in the order in which they fill subgroups without a packing."""
        return list(range(prod(self.size)))

    def pack(self, packing: Packing, subgroup_size: int) -> None:
        """Have invocations in subgroups as a packing says that has been checked. Before `bind`."""
        self.packing = packing
        self.interpreted = "its subgroups are packed as asked"

    def pack_again(self, packing: Packing, subgroup_size: int) -> None:
        """Have them in other subgroups, of as many lanes. After `bind`."""
        self.packing = packing

    def bind(self, preparation: Preparation) -> None:
        """Find what the program uses of its interface. Raises InputError for what it can't have."""
        raise AssertionError("a stage is one of the classes derived from this one")

    def reads(self) -> list[int]:
        """The built-in variables of a workgroup that the program uses."""
        return []

    def begin(self, dispatch: Dispatch, group: int) -> None:
        """Give the invocations of a group their inputs: all variables are as they start, no lane is a helper."""
        raise AssertionError("a stage is one of the classes derived from this one")

    def bound(self, bounds: "Bounds") -> None:
        """What the inputs that were given may be, where it is left open (`shadow.bounds`)."""

    def extent(self, groups: Triple) -> Triple:
        """How many invocations there are along each axis, by which what a caller doesn't size is sized."""
        return extent_of(self.size, groups)

    def leaves(self) -> dict[str, Shape]:
        """What `collect` finds beside memory, by name, with the type of each (`sim.left`)."""
        return {}

    def judge(self) -> None:
        """Report what invocations have left unwritten of their outputs, after a run that follows what is written."""

    def collect(self, result: Result) -> None:
        """What the invocations leave beside what is in memory."""
