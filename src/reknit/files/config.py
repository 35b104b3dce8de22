"""A project's configuration: `reknit.toml`, or the table [tool.reknit] of `pyproject.toml`, in a folder or above it, as
far as the repository or the home folder goes (`source.reading`).

    exclude = ["shaders/old"]         what several commands take: SHARED
    [lint]                            what one command takes, by its name: [tool.reknit.lint] in pyproject.toml
    target = "sucf"

The keys of a command are its long options. What is not known is refused, with the name that is nearest.
"""

import os
from collections.abc import Collection
from typing import Any, Final

from reknit.files.streams import as_text, read_bytes
from reknit.source.diagnostic import Diagnostic, InputError
from reknit.source.place import Place
from reknit.source.reading import folders_upward

NAMES: Final = ("reknit.toml", "pyproject.toml")
SHARED: Final = (
    "color", "max-seconds", "max-memory", "max-nodes", "sandbox",
    "define", "include", "conformance", "buffer-layout", "matrix-layout", "bit-fields", "stage", "target-env",
    "exclude", "extend-exclude", "respect-gitignore", "jobs", "cache", "cache-dir",
)  # fmt: skip
"""Keys at the top: options of several commands."""
LINT: Final = ("ignore", "target", "full-subgroups", "subgroup-sizes", "per-file-ignores", "suppress")
"""Keys of lint that may also be at the top."""
TABLES: Final = (
    "compile", "opt", "structurize", "run", "outcomes", "compare", "trace", "prove", "fuzz", "generate", "reduce",
    "show", "check", "lint", "batch", "devices", "doctor", "explain", "trust", "lsp",
    "completion",
)  # fmt: skip
"""Tables of commands."""

MAX_BYTES: Final = 1 << 20
"""Of a configuration."""
MAX_PARTS: Final = 64
"""Of the name of a table."""
MAX_DOTS: Final = 1 << 22
"""Dots of a line, squared, of all lines together: the standard library's parser builds each prefix of a dotted key."""

_MENTIONED: Final = b"reknit"


def find_config(folder: str) -> str:
    """The configuration of a folder: the closest reknit.toml, or pyproject.toml that has the table, in it or in one of
    the folders above that are its project's; "" for none. Raises InputError where one can't be read."""
    for each in folders_upward(os.path.abspath(folder)):
        for name in NAMES:
            path = os.path.join(each, name)
            if os.path.isfile(path) and (name == NAMES[0] or read_table(path) is not None):
                return os.path.relpath(path)
    return ""


def read_table(path: str) -> dict[str, Any] | None:
    """What a file configures; None for a pyproject.toml without the table. Raises InputError (RK0001, RK0008, RK3020)
    for a file that can't be read, and for a key or table at its top that is not known."""
    data = read_bytes(path)
    is_pyproject = os.path.basename(path) == NAMES[1]
    if is_pyproject and _MENTIONED not in data and b"\\" not in data:
        return None  # without a parser, as most have nothing to say here
    table = _parsed(path, data)
    if is_pyproject:
        for name in ("tool", "reknit"):
            table = table.get(name) if isinstance(table, dict) else None
    if table is None:
        return None
    if not isinstance(table, dict):
        raise wrong(path, "tool.reknit is not a table")
    only(path, table, (*SHARED, *LINT, *TABLES), "")
    for name in TABLES:
        if name in table and not isinstance(table[name], dict):
            raise wrong(path, f"{name} is not a table")
    return table


def command_table(path: str, table: dict[str, Any], name: str) -> dict[str, Any]:
    """What the table of a command says, and what of lint's is at the top. Raises InputError (RK3020) for a key in both
    places."""
    own: dict[str, Any] = dict(table.get(name, {}))
    if name == "lint":
        for key in LINT:
            if key in table and key in own:
                raise wrong(path, f"'{key}' is both at the top and in the table lint", "keep one of them")
            if key in table:
                own[key] = table[key]
    return own


def only(path: str, table: dict[str, Any], keys: Collection[str], where: str) -> None:
    """Raises InputError (RK3020) for a key that is none of these."""
    for key in table:
        if key not in keys:
            from difflib import get_close_matches

            near = get_close_matches(key, list(keys), 1)
            help = f"did you mean '{near[0]}'?" if near else f"keys: {', '.join(keys)}"
            if not where and not near:
                known = ", ".join((*SHARED, *LINT))
                help = f"keys outside of tables: {known}; others go into a command's table, as [lint]"
            raise wrong(path, f"'{key}'{where} is not known", help)


def wrong(path: str, message: str, help: str = "") -> InputError:
    """Of the configuration at `path`."""
    return InputError([Diagnostic("RK3020", f"configuration: {message}", Place(path), help=help)])


def _parsed(path: str, data: bytes) -> Any:
    import tomllib

    if len(data) > MAX_BYTES:
        raise wrong(path, f"it has {len(data)} bytes; the most is {MAX_BYTES}")
    if _has_long_keys(data):
        raise wrong(path, f"its keys have too many parts; the most is {MAX_PARTS} of a table's name")
    try:
        return tomllib.loads(as_text(data, path))
    except ValueError as error:
        from reknit.source.boundary import has_too_many_digits, too_many_digits

        if has_too_many_digits(error):
            raise too_many_digits(error, Place(path)) from None
        raise wrong(path, f"it is not TOML: {error}") from None
    except RecursionError:  # the standard library's parser has no bound of its own
        raise wrong(path, "its values nest too deep") from None


def _has_long_keys(data: bytes) -> bool:
    """Whether a table's name, or all dotted keys together, have more parts than parsing them is worth."""
    dots = 0
    for line in data.splitlines():
        count = line.count(b".")
        if count > MAX_PARTS:
            import re

            count = len(re.findall(rb"(?<!\.)\.(?!\.)", line))  # a row of dots is no key
            if count > MAX_PARTS and line.lstrip().startswith(b"["):
                return True
        dots += count * count
    return dots > MAX_DOTS
