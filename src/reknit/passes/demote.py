"""Values that no longer dominate their uses go through variables, or are computed again at the use.

    if a { %x = ... }                     if a { %x = ...; Store %v %x }
    use %x                          =>    %y = Load %v; use %y

    if a { %p = AccessChain %buf %i }     if a { ... }
    Load %p                         =>    %q = AccessChain %buf %i; Load %q     (a pointer can't be put in a variable)

A pass that gives control a new path around a definition moves code first and calls `repair_dominance` after; it asks
`undemotable` before, for what can be neither stored nor computed again. Reading the variable gives the value of the
last execution of the definition, which is the one the use meant: every path to the use passed through it. A pointer or
handle that is computed again is pure, and its operands are repaired in turn.
Source: SPIR-V 1.6, 2.16.1 (a definition dominates its uses) and 2.16.2 (what logical addressing lets a variable hold).
"""

from collections.abc import Iterator
from typing import Final, final

from reknit.analysis.dominance import Dominance
from reknit.ir import enums, op, traits
from reknit.ir.block import Block
from reknit.ir.cfg import predecessors
from reknit.ir.crossing import is_crossing
from reknit.ir.edit import append, insert_after, insert_after_phis, insert_before, prepend
from reknit.ir.function import Function
from reknit.ir.instr import Instr, Operand
from reknit.ir.module import annotation
from reknit.ir.selections import code_of_edge
from reknit.ir.tree import If, Switch
from reknit.ir.value import Value
from reknit.ir.walk import blocks
from reknit.passes.contract import Context
from reknit.passes.rewrite_uses import replace_use
from reknit.passes.storable import unstorable_part
from reknit.passes.variables import local_variable
from reknit.source.diagnostic import InternalError
from reknit.source.meter import spend

_POINTERS: Final = frozenset((op.TypePointer, op.TypeUntypedPointerKHR))
_KEPT_DECORATIONS: Final = frozenset((enums.DecorationNonUniform, enums.DecorationRelaxedPrecision))


def undemotable(value: Instr, context: Context) -> bool:
    """True if `value` can be used only where its definition dominates: neither stored nor computed again."""
    seen: dict[Instr, None] = {value: None}
    work = [value]
    while work:
        spend(1)
        current = work.pop()
        if _fits(current, context):
            continue
        if not _is_pure(current):
            return True
        for operand in current.operands:
            if not isinstance(operand, Instr) or operand.block is None or operand.op == op.Variable:
                continue  # what is defined in the first block or at module level is there for all
            if operand not in seen:
                seen[operand] = None
                work.append(operand)
    return False


def _is_pure(value: Instr) -> bool:
    """Whether computing `value` again gives the same: a pointer or handle, made from others or read from a binding."""
    if value.type is None or (value.type.op not in traits.HANDLE and value.type.op not in _POINTERS):
        return False
    return value.op in traits.DERIVES or (value.op == op.Load and value.type.op in traits.HANDLE)


def _fits(value: Instr, context: Context) -> bool:
    return value.type is not None and unstorable_part(value.type, context) is None


def repair_dominance(function: Function, context: Context) -> bool:
    """Make every definition dominate its uses again; says whether anything had to be done. Near linear.

    The analyses must know of the edits made so far (`Analyses.changed`).
    """
    repair = _Repair(function, context)
    repair.run()
    return repair.changed


