"""Compute a value where it is needed, and only there.

    %k = IMul %a, 7u : u32                       if %c {
    %w = GroupNonUniformIAdd 3u, Reduce, %k        %k = IMul %a, 7u : u32
    if %c {                                =>      %w = GroupNonUniformIAdd 3u, Reduce, %k     if %c is uniform
      use %k, %w                                   use %k, %w
    }                                            }

    %p = AccessChain ...                         loop @l { ... }
    loop @l { ... }                        =>    %p = AccessChain ...
    use %p                                       use %p

A value goes down into the innermost region that all its uses are in: arms, cases and scopes, never into a loop that it
isn't in, where it would be computed again and again. There it stands right before the first node or instruction that
needs it; one that is used in its own block stays where it is. From the last instruction to the first, so that what a
value is computed from follows it.

    - What computes from its operands alone, and loads of what nothing writes, may go anywhere: fewer invocations
      compute them, for the same operands.
    - A subgroup operation sees its tangle, so uniformity decides: it goes to the head of an arm if the invocations of
      the tangle that come to the `if` or `switch` all take the same arm, with none ended in between: then the arm's
      tangle is the one that it stood in. That is known where all entry points declare maximal reconvergence
      (SPV_KHR_maximal_reconvergence: a uniform branch doesn't split a tangle), for stages without helper invocations.
    - What gives a label to a place where edges only cross, OpSampledImage, phis, other loads and all that acts stay.

A region's ancestors are found by jump pointers (E. Myers, An applicative random-access stack, 1983): a value costs its
uses, times the logarithm of the nesting depth. Source of the idea: Mesa's nir_opt_sink, as a rule.
"""

from typing import Final, final

from reknit.analysis.effects import Effects
from reknit.analysis.tangles.declared import declared_by_all
from reknit.analysis.tangles.rules import BASE, MAXIMAL
from reknit.analysis.uniformity.uniformity import FunctionUniformity, Uniformity
from reknit.ir import enums, op, traits
from reknit.ir.block import Block
from reknit.ir.constants import as_int
from reknit.ir.crossing import is_crossing
from reknit.ir.debug import may_precede_phis
from reknit.ir.edit import append, insert_before, unlink
from reknit.ir.function import Function
from reknit.ir.instr import Instr
from reknit.ir.jump import Exit
from reknit.ir.module import Module
from reknit.ir.tree import Case, Construct, If, Loop, Region, Switch
from reknit.ir.value import Node, Value
from reknit.ir.walk import nodes
from reknit.passes.contract import CONTROL_FLOW, STRUCTURED, Context, Pass
from reknit.passes.values.constant_loads import Unwritten
from reknit.source.meter import spend

_HEAD: Final = -1
_END: Final = 1 << 40
_STAGES: Final = (enums.ExecutionModelGLCompute, enums.ExecutionModelKernel)


def sink(function: Function, context: Context) -> bool:
    return _Sink(function, context).run()


@final
class _Home:
    """A region, how deep it stands, the region around it, one far up, and the innermost loop's region around both."""

    __slots__ = ("region", "depth", "parent", "jump", "loop")

    def __init__(self, region: Region, parent: "_Home | None") -> None:
        self.region = region
        self.parent: _Home | None = parent
        self.depth: int = 0
        self.jump: _Home | None = parent
        self.loop: _Home | None = self if isinstance(region.owner, Loop) else None
        if parent is not None:
            self.depth = parent.depth + 1
            far = parent.jump
            if far is not None and far.jump is not None and parent.depth - far.depth == far.depth - far.jump.depth:
                self.jump = far.jump
            if self.loop is None:
                self.loop = parent.loop

    def up_to(self, depth: int) -> "_Home":
        """The region at `depth` that this stands in, or is."""
        home = self
        while home.depth > depth:
            jump = home.jump
            parent = home.parent
            assert jump is not None and parent is not None
            home = jump if jump.depth >= depth else parent
        return home


def _common(home: _Home, other: _Home) -> _Home:
    """The innermost region that both stand in."""
    home = home.up_to(other.depth)
    other = other.up_to(home.depth)
    while home is not other:
        one_jump, other_jump = home.jump, other.jump
        one_parent, other_parent = home.parent, other.parent
        assert one_jump is not None and other_jump is not None
        assert one_parent is not None and other_parent is not None
        if one_jump is other_jump:
            home, other = one_parent, other_parent
        else:
            home, other = one_jump, other_jump
    return home


