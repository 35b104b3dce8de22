"""Which switches have tangles that nothing defines, and why.

    case 0: a  fallthrough      1  reached by fallthrough: lanes that enter and lanes that fall through may run apart
    case 1: b
    case 2, 4: c                2  several labels on one construct: a tangle for each selector value is allowed
    default: d                  3  the default, which many selector values reach

OpSwitch gives at least one tangle to each case construct and at most one to each selector value; at a case label that
is reached by fallthrough, some may join. So each shape has several allowed meanings, which show where a construct of
that shape executes an operation that sees its tangle. A selector that is a constant is one value, so it splits no
tangle. Source: SPV_KHR_maximal_reconvergence rev 2, "Divergence and Reconvergence", OpSwitch.
"""

from collections.abc import Callable
from typing import Final

from reknit.ir import op, opcodes, traits
from reknit.ir.block import Block
from reknit.ir.instr import Instr
from reknit.ir.jump import Break, Fallthrough
from reknit.ir.tree import Case, Construct, Region, Switch
from reknit.ir.value import Value
from reknit.ir.walk import nodes_in

# Policies: which switches to lower.
AUTO: Final = "auto"  # those where a tangled operation is executed in a construct of some shape
FALLTHROUGH: Final = "fallthrough"  # those where something falls through
ALWAYS: Final = "always"  # those with a construct of some shape that does more than set variables
POLICIES: Final = (AUTO, FALLTHROUGH, ALWAYS)

def needs_lowering(switch: Switch, is_tangled: Callable[[Instr], bool], policy: str) -> str:
    """Why `switch` is to be lowered under `policy`, in words; "" if it is not."""
    if _is_constant(switch.selector):
        return ""
    labels = switch.labels()
    for case in switch.cases:
        shape = shape_of(case, len(labels[case]))
        if not shape:
            continue
        if policy == AUTO:
            first_tangled = _first_tangled(case.region, is_tangled)
            if first_tangled is not None:
                return f"{_named(first_tangled)} is executed in a construct that {shape}"
        elif policy == ALWAYS:
            if not _only_sets_variables(case.region):
                return f"a construct {shape}"
        elif case.fallthroughs and not does_nothing(case):
            return f"a construct {shape}"
    return ""


def shape_of(case: Case, labels: int) -> str:
    """The shape of a case construct with that many labels, in words; "" for one whose tangle is defined."""
    if case.fallthroughs:
        return "is reached by fallthrough"
    if case is case.switch.default:
        return "is the default"
    if labels > 1:
        return "has several labels"
    return ""


def does_nothing(case: Case) -> bool:
    """True for a construct that only goes on, to the end of the switch or to the next case, without even dead code."""
    for node in case.region:
        if not isinstance(node, Block) or not _is_silent(node):
            return False
        jump = node.jump
        if jump is None:
            continue
        ends = isinstance(jump, Fallthrough) or (isinstance(jump, Break) and jump.target is case.switch)
        if not ends or node.next is not None:
            return False
    return True


def _is_silent(block: Block) -> bool:
    return all(instr.op == op.Line or instr.op == op.NoLine for instr in block)


def _is_constant(value: Value) -> bool:
    return isinstance(value, Instr) and value.block is None and (value.op in traits.CONSTANT or value.op == op.Undef)


def _named(instr: Instr) -> str:
    callee = instr.operands[0] if instr.op == op.FunctionCall else None
    if isinstance(callee, Value):
        return f"a call of @{callee.name}" if callee.name else "a call"
    info = opcodes.info(instr.op)
    return f"Op{info.name}" if info is not None else f"opcode {instr.op}"


def _first_tangled(region: Region, is_tangled: Callable[[Instr], bool]) -> Instr | None:
    """The first tangled operation anywhere in `region`."""
    for node in nodes_in(region):
        if isinstance(node, Block):
            for instr in node:
                if is_tangled(instr):
                    return instr
    return None


def _only_sets_variables(region: Region) -> bool:
    """True for what a lowered switch leaves in its dispatch: straight-line stores of constants."""
    for node in region:
        if isinstance(node, Construct):
            return False
        assert isinstance(node, Block)
        for instr in node:
            if instr.op == op.Store and _is_local(instr.value(0)) and _is_constant(instr.value(1)):
                continue
            if instr.op != op.Line and instr.op != op.NoLine:
                return False
    return True


def _is_local(pointer: Value) -> bool:
    return isinstance(pointer, Instr) and pointer.op == op.Variable and pointer.block is not None
