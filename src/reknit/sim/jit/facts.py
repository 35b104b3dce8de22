"""What native code needs to know of the functions that an entry point reaches, before a line of it is written.

    varying    a value or variable that may differ from lane to lane; all else is computed once, as a scalar
    masked     a construct, or a function (its returns), whose lanes may go different ways: it counts them in masks
    escaping   a construct that some jump inside leaves for further out, so that fewer lanes come after it
    forwarded  a variable with one store, which comes before all of its loads: these are the value that it stores
    split      a region in which lanes that part go on apart, until its end: a branch without a merge instruction
    loose      a construct at whose end more than one tangle may come by, each for itself

The first two are the least sets closed under the rules below: start with nothing, and add until nothing changes.
"""

from collections.abc import Iterable
from typing import Final, TypeGuard

from reknit.ir import enums, op, traits
from reknit.ir.block import Block
from reknit.ir.function import Function
from reknit.ir.instr import Instr
from reknit.ir.jump import Break, Continue, Exit, Fallthrough, Jump
from reknit.ir.phis import by_source
from reknit.ir.tree import Construct, If, Loop, Region, Switch
from reknit.ir.value import Node, Value
from reknit.ir.walk import blocks, constructs
from reknit.sim.decorations import Decorations
from reknit.sim.pointers import is_pointer, resolve

SAME_FOR_ALL: Final = (
    enums.BuiltInNumWorkgroups, enums.BuiltInWorkgroupSize, enums.BuiltInWorkgroupId, enums.BuiltInSubgroupSize,
    enums.BuiltInNumSubgroups, enums.BuiltInDeviceIndex, enums.BuiltInViewIndex, enums.BuiltInHelperInvocation,
)  # fmt: skip
OWN: Final = (enums.StorageClassFunction, enums.StorageClassPrivate, enums.StorageClassOutput)


def enclosing(node: Node) -> list[Construct]:
    """Innermost first."""
    constructs: list[Construct] = []
    region = node.region
    while region is not None:
        inner = region.construct()
        if inner is None:
            break
        constructs.append(inner)
        region = inner.region
    return constructs


def target_of(jump: Jump) -> Construct | None:
    if isinstance(jump, (Break, Continue)):
        return jump.target
    return jump.target.switch if isinstance(jump, Fallthrough) else None


def left_by(block: Block, target: Construct) -> list[Construct]:
    """The constructs between a block and the one around it that it jumps out of, innermost first."""
    passed: list[Construct] = []
    region = block.region
    while region is not None:
        construct = region.construct()
        if construct is None or construct is target:
            break
        passed.append(construct)
        region = construct.region
    return passed


def mark(regions: list[Region], marked: set[Region]) -> None:
    """Those and all that are inside; what is inside of one that is marked is marked already."""
    waiting = list(regions)
    while waiting:
        region = waiting.pop()
        if region not in marked:
            marked.add(region)
            for node in region:
                if isinstance(node, Construct):
                    waiting.extend(node.regions())


def meets_none(construct: Construct) -> bool:
    """Whether lanes do not meet at its end."""
    return not construct.merged and not isinstance(construct, Loop)


def ways_on(construct: Construct) -> int:
    """How many tangles may come after an unmerged construct: one an arm that reaches its end, one a break."""
    return len(construct.breaks) + sum([1 for region in construct.regions() if region.end().jump is None])


