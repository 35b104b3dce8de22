"""Buffers with explicit layout, variables, pointers, constants and built-ins, from assembly text."""

import struct

import numpy
import pytest

from reknit.ir.module import Module
from reknit.sim.policy import Policy
from reknit.sim.result import Result
from reknit.sim.run import prepare, run
from reknit.source.diagnostic import InputError
from reknit.spirv.asm import assemble
from reknit.spirv.read import read_module

HEAD = """
               OpCapability Shader
               OpMemoryModel Logical GLSL450
               OpEntryPoint GLCompute %main "main" %index
               OpExecutionMode %main LocalSize 4 1 1
               OpName %out "out"
               OpDecorate %index BuiltIn LocalInvocationIndex
               OpDecorate %array ArrayStride 4
               OpDecorate %block Block
               OpMemberDecorate %block 0 Offset 0
               OpDecorate %out DescriptorSet 0
               OpDecorate %out Binding 0
"""
TYPES = """
       %void = OpTypeVoid
     %voidfn = OpTypeFunction %void
        %u32 = OpTypeInt 32 0
        %i32 = OpTypeInt 32 1
        %f32 = OpTypeFloat 32
       %bool = OpTypeBool
         %u0 = OpConstant %u32 0
         %u1 = OpConstant %u32 1
         %u2 = OpConstant %u32 2
         %u3 = OpConstant %u32 3
         %u4 = OpConstant %u32 4
      %array = OpTypeRuntimeArray %u32
      %block = OpTypeStruct %array
   %ptrblock = OpTypePointer StorageBuffer %block
     %ptru32 = OpTypePointer StorageBuffer %u32
      %inu32 = OpTypePointer Input %u32
      %index = OpVariable %inu32 Input
        %out = OpVariable %ptrblock StorageBuffer
"""
BEGIN = """
       %main = OpFunction %void None %voidfn
      %entry = OpLabel
"""
LANE = """
       %lane = OpLoad %u32 %index
      %place = OpAccessChain %ptru32 %out %u0 %lane
"""
END = """
               OpReturn
               OpFunctionEnd
"""


def module(decorations: str, types: str, variables: str, body: str) -> Module:
    """`types` go after the common ones, `variables` at the head of main, `body` after %lane and %place."""
    text = HEAD + decorations + TYPES + types + BEGIN + variables + LANE + body + END
    return read_module(assemble(text))


def words(result: Result) -> list[int]:
    assert [str(diagnostic) for diagnostic in result.diagnostics] == []
    return result.buffers["out"].words


def test_a_row_major_matrix_in_a_uniform_block() -> None:
    """struct { layout(offset 16, row_major, stride 16) mat2x3 (2 columns of 3) }: element (column c, row r) is at
    byte 16 + 16 r + 4 c, so word 4 + 4 r + c. Word w of the block holds w. Lane k = 3 c + r picks column c, row r: 4,
    8, 12, 5."""
    program = module(
        """
               OpName %block2 "Params"
               OpDecorate %block2 Block
               OpMemberDecorate %block2 0 Offset 16
               OpMemberDecorate %block2 0 RowMajor
               OpMemberDecorate %block2 0 MatrixStride 16
               OpDecorate %params DescriptorSet 0
               OpDecorate %params Binding 1
""",
        """
       %vec3 = OpTypeVector %f32 3
        %mat = OpTypeMatrix %vec3 2
     %block2 = OpTypeStruct %mat
  %ptrblock2 = OpTypePointer Uniform %block2
     %ptrf32 = OpTypePointer Uniform %f32
     %ptrmat = OpTypePointer Uniform %mat
     %params = OpVariable %ptrblock2 Uniform
        """,
        "",
        """
     %column = OpUDiv %u32 %lane %u3
        %row = OpUMod %u32 %lane %u3
          %p = OpAccessChain %ptrf32 %params %u0 %column %row
          %x = OpLoad %f32 %p
       %bits = OpBitcast %u32 %x
         %pm = OpAccessChain %ptrmat %params %u0
          %m = OpLoad %mat %pm
         %m1 = OpCompositeExtract %f32 %m 1 2
      %bits1 = OpBitcast %u32 %m1
    %shifted = OpShiftLeftLogical %u32 %bits1 %u4
      %total = OpIAdd %u32 %bits %shifted
               OpStore %place %total
        """,
    )
    last = (4 + 4 * 2 + 1) << 4  # column 1, row 2 of the whole matrix
    expected = [4 + last, 8 + last, 12 + last, 5 + last]
    for name in ("Params", "0.1"):
        assert words(run(program, buffers={name: list(range(16))})) == expected
    with pytest.raises(InputError):  # bytes 16 .. 16 + 2 * 16 + 2 * 4: 14 words
        run(program, buffers={"Params": list(range(13))})


