"""Messages and pages speak the language of the field: the words that docs/glossary.md replaces are refused in them.

Looked at are the texts in the sources, the pages of diagnostics, and the documentation, without code: blocks, and what
stands between backticks. Comments, docstrings and names of variables have a shorter list.
"""

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest
from kit import ROOT

SOURCE: Final = ROOT / "src" / "reknit"
EXAMPLE_PAGE: Final = "src/reknit/source/explain/RK1234.md"
GUIDE: Final = ROOT / "CONTRIBUTING.md"
EXPLAIN: Final = (SOURCE / "source" / "explain").glob("*.md")
PAGES: Final = sorted([*EXPLAIN, *(ROOT / "docs").rglob("*.md"), ROOT / "README.md", GUIDE])
GLOSSARY: Final = ROOT / "docs" / "glossary.md"
CODE: Final = re.compile(r"^```.*?^```|^(?: {4}|\t).*?$|`[^`\n]*`|\]\([^)]*\)", re.M | re.S)
ROW: Final = re.compile(r"^\| *(.+?) *\| *(.+?) *\|$", re.M)


def replaced() -> dict[str, str]:
    """The second table of the glossary: a word that is not used, and what is said for it."""
    table = GLOSSARY.read_text().partition("## Replaced words")[2]
    rows = [(word, said) for word, said in ROW.findall(table) if not word.startswith(("not", "---"))]
    return {word: said for words, said in rows for word in words.split(", ")}


REPLACED: Final = replaced()
REFUSED: Final = re.compile(rf"\b({'|'.join(map(re.escape, sorted(REPLACED, key=len, reverse=True)))})\b", re.I)


def refused(text: str) -> list[str]:
    return [match[0].lower() for match in REFUSED.finditer(re.sub(r"\s+", " ", text))]


PERSONS: Final = re.compile(r"\b(who|whom|whoever|nobody|anybody|somebody|everybody|anyone|everyone|told)\b", re.I)
"""In comments and docstrings: lanes, invocations and code are no persons, and what is wrong is reported."""

NAMES: Final = re.compile(r"^ *(?:for |with .* as )?((?:self\.)?_?(?:made|found|told))\b *(?:[:=,]|in )", re.M)
"""A variable is named after what it holds."""


def remarks(text: str) -> Iterator[str]:
    """Comments and docstrings, without what they quote."""
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        is_docstring = token.type == tokenize.STRING and token.string.startswith(('"""', 'r"""'))
        if token.type == tokenize.COMMENT or is_docstring:
            yield re.sub(r'"[^"]+"|`[^`]*`', "", token.string.strip('r"'))


def messages(file: Path) -> Iterator[Any]:
    """Every text in a source file that is neither documentation nor a single word."""
    tree = ast.parse(file.read_text())
    texts = [node for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)]
    documentation = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    yield from (node.value for node in texts if id(node) not in documentation and " " in str(node.value))


def test_the_glossary_says_what_to_say() -> None:
    assert len(REPLACED) > 20
    assert refused("It is told by\nwhoever waits") == ["told", "whoever"]
    assert refused("apart from names") == []


def test_messages() -> None:
    wrong = {
        str(file.relative_to(SOURCE)): found
        for file in sorted(SOURCE.rglob("*.py"))
        if (found := [word for text in messages(file) for word in refused(text)])
    }
    assert wrong == {}


def test_comments_and_docstrings() -> None:
    assert PERSONS.findall("A lane that nobody waits for") == ["nobody"]
    wrong: dict[str, list[str]] = {}
    for file in sorted(SOURCE.rglob("*.py")):
        text = file.read_text()
        said = [word for remark in remarks(text) for word in PERSONS.findall(remark)] if PERSONS.search(text) else []
        if said:
            wrong[str(file.relative_to(SOURCE))] = said
    assert wrong == {}


def test_names() -> None:
    assert NAMES.findall("    self.made: list[int]\n    for found in x:\n    found_at = 1\n") == ["self.made", "found"]
    files = sorted(SOURCE.rglob("*.py"))
    assert {str(file.relative_to(SOURCE)): said for file in files if (said := NAMES.findall(file.read_text()))} == {}


@pytest.mark.parametrize("page", [page for page in PAGES if page != GLOSSARY], ids=lambda page: page.stem)
def test_pages(page: Path) -> None:
    assert refused(CODE.sub(" ", page.read_text())) == []


def test_the_guide_names_files_that_there_are() -> None:
    named = re.findall(r"`((?:src|tests|tools|docs)/[\w./-]+)`", GUIDE.read_text())
    missing = [path for path in named if not (ROOT / path).exists()]
    sink_loads = ["src/reknit/passes/values/sink_loads.py", "tests/unit/passes/documents/sink-loads.md"]
    assert missing == [*sink_loads, EXAMPLE_PAGE]
