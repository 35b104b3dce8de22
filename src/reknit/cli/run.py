"""`reknit run FILE`: run a compute shader and show its buffers.

FILE, what buffers start with, policies   ->   buffers lane by lane, or JSON; what went wrong on standard error
"""

import json
from argparse import ArgumentParser, Namespace

from reknit.cli.input import add_input, load_input
from reknit.cli.parser import new_parser
from reknit.cli.running import Setting, add_base, add_policy, add_setting
from reknit.cli.terminal import complain
from reknit.source.diagnostic import InputError


def parser() -> ArgumentParser:
    made = new_parser("run", "Run a compute shader, lane by lane, by the rules of maximal reconvergence.")
    add_input(made)
    add_setting(made)
    add_policy(made)
    add_base(made)
    made.add_argument(
        "--watch",
        action="store_true",
        help="tell too of data races, and of reads of what nothing has written (several times slower)",
    )
    made.add_argument("--trace", action="store_true", help="show too which lanes run each block together")
    made.add_argument("--json", action="store_true", help="print JSON")
    return made


def main(options: Namespace) -> int:
    setting = Setting(options)
    try:
        return _run(options, setting)
    except InputError as error:
        if not options.json:
            raise
        print(json.dumps(failed(setting, error)))
        return 1


def _run(options: Namespace, setting: Setting) -> int:
    from reknit.sim.run import run
    from reknit.source.report import as_json

    module = load_input(options, quiet=options.json)
    result = run(
        module,
        setting.entry,
        groups=setting.groups,
        subgroup_size=setting.subgroup_size,
        buffers=setting.buffers,
        spec=setting.spec,
        policy=setting.policy,
        max_steps=setting.max_steps,
        trace=options.trace,
        races=options.watch,
        unwritten=options.watch,
    )
    code = 1 if result.failed() else 0
    if options.json:
        out = result.to_json()
        out["diagnostics"] = [as_json(diagnostic) for diagnostic in result.diagnostics]
        if result.trace is not None:
            out["trace"] = result.trace.to_json()
        print(json.dumps(out))
        return code
    from reknit.view.buffers import show_buffers

    if result.trace is not None:
        from reknit.view.trace import trace_text

        print(trace_text(result.trace, False))
    print(show_buffers(module, result.buffers, result.subgroup_size, options.base), end="")
    if not result.buffers:
        print("the program has no buffer to write to")
    complain(result.diagnostics)
    return code


def failed(setting: Setting, error: InputError) -> dict[str, object]:
    """The JSON of a run that could not be started."""
    from reknit.source.report import as_json

    return {
        "entry": setting.entry,
        "subgroup_size": setting.subgroup_size,
        "on": "sim",
        "buffers": {},
        "diagnostics": [as_json(diagnostic) for diagnostic in error.diagnostics],
    }
