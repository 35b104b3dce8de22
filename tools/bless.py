"""What the documentation's made parts would be today, to be read, then accepted: python3 tools/bless.py [--accept]

    README.md, docs/*.md     what the commands of console blocks print      tests/kit/text/console_blocks.py
                             and the statements of pycon blocks             tests/kit/text/python_blocks.py
    docs/api.md              the page of the API                            api_pages.py
    docs/passes.md           the page of passes                             pass_pages.py
    docs/pictures/*.svg      the pictures                                   draw_pictures.py
    tests/unit/passes/documents/*.md    what passes make of the texts       tests/kit/oracles/pass_document_refresh.py

Read the difference before you accept it: exit code 1 as long as there is one. Paths are the files to look at, without
them all of the documentation; a document of tests is looked at where it is named, and what it should be is derived by
hand first. Needs reknit, which is taken from src/ where it is not installed.
"""

import argparse
import difflib
import os
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SOURCE = ROOT / "src"
sys.path += [str(SOURCE), str(ROOT / "tests")]
os.environ["PYTHONPATH"] = os.pathsep.join([*filter(None, [os.environ.get("PYTHONPATH")]), str(SOURCE)])  # the commands

import api_pages  # noqa: E402
import draw_pictures  # noqa: E402
import pass_pages  # noqa: E402
from kit.oracles import pass_document_refresh  # noqa: E402
from kit.text import console_blocks, pass_documents, python_blocks  # noqa: E402


def made(path: Path) -> str:
    """The text that a file should have."""
    if path == pass_pages.PAGE:
        return pass_pages.page()
    if path == api_pages.PAGE:
        return api_pages.page()
    if path.parent == pass_documents.FOLDER:
        return pass_document_refresh.refreshed(path)
    if path.suffix == ".svg":
        return draw_pictures.drawn(path.with_suffix(".rk"))
    return python_blocks.refreshed(console_blocks.refreshed(path.read_text(encoding="utf-8")))


def paths() -> list[Path]:
    pictures = [source.with_suffix(".svg") for source in draw_pictures.sources()]
    return [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")), *pictures]


def main(words: list[str]) -> int:
    parser = argparse.ArgumentParser("bless.py", description="Show what the documentation's made parts would be today.")
    parser.add_argument("paths", metavar="PATH", nargs="*", type=Path, help="the files to look at; all are without")
    parser.add_argument("--accept", action="store_true", help="write them")
    given = parser.parse_args(words)
    wanted = [path.resolve() for path in given.paths] or paths()
    known = [*paths(), *pass_documents.documents()]
    for path in wanted:
        if path not in known:
            parser.error(f"{path}: nothing in it is made")
    different = 0
    for path in wanted:
        old = path.read_text(encoding="utf-8") if path.exists() else ""
        new = made(path)
        if new == old:
            continue
        different += 1
        name = str(path.relative_to(ROOT))
        sys.stdout.writelines(difflib.unified_diff(old.splitlines(True), new.splitlines(True), name, name))
        if given.accept:
            path.write_text(new, encoding="utf-8")
    return 1 if different and not given.accept else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
