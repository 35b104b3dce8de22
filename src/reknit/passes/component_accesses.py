"""Components of a vector that is mostly accessed whole are extracted and inserted.

    %p = AccessChain %v, 1u                  %a = Load %v : vec4<f32>
    %x = Load %p : f32               =>      %x = CompositeExtract %a 1 : f32
    Store %p, %y                             %b = Load %v : vec4<f32>
                                             %c = CompositeInsert %y, %b 1 : vec4<f32>
                                             Store %v, %c

The same for a matrix. `scalar-replacement` asks which of the two is less: a variable for each part costs an instruction
for each load of the whole, and one a part for each store of it; this costs one for each access of a part. A store of a
component writes back the others as they are, which nothing but the same invocation's accesses may see.
Source: SPIR-V 1.6, OpCompositeExtract, OpCompositeInsert; SPIRV-Tools' local access chain conversion.
"""

from reknit.ir import op, traits
from reknit.ir.constants import as_int
from reknit.ir.edit import erase, insert_before
from reknit.ir.instr import Instr, Operand
from reknit.ir.types import pointee
from reknit.passes.promotable import is_plain


def is_kept_whole(variable: Instr, parts: int) -> bool:
    """Whether `variable`, which `scalar-replacement` could split into `parts`, is a vector or matrix to be accessed
    whole. Costs its accesses."""
    assert variable.type is not None
    type = pointee(variable.type)
    if type.op != op.TypeVector and type.op != op.TypeMatrix:
        return False
    split = whole = 0
    for user in variable.user_list():
        assert isinstance(user, Instr)
        if user.op == op.Load:
            split += 1
        elif user.op == op.Store:
            split += parts
        elif user.op in traits.OBJECT_CHAIN:
            for access in user.user_list():
                if not _can_be_whole(access, user, type):
                    return False
                whole += 1
    return split >= whole


def access_whole(variable: Instr) -> None:
    """Turn each access of a part of `variable` into one of all of it."""
    assert variable.type is not None
    type = pointee(variable.type)
    for chain in variable.user_list():
        assert isinstance(chain, Instr)
        if chain.op not in traits.OBJECT_CHAIN:
            continue
        path: list[Operand] = []
        for place in range(1, len(chain.operands)):
            index = as_int(chain.value(place))
            assert index is not None
            path.append(index)
        for access in chain.user_list():
            assert isinstance(access, Instr)
            whole = insert_before(access, Instr(op.Load, type, [variable]))
            if access.op == op.Load:
                access.op = op.CompositeExtract
                access.set_operands([whole, *path])
            else:
                changed = insert_before(access, Instr(op.CompositeInsert, type, [access.operands[1], whole, *path]))
                access.set_operands([variable, changed])
        erase(chain)


def _can_be_whole(access: object, chain: Instr, type: Instr) -> bool:
    """Whether it is a plain load or store of what `chain`, by constant indices in range, points to."""
    if not isinstance(access, Instr):
        return False
    if len(chain.operands) > 2:  # a component of a matrix's column, which scalar-replacement knows to be there
        row = as_int(chain.value(2))
        if row is None or not 0 <= row < type.instr(0).word(1):
            return False
    if access.op == op.Load:
        return is_plain(access, 1)
    return access.op == op.Store and access.operands[0] is chain and is_plain(access, 2)
