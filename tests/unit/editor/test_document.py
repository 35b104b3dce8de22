"""What a text answers, without an editor: expected values are read off the shaders by hand."""

from pathlib import Path

import pytest

from reknit.editor.document import Document
from reknit.editor.positions import from_units, span_of, to_units
from reknit.source.place import Place

EXAMPLES = Path(__file__).resolve().parents[3] / "examples"

LANES = """\
RWStructuredBuffer<uint> result;
#define TWICE(x) (x + x)

struct Pair<T> { T first; T second; }
struct Box<U> { Pair<U> pair; U get() { return pair.first; } }

[shader("compute")]
[numthreads(8, 1, 1)]
void main(uint lane : SV_GroupIndex)
{
    uint same = 3;
    uint kept = same;
    same = lane;
    uint mixed = same;
    Box<uint> box;
    box.pair.first = TWICE(kept);
    if (lane < 4)
        result[lane] = WaveActiveSum(mixed) + box.get();
    result[lane] += WaveActiveSum(kept);
}
"""


def where(text: str, name: str, line: int, nth: int = 0) -> tuple[int, int]:
    column = -1
    for _ in range(nth + 1):
        column = text.split("\n")[line - 1].index(name, column + 1)
    return line, column + 1


def said(document: Document, name: str, line: int, nth: int = 0) -> str:
    hover = document.hover(*where(document.text, name, line, nth))
    assert hover is not None
    return hover[0]


@pytest.fixture(scope="module")
def lanes() -> Document:
    return Document("lanes.slang", LANES)


def test_each_use_of_a_variable_has_its_own_uniformity(lanes: Document) -> None:
    assert lanes.diagnostics == []
    assert "uniform among the lanes of a workgroup or subgroup or quad" in said(lanes, "same", 12)
    assert "may differ in a workgroup or subgroup or quad" in said(lanes, "same", 14)


def test_the_tangle_of_an_operation_has_its_reason(lanes: Document) -> None:
    inside = said(lanes, "WaveActiveSum", 18)
    assert "a part of the subgroup" in inside
    assert "The condition of the `if` in line 17 may differ in it." in inside.replace(" %_1", "")
    after = said(lanes, "WaveActiveSum", 19)
    assert "all invocations of a subgroup that entered @main together" in after


def test_who_has_left_before_is_not_in_a_tangle() -> None:
    """Lane 0 returns; the condition after that is the same for all, and says nothing of who is left."""
    text = """\
StructuredBuffer<uint> given;
RWStructuredBuffer<uint> result;
[shader("compute")] [numthreads(8, 1, 1)]
void main(uint lane : SV_GroupIndex)
{
    if (lane == 0)
        return;
    if (given[0] == 0)
        result[lane] = WaveActiveSum(lane);
    result[lane + 1] = WaveActiveMax(lane);
}
"""
    document = Document("left.slang", text)
    for name, line in (("WaveActiveSum", 9), ("WaveActiveMax", 10)):
        assert "a part of the subgroup" in said(document, name, line)
        assert "Some may have left before" in said(document, name, line)


def test_a_fix_is_judged_by_its_own_findings() -> None:
    """A switch that falls through, in an entry point without a mode: the mode alone doesn't help the switch."""
    text = (EXAMPLES / "fallthrough.spvasm").read_text()
    line = next(line for line in text.split("\n") if "MaximallyReconvergesKHR" in line)
    document = Document("a.spvasm", text.replace(line + "\n", ""))
    before = [each.code for each in document.diagnostics]
    for fix in document.fixes(1, 200):
        after = [each.code for each in Document("a.spvasm", fix.text).diagnostics]
        assert sum(code in fix.codes for code in after) < sum(code in fix.codes for code in before)


def test_definitions_go_by_scope(lanes: Document) -> None:
    def declared(name: str, line: int, nth: int = 0) -> tuple[int, int]:
        place = lanes.definition(*where(LANES, name, line, nth))
        assert place is not None and place.file == "lanes.slang"
        return place.line, place.column

    assert declared("T ", 4, 0) == where(LANES, "T>", 4)
    assert declared("U ", 5) == where(LANES, "U>", 5)
    assert declared("Pair", 5) == where(LANES, "Pair", 4)
    assert declared("first", 5) == where(LANES, "first", 4)
    assert declared("get", 18) == where(LANES, "get", 5)
    assert declared("kept", 19) == where(LANES, "kept", 12)
    assert lanes.definition(*where(LANES, "WaveActiveSum", 19)) is None  # the language's own


