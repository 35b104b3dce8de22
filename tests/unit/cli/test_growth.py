"""The work of a command grows as its input does: in a sample of commands and shapes here, in all with --full.

What is counted, and that it sees what operators and methods of C do, is `tests/kit/growth/counted.py`.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from kit.growth.commands import COMMANDS, fits
from kit.growth.inherent import bound
from kit.growth.shapes import SHAPES

TESTS = Path(__file__).resolve().parents[2]
SIZE = 16
Pair = tuple[str, str, str]

LARGE: list[Pair] = [
    ("show", "spvasm", "a falling switch"),
    ("show --cfg, SVG", "spvasm", "a falling switch"),
    ("show, DOT", "spvasm", "a falling switch"),
    ("show --diff", "spvasm", "a falling switch"),
    ("lint", "spvasm", "a falling switch of ballots"),
    ("trace, HTML", "spvasm", "access chains"),
    ("trace, HTML", "spvasm", "straight code"),
    ("run", "spvasm", "nested loops"),
    ("check", "slang", "overloads of one name"),
    ("check", "slang", "implementations of one interface"),
    ("compile -O", "slang", "implementations of one interface"),
    ("check", "slang", "faults"),
    ("lint --diff", "slang", "types of one generic"),
    ("show --uniformity", "slang", "resources"),
    ("lint", "ll", "functions"),
    ("run", "spvasm", "many phis of a loop"),
    ("run", "spvasm", "functions"),
    ("show, HTML", "spvasm", "nested ifs"),
    ("lint", "spvasm", "entry points"),
    ("run", "spvasm", "buffers"),
    ("run, native", "spvasm", "a phi of many"),
    ("compile -O", "slang", "a chain of calls"),
    ("run, native", "spvasm", "nested ifs"),
    ("lint, SARIF", "spvasm", "a falling switch of ballots"),
    ("outcomes, maximal", "spvasm", "nested loops"),
    ("lint --diff", "spvasm", "nested structs"),
    ("reduce", "spvasm", "entry points"),
    ("lsp", "spvasm", "functions"),
]
"""What grew faster once, at sizes where that shows."""
SAMPLED = [
    name
    for name in COMMANDS
    if not name.startswith(("prove", "reduce", "outcomes", "compile --verify-each", "fuzz", "generate, programs"))
]


def measured(pairs: list[Pair], size: int, kept: Path) -> list[str]:
    """What is wrong with the growth of each pair."""
    done = subprocess.run(
        [sys.executable, "-m", "kit.growth", str(size), str(kept)],
        cwd=TESTS, env={**os.environ, "PYTHONPATH": str(TESTS)}, input=json.dumps(pairs), capture_output=True,
        text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    found = [json.loads(line) for line in done.stdout.splitlines()]
    assert sorted((one["command"], one["form"], one["shape"]) for one in found) == sorted(pairs)
    wrong: list[str] = []
    for one in found:
        most, _ = bound(one["command"], one["shape"], one.get("of_output", 0))
        if one["exponent"] > most or not {0, 1}.issuperset(one["codes"]) or len(set(one["codes"])) > 1:
            wrong.append(f"{one['command']} of {one['shape']}.{one['form']}: {one['exponent']:.2f}, {one}")
    return wrong


def sample(forms: list[str]) -> list[Pair]:
    """Two commands for each shape, in turn."""
    pairs: list[Pair] = []
    turn = 0
    for form in forms:
        for shape in SHAPES[form]:
            fitting = [command for command in SAMPLED if fits(command, form, shape)]
            for command in (fitting[turn % len(fitting)], fitting[(turn + len(fitting) // 2) % len(fitting)]):
                pairs.append((command, form, shape))
            turn += 1
    return pairs


@pytest.fixture(scope="session")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder for the changed sources, which are made once."""
    return tmp_path_factory.mktemp("counted")


linux = pytest.mark.skipif(not hasattr(os, "fork"), reason="each count is of a process that is forked")


@linux
@pytest.mark.parametrize("forms", [["spvasm"], ["slang", "ll", "cfg", "folder", "count"]], ids=["assembly", "sources"])
def test_a_sample_of_commands_and_shapes(forms: list[str], kept: Path) -> None:
    assert not "\n".join(measured(sample(forms), SIZE, kept))


@linux
def test_what_grew_faster_once(kept: Path) -> None:
    assert not "\n".join(measured(LARGE, 4 * SIZE, kept))


@linux
@pytest.mark.full
@pytest.mark.parametrize(("form", "shape"), [(form, shape) for form in SHAPES for shape in SHAPES[form]])
def test_every_command(form: str, shape: str, kept: Path) -> None:
    pairs = [(command, form, shape) for command in COMMANDS if fits(command, form, shape)]
    assert not "\n".join(measured(pairs, SIZE, kept))


SQUARES = {
    "a loop": "for a in items:\n        for b in items:\n            total += 1",
    "a list searched": "for a in items:\n        total += a in items",
    "a text that is made longer": "self.text = ''\n    for a in items:\n        self.text += 'x'",
    "slices": "for a in items:\n        total += len(items[a:])",
    "insert": "row = []\n    for a in items:\n        row.insert(0, a)",
    "pop": "row = list(items)\n    while row:\n        row.pop(0)",
    "index": "for a in items:\n        total += items.index(a)",
    "joins": "for a in items:\n        total += len(''.join(['x'] * len(items)))",
    "long integers": "bits = 0\n    for a in items:\n        bits = bits | 1 << a",
    "tuples": "row = ()\n    for a in items:\n        row = (*row, a)",
    "sums": "for a in items:\n        total += sum(items)",
    "generators": "for a in items:\n        total += any(b < 0 for b in items)",
    "equality": "for a in items:\n        total += items == [*items]",
}


@pytest.mark.parametrize("name", SQUARES)
def test_a_square_is_counted_as_one(name: str) -> None:
    from kit.growth import counted
    from kit.growth.measured import power

    source = f"def f(self, items):\n    total = 0\n    {SQUARES[name]}\n    return total\n"
    code, names = counted.with_counters(source.encode(), name)
    slots = [0] * len(names)
    space: dict[str, object] = {**counted.HELPERS, "_w_": slots}
    exec(code, space)
    function = space["f"]
    assert callable(function)
    totals: list[int] = []
    for size in (256, 1024, 4096):
        before = sum(slots)
        function(Holder(), list(range(size)))
        totals.append(sum(slots) - before)
    assert 1.7 < power(*totals) < 2.1


class Holder:
    text = ""