def test_narrow_and_wide_scalars_in_a_buffer() -> None:
    """struct { u8 at 1; i16 at 2; f64 at 8; u32 n[] at 16, stride 8 }: bytes by hand; stores leave the neighbours
    alone."""
    program = module(
        """
               OpName %mixed "mixed"
               OpDecorate %block2 Block
               OpMemberDecorate %block2 0 Offset 1
               OpMemberDecorate %block2 1 Offset 2
               OpMemberDecorate %block2 2 Offset 8
               OpMemberDecorate %block2 3 Offset 16
               OpDecorate %wide ArrayStride 8
               OpDecorate %mixed DescriptorSet 0
               OpDecorate %mixed Binding 1
""",
        """
         %u8 = OpTypeInt 8 0
        %i16 = OpTypeInt 16 1
        %u64 = OpTypeInt 64 0
       %wide = OpTypeRuntimeArray %u32
     %block2 = OpTypeStruct %u8 %i16 %u64 %wide
  %ptrblock2 = OpTypePointer StorageBuffer %block2
      %ptru8 = OpTypePointer StorageBuffer %u8
     %ptri16 = OpTypePointer StorageBuffer %i16
     %ptru64 = OpTypePointer StorageBuffer %u64
      %mixed = OpVariable %ptrblock2 StorageBuffer
        """,
        "",
        """
         %p0 = OpAccessChain %ptru8 %mixed %u0
         %x0 = OpLoad %u8 %p0
         %y0 = OpUConvert %u32 %x0
         %p1 = OpAccessChain %ptri16 %mixed %u1
         %x1 = OpLoad %i16 %p1
         %y1 = OpSConvert %u32 %x1
         %p2 = OpAccessChain %ptru64 %mixed %u2
         %x2 = OpLoad %u64 %p2
         %y2 = OpUConvert %u32 %x2
     %length = OpArrayLength %u32 %mixed 3
         %s0 = OpIAdd %u32 %y0 %y1
         %s1 = OpIAdd %u32 %s0 %length
               OpStore %place %s1
               OpStore %p0 %x0
         %n8 = OpUConvert %u8 %u3
               OpStore %p0 %n8
        %big = OpShiftLeftLogical %u64 %x2 %u4
               OpStore %p2 %big
        """,
    )
    given = struct.pack("<BBhIQ", 0xAA, 200, -3, 7, 0x1_0000_0001) + bytes(8 * 3)
    result = run(program, buffers={"mixed": given})
    assert words(result) == [200 - 3 + 3] * 4
    left = struct.pack("<16I", *(result.buffers["mixed"].words + [0] * (16 - len(result.buffers["mixed"].words))))
    first, byte, short, gap, wide = struct.unpack("<BBhIQ", left[:16])
    shifted = 0x1_0000_0001
    for _ in range(4):  # each lane in turn shifts what it loaded at the start
        shifted = 0x10_0000_0010
    assert (first, byte, short, gap, wide) == (0xAA, 3, -3, 7, shifted)


def test_variables_of_arrays_structs_and_vectors() -> None:
    """A Function array of vec2, indexed by lane; one component stored through a longer chain; the whole copied and
    loaded."""
    program = module(
        "",
        """
       %vec2 = OpTypeVector %u32 2
       %four = OpTypeArray %vec2 %u4
       %pair = OpTypeStruct %four %u32
    %pairptr = OpTypePointer Function %pair
    %vec2ptr = OpTypePointer Function %vec2
     %u32ptr = OpTypePointer Function %u32
        """,
        """
          %a = OpVariable %pairptr Function
          %b = OpVariable %pairptr Function
""",
        """
         %pv = OpAccessChain %vec2ptr %a %u0 %lane
          %v = OpCompositeConstruct %vec2 %lane %u2
               OpStore %pv %v
         %px = OpAccessChain %u32ptr %a %u0 %u3 %u1
               OpStore %px %u4
         %pn = OpAccessChain %u32ptr %a %u1
               OpStore %pn %u3
               OpCopyMemory %b %a
               OpStore %pn %u0
      %whole = OpLoad %pair %b
         %e3 = OpCompositeExtract %u32 %whole 0 3 1
          %n = OpCompositeExtract %u32 %whole 1
         %pw = OpAccessChain %u32ptr %b %u0 %lane %u1
          %w = OpLoad %u32 %pw
          %s = OpIAdd %u32 %e3 %n
          %t = OpShiftLeftLogical %u32 %w %u4
          %r = OpIAdd %u32 %s %t
               OpStore %place %r
        """,
    )
    # e3 = 4, n = 3 (copied before it was set to 0); component 1 of element `lane` is 2, but 4 where lane is 3.
    assert words(run(program)) == [7 + 32, 7 + 32, 7 + 32, 7 + 64]


