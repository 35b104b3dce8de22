"""LLVM IR that isn't a whole kernel: functions that nothing calls, variables that stand for built-in inputs, resources
as clspv's passes leave them, copies by a workgroup.

Values are by hand, from the LLVM Language Reference, OpenCL C 3.0, 6.15.11 and clspv's docs/OpenCLCOnVulkan.md.
"""

import pytest
from kit import oracles

import reknit
from reknit.ir import enums, op
from reknit.ir.module import Module
from reknit.source.diagnostic import InputError
from reknit.spirv.write import write_module

pytestmark = pytest.mark.once

TRIPLE = 'target datalayout = "e-p:32:32-i64:64"\ntarget triple = "spir-unknown-unknown"\n'
SIZED = "\n!0 = !{i32 8, i32 1, i32 1}\n"


def read(text: str) -> Module:
    return reknit.load((TRIPLE + text).encode(), format="ll")


def valid(module: Module, environment: str = "spv1.6") -> None:
    reknit.compile(module, "reconverge")
    accepted, message = oracles.spirv_val(write_module(module), environment)
    assert accepted, message


def run(text: str, buffers: dict[str, list[int]], environment: str = "vulkan1.3") -> dict[str, list[int]]:
    module = read(text)
    ran = reknit.run(module, buffers=buffers, subgroup_size=4)
    valid(module, environment)
    return {name: ran.buffers[name].words for name in buffers}


def test_a_function_that_nothing_calls_keeps_its_numbers_and_its_pointers_lead_to_buffers() -> None:
    module = read("""
define i32 @f(ptr addrspace(1) %a, i32 %n, ptr addrspace(3) %s, ptr %own) {
  %x = load i32, ptr addrspace(1) %a
  store i32 %x, ptr addrspace(3) %s
  store i32 %n, ptr %own
  %y = add i32 %x, %n
  ret i32 %y
}
""")
    (function,) = module.functions
    assert [param.type.op if param.type else 0 for param in function.params] == [op.TypeInt]
    storages = {each.name: each.word(0) for each in module.globals if each.op == op.Variable}
    assert storages == {
        "f.a": enums.StorageClassStorageBuffer, "f.s": enums.StorageClassWorkgroup, "f.own": enums.StorageClassPrivate,
    }  # fmt: skip
    assert [each.code for each in module.notes] == ["RK0807"]
    assert "%a (a storage buffer), %s (shared memory of 512 bytes)" in module.notes[0].message
    valid(module)


def test_long_vectors_and_structs_go_in_and_out_of_a_function_as_arrays_and_structs() -> None:
    module = read("""
define { i32, float } @g(<8 x i32> %v, { i32, float } %s) {
  %x = extractelement <8 x i32> %v, i32 7
  %r = insertvalue { i32, float } %s, i32 %x, 0
  ret { i32, float } %r
}
""")
    (function,) = module.functions
    assert [param.type.op if param.type else 0 for param in function.params] == [op.TypeArray, op.TypeStruct]
    assert function.result is function.params[1].type
    valid(module)


def test_a_pointer_that_a_function_gives_is_left_out_and_reported() -> None:
    module = read("define ptr addrspace(1) @f(ptr addrspace(1) %a) {\n  ret ptr addrspace(1) %a\n}\n")
    assert module.functions[0].result.op == op.TypeVoid
    assert any("gives a pointer, which is left out" in each.message for each in module.notes)
    valid(module)


KERNEL = """
define spir_kernel void @k(ptr addrspace(1) %out) !reqd_work_group_size !0 {
BODY
  ret void
}
"""

INPUTS = {
    # (type of the variable, what invocation 5 of the only group of 8 finds in the second dimension of none)
    "translator": ("@__spirv_BuiltInGlobalInvocationId = external addrspace(1) constant <3 x i64>", 1, "i64"),
    "clspv": ("@__spirv_LocalInvocationId = addrspace(5) global <3 x i32> zeroinitializer", 5, "i32"),
}


