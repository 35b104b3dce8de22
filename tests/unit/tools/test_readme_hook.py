"""The README as PyPI shows it: rendered, with every link and picture absolute."""

import re
import tomllib
from typing import Any, Final

import pytest
from kit import ROOT
from readme_hook import ReadmeHook, absolute

pytestmark = pytest.mark.once

PROJECT: Final[dict[str, Any]] = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


def shown() -> str:
    metadata = {key: value for key, value in PROJECT.items() if key != "dynamic"}
    ReadmeHook(str(ROOT), {}).update(metadata)
    assert metadata["readme"]["content-type"] == "text/markdown"
    return str(metadata["readme"]["text"])


def test_links_and_pictures() -> None:
    text = "[a](docs/a.md#b) ![p](docs/p.svg) [c](https://d.e/f) [g](#h) `[i](j)`\n```\n[k](l)\n```\n[m\nn](o)\n"
    assert absolute(text, "https://r", "v1") == (
        "[a](https://r/blob/v1/docs/a.md#b) ![p](https://r/raw/v1/docs/p.svg) [c](https://d.e/f) [g](#h) `[i](j)`\n"
        "```\n[k](l)\n```\n[m\nn](https://r/blob/v1/o)\n"
    )


def test_the_project_has_addresses() -> None:
    assert {"Repository", "Documentation", "Issues", "Changes"} <= set(PROJECT["urls"])
    assert all(address.startswith("https://") for address in PROJECT["urls"].values())
    assert PROJECT["dynamic"] == ["readme"]


def test_pypi_renders_it() -> None:
    """readme_renderer is what PyPI runs, and what `twine check` asks: None where a text can't be shown."""
    markdown = pytest.importorskip("readme_renderer.markdown", reason="no readme_renderer: pip install '.[test]'")
    page = markdown.render(shown())
    assert page is not None
    addresses = re.findall(r'(?:href|src)="([^"]*)"', page)
    assert len(addresses) > 20
    assert [address for address in addresses if not address.startswith(("https://", "#"))] == []
    assert "<table>" in page and "<img" in page
