"""A routine as a flat function: blocks in order, a Branch or Exit at each one's end.

    define i32 @f(i32 %x) { ... }    Function @f, structured False, blocks; hints say which loop a block is in
    br i1 %never (dx.break.cond)     the edge that is taken, and a hint
"""

from typing import Final

from reknit.front.llvm import arithmetic, copies, intrinsics, memory_statements, opaque, syntax
from reknit.front.llvm.composites import composite
from reknit.front.llvm.controls import ask
from reknit.front.llvm.convergence import known_values, members, never_taken
from reknit.front.llvm.dxil_calls import PREFIX as DXIL
from reknit.front.llvm.dxil_calls import dxil_call
from reknit.front.llvm.exported import joined, split
from reknit.front.llvm.intrinsics import PREFIX as LLVM
from reknit.front.llvm.intrinsics import intrinsic
from reknit.front.llvm.opencl import builtin_call, is_kernel, is_partwise
from reknit.front.llvm.parts import MAX_PARTS, count_of, is_wide
from reknit.front.llvm.places import NOWHERE, address, offset_of, which_of
from reknit.front.llvm.points import NULL
from reknit.front.llvm.results import Address, Pieces, Pointer, Result
from reknit.front.llvm.spirv_inputs import fill
from reknit.front.llvm.state import TAKES, Lowering
from reknit.front.llvm.syntax import Chunk, Operand, Statement
from reknit.front.llvm.unsupported import Refusal
from reknit.front.llvm.vendor_lanes import PREFIXES as VENDORS
from reknit.front.llvm.vendor_lanes import vendor_call
from reknit.front.llvm.wide import PARTWISE, by_parts, gathered, load_flat
from reknit.ir import enums, op
from reknit.ir.block import Block
from reknit.ir.constants import int_words
from reknit.ir.edit import add_block, append, set_jump
from reknit.ir.hint import Hint
from reknit.ir.instr import Instr
from reknit.ir.instr import Operand as Word
from reknit.ir.jump import Branch, Exit
from reknit.ir.value import Value

Complaint = tuple[Statement, Refusal]

_MEMORY: Final = {
    "alloca": memory_statements.alloca, "load": memory_statements.loaded, "store": memory_statements.stored,
    "getelementptr": memory_statements.stepped, "atomicrmw": memory_statements.atomic,
    "cmpxchg": memory_statements.exchanged, "fence": memory_statements.fence,
}  # fmt: skip
_CASTS: Final = (
    "zext", "sext", "trunc", "fptoui", "fptosi", "uitofp", "sitofp", "fpext", "fptrunc", "bitcast", "addrspacecast",
    "ptrtoint", "inttoptr",
)  # fmt: skip


def lower_routine(lowering: Lowering) -> list[Complaint]:
    """Fill in the function; what is outside the subset comes back, with an undefined value in its place."""
    routine = lowering.routine
    folded = never_taken(routine)
    known = known_values(routine)
    chunks = {chunk.name: chunk for chunk in routine.chunks}
    order = _order(routine.chunks, chunks, folded)
    reached = dict.fromkeys([chunk.name for chunk in order])
    for chunk in routine.chunks:
        if chunk.name in reached:
            block = Block(f"b{chunk.name}" if chunk.name.isdigit() else chunk.name)
            lowering.blocks[chunk.name] = block
    complaints: list[Complaint] = []
    refused: dict[str, None] = {}
    lowering.target.block = lowering.blocks[routine.chunks[0].name]
    _entry(lowering)
    for chunk in order:
        lowering.target.block = lowering.blocks[chunk.name]
        lowering.chunk = chunk.name
        for statement in chunk.statements[:-1]:
            if statement in known:
                lowering.values[statement.name] = lowering.target.constant(statement.type, known[statement])
                continue
            try:
                lowering.set(statement, lower_statement(lowering, statement))
            except Refusal as refusal:
                _complain(complaints, refused, statement, refusal)
                lowering.set(statement, _stand_in(lowering, statement))
        end = chunk.statements[-1]
        lowering.ends[chunk.name] = lowering.target.block
        try:
            _finish(lowering, end, folded.get(end))
        except Refusal as refusal:
            _complain(complaints, refused, end, refusal)
            set_jump(lowering.target.block, Exit(Instr(op.Unreachable, None, [], "", False)))
    for name, block in lowering.blocks.items():
        for one in (block, *lowering.more.get(name, ())):
            one.order = len(lowering.function.blocks)
            add_block(lowering.function, one)
    complaints += _fill_phis(lowering, order, folded)
    for name, header, origin in members(routine, folded):
        if name in lowering.blocks and header in lowering.blocks:
            last = (lowering.blocks if name == header else lowering.ends)[name]
            lowering.function.hints.append(Hint(last, lowering.blocks[header], origin))
    ask(lowering)
    return complaints


