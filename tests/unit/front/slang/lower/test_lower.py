"""Programs put together by hand, lowered and run: constructs, calls, dispatch."""

import pytest
from kit.programs.checked_slang import Made, add, as_int, assign, at, binary, block, let, number, place

import reknit
from reknit.front.slang import hir
from reknit.front.slang.substitute import Substitution
from reknit.front.slang.types import INT, InterfaceType, OpenedType, StructType
from reknit.front.slang.witnesses import ConformanceWitness, OpenedWitness
from reknit.ir.module import Module

SIZES = [4, 8, 32]


def out(module: Module, size: int) -> list[int]:
    result = reknit.run(module, subgroup_size=size)
    assert not result.failed(), [str(one) for one in result.diagnostics]
    return [word - (1 << 32) if word >> 31 else word for word in result.buffers["out"].words]


@pytest.mark.parametrize("size", SIZES)
def test_a_loop_with_continue_and_break(size: int) -> None:
    """for (i = 0; i < 10; i++) { if (i == tid) continue; if (i == 5) break; sum += i; }: 0+1+2+3+4 = 10 without tid."""
    made = Made()
    buffer = made.buffer("out", INT)
    i = made.variable("i", INT)
    sum = made.variable("sum", INT)
    target = hir.Target("")
    step = hir.Update(0, "+", place(i), number(1))
    body = block(
        hir.If(0, binary("==", place(i), as_int(made.index())), block(hir.Continue(0, target)), None),
        hir.If(0, binary("==", place(i), number(5)), block(hir.Break(0, target)), None),
        add(place(sum), place(i)),
    )
    loop = hir.Loop(0, target, binary("<", place(i), number(10)), step, body, True)
    module = made.run(
        [let(i, number(0)), let(sum, number(0)), loop, assign(at(buffer, made.index()), place(sum))]
    )
    # lane 5 skips the break at 5 and goes on: 10 + 6 + 7 + 8 + 9 = 40
    assert out(module, size) == [10, 9, 8, 7, 6, 40, 10, 10]


@pytest.mark.parametrize("size", SIZES)
def test_a_switch_that_falls_through_and_has_no_default(size: int) -> None:
    """case 0: r += 1, falls; case 1 and 2: r += 10, break; case 5: r += 100."""
    made = Made()
    buffer = made.buffer("out", INT)
    r = made.variable("r", INT)
    target = hir.Target("")
    cases = [
        hir.Case(0, [0], False, block(add(place(r), number(1)))),
        hir.Case(0, [1, 2], False, block(add(place(r), number(10)), hir.Break(0, target))),
        hir.Case(0, [5], False, block(add(place(r), number(100)))),
    ]
    module = made.run(
        [
            let(r, number(0)),
            hir.Switch(0, target, as_int(made.index()), cases),
            assign(at(buffer, made.index()), place(r)),
        ]
    )
    assert out(module, size) == [11, 10, 10, 0, 0, 100, 0, 0]


@pytest.mark.parametrize("size", SIZES)
def test_defer_runs_at_every_way_out(size: int) -> None:
    """for (i = 0; i < 3; i++) { defer r += 100; if (tid == i) break; r += 1; }"""
    made = Made()
    buffer = made.buffer("out", INT)
    i = made.variable("i", INT)
    r = made.variable("r", INT)
    target = hir.Target("")
    body = block(
        hir.Defer(0, block(add(place(r), number(100)))),
        hir.If(0, binary("==", place(i), as_int(made.index())), block(hir.Break(0, target)), None),
        add(place(r), number(1)),
    )
    step = hir.Update(0, "+", place(i), number(1))
    loop = hir.Loop(0, target, binary("<", place(i), number(3)), step, body, True)
    module = made.run([let(i, number(0)), let(r, number(0)), loop, assign(at(buffer, made.index()), place(r))])
    assert out(module, size) == [100, 201, 302, 303, 303, 303, 303, 303]


@pytest.mark.parametrize("size", SIZES)
def test_inout_arguments_are_copied_back(size: int) -> None:
    """void f(inout int x) { x = x * 2 + 1; }   f(out[tid]), from 0, 1, 2 ..."""
    made = Made()
    buffer = made.buffer("out", INT)
    x = made.variable("x", INT, "param", "inout")
    f = made.function("f", [x], made.main.result)
    f.body = block(assign(place(x), binary("+", binary("*", place(x), number(2)), number(1))))
    call = hir.Call(0, f.result, f, Substitution(), [at(buffer, made.index())])
    module = made.run(
        [
            assign(at(buffer, made.index()), as_int(made.index())),
            hir.Eval(0, call),
        ]
    )
    assert out(module, size) == [1, 3, 5, 7, 9, 11, 13, 15]


