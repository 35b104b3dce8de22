"""Images in native code: texels by hand from the specification, and what is said where it can't be."""

from typing import Any

import pytest

from reknit.front.slang.compile import compile_slang
from reknit.ir.module import Module
from reknit.sim.engine import native_run
from reknit.sim.images import Image
from reknit.sim.result import Result
from reknit.sim.run import run

pytest.importorskip("llvmlite", reason="native code needs llvmlite")

SIZES = (4, 64)


def kernel(before: str, body: str) -> Module:
    entry = '[shader("compute")]\n[numthreads(24, 1, 1)]\nvoid main(uint3 id : SV_DispatchThreadID)'
    return compile_slang(f"{before}\n{entry}\n{{\n{body}\n}}\n", "kernel.slang")


def natively(module: Module, size: int, **given: Any) -> Result:
    result = run(module, subgroup_size=size, buffers=given, native=native_run("jit"))
    assert (result.engine, [str(diagnostic) for diagnostic in result.diagnostics]) == ("jit", [])
    return result


@pytest.mark.parametrize("size", SIZES)
def test_each_format_of_one_program(size: int) -> None:
    """The run names the format: 1/255 is the least step of rgba8, 1/3 lies at 85 of 255 and at 21845 of 65535. Texel k
    of 24 gets k / 8, which an unsigned format keeps to 1."""
    module = kernel("RWTexture2D<float4> t;", "t[id.xx / uint2(1, 8) % 8] = float4(id.x / 8.0, 1.0 / 3.0, -1.0, 0.5);")
    for format, third, low, half in (("rgba8", 85 / 255, 0.0, 128 / 255), ("rgba16", 21845 / 65535, 0.0, 32768 / 65535),
            ("rgba8_snorm", 42 / 127, -1.0, 64 / 127), ("rgba16f", 1365 / 4096, -1.0, 0.5)):  # fmt: skip
        found = natively(module, size, t=Image([8, 3], format)).buffers["t"].texels()
        assert found[1::4] == [third] * 24, format
        assert found[2::4] == [low] * 24, format
        assert found[3::4] == [half] * 24, format
        kept = [at / 8 for at in range(24)] if format.endswith("f") else [1.0] * 16
        assert found[0::4][-len(kept) :] == kept, format


@pytest.mark.parametrize("size", SIZES)
def test_texels_of_parts_of_words(size: int) -> None:
    """Four texels of r8ui lie in a word: each lane takes its neighbour's, those that are odd add 1 to it."""
    module = kernel(
        "[format(\"r8ui\")] RWTexture1D<uint> to; [format(\"r8ui\")] RWTexture1D<uint> from;",
        "uint x = from[(id.x + 1) % 24];\nif ((id.x & 1) != 0)\n    x += 1;\nto[id.x] = x;",
    )  # fmt: skip
    given = [at * 7 % 251 for at in range(24)]
    found = natively(module, size, **{"from": Image([24], "", given), "to": Image([24])}).buffers["to"].texels()
    assert found == [given[(at + 1) % 24] + at % 2 for at in range(24)]


@pytest.mark.parametrize("size", SIZES)
def test_atomics_on_texels(size: int) -> None:
    """24 lanes add their number to three texels in turn: 0 + 3 + ... + 21 = 84, and 8 or 16 more."""
    module = kernel("[format(\"r32ui\")] RWTexture2D<uint> t;", "InterlockedAdd(t[uint2(id.x % 3, 0)], id.x);")
    assert natively(module, size, t=Image([3, 1])).buffers["t"].texels() == [84, 92, 100]


def test_what_falls_back() -> None:
    """By name, and the interpreter's words are the same."""
    packed = kernel("RWTexture1D<float4> t;", "t[id.x] = float4(1.0);")
    result = run(packed, buffers={"t": Image([24], "rgb10_a2")}, native=native_run("jit"))
    assert result.fallback == "it has an image of format rgb10_a2"
    outside = kernel("RWTexture1D<float4> t;", "t[id.x] = float4(1.0);")
    result = run(outside, buffers={"t": Image([23], "rgba8")}, native=native_run("jit"))
    assert [diagnostic.message.partition("texel ")[2] for diagnostic in result.diagnostics] == [
        "(23) of 23 in image t (lane 23)"
    ]  # fmt: skip
