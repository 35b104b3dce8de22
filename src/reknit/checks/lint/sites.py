"""Where to point for each instruction, block, construct, case and function.

    OpLine, DebugLine          blur.comp:41:20         a shader compiled with debug lines
    assembly, .rk              blur.spvasm:120:5
    binary                     blur.spv:word 311
    none of these              what is around it, in the end blur.spv

A block stands for how it ends: the jump that leaves something.
"""

from reknit.ir.block import Block
from reknit.ir.instr import Instr
from reknit.ir.locate import place_of, place_of_jump
from reknit.ir.module import Module
from reknit.ir.tree import Case, Construct, Loop
from reknit.ir.value import Value
from reknit.source.place import Place


def site(value: Value | None, module: Module) -> Place:
    """The place of a value, or of what is around it."""
    current = value
    while current is not None:
        place = _own(current, module)
        if place.line > 0 or place.word >= 0:
            return place
        current = _around(current)
    return Place(module.path)


def _own(value: Value, module: Module) -> Place:
    if isinstance(value, Block):
        return place_of_jump(value, module)
    if isinstance(value, Case):
        place = place_of(value, module)
        return place if place.line > 0 else place_of(value.region.entry(), module)
    if isinstance(value, Loop) and (module.places is None or value not in module.places.starts):
        return place_of_jump(value.body.entry(), module)  # of SPIR-V: where its OpLoopMerge is
    return place_of(value, module)


def _around(value: Value) -> Value | None:
    """What a value is in: its block, its construct, its function."""
    if isinstance(value, Instr):
        return value.block
    if isinstance(value, Case):
        return value.switch
    if isinstance(value, (Block, Construct)):
        return value.region.owner if value.region is not None else None
    return None
