"""What goes wrong is a diagnostic that names lanes, instruction and reason; never a hang, a traceback or a silent
number."""

import pytest
from kit.programs.compute import Compute

from reknit.ir import enums, op
from reknit.ir.build import new_function
from reknit.ir.instr import Instr
from reknit.ir.module import annotation
from reknit.ir.text.parser import parse
from reknit.ir.types import float_type, vector_type
from reknit.sim.policy import Policy
from reknit.sim.result import Result
from reknit.sim.run import prepare, run
from reknit.source.diagnostic import Diagnostic, InputError


def only(result: Result, code: str) -> Diagnostic:
    assert [diagnostic.code for diagnostic in result.diagnostics] == [code]
    return result.diagnostics[0]


def barrier(p: Compute, scope: int = enums.ScopeWorkgroup, semantics: int = 0) -> None:
    p.b.effect(op.ControlBarrier, [p.const(scope), p.const(scope), p.const(semantics)])


def test_a_barrier_for_the_workgroup_in_divergent_flow() -> None:
    p = Compute(4)
    p.when(p.test(op.ULessThan, p.index, p.const(2)), lambda: barrier(p))
    result = p.run()
    found = only(result, "RK1011")
    assert not result.finished
    assert "lanes 0-1 only" in found.message
    assert found.notes[0].message == "lanes 2-3 are elsewhere or have ended"


def test_a_barrier_for_the_workgroup_after_an_early_return() -> None:
    p = Compute(4)
    p.when(p.test(op.IEqual, p.index, p.const(3)), lambda: p.b.return_())
    barrier(p)
    assert "lanes 0-2 only" in only(p.run(), "RK1011").message


def test_a_barrier_that_all_reach_and_one_of_a_subgroup_are_fine() -> None:
    p = Compute(8)
    barrier(p)
    p.when(p.test(op.ULessThan, p.index, p.const(2)), lambda: barrier(p, enums.ScopeSubgroup))
    p.out(p.const(1))
    assert p.words(4) == [1] * 8


def test_a_spin_lock_ends_at_the_step_limit_and_names_the_lanes_that_wait() -> None:
    """while (atomicExchange(lock, 1) != 0) {}  lock = 0;

    The lane that has the lock waits after the loop, at the join, for those that spin for it. The extension promises
    no progress here.
    """
    p = Compute(2)
    lock = p.array_buffer("lock", 1)
    loop = p.b.open_loop("spin")
    p.b.at(loop.body.entry())
    scope = p.const(enums.ScopeDevice)
    old = p.b.emit(op.AtomicExchange, p.u32, [p.place(p.const(0), lock), scope, p.const(0), p.const(1)])
    test = p.b.open_if(p.test(op.IEqual, old, p.const(0)), merged=False)
    p.b.at(test.then.entry())
    p.b.break_(loop)
    p.b.at(loop.after())
    loop.after().name = "release"
    p.b.store(p.place(p.const(0), lock), p.const(0))
    result = p.run(max_steps=1000)
    found = only(result, "RK1013")
    notes = [note.message for note in found.notes]
    assert any(note.startswith("lane 1 runs at") for note in notes)
    assert "lane 0 waits at %release (loop) for lane 1" in notes


def test_an_endless_loop_stops_at_the_step_limit() -> None:
    p = Compute(2)
    loop = p.b.open_loop()
    p.b.at(loop.after())
    result = p.run(max_steps=100)
    assert only(result, "RK1013").message.startswith("not finished after 10")
    assert not result.finished


def test_unreachable() -> None:
    p = Compute(4)
    p.when(p.test(op.IEqual, p.index, p.const(2)), lambda: p.b.exit(op.Unreachable, []))
    found = only(p.run(), "RK1012")
    assert found.message == "OpUnreachable is reached by lane 2"


def test_a_load_and_a_store_out_of_bounds() -> None:
    """out has 4 elements. Lanes 2 and 3 load element 4 + lane of it: they get 0. Lane 3 stores to element 9:
    dropped."""
    p = Compute(4)
    far = p.op2(op.IAdd, p.index, p.op2(op.IMul, p.op2(op.UDiv, p.index, p.const(2)), p.const(4)))
    loaded = p.b.load(p.u32, p.place(far), "loaded")
    p.out(p.op2(op.IAdd, loaded, p.const(1)))
    p.when(p.test(op.IEqual, p.index, p.const(3)), lambda: p.out(p.const(5), p.const(9)))
    result = p.run(buffers={"out": [10, 20, 30, 40]})
    assert result.finished and result.failed()
    load, store = result.diagnostics
    assert (load.code, store.code) == ("RK1014", "RK1014")
    assert load.message == "OpLoad %loaded: index 6 of 4 in buffer out (lanes 2-3)"
    assert [note.message for note in load.notes] == ["index 7 of 4 in buffer out"]
    assert store.message == "OpStore: index 9 of 4 in buffer out (lane 3)"
    assert result.buffers["out"].words == [11, 21, 1, 1]