@final
class _Place:
    """Where an instruction stands in source order: in block number `block`, at `at` in it, before what came to `at`
    earlier. Numbers of what was moved grow, so `-turn` orders them."""

    __slots__ = ("block", "at", "turn")

    def __init__(self, block: int, at: int, turn: int) -> None:
        self.block = block
        self.at = at
        self.turn = turn

    def is_before(self, other: "_Place") -> bool:
        if self.block != other.block:
            return self.block < other.block
        if self.at != other.at:
            return self.at < other.at
        return self.turn > other.turn


@final
class _Sink:
    """`home` has the record of each region, `number` the place of each block in source order, `places` where
    instructions stand; `original` what stood at a place of a block at first, `front` the first that was put there."""

    __slots__ = (
        "effects", "unwritten", "uniformity", "home", "number", "order", "places", "original", "front", "turn",
    )  # fmt: skip

    def __init__(self, function: Function, context: Context) -> None:
        self.effects = context.analyses.of_module(Effects)
        self.unwritten = Unwritten(context)
        self.uniformity: FunctionUniformity | None = None
        if "tangles" not in context.answers:
            context.answers["tangles"] = _tangles_are_known(context.module)
        if context.answers["tangles"]:
            self.uniformity = context.analyses.of_module_with(Uniformity, "subgroup").of(function)
        self.home: dict[Region, _Home] = {function.body: _Home(function.body, None)}
        self.number: dict[Block, int] = {}
        self.order: list[Block] = []
        self.places: dict[Instr, _Place] = {}
        self.original: dict[tuple[int, int], Instr] = {}
        self.front: dict[tuple[int, int], Instr] = {}
        self.turn = 0
        for node in nodes(function):
            if isinstance(node, Construct):
                around = node.region
                assert around is not None
                for region in node.regions():
                    self.home[region] = _Home(region, self.home[around])
            elif isinstance(node, Block):
                self.number[node] = len(self.order)
                self.order.append(node)
                for at, instr in enumerate(node):
                    self.places[instr] = _Place(self.number[node], at, 0)
                    self.original[(self.number[node], at)] = instr

    def run(self) -> bool:
        changed = False
        for index in range(len(self.order) - 1, -1, -1):
            instr = self.order[index].last
            while instr is not None:
                before = instr.prev
                if instr.is_used() and instr.type is not None:
                    if self.effects.computes(instr) or self.unwritten.stays_same(instr):
                        changed = self.compute_below(instr) or changed
                    elif self.is_shared(instr):
                        changed = self.share_below(instr) or changed
                instr = before
        return changed

    # --- where it is needed -------------------------------------------------------------------------------------------

    def uses(self, instr: Instr) -> list[_Place] | None:
        """Where its value is needed; None if that can't be said."""
        places: list[_Place] = []
        for user in instr.users:
            if isinstance(user, Instr):
                if user.op == op.Phi:
                    for index in range(0, len(user.operands), 2):
                        source = user.operands[index + 1]
                        if user.operands[index] is instr:
                            if not isinstance(source, Block) or source not in self.number:
                                return None
                            places.append(_Place(self.number[source], _END, 0))
                    continue
                place = self.places.get(user)
                if place is None:
                    block = user.block
                    if block is None or block not in self.number or not isinstance(block.jump, Exit):
                        return None  # debug information, or a block that nothing reaches
                    place = _Place(self.number[block], _END, 0)
                places.append(place)
            elif isinstance(user, (If, Switch)) and user.before() in self.number:
                places.append(_Place(self.number[user.before()], _END, 0))
            else:
                return None
        return places

    def home_of(self, place: _Place) -> _Home:
        region = self.order[place.block].region
        assert region is not None
        return self.home[region]

    def compute_below(self, instr: Instr) -> bool:
        block = instr.block
        assert block is not None and block.region is not None
        uses = self.uses(instr)
        if not uses:
            return False
        first = uses[0]
        target = self.home_of(first)
        for use in uses:
            if use.is_before(first):
                first = use
            target = _common(target, self.home_of(use))
        own = self.home[block.region]
        if first.block <= self.number[block] or target.depth < own.depth or target.up_to(own.depth) is not own:
            return False
        while target.loop is not own.loop:
            loop = target.loop
            assert loop is not None and loop.parent is not None
            target = loop.parent
        while target.depth >= own.depth:
            block_there, at = self.entry_to(first, target)
            if block_there is block:
                return False
            if not is_crossing(block_there):
                self.put(instr, block_there, at)
                return True
            if target.parent is None:
                return False
            target = target.parent
        return False

    def entry_to(self, first: _Place, target: _Home) -> tuple[Block, int]:
        """The last place in the region `target` from which `first`, which is in it, is still ahead."""
        home = self.home_of(first)
        if home is target:
            return self.order[first.block], first.at
        owner: Value = home.up_to(target.depth + 1).region.owner
        if isinstance(owner, Case):
            owner = owner.switch
        assert isinstance(owner, Construct)
        return owner.before(), _END

    # --- operations that see their tangle -----------------------------------------------------------------------------

    def is_shared(self, instr: Instr) -> bool:
        """Whether it is an operation of the subgroup whose result depends on the tangle and its operands alone."""
        if self.uniformity is None or instr.op not in traits.SHARES or not instr.operands:
            return False
        scope = instr.operands[0]
        return isinstance(scope, Instr) and scope.op == op.Constant and as_int(scope) == enums.ScopeSubgroup

    def share_below(self, instr: Instr) -> bool:
        moved = False
        while True:
            spend(1)
            block = instr.block
            assert block is not None
            arm = self.only_arm(instr, block)
            if arm is None:
                return moved
            self.put(instr, arm.entry(), _HEAD)
            moved = True

    def only_arm(self, instr: Instr, block: Block) -> Region | None:
        """The arm or case right behind `block` in which all uses are, if its tangle is the one of `instr`."""
        uniformity = self.uniformity
        choice: Node | None = block.next
        assert uniformity is not None
        if not isinstance(choice, (If, Switch)) or block.jump is not None:
            return None
        uses = self.uses(instr)
        if not uses or not uniformity.branches_uniformly(choice):
            return None
        last = instr.next
        while last is not None:
            if self.effects.may_end(last):
                return None
            last = last.next
        arm: Region | None = None
        for region in choice.regions():
            inner = self.home[region]
            if all(self.is_inside(use, inner) for use in uses):
                arm = region
        if arm is None or is_crossing(arm.entry()) or not uniformity.keeps_tangle(arm.entry()):
            return None
        owner = arm.owner
        return None if isinstance(owner, Case) and owner.fallthroughs else arm

    def is_inside(self, use: _Place, home: _Home) -> bool:
        there = self.home_of(use)
        return there.depth >= home.depth and there.up_to(home.depth) is home

    # --- moving -------------------------------------------------------------------------------------------------------

    def put(self, instr: Instr, block: Block, at: int) -> None:
        """Move it to `at` in `block`, before what was put there earlier."""
        number = self.number[block]
        front = self.front.get((number, at))
        unlink(instr)
        if front is None:
            front = self.following(block, at)
        if front is None:
            append(block, instr)
        else:
            insert_before(front, instr)
        self.turn += 1
        self.places[instr] = _Place(number, at, self.turn)
        self.front[(number, at)] = instr

    def following(self, block: Block, at: int) -> Instr | None:
        """The instruction at `at`: the first behind the phis for _HEAD, none for _END."""
        if at == _END:
            return None
        if at != _HEAD:
            return self.original[(self.number[block], at)]
        instr = block.first
        while instr is not None and (instr.op == op.Phi or may_precede_phis(instr)):
            instr = instr.next
        return instr


def _tangles_are_known(module: Module) -> bool:
    """Whether every entry point declares maximal reconvergence, in a stage without helper invocations."""
    entries = module.entry_points
    rules = declared_by_all(module)
    return bool(entries) and all(
        entry.word(0) in _STAGES
        and isinstance(entry.operands[1], Function)
        and rules.get(entry.operands[1], BASE) == MAXIMAL
        for entry in entries
    )


SINK: Final = Pass(
    "sink",
    "compute a value where it is needed, and only there",
    sink,
    needs=(STRUCTURED,),
    keeps=(*CONTROL_FLOW, "call-graph", "decorations", "effects"),
)
