"""HLSL's templates, which are those of C++.

    template<typename T, uint N = 4> T f(T a[N]) {...}  TemplateDecl([TypeParam(T), ValueParam(N, uint, 4)], FuncDecl f)
    template<class T> struct S {...};                   TemplateDecl([TypeParam(T)], AggregateDecl S)
    template<> struct S<int> {...};                     SpecializationDecl([int], AggregateDecl S)
    template<> int f<int>(int a[4]) {...}               SpecializationDecl([int], FuncDecl f)
    template<typename T> struct S<T, 0> {...};          SpecializationDecl([TypeParam(T)], [T, 0], AggregateDecl S)

Source: Microsoft's HLSL specification, "Templates"; ISO C++ [temp].
"""

from typing import TYPE_CHECKING

from reknit.front.slang.syntax import (
    AggregateDecl,
    Decl,
    FuncDecl,
    SpecializationDecl,
    TemplateDecl,
    TypeParam,
    ValueParam,
)
from reknit.front.slang.tokens import END, NAME

if TYPE_CHECKING:
    from reknit.front.slang.parse.declarations import DeclarationParser


def template(parser: "DeclarationParser", at: int) -> list[Decl]:
    """What follows the word `template`, which stood at `at`."""
    tokens = parser.tokens
    params: list[Decl] = []
    is_explicit = tokens.texts[tokens.pos + 1] == ">"
    refused = _parameters(parser, params) or _unread(parser, is_explicit)
    if refused:
        return parser.read_over(at, refused)
    if is_explicit or tokens.text in ("struct", "class") and tokens.texts[tokens.pos + 2] == "<":
        return _specialization(parser, params)
    decls = parser.declaration(parser.modifiers.read())
    return [_wrapped(params, decl) for decl in decls]


def _specialization(parser: "DeclarationParser", params: list[Decl]) -> list[Decl]:
    functions = parser.functions
    functions.arguments = []
    functions.specializes = True
    decls = parser.declaration(parser.modifiers.read())
    functions.specializes = False
    arguments, functions.arguments = functions.arguments, []
    return [
        SpecializationDecl(decl.at, params, arguments, decl) if isinstance(decl, (FuncDecl, AggregateDecl)) else decl
        for decl in decls
    ]


def _wrapped(params: list[Decl], decl: Decl) -> Decl:
    """A function or a struct; what else stands there was declared in its type."""
    if isinstance(decl, FuncDecl) or (isinstance(decl, AggregateDecl) and not decl.name.startswith("$")):
        return TemplateDecl(decl.at, params, decl)
    return decl


def _parameters(parser: "DeclarationParser", params: list[Decl]) -> str:
    """`<...>` into `params`; what is there that isn't read, "" for nothing."""
    tokens = parser.tokens
    parser.look.angle_end(tokens.pos)
    tokens.pos += 1
    around, tokens.in_angles = tokens.in_angles, True
    refused = ""
    while not refused and tokens.text != ">" and tokens.kinds[tokens.pos] != END:
        refused = _parameter(parser, params)
        if not tokens.take_if(","):
            break
    tokens.in_angles = around
    if not refused:
        parser.types.close_angle()
    return refused


def _parameter(parser: "DeclarationParser", params: list[Decl]) -> str:
    tokens = parser.tokens
    if tokens.text == "template":
        return "templates as parameters of templates"
    is_type = tokens.text in ("typename", "class")
    if is_type:
        tokens.pos += 1
        type = None
    else:
        type = parser.types.type_expression()
    if tokens.text == "...":
        return "packs of template parameters"
    at = tokens.at
    name = tokens.expect_name() if tokens.name_next() else ""
    if type is not None:
        params.append(ValueParam(at, name, type, parser.expressions.initial()))
    else:
        default = parser.types.type_expression() if tokens.take_if("=") else None
        params.append(TypeParam(at, name, [], default))
    return ""


def _unread(parser: "DeclarationParser", is_explicit: bool) -> str:
    """What stands behind the parameters that is neither a function nor a struct, or a template for some arguments."""
    tokens = parser.tokens
    if tokens.text == "template":
        return "templates of templates"
    if tokens.text in ("using", "typedef", "typealias"):
        return "templates of names for types"
    named = tokens.text in ("struct", "class") and tokens.kinds[tokens.pos + 1] == NAME
    if named and tokens.texts[tokens.pos + 2] == "<":
        return ""
    at = tokens.pos
    while tokens.kinds[at] != END and tokens.texts[at] not in ("(", "{", ";", "=", "}"):
        if tokens.texts[at] == "<":
            end = parser.look.angle_end(at)
            if end > 0 and tokens.texts[end + 1] == "(":
                return "" if is_explicit else "partial specializations of templates"
            if end > 0 and tokens.texts[end + 1] == "::":
                return "members of templates that are defined outside of them"
            at = max(end, at)
        at += 1
    return "templates of variables" if not named and tokens.texts[at] not in ("(", "{") else ""
