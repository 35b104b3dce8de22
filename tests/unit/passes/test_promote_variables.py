"""promote-variables: where phis go, what stays a variable. Expected texts are derived by hand from frontiers."""

import pytest
from kit.random.trees import program
from kit.text.pass_texts import apply, body, main_text

from reknit.ir import enums, op
from reknit.ir.cfg import predecessors
from reknit.ir.module import Module, annotation
from reknit.ir.text.parser import parse
from reknit.ir.text.printer import print_module
from reknit.ir.walk import blocks, instructions
from reknit.passes.eliminate_phis import ELIMINATE_PHIS
from reknit.passes.promote_variables import PROMOTE_VARIABLES

V = "%v = Variable Function : ptr<Function, u32>\n"


def count(module: Module, code: int) -> int:
    return sum(instr.op == code for instr in instructions(module.functions[0]))


def test_a_load_before_any_store_is_undefined() -> None:
    module = body(V + "%x = Load %v : u32\n%y = Load %v : u32\n%s = IAdd %x, %y : u32\nStore %slot, %s\nreturn")
    apply(module, PROMOTE_VARIABLES)
    undefs = [instr for instr in module.globals if instr.op == op.Undef]
    assert len(undefs) == 1, "one for the type"
    add = next(instr for instr in instructions(module.functions[0]) if instr.op == op.IAdd)
    assert add.operands == [undefs[0], undefs[0]]


@pytest.mark.parametrize(
    ("decoration", "stays"), [(enums.DecorationRelaxedPrecision, False), (enums.DecorationVolatile, True)]
)
def test_decorated_variables(decoration: int, stays: bool) -> None:
    module = body(V + "Store %v, 1u\n%x = Load %v : u32\nStore %slot, %x\nreturn")
    variable = next(instr for instr in instructions(module.functions[0]) if instr.op == op.Variable)
    module.decorations.append(annotation(op.Decorate, [variable, decoration]))
    apply(module, PROMOTE_VARIABLES)
    assert count(module, op.Variable) == (1 if stays else 0)


def test_a_nonuniform_load_keeps_its_variable() -> None:
    module = body(V + "Store %v, 1u\n%x = Load %v : u32\nStore %slot, %x\nreturn")
    load = next(instr for instr in instructions(module.functions[0]) if instr.name == "x")
    module.decorations.append(annotation(op.Decorate, [load, enums.DecorationNonUniform]))
    assert not apply(module, PROMOTE_VARIABLES)[0]


@pytest.mark.parametrize("seed", range(4))
def test_there_and_back(seed: int) -> None:
    """Every phi has one pair for each predecessor; taking the phis out again and promoting gives the same program."""
    module = program(seed)
    apply(module, PROMOTE_VARIABLES)
    for block in blocks(module.functions[0]):
        for phi in block.phis():
            assert set(phi.operands[1::2]) == set(predecessors(block))
            assert len(phi.operands) == 2 * len(predecessors(block))
    once = print_module(module)
    apply(module, ELIMINATE_PHIS)
    assert count(module, op.Phi) == 0
    apply(module, PROMOTE_VARIABLES)
    assert main_text(module) == main_text(parse(once))
