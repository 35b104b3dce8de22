"""Declarations.

    int a, b[2];                             VarDecl(a), VarDecl(b)
    typealias A<T> = Box<T>;                 AliasDecl(A, [T], Box<T>)
    struct { int a; } s;                     AggregateDecl(struct, "$struct1"), VarDecl(s, $struct1)

Source: Slang's language reference, "Declarations".
"""

from typing import Final, final

from reknit.front.slang import syntax
from reknit.front.slang.parse import words
from reknit.front.slang.parse.aggregates import AggregateParser
from reknit.front.slang.parse.cursor import Cursor
from reknit.front.slang.parse.expressions import ExpressionParser
from reknit.front.slang.parse.functions import FunctionParser
from reknit.front.slang.parse.generics import GenericParser
from reknit.front.slang.parse.glsl import GlslParser
from reknit.front.slang.parse.modifiers import ModifierParser
from reknit.front.slang.parse.statements import StatementParser
from reknit.front.slang.parse.templates import template
from reknit.front.slang.parse.types import TypeParser
from reknit.front.slang.report import Reports
from reknit.front.slang.tokens import END, NAME, STRING, Tokens, spelled

# Keywords that need a certain kind of token after them; where something else follows they are ordinary names.
_BEFORE_NAME: Final = spelled(
    "typedef associatedtype type_param cbuffer tbuffer extension __extension interface let var func typealias "
    "namespace using module implementing __include __generic_value_param property semantic syntax __associatedfunc "
    "__constraint"
)
_IMPORTS: Final = spelled("import __import __include module implementing")
_READ_OVER: Final = {
    "semantic": "`semantic`", "syntax": "`syntax`", "attribute_syntax": "`attribute_syntax`",
    "__associatedfunc": "`__associatedfunc`", "__constraint": "`__constraint`",
    "__func_extension": "`__func_extension`", "__generic_value_param": "`__generic_value_param`",
    "template": "templates outside of HLSL, which slangc does not know either (a generic of Slang is `T f<T>(T a)`)",
    "__ignored_block": "`__ignored_block`", "__require_capability": "`__require_capability`",
}  # fmt: skip

_GENERIC: Final = (syntax.FuncDecl, syntax.AggregateDecl, syntax.PropertyDecl, syntax.AliasDecl)


