"""Small sources that ask for much: bounded, with a message, and Ctrl-C is noticed."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import reknit
from reknit.front.slang.compile import compile_slang
from reknit.source.diagnostic import InputError

MAIN = 'RWStructuredBuffer<int> o;\n[shader("compute")] [numthreads(1, 1, 1)]\nvoid main() {'


def nested(call: str, count: int, inner: str) -> str:
    return f"{call}(" * count + inner + ")" * count


@pytest.mark.parametrize(
    "source",
    [
        "#define C(a, b) a##b\n#define D(x) C(x, x)\n" + MAIN + nested("D", 40, "a") + "}",
        '#define S(x) #x\n#define T(x) S(x)\n' + MAIN + nested("T", 40, '"a"') + "; }",
    ],
    ids=["pasted", "stringized"],
)
def test_tokens_that_macros_double(source: str) -> None:
    with pytest.raises(InputError, match="RK0902"):
        compile_slang(source, "a.slang")


@pytest.mark.parametrize("pair", ["struct P<A, B> { A a; B b; }", "typealias P<A, B> = Tuple<A, B>;"])
def test_types_that_double(pair: str) -> None:
    aliases = "\n".join(f"typealias T{n + 1} = P<T{n}, T{n}>;" for n in range(40))
    with pytest.raises(InputError, match="RK0910.*more than 16384 characters"):
        compile_slang(f"{pair}\ntypealias T0 = int;\n{aliases}\n{MAIN} T40 x; }}", "a.slang")


SAYS_WHEN_IT_RUNS = """
import signal, sys
from reknit.cli.main import main
from reknit.source.interrupt import LISTENERS
signal.signal(signal.SIGINT, signal.default_int_handler)  # a parent in the background has it ignored
words = ["running"]
LISTENERS.append(lambda: words and print(words.pop(), flush=True))
sys.exit(main(sys.argv[1:]))
"""


def test_a_run_that_goes_on_can_be_interrupted(tmp_path: Path) -> None:
    path = tmp_path / "spin.slang"
    path.write_text(MAIN + " int n = 0; while (true) { n += 2; if (n == 1) break; } o[0] = n; }")
    process = subprocess.Popen(
        [sys.executable, "-c", SAYS_WHEN_IT_RUNS, "run", str(path)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(Path(reknit.__file__).parent.parent)},
    )
    assert process.stdout is not None and process.stdout.readline() == b"running\n"
    process.send_signal(signal.SIGINT)
    assert process.wait(20) == 130
