"""What becomes of an input, worst first; a report is in this order.

crashed  out of memory  out of time  ...  refused  findings  |  proved  changed  unchanged  ran  clean
                                 exit code 1 (2: crashed)    |  0
"""

from typing import Final

CRASHED: Final = "crashed"
OUT_OF_MEMORY: Final = "out of memory"
OUT_OF_TIME: Final = "out of time"
OUT_OF_NODES: Final = "out of nodes"
REFUTED: Final = "refuted"
REFUSED: Final = "refused"
FINDINGS: Final = "findings"
SAMPLED: Final = "sampled"
PROVED_FOR_DOMAIN: Final = "proved for the domain"
PROVED: Final = "proved"
CHANGED: Final = "changed"
UNCHANGED: Final = "unchanged"
RAN: Final = "ran"
CLEAN: Final = "clean"

VERDICTS: Final[tuple[str, ...]] = (
    CRASHED, OUT_OF_MEMORY, OUT_OF_TIME, OUT_OF_NODES, REFUTED, REFUSED, FINDINGS,
    SAMPLED, PROVED_FOR_DOMAIN, PROVED, CHANGED, UNCHANGED, RAN, CLEAN,
)  # fmt: skip
BAD: Final[tuple[str, ...]] = VERDICTS[: VERDICTS.index(SAMPLED)]
BY_LIMITS: Final = (CRASHED, OUT_OF_MEMORY, OUT_OF_TIME, OUT_OF_NODES)
"""What another run may judge differently: the limits may be others, or what else the machine did."""

COUNTED: Final = {FINDINGS: "with findings"}
"""What is said of a number of inputs, where that isn't the verdict itself."""

OF_LIMIT: Final = {"seconds": OUT_OF_TIME, "memory": OUT_OF_MEMORY, "nodes": OUT_OF_NODES}


def counted(counts: dict[str, int]) -> str:
    """`2 with findings, 40 clean`, worst first."""
    return ", ".join(f"{counts[verdict]} {COUNTED.get(verdict, verdict)}" for verdict in VERDICTS if verdict in counts)