def test_pointers_to_functions_and_through_a_select() -> None:
    """add(p, x): *p += x; called with a Function variable, then with one of two Private ones that a select chose."""
    text = (
        HEAD
        + TYPES
        + """
     %fnptr  = OpTypePointer Function %u32
     %addfn  = OpTypeFunction %void %fnptr %u32
"""
        + BEGIN
        + """
          %a = OpVariable %fnptr Function %u3
          %b = OpVariable %fnptr Function %u0
"""
        + LANE
        + """
       %none = OpFunctionCall %void %add %a %lane
       %even = OpBitwiseAnd %u32 %lane %u1
       %cond = OpIEqual %bool %even %u0
     %chosen = OpSelect %fnptr %cond %a %b
      %none2 = OpFunctionCall %void %add %chosen %u4
         %x  = OpLoad %u32 %a
         %y  = OpLoad %u32 %b
         %ys = OpShiftLeftLogical %u32 %y %u4
         %r  = OpIAdd %u32 %x %ys
               OpStore %place %r
"""
        + END
        + """
        %add = OpFunction %void None %addfn
          %p = OpFunctionParameter %fnptr
          %d = OpFunctionParameter %u32
       %body = OpLabel
        %old = OpLoad %u32 %p
        %new = OpIAdd %u32 %old %d
               OpStore %p %new
               OpReturn
               OpFunctionEnd
"""
    )
    # a = 3 + lane; even lanes add 4 to a, odd ones to b.
    assert words(run(read_module(assemble(text)))) == [7, 4 + 64, 9, 6 + 64]


def test_shared_memory_a_barrier_and_atomics() -> None:
    """Each lane adds lane + 1 to a Workgroup counter; after the barrier all read 10. Its initializer sets it to 0 in
    each workgroup."""
    program = module(
        "",
        """
    %wgptr = OpTypePointer Workgroup %u32
    %none = OpConstantNull %u32
    %total = OpVariable %wgptr Workgroup %none
  %sem = OpConstant %u32 264
        """,
        "",
        """
       %plus = OpIAdd %u32 %lane %u1
        %old = OpAtomicIAdd %u32 %total %u2 %u0 %plus
               OpControlBarrier %u2 %u2 %sem
        %sum = OpLoad %u32 %total
      %count = OpAtomicIIncrement %u32 %place %u1 %u0
               OpAtomicStore %place %u1 %u0 %sum
        """,
    )
    assert words(run(program)) == [10] * 4
    assert words(run(program, groups=(3, 1, 1)))[:4] == [10] * 4


def test_specialization_constants_and_the_workgroup_size() -> None:
    """WorkgroupSize is (n, 1, 1) with n a spec constant (2); twice is n * 2 computed in a constant. out[i] = twice +
    i."""
    text = (
        """
               OpCapability Shader
               OpMemoryModel Logical GLSL450
               OpEntryPoint GLCompute %main "main" %index
               OpExecutionMode %main LocalSize 1 1 1
               OpName %out "out"
               OpName %n "n"
               OpDecorate %n SpecId 7
               OpDecorate %size BuiltIn WorkgroupSize
               OpDecorate %index BuiltIn LocalInvocationIndex
               OpDecorate %array ArrayStride 4
               OpDecorate %block Block
               OpMemberDecorate %block 0 Offset 0
               OpDecorate %out DescriptorSet 0
               OpDecorate %out Binding 0
"""
        + TYPES
        + """
       %vec3 = OpTypeVector %u32 3
          %n = OpSpecConstant %u32 2
       %size = OpSpecConstantComposite %vec3 %n %u1 %u1
      %twice = OpSpecConstantOp %u32 IMul %n %u2
"""
        + BEGIN
        + LANE
        + """
          %r = OpIAdd %u32 %twice %lane
               OpStore %place %r
"""
        + END
    )
    program = read_module(assemble(text))
    assert words(run(program)) == [4, 5]
    assert words(run(program, spec={7: 3})) == [6, 7, 8]
    assert words(run(program, spec={"n": 3})) == [6, 7, 8]
    for wrong in ({8: 1}, {"m": 1}, {"n": 1.5}, {"n": 1 << 32}):
        with pytest.raises(InputError) as caught:
            run(program, spec=wrong)
        assert caught.value.diagnostics[0].code == "RK1005"


