"""Expressions and types, which share a grammar in Slang.

    a + b * (T)c        Binary("+", a, Binary("*", b, Cast(T, c)))
    Foo<int[2]>::make   Member(Apply(Foo, [Index(int, [2])]), "make", static)

Binary operators are read with two stacks, prefixes and postfixes with loops: only brackets, `?:`, right sides of
assignments and casts nest. Source: Slang's language reference, "Expressions"; precedence as in HLSL.
"""

from reknit.front.slang.literals import char_literal, float_literal, int_literal, string_literal
from reknit.front.slang.parse import words
from reknit.front.slang.parse.types import TypeParser
from reknit.front.slang.syntax import (
    As,
    Assign,
    Binary,
    Block,
    BoolLiteral,
    Call,
    Cast,
    Conditional,
    Expr,
    FloatLiteral,
    Index,
    InitList,
    IntLiteral,
    Is,
    Keyword,
    Lambda,
    Member,
    ModifiedType,
    Name,
    StringLiteral,
    Try,
    Unary,
    Unsupported,
    VarDecl,
)
from reknit.front.slang.tokens import CHAR, END, FLOAT, INT, NAME, STRING, spelled
from reknit.source.diagnostic import InternalError

_AFTER_POINTER = spelled(", ) > >> : ; [ * .")


