"""Writes the tree that a plan describes: constructs with labels, and jumps to them through any number of levels.

    x: c ? a : b      scope @j {                 the scope for j begins where j's dominator stands, and is merged:
    a ──▶ j, e          x                        lanes that enter x together meet at j, but for those that go elsewhere
    b ──▶ j      =>     if c { a; if .. { break @e } }
    j                   else { b }
                      }
                      j

A branch to block t is nothing where the end of the region goes there anyway, else a jump: the end of an iteration where
t is a loop's header, else a break of the innermost construct from whose end control comes to t by itself. Arms are
nested up to a depth at which that reads well; below, the larger arm goes on behind its `if`, whose other arm then
always jumps: the depth is logarithmic there. Stars, and what would be nested too deeply, become levels. No recursion:
`work` is a stack of things to write, and everything behind a construct is pushed before what is in it.
"""

from typing import Final, final

from reknit.ir import op
from reknit.ir.block import Block
from reknit.ir.cfg import predecessors
from reknit.ir.edit import append_node, clear_jump, set_jump
from reknit.ir.function import Function
from reknit.ir.instr import Instr
from reknit.ir.jump import Branch, Break, Continue, Exit, Fallthrough
from reknit.ir.switch_targets import switch_targets
from reknit.ir.tree import Case, Construct, If, Loop, Region, Scope, Switch
from reknit.ir.value import Value
from reknit.passes.contract import Context
from reknit.passes.structurize.controls import Controls
from reknit.passes.structurize.fallthrough_targets import falling_cases, keep_needed
from reknit.passes.structurize.levels import Group, Levels
from reknit.passes.structurize.plan import Plan
from reknit.source.meter import spend

NONE: Final = -1
READABLE: Final = 12  # arms are nested up to this depth
STAR: Final = 16  # scopes are nested up to this number at one block

_NODE: Final = 0  # a node with all that is placed at and behind it
_INSIDE: Final = 1  # the same, its loop being open
_CLOSE: Final = 2  # a construct that leads to a node is behind
_LEVEL: Final = 3  # the next level of a group


