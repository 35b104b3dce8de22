"""One function in one context, until nothing changes: block by block, each after those it comes after.

take the first waiting block ── its instructions, with what holds at its head ── its edges out ── what waits now
                                      │
                                      └─ a call: its callee's context is worked out first, and the frame waits
"""

from typing import final

from reknit.analysis.typeflow.access_paths import LOCAL, spot_of
from reknit.analysis.typeflow.branches import ways_out
from reknit.analysis.typeflow.calls import Calls, Solver, Target
from reknit.analysis.typeflow.constants import VARIES, Constant, is_number
from reknit.analysis.typeflow.context import DONE, Context, Env, info_at
from reknit.analysis.typeflow.function_facts import Queue
from reknit.analysis.typeflow.lattice import EACH_UNSET, UNSET, Forms, Info, join, write
from reknit.analysis.typeflow.transfer import hold, number_of, phi_constant, phi_info, transfer
from reknit.ir import op
from reknit.ir.block import Block
from reknit.ir.instr import Instr
from reknit.ir.jump import Exit
from reknit.ir.tree import If, Switch
from reknit.ir.value import Value
from reknit.source.meter import spend


@final
class Frame:
    """`at` is the instruction to go on with, where a call had to wait."""

    __slots__ = ("solver", "forms", "context", "calls", "facts", "queue", "block", "at", "env", "rekeyed")

    def __init__(self, solver: Solver, forms: Forms, context: Context) -> None:
        self.solver = solver
        self.forms = forms
        self.context = context
        self.calls = Calls(solver, forms, context)
        self.facts = solver.facts_of(context.function)
        self.queue = Queue()
        self.block: Block | None = None
        self.at: Instr | None = None
        self.env = Env({}, {}, {}, {})
        self.rekeyed: dict[tuple[Instr, object], list[tuple[object, ...]]] = {}
        self._enter()

    def _enter(self) -> None:
        """What the key says of parameters, and variables that nothing was put in yet."""
        context = self.context
        env = Env({}, {}, {}, {})
        for param, given in zip(context.function.params, context.key, strict=True):
            form = self.facts.roots.get(param)
            if form is not None:
                env.memory[param] = as_info(given) if given is not None else self.forms.fill(form, UNSET)
            elif self.forms.of(param.type) is not None:
                context.infos[param] = as_info(given)
            elif is_number(param.type):
                context.constants[param] = given if isinstance(given, int) else VARIES
        for root, form in self.facts.roots.items():
            if root.op == op.Variable:
                env.memory[root] = self.forms.fill(form, UNSET if root in self.facts.scattered else EACH_UNSET)
        entry = context.function.entry()
        context.envs[entry] = env
        self.queue.add(self.facts.order.number[entry])

    def advance(self) -> Context | None:
        """Work until done (None) or until another context is needed first."""
        while True:
            spend(1)
            if self.block is None:
                if not self.queue.heap:
                    return None
                block = self.facts.order.blocks[self.queue.take()]
                self.block = block
                self.env = self.context.envs[block].copy()
                self.at = block.first
            needed = self._instructions(self.block)
            if needed is not None:
                return needed
            self._leave(self.block)
            self.block = None

    def _instructions(self, block: Block) -> Context | None:
        while self.at is not None:
            instr = self.at
            if instr.op in (op.FunctionCall, op.CallDynamic):
                needed = self._call(instr)
                if needed is not None:
                    return needed
            elif instr.op == op.Phi:
                if self.forms.of(instr.type) is not None:
                    self._set(instr, phi_info(self.forms, self.context, instr, block))
                elif is_number(instr.type):
                    self._set_constant(instr, phi_constant(self.context, instr, block))
            else:
                info = transfer(self.solver, self.forms, self.context, instr, self.env)
                if info is not None:
                    self._set(instr, info)
                number = number_of(self.forms, self.context, instr, self.env)
                if number is not None:
                    self._set_constant(instr, number)
                self.env.narrow.pop(instr, None)
                if instr.op in (op.Load, op.Store):
                    hold(self.facts.held, instr, self.env)
            self.at = instr.next
        return None

    # --- results ------------------------------------------------------------------------------------------------------

    def _set(self, value: Value, info: Info) -> None:
        old = self.context.infos.get(value)
        new = join(old, info)
        if new != old or value not in self.context.infos:
            self.context.infos[value] = new
            self._wake(value)

    def _set_constant(self, value: Value, number: Constant | None) -> None:
        if number is None:
            return
        old = self.context.constants.get(value)
        new = number if old is None or old == number else VARIES
        if old is None or new != old:
            self.context.constants[value] = new
            self._wake(value)
            self._wake_holders(value)

    def _wake(self, value: Value) -> None:
        """Blocks that read a value, and were looked at already, are looked at again."""
        for user in value.users:
            block: Block | None = None
            if isinstance(user, Instr):
                block = user.block
                if user.op in (op.ExtractExistentialWitnessTable, op.ExtractExistentialValue, op.CopyObject):
                    self._wake(user)  # what is known of it is known of its operand
                elif user.op in (op.IsType, op.ExistentialHasValue, op.GetSequentialId):
                    self._wake_deciding(user)
            elif isinstance(user, (If, Switch)):
                block = user.before()
            if block is not None and block in self.context.envs and (block is not self.block or self._is_behind(user)):
                self.queue.add(self.facts.order.number[block])

    def _wake_deciding(self, test: Instr) -> None:
        """Branches by the test tell something else of what it tests now."""
        for block in self.facts.deciding(test):
            if block in self.context.envs and block is not self.block:
                self.queue.add(self.facts.order.number[block])

    def _wake_holders(self, value: Value) -> None:
        """Where a place is read that may have the value, or a struct with it."""
        kept: list[Instr] = []
        work: list[Value] = [value]
        for at in work:  # grows
            for user in at.users:
                if isinstance(user, Instr) and user.op == op.Store:
                    kept.append(user)
                elif isinstance(user, Instr) and user.op == op.CompositeConstruct:
                    work.append(user)
        if isinstance(value, Instr) and value.op == op.Load:
            kept.append(value)
        for instr in kept:
            for block in self.facts.held.get(spot_of(instr.value(0)).root, ()):
                env = self.context.envs.get(block)
                if env is not None and block is not self.block and value in env.held.values():
                    self.queue.add(self.facts.order.number[block])

    def _is_behind(self, user: Value) -> bool:
        """A phi of the block at hand has been passed; all else in it still comes."""
        return isinstance(user, Instr) and user.op == op.Phi

    # --- the end of a block -------------------------------------------------------------------------------------------

    def _leave(self, block: Block) -> None:
        jump = block.jump
        context = self.context
        if isinstance(jump, Exit):
            if jump.instr.op in (op.Return, op.ReturnValue):
                self._return(jump.instr)
            return
        for target, env in ways_out(context, self.forms, block, self.env):
            context.edges[block, target] = env
            known = context.envs.get(target)
            if known is None:
                context.envs[target] = env.copy()
                self.queue.add(self.facts.order.number[target])
                continue
            changed = self._merge(known, env)
            if changed or any(True for _ in target.phis()):
                self.queue.add(self.facts.order.number[target])

    def _merge(self, known: Env, env: Env) -> bool:
        changed = False
        for root, info in env.memory.items():
            old = known.memory.get(root)
            new = join(old, info)
            if new != old:
                known.memory[root] = new
                changed = True
        for place in [place for place, value in known.held.items() if env.held.get(place) is not value]:
            del known.held[place]
            changed = True
        for loaded in [loaded for loaded, value in known.same.items() if env.same.get(loaded) is not value]:
            del known.same[loaded]
            changed = True
        for value in list(known.narrow):
            tables = env.narrow.get(value)
            if tables is None:
                del known.narrow[value]
                changed = True
            elif tables | known.narrow[value] != known.narrow[value]:
                known.narrow[value] |= tables
                changed = True
        return changed

    def _return(self, instr: Instr) -> None:
        context = self.context
        context.returns = True
        if instr.op == op.ReturnValue:
            value = instr.value(0)
            context.result = join(context.result, info_at(context, self.forms, value, self.env))
            number = context.constant(value)
            if number is not None:
                old = context.result_constant
                context.result_constant = number if old is None or old == number else VARIES
        for index, param in enumerate(context.function.params):
            if param in self.env.memory:
                context.outs[index] = join(context.outs[index], self.env.memory[param])

    # --- calls --------------------------------------------------------------------------------------------------------

    def _call(self, instr: Instr) -> Context | None:
        """Results and effects of a call once all callees are known; a callee that isn't is given back."""
        bound: list[Value] = []
        targets = self.calls.targets(instr, bound, self.env)
        arguments = [*bound, *[instr.value(index) for index in range(1, len(instr.operands))]]
        reached: dict[object, Context] = {}
        ready: list[tuple[Target, Context | None]] = []
        for target in targets:
            key = self.calls.key(target, arguments, self.env)
            context = self.solver.context_of(target.function, self._stable(instr, target, key), instr)
            if context is not None and context.state != DONE:
                return context
            if context is not None:
                reached[target.identity] = context
            ready.append((target, context))
        self.context.calls[instr] = reached
        self._apply(instr, arguments, ready)
        return None

    def _stable(self, instr: Instr, target: Target, key: tuple[object, ...]) -> tuple[object, ...]:
        """A site whose arguments grow step by step in a loop gets one context for all they came to, not one a step."""
        seen = self.rekeyed.setdefault((instr, target.identity), [])
        if key not in seen:
            seen.append(key)
        if len(seen) <= 4:
            return key
        merged = list(seen[0])
        for other in seen[1:]:
            for index, given in enumerate(other):
                merged[index] = join_keys(merged[index], given)
        return tuple(merged)

    def _apply(self, instr: Instr, arguments: list[Value], ready: list[tuple[Target, Context | None]]) -> None:
        form = self.forms.of(instr.type)
        result: Info = None
        number: Constant | None = None
        outs: list[Info] = [None] * len(arguments)
        for argument in arguments:
            if isinstance(argument, Instr) and argument.type is not None and argument.type.op == op.TypePointer:
                spot = spot_of(argument)
                self.env.forget(spot.root, spot.path)
        for target, context in ready:
            if context is None:
                result = join(result, self.calls.plain_result(target.function, form))
                number = VARIES
                continue
            if not context.returns:
                continue
            result = join(result, self.calls.result(target.function, form, context))
            known = context.result_constant
            if known is not None:
                number = known if number is None or number == known else VARIES
            for index in range(len(arguments)):
                place = index + len(target.bound)
                outs[index] = join(outs[index], self.calls.out(target.function, place, arguments[index], context))
        if form is not None and result is not None:
            self._set(instr, result)
        if is_number(instr.type):
            self._set_constant(instr, number)
        for argument, info in zip(arguments, outs, strict=True):
            if info is not None:
                self._put(argument, info)

    def _put(self, argument: Value, info: Info) -> None:
        """What a call left in a place that it was given."""
        spot = spot_of(argument)
        form = self.forms.pointee(spot.root.type)
        if spot.kind == LOCAL and spot.root in self.env.memory:
            self.env.memory[spot.root] = write(form, self.env.memory[spot.root], spot.path, info)


def as_info(given: object) -> Info:
    return given if isinstance(given, (int, tuple)) else None


def join_keys(first: object, second: object) -> object:
    if first == second:
        return first
    if isinstance(first, (int, tuple)) and isinstance(second, (int, tuple)):
        return join(as_info(first), as_info(second))
    return None
