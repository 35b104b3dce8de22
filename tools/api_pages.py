"""The page of the Python API, made from its docstrings; `tools/bless.py` writes it.

    reknit.__all__, reknit.edit.__all__, their signatures and docstrings  ->  docs/api.md

What a docstring shows behind `>>>` is an example on the page, which tests/unit/test_python_docs.py runs. Texts are read
from the sources, so that the page is the same whether reknit is compiled or not.
"""

import ast
import inspect
import sys
from pathlib import Path
from typing import Final

ROOT = Path(__file__).resolve().parent.parent
SOURCE = ROOT / "src"
PAGE = ROOT / "docs" / "api.md"
sys.path.append(str(SOURCE))

HEAD: Final = """# The Python API

This page is made by `python3 tools/bless.py` from the docstrings: it says what `help(reknit)` says.
[Your first pass](first-pass.md) and [Edits](edit.md) show how the parts go together.

"""

Definition = ast.FunctionDef | ast.ClassDef


def definitions(module: Path) -> dict[str, tuple[Definition, Path]]:
    """What a module defines or imports, by name, each with the file that defines it."""
    found: dict[str, tuple[Definition, Path]] = {}
    tree = ast.parse(module.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("reknit."):
            assert node.module is not None
            file = SOURCE / f"{node.module.replace('.', '/')}.py"
            for part in ast.parse(file.read_text(encoding="utf-8")).body if file.exists() else []:
                for alias in node.names:
                    if isinstance(part, ast.FunctionDef | ast.ClassDef) and part.name == alias.name:
                        found.setdefault(alias.asname or alias.name, (part, file))
    for part in tree.body:
        if isinstance(part, ast.FunctionDef | ast.ClassDef):
            found[part.name] = (part, module)
    return found


def exported(module: Path) -> list[str]:
    """The names in a module's `__all__`."""
    for node in ast.parse(module.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
            return [str(name) for name in ast.literal_eval(node.value)]
    raise AssertionError(f"{module} has no __all__")


def signature(node: ast.FunctionDef, name: str) -> str:
    """`run(module: Module, ...) -> Result`, on several lines where it is long."""
    copy = ast.parse(ast.unparse(node)).body[0]
    assert isinstance(copy, ast.FunctionDef)
    arguments = copy.args
    if arguments.args and arguments.args[0].arg == "self":
        arguments.args.pop(0)
    for argument in [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]:
        argument.annotation = plain(argument.annotation)
    texts = ast.unparse(arguments)
    returned = plain(node.returns)
    returns = ast.unparse(returned) if returned is not None else ""
    line = f"{name}({texts})" + (f" -> {returns}" if returns and returns != "None" else "")
    if len(line) <= 100:
        return line
    inner = "".join(f"    {part},\n" for part in split(texts))
    return f"{name}(\n{inner})" + (f" -> {returns}" if returns and returns != "None" else "")


def plain(annotation: ast.expr | None) -> ast.expr | None:
    """An annotation without the quotes that it may stand in."""
    if isinstance(annotation, ast.Constant) and isinstance(annotation.value, str):
        return ast.parse(annotation.value, mode="eval").body
    return annotation


def split(arguments: str) -> list[str]:
    """At commas outside of brackets."""
    parts = [""]
    depth = 0
    for sign in arguments:
        depth += (sign in "([{") - (sign in ")]}")
        if sign == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += sign
    return [part.strip() for part in parts]


def marked_up(text: str) -> list[str]:
    """A docstring as Markdown: statements behind `>>>` are a session, other indented lines a block of code."""
    lines: list[str] = []
    kind = ""
    for line in [*text.splitlines(), ""]:
        starts = "pycon" if line.startswith((">>>", "...")) else "text" if line.startswith("    ") else ""
        if kind == "pycon" and line:
            starts = "pycon"
        if kind and starts != kind and line:
            while lines[-1] == "":
                lines.pop()
            lines.extend(["```", ""])
            kind = ""
        elif kind == "pycon" and not line:
            lines.append("```")
            kind = ""
        if starts and not kind:
            lines.append(f"```{starts}")
            kind = starts
        lines.append(line[4:] if kind == "text" and line.startswith("    ") else line)
    while lines and lines[-1] == "":
        lines.pop()
    return [*lines, "```"] if kind else lines


def entry(name: str, node: Definition, level: str) -> list[str]:
    """A function, or a class with its public methods."""
    text = inspect.cleandoc(ast.get_docstring(node) or "")
    if isinstance(node, ast.FunctionDef):
        return [f"{level} {name}", "", "```python", signature(node, name), "```", "", *marked_up(text), ""]
    lines = [f"{level} {name}", "", *marked_up(text), ""]
    for part in node.body:
        if isinstance(part, ast.FunctionDef) and part.name == "__init__":
            lines[2:2] = ["```python", signature(part, name), "```", ""]
    methods = [part for part in node.body if isinstance(part, ast.FunctionDef) and not part.name.startswith("_")]
    for method in methods:
        about = inspect.cleandoc(ast.get_docstring(method) or "")
        said = f": {' '.join(about.split())}" if about else ""
        lines.append(f"- `{signature(method, method.name).replace(chr(10), ' ')}`{said}")
    return [*lines, ""] if methods else lines


def section(title: str, module: Path, intro: list[str]) -> list[str]:
    found = definitions(module)
    names = exported(module)
    functions = [name for name in names if name in found and isinstance(found[name][0], ast.FunctionDef)]
    functions.sort(key=lambda name: (str(found[name][1]), found[name][0].lineno))
    classes = [name for name in names if name in found and isinstance(found[name][0], ast.ClassDef)]
    lines = [f"## {title}", "", *intro, ""]
    for name in [*functions, *classes]:
        lines.extend(entry(name, found[name][0], "###"))
    missing = [name for name in names if name not in found]
    assert not missing, f"{module} exports what nothing defines: {missing}"
    return lines


def page() -> str:
    api = SOURCE / "reknit" / "__init__.py"
    edit = SOURCE / "reknit" / "edit.py"
    lines: list[str] = []
    for title, module in (("reknit", api), ("reknit.edit", edit)):
        text = ast.get_docstring(ast.parse(module.read_text(encoding="utf-8"))) or ""
        lines.extend(section(title, module, marked_up(text)))
    return HEAD + "\n".join(lines).rstrip() + "\n"
