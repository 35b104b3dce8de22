"""The documentation's pictures are what the tool draws today, and each is shown by a page."""

from pathlib import Path

import draw_pictures
import pytest

pytestmark = pytest.mark.once

DOCS = draw_pictures.FOLDER.parent


@pytest.mark.parametrize("source", draw_pictures.sources(), ids=lambda source: source.stem)
def test_a_picture_is_what_is_drawn_today(source: Path) -> None:
    assert source.with_suffix(".svg").read_text(encoding="utf-8") == draw_pictures.drawn(source)


def test_every_picture_is_on_a_page_and_has_its_source() -> None:
    pages = "".join(page.read_text(encoding="utf-8") for page in sorted(DOCS.rglob("*.md")))
    pictures = sorted(draw_pictures.FOLDER.glob("*.svg"))
    assert [one.name for one in pictures if f"pictures/{one.name})" not in pages] == []
    assert [one.stem for one in pictures] == [one.stem for one in draw_pictures.sources()]
    assert len(pictures) >= 14
