"""What specialize-dispatch makes: calls where one type is left, one dispatcher for sites that are alike, and refusals.

Expected facts follow from the specification of the pass: sections on call rewriting and diagnostics.
"""

import pytest
from kit.programs.dispatch import CHOOSE, END, HEAD, MAIN, METHODS, PROGRAMS, TABLES, call, main_with

from reknit.ir import op
from reknit.ir.function import Function
from reknit.ir.module import Module
from reknit.ir.text.parser import parse
from reknit.ir.walk import instructions
from reknit.passes.dispatch.lower import lower
from reknit.passes.dispatch.specialize import specialize
from reknit.passes.manager import run_passes
from reknit.sim.run import run
from reknit.source.diagnostic import InputError


def specialized(text: str) -> Module:
    module = parse(text, "specialize.rk")
    specialize(module)
    return module


def named(module: Module, prefix: str) -> list[Function]:
    return [function for function in module.functions if function.name.startswith(prefix)]


def many_types(types: int, sites: int) -> str:
    """`types` types chosen by lane & (types - 1), and so many calls one after another."""
    tables = "".join(
        f"%T{n} = TypeStruct u32\n%W{n} = WitnessTable %T{n} {n} %foo, @T{n}_foo : %WT\n" for n in range(types)
    )
    methods = "".join(
        f"func @T{n}_foo(%this: %T{n}, %v: u32) -> u32 {{\n  %r = IAdd %v, {n}u : u32\n  return %r\n}}\n"
        for n in range(types)
    )
    cases = "".join(
        f"    case {n}: {{\n    %l{n}:\n      %x{n} = CompositeConstruct %lane : %T{n}\n"
        f"      %e{n} = MakeExistential %x{n}, %W{n} : %IFoo\n    }}\n"
        for n in range(types)
    )
    body = f"  %kind = BitwiseAnd %lane, {types - 1}u : u32\n  switch %kind {{\n{cases}"
    body += "    default: {\n    %ld:\n    }\n  }\n"
    phi = ", ".join([f"%e{n} %l{n}" for n in range(types)] + ["%e0x %ld"])
    body = f"  %x0x = CompositeConstruct %lane : %T0\n  %e0x = MakeExistential %x0x, %W0 : %IFoo\n{body}"
    body += f"  %e = Phi {phi} : %IFoo\n"
    value = "0u"
    for site in range(sites):
        body += call("%e", value, f"r{site}")
        value = f"%r{site}"
    return HEAD + tables + methods + MAIN + body + END.replace("%r\n", f"{value}\n")


def test_128_sites_of_8_types_have_one_dispatcher() -> None:
    module = specialized(many_types(8, 128))
    assert len(named(module, "dispatch_")) == 1
    assert len(module.functions) == 1 + 8 + 1  # main, the methods, the dispatcher: no wrappers
    result = run(module, subgroup_size=32, buffers={"out": [0] * 64})
    assert result.buffers["out"].words == [128 * (lane & 7) for lane in range(64)]


def test_the_last_case_is_the_default() -> None:
    """The set is closed, so no code stands for any other tag."""
    module = specialized(PROGRAMS["phi"][0])
    dispatcher = named(module, "dispatch_")[0]
    calls = [instr.operands[0] for instr in instructions(dispatcher) if instr.op == op.FunctionCall]
    assert [callee.name for callee in calls if isinstance(callee, Function)] == ["A_foo", "B_foo"]


def test_one_type_is_called_directly() -> None:
    text = HEAD + TABLES + METHODS + MAIN
    text += "  %a = CompositeConstruct %lane : %A\n  %e = MakeExistential %a, %WA : %IFoo\n"
    module = specialized(text + call("%e", "5u", "r") + END)
    assert named(module, "dispatch_") == []
    lower(module)
    main = named(module, "main")[0]
    assert [i.operands[0] for i in instructions(main) if i.op == op.FunctionCall] == named(module, "A_foo")
    assert not any(instr.op == op.Switch for instr in instructions(main))


