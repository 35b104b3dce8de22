"""What a person who touches an object sees: `repr` and `str` of the IR's parts, names and walks of functions."""

import copy
import pickle
from collections.abc import Callable
from pathlib import Path

import pytest

import reknit
from reknit.analysis.callgraph import CallGraph
from reknit.analysis.dominance import Dominance
from reknit.ir import edit, op
from reknit.ir.block import Block
from reknit.ir.build import Builder
from reknit.ir.cursor import at_end, at_head, behind_jump
from reknit.ir.extract import delete, extract
from reknit.ir.instr import Instr
from reknit.ir.jump import Break, Continue, Exit, Fallthrough
from reknit.ir.module import Module
from reknit.ir.text.excerpt import MAX_LINES
from reknit.ir.text.parser import parse
from reknit.ir.tree import Case, If, Loop, Scope, Switch

EXAMPLE = Path(__file__).resolve().parents[3] / "examples" / "fallthrough.spvasm"

TEXT = """\
Capability Shader
MemoryModel Logical GLSL450
EntryPoint GLCompute @f "main"
ExecutionMode @f LocalSize 1 1 1
func @f() -> void {
  switch 1u {
    case 0, 2: {
      %sum = IAdd 1u, 2u : u32
      fallthrough
    }
    default: {
      loop @l {
        if true {
          break @l
        }
      }
    }
  }
  return
}
func @g(%a: u32) -> u32 {
  return %a
}
"""


def module() -> Module:
    return parse(TEXT, "a.rk")


def test_what_the_api_hands_out_says_what_it_is() -> None:
    """No class of the API shows itself as an address."""
    example = reknit.load(EXAMPLE)
    main = example.function("main")
    analyses = reknit.Analyses(example)
    warning = reknit.lint(EXAMPLE)[0]
    place = f"<{EXAMPLE}:90:8>"
    assert repr(warning.place) == place
    assert repr(reknit.Note("see here")) == "<note: see here>"
    assert repr(reknit.Note("see here", warning.place)) == place[:-1] + ": note: see here>"
    assert repr(reknit.Option("n", 1, "how many")) == "<option n: how many; default 1>"
    assert repr(reknit.Settings(entries=["main"])) == "<settings: entry points main; 0 macros>"
    assert repr(analyses) == f"<analyses of {example!r}>"
    assert repr(reknit.Context(example, analyses, {})) == f"<context of a pass on {example!r}>"
    assert repr(analyses.ask(Dominance, main)) == "<analysis dominance>"
    assert repr(analyses.of_module(CallGraph)) == "<analysis call-graph>"
    assert repr(Builder(example, main.entry())) == "<builder at the end of %entry>"


def test_a_part_shows_its_text() -> None:
    switch, loop, choice = list(module().function("f").constructs())
    assert isinstance(switch, Switch) and isinstance(choice, If)
    assert repr(choice) == "if true {\n  break @l\n}"
    assert repr(loop) == "loop @l {\n  if true {\n    break @l\n  }\n}"
    first = switch.cases[0]
    body = "    %sum = IAdd 1u, 2u : u32\n    fallthrough"
    assert repr(first) == "case 0, 2: {\n" + body.replace("    ", "  ") + "\n}"
    (total,) = first.region.entry()
    assert repr(total) == str(total) == "%sum = IAdd 1u, 2u : u32"
    assert repr(first.region.entry()) == "pad b1:\n  %sum = IAdd 1u, 2u : u32\n  fallthrough"
    assert repr(first.region) == "  %sum = IAdd 1u, 2u : u32\n  fallthrough"
    assert repr(total.type) == "%_1 = TypeInt 32 0"
    assert repr(at_end(first.region.entry())) == "<in pad b1, behind %sum = IAdd 1u, 2u : u32>"
    assert repr(at_head(first.region.entry())) == "<in pad b1, at its head>"
    assert repr(behind_jump(first.region.entry())).endswith(", behind its jump>")


def test_a_function_is_cut_and_a_module_is_one_line() -> None:
    made = module()
    assert repr(made) == "<a.rk: SPIR-V 1.6, entry point @f, 2 functions>" and str(made) == reknit.text(made)
    assert repr(made.function("g")) == "func @g(%a: u32) -> u32 {\n  return %a\n}"
    lines = repr(made.function("f")).splitlines()
    assert len(lines) == MAX_LINES + 1 and lines[-1] == "... 4 more lines"
    assert str(made.function("f")).splitlines() == TEXT.splitlines()[4:20]
    assert lines[:-1] == TEXT.splitlines()[4 : 4 + MAX_LINES]
    assert repr(Module()) == "<module: SPIR-V 1.6, 0 functions>"


