"""Docstrings for compiled code: mypyc gives a function its signature and drops what the source says of it.

    src/reknit/ir/block.py --ast--> {"Block.phis": "The phis, ..."}
    __native_…block.c              {"phis", ..., PyDoc_STR("phis($self)\\n--\\n\\n")}
    documented/__native_…block.c   {"phis", ..., PyDoc_STR("phis($self)\\n--\\n\\nThe phis, ...")}

They become part of the C strings that Python takes docstrings from: ml_doc of functions and methods, tp_doc of
classes, m_doc of modules, doc of properties. So they cost nothing when the package is imported. mypyc is compiled
itself: what it writes can't be changed on the way, only afterwards. Its own files stay as they are, so that it sees
what changed.
"""

import ast
import inspect
import re
from typing import Final

Docstrings = dict[str, str]
"""The docstrings of a module by qualified name; its own under ""."""

ENTRY: Final = re.compile(
    r'\{"(?P<name>\w+)",\s*\(PyCFunction\)[^{}]*?PyDoc_STR\((?P<doc>NULL|"[^\n]*?\\n--\\n\\n")\)'
    r"(?P<function> /\* docstring \*/)?"
    r'|\{"(?P<property>\w+)",\n\s*\(getter\)\w+,\n\s*(?:NULL|\(setter\)\w+), ?\n?\s*(?P<blank>NULL), NULL\}'
    r'|\.tp_name = "(?P<class>\w+)"'
    r"|\.tp_doc = PyDoc_STR\((?P<about>NULL|\"[^\n]*?\\n--\\n\\n\")\)"
    r"|(?P<module>NULL), /\* docstring \*/"
)


def docstrings(source: str) -> Docstrings:
    """Of a module, its classes and functions, and the methods of its classes."""
    found: Docstrings = {}
    pending: list[tuple[str, ast.Module | ast.ClassDef | ast.FunctionDef]] = [("", ast.parse(source))]
    while pending:
        name, node = pending.pop()
        text = ast.get_docstring(node, clean=False)
        if text is not None:
            found[name] = inspect.cleandoc(text)
        if not isinstance(node, ast.FunctionDef):
            for part in node.body:
                if isinstance(part, ast.ClassDef | ast.FunctionDef):
                    pending.append((f"{name}.{part.name}" if name else part.name, part))
    return found


def documented(code: str, texts: Docstrings) -> str:
    """The C code of a module with its docstrings. A class's methods stand before its name."""
    edits: list[tuple[int, int, str]] = []
    methods: list[tuple[int, int, str]] = []  # of the class whose name is yet to come
    owner = ""

    def put(start: int, end: int, name: str) -> None:
        if name in texts:
            edits.append((start, end, with_text(code[start:end], texts[name])))

    for match in ENTRY.finditer(code):
        kind = match.lastgroup or ""
        if match["function"]:
            put(*match.span("doc"), match["name"])
        elif match["name"]:
            methods.append((*match.span("doc"), match["name"]))
        elif kind == "blank":
            methods.append((*match.span("blank"), match["property"]))
        elif kind == "class":
            owner = match["class"]
            for start, end, name in methods:
                put(start, end, f"{owner}.{name}")
            methods = []
        elif kind == "about":
            put(*match.span("about"), owner)
        elif kind == "module":
            put(*match.span("module"), "")
    edits.sort()
    parts: list[str] = []
    at = 0
    for start, end, text in edits:
        parts.extend([code[at:start], text])
        at = end
    return "".join([*parts, code[at:]])


def with_text(literal: str, text: str) -> str:
    """A C string literal, or NULL, with `text` at its end."""
    return (literal[:-1] if literal != "NULL" else '"') + "".join(map(escaped, text.encode())) + '"'


def escaped(byte: int) -> str:
    """A byte as a C string has it; `?` too, of which two begin a trigraph."""
    return chr(byte) if 32 <= byte < 127 and chr(byte) not in '"\\?' else f"\\{byte:03o}"
