"""Sets of witness tables and what is tagged by them: dynamic dispatch once the possible types are known.

    %S   = WitnessTableSet %WA, %WB : %WT       %tag = GetTagFromTaggedUnion %tu : %Tag       0 for WA, 1 for WB
    %Tag = TypeSetTag %S                        %x   = GetValueFromTaggedUnion %tu : %U
    %U   = TypeUntaggedUnion %A, %B             %a   = UnpackUnion %x : %A
    %TU  = TypeTaggedUnion %S, %U               %u   = PackUnion %a : %U

A tag is the place of its element in the set, so a `switch` over one has labels 0, 1, 2 ... Elements stand in the order
of the module, then none, then what was never set, then what the program doesn't know.
"""

from typing import Final

from reknit.ir import op
from reknit.ir.dispatch import witness_table_type
from reknit.ir.instr import Instr, Operand
from reknit.ir.module import Module


def none_element(module: Module, interface: Instr) -> Instr:
    return module.intern(op.WitnessNone, witness_table_type(module, interface), [])


def unset_element(module: Module, interface: Instr) -> Instr:
    return module.intern(op.WitnessUninitialized, witness_table_type(module, interface), [])


def table_set(module: Module, interface: Instr, elements: list[Instr]) -> Instr:
    operands: list[Operand] = [*elements]
    return module.intern(op.WitnessTableSet, witness_table_type(module, interface), operands)


def tag_type(module: Module, members: Instr) -> Instr:
    return module.intern(op.TypeSetTag, None, [members])


def union_type(module: Module, types: list[Instr]) -> Instr:
    operands: list[Operand] = [*dict.fromkeys(types)]
    return module.intern(op.TypeUntaggedUnion, None, operands)


def tagged_type(module: Module, members: Instr, union: Instr) -> Instr:
    """The tagged union over a set, with the union of its types."""
    return module.intern(op.TypeTaggedUnion, None, [members, union])


def elements_of(members: Instr) -> list[Instr]:
    """The elements of a set, in order: an element's place is its tag."""
    return [members.instr(index) for index in range(len(members.operands))]


def set_of(type: Instr) -> Instr:
    """The set of a tag's or a tagged union's type."""
    return type.instr(0)


def interface_of_union(tagged: Instr) -> Instr:
    """The interface whose values a tagged union has."""
    tables = set_of(tagged).type
    assert tables is not None
    return tables.instr(0)


def stands_for(type: Instr, other: Instr) -> bool:
    """Whether two types are the same but for how existentials are in them: as such, or as tagged unions over some set.
    Types nest a few levels."""
    if type is other:
        return True
    for value, tag in ((type, other), (other, type)):
        if value.op in (op.TypeFunction, op.TypeType) and tag.op == op.TypeSetTag:
            return set_of(tag).type is value
    if type.op in EXISTENTIALS and other.op in EXISTENTIALS:
        return existential_interface(type) is existential_interface(other)
    if type.op != other.op or type.op not in (op.TypeStruct, op.TypeArray) or len(type.operands) != len(other.operands):
        return False
    if type.op == op.TypeArray:
        return type.operands[1] is other.operands[1] and stands_for(type.instr(0), other.instr(0))
    if type.operands == other.operands:
        return False  # structs that only look the same
    return all(stands_for(type.instr(index), other.instr(index)) for index in range(len(type.operands)))


EXISTENTIALS: Final = (op.TypeInterface, op.TypeTaggedUnion)


def existential_interface(type: Instr) -> Instr:
    return type if type.op == op.TypeInterface else interface_of_union(type)


def member_for(union: Instr, type: Instr) -> Instr:
    """What values of `type` are in a union of a set that has its table."""
    if union in type.users:  # asked of every value that is packed: the union's members are not looked through
        return type
    for index in range(len(union.operands)):
        if stands_for(union.instr(index), type):
            return union.instr(index)
    return type
