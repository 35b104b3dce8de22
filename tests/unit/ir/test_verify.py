"""The verifier: each rule broken once, by hand, in a module that is right; and shapes that must be accepted.

Source of the rules: the checks of a control-flow tree (links, edges, phis, dominance), SPIR-V 1.6, 2.11 and 2.16.1.
"""

import random
from collections.abc import Callable

import pytest
from kit.random.trees import program

from reknit.ir import op
from reknit.ir.block import Block
from reknit.ir.constants import int_constant
from reknit.ir.edit import append, set_condition, set_jump, unlink_node
from reknit.ir.function import Function
from reknit.ir.instr import Instr
from reknit.ir.jump import Branch, Break, Continue, Exit, Fallthrough
from reknit.ir.module import Module
from reknit.ir.text.parser import parse
from reknit.ir.tree import Case, Construct, If, Loop, Region, Scope, Switch
from reknit.ir.types import bool_type, float_type, int_type
from reknit.ir.value import Value
from reknit.ir.verify import verify
from reknit.ir.walk import blocks, constructs

TEXT = """func @main(%a: u32, %c: bool, %p: ptr<Function, u32>) {
%start:
  %x = IAdd %a, 1u : u32
  %y = IAdd %x, 2u : u32
  if %c as @choice {
  %then:
    %z = IAdd %x, %y : u32
  } else {
  %else:
    break @choice
  }
%join:
  %phi = Phi %z %then, %x %else : u32
  switch %a as @choose {
    case 1: {
    %one:
      fallthrough
    }
    case 2: {
    %two:
    }
    case 3, default: {
    %three:
    }
  }
%before:
  loop @outer {
  %head:
    loop @inner {
    %body:
      if %c {
      %leave:
        break @inner
      }
    %last:
      continue @inner
    } continuing {
    %inc:
    }
    if %c {
    %out:
      break @outer
    }
  } continuing {
  %again:
    if %c {
    %stop:
      break @outer
    }
  }
%end:
  scope @region {
  %within:
    break @region
  }
%tail:
  return
}
func @other(%b: u32) -> u32 {
%first:
  %v = IMul %b, 3u : u32
  return %v
}
"""


class Named:
    """A fresh module and its parts by name."""

    def __init__(self, text: str = TEXT) -> None:
        self.module = parse(text)
        self.main = self.module.functions[0]
        self.values: dict[str, Value] = {}
        for function in self.module.functions:
            for value in [*function.params, *blocks(function), *constructs(function)]:
                self.values[value.name] = value
            for block in blocks(function):
                for instr in block:
                    self.values[instr.name] = instr

    def block(self, name: str) -> Block:
        found = self.values[name]
        assert isinstance(found, Block)
        return found

    def instr(self, name: str) -> Instr:
        found = self.values[name]
        assert isinstance(found, Instr)
        return found

    def construct(self, name: str) -> Construct:
        found = self.values[name]
        assert isinstance(found, Construct)
        return found

    def loop(self, name: str) -> Loop:
        found = self.values[name]
        assert isinstance(found, Loop)
        return found

    def switch(self) -> Switch:
        found = self.values["choose"]
        assert isinstance(found, Switch)
        return found

    def choice(self) -> If:
        found = self.values["choice"]
        assert isinstance(found, If)
        return found


def region_of(block: Block) -> Region:
    assert block.region is not None
    return block.region


def codes(module: Module) -> set[str]:
    return {fault.code for fault in verify(module)}


def test_the_module_that_the_tests_break_is_right() -> None:
    assert verify(Named().module) == []


@pytest.mark.parametrize("seed", range(30))
def test_random_trees_are_right(seed: int) -> None:
    assert verify(program(seed)) == []


# --- links ------------------------------------------------------------------------------------------------------------


def cut_prev(m: Named) -> None:
    m.block("join").prev = None


def cut_next(m: Named) -> None:
    m.block("start").next = None


def circle(m: Named) -> None:
    m.block("tail").next = m.block("start")


def wrong_region(m: Named) -> None:
    m.block("then").region = m.main.body


