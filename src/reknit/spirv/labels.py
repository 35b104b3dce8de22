"""Which blocks of a tree get a label in SPIR-V, and which branches get a merge instruction.

    b1 ─▶ (pad) ─▶ b4          a branch to an empty padding block that nothing needs lands at b4
    b1 ─▶ (pad, merge) ─▶ b4   a merge block or continue target is needed: it keeps its label

A merged scope whose first branch is unmerged is *fused* with it: the scope's merge instruction stands at that branch.
"""

from typing import final

from reknit.ir import op
from reknit.ir.back_edge import is_conditional_back_edge
from reknit.ir.block import Block
from reknit.ir.cfg import predecessors, successors
from reknit.ir.crossing import is_declared
from reknit.ir.debug import may_precede_phis
from reknit.ir.function import Function
from reknit.ir.instr import Instr, Operand
from reknit.ir.jump import Branch, Break, Continue, Exit
from reknit.ir.selections import begins_scope
from reknit.ir.tree import Case, Construct, If, Loop, Region, Scope, Switch
from reknit.ir.value import Node
from reknit.ir.walk import nodes
from reknit.spirv.exits import merged_around


@final
class Rules:
    """What the module demands: `structured`, that branches have merge instructions (Shader, not Kernel alone);
    `maximal`, that edges meet only where that is declared (SPV_KHR_maximal_reconvergence, 2.11); `distinct_labels`,
    that the two labels of a conditional branch differ (SPIR-V 1.6, or maximal reconvergence)."""

    __slots__ = ("structured", "maximal", "distinct_labels")

    def __init__(self, structured: bool, maximal: bool, distinct_labels: bool) -> None:
        self.structured = structured
        self.maximal = maximal
        self.distinct_labels = distinct_labels or maximal


