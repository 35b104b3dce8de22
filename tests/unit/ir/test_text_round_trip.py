"""A module is printed and read back to the same module, thing by thing; the text says no more than it must."""

import pytest
from kit.oracles.module_equality import Difference, assert_same
from kit.random.trees import program

from reknit.ir import enums, op
from reknit.ir.block import Block
from reknit.ir.build import Builder, new_block, new_function
from reknit.ir.constants import bool_constant, int_constant, undef
from reknit.ir.edit import append_node, set_jump
from reknit.ir.function import Function
from reknit.ir.instr import Instr
from reknit.ir.jump import Branch, Exit
from reknit.ir.module import Module, annotation
from reknit.ir.text.parser import parse
from reknit.ir.text.printer import print_function, print_instruction, print_module
from reknit.ir.tree import Construct, Loop
from reknit.ir.types import bool_type, float_type, int_type, pointer_type, vector_type, void_type


def round_trip(module: Module) -> str:
    text = print_module(module)
    assert_same(module, parse(text))
    return text


def returning(module: Module) -> tuple[Function, Builder]:
    function = new_function(module, "f", None, [("c", bool_type(module))])
    return function, Builder(module, function.entry())


def test_the_comparison_sees_differences() -> None:
    one = parse("func @f(%a: u32) {\n%x = IAdd %a, 1u : u32\nreturn\n}\n")
    for text in (
        "func @f(%a: u32) {\n%x = IAdd %a, 2u : u32\nreturn\n}\n",
        "func @f(%a: u32) {\n%y = IAdd %a, 1u : u32\nreturn\n}\n",
        "func @f(%a: u32) {\n%x = ISub %a, 1u : u32\nreturn\n}\n",
        "func @f(%a: u32) {\n%x = IAdd %a, 1u : u32\nkill\n}\n",
        "func @f(%a: u32) {\nb1:\n%x = IAdd %a, 1u : u32\nb2:\nreturn\n}\n",
        "func @f(%a: u32) {\npad b1:\n%x = IAdd %a, 1u : u32\nreturn\n}\n",
        "declare u32, void\nfunc @f(%a: u32) {\n%x = IAdd %a, 1u : u32\nreturn\n}\nids 5 u32\n",
    ):
        with pytest.raises(Difference):
            assert_same(one, parse(text))


@pytest.mark.parametrize("seed", range(40))
def test_random_trees(seed: int) -> None:
    round_trip(program(seed))


def test_text_written_by_hand_comes_back_as_it_is() -> None:
    text = """Capability Shader
MemoryModel Logical GLSL450
EntryPoint GLCompute @main "main" %gid
ExecutionMode @main LocalSize 64 1 1
Decorate %gid BuiltIn GlobalInvocationId
%gid = Variable Input : ptr<Input, vec3<u32>>

func @main(%lane: u32) -> void {
  %even = IEqual %lane, 0u : bool
  switch %lane as @s {
    case 0, 2: {
      %b = GroupNonUniformBallot Subgroup true : vec4<u32>
      if %even {
        break @s
      }
      fallthrough
    }
    case 1: {
    }
    default: {
    }
  }
  loop @l {
  b1:
    if %even nojoin {
      continue @l
    } else {
      break @l
    }
  } continuing {
    %next = IAdd %lane, 4294967295u : u32
  }
  scope @x {
    break @x
  }
  return
}
"""
    assert print_module(parse(text)) == text


def test_names_of_every_kind() -> None:
    module = Module()
    function, b = returning(module)
    u32 = int_type(module, 32, False)
    one = int_constant(module, u32, 1)
    odd = ["a", "a", "a'2", "a b", "12", "_3", 'quo"te\\', "", "", "tab\there\n", "naïve", "if", "\udc80", "a.b$"]
    for name in odd:
        b.emit(op.IAdd, u32, [one, one], name)
    numbered = b.emit(op.IAdd, u32, [one, one])
    numbered.id = 77
    again = b.emit(op.IAdd, u32, [one, one])
    again.id = 77
    named = b.emit(op.IAdd, u32, [one, one], "both")
    named.id = 5
    function.id = 9
    one.id = 10
    b.return_()
    module.bound = 78
    round_trip(module)


