"""Sets of callables, generics and types; tags of all sets, and the values that they stand for.

    FuncSet %c0, %c1 : %F                  elements are callables of the module, each of type %F
    GetElementFromTag %t : %E              %E = TypeElementOfSet of the tag's set
    GetTagForSpecializedSet %g, %w : %T    %g a tag of callables that take a table for each further operand, a tag

What an element of a set may be used for is what its value may: a table is looked up in, a callable is called.
"""

from typing import Final

from reknit.ir import op, traits
from reknit.ir.callables import CALLABLE_SETS, SETS, SPECIAL, is_generic
from reknit.ir.function import Function
from reknit.ir.instr import Instr
from reknit.ir.verify.typing import operand_type


def is_about_elements(instr: Instr) -> bool:
    """Whether the rules of this file judge an instruction."""
    if instr.op in traits.ABOUT_ELEMENTS or instr.op in SPECIAL:
        return True
    if instr.op == op.Specialize and instr.block is None:
        return True
    given = operand_type(instr, 0)
    return instr.op in traits.TAKES_ELEMENT and given is not None and given.op == op.TypeElementOfSet


def element_fault(instr: Instr) -> str:
    code = instr.op
    if code in SPECIAL:
        return "" if instr.type is not None and instr.type.op in _OF_ELEMENTS else "it stands for nothing in a set"
    if code in CALLABLE_SETS or code == op.TypeSet:
        return _set(instr)
    if code == op.TypeElementOfSet:
        return "" if _is(instr.operands[0], *SETS) else "operand 1 is no set"
    if code == op.IsSameType:
        return _same_type(instr)
    if code == op.Specialize and instr.block is None:
        return _constant(instr)
    if code in traits.TAKES_ELEMENT:
        return _taking(instr)
    return _tag(instr)


_OF_ELEMENTS: Final = (op.TypeWitnessTable, op.TypeFunction, op.TypeType)


def _is(value: object, *codes: int) -> bool:
    return isinstance(value, Instr) and value.op in codes


def _set_of(type: Instr | None, code: int) -> Instr | None:
    """The set of a tag's type, or of an element's."""
    if type is None or type.op != code or not type.operands:
        return None
    members = type.operands[0]
    return members if isinstance(members, Instr) and members.op in SETS else None


def _set(instr: Instr) -> str:
    type = instr.type
    if instr.op == op.TypeSet:
        if not _is(type, op.TypeType):
            return "its type is not that of types"
        for index, element in enumerate(instr.operands):
            special = _is(element, *SPECIAL) and operand_type(instr, index) is type
            if not special and (not isinstance(element, Instr) or element.type is not None):
                return f"operand {index + 1} is no type"
    elif type is None or type.op != op.TypeFunction:
        return "its type is not that of a callable"
    elif is_generic(type) != (instr.op == op.GenericSet):
        return "it takes witness tables first" if instr.op == op.FuncSet else "it takes no witness table first"
    else:
        for index, element in enumerate(instr.operands):
            if not _is(element, op.LookupWitness, op.Specialize, op.WitnessUninitialized, op.WitnessUnbounded):
                return f"operand {index + 1} is no callable of the module"
            if operand_type(instr, index) is not type:
                return f"operand {index + 1} is not of the set's type"
    return "" if len(set(instr.operands)) == len(instr.operands) else "an element is there twice"


def _constant(instr: Instr) -> str:
    """A callable of the module. It says which function, whatever parameters that has by now."""
    if not _is(instr.type, op.TypeFunction):
        return "the result can't be called"
    if not isinstance(instr.operands[0], Function) and not _is(instr.operands[0], op.LookupWitness, op.Specialize):
        return "operand 1 can't be called"
    for index in range(1, len(instr.operands)):
        if not _is(instr.operands[index], op.WitnessTable):
            return f"operand {index + 1} is no witness table of the module"
    return ""


