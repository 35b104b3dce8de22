"""Between which invocations a value is compared.

    workgroup   all of a workgroup          quad        4 neighbours in a subgroup
    subgroup    those of one subgroup       cluster(k)  k neighbours in a subgroup, k a power of two

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
    """`cluster` is the size of a group that is part of a subgroup, 0 for a whole subgroup or a workgroup."""

    __slots__ = ("name", "cluster")

    def __init__(self, name: str) -> None:
        self.name = name
        self.cluster = 0
        if name == QUAD:
            self.cluster = 4
        elif name.startswith("cluster(") and name.endswith(")") and name[8:-1].isdecimal():
            self.cluster = int(name[8:-1])
        elif name != WORKGROUP and name != SUBGROUP:
            message = f"'{name}' is no scope of uniformity"
            help = "one of workgroup, subgroup, quad, cluster(2), cluster(8) ..."
            raise InputError([Diagnostic("RK2302", message, help=help)])
        if self.cluster & (self.cluster - 1):
            raise InputError([Diagnostic("RK2302", f"a cluster of {self.cluster}: its size is no power of two")])

    def is_workgroup(self) -> bool:
        return self.name == WORKGROUP
