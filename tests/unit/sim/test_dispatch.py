"""Dynamic dispatch in the simulator: values worked out by hand in tests/kit/programs/dispatch.py, and what goes wrong.

A call goes by the witness table: lanes of one table are one tangle, and all meet right after it.
"""

import pytest
from kit.programs.dispatch import CHOOSE, END, HEAD, MAIN, METHODS, PROGRAMS, TABLES, call, main_with

from reknit.analysis.tangles.rules import BASE
from reknit.ir.text.parser import parse
from reknit.ir.verify import verify
from reknit.passes.manager import Hooks, run_passes
from reknit.sim.result import Result
from reknit.sim.run import run
from reknit.sim.trace import DISPATCH


def execute(text: str, size: int = 4, trace: bool = False, objects: list[int] | None = None) -> Result:
    module = parse(text, "dispatch.rk")
    assert verify(module) == []
    buffers = {"out": [0] * 64} | ({"objects": objects} if objects else {})
    return run(module, subgroup_size=size, buffers=buffers, trace=trace)


@pytest.mark.parametrize("size", [4, 8, 32, 64])
@pytest.mark.parametrize("name", PROGRAMS)
def test_each_lane_stores_what_it_must(name: str, size: int) -> None:
    text, expected = PROGRAMS[name]
    result = execute(text, size, objects=[0] * 64 * 6 if name == "buffer" else None)
    assert result.diagnostics == []
    assert result.buffers["out"].words == [expected(lane, size) for lane in range(64)]


