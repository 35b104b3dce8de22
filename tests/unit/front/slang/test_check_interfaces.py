"""Interfaces: conformances, witnesses, existentials, associated types."""

import pytest
from kit.text.slang_checks import checked, function, run, said, shown, statements, value

from reknit.front.slang import hir
from reknit.front.slang.check import Options
from reknit.front.slang.symbols import Conformance, Program
from reknit.front.slang.types import AssocType, OpenedType
from reknit.front.slang.witnesses import ConformanceWitness

FOO = """interface IFoo { int foo(int x); [mutating] void bump(); }
struct A : IFoo { int a; int foo(int x) { return x + a; } [mutating] void bump() { a++; } }
struct B : IFoo { float2 b; int foo(int x) { return x; } [mutating] void bump() { b += 1; } }
"""


def conformance(program: Program, subject: str, interface: str) -> Conformance:
    found = [one for one in program.conformances if str(one.subject) == subject and str(one.interface) == interface]
    assert len(found) == 1
    return found[0]


def methods(program: Program, subject: str, interface: str) -> dict[str, str]:
    return {
        requirement.name: made.path
        for requirement, (made, _) in conformance(program, subject, interface).methods.items()
    }


def test_what_an_interface_asks_for_is_found() -> None:
    program = checked(FOO)
    assert methods(program, "A", "IFoo") == {"foo": "A.foo", "bump": "A.bump"}


def test_a_value_becomes_an_existential_and_is_opened_by_a_call() -> None:
    program = checked(FOO + "int f(A a) { IFoo i = a; return i.foo(2); }")
    let, last = statements(program, "f")
    assert isinstance(let, hir.Let) and shown(let.value) == "(makeexistential a):IFoo"
    assert isinstance(last, hir.Return) and last.value is not None
    assert shown(last.value) == "(open i (OpenedWitness IFoo.foo payload 2:int):int)"


def test_a_mutating_method_needs_a_place() -> None:
    assert said(FOO + "void f(IFoo i) { i.bump(); }") == []
    assert said(FOO + "void f(IFoo i) { let j = i; j.bump(); }") == ["E30050 4:35"]


def test_a_bound_is_evidence() -> None:
    before = FOO + "int twice<T : IFoo>(T t) { return t.foo(1) + t.foo(2); }"
    program = checked(before + " int f(A a, IFoo i) { return twice(a) + twice(i); }")
    last = statements(program, "twice")[0]
    assert isinstance(last, hir.Return) and last.value is not None
    assert shown(last.value) == "(+ (ParamWitness IFoo.foo t 1:int):int (ParamWitness IFoo.foo t 2:int):int):int"
    last = statements(program, "f")[0]
    assert isinstance(last, hir.Return) and isinstance(last.value, hir.Binary)
    left, right = last.value.left, last.value.right
    assert isinstance(left, hir.Call)
    (witness,) = left.substitution.witnesses.values()
    assert isinstance(witness, ConformanceWitness) and str(witness.subject) == "A"
    assert isinstance(right, hir.Opened) and isinstance(right.body, hir.Call)
    (type,) = right.body.substitution.types.values()
    assert isinstance(type, OpenedType)


def test_default_methods_and_inherited_interfaces() -> None:
    text = """interface IBase { int id(); int two() { return id() * 2; } }
interface IFoo : IBase { int foo(); }
struct A : IFoo { int id() { return 1; } int foo() { return 2; } }
struct B : IFoo { int id() { return 3; } int foo() { return 4; } override int two() { return 5; } }
int f(IFoo i) { return i.two() + i.id(); }
int g(A a) { return a.two(); }"""
    program = checked(text)
    assert methods(program, "A", "IBase") == {"id": "A.id", "two": "IBase.two"}
    assert methods(program, "B", "IBase") == {"id": "B.id", "two": "B.two"}
    last = statements(program, "f")[0]
    assert isinstance(last, hir.Return) and last.value is not None
    assert shown(last.value) == (
        "(+ (open i (BaseWitness IBase.two payload):int) (open i (BaseWitness IBase.id payload):int)):int"
    )


