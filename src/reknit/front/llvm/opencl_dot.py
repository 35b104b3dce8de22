"""Dot products of four bytes: OpenCL's functions of cl_khr_integer_dot_product, which are instructions of SPIR-V.

    _Z3dotDv4_hS_(%a, %b)                      OpUDot         _Z3dotDv4_cDv4_h(%a, %b)     OpSUDot
    _Z20dot_4x8packed_ss_intjj(%a, %b)         OpSDot PackedVectorFormat4x8Bit
    _Z11dot_acc_satDv4_hS_j(%a, %b, %sum)      OpUDotAccSat

OpSUDot takes the signed bytes first: bytes of (unsigned, signed) change places.
Source: OpenCL C 3.0, 6.15.20; SPIR-V 1.6, 3.52.13.
"""

import re
from typing import Final

from reknit.front.llvm.results import Result
from reknit.front.llvm.state import Lowering
from reknit.front.llvm.syntax import Statement
from reknit.front.llvm.unsupported import Refusal
from reknit.ir import enums, op
from reknit.ir.instr import Operand as Word

_NAME: Final = re.compile(r"dot(_acc_sat)?(?:_4x8packed_([us])([us])_u?int)?")
_BYTES: Final = re.compile(r"Dv4_([ach])(?:Dv4_([ach])|S_)")
_FOUR_BYTES: Final = 0
"""PackedVectorFormat4x8Bit."""
_CODES: Final = {
    ("u", "u"): (op.UDot, op.UDotAccSat), ("s", "s"): (op.SDot, op.SDotAccSat), ("s", "u"): (op.SUDot, op.SUDotAccSat),
}  # fmt: skip


def is_known(name: str, signature: str) -> bool:
    match = _NAME.fullmatch(name)
    return match is not None and (match[2] is not None or _BYTES.match(signature) is not None)


def dot_call(lowering: Lowering, statement: Statement, name: str, signature: str) -> Result:
    """What a function gives that `is_known`. Raises Refusal."""
    target = lowering.target
    match = _NAME.fullmatch(name)
    assert match is not None
    packed = match[2] is not None
    signs = (match[2], match[3]) if packed else _signs(signature)
    wanted = "i32" if packed else "<4 x i8>"
    names = [operand.type.name for operand in statement.operands]
    if names != [wanted, wanted] + (["i32"] if match[1] else []) or statement.type.name != "i32":
        raise Refusal(f"multiplies what is of type {', '.join(names)}")
    a, b, *more = [lowering.value(operand) for operand in statement.operands]
    if signs == ("u", "s"):
        a, b, signs = b, a, ("s", "u")
    target.capability(enums.CapabilityDotProduct)
    target.capability(
        enums.CapabilityDotProductInput4x8BitPacked if packed else enums.CapabilityDotProductInput4x8Bit
    )
    target.extension("SPV_KHR_integer_dot_product")
    words: list[Word] = [a, b, *more]
    if packed:
        words.append(_FOUR_BYTES)
    return target.emit(_CODES[signs][1 if match[1] else 0], lowering.type(statement), words)


def _signs(signature: str) -> tuple[str, str]:
    match = _BYTES.match(signature)
    assert match is not None
    first = "u" if match[1] == "h" else "s"
    return first, first if match[2] is None else "u" if match[2] == "h" else "s"
