"""The page of each diagnostic code: the rule, why it is one, an example that fails and one that passes.

Each page has four sections: What it does, Why it is wrong, Example that fails, Example that passes.

    page("RK0102")      ->  the Markdown text of RK0102.md beside this file, or None
    has_page("RK0102")  ->  whether there is one

Codes of Slang's own diagnostics keep Slang's numbers: "E20001".
Read with `open`: importlib.resources would cost more time than all else that a command does at its start.
"""

import os
from functools import cache
from typing import Final

_FOLDER: Final = os.path.dirname(__file__)
_FAMILIES: Final = ("RK", "E")


def page(code: str) -> str | None:
    """The Markdown text about `code`; None where there is none (also for what is no code at all)."""
    if not has_page(code):
        return None
    with open(os.path.join(_FOLDER, f"{code}.md"), encoding="utf-8") as file:
        return file.read()


def has_page(code: str) -> bool:
    return code.startswith(_FAMILIES) and code.isalnum() and os.path.exists(os.path.join(_FOLDER, f"{code}.md"))


@cache
def codes() -> tuple[str, ...]:
    """Every code that has a page, sorted."""
    pages = [name for name in os.listdir(_FOLDER) if name.startswith(_FAMILIES) and name.endswith(".md")]
    return tuple(sorted(name.removesuffix(".md") for name in pages))


def title(code: str) -> str:
    """The words after `# CODE:` on the page's first line; empty where there is no page."""
    text = page(code)
    return "" if text is None else text.split("\n", 1)[0].partition(":")[2].strip()
