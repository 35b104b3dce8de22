"""Which elements a tag can be: worked out by hand from the instructions that make it."""

import pytest
from kit.oracles.dispatch_runs import after
from kit.programs.dispatch import PROGRAMS

from reknit.ir import op
from reknit.ir.dispatch_sets import elements_of, set_of, tag_type
from reknit.ir.instr import Instr
from reknit.ir.module import Module
from reknit.ir.walk import instructions
from reknit.passes.dispatch.possible_tags import possible_elements


@pytest.fixture
def module() -> Module:
    return after(PROGRAMS["phi"][0], "specialize-dispatch")


def first(module: Module, code: int) -> Instr:
    main = next(function for function in module.functions if function.name == "main")
    return next(instr for instr in instructions(main) if instr.op == code)


def tag_of(union: Instr) -> Instr:
    return next(user for user in union.users if isinstance(user, Instr) and user.op == op.GetTagFromTaggedUnion)


def names(elements: list[Instr]) -> list[str]:
    return [element.name for element in elements]


def test_a_phi_can_be_all_of_its_set_and_on_one_way_what_comes_there(module: Module) -> None:
    phi = first(module, op.Phi)
    assert names(possible_elements(phi, {})) == ["WA", "WB"]
    made = [phi.instr(0), phi.instr(2)]
    assert [names(possible_elements(one, {})) for one in made] == [["WA"], ["WB"]]
    reader = tag_of(phi)
    assert names(possible_elements(reader, {})) == ["WA", "WB"]
    assert [names(possible_elements(reader, {phi: one})) for one in made] == [["WA"], ["WB"]]


def test_what_is_left_out_of_a_smaller_set_can_t_come(module: Module) -> None:
    phi = first(module, op.Phi)
    assert phi.type is not None
    members = set_of(phi.type)
    one = module.intern(op.WitnessTableSet, members.type, [elements_of(members)[0]])
    reader = tag_of(phi)
    narrowed = Instr(op.GetTagForSubSet, tag_type(module, one), [reader])
    assert names(possible_elements(narrowed, {})) == ["WA"]
    assert names(possible_elements(Instr(op.GetTagForSuperSet, reader.type, [narrowed]), {})) == ["WA"]


def test_an_element_that_a_mapped_set_lacks_tells_nothing(module: Module) -> None:
    """The tables have no entry for a key that is none of theirs: so any element of the set may come."""
    phi = first(module, op.Phi)
    reader = tag_of(phi)
    key = next(instr for instr in module.globals if instr.op == op.Requirement)
    mapped = Instr(op.GetTagForMappedSet, reader.type, [reader, key])
    assert names(possible_elements(mapped, {phi: phi.value(0)})) == ["WA", "WB"]
