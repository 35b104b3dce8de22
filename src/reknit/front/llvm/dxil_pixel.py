"""What only pixel shaders do, or neighbours of a quad: discard, differences, and where the pixel is.

    discard(82, i1 %c)        if (%c) DemoteToHelperInvocation: the invocation goes on for its quad's sake
    derivCoarseX(83, x)       DPdxCoarse            isHelperLane(221)      IsHelperInvocationEXT
    sampleIndex(90)           gl_SampleID           coverage(91)           gl_SampleMaskIn[0]

Source: DXC, docs/DXIL.rst; HLSL Shader Model 6.6 for IsHelperLane, and what discard leaves running.
"""

from typing import Final

from reknit.front.llvm import signatures, syntax
from reknit.front.llvm.dxil_signatures import builtin_port
from reknit.front.llvm.dxil_waves import is_helper
from reknit.front.llvm.results import Result
from reknit.front.llvm.state import Lowering
from reknit.front.llvm.syntax import Statement
from reknit.front.llvm.unsupported import Refusal
from reknit.ir import enums, op
from reknit.ir.edit import set_jump
from reknit.ir.instr import Instr
from reknit.ir.jump import Branch
from reknit.ir.value import Value

PIXELS: Final = (82, 83, 84, 85, 86, 90, 91, 92, 138, 221, 256, 257)

_DERIVATIVES: Final = {83: op.DPdxCoarse, 84: op.DPdyCoarse, 85: op.DPdxFine, 86: op.DPdyFine}
_SYSTEM: Final = {
    90: signatures.SAMPLE_INDEX, 91: signatures.COVERAGE, 92: signatures.INNER_COVERAGE, 138: signatures.VIEW_ID,
    256: signatures.START_VERTEX, 257: signatures.START_INSTANCE,
}  # fmt: skip


def pixel(lowering: Lowering, statement: Statement, code: int) -> Result:
    """Raises Refusal."""
    target = lowering.target
    if code == 82:
        _discard(lowering, statement)
        return None
    if code in _DERIVATIVES:
        return _derivative(lowering, statement, _DERIVATIVES[code])
    if code == 221:
        if lowering.scene.stage != "ps":
            return target.constant(statement.type, 0)
        return is_helper(target)
    port = builtin_port(lowering, _SYSTEM[code], False)
    place = port.variable
    if code == 91:
        place = port.place(target, [target.word(0)])
    value = target.emit(op.Load, port.component, [place])
    if port.component is target.boolean:
        return target.emit(op.Select, target.u32, [value, target.word(1), target.word(0)])
    return value


def _discard(lowering: Lowering, statement: Statement) -> None:
    """Shader Model 6 discards by making a helper of the invocation, which runs on."""
    target = lowering.target
    if lowering.scene.stage != "ps":
        raise Refusal("discards outside of a pixel shader")
    condition = statement.operands[1]
    target.capability(enums.CapabilityDemoteToHelperInvocation)
    target.extension("SPV_EXT_demote_to_helper_invocation")
    if condition.kind in (syntax.NUMBER, syntax.ZERO):
        if condition.number & 1:
            target.effect(op.DemoteToHelperInvocation, [])
        return
    value = lowering.value(condition)
    before = target.block
    demoting, rest = lowering.new_block(), lowering.new_block()
    set_jump(before, Branch(Instr(op.BranchConditional, None, [value, demoting, rest], "", False)))
    target.block = demoting
    target.effect(op.DemoteToHelperInvocation, [])
    set_jump(demoting, Branch(Instr(op.Branch, None, [rest], "", False)))
    target.block = rest


def _derivative(lowering: Lowering, statement: Statement, code: int) -> Result:
    """Of 32 bits, as SPIR-V has them."""
    target = lowering.target
    lowering.scene.derivatives = True
    target.capability(enums.CapabilityDerivativeControl)
    value: Value = lowering.value(statement.operands[1])
    single = target.float(32)
    wanted = lowering.type(statement)
    if wanted is not single:
        value = target.emit(op.FConvert, single, [value])
    difference = target.emit(code, single, [value])
    return difference if wanted is single else target.emit(op.FConvert, wanted, [difference])
