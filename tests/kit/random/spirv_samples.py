"""Modules for the codec's tests: every instruction of the grammar with random operands, as words.

They follow the grammar and nothing else: no validator would accept them, every assembler has to.
"""

import random
import struct

from reknit.ir import op
from reknit.ir.opcodes import (
    EXTENDED,
    FIRST_OWN,
    MASK,
    OPCODE,
    PAIR,
    STRING,
    TYPED,
    VALUE,
    OperandSpec,
    all_codes,
    by_name,
    enum_parameters,
    ext_set,
    info,
    is_enum,
    kind,
)
from reknit.ir.operands import string_to_words

INTS = [(8, 0), (8, 1), (16, 0), (16, 1), (32, 0), (32, 1), (64, 0), (64, 1)]
FLOATS = [(16, None), (32, None), (64, None), (16, 0), (8, 4214), (8, 4215)]
SETS = [
    "GLSL.std.450",
    "OpenCL.std",
    "OpenCL.DebugInfo.100",
    "NonSemantic.Shader.DebugInfo.100",
    "NonSemantic.ClspvReflection.5",
    "NonSemantic.Unheard.Of",
    "SPV_AMD_shader_ballot",
]
STRINGS = [
    "",
    "abc",
    "main",
    'with "quotes" and \\',
    "blatt grün ✓",
    "a\nb",
    "x" * 300,
    "Op",
    "%1 = OpNop",
    "; no comment",
]
# Operations that SPIRV-Tools lets OpSpecConstantOp have; the grammar does not list them.
OPERATIONS = [
    "SConvert",
    "IAdd",
    "Not",
    "CompositeExtract",
    "CompositeInsert",
    "VectorShuffle",
    "Select",
    "AccessChain",
]


class Sample:
    """A module that grows by random instructions. Ids 1 to 9 stay free, so that nothing refers to them by accident."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.next = 10
        self.words: list[int] = []
        self.ints: list[tuple[int, int, int]] = []  # type id, width, signed
        self.floats: list[tuple[int, int]] = []  # type id, width
        self.sets: list[tuple[int, str]] = []
        self.selectors: list[tuple[int, int, int]] = []  # value id, width, signed
        for name in SETS:
            self.sets.append((self.next, name))
            self.add(op.ExtInstImport, [self.new(), *string_to_words(name)])
        for width, signed in INTS:
            self.ints.append((self.next, width, signed))
            self.add(op.TypeInt, [self.new(), width, signed])
        for width, encoding in FLOATS:
            self.floats.append((self.next, width))
            self.add(op.TypeFloat, [self.new(), width] + ([] if encoding is None else [encoding]))
        for type_id, width, signed in self.ints:
            self.selectors.append((self.next, width, signed))
            self.add(op.Undef, [type_id, self.new()])

    def new(self) -> int:
        self.next += 1
        return self.next - 1

    def id(self) -> int:
        return self.random.randrange(10, self.next)

    def add(self, code: int, words: list[int]) -> None:
        self.words += [(len(words) + 1) << 16 | code, *words]

    def data(self) -> bytes:
        return struct.pack(f"<{5 + len(self.words)}I", 0x07230203, 0x10600, 0, self.next, 0, *self.words)

    def instruction(self, code: int) -> None:
        """Append one instruction of this opcode."""
        about = info(code)
        assert about is not None
        if about.group == "Type-Declaration" and about.name in ("TypeInt", "TypeFloat"):
            return
        if code == op.ExtInstImport:
            return
        words: list[int] = []
        if code in (op.Constant, op.SpecConstant):
            words += self.constant()
            self.add(code, words)
            return
        if about.has_type:
            words.append(self.id())
        if about.has_result:
            words.append(self.new())
        if code == op.Switch:
            value, width, signed = self.random.choice(self.selectors)
            words += [value, self.id()]
            for _ in range(self.random.randrange(4)):
                words += [*self.integer(width, bool(signed)), self.id()]
            self.add(code, words)
            return
        todo = list(reversed(about.operands))
        while todo:
            spec = todo.pop()
            if spec.quantifier == "?" and self.random.random() < 0.4:
                break
            times = self.random.randrange(4) if spec.quantifier == "*" else 1
            for _ in range(times):
                self.operand(spec, words, todo)
        self.add(code, words)

    def constant(self) -> list[int]:
        if self.random.random() < 0.5:
            type_id, width, signed = self.random.choice(self.ints)
            return [type_id, self.new(), *self.integer(width, bool(signed))]
        type_id, width = self.random.choice(self.floats)
        special = self.random.choice([0, 1, 1 << (width - 1), (1 << (width - 1)) - 1, 0x3F800000, 0x7F800000, 0x3C00])
        value = special if self.random.random() < 0.3 else self.random.getrandbits(width)
        value &= (1 << width) - 1
        return [type_id, self.new(), value & 0xFFFFFFFF] + ([value >> 32] if width == 64 else [])

    def integer(self, width: int, signed: bool) -> list[int]:
        value = self.random.getrandbits(width)
        if signed and width < 32 and value >> (width - 1):
            value |= 0xFFFFFFFF ^ ((1 << width) - 1)
        return [value & 0xFFFFFFFF] + ([value >> 32] if width == 64 else [])

    def operand(self, spec: OperandSpec, words: list[int], todo: list[OperandSpec]) -> None:
        rand = self.random
        if spec.form == PAIR:
            for base in kind(spec.kind).bases:
                words.append(self.id() if base == "IdRef" else rand.getrandbits(32))
        elif spec.form == STRING:
            words += string_to_words(rand.choice(STRINGS))
        elif spec.form == OPCODE:
            inner = by_name(rand.choice(OPERATIONS))
            assert inner is not None
            words.append(inner.code)
            todo.extend(reversed(inner.operands))
        elif spec.form == EXTENDED:
            words[-1], name = rand.choice(self.sets)
            todo.clear()
            found = ext_set(name)
            if found is None:
                words += [rand.randrange(100), self.id()]
                return
            inst = rand.choice(list(found.by_number.values()))
            words.append(inst.number)
            todo.extend(reversed(inst.operands))
        elif is_enum(spec.kind):
            values = list(kind(spec.kind).values())
            value = rand.choice(values)
            if kind(spec.kind).category == "BitEnum":
                value |= rand.choice(values) | rand.choice(values)
            words.append(value)
            if spec.form in (VALUE, MASK):
                todo.extend(reversed(enum_parameters(spec.kind, value)))
        elif spec.kind.startswith("Id"):
            words.append(self.id())
        else:
            assert spec.form != TYPED
            words.append(rand.getrandbits(32) if rand.random() < 0.3 else rand.randrange(10))


def spirv_codes() -> list[int]:
    """What a SPIR-V binary can hold."""
    return [code for code in all_codes() if code < FIRST_OWN]


def every_instruction(seed: int) -> bytes:
    """One module with an instruction of each opcode."""
    sample = Sample(seed)
    for code in spirv_codes():
        sample.instruction(code)
    return sample.data()


def some_instructions(seed: int, count: int) -> bytes:
    """A module of so many instructions, and the types that all samples have."""
    sample = Sample(seed)
    codes = spirv_codes()
    for _ in range(count):
        sample.instruction(sample.random.choice(codes))
    return sample.data()
