"""Each dynamic call of a program: the types it can go to, why each can come, and what the call costs.

    IFoo.foo in run, called from main (10:2)        switch of 2, payload 8 bytes
      A   made in main (8:5) -> argument of run (10:2)
      B   made in main (9:5) -> argument of run (10:2)

A site is a call in one context of its function; `gathered` puts those together that go to the same types. For people:
`typeflow.notes`.
"""

from typing import Final, final

from reknit.analysis.typeflow.callable_values import type_of
from reknit.analysis.typeflow.context import Context, info_at
from reknit.analysis.typeflow.provenance import Provenance, Step, name_of, type_name
from reknit.analysis.typeflow.solve import TypeFlow, type_flow
from reknit.ir import op
from reknit.ir.any_value import any_layout, interface_sizes
from reknit.ir.callables import base_and_bound, is_direct
from reknit.ir.dispatch import conforming_type, key_of_callable
from reknit.ir.function import Function
from reknit.ir.instr import Instr
from reknit.ir.locate import place_of
from reknit.ir.module import Module
from reknit.ir.value import Value
from reknit.ir.walk import blocks
from reknit.source.place import Place

SWITCH: Final = "switch"
WATERFALL: Final = "waterfall"
"""How `lower-dispatch` goes from type to type: its option `mode`."""

DISPATCHED: Final = "E50102"
SPECIALIZED: Final = "E50103"
DIRECT: Final = "RK2610"


@final
class Site:
    """A dynamic call in one context, or in all of those that are alike: `called_from` are their callers. `types` are by
    name, `why` a path for each; `bytes` is what a payload takes, `arguments` what a generic requirement is asked
    with."""

    __slots__ = (
        "context", "call", "place", "interface", "requirement", "arguments", "types", "why", "bytes", "called_from",
        "contexts",
    )  # fmt: skip

    def __init__(self, context: Context, call: Instr, place: Place, interface: str, requirement: str) -> None:
        self.context = context
        self.call = call
        self.place = place
        self.interface = interface
        self.requirement = requirement
        self.arguments: list[str] = []
        self.types: list[str] = []
        self.why: dict[str, list[Step]] = {}
        self.bytes = 0
        self.called_from: list[Step] = []
        self.contexts = 1

    def code(self) -> str:
        """What the site is reported as."""
        if len(self.types) < 2:
            return DIRECT
        return SPECIALIZED if self.arguments else DISPATCHED

    def what(self) -> str:
        """What is called."""
        return f"{self.interface}.{self.requirement}" if self.interface else "a function value"

    def cost(self, mode: str = SWITCH) -> str:
        if not self.types:
            return "never called"
        if len(self.types) == 1:
            return "direct call"
        how = f"switch of {len(self.types)}" if mode == SWITCH else f"waterfall over {len(self.types)}"
        return f"{how}, payload {self.bytes} bytes" if self.interface else how


def dispatch_sites(module: Module, flow: TypeFlow | None = None) -> list[Site]:
    """The sites of a program in order of contexts. `module` must not have been specialized yet."""
    known = flow if flow is not None else type_flow(module)
    provenance = Provenance(known)
    interfaces = known.forms.universe.interfaces
    typed = {each: interface.tables for each, interface in interfaces.items() if isinstance(each, Instr)}
    sizes, _ = interface_sizes(typed)
    sites: list[Site] = []
    for context in known.contexts:
        for block in blocks(context.function):
            for instr in block:
                if instr in context.sites:
                    sites.append(_site(known, provenance, sizes, context, instr))
                elif instr.op == op.CallDynamic and instr in context.calls and not is_direct(instr.value(0)):
                    sites.append(_value_site(known, provenance, context, instr))
    return sites


def gathered(sites: list[Site]) -> list[Site]:
    """Each call once for each set of types, in the order of first mention."""
    by_key: dict[tuple[object, ...], Site] = {}
    for site in sites:
        where: object = (str(site.place), site.place.column) if site.place.line > 0 else site.call
        key = (where, name_of(site.context.function), site.interface, site.requirement, *site.arguments, *site.types)
        first = by_key.setdefault(key, site)
        if first is not site:
            first.contexts += 1
            listed = [str(step) for step in first.called_from]
            first.called_from.extend([step for step in site.called_from if str(step) not in listed])
    return list(by_key.values())


