"""Between which invocations a value is compared.

    workgroup   all of a workgroup          quad        4 neighbours in a subgroup
    subgroup    those of one subgroup       cluster(k)  k neighbours in a subgroup, k a power of two

Where a workgroup is one subgroup, as OpExecutionMode SubgroupsPerWorkgroup 1 says, what covers one covers the other.

A value is uniform if, whenever a tangle executes its definition, all lanes of the tangle that are in one group get the
same value. Uniform in a workgroup implies uniform in a subgroup, and that uniform in each of its clusters.
"""

from typing import Final, final

from reknit.source.diagnostic import Diagnostic, InputError

WORKGROUP: Final = "workgroup"
SUBGROUP: Final = "subgroup"
QUAD: Final = "quad"


@final
class Scope:
    """`cluster` is the size of a group that is part of a subgroup, 0 for a whole subgroup or a workgroup; `single` says
    that each workgroup is one subgroup."""

    __slots__ = ("name", "cluster", "single")

    def __init__(self, name: str, single: bool = False) -> None:
        if not is_scope(name):
            message = f"'{name}' is no scope of uniformity"
            help = "one of workgroup, subgroup, quad, cluster(2), cluster(8) ..."
            raise InputError([Diagnostic("RK2302", message, help=help)])
        self.name = name
        self.single = single
        self.cluster = 4 if name == QUAD else _cluster_size(name)

    def is_workgroup(self) -> bool:
        return self.name == WORKGROUP

    def is_in_a_subgroup(self) -> bool:
        """Whether a group has invocations of one subgroup alone."""
        return self.name != WORKGROUP or self.single


def is_scope(name: str) -> bool:
    size = _cluster_size(name)
    return name in (WORKGROUP, SUBGROUP, QUAD) or (size > 0 and size & (size - 1) == 0)


def _cluster_size(name: str) -> int:
    """The k of "cluster(k)", 0 for anything else."""
    inside = name[8:-1]
    if not name.startswith("cluster(") or not name.endswith(")") or not (inside.isascii() and inside.isdecimal()):
        return 0
    return int(inside)
