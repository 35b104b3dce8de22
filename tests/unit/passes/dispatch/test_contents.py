"""What a variable of a function has room for: what is put in it, and no more.

    %h : Holder { IFoo f; u32 }   A alone is stored      Holder { A, u32 } once it is lowered: no tag
"""

import pytest
from kit.programs.dispatch import CHOOSE, END, HEAD, METHODS, TABLES, call, main_with

from reknit.ir import op
from reknit.ir.dispatch_sets import elements_of, set_of
from reknit.ir.instr import Instr
from reknit.ir.module import Module
from reknit.ir.text.parser import parse
from reknit.ir.verify import verify
from reknit.ir.walk import instructions
from reknit.passes.dispatch.lower import lower
from reknit.passes.dispatch.specialize import specialize
from reknit.sim.run import run

HOLDER = HEAD + "%Holder = TypeStruct %IFoo, u32\n" + TABLES + METHODS
VARIABLES = "  %h = Variable Function : ptr<Function, %Holder>\n  %h2 = Variable Function : ptr<Function, %Holder>\n"
A = "  %a0 = CompositeConstruct %lane : %A\n  %e0 = MakeExistential %a0, %WA : %IFoo\n"
FIELD = "  %p = AccessChain %h, 0u : ptr<Function, %IFoo>\n"
READ = "  %e9 = Load %p : %IFoo\n" + call("%e9", "5u", "r") + END

# name -> (what is done, others functions, the elements of the set of %h.f)
PROGRAMS = {
    "one type": (A + FIELD + "  Store %p, %e0\n" + READ, "", ["WA"]),
    "two types": (CHOOSE + FIELD + "  Store %p, %e\n" + READ, "", ["WA", "WB"]),
    "a whole struct": (
        A + "  %w = CompositeConstruct %e0, 3u : %Holder\n  Store %h2, %w\n  %w2 = Load %h2 : %Holder\n"
        "  Store %h, %w2\n" + FIELD + READ,
        "",
        ["WA"],
    ),
    "tested, and never set on one way": (
        A + FIELD + "  if %odd {\n    Store %p, %e0\n  }\n  %e1 = Load %p : %IFoo\n  Store %p, %e0\n" + READ,
        "",
        ["WA", ""],
    ),
    "given to a function": (
        A + FIELD + "  Store %p, %e0\n  %u = FunctionCall @look %h : void\n" + READ,
        "func @look(%h: ptr<Function, %Holder>) -> void {\n  return\n}\n",
        ["WA", "", ""],
    ),
}


def specialized(name: str) -> Module:
    body, others, _ = PROGRAMS[name]
    module = parse(HOLDER + others + main_with(VARIABLES) + body, f"{name}.rk")
    assert verify(module) == []
    specialize(module)
    assert verify(module) == []
    return module


def local(module: Module, name: str) -> Instr:
    """The type of what is in a variable of main."""
    main = next(function for function in module.functions if function.name == "main")
    variable = next(instr for instr in instructions(main) if instr.op == op.Variable and instr.name == name)
    assert variable.type is not None
    return variable.type.instr(1)


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_variable_has_room_for_what_is_put_in_it(name: str) -> None:
    tagged = local(specialized(name), "h").instr(0)
    assert [element.name for element in elements_of(set_of(tagged))] == PROGRAMS[name][2]


@pytest.mark.parametrize("name", PROGRAMS)
def test_what_is_stored_is_the_same(name: str) -> None:
    """foo(5) of the A: lane + 5; of a B: 1000 + 5."""
    text = HOLDER + PROGRAMS[name][1] + main_with(VARIABLES) + PROGRAMS[name][0]
    expected = [lane + 5 if name != "two types" or lane & 1 else 1005 for lane in range(64)]
    module = parse(text, f"{name}.rk")
    assert run(module, subgroup_size=32).buffers["out"].words == expected
    specialize(module)
    assert run(module, subgroup_size=32).buffers["out"].words == expected
    lower(module)
    result = run(module, subgroup_size=32)
    assert result.diagnostics == [] and result.buffers["out"].words == expected


def test_one_type_needs_no_tag() -> None:
    module = specialized("one type")
    lower(module)
    members = [local(module, "h").instr(index) for index in range(2)]
    assert [member.op for member in members] == [op.TypeStruct, op.TypeInt]
    assert len(members[0].operands) == 1  # an A: its one word
