"""Statements.

    if (a) { ... } else if (b) f();      If(a, Block, If(b, ExprStmt))
    case 0: case 1: g(); break;          CaseGroup([0, 1], [ExprStmt, Jump])

A statement that is no syntax costs itself only: the block goes on after it. `else if` chains are read with a loop.
Source: Slang's language reference, "Statements".
"""

from typing import TYPE_CHECKING, final

from reknit.front.slang import syntax
from reknit.front.slang.parse import words
from reknit.front.slang.parse.cursor import SyntaxStop
from reknit.front.slang.parse.modifiers import ModifierParser
from reknit.front.slang.tokens import END, NAME, spelled

if TYPE_CHECKING:
    from reknit.front.slang.parse.declarations import DeclarationParser
    from reknit.front.slang.parse.functions import FunctionParser

_EXPRESSION_WORDS = ("try", "new", "expand")
_DECLARES = spelled("struct class enum typedef typealias using let var __generic")


@final
class StatementParser:
    __slots__ = ("tokens", "look", "expressions", "modifiers", "functions", "declarations")
    functions: "FunctionParser"
    declarations: "DeclarationParser"

    def __init__(self, modifiers: ModifierParser) -> None:
        self.tokens = modifiers.tokens
        self.look = modifiers.look
        self.expressions = modifiers.expressions
        self.modifiers = modifiers
        self.expressions.statements = self

    def block(self) -> syntax.Block:
        tokens = self.tokens
        at = tokens.at
        end = tokens.open_braces()
        statements: list[syntax.Stmt] = []
        while tokens.pos < end:
            self.statement_into(statements, end)
        return syntax.Block(at, statements, tokens.close_braces(end))

    def statement_into(self, out: list[syntax.Stmt], end: int) -> None:
        """One more statement of a list that ends at `end`, or none where it is no syntax."""
        tokens = self.tokens
        start = tokens.mark()
        try:
            statement = self.statement()
            if statement is not None:
                out.append(statement)
        except SyntaxStop:
            tokens.recover(start, end)

    def statement(self) -> syntax.Stmt | None:
        """None: an empty one."""
        tokens = self.tokens
        text = tokens.text
        at = tokens.at
        if text == ";":
            tokens.pos += 1
            return None
        tokens.enter()
        modifiers = self.modifiers.read()
        statement = self._after_modifiers(modifiers, at)
        tokens.leave()
        return statement

    def _body(self) -> syntax.Stmt:
        """A statement that belongs to another; an empty one is an empty block there."""
        tokens = self.tokens
        at = tokens.at
        if tokens.text == ";" and tokens.after != "else":
            message = "potentially unintended empty statement at this location; use {} instead."
            tokens.reports.warning("E20101", at, message)
        statement = self.statement()
        return statement if statement is not None else syntax.Block(at, [], at)

    def _after_modifiers(self, modifiers: syntax.Modifiers, start: int) -> syntax.Stmt | None:
        tokens = self.tokens
        text = tokens.text
        at = tokens.at
        attributes = modifiers.attributes
        if text == "{":
            return self.block()
        if tokens.kinds[tokens.pos] == NAME or text == "::":
            statement = self._keyword(text, at, attributes)
            if statement is not None:
                return statement
            if tokens.after == ":" and text != "::":
                tokens.pos += 2
                return syntax.Labelled(at, text, self._body())
            only_no_diff = list(modifiers.words) == ["no_diff"]
            if (modifiers.words and not only_no_diff) or text in _DECLARES:
                return self._declaration(modifiers, start)
            if text not in _EXPRESSION_WORDS and self.look.declaration_next():
                return self._declaration(modifiers, start)
        elif modifiers.words:
            tokens.unexpected("identifier")
        if text == ";":
            tokens.pos += 1
            return None
        if text == "$" and tokens.after == "for":
            tokens.pos += 2
            tokens.skip_brackets()
            self._body()
            return syntax.UnsupportedStmt(at, "compile-time loops (`$for`)")
        value = self.expressions.expression()
        tokens.semicolon()
        return syntax.ExprStmt(at, value)

    def _declaration(self, modifiers: syntax.Modifiers, at: int) -> syntax.Stmt | None:
        decls = self.declarations.declaration(modifiers)
        for decl in decls:
            if isinstance(decl, syntax.FuncDecl):
                self.tokens.reports.error("E30102", decl.at, "func is not allowed here.", length=len(decl.name))
        return syntax.DeclStmt(at, decls) if decls else None

    def _keyword(self, text: str, at: int, attributes: list[syntax.Attribute]) -> syntax.Stmt | None:
        tokens = self.tokens
        if text == "if":
            return self._if(attributes)
        if text == "for":
            return self._for(at, attributes)
        if text == "return":
            tokens.pos += 1
            value = None if tokens.text == ";" or tokens.text == "}" else self.expressions.expression()
            tokens.semicolon()
            return syntax.Return(at, value)
        if text == "while":
            tokens.pos += 1
            condition = self.expressions.bracketed()
            return syntax.While(at, condition, self._body(), attributes)
        if text == "do":
            return self._do(at, attributes)
        if text == "switch":
            return self._switch(at, attributes)
        if text == "break" or text == "continue" or text == "discard":
            tokens.pos += 1
            label = tokens.expect_name() if text == "break" and self._label_next() else ""
            tokens.semicolon()
            return syntax.Jump(at, text, label)
        if text == "defer":
            tokens.pos += 1
            return syntax.Defer(at, self._body())
        if text == "case" or text == "default":
            tokens.wrong("E39999", f"'{text}' is only allowed in a 'switch' body")
        return self._rare(text, at)

    def _label_next(self) -> bool:
        """A name on the next line is not this `break`'s label; its `;` is missing."""
        tokens = self.tokens
        return tokens.name_next() and not tokens.starts_line(tokens.pos)

    # ---- with statements in them

    def _if(self, attributes: list[syntax.Attribute]) -> syntax.Stmt:
        """The whole `else if` chain: heads first, then put together from the last."""
        tokens = self.tokens
        heads: list[tuple[int, syntax.Expr, syntax.VarDecl | None, syntax.Stmt, list[syntax.Attribute]]] = []
        last: syntax.Stmt | None = None
        while True:
            at = tokens.at
            tokens.pos += 1
            binding: syntax.VarDecl | None = None
            if tokens.text == "(" and tokens.after == "let":
                binding, condition = self._binding()
            else:
                condition = self.expressions.bracketed()
            heads.append((at, condition, binding, self._body(), attributes))
            if not tokens.take_if("else"):
                break
            attributes = []
            if tokens.text == "[" and self._if_after_attributes():
                attributes = self.modifiers.read().attributes
            if tokens.text != "if":
                last = self._body()
                break
        while heads:
            at, condition, binding, then, attributes = heads.pop()
            last = syntax.If(at, condition, binding, then, last, attributes)
        assert last is not None
        return last

    def _if_after_attributes(self) -> bool:
        tokens = self.tokens
        i = tokens.pos
        while tokens.texts[i] == "[" and tokens.matching[i] > 0:
            i = tokens.matching[i] + 1
        return tokens.texts[i] == "if"

    def _binding(self) -> tuple[syntax.VarDecl, syntax.Expr]:
        tokens = self.tokens
        tokens.expect("(")
        modifiers = syntax.Modifiers()
        modifiers.words["let"] = tokens.at
        tokens.pos += 1
        at = tokens.at
        name = tokens.expect_name()
        tokens.expect("=")
        value = self.expressions.argument()
        tokens.expect(")")
        return syntax.VarDecl(at, name, modifiers, None, value), value

    def _for(self, at: int, attributes: list[syntax.Attribute]) -> syntax.Stmt:
        tokens = self.tokens
        tokens.pos += 1
        tokens.expect("(")
        first: syntax.Stmt | None = None
        if not tokens.take_if(";"):
            first = self.statement()
            if first is not None and not isinstance(first, (syntax.DeclStmt, syntax.ExprStmt)):
                tokens.reports.error("E20001", first.at, "unexpected statement, expected expression")
        condition = None if tokens.text == ";" else self.expressions.expression()
        tokens.expect(";")
        step = None if tokens.text == ")" else self.expressions.expression()
        tokens.expect(")")
        return syntax.For(at, first, condition, step, self._body(), attributes)

    def _do(self, at: int, attributes: list[syntax.Attribute]) -> syntax.Stmt:
        tokens = self.tokens
        tokens.pos += 1
        body = self._body()
        if tokens.text == "catch":
            return syntax.DoCatch(at, body, self._catches())
        if not tokens.take_if("while"):
            tokens.wrong("E20004", f"unexpected {tokens.shown()}, expected 'while' or 'catch'")
        condition = self.expressions.bracketed()
        tokens.semicolon()
        return syntax.DoWhile(at, body, condition, attributes)

    def _catches(self) -> list[syntax.Catch]:
        tokens = self.tokens
        catches: list[syntax.Catch] = []
        while tokens.text == "catch":
            at = tokens.at
            tokens.pos += 1
            params = self.functions.parameters(True) if tokens.text == "(" else []
            catches.append(syntax.Catch(at, params[0] if params else None, self._body()))
        return catches

    def _switch(self, at: int, attributes: list[syntax.Attribute]) -> syntax.Stmt:
        tokens = self.tokens
        tokens.pos += 1
        value = self.expressions.bracketed()
        end = tokens.open_braces()
        groups: list[syntax.CaseGroup] = []
        while tokens.pos < end:
            if tokens.text in ("case", "default"):
                groups.append(syntax.CaseGroup(tokens.at, self._labels(end), []))
            elif not groups:
                self._before_labels(end)
            else:
                self.statement_into(groups[-1].statements, end)
        tokens.close_braces(end)
        return syntax.Switch(at, value, groups, attributes)

    def _before_labels(self, end: int) -> None:
        """A statement no label leads to: read, and left out."""
        unreached: list[syntax.Stmt] = []
        self.statement_into(unreached, end)

    def _labels(self, end: int) -> list[syntax.CaseLabel]:
        tokens = self.tokens
        out: list[syntax.CaseLabel] = []
        while tokens.text in ("case", "default"):
            at = tokens.at
            start = tokens.mark()
            tokens.pos += 1
            try:
                value = None if tokens.texts[start[0]] == "default" else self.expressions.expression()
                out.append(syntax.CaseLabel(at, value))
                tokens.expect(":")
            except SyntaxStop:
                tokens.recover(start, end)
        return out

    # ---- what is read over

    def _rare(self, text: str, at: int) -> syntax.Stmt | None:
        tokens = self.tokens
        if text == "throw" and tokens.after not in words.ASSIGNMENTS:
            tokens.pos += 1
            thrown = self.expressions.expression()
            tokens.semicolon()
            return syntax.Throw(at, thrown)
        if text == "static_assert" and tokens.after == "(":
            return self.static_assert(at)
        if text in ("__target_switch", "__stage_switch"):
            tokens.pos += 1
            if tokens.text != "{" or tokens.matching[tokens.pos] < 0:
                tokens.unexpected("'{'")
            tokens.pos = tokens.matching[tokens.pos] + 1
            return syntax.UnsupportedStmt(at, f"`{text}`")
        if text in ("__intrinsic_asm", "__requireCapability", "__GPU_FOREACH"):
            while tokens.text != ";" and tokens.text != "}" and tokens.kinds[tokens.pos] != END:
                close = tokens.matching[tokens.pos]
                tokens.pos = max(tokens.pos, close) + 1
            tokens.semicolon()
            return syntax.UnsupportedStmt(at, f"`{text}`")
        return None

    def static_assert(self, at: int) -> syntax.DeclStmt:
        tokens = self.tokens
        tokens.pos += 1
        arguments = self.expressions.arguments()
        tokens.semicolon()
        message = ""
        if len(arguments) > 1 and isinstance(arguments[1], syntax.StringLiteral):
            message = arguments[1].value
        if not arguments:
            tokens.reports.error("E20002", at, "syntax error.", length=13)
            raise SyntaxStop
        return syntax.DeclStmt(at, [syntax.StaticAssert(at, arguments[0], message)])
