"""A fault of reknit's own: keep what shows it again, say how, and no traceback on the screen.

    reknit-crash-1a2b3c4d.txt    the command, how to make the input smaller, versions, the traceback
    reknit-crash-1a2b3c4d.spv    the input as it was, also where it came from standard input; of several each

Both are written to the folder of --crash-files; without it to the current one, or to a new folder among the temporary
files where that can't be done. In a sandbox they are written only where --crash-files says so.
"""

import hashlib
import os
import platform
import shlex
import tempfile
import traceback
from argparse import Namespace

from reknit.cli.input import all_read, is_foreign, load_again, read_so_far
from reknit.cli.terminal import complain
from reknit.files.formats import ASSEMBLY, WRITTEN, ending, format_of
from reknit.files.streams import write_bytes
from reknit.source.diagnostic import Diagnostic, InternalError, Note
from reknit.source.version import version_line


def faults_of_input(error: Exception, options: Namespace | None) -> list[Diagnostic]:
    """The rules that the input breaks. None of a module that our own front-ends made."""
    if options is None or read_so_far(options) == (None, None) or not is_foreign(options):
        return []
    from reknit.checks.at_fault import rules_broken

    broken = rules_broken(lambda: load_again(options))
    for note in about_output(error) if broken else []:
        broken[0].notes.extend([Note(str(error)), note])
    return broken


def about_output(error: Exception) -> list[Note]:
    """What became of OUT, where that was at fault."""
    from reknit.files.judging import BrokenOutput

    known = isinstance(error, BrokenOutput)
    return [Note("nothing was written; --no-check writes the module all the same")] if known else []


def report_crash(error: Exception, name: str, arguments: list[str], options: Namespace | None) -> None:
    """Write the files and name them on standard error. `options` has kept the input that was being worked on."""
    said = str(error).splitlines()[0] if str(error) else ""
    what = said if said and isinstance(error, InternalError) else f"{type(error).__name__}{': ' * bool(said)}{said}"
    message = f"reknit has a fault of its own: {what}"
    folder = _folder(options)
    if not folder:
        help = "--crash-files FOLDER keeps the input and what shows the fault again"
        complain([Diagnostic("RK0009", message, notes=about_output(error), help=help)])
        return
    inputs = all_read(options) if options is not None else {}
    trace = "".join(traceback.format_exception(error))
    digest = hashlib.sha256(trace.encode("utf-8", "replace") + b"".join(inputs.values())).hexdigest()[:8]
    base = os.path.join(folder, f"reknit-crash-{digest}")
    copies: dict[str, str] = {}
    for number, (path, contents) in enumerate(inputs.items()):
        mark = f"-{number + 1}" if len(inputs) > 1 else ""
        copy = f"{base}{mark}.{ending(path) or format_of(contents)}"
        write_bytes(copy, contents)
        copies[path] = os.path.relpath(copy, folder)
    command = ["reknit", name, *[copies.get(word, word) for word in arguments]]
    rerun = shlex.join(command)
    smaller = f"{to_reduce(command, next(iter(copies.values())))}\n" if len(copies) == 1 else ""
    versions = f"{version_line()}, Python {platform.python_version()}, {platform.platform()}"
    write_bytes(f"{base}.txt", f"{rerun}\n{smaller}\n{versions}\n\n{trace}".encode("utf-8", "replace"))
    has = "the details" + (" and the command that makes the input smaller" if smaller else "")
    notes = [*about_output(error), Note(f"{base}.txt has {has}; nothing was sent anywhere")]
    complain([Diagnostic("RK0009", message, notes=notes, help=f"to see it again, in {folder}: {rerun}")])


def _folder(options: Namespace | None) -> str:
    """Where files go; "" for nowhere."""
    asked: str | None = options.crash_files if options is not None else None
    if asked is not None:
        return os.path.abspath(asked)
    if options is not None and options.sandbox:
        return ""
    if os.access(os.curdir, os.W_OK):
        return os.getcwd()
    try:
        return tempfile.mkdtemp(prefix="reknit-crash-")  # not the folder that all users share: names there are guessed
    except OSError:
        return ""


def to_reduce(command: list[str], copy: str) -> str:
    """The command that makes the input of another one smaller while that fails as it did. What a try leaves behind
    stays in the folder of its own that it is given."""
    kind = ending(copy) if ending(copy) in WRITTEN else ASSEMBLY
    place = " ".join(["{}" if word == copy else shlex.quote(word) for word in command])
    condition = f"cd $(dirname {{}}) && {place}; test $? = 2"
    return shlex.join(["reknit", "reduce", copy, "-o", f"{copy.rpartition('.')[0]}-small.{kind}", "--if", condition])
