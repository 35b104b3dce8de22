"""What stands beside the instructions of functions and no value shows: each of it consumed by a rule, or named.

    function control     Inline, DontInline, OptNone: hints            Pure, Const: not only after
    loop control         Unroll, PeelCount, ...: hints                 Dependency..., ...Iterations: not only after
    selection control, branch weights                                  hints
    parameters           of an entry point: the same decorations       of other functions: see `_parameters`
    local variables, results without an operation                      see `_decorated`
    alignments           of an invocation's own variables: none larger than before; all others: the normal form

Decorations of operations are a part of their terms (`normal_form.values`), RelaxedPrecision of all else is followed
there, too; certificates are not about modules in which that matters (`relaxes`).

Sources, SPIR-V 1.6: 2.2.1 "Hint: ... They do not affect the semantics of the program"; "Function Control", Pure:
"Compiler can assume this function has no side effect"; "Loop Control", MinIterations: "Unchecked assertion that the
loop executes at least a given number of iterations"; "Memory Operands", Aligned: "This access has a known alignment".
"""

from collections import Counter
from typing import TYPE_CHECKING, Final

from reknit.analysis.writes import variable_of
from reknit.ir import enums, op, opcodes, traits
from reknit.ir.instr import Instr
from reknit.ir.tree import Loop
from reknit.ir.types import storage_of
from reknit.ir.value import Value
from reknit.ir.walk import constructs, instructions
from reknit.proof.frame.meanings import NO_IMPACT
from reknit.source.meter import spend

if TYPE_CHECKING:
    from reknit.proof.frame.compare import Side

_ASSUMES: Final = ((0x4, "Pure"), (0x8, "Const"))
_ASSERTS: Final = (
    (enums.LoopControlDependencyInfinite, "DependencyInfinite"),
    (enums.LoopControlDependencyLength, "DependencyLength"),
    (enums.LoopControlMinIterations, "MinIterations"),
    (enums.LoopControlMaxIterations, "MaxIterations"),
    (enums.LoopControlIterationMultiple, "IterationMultiple"),
)
_LITERAL_BITS: Final = 0x1FF & ~0x7  # of the loop controls that a literal follows: 0x8 to 0x100

FOLLOWED: Final = (
    enums.DecorationRelaxedPrecision,
    enums.DecorationNoContraction,
    enums.DecorationNoSignedWrap,
    enums.DecorationNoUnsignedWrap,
    enums.DecorationNonUniform,
)
"""Decorations of results that the normal form and certificates follow, or that mean nothing but on an operation."""

_LESS_ASSUMED: Final = (
    enums.DecorationRestrict,
    enums.DecorationRestrictPointer,
    enums.DecorationNonWritable,
    enums.DecorationNonReadable,
    enums.DecorationUniform,
    enums.DecorationUniformId,
    enums.DecorationFPFastMathMode,
)
"""Decorations that let an implementation assume more: without one it may do less."""

_MORE_PROMISED: Final = (
    enums.DecorationAliased,
    enums.DecorationAliasedPointer,
    enums.DecorationCoherent,
    enums.DecorationVolatile,
)
"""Decorations that bind an implementation: with one it may do less."""

_OF_CONSTANTS: Final = (
    enums.DecorationSpecId, enums.DecorationBuiltIn, enums.DecorationNoContraction, enums.DecorationUniform,
    enums.DecorationUniformId, enums.DecorationArrayStride,
)  # fmt: skip
"""SpecId, the size of a workgroup and strides of pointers are compared where they are used; a constant is uniform, and
no operation."""

_PLAIN_TYPES: Final = (
    op.TypeBool, op.TypeInt, op.TypeFloat, op.TypeVector, op.TypeMatrix, op.TypeFunction, op.TypePointer,
)  # fmt: skip
_READING: Final = traits.OBJECT_CHAIN | {op.Load}
_OWN: Final = (enums.StorageClassFunction, enums.StorageClassPrivate)
_MOVES: Final = traits.CHAIN | {
    op.Load, op.Phi, op.CompositeExtract, op.CompositeInsert, op.CompositeConstruct, op.VectorShuffle, op.CopyObject,
    op.CopyLogical, op.Select, op.VectorExtractDynamic, op.VectorInsertDynamic, op.Undef, op.FunctionCall, op.Variable,
    op.FunctionParameter, op.Bitcast, op.Transpose,
}  # fmt: skip
"""What gives a value without an operation that its decorations would be a part of."""


