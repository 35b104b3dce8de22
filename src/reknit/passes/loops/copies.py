"""Iterations of a loop, written out one after the other in front of it.

    loop @l {                          scope @l_out {                    the loop's join: where `break` leads
      A; continue @l; B; break @l        scope @l_1 {                    the first iteration's: where `continue` leads
    } continuing {                         A; break @l_1; B; break @l_out
      C                         =>       }
    }                                    C
    after                                loop @l { A; continue @l; B; break @l } continuing { C }
                                       }
                                       after

Why every tangle stays (SPV_KHR_maximal_reconvergence, the rules of OpLoopMerge). Entering a loop sets up a join at its
merge block, once; each iteration sets up another at the continue target, for those that begin it together. The outer
region sets up the first join, with the same invocations and the same place, `after`; the region around a copy of the
body sets up the second, whose place is the copy of the continuing part. So lanes that break in the first iteration wait
for the others behind the loop as before, and those that continue meet the rest of the iteration before the second. The
loop that is left has a join of its own at its end; what arrives there goes on to the outer one and executes nothing
between. Lanes that come to the end of a continuing part in several tangles begin the next iteration in as many, in both
forms.

A region in which no lane would wait is not made (`tidy.fold.inline_scope`). Where a `break` has to cross another region
it is a loop that goes round once, since SPIR-V can leave that from there. If both regions would have to be one, only
`eliminate-multi-level-breaks` can write it.
"""

from typing import Final, final

from reknit.analysis.decorations import Decorations
from reknit.ir import enums, op
from reknit.ir.block import Block
from reknit.ir.build import new_block
from reknit.ir.cfg import predecessors
from reknit.ir.clone import clone
from reknit.ir.cursor import at_end
from reknit.ir.edit import (
    append,
    append_node,
    erase,
    insert_node_before,
    move_run,
    replace_uses,
    retarget_phis,
    set_jump,
    unlink_node,
)
from reknit.ir.extract import FloatingList
from reknit.ir.function import Function
from reknit.ir.instr import Instr
from reknit.ir.jump import Break, Continue, Fallthrough
from reknit.ir.outward import nodes_of
from reknit.ir.tree import Construct, Loop, Region, Scope
from reknit.ir.value import Node, Value
from reknit.passes.contract import Context
from reknit.passes.crossed import crossed_construct
from reknit.passes.loops.joins import Graph, Reading, fits_phi, uses_of
from reknit.passes.tidy.dead import drop_sources, erase_dead
from reknit.passes.tidy.fold_constructs import inline_scope

# Hints that say nothing about the number of iterations (SPIR-V 1.6, 3.23 "Loop Control").
_SIMPLE_HINTS: Final = enums.LoopControlUnroll | enums.LoopControlDontUnroll


@final
class Copy:
    """One iteration: `scope` around the copy of the body, and behind it that of the continuing part; `new`
    says what each node and value of the loop is in it."""

    __slots__ = ("scope", "new", "blocks")

    def __init__(self, scope: Scope, new: dict[Value, Value]) -> None:
        self.scope = scope
        self.new = new
        self.blocks: dict[Value, None] = dict.fromkeys(new.values())


@final
class Leaving:
    """A value of the loop that is used outside, and what it is in each copy, by block."""

    __slots__ = ("value", "homes", "gate")

    def __init__(self, value: Instr, home: Block, gate: Block | None) -> None:
        self.value = value
        self.homes: dict[Block, Value] = {home: value}
        self.gate = gate


