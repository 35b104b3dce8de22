"""Structured SPIR-V into the control-flow tree: from merge instructions and branches to regions.

    b1: OpSelectionMerge %b4          b1
        OpBranchConditional b2 b3     if { b2 } else { b3 }
    b2: OpBranch %b4            =>    b4
    b3: OpBranch %b4
    b4: OpReturn

A function is emitted along its structural dominator tree (edges, merge and continue edges; SPIR-V 1.6, 2.11). A block goes

    after its construct     if it is the declared merge block
    into `continuing`       if it is the declared continue target
    into a case             if it is a switch target
    inline                  if its only predecessor is the block that dominates it
    after an unmerged scope otherwise: blocks of several predecessors that nobody declared (legal without maximal reconvergence)

The last rule makes this total for reducible graphs (N. Ramsey, "Beyond Relooper", ICFP 2022). Edges without a block of their own
get padding blocks. In the end the graph read off the tree is compared with the input: what can't be a tree stays flat, and the
diagnostics say why.
"""

from typing import Final, final

from reknit.ir import op
from reknit.ir.block import Block
from reknit.ir.cfg import branch_targets, predecessors
from reknit.ir.dominators import immediate_dominators
from reknit.ir.edit import append_node, prepend, set_jump
from reknit.ir.function import Function
from reknit.ir.instr import Instr, Operand
from reknit.ir.jump import Branch, Break, Continue, Exit, Fallthrough
from reknit.ir.tree import Case, Construct, If, Loop, Region, Scope, Switch
from reknit.ir.walk import nodes_in
from reknit.source.diagnostic import Diagnostic
from reknit.source.place import Place
from reknit.spirv.tree_check import check_tree

NONE: Final = -1


@final
class Unstructured(Exception):
    """The function is no control-flow tree; the message says which rule is broken, at which block."""

    def __init__(self, code: str, message: str, block: Block) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.block = block


def fold_function(function: Function, path: str) -> list[Diagnostic]:
    """Turn a flat function into a tree, in place. On failure it stays flat and the reasons are returned."""
    graph = Graph(function.blocks)
    tree = _Emitter(graph, function)
    try:
        graph.analyse()
        tree.emit_all()
        tree.set_jumps()
    except Unstructured as fault:
        tree.undo()
        return [_diagnostic(fault, function, path)]
    tree.commit()
    return []


def block_name(block: Block) -> str:
    return f"%{block.name}" if block.name else f"%{block.id}"


def _diagnostic(fault: Unstructured, function: Function, path: str) -> Diagnostic:
    where = f"function %{function.name or function.id}, block {block_name(fault.block)}: "
    return Diagnostic(fault.code, where + fault.message, Place(path))