@final
class DeclarationParser:
    __slots__ = (
        *("tokens", "look", "types", "expressions", "modifiers", "statements", "generics", "functions", "aggregates"),
        "glsl",
    )

    def __init__(self, source: Tokens, reports: Reports) -> None:
        """With all the parts, each of which has those that it asks."""
        self.tokens = Cursor(source, reports)
        self.types = TypeParser(self.tokens)
        self.look = self.types.look
        self.expressions = ExpressionParser(self.types)
        self.modifiers = ModifierParser(self.expressions)
        self.statements = StatementParser(self.modifiers)
        self.generics = GenericParser(self.expressions)
        self.functions = FunctionParser(self.statements, self.generics)
        self.aggregates = AggregateParser(self.functions)
        self.glsl = GlslParser(self.aggregates)
        self.statements.declarations = self
        self.aggregates.declarations = self

    def unit(self) -> syntax.Unit:
        return syntax.Unit(self.aggregates.members(len(self.tokens.kinds) - 4))

    def declaration(self, modifiers: syntax.Modifiers) -> list[syntax.Decl]:
        tokens = self.tokens
        tokens.enter()
        outer = self.aggregates.inline
        self.aggregates.inline = []
        decls = self._declaration_of(modifiers)
        decls = self.aggregates.inline + decls
        self.aggregates.inline = outer
        tokens.leave()
        return decls

    def _declaration_of(self, modifiers: syntax.Modifiers) -> list[syntax.Decl]:
        tokens = self.tokens
        text = tokens.text
        at = tokens.at
        if text == ";":
            tokens.pos += 1
            return []
        if text == "static_assert" and tokens.after == "(":
            asserted = self.statements.static_assert(at)
            return asserted.declarations
        if tokens.name_next() and text not in self.look.type_names and self._keyword_next(text):
            tokens.pos += 1
            return self._keyword_declaration(text, at, modifiers)
        return self._declarators(modifiers)

    def _keyword_next(self, text: str) -> bool:
        tokens = self.tokens
        after_kind = tokens.kinds[tokens.pos + 1]
        after = tokens.after
        if text in _BEFORE_NAME:
            return (
                after_kind in (NAME, STRING)
                or (after == "<" and text in ("extension", "__extension"))
                or after == "::"
                or (text == "module" and after == ";")
                or (text == "func" and after == "operator")
            )
        if text in ("import", "__import"):
            return after_kind in (NAME, STRING) or after == ";"
        if text in ("__init", "__subscript", "__generic"):
            return after in ("(", "<")
        if text == "template":
            return after == "<"
        return text in _READ_OVER or text in ("__transparent_block", "__file_decl")

    def _keyword_declaration(self, text: str, at: int, modifiers: syntax.Modifiers) -> list[syntax.Decl]:
        if text == "func":
            return [self.functions.func(modifiers)]
        if text == "let" or text == "var":
            modifiers.words[text] = at
            variable = self.functions.modern_variable(modifiers)
            self.tokens.semicolon()
            return [variable]
        if text == "interface":
            return [self.aggregates.interface(modifiers)]
        if text in ("extension", "__extension"):
            return [self.aggregates.extension(modifiers)]
        if text == "namespace":
            return [self.aggregates.namespace(modifiers)]
        if text in ("cbuffer", "tbuffer"):
            return self.aggregates.buffer(text, modifiers)
        if text == "__init":
            return [self.functions.initializer(at, modifiers)]
        if text == "property" or text == "__subscript":
            aggregates = self.aggregates
            return [aggregates.property(modifiers) if text == "property" else aggregates.subscript(at, modifiers)]
        if text in ("typedef", "typealias"):
            return [self._typedef(modifiers) if text == "typedef" else self._typealias(modifiers)]
        if text in ("associatedtype", "type_param"):
            return [self.aggregates.associated(text, modifiers)]
        if text == "__generic":
            return self._generic(modifiers)
        if text in _IMPORTS:
            return [self._import("import" if text == "__import" else text, at, modifiers)]
        if text == "using":
            return [self._using(modifiers)]
        if text in ("__transparent_block", "__file_decl"):
            return self.aggregates.body_members()
        if text == "template" and self.tokens.hlsl:
            return template(self, at)
        return self.read_over(at, _READ_OVER[text])

    # ---- names for types

    def _typedef(self, modifiers: syntax.Modifiers) -> syntax.AliasDecl:
        type = self.types.type_expression()
        at, name, type = self.functions.declarator(type)
        self.tokens.take_if(";")
        return syntax.AliasDecl(at, name, modifiers, None, type)

    def _typealias(self, modifiers: syntax.Modifiers) -> syntax.AliasDecl:
        tokens = self.tokens
        at = tokens.at
        name = tokens.expect_name()
        generics = self.generics.parameters()
        generics = self.generics.add_wheres(generics)
        tokens.expect("=")
        type = self.types.type_expression()
        generics = self.generics.add_wheres(generics)
        tokens.semicolon()
        return syntax.AliasDecl(at, name, modifiers, generics, type)

    def _generic(self, modifiers: syntax.Modifiers) -> list[syntax.Decl]:
        """`__generic<T> declaration`: the parameters come before the declaration's own."""
        generics = self.generics.parameters()
        inner = self.modifiers.read()
        inner.attributes[:0] = modifiers.attributes
        for word, at in modifiers.words.items():
            inner.words.setdefault(word, at)
        decls = self.declaration(inner)
        for decl in decls:
            if generics is not None and isinstance(decl, _GENERIC):
                decl.generics = _joined(generics, decl.generics)
        return decls

    # ---- modules

    def _import(self, kind: str, at: int, modifiers: syntax.Modifiers) -> syntax.ImportDecl:
        tokens = self.tokens
        name = ""
        if tokens.kinds[tokens.pos] == STRING:
            name = tokens.text[1:-1]
            at = tokens.at
            tokens.pos += 1
        elif tokens.name_next():
            at = tokens.at
            name = tokens.expect_name()
            while tokens.take_if("."):
                name += "." + tokens.expect_name()
        elif kind != "module":
            tokens.unexpected("identifier")
        tokens.semicolon()
        return syntax.ImportDecl(at, name, modifiers, kind)

    def _using(self, modifiers: syntax.Modifiers) -> syntax.Decl:
        tokens = self.tokens
        tokens.take_if("namespace")
        at = tokens.at
        tokens.take_if("::")
        name = tokens.expect_name()
        while tokens.text in (".", "::"):
            tokens.pos += 1
            name += "." + tokens.expect_name()
        if tokens.text == "<":
            self.look.type_end(tokens.pos)
        tokens.semicolon()
        return syntax.ImportDecl(at, name, modifiers, "using")

    def read_over(self, at: int, what: str) -> list[syntax.Decl]:
        """To the `;` or over the `{...}`, whichever comes first."""
        tokens = self.tokens
        while tokens.kinds[tokens.pos] != END and tokens.text not in (";", "{", "}"):
            tokens.pos = max(tokens.pos, tokens.matching[tokens.pos]) + 1
        if tokens.text == "{":
            tokens.pos = max(tokens.pos, tokens.matching[tokens.pos]) + 1
        else:
            tokens.semicolon()
        return [] if what == _READ_OVER["__ignored_block"] else [syntax.UnsupportedDecl(at, "", what)]

    # ---- C's form

    def _declarators(self, modifiers: syntax.Modifiers) -> list[syntax.Decl]:
        """`type name = value, name;` and `type name(...) {...}`; a type that is declared there comes first."""
        tokens = self.tokens
        out: list[syntax.Decl] = []
        if tokens.text in ("struct", "class", "enum") and tokens.kinds[tokens.pos] == NAME:
            declared = self.aggregates.type_declaration(modifiers)
            out.append(declared)
            ends = tokens.starts_line(tokens.pos) or tokens.kinds[tokens.pos] == END or tokens.text == "}"
            if tokens.take_if(";") or ends:
                return out
            type: syntax.Expr = syntax.Name(declared.at, declared.name)
            modifiers = _without_attributes(modifiers)
        else:
            if not tokens.name_next() and tokens.text != "::":
                tokens.unexpected("identifier")
            if self.glsl.is_next(modifiers):
                return self.glsl.declaration(modifiers)
            type = self.modifiers.with_type_modifiers(self.types.simple_type(), modifiers)
            type = self.types.array_type(type)
            if tokens.text == "?":
                type = self.types.optional_type(type)
            if tokens.text == ";":
                tokens.wrong("E39999", "declaration does not declare anything")
        path = self._path()
        at, name, own = self.functions.declarator(type)
        if tokens.text in ("(", "<"):
            function = self.functions.function(at, name, own, modifiers)
            out.append(syntax.OutsideDecl(at, path, function) if path else function)
            return out
        if path:
            tokens.unexpected("'('")
        while True:
            if words.is_operator(name):
                message = "an operator name can only be used to declare an operator function"
                tokens.reports.error("E20020", at, message, length=len(name))
            out.append(self._variable(at, name, own, modifiers))
            if not tokens.take_if(","):
                break
            at, name, own = self.functions.declarator(type)
        tokens.semicolon()
        return out

    def _path(self) -> list[str]:
        """What stands before the name of a method of HLSL that is defined outside of its struct."""
        tokens = self.tokens
        path: list[str] = []
        while tokens.hlsl and tokens.name_next() and tokens.after == "::":
            path.append(tokens.text)
            tokens.check_links(len(path))
            tokens.pos += 2
        return path

    def _variable(self, at: int, name: str, type: syntax.Expr, shared: syntax.Modifiers) -> syntax.VarDecl:
        modifiers = syntax.Modifiers()
        modifiers.words = dict(shared.words)
        modifiers.attributes = shared.attributes
        self.modifiers.semantics(modifiers)
        return syntax.VarDecl(at, name, modifiers, type, self.expressions.initial())


def _joined(outer: syntax.Generics, inner: syntax.Generics | None) -> syntax.Generics:
    if inner is None:
        return outer
    return syntax.Generics(outer.params + inner.params, outer.wheres + inner.wheres)


def _without_attributes(modifiers: syntax.Modifiers) -> syntax.Modifiers:
    """For the variables of `struct S {...} s;`: the attributes were the type's."""
    out = syntax.Modifiers()
    out.words = dict(modifiers.words)
    return out
