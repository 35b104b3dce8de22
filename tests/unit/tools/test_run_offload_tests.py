"""The runner of the offload-test-suite's tests, on tests of our own in its form."""

from pathlib import Path

import pytest
import run_offload_tests
from offload_tests.one import outcome
from offload_tests.pipeline import Buffer, Check
from offload_tests.printed import printed
from offload_tests.sections import arguments, sections
from offload_tests.yaml_text import parse
from slang_tests.floors import below, unexpected
from slang_tests.pool import Outcome

TEST = """#--- source.hlsl
StructuredBuffer<float> In : register(t0);
RWStructuredBuffer<float> Out : register(u1);
[numthreads(4, 1, 1)]
void main(uint t : SV_GroupIndex) { Out[t] = In[t] * FACTOR; }
//--- pipeline.yaml
---
Shaders:
  - Stage: Compute
    Entry: main
Buffers:
  - Name: In
    Format: Float32
    Stride: 4
    Data: [1, 2.5,   # two of them
           -3, 0x40800000]
  - Name: Out
    Format: Float32
    FillSize: 16
  - { Name: ExpectedOut, Format: Float32, Data: [2, 5, -6, LAST] }
Results:
  - Result: All
    Rule: BufferExact
    Actual: Out
    Expected: ExpectedOut
DescriptorSets:
  - Resources:
    - Name: In
      Kind: StructuredBuffer
      DirectXBinding: { Register: 0, Space: 0 }
      VulkanBinding: { Binding: 0 }
    - Name: Out
      Kind: RWStructuredBuffer
      VulkanBinding: { Binding: 1 }
...
#--- end
# RUN: split-file %s %t
# RUN: %dxc_target -T cs_6_5 -DFACTOR=2 -Fo %t.o %t/source.hlsl
"""


def written(folder: Path, text: str) -> Path:
    path = folder / "test" / "Own" / "scale.test"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def test_parts_of_a_file() -> None:
    assert list(sections(TEST)) == ["source.hlsl", "pipeline.yaml", "end"]
    assert arguments(TEST)[:3] == ["-T", "cs_6_5", "-DFACTOR=2"]


def test_yaml() -> None:
    text = "A:\n  - x: [1, [2, 3]]\n    y: {k: v, n: [4]}\n  - 5\nB:\n- z\nC: 'q'  # r\n"
    assert parse("A: [1,, 2]") == {"A": ["1", "2"]}
    assert parse(text) == {
        "A": [{"x": ["1", ["2", "3"]], "y": {"k": "v", "n": ["4"]}}, "5"], "B": ["z"], "C": "q",
    }  # fmt: skip


def test_a_test_that_passes_and_one_that_does_not(tmp_path: Path) -> None:
    """1, 2.5, -3 and 0x40800000 = 4.0, doubled."""
    assert outcome(written(tmp_path, TEST.replace("LAST", "8")))[0] == "pass"
    status, reason, detail = outcome(written(tmp_path, TEST.replace("LAST", "9")))
    assert (status, reason) == ("fail", "other values") and "8.0" in detail


def test_what_is_outside_says_no_by_name(tmp_path: Path) -> None:
    text = TEST.replace("LAST", "8")
    assert outcome(written(tmp_path, text.replace("Stage: Compute", "Stage: Pixel")))[1] == "stages other than compute"
    assert outcome(written(tmp_path, text.replace("Kind: StructuredBuffer", "Kind: Sampler")))[0] == "unsupported"
    assert "E30015" in outcome(written(tmp_path, text.replace("-DFACTOR=2", "")))[1]


