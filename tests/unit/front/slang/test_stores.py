"""The programs of stores/*.slang: each `test` puts numbers into a buffer, and says after it which.

    //// What it shows
    int twice(int a) { return 2 * a; }
    void test()
    {
        put(twice(3));
    }
    // stores 6

The numbers are those that programs made by slangc 2026.14.1 store; "(by hand)" marks what it refuses or can't make,
whose numbers follow from the rules for the parts.
"""

from pathlib import Path

import pytest

import reknit
from reknit.front.slang.compile import compile_slang

PAGES = sorted((Path(__file__).resolve().parent / "stores").glob("*.slang"))
AROUND = """RWStructuredBuffer<int> o;
static int next = 0;
void put(int a) {{ o[next++] = a; }}
{}
[shader("compute")] [numthreads(1, 1, 1)]
void main() {{ test(); }}
"""
CASES = [
    pytest.param(*case.split("\n// stores "), id=f"{page.stem}: {case.partition(chr(10))[0]}")
    for page in PAGES
    for case in page.read_text().split("//// ")[1:]
]


@pytest.mark.parametrize(("case", "expected"), CASES)
def test_what_it_stores(case: str, expected: str) -> None:
    numbers = [int(number) for number in expected.split(",")]
    module = compile_slang(AROUND.format(case.partition("\n")[2]), "t.slang")
    result = reknit.run(module, buffers={"o": [0] * len(numbers)})
    assert [str(one) for one in result.diagnostics] == []
    assert [word - (1 << 32) if word >> 31 else word for word in result.buffers["o"].words] == numbers