class Facts:
    def __init__(
        self, functions: list[Function], entry: Function, decorations: Decorations, one_subgroup: bool, joins: bool
    ) -> None:
        """`one_subgroup`: a vector holds one subgroup, so that what an operation gives is the same for all lanes.
        `joins`: lanes meet at labels that are reached by fallthrough."""
        self.functions = functions
        self.entry = entry
        self.decorations = decorations
        self.one_subgroup = one_subgroup
        self.joins = joins
        self.varying: set[Value] = set()
        self.masked: set[Value] = set()
        self.escaping: set[Construct] = set()
        self.partial: set[Region] = set()  # those inside of masked constructs
        self.split: set[Region] = set()
        self.apart: set[Region] = set()  # these, and those inside of them
        self.loose: set[Construct] = set()
        self.within: set[Function] = set()  # functions that may be called with some of the lanes
        self.ends: set[Function] = set()  # functions in which invocations may end
        self.calls: dict[Function, list[Instr]] = {function: [] for function in functions}
        self.blocks: list[tuple[Function, Block]] = []
        self.leaving: dict[Block, list[tuple[list[Construct], Value | None]]] = {}
        self.constructs: list[Construct] = []
        for function in functions:
            for block in blocks(function):
                self.blocks.append((function, block))
                for instr in block:
                    if instr.op == op.FunctionCall:
                        callee = instr.value(0)
                        assert isinstance(callee, Function)
                        self.calls[callee].append(instr)
            self.constructs.extend(constructs(function))
        self.sources: dict[Instr, dict[Block, Value]] = {}
        self.reading: dict[Instr, dict[Value, list[Block]]] = {}
        self.order = {block: at for at, (_, block) in enumerate(self.blocks)}
        self.forwarded: dict[Instr, Value] = {}
        self.find_forwarded()
        self.find_ends()
        self.find_escaping()
        self.close()

    def find_forwarded(self) -> None:
        for _, block in self.blocks:
            for variable in block:
                if variable.op == op.Variable and len(variable.operands) == 1:
                    stored = self.only_store(variable)
                    if stored is not None:
                        self.forwarded[variable] = stored.value(1)

    def by_source(self, phi: Instr) -> dict[Block, Value]:
        sources = self.sources.get(phi)
        if sources is None:
            sources = self.sources[phi] = by_source(phi)
        return sources

    def read_by(self, phi: Instr, value: Instr) -> list[Block]:
        """The blocks at whose ends a phi reads a value."""
        blocks = self.reading.get(phi)
        if blocks is None:
            blocks = self.reading[phi] = {}
            for source, read in self.by_source(phi).items():
                blocks.setdefault(read, []).append(source)
        return blocks.get(value, [])

    def use_blocks(self, value: Instr) -> list[Block]:
        """Where a value is read: a phi reads it at the end of the blocks it comes from, a pointer where it is used, a
        variable that is `forwarded` where it is loaded."""
        places: list[Block] = []
        work: list[Value] = list(value.users)
        seen: set[Value] = set()
        while work:
            user = work.pop()
            if isinstance(user, (If, Switch)):
                places.append(user.before())
            if not isinstance(user, Instr) or user in seen:
                continue
            seen.add(user)
            if user.op == op.Phi:
                places.extend(self.read_by(user, value))
            elif is_pointer(user):
                work.extend(user.users)
            elif user.op == op.Store and user.operands[0] in self.forwarded:
                work.extend(user.value(0).users)
            if user.block is not None:
                places.append(user.block)
        return places

    def is_inside(self, block: Block, region: Region) -> bool:
        """All blocks of a region and of what is inside it follow each other."""
        order = self.order
        return order[region.entry()] <= order[block] <= order[region.end()]

    def only_store(self, variable: Instr) -> Instr | None:
        stores: list[Instr] = []
        loads: list[Instr] = []
        for user in variable.users:
            if not isinstance(user, Instr):
                return None
            if user.op == op.Load:
                loads.append(user)
            elif user.op == op.Store and user.operands[1] is not variable:
                stores.append(user)
            elif user.op not in (op.Name, op.Decorate):
                return None
        if len(stores) != 1 or stores[0].block is None or stores[0].block.region is None:
            return None
        here = stores[0].block
        region = stores[0].block.region
        for load in loads:
            at = load.block
            if at is None or at not in self.order:
                return None
            if at is here:
                if first_of(here, stores[0], load) is load:
                    return None
            elif self.order[at] < self.order[here] or not self.is_inside(at, region):
                return None
        return stores[0]

    def find_ends(self) -> None:
        for function, block in self.blocks:
            jump = block.jump
            if isinstance(jump, Exit) and jump.instr.op not in (op.Return, op.ReturnValue, op.Unreachable):
                self.ends.add(function)
        size = -1
        while size != len(self.ends):
            size = len(self.ends)
            for callee, calls in self.calls.items():
                if callee in self.ends:
                    self.ends.update(
                        [
                            call.block.function
                            for call in calls
                            if call.block is not None and call.block.function is not None
                        ]
                    )

    def leavings(self, block: Block) -> list[tuple[list[Construct], Value | None]]:
        """(constructs that lanes leave for further out, what they go to the end of) for the jump of a block, and for
        calls in which invocations may end."""
        exits: list[tuple[list[Construct], Value | None]] = []
        jump = block.jump
        if jump is not None:
            target = target_of(jump)
            if target is not None:
                exits.append((left_by(block, target), target))
            elif isinstance(jump, Exit):
                exits.append((enclosing(block), block.function))
        for instr in block:
            if instr.op == op.FunctionCall and instr.value(0) in self.ends:
                exits.append((enclosing(block), block.function))
        return exits

    def find_escaping(self) -> None:
        for _, block in self.blocks:
            exits = self.leavings(block)
            if exits:
                self.leaving[block] = exits
            for passed, _ in exits:
                self.escaping.update(passed)

    # --- the two sets -------------------------------------------------------------------------------------------------

    def size(self) -> int:
        return len(self.varying) + len(self.masked) + len(self.split) + len(self.within)

    def close(self) -> None:
        size = -1
        while size != self.size():
            size = self.size()
            for construct in self.constructs:
                self.look_at(construct)
            for function, block in self.blocks:
                partial = function in self.within or self.is_partial(block)
                for passed, target in self.leaving.get(block, ()):
                    around = [*passed, *([target] if target is not None else [])]
                    if partial_at(around, self.masked) or self.leaves_split(block, passed, target):
                        self.mask(around)
                for instr in block:
                    if instr not in self.varying and instr.has_result and self.varies(instr, block):
                        self.varying.add(instr)
                    if instr.op == op.Store:
                        self.stored(instr, function, block)
                    elif instr.op == op.FunctionCall:
                        self.called(instr, block, partial)
                        if instr.value(0) in self.ends and instr.value(0) in self.masked:
                            self.mask([*enclosing(block), function])  # some lanes end in there
                    elif instr.op in traits.ATOMIC or instr.op in (op.CopyMemory, op.ExtInst):
                        for operand in instr.operands:
                            if is_pointer_value(operand):
                                self.varying.add(resolve(operand).base)

    def mask(self, values: Iterable[Value]) -> None:
        for value in values:
            if value not in self.masked:
                self.masked.add(value)
                if isinstance(value, Construct):
                    mark(value.regions(), self.partial)

    def part_in(self, region: Region) -> None:
        self.split.add(region)
        mark([region], self.apart)

    def look_at(self, construct: Construct) -> None:
        if isinstance(construct, If):
            if self.reads_varying(construct.condition, construct.before()):
                self.mask([construct])
        elif isinstance(construct, Switch):
            self.mask([construct])
        if construct in self.masked and construct.region is not None:
            if meets_none(construct) and ways_on(construct) > 1:
                self.part(construct)
            if isinstance(construct, Switch) and not self.joins and any(case.fallthroughs for case in construct.cases):
                for case in construct.cases:
                    self.part_in(case.region)

    def part(self, construct: Construct) -> None:
        """Lanes go on apart from a construct's end to that of the innermost region around at which lanes meet again.
        All constructs on the way there are left by one tangle after another, too, whatever their conditions are."""
        around: Construct | None = construct
        while around is not None and meets_none(around):
            self.mask([around])
            self.loose.add(around)
            assert around.region is not None
            region = around.region
            around = region.construct()
        self.part_in(region)

    def leaves_split(self, block: Block, passed: list[Construct], target: Value | None) -> bool:
        """Whether a jump leaves a region in which lanes go on apart: it must count them, or the others would be
        lost."""
        region = block.region
        while region is not None:
            if region in self.split:
                return True
            construct = region.construct()
            if (
                construct is None
                or (construct is target and construct not in self.masked)
                or construct not in [*passed, target]
            ):
                return False
            region = construct.region
        return False

    def is_partial(self, block: Block) -> bool:
        """Whether only some of the lanes that its function was entered with may come here, and others come later."""
        return block.region in self.partial or block.region in self.apart

    def is_split(self, block: Block) -> bool:
        return block.region in self.apart

    def reads_varying(self, value: Value, at: Block) -> bool:
        """A value that is read after a loop which lanes left at different times differs, even if it never does
        inside."""
        if value in self.varying:
            return True
        block = value.block if isinstance(value, Instr) else None
        if block is None or block is at:
            return False
        region = block.region
        while region in self.partial and not self.is_inside(at, region):
            construct = region.construct()
            assert construct is not None
            if isinstance(construct, Loop) and construct in self.masked:
                return True
            region = construct.region
        return False

    def varies(self, instr: Instr, block: Block) -> bool:
        code = instr.op
        if code == op.Phi:
            return self.phi_varies(instr, block)
        if code == op.Variable:
            return False
        tangled = code in traits.TANGLED or code in traits.SHARES
        if tangled and code not in (op.ControlBarrier,) and (not self.one_subgroup or self.is_split(block)):
            return True
        if code in (op.GroupNonUniformElect, op.GroupNonUniformInverseBallot) or code in traits.ATOMIC:
            return True
        if tangled and code not in UNIFORM_RESULTS:
            return True
        if traits.SIM.get(code) == "image" and self.is_split(block):
            return True
        if code == op.FunctionCall:
            callee = instr.value(0)
            return callee in self.masked or self.returns_varying(callee)
        if code == op.IsHelperInvocationEXT:
            return True
        if code == op.Load:
            if instr.operands[0] in self.forwarded:
                return self.reads_varying(self.forwarded[instr.instr(0)], block)
            chain = resolve(instr.instr(0))
            storage = chain.storage()
            if self.is_split(block):
                return True
            if storage == enums.StorageClassInput:
                builtin = self.decorations.number(chain.base, enums.DecorationBuiltIn)
                return builtin not in SAME_FOR_ALL or any(self.reads_varying(v, block) for v in chain.indices)
            return chain.base in self.varying or any(self.reads_varying(v, block) for v in chain.indices)
        return any(self.reads_varying(v, block) for v in instr.operands if isinstance(v, Value))

    def returns_varying(self, callee: Value) -> bool:
        for function, block in self.blocks:
            jump = block.jump
            returned = function is callee and isinstance(jump, Exit) and jump.instr.op == op.ReturnValue
            if isinstance(jump, Exit) and returned and self.reads_varying(jump.instr.value(0), block):
                return True
        return False

    def phi_varies(self, phi: Instr, block: Block) -> bool:
        """Where lanes that came different ways meet, or one of the values varies."""
        before = block.prev
        if isinstance(before, Construct) and before in self.masked:
            return True
        region = block.region
        owner = region.construct() if region is not None else None
        if owner is not None and block.prev is None and owner in self.masked:
            if isinstance(owner, Switch):
                return True
            if isinstance(owner, Loop) and region is owner.continuing:
                return True
        if self.is_split(block):
            return True
        return any(self.reads_varying(value, source) for source, value in self.by_source(phi).items())

    def stored(self, instr: Instr, function: Function, block: Block) -> None:
        """A variable of a lane's own holds the same for all where all lanes that will read it write the same."""
        if not is_pointer_value(instr.operands[0]):
            return
        chain = resolve(instr.instr(0))
        base = chain.base
        if base.op != op.Variable:
            return  # a parameter: see `called`
        if chain.storage() not in OWN:
            return
        apart = self.is_partial(block)
        if chain.storage() != enums.StorageClassFunction:
            apart = apart or function in self.within or (function in self.masked and function is not self.entry)
        given = [instr.value(1), *chain.indices]
        if apart or any(self.reads_varying(value, block) for value in given):
            self.varying.add(base)

    def called(self, instr: Instr, block: Block, partial: bool) -> None:
        callee = instr.value(0)
        assert isinstance(callee, Function)
        if partial or callee in self.ends:
            self.within.add(callee)
        for at, parameter in enumerate(callee.params):
            argument = instr.value(at + 1)
            if is_pointer_value(argument):
                self.varying.add(resolve(argument).base)
                self.varying.add(parameter)
            elif self.reads_varying(argument, block):
                self.varying.add(parameter)


UNIFORM_RESULTS: Final = frozenset((
    op.GroupNonUniformAll, op.GroupNonUniformAny, op.GroupNonUniformAllEqual, op.GroupNonUniformBallot,
    op.GroupNonUniformBroadcastFirst, op.SubgroupAllKHR, op.SubgroupAnyKHR, op.SubgroupAllEqualKHR,
    op.SubgroupBallotKHR, op.SubgroupFirstInvocationKHR,
))  # fmt: skip
"""Those that give all lanes of a tangle the same, whatever their operands are."""


def first_of(block: Block, one: Instr, other: Instr) -> Instr:
    for instr in block:
        if instr is one or instr is other:
            return instr
    raise AssertionError("neither is in the block")


def partial_at(around: list[Value], masked: set[Value]) -> bool:
    return any(construct in masked for construct in around)


def is_pointer_value(value: object) -> TypeGuard[Instr]:
    return isinstance(value, Instr) and is_pointer(value)
