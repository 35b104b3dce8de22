"""A script's expectations for people: the line, pass or fail, and what is there instead.

    x.amber:31: pass  EXPECT out IDX 0 EQ 1 2 3
    x.amber:32: FAIL  EXPECT out IDX 12 EQ 4
                      value 0, byte 12: 5 is not EQ 4
    1 of 2 expectations pass on sim, subgroups of 32

The text of an expectation is the script's own.
"""

from reknit.checks.scripts import Check, Runner


def show_checks(runner: Runner) -> str:
    """A line for each expectation, and how many pass; an expectation that was checked several times once, unless it
    failed."""
    lines: list[str] = []
    seen: dict[tuple[int, str], None] = {}
    for check in runner.checks:
        key = (check.place.line, check.text)
        if check.reasons or key not in seen:
            lines.extend(show_check(check, runner.script.path))
        seen[key] = None
    count = len(runner.checks)
    good = len([check for check in runner.checks if not check.reasons])
    noun = "expectation" if count == 1 else "expectations"
    where = f"on {runner.on}" + (f", subgroups of {runner.subgroup_size}" if runner.subgroup_size else "")
    if runner.ended:
        lines.append(f"{good} of {count} {noun} pass {where}, where a dispatch went wrong: what follows was not run")
    else:
        lines.append(f"{good} of {count} {noun} pass {where}" if count else f"ran {where}; the script expects nothing")
    return "\n".join(lines) + "\n"


def show_check(check: Check, path: str) -> list[str]:
    head = f"{path}:{check.place.line}: "
    lines = [f"{head}{'FAIL' if check.reasons else 'pass'}  {check.text}"]
    return lines + [f"{' ' * len(head)}      {reason}" for reason in check.reasons]
