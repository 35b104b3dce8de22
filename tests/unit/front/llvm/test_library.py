"""The library of numbers: what ships is what its Slang source gives, and is read as `ir.text.parser` reads it."""

import math
import struct
import subprocess
from collections.abc import Callable
from pathlib import Path

import gen_llvm_library
import pytest
from kit import oracles

import reknit
from reknit.front.llvm import syntax
from reknit.front.llvm.bits import integer, like
from reknit.front.llvm.library import expand
from reknit.front.llvm.syntax import Type
from reknit.front.llvm.target import Target
from reknit.front.llvm.unsupported import Refusal
from reknit.ir import op
from reknit.ir.constants import literal_bits
from reknit.ir.instr import Instr
from reknit.ir.text.parser import parse
from reknit.ir.types import width_of
from reknit.source.diagnostic import InputError

pytestmark = pytest.mark.once

FILES = tuple(gen_llvm_library.TYPES)


def text_of(file: str) -> str:
    return (gen_llvm_library.LIBRARY / f"{file}.rk").read_text(encoding="utf-8")


@pytest.mark.parametrize("file", FILES)
def test_what_ships_is_made_of_its_source(file: str) -> None:
    source = gen_llvm_library.LIBRARY / f"{file}.slang"
    assert text_of(file) == gen_llvm_library.lowered(source), "run python tools/gen_llvm_library.py"


@pytest.mark.full(when=lambda file: file != "floats")
@pytest.mark.parametrize("file", FILES)
def test_slangc_takes_the_sources(file: str, tmp_path: Path) -> None:
    """For every type that they are compiled for."""
    tool = oracles.need("slangc")
    options = ["-I", str(gen_llvm_library.LIBRARY), "-entry", "main", "-stage", "compute", "-target", "spirv", "-O0"]
    for type, other in gen_llvm_library.TYPES[file]:
        source = tmp_path / f"{type}{other}.slang"
        source.write_text(gen_llvm_library.composed(gen_llvm_library.LIBRARY / f"{file}.slang", type, other))
        words = [*tool, str(source), *options, "-o", str(tmp_path / "out.spv")]
        ran = subprocess.run(words, capture_output=True, check=False)
        assert ran.returncode == 0, ran.stderr.decode()


@pytest.mark.parametrize("file", FILES)
def test_what_ships_is_valid(file: str) -> None:
    assert [str(fault) for fault in reknit.check(parse(text_of(file))) if fault.severity == "error"] == []


@pytest.mark.parametrize("file", FILES)
def test_functions_are_read_as_the_parser_reads_them(file: str) -> None:
    """Codes, operands and constants: those of the same function in the module that the parser makes."""
    module = parse(text_of(file))
    shipped = expand._File(file)
    for function in module.functions:
        read = shipped.function(function.name)
        assert read is not None
        numbers: dict[object, str] = dict(zip(function.params, read.parameters, strict=True))
        *instrs, last = function.instructions()
        assert [line.code for line in read.lines] == [instr.op for instr in instrs], function.name
        for line, instr in zip(read.lines, instrs, strict=True):
            operands = list(instr.operands)
            if instr.op == op.ExtInst:
                assert line.number == operands[1]
                del operands[:2]
            assert len(line.operands) == len(operands)
            for mine, operand in zip(line.operands, operands, strict=True):
                if isinstance(operand, int):
                    assert int(mine) == operand
                elif operand in numbers:
                    assert mine == numbers[operand]
                else:
                    assert isinstance(operand, Instr) and operand.type is not None
                    type, bits = expand._constant(mine)
                    assert type.width == width_of(operand.type)
                    assert bits & ((1 << type.width) - 1) == literal_bits(operand) & ((1 << type.width) - 1)
            numbers[instr] = line.name
        assert last.op == op.ReturnValue and read.result == numbers[last.operands[0]]


# --- values -----------------------------------------------------------------------------------------------------------

ENDS = (0, 1, 2, 3, 0x3F, 0x40, 0x7E, 0x7F, 0x80, 0x81, 0xC0, 0xFD, 0xFE, 0xFF)
PAIRS = [(a, b) for a in ENDS for b in ENDS]


def signed(x: int) -> int:
    return x - 256 if x & 0x80 else x


def within(x: int, least: int, most: int) -> int:
    return max(least, min(most, x))


MEANINGS: dict[str, Callable[[int, int], int]] = {  # OpenCL C 3.0, 6.15.3
    "_Z4haddhh": lambda a, b: a + b >> 1,
    "_Z4haddcc": lambda a, b: signed(a) + signed(b) >> 1,
    "_Z5rhaddhh": lambda a, b: a + b + 1 >> 1,
    "_Z5rhaddcc": lambda a, b: signed(a) + signed(b) + 1 >> 1,
    "_Z6mul_hihh": lambda a, b: a * b >> 8,
    "_Z6mul_hicc": lambda a, b: signed(a) * signed(b) >> 8,
    "_Z8abs_diffhh": lambda a, b: abs(a - b),
    "_Z8abs_diffcc": lambda a, b: abs(signed(a) - signed(b)),
    "_Z7add_sathh": lambda a, b: within(a + b, 0, 255),
    "_Z7add_satcc": lambda a, b: within(signed(a) + signed(b), -128, 127),
    "_Z7sub_sathh": lambda a, b: within(a - b, 0, 255),
    "_Z7sub_satcc": lambda a, b: within(signed(a) - signed(b), -128, 127),
    "_Z6rotatehh": lambda a, b: a << b % 8 | a >> 8 - b % 8,
}


