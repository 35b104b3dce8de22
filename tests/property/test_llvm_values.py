"""Random functions of LLVM IR give what LLVM's own code gives, at corner cases: flat, as a tree, and optimized.

The judge of values is LLVM's code generator for this machine; of what is written, spirv-val.
"""

import pytest
from kit import oracles
from kit.random import llvm

import reknit
from reknit.ir.module import Module
from reknit.passes.manager import run_passes
from reknit.spirv.write import write_module

ROWS = 32
FEW = 10
MANY = 300
PASSES = "inline,promote-variables,fold,cse,dce,simplify-cfg"


def stored(module: Module, given: list[tuple[int, int, int]], subgroup_size: int) -> list[int]:
    words = [word for row in given for number in row for word in (number & 0xFFFFFFFF, number >> 32)]
    ran = reknit.run(module, subgroup_size=subgroup_size, buffers={"in": words, "out": [0] * (2 * ROWS)})
    assert [str(fault) for fault in ran.diagnostics] == []
    out = ran.buffers["out"].words
    return [out[2 * index] | out[2 * index + 1] << 32 for index in range(ROWS)]


def is_valid(module: Module) -> None:
    if oracles.find("slang-glslang") is not None:
        accepted, message = oracles.validate(write_module(module))
        assert accepted, message


@pytest.mark.full(when=lambda seed: seed >= FEW)
@pytest.mark.parametrize("seed", range(MANY))
def test_values_are_those_of_native_code(seed: int) -> None:
    function = llvm.Function(seed)
    given = llvm.rows(seed, ROWS)
    wanted = llvm.native(function.text, given)
    module = reknit.load(llvm.kernel(function.text, ROWS).encode(), format="ll")
    assert stored(module, given, (4, 8, 32, 64)[seed % 4]) == wanted
    run_passes(module, "structurize")
    is_valid(module)
    run_passes(module, PASSES)
    is_valid(module)
    assert stored(module, given, 8) == wanted
