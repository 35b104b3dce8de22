"""The preprocessor: text with directives -> tokens. Expectations follow ISO C 6.10.3 and Slang's own outputs."""

from pathlib import Path

import pytest
from kit.text.slang_trees import said

from reknit.front.slang.options import Options
from reknit.front.slang.preprocess import Preprocessor
from reknit.front.slang.report import Reports
from reknit.front.slang.sources import Sources
from reknit.front.slang.tokens import Tokens


def run(text: str, options: Options | None = None) -> tuple[Tokens, Reports]:
    reports = Reports(Sources())
    return Preprocessor(reports, options if options is not None else Options(), False).run("t.slang", text), reports


def made(text: str, options: Options | None = None) -> str:
    tokens, reports = run(text, options)
    assert said(reports) == []
    return " ".join(tokens.texts[:-1])


def told(text: str, options: Options | None = None) -> list[str]:
    return said(run(text, options)[1])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("#define N 4\nint a[N];", "int a [ 4 ] ;"),
        ("#define N\nint a N;", "int a ;"),
        ("#define MUL(a, b) ((a) * (b))\nMUL(x + 1, y)", "( ( x + 1 ) * ( y ) )"),
        ("#define F() 1\nF() F", "1 F"),
        ("#define F (1)\nF", "( 1 )"),  # a blank before the bracket: object-like
        ("#define F(a) a\nF((x, y))", "( x , y )"),
        ("#define F(a) [a]\nF()", "[ ]"),
        ("#define F(a) a\nF(\n1\n+ 2)", "1 + 2"),  # arguments over several lines
        ("#define A B\n#define B 3\nA", "3"),
        ("#define A A + 1\nA", "A + 1"),
        ("#define A B\n#define B A\nA B", "A B"),
        ("#define F(x) x G\n#define G F\nF(1)(2)", "1 F ( 2 )"),  # F came out of F: it is not expanded again
        ("#define X 1\n#undef X\nX", "X"),
        ("#define \\\nN 4\nN", "4"),
    ],
)
def test_macros(text: str, expected: str) -> None:
    assert made(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("#define S(x) #x\nS(a + b)", '"a + b"'),
        ('#define S(x) #x\nS("q\\n")', '"\\"q\\\\n\\""'),
        ("#define S(x) #x\n#define N 4\nS(N)", '"N"'),
        ("#define S(x) T(x)\n#define T(x) #x\n#define N 4\nS(N)", '"4"'),
        ("#define C(a, b) a ## b\nC(x, 1)", "x1"),
        ("#define C(a, b) a ## b\n#define xy 7\nC(x, y)", "7"),
        ("#define C(a, b) a ## b\nC(, y) C(x, )", "y x"),
        ("#define C(a) a ## = 1\nC(+)", "+= 1"),
        ("#define V(...) f(__VA_ARGS__)\nV(1, 2) V()", "f ( 1 , 2 ) f ( )"),
        ("#define V(a, ...) f(a, __VA_ARGS__)\nV(1, 2, 3)", "f ( 1 , 2 , 3 )"),
        ("#define V(a, rest...) f(a, rest)\nV(1, 2, 3)", "f ( 1 , 2 , 3 )"),
        ("#define V(a, ...) f(a, ## __VA_ARGS__)\nV(1)", "f ( 1 )"),
    ],
)
def test_strings_pasting_and_the_rest(text: str, expected: str) -> None:
    assert made(text) == expected


def test_the_standards_example() -> None:
    """ISO C 6.10.3.5, example 3."""
    text = """
#define x 3
#define f(a) f(x * (a))
#undef x
#define x 2
#define g f
#define z z[0]
#define h g(~
#define m(a) a(w)
#define w 0,1
#define t(a) a
f(y+1) + f(f(z)) % t(t(g)(0) + t)(1);
g(x+(3,4)-w) | h 5) & m
    (f)^m(m);
"""
    expected = """f(2 * (y+1)) + f(2 * (f(2 * (z[0])))) % f(2 * (0)) + t(1);
f(2 * (2+(3,4)-0,1)) | f(2 * (~ 5)) & f(2 * (0,1))^m(0,1);"""
    assert made(text) == made(expected)


