"""LLVM's own functions, by hand from the Language Reference; and calls that are refused by the function's name."""

import pytest

import reknit
from reknit.source.diagnostic import InputError

pytestmark = pytest.mark.once

KERNEL = """
define spir_kernel void @main(ptr addrspace(1) %out) !reqd_work_group_size !0 {{
{body}
  store {type} %r, ptr addrspace(1) %out
  ret void
}}
{more}
!0 = !{{i32 1, i32 1, i32 1}}
"""


def result(body: str, type: str, more: str = "") -> int:
    """The bits that the kernel stores, as an unsigned number of its width. `id` is a number that nothing folds."""
    module = reknit.load(KERNEL.format(body=body, type=type, more=more).encode(), format="ll")
    ran = reknit.run(module, subgroup_size=4, buffers={"out": [0, 0]})
    assert [str(fault) for fault in ran.diagnostics] == []
    low, high = ran.buffers["out"].words
    width = {"half": 16, "float": 32, "double": 64}.get(type) or int(type[1:])
    return (low | high << 32) & ((1 << width) - 1)


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        ("i32 @llvm.usub.sat.i32(i32 0, i32 1)", 0),
        ("i8 @llvm.uadd.sat.i8(i8 200, i8 100)", 255),
        ("i8 @llvm.sadd.sat.i8(i8 100, i8 100)", 127),
        ("i16 @llvm.ssub.sat.i16(i16 -32000, i16 32000)", 0x8000),
        ("i32 @llvm.sshl.sat.i32(i32 -3, i32 31)", 0x80000000),
        ("i64 @llvm.ushl.sat.i64(i64 3, i64 63)", (1 << 64) - 1),
        ("i8 @llvm.ctlz.i8(i8 1, i1 false)", 7),
        ("i16 @llvm.ctlz.i16(i16 0, i1 false)", 16),
        ("i64 @llvm.cttz.i64(i64 4294967296, i1 false)", 32),
        ("i64 @llvm.cttz.i64(i64 0, i1 false)", 64),
        ("i64 @llvm.ctpop.i64(i64 -1)", 64),
        ("i8 @llvm.bitreverse.i8(i8 6)", 0x60),
        ("i16 @llvm.bswap.i16(i16 4660)", 0x3412),  # 0x1234
        ("i64 @llvm.bswap.i64(i64 1)", 1 << 56),
        ("i8 @llvm.fshl.i8(i8 1, i8 128, i8 9)", 3),  # by 1: 9 modulo 8
        ("i16 @llvm.fshr.i16(i16 1, i16 -32768, i16 16)", 0x8000),
        ("i32 @llvm.abs.i32(i32 -2147483648, i1 false)", 0x80000000),
        ("i8 @llvm.scmp.i8.i32(i32 -5, i32 3)", 0xFF),
        ("i8 @llvm.ucmp.i8.i32(i32 -5, i32 3)", 1),
        ("float @llvm.minimum.f32(float 0.0, float -0.0)", 0x80000000),
        ("float @llvm.maximum.f32(float -0.0, float 0.0)", 0),
        ("float @llvm.minimumnum.f32(float 0x7FF8000000000000, float 2.0)", 0x40000000),
        ("float @llvm.maxnum.f32(float 1.0, float 0x7FF8000000000000)", 0x3F800000),
        ("double @llvm.copysign.f64(double 1.0, double -0.0)", 0xBFF0000000000000),
        ("float @llvm.round.f32(float -2.5)", 0xC0400000),
        ("float @llvm.roundeven.f32(float -2.5)", 0xC0000000),
        ("i32 @llvm.fptosi.sat.i32.f32(float 0x7FF8000000000000)", 0),
        ("i8 @llvm.fptosi.sat.i8.f64(double -1000.0)", 0x80),
        ("i32 @llvm.fptoui.sat.i32.f32(float 0x7FF0000000000000)", 0xFFFFFFFF),
        ("i64 @llvm.fptosi.sat.i64.f32(float 0x43E0000000000000)", (1 << 63) - 1),  # 2^63
        ("i32 @llvm.fptoui.sat.i32.f16(half 0xH7C00)", 0xFFFFFFFF),  # infinite
        ("i32 @llvm.fptosi.sat.i32.f16(half 0xHFC00)", 0x80000000),
        ("i32 @llvm.vector.reduce.add.v4i32(<4 x i32> <i32 1, i32 2, i32 3, i32 -7>)", 0xFFFFFFFF),
        ("i32 @llvm.expect.i32(i32 7, i32 1)", 7),
    ],
)
def test_values(call: str, expected: int) -> None:
    type = call.split()[0]
    name = call.split("@")[1].split("(")[0]
    operands = call.split("(", 1)[1].rsplit(")", 1)[0]
    kinds = ["<4 x i32>"] if operands.startswith("<4") else [one.split()[0] for one in operands.split(", ")]
    assert result(f"  %r = call {call}", type, f"declare {type} @{name}({', '.join(kinds)})") == expected


