"""The names of a Slang or HLSL source, by what checking it found them to mean.

    tokens ─┬─ syntax: declarations, types by the scopes they are written in
            └─ hir: variables, fields, functions, what an interface asks for

A source with errors is checked as far as it goes. A name that a macro made is not in the text, and is left out: what is
reported here always stands there, letter by letter.
"""

import sys
from collections.abc import Iterator
from contextlib import suppress
from types import GetSetDescriptorType, MemberDescriptorType
from typing import Final, final

from reknit.editor.mentions import Mention, Outline
from reknit.front.slang import check, hir, syntax
from reknit.front.slang.compile import NESTS, Settings, choose_entries, numbered
from reknit.front.slang.core import with_core
from reknit.front.slang.lexer import lex
from reknit.front.slang.modules import with_imports
from reknit.front.slang.parse.file import parse_file
from reknit.front.slang.report import Reports
from reknit.front.slang.sources import Sources, file_of
from reknit.front.slang.symbols import Field, Function, Program, Requirement, Symbol, Variable
from reknit.front.slang.tokens import KIND, NAME
from reknit.source.diagnostic import InputError

_AGGREGATES: Final = {
    "struct": "struct", "class": "struct", "interface": "interface", "namespace": "namespace", "cbuffer": "struct",
    "tbuffer": "struct", "extension": "struct",
}  # fmt: skip
_VARIABLES: Final = {"param": "parameter", "entry": "parameter", "this": "parameter"}


@final
class SlangNames:
    """`calls` has, for the position of a call's name, that of its parenthesis, where instructions say they
    are."""

    __slots__ = ("mentions", "outline", "calls")

    def __init__(self) -> None:
        self.mentions: list[Mention] = []
        self.outline: list[Outline] = []
        self.calls: dict[tuple[int, int], tuple[int, int]] = {}


