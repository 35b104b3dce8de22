"""Generic parameters and their `where` clauses.

    <T : IFoo, let N : int = 3>          [TypeParam(T, [IFoo]), ValueParam(N, int, 3)]
    where T : IBar, IBaz where U == int  Where(T, [IBar, IBaz]), Where(U, [], int)

Source: Slang's language reference, "Generics".
"""

from typing import final

from reknit.front.slang.parse.cursor import SyntaxStop
from reknit.front.slang.parse.expressions import ExpressionParser
from reknit.front.slang.syntax import Call, Decl, Expr, Generics, Name, TypeParam, Unsupported, ValueParam, Where
from reknit.front.slang.tokens import END, NAME, spelled

_AFTER_TYPE_PARAM = spelled(": , > = >>")


@final
class GenericParser:
    __slots__ = ("tokens", "look", "types", "expressions")

    def __init__(self, expressions: ExpressionParser) -> None:
        self.tokens = expressions.tokens
        self.look = expressions.look
        self.types = expressions.types
        self.expressions = expressions

    def parameters(self) -> Generics | None:
        """`<...>` if it is there."""
        tokens = self.tokens
        if tokens.text != "<":
            return None
        self.look.angle_end(tokens.pos)
        tokens.pos += 1
        params: list[Decl] = []
        was_in_angles = tokens.in_angles
        tokens.in_angles = True
        while tokens.text != ">" and tokens.kinds[tokens.pos] != END:
            params.append(self._generic_param())
            if not tokens.take_if(","):
                break
        tokens.in_angles = was_in_angles
        self.types.close_angle()
        return Generics(params, [])

    def _generic_param(self) -> Decl:
        tokens = self.tokens
        if tokens.take_if("let"):
            pack = tokens.take_if("each")
            at = tokens.at
            name = tokens.expect_name()
            type: Expr = self.types.type_expression() if tokens.take_if(":") else Name(at, "int")
            return ValueParam(at, name, type, self.expressions.initial(), pack)
        pack = tokens.text == "each" and tokens.kinds[tokens.pos + 1] == NAME
        if pack or (tokens.text in ("typename", "functype") and tokens.kinds[tokens.pos + 1] == NAME):
            tokens.pos += 1
        if tokens.name_next() and tokens.after in _AFTER_TYPE_PARAM:
            at = tokens.at
            name = tokens.expect_name()
            constraints: list[Expr] = []
            if tokens.take_if(":"):
                constraints.append(self.types.type_expression())
            default = self.types.type_expression() if tokens.take_if("=") else None
            return TypeParam(at, name, constraints, default, pack)
        type = self.types.type_expression()
        at = tokens.at
        name = tokens.expect_name()
        return ValueParam(at, name, type, self.expressions.initial(), pack)

    def wheres(self) -> list[Where]:
        tokens = self.tokens
        out: list[Where] = []
        while tokens.text == "where":
            at = tokens.at
            tokens.pos += 1
            out.append(self._where(at))
        return out

    def _where(self, at: int) -> Where:
        tokens = self.tokens
        if tokens.text == "optional" and tokens.kinds[tokens.pos + 1] == NAME:
            tokens.pos += 1
            where = self._plain_where(at)
            where.optional = True
            return where
        return self._plain_where(at)

    def _plain_where(self, at: int) -> Where:
        tokens = self.tokens
        after = tokens.after
        if tokens.text in ("nonempty", "countof") and after == "(":
            counted = Name(tokens.at, tokens.text)
            tokens.pos += 1
            subject: Expr = Call(counted.at, counted, self.expressions.arguments())
            if counted.text == "countof":
                tokens.expect("==")
            return Where(at, subject, [], self.expressions.argument() if counted.text == "countof" else None)
        if tokens.text == "__hasDiffTypeInfo" and after == "(":
            tokens.pos += 1
            self.expressions.arguments()
            return Where(at, Unsupported(at, "`where __hasDiffTypeInfo`"), [], None)
        subject = self.types.type_expression()
        if tokens.take_if(":"):
            bounds = [self.types.type_expression()]
            while tokens.take_if(","):
                bounds.append(self.types.type_expression())
            return Where(at, subject, bounds, None)
        if tokens.take_if("=="):
            return Where(at, subject, [], self.types.type_expression())
        if tokens.text == "(":
            tokens.pos += 1
            where = Where(at, subject, [self.types.type_expression()], None)
            where.conversion = True
            tokens.expect(")")
            tokens.take_if("implicit")
            return where
        tokens.unexpected("':'")
        raise SyntaxStop

    def add_wheres(self, generics: Generics | None) -> Generics | None:
        """The `where` clauses that come next, with the parameters they are about."""
        wheres = self.wheres()
        if not wheres:
            return generics
        extended = generics if generics is not None else Generics([], [])
        extended.wheres.extend(wheres)
        return extended
