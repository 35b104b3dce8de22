"""What was written: the syntax tree of a Slang module.

    struct Box<T : IFoo> : IBar { T value; int get() { return value.foo(1); } }

    StructDecl(name="Box", generics=Generics([TypeParam("T", [Name("IFoo")])]), bases=[Name("IBar")],
               members=[VarDecl("value", type=Name("T")), FuncDecl("get", ...)])

Types and values share one grammar (`Foo<int>(x)`), so both are expressions here; the checker tells them apart. `at` is
a position of `sources`. A chain of binary operators leans left and may be long: walk its spine with a loop. The same
goes for `else if`. Everything else nests at most `parse.NESTING` deep.
"""

from typing import final


class Node:
    __slots__ = ("at",)

    def __init__(self, at: int) -> None:
        self.at = at


# ---- expressions and types


class Expr(Node):
    __slots__ = ()


@final
class Name(Expr):
    """`x`, `int`, `float4`, `MyType`; `::x` has `from_global`."""

    __slots__ = ("text", "from_global")

    def __init__(self, at: int, text: str, from_global: bool = False) -> None:
        super().__init__(at)
        self.text = text
        self.from_global = from_global


@final
class IntLiteral(Expr):
    """`suffix` is lower case and sorted out: "", "u", "l", "ul", "ll", "ull", "z", "uz". A character's value too.
    `decimal`: not written in another base, whose literals may be unsigned without saying so."""

    __slots__ = ("value", "suffix", "decimal")

    def __init__(self, at: int, value: int, suffix: str = "", decimal: bool = True) -> None:
        super().__init__(at)
        self.value = value
        self.suffix = suffix
        self.decimal = decimal


@final
class FloatLiteral(Expr):
    """`suffix`: "" or "f" (float), "h" (half), "l" or "lf" (double)."""

    __slots__ = ("value", "suffix")

    def __init__(self, at: int, value: float, suffix: str = "") -> None:
        super().__init__(at)
        self.value = value
        self.suffix = suffix


@final
class BoolLiteral(Expr):
    __slots__ = ("value",)

    def __init__(self, at: int, value: bool) -> None:
        super().__init__(at)
        self.value = value


@final
class StringLiteral(Expr):
    __slots__ = ("value",)

    def __init__(self, at: int, value: str) -> None:
        super().__init__(at)
        self.value = value


@final
class Keyword(Expr):
    """`this`, `This`, `none`, `nullptr`."""

    __slots__ = ("text",)

    def __init__(self, at: int, text: str) -> None:
        super().__init__(at)
        self.text = text


@final
class Member(Expr):
    """`base.name`, `base->name` (`arrow`), `base::name` (`static`). `at` is the name's."""

    __slots__ = ("base", "name", "arrow", "static")

    def __init__(self, at: int, base: Expr, name: str, arrow: bool = False, static: bool = False) -> None:
        super().__init__(at)
        self.base = base
        self.name = name
        self.arrow = arrow
        self.static = static


@final
class Index(Expr):
    """`base[a, b]`; `base[]` in types. Array types too: `int[3]` and a declarator's `x[3]` become this."""

    __slots__ = ("base", "arguments")

    def __init__(self, at: int, base: Expr, arguments: list[Expr]) -> None:
        super().__init__(at)
        self.base = base
        self.arguments = arguments


@final
class Apply(Expr):
    """`base<arguments>`: a generic with its arguments."""

    __slots__ = ("base", "arguments")

    def __init__(self, at: int, base: Expr, arguments: list[Expr]) -> None:
        super().__init__(at)
        self.base = base
        self.arguments = arguments


@final
class Call(Expr):
    """`callee(arguments)`, constructors among them."""

    __slots__ = ("callee", "arguments")

    def __init__(self, at: int, callee: Expr, arguments: list[Expr]) -> None:
        super().__init__(at)
        self.callee = callee
        self.arguments = arguments


@final
class Unary(Expr):
    """Prefix: - + ! ~ ++ -- & *; postfix ("x++", "x--") have `postfix`. `op` is the operator's text."""

    __slots__ = ("op", "operand", "postfix")

    def __init__(self, at: int, op: str, operand: Expr, postfix: bool = False) -> None:
        super().__init__(at)
        self.op = op
        self.operand = operand
        self.postfix = postfix


@final
class Binary(Expr):
    """`left op right`, && and || and the comma among them. `at` is the operator's."""

    __slots__ = ("op", "left", "right")

    def __init__(self, at: int, op: str, left: Expr, right: Expr) -> None:
        super().__init__(at)
        self.op = op
        self.left = left
        self.right = right


