"""Types that are declared: structs, interfaces, enumerations, extensions, buffers, and what stands in them.

    struct A : IB { int x; int f(); }        AggregateDecl(struct, A, [IB], [VarDecl, FuncDecl])
    cbuffer C : register(b0) { float4 v; }   AggregateDecl(cbuffer, C, members)
    property int p { get { ... } }           PropertyDecl(p, int, [FuncDecl(get)])

A member that is no syntax costs itself only. Source: Slang's language reference, "Declarations".
"""

from reknit.front.slang.parse import words
from reknit.front.slang.parse.cursor import SyntaxStop
from reknit.front.slang.parse.functions import FunctionParser
from reknit.front.slang.report import Reports
from reknit.front.slang.syntax import (
    AggregateDecl,
    AssocDecl,
    Decl,
    EnumCase,
    EnumDecl,
    Expr,
    FuncDecl,
    Modifiers,
    Name,
    PropertyDecl,
    UnsupportedDecl,
)
from reknit.front.slang.tokens import Tokens


class AggregateParser(FunctionParser):
    def __init__(self, tokens: Tokens, reports: Reports) -> None:
        super().__init__(tokens, reports)
        self._unnamed = 0
        self.inline: list[Decl] = []  # types declared where they are used; they go before that declaration

    def members(self, end: int) -> list[Decl]:
        """Declarations up to `end`."""
        out: list[Decl] = []
        while self.pos < end:
            start = self.pos
            depth = self.depth
            in_angles = self.in_angles
            try:
                if self.text == "}":
                    self.unexpected("identifier")
                out.extend(self.declaration(self.modifiers()))
            except SyntaxStop:
                self.depth = depth
                self.in_angles = in_angles
                self.inline.clear()
                self.recover(start, end)
        return out

    def body_members(self) -> list[Decl]:
        """`{ declarations }`"""
        at = self.expect("{")
        end = self.matching[self.pos - 1]
        if end < 0:
            end = self._unclosed(at)
        out = self.members(end)
        self._closed(end)
        return out

    # ---- types

    def inline_type(self) -> Expr:
        """`struct {...}` where a type stands: its declaration is put before what uses it."""
        made = self.type_declaration(Modifiers())
        self.inline.append(made)
        return Name(made.at, made.name)

    def type_declaration(self, modifiers: Modifiers) -> Decl:
        word = self.text
        self.pos += 1
        if word == "enum":
            return self._enum(modifiers)
        modifiers = self._with_attributes(modifiers)
        at = self.at
        name = self.expect_name() if self.name_next() else self._new_name(word)
        generics = self.generics()
        bases = self._bases()
        if self.take_if("="):
            generics = self.add_wheres(generics)
            made = AggregateDecl(at, name, modifiers, word, generics, bases, None, None)
            made.alias = self.type_expression()
            return made
        generics = self.add_wheres(generics)
        if self.text == ";":
            return AggregateDecl(at, name, modifiers, word, generics, bases, None, None)
        return AggregateDecl(at, name, modifiers, word, generics, bases, None, self.body_members())

    def _with_attributes(self, modifiers: Modifiers) -> Modifiers:
        if self.text == "[":
            modifiers.attributes.extend(self.modifiers().attributes)
        return modifiers

    def _new_name(self, word: str) -> str:
        """A name nobody can write, for a type that has none."""
        self._unnamed += 1
        return f"${word}{self._unnamed}"

    def _bases(self) -> list[Expr]:
        out: list[Expr] = []
        if self.take_if(":"):
            out.append(self.type_expression())
            while self.take_if(","):
                out.append(self.type_expression())
        return out

    def _enum(self, modifiers: Modifiers) -> EnumDecl:
        at = self.at
        if self.text == "class":
            modifiers.words["class"] = at
            self.pos += 1
        at = self.at
        modifiers = self._with_attributes(modifiers)
        name = self.expect_name() if self.name_next() else self._new_name("enum")
        self.generics()
        bases = self._bases()
        self.wheres()
        opened = self.expect("{")
        end = self.matching[self.pos - 1]
        if end < 0:
            end = self._unclosed(opened)
        cases: list[EnumCase] = []
        while self.pos < end:
            self._enum_case(cases, end)
        self._closed(end)
        return EnumDecl(at, name, modifiers, bases[0] if bases else None, bases, cases)

    def _enum_case(self, cases: list[EnumCase], end: int) -> None:
        start = self.pos
        depth = self.depth
        try:
            modifiers = self.modifiers()
            at = self.at
            name = self.expect_name()
            cases.append(EnumCase(at, name, modifiers, self.argument() if self.take_if("=") else None))
            if self.pos < end:
                self.expect(",")
        except SyntaxStop:
            self.depth = depth
            self.pos = max(self.pos, start + 1)
            while self.pos < end and self.texts[self.pos - 1] != ",":
                self.pos += 1

    def interface(self, modifiers: Modifiers) -> AggregateDecl:
        at = self.at
        name = self.expect_name()
        generics = self.generics()
        bases = self._bases()
        generics = self.add_wheres(generics)
        members = None if self.text == ";" and self.take_if(";") else self.body_members()
        return AggregateDecl(at, name, modifiers, "interface", generics, bases, None, members)

    def extension(self, modifiers: Modifiers) -> AggregateDecl:
        generics = self.generics()
        at = self.at
        target = self.type_expression()
        bases = self._bases()
        generics = self.add_wheres(generics)
        return AggregateDecl(at, "", modifiers, "extension", generics, bases, target, self.body_members())

    def namespace(self, modifiers: Modifiers) -> AggregateDecl:
        names = [(self.at, self.expect_name())]
        while self.take_if(".") or self.take_if("::"):
            names.append((self.at, self.expect_name()))
            self.check_links(len(names))
        members = self.body_members()
        while True:
            at, name = names.pop()
            own = modifiers if not names else Modifiers()
            made = AggregateDecl(at, name, own, "namespace", None, [], None, members)
            if not names:
                return made
            members = [made]

    def buffer(self, word: str, modifiers: Modifiers) -> list[Decl]:
        at = self.at
        name = self.expect_name()
        self.semantics(modifiers)
        members = self.body_members()
        if self.name_next() and self.texts[self.pos + 1] == ";" and not self.starts_line(self.pos):
            name = self.expect_name()
        self.take_if(";")
        return [AggregateDecl(at, name, modifiers, word, None, [], None, members)]

    # ---- members of types

    def property(self, modifiers: Modifiers) -> PropertyDecl:
        at = self.at
        if self.name_next() and self.texts[self.pos + 1] in (":", ",", ")", "}", "]", "{"):
            name = self.expect_name()
            self.expect(":")
            type = self.type_expression()
        else:
            at, name, type = self.declarator(self.type_expression())
        return PropertyDecl(at, name, modifiers, type, None, self._accessors(), None)

    def subscript(self, at: int, modifiers: Modifiers) -> PropertyDecl:
        generics = self.generics()
        params = self.parameters(True)
        if not self.take_if("->"):
            self.unexpected("'->'")
        type = self.type_expression()
        generics = self.add_wheres(generics)
        return PropertyDecl(at, "subscript", modifiers, type, params, self._accessors(), generics)

    def _accessors(self) -> list[FuncDecl]:
        """`{ ... }`; without it there is a getter."""
        out: list[FuncDecl] = []
        if self.text != "{":
            getter = FuncDecl(self.at, "get", Modifiers(), "get", None, [], None, None)
            self.semicolon()
            return [getter]
        opened = self.expect("{")
        end = self.matching[self.pos - 1]
        if end < 0:
            end = self._unclosed(opened)
        while self.pos < end:
            start = self.pos
            depth = self.depth
            try:
                out.append(self._accessor())
            except SyntaxStop:
                self.depth = depth
                self.recover(start, end)
        self._closed(end)
        return out

    def _accessor(self) -> FuncDecl:
        modifiers = self.modifiers()
        at = self.at
        name = self.text
        if name not in words.ACCESSORS:
            self.unexpected("'get', 'set' or 'ref'")
        self.pos += 1
        params = self.parameters(True) if self.text == "(" else []
        return FuncDecl(at, name, modifiers, name, None, params, None, self.body())

    def associated(self, word: str, modifiers: Modifiers) -> Decl:
        at = self.at
        name = self.expect_name()
        bounds = self._bases()
        wheres = self.wheres()
        self.semicolon()
        if word == "type_param":
            return UnsupportedDecl(at, name, "global generic parameters (`type_param`)")
        return AssocDecl(at, name, modifiers, bounds, wheres)
