"""Which types each dynamic call can go to: exact sets where Slang's are too large, and sound ones where its are wrong.

Each program is one of the questions on which Slang's analysis was seen to be imprecise, or unsound, written as .rk by
hand; what is exact follows from the program's meaning. Types A, B, C conform to IFoo; calls are named %r1, %r2.
"""

import pytest
from kit.text.dispatch_texts import HEAD, MAKE, METHODS, call

from reknit.analysis.typeflow.notes import notes
from reknit.analysis.typeflow.report import dispatch_sites, gathered
from reknit.ir.text.parser import parse
from reknit.ir.verify import verify


def main(body: str, others: str = "", variables: str = "") -> str:
    test = "  %k = IEqual %x, 3u : bool\n"
    arrays = "%many65 = TypeArray %IFoo, 65u\n%single1 = TypeArray %IFoo, 1u\n"
    return f"{HEAD}{arrays}{METHODS}{others}func @main() -> void {{\n{variables}{test}{MAKE}{body}  return\n}}\n"


VARIABLES = """  %one = Variable Function : ptr<Function, %IFoo>
  %two = Variable Function : ptr<Function, %pair>
  %h1 = Variable Function : ptr<Function, %Holder>
  %h2 = Variable Function : ptr<Function, %Holder>
"""

FLAG = "  %flag = Variable Function : ptr<Function, bool>\n"

MANY = "  %many = Variable Function : ptr<Function, %many65>\n"

TESTED = (
    "  %s = Select %k, %a, %b : %IFoo\n  Store %one, %s\n  %e = Load %one : %IFoo\n  %is = IsType %e, %WA : bool\n"
    "  if %is {\n"
)
"""An A or a B in %one, and what follows where it is an A."""

