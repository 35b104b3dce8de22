"""In which order the nodes of a graph are drawn, one below the other.

0 -> 1 -> 3, 0 -> 2 -> 3, 3 -> 0       0 1 2 3, and 3 -> 0 goes back
"""

from reknit.ir.flat_graph import DepthFirst, flat_graph


def drawing_order(
    count: int, walked: list[tuple[int, int]], drawn: list[tuple[int, int]]
) -> tuple[list[int], list[bool]]:
    """Nodes 0 .. `count` - 1 in reverse postorder of the edges `walked`, what is not reached from its first on; and of
    each edge `drawn` whether it goes back in that order. An edge is (source, target)."""
    targets: list[list[int]] = [[] for _ in range(count)]
    for source, target in walked:
        targets[source].append(target)
    # The last target first: then the first one is next to its source in the reversed order.
    walk = DepthFirst(flat_graph([row[::-1] for row in targets]))
    order: list[int] = []
    for start in range(count):
        first = len(walk.finished)
        walk.walk(start)
        order.extend(int(walk.finished[at]) for at in range(len(walk.finished) - 1, first - 1, -1))
    place = [0] * count
    for index, node in enumerate(order):
        place[node] = index
    return order, [place[target] <= place[source] for source, target in drawn]
