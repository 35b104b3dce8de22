"""What clspv's passes and OpenCL's less common functions leave in LLVM IR: instructions by their opcodes, printf,
pointers that change their address space, dimensions that are values.

Expected values are by the sentences of SPIR-V 1.6 (3.52) and OpenCL C 3.0 (6.15), worked out by hand, or Python's
whole numbers and math.
"""

import math
import random
import struct

import pytest
from kit import oracles

import reknit
from reknit.ir import op
from reknit.ir.constants import as_int
from reknit.ir.instr import Instr
from reknit.source.diagnostic import InputError

pytestmark = pytest.mark.once

SIZE = "\n!0 = !{i32 4, i32 1, i32 1}\n"


def read(text: str) -> reknit.Module:
    """Valid for Vulkan after `reconverge`."""
    module = reknit.load((text + SIZE).encode(), format="ll")
    reknit.compile(module, "reconverge")
    assert oracles.spirv_val(reknit.to_bytes(module), "vulkan1.3") == (True, "")
    return module


def all_of(module: reknit.Module) -> list[Instr]:
    return [instr for function in module.functions for instr in function.instructions()]


def run(module: reknit.Module, **given: list[int]) -> dict[str, list[int]]:
    done = reknit.run(module, subgroup_size=4, buffers=given)
    assert [str(fault) for fault in done.diagnostics] == []
    return {name: list(buffer.words) for name, buffer in done.buffers.items()}


def single(word: int) -> float:
    return float(struct.unpack("<f", struct.pack("<I", word))[0])


def bits(number: float) -> int:
    return int(struct.unpack("<I", struct.pack("<f", number))[0])


# --- instructions by their opcodes ------------------------------------------------------------------------------------

OPERATIONS = """
declare i64 @_Z13get_global_idj(i32)
declare i32 @_Z8spirv.op.234.PU3AS1jjj(i32, ptr addrspace(1), i32, i32, i32)
declare i32 @_Z8spirv.op.230.PU3AS3jjjjj(i32, ptr addrspace(3), i32, i32, i32, i32, i32)
declare void @_Z8spirv.op.228.PU3AS3jjj(i32, ptr addrspace(3), i32, i32, i32)
declare void @_Z8spirv.op.224.jjj(i32, i32, i32, i32)
declare { i32, i32 } @_Z8spirv.op.149.jj(i32, i32, i32)
declare { <8 x i8>, <8 x i8> } @_Z8spirv.op.151.Dv8_hDv8_h(i32, <8 x i8>, <8 x i8>)
declare i1 @_Z8spirv.op.157.f(i32, float)
declare <2 x float> @spirv.unpack.v2f16(i32)
declare <2 x i32> @_Z25clspv.composite_construct.0(i32, i32)
declare i32 @clspv.wrap_constant_load.0(i32)
@word = internal addrspace(3) global i32 undef
define spir_kernel void @main(ptr addrspace(1) %sum, ptr addrspace(1) %out) !reqd_work_group_size !0 {
  %g = call i64 @_Z13get_global_idj(i32 0)
  %lane = trunc i64 %g to i32
  %a = call i32 @_Z8spirv.op.234.PU3AS1jjj(i32 234, ptr addrspace(1) %sum, i32 1, i32 72, i32 5)
  %first = icmp eq i32 %lane, 0
  br i1 %first, label %set, label %meet
set:
  call void @_Z8spirv.op.228.PU3AS3jjj(i32 228, ptr addrspace(3) @word, i32 2, i32 256, i32 7)
  %old = call i32 @_Z8spirv.op.230.PU3AS3jjjjj(i32 230, ptr addrspace(3) @word, i32 2, i32 264, i32 258, i32 9, i32 7)
  %p0 = getelementptr i32, ptr addrspace(1) %out, i32 0
  store i32 %old, ptr addrspace(1) %p0
  %pair = call { i32, i32 } @_Z8spirv.op.149.jj(i32 149, i32 -1, i32 3)
  %low = extractvalue { i32, i32 } %pair, 0
  %carry = extractvalue { i32, i32 } %pair, 1
  %both = call <2 x i32> @_Z25clspv.composite_construct.0(i32 %low, i32 %carry)
  %p1 = getelementptr i32, ptr addrspace(1) %out, i32 1
  store <2 x i32> %both, ptr addrspace(1) %p1, align 4
  %bytes = insertelement <8 x i8> zeroinitializer, i8 -1, i32 0
  %pieces = call { <8 x i8>, <8 x i8> } @_Z8spirv.op.151.Dv8_hDv8_h(i32 151, <8 x i8> %bytes, <8 x i8> %bytes)
  %high = extractvalue { <8 x i8>, <8 x i8> } %pieces, 1
  %h0 = extractelement <8 x i8> %high, i32 0
  %h = zext i8 %h0 to i32
  %p3 = getelementptr i32, ptr addrspace(1) %out, i32 3
  store i32 %h, ptr addrspace(1) %p3
  %is = call i1 @_Z8spirv.op.157.f(i32 157, float 0x7FF0000000000000)
  %i = zext i1 %is to i32
  %p4 = getelementptr i32, ptr addrspace(1) %out, i32 4
  store i32 %i, ptr addrspace(1) %p4
  %halves = call <2 x float> @spirv.unpack.v2f16(i32 1073757184)
  %p5 = getelementptr i32, ptr addrspace(1) %out, i32 5
  store <2 x float> %halves, ptr addrspace(1) %p5, align 4
  br label %meet
meet:
  call void @_Z8spirv.op.224.jjj(i32 224, i32 2, i32 2, i32 264)
  %shared = load i32, ptr addrspace(3) @word
  %w = call i32 @clspv.wrap_constant_load.0(i32 %shared)
  %at = add i32 %lane, 7
  %p7 = getelementptr i32, ptr addrspace(1) %out, i32 %at
  store i32 %w, ptr addrspace(1) %p7
  ret void
}
"""


