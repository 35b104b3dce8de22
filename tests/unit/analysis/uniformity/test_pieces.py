"""Pieces of shared memory: whether a load is the same for all beside a store, by the indices of both.

Each row is decided by hand: two pieces have something in common, or a store goes elsewhere for certain. What is claimed
is held to the machine, in two workgroups of 32. Sources: SPIR-V 1.6, OpAccessChain; OpUndef; 2.18.2 "Aliasing".
"""

import pytest
from kit.oracles.uniform_values import watched

from reknit.analysis.manager import Analyses
from reknit.analysis.uniformity.uniformity import Uniformity
from reknit.ir.module import Module
from reknit.ir.text.parser import parse
from reknit.ir.walk import instructions
from reknit.sim.policy import Policy

POLICIES = [Policy("label", "never"), Policy("value", "never", "fifo"), Policy("label", "always", "random:3")]
SHADER = """Capability Shader
MemoryModel Logical GLSL450
EntryPoint GLCompute @main "main" %index
ExecutionMode @main LocalSize 32 1 1
Decorate %index BuiltIn LocalInvocationIndex
{decorations}
%index = Variable Input : ptr<Input, u32>
%s64 = TypeArray u32, 64u
%s16 = TypeArray u32, 16u
%Record = TypeStruct %s16, u32, vec2<u32>
%s = Variable Workgroup : ptr<Workgroup, %s64>
%t = Variable Workgroup : ptr<Workgroup, %Record>
func @main() -> void {{
  %lane = Load %index : u32
  ControlBarrier Workgroup, Workgroup, 264u
{before}
{load}
{after}
  ControlBarrier Workgroup, Workgroup, 264u
  return
}}
func @put(%to: ptr<Workgroup, u32>) -> void {{
  Store %to, 1u
  return
}}
func @put_at(%at: u32) -> void {{
  %q = AccessChain %s, %at : ptr<Workgroup, u32>
  Store %q, 1u
  return
}}
"""
ADDED = "%o = AtomicIAdd %q, 2u, 0u, 1u : u32"
NINE = "  %p = AccessChain %s, 9u : ptr<Workgroup, u32>\n  %v = Load %p : u32"
LOW, NUMBER, PART = (
    f"  %p = AccessChain %t, {path} : ptr<Workgroup, u32>\n  %v = Load %p : u32" for path in ("0u, 9u", "1u", "2u, 1u")
)


def to(index: str, made: str = "", variable: str = "s") -> str:
    return f"{made}\n  %q = AccessChain %{variable}, {index} : ptr<Workgroup, u32>\n  Store %q, %lane\n"


def behind(condition: str, text: str) -> str:
    return f"  %is = {condition} : bool\n  if %is {{\n{text}  }}\n"


def counted(start: str, condition: str, step: str) -> str:
    """`for (i = start; condition; i += step) s[i] = ...`"""
    return f"""  %first = {start} : u32
enter:
  loop @l {{
  head:
    %i = Phi %first enter, %next again : u32
    %goes = {condition} : bool
    if %goes {{
    }} else {{
      break @l
    }}
    %q = AccessChain %s, %i : ptr<Workgroup, u32>
    Store %q, %lane
  }} continuing {{
  again:
    %next = IAdd %i, {step} : u32
  }}
"""


