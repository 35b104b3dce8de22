"""inline and drop-functions: what a call becomes, which calls stay, and that lanes meet as they did.

The expected texts are derived by hand from the picture at the head of each pass; ballots come from the simulator.
"""

import pytest
from kit.proving import assert_refines
from kit.random.trees import results
from kit.text.pass_texts import body

from reknit.ir import enums, op
from reknit.ir.instr import Instr, Operand
from reknit.ir.module import Module, annotation
from reknit.ir.text.parser import parse
from reknit.ir.text.printer import print_function, print_module
from reknit.ir.verify import verify
from reknit.ir.walk import blocks
from reknit.passes.manager import Report, run_passes

POINTER = "ptr<StorageBuffer, u32>"
ODD = "%bit = BitwiseAnd %n, 1u : u32\n%odd = INotEqual %bit, 0u : bool\n"
VALUE = "SEE 1\n%r = FunctionCall @f, %lane, %slot : u32\nSEE 2\nStore %slot, %r\nreturn"


def function(inside: str, name: str = "f", result: str = "u32", control: str = "") -> str:
    return f"func @{name}(%n: u32, %slot: {POINTER}) -> {result} {control} {{\n{inside}\n}}\n"


def inlined(module: Module, pipeline: str = "inline") -> Report:
    """Run the pass and prove it."""
    before = module.copy()
    report = run_passes(module, pipeline)
    assert verify(module) == []
    assert_refines(before, parse(print_module(module)))
    return report


def text(module: Module) -> str:
    return print_function(module.functions[0])


def test_variables_start_anew_at_each_call() -> None:
    """By hand: each call adds the lane to 5, however often the loop comes by."""
    inside = f"%v = Variable Function 5u : ptr<Function, u32>\n%w = Variable Function : ptr<Function, u32>\n{ODD}"
    inside += "%o = Load %v : u32\n%p = IAdd %o, %n : u32\nStore %v, %p\nStore %w, %p\n%q = Load %w : u32\nreturn %q"
    loop = """%i = Variable Function : ptr<Function, u32>
Store %i, 0u
loop @l {
  %c = Load %i : u32
  %d = UGreaterThanEqual %c, 3u : bool
  if %d nojoin { break @l }
  %r = FunctionCall @f, %lane, %slot : u32
  %s = Load %slot : u32
  %t = IAdd %s, %r : u32
  Store %slot, %t
  %e = IAdd %c, 1u : u32
  Store %i, %e
}
return"""
    module = body(loop, function(inside))
    wanted = [3 * (5 + lane) for lane in range(32)]
    assert results(module)[0][2] == wanted
    inlined(module)
    assert results(module)[0][2] == wanted
    start = text(module).split("Store %i, 0u")[0]
    assert start.count(" = Variable Function : ptr<Function, u32>") == 3
    assert "Store %v, 5u\n" in text(module).split("loop @l")[1]


def test_calls_in_what_comes_in_are_inlined_too() -> None:
    g = function("SEE 5\n%y = IMul %n, 3u : u32\nreturn %y", "g")
    f = function("%a = FunctionCall @g, %n, %slot : u32\n%b = FunctionCall @g, %a, %slot : u32\nreturn %b")
    module = body(VALUE, f + g)
    inlined(module, "inline, drop-functions")
    assert "FunctionCall" not in text(module) and text(module).count("IMul %") == 2 + 4
    assert [found.name for found in module.functions] == ["main"]


def test_many_calls_in_a_block_keep_their_order() -> None:
    calls = "".join([f"%r{at} = FunctionCall @f, {at}u, %slot : u32\n" for at in range(6)])
    module = body(f"{calls}SEE 1\nreturn", function(f"{ODD}if %odd {{\nSEE 3\nreturn 0u\n}}\nSEE 4\nreturn %n"))
    inlined(module)
    assert text(module).count("scope") == 6


def test_kill_in_a_callee_ends_the_lane() -> None:
    module = body(VALUE, function(f"{ODD}if %odd {{\nSEE 3\nkill\n}}\nreturn %n"))
    inlined(module)
    assert "kill" in text(module) and "scope" not in text(module)


