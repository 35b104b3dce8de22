"""What became of a shader: read and written, and what running it showed.

Tried("a.frag.hlsl", "main", "fragment", "", VALID, compared=[Compared("dxc", "main", SAME)])
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any

VALID = "valid"
REFUSED = "refused"
INVALID = "invalid"
CRASHED = "crashed"
DISAGREES = "disagrees"
LIMIT = "limit"
OTHER_STAGE = "other stage"
OUT_OF_SCOPE = "out of scope"
"""What can become of a shader: read, rewritten and written as SPIR-V that spirv-val accepts; refused with a diagnostic;
written, and spirv-val refuses it; an InternalError or another exception; `check` finds faults where spirv-val finds
none; out of time or memory; refused as a stage that reknit doesn't read from this language; nothing that the reference
compiler makes SPIR-V or DXIL of."""

SAME = "same"
ALLOWED = "allowed"
NEAR = "near"
SIMULATED = "simulated"
UNDEFINED = "undefined"
OPEN = "open"
DIFFERS = "differs"
SETTLED = "settled"
NOT_RUN = "not run"
VERDICTS = (SAME, ALLOWED, NEAR, SIMULATED, UNDEFINED, OPEN, SETTLED, DIFFERS, NOT_RUN)
"""What running an entry point can show: docs/corpora.md says what each means."""

BEFORE = "before"
SLANGC = "slangc"
DXC = "dxc"
"""What values are compared with: the shader before it was rewritten, or what another compiler makes of its source."""


@dataclass
class Compared:
    """`why` is what differs, what is undefined, or why nothing was run."""

    with_: str
    entry: str
    verdict: str
    why: str = ""


@dataclass
class Tried:
    path: str
    entry: str
    stage: str
    variant: str
    outcome: str
    reason: str = ""
    compared: list[Compared] = field(default_factory=list)


def from_json(given: Mapping[str, Any]) -> Tried:
    """What asdict gave; names that it has besides are ignored."""
    known = {each.name: given[each.name] for each in fields(Tried) if each.name in given}
    return Tried(**{**known, "compared": [Compared(**each) for each in given.get("compared", [])]})