ROWS = """#--- source.hlsl
RWStructuredBuffer<int> Rows[2] : register(u0);
RWStructuredBuffer<int> Sums : register(u0, space1);
[numthreads(2, 1, 1)]
void main(uint t : SV_GroupIndex) { Sums[t] = Rows[0][t] + Rows[1][t]; Rows[1][t] = 0; }
//--- pipeline.yaml
---
Shaders:
  - Stage: Compute
    Entry: main
Buffers:
  - { Name: Given, Format: Int32, ArraySize: 2, Data: [[1, 2], [30, 40]] }
  - { Name: Left, Format: Int32, ArraySize: 2, Data: [[1, 2], [0, LAST]] }
  - { Name: Sums, Format: Int32, FillSize: 8 }
  - { Name: Expected, Format: Int32, Data: [31, 42] }
Results:
  - { Result: Sums, Rule: BufferExact, Actual: Sums, Expected: Expected }
  - { Result: Rows, Rule: BufferExact, Actual: Given, Expected: Left }
DescriptorSets:
  - Resources:
    - { Name: Given, Kind: RWStructuredBuffer, DirectXBinding: { Register: 0, Space: 0 } }
    - { Name: Sums, Kind: RWStructuredBuffer, DirectXBinding: { Register: 0, Space: 1 } }
...
#--- end
# RUN: %dxc_target -T cs_6_5 -Fo %t.o %t/source.hlsl
"""


@pytest.mark.parametrize(("last", "status"), [("0", "pass"), ("40", "fail")])
def test_an_array_of_resources(tmp_path: Path, last: str, status: str) -> None:
    assert outcome(written(tmp_path, ROWS.replace("LAST", last)))[0] == status


@pytest.mark.parametrize(
    ("rule", "found", "holds"),
    [
        ({"Rule": "BufferFloatULP", "ULPT": "1"}, 1.0000001, True),  # 1 + 2^-23
        ({"Rule": "BufferFloatULP", "ULPT": "1"}, 1.0000002, False),  # 1 + 2^-22
        ({"Rule": "BufferFloatULP", "ULPT": "1", "ZeroTolerance": "2"}, 1.5, True),
        ({"Rule": "BufferFloatEpsilon", "Epsilon": "0.1"}, 1.05, True),
        ({"Rule": "BufferFloatEpsilon", "Epsilon": "0.1"}, 1.2, False),
    ],
)
def test_rules_for_floats(rule: dict[str, str], found: float, holds: bool) -> None:
    expected = Buffer({"Name": "E", "Format": "Float32", "Data": ["1"]})
    data = Buffer({"Name": "A", "Format": "Float32", "Data": [str(found)]}).data
    assert Check(rule).holds(expected, data) is holds


def test_floors() -> None:
    outcomes = [Outcome("test/A/x.test", "pass", "", ""), Outcome("test/A/y.test", "fail", "", "")]
    assert below(outcomes, {"test/A": 1, "test/B": 5}) == []
    assert below(outcomes, {"test/A": 2}) == ["test/A: 1 passed, the floor is 2"]


def test_what_may_fail() -> None:
    outcomes = [Outcome("test/A/x.test", "pass", "", ""), Outcome("test/A/y.test", "fail", "other values", "")]
    assert unexpected(outcomes, {"test/A/y.test": "why"}) == []
    assert unexpected(outcomes, {"test/A/x.test": "why"}) == [
        "test/A/x.test no longer fails: take it out of the list", "test/A/y.test fails: other values",
    ]  # fmt: skip


def test_what_dxc_is_asked_counts(tmp_path: Path) -> None:
    """A float3 after a float lies at 16, at 4 where every component is enough. An option that nothing is known of is
    refused."""
    text = TEST.replace("LAST", "8").replace(
        "StructuredBuffer<float> In", "struct S { float a; float3 b; };\nStructuredBuffer<S> In"
    )
    text = text.replace("In[t]", "float4(In[0].a, In[0].b)[t]")
    assert outcome(written(tmp_path, text))[0] == "fail"
    assert outcome(written(tmp_path, text.replace("-T cs_6_5", "-T cs_6_5 -fvk-use-dx-layout")))[0] == "pass"
    assert outcome(written(tmp_path, text.replace("-T cs_6_5", "-unheard-of")))[1] == "compiler option -unheard-of"


PUSHED = TEST[: TEST.index("Results:")] + TEST[TEST.index("DescriptorSets:") :]


