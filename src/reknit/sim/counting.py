"""Counting choices, so that all can be gone through one after another.

    partition(3, 0 .. 4)            [0,0,0] [0,0,1] [0,1,0] [0,1,1] [0,1,2]      which of three things are together
    following_script([0, 1], ...)   [0, 2] ... [1, 0]                            decisions of a run, as digits
"""


def bell(count: int) -> int:
    """How many partitions a set of `count` things has (Bell's triangle)."""
    row = [1]
    for _ in range(count - 1):
        following = [row[-1]]
        for value in row:
            following.append(following[-1] + value)
        row = following
    return row[-1]


def partition(count: int, number: int) -> list[int]:
    """Partition `number` of `count` things as the class of each; 0 is one class.

    Classes are numbered by first appearance: a thing joins a class that is there or starts the next one.
    """
    classes = [0] * count
    ways = completions(count)
    used = 0
    for place in range(count):
        for kind in range(used + 1):
            following = max(used, kind + 1)
            rest = ways[place + 1][following]
            if number < rest:
                classes[place] = kind
                used = following
                break
            number -= rest
    return classes


def completions(count: int) -> list[list[int]]:
    """[place][used classes] -> how often the things from `place` on can be classed."""
    table = [[1] * (count + 2) for _ in range(count + 1)]
    for place in range(count - 1, -1, -1):
        for used in range(count + 1):
            table[place][used] = used * table[place + 1][used] + table[place + 1][min(used + 1, count + 1)]
    return table


def following_script(script: list[int], widths: list[int]) -> list[int] | None:
    """The next list of choices in counting order, None after the last; `widths` are those of the run of `script`."""
    digits = script + [0] * (len(widths) - len(script))
    while digits:
        if digits[-1] + 1 < widths[len(digits) - 1]:
            digits[-1] += 1
            return digits
        digits.pop()
    return None
