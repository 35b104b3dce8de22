"""What a project does not want to hear: the table `lint` of its configuration (`files.config`).

    ignore = ["RK3003"]                        nowhere in the project
    target = "sucf"                            what has to promise; without it each module's own modes
    full-subgroups = true                      how the shaders are launched (`launch`)
    subgroup-sizes = [32, 64]

    [per-file-ignores]
    "shaders/old/*.comp" = ["RK3001"]          in these files; a path from the config file's folder

    [[suppress]]                               in one place, with the reason for it
    code = "RK3001"
    function = "main"                          optional: the function's name
    operation = "votes"                        optional: the operation's result name or opcode
    file = "shaders/*.comp"                    optional
    reason = "the driver of this console reconverges"

These may also be at the top. What is not known is refused. A suppression that suppressed nothing is reported (RK3021),
so that none outlives its cause.
"""

import os
from typing import Any, Final, final

from reknit.checks.lint.codes import CODES, OPEN, REPACKING, TARGETS
from reknit.checks.lint.launch import SIZES, Launch
from reknit.files.config import LINT, SHARED, command_table, only, read_table, wrong
from reknit.source.diagnostic import NOTE, Diagnostic
from reknit.source.place import Place

OPTIONS: Final = (*SHARED, "entry", "format", "from", "baseline", "write-baseline", "fix", "diff", "unsafe-fixes")
"""Other keys of the table: options of the command."""
SUPPRESS_KEYS: Final = ("code", "function", "operation", "file", "reason")
SUPPRESSIONS: Final = "suppressions"
"""What a worker calls the numbers of those that it used."""
KNOWN: Final = (*(each.code for each in CODES.values()), REPACKING, OPEN)


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
            and (not self.file or _fits(path, self.file))
            and (not self.function or self.function == function)
            and (not self.operation or self.operation in operation)
        )


def _fits(path: str, pattern: str) -> bool:
    from fnmatch import fnmatchcase

    return fnmatchcase(path, pattern)


@final
class Config:
    """`path` is the file it was read from, "" for none; `target` is one of TARGETS or "". `rules` are those by
    which was judged so far, where an operation depends on them."""

    __slots__ = ("path", "target", "launch", "suppressions", "rules")

    def __init__(self, path: str = "") -> None:
        self.path = path
        self.target = ""
        self.launch = Launch()
        self.suppressions: list[Suppression] = []
        self.rules: dict[str, None] = {}

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

    def used(self) -> list[int]:
        """The numbers of the suppressions that matched something."""
        return [number for number, suppression in enumerate(self.suppressions) if suppression.used]

    def use(self, numbers: list[int]) -> None:
        """These matched something, in another process that read the same file."""
        for number in numbers:
            self.suppressions[number].used = True

    def unused(self) -> list[Diagnostic]:
        """A note for each suppression that has matched nothing so far."""
        notes: list[Diagnostic] = []
        for suppression in self.suppressions:
            if not suppression.used:
                message = f"{suppression.where} suppresses nothing: no finding has code {suppression.code} there"
                notes.append(Diagnostic("RK3021", message, Place(self.path), NOTE, help="take it out of the file"))
        return notes


def read_config(path: str) -> Config:
    """Raises InputError (RK3020) for a file that can't be read, or has a key or value that is not known."""
    file = read_table(path)
    if file is None:
        raise wrong(path, "there is no table [tool.reknit] in it")
    config = Config(path)
    table = command_table(path, file, "lint")
    only(path, table, (*LINT, *OPTIONS), " of the table lint")
    for code in _codes(path, table.get("ignore", []), "ignore"):
        config.suppressions.append(Suppression(code, "", "", "", "ignore"))
    target = table.get("target", "")
    if target not in ("", *TARGETS):
        raise wrong(path, f"target is {target!r}", f"one of {', '.join(TARGETS)}")
    config.target = target
    config.launch = _launch(path, table)
    files = table.get("per-file-ignores", {})
    if not isinstance(files, dict):
        raise wrong(path, "per-file-ignores is not a table of patterns")
    for pattern, codes in files.items():
        where = f'per-file-ignores."{pattern}"'
        for code in _codes(path, codes, where):
            config.suppressions.append(Suppression(code, pattern, "", "", where))
    entries = table.get("suppress", [])
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        raise wrong(path, "suppress is not a list of tables", "write [[suppress]] above each")
    for number, entry in enumerate(entries, 1):
        config.suppressions.append(_suppression(path, entry, f"suppress number {number}"))
    return config


def _launch(path: str, table: dict[str, Any]) -> Launch:
    full = table.get("full-subgroups", False)
    if not isinstance(full, bool):
        raise wrong(path, "full-subgroups is neither true nor false")
    sizes = table.get("subgroup-sizes", list(SIZES))
    if not isinstance(sizes, list) or not sizes or not all(type(size) is int and size in SIZES for size in sizes):
        raise wrong(path, "subgroup-sizes is not a list of sizes", "powers of two, from 1 to 128")
    return Launch(full, tuple(sorted(set(sizes))))


def _suppression(path: str, entry: dict[str, Any], where: str) -> Suppression:
    only(path, entry, SUPPRESS_KEYS, f" of {where}")
    for key, value in entry.items():
        if not isinstance(value, str) or not value:
            raise wrong(path, f"{key} of {where} is not a text")
    if "code" not in entry:
        raise wrong(path, f"{where} has no code")
    code = _codes(path, [entry["code"]], where)[0]
    get = entry.get
    return Suppression(code, get("file", ""), get("function", ""), get("operation", "").removeprefix("%"), where)


def _codes(path: str, given: Any, where: str) -> list[str]:
    if not isinstance(given, list) or not all(isinstance(code, str) for code in given):
        raise wrong(path, f"{where} is not a list of codes", f"codes: {', '.join(KNOWN)}")
    for code in given:
        if code not in KNOWN:
            raise wrong(path, f"{where} names {code!r}, which is no code of lint", f"codes: {', '.join(KNOWN)}")
    return given
