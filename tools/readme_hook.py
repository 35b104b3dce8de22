"""Hatchling's metadata hook: README.md as PyPI shows it, where relative links lead nowhere.

    [Lint](docs/lint.md)     ->  [Lint](REPOSITORY/blob/v0.1.0/docs/lint.md)
    ![...](docs/a.svg)       ->  ![...](REPOSITORY/raw/v0.1.0/docs/a.svg)

REPOSITORY is pyproject.toml's. The tag is the version's own, so that an old version keeps the pages that it had.
"""

import re
from pathlib import Path
from typing import Any, Final

from hatchling.metadata.plugin.interface import MetadataHookInterface

LINK: Final = re.compile(
    r"(?P<literal>^```.*?^```|`[^`\n]*`)|(?P<opening>(?P<picture>!?)\[[^\]]*\]\()(?P<target>[^)\s]+)\)", re.M | re.S
)


class ReadmeHook(MetadataHookInterface):
    def update(self, metadata: dict[str, Any]) -> None:
        text = Path(self.root, "README.md").read_text(encoding="utf-8")
        shown = absolute(text, metadata["urls"]["Repository"], f"v{metadata['version']}")
        metadata["readme"] = {"content-type": "text/markdown", "text": shown}


def absolute(text: str, repository: str, tag: str) -> str:
    """A Markdown text of the root with all its links absolute."""

    def turned(match: re.Match[str]) -> str:
        target = match["target"]
        if match["literal"] is not None or "://" in target or target.startswith("#"):
            return match[0]
        kind = "raw" if match["picture"] else "blob"
        return f"{match['opening']}{repository}/{kind}/{tag}/{target})"

    return LINK.sub(turned, text)