@pytest.mark.parametrize(
    ("condition", "value"),
    [
        ("1", True),
        ("0", False),
        ("1 + 2 * 3 == 7", True),
        ("(1 + 2) * 3 == 9", True),
        ("7 / 2 == 3 && -7 / 2 == -3 && -7 % 2 == -1", True),
        ("1 << 4 | 1", True),
        ("!defined(A) && !defined A", True),
        ("defined(N) && N >= 2", True),
        ("TWICE(N) == 4", True),
        ("~0 == -1", True),
        ("0x10 == 16", True),
        ("'a' == 97", True),
        ("1 || 2 && 0", True),
        ("__SLANG__ && !__HLSL__ && __SLANG_COMPILER__ && __HLSL_VERSION == 2018", True),
        ("(9223372036854775807 + 1) < 0", True),
        ("__has_feature(anything)", False),
    ],
)
def test_conditions(condition: str, value: bool) -> None:
    text = f"#define N 2\n#define TWICE(x) ((x) * 2)\n#if {condition}\nyes\n#else\nno\n#endif"
    assert made(text) == ("yes" if value else "no")


def test_groups() -> None:
    text = """
#ifdef A
a
#elif defined(B)
b
#elif 1
c
#if 1
d
#endif
#else
e
#endif
#ifndef A
f
#endif
"""
    assert made(text) == "c d f"
    assert made(text, Options(defines={"A": ""})) == "a"
    assert made(text, Options(defines={"B": "1"})) == "b f"


def test_what_is_left_out_is_not_looked_at() -> None:
    text = "#if 0\ndon't \"mind # this\n#error no\n#nothing\n#if (\n#endif\n#elif 1\nx\n#elif 1 / 0\n#endif"
    assert made(text) == "x"


def test_includes() -> None:
    files = {
        "a.h": '#pragma once\na\n#include "sub/b.h"',
        "sub/b.h": '#include "c.h"\nb',
        "sub/c.h": "c N",
        "lib/d.h": "d",
    }
    text = '#define N 1\n#include "a.h"\n#include "a.h"\n#include <d.h>\n#define FILE "sub/c.h"\n#include FILE'
    assert made(text, Options(files=files, search_paths=["lib"])) == "a c 1 b d c 1"


def test_a_file_that_is_on_its_way_is_passed_over_after_its_pragma_once() -> None:
    """slangc 2026.14 compiles these; without the pragma it reports E15302."""
    files = {"b.h": '#pragma once\n#include "c.h"\nb', "c.h": '#include "b.h"\nc'}
    assert made('#include "b.h"\na', Options(files=files)) == "c b a"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('#ifndef B\n#define B\n#include "c.h"\nb\n#endif', []),
        ('#include "c.h"\n#include "c.h"', ["1:10 error[E15302]: cyclic `#include` of file 'b.h'"]),
    ],
)
def test_in_hlsl_a_file_may_include_itself_until_it_goes_on_without_end(text: str, expected: list[str]) -> None:
    """As DXC has it, which refuses the second one with "#include nested too deeply"."""
    reports = Reports(Sources())
    options = Options(files={"b.h": text, "c.h": '#include "b.h"\nc'})
    tokens = Preprocessor(reports, options, True).run("t.hlsl", '#include "b.h"\na')
    assert said(reports) == expected
    assert expected or " ".join(tokens.texts[:-1]) == "c b a"


def test_in_hlsl_a_name_that_is_no_macro_is_zero_without_a_warning() -> None:
    """As DXC has it: clang's -Wundef is off."""
    reports = Reports(Sources())
    text = "#pragma dxc diagnostic push\n#if A || !B\nx\n#endif\n#if A\ny\n#endif"
    tokens = Preprocessor(reports, Options(), True).run("t.hlsl", text)
    assert said(reports) == []
    assert tokens.texts == ["x", ""]


def test_includes_from_a_disk(tmp_path: Path) -> None:
    (tmp_path / "x.h").write_bytes(b"x\r\ny\r\n")
    (tmp_path / "bad.h").write_bytes(b"\xff")
    options = Options(search_paths=[str(tmp_path)])
    tokens, reports = run('#include "x.h"', options)
    assert tokens.texts == ["x", "y", ""]
    assert str(reports.sources.place(tokens.ats[1])) == f"{tmp_path / 'x.h'}:2:1"
    (tmp_path / "latin.h").write_bytes(b"a\n// \xa9")
    bad, latin = tmp_path / "bad.h", tmp_path / "latin.h"
    not_utf8 = "can't be read: byte 0xff in line 1 is not UTF-8"
    assert told('#include "bad.h"', options) == [f"1:10 error[E15300]: {bad} {not_utf8}"]
    not_utf8 = "can't be read: byte 0xa9 in line 2 is not UTF-8"
    assert told('#include "latin.h"', options) == [f"1:10 error[E15300]: {latin} {not_utf8}"]
    (tmp_path / "folder.h").mkdir()
    assert "can't be read: Is a directory" in told('#include "folder.h"', options)[0]


