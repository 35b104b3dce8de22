"""Which functions and types can come where as values, in programs of a few lines.

Expected sets are read off each program by hand; an element is written `function`, `table.function` or
`function[bound tables]`.
"""

import pytest
from kit.programs.callables import PROGRAMS
from kit.programs.dispatch import CHOOSE, END, HEAD, MAIN, METHODS, TABLES

from reknit.analysis.typeflow.callables import NEVER_SET, NO_TYPE, NOT_KNOWN, Callables, types_in
from reknit.analysis.typeflow.context import info_at
from reknit.analysis.typeflow.solve import type_flow
from reknit.ir import op
from reknit.ir.instr import Instr
from reknit.ir.text.parser import parse
from reknit.ir.verify import verify
from reknit.ir.walk import instructions


def known(text: str, name: str) -> list[str]:
    """What the value %name of @main may be."""
    module = parse(text, "callables.rk")
    assert verify(module) == []
    flow = type_flow(module)
    for context in flow.contexts:
        if context.function.name != "main":
            continue
        value = next(instr for instr in instructions(context.function) if instr.name == name)
        assert value.block is not None and value.type is not None
        info = info_at(context, flow.forms, value, context.envs.get(value.block))
        assert isinstance(info, int)
        return shown(flow.forms.callables, value.type, info)
    raise AssertionError("no @main")


def shown(callables: Callables, type: Instr, info: int) -> list[str]:
    found: list[str] = []
    if type.op == op.TypeType:
        types = types_in(callables.universe, info)
        found.extend([each.name or ("f32" if each.op == op.TypeFloat else "u32") for each in types])
    else:
        for table, function, bound in callables.members(type, info):
            name = f"{table.name}.{function.name}" if table is not None else function.name
            found.append(name + (f"[{' '.join([each.name for each in bound])}]" if bound else ""))
    for bit, word in ((NEVER_SET, "never set"), (NOT_KNOWN, "not known"), (NO_TYPE, "none")):
        found.extend([word] if info & bit else [])
    return sorted(found)


@pytest.mark.parametrize(
    ("program", "value", "expected"),
    [
        ("phi", "c", ["f", "g"]),
        ("one-function", "c", ["f"]),
        ("by-place", "c1", ["f", "g"]),  # the index isn't known
        ("requirements", "c", ["WA.A_bar", "WA.A_foo", "WB.B_bar", "WB.B_foo"]),
        ("shared-function", "c", ["WA.same", "WB.other", "WB.same"]),
        ("by-name-and-by-table", "c", ["WA.f", "WB.f", "f"]),
        ("specialized", "c", ["twice[WA]", "twice[WB]"]),
        ("specialized", "ga", ["twice[WA]"]),
        ("specialized-or-not", "c", ["solo", "twice[WA]", "twice[WB]"]),
        ("generic-as-value", "g", ["once", "twice"]),
        ("generic-as-value", "c", ["once[WA]", "once[WB]", "twice[WA]", "twice[WB]"]),
        ("same-type", "t1", ["A", "B"]),
        ("associated-type", "t", ["f32", "u32"]),
    ],
)
def test_what_a_value_can_be(program: str, value: str, expected: list[str]) -> None:
    assert known(PROGRAMS[program][0], value) == expected


def test_a_test_of_the_type_narrows_what_is_looked_up() -> None:
    text = HEAD + TABLES + METHODS + MAIN + CHOOSE + """  %x = ExtractExistentialValue %e : %This
  %is = IsType %e, %WA : bool
  if %is {
  %b1:
    %wa = ExtractExistentialWitnessTable %e : %WT
    %fa = LookupWitness %wa, %foo : fn(%This, u32) -> u32
  } else {
  %b2:
    %wb = ExtractExistentialWitnessTable %e : %WT
    %fb = LookupWitness %wb, %foo : fn(%This, u32) -> u32
  }
  %c = Phi %fa %b1, %fb %b2 : fn(%This, u32) -> u32
  %r = CallDynamic %c, %x, 1u : u32
""" + END  # fmt: skip
    assert known(text, "fa") == ["WA.A_foo"]
    assert known(text, "fb") == ["WB.B_foo"]
    assert known(text, "c") == ["WA.A_foo", "WB.B_foo"]


def test_a_store_replaces_what_a_variable_has() -> None:
    text = PROGRAMS["phi"][0].replace(
        "  %lane = Load", "  %p = Variable Function : ptr<Function, fn(u32) -> u32>\n  %lane = Load"
    )
    text = text.replace("  %r = Call", """  %none = Load %p : fn(u32) -> u32
  Store %p, @g
  Store %p, @f
  %one = Load %p : fn(u32) -> u32
  %r = Call""")  # fmt: skip
    assert known(text, "none") == ["never set"]
    assert known(text, "one") == ["f"]


def test_the_type_of_what_may_be_none() -> None:
    text = PROGRAMS["same-type"][0].replace("  %t1 = ", """  %nothing = ExistentialNone : %IFoo
  %maybe = Select %odd, %e, %nothing : %IFoo
  %t0 = ExtractExistentialType %maybe : %Type
  %t1 = """)  # fmt: skip
    assert known(text, "t0") == ["A", "B", "none"]