def test_a_function_that_never_comes_back_gives_nothing() -> None:
    module = body(f"{ODD.replace('%n', '%lane')}if %odd {{ {VALUE} }}\nSEE 4\nreturn".replace("return }", "}"),
                  function("SEE 3\nif true { kill }\nkill"))  # fmt: skip
    inlined(module)
    assert "undef<u32>" in text(module)


def test_phis_behind_a_call_know_where_control_comes_from() -> None:
    inside = ODD.replace("%n", "%lane") + "if %odd {\nb1:\n%r = FunctionCall @f, %lane, %slot : u32\n} else {\nb2:\n}\n"
    module = body(f"{inside}b3:\n%p = Phi %r b1, 9u b2 : u32\nStore %slot, %p\nreturn",
                  function(f"{ODD}if %odd {{\nSEE 3\n}}\nreturn %n"))  # fmt: skip
    inlined(module)


def test_a_circle_of_calls_stays_and_what_is_beside_it_does_not() -> None:
    f = function("%r = FunctionCall @g, %n, %slot : u32\n%s = FunctionCall @h, %n, %slot : u32\nreturn %r")
    g = function("%r = FunctionCall @f, %n, %slot : u32\nreturn %r", "g")
    module = body(VALUE, f + g + function("%y = IMul %n, 3u : u32\nreturn %y", "h"))
    run_passes(module, "inline")
    assert verify(module) == []
    printed = [print_function(found) for found in module.functions]
    assert "@f" in printed[0] and "@g" in printed[1] and "@h" not in printed[1] and "@f" in printed[2].split("{")[1]


def test_a_call_in_a_continuing_part_may_not_kill() -> None:
    call = "%z = FunctionCall @f, %lane, %slot : void"
    loop = f"loop @l {{\nif true nojoin {{ break @l }}\n}} continuing {{\n{call}\n}}\nSEE 5\nreturn"
    kills = function(f"{ODD}if %odd {{\nkill\n}}\nreturn", result="void")
    module = body(loop, kills)
    assert [note.code for note in inlined(module).notes()] == ["RK2401"]
    module = body(loop, kills)
    assert inlined(module, "lower-continuing, inline").notes() == [] and "FunctionCall" not in text(module)
    module = body(loop, kills.replace("kill", "return"))
    assert inlined(module).notes() == [] and "FunctionCall" not in text(module)


def test_limit_and_only() -> None:
    small = function("%y = IMul %n, 3u : u32\nreturn %y", "g")
    large = function("%x = IAdd %n, 1u : u32\n%y = IMul %x, 3u : u32\nreturn %y")
    both = "%a = FunctionCall @f, %lane, %slot : u32\n%b = FunctionCall @g, %a, %slot : u32\nStore %slot, %b\nreturn"
    for pipeline, left in (("inline{limit=1}", ["@f"]), ("inline{limit=2}", []), ("inline{only=g}", ["@f"])):
        module = body(both, small + large)
        inlined(module, pipeline)
        assert [name for name in ("@f", "@g") if name in text(module)] == left, pipeline
    module = body(VALUE, function("return %n", control="control DontInline"))
    inlined(module, "inline{only=f}")
    assert "FunctionCall" not in text(module)


def test_what_nothing_needs_any_more_is_left_as_it_is() -> None:
    """By hand: @main gets @f, and @h by that; @k says DontInline and is called still, so @h goes there, too. Nothing
    calls @f then, so its own call stays."""
    calls = "%a = FunctionCall @f, %lane, %slot : u32\n%b = FunctionCall @k, %a, %slot : u32\nStore %slot, %b\nreturn"
    inner = "%r = FunctionCall @h, %n, %slot : u32\nreturn %r"
    h = function("%y = IMul %n, 3u : u32\nreturn %y", "h")
    source = h + function(inner) + function(inner, "k", control="control DontInline")
    module = body(calls, source)
    inlined(module, "inline{needed=true}")
    called = {
        found.name: [instr.value(0).name for block in blocks(found) for instr in block if instr.op == op.FunctionCall]
        for found in module.functions
    }
    assert called == {"main": ["k"], "h": [], "f": ["h"], "k": []}
    other = body(calls, source)
    inlined(other, "inline")
    for each in (module, other):
        run_passes(each, "drop-functions")
    assert print_module(module) == print_module(other)


