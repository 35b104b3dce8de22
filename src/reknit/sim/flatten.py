"""A function's blocks, tree or flat, made into code blocks with numbers.

    tree                                      code blocks
      block -> If(c) merged -> after            3: steps, push sel(6), Split(c, 4, 5)    4, 5: arms, Goto 6    6: after
      Loop(body, continuing)                    header: push loop(after), iter(continuing)     its end: Goto header
      Break(C), Continue(L), Fallthrough        Goto C.after(), L.continuing, the case: the frames do the rest (rule 7)
    flat
      OpLoopMerge, OpSelectionMerge             the frames they push; without one, none

A construct that is not merged pushes no frame: no lane waits at its end. A call ends a code block, since lanes meet
after it.
"""

from typing import Any, final

from reknit.ir import op
from reknit.ir.block import Block
from reknit.ir.cfg import region_exit
from reknit.ir.dispatch import dynamic_callees
from reknit.ir.function import Function
from reknit.ir.instr import Instr
from reknit.ir.jump import Branch, Break, Continue, Exit, Fallthrough
from reknit.ir.phis import by_source
from reknit.ir.tree import If, Loop, Scope, Switch
from reknit.ir.value import Value
from reknit.sim.block_graph import block_at, falling_chains, reachable_blocks
from reknit.sim.code import (
    KILL,
    RETURN,
    TERMINATE,
    UNREACHABLE,
    Call,
    CodeBlock,
    DynamicCall,
    Edge,
    End,
    Goto,
    Leave,
    Route,
    Split,
    SwitchEnd,
)
from reknit.sim.kernel import Kernel, Moves, Step, Taken, as_step
from reknit.sim.ops.witness_lookup import callable_column
from reknit.sim.prepare import Preparation
from reknit.sim.registers import COMPILED, Register
from reknit.sim.steps import demote, step_of
from reknit.sim.unset_objects import UnsetObject, unset_object
from reknit.sim.unsupported import Unsupported

Column = Register | list[Any]