def wrong_last(m: Named) -> None:
    m.main.body.last = m.block("join")


def two_places(m: Named) -> None:
    region = m.choice().orelse
    region.first = region.last = m.block("then")


def shared_region(m: Named) -> None:
    m.choice().orelse = m.choice().then


def wrong_owner(m: Named) -> None:
    m.choice().then.owner = m.construct("region")


def wrong_case(m: Named) -> None:
    m.switch().cases[0].switch = Switch(m.values["a"])


def instruction_elsewhere(m: Named) -> None:
    m.instr("x").block = m.block("then")


def instruction_circle(m: Named) -> None:
    m.instr("y").next = m.instr("x")


def instruction_prev(m: Named) -> None:
    m.instr("y").prev = None


def instruction_twice(m: Named) -> None:
    m.block("then").first = m.instr("x")


def block_last(m: Named) -> None:
    m.block("start").last = m.instr("x")


def terminator_elsewhere(m: Named) -> None:
    jump = m.block("tail").jump
    assert isinstance(jump, Exit)
    jump.instr.block = m.block("start")


def shared_terminator(m: Named) -> None:
    m.block("two").jump = m.block("tail").jump


def global_twice(m: Named) -> None:
    m.module.globals.append(m.module.globals[0])


def in_two_functions(m: Named) -> None:
    m.module.functions[1].body.first = m.block("start")


@pytest.mark.parametrize(
    "damage",
    [
        cut_prev, cut_next, circle, wrong_region, wrong_last, two_places, shared_region, wrong_owner, wrong_case,
        instruction_elsewhere, instruction_circle, instruction_prev, instruction_twice, block_last,
        terminator_elsewhere, shared_terminator, global_twice, in_two_functions,
    ],
)  # fmt: skip
def test_broken_links_are_reported(damage: Callable[[Named], None]) -> None:
    m = Named()
    damage(m)
    assert "RK0401" in codes(m.module)


def test_a_broken_function_does_not_hide_faults_of_others() -> None:
    m = Named()
    m.block("join").prev = None
    m.instr("v").set_operand(1, m.instr("v"))
    assert {"RK0401", "RK0410"} <= codes(m.module)


def test_a_region_without_a_block() -> None:
    m = Named()
    region = m.choice().then
    region.first = region.last = None
    assert codes(m.module) == {"RK0402"}


def test_a_construct_at_the_end_of_a_region_or_next_to_another() -> None:
    m = Named()
    unlink_node(m.block("tail"))
    assert "RK0402" in codes(m.module)
    m = Named()
    unlink_node(m.block("end"))
    assert "RK0402" in codes(m.module)


@pytest.mark.parametrize("seed", range(300))
def test_no_damage_to_links_makes_it_raise_or_hang(seed: int) -> None:
    rng = random.Random(seed)
    m = Named()
    nodes = [value for value in m.values.values() if isinstance(value, (Block, Construct))]
    instrs = [value for value in m.values.values() if isinstance(value, Instr) and value.block is not None]
    regions: list[Region] = [m.main.body]
    for node in nodes:
        if isinstance(node, Construct):
            regions.extend(node.regions())
    for _ in range(rng.choice([1, 1, 2, 5])):
        kind = rng.randrange(8)
        if kind == 0:
            rng.choice(nodes).next = rng.choice([None, *nodes])
        elif kind == 1:
            rng.choice(nodes).prev = rng.choice([None, *nodes])
        elif kind == 2:
            rng.choice(nodes).region = rng.choice([None, *regions])
        elif kind == 3:
            rng.choice(regions).first = rng.choice([None, *nodes])
        elif kind == 4:
            rng.choice(regions).last = rng.choice([None, *nodes])
        elif kind == 5:
            rng.choice(instrs).next = rng.choice([None, *instrs])
        elif kind == 6:
            rng.choice(instrs).block = None
        else:
            rng.choice([node for node in nodes if isinstance(node, Block)]).jump = rng.choice(
                [Break(m.choice()), Continue(m.loop("inner")), Fallthrough(m.switch().cases[0]), None]
            )
    verify(m.module)