def _same_type(instr: Instr) -> str:
    if not _is(instr.type, op.TypeBool):
        return "the result is no bool"
    for index in (0, 1):
        given = operand_type(instr, index)
        members = _set_of(given, op.TypeElementOfSet)
        is_type = isinstance(instr.operands[index], Instr) and given is None
        if not is_type and not _is(given, op.TypeType) and not _is(members, op.TypeSet):
            return f"operand {index + 1} is no type"
    return ""


def _taking(instr: Instr) -> str:
    """Operand 1 is an element of a set."""
    members = _set_of(operand_type(instr, 0), op.TypeElementOfSet)
    if members is None:
        return "operand 1 is an element of no set"
    code = instr.op
    if code == op.GetTagOfElementInSet:
        return "" if _set_of(instr.type, op.TypeSetTag) is members else "the element is of another set"
    if code in (op.LookupWitness, op.GetSequentialId) and members.op != op.WitnessTableSet:
        return "operand 1 is no witness table"
    if code == op.GetSequentialId:
        return "" if _is(instr.type, op.TypeInt) else "the result is no integer"
    if code == op.LookupWitness:
        key = instr.operands[1]
        interface = members.type.operands[0] if members.type is not None else None
        if not _is(key, op.Requirement) or not isinstance(key, Instr) or key.type is not interface:
            return "operand 2 is no requirement of the witness table's interface"
        return "" if _set_of(instr.type, op.TypeElementOfSet) is not None else "the result is of no set"
    if members.op not in CALLABLE_SETS or members.type is None:
        return "operand 1 can't be called"
    if code == op.CallDynamic:
        wanted = len(members.type.operands) - 1
        given = len(instr.operands) - 1
        return "" if given == wanted else f"{given} arguments for {wanted} parameters"
    result = _set_of(instr.type, op.TypeElementOfSet)
    if result is None or result.op not in CALLABLE_SETS or result.type is None:
        return "the result can't be called"
    for index in range(1, len(instr.operands)):
        tables = _set_of(operand_type(instr, index), op.TypeElementOfSet)
        if tables is None or tables.op != op.WitnessTableSet:
            return f"operand {index + 1} is no witness table"
    return _bound(members.type, result.type, len(instr.operands) - 1)


def _bound(before: Instr, after: Instr, count: int) -> str:
    """Whether a callable of type `before` is one of type `after` once `count` tables are bound."""
    left = [before.operands[0], *before.operands[count + 1 :]]
    return "" if left == after.operands else "the result's type is not that of the callable without what is bound"


def _tag(instr: Instr) -> str:
    """Instructions that take a tag, or a tagged union, and give another tag, or the element."""
    code = instr.op
    if code == op.GetTypeTagFromTaggedUnion:
        result = _set_of(instr.type, op.TypeSetTag)
        if not _is(operand_type(instr, 0), op.TypeTaggedUnion):
            return "operand 1 is no tagged union"
        return "" if _is(result, op.TypeSet) else "the result is no tag of a set of types"
    source = _set_of(operand_type(instr, 0), op.TypeSetTag)
    if source is None:
        return "operand 1 is no tag"
    if code == op.GetElementFromTag:
        return "" if _set_of(instr.type, op.TypeElementOfSet) is source else "the result is of another set than the tag"
    target = _set_of(instr.type, op.TypeSetTag)
    if target is None:
        return "the result is no tag"
    if source.op not in CALLABLE_SETS or source.type is None:
        return "operand 1 is no tag of callables"
    if code == op.GetTagOfBoundTable:
        return "" if target.op == op.WitnessTableSet else "the result is no tag of witness tables"
    if target.op not in CALLABLE_SETS or target.type is None:
        return "the result is no tag of callables"
    if code == op.GetTagForGenericSet:
        fewer = len(target.type.operands) - len(source.type.operands)
        return _bound(target.type, source.type, fewer) if fewer >= 0 else "the result takes fewer tables"
    for index in range(1, len(instr.operands)):
        if not _is(_set_of(operand_type(instr, index), op.TypeSetTag), op.WitnessTableSet):
            return f"operand {index + 1} is no tag of witness tables"
    return _bound(source.type, target.type, len(instr.operands) - 1)