def bodies(before: "Side", after: "Side") -> list[str]:
    """What is open, a line each."""
    lines = [*_controls(before, after), *_loops(before, after), *_parameters(before, after)]
    lines.extend(_alignments(before, after))
    if _poison(after) > _poison(before):
        lines.append("OpPoisonKHR stands at more places after: what depends on it is poison, and runs don't show it")
    mine, other = ([mark for mark in _decorated(side) if mark[2][0] not in _MORE_PROMISED] for side in (before, after))
    if other and mine != other:
        apart = next((mark for mark in other if mark not in mine), other[-1])
        lines.append(f"{_name(apart[2])} of {apart[1]} is only after, or stands at another place before")
    elif any(mark[2][0] not in _LESS_ASSUMED for mark in mine) and not other:
        apart = next(mark for mark in mine if mark[2][0] not in _LESS_ASSUMED)
        lines.append(f"{_name(apart[2])} of {apart[1]} is only before")
    known, theirs = _constants(before), _constants(after)
    where = "of a constant, or of a type without parts,"
    lines.extend([f"{name} {where} is only after" for key, name in theirs.items() if key not in known])
    for key, name in known.items():
        if key not in theirs and name != "RelaxedPrecision":
            lines.append(f"{name} {where} is only before")
    return lines


def _constants(side: "Side") -> dict[object, str]:
    """The decorations of constants, but for those that are compared with what uses the constant, and of numbers'
    types, by which no value differs from another."""
    marks: dict[object, str] = {}
    for each in side.module.globals:
        if each.op in _PLAIN_TYPES or (each.op != op.Variable and each.type is not None):
            for member, kind, rest in side.annotations.of(each):
                if (kind not in _OF_CONSTANTS or each.op == op.Undef) and kind not in NO_IMPACT:
                    mark = (kind, (member, *[side.meanings.operand(word) for word in rest]))
                    marks[side.meanings.said(each), mark] = _name(mark)
    return marks


Mark = tuple[int, tuple[object, ...]]
"""A decoration and the meanings of its operands."""


def _decorated(side: "Side") -> list[tuple[int, str, Mark]]:
    """The decorations of results and own variables that are a part of no term: of which value, counted, of what, and
    which. A promise about a variable of an invocation's own is kept by every access, as no other invocation sees it."""
    marks: list[tuple[int, str, Mark]] = []
    number = 0
    for function in side.functions:
        marks.extend([(number, "a function", mark) for mark in _marks(side, function)])
        for instr in instructions(function):
            if instr.op in _MOVES:
                number += 1
                own = _marks(side, instr)
                if instr.op == op.Variable and _is_only_read(instr):
                    own = [mark for mark in own if mark[0] != enums.DecorationNonWritable]
                marks.extend([(number, opcodes.opcode_name(instr.op), mark) for mark in own])
    for number, variable in enumerate([each for each in side.used if storage_of(_type(each)) in _OWN]):
        marks.extend([(number, "a variable", mark) for mark in _marks(side, variable)])
    return marks


def _is_only_read(variable: Instr) -> bool:
    """Whether a function's variable is loaded from and nothing else, so that NonWritable promises what is so anyway."""
    work: list[Value] = [variable]
    while work:
        for user in work.pop().users:
            if not isinstance(user, Instr) or user.op not in _READING:
                return False
            if user.op in traits.OBJECT_CHAIN:
                work.append(user)
    return True


def _marks(side: "Side", value: Value) -> list[Mark]:
    meanings = side.meanings
    return [
        (kind, (member, *[meanings.operand(each) for each in rest]))
        for member, kind, rest in side.annotations.of(value)
        if kind not in FOLLOWED and kind not in NO_IMPACT and kind != enums.DecorationLinkageAttributes
    ]


def _controls(before: "Side", after: "Side") -> list[str]:
    lines: list[str] = []
    for bit, name in _ASSUMES:
        mine, other = ([bool(each.control & bit) for each in side.functions] for side in (before, after))
        if any(other) and mine != other:
            lines.append(f"{name} stands at functions after that have none before, or at others")
    return lines


def _loops(before: "Side", after: "Side") -> list[str]:
    lines: list[str] = []
    mine, other = _asserted(before), _asserted(after)
    if any(other) and mine != other:
        names = ", ".join(dict.fromkeys([name for each in other for name in each]))
        lines.append(f"{names} stands at loops after that have no such control before, or at others")
    return lines


def _asserted(side: "Side") -> list[list[str]]:
    """Of each loop: what is said of its iterations, with the numbers."""
    said: list[list[str]] = []
    for function in side.functions:
        for construct in constructs(function):
            if isinstance(construct, Loop):
                mask, *literals = construct.control or [0]
                numbers: dict[int, int] = {}
                for bit in range(32):
                    if mask & 1 << bit & _LITERAL_BITS and literals:
                        numbers[1 << bit] = literals.pop(0)
                said.append([f"{name} {numbers.get(bit, '')}".strip() for bit, name in _ASSERTS if mask & bit])
    return said