# --- jumps ------------------------------------------------------------------------------------------------------------


def test_a_jump_that_is_not_registered() -> None:
    m = Named()
    del m.loop("inner").breaks[m.block("leave")]
    assert "RK0403" in codes(m.module)
    m = Named()
    del m.loop("inner").continues[m.block("last")]
    assert "RK0403" in codes(m.module)
    m = Named()
    del m.switch().cases[1].fallthroughs[m.block("one")]
    assert "RK0403" in codes(m.module)


def test_a_register_without_its_jump() -> None:
    m = Named()
    m.loop("inner").breaks[m.block("tail")] = None
    m.loop("inner").continues[m.block("then")] = None
    m.switch().cases[2].fallthroughs[m.block("then")] = None
    assert [fault.code for fault in verify(m.module)].count("RK0403") == 3


def test_a_jump_out_of_what_it_does_not_stand_in() -> None:
    m = Named()
    set_jump(m.block("then"), Break(m.loop("inner")))
    assert "RK0404" in codes(m.module)
    m = Named()
    set_jump(m.block("out"), Continue(m.loop("inner")))
    assert "RK0404" in codes(m.module)
    m = Named()
    set_jump(m.block("leave"), Break(Named().construct("outer")))
    assert "RK0404" in codes(m.module)


def test_jumps_through_many_levels_are_right() -> None:
    m = Named()
    set_jump(m.block("leave"), Break(m.loop("outer")))
    set_jump(m.block("last"), Continue(m.loop("outer")))
    assert codes(m.module) == set()


def test_a_fallthrough_to_another_case_than_the_next() -> None:
    for source, target in (("one", 0), ("one", 2), ("two", 1), ("three", 0), ("then", 1)):
        m = Named()
        set_jump(m.block(source), Fallthrough(m.switch().cases[target]))
        assert "RK0405" in codes(m.module), (source, target)
    m = Named()
    set_jump(m.block("two"), Fallthrough(m.switch().cases[2]))
    assert codes(m.module) == set()


def test_ways_out_of_continuing() -> None:
    for source, jump in (
        ("inc", lambda m: Continue(m.loop("inner"))),
        ("inc", lambda m: Break(m.loop("inner"))),
        ("inc", lambda m: Break(m.loop("outer"))),
        ("inc", lambda m: Continue(m.loop("outer"))),
        ("stop", lambda m: Continue(m.loop("outer"))),
        ("inc", lambda m: Exit(Instr(op.Return, None, [], "", False))),
        ("stop", lambda m: Exit(Instr(op.Kill, None, [], "", False))),
    ):
        m = Named()
        set_jump(m.block(source), jump(m))
        assert "RK0406" in codes(m.module), source


def test_a_return_in_a_loop_in_continuing() -> None:
    text = "func @f(%c: bool) {\nloop @l {\n} continuing {\nloop @m {\nif %c {\nreturn\n}\nbreak @m\n}\n}\nreturn\n}\n"
    assert codes(parse(text)) == {"RK0406"}


def test_loops_and_jumps_inside_continuing_are_right() -> None:
    text = """func @f(%c: bool) {
loop @l {
} continuing {
loop @m {
if %c { break @m }
if %c { continue @m }
} continuing {
if %c {
} else { break @m }
}
if %c { break @l }
}
return
}
"""
    assert codes(parse(text)) == set()


def test_control_runs_off_the_end() -> None:
    assert codes(parse("func @f() {\n}\n")) == {"RK0407"}
    assert codes(parse("func @f(%c: bool) {\nif %c { return }\n}\n")) == {"RK0407"}
    # nothing breaks out of the loop, so its end can't be reached
    assert codes(parse("func @f() {\nloop @l {\n}\n}\n")) == set()


def test_a_plain_branch_in_a_tree() -> None:
    m = Named()
    set_jump(m.block("tail"), Branch(Instr(op.Branch, None, [m.block("start")], "", False)))
    assert "RK0418" in codes(m.module)
    m = Named()
    set_jump(m.block("tail"), Exit(Instr(op.Nop, None, [], "", False)))
    assert "RK0418" in codes(m.module)