@final
class Assign(Expr):
    """`target op value`: op is "=", "+=", ..."""

    __slots__ = ("op", "target", "value")

    def __init__(self, at: int, op: str, target: Expr, value: Expr) -> None:
        super().__init__(at)
        self.op = op
        self.target = target
        self.value = value


@final
class Conditional(Expr):
    """`condition ? then : otherwise`."""

    __slots__ = ("condition", "then", "otherwise")

    def __init__(self, at: int, condition: Expr, then: Expr, otherwise: Expr) -> None:
        super().__init__(at)
        self.condition = condition
        self.then = then
        self.otherwise = otherwise


@final
class Cast(Expr):
    """`(type)value`."""

    __slots__ = ("type", "value")

    def __init__(self, at: int, type: Expr, value: Expr) -> None:
        super().__init__(at)
        self.type = type
        self.value = value


@final
class InitList(Expr):
    """`{ a, b }`."""

    __slots__ = ("arguments",)

    def __init__(self, at: int, arguments: list[Expr]) -> None:
        super().__init__(at)
        self.arguments = arguments


@final
class Is(Expr):
    """`value is type`."""

    __slots__ = ("value", "type")

    def __init__(self, at: int, value: Expr, type: Expr) -> None:
        super().__init__(at)
        self.value = value
        self.type = type


@final
class As(Expr):
    """`value as type`."""

    __slots__ = ("value", "type")

    def __init__(self, at: int, value: Expr, type: Expr) -> None:
        super().__init__(at)
        self.value = value
        self.type = type


@final
class ModifiedType(Expr):
    """`dyn IFoo`, `some IFoo`, `const T`, `T*` ("*"), `T?` ("?"), `no_diff T`: `modifier` is the word."""

    __slots__ = ("modifier", "base")

    def __init__(self, at: int, modifier: str, base: Expr) -> None:
        super().__init__(at)
        self.modifier = modifier
        self.base = base


@final
class Lambda(Expr):
    """`(int x) => x + 1` (body is an Expr) or `(int x) => { ... }` (a Block)."""

    __slots__ = ("params", "body")

    def __init__(self, at: int, params: "list[VarDecl]", body: Node) -> None:
        super().__init__(at)
        self.params = params
        self.body = body


@final
class Try(Expr):
    """`try f(x)`."""

    __slots__ = ("value",)

    def __init__(self, at: int, value: Expr) -> None:
        super().__init__(at)
        self.value = value


@final
class Unsupported(Expr):
    """Something of Slang that parses and that this front-end does not take further; `what` names it for the message."""

    __slots__ = ("what",)

    def __init__(self, at: int, what: str) -> None:
        super().__init__(at)
        self.what = what


# ---- modifiers


@final
class Attribute(Node):
    """`[name(arguments)]`, `[[vk::binding(0, 1)]]` (name "vk::binding")."""

    __slots__ = ("name", "arguments")

    def __init__(self, at: int, name: str, arguments: list[Expr]) -> None:
        super().__init__(at)
        self.name = name
        self.arguments = arguments


@final
class Register(Node):
    """`: register(u0, space1)` and `: packoffset(c0.x)`: `kind` is the word, `arguments` are as written."""

    __slots__ = ("kind", "arguments")

    def __init__(self, at: int, kind: str, arguments: list[str]) -> None:
        super().__init__(at)
        self.kind = kind
        self.arguments = arguments


@final
class Modifiers:
    """What stands before a declaration and after its name. `words` has static, const, in, out, inout, uniform,
    groupshared, public, private, internal, override, extern, export, throws..., each with its position. `throws` is
    the type of a function's errors."""

    __slots__ = ("words", "attributes", "semantic", "registers", "throws")

    def __init__(self) -> None:
        self.words: dict[str, int] = {}
        self.attributes: list[Attribute] = []
        self.semantic = ""
        self.registers: list[Register] = []
        self.throws: Expr | None = None

    def attribute(self, name: str) -> Attribute | None:
        """The first attribute of that name, whatever its case (HLSL's are case-insensitive)."""
        lower = name.lower()
        for attribute in self.attributes:
            if attribute.name.lower() == lower:
                return attribute
        return None


# ---- statements


class Stmt(Node):
    __slots__ = ()


@final
class Block(Stmt):
    __slots__ = ("statements", "end")

    def __init__(self, at: int, statements: list[Stmt], end: int) -> None:
        super().__init__(at)
        self.statements = statements
        self.end = end  # the closing brace


@final
class DeclStmt(Stmt):
    """Variables, or a type declared inside a function."""

    __slots__ = ("declarations",)

    def __init__(self, at: int, declarations: "list[Decl]") -> None:
        super().__init__(at)
        self.declarations = declarations


@final
class ExprStmt(Stmt):
    __slots__ = ("value",)

    def __init__(self, at: int, value: Expr) -> None:
        super().__init__(at)
        self.value = value


