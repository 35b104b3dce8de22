"""Options that a project's configuration gives: what the command line says goes first.

    define = ["QUALITY=2"]      ──▶  -D QUALITY=2        for every command that has the option
    [run]
    subgroup-size = 8           ──▶  --subgroup-size 8   for this one

A key is an option's long name. Lists of `define`, `include`, `extend-exclude` and `conformance` add to those of the
command line, others give way to it. Paths, and patterns with a slash, are from the folder of the file.

Most of a file is data, and always used. What names code (a pass by its file, a library, a program, a command, a
cluster), and places outside of the file's folder, is used where the user allowed it (`files.trust`), else ignored with
a note (RK0024).
"""

import glob
import os
import re
import shlex
from argparse import Action, ArgumentTypeError, Namespace
from typing import Any, Final

from reknit.cli.misuse import misuse
from reknit.cli.parser import Parser, parse_words
from reknit.cli.terminal import complain
from reknit.files.config import LINT, SHARED, command_table, find_config, only, read_table, wrong
from reknit.files.formats import THROUGH
from reknit.files.trust import NOT_ALLOWED, code_not_own, why_not
from reknit.source.diagnostic import NOTE, Diagnostic, InputError
from reknit.source.place import Place

PATHS: Final = (
    "include", "baseline", "cache-dir", "report", "state", "scene", "with", "certificate", "svg", "dump-dot", "explore",
)  # fmt: skip
"""Keys of files and folders."""
PROGRAMS: Final = ("if", "bisect-if", "cluster", "libvulkan")
"""Keys of what is run: commands, the scheduler of a cluster, whose messages are Python's pickles, and a library."""
PASS_FILE: Final = re.compile(r"([^\s,{}=][^,{}=]*\.py):")
"""The file of a pass in a pipeline."""
SET_FILE: Final = re.compile(r"([=:]@)(.+)", re.S)
"""The file of a buffer or an image in --set."""
PATTERNS: Final = ("exclude", "extend-exclude")
ADDED: Final = ("define", "include", "extend-exclude", "conformance")
UNSET: Final = ("help", "config", "no-config", "root", "crash-files")
"""Options that no file gives: of these the last two would widen what --sandbox allows."""


def parse_configured(parser: Parser, name: str, arguments: list[str], named: str) -> Namespace:
    """The options of a command, with what the file `named` or the one that is found says. `config` is its path, or
    None. Raises Misuse (RK0001, RK0008, RK3020)."""
    try:
        path = named or find_config(os.getcwd())
        given = given_by(parser, name, path) if path else {}
        if not named and "--sandbox" in arguments:
            given = {}  # what lies around untrusted inputs may be untrusted, too
        ignored = _leave_out(path, given, bool(named)) if given else None
    except InputError as error:
        raise misuse(error) from None
    if ignored is not None:
        complain([ignored], "concise")
    lists = {action.dest: (key, value) for key, (action, value) in given.items() if isinstance(value, list)}
    parser.set_defaults(**{action.dest: value for action, value in given.values() if not isinstance(value, list)})
    options = parse_words(parser, arguments)
    for dest, (key, value) in lists.items():
        said: list[str] = getattr(options, dest) or []
        if key == "include":  # what is looked at first
            value = [*said, *value]
        elif key in ADDED:
            value = [*value, *said]
        elif said:
            value = said
        setattr(options, dest, value)
    options.config = path or None
    return options


def keys_of(parser: Parser) -> dict[str, Action]:
    """The options that a file may give, by their keys."""
    keys: dict[str, Action] = {}
    for action in parser.actions():
        names = [word[2:] for word in action.option_strings if word.startswith("--")]
        takes = type(action).__name__ in ("_StoreAction", "_StoreTrueAction", "_AppendAction", "BooleanOptionalAction")
        if names and takes and names[0] not in UNSET and "=" not in names[0]:
            keys[names[0]] = action
    return keys


def given_by(parser: Parser, name: str, path: str) -> dict[str, tuple[Action, Any]]:
    """By key: the option and its value, as the file at `path` gives them to a command. Raises InputError (RK3020)."""
    table = read_table(path)
    if table is None:
        raise wrong(path, "there is no table [tool.reknit] in it")
    keys = keys_of(parser)
    own = command_table(path, table, name)
    only(path, own, [*keys, *LINT] if name == "lint" else list(keys), f" of the table {name}")
    given = {key: value for key, value in table.items() if key in SHARED and key in keys}
    given.update({key: value for key, value in own.items() if not (name == "lint" and key in LINT)})
    return {key: (keys[key], _value(path, key, keys[key], value)) for key, value in given.items()}


