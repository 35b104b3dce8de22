"""Compute what is known already.

    %a = IAdd 2u, 3u : u32                       (nothing: 5u)
    %b = IMul %a, %x : u32                       %b = IMul 5u, %x : u32
    %c = ULessThan %a, 4u : bool           =>    (nothing: false)
    if %c { A } else { B }                       if false { A } else { B }      simplify-cfg takes it from here
    %p = Phi 7u then, 7u else : u32              (nothing: 7u)

Constants of integers, booleans and vectors of them; of floats what no device rounds, unless fewer bits are promised;
identities; parts of composites; phis of one value; and a shorter way to a value that is not known (`shorter`). What is
undefined (division by zero, a shift by the width or more) stays. Each operation is looked at once, and again when a
value that reaches it through a phi became known: near linear.

A value becomes another value or a constant in the same place, so nothing moves, and no control flow changes.
An undefined value takes no other's place: each use of it may see another one.
Source: SPIR-V 1.6, 3.52; the files beside this one cite it by part.
"""

from typing import Final, final

from reknit.analysis.decorations import Decorations
from reknit.ir import enums, op, traits
from reknit.ir.capabilities import only_stored
from reknit.ir.constant_bits import bits_of, constant, scalar_of
from reknit.ir.crossing import is_relayed
from reknit.ir.edit import erase
from reknit.ir.folding import EXACT
from reknit.ir.function import Function
from reknit.ir.instr import Instr
from reknit.ir.value import Value
from reknit.ir.walk import blocks
from reknit.passes.contract import CONTROL_FLOW, Context, Pass
from reknit.passes.rewrite_uses import rewrite_uses
from reknit.passes.values import composites
from reknit.passes.values.components import fold_components
from reknit.passes.values.identities import identity
from reknit.passes.values.shorter import shorten
from reknit.source.meter import spend

# They promise or permit something about the computation, which is no longer done.
_WRAPS: Final = (enums.DecorationNoSignedWrap, enums.DecorationNoUnsignedWrap)
_HARMLESS: Final = (enums.DecorationRelaxedPrecision, enums.DecorationNoContraction, *_WRAPS)
_UNDEFINED: Final = (op.Undef, op.PoisonKHR)


def fold(function: Function, context: Context) -> bool:
    return _Fold(function, context).run()


