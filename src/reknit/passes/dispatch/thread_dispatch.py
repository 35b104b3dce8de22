"""A dispatched call behind a choice moves into the arms where the type is known.

    if c { %ea = tagged union of an A }          if c { %ra = FunctionCall @A_foo %a, 7 }
    else { %eb = tagged union of a B }     =>    else { %rb = FunctionCall @B_foo %b, 7 }
    %e = Phi %ea, %eb                            %r = Phi %ra, %rb
    %r = dispatch_foo(tag of %e, .., 7)

What stands between the phi and the call is done in each arm then; the arms meet right after the call, as the dispatch
did. No tangle changes:
- what is between has no tangled operation, so nothing shows that the arms haven't met yet;
- a method with a tangled operation is called in one arm alone, by all that come to its end, and these are one tangle:
  the construct is merged, all that enter an arm reach its end together (`region_convergence.stays_together`), and none
  comes there by a break. So they are the lanes of that table, as in the dispatcher. Where two arms have the same table
  its lanes are one tangle in the dispatcher and would be two: that call stays, unless its method has no tangled
  operation;
- lanes of a switch may be parted by value, also where several values have one case: an arm of a switch that several
  values can lead to is none for a method with a tangled operation.

An arm that can have several types keeps the dispatcher, and the call may move on from there. Runs between
specialize-dispatch and lower-dispatch. Source: jump threading, with the rule of convergence C4 of docs/dispatch.md.
"""

from typing import Final, final

from reknit.analysis.effects import Effects
from reknit.analysis.tangled import Tangled
from reknit.ir import op
from reknit.ir.block import Block
from reknit.ir.cfg import predecessors
from reknit.ir.clone import Copier, annotations_of
from reknit.ir.dispatch_sets import elements_of, set_of
from reknit.ir.edit import append, erase, prepend, replace_uses
from reknit.ir.function import Function
from reknit.ir.instr import Instr, Operand
from reknit.ir.tree import If, Region, Switch
from reknit.ir.value import Value
from reknit.ir.walk import blocks
from reknit.passes.contract import NO_PHIS, STRUCTURED, SWITCHES_DEFINED, Context, Option, Pass
from reknit.passes.dispatch.cases import switch_of
from reknit.passes.dispatch.possible_tags import possible_elements
from reknit.passes.dispatch.specialize import once_existential
from reknit.passes.drop_functions import drop
from reknit.passes.tidy.region_convergence import stays_together
from reknit.passes.unify_returns import fits_phi
from reknit.passes.variables import local_variable
from reknit.source.meter import spend

_LINES: Final = (op.Line, op.NoLine)


def thread_dispatch(function: Function, context: Context) -> bool:
    """Move every call that can be. Costs the function, and what is copied."""
    module = context.module
    if once_existential(context):
        context.decline("RK2601", "thread-dispatch works on tagged unions: run specialize-dispatch first")
        return False
    limit = context.options["limit"]
    assert isinstance(limit, int)
    work = [block for block in blocks(function) if _starts_with_phi(block)]
    work.reverse()
    threads: _Threads | None = None
    changed = False
    while work:
        spend(1)
        block = work.pop()
        call = _dispatch_in(block)
        if call is None:
            continue
        if threads is None:
            threads = _Threads(function, context, limit)
        arms = threads.thread(block, call)
        if arms:
            changed = True
            work.append(block)  # it may have another call
            work.extend([arm for arm in arms if _starts_with_phi(arm)])
    if threads is not None:
        drop(module, {called: None for called in threads.called if not called.is_used()})
    return changed


def _starts_with_phi(block: Block) -> bool:
    return block.first is not None and block.first.op == op.Phi


def _dispatch_in(block: Block) -> Instr | None:
    """The first call of a dispatcher in a block."""
    for instr in block:
        if instr.op == op.FunctionCall:
            callee = instr.operands[0]
            if isinstance(callee, Function) and switch_of(callee) is not None:
                return instr
    return None


