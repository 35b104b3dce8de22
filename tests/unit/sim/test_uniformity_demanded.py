"""What the table of opcodes demands of those that execute an instruction, in runs and in lint.

SPV_KHR_uniform_group_instructions, of OpGroupIMulKHR and its like: "Behavior is undefined if not all invocations of
this module within Execution reach this point of execution. Behavior is undefined unless all invocations within
Execution execute the same dynamic instance of this instruction." SPIR-V 1.6 says the second of OpGroupAll, OpGroupAny,
OpGroupBroadcast, OpGroupIAdd and the other group instructions of its first version.

Vulkan, VUID-RuntimeSpirv-subgroupBroadcastDynamicId-06277: "the "Id" for OpGroupNonUniformBroadcast must: be
dynamically uniform within the subgroup".
"""

import pytest
from kit.programs.compute import Compute

from reknit.checks.lint.lint import lint_module
from reknit.ir import enums, op, traits
from reknit.ir.instr import Instr
from reknit.sim.outcomes import outcomes
from reknit.sim.run import run

SIZES = [4, 8, 32, 64]


def group(p: Compute, scope: int, code: int = op.GroupIAdd) -> Instr:
    """An operation of the index, or of a condition, over a scope."""
    scope_id = p.const(scope)
    if code in (op.GroupAll, op.GroupAny):
        asked = p.test(op.ULessThan, p.index, p.const(9))
        answer = p.b.emit(code, asked.type, [scope_id, asked])
        return p.b.emit(op.Select, p.u32, [answer, p.const(1), p.const(0)])
    if code == op.GroupBroadcast:
        return p.b.emit(code, p.u32, [scope_id, p.index, p.const(0)])
    return p.b.emit(code, p.u32, [scope_id, enums.GroupOperationReduce, p.index])


CODES = [op.GroupIAdd, op.GroupUMax, op.GroupAll, op.GroupAny, op.GroupBroadcast, op.GroupBitwiseOrKHR]


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("code", CODES)
@pytest.mark.parametrize(("scope", "kind"), [(enums.ScopeSubgroup, "RK3012"), (enums.ScopeWorkgroup, "RK3007")])
def test_a_part_of_a_group_stops_the_run_and_is_reported(code: int, scope: int, kind: str, size: int) -> None:
    """Of 64 invocations those with an even index: no subgroup, and no workgroup, comes as a whole."""
    p = Compute(64)
    even = p.test(op.IEqual, p.op2(op.BitwiseAnd, p.index, p.const(1)), p.const(0))
    p.when(even, lambda: p.out(group(p, scope, code)))
    p.b.return_()
    result = run(p.module, subgroup_size=size)
    assert not result.finished
    assert [found.code for found in result.diagnostics] == ["RK1011"]
    assert ("subgroup" if scope == enums.ScopeSubgroup else "workgroup") in result.diagnostics[0].message
    assert [found.code for found in lint_module(p.module)] == [kind]


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("scope", [enums.ScopeSubgroup, enums.ScopeWorkgroup])
def test_all_of_a_group_may_execute_it(scope: int, size: int) -> None:
    p = Compute(64)
    p.out(group(p, scope))
    p.b.return_()
    sums = [sum(range(lane - lane % size, lane - lane % size + size)) for lane in range(64)]
    result = run(p.module, subgroup_size=size)
    assert result.finished
    assert result.buffers["out"].words == (sums if scope == enums.ScopeSubgroup else [sum(range(64))] * 64)
    assert not lint_module(p.module)


def test_whole_subgroups_may_come_where_the_scope_is_the_subgroup() -> None:
    """Invocations 0 to 7 of 16, in subgroups of 4 and of 8: those that come are whole. In subgroups of 16 they are
    not."""
    p = Compute(16)
    p.when(p.test(op.ULessThan, p.index, p.const(8)), lambda: p.out(group(p, enums.ScopeSubgroup)))
    p.b.return_()
    assert run(p.module, subgroup_size=4).buffers["out"].words == [6] * 4 + [22] * 4 + [0] * 8
    assert run(p.module, subgroup_size=8).buffers["out"].words == [28] * 8 + [0] * 8
    assert [found.code for found in run(p.module, subgroup_size=16).diagnostics] == ["RK1011"]


