"""What the verifier says of dynamic dispatch: one line among the types and tables, or one statement, and its fault.

The rules are the pictures of src/reknit/ir/dispatch.py, dispatch_sets.py and callables.py; each wrong line differs from
a right one beside it in the part that the message names.
"""

import pytest

from reknit.ir.text.parser import parse
from reknit.ir.verify import verify

FRAME = """%IFoo = TypeInterface "IFoo" 16
%IBar = TypeInterface "IBar" 16
%WT = TypeWitnessTable %IFoo
%WTB = TypeWitnessTable %IBar
%This = TypeThis %IFoo
%foo = Requirement "foo" : %IFoo
%own = Requirement "own" : %IFoo
%inner = Requirement "inner" : %IFoo
%bar = Requirement "bar" : %IBar
%Type = TypeType
%A = TypeStruct u32
%B = TypeStruct f32
%F = TypeFunction u32, u32
%G = TypeFunction u32, %WT, u32
%WX = WitnessTable %A 2 : %WTB
%WA = WitnessTable %A 0 %foo, @f, %own, %A, %inner, %WX : %WT
%WB = WitnessTable %B 1 %foo, @f, %own, %B, %inner, %WX : %WT
%S = WitnessTableSet %WA, %WB : %WT
%SX = WitnessTableSet %WX : %WTB
%TagS = TypeSetTag %S
%TagX = TypeSetTag %SX
%ElS = TypeElementOfSet %S
%made_a = LookupWitness %WA, %foo : %F
%Made = FuncSet %made_a : %F
%TagMade = TypeSetTag %Made
%ElMade = TypeElementOfSet %Made
%any = Specialize @generic : %G
%Any = GenericSet %any : %G
%TagAny = TypeSetTag %Any
%ElAny = TypeElementOfSet %Any
%Types = TypeSet %A, %B : %Type
%TagTypes = TypeSetTag %Types
%ElTypes = TypeElementOfSet %Types
%U = TypeUntaggedUnion %A, %B
%TU = TypeTaggedUnion %S, %U
%u = Undef : u32
%fl = Undef : f32
%a = Undef : %A
%b = Undef : %B
%e = Undef : %IFoo
%t = Undef : %This
%w = Undef : %WT
%wx = Undef : %WTB
%c = Undef : %F
%cp = Undef : fn(ptr<Function, u32>) -> u32
%ty = Undef : %Type
%tag_s = Undef : %TagS
%tag_x = Undef : %TagX
%tag_made = Undef : %TagMade
%tag_any = Undef : %TagAny
%el_s = Undef : %ElS
%el_made = Undef : %ElMade
%el_any = Undef : %ElAny
%el_types = Undef : %ElTypes
%pay = Undef : %U
%tu = Undef : %TU
LINE

func @f(%v: u32) -> u32 {
  return %v
}

func @generic(%W: %WT, %v: u32) -> u32 {
  return %v
}

func @two(%W: %WT, %X: %WT, %v: u32) -> u32 {
  return %v
}

func @main(%priv: ptr<Private, u32>) -> void {
  STATEMENT
  return
}
"""

BOUND = "the result's type is not that of the callable without what is bound"
OTHER = "is of another type than the requirement's"


def said(line: str, statement: str) -> list[str]:
    faults = verify(parse(FRAME.replace("LINE", line).replace("STATEMENT", statement)))
    assert all(fault.code == "RK0430" for fault in faults), faults
    return [fault.message.rpartition("`: ")[2] for fault in faults]


