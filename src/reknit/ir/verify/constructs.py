"""What a construct itself must be: an `if` asks one bool, a `switch` one integer that its literals fit, each once.

    switch %k : u8   case 3, 300      300 does not fit        case 3 ... case 3     twice the same
"""

from reknit.ir import op
from reknit.ir.function import Function
from reknit.ir.instr import Instr
from reknit.ir.text.plain import is_width
from reknit.ir.tree import Case, If, Loop, Switch
from reknit.ir.value import Value
from reknit.ir.verify.links import Tree
from reknit.ir.verify.report import Report


def check_constructs(report: Report, tree: Tree) -> None:
    for construct in tree.constructs:
        before = construct.before()
        if isinstance(construct, If):
            type = type_of(construct.condition)
            if type is None or type.op != op.TypeBool:
                condition = report.name(construct.condition)
                message = f"the condition {condition} of the `if` after this block is not a bool"
                report.fault("RK0414", message, before, None, construct)
        elif isinstance(construct, Loop):
            if not construct.merged:
                message = "the loop after this block is not merged; loops always are"
                report.fault("RK0414", message, before, None, construct)
        elif isinstance(construct, Switch):
            _switch(report, construct)
        if any(not 0 <= word <= 0xFFFFFFFF for word in construct.control):
            message = "a control mask of the construct after this block is not a word"
            report.fault("RK0414", message, before, None, construct)


def type_of(value: Value) -> Instr | None:
    return value.type if isinstance(value, Instr) else None


def _switch(report: Report, switch: Switch) -> None:
    before = switch.before()
    type = type_of(switch.selector)
    if type is not None and type.op == op.TypeSetTag:
        width = 32
    elif type is None or type.op != op.TypeInt or not is_width(type.operands[0]):
        selector = report.name(switch.selector)
        message = f"the selector {selector} of the switch after this block is not an integer"
        report.fault("RK0414", message, before, None, switch)
        width = 0
    else:
        width = type.word(0)
    mine: dict[Case, None] = {}
    for case in switch.cases:
        if case in mine:
            report.fault("RK0413", "the switch after this block has a case twice", before, None, switch)
        mine[case] = None
    if switch.default is None or switch.default not in mine:
        report.fault("RK0413", "the switch after this block has no default among its cases", before, None, switch)
    literals: dict[int, int] = {}
    named: dict[Case | None, None] = {switch.default: None}
    for literal, case in switch.targets:
        named[case] = None
        if case not in mine:
            message = f"the literal {literal} of the switch after this block leads to no case"
            report.fault("RK0413", message, before, None, switch)
        times = literals.get(literal, 0)
        if times == 1:
            report.fault("RK0413", f"the switch after this block has the literal {literal} twice", before, None, switch)
        literals[literal] = times + 1
        if literal < 0 or (width and literal >> width):
            message = f"the literal {literal} of the switch after this block does not fit in {width} bits"
            report.fault("RK0413", message, before, None, switch)
    if any(case not in named for case in switch.cases):
        message = "the switch after this block has a case that neither a literal nor the default leads to"
        report.fault("RK0413", message, before, None, switch)


def check_signature(report: Report, function: Function) -> None:
    """The function's type says what its result and its parameters say."""
    type = function.type
    if type.op != op.TypeFunction:
        report.fault("RK0419", "its type is no function type")
        return
    expected: list[object] = [function.result]
    for param in function.params:
        if param.op != op.FunctionParameter or param.type is None or param.block is not None:
            report.fault("RK0419", "a parameter is not an OpFunctionParameter with a type", None, param)
        expected.append(param.type)
    if expected != list[object](type.operands):
        report.fault("RK0419", "its result and parameters are not those of its type", None, type, function)
