"""Local variables that stand for elements of one array of resources, another one at each assignment.

What is stored is by hand; slangc's SPIR-V stores the same, and DXC takes it.
"""

import subprocess
from pathlib import Path

import dxc
import pytest
from kit import oracles

import reknit
from reknit.ir.module import Module
from reknit.source.diagnostic import InputError
from reknit.spirv.write import write_module

SOURCE = """
RWStructuredBuffer<uint> o : register(u0);
StructuredBuffer<uint> many[4] : register(t1);
uint get(StructuredBuffer<uint> b, uint i) { return b[i]; }
[numthreads(4, 1, 1)]
void main(uint t : SV_GroupIndex)
{
    StructuredBuffer<uint> b = many[0];
    uint sum = 0;
    for (uint k = 0; k < 3; k++)
    {
        sum = sum * 10 + get(b, 0);
        b = many[NonUniformResourceIndex(k + (t & 1))];
    }
    StructuredBuffer<uint> c;
    c = many[3];
    StructuredBuffer<uint> d;
    if (t > 1)
    {
        uint j = t - 1;
        d = many[NonUniformResourceIndex(j)];
    }
    else
        d = b;
    o[t] = sum * 100 + c[0] * 10 + d[0];
}
"""
# many[n] holds n + 1. b is many[0], then many[0 + t % 2], many[1 + t % 2]: 112 or 123; c is 4. Lanes 0 and 1 have b as
# d, many[2] and many[3], the others many[1] and many[2].
STORED = [11243, 12344, 11242, 12343]


def stored(module: Module) -> list[int]:
    buffers = {"o": [0] * 4, **{f"many[{index}]": [index + 1] for index in range(4)}}
    result = reknit.run(module, buffers=buffers)
    assert not result.failed(), [str(message) for message in result.diagnostics]
    return list(result.buffers["o"].words)


def test_what_is_stored(tmp_path: Path) -> None:
    path = tmp_path / "a.hlsl"
    path.write_text(SOURCE)
    assert stored(reknit.load(path)) == STORED
    module = reknit.load(path)
    reknit.compile(module)
    binary = write_module(module)
    assert stored(reknit.load(binary)) == STORED
    assert oracles.validate(binary) == (True, "")


def test_slangc_stores_the_same(tmp_path: Path) -> None:
    path, product = tmp_path / "a.hlsl", tmp_path / "a.spv"
    path.write_text(SOURCE)
    options = ["-lang", "hlsl", "-profile", "sm_6_6", "-target", "spirv", "-entry", "main", "-stage", "compute"]
    command = [*oracles.need("slangc"), str(path), *options, "-o", str(product)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert stored(reknit.load(product)) == STORED


def test_dxc_takes_it() -> None:
    dxc.compile_hlsl(Path(oracles.need("dxc")[0]), SOURCE, ["-T", "cs_6_6", "-E", "main"])


def test_resources_of_two_variables_are_refused() -> None:
    source = """
    RWStructuredBuffer<uint> x; RWStructuredBuffer<uint> y;
    [numthreads(4, 1, 1)]
    void main(uint t : SV_GroupIndex) { RWStructuredBuffer<uint> z = x; if (t > 1) z = y; z[t] = t; }
    """
    with pytest.raises(InputError, match="which resource a variable stands for must be known"):
        reknit.load(source.encode(), format="hlsl")


def test_another_resource_from_a_statement_on(tmp_path: Path) -> None:
    """In the block of the declaration, and again in each round of a loop: 7 + 7 in x, 13 + 13 in y, by hand."""
    path = tmp_path / "a.hlsl"
    path.write_text("""
    RWStructuredBuffer<uint> x; RWStructuredBuffer<uint> y;
    void both(uint i) { RWStructuredBuffer<uint> b = x; b[i] += 7; b = y; b[i] += 13; }
    [numthreads(1, 1, 1)]
    void main(uint t : SV_GroupIndex)
    {
        both(t);
        for (uint k = 0; k < 1; k++) { RWStructuredBuffer<uint> c; c = x; c[0] += 7; c = y; c[0] += 13; }
    }
    """)
    stores = reknit.run(reknit.load(path), buffers={"x": [0], "y": [0]}).buffers
    assert (stores["x"].words, stores["y"].words) == ([14], [26])
