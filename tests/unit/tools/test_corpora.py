"""The runner of public projects' shaders, on a project of our own that lies in a git repository made here."""

import shutil
import subprocess
from pathlib import Path

import corpora
import pytest
from corpus_runs import entries, includes, one, outside, projects, recorded, shaders, table
from corpus_runs.projects import Malformed, Project, Set
from corpus_runs.shaders import Shader
from corpus_runs.tried import INVALID, OTHER_STAGE, OUT_OF_SCOPE, REFUSED, VALID, Tried
from kit import oracles

COMPUTE = """#version 450
layout(local_size_x = 4) in;
layout(set = 0, binding = 0) buffer B { FLOAT b[]; };
void main() { b[gl_LocalInvocationIndex] = EXTRA; }
"""
ASSEMBLY = """
OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main"
OpExecutionMode %main LocalSize 1 1 1
%void = OpTypeVoid
%type = OpTypeFunction %void
%main = OpFunction %void None %type
%entry = OpLabel
OpReturn
OpFunctionEnd
"""
HLSL = """
// [numthreads(1, 1, 1)] void unused() {}
[shader("compute")]
[numthreads(8, 1, 1)]
void first(uint i : SV_GroupIndex) {}

/* [shader("vertex")] void no() {} */
[shader("pixel")] float4 second() : SV_Target { return 0; }
[numthreads(N, 1, 1)][WaveSize(32)] void third() {}
struct Out { float4 p : SV_Position; float c : COLOR; };
Out plain(uint i : SV_VertexID) { Out o; return o; }
void other(Out o, out float4 color : SV_Target0) { if (o.c > 0) { color = helper(o); } }
float4 helper(Out o) { return o.p; }
"""


def committed(folder: Path, files: dict[str, str]) -> str:
    """The commit of a new repository with the files."""
    git = ["git", "-C", str(folder), "-c", "user.name=a", "-c", "user.email=a@b"]
    subprocess.run(["git", "init", "-q", str(folder)], check=True)
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    subprocess.run([*git, "add", "."], check=True)
    subprocess.run([*git, "commit", "-q", "-m", "shaders"], check=True)
    return subprocess.run([*git, "rev-parse", "HEAD"], check=True, capture_output=True, text=True).stdout.strip()


def test_rows_are_what_they_say() -> None:
    rows = projects.read()
    assert len({row.name for row in rows}) == len(rows)
    for row in rows:
        assert row.name.count("/") == 1 and len(row.commit) == 40 and set(row.commit) <= set("0123456789abcdef")
        assert all(chosen.files and chosen.variants and chosen.defines for chosen in row.sets)


@pytest.mark.parametrize(
    "row, said",
    [("language = 'cg'\nfiles = ['*.cg']", "'cg' is none of"), ("language = 'glsl'\nfile = ['*']", "has no 'file'")],
)
def test_a_row_that_cannot_be_meant_is_refused(row: str, said: str, tmp_path: Path) -> None:
    path = tmp_path / "rows.toml"
    path.write_text(f"[[project]]\nname = 'a/b'\ncommit = '0'\n[[project.set]]\n{row}\n")
    with pytest.raises(Malformed, match=said):
        projects.read(path)


@pytest.mark.parametrize(
    "name, stage",
    [("a/b.comp", "compute"), ("b.frag.glsl", "fragment"), ("x.sm60.vert", "vertex"), ("x.asm.comp", "compute"),
     ("frag", ""), ("folder.vert/x.spv", ""), ("a.frag.spv", "fragment"),
     ("BlurPS.hlsl", "fragment"), ("x_cs.hlsl", "compute"), ("caps.h", "")],
)  # fmt: skip
def test_endings_tell_the_stage(name: str, stage: str) -> None:
    assert shaders.stage_of(name) == stage


def test_attributes_tell_entry_points_and_comments_do_not() -> None:
    assert entries.entry_points(HLSL) == [
        ("first", "compute"), ("second", "fragment"), ("third", "compute"), ("plain", "vertex"), ("other", "fragment"),
    ]  # fmt: skip
    assert entries.entry_points("float4 main(float4 p : P) : COLOR { return p; }", "vertex") == [("main", "vertex")]


def test_folders_of_includes_are_found_in_the_project(tmp_path: Path) -> None:
    texts = {
        "lib/deep/util/math.h": '#include "../near.h"\n', "lib/deep/near.h": "", "lib/mods/a/b.slang": "",
        "lib/util/math.h/other": "",
        "app/main.slang": '#include "util/math.h"\nimport a.b;\n// #include "no.h"\n#include "missing.h"\n',
    }  # fmt: skip
    for name, text in texts.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    assert includes.folders_of(tmp_path, tmp_path / "app" / "main.slang") == [
        tmp_path / "lib/deep",
        tmp_path / "lib/mods",
    ]


