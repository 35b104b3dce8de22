"""What each instruction does besides giving a value: comments say what `Effects` finds.

    computes   its value depends on its operands alone     acts   it stays though nobody reads it
    ends       afterwards fewer invocations, or others, may run together

Sources: SPIR-V 1.6, 3.56 "Instructions", "Memory Operands", "Image Operands"; GLSL.std.450; the SPIR-V extensions that
define demotion and ray tracing calls.
"""

import pytest

from reknit.analysis.effects import Effects
from reknit.analysis.manager import Analyses
from reknit.ir.instr import Instr
from reknit.ir.module import Module
from reknit.ir.text.parser import parse
from reknit.ir.walk import instructions

HEAD = """Capability Shader
Capability GroupNonUniformBallot
Capability StorageImageReadWithoutFormat
Capability SampleRateShading
Capability InterpolationFunction
%glsl = ExtInstImport "GLSL.std.450"
%debug = ExtInstImport "NonSemantic.Shader.DebugInfo.100"
%printf = ExtInstImport "NonSemantic.DebugPrintf"
%other = ExtInstImport "OpenCL.std"
MemoryModel Logical GLSL450
EntryPoint GLCompute @main "main" %in
ExecutionMode @main LocalSize 1 1 1
{}%S = TypeStruct u32, u32
%image_type = TypeImage f32, 2D, 0, 0, 0, 2, Unknown
%sampled = TypeSampledImage %image_type
%image = Variable UniformConstant : ptr<UniformConstant, %image_type>
%both = Variable UniformConstant : ptr<UniformConstant, %sampled>
%buffer = Variable StorageBuffer : ptr<StorageBuffer, %S>
%plain = Variable StorageBuffer : ptr<StorageBuffer, %S>
%own = Variable Private : ptr<Private, u32>
%unread = Variable Private : ptr<Private, u32>
%in = Variable Input : ptr<Input, f32>
"""
MAIN = """func @main() -> void {
  %v = Variable Function : ptr<Function, u32>                           ;
  %w = Variable Function : ptr<Function, f32>                           ;
  %p = AccessChain %buffer, 0u : ptr<StorageBuffer, u32>                ; computes
  %q = AccessChain %plain, 0u : ptr<StorageBuffer, u32>                 ; computes
  %a = Load %p : u32                                                    ;
  %b = Load %p Volatile : u32                                           ; acts
  %c = IAdd %a, %b : u32                                                ; computes
  %d = Bitcast %c : f32                                                 ; computes
  %e = ExtInst %glsl Sqrt %d : f32                                      ; computes
  %f = ExtInst %glsl Modf %d, %w : f32                                  ; acts
  %g = ExtInst %glsl Frexp %d, %v : f32                                 ; acts
  %h = ExtInst %glsl InterpolateAtCentroid %in : f32                    ;
  %i = ExtInst %glsl InterpolateAtSample %in, 1i : f32                  ;
  %k = GroupNonUniformBallot 3u, true : vec4<u32>                       ;
  %l = GroupNonUniformElect 3u : bool                                   ;
  %m = DPdx %d : f32                                                    ;
  %n = Load %image : %image_type                                        ;
  %o = ImageRead %n, 0u : vec4<f32>                                     ;
  %r = Undef : u32                                                      ;
  %s = CompositeConstruct %c, %c : vec2<u32>                            ; computes
  %t = ULessThan %c, %a : bool                                          ; computes
  %x = AtomicIAdd %p, 1u, 0u, 1u : u32                                  ; acts
  %y = FunctionCall @pure, %c : u32                                     ;
  %z = FunctionCall @storing, %c : u32                                  ; acts
  %aa = FunctionCall @ending, %c : u32                                  ; acts ends
  %ab = FunctionCall @through, %c : u32                                 ; acts ends
  %ac = FunctionCall @import, %c : u32                                  ; acts ends
  %ad = FunctionCall @local, %c : u32                                   ;
  %ae = FunctionCall @demoting, %c : u32                                ; acts ends
  Store %v, %c                                                          ; acts stores
  Store %v, %c Volatile                                                 ; acts
  Store %p, %c                                                          ; acts
  %af = Load %own : u32                                                 ;
  Store %own, %c                                                        ; acts
  Store %unread, %c                                                     ; acts stores
  ControlBarrier 2u, 2u, 264u                                           ; acts
  MemoryBarrier 2u, 264u                                                ; acts
  DemoteToHelperInvocation                                              ; acts ends
  return
}
func @pure(%x: u32) -> u32 {
  %y = IMul %x, %x : u32
  return %y
}
func @storing(%x: u32) -> u32 {
  Store %own, %x
  return %x
}
func @local(%x: u32) -> u32 {
  %v = Variable Function : ptr<Function, u32>
  Store %v, %x
  %y = Load %v : u32
  return %y
}
func @ending(%x: u32) -> u32 {
  kill
}
func @through(%x: u32) -> u32 {
  %y = FunctionCall @ending, %x : u32
  return %y
}
func @demoting(%x: u32) -> u32 {
  DemoteToHelperInvocation
  return %x
}
func @import(%x: u32) -> u32 external
"""