def flat() -> tuple[Module, Function]:
    module = parse("".join([f"func @{name}() flat {{\nb1:\nBranch b2\nb2:\nreturn\n}}\n" for name in "fg"]))
    return module, module.functions[0]


def test_flat_blocks_end_in_branches_of_their_function() -> None:
    module, function = flat()
    assert verify(module) == []
    function.blocks[1].jump = None
    assert codes(module) == {"RK0418"}
    for target in ("entry", "elsewhere"):
        module, function = flat()
        there = function.blocks[0] if target == "entry" else module.functions[1].blocks[1]
        set_jump(function.blocks[1], Branch(Instr(op.Branch, None, [there], "", False)))
        assert "RK0418" in codes(module)
    module, function = flat()
    set_jump(function.blocks[1], Branch(Instr(op.Nop, None, [function.blocks[1]], "", False)))
    assert "RK0418" in codes(module)
    module, function = flat()
    line = Instr(op.NoLine, None, [], "", False)
    set_jump(function.blocks[0], Branch(Instr(op.Branch, None, [function.blocks[1]], "", False), line))
    assert "RK0418" in codes(module)


# --- values -----------------------------------------------------------------------------------------------------------


def test_users_that_are_wrong() -> None:
    m = Named()
    m.instr("y").operands[0] = m.values["a"]
    assert codes(m.module) == {"RK0408"}
    m = Named()
    m.instr("x").add_user(m.instr("y"))
    assert codes(m.module) == {"RK0408"}
    m = Named()
    m.instr("x").add_user(Instr(op.Nop, None, [], "", False))
    assert codes(m.module) == {"RK0408"}
    m = Named()
    m.choice().condition = m.instr("x")
    assert "RK0408" in codes(m.module)
    m = Named()
    m.values["a"].add_user(m.choice())
    assert codes(m.module) == {"RK0408"}
    m = Named()
    for user in list(m.block("then").users):
        m.block("then").drop_user(user)
    assert codes(m.module) == {"RK0408"}


def test_values_of_another_function_or_of_none() -> None:
    m = Named()
    m.instr("y").set_operand(0, m.values["b"])
    assert codes(m.module) == {"RK0409"}
    m = Named()
    m.instr("y").set_operand(0, m.instr("v"))
    assert codes(m.module) == {"RK0409"}
    m = Named()
    m.instr("y").set_operand(0, Instr(op.Undef, int_type(m.module, 32, False), []))
    assert codes(m.module) == {"RK0409"}
    m = Named()
    m.instr("y").type = Instr(op.TypeInt, None, [32, 0])
    assert "RK0409" in codes(m.module)
    m = Named()
    m.instr("y").set_operand(0, m.block("then"))
    assert "RK0409" in codes(m.module)
    m = Named()
    m.main.result = Instr(op.TypeVoid, None, [])
    assert "RK0409" in codes(m.module)
    m = Named()
    m.module.globals.append(Instr(op.TypeVector, None, [Instr(op.TypeInt, None, [8, 0]), 2]))
    assert codes(m.module) == {"RK0409"}


def test_uses_that_are_not_dominated() -> None:
    for user, value in (("x", "y"), ("y", "y"), ("phi", "phi"), ("y", "z")):
        m = Named()
        m.instr(user).set_operand(0, m.instr(value))
        assert codes(m.module) == {"RK0410"}, (user, value)


def test_conditions_selectors_and_terminators_are_uses_too() -> None:
    m = Named()
    late = append(m.block("then"), Instr(op.INotEqual, bool_type(m.module), [m.values["a"], m.values["a"]], "late"))
    set_condition(m.choice(), late)
    assert codes(m.module) == {"RK0410"}
    text = "func @f(%a: u32, %c: bool) -> u32 {\nif %c {\n%x = IAdd %a, 1u : u32\n}\nMIDDLE\nreturn %a\n}\n"
    assert codes(parse(text.replace("MIDDLE", "").replace("return %a", "return %x"))) == {"RK0410"}
    assert codes(parse(text.replace("MIDDLE", "switch %x {\ndefault: {\n}\n}"))) == {"RK0410"}