@pytest.mark.parametrize("size", [4, 32])
@pytest.mark.parametrize("stages", ["specialize-dispatch", "specialize-dispatch, lower-dispatch"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_tagged_unions_and_dispatchers_store_the_same(name: str, stages: str, size: int) -> None:
    """Existentials as tags in their sets, whose objects are in unions, and then as numbers."""
    text, expected = PROGRAMS[name]
    module = parse(text, "dispatch.rk")
    run_passes(module, stages, Hooks(verify_each=True))
    buffers = {"out": [0] * 64} | ({"objects": [0] * 64 * 6} if name == "buffer" else {})
    result = run(module, subgroup_size=size, buffers=buffers)
    assert result.diagnostics == []
    assert result.buffers["out"].words == [expected(lane, size) for lane in range(64)]


@pytest.mark.parametrize("size", [4, 32])
@pytest.mark.parametrize("name", [name for name, (text, _) in PROGRAMS.items() if "= GroupNonUniform" not in text])
def test_what_no_tangle_changes_is_the_same_where_nothing_is_promised(name: str, size: int) -> None:
    text, expected = PROGRAMS[name]
    module = parse(text, "dispatch.rk")
    buffers = {"out": [0] * 64} | ({"objects": [0] * 64 * 6} if name == "buffer" else {})
    result = run(module, subgroup_size=size, rules=BASE, trace=True, buffers=buffers)
    assert result.diagnostics == [] and result.trace is not None
    assert result.buffers["out"].words == [expected(lane, size) for lane in range(64)]
    tables = {event.table for event in result.trace.events if event.kind == DISPATCH}
    assert tables == {table.name for tables in result.dispatched.values() for table in tables}


@pytest.mark.parametrize("made", ["  %e = ExistentialNone : %IFoo\n", "  %e = CopyObject undef<%IFoo> : %IFoo\n"])
def test_a_call_without_an_object_names_the_lane_there_too(made: str) -> None:
    module = parse(HEAD + TABLES + METHODS + MAIN + made + call("%e", "0u", "r") + END, "dispatch.rk")
    result = run(module, subgroup_size=4, rules=BASE, buffers={"out": [0] * 64})
    assert not result.finished
    assert [(d.code, "in lane 0 dispatches" in d.message) for d in result.diagnostics] == [("RK1019", True)]


def test_a_buffer_holds_the_public_layout() -> None:
    """16 bytes of header: no rtti, then the sequential id; then the payload, as large as the largest type (8 bytes)."""
    result = execute(PROGRAMS["buffer"][0], objects=[0] * 64 * 6)
    words = result.buffers["objects"].words
    assert words[0:6] == [0, 0, 1, 0, 0, 1000]  # lane 0: B { 0, 1000 }
    assert words[18:24] == [0, 0, 0, 0, 3, 0]  # lane 3: A { 3 }


def test_the_trace_names_the_table_of_each_dispatch() -> None:
    result = execute(PROGRAMS["phi"][0], 8, trace=True)
    assert result.trace is not None
    events = [(event.table, event.mask & 0xFF) for event in result.trace.events if event.kind == DISPATCH]
    assert events == [("WB", 0b01010101), ("WA", 0b10101010)]
    assert [table.name for tables in result.dispatched.values() for table in tables] == ["WB", "WA"]


@pytest.mark.parametrize(
    ("name", "made"),
    [
        ("none", "  %e = ExistentialNone : %IFoo\n"),
        ("never set", "  %e = CopyObject undef<%IFoo> : %IFoo\n"),
        ("unknown id", "  %p = CompositeConstruct 1u : %A\n  %e = CreateExistentialObject 9u, %p : %IFoo\n"),
    ],
)
def test_a_call_without_an_object_names_the_lane(name: str, made: str) -> None:
    result = execute(HEAD + TABLES + METHODS + MAIN + made + call("%e", "0u", "r") + END)
    assert not result.finished
    assert [(d.code, "in lane 0 dispatches" in d.message) for d in result.diagnostics] == [("RK1019", True)]


def test_a_value_taken_out_as_another_type_is_reported() -> None:
    text = HEAD + TABLES + METHODS + MAIN + CHOOSE
    text += "  %xa = ExtractExistentialValue %e : %A\n  %r = CompositeExtract %xa 0 : u32\n" + END
    result = execute(text)
    assert {d.code for d in result.diagnostics} == {"RK1015"}
    assert [result.buffers["out"].words[lane] for lane in (1, 3, 63)] == [1, 3, 63]


def test_an_object_that_was_never_set_is_of_the_method_s_type() -> None:
    """What it holds is undefined (SPIR-V 1.6, 3.52.8, OpVariable without an initializer): zeros in the simulator, here
    of two words, of which B's method adds the second."""
    begin = main_with("  %tmp = Variable Function : ptr<Function, %This>\n")
    text = HEAD + TABLES + METHODS + begin + "  %x = Load %tmp : %This\n"
    text += "  %f = LookupWitness %WB, %foo : fn(%This, u32) -> u32\n  %r = CallDynamic %f, %x, %lane : u32\n" + END
    result = execute(text)
    assert [(found.code, found.message) for found in result.diagnostics] == [
        ("RK1022", "words 0-63 of out are undefined")
    ]
    assert result.buffers["out"].words == list(range(64))
    assert list(result.buffers["out"].undefined) == list(range(64))


def test_a_method_changes_a_part_of_an_object_that_was_never_set() -> None:
    """bump(v) stores v into the object's second word; foo(1) then adds 1 to it."""
    bump = """
func @B_bump(%object: ptr<Function, %B>, %v'2: u32) -> void {
  %second = AccessChain %object, 1u : ptr<Function, u32>
  Store %second, %v'2
  return
}
"""
    table = '%bump = Requirement "bump" : %IFoo\n%WB = WitnessTable %B 1 %foo, @B_foo, %bump, @B_bump : %WT\n'
    begin = main_with("  %tmp = Variable Function : ptr<Function, %This>\n")
    text = HEAD + table + METHODS + bump + begin
    text += """  %g = LookupWitness %WB, %bump : fn(ptr<Function, %This>, u32) -> void
  %none = CallDynamic %g, %tmp, %lane : void
  %x = Load %tmp : %This
  %f = LookupWitness %WB, %foo : fn(%This, u32) -> u32
  %r = CallDynamic %f, %x, 1u : u32
"""
    result = execute(text + END)
    assert result.diagnostics == []
    assert result.buffers["out"].words == [lane + 1 for lane in range(64)]
