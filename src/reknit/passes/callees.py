"""What inlining has to know of the functions that a function calls, directly or through each other.

@main ──▶ @shade ──▶ @lum        @lum: 12 instructions, returns once, at its end
             └─────▶ @walk ─┐    @walk: stays a call, it may call itself
                       ▲────┘
"""

from typing import final

from reknit.ir import enums, op
from reknit.ir.block import Block
from reknit.ir.function import Function
from reknit.ir.jump import Exit
from reknit.ir.value import Value
from reknit.ir.walk import nodes_in
from reknit.passes.contract import Context
from reknit.passes.tidy.region_convergence import stays_together
from reknit.passes.unify_returns import fits_phi, returned
from reknit.source.meter import spend


@final
class Callee:
    """`obstacle` says why no call of the function is inlined, "" if one can be; then the rest is known.

    `size` counts its instructions. `kills`: it may end the invocation. `may_stop`: it has an OpUnreachable. `is_line`:
    it is one block that returns. `ends`: its only return is its last, and lanes that enter together and return do so
    together; then it needs no scope.
    """

    __slots__ = ("function", "obstacle", "size", "kills", "may_stop", "is_line", "ends", "calls")

    def __init__(self, function: Function) -> None:
        self.function = function
        self.obstacle = ""
        self.size = 0
        self.kills = False
        self.may_stop = False
        self.is_line = False
        self.ends = False
        self.calls: dict[Function, None] = {}


@final
class Callees:
    """The functions that inlining into one function may meet. `limit` is the size up to which they are (0: any), `only`
    the name of the one to be inlined, "" for all, `chosen` are those to be inlined, None for all. Costs their sizes, or
    the limit where one is larger."""

    __slots__ = ("context", "limit", "only", "chosen", "known")

    def __init__(
        self,
        context: Context,
        limit: int,
        only: str,
        chosen: dict[Function, None] | None,
        caller: Function,
        called: list[Function],
    ) -> None:
        self.context = context
        self.limit = limit
        self.only = only
        self.chosen = chosen
        self.known: dict[Function, Callee] = {}
        work = called[::-1]
        while work:
            spend(1)
            function = work.pop()
            if function not in self.known:
                survey = self._survey(function)
                self.known[function] = survey
                if not survey.obstacle:
                    work.extend(survey.calls)
        own = Callee(caller)
        own.calls = dict.fromkeys(called)
        self.known[caller] = own
        for function in _in_cycles(self.known):
            self.known[function].obstacle = "it may call itself"

    def _survey(self, function: Function) -> Callee:
        callee = Callee(function)
        if (self.only and function.name != self.only) or (self.chosen is not None and function not in self.chosen):
            callee.obstacle = "another one is asked for"
        elif function.is_declaration():
            callee.obstacle = "it has no body"
        elif not function.structured:
            callee.obstacle = "its control flow is not structured"
        elif function.control & enums.FunctionControlDontInline and not self.only:
            callee.obstacle = "it says DontInline"
        else:
            self._look_inside(callee)
        return callee

    def _look_inside(self, callee: Callee) -> None:
        function = callee.function
        returning: list[Block] = []
        values: dict[Value, None] = {}
        for node in nodes_in(function.body):  # no further than the limit
            if not isinstance(node, Block):
                continue
            instr = node.first
            while instr is not None:
                callee.size += 1
                if instr.op == op.FunctionCall:
                    called = instr.operands[0]
                    if isinstance(called, Function):
                        callee.calls[called] = None
                instr = instr.next
            if self.limit and callee.size > self.limit:
                callee.obstacle = f"it has more than {self.limit} instructions"
                return
            leaving = returned(node)
            if leaving is not None:
                returning.append(node)
                if leaving.operands:
                    values[leaving.value(0)] = None
            elif isinstance(node.jump, Exit):
                callee.may_stop = callee.may_stop or node.jump.instr.op == op.Unreachable
                callee.kills = callee.kills or node.jump.instr.op != op.Unreachable
        alone = len(returning) == 1 and returning[0] is function.body.last
        callee.ends = alone and stays_together(function.body)
        callee.is_line = alone and returning[0] is function.body.first
        if len(values) > 1 and not fits_phi(function.result, self.context):
            callee.obstacle = "it returns several values that fit neither in a phi nor in a variable"


def _in_cycles(known: dict[Function, Callee]) -> list[Function]:
    """The functions that call themselves through others, or stand between such. What calls none of the rest, or is
    called by none of it, is peeled off until nothing is."""
    calls: dict[Function, list[Function]] = {}
    callers: dict[Function, list[Function]] = {function: [] for function in known}
    for function, survey in known.items():
        calls[function] = [target for target in survey.calls if target in known] if not survey.obstacle else []
        for target in calls[function]:
            callers[target].append(function)
    left = dict.fromkeys(known)
    for edges, back in ((calls, callers), (callers, calls)):
        count = {function: len([target for target in edges[function] if target in left]) for function in left}
        work = [function for function in left if count[function] == 0]
        while work:
            spend(1)
            function = work.pop()
            del left[function]
            for neighbour in back[function]:
                if neighbour in left:
                    count[neighbour] -= 1
                    if count[neighbour] == 0:
                        work.append(neighbour)
    return list(left)