@pytest.mark.parametrize(
    ("name", "type", "a", "b", "expected", "wraps"),
    [
        ("uadd", "i8", 255, 1, 0, 1), ("uadd", "i16", 65534, 1, 65535, 0), ("usub", "i32", 1, 2, 0xFFFFFFFF, 1),
        ("sadd", "i32", 0x7FFFFFFF, 1, 0x80000000, 1), ("sadd", "i64", -1, -1, (1 << 64) - 2, 0),
        ("ssub", "i8", -128, 1, 127, 1), ("umul", "i32", 65536, 65536, 0, 1), ("umul", "i64", 3, 5, 15, 0),
        ("smul", "i16", -32768, -1, 0x8000, 1), ("smul", "i32", -3, 5, 0xFFFFFFF1, 0), ("smul", "i8", 16, 8, 0x80, 1),
    ],
)  # fmt: skip
def test_overflow(name: str, type: str, a: int, b: int, expected: int, wraps: int) -> None:
    pair = f"{{ {type}, i1 }}"
    function = f"llvm.{name}.with.overflow.{type}"
    body = f"  %p = call {pair} @{function}({type} {a}, {type} {b})\n"
    more = f"declare {pair} @{function}({type}, {type})"
    assert result(body + f"  %r = extractvalue {pair} %p, 0", type, more) == expected
    body += f"  %t = extractvalue {pair} %p, 1\n  %r = zext i1 %t to i32"
    assert result(body, "i32", more) == wraps


@pytest.mark.parametrize("width", [16, 32, 64])
def test_classes_of_floats(width: int) -> None:
    """Each number is of one class: the bit of the mask that says yes (LLVM, "llvm.is.fpclass")."""
    fraction = {16: 10, 32: 23, 64: 52}[width]
    kind = {16: "half", 32: "float", 64: "double"}[width]
    sign = 1 << width - 1
    infinite = sign - (1 << fraction)
    quiet = 1 << fraction - 1
    samples = {
        infinite + 1: 0, infinite + quiet: 1, sign | infinite | quiet: 1, sign | infinite: 2, sign | 1 << fraction: 3,
        sign | 1: 4, sign: 5, 0: 6, (1 << fraction) - 1: 7, infinite - 1: 8, infinite: 9,
    }  # fmt: skip
    more = f"declare i1 @llvm.is.fpclass.f{width}({kind}, i32)"
    for bits, wanted in samples.items():
        body = f"  %x = bitcast i{width} {bits} to {kind}\n"
        sums = "0"
        for bit in range(10):
            body += f"  %t{bit} = call i1 @llvm.is.fpclass.f{width}({kind} %x, i32 {1 << bit})\n"
            body += f"  %z{bit} = zext i1 %t{bit} to i32\n  %s{bit} = shl i32 %z{bit}, {bit}\n"
            body += f"  %o{bit} = or i32 {sums}, %s{bit}\n"
            sums = f"%o{bit}"
        assert result(body + f"  %r = or i32 0, {sums}", "i32", more) == 1 << wanted, hex(bits)