def test_names_in_macros_are_those_that_stand_there(lanes: Document) -> None:
    texts = [lanes.lines[each.line - 1][each.column - 1 :][: each.length] for each in lanes.names]
    assert all(text.replace("_", "a").isalnum() for text in texts)
    in_line = [text for text, each in zip(texts, lanes.names, strict=True) if each.line == 16]
    assert in_line == ["box", "pair", "first", "kept"]


def test_a_definition_in_an_imported_file(tmp_path: Path) -> None:
    (tmp_path / "shapes.slang").write_text("module shapes;\n\npublic uint corners(uint n) { return n; }\n")
    text = "import shapes;\n[shader(\"compute\")] [numthreads(1, 1, 1)]\nvoid main() { uint n = corners(3); }\n"
    document = Document(str(tmp_path / "main.slang"), text)
    place = document.definition(*where(text, "corners", 3))
    assert place is not None
    assert (place.file, place.line, place.column) == (str(tmp_path / "shapes.slang"), 3, 13)
    assert [each.name for each in document.outline] == ["main"]


def test_sources_without_an_entry_point_are_no_faults() -> None:
    library = Document("shapes.slang", "public uint corners(uint n) { return n; }\n")
    assert library.diagnostics == []
    wrong = Document("shapes.slang", "public uint corners(uint n) { return m; }\n")
    assert [each.code for each in wrong.diagnostics] == ["E30015"]
    pixel = Document("blur.hlsl", "float4 main(float2 uv : TEXCOORD) : SV_Target { return uv.xyxy; }\n")
    assert pixel.diagnostics == []
    patch = '[shader("hull")] float4 main(float2 uv : TEXCOORD) : SV_Position { return uv.xyxy; }\n'
    assert [(each.code, each.severity) for each in Document("patch.hlsl", patch).diagnostics] == [("RK0911", "note")]


def test_a_text_without_a_name_has_the_language_that_its_editor_says() -> None:
    assert Document("untitled:Untitled-1", LANES, format="slang").diagnostics == []


def test_broken_sources_keep_their_names() -> None:
    text = LANES.replace("uint same = 3;", "uint same = three;")
    document = Document("lanes.slang", text)
    assert [each.code for each in document.diagnostics] == ["E30015"]
    place = document.definition(*where(text, "kept", 19))
    assert place is not None and place.line == 12
    assert document.facts is None


def test_names_in_functions_of_rk_are_theirs() -> None:
    text = """\
Capability Shader
MemoryModel Logical GLSL450
%k = Constant 7 : u32

func @f(%a: u32) -> u32 {
  %x = IAdd %a, %k : u32
  return %x
}

func @g(%a: u32) -> u32 {
  %x = ISub %a, %k : u32
  return %x
}
"""
    document = Document("a.rk", text)
    for name, line, expected in (("%x", 7, 6), ("%x", 12, 11), ("%a", 11, 10), ("%k", 11, 3)):
        place = document.definition(*where(text, name, line))
        assert place is not None and place.line == expected
    assert [(each.name, each.line, each.last_line) for each in document.outline] == [("@f", 5, 8), ("@g", 10, 13)]


def test_configuration_holds_in_an_editor(tmp_path: Path) -> None:
    text = (EXAMPLES / "fallthrough.spvasm").read_text()
    document = Document(str(tmp_path / "a.spvasm"), text)
    assert {each.code for each in document.diagnostics} == {"RK3004"}
    (tmp_path / "reknit.toml").write_text('ignore = ["RK3004"]\n')
    assert Document(str(tmp_path / "a.spvasm"), text).diagnostics == []


def test_columns_are_in_units_of_utf_16() -> None:
    line = "é = \U0001f600 + y"
    assert to_units(line, line.index("y") + 1) == 9
    assert from_units(line, 9) == line.index("y") + 1
    assert from_units(line, 5) == line.index("\U0001f600") + 2  # within the face: after it
    assert span_of([line], Place("a", 1, line.index("y") + 1, 1)) == (0, 9, 10)
    assert span_of([line], Place("a", 9, 1)) == span_of([line], None) == (0, 0, 10)
