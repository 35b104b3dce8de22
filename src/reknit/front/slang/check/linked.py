"""Conformances that the command line asks for: `-conformance A:IFoo=3`.

"A:IFoo"   A is among what an IFoo may be        "=3"   with this number for createDynamicObject
"""

from reknit.front.slang import syntax
from reknit.front.slang.check.context import Context
from reknit.front.slang.parse import parse_file
from reknit.front.slang.symbols import Completer, Conformance, Environment
from reknit.front.slang.types import ErrorType, InterfaceType, Type, same
from reknit.front.slang.witnesses import ConformanceWitness


def link_conformances(ctx: Context, completer: Completer) -> None:
    for text in ctx.options.conformances:
        names, _, number = text.partition("=")
        left, _, right = names.rpartition(":")
        subject, interface = _type(ctx, left), _type(ctx, right)
        if not isinstance(interface, InterfaceType) or isinstance(subject, ErrorType):
            ctx.error("E00071", _START, f"syntax error in type conformance option '{text}'.")
            continue
        found = _find(ctx, subject, interface, completer)
        if found is None:
            ctx.error("E00073", _START, f"cannot create type conformance '{text}'.")
        elif number.strip().isdigit():
            found.sequential_id = int(number)


_START = 1 << 16 | 1
_NONE = Environment([], [])


def _find(ctx: Context, subject: Type, interface: InterfaceType, completer: Completer) -> Conformance | None:
    """The conformance itself; of a generic type one of its own."""
    for conformance in ctx.program.conformances:
        if same(conformance.subject, subject) and same(conformance.interface, interface):
            return conformance
    if not isinstance(ctx.evidence.find(subject, interface), ConformanceWitness):
        return None
    made = Conformance(
        ctx.number(), ctx.evidence.conformances[interface.interface.number][0].at, subject, interface, _NONE
    )
    made.completer = completer
    ctx.evidence.put_first(made)
    ctx.program.conformances.append(made)
    return made


def _type(ctx: Context, text: str) -> Type:
    unit, reports = parse_file("conformance", f"typealias _ = {text.strip()};")
    for decl in unit.declarations:
        if isinstance(decl, syntax.AliasDecl) and not reports.errors:
            return ctx.type_of(ctx.root, decl.type)
    return ErrorType()
