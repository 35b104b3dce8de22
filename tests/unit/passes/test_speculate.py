"""speculate: what may run where it was not asked for is defined for every operand, as the simulator reports it.

SPIR-V 1.6, 3.52 says of each operation for which operands the result or the behavior is undefined; the simulator
reports these, and its operations are tested on their own (tests/unit/sim/ops).
"""

import itertools

import pytest
from kit.proving import assert_refines
from kit.text.pass_texts import body, main_text

from reknit.analysis.decorations import Decorations
from reknit.ir import enums, op, opcodes
from reknit.ir.constant_bits import constant
from reknit.ir.instr import Instr, Operand
from reknit.ir.module import Module
from reknit.ir.text.parser import parse
from reknit.ir.text.printer import print_module
from reknit.ir.types import bool_type, float_type, int_type
from reknit.passes.manager import run_passes
from reknit.passes.values.speculate import is_speculatable
from reknit.sim.ops.table import scalar_function
from reknit.sim.ops.undefined import Undefined
from reknit.sim.values import BOOL, FLOAT_KIND, INT_KIND, Shape

MODULE = Module()
NOTHING = Decorations({}, {})
WORD, FLOAT = Shape(INT_KIND, 32), Shape(FLOAT_KIND, 32)
TYPES = {WORD: int_type(MODULE, 32, False), FLOAT: float_type(MODULE, 32), BOOL: bool_type(MODULE)}
TOP = 1 << 31
CORNERS = {
    WORD: (0, 1, 2, 5, 31, 32, 33, TOP - 1, TOP, TOP + 1, 2 * TOP - 1),
    FLOAT: (0, TOP, 0x3F800000, 0xBF800000, 0x7F800000, 0xFF800000, 0x7FC00000, 1, 0x4F800000, 0xCF000001),
    BOOL: (0, 1),
}
INTS = [
    op.IAdd, op.ISub, op.IMul, op.UDiv, op.SDiv, op.UMod, op.SRem, op.SMod, op.BitwiseAnd, op.BitwiseOr, op.BitwiseXor,
    op.ShiftLeftLogical, op.ShiftRightLogical, op.ShiftRightArithmetic,
]  # fmt: skip
FIELDS = [(op.BitFieldUExtract, 3), (op.BitFieldSExtract, 3), (op.BitFieldInsert, 4)]
FLOATS = [op.FAdd, op.FSub, op.FMul, op.FDiv, op.FRem, op.FMod]
OPERATIONS: list[tuple[int, Shape, list[Shape]]] = [
    *[(code, WORD, [WORD, WORD]) for code in INTS],
    *[(code, WORD, [WORD] * count) for code, count in FIELDS],
    *[(code, FLOAT, [FLOAT, FLOAT]) for code in FLOATS],
    *[(code, WORD, [WORD]) for code in (op.SNegate, op.Not, op.BitCount, op.BitReverse, op.UConvert, op.SConvert)],
    *[(code, WORD, [FLOAT]) for code in (op.ConvertFToU, op.ConvertFToS, op.Bitcast)],
    *[(code, FLOAT, [WORD]) for code in (op.ConvertUToF, op.ConvertSToF, op.Bitcast)],
    *[(code, BOOL, [WORD, WORD]) for code in (op.IEqual, op.ULessThan, op.SGreaterThanEqual)],
    *[(code, BOOL, [FLOAT, FLOAT]) for code in (op.FOrdEqual, op.FUnordLessThan)],
    (op.Select, WORD, [BOOL, WORD, WORD]),
]


def name(code: int) -> str:
    info = opcodes.info(code)
    assert info is not None
    return info.name


def is_defined(code: int, result: Shape, shapes: list[Shape], values: tuple[int, ...]) -> bool:
    said: list[str] = []
    function = scalar_function(code, result, shapes, [], Undefined(lambda lane, message: said.append(message)))
    assert function is not None, name(code)
    function(*values)
    return not said


def operation(code: int, result: Shape, operands: list[Operand]) -> Instr:
    return Instr(code, TYPES[result], operands)


@pytest.mark.parametrize(("code", "result", "shapes"), OPERATIONS, ids=[name(each[0]) for each in OPERATIONS])
def test_with_unknown_operands(code: int, result: Shape, shapes: list[Shape]) -> None:
    """It may go anywhere only if no operands at all make it undefined. Of OpFDiv that is said of a divisor of 0, for
    which the simulator has IEEE 754's result."""
    unknown: list[Operand] = [Instr(op.Load, TYPES[shape], [], "x") for shape in shapes]
    always = all(is_defined(code, result, shapes, each) for each in itertools.product(*[CORNERS[s] for s in shapes]))
    found = is_speculatable(operation(code, result, unknown), NOTHING)
    assert found == (always and code != op.FDiv)


@pytest.mark.parametrize("code", [*INTS, *FLOATS], ids=name)
def test_with_a_known_second_operand(code: int) -> None:
    """An amount or divisor that is a constant says whether any first operand makes it undefined."""
    shape = FLOAT if code in FLOATS else WORD
    for second in CORNERS[shape]:
        unknown = Instr(op.Load, TYPES[shape], [], "x")
        found = is_speculatable(operation(code, shape, [unknown, constant(MODULE, TYPES[shape], [second])]), NOTHING)
        always = all(is_defined(code, shape, [shape, shape], (first, second)) for first in CORNERS[shape])
        assert found <= always, second
        if code in INTS:
            assert found == always, second
    zero = constant(MODULE, TYPES[FLOAT], [TOP])  # -0
    assert not is_speculatable(operation(op.FDiv, FLOAT, [Instr(op.Load, TYPES[FLOAT], [], "x"), zero]), NOTHING)


