"""Calls of structured functions become their bodies.

    func @f(%n: u32) -> u32 {                       scope @s {
      if %c { return 1u }                             if %c { break @s }
      %x = IAdd %n, 1u : u32                          %x = IAdd %a, 1u : u32
      return %x                                =>   b2:
    }                                               }
    %r = FunctionCall @f, %a : u32                  %r = Phi 1u b1, %x b2 : u32

No tangle changes. A call pushes a frame for those that make it, whose target is the place behind it; a return escapes
all frames above that and arrives there. The scope's join is the same frame, and `break` does what the return did. A
function that returns at its end alone, where all invocations that are left come together, needs no scope: its frame
waits for none. What ends the invocation escapes all frames, wherever it stands.

A variable of the callee is one of the caller then, and what it is initialised with is stored where the call was: each
call starts with it anew. Without it the value is undefined at each call, so that of the last one will do. Debug
information that tells which function code is in is left out; lines stay.

With `needed` a function is come to if the module names it, or if one that was come to before still calls it. The others
are those that `drop-functions` removes: their calls needn't become bodies first.

All of a loop's continuing part leads to the back edge: an OpUnreachable becomes a return of an undefined value there,
and a call of what may kill stays. A call also stays (RK2401) where the callee is unstructured, may call itself or says
DontInline. Source: specification of tangles, rule 9; SPIR-V 1.6, 2.11.
"""

from collections.abc import Iterator
from typing import Final, final

from reknit.ir import enums, op
from reknit.ir.block import Block
from reknit.ir.clone import Copier, annotations_of
from reknit.ir.constants import undef
from reknit.ir.debug import is_debug
from reknit.ir.edit import (
    erase,
    insert_after_phis,
    insert_before,
    insert_node_after,
    insert_node_before,
    prepend,
    replace_uses,
    set_jump,
    split_after,
    unlink,
    unlink_node,
)
from reknit.ir.function import Function
from reknit.ir.instr import Instr
from reknit.ir.jump import Exit
from reknit.ir.jumps import check_after_back_edge
from reknit.ir.module import Module
from reknit.ir.phis import complete_phis
from reknit.ir.stitch import can_join, join
from reknit.ir.tree import Scope
from reknit.ir.value import Node, Value
from reknit.ir.walk import nodes, nodes_in
from reknit.passes.callees import Callee, Callees
from reknit.passes.continuing import Continuing
from reknit.passes.contract import (
    NO_CONTINUES,
    NO_CRITICAL_EDGES,
    NO_PHIS,
    SINGLE_LEVEL,
    STRUCTURED,
    SWITCHES_DEFINED,
    Context,
    Option,
    OptionValue,
    Pass,
)
from reknit.passes.drop_functions import named_by_module, named_in
from reknit.passes.unify_returns import fits_phi, leave_by, returned
from reknit.source.diagnostic import EditRefused

MAX_INSTRUCTIONS: Final = 2_000_000  # instructions that a function may get: calls that double can make any number

_OF_MEMORY: Final = (enums.DecorationVolatile, enums.DecorationCoherent)  # how what a pointer points to is accessed


def inline(function: Function, context: Context) -> bool:
    """Inline the calls in `function`, and those in what comes in by that. Costs what it is afterwards."""
    limit = context.options["limit"]
    assert isinstance(limit, int)
    return _inline(function, context, limit, str(context.options["only"]), None)


def inline_chosen(function: Function, context: Context, chosen: dict[Function, None]) -> bool:
    """As `inline`, for the calls of `chosen`, and with no word on those that stay."""
    return _inline(function, context, 0, "", chosen)


def _inline(function: Function, context: Context, limit: int, only: str, chosen: dict[Function, None] | None) -> bool:
    calls: list[Site] = []
    for node in nodes(function):
        if isinstance(node, Block):
            calls.extend(_calls_in(node))
    called: dict[Function, None] = {}
    for site in calls:
        called[site.callee()] = None
    if not called:
        return False
    callees = Callees(context, limit, only, chosen, function, list(called))
    return _Inlining(function, context, callees).run(calls)


@final
class Site:
    """A call, and the debug line that holds there."""

    __slots__ = ("call", "line")

    def __init__(self, call: Instr, line: Instr | None) -> None:
        self.call = call
        self.line = line

    def callee(self) -> Function:
        callee = self.call.operands[0]
        assert isinstance(callee, Function)
        return callee


