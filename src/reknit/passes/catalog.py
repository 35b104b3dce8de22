"""Every pass, in the order of this list. A new pass is known once it stands here."""

from typing import Final

from reknit.passes.contract import Pass
from reknit.passes.eliminate_multi_level_breaks import ELIMINATE_MULTI_LEVEL_BREAKS
from reknit.passes.eliminate_phis import ELIMINATE_PHIS
from reknit.passes.promote_variables import PROMOTE_VARIABLES
from reknit.passes.switches.eliminate_continues import ELIMINATE_CONTINUES
from reknit.passes.switches.lower_switches import LOWER_SWITCHES
from reknit.passes.tidy.simplify_cfg import SIMPLIFY_CFG

PASSES: Final = [
    ELIMINATE_PHIS,
    SIMPLIFY_CFG,
    ELIMINATE_CONTINUES,
    LOWER_SWITCHES,
    ELIMINATE_MULTI_LEVEL_BREAKS,
    PROMOTE_VARIABLES,
]


def catalog() -> dict[str, Pass]:
    """The passes by name."""
    return {transform.name: transform for transform in PASSES}
