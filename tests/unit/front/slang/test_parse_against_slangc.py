"""Slang's own compiler is asked about the same broken sources: the first error has the same code and the same place."""

import subprocess
from pathlib import Path

import pytest
from kit import oracles

from reknit.front.slang.parse.file import parse_file

SOURCES = [
    "int x = ;",
    "int f(int a { return a; }",
    "struct S { int a int b; };",
    "int f() { return 1 }",
    "int f(int a) { if (a > 1 { return 1; } return 2; }",
    "void f() { for (int i = 0 i < 3; i++) { } }",
    "void f() { switch (1) { case 1 break; } }",
    "int f() { int a[3; return 1; }",
    "[numthreads(1, 1, 1] void f() { }",
    "enum E { A B }",
    "interface I { int f() }",
    "int f(int a) { return a +; }",
    "int f(int a) { do { a++; } until (a); return a; }",
    "typealias A int;",
    "void f() { int a = 1; } }",
    "int a = 08;",
    "int a = 1; $",
    "#if 1 +\n#endif",
    "#define F(a) #b",
    "#ifdef 3\n#endif",
    '#include "no-such-file.h"',
]


def first_of_slangc(text: str, folder: Path) -> tuple[str, int, int]:
    file = folder / "x.slang"
    file.write_text(text)
    command = [*oracles.need("slangc"), "-no-codegen", "-enable-machine-readable-diagnostics", str(file)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    for line in (done.stdout + done.stderr).splitlines():
        fields = line.split("\t")
        if len(fields) > 5 and fields[1] == "error":
            return fields[0], int(fields[3]), int(fields[4])
    return "", 0, 0


@pytest.mark.parametrize("text", SOURCES)
def test_the_first_error_is_slangs(text: str, tmp_path: Path) -> None:
    _, reports = parse_file("x.slang", text)
    first = next(one for one in reports.diagnostics if one.severity == "error")
    assert first.place is not None
    assert (first.code, first.place.line, first.place.column) == first_of_slangc(text, tmp_path)