@pytest.mark.parametrize("name", INPUTS)
def test_variables_that_stand_for_inputs_hold_them(name: str) -> None:
    variable, space, type = INPUTS[name]
    body = f"""
  %g = load {type}, ptr addrspace({space}) @{variable[1:].split()[0]}
  %n = trunc {type} %g to i16
  %i = zext i16 %n to i32
  %p = getelementptr i32, ptr addrspace(1) %out, i32 %i
  store i32 %i, ptr addrspace(1) %p
"""
    found = run(variable + KERNEL.replace("BODY", body) + SIZED, {"out": [9] * 8})
    assert found == {"out": [0, 1, 2, 3, 4, 5, 6, 7]}


def test_the_size_of_the_workgroup_is_known() -> None:
    text = "@__spirv_WorkgroupSize = addrspace(8) global <3 x i32> zeroinitializer\n" + KERNEL.replace("BODY", """
  %s = load <3 x i32>, ptr addrspace(8) @__spirv_WorkgroupSize
  %x = extractelement <3 x i32> %s, i32 0
  store i32 %x, ptr addrspace(1) %out
""")
    assert run(text + SIZED, {"out": [0]}) == {"out": [8]}


@pytest.mark.parametrize(
    "variable",
    ["@elsewhere = external global i32", "@__spirv_BuiltInPointCoord = external addrspace(1) global <2 x float>"],
)
def test_a_variable_of_another_module_is_refused(variable: str) -> None:
    name = variable.split()[0]
    space = " addrspace(1)" if "addrspace" in variable else ""
    body = f"  %x = load i32, ptr{space} {name}\n  store i32 %x, ptr addrspace(1) %out"
    with pytest.raises(InputError) as caught:
        read(variable + KERNEL.replace("BODY", body) + SIZED)
    assert f"uses {name}" in str(caught.value.diagnostics[0].message)


def test_shared_memory_of_no_size_is_taken_to_have_some() -> None:
    body = """
  store i32 7, ptr addrspace(3) getelementptr (i32, ptr addrspace(3) @s, i32 5)
  %x = load i32, ptr addrspace(3) getelementptr (i32, ptr addrspace(3) @s, i32 5)
  store i32 %x, ptr addrspace(1) %out
"""
    text = "@s = external addrspace(3) global [0 x i32]\n" + KERNEL.replace("BODY", body) + SIZED
    assert run(text, {"out": [0]}) == {"out": [7]}
    assert any("taken to have 128 bytes" in each.message for each in read(text).notes)


RESOURCES = """
declare ptr addrspace(1) @_Z14clspv.resource.0(i32, i32, i32, i32, i32, i32, { [0 x i32] })
declare ptr addrspace(2) @_Z14clspv.resource.1(i32, i32, i32, i32, i32, i32, { [16 x i32] })
declare ptr addrspace(3) @_Z11clspv.local.3(i32, [0 x i32])
define spir_kernel void @k(ptr addrspace(1) %out, ptr addrspace(2) %in) !reqd_work_group_size !0 {
  %o = call ptr addrspace(1) @_Z14clspv.resource.0(
    i32 1, i32 4, i32 0, i32 0, i32 0, i32 0, { [0 x i32] } zeroinitializer)
  %i = call ptr addrspace(2) @_Z14clspv.resource.1(
    i32 0, i32 1, i32 1, i32 1, i32 1, i32 0, { [16 x i32] } zeroinitializer)
  %l = call ptr addrspace(3) @_Z11clspv.local.3(i32 3, [0 x i32] zeroinitializer)
  %from = getelementptr { [16 x i32] }, ptr addrspace(2) %i, i32 0, i32 0, i32 2
  %x = load i32, ptr addrspace(2) %from
  store i32 %x, ptr addrspace(3) %l
  %y = load i32, ptr addrspace(3) %l
  %to = getelementptr { [0 x i32] }, ptr addrspace(1) %o, i32 0, i32 0, i32 1
  store i32 %y, ptr addrspace(1) %to
  ret void
}
"""


def test_resources_of_clspv_are_buffers_at_their_bindings() -> None:
    found = run(RESOURCES + SIZED, {"resource0": [0, 0], "resource1": [1, 2, 3]})
    assert found == {"resource0": [0, 3], "resource1": [1, 2, 3]}
    module = read(RESOURCES + SIZED)
    words = [(each.operands[1], each.operands[2]) for each in module.decorations if len(each.operands) == 3]
    assert (enums.DecorationBinding, 4) in words and (enums.DecorationDescriptorSet, 1) in words


