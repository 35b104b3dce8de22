"""Structured SPIR-V into the control-flow tree: from merge instructions and branches to regions.

    b1: OpSelectionMerge %b4          b1
        OpBranchConditional b2 b3     if { b2 } else { b3 }
    b2: OpBranch %b4            =>    b4
    b3: OpBranch %b4
    b4: OpReturn

A function is emitted along its structural dominator tree (`spirv.graph`). A block goes

    after its construct        if it is the declared merge block
    into `continuing`          if it is the declared continue target
    into a case                if it is a switch target
    inline                     if its only predecessor is the block that dominates it
    after an unmerged scope    otherwise: it has several predecessors and nothing declared it (legal in base SPIR-V)

The last rule makes this total for reducible graphs (N. Ramsey, "Beyond Relooper", ICFP 2022). Edges without a block of
their own get padding blocks. What can't be a tree stays flat, and the diagnostics say why.
"""

from typing import final

from reknit.ir import op
from reknit.ir.block import Block
from reknit.ir.cfg import predecessors
from reknit.ir.edit import append_node, set_jump
from reknit.ir.function import Function
from reknit.ir.instr import Instr
from reknit.ir.jump import Branch, Break, Continue, Exit, Fallthrough
from reknit.ir.switch_targets import switch_targets
from reknit.ir.tree import Case, Construct, If, Loop, Region, Scope, Switch
from reknit.ir.walk import nodes_in
from reknit.source.diagnostic import Diagnostic
from reknit.source.place import Place
from reknit.spirv.graph import NONE, Graph, Unstructured, block_name, flat_predecessors
from reknit.spirv.mend_phis import mend_phis


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


def _diagnostic(fault: Unstructured, function: Function, path: str) -> Diagnostic:
    where = f"function %{function.name or function.id}, block {block_name(fault.block)}: "
    return Diagnostic(fault.code, where + fault.message, Place(path))


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
        """Replace the branches by jumps of the tree."""
        graph = self.graph
        for index, block in enumerate(graph.blocks):
            jump = block.jump
            if graph.reached[index] and isinstance(jump, Branch):
                self.branches.append((block, jump))
                block.jump = None
        for block, target in self.jumps:
            set_jump(block, target)
        for pad in reversed(self.closings):
            if not predecessors(pad):
                set_jump(pad, Exit(Instr(op.Unreachable, None, [], "", False)))

    def commit(self) -> None:
        """The tree stands: let go of the branches, mend the phis, keep what nothing reaches as islands."""
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
        self.function.body = self.function.new_body()

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
            # The merge instruction stands at the branch, but its construct also holds blocks that branches share.
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
        targets: dict[int, None] = dict.fromkeys(graph.successors[index]) if is_switch else {}
        joins: list[int] = []
        for child in graph.children[index]:
            if graph.merges[child] != NONE or graph.continues[child] != NONE:
                continue
            if graph.forward[child] == 1 or child in targets:
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
            self._leave(self.graph.blocks[index], target, region, index)

    def _leave(self, source: Block, target: int, region: Region, index: int) -> None:
        """Make `source`, the last block of `region`, go where the branch of block `index` goes: to a block that stands
        elsewhere.

        The construct that `target` follows was opened at its immediate dominator, which dominates `index` too. So
        `index` stands inside it, unless it comes from after it, or from its continue construct back into the body.
        """
        if self.exits[region] == target:
            return
        graph = self.graph
        header = graph.idom[target]
        merge = graph.merge_of[header]
        again = graph.continue_of[header]
        outside = merge not in (NONE, target) and graph.dominates(merge, index)
        back_in = again not in (NONE, target, header) and target != merge and graph.dominates(again, index)
        loop = self.loops.get(target)
        label = self.labels.get(target)
        if outside or back_in or (loop is None and label is None):
            legal = f"its branch to {graph.name(target)} is no legal exit of the constructs it is in"
            raise Unstructured("RK0504", legal, graph.blocks[index])
        if loop is not None:
            self.jumps.append((source, Continue(loop)))
        elif isinstance(label, Case):
            self.jumps.append((source, Fallthrough(label)))
        elif label is not None:
            self.jumps.append((source, Break(label)))

    def _arm(self, index: int, region: Region, target: int) -> None:
        """Fill an arm of the branch in block `index`."""
        if self._inline(index, target):
            self.work.append((target, region))
            return
        edge = Block("", True)
        append_node(region, edge)
        self._leave(edge, target, region, index)

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
                self._leave(edge, target, case.region, index)
        if merge == NONE:
            self._close(region)

    def _chain(self, index: int, targets: list[int], own: list[int]) -> list[int]:
        """The case order: as the operands have it, except that a case comes right after the one that falls to it."""
        graph = self.graph
        starts = sorted(own, key=graph.enter.__getitem__)
        falls: dict[int, int] = {}
        fallen: dict[int, int] = {}
        for target in own:
            for source in self._sources(target):
                if source == index or not graph.reached[source] or graph.dominates(target, source):
                    continue
                case = _interval_owner(graph, starts, source)
                if case == NONE:
                    raise Unstructured("RK0505", "it is entered from outside of the cases", graph.blocks[target])
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