def test_instructions_by_opcode() -> None:
    """IAddCarry of -1 and 3 is 2 with a carry of 1, the upper half of 255 * 255 is 0xFE, 0x40003C00 is the halves 1
    and 2; a compare-exchange that finds its comparator stores its value."""
    left = run(read(OPERATIONS), sum=[1], out=[0] * 11)
    assert left["sum"] == [21]
    assert left["out"] == [7, 2, 1, 0xFE, 1, bits(1.0), bits(2.0), 9, 9, 9, 9]


def test_the_barrier_is_the_one_that_is_said() -> None:
    module = reknit.load((OPERATIONS + SIZE).encode(), format="ll")
    (barrier,) = [instr for instr in all_of(module) if instr.op == op.ControlBarrier]
    assert [as_int(operand) for operand in barrier.operands if isinstance(operand, Instr)] == [2, 2, 264]


# --- printf -----------------------------------------------------------------------------------------------------------


def printing(format: str, values: str, declared: str = "") -> str:
    size = len(format.encode()) + 1
    escaped = "".join(f"\\{byte:02X}" if byte < 32 or byte in (34, 92) else chr(byte) for byte in format.encode())
    return f"""
@.str = private unnamed_addr addrspace(2) constant [{size} x i8] c"{escaped}\\00"
{declared}
declare i32 @printf(ptr addrspace(2), ...)
define spir_kernel void @main(ptr addrspace(1) %out, i32 %n) !reqd_work_group_size !0 {{
  %r = call i32 (ptr addrspace(2), ...) @printf(ptr addrspace(2) @.str{values})
  store i32 %r, ptr addrspace(1) %out
  ret void
}}
"""