@final
class Flattener:
    """Makes the code of the functions that an entry point reaches. `unsupported` collects what the simulator can't
    do."""

    __slots__ = (
        "preparation", "code", "start", "returned", "unsupported", "switches", "resumes", "landings", "sources",
    )  # fmt: skip

    def __init__(self, preparation: Preparation) -> None:
        self.preparation = preparation
        self.code: list[CodeBlock] = []
        self.start: dict[Block, int] = {}
        self.returned: dict[Function, Column] = {}
        self.unsupported: list[tuple[Instr | Block, str]] = []
        self.switches = 0
        self.resumes: dict[Instr, int] = {}  # by call: the code block that goes on after it
        self.landings: dict[Instr, int] = {}
        self.sources: dict[Instr, dict[Block, Value]] = {}

    def flatten(self, functions: list[Function]) -> None:
        """All of `functions`; afterwards `code` and `start` are complete."""
        for function in functions:
            self.number(function)
        for function in functions:
            for block in reachable_blocks(function):
                self.fill(block)

    def number(self, function: Function) -> None:
        shape = self.preparation.globals.shape(function.result)
        values: list[Any] = [0] * self.preparation.lanes
        self.returned[function] = Register(values) if shape is not None and shape.is_word() else values
        for block in reachable_blocks(function):
            first = len(self.code)
            self.start[block] = first
            self.code.append(CodeBlock(first, block, function, first))
            for instr in block:
                if instr.op == op.FunctionCall or instr.op == op.CallDynamic:
                    self.resumes[instr] = len(self.code)
                    self.code.append(CodeBlock(len(self.code), block, function, first))
                if instr.op == op.CallDynamic:
                    self.landings[instr] = len(self.code)
                    for _ in dynamic_callees(self.preparation.globals.module, instr):
                        self.code.append(CodeBlock(len(self.code), block, function, first))

    def fill(self, block: Block) -> None:
        """The steps, calls and end of one block."""
        at = self.start[block]
        for instr in block:
            if instr.op == op.FunctionCall:
                before = at
                at = self.resumes[instr]
                try:
                    self.code[before].end = self.call(instr, at)
                    self.add(self.code[at], self.take_result(instr), instr)
                except Unsupported as reason:
                    self.unsupported.append((instr, str(reason)))
            elif instr.op == op.CallDynamic:
                before = at
                at = self.resumes[instr]
                try:
                    self.code[before].end = self.dynamic_call(instr, at)
                except Unsupported as reason:
                    self.unsupported.append((instr, str(reason)))
            else:
                self.step(self.code[at], instr)
        here = self.code[at]
        try:
            here.end = self.end(here, block)
        except Unsupported as reason:
            jump = block.jump
            what = jump.instr if isinstance(jump, (Exit, Branch)) else block
            self.unsupported.append((reason.about or what, str(reason)))

    def step(self, here: CodeBlock, instr: Instr) -> None:
        try:
            step = step_of(self.preparation, instr)
        except Unsupported as reason:
            self.unsupported.append((instr, str(reason)))
            return
        if step is not None:
            self.add(here, step, instr)

    def add(self, here: CodeBlock, step: Step | None, instr: Instr) -> None:
        if step is None:
            return
        if COMPILED and not isinstance(step, Kernel):
            result = self.preparation.registers.get(instr)
            if result is not None:
                step = Taken(step, result)
        here.steps.append(step)
        here.instrs.append(instr)

    # --- moves --------------------------------------------------------------------------------------------------------

    def column(self, value: Value) -> Column:
        register = self.preparation.register(value)
        return register if register is not None else self.preparation.column(value)

    def moves(self, pairs: list[tuple[Column, Column]]) -> Step | None:
        """A step that copies each second column to the first, all at once."""
        targets: list[Register] = []
        sources: list[Register] = []
        lists: list[tuple[list[Any], list[Any]]] = []
        taken: list[Register] = []
        for target, source in pairs:
            if isinstance(target, Register) and isinstance(source, Register):
                targets.append(target)
                sources.append(source)
                continue
            if isinstance(target, Register):
                taken.append(target)
            lists.append((_list_of(target), _list_of(source)))
        return as_step(Moves(targets, sources, lists, taken)) if pairs else None

    # --- calls --------------------------------------------------------------------------------------------------------

    def call(self, instr: Instr, back: int) -> End:
        callee = instr.value(0)
        assert isinstance(callee, Function)
        pairs = []
        for index, parameter in enumerate(callee.params):
            pairs.append((self.column(parameter), self.column(instr.value(index + 1))))
        return Call(instr, self.start[callee.entry()], self.moves(pairs), back)

    def take_result(self, instr: Instr) -> Step | None:
        """After a call: the value that each lane returned."""
        callee = instr.value(0)
        assert isinstance(callee, Function)
        if callee.result.op == op.TypeVoid:
            return None
        return self.moves([(self.column(instr), self.returned[callee])])

    def dynamic_call(self, instr: Instr, back: int) -> End:
        """Each function that it may come to goes back through a code block of its own, which takes the result."""
        preparation = self.preparation
        routes: dict[Function, Route] = {}
        landing = back + 1
        for callee in dynamic_callees(preparation.globals.module, instr):
            here = self.code[landing]
            if instr.type is not None and instr.type.op != op.TypeVoid and callee.result.op != op.TypeVoid:
                self.add(here, self.moves([(self.column(instr), self.returned[callee])]), instr)
            here.end = Goto(Edge(back, None))
            parameters = [preparation.column(parameter) for parameter in callee.params]
            words = [register for param in callee.params if (register := preparation.register(param)) is not None]
            entry = self.start[callee.entry()]
            routes[callee] = Route(entry, parameters, words, self.unset(instr, callee), landing)
            landing += 1
        arguments = [preparation.column(instr.value(index)) for index in range(1, len(instr.operands))]
        return DynamicCall(instr, callable_column(preparation, instr.value(0)), arguments, routes, back)

    def unset(self, call: Instr, callee: Function) -> list[UnsetObject | None]:
        """For each parameter; the leading ones are the tables bound to the callable."""
        bound = len(callee.params) - (len(call.operands) - 1)
        unset: list[UnsetObject | None] = [None] * bound
        for index, parameter in enumerate(callee.params[bound:]):
            argument = call.value(index + 1)
            assert isinstance(argument, Instr)
            unset.append(unset_object(argument, parameter, self.preparation.globals.shapes))
        return unset

    def leave(self, here: CodeBlock, instr: Instr) -> End:
        if instr.op == op.Return:
            return Leave(RETURN, instr, None)
        if instr.op == op.ReturnValue:
            returned = self.returned[here.function]
            return Leave(RETURN, instr, self.moves([(returned, self.column(instr.value(0)))]))
        if instr.op == op.Unreachable:
            return Leave(UNREACHABLE, instr, None)
        gone = demote(self.preparation)
        if instr.op == op.TerminateInvocation:
            return Leave(TERMINATE, instr, gone)
        if instr.op == op.Kill:
            if self.preparation.kill_demotes:  # rule 10: OpKill may behave as a demote followed by a return of nothing
                self.add(here, demote(self.preparation), instr)
                return Leave(RETURN, instr, None)
            return Leave(KILL, instr, gone)
        raise Unsupported("ends an invocation in a way that the simulator doesn't know")

    # --- ends ---------------------------------------------------------------------------------------------------------

    def end(self, here: CodeBlock, block: Block) -> End:
        region = block.region
        if region is not None:
            owner = region.owner
            if isinstance(owner, Loop) and block.prev is None and region is owner.body:
                here.loop_merge = self.start[owner.after()]
                here.loop_continue = self.start[owner.continuing.entry()]
        jump = block.jump
        if isinstance(jump, Exit):
            return self.leave(here, jump.instr)
        if isinstance(jump, Break):
            return Goto(self.edge(block, jump.target.after()))
        if isinstance(jump, Continue):
            return Goto(self.edge(block, jump.target.continuing.entry()))
        if isinstance(jump, Fallthrough):
            return Goto(self.edge(block, jump.target.region.entry()))
        if isinstance(jump, Branch):
            return self.branch(here, block, jump)
        return self.onward(here, block)

    def onward(self, here: CodeBlock, block: Block) -> End:
        """What follows a block without a jump in its region."""
        following = block.next
        if isinstance(following, Block):
            return Goto(self.edge(block, following))
        if isinstance(following, Loop):
            return Goto(self.edge(block, following.body.entry()))
        if isinstance(following, If):
            if following.merged:
                here.merge = self.start[following.after()]
            return Split(
                following.condition,
                self.condition(following.condition),
                self.edge(block, following.then.entry()),
                self.edge(block, following.orelse.entry()),
            )
        if isinstance(following, Scope):
            if following.merged:
                here.merge = self.start[following.after()]
            return Goto(self.edge(block, following.body.entry()))
        if isinstance(following, Switch):
            if following.merged:
                here.merge = self.start[following.after()]
            return self.tree_switch(block, following)
        region = block.region
        target = region_exit(region) if region is not None else None
        if target is None:
            raise Unsupported("is the end of its function, without a return")
        return Goto(self.edge(block, target))

    def condition(self, value: Value) -> Register:
        register = self.preparation.register(value)
        if register is None:
            raise Unsupported("branches by what is not a boolean")
        return register

    def tree_switch(self, block: Block, switch: Switch) -> End:
        targets = [case.region.entry() for case in switch.cases]
        places = {case: index for index, case in enumerate(switch.cases)}
        cases: dict[int, int] = {}
        for literal, case in switch.targets:
            cases[literal] = places[case]
        if switch.default is None:
            raise Unsupported("is before a switch without a default")
        chains: list[list[int]] = []
        chain: list[int] = []
        for index, case in enumerate(switch.cases):
            if case.fallthroughs and chain:
                chain.append(index)
            else:
                chain = [index]
                chains.append(chain)
        return self.switch_end(block, switch.selector, targets, cases, places[switch.default], chains)

    def switch_end(
        self,
        block: Block,
        selector: Value,
        targets: list[Block],
        cases: dict[int, int],
        default: int,
        chains: list[list[int]],
    ) -> End:
        literals: list[list[int]] = [[] for _ in targets]
        for literal, index in cases.items():
            literals[index].append(literal)
        number = self.switches
        self.switches += 1
        return SwitchEnd(
            number,
            selector,
            self.preparation.column(selector),
            [self.edge(block, target) for target in targets],
            cases,
            default,
            [chain for chain in chains if len(chain) > 1],
            literals,
            selector.name or f"switch {number}",
        )

    def edge(self, source: Block, target: Block) -> Edge:
        """The edge from one block to another, with the values of the phis there (all read before any is written)."""
        pairs = []
        for phi in target.phis():
            sources = self.sources.get(phi)
            if sources is None:
                sources = self.sources[phi] = by_source(phi)
            if source not in sources:
                raise Unsupported(f"has no value for invocations that come from {shown(source)}", phi)
            pairs.append((self.column(phi), self.column(sources[source])))
        return Edge(self.start[target], self.moves(pairs))

    # --- flat functions -----------------------------------------------------------------------------------------------

    def branch(self, here: CodeBlock, block: Block, jump: Branch) -> End:
        merge = jump.merge
        merge_block: Block | None = None
        if merge is not None:
            merge_block = block_at(merge, 0)
            if merge.op == op.LoopMerge:
                here.loop_merge = self.start[merge_block]
                here.loop_continue = self.start[block_at(merge, 1)]
            elif jump.instr.op != op.Branch:
                here.merge = self.start[merge_block]
        instr = jump.instr
        if instr.op == op.Branch:
            return Goto(self.edge(block, block_at(instr, 0)))
        if instr.op == op.BranchConditional:
            return Split(
                instr.value(0),
                self.condition(instr.value(0)),
                self.edge(block, block_at(instr, 1)),
                self.edge(block, block_at(instr, 2)),
            )
        if instr.op != op.Switch:
            raise Unsupported("is a branch that the simulator doesn't know")
        return self.flat_switch(block, instr, merge_block)

    def flat_switch(self, block: Block, instr: Instr, merge: Block | None) -> End:
        width = self.preparation.shape(instr.value(0)).width
        words = 2 if width > 32 else 1
        targets: dict[Block, int] = {}
        cases: dict[int, int] = {}
        at = 2
        while at < len(instr.operands):
            literal = 0
            for word in range(words):
                literal |= instr.word(at + word) << (32 * word)
            target = block_at(instr, at + words)
            cases[literal & ((1 << width) - 1)] = targets.setdefault(target, len(targets))
            at += words + 1
        default = targets.setdefault(block_at(instr, 1), len(targets))
        chains = falling_chains(block, list(targets), merge) if merge is not None else []
        return self.switch_end(block, instr.value(0), list(targets), cases, default, chains)


def _list_of(column: Column) -> list[Any]:
    return column.listed() if isinstance(column, Register) else column


def shown(block: Block) -> str:
    return f"block %{block.name or block.id}" if block.name or block.id else "a block without a name"
