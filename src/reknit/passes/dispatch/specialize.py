"""Existentials become tagged unions over the types there can be; dynamic calls become calls.

    e : IFoo, made of A or B                      e : TaggedUnion {WA, WB}
    call (lookup (table of e), foo)(e, 7)   =>    call @dispatch_foo(tag of e, value of e, 7)    or A.foo, if only A

The analysis (`analysis.typeflow`) says which tables can come where, in each context that a function is called in;
functions whose contexts differ get a body each. No tangle changes: what is left out had no lanes, and a dispatcher
parts its lanes by table, as the dynamic call did. Works on the whole module at its first function.
"""

from typing import Final

from reknit.analysis.typeflow.access_paths import is_public
from reknit.analysis.typeflow.guarded import Guards
from reknit.analysis.typeflow.solve import TypeFlow, type_flow
from reknit.ir import op
from reknit.ir.dispatch import entry_of, has_dispatch, open_interfaces, specialize_only
from reknit.ir.function import Function
from reknit.ir.instr import Instr, Operand
from reknit.ir.module import Module
from reknit.ir.value import Value
from reknit.ir.walk import instructions
from reknit.passes.contract import Context, Option, Pass
from reknit.passes.dispatch.callables import ValueCalls
from reknit.passes.dispatch.diagnose import refuse
from reknit.passes.dispatch.dispatchers import Dispatchers
from reknit.passes.dispatch.function_copies import Bodies
from reknit.passes.dispatch.rewrite import Rewriter
from reknit.passes.dispatch.shapes import Shapes
from reknit.passes.dispatch.value_sets import refuse_public_values
from reknit.passes.drop_functions import drop
from reknit.source.meter import spend


def specialize_dispatch(function: Function, context: Context) -> bool:
    """All of the module, when the first function comes; nothing is dynamic for those after it."""
    module = context.module
    if "done" in context.answers:
        return False
    context.answers["done"] = True
    first = next((each for each in module.functions if not each.is_declaration()), None)
    if not is_existential(module) and (function is not first or not has_uncertain_calls(module)):
        return False
    specialize(module, context.options.get("uninitialized") == "paths")
    return True


def once_existential(context: Context) -> bool:
    """`is_existential`, asked once by a pass that leaves the answer as it is."""
    if "existential" not in context.answers:
        context.answers["existential"] = is_existential(context.module)
    return context.answers["existential"]


def is_existential(module: Module) -> bool:
    """Whether there is a witness table that no set was made of yet: what has sets has been specialized."""
    if not has_dispatch(module):
        return False
    for instr in module.globals:
        if instr.op == op.TypeSetTag:
            return False
    return any(instr.op == op.TypeInterface for instr in module.globals) and any(
        instr.op >= op.TypeInterface for function in module.functions for instr in instructions(function)
    )


def has_uncertain_calls(module: Module) -> bool:
    """Whether functions are called that came as values, in a module without interfaces."""
    if has_dispatch(module):
        return False
    return any(instr.op == op.CallDynamic for function in module.functions for instr in instructions(function))


def specialize(module: Module, by_paths: bool = False) -> None:
    """`by_paths`: a dispatch on what may never have been set is refused only where a path leads there that can be
    taken."""
    flow = type_flow(module)
    refuse(flow, Guards(flow) if by_paths else None)
    refuse_public_values(flow)
    marked = specialize_only(module) | open_interfaces(module)
    module.decorations = [note for note in module.decorations if note.operands[0] not in marked]
    shapes = Shapes(module, flow)
    bodies = Bodies(module, flow, shapes)
    dispatchers = Dispatchers(shapes)
    value_calls = ValueCalls(shapes, dispatchers)
    for variable in module.globals:
        if variable.op == op.Variable and variable.type is not None and not is_public(variable):
            variable.type = shapes.lift(variable.type)
    for body in bodies.all:
        Rewriter(shapes, bodies, dispatchers, value_calls, body).run()
    drop_unused(module, flow, bodies)
    sort_globals(module)


def drop_unused(module: Module, flow: TypeFlow, bodies: Bodies) -> None:
    """Functions with something dynamic in them that nothing comes to; tables keep no functions, which calls name now,
    but those that stand in sets of callables."""
    for table in module.globals:
        if table.op == op.WitnessTable:
            named = named_callables(table)
            kept: list[Operand] = list(table.operands[:2])
            for index in range(2, len(table.operands), 2):
                entry = table.operands[index + 1]
                if not isinstance(entry, Function) or entry in named:
                    kept.extend(table.operands[index : index + 2])
            table.set_operands(kept)
    functions_with_body = {body.function for body in bodies.all}
    gone = [function for function in flow.facts.interesting if function not in functions_with_body]
    drop(module, dict.fromkeys(gone))


def named_callables(table: Instr) -> dict[Value, None]:
    """The functions that callables of the module look up in a table."""
    named: dict[Value, None] = {}
    for user in table.users:
        if isinstance(user, Instr) and user.op == op.LookupWitness and user.block is None:
            entry = entry_of(table, user.value(1))
            if entry is not None:
                named[entry] = None
    return named


def sort_globals(module: Module) -> None:
    """Put each global after what it names: new types were added behind the variables that have them now."""
    placed: dict[Instr, None] = {}
    opened: dict[Instr, None] = {}
    inside = dict.fromkeys(module.globals)
    for first in module.globals:
        work = [first]
        while work:
            spend(1)
            instr = work[-1]
            if instr in opened:
                work.pop()
                placed[instr] = None
                continue
            opened[instr] = None
            named = instr.operands if instr.op != op.TypeForwardPointer else []  # what it names comes later
            for operand in reversed([instr.type, *named]):
                if isinstance(operand, Instr) and operand in inside and operand not in opened:
                    work.append(operand)
    module.globals = list(placed)


SPECIALIZE_DISPATCH: Final = Pass(
    "specialize-dispatch",
    "find the types that dynamic values can have, and dispatch on those",
    specialize_dispatch,
    options=(
        Option(
            "uninitialized",
            "rule",
            "whether E50101 follows Slang's `rule`, by which conditions don't count, or tells only of `paths` that can "
            "be taken",
            choices=("rule", "paths"),
        ),
    ),
)