@final
class Iterations:
    """The copies of one loop. Make one if `why_not` says "", `add` iterations, then `keep_loop` or `drop_loop`; when
    all loops are done, `settle` them together."""

    __slots__ = (
        "function", "context", "loop", "outer", "start", "behind", "after", "inside", "leaving", "copies", "rest",
        "phis", "coming", "given",
    )  # fmt: skip

    def __init__(self, function: Function, context: Context, loop: Loop) -> None:
        self.function = function
        self.context = context
        self.loop = loop
        self.after = loop.after()
        nodes = nodes_of([loop])
        self.inside: dict[Value, None] = dict.fromkeys(nodes)
        gate = self.after if _only_breaks(nodes, loop, self.inside) else None
        self.leaving = [
            Leaving(value, block, gate)
            for block in nodes
            if isinstance(block, Block)
            for value in block
            if value.is_used() and value.has_result and _is_used_outside(value, self.inside)
        ]
        self.copies: list[Copy] = []
        self.phis = list(self.after.phis())
        self.coming: list[Value] = []  # what the header's phis are in the next iteration
        self.given: dict[Value, Value] = {}  # what they are in the last copy made, by its phis
        before = loop.before()
        self.outer = Scope(f"{loop.name}_out" if loop.name else "")
        insert_node_before(loop, self.outer)
        self.start = new_block(self.outer.body)
        unlink_node(loop)
        append_node(self.outer.body, loop)
        self.behind = new_block(self.outer.body)
        header = loop.body.entry()
        retarget_phis(header, before, self.start)
        for phi in header.phis():
            self.coming.append(_from(phi, self.start))
        for phi in self.phis:
            inner = Instr(op.Phi, phi.type, list(phi.operands), phi.name)
            append(self.behind, inner)
            phi.set_operands([inner, self.behind])
        self.rest = FloatingList(function, at_end(before))
        self.rest.is_empty = False
        function.floating[self.rest] = None
        move_run(self.start, self.behind, self.rest.nodes)

    def add(self) -> Copy:
        """Write out one more iteration, after those before it."""
        copied = clone(self.context.module, self.rest)
        del self.function.floating[copied]
        new: dict[Value, Value] = {}
        pairs = zip(nodes_of(list(self.rest.nodes)), nodes_of(list(copied.nodes)), strict=True)
        for old_node, new_node in pairs:
            new[old_node] = new_node
            if isinstance(old_node, Block) and isinstance(new_node, Block):
                for old_instr, new_instr in zip(old_node, new_node, strict=True):
                    new[old_instr] = new_instr
        start = new[self.start]
        twin = new[self.loop]
        behind = new[self.behind]
        assert isinstance(start, Block) and isinstance(twin, Loop) and isinstance(behind, Block)
        self.come_in(twin.body.entry(), start, twin.continuing.end())
        self.bring_breaks(behind)
        unlink_node(start)
        append_node(self.outer.body, start)
        scope = Scope(f"{self.loop.name}_{len(self.copies) + 1}" if self.loop.name else "")
        append_node(self.outer.body, scope)
        _move_all(twin.body, scope.body)
        for block in list(twin.continues):
            set_jump(block, Break(scope))
        for block in list(twin.breaks):
            set_jump(block, Break(self.outer))
        _move_all(twin.continuing, self.outer.body)
        copy = Copy(scope, new)
        self.copies.append(copy)
        for leaving in self.leaving:
            home = leaving.value.block
            assert home is not None
            there = new[home]
            assert isinstance(there, Block)
            value = new[leaving.value]
            leaving.homes[there] = self.given.get(value, value)
        return copy

    def come_in(self, header: Block, start: Block, end: Block) -> None:
        """Let the header's phis be what comes in, and note what goes on to the next iteration."""
        decorations = self.context.analyses.of_module(Decorations)
        phis = list(header.phis())
        given: list[Value] = []
        following: list[Value] = []
        for phi, value in zip(phis, self.coming, strict=True):
            following.append(_from(phi, end))
            stays = any(kind != enums.DecorationRelaxedPrecision for kind in decorations.of(phi))
            given.append(phi if stays else value)
        for index, phi in enumerate(phis):
            coming = self.coming[index]
            if given[index] is phi:
                phi.set_operands([coming, start])
                continue
            phi.set_operands([])
            replace_uses(phi, coming)
            erase(phi)
        by_phi: dict[Value, Value] = {phi: given[index] for index, phi in enumerate(phis)}
        self.coming = [by_phi.get(value, value) for value in following]
        self.given = by_phi

    def bring_breaks(self, behind: Block) -> None:
        """What the copy's breaks brought to the block behind the loop, they bring to the block after all."""
        for phi, inner in zip(self.phis, list(behind.phis()), strict=True):
            phi.set_operands([*phi.operands, *inner.operands])
            erase(inner)

    def keep_loop(self) -> None:
        """Let the loop go on with the iterations that were not written out."""
        for phi, value in zip(self.loop.body.entry().phis(), self.coming, strict=True):
            for index in range(1, len(phi.operands), 2):
                if phi.operands[index] is self.start:
                    phi.set_operand(index - 1, value)
        move_run(self.start, self.behind, self.outer.body)
        del self.function.floating[self.rest]
        self.loop.control = [self.loop.control[0] & _SIMPLE_HINTS]
        self.finish()

    def drop_loop(self) -> None:
        """The iterations that were written out are all there are; the code of the last one ends where the loop does."""
        drop_sources(self.after, {self.behind: None})
        self.finish()

    def finish(self) -> None:
        """Leave out the regions in which no lane would wait."""
        for copy in self.copies:
            if copy.scope.region is None or inline_scope(copy.scope) is not None:
                continue
            if _is_crossed(copy.scope) and not any(block in copy.blocks for block in self.outer.breaks):
                _make_loop(copy.scope)
        if _is_crossed(self.outer):
            _make_loop(self.outer)
        else:
            inline_scope(self.outer)


