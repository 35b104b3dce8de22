"""LLVM's instructions one by one: kernels of a few lines, run flat by the simulator; what they store is by hand.

Each body has %a, %b, %c (i32, the words 0, 1, 2 of `in`) and %x, %y (the floats in words 3, 4), and leaves %r.
"""

import struct

import pytest

import reknit
from reknit.ir import enums, op
from reknit.ir.constants import as_int
from reknit.source.diagnostic import InputError

SEMANTICS = {op.AtomicLoad: [2], op.AtomicStore: [2], op.AtomicCompareExchange: [2, 3]}
"""By opcode: the operands that are memory semantics. A store has no result, and its value last."""

pytestmark = pytest.mark.once

KERNEL = """
define spir_kernel void @main(ptr addrspace(1) %in, ptr addrspace(1) %out) !reqd_work_group_size !0 {{
  %a = load i32, ptr addrspace(1) %in
  %pb = getelementptr i32, ptr addrspace(1) %in, i32 1
  %b = load i32, ptr addrspace(1) %pb
  %pc = getelementptr i32, ptr addrspace(1) %in, i64 2
  %c = load i32, ptr addrspace(1) %pc
  %px = getelementptr {{ [3 x i32], [2 x float] }}, ptr addrspace(1) %in, i32 0, i32 1, i32 0
  %x = load float, ptr addrspace(1) %px
  %py = getelementptr i8, ptr addrspace(1) %in, i32 16
  %y = load float, ptr addrspace(1) %py
{body}
  store {type} %r, ptr addrspace(1) %out
  ret void
}}
{more}
!0 = !{{i32 1, i32 1, i32 1}}
"""
A, B, C, X, Y = 100, 7, 0xFFFFFFCE, 2.5, -0.75
"""C is -50."""


def bits(number: float) -> int:
    return int(struct.unpack("<I", struct.pack("<f", number))[0])


def result(body: str, type: str = "i32", more: str = "", words: int = 1) -> list[int]:
    module = reknit.load(KERNEL.format(body=body, type=type, more=more).encode(), format="ll")
    assert not module.functions[0].structured
    given = {"in": [A, B, C, bits(X), bits(Y)], "out": [0] * words}
    ran = reknit.run(module, subgroup_size=1, buffers=given)
    assert [str(fault) for fault in ran.diagnostics] == []
    return ran.buffers["out"].words


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("add i32 %a, %b", 107),
        ("sub nsw i32 %b, %a", -93),
        ("mul i32 %a, %c", -5000),
        ("udiv i32 %c, %b", 0xFFFFFFCE // 7),
        ("sdiv i32 %c, %b", -7),
        ("urem i32 %c, %b", 0xFFFFFFCE % 7),
        ("srem i32 %c, %b", -1),
        ("shl i32 %a, %b", 12800),
        ("lshr i32 %c, %b", 0xFFFFFFCE >> 7),
        ("ashr exact i32 %c, 1", -25),
        ("and i32 %a, %c", 100 & 0xFFFFFFCE),
        ("or disjoint i32 %a, 3", 103),
        ("xor i32 %a, -1", -101),
        ("select i1 true, i32 %a, i32 %b", 100),
        ("fptosi float %y to i32", 0),
        ("fptoui float %x to i32", 2),
        ("bitcast float %x to i32", bits(2.5)),
        ("call i32 @llvm.ctpop.i32(i32 %a)", 3),
        ("call i32 @llvm.bitreverse.i32(i32 1)", 0x80000000),
        ("call i32 @llvm.umin.i32(i32 %c, i32 %b)", 7),
        ("call i32 @llvm.smin.i32(i32 %c, i32 %b)", -50),
        ("call i32 @llvm.umax.i32(i32 %c, i32 %b)", -50),
        ("call i32 @llvm.smax.i32(i32 %c, i32 %b)", 7),
        ("call i32 @llvm.abs.i32(i32 %c, i1 false)", 50),
        ("call i32 @llvm.ctlz.i32(i32 %a, i1 false)", 25),  # 100 has 7 bits
        ("call i32 @llvm.ctlz.i32(i32 0, i1 false)", 32),
        ("call i32 @llvm.cttz.i32(i32 %a, i1 false)", 2),
        ("call i32 @llvm.cttz.i32(i32 0, i1 false)", 32),
        ("call i32 @llvm.fshl.i32(i32 %a, i32 %c, i32 8)", (100 << 8) | 0xFF),
        ("call i32 @llvm.fshr.i32(i32 %a, i32 %c, i32 32)", -50),
        ("freeze i32 %a", 100),
        ("call i32 @twice(i32 %b)", 14),
    ],
)
def test_integers(line: str, expected: int) -> None:
    more = "define i32 @twice(i32 %n) {\n  %m = add i32 %n, %n\n  ret i32 %m\n}\n"
    names = ["ctpop", "bitreverse", "umin", "smin", "umax", "smax", "fshl", "fshr"]
    counts = {"ctpop": 1, "bitreverse": 1, "fshl": 3, "fshr": 3}
    for name in names:
        more += f"declare i32 @llvm.{name}.i32({', '.join(['i32'] * counts.get(name, 2))})\n"
    for name in ("abs", "ctlz", "cttz"):
        more += f"declare i32 @llvm.{name}.i32(i32, i1)\n"
    assert result(f"  %r = {line}", more=more) == [expected & 0xFFFFFFFF]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("fadd float %x, %y", 1.75),
        ("fsub fast float %x, %y", 3.25),
        ("fmul float %x, %y", -1.875),
        ("fdiv float %x, 2.0", 1.25),
        ("frem float %x, 1.0", 0.5),
        ("fneg float %x", -2.5),
        ("uitofp i32 %a to float", 100.0),
        ("sitofp i32 %c to float", -50.0),
        ("select i1 false, float %x, float 0x3FB99999A0000000", struct.unpack("<f", struct.pack("<f", 0.1))[0]),
        ("call float @llvm.fabs.f32(float %y)", 0.75),
        ("call float @llvm.floor.f32(float %y)", -1.0),
        ("call float @llvm.fma.f32(float %x, float %x, float %y)", 5.5),
    ],
)
def test_floats(line: str, expected: float) -> None:
    more = "declare float @llvm.fabs.f32(float)\ndeclare float @llvm.floor.f32(float)\n"
    more += "declare float @llvm.fma.f32(float, float, float)\n"
    assert result(f"  %r = {line}", "float", more) == [bits(expected)]


