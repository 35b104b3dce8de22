"""The pages that show commands: what they print is what the page says."""

import shutil
from pathlib import Path

import pytest
from console_blocks import ROOT, blocks, run
from oracles import find

pytestmark = pytest.mark.once

PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
WITH_BLOCKS = [page for page in PAGES if blocks(page.read_text())]
OUTSIDE = {"reknit check": "spirv-val", ".comp": "glslangValidator"}
"""What a command needs that is no part of reknit, by what stands in it."""


def wrapper(folder: Path, program: str) -> None:
    """A program on PATH that runs the oracle."""
    words = find(program)
    if words is None:
        pytest.skip(f"no {program} here: python3 tools/get_oracles.py brings it")
    script = folder / program
    script.write_text("#!/bin/sh\nexec " + " ".join(f"'{word}'" for word in words) + ' "$@"\n')
    script.chmod(0o755)


def test_some_pages_show_commands() -> None:
    assert {page.name for page in WITH_BLOCKS} >= {"README.md", "getting-started.md", "examples.md"}


@pytest.mark.parametrize("page", WITH_BLOCKS, ids=lambda page: page.name)
def test_commands_print_what_the_page_says(page: Path, tmp_path: Path) -> None:
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    tools = tmp_path / "tools"
    tools.mkdir()
    for step in [step for block in blocks(page.read_text()) for step in block]:
        for part, program in OUTSIDE.items():
            if part in step.command and not (tools / program).exists():
                wrapper(tools, program)
        assert run(step.command, tmp_path, str(tools)) == step.output, step.command
