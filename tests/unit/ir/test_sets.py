"""Sets of callables, generics and types, their tags and elements: as text, and what the verifier says of damaged ones.

Source of the rules: the pictures of src/reknit/ir/callables.py and src/reknit/ir/verify/elements.py; each fault is made
by hand from tests/kit/programs/elements.py, which is right.
"""

import pytest
from kit.programs.elements import TEXT

from reknit.ir.callables import base_and_bound, constant_callable, escapes, is_direct, is_generic
from reknit.ir.dispatch import dynamic_callees, open_interfaces
from reknit.ir.instr import Instr
from reknit.ir.module import Module
from reknit.ir.text.parser import parse
from reknit.ir.text.printer import print_module
from reknit.ir.verify import verify
from reknit.ir.walk import instructions
from reknit.source.diagnostic import InputError
from reknit.spirv.write import write_module


def named(module: Module, name: str) -> Instr:
    found = [instr for instr in module.globals if instr.name == name]
    for function in module.functions:
        found.extend([instr for instr in instructions(function) if instr.name == name])
    return found[0]


def test_text_is_read_and_written_back() -> None:
    module = parse(TEXT, "sets.rk")
    assert verify(module) == []
    text = print_module(module)
    assert print_module(parse(text, "again.rk")) == text
    for line in (
        "%Made = FuncSet %made_a, %made_b : %F",
        "%Any = GenericSet %any : %G",
        "%Types = TypeSet %A, %B : %Type",
        "%ElementS = TypeElementOfSet %S",
        "%i = GetTagForSpecializedSet %g, %t : %TagIds",
        "%y = GetTypeTagFromTaggedUnion %u : %TagTypes",
        "%mapped = GetTagForMappedSet %t, %make : %TagMade",
    ):
        assert line in text


def test_spirv_has_no_such_instructions() -> None:
    with pytest.raises(InputError) as caught:
        write_module(parse(TEXT, "sets.rk"))
    assert caught.value.diagnostics[0].code == "RK0514"


def test_what_callables_of_the_module_are() -> None:
    module = parse(TEXT, "sets.rk")
    functions = {function.name: function for function in module.functions}
    table = named(module, "WA")
    assert constant_callable(functions["f"]) == (None, functions["f"], ())
    assert constant_callable(named(module, "made_a")) == (table, functions["f"], ())
    assert constant_callable(named(module, "id_a")) == (None, functions["id_of"], (table,))
    assert constant_callable(named(module, "any")) == (None, functions["id_of"], ())
    assert constant_callable(table) is None
    assert base_and_bound(named(module, "id_a")) == (functions["id_of"], [named(module, "WA")])
    assert is_direct(named(module, "made_a")) and not is_direct(named(module, "d"))
    assert escapes(named(module, "made_a"))  # it is in a set
    assert is_generic(named(module, "G")) and not is_generic(named(module, "F"))


def test_what_may_be_called_as_a_value() -> None:
    """What is in a table or used as a value, and takes the arguments after tables that may be bound to it."""
    text = """%IFoo = TypeInterface "IFoo" 0
%WT = TypeWitnessTable %IFoo
%F = TypeFunction u32, u32

func @one(%v: u32) -> u32 {
  return %v
}
func @bound(%W: %WT, %v: u32) -> u32 {
  return %v
}
func @two(%v: u32, %u: u32) -> u32 {
  return %v
}
func @never(%v: u32) -> u32 {
  return %v
}
func @nothing(%v: u32) -> void {
  return
}
func @main(%c: bool, %W: %WT) -> u32 {
  %b = Specialize @bound, %W : %F
  %f = Select %c, @one, %b : %F
  %g = CopyObject @two : fn(u32, u32) -> u32
  %n = CopyObject @nothing : fn(u32) -> void
  %r = CallDynamic %f, 1u : u32
  return %r
}
"""
    module = parse(text, "taken.rk")
    assert verify(module) == []
    assert [function.name for function in dynamic_callees(module, named(module, "r"))] == ["one", "bound"]