def _calls_in(block: Block) -> list[Site]:
    sites: list[Site] = []
    line: Instr | None = None
    instr = block.first
    while instr is not None:
        if instr.op == op.Line or instr.op == op.NoLine:
            line = instr if instr.op == op.Line else None
        elif instr.op == op.FunctionCall:
            sites.append(Site(instr, line))
        instr = instr.next
    return sites


@final
class _Inlining:
    __slots__ = ("function", "module", "context", "callees", "decorations", "size", "reported", "continuing")

    def __init__(self, function: Function, context: Context, callees: Callees) -> None:
        self.function = function
        self.module = context.module
        self.context = context
        self.callees = callees
        self.decorations = annotations_of(context.module)
        self.size = 0
        self.reported: dict[str, None] = {}
        self.continuing = Continuing()

    def run(self, calls: list[Site]) -> bool:
        """The last call first, so that a block is split from its end; then those that came in, in the same order."""
        changed = False
        while calls:
            incoming: list[list[Site]] = []
            for site in reversed(calls):
                callee = self.callees.known[site.callee()]
                reason = callee.obstacle or self.obstacle(site.call, callee)
                if reason:
                    self.stays(site.call, callee, reason)
                    continue
                changed = True
                self.size += callee.size
                incoming.append(self.line(site, callee) if callee.is_line else self.body(site, callee))
            calls = [site for sites in reversed(incoming) for site in sites]
        return changed

    def stays(self, call: Instr, callee: Callee, reason: str) -> None:
        """Report it once, if this one was asked for."""
        if self.callees.chosen is not None or self.callees.only and callee.function.name != self.callees.only:
            return
        message = f"calls of @{callee.function.name} in @{self.function.name} stay: {reason}"
        if message not in self.reported:
            self.reported[message] = None
            self.context.note("RK2401", message, at=call)

    def obstacle(self, call: Instr, callee: Callee) -> str:
        """What keeps this call from being inlined."""
        block = call.block
        assert block is not None and block.region is not None
        if self.size + callee.size > MAX_INSTRUCTIONS:
            return f"the function would have more than {MAX_INSTRUCTIONS} instructions"
        if callee.kills and self.continuing.has(block.region):
            return "it may end the invocation, which the continuing part of a loop can't"
        if callee.may_stop and self.continuing.has(block.region) and not fits_phi(callee.function.result, self.context):
            return "it has an OpUnreachable, which the continuing part of a loop can't, and its result fits in no phi"
        if not callee.is_line:
            try:
                check_after_back_edge(block)
            except EditRefused:
                return "nothing stands behind a loop's conditional back edge"
        for index, param in enumerate(callee.function.params):
            given = [instr.operands[1] for instr in self.decorations.get(call.value(index + 1), ())]
            for decoration in self.decorations.get(param, ()):
                if decoration.operands[1] in _OF_MEMORY and decoration.operands[1] not in given:
                    return "a parameter is volatile or coherent, and what is given for it is not"
        return ""

    def copier(self, site: Site, callee: Callee) -> Copier:
        given: dict[Value, Value] = {}
        for index, param in enumerate(callee.function.params):
            given[param] = site.call.value(index + 1)
        return Copier(self.module, given)

    def line(self, site: Site, callee: Callee) -> list[Site]:
        """A callee of one block: its instructions take the place of the call."""
        call = site.call
        copier = self.copier(site, callee)
        for instr in callee.function.body.entry():
            insert_before(call, copier.instr(instr))
        copier.finish(self.decorations)
        leaving = returned(callee.function.body.entry())
        assert leaving is not None
        if _has_lines(callee.function.body.entry()):
            insert_before(call, _line_again(site.line))
        self.result(call, copier.of(leaving.value(0)) if leaving.operands else None)
        return self.settle(copier, site)

    def body(self, site: Site, callee: Callee) -> list[Site]:
        """The nodes of the callee between what was before the call and what was after it, in a scope if need be."""
        call = site.call
        before = call.block
        assert before is not None
        after = split_after(before, call.prev)
        copier = self.copier(site, callee)
        scope = Scope()
        copier.region(callee.function.body, scope.body)
        copier.finish(self.decorations)
        assert before.region is not None
        ends = callee.ends
        if callee.may_stop and self.continuing.has(before.region):
            self.go_on(scope, call)
            ends = False
        returning = [node for node in nodes_in(scope.body) if isinstance(node, Block) and returned(node) is not None]
        end = scope.body.end()
        type = call.type
        assert type is not None
        if ends:
            value = leave_by(returning, scope, end, after, type)
        else:
            insert_node_after(before, scope)
            value = leave_by(returning, scope, end, after, type)
            if end.jump is None:
                complete_phis(self.module, after, end)
        if isinstance(value, Instr) and value.op == op.Phi and value.block is after:
            operands = list(value.operands)
            erase(value)
            unlink(call)
            call.op = op.Phi
            call.set_operands(operands)
            prepend(after, call)
        else:
            self.result(call, value)
        if site.line is not None or (ends and _has_lines(end)):
            insert_after_phis(after, _line_again(site.line))
        settled = self.settle(copier, site)
        if ends:
            self.unwrap(scope, before, after)
        return settled

    def go_on(self, scope: Scope, call: Instr) -> None:
        """Return instead of OpUnreachable, which can't be written in a continuing part, be it reached or not."""
        type = call.type
        assert type is not None
        for node in nodes_in(scope.body):
            if isinstance(node, Block) and isinstance(node.jump, Exit) and node.jump.instr.op == op.Unreachable:
                if type.op == op.TypeVoid:
                    leaving = Instr(op.Return, None, [], "", False)
                else:
                    leaving = Instr(op.ReturnValue, None, [undef(self.module, type)], "", False)
                set_jump(node, Exit(leaving))

    def unwrap(self, scope: Scope, before: Block, after: Block) -> None:
        """Put what is in `scope`, which stands nowhere, between two blocks, and make one block of what can be one."""
        last = scope.body.end()
        inside: list[Node] = list(scope.body)
        for node in inside:
            unlink_node(node)
            insert_node_before(after, node)
        if can_join(last):
            join(last)
        if can_join(before):
            join(before)

    def result(self, call: Instr, value: Value | None) -> None:
        """The call gave `value` (None: it gives nothing, or never comes back) and goes."""
        type = call.type
        assert type is not None
        if type.op != op.TypeVoid:
            given = value if value is not None else undef(self.module, type)
            if self.decorations.get(call):
                call.op = op.CopyObject  # it may say more of the value than the value's own decorations
                call.set_operands([given])
                return
            replace_uses(call, given)
        erase(call)

    def settle(self, copier: Copier, site: Site) -> list[Site]:
        """Variables to the start of the caller, debug information of the callee away; gives the calls that came in."""
        variables: list[Instr] = []
        calls: list[Site] = []
        line = site.line
        home: Block | None = None
        for _, new in copier.instrs:
            if new.block is None:
                continue  # in front of a block's label
            if new.block is not home and copier.blocks:
                home = new.block
                line = None
            if new.op == op.Variable:
                variables.append(new)
            elif new.op == op.Line or new.op == op.NoLine:
                line = new if new.op == op.Line else None
            elif new.op == op.FunctionCall:
                calls.append(Site(new, line))
            elif is_debug(new) and not new.is_used():
                erase(new)
        for variable in variables:
            if len(variable.operands) > 1:
                insert_before(variable, Instr(op.Store, None, [variable, variable.operands[1]], "", False))
                variable.set_operands([variable.operands[0]])
            unlink(variable)
        variables.reverse()
        for variable in variables:
            prepend(self.function.entry(), variable)
        return calls


def _has_lines(block: Block) -> bool:
    return any(instr.op == op.Line for instr in block)


def _line_again(line: Instr | None) -> Instr:
    """What makes the lines after inlined code right again."""
    if line is None:
        return Instr(op.NoLine, None, [], "", False)
    return Instr(op.Line, None, list(line.operands), "", False)


def _order(module: Module, options: dict[str, OptionValue]) -> Iterator[Function]:
    named = named_by_module(module)
    if not options["needed"] or not named:
        yield from list(module.functions)
        return
    waiting = list(named)
    for function in waiting:
        yield function
        for other in named_in(function):
            if other not in named:
                named[other] = None
                waiting.append(other)


INLINE: Final = Pass(
    "inline",
    "put the bodies of functions where they are called",
    inline,
    needs=(STRUCTURED,),
    loses=(NO_PHIS, NO_CONTINUES, SWITCHES_DEFINED, SINGLE_LEVEL, NO_CRITICAL_EDGES),
    options=(
        Option("limit", 0, "the number of instructions up to which a function is inlined; 0: however large"),
        Option("only", "", "the name of the one function to be inlined, even if it says DontInline"),
        Option("needed", False, "whether functions that no entry point, export or call leads to are left as they are"),
    ),
    order=_order,
)
