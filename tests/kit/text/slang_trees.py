"""Slang's syntax trees as short text, for tests.

    x = a + b * 2;          (= x (+ a (* b 2)))
    int a[2], b;            (var a (index int 2)) (var b int)

An expression is a word or a list with its operator or kind first. What a node lacks is left out; `-` stands where that
would be unclear.
"""

from reknit.front.slang import syntax as s
from reknit.front.slang.options import Options
from reknit.front.slang.parse.file import parse_file
from reknit.front.slang.report import Reports


def tree(text: str) -> str:
    """The declarations of a source without errors, with spaces between."""
    unit, reports = parse_file("t.slang", text)
    assert [str(one) for one in reports.diagnostics] == []
    return " ".join(decl(one) for one in unit.declarations)


def expression(text: str) -> str:
    """The tree of one expression, which stands in a function."""
    unit, reports = parse_file("t.slang", f"void f() {{ (void)0;\n{text}; }}")
    assert [str(one) for one in reports.diagnostics] == []
    function = unit.declarations[0]
    assert isinstance(function, s.FuncDecl) and function.body is not None
    assert len(function.body.statements) == 2
    return stmt(function.body.statements[1])


def statement(text: str) -> str:
    """The trees of statements in a function."""
    unit, reports = parse_file("t.slang", f"void f() {{\n{text}\n}}")
    assert [str(one) for one in reports.diagnostics if one.severity == "error"] == []
    function = unit.declarations[0]
    assert isinstance(function, s.FuncDecl) and function.body is not None
    return " ".join(stmt(one) for one in function.body.statements)


def told(text: str, options: Options | None = None) -> list[str]:
    """What is said about a source, a line each: `line:column severity[code]: message`."""
    _, reports = parse_file("t.slang", text, options)
    return said(reports)


def said(reports: Reports) -> list[str]:
    out = []
    for one in reports.diagnostics:
        assert one.place is not None
        out.append(f"{one.place.line}:{one.place.column} {one.severity}[{one.code}]: {one.message}")
    return out


def expr(node: s.Expr) -> str:
    if isinstance(node, s.Binary):
        return _binary(node)
    if isinstance(node, s.Name):
        return ("::" if node.from_global else "") + node.text
    if isinstance(node, s.Keyword):
        return node.text
    if isinstance(node, s.IntLiteral):
        return f"{'-' if node.negative else ''}{node.value}{node.suffix}{'' if node.decimal else '#'}"
    if isinstance(node, s.FloatLiteral):
        return f"{node.value}{node.suffix}"
    if isinstance(node, s.BoolLiteral):
        return str(node.value).lower()
    if isinstance(node, s.StringLiteral):
        return repr(node.value)
    if isinstance(node, s.Member):
        return f"({'->' if node.arrow else '::' if node.static else '.'} {expr(node.base)} {node.name})"
    if isinstance(node, s.Index):
        return _list("index", [node.base, *node.arguments])
    if isinstance(node, s.Apply):
        return _list("of", [node.base, *node.arguments])
    if isinstance(node, s.Call):
        return _list("call", [node.callee, *node.arguments])
    if isinstance(node, s.Unary):
        return f"({'post' if node.postfix else ''}{node.op} {expr(node.operand)})"
    if isinstance(node, s.Assign):
        return f"({node.op} {expr(node.target)} {expr(node.value)})"
    if isinstance(node, s.Conditional):
        return _list("?", [node.condition, node.then, node.otherwise])
    if isinstance(node, s.Cast):
        return _list("cast", [node.type, node.value])
    if isinstance(node, s.InitList):
        return _list("list", node.arguments)
    if isinstance(node, s.Is):
        return _list("is", [node.value, node.type])
    if isinstance(node, s.As):
        return _list("as", [node.value, node.type])
    if isinstance(node, s.ModifiedType):
        return f"({node.modifier} {expr(node.base)})"
    if isinstance(node, s.Lambda):
        body = stmt(node.body) if isinstance(node.body, s.Block) else expr(node.body)  # type: ignore[arg-type]
        return f"(lambda ({' '.join(decl(one) for one in node.params)}) {body})"
    if isinstance(node, s.Try):
        return f"(try {expr(node.value)})"
    if isinstance(node, s.Each):
        return f"(each {expr(node.pack)})"
    if isinstance(node, s.Expand):
        return f"(expand {expr(node.pattern)})"
    if isinstance(node, s.SpirvAsm):
        return f"(asm {' '.join(asm(one) for one in node.instructions)})"
    assert isinstance(node, s.Unsupported), node
    return f"<{node.what}>"


