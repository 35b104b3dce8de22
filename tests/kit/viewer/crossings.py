"""Whether a picture of a graph is clear: no line over a box or a word, no box over another."""

import re
from collections.abc import Sequence

Rectangle = Sequence[float]
"""x, y, width, height."""


def pieces_of(path: str) -> list[tuple[float, float, float, float]]:
    """The rectangles around each straight piece of an SVG path of a graph; curves are taken in 32 pieces."""
    pieces: list[tuple[float, float, float, float]] = []
    x = y = 0.0
    for command, numbers in re.findall(r"([MLHVCQ])([-\d. ]+)", path):
        to = [float(number) for number in numbers.split()]
        if command in "HV":
            ends = [(to[0], y) if command == "H" else (x, to[0])]
        else:
            ends = list(zip(to[::2], to[1::2], strict=True))
        last = (x, y)
        count = 0 if command == "M" else 1 if len(ends) == 1 else 32
        for part in range(1, count + 1):
            between = [(x, y), *ends]
            while len(between) > 1:  # de Casteljau
                steps = zip(between, between[1:], strict=False)
                between = [(a + (c - a) * part / count, b + (d - b) * part / count) for (a, b), (c, d) in steps]
            [here] = between
            pieces.append((min(last[0], here[0]), min(last[1], here[1]), max(last[0], here[0]), max(last[1], here[1])))
            last = here
        x, y = ends[-1]
    return pieces


def assert_nothing_is_crossed(lying: Sequence[Rectangle], paths: Sequence[str], wide: float, tall: float) -> None:
    """`lying` are boxes and words; all is in the picture, which is `wide` and `tall`."""
    for at, (x, y, width, height) in enumerate(lying):
        for left, top, across, down in lying[:at]:
            assert x + width <= left or left + across <= x or y + height <= top or top + down <= y
    for path in paths:
        for left, top, right, bottom in pieces_of(path):
            assert left >= 0 and right <= wide + 0.1 and top >= 0 and bottom <= tall + 0.1
            for x, y, width, height in lying:
                assert right <= x + 0.6 or x + width - 0.6 <= left or bottom <= y + 0.6 or y + height - 0.6 <= top