def test_a_use_that_no_path_reaches_may_use_anything_of_its_function() -> None:
    text = """func @f(%a: u32, %c: bool) {
if %c {
  %x = IAdd %a, 1u : u32
}
return
b1:
%y = IAdd %x, 1u : u32
return
}
"""
    assert codes(parse(text)) == set()


def test_phis_come_first() -> None:
    m = Named()
    join = m.block("join")
    phi = m.instr("phi")
    first = Instr(op.IAdd, int_type(m.module, 32, False), [m.values["a"], m.values["a"]])
    first.block = join
    first.next = phi
    phi.prev = first
    join.first = first
    assert codes(m.module) == {"RK0411"}


def test_a_phi_has_one_pair_for_each_block_before() -> None:
    damages: list[Callable[[Named, Instr], list[Value | int | str]]] = [
        lambda m, phi: phi.operands[:2],
        lambda m, phi: [*phi.operands, m.values["a"], m.block("start")],
        lambda m, phi: [*phi.operands, *phi.operands[:2]],
        lambda m, phi: [*phi.operands[:3], m.block("start")],
        lambda m, phi: [*phi.operands[:3], m.block("first")],
        lambda m, phi: [*phi.operands[:3], m.values["a"]],
    ]
    for damage in damages:
        m = Named()
        phi = m.instr("phi")
        phi.set_operands(damage(m, phi))
        assert "RK0412" in codes(m.module)


def test_phis_with_one_pair_or_none_are_right() -> None:
    text = """func @f(%a: u32) {
b1:
%s = Phi : u32
scope {
%inner:
}
%x = Phi %a %inner : u32
return
pad b3:
%y = Phi : u32
return
}
""".replace("b1:\n%s = Phi : u32\n", "")
    assert codes(parse(text)) == set()


# --- constructs and functions -----------------------------------------------------------------------------------------


def test_conditions_and_selectors_have_their_types() -> None:
    m = Named()
    set_condition(m.choice(), m.values["a"])
    assert codes(m.module) == {"RK0414"}
    assert codes(parse("func @f(%v: vec2<bool>) {\nif %v {\n}\nreturn\n}\n")) == {"RK0414"}
    assert codes(parse("func @f(%x: f32) {\nswitch %x {\ndefault: {\n}\n}\nreturn\n}\n")) == {"RK0414"}
    m = Named()
    m.loop("inner").merged = False
    assert codes(m.module) == {"RK0414"}


def test_switches_have_one_default_and_different_literals() -> None:
    m = Named()
    m.switch().default = None
    assert codes(m.module) == {"RK0413"}
    m = Named()
    m.switch().targets.append((1, m.switch().cases[1]))
    assert codes(m.module) == {"RK0413"}
    m = Named()
    m.switch().targets.append((1 << 32, m.switch().cases[1]))
    assert codes(m.module) == {"RK0413"}
    m = Named()
    m.switch().targets.append((7, Case(m.switch())))
    assert codes(m.module) == {"RK0413"}
    assert codes(parse("func @f(%x: u32) {\nswitch %x {\n}\nreturn\n}\n")) == {"RK0413"}
    assert codes(parse("func @f(%x: u32) {\nswitch %x {\ncase: {\n}\ndefault: {\n}\n}\nreturn\n}\n")) == {"RK0413"}


def test_functions_are_like_their_types() -> None:
    m = Named()
    m.main.params.pop()
    assert "RK0419" in codes(m.module)
    m = Named()
    m.main.type = int_type(m.module, 32, False)
    assert codes(m.module) == {"RK0419"}
    m = Named()
    m.module.functions[1].result = bool_type(m.module)
    assert "RK0419" in codes(m.module)


# --- instructions -----------------------------------------------------------------------------------------------------


