"""Kernels: OpenCL's LLVM IR, and SPIR-V for kernels, whose graphs nobody gave structure; they get a tree all the same.

    spir_kernel in LLVM IR     ──▶ a compute shader ──▶ tree ──▶ valid for Vulkan, stores what the source means
    OpEntryPoint Kernel        ──▶ flat ──▶ tree, every block once ──▶ valid for OpenCL
"""

import pytest
from kit import oracles

import reknit
from reknit.passes.structurize.summary import Summary
from reknit.spirv.write import write_module

pytestmark = pytest.mark.once

HEAD = """
declare spir_func i64 @_Z13get_global_idj(i32)
define spir_kernel void @main(ptr addrspace(1) %in, ptr addrspace(1) %out) !reqd_work_group_size !0 {
entry:
  %g = call spir_func i64 @_Z13get_global_idj(i32 0)
  %p = getelementptr i32, ptr addrspace(1) %in, i64 %g
  %x = load i32, ptr addrspace(1) %p
  %o = getelementptr i32, ptr addrspace(1) %out, i64 %g
"""
FOOT = "\n!0 = !{i32 8, i32 1, i32 1}\n"
INPUT = [3, 0, 6, 7, 2, 5, 1, 4]

NESTED = """
  br label %outer
outer:                                            ; for i < x
  %i = phi i32 [ 0, %entry ], [ %i.next, %outer.next ]
  %sum = phi i32 [ 0, %entry ], [ %sum.out, %outer.next ]
  %go = icmp ult i32 %i, %x
  br i1 %go, label %inner, label %end
inner:                                            ; for j: continue if odd, leave both if i + j is 9
  %j = phi i32 [ 0, %outer ], [ %j.next, %inner.next ]
  %s = phi i32 [ %sum, %outer ], [ %s.next, %inner.next ]
  %both = add i32 %i, %j
  %nine = icmp eq i32 %both, 9
  br i1 %nine, label %left, label %test
test:
  %bit = and i32 %j, 1
  %odd = icmp ne i32 %bit, 0
  br i1 %odd, label %inner.next, label %work
work:
  %more = add i32 %s, %j
  br label %inner.next
inner.next:
  %s.next = phi i32 [ %s, %test ], [ %more, %work ]
  %j.next = add i32 %j, 1
  %again = icmp ult i32 %j.next, 5
  br i1 %again, label %inner, label %outer.next
outer.next:
  %sum.out = phi i32 [ %s.next, %inner.next ]
  %i.next = add i32 %i, 1
  br label %outer
left:
  %marked = add i32 %s, 1000
  br label %end
end:
  %r = phi i32 [ %sum, %outer ], [ %marked, %left ]
  store i32 %r, ptr addrspace(1) %o
  ret void
}
"""

INTO_A_LOOP = """
  %low = icmp ult i32 %x, 4
  br i1 %low, label %first, label %second
first:                                            ; two blocks that go to each other, entered at either
  %a = phi i32 [ 0, %entry ], [ %b.next, %second ]
  %a.next = add i32 %a, 1
  %a.done = icmp uge i32 %a.next, %x
  br i1 %a.done, label %end, label %second
second:
  %b = phi i32 [ 100, %entry ], [ %a.next, %first ]
  %b.next = add i32 %b, 2
  %b.done = icmp uge i32 %b.next, 6
  br i1 %b.done, label %end, label %first
end:
  %r = phi i32 [ %a.next, %first ], [ %b.next, %second ]
  store i32 %r, ptr addrspace(1) %o
  ret void
}
"""

SWITCH = """
  switch i32 %x, label %other [
    i32 0, label %zero
    i32 3, label %three
    i32 5, label %five
    i32 7, label %three
  ]
zero:
  br label %three
three:                                            ; fallen into, and from there into five or out
  %t = phi i32 [ 0, %entry ], [ 0, %entry ], [ 10, %zero ]
  %odd = and i32 %x, 4
  %out.now = icmp ne i32 %odd, 0
  br i1 %out.now, label %end, label %five
five:
  %f = phi i32 [ 500, %entry ], [ %t, %three ]
  %f1 = add i32 %f, 1
  br label %end
other:
  br label %end
end:
  %r = phi i32 [ 77, %three ], [ %f1, %five ], [ %x, %other ]
  store i32 %r, ptr addrspace(1) %o
  ret void
}
"""


def nested(x: int) -> int:
    """The loops as they are written in the comments of NESTED."""
    total = 0
    for i in range(x):
        for j in range(5):
            if i + j == 9:
                return total + 1000
            total += 0 if j & 1 else j
    return total


