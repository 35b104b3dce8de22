"""Whose promises a module is judged by.

    base      SPIR-V alone: invocations meet at the merge block of what the whole workgroup entered and left together
    sucf      SubgroupUniformControlFlowKHR: the same of each subgroup
    maximal   MaximallyReconvergesKHR: at every merge block, continue target and after every call

    declared  what the execution modes of the entry point say

A module that declares a mode is run by an implementation that keeps to it; one that doesn't may be run by any. So all
verdicts are by the declared rules unless others are asked for.
"""

from typing import Final

BASE: Final = "base"
SUBGROUP_UNIFORM: Final = "sucf"
MAXIMAL: Final = "maximal"
RULES: Final = (BASE, SUBGROUP_UNIFORM, MAXIMAL)

DECLARED: Final = "declared"
ASKED: Final = (DECLARED, *RULES)

PROMISERS: Final = {
    BASE: "SPIR-V alone",
    SUBGROUP_UNIFORM: "SubgroupUniformControlFlowKHR",
    MAXIMAL: "MaximallyReconvergesKHR",
}