@final
class _Threads:
    """`called` are the dispatchers that had a call moved."""

    __slots__ = ("function", "context", "limit", "tangled", "effects", "decorations", "called")

    def __init__(self, function: Function, context: Context, limit: int) -> None:
        self.function = function
        self.context = context
        self.limit = limit
        self.tangled = context.analyses.of_module(Tangled)
        self.effects = context.analyses.of_module(Effects)
        self.decorations = annotations_of(context.module)
        self.called: dict[Function, None] = {}

    def thread(self, block: Block, call: Instr) -> list[Block]:
        """Move `call` into the arms of the construct that ends before `block`; gives their ends, none if it stays."""
        choice = block.prev
        if not isinstance(choice, (If, Switch)) or not self.fits(choice):
            return []
        arms = predecessors(block)
        between = self.between(block, call)
        dispatcher = call.operands[0]
        assert isinstance(dispatcher, Function)
        switch = switch_of(dispatcher)
        if between is None or switch is None or not all(_can_be_copied(region) for region in switch.regions()):
            return []
        if len(arms) * (len(between) + 1) > self.limit:
            return []
        known_values = [_given(block, arm) for arm in arms]
        elements = [possible_elements(call.instr(1), given) for given in known_values]
        if not any(len(here) == 1 for here in elements):
            return []
        if not self.keeps_tangles(choice, arms, elements, switch):
            return []
        self.called[dispatcher] = None
        results = [self.copy(arm, known_values[index], between, call) for index, arm in enumerate(arms)]
        for index, arm in enumerate(arms):
            self.settle(arm, results[index], call, elements[index], switch)
        self.meet(block, arms, results, [*between, call])
        return arms

    # --- whether it may -----------------------------------------------------------------------------------------------

    def fits(self, choice: If | Switch) -> bool:
        """Whether all that enter an arm and go on behind the construct come to the arm's end as one tangle."""
        if not choice.merged or choice.breaks:
            return False
        if isinstance(choice, Switch) and any(case.fallthroughs for case in choice.cases):
            return False
        return all(stays_together(region) for region in choice.regions() if region.end().jump is None)

    def between(self, block: Block, call: Instr) -> list[Instr] | None:
        """What is done before the call; None if that can't be moved, or the call's result can't."""
        instrs: list[Instr] = []
        for instr in block:
            if instr is call:
                return instrs if self.can_meet(call) else None
            if instr.op == op.Phi:
                continue
            if self.tangled.is_tangled(instr) or instr.op == op.Variable or len(instrs) == self.limit:
                return None
            if not self.is_repeatable(instr) and not self.can_meet(instr):
                return None
            instrs.append(instr)
        return None

    def is_repeatable(self, instr: Instr) -> bool:
        return instr.op in _LINES or self.effects.computes(instr)

    def can_meet(self, instr: Instr) -> bool:
        """Whether a phi can choose between copies of it."""
        return not instr.is_used() or (instr.type is not None and fits_phi(instr.type, self.context))

    def keeps_tangles(
        self, choice: If | Switch, arms: list[Block], elements: list[list[Instr]], switch: Switch
    ) -> bool:
        """Whether each table with a tangled method comes from one arm, whose lanes are one tangle."""
        seen: dict[Instr, None] = {}
        for arm, here in zip(arms, elements, strict=True):
            for element in here:
                if not any(self.tangled.is_tangled(instr) for instr in _case(switch, element)):
                    continue
                if element in seen or _may_be_parted(choice, arm):
                    return False
                seen[element] = None
        return True

    # --- doing it -----------------------------------------------------------------------------------------------------

    def copy(self, arm: Block, given: dict[Value, Value], between: list[Instr], call: Instr) -> dict[Value, Value]:
        """Put copies at the end of an arm; gives them by what they are copies of."""
        copier = Copier(self.context.module, given)
        for instr in [*between, call]:
            append(arm, copier.instr(instr))
        copier.finish(self.decorations)
        return copier.new

    def settle(
        self, arm: Block, copies: dict[Value, Value], call: Instr, elements: list[Instr], switch: Switch
    ) -> None:
        """Where one element is left, what its case does stands for the call of the dispatcher."""
        own = copies[call]
        assert isinstance(own, Instr)
        if len(elements) != 1:
            return
        dispatcher = own.operands[0]
        assert isinstance(dispatcher, Function)
        given: dict[Value, Value] = {}
        for index, param in enumerate(dispatcher.params):
            given[param] = own.value(index + 1)
        case = _case(switch, elements[0])
        for variable in dispatcher.entry():
            if variable.op == op.Variable and any(isinstance(u, Instr) and u.block is case for u in variable.users):
                assert variable.type is not None
                given[variable] = local_variable(self.function, self.context.module, variable.type.instr(1), "")
        copier = Copier(self.context.module, given)
        for instr in case:
            append(arm, copier.instr(instr))
        copier.finish(self.decorations)
        for phi in switch.after().phis():
            for index in range(0, len(phi.operands), 2):
                if phi.operands[index + 1] is case:
                    copies[call] = copier.of(phi.value(index))
        erase(own)

    def meet(self, block: Block, arms: list[Block], results: list[dict[Value, Value]], moved: list[Instr]) -> None:
        """What is used behind is chosen by arm, or stays and is done again."""
        for instr in reversed(moved):
            if instr is not moved[-1] and self.is_repeatable(instr) and (instr.is_used() or not instr.has_result):
                continue
            if instr.is_used():
                operands: list[Operand] = []
                for arm, copies in zip(arms, results, strict=True):
                    operands.extend([copies[instr], arm])
                phi = Instr(op.Phi, instr.type, operands, instr.name)
                prepend(block, phi)
                replace_uses(instr, phi)
            erase(instr)
        for phi in list(block.phis()):
            if not phi.is_used():
                erase(phi)


def _can_be_copied(case: Region) -> bool:
    """Whether a case is one block that calls what the program knows."""
    block = case.entry()
    return block is case.last and block.jump is None and all(instr.op != op.CallDynamic for instr in block)


def _given(block: Block, arm: Block) -> dict[Value, Value]:
    """What the phis of `block` are for the edge from `arm`."""
    values: dict[Value, Value] = {}
    for phi in block.phis():
        for index in range(0, len(phi.operands), 2):
            if phi.operands[index + 1] is arm:
                values[phi] = phi.value(index)
    return values


def _case(switch: Switch, element: Instr) -> Block:
    """The block of the case that a dispatcher has for an element."""
    assert isinstance(switch.selector, Instr) and switch.selector.type is not None and switch.default is not None
    place = elements_of(set_of(switch.selector.type)).index(element)
    for literal, case in switch.targets:
        if literal == place:
            return case.region.entry()
    return switch.default.region.entry()


def _may_be_parted(choice: If | Switch, arm: Block) -> bool:
    """Whether several values of a switch lead to an arm."""
    if isinstance(choice, If):
        return False
    labels = choice.labels()
    for case in choice.cases:
        if case.region.end() is arm:
            return case is choice.default or len(labels[case]) > 1
    return True


THREAD_DISPATCH: Final = Pass(
    "thread-dispatch",
    "move a dispatched call into the arms before it, where each type is known",
    thread_dispatch,
    needs=(STRUCTURED,),
    loses=(NO_PHIS, SWITCHES_DEFINED),
    options=(Option("limit", 32, "instructions that may be copied for a call, in all arms together"),),
)
