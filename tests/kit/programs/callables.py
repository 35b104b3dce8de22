"""Programs with functions and types as values, and what each lane must store, worked out by hand from their text.

Each has a `main` over 64 lanes that stores into `out[lane]`; `expected(lane, size)` gives the word for a subgroup size.
A ballot inside of what is called tells which lanes of the subgroup run it together, by its first word.
"""

from collections.abc import Callable

from kit.programs.dispatch import CHOOSE, END, HEAD, MAIN, METHODS, TABLES, main_with

Expected = Callable[[int, int], int]

PROGRAMS: dict[str, tuple[str, Expected]] = {}


def add(name: str, text: str, expected: Expected) -> None:
    PROGRAMS[name] = (text, expected)


def together(lane: int, size: int, way: Callable[[int], object]) -> int:
    """The first word of a ballot by the lanes of `lane`'s subgroup that go the same way."""
    base = lane - lane % size
    return sum([1 << (other - base) for other in range(base, base + min(size, 32)) if way(other) == way(lane)])


def odd(lane: int) -> object:
    return lane & 1


def four(lane: int) -> object:
    return lane & 3


BALLOT = "  %m = GroupNonUniformBallot Subgroup true : vec4<u32>\n  %m0 = CompositeExtract %m 0 : u32\n"


def method(name: str, type: str, extra: int) -> str:
    """func @name(%this: type, %v) -> ballot + v + extra"""
    return f"""
func @{name}(%this: {type}, %v: u32) -> u32 {{
{BALLOT}  %s = IAdd %m0, %v : u32
  %r = IAdd %s, {extra}u : u32
  return %r
}}
"""


def plain(name: str, extra: int) -> str:
    return f"""
func @{name}(%v: u32) -> u32 {{
{BALLOT}  %s = IAdd %m0, %v : u32
  %r = IAdd %s, {extra}u : u32
  return %r
}}
"""


# --- functions --------------------------------------------------------------------------------------------------------

# Odd lanes call @f, even ones @g: two tangles, as two arms of an if.
add(
    "phi",
    HEAD + plain("f", 100) + plain("g", 200) + MAIN
    + """  if %odd {
  %b1:
  } else {
  %b2:
  }
  %c = Phi @f %b1, @g %b2 : fn(u32) -> u32
  %r = CallDynamic %c, %lane : u32
"""
    + END,
    lambda lane, size: (together(lane, size, odd) + lane + (100 if lane & 1 else 200)) & 0xFFFFFFFF,
)  # fmt: skip

# One function that comes on both ways: all lanes run it together.
add(
    "one-function",
    HEAD + plain("f", 100) + MAIN
    + """  if %odd {
  %b1:
  } else {
  %b2:
  }
  %c = Phi @f %b1, @f %b2 : fn(u32) -> u32
  %r = CallDynamic %c, %lane : u32
"""
    + END,
    lambda lane, size: ((1 << min(size, 32)) - 1 + lane + 100) & 0xFFFFFFFF,
)  # fmt: skip

# By place: a variable, an array's element by an index that isn't known, a struct's member, a parameter, a result.
add(
    "by-place",
    HEAD
    + "%F = TypeFunction u32, u32\n%many = TypeArray %F, 2u\n%held = TypeStruct u32, %F\n"
    + plain("f", 100)
    + plain("g", 200)
    + """
func @choose(%a: %F, %b: %F, %which: bool) -> %F {
  %c = Select %which, %a, %b : %F
  return %c
}

func @apply(%c: %F, %v: u32) -> u32 {
  %r = CallDynamic %c, %v : u32
  return %r
}
"""
    + main_with("""  %one = Variable Function : ptr<Function, %F>
  %two = Variable Function : ptr<Function, %many>
""")
    + """  %p0 = AccessChain %two, 0u : ptr<Function, %F>
  %p1 = AccessChain %two, 1u : ptr<Function, %F>
  Store %p0, @g
  Store %p1, @f
  %pn = AccessChain %two, %bit : ptr<Function, %F>
  %c1 = Load %pn : %F
  %h = CompositeConstruct 7u, %c1 : %held
  %c2 = CompositeExtract %h 1 : %F
  Store %one, %c2
  %c3 = Load %one : %F
  %c4 = FunctionCall @choose %c3, @g, %odd : %F
  %r = FunctionCall @apply %c4, %lane : u32
"""
    + END,
    lambda lane, size: (together(lane, size, odd) + lane + (100 if lane & 1 else 200)) & 0xFFFFFFFF,
)

# --- what tables have -------------------------------------------------------------------------------------------------

TWO = (
    HEAD
    + """%bar = Requirement "bar" : %IFoo
%F = TypeFunction u32, %This, u32
"""
)
CHOOSE_TWO = (
    CHOOSE
    + """  %w = ExtractExistentialWitnessTable %e : %WT
  %x = ExtractExistentialValue %e : %This
  %f1 = LookupWitness %w, %foo : %F
  %f2 = LookupWitness %w, %bar : %F
  %k = BitwiseAnd %lane, 2u : u32
  %low = IEqual %k, 0u : bool
  %c = Select %low, %f1, %f2 : %F
  %r = CallDynamic %c, %x, %lane : u32
"""
    + END
)

