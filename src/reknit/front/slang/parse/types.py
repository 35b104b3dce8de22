"""Types, generic arguments and lists of arguments.

    Foo<int, 3>::Bar*[2]     Index(ModifiedType("*", Member(Apply(Foo, [int, 3]), "Bar", static)), [2])
    dyn IA & IB              Binary("&", ModifiedType("dyn", IA), IB)

Source: Slang's language reference, "Types" and "Generics".
"""

from reknit.front.slang.parse import words
from reknit.front.slang.parse.lookahead import Lookahead
from reknit.front.slang.report import Reports
from reknit.front.slang.syntax import Apply, Binary, Expr, Index, Keyword, Member, ModifiedType, Name, Unsupported
from reknit.front.slang.tokens import NAME, Tokens
from reknit.source.diagnostic import InternalError


class TypeParser(Lookahead):
    def __init__(self, tokens: Tokens, reports: Reports) -> None:
        super().__init__(tokens, reports)
        self.in_angles = False  # `>` closes a list of generic arguments

    # What later classes add.

    def argument(self) -> Expr:
        raise InternalError("no expressions")

    def special(self, text: str, at: int) -> Expr | None:
        raise InternalError("no expressions")

    def inline_type(self) -> Expr:
        raise InternalError("no declarations")

    # ---- lists of arguments

    def arguments(self) -> list[Expr]:
        """`( a, b )`"""
        self.expect("(")
        return self.arguments_until(")")

    def arguments_until(self, close: str) -> list[Expr]:
        out: list[Expr] = []
        was_in_angles = self.in_angles
        self.in_angles = False
        while self.text != close:
            out.append(self.argument())
            if not self.take_if(","):
                break
        self.expect(close)
        self.in_angles = was_in_angles
        return out

    def apply(self, base: Expr) -> Expr:
        """`base<...>`, the `<` next."""
        self.angle_end(self.pos)  # looked at from the outermost, so that a `>>` is known to close two
        at = self.expect("<")
        arguments: list[Expr] = []
        was_in_angles = self.in_angles
        self.in_angles = True
        self.enter()
        while self.text not in (">", ">>"):
            arguments.append(self._generic_argument())
            if not self.take_if(","):
                break
        self.leave()
        self.in_angles = was_in_angles
        self.close_angle()
        return Apply(at, base, arguments)

    def close_angle(self) -> None:
        """`>`, or the first half of `>>`, which becomes `>`."""
        if self.text == ">>":
            self.texts[self.pos] = ">"
            self.ats[self.pos] += 1
        else:
            self.expect(">")

    def _generic_argument(self) -> Expr:
        if self.name_next() and (self.modifier_at(self.pos) or self.text == "functype"):
            return self.type_expression()
        return self.argument()

    def type_expression(self) -> Expr:
        """A type: modifiers, a name with members and generic arguments, `*`, `[...]`, `&`."""
        self.enter()
        type = self.postfix_type()
        while self.text == "&" and self.kinds[self.pos + 1] == NAME:
            at = self.at
            self.pos += 1
            type = Binary(at, "&", type, self.postfix_type())
        self.leave()
        return type

    def postfix_type(self) -> Expr:
        type = self.simple_type()
        links = 0
        while True:
            at = self.at
            links += 1
            self.check_links(links)
            if self.text == "[":
                self.pos += 1
                type = Index(at, type, self.arguments_until("]"))
            elif self.text == "*":
                self.pos += 1
                type = ModifiedType(at, "*", type)
            elif self.text == "?" and self._optional_here():
                type = self.optional_type(type)
            else:
                return type

    def _optional_here(self) -> bool:
        """Whether a `?` after a type makes it optional: nothing that `?:` could go on with follows."""
        after = self.texts[self.pos + 1]
        return after in (",", ">", ">>", ")", "{", ";", "=") or (
            self.kinds[self.pos + 1] == NAME
            and not self.in_angles
            and self.texts[self.pos + 2] in (",", ")", ";", "=", ":")
        )

    def optional_type(self, type: Expr) -> Expr:
        at = self.expect("?")
        return ModifiedType(at, "?", type)

    def array_type(self, type: Expr) -> Expr:
        """The type with the `[...]` that follow it."""
        links = 0
        while self.text == "[":
            at = self.at
            self.pos += 1
            links += 1
            self.check_links(links)
            type = Index(at, type, self.arguments_until("]"))
        return type

    def simple_type(self) -> Expr:
        """Without `[...]` and `*`. Modifiers among it stay with the type."""
        at = self.at
        text = self.text
        if self.name_next():
            if self.modifier_at(self.pos):
                modifiers: list[tuple[str, int]] = []
                while self.name_next() and self.modifier_at(self.pos):
                    modifiers.append((self.text, self.at))
                    self.check_links(len(modifiers))
                    self.pos += 1
                type = self.simple_type()
                while modifiers:
                    word, place = modifiers.pop()
                    type = ModifiedType(place, word, type)
                return type
            if text in ("struct", "class", "enum"):
                return self.inline_type()
            if text == "functype":
                return self._function_type()
            if text in words.PREFIX_WORDS or text in words.CALL_WORDS:
                special = self.special(text, at)
                if special is not None:
                    return self._with_members(special)
        from_global = self.take_if("::")
        at = self.at
        if not self.name_next():
            self.unexpected("identifier")
        text = self.text
        self.pos += 1
        type = Keyword(at, text) if text == "This" else Name(at, text, from_global)
        return self._with_members(type)

    def _with_members(self, type: Expr) -> Expr:
        """The type with the `<...>`, `::name` and `.name` that follow it."""
        links = 0
        while True:
            links += 1
            self.check_links(links)
            if self.text == "<":
                type = self.apply(type)
            elif self.text in ("::", "."):
                static = self.text == "::"
                self.pos += 1
                type = Member(self.at, type, self.expect_name(), False, static)
            else:
                return type

    def _function_type(self) -> Expr:
        at = self.expect("functype")
        self.expect("(")
        while self.text != ")":
            self.type_expression()
            if not self.take_if(","):
                break
        self.expect(")")
        self.expect("->")
        self.type_expression()
        return Unsupported(at, "function types (`functype`)")
