"""Compute the same thing once.

    %a = IAdd %x, %y : u32                       %a = IAdd %x, %y : u32
    if %c {                                      if %c {
      %b = IAdd %y, %x : u32              =>       use %a
      use %b                                     }
    }
    %p = GroupNonUniformBallot 3u, %h : vec4     %p = GroupNonUniformBallot 3u, %h : vec4
    %q = GroupNonUniformBallot 3u, %h : vec4     (nothing: %p)

One walk down the dominator tree with a table of what has been computed on the path down, undone on the path up: linear.
An operation that computes from its operands alone goes where an equal one dominates it. A load does, if nothing can
have written in between (`constant_loads`).

An operation that sees its tangle is equal to another one only while the same lanes run together. By the rules of
maximal reconvergence (SPV_KHR_maximal_reconvergence; the machine of `sim/machine.py`) only branches and switches split
a tangle, only the completion of a join unites tangles, and lanes go when they are killed, or, once they are helpers,
at any time. So the same tangle executes the whole of a block, and of a block right behind it that is reached from
it alone: a label alone is no join, since joins are the merge blocks, continue targets and headers of constructs. The
table of these operations is emptied
    - where a block begins otherwise. Two arms of an if have different lanes, so have two iterations; behind a
      loop with a divergent exit the lanes are those before it, but without the mode nothing promises that;
    - behind kill, demote, what may pack lanes anew, and a call that may reach one of these.
A barrier or a call of a function in which all return changes no tangle: those that were called return together.
What isn't an operation on values (atomics, stores, images, reads of helper state) is never merged.
"""

from typing import Final, final

from reknit.analysis.decorations import Decorations
from reknit.analysis.dominance import Dominance
from reknit.analysis.effects import Effects
from reknit.ir import enums, op, traits
from reknit.ir.block import Block
from reknit.ir.edit import erase
from reknit.ir.function import Function
from reknit.ir.instr import Instr
from reknit.ir.value import Value
from reknit.passes.contract import CONTROL_FLOW, Context, Pass
from reknit.passes.rewrite_uses import rewrite_uses
from reknit.passes.values.constant_loads import Unwritten

# Two values are the same only if they bear the same of these, and no others.
_COMPARED: Final = (
    enums.DecorationRelaxedPrecision,
    enums.DecorationNoContraction,
    enums.DecorationNonUniform,
    enums.DecorationNoSignedWrap,
    enums.DecorationNoUnsignedWrap,
)
Key = tuple[object, ...]


def cse(function: Function, context: Context) -> bool:
    return _Walk(function, context).run()


@final
class _Walk:
    """`table` holds what is computed on the path from the entry, `log` its keys in the order they came; `shared` what
    this tangle has computed; `known` what stands for what; `number` orders the operands of a sum."""

    __slots__ = (
        "dominance", "effects", "decorations", "unwritten", "table", "log", "shared", "known", "number",
    )  # fmt: skip

    def __init__(self, function: Function, context: Context) -> None:
        self.dominance = context.analyses.ask(Dominance, function)
        self.effects = context.analyses.of_module(Effects)
        self.decorations = context.analyses.of_module(Decorations)
        self.unwritten = Unwritten(context)
        self.table: dict[Key, Instr] = {}
        self.log: list[Key] = []
        self.shared: dict[Key, Instr] = {}
        self.known: dict[Value, Value] = {}
        self.number: dict[Value, int] = {}

    def run(self) -> bool:
        dominance = self.dominance
        order = dominance.order.blocks
        if not order:
            return False
        children = dominance.children()
        path: list[int] = [0]
        nexts: list[int] = [0]
        heights: list[int] = [0]
        self.through(order[0])
        while path:
            row = children[path[-1]]
            at = nexts[-1]
            if at == len(row):
                path.pop()
                nexts.pop()
                height = heights.pop()
                while len(self.log) > height:
                    del self.table[self.log.pop()]
                continue
            nexts[-1] = at + 1
            path.append(row[at])
            nexts.append(0)
            heights.append(len(self.log))
            self.through(order[row[at]])
        if not self.known:
            return False
        rewrite_uses(self.known)
        for old in self.known:
            assert isinstance(old, Instr)
            erase(old)
        return True

    def through(self, block: Block) -> None:
        if not _goes_on(block):
            self.shared.clear()
        for instr in block:
            if self.effects.may_end(instr):
                self.shared.clear()
            elif instr.op == op.Phi:
                self.look(instr, self.table, block)
            elif self.effects.computes(instr) or self.unwritten.stays_same(instr):
                self.look(instr, self.table, None)
            elif instr.op in traits.SHARES and instr.type is not None:
                self.look(instr, self.shared, None)

    def look(self, instr: Instr, table: dict[Key, Instr], home: Block | None) -> None:
        """Let an equal one stand for `instr`, or let it be found by those that come. `home`: equal only there."""
        key = self.key(instr, home)
        if key is None:
            return
        known = table.get(key)
        if known is not None:
            self.known[instr] = known
            return
        table[key] = instr
        if table is self.table:
            self.log.append(key)

    def key(self, instr: Instr, home: Block | None) -> Key | None:
        parts: list[object] = [instr.op, instr.type, home]
        for operand in instr.operands:
            parts.append(self.known.get(operand, operand) if isinstance(operand, Value) else operand)
        if instr.op in traits.COMMUTES and self.numbered(parts[3]) > self.numbered(parts[4]):
            parts[3], parts[4] = parts[4], parts[3]
        decorations = self.decorations.of(instr)
        if decorations:
            if any(decoration not in _COMPARED for decoration in decorations):
                return None
            parts.append(tuple(sorted(decorations)))
        return tuple(parts)

    def numbered(self, value: object) -> int:
        """A number for a value, by when it was first asked for."""
        assert isinstance(value, Value)
        number = self.number.get(value)
        if number is None:
            number = len(self.number)
            self.number[value] = number
        return number


def _goes_on(block: Block) -> bool:
    """True if `block` stands right behind another one that leads to it and nowhere else: the tangle of the one before.
    Its only predecessor dominates it and nothing else directly, so it is the next that the walk comes to."""
    before = block.prev
    return isinstance(before, Block) and before.jump is None


CSE: Final = Pass(
    "cse",
    "compute the same thing once",
    cse,
    keeps=(*CONTROL_FLOW, "call-graph", "tangled", "decorations", "effects"),
)