def _site(flow: TypeFlow, provenance: Provenance, sizes: dict[Instr, int], context: Context, call: Instr) -> Site:
    key = key_of_callable(call.value(0))
    assert key is not None and key.type is not None
    interface = flow.forms.universe.of(key.type)
    site = Site(context, call, place_of(call, flow.module), key.type.text(0), key.text(0))
    table, bound = looked_up(call)
    site.arguments = [*named_arguments(key.text(0)), *[_shown(flow, context, each) for each in bound]]
    paths = provenance.paths(context, table, context.sites[call] & interface.everything)
    for member in interface.members(context.sites[call]):
        name = type_name(conforming_type(member))
        site.types.append(name)
        site.bytes = max(site.bytes, any_layout(conforming_type(member), sizes).size)
        site.why[name] = paths[interface.bits[member]]
    _note_callers(flow, provenance, site)
    return site


def _value_site(flow: TypeFlow, provenance: Provenance, context: Context, call: Instr) -> Site:
    """A call of a function that came as a value: `types` are the functions, with what they were looked up in."""
    callable = call.value(0)
    type = type_of(callable)
    site = Site(context, call, place_of(call, flow.module), "", "")
    info = info_at(context, flow.forms, callable, context.envs.get(call.block) if call.block is not None else None)
    known = flow.forms.callables
    groups = known.groups(type, info) if type is not None and isinstance(info, int) else {}
    bits = {group: known.bit(type, elements[0]) for group, elements in groups.items() if type is not None}
    paths = provenance.paths(context, callable, sum(bits.values()))
    for group, bit in bits.items():
        name = callable_name(group[0], group[1])
        site.types.append(name)
        site.why[name] = paths[bit]
    _note_callers(flow, provenance, site)
    return site


def callable_name(table: Instr | None, function: Function) -> str:
    """`A_foo of A`: a function, with the type whose table it was looked up in."""
    return name_of(function) + (f" of {type_name(conforming_type(table))}" if table is not None else "")


def _note_callers(flow: TypeFlow, provenance: Provenance, site: Site) -> None:
    for caller, at in provenance.callers.get(site.context, []):
        step = Step(name_of(caller.function), place_of(at, flow.module))
        if str(step) not in [str(known) for known in site.called_from]:
            site.called_from.append(step)


def looked_up(call: Instr) -> tuple[Instr, list[Value]]:
    """The table that a dynamic call looks its function up in, and the tables that the function is bound to."""
    callable, bound = base_and_bound(call.value(0))
    assert isinstance(callable, Instr)
    return callable.instr(0), bound


def named_arguments(requirement: str) -> list[str]:
    """K of `gen<K>`: a generic requirement is one for each list of types that it is asked with."""
    _, _, arguments = requirement.partition("<")
    return [arguments[:-1]] if arguments.endswith(">") else []


def _shown(flow: TypeFlow, context: Context, table: Value) -> str:
    """The types that a table is of."""
    info = info_at(context, flow.forms, table, None)
    if not isinstance(table, Instr) or table.type is None or not isinstance(info, int):
        return "?"
    members = flow.forms.universe.of(table.type).members(info)
    return " | ".join([type_name(conforming_type(member)) for member in members])


# --- for programs -----------------------------------------------------------------------------------------------------


def as_json(sites: list[Site], mode: str = SWITCH) -> list[dict[str, object]]:
    """An object a site, in the order of `sites`. Line and column count from 1, 0 is unknown."""
    return [
        {
            "code": site.code(),
            "function": name_of(site.context.function),
            "context": site.context.number,
            "contexts": site.contexts,
            "called_from": [_step(step, "function") for step in site.called_from],
            **_place(site.place),
            "interface": site.interface,
            "requirement": site.requirement,
            "arguments": site.arguments,
            "types": site.types,
            "why": {type: [_step(step, "what") for step in steps] for type, steps in site.why.items()},
            "cost": site.cost(mode),
            "payload_bytes": site.bytes,
        }
        for site in sites
    ]


def _step(step: Step, key: str) -> dict[str, object]:
    return {key: step.what, **_place(step.place)}


def _place(place: Place | None) -> dict[str, object]:
    if place is None:
        return {"file": "", "line": 0, "column": 0}
    return {"file": place.file, "line": place.line, "column": place.column}