def test_a_workgroup_whose_last_subgroup_is_not_full() -> None:
    """6 invocations in subgroups of 4: the second has two, and both come."""
    p = Compute(6)
    p.out(group(p, enums.ScopeSubgroup))
    p.b.return_()
    result = run(p.module, subgroup_size=4)
    assert result.finished and result.buffers["out"].words == [6] * 4 + [9] * 2


def test_an_invocation_that_has_returned_is_missing() -> None:
    p = Compute(4)
    p.when(p.test(op.IEqual, p.index, p.const(3)), p.b.return_)
    p.out(group(p, enums.ScopeSubgroup))
    p.b.return_()
    [found] = run(p.module, subgroup_size=4).diagnostics
    assert found.code == "RK1011" and "lane 3" in found.notes[0].message


def test_operations_of_those_that_come_are_not_concerned() -> None:
    p = Compute(4)
    even = p.test(op.IEqual, p.op2(op.BitwiseAnd, p.index, p.const(1)), p.const(0))
    p.when(even, lambda: p.out(group(p, enums.ScopeSubgroup, op.GroupNonUniformIAdd)))
    p.b.return_()
    assert run(p.module, subgroup_size=4).buffers["out"].words == [2, 0, 2, 0]
    assert not lint_module(p.module)


def test_outcomes_name_what_must_be_uniform() -> None:
    p = Compute(4)
    p.when(p.test(op.ULessThan, p.index, p.const(2)), lambda: p.out(group(p, enums.ScopeSubgroup)))
    p.b.return_()
    found = outcomes(p.module, subgroup_size=4)
    assert not found.exhaustive
    assert [each.freedom for each in found.open] == ["not-uniform"]


# --- operands ---------------------------------------------------------------------------------------------------------


def broadcast(p: Compute, code: int, index: Instr) -> Instr:
    return p.b.emit(code, p.u32, [p.const(enums.ScopeSubgroup), p.index, index])


@pytest.mark.parametrize("code", [op.GroupNonUniformBroadcast, op.GroupNonUniformQuadBroadcast])
def test_an_index_must_be_the_same(code: int) -> None:
    p = Compute(4)
    p.out(broadcast(p, code, p.op2(op.BitwiseAnd, p.index, p.const(1))))
    p.b.return_()
    assert [found.code for found in run(p.module, subgroup_size=4).diagnostics] == ["RK1015"]
    assert [found.code for found in lint_module(p.module)] == ["RK3013"]


@pytest.mark.parametrize("code", [op.GroupNonUniformBroadcast, op.GroupNonUniformQuadBroadcast])
def test_an_index_that_is_the_same(code: int) -> None:
    """Twice a ballot's bit: 1 for all, or a constant."""
    p = Compute(4)
    same = p.op2(op.BitwiseAnd, p.ballot(), p.const(1))
    p.out(broadcast(p, code, same))
    p.out(broadcast(p, code, p.const(2)))
    p.b.return_()
    result = run(p.module, subgroup_size=4)
    assert not result.diagnostics and result.buffers["out"].words == [2] * 4
    assert not lint_module(p.module)


def test_the_table_has_each_group_instruction_of_the_first_version() -> None:
    """Those that SPIR-V 1.0 has as "Group Instructions", with capability Groups, and those of
    SPV_KHR_uniform_group_instructions."""
    folds = [
        "IAdd",
        "FAdd",
        "FMin",
        "UMin",
        "SMin",
        "FMax",
        "UMax",
        "SMax",
        "IMulKHR",
        "FMulKHR",
        "BitwiseAndKHR",
        "BitwiseOrKHR",
        "BitwiseXorKHR",
    ]
    folds += ["LogicalAndKHR", "LogicalOrKHR", "LogicalXorKHR"]
    for name in ["AsyncCopy", "WaitEvents", "All", "Any", "Broadcast", *folds]:
        assert traits.COMES[getattr(op, f"Group{name}")] == "scope"
    assert op.GroupNonUniformIAdd not in traits.COMES and op.GroupIAddNonUniformAMD not in traits.COMES