# What is stored beside the load, and whether the load is the same for all.
BESIDE_NINE = {
    "nothing": ("", True),
    "another element": (to("10u"), True),
    "the element": (to("9u"), False),
    "any": (to("%lane"), False),
    "below": (behind("ULessThan %lane, 9u", to("%lane")), True),
    "below or equal": (behind("ULessThanEqual %lane, 9u", to("%lane")), False),
    "turned around": (behind("UGreaterThan 9u, %lane", to("%lane")), True),
    "above": (behind("UGreaterThan %lane, 9u", to("%lane")), True),
    "the other arm": (
        f"  %is = UGreaterThanEqual %lane, 9u : bool\n  if %is {{\n  }} else {{\n{to('%lane')}  }}\n", True,
    ),
    "after an arm": (f"{behind('ULessThan %lane, 9u', '')}{to('%lane')}", False),
    "that it is another": (behind("IEqual %lane, 8u", to("%lane")), True),
    "that it is not that one": (behind("INotEqual %lane, 9u", to("%lane")), False),
    "both conditions": (
        "  %a = UGreaterThan %lane, 3u : bool\n  %b = ULessThan %lane, 9u : bool\n"
        + behind("LogicalAnd %a, %b", to("%lane")), True,
    ),
    "one of two conditions": (
        "  %a = UGreaterThan %lane, 30u : bool\n  %b = ULessThan %lane, 9u : bool\n"
        + behind("LogicalOr %a, %b", to("%lane")), False,
    ),
    "what is compared is another number": (
        "  %o = BitwiseXor %lane, 8u : u32\n" + behind("ULessThan %o, 9u", to("%lane")), False,
    ),
    "signed, of what isn't negative": (behind("SLessThan %lane, 9u", to("%lane")), True),
    "signed, of what may be": (
        "  %o = ISub %lane, 16u : u32\n"
        + behind("SLessThan %o, 9u", to("%r", "  %r = BitwiseAnd %o, 63u : u32")), False,
    ),
    "below by a mask": (to("%r", "  %r = BitwiseAnd %lane, 7u : u32"), True),
    "a mask that reaches it": (to("%r", "  %r = BitwiseAnd %lane, 15u : u32"), False),
    "above by a sum": (to("%r", "  %r = IAdd %lane, 10u : u32"), True),
    "a sum that reaches it": (to("%r", "  %r = IAdd %lane, 9u : u32"), False),
    "a product": (
        to("%r", "  %h = BitwiseAnd %lane, 7u : u32\n  %d = IMul %h, 2u : u32\n  %r = IAdd %d, 10u : u32"), True,
    ),
    "a difference that may wrap around": (
        to("%r", "  %d = ISub %lane, 16u : u32\n  %h = BitwiseAnd %d, 31u : u32\n  %r = BitwiseOr %h, 8u : u32"), False,
    ),
    "a sum that wraps around": (
        to("%r", "  %w = IAdd %lane, 0xfffffff0u : u32\n  %r = UMod %w, 64u : u32"), False,
    ),
    "an undef behind a branch on it": (
        behind("ULessThan undef<u32>, 9u", to("undef<u32>")), False,
    ),
    "a loop from above it": (counted("IAdd %lane, 10u", "ULessThan %i, 64u", "32u"), True),
    "a loop from it": (counted("IAdd %lane, 9u", "ULessThan %i, 64u", "32u"), False),
    "a loop below it": (counted("IAdd %lane, 0u", "ULessThan %i, 9u", "4u"), True),
    "a loop below it, signed": (counted("IAdd %lane, 0u", "SLessThan %i, 9u", "4u"), True),
    "a loop that may wrap around": (counted("IAdd %lane, 10u", "INotEqual %i, 9u", "1u"), False),
    "an atomic operation elsewhere": (
        behind("ULessThan %lane, 9u", to("%lane").replace("Store %q, %lane", ADDED)), True,
    ),
    "an atomic operation there": (
        to("9u").replace("Store %q, %lane", ADDED), False,
    ),
    "another variable": (to("0u, %r", "  %r = BitwiseAnd %lane, 15u : u32", "t"), True),
    "the whole": ("  %z = Load %s : %s64\n  Store %s, %z\n", False),
    "by a function that gets a pointer": (
        "  %q = AccessChain %s, 10u : ptr<Workgroup, u32>\n  %u = FunctionCall @put %q : void\n", False,
    ),
    "by a function that gets an index": ("  %u = FunctionCall @put_at 10u : void\n", False),
}  # fmt: skip
MEMBERS = {
    "another member": (LOW, to("1u", "", "t"), True),
    "the member": (NUMBER, to("1u", "", "t"), False),
    "the array beside a number": (NUMBER, to("0u, %r", "  %r = BitwiseAnd %lane, 15u : u32", "t"), True),
    "below in the array": (LOW, behind("ULessThan %lane, 9u", to("0u, %lane", "", "t")), True),
    "there in the array": (LOW, behind("ULessThan %lane, 10u", to("0u, %lane", "", "t")), False),
    "a chain of chains": (
        LOW, "  %c = AccessChain %t, 0u : ptr<Workgroup, %s16>\n"
        + behind("ULessThan %lane, 9u", to("%lane", "", "c")), True,
    ),
    "the array as a whole": (
        LOW, "  %c = AccessChain %t, 0u : ptr<Workgroup, %s16>\n  %z = Load %c : %s16\n  Store %c, %z\n", False,
    ),
    "the whole record": (NUMBER, "  %z = Load %t : %Record\n  Store %t, %z\n", False),
    "another component of a vector": (PART, to("2u, 0u", "", "t"), False),
}  # fmt: skip


def module(load: str, before: str, after: str, decorations: str = "") -> Module:
    return parse(SHADER.format_map(locals()))


def is_claimed(made: Module) -> bool:
    of_main = Analyses(made).of_module_with(Uniformity, "workgroup").of(made.functions[0])
    (load,) = [instr for instr in instructions(made.functions[0]) if instr.name == "v"]
    return of_main.is_uniform(load)


def is_same(made: Module) -> bool:
    """Whether the load is claimed; no claim may be refuted."""
    for scope, size in (("workgroup", 8), ("workgroup", 32), ("subgroup", 4)):
        assert not watched(made, scope, size, POLICIES).false
    return is_claimed(made)


@pytest.mark.parametrize("row", BESIDE_NINE)
def test_an_element_beside_a_store(row: str) -> None:
    stored, expected = BESIDE_NINE[row]
    if "undef" in row or "may wrap around" in row:  # what the machine would store beyond the array, or for very long
        assert not is_claimed(module(NINE, "", stored))
        return
    assert is_same(module(NINE, "", stored)) is expected
    assert is_same(module(NINE, stored, "")) is expected


@pytest.mark.parametrize("row", MEMBERS)
def test_members_and_their_elements(row: str) -> None:
    load, stored, expected = MEMBERS[row]
    assert is_same(module(load, "", stored)) is expected
    assert is_same(module(load, stored, "")) is expected


@pytest.mark.parametrize("decoration", ["Aliased", "Volatile"])
def test_memory_that_is_not_followed(decoration: str) -> None:
    assert not is_same(module(NINE, "", to("10u"), f"Decorate %s {decoration}"))


def test_a_block_of_explicit_layout_is_one_piece() -> None:
    """Members may be at one offset. SPV_KHR_workgroup_memory_explicit_layout."""
    layout = "\n".join(["Decorate %Record Block", *(f"MemberDecorate %Record {at} Offset 0" for at in range(3))])
    assert not is_same(module(LOW, "", to("1u", "", "t"), layout))


def test_an_index_that_is_the_same_for_all_meets_its_range() -> None:
    load = "  %h = BitwiseAnd %lane, 0u : u32\n  %p = AccessChain %s, %h : ptr<Workgroup, u32>\n  %v = Load %p : u32"
    assert is_same(module(load.replace("%lane, 0u", "7u, 3u"), "", behind("UGreaterThan %lane, 8u", to("%lane"))))
    assert not is_same(module(load.replace("%lane, 0u", "7u, 15u"), "", behind("UGreaterThan %lane, 6u", to("%lane"))))
