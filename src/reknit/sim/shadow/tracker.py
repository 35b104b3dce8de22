"""Makes a program's runs tracked: a rule after each step, after moves of phis, arguments and results, at branches.

    step(lanes)  ->  step(lanes); what it reported as undefined; rule(lanes)

Once a program is tracked it stays so: its steps are changed, as they are by `sim.recording`.
"""

from typing import Final

from reknit.ir import enums, op, traits
from reknit.ir.function import Function
from reknit.ir.instr import Instr
from reknit.ir.opcodes import FIRST_OWN
from reknit.ir.types import storage_of
from reknit.ir.value import Value
from reknit.sim.code import Call, CodeBlock, DynamicCall, Edge, Leave, Route, Split, SwitchEnd, edges_of
from reknit.sim.kernel import Step
from reknit.sim.ops.composite import NO_COMPONENT
from reknit.sim.ops.interpolate import AT_PLACES
from reknit.sim.ops.tagged import is_cast
from reknit.sim.pointers import is_pointer, needs_address
from reknit.sim.prepare import holds_undef
from reknit.sim.shadow.assigned import UNDEFINED_AT_FIRST
from reknit.sim.shadow.groups import group_rule
from reknit.sim.shadow.images import read_rule, sampled_rule, write_rule
from reknit.sim.shadow.memory import (
    atomic_rule,
    copy_rule,
    enter_rule,
    load_rule,
    pair_rule,
    pointer_rule,
    store_rule,
)
from reknit.sim.shadow.shapes import joined, part_of, source_in
from reknit.sim.shadow.state import Tracker
from reknit.sim.shadow.values import Combine, Rule, Said, columns_rule, extended_rule, rule_of, unless_known, whole
from reknit.sim.steps import split_operands
from reknit.sim.values import POINTER_KIND

Pairs = list[tuple[Value, Value]]


def has_open_shuffle(instrs: list[Instr]) -> bool:
    """Whether a shuffle leaves components without a source, which no step reports."""
    return any(instr.op == op.VectorShuffle and NO_COMPONENT in instr.operands for instr in instrs)


CONSTANTS: Final = (op.Undef, op.ConstantComposite)


def takes_undef(instrs: list[Instr]) -> bool:
    """Whether one takes OpUndef itself, or a constant made of it, as an index of a chain may be."""
    return any(
        isinstance(operand, Instr) and operand.op in CONSTANTS and holds_undef(operand)
        for instr in instrs
        for operand in instr.operands
    )


def track(tracker: Tracker, code: list[CodeBlock]) -> None:
    """Changes the steps of a program."""
    preparation = tracker.preparation
    for value, cells in list(preparation.cells.items()):
        if isinstance(value, Instr) and value.type is not None and storage_of(value.type) in UNDEFINED_AT_FIRST:
            tracker.unwritten.track(cells, False)
            initial = value.operands[1] if len(value.operands) > 1 else None
            if isinstance(initial, Instr) and holds_undef(initial):
                tracker.initial[cells] = tracker.shadow_of_constant(initial, op.Undef)
    for block in code:
        if block.number == block.header:  # the first part of its block
            for instr in block.block:  # chains, too, which are no steps
                for operand in instr.operands:
                    constant(tracker, operand)
        for at, instr in enumerate(block.instrs):
            rule = made_rule(tracker, code, block, instr)
            if tracker.bounds is not None:
                rule = tracker.bounds.rule(instr, rule, size_of(tracker, instr))
            block.steps[at] = followed(tracker, block.steps[at], instr, rule)
        follow_end(tracker, code, block)


def size_of(tracker: Tracker, instr: Instr) -> int:
    """Of the instances of a group operation's scope."""
    scoped = instr.op in traits.SCOPED and traits.SIM.get(instr.op, "").startswith("group")
    if scoped and tracker.preparation.globals.values.get(instr.value(0)) == enums.ScopeWorkgroup:
        return tracker.preparation.lanes
    return tracker.preparation.subgroup_size


