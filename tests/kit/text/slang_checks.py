"""What the Slang checker makes of small sources, as short text, for tests.

    checked("int f(int a) { return a + 1.5; }")      the Program; fails where anything is said
    value("1 + 2u")                                  "(+ 1:uint 2:uint):uint"
    said("int f() { return x; }")                    ["E30015 1:18"]

An expression is `(kind parts):type` or, for what has a name, the name.
"""


from reknit.front.slang import hir
from reknit.front.slang.check import Options, check
from reknit.front.slang.parse.file import parse_file
from reknit.front.slang.report import Reports
from reknit.front.slang.symbols import Function, Program
from reknit.source import explain
from reknit.source.diagnostic import ERROR

OPTIONS = {"E38000": Options(entries=["computeMain"]), "E30524": Options(version=2026)}
OTHERS = ("E30102", "E39999", "E41002", "E41003", "E41014", "E41019")
"""Of the parser or of the lowering, or of several."""
PAGES = [
    code
    for code in explain.codes()
    if code.startswith(("E29", "E30", "E31", "E32", "E33", "E38", "E4")) and code not in OTHERS
]


def run(text: str, options: Options | None = None) -> tuple[Program, Reports]:
    unit, reports = parse_file("t.slang", text)
    assert [str(one) for one in reports.diagnostics if one.severity == ERROR] == []
    return check(unit, reports.sources, reports, options), reports


def checked(text: str, options: Options | None = None) -> Program:
    program, reports = run(text, options)
    assert [str(one) for one in reports.diagnostics] == []
    return program


def said(text: str, options: Options | None = None) -> list[str]:
    """`E30015 2:7`, warnings with a W before."""
    return noted(run(text, options)[1])


def noted(reports: Reports) -> list[str]:
    """Diagnostics as `said` has them."""
    found: list[str] = []
    for one in reports.diagnostics:
        assert one.place is not None
        sign = "" if one.severity == ERROR else "W "
        found.append(f"{sign}{one.code} {one.place.line}:{one.place.column}")
    return found


def function(program: Program, name: str) -> Function:
    """The one whose path is `name`."""
    found = [one for one in program.functions if one.path == name]
    assert len(found) == 1, [one.path for one in program.functions]
    return found[0]


def statements(program: Program, name: str) -> list[hir.Stmt]:
    body = function(program, name).body
    assert body is not None
    return body.statements


def returned(text: str, name: str = "f") -> str:
    """What function `name` returns at its end."""
    last = statements(checked(text), name)[-1]
    assert isinstance(last, hir.Return) and last.value is not None
    return shown(last.value)


def results(program: Program, name: str) -> list[str]:
    """What a function's first statements return."""
    found = [one for one in statements(program, name) if isinstance(one, hir.Return)]
    return ["" if one.value is None else shown(one.value) for one in found]


def value(text: str, before: str = "", params: str = "") -> str:
    """One expression in a function with these parameters."""
    last = statements(checked(f"{before}\nvoid f({params}) {{ {text}; }}"), "f")[-1]
    assert isinstance(last, hir.Eval)
    return shown(last.value)


def shown(expr: hir.Expr) -> str:
    """Short text of an expression."""
    type = f":{expr.type}"
    if isinstance(expr, hir.Const):
        return f"{expr.value}{type}"
    if isinstance(expr, hir.GenericValue):
        return f"{expr.value}{type}"
    if isinstance(expr, hir.Place):
        return expr.variable.name
    if isinstance(expr, hir.Field):
        return f"{shown(expr.base)}.{expr.field.name}"
    if isinstance(expr, hir.Element):
        return f"{shown(expr.base)}[{shown(expr.index)}]"
    if isinstance(expr, hir.Swizzle):
        return f"{shown(expr.base)}.{''.join('xyzw'[index] for index in expr.indices)}"
    if isinstance(expr, (hir.Binary, hir.ShortCircuit)):
        return f"({expr.op} {shown(expr.left)} {shown(expr.right)}){type}"
    if isinstance(expr, hir.Unary):
        return f"({expr.op} {shown(expr.operand)}){type}"
    if isinstance(expr, (hir.Assign, hir.Update)):
        op = "=" if isinstance(expr, hir.Assign) else f"{expr.op}="
        return f"({op} {shown(expr.target)} {shown(expr.value)})"
    if isinstance(expr, hir.Conditional):
        return f"(? {shown(expr.condition)} {shown(expr.then)} {shown(expr.otherwise)}){type}"
    if isinstance(expr, hir.Opened):
        return f"(open {shown(expr.opening.value)} {shown(expr.body)})"
    if isinstance(expr, hir.OpenedValue):
        return "payload"
    if isinstance(expr, hir.PropertyPlace):
        name = "" if expr.getter is None else expr.getter.name
        return f"({name} {shown(expr.base) if expr.base is not None else ''}{type})"
    return _compound(expr, type)


def _compound(expr: hir.Expr, type: str) -> str:
    """A kind and its parts."""
    parts: list[hir.Expr] = []
    kind = expr.__class__.__name__.lower()
    if isinstance(expr, (hir.Call, hir.WitnessCall, hir.Intrinsic)):
        parts = expr.arguments
        if isinstance(expr, hir.Call):
            kind = expr.function.path
            inner = ", ".join(str(one) for one in expr.substitution.types.values())
            kind += f"<{inner}>" if inner else ""
        elif isinstance(expr, hir.WitnessCall):
            kind = f"{expr.witness.__class__.__name__} {expr.requirement.path}"
        else:
            kind = expr.name
    elif isinstance(expr, (hir.Construct, hir.Sequence)):
        parts = expr.parts
    elif isinstance(expr, (hir.Convert, hir.Splat, hir.MakeExistential, hir.MakeSome, hir.HasValue, hir.GetValue,
                           hir.Reinterpret, hir.IsType, hir.AsType)):  # fmt: skip
        parts = [expr.value]
    elif isinstance(expr, hir.CreateObject):
        parts = [expr.id, expr.payload]
    elif isinstance(expr, hir.CopyBack):
        parts = [expr.place]
    elif isinstance(expr, hir.Deref):
        parts = [expr.base]
    words = " ".join([kind, *[shown(part) for part in parts]])
    return f"({words}){type}"
