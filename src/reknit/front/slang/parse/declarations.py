"""Declarations.

    int a, b[2];                             VarDecl(a), VarDecl(b)
    typealias A<T> = Box<T>;                 AliasDecl(A, [T], Box<T>)
    struct { int a; } s;                     AggregateDecl(struct, "$struct1"), VarDecl(s, $struct1)

Source: Slang's language reference, "Declarations".
"""

from typing import Final

from reknit.front.slang.parse.glsl import GlslParser
from reknit.front.slang.syntax import (
    AggregateDecl,
    AliasDecl,
    Decl,
    Expr,
    FuncDecl,
    Generics,
    ImportDecl,
    Modifiers,
    Name,
    PropertyDecl,
    Unit,
    UnsupportedDecl,
    VarDecl,
)
from reknit.front.slang.tokens import END, NAME, STRING, spelled

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


class DeclarationParser(GlslParser):
    def unit(self) -> Unit:
        return Unit(self.members(len(self.kinds) - 4))

    def declaration(self, modifiers: Modifiers) -> list[Decl]:
        self.enter()
        outer = self.inline
        self.inline = []
        made = self._declaration_of(modifiers)
        made = self.inline + made
        self.inline = outer
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
            return after_kind in (NAME, STRING) or after == ";"
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
            return [self.interface(modifiers)]
        if text in ("extension", "__extension"):
            return [self.extension(modifiers)]
        if text == "namespace":
            return [self.namespace(modifiers)]
        if text in ("cbuffer", "tbuffer"):
            return self.buffer(text, modifiers)
        if text == "__init":
            return [self.initializer(at, modifiers)]
        if text == "property" or text == "__subscript":
            return [self.property(modifiers) if text == "property" else self.subscript(at, modifiers)]
        if text in ("typedef", "typealias"):
            return [self._typedef(modifiers) if text == "typedef" else self._typealias(modifiers)]
        if text in ("associatedtype", "type_param"):
            return [self.associated(text, modifiers)]
        if text == "__generic":
            return self._generic(modifiers)
        if text in _IMPORTS:
            return [self._import("import" if text == "__import" else text, at, modifiers)]
        if text == "using":
            return [self._using(modifiers)]
        if text in ("__transparent_block", "__file_decl"):
            return self.body_members()
        return self._read_over(text, at)

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
            declared = self.type_declaration(modifiers)
            out.append(declared)
            ends = self.starts_line(self.pos) or self.kinds[self.pos] == END or self.text == "}"
            if self.take_if(";") or ends:
                return out
            type: Expr = Name(declared.at, declared.name)
            modifiers = _without_attributes(modifiers)
        else:
            if not self.name_next() and self.text != "::":
                self.unexpected("identifier")
            if self.glsl_next(modifiers):
                return self.glsl(modifiers)
            type = self.with_type_modifiers(self.simple_type(), modifiers)
            type = self.array_type(type)
            if self.text == "?":
                type = self.optional_type(type)
            if self.text == ";":
                self.wrong("E39999", "declaration does not declare anything")
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
