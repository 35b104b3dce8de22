"""fold: identities and phis as texts before and after, and what rounds or is undefined stays.

The operations themselves are swept in tests/unit/ir/test_numbers.py and test_fold_sweep.py.
"""

import itertools
import struct

import pytest
from kit import oracles
from kit.oracles.folded_values import FLOAT_COMPARE, corners, folded, name, simulated
from kit.programs.values import proved, run_on_random
from kit.text.pass_texts import apply, body

from reknit.ir import enums, op
from reknit.ir.module import Module, annotation
from reknit.ir.text.parser import parse
from reknit.ir.text.printer import print_module
from reknit.ir.types import bool_type, float_type, int_type, vector_type
from reknit.ir.walk import instructions
from reknit.passes.manager import run_passes
from reknit.passes.values.components import fold_components
from reknit.passes.values.fold import FOLD
from reknit.sim.ops.table import scalar_function
from reknit.sim.ops.undefined import Undefined
from reknit.sim.values import BOOL, FLOAT_KIND, INT_KIND, Shape, vector
from reknit.spirv.write import write_module

WIDTHS = [8, 16, 32, 64]
MODULE = Module()


def bits(value: float, width: int) -> int:
    floats, words = {16: ("<e", "<H"), 32: ("<f", "<I"), 64: ("<d", "<Q")}[width]
    packed: int = struct.unpack(words, struct.pack(floats, value))[0]
    return packed


@pytest.mark.parametrize("width", [16, 32, 64])
def test_floats_are_folded_where_the_machine_agrees_and_nothing_is_rounded(width: int) -> None:
    """A result that is folded must be the machine's; what is NaN, infinite, denormal or rounded must not be folded."""
    type = float_type(MODULE, width)
    shape = Shape(FLOAT_KIND, width)
    values = [0.0, -0.0, 1.0, -1.0, 0.5, -2.75, 100.0, -128.0, 255.0, 256.0, 40000.0, 65504.0]
    strange = [bits(float("nan"), width), bits(float("inf"), width), bits(float("-inf"), width), 1]
    truth = bool_type(MODULE)
    for a, b in itertools.product(values, values):
        for code in FLOAT_COMPARE:
            pair = [bits(a, width), bits(b, width)]
            assert folded(code, truth, [type, type], pair) == simulated(code, BOOL, [shape, shape], pair), (
                name(code),
                a,
                b,
            )
    for odd in strange:
        assert folded(op.FOrdEqual, truth, [type, type], [odd, odd]) is None
        assert folded(op.ConvertFToS, int_type(MODULE, 32, True), [type], [odd]) is None
        assert folded(op.FConvert, float_type(MODULE, 32), [type], [odd]) is None
    for a, to in itertools.product(values, WIDTHS):
        for code in (op.ConvertFToS, op.ConvertFToU):
            found = folded(code, int_type(MODULE, to, True), [type], [bits(a, width)])
            assert found == simulated(code, Shape(INT_KIND, to), [shape], [bits(a, width)]), (name(code), a, to)
    for source in WIDTHS:
        for a in corners(source):
            for code in (op.ConvertSToF, op.ConvertUToF):
                found = folded(code, type, [int_type(MODULE, source, True)], [a])
                assert found is None or found == simulated(code, shape, [Shape(INT_KIND, source)], [a])
    for code in (op.FAdd, op.FSub, op.FMul):
        for a, b in itertools.product(values, values):
            pair = [bits(a, width), bits(b, width)]
            found = folded(code, type, [type, type], pair)
            assert found is None or found == simulated(code, shape, [shape, shape], pair), (name(code), a, b)
        assert all(folded(code, type, [type, type], [odd, bits(1.0, width)]) is None for odd in strange)


@pytest.mark.parametrize("width", [16, 32, 64])
def test_sums_and_products_are_folded_where_they_are_exact(width: int) -> None:
    """By hand: a significand has 11, 24 or 53 bits (IEEE 754), and 1 plus half of the last place is rounded."""
    type = float_type(MODULE, width)
    places = {16: 11, 32: 24, 64: 53}[width]
    smallest = bits(2.0 ** {16: -14, 32: -126, 64: -1022}[width], width)

    def of(code: int, a: int, b: int) -> int | None:
        return folded(code, type, [type, type], [a, b])

    def number(value: float) -> int:
        return bits(value, width)

    assert of(op.FAdd, number(1.0), number(2.0 ** (1 - places))) == number(1.0) + 1
    assert of(op.FAdd, number(1.0), number(2.0**-places)) is None
    assert of(op.FSub, number(1.0), number(2.0**-places)) == number(1.0) - 1
    assert of(op.FMul, number(1.5), number(-2.5)) == number(-3.75)
    assert of(op.FMul, number(1.0) + 1, number(1.0) + 1) is None
    assert of(op.FMul, smallest, number(0.5)) is None, "denormal"
    assert of(op.FMul, number(40000.0), number(40000.0)) == (None if width == 16 else number(1.6e9))
    assert of(op.FMul, number(-0.0), number(3.0)) == number(-0.0)
    assert of(op.FAdd, number(-0.0), number(-0.0)) == number(-0.0)
    assert of(op.FAdd, number(-0.0), number(0.0)) is None and of(op.FAdd, number(1.0), number(-1.0)) is None
    assert of(op.FSub, number(0.0), number(-0.0)) == number(0.0)


