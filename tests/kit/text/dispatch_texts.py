"""Programs with dynamic dispatch as text: what is around them.

HEAD      types A, B and C that conform to IFoo, structs and arrays of existentials, a buffer and a private variable
MAKE      %a, %b, %c: an existential of each
call(e, r)    %r = e.foo(1)
"""

HEAD = """Capability Shader
EntryPoint GLCompute @main "main"
MemberDecorate %Holder 0 Offset 0
MemberDecorate %Holder 1 Offset 20
Decorate %list ArrayStride 24
MemberDecorate %public 0 Offset 0
Decorate %public Block
%IFoo = TypeInterface "IFoo" 0
%WT = TypeWitnessTable %IFoo
%This = TypeThis %IFoo
%foo = Requirement "foo" : %IFoo
%A = TypeStruct u32
%WA = WitnessTable %A 0 %foo, @A_foo : %WT
%B = TypeStruct u32
%WB = WitnessTable %B 1 %foo, @B_foo : %WT
%C = TypeStruct u32
%WC = WitnessTable %C 2 %foo, @C_foo : %WT
%Holder = TypeStruct %IFoo, u32
%pair = TypeArray %IFoo, 2u
%maybe = TypeStruct u32, bool
%list = TypeRuntimeArray %Holder
%public = TypeStruct %list
%buffer = Variable StorageBuffer : ptr<StorageBuffer, %public>
%cell = Variable Private : ptr<Private, %IFoo>
%x = Undef : u32
"""


def method(type: str) -> str:
    return f"func @{type}_foo(%this: %{type}, %v: u32) -> u32 {{\n  return %v\n}}\n"


METHODS = method("A") + method("B") + method("C")


def make(type: str, name: str) -> str:
    return f"  %v{name} = CompositeConstruct %x : %{type}\n  %{name} = MakeExistential %v{name}, %W{type} : %IFoo\n"


def call(e: str, r: str) -> str:
    return f"""  %w{r} = ExtractExistentialWitnessTable %{e} : %WT
  %f{r} = LookupWitness %w{r}, %foo : fn(%This, u32) -> u32
  %o{r} = ExtractExistentialValue %{e} : %This
  %{r} = CallDynamic %f{r}, %o{r}, 1u : u32
"""


MAKE = make("A", "a") + make("B", "b") + make("C", "c")