def test_all_functions_are_needed_where_the_module_says_of_none() -> None:
    module = parse("""
func @f(%n: u32) -> u32 {
  return %n
}

func @g(%n: u32) -> u32 {
  %r = FunctionCall @f, %n : u32
  return %r
}
""")
    run_passes(module, "inline{needed=true}")
    assert "FunctionCall" not in print_module(module)


def named(module: Module, name: str) -> Instr:
    return next(instr for found in module.functions for block in blocks(found) for instr in block if instr.name == name)


def test_decorations_go_with_the_copies() -> None:
    module = body(VALUE, function("%x = IAdd %n, 1u : u32\nreturn %x"))
    for name in ("x", "r"):
        module.decorations.append(annotation(op.Decorate, [named(module, name), enums.DecorationRelaxedPrecision]))
    inlined(module, "inline, drop-functions")
    assert "%r = CopyObject %x : u32" in text(module)  # the call said it of what it gave, whatever that is
    printed = print_module(module)
    assert "Decorate %x RelaxedPrecision" in printed and "Decorate %r RelaxedPrecision" in printed


LINES = """
func @main() -> void {
  Line %file 10 1
  %q = FunctionCall @f, 1u : u32
  %r = IAdd %q, 1u : u32
  return
}

func @f(%n: u32) -> u32 {
  Line %file 3 1
  %x = IAdd %n, 1u : u32
  MORE
  return %x
}
"""


@pytest.mark.parametrize("more", ["", "if true {\n}\nLine %file 4 1\n%y = IAdd %x, 1u : u32"])
@pytest.mark.parametrize("own", ["Line %file 10 1", "NoLine"])
def test_lines_are_right_again_behind_the_call(more: str, own: str) -> None:
    source = LINES.replace("MORE", more).replace("  Line %file 10 1\n", f"  {own}\n" if "1" in own else "")
    module = parse('%file = String "a"\n' + source)
    run_passes(module, "inline")
    assert verify(module) == []
    lines = [line.strip() for line in text(module).splitlines()]
    place = lines.index("%r = IAdd %x, 1u : u32")
    assert lines[place - 1] == own and "Line %file 3 1" in lines


# --- drop-functions ---------------------------------------------------------------------------------------------------


def test_functions_that_nothing_calls_go() -> None:
    unused = function("%r = FunctionCall @g, %n, %slot : u32\nreturn %r") + function(
        f"{ODD}if %odd {{\nreturn 1u\n}}\n%r = FunctionCall @f, %n, %slot : u32\nreturn %r", "g"
    )
    used = function("return %n", "h")
    module = body(VALUE.replace("@f", "@h"), unused + used)
    run_passes(module, "drop-functions")
    assert [found.name for found in module.functions] == ["main", "h"]
    assert verify(module) == [] and print_module(parse(print_module(module))) == print_module(module)


def test_what_is_exported_stays() -> None:
    module = body("return", function("return %n") + function("return %n", "g"))
    linkage: list[Operand] = [module.functions[2], enums.DecorationLinkageAttributes, "g", enums.LinkageTypeExport]
    module.decorations.append(annotation(op.Decorate, linkage))
    run_passes(module, "drop-functions")
    assert [found.name for found in module.functions] == ["main", "g"] and verify(module) == []


def test_a_module_that_says_nothing_of_its_use_is_left_alone() -> None:
    module = parse("func @f() -> void {\nreturn\n}\nfunc @g() -> void {\nreturn\n}\n")
    report = run_passes(module, "drop-functions")
    assert [note.code for note in report.notes()] == ["RK2402"] and len(module.functions) == 2