def refused(text: str) -> list[str]:
    with pytest.raises(InputError) as caught:
        reknit.load(text.encode(), format="ll")
    assert {fault.code for fault in caught.value.diagnostics} == {"RK0805"}
    return [fault.message for fault in caught.value.diagnostics]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "declare i32 @f(...)\ndefine i32 @t(i32 %a) {\n  %r = call i32 (...) @f(i32 %a)\n  ret i32 %r\n}\n",
            "instruction %r calls @f, which takes a variable number of arguments",
        ),
        (
            "define i32 @t(i32 %a, i64 %b) {\n  %r = call i32 @g(i64 %b)\n  ret i32 %r\n}\n"
            "define i32 @g(i32 %a) {\n  ret i32 %a\n}\n",
            "instruction %r calls @g with other types than its own",
        ),
        (
            "define i32 @t(i32 %a) {\n  %p = inttoptr i32 %a to ptr\n  %r = call i32 %p(i32 %a)\n  ret i32 %r\n}\n",
            "instruction %r calls a function through a pointer, which is not read here",
        ),
        (
            "declare i32 @llvm.smul.fix.i32(i32, i32, i32)\ndefine i32 @t(i32 %a) {\n"
            "  %r = call i32 @llvm.smul.fix.i32(i32 %a, i32 %a, i32 3)\n  ret i32 %r\n}\n",
            "instruction %r calls @llvm.smul.fix.i32, which is not read here",
        ),
        (
            "declare double @llvm.sin.f64(double)\ndefine double @t(double %a) {\n"
            "  %r = call double @llvm.sin.f64(double %a)\n  ret double %r\n}\n",
            "instruction %r is sin of a double, which GLSL.std.450 does not have",
        ),
        (
            "declare i1 @llvm.uadd.sat.i1(i1, i1)\ndefine i1 @t(i1 %a) {\n"
            "  %r = call i1 @llvm.uadd.sat.i1(i1 %a, i1 %a)\n  ret i1 %r\n}\n",
            "instruction %r is uadd.sat of i1",
        ),
        (
            "define i32 @t(i32 %a) {\n  %w = zext i32 %a to i128\n  %r = trunc i128 %w to i32\n  ret i32 %r\n}\n",
            "instruction %w has the type i128, which is not read here",
        ),
    ],
)
def test_refused_by_name(text: str, message: str) -> None:
    assert message in refused(text)


UNUSED = """
define void @stray(ptr %p) {
  store i32 1, ptr %p
  ret void
}
define i32 @wide(i32 %a) {
  %w = zext i32 %a to i128
  %r = trunc i128 %w to i32
  ret i32 %r
}
define i32 @calls_wide(i32 %a) {
  %r = call i32 @wide(i32 %a)
  ret i32 %r
}
define i32 @fine(i32 %a) {
  ret i32 %a
}
"""


def test_what_no_entry_point_leads_to_is_not_read() -> None:
    module = reknit.load(KERNEL.format(body="  %r = add i32 3, 4", type="i32", more=UNUSED).encode(), format="ll")
    assert [function.name for function in module.functions] == ["main"]
    assert [note.message for note in module.notes] == []
    assert reknit.run(module, subgroup_size=4, buffers={"out": [0, 0]}).buffers["out"].words == [7, 0]


def test_what_an_entry_point_leads_to_does() -> None:
    body = "  %r = call i32 @calls_wide(i32 3)"
    messages = refused(KERNEL.format(body=body, type="i32", more=UNUSED))
    assert messages[0] == "instruction %w has the type i128, which is not read here"


def test_without_an_entry_point_every_function_is_read_or_refused() -> None:
    assert refused(UNUSED)[:1] == ["instruction %w has the type i128, which is not read here"]


@pytest.mark.parametrize("type", ["<8 x i128>", "{ i32, fp128 }", "i80", 'target("spirv.Image")'])
def test_arguments_of_kernels(type: str) -> None:
    """A value that the caller gives is of a type that is read, or the kernel is refused."""
    text = f"define spir_kernel void @k({type} %x) {{\n  ret void\n}}\n"
    assert refused(text) == [f"function @k takes the argument %x of type {type}, which is not read here"]

