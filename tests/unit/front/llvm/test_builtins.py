"""Built-in functions of kernels: OpenCL's by their mangled names, and lane intrinsics of LLVM's targets.

Values are by the sentences of OpenCL C 3.0 (6.15), PTX ISA 8 (9.7.9) and LLVM's guide for AMDGPU, worked out by hand.
"""

import struct

import pytest

import reknit
from reknit.source.diagnostic import InputError

pytestmark = pytest.mark.once


def bits(number: float) -> int:
    return int(struct.unpack("<I", struct.pack("<f", number))[0])


def stored(results: list[tuple[str, str]], more: str = "", size: int = 1, lanes: int = 4) -> list[list[int]]:
    """Each (type, call) is stored by each invocation: a row an invocation."""
    body = ""
    declared: dict[str, None] = {}
    for index, (type, call) in enumerate(results):
        name, _, rest = call.partition("(")
        types = [_type_of(operand) for operand in _split(rest[:-1])]
        declared[f"declare {type} @{name}({', '.join(types)})\n"] = None
        body += f"  %v{index} = call {type} @{name}({rest}\n"
        value = f"%v{index}"
        if type not in ("i32", "float"):
            body += f"  %w{index} = {'zext' if type[0] == 'i' else 'bitcast'} {type} {value} to i32\n"
            value, type = f"%w{index}", "i32"
        body += f"  %p{index} = getelementptr i32, ptr addrspace(1) %row, i32 {index}\n"
        body += f"  store {type} {value}, ptr addrspace(1) %p{index}\n"
    text = f"""{''.join(declared)}declare i64 @_Z13get_global_idj(i32)
define spir_kernel void @main(ptr addrspace(1) %out, ptr addrspace(1) %in) !reqd_work_group_size !0 {{
  %g = call i64 @_Z13get_global_idj(i32 0)
  %at = mul i64 %g, {4 * len(results)}
  %row = getelementptr i8, ptr addrspace(1) %out, i64 %at
  %lane = trunc i64 %g to i32
{more}{body}  ret void
}}
!0 = !{{i32 {size}, i32 1, i32 1}}
"""
    module = reknit.load(text.encode(), format="ll")
    given = {"out": [0] * (len(results) * size)}
    if any(variable.name == "in" for variable in module.globals):
        given["in"] = [3, 0xBF800000, 0x3C003800, 7]
    ran = reknit.run(module, subgroup_size=lanes, buffers=given)
    assert [str(fault) for fault in ran.diagnostics] == []
    words = ran.buffers["out"].words
    return [words[row * len(results) : (row + 1) * len(results)] for row in range(size)]


def _split(operands: str) -> list[str]:
    """At the commas that are in no brackets."""
    parts: list[str] = []
    depth = 0
    start = 0
    for at, letter in enumerate(operands):
        depth += (letter in "<(") - (letter in ">)")
        if letter == "," and depth == 0:
            parts.append(operands[start:at].strip())
            start = at + 1
    return [*parts, operands[start:].strip()] if operands else []


def _type_of(operand: str) -> str:
    if operand.startswith("<"):
        return operand[: operand.index(">") + 1]
    return operand.rsplit(" ", 1)[0]