@pytest.mark.parametrize("size", SIZES)
def test_resources_as_arguments_make_the_callee_stand_here(size: int) -> None:
    """int get(RWStructuredBuffer<int> b, int i) { if (i > 3) return -1; return b[i]; }"""
    made = Made()
    buffer = made.buffer("out", INT)
    source = made.buffer("source", INT)
    b = made.variable("b", buffer.type, "param")
    i = made.variable("i", INT, "param")
    get = made.function("get", [b, i], INT)
    get.body = block(
        hir.If(0, binary(">", place(i), number(3)), block(hir.Return(0, number(-1))), None),
        hir.Return(0, at(b, place(i))),
    )
    call = hir.Call(0, INT, get, Substitution(), [place(source), as_int(made.index())])
    module = made.run([assign(at(buffer, made.index()), call)])
    assert len(module.functions) == 1
    result = reknit.run(module, subgroup_size=size, buffers={"source": [5, 6, 7, 8, 9, 9, 9, 9]})
    assert result.buffers["out"].words == [5, 6, 7, 8, *[0xFFFFFFFF] * 4]


def dispatching() -> Module:
    """A.foo(v) = v + a; B.foo(v) = v * b; tid even: A{100}, odd: B{3}; out = f.foo(tid)."""
    made = Made()
    buffer = made.buffer("out", INT)
    v = made.variable("v", INT, "param")
    interface, foo = made.interface("IFoo", "foo", [v], INT)
    ifoo = InterfaceType(interface, [])
    witnesses: list[ConformanceWitness] = []
    values: list[hir.Expr] = []
    for name, op, field in (("A", "+", 100), ("B", "*", 3)):
        struct = made.struct(name, [("n", INT)])
        type = StructType(struct, [])
        this = made.variable("this", type, "this")
        arg = made.variable("v", INT, "param")
        method = made.function(f"{name}.foo", [arg], INT)
        method.this = this
        method.body = block(
            hir.Return(0, binary(op, place(arg), hir.Field(0, INT, place(this), struct.fields[0])))
        )
        conformance = made.conform(struct, interface, foo, method)
        witnesses.append(ConformanceWitness(conformance, Substitution(), type, ifoo))
        values.append(hir.Construct(0, type, [number(field)]))
    f = made.variable("f", ifoo)
    odd = binary("&", as_int(made.index()), number(1))
    choice = hir.If(
        0,
        binary("==", odd, number(0)),
        block(assign(place(f), hir.MakeExistential(0, ifoo, values[0], witnesses[0]))),
        block(assign(place(f), hir.MakeExistential(0, ifoo, values[1], witnesses[1]))),
    )
    opening = hir.Opening(1, place(f), ifoo)
    opened = OpenedType(opening)
    call = hir.WitnessCall(
        0,
        INT,
        OpenedWitness(opening, opened, ifoo),
        foo,
        Substitution(),
        [hir.OpenedValue(0, opened, opening), as_int(made.index())],
    )
    return made.run(
        [let(f, hir.Undefined(0, ifoo)), choice, assign(at(buffer, made.index()), hir.Opened(0, opening, call))]
    )


@pytest.mark.parametrize("size", SIZES)
def test_a_call_through_an_existential(size: int) -> None:
    assert out(dispatching(), size) == [100, 3, 102, 9, 104, 15, 106, 21]


def test_tables_have_what_is_looked_up() -> None:
    text = reknit.text(dispatching())
    assert "TypeInterface" in text and text.count("= WitnessTable ") == 2
    assert "CallDynamic" in text


def test_recursion_is_reported() -> None:
    """int f(int x) { return f(x - 1); }"""
    made = Made()
    buffer = made.buffer("out", INT)
    x = made.variable("x", INT, "param")
    f = made.function("f", [x], INT)
    f.body = block(hir.Return(0, hir.Call(0, INT, f, Substitution(), [binary("-", place(x), number(1))])))
    with pytest.raises(reknit.InputError, match="recursion detected in call to 'f'"):
        made.run([assign(at(buffer, made.index()), hir.Call(0, INT, f, Substitution(), [number(3)]))])