@final
class Labels:
    """`kept` are the padding blocks that keep their label, `headers` the blocks that hold a loop's merge instruction,
    `fused` the branches that hold a scope's, `apart` the scopes that can't share one. `tails` names the block that the
    edges out of a block leave from, where that isn't the block itself; whatever splits a block while writing fills it
    in."""

    __slots__ = ("function", "rules", "kept", "headers", "landings", "fused", "apart", "tails")

    def __init__(self, function: Function, rules: Rules) -> None:
        self.function = function
        self.rules = rules
        self.kept: dict[Block, None] = {}
        self.headers: dict[Block, Loop] = {}
        self.landings: dict[Block, Block] = {}
        self.fused: dict[Construct, Scope] = {}
        self.apart: dict[Scope, None] = {}
        self.tails: dict[Block, Block] = {}
        while function.structured and not function.is_declaration():
            self._keep_needed(nodes(function))
            if not self._part_scopes():
                break
            self.kept.clear()
            self.headers.clear()
            self.landings.clear()
            self.fused.clear()

    def landing(self, block: Block) -> Block:
        """The block whose label a branch to `block` names."""
        chain: list[Block] = []
        while block not in self.landings:
            if not self.is_transparent(block):
                self.landings[block] = block
                break
            chain.append(block)
            block = successors(block)[0]
        end = self.landings[block]
        for passed in chain:
            self.landings[passed] = end
        return end

    def is_transparent(self, block: Block) -> bool:
        """Whether branches look through `block`."""
        if not block.padding or block in self.kept or block.leading or isinstance(block.jump, (Exit, Branch)):
            return False
        if block.jump is None and not _has_one_path(block):
            return False
        return block.first is None or self._holds_only_relayed_phis(block)

    def is_written(self, block: Block) -> bool:
        if isinstance(block.jump, Exit) and block.padding and block not in self.kept and block.first is None:
            return bool(predecessors(block))
        return not self.is_transparent(block)

    def _begins_nowhere(self, loop: Loop) -> bool:
        """Whether no block that is written leads into the loop, for it stands in dead code: in a cycle that nothing
        enters, any block may be taken for the header."""
        block = loop.before()
        passed: dict[Block, None] = {}
        while block.padding and block.first is None and block not in self.kept and block not in passed:
            passed[block] = None
            sources = predecessors(block)
            if not sources:
                return block is not self.function.entry()
            if len(sources) > 1:
                return False
            block = sources[0]
        return False

    def _part_scopes(self) -> bool:
        """Find the fused scopes of which a break is no exit any more, or which leave edges to meet where that is not
        declared, now that it is known what keeps a label."""
        split: list[Scope] = []
        for branch, scope in self.fused.items():
            assert isinstance(branch, (If, Switch))
            if not self._may_fuse(scope, branch) or (self.rules.maximal and self._meets_before(scope, branch)):
                split.append(scope)
        for scope in split:
            self.apart[scope] = None
        return bool(split)

    def _keep_needed(self, nodes: list[Node]) -> None:
        if not self._goes_straight_in(self.function.entry()):
            self.kept[self.function.entry()] = None
        for node in nodes:
            if isinstance(node, Scope) and node.merged:
                branch = _first_branch(node)
                if branch is not None and node not in self.apart and self._may_fuse(node, branch):
                    self.fused[branch] = node
        fused_scopes = dict.fromkeys(self.fused.values())
        for node in nodes:
            if not isinstance(node, Construct):
                continue
            if not isinstance(node, Loop) and (node.merged and node not in fused_scopes or not isinstance(node, Scope)):
                self.kept[node.before()] = None
            if node.merged and not is_conditional_back_edge(node) and not self._goes_straight_on(node.after()):
                self.kept[node.after()] = None
            if isinstance(node, Loop):
                if self._begins_nowhere(node):
                    self.kept[node.before()] = None
                entry = node.body.entry()
                if not (isinstance(entry.next, Scope) and self._goes_straight_on(entry)):
                    self.kept[entry] = None
                single = _is_single_block(node, self.rules.distinct_labels)
                if not single and not self._goes_straight_on(node.continuing.entry()):
                    self.kept[node.continuing.entry()] = None
            elif isinstance(node, Switch):
                for case in node.cases:
                    if self._jumps_away(case.region.entry(), node):
                        self.kept[case.region.entry()] = None
            elif isinstance(node, Scope) and node.merged and self._jumps_away(node.body.entry(), node):
                self.kept[node.body.entry()] = None
        for node in nodes:
            if isinstance(node, If):
                self._keep_for_if(node)
            if isinstance(node, (If, Switch)) and self.needs_merge(node):
                after = node.after()
                if after not in self.kept and not self._goes_straight_on(after):
                    self._keep(after)
        for node in nodes:
            if isinstance(node, Block) and node.first is not None:
                self._keep_for_phis(node)
        for node in nodes:
            if isinstance(node, Loop):
                self.headers[self.landing(node.body.entry())] = node

    def _may_fuse(self, scope: Scope, branch: If | Switch) -> bool:
        """Whether every break of `scope` is still an exit if its merge instruction stands at `branch`.

        Only the merge block of a switch may be branched to from a construct inside it (SPIR-V 1.6, 2.11)."""
        if not self.rules.structured:
            return True
        if not begins_scope(branch):
            return False
        if isinstance(branch, Switch):
            return True
        return all(merged_around(block) is scope and not self._leaves_if(block, branch) for block in scope.breaks)

    def _meets_before(self, scope: Scope, branch: If | Switch) -> bool:
        """Whether edges meet right behind `branch`, at a label that nothing declares, before the end of `scope`."""
        end = self.landing(branch.after())
        return len(predecessors(branch.after())) > 1 and end is not self.landing(scope.after()) and not is_declared(end)

    def _leaves_if(self, block: Block, branch: If) -> bool:
        """Whether `block` stands in an unmerged if, other than `branch`, that needs a merge instruction: it has code in
        both arms."""
        region = block.region
        while region is not None and isinstance(region.owner, If):
            node = region.owner
            if node is not branch and not any(self._is_bare_exit(node, arm) for arm in node.regions()):
                return True
            region = node.region
        return False

    def _jumps_away(self, block: Block, switch: Switch | Scope) -> bool:
        """Whether a case from `block` on is nothing but a jump to elsewhere than the end of `switch`.

        OpSwitch can't name that place: a header structurally dominates its case constructs (SPIR-V 1.6, 2.11.1)."""
        while self.is_transparent(block):
            jump = block.jump
            if jump is not None and not (isinstance(jump, Break) and _is_in(jump.target, switch)):
                return True
            block = successors(block)[0]
            if block is switch.after():
                return False
        return False

    def _goes_straight_on(self, block: Block) -> bool:
        """Whether a merge block or continue target may be looked through: no other construct needs what follows it."""
        following = block.next
        while isinstance(following, Block) and block.jump is None and self.is_transparent(following):
            block = following  # padding behind padding
            following = block.next
        if block.jump is not None or following is None:
            return False
        if isinstance(following, Scope):
            return self.is_fused(following) or not (following.merged or self.is_transparent(following.body.entry()))
        return isinstance(following, (Block, Loop))

    def _goes_straight_in(self, block: Block) -> bool:
        """Whether the first block may be looked through: nothing else branches to the block that takes its place."""
        while self.is_transparent(block):
            block = successors(block)[0]
            if len(predecessors(block)) != 1 or _loop_of_header(block) is not None:
                return False
        return True

    def _keep_for_if(self, node: If) -> None:
        then = self.landing(node.then.entry())
        orelse = self.landing(node.orelse.entry())
        if self.rules.distinct_labels and then is orelse:
            self._keep(node.then.entry())

    def _keep(self, block: Block) -> None:
        self.kept[block] = None
        self.landings.clear()

    def needs_merge(self, node: If | Switch) -> bool:
        """Whether the branch of `node` must be written with a merge instruction naming the block after it."""
        if node in self.fused:
            return False
        if is_conditional_back_edge(node):
            return False
        if node.merged or (isinstance(node, Switch) and self.rules.structured):
            return True
        if isinstance(node, Switch):
            return False
        if not self.rules.structured:
            return False
        if self.landing(node.then.entry()) is self.landing(node.orelse.entry()):
            return False  # one target, so nothing to merge
        return not (self._is_bare_exit(node, node.then) or self._is_bare_exit(node, node.orelse))

    def _is_bare_exit(self, node: If, arm: Region) -> bool:
        """Whether an arm is nothing but an edge out of the construct around `node`."""
        entry = arm.entry()
        if entry.next is not None or not self.is_transparent(entry):
            return False
        if entry.jump is not None:
            return not (isinstance(entry.jump, Break) and entry.jump.target is node)
        after = node.after()
        return (after.jump is not None or after.next is None) and self.is_transparent(after)

    def _keep_for_phis(self, block: Block) -> None:
        """Keep the padding blocks that distinguish two edges from one block with different values."""
        phi = block.first
        while phi is not None and (phi.op == op.Phi or may_precede_phis(phi)):
            if phi.op == op.Phi:
                seen: dict[Block, Operand] = {}
                for place in range(0, len(phi.operands), 2):
                    source = phi.operands[place + 1]
                    assert isinstance(source, Block)
                    for value, origin in self.origins(phi.operands[place], source):
                        if seen.setdefault(origin, value) is not value:
                            self._keep(source)
            phi = phi.next

    def origins(self, value: Operand, source: Block) -> list[tuple[Operand, Block]]:
        """The written blocks from which control comes over `source`, with the value that comes from each."""
        origins: list[tuple[Operand, Block]] = []
        stack: list[tuple[Operand, Block]] = [(value, source)]
        while stack:
            value, block = stack.pop()
            if not self.is_transparent(block):
                origins.append((value, self.tails.get(block, block)))
            elif isinstance(value, Instr) and value.op == op.Phi and value.block is block:
                for place in range(len(value.operands) - 2, -1, -2):
                    inner = value.operands[place + 1]
                    assert isinstance(inner, Block)
                    stack.append((value.operands[place], inner))
            else:
                stack.extend((value, before) for before in reversed(predecessors(block)))
        return origins

    def _holds_only_relayed_phis(self, block: Block) -> bool:
        """Whether `block` has nothing but phis that are each relayed by phis of the next block, from here or from
        padding in between that branches look through."""
        instr = block.first
        while instr is not None:
            if instr.op != op.Phi or not instr.is_used():
                return False
            for user, count in instr.users.items():
                if count != 1 or not isinstance(user, Instr) or user.op != op.Phi:
                    return False
                place = user.operands.index(instr)
                source = user.operands[place + 1]
                if source is not block and not (isinstance(source, Block) and self._is_behind(source, block)):
                    return False
            instr = instr.next
        return True

    def _is_behind(self, block: Block, start: Block) -> bool:
        """Whether all that comes to `block` comes from `start` over empty padding that branches look through."""
        passed: dict[Block, None] = {}
        while block is not start:
            before = predecessors(block)
            if block in passed or block.first is not None or len(before) != 1 or not self.is_transparent(block):
                return False
            passed[block] = None
            block = before[0]
        return True

    def is_fused(self, scope: Scope) -> bool:
        branch = _first_branch(scope)
        return branch is not None and self.fused.get(branch) is scope


