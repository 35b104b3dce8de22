"""How deep types nest: levels by hand, and what is told of those that SPIR-V has no room for.

u32 0    struct 1    pointer, array + 1    an interface: 2 more than the deepest type that conforms to it
"""

import pytest
from kit.programs.dispatch import CHOOSE, END, HEAD, METHODS, TABLES, call, main_with

from reknit.ir import op
from reknit.ir.any_value import any_layout
from reknit.ir.module import Module
from reknit.ir.nesting import MAX_DEPTH, too_deep
from reknit.ir.text.parser import parse
from reknit.ir.verify import verify
from reknit.passes.manager import Hooks, run_passes
from reknit.sim.run import run
from reknit.source.diagnostic import InputError

BODY = CHOOSE + call("%e", "5u", "r") + END
ANSWER = [lane + 5 if lane & 1 else 1005 for lane in range(64)]  # foo(5) of A { lane }, or of B { lane, 1000 }


def nest(inner: str, levels: int) -> str:
    """%N1 to %N<levels>, each with the one before inside."""
    lines = [
        f"%N{level} = TypeStruct {f'%N{level - 1}' if level > 1 else inner}, u32\n" for level in range(1, levels + 1)
    ]
    return "".join(lines)


def program(types: str, variable: str = "") -> Module:
    return parse(HEAD + types + TABLES + METHODS + main_with(variable) + BODY, "nest.rk")


@pytest.mark.parametrize(
    ("inner", "levels", "first"),
    [
        ("u32", 255, ""),
        ("u32", 256, "N256"),
        ("%A", 254, ""),  # A is a struct itself
        ("%A", 255, "N255"),
        ("%IFoo", 252, ""),  # A and B are 1, IFoo is 3
        ("%IFoo", 253, "N253"),
        ("u32", 10_000, "N256"),
    ],
)
def test_the_first_type_that_is_too_deep(inner: str, levels: int, first: str) -> None:
    found = too_deep(program(nest(inner, levels)))
    assert (found.name if found is not None else "") == first


@pytest.mark.parametrize("levels", [251, 252, 10_000])
def test_it_is_reported_before_anything_is_done(levels: int) -> None:
    variable = f"  %v = Variable Function : ptr<Function, %N{levels}>\n"
    module = program(nest("%IFoo", levels), variable)
    if levels > 251:  # and the pointer to the variable
        with pytest.raises(InputError) as refusal:
            run_passes(module, "specialize-dispatch")
        assert [one.code for one in refusal.value.diagnostics] == ["RK2624"]
        return
    run_passes(module, "specialize-dispatch, lower-dispatch", Hooks(verify_each=True))
    assert run(module, subgroup_size=32).buffers["out"].words == ANSWER


def test_lowering_alone_tells_it_too() -> None:
    text = (
        HEAD + nest("u32", 300) + "%S = WitnessTableSet : %WT\n%T = TypeSetTag %S\n" + main_with("") + "  return\n}\n"
    )
    deep = parse(text, "deep.rk")
    with pytest.raises(InputError) as refusal:
        run_passes(deep, "lower-dispatch")
    assert [one.code for one in refusal.value.diagnostics] == ["RK2624"]


def test_a_pointer_in_what_it_points_to_stays() -> None:
    """A list in memory: its pointer is in its own struct, and neither changes."""
    types = (
        "TypeForwardPointer %Next PhysicalStorageBuffer\n%Node = TypeStruct u32, %Next\n"
        "%Next = TypePointer PhysicalStorageBuffer %Node\n"
    )
    module = program(types, "  %v = Variable Function : ptr<Function, %Next>\n")
    for stage in ("specialize-dispatch", "lower-dispatch"):
        run_passes(module, stage, Hooks(verify_each=True))
        assert verify(module) == []
        order = [instr.op for instr in module.globals if instr.op == op.TypeForwardPointer or instr.name == "Node"]
        assert order == [op.TypeForwardPointer, op.TypeStruct]
        assert run(module, subgroup_size=32).buffers["out"].words == ANSWER


@pytest.mark.parametrize(
    "types", ["%S = TypeArray u32, 268435456u\n", nest("u32", 256), "%N0 = TypeStruct u32\n" + "".join(
        f"%N{level} = TypeStruct %N{level - 1}, %N{level - 1}\n" for level in range(1, 60)
    )],
)  # fmt: skip
def test_what_is_too_large_to_pack_has_a_fault(types: str) -> None:
    """2^28 words, 256 levels, 2^59 words: at once."""
    module = parse(types, "large.rk")
    assert any_layout(module.globals[-1], {}).fault is not None


def test_as_many_levels_as_there_may_be_are_packed() -> None:
    module = parse(nest("u32", MAX_DEPTH), "deep.rk")
    found = any_layout(module.globals[-1], {})
    assert found.fault is None and len(found.fields) == MAX_DEPTH + 1
