"""Variables, parameters and functions.

    int a[2][3], *b = f();          VarDecl(a, Index(Index(int, 3), 2)), VarDecl(b, int*)
    T get<T : IFoo>(inout T x) where T : IBar { ... }
    func get<T>(x : T) -> int;      the same with the type after the name

Source: Slang's language reference, "Declarations"; a declarator's array sizes are in C's order.
"""

from typing import final

from reknit.front.slang.parse import words
from reknit.front.slang.parse.generics import GenericParser
from reknit.front.slang.parse.statements import StatementParser
from reknit.front.slang.syntax import Apply, Block, Expr, FuncDecl, Index, ModifiedType, Modifiers, Name, VarDecl


@final
class FunctionParser:
    """`specializes`: the next name may have the arguments of a template that it is, which are put in `arguments`."""

    __slots__ = (
        "tokens", "types", "expressions", "modifiers", "statements", "generics", "specializes", "arguments",
    )  # fmt: skip

    def __init__(self, statements: StatementParser, generics: GenericParser) -> None:
        self.tokens = statements.tokens
        self.types = generics.types
        self.expressions = statements.expressions
        self.modifiers = statements.modifiers
        self.statements = statements
        self.generics = generics
        self.specializes = False
        self.arguments: list[Expr] = []
        self.expressions.functions = self
        statements.functions = self

    # ---- parameters

    def parameters(self, modern: bool) -> list[VarDecl]:
        """`( ... )`. Only a `modern` list has `name : type`, but either may have `type name`."""
        tokens = self.tokens
        tokens.expect("(")
        out: list[VarDecl] = []
        if tokens.text == "void" and tokens.after == ")":
            tokens.pos += 1
        while tokens.text != ")":
            out.append(self._parameter(modern))
            if not tokens.take_if(","):
                break
        tokens.expect(")")
        return out

    def _parameter(self, modern: bool) -> VarDecl:
        tokens = self.tokens
        modifiers = self.modifiers.read()
        if modern and tokens.name_next() and tokens.after in (":", ",", ")"):
            return self.modern_variable(modifiers)
        type = self.modifiers.with_type_modifiers(self.types.type_expression(), modifiers)
        at = tokens.at
        name = ""
        if tokens.name_next() or tokens.text in ("*", "("):
            at, name, type = self.declarator(type)
        elif tokens.text == "[":
            type = self._sized(type)
        self.modifiers.semantics(modifiers)
        return VarDecl(at, name, modifiers, type, self.expressions.initial())

    def modern_variable(self, modifiers: Modifiers) -> VarDecl:
        """`name : type : SEMANTIC = value`, each part after the name optional."""
        tokens = self.tokens
        at = tokens.at
        name = tokens.expect_name()
        type: Expr | None = None
        if tokens.take_if(":"):
            type = self.modifiers.without_directions(self.types.type_expression(), modifiers)
        self.modifiers.semantics(modifiers)
        return VarDecl(at, name, modifiers, type, self.expressions.initial())

    # ---- declarators

    def declarator(self, type: Expr) -> tuple[int, str, Expr]:
        """(position, name, type) of what is declared: `*` before the name and `[...]` after it change the type."""
        tokens = self.tokens
        links = 0
        while tokens.text == "*":
            links += 1
            tokens.check_links(links)
            type = ModifiedType(tokens.at, "*", type)
            tokens.pos += 1
            while tokens.text in ("const", "restrict", "volatile"):
                tokens.pos += 1
        if tokens.text == "(" and tokens.matching[tokens.pos] > 0:
            tokens.pos += 1
            tokens.enter()
            at, name, type = self.declarator(type)
            tokens.leave()
            tokens.expect(")")
            return at, name, self._sized(type)
        at = tokens.at
        name = self.expressions.operator_name() if tokens.text == "operator" else tokens.expect_name()
        if name in ("struct", "class", "enum", "typealias", "typedef"):
            message = f"'{name}' is a type keyword; using it as a name may make the name ambiguous"
            tokens.reports.warning("E20103", at, message, length=len(name))
        return at, name, self._sized(type)

    def _sized(self, type: Expr) -> Expr:
        """`[2][3]` after a name: two of three, so the last size is innermost."""
        tokens = self.tokens
        sizes: list[tuple[int, list[Expr]]] = []
        while tokens.text == "[":
            at = tokens.at
            tokens.pos += 1
            sizes.append((at, [] if tokens.text == "]" else [self.expressions.expression()]))
            tokens.check_links(len(sizes))
            tokens.expect("]")
        while sizes:
            at, size = sizes.pop()
            type = Index(at, type, size)
        return type

    # ---- functions

    def func(self, modifiers: Modifiers) -> FuncDecl:
        """`func name<T>(...) -> R`, the word taken."""
        tokens = self.tokens
        at = tokens.at
        if tokens.text == "operator":
            kind, name = "operator", self.expressions.operator_name()
        else:
            kind, name = "func", tokens.expect_name()
        generics = self.generics.parameters()
        params = self.parameters(True)
        self.throws(modifiers)
        result: Expr = self.types.type_expression() if tokens.take_if("->") else Name(at, "void")
        generics = self.generics.add_wheres(generics)
        return FuncDecl(at, name, modifiers, kind, generics, params, result, self.body())

    def function(self, at: int, name: str, type: Expr, modifiers: Modifiers) -> FuncDecl:
        """The rest of `R name<T>(...)`: the generic or the ordinary parameters come next."""
        generics = None if self.specialized(at, name) else self.generics.parameters()
        params = self.parameters(False)
        self.throws(modifiers)
        self.modifiers.semantics(modifiers)
        generics = self.generics.add_wheres(generics)
        kind = "operator" if words.is_operator(name) else "func"
        return FuncDecl(at, name, modifiers, kind, generics, params, type, self.body())

    def specialized(self, at: int, name: str) -> bool:
        """Whether a template's arguments came after a name, which are kept: `f<int>` of `template<> int f<int>()`."""
        is_one, self.specializes = self.specializes, False
        if not is_one or self.tokens.text != "<":
            return False
        applied = self.types.apply(Name(at, name))
        if isinstance(applied, Apply):
            self.arguments = applied.arguments
        return True

    def throws(self, modifiers: Modifiers) -> None:
        tokens = self.tokens
        if tokens.text == "throws":
            modifiers.words["throws"] = tokens.at
            tokens.pos += 1
            modifiers.throws = self.types.type_expression()

    def initializer(self, at: int, modifiers: Modifiers) -> FuncDecl:
        """`__init(...)`, the word taken."""
        generics = self.generics.parameters()
        params = self.parameters(False)
        generics = self.generics.add_wheres(generics)
        return FuncDecl(at, "__init", modifiers, "init", generics, params, None, self.body())

    def body(self) -> Block | None:
        """A block, or None for a `;`."""
        tokens = self.tokens
        if tokens.text == ";":
            at = tokens.at
            tokens.pos += 1
            if tokens.text != "{":
                return None
            message = "unexpected function body after signature declaration, is this ';' a typo?"
            tokens.reports.error("E20102", at, message)
        if tokens.text != "{":
            tokens.unexpected("'{'")
        return self.statements.block()
