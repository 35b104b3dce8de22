"""What a store to a texel writes where its element has fewer than four components.

Expected is what slangc (2026.14.1) gives the same source: a scalar in all four, zeros behind a vector.
"""

import pytest

from reknit.front.slang.compile import compile_slang
from reknit.sim.images import Image
from reknit.sim.run import run


@pytest.mark.parametrize(
    ("element", "value", "texel"),
    [("float", "1.5", [1.5] * 4), ("float2", "float2(1.5, 2.5)", [1.5, 2.5, 0, 0]),
     ("float3", "float3(1.5, 2.5, 3.5)", [1.5, 2.5, 3.5, 0]), ("uint2", "uint2(7, 8)", [7, 8, 0, 0])],
)  # fmt: skip
def test_a_texel_is_written_whole(element: str, value: str, texel: list[float]) -> None:
    source = (
        f'[format("unknown")] RWTexture2D<{element}> t; [numthreads(1, 1, 1)] void main() {{ t[uint2(0)] = {value}; }}'
    )
    form = "rgba32ui" if element == "uint2" else "rgba32f"
    result = run(compile_slang(source, "a.slang"), subgroup_size=4, buffers={"t": Image([1, 1], form, [9] * 4)})
    assert result.buffers["t"].texels() == texel
