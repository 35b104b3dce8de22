"""Making computations smaller: instructions, what they compute, constants.

    %b = Foo %a ... use %b   ──▶  use undef
    use %b, a number         ──▶  use 0, true or false
    x + 100u                 ──▶  x + 50u
"""

from collections.abc import Sequence
from typing import Final

from reknit.ir import op, traits
from reknit.ir.constants import as_int, bool_constant, int_constant
from reknit.ir.edit import replace_uses
from reknit.ir.insert import remove_instr
from reknit.ir.instr import Instr
from reknit.ir.module import Module
from reknit.ir.types import is_bool, is_int
from reknit.ir.walk import blocks, instructions
from reknit.reduction.strategy import Reduction, Target


def _instructions(module: Module) -> list[Target]:
    targets: list[Target] = []
    for function in module.functions:
        for block in blocks(function):
            for instr in block:
                if instr.op != op.Variable or not instr.is_used():
                    targets.append((instr,))
    return targets


def _remove_instructions(module: Module, targets: Sequence[Target]) -> None:
    for target in reversed(targets):
        instr = target[0]
        assert isinstance(instr, Instr)
        remove_instr(module, instr)


def _values(module: Module) -> list[Target]:
    """(what computes an integer or bool that is used, constant to put in its place)."""
    targets: list[Target] = []
    for function in module.functions:
        for instr in [*function.params, *instructions(function)]:
            if instr.type is not None and instr.is_used():
                if is_bool(instr.type):
                    targets.append((instr, 0))
                    targets.append((instr, 1))
                elif is_int(instr.type):
                    targets.append((instr, 0))
    for instr in module.globals:
        if instr.op == op.Undef and instr.type is not None and instr.is_used() and (_is_number(instr.type)):
            targets.append((instr, 0))
    return targets


def _is_number(type: Instr) -> bool:
    return is_bool(type) or is_int(type)


def _put_constants(module: Module, targets: Sequence[Target]) -> None:
    for target in targets:
        instr, value = target
        assert isinstance(instr, Instr) and isinstance(value, int) and instr.type is not None
        replace_uses(instr, _constant(module, instr.type, value))


def _constant(module: Module, type: Instr, value: int) -> Instr:
    return bool_constant(module, bool(value)) if is_bool(type) else int_constant(module, type, value)


def _constants(module: Module) -> list[Target]:
    """(instruction, operand, smaller number)."""
    targets: list[Target] = []
    for function in module.functions:
        for instr in instructions(function):
            if instr.op not in traits.PLAIN_CONSTANTS:
                continue
            for index, operand in enumerate(instr.operands):
                value = as_int(operand) if isinstance(operand, Instr) and operand.op == op.Constant else None
                if value is not None and abs(value) > 1:
                    targets.append((instr, index, 0))
                    targets.append((instr, index, 1))
                    targets.append((instr, index, value // 2))
    return targets


def _lower_constants(module: Module, targets: Sequence[Target]) -> None:
    for target in targets:
        instr, index, value = target
        assert isinstance(instr, Instr) and isinstance(index, int) and isinstance(value, int)
        old = instr.instr(index)
        assert old.type is not None
        instr.set_operand(index, _constant(module, old.type, value))


INSTRUCTIONS: Final = Reduction("instructions", _instructions, _remove_instructions)
VALUES: Final = (
    Reduction("values", _values, _put_constants),
    Reduction("constants", _constants, _lower_constants),
)
