"""The command `reknit`: picks the subcommand, and turns what goes wrong into messages and exit codes.

    arguments ─▶ subcommand ─▶ exit code    0  fine
                     │                      1  findings, or an input that can't be used
                     │                      2  misuse of the command line, or a crash of reknit's own
                     ├─ InputError ───────▶ its diagnostics, 1 (2 where the command line is at fault)
                     ├─ a limit exceeded ─▶ which, and what was being done, 3
                     ├─ any other fault ──▶ if the input breaks a rule: which, 1
                     │                      else a reproducer file and how to rerun it, 2
                     ├─ full disk ────────▶ says so, 1
                     ├─ Ctrl-C ───────────▶ what was being done, 130
                     ├─ SIGTERM ──────────▶ the same, 143: children end, and files that were half written are removed
                     └─ closed pipe ──────▶ 141, silently
"""

import errno
import gc
import os
import sys
from io import TextIOWrapper
from typing import TYPE_CHECKING

from reknit.cli.commands import COMMANDS, GROUPS, command
from reknit.source.collecting import RARELY
from reknit.source.interrupt import Terminated

if TYPE_CHECKING:
    from argparse import Namespace
    from contextlib import ExitStack

    from reknit.source.diagnostic import Diagnostic

FINE = 0
FINDINGS = 1
MISUSE = 2
EXCEEDED = 3
INTERRUPTED = 130
TERMINATED = 143
PIPE_CLOSED = 141

ABOUT = "Knows which invocations of a shader run together, and rewrites its control flow\nwithout changing that."

LIMITS = ("RK0020", "RK0021", "RK0022")
"""Codes of limits that were exceeded."""

NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)
"""What a system says when what is printed can't be stored. Files with names are reported where they are written."""


def program() -> None:
    """The process `reknit`, which ends here.

    What holds memory alone is left to the system: to free module by module and object by object takes Python 5 ms of a
    small command's 30, and a second of one that read a million instructions. What has more to do at its end, threads
    and whatever registered with `atexit`, ends as Python does.
    """
    code = _until_terminated()
    import atexit

    if "threading" in sys.modules or atexit._ncallbacks():
        sys.exit(code)
    try:
        sys.stderr.flush()
    finally:  # what can't be written is lost, as where Python ends by itself
        os._exit(code)


def _until_terminated() -> int:
    """The exit code. A second SIGTERM ends the process as it always does."""
    import signal

    asked: list[int] = []

    def end(number: int, frame: object) -> None:
        asked.append(number)
        signal.signal(number, signal.SIG_DFL)
        raise Terminated

    if signal.getsignal(signal.SIGTERM) != signal.SIG_DFL:
        return main()
    signal.signal(signal.SIGTERM, end)
    code = main()
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    return TERMINATED if asked else code


def main(arguments: list[str] | None = None) -> int:
    """Run the command; gives the exit code."""
    gc.set_threshold(*RARELY)
    given = sys.argv[1:] if arguments is None else arguments
    _prepare_streams()
    try:
        code = _dispatch(given)
        sys.stdout.flush()
        return code
    except BrokenPipeError:
        _forget_output()
        return PIPE_CLOSED
    except OSError as error:
        _forget_output()
        return _not_printed(error)
    except KeyboardInterrupt as asked:
        return _interrupted(asked)


def _dispatch(given: list[str]) -> int:
    if given[:1] == ["help"] and len(given) == 2 and given[1] in COMMANDS:
        return _run(given[1], ["-h"])
    if not given or given[0] in ("-h", "--help", "help"):
        (sys.stdout if given else sys.stderr).write(_help())
        return FINE if given else MISUSE
    if given[0] == "--help-all":
        sys.stdout.write(_help_all())
        return FINE
    if given[0] in ("-V", "--version"):
        from reknit.source.version import version_line

        print(version_line())
        return FINE
    if given[0] not in COMMANDS:
        from reknit.cli.misuse import complain_of_misuse, misuse

        complain_of_misuse(misuse("RK0010", _unknown(given[0])))
        return MISUSE
    return _run(given[0], given[1:])


def _run(name: str, arguments: list[str]) -> int:
    from contextlib import ExitStack

    with ExitStack() as outer:
        return _guarded(name, arguments, outer)


