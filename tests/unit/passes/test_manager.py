"""The pass manager: pipelines as text, the order check, what is skipped, what is watched."""

import pytest
from kit.text.pass_texts import body

from reknit.analysis.dominance import Dominance
from reknit.ir import op
from reknit.ir.block import Block
from reknit.ir.build import new_block
from reknit.ir.constants import bool_constant
from reknit.ir.edit import append, insert_node_after, move_jump, set_jump
from reknit.ir.function import Function
from reknit.ir.instr import Instr
from reknit.ir.jump import Exit
from reknit.ir.module import Module
from reknit.ir.tree import If
from reknit.passes.catalog import PASSES, catalog
from reknit.passes.contract import (
    NO_CONTINUES,
    NO_CRITICAL_EDGES,
    NO_PHIS,
    SINGLE_LEVEL,
    SINGLE_RETURN,
    STRUCTURED,
    SWITCHES_DEFINED,
    Context,
    Option,
    Pass,
)
from reknit.passes.manager import Hooks, run_passes
from reknit.passes.order_check import order_faults
from reknit.passes.pipeline_text import PassSpec, parse_pipeline
from reknit.passes.pipelines import PIPELINES, RECONVERGE
from reknit.passes.promote_variables import promote_variables
from reknit.passes.switches.shapes import POLICIES
from reknit.source.diagnostic import InputError, InternalError


def nothing(function: Function, context: Context) -> bool:
    return False


OPTIONS = (
    Option("exit", "merge", "how to leave", ("merge", "sentinel")),
    Option("n", 4, "how many"),
    Option("deep", False, "go on inside"),
)
A = Pass("a", "first", nothing, gives=("x",))
B = Pass("b", "second", nothing, needs=("x",), options=OPTIONS)
C = Pass("c", "third", nothing, loses=("x",))
KNOWN = {"a": A, "b": B, "c": C}


def fault(text: str) -> tuple[str, str, str, str]:
    with pytest.raises(InputError) as caught:
        parse_pipeline(text, KNOWN)
    (diagnostic,) = caught.value.diagnostics
    return diagnostic.code, diagnostic.message, " | ".join(note.message for note in diagnostic.notes), diagnostic.help


def test_options_are_typed() -> None:
    specs = parse_pipeline(" a , b{ n=2, exit=sentinel ,deep } ,b", KNOWN)
    assert [spec.transform.name for spec in specs] == ["a", "b", "b"]
    assert specs[1].options == {"exit": "sentinel", "n": 2, "deep": True}
    assert specs[2].options == {"exit": "merge", "n": 4, "deep": False}
    assert parse_pipeline("b{deep=false}", KNOWN)[0].options["deep"] is False
    assert parse_pipeline("  ", KNOWN) == []


@pytest.mark.parametrize(
    ("text", "code", "at", "says"),
    [
        ("a,zz", "RK2001", 3, "no pass 'zz'"),
        ("a b", "RK2002", 3, "expected ','"),
        ("a,", "RK2002", 3, "expected the name of a pass, found the end"),
        ("b{n=4", "RK2002", 6, "expected ','"),
        ("b{m=4}", "RK2003", 3, "no option 'm'"),
        ("b{n=1,n=2}", "RK2003", 7, "given twice"),
        ("b{n=four}", "RK2004", 5, "can't be 'four'"),
        ("b{n=-1}", "RK2004", 5, "can't be '-1'"),
        ("b{exit=door}", "RK2004", 8, "can't be 'door'"),
        ("b{n}", "RK2004", 3, "needs a value"),
    ],
)
def test_faults_name_the_place(text: str, code: str, at: int, says: str) -> None:
    found, message, notes, _ = fault(text)
    assert found == code
    assert says in message
    assert f"at character {at}" in notes


def test_an_unknown_pass_tells_where_the_known_are_listed() -> None:
    _, _, notes, _ = fault("zz")
    assert "reknit opt --list-passes" in notes
    with pytest.raises(InputError) as caught:
        parse_pipeline("simplfy-cfg", catalog())
    assert caught.value.diagnostics[0].help == "did you mean 'simplify-cfg'?"


def test_the_order_is_checked() -> None:
    (missing,) = order_faults(parse_pipeline("b", KNOWN), KNOWN)
    assert missing.code == "RK2005" and "needs x" in missing.message and missing.help == "put a right before it"
    assert order_faults(parse_pipeline("a,b", KNOWN), KNOWN) == []
    (lost,) = order_faults(parse_pipeline("a,c,b", KNOWN), KNOWN)
    assert [note.message for note in lost.notes] == ["c undoes x"]