def test_numbers_of_every_kind() -> None:
    module = Module()
    function, b = returning(module)
    used: list[Instr] = []
    for width in (1, 8, 16, 24, 32, 64, 128):
        for signed in (False, True):
            for value in (0, 1, -1, 1 << (width - 1), (1 << width) - 1, 5):
                used.append(int_constant(module, int_type(module, width, signed), value))
    for width, step in ((16, 257), (32, 19260817), (64, 10**17)):
        for bits in range(0, 1 << width, step):
            words = [bits >> shift & 0xFFFFFFFF for shift in range(0, width, 32)]
            used.append(module.intern(op.Constant, float_type(module, width), list(words)))
    used.append(module.intern(op.Constant, int_type(module, 8, True), [0x80]))  # not sign-extended as it should be
    used.append(undef(module, void_type(module)))
    for constant in used:
        b.emit(op.CopyObject, constant.type, [constant])
    b.return_()
    assert len(used) > 500
    round_trip(module)


def test_globals_keep_their_order_twins_and_decorations() -> None:
    module = Module()
    bool_constant(module, True)
    u32 = int_type(module, 32, False)
    twin = Instr(op.TypeStruct, None, [u32])
    other = Instr(op.TypeStruct, None, [u32])
    plain_twin = Instr(op.TypeInt, None, [32, 0])
    named = Instr(op.TypeInt, None, [16, 1], "short")
    marked = vector_type(module, u32, 3)
    module.globals.extend([twin, other, plain_twin, named])
    module.globals.append(Instr(op.Constant, plain_twin, [7]))
    module.globals.append(Instr(op.Constant, named, [7]))
    int_constant(module, u32, 7)
    pointer_type(module, enums.StorageClassUniform, other)
    module.decorations.append(annotation(op.MemberDecorate, [other, 0, enums.DecorationOffset, 4]))
    module.decorations.append(annotation(op.Decorate, [marked, 4711, 3]))
    module.names.append(annotation(op.Name, [named, "short"]))
    module.names.append(annotation(op.Name, [named, "another name"]))
    module.names.append(annotation(op.MemberName, [other, 0, "first"]))
    text = round_trip(module)
    assert "names %short\n" in text


def test_pointers_to_what_comes_later() -> None:
    module = Module()
    pointer = Instr(op.TypePointer, None, [])
    struct = Instr(op.TypeStruct, None, [int_type(module, 32, False), pointer])
    pointer.set_operands([enums.StorageClassPhysicalStorageBuffer, struct])
    forward = Instr(op.TypeForwardPointer, None, [pointer, enums.StorageClassPhysicalStorageBuffer], "", False)
    module.globals.extend([forward, struct, pointer])
    round_trip(module)


def test_deep_types_get_names_on_the_way() -> None:
    module = Module()
    type = int_type(module, 32, False)
    for _ in range(5000):
        type = pointer_type(module, enums.StorageClassFunction, type)
    round_trip(module)


def test_blocks_of_every_kind() -> None:
    module = Module()
    function, b = returning(module)
    u32 = int_type(module, 32, False)
    file = Instr(op.String, None, ["a.glsl"])
    module.sources.append(file)
    line = Instr(op.Line, None, [file, 3, 4], "", False)
    function.leading.append(Instr(op.NoLine, None, [], "", False))
    function.closing.append(Instr(op.NoLine, None, [], "", False))
    function.entry().leading = (line,)
    function.entry().order = 0
    choice = b.open_if(function.params[0])
    choice.control = [3, 8]
    choice.weights = [1, 9]
    choice.orelse.entry().padding = False
    choice.orelse.entry().order = 7
    empty = Block("", False)
    empty.id = 40
    append_node(choice.then, empty)
    b.at(empty)
    b.break_(choice)
    dead = new_block(choice.then)
    b.at(dead)
    loop = b.open_loop("again")
    b.at(loop.continuing.entry())
    again = b.open_if(function.params[0])
    b.at(again.orelse.entry())
    b.break_(loop)
    b.at(loop.body.entry())
    b.continue_(loop)
    b.at(loop.after())
    switch = b.open_switch(int_constant(module, u32, 5))
    b.add_case(switch, [3])
    case = b.add_case(switch, [1, 2], default=True)
    case.name = "both"
    switch.targets.sort(key=lambda target: target[0])
    b.at(switch.cases[0].region.entry())
    b.fallthrough(case)
    b.at(choice.after())
    scope = b.open_scope("", merged=False)
    scope.control = []
    b.at(scope.after())
    b.emit(op.Phi, u32, [int_constant(module, u32, 5), scope.body.entry()])
    b.exit(op.TerminateInvocation, [])
    island = Block("island")
    function.blocks.append(island)
    set_jump(island, Branch(Instr(op.Branch, None, [scope.after()], "", False)))
    module.closing.append(Instr(op.NoLine, None, [], "", False))
    module.bound = 41
    round_trip(module)