def test_a_function_gets_a_body_for_each_context() -> None:
    """run({A, B}), run({B}) and, for what choose leaves, run({A, B}) again."""
    module = specialized(PROGRAMS["contexts"][0])
    assert sorted(function.name for function in named(module, "run")) == ["run", "run_1"]


def test_functions_that_only_a_table_had_are_gone_if_dynamic() -> None:
    text = PROGRAMS["nested"][0].replace(
        "%eh = MakeExistential %h, %WH : %IFoo", "%eh = MakeExistential %a0, %WA : %IFoo"
    )
    text = text.replace("%a0 = CompositeConstruct %lane : %A\n", "").replace(
        "  %h = Composite", "  %a0 = CompositeConstruct %lane : %A\n  %h = Composite"
    )
    module = specialized(text)
    assert named(module, "D_H_foo") == []


def refused(text: str) -> list[tuple[str, str]]:
    with pytest.raises(InputError) as caught:
        specialized(text)
    return [(diagnostic.code, diagnostic.message) for diagnostic in caught.value.diagnostics]


def test_what_was_never_set_on_some_way_is_told_once_with_the_way() -> None:
    text = HEAD + TABLES + METHODS + MAIN
    text += """  %a = CompositeConstruct %lane : %A
  %ea = MakeExistential %a, %WA : %IFoo
  if %odd {
  %l1:
    Store %at, 1u
  } else {
  %l2:
    Store %at, 2u
  }
  %e = Phi %ea %l1, undef<%IFoo> %l2 : %IFoo
"""
    text += call("%e", "5u", "r") + END
    with pytest.raises(InputError) as caught:
        specialized(text)
    diagnostics = caught.value.diagnostics
    assert [d.code for d in diagnostics] == ["E50101"]
    assert "potentially uninitialized interface object 'IFoo'" in diagnostics[0].message
    assert [note.message for note in diagnostics[0].notes] == ["it is not set on the path through here"]


def test_a_variable_that_is_stored_on_one_way_only_is_told() -> None:
    text = HEAD + TABLES + METHODS + main_with("  %one = Variable Function : ptr<Function, %IFoo>\n")
    text += """  %a = CompositeConstruct %lane : %A
  %ea = MakeExistential %a, %WA : %IFoo
  if %odd {
    Store %one, %ea
  }
  %e = Load %one : %IFoo
"""
    assert [code for code, _ in refused(text + call("%e", "5u", "r") + END)] == ["E50101"]


def test_a_variable_of_the_program_that_nothing_is_stored_to_is_told() -> None:
    text = HEAD + TABLES + "%one = Variable Private : ptr<Private, %IFoo>\n" + METHODS + main_with("")
    text += "  %e = Load %one : %IFoo\n"
    assert [code for code, _ in refused(text + call("%e", "5u", "r") + END)] == ["E50101"]
    stored = "  %a = CompositeConstruct %lane : %A\n  %ea = MakeExistential %a, %WA : %IFoo\n  Store %one, %ea\n"
    specialized(text.replace("  %e = Load", stored + "  %e = Load") + call("%e", "5u", "r") + END)


def test_a_test_of_what_may_never_have_been_set_is_told() -> None:
    text = HEAD + TABLES + METHODS + main_with("  %one = Variable Function : ptr<Function, %IFoo>\n")
    text += """  %a = CompositeConstruct %lane : %A
  %ea = MakeExistential %a, %WA : %IFoo
  if %odd {
    Store %one, %ea
  }
  %e = Load %one : %IFoo
  %is = IsType %e, %WA : bool
  %r = Select %is, 1u, 2u : u32
"""
    assert [code for code, _ in refused(text + END)] == ["E50101"]


