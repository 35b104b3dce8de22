"""`reknit trust`: which folders' configurations may name code.

    reknit trust shaders         what it names is listed, and used from now on until the file changes
    reknit trust --list
    reknit trust --remove shaders
"""

import os
from argparse import Namespace
from typing import Any

from reknit.cli.commands import COMMANDS
from reknit.cli.configured import code_of, given_by
from reknit.cli.parser import Parser, parser_of
from reknit.cli.shared_options import INPUT, OUTPUT, add
from reknit.cli.terminal import print_json, tell
from reknit.files.config import find_config
from reknit.files.trust import allow, allowed, forget
from reknit.source.diagnostic import Diagnostic, InputError
from reknit.source.place import Place


def parser() -> Parser:
    command = Parser(
        "trust",
        "Allow the configuration file of a folder to name passes in files, libraries, programs, and places outside of "
        "its folder. It is allowed as it is now: when the file changes, it must be allowed again.",
        "[FOLDER]",
        ("--list", "--remove", "--json"),
        ("reknit trust shaders", "reknit trust --list"),
    )
    command.group(INPUT).add_argument(
        "folder",
        nargs="?",
        default=".",
        metavar="FOLDER",
        help="folder with the configuration file, or below it (default %(default)s)",
    )
    which = command.group("other actions").add_mutually_exclusive_group()
    which.add_argument("--list", action="store_true", help="list what is allowed, and what has changed since")
    which.add_argument("--remove", action="store_true", help="stop allowing the folder's configuration file")
    add(command.group(OUTPUT), "--json")
    return command


def main(options: Namespace) -> int:
    if options.list:
        return _list(options)
    if options.remove:
        return _remove(options)
    path = _config_of(options.folder)
    named = _code_in(path)
    allow(path)
    if options.json:
        print_json({"allowed": os.path.realpath(path), "names": named})
        return 0
    tell(f"allowed: {os.path.realpath(path)}\n")
    for where, texts in named.items():
        for text in texts:
            tell(f"  {where} = {text}\n")
    if not named:
        tell("  it names no code and no place outside of its folder\n")
    return 0


def _list(options: Namespace) -> int:
    every = allowed()
    if options.json:
        print_json([{"file": path, "state": state or "allowed"} for path, state in every])
        return 0
    for path, state in every:
        tell(f"{path}{f'  ({state}: no longer allowed)' if state else ''}\n")
    if not every:
        tell("nothing is allowed\n")
    return 0


def _remove(options: Namespace) -> int:
    folder = os.path.realpath(options.folder)
    paths = [path for path, _ in allowed() if path == folder or os.path.dirname(path) == folder]
    if not paths:
        above = find_config(options.folder) if os.path.isdir(options.folder) else ""
        paths = [os.path.realpath(above)] if above else []
    removed = sorted({path for path in paths if forget(path)})
    if options.json:
        print_json({"removed": removed})
        return 0
    for path in removed:
        tell(f"no longer allowed: {path}\n")
    if not removed:
        tell(f"nothing of {folder} was allowed\n")
    return 0


def _config_of(folder: str) -> str:
    """The configuration that commands in a folder find, or the file itself. Raises InputError (RK0025)."""
    if os.path.isfile(folder):
        return folder
    path = find_config(folder) if os.path.isdir(folder) else ""
    if not path:
        message = f"there is no configuration to allow in {folder}" + (
            ", nor in the folders above it that belong to its project" if os.path.isdir(folder) else ""
        )
        help = "a configuration is a reknit.toml, or a pyproject.toml with [tool.reknit]"
        raise InputError([Diagnostic("RK0025", message, Place(folder), help=help)])
    return path


def _code_in(path: str) -> dict[str, list[str]]:
    """By command and key, what it says that has to be allowed. Raises InputError (RK3020)."""
    named: dict[str, list[str]] = {}
    shared: dict[str, Any] = {}
    for name in COMMANDS:
        given = given_by(parser_of(name), name, path)
        for key, texts in code_of(path, given).items():
            if shared.get(key) != texts:
                named[f"{name}.{key}"] = texts
            shared.setdefault(key, texts)
    return named
