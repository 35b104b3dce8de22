"""docs/dispatch.md, run as it stands: each example at all three stages stores what its table says."""

import re
from pathlib import Path

import pytest
from kit.text.preludes import compute

from reknit.ir.text.parser import parse
from reknit.ir.verify import verify
from reknit.passes.manager import run_passes
from reknit.sim.run import run

PAGE = (Path(__file__).resolve().parents[4] / "docs" / "dispatch.md").read_text(encoding="utf-8")
HEAD = compute(8, lane="lane_in")
EXAMPLE = re.compile(r"^### (.*?)\n\n.*?```rk example *(\w*)\n(.*?)```\n\n.*?\| out \| (.*?) \|\n", re.S | re.M)
EXAMPLES = EXAMPLE.findall(PAGE)
LOWERED = {
    "": "specialize-dispatch, lower-dispatch",
    "waterfall": "specialize-dispatch, lower-dispatch{mode=waterfall}",
    "thread": "specialize-dispatch, thread-dispatch, lower-dispatch",
    "inline": "specialize-dispatch, lower-dispatch{inline=always}, simplify-ifs{limit=20}",
}


def test_every_rule_has_an_example() -> None:
    titles = [title for title, *_ in EXAMPLES]
    assert [title[:2] for title in titles if title[1] in "1234567"] == ["C1", "C2", "C3", "C4", "C5", "C6"]
    assert "### C7." in PAGE


@pytest.mark.parametrize("example", EXAMPLES, ids=[title for title, *_ in EXAMPLES])
def test_an_example_stores_what_its_table_says(example: tuple[str, str, str, str]) -> None:
    _, kind, text, row = example
    prelude = re.findall(r"```rk prelude\n(.*?)```", PAGE, re.S)[0]
    expected = [int(word) for word in row.split(" | ")]
    for pipeline in ("", "specialize-dispatch", LOWERED[kind]):
        module = parse(HEAD + prelude + text, "page.rk")
        assert verify(module) == []
        if pipeline:
            run_passes(module, pipeline)
            assert verify(module) == []
        result = run(module, subgroup_size=8)
        assert result.diagnostics == []
        assert result.buffers["out"].words[:8] == expected, pipeline
