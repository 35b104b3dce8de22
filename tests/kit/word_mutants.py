"""Modules with one word or instruction changed, and whether a proof tells them apart: words of declarations, modes,
decorations and operands; operands that change places; constants, scopes and semantics with another value; stores and
barriers that are gone, come twice or come elsewhere; opcodes, terminators and storage classes for others.

    python -m kit.word_mutants --count 20000 FILES...       each mutant against its original, in both directions

A mutant that the validator accepts and that is "proved" must be of a kind in `ALLOWED`, whose sentence says why the
word can't matter, or of a declaration that nothing uses, or of a body whose runs don't tell it from the original.
Everything follows from the seed and the list of files. The certificate of each pair is asked for, too,
and one of the original with itself is put forward for the pair.
"""

import argparse
import random
import re
import signal
import struct
import sys
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import reknit
from kit.oracles import accepts, find
from reknit.ir import enums, op, opcodes, traits
from reknit.ir.module import Module
from reknit.proof.certificate.find import find as find_certificate
from reknit.proof.certificate.text import framed
from reknit.proof.certified import written
from reknit.proof.frame.compare import _EVERYWHERE
from reknit.proof.prove import _Proof, prove
from reknit.proof.question import Question
from reknit.sim.entry import find_entry, function_of_entry
from reknit.source.diagnostic import InputError

HEADER: Final = 5
SECONDS: Final = 4
Line = list[int]
"""An instruction: its opcode, then its words."""

ALLOWED: Final = {
    r"OpName|OpMemberName|OpSource|OpSourceExtension|OpSourceContinued|OpString|OpLine|OpNoLine|OpModuleProcessed":
        "SPIR-V 1.6: This has no semantic impact and can safely be removed from a module",
    r"OpExtension\b|version": "1.3.1: Minor changes have signified additions, deprecation, and removal of features",
    r"static use (Private|Workgroup)": "nothing outside of a dispatch names the variable",
    r"swap operands of OpEntryPoint": "the variables that an entry point names have no order",
    r"No(Uns|S)ignedWrap of Op(?!IAdd|ISub|IMul|ShiftLeft|SNegate|ExtInst)": "it names what it applies to",
    r"FPFastMathMode of Op(Logical|I|U|S|Bit|Not|Type|Constant|Func|Variable|AccessChain|Label|Phi|Undef)": "of floats",
    r"OpTypeForwardPointer": "it declares a type that another instruction defines",
    r"(Coherent|Volatile|Aliased|Restrict|NonReadable|NonWritable) of Op(?!Variable|FunctionParameter|Type|Untyped)":
        "Apply only to a memory object declaration",
    r"OpExtInstImport": "the instructions of the set name it, and are compared by that name",
    r"(UserSemantic|UserTypeGOOGLE|CounterBuffer)": "SPV_GOOGLE_hlsl_functionality1: a user-defined semantic intent",
    r"FunctionControl (Inline|DontInline|OptNone\w*)|SelectionControl": "2.2.1, Hint",
    r"LoopControl (Unroll|DontUnroll|PeelCount|PartialCount)": "2.2.1, Hint: They do not affect the semantics",
    r"MemoryAccess Natural": "Aligned 2 or 4: Vulkan, Offset and Stride Assignment: scalars are aligned to their size",
    r"MemoryAccess Nontemporal": "Hints that the accessed address is not likely to be accessed again",
    r"OpBranchConditional.*(Branch weights|LiteralInteger)": "The implied probability that a branch is taken",
    r"OpExecutionMode\w* (LocalSizeHint|VecTypeHint)": "2.2.1, Hint",
    r"NoContraction of Op(?!F(Add|Sub|Mul|Div|Rem|Mod|Negate)|VectorTimes|Matrix|Dot|OuterProduct|ExtInst)":
        "Apply only to an arithmetic instruction to indicate the operation cannot be combined with another instruction",
    r"of OpTypeVoid": "no value has this type",
    r"ArrayStride of OpTypePointer": "OpPtrAccessChain, which is compared with it, uses the Base type's Array Stride",
    r"Uniform(Id)? of Op(Constant|Spec)": "a constant is the same in all invocations",
    r"(Coherent|Volatile|Aliased|AliasedPointer) of OpVariable (Function|Private)":
        "no other invocation sees the variable, and 2.18.2 lets it alias parameters alone, which are followed to it",
}  # fmt: skip
"""Kinds of words that can't matter, by what their label has in it, each with the sentence that says so."""

PROMISES: Final = {
    r"OpExecutionMode (MaximallyReconvergesKHR|SubgroupUniformControlFlowKHR|DenormPreserve|DenormFlushToZero"
    r"|SignedZeroInfNanPreserve|RoundingModeRT[EZ]|ContractionOff|RequireFullQuadsKHR|QuadDerivativesKHR)":
        "without the mode an implementation may do this, too",
    r"(Coherent|Volatile|Aliased|AliasedPointer|NoContraction)\b": "it binds an implementation",
}  # fmt: skip
"""Kinds that the second version may have and the first not."""

ASSUMPTIONS: Final = {
    r"terminator OpUnreachable": "OpUnreachable: Behavior is undefined if this instruction is executed",
    r"OpCapability": "2.1: A client API is allowed to reject modules declaring capabilities it does not support",
    r"(Restrict|RestrictPointer|NonWritable|NonReadable|RelaxedPrecision)\b": "without it less is assumed",
    r"(NoSignedWrap|NoUnsignedWrap|Pure|Const|DependencyInfinite|DependencyLength|MinIterations|MaxIterations"
    r"|IterationMultiple|Aligned)\b": "without it less is assumed",
    r"Uniform(Id)? of": "without it less is assumed",
    r"static use": "what nothing uses any longer may be gone",
    r"OpEntryPoint \w+ Id": "what nothing uses any longer may be gone",
}  # fmt: skip
"""Kinds that the first version may have and the second not."""


BY_RUNS: Final = (
    r"change Op(Constant\w*|SpecConstantOp|TypeInt|Undef) (?!SpecId)|initializer of OpVariable Private"
    r"|specialization constant"
)
"""Words that count by what instructions make of them: proved where the two are the same for all inputs, as of bodies.
SPIR-V 1.6, 2.8.1: signedness of OpTypeInt is no part of most operations."""


