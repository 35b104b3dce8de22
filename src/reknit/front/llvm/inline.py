"""Calls of functions that SPIR-V can't have as they are, because they take or give pointers or aggregates or are
kernels: their bodies go where they are called.

    %r = call i32 @f(ptr %a)      br label %f.entry
                                  f.entry: ... %a for the parameter ...   br label %then
                                  then: %r = phi i32 [ what f returns, %f.end ]

Callees first, so that each body is copied once a call. A convergence token that the body takes from its entry is the
call's. A `byval` argument is a variable of the body's own, filled where the call is.
"""

from typing import Final

from reknit.front.llvm import syntax
from reknit.front.llvm.opencl import is_kernel
from reknit.front.llvm.syntax import Chunk, Operand, Program, Routine, Statement, Type
from reknit.source.meter import spend

MAX_STATEMENTS: Final = 50_000
"""Statements that are copied into a routine."""
COPY: Final = "llvm.memcpy.inline"
_ENTRY: Final = "llvm.experimental.convergence.entry"
_POINTER: Final = Type(syntax.PTR, "ptr")
_VOID: Final = Type(syntax.VOID, "void")


def inline_calls(program: Program, starts: list[str]) -> None:
    """Put bodies into all that `starts` lead to; no function calls itself. Beyond the bound none is copied."""
    order = _callees_first(program, starts)
    sizes: dict[str, int] = {}
    most = 0
    for name in order:
        statements = [statement for chunk in program.routines[name].chunks for statement in chunk.statements]
        callees = [program.routines.get(statement.callee) for statement in statements if statement.callee]
        copied = sum(sizes.get(callee.name, 0) for callee in callees if callee is not None and is_copied(callee))
        sizes[name] = len(statements) + copied
        most = max(most, copied)
    if most <= MAX_STATEMENTS:
        for name in order:
            _fill(program, program.routines[name])


def _callees_first(program: Program, starts: list[str]) -> list[str]:
    """The defined routines that `starts` lead to."""
    done: dict[str, None] = {}
    work = [(name, False) for name in starts[::-1]]
    while work:
        spend(1)
        name, ready = work.pop()
        routine = program.routines.get(name)
        if routine is None or name in done or not routine.chunks:
            continue
        if ready:
            done[name] = None
        else:
            work.append((name, True))
            calls = [one.callee for chunk in routine.chunks for one in chunk.statements if one.callee]
            work.extend([(callee, False) for callee in dict.fromkeys(calls)])
    return [*done]


def fits(type: Type) -> bool:
    """Whether a parameter or result of the type can stay one."""
    if type.kind == syntax.VECTOR:
        return 2 <= type.count <= 4 and type.parts[0].kind in (syntax.INT, syntax.FLOAT)
    return type.kind in (syntax.INT, syntax.FLOAT, syntax.VOID)


def is_copied(routine: Routine) -> bool:
    if not routine.chunks or routine.variadic:
        return False
    if is_kernel(routine):  # an entry point is called by none (SPIR-V 1.6, 2.16.1)
        return True
    return not (fits(routine.result) and all(fits(type) for _, type in routine.parameters))


def keep_own_copies(kernel: Routine) -> None:
    """A kernel's `byval` arguments that it may write to are variables that are filled at its start."""
    taken = _names_of(kernel)
    for name, type in kernel.byval.items():
        if not _is_only_read(kernel, name):
            first = kernel.chunks[0]
            own = Chunk(first.name)
            given = Operand(syntax.LOCAL, _POINTER, name)
            owned = _own_copy(first.statements[0], own, given, type, _fresh(taken, name))
            for chunk in kernel.chunks:
                for statement in chunk.statements:
                    statement.operands = [_operand(operand, {}, {name: owned}) for operand in statement.operands]
            first.statements[:0] = own.statements


def _is_only_read(routine: Routine, name: str) -> bool:
    users: dict[str, list[Statement]] = {}
    for chunk in routine.chunks:
        for statement in chunk.statements:
            for operand in statement.operands:
                if operand.kind == syntax.LOCAL:
                    users.setdefault(operand.text, []).append(statement)
    seen: dict[str, None] = {}
    work = [name]
    while work:
        at = work.pop()
        if at in seen:
            continue
        seen[at] = None
        for user in users.get(at, ()):
            if user.op in ("getelementptr", "phi", "select", "freeze", "addrspacecast", "bitcast"):
                work.append(user.name)
            elif user.callee.startswith(("llvm.memcpy", "llvm.memmove")):
                if user.operands[0].text == at:
                    return False
            elif user.op != "load" and not user.callee.startswith(("llvm.lifetime", "llvm.dbg", "llvm.assume")):
                return False
    return True


