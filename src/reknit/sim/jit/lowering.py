"""A program whose dynamic dispatch is lowered, so that native code can be made of it: calls become switches.

    program ──▶ copy, promote-variables ──▶ all existentials made? ──▶ specialize-dispatch, lower-dispatch ──▶ program

The interpreter reports a call through an existential that nothing made; lowered, it would go to some type's method. So
what may be undefined is left to the interpreter, and so are existentials in memory, whose tags come from outside.
"""

from typing import Final

from reknit.ir import op, traits
from reknit.ir.dispatch import has_dispatch
from reknit.ir.module import Module
from reknit.ir.value import Value
from reknit.ir.walk import instructions
from reknit.passes.manager import run_passes
from reknit.sim.jit.text import Refused
from reknit.sim.run import Program
from reknit.source.diagnostic import InputError

LOWERING: Final = "specialize-dispatch, lower-dispatch"
SPECIALIZED: Final = (op.SpecConstant, op.SpecConstantTrue, op.SpecConstantFalse)
UNMADE: Final = (op.Undef, op.ConstantNull, op.Variable)


def lowered(program: Program) -> Program:
    """The program itself where it has no dynamic dispatch. Its buffers have the same order. Raises Refused."""
    if not has_dispatch(program.module):
        return program
    if any(instr.op in SPECIALIZED for instr in program.module.globals):
        raise Refused("has dynamic dispatch and specialization constants")
    module = program.module.copy()
    preparation = program.preparation
    try:
        run_passes(module, "promote-variables")
        refuse_unmade(module)
        run_passes(module, LOWERING)
        flat = Program(
            module, program.name, preparation.subgroup_size, None, preparation.kill_demotes, False, False,
            program.rules, preparation.fill.kind,
        )  # fmt: skip
    except InputError as error:
        raise Refused(f"has dynamic dispatch that can't be lowered: {error.diagnostics[0].message}") from None
    ours = [(buffer.label(), buffer.layout.size) for buffer in preparation.order]
    if ours != [(buffer.label(), buffer.layout.size) for buffer in flat.preparation.order]:
        raise Refused("has dynamic dispatch, and buffers that lowering changes")
    return flat


def refuse_unmade(module: Module) -> None:
    """Existentials that may be undefined, or come from memory."""
    held = dispatched_types(module)
    every = [*module.globals, *[instr for function in module.functions for instr in instructions(function)]]
    for instr in every:
        if instr.op in UNMADE and instr.type in held:
            raise Refused("has existentials that may be undefined, or are in memory")
        if instr.op in traits.ATOMIC:
            raise Refused("has dynamic dispatch and atomics")


def dispatched_types(module: Module) -> set[Value]:
    """The types of dynamic dispatch, and those that contain one."""
    held: set[Value] = set()
    for instr in module.globals:
        if instr.type is None and (instr.op >= op.TypeInterface or any(part in held for part in instr.operands)):
            held.add(instr)
    return held