@pytest.mark.parametrize(
    ("format", "values", "written", "count"),
    [
        ("%d%%: %5.2f\n", ", i32 %n, double 1.5", "%d%%: %5.2f\n", 2),
        ("%v4hhd", ", <4 x i8> <i8 1, i8 2, i8 3, i8 -4>", "%d,%d,%d,%d", 4),
        ("%v2hlf|%lu", ", <2 x float> zeroinitializer, i64 7", "%f,%f|%lu", 3),
        ("<%5.2s>", ", ptr addrspace(2) @name", "<   ab>", 0),
    ],
)
def test_printf_is_a_debug_printf(format: str, values: str, written: str, count: int) -> None:
    """"%s" takes two characters, five wide; a vector's components have commas between them."""
    module = read(printing(format, values, '@name = private addrspace(2) constant [5 x i8] c"abcd\\00"'))
    assert [text.text(0) for text in module.sources] == [written]
    printed = [instr for instr in all_of(module) if instr.op == op.ExtInst]
    assert [len(instr.operands) for instr in printed] == [3 + count]
    assert run(module, out=[5], n=[3])["out"] == [0]


@pytest.mark.parametrize(
    ("format", "values", "message"),
    [
        ("%p", ", ptr addrspace(1) %out", "prints what is of type ptr as '%p'"),
        ("%d %d", ", i32 1", "prints fewer values than its format has"),
        ("%f", ", i32 1", "prints what is of type i32 as '%f'"),
    ],
)
def test_printf_is_refused_by_name(format: str, values: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        read(printing(format, values))
    assert [fault.message for fault in caught.value.diagnostics] == [f"instruction %r {message}"]


# --- address spaces and dimensions ------------------------------------------------------------------------------------

SPACES = """
declare i64 @_Z13get_global_idj(i32)
declare ptr addrspace(3) @__to_local(ptr addrspace(4))
declare ptr addrspace(1) @__to_global(ptr addrspace(4))
@word = internal addrspace(3) global [4 x i32] undef
define spir_kernel void @main(ptr addrspace(1) %in, ptr addrspace(1) %out) !reqd_work_group_size !0 {
  %g = call i64 @_Z13get_global_idj(i32 0)
  %odd = trunc i64 %g to i1
  %s = addrspacecast ptr addrspace(3) @word to ptr addrspace(4)
  %b = addrspacecast ptr addrspace(1) %in to ptr addrspace(4)
  %p = select i1 %odd, ptr addrspace(4) %s, ptr addrspace(4) %b
  %l = call ptr addrspace(3) @__to_local(ptr addrspace(4) %p)
  %m = call ptr addrspace(1) @__to_global(ptr addrspace(4) %p)
  %n = call ptr addrspace(1) @__to_global(ptr addrspace(4) %s)
  %is.local = icmp ne ptr addrspace(3) %l, null
  %is.global = icmp ne ptr addrspace(1) %m, null
  %never = icmp ne ptr addrspace(1) %n, null
  br i1 %is.global, label %read, label %end
read:
  %x = load i32, ptr addrspace(1) %m
  br label %end
end:
  %v = phi i32 [ %x, %read ], [ 0, %0 ]
  %one = zext i1 %is.local to i32
  %two = select i1 %is.global, i32 %v, i32 0
  %three = select i1 %never, i32 1000, i32 0
  %t = add i32 %one, %two
  %u = add i32 %t, %three
  %o = getelementptr i32, ptr addrspace(1) %out, i64 %g
  store i32 %u, ptr addrspace(1) %o
  ret void
}
"""


def test_pointers_to_another_address_space_are_null() -> None:
    """"to_local returns a pointer to local memory if ptr points into it, otherwise NULL": odd lanes have one."""
    module = reknit.load((SPACES + SIZE).encode(), format="ll")
    assert run(module, **{"in": [40], "out": [0] * 4})["out"] == [40, 1, 40, 1]


def test_dimensions_that_are_values() -> None:
    """Of a dimension that is none "get_global_id returns 0", "get_local_size returns 1"."""
    text = """
declare i32 @_Z13get_global_idj(i32)
declare i32 @_Z14get_local_sizej(i32)
declare i32 @_Z12get_work_dimv()
define spir_kernel void @main(ptr addrspace(1) %out) !reqd_work_group_size !0 {
  %lane = call i32 @_Z13get_global_idj(i32 0)
  %i = call i32 @_Z13get_global_idj(i32 %lane)
  %s = call i32 @_Z14get_local_sizej(i32 %lane)
  %d = call i32 @_Z12get_work_dimv()
  %a = mul i32 %i, 100
  %b = mul i32 %s, 10
  %c = add i32 %a, %b
  %e = add i32 %c, %d
  %o = getelementptr i32, ptr addrspace(1) %out, i32 %lane
  store i32 %e, ptr addrspace(1) %o
  ret void
}
"""
    module = read(text)
    assert any("get_work_dim" in note.message for note in module.notes)
    assert run(module, out=[0] * 4)["out"] == [43, 13, 13, 13]


def test_linear_ids_and_masks() -> None:
    """A range of 2 by 2: the linear id is y * 2 + x; a mask "less or equal" of lane n has the lowest n + 1 bits."""
    text = """
declare i64 @_Z13get_global_idj(i32)
declare i64 @_Z20get_global_linear_idv()
declare <4 x i32> @_Z21get_sub_group_le_maskv()
define spir_kernel void @main(ptr addrspace(1) %out) !reqd_work_group_size !0 {
  %x = call i64 @_Z13get_global_idj(i32 0)
  %y = call i64 @_Z13get_global_idj(i32 1)
  %ten = mul i64 %y, 10
  %place = add i64 %x, %ten
  %number = trunc i64 %place to i32
  %linear = call i64 @_Z20get_global_linear_idv()
  %o = getelementptr [2 x i32], ptr addrspace(1) %out, i64 %linear
  store i32 %number, ptr addrspace(1) %o
  %mask = call <4 x i32> @_Z21get_sub_group_le_maskv()
  %low = extractelement <4 x i32> %mask, i32 0
  %p = getelementptr i32, ptr addrspace(1) %o, i64 1
  store i32 %low, ptr addrspace(1) %p
  ret void
}
!0 = !{i32 2, i32 2, i32 1}
"""
    module = reknit.load(text.encode(), format="ll")
    assert run(module, out=[0] * 8)["out"] == [0, 1, 1, 3, 10, 7, 11, 15]


# --- numbers ----------------------------------------------------------------------------------------------------------

CORNERS = [0, 1, 2, 3, (1 << 63) - 1, 1 << 63, (1 << 64) - 1, 1 << 32, (1 << 32) - 1, 3037000500]


@pytest.mark.parametrize("letter", ["l", "m"])
def test_mad_sat_of_64_bits(letter: str) -> None:
    """"a * b + c and saturates the result", of corners and of numbers near the square root of the ends."""
    source = random.Random(64)
    rows = [[source.choice(CORNERS) for _ in range(3)] for _ in range(150)]
    rows += [[source.getrandbits(source.choice((31, 32, 33, 64))) for _ in range(3)] for _ in range(150)]
    text = f"""
declare i64 @_Z13get_global_idj(i32)
declare i64 @_Z7mad_sat{letter * 3}(i64, i64, i64)
define spir_kernel void @main(ptr addrspace(1) %in, ptr addrspace(1) %out) !reqd_work_group_size !0 {{
  %g = call i64 @_Z13get_global_idj(i32 0)
  %row = getelementptr [3 x i64], ptr addrspace(1) %in, i64 %g
  %a = load i64, ptr addrspace(1) %row
  %q = getelementptr i64, ptr addrspace(1) %row, i64 1
  %b = load i64, ptr addrspace(1) %q
  %r = getelementptr i64, ptr addrspace(1) %row, i64 2
  %c = load i64, ptr addrspace(1) %r
  %v = call i64 @_Z7mad_sat{letter * 3}(i64 %a, i64 %b, i64 %c)
  %o = getelementptr i64, ptr addrspace(1) %out, i64 %g
  store i64 %v, ptr addrspace(1) %o
  ret void
}}
!0 = !{{i32 300, i32 1, i32 1}}
"""
    module = reknit.load(text.encode(), format="ll")
    words = [part for row in rows for number in row for part in (number & 0xFFFFFFFF, number >> 32)]
    left = run(module, **{"in": words, "out": [0] * 600})["out"]
    signed = letter == "l"
    low, high = (-(1 << 63), (1 << 63) - 1) if signed else (0, (1 << 64) - 1)
    for at, row in enumerate(rows):
        a, b, c = [number - (1 << 64) if signed and number >> 63 else number for number in row]
        expected = min(max(a * b + c, low), high) & (1 << 64) - 1
        assert left[2 * at] | left[2 * at + 1] << 32 == expected, (a, b, c)


NUMBERS = [1e-30, -1e-7, 1.5e-4, -0.2, 0.24999, 0.25, -0.25, 0.49, 0.6, -0.7, 3.0, 20.0, 0.0, -0.9]


@pytest.mark.parametrize("name", ["expm1", "log1p"])
def test_functions_near_zero(name: str) -> None:
    """Within 3 ulp for expm1 and 2 ulp for log1p (OpenCL C 3.0, 7.4), one more for what the simulator's own have."""
    stores = "".join(
        f"""  %i{index} = getelementptr float, ptr addrspace(1) %in, i32 {index}
  %x{index} = load float, ptr addrspace(1) %i{index}
  %v{index} = call float @_Z5{name}f(float %x{index})
  %o{index} = getelementptr float, ptr addrspace(1) %out, i32 {index}
  store float %v{index}, ptr addrspace(1) %o{index}
"""
        for index in range(len(NUMBERS))
    )
    text = f"""
declare float @_Z5{name}f(float)
define spir_kernel void @main(ptr addrspace(1) %in, ptr addrspace(1) %out) !reqd_work_group_size !1 {{
{stores}  ret void
}}
!1 = !{{i32 1, i32 1, i32 1}}
"""
    given = [single(bits(number)) for number in NUMBERS]
    left = run(read(text), **{"in": [bits(number) for number in given], "out": [0] * len(given)})["out"]
    judge = math.expm1 if name == "expm1" else math.log1p
    for number, word in zip(given, left, strict=True):
        expected = judge(number)
        ulp = 2.0 ** (math.floor(math.log2(abs(expected))) - 23) if expected else 0.0
        assert abs(single(word) - expected) <= 4 * ulp, (number, single(word), expected)


HALVES = """
declare void @_Z14vstore_half_16Dv16_fjPU3AS1Dh(<16 x float>, i32, ptr addrspace(1))
declare void @_Z14vstorea_half_3Dv3_fjPU3AS1Dh(<3 x float>, i32, ptr addrspace(1))
declare <4 x float> @_Z20__clspv_vloada_half4jPU3AS1KDv2_j(i32, ptr addrspace(1))
declare i32 @_Z8isfiniteh(half)
define spir_kernel void @main(ptr addrspace(1) %out, ptr addrspace(1) %more) !reqd_work_group_size !0 {
  %three = insertelement <3 x float> <float 1.0, float 2.0, float 0.0>, float -2.0, i32 2
  call void @_Z14vstorea_half_3Dv3_fjPU3AS1Dh(<3 x float> %three, i32 1, ptr addrspace(1) %out)
  %v = call <4 x float> @_Z20__clspv_vloada_half4jPU3AS1KDv2_j(i32 1, ptr addrspace(1) %out)
  %y = extractelement <4 x float> %v, i32 1
  store float %y, ptr addrspace(1) %more
  %yes = call i32 @_Z8isfiniteh(half 0xH7BFF)
  %no = call i32 @_Z8isfiniteh(half 0xH7C00)
  %p = getelementptr i32, ptr addrspace(1) %more, i32 1
  store i32 %yes, ptr addrspace(1) %p
  %q = getelementptr i32, ptr addrspace(1) %more, i32 2
  store i32 %no, ptr addrspace(1) %q
  ret void
}
!0 = !{i32 1, i32 1, i32 1}
"""


def test_halves_in_memory() -> None:
    """vstorea_half_3 goes to p + 4 * offset: halves 1, 2 and -2 at 8 bytes; 65504 is the largest, then infinity."""
    module = reknit.load(HALVES.encode(), format="ll")
    left = run(module, out=[0] * 4, more=[0] * 3)
    assert left["more"] == [bits(2.0), 1, 0]
    assert left["out"] == [0, 0, 0x40003C00, 0xC000]


ROUNDED = """
declare i64 @_Z13get_global_idj(i32)
declare void @_Z15vstore_half_rtXfmPU3AS1Dh(float, i64, ptr addrspace(1))
define spir_kernel void @main(ptr addrspace(1) %in, ptr addrspace(1) %out) !reqd_work_group_size !0 {
  %g = call i64 @_Z13get_global_idj(i32 0)
  %p = getelementptr float, ptr addrspace(1) %in, i64 %g
  %x = load float, ptr addrspace(1) %p
  call void @_Z15vstore_half_rtXfmPU3AS1Dh(float %x, i64 %g, ptr addrspace(1) %out)
  ret void
}
!0 = !{i32 64, i32 1, i32 1}
"""
ALL_HALVES = sorted({float(struct.unpack("<e", struct.pack("<H", word))[0]) for word in range(0x7C01)})
"""Not below zero, infinity as the last."""


@pytest.mark.parametrize("rounding", ["z", "p", "n"])
def test_halves_are_rounded_as_the_name_says(rounding: str) -> None:
    """"rtz: round toward zero, rtp: toward positive infinity, rtn: toward negative infinity" (6.4.2), beside a search
    in all halves."""
    source = random.Random(16)
    numbers = [1.0, -1.0, 0.0, 1e-9, -1e-9, 65504.0, 65519.0, 70000.0, -70000.0, 1e-7, -6e-8, float("inf")]
    numbers += [source.uniform(-2.0, 2.0) * 2.0 ** source.randrange(-26, 17) for _ in range(64 - len(numbers))]
    given = [bits(number) for number in numbers]
    left = run(reknit.load(ROUNDED.replace("rtX", f"rt{rounding}").encode(), format="ll"), **{
        "in": given, "out": [0] * 32,
    })["out"]  # fmt: skip
    for index, word in enumerate(given):
        number = single(word)
        made = struct.unpack("<e", struct.pack("<H", left[index // 2] >> 16 * (index % 2) & 0xFFFF))[0]
        away = rounding == ("p" if number > 0 else "n")
        sizes = [half for half in ALL_HALVES if (half >= abs(number) if away else half <= abs(number))]
        if not away and not math.isinf(number):
            sizes = sizes[:-1] if math.isinf(sizes[-1]) else sizes
        assert abs(made) == (sizes[0] if away else sizes[-1]), number
        assert math.copysign(1.0, made) == math.copysign(1.0, number)


def test_cross_of_four_components() -> None:
    """(1, 2, 3) x (4, 5, 6) is (-3, 6, -3), and the fourth is 0."""
    text = """
declare <4 x float> @_Z5crossDv4_fS_(<4 x float>, <4 x float>)
define spir_kernel void @main(ptr addrspace(1) %in, ptr addrspace(1) %out) !reqd_work_group_size !0 {
  %a = load <4 x float>, ptr addrspace(1) %in
  %p = getelementptr <4 x float>, ptr addrspace(1) %in, i32 1
  %b = load <4 x float>, ptr addrspace(1) %p
  %v = call <4 x float> @_Z5crossDv4_fS_(<4 x float> %a, <4 x float> %b)
  store <4 x float> %v, ptr addrspace(1) %out
  ret void
}
!0 = !{i32 1, i32 1, i32 1}
"""
    given = [bits(number) for number in (1.0, 2.0, 3.0, 9.0, 4.0, 5.0, 6.0, 9.0)]
    left = run(reknit.load(text.encode(), format="ll"), **{"in": given, "out": [7] * 4})["out"]
    assert [single(word) for word in left] == [-3.0, 6.0, -3.0, 0.0]
