"""The control-flow tree into structured SPIR-V: the blocks in writing order, and how each ends.

    b1                                 b1: OpSelectionMerge %b4
    if c { b2 } else { b3 }     =>         OpBranchConditional %c %b2 %b3
    b4                                 b2: OpBranch %b4    b3: OpBranch %b4    b4: ...

Which blocks get a label is decided in `spirv.labels`. A merged scope is written as a switch with nothing but a default.
"""

from typing import final

from reknit.ir import op
from reknit.ir.block import Block
from reknit.ir.cfg import predecessors, successors
from reknit.ir.constants import int_constant, int_words
from reknit.ir.dominators import immediate_dominators
from reknit.ir.function import Function
from reknit.ir.instr import Instr, Operand
from reknit.ir.jump import Branch, Exit
from reknit.ir.module import Module
from reknit.ir.tree import Case, Construct, If, Loop, Scope, Switch
from reknit.ir.types import is_signed, selector_type, width_of
from reknit.ir.value import Node
from reknit.source.diagnostic import Diagnostic, InputError, Note
from reknit.source.place import Place
from reknit.spirv.exits import OUTSIDE, Around, illegal_exit, inside
from reknit.spirv.labels import Labels, Rules


@final
class Line:
    """One SPIR-V block to write: `label`, then the instructions of `body` (None: nothing), then merge and terminator.

    `merge` and `end` are (opcode, operands) with the labels as `Block`s.
    """

    __slots__ = ("label", "body", "merge_op", "merge", "end_op", "end")

    def __init__(self, label: Block, body: Block | None) -> None:
        self.label = label
        self.body = body
        self.merge_op = 0
        self.merge: list[Operand] = []
        self.end_op = 0
        self.end: list[Operand] = []


