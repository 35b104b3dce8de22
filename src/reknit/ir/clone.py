"""A second body of the same code.

    [ %x = A; if %x { break L } ]   clone ─▶   [ %x' = A; if %x' { break L } ]      what is outside is shared

    values           new for all that is defined inside; for the rest what `values` says, or the same
    blocks           new, padding where the first is; phis name the clone's blocks
    jumps            to the clone's constructs where those are inside, else to the same target, whose phis get for the
                     new edge what they have for the first one, seen by the clone (undefined if they had nothing)
    decorations      repeated for every new value

A clone is a `FloatingList` like what `extract` gives; a cloned function stands at the end of its module.
"""

from typing import Final, final

from reknit.ir import op
from reknit.ir.block import Block
from reknit.ir.cfg import successors
from reknit.ir.cursor import Cursor
from reknit.ir.edit import add_block, append, append_node, set_condition, set_jump, set_selector
from reknit.ir.extract import FloatingList, delete, extract, reinsert
from reknit.ir.function import Function
from reknit.ir.hint import Hint
from reknit.ir.instr import Instr, Operand
from reknit.ir.jump import Branch, Break, Continue, Exit, Fallthrough
from reknit.ir.module import Module, annotation
from reknit.ir.outward import outward_jumps
from reknit.ir.phis import complete_phis
from reknit.ir.tree import Case, Construct, If, Loop, Region, Scope, Switch
from reknit.ir.value import Value
from reknit.source.diagnostic import EditRefused
from reknit.source.meter import spend

_DECORATES: Final = (op.Decorate, op.DecorateId, op.DecorateString)


def clone(module: Module, floating: FloatingList, values: dict[Value, Value] | None = None) -> FloatingList:
    """A second list like `floating`; what it uses and `values` has as a key becomes the value. Costs its size and the
    decorations of the module. The clone must be put back or deleted too."""
    if not floating.is_empty and not floating.is_floating():
        raise EditRefused("RK0486", "this code was put back or deleted already")
    copy = FloatingList(floating.function, floating.seam)
    if floating.is_empty:
        return copy
    copy.is_empty = False
    floating.function.floating[copy] = None
    copier = Copier(module, values)
    copier.region(floating.nodes, copy.nodes)
    copier.finish()
    for block, _ in outward_jumps(list(floating.nodes)):
        for target in successors(block):
            copier.bring(block, target)
    return copy


def clone_range(
    module: Module, begin: Cursor, end: Cursor, values: dict[Value, Value] | None = None
) -> FloatingList:
    """A clone of what stands between two cursors; that itself stays as it is. Refused as `extract` is."""
    floating = extract(module, begin, end)
    copy = clone(module, floating, values)
    reinsert(module, floating, floating.seam)
    return copy


def clone_and_reinsert(
    module: Module, begin: Cursor, end: Cursor, to: Cursor, values: dict[Value, Value] | None = None
) -> Cursor:
    """Put a clone of what stands between two cursors in at a third; returns the place behind it.

    Refused as `extract` and `reinsert` are.
    """
    copy = clone_range(module, begin, end, values)
    try:
        return reinsert(module, copy, to)
    except EditRefused:
        delete(module, copy)
        raise


def clone_function(module: Module, function: Function, name: str) -> Function:
    """A second function like `function`, at the end of the module: structured or flat as that is."""
    copy = Function(function.type, function.result, name)
    copier = Copier(module, None)
    copy_function(copier, function, copy)
    copier.finish()
    module.functions.append(copy)
    return copy


def copy_function(copier: "Copier", function: Function, copy: Function) -> None:
    """Fill an empty function with what `function` has; operands and jumps come with `finish`."""
    copy.control = function.control
    copy.structured = function.structured
    for param in function.params:
        new_param = copier.instr(param)
        copy.params.append(new_param)
        if param in function.heading:
            copy.heading[new_param] = [copier.instr(line) for line in function.heading[param]]
    copy.leading = [copier.instr(line) for line in function.leading]
    copier.region(function.body, copy.body)
    for block in function.blocks:
        add_block(copy, copier.block(block))
    copy.closing = [copier.instr(line) for line in function.closing]
    for hint in function.hints:
        member = copier.new[hint.block]
        header = copier.new[hint.header]
        assert isinstance(member, Block) and isinstance(header, Block)
        copy.hints.append(Hint(member, header, hint.origin))
    for block, asked in function.asked.items():
        same = copier.new[block]
        assert isinstance(same, Block)
        copy.asked[same] = asked


def annotations_of(module: Module) -> dict[Value, list[Instr]]:
    """The decorations of each value of a module, in order."""
    by_target: dict[Value, list[Instr]] = {}
    for decoration in module.decorations:
        if decoration.op in _DECORATES:
            by_target.setdefault(decoration.value(0), []).append(decoration)
    return by_target


