"""The page of passes in the documentation, made from the catalog; `tools/bless.py` writes it.

    passes/catalog.py, passes/pipelines.py, each pass's module text  ->  docs/passes.md

Needs reknit, which is taken from src/ where it is not installed.
"""

import ast
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "passes.md"
sys.path.append(str(ROOT / "src"))

from reknit.passes.catalog import MODULES, PASSES  # noqa: E402
from reknit.passes.contract import Option, Pass  # noqa: E402
from reknit.passes.pipelines import PIPELINES  # noqa: E402

HEAD = """# Passes

This page is made by `python3 tools/bless.py` from the passes themselves; `reknit opt --list-passes` prints the short
form. A pass edits one function at a time, and none changes tangles: which invocations run together where that can be
known. *Needs* must hold before a pass, *gives* holds after it, *loses* no longer does; the order of a pipeline is
checked before it runs. Examples are code before and after, as a rule in the text form.

| pass | what it does |
|---|---|
"""


def texts() -> dict[str, str]:
    """The text at the head of each pass's module, by the pass's name. Compiled modules are read from their sources."""
    found: dict[str, str] = {}
    for name, module in MODULES.items():
        source = ROOT / "src" / "reknit" / "passes" / f"{module.replace('.', '/')}.py"
        found[name] = ast.get_docstring(ast.parse(source.read_text(encoding="utf-8")), clean=False) or ""
    return found


def marked_up(text: str) -> list[str]:
    """A module's text as Markdown: what is indented is an example, if it doesn't belong to a list."""
    lines: list[str] = []
    fenced = False
    for line in text.strip("\n").splitlines():
        indented = line.startswith("    ")
        in_list = bool(lines) and lines[-1] != "" and not fenced
        if indented and not in_list and not fenced:
            lines.append("```text")
            fenced = True
        if fenced and line and not indented:
            while lines[-1] == "":
                lines.pop()
            lines += ["```", ""]
            fenced = False
        lines.append(line[4:] if indented else line.strip())
    if fenced:
        lines.append("```")
    return lines


def option_row(option: Option) -> str:
    default = str(option.default).lower() if isinstance(option.default, bool) else str(option.default)
    choices = f" ({', '.join(f'`{choice}`' for choice in option.choices)})" if option.choices else ""
    return f"| `{option.name}` | `{default}` | {option.help}{choices} |".replace("`` |", "(none) |")


def section(transform: Pass, text: str) -> list[str]:
    lines = [f"## {transform.name}", "", f"{transform.summary[:1].upper()}{transform.summary[1:]}.", ""]
    for title, facts in (("needs", transform.needs), ("gives", transform.gives), ("loses", transform.loses)):
        if facts:
            lines.append(f"- {title}: {', '.join(facts)}")
    if lines[-1]:
        lines.append("")
    if transform.options:
        lines += ["| option | default | |", "|---|---|---|", *[option_row(one) for one in transform.options], ""]
    return [*lines, *marked_up(text), ""]


def page() -> str:
    found = texts()
    lines = [f"| [{one.name}](#{one.name}) | {one.summary} |" for one in PASSES]
    lines += ["", "| pipeline | its passes |", "|---|---|"]
    lines += [f"| {name} | {', '.join(passes)} |" for name, passes in PIPELINES.items()]
    lines.append("")
    for transform in PASSES:
        lines += section(transform, found[transform.name])
    return HEAD + "\n".join(lines)
