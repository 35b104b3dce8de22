"""Variables, parameters, functions and their generic parameters.

    int a[2][3], *b = f();          VarDecl(a, Index(Index(int, 3), 2)), VarDecl(b, int*)
    T get<T : IFoo>(inout T x) where T : IBar { ... }
    func get<T>(x : T) -> int;      the same with the type after the name

Source: Slang's language reference, "Declarations"; a declarator's array sizes are in C's order.
"""

from reknit.front.slang.parse.cursor import SyntaxStop
from reknit.front.slang.parse.statements import StatementParser
from reknit.front.slang.syntax import (
    Block,
    Decl,
    Expr,
    FuncDecl,
    Generics,
    Index,
    ModifiedType,
    Modifiers,
    Name,
    TypeParam,
    Unsupported,
    ValueParam,
    VarDecl,
    Where,
)
from reknit.front.slang.tokens import END, NAME, spelled

_AFTER_TYPE_PARAM = spelled(": , > = >>")


class FunctionParser(StatementParser):
    # ---- generic parameters

    def generics(self) -> Generics | None:
        """`<...>` if it is there."""
        if self.text != "<":
            return None
        self.angle_end(self.pos)
        self.pos += 1
        params: list[Decl] = []
        was_in_angles = self.in_angles
        self.in_angles = True
        while self.text != ">" and self.kinds[self.pos] != END:
            params.append(self._generic_param())
            if not self.take_if(","):
                break
        self.in_angles = was_in_angles
        self.close_angle()
        return Generics(params, [])

    def _generic_param(self) -> Decl:
        if self.take_if("let"):
            pack = self.take_if("each")
            at = self.at
            name = self.expect_name()
            type: Expr = self.type_expression() if self.take_if(":") else Name(at, "int")
            if pack:
                type = Unsupported(at, "variadic packs (`each`)")
            return ValueParam(at, name, type, self.argument() if self.take_if("=") else None)
        pack = self.text == "each" and self.kinds[self.pos + 1] == NAME
        if pack or (self.text in ("typename", "functype") and self.kinds[self.pos + 1] == NAME):
            self.pos += 1
        if self.name_next() and self.texts[self.pos + 1] in _AFTER_TYPE_PARAM:
            at = self.at
            name = self.expect_name()
            constraints: list[Expr] = []
            if self.take_if(":"):
                constraints.append(self.type_expression())
            default = self.type_expression() if self.take_if("=") else None
            return TypeParam(at, name, constraints, default, pack)
        type = self.type_expression()
        at = self.at
        name = self.expect_name()
        if pack:
            type = Unsupported(at, "variadic packs (`each`)")
        return ValueParam(at, name, type, self.argument() if self.take_if("=") else None)

    def wheres(self) -> list[Where]:
        out: list[Where] = []
        while self.text == "where":
            at = self.at
            self.pos += 1
            out.append(self._where(at))
        return out

    def _where(self, at: int) -> Where:
        if self.text == "optional" and self.kinds[self.pos + 1] == NAME:
            self.pos += 1
            self._plain_where(at)
            return Where(at, Unsupported(at, "`where optional`"), [], None)
        return self._plain_where(at)

    def _plain_where(self, at: int) -> Where:
        after = self.texts[self.pos + 1]
        if self.text in ("nonempty", "countof", "__hasDiffTypeInfo") and after == "(":
            word = self.text
            self.pos += 1
            self.arguments()
            if self.take_if("=="):
                self.argument()
            return Where(at, Unsupported(at, f"`where {word}`"), [], None)
        subject = self.type_expression()
        if self.take_if(":"):
            bounds = [self.type_expression()]
            while self.take_if(","):
                bounds.append(self.type_expression())
            return Where(at, subject, bounds, None)
        if self.take_if("=="):
            return Where(at, subject, [], self.type_expression())
        if self.text == "(":
            self.pos += 1
            self.type_expression()
            self.expect(")")
            self.take_if("implicit")
            return Where(at, Unsupported(at, "`where` with a conversion"), [], None)
        self.unexpected("':'")
        raise SyntaxStop

    def add_wheres(self, generics: Generics | None) -> Generics | None:
        """The `where` clauses that come next, with the parameters they are about."""
        found = self.wheres()
        if not found:
            return generics
        made = generics if generics is not None else Generics([], [])
        made.wheres.extend(found)
        return made

    # ---- parameters

    def parameters(self, modern: bool) -> list[VarDecl]:
        """`( ... )`. Only a `modern` list has `name : type`, but either may have `type name`."""
        self.expect("(")
        out: list[VarDecl] = []
        if self.text == "void" and self.texts[self.pos + 1] == ")":
            self.pos += 1
        while self.text != ")":
            out.append(self._parameter(modern))
            if not self.take_if(","):
                break
        self.expect(")")
        return out

    def _parameter(self, modern: bool) -> VarDecl:
        modifiers = self.modifiers()
        if modern and self.name_next() and self.texts[self.pos + 1] in (":", ",", ")"):
            return self.modern_variable(modifiers)
        type = self.with_type_modifiers(self.type_expression(), modifiers)
        at = self.at
        name = ""
        if self.name_next() or self.text in ("*", "("):
            at, name, type = self.declarator(type)
        elif self.text == "[":
            type = self._sized(type)
        self.semantics(modifiers)
        return VarDecl(at, name, modifiers, type, self.argument() if self.take_if("=") else None)

    def modern_variable(self, modifiers: Modifiers) -> VarDecl:
        """`name : type : SEMANTIC = value`, each part after the name optional."""
        at = self.at
        name = self.expect_name()
        type: Expr | None = None
        if self.take_if(":"):
            type = self.without_directions(self.type_expression(), modifiers)
        self.semantics(modifiers)
        return VarDecl(at, name, modifiers, type, self.argument() if self.take_if("=") else None)

    # ---- declarators

    def declarator(self, type: Expr) -> tuple[int, str, Expr]:
        """(position, name, type) of what is declared: `*` before the name and `[...]` after it change the type."""
        links = 0
        while self.text == "*":
            links += 1
            self.check_links(links)
            type = ModifiedType(self.at, "*", type)
            self.pos += 1
            while self.text in ("const", "restrict", "volatile"):
                self.pos += 1
        if self.text == "(" and self.matching[self.pos] > 0:
            self.pos += 1
            self.enter()
            at, name, type = self.declarator(type)
            self.leave()
            self.expect(")")
            return at, name, self._sized(type)
        at = self.at
        name = self.operator_name() if self.text == "operator" else self.expect_name()
        if name in ("struct", "class", "enum", "typealias", "typedef"):
            message = f"'{name}' is a type keyword; using it as a name may make the name ambiguous"
            self.reports.warning("E20103", at, message, length=len(name))
        return at, name, self._sized(type)

    def _sized(self, type: Expr) -> Expr:
        """`[2][3]` after a name: two of three, so the last size is innermost."""
        sizes: list[tuple[int, list[Expr]]] = []
        while self.text == "[":
            at = self.at
            self.pos += 1
            sizes.append((at, [] if self.text == "]" else [self.expression()]))
            self.check_links(len(sizes))
            self.expect("]")
        while sizes:
            at, size = sizes.pop()
            type = Index(at, type, size)
        return type

    # ---- functions

    def func(self, modifiers: Modifiers) -> FuncDecl:
        """`func name<T>(...) -> R`, the word taken."""
        at = self.at
        if self.text == "operator":
            kind, name = "operator", self.operator_name()
        else:
            kind, name = "func", self.expect_name()
        generics = self.generics()
        params = self.parameters(True)
        self.throws(modifiers)
        result: Expr = self.type_expression() if self.take_if("->") else Name(at, "void")
        generics = self.add_wheres(generics)
        return FuncDecl(at, name, modifiers, kind, generics, params, result, self.body())

    def function(self, at: int, name: str, type: Expr, modifiers: Modifiers) -> FuncDecl:
        """The rest of `R name<T>(...)`: the generic or the ordinary parameters come next."""
        generics = self.generics()
        params = self.parameters(False)
        self.throws(modifiers)
        self.semantics(modifiers)
        generics = self.add_wheres(generics)
        kind = (
            "operator"
            if name.startswith("operator") and not name[8:9].isidentifier() and name != "operator"
            else "func"
        )
        return FuncDecl(at, name, modifiers, kind, generics, params, type, self.body())

    def throws(self, modifiers: Modifiers) -> None:
        if self.text == "throws":
            modifiers.words["throws"] = self.at
            self.pos += 1
            modifiers.throws = self.type_expression()

    def initializer(self, at: int, modifiers: Modifiers) -> FuncDecl:
        """`__init(...)`, the word taken."""
        generics = self.generics()
        params = self.parameters(False)
        generics = self.add_wheres(generics)
        return FuncDecl(at, "__init", modifiers, "init", generics, params, None, self.body())

    def body(self) -> Block | None:
        """A block, or None for a `;`."""
        if self.text == ";":
            at = self.at
            self.pos += 1
            if self.text != "{":
                return None
            message = "unexpected function body after signature declaration, is this ';' a typo?"
            self.reports.error("E20102", at, message)
        if self.text != "{":
            self.unexpected("'{'")
        return self.block()
