"""Expressions and types, which share a grammar in Slang.

    a + b * (T)c        Binary("+", a, Binary("*", b, Cast(T, c)))
    Foo<int[2]>::make   Member(Apply(Foo, [Index(int, [2])]), "make", static)

Binary operators are read with two stacks, prefixes and postfixes with loops: only brackets, `?:`, right sides of
assignments and casts nest. Source: Slang's language reference, "Expressions"; precedence as in HLSL.
"""

from typing import TYPE_CHECKING, final

from reknit.front.slang import syntax
from reknit.front.slang.literals import char_literal, float_literal, int_literal, string_literal
from reknit.front.slang.parse import words
from reknit.front.slang.parse.inline_spirv import spirv_asm
from reknit.front.slang.parse.types import TypeParser
from reknit.front.slang.tokens import CHAR, END, FLOAT, INT, NAME, STRING, spelled
from reknit.source.diagnostic import InternalError

if TYPE_CHECKING:
    from reknit.front.slang.parse.functions import FunctionParser
    from reknit.front.slang.parse.statements import StatementParser

_AFTER_POINTER = spelled(", ) > >> : ; [ * .")


@final
class ExpressionParser:
    __slots__ = ("tokens", "look", "types", "functions", "statements", "eaches")
    functions: "FunctionParser"
    statements: "StatementParser"

    def __init__(self, types: TypeParser) -> None:
        self.tokens = types.tokens
        self.look = types.look
        self.types = types
        types.expressions = self
        self.eaches: list[syntax.Each] | None = None  # those of the `expand` that is read

    # ---- lists of arguments

    def arguments(self) -> list[syntax.Expr]:
        """`( a, b )`"""
        self.tokens.expect("(")
        return self.arguments_until(")")

    def arguments_until(self, close: str) -> list[syntax.Expr]:
        tokens = self.tokens
        out: list[syntax.Expr] = []
        was_in_angles = tokens.in_angles
        tokens.in_angles = False
        while tokens.text != close:
            out.append(self.argument())
            if not tokens.take_if(","):
                break
        tokens.expect(close)
        tokens.in_angles = was_in_angles
        return out

    def initial(self) -> syntax.Expr | None:
        """`= value`, where it is there."""
        return self.argument() if self.tokens.take_if("=") else None

    # ---- operators

    def expression(self) -> syntax.Expr:
        """With the comma operator."""
        tokens = self.tokens
        value = self.argument()
        while tokens.text == ",":
            at = tokens.at
            tokens.pos += 1
            value = syntax.Binary(at, ",", value, self.argument())
        return value

    def bracketed(self) -> syntax.Expr:
        """`( expression )`, as after `if`."""
        tokens = self.tokens
        tokens.expect("(")
        value = self.expression()
        tokens.expect(")")
        return value

    def argument(self) -> syntax.Expr:
        """Without the comma operator: assignment, `?:` and all that binds tighter."""
        tokens = self.tokens
        tokens.enter()
        left = self._binary()
        op = tokens.text
        at = tokens.at
        if op == "?":
            tokens.pos += 1
            then = self.argument()
            tokens.expect(":")
            left = syntax.Conditional(at, left, then, self._otherwise())
            op = tokens.text
            at = tokens.at
        if op in words.ASSIGNMENTS:
            tokens.pos += 1
            left = syntax.Assign(at, op, left, self.argument())
        tokens.leave()
        return left

    def _otherwise(self) -> syntax.Expr:
        """What stands after the `:`; an assignment there has the whole `?:` on its left."""
        tokens = self.tokens
        tokens.enter()
        value = self._binary()
        if tokens.text == "?":
            at = tokens.at
            tokens.pos += 1
            then = self.argument()
            tokens.expect(":")
            value = syntax.Conditional(at, value, then, self._otherwise())
        tokens.leave()
        return value

    def _binary(self) -> syntax.Expr:
        tokens = self.tokens
        operands = [self._prefix()]
        operators: list[tuple[str, int, int]] = []
        tests = 0
        binary = words.BINARY
        while True:
            op = tokens.text
            strength = binary.get(op, 0)
            if strength == 0 or (tokens.in_angles and op in (">", ">=", ">>")):
                break
            while operators and operators[-1][1] >= strength:
                _reduce(operands, operators)
            at = tokens.at
            tokens.pos += 1
            if op == "is" or op == "as":
                tests += 1
                tokens.check_links(tests)
            if op == "is":
                operands[-1] = syntax.Is(at, operands[-1], self.types.type_expression())
            elif op == "as":
                operands[-1] = syntax.As(at, operands[-1], self.types.type_expression())
            else:
                operators.append((op, strength, at))
                operands.append(self._prefix())
        while operators:
            _reduce(operands, operators)
        return operands[0]

    def _prefix(self) -> syntax.Expr:
        tokens = self.tokens
        prefixes: list[tuple[str, int, syntax.Expr | None]] = []  # an operator, or a cast's type
        while True:
            text = tokens.text
            at = tokens.at
            if text in words.PREFIX:
                tokens.pos += 1
                prefixes.append((text, at, None))
            elif text == "(" and self.look.cast_next():
                tokens.pos += 1
                type = self.types.type_expression()
                tokens.expect(")")
                prefixes.append((text, at, type))
            elif text == "no_diff" and tokens.kinds[tokens.pos + 1] != 0:
                tokens.pos += 1
                prefixes.append((text, at, None))
            else:
                break
        if prefixes:
            tokens.check_links(len(prefixes))
        value = self._number(prefixes.pop()[1]) if self._negative(prefixes) else self._postfix(self.atom())
        while prefixes:
            op, at, type_or_none = prefixes.pop()
            if type_or_none is not None:
                value = syntax.Cast(at, type_or_none, value)
            elif op == "no_diff":
                value = syntax.ModifiedType(at, op, value)
            else:
                value = syntax.Unary(at, op, value)
        return value

    def _negative(self, prefixes: list[tuple[str, int, syntax.Expr | None]]) -> bool:
        """Whether a minus sign and an integer literal are next."""
        return self.tokens.kinds[self.tokens.pos] == INT and bool(prefixes) and prefixes[-1][0] == "-"

    def _number(self, at: int) -> syntax.Expr:
        """An integer literal after its minus sign, which is at `at`."""
        tokens = self.tokens
        value, suffix, decimal = int_literal(tokens.text, tokens.at, tokens.reports)
        tokens.pos += 1
        return self._postfix(syntax.IntLiteral(at, value, suffix, decimal, True))

    def _postfix(self, value: syntax.Expr) -> syntax.Expr:
        tokens = self.tokens
        links = 0
        while True:
            text = tokens.text
            at = tokens.at
            links += 1
            if links > 20:
                tokens.check_links(links)
            if text == "." or text == "->":
                tokens.pos += 1
                value = syntax.Member(tokens.at, value, self._member_name(), text == "->")
            elif text == "(":
                value = syntax.Call(at, value, self.arguments())
                continue
            elif text == "[":
                tokens.pos += 1
                value = syntax.Index(at, value, self.arguments_until("]"))
                continue
            elif text == "::":
                tokens.pos += 1
                value = syntax.Member(tokens.at, value, self._member_name(), False, True)
            elif text == "++" or text == "--":
                tokens.pos += 1
                value = syntax.Unary(at, text, value, True)
                continue
            elif text == "*" and tokens.after in _AFTER_POINTER:
                tokens.pos += 1
                value = syntax.ModifiedType(at, "*", value)
                continue
            elif text == "?" and tokens.in_angles and tokens.after in (",", ">", ">>"):
                tokens.pos += 1
                value = syntax.ModifiedType(at, "?", value)
                continue
            else:
                return value
            if tokens.text == "<" and isinstance(value, syntax.Member) and self.look.generic_follows(value.name):
                value = self.types.apply(value)

    def _member_name(self) -> str:
        tokens = self.tokens
        if tokens.text == "operator" and tokens.after in words.OPERATORS | {"(", "?"}:
            return self.operator_name()
        return tokens.expect_name()

    def operator_name(self) -> str:
        """`operator+` and its like, the word included."""
        tokens = self.tokens
        tokens.expect("operator")
        op = tokens.text
        if op == "(":
            tokens.pos += 1
            tokens.expect(")")
            return "operator()"
        if op == "[" and tokens.hlsl:
            tokens.pos += 1
            tokens.expect("]")
            return "operator[]"
        if op == "?" and tokens.after == ":":
            tokens.pos += 2
            return "operator?:"
        if op not in words.OPERATORS:
            tokens.wrong("E20008", f"invalid operator '{op}'.")
        tokens.pos += 1
        return "operator" + op

    # ---- what operators stand between

    def atom(self) -> syntax.Expr:
        tokens = self.tokens
        kind = tokens.kinds[tokens.pos]
        if kind == NAME:
            return self._name()
        if INT <= kind <= CHAR:
            return self._literal(kind)
        text = tokens.text
        at = tokens.at
        if text == "(":
            return self._parenthesis()
        if text == "{":
            tokens.pos += 1
            return syntax.InitList(at, self.arguments_until("}"))
        if text == "::":
            tokens.pos += 1
            name = syntax.Name(tokens.at, tokens.expect_name(), True)
            return self.types.apply(name) if tokens.text == "<" and self.look.generic_follows(name.text) else name
        if kind == END:
            tokens.wrong("E20015", "Unexpected end of file.")
        tokens.wrong("E20002", "syntax error.")
        raise InternalError("unreachable")

    def _parenthesis(self) -> syntax.Expr:
        tokens = self.tokens
        at = tokens.at
        close = tokens.matching[tokens.pos]
        if close > 0 and tokens.texts[close + 1] == "=>":
            return self._lambda()
        tokens.pos += 1
        if tokens.text == ")":
            tokens.pos -= 1
            tokens.wrong("E20005", "empty parenthesis '()' is not a valid expression.")
        was_in_angles = tokens.in_angles
        tokens.in_angles = False
        look = self.look
        is_type = close > 0 and look.modifier_at(tokens.pos) and tokens.text != "no_diff"
        if is_type and look.type_end(tokens.pos) == close:
            value = self.types.type_expression()
        else:
            value = self._tuple_or_value(at)
        tokens.expect(")")
        tokens.in_angles = was_in_angles
        return value

    def _tuple_or_value(self, at: int) -> syntax.Expr:
        """What stands in parentheses: with a comma it is a tuple from the language's year 2026 on."""
        tokens = self.tokens
        if tokens.year < 2026:
            return self.expression()
        elements = [self.argument()]
        while tokens.take_if(","):
            elements.append(self.argument())
        return elements[0] if len(elements) == 1 else syntax.Call(at, syntax.Name(at, "makeTuple"), elements)

    def _lambda(self) -> syntax.Expr:
        tokens = self.tokens
        params = self.functions.parameters(False)
        at = tokens.expect("=>")
        if tokens.text == "{":
            return syntax.Lambda(at, params, self.statements.block())
        return syntax.Lambda(at, params, self.argument())

    def _literal(self, kind: int) -> syntax.Expr:
        tokens = self.tokens
        text = tokens.text
        at = tokens.at
        tokens.pos += 1
        if kind == INT:
            value, suffix, decimal = int_literal(text, at, tokens.reports)
            return syntax.IntLiteral(at, value, suffix, decimal)
        if kind == FLOAT:
            number, suffix = float_literal(text, at, tokens.reports)
            return syntax.FloatLiteral(at, number, suffix)
        if kind == CHAR:
            return syntax.IntLiteral(at, char_literal(text, at, tokens.reports), "u")
        parts = [string_literal(text, at, tokens.reports)]
        while tokens.kinds[tokens.pos] == STRING:
            parts.append(string_literal(tokens.text, tokens.at, tokens.reports))
            tokens.pos += 1
        return syntax.StringLiteral(at, "".join(parts))

    def _name(self) -> syntax.Expr:
        tokens = self.tokens
        text = tokens.text
        at = tokens.at
        if text in ("true", "false"):
            tokens.pos += 1
            return syntax.BoolLiteral(at, text == "true")
        if text in ("this", "This", "none", "nullptr"):
            tokens.pos += 1
            return syntax.Keyword(at, text)
        if text in words.PREFIX_WORDS or text in words.CALL_WORDS or text in ("spirv_asm", "functype", "__return_val"):
            special = self.special(text, at)
            if special is not None:
                return special
        if text == "operator" and tokens.after in words.OPERATORS:
            return syntax.Name(at, self.operator_name())
        if text in words.RESERVED:
            tokens.wrong("E20002", "syntax error.")
        tokens.pos += 1
        name = syntax.Name(at, text)
        return self.types.apply(name) if tokens.text == "<" and self.look.generic_follows(text) else name

    def special(self, text: str, at: int, as_type: bool = False) -> syntax.Expr | None:
        """What begins with a word that is no name, much of it only read over; None if it is an ordinary name here."""
        tokens = self.tokens
        after = tokens.after
        after_kind = tokens.kinds[tokens.pos + 1]
        if text == "spirv_asm" and after == "{":
            tokens.pos += 1
            return spirv_asm(self, at)
        if text == "__return_val":
            tokens.pos += 1
            return syntax.Unsupported(at, "`__return_val`")
        if text == "functype" and after == "(":
            return self.types.type_expression()
        if text in words.CALL_WORDS and after == "(":
            tokens.pos += 1
            self.arguments()
            return syntax.Unsupported(at, words.CALL_WORDS[text])
        if text in words.PACK_QUERIES and after == "(":
            tokens.pos += 1
            return syntax.Call(at, syntax.Name(at, text), self.arguments())
        if text in words.PREFIX_WORDS and (after_kind in (NAME, INT, FLOAT) or after == "("):
            tokens.pos += 1
            tokens.enter()
            value = self._prefixed(text, at, as_type)
            tokens.leave()
            return value
        return None

    def _prefixed(self, text: str, at: int, as_type: bool) -> syntax.Expr:
        """What follows `expand`, `each`, `try` or `new`."""
        if text == "try":
            return syntax.Try(at, self._prefix())
        if text == "expand":
            outer = self.eaches
            eaches: list[syntax.Each] = []
            self.eaches = eaches
            try:
                pattern = self.types.type_expression() if as_type else self.argument()
            finally:
                self.eaches = outer
            return syntax.Expand(at, pattern, eaches)
        operand = self._postfix(self.atom())
        if text == "new" or self.eaches is None:
            return self._unsupported(text, at)
        each = syntax.Each(at, operand)
        self.eaches.append(each)
        return each

    def _unsupported(self, text: str, at: int) -> syntax.Expr:
        return syntax.Unsupported(at, words.PREFIX_WORDS[text])


def _reduce(operands: list[syntax.Expr], operators: list[tuple[str, int, int]]) -> None:
    op, _, at = operators.pop()
    right = operands.pop()
    operands[-1] = syntax.Binary(at, op, operands[-1], right)
