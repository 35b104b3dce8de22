"""Every shader that the tests know comes back: as it is read, as .rk; compiled, as SPIR-V and over .rk, word for word.

    tests/slang, tests/dispatch, examples    through the front-end, with dynamic dispatch in the first half
    tests/data/dxil                          flat functions, then trees
    examples/*.comp                          by glslang with debug information of every kind, then by spirv-opt

A sample in fixed steps; all of them with --full.
"""

import base64
import gzip
import json
import subprocess
from pathlib import Path

import pytest
from kit import oracles
from kit.oracles.module_equality import assert_same

import reknit
from reknit.ir.module import Module
from reknit.ir.text.parser import parse
from reknit.ir.text.printer import print_module
from reknit.ir.verify.run import verify
from reknit.spirv.read import read_module
from reknit.spirv.write import write_module

pytestmark = pytest.mark.once

ROOT = Path(__file__).resolve().parents[2]
SOURCES = sorted(
    path for folder in ("tests/slang", "tests/dispatch", "examples") for path in (ROOT / folder).glob("*.slang")
)
DXIL = sorted((ROOT / "tests" / "data" / "dxil").rglob("*.dxil"))
RANDOM = ROOT / "tests" / "data" / "dxil" / "random.jsonl.gz"
STEP = 16
DEBUG = (("-g",), ("-gV",), ("-gVS",), ("-gVS", "-Os"))
OPTIMIZE = ("-O", "-Os", "--ssa-rewrite", "--merge-return", "--inline-entry-points-exhaustive")


def over_text(module: Module) -> Module:
    """The same module, printed and parsed."""
    text = print_module(module)
    again = parse(text)
    assert print_module(again) == text
    assert_same(module, again)
    return again


def comes_back(module: Module) -> None:
    """What is written is read to the same words, and over text too."""
    words = write_module(module)
    assert write_module(read_module(words)) == words
    read = read_module(words)
    assert [str(fault) for fault in verify(read)] == []
    assert write_module(over_text(read)) == words


@pytest.mark.full(when=lambda path: SOURCES.index(path) % STEP)
@pytest.mark.parametrize("path", SOURCES, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_slang(path: Path) -> None:
    module = reknit.load(path)
    over_text(module)
    reknit.compile(module)
    comes_back(module)


@pytest.mark.full(when=lambda path: DXIL.index(path) % STEP)
@pytest.mark.parametrize("path", DXIL, ids=lambda path: path.stem)
def test_dxil(path: Path) -> None:
    dxil_comes_back(path.read_bytes())


def dxil_comes_back(data: bytes) -> None:
    module = reknit.load(data, format="dxil")
    over_text(module)
    reknit.compile(module, "restructure")
    comes_back(module)


def test_random_dxil(full: bool) -> None:
    with gzip.open(RANDOM, "rt", encoding="utf-8") as file:
        rows = [json.loads(line) for line in file]
    for row in rows if full else rows[::STEP]:
        dxil_comes_back(base64.b64decode(row["dxil"]))


@pytest.mark.parametrize("flags", DEBUG, ids=" ".join)
def test_debug_information_of_glslang_and_what_spirv_opt_makes_of_it(
    flags: tuple[str, ...], tmp_path: Path, full: bool
) -> None:
    glslang = oracles.need("glslangValidator")
    optimizer = oracles.need("spirv-opt")
    shaders = sorted((ROOT / "examples").glob("*.comp"))
    product = tmp_path / "a.spv"
    better = tmp_path / "b.spv"
    for shader in shaders if full else shaders[:2]:
        command = [*glslang, "-V", "--target-env", "vulkan1.2", *flags, str(shader), "-o", str(product)]
        subprocess.run(command, check=True, capture_output=True, timeout=oracles.SECONDS)
        words_come_back(product.read_bytes())
        for how in OPTIMIZE if full else OPTIMIZE[:1]:
            subprocess.run(
                [*optimizer, how, str(product), "-o", str(better)],
                check=True,
                capture_output=True,
                timeout=oracles.SECONDS,
            )
            words_come_back(better.read_bytes())


def words_come_back(data: bytes) -> None:
    assert write_module(read_module(data)) == data
    module = read_module(data)
    assert [str(fault) for fault in verify(module)] == []
    assert write_module(over_text(module)) == data
