"""Result, type and operands of every instruction, as the opcode table has them.

    %x = IAdd %a, %b : u32      a result with a type, two ids
    Store %p, %x Aligned 4      neither; two ids, a mask, and what the mask brings

What the table does not know is not judged.
"""

from reknit.ir import op
from reknit.ir.block import Block
from reknit.ir.debug import EXT_INSTS
from reknit.ir.instr import Instr, Operand
from reknit.ir.opcodes import ID, STRING, OperandSpec, OpInfo, info
from reknit.ir.text.plain import is_width
from reknit.ir.text.slots import Slots, imported_set
from reknit.ir.value import Value
from reknit.ir.verify.report import Report


def check_instruction(report: Report, instr: Instr, block: Block | None) -> bool:
    """Whether the instruction is as the table has it; what is not is reported."""
    before = len(report.faults)
    about = info(instr.op)
    if about is None:
        return True
    if about.has_result != instr.has_result:
        need = "has no result" if about.has_result else "has a result, which it must not"
        report.fault("RK0415", f"the instruction {need}", block, instr)
    if about.has_type != (instr.type is not None):
        need = "has no result type" if about.has_type else "has a result type, which it must not"
        report.fault("RK0415", f"the instruction {need}", block, instr)
    if instr.op == op.Constant or instr.op == op.SpecConstant:
        _literal(report, instr)
    elif not _is_only_ids(about, instr.operands):
        _operands(report, instr, block)
    return len(report.faults) == before


def _is_only_ids(about: OpInfo, operands: list[Operand]) -> bool:
    """The common case, seen at a glance: a fixed number of ids."""
    specs = about.operands
    if len(specs) != len(operands):
        return False
    for index, spec in enumerate(specs):
        if spec.form != ID or spec.quantifier or not isinstance(operands[index], Value):
            return False
    return True


def _operands(report: Report, instr: Instr, block: Block | None) -> None:
    slots = Slots(info(instr.op))
    for index, operand in enumerate(instr.operands):
        spec = slots.peek()
        while spec is not None and spec.quantifier and not _fits(spec, operand):
            if slots.todo[-1].quantifier == "":
                break
            slots.skip()
            spec = slots.peek()
        if spec is None:
            report.fault("RK0416", f"operand {index + 1} is one too many", block, instr)
            return
        if instr.op == op.Switch and isinstance(operand, int) and spec.form == ID and index > 2:
            continue  # a further word of a literal
        if not _fits(spec, operand):
            wanted = spec.name or spec.kind
            report.fault("RK0416", f"operand {index + 1} is {_kind(operand)}, not {wanted}", block, instr)
            return
        if isinstance(operand, int) and not 0 <= operand <= 0xFFFFFFFF:
            report.fault("RK0416", f"operand {index + 1} is not a word", block, instr)
            return
        slots.take(operand)
        if instr.op in EXT_INSTS and index == 0:
            slots.ext = imported_set(operand)
    missing = slots.missing()
    if missing is not None:
        report.fault("RK0416", f"an operand is missing: {missing.name or missing.kind}", block, instr)


def _fits(spec: OperandSpec, operand: Operand) -> bool:
    if isinstance(operand, Value):
        return spec.form == ID or spec.kind in ("PairIdRefIdRef", "PairIdRefLiteralInteger")
    if isinstance(operand, str):
        return spec.form == STRING
    return spec.form not in (ID, STRING)


def _kind(operand: Operand) -> str:
    if isinstance(operand, Value):
        return "an id"
    return "a string" if isinstance(operand, str) else "a number"


def _literal(report: Report, instr: Instr) -> None:
    """As many words as the type has."""
    type = instr.type
    if type is None or not type.operands or type.op not in (op.TypeInt, op.TypeFloat) or not is_width(type.operands[0]):
        return
    count = (type.word(0) + 31) // 32
    words = [operand for operand in instr.operands if isinstance(operand, int) and 0 <= operand <= 0xFFFFFFFF]
    if len(words) != len(instr.operands) or len(words) != count:
        report.fault("RK0416", f"the number of its type takes {count} words", instr.block, instr)
