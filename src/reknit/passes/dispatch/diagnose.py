"""What of dynamic dispatch is refused, with Slang's codes, each once.

E50101   a value that may never have been set is dispatched on: the path on which nothing is put in is named
E50100   an interface without any type       E55201   recursion       E55207   contexts without end
E41019   a type larger than its interface says       E41002, E41003   interfaces inside of their own types
E52008   a call by an interface that is only to be specialized, that more than one type can come to
"""

from reknit.analysis.typeflow.access_paths import CELL, is_public, spot_of
from reknit.analysis.typeflow.context import Context, info_at
from reknit.analysis.typeflow.guarded import Guards
from reknit.analysis.typeflow.lattice import read
from reknit.analysis.typeflow.notes import path_text
from reknit.analysis.typeflow.provenance import Provenance, has_bit, type_name
from reknit.analysis.typeflow.report import looked_up
from reknit.analysis.typeflow.solve import MAX_DEPTH, TypeFlow
from reknit.ir import op
from reknit.ir.any_value import any_layout, interface_sizes, interfaces_in
from reknit.ir.block import Block
from reknit.ir.dispatch import conforming_type, key_of_callable, specialize_only
from reknit.ir.instr import Instr
from reknit.ir.locate import place_of, place_of_jump
from reknit.ir.value import Value
from reknit.ir.walk import blocks
from reknit.passes.dispatch.linkage import without_number
from reknit.source.diagnostic import Diagnostic, InputError, Note
from reknit.source.meter import spend
from reknit.source.place import Place


def refuse(flow: TypeFlow, guards: Guards | None = None) -> None:
    """Raise InputError with all that is wrong. `guards` are asked before E50101, where conditions count."""
    by_value: dict[tuple[str, Value], Diagnostic] = {}
    _specialize_only(flow, by_value)
    for context in flow.contexts:
        for block in blocks(context.function):
            if block in context.envs:
                for instr in block:
                    _dispatch(flow, context, block, instr, by_value, guards)
    for call, function in flow.recursive.items():
        message = (
            f"recursion detected in call to '{function.name}', but the current code generation target does not allow "
            "recursion."
        )
        by_value["E55201", call] = Diagnostic("E55201", message, place_of(call, flow.module))
    for call, function in flow.too_deep.items():
        message = (
            f"generic specialization for '{function.name}' exceeded the recursive specialization budget ({MAX_DEPTH})."
        )
        by_value["E55207", call] = Diagnostic("E55207", message, place_of(call, flow.module))
    faults = [*by_value.values(), *_sizes(flow), *without_number(flow)]
    if faults:
        raise InputError(faults)


def _dispatch(
    flow: TypeFlow,
    context: Context,
    block: Block,
    instr: Instr,
    diagnostics: dict[tuple[str, Value], Diagnostic],
    guards: Guards | None,
) -> None:
    module = flow.module
    interfaces = flow.forms.universe
    result = instr.type if instr.type is not None and instr.type.op == op.TypeInterface else None
    if result is not None and instr.op in (op.Load, op.CreateExistentialObject) and not interfaces.of(result).tables:
        outside = instr.op != op.Load or is_public(instr.value(0))
        if not outside and info_at(context, flow.forms, instr, context.envs[block]) == interfaces.of(result).none:
            return  # an Optional that nothing is put in
        diagnostics.setdefault(("E50100", result), no_conformance(result, outside, place_of(instr, module)))
        return
    if instr.op not in (op.ExtractExistentialWitnessTable, op.IsType):
        return
    source = instr.instr(0)
    assert source.type is not None
    interface = interfaces.of(source.type)
    tables = info_at(context, flow.forms, source, context.envs[block])
    if isinstance(tables, int) and interface.tables and (tables & interface.unset or is_never_stored(source, tables)):
        if guards is not None and guards.is_set(context, instr):
            return
        notes = [Note(text, place) for text, place in missing(flow, context, source, interface.unset)]
        name = source.type.text(0)
        message = f"Cannot dynamically dispatch on potentially uninitialized interface object '{name}'."
        help = f"store a value of a type that conforms to '{name}' before the call, on every path to it"
        place = place_of(instr, module)
        diagnostics.setdefault(("E50101", instr), Diagnostic("E50101", message, place, notes=notes, help=help))


