"""Programs with dynamic dispatch, and what each lane must store, worked out by hand from their text.

Two types conform to IFoo: A { u32 a } with foo(v) = a + v, and B { u32 x, y } with foo(v) = y + v. Each program has a
`main` over 64 lanes that stores into `out[lane]`. `expected(lane, size)` gives the word for a subgroup size.
"""

from collections.abc import Callable

from kit.text.preludes import compute, listing

HEAD = (
    compute(64, lane="lane_in")
    + """%IFoo = TypeInterface "IFoo" 0
%WT = TypeWitnessTable %IFoo
%This = TypeThis %IFoo
%foo = Requirement "foo" : %IFoo
%A = TypeStruct u32
%B = TypeStruct u32, u32
"""
)

TABLES = """%WA = WitnessTable %A 0 %foo, @A_foo : %WT
%WB = WitnessTable %B 1 %foo, @B_foo : %WT
"""

METHODS = """
func @A_foo(%this: %A, %v: u32) -> u32 {
  %a = CompositeExtract %this 0 : u32
  %r = IAdd %a, %v : u32
  return %r
}

func @B_foo(%this: %B, %v: u32) -> u32 {
  %y = CompositeExtract %this 1 : u32
  %r = IAdd %y, %v : u32
  return %r
}
"""

MAIN = """
func @main() -> void {
  %lane = Load %lane_in : u32
  %bit = BitwiseAnd %lane, 1u : u32
  %odd = IEqual %bit, 1u : bool
  %at = AccessChain %out, 0u, %lane : ptr<StorageBuffer, u32>
"""


def main_with(variables: str) -> str:
    """MAIN with variables, which stand first in a function."""
    return MAIN.replace("{\n", "{\n" + variables, 1)


# %e is A { lane } in odd lanes and B { lane, 1000 } in even ones.
CHOOSE = """  if %odd {
  %l1:
    %a = CompositeConstruct %lane : %A
    %ea = MakeExistential %a, %WA : %IFoo
  } else {
  %l2:
    %b = CompositeConstruct %lane, 1000u : %B
    %eb = MakeExistential %b, %WB : %IFoo
  }
  %e = Phi %ea %l1, %eb %l2 : %IFoo
"""


def call(existential: str, value: str, result: str, key: str = "foo") -> str:
    """The five lines of a call of a method of IFoo."""
    return f"""  %w_{result} = ExtractExistentialWitnessTable {existential} : %WT
  %f_{result} = LookupWitness %w_{result}, %{key} : fn(%This, u32) -> u32
  %x_{result} = ExtractExistentialValue {existential} : %This
  %{result} = CallDynamic %f_{result}, %x_{result}, {value} : u32
"""


END = """  Store %at, %r
  return
}
"""


# The bits of the lanes of a subgroup that have the same oddness as `lane`, within the ballot's first word.
def mates(lane: int, size: int) -> int:
    base = lane - lane % size
    return sum([1 << (other - base) for other in range(base, base + min(size, 32)) if (other ^ lane) & 1 == 0])


Expected = Callable[[int, int], int]


def _phi(lane: int, size: int) -> int:
    return lane + 100 if lane & 1 else 1100


PROGRAMS: dict[str, tuple[str, Expected]] = {}


def add(name: str, text: str, expected: Expected) -> None:
    PROGRAMS[name] = (text, expected)


add("phi", HEAD + TABLES + METHODS + MAIN + CHOOSE + call("%e", "100u", "r") + END, _phi)

# One method has a ballot: only the lanes of its type are in its tangle.
add(
    "ballot",
    HEAD + TABLES + METHODS.replace(
        "  %r = IAdd %y, %v : u32\n",
        "  %m = GroupNonUniformBallot Subgroup true : vec4<u32>\n  %m0 = CompositeExtract %m 0 : u32\n"
        "  %r = IAdd %y, %m0 : u32\n",
    ) + MAIN + CHOOSE + call("%e", "100u", "r") + END,
    lambda lane, size: lane + 100 if lane & 1 else (1000 + mates(lane, size)) & 0xFFFFFFFF,
)  # fmt: skip

