"""Whatever happens to an input, a verb of the API raises InputError or works: a sample of what `kit.mutated` does."""

import functools

import pytest
from kit.mutated import FORMATS, corpus, input_of, through

FORMATS_HERE = ["spv", "spvasm", "rk", "slang", "cfg"]
"""Those that need no process of LLVM's."""


@functools.cache
def inputs() -> dict[str, list[bytes]]:
    return corpus(1)


QUICK = [seed for seed in range(20) if seed % 5]
"""The others ask for proofs."""


@pytest.mark.parametrize(
    "seed", [pytest.param(seed, marks=() if seed in QUICK else pytest.mark.full) for seed in range(600)]
)
def test_only_input_errors_leave_a_verb(seed: int) -> None:
    assert set(FORMATS_HERE) <= set(FORMATS)
    format, data = input_of(seed, inputs(), FORMATS_HERE)
    through(data, format, seed)