@final
class Layout:
    """The blocks of a function in writing order. `made_merged` are the unmerged branches that have a merge instruction
    in SPIR-V, `exits` the merge blocks, continue targets and labels of switches so far."""

    __slots__ = ("module", "function", "labels", "lines", "made_merged", "exits", "faults")

    def __init__(self, module: Module, function: Function, rules: Rules) -> None:
        self.module = module
        self.function = function
        self.labels = Labels(function, rules)
        self.lines: list[Line] = []
        self.made_merged: list[If | Switch] = []
        self.exits: dict[Block, None] = {}
        self.faults: list[Diagnostic] = []

    def write_blocks(self) -> None:
        """Fill `lines` in source order."""
        stack: list[tuple[Node, Around]] = []
        if self.function.body.first is not None:
            stack.append((self.function.body.first, OUTSIDE))
        while stack:
            node, around = stack.pop()
            if node.next is not None:
                stack.append((node.next, around))
            if isinstance(node, Block):
                reason = illegal_exit(node, around)
                if reason:
                    self._illegal(reason)
                if self.labels.is_written(node):
                    self._write(node)
            elif isinstance(node, Construct):
                for region in reversed(node.regions()):
                    assert region.first is not None
                    stack.append((region.first, inside(around, node, region)))
        for block in self.function.blocks:
            line = Line(block, block)
            jump = block.jump
            if isinstance(jump, Branch):
                line.end_op = jump.instr.op
                line.end = jump.instr.operands
                if jump.merge is not None:
                    line.merge_op = jump.merge.op
                    line.merge = jump.merge.operands
            elif isinstance(jump, Exit):
                line.end_op = jump.instr.op
                line.end = jump.instr.operands
            self.lines.append(line)

    def _illegal(self, reason: str) -> None:
        self.faults.append(
            Diagnostic(
                "RK0510",
                f"function %{self.function.name or self.function.id}: SPIR-V can't write {reason}",
                Place(self.module.path),
                notes=[Note("a branch leaves one loop or switch at a time (SPIR-V 1.6, 2.11)")],
                help="run `eliminate-multi-level-breaks` first; if it declines, `declare-reconvergence` before it",
            )
        )

    def _write(self, block: Block) -> None:
        line = Line(block, block)
        self.lines.append(line)
        loop = self.labels.headers.get(block)
        following = block.next if block.jump is None else None
        if loop is not None:
            merge: list[Operand] = [self.labels.landing(loop.after()), self.labels.landing(loop.continuing.entry())]
            merge.extend(loop.control)
            line.merge_op = op.LoopMerge
            line.merge = merge
            if isinstance(block.jump, Exit) or self._has_merge(following):
                # A block has one merge instruction, and a loop's stands before a plain branch: the rest gets a label.
                rest = Block("", True)
                self.labels.tails[block] = rest
                line.end_op = op.Branch
                line.end = [rest]
                self.exits.update(dict.fromkeys(part for part in merge if isinstance(part, Block)))
                line = Line(rest, None)
                self.lines.append(line)
        self._end(line, block, following)

    def _has_merge(self, following: Node | None) -> bool:
        if isinstance(following, (If, Switch)):
            return following in self.labels.fused or self.labels.needs_merge(following) or isinstance(following, Switch)
        return isinstance(following, Scope) and following.merged and not self.labels.is_fused(following)

    def _end(self, line: Line, block: Block, following: Node | None) -> None:
        self._leave_or_enter(line, block, following)
        for part in [*line.merge, *(line.end if line.end_op == op.Switch else ())]:
            if isinstance(part, Block):
                self.exits[part] = None

    def _leave_or_enter(self, line: Line, block: Block, following: Node | None) -> None:
        jump = block.jump
        if isinstance(jump, Exit):
            line.end_op = jump.instr.op
            line.end = jump.instr.operands
            return
        if isinstance(following, If):
            self._selection(line, following)
            line.end_op = op.BranchConditional
            then = self.labels.landing(following.then.entry())
            orelse = self.labels.landing(following.orelse.entry())
            line.end = [following.condition, then, orelse]
            line.end.extend(following.weights)
            back = self._header_behind(following)
            exits = then is orelse or any(label in self.exits and label is not back for label in (then, orelse))
            if not exits and line.merge_op == 0 and self.labels.rules.structured:
                self._illegal("an `if` without a merge of which no path leaves another construct")
        elif isinstance(following, Switch):
            self._selection(line, following)
            line.end_op = op.Switch
            line.end = self._switch_operands(following)
        elif isinstance(following, Scope) and following.merged and not self.labels.is_fused(following):
            line.merge_op = op.SelectionMerge
            line.merge = [self.labels.landing(following.after())]
            line.merge.extend(following.control)
            line.end_op = op.Switch
            zero = int_constant(self.module, selector_type(self.module), 0)
            line.end = [zero, self.labels.landing(following.body.entry())]
        else:
            targets = successors(block)
            line.end_op = op.Branch
            if targets:
                line.end = [self.labels.landing(targets[0])]
            else:
                line.end_op = op.Unreachable
                line.end = []
                if predecessors(block) or block is self.function.entry():
                    name = self.function.name or self.function.id
                    message = f"function %{name}: control reaches the end without a return"
                    self.faults.append(Diagnostic("RK0511", message, Place(self.module.path)))

    def _header_behind(self, choice: If) -> Block | None:
        """The header that the end of a loop's continuing part goes back to, which may be a merge block for others."""
        region = choice.region
        loop = region.owner if region is not None else None
        if not isinstance(loop, Loop) or region is not loop.continuing:
            return None
        return self.labels.landing(loop.body.entry())

    def _selection(self, line: Line, node: If | Switch) -> None:
        scope = self.labels.fused.get(node)
        holder: Construct = node if scope is None else scope
        if scope is None and not self.labels.needs_merge(node):
            return
        if not holder.merged:
            self.made_merged.append(node)
        line.merge_op = op.SelectionMerge
        line.merge = [self.labels.landing(holder.after())]
        line.merge.extend(holder.control)

    def _switch_operands(self, node: Switch) -> list[Operand]:
        assert node.default is not None
        operands: list[Operand] = [node.selector, self.labels.landing(node.default.region.entry())]
        width = 32
        signed = False
        if isinstance(node.selector, Instr) and node.selector.type is not None:
            width = width_of(node.selector.type)
            signed = is_signed(node.selector.type)
        for literal, label in self._targets(node):
            operands.extend(int_words(width, signed, literal))
            operands.append(label)
        return operands

    def _targets(self, node: Switch) -> list[tuple[int, Block]]:
        """The targets with their labels, in the order in which they were read where SPIR-V allows it. Cases that do
        nothing but go to one place have one label, and targets with one label stand together (SPIR-V 1.6, 2.11.1);
        where even those of one case don't, that is how they were read."""
        order = {case: at for at, case in enumerate(node.cases)}
        in_order = node.targets if _falls_in_order(node) else sorted(node.targets, key=lambda target: order[target[1]])
        targets = [(literal, self.labels.landing(case.region.entry())) for literal, case in in_order]
        if _are_together([case for _, case in node.targets]):
            first: dict[Block, int] = {}
            for at, (_, label) in enumerate(targets):
                first.setdefault(label, at)
            targets.sort(key=lambda target: first[target[1]])
        return targets

    # --- in which order -----------------------------------------------------------------------------------------------

    def order(self) -> None:
        """Blocks that were read come as they came, new ones right after what they follow in the tree; but if a block
        would come before one that dominates it (SPIR-V 2.4), all come in source order."""
        keys: list[int] = []
        key = -1
        for line in self.lines:
            if line.label.order >= 0:
                key = line.label.order
            keys.append(key)
        order = sorted(range(len(self.lines)), key=keys.__getitem__)
        if order == list(range(len(self.lines))):
            return
        if self._respects_dominance(order):
            self.lines = [self.lines[index] for index in order]

    def _respects_dominance(self, order: list[int]) -> bool:
        if not order or order[0] != 0:
            return False
        number = {line.label: index for index, line in enumerate(self.lines)}
        edges: list[list[int]] = []
        for line in self.lines:
            edges.append([number[target] for target in line.end if isinstance(target, Block)])
        idoms = immediate_dominators(0, edges)
        position = [0] * len(order)
        for place, index in enumerate(order):
            position[index] = place
        return all(idom < 0 or idom == index or position[idom] < position[index] for index, idom in enumerate(idoms))


def lay_out(module: Module, function: Function, rules: Rules) -> Layout:
    """The blocks of `function` as SPIR-V has them. Raises InputError (RK051x) for a jump that SPIR-V can't write."""
    layout = Layout(module, function, rules)
    layout.write_blocks()
    if layout.faults:
        raise InputError(layout.faults)
    layout.order()
    return layout


def _falls_in_order(switch: Switch) -> bool:
    """Whether each case that falls through to another is listed right before it (SPIR-V 1.6, 2.11.1): a default that is
    not listed is looked through."""
    listed = list(dict.fromkeys(case for _, case in switch.targets))
    at = {case: place for place, case in enumerate(listed)}
    falling: Case | None = None
    for case in switch.cases:
        if not case.fallthroughs:
            falling = None
        if case in at:
            if falling is not None and at[case] != at[falling] + 1:
                return False
            falling = case
    return True


def _are_together(cases: list[Case]) -> bool:
    """Whether equal ones are neighbours."""
    runs = 0
    for at, case in enumerate(cases):
        runs += at == 0 or cases[at - 1] is not case
    return runs == len(dict.fromkeys(cases))
