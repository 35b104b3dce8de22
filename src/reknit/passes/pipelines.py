"""The named pipelines: plain lists, a reason per line. `-p reconverge` runs RECONVERGE."""

from typing import Final

RECONVERGE: Final = [
    "structurize",  # the others need a tree; what has one stays as it is
    "specialize-dispatch",  # a call through an interface goes to the types that can come there
    "lower-dispatch",  # and is a switch over them, which the passes below see like any other
    "if-needed",  # a module of SPIR-V that needs none of what follows stays as it is, byte for byte
    "eliminate-phis",  # later passes move blocks; variables survive that, phis do not
    "simplify-cfg",  # dead code and needless breaks would be lowered with the rest
    "eliminate-continues",  # a continue out of a switch becomes a break of a region
    "lower-switches",  # every group of cases that tangled operations see gets one road, and the mode that promises it
    "eliminate-multi-level-breaks",  # SPIR-V can leave one loop or switch at a time
    "promote-variables",  # values again, also for the variables that the passes before made
]

RESTRUCTURE: Final = [
    "structurize",  # a tree with labels, for functions that have none
    "eliminate-phis",  # where there was a tree before
    "eliminate-multi-level-breaks",  # labels become flags where SPIR-V can't leave that far
    "promote-variables",  # what the passes before put in variables
]

OPTIMIZE: Final = [
    "structurize",  # as RECONVERGE, from here ...
    "specialize-dispatch",
    "lower-dispatch",
    "eliminate-phis",
    "simplify-cfg",
    "inline{needed=true}",  # calls that keep tangles as they are; each body is then one function
    "drop-functions",  # what nothing calls any more
    "eliminate-phis",  # the results of functions that return in several places
    "eliminate-continues",
    "lower-switches",
    "eliminate-multi-level-breaks",  # ... to here: what follows leaves each jump one that SPIR-V has
    "private-to-local",  # a shader's own globals, now that it is one function
    "scalar-replacement",  # parts of variables are variables
    "promote-variables",
    "fold",
    "forward-copies",  # arrays of which one element is read, chosen by an index
    "cse",
    "simplify-cfg",  # conditions that are known now
    "dce",
    "narrow-loads",  # what the copies were made of is gone
    "simplify-ifs{invert=false}",  # selects, where both arms do next to nothing
    "fold",  # what these gave
    "cse",
    "simplify-cfg",
    "dce",
    "simplify-cfg",  # what only a dead condition was in
    "dce",
    "drop-declarations{interface=drop}",  # types and constants of what went, and what is given and used by nothing
]

ASSUME: Final = ("outside", "inside")
NESTING: Final = 128


def structurizing(assume: str = ASSUME[0], nesting: int = NESTING) -> str:
    """RESTRUCTURE with options of its first pass, as text."""
    return ", ".join([f"structurize{{assume={assume},nesting={nesting}}}", *RESTRUCTURE[1:]])


PIPELINES: Final = {
    "optimize": OPTIMIZE,
    "reconverge": RECONVERGE,
    "restructure": RESTRUCTURE,
}
