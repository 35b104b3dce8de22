"""The ways to make a module smaller. Each lists what it could work on, and edits some of that.

    functions    remove one, calls of it give undefined values       bodies        leave nothing but a return
    constructs   remove one with all that is in it                   arms          put one arm in a construct's place
    cases        remove a case or a label                            regions       empty an arm, a case, a body
    jumps        go on instead                                       instructions  remove, users get undefined values
    values       zero, or true, in place of what is computed         constants     smaller ones
    leftovers    types, constants, names and decorations of what is gone

An edit may leave phis and definitions that are not right; `settle` makes them so. What an edit can't do is refused by
an exception, and the module is thrown away.
"""

from collections.abc import Callable, Sequence
from typing import Final, final

from reknit.analysis.manager import Analyses
from reknit.ir import op
from reknit.ir.block import Block
from reknit.ir.cfg import predecessors
from reknit.ir.constants import as_int, bool_constant, int_constant, undef
from reknit.ir.cursor import function_start, region_end
from reknit.ir.edit import erase_node, insert_node_before, move_run, replace_uses, set_jump, unlink_node
from reknit.ir.extract import delete, extract, list_extract, remove_node
from reknit.ir.function import Function
from reknit.ir.insert import leave_undefined, remove_instr
from reknit.ir.instr import Instr, Operand
from reknit.ir.jump import Break, Continue, Exit, Fallthrough
from reknit.ir.jumps import end_block
from reknit.ir.module import Module
from reknit.ir.phis import complete_phis
from reknit.ir.tree import Case, Construct, If, Loop, Region, Scope, Switch
from reknit.ir.types import is_bool, is_int
from reknit.ir.value import Value
from reknit.ir.walk import blocks, constructs, instructions, nodes_in
from reknit.passes.contract import Context
from reknit.passes.repair import repair
from reknit.passes.tidy.simplify_cfg import SIMPLIFY_CFG

Target = tuple[Value | int, ...]
"""What one edit is about; the first is where it is."""


@final
class Reduction:
    """`targets` lists what could go, in an order that is the same for equal modules; `edit` works on some of it."""

    __slots__ = ("name", "targets", "edit")

    def __init__(
        self,
        name: str,
        targets: Callable[[Module], list[Target]],
        edit: Callable[[Module, Sequence[Target]], None],
    ) -> None:
        self.name = name
        self.targets = targets
        self.edit = edit


# --- functions --------------------------------------------------------------------------------------------------------


def _functions(module: Module) -> list[Target]:
    entries = [point.operands[1] for point in module.entry_points]
    return [(function,) for function in module.functions if function not in entries]


def _remove_functions(module: Module, targets: Sequence[Target]) -> None:
    gone = dict.fromkeys(target[0] for target in targets)
    for function in module.functions:
        for instr in list(instructions(function)):
            if instr.op == op.FunctionCall and instr.value(0) in gone:
                remove_instr(module, instr)
    for removed in gone:
        assert isinstance(removed, Function)
        for block in blocks(removed):
            for instr in block:
                instr.drop_operands()
        module.functions.remove(removed)


def _entries(module: Module) -> list[Target]:
    return [(index,) for index in range(len(module.entry_points))] if len(module.entry_points) > 1 else []


def _remove_entries(module: Module, targets: Sequence[Target]) -> None:
    gone = [target[0] for target in targets]
    kept = [point for index, point in enumerate(module.entry_points) if index not in gone]
    if not kept:
        raise ValueError("a module keeps an entry point")
    module.entry_points[:] = kept
    functions = [point.operands[1] for point in kept]
    module.execution_modes[:] = [mode for mode in module.execution_modes if mode.operands[0] in functions]


def _structured(module: Module) -> list[Function]:
    return [function for function in module.functions if function.structured and not function.is_declaration()]


def _bodies(module: Module) -> list[Target]:
    return [(function,) for function in _structured(module)]


def _empty_bodies(module: Module, targets: Sequence[Target]) -> None:
    for target in targets:
        function = target[0]
        assert isinstance(function, Function)
        delete(module, extract(module, function_start(function), region_end(function.body)))
        returned: list[Operand] = []
        if function.result.op != op.TypeVoid:
            returned.append(undef(module, function.result))
        code = op.ReturnValue if returned else op.Return
        set_jump(function.body.end(), Exit(Instr(code, None, returned, "", False)))