@final
class Emitter:
    """`exits[region]` is the node that the end of a region goes to, `depth[region]` how many constructs are around it.
    `leads[t]` are the open constructs from which control comes to t, outer first."""

    def __init__(self, plan: Plan, function: Function, context: Context, nesting: int, falls: bool) -> None:
        self.plan = plan
        self.flow = plan.flow
        self.function = function
        self.nesting = nesting
        self.readable = min(READABLE, nesting)
        self.falls = falls  # whether a case may fall through to another: only where no tangled operation is executed
        self.controls = Controls(function)
        self.exits: dict[Region, int] = {}
        self.depth: dict[Region, int] = {}
        self.leads: list[list[Value]] = [[] for _ in plan.flow.blocks]
        self.levels = Levels(function, context, plan)
        self.work: list[tuple[int, int, Region | None]] = []
        self.closings: list[Block] = []
        self.scopes: list[Scope] = []
        self.falling: list[Scope] = []  # those at the end of which a case falls through
        self.deepest = 0

    def run(self) -> None:
        """Move all blocks of the function into its tree."""
        body = self.function.body
        self.exits[body] = NONE
        self.depth[body] = 0
        self.work.append((_NODE, 0, body))
        while self.work:
            spend(1)
            kind, number, region = self.work.pop()
            if kind == _CLOSE:
                self.leads[number].pop()
                continue
            assert region is not None
            if kind == _NODE:
                self._node(number, region)
            elif kind == _INSIDE:
                self._inside(number, region)
            else:
                self._level(number, region)
        self.function.structured = True
        self.function.blocks = []
        self.function.touch()
        for pad in reversed(self.closings):
            if pad.jump is None and not predecessors(pad):
                set_jump(pad, Exit(Instr(op.Unreachable, None, [], "", False)))
        self.scopes += keep_needed(self.falling)

    # --- constructs ---------------------------------------------------------------------------------------------------

    def _node(self, node: int, region: Region) -> None:
        loop = self.plan.heads[node]
        if loop < 0:
            self._inside(node, region)
            return
        behind = [other for other in self.plan.hoisted[loop] if self.levels.group_of[other] < 0]
        if len(behind) > 1 and self._is_too_deep(region, len(behind)):
            deep = self.depth[region] + len(behind) > self.nesting
            self._open_levels(_NODE, node, region, self.levels.settle(self.plan.behind(loop)) if deep else behind)
            return
        region = self._open_scopes(region, behind[1:])
        construct = Loop(self.flow.blocks[node].name)
        construct.control = self.controls.loop(self.flow.blocks[node])
        self._place(construct, region)
        self._goes_on(construct, region, behind)
        self._into(construct.body, region, node)
        append_node(construct.continuing, Block("", True))
        self.depth[construct.continuing] = self.depth[construct.body]
        self._lead(node, construct)
        self.work.append((_INSIDE, node, construct.body))

    def _inside(self, node: int, region: Region) -> None:
        """Write `node`, whose loop, if it has one, is open, and what is placed at it."""
        plan = self.plan
        joins = [other for other in plan.joins[node] if self.levels.group_of[other] < 0]
        block = self.flow.blocks[node]
        targets = self.flow.targets[node]
        jump = block.jump
        switches = isinstance(jump, Branch) and jump.instr.op == op.Switch
        if joins or len(plan.inline[node]) > (0 if switches else 1):  # a lone arm goes on behind its if
            deep = self.depth[region] + len(joins) + 1 > self.nesting
            if deep and not self.levels.settled[node]:
                below = self.levels.settle(plan.below(node))
                self.levels.settled[node] = True
                if below:
                    self._open_levels(_INSIDE, node, region, below)
                    return
            elif not deep and self._is_too_deep(region, len(joins)):
                self._open_levels(_INSIDE, node, region, joins)
                return
        if len(targets) > 1 and isinstance(jump, Branch) and switches:
            self._switch(node, region, joins, jump.instr)
            return
        region = self._open_scopes(region, joins)
        append_node(region, block)
        if not isinstance(jump, Branch):
            return
        if len(targets) == 1:
            clear_jump(block)
            if self._is_inline(node, targets[0]):
                self.work.append((_NODE, targets[0], region))
            else:
                self._leave(block, node, targets[0], region)
            return
        condition = jump.instr.value(0)
        weights = [jump.instr.word(place) for place in range(3, len(jump.instr.operands))]
        yes, other = jump.instr.operands[1], jump.instr.operands[2]
        assert isinstance(yes, Block) and isinstance(other, Block)
        clear_jump(block)
        self._choice(node, region, condition, self.flow.number[yes], self.flow.number[other], weights)

    def _open_scopes(self, region: Region, behind: list[int]) -> Region:
        """Scopes one in the other, of which the innermost is followed by the first of `behind`; the region in it."""
        for place in range(len(behind) - 1, -1, -1):
            scope = Scope()
            self.scopes.append(scope)
            self._place(scope, region)
            self._goes_on(scope, region, [behind[place]])
            self._into(scope.body, region, behind[place])
            region = scope.body
        return region

    def _place(self, construct: Construct, region: Region) -> None:
        if not isinstance(region.last, Block) or region.last.jump is not None:
            append_node(region, Block("", True))
        append_node(region, construct)

    def _goes_on(self, construct: Construct, region: Region, behind: list[int]) -> None:
        """Behind `construct` comes the first of `behind`, or the end of `region`."""
        target = behind[0] if behind else self.exits[region]
        if behind:
            self.work.append((_NODE, target, region))
        else:
            self._end(region)
        if target != NONE:
            self._lead(target, construct)

    def _lead(self, target: int, construct: Value) -> None:
        self.leads[target].append(construct)
        self.work.append((_CLOSE, target, None))

    def _into(self, inner: Region, outer: Region, exit: int) -> None:
        """`inner` is a region of a construct in `outer`, and its end goes to `exit`."""
        self.exits[inner] = exit
        depth = self.depth[outer] + 1
        self.depth[inner] = depth
        self.deepest = max(self.deepest, depth)

    def _end(self, region: Region) -> None:
        """A block at the end of `region` that goes where that goes."""
        pad = Block("", True)
        append_node(region, pad)
        self.closings.append(pad)

    def _is_too_deep(self, region: Region, more: int) -> bool:
        return more > STAR or self.depth[region] + more + 1 > self.nesting

    def _is_inline(self, node: int, target: int) -> bool:
        return (
            self.flow.idom[target] == node
            and self.flow.forward[target] == 1
            and self.plan.above[target] == node
            and self.levels.group_of[target] < 0
            and not (self.plan.heads[node] >= 0 and self.plan.loop_around(target) == self.plan.loop_around(node))
        )

    # --- branches -----------------------------------------------------------------------------------------------------

    def _choice(self, node: int, region: Region, condition: Value, yes: int, other: int, weights: list[int]) -> None:
        """A branch as an `if` without a merge, in one of two forms.

        Nested: each arm holds what its edge leads to, or is empty where the edge leads to where the end of `region`
        goes. Aside: one arm jumps away at each of its ends, the other is empty, and where its edge leads stands behind
        the `if`. In both, the end of the last region written goes to `exit`, and no two edges into a node meet at the
        end of the `if`: where paths meet, a scope that was opened before this ends there."""
        block = self.flow.blocks[node]
        exit = self.exits[region]
        first = self._is_inline(node, yes)
        second = self._is_inline(node, other)
        if not first and not second and self._select(block, node, region, condition, yes, other):
            return
        choice = If(condition)
        choice.merged = False
        choice.weights = weights
        choice.control = self.controls.selection(block, self.plan.heads[node] >= 0)
        append_node(region, choice)
        leaves = self._only_leaves(yes, exit) or self._only_leaves(other, exit)
        both = first and second and not leaves
        if self.depth[region] < self.readable and (both or first != second and exit == (other if first else yes)):
            self._end(region)
            for arm in (choice.then, choice.orelse):
                self._into(arm, region, exit)
            for inline, target, arm in ((second, other, choice.orelse), (first, yes, choice.then)):
                if inline:
                    self.work.append((_NODE, target, arm))
                else:
                    append_node(arm, Block("", True))
            return
        if first and second:
            aside = self._only_leaves(yes, exit) if leaves else self.plan.size[yes] <= self.plan.size[other]
        else:
            aside = second or not first and yes != exit
        arm, empty = (choice.then, choice.orelse) if aside else (choice.orelse, choice.then)
        for inner in (arm, empty):
            self._into(inner, region, NONE)
        append_node(empty, Block("", True))
        behind = (second, other, region) if aside else (first, yes, region)
        away = (first, yes, arm) if aside else (second, other, arm)
        for inline, target, into in (behind, away):
            if inline:
                self.work.append((_NODE, target, into))
            else:
                pad = Block("", True)
                append_node(into, pad)
                self._leave(pad, node, target, into)

    def _only_leaves(self, node: int, exit: int) -> bool:
        """Whether `node` is a block alone that goes elsewhere than `exit`."""
        targets = self.flow.targets[node]
        return self.plan.size[node] == 1 and self.plan.heads[node] < 0 and (
            not targets or len(targets) == 1 and targets[0] != exit and self.levels.group_of[targets[0]] < 0
        )

    def _switch(self, node: int, region: Region, joins: list[int], instr: Instr) -> None:
        """A switch; a case may fall through to another one, where that is allowed (`falls`)."""
        block = self.flow.blocks[node]
        falls = falling_cases(self.plan, node, joins) if self.falls else {}
        joins = [other for other in joins if other not in falls]
        region = self._open_scopes(region, joins[1:])
        append_node(region, block)
        switch = Switch(instr.value(0))
        append_node(region, switch)
        switch.control = self.controls.selection(block, self.plan.heads[node] >= 0)
        pairs = switch_targets(instr)
        default = instr.operands[1]
        assert isinstance(default, Block)
        clear_jump(block)
        self._goes_on(switch, region, joins[:1])
        exit = joins[0] if joins else self.exits[region]
        cases: dict[int, Case] = {}
        for label in [*[label for _, label in pairs], default]:
            target = self.flow.number[label]
            if target not in cases:
                cases[target] = Case(switch)
        switch.targets = [(literal, cases[self.flow.number[label]]) for literal, label in pairs]
        switch.default = cases[self.flow.number[default]]
        follows = {source: target for target, source in falls.items()}
        for target in cases:
            at = NONE if target in falls else target
            while at != NONE:
                switch.cases.append(cases[at])
                at = follows.get(at, NONE)
        # Literals of one case stand together, those of a case before those of the one it falls through to (2.11).
        places = {case: place for place, case in enumerate(switch.cases)}
        switch.targets.sort(key=lambda pair: places[pair[1]])
        for target in reversed(cases):
            case = cases[target]
            self._into(case.region, region, exit)
            if target in falls or self._is_inline(node, target):
                inside = case.region
                if target in follows:
                    inside = self._falling(case.region, cases[follows[target]], follows[target])
                self.work.append((_NODE, target, inside))
            else:
                pad = Block("", True)
                append_node(case.region, pad)
                self._leave(pad, node, target, case.region)

    def _falling(self, region: Region, next: Case, target: int) -> Region:
        """Let the end of a case fall through to `next`, the case of `target`; the region that all of it goes to."""
        scope = Scope()
        self.falling.append(scope)
        self._place(scope, region)
        self._into(scope.body, region, target)
        end = Block("", True)
        append_node(region, end)
        set_jump(end, Fallthrough(next))
        self._lead(target, scope)
        return scope.body

    # --- branches -----------------------------------------------------------------------------------------------------

    def _leave(self, block: Block, node: int, target: int, region: Region) -> None:
        """Let `block`, the last of `region`, go where an edge from `node` to `target` goes."""
        group = self.levels.of(target)
        if group is not None and not self.flow.is_back(node, target):
            self.levels.want(block, group, target)
            target = group.target
        self._jump(block, target, region)

    def _jump(self, block: Block, target: int, region: Region) -> None:
        if self.exits[region] == target:
            return
        construct = self.leads[target][-1]
        if isinstance(construct, Loop) and self.exits[construct.body] == target:
            set_jump(block, Continue(construct))
        else:
            assert isinstance(construct, Construct)
            set_jump(block, Break(construct))

    # --- levels -------------------------------------------------------------------------------------------------------

    def _open_levels(self, kind: int, node: int, region: Region, members: list[int]) -> None:
        """Write `node` in a scope, and `members` as levels behind it."""
        self.leads.append([])
        group = self.levels.open(members, len(self.leads) - 1)
        self.work.append((_LEVEL, len(self.levels.groups) - 1, region))
        self.work.append((kind, node, self._level_scope(group, region)))

    def _level_scope(self, group: Group, region: Region) -> Region:
        scope = Scope()
        self.scopes.append(scope)
        self._place(scope, region)
        self._into(scope.body, region, group.target)
        self._lead(group.target, scope)
        return scope.body

    def _level(self, number: int, region: Region) -> None:
        """The next level of a group."""
        group = self.levels.groups[number]
        place = group.next
        group.next += 1
        if place == len(group.members) - 1:
            self.work.append((_NODE, group.members[place], region))
            return
        self.work.append((_LEVEL, number, region))
        inner = self._level_scope(group, region)
        before = Block("", True)
        append_node(inner, before)
        choice = If(self.levels.test(before, group, place))
        choice.merged = False
        append_node(inner, choice)
        self._end(inner)
        append_node(choice.orelse, Block("", True))
        self._into(choice.then, inner, group.target)
        self._into(choice.orelse, inner, group.target)
        self.work.append((_NODE, group.members[place], choice.then))

    def _select(self, block: Block, node: int, region: Region, condition: Value, yes: int, other: int) -> bool:
        """Choose between two levels without a branch, if that is what a choice is about."""
        group = self.levels.of(yes)
        if group is None or group is not self.levels.of(other):
            return False
        if self.flow.is_back(node, yes) or self.flow.is_back(node, other):
            return False
        self.levels.choose(block, group, condition, yes, other)
        self._jump(block, group.target, region)
        return True