# Both tables have the same function: they are parted all the same, for the call goes by the table.
add(
    "shared-function",
    HEAD
    + """%WA = WitnessTable %A 0 %foo, @same : %WT
%C = TypeStruct u32
%WC = WitnessTable %A 1 %foo, @same : %WT

func @same(%this: %A, %v: u32) -> u32 {
  %m = GroupNonUniformBallot Subgroup true : vec4<u32>
  %m0 = CompositeExtract %m 0 : u32
  return %m0
}
"""
    + MAIN
    + """  %a = CompositeConstruct %lane : %A
  if %odd {
  %l1:
    %ea = MakeExistential %a, %WA : %IFoo
  } else {
  %l2:
    %ec = MakeExistential %a, %WC : %IFoo
  }
  %e = Phi %ea %l1, %ec %l2 : %IFoo
"""
    + call("%e", "0u", "r")
    + END,
    lambda lane, size: mates(lane, size),
)

# A generic function called with what an existential holds is one body that all types run together.
add(
    "generic",
    HEAD
    + TABLES
    + METHODS
    + """
func @twice(%W: %WT, %t: %This, %v: u32) -> u32 {
  %m = GroupNonUniformBallot Subgroup true : vec4<u32>
  %m0 = CompositeExtract %m 0 : u32
  %f = LookupWitness %W, %foo : fn(%This, u32) -> u32
  %r1 = CallDynamic %f, %t, %v : u32
  %r2 = CallDynamic %f, %t, %r1 : u32
  %r = IAdd %r2, %m0 : u32
  return %r
}
"""
    + MAIN
    + CHOOSE
    + """  %w = ExtractExistentialWitnessTable %e : %WT
  %x = ExtractExistentialValue %e : %This
  %g = Specialize @twice, %w : fn(%This, u32) -> u32
  %r = CallDynamic %g, %x, 5u : u32
"""
    + END,
    lambda lane, size: (2 * (lane if lane & 1 else 1000) + 5 + ((1 << min(size, 32)) - 1)) & 0xFFFFFFFF,
)

# A mutating method: the object is in a variable, and so is an inout parameter that its type decides about.
add(
    "mutating",
    HEAD
    + """%bump = Requirement "bump" : %IFoo
%WA = WitnessTable %A 0 %foo, @A_foo, %bump, @A_bump : %WT
%WB = WitnessTable %B 1 %foo, @B_foo, %bump, @B_bump : %WT
"""
    + METHODS
    + """
func @A_bump(%this: ptr<Function, %A>, %n: ptr<Function, u32>) -> void {
  %p = AccessChain %this, 0u : ptr<Function, u32>
  %old = Load %p : u32
  %by = Load %n : u32
  %new = IAdd %old, %by : u32
  Store %p, %new
  Store %n, 1u
  return
}

func @B_bump(%this: ptr<Function, %B>, %n: ptr<Function, u32>) -> void {
  %p = AccessChain %this, 1u : ptr<Function, u32>
  %by = Load %n : u32
  Store %p, %by
  Store %n, 2u
  return
}
"""
    + main_with("""  %place = Variable Function : ptr<Function, %This>
  %n = Variable Function : ptr<Function, u32>
""")
    + CHOOSE
    + """  %w = ExtractExistentialWitnessTable %e : %WT
  %x = ExtractExistentialValue %e : %This
  Store %place, %x
  Store %n, 50u
  %g = LookupWitness %w, %bump : fn(ptr<Function, %This>, ptr<Function, u32>) -> void
  %none = CallDynamic %g, %place, %n : void
  %y = Load %place : %This
  %e2 = MakeExistential %y, %w : %IFoo
  %k = Load %n : u32
"""
    + call("%e2", "%k", "r")
    + END,
    lambda lane, size: lane + 50 + 1 if lane & 1 else 50 + 2,
)

# Existentials in a variable, an array and a struct of one.
add(
    "in-memory",
    HEAD
    + """%two = TypeArray %IFoo, 2u
%Holder = TypeStruct %IFoo, u32
"""
    + TABLES
    + METHODS
    + main_with("""  %many = Variable Function : ptr<Function, %two>
  %one = Variable Function : ptr<Function, %IFoo>
  %held = Variable Function : ptr<Function, %Holder>
""")
    + """  %a = CompositeConstruct %lane : %A
  %ea = MakeExistential %a, %WA : %IFoo
  %b = CompositeConstruct %lane, 1000u : %B
  %eb = MakeExistential %b, %WB : %IFoo
  %p0 = AccessChain %many, 0u : ptr<Function, %IFoo>
  %p1 = AccessChain %many, 1u : ptr<Function, %IFoo>
  Store %p0, %eb
  Store %p1, %ea
  %pn = AccessChain %many, %bit : ptr<Function, %IFoo>
  %e1 = Load %pn : %IFoo
  Store %one, %e1
  %e2 = Load %one : %IFoo
  %h = CompositeConstruct %e2, 7u : %Holder
  Store %held, %h
  %h2 = Load %held : %Holder
  %e = CompositeExtract %h2 0 : %IFoo
"""
    + call("%e", "100u", "r")
    + END,
    _phi,
)