@pytest.mark.parametrize(("code", "count"), FIELDS, ids=[name(code) for code, _ in FIELDS])
def test_fields_within_the_base(code: int, count: int) -> None:
    unknown: list[Operand] = [Instr(op.Load, TYPES[WORD], [], "x") for _ in range(count - 2)]
    for offset, bits in itertools.product((0, 1, 16, 31, 32, 33), repeat=2):
        known: list[Operand] = [constant(MODULE, TYPES[WORD], [number]) for number in (offset, bits)]
        found = is_speculatable(operation(code, WORD, [*unknown, *known]), NOTHING)
        assert found == is_defined(code, WORD, [WORD] * count, (*[5] * (count - 2), offset, bits)), (offset, bits)


def test_an_amount_that_is_masked() -> None:
    x, amount = (Instr(op.Load, TYPES[WORD], [], each) for each in ("x", "n"))
    for mask, allowed in ((31, True), (7, True), (32, False), (0xFFFFFFFF, False)):
        known = constant(MODULE, TYPES[WORD], [mask])
        for operands in ([amount, known], [known, amount]):
            masked = operation(op.BitwiseAnd, WORD, list(operands))
            assert is_speculatable(operation(op.ShiftLeftLogical, WORD, [x, masked]), NOTHING) is allowed


@pytest.mark.parametrize(
    "decoration", [enums.DecorationNoSignedWrap, enums.DecorationNoUnsignedWrap, enums.DecorationFPFastMathMode]
)
def test_what_promises_something_of_its_operands(decoration: int) -> None:
    """SPIR-V 1.6, 3.20: with these the result is undefined where it wraps, or for a NaN or infinity."""
    plain = operation(op.IAdd, WORD, [Instr(op.Load, TYPES[WORD], [], "x"), constant(MODULE, TYPES[WORD], [1])])
    assert is_speculatable(plain, NOTHING)
    assert not is_speculatable(plain, Decorations({plain: [decoration]}, {}))
    assert is_speculatable(plain, Decorations({plain: [enums.DecorationRelaxedPrecision]}, {}))


def test_copies_of_pointers_stay() -> None:
    pointer = Instr(op.TypePointer, None, [enums.StorageClassFunction, TYPES[WORD]])
    variable = Instr(op.Variable, pointer, [enums.StorageClassFunction], "v")
    assert not is_speculatable(Instr(op.CopyObject, pointer, [variable]), NOTHING)
    assert is_speculatable(operation(op.CopyObject, WORD, [Instr(op.Load, TYPES[WORD], [], "x")]), NOTHING)


GUARDED = {
    "IAdd %k, 2147483600u": "NoSignedWrap",
    "ShiftLeftLogical 1u, %k": "",
    "UDiv 100u, %k": "",
    "BitFieldUExtract 77u, %k, 5u": "",
}
SELECTED = """%k = Load %slot : u32
%c = ULessThan %k, 32u : bool
if %c {{ a: %s = {} : u32 }} else {{ b: }}
%r = Phi %s a, 0u b : u32
Store %slot, %r
SEE 1
return"""
IN_A_LOOP = """%k = Load %slot : u32
%c = ULessThan %k, 32u : bool
loop @l {{
  h:
  %i = Phi 0u b0, %n latch : u32
  if %c {{ a: %s = {} : u32 Store %slot, %s }} else {{ b: }}
  %go = ULessThan %i, 3u : bool
  if %go nojoin {{ }} else {{ break @l }}
}} continuing {{ latch: %n = IAdd %i, 1u : u32 }}
return"""
TWICE = """%k = Load %slot : u32
%c = ULessThan %k, 32u : bool
if %c {{ Store %slot, 1u }} else {{ return }}
%s = {} : u32
if %c {{ Store %slot, %s }} else {{ }}
return"""


def decorated(text: str, decoration: str) -> Module:
    module = body(text.replace("b0, ", "b1, ").replace("loop", "b1:\nloop") if "loop" in text else text)
    if decoration:
        module = parse(print_module(module).replace("Decorate ", f"Decorate %s {decoration}\nDecorate ", 1))
    return module


@pytest.mark.parametrize(
    ("text", "pipeline"), [(SELECTED, "simplify-ifs{limit=20}"), (IN_A_LOOP, "licm"), (TWICE, "merge-ifs")],
    ids=["simplify-ifs", "licm", "merge-ifs"],
)  # fmt: skip
def test_passes_ask_the_same(text: str, pipeline: str) -> None:
    """What is undefined for those who skip it stays where it is; the same with an operation that is always defined
    moves."""
    for operation_text, decoration in GUARDED.items():
        module = decorated(text.format(operation_text), decoration)
        before = main_text(module)
        run_passes(module, pipeline)
        assert main_text(module) == before, operation_text
    module = decorated(text.format("IAdd %k, 5u"), "")
    before = main_text(module)
    seen = module.copy()
    run_passes(module, pipeline)
    assert main_text(module) != before
    assert_refines(seen, parse(print_module(module)))