# --- the tree ---------------------------------------------------------------------------------------------------------


def _constructs(module: Module) -> list[Target]:
    return [(construct,) for function in _structured(module) for construct in constructs(function)]


def _remove_constructs(module: Module, targets: Sequence[Target]) -> None:
    for target in targets:
        construct = target[0]
        assert isinstance(construct, Construct)
        if is_there(construct):
            remove_node(module, construct)


def is_there(node: Construct) -> bool:
    """Whether a construct still stands in its function: one that was in another that went does not."""
    current: Construct = node
    while True:
        if current.region is None:
            return False
        owner: Value = current.region.owner
        if isinstance(owner, Case):
            owner = owner.switch
        if not isinstance(owner, Construct):
            return isinstance(owner, Function)
        current = owner


def _arms(module: Module) -> list[Target]:
    found: list[Target] = []
    for function in _structured(module):
        for construct in constructs(function):
            count = 1 if isinstance(construct, Loop) else len(construct.regions())
            found.extend([(construct, index) for index in range(count)])
    return found


def _put_arms(module: Module, targets: Sequence[Target]) -> None:
    for target in targets:
        construct, index = target
        assert isinstance(construct, Construct) and isinstance(index, int)
        if is_there(construct):
            unwrap(module, construct, construct.regions()[index])


def unwrap(module: Module, construct: Construct, keep: Region) -> None:
    """Put `keep` in the place of `construct`: as a scope if something leaves it early, else node by node."""
    for region in construct.regions():
        if region is not keep:
            discard(module, region)
    leaving = list(construct.breaks)
    for block in [node for node in nodes_in(keep) if isinstance(node, Block)]:
        jump = block.jump
        again = isinstance(jump, Continue) and jump.target is construct
        if again or (isinstance(jump, Fallthrough) and jump.target.switch is construct):
            leaving.append(block)
    first, last = keep.first, keep.last
    assert first is not None and last is not None
    if leaving:
        scope = Scope(construct.name)
        insert_node_before(construct, scope)
        move_run(first, last, scope.body)
        for block in leaving:
            set_jump(block, Break(scope))
    else:
        for node in list(keep):
            unlink_node(node)
            insert_node_before(construct, node)
    _let_go(construct)
    unlink_node(construct)


def discard(module: Module, region: Region) -> None:
    """Throw away all nodes of a region; who uses their values gets undefined ones."""
    for node in nodes_in(region):
        if isinstance(node, Block):
            for instr in node:
                leave_undefined(module, instr)
    for node in list(region):
        erase_node(node)


def _let_go(construct: Construct) -> None:
    """Stop using what the construct branches on."""
    if isinstance(construct, If):
        construct.condition.drop_user(construct)
    elif isinstance(construct, Switch):
        construct.selector.drop_user(construct)


def _cases(module: Module) -> list[Target]:
    found: list[Target] = []
    for function in _structured(module):
        for construct in constructs(function):
            if isinstance(construct, Switch):
                found.extend([(construct, case) for case in construct.cases if case is not construct.default])
    return found


def _remove_cases(module: Module, targets: Sequence[Target]) -> None:
    """What fell into a case that goes breaks instead."""
    for target in targets:
        switch, case = target
        assert isinstance(switch, Switch) and isinstance(case, Case)
        if not is_there(switch):
            continue
        for block in list(case.fallthroughs):
            set_jump(block, Break(switch))
        discard(module, case.region)
        switch.cases.remove(case)
        switch.targets = [(literal, owner) for literal, owner in switch.targets if owner is not case]


def _labels(module: Module) -> list[Target]:
    found: list[Target] = []
    for function in _structured(module):
        for construct in constructs(function):
            if isinstance(construct, Switch):
                for case, literals in construct.labels().items():
                    kept = literals if case is construct.default else literals[1:]
                    found.extend([(construct, literal) for literal in kept])
    return found


def _remove_labels(module: Module, targets: Sequence[Target]) -> None:
    for target in targets:
        switch, gone = target
        assert isinstance(switch, Switch)
        switch.targets = [(literal, case) for literal, case in switch.targets if literal != gone]


def _regions(module: Module) -> list[Target]:
    found: list[Target] = []
    for function in _structured(module):
        for construct in constructs(function):
            for index, region in enumerate(construct.regions()):
                if region.first is not region.last or region.entry().first or region.entry().jump:
                    found.append((construct, index))
    return found