def no_conformance(interface: Instr, outside: bool, place: Place) -> Diagnostic:
    name = interface.text(0)
    message = (
        f"No type conformances are found for interface '{name}'. Code generation for current target requires at least "
        "one implementation type present in the linkage."
    )
    what = "come from outside" if outside else "are read"
    notes = [Note(f"values of '{name}' {what} here, and no type of the program is one")]
    help = f"declare a type that conforms to it (in Slang, `struct T : {name}`), and a value of that type"
    return Diagnostic("E50100", message, place, notes=notes, help=help)


def is_never_stored(source: Instr, tables: int) -> bool:
    """Whether a value is read from a variable of the program's own that nothing is put in anywhere."""
    return tables == 0 and source.op == op.Load and spot_of(source.value(0)).kind == CELL


def _specialize_only(flow: TypeFlow, diagnostics: dict[tuple[str, Value], Diagnostic]) -> None:
    """Calls by interfaces marked `[Specialize]` that are dispatches all the same."""
    marked = specialize_only(flow.module)
    provenance = Provenance(flow) if marked else None
    for context in flow.contexts if marked else []:
        for call, tables in context.sites.items():
            key = key_of_callable(call.value(0))
            if key is None or key.type not in marked or ("E52008", call) in diagnostics:
                continue
            interface = flow.forms.universe.of(key.type)
            members = interface.members(tables)
            if len(members) > 1 and provenance is not None:
                message = (
                    f"type '{key.type.text(0)}' is marked for specialization only, but dynamic dispatch is needed for "
                    "the call."
                )
                place = place_of(call, flow.module)
                table = looked_up(call)[0]
                notes: list[Note] = []
                paths = provenance.paths(context, table, tables & interface.everything)
                for member in members:
                    steps = paths[interface.bits[member]]
                    notes.append(Note(f"{type_name(conforming_type(member))}: {path_text(steps, place)}"))
                help = "let one type come to this call, or call for each type separately: `if (x is A)`"
                diagnostics["E52008", call] = Diagnostic("E52008", message, place, notes=notes, help=help)


def missing(flow: TypeFlow, context: Context, value: Instr, unset: int) -> list[tuple[str, Place | None]]:
    """Where a value that was never set comes from, as far as one function tells."""
    origins: list[tuple[str, Place | None]] = []
    seen: dict[Value, None] = {}
    work: list[Value] = [value]
    while work and not origins:
        spend(1)
        at = work.pop()
        if at in seen or not isinstance(at, Instr):
            continue
        seen[at] = None
        if at.op == op.Phi:
            for index in range(0, len(at.operands), 2):
                source = at.operands[index + 1]
                assert isinstance(source, Block)
                inner = at.value(index)
                info = info_at(context, flow.forms, inner, context.edges.get((source, at.block or source)))
                if not isinstance(info, int) or not info & unset:
                    continue
                if isinstance(inner, Instr) and inner.block is None and inner.op != op.FunctionParameter:
                    origins.append(("it is not set on the path through here", place_of_jump(source, flow.module)))
                else:
                    work.append(inner)
        elif at.op == op.Load:
            origins.append(unstored(flow, context, at, unset))
        elif at.op in (op.CopyObject, op.Select):
            work.extend([operand for operand in at.operands if isinstance(operand, Instr)])
    return origins[:1]


