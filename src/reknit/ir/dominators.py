"""Immediate dominators of a directed graph: the one implementation, over nodes that are numbers.

    entry 0                      idom
    0 -> 1, 2                    1: 0    2: 0
    1 -> 3    2 -> 3             3: 0    (neither arm is on every way to 3)
    3 -> 4                       4: 3
    5 -> 3                       5: -1   (cannot be reached)

Semi-dominators by depth-first numbers with path compression, then the nearest common ancestor in the tree built so far
("Semi-NCA": L. Georgiadis, Linear-Time Algorithms for Dominators and Related Problems, 2005, section 2.3). Near linear
in practice; for any input at worst quadratic in the nodes, never in the edges.
"""


def immediate_dominators(entry: int, successors: list[list[int]]) -> list[int]:
    """The immediate dominator of every node; of `entry` itself `entry`, of a node that can't be reached -1."""
    count = len(successors)
    number = [-1] * count  # node -> depth-first number
    order: list[int] = [entry]  # depth-first number -> node
    parent: list[int] = [0]  # in depth-first numbers, as all below
    number[entry] = 0
    path: list[int] = [entry]
    nexts: list[int] = [0]
    while path:
        node = path[-1]
        index = nexts[-1]
        targets = successors[node]
        if index == len(targets):
            path.pop()
            nexts.pop()
            continue
        nexts[-1] = index + 1
        target = targets[index]
        if number[target] < 0:
            number[target] = len(order)
            order.append(target)
            parent.append(number[node])
            path.append(target)
            nexts.append(0)

    reached = len(order)
    sources: list[list[int]] = [[] for _ in range(reached)]
    for at in range(reached):
        for target in successors[order[at]]:
            sources[number[target]].append(at)

    ancestor = parent[:]
    label = list(range(reached))
    semi = list(range(reached))
    for at in range(reached - 1, 0, -1):
        best = parent[at]
        for source in sources[at]:
            found = semi[_lowest(source, at + 1, ancestor, label, semi)]
            if found < best:
                best = found
        semi[at] = best

    tree = parent
    for at in range(1, reached):
        candidate = tree[at]
        while candidate > semi[at]:
            candidate = tree[candidate]
        tree[at] = candidate

    result = [-1] * count
    for at in range(reached):
        result[order[at]] = order[tree[at]]
    return result


def _lowest(node: int, linked: int, ancestor: list[int], label: list[int], semi: list[int]) -> int:
    """The node with the lowest semi-dominator on the path up from `node` among those numbered `linked` or higher."""
    if ancestor[node] < linked:
        return label[node]
    path: list[int] = []
    while ancestor[node] >= linked:
        path.append(node)
        node = ancestor[node]
    above = node
    best = label[node]
    while path:
        node = path.pop()
        ancestor[node] = ancestor[above]
        if semi[best] < semi[label[node]]:
            label[node] = best
        else:
            best = label[node]
        above = node
    return best
