"""Texts that come back as they are: each is the one way to write what it means, by docs/text-form.md.

What is read from them is checked in test_text_read.py; here every notation is printed, at the limits of its use.
"""

import re
from itertools import product

import pytest

from reknit.ir.text.lexer import is_plain_name
from reknit.ir.text.parser import parse
from reknit.ir.text.printer import print_function, print_instruction, print_module
from reknit.ir.walk import instructions

# The text of a module is as wide as it is.
# ruff: noqa: E501

MODULES = {
    "header": "module 1.5 generator 0x80001 schema 7 bound 99\n",
    "usual": "Capability Shader\n",
    "sections": """Capability Shader
Extension "SPV_KHR_non_semantic_info"
%glsl = ExtInstImport "GLSL.std.450"
MemoryModel Logical GLSL450
EntryPoint GLCompute @main "main"
ExecutionMode @main LocalSize 64 1 1
%file = String "a.glsl"
Source GLSL 450 %file
in sources ModuleProcessed "elsewhere"
ModuleProcessed "by hand"
Decorate %x RelaxedPrecision
%x = Undef : f32

func @main() -> void {
  return
}
""",
    "names": """names %x, @f
Name %x "other"
names %x
MemberName %S 0 "first"
%S = TypeStruct u32
%x = Undef : u32

func @f() -> void {
  return
}
""",
    "numbers": """declare u32, 7u, i32, -3, u8, 255u8, i8, -128i8, u64, 1u64, i64, -1i64, f32, 1.5f, -0.0f, f16, 1.5h, f64, 1.5d, f32(0x7fc00000)
declare f16(0x7c00), bool, true, false
""",
    "types": """declare void, u32, ptr<Function, u32>, 4u, array<u32, 4>, i32, 4, array<u32, 4i>, array<u32>, f32, vec3<f32>, mat2x3<f32>
declare sampler, bool, fn(u32, f32) -> void, fn() -> void, null<u32>, undef<u32>, vec4<u32>, u8, 5u8, array<u32, 5u8>
""",
    "named types": """%S = TypeStruct u32, f32
%T = TypeStruct %S, %S
%x = Constant 7 : u32
%y = SpecConstant -7 : i32
%z = Constant 1.5 : f32
%n = Constant 0x7fc00000 : f32
%b = SpecConstantTrue : bool
%l = Constant -1 : i64
%w = Constant !128 : i8
%long = TypeFloat 16 BFloat16KHR
%q = Constant 0x3c00 : %long
""",
    "declared in another order": """declare f32, u32
%x = Undef : u32
declare vec2<f32>
%y = Undef : f32
""",
    "ids": """%12 = TypeStruct u32, f32
%x = Undef : %12
ids 3 u32 f32
ids 20 %x
""",
    "annotations": """Decorate %x SpecId 5
Decorate %S Block
MemberDecorate %S 0 Offset 0
DecorateString %S UserSemantic "Open"
Decorate %x FPMaxErrorDecorationINTEL 0x3fc00000
Decorate %x 9999
%S = TypeStruct u32
%x = SpecConstant 1 : u32
""",
    "extended": """%glsl = ExtInstImport "GLSL.std.450"
%other = ExtInstImport "NonSemantic.Unknown"
%info = ExtInst %other 7 u32, 1u : void

func @f(%a: f32) -> void {
  %x = ExtInst %glsl Pow %a, %a : f32
  %y = ExtInst %glsl FMix %a, %a, %a : f32
  %z = ExtInst %other 12 %a : void
  return
}
""",
    "declaration": """func @f(%a: u32) -> u32 external

func @g() -> void {
  %x = FunctionCall @f, 1u : u32
  return
}
ids 9 @f %a
""",
    "lines": """leading NoLine
leading parameter 1 NoLine
func @f(%a: u32, %b: u32) -> void {
  NoLine
  return
  closing NoLine
}
closing NoLine
""",
    "operands": """func @f(%p: ptr<Function, u32>, %a: u32) -> void {
  %x = Load %p Aligned 4 : u32
  %y = Load %p Volatile|Aligned 16 : u32
  Store %p, %x Volatile
  MemoryBarrier Workgroup WorkgroupMemory
  %z = AtomicIAdd %p Device Relaxed %a : u32
  %b = GroupNonUniformBallot Subgroup true : vec4<u32>
  %c = GroupNonUniformIAdd Subgroup Reduce %a : u32
  %d = GroupNonUniformIAdd Subgroup ClusteredReduce %a, 4u : u32
  %e = CompositeExtract %b 0 : u32
  %g = VectorShuffle %b, %b 0 1 7 : vec3<u32>
  %h = IAdd %a, 2u : u32
  Op4711 %a !5
  CopyMemory %p, %p Aligned 4
  return
}
""",
    "tree": """func @f(%c: bool, %k: u32) -> u32 control Inline|Pure {
  if %c as @x {
    break @x
  } else {
    kill
  }
  if %c nojoin control Flatten weights (3, 4) {
    terminate
  }
  loop @l control DependencyLength(8) {
    if %c {
      continue @l
    }
    break @l
  } continuing {
    %n = IAdd %k, 1u : u32
  }
  loop {
  } continuing {
    %m = IAdd %k, 1u : u32
  }
  scope @s nojoin {
    scope {
    }
    break @s
  }
  switch %k as @w control DontFlatten targets (9, 1, 2) {
    case 1, 2: {
      fallthrough
    }
    case 9 as @case: {
      if %c control () {
        fallthrough
      }
    }
    case: {
    }
    default: {
      unreachable
    }
  }
  switch %k {
    case 4294967295, default: {
    }
  }
  return %k
}
""",
    "signed and narrow literals": """func @f(%i: i32, %b: i8, %l: i64, %u: u8) -> void {
  switch %i {
    case -1, 2147483647, -2147483648: {
    }
    default: {
    }
  }
  switch %b {
    case -128, 127, -1: {
    }
    default: {
    }
  }
  switch %l {
    case -1, 9223372036854775807: {
    }
    default: {
    }
  }
  switch %u {
    case 255, 128: {
    }
    default: {
    }
  }
  return
}
""",
    "fallthrough of an outer switch": """func @f(%k: u32) -> void {
  switch %k as @outer {
    case 1: {
      switch %k {
        case 5: {
          fallthrough
        }
        default: {
          fallthrough @outer
        }
      }
    }
    case 2: {
      scope {
        fallthrough
      }
    }
    default: {
    }
  }
  return
}
""",
    "labels": """func @f(%c: bool) -> void ordered {
  if %c {
  %named: at 7
  } else {
  %8:
  }
pad b2: at 3
b3:
  NoLine
leading NoLine
pad %"a b":
  return
}
""",
    "flat": """func @f(%c: bool, %k: u64) -> void flat {
b1:
  SelectionMerge b3 None
  BranchConditional %c, b2, b3 1 2
b2: member b2, b3 by token
  LoopMerge b3, b2 Unroll
  Switch %k, b3, 5 !0 b2, 7 !1 b2
b3: member b1 by "two words"
  %x = Phi %c b1, %c b2 : bool
  return
}
""",
    "islands": """func @f() -> void {
  return
  islands
b1:
  Branch b2
b2:
  unreachable
}
""",
}