NUMBERS = [
    ("i32", "_Z3maxjj(i32 -1, i32 3)", 0xFFFFFFFF),
    ("i32", "_Z3maxii(i32 -1, i32 3)", 3),
    ("i32", "_Z5clampiii(i32 -9, i32 -2, i32 7)", -2),
    ("i32", "_Z8popcountj(i32 255)", 8),
    ("i32", "_Z6mul_hijj(i32 -1, i32 -1)", 0xFFFFFFFE),
    ("i32", "_Z6mul_hiii(i32 -1, i32 -1)", 0),
    ("i32", "_Z7add_satjj(i32 -1, i32 3)", 0xFFFFFFFF),
    ("i32", "_Z7add_satii(i32 2147483647, i32 3)", 0x7FFFFFFF),
    ("i8", "_Z7sub_satcc(i8 -128, i8 3)", 0x80),
    ("i32", "_Z8abs_diffii(i32 -4, i32 4)", 8),
    ("i32", "_Z6rotatejj(i32 -2147483647, i32 4)", 0x18),
    ("i32", "_Z4haddjj(i32 -1, i32 -3)", 0xFFFFFFFE),
    ("i32", "_Z5rhaddii(i32 -4, i32 -1)", -2),  # (-4 - 1 + 1) >> 1
    ("i32", "_Z5mad24iii(i32 5, i32 -3, i32 1)", -14),
    ("i32", "_Z7mad_satiii(i32 -2147483648, i32 2, i32 5)", 0x80000000),
    ("i32", "_Z7mad_satjjj(i32 -1, i32 1, i32 5)", 0xFFFFFFFF),
    ("i8", "_Z7mad_satccc(i8 11, i8 11, i8 5)", 126),
    ("i32", "_Z8upsamplett(i16 1, i16 -1)", 0x1FFFF),
    ("i32", "_Z3clzj(i32 255)", 24),
    ("i32", "_Z3ctzj(i32 256)", 8),
    ("i32", "_Z3absi(i32 -7)", 7),
    ("i32", "_Z6selectjjj(i32 1, i32 2, i32 5)", 2),
    ("i32", "_Z9bitselectjjj(i32 255, i32 0, i32 15)", 0xF0),
    ("i32", "_Z3anyDv2_i(<2 x i32> <i32 1, i32 -1>)", 1),
    ("i32", "_Z3anyDv8_i(<8 x i32> <i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 -8>)", 1),
    ("<2 x i16>", "_Z7shuffleDv4_sDv2_t(<4 x i16> <i16 1, i16 2, i16 3, i16 4>, <2 x i16> <i16 6, i16 1>)", 0x00020003),
    ("i32", "_Z3allDv2_i(<2 x i32> <i32 1, i32 -1>)", 0),
    ("i32", "_Z5isnanf(float 0x7FF8000000000000)", 1),
    ("i32", "_Z9isgreaterff(float 3.0, float 2.0)", 1),
    ("i32", "_Z9isorderedff(float 3.0, float 2.0)", 1),
    ("i32", "_Z7signbitf(float -0.0)", 1),
    ("i8", "_Z17convert_uchar_satf(float 300.0)", 255),
    ("i8", "_Z17convert_uchar_satf(float -3.0)", 0),
    ("i8", "_Z16convert_char_sati(i32 -300)", 0x80),
    ("i16", "_Z18convert_ushort_sati(i32 70000)", 0xFFFF),
    ("i32", "_Z15convert_int_rtzf(float -2.5)", -2),
    ("i32", "_Z15convert_int_rtef(float 2.5)", 2),
    ("i32", "_Z15convert_int_rtnf(float -2.5)", -3),
    ("float", "_Z17convert_float_rtej(i32 -1)", bits(4294967296.0)),
    ("float", "_Z13convert_floati(i32 -1)", bits(-1.0)),
    ("float", "_Z4fmaxff(float 1.0, float 0x7FF8000000000000)", bits(1.0)),
    ("float", "_Z3dotDv2_fS_(<2 x float> <float 1.0, float 2.0>, <2 x float> <float 3.0, float 4.0>)", bits(11.0)),
    ("float", "_Z3fmafff(float 2.0, float 3.0, float 4.0)", bits(10.0)),
    ("float", "_Z4fdimff(float 5.0, float 3.0)", bits(2.0)),
    ("float", "_Z5roundf(float -2.5)", bits(-3.0)),
    ("float", "_Z4rintf(float 2.5)", bits(2.0)),
    ("float", "_Z4signf(float -7.0)", bits(-1.0)),
    ("float", "_Z4pownfi(float -2.0, i32 3)", bits(-8.0)),
    ("float", "_Z5ldexpfi(float 3.0, i32 4)", bits(48.0)),
    ("i32", "_Z20dot_4x8packed_ss_intjj(i32 83755521, i32 33752069)", 15),  # 1, 2, -2, 4 by 5, 4, 3, 2
    ("i32", "_Z21dot_4x8packed_uu_uintjj(i32 83755521, i32 33752069)", 783),  # 254 for -2
    ("i32", "_Z20dot_4x8packed_us_intjj(i32 83755521, i32 50267141)", -233),  # by 5, 4, -1, 2
    ("i32", "_Z3dotDv4_cDv4_h(<4 x i8> <i8 1, i8 2, i8 -2, i8 4>, <4 x i8> <i8 5, i8 4, i8 -1, i8 2>)", -489),
    ("i32", "_Z3dotDv4_hDv4_c(<4 x i8> <i8 1, i8 2, i8 -2, i8 4>, <4 x i8> <i8 5, i8 4, i8 -1, i8 2>)", -233),
    ("i32", "_Z11dot_acc_satDv4_hS_j(<4 x i8> splat (i8 4), <4 x i8> <i8 1, i8 1, i8 1, i8 1>, i32 -9)", -1),
    ("float", "_Z6maxmagff(float -3.0, float 2.0)", bits(-3.0)),
    ("float", "_Z6minmagff(float -2.0, float 2.0)", bits(-2.0)),  # fmin of equal sizes
    ("float", "_Z9nextafterff(float 0.0, float -1.0)", 0x80000001),
    ("float", "_Z9nextafterff(float -1.0, float 2.0)", 0xBF7FFFFF),
    ("float", "_Z9nextafterff(float 2.0, float 2.0)", bits(2.0)),
    ("float", "_Z9nextafterff(float 0x47EFFFFFE0000000, float 0x7FF0000000000000)", 0x7F800000),
    ("float", "_Z5clampfff(float 3.0, float 0.0, float 1.0)", bits(1.0)),
]


