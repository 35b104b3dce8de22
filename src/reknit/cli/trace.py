"""`reknit trace FILE`: run a shader and show which lanes run each block together."""

import json
from argparse import ArgumentParser, Namespace
from typing import Final

from reknit.cli.input import add_input, load_to_run
from reknit.cli.parser import new_parser
from reknit.cli.running import Setting, add_policy, add_setting
from reknit.cli.terminal import complain, tell

TRACED_STEPS: Final = 1_000_000
"""Events are kept until the run ends: a program without an end must not fill the memory."""


def parser() -> ArgumentParser:
    made = new_parser("trace", "Run a compute shader and show, event by event, which lanes run each block together.")
    add_input(made)
    add_setting(made, TRACED_STEPS)
    add_policy(made)
    made.add_argument("--all", action="store_true", help="show too where tangles split, wait and join")
    made.add_argument("--json", action="store_true", help="print JSON: all events")
    return made


def main(options: Namespace) -> int:
    from reknit.sim.run import run
    from reknit.view.rules import rules_of_run
    from reknit.view.trace import trace_text

    setting = Setting(options)
    module = load_to_run(options)
    result = run(
        module,
        setting.entry,
        groups=setting.groups,
        subgroup_size=setting.subgroup_size,
        buffers=setting.buffers,
        spec=setting.spec,
        policy=setting.policy,
        max_steps=setting.max_steps,
        trace=True,
        rules=setting.rules,
    )
    assert result.trace is not None
    if options.json:
        print(json.dumps({"entry": result.entry, "rules": result.rules, "trace": result.trace.to_json()}))
    else:
        tell(rules_of_run(result, setting.policy) + "\n")
        tell(trace_text(result.trace, options.all))
    complain(result.diagnostics)
    return 1 if result.failed() else 0