def names_of_slang(text: str, path: str, settings: Settings | None, hlsl: bool) -> SlangNames:
    """`text` has plain line ends."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(before, NESTS))
    try:
        return _Reading(text, path, settings if settings is not None else Settings(), hlsl).names
    finally:
        sys.setrecursionlimit(before)


@final
class _Declared:
    __slots__ = ("at", "kind", "label")

    def __init__(self, at: int, kind: str, label: str) -> None:
        self.at = at
        self.kind = kind
        self.label = label


@final
class _Scope:
    """Types and generic parameters by name, and what is around them."""

    __slots__ = ("types", "outer")

    def __init__(self, outer: "_Scope | None") -> None:
        self.types: dict[str, _Declared] = {}
        self.outer = outer

    def find(self, name: str) -> _Declared | None:
        scope: _Scope | None = self
        while scope is not None:
            if name in scope.types:
                return scope.types[name]
            scope = scope.outer
        return None


class _Reading:
    def __init__(self, text: str, path: str, settings: Settings, hlsl: bool) -> None:
        self.names = SlangNames()
        self.path = path
        self.lines = text.split("\n")
        tokens = lex(text, 0, Reports(Sources()))
        self.tokens = {at: index for index, at in enumerate(tokens.ats)}
        self.kinds, self.texts, self.ats = tokens.kinds, tokens.texts, tokens.ats
        self.by_position: dict[int, Mention] = {}
        unit, self.reports = parse_file(path, text, settings.options, hlsl=hlsl)
        self._outline(unit)
        unit = with_core(with_imports(unit, path, settings.options, self.reports), self.reports)
        asked = check.Options(settings.entries, "compute", numbered(settings.conformances))
        program = check.check(unit, self.reports.sources, self.reports, asked)
        with suppress(InputError):  # a file that others import has none; the diagnostics report it
            choose_entries(program, path)
        self._symbols(program)
        self._types(unit)
        self.names.mentions = sorted(self.by_position.values(), key=lambda each: (each.line, each.column))

    # --- what stands where ---------------------------------------------------------------------------------------

    def _add(self, at: int, name: str, declared: _Declared | None, modifiers: tuple[str, ...] = ()) -> None:
        """Note that `name` is written at a position, if it is."""
        index = self.tokens.get(at)
        if index is None or self.texts[index] != name or self.kinds[index] & KIND != NAME:
            return
        if name == "this" or at in self.by_position:
            return
        place = self.reports.sources.place(at)
        if declared is None:
            own = ("defaultLibrary", *modifiers)
            self.by_position[at] = Mention(place.line, place.column, len(name), "function", own)
            return
        if declared.at == at:
            modifiers = ("declaration", *modifiers)
        there = self.tokens.get(declared.at)  # a setter's `newValue` is declared at the word `set`
        length = len(self.texts[there]) if there is not None else len(name)
        origin = self.reports.sources.place(declared.at, length) if declared.at > 0 else None
        self.by_position[at] = Mention(
            place.line, place.column, len(name), declared.kind, modifiers, declared.label, origin
        )

    def _callee(self, at: int) -> int:
        """The position of the name of a call, of which the parenthesis is known; generic arguments may be between."""
        index = self.tokens.get(at)
        if index is None or self.texts[index] != "(":
            return at
        index -= 1
        depth = 0
        while index > 0 and (depth > 0 or self.texts[index] in (">", ">>")):
            depth += self.texts[index].count(">") if self.texts[index] in (">", ">>") else 0
            depth -= 1 if self.texts[index] == "<" else 0
            index -= 1
        name = self.reports.sources.place(self.ats[index])
        here = self.reports.sources.place(at)
        self.names.calls[name.line, name.column] = (here.line, here.column)
        return self.ats[index]

    # --- what checking found -------------------------------------------------------------------------------------

    def _symbols(self, program: Program) -> None:
        for variable in program.globals:
            self._variable(variable, variable.at)
            if variable.init is not None:
                self._walk(variable.init)
        for struct in program.structs:
            for field in struct.fields:
                self._add(field.at, field.name, _field(field))
                if field.init is not None:
                    self._walk(field.init)
        for interface in program.interfaces:
            for requirement in interface.requirements:
                self._add(requirement.at, requirement.name, _requirement(requirement))
        for function in program.functions:
            self._add(function.at, function.name, _function(function))
            for parameter in function.params:
                self._variable(parameter, parameter.at)
                if parameter.init is not None:
                    self._walk(parameter.init)
            if function.body is not None:
                self._walk(function.body)

    def _variable(self, variable: Variable, at: int) -> None:
        kind = _VARIABLES.get(variable.kind, "variable")
        modifiers = ("readonly",) if variable.kind in ("constant", "specialized") else ()
        self._add(at, variable.name, _Declared(variable.at, kind, f"{variable.type} {variable.name}"), modifiers)

    def _walk(self, root: hir.Expr | hir.Stmt) -> None:
        """All nodes below one; a spine of operators may be as long as the text."""
        work: list[object] = [root]
        while work:
            node = work.pop()
            if isinstance(node, hir.Place):
                self._variable(node.variable, node.at)
            elif isinstance(node, hir.Let):
                self._variable(node.variable, node.variable.at)
            elif isinstance(node, hir.Field):
                self._add(node.at, node.field.name, _field(node.field))
            elif isinstance(node, hir.Call):
                self._add(self._callee(node.at), node.function.name, _function(node.function))
            elif isinstance(node, hir.WitnessCall):
                self._add(self._callee(node.at), node.requirement.name, _requirement(node.requirement))
            elif isinstance(node, hir.Intrinsic):
                self._add(self._callee(node.at), node.name.rpartition(".")[2], None)
            work.extend(_below(node))

    # --- types as written ----------------------------------------------------------------------------------------

    def _types(self, unit: syntax.Unit) -> None:
        top = _Scope(None)
        work: list[tuple[object, _Scope]] = [(unit, top)]
        self._declare(unit.declarations, top)
        while work:
            node, scope = work.pop()
            if isinstance(node, syntax.Name):
                declared = scope.find(node.text)
                if declared is not None:
                    self._add(node.at, node.text, declared)
                continue
            if isinstance(node, syntax.TemplateDecl):
                scope = _Scope(scope)
                self._declare(node.params, scope)
            elif isinstance(node, syntax.AggregateDecl | syntax.FuncDecl | syntax.AliasDecl | syntax.PropertyDecl):
                scope = _Scope(scope)
                if node.generics is not None:
                    self._declare(node.generics.params, scope)
                if isinstance(node, syntax.AggregateDecl) and node.members is not None:
                    self._declare(node.members, scope)
            elif isinstance(node, syntax.Block):
                scope = _Scope(scope)
                local = [each for each in node.statements if isinstance(each, syntax.DeclStmt)]
                self._declare([decl for each in local for decl in each.declarations], scope)
            work.extend([(each, scope) for each in _below(node)])

    def _declare(self, declarations: list[syntax.Decl], scope: _Scope) -> None:
        for each in declarations:
            decl = each.inner if isinstance(each, syntax.TemplateDecl) else each
            kind, label = _type_of(decl)
            if kind and decl.name and not (isinstance(decl, syntax.AggregateDecl) and decl.kind == "extension"):
                declared = _Declared(decl.at, kind, label)
                scope.types.setdefault(decl.name, declared)
                self._add(decl.at, decl.name, declared)
            if isinstance(decl, syntax.EnumDecl):
                for case in decl.cases:
                    self._add(case.at, case.name, _Declared(case.at, "enumMember", f"{decl.name}.{case.name}"))

    # --- the list of symbols -------------------------------------------------------------------------------------

    def _outline(self, unit: syntax.Unit) -> None:
        """What the file itself declares; what it includes has another number."""
        work: list[tuple[syntax.Decl, list[Outline]]] = [(decl, self.names.outline) for decl in unit.declarations]
        while work:
            decl, into = work.pop(0)
            place = self.reports.sources.place(decl.at) if decl.at > 0 else None
            kind = _outline_kind(decl)
            if place is None or file_of(decl.at) or not decl.name or not kind:
                continue
            symbol = Outline(
                decl.name, kind, "", place.line, place.column, len(decl.name), _last_line(decl, self.reports.sources)
            )
            into.append(symbol)
            if isinstance(decl, syntax.AggregateDecl):
                work.extend([(member, symbol.inner) for member in decl.members or []])
            elif isinstance(decl, syntax.EnumDecl):
                work.extend([(case, symbol.inner) for case in decl.cases])
        _stretch(self.names.outline)


def _stretch(outline: list[Outline]) -> None:
    """A declaration ends no sooner than what is in it."""
    for symbol in outline:
        _stretch(symbol.inner)
        symbol.last_line = max([symbol.last_line, *[inner.last_line for inner in symbol.inner]])


def _last_line(decl: syntax.Decl, sources: Sources) -> int:
    if isinstance(decl, syntax.FuncDecl) and decl.body is not None and decl.body.end > 0:
        return sources.place(decl.body.end).line
    return 0


def _outline_kind(decl: syntax.Decl) -> str:
    if isinstance(decl, syntax.FuncDecl):
        return "function"
    if isinstance(decl, syntax.VarDecl):
        return "variable"
    if isinstance(decl, syntax.PropertyDecl):
        return "property"
    if isinstance(decl, syntax.EnumCase):
        return "enumMember"
    return _type_of(decl)[0]


def _type_of(decl: syntax.Decl) -> tuple[str, str]:
    """The kind and label of what declares a type or a generic parameter; "" for the others."""
    if isinstance(decl, syntax.AggregateDecl):
        return _AGGREGATES.get(decl.kind, "struct"), f"{decl.kind} {decl.name}"
    if isinstance(decl, syntax.EnumDecl):
        return "enum", f"enum {decl.name}"
    if isinstance(decl, syntax.AliasDecl):
        return "type", f"typealias {decl.name}"
    if isinstance(decl, syntax.AssocDecl):
        return "type", f"associatedtype {decl.name}"
    if isinstance(decl, syntax.TypeParam | syntax.ValueParam):
        return "typeParameter", f"{decl.name}, a generic parameter"
    return "", ""


def _field(field: Field) -> _Declared:
    return _Declared(field.at, "property", f"{field.type} {field.name}")


def _function(function: Function) -> _Declared:
    return _Declared(function.at, "method" if function.this is not None else "function", _signature(function))


def _signature(function: Function) -> str:
    parameters = [
        f"{each.direction + ' ' if each.direction != 'in' else ''}{each.type} {each.name}" for each in function.params
    ]
    return f"{function.result} {function.path}({', '.join(parameters)})"


def _requirement(requirement: Requirement) -> _Declared:
    symbol: Symbol = requirement
    if requirement.function is not None:
        return _Declared(symbol.at, "method", _signature(requirement.function))
    if requirement.kind == "associated":
        return _Declared(symbol.at, "type", f"associatedtype {symbol.path}")
    return _Declared(symbol.at, "property", f"{requirement.type} {symbol.path}")


# --- what is in a node ------------------------------------------------------------------------------------------------

_NODES: Final = (
    hir.Expr, hir.Stmt, hir.Case, hir.Opening, syntax.Node, syntax.Unit, syntax.Generics, syntax.Modifiers,
)  # fmt: skip
_FIELDS: dict[type, tuple[str, ...]] = {}


def _below(node: object) -> Iterator[object]:
    """The nodes right below one, in either tree. Compiled or not, a class has a descriptor for each field."""
    kind = type(node)
    fields = _FIELDS.get(kind)
    if fields is None:
        fields = tuple(
            name
            for base in kind.__mro__
            for name, what in vars(base).items()
            if isinstance(what, MemberDescriptorType | GetSetDescriptorType) and not name.startswith("__")
        )
        _FIELDS[kind] = fields
    for name in fields:
        value = getattr(node, name)
        if isinstance(value, _NODES):
            yield value
        elif isinstance(value, list):
            yield from [each for each in value if isinstance(each, _NODES)]