def test_a_set_is_laid_out_at_its_commit(tmp_path: Path) -> None:
    clones, out = tmp_path / "clones", tmp_path / "out"
    commit = committed(clones / "o+n", {"s/a.comp": "first", "s/old/b.comp": "", "s/c.h": ""})
    (clones / "o+n" / "s" / "a.comp").write_text("not committed")
    project = Project("o/n", commit, (Set("glsl", ("s/**/*.comp",), exclude=("*/old/*",)),))
    root = projects.lay_out(project, clones, out)
    assert root is not None and (root / "s" / "a.comp").read_text() == "first"
    assert [path.name for path in shaders.files_of(project.sets[0], root)] == ["a.comp"]
    assert projects.lay_out(Project("o/other", commit, ()), clones, out) is None
    with pytest.raises(Malformed, match="has no commit"):
        projects.lay_out(Project("o/n", "0" * 40, ()), clones, out)


def test_a_file_of_several_parts_is_laid_out_in_parts(tmp_path: Path) -> None:
    text = "#--- source.hlsl\n[numthreads(1, 1, 1)] void main() {}\n//--- pipeline.yaml\n---\n#--- end\n# RUN: dxc\n"
    commit = committed(tmp_path / "o+n", {"test/deep/a.test": text, "other/b.test": text})
    chosen = Set("hlsl", ("**/*.parts/*.hlsl",))
    root = projects.lay_out(Project("o/n", commit, (chosen,), ("test/*.test",)), tmp_path, tmp_path / "out")
    assert root is not None
    (path,) = shaders.files_of(chosen, root)
    assert path == root / "test/deep/a.test.parts/source.hlsl"
    assert [each.stage for each in shaders.shaders_of(chosen, root, path)] == ["compute"]


def test_the_last_of_a_projects_macros_is_taken(tmp_path: Path) -> None:
    (tmp_path / "build.cpp").write_text('define("real", "half"); define("real", "float"); define("at(i)", "b[i]");')
    chosen = Set("glsl", ("*",), macros_of="build.cpp", macro=r'define\("([^"]+)", "([^"]*)"\)', lines=("#define X",))
    assert outside.lines_of(tmp_path, chosen) == ["#define X", "#define real float", "#define at(i) b[i]"]


def test_what_becomes_of_shaders(tmp_path: Path) -> None:
    oracles.need("glslangValidator")
    oracles.need("spirv-opt")
    (tmp_path / "good.comp").write_text(COMPUTE)
    (tmp_path / "bad.comp").write_text("#version 450\nvoid main() { nothing; }\n")
    chosen = Set("glsl", ("*.comp",), defines=("-DFLOAT=none", "-DFLOAT=float -DEXTRA=1.0"), variants=("", "-gVS -O"))
    found = one.try_file(tmp_path, chosen, tmp_path / "good.comp", 9)
    assert [(each.outcome, each.variant) for each in found] == [(VALID, ""), (VALID, "-gVS -O")]
    (left_out,) = one.try_file(tmp_path, chosen, tmp_path / "bad.comp", 1)
    assert left_out.outcome == OUT_OF_SCOPE and "undeclared identifier" in left_out.reason


GENERATOR = """
#include <cstdlib>
#include <string>
int main(int, char** words) {  // --glslc RECORDER --source FILE --output-dir FOLDER
  for (const char* name : {"a", "b", "c", "d", "e", "f", "g"}) {
    std::string call = std::string(words[2]) + " " + words[4] + " -o " + words[6] + "/" + name + ".spv -O -DN=" + name;
    if (std::system(call.c_str()) != 0) return 1;
  }
}
"""


def test_a_generator_tells_the_macros(tmp_path: Path) -> None:
    """Seven are made of the file: the first, the last, and two of those between them are taken."""
    if shutil.which("c++") is None:
        pytest.skip("no compiler for C++ here")
    root = tmp_path / "commit"
    root.mkdir()
    (root / "gen.cpp").write_text(GENERATOR)
    assert recorded.calls(root, "gen.cpp", root / "x.comp") == [(name, f"-DN={name}") for name in "aceg"]
    chosen = Set("glsl", ("*.comp",), generator="gen.cpp")
    (root / "x.comp").write_text("#version 450\nlayout(local_size_x = 1) in;\nint a, c, e, g;\nvoid main() { N; }\n")
    assert shaders.shaders_of(chosen, root, root / "x.comp")[3] == Shader("x.comp", "compute", "g", ("-DN=g",))


def test_the_text_names_the_version(tmp_path: Path) -> None:
    """Version 1.4 is the first whose entry points list all variables; BufferBlock ends with 1.3 (SPIR-V 2.18, 3.20)."""
    oracles.need("spirv-as")
    assert one.assembled(f"; SPIR-V\n; Version: 1.0\n{ASSEMBLY}")[4:8] == b"\x00\x00\x01\x00"
    assert one.assembled(ASSEMBLY)[4:8] == b"\x00\x06\x01\x00"


