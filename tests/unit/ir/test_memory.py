"""What a module takes in memory: at most 250 bytes an instruction of the binary, compiled or not."""

import gc
import tracemalloc

import pytest
from bench.shapes import module

from reknit.spirv.read import read_module

MOST = 250


@pytest.mark.parametrize("shape", ["ifs", "functions", "nest", "variables"])
def test_a_module_takes_few_bytes_an_instruction(shape: str) -> None:
    size = 4_000
    data = module(shape, size)
    read_module(data)  # what is made once in a process
    gc.collect()
    tracemalloc.start()
    try:
        kept = read_module(data)
        gc.collect()
        assert tracemalloc.get_traced_memory()[0] / size <= MOST
        del kept
    finally:
        tracemalloc.stop()
