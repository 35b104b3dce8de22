"""Types of common instructions: operands and result agree.

    IAdd FAdd ...      operands like the result            Load Store       the pointer points to the value's type
    IEqual FOrd...     operands alike, result bool         FunctionCall     arguments like the parameters
    CompositeExtract   the literals lead to the result     ballots          four 32-bit integers
    Select Phi Copy    values like the result              ReturnValue      like the function's result
    scopes, memory semantics     constants

Only what the specification leaves no choice about; types that are neither scalar nor vector are left to spirv-val.
Source: SPIR-V 1.6, 3.52.
"""

from typing import Final

from reknit.ir import enums, op, traits
from reknit.ir.block import Block
from reknit.ir.constants import as_int
from reknit.ir.debug import EXT_INSTS
from reknit.ir.function import Function
from reknit.ir.instr import Instr, Operand
from reknit.ir.module import Module
from reknit.ir.opcodes import info
from reknit.ir.operands import SCOPES
from reknit.ir.text.plain import WIDEST, is_width
from reknit.ir.value import Value
from reknit.ir.verify.extended_types import extended_fault
from reknit.ir.verify.report import Report
from reknit.ir.verify.shapes import shape_fault


def check_types(report: Report, instr: Instr, block: Block | None) -> None:
    """The types of an instruction whose operands are as the grammar has them."""
    if instr.op == op.TypeVector and instr.word(1) not in (2, 3, 4, 8, 16) and not _has_capability(
        report.module, enums.CapabilityLongVectorEXT
    ):
        report.fault("RK0417", "a vector has 2, 3, 4, 8 or 16 components", block, instr)
    message = _fault(instr) if instr.op in traits.TYPED else _width_fault(instr)
    message = message or (extended_fault(report.module, instr) if instr.op in EXT_INSTS else shape_fault(instr))
    if instr.op == op.SpecConstantOp:
        message = _operation_fault(instr)
    if message:
        report.fault("RK0417", message, block, instr)
    if instr.op in traits.TANGLED or instr.op in traits.BARRIER or instr.op in traits.ATOMIC:
        _check_scopes(report, instr, block)


def _operation_fault(instr: Instr) -> str:
    """The operation of a constant takes what the instruction of that opcode takes, and gives the same."""
    code = instr.word(0)
    type = instr.type
    typed = traits.TYPED.get(code, "")
    if typed != "other" and type is not None and not _is_judged(type) and type.op not in POINTERS:
        return "its operation gives a scalar, vector or pointer, and its type is none"
    inside = Instr(code, type, instr.operands[1:])
    message = _fault(inside) if typed not in ("", "pointer") else ""  # compilers of kernels have chains of their own
    message = message or shape_fault(inside)
    inside.drop_operands()
    return f"in its operation, {message}" if message else ""


def _width_fault(instr: Instr) -> str:
    """How many bits numbers have: floats as IEEE has them, but those of other encodings, which have one more operand;
    integers any number that has a notation, since extensions allow others than SPIR-V itself."""
    if instr.op == op.TypeFloat and len(instr.operands) == 1 and instr.word(0) not in (16, 32, 64):
        return "a float has 16, 32 or 64 bits"
    if instr.op == op.TypeInt and not is_width(instr.operands[0]):
        return f"an integer has 1 to {WIDEST} bits"
    return ""


def _check_scopes(report: Report, instr: Instr, block: Block | None) -> None:
    """Scopes and memory semantics are constants where the capability Kernel isn't declared (SPIR-V 1.6, 2.16.2)."""
    about = info(instr.op)
    specs = about.operands if about is not None else ()
    for index, (spec, operand) in enumerate(zip(specs, instr.operands, strict=False)):
        if spec.kind not in SCOPES or not isinstance(operand, Instr) or operand.op in traits.CONSTANT:
            continue
        if not _has_capability(report.module, enums.CapabilityKernel):
            noun = "the scope" if spec.kind == "IdScope" else "what says the memory semantics"
            report.fault("RK0417", f"operand {index + 1}, {noun}, is no constant", block, instr)


def _has_capability(module: Module, capability: int) -> bool:
    return any(instr.operands == [capability] for instr in module.capabilities)


def check_return(report: Report, function: Function, block: Block, instr: Instr) -> None:
    result = function.result
    if instr.op == op.Return and result.op != op.TypeVoid:
        report.fault("RK0417", "the function returns a value, and this gives none", block, instr)
    elif instr.op == op.ReturnValue and len(instr.operands) == 1 and operand_type(instr, 0) is not result:
        report.fault("RK0417", "the value is not of the function's result type", block, instr)


def operand_type(instr: Instr, index: int) -> Instr | None:
    """The type of operand `index`; None for what has none."""
    operand = instr.operands[index] if index < len(instr.operands) else None
    return operand.type if isinstance(operand, (Instr, Function)) else None