PROGRAMS: dict[str, tuple[str, dict[str, list[str]]]] = {
    "a test narrows both ways (9.2)": (
        main(
            "  %e = Select %k, %a, %b : %IFoo\n  %is = IsType %e, %WA : bool\n  if %is {\n"
            + call("e", "r1")
            + "  } else {\n"
            + call("e", "r2")
            + "  }\n"
        ),
        {"r1": ["A"], "r2": ["B"]},
    ),
    "a test narrows what comes after an early end": (
        main(
            "  %e = Select %k, %a, %b : %IFoo\n  %is = IsType %e, %WA : bool\n  %not = LogicalNot %is : bool\n"
            "  if %not {\n    return\n  }\n" + call("e", "r1")
        ),
        {"r1": ["A"]},
    ),
    "none is left out where there is a value": (
        main(
            "  %n = ExistentialNone : %IFoo\n  %e = Select %k, %a, %n : %IFoo\n"
            "  %has = ExistentialHasValue %e : bool\n  if %has {\n" + call("e", "r1") + "  }\n"
        ),
        {"r1": ["A"]},
    ),
    "a switch over the id narrows": (
        main(
            "  %e1 = Select %k, %a, %b : %IFoo\n  %e = Select %k, %e1, %c : %IFoo\n"
            "  %w = ExtractExistentialWitnessTable %e : %WT\n  %id = GetSequentialId %w : u32\n"
            "  switch %id {\n    case 1: {\n"
            + call("e", "r1")
            + "    }\n    default: {\n"
            + call("e", "r2")
            + "    }\n  }\n"
        ),
        {"r1": ["B"], "r2": ["A", "C"]},
    ),
    "a branch that is settled brings nothing (9.3)": (
        main(
            "  %never = IEqual 1u, 2u : bool\n  if %never {\n  %l1:\n  } else {\n  %l2:\n  }\n"
            "  %e = Phi %a %l1, %b %l2 : %IFoo\n" + call("e", "r1")
        ),
        {"r1": ["B"]},
    ),
    "a constant flows into a call (9.3, ex26)": (
        main(
            "  %e = FunctionCall @pick 1u : %IFoo\n" + call("e", "r1"),
            "func @pick(%n: u32) -> %IFoo {\n" + MAKE + "  %is0 = IEqual %n, 0u : bool\n  if %is0 {\n    return %a\n"
            "  }\n  %is1 = IEqual %n, 1u : bool\n  if %is1 {\n    return %b\n  }\n  return %c\n}\n",
        ),
        {"r1": ["B"]},
    ),
    "what a number is worked out from flows through two calls": (
        main(
            "  %e1 = FunctionCall @outer 0u : %IFoo\n  %e2 = FunctionCall @outer 1u : %IFoo\n"
            + call("e1", "r1")
            + call("e2", "r2"),
            "func @outer(%m: u32) -> %IFoo {\n  %n = IAdd %m, 1u : u32\n  %o = FunctionCall @pick %n : %IFoo\n"
            "  return %o\n}\nfunc @pick(%n'2: u32) -> %IFoo {\n" + MAKE + "  %is1 = IEqual %n'2, 1u : bool\n"
            "  if %is1 {\n    return %b\n  }\n  return %c\n}\n",
        ),
        {"r1": ["B"], "r2": ["C"]},
    ),
    "two structs of one type are apart (9.4, ex15)": (
        main(
            "  %p1 = AccessChain %h1, 0u : ptr<Function, %IFoo>\n  %p2 = AccessChain %h2, 0u : ptr<Function, %IFoo>\n"
            "  Store %p1, %a\n  Store %p2, %b\n  %e1 = Load %p1 : %IFoo\n  %e2 = Load %p2 : %IFoo\n"
            + call("e1", "r1")
            + call("e2", "r2"),
            "",
            VARIABLES,
        ),
        {"r1": ["A"], "r2": ["B"]},
    ),
    "elements at constant places are apart (9.4, ex20)": (
        main(
            "  %p1 = AccessChain %two, 0u : ptr<Function, %IFoo>\n  %p2 = AccessChain %two, 1u : ptr<Function, %IFoo>\n"
            "  Store %p1, %a\n  Store %p2, %b\n  %e1 = Load %p1 : %IFoo\n  %e2 = Load %p2 : %IFoo\n"
            + call("e1", "r1")
            + call("e2", "r2"),
            "",
            VARIABLES,
        ),
        {"r1": ["A"], "r2": ["B"]},
    ),
    "a store replaces what was there; a call stores (9.4, ex21b)": (
        main(
            "  Store %one, %a\n  %e1 = Load %one : %IFoo\n"
            + call("e1", "r1")
            + "  %u = FunctionCall @set %one, %k : void\n  %e2 = Load %one : %IFoo\n"
            + call("e2", "r2"),
            "func @set(%to: ptr<Function, %IFoo>, %k: bool) -> void {\n" + MAKE + "  if %k {\n    Store %to, %b\n"
            "  } else {\n    Store %to, %c\n  }\n  return\n}\n",
            VARIABLES,
        ),
        {"r1": ["A"], "r2": ["B", "C"]},
    ),
    "one function in two contexts": (
        main(
            "  %e = Select %k, %a, %b : %IFoo\n  %u1 = FunctionCall @run %e : u32\n"
            "  %u2 = FunctionCall @run %c : u32\n",
            "func @run(%e: %IFoo) -> u32 {\n" + call("e", "r1") + "  return %r1\n}\n",
        ),
        {"r1": ["A", "B", "C"]},
    ),
    "storage that others can reach holds anything (9.1, ex16)": (
        main(
            "  %p1 = AccessChain %h1, 0u : ptr<Function, %IFoo>\n  Store %p1, %a\n  %e1 = Load %p1 : %IFoo\n"
            + call("e1", "r1")
            + "  %p2 = AccessChain %buffer, 0u, %x, 0u : ptr<StorageBuffer, %IFoo>\n  %e2 = Load %p2 : %IFoo\n"
            + call("e2", "r2"),
            "",
            VARIABLES,
        ),
        {"r1": ["A"], "r2": ["A", "B", "C"]},
    ),
    "a static variable holds what is stored anywhere (9.12)": (
        main(
            "  Store %cell, %a\n  %u = FunctionCall @other : void\n  %e = Load %cell : %IFoo\n" + call("e", "r1"),
            "func @other() -> void {\n" + MAKE + "  Store %cell, %b\n  return\n}\n",
        ),
        {"r1": ["A", "B"]},
    ),
    "a test of what was read narrows the variable (9.2, ex10)": (
        main(
            TESTED + "    %e1 = Load %one : %IFoo\n" + call("e1", "r1") + "  } else {\n"
            "    %e2 = Load %one : %IFoo\n" + call("e2", "r2") + "  }\n",
            "",
            VARIABLES,
        ),
        {"r1": ["A"], "r2": ["B"]},
    ),
    "until something is stored there": (
        main(
            TESTED + "    Store %one, %c\n    %e1 = Load %one : %IFoo\n" + call("e1", "r1") + "  }\n"
            "  %e2 = Load %one : %IFoo\n" + call("e2", "r2"),
            "",
            VARIABLES,
        ),
        {"r1": ["C"], "r2": ["B", "C"]},
    ),
    "a store between the reading and the test": (
        main(
            "  %s = Select %k, %a, %b : %IFoo\n  Store %one, %s\n  %e = Load %one : %IFoo\n  Store %one, %b\n"
            "  %is = IsType %e, %WA : bool\n  if %is {\n    %e1 = Load %one : %IFoo\n" + call("e1", "r1") + "  }\n",
            "",
            VARIABLES,
        ),
        {"r1": ["B"]},
    ),
    "a call that may store between the two": (
        main(
            "  %s = Select %k, %a, %b : %IFoo\n  Store %one, %s\n  %e = Load %one : %IFoo\n"
            "  %u = FunctionCall @set %one, %k : void\n"
            "  %is = IsType %e, %WA : bool\n  if %is {\n    %e1 = Load %one : %IFoo\n" + call("e1", "r1") + "  }\n",
            "func @set(%to: ptr<Function, %IFoo>, %k: bool) -> void {\n" + MAKE + "  if %k {\n    Store %to, %c\n  }\n"
            "  return\n}\n",
            VARIABLES,
        ),
        {"r1": ["A", "B", "C"]},
    ),
    "a number goes through a variable (9.3, ex26)": (
        main(
            "  Store %n, 1u\n  %n1 = Load %n : u32\n  %is1 = IEqual %n1, 1u : bool\n  if %is1 {\n    Store %one, %a\n"
            "  } else {\n    Store %one, %b\n  }\n  %e1 = Load %one : %IFoo\n" + call("e1", "r1"),
            "",
            VARIABLES + "  %n = Variable Function : ptr<Function, u32>\n",
        ),
        {"r1": ["A"]},
    ),
    "a number that a loop changes": (
        main(
            "  Store %n, 0u\n  Store %one, %c\n  loop @l {\n    %n1 = Load %n : u32\n    %is1 = IEqual %n1, 1u : bool\n"
            "    if %is1 {\n      Store %one, %a\n    }\n    %e1 = Load %one : %IFoo\n"
            + call("e1", "r1")
            + "    %n2 = IAdd %n1, 1u : u32\n    Store %n, %n2\n    if %k {\n      break @l\n    }\n  }\n",
            "",
            VARIABLES + "  %n = Variable Function : ptr<Function, u32>\n",
        ),
        {"r1": ["A", "C"]},
    ),
    "a test is kept in a variable": (
        main(
            "  %s = Select %k, %a, %b : %IFoo\n  Store %one, %s\n  %e = Load %one : %IFoo\n"
            "  %is = IsType %e, %WA : bool\n  Store %flag, %is\n  %e3 = Load %one : %IFoo\n"
            + call("e3", "r3")
            + "  %t = Load %flag : bool\n  if %t {\n    %e1 = Load %one : %IFoo\n"
            + call("e1", "r1")
            + "  } else {\n"
            + call("e3", "r2")
            + "  }\n",
            "",
            VARIABLES + FLAG,
        ),
        {"r1": ["A"], "r2": ["B"], "r3": ["A", "B"]},
    ),
    "a kept test says nothing of what was stored since": (
        main(
            "  %s = Select %k, %a, %b : %IFoo\n  Store %one, %s\n  %e = Load %one : %IFoo\n"
            "  %is = IsType %e, %WA : bool\n  Store %flag, %is\n  Store %one, %c\n"
            "  %t = Load %flag : bool\n  if %t {\n    %e1 = Load %one : %IFoo\n"
            + call("e1", "r1")
            + call("e", "r2")
            + "  }\n",
            "",
            VARIABLES + FLAG,
        ),
        {"r1": ["C"], "r2": ["A"]},
    ),
    "another test is kept in the variable": (
        main(
            "  %s = Select %k, %a, %b : %IFoo\n  Store %one, %s\n  %e = Load %one : %IFoo\n"
            "  %is = IsType %e, %WA : bool\n  Store %flag, %is\n  Store %flag, %k\n"
            "  %t = Load %flag : bool\n  if %t {\n" + call("e", "r1") + "  }\n",
            "",
            VARIABLES + FLAG,
        ),
        {"r1": ["A", "B"]},
    ),
    "a test that is kept from one round of a loop to the next": (
        main(
            "  Store %one, %a\n  Store %flag, %k\n  loop @l {\n    %e = Load %one : %IFoo\n"
            "    %t = Load %flag : bool\n    if %t {\n"
            + call("e", "r1")
            + "    }\n    %is = IsType %e, %WA : bool\n    Store %flag, %is\n    Store %one, %b\n"
            "    if %k {\n      break @l\n    }\n  }\n",
            "",
            VARIABLES + FLAG,
        ),
        {"r1": ["A", "B"]},
    ),
    "a test after another: `k && (one is A)`": (
        main(
            "  %s = Select %k, %a, %b : %IFoo\n  Store %one, %s\n  if %k {\n  %l1:\n    %e = Load %one : %IFoo\n"
            "    %is = IsType %e, %WA : bool\n  } else {\n  %l2:\n  }\n  %p = Phi %is %l1, false %l2 : bool\n"
            "  if %p {\n    %e1 = Load %one : %IFoo\n"
            + call("e1", "r1")
            + "  } else {\n    %e2 = Load %one : %IFoo\n"
            + call("e2", "r2")
            + "  }\n",
            "",
            VARIABLES,
        ),
        {"r1": ["A"], "r2": ["A", "B"]},
    ),
    "such a test of a value that was tested before": (
        main(
            "  %e1 = Select %k, %a, %b : %IFoo\n  %e = Select %k, %e1, %c : %IFoo\n  %c1 = IsType %e, %WC : bool\n"
            "  if %c1 {\n" + call("e", "r1") + "  } else {\n    if %k {\n    %l1:\n"
            "      %is = IsType %e, %WB : bool\n    } else {\n    %l2:\n    }\n"
            "    %p = Phi %is %l1, false %l2 : bool\n    if %p {\n"
            + call("e", "r2")
            + "    } else {\n"
            + call("e", "r3")
            + "    }\n  }\n",
        ),
        {"r1": ["C"], "r2": ["B"], "r3": ["A", "B"]},
    ),
    "such a test that can't hold": (
        main(
            "  %s = Select %k, %b, %c : %IFoo\n  Store %one, %s\n  if %k {\n  %l1:\n    %e = Load %one : %IFoo\n"
            "    %is = IsType %e, %WA : bool\n  } else {\n  %l2:\n  }\n  %p = Phi %is %l1, false %l2 : bool\n"
            "  if %p {\n" + call("a", "r1") + "  } else {\n    %e2 = Load %one : %IFoo\n" + call("e2", "r2") + "  }\n",
            "",
            VARIABLES,
        ),
        {"r2": ["B", "C"]},
    ),
    "a member of a struct that was just put together is tested": (
        main(
            "  %s = Select %k, %a, %b : %IFoo\n  %is = IsType %s, %WA : bool\n"
            "  %m = CompositeConstruct %x, %is : %maybe\n  %t = CompositeExtract %m 1 : bool\n"
            "  %all = CompositeConstruct %is, %k : vec2<bool>\n  %v = CompositeExtract %all 0 : bool\n"
            "  if %t {\n" + call("s", "r1") + "  }\n  if %v {\n" + call("s", "r2") + "  }\n",
        ),
        {"r1": ["A"], "r2": ["A", "B"]},
    ),
    "a test unless another holds: `k || (one is A)`, not": (
        main(
            "  %s = Select %k, %a, %b : %IFoo\n  Store %one, %s\n  if %k {\n  %l1:\n  } else {\n  %l2:\n"
            "    %e = Load %one : %IFoo\n    %is = IsType %e, %WA : bool\n  }\n"
            "  %p = Phi true %l1, %is %l2 : bool\n  %not = LogicalNot %p : bool\n"
            "  if %not {\n    %e1 = Load %one : %IFoo\n" + call("e1", "r1") + "  }\n",
            "",
            VARIABLES,
        ),
        {"r1": ["B"]},
    ),
    "a test of what another round of a loop had": (
        main(
            "  Store %one, %a\n  %b0:\n  loop @l {\n  %h:\n    %p = Phi false %b0, %is %n : bool\n"
            "    if %p {\n      %e1 = Load %one : %IFoo\n"
            + call("e1", "r1")
            + "    }\n    %s = Select %k, %b, %c : %IFoo\n    Store %one, %s\n    %e = Load %one : %IFoo\n"
            "    %is = IsType %e, %WB : bool\n    %s2 = Select %k, %a, %s : %IFoo\n"
            + call("s2", "r2")
            + "    if %k {\n      break @l\n    }\n  } continuing {\n  %n:\n  }\n",
            "",
            VARIABLES,
        ),
        {"r1": ["B"], "r2": ["A", "B", "C"]},
    ),
    "a struct that says whether there is a value (`as`)": (
        main(
            "  %s = Select %k, %a, %b : %IFoo\n  Store %one, %s\n  %e = Load %one : %IFoo\n"
            "  %is = IsType %e, %WA : bool\n  %m = CompositeConstruct %x, %is : %maybe\n  Store %opt, %m\n"
            "  %has = AccessChain %opt, 1u : ptr<Function, bool>\n  %t = Load %has : bool\n  if %t {\n"
            "    %e1 = Load %one : %IFoo\n" + call("e1", "r1") + "  }\n  %t2 = CompositeExtract %m 1 : bool\n"
            "  if %t2 {\n" + call("e", "r2") + "  }\n",
            "",
            VARIABLES + "  %opt = Variable Function : ptr<Function, %maybe>\n",
        ),
        {"r1": ["A"], "r2": ["A"]},
    ),
    "a test that is looked at after more types came": (
        main(
            "  %first = Select %k, %a, %b : %IFoo\n  %b0:\n  loop @l {\n  %h:\n"
            "    %e = Phi %first %b0, %later %n : %IFoo\n"
            "    %is = IsType %e, %WA : bool\n    if %k {\n      Store %flag, %k\n    }\n    if %is {\n"
            + call("e", "r1")
            + "    } else {\n"
            + call("e", "r2")
            + "    }\n    if %k {\n      break @l\n    }\n  } continuing {\n  %n:\n"
            "    %later = Select %k, %b, %c : %IFoo\n  }\n",
            "",
            FLAG,
        ),
        {"r1": ["A"], "r2": ["B", "C"]},
    ),
    "an array of 65 elements is one place: what is stored at 0 and at 1": (
        main(
            "  %p0 = AccessChain %many, 0u : ptr<Function, %IFoo>\n"
            "  %p1 = AccessChain %many, 1u : ptr<Function, %IFoo>\n  Store %p0, %a\n  Store %p1, %b\n"
            "  %e1 = Load %p0 : %IFoo\n" + call("e1", "r1"),
            "",
            MANY,
        ),
        {"r1": ["A", "B"]},
    ),
    "an array of 65 elements that is put together": (
        main(
            f"  %all = CompositeConstruct {', '.join(['%a', '%b'] + ['%b'] * 63)} : %many65\n  Store %many, %all\n"
            "  %p0 = AccessChain %many, 64u : ptr<Function, %IFoo>\n  %e1 = Load %p0 : %IFoo\n"
            + call("e1", "r1")
            + "  %e2 = CompositeExtract %all 0 : %IFoo\n"
            + call("e2", "r2"),
            "",
            MANY,
        ),
        {"r1": ["A", "B"], "r2": ["A", "B"]},
    ),
    "two elements that are put together are apart": (
        main(
            "  %both = CompositeConstruct %a, %b : %pair\n  %e1 = CompositeExtract %both 0 : %IFoo\n"
            "  %new = CompositeInsert %c, %both 1 : %pair\n  %e2 = CompositeExtract %new 1 : %IFoo\n"
            "  %e3 = CompositeExtract %new 0 : %IFoo\n" + call("e1", "r1") + call("e2", "r2") + call("e3", "r3"),
        ),
        {"r1": ["A"], "r2": ["C"], "r3": ["A"]},
    ),
    "an array of one element has no other": (
        main(
            "  %p0 = AccessChain %single, %x : ptr<Function, %IFoo>\n  Store %p0, %a\n  Store %p0, %b\n"
            "  %e1 = Load %p0 : %IFoo\n" + call("e1", "r1"),
            "",
            "  %single = Variable Function : ptr<Function, %single1>\n",
        ),
        {"r1": ["B"]},
    ),
    "what holds where there is no value": (
        main(
            "  %n = ExistentialNone : %IFoo\n  %e = Select %k, %a, %n : %IFoo\n  Store %one, %e\n"
            "  %e0 = Load %one : %IFoo\n  %has = ExistentialHasValue %e0 : bool\n"
            "  if %has {\n  } else {\n    %e1 = Load %one : %IFoo\n    %p = Select %k, %e1, %b : %IFoo\n"
            + call("p", "r1")
            + "  }\n",
            "",
            VARIABLES,
        ),
        {"r1": ["B"]},
    ),
    "a selection by a constant": (
        main(
            "  %always = IEqual 1u, 1u : bool\n  %e1 = Select %always, %a, %b : %IFoo\n"
            "  %never = LogicalNot %always : bool\n  %e2 = Select %never, %a, %b : %IFoo\n"
            + call("e1", "r1")
            + call("e2", "r2"),
        ),
        {"r1": ["A"], "r2": ["B"]},
    ),
    "a loop brings everything round": (
        main(
            "  Store %one, %a\n  loop @l {\n    %e = Load %one : %IFoo\n"
            + call("e", "r1")
            + "    Store %one, %b\n    if %k {\n      break @l\n    }\n  }\n",
            "",
            VARIABLES,
        ),
        {"r1": ["A", "B"]},
    ),
}


