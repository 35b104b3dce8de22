"""A call among more overloads than are tried one by one chooses what it chooses among few."""

from pathlib import Path

import pytest

import reknit

COUNT = 70  # more than `overloads.MANY`


def stored(text: str, folder: Path) -> list[int]:
    (folder / "a.slang").write_text(text)
    return reknit.run(reknit.load(str(folder / "a.slang"))).buffers["o"].words


@pytest.mark.parametrize("count", [5, COUNT])
def test_the_one_of_the_argument_s_type(count: int, tmp_path: Path) -> None:
    """Each overload returns its number: by hand, the calls store the numbers of their structs;
    an int goes to the one that takes a float, since no struct is made of an int."""
    structs = "".join([f"struct S{n} {{ int a; }}\nint f(S{n} x) {{ return {n}; }}\n" for n in range(count)])
    text = (
        f"{structs}int f(float x) {{ return 1000; }}\n"
        "int f(S0 x, int y) { return 2000 + y; }\n"
        "RWStructuredBuffer<int> o;\n"
        '[shader("compute")] [numthreads(6, 1, 1)] void main(uint3 t : SV_DispatchThreadID) {\n'
        f"S0 a; S1 b; S{count - 1} c; a.a = 0; b.a = 0; c.a = 0;\n"
        "o[0] = f(a); o[1] = f(b); o[2] = f(c); o[3] = f(3); o[4] = f(a, 7); o[5] = f(2.5);\n}\n"
    )
    assert stored(text, tmp_path) == [0, 1, count - 1, 1000, 2007, 1000]
