"""docs/slang-subset.md, run as it stands: each ```slang block is a shader with what it stores, or why it is refused.

block ─▶ module ─▶ simulator at 4, 8, 32 ─▶ what its head expects (the form is `kit.programs.expected_shaders`')
            └─ compile ─▶ SPIR-V ─▶ spirv-val, simulator
      └─ slangc ─▶ SPIR-V ─▶ simulator (--full)

// refused: 4:24: error[E30015]: undefined identifier 'y'.      one for each error, in order
// promised after reconverge: why                               the lowered module leaves it open
// slangc: ARGUMENTS       // no slangc: why
"""

import re
import subprocess
from pathlib import Path
from typing import final

import pytest
from kit import oracles
from kit.programs.expected_shaders import ExpectedShader

import reknit
from reknit.ir.module import Module
from reknit.passes.manager import run_passes
from reknit.source.diagnostic import InputError
from reknit.spirv.write import write_module

PAGE = Path(__file__).resolve().parents[2] / "docs" / "slang-subset.md"
SIZES = (4, 8, 32)
SLANGC = ["-target", "spirv", "-profile", "spirv_1_6", "-matrix-layout-row-major"]


@final
class Block:
    """A block of the page, named by its section and its place there."""

    def __init__(self, section: str, place: int, source: str) -> None:
        self.name = f"{section} {place}"
        self.source = source

    def lines(self, key: str) -> list[str]:
        return re.findall(rf"^// {key}: (.*)$", self.source, re.MULTILINE)

    def saved(self, folder: Path) -> Path:
        path = folder / "block.slang"
        path.write_text(self.source)
        return path


def blocks() -> list[Block]:
    found: list[Block] = []
    _, *sections = re.split(r"^## ", PAGE.read_text(), flags=re.MULTILINE)
    for section in sections:
        title, _, text = section.partition("\n")
        sources = re.findall(r"^```slang\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
        found += [Block(title, place, source) for place, source in enumerate(sources)]
    return found


BLOCKS = blocks()
RUN = [block for block in BLOCKS if not block.lines("refused")]
REFUSED = [block for block in BLOCKS if block.lines("refused")]
FOR_SLANGC = [block for block in RUN if not block.lines("no slangc")]  # the others it leaves open


def check(module: Module, told: ExpectedShader) -> None:
    for size in SIZES:
        result = reknit.run(module, subgroup_size=size, groups=(told.groups, 1, 1), buffers={**told.buffers})
        assert not result.failed(), [str(one) for one in result.diagnostics]
        for name, words in told.expectation(size).items():
            assert result.buffers[name].words == words, f"{name} at {size}"


@pytest.mark.parametrize("block", RUN, ids=lambda block: block.name)
def test_what_a_block_stores(block: Block, tmp_path: Path) -> None:
    path = block.saved(tmp_path)
    module = reknit.load(path)
    if block.lines("promised after reconverge"):
        run_passes(module, "reconverge")
    check(module, ExpectedShader(path))


@pytest.mark.parametrize("block", RUN, ids=lambda block: block.name)
def test_what_its_spirv_stores(block: Block, tmp_path: Path) -> None:
    path = block.saved(tmp_path)
    module = reknit.load(path)
    run_passes(module, "reconverge")
    binary = write_module(module)
    check(reknit.load(binary), ExpectedShader(path))
    if oracles.find("spirv-val") is not None:
        assert oracles.spirv_val(binary) == (True, "")


@pytest.mark.full(when=lambda block: RUN.index(block) % 10)
@pytest.mark.parametrize("block", FOR_SLANGC, ids=lambda block: block.name)
def test_slangc_makes_the_same_of_it(block: Block, tmp_path: Path) -> None:
    path = block.saved(tmp_path)
    product = tmp_path / "a.spv"
    words = [word for line in block.lines("slangc") for word in line.split()]
    command = [*oracles.need("slangc"), str(path), *SLANGC, *words, "-o", str(product)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    check(reknit.load(product), ExpectedShader(path))


@pytest.mark.parametrize("block", REFUSED, ids=lambda block: block.name)
def test_what_is_refused(block: Block, tmp_path: Path) -> None:
    path = block.saved(tmp_path)
    with pytest.raises(InputError) as caught:
        reknit.load(path)
    said = [str(one).replace(f"{path}:", "").strip() for one in caught.value.diagnostics]
    assert said == block.lines("refused")


def test_every_section_has_blocks() -> None:
    sections = re.findall(r"^## (.*)$", PAGE.read_text(), re.MULTILINE)
    with_blocks = {block.name.rpartition(" ")[0] for block in BLOCKS}
    assert [title for title in sections if title not in with_blocks] == ["Command line"]  # its commands are run, too
    assert len(RUN) >= 40 and len(REFUSED) >= 15