def sites_of(text: str) -> dict[str, list[str]]:
    module = parse(text, "precision.rk")
    assert verify(module) == []
    found: dict[str, list[str]] = {}
    for site in dispatch_sites(module):
        for type in site.types:
            if type not in found.setdefault(site.call.name, []):
                found[site.call.name].append(type)
    return {name: sorted(types) for name, types in found.items()}


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_types_of_each_call(name: str) -> None:
    text, expected = PROGRAMS[name]
    assert sites_of(text) == expected


def test_contexts_are_apart() -> None:
    module = parse(PROGRAMS["one function in two contexts"][0], "contexts.rk")
    assert [site.types for site in dispatch_sites(module)] == [["A", "B"], ["C"]]


def test_calls_with_the_same_types_are_gathered_with_all_their_callers() -> None:
    """Two contexts of @run, in which `obj` is an A or B: they differ in whether it may be none, which no call sees."""
    text = main(
        "  %e1 = Select %k, %a, %b : %IFoo\n  %u1 = FunctionCall @run %e1 : u32\n"
        "  %n = ExistentialNone : %IFoo\n  %e2 = Select %k, %e1, %n : %IFoo\n  %u2 = FunctionCall @run %e2 : u32\n"
        "  %u3 = FunctionCall @run %c : u32\n",
        "func @run(%obj: %IFoo) -> u32 {\n" + call("obj", "r1") + "  return %r1\n}\n",
    )
    lines = text.split("\n")
    places = [number for number, each in enumerate(lines, 1) if "FunctionCall @run" in each]
    found = gathered(dispatch_sites(parse(text, "gathered.rk")))
    assert [(site.types, site.contexts) for site in found] == [(["A", "B"], 2), (["C"], 1)]
    assert [[str(step) for step in site.called_from] for site in found] == [
        [f"main ({places[0]}:3)", f"main ({places[1]}:3)"],
        [f"main ({places[2]}:3)"],
    ]


