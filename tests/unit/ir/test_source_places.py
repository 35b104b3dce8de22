"""Where the parts of a module stand: by the text it was read from, and by what its compiler noted of its source."""

from reknit.front.load import load_bytes
from reknit.ir.jump import Break
from reknit.ir.locate import place_of, place_of_jump
from reknit.ir.module import Module
from reknit.ir.tree import If, Switch
from reknit.ir.walk import blocks, constructs, instructions

RK = """module 1.5
func @main(%c: bool, %a: u32) -> u32 {
  %b = IAdd %a, %a : u32
  if %c {
  %then:
    %d = IAdd %b, %a : u32
  }
  switch %b { case 0: { return %a } default: { } }
  return %b
}
"""

ASSEMBLY = """OpCapability Shader
OpCapability Linkage
OpMemoryModel Logical GLSL450
%file = OpString "a.comp"
OpName %x "x"
OpName %y "y"
OpName %z "z"
%void = OpTypeVoid
%bool = OpTypeBool
%true = OpConstantTrue %bool
%type = OpTypeFunction %void
%f = OpFunction %void None %type
%entry = OpLabel
  %x = OpLogicalNot %bool %true
       OpSelectionMerge %merge None
       OpBranchConditional %x %then %merge
%then = OpLabel
       OpLine %file 12 4
  %y = OpLogicalNot %bool %x
       OpNoLine
  %z = OpLogicalNot %bool %y
       OpBranch %merge
%merge = OpLabel
       OpLine %file 20 2
       OpReturn
OpFunctionEnd
"""


def read(text: str, name: str) -> Module:
    return load_bytes(text.encode(), name.rpartition(".")[2], name)


def test_the_text_form() -> None:
    """Line 1 is the first; columns count from 1, at the first word of the statement."""
    module = read(RK, "a.rk")
    function = module.functions[0]
    found = {instr.name: str(place_of(instr, module)) for instr in instructions(function) if instr.name}
    assert found == {"b": "a.rk:3:3", "d": "a.rk:6:5"}
    places = {type(each): str(place_of(each, module)) for each in constructs(function)}
    assert places == {If: "a.rk:4:3", Switch: "a.rk:8:3"}
    assert str(place_of(function, module)) == "a.rk:2:1"
    assert [str(place_of(block, module)) for block in blocks(function) if block.name] == ["a.rk:5:3"]


def test_a_return_stands_where_it_was_written() -> None:
    module = read(RK, "a.rk")
    assert str(place_of(list(instructions(module.functions[0]))[-1], module)) == "a.rk:9:3"


def test_assembly() -> None:
    """A construct has the place of the branch it was made of."""
    module = read(ASSEMBLY, "a.spvasm")
    function = module.functions[0]
    assert function.structured
    found = {instr.name: str(place_of(instr, module)) for instr in instructions(function) if instr.name}
    assert found["x"] == "a.spvasm:14:3"
    assert found["z"] == "a.spvasm:21:3"
    (selection,) = constructs(function)
    assert str(place_of(selection, module)) == "a.spvasm:16:8"
    assert str(place_of(function, module)) == "a.spvasm:12:1"


def test_line_information_goes_first() -> None:
    """OpLine holds to OpNoLine or the end of the block, and for the terminator too (SPIR-V 1.6, OpLine)."""
    module = read(ASSEMBLY, "a.spvasm")
    every = list(instructions(module.functions[0]))
    found = {instr.name: str(place_of(instr, module)) for instr in every if instr.name}
    assert found["y"] == "a.comp:12:4"
    assert str(place_of(every[-1], module)) == "a.comp:20:2"


def test_a_file_without_a_name_is_none() -> None:
    """The text that was read has a name."""
    module = read(ASSEMBLY.replace('"a.comp"', '""'), "a.spvasm")
    found = {instr.name: str(place_of(instr, module)) for instr in instructions(module.functions[0]) if instr.name}
    assert found["y"] == "a.spvasm:19:3"


def test_what_is_made_since_has_the_place_of_the_module() -> None:
    module = read(RK, "a.rk")
    (selection, _) = constructs(module.functions[0])
    assert isinstance(selection, If)
    assert str(place_of(selection.orelse.entry(), module)) == "a.rk"


def test_jumps() -> None:
    """Of a loop that is broken out of in line 6: in the text form the jump, in assembly the branch."""
    text = "module 1.5\nfunc @f(%c: bool) -> void {\nloop @l {\nif %c nojoin {\n%out:\n    break @l\n}\n}\nreturn\n}\n"
    module = read(text, "a.rk")
    (block,) = [each for each in blocks(module.functions[0]) if isinstance(each.jump, Break)]
    assert str(place_of_jump(block, module)) == "a.rk:6:5"
    module = read(ASSEMBLY, "a.spvasm")
    assert str(place_of_jump(blocks(module.functions[0])[-1], module)) == "a.comp:20:2"


def test_debug_lines_of_a_shader() -> None:
    """DebugLine holds as OpLine does, to DebugNoLine; its numbers are constants, its file is named by the source."""
    text = """%debug = ExtInstImport "NonSemantic.Shader.DebugInfo.100"
%glsl = ExtInstImport "GLSL.std.450"
%file = String "a.slang"
%source = ExtInst %debug 35 %file : void
%bare = ExtInst %debug 35 %glsl : void

func @f(%a: f32) -> void {
  %before = FAdd %a, %a : f32
  %l1 = ExtInst %debug 103 %source, 12u, 12u, 4u, 9u : void
  %there = FAdd %a, %a : f32
  %sqrt = ExtInst %glsl Sqrt %a : f32
  %later = FAdd %a, %a : f32
  %l2 = ExtInst %debug 104 : void
  %after = FAdd %a, %a : f32
  %l3 = ExtInst %debug 103 %source, 0u, 0u, 4u, 9u : void
  %no_line = FAdd %a, %a : f32
  %l4 = ExtInst %debug 103 %bare, 5u, 5u, 4u, 9u : void
  %no_file = FAdd %a, %a : f32
  %l5 = ExtInst %debug 103 %source, 7u, 7u, %a, %a : void
  return
}
"""
    module = read(text, "a.rk")
    every = list(instructions(module.functions[0]))
    found = {instr.name: str(place_of(instr, module)) for instr in every if len(instr.name) > 2}
    assert found == {
        "before": "a.rk:8:3",
        "there": "a.slang:12:4",
        "sqrt": "a.slang:12:4",
        "later": "a.slang:12:4",
        "after": "a.rk:14:3",
        "no_line": "a.rk:16:3",
        "no_file": "a.rk:18:3",
    }
    assert (str(place_of(every[-1], module)), every[-1].name) == ("a.slang:7", "")
    (block,) = blocks(module.functions[0])
    assert str(place_of_jump(block, module)) == "a.slang:7"
