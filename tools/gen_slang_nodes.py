"""Make the node classes of Slang's trees, src/reknit/front/slang/syntax.py and hir.py, from tools/slang_nodes.toml.

    [hir.Expr.values]                      @final
    Splat = ["value: Expr", "..."]         class Splat(Expr):
                                               __slots__ = ("value",)
                                               def __init__(self, at: int, type: Type, value: Expr) -> None: ...

    python tools/gen_slang_nodes.py            (after an edit of slang_nodes.toml)
    python tools/gen_slang_nodes.py --check    (exit code 1 if a file is not what it would be)
"""

import re
import sys
import tomllib
from pathlib import Path
from typing import Any

TOOLS = Path(__file__).resolve().parent
SLANG = TOOLS.parent / "src" / "reknit" / "front" / "slang"
TABLE = TOOLS / "slang_nodes.toml"
TREES = ("syntax", "hir")
WIDTH = 120
BUILTIN = {"int", "str", "bool", "float", "list", "dict", "None"}

Fields = list[tuple[str, str, str]]
"""Name, type and default ("" for none), in order."""


def fields(text: str) -> Fields:
    """`a: int, b: dict[str, int] = {}`. Raises ValueError for anything else."""
    found: Fields = []
    for part in re.split(r",\s*(?=\w+: )", " ".join(text.split())):
        if part:
            match = re.fullmatch(r"(\w+): ([^=]+?)(?: = (.+))?", part)
            if match is None:
                raise ValueError(f"'{part}' is no `name: type` or `name: type = value`")
            found.append((match[1], match[2], match[3] or ""))
    return found


class Node:
    def __init__(self, name: str, base: "Node | None", row: list[str]) -> None:
        text, _, given = row[0].partition(" -> ")
        own, _, later = text.partition(";")
        self.name = name
        self.base = base
        self.doc, self.code = [*row[1:], "", ""][:2]
        self.own = fields(own.strip())
        self.later = fields(later.strip())
        inherited = [] if base is None else base.all
        self.given = [each for each, _, _ in inherited]
        self.inherited = inherited
        if given:
            self.given = ["at", *(part.strip() for part in given.split(","))]
            if len(self.given) != len(inherited):
                raise ValueError(f"{name}: its base has {len(inherited)} fields, and {len(self.given)} are given")
            self.inherited = [field for field in inherited if field[0] in self.given]
        self.all: Fields = inherited + self.own + self.later
        names = [each for each, _, _ in self.all]
        for each in names:
            if names.count(each) > 1:
                raise ValueError(f"{name} has two fields `{each}`")

    def text(self, known: set[str], is_base: bool) -> str:
        """The class; names that are not among the `known` ones are quoted, since they come later."""
        base = "" if self.base is None else f"({self.base.name})"
        lines = [] if is_base else ["@final"]
        lines.append(f"class {self.name}{base}:")
        if self.doc:
            lines += [*indented(f'"""{self.doc.strip()}"""', 4), ""]
        slots = [each for each, _, _ in self.own + self.later]
        lines += wrapped("    __slots__ = (", [f'"{each}"' for each in slots], ")", len(slots) == 1)
        if slots:
            lines += ["", *self.init(known | {self.name})]
        if self.code:
            lines += ["", *indented(self.code.strip(), 4)]
        return "\n".join(lines) + "\n"

    def init(self, known: set[str]) -> list[str]:
        params = ["self"]
        for name, type, default in self.inherited + self.own:
            params.append(f"{name}: {quoted(type, known)}" + (f" = {python(default)}" if default else ""))
        lines = wrapped("    def __init__(", params, ") -> None:")
        if self.base is not None:
            lines.append(f"        super().__init__({', '.join(python(each) for each in self.given)})")
        lines += [f"        self.{name} = {name}" for name, _, _ in self.own]
        for name, type, value in self.later:
            plain = type in ("int", "str", "bool")
            lines.append(f"        self.{name}{'' if plain else f': {type}'} = {python(value)}")
        return lines


def python(value: str) -> str:
    return value.replace("'", '"')


def quoted(type: str, known: set[str]) -> str:
    return type if set(re.findall(r"\w+", type)) <= known | BUILTIN else f'"{type}"'


def indented(text: str, by: int) -> list[str]:
    return [" " * by + line if line else "" for line in text.split("\n")]


def wrapped(start: str, parts: list[str], end: str, comma: bool = False) -> list[str]:
    """On one line, on one between the brackets, or on a line each, whatever fits."""
    inside = ", ".join(parts) + ("," if comma else "")
    if len(start + inside + end) <= WIDTH:
        return [start + inside + end]
    indent = " " * (len(start) - len(start.lstrip()))
    if len(indent) + 4 + len(inside) <= WIDTH:
        return [start, f"{indent}    {inside}", indent + end]
    return [start, *(f"{indent}    {part}," for part in parts), indent + end]


def nodes(tree: dict[str, Any]) -> list[Node]:
    """The tree's nodes, those first that others are derived from. Raises ValueError for a table that can't be meant."""
    found: dict[str, Node] = {}
    groups = [(base, rows) for base, each in tree.items() if isinstance(each, dict) for rows in each.values()]
    while groups:
        left = []
        for base, rows in groups:
            if base != "alone" and base not in found:
                left.append((base, rows))
                continue
            for name, row in rows.items():
                if name in found:
                    raise ValueError(f"there are two {name}")
                found[name] = Node(name, found.get(base), row)
        if len(left) == len(groups):
            raise ValueError(f"there is no {left[0][0]} that nodes could be derived from")
        groups = left
    return list(found.values())


def module(name: str, tree: dict[str, Any]) -> str:
    made = nodes(tree)
    bases = {node.base.name for node in made if node.base is not None}
    late = tree["late"].strip()
    lines = [f'"""{tree["doc"].strip()}', "", f"Generated by tools/gen_slang_nodes.py from tools/{TABLE.name}."]
    lines += ['"""', "", f"from typing import {'TYPE_CHECKING, final' if late else 'final'}", ""]
    if tree["imports"]:
        lines += [tree["imports"], ""]
    if late:
        lines += ["if TYPE_CHECKING:", *indented(late, 4), ""]
    known = set(re.findall(r"\w+", tree["imports"].partition(" import ")[2]))
    texts = []
    for node in made:
        texts.append(node.text(known, node.name in bases))
        known.add(node.name)
    return "\n".join(lines) + "\n\n" + "\n\n".join(texts)


def modules(text: str) -> dict[Path, str]:
    """What each file holds."""
    table = tomllib.loads(text)
    return {SLANG / f"{name}.py": module(name, table[name]) for name in TREES}


def main(arguments: list[str]) -> int:
    if arguments not in ([], ["--check"]):
        print("usage: gen_slang_nodes.py [--check]", file=sys.stderr)
        return 2
    stale = 0
    for path, text in modules(TABLE.read_text()).items():
        if not arguments:
            path.write_text(text)
        elif not path.exists() or path.read_text() != text:
            print(f"{path.name} is not what tools/{TABLE.name} says: run tools/gen_slang_nodes.py", file=sys.stderr)
            stale = 1
    return stale


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