def test_the_report_says_why_each_type_can_come() -> None:
    text = main(
        "  Store %one, %a\n  %e1 = Load %one : %IFoo\n  %e = Select %k, %e1, %b : %IFoo\n"
        "  %u1 = FunctionCall @run %e : u32\n",
        "func @run(%obj: %IFoo) -> u32 {\n" + call("obj", "r1") + "  return %r1\n}\n",
        VARIABLES,
    )
    lines = text.split("\n")

    def line(start: str) -> int:
        return next(number for number, each in enumerate(lines, 1) if each.strip().startswith(start))

    (site,) = notes(dispatch_sites(parse(text, "why.rk")))
    assert [note.message for note in site.notes] == [
        f"IFoo.foo in run, called from main ({line('%u1')}:3): switch of 2, payload 4 bytes",
        f"A: made in main ({line('%a =')}:3) -> read from one ({line('%e1')}:3) -> chosen ({line('%e =')}:3) "
        f"-> argument of run ({line('%u1')}:3)",
        f"B: made in main ({line('%b =')}:3) -> chosen ({line('%e =')}:3) -> argument of run ({line('%u1')}:3)",
    ]


@pytest.mark.parametrize("name", PROGRAMS)
def test_every_type_has_a_way_that_ends_where_it_is_made(name: str) -> None:
    for site in dispatch_sites(parse(PROGRAMS[name][0], "precision.rk")):
        for type in site.types:
            first = str(site.why[type][0])
            assert first.startswith(("made in ", "read from buffer, which others")), first
