"""What grows faster than its input for a reason, and how fast it may.

    bound(command, shape, of_output)  ->  (exponent, why)
"""

from typing import Final

# ruff: noqa: E501 - a reason is a line

LINEAR: Final = 1.2

NESTED: Final = "loops with several ways in nest as deep as the graph is long, and the parts of each are found anew without its header"
DECIDED: Final = "what n tests choose among is a decision diagram of n levels, and one is made for each test"
COMPARED: Final = "small sizes are proved; in large ones what is left is compared by runs, until 10 s of processor time are over"
WHY: Final[tuple[tuple[str, str, float, str], ...]] = (
    ("compile --verify-each", "", 2.0, "the whole module is checked after each pass on each function, which is what it is for: functions times size"),
    *[(command, shape, 1.5, NESTED) for command in ("compile", "structurize", "opt -p") for shape in ("a ladder", "a graph without structure")],
    ("prove, another", "else ifs", 1.6, DECIDED),
    ("prove, another", "a wide switch", 1.6, DECIDED),
    ("prove, another", "loops", 4.0, COMPARED),
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
