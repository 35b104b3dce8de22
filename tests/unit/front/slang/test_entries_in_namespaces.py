"""A function with [numthreads] is a compute shader where no function has [shader], in a namespace too."""

import reknit
from reknit.front.slang.compile import compile_slang

SOURCE = """
RWStructuredBuffer<int> o;
namespace N
{
    void helper() { o[1] = 2; }
    [numthreads(2, 1, 1)] void first(uint t : SV_GroupIndex) { o[t] = 5 + t; }
}
"""


def test_an_entry_point_without_shader_in_a_namespace() -> None:
    module = compile_slang(SOURCE, "t.slang")
    assert len(module.entry_points) == 1
    assert list(reknit.run(module, buffers={"o": [0, 0]}).buffers["o"].words) == [5, 6]
