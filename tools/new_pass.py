"""Begin a pass: python3 tools/new_pass.py NAME "what it does, in one line" [--folder ifs]

    src/reknit/passes/[ifs/]NAME.py             a pass that changes nothing yet, with room for its picture
    src/reknit/passes/catalog.py                its place at the end of the list
    tests/unit/passes/documents/NAME.md         a program before and after, which fails until the pass does something

Then `python3 tools/bless.py --accept docs/passes.md` gives it a section there. Nothing that exists is overwritten.
"""

import argparse
import re
import sys
from pathlib import Path
from typing import Final

ROOT = Path(__file__).resolve().parent.parent

PASS: Final = '''"""{sentence}

    before                    after
                      =>

No tangle changes: why.
"""

from typing import Final

from reknit.ir.function import Function
from reknit.passes.contract import STRUCTURED, Context, Pass


def {function}(function: Function, context: Context) -> bool:
    """Whether anything changed. Costs what?"""
    return False


{constant}: Final = Pass(
    "{name}",
    "{summary}",
    {function},
    needs=(STRUCTURED,),
)
'''

TEST: Final = """# {name}

{sentence} What is expected is derived by hand.

## What this section shows

```rk before
%c = ULessThan %lane, 2u : bool
if %c {{ SEE 1 }}
return
```
```rk after
write here what it becomes
```
"""


def main(words: list[str]) -> int:
    parser = argparse.ArgumentParser("new_pass.py", description="Begin a pass: its file, its test, its place.")
    parser.add_argument("name", metavar="NAME", help="verb first, as in merge-ifs")
    parser.add_argument("summary", metavar="SUMMARY", help="what it does, in one line, as `opt --list-passes` shows it")
    parser.add_argument("--folder", default="", help="the folder of src/reknit/passes that it belongs to")
    given = parser.parse_args(words)
    if re.fullmatch(r"[a-z][a-z0-9]*(-[a-z0-9]+)*", given.name) is None:
        parser.error(f"'{given.name}' is not of the form verb-noun")
    file = given.name.replace("-", "_")
    parts = {
        "name": given.name,
        "summary": given.summary.rstrip("."),
        "sentence": f"{given.summary[:1].upper()}{given.summary[1:].rstrip('.')}.",
        "function": file,
        "constant": file.upper(),
    }
    source = ROOT / "src" / "reknit" / "passes" / given.folder / f"{file}.py"
    test = ROOT / "tests" / "unit" / "passes" / "documents" / f"{given.name}.md"
    for path in (source, test):
        if path.exists() or not path.parent.is_dir():
            parser.error(f"{path.relative_to(ROOT)}: {'is there already' if path.exists() else 'no such folder'}")
    module = ".".join([*Path(given.folder).parts, file])
    list_it(ROOT / "src" / "reknit" / "passes" / "catalog.py", given.name, module)
    source.write_text(PASS.format(**parts), encoding="utf-8")
    test.write_text(TEST.format(**parts), encoding="utf-8")
    for path in (source, test):
        print(f"{path.relative_to(ROOT)} written")
    return 0


def list_it(catalog: Path, name: str, module: str) -> None:
    """Put it at the end of MODULES."""
    lines = catalog.read_text(encoding="utf-8").splitlines()
    lines.insert(lines.index("}"), f'    "{name}": "{module}",')
    catalog.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