def _element(type: Instr) -> Instr:
    """The scalar of a vector; anything else is its own."""
    if type.op in (op.TypeVector, op.TypeVectorIdEXT) and type.operands:
        element = type.operands[0]
        if isinstance(element, Instr):
            return element
    return type


def _is(type: Instr, code: int) -> bool:
    return _element(type).op == code


def _is_judged(type: Instr) -> bool:
    """Scalars and vectors are; cooperative matrices and the like are not."""
    return _element(type).op in traits.SCALAR_TYPE


def _shape(type: Instr) -> list[object]:
    """Width and component count: what operands of one operation share even if signs differ."""
    element = _element(type)
    count = type.operands[1] if type.op == op.TypeVector and len(type.operands) == 2 else 1
    return [element.operands[0] if element.operands else 0, count]


def _count(type: Instr) -> object:
    return type.operands[1] if type.op == op.TypeVector and len(type.operands) == 2 else 1


def _fault(instr: Instr) -> str:
    """What is wrong with the types of one instruction; "" if nothing is."""
    code = instr.op
    if code == op.Store:
        return _points_to(instr, operand_type(instr, 1), "the value stored")
    if code == op.FunctionCall:
        return _call(instr)
    typed = traits.TYPED[code]
    if typed == "pointer":
        pointer = operand_type(instr, 0)
        if pointer is None or pointer.op not in POINTERS:
            return "operand 1 is not a pointer"
        if code == op.CopyMemory:
            source = operand_type(instr, 1)
            return "operand 2 is not a pointer" if source is None or source.op not in POINTERS else ""
        return _chain(instr, pointer, 1 if code in traits.OBJECT_CHAIN else 2) if code in traits.CHAIN else ""
    type = instr.type
    if type is None:
        return ""
    if code == op.Load:
        return _points_to(instr, type, "the result")
    if code == op.Variable:
        storage = instr.operands[0] if instr.operands else None
        return "" if type.op == op.TypePointer and type.operands[0] == storage else _UNLIKE_STORAGE
    if code == op.Phi:
        return _all_like(instr, type, range(0, len(instr.operands), 2))
    if code == op.CopyObject:
        return _all_like(instr, type, range(1))
    if code == op.Select:
        condition = operand_type(instr, 0)
        if condition is None or _is_judged(condition) and not _is(condition, op.TypeBool):
            return "the condition is not a bool"
        return _all_like(instr, type, range(1, 3))
    if code == op.Constant or code == op.SpecConstant:
        return "" if type.op == op.TypeInt or type.op == op.TypeFloat else "its type is no integer or float"
    if code == op.CompositeExtract:
        return _member(instr, 0, type)
    if code == op.CompositeInsert:
        stored = operand_type(instr, 0)
        if operand_type(instr, 1) is not type:
            return "the composite is not of the result's type"
        return "operand 1 has no type" if stored is None else _member(instr, 1, stored)
    if typed == "ballot":
        if code == op.GroupNonUniformBallot:
            predicate = operand_type(instr, 1)
            if predicate is None or predicate.op != op.TypeBool:
                return "its predicate is not a bool"
        place = 1 if code == op.GroupNonUniformBallotBitExtract else len(instr.operands) - 1
        ballot = type if code == op.GroupNonUniformBallot else operand_type(instr, place)
        return "" if ballot is not None and _is_ballot(ballot) else "its ballot is not four 32-bit integers"
    if not _is_judged(type):
        return ""
    everything = range(len(instr.operands))
    if typed == "floats":
        return _all_like(instr, type, everything) if _is(type, op.TypeFloat) else "the result is no float"
    if typed == "bools":
        return _all_like(instr, type, everything) if _is(type, op.TypeBool) else "the result is no bool"
    if typed == "integers":
        return _integers(instr, type) if _is(type, op.TypeInt) else "the result is no integer"
    return _comparison(instr, type)


_UNLIKE_STORAGE: Final = "its type is not a pointer to its storage class"


POINTERS: Final = frozenset((op.TypePointer, op.TypeUntypedPointerKHR))


def _all_like(instr: Instr, type: Instr, indices: range) -> str:
    for index in indices:
        if operand_type(instr, index) is not type and not _is_type_as_value(instr.operands[index], type):
            return f"operand {index + 1} is not of the result's type"
    return ""


def _is_type_as_value(operand: Operand, type: Instr) -> bool:
    return type.op == op.TypeType and isinstance(operand, Instr) and operand.has_result and operand.type is None


def _member(instr: Instr, composite: int, wanted: Instr) -> str:
    """Whether the literals after operand `composite` lead to a part of it of type `wanted`."""
    part = operand_type(instr, composite)
    for literal in instr.operands[composite + 1 :]:
        if part is None or not isinstance(literal, int):
            return "its composite has no type"
        inner = _part(part, literal)
        if inner is None and not _is_judged(part) and part.op not in COMPOSITES and part.op not in POINTERS:
            return ""
        if inner is None:
            return f"its composite has no part {literal} at that level"
        part = inner
    return "" if part is wanted else "the part is of another type"


