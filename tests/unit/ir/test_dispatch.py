"""Dynamic dispatch as text, verified, and refused by the SPIR-V writer; and what the tables answer.

Source of the rules: src/reknit/ir/dispatch.py's picture; each fault is made by hand from a module that is right.
"""

import pytest

from reknit.ir.dispatch import dynamic_callees, entry_of, has_dispatch, tables_of
from reknit.ir.instr import Instr
from reknit.ir.module import Module
from reknit.ir.text.parser import parse
from reknit.ir.text.printer import print_module
from reknit.ir.verify import verify
from reknit.ir.walk import instructions
from reknit.source.diagnostic import InputError
from reknit.spirv.write import write_module

TEXT = """%IFoo = TypeInterface "IFoo" 16
%WT = TypeWitnessTable %IFoo
%This = TypeThis %IFoo
%foo = Requirement "foo" : %IFoo
%bar = Requirement "bar" : %IFoo
%A = TypeStruct u32
%WA = WitnessTable %A 0 %foo, @A_foo, %bar, @A_bar : %WT
%WB = WitnessTable u32 4294967295 %foo, @B_foo : %WT

func @A_foo(%this: %A, %v: i32) -> i32 {
  return %v
}

func @A_bar(%this: %A) -> void {
  return
}

func @B_foo(%this: u32, %v: i32) -> i32 {
  return %v
}

func @helper(%W: %WT, %t: %This, %v: i32) -> i32 {
  %f = LookupWitness %W, %foo : fn(%This, i32) -> i32
  %r = CallDynamic %f, %t, %v : i32
  return %r
}

func @main(%a: %A) -> i32 {
  %e = MakeExistential %a, %WA : %IFoo
  %w = ExtractExistentialWitnessTable %e : %WT
  %x = ExtractExistentialValue %e : %This
  %g = Specialize @helper, %w : fn(%This, i32) -> i32
  %r = CallDynamic %g, %x, 7 : i32
  %is = IsType %e, %WB : bool
  %none = ExistentialNone : %IFoo
  %has = ExistentialHasValue %none : bool
  %id = GetSequentialId %w : u32
  %made = CreateExistentialObject %id, %a : %IFoo
  return %r
}
"""


def named(module: Module, name: str) -> Instr:
    found = [instr for instr in module.globals if instr.name == name]
    for function in module.functions:
        found.extend([instr for instr in instructions(function) if instr.name == name])
    return found[0]


def test_text_is_read_and_written_back() -> None:
    module = parse(TEXT, "dispatch.rk")
    assert verify(module) == []
    text = print_module(module)
    assert print_module(parse(text, "again.rk")) == text
    assert "%WA = WitnessTable %A 0 %foo, @A_foo, %bar, @A_bar : %WT" in text
    assert "= CallDynamic %g, %x, 7 : i32" in text


def test_spirv_has_no_such_instructions() -> None:
    with pytest.raises(InputError) as caught:
        write_module(parse(TEXT, "dispatch.rk"))
    diagnostic = caught.value.diagnostics[0]
    assert diagnostic.code == "RK0514"
    assert "lower-dispatch" in diagnostic.help


def test_what_tables_answer() -> None:
    module = parse(TEXT, "dispatch.rk")
    table = named(module, "WA")
    entry = entry_of(table, named(module, "bar"))
    assert entry is not None and entry.name == "A_bar"
    assert entry_of(named(module, "WB"), named(module, "bar")) is None
    assert [[t.name for t in tables] for tables in tables_of(module).values()] == [["WA", "WB"]]
    assert has_dispatch(module) and not has_dispatch(parse("declare u32\n", "plain.rk"))
    calls = [instr for f in module.functions for instr in instructions(f) if instr.name.startswith("r")]
    assert [[callee.name for callee in dynamic_callees(module, call)] for call in calls] == [
        ["A_foo", "B_foo"],  # what the tables have for foo
        ["helper"],
    ]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("MakeExistential %a, %WA", "MakeExistential 1u, %WA", "not of the type that the witness table is for"),
        ("MakeExistential %a, %WA", "MakeExistential %a, %a", "operand 2 is no witness table"),
        ("ExtractExistentialValue %e", "ExtractExistentialValue %a", "operand 1 is no existential"),
        ("LookupWitness %W, %foo", "LookupWitness %W, %A", "no requirement of the witness table's interface"),
        ("CallDynamic %g, %x, 7", "CallDynamic %g, %x", "1 arguments for 2 parameters"),
        ("CallDynamic %g, %x, 7", "CallDynamic %g, %a, 7", "argument 1 is not of its parameter's type"),
        ("%r = CallDynamic %g, %x, 7 : i32", "%r = CallDynamic %g, %x, 7 : u32", "callable's result type"),
        ("Specialize @helper, %w", "Specialize @helper, %x", "operand 2 is no witness table"),
        (": %WT\n%WB", ": %IFoo\n%WB", "its type is not that of witness tables"),
        ("%foo, @B_foo", "%foo, 3", "operand 4 is no function, no witness table and no type"),
        ("@B_foo(%this: u32, %v: i32)", "@B_foo(%v: i32)", "a function of 1 parameters, which is called with 2"),
        ("@B_foo(%this: u32, %v: i32)", "@B_foo(%this: u32, %w: u32, %v: i32)", "3 parameters, which is called with 2"),
        ("@B_foo(%this: u32, %v: i32)", "@B_foo(%v: i32, %this: u32)", "whose parameter 2 is of another type"),
        ("0 %foo, @A_foo", "0 %foo, %A", "it has no function, and one is called"),
        ("%is = IsType %e, %WB : bool", "%is = IsType %e, %WB : u32", "the result is no bool"),
        ("GetSequentialId %w", "GetSequentialId %e", "operand 1 is no witness table"),
        ("%This = TypeThis %IFoo", "%This = TypeThis %WT", "it is of no interface"),
    ],
)
def test_what_does_not_fit_is_reported(old: str, new: str, message: str) -> None:
    assert TEXT.count(old) == 1
    faults = verify(parse(TEXT.replace(old, new), "dispatch.rk"))
    assert any(fault.code == "RK0430" and message in fault.message for fault in faults), faults