def test_an_included_file_is_utf8_or_says_utf16(tmp_path: Path) -> None:
    """slangc 2026.14 reads the same files, and refuses the others (E10006, E10000)."""
    options = Options(search_paths=[str(tmp_path)])
    for name, data in (("le", "\ufeffa // \xe9\n".encode("utf-16-le")), ("be", "\ufeffa\n".encode("utf-16-be"))):
        (tmp_path / name).write_bytes(data)
        tokens, reports = run(f'#include "{name}"\nb', options)
        assert (tokens.texts, said(reports)) == (["a", "b", ""], [])
    for name, data, form in (("half", b"\xff\xfea\0\n\0\x00\xd8", 16), ("long", b"\xff\xfe\0\0a\0\0\0", 8)):
        (tmp_path / name).write_bytes(data)
        assert told(f'#include "{name}"', options)[0].endswith(f"is not UTF-{form}")


def test_in_hlsl_comments_may_have_any_bytes(tmp_path: Path) -> None:
    """As DXC 1.9 has it; in a name or a string it says "source file is not valid UTF-8"."""
    (tmp_path / "x.h").write_bytes(b"// \xa9 \x93x\x94\na /* \xe9 */")
    options = Options(search_paths=[str(tmp_path)])
    reports = Reports(Sources())
    assert Preprocessor(reports, options, True).run("t.hlsl", '#include "x.h"').texts == ["a", ""]
    assert said(reports) == []
    (tmp_path / "x.h").write_bytes(b"caf\xe9")
    reports = Reports(Sources())
    Preprocessor(reports, options, True).run("t.hlsl", '#include "x.h"')
    assert said(reports) == ["1:4 error[E10000]: illegal character: it is not UTF-8"]


def test_places() -> None:
    """What comes out of a macro stands at its use; arguments stand where they were written."""
    tokens, reports = run("#define F(x) (x + 1)\n\n  F(\n  y)")
    assert tokens.texts[:-1] == ["(", "y", "+", "1", ")"]
    assert [str(reports.sources.place(at))[8:] for at in tokens.ats[:-1]] == ["3:3", "4:3", "3:3", "3:3", "3:3"]


