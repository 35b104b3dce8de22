"""The ```pycon blocks of a Markdown page: one session of Python for the page, each statement with what it prints.

    >>> 1 + 1
    2

`python3 tools/bless.py PAGE` shows what they print now, and writes it when told.
"""

import contextlib
import doctest
import io
import os
import re
import sys
import tempfile
from pathlib import Path

from kit.text.console_blocks import furnish
from kit.text.pages import files

BLOCK = re.compile(r"^```pycon\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def examples(text: str) -> list[doctest.Example]:
    """The statements of all blocks, in the page's order."""
    return [example for match in BLOCK.finditer(text) for example in doctest.DocTestParser().get_examples(match[1])]


def printed(text: str) -> list[tuple[doctest.Example, str]]:
    """Each statement with what it prints: run in a folder of its own, beside the examples."""
    found: list[tuple[doctest.Example, str]] = []
    names: dict[str, object] = {"__name__": "__main__"}
    here = os.getcwd()
    with tempfile.TemporaryDirectory() as folder:
        furnish(Path(folder))
        for name, contents in files(text).items():
            Path(folder, name).parent.mkdir(parents=True, exist_ok=True)
            Path(folder, name).write_text(contents, encoding="utf-8")
        os.chdir(folder)
        before = set(sys.modules)
        sys.path.insert(0, folder)  # a file of the page can be imported, as it can where Python is typed
        try:
            for example in examples(text):
                out = io.StringIO()
                with contextlib.redirect_stdout(out):
                    try:
                        exec(compile(example.source, "<page>", "single"), names)
                    except Exception as error:
                        if example.exc_msg is None:
                            raise
                        kind = type(error)
                        place = "" if kind.__module__ == "builtins" else f"{kind.__module__}."
                        print(f"Traceback (most recent call last):\n    ...\n{place}{kind.__qualname__}: {error}")
                found.append((example, out.getvalue()))
        finally:
            os.chdir(here)
            sys.path.remove(folder)
            for name in set(sys.modules) - before:
                if str(getattr(sys.modules[name], "__file__", "")).startswith(folder):
                    del sys.modules[name]
    return found


def refreshed(text: str) -> str:
    """The page with what its statements print now."""
    results = iter(printed(text))

    def block(match: re.Match[str]) -> str:
        lines = ["```pycon\n"]
        for _ in doctest.DocTestParser().get_examples(match[1]):
            example, output = next(results)
            source = example.source.splitlines(True)
            lines.append(f">>> {source[0]}")
            lines.extend([f"... {line}" if line.strip() else "...\n" for line in source[1:]])
            if source[0].endswith(":\n") or source[0].startswith(("def ", "class ", "@", "for ", "with ")):
                lines.append("...\n")
            lines.append(output)
        return "".join(lines) + "```"

    return BLOCK.sub(block, text)