def test_an_undefined_group_result_is_reported() -> None:
    """Shuffle from lane 3, which is not in the tangle of lanes 0 and 1: 0, and a warning."""
    p = Compute(4)

    def shuffle() -> None:
        got = p.b.emit(
            op.GroupNonUniformShuffle, p.u32, [p.const(enums.ScopeSubgroup), p.const(7), p.const(3)], "got"
        )
        p.out(got)

    p.when(p.test(op.ULessThan, p.index, p.const(2)), shuffle)
    result = p.run()
    found = only(result, "RK1015")
    assert found.severity == "warning"
    assert "%got" in found.message and "lane 3" in found.message and "lanes 0-1" in found.message


def test_division_by_zero_is_reported() -> None:
    p = Compute(2)
    p.out(p.b.emit(op.UDiv, p.u32, [p.const(7), p.index], "ratio"))
    assert only(p.run(), "RK1015").message == "OpUDiv %ratio by zero (lane 0)"


def test_unsupported_instructions_are_reported_together_before_anything_runs() -> None:
    p = Compute(2)
    p.b.emit(op.DPdx, float_type(p.module), [p.module.intern(op.Constant, float_type(p.module), [0])], "slope")
    p.b.effect(op.EmitVertex, [])
    with pytest.raises(InputError) as caught:
        p.run()
    assert [diagnostic.code for diagnostic in caught.value.diagnostics] == ["RK1001", "RK1001"]
    assert "OpDPdx %slope" in caught.value.diagnostics[0].message
    assert "OpEmitVertex" in caught.value.diagnostics[1].message


def test_what_nothing_reaches_need_not_be_supported() -> None:
    p = Compute(2)
    other = new_function(p.module, "other")
    block = other.entry()
    p.out(p.const(3))
    p.b.return_()
    p.b.at(block)
    p.b.effect(op.EmitVertex, [])
    p.b.return_()
    assert p.words(2) == [3, 3]


def test_recursion() -> None:
    p = Compute(2)
    f = new_function(p.module, "f")
    g = new_function(p.module, "g")
    for caller, callee in ((p.main, f), (f, g), (g, f)):
        p.b.at(caller.entry())
        p.b.emit(op.FunctionCall, f.result, [callee])
        p.b.return_()
    with pytest.raises(InputError) as caught:
        p.run()
    (found,) = caught.value.diagnostics
    assert found.code == "RK1003" and "%f" in found.notes[0].message and "%g" in found.notes[0].message


def test_entry_points_are_found_by_name() -> None:
    p = Compute(2)
    p.b.return_()
    p.module.entry_points.append(annotation(op.EntryPoint, [enums.ExecutionModelGLCompute, p.main, "second"]))
    assert run(p.module, "second").entry == "second"
    for wrong in (None, "third"):
        with pytest.raises(InputError) as caught:
            run(p.module, wrong)
        assert caught.value.diagnostics[0].code == "RK1002"
        assert caught.value.diagnostics[0].help == "name one of: main, second"


@pytest.mark.parametrize(
    "options",
    [
        ("both", "never", "lifo", "terminate"),
        ("label", "maybe", "lifo", "terminate"),
        ("label", "random:", "lifo", "terminate"),
        ("label", "never", "random:x", "terminate"),
        ("label", "never", "lifo", "off"),
    ],
)
def test_policies_that_are_not(options: tuple[str, str, str, str]) -> None:
    with pytest.raises(InputError) as caught:
        Policy(*options)
    assert caught.value.diagnostics[0].code == "RK1006"


@pytest.mark.parametrize("size", [0, 3, 256])
def test_subgroup_sizes_that_are_not(size: int) -> None:
    p = Compute(2)
    p.b.return_()
    with pytest.raises(InputError) as caught:
        run(p.module, subgroup_size=size)
    assert caught.value.diagnostics[0].code == "RK1006"


def test_a_data_race_is_reported_when_asked_for() -> None:
    """Lane i stores to out[0]; then, after a barrier, out[1] is loaded by all and stored by lane 1 alone before it:
    fine."""
    p = Compute(2)
    p.when(p.test(op.IEqual, p.index, p.const(1)), lambda: p.out(p.const(4), p.const(1)))
    barrier(p, semantics=enums.MemorySemanticsAcquireRelease | enums.MemorySemanticsUniformMemory)
    p.b.load(p.u32, p.place(p.const(1)))
    p.b.return_()
    assert prepare(p.module, races=True).run(Policy()).diagnostics == []
    q = Compute(2)
    q.out(q.index, q.const(0))
    q.b.return_()
    found = only(prepare(q.module, races=True).run(Policy()), "RK1017")
    assert found.message == "data race: OpStore by lane 1 on word 0 of out"
    assert prepare(q.module).run(Policy()).diagnostics == []