def test_the_order_is_checked_before_anything_runs() -> None:
    ran: list[str] = []

    def noting(function: Function, context: Context) -> bool:
        ran.append(function.name)
        return False

    with pytest.raises(InputError):
        run_passes(body("return"), [PassSpec(Pass("noting", "", noting)), PassSpec(B)])
    assert ran == []


@pytest.mark.parametrize("name", PIPELINES)
def test_named_pipelines_are_in_order(name: str) -> None:
    specs = parse_pipeline(name, catalog())
    assert [spec.transform.name for spec in specs] == [item.partition("{")[0] for item in PIPELINES[name]]
    assert order_faults(specs, catalog()) == []


def test_reconverge_out_of_order_is_refused() -> None:
    """lower-switches moves blocks, which phis do not survive."""
    with pytest.raises(InputError) as caught:
        run_passes(body("return"), "lower-switches")
    assert any(NO_PHIS in fault.message and "eliminate-phis" in fault.help for fault in caught.value.diagnostics)
    assert RECONVERGE.index("eliminate-phis") < RECONVERGE.index("lower-switches")


def test_pass_names_are_unique() -> None:
    assert len(catalog()) == len(PASSES)


def flat() -> Module:
    module = body("return")
    function = module.functions[0]
    block = Block("start")
    set_jump(block, Exit(Instr(op.Return, None, [], "", False)))
    function.body.first = function.body.last = None
    function.blocks = [block]
    function.structured = False
    return module


def test_a_function_without_structure_is_skipped_with_a_note() -> None:
    report = run_passes(flat(), "simplify-cfg")
    assert not report.changed() and len(report.passes[0].skipped) == 1
    (note,) = report.notes()
    assert note.code == "RK2006" and "not structured" in note.message


def test_what_a_pass_declines_it_does_not_give() -> None:
    def declining(function: Function, context: Context) -> bool:
        context.decline("RK2010", "it can't")
        return False

    report = run_passes(body("return"), [PassSpec(Pass("d", "", declining, gives=("x",))), PassSpec(B)])
    assert [note.code for note in report.notes()] == ["RK2010", "RK2006"]
    assert len(report.passes[1].skipped) == 1


def test_a_limit_stops_after_so_many_runs() -> None:
    text = "%v = Variable Function : ptr<Function, u32>\nStore %v, 1u\nreturn"
    module = body(text)
    report = run_passes(module, "eliminate-phis,promote-variables", Hooks(limit=1))
    assert report.runs == 1 and report.last == "eliminate-phis on @main" and not report.changed()
    report = run_passes(module, "eliminate-phis,promote-variables", Hooks(limit=2))
    assert report.changed()


def test_watchers_are_called() -> None:
    seen: list[tuple[str, int, str]] = []
    hooks = Hooks(
        print_after=lambda number, name, module: seen.append(("after", number, name)),
        print_names=("promote-variables",),
        print_changed=lambda number, name, module: seen.append(("changed", number, name)),
        dump=lambda number, name, module: seen.append(("dump", number, name)),
    )
    text = "%v = Variable Function : ptr<Function, u32>\nStore %v, 1u\nreturn"
    report = run_passes(body(text), "eliminate-phis,promote-variables", hooks)
    assert seen == [
        ("dump", 0, "input"),
        ("dump", 1, "eliminate-phis"),
        ("after", 2, "promote-variables"),
        ("changed", 2, "promote-variables"),
        ("dump", 2, "promote-variables"),
    ]
    assert all(entry.seconds >= 0 for entry in report.passes)


def test_a_broken_promise_is_found() -> None:
    """The pass cuts the function's end off behind the manager's back and says that dominance is as it was."""

    def lying(function: Function, context: Context) -> bool:
        context.analyses.ask(Dominance, function)
        block = Block("more", True)
        block.function = function
        end = function.body.end()
        block.region, block.prev = function.body, end
        jump = end.jump
        assert isinstance(jump, Exit)
        end.next = function.body.last = block
        end.jump = None
        set_jump(block, jump)
        return True

    liar = PassSpec(Pass("liar", "", lying, keeps=("order", "dominance")))
    with pytest.raises(InternalError, match="liar changed order, dominance of @main"):
        run_passes(body("return"), [liar], Hooks(verify_each=True))
    run_passes(body("return"), [PassSpec(Pass("honest", "", lying))], Hooks(verify_each=True))


