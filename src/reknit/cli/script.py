"""`reknit run x.amber`: run a script, and say of each of its expectations whether it passes.

    script, options   ->   a line for each EXPECT; exit code 1 where one fails

What the script says itself, such as buffers and workgroups, has no options.
"""

from argparse import Namespace
from typing import TYPE_CHECKING, Final

from reknit.cli.misuse import misuse
from reknit.cli.on_device import target_of_options
from reknit.cli.parser import Parser
from reknit.cli.running import Setting
from reknit.cli.terminal import as_objects, complain, print_json, tell
from reknit.source.diagnostic import InputError

if TYPE_CHECKING:
    from reknit.checks.scripts import Runner

SAID_BY_SCRIPT: Final = ("entry", "groups", "set", "spec", "from_format", "trace", "watch", "base", "rules")
"""Options that a script has no use for: it says these itself, or shows nothing of them."""


def run_script(options: Namespace, parser: Parser) -> int:
    """Raises Misuse, InputError."""
    from reknit.checks.scripts import Runner, Surroundings
    from reknit.front.amber.load import load_script

    for name in SAID_BY_SCRIPT:
        if hasattr(options, name) and getattr(options, name) != parser.get_default(name):
            raise misuse("RK0010", f"--{name.removesuffix('_format')} does not go with a script")
    setting = Setting(options)
    target = target_of_options(options)
    runner: Runner | None = None
    try:
        script = load_script(options.file)
        runner = Runner(script, Surroundings(target, setting.asked_size, setting.policy, setting.max_steps))
        runner.run()
    except InputError as error:
        if options.json:
            print_json(_facts(options, runner, error))
            return 1
        if runner is not None and runner.checks:
            _show(runner)
        raise
    if options.json:
        print_json(_facts(options, runner, None))
    else:
        _show(runner)
        complain(runner.diagnostics)
    return 0 if runner.passed() else 1


def _show(runner: "Runner") -> None:
    from reknit.view.scripts import show_checks

    tell(show_checks(runner))


def _facts(options: Namespace, runner: "Runner | None", error: InputError | None) -> dict[str, object]:
    diagnostics = [*(runner.diagnostics if runner is not None else []), *(error.diagnostics if error else [])]
    return {
        "script": options.file,
        "on": runner.on if runner is not None else options.on,
        "subgroup_size": runner.subgroup_size if runner is not None else 0,
        "checks": [check.to_json() for check in runner.checks] if runner is not None else [],
        "diagnostics": as_objects(diagnostics),
    }
