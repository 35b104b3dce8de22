"""Statements: what jumps leave, what switches select by, what an `if let` is."""

from kit.text.slang_checks import checked, said, shown, statements

from reknit.front.slang import hir


def test_jumps_name_what_they_leave() -> None:
    program = checked(
        "void f(int x) { outer: for (;;) { switch (x) { case 1: continue; case 2: break; default: break outer; } } }"
    )
    (loop,) = statements(program, "f")
    assert isinstance(loop, hir.Loop) and loop.condition is None and loop.target.name == "outer"
    (switch,) = loop.body.statements
    assert isinstance(switch, hir.Switch)
    first, second, third = [case.body.statements[0] for case in switch.cases]
    assert isinstance(first, hir.Continue) and first.target is loop.target
    assert isinstance(second, hir.Break) and second.target is switch.target
    assert isinstance(third, hir.Break) and third.target is loop.target


def test_labels_share_a_body_and_are_bits() -> None:
    program = checked(
        "enum E { A = -1, B }; void f(E e) { switch (e) { case E.A: case E.B: break; default: return; } }".replace(
            "case A", "case E.A"
        )
    )
    (switch,) = statements(program, "f")
    assert isinstance(switch, hir.Switch) and shown(switch.value) == "(convert e):int"
    assert [(case.values, case.default) for case in switch.cases] == [([0xFFFFFFFF, 0], False), ([], True)]


def test_a_for_loop_has_its_variables_around_it() -> None:
    program = checked("void f() { [unroll] for (int i = 0; i < 4; i++) { } [loop] do { } while (false); }")
    block, second = statements(program, "f")
    assert isinstance(block, hir.Block)
    let, loop = block.statements
    assert isinstance(let, hir.Let) and isinstance(loop, hir.Loop)
    assert (loop.hint, loop.tested_first, shown(loop.condition or let.value)) == ("unroll", True, "(< i 4:int):bool")
    assert isinstance(second, hir.Loop) and (second.hint, second.tested_first) == ("loop", False)


def test_if_let_holds_the_optional_once() -> None:
    program = checked("Optional<int> g() { return none; } int f() { if (let x = g()) return x; return 0; }")
    block, _ = statements(program, "f")
    assert isinstance(block, hir.Block)
    let, test = block.statements
    assert isinstance(let, hir.Let) and shown(let.value) == "(g):Optional<int>"
    assert isinstance(test, hir.If) and shown(test.condition) == "(hasvalue $optional):bool"
    inner = test.then.statements[0]
    assert (
        isinstance(inner, hir.Let) and inner.variable.name == "x" and shown(inner.value) == "(getvalue $optional):int"
    )


def test_a_long_chain_of_else_if_is_no_deep_recursion() -> None:
    text = " else ".join(f"if (a == {i}) {{ return {i}; }}" for i in range(3000))
    assert said(f"int f(int a) {{ {text} return -1; }}") == []


def test_locals_are_hidden_by_inner_ones_and_end_with_their_block() -> None:
    assert said("int f() { int x = 1; { float x = 2; } return x; }") == []
    assert said("int f() { { int y = 1; } return y; }") == ["E30015 1:33"]


def test_statics_and_shared_memory_are_globals() -> None:
    program = checked("groupshared int s[4]; static int c = 2; int f() { static int n = 1; return n + c + s[0]; }")
    assert [(one.name, one.kind) for one in program.globals] == [("s", "groupshared"), ("c", "static"), ("n", "static")]