def _parameters(before: "Side", after: "Side") -> list[str]:
    """Of an entry point: the same. Of other functions, which may be inlined: no assumption more; and a promise less
    only where the parameter is gone, so that its accesses are compared as they are."""
    lines: list[str] = []
    for at, (mine, other) in enumerate(zip(before.functions[0].params, after.functions[0].params, strict=False)):
        if Counter(_marks(before, mine)) != Counter(_marks(after, other)):
            lines.append(f"parameter {at} of the kernel has other decorations before and after")
    marks = [
        [Counter(_marks(side, param)) for function in side.functions[1:] for param in function.params]
        for side in (before, after)
    ]
    if marks[0] == marks[1]:
        return lines
    all_before: Counter[Mark] = sum(marks[0], Counter())
    all_after: Counter[Mark] = sum(marks[1], Counter())
    for mark, count in all_after.items():
        if mark[0] not in _MORE_PROMISED and (count > all_before[mark] or len(marks[0]) == len(marks[1])):
            lines.append(f"{_name(mark)} of parameters stands {_times(all_before[mark])} before and {count} after")
    for mark, count in all_before.items():
        if mark[0] in _MORE_PROMISED and all_after[mark] < count and marks[1]:
            lines.append(f"{_name(mark)} of parameters stands {count} before and {_times(all_after[mark])} after")
    return lines


def _poison(side: "Side") -> int:
    """At how many places poison is used."""
    operands = [each for function in side.functions for instr in instructions(function) for each in instr.operands]
    return len([each for each in operands if isinstance(each, Instr) and each.op == op.PoisonKHR])


def _alignments(before: "Side", after: "Side") -> list[str]:
    """Of accesses to an invocation's own variables, which have no address that the normal form knows, and of loads
    that nothing depends on, which it has no term of."""
    lines: list[str] = []
    most = [max(_alignments_of(side, True).values(), default=0) for side in (before, after)]
    if most[1] > most[0]:
        lines.append(f"accesses of local variables are Aligned {most[1]} after and {most[0] or 'never'} before")
    known = _alignments_of(before, False)
    for what, unused in _alignments_of(after, False, only_unused=True).items():
        if unused > known.get(what, 0):
            often = known.get(what) or "never"
            lines.append(f"a load that nothing depends on is Aligned {unused} after, those of its type {often} before")
            break
    return lines


def _alignments_of(side: "Side", own: bool, only_unused: bool = False) -> dict[int, int]:
    """The largest alignment that accesses of a type claim: to an invocation's `own` variables, or to all others."""
    sizes: dict[int, int] = {}
    for function in side.functions:
        for instr in instructions(function):
            at = {op.Load: 1, op.Store: 2, op.CopyMemory: 2}.get(instr.op, 0)
            if at == 0 or len(instr.operands) <= at + 1 or not instr.word(at) & enums.MemoryAccessAligned:
                continue
            pointers = instr.operands[: 2 if instr.op == op.CopyMemory else 1]
            types = [each.type for each in pointers if isinstance(each, Instr) and each.type is not None]
            local = any(type.op == op.TypePointer and storage_of(type) in _OWN for type in types)
            if local == own and not (only_unused and not (instr.op == op.Load and _is_unused(instr))):
                for type in types:
                    what = side.meanings.of(type.value(1)) if type.op == op.TypePointer else -1
                    sizes[what] = max(sizes.get(what, 0), instr.word(at + 1))
    return sizes


def _is_unused(instr: Instr) -> bool:
    """Whether nothing but more values is made of a value, some of them kept in variables of the invocation's own."""
    seen: dict[Value, None] = {instr: None}
    work: list[Value] = [instr]
    while work:
        spend(1)
        value = work.pop()
        for user in value.user_list():
            if not isinstance(user, Instr):
                return False
            reached: Value = user
            if user.op == op.Store:
                variable = variable_of(user.value(0))
                if variable is None or variable.word(0) not in _OWN:
                    return False
                reached = variable
            elif user.op not in traits.COMPUTES and user.op not in (op.Phi, op.Load):
                return False
            if reached not in seen:
                seen[reached] = None
                work.append(reached)
    return True


def relaxes(side: "Side") -> bool:
    """Whether RelaxedPrecision is said of what is no operation: a load, a variable, a parameter, a call, a part."""
    values: list[Value] = [*side.used, *side.functions]
    for function in side.functions:
        values.extend(function.params)
        values.extend([instr for instr in instructions(function) if instr.op in _MOVES])
    values.extend([each for each in side.module.globals if each.op == op.TypeStruct])
    return any(
        kind == enums.DecorationRelaxedPrecision for value in values for _, kind, _ in side.annotations.of(value)
    )


def _type(variable: Instr) -> Instr:
    assert variable.type is not None
    return variable.type


def _name(mark: Mark) -> str:
    words = [str(each) for each in mark[1][1:] if isinstance(each, (int, str))]
    return " ".join([opcodes.enum_name("Decoration", mark[0]), *words])


def _times(count: int) -> str:
    return str(count) if count else "nowhere"


