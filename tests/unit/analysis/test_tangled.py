"""CallGraph and Tangled: who may reach an operation that sees its tangle."""

import pytest
from kit.text.pass_texts import body

from reknit.analysis.callgraph import CallGraph
from reknit.analysis.manager import Analyses
from reknit.analysis.tangled import Tangled
from reknit.ir import op, traits
from reknit.ir.build import Builder, new_function
from reknit.ir.function import Function
from reknit.ir.module import Module
from reknit.ir.types import void_type
from reknit.ir.walk import instructions


def calling(edges: dict[str, list[str]], tangled: list[str]) -> tuple[Module, dict[str, Function]]:
    """main and the functions that `edges` names, with calls as it says; those in `tangled` have a barrier."""
    module = body("return")
    functions = {"main": module.functions[0]}
    for name in edges:
        if name != "main":
            functions[name] = new_function(module, name)
    for name, callees in edges.items():
        builder = Builder(module, functions[name].body.entry())
        for callee in callees:
            builder.emit(op.FunctionCall, void_type(module), [functions[callee]])
        if name in tangled:
            builder.effect(op.ControlBarrier, [])
        if name != "main":
            builder.return_()
    return module, functions


EDGES = {"main": ["shade", "lum", "shade"], "shade": ["deep"], "lum": [], "deep": ["shade"]}


def test_call_graph() -> None:
    module, functions = calling(EDGES, [])
    graph = Analyses(module).of_module(CallGraph)
    assert graph.callees[functions["main"]] == [functions["shade"], functions["lum"]]
    assert graph.callers[functions["shade"]] == [functions["main"], functions["deep"]]
    assert graph.entry_points == [functions["main"]]
    assert set(graph.reachable(functions["shade"])) == {functions["shade"], functions["deep"]}


@pytest.mark.parametrize(
    ("tangled", "expected"), [(["deep"], ["main", "shade", "deep"]), (["lum"], ["main", "lum"]), ([], [])]
)
def test_what_may_reach_a_tangled_operation(tangled: list[str], expected: list[str]) -> None:
    module, functions = calling(EDGES, tangled)
    found = Analyses(module).of_module(Tangled)
    assert [function.name for function in found.functions] == expected
    for call in instructions(functions["main"]):
        if call.op == op.FunctionCall:
            callee = call.operands[0]
            assert isinstance(callee, Function)
            assert found.is_tangled(call) == (callee.name in expected)


def test_the_opcodes() -> None:
    """Named in SPIR-V 1.6: group and subgroup operations, derivatives, implicit level of detail, control barriers; not
    memory barriers, explicit level of detail, arithmetic or atomics."""
    for code in (
        op.GroupNonUniformBallot, op.GroupNonUniformElect, op.GroupNonUniformQuadSwap, op.GroupNonUniformRotateKHR,
        op.SubgroupBallotKHR, op.GroupIAdd, op.DPdx, op.FwidthFine, op.ImageSampleImplicitLod, op.ImageQueryLod,
        op.ImageSparseSampleProjDrefImplicitLod, op.ControlBarrier, op.CooperativeMatrixMulAddKHR, op.TraceRayKHR,
    ):  # fmt: skip
        assert code in traits.TANGLED
    for code in (op.MemoryBarrier, op.ImageSampleExplicitLod, op.IAdd, op.AtomicIAdd, op.Load, op.FunctionCall, op.Phi):
        assert code not in traits.TANGLED