LINES = [
    ("TypeWitnessTable %IFoo", ""),
    ("TypeWitnessTable %A", "it is of no interface"),
    ("TypeThis %A", "it is of no interface"),
    ('Requirement "r" : %IFoo', ""),
    ('Requirement "r" : %A', "it is of no interface"),
    ("TypeAssociated %foo", ""),
    ("TypeAssociated %A", "it is of no requirement"),
    ("WitnessTable %A 7 : %WT", ""),
    ("WitnessTable %A 7 : %IFoo", "its type is not that of witness tables"),
    ("WitnessTable %A 7 %A, @f : %WT", "operand 3 is no requirement"),
    ("WitnessTable %A 7 %bar, @f : %WT", "operand 3 is a requirement of another interface"),
    ("WitnessTable %A 7 %foo, @f, %bar, @f : %WT", "operand 5 is a requirement of another interface"),
    ("WitnessTable %A 7 %foo, @f, %u, @f : %WT", "operand 5 is no requirement"),
    ("WitnessTable %A 7 %foo, %u : %WT", "operand 4 is no function, no witness table and no type"),
    ("WitnessTable %A 7 %foo, %B : %WT", ""),
    ("WitnessTable %A 7 %foo, %WB : %WT", ""),
    ("WitnessTableSet %WA : %WT", ""),
    ("WitnessTableSet : %WT", ""),
    ("WitnessTableSet %WA, %WA : %WT", "an element is there twice"),
    ("WitnessTableSet %WA, %WX : %WT", "operand 2 is no witness table of the set's interface"),
    ("WitnessTableSet %A : %WT", "operand 1 is no witness table of the set's interface"),
    ("TypeSetTag %Types", ""),
    ("TypeSetTag %A", "operand 1 is no set"),
    ("TypeElementOfSet %A", "operand 1 is no set"),
    ("TypeTaggedUnion %SX, %U", ""),
    ("TypeTaggedUnion %Made, %U", "operand 1 is no set of witness tables"),
    ("WitnessNone : %WT", ""),
    ("WitnessNone : %F", ""),
    ("WitnessUnbounded : %Type", ""),
    ("WitnessUninitialized : %A", "it stands for nothing in a set"),
    ("TypeSet %A : %Type", ""),
    ("TypeSet %A : %WT", "its type is not that of types"),
    ("TypeSet %A, %u : %Type", "operand 2 is no type"),
    ("TypeSet %A, %A : %Type", "an element is there twice"),
    ("WitnessNone : %Type\n%y = TypeSet %A, %x : %Type", ""),
    ("WitnessNone : %WT\n%y = TypeSet %A, %x : %Type", "operand 2 is no type"),
    ("FuncSet : %F", ""),
    ("FuncSet %made_a : %WT", "its type is not that of a callable"),
    ("FuncSet %any : %G", "it takes witness tables first"),
    ("GenericSet %made_a : %F", "it takes no witness table first"),
    ("FuncSet %WA : %F", "operand 1 is no callable of the module"),
    ("FuncSet %made_a, %any : %F", "operand 2 is not of the set's type"),
    ("FuncSet %made_a, %made_a : %F", "an element is there twice"),
    ("WitnessUninitialized : %F\n%y = FuncSet %made_a, %x : %F", ""),
    ("WitnessNone : %F\n%y = FuncSet %made_a, %x : %F", "operand 2 is no callable of the module"),
    ("Specialize @generic, %WA : %F", ""),
    ("Specialize %made_a : %F", ""),
    ("Specialize @generic, %WA : %A", "the result can't be called"),
    ("Specialize %WA : %F", "operand 1 can't be called"),
    ("Specialize @generic, %A : %F", "operand 2 is no witness table of the module"),
    ("Specialize @two, %WA, %A : %F", "operand 3 is no witness table of the module"),
    ("LookupWitness %WB, %foo : %F", ""),
    ("LookupWitness %A, %foo : %F", "operand 1 is no witness table"),
    ("LookupWitness %WA, %bar : %F", "operand 2 is no requirement of the witness table's interface"),
    ("LookupWitness %WA, %A : %F", "operand 2 is no requirement of the witness table's interface"),
    ("LookupWitness %WA, %foo : %A", "the result is no function, no witness table and no type"),
]


@pytest.mark.parametrize(("line", "fault"), LINES)
def test_among_types_and_tables(line: str, fault: str) -> None:
    assert said(f"%x = {line}", "") == ([fault] if fault else [])


