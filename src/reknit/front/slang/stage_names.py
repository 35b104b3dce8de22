"""Names of stages, as `--stage` takes them: slangc's, and what DXC has before a shader model.

    fragment   pixel   ps   ps_6_6      -> fragment            cs_6_0 -> compute
"""

import re
from typing import Final

SHORT: Final = {
    "vs": "vertex", "ps": "fragment", "cs": "compute", "gs": "geometry", "hs": "hull", "ds": "domain", "ms": "mesh",
    "as": "amplification",
}  # fmt: skip
STAGES: Final = (
    "compute", "vertex", "fragment", "geometry", "hull", "domain", "mesh", "amplification", "raygeneration",
    "intersection", "anyhit", "closesthit", "miss", "callable",
)  # fmt: skip


def stage_named(text: str) -> str:
    """The stage, "" for what names none."""
    name = re.sub(r"_[0-9]+_[0-9x]+$", "", text) if text[:2] in SHORT else text
    stage = SHORT.get(name, "fragment" if name == "pixel" else name)
    return stage if stage in STAGES else ""
