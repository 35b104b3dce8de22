"""See reknit work, from a bare clone: python3 tools/demo.py

    environment, reknit installed as plain Python  ->  each command of JOBS, shown as typed, on examples/

The core is not compiled for that, which would take two minutes and save one second. A command that fails ends the
demonstration with its exit code.
"""

import shlex
import subprocess
import sys
import time

import environment
from environment import ROOT, say

EXAMPLE = "examples/fallthrough.spvasm"
INPUT = "--subgroup-size 4 --set kinds=0,0,1,2"
PRODUCT = ".venv/fallthrough.spv"  # in a folder that is there, and that git ignores

JOBS: list[str] = [  # reknit commands as one types them in the root of the project
    f"reknit show {EXAMPLE}",
    f"reknit run {EXAMPLE} {INPUT}",
    f"reknit trace {EXAMPLE} {INPUT}",
    f"reknit outcomes {EXAMPLE} {INPUT}",
    f"reknit compile {EXAMPLE} -o {PRODUCT}",
    f"reknit show {PRODUCT}",
    f"reknit outcomes {PRODUCT} {INPUT}",
    f"reknit check {PRODUCT}",
    "reknit run examples/waterfall.spvasm --subgroup-size 4 --set values=5,7,5,7,7,9,5,9",
    "reknit run examples/waterfall.spvasm --subgroup-size 8 --set values=5,7,5,7,7,9,5,9",
    "reknit doctor",
]


def main() -> int:
    environment.install(compiled=False)
    for job in JOBS:
        print(f"\n$ {job}", flush=True)
        started = time.monotonic()
        words = shlex.split(job)
        program = environment.python().parent / words[0]
        code = subprocess.run([str(program), *words[1:]], cwd=ROOT, env=environment.clean()).returncode
        if code != 0:
            say(f"exit code {code}")
            return code
        say(f"{time.monotonic() - started:.2f} s")
    if environment.installed_plain():
        say("that was plain Python; `.venv/bin/pip install .` compiles the core, which is 2 to 50 times faster")
    return 0


if __name__ == "__main__":
    sys.exit(main())
