"""The API's one page: every name on it, formats there and back, and errors as exceptions."""

from pathlib import Path
from typing import Any

import pytest
from kit import ROOT

import reknit

EXAMPLE = ROOT / "examples" / "fallthrough.spvasm"


def test_every_name_on_the_page_is_there() -> None:
    assert [name for name in reknit.__all__ if getattr(reknit, name, None) is None] == []
    assert reknit.__version__ == "0.1.0"
    with pytest.raises(AttributeError):
        reknit.no_such_name  # type: ignore[attr-defined]  # noqa: B018


@pytest.mark.parametrize("ending", ["spv", "spvasm", "rk"])
def test_what_is_saved_loads_as_the_same(ending: str, tmp_path: Path) -> None:
    module = reknit.load(EXAMPLE)
    path = tmp_path / f"a.{ending}"
    reknit.save(module, path)
    again = reknit.load(path)
    assert reknit.text(again).splitlines()[1:] == reknit.text(module).splitlines()[1:]
    told = reknit.load(path.read_bytes())  # by its contents
    assert reknit.text(told) == reknit.text(again)


def test_a_format_overrules_the_ending(tmp_path: Path) -> None:
    path = tmp_path / "a.bin"
    reknit.save(reknit.load(EXAMPLE), path, format="spv")
    assert reknit.load(path, format="spv").entry_points[0].text(2) == "main"
    with pytest.raises(reknit.InputError) as caught:
        reknit.load(path)
    assert [one.code for one in caught.value.diagnostics] == ["RK0002"]


def test_faults_of_assembly_are_reported_by_line_also_where_only_the_binary_shows_them() -> None:
    text = EXAMPLE.read_text().replace("OpStore %total %uint_0", "OpStore %total %nope")
    line = 1 + text[: text.index("%nope")].count("\n")
    with pytest.raises(reknit.InputError) as caught:
        reknit.load(text.encode(), format="spvasm")
    (fault,) = caught.value.diagnostics
    assert fault.code == "RK0110"
    assert fault.place is not None and (fault.place.line, fault.place.word) == (line, -1)


def test_run_takes_and_gives_arrays() -> None:
    import numpy

    module = reknit.load(EXAMPLE)
    kinds = numpy.array([0, 0, 1, 2], dtype=numpy.uint32)
    result = reknit.run(module, subgroup_size=4, buffers={"kinds": kinds}, policy=reknit.Policy(fallthrough="always"))
    assert result.buffers["result"].array().tolist() == [42, 42, 40, 40]


def test_compile_reports_and_refuses() -> None:
    module = reknit.load(EXAMPLE)
    assert reknit.compile(module).changed()
    assert [note.code for note in reknit.compile(reknit.load(EXAMPLE)).notes()] == ["RK2101"]
    with pytest.raises(reknit.InputError, match="no pass 'x'"):
        reknit.compile(module, "x")


def test_show_prints_a_tree() -> None:
    module = reknit.load(EXAMPLE)
    assert str(reknit.show(module)).startswith("func @main() -> void\n")
    with pytest.raises(reknit.InputError, match="no function 'nope'"):
        reknit.show(module, function="nope")


def test_check_gives_faults_of_reading_as_a_list() -> None:
    assert [one.code for one in reknit.check(b"\x03\x02\x23\x07")] == ["RK0101"]


def test_an_argument_that_the_simulator_has_no_values_of_is_reported() -> None:
    module = reknit.load(
        b"""
        OpCapability Shader
        OpMemoryModel Logical GLSL450
        OpEntryPoint GLCompute %main "main"
        OpExecutionMode %main LocalSize 1 1 1
        %void = OpTypeVoid
        %handle = OpTypeAccelerationStructureKHR
        %none = OpTypeFunction %void
        %taking = OpTypeFunction %void %handle
        %undef = OpUndef %handle
        %main = OpFunction %void None %none
        %a = OpLabel
        %x = OpFunctionCall %void %other %undef
        OpReturn
        OpFunctionEnd
        %other = OpFunction %void None %taking
        %p = OpFunctionParameter %handle
        %b = OpLabel
        OpReturn
        OpFunctionEnd
        """,
        format="spvasm",
    )
    with pytest.raises(reknit.InputError) as caught:
        reknit.run(module)
    assert {one.code for one in caught.value.diagnostics} == {"RK1001"}


def test_numbers_of_arrays_are_numbers_of_the_buffer() -> None:
    """Of u32: integers of any width whose values or bits fit, and nothing that would have to be rounded."""
    import numpy

    module = reknit.load(EXAMPLE)
    for type in ("i1", "u1", "<i2", ">u2", "i4", "u4", ">u4", "i8", "u8", ">i8"):
        for given in (numpy.array([0, 0, 1, 2], dtype=type), list(numpy.array([0, 0, 1, 2], dtype=type))):
            result = reknit.run(module, subgroup_size=4, buffers={"kinds": given})
            assert result.buffers["result"].words == [22, 22, 20, 20]
    given = numpy.array([[0, 0], [1, 2]])  # rows of a vector, or whatever else one has
    assert reknit.run(module, subgroup_size=4, buffers={"kinds": given}).buffers["result"].words == [22, 22, 20, 20]
    bits = numpy.array([0.0, 0.0, 1.0, 2.0], dtype="f4").view("u4")
    assert reknit.run(module, subgroup_size=4, buffers={"kinds": bits}).buffers["result"].words == [22, 22, 20, 20]
    assert reknit.prove(module, module, subgroup_sizes=[4], buffers={"kinds": numpy.array([0, 0, 1, 2])})