def _fill(program: Program, routine: Routine) -> None:
    taken: dict[str, None] | None = None
    chunks: list[Chunk] = []
    renamed: dict[str, str] = {}  # the block that a chunk's statements end in now
    for chunk in routine.chunks:
        current = Chunk(chunk.name)
        chunks.append(current)
        for statement in chunk.statements:
            callee = program.routines.get(statement.callee) if statement.op == "call" and statement.callee else None
            if callee is None or not is_copied(callee) or not _agrees(statement, callee):
                current.statements.append(statement)
                continue
            spend(sum(len(part.statements) for part in callee.chunks))
            if taken is None:
                taken = _names_of(routine)
            current = _paste(callee, statement, current, chunks, taken)
            renamed[chunk.name] = current.name
    if not renamed:
        return
    routine.chunks = chunks
    for chunk in chunks:
        for statement in chunk.statements:
            if statement.op != "phi":
                break
            statement.blocks = [renamed.get(block, block) for block in statement.blocks]


def _agrees(call: Statement, callee: Routine) -> bool:
    return len(call.operands) == len(callee.parameters) and all(
        operand.type.name == type.name for operand, (_, type) in zip(call.operands, callee.parameters, strict=True)
    )


def _names_of(routine: Routine) -> dict[str, None]:
    names = {name: None for name, _ in routine.parameters}
    for chunk in routine.chunks:
        names[chunk.name] = None
        for statement in chunk.statements:
            names[statement.name] = None
    return names


def _fresh(taken: dict[str, None], name: str) -> str:
    number = 0
    fresh = name
    while fresh in taken:
        number += 1
        fresh = f"{name}.{number}"
    taken[fresh] = None
    return fresh


def _paste(
    callee: Routine, call: Statement, before: Chunk, chunks: list[Chunk], taken: dict[str, None]
) -> Chunk:
    """Copy `callee` behind `before`; the chunk that goes on after the call."""
    plain = callee.name.removeprefix("__clang_ocl_kern_imp_")
    given = {name: operand for (name, _), operand in zip(callee.parameters, call.operands, strict=True)}
    blocks = {chunk.name: _fresh(taken, f"{plain}.{chunk.name}") for chunk in callee.chunks}
    names: dict[str, str] = {}
    tokens: dict[str, str] = {}
    for chunk in callee.chunks:
        for statement in chunk.statements:
            if statement.callee == _ENTRY:
                tokens[statement.name] = call.token
            elif statement.name:
                names[statement.name] = _fresh(taken, f"{plain}.{statement.name}")
    after = Chunk(_fresh(taken, f"{plain}.end"))
    for name, type in callee.byval.items():
        if name in given:
            given[name] = _own_copy(call, before, given[name], type, _fresh(taken, f"{plain}.{name}"))
    _go(before, blocks[callee.chunks[0].name], call.line)
    returned: list[tuple[Operand, str]] = []
    for chunk in callee.chunks:
        copied = Chunk(blocks[chunk.name])
        chunks.append(copied)
        for statement in chunk.statements:
            if statement.callee == _ENTRY:
                continue
            copy = _copied(statement, names, given, blocks)
            copy.token = tokens.get(statement.token, names.get(statement.token, statement.token))
            if copy.op == "ret":
                if copy.operands:
                    returned.append((copy.operands[0], copied.name))
                _go(copied, after.name, copy.line, copy)
            else:
                copied.statements.append(copy)
    if call.name and call.type.kind != syntax.VOID:
        phi = Statement("phi" if returned else "freeze", call.name, call.line, call.type)
        phi.origin = call
        phi.operands = [operand for operand, _ in returned] or [Operand(syntax.UNDEF, call.type)]
        phi.blocks = [block for _, block in returned]
        after.statements.append(phi)
    chunks.append(after)
    return after


def _go(chunk: Chunk, target: str, line: int, origin: Statement | None = None) -> None:
    jump = Statement("br", "", line, _VOID)
    jump.blocks.append(target)
    jump.origin = origin
    chunk.statements.append(jump)


def _own_copy(call: Statement, before: Chunk, given: Operand, type: Type, name: str) -> Operand:
    """A variable that holds what a `byval` argument points to."""
    variable = Statement("alloca", name, call.line, _POINTER)
    variable.source = type
    variable.origin = call
    copy = Statement("call", "", call.line, _VOID)
    copy.callee = COPY
    copy.origin = call
    copy.source = type
    own = Operand(syntax.LOCAL, _POINTER, name)
    copy.operands = [own, given]
    before.statements += [variable, copy]
    return own


def _copied(
    statement: Statement, names: dict[str, str], given: dict[str, Operand], blocks: dict[str, str]
) -> Statement:
    copy = Statement(statement.op, names.get(statement.name, ""), statement.line, statement.type)
    copy.operands = [_operand(operand, names, given) for operand in statement.operands]
    copy.words = statement.words
    copy.source = statement.source
    copy.literals = statement.literals
    copy.blocks = [blocks.get(block, block) for block in statement.blocks]
    copy.callee = statement.callee
    copy.align = statement.align
    copy.metadata = statement.metadata
    copy.known = statement.known
    copy.origin = statement
    return copy


def _operand(operand: Operand, names: dict[str, str], given: dict[str, Operand]) -> Operand:
    if operand.kind != syntax.LOCAL:
        return operand
    if operand.text in given:
        return given[operand.text]
    return Operand(syntax.LOCAL, operand.type, names.get(operand.text, operand.text))
