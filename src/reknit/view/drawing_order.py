"""In which order the nodes of a graph are drawn, one below the other.

    0 -> 1 -> 3, 0 -> 2 -> 3, 3 -> 0       0 1 2 3, and 3 -> 0 goes back
"""


def drawing_order(
    count: int, walked: list[tuple[int, int]], drawn: list[tuple[int, int]]
) -> tuple[list[int], list[bool]]:
    """Nodes 0 .. `count` - 1 in reverse postorder of the edges `walked`, what is not reached from its first on; and of
    each edge `drawn` whether it goes back in that order. An edge is (source, target)."""
    targets: list[list[int]] = [[] for _ in range(count)]
    for source, target in walked:
        targets[source].append(target)
    finished: list[int] = []
    seen = [False] * count
    for start in range(count):
        if seen[start]:
            continue
        seen[start] = True
        part: list[int] = []
        path = [start]
        nexts = [len(targets[start])]
        while path:
            # The last target first: then the first one is next to its source in the reversed order.
            nexts[-1] -= 1
            if nexts[-1] < 0:
                part.append(path.pop())
                nexts.pop()
                continue
            target = targets[path[-1]][nexts[-1]]
            if not seen[target]:
                seen[target] = True
                path.append(target)
                nexts.append(len(targets[target]))
        finished.extend(reversed(part))
    place = [0] * count
    for index, node in enumerate(finished):
        place[node] = index
    return finished, [place[target] <= place[source] for source, target in drawn]