def _empty_regions(module: Module, targets: Sequence[Target]) -> None:
    for target in targets:
        construct, index = target
        assert isinstance(construct, Construct) and isinstance(index, int)
        if is_there(construct):
            delete(module, list_extract(module, construct.regions()[index]))


def _jumps(module: Module) -> list[Target]:
    found: list[Target] = []
    for function in _structured(module):
        for block in blocks(function):
            if isinstance(block.jump, (Break, Continue, Fallthrough)) or (
                isinstance(block.jump, Exit) and block.region is not function.body
            ):
                found.append((block,))
    return found


def _drop_jumps(module: Module, targets: Sequence[Target]) -> None:
    for target in targets:
        block = target[0]
        assert isinstance(block, Block)
        end_block(module, block, None)


def _tidy(module: Module) -> list[Target]:
    return [(function,) for function in _structured(module)]


def _simplify(module: Module, targets: Sequence[Target]) -> None:
    for target in targets:
        function = target[0]
        assert isinstance(function, Function)
        options = {option.name: option.default for option in SIMPLIFY_CFG.options}
        SIMPLIFY_CFG.run(function, Context(module, Analyses(module), options))


# --- instructions and values ------------------------------------------------------------------------------------------


def _instructions(module: Module) -> list[Target]:
    found: list[Target] = []
    for function in module.functions:
        for block in blocks(function):
            for instr in block:
                if instr.op != op.Variable or not instr.users:
                    found.append((instr,))
    return found


def _remove_instructions(module: Module, targets: Sequence[Target]) -> None:
    for target in reversed(targets):
        instr = target[0]
        assert isinstance(instr, Instr)
        remove_instr(module, instr)


def _values(module: Module) -> list[Target]:
    """(what computes an integer or bool that somebody uses, constant to put in its place)."""
    found: list[Target] = []
    for function in module.functions:
        for instr in [*function.params, *instructions(function)]:
            if instr.type is not None and instr.users:
                if is_bool(instr.type):
                    found.append((instr, 0))
                    found.append((instr, 1))
                elif is_int(instr.type):
                    found.append((instr, 0))
    for instr in module.globals:
        if instr.op == op.Undef and instr.type is not None and instr.users and (_is_number(instr.type)):
            found.append((instr, 0))
    return found


def _is_number(type: Instr) -> bool:
    return is_bool(type) or is_int(type)


def _put_constants(module: Module, targets: Sequence[Target]) -> None:
    for target in targets:
        instr, value = target
        assert isinstance(instr, Instr) and isinstance(value, int) and instr.type is not None
        replace_uses(instr, _constant(module, instr.type, value))


def _constant(module: Module, type: Instr, value: int) -> Instr:
    return bool_constant(module, bool(value)) if is_bool(type) else int_constant(module, type, value)


PLAIN: Final = (
    op.IAdd, op.ISub, op.IMul, op.UDiv, op.SDiv, op.UMod, op.SMod, op.SRem, op.BitwiseAnd, op.BitwiseOr, op.BitwiseXor,
    op.ShiftLeftLogical, op.ShiftRightLogical, op.ShiftRightArithmetic, op.IEqual, op.INotEqual, op.ULessThan,
    op.UGreaterThan, op.ULessThanEqual, op.UGreaterThanEqual, op.SLessThan, op.SGreaterThan, op.SLessThanEqual,
    op.SGreaterThanEqual, op.Store, op.Phi, op.Select, op.FunctionCall, op.CompositeConstruct, op.ReturnValue,
)  # fmt: skip
"""Users whose integer constants are plain numbers: no scopes, lengths, or indices of members."""


