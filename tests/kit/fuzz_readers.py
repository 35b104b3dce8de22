"""Coverage-guided fuzzing of a reader: whatever the bytes, only InputError may come out.

    PYTHONPATH=tests python -m kit.fuzz_readers READER OUT [--seconds 300]

READER is one of READERS. `pip install atheris` brings what guides it (libFuzzer, over plain Python: the compiled core
has nothing to see); without it inputs are mutated without a guide, and it says so. OUT/corpus keeps what reached new
code, so that the next run goes on from there. OUT/found has an input and a traceback for each place that something else
came from; what is mended becomes a test with its input.
"""

import argparse
import random
import sys
import tempfile
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Final

try:
    import atheris
except ImportError:
    atheris = None

if atheris is not None:
    with atheris.instrument_imports(include=["reknit"]):
        import reknit
        import reknit.checks.lint.config as lint_config
        import reknit.front.amber.parse_amber as amber
        import reknit.front.amber.parse_vkscript as vkscript
        import reknit.front.cfg
        import reknit.front.llvm.load
        import reknit.front.llvm.lower
        import reknit.front.load
        import reknit.front.slang.compile
        import reknit.ir.text.parser
        import reknit.spirv.asm
        import reknit.spirv.read
else:
    import reknit
    import reknit.checks.lint.config as lint_config
    import reknit.front.amber.parse_amber as amber
    import reknit.front.amber.parse_vkscript as vkscript

from kit.mutated import GRAPH, corpus, damaged_bytes

AMBER: Final = b"""#!amber
SHADER compute c GLSL
#version 430
void main() {}
END
STRUCT s STRIDE 16
  vec3<float> a OFFSET 0
  uint32[2] b
END
BUFFER b DATA_TYPE uint32 SIZE 4 FILL 3
BUFFER d DATA_TYPE vec4<float> DATA 1 2 3 0x4 END
PIPELINE compute p
  ATTACH c
  BIND BUFFER b AS storage DESCRIPTOR_SET 0 BINDING 1
  SET KERNEL ARG_NUMBER 0 AS uint32 1
END
REPEAT 2
  RUN p 2 1 1
END
EXPECT b IDX 0 EQ 1 2
EXPECT b EQ_BUFFER d
EXPECT d IDX 4 TOLERANCE 1% 0.5 EQ 1.5
"""
VKSCRIPT: Final = b"""[require]
subgroup_size 4
[compute shader]
#version 430
void main() {}
[test]
ssbo 1:2 64
ssbo 1:2 subdata uint 0 1 2 3
push float 4 1.5
compute 1 2 3
probe ssbo uint 1:2 0 == 1 2
tolerance 0.1%
"""
CONFIG: Final = b"""[tool.reknit.lint]
select = ["RK3001", "RK3004"]
ignore = []
exclude = ["a/*.spv"]
[[tool.reknit.lint.suppress]]
code = "RK3001"
file = "a.spv"
"""


def _config(data: bytes) -> None:
    with tempfile.NamedTemporaryFile(suffix=".toml") as file:
        file.write(data)
        file.flush()
        lint_config.read_config(file.name)


def _load(format: str) -> Callable[[bytes], None]:
    def target(data: bytes) -> None:
        module = reknit.load(data, format=format)
        reknit.text(module)

    return target


def _text(reader: Callable[[str, str], object]) -> Callable[[bytes], None]:
    return lambda data: void(reader(data.decode("utf-8", "replace"), "x"))


def void(value: object) -> None:
    del value


READERS: Final[dict[str, Callable[[bytes], None]]] = {
    **{format: _load(format) for format in ("spv", "spvasm", "rk", "slang", "hlsl", "ll", "dxil", "cfg")},
    "amber": _text(amber.parse_amber),
    "vkscript": _text(vkscript.parse_vkscript),
    "config": _config,
}
MAX_LENGTH: Final = 4096


def seeds(reader: str) -> list[bytes]:
    """Inputs that are right, to begin with."""
    own = {"amber": [AMBER], "vkscript": [VKSCRIPT], "config": [CONFIG], "cfg": [GRAPH.encode()]}
    return own[reader] if reader in own else [data for data in corpus()[reader] if len(data) <= MAX_LENGTH]


class Target:
    """Counts inputs, and keeps one for each place in the sources that something else than InputError came from."""

    def __init__(self, read: Callable[[bytes], None], out: Path) -> None:
        self.read = read
        self.out = out
        self.count = 0
        self.places: dict[str, int] = {}

    def __call__(self, data: bytes) -> None:
        self.count += 1
        begun = time.process_time()
        try:
            with reknit.Limits(seconds=20, memory=1 << 30, nodes=5_000_000, sandbox=True):
                self.read(data)
        except reknit.InputError:
            pass
        except Exception as error:
            frame = traceback.extract_tb(error.__traceback__)[-1]
            place = f"{type(error).__name__} {Path(frame.filename).name}:{frame.lineno}"
            self.keep(place, data, "".join(traceback.format_exception(error)))
        if time.process_time() - begun > 5:
            self.keep(f"slow {len(self.places)}", data, f"{time.process_time() - begun:.1f} s")

    def keep(self, place: str, data: bytes, why: str) -> None:
        self.places[place] = self.places.get(place, 0) + 1
        name = place.replace(" ", "-").replace(":", "-")
        file = self.out / name
        if not file.exists() or len(data) < file.stat().st_size:
            file.write_bytes(data)
            (self.out / f"{name}.txt").write_text(why)
        if self.places[place] == 1:
            print(f"found: {place}", file=sys.stderr, flush=True)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("reader", choices=READERS)
    parser.add_argument("out", type=Path)
    parser.add_argument("--seconds", type=int, default=300)
    options = parser.parse_args()
    found, kept = options.out / "found", options.out / "corpus"
    for folder in (found, kept):
        folder.mkdir(parents=True, exist_ok=True)
    target = Target(READERS[options.reader], found)
    whole = seeds(options.reader)
    for number, data in enumerate(whole):
        (kept / f"seed-{number}").write_bytes(data)
    if atheris is None:
        print("atheris is not installed: inputs are mutated without a guide", file=sys.stderr)
        end = time.monotonic() + options.seconds
        seed = random.randrange(1 << 30)
        while time.monotonic() < end:
            seed += 1
            target(damaged_bytes(seed, whole))
        print(f"{options.reader}: {target.count} inputs, {len(target.places)} found: {sorted(target.places)}")
        return
    words = [f"-max_total_time={options.seconds}", f"-max_len={MAX_LENGTH}", "-timeout=60", "-rss_limit_mb=3000"]
    atheris.Setup([sys.argv[0], *words, "-print_final_stats=0", f"-artifact_prefix={found}/", str(kept)], target)
    atheris.Fuzz()  # which ends the process, and says how many inputs there were


if __name__ == "__main__":
    main()
