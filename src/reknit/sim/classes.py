"""Classes of lanes, as disjoint masks.

    within([0b0011, 0b0100, 0b1000], 0b0110)      [0b0010, 0b0100]
    united([0b0011, 0b0100, 0b1000], 0b0110)      [0b0001, 0b1000, 0b0110]
"""


def within(classes: list[int], group: int) -> list[int]:
    """What the classes have of a group."""
    return [part & group for part in classes if part & group]


def united(classes: list[int], group: int) -> list[int]:
    """`classes`, with the lanes of `group` as one. Others that were with some of them are on their own: what is
    promised of a group is promised of no other."""
    if any(part & group == group for part in classes):
        return classes
    return [*within(classes, ~group), group]
