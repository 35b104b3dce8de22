"""Edits of what stands around code: decorations, execution modes, memory semantics, volatile accesses, what variables
hold at first. See `edits`.
"""

import random
from typing import Final

from kit.random.edits import Edit, chosen, movable

from reknit.ir import enums, op, traits
from reknit.ir.function import Function
from reknit.ir.instr import Instr
from reknit.ir.module import Module, annotation
from reknit.ir.types import int_type
from reknit.ir.walk import instructions


def semantics_changed(module: Module, function: Function, rng: random.Random) -> bool:
    """Another scope or other memory semantics."""
    found = [each for each in movable(function) if each.op in traits.ORDERING]
    instr = chosen(rng, found)
    if instr is None:
        return False
    places = [at for at, each in enumerate(instr.operands) if isinstance(each, Instr) and each.op == op.Constant]
    if not places:
        return False
    number = rng.choice((0, 1, 2, 3, 4, 0x48, 0x42, 0x44, 0x108, 0x148))
    instr.set_operand(rng.choice(places), module.intern(op.Constant, int_type(module, 32, False), [number]))
    return True


def access_changed(module: Module, function: Function, rng: random.Random) -> bool:
    """A load or store is volatile, or no longer."""
    instr = chosen(rng, [each for each in movable(function) if each.op in (op.Load, op.Store)])
    if instr is None:
        return False
    plain = 1 if instr.op == op.Load else 2
    if len(instr.operands) > plain:
        instr.set_operands(list(instr.operands[:plain]))
    else:
        instr.set_operands([*instr.operands, enums.MemoryAccessVolatile])
    function.touch()
    return True


def decoration_changed(module: Module, function: Function, rng: random.Random) -> bool:
    """A decoration less, or another number in it."""
    if not module.decorations:
        return False
    note = rng.choice(module.decorations)
    if note.operands[1] == enums.DecorationBuiltIn:
        return False
    words = [at for at, each in enumerate(note.operands) if isinstance(each, int)]
    if rng.random() < 0.4 or not words:
        module.decorations.remove(note)
    else:
        at = words[-1]
        note.set_operand(at, note.word(at) ^ rng.choice((1, 2, 4)))
    return True


def decoration_added(module: Module, function: Function, rng: random.Random) -> bool:
    """A promise or a freedom that was not there."""
    marks = (
        enums.DecorationNoSignedWrap, enums.DecorationNoUnsignedWrap, enums.DecorationRelaxedPrecision,
        enums.DecorationRestrict, enums.DecorationNonWritable, enums.DecorationNonUniform,
    )  # fmt: skip
    mark = rng.choice(marks)
    if mark in (enums.DecorationRestrict, enums.DecorationNonWritable):
        found = [each for each in module.globals if each.op == op.Variable]
    elif mark == enums.DecorationRelaxedPrecision:
        found = [each for each in movable(function) if each.has_result]
    else:
        found = [each for each in movable(function) if each.op in (op.IAdd, op.ISub, op.IMul)]
    instr = chosen(rng, found)
    if instr is None:
        return False
    module.decorations.append(annotation(op.Decorate, [instr, mark]))
    return True


def mode_changed(module: Module, function: Function, rng: random.Random) -> bool:
    """An execution mode less, or another size of the workgroup."""
    mode = rng.choice(module.execution_modes)
    if len(mode.operands) > 2 and rng.random() < 0.7:
        mode.set_operand(2, mode.word(2) * rng.choice((2, 4)))
    else:
        module.execution_modes.remove(mode)
    return True


def start_changed(module: Module, function: Function, rng: random.Random) -> bool:
    """What a variable holds at first."""
    found = [each for each in [*module.globals, *instructions(function)] if each.op == op.Variable]
    found = [each for each in found if each.word(0) in (enums.StorageClassFunction, enums.StorageClassPrivate)]
    instr = chosen(rng, found)
    if instr is None:
        return False
    assert instr.type is not None
    if len(instr.operands) > 1:
        instr.set_operands([instr.word(0)])
    else:
        null = module.intern(op.ConstantNull, instr.type.instr(1), [])
        instr.set_operands([*instr.operands, null])
    function.touch()
    return True


EDITS_AROUND: Final[list[Edit]] = [
    semantics_changed, access_changed, decoration_changed, decoration_added, mode_changed, start_changed,
]  # fmt: skip