def test_a_type_that_holds_payloads_of_its_own_interface_is_told() -> None:
    types = "%C = TypeStruct %This\n%WC = WitnessTable %C 2 %foo, @C_foo : %WT\n"
    method = METHODS.split("\n\n")[0].replace("A_foo(%this: %A", "C_foo(%this: %C")
    method = method.replace("  %a = CompositeExtract %this 0 : u32\n", "").replace("%a, %v", "%v, %v")
    text = HEAD + TABLES + types + METHODS + method + "\n" + MAIN + CHOOSE + call("%e", "5u", "r") + END
    assert [code for code, _ in refused(text)] == ["E41003"]


def test_which_elements_of_an_array_a_loop_fills_is_not_asked() -> None:
    text = HEAD + TABLES + "%Two = TypeArray %IFoo, 2u\n" + METHODS
    text += main_with("  %two = Variable Function : ptr<Function, %Two>\n")
    text += """  %a = CompositeConstruct %lane : %A
  %ea = MakeExistential %a, %WA : %IFoo
  %p = AccessChain %two, INDEX : ptr<Function, %IFoo>
  Store %p, %ea
  %q = AccessChain %two, 1u : ptr<Function, %IFoo>
  %e = Load %q : %IFoo
"""
    specialized(text.replace("INDEX", "%bit") + call("%e", "5u", "r") + END)
    assert [code for code, _ in refused(text.replace("INDEX", "0u") + call("%e", "5u", "r") + END)] == ["E50101"]


def test_recursion_through_dispatch_is_told() -> None:
    again = METHODS.replace(
        "  %r = IAdd %a, %v : u32\n",
        "  %ea = MakeExistential %this, %WA : %IFoo\n" + call("%ea", "%a", "r"),
    )
    found = refused(HEAD + TABLES + again + MAIN + CHOOSE + call("%e", "5u", "r") + END)
    assert [code for code, _ in found] == ["E55201"]
    assert "recursion detected in call to 'A_foo'" in found[0][1]


def test_a_type_larger_than_declared_is_told() -> None:
    found = refused(PROGRAMS["phi"][0].replace('"IFoo" 0', '"IFoo" 4'))
    assert [code for code, _ in found] == ["E41019"]
    assert "type 'B'" in found[0][1]


def test_an_interface_inside_of_its_own_type_is_told() -> None:
    text = PROGRAMS["phi"][0].replace("%B = TypeStruct u32, u32", "%B = TypeStruct u32, u32\n%S = TypeStruct %IFoo")
    text = text.replace("%WB = W", "%WS = WitnessTable %S 5 : %WT\n%WB = W")
    found = refused(text)  # %A and %B have a size: it is %S that hasn't
    assert [code for code, _ in found] == ["E41003"]
    assert "type 'S'" in found[0][1]


def test_an_interface_that_is_only_to_be_specialized_is_not_dispatched_by() -> None:
    marked = 'DecorateString %IFoo UserSemantic "Specialize"\n'
    text = PROGRAMS["phi"][0]
    line = next(one for one in text.split("\n") if one.startswith("Decorate"))
    found = refused(text.replace(line, f"{marked}{line}", 1))
    assert [code for code, _ in found] == ["E52008"]
    assert "type 'IFoo' is marked for specialization only" in found[0][1]


def test_what_can_not_be_packed_is_told() -> None:
    text = (
        PROGRAMS["phi"][0]
        .replace("%A = TypeStruct u32", "%sampler = TypeSampler\n%A = TypeStruct u32, %sampler")
        .replace("CompositeConstruct %lane : %A", "CopyObject undef<%A> : %A")
    )
    module = specialized(text)
    with pytest.raises(InputError) as caught:
        lower(module)
    assert [d.code for d in caught.value.diagnostics] == ["E41014"]


def test_lowering_comes_after_specializing() -> None:
    module = parse(PROGRAMS["phi"][0], "order.rk")
    assert [note.code for note in run_passes(module, "lower-dispatch").notes()][:1] == ["RK2601"]


def test_a_module_without_dispatch_stays_as_it_is() -> None:
    module = parse("func @f() -> void {\n  return\n}\n", "plain.rk")
    assert not run_passes(module, "specialize-dispatch, lower-dispatch").changed()
