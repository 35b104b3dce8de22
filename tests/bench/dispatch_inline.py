"""How large modules are, by the size up to which dispatchers are inlined: python tests/bench/dispatch_inline.py [N ..]

    limit    functions      words    smaller    larger
    never         1165     193587          0         0
       10          530     170853        206         0
       12          459     168712        202         4

Over the shaders of tests/dispatch, as SPIR-V words after lower-dispatch; "smaller" and "larger" count shaders against
`inline=never`.
"""

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "tests"))

import reknit  # noqa: E402
from reknit.passes.dispatch import inlining  # noqa: E402
from reknit.passes.manager import run_passes  # noqa: E402
from reknit.spirv.write import write_module  # noqa: E402

WRITABLE = "eliminate-phis, eliminate-multi-level-breaks, promote-variables"
LIMITS = [0, 4, 6, 8, 10, 12, 14, 16, 20, 24, 32, 64]


def measure(mode: str) -> tuple[int, list[int]]:
    functions = 0
    words: list[int] = []
    for path in sorted((ROOT / "tests" / "dispatch").glob("*.slang")):
        module = reknit.load(path)
        run_passes(module, f"specialize-dispatch, lower-dispatch{{inline={mode}}}, dce, {WRITABLE}")
        functions += len(module.functions)
        words.append(len(write_module(module)) // 4)
    return functions, words


def main(limits: list[int]) -> None:
    print(f"{'limit':>6} {'functions':>10} {'words':>10} {'smaller':>10} {'larger':>9}")
    functions, kept = measure(inlining.NEVER)
    print(f"{'never':>6} {functions:10} {sum(kept):10} {0:10} {0:9}")
    for limit in limits:
        inlining.SMALL = limit  # type: ignore[misc]
        functions, words = measure(inlining.AUTO)
        smaller = len([one for one, before in zip(words, kept, strict=True) if one < before])
        larger = len([one for one, before in zip(words, kept, strict=True) if one > before])
        print(f"{limit:6} {functions:10} {sum(words):10} {smaller:10} {larger:9}")


if __name__ == "__main__":
    main([int(argument) for argument in sys.argv[1:]] or LIMITS)
