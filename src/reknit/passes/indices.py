"""A constant that became an index below 0 is copied first: SPIR-V's validator takes none in an access chain.

    %p = AccessChain %array, -1          =>     %i = CopyObject -1 : i32
                                                %p = AccessChain %array, %i

Where a value was, passes may put the number that it is known to be. No invocation that comes there may run it, which
is why it was valid before; it stays so. Source: SPIR-V 1.6, OpAccessChain ("Each index ... is treated as signed");
SPIRV-Tools refuses constants below 0 only.
"""


from reknit.ir import op, traits
from reknit.ir.constants import as_int
from reknit.ir.edit import insert_before
from reknit.ir.function import Function
from reknit.ir.instr import Instr
from reknit.ir.walk import blocks


def copy_negative_indices(function: Function) -> bool:
    """Costs the function once; says whether there were any."""
    changed = False
    chains: list[Instr] = []
    for block in blocks(function):
        each = block.first
        while each is not None:
            if each.op in traits.OBJECT_CHAIN:
                chains.append(each)
            each = each.next
    for instr in chains:
        for place in range(1, len(instr.operands)):
            index = instr.operands[place]
            number = as_int(index) if isinstance(index, Instr) else None
            if number is not None and number < 0:
                assert isinstance(index, Instr)
                instr.set_operand(place, insert_before(instr, Instr(op.CopyObject, index.type, [index], "")))
                changed = True
    return changed
