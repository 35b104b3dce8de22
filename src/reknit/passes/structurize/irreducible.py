"""Loops that are entered at several places get one entrance, which sends all on to where they were going.

    0: c ? 1 : 2                        0: to = c ? 1 : 2; goto D      D: switch to { 1: goto 1   2: goto 2 }
    1: goto 2                     =>    1: to = 2; goto D
    2: d ? 1 : 3                        2: to = 1; d ? D : 3

One dispatch for each strongly connected part with several entrances, then the same inside it without the dispatch,
and so on: every round takes a header away, so it ends. No block is copied. The graph means nothing to tangles where
this is needed (there is no header whose iterations could be distinguished), and the dispatch is where iterations meet
now. Source: the selector is that of LLVM's FixIrreducible.
"""

from typing import Final, final

from reknit.analysis.flat.flow import Flow
from reknit.analysis.natural_loops import natural_loops
from reknit.ir import op
from reknit.ir.block import Block
from reknit.ir.constants import int_constant
from reknit.ir.edit import add_block, append, set_jump
from reknit.ir.flat_graph import components, flat_graph
from reknit.ir.function import Function
from reknit.ir.instr import Instr, Operand
from reknit.ir.jump import Branch
from reknit.ir.types import bool_type, selector_type
from reknit.ir.value import Value
from reknit.passes.contract import Context
from reknit.passes.variables import local_variable
from reknit.source.meter import spend

WAY: Final = "way"  # the name of variables that say by which entrance


def make_reducible(function: Function, flow: Flow, context: Context) -> int:
    """Give every loop one entrance; how many dispatches that took. Costs the graph, times the depth of loops where
    there are such."""
    loops = natural_loops(flow.targets)
    if True not in loops.irreducible:
        return 0
    marked = [False] * len(flow.blocks)
    for loop, irreducible in enumerate(loops.irreducible):
        marked[loops.header[loop]] = irreducible
    return _Dispatches(function, flow, context, marked).run()


