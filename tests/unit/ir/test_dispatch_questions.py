"""What callables, tables, sets and tagged unions answer: by hand from the pictures of ir/callables.py, ir/dispatch.py
and ir/dispatch_sets.py."""

from reknit.ir import op
from reknit.ir.any_value import any_layout, interfaces_in, part_count, stored_tables
from reknit.ir.callables import (
    bound_table,
    callable_set,
    constant_callable,
    element_constant,
    escapes,
    identity,
    is_direct,
    place_in,
    special,
    specialized,
    type_set,
    without_bound,
)
from reknit.ir.dispatch import (
    dynamic_callees,
    entries_of,
    entry_of,
    function_of_callable,
    has_dispatch,
    is_taken,
    key_of_callable,
    specialize_only,
    type_of_table,
)
from reknit.ir.dispatch_sets import elements_of, interface_of_union, member_for, stands_for, union_type
from reknit.ir.instr import Instr
from reknit.ir.module import Module
from reknit.ir.text.parser import parse
from reknit.ir.text.printer import print_instruction
from reknit.ir.walk import instructions

TEXT = """DecorateString %IFoo UserSemantic "Specialize"
DecorateString %IBar UserSemantic "Other"
DecorateString %A UserSemantic "Specialize"
%IFoo = TypeInterface "IFoo" 0
%IBar = TypeInterface "IBar" 8
%WT = TypeWitnessTable %IFoo
%WTB = TypeWitnessTable %IBar
%This = TypeThis %IFoo
%foo = Requirement "foo" : %IFoo
%bar = Requirement "bar" : %IFoo
%gen = Requirement "gen" : %IFoo
%A = TypeStruct u32
%B = TypeStruct u32
%F = TypeFunction u32, u32
%G = TypeFunction u32, %WT, u32
%WA = WitnessTable %A 0 %foo, @f, %bar, %A, %gen, @generic, %foo, @g : %WT
%WB = WitnessTable %B 4294967295 %foo, @f, %gen, @generic : %WT
%WC = WitnessTable %B 7 %foo, @g : %WT
%S = WitnessTableSet %WA, %WB : %WT
%none = WitnessNone : %WT
%never = WitnessUninitialized : %F
%SB = WitnessTableSet %none : %WTB
%S2 = WitnessTableSet %WA : %WT
%Type = TypeType
%foo_a = LookupWitness %WA, %foo : %F
%foo_b = LookupWitness %WB, %foo : %F
%gen_a = LookupWitness %WA, %gen : %G
%bar_a = LookupWitness %WA, %bar : %Type
%gen_ab = Specialize %gen_a, %WB : %F
%f = Specialize @f : %F
%both = Specialize @two, %WA, %WB : %F
%Set = FuncSet %foo_a, %gen_ab, %never : %F
%El = TypeElementOfSet %Set
%TagF = TypeSetTag %Set
%TagT = TypeSetTag %S
%U = TypeUntaggedUnion %A, %B
%TU = TypeTaggedUnion %S, %U
%TU2 = TypeTaggedUnion %S2, %U
%X = TypeStruct %IFoo, u32
%Y = TypeStruct %TU, u32
%Z = TypeStruct %IBar, u32
%P = TypeStruct u32, u32
%P2 = TypeStruct u32, u32
declare array<%X, 2>, array<%Y, 2>, array<%Y, 3>, array<%P>, u64

func @f(%v: u32) -> u32 {
  return %v
}

func @g(%v: u32) -> u32 {
  return %v
}

func @generic(%W: %WT, %v: u32) -> u32 {
  return %v
}

func @two(%W: %WT, %V: %WT, %v: u32) -> u32 {
  return %v
}

func @other(%v: u32, %u: u32) -> u32 {
  return %v
}

func @nothing(%v: u32) -> void {
  return
}

func @main(%w: %WT, %given: %F, %el: %El) -> void {
  %looked = LookupWitness %w, %foo : %F
  %g = LookupWitness %w, %gen : %G
  %bound = Specialize %g, %w : %F
  %own = Specialize @generic, %w : %F
  %r1 = CallDynamic %looked, 1u : u32
  %r2 = CallDynamic %bound, 1u : u32
  %r3 = CallDynamic %own, 1u : u32
  %r4 = CallDynamic %given, 1u : u32
  %r5 = CallDynamic %el, 1u : u32
  %taken = CopyObject @other : fn(u32, u32) -> u32
  %taken2 = CopyObject @nothing : fn(u32) -> void
  %passed = Specialize @generic, %w : %F
  %r6 = FunctionCall @caller, %passed : u32
  return
}

func @caller(%c: %F) -> u32 {
  %r7 = CallDynamic %c, 1u : u32
  return %r7
}
"""


