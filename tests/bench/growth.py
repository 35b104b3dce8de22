"""python -m tests.bench.growth [--size 64] [--commands show,trace] [--shapes switch] [--forms spvasm,slang] [--all]

    each command on each shape, at n / 4, n and 4 n  ──▶  the exponent by which its work grows

The work is counted (`tests/kit/growth/counted.py`), so that the table is the same on every machine. COMMANDS, SHAPES
are parts of names. Rows are those above 1.2 and what their output grows by, with --all each; of those the functions
from which the growth comes, or why it can't be less (`tests/kit/growth/inherent.py`).
"""

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))

from kit.growth.commands import COMMANDS, FORMS, fits  # noqa: E402
from kit.growth.inherent import LINEAR, bound  # noqa: E402
from kit.growth.shapes import of_form  # noqa: E402

HEAD = "| command | form | shape | exponent | of output | of time | units at 4 n | from |\n" + "|---" * 8 + "|"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.growth")
    parser.add_argument("--size", type=int, default=64, help="n: a shape is measured at n / 4, n and 4 n")
    parser.add_argument("--commands", default="", help="those whose names have one of these parts")
    parser.add_argument("--but", default="opt -p", help="and none of these parts, as `opt -p` in each single pass")
    parser.add_argument("--shapes", default="")
    parser.add_argument("--forms", default="spvasm,slang,ll,cfg,folder,count")
    parser.add_argument("--all", action="store_true", help="a row for every pair")
    parser.add_argument("--kept", default=str(ROOT / ".bench" / "counted"), help="a folder for the changed sources")
    given = parser.parse_args()
    left_out = [part for part in given.but.split(",") if part]
    commands = [
        name
        for name in COMMANDS
        if any(part in name for part in given.commands.split(",")) and not any(part in name for part in left_out)
    ]
    pairs = [
        (command, form, shape)
        for form in FORMS
        if form in given.forms.split(",")
        for shape in of_form(form)
        if any(part in shape for part in given.shapes.split(","))
        for command in commands
        if fits(command, form, shape)
    ]
    print(HEAD, flush=True)
    process = subprocess.Popen(
        [sys.executable, "-m", "kit.growth", str(given.size), given.kept],
        cwd=ROOT / "tests", env={**os.environ, "PYTHONPATH": str(ROOT / "tests")},
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert process.stdin is not None
    assert process.stdout is not None
    json.dump(pairs, process.stdin)
    process.stdin.close()
    done = above = beyond = 0
    for line in process.stdout:
        found = json.loads(line)
        done += 1
        most, why = bound(found["command"], found["shape"], found.get("of_output", 0))
        too_fast = found["exponent"] > most
        above += found["exponent"] > LINEAR
        beyond += too_fast
        if given.all or found["exponent"] > LINEAR:
            print(row(found, "" if too_fast else why), flush=True)
    process.wait()
    print(f"\n{done} pairs, {above} above {LINEAR}, {beyond} of those without a reason", flush=True)


def row(found: dict[str, Any], why: str) -> str:
    cells = [found["command"], found["form"], found["shape"], f"{found['exponent']:.2f}"]
    if "units" in found:
        before, middle, after = found["seconds"]
        of_time = f"{(after - middle) / (middle - before):.1f}x" if middle > 0.5 and middle > before else ""
        cells += [f"{found['of_output']:.2f}", of_time, f"{found['units']:,}", why or "; ".join(found["from"])]
    return "| " + " | ".join(cells) + " |"


if __name__ == "__main__":
    main()