def stored(callee: str, type: str, more: str = "") -> list[int]:
    """The low words of what a function gives for each of PAIRS, as one kernel stores them."""
    text = f"""declare spir_func i64 @_Z13get_global_idj(i32)
declare {type} @{callee}({type}, {type})
define spir_kernel void @main(ptr addrspace(1) %in, ptr addrspace(1) %out) !reqd_work_group_size !0 {{
  %g = call spir_func i64 @_Z13get_global_idj(i32 0)
  %p = getelementptr [2 x i32], ptr addrspace(1) %in, i64 %g
  %q = getelementptr i32, ptr addrspace(1) %p, i64 1
  %x = load i32, ptr addrspace(1) %p
  %y = load i32, ptr addrspace(1) %q
  %a0 = trunc i32 %x to i8
  %b0 = trunc i32 %y to i8
{more}
  %r = call {type} @{callee}({type} %a, {type} %b)
  %s = {"extractelement <3 x i8> %r, i32 1" if type != "i8" else "add i8 %r, 0"}
  %z = zext i8 %s to i32
  %o = getelementptr i32, ptr addrspace(1) %out, i64 %g
  store i32 %z, ptr addrspace(1) %o
  ret void
}}
!0 = !{{i32 {len(PAIRS)}, i32 1, i32 1}}
"""
    words = [word for pair in PAIRS for word in pair]
    ran = reknit.run(reknit.load(text.encode(), format="ll"), buffers={"in": words, "out": [0] * len(PAIRS)})
    assert [str(fault) for fault in ran.diagnostics] == []
    return ran.buffers["out"].words


SCALARS = "  %a = add i8 %a0, 0\n  %b = add i8 %b0, 0"
VECTORS = """  %a = insertelement <3 x i8> zeroinitializer, i8 %a0, i32 1
  %b = insertelement <3 x i8> zeroinitializer, i8 %b0, i32 1"""


@pytest.mark.parametrize("callee", MEANINGS)
def test_values_of_a_scalar_and_of_a_component(callee: str) -> None:
    expected = [MEANINGS[callee](a, b) & 0xFF for a, b in PAIRS]
    assert stored(callee, "i8", SCALARS) == expected
    letter = callee[-1]
    assert stored(f"{callee[:-2]}Dv3_{letter}S_", "<3 x i8>", VECTORS) == expected


@pytest.mark.parametrize(
    ("number", "expected"),
    [(-2.0, -2), (-4294967296.0, -(1 << 32)), (-1e20, -(1 << 32)), (1e20, (1 << 32) - 1), (math.nan, 0), (7.9, 7)],
)
def test_a_float_becomes_an_integer_that_only_llvm_has(number: float, expected: int) -> None:
    """LLVM Language Reference, "llvm.fptosi.sat": the nearest end of the type; 0 for what is not a number."""
    bits = struct.unpack("<I", struct.pack("<f", number))[0]
    ran = reknit.run(reknit.load(TO_33.encode(), format="ll"), buffers={"in": [bits], "out": [0] * 4})
    assert [str(fault) for fault in ran.diagnostics] == []
    low, high, below, _ = ran.buffers["out"].words
    assert low | high << 32 == expected & (1 << 33) - 1
    assert below == (expected < 7)


TO_33 = """
declare i33 @llvm.fptosi.sat.i33.f32(float)
define spir_kernel void @main(ptr addrspace(1) %in, ptr addrspace(1) %out) !reqd_work_group_size !0 {
  %v = load float, ptr addrspace(1) %in
  %s = call i33 @llvm.fptosi.sat.i33.f32(float %v)
  %z = zext i33 %s to i64
  store i64 %z, ptr addrspace(1) %out
  %c = icmp slt i33 %s, 7
  %d = zext i1 %c to i32
  %p = getelementptr i8, ptr addrspace(1) %out, i64 8
  store i32 %d, ptr addrspace(1) %p
  ret void
}
!0 = !{i32 1, i32 1, i32 1}
"""


def test_a_function_that_is_not_made_for_a_type_is_refused() -> None:
    target = Target("")
    with pytest.raises(Refusal) as refusal:
        expand.expanded(target, "floats", "exp10", [like(integer(32), integer(33))], [target.word(1)])
    assert refusal.value.what == "is exp10 of i33, which is not read here"
    double = Type(syntax.FLOAT, "double", 64)
    with pytest.raises(Refusal) as refusal:
        expand.of_floats(target, "exp10", [double], [target.constant(double, 0)])
    assert refusal.value.what == "is exp10 of a double, which GLSL.std.450 does not have"
    with pytest.raises(InputError, match=r"is uadd.with.overflow of i33"):
        reknit.load(OVERFLOW.encode(), format="ll")


OVERFLOW = """
declare {i33, i1} @llvm.uadd.with.overflow.i33(i33, i33)
define i1 @t(i33 %a) {
  %s = call {i33, i1} @llvm.uadd.with.overflow.i33(i33 %a, i33 %a)
  %r = extractvalue {i33, i1} %s, 1
  ret i1 %r
}
"""
