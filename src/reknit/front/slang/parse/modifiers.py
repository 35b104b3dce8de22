"""What stands before a declaration or a statement, and after a declared name.

[numthreads(8, 1, 1)] static groupshared     attributes and words
: SV_GroupID : register(u0, space1)          a semantic and registers
"""

from typing import final

from reknit.front.slang.parse import words
from reknit.front.slang.parse.expressions import ExpressionParser
from reknit.front.slang.syntax import Attribute, Expr, IntLiteral, ModifiedType, Modifiers, Register
from reknit.front.slang.tokens import END, INT, NAME


@final
class ModifierParser:
    __slots__ = ("tokens", "look", "expressions")

    def __init__(self, expressions: ExpressionParser) -> None:
        self.tokens = expressions.tokens
        self.look = expressions.look
        self.expressions = expressions

    def read(self) -> Modifiers:
        tokens = self.tokens
        out = Modifiers()
        while True:
            text = tokens.text
            if tokens.kinds[tokens.pos] == NAME:
                if not self.look.modifier_at(tokens.pos):
                    break
                self._word(out, text)
            elif text == "[":
                self._attributes(out)
            else:
                break
        if "in" in out.words and "out" in out.words:
            out.words["inout"] = out.words["in"]
        return out

    def _word(self, out: Modifiers, text: str) -> None:
        tokens = self.tokens
        name = text.removeprefix("__") if text in ("__prefix", "__postfix") else text
        out.words.setdefault(name, tokens.at)
        tokens.pos += 1
        if text == "layout" and tokens.text == "(":
            self._layout(out)
        elif text in words.BRACKET_MODIFIERS and tokens.text == "(":
            tokens.skip_brackets()

    def _layout(self, out: Modifiers) -> None:
        """GLSL's `layout(binding = 1, std430)`: attributes "vk::binding" and, for the rest, "layout.std430"."""
        tokens = self.tokens
        close = tokens.matching[tokens.pos]
        if close < 0:
            tokens.skip_brackets()
        tokens.pos += 1
        where = tokens.at
        binding: list[Expr] = []
        space: Expr = IntLiteral(where, 0)
        while tokens.pos < close and tokens.name_next():
            at = tokens.at
            name = tokens.expect_name()
            arguments = [self.expressions.argument()] if tokens.take_if("=") else []
            if name == "binding" and arguments:
                binding = arguments
            elif name == "set" and arguments:
                space = arguments[0]
            else:
                out.attributes.append(Attribute(at, f"layout.{name}", arguments))
            if not tokens.take_if(","):
                break
        if tokens.pos != close:
            tokens.unexpected("')'")
        tokens.pos = close + 1
        if binding:
            out.attributes.append(Attribute(where, "vk::binding", [*binding, space]))

    def _attributes(self, out: Modifiers) -> None:
        """`[name(arguments), name]` or `[[name]]`."""
        tokens = self.tokens
        tokens.expect("[")
        double = tokens.take_if("[")
        while True:
            out.attributes.append(self._attribute())
            tokens.take_if(",")
            if tokens.take_if("]"):
                break
            if not tokens.name_next() and tokens.text != "::":
                tokens.unexpected("']'")
        if double:
            tokens.expect("]")

    def _attribute(self) -> Attribute:
        tokens = self.tokens
        tokens.take_if("::")
        at = tokens.at
        name = tokens.expect_name()
        while tokens.take_if("::"):
            name += "::" + tokens.expect_name()
        return Attribute(at, name, self.expressions.arguments() if tokens.text == "(" else [])

    def semantics(self, out: Modifiers) -> None:
        """`: SEMANTIC : register(...)`, if any."""
        tokens = self.tokens
        while tokens.take_if(":"):
            at = tokens.at
            if tokens.kinds[tokens.pos] == INT:
                out.registers.append(Register(at, "bits", [tokens.text]))
                tokens.pos += 1
                continue
            name = tokens.expect_name()
            if tokens.text == "(" and name in ("register", "packoffset", "read", "write"):
                out.registers.append(Register(at, name, self._register_arguments()))
            elif not out.semantic:
                out.semantic = name
            if tokens.text == "<":  # annotations of old effect files: read over
                while tokens.text != ">" and tokens.kinds[tokens.pos] != END:
                    tokens.pos += 1
                tokens.expect(">")

    def _register_arguments(self) -> list[str]:
        tokens = self.tokens
        tokens.expect("(")
        out: list[str] = []
        while tokens.text != ")":
            piece = tokens.expect_name()
            while tokens.text == "." or tokens.text == "[":
                if tokens.take_if("."):
                    piece += "." + tokens.expect_name()
                else:
                    tokens.pos += 1
                    piece += f"[{tokens.text}]"
                    tokens.pos += 1
                    tokens.expect("]")
            out.append(piece)
            if not tokens.take_if(","):
                break
        tokens.expect(")")
        return out

    def with_type_modifiers(self, type: Expr, modifiers: Modifiers) -> Expr:
        """The type with those of the declaration's words that belong to it (`dyn IFoo x`)."""
        for word in words.TYPE_MODIFIERS:
            if word in modifiers.words:
                type = ModifiedType(modifiers.words.pop(word), word, type)
        return type

    def without_directions(self, type: Expr, modifiers: Modifiers) -> Expr:
        """`x : inout int` says its direction at the type; it belongs to the parameter."""
        while isinstance(type, ModifiedType) and type.modifier in (
            "in",
            "out",
            "inout",
            "__ref",
            "__constref",
            "const",
        ):
            modifiers.words.setdefault(type.modifier, type.at)
            type = type.base
        return type
