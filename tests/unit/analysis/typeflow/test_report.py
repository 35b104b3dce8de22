"""What is told of dispatch sites: codes, types, ways, contexts, cost.

The programs are Slang; lines and columns of places are counted in the text.
"""

import json
import re

import pytest
from kit.programs import callables

import reknit
from reknit.analysis.typeflow.notes import notes
from reknit.analysis.typeflow.report import WATERFALL, as_json, dispatch_sites, gathered
from reknit.front.slang.compile import Settings
from reknit.ir.module import Module
from reknit.ir.text.parser import parse
from reknit.source.diagnostic import NOTE

TYPES = """interface IFoo { int foo(int x); }
struct A : IFoo { int a; int foo(int x) { return x + a; } }
struct B : IFoo { int2 b; int foo(int x) { return x * b.x; } }
RWStructuredBuffer<int> data;
"""
HEAD = '[shader("compute")] [numthreads(4, 1, 1)] void computeMain(uint3 id : SV_DispatchThreadID)\n'


def slang(text: str) -> Module:
    return reknit.load(text.encode(), format="slang", settings=Settings(entries=["computeMain"]))


def told(module: Module, mode: str = "switch") -> list[list[str]]:
    """For each site its code, place and message, then its notes."""
    found: list[list[str]] = []
    for one in notes(dispatch_sites(module), mode):
        assert one.severity == NOTE and one.place is not None
        where = f"{one.place.line}:{one.place.column}"
        found.append([one.code, where, one.message, *[note.message for note in one.notes]])
    return found


def test_a_site_of_several_types_is_reported_in_slangs_words() -> None:
    module = slang(TYPES + HEAD + "{ IFoo f = A(1);\n  if (id.x > 1) f = B();\n  data[id.x] = f.foo(2); }\n")
    assert told(module) == [
        [
            "E50102",
            "8:21",
            "generated dynamic dispatch code for this site. 2 possible types: 'A, B'",
            "IFoo.foo in computeMain: switch of 2, payload 8 bytes",
            "A: made in computeMain (6:13) -> read from f (8:21)",
            "B: made in computeMain (7:22) -> read from f (8:21)",
        ]
    ]


def test_a_waterfall_is_reported() -> None:
    module = slang(TYPES + HEAD + "{ IFoo f = A(1);\n  if (id.x > 1) f = B();\n  data[id.x] = f.foo(2); }\n")
    assert told(module, WATERFALL)[0][3] == "IFoo.foo in computeMain: waterfall over 2, payload 8 bytes"


def test_specialization_arguments_are_named() -> None:
    text = (
        "interface K { int k(); }\nstruct One : K { int k() { return 1; } }\n"
        "interface I { int get<T : K>(T t); }\nstruct A : I { int get<T : K>(T t) { return t.k(); } }\n"
        "struct B : I { int get<T : K>(T t) { return t.k() * 2; } }\nRWStructuredBuffer<int> data;\n"
    )
    module = slang(text + HEAD + "{ I x = A(); if (id.x > 1) x = B(); data[id.x] = x.get(One()); }\n")
    ((code, _, message, *_),) = told(module)
    assert code == "E50103"
    assert message == (
        "generated specialized dynamic dispatch code for this site. 2 possible types: 'A, B'. "
        "specialization arguments: 'One'."
    )


def test_one_type_is_a_direct_call() -> None:
    ((code, _, message, facts, way),) = told(slang(TYPES + HEAD + "{ IFoo f = A(1); data[id.x] = f.foo(2); }\n"))
    assert (code, message) == ("RK2610", "this site needs no dynamic dispatch: 'A' is its only possible type")
    assert facts == "IFoo.foo in computeMain: direct call"
    assert way.startswith("A: made in computeMain (6:")


def test_an_associated_type_comes_from_what_it_is_of() -> None:
    """X.D is A and Y.D is B: the values that are made are an X and a Y. The second has the lower number in IFoo."""
    text = TYPES + (
        "interface I { associatedtype D : IFoo; D make(); }\n"
        "struct X : I { typedef B D; B make() { return B(); } }\n"
        "struct Y : I { typedef A D; A make() { return A(1); } }\n"
    )
    body = "{ I x = X(); if (id.x > 1) x = Y();\n  let d = x.make();\n  data[id.x] = d.foo(1); }\n"
    module = slang(text + HEAD + body)
    lines = {line.split(":")[0]: line for line in told(module)[1][4:]}
    assert lines["B"].startswith("B: made in computeMain (9:") and lines["B"].endswith("-> D of X")
    assert lines["A"].startswith("A: made in computeMain (9:") and lines["A"].endswith("-> D of Y")
    assert lines["A"].split(")")[0] != lines["B"].split(")")[0]


def test_what_a_callee_stores_is_stored_by_it() -> None:
    text = TYPES + "void make(out IFoo f, uint n) { if (n > 1) f = A(1); else f = B(); }\n"
    module = slang(text + HEAD + "{ IFoo g;\n  make(g, id.x);\n  data[id.x] = g.foo(1); }\n")
    assert told(module)[0][4] == "A: made in make (5:49) -> stored to g by make (8:7)"