@pytest.mark.parametrize(
    ("comparison", "expected"),
    [(f"icmp {name} i32 %c, %b", value) for name, value in (  # -50, or 2^32 - 50, and 7
        ("eq", 0), ("ne", 1), ("ugt", 1), ("uge", 1), ("ult", 0), ("ule", 0), ("sgt", 0), ("sge", 0), ("slt", 1),
        ("sle", 1),
    )]
    + [(f"fcmp {name} float %x, %y", value) for name, value in (  # 2.5 and -0.75
        ("false", 0), ("oeq", 0), ("ogt", 1), ("oge", 1), ("olt", 0), ("ole", 0), ("one", 1), ("ord", 1), ("ueq", 0),
        ("ugt", 1), ("uge", 1), ("ult", 0), ("ule", 0), ("une", 1), ("uno", 0), ("true", 1),
    )]
    + [(f"fcmp {name} float %x, 0x7FF8000000000000", value) for name, value in (  # and not a number
        ("oeq", 0), ("ogt", 0), ("one", 0), ("ord", 0), ("ueq", 1), ("ult", 1), ("une", 1), ("uno", 1),
    )],
)  # fmt: skip
def test_comparisons(comparison: str, expected: int) -> None:
    assert result(f"  %t = {comparison}\n  %r = zext i1 %t to i32") == [expected]


def test_booleans() -> None:
    body = """
  %p = icmp ult i32 %b, %a
  %q = icmp eq i32 %a, %b
  %and = and i1 %p, %q
  %or = or i1 %p, %q
  %xor = xor i1 %or, true
  %ne = icmp ne i1 %p, %q
  %less = icmp ult i1 %q, %p
  %signed = icmp slt i1 %p, %q
  %s = sext i1 %or to i32
  %1 = zext i1 %and to i32
  %2 = zext i1 %xor to i32
  %3 = zext i1 %ne to i32
  %4 = zext i1 %less to i32
  %5 = zext i1 %signed to i32
  %n3 = shl i32 %3, 2
  %n4 = shl i32 %4, 3
  %n5 = shl i32 %5, 4
  %o1 = or i32 %1, %2
  %o2 = or i32 %n3, %n4
  %o3 = or i32 %o2, %n5
  %o4 = or i32 %o1, %o3
  %odd = trunc i32 %b to i1
  %r = select i1 %odd, i32 %o4, i32 %s
"""
    assert result(body) == [0b11100]  # and, not or: 0; ne, ult, slt (true is -1): 1


