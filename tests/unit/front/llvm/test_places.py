"""Pointers that are values: to one of several objects, in memory, in tables, compared, as numbers; copies, fills."""

import pytest

import reknit
from reknit.source.diagnostic import InputError

pytestmark = pytest.mark.once

MODULE = """target datalayout = "e-i64:64-G1"
@a = internal constant [4 x i32] [i32 10, i32 11, i32 12, i32 13]
@b = internal constant [2 x i32] [i32 20, i32 21]
@table = internal constant [3 x ptr] [ptr @a, ptr getelementptr (i8, ptr @b, i64 4),
                                      ptr getelementptr ([4 x i32], ptr @a, i64 0, i64 3)]
declare i64 @_Z13get_global_idj(i32)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
declare void @llvm.memmove.p0.p0.i64(ptr, ptr, i64, i1)
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
define internal i32 @through(ptr %p, i64 %i) {{
  %q = getelementptr i32, ptr %p, i64 %i
  %r = load i32, ptr %q
  ret i32 %r
}}
define spir_kernel void @main(ptr addrspace(1) %out) !reqd_work_group_size !0 {{
  %g = call i64 @_Z13get_global_idj(i32 0)
  %own = alloca [4 x i32]
  %long = alloca [100 x i32]
  %cell = alloca ptr
  %odd = trunc i64 %g to i1
{body}
  %o = getelementptr i32, ptr addrspace(1) %out, i64 %g
  store i32 %r, ptr addrspace(1) %o
  ret void
}}
!0 = !{{i32 4, i32 1, i32 1}}
"""
ABOVE = "  %h = getelementptr i32, ptr %long, i64 1\n"


def stored(body: str) -> list[int]:
    module = reknit.load(MODULE.format(body=body).encode(), format="ll")
    rows = []
    for size in (4, 32):
        ran = reknit.run(module, subgroup_size=size, buffers={"out": [0] * 4})
        assert [str(fault) for fault in ran.diagnostics] == []
        rows.append(ran.buffers["out"].words)
    structured = reknit.load(MODULE.format(body=body).encode(), format="ll")
    reknit.compile(structured, "restructure", verify_each=True)
    rows.append(reknit.run(structured, subgroup_size=4, buffers={"out": [0] * 4}).buffers["out"].words)
    assert rows[0] == rows[1] == rows[2]
    return list(rows[0])


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        # lanes 0 and 2: @a, lanes 1 and 3: @b; element 1
        ("%p = select i1 %odd, ptr @b, ptr @a\n%r = call i32 @through(ptr %p, i64 1)", [11, 21, 11, 21]),
        # the table: @a + 0, @b + 4, @a + 12; lane 3 takes the first again
        (
            "%i = urem i64 %g, 3\n%t = getelementptr ptr, ptr @table, i64 %i\n%p = load ptr, ptr %t\n"
            "%r = call i32 @through(ptr %p, i64 0)",
            [10, 21, 13, 10],
        ),
        # through memory, and null where it isn't set
        (
            "store ptr null, ptr %cell\n%p = select i1 %odd, ptr @b, ptr null\nstore ptr %p, ptr %cell\n"
            "%q = load ptr, ptr %cell\n%n = icmp eq ptr %q, null\n%s = select i1 %n, ptr @a, ptr %q\n"
            "%r = load i32, ptr %s",
            [10, 20, 10, 20],
        ),
        # 12 bytes between elements 0 and 3 of one object
        (
            "%e = getelementptr i32, ptr %own, i64 3\n%x = ptrtoint ptr %e to i64\n%y = ptrtoint ptr %own to i64\n"
            "%d = sub i64 %x, %y\n%r = trunc i64 %d to i32",
            [12, 12, 12, 12],
        ),
        # the bits of a pointer, and back
        (
            "%x = ptrtoint ptr @b to i64\n%y = add i64 %x, 4\n"
            "%p = inttoptr i64 %y to ptr\n%r = load i32, ptr %p",
            [21, 21, 21, 21],
        ),
        # 16 bytes of @a, of which one is overwritten
        (
            "call void @llvm.memcpy.p0.p0.i64(ptr align 4 %own, ptr align 4 @a, i64 16, i1 false)\n"
            "%e = getelementptr [4 x i32], ptr %own, i64 0, i64 %g\nstore i8 0, ptr %e\n%r = load i32, ptr %e",
            [0, 0, 0, 0],
        ),
        # 400 bytes of 3s, moved up by a word over themselves: the first word stays, element 99 is what 98 was
        (
            "call void @llvm.memset.p0.i64(ptr align 4 %long, i8 3, i64 400, i1 false)\n"
            "store i32 7, ptr %long\n" + ABOVE
            + "call void @llvm.memmove.p0.p0.i64(ptr align 4 %h, ptr align 4 %long, i64 396, i1 false)\n"
            "%e = getelementptr i32, ptr %long, i64 %g\n%r = load i32, ptr %e",
            [7, 7, 0x03030303, 0x03030303],
        ),
        # as many bytes as a value says: 4 g of 8
        (
            "store i64 0, ptr %own\n%n = shl i64 %g, 1\n"
            "call void @llvm.memset.p0.i64(ptr align 4 %own, i8 1, i64 %n, i1 false)\n%r = load i32, ptr %own",
            [0, 0x0101, 0x01010101, 0x01010101],
        ),
    ],
)
def test_values(body: str, expected: list[int]) -> None:
    """By the comments."""
    assert stored("\n".join(f"  {line}" for line in body.split("\n"))) == expected


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (
            "%p = load ptr, ptr addrspace(1) %out\n%r = load i32, ptr %p",
            "instruction %r goes through a pointer that leads to no variable, buffer or shared memory known here",
        ),
        ("%v = alloca i32, i64 %g\n%r = load i32, ptr %v", "instruction %v is an array whose length is a value"),
    ],
)
def test_refused_by_name(body: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        reknit.load(MODULE.format(body=body).encode(), format="ll")
    assert message in [fault.message for fault in caught.value.diagnostics]


def test_functions_in_circles() -> None:
    text = "define i32 @f(i32 %a) {\n  %r = call i32 @g(i32 %a)\n  ret i32 %r\n}\n"
    text += "define i32 @g(i32 %a) {\n  %r = call i32 @f(i32 %a)\n  ret i32 %r\n}\n"
    with pytest.raises(InputError) as caught:
        reknit.load(text.encode(), format="ll")
    (fault,) = caught.value.diagnostics
    assert fault.message == "function @f, which calls @g, which calls @f again"


def test_bodies_that_double_at_each_call_end() -> None:
    """30 functions of which each calls the next twice: what grows beyond the bound is refused, soon."""
    text = "define spir_kernel void @k(ptr addrspace(1) %p) {\n  call void @f0(ptr addrspace(1) %p)\n  ret void\n}\n"
    for at in range(30):
        calls = f"  call void @f{at + 1}(ptr addrspace(1) %p)\n" * 2 if at < 29 else ""
        text += f"define void @f{at}(ptr addrspace(1) %p) {{\n{calls}  ret void\n}}\n"
    with pytest.raises(InputError) as caught:
        reknit.load(text.encode(), format="ll")
    assert caught.value.diagnostics[0].message == "function @f0 takes a pointer as its argument %p"
    assert "more than 50000 statements would be copied into a caller" in caught.value.diagnostics[0].help