def test_stages_that_are_not_read_are_counted_apart(tmp_path: Path) -> None:
    oracles.need("slangc")
    (tmp_path / "a.slang").write_text('[shader("closesthit")] void hit(inout float4 p) { p = 0; }\n')
    (tried,) = one.try_file(tmp_path, Set("slang", ("*",)), tmp_path / "a.slang", 1)
    assert (tried.outcome, tried.stage) == (OTHER_STAGE, "closesthit")


def test_a_refusal_is_told_by_its_code(tmp_path: Path) -> None:
    (tmp_path / "a.ll").write_text('define void @f(ptr %p) {\n  call void asm "nop", ""()\n  ret void\n}\n')
    tried = one.try_shader(tmp_path, Set("llvm", ("*",)), Shader("a.ll", "", ""), "")
    assert tried.outcome == REFUSED and tried.reason.startswith("RK08")


def test_counts_are_by_project_and_reasons_without_names() -> None:
    rows = [
        ("a/b", "glsl", Tried("x", "main", "compute", "", VALID)),
        ("a/b", "glsl", Tried("y", "main", "compute", "", REFUSED, "RK0911 'main' is at 12345")),
        ("a/b", "glsl", Tried("z", "main", "compute", "-g", REFUSED, "RK0911 'other' is at 678")),
        ("a/b", "glsl", Tried("z", "main", "compute", "", OUT_OF_SCOPE, "glslang: ERROR")),
        ("c/d", "hlsl", Tried("w", "main", "fragment", "", INVALID, "%3 is no %float")),
        ("c/d", "hlsl", Tried("w", "hull", "hull", "", OTHER_STAGE, "RK0911 'hull' is a hull shader")),
        ("e/f", "glsl", Tried("v", "main", "vertex", "", OUT_OF_SCOPE, "glslang: ERROR")),
    ]
    assert table.by_project(rows).splitlines()[2:] == [
        "| a/b | glsl | compute | 3 | 1 | 2 |  |  |  |  | 33.3 % |  |",
        "| c/d | hlsl | fragment | 1 |  |  | 1 |  |  |  | 0.0 % |  |",
        "| c/d | hlsl | others | 0 |  |  |  |  |  |  |  | 1 |",
        "| all |  |  | 4 | 1 | 2 | 1 |  |  |  | 25.0 % | 1 |",
    ]
    assert table.by_variant(rows).splitlines()[2:4] == [
        "| glsl |  | 2 | 1 | 1 |  |  |  |  | 50.0 % |  |",
        "| glsl | `-g` | 1 |  | 1 |  |  |  |  | 0.0 % |  |",
    ]
    assert table.reasons(rows).splitlines()[2:] == [
        "| 2 | refused | RK0911 '_' is at N | a/b: y |",
        "| 1 | invalid | _ is no _ | c/d: w |",
    ]


def test_the_page_keeps_what_is_around_the_tables(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    for begin, end in (corpora.COUNTS, corpora.VALUES):
        page.write_text(f"before\n{begin}\nold\n{end}\nafter\n")
        corpora.write_page(page, "new\n", (begin, end))
        assert page.read_text() == f"before\n{begin}\n\nnew\n\n{end}\nafter\n"


def test_a_run_over_a_clone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The process of a bunch reads the project's own rows: of those that are there it takes one with SPIR-V."""
    oracles.need("spirv-as")
    (row,) = [row for row in projects.read() if row.name == "KhronosGroup/SPIRV-Tools"]
    files = {"test/diff/diff_files/a.spvasm": ASSEMBLY, "test/diff/diff_files/b.spvasm": "OpNothing\n"}
    committed(tmp_path / "SPIRV-Tools", files)
    monkeypatch.setattr(projects, "_git", lambda git, words, given=b"": _at_head(git, words, given))
    kept = tmp_path / "kept"
    words = [str(tmp_path), "--only", row.name, "--files", str(tmp_path / "out"), "-v", "--keep", str(kept)]
    line = "| KhronosGroup/SPIRV-Tools | spirv | any | 1 | 1 |"
    assert corpora.main(words) == 0
    assert line in capsys.readouterr().out
    first = kept.read_text().splitlines()
    assert len(first) == 2
    kept.write_text(first[0] + "\n")
    assert corpora.main([*words, "--minutes", "0"]) == 0
    assert "1 files" in capsys.readouterr().out
    assert corpora.main(words) == 0
    assert line in capsys.readouterr().out and kept.read_text().splitlines() == first


def _at_head(git: Path, words: list[str], given: bytes) -> bytes:
    """What git says, of the newest commit."""
    words = ["HEAD" if len(word) == 40 else word for word in words]
    return subprocess.run(["git", f"--git-dir={git}", *words], input=given, capture_output=True, check=True).stdout


def test_no_clone_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert corpora.main([str(tmp_path), "--only", "ncnn"]) == 2
    said = capsys.readouterr().err
    assert "Tencent/ncnn: no clone" in said and "has no clone of a project" in said