def asm(node: s.AsmInstruction) -> str:
    """`[%y : int = OpIAdd %x 2]`."""
    result = "" if node.result is None else f"{asm_operand(node.result)}"
    typed = "" if node.type is None else f" : {asm_operand(node.type)}"
    words = [node.name, *[asm_operand(one) for one in node.operands]]
    return f"[{result}{typed}{' = ' if result else ''}{' '.join(words)}]"


def asm_operand(node: s.AsmOperand) -> str:
    sign = node.kind if node.kind in ("%", "$", "&", "$$") else ""
    return sign + (node.text if node.value is None else expr(node.value))


def _list(head: str, nodes: list[s.Expr]) -> str:
    return f"({' '.join([head, *[expr(node) for node in nodes]])})"


def _binary(node: s.Binary) -> str:
    """Down the left side with a loop: it may be long."""
    tail: list[str] = []
    heads: list[str] = []
    left: s.Expr = node
    while isinstance(left, s.Binary):
        heads.append(f"({left.op} ")
        tail.append(f" {expr(left.right)})")
        left = left.left
    return "".join(heads) + expr(left) + "".join(reversed(tail))


def stmt(node: s.Stmt) -> str:
    if isinstance(node, s.Block):
        return "{" + " ".join(stmt(one) for one in node.statements) + "}"
    if isinstance(node, s.DeclStmt):
        return " ".join(decl(one) for one in node.declarations)
    if isinstance(node, s.ExprStmt):
        return expr(node.value)
    if isinstance(node, s.If):
        head = decl(node.binding) if node.binding is not None else expr(node.condition)
        return _marked(node.attributes) + f"(if {head} {stmt(node.then)}" + _else(node.otherwise)
    if isinstance(node, s.For):
        parts = [stmt(node.first) if node.first else "-", expr(node.condition) if node.condition else "-"]
        parts += [expr(node.step) if node.step else "-", stmt(node.body)]
        return _marked(node.attributes) + f"(for {' '.join(parts)})"
    if isinstance(node, s.While):
        return _marked(node.attributes) + f"(while {expr(node.condition)} {stmt(node.body)})"
    if isinstance(node, s.DoWhile):
        return _marked(node.attributes) + f"(do {stmt(node.body)} {expr(node.condition)})"
    if isinstance(node, s.Switch):
        groups = [
            f"[{' '.join(expr(label.value) if label.value else 'default' for label in group.labels)}:"
            f"{''.join(' ' + stmt(one) for one in group.statements)}]"
            for group in node.groups
        ]
        return _marked(node.attributes) + f"(switch {' '.join([expr(node.value), *groups])})"
    if isinstance(node, s.Jump):
        return f"({node.kind}{' ' + node.label if node.label else ''})"
    if isinstance(node, s.Return):
        return f"(return{' ' + expr(node.value) if node.value else ''})"
    if isinstance(node, s.Defer):
        return f"(defer {stmt(node.body)})"
    if isinstance(node, s.Throw):
        return f"(throw {expr(node.value)})"
    if isinstance(node, s.DoCatch):
        return f"(do {stmt(node.body)}{''.join(_catch(one) for one in node.catches)})"
    if isinstance(node, s.Labelled):
        return f"({node.name}: {stmt(node.body)})"
    assert isinstance(node, s.UnsupportedStmt), node
    return f"<{node.what}>"


def _catch(node: s.Catch) -> str:
    return f" catch {decl(node.param) + ' ' if node.param is not None else ''}{stmt(node.body)}"


def _else(node: s.Stmt | None) -> str:
    return f" else {stmt(node)})" if node is not None else ")"


def _marked(attributes: list[s.Attribute]) -> str:
    return "".join(_attribute(one) for one in attributes)