def test_what_a_conversion_rounds_is_left_alone() -> None:
    """2^24 + 1 is the first integer that f32 has no room for (IEEE 754: 24 bits of precision)."""
    word = int_type(MODULE, 32, False)
    f32 = float_type(MODULE, 32)
    assert folded(op.ConvertUToF, f32, [word], [1 << 24]) == bits(2.0**24, 32)
    assert folded(op.ConvertUToF, f32, [word], [(1 << 24) + 1]) is None
    assert folded(op.FConvert, float_type(MODULE, 16), [f32], [bits(0.1, 32)]) is None
    assert folded(op.FConvert, float_type(MODULE, 64), [f32], [bits(0.1, 32)]) == bits(
        struct.unpack("<f", struct.pack("<f", 0.1))[0], 64
    )


def test_booleans_and_selections() -> None:
    truth = bool_type(MODULE)
    for a, b in itertools.product((0, 1), (0, 1)):
        for code in (op.LogicalAnd, op.LogicalOr, op.LogicalEqual, op.LogicalNotEqual):
            assert folded(code, truth, [truth, truth], [a, b]) == simulated(code, BOOL, [BOOL, BOOL], [a, b])
        assert folded(op.Select, truth, [truth] * 3, [a, b, 1 - b]) == (b if a else 1 - b)
    assert [folded(op.LogicalNot, truth, [truth], [a]) for a in (0, 1)] == [1, 0]


def test_bitcasts_lay_components_end_to_end() -> None:
    """By hand: 0x11223344 in four bytes, lowest first."""
    word = int_type(MODULE, 32, False)
    bytes4 = vector_type(MODULE, int_type(MODULE, 8, False), 4)
    assert fold_components(op.Bitcast, bytes4, [word], [[0x11223344]]) == [0x44, 0x33, 0x22, 0x11]
    assert fold_components(op.Bitcast, word, [bytes4], [[0x44, 0x33, 0x22, 0x11]]) == [0x11223344]
    shape = vector(Shape(INT_KIND, 8), 4)
    function = scalar_function(op.Bitcast, shape, [Shape(INT_KIND, 32)], [], Undefined(lambda lane, message: None))
    assert function is not None and list(function(0x11223344)) == [0x44, 0x33, 0x22, 0x11]


X = "%x = Load %slot : u32\n"
C = "%c = ULessThan %lane, 2u : bool\n"

# (operations ending in %r, what takes the place of %r)
WORDS = {
    "sum": ("%a = IAdd 2u, 3u : u32\n%r = IMul %a, 4u : u32\n", "20u"),
    "x + 0": ("%r = IAdd %x, 0u : u32\n", "%x"),
    "0 + x": ("%r = IAdd 0u, %x : u32\n", "%x"),
    "x - 0": ("%r = ISub %x, 0u : u32\n", "%x"),
    "x - x": ("%r = ISub %x, %x : u32\n", "0u"),
    "x * 1": ("%r = IMul %x, 1u : u32\n", "%x"),
    "x * 0": ("%r = IMul 0u, %x : u32\n", "0u"),
    "x & x": ("%r = BitwiseAnd %x, %x : u32\n", "%x"),
    "x & ~0": ("%r = BitwiseAnd %x, 4294967295u : u32\n", "%x"),
    "x | ~0": ("%r = BitwiseOr %x, 4294967295u : u32\n", "4294967295u"),
    "x ^ x": ("%r = BitwiseXor %x, %x : u32\n", "0u"),
    "x << 0": ("%r = ShiftLeftLogical %x, 0u : u32\n", "%x"),
    "x / 1": ("%r = UDiv %x, 1u : u32\n", "%x"),
    "x % 1": ("%r = UMod %x, 1u : u32\n", "0u"),
    "not not": ("%a = Not %x : u32\n%r = Not %a : u32\n", "%x"),
    "equal arms": ("%r = Select %c, %x, %x : u32\n", "%x"),
    "known condition": ("%t = ULessThan 1u, 2u : bool\n%r = Select %t, %x, %lane : u32\n", "%x"),
    "copy": ("%r = CopyObject %x : u32\n", "%x"),
    "part of what was made": (
        "%v = CompositeConstruct %lane, %x : vec2<u32>\n%r = CompositeExtract %v, 1 : u32\n",
        "%x",
    ),
    "part of what was put in": (
        "%v = CompositeConstruct %lane, %lane : vec2<u32>\n%w = CompositeInsert %x, %v, 1 : vec2<u32>\n"
        "%r = CompositeExtract %w, 1 : u32\n",
        "%x",
    ),
    "part beside what was put in": (
        "%v = CompositeConstruct %x, %lane : vec2<u32>\n%w = CompositeInsert %lane, %v, 1 : vec2<u32>\n"
        "%r = CompositeExtract %w, 0 : u32\n",
        "%x",
    ),
    "vectors": (
        "%v = CompositeConstruct 1u, 2u : vec2<u32>\n%w = IAdd %v, %v : vec2<u32>\n%r = CompositeExtract %w, 1 : u32\n",
        "4u",
    ),
    "shuffle": (
        "%v = CompositeConstruct 1u, 2u : vec2<u32>\n%w = VectorShuffle %v, %v, 3, 0 : vec2<u32>\n"
        "%r = CompositeExtract %w, 0 : u32\n",
        "2u",
    ),
}


