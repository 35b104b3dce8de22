"""Declarations.

    struct A : IB { int x; int f(); }        AggregateDecl(struct, A, [IB], [VarDecl, FuncDecl])
    cbuffer C : register(b0) { float4 v; }   AggregateDecl(cbuffer, C, members)
    struct { int a; } s;                     AggregateDecl(struct, "$struct1"), VarDecl(s, $struct1)

A declaration that is no syntax costs itself only. Source: Slang's language reference, "Declarations".
"""

from typing import Final

from reknit.front.slang import words
from reknit.front.slang.cursor import SyntaxStop
from reknit.front.slang.parse_func import FunctionParser
from reknit.front.slang.report import Reports
from reknit.front.slang.syntax import (
    AggregateDecl,
    AliasDecl,
    AssocDecl,
    Decl,
    EnumCase,
    EnumDecl,
    Expr,
    FuncDecl,
    Generics,
    ImportDecl,
    Index,
    Modifiers,
    Name,
    PropertyDecl,
    Unit,
    UnsupportedDecl,
    VarDecl,
)
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
    "__ignored_block": "`__ignored_block`", "__require_capability": "`__require_capability`",
}  # fmt: skip


class DeclarationParser(FunctionParser):
    def __init__(self, tokens: Tokens, reports: Reports) -> None:
        super().__init__(tokens, reports)
        self._unnamed = 0
        self._inline: list[Decl] = []  # types declared where they are used; they go before that declaration

    def unit(self) -> Unit:
        return Unit(self.members(len(self.kinds) - 4))

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
                self._inline.clear()
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

    def declaration(self, modifiers: Modifiers) -> list[Decl]:
        self.enter()
        outer = self._inline
        self._inline = []
        made = self._declaration_of(modifiers)
        made = self._inline + made
        self._inline = outer
        self.leave()
        return made

    def _declaration_of(self, modifiers: Modifiers) -> list[Decl]:
        text = self.text
        at = self.at
        if text == ";":
            self.pos += 1
            return []
        if text == "static_assert" and self.texts[self.pos + 1] == "(":
            made = self._static_assert(at)
            return made.declarations
        if self.name_next() and text not in self.type_names and self._keyword_next(text):
            self.pos += 1
            return self._keyword_declaration(text, at, modifiers)
        return self._declarators(modifiers)

    def _keyword_next(self, text: str) -> bool:
        after_kind = self.kinds[self.pos + 1]
        after = self.texts[self.pos + 1]
        if text in _BEFORE_NAME:
            return (
                after_kind in (NAME, STRING)
                or (after == "<" and text in ("extension", "__extension"))
                or after == "::"
                or (text == "module" and after == ";")
                or (text == "func" and after == "operator")
            )
        if text in ("import", "__import"):
            return after_kind in (NAME, STRING)
        if text in ("__init", "__subscript", "__generic"):
            return after in ("(", "<")
        return text in _READ_OVER or text in ("__transparent_block", "__file_decl")

    def _keyword_declaration(self, text: str, at: int, modifiers: Modifiers) -> list[Decl]:
        if text == "func":
            return [self.func(modifiers)]
        if text == "let" or text == "var":
            modifiers.words[text] = at
            variable = self.modern_variable(modifiers)
            self.semicolon()
            return [variable]
        if text == "interface":
            return [self._interface(modifiers)]
        if text in ("extension", "__extension"):
            return [self._extension(modifiers)]
        if text == "namespace":
            return [self._namespace(modifiers)]
        if text in ("cbuffer", "tbuffer"):
            return self._buffer(text, modifiers)
        if text == "__init":
            return [self.initializer(at, modifiers)]
        if text == "property" or text == "__subscript":
            return [self._property(modifiers) if text == "property" else self._subscript(at, modifiers)]
        if text in ("typedef", "typealias"):
            return [self._typedef(modifiers) if text == "typedef" else self._typealias(modifiers)]
        if text in ("associatedtype", "type_param"):
            return [self._associated(text, modifiers)]
        if text == "__generic":
            return self._generic(modifiers)
        if text in _IMPORTS:
            return [self._import("import" if text == "__import" else text, at, modifiers)]
        if text == "using":
            return [self._using(modifiers)]
        if text in ("__transparent_block", "__file_decl"):
            return self.body_members()
        return self._read_over(text, at)

    # ---- types

    def inline_type(self) -> Expr:
        """`struct {...}` where a type stands: its declaration is put before what uses it."""
        made = self._type_declaration(Modifiers())
        self._inline.append(made)
        return Name(made.at, made.name)

    def _type_declaration(self, modifiers: Modifiers) -> Decl:
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

    def _interface(self, modifiers: Modifiers) -> AggregateDecl:
        at = self.at
        name = self.expect_name()
        generics = self.generics()
        bases = self._bases()
        generics = self.add_wheres(generics)
        members = None if self.text == ";" and self.take_if(";") else self.body_members()
        return AggregateDecl(at, name, modifiers, "interface", generics, bases, None, members)

    def _extension(self, modifiers: Modifiers) -> AggregateDecl:
        generics = self.generics()
        at = self.at
        target = self.type_expression()
        bases = self._bases()
        generics = self.add_wheres(generics)
        return AggregateDecl(at, "", modifiers, "extension", generics, bases, target, self.body_members())

    def _namespace(self, modifiers: Modifiers) -> AggregateDecl:
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

    def _buffer(self, word: str, modifiers: Modifiers) -> list[Decl]:
        at = self.at
        name = self.expect_name()
        self.semantics(modifiers)
        members = self.body_members()
        if self.name_next() and self.texts[self.pos + 1] == ";" and not self.starts_line(self.pos):
            name = self.expect_name()
        self.take_if(";")
        return [AggregateDecl(at, name, modifiers, word, None, [], None, members)]

    # ---- members of types

    def _property(self, modifiers: Modifiers) -> PropertyDecl:
        at = self.at
        if self.name_next() and self.texts[self.pos + 1] in (":", ",", ")", "}", "]", "{"):
            name = self.expect_name()
            self.expect(":")
            type = self.type_expression()
        else:
            at, name, type = self.declarator(self.type_expression())
        return PropertyDecl(at, name, modifiers, type, None, self._accessors(), None)

    def _subscript(self, at: int, modifiers: Modifiers) -> PropertyDecl:
        generics = self.generics()
        params = self.parameters(True)
        if not self.take_if("->"):
            self.unexpected("'->'")
        type = self.type_expression()
        generics = self.add_wheres(generics)
        return PropertyDecl(at, "subscript", modifiers, type, params, self._accessors(), generics)

    def _accessors(self) -> list[FuncDecl]:
        out: list[FuncDecl] = []
        if self.text != "{":
            self.semicolon()
            return out
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

    def _associated(self, word: str, modifiers: Modifiers) -> Decl:
        at = self.at
        name = self.expect_name()
        bounds = self._bases()
        wheres = self.wheres()
        self.semicolon()
        if word == "type_param":
            return UnsupportedDecl(at, name, "global generic parameters (`type_param`)")
        return AssocDecl(at, name, modifiers, bounds, wheres)

    # ---- names for types

    def _typedef(self, modifiers: Modifiers) -> AliasDecl:
        type = self.type_expression()
        at, name, type = self.declarator(type)
        self.take_if(";")
        return AliasDecl(at, name, modifiers, None, type)

    def _typealias(self, modifiers: Modifiers) -> AliasDecl:
        at = self.at
        name = self.expect_name()
        generics = self.generics()
        generics = self.add_wheres(generics)
        self.expect("=")
        type = self.type_expression()
        generics = self.add_wheres(generics)
        self.semicolon()
        return AliasDecl(at, name, modifiers, generics, type)

    def _generic(self, modifiers: Modifiers) -> list[Decl]:
        """`__generic<T> declaration`: the parameters come before the declaration's own."""
        generics = self.generics()
        inner = self.modifiers()
        inner.attributes[:0] = modifiers.attributes
        for word, at in modifiers.words.items():
            inner.words.setdefault(word, at)
        made = self.declaration(inner)
        for decl in made:
            if isinstance(decl, (FuncDecl, AggregateDecl, PropertyDecl, AliasDecl)) and generics is not None:
                decl.generics = _joined(generics, decl.generics)
        return made

    # ---- modules

    def _import(self, kind: str, at: int, modifiers: Modifiers) -> ImportDecl:
        name = ""
        if self.kinds[self.pos] == STRING:
            name = self.text[1:-1]
            at = self.at
            self.pos += 1
        elif self.name_next():
            at = self.at
            name = self.expect_name()
            while self.take_if("."):
                name += "." + self.expect_name()
        elif kind != "module":
            self.unexpected("identifier")
        self.semicolon()
        return ImportDecl(at, name, modifiers, kind)

    def _using(self, modifiers: Modifiers) -> Decl:
        self.take_if("namespace")
        at = self.at
        self.take_if("::")
        name = self.expect_name()
        while self.text in (".", "::"):
            self.pos += 1
            name += "." + self.expect_name()
        if self.text == "<":
            self.type_end(self.pos)
        self.semicolon()
        return ImportDecl(at, name, modifiers, "using")

    def _read_over(self, text: str, at: int) -> list[Decl]:
        """To the `;` or over the `{...}`, whichever comes first."""
        while self.kinds[self.pos] != END and self.text not in (";", "{", "}"):
            self.pos = max(self.pos, self.matching[self.pos]) + 1
        if self.text == "{":
            self.pos = max(self.pos, self.matching[self.pos]) + 1
        else:
            self.semicolon()
        return [] if text == "__ignored_block" else [UnsupportedDecl(at, "", _READ_OVER[text])]

    # ---- C's form

    def _declarators(self, modifiers: Modifiers) -> list[Decl]:
        """`type name = value, name;` and `type name(...) {...}`; a type that is declared there comes first."""
        out: list[Decl] = []
        if self.text in ("struct", "class", "enum") and self.kinds[self.pos] == NAME:
            declared = self._type_declaration(modifiers)
            out.append(declared)
            ends = self.starts_line(self.pos) or self.kinds[self.pos] == END or self.text == "}"
            if self.take_if(";") or ends:
                return out
            type: Expr = Name(declared.at, declared.name)
            modifiers = _without_attributes(modifiers)
        else:
            if not self.name_next() and self.text != "::":
                self.unexpected("identifier")
            if self._glsl_next(modifiers):
                return self._glsl(modifiers)
            type = self.with_type_modifiers(self.simple_type(), modifiers)
            while self.text == "[":
                at = self.at
                self.pos += 1
                type = Index(at, type, self._arguments_until("]"))
            if self.text == "?":
                type = self.optional_type(type)
        at, name, own = self.declarator(type)
        if self.text in ("(", "<"):
            out.append(self.function(at, name, own, modifiers))
            return out
        while True:
            if name.startswith("operator") and name != "operator" and not name[8:9].isidentifier():
                message = "an operator name can only be used to declare an operator function"
                self.reports.error("E20020", at, message, length=len(name))
            out.append(self._variable(at, name, own, modifiers))
            if not self.take_if(","):
                break
            at, name, own = self.declarator(type)
        self.semicolon()
        return out

    def _glsl_next(self, modifiers: Modifiers) -> bool:
        """GLSL's interface blocks and `layout(...) in;`."""
        after = self.texts[self.pos + 1]
        if self.text == "buffer":
            return self.texts[self.pos + 2] == "{"
        if "layout" in modifiers.words and self.text in ("in", "out") and after == ";":
            return True
        return after == "{" and any(word in modifiers.words for word in ("layout", "uniform", "in", "out"))

    def _glsl(self, modifiers: Modifiers) -> list[Decl]:
        at = self.at
        while self.kinds[self.pos] != END and self.text not in (";", "{"):
            self.pos += 1
        if self.text == "{":
            self.pos = max(self.pos, self.matching[self.pos]) + 1
        if self.name_next() and not self.starts_line(self.pos):
            self.pos += 1
        while self.text == "[":
            self._skip_brackets()
        self.take_if(";")
        return [UnsupportedDecl(at, "", "GLSL's interface blocks")]

    def _variable(self, at: int, name: str, type: Expr, shared: Modifiers) -> VarDecl:
        modifiers = Modifiers()
        modifiers.words = dict(shared.words)
        modifiers.attributes = shared.attributes
        self.semantics(modifiers)
        return VarDecl(at, name, modifiers, type, self.argument() if self.take_if("=") else None)


def _joined(outer: Generics, inner: Generics | None) -> Generics:
    if inner is None:
        return outer
    return Generics(outer.params + inner.params, outer.wheres + inner.wheres)


def _without_attributes(modifiers: Modifiers) -> Modifiers:
    """For the variables of `struct S {...} s;`: the attributes were the type's."""
    out = Modifiers()
    out.words = dict(modifiers.words)
    return out