# foo in lanes 0 and 1 of each four, bar in 2 and 3; odd lanes have an A, even ones a B: four tangles.
add(
    "requirements",
    TWO
    + """%WA = WitnessTable %A 0 %foo, @A_foo, %bar, @A_bar : %WT
%WB = WitnessTable %B 1 %foo, @B_foo, %bar, @B_bar : %WT
"""
    + method("A_foo", "%A", 100) + method("A_bar", "%A", 200) + method("B_foo", "%B", 300) + method("B_bar", "%B", 400)
    + MAIN + CHOOSE_TWO,
    lambda lane, size: (together(lane, size, four) + lane + [300, 100, 400, 200][lane & 3]) & 0xFFFFFFFF,
)  # fmt: skip

# A has one function for both, which is one way; B and C share it for foo: by table they are parted all the same.
add(
    "shared-function",
    TWO.replace("%B = TypeStruct u32, u32", "%B = TypeStruct u32")
    + """%WA = WitnessTable %A 0 %foo, @same, %bar, @same : %WT
%WB = WitnessTable %A 1 %foo, @same, %bar, @other : %WT
"""
    + method("same", "%A", 100) + method("other", "%A", 400)
    + MAIN + CHOOSE_TWO.replace("%lane, 1000u : %B", "%lane : %A"),
    # odd lanes: WA, @same for both; lanes 0 of four: WB, @same; lanes 2 of four: WB, @other
    lambda lane, size: (
        together(lane, size, lambda at: "A" if at & 1 else at & 3) + lane + (400 if lane & 3 == 2 else 100)
    ) & 0xFFFFFFFF,
)  # fmt: skip

# A static requirement: the same function from table WA, from table WB, and by its name: three ways.
add(
    "by-name-and-by-table",
    HEAD
    + """%make = Requirement "make" : %IFoo
%F = TypeFunction u32, u32
%WA = WitnessTable %A 0 %make, @f : %WT
%WB = WitnessTable %B 1 %make, @f : %WT
%ofA = LookupWitness %WA, %make : %F
"""
    + plain("f", 100) + MAIN
    + """  %k = BitwiseAnd %lane, 2u : u32
  %hi = IEqual %k, 2u : bool
  %fb = LookupWitness %WB, %make : %F
  %ch = Select %hi, @f, %fb : %F
  %c = Select %odd, %ch, %ofA : %F
  %r = CallDynamic %c, %lane : u32
"""
    + END,
    lambda lane, size: (together(lane, size, lambda at: at & 3 if at & 1 else "A") + lane + 100) & 0xFFFFFFFF,
)  # fmt: skip

# --- generics ---------------------------------------------------------------------------------------------------------

GENERIC = f"""
func @twice(%W: %WT, %t: %This, %v: u32) -> u32 {{
{BALLOT}  %f = LookupWitness %W, %foo : fn(%This, u32) -> u32
  %r1 = CallDynamic %f, %t, %v : u32
  %r2 = CallDynamic %f, %t, %r1 : u32
  %r = IAdd %r2, %m0 : u32
  return %r
}}
"""
ONCE = GENERIC.replace("@twice", "@once").replace("%t, %r1", "%t, 3u")
SOLO = """
func @solo(%t: %This, %v: u32) -> u32 {
  %m = GroupNonUniformBallot Subgroup true : vec4<u32>
  %m0 = CompositeExtract %m 0 : u32
  return %m0
}
"""


def value(lane: int) -> int:
    """What foo adds to its argument: A { lane } in odd lanes, B { lane, 1000 } in even ones."""
    return lane if lane & 1 else 1000


# One generic with either table bound to it: one body that all run together.
add(
    "specialized",
    HEAD + TABLES + METHODS + GENERIC + MAIN + CHOOSE
    + """  %x = ExtractExistentialValue %e : %This
  %ga = Specialize @twice, %WA : fn(%This, u32) -> u32
  %gb = Specialize @twice, %WB : fn(%This, u32) -> u32
  %c = Select %odd, %ga, %gb : fn(%This, u32) -> u32
  %r = CallDynamic %c, %x, 5u : u32
"""
    + END,
    lambda lane, size: (2 * value(lane) + 5 + (1 << min(size, 32)) - 1) & 0xFFFFFFFF,
)  # fmt: skip

# The same beside a function that is not specialized: lanes 2 and 3 of each four call that.
add(
    "specialized-or-not",
    HEAD + TABLES + METHODS + GENERIC + SOLO + MAIN + CHOOSE
    + """  %w = ExtractExistentialWitnessTable %e : %WT
  %x = ExtractExistentialValue %e : %This
  %g = Specialize @twice, %w : fn(%This, u32) -> u32
  %k = BitwiseAnd %lane, 2u : u32
  %low = IEqual %k, 0u : bool
  %c = Select %low, %g, @solo : fn(%This, u32) -> u32
  %r = CallDynamic %c, %x, 5u : u32
"""
    + END,
    lambda lane, size: (
        together(lane, size, lambda at: at & 2) + (0 if lane & 2 else 2 * value(lane) + 5)
    ) & 0xFFFFFFFF,
)  # fmt: skip