def test_a_terminated_lane_is_waited_for_nowhere() -> None:
    """Lane 0 ends inside a called function, inside an if: after the call and after the loop the others meet without
    it."""
    p = Compute(4)
    f = new_function(p.module, "f")
    loop = p.b.open_loop()
    p.b.at(loop.body.entry())
    p.b.emit(op.FunctionCall, f.result, [f])
    p.out(p.ballot())
    p.b.break_(loop)
    p.b.at(loop.after())
    p.out(p.op2(op.BitwiseOr, p.b.load(p.u32, p.place(p.index)), p.op2(op.ShiftLeftLogical, p.ballot(), p.const(4))))
    p.b.return_()
    p.b.at(f.entry())
    again = p.b.load(p.u32, p.builtin(enums.BuiltInLocalInvocationIndex, p.u32))
    p.when(p.test(op.IEqual, again, p.const(0)), lambda: p.b.exit(op.TerminateInvocation, []))
    p.b.return_()
    assert p.words(4) == [0, 0xEE, 0xEE, 0xEE]


@pytest.mark.parametrize("kill, expected", [("terminate", 0b1110), ("demote", 0b1110)])
def test_kill_in_a_branch(kill: str, expected: int) -> None:
    """Lane 0 kills: it stores nothing afterwards either way, and as the branch ends there it is not in the next
    ballot."""
    p = Compute(4)
    p.when(p.test(op.IEqual, p.index, p.const(0)), lambda: p.b.exit(op.Kill, []))
    p.out(p.ballot())
    p.b.return_()
    result = prepare(p.module, subgroup_size=4, kill=kill).run(Policy(kill=kill))
    assert result.buffers["out"].words == [0, expected, expected, expected]


def test_a_demoted_lane_stays_in_its_tangle_and_stores_nothing() -> None:
    p = Compute(4)
    test = p.b.open_if(p.test(op.IEqual, p.index, p.const(2)))
    p.b.at(test.then.entry())
    p.b.effect(op.DemoteToHelperInvocation, [])
    p.b.at(test.after())
    helper = p.b.emit(op.IsHelperInvocationEXT, p.bool, [])
    p.out(p.op2(op.IAdd, p.ballot(), p.b.emit(op.Select, p.u32, [helper, p.const(100), p.const(0)])))
    assert p.words(4) == [15, 15, 0, 15]


def test_buffers_that_do_not_fit() -> None:
    p = Compute(2)
    p.block_buffer("pair", 1, [p.u32, vector_type(p.module, p.u32, 4)], [0, 16])
    p.b.return_()
    program = prepare(p.module)
    for given in ({"pair": [1] * 7}, {"pair": [1] * 20}, {"nothing": [1]}, {"out": [1 << 32]}, {"out": ["x"]}):
        with pytest.raises(InputError) as caught:
            program.run(Policy(), buffers=given)
        assert caught.value.diagnostics[0].code == "RK1004"
    assert program.run(Policy(), buffers={"pair": [1] * 8, "0.0": [-1]}).buffers["out"].words == [0xFFFFFFFF]


def test_a_function_that_ends_without_a_return() -> None:
    p = Compute(2)
    assert p.main.entry().jump is None
    with pytest.raises(InputError) as caught:
        prepare(p.module)
    assert "without a return" in caught.value.diagnostics[0].message
    assert isinstance(p.index, Instr)


BLOCKS = """module 1.4
Capability Shader
Capability WorkgroupMemoryExplicitLayoutKHR
Extension "SPV_KHR_workgroup_memory_explicit_layout"
MemoryModel Logical GLSL450
EntryPoint GLCompute @main "main" %a, %b
ExecutionMode @main LocalSize 1 1 1
Decorate %A Block
Decorate %B Block
MemberDecorate %A 0 Offset 0
MemberDecorate %B 0 Offset 0
Decorate %a Aliased
Decorate %b Aliased
%A = TypeStruct u32
%B = TypeStruct i32
%a = Variable Workgroup : ptr<Workgroup, %A>
%b = Variable Workgroup : ptr<Workgroup, %B>

func @main() -> void {
  %to = AccessChain %a, 0u : ptr<Workgroup, u32>
  Store %to, 1u
  USE
  return
}
"""


def test_workgroup_blocks_share_one_memory_which_is_refused() -> None:
    """SPV_KHR_workgroup_memory_explicit_layout: variables of Block types begin at the same place."""
    use = "%from = AccessChain %b, 0u : ptr<Workgroup, i32>\n  %v = Load %from : i32"
    with pytest.raises(InputError, match="RK1001.*one of several Workgroup blocks, which share one memory"):
        run(parse(BLOCKS.replace("USE", use)))
    run(parse(BLOCKS.replace("USE", "")))  # of one that code uses there is no other


TRACING = """module 1.4
Capability Shader
Capability RayQueryKHR
Extension "SPV_KHR_ray_query"
MemoryModel Logical GLSL450
EntryPoint GLCompute @main "main" %scene
ExecutionMode @main LocalSize 1 1 1
Decorate %scene DescriptorSet 0
Decorate %scene Binding 0
%Scene = TypeAccelerationStructureKHR
%scene = Variable UniformConstant : ptr<UniformConstant, %Scene>

func @main() -> void {
  %top = Load %scene : %Scene
  return
}
"""


def test_what_has_no_values_is_named() -> None:
    with pytest.raises(InputError, match="it points to OpTypeAccelerationStructureKHR, of which the simulator has no"):
        run(parse(TRACING))