def _constants(module: Module) -> list[Target]:
    """(instruction, operand, smaller number)."""
    found: list[Target] = []
    for function in module.functions:
        for instr in instructions(function):
            if instr.op not in PLAIN:
                continue
            for index, operand in enumerate(instr.operands):
                value = as_int(operand) if isinstance(operand, Instr) and operand.op == op.Constant else None
                if value is not None and abs(value) > 1:
                    found.append((instr, index, 0))
                    found.append((instr, index, 1))
                    found.append((instr, index, value // 2))
    return found


def _lower_constants(module: Module, targets: Sequence[Target]) -> None:
    for target in targets:
        instr, index, value = target
        assert isinstance(instr, Instr) and isinstance(index, int) and isinstance(value, int)
        old = instr.instr(index)
        assert old.type is not None
        instr.set_operand(index, _constant(module, old.type, value))


# --- leftovers --------------------------------------------------------------------------------------------------------


def _everything(module: Module) -> list[Target]:
    return [(0,)]


def _sweep(module: Module, targets: Sequence[Target]) -> None:
    """Drop globals that no function needs, what is said of things that are gone, and debug text."""
    module.sources.clear()
    module.processed.clear()
    live: dict[Value, None] = {}
    work: list[Value] = [point.value(1) for point in module.entry_points]
    for function in module.functions:
        live[function] = None
        work.extend([function.type, function.result, *function.params])
        for block in blocks(function):
            live[block] = None
            work.extend(block)
            if isinstance(block.jump, Exit):
                work.append(block.jump.instr)
        for construct in constructs(function):
            if isinstance(construct, If):
                work.append(construct.condition)
            elif isinstance(construct, Switch):
                work.append(construct.selector)
    for section in (module.execution_modes, module.imports, module.closing):
        for instr in section:
            work.append(instr)
    while work:
        value = work.pop()
        if value in live and not isinstance(value, Function):
            continue
        live[value] = None
        if isinstance(value, Instr):
            if value.type is not None:
                work.append(value.type)
            work.extend([operand for operand in value.operands if isinstance(operand, Value) and operand not in live])
    for instr in [instr for instr in module.globals if instr not in live]:
        instr.drop_operands()
    module.globals[:] = [instr for instr in module.globals if instr in live]
    for point in module.entry_points:
        point.operands = [operand for operand in point.operands if not isinstance(operand, Value) or operand in live]
    for section in (module.names, module.decorations):
        section[:] = [instr for instr in section if all(not isinstance(o, Value) or o in live for o in instr.operands)]


REDUCTIONS: Final = (
    Reduction("entry points", _entries, _remove_entries),
    Reduction("functions", _functions, _remove_functions),
    Reduction("bodies", _bodies, _empty_bodies),
    Reduction("constructs", _constructs, _remove_constructs),
    Reduction("arms", _arms, _put_arms),
    Reduction("cases", _cases, _remove_cases),
    Reduction("regions", _regions, _empty_regions),
    Reduction("instructions", _instructions, _remove_instructions),
    Reduction("jumps", _jumps, _drop_jumps),
    Reduction("labels", _labels, _remove_labels),
    Reduction("values", _values, _put_constants),
    Reduction("constants", _constants, _lower_constants),
    Reduction("blocks", _tidy, _simplify),
    Reduction("leftovers", _everything, _sweep),
)
"""From what takes most to what takes least."""


def settle(module: Module) -> None:
    """Give every phi one value for each way into its block, and every use a definition that dominates it."""
    for function in module.functions:
        if not function.structured or function.is_declaration():
            continue
        for block in blocks(function):
            phis = list(block.phis())
            if not phis:
                continue
            sources = predecessors(block)
            for phi in phis:
                kept: list[Operand] = []
                for index in range(0, len(phi.operands), 2):
                    if phi.operands[index + 1] in sources:
                        kept.extend(phi.operands[index : index + 2])
                phi.set_operands(kept)
            for source in sources:
                complete_phis(module, block, source)
        repair(function, Context(module, Analyses(module), {}))


def size_of(module: Module) -> tuple[int, int, int, int]:
    """What a reduction must make smaller: code, ways to go, what is computed, numbers. Each counts before the next."""
    code = 0
    ways = 0
    used = 0
    numbers = 0
    for function in module.functions:
        code += 1
        for construct in constructs(function):
            code += 2
            ways += len(construct.regions())
            if isinstance(construct, Switch):
                ways += len(construct.targets)
            if isinstance(construct, (If, Switch)):
                branched = construct.condition if isinstance(construct, If) else construct.selector
                used += 1 if as_int(branched) is None else 0
        for block in blocks(function):
            ways += 1 if block.jump is not None else 0
            ways += 1
        for instr in instructions(function):
            code += 1
            for operand in instr.operands:
                if isinstance(operand, Instr):
                    value = as_int(operand)
                    used += 1 if value is None else 0
                    numbers += min(abs(value), 1 << 64).bit_length() if value is not None else 0
    declared = len(module.globals) + len(module.decorations) + len(module.names) + len(module.sources)
    return code, ways, used + declared, numbers
