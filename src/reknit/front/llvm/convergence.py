"""Which loop a block is in, where the edges alone put it behind the loop.

    dx.break.cond                             br i1 %never, label %head-ward, label %out     DXC keeps an edge that is
      break blocks keep a back edge           never taken, so that the block stays in the loop; it is folded here
    br ..., label %head, ..., !llvm.loop !7   the block is a latch of %head's loop, though the edge is never taken
    llvm.experimental.convergence.loop        %t in the header, call [ "convergencectrl"(token %t) ] where it is used

Both become hints of the flat function: (block, header, origin). See `ir.hint`. Source: LLVM, "Convergence And
Uniformity"; DXC, "DxilPreserveWaveSensitiveBreaks".
"""

from typing import Final

from reknit.analysis.natural_loops import natural_loops
from reknit.front.llvm import syntax
from reknit.front.llvm.syntax import Operand, Routine, Statement
from reknit.source.meter import spend

BREAK: Final = "dx.break.cond"
TOKEN: Final = "convergence token"
LOOP: Final = "llvm.loop"
_HEART: Final = "llvm.experimental.convergence.loop"


def never_taken(routine: Routine) -> dict[Statement, int]:
    """The branches on `dx.break.cond`, with the place of the target that is taken."""
    known = known_values(routine)
    definitions = {statement.name: statement for statement in known}
    taken: dict[Statement, int] = {}
    for chunk in routine.chunks:
        end = chunk.statements[-1]
        if end.op == "br" and end.operands and end.operands[0].kind == syntax.LOCAL:
            test = definitions.get(end.operands[0].text)
            if test is not None and test.op == "icmp":
                taken[end] = 0 if known[test] else 1
    return taken


def known_values(routine: Routine) -> dict[Statement, int]:
    """The loads of `dx.break.cond`, a constant zero, and the comparisons of them with a number: what they give."""
    definitions = {
        definition.name: definition for chunk in routine.chunks for definition in chunk.statements if definition.name
    }
    values: dict[Statement, int] = {}
    for statement in definitions.values():
        itself = Operand(syntax.LOCAL, statement.type, statement.name)
        if statement.op == "load" and _is_break_load(itself, definitions):
            values[statement] = 0
        elif statement.op == "icmp" and statement.words[:1] in (["eq"], ["ne"]):
            load, other = statement.operands
            if other.kind in (syntax.NUMBER, syntax.ZERO) and _is_break_load(load, definitions):
                values[statement] = int((other.number == 0) == (statement.words[0] == "eq"))
    return values


def _is_break_load(operand: Operand, definitions: dict[str, Statement]) -> bool:
    load = definitions.get(operand.text) if operand.kind == syntax.LOCAL else None
    if load is None or load.op != "load":
        return False
    at = load.operands[0]
    seen: set[str] = set()  # a wrong module may compute an address from itself
    while True:
        spend(1)
        if at.kind == syntax.EXPRESSION and at.parts:
            at = at.parts[0]
        elif at.kind == syntax.LOCAL and at.text not in seen and _is_address(definitions.get(at.text)):
            seen.add(at.text)
            at = definitions[at.text].operands[0]
        else:
            return at.kind == syntax.GLOBAL and at.text == BREAK


def _is_address(statement: Statement | None) -> bool:
    return statement is not None and statement.op == "getelementptr"


def members(routine: Routine, folded: dict[Statement, int]) -> list[tuple[str, str, str]]:
    """(block, header, origin), by names, for the blocks that the graph without never-taken edges has elsewhere."""
    names = [chunk.name for chunk in routine.chunks]
    number = {name: index for index, name in enumerate(names)}
    full = [[number[target] for target in chunk.targets()] for chunk in routine.chunks]
    real: list[list[int]] = []
    for index, chunk in enumerate(routine.chunks):
        taken = folded.get(chunk.statements[-1])
        real.append(full[index] if taken is None else [number[chunk.statements[-1].blocks[taken]]])
    sources: list[list[int]] = [[] for _ in names]
    for index, row in enumerate(real):
        for target in row:
            sources[target].append(index)
    reached = _reached(real)
    inside = _loops(real, reached)
    member_of: dict[tuple[int, int], str] = {}
    for header, wider in _loops(full, _reached(full)).items():
        if header not in inside:
            continue
        for node in wider:
            if node in reached and node not in inside[header]:
                is_latch = header in full[node] and LOOP in routine.chunks[node].statements[-1].metadata
                member_of[(node, header)] = LOOP if is_latch else BREAK
    for node, header in _token_uses(routine, number):
        if header not in inside:
            continue
        member_of.setdefault((header, header), TOKEN)
        work = [node]
        while work:
            spend(1)
            at = work.pop()
            if at in inside[header] or (at, header) in member_of or at not in reached:
                continue
            member_of[(at, header)] = TOKEN
            work.extend(sources[at])
    return [(names[node], names[header], origin) for (node, header), origin in sorted(member_of.items())]


def headers_of(routine: Routine) -> dict[str, list[str]]:
    """By block: the headers of the loops that it is a latch of, and itself if it heads one; others aren't there."""
    names = [chunk.name for chunk in routine.chunks]
    number = {name: index for index, name in enumerate(names)}
    full = [[number[target] for target in chunk.targets()] for chunk in routine.chunks]
    headers_by: dict[str, list[str]] = {}
    for header, inside in _loops(full, _reached(full)).items():
        for node in inside:
            if header in full[node] or node == header:
                headers_by.setdefault(names[node], []).append(names[header])
    return headers_by


def _reached(targets: list[list[int]]) -> dict[int, None]:
    seen: dict[int, None] = {0: None}
    work = [0]
    while work:
        spend(1)
        for target in targets[work.pop()]:
            if target not in seen:
                seen[target] = None
                work.append(target)
    return seen


def _loops(targets: list[list[int]], reached: dict[int, None]) -> dict[int, dict[int, None]]:
    """The members of each loop, by its header."""
    order = list(reached)
    place = {node: index for index, node in enumerate(order)}
    loops = natural_loops([[place[target] for target in targets[node]] for node in order])
    inside: dict[int, dict[int, None]] = {order[header]: {} for header in loops.header}
    for index, node in enumerate(order):
        loop = loops.innermost[index]
        while loop >= 0:
            inside[order[loops.header[loop]]][node] = None
            loop = loops.parent[loop]
    return inside


def _token_uses(routine: Routine, number: dict[str, int]) -> list[tuple[int, int]]:
    """(block of a use, block of the loop's heart)"""
    hearts: dict[str, int] = {}
    for chunk in routine.chunks:
        for statement in chunk.statements:
            if statement.op == "call" and statement.callee == _HEART:
                hearts[statement.name] = number[chunk.name]
    uses: list[tuple[int, int]] = []
    for chunk in routine.chunks:
        for statement in chunk.statements:
            if statement.token in hearts:
                uses.append((number[chunk.name], hearts[statement.token]))
    uses.extend([(heart, heart) for heart in hearts.values()])
    return uses