def _guarded(name: str, arguments: list[str], outer: "ExitStack") -> int:
    """`outer` ends when all is said: what goes wrong in a sandbox is reported in it, too."""
    from reknit.cli.limiting import limits_of, sandbox_of, usual_limit
    from reknit.cli.misuse import Misuse, complain_of_misuse
    from reknit.cli.parser import parse, parser_of
    from reknit.cli.terminal import choose_colour, complain
    from reknit.source.diagnostic import InputError

    options = None
    try:
        module = command(name)
        options = parse(parser_of(name), name, arguments)
        choose_colour(options.color)
        has_own_limits = getattr(module, "has_own_limits", None)
        if has_own_limits is not None and has_own_limits(options):
            with usual_limit(options):  # of this process; those of the options are each input's
                return module.main(options)
        if options.sandbox:
            outer.enter_context(sandbox_of(options))
        with usual_limit(options), limits_of(options, getattr(module, "LEEWAY", 1)):
            return module.main(options)
    except SystemExit as asked:  # help, or a list, was printed
        return asked.code if isinstance(asked.code, int) else MISUSE
    except Misuse as error:
        complain_of_misuse(error)
        return MISUSE
    except InputError as error:
        complain(error.diagnostics)
        return EXCEEDED if error.diagnostics[0].code in LIMITS else FINDINGS
    except (BrokenPipeError, KeyboardInterrupt):
        raise
    except Exception as error:
        if isinstance(error, OSError) and error.errno in NO_ROOM:
            raise
        if isinstance(error, FileNotFoundError) and _is_nowhere():
            from reknit.source.diagnostic import Diagnostic

            complain([Diagnostic("RK0001", "the current folder is gone", help="run the command in one that is there")])
            return FINDINGS
        from reknit.cli.crash import report_crash
        from reknit.source.boundary import has_too_many_digits, too_many_digits

        if has_too_many_digits(error):
            complain(too_many_digits(error).diagnostics)
            return FINDINGS
        faults = _faults_of_input(error, options)
        if faults:
            complain(faults)
            return FINDINGS
        try:
            report_crash(error, name, arguments, options)
        except InputError as unwritten:
            complain(unwritten.diagnostics)
        return MISUSE


def _is_nowhere() -> bool:
    """Whether the current folder was removed."""
    try:
        os.getcwd()
    except FileNotFoundError:
        return True
    return False


def _faults_of_input(error: Exception, options: "Namespace | None") -> "list[Diagnostic]":
    """What is wrong with the input that had `error` come of it, as far as the same limits let that be found out."""
    from reknit.cli.crash import faults_of_input
    from reknit.cli.limiting import limits_of, usual_limit
    from reknit.source.diagnostic import InputError

    if options is None:
        return []
    try:
        with usual_limit(options), limits_of(options):
            return faults_of_input(error, options)
    except InputError:  # they don't
        return []


def _help() -> str:
    width = max(len(name) for name in COMMANDS)
    lines = ["usage: reknit COMMAND [OPTIONS]", "", ABOUT]
    for title, commands in GROUPS.items():
        lines += ["", f"{title}:"]
        lines += [f"  {name:<{width}}  {what}" for name, what in commands.items()]
    lines += ["", "examples:"]
    lines += ["  reknit lint blur.spv", "  reknit run blur.spv --set kind=0,0,1,2 --subgroup-size 4"]
    lines += ["", "`reknit COMMAND -h` shows the most important options of a command, and"]
    lines += ["`reknit COMMAND --help-all` every option. `reknit --version` prints the version."]
    return "\n".join(lines) + "\n"


def _help_all() -> str:
    """What every command has besides."""
    from reknit.cli.parser import EVERY, Parser, add_common

    parser = Parser("COMMAND", "")
    add_common(parser)
    text = parser.help_text(every=True)
    return f"{_help()}\n{text[text.index(f'{EVERY}:'):]}"


def _unknown(name: str) -> str:
    from reknit.cli.parser import did_you_mean

    kind = "option" if name.startswith("-") else "command"
    hint = did_you_mean(name, ["--help", "--help-all", "--version"] if kind == "option" else [*COMMANDS])
    return f"unknown {kind} '{name}'{hint or ' (`reknit -h` lists the commands)'}"


def _prepare_streams() -> None:
    """A stream that the caller has closed is there, and empty; what an encoding lacks is printed as its number."""
    for name, flags, mode in (("stdin", os.O_RDONLY, "r"), ("stdout", os.O_WRONLY, "w"), ("stderr", os.O_WRONLY, "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, os.fdopen(os.open(os.devnull, flags), mode))
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")


def _not_printed(error: OSError) -> int:
    from reknit.cli.terminal import complain
    from reknit.source.diagnostic import Diagnostic

    complain([Diagnostic("RK0007", f"standard output can't be written: {(error.strerror or str(error)).lower()}")])
    return FINDINGS


def _interrupted(asked: KeyboardInterrupt) -> int:
    from reknit.cli.terminal import remark
    from reknit.source.phases import phase_of

    sys.stdout.flush()
    remark(f"interrupted {str(asked) or f'while {phase_of(asked)}'}\n")
    return INTERRUPTED


def _forget_output() -> None:
    """The reader of the output is gone: let nothing more be written to it, also not by Python when it ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