def constant(tracker: Tracker, value: object) -> None:
    """A constant that OpUndef is a part of is undefined in all lanes."""
    if tracker.bounds is not None and isinstance(value, Instr) and value.op in traits.CONSTANT:
        tracker.bounds.constant(value)
    if isinstance(value, Instr) and value.op in CONSTANTS and value not in tracker.shadows and holds_undef(value):
        shadow = tracker.shadow_of_constant(value, op.Undef)
        tracker.shadows[value] = [shadow] * tracker.preparation.lanes


def followed(tracker: Tracker, step: Step, instr: Instr, rule: Rule | None) -> Step:
    faults = tracker.faults

    def run(lanes: list[int]) -> None:
        step(lanes)
        held = faults.held
        said: Said = []
        if held:
            said = held[:]
            held.clear()
        if rule is not None:
            rule(lanes, said)
        else:
            for lane, message in said:
                tracker.report(instr, lane, message)

    return run


def moving(tracker: Tracker, moves: Step | None, pairs: Pairs) -> Step | None:
    """The step, after which the second of each pair has given its shadow to the first, all at once."""
    for _, source in pairs:
        constant(tracker, source)
    if not pairs:
        return moves

    def run(lanes: list[int]) -> None:
        if moves is not None:
            moves(lanes)
        move(tracker, pairs, lanes)

    return run


def move(tracker: Tracker, pairs: Pairs, lanes: list[int]) -> None:
    shadows = tracker.shadows
    given = [shadows.get(source) for _, source in pairs]
    for lane in lanes:
        row = [column[lane] if column is not None else 0 for column in given]
        for at in range(len(pairs)):
            if row[at] != 0 or pairs[at][0] in shadows:
                tracker.set(pairs[at][0], lane, row[at])


# --- where blocks end -------------------------------------------------------------------------------------------------


def follow_end(tracker: Tracker, code: list[CodeBlock], block: CodeBlock) -> None:
    end = block.end
    for edge in edges_of(end):
        follow_edge(tracker, code, block, edge)
    if isinstance(end, (Split, SwitchEnd)):
        constant(tracker, end.value)
    if isinstance(end, Call):
        params = code[end.entry].function.params
        end.moves = moving(tracker, end.moves, [(param, end.instr.value(at + 1)) for at, param in enumerate(params)])
    elif isinstance(end, Leave) and end.instr.op == op.ReturnValue:
        end.moves = moving(tracker, end.moves, [(block.function, end.instr.value(0))])
    elif isinstance(end, DynamicCall):
        for function, route in end.routes.items():
            route.follow = passing(tracker, end, function, route)


def follow_edge(tracker: Tracker, code: list[CodeBlock], block: CodeBlock, edge: Edge) -> None:
    pairs: Pairs = []
    for phi in code[edge.target].block.phis():
        if code[edge.target].header != edge.target:
            break  # within a block, after a call
        for index in range(1, len(phi.operands), 2):
            if phi.operands[index] is block.block:
                pairs.append((phi, phi.value(index - 1)))
                break
    edge.moves = moving(tracker, edge.moves, pairs)


def passing(tracker: Tracker, end: DynamicCall, function: Function, route: Route) -> Step:
    """The arguments of a dynamic call; tables that are bound to the callable come first."""
    count = len(end.instr.operands) - 1
    params = function.params[len(function.params) - count :]
    pairs: Pairs = [(param, end.instr.value(at + 1)) for at, param in enumerate(params)]
    for _, source in pairs:
        constant(tracker, source)
    return lambda lanes: move(tracker, pairs, lanes)


# --- the rule of a step -----------------------------------------------------------------------------------------------


