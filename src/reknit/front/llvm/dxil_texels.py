"""What an access to a texture gives: four components and a status, each where anything asks for it.

    extractvalue %r, 0 ... 3                         CompositeExtract
    extractvalue %r, 4                               the access is a sparse one, which gives { status, texel }
    checkAccessFullyMapped(71, %status)              OpImageSparseTexelsResident

Source: DXC, docs/DXIL.rst; SPIR-V 1.6, 3.52.10 (sparse image instructions).
"""

from typing import Final, final

from reknit.front.llvm import syntax
from reknit.front.llvm.results import Pieces, Result
from reknit.front.llvm.state import Lowering
from reknit.front.llvm.syntax import Statement, Type
from reknit.front.llvm.target import Target
from reknit.ir import enums, op
from reknit.ir.instr import Instr, Operand
from reknit.ir.sparse import SPARSE
from reknit.ir.value import Value

STATUS: Final = 4


@final
class Texel:
    """What an access gave; `status` is None where nothing asks for it."""

    __slots__ = ("whole", "status")

    def __init__(self, whole: Instr, status: Instr | None) -> None:
        self.whole = whole
        self.status = status


def used_parts(lowering: Lowering, statement: Statement) -> list[int]:
    """Which parts of an aggregate anything asks for; all if it is used whole."""
    used: list[int] = []
    for user in lowering.users.get(statement.name, []):
        if user.op != "extractvalue":
            return list(range(len(statement.type.parts)))
        used.append(user.literals[0])
    return list(dict.fromkeys(used))


def accessed(lowering: Lowering, statement: Statement, code: int, type: Instr, operands: list[Operand]) -> Texel:
    """`code` gives a texel of `type`."""
    target = lowering.target
    if STATUS not in used_parts(lowering, statement):
        return Texel(target.emit(code, type, operands), None)
    target.capability(enums.CapabilitySparseResidency)
    both = target.module.intern(op.TypeStruct, None, [target.u32, type])
    pair = target.emit(SPARSE[code], both, operands)
    status = target.emit(op.CompositeExtract, target.u32, [pair, 0])
    return Texel(target.emit(op.CompositeExtract, type, [pair, 1]), status)


def parts_of(lowering: Lowering, statement: Statement, texel: Texel, component: Instr) -> Result:
    """The four components and the status."""
    target = lowering.target
    part = statement.type.parts[0]
    items: list[Result] = [None] * (STATUS + 1)
    for index in sorted(used_parts(lowering, statement)):
        if index == STATUS:
            items[index] = texel.status
        else:
            single = texel.whole.type is component
            value = texel.whole if single else target.emit(op.CompositeExtract, component, [texel.whole, index])
            items[index] = of_component(target, value, part)
    return Pieces(items)


def of_component(target: Target, value: Instr, type: Type) -> Value:
    """A component of an image as a value of `type`."""
    ir_type = target.type(type)
    if type.kind == syntax.FLOAT and type.width < 32:
        return target.emit(op.FConvert, ir_type, [value])
    if type.width < 32:
        return target.emit(op.UConvert, ir_type, [value])
    return value if value.type is ir_type else target.emit(op.Bitcast, ir_type, [value])


def is_mapped(lowering: Lowering, statement: Statement) -> Result:
    """Whether all that an access read is there."""
    target = lowering.target
    target.capability(enums.CapabilitySparseResidency)
    status = lowering.value(statement.operands[1])
    return target.emit(op.ImageSparseTexelsResident, target.type(statement.type), [status])