def test_associated_types_are_known_where_the_type_is() -> None:
    text = """interface IVal { int val(); }
interface IFoo { associatedtype D : IVal; D make(int x); }
struct V : IVal { int v; int val() { return v; } }
struct A : IFoo { typealias D = V; V make(int x) { return { x }; } }
int f(A a) { A.D d = a.make(1); return d.v; }
int g<T : IFoo>(T t) { let d = t.make(2); return d.val(); }
int h(IFoo i) { let d = i.make(3); return d.val(); }"""
    program = checked(text)
    made = conformance(program, "A", "IFoo")
    assert [str(type) for type in made.types.values()] == ["V"]
    let = statements(program, "f")[0]
    assert isinstance(let, hir.Let) and str(let.variable.type) == "V"
    for name in ("g", "h"):
        let, last = statements(program, name)
        assert isinstance(let, hir.Let) and isinstance(let.variable.type, AssocType)
        assert (
            isinstance(last, hir.Return) and last.value is not None and "AssocWitness IVal.val d" in shown(last.value)
        )


def test_what_does_not_match_exactly_is_called_by_a_new_function() -> None:
    text = "interface I { float get(int x); } struct A : I { int get(float x, int y = 2) { return y; } }"
    program = checked(text)
    ((made, _),) = conformance(program, "A", "I").methods.values()
    assert made.path == "A.get" and made.result.key == "float" and made.body is not None
    last = made.body.statements[0]
    assert isinstance(last, hir.Return) and last.value is not None
    assert shown(last.value) == "(convert (A.get this (convert x):float 2:int):int):float"


def test_fields_stand_for_properties() -> None:
    program = checked(
        "interface I { property int n { get; set; } } struct A : I { int n; }; int f(I i) { return i.n; }"
    )
    assert methods(program, "A", "I") == {"get n": "A.get n", "set n": "A.set n"}


def test_extensions_conform_too() -> None:
    text = """interface I { int get(); }
extension int : I { int get() { return this; } }
struct Box<T> { T value; }
extension<T : I> Box<T> : I { int get() { return value.get(); } }
int f(Box<Box<int>> b) { I i = b; return i.get(); }"""
    checked(text)
    assert said(text + " int g(Box<float> b) { I i = b; return 1; }") == ["E30019 5:81"]


def test_generic_interfaces() -> None:
    text = """interface IMap<T> { T at(int i); }
struct Ints : IMap<int> { int at(int i) { return i; } }
T first<T, M : IMap<T>>(M m) { return m.at(0); }
int f(Ints m) { return first(m); }"""
    program = checked(text)
    last = statements(program, "f")[0]
    assert isinstance(last, hir.Return) and last.value is not None
    assert shown(last.value) == "(first<Ints, int> m):int" or shown(last.value) == "(first<int, Ints> m):int"


def test_constants_of_interfaces_are_sizes() -> None:
    text = """interface I { static const int N; }
struct A : I { static const int N = 3; }
struct S<T : I> { int a[T.N + 1]; }
int f(S<A> s) { return s.a[0]; }
int g(S<A> s) { int b[4] = s.a; return b[0]; }"""
    checked(text)


def test_is_and_as() -> None:
    assert value("i is A", FOO, "IFoo i") == "(istype i):bool"
    assert value("i as B", FOO, "IFoo i") == "(astype i):Optional<B>"


def test_created_objects() -> None:
    assert value("createDynamicObject<IFoo>(1, 2.5)", FOO) == "(createobject 1:uint 2.5:float):IFoo"


