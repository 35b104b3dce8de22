"""From text to module: options, entry points, what is told of errors, and the command line."""

from pathlib import Path

import pytest

import reknit
from reknit.cli.main import main
from reknit.front.slang.compile import Settings, compile_slang, conformance_of, numbered
from reknit.front.slang.options import Options

TWICE = """RWStructuredBuffer<int> out;
[numthreads(4, 1, 1)] void main(uint3 tid : SV_DispatchThreadID) { out[tid.x] = 2 * int(tid.x) + EXTRA; }
"""
TWO = """RWStructuredBuffer<int> out;
[numthreads(1, 1, 1)] void first() { out[0] = 1; }
[numthreads(2, 1, 1)] void second() { out[0] = 2; }
"""
DISPATCHED = """interface IFoo { int foo(); }
struct A : IFoo { int a; int foo() { return 10; } }
struct B : IFoo { int b; int foo() { return 20; } }
RWStructuredBuffer<int> out;
[numthreads(2, 1, 1)] void main(uint3 tid : SV_DispatchThreadID)
{
    out[tid.x] = createDynamicObject<IFoo>(tid.x + 5, 0).foo();
}
"""


def test_macros(tmp_path: Path) -> None:
    """0 2 4 6, and 7 each."""
    module = compile_slang(TWICE, "a.slang", Settings(Options({"EXTRA": "7"})))
    assert reknit.run(module).buffers["out"].words == [7, 9, 11, 13]


def test_included_files_lie_beside_the_file_or_in_a_folder(tmp_path: Path) -> None:
    (tmp_path / "extra.h").write_text("#define EXTRA 1\n")
    path = tmp_path / "a.slang"
    path.write_text('#include "extra.h"\n' + TWICE)
    assert reknit.run(reknit.load(path)).buffers["out"].words == [1, 3, 5, 7]
    folder = tmp_path / "folder"
    folder.mkdir()
    (tmp_path / "extra.h").rename(folder / "extra.h")
    settings = Settings(Options({}, [str(folder)]))
    assert reknit.run(reknit.load(path, settings=settings)).buffers["out"].words == [1, 3, 5, 7]


def test_entry_points_are_those_with_numthreads_or_those_named() -> None:
    names = [entry.text(2) for entry in compile_slang(TWO, "a.slang").entry_points]
    assert names == ["first", "second"]
    module = compile_slang(TWO, "a.slang", Settings(entries=["second"]))
    assert [entry.text(2) for entry in module.entry_points] == ["second"]
    assert reknit.run(module).buffers["out"].words[0] == 2


def test_a_source_without_entry_point() -> None:
    with pytest.raises(reknit.InputError, match="the source has no entry point"):
        compile_slang("int f() { return 1; }\n", "a.slang")


def test_an_entry_point_that_there_is_not() -> None:
    with pytest.raises(reknit.InputError) as caught:
        compile_slang(TWO, "a.slang", Settings(entries=["third"]))
    assert caught.value.diagnostics[0].code == "E38000"


def test_conformances_by_number() -> None:
    """5 is B and 6 is A: lane 0 asks for 5, lane 1 for 6."""
    settings = Settings(conformances=[("B", "IFoo", 5), ("A", "IFoo", 6)])
    module = compile_slang(DISPATCHED, "a.slang", settings)
    assert reknit.run(module).buffers["out"].words == [20, 10]


def test_conformances_without_a_number_are_counted() -> None:
    given = [("A", "IFoo", -1), ("B", "IFoo", 7), ("C", "IFoo", -1), ("A", "IBar", -1)]
    assert numbered(given) == ["A:IFoo=0", "B:IFoo=7", "C:IFoo=8", "A:IBar=0"]


@pytest.mark.parametrize(
    "text, made",
    [
        ("A:IFoo=2", ("A", "IFoo", 2)),
        ("Box<int> : IFoo", ("Box<int>", "IFoo", -1)),
        ("A", None),
        ("A:", None),
        ("A:IFoo=x", None),
    ],
)
def test_conformances_as_text(text: str, made: tuple[str, str, int] | None) -> None:
    assert conformance_of(text) == made


def test_errors_have_their_place() -> None:
    with pytest.raises(reknit.InputError) as caught:
        compile_slang("RWStructuredBuffer<int> out;\n[numthreads(1,1,1)] void f() { out[0] = nowhere; }\n", "a.slang")
    (first,) = caught.value.diagnostics
    assert (first.code, str(first.place)) == ("E30015", "a.slang:2:41")


def test_what_goes_wrong_at_run_time_has_the_source_line() -> None:
    source = "RWStructuredBuffer<int> out;\n[numthreads(1,1,1)] void f() {\n    out[9] = 1;\n}\n"
    result = reknit.run(compile_slang(source, "a.slang"))
    assert [str(one.place) for one in result.diagnostics] == ["a.slang:3:12"]  # where the `=` stands


@pytest.mark.parametrize(
    "source, code",
    [
        ("int f(int n) { return n < 1 ? 0 : f(n - 1); }\n", "E55201"),
        ("int g(int n);\nint f(int n) { return g(n); }\nint g(int n) { return f(n); }\n", "E55201"),
        ("struct W<T> { T t; }\nint f<T>(T t, int n) { W<T> w; w.t = t; return f<W<T>>(w, n); }\n", "E55207"),
    ],
)
def test_what_never_ends(source: str, code: str) -> None:
    call = "f(1, 2)" if "<T>" in source else "f(2)"
    text = f"{source}RWStructuredBuffer<int> out;\n[numthreads(1,1,1)] void main() {{ out[0] = {call}; }}\n"
    with pytest.raises(reknit.InputError) as caught:
        compile_slang(text, "a.slang")
    assert caught.value.diagnostics[0].code == code


def test_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "a.slang"
    path.write_text(TWICE)
    assert main(["run", str(path), "-D", "EXTRA=3", "--entry", "main"]) == 0
    assert "3 5 7 9" in " ".join(capsys.readouterr().out.split())
    assert main(["run", str(path), "-D", "EXTRA", "--conformance", "A"]) == 2
    assert "TYPE:INTERFACE" in capsys.readouterr().err