@final
class _Fold:
    """`known` maps what is folded to what takes its place; `seen` is what was looked at; `shortened` says whether an
    operation has other operands now."""

    __slots__ = ("function", "module", "decorations", "known", "seen", "again", "shortened")

    def __init__(self, function: Function, context: Context) -> None:
        self.function = function
        self.module = context.module
        self.decorations = context.analyses.of_module(Decorations)
        self.known: dict[Value, Value] = {}
        self.seen: dict[Value, None] = {}
        self.again: list[Instr] = []
        self.shortened = False

    def run(self) -> bool:
        for block in blocks(self.function):
            for instr in block:
                self.look(instr)
                self.seen[instr] = None
        while self.again:
            self.look(self.again.pop())
        if not self.known:
            return self.shortened
        rewrite_uses({old: self.now(old) for old in self.known})
        for old in self.known:
            assert isinstance(old, Instr)
            erase(old)
        return True

    def look(self, instr: Instr) -> None:
        """Fold `instr`, if it can be, and look again at its users."""
        if instr.type is None or instr in self.known or only_stored(self.module, instr.type):
            return
        value = self.simpler(instr)
        while value is None and self.may_shorten(instr) and shorten(instr, self.now, self.module):
            self.shortened = True
            value = self.simpler(instr)
        if value is None:
            return
        value = self.now(value)
        if value is instr or not isinstance(value, Instr) or value.op in _UNDEFINED:
            return
        if not self.may_replace(instr, value):
            return
        self.known[instr] = value
        work: list[Value] = [instr]
        passed: dict[Value, None] = {}
        while work:
            spend(1)
            for user in work.pop().users:
                if user in self.known:
                    if user not in passed:  # it stands for something that others see through it
                        passed[user] = None
                        work.append(user)
                elif user in self.seen and isinstance(user, Instr):
                    self.again.append(user)

    def now(self, value: Value) -> Value:
        """What stands for `value`, with shorter paths for the next query."""
        passed: list[Value] = []
        known = self.known.get(value)
        while known is not None:
            passed.append(value)
            value = known
            known = self.known.get(value)
        for old in passed:
            self.known[old] = value
        return value

    def may_replace(self, instr: Instr, value: Instr) -> bool:
        """A decoration that a constant needn't bear may go with the operation, another value would have to bear it."""
        for decoration in self.decorations.of(instr):
            is_constant = value.block is None and value.op != op.FunctionParameter
            if decoration in _HARMLESS or (is_constant and decoration == enums.DecorationNonUniform):
                continue
            return False
        return True

    def may_shorten(self, instr: Instr) -> bool:
        """A sum that promises not to wrap promises it of its own operands."""
        return not any(decoration in _WRAPS for decoration in self.decorations.of(instr))

    def simpler(self, instr: Instr) -> Value | None:
        type = instr.type
        assert type is not None
        code = instr.op
        if code == op.Phi:
            return self.one_value(instr)
        if code == op.CompositeExtract:
            path = [instr.word(index) for index in range(1, len(instr.operands))]
            return composites.extract(self.now(instr.value(0)), path, self.module)
        if code == op.VectorShuffle:
            picks = [instr.word(index) for index in range(2, len(instr.operands))]
            return composites.shuffle(type, self.now(instr.value(0)), self.now(instr.value(1)), picks, self.module)
        if code == op.CompositeInsert:
            path = [instr.word(index) for index in range(2, len(instr.operands))]
            return composites.insert(self.now(instr.value(0)), self.now(instr.value(1)), path, self.module)
        operands: list[Value] = []
        for operand in instr.operands:
            if not isinstance(operand, Value):
                return None
            operands.append(self.now(operand))
        if code == op.CompositeConstruct:
            return composites.construct(type, operands, self.module)
        if not operands or (traits.FOLDS.get(code) == EXACT and self.is_relaxed(instr, operands[0])):
            return None
        if code == op.VectorExtractDynamic:
            return composites.dynamic(type, operands[0], operands[1], self.module)
        computed = self.computed(code, type, operands)
        return computed if computed is not None else identity(code, type, operands, self.module)

    def is_relaxed(self, instr: Instr, operand: Value) -> bool:
        """Whether fewer bits of a float are promised, of it or of what it negates again."""
        inner = operand if isinstance(operand, Instr) and operand.op == instr.op else instr
        return any(enums.DecorationRelaxedPrecision in self.decorations.of(each) for each in (instr, inner))

    def computed(self, code: int, type: Instr, operands: list[Value]) -> Value | None:
        """The constant that an operation on constants gives."""
        types: list[Instr] = []
        columns: list[list[int]] = []
        for operand in operands:
            bits = bits_of(operand)
            if bits is None:
                return None
            assert isinstance(operand, Instr) and operand.type is not None
            types.append(operand.type)
            columns.append(bits)
        if scalar_of(type) is None:
            return None
        result = fold_components(code, type, types, columns)
        return None if result is None else constant(self.module, type, result)

    def one_value(self, phi: Instr) -> Value | None:
        """What comes into a phi on all edges, if that is one value: it dominates all incoming edges, and so the phi. A
        phi that relays another one stays."""
        single: Value | None = None
        for index in range(0, len(phi.operands), 2):
            value = self.now(phi.value(index))
            if value is phi:
                continue
            if single is not None and value is not single:
                return None
            single = value
        return None if single is None or is_relayed(single) else single


FOLD: Final = Pass(
    "fold",
    "compute what is known already",
    fold,
    keeps=(*CONTROL_FLOW, "call-graph", "tangled", "decorations", "effects"),
)