def _chain(instr: Instr, base: Instr, first: int) -> str:
    """Whether the indices from operand `first` on lead from what `base` points to, to what the result does."""
    result = instr.type
    if result is None or result.op not in POINTERS:
        return "the result is not a pointer"
    steps = operand_type(instr, 1)  # over whole objects, before the indices of what has them
    if first == 2 and (steps is None or steps.op != op.TypeInt):
        return "operand 2 is not an integer"
    part = base.operands[1] if base.op == op.TypePointer and len(base.operands) == 2 else None
    for place in range(first, len(instr.operands)):
        index = instr.operands[place]
        kind = operand_type(instr, place)
        if not isinstance(part, Instr):
            return ""
        if kind is None or kind.op != op.TypeInt or not isinstance(index, Value):
            return f"operand {place + 1} is not an integer"
        literal = 0
        if part.op == op.TypeStruct:
            member = _number(index)
            if member is None:
                return f"operand {place + 1} is not the constant that a member's number must be"
            literal = member
        inner = _part(part, literal)
        if inner is None and not _is_judged(part) and part.op not in COMPOSITES:
            return ""
        if inner is None:
            return f"operand {place + 1} leads nowhere"
        part = inner
    alike = not isinstance(part, Instr) or result.op != op.TypePointer or result.operands[1] is part
    return "" if alike else "the result points to another type"


def _part(type: Instr, number: int) -> Instr | None:
    """The type of part `number` of a composite; None where there is none."""
    if number < 0:
        return None
    inner: Operand = 0
    if type.op == op.TypeStruct:
        inner = type.operands[number] if number < len(type.operands) else 0
    elif type.op in COMPOSITES and type.operands:
        count = type.operands[1] if len(type.operands) > 1 else None
        if isinstance(count, Value):
            count = _number(count)
        if not isinstance(count, int) or number < count:  # a specialization constant is any length
            inner = type.operands[0]
    return inner if isinstance(inner, Instr) else None


def _number(value: Value) -> int | None:
    """What a constant integer is; None for anything else, also for one that is not as it must be."""
    if not isinstance(value, Instr) or value.type is None or value.op != op.Constant:
        return None
    type = value.type
    whole = type.op == op.TypeInt and len(type.operands) == 2 and is_width(type.operands[0])
    if not whole or any(not isinstance(word, int) for word in [type.operands[1], *value.operands]):
        return None
    return as_int(value)


COMPOSITES: Final = traits.OF_ELEMENTS | {op.TypeStruct, op.TypeVectorIdEXT}


def _is_ballot(type: Instr) -> bool:
    return type.op == op.TypeVector and _is(type, op.TypeInt) and _shape(type) == [32, 4]


def _integers(instr: Instr, type: Instr) -> str:
    for index in range(len(instr.operands)):
        other = operand_type(instr, index)
        if other is None or not _is(other, op.TypeInt) or _shape(other) != _shape(type):
            return f"operand {index + 1} is not an integer of the result's width and size"
    return ""


def _comparison(instr: Instr, type: Instr) -> str:
    if not _is(type, op.TypeBool):
        return "the result is no bool"
    kind = op.TypeInt if traits.TYPED[instr.op] == "int-compare" else op.TypeFloat
    first = operand_type(instr, 0)
    second = operand_type(instr, 1)
    if first is None or second is None or not _is(first, kind) or not _is(second, kind):
        return "an operand is not an integer" if kind == op.TypeInt else "an operand is not a float"
    if _shape(first) != _shape(second):
        return "the operands differ in width or size"
    return "" if _count(first) == _count(type) else "the result differs in size from the operands"


def _points_to(instr: Instr, value: Instr | None, what: str) -> str:
    pointer = operand_type(instr, 0)
    if pointer is None:
        return "operand 1 is not a pointer"
    if pointer.op != op.TypePointer:
        return "" if pointer.op == op.TypeUntypedPointerKHR else "operand 1 is not a pointer"
    alike = len(pointer.operands) == 2 and pointer.operands[1] is value
    return "" if alike else f"{what} is not what operand 1 points to"


def _call(instr: Instr) -> str:
    callee: Value | None = None
    if instr.operands and isinstance(instr.operands[0], Value):
        callee = instr.operands[0]
    if not isinstance(callee, Function):
        return "operand 1 is not a function"
    if instr.type is not callee.result:
        return "the result is not of the called function's result type"
    if len(instr.operands) - 1 != len(callee.params):
        return f"{len(instr.operands) - 1} arguments for {len(callee.params)} parameters"
    for index, param in enumerate(callee.params):
        given = operand_type(instr, index + 1)
        if given is None or param.type is None:
            return f"argument {index + 1} or its parameter has no type"
        # Pointers need only match logically where variable pointers are allowed.
        if given is not param.type and not (given.op == op.TypePointer and param.type.op == op.TypePointer):
            return f"argument {index + 1} is not of its parameter's type"
    return ""
