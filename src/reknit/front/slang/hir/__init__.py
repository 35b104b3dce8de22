"""What was meant: expressions and statements after checking. Every conversion, overload, member and witness is
explicit.

    int x = f + buffer[i];          Let(x, Convert(Binary("+", f, Convert(Element(buffer, i), FLOAT)), INT))
    e.foo(2)       (e : IFoo)       Opened(opening(e), WitnessCall(OpenedWitness, IFoo.foo, [OpenedValue, 2]))

An expression has a `type` and says by its class whether it is a place: Place, Field, Element, Swizzle, PropertyPlace
of a place may be assigned, taken by `out`, `inout` and `ref`. Operators have operands of one type, converted already;
vectors and matrices go component by component. Types may hold generic parameters; the lowering substitutes. Order of
evaluation is left to right. Left spines of Binary may be long: walk them with a loop.
"""

from reknit.front.slang.hir.calls import Call, CopyBack, Intrinsic, Try, WitnessCall, WitnessConstant
from reknit.front.slang.hir.existentials import (
    AsType,
    CreateObject,
    GetValue,
    HasValue,
    IsType,
    MakeExistential,
    MakeNone,
    MakeSome,
    Opened,
    OpenedValue,
    Opening,
)
from reknit.front.slang.hir.lvalues import AddressOf, Deref, Element, Field, Place, PropertyPlace, Swizzle
from reknit.front.slang.hir.node import Expr, Stmt
from reknit.front.slang.hir.operators import Assign, Binary, Conditional, Sequence, ShortCircuit, Unary, Update
from reknit.front.slang.hir.statements import (
    Block,
    Break,
    Case,
    Continue,
    Defer,
    Discard,
    Eval,
    If,
    Labelled,
    Let,
    Loop,
    Return,
    Switch,
    Target,
)
from reknit.front.slang.hir.values import (
    Const,
    Construct,
    Convert,
    GenericValue,
    Reinterpret,
    Splat,
    Text,
    Undefined,
    Zero,
)

__all__ = [
    "AddressOf",
    "AsType",
    "Assign",
    "Binary",
    "Block",
    "Break",
    "Call",
    "Case",
    "Conditional",
    "Const",
    "Construct",
    "Continue",
    "Convert",
    "CopyBack",
    "CreateObject",
    "Defer",
    "Deref",
    "Discard",
    "Element",
    "Eval",
    "Expr",
    "Field",
    "GenericValue",
    "GetValue",
    "HasValue",
    "If",
    "Intrinsic",
    "IsType",
    "Labelled",
    "Let",
    "Loop",
    "MakeExistential",
    "MakeNone",
    "MakeSome",
    "Opened",
    "OpenedValue",
    "Opening",
    "Place",
    "PropertyPlace",
    "Reinterpret",
    "Return",
    "Sequence",
    "ShortCircuit",
    "Splat",
    "Stmt",
    "Switch",
    "Swizzle",
    "Target",
    "Text",
    "Try",
    "Unary",
    "Undefined",
    "Update",
    "WitnessCall",
    "WitnessConstant",
    "Zero",
]