class Named:
    def __init__(self) -> None:
        self.module: Module = parse(TEXT)
        self.functions = {function.name: function for function in self.module.functions}
        self.made: dict[str, Instr] = {instr.name: instr for instr in self.module.globals}
        for function in self.module.functions:
            for instr in [*function.params, *instructions(function)]:
                self.made[instr.name] = instr

    def __getitem__(self, name: str) -> Instr:
        return self.made[name]

    def plain(self, text: str) -> Instr:
        return next(instr for instr in self.module.globals if print_instruction(instr).endswith(text))


def test_callables() -> None:
    n = Named()
    f, generic, two = n.functions["f"], n.functions["generic"], n.functions["two"]
    assert constant_callable(n["foo_a"]) == (n["WA"], f, ())
    assert constant_callable(n["gen_ab"]) == (n["WA"], generic, (n["WB"],))
    assert constant_callable(n["both"]) == (None, two, (n["WA"], n["WB"]))
    assert constant_callable(n["bar_a"]) is None
    assert (is_direct(n["bound"]), is_direct(n["own"]), is_direct(n["given"])) == (True, True, False)
    assert [escapes(n[name]) for name in ("looked", "g", "own", "given", "passed")] == [False] * 4 + [True]
    assert (key_of_callable(n["bound"]), key_of_callable(n["own"]), key_of_callable(n["given"])) == (
        n["gen"],
        None,
        None,
    )
    assert (function_of_callable(n["own"]), function_of_callable(n["bound"])) == (generic, None)
    assert [is_taken(n.functions[name]) for name in ("f", "generic", "other", "caller", "main")] == [
        True,
        True,
        True,
        False,
        False,
    ]


def test_which_functions_a_call_may_come_to() -> None:
    n = Named()
    names = {
        name: [function.name for function in dynamic_callees(n.module, n[name])]
        for name in ("r1", "r2", "r3", "r4", "r5", "r7")
    }
    assert names == {
        "r1": ["f", "g"],  # what the tables have for foo, the first of each
        "r2": ["generic"],
        "r3": ["generic"],
        "r4": ["f", "g", "generic", "two"],  # tables may be bound to the last two
        "r5": ["f", "generic"],  # of the set
        "r7": ["f", "g", "generic", "two"],
    }


def test_tables() -> None:
    n = Named()
    assert entry_of(n["WA"], n["foo"]) is n.functions["f"]
    assert entry_of(n["WC"], n["gen"]) is None
    assert entries_of(n["WA"]) == {
        n["foo"]: n.functions["f"],
        n["bar"]: n["A"],
        n["gen"]: n.functions["generic"],
    }
    assert (type_of_table(n["WB"]), type_of_table(n["none"])) == (n["B"], op.WitnessNone)
    assert stored_tables([n["WA"], n["WB"], n["WC"]]) == [n["WA"], n["WC"]]  # WB has no number
    assert stored_tables([n["WB"]]) == [n["WB"]]
    assert list(specialize_only(n.module)) == [n["IFoo"]]
    assert has_dispatch(parse('%I = TypeInterface "I" 0\n')) and not has_dispatch(parse("declare u32\n"))


def test_identities() -> None:
    n = Named()
    f, generic = n.functions["f"], n.functions["generic"]
    assert identity(n["foo_a"]) == (n["WA"], f, ())
    assert identity(n["WA"]) is n["WA"]
    assert identity(n["never"]) == op.WitnessUninitialized
    assert identity(n["WA"], n["foo"]) == (n["WA"], f, ())
    assert identity(n["WA"], n["bar"]) is n["A"]
    assert identity(n["bar_a"]) is n["bar_a"]  # what is looked up is no function
    assert without_bound(n["gen_ab"]) == (n["WA"], generic, ())
    assert without_bound(n["never"]) == op.WitnessUninitialized
    assert (bound_table(n["gen_ab"], 0), bound_table(n["gen_ab"], 1)) == (n["WB"], (n["WA"], generic, (n["WB"],)))
    assert (bound_table(n["both"], 0), bound_table(n["both"], 1)) == (n["WA"], n["WB"])
    assert specialized(n["gen_a"], (n["WB"],)) == (n["WA"], generic, (n["WB"],))
    assert specialized(n["gen_a"], (n["WB"], n["none"])) == op.WitnessNone
    assert specialized(n["never"], (n["WB"],)) == op.WitnessUninitialized
    assert specialized(n["WA"], ()) is n["WA"]
    places: dict[object, int] = {n["WA"]: 0, op.WitnessUninitialized: 1}
    assert place_in(places, n["WA"]) == 0
    assert place_in(places, (None, f, ())) == 1  # a callable that the set lacks is never called
    assert place_in(places, n["WB"]) is None


