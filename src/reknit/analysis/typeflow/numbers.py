"""What is known of numbers on one path through a function.

    have = false; if c { have = true }      two states: { c: 1, have: 1 }  { c: 0, have: 0 }
    %1 = Load %n; if %1 == 3 { .. }         { n: %1 }, in the arm { n: 3, %1: 3 }, else { n: %1, (%1 == 3): 0 }

A state has, by value, by place and by expression, a number, the value that it is the same as, or an expression of
such. A value that a state says nothing of stands for itself: whatever it is, it is that until it is worked out anew.
"""

from typing import Final, final

from reknit.analysis.typeflow.constants import COPIES, VARIES, Constant, fold, is_folded, is_number
from reknit.analysis.typeflow.context import Context
from reknit.ir import integers, op, traits
from reknit.ir.instr import Instr
from reknit.ir.types import width_of
from reknit.ir.value import Value
from reknit.source.meter import spend

State = dict[object, object]

MAX_NESTED: Final = 6
"""How deep instructions are looked through for an expression."""

MAX_PARTS: Final = 16
"""How many values and operations an expression may have."""

_UNDEFINED: Final = (op.Undef, op.PoisonKHR)  # another value at each use

PARTS: Final = 3  # where the operands of an expression begin: (opcode, type, type of the first operand, operands ...)


@final
class Numbers:
    """`opaque` are the values that may stand for themselves, `samples` an instruction for each expression."""

    __slots__ = ("context", "opaque", "samples")

    def __init__(self, context: Context, opaque: dict[Value, None]) -> None:
        self.context = context
        self.opaque = opaque
        self.samples: dict[object, Instr] = {}

    def of(self, value: Value, state: State, depth: int = MAX_NESTED) -> object:
        """A number, a value, an expression; None for what nothing is known of, not even that it is the same later."""
        known = self.context.constant(value)
        if isinstance(known, int):
            return known
        if not isinstance(value, Instr) or not is_number(value.type):
            return None
        if value in state:
            return self.resolve(state[value], state)
        itself = value if value in self.opaque and value.op not in _UNDEFINED else None
        if not is_folded(value):
            return itself
        if depth == 0:
            return None
        parts = [self.of(value.value(index), state, depth - 1) for index in range(len(value.operands))]
        if not is_expression(value) and not all(isinstance(part, int) for part in parts):
            return itself
        return self.resolve(self.build(value.op, value, parts), state)

    def resolve(self, known: object, state: State) -> object:
        """The same with what the state tells now. Costs the parts of an expression."""
        if known in state and known is not None:
            inner = state[known]
            return inner if isinstance(inner, int) else self.resolve(inner, state)
        if not isinstance(known, tuple):
            return known
        old = list(known[PARTS:])
        parts = [self.resolve(part, state) for part in old]
        if parts == old:
            return known
        resolved = self.build(known[0], self.samples.get(known), parts)
        return state.get(resolved, resolved)

    def build(self, code: int, sample: Instr | None, parts: list[object]) -> object:
        """An operation, simplified: of comparisons for equality and of `not` one form is left."""
        if code in COPIES:
            return parts[0]
        if code == op.LogicalNot:
            return negated(parts[0])
        if code in (op.INotEqual, op.LogicalNotEqual):
            return negated(_equal(parts[0], parts[1], code == op.LogicalNotEqual))
        if code in (op.IEqual, op.LogicalEqual):
            return _equal(parts[0], parts[1], code == op.LogicalEqual or _is_condition(parts[0]))
        if code in traits.RELATION and sample is not None:
            return self._less(code, sample, parts)
        if sample is not None:
            given: list[Constant] = [part if isinstance(part, int) else VARIES for part in parts]
            number = fold(sample, given)
            if isinstance(number, int):
                return number
        if code == op.Select and isinstance(parts[0], int):
            return parts[1] if parts[0] else parts[2]
        if code in (op.LogicalAnd, op.LogicalOr):
            neutral = 1 if code == op.LogicalAnd else 0
            if parts[0] == neutral or parts[0] == parts[1]:
                return parts[1]
            if parts[1] == neutral:
                return parts[0]
        if sample is None or None in parts:
            return None
        first = sample.operands[0]
        expression = (code, sample.type, first.type if isinstance(first, Instr) else None, *parts)
        if parts_of(expression) > MAX_PARTS:
            return None
        self.samples[expression] = sample
        return expression

    def _less(self, code: int, sample: Instr, parts: list[object]) -> object:
        """`b > a` is `a < b`, and `b <= a` is not `a < b`."""
        by_sign = code in traits.SIGNED_COMPARE
        relation = traits.RELATION[code]
        first, second = (parts[1], parts[0]) if relation in (">", "<=") else (parts[0], parts[1])
        type = sample.instr(0).type
        if first is None or second is None or type is None or type.op != op.TypeInt:
            return None
        less: object = (op.SLessThan if by_sign else op.ULessThan, None, type, first, second)
        if isinstance(first, int) and isinstance(second, int):
            less = integers.compare(op.SLessThan if by_sign else op.ULessThan, width_of(type), first, second)
        elif first == second:
            less = 0
        elif parts_of(less) > MAX_PARTS:
            return None
        else:
            self.samples[less] = sample
        return negated(less) if relation in ("<=", ">=") else less

    # --- what a branch tells ------------------------------------------------------------------------------------------

    def narrow(self, known: object, truth: int, state: State) -> bool:
        """Note that a condition is 1 or 0; False if it can't be."""
        work = [(known, truth)]
        while work:
            spend(1)
            before, wanted = work.pop()
            at = self.resolve(before, state)
            if isinstance(at, int):
                if at != wanted:
                    return False
            elif isinstance(at, tuple) and at[0] == op.LogicalNot:
                work.append((at[PARTS], 1 - wanted))
            elif isinstance(at, tuple) and at[0] == (op.LogicalAnd if wanted else op.LogicalOr):
                work.extend([(at[PARTS], wanted), (at[PARTS + 1], wanted)])
            elif isinstance(at, tuple) and at[0] == op.IEqual and wanted and isinstance(at[PARTS + 1], int):
                bind(state, at[PARTS], at[PARTS + 1])
            elif at is not None:
                bind(state, at, wanted)
        return True

    def choose(self, selector: Value, labels: list[int], others: list[int] | None, state: State) -> bool:
        """Note that a selector is one of `labels`, or none of `others` where that is the default; False if it can't be
        so."""
        type = selector.type if isinstance(selector, Instr) else None
        if type is None or type.op != op.TypeInt:
            return True
        known = self.of(selector, state)
        here = [_equal(known, label, False) for label in labels]
        rest = [_equal(known, label, False) for label in others or []]
        if others is not None:
            return all(self.narrow(equal, 0, state) for equal in rest[:MAX_PARTS])
        if len(here) == 1:
            return self.narrow(here[0], 1, state)
        return any(self.resolve(equal, state) != 0 for equal in here)