def test_which_interfaces_are_open() -> None:
    text = TEXT.replace("Decorate %words", 'DecorateString %IFoo UserSemantic "Open"\nDecorate %words', 1)
    module = parse(text, "open.rk")
    assert [interface.name for interface in open_interfaces(module)] == ["IFoo"]
    assert list(open_interfaces(parse(TEXT, "sets.rk"))) == []


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("FuncSet %made_a, %made_b : %F", "FuncSet %made_a, %WB : %F", "operand 2 is no callable of the module"),
        ("FuncSet %made_a, %made_b : %F", "FuncSet %made_a, %any : %F", "operand 2 is not of the set's type"),
        ("FuncSet %made_a, %made_b : %F", "FuncSet %made_a, %made_a : %F", "an element is there twice"),
        ("FuncSet %made_a, %made_b : %F", "FuncSet %made_a, %made_b : %WT", "its type is not that of a callable"),
        ("GenericSet %any : %G", "FuncSet %any : %G", "it takes witness tables first"),
        ("FuncSet %made_a, %made_b : %F", "GenericSet %made_a, %made_b : %F", "it takes no witness table first"),
        ("TypeSet %A, %B : %Type", "TypeSet %A, %WB : %Type", "operand 2 is no type"),
        ("TypeSet %A, %B : %Type", "TypeSet %A, %B : %WT", "its type is not that of types"),
        ("%TagTypes = TypeSetTag %Types", "%TagTypes = TypeSetTag %WA", "operand 1 is no set"),
        ("%ElementIds = TypeElementOfSet %Ids", "%ElementIds = TypeElementOfSet %WA", "operand 1 is no set"),
        ("Specialize @id_of, %WA", "Specialize @id_of, %A", "operand 2 is no witness table of the module"),
        ("Specialize @id_of : %G", "Specialize %WA : %G", "operand 1 can't be called"),
        ("GetElementFromTag %t : %ElementS", "GetElementFromTag %t : %ElementMade", "of another set than the tag"),
        ("GetElementFromTag %t : %ElementS", "GetElementFromTag %lane : %ElementS", "operand 1 is no tag"),
        ("LookupWitness %w, %make", "LookupWitness %w, %A", "no requirement of the witness table's interface"),
        ("LookupWitness %w, %make : %ElementMade", "LookupWitness %w, %make : %F", "the result is of no set"),
        ("CallDynamic %c, %lane", "CallDynamic %c", "0 arguments for 1 parameters"),
        ("CallDynamic %c, %lane", "CallDynamic %w, %lane", "operand 1 can't be called"),
        ("GetSequentialId %W", "GetSequentialId %v", "operand 1 is no witness table"),
        ("GetTagForSpecializedSet %g, %t", "GetTagForSpecializedSet %g, %g", "operand 2 is no tag of witness tables"),
        ("GetTagForSpecializedSet %g, %t", "GetTagForSpecializedSet %t, %t", "operand 1 is no tag of callables"),
        ("GetTagForSpecializedSet %g, %t", "GetTagForSpecializedSet %g", "without what is bound"),
        ("GetTagForMappedSet %t, %make", "GetTagForMappedSet %t, %A", "no requirement of the interface"),
        ("GetTagForSuperSet %mapped : %TagIds", "GetTagForSuperSet %t : %TagIds", "sets of different things"),
        ("GetTypeTagFromTaggedUnion %u", "GetTypeTagFromTaggedUnion %t", "operand 1 is no tagged union"),
        ("FromTaggedUnion %u : %TagTypes", "FromTaggedUnion %u : %TagS", "no tag of a set of types"),
        ("IsSameType %e, %A : bool", "IsSameType %e, %w : bool", "operand 2 is no type"),
        ("%is = IsSameType %e, %A : bool", "%is = IsSameType %e, %A : u32", "the result is no bool"),
    ],
)
def test_what_does_not_fit_is_reported(old: str, new: str, message: str) -> None:
    assert TEXT.count(old) == 1
    faults = verify(parse(TEXT.replace(old, new), "sets.rk"))
    assert any(fault.code == "RK0430" and message in fault.message for fault in faults), faults


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("%bad = WitnessUnbounded : %A", "it stands for nothing in a set"),
        ("%bad = FuncSet %unknown : %G\n%unknown = WitnessUnbounded : %G", "it takes witness tables first"),
    ],
)
def test_what_is_not_known_has_its_type(line: str, message: str) -> None:
    faults = verify(parse(TEXT.replace("%U = Type", line + "\n%U = Type", 1), "sets.rk"))
    assert any(fault.code == "RK0430" and message in fault.message for fault in faults), faults


def test_elements_without_a_table() -> None:
    """None, never set and not known stand in every kind of set, by their types."""
    lines = ""
    for name, type, kind in (("t", "%WT", "WitnessTableSet"), ("f", "%F", "FuncSet"), ("y", "%Type", "TypeSet")):
        elements = ["WitnessUninitialized", "WitnessUnbounded"] + (["WitnessNone"] if name != "f" else [])
        lines += "".join([f"%{name}{n} = {element} : {type}\n" for n, element in enumerate(elements)])
        lines += f"%{name}s = {kind} {', '.join([f'%{name}{n}' for n in range(len(elements))])} : {type}\n"
    module = parse(TEXT.replace("%U = Type", lines + "%U = Type", 1), "sets.rk")
    assert verify(module) == []
    text = print_module(module)
    assert print_module(parse(text, "again.rk")) == text