# Buffers: what is stored is read back through the public layout.
add(
    "buffer",
    listing(HEAD, "objects").replace(
        "%words = Type",
        """Decorate %list ArrayStride 24
MemberDecorate %public 0 Offset 0
Decorate %public Block
Decorate %objects DescriptorSet 0
Decorate %objects Binding 1
%words = Type""",
    )
    + """%list = TypeRuntimeArray %IFoo
%public = TypeStruct %list
%objects = Variable StorageBuffer : ptr<StorageBuffer, %public>
"""
    + TABLES
    + METHODS
    + MAIN
    + CHOOSE
    + """  %p = AccessChain %objects, 0u, %lane : ptr<StorageBuffer, %IFoo>
  Store %p, %e
  %e2 = Load %p : %IFoo
"""
    + call("%e2", "100u", "r")
    + END,
    _phi,
)

# Optional: none in every fourth lane; A is told apart from B.
add(
    "optional",
    HEAD
    + TABLES
    + METHODS
    + MAIN
    + """  %low = BitwiseAnd %lane, 3u : u32
  %third = IEqual %low, 2u : bool
  %b = CompositeConstruct %lane, 1000u : %B
  %eb = MakeExistential %b, %WB : %IFoo
  %a = CompositeConstruct %lane : %A
  %ea = MakeExistential %a, %WA : %IFoo
  %no = ExistentialNone : %IFoo
  %e1 = Select %odd, %ea, %eb : %IFoo
  %e = Select %third, %no, %e1 : %IFoo
  %has = ExistentialHasValue %e : bool
  if %has {
    %is = IsType %e, %WA : bool
    if %is {
    %l3:
      %xa = ExtractExistentialValue %e : %A
      %ra = CompositeExtract %xa 0 : u32
    } else {
"""
    + call("%e", "3u", "rb").replace("  %", "      %")
    + """    %l4:
    }
    %rc = Phi %ra %l3, %rb %l4 : u32
  %l5:
  } else {
  %l6:
  }
  %r = Phi %rc %l5, 77u %l6 : u32
"""
    + END,
    lambda lane, size: lane if lane & 1 else 77 if lane % 4 == 2 else 1003,
)

# Made from an id that comes from outside; asked for its id again.
add(
    "created",
    HEAD
    + TABLES
    + METHODS
    + MAIN
    + """  %pair = CompositeConstruct %lane, 40u : %B
  %e = CreateExistentialObject %bit, %pair : %IFoo
  %w = ExtractExistentialWitnessTable %e : %WT
  %id = GetSequentialId %w : u32
  %ten = IMul %id, 10000u : u32
"""
    + call("%e", "%ten", "r")
    + END,
    lambda lane, size: 40 + 10000 if lane & 1 else lane,
)

# An associated type: IFoo.make gives some D, and IBase of it is found through IFoo's table.
add(
    "associated",
    HEAD
    + """%IBase = TypeInterface "IBase" 0
%WTBase = TypeWitnessTable %IBase
%val = Requirement "val" : %IBase
%D = Requirement "D" : %IFoo
%DBase = Requirement "D: IBase" : %IFoo
%make = Requirement "make" : %IFoo
%Assoc = TypeAssociated %D
%DA = TypeStruct u32
%DB = TypeStruct u32, u32, u32
%WDA = WitnessTable %DA 0 %val, @DA_val : %WTBase
%WDB = WitnessTable %DB 1 %val, @DB_val : %WTBase
%WA = WitnessTable %A 0 %foo, @A_foo, %D, %DA, %DBase, %WDA, %make, @A_make : %WT
%WB = WitnessTable %B 1 %foo, @B_foo, %D, %DB, %DBase, %WDB, %make, @B_make : %WT
"""
    + METHODS
    + """
func @DA_val(%this: %DA) -> u32 {
  %r = CompositeExtract %this 0 : u32
  return %r
}

func @DB_val(%this: %DB) -> u32 {
  %r = CompositeExtract %this 2 : u32
  return %r
}

func @A_make(%this: %A) -> %DA {
  %a = CompositeExtract %this 0 : u32
  %r = CompositeConstruct %a : %DA
  return %r
}

func @B_make(%this: %B) -> %DB {
  %x = CompositeExtract %this 0 : u32
  %y = CompositeExtract %this 1 : u32
  %s = IAdd %x, %y : u32
  %r = CompositeConstruct %x, %y, %s : %DB
  return %r
}
"""
    + MAIN
    + CHOOSE
    + """  %w = ExtractExistentialWitnessTable %e : %WT
  %x = ExtractExistentialValue %e : %This
  %m = LookupWitness %w, %make : fn(%This) -> %Assoc
  %d = CallDynamic %m, %x : %Assoc
  %wd = LookupWitness %w, %DBase : %WTBase
  %v = LookupWitness %wd, %val : fn(%Assoc) -> u32
  %r = CallDynamic %v, %d : u32
"""
    + END,
    lambda lane, size: lane if lane & 1 else lane + 1000,
)