def unstored(flow: TypeFlow, context: Context, load: Instr, unset: int) -> tuple[str, Place | None]:
    """The path on which nothing is stored to what `load` reads: back from it to where such a path meets others."""
    here = load.block
    spot = spot_of(load.value(0))
    name = f"'{spot.root.name}'" if spot.root.name else "what is read"
    if spot.kind == CELL:
        return (f"nothing is stored in {name} anywhere in the program", place_of(spot.root, flow.module))
    form = flow.forms.pointee(spot.root.type)
    seen: dict[Block, None] = {}
    while here is not None and here not in seen:
        seen[here] = None
        without: list[Block] = []
        others = False
        for (source, target), env in context.edges.items():
            if target is here:
                if has_bit(read(form, env.memory.get(spot.root), spot.path), unset):
                    without.append(source)
                else:
                    others = True
        if others and without:
            return on_the_way(flow, context, without[0], name)
        here = without[0] if without else None
    return (f"nothing is stored in {name} before it is read here", place_of(load, flow.module))


def on_the_way(flow: TypeFlow, context: Context, through: Block, name: str) -> tuple[str, Place | None]:
    """The place of a block; of the decision that leads to it, where it is empty."""
    text = f"nothing is stored in {name} on the path through here"
    work = [through]
    for block in work:  # grows
        ends = [place_of_jump(block, flow.module)] + [place_of(instr, flow.module) for instr in block]
        known = [place for place in ends if place is not None and place.line > 0]
        if known:
            return (text, max(known, key=lambda place: (place.line, place.column)))
        text = f"nothing is stored in {name} on one of the paths from here"
        work.extend([source for source, target in context.edges if target is block and source not in work])
    return (text, None)


def _sizes(flow: TypeFlow) -> list[Diagnostic]:
    """Types that are too large for their interface, and interfaces inside of values of their own."""
    diagnostics: list[Diagnostic] = []
    typed: dict[Instr, list[Instr]] = {}
    for interface, known in flow.forms.universe.interfaces.items():
        assert isinstance(interface, Instr)
        typed[interface] = known.tables
    for interface, types in cyclic(typed).items():
        for type in types:
            message = (
                f"type '{type_name(type)}' contains circular reference through interface '{interface.text(0)}'. The "
                "type's conformance creates a cycle in dynamic-dispatch storage that prevents computing a finite "
                "AnyValue size."
            )
            diagnostics.append(Diagnostic("E41003", message, place_of(type, flow.module)))
        if len(types) == len(typed[interface]):
            name = interface.text(0)
            message = f"interface '{name}' has cyclic dependency on itself through its implementations."
            diagnostics.append(Diagnostic("E41002", message, place_of(interface, flow.module)))
    sizes, _ = interface_sizes(typed)
    for interface, conforming in typed.items():
        limit = interface.word(1)
        for table in conforming if limit else []:
            type = conforming_type(table)
            size = any_layout(type, sizes).size
            if size > limit:
                name = type_name(type)
                message = f"type '{name}' does not fit in the size required by its conforming interface."
                notes = [Note(f"sizeof({name}) is {size}, limit is {limit}")]
                help = f"make the type smaller, or declare '{interface.text(0)}' with [anyValueSize({size})]"
                where = place_of(type, flow.module)
                place = where if where.line > 0 else place_of(table, flow.module)
                diagnostics.append(Diagnostic("E41019", message, place, notes=notes, help=help))
    return diagnostics


def cyclic(tables: dict[Instr, list[Instr]]) -> dict[Instr, list[Instr]]:
    """Interfaces whose values hold, at some depth, values of the interface: with the types that do."""
    inside: dict[Instr, list[Instr]] = {}
    for interface, conforming in tables.items():
        needs: dict[Instr, None] = {}
        for table in conforming:
            needs.update(dict.fromkeys(interfaces_in(conforming_type(table))))
        inside[interface] = list(needs)
    cycles: dict[Instr, list[Instr]] = {}
    for interface, conforming in tables.items():
        for table in conforming:
            type = conforming_type(table)
            if interface in reached_from(interfaces_in(type), inside):
                cycles.setdefault(interface, []).append(type)
    return cycles


def reached_from(start: list[Instr], inside: dict[Instr, list[Instr]]) -> dict[Instr, None]:
    seen: dict[Instr, None] = {}
    work = list(start)
    while work:
        spend(1)
        at = work.pop()
        if at not in seen:
            seen[at] = None
            work.extend(inside.get(at, []))
    return seen
