"""What the objects of a function hold, as versions: each store makes a new one, as does each call that may store there.

    Store %v %x           1: what %x is
    if c {
      call f(%v)          2: what f leaves there of 1
    }
    %y = Load %v          3: 2 or 1, a phi; %y is what 3 is

That is what `promote-variables` would make of variables that are loaded and stored whole, for those too that have parts
or are handed on, and without a change of the function. Versions are found once, for all scopes.
Source: D. Novillo, Memory SSA - A Unified Approach for Sparsely Representing Memory Operations, 2007.
"""

from typing import ClassVar, Final, final

from reknit.analysis.callgraph import called
from reknit.analysis.dominance import Dominance
from reknit.analysis.frontier import DominanceFrontier
from reknit.analysis.manager import Analyses, ModuleAnalysis
from reknit.analysis.order import Order
from reknit.analysis.phi_places import PhiPlaces
from reknit.analysis.uniformity.objects import Objects, root_of
from reknit.ir import op
from reknit.ir.function import Function
from reknit.ir.instr import Instr
from reknit.ir.jump import Exit
from reknit.ir.module import Module
from reknit.ir.value import Value

GIVEN: Final = 0  # what is there when the function is entered
STORED: Final = 1
CALLED: Final = 2
JOINED: Final = 3

NOWHERE: Final = -1
MAX_PHIS: Final = 100_000  # phis of a function; objects that would take more are not followed


@final
class Version(Value):
    """Of what `root` holds, from block number `home` on. `instr` is the store or the call, `before` what was there;
    `target` the object in the callee. A phi has `values`, each with the block in `sources` that it comes from."""

    __slots__ = ("kind", "root", "home", "instr", "before", "target", "values", "sources")

    def __init__(
        self,
        kind: int,
        root: Value,
        home: int,
        instr: Instr | None = None,
        before: "Version | None" = None,
        target: Value | None = None,
    ) -> None:
        super().__init__()
        self.kind = kind
        self.root = root
        self.home = home
        self.instr = instr
        self.before = before
        self.target = target
        self.values: list[Version] = []
        self.sources: list[int] = []


@final
class Handed:
    """What a call hands on: the callee's object `target` is what the argument `pointer`, of this number, points to in
    the `version` of the caller's, None where that isn't known. A private variable needs no pointer."""

    __slots__ = ("target", "version", "pointer", "argument")

    def __init__(
        self, target: Value, version: Version | None, pointer: Value | None = None, argument: int = NOWHERE
    ) -> None:
        self.target = target
        self.version = version
        self.pointer = pointer
        self.argument = argument


@final
class Contents:
    """Of one function. `read` is the version that a load sees, `handed` what each call hands on, `left` for each object
    that a caller sees changed its versions by block that returns. Of `unknown` objects nothing is known."""

    __slots__ = ("versions", "read", "handed", "left", "unknown")

    def __init__(self) -> None:
        self.versions: list[Version] = []
        self.read: dict[Value, Version] = {}
        self.handed: dict[Value, list[Handed]] = {}
        self.left: dict[Value, list[tuple[int, Version]]] = {}
        self.unknown: dict[Value, None] = {}


@final
class AllContents(ModuleAnalysis):
    """`of` has the functions with objects, or with calls to such."""

    name: ClassVar[str] = "contents"

    def __init__(self) -> None:
        self.of: dict[Function, Contents] = {}

    @staticmethod
    def compute(module: Module, analyses: Analyses) -> "AllContents":
        contents = AllContents()
        objects = analyses.of_module(Objects)
        for function in module.functions:
            if not function.is_declaration():
                numbering = _Numbering(function, analyses, objects)
                if numbering.matters():
                    numbering.place_phis(analyses)
                    numbering.rename(analyses)
                    contents.of[function] = numbering.contents
        return contents

    def same_as(self, other: ModuleAnalysis) -> bool:
        if not isinstance(other, AllContents) or list(self.of) != list(other.of):
            return False
        return all(list(mine.read) == list(other.of[function].read) for function, mine in self.of.items())


