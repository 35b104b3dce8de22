"""Private variables that one entry point alone uses become variables of its function.

    %v = Variable Private 0u : ...              func @main() {
    func @main() {                        =>      %v = Variable Function 0u : ...
      Store %v, %x                                Store %v, %x

An entry point is executed once by each invocation and never called, so that its function's variables live as long as
private ones do; `promote-variables` makes values of them then. After `inline` most of a shader's globals are used in
one function. A variable stays where another function names it too, where anything but loads, stores, chains and copies
of memory has it (a call, a phi of pointers), and where it is exported or imported. Debug information of a global
variable becomes that of a local one, which is declared.

No tangle changes: loads and stores stand where they stood.
Source: SPIR-V 1.6, 2.4 (an entry point is called by nothing), 3.7 "Storage Class"; SPIRV-Tools' private to local pass.
"""

from typing import Final

from reknit.analysis.callgraph import CallGraph
from reknit.analysis.decorations import Decorations
from reknit.ir import enums, op, traits
from reknit.ir.debug import (
    DEBUG_DECLARE,
    DEBUG_EXPRESSION,
    DEBUG_LOCAL_VARIABLE,
    is_debug,
    is_global_variable,
    is_line,
)
from reknit.ir.edit import append, insert_before, prepend
from reknit.ir.function import Function
from reknit.ir.instr import Instr
from reknit.ir.module import Module
from reknit.ir.types import pointee, pointer_type
from reknit.passes.contract import CONTROL_FLOW, Context, Pass
from reknit.source.meter import spend

_ACCESSES: Final = (op.Load, op.Store, op.CopyMemory)


def private_to_local(function: Function, context: Context) -> bool:
    """Costs the uses of the module's private variables."""
    graph = context.analyses.of_module(CallGraph)
    if function not in graph.entry_points or graph.callers[function]:
        return False
    module = context.module
    decorations = context.analyses.of_module(Decorations)
    moved: dict[Instr, None] = {}
    for instr in module.globals:
        if instr.op == op.Variable and instr.operands[0] == enums.StorageClassPrivate:
            if enums.DecorationLinkageAttributes in decorations.of(instr):
                continue
            pointers = _pointers(instr, function)
            if pointers:
                moved[instr] = None
                for pointer in pointers:
                    assert pointer.type is not None
                    pointer.type = pointer_type(module, enums.StorageClassFunction, pointee(pointer.type))
    if not moved:
        return False
    module.globals = [instr for instr in module.globals if instr not in moved]
    for entry in module.entry_points:
        entry.operands = [each for each in entry.operands if not isinstance(each, Instr) or each not in moved]
    for variable in reversed(list(moved)):
        variable.set_operands([enums.StorageClassFunction, *variable.operands[1:]])
        prepend(function.entry(), variable)
        _declare(variable, function, module)
    return True


def _pointers(variable: Instr, function: Function) -> list[Instr]:
    """The variable and the pointers into it, if `function` uses one and nothing else does; none otherwise."""
    pointers = [variable]
    is_used = False
    for pointer in pointers:
        for user in pointer.user_list():
            spend(1)
            if not isinstance(user, Instr):
                return []
            if user.block is None:
                if not is_global_variable(user):
                    return []
            elif user.block.function is not function:
                return []
            elif user.op in traits.OBJECT_CHAIN and user.operands[0] is pointer:
                pointers.append(user)
            elif is_debug(user):
                continue
            elif user.op not in _ACCESSES or (user.op == op.Store and user.operands[1] is pointer):
                return []
            else:
                is_used = True
    return pointers if is_used else []


def _declare(variable: Instr, function: Function, module: Module) -> None:
    """What was debug information of a global variable says that the local `variable` holds it."""
    for known in variable.user_list():
        if not isinstance(known, Instr) or known.block is not None or not is_global_variable(known):
            continue
        imported = known.operands[0]
        known.set_operands([imported, DEBUG_LOCAL_VARIABLE, *known.operands[2:8], known.operands[10]])
        expression = module.intern(op.ExtInst, known.type, [imported, DEBUG_EXPRESSION])
        declare = Instr(op.ExtInst, known.type, [imported, DEBUG_DECLARE, known, variable, expression])
        place = function.entry().first
        while place is not None and (place.op == op.Variable or is_line(place) or is_debug(place)):
            place = place.next
        if place is None:
            append(function.entry(), declare)
        else:
            insert_before(place, declare)


PRIVATE_TO_LOCAL: Final = Pass(
    "private-to-local",
    "make variables of a function of the private ones that its entry point alone uses",
    private_to_local,
    keeps=(*CONTROL_FLOW, "call-graph", "tangled"),
)
