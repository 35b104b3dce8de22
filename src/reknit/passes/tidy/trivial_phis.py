"""Phis with one incoming edge become what comes in; then the two blocks can be one (`ir.stitch`).

    a: A                          a: A
    b: %p = Phi [%x, a]     =>    b: B with %x for %p
       B
"""

from reknit.analysis.decorations import Decorations
from reknit.ir import enums
from reknit.ir.block import Block
from reknit.ir.constants import undef
from reknit.ir.crossing import is_relayed
from reknit.ir.edit import erase, replace_uses
from reknit.ir.module import Module


def fold_single_phis(block: Block, decorations: Decorations, module: Module) -> bool:
    """Replace the phis of `block` that have one incoming edge. One that is decorated stays, since its value may not
    bear that, and one that relays a phi."""
    changed = False
    for phi in block.phis():
        if len(phi.operands) != 2:
            continue
        if any(decoration != enums.DecorationRelaxedPrecision for decoration in decorations.of(phi)):
            continue
        value = phi.value(0)
        if is_relayed(value):
            continue
        if value is phi:
            assert phi.type is not None
            value = undef(module, phi.type)
        replace_uses(phi, value)
        erase(phi)
        changed = True
    return changed
