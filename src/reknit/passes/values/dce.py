"""Take out values that nothing uses, and what only served them.

    %x = IAdd %a, 1u : u32
    %y = IMul %x, %x : u32                              nothing uses %y: it goes, and %x with it
    %b = GroupNonUniformBallot 3u, true : ...           goes: no other lane's result depends on it
    Store %v, %x                                =>      goes, if nothing reads the variable %v
    %n = Load %v : u32
    Store %v, %n                                        reading %v only to store to it is no reading
    %z = FunctionCall @weight %a : u32                  goes, if @weight has no effect
    ControlBarrier 2u, 2u, 264u                         ControlBarrier 2u, 2u, 264u

What has an effect is live, and what control flow branches on; so is all that something live uses, and every store to a
variable of the function that something live reads, or to a private one that any function reads. The rest goes, phis
that only feed each other too. One walk marks, one removes: linear. Nothing moves, and no control flow changes, so which
invocations run together stays as it was (`analysis/effects` says why a group operation without users may go). A
volatile access stays. Debug information about a value that goes, goes with it; names and decorations are dropped on
writing.
"""

from typing import Final, final

from reknit.analysis.effects import Effects
from reknit.ir import op
from reknit.ir.block import Block
from reknit.ir.debug import is_debug
from reknit.ir.edit import unlink
from reknit.ir.function import Function
from reknit.ir.instr import Instr
from reknit.ir.jump import Branch, Exit
from reknit.ir.tree import If, Switch
from reknit.ir.value import Value
from reknit.ir.walk import blocks, nodes
from reknit.passes.contract import CONTROL_FLOW, Context, Pass
from reknit.source.meter import spend


def dce(function: Function, context: Context) -> bool:
    return _Mark(function, context.analyses.of_module(Effects)).run()


@final
class _Mark:
    """`live` values, those of them in `work` still to be followed; `stores` to each variable of the function."""

    __slots__ = ("function", "effects", "blocks", "live", "work", "stores")

    def __init__(self, function: Function, effects: Effects) -> None:
        self.function = function
        self.effects = effects
        self.blocks: list[Block] = blocks(function)
        self.live: dict[Value, None] = {}
        self.work: list[Instr] = []
        self.stores: dict[Value, list[Instr]] = {}

    def run(self) -> bool:
        self.find_roots()
        while self.work:
            spend(1)
            instr = self.work.pop()
            if instr.op == op.Variable:
                for store in self.stores.get(instr, []):
                    self.mark(store)
            self.mark_operands(instr)
        return self.sweep()

    def find_roots(self) -> None:
        for block in self.blocks:
            for instr in block:
                variable = self.effects.stored_variable(instr)
                if variable is not None:
                    self.stores.setdefault(variable, []).append(instr)
                elif self.effects.acts(instr):
                    self.mark(instr)
            jump = block.jump
            if isinstance(jump, (Exit, Branch)):
                self.mark_operands(jump.instr)
        for node in nodes(self.function):
            if isinstance(node, If):
                self.mark(node.condition)
            elif isinstance(node, Switch):
                self.mark(node.selector)

    def mark(self, value: Value) -> None:
        if isinstance(value, Instr) and value.block is not None and value not in self.live:
            self.live[value] = None
            self.work.append(value)

    def mark_operands(self, instr: Instr) -> None:
        for operand in instr.operands:
            if isinstance(operand, Value):
                self.mark(operand)

    def sweep(self) -> bool:
        dead: list[Instr] = []
        for block in self.blocks:
            for instr in block:
                if instr in self.live:
                    continue
                if is_debug(instr) and self.describes_live(instr):
                    self.live[instr] = None
                else:
                    dead.append(instr)
        for instr in dead:
            instr.drop_operands()
        for instr in dead:
            unlink(instr)
        for block in self.blocks:
            if block.leading:
                self.sweep_leading(block)
        return bool(dead)

    def sweep_leading(self, block: Block) -> None:
        kept = [line for line in block.leading if self.describes_live(line)]
        for line in [line for line in block.leading if not self.describes_live(line)]:
            line.drop_operands()
        block.leading = tuple(kept)

    def describes_live(self, debug: Instr) -> bool:
        for operand in debug.operands:
            if isinstance(operand, Instr) and operand.block is not None and operand not in self.live:
                return False
        return True


DCE: Final = Pass(
    "dce",
    "take out values that nothing uses, and what only served them",
    dce,
    keeps=(*CONTROL_FLOW, "decorations", "effects"),
)