def test_a_pass_that_breaks_the_module_is_found() -> None:
    def breaking(function: Function, context: Context) -> bool:
        value = Instr(op.IAdd, context.module.functions[0].result, [], "bad")
        user = append(function.entry(), Instr(op.Store, None, [value, value], "", False))
        assert user.block is function.entry()  # a value that stands nowhere is used
        return True

    with pytest.raises(InternalError, match="pass breaker broke the module"):
        run_passes(body("return"), [PassSpec(Pass("breaker", "", breaking))], Hooks(verify_each=True))


ODD = "%bit = BitwiseAnd %lane, 1u : u32\n%odd = INotEqual %bit, 0u : bool\n"
CONTINUES = """loop @l {
  switch %bit {
    case 0: { SEE 1 fallthrough }
    case 1: { SEE 2 continue @l }
    default: { break @l }
  }
} continuing { SEE 3 }
return"""


@pytest.mark.parametrize(
    ("fact", "text"),
    [
        (NO_PHIS, "if %odd { a: } else { b: }\n%p = Phi 1u a, 2u b : u32\nreturn"),
        (SINGLE_RETURN, "if %odd { return }\nreturn"),
        (SINGLE_LEVEL, "loop @out { loop { break @out } }\nreturn"),
        (NO_CONTINUES, CONTINUES),
        (SWITCHES_DEFINED, CONTINUES),
        (NO_CRITICAL_EDGES, "switch %bit { case 0: { fallthrough } default: { } }\nreturn"),
    ],
)
def test_a_fact_that_does_not_hold_is_found(fact: str, text: str) -> None:
    """Where a pass says that it gives the fact, and where one declines, nothing is said."""
    policy = (Option("policy", "auto", "which switches", POLICIES),)
    liar = PassSpec(Pass("liar", "", nothing, gives=(fact,), options=policy))
    with pytest.raises(InternalError, match=f"after pass liar, @main is not what contracts say: {fact}: "):
        run_passes(body(ODD + text), [liar], Hooks(verify_each=True))
    run_passes(body(ODD + "SEE 1\nreturn"), [liar], Hooks(verify_each=True))


def test_a_fact_that_a_pass_does_not_say_it_loses_still_holds() -> None:
    def choosing(function: Function, context: Context) -> bool:
        return promote_variables(function, context)

    text = "%v = Variable Function : ptr<Function, u32>\n" + ODD
    text += "if %odd { Store %v, 1u }\n%x = Load %v : u32\nStore %slot, %x\nreturn"
    gives = PassSpec(Pass("gives", "", nothing, gives=(NO_PHIS,)))
    with pytest.raises(InternalError, match="after pass chooser, .* no-phis: it has a phi"):
        run_passes(body(text), [gives, PassSpec(Pass("chooser", "", choosing))], Hooks(verify_each=True))
    run_passes(body(text), [gives, PassSpec(Pass("chooser", "", choosing, loses=(NO_PHIS,)))], Hooks(verify_each=True))


def test_what_a_pass_keeps_is_compared_though_nobody_asked_for_it() -> None:
    def adding(function: Function, context: Context) -> bool:
        choice = If(bool_constant(context.module, True))
        insert_node_after(function.entry(), choice)
        new_block(choice.then)
        new_block(choice.orelse)
        insert_node_after(choice, Block("", True))
        move_jump(function.entry(), choice.after())
        return True

    with pytest.raises(InternalError, match="adder changed .*dominance.* of @main"):
        adder = PassSpec(Pass("adder", "", adding, keeps=("dominance",)))
        run_passes(body("return"), [adder], Hooks(verify_each=True))


def test_what_edits_nothing_is_not_checked_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a module of many functions each check costs the whole, so a pass that leaves most as they were costs little.
    An edit counts, whatever the pass says."""
    checks: list[str] = []
    monkeypatch.setattr("reknit.passes.manager._Run.check_module", lambda run, name, where: checks.append(name))

    def hiding(function: Function, context: Context) -> bool:
        function.touch()
        return False

    passes = [PassSpec(Pass("idle", "", nothing)), PassSpec(Pass("hiding", "", hiding))]
    run_passes(body("return"), passes, Hooks(verify_each=True))
    assert checks == ["the input", "hiding"]


def test_facts_start_from_the_input() -> None:
    needs_tree = PassSpec(Pass("t", "", nothing, needs=(STRUCTURED,)))
    assert run_passes(body("return"), [needs_tree]).runs == 1