@final
class Graph:
    """The flat function as numbers. Blocks are numbered as they stand; every list is indexed by block number.

    `successors`, `merge_of`, `continue_of` (NONE if none), `reached` structurally, `idom`, `children` of the structural
    dominator tree, `enter` and `leave` its depth-first interval, `rank` the reverse post-order position.
    """

    def __init__(self, blocks: list[Block]) -> None:
        self.blocks = blocks
        self.number: dict[Block, int] = {block: index for index, block in enumerate(blocks)}
        count = len(blocks)
        self.successors: list[list[int]] = []
        self.merge_of: list[int] = [NONE] * count
        self.continue_of: list[int] = [NONE] * count
        self.merges: list[int] = [NONE] * count  # block -> the header whose merge block it is
        self.continues: list[int] = [NONE] * count  # block -> the loop header whose continue target it is
        self.reached: list[bool] = [False] * count
        self.rank: list[int] = [NONE] * count
        self.idom: list[int] = []
        self.children: list[list[int]] = [[] for _ in blocks]
        self.enter: list[int] = [NONE] * count
        self.leave: list[int] = [NONE] * count
        self.forward: list[int] = [0] * count  # how many forward edges lead to it

    def analyse(self) -> None:
        """Fill everything in; raises `Unstructured` where merge instructions contradict the graph."""
        self._edges()
        structural = [self._structural(index) for index in range(len(self.blocks))]
        self._rank(structural)
        self._declared()
        self.idom = immediate_dominators(0, structural)
        self._intervals()
        for header, block in enumerate(self.blocks):
            if not self.reached[header]:
                continue
            _check_phis(block)
            merge = self.merge_of[header]
            if merge != NONE and (self.idom[merge] != header or merge == header):
                raise Unstructured("RK0501", f"its merge block {self.name(merge)} is not dominated by it", block)
            target = self.continue_of[header]
            if target != NONE and target != header and self.idom[target] != header:
                raise Unstructured("RK0501", f"its continue target {self.name(target)} is not dominated by it", block)
            for successor in self.successors[header]:
                if not self.dominates(successor, header):
                    if self.rank[successor] <= self.rank[header]:
                        raise Unstructured("RK0502", f"it jumps into the loop at {self.name(successor)} from outside", block)
                    self.forward[successor] += _ways(block)
                elif self.continue_of[successor] == NONE:
                    raise Unstructured(
                        "RK0502", f"it branches back to {self.name(successor)}, which has no OpLoopMerge", block
                    )

    def name(self, index: int) -> str:
        return block_name(self.blocks[index])

    def dominates(self, above: int, below: int) -> bool:
        return self.enter[above] <= self.enter[below] and self.leave[below] <= self.leave[above]

    def _edges(self) -> None:
        for index, block in enumerate(self.blocks):
            jump = block.jump
            targets: list[int] = []
            if isinstance(jump, Branch):
                targets = [self.number[target] for target in branch_targets(jump.instr)]
                merge = jump.merge
                if merge is not None:
                    label = merge.operands[0]
                    assert isinstance(label, Block)
                    self.merge_of[index] = self.number[label]
                    if merge.op == op.LoopMerge:
                        label = merge.operands[1]
                        assert isinstance(label, Block)
                        self.continue_of[index] = self.number[label]
            self.successors.append(targets)

    def _structural(self, index: int) -> list[int]:
        """Merge edge first, so that a depth-first search leaves the merge block early and its rank comes late."""
        edges: list[int] = []
        if self.merge_of[index] != NONE:
            edges.append(self.merge_of[index])
        if self.continue_of[index] != NONE:
            edges.append(self.continue_of[index])
        edges.extend(self.successors[index])
        return edges

    def _rank(self, structural: list[list[int]]) -> None:
        order: list[int] = []
        self.reached[0] = True
        stack = [0]
        position = [0] * len(structural)
        while stack:
            top = stack[-1]
            if position[top] < len(structural[top]):
                following = structural[top][position[top]]
                position[top] += 1
                if not self.reached[following]:
                    self.reached[following] = True
                    stack.append(following)
            else:
                order.append(stack.pop())
        for place, index in enumerate(reversed(order)):
            self.rank[index] = place

    def _declared(self) -> None:
        for header, block in enumerate(self.blocks):
            merge = self.merge_of[header]
            if merge == NONE or not self.reached[header]:
                continue
            if self.merges[merge] != NONE:
                other = self.name(self.merges[merge])
                raise Unstructured("RK0503", f"its merge block {self.name(merge)} is the merge block of {other} too", block)
            self.merges[merge] = header
            target = self.continue_of[header]
            if target != NONE:
                if target == merge:
                    raise Unstructured("RK0503", "its merge block and its continue target are the same block", block)
                if target == header:
                    continue  # a loop of one block
                if self.continues[target] != NONE:
                    other = self.name(self.continues[target])
                    raise Unstructured("RK0503", f"its continue target is the continue target of {other} too", block)
                self.continues[target] = header

    def _intervals(self) -> None:
        by_rank = sorted((index for index in range(len(self.blocks)) if self.reached[index]), key=self.rank.__getitem__)
        for index in by_rank:
            if index != 0:
                self.children[self.idom[index]].append(index)
        clock = 0
        stack = [0]
        position = [0] * len(self.blocks)
        self.enter[0] = clock
        while stack:
            top = stack[-1]
            if position[top] < len(self.children[top]):
                child = self.children[top][position[top]]
                position[top] += 1
                clock += 1
                self.enter[child] = clock
                stack.append(child)
            else:
                clock += 1
                self.leave[top] = clock
                stack.pop()