@pytest.mark.parametrize("given", [1 << 40, -1 << 40, 1 << 63, 0.5, "1", None, 1j, 1 << 70], ids=repr)
def test_numbers_that_are_none_of_the_buffer_are_refused(given: object) -> None:
    import numpy

    module = reknit.load(EXAMPLE)
    numbers: Any = numpy.array([given] * 4)
    for ask in (
        lambda: reknit.run(module, subgroup_size=4, buffers={"kinds": numbers}),
        lambda: reknit.prove(module, module, subgroup_sizes=[4], buffers={"kinds": numbers}),
    ):
        with pytest.raises(reknit.InputError, match="RK1004.*'kinds'"):
            ask()


def test_what_is_no_list_of_words_is_refused() -> None:
    given: Any
    for given in (5, [1.5], "abcd", [1 << 40]):
        with pytest.raises(reknit.InputError, match="RK1004"):
            reknit.run(reknit.load(EXAMPLE), subgroup_size=4, buffers={"kinds": given})


FLOATS = """Capability Shader
MemoryModel Logical GLSL450
EntryPoint GLCompute @main "main" %data
ExecutionMode @main LocalSize 1 1 1
Decorate %array ArrayStride 4
Decorate %Data Block
MemberDecorate %Data 0 Offset 0
Decorate %data DescriptorSet 0
Decorate %data Binding 0
%array = TypeRuntimeArray f32
%Data = TypeStruct %array
%data = Variable StorageBuffer : ptr<StorageBuffer, %Data>
func @main() -> void {
  %place = AccessChain %data 0u 0u : ptr<StorageBuffer, f32>
  %first = Load %place : f32
  Store %place %first
  return
}
"""


def test_floats_of_another_width_are_taken_where_they_are_the_same_number() -> None:
    import numpy

    module = reknit.load(FLOATS.encode(), format="rk")
    for type in ("f2", "f4", "f8", ">f8"):
        result = reknit.run(module, buffers={"data": numpy.array([0.5, -2.0, numpy.inf, numpy.nan], dtype=type)})
        array = result.buffers["data"].array()
        assert array.dtype == numpy.float32 and str(array.tolist()) == "[0.5, -2.0, inf, nan]"
    for type, value in (("f8", 0.1), ("f8", 1e300), ("i8", 1), ("u1", 1)):
        with pytest.raises(reknit.InputError, match="RK1004.*'data'"):
            reknit.run(module, buffers={"data": numpy.array([value], dtype=type)})
    words = numpy.array([0x3F000000], dtype=numpy.uint32)  # 32-bit words are bits, as in a list
    assert reknit.run(module, buffers={"data": words}).buffers["data"].array().tolist() == [0.5]


WIDE = """Capability Shader
Capability Int64
MemoryModel Logical GLSL450
EntryPoint GLCompute @main "main" %data
ExecutionMode @main LocalSize 4 1 1
Decorate %array ArrayStride 8
Decorate %Data Block
MemberDecorate %Data 0 Offset 0
Decorate %data DescriptorSet 0
Decorate %data Binding 0
%array = TypeRuntimeArray u64
%Data = TypeStruct %array
%data = Variable StorageBuffer : ptr<StorageBuffer, %Data>
func @main() -> void {
  %place = AccessChain %data 0u 0u : ptr<StorageBuffer, u64>
  %first = Load %place : u64
  Store %place %first
  return
}
"""


def test_64_bit_arrays_are_for_64_bit_buffers() -> None:
    import numpy

    module = reknit.load(WIDE.encode(), format="rk")
    given = numpy.array([1 << 40, 2, 3, 4], dtype=numpy.uint64)
    result = reknit.run(module, subgroup_size=4, buffers={"data": given})
    assert result.buffers["data"].array().tolist() == given.tolist()


def test_a_result_shows_its_first_words() -> None:
    result = reknit.run(reknit.load(EXAMPLE), subgroup_size=4, buffers={"kinds": [0, 0, 1, 2]})
    assert repr(result) == "<main on sim, subgroups of 4: result = 22 22 20 20>"


@pytest.mark.parametrize("verb", ["run", "outcomes"])
def test_a_module_that_breaks_the_irs_rules_is_an_input_error(verb: str) -> None:
    """A binary can say anything; what the verifier knows of it is what the caller hears."""
    text = """OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main"
OpExecutionMode %main LocalSize 4 1 1
%void = OpTypeVoid
%u32 = OpTypeInt 32 0
%pair = OpTypeVector %u32 2
%one = OpConstant %u32 1
%both = OpConstantComposite %pair %one %one
%fn = OpTypeFunction %void
%main = OpFunction %void None %fn
%entry = OpLabel
%sum = OpIAdd %u32 %one %both
%third = OpCompositeExtract %u32 %sum 3
OpReturn
OpFunctionEnd
"""
    module = reknit.load(text.encode(), format="spvasm")
    with pytest.raises(reknit.InputError) as caught:
        getattr(reknit, verb)(module, subgroup_size=4)
    assert all(fault.code.startswith("RK04") for fault in caught.value.diagnostics)
