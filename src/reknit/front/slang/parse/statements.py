"""Statements.

    if (a) { ... } else if (b) f();      If(a, Block, If(b, ExprStmt))
    case 0: case 1: g(); break;          CaseGroup([0, 1], [ExprStmt, Jump])

A statement that is no syntax costs itself only: the block goes on after it. `else if` chains are read with a loop.
Source: Slang's language reference, "Statements".
"""

from reknit.front.slang.parse import words
from reknit.front.slang.parse.cursor import SyntaxStop
from reknit.front.slang.parse.modifiers import ModifierParser
from reknit.front.slang.syntax import (
    Attribute,
    Block,
    CaseGroup,
    CaseLabel,
    Catch,
    Decl,
    DeclStmt,
    Defer,
    DoCatch,
    DoWhile,
    Expr,
    ExprStmt,
    For,
    FuncDecl,
    If,
    Jump,
    Labelled,
    ModifiedType,
    Modifiers,
    Return,
    StaticAssert,
    Stmt,
    StringLiteral,
    Switch,
    Throw,
    UnsupportedStmt,
    VarDecl,
    While,
)
from reknit.front.slang.tokens import END, NAME, spelled
from reknit.source.diagnostic import InternalError

_EXPRESSION_WORDS = ("try", "new", "expand")
_DECLARES = spelled("struct class enum typedef typealias using let var __generic")


