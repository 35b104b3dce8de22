"""promote-variables: where phis go, what stays a variable. Expected texts are derived by hand from frontiers."""

import pytest
from kit.random.trees import program, results
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
C = "%c = ULessThan %lane, 2u : bool\n"


def count(module: Module, code: int) -> int:
    return sum(instr.op == code for instr in instructions(module.functions[0]))


def promoted(text: str) -> Module:
    module = body(text)
    before = results(module)
    module = body(text)
    changed, _ = apply(module, PROMOTE_VARIABLES)
    assert changed
    assert results(parse(print_module(module))) == before
    return module


def test_stores_in_both_arms_meet_in_a_phi() -> None:
    module = promoted(
        V + C + "if %c {\npad a:\nStore %v, 1u\n} else {\npad b:\nStore %v, 2u\n}\npad m:\n%x = Load %v : u32\n"
        "Store %slot, %x\nreturn"
    )
    assert main_text(module) == main_text(
        body(C + "if %c {\npad a:\n} else {\npad b:\n}\npad m:\n%v = Phi 1u a, 2u b : u32\nStore %slot, %v\nreturn")
    )


def test_a_straight_line_needs_no_phi() -> None:
    module = promoted(V + "Store %v, %lane\n%x = Load %v : u32\nStore %v, 3u\nStore %slot, %x\nreturn")
    assert main_text(module) == main_text(body("Store %slot, %lane\nreturn"))


def test_a_load_before_any_store_is_undefined() -> None:
    module = body(V + "%x = Load %v : u32\n%y = Load %v : u32\n%s = IAdd %x, %y : u32\nStore %slot, %s\nreturn")
    apply(module, PROMOTE_VARIABLES)
    undefs = [instr for instr in module.globals if instr.op == op.Undef]
    assert len(undefs) == 1, "one for the type"
    add = next(instr for instr in instructions(module.functions[0]) if instr.op == op.IAdd)
    assert add.operands == [undefs[0], undefs[0]]


def test_an_initializer_is_the_first_value() -> None:
    module = body("%v = Variable Function 9u : ptr<Function, u32>\n%x = Load %v : u32\nStore %slot, %x\nreturn")
    apply(module, PROMOTE_VARIABLES)
    assert main_text(module) == main_text(body("Store %slot, 9u\nreturn"))


def test_a_loop_carries_its_variable_in_a_phi_of_its_header() -> None:
    module = promoted(
        V + "Store %v, 0u\npad s:\nloop @l {\nhead:\n%x = Load %v : u32\n%c = UGreaterThan %x, %lane : bool\n"
        "if %c nojoin { break @l }\n%n = IAdd %x, 1u : u32\nStore %v, %n\n} continuing {\npad k:\n}\n"
        "%e = Load %v : u32\nStore %slot, %e\nreturn"
    )
    assert main_text(module) == main_text(
        body(
            "pad s:\nloop @l {\nhead:\n%v = Phi 0u s, %n k : u32\n%c = UGreaterThan %v, %lane : bool\n"
            "if %c nojoin { break @l }\n%n = IAdd %v, 1u : u32\n} continuing {\npad k:\n}\nStore %slot, %v\nreturn"
        )
    )


def test_a_phi_that_nothing_reads_is_not_made() -> None:
    """The variable is stored in the arm and read there only: behind the if it is dead (pruned form)."""
    module = promoted(V + C + "Store %v, 5u\nif %c {\nStore %v, %lane\n%x = Load %v : u32\nStore %slot, %x\n}\nreturn")
    assert count(module, op.Phi) == 0


@pytest.mark.parametrize(
    "access",
    [
        "%x = Load %v Volatile : u32\nStore %slot, %x",
        "%x = Load %v Nontemporal : u32\nStore %slot, %x",
        "Store %v, 1u Volatile",
    ],
)
def test_what_is_accessed_in_another_way_stays(access: str) -> None:
    module = body(V + access + "\nreturn")
    assert not apply(module, PROMOTE_VARIABLES)[0]
    assert count(module, op.Variable) == 1


def test_an_aligned_access_is_plain() -> None:
    module = body(V + "Store %v, 1u Aligned 4\n%x = Load %v Aligned 4 : u32\nStore %slot, %x\nreturn")
    assert apply(module, PROMOTE_VARIABLES)[0]
    assert count(module, op.Variable) == 0


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