@final
class Copier:
    """Makes everything empty first; `finish` then fills in operands and jumps, which may name what comes later.

    `new` has the copy of everything that was copied, `blocks` and `instrs` the pairs in order, `branching` the copies
    that branch on something.
    """

    __slots__ = ("module", "given", "new", "blocks", "instrs", "branching")

    def __init__(self, module: Module, values: dict[Value, Value] | None) -> None:
        self.module = module
        self.given: dict[Value, Value] = values if values is not None else {}
        self.new: dict[Value, Value] = {}
        self.blocks: list[tuple[Block, Block]] = []
        self.instrs: list[tuple[Instr, Instr]] = []
        self.branching: list[Construct] = []

    def of(self, value: Value) -> Value:
        new = self.new.get(value)
        return new if new is not None else self.given.get(value, value)

    def instr(self, old: Instr) -> Instr:
        spend(1)
        new = Instr(old.op, old.type, [], old.name, old.has_result)
        self.new[old] = new
        self.instrs.append((old, new))
        return new

    def block(self, old: Block) -> Block:
        new = Block(old.name, old.padding)
        self.new[old] = new
        self.blocks.append((old, new))
        if old.leading:
            new.leading = tuple([self.instr(line) for line in old.leading])
        instr = old.first
        while instr is not None:
            append(new, self.instr(instr))
            instr = instr.next
        return new

    def region(self, source: Region, target: Region) -> None:
        """Copy the nodes of `source` and all in them to the end of `target`."""
        work: list[tuple[Region, Region]] = [(source, target)]
        while work:
            old, new = work.pop()
            for node in old:
                if isinstance(node, Block):
                    append_node(new, self.block(node))
                    continue
                assert isinstance(node, Construct)
                copied = self.construct(node)
                append_node(new, copied)
                pairs = list(zip(node.regions(), copied.regions(), strict=True))
                work.extend(pairs[::-1])

    def construct(self, old: Construct) -> Construct:
        """The same construct around empty regions; what it branches on is filled in later."""
        new: Construct
        if isinstance(old, If):
            new = If(old.condition, old.name)
            new.weights = list(old.weights)
            self.branching.append(new)
        elif isinstance(old, Switch):
            switch = Switch(old.selector, old.name)
            for case in old.cases:
                new_case = Case(switch, case.name)
                self.new[case] = new_case
                switch.cases.append(new_case)
                if case is old.default:
                    switch.default = new_case
            for literal, case in old.targets:
                switch.targets.append((literal, self.case(case)))
            new = switch
            self.branching.append(new)
        elif isinstance(old, Loop):
            new = Loop(old.name)
        else:
            new = Scope(old.name)
        new.merged = old.merged
        new.control = list(old.control)
        self.new[old] = new
        return new

    def case(self, old: Case) -> Case:
        new = self.of(old)
        assert isinstance(new, Case)
        return new

    def target(self, old: Construct) -> Construct:
        new = self.of(old)
        assert isinstance(new, Construct)
        return new

    def finish(self, decorations: dict[Value, list[Instr]] | None = None) -> None:
        """`decorations` has those of the module by what they decorate, and gets the new ones; without it, all of the
        module's are looked through."""
        for old, new in self.blocks:
            self.jump(old, new)
        for source, copy in self.instrs:
            operands: list[Operand] = []
            for operand in source.operands:
                operands.append(self.of(operand) if isinstance(operand, Value) else operand)
            copy.set_operands(operands)
            type = copy.type
            if type is not None and type in self.new:
                copied = self.new[type]
                assert isinstance(copied, Instr)
                copy.type = copied
        for construct in self.branching:
            if isinstance(construct, If):
                set_condition(construct, self.of(construct.condition))
            elif isinstance(construct, Switch):
                set_selector(construct, self.of(construct.selector))
        self.decorate(decorations if decorations is not None else annotations_of(self.module))

    def jump(self, old: Block, new: Block) -> None:
        jump = old.jump
        if isinstance(jump, Break):
            set_jump(new, Break(self.target(jump.target)))
        elif isinstance(jump, Continue):
            loop = self.target(jump.target)
            assert isinstance(loop, Loop)
            set_jump(new, Continue(loop))
        elif isinstance(jump, Fallthrough):
            set_jump(new, Fallthrough(self.case(jump.target)))
        elif isinstance(jump, Exit):
            set_jump(new, Exit(self.instr(jump.instr)))
        elif isinstance(jump, Branch):
            merge = self.instr(jump.merge) if jump.merge is not None else None
            set_jump(new, Branch(self.instr(jump.instr), merge))

    def decorate(self, decorations: dict[Value, list[Instr]]) -> None:
        if not decorations:
            return
        for old, new in self.new.items():
            for decoration in decorations.get(old, ()):
                repeated = annotation(decoration.op, [new, *decoration.operands[1:]])
                self.module.decorations.append(repeated)
                decorations.setdefault(new, []).append(repeated)

    def bring(self, old: Block, target: Block) -> None:
        """Let the copy of `old` bring to the phis of `target` what `old` brings, as the copy sees it."""
        new = self.of(old)
        assert isinstance(new, Block)
        for phi in target.phis():
            for index in range(0, len(phi.operands), 2):
                if phi.operands[index + 1] is old:
                    phi.set_operands([*phi.operands, self.of(phi.value(index)), new])
                    break
        complete_phis(self.module, target, new)
