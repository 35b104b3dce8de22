"""An interface that is open: storage that others can reach may hold values of types that the program doesn't know.

`objects[lane]` is { 0, 0, id, 0, words }. Ids 0 and 1 are those of A { words[0] } with foo(v) = words[0] + v and of
B { words[0], words[1] } with foo(v) = words[1] + v. Id 9 is nobody's: a call stops the simulator, and gives 0 in plain
SPIR-V, where a dispatcher keeps a case for it. Without the mark any result would do, and the largest id is taken.
"""

import pytest
from kit.oracles import need, validate
from kit.programs.dispatch import END, HEAD, MAIN, METHODS, TABLES, call
from kit.text.preludes import listing

from reknit.ir import op
from reknit.ir.build import new_function
from reknit.ir.constants import as_int
from reknit.ir.module import Module
from reknit.ir.text.parser import parse
from reknit.ir.text.printer import print_module
from reknit.ir.verify import verify
from reknit.passes.dispatch.casts import Caster
from reknit.passes.dispatch.layouts import Layouts
from reknit.passes.dispatch.tags import ALL_OTHERS, Tags
from reknit.passes.manager import Hooks, run_passes
from reknit.sim.result import Result
from reknit.sim.run import run
from reknit.source.diagnostic import InputError
from reknit.spirv.read import read_module
from reknit.spirv.write import write_module

STORAGE = """Decorate %list ArrayStride 24
MemberDecorate %public 0 Offset 0
Decorate %public Block
Decorate %objects DescriptorSet 0
Decorate %objects Binding 1
DecorateString %IFoo UserSemantic "Open"
%words = Type"""
OPEN = (
    listing(HEAD.replace("%words = Type", STORAGE), "objects")
    + """%list = TypeRuntimeArray %IFoo
%public = TypeStruct %list
%objects = Variable StorageBuffer : ptr<StorageBuffer, %public>
"""
    + TABLES
    + METHODS
    + MAIN
    + """  %p = AccessChain %objects, 0u, %lane : ptr<StorageBuffer, %IFoo>
  %e = Load %p : %IFoo
"""
)
CALLED = OPEN + call("%e", "5u", "r") + END
LOWERED = [
    "specialize-dispatch, lower-dispatch",
    "specialize-dispatch, lower-dispatch{inline=never}",
    "specialize-dispatch, lower-dispatch{mode=waterfall}",
]


def objects(unknown: int) -> list[int]:
    """A's in even lanes and B's in odd ones; lane 2 has an id that is nobody's, where that is asked for."""
    found: list[int] = []
    for lane in range(64):
        found.extend([0, 0, unknown if lane == 2 and unknown else lane & 1, 0, lane, 1000])
    return found


def value(lane: int) -> int:
    return 1005 if lane & 1 else lane + 5


def execute(text: str, stage: str, unknown: int = 0, size: int = 8) -> Result:
    module = at_stage(text, stage)
    return run(module, subgroup_size=size, buffers={"out": [0] * 64, "objects": objects(unknown)})


def at_stage(text: str, stage: str) -> Module:
    module = parse(text, "open.rk")
    assert verify(module) == []
    if stage:
        run_passes(module, stage, Hooks(verify_each=True))
    if "lower" in stage:
        module = read_module(write_module(module))
    return module


@pytest.mark.parametrize("size", [4, 8, 32, 64])
@pytest.mark.parametrize("stage", ["", "specialize-dispatch", *LOWERED])
def test_what_is_known_is_called(stage: str, size: int) -> None:
    result = execute(CALLED, stage, 0, size)
    assert result.diagnostics == []
    assert result.buffers["out"].words == [value(lane) for lane in range(64)]


@pytest.mark.parametrize("stage", ["", "specialize-dispatch"])
def test_a_call_of_what_is_not_known_stops(stage: str) -> None:
    result = execute(CALLED, stage, 9)
    assert not result.finished
    assert [(d.code, "in lane 2" in d.message) for d in result.diagnostics] == [("RK1019", True)]


@pytest.mark.parametrize("stage", LOWERED)
def test_plain_spirv_has_a_case_for_it(stage: str) -> None:
    result = execute(CALLED, stage, 9)
    assert result.diagnostics == []
    assert result.buffers["out"].words == [0 if lane == 2 else value(lane) for lane in range(64)]


def test_spirv_val_agrees() -> None:
    need("spirv-val")
    module = parse(CALLED, "open.rk")
    run_passes(module, LOWERED[0], Hooks())
    assert validate(write_module(module)) == (True, "")


def test_the_set_has_what_is_not_known_and_the_mark_goes() -> None:
    module = parse(CALLED, "open.rk")
    run_passes(module, "specialize-dispatch", Hooks())
    text = print_module(module)
    assert "WitnessUnbounded : %WT" in text and "GetElementFromTag" in text
    assert "UserSemantic" not in text
    assert print_module(parse(text, "again.rk")) == text


def test_a_closed_interface_has_no_such_case() -> None:
    module = parse(CALLED.replace('DecorateString %IFoo UserSemantic "Open"\n', ""), "closed.rk")
    run_passes(module, "specialize-dispatch", Hooks())
    assert "WitnessUnbounded" not in print_module(module)


TESTED = (
    OPEN
    + """  %is = IsType %e, %WA : bool
  %w = ExtractExistentialWitnessTable %e : %WT
  %id = GetSequentialId %w : u32
  %n = Select %is, 100u, 0u : u32
  %r = IAdd %n, %id : u32
"""
    + END
)


@pytest.mark.parametrize("stage", ["", "specialize-dispatch", *LOWERED])
def test_what_is_not_known_is_no_type_of_the_program_and_has_no_id(stage: str) -> None:
    result = execute(TESTED, stage, 9)
    assert result.diagnostics == []
    expected = [100, 1] * 32
    expected[2] = 0xFFFFFFFF
    assert result.buffers["out"].words == expected


def test_a_call_that_nothing_known_can_come_to_is_refused() -> None:
    """After the two tests only what the program doesn't know is left."""
    text = OPEN + """  %isa = IsType %e, %WA : bool
  %isb = IsType %e, %WB : bool
  %is = LogicalOr %isa, %isb : bool
  if %is {
  %l1:
  } else {
""" + call("%e", "5u", "c") + "  %l2:\n  }\n  %r = Phi 1u %l1, %c %l2 : u32\n" + END  # fmt: skip
    with pytest.raises(InputError) as caught:
        at_stage(text, "specialize-dispatch")
    assert [(d.code, d.place.line > 0 if d.place is not None else False) for d in caught.value.diagnostics] == [
        ("RK2620", True)
    ]


def test_the_largest_number_of_a_table_is_told_from_all_others() -> None:
    """From 4294967293 to place 0, from all others to place 1: no sum does that."""
    module = parse("declare u32\n", "ids.rk")
    layouts = Layouts(module)
    function = new_function(module, "f", layouts.u32, [("id", layouts.u32)])
    caster = Caster(module, function.entry(), None)
    made = Tags(layouts).map(caster, function.params[0], [(4294967293, 0), (ALL_OTHERS, 1)])
    assert made.op == op.Select and [as_int(made.value(index)) for index in (1, 2)] == [0, 1]