@final
class _Repair:
    """One run over one function: a work list of uses that are not dominated."""

    __slots__ = ("function", "context", "dominance", "slots", "decorations", "changed", "position")

    def __init__(self, function: Function, context: Context) -> None:
        self.function = function
        self.context = context
        self.dominance = context.analyses.ask(Dominance, function)
        self.slots: dict[Instr, Instr] = {}
        self.decorations: dict[Value, list[Instr]] | None = None
        self.changed = False
        self.position: dict[Value, int] = {}  # of an instruction in its block; a stand-in has that of its user

    def run(self) -> None:
        work: list[tuple[Instr, Value, int]] = []
        listed = blocks(self.function)
        for block in listed:
            number = 0
            instr = block.first
            while instr is not None:
                self.position[instr] = number
                number += 1
                instr = instr.next
        for block in listed:
            instr = block.first
            while instr is not None:
                if instr.is_used() and not self._is_before_all(instr, block):
                    for user in instr.users:
                        for index, place in _uses(instr, user):
                            if not self._reaches(instr, block, user, place):
                                work.append((instr, user, index))
                instr = instr.next
        work.reverse()
        while work:
            spend(1)
            value, user, index = work.pop()
            self.changed = True
            stand_ins: list[Instr] = []
            if isinstance(user, Instr) and user.op == op.Phi:
                source = user.operands[index + 1]
                assert isinstance(source, Block)
                replace_use(user, index, self._on_edges(value, source, stand_ins))
            else:
                stand_in = self._stand_in(value)
                stand_ins.append(stand_in)
                _place(stand_in, user)
                replace_use(user, index, stand_in)
                if user in self.position:
                    self.position[stand_in] = self.position[user]
            for stand_in in stand_ins:
                home = stand_in.block
                assert home is not None
                for at, operand in enumerate(stand_in.operands):
                    if (
                        isinstance(operand, Instr)
                        and operand.block is not None
                        and not self._reaches(operand, operand.block, stand_in, home)
                    ):
                        work.append((operand, stand_in, at))

    def _is_before_all(self, value: Instr, block: Block) -> bool:
        """Whether all that uses `value` is in its block, after it, as of most values."""
        position = self.position[value]
        for user in value.use_list():
            if not isinstance(user, Instr) or user.block is not block or user.op == op.Phi:
                return False
            if self.position.get(user, position) <= position:
                return False
        return True

    def _reaches(self, value: Instr, block: Block, user: Value, place: Block) -> bool:
        """Whether `value`, defined in `block`, is there for `user`, which wants it in `place`."""
        if block is place and isinstance(user, Instr) and user.op != op.Phi and user in self.position:
            return value not in self.position or self.position[value] < self.position[user]
        return self.dominance.dominates(block, place)

    def _on_edges(self, value: Instr, source: Block, stand_ins: list[Instr]) -> Instr:
        """What gives `value` to a phi from `source`; where edges only cross, phis that relay what stands in for it on
        each of them."""
        relays: dict[Block, Instr] = {}
        given: dict[Block, Instr] = {}
        work = [source]
        while work:
            spend(1)
            block = work.pop()
            if block in given:
                continue
            if is_crossing(block):
                given[block] = relays[block] = Instr(op.Phi, value.type, [], value.name)
                work.extend(reversed(predecessors(block)))
            else:
                given[block] = self._stand_in(value)
                stand_ins.append(append(code_of_edge(block), given[block]))
        for block, relay in relays.items():
            pairs: list[Operand] = []
            for before in predecessors(block):
                pairs.append(given[before])
                pairs.append(before)
            relay.set_operands(pairs)
        for block, relay in relays.items():
            prepend(block, relay)
        return given[source]

    def _stand_in(self, value: Instr) -> Instr:
        """A new instruction that gives what `value` gave, wherever it is put."""
        if _fits(value, self.context):
            slot = self.slots.get(value)
            if slot is None:
                assert value.type is not None
                slot = local_variable(self.function, self.context.module, value.type, value.name)
                self.slots[value] = slot
                store = Instr(op.Store, None, [slot, value], "", False)
                if value.op == op.Phi:
                    assert value.block is not None
                    insert_after_phis(value.block, store)
                else:
                    insert_after(value, store)
            new = Instr(op.Load, value.type, [slot], value.name)
            self._decorate(value, new, False)
        elif _is_pure(value):
            new = Instr(value.op, value.type, list(value.operands), value.name)
            self._decorate(value, new, True)
        else:
            raise InternalError(f"%{value.name or value.id} doesn't dominate its uses any more and fits in no variable")
        return new

    def _decorate(self, old: Instr, new: Instr, everything: bool) -> None:
        """Give `new` the decorations of `old`: all of them, or those that say how a value may be used."""
        if self.decorations is None:
            self.decorations = {}
            for decoration in self.context.module.decorations:
                if decoration.op == op.Decorate:
                    self.decorations.setdefault(decoration.value(0), []).append(decoration)
        for decoration in self.decorations.get(old, ()):
            if everything or decoration.word(1) in _KEPT_DECORATIONS:
                self.context.module.decorations.append(annotation(op.Decorate, [new, *decoration.operands[1:]]))


def _uses(value: Instr, user: Value) -> Iterator[tuple[int, Block]]:
    """Where `user` uses `value`: operand index (-1: what a construct branches on), and the block to be dominated."""
    if isinstance(user, (If, Switch)):
        yield -1, user.before()
    elif isinstance(user, Instr) and user.block is not None:
        for index, operand in enumerate(user.operands):
            if operand is value:
                if user.op == op.Phi:
                    source = user.operands[index + 1]
                    assert isinstance(source, Block)
                    yield index, source
                else:
                    yield index, user.block


def _place(new: Instr, user: Value) -> None:
    """Put `new` where `user`, which is no phi, reads its operands."""
    if isinstance(user, (If, Switch)):
        append(user.before(), new)
        return
    assert isinstance(user, Instr) and user.block is not None
    if user.prev is None and user.block.first is not user:  # a terminator, which its jump carries
        append(user.block, new)
    else:
        insert_before(user, new)