def _complain(
    complaints: list[Complaint], refused: dict[str, None], statement: Statement, refusal: Refusal
) -> None:
    """Of a statement that takes what could not be read (`refused`), what its operands are is no fault of its own."""
    follows = any(each.kind == syntax.LOCAL and each.text.split("\0")[0] in refused for each in statement.operands)
    if not (follows and refusal.what.startswith(TAKES)):
        complaints.append((statement, refusal))
    if statement.name:
        refused[statement.name.split("\0")[0]] = None


def _entry(lowering: Lowering) -> None:
    """Local variables, and a kernel's arguments; pixels that take turns do so from here to the end."""
    target = lowering.target
    for chunk in lowering.routine.chunks:
        for statement in chunk.statements:
            root = lowering.scene.allocas.get(statement)
            if root is not None and root.unit and root.storage == enums.StorageClassFunction:
                append(target.block, root.declare(target))
    if lowering.scene.ordered == lowering.routine.name:
        target.effect(op.BeginInvocationInterlockEXT, [])
    params = list(lowering.function.params)
    for name, type in lowering.routine.parameters:
        given = lowering.scene.arguments.get((lowering.routine.name, name))
        described = lowering.scene.opaque.get((lowering.routine.name, name))
        if described is not None:
            lowering.values[name] = described
        elif given is None:
            lowering.values[name] = split(target, type, params.pop(0))
        elif type.kind == syntax.PTR:
            lowering.values[name] = Pointer(given, [], 0)
        else:
            whole = Statement("load", name, 0, type)
            lowering.values[name] = gathered(lowering, whole, type, load_flat(lowering, Pointer(given, [], 0), type))
    if is_kernel(lowering.routine) or lowering.routine.name in lowering.scene.exported:
        fill(lowering)


def _order(routine_chunks: list[Chunk], chunks: dict[str, Chunk], folded: dict[Statement, int]) -> list[Chunk]:
    """The blocks that are reached, each after its dominator: reverse post-order."""
    first = routine_chunks[0]
    seen: dict[str, None] = {first.name: None}
    path: list[tuple[Chunk, list[str]]] = [(first, list(reversed(_targets(first, folded))))]
    order: list[Chunk] = []
    while path:
        chunk, left = path[-1]
        if not left:
            order.append(chunk)
            path.pop()
            continue
        name = left.pop()
        if name not in seen:
            seen[name] = None
            path.append((chunks[name], list(reversed(_targets(chunks[name], folded)))))
    order.reverse()
    return order


def _targets(chunk: Chunk, folded: dict[Statement, int]) -> list[str]:
    end = chunk.statements[-1]
    return [end.blocks[folded[end]]] if end in folded else chunk.targets()


def _stand_in(lowering: Lowering, statement: Statement) -> Result:
    """Something for the users of what could not be read, so that they can be looked at as well."""
    if is_wide(statement.type):
        return Pieces([None] * count_of(statement.type)) if count_of(statement.type) <= MAX_PARTS else None
    try:
        return lowering.target.undefined(statement.type)
    except Refusal:
        return None


# --- statements -------------------------------------------------------------------------------------------------------


def lower_statement(lowering: Lowering, statement: Statement) -> Result:
    """Raises Refusal."""
    word = statement.op
    if not statement.known:
        through = "calls a function through a pointer" if word == "call" else f"is {word!r}"
        raise Refusal(f"{through}, which is not read here")
    if word != "call" and _passes_opaque(statement):
        return None if word in ("alloca", "store") else opaque.passed(lowering, statement)
    if word in PARTWISE and _works_on_parts(statement):
        return by_parts(lowering, statement, lower_statement)
    if word in arithmetic.BINARY:
        return arithmetic.binary(lowering, statement)
    if word in ("icmp", "fcmp"):
        return arithmetic.compare(lowering, statement)
    if word in _CASTS:
        return arithmetic.convert(lowering, statement)
    if word in _MEMORY:
        return _MEMORY[word](lowering, statement)
    if word == "phi":
        return _phi(lowering, statement)
    if word == "select":
        return _select(lowering, statement)
    if word == "call":
        return _call(lowering, statement)
    if word == "fneg":
        return arithmetic.negate(lowering, statement)
    if word == "freeze":
        return lowering.result(statement.operands[0])
    return composite(lowering, statement)


