"""How near two floats are, as bits."""


def close(left: int, right: int, width: int, ulp: int) -> bool:
    """Whether two floats are within `ulp` units in the last place; any NaN is as good as another if `ulp` is not 0."""
    if ulp == 0:
        return False
    fraction = {16: 10, 32: 23, 64: 52}.get(width, 0)
    infinite = ((1 << (width - 1)) - 1) >> fraction << fraction
    magnitude = (1 << (width - 1)) - 1
    if left & magnitude > infinite or right & magnitude > infinite:
        return left & magnitude > infinite and right & magnitude > infinite
    return abs(ordered(left, width) - ordered(right, width)) <= ulp


def ordered(bits: int, width: int) -> int:
    """A float's bits as a number that grows with it."""
    sign = 1 << (width - 1)
    return -(bits & (sign - 1)) if bits & sign else bits