@pytest.mark.parametrize("name", WORDS)
def test_a_value_takes_the_place(name: str) -> None:
    text, expected = WORDS[name]
    module = proved(X + C + text + "Store %slot, %r\nreturn", FOLD)
    store = [instr for instr in instructions(module.functions[0]) if instr.op == op.Store][-1]
    wanted = body(X + f"%r = IAdd {expected}, 9u : u32\nStore %slot, %r\nreturn")
    value = next(instr for instr in instructions(wanted.functions[0]) if instr.op == op.IAdd).instr(0)
    stored = store.instr(1)
    assert (stored.op, stored.name) == (value.op, value.name)
    assert stored.op == op.Load or stored.operands == value.operands


def test_an_undefined_value_takes_nobodys_place() -> None:
    """%r is one arbitrary value, so %r - %r is 0; two uses of an OpUndef may differ (SPIR-V 1.6, OpUndef)."""
    text = "%u = Undef : u32\n%r = IAdd %u, 0u : u32\nStore %slot, %r\nreturn"
    module = body(text)
    apply(module, FOLD)
    assert any(instr.op == op.IAdd for instr in instructions(module.functions[0]))


def test_a_decoration_that_the_operand_lacks_keeps_the_operation() -> None:
    module = body(X + "%r = IAdd %x, 0u : u32\n%s = IAdd 1u, 2u : u32\n%t = IAdd %r, %s : u32\nStore %slot, %t\nreturn")
    for instr in list(instructions(module.functions[0])):
        if instr.name in ("r", "s"):
            module.decorations.append(annotation(op.Decorate, [instr, enums.DecorationNonUniform]))
    apply(module, FOLD)
    assert [instr.name for instr in instructions(module.functions[0]) if instr.op == op.IAdd] == ["r", "t"]


def test_random_programs_with_redundancies(full: bool) -> None:
    added, gone = run_on_random(FOLD, range(8000, 8400 if full else 8012))
    assert added > 0 and gone > added // 20, (added, gone)


STORED_ONLY = """Capability Shader
Capability StorageBuffer16BitAccess
Capability StorageBuffer8BitAccess
{more}Extension "SPV_KHR_8bit_storage"
MemoryModel Logical GLSL450
EntryPoint GLCompute @main "main" %b
ExecutionMode @main LocalSize 1 1 1
Decorate %b DescriptorSet 0
Decorate %b Binding 0
Decorate %S Block
MemberDecorate %S 0 Offset 0
MemberDecorate %S 1 Offset 2
MemberDecorate %S 2 Offset 4
%S = TypeStruct f16, u16, u8
%b = Variable StorageBuffer : ptr<StorageBuffer, %S>

func @main() -> void {{
  %21 = FConvert 1.5f : f16
  %22 = UConvert 7u : u16
  %23 = UConvert 9u : u8
  %ph = AccessChain %b, 0 : ptr<StorageBuffer, f16>
  Store %ph %21
  %ps = AccessChain %b, 1 : ptr<StorageBuffer, u16>
  Store %ps %22
  %pc = AccessChain %b, 2 : ptr<StorageBuffer, u8>
  Store %pc %23
  return
}}
"""


@pytest.mark.parametrize(
    ("capabilities", "kept"),
    [
        ("", ["FConvert", "UConvert", "UConvert"]),
        ("Capability Float16\n", ["UConvert", "UConvert"]),
        ("Capability Int16\nCapability Int8\n", ["FConvert"]),
        ("Capability Float16\nCapability Int16\nCapability Int8\n", []),
    ],
)
def test_constants_of_small_numbers_need_their_capability(capabilities: str, kept: list[str]) -> None:
    """Storage access alone allows conversions of width, and no constants ("Cannot form constants of 8- or 16-bit
    types", SPIRV-Tools)."""
    module = parse(STORED_ONLY.format(more=capabilities))
    run_passes(module, "fold,dce")
    text = print_module(module)
    assert [word for word in text.split() if word in ("FConvert", "UConvert")] == kept
    if oracles.find("slang-glslang") is not None:
        accepted, message = oracles.validate(write_module(module))
        assert accepted, message