def test_what_is_being_built_or_was_taken_apart_has_a_text_too() -> None:
    """In a debugger one looks at things that are half done."""
    condition = Instr(op.Undef, None, [])
    loop, switch = Loop("l"), Switch(condition, "s")
    case = Case(switch, "c")
    switch.cases.append(case)
    parts = [If(condition), loop, switch, Scope(), case, Block(), Block("x"), Instr(op.Phi, None, [])]
    assert [repr(part).splitlines()[0] for part in parts] == [
        "if %_1 {", "loop @l {", "switch %_1 as @s {", "scope {", "case as @c: {", "b1:", "%x:", "%_1 = Phi",
    ]  # fmt: skip
    jumps = [Break(loop), Continue(loop), Fallthrough(case), Exit(Instr(op.Kill, None, [], "", False))]
    assert [repr(jump) for jump in jumps] == ["break @l", "continue @l", "fallthrough @s", "kill"]
    for code in range(500):  # all opcodes, without any of their operands and with one that is wrong
        for operand in (7, "x", condition):
            assert repr(Instr(code, condition, [])) and repr(Instr(code, condition, [operand, operand]))
    made = module()
    start = made.function("f").body.entry()
    floating = extract(made, at_head(start), at_end(start))
    assert repr(floating) == "(an empty region)"
    floating = extract(made, at_head(start), at_head(made.function("f").body.end()))
    assert repr(floating).splitlines()[0].strip() == "switch 1u {"
    delete(made, floating)
    total = next(iter(module().function("f").instructions()))
    edit.erase(total)
    assert repr(total) == "%sum = IAdd : u32"


@pytest.mark.parametrize("name", ["f", "@f", "main", "%f"])
def test_a_function_by_its_name(name: str) -> None:
    made = module()
    assert made.function(name) is made.functions[0]


def test_a_function_by_its_id_and_none_by_a_wrong_or_double_name() -> None:
    made = module()
    made.functions[0].id = 12
    assert made.function("%12") is made.function("12") is made.functions[0]
    with pytest.raises(reknit.InputError, match="RK0012.*no function 'h'") as caught:
        made.function("h")
    assert caught.value.diagnostics[0].help == "functions: f, g"
    made.functions[1].name = "f"
    with pytest.raises(reknit.InputError, match="2 functions are called 'f'"):
        made.function("f")


def test_a_walk_gives_all_parts_in_the_order_of_the_text() -> None:
    function = module().function("f")
    parts = list(function.walk())
    kinds = [type(part).__name__ for part in parts if not isinstance(part, Block)]
    assert kinds == ["Switch", "Instr", "Loop", "If", "Instr"]
    assert [part for part in parts if isinstance(part, Block)] == list(function) and len(list(function)) == 10
    assert [part for part in parts if isinstance(part, Instr)] == list(function.instructions())
    assert [part.op for part in function.instructions()] == [op.IAdd, op.Return]
    for part in function.walk():  # which may take out what it just gave
        if isinstance(part, Instr) and part.op == op.IAdd:
            edit.erase(part)
    assert [part.op for part in function.instructions()] == [op.Return]
    flat = parse("func @f() -> void flat {\nb1:\n  Branch b2\nb2:\n  return\n}\n").function("f")
    assert len(list(flat)) == 2 and [part.op for part in flat.instructions()] == [op.Branch, op.Return]


COPIES: list[Callable[[Module], Module]] = [Module.copy, copy.deepcopy, lambda made: pickle.loads(pickle.dumps(made))]


@pytest.mark.parametrize("twin_of", COPIES, ids=["copy", "deepcopy", "pickle"])
def test_a_deep_nest_is_copied(twin_of: Callable[[Module], Module]) -> None:
    """Deeper than Python's own stack: 1200 scopes in each other."""
    depth = 1200
    text = "func @f() -> void {\n" + "scope {\n" * depth + "}\n" * depth + "return\n}\n"
    made = parse(text)
    made.language = "Slang"
    twin = twin_of(made)
    assert str(twin) == str(made) and twin is not made and twin.language == "Slang"
    assert len(list(twin.function("f").constructs())) == depth
    assert repr(twin.function("f")).endswith("more lines")


@pytest.mark.parametrize("twin_of", COPIES, ids=["copy", "deepcopy", "pickle"])
def test_no_copy_is_made_while_code_floats(twin_of: Callable[[Module], Module]) -> None:
    made = module()
    body = made.function("f").body
    floating = extract(made, at_head(body.entry()), at_head(body.end()))
    with pytest.raises(reknit.EditRefused, match="RK0486"):
        twin_of(made)
    delete(made, floating)
    assert str(twin_of(made)) == str(made)


def test_what_runs_and_proofs_give() -> None:
    made = reknit.load(EXAMPLE)
    given = {"kinds": [0, 0, 1, 2]}
    result = reknit.run(made, subgroup_size=4, buffers=given, trace=True)
    assert repr(result.buffers) == "{'result': <result (set 0, binding 1): 22 22 20 20>}"
    trace = result.trace
    assert trace is not None and repr(trace) == f"<{len(trace.events)} events of 4 invocations, subgroups of 4>"
    assert str(trace) == trace.render()
    assert repr(trace.events[1]) == "<step 1: run, block 0, lanes 0,1,2,3 of group 0>"
    best = reknit.outcomes(made, subgroup_size=4, buffers=given).outcomes[0]
    assert repr(best) == f"<result = 42 42 40 40, by {best.policy}>"
    after = made.copy()
    report = reknit.compile(after)
    assert repr(report).startswith("<10 passes, <lower-switches: changed @main; 1 note> ")
    verdict = reknit.prove(after, made, subgroup_sizes=[4], buffers=given)
    assert repr(verdict) == "<refuted: the second version has a result that the first does not allow>"
    shown = "<main, subgroups of 4: the second version has a result that the first does not allow; "
    assert repr(verdict.counterexample).startswith(shown)