def test_line_and_file() -> None:
    assert made("\n__LINE__ __FILE__") == '2 "t.slang"'
    assert made("#define HERE __LINE__\n\nHERE") == "3"
    tokens, reports = run('#line 50 "other.slang"\na\nb\n#line 7\nc\n#line default\nd')
    places = [str(reports.sources.place(at)) for at in tokens.ats[:-1]]
    assert places == ["other.slang:50:1", "other.slang:51:1", "t.slang:7:1", "t.slang:7:1"]
    tokens, reports = run('#line 50 ""\na')
    assert str(reports.sources.place(tokens.ats[0])) == "t.slang:50:1"  # no file is called that


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a\n#if 1\nb\n", "4:1 error[E15000]: end of file encountered during preprocessor conditional"),
        ("#endif", "1:2 error[E15001]: '#endif' directive without '#if'"),
        ("#if 1\n#else\n#elif 1\n#endif", "3:2 error[E15002]: '#elif' directive after '#else'"),
        ("#+", "1:2 error[E15100]: expected preprocessor directive name"),
        ("  # foo", "1:5 error[E15101]: unknown preprocessor directive 'foo'"),
        ("#define 1", "1:9 error[E15102]: expected 'identifier' in 'define' directive"),
        ("#ifdef\n#endif", "1:2 error[E15102]: expected 'identifier' in 'ifdef' directive"),
        ("#if 1\n#endif x", "2:8 error[E15103]: unexpected tokens following 'endif' directive"),
        ("#if (1\n#endif", "1:5 error[E15200]: expected ')' in preprocessor expression"),
        ("#if 1 1\n#endif", "1:7 error[E15201]: syntax error in preprocessor expression"),
        ("#if 1 % 0\n#endif", "1:7 error[E15202]: division by zero in preprocessor expression"),
        ("#if defined\n#endif", "1:5 error[E15203]: expected 'identifier' in 'defined' expression"),
        ("#if\n#endif", "1:2 warning[E15204]: '#if' directive requires an expression"),
        (
            "#if A\n#endif",
            "1:5 warning[E15205]: undefined identifier 'A' in preprocessor expression will evaluate to zero",
        ),
        ("#include x", "1:2 error[E15102]: expected 'string literal' in 'include' directive"),
        ('#include "x"', "1:10 error[E15300]: failed to find include file 'x'"),
        ('#include "t.slang"', "1:10 error[E15302]: cyclic `#include` of file 't.slang'"),
        ("#define A 1\n#define A 2", "2:9 warning[E15400]: redefinition of macro 'A'"),
        ("#undef A", "1:8 warning[E15401]: macro 'A' is not defined"),
        ("#define F(1) 2", "1:11 error[E15403]: expected 'identifier' in macro parameters"),
        ("#define F(a", "1:11 error[E15403]: expected ')' in macro parameters"),
        ("#define __LINE__ 1", "1:9 warning[E15404]: Redefinition of builtin macro '__LINE__'"),
        ("#define A ## b", "1:11 error[E15405]: '##' is not allowed at the start of a macro body"),
        ("#define A b ##", "1:13 error[E15406]: '##' is not allowed at the end of a macro body"),
        ("#define F(a) #b", "1:14 error[E15407]: '#' in macro body must be followed by the name of a macro parameter"),
        ("#define F(a, a) a", "1:14 error[E15408]: redefinition of macro parameter 'a'"),
        (
            "#define F(..., a) a",
            "1:11 error[E15409]: a variadic macro parameter is only allowed at the end of the parameter list",
        ),
        ("#define F(a) a\nF(1", "2:1 warning[E15500]: expected ')' in macro invocation"),
        (
            "#define F(a, b) a\n x F(1)",
            "2:4 error[E15501]: wrong number of arguments to macro (expected 2, got 1)",
        ),
        (
            "#define F(a) a ## +\nF(-)",
            "2:1 warning[E15503]: token pasting with '##' resulted in the invalid token '-+'",
        ),
        ("#pragma", "1:2 error[E15600]: expected a name after '#pragma'"),
        ("#pragma foo bar", "1:9 warning[E15601]: ignoring unknown directive '#pragma foo'"),
        (
            "#pragma once",
            "1:9 warning[E15602]: pragma once was ignored - this is typically because it is not placed in an include",
        ),
        ("#error it's  over  now", "1:2 error[E15900]: #error: it's  over  now"),
        ("#error a  b", "1:2 error[E15900]: #error: a b"),
        ("#warning too  slow", "1:2 warning[E15901]: #warning: too slow"),
    ],
)
def test_what_is_wrong_is_reported(text: str, expected: str) -> None:
    options = Options(files={"t.slang": text})
    assert told(text, options) == [expected]


def test_an_error_in_an_included_file_is_reported_there() -> None:
    _, reports = run('\n#include "a.h"', Options(files={"a.h": "x\n  #nope"}))
    assert [str(one.place) for one in reports.diagnostics] == ["a.h:2:4"]


def test_includes_are_100_deep_at_most() -> None:
    files = {f"f{i}.h": f'#include "f{i + 1}.h"' for i in range(200)}
    assert [line.split(":")[1] for line in told('#include "f0.h"', Options(files=files))] == ["10 error[RK0903]"]


def test_macros_may_not_explode() -> None:
    lines = [f"#define A{i} {' '.join([f'A{i + 1}'] * 10)}\n" for i in range(9)]
    assert told("".join(lines) + "A0") == ["10:1 error[RK0902]: macros make more than 1000000 tokens"]


def test_macro_arguments_nest_100_deep_at_most() -> None:
    text = "#define F(x) x\n" + "F(" * 300 + "1" + ")" * 300
    assert [line.split(": ")[0].split()[1] for line in told(text)] == ["error[RK0902]"]
    assert made("#define F(x) x\n" + "F(" * 60 + "1" + ")" * 60) == "1"


def test_predefined_macros_can_be_given() -> None:
    assert made("A B __SLANG__", Options(defines={"A": "1 + 2", "B": "", "__SLANG__": "9"})) == "1 + 2 9"