# A generic that is a value, specialized afterwards: @twice in lanes 0 and 1 of each four, @once in 2 and 3.
add(
    "generic-as-value",
    HEAD + TABLES + METHODS + GENERIC + ONCE + MAIN + CHOOSE
    + """  %w = ExtractExistentialWitnessTable %e : %WT
  %x = ExtractExistentialValue %e : %This
  %k = BitwiseAnd %lane, 2u : u32
  %low = IEqual %k, 0u : bool
  %g = Select %low, @twice, @once : fn(%WT, %This, u32) -> u32
  %c = Specialize %g, %w : fn(%This, u32) -> u32
  %r = CallDynamic %c, %x, 5u : u32
"""
    + END,
    lambda lane, size: (
        together(lane, size, lambda at: at & 2) + (value(lane) + 3 if lane & 2 else 2 * value(lane) + 5)
    ) & 0xFFFFFFFF,
)  # fmt: skip

# A function inside of an object that is known by its interface alone.
add(
    "inside-an-object",
    HEAD
    + """%F = TypeFunction u32, u32
%C = TypeStruct u32, %F
%WC = WitnessTable %C 2 %foo, @C_foo : %WT
%WA = WitnessTable %A 0 %foo, @A_foo : %WT

func @C_foo(%this: %C, %v: u32) -> u32 {
  %f = CompositeExtract %this 1 : %F
  %r = CallDynamic %f, %v : u32
  return %r
}
"""
    + METHODS.split("\nfunc @B_foo")[0] + plain("f", 100) + plain("g", 200) + MAIN
    + """  %k = BitwiseAnd %lane, 2u : u32
  %low = IEqual %k, 0u : bool
  if %odd {
  %l1:
    %a = CompositeConstruct %lane : %A
    %ea = MakeExistential %a, %WA : %IFoo
  } else {
  %l2:
    %c = Select %low, @f, @g : %F
    %b = CompositeConstruct %lane, %c : %C
    %eb = MakeExistential %b, %WC : %IFoo
  }
  %e = Phi %ea %l1, %eb %l2 : %IFoo
  %w = ExtractExistentialWitnessTable %e : %WT
  %x = ExtractExistentialValue %e : %This
  %m = LookupWitness %w, %foo : fn(%This, u32) -> u32
  %r = CallDynamic %m, %x, 7u : u32
"""
    + END,
    lambda lane, size: (
        lane + 7 if lane & 1 else together(lane, size, four) + 7 + (200 if lane & 2 else 100)
    ) & 0xFFFFFFFF,
)  # fmt: skip

# --- types ------------------------------------------------------------------------------------------------------------

# Are the types of two existentials the same? Of %e and one that is an A in lanes 0 and 1 of four, a B in 2 and 3; and
# of %e and A itself. Lanes 1 and 2 say yes to the first; odd lanes say yes to the second.
add(
    "same-type",
    HEAD
    + "%Type = TypeType\n"
    + TABLES
    + METHODS
    + MAIN
    + CHOOSE
    + """  %a2 = CompositeConstruct 1u : %A
  %ea2 = MakeExistential %a2, %WA : %IFoo
  %b2 = CompositeConstruct 1u, 2u : %B
  %eb2 = MakeExistential %b2, %WB : %IFoo
  %k = BitwiseAnd %lane, 2u : u32
  %low = IEqual %k, 0u : bool
  %e2 = Select %low, %ea2, %eb2 : %IFoo
  %t1 = ExtractExistentialType %e : %Type
  %t2 = ExtractExistentialType %e2 : %Type
  %t3 = Select %odd, %A, %t2 : %Type
  %same = IsSameType %t1, %t2 : bool
  %is = IsSameType %t1, %A : bool
  %kept = IsSameType %t1, %t3 : bool
  %n1 = Select %same, 1u, 0u : u32
  %n2 = Select %is, 2u, 0u : u32
  %n3 = Select %kept, 4u, 0u : u32
  %s = BitwiseOr %n1, %n2 : u32
  %r = BitwiseOr %s, %n3 : u32
"""
    + END,
    # kept: odd lanes compare with A, which they are; even ones with %e2, which is a B in lane 2
    lambda lane, size: [0, 1 | 2 | 4, 1 | 4, 2 | 4][lane & 3],
)

# The type that a table has for a requirement: A has u32, B has f32, C has u32 too.
add(
    "associated-type",
    HEAD
    + """%Type = TypeType
%kind = Requirement "kind" : %IFoo
%WA = WitnessTable %A 0 %kind, u32 : %WT
%WB = WitnessTable %B 1 %kind, f32 : %WT
"""
    + MAIN
    + CHOOSE
    + """  %w = ExtractExistentialWitnessTable %e : %WT
  %t = LookupWitness %w, %kind : %Type
  %is = IsSameType %t, u32 : bool
  %r = Select %is, 1u, 0u : u32
"""
    + END,
    lambda lane, size: lane & 1,
)
