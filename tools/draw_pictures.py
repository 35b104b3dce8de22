"""The pictures of the documentation, made by reknit itself: python3 tools/draw_pictures.py [--check]

    docs/pictures/NAME.rk  ->  docs/pictures/NAME.svg      the control-flow graph of each function in it

--check writes nothing: it names the pictures that are not what would be drawn today, with exit code 1. Needs reknit,
which is taken from src/ where it is not installed.
"""

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "docs" / "pictures"
sys.path.append(str(ROOT / "src"))

from reknit.ir.text.parser import parse  # noqa: E402
from reknit.view.graph_picture import graphs_svg  # noqa: E402

WITH_FAKE_EDGES = ("no-way-back",)  # those that are about what post-dominance invents


def sources() -> list[Path]:
    return sorted(FOLDER.glob("*.rk"))


def drawn(source: Path) -> str:
    """The picture of a file, as SVG."""
    module = parse(source.read_text(encoding="utf-8"), source.name)
    return graphs_svg(module.functions, source.stem in WITH_FAKE_EDGES)


def main(words: list[str]) -> int:
    old = 0
    for source in sources():
        picture = source.with_suffix(".svg")
        text = drawn(source)
        if picture.exists() and picture.read_text(encoding="utf-8") == text:
            continue
        old += 1
        if "--check" in words:
            print(f"{picture.relative_to(ROOT)} is not what tools/draw_pictures.py draws")
        else:
            picture.write_text(text, encoding="utf-8")
            print(f"{picture.relative_to(ROOT)} drawn")
    return 1 if old and "--check" in words else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