def _call(lowering: Lowering, statement: Statement) -> Result:
    if statement.callee.startswith(DXIL):
        try:
            return dxil_call(lowering, statement)
        except (IndexError, KeyError, ValueError):  # LLVM checks a call by its declaration, not by what DXIL says
            raise Refusal("has other operands than the operation of DXIL takes") from None
    given = lowering.scene.allocas.get(statement)
    if given is not None:
        return Pointer(given, [], 0)
    described = opaque.given(lowering.scene, statement)
    if described is not None:
        return described
    if copies.is_copy(statement):
        is_fill = statement.callee.startswith("llvm.memset")
        return copies.filled(lowering, statement) if is_fill else copies.copied(lowering, statement)
    if statement.callee.startswith(VENDORS):
        return vendor_call(lowering, statement)
    if statement.callee.startswith(LLVM):
        return intrinsic(lowering, statement)
    refused = lowering.scene.unreadable.get(statement.callee)
    if refused is not None:
        raise Refusal(f"calls @{statement.callee}, which {refused.what}", refused.help)
    function = lowering.scene.functions.get(statement.callee)
    if function is None or function.is_declaration():
        try:
            return _built_in(lowering, statement)
        except Refusal as refusal:
            if function is None:
                raise _of_call(statement, refusal) from None
    operands: list[Word] = [function]
    for operand in statement.operands:
        try:
            operands.append(lowering.value(operand))
        except Refusal as refusal:
            raise _of_call(statement, refusal) from None
    ir_type = lowering.type(statement)
    types = [operand.type for operand in operands[1:] if isinstance(operand, Instr)]
    if ir_type is not function.result or types != [param.type for param in function.params]:
        raise Refusal(f"calls @{statement.callee} with other types than its own")
    return lowering.target.emit(op.FunctionCall, ir_type, operands)


def _of_call(statement: Statement, refusal: Refusal) -> Refusal:
    """What is said of a call names the function, also where it is an operand that can't be passed."""
    if not refusal.what.startswith(TAKES):
        return refusal
    what = f"calls @{statement.callee}, which is not read here: it {refusal.what}"
    return Refusal(what, refusal.help or "inline it, or define it in the module")


def _built_in(lowering: Lowering, statement: Statement) -> Result:
    """LLVM checks a call by its declaration, which may say what it likes of a function that has a meaning here."""
    try:
        result = builtin_call(lowering, statement)
    except (IndexError, KeyError, ValueError):
        raise Refusal(f"calls @{statement.callee} with other operands than the function takes") from None
    if statement.name and isinstance(result, Instr) and result.type is not lowering.type(statement):
        raise Refusal(f"calls @{statement.callee} for a {statement.type.name}, which it does not give")
    return result


def _passes_opaque(statement: Statement) -> bool:
    """Whether an image or sampler goes into a variable or another value."""
    if statement.op == "alloca":
        return statement.source is not None and opaque.is_opaque(statement.source)
    return opaque.is_opaque(statement.operands[0].type if statement.op == "store" else statement.type)


def _works_on_parts(statement: Statement) -> bool:
    """Whether it does the same for each part of what SPIR-V's shaders have no type for."""
    if statement.op == "call":
        if not is_wide(statement.type) or statement.type.kind != syntax.VECTOR:
            return False
        return intrinsics.is_partwise(statement) or is_partwise(statement)
    if statement.op == "getelementptr":
        return is_wide(statement.type)
    if statement.op == "phi":
        return is_wide(statement.type)
    return is_wide(statement.type) or (bool(statement.operands) and is_wide(statement.operands[-1].type))


def _select(lowering: Lowering, statement: Statement) -> Result:
    if statement.type.kind != syntax.PTR:
        return arithmetic.select(lowering, statement)
    yes, no = [lowering.place(operand) for operand in statement.operands[1:]]
    target = lowering.target
    condition = lowering.value(statement.operands[0])
    roots = list(dict.fromkeys([root for operand in statement.operands[1:] for root in lowering.roots_of(operand)]))
    values: list[Value] = []
    for of in (which_of(lowering, yes), which_of(lowering, no)), (offset_of(target, yes), offset_of(target, no)):
        values.append(of[0] if of[0] is of[1] else target.emit(op.Select, target.u32, [condition, *of]))
    return address(roots, *values)


# --- phis and ends ----------------------------------------------------------------------------------------------------