def why_not(loop: Loop, context: Context) -> str:
    """Why copies of `loop` can't be made; "" if they can."""
    if not goes_back(loop):
        return "it never goes round"
    if is_entered_apart(loop):
        return "two branches enter it by themselves, which no block but its header may do"
    nodes = nodes_of([loop])
    inside: dict[Value, None] = dict.fromkeys(nodes)
    for block in nodes:
        if isinstance(block, Block):
            for value in block:
                if value.is_used() and _is_used_outside(value, inside) and not fits_phi(value, context):
                    name = f"%{value.name}" if value.name else "a value"
                    return f"{name} is used behind it, and no phi can have its type"
    return ""


def is_entered_apart(loop: Loop) -> bool:
    """Whether a construct without a merge leads to `loop` over nothing but its padding, from several places:
    only a loop's header may have several predecessors that don't meet (SPV_KHR_maximal_reconvergence, "Validation")."""
    before = loop.before()
    construct = before.prev
    return isinstance(construct, Construct) and not construct.merged and len(predecessors(before)) > 1


def goes_back(loop: Loop) -> bool:
    return bool(loop.continues) or loop.body.end().jump is None


def settle(function: Function, context: Context, done: list[Iterations]) -> None:
    """Let each use outside read what the iteration that was left last gave. The loops must not contain one another, and
    one comes after those whose values it may use (`done` is in an order of dominance, as loops are listed). The last is
    settled first: what it then reads of the others is a use like any. Forgets cached analyses."""
    context.analyses.changed(function)
    graph = Graph(function, context)
    number = graph.order.number
    reached = graph.order.reached
    for each in reversed(done):
        for leaving in each.leaving:
            known: dict[int, Value] = {}
            for home, value in leaving.homes.items():
                at = number.get(home, -1)
                if at >= 0 and reached[at]:
                    known[at] = value
            reading = Reading(graph, leaving.value, known, graph.iterated_frontier(list(known)))
            for use in uses_of(leaving.value):
                at = number.get(use.place, -1)
                if at >= 0 and reached[at] and use.place not in each.inside:
                    use.replace(reading.at_end(at if leaving.gate is None else number[leaving.gate]))
            reading.finish()
    for each in done:
        if each.rest in function.floating:
            del function.floating[each.rest]
            erase_dead(list(each.rest.nodes), context.module)
    context.analyses.changed(function)


def _only_breaks(nodes: list[Node], loop: Loop, inside: dict[Value, None]) -> bool:
    """Whether the loop's own merge block is the only place that control leaves it for."""
    for block in nodes:
        jump = block.jump if isinstance(block, Block) else None
        target: Value | None = None
        if isinstance(jump, (Break, Continue)):
            target = jump.target
        elif isinstance(jump, Fallthrough):
            target = jump.target.switch
        if target is not None and target is not loop and target not in inside:
            return False
    return True


def _is_used_outside(value: Instr, inside: dict[Value, None]) -> bool:
    return any(use.place not in inside for use in uses_of(value))


def _from(phi: Instr, source: Block) -> Value:
    """What `phi` is for the invocations that come from `source`."""
    for index in range(0, len(phi.operands), 2):
        if phi.operands[index + 1] is source:
            return phi.value(index)
    raise AssertionError("a phi has a value for each way in")


def _is_crossed(scope: Scope) -> bool:
    """Whether a break of `scope` is none that SPIR-V can write."""
    return any(crossed_construct(block) is not None for block in scope.breaks)


def _move_all(source: Region, target: Region) -> None:
    first = source.first
    last = source.last
    assert first is not None and last is not None
    move_run(first, last, target)


def _make_loop(scope: Scope) -> None:
    """A loop in the place of `scope` that is left at its end."""
    loop = Loop(scope.name)
    insert_node_before(scope, loop)
    _move_all(scope.body, loop.body)
    for block in list(scope.breaks):
        set_jump(block, Break(loop))
    unlink_node(scope)
    end = loop.body.end()
    if end.jump is None:
        set_jump(end, Break(loop))
    new_block(loop.continuing)
