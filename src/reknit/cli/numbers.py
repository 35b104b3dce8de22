"""Numbers that a command line says."""


def float_of(text: str) -> float:
    """The number that a text says. Raises ValueError, also for one that is too large for a number of 64 bits."""
    value = float(text)
    if value in (float("inf"), float("-inf")) and "inf" not in text.lower():
        raise ValueError
    return value