def test_numbers() -> None:
    (row,) = stored([(type, call) for type, call, _ in NUMBERS])
    names = [call for _, call, _ in NUMBERS]
    assert dict(zip(names, row, strict=True)) == {call: expected & 0xFFFFFFFF for _, call, expected in NUMBERS}


HALVES = [
    ("<2 x i16>", "_Z6vload2mPU3AS1Ks(i64 2, ptr addrspace(1) %in)", 0x3C003800),
    ("float", "_Z10vload_halfmPU3AS1KDh(i64 5, ptr addrspace(1) %in)", bits(1.0)),
]
MEMORY = [
    ("float", "_Z5fractfPU3AS1f(float -0.25, ptr addrspace(1) %in)", bits(0.75)),
    ("float", "_Z5frexpfPU3AS1i(float 12.0, ptr addrspace(1) %in)", bits(0.75)),
    ("i32", "_Z10atomic_addPU3AS1Vjj(ptr addrspace(1) %in, i32 5)", 4),  # 12 is 0.75 * 2^4
    ("i32", "_Z10atomic_incPU3AS1Vj(ptr addrspace(1) %in)", 9),
    ("i32", "_Z10atomic_maxPU3AS1Vii(ptr addrspace(1) %in, i32 -1)", 10),
    ("i32", "_Z14atomic_cmpxchgPU3AS1Vjjj(ptr addrspace(1) %in, i32 10, i32 77)", 10),
    ("i32", "_Z16atomic_fetch_addPU3AS1VU7_Atomicjj(ptr addrspace(1) %in, i32 1)", 77),
    ("i32", "_Z20atomic_load_explicitPU3AS1VU7_Atomicj12memory_order(ptr addrspace(1) %in, i32 0)", 78),
]


def test_memory() -> None:
    for calls in (HALVES, MEMORY):  # no atomic is of words that others take by halves
        (row,) = stored([(type, call) for type, call, _ in calls])
        assert row == [expected for _, _, expected in calls]