def test_narrow_and_wide() -> None:
    """7 + 200 as i8 is 207, -49 signed; 100 * 2^33 - 50 as i64; 2.5 and -0.75 as halves and doubles."""
    body = """
  %byte = trunc i32 %b to i8
  %sum = add i8 %byte, -56
  %wide = sext i8 %sum to i32
  store i32 %wide, ptr addrspace(1) %out
  %l = zext i32 %a to i64
  %shifted = shl i64 %l, 33
  %cs = sext i32 %c to i64
  %total = add i64 %shifted, %cs
  %o1 = getelementptr i64, ptr addrspace(1) %out, i32 1
  store i64 %total, ptr addrspace(1) %o1, align 4
  %h = fptrunc float %x to half
  %hh = fadd half %h, 0xH3800
  %back = fpext half %hh to float
  %o4 = getelementptr float, ptr addrspace(1) %out, i32 4
  store float %back, ptr addrspace(1) %o4
  %d = fpext float %y to double
  %dd = fmul double %d, 2.0
  %o6 = getelementptr double, ptr addrspace(1) %out, i32 3
  store double %dd, ptr addrspace(1) %o6, align 4
  %low = trunc i64 %total to i32
  %o5 = getelementptr i32, ptr addrspace(1) %out, i32 5
  %short = trunc i32 %c to i16
  %long = zext i16 %short to i32
  store i32 %long, ptr addrspace(1) %o5
  %r = sub i32 %wide, 0
"""
    total = (A << 33) - 50
    double = struct.unpack("<2I", struct.pack("<d", -1.5))
    expected = [0xFFFFFFCF, 0, total & 0xFFFFFFFF, total >> 32, bits(3.0), 0xFFCE, *double]
    assert result(body, words=8) == expected


def test_memory() -> None:
    """A local array, a table, a variable that is read as bytes and as a word, a float in integer memory."""
    body = """
  %array = alloca [4 x i32]
  %word = alloca i32
  %i = and i32 %b, 3
  %p = getelementptr [4 x i32], ptr %array, i32 0, i32 %i
  store i32 %a, ptr %p
  %q = getelementptr i32, ptr %array, i32 3
  %1 = load i32, ptr %q
  %t = getelementptr [3 x i16], ptr addrspace(2) @table, i32 0, i32 1
  %2 = load i16, ptr addrspace(2) %t
  %3 = sext i16 %2 to i32
  store i32 287454020, ptr %word
  %hi = getelementptr i8, ptr %word, i32 3
  %4 = load i8, ptr %hi
  %5 = zext i8 %4 to i32
  store float %x, ptr %word
  %6 = load i32, ptr %word
  %s1 = add i32 %1, %3
  %s2 = add i32 %s1, %5
  %r = add i32 %s2, %6
"""
    table = "@table = internal addrspace(2) constant [3 x i16] [i16 5, i16 -6, i16 7]\n"
    assert result(body, more=table) == [100 - 6 + 0x11 + bits(2.5)]  # 287454020 is 0x11223344


def test_vectors_and_aggregates() -> None:
    body = """
  %v0 = insertelement <4 x i32> undef, i32 %a, i32 0
  %v1 = insertelement <4 x i32> %v0, i32 %b, i32 1
  %v = shufflevector <4 x i32> %v1, <4 x i32> undef, <4 x i32> <i32 1, i32 0, i32 1, i32 0>
  %w = add <4 x i32> %v, <i32 1, i32 2, i32 3, i32 4>
  %e = extractelement <4 x i32> %w, i32 %b1
  %pair = insertvalue { i32, float } undef, i32 %e, 0
  %full = insertvalue { i32, float } %pair, float %x, 1
  %f = extractvalue { i32, float } %full, 1
  %n = fptosi float %f to i32
  %m = extractvalue { i32, float } %full, 0
  %over = call { i32, i1 } @llvm.uadd.with.overflow.i32(i32 %c, i32 %a)
  %carry = extractvalue { i32, i1 } %over, 1
  %k = zext i1 %carry to i32
  %s = add i32 %m, %n
  %r = add i32 %s, %k
"""
    more = "declare { i32, i1 } @llvm.uadd.with.overflow.i32(i32, i32)\n"
    assert result("  %b1 = sub i32 %b, 5\n" + body, more=more) == [7 + 3 + 2 + 1]  # element 2 is b + 3


