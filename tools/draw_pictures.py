"""The pictures of the documentation, made by reknit itself; `tools/bless.py` writes them.

    docs/pictures/NAME.rk  ->  docs/pictures/NAME.svg      the control-flow graph of each function in it

Needs reknit, which is taken from src/ where it is not installed.
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