def _attribute(one: s.Attribute) -> str:
    return f"[{' '.join([one.name, *[expr(value) for value in one.arguments]])}]"


def modifiers(node: s.Modifiers) -> str:
    """Before the name: attributes and words; semantics and registers are printed after it."""
    return _marked(node.attributes) + "".join(f"{word} " for word in node.words)


def _after(node: s.Modifiers) -> str:
    out = f" :{node.semantic}" if node.semantic else ""
    return out + "".join(f" :{one.kind}({','.join(one.arguments)})" for one in node.registers)


def generics(node: s.Generics | None) -> str:
    if node is None:
        return ""
    wheres = "".join(
        f" where{' optional' if one.optional else ''} {expr(one.subject)}"
        + (f"({expr(one.bounds[0])})" if one.conversion else "".join(f" : {expr(bound)}" for bound in one.bounds))
        + ("" if one.equal is None else f" == {expr(one.equal)}")
        for one in node.wheres
    )
    return f"<{' '.join(decl(one) for one in node.params)}{wheres}>"


def decl(node: s.Decl) -> str:
    before, after = modifiers(node.modifiers), _after(node.modifiers)
    if isinstance(node, s.VarDecl):
        type = f" {expr(node.type)}" if node.type is not None else ""
        init = f" = {expr(node.init)}" if node.init is not None else ""
        return f"({before}var {node.name}{type}{after}{init})"
    if isinstance(node, s.FuncDecl):
        params = "".join(" " + decl(one) for one in node.params)
        result = f" -> {expr(node.result)}" if node.result is not None else ""
        body = f" {stmt(node.body)}" if node.body is not None else ""
        return f"({before}{node.kind} {node.name}{generics(node.generics)}{params}{result}{after}{body})"
    if isinstance(node, s.TypeParam):
        bounds = "".join(f" : {expr(one)}" for one in node.constraints)
        default = f" = {expr(node.default)}" if node.default is not None else ""
        return f"({'pack' if node.pack else 'type'} {node.name}{bounds}{default})"
    if isinstance(node, s.ValueParam):
        default = f" = {expr(node.default)}" if node.default is not None else ""
        return f"(value {node.name} {expr(node.type)}{default})"
    if isinstance(node, s.AggregateDecl):
        target = f" {expr(node.target)}" if node.target is not None else ""
        bases = "".join(f" : {expr(one)}" for one in node.bases)
        alias = f" = {expr(node.alias)}" if node.alias is not None else ""
        members = "" if node.members is None else " {" + " ".join(decl(one) for one in node.members) + "}"
        name = f" {node.name}" if node.name else ""
        return f"({before}{node.kind}{name}{generics(node.generics)}{target}{bases}{alias}{after}{members})"
    if isinstance(node, s.EnumDecl):
        bases = "".join(f" : {expr(one)}" for one in node.bases)
        return f"({before}enum {node.name}{bases} {{{' '.join(decl(one) for one in node.cases)}}})"
    if isinstance(node, s.EnumCase):
        return node.name + (f" = {expr(node.value)}" if node.value is not None else "")
    if isinstance(node, s.PropertyDecl):
        params = "" if node.params is None else "".join(" " + decl(one) for one in node.params)
        accessors = "".join(" " + decl(one) for one in node.accessors)
        return f"({before}property {node.name}{generics(node.generics)}{params} -> {expr(node.type)}{accessors})"
    if isinstance(node, s.AliasDecl):
        return f"({before}alias {node.name}{generics(node.generics)} {expr(node.type)})"
    if isinstance(node, s.AssocDecl):
        bounds = "".join(f" : {expr(one)}" for one in node.bounds)
        return f"({before}associated {node.name}{bounds}{generics(s.Generics([], node.wheres))})"
    if isinstance(node, s.ImportDecl):
        return f"({before}{node.kind} {node.name})"
    if isinstance(node, s.StaticAssert):
        return f"(static_assert {expr(node.condition)} {node.message!r})"
    if isinstance(node, s.GroupSizeDecl):
        return f"(group_size {' '.join(expr(one) for one in node.attribute.arguments)})"
    assert isinstance(node, s.UnsupportedDecl), node
    return f"<{node.what}>"
