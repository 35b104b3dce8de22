"""GLSL's declarations that Slang takes with -allow-glsl, as what they mean in Slang.

    layout(local_size_x = 32) in;                   GroupSizeDecl([32, 1, 1]): for entry points without [numthreads]
    layout(binding = 2) buffer B { uint n[]; } b;   struct B { RWStructuredBuffer<uint> n; }  [[vk::binding(2)]] B b;
    buffer B { uint n[]; };                         RWStructuredBuffer<uint> n;
    buffer B { uint n; uint m[]; } b;               struct B {...}  GLSLShaderStorageBuffer<B> b;
    uniform B { vec4 v; };                          cbuffer B {...}

Source: GLSL 4.60, 4.3.9 and 4.4.1.
"""

from typing import Final, final

from reknit.front.slang import syntax
from reknit.front.slang.parse.aggregates import AggregateParser
from reknit.front.slang.tokens import END
from reknit.front.slang.types import BLOCK, READ_BLOCK

_LAYOUTS: Final = {"std140": "Std140DataLayout", "std430": "Std430DataLayout", "scalar": "ScalarDataLayout"}


@final
class GlslParser:
    __slots__ = ("tokens", "aggregates")

    def __init__(self, aggregates: AggregateParser) -> None:
        self.tokens = aggregates.tokens
        self.aggregates = aggregates

    def is_next(self, modifiers: syntax.Modifiers) -> bool:
        """Whether an interface block, `layout(...) in;` or `precision highp float;` stands here."""
        tokens = self.tokens
        after = tokens.after
        if tokens.text == "buffer":
            return tokens.texts[tokens.pos + 2] == "{"
        if tokens.text == "precision" and tokens.texts[tokens.pos + 3] == ";":
            return True
        if "layout" in modifiers.words and tokens.text in ("in", "out") and after == ";":
            return True
        return after == "{" and any(word in modifiers.words for word in ("layout", "uniform", "in", "out"))

    def declaration(self, modifiers: syntax.Modifiers) -> list[syntax.Decl]:
        tokens = self.tokens
        at = tokens.at
        if tokens.text == "precision":
            tokens.pos += 4
            return []
        if tokens.text == "in":
            tokens.pos += 2
            return [_group_size(at, modifiers)]
        if tokens.text == "buffer":
            tokens.pos += 1
            kind = READ_BLOCK if "readonly" in modifiers.words else BLOCK
            return self._block(kind, "buffer", modifiers)
        if "uniform" in modifiers.words and tokens.name_next() and tokens.after == "{":
            return self._block("ConstantBuffer", "cbuffer", modifiers)
        while tokens.kinds[tokens.pos] != END and tokens.text not in (";", "{"):
            tokens.pos += 1
        if tokens.text == "{":
            tokens.pos = max(tokens.pos, tokens.matching[tokens.pos]) + 1
        if tokens.name_next() and not tokens.starts_line(tokens.pos):
            tokens.pos += 1
        tokens.take_if(";")
        return [syntax.UnsupportedDecl(at, "", "GLSL's interface blocks that are no buffers")]

    def _block(self, kind: str, word: str, modifiers: syntax.Modifiers) -> list[syntax.Decl]:
        """A block, named or not: a buffer of a struct, or names for what a buffer holds."""
        tokens = self.tokens
        at = tokens.at
        block = tokens.expect_name()
        members = self.aggregates.body_members()
        instance_at, instance, type = tokens.at, "", syntax.Name(at, block)
        arguments: list[syntax.Expr] = [type]
        layout = data_layout(modifiers)
        if layout:
            arguments.append(syntax.Name(at, layout))
        held: syntax.Expr = syntax.Apply(at, syntax.Name(at, kind), arguments)
        if tokens.name_next() and not tokens.starts_line(tokens.pos):
            instance = tokens.expect_name()
            held = self.aggregates.types.array_type(held)
        tokens.take_if(";")
        only = members[0] if len(members) == 1 else None
        if word == "buffer" and isinstance(only, syntax.VarDecl) and _is_unsized(only.type) and not layout:
            return self._elements(at, block, only, modifiers, instance_at, instance)
        if not instance:
            return [syntax.AggregateDecl(at, block, modifiers, word, None, [], None, members)]
        struct = syntax.AggregateDecl(at, block, syntax.Modifiers(), "struct", None, [], None, members)
        return [struct, syntax.VarDecl(instance_at, instance, modifiers, held, None)]

    def _elements(
        self, at: int, block: str, only: syntax.VarDecl, modifiers: syntax.Modifiers, instance_at: int, instance: str
    ) -> list[syntax.Decl]:
        """One array without a size is a structured buffer."""
        assert isinstance(only.type, syntax.Index)
        kind = "StructuredBuffer" if "readonly" in modifiers.words else "RWStructuredBuffer"
        only.type = syntax.Apply(only.at, syntax.Name(only.at, kind), [only.type.base])
        if not instance:
            only.modifiers.attributes += modifiers.attributes
            return [only]
        struct = syntax.AggregateDecl(at, block, syntax.Modifiers(), "struct", None, [], None, [only])
        return [struct, syntax.VarDecl(instance_at, instance, modifiers, syntax.Name(at, block), None)]


def _is_unsized(type: syntax.Expr | None) -> bool:
    return isinstance(type, syntax.Index) and not type.arguments


def data_layout(modifiers: syntax.Modifiers) -> str:
    """The name of the layout that `layout(std140)` and its like ask for, "" for none."""
    names = [name for name in _LAYOUTS if modifiers.attribute(f"layout.{name}") is not None]
    return _LAYOUTS[names[0]] if names else ""


def _group_size(at: int, modifiers: syntax.Modifiers) -> syntax.GroupSizeDecl:
    sizes: list[syntax.Expr] = []
    for axis in "xyz":
        attribute = modifiers.attribute(f"layout.local_size_{axis}")
        sizes += attribute.arguments if attribute is not None and attribute.arguments else [syntax.IntLiteral(at, 1)]
    return syntax.GroupSizeDecl(at, syntax.Attribute(at, "numthreads", sizes))