def _has_one_path(block: Block) -> bool:
    """Whether a block without a jump goes on to one block."""
    following = block.next
    if following is None:
        return block.region is not None and not isinstance(block.region.owner, Function)
    return not isinstance(following, (If, Switch))


def _is_in(node: Node, construct: Construct) -> bool:
    """Whether `node` is `construct` or in it."""
    while node is not construct:
        owner = node.region.owner if node.region is not None else None
        if isinstance(owner, Case):
            owner = owner.switch
        if not isinstance(owner, Construct):
            return False
        node = owner
    return True


def _loop_of_header(block: Block) -> Loop | None:
    region = block.region
    if region is None or block.prev is not None:
        return None
    owner = region.owner
    return owner if isinstance(owner, Loop) and region is owner.body else None


def _first_branch(scope: Scope) -> If | Switch | None:
    """The unmerged branch that control comes to first in a merged scope, with no label in between that others need."""
    node: Node | None = scope.body.first
    while node is not None:
        if isinstance(node, Block):
            if node.jump is not None:
                return None
            node = node.next
        elif isinstance(node, Scope) and not node.merged:
            node = node.body.first
        elif isinstance(node, (If, Switch)) and not node.merged:
            return node
        else:
            return None
    return None


def _is_single_block(loop: Loop, distinct_labels: bool) -> bool:
    """Whether the loop is one block that branches back to itself, once padding is gone."""
    continuing = loop.continuing.entry()
    if continuing.next is not None or not _is_bare(continuing) or continuing.jump is not None:
        return False
    header = loop.body.entry()
    choice = header.next
    if choice is None:
        return header.jump is None
    if not isinstance(choice, If) or choice.merged:
        return False
    after = choice.after()
    arms_bare = all(_is_bare(arm.entry()) and arm.entry().next is None for arm in choice.regions())
    jumps = [arm.entry().jump if arm.entry().jump is not None else after.jump for arm in choice.regions()]
    leaving = [jump for jump in jumps if isinstance(jump, Break)]
    again = [jump for jump in jumps if jump is None or isinstance(jump, Continue)]
    # Without a path back there is no back edge from the block; with two, its two labels would be the same.
    goes_back = len(again) == 1 and len(leaving) == 1 or (len(again) == 2 and not distinct_labels)
    return goes_back and arms_bare and _is_bare(after) and after.next is None


def _is_bare(block: Block) -> bool:
    if not block.padding or block.first is not None or block.leading:
        return False
    return block.jump is None or isinstance(block.jump, (Break, Continue)) or _is_dead_end(block)


def _is_dead_end(block: Block) -> bool:
    jump = block.jump
    return isinstance(jump, Exit) and jump.instr.op == op.Unreachable