@pytest.mark.parametrize("name", list(MODULES))
def test_a_module_comes_back(name: str) -> None:
    text = MODULES[name]
    printed = print_module(parse(text))
    assert printed.replace("\n\n", "\n").lstrip("\n") == text.replace("\n\n", "\n")


def test_blank_lines_stand_before_functions() -> None:
    text = "module 1.5\n\nfunc @f() -> void {\n  return\n}\n\nfunc @g() -> void {\n  return\n}\n"
    assert print_module(parse(text)) == text


def test_long_lists_are_broken() -> None:
    """A line ends with the first part that goes beyond 110 columns."""
    parts = [f"{part}{width}{end}" for width in range(1, 41) for part, end in (("u", ""), ("vec4<u", ">"))]
    lines = print_module(parse(f"declare {', '.join(parts)}\n")).splitlines()
    assert len(lines) > 3
    for line in lines[:-1]:
        assert len(line) > 110 and len(line.rpartition(", ")[0]) <= 110
    assert ", ".join([line.removeprefix("declare ") for line in lines]) == ", ".join(parts)

    named = "".join([f"%variable_{n} = Undef : u32\n" for n in range(40)])
    text = "names " + ", ".join([f"%variable_{n}" for n in range(40)]) + "\n" + named
    lines = [line for line in print_module(parse(text)).splitlines() if line.startswith("names")]
    assert len(lines) > 3
    for line in lines[:-1]:
        assert len(line) > 110 and len(line.rpartition(", ")[0]) <= 110

    text = "ids 50 " + " ".join([f"%variable_{n}" for n in range(40)]) + "\n"
    lines = [line for line in print_module(parse(named + text)).splitlines() if line.startswith("ids")]
    assert [line.split()[1] for line in lines[:2]] == ["50", str(50 + len(lines[0].split()) - 2)]
    for line in lines[:-1]:
        assert len(line) > 110 and len(line.rpartition(" ")[0]) <= 110