class ExpressionParser(TypeParser):
    # What later classes add.

    def block(self) -> Block:
        raise InternalError("no statements")

    def parameters(self, modern: bool) -> list[VarDecl]:
        raise InternalError("no declarations")

    # ---- operators

    def expression(self) -> Expr:
        """With the comma operator."""
        value = self.argument()
        while self.text == ",":
            at = self.at
            self.pos += 1
            value = Binary(at, ",", value, self.argument())
        return value

    def bracketed(self) -> Expr:
        """`( expression )`, as after `if`."""
        self.expect("(")
        value = self.expression()
        self.expect(")")
        return value

    def argument(self) -> Expr:
        """Without the comma operator: assignment, `?:` and all that binds tighter."""
        self.enter()
        left = self._binary()
        op = self.text
        at = self.at
        if op == "?":
            self.pos += 1
            then = self.argument()
            self.expect(":")
            left = Conditional(at, left, then, self._otherwise())
            op = self.text
            at = self.at
        if op in words.ASSIGNMENTS:
            self.pos += 1
            left = Assign(at, op, left, self.argument())
        self.leave()
        return left

    def _otherwise(self) -> Expr:
        """What stands after the `:`; an assignment there has the whole `?:` on its left."""
        self.enter()
        value = self._binary()
        if self.text == "?":
            at = self.at
            self.pos += 1
            then = self.argument()
            self.expect(":")
            value = Conditional(at, value, then, self._otherwise())
        self.leave()
        return value

    def _binary(self) -> Expr:
        operands = [self._prefix()]
        operators: list[tuple[str, int, int]] = []
        tests = 0
        binary = words.BINARY
        while True:
            op = self.text
            strength = binary.get(op, 0)
            if strength == 0 or (self.in_angles and op in (">", ">=", ">>")):
                break
            while operators and operators[-1][1] >= strength:
                _reduce(operands, operators)
            at = self.at
            self.pos += 1
            if op == "is" or op == "as":
                tests += 1
                self.check_links(tests)
            if op == "is":
                operands[-1] = Is(at, operands[-1], self.type_expression())
            elif op == "as":
                operands[-1] = As(at, operands[-1], self.type_expression())
            else:
                operators.append((op, strength, at))
                operands.append(self._prefix())
        while operators:
            _reduce(operands, operators)
        return operands[0]

    def _prefix(self) -> Expr:
        prefixes: list[tuple[str, int, Expr | None]] = []  # an operator, or a cast's type
        while True:
            text = self.text
            at = self.at
            if text in words.PREFIX:
                self.pos += 1
                prefixes.append((text, at, None))
            elif text == "(" and self.cast_next():
                self.pos += 1
                type = self.type_expression()
                self.expect(")")
                prefixes.append((text, at, type))
            elif text == "no_diff" and self.kinds[self.pos + 1] != 0:
                self.pos += 1
                prefixes.append((text, at, None))
            else:
                break
        if prefixes:
            self.check_links(len(prefixes))
        value = self._number(prefixes.pop()[1]) if self._negative(prefixes) else self._postfix(self._atom())
        while prefixes:
            op, at, type_or_none = prefixes.pop()
            if type_or_none is not None:
                value = Cast(at, type_or_none, value)
            elif op == "no_diff":
                value = ModifiedType(at, op, value)
            else:
                value = Unary(at, op, value)
        return value

    def _negative(self, prefixes: list[tuple[str, int, Expr | None]]) -> bool:
        """Whether a minus sign and an integer literal are next."""
        return self.kinds[self.pos] == INT and bool(prefixes) and prefixes[-1][0] == "-"

    def _number(self, at: int) -> Expr:
        """An integer literal after its minus sign, which is at `at`."""
        value, suffix, decimal = int_literal(self.text, self.at, self.reports)
        self.pos += 1
        return self._postfix(IntLiteral(at, value, suffix, decimal, True))

    def _postfix(self, value: Expr) -> Expr:
        links = 0
        while True:
            text = self.text
            at = self.at
            links += 1
            if links > 20:
                self.check_links(links)
            if text == "." or text == "->":
                self.pos += 1
                value = Member(self.at, value, self._member_name(), text == "->")
            elif text == "(":
                value = Call(at, value, self.arguments())
                continue
            elif text == "[":
                self.pos += 1
                value = Index(at, value, self.arguments_until("]"))
                continue
            elif text == "::":
                self.pos += 1
                value = Member(self.at, value, self._member_name(), False, True)
            elif text == "++" or text == "--":
                self.pos += 1
                value = Unary(at, text, value, True)
                continue
            elif text == "*" and self.texts[self.pos + 1] in _AFTER_POINTER:
                self.pos += 1
                value = ModifiedType(at, "*", value)
                continue
            elif text == "?" and self.in_angles and self.texts[self.pos + 1] in (",", ">", ">>"):
                self.pos += 1
                value = ModifiedType(at, "?", value)
                continue
            else:
                return value
            if self.text == "<" and isinstance(value, Member) and self.generic_follows(value.name):
                value = self.apply(value)

    def _member_name(self) -> str:
        if self.text == "operator" and self.texts[self.pos + 1] in words.OPERATORS | {"(", "?"}:
            return self.operator_name()
        return self.expect_name()

    def operator_name(self) -> str:
        """`operator+` and its like, the word included."""
        self.expect("operator")
        op = self.text
        if op == "(":
            self.pos += 1
            self.expect(")")
            return "operator()"
        if op == "?" and self.texts[self.pos + 1] == ":":
            self.pos += 2
            return "operator?:"
        if op not in words.OPERATORS:
            self.wrong("E20008", f"invalid operator '{op}'.")
        self.pos += 1
        return "operator" + op

    # ---- what operators stand between

    def _atom(self) -> Expr:
        kind = self.kinds[self.pos]
        if kind == NAME:
            return self._name()
        if INT <= kind <= CHAR:
            return self._literal(kind)
        text = self.text
        at = self.at
        if text == "(":
            return self._parenthesis()
        if text == "{":
            self.pos += 1
            return InitList(at, self.arguments_until("}"))
        if text == "::":
            self.pos += 1
            name = Name(self.at, self.expect_name(), True)
            return self.apply(name) if self.text == "<" and self.generic_follows(name.text) else name
        if kind == END:
            self.wrong("E20015", "Unexpected end of file.")
        self.wrong("E20002", "syntax error.")
        raise InternalError("unreachable")

    def _parenthesis(self) -> Expr:
        close = self.matching[self.pos]
        if close > 0 and self.texts[close + 1] == "=>":
            return self._lambda()
        self.pos += 1
        if self.text == ")":
            self.pos -= 1
            self.wrong("E20005", "empty parenthesis '()' is not a valid expression.")
        was_in_angles = self.in_angles
        self.in_angles = False
        if close > 0 and self.modifier_at(self.pos) and self.text != "no_diff" and self.type_end(self.pos) == close:
            value = self.type_expression()
        else:
            value = self.expression()
        self.expect(")")
        self.in_angles = was_in_angles
        return value

    def _lambda(self) -> Expr:
        params = self.parameters(False)
        at = self.expect("=>")
        if self.text == "{":
            return Lambda(at, params, self.block())
        return Lambda(at, params, self.argument())

    def _literal(self, kind: int) -> Expr:
        text = self.text
        at = self.at
        self.pos += 1
        if kind == INT:
            value, suffix, decimal = int_literal(text, at, self.reports)
            return IntLiteral(at, value, suffix, decimal)
        if kind == FLOAT:
            number, suffix = float_literal(text, at, self.reports)
            return FloatLiteral(at, number, suffix)
        if kind == CHAR:
            return IntLiteral(at, char_literal(text, at, self.reports), "u")
        parts = [string_literal(text, at, self.reports)]
        while self.kinds[self.pos] == STRING:
            parts.append(string_literal(self.text, self.at, self.reports))
            self.pos += 1
        return StringLiteral(at, "".join(parts))

    def _name(self) -> Expr:
        text = self.text
        at = self.at
        if text in ("true", "false"):
            self.pos += 1
            return BoolLiteral(at, text == "true")
        if text in ("this", "This", "none", "nullptr"):
            self.pos += 1
            return Keyword(at, text)
        if text in words.PREFIX_WORDS or text in words.CALL_WORDS or text in ("spirv_asm", "functype", "__return_val"):
            special = self.special(text, at)
            if special is not None:
                return special
        if text == "operator" and self.texts[self.pos + 1] in words.OPERATORS:
            return Name(at, self.operator_name())
        if text in words.RESERVED:
            self.wrong("E20002", "syntax error.")
        self.pos += 1
        name = Name(at, text)
        return self.apply(name) if self.text == "<" and self.generic_follows(text) else name

    def special(self, text: str, at: int) -> Expr | None:
        """What the front-end only reads over; None if the word is an ordinary name here."""
        after = self.texts[self.pos + 1]
        after_kind = self.kinds[self.pos + 1]
        if text == "spirv_asm" and after == "{":
            close = self.matching[self.pos + 1]
            if close < 0:
                self.pos += 1
                self.unexpected("'}'")
            self.pos = close + 1
            return Unsupported(at, "inline SPIR-V (`spirv_asm`)")
        if text == "__return_val":
            self.pos += 1
            return Unsupported(at, "`__return_val`")
        if text == "functype" and after == "(":
            self.type_expression()
            return Unsupported(at, "function types (`functype`)")
        if text in words.CALL_WORDS and after == "(":
            self.pos += 1
            self.arguments()
            return Unsupported(at, words.CALL_WORDS[text])
        if text in words.PREFIX_WORDS and (after_kind in (NAME, INT, FLOAT) or after == "("):
            self.pos += 1
            self.enter()
            if text == "expand":
                self.argument()
            elif text == "try":
                value = self._prefix()
                self.leave()
                return Try(at, value)
            else:
                self._postfix(self._atom())
            self.leave()
            return Unsupported(at, words.PREFIX_WORDS[text])
        return None


def _reduce(operands: list[Expr], operators: list[tuple[str, int, int]]) -> None:
    op, _, at = operators.pop()
    right = operands.pop()
    operands[-1] = Binary(at, op, operands[-1], right)
