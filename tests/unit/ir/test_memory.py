"""What a module takes in memory: at most 250 bytes an instruction of the binary, compiled or not."""

import gc
import tracemalloc

import pytest
from bench.shapes import module

from reknit.spirv.read import read_module

MAX_BYTES = 250


@pytest.mark.parametrize("shape", ["ifs", "functions", "nest", "variables"])
def test_a_module_takes_few_bytes_an_instruction(shape: str) -> None:
    size = 4_000
    data = module(shape, size)
    read_module(data)  # what is made once in a process
    tracemalloc.start()
    try:
        kept = read_module(data)
        gc.collect()
        with_it = tracemalloc.get_traced_memory()[0]
        del kept
        gc.collect()
        without = tracemalloc.get_traced_memory()[0]  # what tables of the process grew by stays
    finally:
        tracemalloc.stop()
    assert 100 <= (with_it - without) / size <= MAX_BYTES
