"""What random programs may hold besides ifs, loops, switches, calls and jumps, by name.

    generate(7)                       none of it: what the seed has always given
    generate(7, 0, ["barriers"])      another program, with barriers and shared memory
    generate(7, 0, ALL)               everything

`plain` is not among ALL: it takes something away, jumps that languages without labels have no words for.
"""

from collections.abc import Sequence
from typing import Final

from reknit.source.diagnostic import Diagnostic, InputError

SIZES: Final = "sizes"
OPERATIONS: Final = "operations"
CLUSTERS: Final = "clusters"
QUADS: Final = "quads"
VOTES: Final = "votes"
JOINS: Final = "joins"
EXITS: Final = "exits"
CONTINUING: Final = "continuing"
ENTRIES: Final = "entries"
BARRIERS: Final = "barriers"
KILLS: Final = "kills"
PLAIN: Final = "plain"

FEATURES: Final = {
    SIZES: "subgroups of 4 to 128",
    OPERATIONS: "shuffles from lanes known to be there, scans, other reductions",
    CLUSTERS: "clustered reductions",
    QUADS: "quad reads where whole quads are",
    VOTES: "quad votes",
    JOINS: "phis of what tangled operations gave",
    EXITS: "branches without a merge instruction out of switches, scopes and loops",
    CONTINUING: "ifs, switches, loops and calls in continuing parts",
    ENTRIES: "loops whose header two branches enter",
    BARRIERS: "barriers of the subgroup, and of the workgroup around shared memory",
    KILLS: "fragment shaders that discard, terminate and demote",
    PLAIN: "only the jumps of languages without labels",
}
ALL: Final = tuple(name for name in FEATURES if name != PLAIN)


def check_features(names: Sequence[str]) -> dict[str, None]:
    """`names` as a set in order. Raises InputError (RK0010)."""
    for name in names:
        if name not in FEATURES:
            help = f"features: {', '.join(FEATURES)}"
            raise InputError([Diagnostic("RK0010", f"random programs have no feature '{name}'", help=help)])
    return dict.fromkeys(names)


def features_of(text: str) -> list[str]:
    """What "barriers,kills" names, or "all", or nothing. Raises InputError (RK0010)."""
    if text == "all":
        return list(ALL)
    return list(check_features([name for name in text.split(",") if name]))
