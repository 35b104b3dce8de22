"""Conformances that the command line asks for: `-conformance A:IFoo=3`.

"A:IFoo"   A is among what an IFoo may be        "=3"   with this number for createDynamicObject
"""

from reknit.front.slang import syntax
from reknit.front.slang.check.context import Context
from reknit.front.slang.parse.file import parse_file
from reknit.front.slang.report import Reports
from reknit.front.slang.sources import Sources, position
from reknit.front.slang.symbols import Conformance, Environment
from reknit.front.slang.types import ErrorType, InterfaceType, Type, same
from reknit.front.slang.witnesses import ConformanceWitness
from reknit.source.diagnostic import Note
from reknit.source.digits import is_decimal


def link_conformances(ctx: Context) -> None:
    """Faults stand in the option's text."""
    for text in ctx.options.conformances:
        names, _, number = text.partition("=")
        left, _, right = names.rpartition(":")
        asked = Reports(Sources())
        subject, interface = _type(ctx, asked, left), _type(ctx, asked, right)
        if not isinstance(interface, InterfaceType) or isinstance(subject, ErrorType):
            notes = [Note(diagnostic.message) for diagnostic in asked.diagnostics]
            if not isinstance(interface, InterfaceType | ErrorType):
                notes.append(Note(f"'{interface}' is no interface."))
            _refuse(ctx, "E00071", text, f"syntax error in type conformance option '{text}'.", notes)
            continue
        conformance = _find(ctx, subject, interface)
        if conformance is None:
            _refuse(ctx, "E00073", text, f"cannot create type conformance '{text}'.", [])
        elif is_decimal(number.strip()):
            conformance.sequential_id = int(number)


_NONE = Environment([], [])


def _refuse(ctx: Context, code: str, text: str, message: str, notes: list[Note]) -> None:
    at = position(ctx.reports.sources.add("--conformance", text), 1, 1)
    ctx.reports.error(code, at, message, notes, len(text))


def _find(ctx: Context, subject: Type, interface: InterfaceType) -> Conformance | None:
    """The conformance itself; of a generic type one of its own."""
    for conformance in ctx.program.conformances:
        if same(conformance.subject, subject) and same(conformance.interface, interface):
            return conformance
    if not isinstance(ctx.evidence.find(subject, interface), ConformanceWitness):
        return None
    linked = Conformance(
        ctx.number(), ctx.evidence.conformances[interface.interface.number][0].at, subject, interface, _NONE
    )
    linked.completer = ctx.completer
    ctx.evidence.put_first(linked)
    ctx.program.conformances.append(linked)
    return linked


def _type(ctx: Context, asked: Reports, text: str) -> Type:
    """The type that `text` names; what is wrong with it goes to `asked`."""
    unit, _ = parse_file("--conformance", f"typealias _ = {text.strip()};", reports=asked)
    reports = ctx.reports
    ctx.reports = asked
    try:
        for decl in unit.declarations:
            if isinstance(decl, syntax.AliasDecl) and not asked.errors:
                return ctx.types.type_of(ctx.root, decl.type)
    finally:
        ctx.reports = reports
    return ErrorType()