# Helpers: one context sees both types, one only B; the existential comes back out of one.
add(
    "contexts",
    HEAD
    + TABLES
    + METHODS
    + """
func @run(%obj: %IFoo, %v: u32) -> u32 {
"""
    + call("%obj", "%v", "r")
    + """  return %r
}

func @pass(%obj: %IFoo) -> %IFoo {
  return %obj
}

func @choose(%first: bool, %x: %IFoo, %y: %IFoo, %to: ptr<Function, %IFoo>) -> void {
  %e = Select %first, %x, %y : %IFoo
  Store %to, %e
  return
}
"""
    + main_with("  %to = Variable Function : ptr<Function, %IFoo>\n")
    + CHOOSE
    + """  %b2 = CompositeConstruct 1u, 2u : %B
  %eb2 = MakeExistential %b2, %WB : %IFoo
  %r1 = FunctionCall @run %e, 100u : u32
  %r2 = FunctionCall @run %eb2, 5u : u32
  %e3 = FunctionCall @pass %e : %IFoo
  %r3 = FunctionCall @run %e3, 0u : u32
  %no = FunctionCall @choose %odd, %e, %eb2, %to : void
  %e4 = Load %to : %IFoo
  %r4 = FunctionCall @run %e4, 1u : u32
  %s1 = IAdd %r1, %r2 : u32
  %s2 = IAdd %s1, %r3 : u32
  %r = IAdd %s2, %r4 : u32
"""
    + END,
    lambda lane, size: (lane + 100 + 7 + lane + lane + 1) if lane & 1 else (1100 + 7 + 1000 + 3),
)

# A type that holds an existential of another interface: boxed, passed by value to a method, and taken out again.
add(
    "nested",
    HEAD
    + """%IBar = TypeInterface "IBar" 0
%WTBar = TypeWitnessTable %IBar
%ThisBar = TypeThis %IBar
%bar = Requirement "bar" : %IBar
%C = TypeStruct u32
%D = TypeStruct u32, u32, u32
%H = TypeStruct u32, %IBar
%WC = WitnessTable %C 0 %bar, @C_bar : %WTBar
%WD = WitnessTable %D 1 %bar, @D_bar : %WTBar
%WH = WitnessTable %H 2 %foo, @D_H_foo : %WT
"""
    + TABLES
    + METHODS
    + """
func @C_bar(%this: %C) -> u32 {
  %r = CompositeExtract %this 0 : u32
  return %r
}

func @D_bar(%this: %D) -> u32 {
  %r = CompositeExtract %this 2 : u32
  return %r
}

func @D_H_foo(%this: %H, %v: u32) -> u32 {
  %n = CompositeExtract %this 0 : u32
  %i = CompositeExtract %this 1 : %IBar
  %w = ExtractExistentialWitnessTable %i : %WTBar
  %f = LookupWitness %w, %bar : fn(%ThisBar) -> u32
  %x = ExtractExistentialValue %i : %ThisBar
  %s = CallDynamic %f, %x : u32
  %t = IAdd %s, %n : u32
  %r = IAdd %t, %v : u32
  return %r
}
"""
    + MAIN
    + """  %b2 = BitwiseAnd %lane, 2u : u32
  %second = IEqual %b2, 2u : bool
  %c = CompositeConstruct 50u : %C
  %ec = MakeExistential %c, %WC : %IBar
  %d = CompositeConstruct 1u, 2u, 60u : %D
  %ed = MakeExistential %d, %WD : %IBar
  %inner = Select %second, %ec, %ed : %IBar
  %h = CompositeConstruct %lane, %inner : %H
  %eh = MakeExistential %h, %WH : %IFoo
  %a0 = CompositeConstruct %lane : %A
  %ea0 = MakeExistential %a0, %WA : %IFoo
  %e = Select %odd, %ea0, %eh : %IFoo
"""
    + call("%e", "100u", "r")
    + END,
    lambda lane, size: lane + 100 if lane & 1 else lane + 100 + (50 if lane & 2 else 60),
)