@final
class _Emitter:
    """Places every reached block. `exits[region]` is the number of the block that the end of the region goes to."""

    def __init__(self, graph: Graph, function: Function) -> None:
        self.graph = graph
        self.function = function
        self.exits: dict[Region, int] = {}
        self.labels: dict[int, Construct | Case] = {}  # where to break, or which case falls through to it
        self.loops: dict[int, Loop] = {}  # continue target -> its loop
        self.work: list[tuple[int, Region]] = []
        self.jumps: list[tuple[Block, Break | Continue | Fallthrough]] = []
        self.closings: list[Block] = []  # padding after unmerged constructs, outer ones first
        self.branches: list[tuple[Block, Branch]] = []

    def emit_all(self) -> None:
        self.exits[self.function.body] = NONE
        self.work.append((0, self.function.body))
        while self.work:
            index, region = self.work.pop()
            self._emit(index, region)

    def set_jumps(self) -> None:
        """Replace the branches by jumps of the tree, and compare the graph with the input."""
        graph = self.graph
        for index, block in enumerate(graph.blocks):
            jump = block.jump
            if graph.reached[index] and isinstance(jump, Branch):
                self.branches.append((block, jump))
                block.jump = None
        for block, way in self.jumps:
            set_jump(block, way)
        for pad in reversed(self.closings):
            if not predecessors(pad):
                set_jump(pad, Exit(Instr(op.Unreachable, None, [], "", False)))
        fault = check_tree(self.function.body, graph.blocks, graph.reached, graph.successors)
        if fault is not None:
            raise Unstructured("RK0504", fault[1], fault[0])

    def commit(self) -> None:
        """Let go of the branches, mend the phis, keep what nothing reaches as islands."""
        graph = self.graph
        for _, branch in self.branches:
            branch.instr.drop_operands()
            if branch.merge is not None:
                branch.merge.drop_operands()
        for index, block in enumerate(graph.blocks):
            if graph.reached[index]:
                mend_phis(block)
        self.function.structured = True
        self.function.blocks = [block for index, block in enumerate(graph.blocks) if not graph.reached[index]]

    def undo(self) -> None:
        """Put everything back as it was."""
        for construct in nodes_in(self.function.body):
            if isinstance(construct, If):
                construct.condition.drop_user(construct)
            elif isinstance(construct, Switch):
                construct.selector.drop_user(construct)
        for block, branch in self.branches:
            block.jump = branch
        for block in self.graph.blocks:
            block.region = None
            block.prev = None
            block.next = None
        self.function.body = Region(self.function)

    def _emit(self, index: int, region: Region) -> None:
        """Put block `index` and what its branch opens at the end of `region`; queue what comes inside and after."""
        graph = self.graph
        block = graph.blocks[index]
        merge = graph.merge_of[index]
        joins = self._joins(index)
        is_loop = graph.continue_of[index] != NONE
        if is_loop:
            region = self._open_loop(index, region)
        elif merge != NONE and joins:
            # The merge instruction stands at the branch, but its construct also holds blocks that several branches share.
            scope = Scope()
            self._set_control(scope, block)
            region = self._open_scope(scope, region, merge)
        for join in reversed(joins):
            scope = Scope()
            scope.merged = False
            region = self._open_scope(scope, region, join)
        append_node(region, block)
        jump = block.jump
        if not isinstance(jump, Branch):
            return
        own_merge = merge if not is_loop and not joins else NONE
        if jump.instr.op == op.Branch:
            self._unconditional(index, region)
        elif jump.instr.op == op.BranchConditional:
            self._conditional(index, region, jump, own_merge)
        else:
            self._switch(index, region, jump, own_merge)

    def _joins(self, index: int) -> list[int]:
        """Children in the dominator tree that nothing else places: they go after unmerged scopes, in order of rank."""
        graph = self.graph
        block = graph.blocks[index]
        jump = block.jump
        is_switch = isinstance(jump, Branch) and jump.instr.op == op.Switch
        joins: list[int] = []
        for child in graph.children[index]:
            if graph.merges[child] != NONE or graph.continues[child] != NONE:
                continue
            if graph.forward[child] == 1 or (is_switch and child in graph.successors[index]):
                continue
            joins.append(child)
        return joins

    def _open_loop(self, index: int, region: Region) -> Region:
        graph = self.graph
        block = graph.blocks[index]
        loop = Loop(block.name)
        self._set_control(loop, block)
        self._place(loop, region)
        merge = graph.merge_of[index]
        target = graph.continue_of[index]
        self.labels[merge] = loop
        self.exits[loop.body] = target
        self.exits[loop.continuing] = index
        if target == index:
            append_node(loop.continuing, Block("", True))
        else:
            self.loops[target] = loop
            self.work.append((target, loop.continuing))
        self.work.append((merge, region))
        return loop.body

    def _open_scope(self, scope: Scope, region: Region, after: int) -> Region:
        self._place(scope, region)
        self.labels[after] = scope
        self.exits[scope.body] = after
        self.work.append((after, region))
        return scope.body

    def _place(self, construct: Construct, region: Region) -> None:
        """Put a construct at the end of `region`, with a padding block before it where there is none."""
        if not isinstance(region.last, Block):
            append_node(region, Block("", True))
        append_node(region, construct)

    def _set_control(self, construct: Construct, block: Block) -> None:
        jump = block.jump
        assert isinstance(jump, Branch) and jump.merge is not None
        first = 2 if jump.merge.op == op.LoopMerge else 1
        construct.control = [jump.merge.word(place) for place in range(first, len(jump.merge.operands))]

    def _inline(self, index: int, target: int) -> bool:
        graph = self.graph
        return (
            graph.idom[target] == index
            and graph.forward[target] == 1
            and graph.merges[target] == NONE
            and graph.continues[target] == NONE
        )

    def _unconditional(self, index: int, region: Region) -> None:
        target = self.graph.successors[index][0]
        if self._inline(index, target):
            self.work.append((target, region))
        else:
            self._leave(self.graph.blocks[index], target, region, self.graph.blocks[index])

    def _leave(self, source: Block, target: int, region: Region, at: Block) -> None:
        """Make `source`, the last block of `region`, go to a block that stands elsewhere."""
        if self.exits[region] == target:
            return
        loop = self.loops.get(target)
        if loop is not None:
            self.jumps.append((source, Continue(loop)))
            return
        label = self.labels.get(target)
        if isinstance(label, Case):
            self.jumps.append((source, Fallthrough(label)))
        elif label is not None:
            self.jumps.append((source, Break(label)))
        else:
            raise Unstructured(
                "RK0504", f"its branch to {self.graph.name(target)} is no legal exit of the constructs it stands in", at
            )

    def _arm(self, index: int, region: Region, target: int) -> None:
        """Fill an arm of the branch in block `index`."""
        if self._inline(index, target):
            self.work.append((target, region))
            return
        edge = Block("", True)
        append_node(region, edge)
        self._leave(edge, target, region, self.graph.blocks[index])

    def _conditional(self, index: int, region: Region, jump: Branch, merge: int) -> None:
        graph = self.graph
        block = graph.blocks[index]
        instr = jump.instr
        choice = If(instr.value(0))
        choice.weights = [instr.word(place) for place in range(3, len(instr.operands))]
        append_node(region, choice)
        labels: list[int] = []
        for place in (1, 2):
            label = instr.operands[place]
            assert isinstance(label, Block)
            labels.append(graph.number[label])
        after = merge
        if merge != NONE:
            self._set_control(choice, block)
            self.labels[merge] = choice
        else:
            choice.merged = False
            inline = [target for target in labels if self._inline(index, target)]
            if len(inline) == 1:
                after = inline[0]  # `if c { break } else {}`, then the rest
        if after != NONE:
            self.exits[choice.then] = after
            self.exits[choice.orelse] = after
            self.work.append((after, region))
        else:
            self.exits[choice.then] = self.exits[region]
            self.exits[choice.orelse] = self.exits[region]
        for arm, target in ((choice.then, labels[0]), (choice.orelse, labels[1])):
            if target == after:
                append_node(arm, Block("", True))
            else:
                self._arm(index, arm, target)
        if after == NONE:
            self._close(region)

    def _close(self, region: Region) -> None:
        """End `region` after an unmerged construct, which is left by jumps or by going where the region's end goes."""
        edge = Block("", True)
        append_node(region, edge)
        self.closings.append(edge)

    def _switch(self, index: int, region: Region, jump: Branch, merge: int) -> None:
        graph = self.graph
        block = graph.blocks[index]
        instr = jump.instr
        switch = Switch(instr.value(0))
        append_node(region, switch)
        if merge != NONE:
            self._set_control(switch, block)
            self.labels[merge] = switch
            self.work.append((merge, region))
        else:
            switch.merged = False
        exit = merge if merge != NONE else self.exits[region]
        cases: dict[int, Case] = {}
        default = instr.operands[1]
        assert isinstance(default, Block)
        targets = switch_targets(instr)
        order = [graph.number[label] for _, label in targets]
        order.append(graph.number[default])
        for target in order:
            if target not in cases:
                cases[target] = Case(switch)
        own = [
            target
            for target in cases
            if target != merge
            and graph.idom[target] == index
            and graph.merges[target] == NONE
            and graph.continues[target] == NONE
        ]
        for target in own:
            self.labels[target] = cases[target]
        switch.cases = [cases[target] for target in self._chain(index, list(cases), own)]
        switch.targets = [(literal, cases[graph.number[label]]) for literal, label in targets]
        switch.default = cases[graph.number[default]]
        for target, case in cases.items():
            self.exits[case.region] = exit
            if target in self.labels and self.labels[target] is case:
                self.work.append((target, case.region))
            else:
                edge = Block("", True)
                append_node(case.region, edge)
                self._leave(edge, target, case.region, block)
        if merge == NONE:
            self._close(region)

    def _chain(self, index: int, targets: list[int], own: list[int]) -> list[int]:
        """The case order: as the operands have it, except that who is fallen into comes right after who falls."""
        graph = self.graph
        starts = sorted(own, key=graph.enter.__getitem__)
        falls: dict[int, int] = {}
        fallen: dict[int, int] = {}
        for target in own:
            for source in self._sources(target):
                if source == index or graph.dominates(target, source):
                    continue
                case = _interval_owner(graph, starts, source)
                if case == NONE:
                    continue
                if falls.setdefault(case, target) != target:
                    raise Unstructured("RK0505", "it falls through to two cases", graph.blocks[case])
                if fallen.setdefault(target, case) != case:
                    raise Unstructured("RK0505", "two cases fall through to it", graph.blocks[target])
        placed: dict[int, None] = {}
        for target in targets:
            current = target
            if current in placed or current in fallen:
                continue
            while current not in placed:
                placed[current] = None
                if current not in falls:
                    break
                current = falls[current]
        if len(placed) != len(targets):
            raise Unstructured("RK0505", "its cases fall through in a circle", graph.blocks[index])
        return list(placed)

    def _sources(self, target: int) -> list[int]:
        return [self.graph.number[block] for block in flat_predecessors(self.graph.blocks[target])]


