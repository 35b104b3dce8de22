"""Cases of a dispatcher that do the same are one where that can't be told; two cases are an if.

Each program chooses a type by lane & 3 and stores what its method gives. Values are worked out by hand at each test.
"""

import pytest
from kit.oracles.dispatch_runs import SIZES, WATERFALL, after, execute, who_runs
from kit.programs.dispatch import END, HEAD, MAIN, call

from reknit.ir.function import Function
from reknit.ir.module import Module
from reknit.ir.text.printer import print_function

SET_LEVEL = "specialize-dispatch"
LOWERED = "specialize-dispatch, lower-dispatch{inline=never}"
BALLOT = """  %m = GroupNonUniformBallot Subgroup true : vec4<u32>
  %m0 = CompositeExtract %m 0 : u32
"""
PLAIN = """
func @same(%this: %A, %v: u32) -> u32 {
  %a = CompositeExtract %this 0 : u32
  %r = IAdd %a, %v : u32
  return %r
}
"""
TANGLED = f"""
func @same(%this: %A, %v: u32) -> u32 {{
{BALLOT}  return %m0
}}
"""
THROUGH_A_CALL = f"""
func @who() -> u32 {{
{BALLOT}  return %m0
}}

func @same(%this: %A, %v: u32) -> u32 {{
  %r = FunctionCall @who : u32
  return %r
}}
"""
OTHERS = """
func @one(%this: %A, %v: u32) -> u32 {
  %r = IAdd %v, 1000u : u32
  return %r
}

func @three(%this: %A, %v: u32) -> u32 {
  %r = IAdd %v, 3000u : u32
  return %r
}
"""


def program(same: str, methods: list[str]) -> str:
    """The type of a lane is lane & 3; `methods` are what their tables have."""
    text = HEAD + "".join([f"%W{n} = WitnessTable %A {n} %foo, @{name} : %WT\n" for n, name in enumerate(methods)])
    text += same + OTHERS + MAIN + "  %kind = BitwiseAnd %lane, 3u : u32\n  %a = CompositeConstruct %lane : %A\n"
    text += "  switch %kind {\n"
    for n in range(len(methods)):
        label = "default" if n == len(methods) - 1 else f"case {n}"
        text += f"    {label}: {{\n    %l{n}:\n      %e{n} = MakeExistential %a, %W{n} : %IFoo\n    }}\n"
    text += f"  }}\n  %e = Phi {', '.join([f'%e{n} %l{n}' for n in range(len(methods))])} : %IFoo\n"
    return text + call("%e", "100u", "r") + END


def dispatcher(module: Module) -> str:
    found = [function for function in module.functions if function.name == "dispatch_foo"]
    return print_function(found[0])


def test_cases_of_one_function_are_one() -> None:
    """0 and 2 have @same. Lanes 0, 2, 4, ... get lane + 100; 1, 5, ... 1100; 3, 7, ... 3100."""
    module = after(program(PLAIN, ["same", "one", "same", "three"]), LOWERED)
    text = dispatcher(module)
    assert "case 0, 2: {" in text and text.count("FunctionCall @same") == 1
    assert text.count("case") == 2 and text.count("default: {") == 1
    expected = [lane + 100 if lane % 2 == 0 else 1100 if lane & 3 == 1 else 3100 for lane in range(64)]
    for size in SIZES:
        assert execute(module, size).buffers["out"].words == expected


def test_what_the_default_does_needs_no_case() -> None:
    """1 and 3 have @same, and 3 is the default."""
    module = after(program(PLAIN, ["one", "same", "three", "same"]), LOWERED)
    text = dispatcher(module)
    assert "case 0: {" in text and "case 2: {" in text and text.count("case") == 2
    expected = [lane + 100 if lane % 2 else 1100 if lane & 3 == 0 else 3100 for lane in range(64)]
    for size in SIZES:
        assert execute(module, size).buffers["out"].words == expected


@pytest.mark.parametrize("same", [TANGLED, THROUGH_A_CALL])
def test_cases_stay_apart_where_a_tangled_operation_can_be_reached(same: str) -> None:
    """Lanes 0, 4, 8, ... are of type 0 and see each other alone, and so do 2, 6, ... of type 2."""
    text = program(same, ["same", "one", "same", "three"])
    module = after(text, LOWERED)
    assert dispatcher(module).count("FunctionCall @same") == 2
    assert dispatcher(module).count("case") == 3
    before, between = after(text), after(text, SET_LEVEL)
    for size in SIZES:
        first = execute(before, size)
        every_fourth = sum(1 << lane for lane in range(0, min(size, 32), 4))
        assert first.buffers["out"].words[0] == every_fourth
        assert first.buffers["out"].words[2] == every_fourth << 2
        for later in (execute(between, size), execute(module, size)):
            assert later.buffers["out"].words == first.buffers["out"].words
            assert who_runs(later, "same") == who_runs(first, "same") != []


