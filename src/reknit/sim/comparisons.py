"""The comparisons that depth tests and samplers make, in the order of VkCompareOp.

    passes("less", 0.25, 0.5)    True: the new depth, or the reference, is on the left
"""

from typing import Final

COMPARES: Final = ("never", "less", "equal", "less-equal", "greater", "not-equal", "greater-equal", "always")


def passes(compare: str, mine: float, there: float) -> bool:
    """Whether a comparison of COMPARES holds; "" is none, and holds."""
    if compare in ("", "always"):
        return True
    if compare == "never":
        return False
    if compare == "less":
        return mine < there
    if compare == "less-equal":
        return mine <= there
    if compare == "greater":
        return mine > there
    if compare == "greater-equal":
        return mine >= there
    return (mine == there) == (compare == "equal")