# Objects are put into structs, copied from place to place, one of the module among them, and compared by type: both
# objects are an A, or both a B, where bits 0 and 1 of the lane are the same. The second chooses a case by its id, too.
add(
    "moved-and-compared",
    HEAD.replace("%lane_in\n", "%lane_in, %cell\n", 1) + "%cell = Variable Private : ptr<Private, %IFoo>\n"
    + "%Both = TypeStruct %IFoo, u32\n" + TABLES + METHODS
    + main_with(
        "  %p = Variable Function : ptr<Function, %IFoo>\n  %q = Variable Function : ptr<Function, %IFoo>\n"
    )
    + CHOOSE
    + """  Store %p, %e
  CopyMemory %cell, %p
  CopyMemory %q, %cell
  %e0 = Load %q : %IFoo
  %e1 = CopyObject %e0 : %IFoo
  %two = BitwiseAnd %lane, 2u : u32
  %is2 = IEqual %two, 2u : bool
  %c = CompositeConstruct 7u : %A
  %ec = MakeExistential %c, %WA : %IFoo
  %d = CompositeConstruct 8u, 9u : %B
  %ed = MakeExistential %d, %WB : %IFoo
  %other = Select %is2, %ec, %ed : %IFoo
  %table = ExtractExistentialWitnessTable %other : %WT
  %same = IsType %e1, %table : bool
  %id = GetSequentialId %table : u32
  switch %id {
    case 0: {
    %is_a:
    }
    default: {
    %is_b:
    }
  }
  %third = Phi 3000000u %is_a, 4000000u %is_b : u32
  %n1 = Select %same, 1u, 2u : u32
  %w1 = CompositeConstruct %e1, %n1 : %Both
  %w2 = CompositeInsert %other, %w1 0 : %Both
  %n = CompositeExtract %w2 1 : u32
  %x1 = CompositeExtract %w1 0 : %IFoo
  %x2 = CompositeExtract %w2 0 : %IFoo
"""
    + call("%x1", "100u", "r1") + call("%x2", "10000u", "r2")
    + "  %r3 = IAdd %r1, %r2 : u32\n  %r4 = IAdd %r3, %third : u32\n  %r = IAdd %r4, %n : u32\n" + END,
    lambda lane, size: (
        _phi(lane, size) + (3010007 if lane & 2 else 4010009) + (1 if lane & 1 == lane >> 1 & 1 else 2)
    ),
)  # fmt: skip

# What make gives is of the type's own T, a word in A and a struct in B, and value takes it.
add(
    "associated",
    HEAD
    + """%T = Requirement "T" : %IFoo
%Own = TypeAssociated %T
%make = Requirement "make" : %IFoo
%value = Requirement "value" : %IFoo
%WA = WitnessTable %A 0 %foo, @A_foo, %T, u32, %make, @A_make, %value, @A_value : %WT
%WB = WitnessTable %B 1 %foo, @B_foo, %T, %A, %make, @B_make, %value, @B_value : %WT
"""
    + METHODS
    + """
func @A_make(%this: %A, %v: u32) -> u32 {
  %a = CompositeExtract %this 0 : u32
  %t = IAdd %a, %v : u32
  return %t
}

func @A_value(%this: %A, %t: u32, %by: u32) -> u32 {
  %r = IMul %t, %by : u32
  return %r
}

func @B_make(%this: %B, %v: u32) -> %A {
  %t = CompositeConstruct %v : %A
  return %t
}

func @B_value(%this: %B, %t: %A, %by: u32) -> u32 {
  %y = CompositeExtract %this 1 : u32
  %a = CompositeExtract %t 0 : u32
  %r = IAdd %y, %a : u32
  return %r
}
"""
    + MAIN
    + CHOOSE
    + """  %w = ExtractExistentialWitnessTable %e : %WT
  %x = ExtractExistentialValue %e : %This
  %f = LookupWitness %w, %make : fn(%This, u32) -> %Own
  %t = CallDynamic %f, %x, 7u : %Own
  %g = LookupWitness %w, %value : fn(%This, %Own, u32) -> u32
  %r = CallDynamic %g, %x, %t, 10u : u32
"""
    + END,
    lambda lane, size: 10 * (lane + 7) if lane & 1 else 1007,
)
