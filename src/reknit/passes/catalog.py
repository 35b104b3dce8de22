"""Every pass, in the order of this list. A new pass is known once it stands here."""

from typing import Final

from reknit.passes.contract import Pass
from reknit.passes.declare_reconvergence import DECLARE_RECONVERGENCE
from reknit.passes.dispatch.lower import LOWER_DISPATCH
from reknit.passes.dispatch.specialize import SPECIALIZE_DISPATCH
from reknit.passes.dispatch.thread_dispatch import THREAD_DISPATCH
from reknit.passes.drop_functions import DROP_FUNCTIONS
from reknit.passes.eliminate_multi_level_breaks import ELIMINATE_MULTI_LEVEL_BREAKS
from reknit.passes.eliminate_phis import ELIMINATE_PHIS
from reknit.passes.ifs.merge_ifs import MERGE_IFS
from reknit.passes.ifs.simplify_ifs import SIMPLIFY_IFS
from reknit.passes.inline import INLINE
from reknit.passes.loops.lcssa import LCSSA
from reknit.passes.loops.peel_loops import PEEL_LOOPS
from reknit.passes.loops.unroll_loops import UNROLL_LOOPS
from reknit.passes.lower_continuing import LOWER_CONTINUING
from reknit.passes.promote_variables import PROMOTE_VARIABLES
from reknit.passes.split_critical_edges import SPLIT_CRITICAL_EDGES
from reknit.passes.structurize.structurize import STRUCTURIZE
from reknit.passes.switches.eliminate_continues import ELIMINATE_CONTINUES
from reknit.passes.switches.lower_switches import LOWER_SWITCHES
from reknit.passes.tidy.simplify_cfg import SIMPLIFY_CFG
from reknit.passes.unify_returns import UNIFY_RETURNS
from reknit.passes.values.cse import CSE
from reknit.passes.values.dce import DCE
from reknit.passes.values.fold import FOLD
from reknit.passes.values.licm import LICM
from reknit.passes.values.sink import SINK

PASSES: Final = [
    STRUCTURIZE,
    SPECIALIZE_DISPATCH,
    THREAD_DISPATCH,
    LOWER_DISPATCH,
    INLINE,
    DROP_FUNCTIONS,
    ELIMINATE_PHIS,
    SIMPLIFY_CFG,
    ELIMINATE_CONTINUES,
    LOWER_SWITCHES,
    DECLARE_RECONVERGENCE,
    ELIMINATE_MULTI_LEVEL_BREAKS,
    UNIFY_RETURNS,
    LOWER_CONTINUING,
    PROMOTE_VARIABLES,
    MERGE_IFS,
    SIMPLIFY_IFS,
    SPLIT_CRITICAL_EDGES,
    LCSSA,
    PEEL_LOOPS,
    UNROLL_LOOPS,
    FOLD,
    CSE,
    LICM,
    SINK,
    DCE,
]


def catalog() -> dict[str, Pass]:
    """The passes by name."""
    return {transform.name: transform for transform in PASSES}