def test_entry_points_and_bindings() -> None:
    program = checked("""[[vk::binding(3, 1)]] RWStructuredBuffer<int> a; Texture2D t : register(t2, space4);
static const int N = 8;
[shader("compute")] [numthreads(N, 2, 1)] void main(uint3 id : SV_DispatchThreadID) { a[id.x] = 1; }""")
    (entry,) = program.entries
    assert (entry.entry, entry.group_size) == ("compute", [8, 2, 1])
    assert (entry.params[0].kind, entry.params[0].semantic) == ("entry", "SV_DISPATCHTHREADID")
    bindings = {one.name: (one.kind, one.binding, one.set) for one in program.globals}
    assert bindings == {"a": ("uniform", 3, 1), "t": ("uniform", 2, 4), "N": ("constant", -1, -1)}


def test_no_function_is_listed_twice() -> None:
    program = checked(FOO)
    assert len(program.functions) == len(set(program.functions))
    assert function(program, "A.foo").owner is not None


def test_conformances_that_are_asked_for() -> None:
    text = FOO + "struct Box<T : IFoo> : IFoo { T v; int foo(int x) { return v.foo(x); } [mutating] void bump() { } }"
    program = checked(text, Options(conformances=["B:IFoo=4", "Box<A>:IFoo=7"]))
    assert conformance(program, "B", "IFoo").sequential_id == 4
    assert conformance(program, "Box<A>", "IFoo").sequential_id == 7
    assert methods(program, "Box<A>", "IFoo") == {"foo": "Box.foo", "bump": "Box.bump"}
    assert said(text, Options(conformances=["IFoo"])) == ["E00071 1:1"]
    assert said(FOO + "interface J { }", Options(conformances=["A:J"])) == ["E00073 1:1"]


def test_a_conformance_that_can_not_be_is_reported_at_the_option() -> None:
    for asked, reason in (("A:Nope", "undefined identifier 'Nope'."), ("A:B=3", "'B' is no interface.")):
        _, reports = run(FOO, Options(conformances=[asked]))
        (told,) = reports.diagnostics
        assert str(told.place) == "--conformance:1:1"
        assert [note.message for note in told.notes] == [reason]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("int f<T>(T t) where T == int { return t; } void g() { f<float>(1.0); }", "E38029"),
        (
            "interface I { associatedtype D; }\nstruct A : I { typealias D = float; }\n"
            "void f<T : I>(T t) where T.D == int { } void g() { A a; f(a); }",
            "E38029",
        ),
        (
            "struct P<X, Y> { }\nextension<X, Y> P<X, Y> where X == Y { void f() { } }\n"
            "void g() { P<int, float> p; p.f(); }",
            "E30027",
        ),
        (
            "interface I { associatedtype D; }\ninterface J { associatedtype B : I where B.D == int; }\n"
            "struct A : I { typealias D = float; }\nstruct C : J { typealias B = A; }",
            "E38029",
        ),
        ("struct S { }\nvoid f<T>(T t) where int(T) { } void g() { S s; f(s); }", "E38029"),
    ],
)
def test_equalities_and_conversions_that_do_not_hold(text: str, expected: str) -> None:
    assert expected in [one.split()[0] for one in said(text)]


OPTIONAL = "interface I { int f(); }\nint g<T>(T t, int n) where optional T : I "


@pytest.mark.parametrize(
    ("body", "expected"),  # slangc 2026.14 says the same of each
    [
        ("{ return t.f(); }", ["E30403 2:54"]),
        ("{ if (T is I) return t.f(); return 0; }", []),
        ("{ if (T is I) { for (int i = 0; i < n; i++) n += t.f(); } else return 1; return n; }", []),
        ("{ if (!(T is I)) return 0; return t.f(); }", ["E30403 2:79"]),
        ("{ if (n > 0 && T is I) return t.f(); return 0; }", ["E30403 2:75"]),
        ("{ if (T is I) n++; return n + t.f(); }", ["E30403 2:75"]),
    ],
)
def test_what_an_optional_constraint_gives_is_there_inside_of_its_test(body: str, expected: list[str]) -> None:
    assert said(OPTIONAL + body) == expected
