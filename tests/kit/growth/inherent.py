"""What grows faster than its input for a reason, and how fast it may.

    bound(command, shape, of_output)  ->  (exponent, why)
"""

from typing import Final

# ruff: noqa: E501 - a reason is a line

LINEAR: Final = 1.2

WHY: Final[tuple[tuple[str, str, float, str], ...]] = (
    ("compile --verify-each", "", 2.0, "the whole module is checked after each pass on each function: functions times size"),
    ("compile --print-changed", "", 1.6, "texts before and after each pass are compared, and are as long as their indentation"),
    ("compile --explore", "", 1.6, "texts after each pass are compared, and are as long as their indentation"),
    ("", "nested structs", 1.8, "each level is split, or shown, with the path that leads to it; SPIR-V has 255 levels at most"),
    ("", "a ladder", 1.5, "loops with several ways in nest, and each is gone through again without its header"),
    ("", "a graph without structure", 1.5, "loops with several ways in nest, and each is gone through again without its header"),
    ("outcomes", "", 2.0, "as many runs as there are choices, up to --limit: the runs of n / 4 are fewer"),
)  # fmt: skip
"""Parts of the names of commands and shapes, the exponent, the reason. The first that fits counts."""


def bound(command: str, shape: str, of_output: float) -> tuple[float, str]:
    """The exponent that a command may have on a shape; "" where there is nothing to say."""
    for part, of, most, why in WHY:
        if part in command and of in shape:
            return max(most, of_output), why
    if of_output > LINEAR - 0.05:
        return of_output + 0.05, "its output grows as fast: what stands in n constructs is indented n times"
    return LINEAR, ""