def test_flat_functions_and_declarations() -> None:
    module = Module()
    function, _ = returning(module)
    function.structured = False
    function.body.first = function.body.last = None
    start, end = Block("start"), Block()
    end.order = 4
    function.blocks.extend([start, end])
    u64 = int_type(module, 64, False)
    merge = Instr(op.SelectionMerge, None, [end, 0], "", False)
    selector = int_constant(module, u64, 1 << 40)
    branch = Instr(op.Switch, None, [selector, end, 5, 1, end, 0xFFFFFFFF, 0, end], "", False)
    set_jump(start, Branch(branch, merge))
    set_jump(end, Exit(Instr(op.Return, None, [], "", False)))
    declared = new_function(module, "imported", int_type(module, 32, True), [("x", u64)])
    declared.body.first = declared.body.last = None
    declared.control = 1
    round_trip(module)


def test_operands_of_every_kind() -> None:
    module = Module()
    function, b = returning(module)
    f32 = float_type(module, 32)
    u32 = int_type(module, 32, False)
    i32 = int_type(module, 32, True)
    glsl = Instr(op.ExtInstImport, None, ["GLSL.std.450"])
    other = Instr(op.ExtInstImport, None, ["Some.Other.Set"])
    module.imports.extend([glsl, other])
    one = module.intern(op.Constant, f32, [0x3F800000])
    local = enums.StorageClassFunction
    pointer = b.emit(op.Variable, pointer_type(module, local, f32), [local, one])
    b.emit(op.ExtInst, f32, [glsl, 31, one])
    b.emit(op.ExtInst, f32, [glsl, 9999, one])
    b.emit(op.ExtInst, f32, [other, 3, one, one])
    b.emit(op.Load, f32, [pointer, 0x3, 16])
    b.effect(op.CopyMemory, [pointer, pointer, 0x2, 4, 0x1])
    for scope in (int_constant(module, u32, 3), int_constant(module, i32, 3), int_constant(module, u32, 999)):
        b.emit(op.GroupNonUniformElect, bool_type(module), [scope])
    b.effect(op.MemoryBarrier, [int_constant(module, u32, 2), int_constant(module, u32, 0x108)])
    two = int_constant(module, u32, 2)
    module.globals.append(Instr(op.SpecConstantOp, u32, [op.IAdd, two, two]))
    module.globals.append(Instr(op.TypeImage, None, [f32, 1, 0, 0, 0, 1, 0]))
    b.emit(op.IAdd, u32, [int_constant(module, u32, 2), 5])  # a word where the grammar has an id
    b.emit(4094, u32, [one, 7, "text"])  # an opcode that the grammar does not have
    module.execution_modes.append(annotation(op.ExecutionModeId, [function, 38, two, one, one]))
    module.capabilities.append(annotation(op.Capability, [65000]))
    module.globals.append(Instr(op.Line, None, [glsl, 1, 2], "", False))
    module.processed.append(annotation(op.Capability, [1]))
    b.return_()
    module.version = 0x00010300
    module.generator = 0x80001
    module.schema = 3
    module.bound = 99
    text = round_trip(module)
    assert "in processed Capability Shader" in text
    assert " Sqrt " in text and "Subgroup" in text and "AcquireRelease|WorkgroupMemory" in text


def test_what_is_gone_is_not_named() -> None:
    module = parse("Decorate %x RelaxedPrecision\nnames %x, @f\nfunc @f() {\n%x = IAdd 1u, 2u : u32\nreturn\n}\n")
    entry = module.functions[0].entry()
    entry.first = entry.last = None
    again = parse(print_module(module))
    assert again.decorations == [] and len(again.names) == 1


def test_one_function_and_one_instruction_print_alone() -> None:
    module = parse("func @f(%a: u32) {\n%x = IAdd %a, 2u : u32\nreturn\n}\n")
    first = module.functions[0].entry().first
    assert first is not None
    assert print_instruction(first) == "%x = IAdd %a, 2u : u32"
    assert print_function(module.functions[0], {first: "uniform"}) == (
        "func @f(%a: u32) -> void {\n  %x = IAdd %a, 2u : u32   ; uniform\n  return\n}\n"
    )


@pytest.mark.parametrize("kind", ["if true {", "loop {", "scope {", "switch 1u {\ndefault: {"])
def test_deep_nesting(kind: str) -> None:
    depth = 10_000
    text = "func @f() {\n" + f"{kind}\n" * depth + "}\n" * depth * kind.count("{") + "return\n}\n"
    module = parse(text)
    assert print_module(parse(print_module(module))) == print_module(module)
    depths = 0
    node = module.functions[0].body.entry().next
    while node is not None:
        depths += 1
        regions = node.regions() if isinstance(node, Construct) else []
        node = regions[0].entry().next if regions else None
    assert depths == depth
    assert isinstance(module.functions[0].body.entry().next, Loop) == kind.startswith("loop")
