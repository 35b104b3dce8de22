"""Where an implementation may compute something else than the simulator, which rounds each operation correctly.

    FDiv, sin, pow, dot, matrix products, sums over a subgroup     some units in the last place, or more
    FMul whose product is added                                    fused, unless NoContraction
    a denormal, the sign of a zero, the bits of a NaN              unless the entry point has the modes that keep them

Sources: Vulkan, "Precision and Operation of SPIR-V Instructions"; SPIR-V 1.6, 3.2.20 "NoContraction" and
"RelaxedPrecision".
"""

import math
from typing import Final, final

from reknit.ir import enums, glsl, op, opcodes, traits
from reknit.ir.instr import Instr
from reknit.ir.module import Module
from reknit.ir.walk import instructions
from reknit.sim.decorations import Decorations
from reknit.sim.entry import find_entry, function_of_entry, reached_functions
from reknit.sim.ops.ieee import format_of

MAX_NAMED: Final = 3
NEAR: Final = 2.0**-10

EXACT: Final = frozenset((
    glsl.Round, glsl.RoundEven, glsl.Trunc, glsl.FAbs, glsl.SAbs, glsl.FSign, glsl.SSign, glsl.Floor, glsl.Ceil,
    glsl.Fract, glsl.Modf, glsl.ModfStruct, glsl.FMin, glsl.UMin, glsl.SMin, glsl.FMax, glsl.UMax, glsl.SMax,
    glsl.FClamp, glsl.UClamp, glsl.SClamp, glsl.Step, glsl.Frexp, glsl.FrexpStruct, glsl.FindILsb, glsl.FindSMsb,
    glsl.FindUMsb, glsl.NMin, glsl.NMax, glsl.NClamp, glsl.PackDouble2x32, glsl.UnpackDouble2x32, glsl.FaceForward,
))  # fmt: skip
"""Instructions of GLSL.std.450 with one result; `RoundingMode` aside."""

SUMS: Final = (op.FAdd, op.FSub)


@final
class Precision:
    """What of an entry point's results is the implementation's: `operations` names some of those, `keeps` has the modes
    that it declares, each with the width."""

    __slots__ = ("operations", "keeps")

    def __init__(self, module: Module, entry: str | None, models: tuple[int, ...] = ()) -> None:
        point = find_entry(module, entry, models)
        self.keeps: dict[tuple[int, int], None] = {}
        for mode in module.execution_modes:
            if mode.operands[0] is point.operands[1] and len(mode.operands) == 3 and mode.op == op.ExecutionMode:
                self.keeps[mode.word(1), mode.word(2)] = None
        decorations = Decorations(module)
        names: dict[str, None] = {}
        for function in reached_functions(module, function_of_entry(point, True)):
            for instr in instructions(function):
                if is_imprecise(instr, decorations):
                    names[_name(instr)] = None
        self.operations = list(names)

    def is_near(self, expected: int, actual: int, width: int) -> bool:
        """Whether the difference of two floats may come of how the operations round: they are far from each other only
        if something else is computed. `sin` and `log` may be off by 2^-11 and 2^-21."""
        form = format_of(width)
        if form is None or not self.operations:
            return False
        left, other = form.decode(expected), form.decode(actual)
        if not (math.isfinite(left) and math.isfinite(other)):
            return self.tolerates(expected, actual, width)
        return abs(left - other) <= NEAR * max(1.0, abs(left), abs(other))

    def named(self) -> str:
        more = ", ..." if len(self.operations) > MAX_NAMED else ""
        return ", ".join(self.operations[:MAX_NAMED]) + more

    def tolerates(self, expected: int, actual: int, width: int) -> bool:
        """Whether an element may be one as well as the other without any instruction being to blame."""
        form = format_of(width)
        if form is None:
            return False
        sign = 1 << (width - 1)
        infinite = form.encode(float("inf"))
        if expected & (sign - 1) > infinite or actual & (sign - 1) > infinite:  # no bits of a NaN are promised
            return expected & (sign - 1) > infinite and actual & (sign - 1) > infinite
        if not actual & (sign - 1) and not expected & (sign - 1):
            return (enums.ExecutionModeSignedZeroInfNanPreserve, width) not in self.keeps
        smallest = infinite & -infinite
        small = expected & (sign - 1) < smallest
        return small and not actual & (sign - 1) and (enums.ExecutionModeDenormPreserve, width) not in self.keeps


def is_imprecise(instr: Instr, decorations: Decorations) -> bool:
    if instr.op in traits.IMPRECISE:
        return True
    if instr.op == op.ExtInst:
        return instr.instr(0).text(0) == "GLSL.std.450" and instr.word(1) not in EXACT
    if instr.has_result and decorations.has(instr, enums.DecorationRelaxedPrecision):
        return instr.op not in (op.Load, op.Variable, op.AccessChain)
    if instr.op not in SUMS or decorations.has(instr, enums.DecorationNoContraction):
        return False
    return any(
        isinstance(operand, Instr)
        and operand.op == op.FMul
        and not decorations.has(operand, enums.DecorationNoContraction)
        for operand in instr.operands
    )


def _name(instr: Instr) -> str:
    info = opcodes.info(instr.op)
    if instr.op == op.ExtInst:
        known = opcodes.ext_set("GLSL.std.450")
        ext_inst = known.by_number.get(instr.word(1)) if known is not None else None
        return ext_inst.name if ext_inst is not None else "OpExtInst"
    if instr.op in SUMS:
        return "a product that is added"
    return f"Op{info.name}" if info is not None else str(instr.op)
