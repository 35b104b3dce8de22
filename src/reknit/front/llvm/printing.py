"""printf: an instruction of NonSemantic.DebugPrintf, which gives 0.

    printf("%d: %v2hhd %s\\n", %i, %v, "end")        DebugPrintf "%d: %d,%d end\\n" %i %v.x %v.y

Vectors are printed component by component with commas between (OpenCL C 3.0, 6.15.14.2), strings are written into the
format, as both are constants; a number has as many bits as it is given with, so only the length of 64 bits stays.
Source: SPIR-V registry, NonSemantic.DebugPrintf, instruction 1.
"""

import re
from typing import Final

from reknit.front.llvm import syntax
from reknit.front.llvm.bits import scalar
from reknit.front.llvm.results import Result
from reknit.front.llvm.state import Lowering
from reknit.front.llvm.syntax import Operand, Statement, Type
from reknit.front.llvm.target import Target
from reknit.front.llvm.unsupported import Refusal
from reknit.front.llvm.wide import parts_of
from reknit.ir import op
from reknit.ir.instr import Instr
from reknit.ir.types import void_type
from reknit.ir.value import Value
from reknit.source.digits import saturated

PRINTF: Final = "printf"
_SET: Final = "NonSemantic.DebugPrintf"
_CONVERSION: Final = re.compile(r"%([-+ #0]*)(\d*)(\.\d*)?(?:v(\d+))?(hh|hl|h|ll|l)?([a-zA-Z%])")
_INTEGERS: Final = "diouxXc"
_FLOATS: Final = "fFeEgGaA"


def printed(lowering: Lowering, statement: Statement) -> Result:
    """Raises Refusal."""
    target = lowering.target
    if not statement.operands:
        raise Refusal("prints without a format")
    given = statement.operands[1:]
    values: list[Value] = []
    text = ""
    end = 0
    format = _text(lowering, statement.operands[0])
    for match in _CONVERSION.finditer(format):
        text += format[end : match.start()]
        end = match.end()
        kind = match[6]
        if kind == "%":
            text += "%%"
            continue
        if not given:
            raise Refusal("prints fewer values than its format has")
        operand = given.pop(0)
        if kind == "s":
            text += _padded(_text(lowering, operand), match[1], match[2], match[3]).replace("%", "%%")
            continue
        parts = _parts(lowering, operand, kind, saturated(match[4] or "1"))
        length = "l" if kind in _INTEGERS and scalar(operand.type).width == 64 else ""
        text += ",".join([f"%{match[1]}{match[2]}{match[3] or ''}{length}{kind}"] * len(parts))
        values += parts
    text += format[end:]
    target.extension("SPV_KHR_non_semantic_info")
    target.emit(op.ExtInst, void_type(target.module), [_imported(target), 1, _string(target, text), *values])
    return target.constant(statement.type, 0)


def _parts(lowering: Lowering, operand: Operand, kind: str, count: int) -> list[Value]:
    """The numbers of a conversion, narrow integers widened with the sign that it has."""
    target = lowering.target
    type = scalar(operand.type)
    wanted = syntax.INT if kind in _INTEGERS else syntax.FLOAT if kind in _FLOATS else ""
    components = operand.type.count if operand.type.kind == syntax.VECTOR else 1
    if type.kind != wanted or components != count:
        raise Refusal(f"prints what is of type {operand.type.name} as '%{f'v{count}' if count > 1 else ''}{kind}'")
    parts = parts_of(lowering, operand)
    if type.width >= 32:
        return parts
    if wanted == syntax.FLOAT:
        return [target.emit(op.FConvert, target.float(32), [part]) for part in parts]
    code = op.SConvert if kind in "di" else op.UConvert
    return [target.emit(code, target.u32, [part]) for part in parts]


def _text(lowering: Lowering, operand: Operand) -> str:
    """The constant string that a pointer is one to, up to its zero."""
    while operand.kind == syntax.EXPRESSION and all(part.number == 0 for part in operand.parts[1:]):
        operand = operand.parts[0]
    variable = lowering.scene.program.globals.get(operand.text) if operand.kind == syntax.GLOBAL else None
    initial = variable.initial if variable is not None and variable.constant else None
    if initial is None or not _is_text(initial.type) or initial.kind not in (syntax.LIST, syntax.ZERO):
        raise Refusal("prints a pointer, or by a format or string that is no constant")
    data = bytes([part.number & 0xFF for part in initial.parts])
    return data.partition(b"\0")[0].decode("utf-8", "replace")


def _is_text(type: Type) -> bool:
    return type.kind == syntax.ARRAY and type.parts[0].kind == syntax.INT and type.parts[0].width == 8


def _padded(text: str, flags: str, width: str, precision: str | None) -> str:
    if precision is not None:
        text = text[: saturated(precision[1:] or "0")]
    size = saturated(width or "0")
    if size > _WIDEST:
        raise Refusal(f"prints a string {size} wide")
    return text.ljust(size) if "-" in flags else text.rjust(size)


_WIDEST: Final = 4095
"""ISO C, 7.21.6.1: what a conversion can be counted on to write."""


def _imported(target: Target) -> Instr:
    module = target.module
    imported = next((have for have in module.imports if have.text(0) == _SET), None)
    if imported is None:
        imported = Instr(op.ExtInstImport, None, [_SET])
        module.imports.append(imported)
    return imported


def _string(target: Target, text: str) -> Instr:
    module = target.module
    known = next((have for have in module.sources if have.op == op.String and have.text(0) == text), None)
    if known is None:
        known = Instr(op.String, None, [text])
        module.sources.append(known)
    return known