@pytest.mark.parametrize("lanes", [4, 8])
def test_lanes(lanes: int) -> None:
    """Eight invocations; an odd lane votes yes."""
    more = "  %bit = and i32 %lane, 1\n  %odd = icmp eq i32 %bit, 1\n  %next = shl i32 %lane, 2\n"
    more += "  %other = xor i32 %next, 4\n"
    calls = [
        ("i32", "llvm.amdgcn.readfirstlane.i32(i32 %lane)"),
        ("i32", "llvm.amdgcn.readlane.i32(i32 %lane, i32 2)"),
        ("i32", "llvm.amdgcn.ballot.i32(i1 %odd)"),
        ("i32", "llvm.amdgcn.mbcnt.lo(i32 170, i32 100)"),
        ("i32", "llvm.amdgcn.ds.bpermute(i32 %other, i32 %lane)"),
        ("i32", "llvm.amdgcn.wave.reduce.umax.i32(i32 %lane, i32 0)"),
        ("i32", "llvm.nvvm.shfl.sync.bfly.i32(i32 -1, i32 %lane, i32 1, i32 31)"),
        ("i32", "llvm.nvvm.shfl.sync.down.i32(i32 -1, i32 %lane, i32 1, i32 31)"),
        ("i32", "llvm.nvvm.shfl.sync.up.i32(i32 -1, i32 %lane, i32 1, i32 0)"),
        ("i32", "llvm.nvvm.vote.ballot.sync(i32 -1, i1 %odd)"),
        ("i1", "llvm.nvvm.vote.any.sync(i32 -1, i1 %odd)"),
        ("i32", "llvm.nvvm.activemask()"),
        ("i32", "llvm.nvvm.redux.sync.add(i32 %lane, i32 -1)"),
        ("i32", "llvm.spv.wave.active.countbits(i1 %odd)"),
        ("i32", "llvm.spv.wave.reduce.usum.i32(i32 %lane)"),
        ("i32", "llvm.nvvm.read.ptx.sreg.tid.x()"),
        ("i32", "llvm.nvvm.read.ptx.sreg.ntid.x()"),
        ("i32", "_Z20sub_group_reduce_addj(i32 %lane)"),
        ("i32", "_Z28sub_group_scan_exclusive_addj(i32 %lane)"),
        ("i32", "_Z21sub_group_shuffle_xorjj(i32 %lane, i32 2)"),
        ("i32", "_Z16sub_group_rotateii(i32 %lane, i32 1)"),
        ("i32", "_Z25sub_group_ballot_find_msbDv4_j(<4 x i32> <i32 10, i32 0, i32 0, i32 0>)"),
    ]
    for lane, row in enumerate(stored(calls, more, 8, lanes)):
        start = lane // lanes * lanes
        mine = lane - start
        group = range(start, start + lanes)
        votes = sum(1 << at for at in range(lanes) if at & 1)
        total = sum(group)
        assert row == [
            start, start + 2, votes, 100 + bin(170 & (1 << mine) - 1).count("1"), lane ^ 1, group[-1], lane ^ 1,
            lane + 1 if mine + 1 < lanes else lane, lane - 1 if mine else lane, votes, 1, (1 << lanes) - 1, total,
            lanes // 2, total, lane, 8, total, sum(range(start, lane)), lane ^ 2,
            start + (mine + 1) % lanes, 3,
        ]  # fmt: skip


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ("llvm.nvvm.vote.any.sync(i32 3, i1 true)", "@llvm.nvvm.vote.any.sync for other lanes than all"),
        ("llvm.amdgcn.ds.swizzle(i32 %lane, i32 7)", "@llvm.amdgcn.ds.swizzle, which is not read here"),
        ("_Z17nobody_knows_thisj(i32 %lane)", "@_Z17nobody_knows_thisj, which is not read here"),
    ],
)
def test_refused_by_name(call: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        stored([("i1" if "vote" in call else "i32", call)])
    assert [fault.message for fault in caught.value.diagnostics] == [f"instruction %v0 calls {message}"]