COPIES = """
declare spir_func ptr @_Z21async_work_group_copyPU3AS3iPU3AS1Kij9ocl_event(ptr addrspace(3), ptr addrspace(1), i32, ptr)
declare spir_func ptr @_Z29async_work_group_strided_copyPU3AS1iPU3AS3Kijj9ocl_event(
    ptr addrspace(1), ptr addrspace(3), i32, i32, ptr)
declare spir_func void @_Z17wait_group_eventsiP9ocl_event(i32, ptr)
@s = internal addrspace(3) global [10 x i32] undef
define spir_kernel void @k(ptr addrspace(1) %in, ptr addrspace(1) %out) !reqd_work_group_size !0 {
  %event = alloca ptr
  %a = call spir_func ptr @_Z21async_work_group_copyPU3AS3iPU3AS1Kij9ocl_event(
    ptr addrspace(3) @s, ptr addrspace(1) %in, i32 10, ptr null)
  store ptr %a, ptr %event
  call spir_func void @_Z17wait_group_eventsiP9ocl_event(i32 1, ptr %event)
  %b = call spir_func ptr @_Z29async_work_group_strided_copyPU3AS1iPU3AS3Kijj9ocl_event(
    ptr addrspace(1) %out, ptr addrspace(3) @s, i32 10, i32 2, ptr %a)
  call spir_func void @_Z17wait_group_eventsiP9ocl_event(i32 1, ptr %event)
  ret void
}
"""


def test_a_workgroup_copies_more_elements_than_it_has_invocations() -> None:
    """Ten by eight invocations, then every second place of global memory (6.15.11: the stride is that of global)."""
    found = run(COPIES + SIZED, {"in": list(range(1, 11)), "out": [0] * 20})
    assert found["out"] == [each for number in range(1, 11) for each in (number, 0)]


def test_fract_of_a_long_vector_stores_each_whole_part() -> None:
    text = """
declare spir_func <8 x float> @_Z5fractDv8_fPU3AS1S_(<8 x float>, ptr addrspace(1))
define spir_kernel void @k(
    ptr addrspace(1) %in, ptr addrspace(1) %out, ptr addrspace(1) %whole) !reqd_work_group_size !0 {
  %x = load <8 x float>, ptr addrspace(1) %in
  %f = call spir_func <8 x float> @_Z5fractDv8_fPU3AS1S_(<8 x float> %x, ptr addrspace(1) %whole)
  store <8 x float> %f, ptr addrspace(1) %out
  ret void
}
"""
    two_and_a_half, half, two = 0x40200000, 0x3F000000, 0x40000000
    found = run(text + SIZED, {"in": [two_and_a_half] * 8, "out": [0] * 8, "whole": [0] * 8})
    assert (found["out"], found["whole"]) == ([half] * 8, [two] * 8)


def test_push_constants_of_clspv_are_read_as_buffers_and_reported() -> None:
    text = """
%block = type { <3 x i32>, i32 }
@__push_constants = addrspace(9) global %block zeroinitializer
declare ptr addrspace(9) @_Z14clspv.resource.2(i32, i32, i32, i32, i32, i32, { { i32 } })
define spir_kernel void @k(ptr addrspace(1) %out) !reqd_work_group_size !0 {
  %n = load i32, ptr addrspace(9) getelementptr (%block, ptr addrspace(9) @__push_constants, i32 0, i32 1)
  %r = call ptr addrspace(9) @_Z14clspv.resource.2(i32 -1, i32 2, i32 5, i32 2, i32 2, i32 0,
    { { i32 } } zeroinitializer)
  %m = load i32, ptr addrspace(9) %r
  %s = add i32 %n, %m
  store i32 %s, ptr addrspace(1) %out
  ret void
}
"""
    given = {"push_constants": [1, 2, 3, 0, 40], "resource2": [2], "out": [0]}
    module = read(text + SIZED)
    assert len([each for each in module.notes if "push constant" in each.message]) == 2
    assert run(text + SIZED, given)["out"] == [42]