def _interval_owner(graph: Graph, starts: list[int], index: int) -> int:
    """Which of `starts` (dominator-tree siblings in order) dominates block `index`; NONE if none. Binary search."""
    low = 0
    high = len(starts)
    while low < high:
        middle = (low + high) // 2
        if graph.enter[starts[middle]] <= graph.enter[index]:
            low = middle + 1
        else:
            high = middle
    if low == 0 or not graph.dominates(starts[low - 1], index):
        return NONE
    return starts[low - 1]


def flat_predecessors(block: Block) -> list[Block]:
    """Predecessors of a block in a flat function."""
    found: dict[Block, None] = {}
    for user in block.users:
        if isinstance(user, Instr) and user.block is not None:
            jump = user.block.jump
            if isinstance(jump, Branch) and jump.instr is user:
                found[user.block] = None
    return list(found)


def _ways(block: Block) -> int:
    """How many edges a block has to each of its successors: two from a conditional branch whose labels are the same."""
    jump = block.jump
    same = (
        isinstance(jump, Branch)
        and jump.instr.op == op.BranchConditional
        and jump.instr.operands[1] is jump.instr.operands[2]
    )
    return 2 if same else 1


def _check_phis(block: Block) -> None:
    """A phi has one value for each predecessor (SPIR-V 1.6, OpPhi)."""
    phis = list(block.phis())
    if not phis:
        return
    wanted = {source: None for source in flat_predecessors(block)}
    for phi in phis:
        given: dict[Block, None] = {}
        for place in range(1, len(phi.operands), 2):
            source = phi.operands[place]
            if isinstance(source, Block):
                given[source] = None
        if given.keys() != wanted.keys() or 2 * len(given) != len(phi.operands):
            raise Unstructured("RK0507", "the pairs of a phi are not the block's predecessors", block)