STATEMENTS = [
    ("MakeExistential %a, %WA : %IFoo", ""),
    ("MakeExistential %t, %WA : %IFoo", ""),
    ("MakeExistential %b, %w : %IFoo", ""),
    ("MakeExistential %a, %WA : %A", "the result is of no interface"),
    ("MakeExistential %a, %a : %IFoo", "operand 2 is no witness table"),
    ("MakeExistential %a, %WX : %IFoo", "operand 2 is a witness table of another interface"),
    ("MakeExistential %A, %WA : %IFoo", "operand 1 has no type"),
    ("MakeExistential %b, %WA : %IFoo", "operand 1 is not of the type that the witness table is for"),
    ("ExistentialNone : %IFoo", ""),
    ("ExistentialNone : %A", "the result is of no interface"),
    ("CreateExistentialObject %u, %a : %IFoo", ""),
    ("CreateExistentialObject %u, %a : %A", "the result is of no interface"),
    ("ExtractExistentialWitnessTable %e : %WT", ""),
    ("ExtractExistentialWitnessTable %e : %WTB", "the result is not of the type of the interface's witness tables"),
    ("ExtractExistentialWitnessTable %e : u32", "the result is not of the type of the interface's witness tables"),
    ("ExtractExistentialWitnessTable %a : %WT", "operand 1 is no existential"),
    ("ExtractExistentialType %e : %Type", ""),
    ("ExtractExistentialType %e : %WT", "the result is no type"),
    ("ExtractExistentialValue %e : %This", ""),
    ("IsType %e, %WB : bool", ""),
    ("IsType %e, %w : bool", ""),
    ("IsType %e, %WB : u32", "the result is no bool"),
    ("IsType %e, %WX : bool", "operand 2 is no witness table of the interface"),
    ("IsType %e, %a : bool", "operand 2 is no witness table of the interface"),
    ("ExistentialHasValue %e : bool", ""),
    ("ExistentialHasValue %e : u32", "the result is no bool"),
    ("ExistentialHasValue %u : bool", "operand 1 is no existential"),
    ("LookupWitness %w, %foo : %F", ""),
    ("LookupWitness %w, %own : %Type", ""),
    ("LookupWitness %w, %inner : %WTB", ""),
    ("LookupWitness %w, %bar : %F", "operand 2 is no requirement of the witness table's interface"),
    ("LookupWitness %w, %foo : u32", "the result is no function, no witness table and no type"),
    ("LookupWitness %u, %foo : %F", "operand 1 is no witness table"),
    ("Specialize @generic, %w : %F", ""),
    ("Specialize @generic : %G", ""),
    ("Specialize @two, %w : %G", ""),
    ("Specialize @two, %w, %w : %F", ""),
    ("Specialize @two, %w, %w : %G", BOUND),
    ("Specialize @two, %w : %F", BOUND),
    ("Specialize %u, %w : %F", "operand 1 can't be called"),
    ("Specialize @generic, %u : %F", "operand 2 is no witness table"),
    ("Specialize @generic, %wx : %F", "operand 2 is not of its parameter's type"),
    ("Specialize @two, %w, %wx : %F", "operand 3 is not of its parameter's type"),
    ("Specialize @f, %w, %w : %F", "operand 2 is not of its parameter's type"),
    ("Specialize @generic, %w : u32", "the result can't be called"),
    ("CallDynamic %c, %u : u32", ""),
    ("CallDynamic @f, %u : u32", ""),
    ("CallDynamic %cp, %priv : u32", ""),
    ("CallDynamic %cp, %u : u32", "argument 1 is not of its parameter's type"),
    ("CallDynamic %c, %priv : u32", "argument 1 is not of its parameter's type"),
    ("CallDynamic %c, %fl : u32", "argument 1 is not of its parameter's type"),
    ("CallDynamic %c, u32 : u32", "argument 1 or its parameter has no type"),
    ("CallDynamic @generic, %w, %fl : u32", "argument 2 is not of its parameter's type"),
    ("CallDynamic %c : u32", "0 arguments for 1 parameters"),
    ("CallDynamic %c, %u, %u : u32", "2 arguments for 1 parameters"),
    ("CallDynamic %c, %u : f32", "the result is not of the callable's result type"),
    ("CallDynamic %u, %u : u32", "operand 1 can't be called"),
    ("GetSequentialId %w : u32", ""),
    ("GetSequentialId %u : u32", "operand 1 is no witness table"),
    ("MakeTaggedUnion %tag_s, %pay : %TU", ""),
    ("MakeTaggedUnion %tag_s, %pay : u32", "the result is no tagged union"),
    ("MakeTaggedUnion %tag_x, %pay : %TU", "operand 1 is no tag of the union's set"),
    ("MakeTaggedUnion %u, %pay : %TU", "operand 1 is no tag of the union's set"),
    ("MakeTaggedUnion %tag_s, %u : %TU", "operand 2 is not of the union's payload type"),
    ("GetTagFromTaggedUnion %tu : %TagS", ""),
    ("GetTagFromTaggedUnion %tu : %TagX", "the result is no tag of the union's set"),
    ("GetTagFromTaggedUnion %tu : u32", "the result is no tag of the union's set"),
    ("GetTagFromTaggedUnion %u : %TagS", "operand 1 is no tagged union"),
    ("GetValueFromTaggedUnion %tu : %U", ""),
    ("GetValueFromTaggedUnion %tu : %A", "the result is not of the union's payload type"),
    ("GetTagOfElementInSet %WA : %TagS", ""),
    ("GetTagOfElementInSet %WX : %TagS", "the element is not in the tag's set"),
    ("GetTagOfElementInSet %WA : u32", "the result is no tag"),
    ("TagIsElement %tag_s, %WA : bool", ""),
    ("TagIsElement %tag_s, %WX : bool", "the element is not in the tag's set"),
    ("TagIsElement %u, %WA : bool", "operand 1 is no tag"),
    ("GetTagForSuperSet %tag_s : %TagS", ""),
    ("GetTagForSuperSet %tag_s : %TagX", "the tags are of sets of different things"),
    ("GetTagForSuperSet %u : %TagS", "operand 1 is no tag"),
    ("GetTagForSubSet %tag_s : u32", "the result is no tag"),
    ("GetTagForMappedSet %tag_s, %foo : %TagMade", ""),
    ("GetTagForMappedSet %tag_s, %bar : %TagMade", "operand 2 is no requirement of the interface of the tag's tables"),
    ("GetTagForMappedSet %tag_s, %u : %TagMade", "operand 2 is no requirement of the interface of the tag's tables"),
    ("GetTagFromSequentialId %u : %TagS", ""),
    ("GetTagFromSequentialId %u : u32", "the result is no tag"),
    ("GetSequentialIdFromTag %tag_s : u32", ""),
    ("GetSequentialIdFromTag %u : u32", "operand 1 is no tag"),
    # elements
    ("GetElementFromTag %tag_s : %ElS", ""),
    ("GetElementFromTag %tag_s : %ElMade", "the result is of another set than the tag"),
    ("GetElementFromTag %u : %ElS", "operand 1 is no tag"),
    ("LookupWitness %el_s, %foo : %ElMade", ""),
    ("LookupWitness %el_s, %foo : %F", "the result is of no set"),
    ("LookupWitness %el_s, %bar : %ElMade", "operand 2 is no requirement of the witness table's interface"),
    ("LookupWitness %el_s, %u : %ElMade", "operand 2 is no requirement of the witness table's interface"),
    ("LookupWitness %el_made, %foo : %ElMade", "operand 1 is no witness table"),
    ("GetSequentialId %el_s : u32", ""),
    ("GetSequentialId %el_s : f32", "the result is no integer"),
    ("GetSequentialId %el_made : u32", "operand 1 is no witness table"),
    ("GetTagOfElementInSet %el_s : %TagS", ""),
    ("GetTagOfElementInSet %el_s : %TagX", "the element is of another set"),
    ("GetTagOfElementInSet %el_made : %TagMade", ""),
    ("CallDynamic %el_made, %u : u32", ""),
    ("CallDynamic %el_made : u32", "0 arguments for 1 parameters"),
    ("CallDynamic %el_made, %u, %u : u32", "2 arguments for 1 parameters"),
    ("CallDynamic %el_s, %u : u32", "operand 1 can't be called"),
    ("CallDynamic %el_types, %u : u32", "operand 1 can't be called"),
    ("Specialize %el_any, %el_s : %ElMade", ""),
    ("Specialize %el_any, %el_s : %F", "the result can't be called"),
    ("Specialize %el_any, %el_s : %ElS", "the result can't be called"),
    ("Specialize %el_any, %u : %ElMade", "operand 2 is no witness table"),
    ("Specialize %el_any, %el_made : %ElMade", "operand 2 is no witness table"),
    ("Specialize %el_any, %el_s : %ElAny", BOUND),
    ("Specialize %el_s, %el_s : %ElMade", "operand 1 can't be called"),
    ("GetTagForSpecializedSet %tag_any, %tag_s : %TagMade", ""),
    ("GetTagForSpecializedSet %tag_any, %tag_s : %TagS", "the result is no tag of callables"),
    ("GetTagForSpecializedSet %tag_any, %tag_s : u32", "the result is no tag"),
    ("GetTagForSpecializedSet %u, %tag_s : %TagMade", "operand 1 is no tag"),
    ("GetTagForSpecializedSet %tag_s, %tag_s : %TagMade", "operand 1 is no tag of callables"),
    ("GetTagForSpecializedSet %tag_any, %tag_made : %TagMade", "operand 2 is no tag of witness tables"),
    ("GetTagForSpecializedSet %tag_any, %u : %TagMade", "operand 2 is no tag of witness tables"),
    ("GetTagForSpecializedSet %tag_any : %TagMade", BOUND),
    ("GetTagForGenericSet %tag_made : %TagAny", ""),
    ("GetTagForGenericSet %tag_made : %TagMade", ""),
    ("GetTagForGenericSet %tag_any : %TagMade", "the result takes fewer tables"),
    ("GetTagForGenericSet %tag_s : %TagMade", "operand 1 is no tag of callables"),
    ("GetTagOfBoundTable %tag_made 0 : %TagS", ""),
    ("GetTagOfBoundTable %tag_made 0 : %TagMade", "the result is no tag of witness tables"),
    ("GetTypeTagFromTaggedUnion %tu : %TagTypes", ""),
    ("GetTypeTagFromTaggedUnion %tu : %TagS", "the result is no tag of a set of types"),
    ("GetTypeTagFromTaggedUnion %tu : u32", "the result is no tag of a set of types"),
    ("GetTypeTagFromTaggedUnion %u : %TagTypes", "operand 1 is no tagged union"),
    ("IsSameType %el_types, %A : bool", ""),
    ("IsSameType %ty, %el_types : bool", ""),
    ("IsSameType %u, %A : bool", "operand 1 is no type"),
    ("IsSameType %A, %u : bool", "operand 2 is no type"),
    ("IsSameType %el_s, %A : bool", "operand 1 is no type"),
    ("IsSameType %ty, %A : u32", "the result is no bool"),
]