def test_atomics() -> None:
    body = """
  store i32 10, ptr addrspace(1) %out
  %1 = atomicrmw add ptr addrspace(1) %out, i32 5 seq_cst
  %2 = atomicrmw umax ptr addrspace(1) %out, i32 %a monotonic
  %3 = cmpxchg ptr addrspace(1) %out, i32 100, i32 77 acq_rel monotonic
  %old = extractvalue { i32, i1 } %3, 0
  %ok = extractvalue { i32, i1 } %3, 1
  %4 = cmpxchg ptr addrspace(1) %out, i32 100, i32 88 seq_cst seq_cst
  %no = extractvalue { i32, i1 } %4, 1
  %5 = atomicrmw xchg ptr addrspace(1) %out, i32 3 acquire
  fence seq_cst
  %y1 = zext i1 %ok to i32
  %y2 = zext i1 %no to i32
  %p2 = getelementptr i32, ptr addrspace(1) %out, i32 1
  store i32 %5, ptr addrspace(1) %p2
  %s1 = add i32 %1, %2
  %s2 = add i32 %s1, %old
  %s3 = add i32 %s2, %y1
  %r = add i32 %s3, %y2
"""
    assert result(body, words=2) == [10 + 15 + 100 + 1 + 0, 77]


def test_orders_that_an_atomic_can_have() -> None:
    """SPIR-V 1.6, OpAtomicLoad: no Release or AcquireRelease; OpAtomicStore: no Acquire or AcquireRelease;
    OpAtomicCompareExchange, Unequal: no Release or AcquireRelease, and no stronger than Equal."""
    acquire, release, both = [enums.MemorySemanticsUniformMemory | bit for bit in (2, 4, 8)]
    body = """
  store atomic i32 5, ptr addrspace(1) %out seq_cst, align 4
  store atomic i32 6, ptr addrspace(1) %out release, align 4
  %1 = load atomic i32, ptr addrspace(1) %out seq_cst, align 4
  %2 = load atomic i32, ptr addrspace(1) %out monotonic, align 4
  %3 = cmpxchg ptr addrspace(1) %out, i32 6, i32 7 seq_cst seq_cst
  %4 = call i1 @_Z30atomic_compare_exchange_strongPU3AS1VU7_AtomicjPU3AS1jj(
    ptr addrspace(1) %out, ptr addrspace(1) %in, i32 8)
  %5 = call i32 @_Z11atomic_loadPU3AS1VU7_Atomicj(ptr addrspace(1) %out)
  call void @_Z12atomic_storePU3AS1VU7_Atomicjj(ptr addrspace(1) %out, i32 9)
  %r = add i32 %1, %2
"""
    more = """
declare i1 @_Z30atomic_compare_exchange_strongPU3AS1VU7_AtomicjPU3AS1jj(ptr addrspace(1), ptr addrspace(1), i32)
declare i32 @_Z11atomic_loadPU3AS1VU7_Atomicj(ptr addrspace(1))
declare void @_Z12atomic_storePU3AS1VU7_Atomicjj(ptr addrspace(1), i32)
"""
    module = reknit.load(KERNEL.format(body=body, type="i32", more=more).encode(), format="ll")
    atomics = [instr for instr in module.functions[0].instructions() if instr.op in SEMANTICS]
    orders = [[as_int(instr.instr(index)) for index in SEMANTICS[instr.op]] for instr in atomics]
    assert orders == [[release], [release], [acquire], [0], [both, acquire], [both, acquire], [acquire], [release]]


def test_a_kernel_that_another_kernel_calls() -> None:
    """SPIR-V 1.6, 2.16.1: no OpFunctionCall names the function of an entry point."""
    more = """
define spir_kernel void @other(i32 %n) !reqd_work_group_size !0 {
  ret void
}
"""
    body = "  call spir_kernel void @other(i32 %a)\n  %r = add i32 %a, %b"
    module = reknit.load(KERNEL.format(body=body, type="i32", more=more).encode(), format="ll")
    assert len(module.functions) == 2
    assert not [one for function in module.functions for one in function.instructions() if one.op == op.FunctionCall]


