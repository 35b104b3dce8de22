"""Checked programs put together by hand, as the checker would give them.

    made = Made()
    out = made.buffer("out", INT)
    tid = made.tid()
    made.run([...statements...])       module of main(uint3 tid : SV_DispatchThreadID), 8 invocations
"""

from reknit.front.slang import hir
from reknit.front.slang.conformances import Evidence
from reknit.front.slang.hir import Expr, Stmt
from reknit.front.slang.lower.lower import lower
from reknit.front.slang.report import Reports
from reknit.front.slang.sources import Sources
from reknit.front.slang.substitute import Substitution
from reknit.front.slang.symbols import (
    Conformance,
    Environment,
    Field,
    Function,
    Interface,
    Program,
    Requirement,
    Struct,
    Variable,
)
from reknit.front.slang.types import (
    BOOL,
    INT,
    UINT,
    VOID,
    ConstType,
    InterfaceType,
    ResourceType,
    StructType,
    ThisType,
    Type,
    VectorType,
)
from reknit.ir.module import Module
from reknit.ir.verify.run import verify

NONE = Environment([], [])
COMPARISONS = ("==", "!=", "<", "<=", ">", ">=")


class Made:
    """A program with an entry point `main`."""

    def __init__(self) -> None:
        self.program = Program()
        self.sources = Sources()
        self.sources.add("hand.slang", "")
        self.reports = Reports(self.sources)
        self.number = 0
        self.main = self.function("main", [], VOID)
        self.main.entry = "compute"
        self.main.group_size = [8, 1, 1]
        self.thread = self.variable("tid", VectorType(UINT, ConstType(3)), "entry")
        self.thread.semantic = "SV_DISPATCHTHREADID"
        self.main.params.append(self.thread)
        self.program.entries.append(self.main)

    def next(self) -> int:
        self.number += 1
        return self.number

    # ---- symbols

    def function(self, name: str, params: list[Variable], result: Type) -> Function:
        made = Function(name, self.next(), 0, "", NONE)
        made.params = params
        made.result = result
        return made

    def variable(self, name: str, type: Type, kind: str = "local", direction: str = "in") -> Variable:
        return Variable(name, self.next(), 0, kind, type, direction)

    def buffer(self, name: str, element: Type) -> Variable:
        made = self.variable(name, ResourceType("RWStructuredBuffer", element), "uniform")
        self.program.globals.append(made)
        return made

    def struct(self, name: str, fields: list[tuple[str, Type]]) -> Struct:
        made = Struct(name, self.next(), 0, name, NONE)
        made.fields = [Field(field, self.next(), 0, type) for field, type in fields]
        self.program.structs.append(made)
        return made

    def interface(self, name: str, method: str, params: list[Variable], result: Type) -> tuple[Interface, Requirement]:
        """An interface with one method."""
        made = Interface(name, self.next(), 0, name, NONE)
        requirement = Requirement(method, self.next(), 0, "method", made)
        requirement.function = self.function(method, params, result)
        requirement.function.this = self.variable("this", ThisType(made), "this")
        made.requirements.append(requirement)
        self.program.interfaces.append(made)
        return made, requirement

    def conform(self, struct: Struct, interface: Interface, requirement: Requirement, method: Function) -> Conformance:
        type = StructType(struct, [])
        made = Conformance(self.next(), 0, type, InterfaceType(interface, []), NONE)
        made.methods[requirement] = (method, Substitution())
        self.program.conformances.append(made)
        return made

    # ---- expressions

    def index(self) -> Expr:
        """tid.x"""
        return hir.Swizzle(0, UINT, place(self.thread), [0])

    def run(self, statements: list[Stmt]) -> Module:
        """The module, which `verify` finds nothing wrong with."""
        self.main.body = block(*statements)
        self.program.evidence = Evidence()
        for conformance in self.program.conformances:
            self.program.evidence.add(conformance)
        module = lower(self.program, self.reports)
        self.reports.refuse()
        assert [str(one) for one in verify(module)] == []
        return module


def place(variable: Variable) -> hir.Place:
    return hir.Place(0, variable.type, variable)


def number(value: int, type: Type = INT) -> Expr:
    return hir.Const(0, type, value)


def binary(op: str, left: Expr, right: Expr) -> Expr:
    return hir.Binary(0, BOOL if op in COMPARISONS else left.type, op, left, right)


def at(buffer: Variable, index: Expr) -> Expr:
    assert isinstance(buffer.type, ResourceType) and buffer.type.element is not None
    return hir.Element(0, buffer.type.element, place(buffer), index)


def as_int(value: Expr) -> Expr:
    return hir.Convert(0, INT, value)


def assign(target: Expr, value: Expr) -> Stmt:
    return hir.Eval(0, hir.Assign(0, target, value))


def add(target: Expr, value: Expr) -> Stmt:
    return hir.Eval(0, hir.Update(0, "+", target, value))


def let(variable: Variable, value: Expr) -> Stmt:
    return hir.Let(0, variable, value)


def block(*statements: Stmt) -> hir.Block:
    return hir.Block(0, list(statements))