def test_contexts_with_other_types_are_distinguished_and_those_alike_together() -> None:
    text = TYPES + "int run(IFoo f, int n) { return f.foo(n); }\n"
    body = (
        "{ IFoo f = A(1); if (id.x > 1) f = B();\n  int n = run(f, 1);\n  n += run(f, 2);\n  n += run(A(1), 3);\n"
        "  data[id.x] = n; }\n"
    )
    module = slang(text + HEAD + body)
    said = told(module)
    assert [(site[0], site[1]) for site in said] == [("E50102", "5:38"), ("RK2610", "5:38")]
    assert [site[3].partition(": ")[0] for site in said] == [
        "IFoo.foo in run, called from computeMain (8:14) and computeMain (9:11)",
        "IFoo.foo in run, called from computeMain (10:11)",
    ]


def test_json_has_the_same_and_every_place() -> None:
    text = TYPES + "int run(IFoo f, int n) { return f.foo(n); }\n"
    module = slang(text + HEAD + "{ IFoo f = A(1); if (id.x > 1) f = B();\n  data[id.x] = run(f, 1); }\n")
    (site,) = json.loads(json.dumps(as_json(gathered(dispatch_sites(module)))))
    assert {key: site[key] for key in ("code", "function", "line", "column", "interface", "requirement", "types")} == {
        "code": "E50102",
        "function": "run",
        "line": 5,
        "column": 38,
        "interface": "IFoo",
        "requirement": "foo",
        "types": ["A", "B"],
    }
    assert site["cost"] == "switch of 2, payload 8 bytes" and site["payload_bytes"] == 8
    (caller,) = site["called_from"]
    assert (caller["function"], caller["line"], caller["column"]) == ("computeMain", 8, 19)
    first = site["why"]["A"][0]
    assert (first["what"], first["line"], first["column"]) == ("made in computeMain", 7, 13)


TWICE = TYPES + (
    "interface IOut { int run(); }\nstruct Twice : IOut { IFoo i; int run() { return i.foo(1) + i.foo(2); } }\n"
)
"""An object of another interface, on line 6, that holds an IFoo."""


def test_what_is_kept_in_an_object_is_followed() -> None:
    """What is called in Twice.run was made before the Twice was."""
    body = "{ Twice t; t.i = A(1);\n  IOut o = t;\n  data[id.x] = o.run(); }\n"
    inner = [site for site in told(slang(TWICE + HEAD + body)) if " in Twice.run, " in site[3]]
    assert [site[0] for site in inner] == ["RK2610", "RK2610"]
    steps = inner[0][4].split(" -> ")
    assert steps[0] == "A: made in computeMain (8:19)"
    assert [step.rpartition(" ")[0] for step in steps[1:]] == ["read from t", "kept in Twice", "read from this"]


def test_what_comes_from_outside_in_an_object_says_so() -> None:
    text = TWICE + "StructuredBuffer<IOut> list;\n"
    said = told(slang(text + HEAD + "{ data[id.x] = list[0].run(); }\n"))
    assert said[0][4] == "Twice: read from list, which others can write to (9:27)"
    inner = [site[4] for site in said if " in Twice.run" in site[3]]
    assert inner == ["A: inside of Twice, values of which come from outside"] * 2


@pytest.mark.parametrize(
    "name, said",
    [
        (
            "phi",
            [
                "generated dynamic dispatch code for this site. 2 possible functions: 'f, g'",
                "a function value in main: switch of 2",
                "f: the function that is named -> chosen",
                "g: the function that is named -> chosen",
            ],
        ),
        (
            "one-function",
            [
                "this site needs no dynamic dispatch: 'f' is its only possible function",
                "a function value in main: direct call",
                "f: the function that is named -> chosen",
            ],
        ),
    ],
)
def test_functions_that_come_as_values_are_sites(name: str, said: list[str]) -> None:
    (site,) = told(parse(callables.PROGRAMS[name][0], f"{name}.rk"))
    assert [re.sub(r" \(\d+:\d+\)$", "", line) for line in site[2:]] == said


def test_two_types_of_one_table_both_have_a_way() -> None:
    """An X makes an A as its P and a B as its Q: both tables are looked up in that of X."""
    text = TYPES + (
        "interface I { associatedtype P : IFoo; associatedtype Q : IFoo; P p(); Q q(); }\n"
        "struct X : I { typedef A P; typedef B Q; A p() { return A(1); } B q() { return B(); } }\n"
        "struct Y : I { typedef A P; typedef B Q; A p() { return A(2); } B q() { return B(); } }\n"
    )
    body = (
        "{ I x = X(); if (id.x > 1) x = Y();\n  IFoo f = x.p(); if (id.x > 2) f = x.q();\n  data[id.x] = f.foo(1); }\n"
    )
    last = [site for site in told(slang(text + HEAD + body)) if site[3].startswith("IFoo.foo")][0]
    assert [line.split(": ")[0] for line in last[4:]] == ["A", "B"]
    assert "-> P of " in last[4] and "-> Q of " in last[5]
