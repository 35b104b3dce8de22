"""Declarations: variables, functions, types and what else a file has.

struct A : IFoo { int a; }      AggregateDecl("A", "struct", bases=[Name IFoo], members=[VarDecl("a", Name int)])
"""

from typing import final

from reknit.front.slang.syntax.modifiers import Attribute, Modifiers
from reknit.front.slang.syntax.node import Expr, Node
from reknit.front.slang.syntax.statements import Block


class Decl(Node):
    """`at` is the name's position. `name` is "" for what has none."""

    __slots__ = ("name", "modifiers")

    def __init__(self, at: int, name: str, modifiers: Modifiers) -> None:
        super().__init__(at)
        self.name = name
        self.modifiers = modifiers


@final
class TypeParam(Decl):
    """`T`, `T : IFoo & IBar`, `T = int`; a pack `each T` has `pack`."""

    __slots__ = ("constraints", "default", "pack")

    def __init__(self, at: int, name: str, constraints: list[Expr], default: Expr | None, pack: bool = False) -> None:
        super().__init__(at, name, Modifiers())
        self.constraints = constraints
        self.default = default
        self.pack = pack


@final
class ValueParam(Decl):
    """`let N : int`, `int N`, with a default."""

    __slots__ = ("type", "default")

    def __init__(self, at: int, name: str, type: Expr, default: Expr | None) -> None:
        super().__init__(at, name, Modifiers())
        self.type = type
        self.default = default


@final
class Where(Node):
    """`where subject : bounds` or `where subject == equal`."""

    __slots__ = ("subject", "bounds", "equal")

    def __init__(self, at: int, subject: Expr, bounds: list[Expr], equal: Expr | None) -> None:
        super().__init__(at)
        self.subject = subject
        self.bounds = bounds
        self.equal = equal


@final
class Generics:
    """A declaration's generic parameters, in order, and its `where` clauses."""

    __slots__ = ("params", "wheres")

    def __init__(self, params: list[Decl], wheres: list[Where]) -> None:
        self.params = params
        self.wheres = wheres


@final
class VarDecl(Decl):
    """A global, a field, a local or a parameter. `type` None: `let x = ...`, `var x = ...`; words has "let" or "var"
    then. `int a[3], b` are two of these."""

    __slots__ = ("type", "init")

    def __init__(self, at: int, name: str, modifiers: Modifiers, type: Expr | None, init: Expr | None) -> None:
        super().__init__(at, name, modifiers)
        self.type = type
        self.init = init


@final
class FuncDecl(Decl):
    """A function or method; `kind` is "func", "init" (`__init`), "operator" (the name is then "operator+"; words has
    "prefix" or "postfix" for unary ones), "get", "set" or "ref" (accessors). `result` None: an initializer or an
    accessor. `body` None: only declared."""

    __slots__ = ("kind", "generics", "params", "result", "body")

    def __init__(
        self,
        at: int,
        name: str,
        modifiers: Modifiers,
        kind: str,
        generics: Generics | None,
        params: list[VarDecl],
        result: Expr | None,
        body: Block | None,
    ) -> None:
        super().__init__(at, name, modifiers)
        self.kind = kind
        self.generics = generics
        self.params = params
        self.result = result
        self.body = body


@final
class PropertyDecl(Decl):
    """`property name : type { get {...} set {...} }`; `__subscript(params) -> type {...}` has name "subscript" and
    params."""

    __slots__ = ("type", "params", "accessors", "generics")

    def __init__(
        self,
        at: int,
        name: str,
        modifiers: Modifiers,
        type: Expr,
        params: list[VarDecl] | None,
        accessors: list[FuncDecl],
        generics: Generics | None,
    ) -> None:
        super().__init__(at, name, modifiers)
        self.type = type
        self.params = params
        self.accessors = accessors
        self.generics = generics


@final
class AggregateDecl(Decl):
    """struct, class, interface, extension, namespace, cbuffer, tbuffer: `kind` is the word. `target` is an extension's
    type; `alias` is `struct Foo = Bar;` (link-time)."""

    __slots__ = ("kind", "generics", "bases", "target", "members", "alias")

    def __init__(
        self,
        at: int,
        name: str,
        modifiers: Modifiers,
        kind: str,
        generics: Generics | None,
        bases: list[Expr],
        target: Expr | None,
        members: list[Decl] | None,
    ) -> None:
        super().__init__(at, name, modifiers)
        self.kind = kind
        self.generics = generics
        self.bases = bases
        self.target = target
        self.members = members  # None: only declared
        self.alias: Expr | None = None


@final
class EnumCase(Decl):
    __slots__ = ("value",)

    def __init__(self, at: int, name: str, modifiers: Modifiers, value: Expr | None) -> None:
        super().__init__(at, name, modifiers)
        self.value = value


@final
class EnumDecl(Decl):
    """`underlying` None: int."""

    __slots__ = ("underlying", "bases", "cases")

    def __init__(
        self,
        at: int,
        name: str,
        modifiers: Modifiers,
        underlying: Expr | None,
        bases: list[Expr],
        cases: list[EnumCase],
    ) -> None:
        super().__init__(at, name, modifiers)
        self.underlying = underlying
        self.bases = bases
        self.cases = cases


@final
class AliasDecl(Decl):
    """`typedef int Foo;`, `typealias Foo<T> = ...;`."""

    __slots__ = ("generics", "type")

    def __init__(self, at: int, name: str, modifiers: Modifiers, generics: Generics | None, type: Expr) -> None:
        super().__init__(at, name, modifiers)
        self.generics = generics
        self.type = type


@final
class AssocDecl(Decl):
    """`associatedtype D : IBar where ...;`."""

    __slots__ = ("bounds", "wheres")

    def __init__(self, at: int, name: str, modifiers: Modifiers, bounds: list[Expr], wheres: list[Where]) -> None:
        super().__init__(at, name, modifiers)
        self.bounds = bounds
        self.wheres = wheres


@final
class ImportDecl(Decl):
    """`import name;`, `__include name;`, `using name;`, `module name;`: `kind` is the word."""

    __slots__ = ("kind",)

    def __init__(self, at: int, name: str, modifiers: Modifiers, kind: str) -> None:
        super().__init__(at, name, modifiers)
        self.kind = kind


@final
class StaticAssert(Decl):
    __slots__ = ("condition", "message")

    def __init__(self, at: int, condition: Expr, message: str) -> None:
        super().__init__(at, "", Modifiers())
        self.condition = condition
        self.message = message


@final
class GroupSizeDecl(Decl):
    """GLSL's `layout(local_size_x = n) in;` as [numthreads(n, 1, 1)]."""

    __slots__ = ("attribute",)

    def __init__(self, at: int, attribute: Attribute) -> None:
        super().__init__(at, "", Modifiers())
        self.attribute = attribute


@final
class UnsupportedDecl(Decl):
    __slots__ = ("what",)

    def __init__(self, at: int, name: str, what: str) -> None:
        super().__init__(at, name, Modifiers())
        self.what = what


@final
class Unit:
    """A parsed file with everything it includes: its declarations in order. `glsl`: it says `#version` or imports
    `glsl`, so GLSL's names and its operators of vectors and matrices count. `hlsl`: what differs in HLSL is meant as
    there. `column_major` is how matrices lie in memory that don't say it."""

    __slots__ = ("declarations", "glsl", "hlsl", "column_major")

    def __init__(self, declarations: list[Decl]) -> None:
        self.declarations = declarations
        self.glsl = False
        self.hlsl = False
        self.column_major = False
