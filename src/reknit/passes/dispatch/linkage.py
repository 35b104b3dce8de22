"""What may be put where others can reach it: only types with a sequential id, for no other module could read it.

    --conformance A:IFoo=0 --conformance B:IFoo=1         objects[i] = C()      RK2604: C has no number
    none for IFoo: all types have one, in order           objects[i] = C()      number 2
"""

from reknit.analysis.typeflow.access_paths import is_public
from reknit.analysis.typeflow.context import Context, info_at
from reknit.analysis.typeflow.lattice import EVERYTHING, EXISTENTIAL, Form, Info, part_of
from reknit.analysis.typeflow.solve import TypeFlow
from reknit.ir import op
from reknit.ir.block import Block
from reknit.ir.dispatch import conforming_type, interface_of, sequential_id
from reknit.ir.instr import Instr
from reknit.ir.locate import place_of
from reknit.ir.walk import blocks
from reknit.source.diagnostic import Diagnostic
from reknit.source.meter import spend


def without_number(flow: TypeFlow) -> list[Diagnostic]:
    """Stores to storage of others of what may be of a type without a number, each with that type once."""
    diagnostics: dict[tuple[Instr, Instr], Diagnostic] = {}
    for context in flow.contexts:
        for block in blocks(context.function):
            for instr in block if block in context.envs else []:
                if instr.op in (op.Store, op.CopyMemory) and is_public(instr.value(0)):
                    for table in _unknown(flow, context, block, instr):
                        diagnostics.setdefault((instr, table), _refused(flow, instr, table))
    return list(diagnostics.values())


def _unknown(flow: TypeFlow, context: Context, block: Block, instr: Instr) -> list[Instr]:
    """The tables without a number that what is stored may have."""
    form = flow.forms.pointee(instr.instr(0).type)
    if form is None:
        return []
    if instr.op == op.CopyMemory:
        info = flow.forms.fill(form, EVERYTHING) if not is_public(instr.value(1)) else None
    else:
        info = info_at(context, flow.forms, instr.value(1), context.envs[block])
    unknown: dict[Instr, None] = {}
    work: list[tuple[Form | None, Info]] = [(form, info)]
    seen: dict[tuple[Instr, int], None] = {}
    while work:
        spend(1)
        part, known = work.pop()
        if part is None or known is None:
            continue
        if isinstance(known, tuple):
            work.extend([(part.part(index), part_of(known, index)) for index in range(part.count)])
            continue
        if part.kind != EXISTENTIAL or (part.type, known) in seen:
            continue
        seen[part.type, known] = None
        interface = flow.forms.universe.of(part.type)
        unknown.update(dict.fromkeys(interface.members(known & ~interface.outside)))
        for table in interface.members(known):
            inside = flow.forms.of(conforming_type(table))
            work.append((inside, flow.inside(inside) if inside is not None else None))
    return list(unknown)


def _refused(flow: TypeFlow, instr: Instr, table: Instr) -> Diagnostic:
    interface = interface_of(table)
    type, name = conforming_type(table).name, interface.text(0)
    numbers = [sequential_id(other) for other in flow.forms.universe.of(interface).tables]
    free = max([number + 1 for number in numbers if number + 1 < 1 << 32 and number != sequential_id(table)], default=0)
    message = f"a value of '{name}' that may be a '{type}', which has no number, is stored where others can reach it"
    help = f"say which it has: --conformance {type}:{name}={free}"
    return Diagnostic("RK2604", message, place_of(instr, flow.module), help=help)
