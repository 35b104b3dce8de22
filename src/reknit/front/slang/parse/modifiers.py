"""What stands before a declaration or a statement, and after a declared name.

[numthreads(8, 1, 1)] static groupshared     attributes and words
: SV_GroupID : register(u0, space1)          a semantic and registers
"""

from reknit.front.slang.parse import words
from reknit.front.slang.parse.expressions import ExpressionParser
from reknit.front.slang.syntax import Attribute, Expr, IntLiteral, ModifiedType, Modifiers, Register
from reknit.front.slang.tokens import END, INT, NAME


class ModifierParser(ExpressionParser):
    def modifiers(self) -> Modifiers:
        out = Modifiers()
        while True:
            text = self.text
            if self.kinds[self.pos] == NAME:
                if not self.modifier_at(self.pos):
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
        name = text.removeprefix("__") if text in ("__prefix", "__postfix") else text
        out.words.setdefault(name, self.at)
        self.pos += 1
        if text == "layout" and self.text == "(":
            self._layout(out)
        elif text in words.BRACKET_MODIFIERS and self.text == "(":
            self._skip_brackets()

    def _layout(self, out: Modifiers) -> None:
        """GLSL's `layout(binding = 1, std430)`: attributes "vk::binding" and, for the rest, "layout.std430"."""
        close = self.matching[self.pos]
        if close < 0:
            self._skip_brackets()
        self.pos += 1
        where = self.at
        binding: list[Expr] = []
        space: Expr = IntLiteral(where, 0)
        while self.pos < close and self.name_next():
            at = self.at
            name = self.expect_name()
            arguments = [self.argument()] if self.take_if("=") else []
            if name == "binding" and arguments:
                binding = arguments
            elif name == "set" and arguments:
                space = arguments[0]
            else:
                out.attributes.append(Attribute(at, f"layout.{name}", arguments))
            if not self.take_if(","):
                break
        if self.pos != close:
            self.unexpected("')'")
        self.pos = close + 1
        if binding:
            out.attributes.append(Attribute(where, "vk::binding", [*binding, space]))

    def _skip_brackets(self) -> None:
        close = self.matching[self.pos]
        if close < 0:
            self.pos += 1
            self.unexpected("')'")
        self.pos = close + 1

    def _attributes(self, out: Modifiers) -> None:
        """`[name(arguments), name]` or `[[name]]`."""
        self.expect("[")
        double = self.take_if("[")
        while True:
            out.attributes.append(self._attribute())
            self.take_if(",")
            if self.take_if("]"):
                break
            if not self.name_next() and self.text != "::":
                self.unexpected("']'")
        if double:
            self.expect("]")

    def _attribute(self) -> Attribute:
        self.take_if("::")
        at = self.at
        name = self.expect_name()
        while self.take_if("::"):
            name += "::" + self.expect_name()
        return Attribute(at, name, self.arguments() if self.text == "(" else [])

    def semantics(self, out: Modifiers) -> None:
        """`: SEMANTIC : register(...)`, if any."""
        while self.take_if(":"):
            at = self.at
            if self.kinds[self.pos] == INT:
                out.registers.append(Register(at, "bits", [self.text]))
                self.pos += 1
                continue
            name = self.expect_name()
            if self.text == "(" and name in ("register", "packoffset", "read", "write"):
                out.registers.append(Register(at, name, self._register_arguments()))
            elif not out.semantic:
                out.semantic = name
            if self.text == "<":  # annotations of old effect files: read over
                while self.text != ">" and self.kinds[self.pos] != END:
                    self.pos += 1
                self.expect(">")

    def _register_arguments(self) -> list[str]:
        self.expect("(")
        out: list[str] = []
        while self.text != ")":
            piece = self.expect_name()
            while self.text == "." or self.text == "[":
                if self.take_if("."):
                    piece += "." + self.expect_name()
                else:
                    self.pos += 1
                    piece += f"[{self.text}]"
                    self.pos += 1
                    self.expect("]")
            out.append(piece)
            if not self.take_if(","):
                break
        self.expect(")")
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