def made_rule(tracker: Tracker, code: list[CodeBlock], block: CodeBlock, instr: Instr) -> Rule | None:
    """None for what neither reads nor makes values. In the order of `steps.defined_step`."""
    opcode = instr.op
    known = traits.SIM.get(opcode, "")
    if opcode == op.FunctionCall:
        callee = instr.value(0)
        return taking(tracker, instr, callee) if isinstance(callee, Function) else None
    if opcode == op.CallDynamic:
        entered = landed(code, block)
        return taking(tracker, instr, entered) if entered is not None else None
    if opcode >= FIRST_OWN:
        return by_operands(tracker, instr)
    if opcode in traits.CHAIN:
        return pointer_rule(tracker, instr) if needs_address(instr) else None
    if opcode == op.Load or opcode == op.Store:
        if is_cast(instr.operands[0]):
            return by_operands(tracker, instr)
        if opcode == op.Load:
            return load_rule(tracker, instr, instr.value(0))
        return store_rule(tracker, instr, instr.value(0), instr.value(1))
    if opcode == op.Variable:
        return enter_rule(tracker, instr)
    if opcode == op.CopyMemory:
        return copy_rule(tracker, instr)
    if known == "atomic":
        return atomic_rule(tracker, instr)
    if opcode == op.ImageRead or opcode == op.ImageFetch:
        return read_rule(tracker, instr)
    if opcode == op.ImageWrite:
        return write_rule(tracker, instr)
    if known == "image" or known == "image_lookup":
        return sampled_rule(tracker, instr)
    if opcode == op.ExtInst:
        return extended(tracker, instr)
    if not instr.has_result or known == "nothing":
        return None
    if opcode == op.ConvertPtrToU or opcode == op.ConvertUToPtr:
        return columns_rule(tracker, instr, op.UConvert, [instr.value(0)], [])
    if opcode == op.ExpectKHR:
        return columns_rule(tracker, instr, op.CopyObject, [instr.value(0)], [])
    if opcode in (op.PtrEqual, op.PtrNotEqual, op.PtrDiff, op.IsHelperInvocationEXT, op.ArrayLength):
        return by_operands(tracker, instr)
    if is_pointer(instr) and opcode == op.CopyObject:
        return pointer_rule(tracker, instr) if needs_address(instr) else None
    values, literals = split_operands(instr)
    if known.startswith("group"):
        if opcode in traits.SCOPED:
            values = values[1:]
        return group_rule(tracker, instr, values, literals, size_of(tracker, instr))
    return columns_rule(tracker, instr, opcode, values, literals)


def by_operands(tracker: Tracker, instr: Instr) -> Rule | None:
    """All of the result may be anything where anything of an operand may be."""
    if not instr.has_result:
        return None
    values = [operand for operand in instr.operands if isinstance(operand, Instr) and operand.type is not None]
    return rule_of(tracker, instr, list(values), of_tagged_union(instr.op), unless_known)


def of_tagged_union(opcode: int) -> Combine:
    """A tagged union is a tag and a value, each of which may be undefined by itself."""
    if opcode == op.MakeTaggedUnion:
        return lambda lane, shadows: joined([source_in(shadows[0]), source_in(shadows[1])])
    if opcode == op.GetTagFromTaggedUnion:
        return lambda lane, shadows: part_of(shadows[0], 0)
    if opcode == op.GetValueFromTaggedUnion:
        return lambda lane, shadows: part_of(shadows[0], 1)
    return whole


def taking(tracker: Tracker, instr: Instr, function: Function) -> Rule:
    """A call's result, which the function left."""
    pairs: Pairs = [(instr, function)]

    def run(lanes: list[int], said: Said) -> None:
        move(tracker, pairs, lanes)

    return run


def landed(code: list[CodeBlock], block: CodeBlock) -> Function | None:
    """The function whose result a code block takes after a dynamic call."""
    for other in code:
        if isinstance(other.end, DynamicCall):
            for function, route in other.end.routes.items():
                if route.landing == block.number:
                    return function
    return None


def extended(tracker: Tracker, instr: Instr) -> Rule | None:
    set_name = instr.instr(0).text(0)
    if not instr.has_result or set_name not in ("GLSL.std.450", "OpenCL.std"):
        return None
    values = [instr.value(at) for at in range(2, len(instr.operands))]
    if set_name == "GLSL.std.450" and instr.word(1) in AT_PLACES:
        return by_operands(tracker, instr)
    shapes = [tracker.preparation.shape(value) for value in values]
    if len(shapes) == 2 and shapes[1].kind == POINTER_KIND:
        return pair_rule(tracker, instr, values[0], values[1])
    return extended_rule(tracker, instr, values)
