"""Options that a project's configuration gives: what the command line says goes first.

    define = ["QUALITY=2"]      ──▶  -D QUALITY=2        for every command that has the option
    [run]
    subgroup-size = 8           ──▶  --subgroup-size 8   for this one

A key is an option's long name. Lists of `define`, `include`, `extend-exclude` and `conformance` add to those of the
command line, others give way to it. Paths, and patterns with a slash, are from the folder of the file.
"""

import glob
import os
from argparse import Action, ArgumentTypeError
from typing import Any, Final

from reknit.cli.misuse import misuse
from reknit.cli.options import Namespace, Options
from reknit.files.config import LINT, SHARED, command_table, find_config, only, read_table, wrong
from reknit.source.diagnostic import InputError

PATHS: Final = ("include", "baseline", "cache-dir", "report", "state")
PATTERNS: Final = ("exclude", "extend-exclude")
ADDED: Final = ("define", "include", "extend-exclude", "conformance")
UNSET: Final = ("help", "config", "no-config", "root", "crash-files")
"""Options that no file gives: of these the last two would widen what --sandbox allows."""


def parse_configured(parser: Options, name: str, arguments: list[str], named: str) -> Namespace:
    """The options of a command, with what the file `named` or the one that is found says. `config` is its path, or
    None. Raises Misuse (RK0001, RK0008, RK3020)."""
    try:
        path = named or find_config(os.getcwd())
        given = _given(parser, name, path) if path else {}
    except InputError as error:
        raise misuse(error) from None
    if not named and "--sandbox" in arguments:
        given = {}  # what lies around untrusted inputs may be untrusted, too
    lists = {action.dest: (key, value) for key, (action, value) in given.items() if isinstance(value, list)}
    full = parser.full()
    full.set_defaults(**{action.dest: value for action, value in given.values() if not isinstance(value, list)})
    options = full.parse_args(arguments, Namespace())
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


def keys_of(parser: Options) -> dict[str, Action]:
    """The options that a file may give, by their keys."""
    keys: dict[str, Action] = {}
    for action in parser.full()._actions:
        names = [word[2:] for word in action.option_strings if word.startswith("--")]
        takes = type(action).__name__ in ("_StoreAction", "_StoreTrueAction", "_AppendAction", "BooleanOptionalAction")
        if names and takes and names[0] not in UNSET and "=" not in names[0]:
            keys[names[0]] = action
    return keys


def _given(parser: Options, name: str, path: str) -> dict[str, tuple[Action, Any]]:
    """By key: the option and its value. Raises InputError."""
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
        return [_placed(path, key, each) for each in value]
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise wrong(path, f"{key} is neither a text nor a number")
    text = _placed(path, key, str(value))
    try:
        converted = action.type(text) if callable(action.type) else text
    except (ValueError, TypeError, ArgumentTypeError):
        raise wrong(path, f"{key} can't be {value!r}") from None
    if action.choices is not None and converted not in action.choices:
        raise wrong(path, f"{key} is {value!r}", f"one of {', '.join(map(str, action.choices))}")
    return converted


def _placed(path: str, key: str, text: str) -> str:
    """A path or pattern as it is from the current folder."""
    folder = os.path.dirname(path)
    if key in PATHS:
        return os.path.join(folder, text)
    if key in PATTERNS and "/" in text.rstrip("/"):
        return os.path.join(glob.escape(os.path.abspath(folder)), text.removeprefix("./"))
    return text
