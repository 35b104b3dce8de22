"""How deep types nest, through what may be in an existential, too.

    u32 0   A { u32 } 1   IFoo, of an A 3   struct { IFoo f[2] } 5   pointer to that 6      two: the tag and the union

What goes through types goes a call or two deeper for each level; code that does asks `refuse_deep_types` before.
"""

from typing import Final

from reknit.ir import op
from reknit.ir.dispatch import tables_of
from reknit.ir.instr import Instr
from reknit.ir.locate import place_of
from reknit.ir.module import Module
from reknit.ir.value import Value
from reknit.source.diagnostic import Diagnostic, InputError

MAX_DEPTH: Final = 255
"""The "Structure nesting depth" of SPIR-V's universal limits (1.6, 2.17)."""

UNION: Final = 2


def refuse_deep_types(module: Module) -> None:
    """Raise InputError (RK2624) for a type that `too_deep` finds."""
    type = too_deep(module)
    if type is not None:
        name = f"type '{type.name}'" if type.name else "a type without a name"
        message = f"{name} nests deeper than {MAX_DEPTH} levels, with what interfaces hold inside"
        raise InputError([Diagnostic("RK2624", message, place_of(type, module))])


def too_deep(module: Module) -> Instr | None:
    """A type that nests deeper than MAX_DEPTH. Costs the module's types."""
    tables = tables_of(module)
    depths: dict[Instr, int] = {}
    for first in module.globals:
        work: list[Instr] = [first] if first.type is None and first not in depths else []
        opened: dict[Instr, None] = {}
        while work:
            type = work[-1]
            inner = _inside(type, tables)
            if type not in opened:
                opened[type] = None
                work.extend([part for part in inner if part not in depths and part not in opened])
                continue
            work.pop()
            if type not in depths:
                levels = UNION if type.op == op.TypeInterface else 1
                depths[type] = max([depths.get(part, 0) for part in inner], default=-levels) + levels
                if depths[type] > MAX_DEPTH:
                    return type
    return None


def _inside(type: Instr, tables: dict[Value, list[Instr]]) -> list[Instr]:
    """The types that one is made of; those that conform to an interface."""
    if type.op == op.TypeInterface:
        return [table.instr(0) for table in tables.get(type, [])]
    if not type.has_result:
        return []
    return [part for part in type.operands if isinstance(part, Instr) and part.has_result and part.type is None]