def test_loops_switches_and_pointer_phis() -> None:
    """The first word above 50 from the end: word 2 is 2^32 - 50; the switch goes to its second case."""
    body = """
  br label %head
head:
  %i = phi i32 [ 0, %0 ], [ %next, %latch ]
  %at = phi ptr addrspace(1) [ %in, %0 ], [ %more, %latch ]
  %sum = phi i32 [ 0, %0 ], [ %total, %latch ]
  %done = icmp eq i32 %i, 3
  br i1 %done, label %exit, label %body
body:
  %w = load i32, ptr addrspace(1) %at
  switch i32 %i, label %other [
    i32 0, label %zero
    i32 2, label %two
  ]
zero:
  br label %latch
two:
  br label %latch
other:
  br label %latch
latch:
  %factor = phi i32 [ 1, %zero ], [ 1000, %two ], [ 10, %other ]
  %part = mul i32 %w, %factor
  %total = add i32 %sum, %part
  %next = add i32 %i, 1
  %more = getelementptr i32, ptr addrspace(1) %at, i32 1
  br label %head
exit:
  %r = add i32 %sum, 1
"""
    assert result(body) == [(100 + 70 - 50000 + 1) & 0xFFFFFFFF]


def test_kernels() -> None:
    """Ids, a scalar argument, shared memory and a barrier, over two groups of four."""
    text = b"""
@shared = internal addrspace(3) global [4 x i32] undef
declare spir_func i64 @_Z13get_global_idj(i32)
declare spir_func i64 @_Z12get_local_idj(i32)
declare spir_func i64 @_Z14get_local_sizej(i32)
declare spir_func void @_Z7barrierj(i32)
define spir_kernel void @reverse(ptr addrspace(1) %out, i32 %offset) !reqd_work_group_size !0 {
  %g = call spir_func i64 @_Z13get_global_idj(i32 0)
  %l = call spir_func i64 @_Z12get_local_idj(i32 0)
  %n = call spir_func i64 @_Z14get_local_sizej(i32 0)
  %p = getelementptr [4 x i32], ptr addrspace(3) @shared, i64 0, i64 %l
  %w = trunc i64 %g to i32
  store i32 %w, ptr addrspace(3) %p
  call spir_func void @_Z7barrierj(i32 1)
  %last = sub i64 %n, 1
  %other = sub i64 %last, %l
  %q = getelementptr [4 x i32], ptr addrspace(3) @shared, i64 0, i64 %other
  %x = load i32, ptr addrspace(3) %q
  %y = add i32 %x, %offset
  %o = getelementptr i32, ptr addrspace(1) %out, i64 %g
  store i32 %y, ptr addrspace(1) %o
  ret void
}
!0 = !{i32 4, i32 1, i32 1}
"""
    module = reknit.load(text)
    ran = reknit.run(module, subgroup_size=4, groups=(2, 1, 1), buffers={"out": [0] * 8, "offset": [100]})
    assert ran.buffers["out"].words == [103, 102, 101, 100, 107, 106, 105, 104]


def test_what_is_outside_is_reported_all_at_once_with_its_line() -> None:
    text = """define void @f(i32 %n, float %x) {
entry:
  %big = zext i32 %n to i128
  br label %next
next:                       ; not an instruction
  %p = inttoptr i32 %n to ptr
  %v = load ptr, ptr %p
  %t = call float @llvm.tan.f64.wrong(float %x)
  ret void
}
declare float @llvm.tan.f64.wrong(float)
"""
    text = text.replace("llvm.tan.f64.wrong", "llvm.exp10.f32")
    with pytest.raises(InputError) as caught:
        reknit.load(text.encode(), format="ll")
    found = [(fault.code, fault.place.line if fault.place else 0) for fault in caught.value.diagnostics]
    assert found == [("RK0805", 3), ("RK0805", 7), ("RK0805", 8)]
    assert "i128" in caught.value.diagnostics[0].message
    assert "block %next: %v = load ptr" in caught.value.diagnostics[1].notes[0].message