def test_nothing_is_indented_beyond_forty_levels() -> None:
    text = "func @f() -> void {\n" + "scope {\n" * 50 + "NoLine\n" + "}\n" * 50 + "return\n}\n"
    lines = print_module(parse(text)).splitlines()
    widths = [len(line) - len(line.lstrip()) for line in lines if line.lstrip().startswith(("scope", "NoLine"))]
    assert widths == [2 * level for level in range(1, 41)] + [80] * 11


def test_values_whose_names_are_alike() -> None:
    text = """func @f() -> void {
  %x = IAdd 1, 2 : i32
  %x'2 = IAdd %x, 2 : i32
  %x'3 = IAdd %x, %x'2 : i32
  %_1 = IAdd %x'3, 2 : i32
  %"if so" = IAdd %_1, 2 : i32
  %7 = IAdd %"if so", 2 : i32
  %"7" = IAdd %7, 2 : i32
  return
}
"""
    module = parse(text)
    assert print_function(module.functions[0]) == text
    assert [instr.name for instr in instructions(module.functions[0]) if instr.name] == ["x", "x", "x", "if so", "7"]


def test_notes_are_put_behind_what_they_are_about() -> None:
    module = parse("func @f(%c: bool) -> void {\nb1:\nif %c {\n%x = IAdd 1, 2 : i32\n}\nreturn\n}\n")
    function = module.functions[0]
    choice = next(node for node in function.body if node is not function.entry())
    (x,) = [instr for instr in instructions(function) if instr.name == "x"]
    notes = {x: "a sum", choice: "a choice", function: "a function"}
    lines = print_function(function, notes).splitlines()
    assert [line.split("   ; ")[1] for line in lines if ";" in line] == ["a function", "a choice", "a sum"]
    assert print_module(module, notes).count(";") == 3
    assert print_instruction(x) == "%x = IAdd 1, 2 : i32"


def test_names_without_quotes_are_those_of_the_grammar() -> None:
    """Letters, digits, `_`, `.` and `$`, no digit first; `_7` is what a value without a name is called."""
    plain, automatic = re.compile(r"[A-Za-z_.$][A-Za-z0-9_.$]*\Z"), re.compile(r"_[0-9]+\Z")
    for length in range(1, 5):
        for signs in product("aZ_.$07é٣ \n-", repeat=length):
            name = "".join(signs)
            assert is_plain_name(name) == (bool(plain.match(name)) and not automatic.match(name)), name
