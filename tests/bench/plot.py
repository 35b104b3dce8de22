"""Seconds by size, in an SVG of small panels with logarithms on both axes: ours in blue, the peer's in grey."""

import math
from typing import final

WIDTH, HEIGHT, ACROSS = 260, 170, 3
LEFT, RIGHT, TOP, BOTTOM = 46, 30, 26, 26
NAME = 12  # the height of a name at a line's end


@final
class Curve:
    def __init__(self, name: str, sizes: list[int], ours: list[float], peer: str, theirs: list[float]) -> None:
        self.name = name
        self.ours = list(zip(sizes, ours, strict=False))
        self.peer = peer
        self.theirs = [(size, time) for size, time in zip(sizes, theirs, strict=False) if time == time]


def plot(curves: list[Curve]) -> str:
    """The drawing; a page of its own colours shows it as it is."""
    rows = -(-len(curves) // ACROSS)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH * ACROSS}" height="{HEIGHT * rows}" '
        'font-family="sans-serif" font-size="11" fill="#333">',
        '<rect width="100%" height="100%" fill="white"/>',
    ]
    for place, curve in enumerate(curves):
        x, y = place % ACROSS * WIDTH, place // ACROSS * HEIGHT
        parts.append(f'<g transform="translate({x},{y})">{panel(curve)}</g>')
    return "\n".join([*parts, "</svg>", ""])


def panel(curve: Curve) -> str:
    points = curve.ours + curve.theirs
    low = math.floor(min(math.log10(time) for _, time in points))
    high = math.ceil(max(math.log10(time) for _, time in points))
    first, last = math.log10(curve.ours[0][0]), math.log10(curve.ours[-1][0])

    def at(size: float, time: float) -> tuple[float, float]:
        x = LEFT + (math.log10(size) - first) / (last - first) * (WIDTH - LEFT - RIGHT)
        y = HEIGHT - BOTTOM - (math.log10(time) - low) / max(high - low, 1) * (HEIGHT - TOP - BOTTOM)
        return x, y

    parts = [f'<text x="{LEFT}" y="16" font-weight="bold">{curve.name}</text>']
    for power in range(low, high + 1):
        y = at(curve.ours[0][0], 10.0**power)[1]
        parts.append(f'<line x1="{LEFT}" y1="{y:.1f}" x2="{WIDTH - RIGHT}" y2="{y:.1f}" stroke="#ddd"/>')
        parts.append(f'<text x="{LEFT - 4}" y="{y + 4:.1f}" text-anchor="end">{unit(power)}</text>')
    for size, _ in curve.ours:
        x = at(size, 10.0**low)[0]
        parts.append(f'<text x="{x:.1f}" y="{HEIGHT - 8}" text-anchor="middle">{count(size)}</text>')
    ends = [at(*line[-1]) for line in (curve.ours, curve.theirs) if line]
    crowded = len(ends) > 1 and math.dist(*ends) < 2 * NAME  # the upper name goes above its line, the lower one below
    for name, line, colour in ((curve.peer, curve.theirs, "#777"), ("reknit", curve.ours, "#1565c0")):
        if line:
            places = [at(size, time) for size, time in line]
            path = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
            parts.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>')
            x, y = places[-1]
            below = crowded and y == max(end[1] for end in ends)
            at_y = y + NAME + 4 if below else max(y - 5, TOP)
            parts.append(f'<text x="{x:.1f}" y="{at_y:.1f}" text-anchor="end" fill="{colour}">{name}</text>')
    return "".join(parts)


def unit(power: int) -> str:
    """10 to `power` seconds."""
    name, scale = ("s", 0) if power >= 0 else ("ms", 3) if power >= -3 else ("µs", 6)
    return f"{10 ** (power + scale)} {name}"


def count(size: int) -> str:
    """As short as it goes, so that neighbours don't touch."""
    for factor, name in ((1_000_000, "M"), (1_000, "k")):
        if size % factor == 0:
            return f"{size // factor}{name}"
    return f"{size:,}"
