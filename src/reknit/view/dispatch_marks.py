"""Where a program dispatches, as marks on its picture.

    %r = CallDynamic %f, %x              [1] %r = IFoo.foo -> A, B              as read: with the path of each type
    %r = FunctionCall @dispatch_foo ...  [1] %r = dispatch_foo -> A, B          after `specialize-dispatch`

One instruction has one mark; where contexts of its function differ, the details distinguish them.
"""

from reknit.analysis.typeflow.notes import facts, path_text
from reknit.analysis.typeflow.provenance import name_of, type_name
from reknit.analysis.typeflow.report import Site, callable_name, dispatch_sites, gathered
from reknit.ir import op
from reknit.ir.callables import SPECIAL, constant_callable
from reknit.ir.dispatch import conforming_type
from reknit.ir.dispatch_sets import elements_of, set_of
from reknit.ir.function import Function
from reknit.ir.instr import Instr
from reknit.ir.locate import place_of
from reknit.ir.module import Module
from reknit.ir.tree import Switch
from reknit.ir.walk import constructs, instructions
from reknit.source.place import Place
from reknit.view.marks import Mark, Marks

Told = tuple[str, list[str], list[tuple[str, list[str]]]]
"""What is called, the types that it can go to, and the details of that."""


def dispatch_marks(module: Module) -> Marks:
    """The sites of a module; none where nothing is dispatched. In the order of the module's text."""
    sites: dict[Instr, list[Site]] = {}
    for site in dispatch_sites(module):
        sites.setdefault(site.call, []).append(site)
    marks: Marks = {}
    for function in module.functions:
        for instr in instructions(function):
            known = _dynamic_call(sites[instr]) if instr in sites else _dispatcher_call(module, function, instr)
            if known is not None:
                name, types, details = known
                line = f"{name} -> {', '.join(types) or 'nothing'}"
                marks[instr] = Mark(len(marks) + 1, line, details)
    return marks


def _dynamic_call(sites: list[Site]) -> Told:
    """One call, in each of its contexts."""
    types: dict[str, None] = {}
    details: list[tuple[str, list[str]]] = []
    for site in gathered(sites):
        types.update(dict.fromkeys(site.types))
        details.append((f"{facts(site, _at(site.place))}: {site.cost()}", _ways(site)))
    return sites[0].what(), list(types), details


def _ways(site: Site) -> list[str]:
    return [f"{type}: {path_text(site.why[type], site.place)}" for type in site.types]


def _at(place: Place) -> str:
    return f" ({place.line}:{place.column})" if place.line > 0 else ""


def _dispatcher_call(module: Module, function: Function, call: Instr) -> Told | None:
    """A call of a function that only goes by its tag to others."""
    if call.op != op.FunctionCall:
        return None
    callee = call.value(0)
    if not isinstance(callee, Function) or not is_dispatcher(callee):
        return None
    tag = callee.params[0].type
    assert tag is not None
    names = {
        index: element_name(element)
        for index, element in enumerate(elements_of(set_of(tag)))
        if element.op not in SPECIAL
    }
    details = [f"tag {index}: {name}" for index, name in names.items()]
    types = list(dict.fromkeys(names.values()))
    head = f"{name_of(callee)}{_at(place_of(call, module))} in {name_of(function)}: switch of {len(types)}"
    return name_of(callee), types, [(head, details)]


def element_name(element: Instr) -> str:
    """The type of a table, or a function with what it was looked up in."""
    if element.op == op.WitnessTable:
        return type_name(conforming_type(element))
    known = constant_callable(element)
    return type_name(element) if known is None else callable_name(known[0], known[1])


def is_dispatcher(function: Function) -> bool:
    """Whether a function's first parameter is a tag, and it begins with a switch over that."""
    if not function.params or function.is_declaration():
        return False
    tag = function.params[0]
    if tag.type is None or tag.type.op != op.TypeSetTag:
        return False
    inside = constructs(function)
    return len(inside) == 1 and isinstance(inside[0], Switch) and inside[0].selector is tag