@pytest.mark.parametrize(("statement", "fault"), STATEMENTS)
def test_of_one_statement(statement: str, fault: str) -> None:
    assert said("", f"%x = {statement}") == ([fault] if fault else [])


@pytest.mark.parametrize(
    ("lookup", "both"),
    [
        ("%foo : %WT", 'for "foo" it has no witness table of what is asked for'),
        ("%foo : %Type", 'for "foo" it has no type, and one is asked for'),
        ("%own : %F", 'for "own" it has no function, and one is called'),
        ("%inner : %WT", 'for "inner" it has no witness table of what is asked for'),
        ("%inner : %Type", 'for "inner" it has no type, and one is asked for'),
        ("%foo : fn(u32, u32) -> u32", 'for "foo" it has a function of 1 parameters, which is called with 2'),
        ("%foo : fn() -> u32", 'for "foo" it has a function of 1 parameters, which is called with 0'),
        ("%foo : fn(f32) -> u32", f'for "foo" it has a function whose parameter 1 {OTHER}'),
        ("%foo : fn(u32) -> f32", f'for "foo" it has a function whose result {OTHER}'),
        ("%foo : fn(u32) -> void", f'for "foo" it has a function whose result {OTHER}'),
        ("%foo : fn(%This) -> u32", ""),
    ],
)
def test_what_is_looked_up_and_what_the_tables_have(lookup: str, both: str) -> None:
    """Both tables have the same kind of entry."""
    assert said("", f"%x = LookupWitness %w, {lookup}") == ([both, both] if both else [])


def test_a_table_may_lack_an_entry() -> None:
    assert said('%more = Requirement "more" : %IFoo', "%x = LookupWitness %w, %more : %F") == []


def test_a_lookup_among_the_tables_asks_for_nothing() -> None:
    assert said("%x = LookupWitness %WA, %foo : fn(u32, u32) -> u32", "") == []
