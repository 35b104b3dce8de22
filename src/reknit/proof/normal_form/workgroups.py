"""How large a workgroup is, as far as the module says: two that say otherwise have other inputs.

    ExecutionMode @main LocalSize 4 1 1
    ExecutionModeId @main LocalSizeId %x %y %z
    Decorate %size BuiltIn WorkgroupSize
"""

from typing import Final

from reknit.ir import enums, op
from reknit.ir.constant_bits import bits_of
from reknit.ir.function import Function
from reknit.ir.instr import Instr, Operand
from reknit.ir.module import Module
from reknit.proof.normal_form.decorations import Decorations
from reknit.source.meter import spend

_SIZES: Final = (enums.ExecutionModeLocalSize, enums.ExecutionModeLocalSizeId)


def size_of_workgroup(module: Module, entry: Function, decorations: Decorations) -> list[str]:
    """What decides the size, the same for two modules if they say the same."""
    texts: list[str] = []
    for mode in module.execution_modes:
        if mode.operands[0] is entry and mode.word(1) in _SIZES:
            texts.append(" ".join([_shown(each, decorations) for each in mode.operands[1:]]))
    for note in module.decorations:
        if note.op == op.Decorate and note.operands[1:] == [enums.DecorationBuiltIn, enums.BuiltInWorkgroupSize]:
            texts.append(_shown(note.operands[0], decorations))
    return sorted(texts)


def _shown(operand: Operand, decorations: Decorations) -> str:
    """A word, or the numbers of a constant; of one that specialization chooses, by which number it does."""
    if not isinstance(operand, Instr):
        return str(operand)
    shown: list[str] = []
    work = [operand]
    while work:
        spend(1)
        current = work.pop()
        bits = bits_of(current)
        if bits is not None:
            shown.append(str(bits))
        elif current.op in (op.ConstantComposite, op.SpecConstantComposite):
            work.extend([each for each in reversed(current.operands) if isinstance(each, Instr)])
        else:
            words = [each for each in current.operands if isinstance(each, int)]
            shown.append(f"{current.op} {decorations.of(current)} {words}")
    return " ".join(shown)