def test_results_and_operands_by_the_opcode() -> None:
    m = Named()
    m.instr("y").type = None
    assert "RK0415" in codes(m.module)
    m = Named()
    append(m.block("then"), Instr(op.Store, None, [m.values["p"], m.values["a"]]))
    assert codes(m.module) == {"RK0415"}
    choices: list[list[str | int]] = [
        [], ["p"], ["p", "a", 0], ["p", "a", 2], ["p", "a", 0, 0], ["p", "a", "a"], [0, "a"],
    ]  # fmt: skip
    for operands in choices:
        m = Named()
        given: list[Value | int | str] = []
        given.extend([m.values[part] if isinstance(part, str) else part for part in operands])
        append(m.block("then"), Instr(op.Store, None, given, "", False))
        # a mask of 0 brings nothing, Aligned (2) one number
        assert codes(m.module) == (set() if operands == ["p", "a", 0] else {"RK0416"}), operands


def test_a_number_has_the_words_of_its_type() -> None:
    m = Named()
    m.module.globals.append(Instr(op.Constant, int_type(m.module, 64, False), [1]))
    assert codes(m.module) == {"RK0416"}


@pytest.mark.parametrize(
    "statement",
    [
        "%t = IAdd %a, %f : u32",
        "%t = IAdd %a, 1u8 : u32",
        "%t = IAdd %f, %f : f32",
        "%t = IAdd undef<vec2<u32>>, %a : vec2<u32>",
        "%t = FAdd %f, %a : f32",
        "%t = FAdd %f, 1.0d : f32",
        "%t = FAdd %a, %a : u32",
        "%t = LogicalAnd %c, %a : bool",
        "%t = LogicalNot %a : u32",
        "%t = IEqual %a, %a : u32",
        "%t = IEqual %a, %f : bool",
        "%t = IEqual %a, 1u64 : bool",
        "%t = FOrdLessThan %a, %a : bool",
        "%t = IEqual undef<vec2<u32>>, undef<vec2<u32>> : bool",
        "%t = Select %a, %a, %a : u32",
        "%t = Select %c, %a, %f : u32",
        "%t = Load %p : f32",
        "%t = Load %a : u32",
        "Store %p, %f",
        "Store %a, %a",
        "%t = CopyObject %a : f32",
        "%t = Variable Private : ptr<Function, u32>",
        "%t = FunctionCall @callee, %f : u32",
        "%t = FunctionCall @callee : u32",
        "%t = FunctionCall @callee, %a : f32",
        "%t = FunctionCall %a : u32",
        "return %a",
    ],
)
def test_types_that_do_not_agree(statement: str) -> None:
    callee = "func @callee(%n: u32) -> u32 {\nreturn %n\n}\n"
    head = "func @f(%a: u32, %f: f32, %c: bool, %p: ptr<Function, u32>) {\n"
    end = "" if statement.startswith("return") else "return\n"
    assert codes(parse(f"{callee}{head}{statement}\n{end}}}\n")) == {"RK0417"}


@pytest.mark.parametrize(
    "statement",
    [
        "%t = IAdd %a, -1 : u32",
        "%t = SLessThan %a, -1 : bool",
        "%t = IAdd undef<vec2<u32>>, undef<vec2<i32>> : vec2<u32>",
        "%t = Select %c, %f, %f : f32",
        "%t = IEqual undef<vec2<u32>>, undef<vec2<u32>> : vec2<bool>",
        "%t = FunctionCall @f, %a, %f, %c, %p : void",
    ],
)
def test_types_that_agree(statement: str) -> None:
    head = "func @f(%a: u32, %f: f32, %c: bool, %p: ptr<Function, u32>) {\n"
    assert verify(parse(f"{head}{statement}\nreturn\n}}\n")) == []


