"""Phis with one way in become what comes in; then the two blocks can be one (`ir.stitch`).

    a: A                          a: A
    b: %p = Phi [%x, a]     =>    b: B with %x for %p
       B
"""

from reknit.analysis.decorations import Decorations
from reknit.ir import enums
from reknit.ir.block import Block
from reknit.ir.constants import undef
from reknit.ir.edit import erase, replace_uses
from reknit.ir.module import Module


def fold_single_phis(block: Block, decorations: Decorations, module: Module) -> bool:
    """Replace the phis of `block` that have one way in. One that is decorated stays: its value may not bear that."""
    changed = False
    for phi in block.phis():
        if len(phi.operands) != 2:
            continue
        if any(decoration != enums.DecorationRelaxedPrecision for decoration in decorations.of(phi)):
            continue
        value = phi.value(0)
        if value is phi:
            assert phi.type is not None
            value = undef(module, phi.type)
        replace_uses(phi, value)
        erase(phi)
        changed = True
    return changed