@final
class If(Stmt):
    """`if (condition)`, or `if (let x = value)` (`binding` is the variable; condition is then its value)."""

    __slots__ = ("condition", "binding", "then", "otherwise", "attributes")

    def __init__(
        self,
        at: int,
        condition: Expr,
        binding: "VarDecl | None",
        then: Stmt,
        otherwise: Stmt | None,
        attributes: list[Attribute],
    ) -> None:
        super().__init__(at)
        self.condition = condition
        self.binding = binding
        self.then = then
        self.otherwise = otherwise
        self.attributes = attributes


@final
class For(Stmt):
    __slots__ = ("first", "condition", "step", "body", "attributes")

    def __init__(
        self,
        at: int,
        first: Stmt | None,
        condition: Expr | None,
        step: Expr | None,
        body: Stmt,
        attributes: list[Attribute],
    ) -> None:
        super().__init__(at)
        self.first = first
        self.condition = condition
        self.step = step
        self.body = body
        self.attributes = attributes


@final
class While(Stmt):
    __slots__ = ("condition", "body", "attributes")

    def __init__(self, at: int, condition: Expr, body: Stmt, attributes: list[Attribute]) -> None:
        super().__init__(at)
        self.condition = condition
        self.body = body
        self.attributes = attributes


@final
class DoWhile(Stmt):
    __slots__ = ("body", "condition", "attributes")

    def __init__(self, at: int, body: Stmt, condition: Expr, attributes: list[Attribute]) -> None:
        super().__init__(at)
        self.body = body
        self.condition = condition
        self.attributes = attributes


@final
class CaseLabel(Node):
    """`case value:`; None is `default:`."""

    __slots__ = ("value",)

    def __init__(self, at: int, value: Expr | None) -> None:
        super().__init__(at)
        self.value = value


@final
class CaseGroup(Node):
    """Labels that stand together and the statements after them, up to the next label."""

    __slots__ = ("labels", "statements")

    def __init__(self, at: int, labels: list[CaseLabel], statements: list[Stmt]) -> None:
        super().__init__(at)
        self.labels = labels
        self.statements = statements


@final
class Switch(Stmt):
    __slots__ = ("value", "groups", "attributes")

    def __init__(self, at: int, value: Expr, groups: list[CaseGroup], attributes: list[Attribute]) -> None:
        super().__init__(at)
        self.value = value
        self.groups = groups
        self.attributes = attributes


@final
class Jump(Stmt):
    """`break`, `break label`, `continue`, `discard`: `kind` is the word, `label` may be ""."""

    __slots__ = ("kind", "label")

    def __init__(self, at: int, kind: str, label: str = "") -> None:
        super().__init__(at)
        self.kind = kind
        self.label = label


@final
class Return(Stmt):
    __slots__ = ("value",)

    def __init__(self, at: int, value: Expr | None) -> None:
        super().__init__(at)
        self.value = value


@final
class Defer(Stmt):
    __slots__ = ("body",)

    def __init__(self, at: int, body: Stmt) -> None:
        super().__init__(at)
        self.body = body


@final
class Labelled(Stmt):
    """`name: statement`."""

    __slots__ = ("name", "body")

    def __init__(self, at: int, name: str, body: Stmt) -> None:
        super().__init__(at)
        self.name = name
        self.body = body


@final
class Throw(Stmt):
    __slots__ = ("value",)

    def __init__(self, at: int, value: Expr) -> None:
        super().__init__(at)
        self.value = value


@final
class Catch(Node):
    """`catch (name : type) body`; `param` None catches whatever is thrown."""

    __slots__ = ("param", "body")

    def __init__(self, at: int, param: "VarDecl | None", body: Stmt) -> None:
        super().__init__(at)
        self.param = param
        self.body = body


@final
class DoCatch(Stmt):
    """`do body catch ...`, with at least one catch."""

    __slots__ = ("body", "catches")

    def __init__(self, at: int, body: Stmt, catches: list[Catch]) -> None:
        super().__init__(at)
        self.body = body
        self.catches = catches


@final
class UnsupportedStmt(Stmt):
    __slots__ = ("what",)

    def __init__(self, at: int, what: str) -> None:
        super().__init__(at)
        self.what = what


# ---- declarations


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
class UnsupportedDecl(Decl):
    __slots__ = ("what",)

    def __init__(self, at: int, name: str, what: str) -> None:
        super().__init__(at, name, Modifiers())
        self.what = what


@final
class Unit:
    """A parsed file with everything it includes: its declarations in order."""

    __slots__ = ("declarations",)

    def __init__(self, declarations: list[Decl]) -> None:
        self.declarations = declarations