def _value(path: str, key: str, action: Action, value: Any) -> Any:
    """As the option has it. Raises InputError (RK3020)."""
    kind = type(action).__name__
    if kind in ("_StoreTrueAction", "BooleanOptionalAction"):
        if not isinstance(value, bool):
            raise wrong(path, f"{key} is neither true nor false")
        return value
    if kind == "_AppendAction":
        if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
            raise wrong(path, f"{key} is not a list of texts")
        if "\0" in "".join(value):
            raise wrong(path, f"{key} has a NUL character in it")
        return [_placed(path, key, each) for each in value]
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise wrong(path, f"{key} is neither a text nor a number")
    if "\0" in str(value):
        raise wrong(path, f"{key} has a NUL character in it")
    text = _placed(path, key, str(value))
    try:
        converted = action.type(text) if callable(action.type) else text
    except (ValueError, TypeError, ArgumentTypeError):
        raise wrong(path, f"{key} can't be {value!r}") from None
    if action.choices is not None and converted not in action.choices:
        raise wrong(path, f"{key} is {value!r}", f"one of {', '.join(map(str, action.choices))}")
    return converted


def code_of(path: str, given: dict[str, tuple[Action, Any]]) -> dict[str, list[str]]:
    """By key: the values, as options have them, that name code, or places outside of the folder of the configuration at
    `path`."""
    folder = os.path.realpath(os.path.dirname(os.path.abspath(path)))
    code: dict[str, list[str]] = {}
    for key, (_, value) in given.items():
        texts = value if isinstance(value, list) else [value] if isinstance(value, str) else []
        reaching = [text for text in texts if _reaches(folder, key, text)]
        if reaching:
            code[key] = reaching
    return code


def _reaches(folder: str, key: str, text: str) -> bool:
    if key in PROGRAMS:
        return bool(text)
    if key == "from":
        return text in THROUGH
    if key == "passes":
        return PASS_FILE.search(text) is not None
    file = SET_FILE.search(text) if key == "set" else None
    place = text if key in PATHS else file.group(2) if file is not None else None
    if place is None:
        return False
    real = os.path.realpath(place)
    return real != folder and not real.startswith(os.path.join(folder, ""))


def _leave_out(path: str, given: dict[str, tuple[Action, Any]], named: bool) -> Diagnostic | None:
    """Take out of `given` what the configuration at `path` may not say, and name it."""
    code = code_of(path, given)
    if not code:
        return None
    why = why_not(path, named)
    if not why:
        files = [file for text in code.get("passes", []) for file in PASS_FILE.findall(text)]
        files += [library for library in code.get("libvulkan", []) if os.sep in library]
        faults = [fault for file in files if (fault := code_not_own(file))]
        if not faults:
            return None
        why = faults[0]
        code = {key: texts for key, texts in code.items() if key in ("passes", "libvulkan")}
    for key, texts in code.items():
        action, value = given[key]
        kept = [text for text in value if text not in texts] if isinstance(value, list) else []
        if kept:
            given[key] = action, kept
        else:
            del given[key]
    keys = ", ".join(code)
    are, them = ("is", "it") if len(code) == 1 else ("are", "them")
    if why == NOT_ALLOWED:
        folder = os.path.dirname(path) or "."
        command = f"reknit trust {shlex.quote(folder if not folder.startswith('-') else f'./{folder}')}"
        what = f"{'it names' if len(code) == 1 else 'they name'} code, or places outside of the file's folder"
        message = f"{keys} {are} ignored: {what}; `{command}` allows {them}"
    else:
        message = f"{keys} {are} ignored: {why}; give {them} on the command line instead"
    return Diagnostic("RK0024", message, Place(path), NOTE)


def _placed(path: str, key: str, text: str) -> str:
    """A path or pattern as it is from the current folder."""
    folder = os.path.dirname(path)
    if key in PATHS:
        return os.path.join(folder, text)
    if key in PATTERNS and "/" in text.rstrip("/"):
        return os.path.join(glob.escape(os.path.abspath(folder)), text.removeprefix("./"))
    if key == "libvulkan" and "/" in text:  # others the system's loader looks for
        return os.path.join(folder, text)
    if key == "passes":
        return PASS_FILE.sub(lambda file: os.path.join(folder, file.group(1)) + ":", text)
    if key == "set":
        return SET_FILE.sub(lambda file: file.group(1) + os.path.join(folder, file.group(2)), text, count=1)
    return text
