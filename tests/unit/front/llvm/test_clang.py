"""Random C kernels as Clang writes them: they store what the same C stores on this machine.

    tests/data/clang/kernels.jsonl.gz   a sample: what Clang wrote, and what this machine stored; no compiler is needed
                                        to run it (`python tests/unit/front/llvm/test_clang.py FOLDER` writes it anew)
    with Clang and --full               60 seeds, three targets, -O0 to -O2
"""

import gzip
import json
import sys
from pathlib import Path
from typing import Any

import pytest
from kit import oracles
from kit.oracles.c_compiler import TARGETS, clang, inputs, llvm_ir, native
from kit.random.c_kernels import LANES, MADE

import reknit
from reknit.spirv.write import write_module

pytestmark = pytest.mark.once

STORED = Path(__file__).parents[3] / "data" / "clang" / "kernels.jsonl.gz"
SAMPLE = [(3, 0, 0), (11, 0, 1), (14, 0, 2), (101, 1, 0), (204, 1, 1), (208, 1, 2)]


def stored_cases() -> list[dict[str, Any]]:
    with gzip.open(STORED, "rt") as lines:
        return [json.loads(line) for line in lines]


def ran(text: str, seed: int) -> list[int]:
    module = reknit.load(text.encode(), format="ll")
    given, n = inputs(seed)
    buffers = {"argument0": given, "argument1": [0] * (LANES * MADE), "argument2": [n], "argument3": [7, 0xFFFFFFF7]}
    done = reknit.run(module, subgroup_size=4, buffers=buffers)
    assert [str(fault) for fault in done.diagnostics] == []
    return list(done.buffers["argument1"].words)


@pytest.mark.parametrize("case", stored_cases(), ids=lambda case: f"{case['seed']}-{case['target']}-O{case['level']}")
def test_stored(case: dict[str, Any]) -> None:
    assert ran(case["text"], case["seed"]) == case["words"]


def test_they_become_valid_shaders() -> None:
    module = reknit.load(stored_cases()[-1]["text"].encode(), format="ll")
    reknit.compile(module, "restructure")
    assert oracles.spirv_val(write_module(module), "vulkan1.3") == (True, "")


@pytest.mark.full
@pytest.mark.skipif(clang() is None, reason="no clang on PATH, and no package ziglang")
@pytest.mark.parametrize("seed", range(1000, 1060))
def test_fresh(seed: int, tmp_path: Path) -> None:
    expected = native(seed, tmp_path)
    for target in TARGETS:
        for level in range(3):
            assert ran(llvm_ir(seed, tmp_path, target, level), seed) == expected, (target, level)


def write_sample(folder: Path) -> None:
    with gzip.GzipFile(STORED, "wb", mtime=0) as out:
        for seed, target, level in SAMPLE:
            case = {"seed": seed, "target": TARGETS[target], "level": level, "words": native(seed, folder)}
            case["text"] = llvm_ir(seed, folder, TARGETS[target], level)
            out.write(json.dumps(case).encode() + b"\n")


if __name__ == "__main__":
    write_sample(Path(sys.argv[1]))