class StatementParser(ModifierParser):
    def declaration(self, modifiers: Modifiers) -> list[Decl]:
        raise InternalError("no declarations")

    def block(self) -> Block:
        at = self.expect("{")
        end = self.matching[self.pos - 1]
        if end < 0:
            end = self._unclosed(at)
        statements: list[Stmt] = []
        while self.pos < end:
            self.statement_into(statements, end)
        return Block(at, statements, self._closed(end))

    def _unclosed(self, at: int) -> int:
        """A `{` that nothing closes: told at once, and read up to the source's end."""
        notes = [self.reports.note(at, "see opening '{'")]
        end = len(self.kinds) - 4
        self.reports.error("E20010", self.ats[end], "'}' expected but end of file encountered.", notes)
        return end

    def _closed(self, end: int) -> int:
        """Step over the `}` at `end`; where it stands."""
        self.pos = end + (self.texts[end] == "}")
        return self.ats[end]

    def statement_into(self, out: list[Stmt], end: int) -> None:
        """One more statement of a list that ends at `end`, or none where it is no syntax."""
        start = self.pos
        depth = self.depth
        in_angles = self.in_angles
        try:
            made = self.statement()
            if made is not None:
                out.append(made)
        except SyntaxStop:
            self.depth = depth
            self.in_angles = in_angles
            self.recover(start, end)

    def statement(self) -> Stmt | None:
        """None: an empty one."""
        text = self.text
        at = self.at
        if text == ";":
            self.pos += 1
            return None
        self.enter()
        modifiers = self.modifiers()
        made = self._after_modifiers(modifiers, at)
        self.leave()
        return made

    def _body(self) -> Stmt:
        """A statement that belongs to another; an empty one is an empty block there."""
        at = self.at
        if self.text == ";" and self.texts[self.pos + 1] != "else":
            message = "potentially unintended empty statement at this location; use {} instead."
            self.reports.warning("E20101", at, message)
        made = self.statement()
        return made if made is not None else Block(at, [], at)

    def _after_modifiers(self, modifiers: Modifiers, start: int) -> Stmt | None:
        text = self.text
        at = self.at
        attributes = modifiers.attributes
        if text == "{":
            return self.block()
        if self.kinds[self.pos] == NAME or text == "::":
            made = self._keyword(text, at, attributes)
            if made is not None:
                return made
            if self.texts[self.pos + 1] == ":" and text != "::":
                self.pos += 2
                return Labelled(at, text, self._body())
            only_no_diff = list(modifiers.words) == ["no_diff"]
            if (modifiers.words and not only_no_diff) or text in _DECLARES:
                return self._declaration(modifiers, start)
            if text not in _EXPRESSION_WORDS and self.declaration_next():
                return self._declaration(modifiers, start)
        elif modifiers.words:
            self.unexpected("identifier")
        if text == ";":
            self.pos += 1
            return None
        if text == "$" and self.texts[self.pos + 1] == "for":
            self.pos += 2
            self._skip_brackets()
            self._body()
            return UnsupportedStmt(at, "compile-time loops (`$for`)")
        value = self.expression()
        if "no_diff" in modifiers.words:
            value = ModifiedType(start, "no_diff", value)
        self.semicolon()
        return ExprStmt(at, value)

    def _declaration(self, modifiers: Modifiers, at: int) -> Stmt | None:
        made = self.declaration(modifiers)
        for decl in made:
            if isinstance(decl, FuncDecl):
                self.reports.error("E30102", decl.at, "func is not allowed here.", length=len(decl.name))
        return DeclStmt(at, made) if made else None

    def _keyword(self, text: str, at: int, attributes: list[Attribute]) -> Stmt | None:
        if text == "if":
            return self._if(attributes)
        if text == "for":
            return self._for(at, attributes)
        if text == "return":
            self.pos += 1
            value = None if self.text == ";" or self.text == "}" else self.expression()
            self.semicolon()
            return Return(at, value)
        if text == "while":
            self.pos += 1
            condition = self.bracketed()
            return While(at, condition, self._body(), attributes)
        if text == "do":
            return self._do(at, attributes)
        if text == "switch":
            return self._switch(at, attributes)
        if text == "break" or text == "continue" or text == "discard":
            self.pos += 1
            label = self.expect_name() if text == "break" and self.name_next() and not self._misses_end() else ""
            self.semicolon()
            return Jump(at, text, label)
        if text == "defer":
            self.pos += 1
            return Defer(at, self._body())
        if text == "case" or text == "default":
            return self._stray_label(text)
        return self._rare(text, at)

    def _misses_end(self) -> bool:
        """A name on the next line is not this `break`'s label; its `;` is missing."""
        return self.starts_line(self.pos)

    def _stray_label(self, text: str) -> Stmt | None:
        self.wrong("E39999", f"'{text}' is only allowed in a 'switch' body")
        return None

    # ---- with statements in them

    def _if(self, attributes: list[Attribute]) -> Stmt:
        """The whole `else if` chain: heads first, then put together from the last."""
        heads: list[tuple[int, Expr, VarDecl | None, Stmt, list[Attribute]]] = []
        last: Stmt | None = None
        while True:
            at = self.at
            self.pos += 1
            binding: VarDecl | None = None
            if self.text == "(" and self.texts[self.pos + 1] == "let":
                binding, condition = self._binding()
            else:
                condition = self.bracketed()
            heads.append((at, condition, binding, self._body(), attributes))
            if not self.take_if("else"):
                break
            attributes = []
            if self.text == "[" and self._if_after_attributes():
                attributes = self.modifiers().attributes
            if self.text != "if":
                last = self._body()
                break
        while heads:
            at, condition, binding, then, attributes = heads.pop()
            last = If(at, condition, binding, then, last, attributes)
        assert last is not None
        return last

    def _if_after_attributes(self) -> bool:
        i = self.pos
        while self.texts[i] == "[" and self.matching[i] > 0:
            i = self.matching[i] + 1
        return self.texts[i] == "if"

    def _binding(self) -> tuple[VarDecl, Expr]:
        self.expect("(")
        modifiers = Modifiers()
        modifiers.words["let"] = self.at
        self.pos += 1
        at = self.at
        name = self.expect_name()
        self.expect("=")
        value = self.argument()
        self.expect(")")
        return VarDecl(at, name, modifiers, None, value), value

    def _for(self, at: int, attributes: list[Attribute]) -> Stmt:
        self.pos += 1
        self.expect("(")
        first: Stmt | None = None
        if not self.take_if(";"):
            first = self.statement()
            if first is not None and not isinstance(first, (DeclStmt, ExprStmt)):
                self.reports.error("E20001", first.at, "unexpected statement, expected expression")
        condition = None if self.text == ";" else self.expression()
        self.expect(";")
        step = None if self.text == ")" else self.expression()
        self.expect(")")
        return For(at, first, condition, step, self._body(), attributes)

    def _do(self, at: int, attributes: list[Attribute]) -> Stmt:
        self.pos += 1
        body = self._body()
        if self.text == "catch":
            return DoCatch(at, body, self._catches())
        if not self.take_if("while"):
            self.tell("E20004", f"unexpected {self.shown()}, expected 'while' or 'catch'")
            raise SyntaxStop
        condition = self.bracketed()
        self.semicolon()
        return DoWhile(at, body, condition, attributes)

    def _catches(self) -> list[Catch]:
        made: list[Catch] = []
        while self.text == "catch":
            at = self.at
            self.pos += 1
            params = self.parameters(True) if self.text == "(" else []
            made.append(Catch(at, params[0] if params else None, self._body()))
        return made

    def _switch(self, at: int, attributes: list[Attribute]) -> Stmt:
        self.pos += 1
        value = self.bracketed()
        opened = self.expect("{")
        end = self.matching[self.pos - 1]
        if end < 0:
            end = self._unclosed(opened)
        groups: list[CaseGroup] = []
        while self.pos < end:
            if self.text in ("case", "default"):
                groups.append(CaseGroup(self.at, self._labels(end), []))
            elif not groups:
                self._before_labels(end)
            else:
                self.statement_into(groups[-1].statements, end)
        self._closed(end)
        return Switch(at, value, groups, attributes)

    def _before_labels(self, end: int) -> None:
        """A statement no label leads to: read, and left out."""
        unreached: list[Stmt] = []
        self.statement_into(unreached, end)

    def _labels(self, end: int) -> list[CaseLabel]:
        out: list[CaseLabel] = []
        while self.text in ("case", "default"):
            at = self.at
            start = self.pos
            depth = self.depth
            self.pos += 1
            try:
                value = None if self.texts[start] == "default" else self.expression()
                out.append(CaseLabel(at, value))
                self.expect(":")
            except SyntaxStop:
                self.depth = depth
                self.recover(start, end)
        return out

    # ---- what is read over

    def _rare(self, text: str, at: int) -> Stmt | None:
        if text == "throw" and self.texts[self.pos + 1] not in words.ASSIGNMENTS:
            self.pos += 1
            thrown = self.expression()
            self.semicolon()
            return Throw(at, thrown)
        if text == "static_assert" and self.texts[self.pos + 1] == "(":
            return self._static_assert(at)
        if text in ("__target_switch", "__stage_switch"):
            self.pos += 1
            if self.text != "{" or self.matching[self.pos] < 0:
                self.unexpected("'{'")
            self.pos = self.matching[self.pos] + 1
            return UnsupportedStmt(at, f"`{text}`")
        if text in ("__intrinsic_asm", "__requireCapability", "__GPU_FOREACH"):
            while self.text != ";" and self.text != "}" and self.kinds[self.pos] != END:
                close = self.matching[self.pos]
                self.pos = max(self.pos, close) + 1
            self.semicolon()
            return UnsupportedStmt(at, f"`{text}`")
        return None

    def _static_assert(self, at: int) -> DeclStmt:
        self.pos += 1
        arguments = self.arguments()
        self.semicolon()
        message = ""
        if len(arguments) > 1 and isinstance(arguments[1], StringLiteral):
            message = arguments[1].value
        if not arguments:
            self.reports.error("E20002", at, "syntax error.", length=13)
            raise SyntaxStop
        return DeclStmt(at, [StaticAssert(at, arguments[0], message)])
