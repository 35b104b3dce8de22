"""A program that is written with sets: tags of tables, callables, generics and types, and the elements they stand for.

Odd lanes have table WA, even ones WB; out[lane] is the sum of

    what the table has for `make`, called          ballot of those of the same table, + lane + 100 (A) or 200 (B)
    @id_of with the table bound to it, called      ballot of all, + the table's sequential id (0, 1), + its argument:
                                                   what the first gives, by a tag of another set, less the first: 0
    whether the table's type is A                  1000000 or 0
"""

from kit.programs.callables import BALLOT, odd, plain, together
from kit.programs.dispatch import END, HEAD, MAIN

TEXT = (
    HEAD
    + """%make = Requirement "make" : %IFoo
%F = TypeFunction u32, u32
%G = TypeFunction u32, %WT, u32
%Type = TypeType
%WA = WitnessTable %A 0 %make, @f : %WT
%WB = WitnessTable %B 1 %make, @g : %WT
%S = WitnessTableSet %WA, %WB : %WT
%TagS = TypeSetTag %S
%ElementS = TypeElementOfSet %S
%made_a = LookupWitness %WA, %make : %F
%made_b = LookupWitness %WB, %make : %F
%Made = FuncSet %made_a, %made_b : %F
%TagMade = TypeSetTag %Made
%ElementMade = TypeElementOfSet %Made
%any = Specialize @id_of : %G
%Any = GenericSet %any : %G
%TagAny = TypeSetTag %Any
%id_a = Specialize @id_of, %WA : %F
%id_b = Specialize @id_of, %WB : %F
%Ids = FuncSet %made_a, %id_a, %id_b, %made_b : %F
%TagIds = TypeSetTag %Ids
%ElementIds = TypeElementOfSet %Ids
%Types = TypeSet %A, %B : %Type
%TagTypes = TypeSetTag %Types
%ElementTypes = TypeElementOfSet %Types
%U = TypeUntaggedUnion %A, %B
%TU = TypeTaggedUnion %S, %U
"""
    + plain("f", 100)
    + plain("g", 200)
    + f"""
func @id_of(%W: %ElementS, %v: u32) -> u32 {{
{BALLOT}  %n = GetSequentialId %W : u32
  %s = IAdd %n, %m0 : u32
  %r = IAdd %s, %v : u32
  return %r
}}
"""
    + MAIN
    + """  %ta = GetTagOfElementInSet %WA : %TagS
  %tb = GetTagOfElementInSet %WB : %TagS
  %t = Select %odd, %ta, %tb : %TagS
  %w = GetElementFromTag %t : %ElementS
  %c = LookupWitness %w, %make : %ElementMade
  %r1 = CallDynamic %c, %lane : u32
  %mapped = GetTagForMappedSet %t, %make : %TagMade
  %wide = GetTagForSuperSet %mapped : %TagIds
  %d0 = GetElementFromTag %wide : %ElementIds
  %r0 = CallDynamic %d0, %lane : u32
  %differ = ISub %r0, %r1 : u32
  %g = GetTagOfElementInSet %any : %TagAny
  %i = GetTagForSpecializedSet %g, %t : %TagIds
  %d = GetElementFromTag %i : %ElementIds
  %r2 = CallDynamic %d, %differ : u32
  %a = CompositeConstruct %lane : %A
  %p = PackUnion %a : %U
  %u = MakeTaggedUnion %t, %p : %TU
  %y = GetTypeTagFromTaggedUnion %u : %TagTypes
  %e = GetElementFromTag %y : %ElementTypes
  %is = IsSameType %e, %A : bool
  %r3 = Select %is, 1000000u, 0u : u32
  %r4 = IAdd %r1, %r2 : u32
  %r = IAdd %r4, %r3 : u32
"""
    + END
)


def expected(lane: int, size: int) -> int:
    called = together(lane, size, odd) + lane + (100 if lane & 1 else 200)
    bound = together(lane, size, lambda at: 0) + (0 if lane & 1 else 1)
    return (called + bound + (1000000 if lane & 1 else 0)) & 0xFFFFFFFF
