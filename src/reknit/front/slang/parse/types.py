"""Types and generic arguments.

    Foo<int, 3>::Bar*[2]     Index(ModifiedType("*", Member(Apply(Foo, [int, 3]), "Bar", static)), [2])
    dyn IA & IB              Binary("&", ModifiedType("dyn", IA), IB)

Source: Slang's language reference, "Types" and "Generics".
"""

from typing import TYPE_CHECKING, final

from reknit.front.slang.parse import words
from reknit.front.slang.parse.cursor import Cursor
from reknit.front.slang.parse.lookahead import Lookahead
from reknit.front.slang.syntax import Apply, Binary, Expr, Index, Keyword, Member, ModifiedType, Name
from reknit.front.slang.tokens import NAME

if TYPE_CHECKING:
    from reknit.front.slang.parse.aggregates import AggregateParser
    from reknit.front.slang.parse.expressions import ExpressionParser


@final
class TypeParser:
    __slots__ = ("tokens", "look", "expressions", "aggregates")
    expressions: "ExpressionParser"
    aggregates: "AggregateParser"

    def __init__(self, tokens: Cursor) -> None:
        self.tokens = tokens
        self.look = Lookahead(tokens)

    def apply(self, base: Expr) -> Expr:
        """`base<...>`, the `<` next."""
        tokens = self.tokens
        self.look.angle_end(tokens.pos)  # looked at from the outermost, so that a `>>` is known to close two
        at = tokens.expect("<")
        arguments: list[Expr] = []
        was_in_angles = tokens.in_angles
        tokens.in_angles = True
        tokens.enter()
        while tokens.text not in (">", ">>"):
            arguments.append(self._generic_argument())
            if not tokens.take_if(","):
                break
        tokens.leave()
        tokens.in_angles = was_in_angles
        self.close_angle()
        return Apply(at, base, arguments)

    def close_angle(self) -> None:
        """`>`, or the first half of `>>`, which becomes `>`."""
        tokens = self.tokens
        if tokens.text == ">>":
            tokens.texts[tokens.pos] = ">"
            tokens.ats[tokens.pos] += 1
        else:
            tokens.expect(">")

    def _generic_argument(self) -> Expr:
        tokens = self.tokens
        if tokens.name_next() and (self.look.modifier_at(tokens.pos) or tokens.text == "functype"):
            return self.type_expression()
        return self.expressions.argument()

    def type_expression(self) -> Expr:
        """A type: modifiers, a name with members and generic arguments, `*`, `[...]`, `&`."""
        tokens = self.tokens
        tokens.enter()
        type = self.postfix_type()
        while tokens.text == "&" and tokens.kinds[tokens.pos + 1] == NAME:
            at = tokens.at
            tokens.pos += 1
            type = Binary(at, "&", type, self.postfix_type())
        tokens.leave()
        return type

    def postfix_type(self) -> Expr:
        tokens = self.tokens
        type = self.simple_type()
        links = 0
        while True:
            at = tokens.at
            links += 1
            tokens.check_links(links)
            if tokens.text == "[":
                tokens.pos += 1
                type = Index(at, type, self.expressions.arguments_until("]"))
            elif tokens.text == "*":
                tokens.pos += 1
                type = ModifiedType(at, "*", type)
            elif tokens.text == "?" and self._optional_here():
                type = self.optional_type(type)
            else:
                return type

    def _optional_here(self) -> bool:
        """Whether a `?` after a type makes it optional: nothing that `?:` could go on with follows."""
        tokens = self.tokens
        after = tokens.after
        return after in (",", ">", ">>", ")", "{", ";", "=") or (
            tokens.kinds[tokens.pos + 1] == NAME
            and not tokens.in_angles
            and tokens.texts[tokens.pos + 2] in (",", ")", ";", "=", ":")
        )

    def optional_type(self, type: Expr) -> Expr:
        at = self.tokens.expect("?")
        return ModifiedType(at, "?", type)

    def array_type(self, type: Expr) -> Expr:
        """The type with the `[...]` that follow it."""
        tokens = self.tokens
        links = 0
        while tokens.text == "[":
            at = tokens.at
            tokens.pos += 1
            links += 1
            tokens.check_links(links)
            type = Index(at, type, self.expressions.arguments_until("]"))
        return type

    def simple_type(self) -> Expr:
        """Without `[...]` and `*`. Modifiers among it stay with the type."""
        tokens = self.tokens
        at = tokens.at
        text = tokens.text
        if tokens.name_next():
            if self.look.modifier_at(tokens.pos):
                modifiers: list[tuple[str, int]] = []
                while tokens.name_next() and self.look.modifier_at(tokens.pos):
                    modifiers.append((tokens.text, tokens.at))
                    tokens.check_links(len(modifiers))
                    tokens.pos += 1
                type = self.simple_type()
                while modifiers:
                    word, place = modifiers.pop()
                    type = ModifiedType(place, word, type)
                return type
            if text in ("struct", "class", "enum"):
                return self.aggregates.inline_type()
            if text == "functype":
                return self._function_type()
            if text in words.PREFIX_WORDS or text in words.CALL_WORDS or text in words.PACK_QUERIES:
                special = self.expressions.special(text, at, True)
                if special is not None:
                    return self._with_members(special)
        from_global = tokens.take_if("::")
        at = tokens.at
        if not tokens.name_next():
            tokens.unexpected("identifier")
        text = tokens.text
        tokens.pos += 1
        type = Keyword(at, text) if text == "This" else Name(at, text, from_global)
        return self._with_members(type)

    def _with_members(self, type: Expr) -> Expr:
        """The type with the `<...>`, `::name` and `.name` that follow it."""
        tokens = self.tokens
        links = 0
        while True:
            links += 1
            tokens.check_links(links)
            if tokens.text == "<":
                type = self.apply(type)
            elif tokens.text in ("::", "."):
                static = tokens.text == "::"
                tokens.pos += 1
                type = Member(tokens.at, type, tokens.expect_name(), False, static)
            else:
                return type

    def _function_type(self) -> Expr:
        """`functype(A, B) -> R`, as the interface that is written functype<R, A, B>."""
        tokens = self.tokens
        at = tokens.expect("functype")
        tokens.expect("(")
        params: list[Expr] = []
        while tokens.text != ")":
            params.append(self.type_expression())
            if not tokens.take_if(","):
                break
        tokens.expect(")")
        tokens.expect("->")
        return Apply(at, Name(at, "functype"), [self.type_expression(), *params])
