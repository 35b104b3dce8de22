"""What thread-dispatch does to the shaders with dispatch that the tests have: python tests/bench/dispatch_thread.py

    225 shaders, calls moved in 93
                  without       with    fewer    more
    words           69433      65621       64      28
    steps           21966      19970       77      16

Words of SPIR-V, and instructions that tangles of 8 and 32 lanes run in the simulator, both of the 93. What each lane
stores is checked against what the shaders say at their heads.
"""

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "tests"))

from kit.programs.expected_shaders import ExpectedShader  # noqa: E402

import reknit  # noqa: E402
from reknit.passes.manager import run_passes  # noqa: E402
from reknit.spirv.write import write_module  # noqa: E402

BEFORE = "promote-variables, specialize-dispatch, promote-variables, "
AFTER = (
    "lower-dispatch, fold, cse, dce, simplify-ifs{limit=8}, simplify-cfg, dce, "
    "eliminate-phis, eliminate-multi-level-breaks, promote-variables"
)


def costs(path: Path, threading: str) -> tuple[bool, int, int]:
    """Whether a call moved; words; steps."""
    shader = ExpectedShader(path)
    module = reknit.load(path)
    report = run_passes(module, BEFORE + threading + AFTER)
    steps = 0
    for size in (8, 32):
        result = reknit.run(module, subgroup_size=size, groups=(shader.groups, 1, 1), buffers={**shader.buffers})
        for name, words in shader.expectation(size).items():
            assert result.buffers[name].words == words, (path, threading, size)
        steps += result.steps
    moved = any(entry.name == "thread-dispatch" and entry.changed for entry in report.passes)
    return moved, len(write_module(module)) // 4, steps


def main() -> None:
    paths = sorted((ROOT / "tests" / "dispatch").glob("*.slang"))
    pairs = [(costs(path, ""), costs(path, "thread-dispatch, ")) for path in paths]
    moved = [(without, threaded) for without, threaded in pairs if threaded[0]]
    print(f"{len(paths)} shaders, calls moved in {len(moved)}")
    print(f"{'':10}{'without':>11}{'with':>11}{'fewer':>9}{'more':>8}")
    for name, index in (("words", 1), ("steps", 2)):
        before, after = sum([one[index] for one, _ in moved]), sum([one[index] for _, one in moved])
        fewer = len([1 for one, other in moved if other[index] < one[index]])
        more = len([1 for one, other in moved if other[index] > one[index]])
        print(f"{name:10}{before:11}{after:11}{fewer:9}{more:8}")


if __name__ == "__main__":
    main()
