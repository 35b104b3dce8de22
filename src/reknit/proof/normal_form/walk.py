"""One program as terms: its steps in order, once each, with which invocations are there and what variables hold.

    BLOCK            its instructions: values, events, and calls, whose steps come next
    IF, SWITCH, ..   a construct begins; each of its regions has a state, and what leaves them arrives at joins
    END              the join behind the construct
"""

from typing import final

from reknit.ir import op, traits
from reknit.ir.block import Block
from reknit.ir.function import Function
from reknit.ir.instr import Instr
from reknit.ir.jump import Break, Continue, Exit, Fallthrough
from reknit.ir.tree import Construct, If, Loop, Switch
from reknit.ir.value import Value
from reknit.proof.normal_form.events import EVERYTHING, Footprint
from reknit.proof.normal_form.frames import Frame
from reknit.proof.normal_form.loops import Loops
from reknit.proof.normal_form.not_decided import NotDecided
from reknit.proof.normal_form.program import Program
from reknit.proof.normal_form.states import NONE, Changes, Join, Name, State, deliver, take
from reknit.proof.normal_form.table import NO_LOOPS, UNFROZEN
from reknit.proof.normal_form.traversal import (
    ARM,
    ARM_END,
    BACK,
    BLOCK,
    END,
    IF,
    LOOP,
    MAX_STEPS,
    PROCEED,
    SWITCH,
    Step,
    Traversal,
)  # fmt: skip

_RESULT = "result"