@final
class _Numbering:
    """`accesses` are the loads, stores and calls that matter, by block."""

    __slots__ = ("function", "objects", "order", "contents", "roots", "accesses", "phis", "current")

    def __init__(self, function: Function, analyses: Analyses, objects: Objects) -> None:
        self.function = function
        self.objects = objects
        self.order = analyses.ask(Order, function)
        self.contents = Contents()
        self.roots: dict[Value, int] = {}
        for root in [*objects.own[function], *objects.touched[function]]:
            self.roots[root] = len(self.roots)
        self.accesses: list[list[Instr]] = []
        self.phis: dict[int, list[Version]] = {}
        self.current: list[Version] = []
        for number, block in enumerate(self.order.blocks):
            accesses: list[Instr] = []
            if self.order.reached[number]:
                instr = block.first
                while instr is not None:
                    if self._is_access(instr):
                        accesses.append(instr)
                    instr = instr.next
            self.accesses.append(accesses)

    def matters(self) -> bool:
        return any(self.accesses)

    def _is_access(self, instr: Instr) -> bool:
        if instr.op == op.Load or instr.op == op.Store:
            return bool(self.roots) and root_of(instr.value(0)) in self.roots
        callee = called(instr)
        if callee is None:
            return False
        return bool(self.objects.touched[callee]) or any(each in self.objects.own[callee] for each in callee.params)

    def _stored(self, access: Instr) -> list[tuple[Value, Value]]:
        """The objects that an access may store, each with the callee's where it is a call."""
        if access.op == op.Load:
            return []
        if access.op == op.Store:
            root = root_of(access.value(0))
            return [(root, root)]
        callee = called(access)
        assert callee is not None
        stored: list[tuple[Value, Value]] = []
        for written in self.objects.written[callee]:
            root = written if written in self.objects.touched[callee] else self._argument(access, callee, written)
            if root in self.roots:
                stored.append((root, written))
        return stored

    def _argument(self, call: Instr, callee: Function, parameter: Value) -> Value:
        for index, each in enumerate(callee.params):
            if each is parameter:
                return root_of(call.value(index + 1))
        raise AssertionError("a parameter of another function")

    def place_phis(self, analyses: Analyses) -> None:
        stores: list[list[int]] = [[] for _ in self.roots]
        reads: list[list[int]] = [[] for _ in self.roots]
        for number, accesses in enumerate(self.accesses):
            for access in accesses:
                if access.op == op.Load:
                    _add(reads[self.roots[root_of(access.value(0))]], number)
                for root, _ in self._stored(access):
                    _add(stores[self.roots[root]], number)
        frontier = analyses.ask(DominanceFrontier, self.function).frontier
        roots = list(self.roots)
        for index, joins in enumerate(PhiPlaces(self.order, frontier, stores, reads).within(MAX_PHIS)):
            root = roots[index]
            if joins is None:
                self.contents.unknown[root] = None
                continue
            for join in joins:
                self.phis.setdefault(join, []).append(self._version(Version(JOINED, root, join)))

    def _version(self, version: Version) -> Version:
        self.contents.versions.append(version)
        return version

    def rename(self, analyses: Analyses) -> None:
        """Down the dominator tree, with the version of each object."""
        dominance = analyses.ask(Dominance, self.function)
        for root in self.roots:
            self.current.append(self._version(Version(GIVEN, root, NOWHERE)))
        incoming: dict[int, list[int]] = {}  # blocks with phis, by the blocks before them
        for join in self.phis:
            for source in self.order.predecessors[join]:
                incoming.setdefault(source, []).append(join)
        undo: list[tuple[int, Version]] = []
        depth: list[int] = [0] * len(self.order.blocks)
        for number in dominance.preorder():
            if number != 0:
                above = depth[dominance.parent[number]]
                while len(undo) > above:
                    index, version = undo.pop()
                    self.current[index] = version
            self._through(number, undo)
            for join in incoming.get(number, ()):
                for phi in self.phis[join]:
                    phi.values.append(self.current[self.roots[phi.root]])
                    phi.sources.append(number)
            depth[number] = len(undo)

    def _change(self, version: Version, undo: list[tuple[int, Version]]) -> None:
        index = self.roots[version.root]
        undo.append((index, self.current[index]))
        self.current[index] = version

    def _through(self, number: int, undo: list[tuple[int, Version]]) -> None:
        for phi in self.phis.get(number, ()):
            self._change(phi, undo)
        for access in self.accesses[number]:
            if access.op == op.Load:
                self.contents.read[access] = self.current[self.roots[root_of(access.value(0))]]
                continue
            kind = STORED
            if access.op == op.FunctionCall:
                kind = CALLED
                self.contents.handed[access] = self._handed(access)
            for root, target in self._stored(access):
                before = self.current[self.roots[root]]
                self._change(self._version(Version(kind, root, number, access, before, target)), undo)
        jump = self.order.blocks[number].jump
        if isinstance(jump, Exit) and (jump.instr.op == op.Return or jump.instr.op == op.ReturnValue):
            for written in self.objects.written[self.function]:
                self.contents.left.setdefault(written, []).append((number, self.current[self.roots[written]]))

    def _handed(self, call: Instr) -> list[Handed]:
        callee = called(call)
        assert callee is not None
        handed: list[Handed] = []
        for index, parameter in enumerate(callee.params):
            if parameter in self.objects.own[callee]:
                pointer = call.value(index + 1)
                place = self.roots.get(root_of(pointer))
                version = self.current[place] if place is not None else None
                handed.append(Handed(parameter, version, pointer, index))
        for variable in self.objects.touched[callee]:
            handed.append(Handed(variable, self.current[self.roots[variable]]))
        return handed


def _add(numbers: list[int], number: int) -> None:
    """To a list in rising order, once."""
    if not numbers or numbers[-1] != number:
        numbers.append(number)