def test_lines_of_a_debug_build_and_of_a_function() -> None:
    """Newer versions of LLVM print calls of llvm.dbg.value as records, which are no statements."""
    text = """define void @f(i32 %n) !dbg !3 {
  call void @llvm.dbg.value(metadata i32 %n, metadata !5, metadata !DIExpression()), !dbg !6
  %big = zext i32 %n to i128, !dbg !6
  ret void
}

define void @g(<2 x ptr> %p) {
  ret void
}
declare void @llvm.dbg.value(metadata, metadata, metadata)
!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2}
!0 = distinct !DICompileUnit(language: DW_LANG_C, file: !1, emissionKind: FullDebug)
!1 = !DIFile(filename: "f.cl", directory: "/")
!2 = !{i32 2, !"Debug Info Version", i32 3}
!3 = distinct !DISubprogram(name: "f", file: !1, line: 1, type: !4, unit: !0, spFlags: DISPFlagDefinition)
!4 = !DISubroutineType(types: !{null})
!5 = !DILocalVariable(name: "n", scope: !3, file: !1, line: 1, type: !7)
!6 = !DILocation(line: 1, column: 1, scope: !3)
!7 = !DIBasicType(name: "int", size: 32, encoding: DW_ATE_signed)
"""
    with pytest.raises(InputError) as caught:
        reknit.load(text.encode(), format="ll")
    found = {fault.place.line: fault.message for fault in caught.value.diagnostics if fault.place}
    assert found[3] == "instruction %big has the type i128, which is not read here"
    assert found[7].startswith("function @g has a parameter or result of the type")


def test_what_only_follows_is_not_reported_and_calls_name_their_function() -> None:
    text = """define void @f(ptr %p, ptr %to) {
  %v = call <64 x i16> @read(i64 0)
  store <64 x i16> %v, ptr %to
  call void @prefetch(ptr %p, i32 1)
  ret void
}
declare <64 x i16> @read(i64)
declare void @prefetch(ptr, i32)
"""
    with pytest.raises(InputError) as caught:
        reknit.load(text.encode(), format="ll")
    messages = [fault.message for fault in caught.value.diagnostics]
    assert len(messages) == 2 and "calls @read" in messages[0]
    assert messages[1].startswith("this call calls @prefetch, which ")


def test_convergence_tokens_say_what_is_in_a_loop() -> None:
    """`work` is left behind by the loop's edges; its call is controlled by the loop's token, so it is in the loop, and
    so is `between`, on the way to it."""
    text = b"""
declare token @llvm.experimental.convergence.entry()
declare token @llvm.experimental.convergence.loop()
declare void @report(i32) convergent
define void @f(i32 %n) convergent {
entry:
  %outer = call token @llvm.experimental.convergence.entry()
  br label %head
head:
  %i = phi i32 [ 0, %entry ], [ %next, %latch ]
  %inner = call token @llvm.experimental.convergence.loop() [ "convergencectrl"(token %outer) ]
  %found = icmp eq i32 %i, %n
  br i1 %found, label %between, label %latch
latch:
  %next = add i32 %i, 1
  br label %head
between:
  br label %work
work:
  call void @report(i32 %i) [ "convergencectrl"(token %inner) ]
  br label %out
out:
  call void @report(i32 7) [ "convergencectrl"(token %outer) ]
  ret void
}
"""
    module = reknit.load(text)
    function = next(one for one in module.functions if one.name == "f")
    hints = {(hint.block.name, hint.header.name) for hint in function.hints}
    assert hints == {("head", "head"), ("between", "head"), ("work", "head")}
    assert {hint.origin for hint in function.hints} == {"convergence token"}


def test_values_of_unreachable_blocks_may_use_themselves() -> None:
    """LLVM, "Well-Formedness": every block dominates one that is unreachable. The edge from there takes its input of
    the phi with it."""
    text = b"""
define spir_kernel void @k(ptr addrspace(1) %out) {
entry:
  br label %end
around:
  %p = getelementptr i8, ptr %p, i64 1
  %n = add i32 %n, 1
  %c = load i8, ptr %p
  %at = select i1 true, ptr %at, ptr %p
  %again = icmp eq i8 %c, 0
  br i1 %again, label %around, label %end
end:
  %x = phi i32 [ 7, %entry ], [ %n, %around ]
  store i32 %x, ptr addrspace(1) %out
  ret void
}
"""
    ran = reknit.run(reknit.load(text), subgroup_size=4, buffers={"out": [0]})
    assert ran.buffers["out"].words == [7]