def test_push_constants() -> None:
    program = module(
        """
               OpName %push "push"
               OpDecorate %block2 Block
               OpMemberDecorate %block2 0 Offset 4
""",
        """
     %block2 = OpTypeStruct %u32
  %ptrblock2 = OpTypePointer PushConstant %block2
     %ptrpush = OpTypePointer PushConstant %u32
       %push = OpVariable %ptrblock2 PushConstant
        """,
        "",
        """
          %p = OpAccessChain %ptrpush %push %u0
          %x = OpLoad %u32 %p
               OpStore %place %x
        """,
    )
    assert words(run(program, push_constants=[5, 6])) == [6] * 4
    assert words(run(program, buffers={"push": [7, 8]})) == [8] * 4
    assert words(run(program)) == [0] * 4


def test_built_ins_of_a_dispatch() -> None:
    """2 x 1 x 2 workgroups of 3 x 2 x 1, subgroups of 4: element GlobalInvocationId.x + 6 y + 12 z holds the
    workgroup's number, the subgroup and the lane in it, by the definitions in Vulkan's "Built-In Variables"."""
    names = {
        "gid": "GlobalInvocationId",
        "wid": "WorkgroupId",
        "num": "NumWorkgroups",
    }
    decorations = "\n".join(f"OpDecorate %{short} BuiltIn {name}" for short, name in names.items())
    decorations += "\nOpDecorate %sid BuiltIn SubgroupId\nOpDecorate %slane BuiltIn SubgroupLocalInvocationId"
    loads = "\n".join(f"%{short}v = OpLoad %vec3 %{short}" for short in names)
    text = (
        HEAD.replace("LocalSize 4 1 1", "LocalSize 3 2 1")
        + decorations
        + TYPES
        + """
       %vec3 = OpTypeVector %u32 3
      %ptrv3 = OpTypePointer Input %vec3
        %gid = OpVariable %ptrv3 Input
        %wid = OpVariable %ptrv3 Input
        %num = OpVariable %ptrv3 Input
        %sid = OpVariable %inu32 Input
      %slane = OpVariable %inu32 Input
         %u6 = OpConstant %u32 6
        %u12 = OpConstant %u32 12
        %u16 = OpConstant %u32 16
         %u8 = OpConstant %u32 8
"""
        + BEGIN
        + loads
        + """
         %gx = OpCompositeExtract %u32 %gidv 0
         %gy = OpCompositeExtract %u32 %gidv 1
         %gz = OpCompositeExtract %u32 %gidv 2
         %wx = OpCompositeExtract %u32 %widv 0
         %wz = OpCompositeExtract %u32 %widv 2
         %nx = OpCompositeExtract %u32 %numv 0
         %wr = OpIMul %u32 %wz %nx
         %wn = OpIAdd %u32 %wr %wx
         %y6 = OpIMul %u32 %gy %u6
        %z12 = OpIMul %u32 %gz %u12
         %i1 = OpIAdd %u32 %gx %y6
         %i2 = OpIAdd %u32 %i1 %z12
          %s = OpLoad %u32 %sid
          %l = OpLoad %u32 %slane
        %wns = OpShiftLeftLogical %u32 %wn %u16
         %ss = OpShiftLeftLogical %u32 %s %u8
         %r1 = OpIAdd %u32 %wns %ss
         %r2 = OpIAdd %u32 %r1 %l
      %place = OpAccessChain %ptru32 %out %u0 %i2
               OpStore %place %r2
"""
        + END
    )
    expected = [0] * 24
    for group in range(4):
        for lane in range(6):
            x = 3 * (group % 2) + lane % 3
            expected[x + 6 * (lane // 3) + 12 * (group // 2)] = group << 16 | (lane // 4) << 8 | lane % 4
    program = prepare(read_module(assemble(text)), subgroup_size=4)
    for schedule in ("lifo", "random:1"):
        assert words(program.run(Policy(schedule=schedule), (2, 1, 2))) == expected


def test_results_as_arrays_and_json() -> None:
    program = module("", "", "", "OpStore %place %lane")
    result = run(program)
    array = result.buffers["out"].array()
    assert array.dtype == numpy.uint32 and array.tolist() == [0, 1, 2, 3]
    assert run(program, buffers={"out": numpy.zeros(6, numpy.uint32)}).buffers["out"].words == [0, 1, 2, 3, 0, 0]
    assert result.to_json() == {
        "entry": "main",
        "subgroup_size": 32,
        "on": "sim",
        "rules": "base",
        "buffers": {"out": {"set": 0, "binding": 0, "words": [0, 1, 2, 3]}},
        "diagnostics": [],
    }


def test_an_array_of_buffers() -> None:
    """Three buffers of one binding; lane i writes to buffer i, lane 3 to one that isn't there."""
    program = module(
        """
               OpName %many "many"
               OpDecorate %many DescriptorSet 1
               OpDecorate %many Binding 2
               OpDecorate %p NonUniform
""",
        """
      %three = OpTypeArray %block %u3
   %ptrthree = OpTypePointer StorageBuffer %three
       %many = OpVariable %ptrthree StorageBuffer
        """,
        "",
        """
          %p = OpAccessChain %ptru32 %many %lane %u0 %u1
          %x = OpIAdd %u32 %lane %u4
               OpStore %p %x
        """,
    )
    result = run(program, buffers={"1.2[1]": [0, 9, 9]})
    assert [diagnostic.code for diagnostic in result.diagnostics] == ["RK1014"]
    assert "buffer 3 of 3 (lane 3)" in result.diagnostics[0].message
    found = {name: buffer.words for name, buffer in result.buffers.items() if name != "out"}
    assert found == {"many[0]": [0, 4, 0, 0], "many[1]": [0, 5, 9], "many[2]": [0, 6, 0, 0]}


@pytest.mark.parametrize("name", ["shown", "Block", "words", "shown.words", "2.3"])
def test_a_buffer_goes_by_the_names_that_a_source_gives_it(name: str) -> None:
    """By its variable, its block, the block's only member (GLSL without an instance name), both, or its binding."""
    program = module(
        """
               OpName %shown "shown"
               OpName %named "Block"
               OpMemberName %named 0 "words"
               OpDecorate %named Block
               OpMemberDecorate %named 0 Offset 0
               OpDecorate %shown DescriptorSet 2
               OpDecorate %shown Binding 3
""",
        """
      %named = OpTypeStruct %u32
   %ptrnamed = OpTypePointer StorageBuffer %named
      %shown = OpVariable %ptrnamed StorageBuffer
        """,
        "",
        """
          %p = OpAccessChain %ptru32 %shown %u0
          %x = OpLoad %u32 %p
               OpStore %p %x
        """,
    )
    assert run(program, buffers={name: [77]}).buffers["shown"].words == [77]


@pytest.mark.parametrize(
    "types",
    [
        "%much = OpConstant %u32 1000000000\n%many = OpTypeArray %u32 %much\n%huge = OpTypeArray %many %much",
        "\n".join(["%d0 = OpTypeStruct %u32", *[f"%d{at} = OpTypeStruct %d{at - 1}" for at in range(1, 3000)]])
        + "\n%huge = OpTypeStruct %d2999",
    ],
    ids=["a billion times a billion", "three thousand deep"],
)
def test_a_type_too_large_to_have_values_is_refused(types: str) -> None:
    """A billion lanes of memory would end in no memory at all, three thousand levels in no stack."""
    program = module(
        "",
        f"{types}\n%ptrhuge = OpTypePointer Private %huge\n%gone = OpVariable %ptrhuge Private",
        "",
        "%x = OpLoad %huge %gone",
    )
    with pytest.raises(InputError) as caught:
        run(program)
    assert {diagnostic.code for diagnostic in caught.value.diagnostics} == {"RK1001"}
