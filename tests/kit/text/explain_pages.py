"""The pages of diagnostic codes by section, and their examples.

    sections("E30019")["Why it is wrong"]        the text below that heading
    examples("E30019", "slang")                  (what fails, what passes): the first block of each section's examples
"""

import re
from typing import Final

from reknit.source import explain

SECTIONS: Final = ["What it does", "Why it is wrong", "Example that fails", "Example that passes"]


def sections(code: str) -> dict[str, str]:
    """By heading, in the order of the page."""
    page = explain.page(code)
    assert page is not None
    parts = re.split(r"^## (.*)\n", page, flags=re.M)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def examples(code: str, language: str) -> tuple[str, str]:
    fails, passes = [
        re.findall(rf"^```{language}\n(.*?)\n```$", sections(code)[name], re.M | re.S) for name in SECTIONS[2:]
    ]
    assert len(fails) == len(passes) == 1
    return fails[0], passes[0]