EXPECTED = {
    # 0 + 2 + 4 an outer turn, x turns; i + j is 9 from i = 5 on: 5 turns, then j = 0, 2 before 4: 30 + 2 + 1000
    "nested": [18, 0, 1032, 1032, 12, 30, 6, 24],
    # below 4 from 0: 1 ends for 0 and 1; 2 and 3: 1, 3, 4 (ends). Others: 102 ends
    "into a loop": [4, 1, 102, 102, 4, 102, 1, 102],
    # 3: 0 + 1; 0: 10 + 1; 6: other; 7: 77; 2: other; 5: 501; 1, 4: other
    "switch": [1, 11, 6, 77, 2, 501, 1, 4],
}
BODIES = {"nested": NESTED, "into a loop": INTO_A_LOOP, "switch": SWITCH}


@pytest.mark.parametrize("name", BODIES)
def test_kernels_in_llvm_get_structure(name: str) -> None:
    text = (HEAD + BODIES[name] + FOOT).encode()
    given = {"in": INPUT, "out": [0] * 8}
    for size in (4, 8, 32, 64):
        flat = reknit.load(text, format="ll")
        assert not flat.functions[0].structured
        assert reknit.run(flat, subgroup_size=size, buffers=given).buffers["out"].words == EXPECTED[name]
        module = reknit.load(text, format="ll")
        reknit.compile(module, "restructure", verify_each=True)
        assert all(function.structured for function in module.functions)
        assert reknit.run(module, subgroup_size=size, buffers=given).buffers["out"].words == EXPECTED[name]
    accepted, message = oracles.spirv_val(write_module(module), "vulkan1.3")
    assert accepted, message


def test_the_comments_are_the_program() -> None:
    assert [nested(x) for x in INPUT] == EXPECTED["nested"]


KERNEL = """OpCapability Kernel
OpCapability Addresses
OpMemoryModel Physical32 OpenCL
OpEntryPoint Kernel %main "main"
OpExecutionMode %main LocalSize 8 1 1
OpName %main "main"
%void = OpTypeVoid
%bool = OpTypeBool
%uint = OpTypeInt 32 0
%zero = OpConstant %uint 0
%one = OpConstant %uint 1
%ten = OpConstant %uint 10
%pointer = OpTypePointer CrossWorkgroup %uint
%fn = OpTypeFunction %void %pointer %uint
%main = OpFunction %void None %fn
%out = OpFunctionParameter %pointer
%n = OpFunctionParameter %uint
%entry = OpLabel
%low = OpULessThan %bool %n %ten
OpBranchConditional %low %first %second
%first = OpLabel
%a = OpPhi %uint %zero %entry %b1 %second
%a1 = OpIAdd %uint %a %one
%enough = OpUGreaterThan %bool %a1 %n
OpBranchConditional %enough %left %second
%second = OpLabel
%b = OpPhi %uint %one %entry %a1 %first
%b1 = OpIAdd %uint %b %one
OpSwitch %b1 %first 3 %left 4 %end
%left = OpLabel
%r = OpPhi %uint %a1 %first %b1 %second
OpStore %out %r
OpBranch %end
%end = OpLabel
OpReturn
OpFunctionEnd
"""


def test_spirv_for_kernels_gets_structure() -> None:
    """No merge instruction anywhere, and a loop with two entrances: it is read flat, and comes out as a tree."""
    binary = oracles.assemble(KERNEL, "opencl2.2")
    assert oracles.spirv_val(binary, "opencl2.2") == (True, "")
    module = reknit.load(binary)
    function = module.functions[0]
    assert not function.structured and len(function.blocks) == 5
    reknit.compile(module, "restructure", verify_each=True)
    assert function.structured
    summary = Summary(function)
    assert summary.loops == 1 and summary.blocks <= 12
    accepted, message = oracles.spirv_val(write_module(module), "opencl2.2")
    assert accepted, message
    again = reknit.load(write_module(module))
    assert again.functions[0].structured
    assert "EntryPoint Kernel" in reknit.text(again)


def test_a_message_names_a_buffer_of_several_kernels_once() -> None:
    other = HEAD.partition("\n")[2].partition("\n")[2].replace("@main", "@other")
    text = f"{HEAD}  store i32 %x, ptr addrspace(1) %o\n  ret void\n}}\n{other}  ret void\n}}\n{FOOT}"
    with pytest.raises(reknit.InputError) as caught:
        reknit.run(reknit.load(text.encode(), format="ll"), "main", buffers={"nope": [0]})
    assert caught.value.diagnostics[0].help == "there are: in (0.0), out (0.1)"
