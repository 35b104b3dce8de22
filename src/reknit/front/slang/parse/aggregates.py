"""Types that are declared: structs, interfaces, enumerations, extensions, buffers, and what stands in them.

    struct A : IB { int x; int f(); }        AggregateDecl(struct, A, [IB], [VarDecl, FuncDecl])
    cbuffer C : register(b0) { float4 v; }   AggregateDecl(cbuffer, C, members)
    property int p { get { ... } }           PropertyDecl(p, int, [FuncDecl(get)])

A member that is no syntax costs itself only. Source: Slang's language reference, "Declarations".
"""

from typing import TYPE_CHECKING, final

from reknit.front.slang import syntax
from reknit.front.slang.parse import words
from reknit.front.slang.parse.cursor import SyntaxStop
from reknit.front.slang.parse.functions import FunctionParser

if TYPE_CHECKING:
    from reknit.front.slang.parse.declarations import DeclarationParser


@final
class AggregateParser:
    __slots__ = (
        *("tokens", "types", "expressions", "modifiers", "generics", "functions", "declarations"),
        *("inline", "_unnamed"),
    )
    declarations: "DeclarationParser"

    def __init__(self, functions: FunctionParser) -> None:
        self.tokens = functions.tokens
        self.types = functions.types
        self.expressions = functions.expressions
        self.modifiers = functions.modifiers
        self.generics = functions.generics
        self.functions = functions
        self.inline: list[syntax.Decl] = []  # types declared where they are used; they go before that declaration
        self._unnamed = 0
        self.types.aggregates = self

    def members(self, end: int) -> list[syntax.Decl]:
        """Declarations up to `end`."""
        tokens = self.tokens
        out: list[syntax.Decl] = []
        while tokens.pos < end:
            start = tokens.mark()
            try:
                if tokens.text == "}":
                    tokens.unexpected("identifier")
                out.extend(self.declarations.declaration(self.modifiers.read()))
            except SyntaxStop:
                self.inline.clear()
                tokens.recover(start, end)
        return out

    def body_members(self) -> list[syntax.Decl]:
        """`{ declarations }`"""
        tokens = self.tokens
        end = tokens.open_braces()
        out = self.members(end)
        tokens.close_braces(end)
        return out

    # ---- types

    def inline_type(self) -> syntax.Expr:
        """`struct {...}` where a type stands: its declaration is put before what uses it."""
        decl = self.type_declaration(syntax.Modifiers())
        self.inline.append(decl)
        return syntax.Name(decl.at, decl.name)

    def type_declaration(self, modifiers: syntax.Modifiers) -> syntax.Decl:
        tokens = self.tokens
        word = tokens.text
        tokens.pos += 1
        if word == "enum":
            return self._enum(modifiers)
        modifiers = self._with_attributes(modifiers)
        at = tokens.at
        name = tokens.expect_name() if tokens.name_next() else self._new_name(word)
        generics = None if self.functions.specialized(at, name) else self.generics.parameters()
        bases = self._bases()
        decl = syntax.AggregateDecl(at, name, modifiers, word, generics, bases, None, None)
        is_alias = tokens.take_if("=")
        decl.generics = self.generics.add_wheres(generics)
        if is_alias:
            decl.alias = self.types.type_expression()
        elif tokens.text != ";":
            decl.members = self.body_members()
        return decl

    def _with_attributes(self, modifiers: syntax.Modifiers) -> syntax.Modifiers:
        if self.tokens.text == "[":
            modifiers.attributes.extend(self.modifiers.read().attributes)
        return modifiers

    def _new_name(self, word: str) -> str:
        """A name that no source can have, for a type without one."""
        self._unnamed += 1
        return f"${word}{self._unnamed}"

    def _bases(self) -> list[syntax.Expr]:
        tokens = self.tokens
        out: list[syntax.Expr] = []
        if tokens.take_if(":"):
            out.append(self.types.type_expression())
            while tokens.take_if(","):
                out.append(self.types.type_expression())
        return out

    def _enum(self, modifiers: syntax.Modifiers) -> syntax.EnumDecl:
        tokens = self.tokens
        at = tokens.at
        if tokens.text == "class":
            modifiers.words["class"] = at
            tokens.pos += 1
        at = tokens.at
        modifiers = self._with_attributes(modifiers)
        name = tokens.expect_name() if tokens.name_next() else self._new_name("enum")
        self.generics.parameters()
        bases = self._bases()
        self.generics.wheres()
        end = tokens.open_braces()
        cases: list[syntax.EnumCase] = []
        while tokens.pos < end:
            self._enum_case(cases, end)
        tokens.close_braces(end)
        return syntax.EnumDecl(at, name, modifiers, bases[0] if bases else None, bases, cases)

    def _enum_case(self, cases: list[syntax.EnumCase], end: int) -> None:
        tokens = self.tokens
        start = tokens.pos
        depth = tokens.depth
        in_angles = tokens.in_angles
        try:
            modifiers = self.modifiers.read()
            at = tokens.at
            name = tokens.expect_name()
            cases.append(syntax.EnumCase(at, name, modifiers, self.expressions.initial()))
            if tokens.pos < end:
                tokens.expect(",")
        except SyntaxStop:
            tokens.depth = depth
            tokens.in_angles = in_angles
            tokens.pos = max(tokens.pos, start + 1)
            while tokens.pos < end and tokens.texts[tokens.pos - 1] != ",":
                tokens.pos += 1

    def interface(self, modifiers: syntax.Modifiers) -> syntax.AggregateDecl:
        tokens = self.tokens
        at = tokens.at
        name = tokens.expect_name()
        generics = self.generics.parameters()
        bases = self._bases()
        generics = self.generics.add_wheres(generics)
        members = None if tokens.text == ";" and tokens.take_if(";") else self.body_members()
        return syntax.AggregateDecl(at, name, modifiers, "interface", generics, bases, None, members)

    def extension(self, modifiers: syntax.Modifiers) -> syntax.AggregateDecl:
        generics = self.generics.parameters()
        at = self.tokens.at
        target = self.types.type_expression()
        bases = self._bases()
        generics = self.generics.add_wheres(generics)
        return syntax.AggregateDecl(at, "", modifiers, "extension", generics, bases, target, self.body_members())

    def namespace(self, modifiers: syntax.Modifiers) -> syntax.AggregateDecl:
        tokens = self.tokens
        names = [(tokens.at, tokens.expect_name())]
        while tokens.take_if(".") or tokens.take_if("::"):
            names.append((tokens.at, tokens.expect_name()))
            tokens.check_links(len(names))
        members = self.body_members()
        while True:
            at, name = names.pop()
            own = modifiers if not names else syntax.Modifiers()
            decl = syntax.AggregateDecl(at, name, own, "namespace", None, [], None, members)
            if not names:
                return decl
            members = [decl]

    def buffer(self, word: str, modifiers: syntax.Modifiers) -> list[syntax.Decl]:
        tokens = self.tokens
        at = tokens.at
        name = tokens.expect_name()
        self.modifiers.semantics(modifiers)
        members = self.body_members()
        if tokens.name_next() and tokens.after == ";" and not tokens.starts_line(tokens.pos):
            name = tokens.expect_name()
        tokens.take_if(";")
        return [syntax.AggregateDecl(at, name, modifiers, word, None, [], None, members)]

    # ---- members of types

    def property(self, modifiers: syntax.Modifiers) -> syntax.PropertyDecl:
        tokens = self.tokens
        at = tokens.at
        if tokens.name_next() and tokens.after in (":", ",", ")", "}", "]", "{"):
            name = tokens.expect_name()
            tokens.expect(":")
            type = self.types.type_expression()
        else:
            at, name, type = self.functions.declarator(self.types.type_expression())
        return syntax.PropertyDecl(at, name, modifiers, type, None, self._accessors(), None)

    def subscript(self, at: int, modifiers: syntax.Modifiers) -> syntax.PropertyDecl:
        tokens = self.tokens
        generics = self.generics.parameters()
        params = self.functions.parameters(True)
        if not tokens.take_if("->"):
            tokens.unexpected("'->'")
        type = self.types.type_expression()
        generics = self.generics.add_wheres(generics)
        return syntax.PropertyDecl(at, "subscript", modifiers, type, params, self._accessors(), generics)

    def _accessors(self) -> list[syntax.FuncDecl]:
        """`{ ... }`; without it there is a getter."""
        tokens = self.tokens
        out: list[syntax.FuncDecl] = []
        if tokens.text != "{":
            getter = syntax.FuncDecl(tokens.at, "get", syntax.Modifiers(), "get", None, [], None, None)
            tokens.semicolon()
            return [getter]
        end = tokens.open_braces()
        while tokens.pos < end:
            start = tokens.mark()
            try:
                out.append(self._accessor())
            except SyntaxStop:
                tokens.recover(start, end)
        tokens.close_braces(end)
        return out

    def _accessor(self) -> syntax.FuncDecl:
        tokens = self.tokens
        modifiers = self.modifiers.read()
        at = tokens.at
        name = tokens.text
        if name not in words.ACCESSORS:
            tokens.unexpected("'get', 'set' or 'ref'")
        tokens.pos += 1
        params = self.functions.parameters(True) if tokens.text == "(" else []
        return syntax.FuncDecl(at, name, modifiers, name, None, params, None, self.functions.body())

    def associated(self, word: str, modifiers: syntax.Modifiers) -> syntax.Decl:
        tokens = self.tokens
        at = tokens.at
        name = tokens.expect_name()
        bounds = self._bases()
        wheres = self.generics.wheres()
        tokens.semicolon()
        if word == "type_param":
            return syntax.UnsupportedDecl(at, name, "global generic parameters (`type_param`)")
        return syntax.AssocDecl(at, name, modifiers, bounds, wheres)