@pytest.mark.parametrize(
    ("statement", "operand"),
    [
        ("ControlBarrier %a Workgroup 0u", 1),
        ("ControlBarrier Workgroup Workgroup %a", 3),
        ("%t = GroupNonUniformElect %a : bool", 1),
        ("%t = AtomicIAdd %p Device %a 1u : u32", 3),
    ],
)
def test_scopes_and_semantics_are_constants(statement: str, operand: int) -> None:
    """SPIR-V 1.6, 2.16.2, which is about modules that declare the capability Shader."""
    head = "func @f(%a: u32, %p: ptr<Workgroup, u32>) {\n"
    faults = verify(parse(f"{head}{statement}\nreturn\n}}\n"))
    assert [fault.code for fault in faults] == ["RK0417"] and f"operand {operand}," in faults[0].message
    assert verify(parse(f"Capability Kernel\n{head}{statement}\nreturn\n}}\n")) == []
    assert verify(parse(f"{head}{statement.replace('%a', '2u')}\nreturn\n}}\n")) == []


def test_an_element_that_is_stepped_over_to_is_an_integer() -> None:
    """SPIR-V 1.6, OpPtrAccessChain: the Element operand's value is a number of elements."""
    head = "func @f(%a: ptr<Workgroup, u32>, %n: u32, %x: f32) {\n"
    statement = "%b = PtrAccessChain %a, %n : ptr<Workgroup, u32>\nreturn\n}\n"
    assert verify(parse(head + statement)) == []
    for wrong in ("%x", "%a", "u32"):
        faults = verify(parse(head + statement.replace("%n", wrong)))
        assert [fault.message.endswith("operand 2 is not an integer") for fault in faults] == [True]


def test_a_return_gives_what_the_function_gives() -> None:
    assert codes(parse("func @f() -> u32 {\nreturn\n}\n")) == {"RK0417"}
    assert codes(parse("func @f() -> u32 {\nreturn 1.0f\n}\n")) == {"RK0417"}
    assert codes(parse("func @f() -> u32 {\nreturn 1u\n}\n")) == set()


def test_a_phi_takes_values_of_its_type() -> None:
    m = Named()
    m.instr("phi").set_operand(0, m.values["c"])
    assert codes(m.module) == {"RK0417"}


# --- what is said -----------------------------------------------------------------------------------------------------


def test_a_fault_names_function_block_and_instruction() -> None:
    """And its line, where the module was read from a text; what was made since has the module's place."""
    m = Named()
    z = m.instr("z")
    z.set_operand(1, int_constant(m.module, int_type(m.module, 8, False), 1))
    (fault,) = verify(m.module)
    said = (
        "error[RK0417]: @main, %then, `%z = IAdd %x, 1u8 : u32`: "
        "operand 2 is not an integer of the result's width and size"
    )
    assert str(fault) == f"<text>:7:5: {said}"
    assert TEXT.splitlines()[6].strip().startswith("%z = ")
    m.module.path = "a.rk"
    m.module.places = None
    (fault,) = verify(m.module)
    assert str(fault) == f"a.rk: {said}"


def test_all_faults_are_reported() -> None:
    m = Named()
    m.instr("x").set_operand(0, m.instr("y"))
    m.instr("z").set_operand(0, m.values["b"])
    m.instr("v").set_operand(0, m.module.intern(op.Undef, float_type(m.module, 32), []))
    set_jump(m.block("then"), Break(m.loop("inner")))
    m.switch().default = None
    assert codes(m.module) >= {"RK0404", "RK0409", "RK0410", "RK0413", "RK0417"}


def test_scopes_are_constructs_like_others() -> None:
    m = Named()
    assert isinstance(m.construct("region"), Scope)
    set_jump(m.block("within"), Break(m.choice()))
    assert "RK0404" in codes(m.module)


def test_a_fallthrough_does_not_leave_a_continuing_part() -> None:
    text = """func @f(%k: u32) {
switch %k {
case 0: {
loop {
} continuing {
fallthrough
}
}
default: {
}
}
return
}
"""
    assert codes(parse(text)) == {"RK0406"}


def test_a_parameter_is_one() -> None:
    m = Named()
    m.main.params[0].op = op.Undef
    assert "RK0419" in codes(m.module)
    m = Named()
    m.main.params[0].type = None
    assert "RK0419" in codes(m.module)
    m = Named()
    m.main.params[0].block = m.block("start")
    assert codes(m.module) == {"RK0419"}