def analysed(head: str) -> tuple[Module, Effects]:
    module = parse(HEAD.format(head) + MAIN)
    return module, Analyses(module).of_module(Effects)


def lines() -> list[tuple[str, list[str]]]:
    found = []
    for line in MAIN.splitlines():
        code, comment, says = line.partition(";")
        if comment:
            found.append((code.strip(), says.split()))
    return found


def found_for(effects: Effects, instr: Instr) -> list[str]:
    says = {
        "computes": effects.computes(instr),
        "acts": effects.acts(instr),
        "ends": effects.may_end(instr),
        "stores": effects.stored_variable(instr) is not None,
    }
    return [word for word, holds in says.items() if holds]


def test_each_line() -> None:
    module, effects = analysed("")
    main = list(instructions(module.functions[0]))[: len(lines())]
    for instr, (code, says) in zip(main, lines(), strict=True):
        assert sorted(found_for(effects, instr)) == sorted(says), code


VOLATILE = "Decorate %plain Volatile\n"
MEMBER = "MemberDecorate %S 0 Volatile\n"


@pytest.mark.parametrize("head, acting", [
    ("", ""),
    (VOLATILE, "load-of-%q ImageRead"),
    (MEMBER, "load-of-%p load-of-%q ImageRead"),
    ("Decorate %plain NonWritable\n", ""),
    ("MemberDecorate %S 0 NonWritable\n", ""),
])  # fmt: skip
def test_volatile_variables_and_members(head: str, acting: str) -> None:
    """Without a Volatile of its own, a load acts if the variable is volatile, or perhaps its member; not a function's
    own variable."""
    code = "  %1 = Load %p : u32\n  %2 = Load %q : u32\n  %3 = Load %v : u32\n  %4 = Load %own : u32\n"
    module = parse(HEAD.format(head) + MAIN.replace("  %x = Atomic", f"{code}  %x = Atomic"))
    effects = Analyses(module).of_module(Effects)
    by_pointer = {"p": "load-of-%p", "q": "load-of-%q", "v": "load-of-%v", "own": "load-of-%own"}
    found: list[str] = []
    for instr in instructions(module.functions[0]):
        plain = len(instr.operands) == 1 and isinstance(instr.operands[0], Instr)
        name = by_pointer.get(instr.instr(0).name, "") if plain else ""
        if name and effects.acts(instr):
            found.append(name)
        if instr.name == "o" and effects.acts(instr):
            found.append("ImageRead")
    assert set(found) == set(acting.split())


def test_what_says_nothing_for_the_program() -> None:
    """Debug information may go; a printf is seen, and of an unknown set nothing is known."""
    code = {
        "%known = ExtInst %debug 0 : void": [],
        "%strange = ExtInst %other 5 %d : f32": ["acts", "ends"],
    }
    for line, says in code.items():
        module = parse(HEAD.format("") + MAIN.replace("  %x = Atomic", f"  {line}\n  %x = Atomic"))
        effects = Analyses(module).of_module(Effects)
        (instr,) = [one for one in instructions(module.functions[0]) if one.name in ("known", "strange")]
        assert sorted(found_for(effects, instr)) == says, line


def test_functions() -> None:
    _, effects = analysed("")
    assert {one.name for one in effects.acting} == {"main", "storing", "ending", "through", "demoting", "import"}
    assert {one.name for one in effects.ending} == {"main", "ending", "through", "demoting", "import"}


def test_same_as_compares_what_was_found() -> None:
    module, effects = analysed("")
    assert effects.same_as(Analyses(module).of_module(Effects))
    assert not effects.same_as(Analyses(parse(HEAD.format("") + MAIN)).of_module(Effects))  # other functions
    for change in (VOLATILE, MEMBER):
        module, effects = analysed(change)
        before = Analyses(module).of_module(Effects)
        assert effects.same_as(before)
        module.decorations.clear()
        assert not effects.same_as(Analyses(module).of_module(Effects))