def test_what_file_check_looks_at(tmp_path: Path) -> None:
    """The buffers as the suite's runner prints them; push constants and specialization constants are given, too:
    1, 2.5, -3 and 4 times 2, plus 10, plus 0.25."""
    text = PUSHED.replace("LAST", "0").replace("* FACTOR", "* FACTOR + p.b + s")
    for before, added in (
        ("[numthreads", "struct P { int a, b; };\n[[vk::push_constant]] P p;\n"),
        ("[numthreads", "[[vk::constant_id(2)]] const float s = 0;\n"),
        ("Buffers:", "PushConstants:\n  - Stage: Compute\n    Values:\n"),
        ("Buffers:", "    - { Format: Int32, Offset: 4, Data: [10] }\n"),
    ):
        text = text.replace(before, added + before, 1)
    chosen = "SpecializationConstants:\n      - { ConstantID: 2, Type: Float32, Value: 0.25 }"
    text = text.replace("Entry: main", f"Entry: main\n    {chosen}") + "# FileCheck\n# CHECK: Name: Out\n"
    text += "# CHECK-NEXT: Format: Float32\n# CHECK-NEXT: Data: [ 12.25, 15.25, 4.25, 18.25 ]\n"
    assert outcome(written(tmp_path, text)) == ("pass", "", "")
    assert outcome(written(tmp_path, text.replace("18.25", "18.5")))[0] == "fail"
    assert outcome(written(tmp_path, text.replace("FileCheck", "")))[1] == "nothing is checked"
    refused = outcome(written(tmp_path, text.replace("0.25 }", "much }")))[1]
    assert refused == "a specialization constant of Float32 that is no number"


def test_long_flows_go_on_in_the_next_line() -> None:
    """As LLVM's YAML writes them: a new line where the last is past column 70."""
    buffer = Buffer({"Name": "B", "Format": "Hex32", "Stride": "4", "Data": [str(number) for number in range(16)]})
    first = "0x0, 0x1, 0x2, 0x3, 0x4, 0x5, 0x6, 0x7, 0x8, 0x9, "
    assert printed([(buffer, buffer.data)], {}).split("\n")[1:] == [
        "  - Name:            B", "    Format:          Hex32", "    Stride:          4",
        f"    Data:            [ {first}", " " * 23 + "0xA, 0xB, 0xC, 0xD, 0xE, 0xF ]",
    ]  # fmt: skip


def test_values_that_must_differ(tmp_path: Path) -> None:
    text = TEST + "# RUN: not %offloader %t/pipeline.yaml %t.o\n"
    assert outcome(written(tmp_path, text.replace("LAST", "9")))[0] == "pass"
    assert outcome(written(tmp_path, text.replace("LAST", "8")))[1] == "values that should differ don't"


def test_what_may_be_flushed(tmp_path: Path) -> None:
    """2^-127 is subnormal: its double is 2^-126, or 0 where a device takes the input for 0."""
    text = TEST.replace("0x40800000", "0x1p-127")
    assert outcome(written(tmp_path, text.replace("LAST", "0")))[0] == "pass"
    assert outcome(written(tmp_path, text.replace("LAST", "0x1p-126")))[0] == "pass"
    assert outcome(written(tmp_path, text.replace("LAST", "1")))[0] == "fail"


def test_who_a_test_is_not_for(tmp_path: Path) -> None:
    text = TEST.replace("LAST", "9")
    assert outcome(written(tmp_path, text + "# UNSUPPORTED: DXC\n"))[:2] == ("unsupported", "not for DXC")
    assert outcome(written(tmp_path, text + "# UNSUPPORTED: Metal\n"))[0] == "fail"


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    written(tmp_path, TEST.replace("LAST", "8"))
    assert run_offload_tests.main([str(tmp_path)]) == 0
    assert "test/Own" in capsys.readouterr().out


def test_a_counter_stands_before_the_data() -> None:
    buffer = Buffer({"Name": "Out", "Format": "Hex32", "Data": ["3"]})
    assert printed([(buffer, buffer.data)], {"Out": 4}).split("\n")[3:] == [
        "    Counter: 4", "    Data:            [ 0x3 ]",
    ]  # fmt: skip
