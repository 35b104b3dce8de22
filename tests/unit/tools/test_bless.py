"""What is made of the documentation is shown where it differs, and written only when that is accepted."""

from pathlib import Path

import bless
import draw_pictures
import pass_pages
import pytest

pytestmark = pytest.mark.once

CIRCLE = "func @main() -> void {\n  return\n}\n"
PAGE = "# Page\n\n```console\n$ reknit explain RK0001x\nold\n```\n"


@pytest.fixture
def docs(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A documentation with a page and a picture that are old."""
    folder = tmp_path / "docs"
    (folder / "pictures").mkdir(parents=True)
    (tmp_path / "README.md").write_text("nothing is made here\n")
    (folder / "page.md").write_text(PAGE)
    (folder / "pictures" / "a.rk").write_text(CIRCLE)
    monkeypatch.setattr(bless, "ROOT", tmp_path)
    monkeypatch.setattr(draw_pictures, "FOLDER", folder / "pictures")
    monkeypatch.setattr(pass_pages, "PAGE", folder / "passes.md")
    return folder


def test_the_difference_is_shown_and_nothing_is_written(docs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert bless.main([]) == 1
    shown = capsys.readouterr().out
    assert "-old\n" in shown and "+" in shown
    assert "docs/pictures/a.svg" in shown
    assert (docs / "page.md").read_text() == PAGE
    assert not (docs / "pictures" / "a.svg").exists()


def test_what_is_accepted_is_written_and_then_is_the_same(docs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert bless.main(["--accept", str(docs / "page.md")]) == 0
    assert "there is no code" in (docs / "page.md").read_text()
    assert not (docs / "pictures" / "a.svg").exists()  # it was not asked for
    assert bless.main(["--accept"]) == 0
    capsys.readouterr()
    assert bless.main([]) == 0
    assert capsys.readouterr().out == ""


def test_a_file_in_which_nothing_is_made(docs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        bless.main([str(docs / "other.md")])
    assert "other.md: nothing in it is made" in capsys.readouterr().err
