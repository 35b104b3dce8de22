"""The conditional back edge: a last test in a loop's continuing part, of which one side leaves the loop.

    } continuing {                        %latch = OpLabel
      ...                                     ...
      if %done nojoin { break @loop }         OpBranchConditional %done %merge %header
    }

SPIR-V has no block for code in its arms or behind it: the block that branches back post-dominates the continue target
(SPIR-V 1.6, 2.11, continue construct), so what belongs to these edges stands before the test.
"""

from reknit.ir.block import Block
from reknit.ir.jump import Break
from reknit.ir.tree import If, Loop
from reknit.ir.value import Node


def is_conditional_back_edge(node: Node) -> bool:
    """Whether `node` is the last construct in a continuing part, and one of its arms is a lone path out of the loop."""
    region = node.region
    if not isinstance(node, If) or region is None:
        return False
    loop = region.owner
    if not isinstance(loop, Loop) or region is not loop.continuing or node.after().next is not None:
        return False
    for arm in (node.then, node.orelse):
        jump = arm.entry().jump
        if isinstance(jump, Break) and jump.target is not node and arm.entry().next is None:
            return True
    return False


def end_of_edge(source: Block) -> Block:
    """The block at whose end code stands that belongs to the edge out of `source`: `source`, or, where that is an empty
    block of a conditional back edge, the block before the test. There it runs for the other side of the test too."""
    region = source.region
    if region is None or source.first is not None:
        return source
    test = source.prev if source.prev is not None else region.owner
    if not isinstance(test, If) or not is_conditional_back_edge(test):
        return source
    for block in (test.then.entry(), test.orelse.entry(), test.after()):
        if block.first is not None or block.next is not None and block.region is not test.region:
            return source
    return test.before()


def leaves_by_back_edge(block: Block, loop: Loop) -> bool:
    """Whether the break of `block` is the conditional back edge of `loop`, with no code in its arms or behind it."""
    jump = block.jump
    region = block.region
    if not isinstance(jump, Break) or jump.target is not loop or region is None or region.owner is None:
        return False
    test = region.owner
    if not isinstance(test, If) or test.region is not loop.continuing or not is_conditional_back_edge(test):
        return False
    arms = (test.then, test.orelse)
    if any(arm.entry().next is not None or arm.entry().first is not None for arm in arms):
        return False
    other = test.orelse if region is test.then else test.then
    return other.entry().jump is None and test.after().first is None and test.after().jump is None
