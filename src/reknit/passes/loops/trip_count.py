"""How often a counter passes a test, from numbers alone.

    for (x = 7; x < 10; x += 2)      7, 9, (11)       twice
    for (x = 7; x != 10; x += 2)     7, 9, 11 ...     never done: 10 is not among 7 + 2k modulo 2^width

All that pass a comparison with a constant are a run of neighbours on the circle of 2^width numbers, and so are all that
fail. So the question is the same for every comparison, with or without wraparound: which is the first multiple of the
step to land in an interval? It is answered as Euclid's algorithm goes, in as many steps as the width has bits.
"""


from reknit.ir import traits
from reknit.source.meter import spend


def trip_count(start: int, step: int, compare: int, limit: int, width: int) -> int | None:
    """How many of start, start + step, start + 2 step ... compare with `limit` before the first that doesn't; None if
    all do. Numbers are taken modulo 2^width; `compare` compares integers."""
    size = 1 << width
    low, count = _failing(compare, limit & (size - 1), size)
    if count == 0:
        return None
    distance = (start - low) % size
    if distance < count:
        return 0
    return first_in(step % size, size, size - distance, size - distance + count - 1)


def _failing(compare: int, limit: int, size: int) -> tuple[int, int]:
    """The numbers that fail, as the first one and how many follow from there on, it counted, around the circle."""
    half = size >> 1
    relation = traits.RELATION[compare]
    if relation == "=":
        return (limit + 1) % size, size - 1
    if relation == "!":
        return limit, 1
    least = half if compare in traits.SIGNED_COMPARE else 0
    rank = (limit - least) % size  # how many numbers are less than the limit
    if relation == "<":
        return limit, size - rank
    if relation == "<=":
        return (limit + 1) % size, size - rank - 1
    if relation == ">":
        return least, rank + 1
    return least, rank


def first_in(step: int, size: int, low: int, high: int) -> int | None:
    """The least n with low <= n * step mod size <= high; None if there is none. 0 <= low <= high < size."""
    frames: list[tuple[int, int, int]] = []  # (step, size, low) of the questions that the current one helps to answer
    first: int | None = None
    while True:
        spend(1)
        if low == 0:
            first = 0
            break
        step %= size
        if step == 0:
            break
        if 2 * step > size:  # go round in the shorter direction: the same n, mirrored
            step, low, high = size - step, size - high, size - low
            continue
        near = -(-low // step)
        if near * step <= high:
            first = near
            break
        # No multiple of `step` lies within: how many rounds until one does?
        frames.append((step, size, low))
        step, size, low, high = size % step, step, -high % step, -low % step
    while frames and first is not None:
        step, size, low = frames.pop()
        first = -(-(low + size * first) // step)
    return first
