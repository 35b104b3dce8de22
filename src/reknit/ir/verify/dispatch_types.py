"""Types of dynamic dispatch: what is taken out of an existential, looked up and called agrees.

    MakeExistential %a, %WA : %IFoo      %WA is a table of %IFoo, %a of the type that it is for, or a payload
    LookupWitness %w, %foo : T           %foo is a requirement of %w's interface; T a function, a table or a type
    CallDynamic %f, args... : R          arguments and result as %f's type says

Where a requirement says %This a method has its own type, so tables are checked up to that.
"""

from typing import Final

from reknit.ir import op, traits
from reknit.ir.block import Block
from reknit.ir.callables import SETS
from reknit.ir.function import Function
from reknit.ir.instr import Instr
from reknit.ir.opcodes import FIRST_OWN
from reknit.ir.value import Value
from reknit.ir.verify.elements import element_fault, is_about_elements
from reknit.ir.verify.report import Report
from reknit.ir.verify.typing import operand_type

OPAQUE: Final = (op.TypeThis, op.TypeAssociated)


def check_dispatch(report: Report, instr: Instr, block: Block | None) -> None:
    """An instruction of our own whose operands are as the table has them."""
    if instr.op >= FIRST_OWN:
        message = element_fault(instr) if is_about_elements(instr) else _fault(instr)
        if message:
            report.fault("RK0430", message, block, instr)


def _has(type: Instr | None, code: int) -> bool:
    return type is not None and type.op == code


def _inner(type: Instr | None) -> Value | None:
    """The interface of a table's type, the set of a tag's."""
    return type.operands[0] if type is not None and type.operands and isinstance(type.operands[0], Value) else None


def _fault(instr: Instr) -> str:
    code = instr.op
    if code in (op.TypeWitnessTable, op.TypeThis, op.Requirement):
        interface = instr.type if code == op.Requirement else instr.operands[0]
        return "" if isinstance(interface, Instr) and interface.op == op.TypeInterface else "it is of no interface"
    if code == op.TypeAssociated:
        key = instr.operands[0]
        return "" if isinstance(key, Instr) and key.op == op.Requirement else "it is of no requirement"
    if code == op.WitnessTable:
        return _table(instr)
    if code in (op.MakeExistential, op.CreateExistentialObject, op.ExistentialNone):
        return _making(instr)
    if code in traits.OF_EXISTENTIAL:
        return _taking(instr)
    if code == op.LookupWitness:
        return _lookup(instr)
    if code == op.Specialize:
        return _specialize(instr)
    if code == op.CallDynamic:
        return _call(instr)
    if code == op.GetSequentialId:
        return "" if _has(operand_type(instr, 0), op.TypeWitnessTable) else "operand 1 is no witness table"
    return _of_sets(instr)


def _table(instr: Instr) -> str:
    if not _has(instr.type, op.TypeWitnessTable):
        return "its type is not that of witness tables"
    interface = _inner(instr.type)
    for index in range(2, len(instr.operands) - 1, 2):
        key = instr.operands[index]
        entry = instr.operands[index + 1]
        if not isinstance(key, Instr) or key.op != op.Requirement:
            return f"operand {index + 1} is no requirement"
        if key.type is not interface:
            return f"operand {index + 1} is a requirement of another interface"
        known = isinstance(entry, Function) or (
            isinstance(entry, Instr) and (entry.type is None or _has(entry.type, op.TypeWitnessTable))
        )
        if not known:
            return f"operand {index + 2} is no function, no witness table and no type"
    return ""


def _making(instr: Instr) -> str:
    if not _has(instr.type, op.TypeInterface):
        return "the result is of no interface"
    if instr.op != op.MakeExistential:
        return ""
    table = instr.operands[1]
    if not _has(operand_type(instr, 1), op.TypeWitnessTable):
        return "operand 2 is no witness table"
    if _inner(operand_type(instr, 1)) is not instr.type:
        return "operand 2 is a witness table of another interface"
    given = operand_type(instr, 0)
    if given is None:
        return "operand 1 has no type"
    if isinstance(table, Instr) and table.op == op.WitnessTable and given.op not in OPAQUE:
        return "" if given is table.operands[0] else "operand 1 is not of the type that the witness table is for"
    return ""


def _taking(instr: Instr) -> str:
    source = operand_type(instr, 0)
    if not _has(source, op.TypeInterface):
        return "operand 1 is no existential"
    if instr.op == op.ExtractExistentialWitnessTable:
        right = _has(instr.type, op.TypeWitnessTable) and _inner(instr.type) is source
        return "" if right else "the result is not of the type of the interface's witness tables"
    if instr.op == op.ExtractExistentialType:
        return "" if _has(instr.type, op.TypeType) else "the result is no type"
    if instr.op in (op.IsType, op.ExistentialHasValue) and not _has(instr.type, op.TypeBool):
        return "the result is no bool"
    if instr.op == op.IsType:
        table = operand_type(instr, 1)
        right = _has(table, op.TypeWitnessTable) and _inner(table) is source
        return "" if right else "operand 2 is no witness table of the interface"
    return ""