def test_one_function_for_all_is_called_directly() -> None:
    """Nothing is left to dispatch by: every lane gets lane + 100."""
    text = program(PLAIN, ["same", "same", "same", "same"])
    module = after(text, LOWERED)
    assert "switch" not in dispatcher(module) and dispatcher(module).count("FunctionCall @same") == 1
    module = after(text, "specialize-dispatch, lower-dispatch")
    assert [function.name for function in module.functions if function.name.startswith("dispatch")] == []
    for size in SIZES:
        assert execute(module, size).buffers["out"].words == [lane + 100 for lane in range(64)]


MUTATING = """
func @same(%this: ptr<Function, %A>, %v: u32) -> void {
  %p = AccessChain %this, 0u : ptr<Function, u32>
  Store %p, %v
  return
}

func @one(%this: ptr<Function, %B>, %v: u32) -> void {
  %p = AccessChain %this, 1u : ptr<Function, u32>
  Store %p, %v
  return
}
"""


def test_a_copy_in_a_variable_of_its_own_is_packed_alike() -> None:
    """The object is given by pointer, so each case copies it to a variable of its type: here two cases and one left."""
    text = HEAD + '%bump = Requirement "bump" : %IFoo\n'
    text += "%W0 = WitnessTable %A 0 %bump, @same : %WT\n%W1 = WitnessTable %B 1 %bump, @one : %WT\n"
    text += "%W2 = WitnessTable %A 2 %bump, @same : %WT\n" + MUTATING
    text += MAIN.replace("{\n", "{\n  %place = Variable Function : ptr<Function, %This>\n", 1)
    text += """  %a = CompositeConstruct %lane : %A
  %b = CompositeConstruct %lane, %lane : %B
  %kind = BitwiseAnd %lane, 3u : u32
  switch %kind {
    case 0: {
    %l0:
      %e0 = MakeExistential %a, %W0 : %IFoo
    }
    case 1: {
    %l1:
      %e1 = MakeExistential %b, %W1 : %IFoo
    }
    default: {
    %l2:
      %e2 = MakeExistential %a, %W2 : %IFoo
    }
  }
  %e = Phi %e0 %l0, %e1 %l1, %e2 %l2 : %IFoo
  %w = ExtractExistentialWitnessTable %e : %WT
  %x = ExtractExistentialValue %e : %This
  Store %place, %x
  %g = LookupWitness %w, %bump : fn(ptr<Function, %This>, u32) -> void
  %none = CallDynamic %g, %place, 70u : void
  %y = Load %place : %This
  %e9 = MakeExistential %y, %w : %IFoo
  %is = IsType %e9, %W1 : bool
  if %is {
  %l3:
    %z = ExtractExistentialValue %e9 : %B
    %q = CompositeExtract %z 0 : u32
    %k = CompositeExtract %z 1 : u32
    %s = IMul %k, 100u : u32
    %t = IAdd %s, %q : u32
  } else {
  %l4:
    %h = ExtractExistentialValue %e9 : %A
    %j = CompositeExtract %h 0 : u32
  }
  %r = Phi %t %l3, %j %l4 : u32
"""
    text += END
    expected = [7000 + lane if lane & 3 == 1 else 70 for lane in range(64)]
    assert execute(after(text), 8).buffers["out"].words == expected
    for mode in ("switch", "waterfall"):
        module = after(text, LOWERED.replace("{", f"{{mode={mode},"), WATERFALL if mode == "waterfall" else "")
        found = [function for function in module.functions if function.name == "dispatch_bump"][0]
        shown = print_function(found)
        assert shown.count("FunctionCall @same") == 1 and shown.count("Variable") == 2
        assert "if " in shown and "switch" not in shown
        assert any(function.name == "waterfall_bump" for function in module.functions) == (mode == "waterfall")
        for size in SIZES:
            assert execute(module, size).buffers["out"].words == expected


def two(methods: list[str]) -> Function:
    module = after(program(PLAIN, methods), LOWERED)
    return next(function for function in module.functions if function.name == "dispatch_foo")


@pytest.mark.parametrize(
    ("methods", "place", "first", "second"),
    [
        (["one", "three"], "0u", "one", "three"),
        (["one", "same", "one"], "1u", "same", "one"),
        (["same", "same", "one"], "2u", "one", "same"),
    ],
)
def test_two_cases_are_an_if(methods: list[str], place: str, first: str, second: str) -> None:
    """One comparison tells, whichever of the two it is about: the tag is %p's first parameter."""
    text = print_function(two(methods))
    assert "switch" not in text
    assert f"IEqual %tag, {place} : bool" in text
    assert text.index(f"@{first}") < text.index("else") < text.index(f"@{second}")


def test_two_cases_of_several_types_each_stay_a_switch() -> None:
    text = print_function(two(["one", "same", "one", "same"]))
    assert "case 0, 2: {" in text and "if" not in text