def is_expression(value: Instr) -> bool:
    """Whether two of it are the same where their operands are. What may be undefined is another value each time."""
    return is_folded(value) and (value.op in COPIES or value.op in traits.SPECULATABLE)


def _is_condition(known: object) -> bool:
    """Whether it is a bool: a comparison of two is one more, and of one with a constant is that, or its opposite."""
    return isinstance(known, Instr) and known.type is not None and known.type.op == op.TypeBool


def _equal(first: object, second: object, bools: bool) -> object:
    if isinstance(first, int):
        first, second = second, first
    if first is None or second is None:
        return None
    if isinstance(first, int) and isinstance(second, int):
        return int(first == second)
    if first == second:
        return 1
    if bools and isinstance(second, int):
        return first if second else negated(first)
    expression = (op.IEqual, None, None, first, second)
    return expression if parts_of(expression) <= MAX_PARTS else None


def negated(known: object) -> object:
    if isinstance(known, int):
        return 1 - known
    if isinstance(known, tuple) and known[0] == op.LogicalNot:
        inner: object = known[PARTS]
        return inner
    return (op.LogicalNot, None, None, known) if known is not None else None


def parts_of(known: object) -> int:
    """How large an expression is. They are small."""
    return 1 + sum([parts_of(part) for part in known[PARTS:]]) if isinstance(known, tuple) else 1


def atoms(known: object) -> list[Instr]:
    """The values in an expression."""
    instrs: list[Instr] = []
    work = [known]
    while work:
        spend(1)
        at = work.pop()
        if isinstance(at, tuple):
            work.extend(at[PARTS:])
        elif isinstance(at, Instr):
            instrs.append(at)
    return instrs


def is_place(key: object) -> bool:
    """(root, path), where an expression begins with an opcode."""
    return isinstance(key, tuple) and isinstance(key[0], Instr)


def bind(state: State, known: object, number: object) -> None:
    """A value or expression is a number, wherever it is."""
    for key in [key for key, value in state.items() if value == known]:
        state[key] = number
    state[known] = number


def renew(state: State, value: Instr) -> None:
    """A value is worked out anew: what was said of the old one is gone."""
    for key in [
        key for key, known in state.items() if names(known, value) or (names(key, value) and not is_place(key))
    ]:
        del state[key]


def names(known: object, value: Instr) -> bool:
    return known is value or (isinstance(known, tuple) and not is_place(known) and value in atoms(known))