def _lookup(instr: Instr) -> str:
    table = operand_type(instr, 0)
    key = instr.operands[1]
    if not _has(table, op.TypeWitnessTable):
        return "operand 1 is no witness table"
    if not isinstance(key, Instr) or key.op != op.Requirement or key.type is not _inner(table):
        return "operand 2 is no requirement of the witness table's interface"
    right = instr.type is not None and instr.type.op in (op.TypeFunction, op.TypeWitnessTable, op.TypeType)
    return "" if right else "the result is no function, no witness table and no type"


def _specialize(instr: Instr) -> str:
    callable = operand_type(instr, 0)
    if not _has(callable, op.TypeFunction):
        return "operand 1 can't be called"
    assert callable is not None
    bound = len(instr.operands) - 1
    for index in range(bound):
        if not _has(operand_type(instr, index + 1), op.TypeWitnessTable):
            return f"operand {index + 2} is no witness table"
        if index + 1 < len(callable.operands) and callable.operands[index + 1] is not operand_type(instr, index + 1):
            return f"operand {index + 2} is not of its parameter's type"
    if not _has(instr.type, op.TypeFunction) or instr.type is None:
        return "the result can't be called"
    left = [callable.operands[0], *callable.operands[bound + 1 :]]
    return "" if instr.type.operands == left else "the result's type is not that of the callable without what is bound"


def _call(instr: Instr) -> str:
    callable = operand_type(instr, 0)
    if not _has(callable, op.TypeFunction):
        return "operand 1 can't be called"
    assert callable is not None
    if callable.operands[0] is not instr.type:
        return "the result is not of the callable's result type"
    if len(callable.operands) != len(instr.operands):
        return f"{len(instr.operands) - 1} arguments for {len(callable.operands) - 1} parameters"
    for index in range(1, len(instr.operands)):
        given = operand_type(instr, index)
        wanted = callable.operands[index]
        if given is None or not isinstance(wanted, Instr):
            return f"argument {index} or its parameter has no type"
        if given is not wanted and not _both_pointers(given, wanted):
            return f"argument {index} is not of its parameter's type"
    return ""


def _both_pointers(first: Instr, second: Instr) -> bool:
    return first.op == op.TypePointer and second.op == op.TypePointer


def _of_sets(instr: Instr) -> str:
    code = instr.op
    if code == op.WitnessTableSet:
        for index, element in enumerate(instr.operands):
            if not isinstance(element, Instr) or element.op not in traits.ELEMENT or element.type is not instr.type:
                return f"operand {index + 1} is no witness table of the set's interface"
        return "" if len(set(instr.operands)) == len(instr.operands) else "an element is there twice"
    if code == op.TypeSetTag:
        return "" if isinstance(instr.operands[0], Instr) and instr.operands[0].op in SETS else "operand 1 is no set"
    if code == op.TypeTaggedUnion:
        right = isinstance(instr.operands[0], Instr) and instr.operands[0].op == op.WitnessTableSet
        return "" if right else "operand 1 is no set of witness tables"
    if code == op.MakeTaggedUnion:
        if not _has(instr.type, op.TypeTaggedUnion) or instr.type is None:
            return "the result is no tagged union"
        tag = operand_type(instr, 0)
        if not _has(tag, op.TypeSetTag) or _inner(tag) is not instr.type.operands[0]:
            return "operand 1 is no tag of the union's set"
        fits = operand_type(instr, 1) is instr.type.operands[1]
        return "" if fits else "operand 2 is not of the union's payload type"
    if code in (op.GetTagFromTaggedUnion, op.GetValueFromTaggedUnion):
        union = operand_type(instr, 0)
        if not _has(union, op.TypeTaggedUnion) or union is None:
            return "operand 1 is no tagged union"
        if code == op.GetValueFromTaggedUnion:
            return "" if instr.type is union.operands[1] else "the result is not of the union's payload type"
        right = _has(instr.type, op.TypeSetTag) and _inner(instr.type) is union.operands[0]
        return "" if right else "the result is no tag of the union's set"
    if code in traits.GIVES_TAG and not _has(instr.type, op.TypeSetTag):
        return "the result is no tag"
    if code in traits.TAKES_TAG and not _has(operand_type(instr, 0), op.TypeSetTag):
        return "operand 1 is no tag"
    if code in (op.GetTagForSuperSet, op.GetTagForSubSet, op.GetTagForMappedSet):
        return _mapped(instr)
    if code in (op.GetTagOfElementInSet, op.TagIsElement):
        tag = instr.type if code == op.GetTagOfElementInSet else operand_type(instr, 0)
        element = instr.operands[0 if code == op.GetTagOfElementInSet else 1]
        members = _inner(tag)
        inside = isinstance(members, Instr) and element in members.operands
        return "" if inside else "the element is not in the tag's set"
    return ""


def _mapped(instr: Instr) -> str:
    source, target = _inner(operand_type(instr, 0)), _inner(instr.type)
    if not isinstance(source, Instr) or not isinstance(target, Instr):
        return "a tag is of no set"
    if instr.op != op.GetTagForMappedSet:
        return "" if source.type is target.type else "the tags are of sets of different things"
    key = instr.operands[1]
    right = isinstance(key, Instr) and key.op == op.Requirement and key.type is _inner(source.type)
    return "" if right else "operand 2 is no requirement of the interface of the tag's tables"
