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

VERDICTS: Final = (
    CRASHED, OUT_OF_MEMORY, OUT_OF_TIME, OUT_OF_NODES, REFUTED, REFUSED, FINDINGS,
    SAMPLED, PROVED_FOR_DOMAIN, PROVED, CHANGED, UNCHANGED, RAN, CLEAN,
)  # fmt: skip
BAD: Final = VERDICTS[: VERDICTS.index(SAMPLED)]
BY_LIMITS: Final = (CRASHED, OUT_OF_MEMORY, OUT_OF_TIME, OUT_OF_NODES)
"""What another run may judge differently: the limits may be others, or what else the machine did."""

OF_LIMIT: Final = {"seconds": OUT_OF_TIME, "memory": OUT_OF_MEMORY, "nodes": OUT_OF_NODES}