@final
class _Dispatches:
    __slots__ = ("function", "flow", "context", "marked", "count")

    def __init__(self, function: Function, flow: Flow, context: Context, marked: list[bool]) -> None:
        self.function = function
        self.flow = flow
        self.context = context
        self.marked = marked
        self.count = 0

    def run(self) -> int:
        work: list[tuple[list[int], bool]] = [(list(range(len(self.flow.blocks))), False)]
        while work:
            spend(1)
            nodes, everything = work.pop()
            for component in self.components(nodes):
                if not everything and not self.is_marked(component):
                    continue
                entrances = self.entrances(component)
                inside = component
                header = entrances[0]
                if len(entrances) > 1:
                    pads: list[int] = []
                    header = self.dispatch(component, entrances, pads)
                    inside = component + pads
                rest = [node for node in inside if node != header]
                work.append((rest, everything or len(entrances) > 1))
        return self.count

    def is_marked(self, component: list[int]) -> bool:
        return any(self.marked[node] for node in component)

    def components(self, nodes: list[int]) -> list[list[int]]:
        """The strongly connected parts with a cycle in them, of the graph of `nodes` alone."""
        place = {node: index for index, node in enumerate(nodes)}
        rows = [[place[target] for target in self.flow.targets[node] if target in place] for node in nodes]
        cyclic: list[list[int]] = []
        for component in components(flat_graph(rows)):
            if len(component) > 1 or component[0] in rows[component[0]]:
                cyclic.append([nodes[index] for index in component])
        return cyclic

    def entrances(self, component: list[int]) -> list[int]:
        """The nodes that are reached from outside, in ascending order."""
        inside: dict[int, None] = dict.fromkeys(component)
        reached: list[int] = []
        for node in component:
            if _is_outside(self.flow.sources[node], inside):
                reached.append(node)
        reached.sort()
        return reached

    def dispatch(self, component: list[int], entrances: list[int], pads: list[int]) -> int:
        """Lead all edges to `entrances` over a new block; its number. `pads` gets the new blocks on edges that come
        from inside."""
        flow = self.flow
        module = self.context.module
        i32 = selector_type(module)
        inside: dict[int, None] = dict.fromkeys(component)
        self.count += 1
        selected = local_variable(self.function, module, i32, WAY)
        hub = Block("", True)
        add_block(self.function, hub)
        center = self.new_node(hub)
        numbers = {entrance: int_constant(module, i32, place) for place, entrance in enumerate(entrances)}
        wanted: dict[int, list[int]] = {}  # by node: the entrances that it leads to
        for entrance in entrances:
            for source in flow.sources[entrance]:
                wanted.setdefault(source, []).append(entrance)
        for entrance in entrances:
            flow.sources[entrance] = []
            flow.connect(center, entrance)
        for source, entered in wanted.items():
            new_pads = self.lead(source, entered, center, selected, numbers)
            if source in inside:
                pads += new_pads
        now = append(hub, Instr(op.Load, i32, [selected]))
        targets = [flow.blocks[entrance] for entrance in entrances]
        operands: list[Operand] = []
        if len(targets) == 2:
            first = int_constant(module, i32, 0)
            same = append(hub, Instr(op.IEqual, bool_type(module), [now, first]))
            operands = [same, targets[0], targets[1]]
            set_jump(hub, Branch(Instr(op.BranchConditional, None, operands, "", False)))
        else:
            operands = [now, targets[0]]
            for place in range(1, len(targets)):
                operands += [place, targets[place]]
            set_jump(hub, Branch(Instr(op.Switch, None, operands, "", False)))
        return center

    def lead(
        self, source: int, entered: list[int], center: int, selected: Instr, numbers: dict[int, Instr]
    ) -> list[int]:
        """Let the edges from `source` to the entrances `entered` go to `center`, each saying which it was; the numbers
        of the blocks that took. All that come to `center` have said it, so it does no harm to say it on other paths
        too."""
        flow = self.flow
        block = flow.blocks[source]
        jump = block.jump
        assert isinstance(jump, Branch)
        said: Value = numbers[entered[0]]
        both = len(entered) == 2 and jump.instr.op == op.BranchConditional
        if both:
            type = numbers[entered[0]].type
            place = self.flow.number[_label(jump.instr, 1)]
            other = self.flow.number[_label(jump.instr, 2)]
            said = append(block, Instr(op.Select, type, [jump.instr.value(0), numbers[place], numbers[other]]))
        append(block, Instr(op.Store, None, [selected, said], "", False))
        if both:
            set_jump(block, Branch(Instr(op.Branch, None, [flow.blocks[center]], "", False)))
            flow.targets[source] = []
            flow.connect(source, center)
            return []
        self.turn(source, entered[0], center)
        return [self.pad(source, entrance, center, selected, numbers[entrance]) for entrance in entered[1:]]

    def pad(self, source: int, entrance: int, center: int, selected: Instr, number: Instr) -> int:
        """A new block on the edge from `source`, a switch, to `entrance`, which says `number` and goes to `center`."""
        pad = Block("", True)
        add_block(self.function, pad)
        append(pad, Instr(op.Store, None, [selected, number], "", False))
        set_jump(pad, Branch(Instr(op.Branch, None, [self.flow.blocks[center]], "", False)))
        pad_node = self.new_node(pad)
        self.turn(source, entrance, pad_node)
        self.flow.connect(pad_node, center)
        return pad_node

    def turn(self, source: int, old: int, new: int) -> None:
        """Let the edge from `source` to `old` lead to `new`."""
        flow = self.flow
        jump = flow.blocks[source].jump
        assert isinstance(jump, Branch)
        target = flow.blocks[old]
        for index, operand in enumerate(jump.instr.operands):
            if operand is target:
                jump.instr.set_operand(index, flow.blocks[new])
        row = flow.targets[source]
        row[row.index(old)] = new
        flow.sources[new].append(source)

    def new_node(self, block: Block) -> int:
        self.marked.append(False)
        return self.flow.add(block)


def _is_outside(sources: list[int], inside: dict[int, None]) -> bool:
    """Whether one of `sources` is not `inside`."""
    return any(source not in inside for source in sources)


def _label(branch: Instr, place: int) -> Block:
    label = branch.operands[place]
    assert isinstance(label, Block)
    return label
