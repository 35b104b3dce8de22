"""GLSL's declarations that Slang takes with -allow-glsl, as what they mean in Slang.

    layout(local_size_x = 32) in;                   GroupSizeDecl([32, 1, 1]): for entry points without [numthreads]
    layout(binding = 2) buffer B { uint n[]; } b;   struct B { RWStructuredBuffer<uint> n; }  [[vk::binding(2)]] B b;
    buffer B { uint n[]; };                         RWStructuredBuffer<uint> n;

A block of anything but one array without a size is refused. Source: GLSL 4.60, 4.3.9 and 4.4.1.
"""

from typing import final

from reknit.front.slang import syntax
from reknit.front.slang.parse.aggregates import AggregateParser
from reknit.front.slang.tokens import END


@final
class GlslParser:
    __slots__ = ("tokens", "aggregates")

    def __init__(self, aggregates: AggregateParser) -> None:
        self.tokens = aggregates.tokens
        self.aggregates = aggregates

    def is_next(self, modifiers: syntax.Modifiers) -> bool:
        """Whether an interface block or `layout(...) in;` stands here."""
        tokens = self.tokens
        after = tokens.after
        if tokens.text == "buffer":
            return tokens.texts[tokens.pos + 2] == "{"
        if "layout" in modifiers.words and tokens.text in ("in", "out") and after == ";":
            return True
        return after == "{" and any(word in modifiers.words for word in ("layout", "uniform", "in", "out"))

    def declaration(self, modifiers: syntax.Modifiers) -> list[syntax.Decl]:
        tokens = self.tokens
        at = tokens.at
        if tokens.text == "in":
            tokens.pos += 2
            return [_group_size(at, modifiers)]
        if tokens.text == "buffer":
            tokens.pos += 1
            return self._buffer(modifiers)
        while tokens.kinds[tokens.pos] != END and tokens.text not in (";", "{"):
            tokens.pos += 1
        if tokens.text == "{":
            tokens.pos = max(tokens.pos, tokens.matching[tokens.pos]) + 1
        if tokens.name_next() and not tokens.starts_line(tokens.pos):
            tokens.pos += 1
        tokens.take_if(";")
        return [syntax.UnsupportedDecl(at, "", "GLSL's interface blocks")]

    def _buffer(self, modifiers: syntax.Modifiers) -> list[syntax.Decl]:
        tokens = self.tokens
        at = tokens.at
        block = tokens.expect_name()
        members = self.aggregates.body_members()
        instance_at, instance = tokens.at, ""
        if tokens.name_next() and not tokens.starts_line(tokens.pos):
            instance = tokens.expect_name()
        tokens.take_if(";")
        only = members[0] if len(members) == 1 else None
        if not isinstance(only, syntax.VarDecl) or not isinstance(only.type, syntax.Index) or only.type.arguments:
            return [syntax.UnsupportedDecl(at, "", "GLSL's interface blocks with more than one array without a size")]
        kind = "StructuredBuffer" if "readonly" in modifiers.words else "RWStructuredBuffer"
        only.type = syntax.Apply(only.at, syntax.Name(only.at, kind), [only.type.base])
        if not instance:
            only.modifiers.attributes += modifiers.attributes
            return [only]
        struct = syntax.AggregateDecl(at, block, syntax.Modifiers(), "struct", None, [], None, members)
        return [struct, syntax.VarDecl(instance_at, instance, modifiers, syntax.Name(at, block), None)]


def _group_size(at: int, modifiers: syntax.Modifiers) -> syntax.GroupSizeDecl:
    sizes: list[syntax.Expr] = []
    for axis in "xyz":
        attribute = modifiers.attribute(f"layout.local_size_{axis}")
        sizes += attribute.arguments if attribute is not None and attribute.arguments else [syntax.IntLiteral(at, 1)]
    return syntax.GroupSizeDecl(at, syntax.Attribute(at, "numthreads", sizes))
