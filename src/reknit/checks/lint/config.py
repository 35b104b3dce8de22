"""What a project does not want to hear: `reknit.toml`, or `[tool.reknit.lint]` in `pyproject.toml`.

    ignore = ["RK3003"]                        nowhere in the project
    target = "sucf"                            what has to promise; without it each module's own modes

    [per-file-ignores]
    "shaders/old/*.comp" = ["RK3001"]          in these files; a path from the config file's folder

    [[suppress]]                               in one place, with the reason for it
    code = "RK3001"
    function = "main"                          optional: the function's name
    operation = "votes"                        optional: the operation's result name or opcode
    file = "shaders/*.comp"                    optional
    reason = "the driver of this console reconverges"

In reknit.toml these stand at the top, in pyproject.toml under [tool.reknit.lint]. What is not known is refused. A
suppression that suppressed nothing is reported (RK3021), so that none outlives its cause.
"""

import os
from fnmatch import fnmatchcase
from typing import Any, Final, final

from reknit.checks.lint.codes import CODES, TARGETS
from reknit.files.streams import as_text, read_bytes
from reknit.source.diagnostic import NOTE, Diagnostic, InputError
from reknit.source.place import Place

NAMES: Final = ("reknit.toml", "pyproject.toml")
KEYS: Final = ("ignore", "target", "per-file-ignores", "suppress")
SUPPRESS_KEYS: Final = ("code", "function", "operation", "file", "reason")
KNOWN: Final = tuple(each.code for each in CODES.values())


@final
class Suppression:
    """Empty texts match everything. `used` turns true with the first finding that it keeps back."""

    __slots__ = ("code", "file", "function", "operation", "where", "used")

    def __init__(self, code: str, file: str, function: str, operation: str, where: str) -> None:
        self.code = code
        self.file = file
        self.function = function
        self.operation = operation
        self.where = where
        self.used = False

    def matches(self, code: str, path: str, function: str, operation: tuple[str, ...]) -> bool:
        return (
            code == self.code
            and (not self.file or fnmatchcase(path, self.file))
            and (not self.function or self.function == function)
            and (not self.operation or self.operation in operation)
        )


@final
class Config:
    """`path` is the file it was read from, "" for none; `target` is one of TARGETS or ""."""

    __slots__ = ("path", "target", "suppressions")

    def __init__(self, path: str = "") -> None:
        self.path = path
        self.target = ""
        self.suppressions: list[Suppression] = []

    def suppresses(self, code: str, path: str, function: str, operation: tuple[str, ...]) -> bool:
        """Whether a finding is kept back; all suppressions that match count as used."""
        below = os.path.relpath(path, os.path.dirname(self.path) or ".") if self.path and path else path
        below = below.replace(os.sep, "/")
        suppressed = False
        for suppression in self.suppressions:
            if suppression.matches(code, below, function, operation):
                suppression.used = True
                suppressed = True
        return suppressed

    def unused(self) -> list[Diagnostic]:
        """A note for each suppression that has matched nothing so far."""
        notes: list[Diagnostic] = []
        for suppression in self.suppressions:
            if not suppression.used:
                message = f"{suppression.where} suppresses nothing: no finding has code {suppression.code} there"
                notes.append(Diagnostic("RK3021", message, Place(self.path), NOTE, help="take it out of the file"))
        return notes


def find_config(folder: str) -> str:
    """The config file of a folder: the closest reknit.toml, or pyproject.toml that has the table, in it or above; ""
    for none. Raises InputError where one can't be read."""
    current = os.path.abspath(folder)
    while True:
        for name in NAMES:
            path = os.path.join(current, name)
            if os.path.isfile(path) and (name == NAMES[0] or _table(path) is not None):
                return os.path.relpath(path)
        above = os.path.dirname(current)
        if above == current:
            return ""
        current = above


def read_config(path: str) -> Config:
    """Raises InputError (RK3020) for a file that can't be read, or has a key or value that is not known."""
    table = _table(path)
    if table is None:
        raise _wrong(path, "there is no table [tool.reknit.lint] in it")
    config = Config(path)
    _only(path, table, KEYS, "")
    for code in _codes(path, table.get("ignore", []), "ignore"):
        config.suppressions.append(Suppression(code, "", "", "", "ignore"))
    target = table.get("target", "")
    if target not in ("", *TARGETS):
        raise _wrong(path, f"target is {target!r}", f"one of {', '.join(TARGETS)}")
    config.target = target
    files = table.get("per-file-ignores", {})
    if not isinstance(files, dict):
        raise _wrong(path, "per-file-ignores is not a table of patterns")
    for pattern, codes in files.items():
        where = f'per-file-ignores."{pattern}"'
        for code in _codes(path, codes, where):
            config.suppressions.append(Suppression(code, pattern, "", "", where))
    entries = table.get("suppress", [])
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        raise _wrong(path, "suppress is not a list of tables", "write [[suppress]] above each")
    for number, entry in enumerate(entries, 1):
        config.suppressions.append(_suppression(path, entry, f"suppress number {number}"))
    return config


def _suppression(path: str, entry: dict[str, Any], where: str) -> Suppression:
    _only(path, entry, SUPPRESS_KEYS, f" of {where}")
    for key, value in entry.items():
        if not isinstance(value, str) or not value:
            raise _wrong(path, f"{key} of {where} is not a text")
    if "code" not in entry:
        raise _wrong(path, f"{where} has no code")
    code = _codes(path, [entry["code"]], where)[0]
    get = entry.get
    return Suppression(code, get("file", ""), get("function", ""), get("operation", "").removeprefix("%"), where)


def _table(path: str) -> dict[str, Any] | None:
    """The table of a config file; None for a pyproject.toml without one."""
    import tomllib

    try:
        table: Any = tomllib.loads(as_text(read_bytes(path), path))
    except ValueError as error:  # what is no TOML, and a number of more digits than Python converts
        raise _wrong(path, f"it is not TOML: {error}") from None
    except RecursionError:  # the standard library's parser has no bound of its own
        raise _wrong(path, "its values nest too deep") from None
    if os.path.basename(path) == NAMES[1]:
        for name in ("tool", "reknit", "lint"):
            table = table.get(name) if isinstance(table, dict) else None
    if table is not None and not isinstance(table, dict):
        raise _wrong(path, "tool.reknit.lint is not a table")
    return table


def _only(path: str, table: dict[str, Any], keys: tuple[str, ...], where: str) -> None:
    for key in table:
        if key not in keys:
            raise _wrong(path, f"'{key}'{where} is not known", f"keys: {', '.join(keys)}")


def _codes(path: str, given: Any, where: str) -> list[str]:
    if not isinstance(given, list) or not all(isinstance(code, str) for code in given):
        raise _wrong(path, f"{where} is not a list of codes", f"codes: {', '.join(KNOWN)}")
    for code in given:
        if code not in KNOWN:
            raise _wrong(path, f"{where} names {code!r}, which is no code of lint", f"codes: {', '.join(KNOWN)}")
    return given


def _wrong(path: str, message: str, help: str = "") -> InputError:
    return InputError([Diagnostic("RK3020", f"lint's configuration: {message}", Place(path), help=help)])
