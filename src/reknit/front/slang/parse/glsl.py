"""GLSL's declarations that Slang takes with -allow-glsl, as what they mean in Slang.

    layout(local_size_x = 32) in;                   GroupSizeDecl([32, 1, 1]): for entry points without [numthreads]
    layout(binding = 2) buffer B { uint n[]; } b;   struct B { RWStructuredBuffer<uint> n; }  [[vk::binding(2)]] B b;
    buffer B { uint n[]; };                         RWStructuredBuffer<uint> n;

A block of anything but one array without a size is refused. Source: GLSL 4.60, 4.3.9 and 4.4.1.
"""

from reknit.front.slang.parse.aggregates import AggregateParser
from reknit.front.slang.syntax import (
    AggregateDecl,
    Apply,
    Attribute,
    Decl,
    Expr,
    GroupSizeDecl,
    Index,
    IntLiteral,
    Modifiers,
    Name,
    UnsupportedDecl,
    VarDecl,
)
from reknit.front.slang.tokens import END


class GlslParser(AggregateParser):
    def glsl_next(self, modifiers: Modifiers) -> bool:
        """Whether an interface block or `layout(...) in;` stands here."""
        after = self.texts[self.pos + 1]
        if self.text == "buffer":
            return self.texts[self.pos + 2] == "{"
        if "layout" in modifiers.words and self.text in ("in", "out") and after == ";":
            return True
        return after == "{" and any(word in modifiers.words for word in ("layout", "uniform", "in", "out"))

    def glsl(self, modifiers: Modifiers) -> list[Decl]:
        at = self.at
        if self.text == "in":
            self.pos += 2
            return [_group_size(at, modifiers)]
        if self.text == "buffer":
            self.pos += 1
            return self._buffer(modifiers)
        while self.kinds[self.pos] != END and self.text not in (";", "{"):
            self.pos += 1
        if self.text == "{":
            self.pos = max(self.pos, self.matching[self.pos]) + 1
        if self.name_next() and not self.starts_line(self.pos):
            self.pos += 1
        self.take_if(";")
        return [UnsupportedDecl(at, "", "GLSL's interface blocks")]

    def _buffer(self, modifiers: Modifiers) -> list[Decl]:
        at = self.at
        block = self.expect_name()
        members = self.body_members()
        instance_at, instance = self.at, ""
        if self.name_next() and not self.starts_line(self.pos):
            instance = self.expect_name()
        self.take_if(";")
        only = members[0] if len(members) == 1 else None
        if not isinstance(only, VarDecl) or not isinstance(only.type, Index) or only.type.arguments:
            return [UnsupportedDecl(at, "", "GLSL's interface blocks with more than one array without a size")]
        kind = "StructuredBuffer" if "readonly" in modifiers.words else "RWStructuredBuffer"
        only.type = Apply(only.at, Name(only.at, kind), [only.type.base])
        if not instance:
            only.modifiers.attributes += modifiers.attributes
            return [only]
        struct = AggregateDecl(at, block, Modifiers(), "struct", None, [], None, members)
        return [struct, VarDecl(instance_at, instance, modifiers, Name(at, block), None)]


def _group_size(at: int, modifiers: Modifiers) -> GroupSizeDecl:
    sizes: list[Expr] = []
    for axis in "xyz":
        attribute = modifiers.attribute(f"layout.local_size_{axis}")
        sizes += attribute.arguments if attribute is not None and attribute.arguments else [IntLiteral(at, 1)]
    return GroupSizeDecl(at, Attribute(at, "numthreads", sizes))