def switch_targets(instr: Instr) -> list[tuple[int, Block]]:
    """The (literal, label) pairs of an OpSwitch; a literal wider than a word is one number."""
    pairs: list[tuple[int, Block]] = []
    literal = 0
    shift = 0
    for operand in instr.operands[2:]:
        if isinstance(operand, int):
            literal |= operand << shift
            shift += 32
        elif isinstance(operand, Block):
            pairs.append((literal, operand))
            literal = 0
            shift = 0
    return pairs


def mend_phis(block: Block) -> None:
    """Name the padding blocks in phis: what came over an edge now comes from the padding block on it.

    Where edges meet in a padding block (a merge block that is also a loop header), that block gets a phi itself. The pairs
    stay in the order they came in.
    """
    phis = list(block.phis())
    if not phis:
        return
    sources = predecessors(block)
    if all(not source.padding for source in sources):
        return
    for phi in phis:
        given: dict[Block, Operand] = {}
        position: dict[Block, int] = {}
        for place in range(0, len(phi.operands), 2):
            source = phi.operands[place + 1]
            assert isinstance(source, Block)
            given[source] = phi.operands[place]
            position[source] = place
        pairs: list[tuple[int, Operand, Block]] = []
        for source in sources:
            value, first = _value_over(source, given, position, phi)
            pairs.append((first, value, source))
        pairs.sort(key=_by_position)
        operands: list[Operand] = []
        for _, value, source in pairs:
            operands.append(value)
            operands.append(source)
        phi.set_operands(operands)


def _by_position(pair: tuple[int, Operand, Block]) -> int:
    return pair[0]


def _value_over(
    edge: Block, given: dict[Block, Operand], position: dict[Block, int], phi: Instr
) -> tuple[Operand, int]:
    """The value of `phi` that reaches the end of `edge`: what its origin gave, through a chain or tree of padding blocks;
    and the place of the first such origin among the operands."""
    order: list[Block] = []
    stack = [edge]
    while stack:
        block = stack.pop()
        order.append(block)
        if block not in given:
            stack.extend(predecessors(block))
    values: dict[Block, Operand] = {}
    for block in reversed(order):
        if block in given:
            values[block] = given[block]
            continue
        sources = predecessors(block)
        distinct = {values[source]: None for source in sources}
        if len(distinct) == 1:
            values[block] = values[sources[0]]
            continue
        operands: list[Operand] = []
        for source in sources:
            operands.append(values[source])
            operands.append(source)
        values[block] = prepend(block, Instr(op.Phi, phi.type, operands))
    return values[edge], min(position[block] for block in order if block in given)