def test_making_sets() -> None:
    n = Named()
    assert element_constant(n.module, n["F"], (n["WA"], n.functions["f"], ())) is n["foo_a"]
    assert element_constant(n.module, n["F"], (n["WA"], n.functions["generic"], (n["WB"],))) is n["gen_ab"]
    for name, tables in (("f", ()), ("two", (n["WA"], n["WB"]))):
        made = element_constant(n.module, n["F"], (None, n.functions[name], tables))
        assert (made.op, made.operands, made.type) == (op.Specialize, [n.functions[name], *tables], n["F"])
    count = len(n.module.globals)
    once = element_constant(n.module, n["F"], (n["WB"], n.functions["generic"], (n["WA"],)))
    lookup = once.instr(0)
    assert (lookup.op, lookup.operands, lookup.type) == (op.LookupWitness, [n["WB"], n["gen"]], n["G"])
    assert len(n.module.globals) == count + 2
    assert callable_set(n.module, n["F"], [n["foo_a"]]).op == op.FuncSet
    assert callable_set(n.module, n["G"], [n["gen_a"]]).op == op.GenericSet
    assert type_set(n.module, n["Type"], [n["A"]]).operands == [n["A"]]
    assert special(n.module, op.WitnessNone, n["WT"]) is n["none"]
    assert elements_of(n["S"]) == [n["WA"], n["WB"]]
    assert union_type(n.module, [n["A"], n["B"], n["A"]]) is n["U"]


def test_types_that_differ_in_their_existentials() -> None:
    n = Named()
    x2, y2, y3 = [instr for instr in n.module.globals if instr.op == op.TypeArray]
    same = [("A", "A"), ("IFoo", "TU"), ("TU", "TU2"), ("X", "Y"), ("TagF", "F"), ("F", "TagF")]
    other = [
        ("A", "B"),
        ("IFoo", "IBar"),
        ("TU", "IBar"),
        ("Z", "Y"),
        ("P", "P2"),
        ("P", "X"),
        ("TagT", "F"),
        ("U", "P"),
    ]
    for one, two in same:
        assert stands_for(n[one], n[two]) and stands_for(n[two], n[one]), (one, two)
    for one, two in other:
        assert not stands_for(n[one], n[two]) and not stands_for(n[two], n[one]), (one, two)
    assert stands_for(x2, y2) and not stands_for(x2, y3)
    assert interface_of_union(n["TU"]) is n["IFoo"]


def test_the_member_of_a_union() -> None:
    n = Named()
    union = union_type(n.module, [n["A"], n["Y"]])
    assert member_for(union, n["A"]) is n["A"]
    assert member_for(union, n["X"]) is n["Y"]
    assert member_for(union, n["P"]) is n["P"]  # it has none
    assert member_for(union, n["Y"]) is n["Y"]


def test_layouts_of_what_is_not_plain() -> None:
    n = Named()
    sizes = {n["IFoo"]: 12, n["IBar"]: 8}
    header = 16
    for name, offsets, size in (("X", [0, 28], 32), ("Y", [0, 28], 32), ("Z", [0, 24], 28), ("P", [0, 4], 8)):
        found = any_layout(n[name], sizes)
        assert ([field.offset for field in found.fields], found.size, found.align) == (offsets, size, 4), name
        assert (found.fault, found.words()) == (None, size // 4)
    assert any_layout(n["IFoo"], sizes).size == header + 12
    assert any_layout(n["WT"], sizes).fault is n["WT"]
    (run,) = [instr for instr in n.module.globals if instr.op == op.TypeRuntimeArray]
    assert any_layout(run, sizes).fault is run
    assert [part_count(type) for type in (n["P"], run, n["A"], n["IFoo"])] == [2, -1, 1, -1]
    assert interfaces_in(n["X"]) == [n["IFoo"]]
    assert interfaces_in(n["This"]) == [n["IFoo"]]
    assert interfaces_in(n["P"]) == []


def test_a_value_of_very_many_scalars_is_none() -> None:
    """65,536 are as many as can be; and what is at fault is the type that is too many."""
    for count, size in ((65536, 65536 * 4), (65537, 0)):
        module = parse(f"%big = TypeArray u32, {count}u\n")
        found = any_layout(module.globals[-1], {})
        assert (found.size, found.fault) == (size, None if size else module.globals[-1])
    module = parse("%s = TypeStruct u8, u16, u64\n%t = TypeArray %s, 2u\n")
    found = any_layout(module.globals[-1], {})
    assert [(field.path, field.offset, field.size) for field in found.fields] == [
        ((0, 0), 0, 1),
        ((0, 1), 2, 2),
        ((0, 2), 8, 8),
        ((1, 0), 16, 1),
        ((1, 1), 18, 2),
        ((1, 2), 24, 8),
    ]
    assert (found.size, found.align) == (32, 8)