@final
class Walk(Loops):
    """All of a program: made and walked at once. Raises NotDecided, and TooLarge."""

    def __init__(self, program: Program) -> None:
        super().__init__(program)
        self.traversals = program.traversals
        self.summaries = program.summaries
        self.steps = 0
        self._run(program)

    def _run(self, program: Program) -> None:
        if self.terms.rearranged is not None:
            self.terms.rearranged.begin(self.after)
        for variable in self.module.globals:
            if variable.op == op.Variable and self.roots[variable][0] == -1:
                self.state.changes[self.roots[variable]] = self.initial(variable)
        start = self.assumptions.frame(-2, "after" if self.after else "before")
        arguments: list[int] = []
        for index, parameter in enumerate(program.entry.params):
            kind = self.kind(parameter.type)
            arguments.append(self.terms.opaque(("parameter", index, kind.number), NO_LOOPS, kind))
        self.enter(self.traversals[program.entry], start, 0, arguments, None)
        while self.frames:
            frame = self.frames[-1]
            if frame.block is not None:
                self.go_on(frame)
            elif frame.step < len(frame.traversal.steps):
                self.step(frame, frame.traversal.steps[frame.step])
            else:
                self.leave(frame)

    def initial(self, variable: Instr) -> int:
        """What an own variable holds before anything is stored."""
        assert variable.type is not None
        if len(variable.operands) > 1:
            return self.constant(variable.instr(1))
        return self.unwritten(variable)

    # --- calls --------------------------------------------------------------------------------------------------------

    def enter(self, traversal: Traversal, number: int, base: int, arguments: list[int], call: Instr | None) -> None:
        frame = Frame(number, traversal, base, self.state, call)
        body = State(self.state, self.terms.true, self.terms.true, self.state.run)
        self.frames.append(frame)
        self.state = body
        for parameter, argument in zip(traversal.function.params, arguments, strict=True):
            self.set(parameter, argument)
        for instr in traversal.function.entry():
            if instr.op == op.Variable:
                body.changes[number, instr] = self.initial(instr)

    def leave(self, frame: Frame) -> None:
        """Go on in the caller with the invocations that return."""
        terms = self.terms
        if self.state.reach != terms.false:
            raise NotDecided("control runs off the end of a function", frame.function)
        self.frames.pop()
        self.state = frame.state
        if self.is_weak:
            self._stay_split(frame, frame.function, frame.join, self.state, True)
        total, changes = take(frame.join, terms)
        self.state.reach = terms.both(self.state.reach, total)
        result = changes.get((frame.number, _RESULT), terms.bottom)
        if frame.function in self.decorations.relaxed and result != terms.bottom:
            result = self.relaxed(result, self.kind(frame.function.result), frame.function)
        for name, value in changes.items():
            if name[0] != frame.number:
                self.state.changes[name] = value
        if frame.call is None:
            self._return(frame.function, result)
        elif self.state.reach != terms.false:
            self.set(frame.call, result)
        if frame.call is not None and frame.call.op == op.CallDynamic:
            self._end_target(frame)

    def _return(self, function: Function, result: int) -> None:
        """What a function that is walked by itself gives its callers is an effect."""
        if function.result.op != op.TypeVoid and self.state.reach != self.terms.false:
            footprint = Footprint(("result",), (), False)
            self.event((op.ReturnValue, result), (result,), self.here(), footprint, None)

    def _summarized(self, call: Instr, number: int) -> None:
        """A call that isn't followed: an effect after all others."""
        terms = self.terms
        arguments = tuple([self.get(call.value(at)) for at in range(1, len(call.operands))])
        event = self.event((op.FunctionCall, number, *arguments), arguments, self.here(), EVERYTHING, call)
        kind = self.kind(call.type)
        if kind.type.op != op.TypeVoid:
            self.set(call, terms.opaque(("result", event, kind.number), terms.loops[event], kind))

    def call(self, frame: Frame, call: Instr, base: int) -> None:
        callee = call.operands[0]
        assert isinstance(callee, Function)
        arguments = [self.get(call.value(at)) for at in range(1, len(call.operands))]
        traversal = self.traversals[callee]
        self.enter(traversal, self.assumptions.frame(frame.context, call), base - traversal.size, arguments, call)

    def _begin_target(self, frame: Frame, call: Instr) -> None:
        """The next call of those that a dynamic call is; after the last, all meet."""
        terms = self.terms
        assert frame.met is not None
        while frame.arms:
            condition, callee, table, bound = frame.arms.pop()
            arm = State(self.state, condition, terms.true, self.state.run)
            self.state = arm
            if self.here() == terms.false:
                assert arm.parent is not None
                self.state = arm.parent
                continue
            traversal = self.traversals[callee]
            number = self.assumptions.frame(frame.context, call, callee, table)
            arguments = [*bound, *[self.get(call.value(at)) for at in range(1, len(call.operands))]]
            kinds = [self.kind(param.type) for param in callee.params]
            for at in range(len(bound), len(kinds)):
                given = call.value(at - len(bound) + 1)
                arguments[at] = self.argument(arguments[at], given, callee.params[at], call)
            self.enter(traversal, number, frame.base + frame.traversal.ranks[call] - traversal.size, arguments, call)
            return
        total, changes = take(frame.met, terms)
        frame.met = None
        result = changes.pop((frame.number, call), terms.bottom)
        self.state.reach = terms.both(self.state.reach, total)
        self.state.changes.update(changes)
        if self.state.reach != terms.false:
            self.set(call, result)

    def _end_target(self, ended: Frame) -> None:
        """The invocations that return from one of the calls."""
        call = ended.call
        assert call is not None
        frame = self.frame
        arm = self.state
        assert arm.parent is not None and frame.met is not None
        if arm.reach != self.terms.false:
            if call.type is not None and call.type.op != op.TypeVoid:
                term = self.converted(self.get(call), self.kind(ended.function.result), self.kind(call.type))
                arm.changes[frame.number, call] = term
            deliver(frame.met, arm, arm.reach, arm.changes, arm.tokens, self.terms)
        self.state = arm.parent
        self._begin_target(frame, call)

    # --- blocks -------------------------------------------------------------------------------------------------------

    def go_on(self, frame: Frame) -> None:
        """Execute a block up to its end or the next call."""
        terms = self.terms
        ranks = frame.traversal.ranks
        state = self.state
        while frame.next is not None and state.reach != terms.false:
            instr = frame.next
            frame.next = instr.next
            terms.begin(frame.base + ranks[instr])
            if instr.op == op.FunctionCall:
                callee = instr.operands[0]
                if isinstance(callee, Function) and callee in self.summaries:
                    self._summarized(instr, self.summaries[callee])
                    continue
                self.call(frame, instr, frame.base + ranks[instr])
                return
            if instr.op == op.CallDynamic:
                frame.arms = self.targets(instr)
                frame.met = Join(state)
                self._begin_target(frame, instr)
                if self.frame is not frame:
                    return
                continue
            self.execute(instr)
        block = frame.block
        assert block is not None
        frame.block = None
        if state.reach != terms.false:
            self.jump(block)

    def jump(self, block: Block) -> None:
        """Leave a block, if it ends in a jump."""
        jump = block.jump
        state = self.state
        if jump is None:
            return
        if isinstance(jump, Break):
            self.send(self.frame.joins[jump.target], self.phi_values(block, jump.target.after()))
        elif isinstance(jump, Continue):
            self.send(self.frame.labels[jump.target], self.phi_values(block, jump.target.continuing.entry()))
        elif isinstance(jump, Fallthrough):
            self.send(self.frame.labels[jump.target], self.phi_values(block, jump.target.region.entry()))
        elif isinstance(jump, Exit):
            self._exit(jump.instr)
        else:
            raise NotDecided("a plain branch in a tree", block)
        state.reach = self.terms.false

    def send(self, join: Join, phi_values: Changes) -> None:
        """Send all invocations that are here to a join."""
        state = self.state
        deliver(join, state, state.reach, {**state.changes, **phi_values}, state.tokens, self.terms)

    def _exit(self, instr: Instr) -> None:
        if instr.op == op.Return:
            self.send(self.frame.join, {})
        elif instr.op == op.ReturnValue:
            name: Name = (self.frame.number, _RESULT)
            self.send(self.frame.join, {name: self.get(instr.value(0))})
        elif instr.op == op.Unreachable:
            self.risky(instr, (), "")
        elif instr.op in traits.KILLS or instr.op == op.EmitMeshTasksEXT:
            self.end_invocations(instr)
        else:
            raise NotDecided("an end of a function that is not followed", instr)

    # --- constructs ---------------------------------------------------------------------------------------------------

    def step(self, frame: Frame, step: Step) -> None:
        terms = self.terms
        frame.step += 1
        self.steps += 1
        if self.steps > MAX_STEPS:
            raise NotDecided(f"more than {MAX_STEPS} blocks and constructs, calls followed")
        if step.kind == BLOCK:
            if self.state.reach != terms.false:
                self._begin_block(frame, step)
            return
        node = step.construct
        assert node is not None
        if step.kind == ARM:
            self._begin_arm(frame, step, node)
        elif step.kind == ARM_END:
            self._end_arm(frame, step, node)
        elif step.kind == PROCEED:
            assert isinstance(node, Loop)
            self._proceed(frame, node)
        elif step.kind == BACK:
            assert isinstance(node, Loop)
            terms.begin(frame.base + frame.traversal.end_ranks[node])
            self.close_loop(node)
        elif step.kind == END:
            self._end(frame, node)
        elif self.state.reach == terms.false:
            frame.step = step.end + 1
        else:
            terms.begin(frame.base + frame.traversal.end_ranks[node])
            self._begin(frame, step.kind, node)

    def _begin_block(self, frame: Frame, step: Step) -> None:
        block = step.block
        assert block is not None
        state = self.state
        for phi in block.phis():
            value = state.changes.pop((frame.number, phi), NONE)
            self.set(phi, value if value != NONE else state.value((frame.number, phi), self.terms))
        frame.block = block
        frame.next = block.first

    def _begin(self, frame: Frame, kind: int, node: Construct) -> None:
        terms = self.terms
        frame.joins[node] = Join(self.state)
        if kind == IF:
            assert isinstance(node, If)
            condition = self.consumed(node.condition)
            if self.open_loops and terms.is_constant(condition):
                self.open_loops[-1].tested = True
            if UNFROZEN in terms.loops[condition]:
                terms.unfrozen_used = True
            frame.conditions[node] = [terms.negate(condition), condition]
        elif kind == SWITCH:
            assert isinstance(node, Switch)
            for case in node.cases:
                frame.labels[case] = Join(self.state)
            self.select(node)
        elif kind == LOOP:
            assert isinstance(node, Loop)
            self.enter_loop(node)

    def _begin_arm(self, frame: Frame, step: Step, node: Construct) -> None:
        terms = self.terms
        region = step.region
        assert region is not None
        if step.case is not None:
            terms.begin(frame.base + frame.traversal.end_ranks[node])
            inner = self.come_to(step.case)
            if inner is None:
                frame.step = step.end + 1
            else:
                self.state = inner
            return
        condition = terms.true
        if isinstance(node, If):
            terms.begin(frame.base + frame.traversal.end_ranks[node])
            condition = frame.conditions[node].pop()
            if condition == terms.false:
                frame.step = step.end + 1
                return
        state = State(self.state, condition, terms.true, self.state.run)
        if not isinstance(node, Loop):  # of a loop, they are what it begins with
            state.changes = self.phi_values(node.before(), region.entry())
        self.state = state

    def _end_arm(self, frame: Frame, step: Step, node: Construct) -> None:
        state = self.state
        assert state.parent is not None and step.region is not None
        if state.reach != self.terms.false:
            self.send(frame.joins[node], self.phi_values(step.region.end(), node.after()))
        self.state = state.parent

    def _proceed(self, frame: Frame, node: Loop) -> None:
        """From the body of a loop to its continuing part."""
        terms = self.terms
        terms.begin(frame.base + frame.traversal.end_ranks[node])
        label = frame.labels[node]
        if self.state.reach != terms.false:
            self.send(label, self.phi_values(node.body.end(), node.continuing.entry()))
        assert self.state.parent is not None
        self.state = iteration = self.state.parent
        if self.is_weak:
            self._stay_split(frame, node, label, iteration, True)
        total, changes = take(label, terms)
        iteration.reach = total
        iteration.changes.update(changes)

    def _end(self, frame: Frame, node: Construct) -> None:
        """Behind a construct."""
        terms = self.terms
        terms.begin(frame.base + frame.traversal.end_ranks[node])
        state = self.state
        join = frame.joins[node]
        if isinstance(node, Switch):
            self.selections.pop()
        if self.is_weak or not node.merged:
            self._stay_split(frame, node, join, state, node.merged)
        total, changes = take(join, terms)
        state.reach = terms.both(state.reach, total)
        state.changes.update(changes)

    def _stay_split(self, frame: Frame, node: Value, join: Join, state: State, merged: bool) -> None:
        """None meet at the end of a construct without a merge, and none need meet where nothing promises it: which came
        on which path is part of what follows."""
        terms = self.terms
        arrivals = join.arrivals
        paths: list[tuple[int, tuple[int, ...]]] = []
        for reach, _, tokens in arrivals:
            if tokens is None:
                raise NotDecided("a construct without a merge instruction that is left from a loop", node)
            paths.append((terms.within(self.here(), reach), tokens))
        if len(paths) == 1:
            state.tokens = paths[0][1]
        elif paths and (frame.number, node) not in self.rejoined:
            split = tuple(sorted(paths))
            inside = tuple([each for reach, tokens in split for each in (reach, *tokens)])
            loops = terms.union(inside, self.loops_here())
            token = terms.make(("split", merged, state.run.loop, state.tokens, split), loops)
            if merged and self.is_weak:
                self.splits[token] = ((frame.number, node), state.tokens)
            state.tokens = (*state.tokens, token)