def _phi(lowering: Lowering, statement: Statement) -> Result:
    target = lowering.target
    if statement.type.kind == syntax.PTR:
        name = (statement.origin.name if "\0" in statement.name and statement.origin is not None else statement.name)
        roots = lowering.scene.points.of_local(lowering.routine.name, name)
        if all(root is NULL for root in roots):
            raise Refusal(NOWHERE.replace("goes through", "chooses"))
        offset = append(target.block, Instr(op.Phi, target.u32, []))
        lowering.late.append((offset, statement, 0))
        if len(roots) == 1:
            return address(roots, offset, offset)
        which = append(target.block, Instr(op.Phi, target.u32, []))
        lowering.late.append((which, statement, 1))
        return address(roots, which, offset)
    phi = append(target.block, Instr(op.Phi, lowering.type(statement), []))
    lowering.late.append((phi, statement, 0))
    return phi


def _fill_phis(lowering: Lowering, order: list[Chunk], folded: dict[Statement, int]) -> list[Complaint]:
    """A pair for each block that goes there, now that all values exist."""
    sources: dict[str, dict[str, None]] = {}
    for chunk in order:
        for name in _targets(chunk, folded):
            sources.setdefault(name, {})[chunk.name] = None
    names = {block: name for name, block in lowering.blocks.items()}
    complaints: list[Complaint] = []
    for phi, statement, part in lowering.late:
        assert phi.block is not None
        pending = dict(sources.get(names[phi.block], {}))
        pairs: list[Word] = []
        for operand, source in zip(statement.operands, statement.blocks, strict=True):
            if source not in pending:
                continue  # listed before, or no path leads from there
            del pending[source]
            end = lowering.ends[source]
            lowering.target.block = end
            try:
                pairs += [_phi_value(lowering, statement, operand, part), end]
            except Refusal as refusal:
                complaints.append((statement.origin or statement, refusal))
        phi.set_operands(pairs)
    return complaints


def _phi_value(lowering: Lowering, statement: Statement, operand: Operand, part: int) -> Value:
    """Of pointers: 0 the offset, 1 which object."""
    if statement.type.kind != syntax.PTR:
        return lowering.value(operand)
    place: Address = lowering.place(operand)
    return which_of(lowering, place) if part else offset_of(lowering.target, place)


def _finish(lowering: Lowering, end: Statement, taken: int | None) -> None:
    """The block's jump."""
    block = lowering.target.block
    blocks = [lowering.blocks[name] for name in end.blocks if name in lowering.blocks]
    if end.op == "ret":
        if lowering.scene.ordered == lowering.routine.name:
            lowering.target.effect(op.EndInvocationInterlockEXT, [])
        returned = [operand for operand in end.operands if operand.type.kind != syntax.PTR]
        operands: list[Word] = [joined(lowering, operand) for operand in returned]
        set_jump(block, Exit(Instr(op.ReturnValue if operands else op.Return, None, operands, "", False)))
    elif end.op == "unreachable":
        set_jump(block, Exit(Instr(op.Unreachable, None, [], "", False)))
    elif end.op == "br":
        if taken is not None:
            _goto(block, lowering.blocks[end.blocks[taken]])
        elif len(blocks) == 1 or blocks[0] is blocks[1]:
            _goto(block, blocks[0])
        else:
            words: list[Word] = [lowering.value(end.operands[0]), *blocks]
            set_jump(block, Branch(Instr(op.BranchConditional, None, words, "", False)))
    elif end.op == "switch":
        _switch(lowering, end, block, blocks)
    else:
        raise Refusal(f"is {end.op!r}, which ends a block in a way that is not read here")


def _goto(block: Block, target: Block) -> None:
    set_jump(block, Branch(Instr(op.Branch, None, [target], "", False)))


def _switch(lowering: Lowering, end: Statement, block: Block, blocks: list[Block]) -> None:
    type = end.operands[0].type
    width = lowering.target.held(type.width) if type.width <= 64 else 0
    selector = lowering.value(end.operands[0])
    if type.is_bool():
        yes = [blocks[place] for place, operand in enumerate(end.operands) if place and operand.number & 1]
        no = [blocks[place] for place, operand in enumerate(end.operands) if place and not operand.number & 1]
        operands: list[Word] = [selector, (yes + blocks[:1])[0], (no + blocks[:1])[0]]
        if operands[1] is operands[2]:
            _goto(block, blocks[0])
        else:
            set_jump(block, Branch(Instr(op.BranchConditional, None, operands, "", False)))
        return
    lowering.target.type(type)
    words: list[Word] = [selector, blocks[0]]
    for operand, target in zip(end.operands[1:], blocks[1:], strict=True):
        words += [*int_words(width, False, operand.number & (1 << type.width) - 1), target]
    set_jump(block, Branch(Instr(op.Switch, None, words, "", False)))
