"""Random call graphs beside networkx, and what a decoration is on, line by line."""

import random

import networkx as nx

from reknit.analysis.callgraph import CallGraph, callees_first
from reknit.analysis.decorations import Decorations
from reknit.analysis.manager import Analyses
from reknit.analysis.tangled import Tangled
from reknit.ir import enums
from reknit.ir.instr import Instr
from reknit.ir.text.parser import parse

HEAD = "Capability Shader\nCapability GroupNonUniformBallot\nMemoryModel Logical GLSL450\n"


def program(calls: list[list[int]], entries: list[int], ballots: list[int]) -> str:
    lines = [HEAD, *[f'EntryPoint GLCompute @f{entry} "e{place}"\n' for place, entry in enumerate(entries)]]
    for number, called in enumerate(calls):
        body = [f"  %r{place} = FunctionCall @f{callee} : void\n" for place, callee in enumerate(called)]
        if number in ballots:
            body.append("  %b = GroupNonUniformBallot 3u, true : vec4<u32>\n")
        lines.append(f"func @f{number}() -> void {{\n{''.join(body)}  return\n}}\n")
    return "".join(lines)


def test_random_call_graphs() -> None:
    for seed in range(150):
        chance = random.Random(seed)
        count = chance.randint(1, 7)
        calls = [[chance.randrange(count) for _ in range(chance.choice((0, 0, 1, 2, 3)))] for _ in range(count)]
        if seed % 2:  # no recursion
            calls = [[callee for callee in row if callee > number] for number, row in enumerate(calls)]
        entries = [chance.randrange(count) for _ in range(chance.randrange(3))]
        ballots = [number for number in range(count) if chance.random() < 0.2]
        module = parse(program(calls, entries, ballots))
        functions = module.functions
        graph: nx.DiGraph[int] = nx.DiGraph()
        graph.add_nodes_from(range(count))
        graph.add_edges_from((caller, callee) for caller, row in enumerate(calls) for callee in row)
        analyses = Analyses(module)
        found = analyses.of_module(CallGraph)
        assert found.entry_points == [functions[entry] for entry in dict.fromkeys(entries)]
        for number, function in enumerate(functions):
            assert found.callees[function] == [functions[callee] for callee in dict.fromkeys(calls[number])]
            callers = [functions[caller] for caller in range(count) if number in calls[caller]]
            assert found.callers[function] == callers
            below = {number, *nx.descendants(graph, number)}
            reachable = found.reachable(function)
            assert reachable[0] is function and set(reachable) == {functions[each] for each in below}
            assert len(reachable) == len(below)
            above = {number, *nx.ancestors(graph, number)}
            assert set(found.reaching([function])) == {functions[each] for each in above}
        tangled = analyses.of_module(Tangled).functions
        reach = [one for one in range(count) if {one, *nx.descendants(graph, one)} & set(ballots)]
        assert list(tangled) == [functions[one] for one in reach]
        on_cycles = {one for one in range(count) if any(one in nx.descendants(graph, to) | {to} for to in calls[one])}
        recursive = {one for one in range(count) if {one, *nx.descendants(graph, one)} & on_cycles}
        order, found_recursive = callees_first(found)
        assert sorted(order, key=functions.index) == functions
        assert set(found_recursive) == {functions[one] for one in recursive}
        place = {function: at for at, function in enumerate(order)}
        for one in set(range(count)) - recursive:
            assert all(place[functions[callee]] < place[functions[one]] for callee in calls[one])


DECORATED = """Decorate %a RelaxedPrecision
Decorate %a Restrict
MemberDecorate %S 1 Offset 4
MemberDecorate %T 0 MatrixStride 16
Decorate %array ArrayStride 4
MemberDecorate %U 0 NonWritable
Decorate %b NoContraction
%S = TypeStruct u32, u32
%T = TypeStruct mat2x2<f32>
%U = TypeStruct u32
%array = TypeArray u32, 3u
%nested = TypeStruct u32, %array
%plain = TypeArray %U, 3u
%twice = TypeStruct %U, %S, %S
%far = TypeStruct u32, ptr<Function, %S>
%mixed = TypeStruct %array, ptr<Function, u32>
%a = Variable Private : ptr<Private, u32>
%b = Variable Private : ptr<Private, u32>
"""


def test_decorations() -> None:
    module = parse(HEAD + DECORATED)
    found = Analyses(module).of_module(Decorations)
    named = {instr.name: instr for instr in module.globals if instr.name}
    assert found.of(named["a"]) == [enums.DecorationRelaxedPrecision, enums.DecorationRestrict]
    assert found.of(named["b"]) == [enums.DecorationNoContraction]
    assert found.of(named["S"]) == []
    laid_out = {name for name, instr in named.items() if name not in "ab" and found.laid_out(instr)}
    assert laid_out == {"S", "T", "array", "nested", "twice", "mixed"}
    assert found.same_as(Analyses(module).of_module(Decorations))
    other = Analyses(parse(HEAD + DECORATED)).of_module(Decorations)
    assert not found.same_as(other) and isinstance(named["a"], Instr)
