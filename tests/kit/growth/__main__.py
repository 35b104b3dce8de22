"""python -m kit.growth SIZE KEPT < pairs.json: the growth of [command, form, shape]s, a JSON object a line.

A process of its own, since it imports reknit's sources with counters in them. KEPT is a folder for their code.
"""

import json
import sys
import tempfile
from pathlib import Path

from kit.growth.measured import STEP, files, growth, prepare, warm


def main() -> None:
    size = int(sys.argv[1])
    pairs: list[tuple[str, str, str]] = [tuple(pair) for pair in json.load(sys.stdin)]
    by_file: dict[tuple[str, str], list[str]] = {}
    for command, form, shape in pairs:
        by_file.setdefault((form, shape), []).append(command)
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        program = prepare(folder, Path(sys.argv[2]) if len(sys.argv) > 2 else None)
        warmed: set[str] = set()
        for (form, shape), commands in by_file.items():
            files(program, form, shape, size, folder)
            fresh = [command for command in commands if command not in warmed]
            warm(program, fresh, f"in{size // STEP}.{form}")
            warmed.update(fresh)
            for command in commands:
                found = growth(program, command, form, shape, size, folder)
                print(
                    json.dumps({
                        "command": command, "form": form, "shape": shape, "exponent": found.exponent,
                        "of_output": found.of_output, "units": found.runs[2].total(), "from": found.culprits(),
                        "codes": [run.code for run in found.runs], "seconds": [run.seconds for run in found.runs],
                    } if found is not None else {"command": command, "form": form, "shape": shape, "exponent": 99.0}),
                    flush=True,
                )  # fmt: skip


if __name__ == "__main__":
    main()
