"""Accesses through addresses: loaded from a buffer, computed, or carried by a loop."""

import pytest
from kit.proving import proved_by_terms

from reknit.ir.text.parser import parse

HEAD = """Capability Shader
Capability Int64
Capability PhysicalStorageBufferAddresses
Capability VariablePointers
Extension "SPV_KHR_maximal_reconvergence"
MemoryModel PhysicalStorageBuffer64 GLSL450
EntryPoint GLCompute @main "main" %lane_id, %table, %out
ExecutionMode @main LocalSize 8 1 1
ExecutionMode @main MaximallyReconvergesKHR
Decorate %lane_id BuiltIn LocalInvocationIndex
Decorate %Node Block
MemberDecorate %Node 0 Offset 0
MemberDecorate %Node 1 Offset 8
MemberDecorate %Node 2 Offset 12
Decorate %Table Block
MemberDecorate %Table 0 Offset 0
MemberDecorate %Table 1 Offset 8
Decorate %words ArrayStride 4
Decorate %node ArrayStride 16
Decorate %Out Block
MemberDecorate %Out 0 Offset 0
Decorate %table DescriptorSet 0
Decorate %table Binding 0
Decorate %out DescriptorSet 0
Decorate %out Binding 1
TypeForwardPointer %node PhysicalStorageBuffer
%Node = TypeStruct %node, u32, u32
%node = TypePointer PhysicalStorageBuffer %Node
%Table = TypeStruct %node, %node
%words = TypeRuntimeArray u32
%Out = TypeStruct %words
%lane_id = Variable Input : ptr<Input, u32>
%table = Variable StorageBuffer : ptr<StorageBuffer, %Table>
%out = Variable StorageBuffer : ptr<StorageBuffer, %Out>
func @main() -> void {
%lane = Load %lane_id : u32
%to = AccessChain %out, 0u, %lane : ptr<StorageBuffer, u32>
%at_a = AccessChain %table, 0u : ptr<StorageBuffer, %node>
%at_b = AccessChain %table, 1u : ptr<StorageBuffer, %node>
%a = Load %at_a : %node
%b = Load %at_b : %node
%a1 = AccessChain %a, 1u : ptr<PhysicalStorageBuffer, u32>
%a2 = AccessChain %a, 2u : ptr<PhysicalStorageBuffer, u32>
%b1 = AccessChain %b, 1u : ptr<PhysicalStorageBuffer, u32>
BODY
return
}
"""
READ = "%x = Load %a1 Aligned 4u : u32\nStore %to, %x"
STORED_BETWEEN = (
    "%x = Load %a1 Aligned 4u : u32\nStore {}, 7u Aligned 4u\n%y = Load %a1 Aligned 4u : u32\nStore %to, {}"
)
LIST = """%before:
loop @list {
%body:
%p = Phi %a %before, %next %again : %node
%v = Phi 0u %before, %more %again : u32
%at = AccessChain %p, 1u : ptr<PhysicalStorageBuffer, u32>
%x = Load %at Aligned 4u : u32
%more = IAdd %v, %x : u32
%done = UGreaterThan %more, 9u : bool
if %done {
break @list
}
} continuing {
%again:
%at_next = AccessChain %p, 0u : ptr<PhysicalStorageBuffer, %node>
%next = Load %at_next Aligned 8u : %node
}
Store %to, %more"""
CHOSEN = """%c = ULessThan %lane, 3u : bool
%p = Select %c, {}, {} : ptr<PhysicalStorageBuffer, u32>
%x = Load %p Aligned 4u : u32
Store %to, %x"""
BOTH_LOADED = """%c = ULessThan %lane, 3u : bool
%xa = Load %a1 Aligned 4u : u32
%xb = Load %b1 Aligned 4u : u32
%x = Select %c, %xa, %xb : u32
Store %to, %x"""
CONVERTED = """%n = ConvertPtrToU %a : u64
%m = IAdd %n, {} : u64
%q = ConvertUToPtr %m : %node
%at = AccessChain %q, 1u : ptr<PhysicalStorageBuffer, u32>
%x = Load %at Aligned 4u : u32
Store %to, %x"""
STEPPED = """Store %a1, 1u Aligned 4u
%p = PtrAccessChain %a, {}, 1u : ptr<PhysicalStorageBuffer, u32>
%x = Load %p Aligned 4u : u32
Store %to, %x"""
GUARDED = "%c = ULessThan %lane, 3u : bool\nif %c {{\n{}\n}}"
STORED, CHAIN, LOADED, SHOWN = STEPPED.format("%lane").split("\n")
READ_AHEAD = "\n".join([CHAIN, LOADED, STORED, SHOWN])
LOADED_AHEAD = "%x = Load %a1 Aligned 4u : u32\n" + GUARDED.format("Store %to, %x")
EQUAL = {
    "loaded twice": (READ, "%w = Load %a1 Aligned 4u : u32\n" + READ),
    "a list": (LIST, LIST.replace("IAdd %v, %x", "IAdd %x, %v")),
    "a number as an address": (CONVERTED.format("0u64"), CONVERTED.format("0u64").replace("%m :", "%n :")),
    "a step over nodes": (STEPPED.format("%lane"), "%n = IAdd %lane, 0u : u32\n" + STEPPED.format("%n")),
    "nothing stored between": (
        "%x = Load %a1 Aligned 4u : u32\n%y = Load %a1 Aligned 4u : u32\n%s = IAdd %x, %y : u32\nStore %to, %s",
        "%x = Load %a1 Aligned 4u : u32\n%s = IAdd %x, %x : u32\nStore %to, %s",
    ),
}
DIFFERENT = {
    # SPIR-V 1.6, 2.18.2, "Aliasing": two addresses may lead to the same memory, also where their types differ
    "another address is stored to between": (STORED_BETWEEN.format("%b1", "%y"), STORED_BETWEEN.format("%b1", "%x")),
    "another member": (READ, READ.replace("%a1", "%a2")),
    "another node": (READ, READ.replace("%a1", "%b1")),
    "another member of a list": (LIST, LIST.replace("%p, 1u", "%p, 2u")),
    "a list from another node": (LIST, LIST.replace("Phi %a", "Phi %b")),
    "chosen the other way": (CHOSEN.format("%a1", "%b1"), CHOSEN.format("%b1", "%a1")),
    "an address with an offset": (CONVERTED.format("0u64"), CONVERTED.format("4u64")),
    "a load that fewer invocations had": (GUARDED.format(READ), LOADED_AHEAD),
    "both loaded, then chosen": (CHOSEN.format("%a1", "%b1"), BOTH_LOADED),
    "another step over nodes": (STEPPED.format("%lane"), STEPPED.format("1u")),
    "a step over nodes before the store": (STEPPED.format("%lane"), READ_AHEAD),
    "another store": ("Store %a1, 1u Aligned 4u", "Store %b1, 1u Aligned 4u"),
    "a store less": ("Store %a1, 1u Aligned 4u\nStore %b1, 2u Aligned 4u", "Store %b1, 2u Aligned 4u"),
    "stores in the other order": (
        "Store %a1, 1u Aligned 4u\nStore %b1, 2u Aligned 4u", "Store %b1, 2u Aligned 4u\nStore %a1, 1u Aligned 4u",
    ),
}  # fmt: skip


def proved(before: str, after: str) -> bool:
    return proved_by_terms(*[parse(HEAD.replace("BODY", body)) for body in (before, after)])


@pytest.mark.parametrize("name", EQUAL)
def test_what_is_equal_is_proved(name: str) -> None:
    assert proved(*EQUAL[name])


@pytest.mark.parametrize("name", DIFFERENT)
def test_what_differs_is_not_proved(name: str) -> None:
    before, after = DIFFERENT[name]
    assert proved(before, before) and proved(after, after)
    assert not proved(before, after)