BY_RULE: Final = (
    r" order from|MemoryAccess (?!Nontemporal)|ImageOperands (NonPrivateTexel|VolatileTexel)|\bNonUniform\b"
    r"|terminator OpUnreachable|(remove|twice) Op(Control|Memory)Barrier"
)
"""Words of bodies that a run need not show: they are never proved but in the right way."""


@dataclass(frozen=True, slots=True)
class Mutant:
    """`live`: something that an entry point reaches has the word; `in_body`: it is in a function."""

    label: str
    data: bytes
    live: bool
    in_body: bool


@dataclass(frozen=True, slots=True)
class Word:
    """A word of an instruction: where it is, what it is, and the name of the enumerant that it follows."""

    at: int
    kind: str
    after: str


def lines_of(data: bytes) -> list[Line]:
    words = list(struct.unpack(f"<{len(data) // 4}I", data[: len(data) // 4 * 4]))
    lines: list[Line] = []
    at = HEADER
    while at < len(words):
        count = max(1, words[at] >> 16)
        lines.append([words[at] & 0xFFFF, *words[at + 1 : at + count]])
        at += count
    return lines


def bytes_of(header: list[int], lines: list[Line]) -> bytes:
    words = list(header)
    for line in lines:
        words.extend([len(line) << 16 | line[0], *line[1:]])
    return struct.pack(f"<{len(words)}I", *words)


def words_of(line: Line) -> list[Word]:
    """What each word of an instruction is, as the grammar has it."""
    info = opcodes.info(line[0])
    if info is None:
        return []
    found: list[Word] = []
    at = 1
    if info.has_type:
        found.append(Word(at, "type", ""))
        at += 1
    if info.has_result:
        at += 1
    specs = [(spec.kind, spec.quantifier, "") for spec in info.operands]
    while specs and at < len(line):
        kind, quantifier, after = specs[0]
        if quantifier != "*":
            specs.pop(0)
        known = opcodes.kind(kind) if not kind.startswith("Literal") and not kind.startswith("Id") else None
        if kind == "LiteralString":
            found.append(Word(at, kind, after))
            while at < len(line) and all(byte for byte in struct.pack("<I", line[at])):
                at += 1
            at += 1
        elif known is not None and known.category == "Composite":
            specs[:0] = [(base, "", after) for base in known.bases]
        elif known is not None and known.category in ("BitEnum", "ValueEnum"):
            found.append(Word(at, kind, after))
            values = [line[at]] if known.category == "ValueEnum" else [1 << b for b in range(32) if line[at] >> b & 1]
            names = [each for each in map(known.of_value, values) if each is not None]
            specs[:0] = [(spec.kind, spec.quantifier, each.name) for each in names for spec in each.parameters]
            at += 1
        else:
            found.append(Word(at, "Id" if kind.startswith("Id") else kind, after))
            at += 1
    return found


class Program:
    """A module's words, and what they mean to a mutator."""

    def __init__(self, data: bytes) -> None:
        self.header = list(struct.unpack(f"<{HEADER}I", data[: 4 * HEADER]))
        self.lines = lines_of(data)
        self.defined: dict[int, int] = {}
        self.function_of: dict[int, int] = {}
        function = -1
        for at, line in enumerate(self.lines):
            if line[0] == op.Function:
                function = line[2]
            if function >= 0:
                self.function_of[at] = function
            if line[0] == op.FunctionEnd:
                function = -1
            result = self.result(line)
            if result:
                self.defined[result] = at
        self.live = self._live()
        self.laid_out = self._laid_out()
        self.names = {line[0] for line in self.lines}

    def result(self, line: Line) -> int:
        info = opcodes.info(line[0])
        if info is None or not info.has_result:
            return 0
        at = 2 if info.has_type else 1
        return line[at] if len(line) > at else 0

    def ids(self, line: Line) -> list[int]:
        return [line[word.at] for word in words_of(line) if word.kind in ("Id", "type")]

    def _live(self) -> set[int]:
        """The ids that entry points reach."""
        bodies: dict[int, list[int]] = {}
        for at, function in self.function_of.items():
            bodies.setdefault(function, []).append(at)
        live: set[int] = set()
        work = [each for line in self.lines if line[0] == op.EntryPoint for each in self.ids(line)]
        work += [each for line in self.lines if line[0] == op.ExecutionModeId for each in self.ids(line)]
        for line in self.lines:
            if line[0] == op.Decorate and len(line) > 3 and line[2] == enums.DecorationLinkageAttributes:
                work.append(line[1])
            if line[0] == op.Decorate and line[2:] == [enums.DecorationBuiltIn, enums.BuiltInWorkgroupSize]:
                work.append(line[1])
        while work:
            each = work.pop()
            if each in live:
                continue
            live.add(each)
            places = bodies.get(each, [self.defined[each]] if each in self.defined else [])
            for at in places:
                line = self.lines[at]
                if line[0] in UNLESS_USED and self.result(line) != each:
                    continue
                live.add(self.result(line))
                work.extend(self.ids(line))
        return live

    def _laid_out(self) -> set[int]:
        """The types whose layout decorations mean something: SPIR-V 1.6, 2.16.2, those of memory with a layout."""
        if any(line[0] == op.TypeUntypedPointerKHR for line in self.lines):
            return set(self.defined)
        pointers = [line for line in self.lines if line[0] == op.TypePointer and line[2] not in PLAIN]
        laid_out: set[int] = set()
        work = [line[3] for line in pointers]
        while work:
            type = work.pop()
            if type not in laid_out and type in self.defined:
                laid_out.add(type)
                work.extend(self.ids(self.lines[self.defined[type]]))
        return laid_out | {line[1] for line in self.lines if line[0] == op.TypePointer}

    def is_eased(self, value: int) -> bool:
        """Whether RelaxedPrecision of a value says what others say: of a load, its variable or all that is stored
        there; of a variable, all loads of it."""
        relaxed = {each[1] for each in self.lines if each[0] == op.Decorate and each[2:] == [0]}
        line = self.lines[self.defined[value]] if value in self.defined else []
        variable = line[3] if line and line[0] == op.Load else value
        if variable != value and variable in relaxed:
            return True
        loads = [each[2] for each in self.lines if each[0] == op.Load and each[3] == variable]
        stored = [each[2] for each in self.lines if each[0] == op.Store and each[1] == variable]
        others = (op.Name, op.Decorate, op.EntryPoint, op.Load, op.Store)
        if any(each[0] not in others and variable in self.ids(each) for each in self.lines):
            return False
        if variable != value and stored and all(each in relaxed for each in stored):
            return True
        return variable == value and all(each in relaxed for each in loads)

    def is_live(self, at: int) -> bool:
        line = self.lines[at]
        if line[0] == op.Decorate and line[2:] == [enums.DecorationRelaxedPrecision] and self.is_eased(line[1]):
            return False
        if at in self.function_of:
            used = line[0] not in UNLESS_USED or self.result(line) in self.live
            return used and self.function_of[at] in self.live
        info = opcodes.info(line[0])
        if info is not None and info.group == "Annotation" and len(line) > 1:
            named = line[3] if line[0] == op.MemberDecorate else line[2] if len(line) > 2 else -1
            return line[1] in self.live and (named not in LAYOUTS or line[1] in self.laid_out)
        result = self.result(line)
        return not result or result in self.live

    def opcode_of(self, value: int) -> str:
        """What defines an id, of a variable its storage class, too."""
        if value not in self.defined:
            return "nothing"
        line = self.lines[self.defined[value]]
        return (
            f"{name_of(line[0])} {opcodes.enum_name('StorageClass', line[3])}"
            if line[0] == op.Variable
            else name_of(line[0])
        )

    def is_void(self, value: int) -> bool:
        """Whether it is a function without a result."""
        line = self.lines[self.defined[value]]
        return line[0] == op.Function and self.lines[self.defined[line[1]]][0] == op.TypeVoid

    def alike(self, value: int) -> list[int]:
        """Other ids that may stand where one does."""
        if value not in self.defined:
            return []
        mine = self.lines[self.defined[value]]
        info = opcodes.info(mine[0])
        typed = info is not None and info.has_type
        group = info.group if info is not None else ""
        alike: list[int] = []
        for other, at in self.defined.items():
            line = self.lines[at]
            its = opcodes.info(line[0])
            if other == value or its is None:
                continue
            same = (
                line[1] == mine[1] if typed and its.has_type else not typed and its.group == group and not its.has_type
            )
            if same and (
                group == "Type-Declaration"
                or self.function_of.get(at) in (None, self.function_of.get(self.defined[value]))
            ):
                alike.append(other)
        return alike


UNLESS_USED: Final = (traits.COMPUTES | traits.READS) - {op.Variable}
"""What is nothing where its result is used nowhere."""

LAYOUTS: Final = (
    enums.DecorationOffset, enums.DecorationArrayStride, enums.DecorationMatrixStride, enums.DecorationRowMajor,
    enums.DecorationColMajor, enums.DecorationVolatile, enums.DecorationCoherent, enums.DecorationNonWritable,
    enums.DecorationNonReadable,
)  # fmt: skip
"""Decorations of members that say something of memory with a layout alone."""
PLAIN: Final = (enums.StorageClassFunction, enums.StorageClassPrivate, enums.StorageClassInput)
"""Storage classes whose objects have no layout."""


def name_of(code: int) -> str:
    info = opcodes.info(code)
    return f"Op{info.name}" if info is not None else f"opcode {code}"


def enumerants(kind: str) -> list[opcodes.Enumerant]:
    known = opcodes.kind(kind)
    return [each for value in range(6200) if (each := known.of_value(value)) is not None and each.value == value]


_ENUMERANTS: dict[str, list[opcodes.Enumerant]] = {}


def any_of(kind: str, rand: random.Random) -> opcodes.Enumerant:
    """An enumerant of a kind: half of the time one of the core."""
    if kind not in _ENUMERANTS:
        _ENUMERANTS[kind] = enumerants(kind)
    each = _ENUMERANTS[kind]
    core = [one for one in each if one.value < 64] if rand.random() < 0.8 else each
    return rand.choice(core or each)


def literals(each: opcodes.Enumerant, rand: random.Random) -> list[int] | None:
    """Operands of an enumerant, where they are numbers."""
    words: list[int] = []
    for spec in each.parameters:
        known = opcodes.kind(spec.kind) if not spec.kind.startswith(("Id", "Literal")) else None
        if spec.kind.startswith("Id") or spec.kind == "LiteralString":
            return None
        words.append(any_of(spec.kind, rand).value if known is not None else rand.choice((0, 1, 2, 4, 16)))
    return words


PAIRS: Final = [
    (op.FAdd, op.FSub), (op.IAdd, op.ISub), (op.FMul, op.FDiv), (op.FAdd, op.FMul), (op.IMul, op.IAdd),
    (op.UDiv, op.UMod), (op.FOrdLessThan, op.FOrdLessThanEqual), (op.SLessThan, op.SLessThanEqual),
    (op.ULessThan, op.UGreaterThan), (op.IEqual, op.INotEqual), (op.LogicalAnd, op.LogicalOr),
    (op.ConvertFToS, op.ConvertFToU), (op.ConvertSToF, op.ConvertUToF), (op.DPdx, op.DPdy),
    (op.DPdxFine, op.DPdxCoarse), (op.AtomicUMax, op.AtomicUMin), (op.AtomicOr, op.AtomicAnd),
    (op.ShiftRightLogical, op.ShiftRightArithmetic), (op.FOrdEqual, op.FUnordEqual), (op.SDiv, op.SRem),
    (op.BitwiseAnd, op.BitwiseOr), (op.AtomicIAdd, op.AtomicISub), (op.GroupNonUniformAll, op.GroupNonUniformAny),
    (op.ImageSampleImplicitLod, op.ImageSampleProjImplicitLod),
]  # fmt: skip
SWAPS: Final = {**dict(PAIRS), **{b: a for a, b in PAIRS}}
_SHAPES: dict[tuple[str, bool, tuple[str, ...]], list[int]] = {}


def like(code: int) -> list[int]:
    """The opcodes of the same group that take the same kinds of operands."""
    if not _SHAPES:
        for each in range(8000):
            info = opcodes.info(each)
            if info is not None:
                _SHAPES.setdefault(shape(info), []).append(each)
    info = opcodes.info(code)
    return [each for each in _SHAPES[shape(info)] if each != code] if info is not None else []


def shape(info: opcodes.OpInfo) -> tuple[str, bool, tuple[str, ...]]:
    return info.group, info.has_type, tuple([f"{spec.kind}{spec.quantifier}" for spec in info.operands])


def mutant(program: Program, rand: random.Random) -> Mutant | None:
    """One, or None where the draw came to nothing."""
    action = rand.choices(ACTIONS, WEIGHTS)[0]
    return action(program, rand)


def made(
    program: Program, label: str, lines: list[Line], live: bool, in_body: bool, header: list[int] | None = None
) -> Mutant:
    return Mutant(label, bytes_of(header if header is not None else program.header, lines), live, in_body)


def first_of(program: Program, *codes: int) -> int:
    return next((at for at, line in enumerate(program.lines) if line[0] in codes), len(program.lines))


def declarations(program: Program) -> list[int]:
    return [at for at in range(len(program.lines)) if at not in program.function_of]


def delete(program: Program, rand: random.Random) -> Mutant | None:
    places = [
        at
        for at in declarations(program)
        if not program.result(program.lines[at]) and program.lines[at][0] not in (op.EntryPoint, op.MemoryModel)
    ]
    if not places:
        return None
    at = rand.choice(places)
    line = program.lines[at]
    lines = program.lines[:at] + program.lines[at + 1 :]
    return made(program, f"delete {shown(line)} {target(program, line)}".strip(), lines, program.is_live(at), False)


def shown(line: Line) -> str:
    """The opcode and its first enumerant."""
    name = name_of(line[0])
    for word in words_of(line):
        if word.kind not in ("Id", "type") and not word.kind.startswith("Literal"):
            known = opcodes.kind(word.kind).of_value(line[word.at])
            return f"{name} {known.name if known is not None else line[word.at]}"
    return name


def target(program: Program, line: Line) -> str:
    info = opcodes.info(line[0])
    return (
        f"of {program.opcode_of(line[1])}" if info is not None and info.group == "Annotation" and len(line) > 1 else ""
    )


def change(program: Program, rand: random.Random) -> Mutant | None:
    """A word for another of its kind: three times out of four in a declaration."""
    body = rand.random() < 0.3
    places = [at for at in range(len(program.lines)) if (at in program.function_of) == body]
    if not places:
        return None
    at = rand.choice(places)
    line = list(program.lines[at])
    words = words_of(line)
    if not words:
        return None
    word = rand.choice(words)
    old = line[word.at]
    label = f"change {shown(line)} {word.kind}"
    if word.kind in ("Id", "type"):
        others = program.alike(old)
        if not others:
            return None
        line[word.at] = rand.choice(others)
    elif word.kind == "LiteralString":
        line[word.at] = old ^ rand.choice((0x01, 0x20, 0x0200))
    elif word.kind.startswith("Literal"):
        line[word.at] = rand.choice((old + 1, max(0, old - 1), old ^ 0x80000000, 2 * old, 0, old ^ 4)) & 0xFFFFFFFF
    else:
        kind = opcodes.kind(word.kind)
        each = any_of(word.kind, rand)
        parameters = literals(each, rand)
        if parameters is None:
            return None
        if kind.category == "BitEnum":
            if parameters and (old & ~each.value):
                return None
            line[word.at] = old ^ each.value
            if parameters:
                if old & each.value:
                    del line[word.at + 1 : word.at + 1 + len(parameters)]
                else:
                    line[word.at + 1 : word.at + 1] = parameters
        else:
            was = kind.of_value(old)
            if was is not None and len(was.parameters) != len(parameters):
                return None
            line[word.at] = each.value
        label = f"change {name_of(line[0])} {word.kind} {each.name}"
        was = kind.of_value(old) if kind.category == "ValueEnum" else None
        label += f" was {was.name}" if was is not None else ""
    if line == program.lines[at]:
        return None
    lines = [*program.lines[:at], line, *program.lines[at + 1 :]]
    more = f" {word.after}" if word.after else ""
    return made(program, f"{label}{more} {target(program, line)}".strip(), lines, program.is_live(at), body)


def decorate(program: Program, rand: random.Random) -> Mutant | None:
    each = (
        any_of("Decoration", rand) if rand.random() < 0.6 else opcodes.kind("Decoration").of_value(rand.choice(COMMON))
    )
    if each is None:
        return None
    parameters = literals(each, rand)
    if parameters is None:
        return None
    values = [
        value
        for value, at in program.defined.items()
        if program.lines[at][0] not in (op.Label, op.String, op.ExtInstImport)
    ]
    if rand.random() < 0.5:
        values = [
            value
            for value in values
            if program.lines[program.defined[value]][0] in (op.Variable, op.FunctionParameter, op.Function, op.Load)
        ] or values
    value = rand.choice(values)
    has_shader = any(line[0] == op.Capability and line[1] == enums.CapabilityShader for line in program.lines)
    if each.value == enums.DecorationRelaxedPrecision and (program.is_void(value) or not has_shader):
        return None
    at = first_of(program, op.TypeVoid, op.TypeBool, op.TypeInt, op.TypeFloat)
    line = [op.Decorate, value, each.value, *parameters]
    definition = program.lines[program.defined[value]]
    if definition[0] == op.TypeStruct and len(definition) > 2 and rand.random() < 0.8:
        line = [op.MemberDecorate, value, rand.randrange(len(definition) - 2), each.value, *parameters]
    lines = [*program.lines[:at], line, *program.lines[at:]]
    return made(program, f"add {shown(line)} of {program.opcode_of(value)}", lines, value in program.live, False)


COMMON: Final = (
    enums.DecorationRelaxedPrecision, enums.DecorationNoContraction, enums.DecorationAliased, enums.DecorationRestrict,
    enums.DecorationNonWritable, enums.DecorationVolatile, enums.DecorationCoherent, enums.DecorationFlat,
    enums.DecorationInvariant, enums.DecorationNonUniform, enums.DecorationNoSignedWrap, enums.DecorationNonReadable,
)  # fmt: skip


def mode(program: Program, rand: random.Random) -> Mutant | None:
    points = [line for line in program.lines if line[0] == op.EntryPoint]
    each = any_of("ExecutionMode", rand)
    if rand.random() < 0.5:
        each = rand.choice([one for one in _ENUMERANTS["ExecutionMode"] if one.name in MODES])
    parameters = literals(each, rand)
    if not points or parameters is None:
        return None
    at = first_of(program, op.EntryPoint) + len(points)
    line = [op.ExecutionMode, rand.choice(points)[2], each.value, *parameters]
    return made(program, f"add {shown(line)}", [*program.lines[:at], line, *program.lines[at:]], True, False)


MODES: Final = (
    "MaximallyReconvergesKHR", "EarlyFragmentTests", "DepthReplacing", "DenormPreserve", "SignedZeroInfNanPreserve",
    "RoundingModeRTE", "PostDepthCoverage", "RequireFullQuadsKHR", "QuadDerivativesKHR", "PixelInterlockOrderedEXT",
)  # fmt: skip


def capability(program: Program, rand: random.Random) -> Mutant | None:
    each = any_of("Capability", rand)
    return made(program, f"add OpCapability {each.name}", [[op.Capability, each.value], *program.lines], True, False)


def use(program: Program, rand: random.Random) -> Mutant | None:
    """An instruction more that has a global variable as its operand."""
    variables = [
        line for at, line in enumerate(program.lines) if line[0] == op.Variable and at not in program.function_of
    ]
    functions = [line[2] for line in program.lines if line[0] == op.EntryPoint]
    if not variables or not functions:
        return None
    lines = [list(line) for line in program.lines]
    header = list(program.header)
    variable = rand.choice(variables)
    label = "add static use"
    at = next(at for at, line in enumerate(lines) if line[0] == op.Function and line[2] == functions[0])
    if rand.random() < 0.6:
        fresh = header[3]
        header[3] += 1
        notes = [list(line) for line in lines if line[0] == op.Decorate and line[1] == variable[2]]
        for note in notes:
            note[1] = fresh
            if note[2] in (enums.DecorationBinding, enums.DecorationLocation):
                note[3] += 5
        place = lines.index(variable)
        lines.insert(place + 1, [op.Variable, variable[1], fresh, *variable[3:]])
        first = first_of(program, op.TypeVoid, op.TypeBool, op.TypeInt, op.TypeFloat)
        lines[first:first] = notes
        variable = [op.Variable, variable[1], fresh, *variable[3:]]
        at = next(at for at, line in enumerate(lines) if line[0] == op.Function and line[2] == functions[0])
        label = "add a variable and its static use"
    used = variable[2] in program.live or any(
        variable[2] in program.ids(program.lines[each])
        for each, function in program.function_of.items()
        if function in program.live
    )
    listed = False
    while lines[at][0] in (op.Function, op.FunctionParameter, op.Label, op.Variable, op.Line):
        at += 1
    copied = rand.random() < 0.7
    if copied:
        lines.insert(at, [op.CopyObject, variable[1], header[3], variable[2]])
        header[3] += 1
    point = next(line for line in lines if line[0] == op.EntryPoint)
    named = [word.at for word in words_of(point) if word.kind == "Id"][1:]
    if variable[2] not in [point[each] for each in named]:
        listed = header[1] >= 0x10400 or variable[3] in (enums.StorageClassInput, enums.StorageClassOutput)
        if listed:
            point.append(variable[2])
    label += f" {opcodes.enum_name('StorageClass', variable[3])}{' of what is used' if used else ''}"
    return made(program, label, lines, not used and (copied or listed), False, header)


def initializer(program: Program, rand: random.Random) -> Mutant | None:
    places = [at for at, line in enumerate(program.lines) if line[0] == op.Variable and len(line) == 4]
    if not places:
        return None
    at = rand.choice(places)
    line = program.lines[at]
    pointer = program.lines[program.defined[line[1]]]
    header = list(program.header)
    null = [op.ConstantNull, pointer[3], header[3]]
    header[3] += 1
    first = next((one for one in range(len(program.lines)) if program.lines[one][0] == op.Function), at)
    lines = [list(each) for each in program.lines]
    lines[at] = [*line, null[2]]
    lines.insert(min(at, first), null)
    label = f"add initializer of OpVariable {opcodes.enum_name('StorageClass', line[3])}"
    return made(program, label, lines, program.is_live(at), at in program.function_of, header)


def access(program: Program, rand: random.Random) -> Mutant | None:
    places = [at for at, line in enumerate(program.lines) if line[0] in (op.Load, op.Store)]
    if not places:
        return None
    at = rand.choice(places)
    line = list(program.lines[at][: 4 if program.lines[at][0] == op.Load else 3])
    words, name = rand.choice(
        (
            ([1], "Volatile"), ([2, 16], "Aligned"), ([2, 4], "Aligned"), ([4], "Nontemporal"), ([2, 64], "Aligned"),
            ([0x20], "NonPrivatePointer"),
        )
    )  # fmt: skip
    if name == "NonPrivatePointer" and not any(each[0] == op.Capability and each[1] == 5345 for each in program.lines):
        return None
    lines = [*program.lines[:at], [*line, *words], *program.lines[at + 1 :]]
    if lines == program.lines:
        return None
    if (
        name == "Aligned"
        and words[1] <= 4
        and not any(each[0] in (op.TypeInt, op.TypeFloat) and each[2] < 32 for each in program.lines)
    ):
        name = "Natural"
    return made(program, f"add MemoryAccess {name} of {name_of(line[0])}", lines, program.is_live(at), True)


def opcode(program: Program, rand: random.Random) -> Mutant | None:
    paired = rand.random() < 0.4
    places = [
        at for at in program.function_of if (program.lines[at][0] in SWAPS if paired else like(program.lines[at][0]))
    ]
    if not places:
        return None
    at = rand.choice(places)
    code = program.lines[at][0]
    line = [SWAPS[code] if paired else rand.choice(like(code)), *program.lines[at][1:]]
    label = f"opcode {name_of(program.lines[at][0])} to {name_of(line[0])}"
    return made(program, label, [*program.lines[:at], line, *program.lines[at + 1 :]], program.is_live(at), True)


def version(program: Program, rand: random.Random) -> Mutant | None:
    header = list(program.header)
    header[1] = 0x10000 | rand.randrange(7) << 8
    return None if header == program.header else made(program, "version", program.lines, True, False, header)


def exchange(program: Program, rand: random.Random) -> Mutant | None:
    """Two instructions of one block change places."""
    places = [at for at in program.function_of if at + 1 in program.function_of]
    at = rand.choice(places) if places else -1
    if at < 0 or program.lines[at][0] in (op.Function, op.FunctionParameter, op.Label):
        return None
    lines = [*program.lines[:at], program.lines[at + 1], program.lines[at], *program.lines[at + 2 :]]
    label = f"exchange {name_of(program.lines[at][0])} and {name_of(program.lines[at + 1][0])}"
    return made(program, label, lines, program.is_live(at), True)


def swap(program: Program, rand: random.Random) -> Mutant | None:
    """Two ids of one instruction change places: operands, members of a struct, labels, interface variables."""
    in_body = rand.random() < 0.8
    places = [at for at, line in enumerate(program.lines) if (at in program.function_of) == in_body and len(line) > 2]
    if not places:
        return None
    at = rand.choice(places)
    line = list(program.lines[at])
    words = [word.at for word in words_of(line) if word.kind == "Id"]
    if len(words) < 2:
        return None
    first, other = rand.sample(words, 2)
    line[first], line[other] = line[other], line[first]
    if line == program.lines[at]:
        return None
    lines = [*program.lines[:at], line, *program.lines[at + 1 :]]
    return made(program, f"swap operands of {shown(line)}", lines, program.is_live(at), in_body)


def value(program: Program, rand: random.Random) -> Mutant | None:
    """An operand that is a constant becomes one with another value, or undefined."""
    constants = {each: at for each, at in program.defined.items() if program.lines[at][0] == op.Constant}
    places: list[tuple[int, Word]] = []
    for at in program.function_of:
        line = program.lines[at]
        places.extend([(at, word) for word in words_of(line) if word.kind == "Id" and line[word.at] in constants])
    if not places:
        return None
    at, word = rand.choice(places)
    line = list(program.lines[at])
    header = list(program.header)
    old = program.lines[constants[line[word.at]]]
    new = [old[0], old[1], header[3], *old[3:]]
    label = f"value of {name_of(line[0])} operand {word.at}"
    if rand.random() < 0.15:
        new = [op.Undef, old[1], header[3]]
        label += " undefined"
    else:
        near = (old[3] + 1 & 0xFFFFFFFF, max(0, old[3] - 1), old[3] ^ 8, old[3] ^ 0x40, old[3] ^ 0x100)
        new[3] = rand.choice((*near, 0, 1, 2, 3, 4))
        if new[3] == old[3]:
            return None
    info = opcodes.info(line[0])
    kinds = {spec.kind for spec in info.operands} if info is not None else set()
    if "IdMemorySemantics" in kinds and is_order(line[0], word.at):
        label += f" order from {old[3]:#x} to {new[3] if len(new) > 3 else 'undefined'}"
    line[word.at] = header[3]
    header[3] += 1
    lines = [list(each) for each in program.lines]
    lines[at] = line
    lines.insert(constants[program.lines[at][word.at]] + 1, new)
    return made(program, label, lines, program.is_live(at), True, header)


def is_order(code: int, at: int) -> bool:
    """Whether a word of an instruction is a scope or memory semantics."""
    info = opcodes.info(code)
    if info is None:
        return False
    first = 1 + info.has_type + info.has_result
    kinds = [spec.kind for spec in info.operands]
    return 0 <= at - first < len(kinds) and kinds[at - first] in ("IdScope", "IdMemorySemantics")


def remove(program: Program, rand: random.Random) -> Mutant | None:
    """A store, barrier or another instruction without a result is gone, or stands twice."""
    places = [
        at
        for at in program.function_of
        if not program.result(program.lines[at]) and program.lines[at][0] not in STRUCTURAL
    ]
    if not places:
        return None
    at = rand.choice(places)
    line = program.lines[at]
    if rand.random() < 0.4:
        lines = [*program.lines[: at + 1], list(line), *program.lines[at + 1 :]]
        return made(program, f"twice {name_of(line[0])}", lines, program.is_live(at), True)
    lines = [*program.lines[:at], *program.lines[at + 1 :]]
    return made(program, f"remove {name_of(line[0])}", lines, program.is_live(at), True)


STRUCTURAL: Final = (
    op.Function, op.FunctionEnd, op.Label, op.SelectionMerge, op.LoopMerge, op.Branch, op.BranchConditional, op.Switch,
    op.Return, op.ReturnValue, op.Kill, op.Unreachable, op.TerminateInvocation, op.Line, op.NoLine, op.Name,
)  # fmt: skip


def move(program: Program, rand: random.Random) -> Mutant | None:
    """An instruction stands elsewhere in its function: in front of a branch, behind it, in another block."""
    places = [
        at
        for at in program.function_of
        if program.lines[at][0] not in (*STRUCTURAL, op.Phi, op.Variable, op.FunctionParameter)
    ]
    strong = [at for at in places if is_strong(program.lines[at][0])]
    if not places:
        return None
    at = rand.choice(strong if strong and rand.random() < 0.7 else places)
    function = program.function_of[at]
    line = program.lines[at]
    others = [
        to
        for to, its in program.function_of.items()
        if its == function
        and abs(to - at) < 60
        and program.lines[to][0] not in (op.Function, op.FunctionParameter, op.Label, op.Variable, op.Phi)
        and program.lines[to - 1][0] not in (op.SelectionMerge, op.LoopMerge)
        and to not in (at, at + 1)
    ]
    if not others:
        return None
    to = rand.choice(others)
    lines = [*program.lines[:at], *program.lines[at + 1 :]]
    lines.insert(to if to < at else to - 1, line)
    return made(program, f"move {name_of(line[0])}", lines, program.is_live(at), True)


def is_strong(code: int) -> bool:
    """Whether where an instruction stands is likely to matter."""
    info = opcodes.info(code)
    return info is not None and info.group in ("Non-Uniform", "Group", "Barrier", "Atomic", "Derivative", "Primitive")


def drop(program: Program, rand: random.Random) -> Mutant | None:
    """The last words of an instruction are gone, which it may lack."""
    places = [
        at
        for at, line in enumerate(program.lines)
        if (info := opcodes.info(line[0])) is not None and info.operands and info.operands[-1].quantifier
    ]
    if not places:
        return None
    at = rand.choice(places)
    line = program.lines[at]
    count = rand.choice((1, 1, 2, 3))
    if len(line) - count < 2:
        return None
    lines = [*program.lines[:at], line[:-count], *program.lines[at + 1 :]]
    label = f"drop {count} of {shown(line)} {target(program, line)}".strip()
    if line[0] == op.EntryPoint:
        label = "OpEntryPoint interface Id"
    return made(program, label, lines, program.is_live(at), at in program.function_of)


def terminator(program: Program, rand: random.Random) -> Mutant | None:
    """A block ends otherwise."""
    codes = (op.Branch, op.Return, op.Kill, op.Unreachable, op.TerminateInvocation)
    places = [at for at in program.function_of if program.lines[at][0] in codes]
    if not places:
        return None
    at = rand.choice(places)
    line = [rand.choice((op.Return, op.Kill, op.Unreachable, op.TerminateInvocation))]
    if line == program.lines[at]:
        return None
    label = f"add terminator {name_of(line[0])} for {name_of(program.lines[at][0])}"
    if program.lines[at][0] == op.Unreachable:
        label = f"terminator OpUnreachable becomes {name_of(line[0])}"
    return made(program, label, [*program.lines[:at], line, *program.lines[at + 1 :]], program.is_live(at), True)


def storage(program: Program, rand: random.Random) -> Mutant | None:
    """All variables and pointers of one storage class, or of one pointer type, are of another class."""
    pointers = [at for at, line in enumerate(program.lines) if line[0] == op.TypePointer]
    if not pointers:
        return None
    at = rand.choice(pointers)
    old, new = program.lines[at][2], rand.choice(CLASSES)
    if old == enums.StorageClassFunction:
        return None
    alone = rand.random() < 0.3
    lines = [list(line) for line in program.lines]
    for line in lines:
        if line[0] == op.TypePointer and line[2] == old and (not alone or line is lines[at]):
            line[2] = new
        if line[0] == op.Variable and line[3] == old and (not alone or line[1] == lines[at][1]):
            line[3] = new
    label = f"storage {opcodes.enum_name('StorageClass', old)} to {opcodes.enum_name('StorageClass', new)}"
    return made(program, label, lines, program.is_live(at), False) if lines != program.lines else None


CLASSES: Final = (
    enums.StorageClassUniformConstant, enums.StorageClassInput, enums.StorageClassUniform, enums.StorageClassOutput,
    enums.StorageClassWorkgroup, enums.StorageClassCrossWorkgroup, enums.StorageClassPrivate,
    enums.StorageClassPushConstant, enums.StorageClassStorageBuffer,
)  # fmt: skip


def specialize(program: Program, rand: random.Random) -> Mutant | None:
    """A constant becomes one of the specialization."""
    codes = {op.Constant: op.SpecConstant, op.ConstantTrue: op.SpecConstantTrue, op.ConstantFalse: op.SpecConstantFalse}
    places = [at for at, line in enumerate(program.lines) if line[0] in codes]
    if not places:
        return None
    at = rand.choice(places)
    line = program.lines[at]
    lines = [list(each) for each in program.lines]
    lines[at][0] = codes[line[0]]
    if rand.random() < 0.8:
        first = first_of(program, op.TypeVoid, op.TypeBool, op.TypeInt, op.TypeFloat)
        lines.insert(first, [op.Decorate, line[2], enums.DecorationSpecId, 90])
    return made(program, "specialization constant", lines, program.is_live(at), False)


def images(program: Program, rand: random.Random) -> Mutant | None:
    """Image operands more."""
    places: list[tuple[int, int]] = []
    for at in program.function_of:
        line = program.lines[at]
        info = opcodes.info(line[0])
        kinds = [spec.kind for spec in info.operands] if info is not None else []
        if "ImageOperands" in kinds:
            places.append((at, 1 + kinds.index("ImageOperands") + info.has_type + info.has_result))  # type: ignore[union-attr]
    if not places:
        return None
    at, mask = rand.choice(places)
    line = list(program.lines[at])
    bit, name = rand.choice(
        ((0x400, "NonPrivateTexel"), (0x800, "VolatileTexel"), (0x1000, "SignExtend"), (0x2000, "ZeroExtend"),
         (0x4000, "Nontemporal"), (0x2, "Lod"), (0x1, "Bias"), (0x40, "Sample"))
    )  # fmt: skip
    if len(line) > mask:
        line[mask] ^= bit
    else:
        line.append(bit)
        if bit in (0x1, 0x2, 0x40):
            line.append(rand.choice([each for each, its in program.defined.items() if its not in program.function_of]))
    lines = [*program.lines[:at], line, *program.lines[at + 1 :]]
    return made(program, f"ImageOperands {name} of {name_of(line[0])}", lines, program.is_live(at), True)


ACTIONS: Final = [
    delete, change, decorate, mode, capability, use, initializer, access, opcode, version, exchange,
    swap, value, remove, move, drop, terminator, storage, specialize, images,
]  # fmt: skip
WEIGHTS: Final = [14, 40, 22, 6, 2, 10, 4, 5, 12, 1, 6, 12, 12, 10, 12, 4, 3, 5, 3, 4]


def mutants(data: bytes, seed: str, count: int) -> Iterator[Mutant]:
    """Up to `count` different ones that the validator accepts, from ten times as many draws."""
    program = Program(data)
    rand = random.Random(seed)
    known = {data}
    judge = accepted if accepted(data) else by_our_rules
    for _ in range(10 * count):
        drawn = mutant(program, rand)
        if drawn is None or drawn.data in known:
            continue
        known.add(drawn.data)
        if judge(drawn.data):
            yield drawn
            count -= 1
            if count == 0:
                return


def accepted(data: bytes) -> bool:
    """By SPIRV-Tools' validator, or where it isn't there by our own rules."""
    return accepts(data) if find("slang-glslang") is not None else by_our_rules(data)


def by_our_rules(data: bytes) -> bool:
    """By the universal rules alone, for kernels and libraries."""
    program = Program(data)
    for line in program.lines:  # OpAccessChain: "Its Storage Class operand must match that of Base"
        if line[0] in (op.AccessChain, op.InBoundsAccessChain) and len(line) > 3 and line[3] in program.defined:
            types = [program.defined.get(each, 0) for each in (line[1], program.lines[program.defined[line[3]]][1])]
            if len({tuple(program.lines[each][2:3]) for each in types}) > 1:
                return False
    try:
        return all(each.severity != "error" for each in reknit.check(data))
    except InputError:
        return False


def judged(before: Module, after: Module) -> set[str]:
    """What a proof without a run says: "proved" for all entry points, "certified" for one."""
    said: set[str] = set()
    proof = _Proof(before, after, Question())
    try:
        entries = proof.entries()
        proved = True
        certified = len(entries) == 1
        for entry in entries:
            promises = proof.promises(entry)
            proof.coverage.weaker.update(dict.fromkeys(promises.weaker))
            proof.coverage.unsure.update(dict.fromkeys(promises.unsure))
            proved = proved and not promises.weaker and (proof.coverage.trivial or proof.is_proved_by_terms(entry))
            certified = certified and not (
                promises.weaker or promises.unsure or promises.counted or promises.uncertified
            )
        if proved:
            said.add("proved")
        if certified and written(before, after, entries[0], "declared")[0]:
            said.add("certified")
        if len(entries) == 1 and is_forged(before, after, entries[0]):
            said.add("forged")
    except InputError:
        pass
    return said


def is_forged(before: Module, after: Module, entry: str) -> bool:
    """Whether a certificate of the first program with itself holds for the pair."""
    main = function_of_entry(find_entry(before, entry), True)
    lines, reason = find_certificate([before, before], [main, main])
    if reason:
        return False
    try:
        prove(before, after, Question(certificate=framed(before, after, entry, lines)))
    except InputError:
        return False
    return True


def capabilities(module: Module) -> set[int]:
    """Those that a module declares, and that these imply, but for those that every device has."""
    return opcodes.with_implied([line.word(0) for line in module.capabilities]) - set(_EVERYWHERE)


def reason(label: str, patterns: dict[str, str]) -> str:
    return next((why for pattern, why in patterns.items() if re.search(pattern, label)), "")


def is_right_way(label: str, to_mutant: bool, back: bool) -> bool:
    """Whether it is proved in one direction, in which a promise is more or an assumption less."""
    if to_mutant == back:
        return False
    gains = to_mutant if label.startswith("add") else not to_mutant  # the second version has the word
    if label.startswith("change"):  # the word is another one: which of the two promises more is not asked here
        return bool(reason(label, PROMISES) or reason(label, ASSUMPTIONS))
    return bool(reason(label, PROMISES if gains else ASSUMPTIONS))


def is_told_apart(before: Module, after: Module) -> bool | None:
    """Whether runs refute what a proof of terms says; None where nothing could be run, or not in time."""
    signal.signal(signal.SIGALRM, _ring)
    signal.setitimer(signal.ITIMER_REAL, 2 * SECONDS)
    try:
        verdict = prove(
            before, after, Question(subgroup_sizes=[4], sample=6, by_terms=False, max_steps=20_000, limit=8)
        )
    except InputError as error:
        return error.diagnostics[0].code == "RK1301"
    except TimeoutError:
        return None
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
    if verdict.verdict != "refuted" and not verdict.coverage.has_judged():
        return None
    if "undefined values are" in (verdict.reason or ""):
        return None  # a run fills in one value for all of them, which each use may choose for itself
    return verdict.verdict == "refuted"


def _ring(number: int, frame: object) -> None:
    raise TimeoutError


def wrong(original: bytes, each: Mutant, counts: Counter[str] | None = None, review: list[str] | None = None) -> str:
    """Why a mutant must not be proved and is; "" where all is well."""
    try:
        with reknit.Limits(seconds=SECONDS):
            modules = [reknit.load(data, format="spv") for data in (original, each.data)]
            ways = [judged(*modules), judged(modules[1], modules[0])]
    except (InputError, reknit.LimitExceeded):
        return ""
    for said in ways[0] | ways[1]:
        if counts is not None:
            which = "both ways" if said in ways[0] and said in ways[1] else "one way"
            counts[f"{said} {which}: {each.label}{'' if each.live else ' (unused)'}"] += 1
    if not (ways[0] | ways[1]) or not each.live or reason(each.label, ALLOWED):
        return ""
    if "OpCapability" in each.label and capabilities(modules[0]) == capabilities(modules[1]):
        return ""
    if is_right_way(each.label, bool(ways[0]), bool(ways[1])):
        return ""
    if each.in_body or re.search(BY_RUNS, each.label):
        pairs = [pair for pair, said in zip((modules, modules[::-1]), ways, strict=True) if said]
        try:
            with reknit.Limits(seconds=SECONDS):
                found = [is_told_apart(*pair) for pair in pairs]
        except reknit.LimitExceeded:
            found = [None]
        if None in found and counts is not None:
            counts[f"not run: {each.label}"] += 1
        if True not in found and not re.search(BY_RULE, each.label):
            if None in found and review is not None:
                review.append(each.label)
            return ""
    said = ", ".join(
        f"{'/'.join(sorted(each))} {way}" for each, way in zip(ways, ("to the mutant", "back"), strict=True) if each
    )
    return f"{each.label}: {said}"


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--count", type=int, default=20_000)
    parser.add_argument("--seed", default="0")
    parser.add_argument("--save", type=Path)
    options = parser.parse_args()
    counts: Counter[str] = Counter()
    ran = faults = used = 0
    begun = time.monotonic()
    per_file = -(-options.count // len(options.files))
    for number, file in enumerate(options.files):
        try:
            original = file.read_bytes() if file.suffix == ".spv" else reknit.to_bytes(reknit.load(str(file)))
            reknit.load(original, format="spv")
        except InputError:
            continue
        if not accepted(original) and not by_our_rules(original):
            continue
        used += 1
        for each in mutants(original, f"{options.seed}/{number}", per_file):
            ran += 1
            review: list[str] = []
            try:
                why = wrong(original, each, counts, review)
            except Exception as error:  # a fault as well, and no reason to look at no others
                why = f"{each.label}: {type(error).__name__} {error}"
            if why:
                faults += 1
                print(f"{file}: {why}", flush=True)
            if options.save is not None and (why or review):
                name = f"{faults}" if why else f"unrun{ran}"
                if not why:
                    print(f"{name} {file}: {review[0]}", file=sys.stderr)
                options.save.mkdir(parents=True, exist_ok=True)
                (options.save / f"{name}.before.spv").write_bytes(original)
                (options.save / f"{name}.after.spv").write_bytes(each.data)
        if number % 10 == 9:
            print(
                f"# {number + 1} files, {ran} mutants, {faults} faults, {time.monotonic() - begun:.0f} s",
                file=sys.stderr,
                flush=True,
            )
        if ran >= options.count:
            break
    for label, count in counts.most_common():
        print(f"{count:6} {label}")
    print(f"{used} modules, {ran} mutants, {faults} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
